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

/** Slices that touch the range, by name. Durations are whole ones, self time is what their children leave. */
export function sliceStats(datas: (RowData | undefined)[], from: number, to: number): NameStats[] {
  const all = new Map<number, { durs: number[]; self: number; merged: number; count: number; total: number }>();
  for (const data of datas) {
    const s = data?.slices;
    if (!s || !data) continue;
    const children = childTimes(data);
    for (let i = 0; i < s.n; i++) {
      const dur = Math.max(0, s.dur[i]);
      if (s.start[i] > to || s.start[i] + dur < from) continue;
      let entry = all.get(s.name[i]);
      if (!entry) all.set(s.name[i], (entry = { durs: [], self: 0, merged: 0, count: 0, total: 0 }));
      if (s.count[i]) {
        entry.merged += s.count[i] - 1;
        entry.count++;
        entry.total += s.longest[i];
        entry.self += s.longest[i];
        entry.durs.push(s.longest[i]);
      } else {
        entry.count++;
        entry.total += dur;
        entry.self += dur - children[i];
        entry.durs.push(dur);
      }
    }
  }
  return [...all].map(([name, e]) => {
    const sorted = Float64Array.from(e.durs).sort();
    const at = (q: number): number => sorted[Math.min(sorted.length - 1, Math.ceil(q * sorted.length) - 1)] ?? 0;
    return { name, count: e.count, total: e.total, self: e.self, min: sorted[0], max: sorted[sorted.length - 1], p50: at(0.5), p99: at(0.99), merged: e.merged };
  });
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

export function sampleFlame(trace: Trace, datas: (RowData | undefined)[], from: number, to: number): Flame {
  const root = newFlame("all");
  for (const data of datas) {
    const s = data?.samples;
    if (!s) continue;
    for (let i = 0; i < s.n; i++) {
      if (s.time[i] < from || s.time[i] > to) continue;
      const stack: Site[] = [];
      for (let at = s.site[i], n = 0; at >= 0 && n < 1024; n++) {
        const site = trace.sites.get(at);
        if (!site) break;
        stack.push(site);
        at = site.parent;
      }
      let node = root;
      root.total++;
      for (let k = stack.length - 1; k >= 0; k--) {
        node = below(node, stack[k].name || "(no name)", stack[k].module);
        node.total++;
      }
      node.self++;
    }
  }
  return root;
}

/** Of slices: time inside the range, merged by names on the way down. */
export function sliceFlame(trace: Trace, datas: (RowData | undefined)[], from: number, to: number): Flame {
  const root = newFlame("all");
  for (const data of datas) {
    const s = data?.slices;
    if (!s) continue;
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
  return root;
}
