// The page: one ask after the other, whatever happens to the network.

import * as api from "./api.js";
import { described, showAge, showAsk } from "./ask_view.js";
import { Connection } from "./connection.js";
import { byId, say } from "./dom.js";
import { identity } from "./identity.js";
import * as outbox from "./outbox.js";
import { showProgress, showQueue } from "./progress_view.js";
import { Queue } from "./queue_view.js";
import { Recent } from "./recent_view.js";

// Milliseconds: between looks at an empty queue and at the numbers, and until a new ask takes keys,
// so that a key pressed twice does not answer an ask that nobody has read.
const LOOK = 2000;
const NUMBERS = 4000;
const SETTLE = 350;

let who = "";
let ask = null;
let shownAt = 0;
let renewAt = 0;
let question = "";
let line = Promise.resolve();
let waiting = 0;

const connection = new Connection(() => inLine(resume));
const recent = new Recent(undo);
const queue = new Queue(inLine);

// One thing after the other, in the order in which a quick person wants them.
function inLine(work) {
  waiting += 1;
  mark();
  line = line.then(() => attempt(work)).finally(() => {
    waiting -= 1;
    mark();
  });
  return line;
}

async function attempt(work) {
  try {
    await work();
    if (byId("token").hidden) connection.works();
  } catch (error) {
    if (error instanceof api.ApiError) fail(error);
    else console.error(error);
  }
}

function fail(error) {
  if (error.kind === "token") askForToken();
  else if (error.kind === "refused") notice(`The server did not take that: ${error.message}.`);
  else connection.fails(error, outbox.kept().length);
}

async function resume() {
  await sendAnswers();
  await numbers();
  await next();
}

async function sendAnswers() {
  for (const answer of outbox.kept()) {
    try {
      const said = await api.post("labels", `{"id":${answer.key},"label":${answer.label},"final":false,"who":${JSON.stringify(answer.who)}}`);
      outbox.drop(answer.key);
      recent.sent(answer.key, said.undo_seconds ?? 0);
    } catch (error) {
      if (error.kind !== "refused") throw error;
      // It never will be taken: say so, and go on with the others.
      outbox.drop(answer.key);
      recent.remove(answer.key);
      notice(`Your answer for ${answer.id} did not count: ${refusal(error)}.`);
    }
  }
}

function refusal(error) {
  if (error.status === 404) return "its time ran out, or nobody wants it any more";
  if (error.status === 409) return "somebody else has answered it, or is about to";
  return error.message;
}

// The next ask, or the one that somebody wants to go back to.
async function next(wanted) {
  const answer = await api.post("asks/lease", `{"who":${JSON.stringify(who)}}`);
  renewAt = Date.now() + (1000 * answer.seconds) / 3;
  showQueue(answer.open);
  if (wanted && wanted.key !== answer.ask?.key) {
    // Nobody can lease one of their choice: until it is answered, somebody else may get it.
    if (answer.ask) await release(answer.ask, false);
    renewAt = Infinity;
    show(wanted);
  } else if (answer.ask === null) showEmpty();
  // One that has been answered meanwhile, and not sent, is still open for the server.
  else if (answer.ask.key !== ask?.key && !outbox.kept().some(({ key }) => key === answer.ask.key)) show(answer.ask);
}

function show(fresh) {
  const hadFocus = byId("empty").contains(document.activeElement);
  ask = fresh;
  shownAt = performance.now();
  only("ask");
  showAsk(ask);
  say(byId("announce"), described(ask, question));
  if (hadFocus) byId("question").focus();
  const card = byId("ask");
  card.classList.remove("fresh");
  requestAnimationFrame(() => card.classList.add("fresh"));
  if (card.getBoundingClientRect().top < 0) scrollTo({ top: 0 });
}

function showEmpty() {
  const hadFocus = byId("ask").contains(document.activeElement);
  ask = null;
  only("empty");
  say(byId("empty-title"), "Nothing to answer right now");
  say(byId("empty-text"), "The next ask appears here by itself.");
  if (hadFocus) byId("empty-title").focus();
}

function showWaiting() {
  ask = null;
  only("empty");
  say(byId("empty-title"), "Your answer is kept");
  say(byId("empty-text"), "It is sent, and the next ask comes, when the server answers again.");
}

function only(id) {
  for (const each of ["ask", "empty", "token"]) byId(each).hidden = each !== id;
}

function mark() {
  for (const id of ["yes", "no", "skip"]) byId(id).setAttribute("aria-disabled", ask === null || (id === "skip" && connection.isDown));
}

function notice(text) {
  byId("notice").hidden = !text;
  say(byId("notice"), text);
}

