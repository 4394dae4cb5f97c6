// The rows in their order, open and folded, and where they lie on the screen.

import { number } from "./time";
import { type Row, RowKind, type Trace } from "./trace";

export const LANE = 18;
export const STATE = 10;
const HEAD = 24;
const COUNTER = 36;
const CPU = 22;
const OPEN_AT_START = 20; // rows of threads
const TALL = 8; // lanes: tracks that have more stand below the threads

export interface Line {
  row: number; // -1: a line that opens what is left out
  key: string;
  level: number;
  y: number;
  height: number;
  folds: boolean;
  open: boolean;
  pinned: boolean;
  text?: string | undefined; // of lines without a row, or instead of its name
  setSize: number;
  position: number;
}

const ORDER: Record<RowKind, number> = {
  [RowKind.Cpu]: 0, [RowKind.Counter]: 1, [RowKind.Group]: 2, [RowKind.Track]: 3, [RowKind.Thread]: 4,
  [RowKind.Process]: 5, [RowKind.Log]: 6,
};

function topOrder(trace: Trace, row: Row): number {
  if (row.kind === RowKind.Group) return row.name === "CPUs" || row.children.some((c) => trace.rows[c]?.kind === RowKind.Cpu) ? 0 : row.name === "System" ? 5 : row.name === "Other processes" ? 7 : row.name === "Kernel threads" ? 8 : 6;
  if (row.kind === RowKind.Log) return 1;
  if (row.kind === RowKind.Thread) return 4;
  return 3;
}

export class Tree {
  lines: Line[] = [];
  height = 0;
  readonly open = new Set<number>();
  hidden = new Set<number>();
  pinned: number[] = [];
  moves: number[] = []; // row and how far, one behind the other
  filter = "";
  private readonly folded = new Set<number>(); // of those that the filter found and opened
  private readonly opened: Set<number>; // at the begin

  /** `before`: of the same trace, when less of it was known; `of`: what its rows are called here, -1: they are gone. */
  constructor(private readonly trace: Trace, before?: Tree, of: (row: number) => number = (row) => row) {
    this.sort(trace.top, true);
    for (const row of trace.rows) if (row) this.sort(row.children, false);
    this.openBusiest(trace.top, 0);
    const { slices, states } = trace.info.counts;
    if (!this.open.size || (!slices && !states)) for (const n of trace.top) this.open.add(n); // counters are all there is
    this.opened = new Set(this.open);
    if (before) {
      const there = (rows: Iterable<number>): number[] => [...rows].map(of).filter((n) => n >= 0);
      for (const n of there(before.changed)) if (!this.open.delete(n)) this.open.add(n);
      this.hidden = new Set(there(before.hidden));
      this.pinned = there(before.pinned);
      this.filter = before.filter;
      for (let i = 0; i < before.moves.length; i += 2) for (let k = 0; k < Math.abs(before.moves[i + 1]); k++) if (of(before.moves[i]) >= 0) this.move(of(before.moves[i]), before.moves[i + 1] > 0 ? 1 : -1, false);
    }
    this.lay();
  }

  private sort(list: number[], top: boolean): void {
    const rows = this.trace.rows as Row[];
    let rank = (n: number): number => (top || rows[n].kind === RowKind.Group ? topOrder(this.trace, rows[n]) : ORDER[rows[n].kind]);
    // A few counters of a process stand above its threads; many would push these out of sight.
    if (list.filter((n) => rows[n].kind === RowKind.Counter).length > 3 && list.some((n) => rows[n].kind === RowKind.Thread)) {
      const few = rank;
      rank = (n) => (rows[n].kind === RowKind.Counter ? 9 : few(n));
    }
    const kind = rank;
    rank = (n) => (rows[n].kind === RowKind.Track && rows[n].lanes > TALL ? ORDER[RowKind.Thread] + 0.5 : kind(n));
    list.sort((a, b) => rank(a) - rank(b)
      || (rows[a].kind === RowKind.Cpu && rows[b].kind === RowKind.Cpu ? rows[a].id - rows[b].id : 0)
      || (rows[a].kind === RowKind.Counter && rows[b].kind === RowKind.Counter && rows[a].id >= 0 ? rows[a].name.localeCompare(rows[b].name) || rows[a].id - rows[b].id : 0)
      || Number(rows[b].main) - Number(rows[a].main) || rows[b].rank - rows[a].rank || rows[a].id - rows[b].id || a - b);
  }

  /** Returns how many threads are open now; machines are open, so that what they did is seen. */
  private openBusiest(list: number[], threads: number): number {
    const kinds = (row: Row, kind: RowKind): number => row.children.filter((c) => this.trace.rows[c]?.kind === kind).length;
    for (const n of list) {
      const row = this.trace.rows[n] as Row;
      const cpus = kinds(row, RowKind.Cpu);
      if (row.kind === RowKind.Group && !cpus && kinds(row, RowKind.Group)) {
        this.open.add(n);
        threads = this.openBusiest(row.children, threads);
      } else if (cpus ? cpus <= 16 : threads < OPEN_AT_START && row.kind !== RowKind.Group) {
        this.open.add(n);
        if (!cpus) threads += row.children.length;
        for (const c of row.children) if (threads < OPEN_AT_START && ![RowKind.Thread, RowKind.Group].includes(this.trace.rows[c]!.kind)) this.open.add(c);
      }
    }
    return threads;
  }

  /** Its own height, without rows below it. */
  private heightOf(row: Row): number {
    switch (row.kind) {
      case RowKind.Thread: {
        const lanes = row.lanes * LANE;
        return Math.max(HEAD, lanes + STATE + 6);
      }
      case RowKind.Track: return Math.max(HEAD, row.lanes * LANE + 6);
      case RowKind.Counter: return COUNTER;
      case RowKind.Cpu: return CPU;
      default: return HEAD;
    }
  }

