// What lies below the timeline: details of one item, figures of a range, flame graphs, logs, SQL.

import type { App, Chosen, Note } from "./app";
import { type Column, el, table, verdict } from "./dom";
import { flameGraph } from "./flame";
import { addSamples, addSlices, addStack, type Area, type Flame, newFlame, type NameStats, SliceStats, Times, type TimeStats } from "./stats";
import { duration, number, place, quantity, samples as samplesText } from "./time";
import { type Row, type RowData, RowKind, shortName } from "./trace";
import { stateLook, STATES } from "./color";
import { writeNote } from "./header";
import { why } from "./why";

const MIXED = "mixed (in groups)"

/** In front of figures that are the least that they can be. */
const atLeast = (mixed: number): string => (mixed ? "\u2265 " : "");

/** As Android numbers them. */
const priority = (n: number): string => ["", "", "Verbose", "Debug", "Info", "Warning", "Error", "Fatal"][n] || String(n);

const TABS = ["Details", "Selection", "Flame graph", "Log", "SQL", "Trace"] as const;
type Tab = (typeof TABS)[number];
const MEMORY = "A profile of memory: which functions hold or allocated how much, with their callers above them. These are sums, so there is no timeline. Click on a function to zoom into it.";

export class Panel {
  readonly splitter = el("div", { class: "splitter", role: "separator", "aria-orientation": "horizontal", "aria-label": "Height of the panel", tabindex: 0, "aria-valuenow": 230 });
  private readonly content = el("div", { class: "content", role: "tabpanel", tabindex: 0 });
  private readonly tabs: HTMLButtonElement[] = TABS.map((name) => el("button", { type: "button", role: "tab", onclick: () => this.show(name) }, name));
  readonly root = el("section", { class: "panel", "aria-label": "Panel" }, el("div", { class: "tabs", role: "tablist" }, ...this.tabs), this.content);
  readonly names = TABS;
  private tab: Tab = "Details";
  private area: Area | undefined;
  private query = "SELECT name, count(*) AS count, sum(dur) / 1e6 AS total_ms\nFROM slice GROUP BY name ORDER BY total_ms DESC LIMIT 50";

  constructor(private readonly app: App) {
    this.splitter.addEventListener("pointerdown", (e) => this.splitter.setPointerCapture(e.pointerId));
    this.splitter.addEventListener("pointermove", (e) => {
      if (this.splitter.hasPointerCapture(e.pointerId)) this.resize(innerHeight - e.clientY);
    });
    this.splitter.addEventListener("keydown", (e) => {
      if (e.key !== "ArrowUp" && e.key !== "ArrowDown") return;
      e.preventDefault();
      e.stopPropagation();
      this.resize(this.root.clientHeight + (e.key === "ArrowUp" ? 24 : -24));
    });
    this.root.addEventListener("keydown", (e) => {
      const at = this.tabs.indexOf(e.target as HTMLButtonElement);
      if (at >= 0 && (e.key === "ArrowRight" || e.key === "ArrowLeft")) this.tabs[(at + (e.key === "ArrowRight" ? 1 : TABS.length - 1)) % TABS.length].focus();
    });
    this.begin();
  }

  /** What stands there as long as nothing is chosen. */
  begin(): void {
    const { info, heaps } = this.app.trace;
    const { counts, partial } = info;
    this.mark();
    this.tabs.forEach((tab) => (tab.disabled = partial !== undefined));
    if (partial) {
      const part = partial.read < partial.all ? `Reading ${number(partial.all)} items: ${Math.floor((100 * partial.read) / partial.all)} %.` : "All is read, and is being packed.";
      this.put(el("p", { class: "note", role: "status" }, `${part} Until then, short items stand together; details, figures and search come with the rest.`),
               el("progress", { max: partial.all, value: partial.read, "aria-label": "How much of the trace has been read" }), this.legend());
      return;
    }
    this.put(this.hint(), this.legend());
    if (counts.logs && !counts.slices && !counts.states && !counts.values) {
      this.root.style.setProperty("height", "70vh");
      queueMicrotask(() => this.show("Log"));
    } else if (!counts.slices && !counts.states && (heaps.length || this.hasSamples())) {
      this.root.style.setProperty("height", "75vh"); // there is nothing above it
      queueMicrotask(() => this.show("Flame graph"));
    }
  }

