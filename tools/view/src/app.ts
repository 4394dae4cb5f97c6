// The page: what is shown and what is chosen. The parts around it draw, listen, search and link.
//
// The view is changed by setView() alone, which keeps it inside the trace and asks for a frame.

import { type Theme } from "./color";
import { el } from "./dom";
import { banner, header, writeNote } from "./header";
import { Heads } from "./heads";
import { Input } from "./input";
import { Link } from "./link";
import { Marks } from "./marks";
import { Painter, type View } from "./paint";
import { Panel } from "./panel";
import { ReportPage } from "./report";
import { Search } from "./search";
import type { Area } from "./stats";
import { duration } from "./time";
import type { Answer } from "./source";
import type { Gap, RowData, Trace } from "./trace";
import { LANE, type Line, STATE, Tree } from "./tree";

/** An item of a row's data, which is kept with it: what the row shows may be other data by then. */
export interface Chosen { row: number; kind: "slice" | "state" | "sched" | "value" | "log"; item: number; data: RowData }

/** A range that somebody marked, with what they wrote. */
export interface Note { from: number; to: number; text: string }

const LEAST_NS_PER_PX = 0.01;

/** Marks the first time that something happens, for those who measure. */
export function once(what: string): void {
  if (!performance.getEntriesByName(what).length) performance.mark(what);
}

export class App {
  tree: Tree;
  painter: Painter;
  readonly panel: Panel;
  readonly search: Search;
  private readonly report?: ReportPage;
  private readonly timeline: HTMLElement;
  private readonly marker = new Marks(this);
  private readonly headings = new Heads(this);
  private readonly link = new Link(this);
  private readonly input = new Input(this);
  view: View = { from: 0, nsPerPx: 1 };
  chosen?: Chosen;
  area?: Area;
  marks: Note[] = [];
  readonly canvas = el("canvas", { role: "img", "aria-label": "Timeline" });
  readonly heads = el("div", { class: "heads", role: "tree", "aria-label": "Rows", tabindex: 0 });
  private readonly spacer = el("div", { class: "spacer" });
  readonly sticky = el("div", { class: "sticky" }, this.canvas, this.heads);
  readonly main = el("div", { class: "main", tabindex: -1 }, this.sticky, this.spacer);
  readonly overview = el("canvas", { class: "overview", role: "img", "aria-label": "The whole trace; drag to zoom" });
  readonly ruler = el("canvas", { class: "ruler", role: "img", "aria-label": "Times" });
  private readonly banners = el("div");
  readonly tip = el("div", { class: "tip", role: "tooltip", hidden: true });
  readonly live = el("div", { class: "sr", "aria-live": "polite" });
  readonly searchBox = el("input", { type: "search", placeholder: "Search names  ( / )", "aria-label": "Search names of slices and rows" });
  readonly found = el("output");
  private readonly errors = el("div", { class: "error", role: "alert", hidden: true });
  headWidth = Math.min(260, Math.max(120, innerWidth * 0.22));
  focused = -1; // row
  private scheduled = false;
  /** Nothing is to be drawn better with what is known and asked for. */
  settled = false;
  undo: View[] = [];
  redo: View[] = [];
  private lastChange = -Infinity;
  private readonly pending = new Set<number>();
  private themeChosen?: Theme;
  width = 0;
  height = 0;

