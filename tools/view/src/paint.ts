// Draws rows. What is filled is painted into strips, one a row and wider than the window; while the
// view moves, strips are only shifted and scaled. Labels and marks are drawn afresh each frame.

import { COLORS, type Colors, hueOf, stateLook, type StateLook, type Theme } from "./color";
import { shown } from "./dom";
import type { Lane } from "./lane";
import { quantity } from "./time";
import { type Row, type RowData, RowKind, type States, type Trace } from "./trace";
import { LANE, STATE, type Line } from "./tree";

export interface View {
  from: number; // ns at the left edge
  nsPerPx: number;
}

interface Label { start: number; end: number; y: number; text: number | string; group: number }

interface Strip {
  canvas: OffscreenCanvas;
  from: number;
  nsPerPx: number;
  width: number;
  height: number;
  dpr: number;
  theme: Theme;
  data: RowData | undefined; // of which it was painted
  labels: Label[];
  used: number;
  dim: number;
}

const MARGIN = 0.5; // of a window, on both sides
const KEPT = 160; // strips

export class Painter {
  theme: Theme = "light";
  dim = -1; // a name: all others are drawn faint
  stats = { painted: 0, rects: 0, frame: 0 };
  drawn = false; // items of some row
  private readonly strips = new Map<string, Strip>();
  private readonly hues = new Map<number, number>();
  private readonly widths = new Map<string, number>();
  private readonly looks = new Map<number, StateLook>();
  private readonly patterns = new Map<string, CanvasPattern>();
  private turn = 0;

  constructor(private readonly trace: Trace, private readonly wanted: (row: number, from: number, to: number, nsPerPx: number) => void) {}

  get colors(): Colors {
    return COLORS[this.theme];
  }

  forget(): void {
    this.strips.clear();
    this.patterns.clear();
  }

  hue(name: number): number {
    let hue = this.hues.get(name);
    if (hue === undefined) this.hues.set(name, (hue = hueOf(this.trace.text(name))));
    return hue;
  }

  look(state: number): StateLook {
    let look = this.looks.get(state);
    if (!look) this.looks.set(state, (look = stateLook(this.trace.text(state))));
    return look;
  }

  /** Paints lines into the canvas; false when strips are still to be painted better. */
  frame(ctx: CanvasRenderingContext2D, lines: Line[], view: View, width: number, scroll: number, dpr: number, until: number): boolean {
    const begin = performance.now();
    let settled = true;
    this.turn++;
    this.stats.painted = this.stats.rects = 0;
    for (const line of lines) {
      const y = line.y - scroll;
      ctx.fillStyle = line.level === 0 && line.folds ? this.colors.faint : this.colors.background;
      ctx.fillRect(0, y, width, line.height);
      if (line.row >= 0) settled = this.line(ctx, line, y, view, width, dpr, until) && settled;
      ctx.fillStyle = this.colors.grid;
      ctx.fillRect(0, y + line.height - 1, width, 1);
    }
    this.evict();
    this.stats.frame = performance.now() - begin;
    return settled;
  }

  private fits(strip: Strip, view: View, width: number): boolean {
    return strip.nsPerPx === view.nsPerPx && strip.from <= Math.max(0, view.from)
      && strip.from + strip.width * strip.nsPerPx >= Math.min(this.trace.span, view.from + width * view.nsPerPx);
  }