  /** Where there are neither slices nor states, threads with items have samples. */
  private hasSamples(): boolean {
    return this.app.trace.rows.some((row) => row?.kind === RowKind.Thread && row.items > 0);
  }

  private resize(height: number): void {
    const px = Math.round(Math.max(60, Math.min(innerHeight - 200, height)));
    this.root.style.setProperty("height", `${px}px`);
    this.splitter.setAttribute("aria-valuenow", String(px));
  }

  toggle(): void {
    if (this.app.trace.isMemory && !this.root.hidden) return; // it is all that there is
    this.root.hidden = !this.root.hidden;
    this.splitter.hidden = this.root.hidden;
  }

  repaint(): void {
    if (this.root.hidden) return;
    if (this.tab === "Flame graph" || (this.tab === "Details" && !this.app.chosen)) this.show(this.tab);
  }

  private mark(): void {
    this.tabs.forEach((tab, i) => {
      tab.setAttribute("aria-selected", String(TABS[i] === this.tab));
      tab.tabIndex = TABS[i] === this.tab ? 0 : -1;
    });
    this.content.setAttribute("aria-label", this.tab);
  }

  show(tab: Tab): void {
    if (this.app.trace.info.partial) return;
    this.tab = tab;
    if (this.root.hidden) this.toggle();
    this.mark();
    this.content.scrollTop = 0;
    if (tab === "Details") this.details(this.app.chosen, false);
    else if (tab === "Selection") void (this.area ? this.selection(this.area) : this.put(el("p", {}, "Drag over rows to choose a range of time: its figures stand here.")));
    else if (tab === "Flame graph") void this.flame();
    else if (tab === "Log") void this.log();
    else if (tab === "SQL") this.sql();
    else this.about();
  }

  /** A note was written or changed. */
  noted(): void {
    if (this.tab === "Trace") this.about();
  }

  private put(...nodes: Node[]): void {
    this.content.replaceChildren(...nodes);
  }

  /** How states and losses look. */
  private legend(): HTMLElement {
    const dark = this.app.painter.theme === "dark";
    const item = (text: string, kind: string, colour: string, height: number): HTMLElement => {
      const sample = el("i", { class: kind });
      sample.style.setProperty("height", `${Math.max(2, Math.round(12 * height))}px`);
      if (colour) sample.style.setProperty("background-color", colour);
      return el("li", {}, sample, text);
    };
    return el("ul", { class: "legend", "aria-label": "Legend" },
      ...(this.app.trace.info.counts.states ? STATES.map((s) => item(s.label, s.texture, dark ? s.dark : s.light, s.height)) : []),
      ...(this.app.trace.gaps.length ? [item("Something was lost here", "hatch", "", 1)] : []));
  }

  private hint(): HTMLElement {
    const { counts } = this.app.trace.info;
    const some = counts.slices + counts.states + counts.values + counts.logs + this.app.trace.heaps.length > 0;
    return el("p", { class: "note" }, this.app.trace.isMemory ? MEMORY : !some ? "This trace has nothing that a timeline can show: no slices, no scheduling, no counters. orma stats TRACE says what was recorded; if it is stacks with sums, orma convert flamegraph TRACE shows them."
      : !counts.slices && !counts.states ? "Only counters, logs or profiles were recorded. Click on a value for its details, drag across rows for statistics."
      : !counts.slices ? "No slices were recorded: see the CPUs and the states of threads. Click on one for its details."
        : "Click on a slice for its details, drag across rows for statistics, press ? for the keys.");
  }

