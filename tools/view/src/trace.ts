// The trace as the page knows it: rows at once, their items when a row is first seen.

import { Damaged, Reader } from "./bytes";
import { Lane, Steps } from "./lane";
import { type Answer, BlockKind, type Info, type Source, type Waiting } from "./source";

export const enum RowKind { Group = 0, Process = 1, Thread = 2, Track = 3, Counter = 4, Cpu = 5, Log = 6 }
const enum ChunkKind { Slices = 1, States = 2, Sched = 3, Values = 4, Logs = 5, Samples = 6 }
const LEVEL = 16; // times a kind, + n: items of level n

const WINDOW_ITEMS = 1e6; // of rows that are read in part: kept

export interface Row {
  n: number;
  kind: RowKind;
  parent: number; // -1: at the top
  name: string;
  id: number; // pid, tid, cpu; -1: none
  lanes: number;
  items: number;
  rank: number;
  unit: string;
  main: boolean;
  until: number; // of a machine among others: its last time that is known; -1
  children: number[];
}

/** Columns of all slices of a row, by start. */
export interface Slices {
  n: number;
  start: Float64Array;
  dur: Float64Array; // -1: its end was not recorded
  name: Uint32Array;
  depth: Uint16Array;
  id: Uint32Array; // of a group: of its longest
  args: Uint32Array; // number of the set + 1; 0: none
  count: Uint32Array; // of a group; 0: it is one slice. This and the next two are empty if there is no group
  busy: Float64Array; // of a group: sum of durations
  longest: Float64Array;
}

export interface States {
  n: number;
  start: Float64Array;
  dur: Float64Array;
  state: Uint32Array;
  cpu: Int32Array; // -1: none
  other: Int32Array; // row of the waker, or of the thread that a core ran; -1: not known
  id: Uint32Array;
  // Of a level: how many stand together (0: one alone), how long of it something ran, how long it was what is shown. Empty if there is no group.
  count: Uint32Array;
  busy: Float64Array;
  most: Float64Array;
}

/** Values, each until the next: of a level the last of several, with the lowest and the highest of them. */
export interface Values { n: number; time: Float64Array; value: Float64Array; low: Float64Array; high: Float64Array }

export interface Logs { n: number; time: Float64Array; prio: Uint8Array; tag: Uint32Array; text: Uint32Array }
export interface Samples { n: number; time: Float64Array; site: Uint32Array }

export interface RowData {
  slices?: Slices | undefined;
  /** What the row has too much of is of this level, or exact (0). */
  level: number;
  lanes: Lane[]; // of the slices, by depth
  states?: States;
  stateLane?: Lane;
  sched?: States;
  schedLane?: Lane;
  values?: Steps;
  logs?: Logs;
  samples?: Samples;
}

export interface Arg { key: string; value: string | number | null }
export interface FlowEnd { id: number; row: number; time: number }
export interface Flow { from: FlowEnd; to: FlowEnd }
export interface Site { parent: number; name: string; module: string } // parent: -1 for a root

/** What a call site allocated of a heap: bytes and how often, in all and what was not freed. Process and heap are texts. */
export interface HeapPart { process: number; heap: number; site: number; all: [number, number]; left: [number, number] }

/** Something was lost in front of a time, behind what the row has before it. */
export interface Gap { row: number; from: number; to: number; reason: string }

interface Chunk { row: number; block: number; at: number; kind: number; level: number; items: number; from: number; to: number }

/** Items of a row between two times, for rows that have too many to be read whole. */
interface Part { level: number; from: number; to: number; data: RowData; used: number }

/** Parts of a column, and what they are put together to. */
function joined<T extends Float64Array | Uint32Array | Uint16Array | Int32Array | Uint8Array>(parts: T[], make: (n: number) => T): T {
  if (parts.length === 1) return parts[0];
  const ret = make(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    ret.set(part as never, at);
    at += part.length;
  }
  return ret;
}

type Decoded = Slices | States | Values | Logs | Samples;

function times(r: Reader, n: number): Float64Array {
  const ret = new Float64Array(n);
  for (let i = 0, at = 0; i < n; i++) ret[i] = at += r.int();
  return ret;
}

function uints(r: Reader, n: number): Uint32Array {
  const ret = new Uint32Array(n);
  for (let i = 0; i < n; i++) ret[i] = r.uint();
  return ret;
}

