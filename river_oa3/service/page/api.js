// Talks to the service, and tells apart what can go wrong.

const REQUEST_TIMEOUT_MS = 15000;

// kind: "unreachable", "busy" (both worth another try), "token", or "refused".
export class ApiError extends Error {
  constructor(kind, message, status = 0, wait = 0) {
    super(message);
    this.kind = kind;
    this.status = status;
    this.wait = wait;
  }
}

export function token() {
  return sessionStorage.getItem("oa3.token") ?? "";
}

export function setToken(value) {
  sessionStorage.setItem("oa3.token", value);
}

export async function get(path) {
  return call(path, {});
}

// `body` is a JSON text already: ids are put into it as the service wrote them.
export async function post(path, body) {
  return call(path, { method: "POST", body, headers: { "content-type": "application/json" } });
}

async function call(path, options) {
  const headers = { ...options.headers };
  if (token()) headers.authorization = `Bearer ${token()}`;
  let response, answer;
  try {
    response = await fetch(path, { ...options, headers, cache: "no-store", signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
    answer = await response.json();
  } catch {
    throw new ApiError("unreachable", "The server does not answer.");
  }
  if (response.ok) return answer;
  const message = answer?.error?.message ?? "";
  if (response.status === 401) throw new ApiError("token", message, 401);
  if (response.status >= 500) {
    const wait = 1000 * (Number(response.headers.get("retry-after")) || 0);
    throw new ApiError("busy", "The server cannot answer right now.", response.status, wait);
  }
  throw new ApiError("refused", message, response.status);
}
