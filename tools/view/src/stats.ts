// Figures of a range of time on some rows.

import type { RowData, Site, States, Trace } from "./trace";

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
  open: number; // slices whose end is not known: they are counted, and in no other figure
}

/** Slices that touch the range, by name. Durations are whole ones, self time is what their children leave. Rows are added one by one. */
export class SliceStats {
  private readonly all = new Map<number, { durs: number[]; self: number; merged: number; count: number; total: number; open: number }>();

  constructor(private readonly from: number, private readonly to: number) {}

  add(data: RowData): void {
    const s = data.slices;
    if (!s) return;
    const children = childTimes(data);
    for (let i = 0; i < s.n; i++) {
      const dur = s.dur[i];
      if (s.start[i] > this.to || (dur >= 0 && s.start[i] + dur < this.from)) continue;
      let entry = this.all.get(s.name[i]);
      if (!entry) this.all.set(s.name[i], (entry = { durs: [], self: 0, merged: 0, count: 0, total: 0, open: 0 }));
      if (dur < 0) {
        entry.count++;
        entry.open++;
        continue;
      }
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
      return { name, count: e.count, total: e.total, self: e.self, min: sorted[0] ?? 0, max: sorted[sorted.length - 1] ?? 0, p50: at(0.5), p99: at(0.99), merged: e.merged, open: e.open };
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

/** Time by what it was spent on: the number of a state, or of the row of a thread. `merged`: items that are known together only, so the time is the least that it can be. */
export interface TimeStats { key: number; time: number; count: number; merged: number }

/** Times inside the range. Rows are added one by one. */
export class Times {
  private readonly all = new Map<number, TimeStats>();
  /** Of all that was added: the time, and what of it is not known apart. */
  total = 0;
  mixed = 0;
  /** States whose end is not known: they are in no sum. */
  open = 0;

  /** `running`: the state of which groups know how long it was. */
  constructor(private readonly from: number, private readonly to: number, private readonly running = -1) {}

  add(s: States | undefined, key: (s: States) => ArrayLike<number>): void {
    for (let i = 0; s && i < s.n; i++) {
      if (s.dur[i] < 0) {
        if (s.start[i] < this.to) this.open++;
        continue;
      }
      const end = s.start[i] + s.dur[i];
      const part = Math.min(end, this.to) - Math.max(s.start[i], this.from);
      if (part <= 0) continue;
      const n = key(s)[i];
      if (!s.count[i]) {
        this.total += part;
        this.put(n, part, 1, 0);
        continue;
      }
      const outside = end - s.start[i] - part; // may be any of it
      const most = Math.max(0, s.most[i] - outside);
      const ran = this.running >= 0 && n !== this.running ? Math.max(0, s.busy[i] - outside) : 0;
      const all = this.running >= 0 ? part : Math.max(most, s.busy[i] - outside);
      this.total += all;
      this.mixed += Math.max(0, all - most - ran);
      this.put(n, most, 0, s.count[i]);
      if (ran) this.put(this.running, ran, 0, 0);
    }
  }

  private put(key: number, time: number, count: number, merged: number): void {
    let entry = this.all.get(key);
    if (!entry) this.all.set(key, (entry = { key, time: 0, count: 0, merged: 0 }));
    entry.time += time;
    entry.count += count;
    entry.merged += merged;
  }

  /** With a last row, of key -1, for what is not known apart. */
  list(): TimeStats[] {
    return [...this.all.values(), ...(this.mixed > 0 ? [{ key: -1, time: this.mixed, count: 0, merged: 0 }] : [])];
  }
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

/** A slice on the way down, with what is above it; known: it has time of its own. */
interface Level { node: Flame; end: number; known: boolean; up: Level | undefined }

/** Of slices: time inside the range, merged by names on the way down. One whose end is not known has no time but that of its children. */
export function addSlices(root: Flame, trace: Trace, data: RowData, from: number, to: number): void {
  const s = data.slices;
  if (!s) return;
  const top: Level = { node: root, end: Infinity, known: false, up: undefined };
  const open: Level[] = []; // by depth
  for (let i = 0; i < s.n; i++) {
    const d = s.depth[i];
    const known = s.dur[i] >= 0;
    const end = known ? s.start[i] + s.dur[i] : Infinity;
    const part = known ? Math.min(end, to) - Math.max(s.start[i], from) : 0;
    const above = d > 0 && open[d - 1]?.end >= s.start[i] ? open[d - 1] : top;
    if (s.start[i] > to || (known && part <= 0)) {
      open[d] = { ...above, end };
      continue;
    }
    const node = below(above.node, trace.text(s.name[i]) || "(no name)", "");
    node.total += part;
    node.self += part;
    let up: Level | undefined = above;
    for (; up && !up.known; up = up.up) up.node.total += part;
    if (up) up.node.self -= part;
    open[d] = { node, end, known, up: above };
    open.length = d + 1;
  }
}