  constructor(public trace: Trace, private readonly root: HTMLElement) {
    this.tree = new Tree(trace);
    this.painter = new Painter(trace, (...what) => this.want(...what));
    this.panel = new Panel(this);
    this.search = new Search(this, this.searchBox, this.found);
    this.view = { from: 0, nsPerPx: Math.max(LEAST_NS_PER_PX, trace.span / 1000) };
    this.timeline = el("main", { class: "timeline", "aria-label": "Timeline" }, this.banners, el("div", { class: "strip" }, this.overview), el("div", { class: "strip" }, this.ruler), this.main, this.panel.splitter, this.panel.root);
    this.arrange();
    if (trace.info.report) this.report = new ReportPage(this, trace.info.report);
    this.banners.append(...banner(this));
    root.append(header(this), this.errors, ...(this.report ? [this.report.root] : []), this.timeline, this.tip, this.live);
    this.setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light", false);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (e) => this.themeChosen ?? this.setTheme(e.matches ? "dark" : "light", false));
    this.input.listen();
    new ResizeObserver(() => this.resize()).observe(this.main);
    this.resize();
    this.zoomAll(false);
    if (!trace.info.partial) this.showBusy();
    this.link.readLink(trace.info.partial !== undefined);
    if (!location.hash) this.showReport(true);
    document.title = `${trace.info.title} \u2013 orma`;
  }

  /** Memory has no times: the panel is all that there is. */
  private arrange(): void {
    this.timeline.classList.toggle("memory", this.trace.isMemory);
    this.timeline.setAttribute("aria-label", this.trace.isMemory ? "Memory" : "Timeline");
  }

  /** Where something is going on, if that is not all of the trace. */
  private showBusy(): void {
    const [first, last] = this.marker.busy();
    if (last - first < 0.5) this.setView(this.trace.span * (first - (last - first) * 0.05), (this.trace.span * (last - first) * 1.1) / Math.max(1, this.width), false);
  }

  /** The trace has grown. Who looks at its end goes on with it; else what is seen stays where it is. */
  async follow(trace: Trace): Promise<void> {
    const grown = trace.span - this.trace.span, moved = Number(BigInt(this.trace.info.from) - BigInt(trace.info.from));
    const all = this.view.from <= 0 && this.time(this.width) >= this.trace.span;
    const end = this.time(this.width) >= this.trace.span;
    await this.replace(trace, true);
    if (all) this.zoomAll(false);
    else if (end || moved) this.setView(this.view.from + (end ? grown : moved), this.view.nsPerPx, false);
    this.live.textContent = `The trace has grown to ${duration(trace.span)}`;
  }

  /** More of the same trace was read, or all: what is seen stays where it is. `grown`: it is longer than it was. */
  async replace(trace: Trace, grown = false): Promise<void> {
    const before = this.trace, of = grown ? before.rowsIn(trace) : undefined;
    const tree = new Tree(trace, this.tree, of);
    const bottom = this.main.scrollTop + this.height;
    const seen = tree.lines.filter((line) => line.row >= 0 && line.y < bottom && line.y + line.height > this.main.scrollTop);
    await Promise.all(seen.map((line) => trace.fetch(line.row, this.time(0), this.time(this.width), this.view.nsPerPx)));
    const { theme } = this.painter;
    this.trace = trace;
    this.tree = new Tree(trace, this.tree, of); // rows may have been opened meanwhile
    if (of) {
      this.focused = this.focused < 0 ? -1 : of(this.focused);
      if (this.chosen && of(this.chosen.row) < 0) delete this.chosen;
      else if (this.chosen) this.chosen = { ...this.chosen, row: of(this.chosen.row) };
      if (this.area) this.area = { ...this.area, rows: this.area.rows.map(of).filter((n) => n >= 0) };
    }
    this.painter = new Painter(trace, (...what) => this.want(...what));
    this.painter.theme = theme;
    this.pending.clear();
    this.marker.sums = undefined;
    this.root.querySelector("header")?.replaceWith(header(this));
    this.banners.replaceChildren(...banner(this));
    this.arrange();
    this.panel.begin();
    if (!trace.info.partial && !grown) {
      const moved = this.lastChange !== -Infinity;
      if (!moved) this.showBusy();
      this.link.readLink(false, moved);
      this.live.textContent = "All of the trace is there";
    }
    this.resize();
  }