  private list(rows: [string, string | Node][]): HTMLElement {
    return el("dl", {}, ...rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
  }

  private timeLink(ns: number): HTMLElement {
    return el("button", { type: "button", class: "link", onclick: () => this.app.zoomTo(ns - 20 * this.app.view.nsPerPx, ns + 20 * this.app.view.nsPerPx) }, place(ns));
  }

  private rowLink(n: number): Node {
    const row = this.app.trace.rows[n];
    if (!row) return document.createTextNode("not known");
    return el("button", { type: "button", class: "link", onclick: () => this.app.showRow(n) }, this.app.trace.label(row));
  }

  // ---- details ----

  details(c: Chosen | undefined, show = true): void {
    if (show) {
      this.tab = "Details";
      this.mark();
    }
    if (!c) {
      this.put(this.hint(), this.legend());
      return;
    }
    if (c.kind === "slice") this.slice(c);
    else if (c.kind === "state" || c.kind === "sched") this.state(c);
    else if (c.kind === "log") this.logLine(c);
    else this.value(c);
  }

  private where(row: Row): [string, Node][] {
    const { trace } = this.app;
    const process = row.kind === RowKind.Thread ? trace.rows[row.parent] : undefined;
    return [[row.kind === RowKind.Thread ? "Thread" : row.kind === RowKind.Cpu ? "CPU" : "Track", this.rowLink(row.n)], ...(process ? [["Process", this.rowLink(process.n)] as [string, Node]] : [])];
  }

  private slice(c: Chosen): void {
    const { trace } = this.app;
    const s = c.data.slices;
    if (!s) return;
    const i = c.item;
    const row = trace.rows[c.row] as Row;
    const group = s.count[i];
    const rows: [string, string | Node][] = [["Duration", s.dur[i] < 0 ? "its end was not recorded" : `${duration(s.dur[i])} (${number(s.dur[i])} ns)`],
      ["Start", this.timeLink(s.start[i])], ["Clock", String(trace.begin + BigInt(s.start[i]))], ...this.where(row), ["Depth", String(s.depth[i])], ...(s.id[i] < 2 ** 31 ? [["id", String(s.id[i])] as [string, string]] : [])];
    if (group) rows.unshift(["Group", `${group} slices, together ${duration(s.busy[i])}, the longest ${duration(s.longest[i])}: this one`]);
    const args = el("div");
    const around = el("div");
    const reason = el("div");
    this.put(el("h2", {}, (group ? `\u00d7${group} ` : "") + (trace.text(s.name[i]) || "(no name)")),
      el("div", { class: "actions" },
         el("button", { type: "button", class: "small", onclick: () => this.app.zoomTo(...this.app.span(c)) }, "Zoom to it (F)"),
         el("button", { type: "button", class: "small", onclick: () => this.app.dim(s.name[i]) }, "Highlight this name"),
         el("button", { type: "button", class: "small", onclick: () => void this.selection({ from: this.app.span(c)[0], to: this.app.span(c)[1], rows: [c.row] }) }, "Statistics inside"),
         ...(row.kind === RowKind.Thread && s.dur[i] > 0 ? [el("button", { type: "button", class: "small", onclick: () => void why(this.app, s.id[i], reason) }, "Why so long?")] : []),
         el("button", { type: "button", class: "small", onclick: () => this.app.note() }, "Note (N)"),
         el("button", { type: "button", class: "small", onclick: (e: Event) => {
           this.app.copyLink();
           (e.target as HTMLElement).textContent = "Copied";
         } }, "Copy link")),
      el("div", { class: "cols" }, this.list(rows), args, around, reason));
    void trace.argsOf(s, i).then((list) => list.length && args.replaceChildren(el("b", {}, "Arguments"), this.list(list.map((a) => [a.key, String(a.value)]))), (e: Error) => this.app.error(e.message));
    if (!group) around.append(...this.flows(s.id[i]), ...this.statesInside(c));
  }

  private flows(id: number): Node[] {
    const flows = this.app.trace.flowsAt(id);
    if (!flows.length) return [];
    const links = flows.slice(0, 30).map((f) => {
      const out = f.from.id === id;
      const other = out ? f.to : f.from;
      const row = this.app.trace.rows[other.row];
      return el("div", {}, out ? "\u2192 to " : "\u2190 from ", el("button", { type: "button", class: "link", onclick: () => void this.app.goTo(other.row, other.id, other.time) },
        `${row ? this.app.trace.label(row) : "?"} ${place(other.time)}`));
    });
    return [el("b", {}, flows.length > 30 ? `Flows (30 of ${flows.length})` : "Flows"), ...links];
  }

  private statesInside(c: Chosen): Node[] {
    const data = c.data;
    if (!data.states) return [];
    const { trace } = this.app;
    const times = new Times(...this.app.span(c), trace.running);
    times.add(data.states, (s) => s.state);
    const stats = times.list().sort((a, b) => b.time - a.time);
    return stats.length ? [el("b", {}, "The thread meanwhile"), this.list(stats.map((s) => [s.key < 0 ? MIXED : stateLook(trace.text(s.key)).label, atLeast(times.mixed) + duration(s.time)]))] : [];
  }

  private state(c: Chosen): void {
    const { trace } = this.app;
    const s = c.kind === "sched" ? c.data.sched : c.data.states;
    if (!s) return;
    const i = c.item;
    const row = trace.rows[c.row] as Row;
    const look = stateLook(trace.text(s.state[i]));
    const rows: [string, string | Node][] = [["Duration", s.dur[i] < 0 ? "its end was not recorded" : `${duration(s.dur[i])} (${number(s.dur[i])} ns)`], ["Start", this.timeLink(s.start[i])], ...this.where(row)];
    const group = s.count[i];
    if (group) {
      rows.unshift([c.kind === "sched" ? "Switches" : "States", `${number(group)} in a group`]);
      rows.push(c.kind === "sched" ? ["Ran most", this.rowLink(s.other[i])] : ["Mostly", look.label], ["For", duration(s.most[i])], [c.kind === "sched" ? "Busy" : "Running", duration(s.busy[i])]);
    } else if (c.kind === "sched") {
      rows.push(["Ran", this.rowLink(s.other[i])], ["Then", trace.text(s.state[i]) ? stateLook(trace.text(s.state[i])).label : "not recorded"]);
    } else {
      if (s.cpu[i] >= 0) rows.push(["CPU", String(s.cpu[i])]);
      rows.push(["Woken by", s.other[i] >= 0 ? this.rowLink(s.other[i]) : look.label === "Running" ? "\u2013" : "no wake-up was recorded"]);
      const name = trace.text(s.state[i]);
      if (name.startsWith("D")) rows.push(["Cause", name.endsWith("+io") ? "I/O" : name.endsWith("-io") ? "not I/O" : "not recorded"]);
    }
    this.put(el("h2", {}, (group ? `\u00d7${number(group)} ` : "") + (c.kind === "sched" ? this.app.describe(c).replace(/, [^,]*$/, "") : look.label)), el("div", { class: "cols" }, this.list(rows)));
  }

  private value(c: Chosen): void {
    const v = c.data.values;
    const row = this.app.trace.rows[c.row] as Row;
    if (!v) return;
    const before = c.item ? v.value[c.item - 1] : undefined;
    this.put(el("h2", {}, this.app.trace.label(row)), this.list([["Value", `${quantity(v.value[c.item], row.unit)} (${v.value[c.item]})`],
      ["Change", before === undefined ? "\u2013" : quantity(v.value[c.item] - before, row.unit)], ["Since", this.timeLink(v.time[c.item])],
      ["Lowest, highest", `${quantity(v.min, row.unit)}, ${quantity(v.max, row.unit)}`]]));
  }

  private logLine(c: Chosen): void {
    const l = c.data.logs;
    if (!l) return;
    this.put(el("h2", {}, this.app.trace.text(l.text[c.item])), this.list([["Time", this.timeLink(l.time[c.item])], ["Tag", this.app.trace.text(l.tag[c.item])], ["Priority", priority(l.prio[c.item])]]));
  }

  // ---- a range ----

  /** Reads rows one after the other, as many as memory holds. False: there is an error, or something else is looked at by now. */
  private async eachRow(rows: number[], area: Area, use: (data: RowData, row: number) => void | Promise<void>): Promise<boolean> {
    const { tab } = this;
    try {
      for (const n of rows) {
        await use(await this.app.trace.forFigures(n, area.from, area.to), n);
        if (this.tab !== tab) return false;
      }
    } catch (e) {
      this.app.error((e as Error).message);
      return false;
    }
    return true;
  }

  async selection(area: Area): Promise<void> {
    this.area = area;
    this.tab = "Selection";
    this.mark();
    const { trace } = this.app;
    const rows = area.rows.filter((n) => trace.rows[n]?.items).slice(0, 3000);
    this.put(el("p", { class: "note" }, "\u2026"));
    const figures = new SliceStats(area.from, area.to);
    const states = new Times(area.from, area.to, trace.running);
    const ran = new Times(area.from, area.to);
    const values: { row: Row; first: number; last: number; low: number; high: number }[] = [];
    let cores = 0;
    const here = await this.eachRow(rows, area, async (data, n) => {
      figures.add(data);
      for await (const part of trace.statesIn(n, area.from, area.to)) states.add(part, (s) => s.state);
      for await (const part of trace.schedIn(n, area.from, area.to)) ran.add(part, (s) => s.other);
      if (trace.rows[n]?.kind === RowKind.Cpu) cores++;
      const v = data.values;
      if (!v) return;
      const [first, last] = [Math.max(0, v.at(area.from)), Math.max(0, v.at(area.to))];
      const [low, high] = v.range(first, last + 1);
      values.push({ row: trace.rows[n] as Row, first: v.value[first], last: v.value[last], low, high });
    });
    if (!here || this.area !== area || this.tab !== "Selection") return;
    const wide = area.to - area.from;
    const out: Node[] = [el("h2", {}, `${place(area.from)} to ${place(area.to)} \u00b7 ${duration(wide)} \u00b7 ${rows.length} rows`)];
    const tables = el("div", { class: "cols" });
    const slices = figures.list();
    if (slices.length)
      tables.append(table([{ name: "Slice", text: (r) => trace.text(r.name) || "(no name)", go: (r) => this.app.dim(r.name) },
        { name: "Count", text: (r) => number(r.count + r.merged), sort: (r) => r.count + r.merged, number: true },
        { name: "Total", text: (r) => atLeast(r.merged) + duration(r.total), sort: (r) => r.total, number: true },
        { name: "Self", text: (r) => atLeast(r.merged) + duration(r.self), sort: (r) => r.self, number: true },
        { name: "Median", text: (r) => duration(r.p50), sort: (r) => r.p50, number: true },
        { name: "p99", text: (r) => duration(r.p99), sort: (r) => r.p99, number: true },
        { name: "Max", text: (r) => duration(r.max), sort: (r) => r.max, number: true },
        ...(slices.some((r) => r.open) ? [{ name: "No end", text: (r: NameStats) => number(r.open), sort: (r: NameStats) => r.open, number: true }] : [])], slices, 2, "Slices that touch the range, with their whole durations"));
    const spent = states.list().filter((s) => s.key < 0 || stateLook(trace.text(s.key)).height);
    const all = states.total - states.list().reduce((sum, s) => sum + (spent.includes(s) ? 0 : s.time), 0);
    const timed = (name: string, who: (key: number) => string, times: Times, whole: number): Column<TimeStats>[] => [{ name, text: (r) => (r.key < 0 ? MIXED : who(r.key)) },
      { name: "Time", text: (r) => (r.key < 0 ? "" : atLeast(times.mixed)) + duration(r.time), sort: (r) => r.time, number: true },
      { name: "Share", text: (r) => `${((100 * r.time) / whole).toFixed(1)} %`, sort: (r) => r.time, number: true },
      ...(times.mixed ? [] : [{ name: "Times", text: (r: TimeStats) => number(r.count), sort: (r: TimeStats) => r.count, number: true }])];
    if (spent.length)
      tables.append(table(timed("State", (key) => stateLook(trace.text(key)).label, states, all), spent, 1, "What the threads did in the range"));
    const cpu = ran.list();
    if (cpu.length)
      tables.append(table(timed("Thread", (key) => { const row = trace.rows[key]; return row ? trace.label(row) : "?"; }, ran, wide * cores)
        .map((column, k) => (k ? column : { ...column, go: (r: TimeStats) => this.app.showRow(r.key) })), cpu, 1, "Who ran on these cores in the range"));
    if (values.length)
      tables.append(table([{ name: "Counter", text: (r) => trace.label(r.row) },
        ...(["first", "last", "low", "high"] as const).map((key, k) => ({ name: ["First", "Last", "Lowest", "Highest"][k], text: (r: (typeof values)[number]) => quantity(r[key], r.row.unit), sort: (r: (typeof values)[number]) => r[key], number: true }))], values, 0, "Counters"));
    const open = states.open + ran.open;
    if (open) tables.append(el("p", { class: "note" }, `${number(open)} ${open === 1 ? "run or state has" : "runs and states have"} no known end: switches are missing there. They are in no figure.`));
    if (!tables.childElementCount) out.push(el("p", {}, "Nothing in these rows at this time."));
    out.push(tables);
    this.put(...out);
  }

  // ---- flame graphs ----

  private async flame(): Promise<void> {
    const { trace } = this.app;
    const area = this.area ?? { from: 0, to: trace.span, rows: trace.rows.flatMap((r) => (r ? [r.n] : [])) };
    const rows = area.rows.filter((n) => trace.rows[n]?.items && trace.rows[n]?.kind !== RowKind.Counter && trace.rows[n]?.kind !== RowKind.Cpu);
    this.put(el("p", { class: "note" }, "\u2026"));
    const samples = newFlame("all");
    const slices = newFlame("all");
    const here = await this.eachRow(rows, area, (data) => {
      addSamples(samples, trace, data, area.from, area.to);
      addSlices(slices, trace, data, area.from, area.to);
    });
    if (!here) return;
    const what = this.area ? `the chosen range (${duration(area.to - area.from)})` : "the whole trace";
    const out: Node[] = trace.isMemory ? [el("p", { class: "note" }, MEMORY)] : [];
    if (samples.total) out.push(el("h2", {}, `Samples of ${what}`), flameGraph(samples, () => this.app.painter.colors, (n) => samplesText(n, trace.info.samplePeriod), "samples"));
    if (slices.total) out.push(el("h2", {}, `Slices of ${what}`), flameGraph(slices, () => this.app.painter.colors, duration, "slices"));
    out.push(...this.heaps());
    if (!out.length) out.push(el("p", {}, "Neither samples nor slices here. To sample a program: orma profile -- PROGRAM"));
    this.put(...out);
  }

  /** Each heap of each process, by what was not freed; or by all that was allocated. */
  private heaps(): Node[] {
    const { trace } = this.app;
    const heaps = new Map<string, { left: Flame; all: Flame }>();
    for (const part of trace.heaps) {
      const name = `${trace.text(part.process).replace(/^\S+/, shortName)}: ${trace.text(part.heap)}`;
      let heap = heaps.get(name);
      if (!heap) heaps.set(name, (heap = { left: newFlame("all"), all: newFlame("all") }));
      if (part.left[0] > 0) addStack(heap.left, trace, part.site, part.left[0]);
      if (part.all[0] > 0) addStack(heap.all, trace, part.site, part.all[0]);
    }
    const graphs = (name: string, root: Flame, what: string): Node[] => (root.total ? [el("h2", {}, `${name}, ${what}`),
      flameGraph(root, () => this.app.painter.colors, (n) => quantity(n, "bytes"), `${name}, ${what}`)] : []);
    return [...heaps].sort((a, b) => b[1].all.total + b[1].left.total - a[1].all.total - a[1].left.total).slice(0, 20).flatMap(([name, heap]) => [...graphs(name, heap.left, heap.all.total ? "not freed" : "reachable"), ...graphs(name, heap.all, "allocated")]);
  }

  // ---- log, SQL, trace ----

  private async log(): Promise<void> {
    const { trace } = this.app;
    const row = trace.rows.find((r) => r?.kind === RowKind.Log);
    if (!row) {
      this.put(el("p", {}, "This trace has no log messages."));
      return;
    }
    const data = await trace.load(row.n);
    const l = data.logs;
    if (!l || this.tab !== "Log") return;
    const from = this.area?.from ?? this.app.view.from;
    const to = this.area?.to ?? this.app.view.from + this.app.width * this.app.view.nsPerPx;
    const lines = Array.from({ length: l.n }, (_, i) => i).filter((i) => l.time[i] >= from && l.time[i] <= to);
    this.put(table([{ name: "Time", text: (i: number) => place(l.time[i]), sort: (i) => l.time[i], go: (i) => this.app.choose({ row: row.n, kind: "log", item: i, data }, true) },
      { name: "Priority", text: (i) => priority(l.prio[i]), sort: (i) => l.prio[i] }, { name: "Tag", text: (i) => trace.text(l.tag[i]) },
      { name: "Message", text: (i) => trace.text(l.text[i]).trimEnd() }], lines, -1, `${number(lines.length)} of ${number(l.n)} messages: those in ${this.area ? "the chosen range" : "view"}`));
  }

  private sql(): void {
    const { source, info } = this.app.trace;
    if (!source.sql) {
      this.put(el("p", {}, "This page is a file: SQL needs the trace. On a machine that has it:"), el("pre", {}, `orma query ${info.title} 'SELECT ...'`));
      return;
    }
    const text = el("textarea", { spellcheck: "false", "aria-label": "SQL" });
    text.value = this.query;
    const out = el("div");
    const run = async (): Promise<void> => {
      this.query = text.value;
      out.replaceChildren(el("p", { class: "note" }, "\u2026"));
      try {
        const begin = performance.now();
        const answer = await source.sql!(text.value);
        if (answer.error !== undefined) {
          out.replaceChildren(el("pre", {}, answer.error));
          return;
        }
        const ts = answer.columns.indexOf("ts");
        const dur = answer.columns.indexOf("dur");
        const shown = ts >= 0 ? [el("button", { type: "button", class: "small", onclick: () => this.app.showAnswer(answer) }, "Show on the timeline")] : [];
        out.replaceChildren(...shown, table(answer.columns.map((name, k) => ({
          name, text: (r: (string | number | null)[]) => (r[k] === null ? "NULL" : String(r[k])), sort: (r: (string | number | null)[]) => r[k] ?? "",
          number: answer.rows.some((r) => typeof r[k] === "number"),
          ...(k === ts ? { go: (r: (string | number | null)[]) => {
            const at = Number(BigInt(r[k] ?? 0) - this.app.trace.begin);
            this.app.zoomTo(at, at + Math.max(1000, Number(r[dur] ?? 0)));
          } } : {}),
        })), answer.rows, -1, `${number(answer.rows.length)} rows${answer.more ? " and more" : ""}, ${(performance.now() - begin).toFixed(0)} ms`));
      } catch (e) {
        out.replaceChildren(el("pre", {}, (e as Error).message));
      }
    };
    text.addEventListener("keydown", (e) => {
      if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) void run();
    });
    this.put(el("div", { class: "sql" }, text, el("div", { class: "actions" }, el("button", { type: "button", class: "small", onclick: () => void run() }, "Run (Ctrl+Enter)")), out));
  }