function ids(r: Reader, n: number): Uint32Array {
  const ret = new Uint32Array(n);
  for (let i = 0, at = 0; i < n; i++) ret[i] = at += r.int();
  return ret;
}

export function readSlices(r: Reader, n: number): Slices {
  const start = times(r, n);
  const dur = new Float64Array(n);
  const groups: number[] = [];
  for (let i = 0; i < n; i++) {
    const v = r.uint();
    if (v % 2) groups.push(i);
    dur[i] = Math.floor(v / 2) - 1;
  }
  const name = uints(r, n);
  const depth = new Uint16Array(n);
  for (let i = 0; i < n; i++) depth[i] = r.uint();
  const id = ids(r, n);
  const args = uints(r, n);
  const most = groups.length ? n : 0;
  const count = new Uint32Array(most);
  const busy = new Float64Array(most);
  const longest = new Float64Array(most);
  for (const i of groups) {
    count[i] = r.uint();
    busy[i] = r.uint();
    longest[i] = r.uint();
  }
  return { n, start, dur, name, depth, id, args, count, busy, longest };
}

/** Items that have a 0 are one alone; the others are told about. */
function readShares(r: Reader, n: number, level: boolean): Pick<States, "count" | "busy" | "most"> {
  const count = level ? uints(r, n) : new Uint32Array();
  const busy = new Float64Array(count.length);
  const most = new Float64Array(count.length);
  for (let i = 0; i < count.length; i++) if (count[i]) [busy[i], most[i]] = [r.uint(), r.uint()];
  return { count, busy, most };
}

export function readStates(r: Reader, n: number, level = false): States {
  const start = new Float64Array(n);
  const dur = new Float64Array(n);
  for (let i = 0; i < n; i++) start[i] = r.int(); // from the end of the one before: settled below
  for (let i = 0; i < n; i++) dur[i] = r.uint() - 1;
  for (let i = 0, at = 0; i < n; i++) {
    start[i] += at;
    at = start[i] + Math.max(dur[i], 0);
  }
  const state = uints(r, n);
  const cpu = new Int32Array(n);
  for (let i = 0; i < n; i++) cpu[i] = r.uint() - 1;
  const other = new Int32Array(n);
  for (let i = 0; i < n; i++) other[i] = r.uint() - 1;
  return { n, start, dur, state, cpu, other, id: ids(r, n), ...readShares(r, n, level) };
}

export function readValues(r: Reader, n: number, level = false): Values {
  const time = times(r, n);
  const value = new Float64Array(n);
  const whole = r.uint();
  for (let i = 0, at = 0; i < n; i++) value[i] = whole ? (at += r.int()) : r.double();
  if (!level) return { n, time, value, low: value, high: value };
  const low = new Float64Array(n);
  const high = new Float64Array(n);
  for (let i = 0; i < n; i++) [low[i], high[i]] = whole ? [value[i] - r.uint(), value[i] + r.uint()] : [r.double(), r.double()];
  return { n, time, value, low, high };
}

function readLogs(r: Reader, n: number): Logs {
  const ret = { n, time: times(r, n), prio: new Uint8Array(n), tag: new Uint32Array(n), text: new Uint32Array(n) };
  for (let i = 0; i < n; i++) {
    ret.prio[i] = r.uint();
    ret.tag[i] = r.uint();
    ret.text[i] = r.uint();
  }
  return ret;
}

function readSamples(r: Reader, n: number): Samples {
  return { n, time: times(r, n), site: uints(r, n) };
}

/** Where an item ends on the screen: what has no end lasts until the next one of its lane. */
function settleEnds(start: Float64Array, end: Float64Array, dur: (i: number) => number, last: number): void {
  for (let i = 0; i < start.length; i++)
    end[i] = dur(i) >= 0 ? start[i] + dur(i) : Math.max(start[i], i + 1 < start.length ? start[i + 1] : last);
}

