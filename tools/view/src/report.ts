// The sections of `orma report` as a page: tables with bars, lines over time, what is missing beside the figures.

import type { App } from "./app";
import { el, verdict } from "./dom";
import { flameGraph } from "./flame";
import { cpuPlot, waitPlot } from "./plots";
import { addSamples, newFlame } from "./stats";
import { duration, number, place, quantity, samples } from "./time";

type Cell = string | number | null | (number | null)[];

interface Section {
  name: string;
  question?: string;
  columns?: { name: string; unit?: string }[];
  rows?: Record<string, Cell>[];
  more?: boolean;
  notes?: string[];
  sql?: string;
  lacks?: string;
  record?: string;
}

export interface Report {
  start_ts: number | string; // a text where numbers of JSON are too coarse
  from_ts: number;
  to_ts: number;
  losses: string;
  scope?: string; // what of the trace it is about, where that is not all
  sections: Section[];
}

function spark(values: (number | null)[], color: string): SVGElement {
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  const [w, h] = [130, 18];
  const known = values.filter((v) => v !== null);
  const low = Math.min(0, ...known);
  const high = Math.max(...known, low + 1e-9);
  svg.setAttribute("viewBox", `0 0 ${w} ${h}`);
  svg.setAttribute("width", String(w));
  svg.setAttribute("height", String(h));
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `over time, from ${quantity(Math.min(...known), "")} to ${quantity(Math.max(...known), "")}`);
  values.forEach((v, i) => {
    if (v === null) return;
    const bar = document.createElementNS(ns, "rect");
    const tall = Math.max(1, ((v - low) / (high - low)) * (h - 1));
    bar.setAttribute("x", String((i * w) / values.length));
    bar.setAttribute("width", String(Math.max(0.5, w / values.length - 0.7)));
    bar.setAttribute("y", String(h - tall));
    bar.setAttribute("height", String(tall));
    bar.setAttribute("fill", color);
    svg.append(bar);
  });
  return svg;
}

const ID = /^(u?tid|u?pid|u?cpu|id|slice_id|track_id|irq|prio.*)$/;

/** Units stand in the cells. */
function heading(name: string): string {
  return name.replace(/_(ns|ts)$/, "").replace(/_pct$/, " %").replace(/_/g, " ");
}

function shown(cell: Cell, unit: string | undefined, name: string): string {
  if (cell === null || Array.isArray(cell)) return "";
  if (typeof cell === "string" || ID.test(name)) return String(cell);
  if (unit === "ns") return duration(cell);
  if (unit === "percent" || unit === "%") return `${cell.toFixed(1)} %`;
  if (unit === "bytes") return quantity(cell, "bytes");
  return number(cell);
}

export class ReportPage {
  readonly root = el("main", { class: "report", hidden: true, tabindex: 0, "aria-label": "Report" });

  constructor(private readonly app: App, private readonly report: Report) {
    const picked = report.sections.filter((s) => s.rows?.length);
    const absent = report.sections.filter((s) => s.lacks !== undefined);
    this.root.append(
      ...(report.scope ? [el("p", { class: "note" }, report.scope)] : []),
      verdict(report.losses),
      el("nav", { "aria-label": "Sections" }, ...picked.map((s) => el("a", { href: `#report-${s.name}`, onclick: (e: Event) => {
        e.preventDefault();
        document.getElementById(`report-${s.name}`)?.scrollIntoView();
      } }, s.name.replace(/-/g, " ")))),
      ...picked.map((s) => this.section(s)));
    void this.plots();
    if (absent.length)
      this.root.append(el("section", {}, el("h2", {}, "Not in this trace"),
        el("dl", {}, ...absent.flatMap((s) => [el("dt", {}, s.name), el("dd", {}, `no ${s.lacks}. `, s.record ? el("code", {}, s.record) : "")]))));
  }

  private section(s: Section): HTMLElement {
    const columns = s.columns ?? [];
    const rows = s.rows ?? [];
    const most = columns.map((c) => (c.unit === "ns" || c.unit === "bytes" ? Math.max(0, ...rows.map((r) => (typeof r[c.name] === "number" ? (r[c.name] as number) : 0))) : 0));
    const kept = columns.map((_, k) => k).filter((k) => !/^u(tid|pid|cpu)$/.test(columns[k].name) && rows.some((r) => r[columns[k].name] !== null));
    const numbers = columns.map((c) => rows.every((row) => row[c.name] === null || typeof row[c.name] === "number")); // texts among them: all stand left
    const body = rows.map((row) => el("tr", {}, ...kept.map((k) => this.cell(row[columns[k].name], columns[k], most[k], numbers[k]))));
    const sql = el("details", {}, el("summary", {}, "SQL"), el("pre", {}, s.sql ?? ""));
    return el("section", { id: `report-${s.name}` }, el("h2", {}, s.question ?? s.name),
      ...(s.notes ?? []).map((note) => el("p", { class: "missing" }, `! ${note}`)),
      el("div", { class: "wide" }, el("table", {}, el("thead", {}, el("tr", {}, ...kept.map((k) => el("th", { scope: "col", class: columns[k].unit || numbers[k] ? "num" : "" }, heading(columns[k].name))))),
        el("tbody", {}, ...body))),
      ...(s.more ? [el("p", { class: "note" }, `More: orma report TRACE ${s.name} --top 0`)] : []), sql);
  }

  private cell(cell: Cell, column: { name: string; unit?: string }, most: number, numbers: boolean): HTMLElement {
    const c = this.app.painter.colors;
    if (Array.isArray(cell)) return el("td", {}, spark(cell, c.counterLine));
    if (column.unit === "timestamp_ns" && cell !== null && cell !== "") {
      const at = Number(BigInt(cell) - BigInt(this.report.start_ts));
      return el("td", { class: "num" }, el("button", { type: "button", class: "link", onclick: () => {
        this.app.showReport(false);
        this.app.zoomTo(at - 2e5, at + 2e6);
      } }, place(at)));
    }
    const text = shown(cell, column.unit, column.name);
    const ret = el("td", { class: numbers ? "num" : "", title: text.length > 50 ? text : "" }, text);
    if (most > 0 && typeof cell === "number" && cell > 0) {
      ret.classList.add("bar");
      ret.style.setProperty("--share", `${((100 * cell) / most).toFixed(1)}%`);
    }
    return ret;
  }

  private async plots(): Promise<void> {
    try {
      for (const [name, make] of [["cpus", cpuPlot], ["latency", waitPlot]] as const) {
        const section = this.root.querySelector(`#report-${name} h2`);
        const figure = section && (await make(this.app));
        if (figure) section.after(figure);
      }
      await this.samples();
    } catch (e) {
      this.app.error((e as Error).message);
    }
  }

  private async samples(): Promise<void> {
    const { trace } = this.app;
    if (!trace.sites.size) return;
    const flame = newFlame("all");
    for (const row of trace.rows) if (row?.items) addSamples(flame, trace, await trace.load(row.n), 0, trace.span);
    if (flame.total) this.root.append(el("section", { id: "report-samples" }, el("h2", {}, "Where did the samples fall?"), flameGraph(flame, () => this.app.painter.colors, (n) => samples(n, trace.info.samplePeriod), "samples")));
  }
}
