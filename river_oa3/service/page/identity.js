// Who is looking: a name that this browser keeps, and a number for each of its windows, so that two
// windows never get the same ask and a reload gets the same one again.

const MOST = 50;

export async function identity() {
  let name = localStorage.getItem("oa3.who");
  if (!name) {
    name = `analyst-${crypto.getRandomValues(new Uint32Array(2)).join("-")}`;
    localStorage.setItem("oa3.who", name);
  }
  return `${name}/${await place()}`;
}

async function place() {
  const mine = Number(sessionStorage.getItem("oa3.window")) || 1;
  // Browsers have locks only where the address is this machine's, or encrypted.
  if (!navigator.locks) return rememberedPlace();
  for (const wanted of [mine, ...Array(MOST).keys()].map((each, i) => (i ? each + 1 : each))) {
    if (await hold(`oa3.window.${wanted}`)) {
      sessionStorage.setItem("oa3.window", wanted);
      return wanted;
    }
  }
  return rememberedPlace();
}

function rememberedPlace() {
  const known = sessionStorage.getItem("oa3.window") ?? String(crypto.getRandomValues(new Uint16Array(1))[0] + MOST);
  sessionStorage.setItem("oa3.window", known);
  return known;
}

// Held until the window is closed or loaded anew.
function hold(name) {
  return new Promise((resolve) => {
    navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock === null ? undefined : new Promise(() => {});
    });
  });
}
