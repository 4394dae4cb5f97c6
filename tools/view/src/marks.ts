// What is drawn over and above the rows: what is chosen, flows, marks, the ruler, the whole trace.

import type { App } from "./app";
import { hueOf } from "./color";
import { shown } from "./dom";
import { duration, place, step, tick } from "./time";
import { type Row, RowKind } from "./trace";
import { LANE, type Line, STATE } from "./tree";

export class Marks {
  sums: Float64Array | undefined;

  constructor(private readonly app: App) {}

  /** What is before and after the trace is not part of it. */
  drawEdges(ctx: CanvasRenderingContext2D): void {
    const left = (0 - this.app.view.from) / this.app.view.nsPerPx;
    const right = (this.app.trace.span - this.app.view.from) / this.app.view.nsPerPx;
    ctx.fillStyle = this.app.painter.theme === "dark" ? "rgba(0,0,0,.45)" : "rgba(90,100,120,.12)";
    if (left > 0) ctx.fillRect(0, 0, left, this.app.height);
    if (right < this.app.width) ctx.fillRect(right, 0, this.app.width - right, this.app.height);
    const { partial } = this.app.trace.info;
    if (!partial || partial.until >= this.app.trace.span) return;
    const from = Math.max(0, (partial.until - this.app.view.from) / this.app.view.nsPerPx);
    ctx.fillRect(from, 0, Math.max(0, right - from), this.app.height);
    ctx.font = "12px system-ui, sans-serif";
    ctx.textBaseline = "middle";
    ctx.fillStyle = this.app.painter.colors.dim;
    if (right - from > 120) ctx.fillText("not read yet", from + 8, 14);
  }

  drawChosen(ctx: CanvasRenderingContext2D, lines: Line[], scroll: number): void {
    const c = this.app.chosen;
    if (!c) return;
    const [from, to] = this.app.span(c);
    const x = (from - this.app.view.from) / this.app.view.nsPerPx;
    const w = Math.max((to - from) / this.app.view.nsPerPx, 2);
    const slices = c.data.slices;
    for (const line of lines) {
      if (line.row !== c.row) continue;
      const y = line.y - scroll + (c.kind === "slice" && slices ? this.app.laneTop(c.row, slices.depth[c.item]) : 0);
      const h = c.kind === "slice" ? LANE - 2 : c.kind === "state" ? STATE + 2 : line.height - 2;
      ctx.strokeStyle = this.app.painter.colors.selection;
      ctx.lineWidth = 2;
      ctx.strokeRect(Math.max(x, -5) - 1, y - 1, Math.min(w, this.app.width + 10) + 2, h + 2);
    }
  }

  drawFlows(ctx: CanvasRenderingContext2D, lines: Line[], scroll: number): void {
    const c = this.app.chosen;
    const s = c?.kind === "slice" ? c.data.slices : undefined;
    if (!c || !s || s.count[c.item]) return;
    const at = (row: number, id: number): number | undefined => {
      const line = lines.find((l) => l.row === row);
      const own = this.app.trace.best(row, this.app.time(0), this.app.time(this.app.width), this.app.view.nsPerPx).data?.slices;
      if (!line) return undefined;
      const i = own ? own.id.indexOf(id) : -1;
      return line.y - scroll + this.app.laneTop(row, i >= 0 ? own!.depth[i] : 0) + LANE / 2 - 1;
    };
    ctx.strokeStyle = ctx.fillStyle = this.app.painter.colors.accent;
    ctx.lineWidth = 1.5;
    for (const flow of this.app.trace.flowsAt(s.id[c.item]).slice(0, 200)) {
      const y0 = at(flow.from.row, flow.from.id);
      const y1 = at(flow.to.row, flow.to.id);
      if (y0 === undefined || y1 === undefined) continue;
      const x0 = (flow.from.time - this.app.view.from) / this.app.view.nsPerPx;
      const x1 = (flow.to.time - this.app.view.from) / this.app.view.nsPerPx;
      const bend = Math.max(20, Math.abs(x1 - x0) / 2);
      ctx.beginPath();
      ctx.moveTo(x0, y0);
      ctx.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
      ctx.stroke();
      ctx.beginPath();
      ctx.moveTo(x1, y1);
      ctx.lineTo(x1 - 7, y1 - 3.5);
      ctx.lineTo(x1 - 7, y1 + 3.5);
      ctx.fill();
    }
  }