  private line(ctx: CanvasRenderingContext2D, line: Line, y: number, view: View, width: number, dpr: number, until: number): boolean {
    const row = this.trace.rows[line.row] as Row;
    const margin = width * MARGIN * view.nsPerPx;
    const { data, good: best } = this.trace.best(line.row, view.from, view.from + width * view.nsPerPx, view.nsPerPx, margin);
    if (row.items && !best) this.wanted(line.row, view.from - margin, view.from + width * view.nsPerPx + margin, view.nsPerPx);
    let strip = this.strips.get(line.key);
    if (strip && (strip.height !== line.height || strip.dpr !== dpr || strip.theme !== this.theme)) strip = undefined;
    let good = strip && strip.data === data && strip.dim === this.dim && this.fits(strip, view, width);
    if (!good && (!strip || performance.now() < until)) {
      strip = this.paint(line, row, data, view, width, dpr, strip);
      this.strips.set(line.key, strip);
      good = true;
    }
    if (!strip) return false;
    strip.used = this.turn;
    const x = (strip.from - view.from) / view.nsPerPx;
    const wide = (strip.width * strip.nsPerPx) / view.nsPerPx;
    ctx.drawImage(strip.canvas, x, y, wide, strip.height);
    this.labels(ctx, strip, y, view, width);
    if (row.kind === RowKind.Counter && data?.values) this.scale(ctx, data, row, y, line.height);
    return !!good;
  }

  private paint(line: Line, row: Row, data: RowData | undefined, view: View, width: number, dpr: number, old?: Strip): Strip {
    const wide = Math.ceil(width * (1 + 2 * MARGIN));
    const canvas = old && old.canvas.width === wide * dpr && old.canvas.height === line.height * dpr ? old.canvas : new OffscreenCanvas(Math.max(1, wide * dpr), Math.max(1, line.height * dpr));
    const strip: Strip = { canvas, from: view.from - width * MARGIN * view.nsPerPx, nsPerPx: view.nsPerPx, width: wide, height: line.height,
                           dpr, theme: this.theme, data, labels: [], used: this.turn, dim: this.dim };
    const ctx = canvas.getContext("2d") as OffscreenCanvasRenderingContext2D;
    ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
    ctx.clearRect(0, 0, wide, line.height);
    this.stats.painted++;
    if (row.kind === RowKind.Group || row.kind === RowKind.Process) this.overview(ctx, strip, row, line.open);
    if (row.items && !data) {
      ctx.fillStyle = this.colors.grid;
      ctx.fillRect(0, line.height / 2, wide, 1);
    }
    if (!data) {
      this.gaps(ctx, strip, line.row);
      return strip;
    }
    this.drawn = true;
    const top = data.stateLane ? STATE + 3 : 3;
    if (data.stateLane && data.states) this.states(ctx, strip, data.stateLane, data.states);
    if (data.schedLane && data.sched) this.sched(ctx, strip, data);
    data.lanes.forEach((lane, depth) => this.slices(ctx, strip, lane, data, top + depth * LANE));
    if (data.values) this.values(ctx, strip, data);
    if (data.logs) this.ticks(ctx, strip, data.logs.time, data.logs.prio);
    if (data.samples) this.sampleTicks(ctx, strip, data.samples.time, data.stateLane ? STATE : 0);
    this.gaps(ctx, strip, line.row);
    return strip;
  }

  /** Hatched, over the whole height, never too narrow to be seen. */
  private gaps(ctx: OffscreenCanvasRenderingContext2D, strip: Strip, row: number): void {
    for (const gap of this.trace.gaps) {
      if (gap.row !== row) continue;
      const end = (gap.to - strip.from) / strip.nsPerPx;
      const x = Math.max(-6, Math.min((gap.from - strip.from) / strip.nsPerPx, end - 3));
      if (end < 0 || x > strip.width) continue;
      const w = Math.min(end, strip.width + 6) - x;
      ctx.fillStyle = this.colors.background;
      ctx.globalAlpha = 0.75;
      ctx.fillRect(x, 1, w, strip.height - 3);
      ctx.globalAlpha = 1;
      ctx.fillStyle = this.texture(ctx, "hatch");
      ctx.fillRect(x, 1, w, strip.height - 3);
      ctx.fillStyle = this.colors.hatch;
      ctx.fillRect(end - 1, 1, 1.5, strip.height - 3);
      if (w > 60) strip.labels.push({ start: gap.from, end: gap.to, y: 0, text: gap.reason, group: 0 });
    }
  }