/** Lanes of slices: those of one depth, in the order of their times. */
export function lanesOf(s: Slices, end: number): Lane[] {
  const sizes: number[] = [];
  for (let i = 0; i < s.n; i++) sizes[s.depth[i]] = (sizes[s.depth[i]] ?? 0) + 1;
  const starts: Float64Array[] = [];
  const ends: Float64Array[] = [];
  const items: Uint32Array[] = [];
  for (let d = 0; d < sizes.length; d++) {
    starts.push(new Float64Array(sizes[d] ?? 0));
    ends.push(new Float64Array(sizes[d] ?? 0));
    items.push(new Uint32Array(sizes[d] ?? 0));
  }
  const at = new Uint32Array(sizes.length);
  for (let i = 0; i < s.n; i++) {
    const d = s.depth[i];
    const k = at[d]++;
    starts[d][k] = s.start[i];
    items[d][k] = i;
  }
  starts.forEach((start, d) => settleEnds(start, ends[d], (i) => s.dur[items[d][i]], end));
  return starts.map((start, d) => new Lane(start, ends[d], items[d]));
}

/** With what is known to have run in it: of a core all, of a thread what is in this state. */
export function laneOf(s: States, end: number, running?: number): Lane {
  const ends = new Float64Array(s.n);
  settleEnds(s.start, ends, (i) => s.dur[i], end);
  const busy = new Float64Array(s.n + 1);
  for (let i = 0; i < s.n; i++) busy[i + 1] = busy[i] + (s.dur[i] < 0 ? 0 : s.count[i] ? s.busy[i] : running === undefined || s.state[i] === running ? s.dur[i] : 0);
  return new Lane(s.start, ends, undefined, busy);
}

/** Of a program that is named by its path, the last part. */
export function shortName(name: string): string {
  return /^\/[^ ]*\/([^/ ]+)$/.exec(name)?.[1] ?? (name || "(no name)");
}

/** Of a counter that does not say it, by names that always mean the same. */
function unitOf(name: string): string {
  return name === "cpufreq" ? "kHz" : /^mem\.|[._ ]bytes$/.test(name) ? "bytes" : /[._]ns$/.test(name) ? "ns" : "";
}

export class Trace {
  rows: (Row | undefined)[] = [];
  strings: string[] = [""];
  running = -1; // the text of the state
  top: number[] = [];
  flows: Flow[] = [];
  gaps: Gap[] = [];
  heaps: HeapPart[] = [];
  sites = new Map<number, Site>();
  overview = new Map<number, Uint8Array>(); // of a row at the top: how busy, in equal parts of the trace
  readonly span: number;
  readonly begin: bigint;
  private readonly chunks = new Map<number, Chunk[]>();
  private readonly data = new Map<number, RowData>();
  private readonly loading = new Map<number, Promise<RowData>>();
  private readonly args = new Map<number, Promise<Map<number, Arg[]>>>();
  private flowsOf?: Map<number, Flow[]>;

  private constructor(readonly info: Info, readonly source: Source) {
    this.begin = BigInt(info.from);
    this.span = Number(BigInt(info.to) - this.begin);
  }

  /** What a heap profile has: sums, which lie at no time. */
  get isMemory(): boolean {
    const { slices, states, values, logs } = this.info.counts;
    return !this.info.partial && this.heaps.length > 0 && !slices && !states && !values && !logs && !this.rows.some((row) => row?.items);
  }

  /** Which row of a later packing of the same trace is row n of this one; -1: none. */
  rowsIn(later: Trace): (n: number) => number {
    const key = (rows: (Row | undefined)[], n: number): string => {
      const row = rows[n];
      return row ? `${key(rows, row.parent)}/${row.kind} ${row.id} ${row.name}` : "";
    };
    const there = new Map<string, number>();
    for (const row of later.rows) if (row) there.set(key(later.rows, row.n), row.n);
    return (n) => (this.rows[n] && there.get(key(this.rows, n))) ?? -1;
  }

  static async open(source: Source, waiting: (how: Waiting) => unknown): Promise<Trace> {
    const info = await source.info(waiting);
    const ret = new Trace(info, source);
    for (let i = 0; i + 6 < info.chunks.length; i += 7) {
      const [row, block, at, code, items, from, to] = info.chunks.slice(i, i + 7);
      const kind = code < LEVEL ? code : Math.floor(code / LEVEL);
      let list = ret.chunks.get(row);
      if (!list) ret.chunks.set(row, (list = []));
      list.push({ row, block, at, kind, level: code < LEVEL ? 0 : (code % LEVEL) + 1, items, from, to });
    }
    await Promise.all(info.blocks.map((block, n) => ret.readSmall(block[0], n)));
    ret.buildTree();
    return ret;
  }

