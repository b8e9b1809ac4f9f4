// Elements, made without ever reading text as HTML.

export const byId = (id) => document.getElementById(id);

export function element(name, className, ...content) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

export function shape(name, attributes, ...content) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...content);
  return made;
}

// Text is set only where it differs: screen readers read out what changes.
export function say(place, text) {
  if (place.textContent !== text) place.textContent = text;
}
