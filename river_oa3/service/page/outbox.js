// Answers that the service does not have yet. They outlive a dead server and a closed window.

const PREFIX = "oa3.answer.";

export function keep(answer) {
  localStorage.setItem(PREFIX + answer.key, JSON.stringify(answer));
}

export function drop(key) {
  localStorage.removeItem(PREFIX + key);
}

export function kept() {
  return Object.keys(localStorage)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => JSON.parse(localStorage.getItem(name)))
    .sort((one, other) => one.at - other.at);
}