  drawArea(ctx: CanvasRenderingContext2D, lines: Line[], scroll: number): void {
    for (const mark of this.app.marks) {
      ctx.fillStyle = "rgba(213,94,0,.13)";
      const x = (mark.from - this.app.view.from) / this.app.view.nsPerPx;
      ctx.fillRect(x, 0, Math.max((mark.to - mark.from) / this.app.view.nsPerPx, 1), this.app.height);
      if (mark.text) this.flag(ctx, mark.text, x);
    }
    if (!this.app.area) return;
    const x0 = (this.app.area.from - this.app.view.from) / this.app.view.nsPerPx;
    const x1 = (this.app.area.to - this.app.view.from) / this.app.view.nsPerPx;
    const rows = new Set(this.app.area.rows);
    ctx.fillStyle = this.app.painter.theme === "dark" ? "rgba(122,167,255,.18)" : "rgba(26,86,219,.13)";
    for (const line of lines) if (rows.has(line.row)) ctx.fillRect(x0, line.y - scroll, x1 - x0, line.height);
    ctx.fillStyle = this.app.painter.colors.selection;
    ctx.fillRect(x0 - 0.5, 0, 1, this.app.height);
    ctx.fillRect(x1 - 0.5, 0, 1, this.app.height);
  }

  /** The first words of a note, at its begin. */
  private flag(ctx: CanvasRenderingContext2D, note: string, x: number): void {
    const text = shown(note.length > 40 ? `${note.slice(0, 39)}\u2026` : note);
    ctx.font = "11px system-ui, sans-serif";
    ctx.textBaseline = "middle";
    const w = ctx.measureText(text).width + 10;
    if (x + w < 0 || x > this.app.width) return;
    ctx.fillStyle = "#b04a00";
    ctx.fillRect(x, this.app.height - 18, w, 17);
    ctx.fillRect(x, 0, 1, this.app.height);
    ctx.fillStyle = "#fff";
    ctx.fillText(text, x + 5, this.app.height - 9);
  }

  drawOverview(dpr: number): void {
    const ctx = this.app.overview.getContext("2d") as CanvasRenderingContext2D;
    const width = this.app.main.clientWidth;
    const c = this.app.painter.colors;
    ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
    ctx.fillStyle = c.faint;
    ctx.fillRect(0, 0, width, 34);
    const sums = this.total();
    const part = this.app.width / sums.length;
    const busiest = this.isFull(sums) ? this.busiest() : [];
    if (busiest.length > 1) {
      const tall = 32 / busiest.length;
      busiest.forEach(({ row, bytes }, k) => {
        ctx.fillStyle = c.fill[hueOf(row.name)];
        bytes.forEach((share, i) => {
          ctx.globalAlpha = share / 255;
          ctx.fillRect(this.app.headWidth + (i * this.app.width) / bytes.length, 1 + k * tall, this.app.width / bytes.length + 0.5, tall - 1);
        });
      });
    } else {
      ctx.fillStyle = c.counterLine;
      ctx.globalAlpha = 0.6;
      sums.forEach((share, i) => ctx.fillRect(this.app.headWidth + i * part, 34 - 32 * share, part + 0.5, 32 * share));
    }
    ctx.globalAlpha = 1;
    const scale = this.app.width / Math.max(1, this.app.trace.span);
    const x = this.app.headWidth + Math.max(0, this.app.view.from) * scale;
    const end = this.app.headWidth + Math.min(this.app.trace.span, this.app.view.from + this.app.width * this.app.view.nsPerPx) * scale;
    ctx.fillStyle = this.app.painter.theme === "dark" ? "rgba(0,0,0,.5)" : "rgba(80,90,110,.25)";
    ctx.fillRect(this.app.headWidth, 0, x - this.app.headWidth, 34);
    ctx.fillRect(end, 0, this.app.headWidth + this.app.width - end, 34);
    ctx.strokeStyle = c.accent;
    ctx.strokeRect(x - 0.5, 0.5, Math.max(end - x, 2) + 1, 33);
    ctx.fillStyle = c.dim;
    ctx.font = "11px system-ui, sans-serif";
    ctx.textBaseline = "middle";
    ctx.fillText(busiest.length > 1 ? "whole trace: the busiest processes" : "whole trace", 8, 17, this.app.headWidth - 12);
    ctx.fillStyle = this.app.painter.colors.hatch;
    for (const gap of this.app.trace.gaps) ctx.fillRect(this.app.headWidth + gap.to * scale - 1, 0, 2, 34);
    for (const mark of this.app.marks) {
      ctx.fillStyle = "#D55E00";
      ctx.fillRect(this.app.headWidth + mark.from * scale, 0, Math.max(2, (mark.to - mark.from) * scale), 4);
    }
  }

  /** Where cores are at work all the time, their sum tells nothing. */
  private isFull(sums: Float64Array): boolean {
    return sums.filter((share) => share > 0.85).length > 0.8 * sums.length;
  }

  /** The processes that were at work most, each against its own busiest time. */
  private busiest(): { row: Row; bytes: Uint8Array }[] {
    const { trace } = this.app;
    return [...trace.overview].flatMap(([n, bytes]) => {
      const row = trace.rows[n];
      return row?.kind === RowKind.Process ? [{ row, bytes }] : [];
    }).sort((a, b) => b.row.rank - a.row.rank).slice(0, 4);
  }