  private async readSmall(kind: BlockKind, n: number): Promise<void> {
    if (kind === BlockKind.Items || kind === BlockKind.Args) return;
    const bytes = await this.source.block(n);
    const r = new Reader(bytes);
    if (kind === BlockKind.Strings) this.readStrings(r);
    else if (kind === BlockKind.Rows) this.readRows(bytes);
    else if (kind === BlockKind.Flows) this.readFlows(r);
    else if (kind === BlockKind.Frames) this.readSites(r);
    else if (kind === BlockKind.Overview) this.readOverview(r);
    else if (kind === BlockKind.Gaps) this.readGaps(r);
    else if (kind === BlockKind.Heaps) this.readHeaps(r);
  }

  private readStrings(r: Reader): void {
    const n = r.count();
    const lengths = uints(r, n);
    const decoder = new TextDecoder();
    this.strings = Array.from(lengths, (len) => decoder.decode(r.take(len)));
    this.running = this.strings.indexOf("Running");
  }

  private pendingRows: Record<string, number[]> = {};

  private readRows(bytes: Uint8Array): void {
    this.pendingRows = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, number[]>;
  }

  private readOverview(r: Reader): void {
    const buckets = r.uint();
    while (!r.done) this.overview.set(r.uint(), r.take(buckets));
  }

  private readFlows(r: Reader): void {
    const end = (): FlowEnd => ({ id: r.uint(), row: r.uint(), time: r.int() });
    while (!r.done) this.flows.push({ from: end(), to: end() });
  }

  private readHeaps(r: Reader): void {
    while (!r.done) {
      const [process, heap] = [r.uint(), r.uint()];
      this.heaps.push({ process, heap, site: r.int(), all: [r.int(), r.int()], left: [r.int(), r.int()] });
    }
  }

  private readGaps(r: Reader): void {
    while (!r.done) {
      const row = r.uint();
      const to = r.int();
      this.gaps.push({ row, from: to, to, reason: "" });
      this.gapTexts.push(r.uint());
    }
  }
  private gapTexts: number[] = [];

  /** Where the gaps of a row begin is known when its items are: behind the last one before. */
  private settleGaps(row: number, data: RowData): void {
    const lanes = [...data.lanes, data.stateLane, data.schedLane].filter((lane) => lane !== undefined);
    for (const gap of this.gaps) {
      if (gap.row !== row) continue;
      let from = 0;
      for (const lane of lanes) {
        const next = lane.firstStarting(gap.to, 0);
        // What began before the gap and seems to last until its end is where the loss hides.
        for (let i = next - 1; i >= 0 && i >= next - 2; i--) from = Math.max(from, lane.end[i] < gap.to ? lane.end[i] : lane.start[i]);
      }
      gap.from = from;
    }
  }

  private readSites(r: Reader): void {
    while (!r.done) {
      const id = r.uint();
      this.sites.set(id, { parent: r.uint() - 1, name: "", module: "" });
      this.siteTexts.push([id, r.uint(), r.uint()]);
    }
  }
  private siteTexts: [number, number, number][] = [];

  text(n: number): string {
    return this.strings[n] ?? "";
  }

  private buildTree(): void {
    const c = this.pendingRows;
    const columns = ["parent", "kind", "name", "id", "lanes", "items", "rank", "unit", "main", "until"];
    if (columns.some((name) => !Array.isArray(c[name]) || c[name].length !== c.kind.length)) throw new Damaged("the list of rows is damaged");
    this.rows = c.kind.map((kind, n) =>
      kind < 0 ? undefined
        : { n, kind, parent: c.parent[n], name: this.text(c.name[n]), id: c.id[n], lanes: c.lanes[n], items: c.items[n],
            rank: c.rank[n], unit: this.text(c.unit[n]) || (kind === RowKind.Counter ? unitOf(this.text(c.name[n])) : ""), main: c.main[n] !== 0, until: c.until[n], children: [] });
    for (const row of this.rows) {
      if (!row) continue;
      const parent = row.parent >= 0 ? this.rows[row.parent] : undefined;
      (parent && parent !== row ? parent.children : this.top).push(row.n);
    }
    for (const [id, name, module] of this.siteTexts) {
      const site = this.sites.get(id);
      if (site) Object.assign(site, { name: this.text(name) || `[${this.text(module).split("/").pop() || "unknown"}]`, module: this.text(module) });
    }
    this.siteTexts = [];
    this.gaps.forEach((gap, i) => (gap.reason = this.text(this.gapTexts[i])));
    this.pendingRows = {};
  }