  private about(): void {
    const { info, span, begin } = this.app.trace;
    const out: Node[] = [el("h2", {}, info.title), verdict(info.losses)];
    const cols = el("div", { class: "cols" });
    if (info.problems.length)
      cols.append(table([{ name: "Problem", text: (r: [string, number | string, string, number]) => `${r[0]}${r[1] !== "" && r[1] !== null ? `[${r[1]}]` : ""}` }, { name: "Value", text: (r) => number(r[3]), sort: (r) => r[3], number: true },
        { name: "Severity", text: (r) => r[2] }], info.problems, 1, "Problems while recording or reading"));
    const { marks } = this.app;
    if (marks.length)
      cols.append(table<Note>([{ name: "Notes and marks", text: (r) => r.text || "(a mark)", go: (r) => this.app.zoomTo(r.from, r.to) }, { name: "At", text: (r) => place(r.from), sort: (r) => r.from, number: true },
        { name: "", text: () => "Change", go: (r) => writeNote(r.text, (text) => {
          r.text = text;
          this.app.changed();
          this.noted();
        }) }, { name: "", text: () => "Remove", go: (r) => {
          this.app.marks = this.app.marks.filter((m) => m !== r);
          this.app.changed();
          this.noted();
        } }], marks, 1, "Notes"));
    const { gaps } = this.app.trace;
    if (gaps.length)
      cols.append(table([{ name: "Where", text: (r: (typeof gaps)[number]) => { const row = this.app.trace.rows[r.row]; return row ? this.app.trace.label(row) : "?"; }, go: (r) => this.app.showRow(r.row) }, { name: "Before", text: (r) => place(r.to), sort: (r) => r.to, go: (r) => void this.app.trace.load(r.row).then(() => this.app.zoomTo(r.from, r.to)) },
        { name: "What", text: (r) => r.reason }], gaps, -1, "Gaps: data is missing before these times"));
    const times: [string, string][] = this.app.trace.isMemory ? [["Taken at", `${begin} ns of the trace's clock`]] : [["Length", duration(span)], ["Begins at", `${begin} ns of the trace's clock`]];
    cols.append(this.list([...times, ...info.facts.map(([k, v]) => [k.replace(/_/g, " "), v] as [string, string])]));
    out.push(cols);
    this.put(...out);
  }
}
