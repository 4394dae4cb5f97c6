// Figures of a range of time on some rows.

import { type RowData, type Site, type Trace } from "./trace";

export interface Area { from: number; to: number; rows: number[] }

export interface NameStats {
  name: number;
  count: number;
  total: number;
  self: number;
  min: number;
  max: number;
  p50: number;
  p99: number;
  merged: number; // slices that are known in groups only: figures are lower bounds
}

/** Slices that touch the range, by name. Durations are whole ones, self time is what their children leave. Rows are added one by one. */
export class SliceStats {
  private readonly all = new Map<number, { durs: number[]; self: number; merged: number; count: number; total: number }>();

  constructor(private readonly from: number, private readonly to: number) {}

  add(data: RowData): void {
    const s = data.slices;
    if (!s) return;
    const children = childTimes(data);
    for (let i = 0; i < s.n; i++) {
      const dur = Math.max(0, s.dur[i]);
      if (s.start[i] > this.to || s.start[i] + dur < this.from) continue;
      let entry = this.all.get(s.name[i]);
      if (!entry) this.all.set(s.name[i], (entry = { durs: [], self: 0, merged: 0, count: 0, total: 0 }));
      const own = s.count[i] ? s.longest[i] : dur;
      if (s.count[i]) entry.merged += s.count[i] - 1;
      entry.count++;
      entry.total += own;
      entry.self += s.count[i] ? own : dur - children[i];
      entry.durs.push(own);
    }
  }

  list(): NameStats[] {
    return [...this.all].map(([name, e]) => {
      const sorted = Float64Array.from(e.durs).sort();
      const at = (q: number): number => sorted[Math.min(sorted.length - 1, Math.ceil(q * sorted.length) - 1)] ?? 0;
      return { name, count: e.count, total: e.total, self: e.self, min: sorted[0], max: sorted[sorted.length - 1], p50: at(0.5), p99: at(0.99), merged: e.merged };
    });
  }
}

/** For each slice, how long slices right below it lasted. */
export function childTimes(data: RowData): Float64Array {
  const s = data.slices!;
  const ret = new Float64Array(s.n);
  const open: number[] = []; // by depth
  for (let i = 0; i < s.n; i++) {
    const d = s.depth[i];
    const parent = d > 0 ? open[d - 1] : undefined;
    if (parent !== undefined && s.start[i] >= s.start[parent] && (s.dur[parent] < 0 || s.start[i] <= s.start[parent] + s.dur[parent]))
      ret[parent] += s.count[i] ? s.busy[i] : Math.max(0, s.dur[i]);
    open[d] = i;
  }
  return ret;
}

export interface StateStats { state: string; time: number; count: number }

export function stateStats(trace: Trace, datas: (RowData | undefined)[], from: number, to: number): StateStats[] {
  const all = new Map<string, StateStats>();
  for (const data of datas) {
    const s = data?.states;
    if (!s) continue;
    for (let i = 0; i < s.n; i++) {
      const end = s.dur[i] < 0 ? trace.span : s.start[i] + s.dur[i];
      const part = Math.min(end, to) - Math.max(s.start[i], from);
      if (part <= 0) continue;
      const state = trace.text(s.state[i]);
      const entry = all.get(state) ?? { state, time: 0, count: 0 };
      entry.time += part;
      entry.count++;
      all.set(state, entry);
    }
  }
  return [...all.values()];
}

export interface CpuStats { row: number; time: number; count: number }

export function cpuStats(trace: Trace, datas: (RowData | undefined)[], from: number, to: number): CpuStats[] {
  const all = new Map<number, CpuStats>();
  for (const data of datas) {
    const s = data?.sched;
    if (!s) continue;
    for (let i = 0; i < s.n; i++) {
      const end = s.dur[i] < 0 ? trace.span : s.start[i] + s.dur[i];
      const part = Math.min(end, to) - Math.max(s.start[i], from);
      if (part <= 0) continue;
      const entry = all.get(s.other[i]) ?? { row: s.other[i], time: 0, count: 0 };
      entry.time += part;
      entry.count++;
      all.set(s.other[i], entry);
    }
  }
  return [...all.values()];
}

/** A tree of names with weights: of stacks, or of slices inside each other. */
export interface Flame {
  name: string;
  module: string;
  total: number;
  self: number;
  children: Map<string, Flame>;
}

export function newFlame(name: string): Flame {
  return { name, module: "", total: 0, self: 0, children: new Map() };
}

function below(parent: Flame, name: string, module: string): Flame {
  const key = `${name}\u0000${module}`;
  let ret = parent.children.get(key);
  if (!ret) parent.children.set(key, (ret = { ...newFlame(name), module }));
  return ret;
}

/** Puts a weight below all that led to a call site. */
export function addStack(root: Flame, trace: Trace, site: number, weight: number): void {
  const stack: Site[] = [];
  for (let at = site, n = 0; at >= 0 && n < 1024; n++) {
    const known = trace.sites.get(at);
    if (!known) break;
    stack.push(known);
    at = known.parent;
  }
  let node = root;
  root.total += weight;
  for (let k = stack.length - 1; k >= 0; k--) {
    node = below(node, stack[k].name || "(no name)", stack[k].module);
    node.total += weight;
  }
  node.self += weight;
}

export function addSamples(root: Flame, trace: Trace, data: RowData, from: number, to: number): void {
  const s = data.samples;
  if (!s) return;
  for (let i = 0; i < s.n; i++) {
    if (s.time[i] < from || s.time[i] > to) continue;
    addStack(root, trace, s.site[i], 1);
  }
}

/** Of slices: time inside the range, merged by names on the way down. */
export function addSlices(root: Flame, trace: Trace, data: RowData, from: number, to: number): void {
  const s = data.slices;
  if (!s) return;
  const open: { node: Flame; end: number }[] = [];
  for (let i = 0; i < s.n; i++) {
    const d = s.depth[i];
    const end = s.dur[i] < 0 ? trace.span : s.start[i] + s.dur[i];
    const part = Math.min(end, to) - Math.max(s.start[i], from);
    const above = d > 0 && open[d - 1] && open[d - 1].end >= s.start[i] ? open[d - 1].node : undefined;
    const parent = above ?? root;
    if (part <= 0 || s.start[i] > to) {
      open[d] = { node: parent, end };
      continue;
    }
    const node = below(parent, trace.text(s.name[i]) || "(no name)", "");
    node.total += part;
    node.self += part;
    if (above) above.self -= part;
    else root.total += part;
    open[d] = { node, end };
    open.length = d + 1;
  }
}