  private slices(ctx: OffscreenCanvasRenderingContext2D, strip: Strip, lane: Lane, data: RowData, y: number): void {
    const s = data.slices!;
    const { fill, edge } = this.colors;
    const px = 1 / strip.nsPerPx;
    lane.walk(strip.from, strip.from + strip.width * strip.nsPerPx, strip.nsPerPx, (start, end, item, num) => {
      const i = lane.number(item);
      const name = s.name[i];
      const hue = this.hue(name);
      const x = Math.max((start - strip.from) * px, -2);
      const w = Math.min((end - strip.from) * px, strip.width + 2) - x;
      const group = s.count[i];
      ctx.globalAlpha = this.dim >= 0 && name !== this.dim ? 0.25 : group ? Math.max(0.4, Math.min(1, s.busy[i] / Math.max(1, s.dur[i]))) : 1;
      ctx.fillStyle = fill[hue];
      ctx.fillRect(x, y, Math.max(w - (w > 3 ? 0.5 : 0), 1), LANE - 2);
      this.stats.rects++;
      if (w > 6) { // of narrow ones side by side, edges would be all that is seen
        ctx.fillStyle = edge[hue];
        ctx.fillRect(x, y, 1, LANE - 2);
        if (s.dur[i] < 0) this.torn(ctx, x, y, w);
        if (w >= 22) strip.labels.push({ start, end, y, text: name, group: group || (num > 1 ? num : 0) });
      }
      ctx.globalAlpha = 1;
    });
  }

  /** Its end was not recorded: it fades out. */
  private torn(ctx: OffscreenCanvasRenderingContext2D, x: number, y: number, w: number, h = LANE - 2): void {
    const gradient = ctx.createLinearGradient(x, 0, x + w, 0);
    gradient.addColorStop(0, `${this.colors.background}00`);
    gradient.addColorStop(1, this.colors.background);
    ctx.fillStyle = gradient;
    ctx.fillRect(x + Math.min(1, w / 2), y, w, h);
  }

  /** Of several in one pixel or group: what they mostly are, and before it, as high as its share, that the thread ran. */
  private states(ctx: OffscreenCanvasRenderingContext2D, strip: Strip, lane: Lane, s: States): void {
    const px = 1 / strip.nsPerPx;
    const running = stateLook("Running");
    lane.walk(strip.from, strip.from + strip.width * strip.nsPerPx, strip.nsPerPx, (start, end, item, num, first) => {
      const x = Math.max((start - strip.from) * px, -2);
      const w = Math.max(Math.min((end - strip.from) * px, strip.width + 2) - x, 1);
      const bar = (look: StateLook, height: number): void => {
        if (!height) return;
        const h = Math.max(1, Math.round(STATE * height));
        ctx.fillStyle = this.theme === "dark" ? look.dark : look.light;
        ctx.fillRect(x, 1 + STATE - h, w, h);
        this.stats.rects++;
        if (!look.texture || w <= 4) return;
        ctx.fillStyle = this.texture(ctx, look.texture);
        ctx.fillRect(x, 1 + STATE - h, w, h);
      };
      const look = this.look(s.state[item]);
      const several = num > 1 || s.count[item] > 0;
      if (!several || look.label !== running.label) bar(look, look.height);
      if (!several && s.dur[item] < 0) this.torn(ctx, x, 1, w, STATE);
      if (!several) return;
      const share = lane.share(first, num);
      ctx.globalAlpha = Math.max(0.35, Math.min(1, STATE * share));
      bar(running, share);
      ctx.globalAlpha = 1;
    });
  }

  private texture(ctx: OffscreenCanvasRenderingContext2D, kind: string): CanvasPattern | string {
    let pattern = this.patterns.get(kind);
    if (!pattern) {
      const tile = new OffscreenCanvas(6, 6);
      const t = tile.getContext("2d") as OffscreenCanvasRenderingContext2D;
      t.strokeStyle = t.fillStyle = kind === "hatch" ? this.colors.hatch : "rgba(0,0,0,.45)";
      if (kind === "dots") t.fillRect(1, 2, 2, 2);
      else if (kind === "bars") t.fillRect(1, 0, 2, 6);
      else {
        t.beginPath();
        t.moveTo(0, 6);
        t.lineTo(6, 0);
        if (kind === "cross") {
          t.moveTo(0, 0);
          t.lineTo(6, 6);
        }
        t.stroke();
      }
      const made = ctx.createPattern(tile, "repeat");
      if (!made) return "transparent";
      this.patterns.set(kind, (pattern = made));
    }
    return pattern;
  }

