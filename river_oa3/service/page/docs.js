// The description of the service, drawn from /openapi.json.

import { ApiError, get } from "./api.js";
import { byId, element } from "./dom.js";

function route(path, method, described, schemas) {
  const made = element("section", "card route",
    element("h2", "", `${method.toUpperCase()} ${path}`),
    element("p", "", described.description ?? ""));
  if (described.parameters) made.append(part("In the address", described.parameters.map(({ name, schema }) => ({ [name]: schema }))));
  const body = described.requestBody?.content["application/json"].schema;
  if (body) made.append(part("Sent", resolved(body, schemas)));
  for (const [status, { description, content }] of Object.entries(described.responses)) {
    if (status === "200" && content) made.append(part("Answered", resolved(Object.values(content)[0].schema, schemas)));
    else made.append(element("li", "", `${status}: ${description}`));
  }
  return made;
}

function part(title, value) {
  return element("div", "", element("h3", "", title), element("pre", "", JSON.stringify(value, null, 1)));
}

function resolved(schema, schemas) {
  if (Array.isArray(schema)) return schema.map((each) => resolved(each, schemas));
  if (schema === null || typeof schema !== "object") return schema;
  if (schema.$ref) return resolved(schemas[schema.$ref.split("/").at(-1)], schemas);
  return Object.fromEntries(Object.entries(schema).map(([name, each]) => [name, resolved(each, schemas)]));
}

try {
  const { paths, components } = await get("openapi.json");
  byId("routes").replaceChildren(...Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => route(path, method, described, components.schemas))));
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  const text = error.kind === "token" ? "Enter the token on the page of the answers first, in this tab." : error.message;
  byId("routes").replaceChildren(element("p", "", text), Object.assign(element("a", "", "To the answers"), { href: "." }));
}
