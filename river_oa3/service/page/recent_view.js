// The last answers, each of which can be taken back until the model has learned it, and skips.

import { byId, element } from "./dom.js";
import { visible } from "./format.js";

const SHOWN = 4;
const NAME = "oa3.recent";

export class Recent {
  constructor(undo) {
    this.undo = undo;
    this.entries = JSON.parse(sessionStorage.getItem(NAME) ?? "[]");
    setInterval(() => this.show(), 250);
  }

  add(ask, label) {
    this.put({ key: ask.key, id: ask.id, ask, label, until: null });
  }

  skipped(ask) {
    this.put({ key: ask.key, id: ask.id, ask, until: null });
  }

  put(entry) {
    this.entries = [entry, ...this.entries.filter(({ key }) => key !== entry.key)];
    this.changed();
  }

  // The service has it, and learns it after so many seconds.
  sent(key, seconds) {
    const entry = this.entries.find((each) => each.key === key);
    if (entry) entry.until = Date.now() + 1000 * seconds;
    this.changed();
  }

  remove(key) {
    this.entries = this.entries.filter((each) => each.key !== key);
    this.changed();
  }

  // The newest that can still be taken back.
  newest() {
    return this.entries.find((each) => each.until === null || each.until > Date.now());
  }

  changed() {
    this.entries = this.entries.slice(0, SHOWN);
    // Asks may be large, and come again by themselves.
    const kept = this.entries.filter((each) => "label" in each).map(({ ask, ...entry }) => entry);
    sessionStorage.setItem(NAME, JSON.stringify(kept));
    this.show(true);
  }

  // Buttons stay the same elements while they count: they may have the focus.
  show(anew = false) {
    const [last, list] = [byId("last"), byId("recent-list")];
    if (anew || this.lines === undefined) {
      this.lines = this.entries.map((entry, i) => this.line(entry, i ? "li" : "div"));
      last.replaceChildren(...this.lines.slice(0, 1));
      list.replaceChildren(...this.lines.slice(1));
      byId("recent").hidden = this.lines.length < 2;
    }
    const newest = this.newest();
    this.entries.forEach((entry, i) => this.count(this.lines[i].lastChild, entry, entry === newest));
  }

  line(entry, kind) {
    const said = element("span", "said", "label" in entry ? (entry.label ? "Yes" : "No") : "Skipped");
    return element(kind, "entry", element("bdi", "", visible(entry.id)), said, element("span", "fate"));
  }

  count(fate, entry, isNewest) {
    const left = entry.until === null ? null : Math.ceil((entry.until - Date.now()) / 1000);
    if (left !== null && left <= 0) {
      if (fate.textContent !== "Learned") fate.replaceChildren("Learned");
      return;
    }
    let button = fate.querySelector("button");
    if (!button) {
      button = element("button", "", element("span", "text"), element("kbd", "", "U"));
      button.type = "button";
      button.onclick = () => this.undo(entry);
      button.setAttribute("aria-label", "label" in entry ? `Undo the answer for ${entry.id}` : `Go back to ${entry.id}`);
      fate.replaceChildren(button);
    }
    button.lastChild.hidden = !isNewest;
    const text = left === null ? "Undo" : `Undo \u00b7 ${left} s`;
    if (button.firstChild.textContent !== text) button.firstChild.textContent = text;
  }
}