  /** How far the server is, between two pictures. */
  progress(read: number, all: number): void {
    const { partial } = this.trace.info;
    if (!partial) return;
    Object.assign(partial, { read, all });
    this.panel.begin();
  }

  setTheme(theme: Theme, chosen: boolean): void {
    if (chosen) this.themeChosen = theme;
    this.painter.theme = theme;
    this.painter.forget();
    document.documentElement.classList.toggle("dark", theme === "dark");
    this.painter.colors.fill.forEach((color, i) => document.documentElement.style.setProperty(`--hue${i}`, color));
    this.panel.repaint();
    this.draw();
  }

  get hasReport(): boolean {
    return this.report !== undefined;
  }

  /** The report or the timeline: one of them is there. */
  showReport(on: boolean): void {
    if (!this.report) return;
    this.report.root.hidden = !on;
    this.timeline.hidden = on;
    this.resize();
  }

  error(text: string): void {
    this.errors.textContent = text;
    this.errors.hidden = false;
  }

  setView(from: number, nsPerPx: number, keep = true): void {
    const most = Math.max(LEAST_NS_PER_PX / 10, (this.trace.span * 1.2) / Math.max(1, this.width));
    const scale = Math.min(Math.max(nsPerPx, LEAST_NS_PER_PX), most);
    const wide = this.width * scale;
    const begin = Math.min(Math.max(from, Math.min(0, this.trace.span - wide) - wide * 0.1), this.trace.span - wide * 0.9);
    if (begin === this.view.from && scale === this.view.nsPerPx) return;
    if (keep && performance.now() - this.lastChange > 400) {
      this.undo.push(this.view);
      if (this.undo.length > 200) this.undo.shift();
      this.redo = [];
    }
    if (keep) this.lastChange = performance.now();
    this.view = { from: begin, nsPerPx: scale };
    this.link.writeLink();
    this.draw();
  }

  /** Something that the link tells. */
  changed(): void {
    this.link.writeLink();
    this.draw();
  }

  zoomTo(from: number, to: number): void {
    const wide = Math.max(to - from, 1);
    this.setView(from - wide * 0.05, (wide * 1.1) / Math.max(1, this.width));
  }

  zoomAll(keep = true): void {
    this.setView(0 - this.trace.span * 0.01, (this.trace.span * 1.02) / Math.max(1, this.width), keep);
  }

  /** Rows of an answer that have a time: a row of their own, at the top. */
  showAnswer(answer: Answer): void {
    const row = this.trace.addAnswer(answer);
    this.tree.pinned = [row, ...this.tree.pinned.filter((n) => n !== row)];
    this.tree.lay();
    this.painter.forget();
    this.main.scrollTop = 0;
    this.draw();
  }

  zoomToChosen(): void {
    if (this.chosen) this.zoomTo(...this.span(this.chosen));
    else if (this.area) this.zoomTo(this.area.from, this.area.to);
  }

  /** What a mark or a note is put at. */
  private place(): [number, number] {
    return this.area ? [this.area.from, this.area.to] : this.chosen ? this.span(this.chosen) : [this.time(this.width / 2), this.time(this.width / 2)];
  }

  mark(text = ""): void {
    const [from, to] = this.place();
    this.marks.push({ from, to, text });
    this.changed();
    this.panel.noted();
  }

  note(): void {
    writeNote("", (text) => this.mark(text));
  }

  copyLink(): void {
    this.link.write();
    void navigator.clipboard?.writeText(location.href);
    this.live.textContent = "The link is copied";
  }

  /** Scrolls to a row, and puts the keyboard there. */
  showRow(row: number): void {
    const line = this.tree.reveal(row);
    this.focused = line?.row ?? row;
    if (line) {
      this.spacer.style.setProperty("height", `${Math.max(this.tree.height, this.height)}px`);
      this.main.scrollTop = Math.max(0, line.y - this.height / 3);
    }
    this.draw();
  }

