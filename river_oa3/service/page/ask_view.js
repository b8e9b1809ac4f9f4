// An ask: the event as a table, and what the model thinks of it, folded away.

import { byId, element, say } from "./dom.js";
import { ago, number, percent, plural, visible } from "./format.js";

const SHOWN = 24;
const LONG = 48;

export function showAsk(ask) {
  say(byId("ask-id"), visible(ask.id));
  showAge(ask);
  showFeatures(ask.features, ask.features.length <= SHOWN + 4 ? ask.features.length : SHOWN);
  const opinion = byId("opinion");
  // Folded for each ask anew: people agree with what they are shown.
  opinion.open = false;
  byId("opinion-body").replaceChildren(...opinionOf(ask.opinion));
}

export function showAge(ask) {
  const time = byId("ask-time");
  time.dateTime = ask.asked_at;
  say(time, ago(ask.asked_at));
}

function showFeatures(features, shown) {
  byId("features").tBodies[0].replaceChildren(...features.slice(0, shown).map(row));
  const more = byId("show-all");
  more.hidden = shown >= features.length;
  say(more, `Show all ${features.length} features`);
  more.onclick = () => {
    showFeatures(features, features.length);
    byId("features").tBodies[0].rows[shown].cells[0].scrollIntoView({ block: "nearest" });
    byId("yes").focus({ preventScroll: true });
  };
}

function row([name, value]) {
  const head = element("th", "", element("bdi", "", visible(name)));
  head.scope = "row";
  const made = element("tr", "", head, cell(value));
  if (typeof value === "string" && value.length > LONG) made.className = "long";
  return made;
}

function cell(value) {
  if (value === null) return element("td", "", element("span", "gap", "missing"));
  if (value === "") return element("td", "", element("span", "gap", "empty text"));
  if (typeof value === "number") {
    const made = element("td", "number", number(value));
    made.title = String(value);
    return made;
  }
  return element("td", "text", element("bdi", "", visible(String(value))));
}

function opinionOf({ label, probability, reason, because }) {
  const thinks = element("strong", "", label === true ? "Yes" : label === false ? "No" : String(label));
  const said = [
    element("p", "", "It says ", thinks, `.${odds(label, probability)}`),
    element("p", "reason", `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`),
  ];
  if (because.length) said.push(sides(), bars(because));
  return said;
}

function odds(label, probability) {
  if (probability === null) return "";
  // Where few events are positive, the boundary is far below one half.
  const early = label === true && probability < 0.5 ? ", more than for most events" : "";
  return ` The probability of yes is ${percent(probability)}${early}.`;
}

function sides() {
  return element("p", "sides", element("span", "", element("span", "", "\u2190 no"), element("span", "", "yes \u2192")));
}

function bars(because) {
  const largest = Math.max(...because.map((each) => Math.abs(each.contribution ?? 0))) || 1;
  const list = element("ol", "bars");
  for (const { name, contribution } of because) {
    const amount = contribution ?? 0;
    const bar = element("div", amount >= 0 ? "for" : "against");
    bar.style.width = `${(50 * Math.abs(amount)) / largest}%`;
    const track = element("div", "track", bar);
    track.setAttribute("aria-hidden", "true");
    const signed = `${amount >= 0 ? "+" : "\u2212"}${Math.abs(amount).toFixed(2)}`;
    list.append(element("li", "", element("bdi", "name", visible(name)), track, element("span", "amount", signed)));
  }
  return list;
}

export function described(ask, question) {
  return `${question} ${ask.id}, ${plural(ask.features.length, "feature", "features")}.`;
}