  /** Until when is drawn what has no end: until that of the machine, or of the trace. */
  endOf(row: number): number {
    let at = this.rows[row];
    for (let n = 0; at && at.parent >= 0 && n < 64; n++) at = this.rows[at.parent];
    return at && at.until >= 0 ? at.until : this.info.partial?.until ?? this.span;
  }

  label(row: Row): string {
    switch (row.kind) {
      case RowKind.Cpu: return `CPU ${row.id}`;
      case RowKind.Process: return `${row.name ? shortName(row.name) : "Process"} ${row.id >= 0 ? row.id : ""}`.trim();
      case RowKind.Thread: return `${row.name || "Thread"} ${row.id >= 0 ? row.id : ""}`.trim();
      case RowKind.Counter: return row.id >= 0 ? `${row.name} (CPU ${row.id})` : row.name;
      default: return row.name || "(no name)";
    }
  }

  private answerRow = -1;

  /** The rows of an answer that have `ts`, with `dur` and a name where there are any, as a row of the timeline. */
  addAnswer(answer: Answer): number {
    const [ts, dur] = ["ts", "dur"].map((name) => answer.columns.indexOf(name));
    const name = answer.columns.indexOf("name") >= 0 ? answer.columns.indexOf("name") : answer.rows[0]?.findIndex((cell, k) => k !== ts && typeof cell === "string") ?? -1;
    const items = answer.rows.flatMap((row) => (row[ts] === null ? [] : [{ row, start: Number(BigInt(row[ts]!) - this.begin), dur: Math.max(-1, Number(row[dur] ?? 0)) }]))
      .sort((a, b) => a.start - b.start || b.dur - a.dur);
    const n = items.length;
    const s: Slices = { n, start: new Float64Array(n), dur: new Float64Array(n), name: new Uint32Array(n), depth: new Uint16Array(n), id: new Uint32Array(n),
                        args: new Uint32Array(n), count: new Uint32Array(), busy: new Float64Array(), longest: new Float64Array() };
    const numbers = new Map<string, number>();
    const ends: number[] = []; // of the lanes
    items.forEach(({ row, start, dur }, i) => {
      const text = String(row[name] ?? "");
      let known = numbers.get(text);
      if (known === undefined) numbers.set(text, (known = this.strings.push(text) - 1));
      let lane = ends.findIndex((end) => end <= start);
      if (lane < 0) lane = ends.length < 100 ? ends.length : 99;
      ends[lane] = dur < 0 ? this.span : start + dur;
      Object.entries({ start, dur, name: known, depth: lane, id: 2 ** 31 + i }).forEach(([key, value]) => ((s[key as "id"] as Uint32Array)[i] = value));
    });
    if (this.answerRow < 0) this.answerRow = this.rows.length;
    this.rows[this.answerRow] = { n: this.answerRow, kind: RowKind.Track, parent: -1, name: `SQL: ${n} rows`, id: -1, lanes: ends.length, items: n, rank: 0, unit: "", main: false, until: -1, children: [] };
    this.data.set(this.answerRow, { level: 0, slices: s, lanes: lanesOf(s, this.span) });
    return this.answerRow;
  }

  /** What is known of a row already; undefined: ask with load(). */
  loaded(row: number): RowData | undefined {
    return this.data.get(row);
  }

  load(row: number): Promise<RowData> {
    const known = this.data.get(row);
    if (known) return Promise.resolve(known);
    let wait = this.loading.get(row);
    if (!wait) this.loading.set(row, (wait = this.loadRow(row)));
    return wait;
  }

  private readonly blocks = new Map<number, Promise<Uint8Array>>();

  /** The few blocks that were used last stay unpacked: neighbours in the tree lie in one. */
  private block(n: number): Promise<Uint8Array> {
    let ret = this.blocks.get(n);
    if (!ret) ret = this.source.block(n);
    this.blocks.delete(n);
    this.blocks.set(n, ret);
    if (this.blocks.size > 24) this.blocks.delete(this.blocks.keys().next().value as number);
    return ret;
  }