  zoomAt(x: number, factor: number): void {
    const scale = Math.max(LEAST_NS_PER_PX, this.view.nsPerPx * factor);
    this.setView(this.view.from + x * this.view.nsPerPx - x * scale, scale);
  }

  step(from: View[], to: View[]): void {
    const view = from.pop();
    if (!view) return;
    to.push(this.view);
    this.view = view;
    this.link.writeLink();
    this.draw();
  }

  time(x: number): number {
    return this.view.from + x * this.view.nsPerPx;
  }

  private want(row: number, from: number, to: number, nsPerPx: number): void {
    if (this.pending.has(row) || this.pending.size > 6) return;
    this.pending.add(row);
    const { trace } = this;
    trace.fetch(row, from, to, nsPerPx).then(() => {
      if (trace !== this.trace) return;
      this.pending.delete(row);
      this.draw();
    }, (e: Error) => this.error(e.message));
  }

  resize(): void {
    if (!this.main.clientWidth) return; // the report is shown
    const dpr = devicePixelRatio || 1;
    const box = this.main.getBoundingClientRect();
    this.sticky.style.setProperty("height", `${box.height}px`);
    this.spacer.style.setProperty("margin-top", `${-box.height}px`);
    this.headWidth = Math.min(this.headWidth, Math.max(60, this.main.clientWidth * 0.45));
    const width = Math.max(10, this.main.clientWidth - this.headWidth);
    const end = this.view.from + this.width * this.view.nsPerPx;
    if (this.width && width !== this.width) this.view = { from: this.view.from, nsPerPx: Math.max(LEAST_NS_PER_PX, (end - this.view.from) / width) };
    this.width = width;
    this.height = box.height;
    const fit = (canvas: HTMLCanvasElement, w: number, h: number): void => {
      canvas.width = Math.round(w * dpr);
      canvas.height = Math.round(h * dpr);
      canvas.style.setProperty("width", `${w}px`);
      canvas.style.setProperty("height", `${h}px`);
    };
    fit(this.canvas, width, box.height);
    this.canvas.style.setProperty("left", `${this.headWidth}px`);
    this.heads.style.setProperty("width", `${this.headWidth}px`);
    fit(this.overview, this.main.clientWidth, 34);
    fit(this.ruler, this.main.clientWidth, 24);
    this.draw();
  }