function answer(label) {
  if (!takesKeys()) return;
  notice("");
  // Kept before it is sent: the server, or this page, may be gone before it arrives.
  outbox.keep({ key: ask.key, id: ask.id, label, who, at: Date.now() });
  recent.add(ask, label);
  queue.remove(ask.key);
  ask = null;
  if (connection.isDown) {
    connection.kept = outbox.kept().length;
    showWaiting();
    return;
  }
  inLine(async () => {
    try {
      await sendAnswers();
      await next();
    } catch (error) {
      if (["unreachable", "busy"].includes(error.kind)) showWaiting();
      throw error;
    }
  });
}

function skip() {
  if (connection.isDown || !takesKeys()) return;
  const skipped = ask;
  ask = null;
  recent.skipped(skipped);
  inLine(async () => {
    await release(skipped, true);
    await next();
    const isAlone = ask?.key === skipped.key;
    if (isAlone) recent.remove(skipped.key);
    notice(isAlone ? "That is the only ask that waits right now." : "");
  });
}

async function release({ key }, isSkipped) {
  await api.post("asks/release", `{"id":${key},"who":${JSON.stringify(who)},"skip":${isSkipped}}`);
}

function undo(entry) {
  if (!entry) return;
  if (connection.isDown) {
    notice("What was done can be taken back when the server answers again.");
    return;
  }
  notice("");
  const current = ask;
  ask = null;
  inLine(async () => {
    if (current) await release(current, false);
    let wanted = entry.ask;
    try {
      if ("label" in entry) await api.post("labels/withdraw", `{"id":${entry.key}}`);
      recent.remove(entry.key);
    } catch (error) {
      if (error.kind !== "refused") throw error;
      recent.sent(entry.key, 0);
      notice("Too late: the model has learned that answer.");
      wanted = undefined;
    }
    await next(wanted);
  });
}

// Whether there is an ask that somebody can have read; a press that does not count is told of.
function takesKeys() {
  const isTooEarly = ask ? performance.now() - shownAt < SETTLE : waiting > 0 && byId("empty").hidden;
  if (isTooEarly) notice("Too quick: that press did not count. Look at the event, and press again.");
  return ask !== null && !isTooEarly;
}

async function renew() {
  const before = ask;
  await next();
  if (before && ask && ask.key !== before.key) {
    notice(`Your time for ${before.id} ran out, or it was answered elsewhere. Here is the next ask.`);
  }
}

async function numbers() {
  const progress = await api.get("progress");
  question = progress.question;
  say(byId("question"), question);
  showProgress(progress);
}

function askForToken() {
  const wasWrong = api.token() !== "";
  ask = null;
  only("token");
  byId("progress").hidden = true;
  connection.works();
  connection.mark("", "Locked");
  say(byId("token-error"), wasWrong ? "That token is not the right one." : "");
  byId("token-input").value = "";
  byId("token-input").focus();
}

function toggleOpinion() {
  const opinion = byId("opinion");
  opinion.open = !opinion.open;
  opinion.scrollIntoView({ block: "nearest" });
}

function pressed(event) {
  if (!byId("keys").checked || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.matches("input, textarea, select") && event.target.type !== "checkbox") return;
  const acts = { y: () => answer(true), n: () => answer(false), s: skip, m: toggleOpinion, u: () => undo(recent.newest()) };
  const act = acts[event.key.toLowerCase()];
  if (act && !byId("token").contains(document.activeElement)) {
    event.preventDefault();
    act();
  }
}

function listen() {
  byId("yes").onclick = () => answer(true);
  byId("no").onclick = () => answer(false);
  byId("skip").onclick = skip;
  addEventListener("keydown", pressed);
  byId("token-form").onsubmit = (event) => {
    event.preventDefault();
    api.setToken(byId("token-input").value.trim());
    inLine(resume);
  };
  const keys = byId("keys");
  keys.checked = localStorage.getItem("oa3.keys") !== "off";
  keys.onchange = () => {
    localStorage.setItem("oa3.keys", keys.checked ? "on" : "off");
    document.body.classList.toggle("no-keys", !keys.checked);
  };
  keys.onchange();
}

// Timers ask only while nothing else does, and not while the server is away or the page is locked.
function every(milliseconds, isDue, work) {
  setInterval(() => {
    if (!waiting && !connection.isDown && byId("token").hidden && isDue()) inLine(work);
  }, milliseconds);
}

listen();
who = await identity();
await inLine(resume);
every(LOOK, () => ask === null && !document.hidden, next);
every(NUMBERS, () => !document.hidden, async () => {
  await numbers();
  if (ask) showAge(ask);
});
every(1000, () => ask !== null && Date.now() > renewAt, renew);