  private matches(row: Row): boolean {
    return this.trace.label(row).toLowerCase().includes(this.filter) || row.children.some((c) => this.matches(this.trace.rows[c] as Row));
  }

  /** The only thread of a process that has nothing else: one line is enough for both. */
  private onlyThread(row: Row): Row | undefined {
    const thread = row.kind === RowKind.Process && row.children.length === 1 ? this.trace.rows[row.children[0]] : undefined;
    return thread?.kind === RowKind.Thread && !thread.children.length && !this.trace.gaps.some((gap) => gap.row === row.n) ? thread : undefined;
  }

  /** Makes the list of lines anew; call after any change of what is open, pinned, hidden or filtered. */
  lay(): void {
    const lines: Line[] = [];
    let y = 0;
    const push = (line: Omit<Line, "y">): void => {
      lines.push({ ...line, y });
      y += line.height;
    };
    const visit = (list: number[], level: number, all: boolean): void => {
      const shown = list.filter((n) => !this.hidden.has(n) && (all || !this.filter || this.matches(this.trace.rows[n] as Row)));
      shown.forEach((n, i) => {
        let row = this.trace.rows[n] as Row;
        const only = this.onlyThread(row);
        const text = only && row.name ? this.trace.label(row) : undefined;
        row = only ?? row;
        const folds = row.children.length > 0;
        const own = all || !this.filter || (text ?? this.trace.label(row)).toLowerCase().includes(this.filter);
        const open = folds && (this.filter ? !own || !this.folded.has(n) : this.open.has(n));
        push({ row: row.n, key: `r${row.n}`, level, height: this.heightOf(row), folds, open, pinned: false, setSize: shown.length, position: i + 1, text });
        if (open && level < 64) visit(row.children, level + 1, own);
      });
    };
    this.pinned.forEach((n, i) => {
      const row = this.trace.rows[n] as Row;
      push({ row: n, key: `p${n}`, level: 0, height: this.heightOf(row), folds: false, open: false, pinned: true, setSize: this.pinned.length, position: i + 1 });
    });
    visit(this.trace.top, 0, false);
    const left = this.trace.rows.length - this.trace.rows.filter(Boolean).length;
    if (left && !this.filter)
      push({ row: -1, key: "empty", level: 0, height: HEAD, folds: false, open: false, pinned: false, setSize: 1, position: 1,
             text: `${number(left)} rows without data` });
    if (this.filter && !lines.length)
      push({ row: -1, key: "none", level: 0, height: HEAD, folds: false, open: false, pinned: false, setSize: 1, position: 1, text: "No row has this name" });
    this.lines = lines;
    this.height = y;
  }

  /** The first line that reaches below y. */
  lineAt(y: number): number {
    let low = 0;
    let high = this.lines.length;
    while (low < high) {
      const mid = (low + high) >>> 1;
      if (this.lines[mid].y + this.lines[mid].height <= y) low = mid + 1;
      else high = mid;
    }
    return low;
  }

  toggle(row: number): void {
    const set = this.filter ? this.folded : this.open;
    if (!set.delete(row)) set.add(row);
    this.lay();
  }

  hide(row: number): void {
    this.hidden.add(row);
    const parent = this.trace.rows[row]?.parent ?? -1;
    if (parent >= 0 && this.onlyThread(this.trace.rows[parent] as Row)) this.hidden.add(parent);
    this.lay();
  }

  showAll(): void {
    this.hidden.clear();
    this.lay();
  }

  foldAll(): void {
    this.open.clear();
    this.lay();
  }

  /** Rows that are open or folded otherwise than at the begin. */
  get changed(): number[] {
    return [...this.opened].filter((n) => !this.open.has(n)).concat([...this.open].filter((n) => !this.opened.has(n)));
  }

  /** Rows with this in their names, what is above them and what is below. */
  only(name: string): void {
    this.filter = name.trim().toLowerCase();
    this.folded.clear();
    this.lay();
  }

  togglePin(row: number): void {
    this.pinned = this.pinned.includes(row) ? this.pinned.filter((n) => n !== row) : [...this.pinned, row];
    this.lay();
  }

  /** Opens all that lies above the row; its line, or undefined when it is hidden. */
  reveal(row: number): Line | undefined {
    let above = this.trace.rows[row]?.parent ?? -1;
    for (let n = 0; above >= 0 && n < 64; n++) {
      this.open.add(above);
      above = this.trace.rows[above]?.parent ?? -1;
    }
    if (this.filter) this.filter = "";
    this.lay();
    const at = this.trace.rows[row];
    const shown = (at && this.onlyThread(at)?.n) ?? row;
    return this.lines.find((line) => line.row === shown && !line.pinned);
  }

  /** Moves a row past its neighbour in the list. */
  move(row: number, by: 1 | -1, lay = true): void {
    let parent = this.trace.rows[row]?.parent ?? -1;
    if (parent >= 0 && this.onlyThread(this.trace.rows[parent] as Row)) {
      row = parent;
      parent = this.trace.rows[row]!.parent;
    }
    const list = parent >= 0 ? (this.trace.rows[parent] as Row).children : this.trace.top;
    const at = list.indexOf(row);
    const to = at + by;
    if (at < 0 || to < 0 || to >= list.length) return;
    [list[at], list[to]] = [list[to], list[at]];
    if (this.moves[this.moves.length - 2] === row) this.moves[this.moves.length - 1] += by;
    else this.moves.push(row, by);
    if (lay) this.lay();
  }
}