  draw(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.frame();
    });
  }

  private frame(): void {
    const dpr = devicePixelRatio || 1;
    const ctx = this.canvas.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
    const scroll = this.main.scrollTop;
    this.spacer.style.setProperty("height", `${Math.max(this.tree.height, this.height)}px`);
    const lines: Line[] = [];
    for (let i = this.tree.lineAt(scroll); i < this.tree.lines.length && this.tree.lines[i].y < scroll + this.height; i++) lines.push(this.tree.lines[i]);
    ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
    ctx.fillStyle = this.painter.colors.background;
    ctx.fillRect(0, 0, this.width, this.height);
    const settled = this.painter.frame(ctx, lines, this.view, this.width, scroll, dpr, performance.now() + 10);
    this.marker.drawEdges(ctx);
    this.marker.drawFlows(ctx, lines, scroll);
    this.marker.drawChosen(ctx, lines, scroll);
    this.marker.drawArea(ctx, lines, scroll);
    this.headings.drawHeads(lines, scroll);
    this.marker.drawOverview(dpr);
    this.marker.drawRuler(dpr);
    this.settled = settled && !this.pending.size;
    if (this.settled || this.painter.drawn) once("orma-first-picture");
    if (this.settled && !this.trace.info.partial) once("orma-whole-picture");
    if (!settled) this.draw();
  }

  /** Where a slice of a line is drawn: from the line's top. */
  laneTop(row: number, depth: number): number {
    return (this.trace.loaded(row)?.stateLane ? STATE + 3 : 3) + depth * LANE;
  }

  span(c: Chosen): [number, number] {
    const data = c.data;
    if (c.kind === "slice" && data.slices) {
      const s = data.slices;
      return [s.start[c.item], s.dur[c.item] < 0 ? this.trace.endOf(c.row) : s.start[c.item] + s.dur[c.item]];
    }
    if (c.kind === "value" && data.values) return [data.values.time[c.item], data.values.time[c.item + 1] ?? this.trace.span];
    if (c.kind === "log" && data.logs) return [data.logs.time[c.item], data.logs.time[c.item]];
    const s = c.kind === "sched" ? data.sched : data.states;
    return s ? [s.start[c.item], s.dur[c.item] < 0 ? this.trace.endOf(c.row) : s.start[c.item] + s.dur[c.item]] : [0, 0];
  }

  lineAt(y: number): Line | undefined {
    const at = y + this.main.scrollTop;
    const line = this.tree.lines[this.tree.lineAt(at)];
    return line && at >= line.y ? line : undefined;
  }

  itemAt(x: number, y: number): Chosen | undefined {
    const line = this.lineAt(y);
    const data = line && line.row >= 0 ? this.trace.best(line.row, this.time(0), this.time(this.width), this.view.nsPerPx).data : undefined;
    if (!line || !data) return undefined;
    const t = this.time(x);
    const slack = 4 * this.view.nsPerPx;
    const inside = y + this.main.scrollTop - line.y;
    if (data.stateLane && inside < STATE + 2) {
      const item = data.stateLane.at(t, 0);
      return item >= 0 ? { row: line.row, kind: "state", item, data } : undefined;
    }
    if (data.schedLane) {
      const item = data.schedLane.at(t, slack);
      return item >= 0 ? { row: line.row, kind: "sched", item, data } : undefined;
    }
    if (data.values) {
      const item = data.values.at(t);
      return item >= 0 ? { row: line.row, kind: "value", item, data } : undefined;
    }
    if (data.logs) {
      let best = -1;
      data.logs.time.forEach((time, i) => {
        if (Math.abs(time - t) <= slack && (best < 0 || Math.abs(time - t) < Math.abs(data.logs!.time[best] - t))) best = i;
      });
      return best >= 0 ? { row: line.row, kind: "log", item: best, data } : undefined;
    }
    const lane = data.lanes[Math.floor((inside - this.laneTop(line.row, 0)) / LANE)];
    const i = lane ? lane.at(t, slack) : -1;
    return lane && i >= 0 ? { row: line.row, kind: "slice", item: lane.number(i), data } : undefined;
  }

  gapAt(x: number, y: number): Gap | undefined {
    const line = this.lineAt(y);
    const t = this.time(x);
    return line && this.trace.gaps.find((g) => g.row === line.row && t <= g.to + 3 * this.view.nsPerPx && t >= Math.min(g.from, g.to - 4 * this.view.nsPerPx));
  }

  choose(c: Chosen | undefined, reveal = false): void {
    if (this.trace.info.partial) return;
    if (c?.kind === "slice" && c.data.level && c.data.slices) {
      const s = c.data.slices; // a picture of it: what is chosen is the slice itself, or the longest of those that stand here
      void this.goTo(c.row, s.id[c.item], s.start[c.item], reveal, s.start[c.item] + Math.max(s.dur[c.item], 0));
      return;
    }
    if (c?.data.level && c.kind !== "log") {
      void this.chooseExactly(c, reveal);
      return;
    }
    if (c) this.chosen = c;
    else delete this.chosen;
    delete this.area;
    if (c) this.focused = c.row;
    if (c && reveal) this.reveal(c);
    this.panel.details(c);
    if (c) this.live.textContent = this.describe(c);
    this.link.writeLink();
    this.draw();
  }

  /** Scrolls and moves so that it can be seen. */
  reveal(c: Chosen): void {
    const line = this.tree.reveal(c.row);
    if (line && (line.y < this.main.scrollTop || line.y + line.height > this.main.scrollTop + this.height)) {
      this.spacer.style.setProperty("height", `${Math.max(this.tree.height, this.height)}px`);
      this.main.scrollTop = Math.max(0, line.y - this.height / 3);
    }
    const [from, to] = this.span(c);
    const wide = this.width * this.view.nsPerPx;
    if (to < this.view.from || from > this.view.from + wide || to - from > wide) {
      if (to - from > wide * 0.8 || to - from < wide / 300) this.zoomTo(from - (to - from) * 2, to + (to - from) * 2);
      else this.setView((from + to - wide) / 2, this.view.nsPerPx);
    }
  }

  /** Chooses a slice. Where the row is read in part, its time says which; without it all of the row is looked through. */
  async goTo(row: number, id: number, time?: number, reveal = true, to = time): Promise<void> {
    try {
      const data = await this.trace.exact(row, time ?? 0, to ?? this.trace.span, time !== undefined);
      const item = data.slices?.id.indexOf(id) ?? -1;
      if (item >= 0) this.choose({ row, kind: "slice", item, data }, reveal);
    } catch (e) {
      this.error((e as Error).message);
    }
  }

  /** Of what stands in a picture of a row, the state or value that it shows. */
  private async chooseExactly(c: Chosen, reveal: boolean): Promise<void> {
    const [from, to] = this.span(c);
    try {
      const data = await this.trace.exact(c.row, from, to, true);
      const own = c.kind === "sched" ? c.data.sched : c.data.states;
      const all = c.kind === "sched" ? data.sched : data.states;
      let item = c.kind === "value" ? data.values?.at(to - 1) : all && own && all.id.indexOf(own.id[c.item]);
      if (item === -1) item = (c.kind === "sched" ? data.schedLane : data.stateLane)?.at((from + to) / 2, Infinity);
      if (item !== undefined && item >= 0) this.choose({ ...c, item, data }, reveal);
    } catch (e) {
      this.error((e as Error).message);
    }
  }

  describe(c: Chosen): string {
    const data = c.data;
    const [from, to] = this.span(c);
    if (c.kind === "slice" && data.slices) return `${this.trace.text(data.slices.name[c.item])}, ${duration(to - from)}`;
    if (c.kind === "state" && data.states) return `${this.painter.look(data.states.state[c.item]).label}, ${duration(to - from)}`;
    if (c.kind === "sched" && data.sched) {
      const row = this.trace.rows[data.sched.other[c.item]];
      return `${row ? this.trace.label(row) : "?"}, ${duration(to - from)}`;
    }
    if (c.kind === "log" && data.logs) return this.trace.text(data.logs.text[c.item]);
    return data.values ? String(data.values.value[c.item]) : "";
  }

  chooseArea(area: Area): void {
    if (this.trace.info.partial) return;
    delete this.chosen;
    this.area = area;
    void this.panel.selection(area);
    this.changed();
  }

  async neighbour(by: 1 | -1): Promise<void> {
    let c = this.chosen;
    if (!c) return;
    if (this.trace.loaded(c.row)?.level && c.kind !== "log") { // what lies beside it may not be there yet
      const column = (data: RowData): ArrayLike<number> | undefined => (c!.kind === "slice" ? data.slices?.id : c!.kind === "value" ? data.values?.time : c!.kind === "state" ? data.states?.id : data.sched?.id);
      const own = column(c.data)?.[c.item];
      const [from, to] = this.span(c);
      const near = 100 * this.view.nsPerPx * this.width;
      const data = await this.trace.exact(c.row, from - near, to + near, true);
      c = { ...c, data, item: own === undefined ? -1 : Array.prototype.indexOf.call(column(data) ?? [], own) as number };
    }
    const data = c.data;
    let item = c.item + by;
    if (c.kind === "slice" && data.slices) while (item >= 0 && item < data.slices.n && data.slices.depth[item] !== data.slices.depth[c.item]) item += by;
    const size = c.kind === "slice" ? data.slices?.n : c.kind === "state" ? data.states?.n : c.kind === "sched" ? data.sched?.n : c.kind === "log" ? data.logs?.n : data.values?.time.length;
    if (item >= 0 && item < (size ?? 0)) this.choose({ ...c, item }, true);
  }

  /** What the keyboard begins with: the first item in view of the row that it stands on. */
  chooseFirst(): void {
    const row = this.focused >= 0 ? this.focused : this.tree.lines.find((line) => this.trace.rows[line.row]?.items)?.row ?? -1;
    const { data } = this.trace.best(row, this.time(0), this.time(this.width), this.view.nsPerPx);
    if (!data) return;
    const lane = data.lanes.find((l) => l.size) ?? data.stateLane ?? data.schedLane;
    const at = (n: number): number => Math.min(lane!.firstStarting(this.time(0), 0), n - 1);
    if (data.lanes.some((l) => l.size)) this.choose({ row, kind: "slice", item: lane!.number(at(lane!.size)), data }, true);
    else if (lane) this.choose({ row, kind: data.stateLane ? "state" : "sched", item: at(lane.size), data }, true);
    else if (data.values) this.choose({ row, kind: "value", item: Math.max(0, data.values.at(this.time(0))), data }, true);
    else if (data.logs) this.choose({ row, kind: "log", item: Math.max(0, data.logs.time.findIndex((t) => t >= this.time(0))), data }, true);
  }

  /** The slice around what is chosen, or the first one in it. */
  alongDepth(by: 1 | -1): void {
    const c = this.chosen;
    const s = c?.kind === "slice" ? c.data.slices : undefined;
    if (!c || !s) return;
    const end = this.span(c)[1];
    for (let i = c.item + by; i >= 0 && i < s.n && s.start[i] <= end; i += by) {
      if (s.depth[i] !== s.depth[c.item] + by) continue;
      this.choose({ ...c, item: i }, true);
      return;
    }
  }

  /** Between a slice and what its thread did at that time. */
  otherKind(): void {
    const c = this.chosen;
    if (!c) return;
    const from = this.span(c)[0];
    if (c.kind === "slice" && c.data.stateLane) {
      const item = c.data.stateLane.at(from, Infinity);
      if (item >= 0) this.choose({ ...c, kind: "state", item }, true);
    } else if (c.kind === "state") {
      const lane = c.data.lanes.find((l) => l.size);
      const i = lane ? lane.at(from, Infinity) : -1;
      if (lane && i >= 0) this.choose({ ...c, kind: "slice", item: lane.number(i) }, true);
    }
  }

  /** Figures of what is in view: of the row that the keyboard stands on and those below it, or of all. */
  chooseView(): void {
    const rows = this.focused >= 0 ? this.input.withChildren({ from: 0, to: 0, rows: [this.focused] }).rows : this.tree.lines.flatMap((l) => (l.row >= 0 ? [l.row] : []));
    const below = new Set(rows);
    for (const row of this.trace.rows) if (row && below.has(row.parent)) below.add(row.n);
    this.chooseArea({ from: Math.max(0, this.time(0)), to: Math.min(this.trace.span, this.time(this.width)), rows: [...below] });
  }

  alongFlow(out: boolean): void {
    const c = this.chosen;
    const s = c?.kind === "slice" ? c.data.slices : undefined;
    if (!c || !s) return;
    const id = s.id[c.item];
    const flow = this.trace.flowsAt(id).find((f) => (out ? f.from.id === id : f.to.id === id));
    const end = flow && (out ? flow.to : flow.from);
    if (end) void this.goTo(end.row, end.id, end.time);
  }

  /** All others of another name are drawn faint; the same name again ends it. */
  dim(name: number): void {
    this.painter.dim = this.painter.dim === name ? -1 : name;
    this.draw();
  }
}