  total(): Float64Array {
    if (this.sums) return this.sums;
    const parts = [...this.app.trace.overview];
    const cpus = parts.filter(([row]) => this.app.trace.rows[row]?.children.some((k) => this.app.trace.rows[k]?.kind === RowKind.Cpu));
    const taken = cpus.length ? cpus : parts;
    const sums = new Float64Array(taken[0]?.[1].length ?? 0);
    for (const [, bytes] of taken) for (let i = 0; i < sums.length; i++) sums[i] += bytes[i];
    const most = sums.reduce((a, b) => Math.max(a, b), 1);
    this.sums = sums.map((v) => v / most);
    return this.sums;
  }

  /** Where something is going on in any row: shares of the trace. If nearly all is in less than half of it, that. */
  busy(): [number, number] {
    const rows = [...this.app.trace.overview.values()];
    const parts = rows[0]?.length ?? 1;
    const sums = Float64Array.from({ length: parts }, (_, k) => rows.reduce((sum, bytes) => sum + (bytes[k] ?? 0), 0));
    const all = sums.reduce((a, b) => a + b, 0);
    if (!all) return [0, 1];
    /** Without what little stands before and behind. */
    const within = (left: number): [number, number] => {
      let [first, last] = [0, parts];
      for (let gone = sums[0]; gone <= left; gone += sums[++first]);
      for (let gone = sums[parts - 1]; gone <= left; gone += sums[--last - 1]);
      return [first / parts, last / parts];
    };
    const most = within(all / 50);
    return most[1] - most[0] < 0.5 ? most : within(0);
  }

  drawRuler(dpr: number): void {
    const ctx = this.app.ruler.getContext("2d") as CanvasRenderingContext2D;
    const c = this.app.painter.colors;
    ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
    ctx.fillStyle = c.background;
    ctx.fillRect(0, 0, this.app.main.clientWidth, 24);
    const by = step(this.app.view.nsPerPx * 110);
    const base = Math.floor(this.app.view.from / (by * 10)) * by * 10;
    ctx.font = "11px system-ui, sans-serif";
    ctx.textBaseline = "middle";
    ctx.fillStyle = c.dim;
    const wide = this.app.width * this.app.view.nsPerPx;
    const chosen = this.chosenInRuler(ctx);
    const origin = wide < this.app.trace.span / 50 && base > 0;
    ctx.fillText(origin ? place(base) : `${duration(wide)} in view`, 8, 12, this.app.headWidth - 12);
    for (let t = Math.ceil(this.app.view.from / by) * by; t < this.app.view.from + wide; t += by) {
      const x = this.app.headWidth + (t - this.app.view.from) / this.app.view.nsPerPx;
      if (x < this.app.headWidth) continue;
      ctx.fillStyle = c.grid;
      ctx.fillRect(x, 0, 1, 24);
      ctx.fillStyle = c.dim;
      const text = origin ? `+${tick(t - base, by)}` : tick(t, by);
      const end = x + 4 + ctx.measureText(text).width;
      if (end <= this.app.main.clientWidth && (!chosen || x + 4 > chosen.to || end + 4 < chosen.from)) ctx.fillText(text, x + 4, 12);
    }
    ctx.fillStyle = c.hatch;
    for (const gap of this.app.trace.gaps) {
      const x = this.app.headWidth + (gap.to - this.app.view.from) / this.app.view.nsPerPx;
      if (x >= this.app.headWidth && x < this.app.headWidth + this.app.width) ctx.fillRect(x - 1, 0, 2, 24);
    }
    if (!chosen) return;
    ctx.fillStyle = c.accent;
    ctx.fillRect(chosen.x, 20, Math.max(2, chosen.end - chosen.x), 4);
    if (chosen.text) ctx.fillText(chosen.text, chosen.from, 11);
  }

  /** Of what is chosen: where it lies in the ruler, and where its length is written, if there is room. */
  private chosenInRuler(ctx: CanvasRenderingContext2D): { x: number; end: number; from: number; to: number; text: string } | undefined {
    const { area, chosen, headWidth, width, view } = this.app;
    const [begin, last] = area ? [area.from, area.to] : chosen ? this.app.span(chosen) : [NaN, NaN];
    const x = headWidth + Math.max(0, (begin - view.from) / view.nsPerPx);
    const end = headWidth + Math.min(width, (last - view.from) / view.nsPerPx);
    if (!(end >= headWidth && x <= headWidth + width)) return undefined;
    const text = duration(last - begin);
    const w = ctx.measureText(text).width;
    const middle = (x + end - w) / 2;
    return end - x > w + 12 ? { x, end, from: middle - 4, to: middle + w + 4, text } : { x, end, from: x, to: x, text: "" };
  }
}
