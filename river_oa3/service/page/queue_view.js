// The asks that wait, in parts: what is answered meanwhile leaves no gap in the next part.

import * as api from "./api.js";
import { byId, element } from "./dom.js";
import { ago, visible } from "./format.js";

const PART = 20;

export class Queue {
  // `ask` does some work in line with the rest of the page.
  constructor(ask) {
    this.next = null;
    byId("queue").ontoggle = () => (byId("queue").open ? ask(() => this.begin()) : this.clear());
    byId("queue-more").onclick = () => this.next !== null && ask(() => this.more());
  }

  async begin() {
    const part = await api.get(`asks?limit=${PART}`);
    this.clear();
    this.add(part);
  }

  async more() {
    this.add(await api.get(`asks?limit=${PART}&after=${encodeURIComponent(this.next)}`));
  }

  clear() {
    this.next = null;
    byId("queue-list").replaceChildren();
    byId("queue-more").hidden = true;
  }

  add({ asks, next }) {
    const lines = asks.map(({ id, key, asked_at }) => {
      const shown = typeof id === "number" ? key : id;
      const made = element("li", "", element("bdi", "", visible(shown)), element("span", "age", ago(asked_at)));
      made.dataset.key = key;
      return made;
    });
    byId("queue-list").append(...lines);
    this.next = next;
    byId("queue-more").hidden = next === null;
  }

  // Somebody here has answered it.
  remove(key) {
    for (const line of byId("queue-list").children) if (line.dataset.key === key) line.remove();
  }
}
