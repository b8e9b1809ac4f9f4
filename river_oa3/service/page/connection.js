// Whether the server answers; where it does not, when to try again.

import { byId, say } from "./dom.js";

const LONGEST = 30000;

export class Connection {
  constructor(retry) {
    this.retry = retry;
    this.failures = 0;
    this.nextTry = 0;
    byId("try-now").onclick = () => this.tryNow();
    addEventListener("online", () => this.tryNow());
    setInterval(() => this.tick(), 250);
  }

  get isDown() {
    return this.failures > 0;
  }

  works() {
    if (this.isDown) byId("trouble").hidden = true;
    this.failures = 0;
    this.mark("up", "Connected");
  }

  fails(error, kept) {
    this.failures += 1;
    this.message = error.message;
    this.kept = kept;
    const wait = Math.min(LONGEST, 1000 * 2 ** (this.failures - 1)) * (0.75 + Math.random() / 2);
    this.nextTry = Date.now() + Math.max(wait, error.wait);
    this.mark("down", "No connection");
    byId("trouble").hidden = false;
    this.tick();
  }

  tick() {
    if (!this.isDown || this.isTrying) return;
    const seconds = Math.ceil((this.nextTry - Date.now()) / 1000);
    if (seconds <= 0) {
      this.tryNow();
      return;
    }
    const kept = this.kept ? ` ${this.kept === 1 ? "Your answer is" : `Your ${this.kept} answers are`} kept here and will be sent.` : "";
    // Read out once; the seconds pass in silence.
    const text = `${this.message}${kept}`;
    if (byId("trouble-text").textContent !== text) say(byId("trouble-text"), text);
    say(byId("trouble-wait"), `Trying again in ${seconds} s.`);
  }

  async tryNow() {
    if (!this.isDown || this.isTrying) return;
    this.isTrying = true;
    say(byId("trouble-wait"), "Trying to reach the server\u2026");
    await this.retry();
    this.isTrying = false;
    this.tick();
  }

  mark(state, text) {
    byId("connection").className = state;
    say(byId("connection-text"), text);
  }
}
