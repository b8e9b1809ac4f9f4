// The description of the service, drawn from /openapi.json.

import { ApiError, get } from "./api.js";
import { byId, element } from "./dom.js";

function route(path, method, described, schemas, isLocked) {
  const made = element("section", "card route",
    element("h2", "", `${method.toUpperCase()} ${path}`),
    element("p", "", described.description ?? ""),
    element("pre", "example", example(path, described, isLocked)));
  if (described.parameters) made.append(part("In the address", described.parameters.map(({ name, schema }) => ({ [name]: schema }))));
  const body = described.requestBody?.content["application/json"].schema;
  if (body) made.append(part("Sent", resolved(body, schemas)));
  for (const [status, { description, content }] of Object.entries(described.responses)) {
    if (status === "200" && content) made.append(part("Answered", resolved(Object.values(content)[0].schema, schemas)));
    else made.append(element("li", "", `${status}: ${description}`));
  }
  return made;
}

// As a shell takes it; the examples hold no quotes of its own.
function example(path, { requestBody }, isLocked) {
  const words = [`curl '${new URL(path.slice(1), document.baseURI)}'`];
  if (isLocked) words.push('-H "Authorization: Bearer $RIVER_OA3_TOKEN"');
  if (requestBody) {
    words.push("-H 'Content-Type: application/json'", `-d '${JSON.stringify(requestBody.content["application/json"].example)}'`);
  }
  return words.join(" \\\n  ");
}

function part(title, value) {
  return element("details", "", element("summary", "", title), element("pre", "", JSON.stringify(value, null, 1)));
}

function resolved(schema, schemas) {
  if (Array.isArray(schema)) return schema.map((each) => resolved(each, schemas));
  if (schema === null || typeof schema !== "object") return schema;
  if (schema.$ref) return resolved(schemas[schema.$ref.split("/").at(-1)], schemas);
  return Object.fromEntries(Object.entries(schema).map(([name, each]) => [name, resolved(each, schemas)]));
}

try {
  const { paths, components, security } = await get("openapi.json");
  byId("routes").replaceChildren(...Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => route(path, method, described, components.schemas, Boolean(security)))));
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  const text = error.kind === "token" ? "Enter the token on the page of the answers first, in this tab." : error.message;
  byId("routes").replaceChildren(element("p", "", text), Object.assign(element("a", "", "To the answers"), { href: "." }));
}