  private sched(ctx: OffscreenCanvasRenderingContext2D, strip: Strip, data: RowData): void {
    const s = data.sched!;
    const px = 1 / strip.nsPerPx;
    const lane = data.schedLane!;
    lane.walk(strip.from, strip.from + strip.width * strip.nsPerPx, strip.nsPerPx, (start, end, item, num, first) => {
      const row = this.trace.rows[s.other[item]];
      const process = row && row.parent >= 0 ? this.trace.rows[row.parent] : row;
      const hue = hueOf(process?.name ?? "");
      const x = Math.max((start - strip.from) * px, -2);
      const w = Math.min((end - strip.from) * px, strip.width + 2) - x;
      const several = num > 1 || s.count[item] > 0;
      ctx.globalAlpha = several ? Math.min(1, 0.2 + 0.8 * lane.share(first, num)) : 1; // it was idle in between
      ctx.fillStyle = this.colors.fill[hue];
      ctx.fillRect(x, 2, Math.max(w - (w > 3 ? 0.5 : 0), 1), strip.height - 5);
      ctx.globalAlpha = 1;
      this.stats.rects++;
      if (w > 3) {
        ctx.fillStyle = this.colors.edge[hue];
        ctx.fillRect(x, 2, 1, strip.height - 5);
        if (s.dur[item] < 0 && num === 1) this.torn(ctx, x, 2, w);
        if (w >= 22 && !several && row) strip.labels.push({ start, end, y: 2, text: row.name || String(row.id), group: 0 });
      }
    });
  }

  private values(ctx: OffscreenCanvasRenderingContext2D, strip: Strip, data: RowData): void {
    const v = data.values!;
    const low = Math.min(0, v.min);
    const high = Math.max(v.max, low + 1e-9);
    const inner = strip.height - 6;
    const y = (value: number): number => 3 + inner * (1 - (value - low) / (high - low));
    const zero = y(Math.max(0, low));
    let i = Math.max(0, v.at(strip.from));
    ctx.fillStyle = this.colors.counter;
    const line = new Path2D();
    let last: number | undefined;
    const wide = Math.min(strip.width, (this.trace.span - strip.from) / strip.nsPerPx);
    for (let x = 0; x < wide && i < v.time.length; x++) {
      const to = strip.from + (x + 1) * strip.nsPerPx;
      if (v.time[i] > to) {
        if (v.time[i] > strip.from + strip.width * strip.nsPerPx) break;
        x = Math.max(x, Math.floor((v.time[i] - strip.from) / strip.nsPerPx) - 1);
        continue;
      }
      let next = i;
      let step = 1;
      while (next < v.time.length && v.time[next] <= to) {
        next += step;
        step *= 2;
      }
      next = v.at(to) + 1;
      const [min, max] = v.range(i, Math.max(next, i + 1));
      const held = y(v.value[Math.max(next - 1, i)]);
      ctx.fillRect(x, Math.min(held, zero), 1, Math.max(1, Math.abs(zero - held)));
      line.rect(x, Math.min(y(max), last ?? y(max)), 1, Math.max(1.5, Math.max(y(min), last ?? y(min)) - Math.min(y(max), last ?? y(max))));
      this.stats.rects++;
      last = held;
      i = Math.max(next - 1, i);
    }
    ctx.fillStyle = this.colors.counterLine;
    ctx.fill(line);
  }

  private scale(ctx: CanvasRenderingContext2D, data: RowData, row: Row, y: number, height: number): void {
    const v = data.values!;
    ctx.font = "10px system-ui, sans-serif";
    ctx.fillStyle = this.colors.dim;
    ctx.textBaseline = "top";
    ctx.fillText(quantity(v.max, row.unit), 4, y + 3);
    if (v.min < 0) {
      ctx.textBaseline = "bottom";
      ctx.fillText(quantity(v.min, row.unit), 4, y + height - 3);
    }
  }