  // ---- rows that are read in part ----

  private readonly parts = new Map<number, Part>();
  private readonly decoded = new Map<Chunk, Decoded>();
  private decodedItems = 0;
  private turn = 0;

  /** The coarsest level of a kind of items that is not coarser than this one; of a kind of which the items themselves are not there, the finest in any case. */
  private levelOf(row: number, kind: ChunkKind, most: number): number {
    let best = -1;
    let finest = Infinity;
    for (const c of this.chunks.get(row) ?? []) {
      if (c.kind !== kind) continue;
      if (c.level <= most && c.level > best) best = c.level;
      if (c.level < finest) finest = c.level;
    }
    return best < 0 ? finest : best;
  }

  /** The coarsest level of a row that is as good as all at this scale; 0: the items themselves. */
  private levelAt(row: number, nsPerPx: number): number {
    const most = this.info.levels.findLastIndex((q) => q <= nsPerPx) + 1;
    return (this.chunks.get(row) ?? []).reduce((best, c) => (c.level > best && c.level <= most ? c.level : best), 0);
  }

  /** What is there of a row for this view, and whether it is as good as all. What is not there is to be asked for with fetch(). */
  best(row: number, from: number, to: number, nsPerPx: number, margin = 0): { data: RowData | undefined; good: boolean } {
    const whole = this.data.get(row);
    if (!whole?.level) return { data: whole, good: whole !== undefined };
    const level = this.levelAt(row, nsPerPx);
    if (level === whole.level) return { data: whole, good: true };
    const part = this.parts.get(row);
    if (!part || part.to < from || part.from > to) return { data: whole, good: false };
    part.used = ++this.turn;
    const covers = (by: number): boolean => part.from <= Math.max(0, from - by) && part.to >= Math.min(this.span, to + by);
    return { data: covers(0) ? part.data : whole, good: part.level === level && covers(margin) };
  }

  /** Reads what best() says is not there, and some more on both sides. */
  async fetch(row: number, from: number, to: number, nsPerPx: number): Promise<void> {
    const whole = await this.load(row);
    const level = this.levelAt(row, nsPerPx);
    if (level === whole.level) return;
    const part: Part = { level, from: from - (to - from) / 2, to: to + (to - from) / 2, data: whole, used: ++this.turn };
    part.data = await this.between(row, level, part.from, part.to);
    this.parts.set(row, part);
    let items = 0;
    for (const [n, p] of [...this.parts].sort((a, b) => b[1].used - a[1].used)) {
      items += itemsOf(p.data);
      if (items > WINDOW_ITEMS && n !== row) this.parts.delete(n);
    }
  }

  /** A row with those items that touch a range of time: of a level, where there are levels. */
  private async between(row: number, level: number, from: number, to: number, keep = true, lanes = true): Promise<RowData> {
    const ret: RowData = { lanes: [], level };
    const found = (kind: ChunkKind): Chunk[] => {
      const own = this.levelOf(row, kind, level);
      const list = (this.chunks.get(row) ?? []).filter((c) => c.kind === kind && c.level === own);
      // What holds at a time may have been set long before.
      return list.filter((c, i) => c.from <= to && (kind === ChunkKind.Values ? (list[i + 1]?.from ?? Infinity) > from : c.to >= from));
    };
    const read = async <T extends Decoded>(kind: ChunkKind, how: (r: Reader, n: number, level: boolean) => T): Promise<T[]> => {
      const all: T[] = [];
      for (const chunk of found(kind)) all.push(await this.decode(chunk, how, keep));
      return all;
    };
    const slices = await read(ChunkKind.Slices, readSlices);
    const states = lanes ? await read(ChunkKind.States, readStates) : []; // figures of these need no more than a part at once
    const sched = lanes ? await read(ChunkKind.Sched, readStates) : [];
    const values = await read(ChunkKind.Values, readValues);
    const logs = await read(ChunkKind.Logs, readLogs);
    const samples = await read(ChunkKind.Samples, readSamples);
    if (slices.length) {
      ret.slices = joinSlices(slices);
      if (lanes) ret.lanes = lanesOf(ret.slices, this.endOf(row));
    }
    if (states.length) {
      ret.states = joinStates(states);
      if (lanes) ret.stateLane = laneOf(ret.states, this.endOf(row), this.running);
    }
    if (sched.length) {
      ret.sched = joinStates(sched);
      if (lanes) ret.schedLane = laneOf(ret.sched, this.endOf(row));
    }
    if (values.length) ret.values = stepsOf(values);
    if (logs.length)
      ret.logs = { n: logs.reduce((sum, l) => sum + l.n, 0), time: joined(logs.map((l) => l.time), (n) => new Float64Array(n)),
                   prio: joined(logs.map((l) => l.prio), (n) => new Uint8Array(n)), tag: joined(logs.map((l) => l.tag), (n) => new Uint32Array(n)),
                   text: joined(logs.map((l) => l.text), (n) => new Uint32Array(n)) };
    if (samples.length)
      ret.samples = { n: samples.reduce((sum, s) => sum + s.n, 0), time: joined(samples.map((s) => s.time), (n) => new Float64Array(n)),
                      site: joined(samples.map((s) => s.site), (n) => new Uint32Array(n)) };
    return ret;
  }

