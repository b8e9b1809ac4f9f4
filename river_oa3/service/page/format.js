// Values and times as people read them.

const plainNumber = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });
const wholeNumber = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const farNumber = new Intl.NumberFormat("en", { notation: "scientific", maximumSignificantDigits: 4 });

export function number(value) {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return wholeNumber.format(value);
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-4 || size >= 1e9) ? farNumber.format(value) : plainNumber.format(value);
}

export function count(value) {
  return wholeNumber.format(value);
}

export function percent(share, digits = 1) {
  return `${(100 * share).toFixed(digits)}%`;
}

export function plural(value, one, many) {
  return `${count(value)} ${value === 1 ? one : many}`;
}

// Characters that cannot be seen get a picture, so that nobody is fooled by them.
export function visible(text) {
  return text.replace(/[\u0000-\u001f\u007f]/g, (each) =>
    each === "\n" ? "\n" : each === "\u007f" ? "\u2421" : String.fromCharCode(0x2400 + each.charCodeAt(0)));
}

export function ago(time, now = Date.now()) {
  const seconds = Math.max(0, (now - new Date(time)) / 1000);
  if (seconds < 60) return "asked just now";
  if (seconds < 3600) return `asked ${plural(Math.floor(seconds / 60), "minute", "minutes")} ago`;
  if (seconds < 86400) return `asked ${plural(Math.floor(seconds / 3600), "hour", "hours")} ago`;
  return `asked ${plural(Math.floor(seconds / 86400), "day", "days")} ago`;
}

// "at 14:20", or with the day where that is not today.
export function moment(time, now = new Date()) {
  const then = new Date(time);
  const clock = then.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  if (then.toDateString() === now.toDateString()) return clock;
  const near = then - now < 6 * 86400e3;
  const year = then.getFullYear() === now.getFullYear() ? undefined : "numeric";
  const day = then.toLocaleDateString([], near ? { weekday: "long" } : { day: "numeric", month: "short", year });
  return near ? `${day}, ${clock}` : day;
}