  private ticks(ctx: OffscreenCanvasRenderingContext2D, strip: Strip, time: Float64Array, prio: Uint8Array): void {
    for (let i = 0; i < time.length; i++) {
      const x = (time[i] - strip.from) / strip.nsPerPx;
      if (x < 0 || x > strip.width) continue;
      ctx.fillStyle = prio[i] >= 6 ? "#D55E00" : prio[i] === 5 ? "#E69F00" : this.colors.dim;
      ctx.fillRect(x, 4, 1, strip.height - 8);
      while (i + 1 < time.length && (time[i + 1] - strip.from) / strip.nsPerPx < x + 1 && prio[i + 1] <= prio[i]) i++;
    }
  }

  private sampleTicks(ctx: OffscreenCanvasRenderingContext2D, strip: Strip, time: Float64Array, y: number): void {
    ctx.fillStyle = this.colors.counterLine;
    let last = -1;
    for (const t of time) {
      const x = Math.floor((t - strip.from) / strip.nsPerPx);
      if (x < 0 || x > strip.width || x === last) continue;
      ctx.fillRect(x, y + 1, 1, 4);
      last = x;
    }
  }

  private overview(ctx: OffscreenCanvasRenderingContext2D, strip: Strip, row: Row, open: boolean): void {
    const parts = this.trace.overview.get(row.n);
    if (!parts) return;
    const ns = this.trace.span / parts.length;
    const h = strip.height - 6;
    ctx.fillStyle = this.colors.counterLine;
    ctx.globalAlpha = open ? 0.25 : 0.55;
    for (let i = 0; i < parts.length; i++) {
      if (!parts[i]) continue;
      const x = (i * ns - strip.from) / strip.nsPerPx;
      const w = ns / strip.nsPerPx;
      if (x + w < 0 || x > strip.width) continue;
      const tall = Math.max(1, (h * parts[i]) / 255);
      ctx.fillRect(x, 3 + h - tall, Math.max(w, 1), tall);
    }
    ctx.globalAlpha = 1;
  }

  private width(ctx: CanvasRenderingContext2D, text: string): number {
    let w = this.widths.get(text);
    if (w === undefined) {
      if (this.widths.size > 20000) this.widths.clear();
      this.widths.set(text, (w = ctx.measureText(text).width));
    }
    return w;
  }

  private labels(ctx: CanvasRenderingContext2D, strip: Strip, y: number, view: View, width: number): void {
    ctx.font = "11.5px system-ui, sans-serif";
    ctx.textBaseline = "middle";
    ctx.fillStyle = this.colors.text;
    for (const label of strip.labels) {
      const from = Math.max((label.start - view.from) / view.nsPerPx, 0);
      const room = Math.min((label.end - view.from) / view.nsPerPx, width) - from - 7;
      if (room < 17) continue;
      const raw = typeof label.text === "number" ? this.trace.text(label.text) : label.text;
      let text = shown(raw.length > 300 ? raw.slice(0, 300) : raw);
      if (label.group) text = `\u00d7${label.group} ${text}`;
      const wide = this.width(ctx, text);
      if (wide > room) {
        let keep = Math.floor((text.length * room) / wide);
        while (keep > 1 && this.width(ctx, text.slice(0, keep) + "\u2026") > room) keep--;
        if (keep < 3) continue;
        text = text.slice(0, keep) + "\u2026";
      }
      ctx.fillText(text, from + 5, y + label.y + (LANE - 1) / 2);
    }
  }

  private evict(): void {
    if (this.strips.size <= KEPT) return;
    for (const [key, strip] of [...this.strips].sort((a, b) => a[1].used - b[1].used).slice(0, this.strips.size - KEPT))
      if (strip.used < this.turn) this.strips.delete(key);
  }
}