  /** All items of a kind of a row that touch a range, in parts; nothing of it is kept. */
  private async *each<T extends Decoded>(row: number, kind: ChunkKind, how: (r: Reader, n: number, level: boolean) => T, from = -Infinity, to = Infinity): AsyncGenerator<T> {
    const level = this.levelOf(row, kind, 0);
    for (const c of this.chunks.get(row) ?? []) if (c.kind === kind && c.level === level && c.from <= to && c.to >= from) yield await this.decode(c, how, false);
  }

  async *slicesIn(row: number): AsyncGenerator<Slices> {
    const whole = this.data.get(row);
    if (whole?.slices && !whole.level) yield whole.slices;
    else yield* this.each(row, ChunkKind.Slices, readSlices);
  }

  statesIn(row: number, from?: number, to?: number): AsyncGenerator<States> {
    return this.each(row, ChunkKind.States, readStates, from, to);
  }

  schedIn(row: number, from?: number, to?: number): AsyncGenerator<States> {
    return this.each(row, ChunkKind.Sched, readStates, from, to);
  }

  private async decode<T extends Decoded>(chunk: Chunk, how: (r: Reader, n: number, level: boolean) => T, keep: boolean): Promise<T> {
    const known = this.decoded.get(chunk) as T | undefined;
    const ret = known ?? how(await this.reader(chunk), chunk.items, chunk.level > 0);
    if (!known && !keep) return ret;
    if (this.decoded.delete(chunk)) this.decodedItems -= ret.n;
    this.decoded.set(chunk, ret);
    this.decodedItems += ret.n;
    for (const [old, s] of this.decoded) {
      if (this.decodedItems <= WINDOW_ITEMS || old === chunk) break;
      this.decoded.delete(old);
      this.decodedItems -= s.n;
    }
    return ret;
  }

  /** All that a row has, exactly, at least of this range of time. */
  async exact(row: number, from: number, to: number, keep = false): Promise<RowData> {
    const whole = await this.load(row);
    return whole.level ? this.between(row, 0, from, to, keep) : whole;
  }

  /** What figures are made of: the same without states and cores, which come in parts, and without lanes. Not kept. */
  async forFigures(row: number, from: number, to: number): Promise<RowData> {
    const known = this.data.get(row);
    return known && !known.level ? known : this.between(row, 0, from, to, false, false);
  }

  private async loadRow(row: number): Promise<RowData> {
    const ret = await this.between(row, this.levelAt(row, Infinity), -Infinity, Infinity, false);
    this.settleGaps(row, ret);
    this.data.set(row, ret);
    this.loading.delete(row);
    return ret;
  }

  /** A reader that stands behind the head of the chunk. */
  private async reader(chunk: Chunk): Promise<Reader> {
    const bytes = await this.block(chunk.block);
    const r = new Reader(bytes);
    r.at = chunk.at;
    const head = [r.uint(), r.uint(), r.uint()];
    if (head[0] !== (chunk.level ? chunk.kind * LEVEL + chunk.level - 1 : chunk.kind) || head[1] !== chunk.row || head[2] !== chunk.items || chunk.items > bytes.length)
      throw new Damaged("a block does not hold what the list of blocks says");
    return r;
  }

