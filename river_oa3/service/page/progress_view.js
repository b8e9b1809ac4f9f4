// Beside the ask: what waits, what is left to spend, how good it is.

import { drawCurve } from "./curve_view.js";
import { byId, say } from "./dom.js";
import { count, moment, number, percent, plural } from "./format.js";

export function showProgress(progress) {
  byId("progress").hidden = false;
  showQueue(progress.open, progress.seen);
  showBudget(progress.budget, progress);
  showQuality(progress.quality);
  drawCurve(byId("curve"), progress.curve, progress.quality.is_share);
}

export function showQueue(open, seen) {
  say(byId("queue-count"), count(open));
  say(byId("queue-unit"), open === 1 ? "ask" : "asks");
  if (seen !== undefined) say(byId("queue-text"), `${plural(seen, "event", "events")} seen so far`);
  document.title = open ? `(${count(open)}) Answers` : "Answers";
}

function showBudget(budget, { asked, seen }) {
  const bar = byId("budget-bar");
  bar.hidden = budget.labels === undefined;
  say(byId("budget-left"), budget.left === undefined ? count(asked) : count(budget.left));
  if (budget.kind === "none") {
    say(byId("budget-unit"), asked === 1 ? "label asked for" : "labels asked for");
    say(byId("budget-text"), "There is no limit.");
  } else if (budget.kind === "rate") {
    say(byId("budget-unit"), budget.left === 1 ? "label to spend now" : "labels to spend now");
    const share = seen ? `${percent(asked / seen, 2)} of the events were asked about` : "No event was asked about yet";
    say(byId("budget-text"), `${share}; up to ${percent(budget.rate, 2)} may be.`);
  } else {
    say(byId("budget-unit"), budget.labels === undefined ? "left" : `of ${plural(budget.labels, "label", "labels")} left`);
    say(byId("budget-text"), lasting(budget));
  }
  if (!bar.hidden) {
    byId("budget-spent").style.width = `${budget.labels ? (100 * budget.spent) / budget.labels : 100}%`;
    bar.setAttribute("aria-valuemin", 0);
    bar.setAttribute("aria-valuemax", budget.labels);
    bar.setAttribute("aria-valuenow", budget.spent);
    bar.setAttribute("aria-valuetext", `${budget.spent} of ${budget.labels} labels spent`);
  }
}

function lasting(budget) {
  const spent = budget.spent === undefined ? "" : `${count(budget.spent)} spent. `;
  const renewed = budget.renewed_at ? `New ones come ${moment(budget.renewed_at)}.`
    : budget.events ? `New ones come every ${plural(budget.events, "event", "events")}.` : "";
  if (budget.left === 0) return spent + (renewed || "Nothing more is asked for.");
  if (budget.labels_per_hour === undefined) return `${spent}${renewed || "Too early to say how long it lasts."}`;
  if (!budget.lasts_until) return `${spent}${renewed || "Nothing was asked for lately."}`;
  if (budget.renewed_at && new Date(budget.lasts_until) > new Date(budget.renewed_at)) {
    return `${spent}It lasts at this pace. ${renewed}`;
  }
  return `${spent}At this pace it lasts until ${moment(budget.lasts_until)}. ${renewed}`;
}

function showQuality(quality) {
  const isUnsure = quality.interval === null;
  byId("quality-value").parentElement.classList.toggle("words", isUnsure);
  const shown = (value) => (quality.is_share ? percent(value) : number(value));
  say(byId("quality-value"), isUnsure ? "Too few labels to say" : shown(quality.value));
  say(byId("quality-unit"), isUnsure ? "" : quality.name);
  say(byId("quality-text"), isUnsure ? afterColon(quality.summary) : range(quality, shown));
  const drift = byId("drift");
  drift.hidden = !quality.drift;
  say(drift, "Mistakes have become more frequent: look at what is new in the events.");
}

function range({ interval, labels, sensitivity, specificity }, shown) {
  const parts = sensitivity === null || specificity === null ? ""
    : ` Finds ${percent(sensitivity, 0)} of the positives, passes ${percent(specificity, 0)} of the negatives.`;
  return `Between ${shown(interval[0])} and ${shown(interval[1])}, in 19 of 20 cases, by ${plural(labels, "label", "labels")}.${parts}`;
}

// The monitor says in words how many there are, and how many it takes.
function afterColon(summary) {
  const rest = summary.slice(summary.indexOf(":") + 1).trim();
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}
