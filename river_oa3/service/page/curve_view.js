// The learning curve, as a picture that a screen reader can read too.

import { shape } from "./dom.js";
import { count, number } from "./format.js";

const WIDTH = 288;
const HEIGHT = 132;
const LEFT = 38;
const BOTTOM = 20;
const TOP = 6;
const RIGHT = 6;

export function drawCurve(figure, points, isShare) {
  const written = (value) => (isShare ? `${+(100 * value).toFixed(1)}%` : number(value));
  figure.hidden = points.length < 2;
  figure.querySelector("svg")?.remove();
  if (figure.hidden) return;
  const known = points.flatMap((each) => [each.value, each.low, each.high]).filter((each) => each !== null);
  const ticks = ticksOf(Math.min(...known), Math.max(...known));
  const [low, high] = [ticks[0], ticks.at(-1)];
  const most = points.at(-1).labels;
  const least = points[0].labels;
  const x = (labels) => LEFT + ((WIDTH - LEFT - RIGHT) * (labels - least)) / Math.max(1, most - least);
  const y = (value) => TOP + ((HEIGHT - TOP - BOTTOM) * (high - value)) / (high - low || 1);
  const place = (each, name) => `${x(each.labels).toFixed(1)},${y(each[name]).toFixed(1)}`;
  const sure = points.filter((each) => each.low !== null);
  const band = [...sure.map((each) => place(each, "high")), ...sure.map((each) => place(each, "low")).reverse()];
  const newest = points.at(-1);
  const text = `From ${written(points[0].value)} after ${count(least)} labels to ${written(newest.value)} after ${count(most)}`;
  figure.append(shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": text },
    ...ticks.flatMap((tick) => [
      shape("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(tick), y2: y(tick) }),
      shape("text", { x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, written(tick)),
    ]),
    shape("polygon", { class: "band", points: band.join(" ") }),
    shape("polyline", { class: "line", points: points.map((each) => place(each, "value")).join(" ") }),
    shape("circle", { class: "now", cx: x(most), cy: y(newest.value), r: 3 }),
    shape("text", { x: LEFT, y: HEIGHT - 4 }, count(least)),
    shape("text", { x: WIDTH - RIGHT, y: HEIGHT - 4, "text-anchor": "end" }, `${count(most)} labels`),
  ));
}

// Three or four round numbers around the values.
function ticksOf(low, high) {
  const span = Math.max(high - low, 1e-9);
  const rough = span / 3;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 5, 10].find((each) => each * unit >= rough);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(high / step - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}