  /** Args of a slice, in the order of the trace. */
  async argsOf(s: Slices, i: number): Promise<Arg[]> {
    if (this.source.sql && !s.count[i]) return this.askArgs(s.id[i]);
    if (!s.args[i]) return [];
    const set = s.args[i] - 1;
    const block = this.info.blocks.findIndex((b) => b[0] === BlockKind.Args && set >= b[3] && set < b[4]);
    if (block < 0) return [];
    let sets = this.args.get(block);
    if (!sets) this.args.set(block, (sets = this.source.block(block).then((bytes) => this.readArgs(new Reader(bytes), this.info.blocks[block][3]))));
    return (await sets).get(set) ?? [];
  }

  private async askArgs(slice: number): Promise<Arg[]> {
    const answer = await this.source.sql!(`SELECT key, coalesce(string_value, int_value, real_value) FROM args
      WHERE arg_set_id = (SELECT arg_set_id FROM slice WHERE id = ${slice}) ORDER BY id`);
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.rows.map(([key, value]) => ({ key: String(key), value }));
  }

  private readArgs(r: Reader, first: number): Map<number, Arg[]> {
    const ret = new Map<number, Arg[]>();
    let set = first;
    while (!r.done) {
      set += r.uint();
      const key = this.text(r.uint());
      const type = r.uint();
      const value = type === 0 ? this.text(r.uint()) : type === 1 ? r.int() : type === 2 ? r.double() : null;
      const list = ret.get(set);
      if (list) list.push({ key, value });
      else ret.set(set, [{ key, value }]);
    }
    return ret;
  }

  flowsAt(slice: number): Flow[] {
    if (!this.flowsOf) {
      this.flowsOf = new Map();
      for (const flow of this.flows) {
        for (const id of new Set([flow.from.id, flow.to.id])) {
          const list = this.flowsOf.get(id);
          if (list) list.push(flow);
          else this.flowsOf.set(id, [flow]);
        }
      }
    }
    return this.flowsOf.get(slice) ?? [];
  }
}

function joinSlices(p: Slices[]): Slices {
  if (p.length === 1) return p[0];
  const f = (get: (s: Slices) => Float64Array) => joined(p.map(get), (n) => new Float64Array(n));
  const u = (get: (s: Slices) => Uint32Array) => joined(p.map(get), (n) => new Uint32Array(n));
  const groups = p.some((s) => s.count.length);
  const g = <T extends Uint32Array | Float64Array>(get: (s: Slices) => T, none: (n: number) => T): T =>
    joined(p.map((s) => (s.count.length || !groups ? get(s) : none(s.n))), none as never) as T;
  return { n: p.reduce((sum, s) => sum + s.n, 0), start: f((s) => s.start), dur: f((s) => s.dur), name: u((s) => s.name),
           depth: joined(p.map((s) => s.depth), (n) => new Uint16Array(n)), id: u((s) => s.id), args: u((s) => s.args),
           count: g((s) => s.count, (n) => new Uint32Array(n)),
           busy: g((s) => s.busy, (n) => new Float64Array(n)), longest: g((s) => s.longest, (n) => new Float64Array(n)) };
}

function joinStates(p: States[]): States {
  if (p.length === 1) return p[0];
  const f = (get: (s: States) => Float64Array) => joined(p.map(get), (n) => new Float64Array(n));
  const u = (get: (s: States) => Uint32Array) => joined(p.map(get), (n) => new Uint32Array(n));
  const i = (get: (s: States) => Int32Array) => joined(p.map(get), (n) => new Int32Array(n));
  return { n: p.reduce((sum, s) => sum + s.n, 0), start: f((s) => s.start), dur: f((s) => s.dur), state: u((s) => s.state), cpu: i((s) => s.cpu), other: i((s) => s.other),
           id: u((s) => s.id), count: u((s) => s.count), busy: f((s) => s.busy), most: f((s) => s.most) };
}

function stepsOf(p: Values[]): Steps {
  const f = (get: (v: Values) => Float64Array) => joined(p.map(get), (n) => new Float64Array(n));
  const value = f((v) => v.value);
  const own = p.every((v) => v.low === v.value);
  return new Steps(f((v) => v.time), value, own ? value : f((v) => v.low), own ? value : f((v) => v.high));
}

function itemsOf(data: RowData): number {
  return (data.slices?.n ?? 0) + (data.states?.n ?? 0) + (data.sched?.n ?? 0) + (data.values?.time.length ?? 0);
}
