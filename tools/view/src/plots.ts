// Plots of the report: who used the CPUs over time, and how long threads waited for one.

import type { App } from "./app";
import { stateLook } from "./color";
import { el } from "./dom";
import { duration, number, step, tick } from "./time";
import { RowKind } from "./trace";

const WIDE = 720;
const HIGH = 150;
const LEFT = 46;
const PARTS = 180; // of time
const NAMED = 8; // processes; the others are one

type Attributes = Record<string, string | number>;

function svg(tag: string, attributes: Attributes, ...children: (Node | string)[]): SVGElement {
  const ret = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) ret.setAttribute(key, String(value));
  ret.append(...children);
  return ret;
}

function plot(label: string, ...children: Node[]): SVGElement {
  return svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH + 20}`, role: "img", "aria-label": label, class: "plot" }, ...children);
}

function text(x: number, y: number, what: string, anchor = "middle"): SVGElement {
  return svg("text", { x, y, "text-anchor": anchor }, what);
}

/** Time that each process ran, in equal parts of the trace: of all cores together. Undefined: no core has a record. */
export async function cpuPlot(app: App): Promise<HTMLElement | undefined> {
  const { trace } = app;
  const cores = trace.rows.filter((row) => row?.kind === RowKind.Cpu && row.items);
  if (!cores.length || !trace.span) return undefined;
  const part = trace.span / PARTS;
  const sums = new Map<number, Float64Array>(); // by row of the process, or of a thread that has none
  for (const core of cores) {
    for await (const s of trace.schedIn(core!.n)) for (let i = 0; i < s.n; i++) {
      if (s.dur[i] < 0 || s.other[i] < 0) continue; // when it ended is not known
      const thread = trace.rows[s.other[i]];
      const who = thread && thread.parent >= 0 ? thread.parent : s.other[i];
      let sum = sums.get(who);
      if (!sum) sums.set(who, (sum = new Float64Array(PARTS)));
      const end = Math.min(s.start[i] + s.dur[i], trace.span);
      const begin = Math.max(0, s.start[i]);
      for (let k = Math.floor(begin / part); k < PARTS && k * part < end; k++) sum[k] += Math.max(0, Math.min(end, (k + 1) * part) - Math.max(begin, k * part));
    }
  }
  const all = [...sums].map(([row, sum]) => ({ name: trace.rows[row] ? trace.label(trace.rows[row]!) : "?", sum, total: sum.reduce((a, b) => a + b, 0) })).sort((a, b) => b.total - a.total);
  const rest = all.slice(NAMED);
  const bands = all.slice(0, NAMED);
  if (rest.length) bands.push({ name: `${rest.length} others`, sum: Float64Array.from({ length: PARTS }, (_, k) => rest.reduce((a, b) => a + b.sum[k], 0)), total: rest.reduce((a, b) => a + b.total, 0) });
  const most = part * cores.length;
  const x = (k: number): number => LEFT + ((WIDE - LEFT - 8) * k) / PARTS;
  const y = (share: number): number => HIGH - (HIGH - 8) * share;
  const base = new Float64Array(PARTS);
  const paths = bands.map((band, n) => {
    const low = Array.from(base, (v, k) => `${x(k + 1).toFixed(1)} ${y(v).toFixed(1)} ${x(k).toFixed(1)} ${y(v).toFixed(1)}`).reverse();
    for (let k = 0; k < PARTS; k++) base[k] = Math.min(1, base[k] + band.sum[k] / most);
    const high = Array.from(base, (v, k) => `${x(k).toFixed(1)} ${y(v).toFixed(1)} ${x(k + 1).toFixed(1)} ${y(v).toFixed(1)}`);
    return svg("path", { d: `M${high.join(" ")} ${low.join(" ")}Z`, class: n < NAMED ? `hue${n * 3}` : "other" }, svg("title", {}, `${band.name}: ${duration(band.total)}`));
  });
  const by = step(trace.span / 6);
  const times = Array.from({ length: Math.min(12, Math.floor(trace.span / by) + 1) }, (_, i) => text(x((i * by) / part), HIGH + 14, tick(i * by, by)));
  const lines = [0, 0.5, 1].flatMap((share) => [svg("line", { x1: LEFT, x2: WIDE - 8, y1: y(share), y2: y(share) }), text(LEFT - 5, y(share) + 4, `${100 * share} %`, "end")]);
  const used = all.reduce((a, b) => a + b.total, 0);
  return el("figure", {}, plot(`CPU time over the trace: ${((100 * used) / (most * PARTS)).toFixed(1)} % of ${cores.length} CPUs, most of it ${all[0]?.name ?? "nobody"}`, ...paths, ...lines, ...times),
    el("figcaption", {}, ...bands.map((band, n) => el("span", {}, el("i", { class: n < NAMED ? `hue${n * 3}` : "other" }), `${band.name} ${((100 * band.total) / (most * PARTS)).toFixed(1)} %`))));
}

/** Where the bars begin, in ns: 0, then 1, 2 and 5 of each power of ten from 1 \u00b5s on. */
const BOUNDS = [0, ...Array.from({ length: 24 }, (_, k) => [1, 2, 5][k % 3] * 10 ** (3 + Math.floor(k / 3)))];

/** How many waits for a CPU lasted how long: those that a run ended. */
export async function waitPlot(app: App): Promise<HTMLElement | undefined> {
  const { trace } = app;
  const counts = BOUNDS.map(() => 0);
  for (const row of trace.rows) {
    if (row?.kind !== RowKind.Thread || !row.items) continue;
    let wait = -1; // it counts when something follows it: else it was still going on at the end
    for await (const s of trace.statesIn(row.n)) for (let i = 0; i < s.n; i++) {
      if (wait >= 0) counts[BOUNDS.findLastIndex((bound) => bound <= wait)]++;
      wait = !s.count[i] && stateLook(trace.text(s.state[i])).label.startsWith("Runnable") ? s.dur[i] : -1;
    }
  }
  const sum = counts.reduce((a, b) => a + b, 0);
  if (!sum) return undefined;
  const bars = Math.max(8, counts.findLastIndex((n) => n > 0) + 1);
  const most = Math.max(...counts);
  const w = Math.min(60, (WIDE - LEFT - 8) / bars);
  const y = (n: number): number => HIGH - (HIGH - 14) * (n / most);
  const name = (k: number): string => (k < BOUNDS.length ? duration(BOUNDS[k]).replace(/^0 ns/, "0").replace(/\.0+ /, " ") : "any");
  const nodes = Array.from({ length: bars }, (_, k) => {
    const n = counts[k];
    const label = k % Math.ceil(bars / 10) === 0 ? [text(LEFT + k * w, HIGH + 14, name(k))] : [];
    return n ? [svg("rect", { x: LEFT + k * w + 1, y: y(n), width: w - 2, height: HIGH - y(n) }, svg("title", {}, `${name(k)} to ${name(k + 1)}: ${number(n)}`)), text(LEFT + k * w + w / 2, y(n) - 3, number(n)), ...label] : label;
  }).flat();
  return el("figure", {}, plot(`Waits for a CPU by length: ${number(sum)} waits`, svg("line", { x1: LEFT, x2: LEFT + bars * w, y1: HIGH, y2: HIGH }), ...nodes),
    el("figcaption", {}, `${number(sum)} waits for a CPU, by how long they lasted`));
}
