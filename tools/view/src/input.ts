// What the pointer and the keys do. The pointer is in one of few states, each of which can be cancelled.

import type { App } from "./app";
import { palette } from "./commands";
import { el } from "./dom";
import { help } from "./header";
import type { Area } from "./stats";
import { duration, place } from "./time";
import type { Row } from "./trace";
import type { Line } from "./tree";

type Pointer =
  | { state: "idle" }
  | { state: "press"; x: number; y: number; line?: Line | undefined; from: number; nsPerPx: number; pan: boolean; moved: boolean }
  | { state: "ruler"; x: number; overview: boolean }
  | { state: "fingers"; x: number; y: number; apart: number; moved: boolean };

export class Input {
  pointer: Pointer = { state: "idle" };
  hover: { x: number; y: number } | undefined;
  tipTimer = 0;
  private readonly fingers = new Map<number, { x: number; y: number }>();

  constructor(private readonly app: App) {}

  listen(): void {
    this.app.main.addEventListener("scroll", () => this.app.draw(), { passive: true });
    this.app.main.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    this.app.canvas.addEventListener("pointerdown", (e) => this.down(e));
    this.app.canvas.addEventListener("pointermove", (e) => this.move(e));
    this.app.canvas.addEventListener("pointerup", (e) => this.up(e));
    this.app.canvas.addEventListener("pointercancel", () => this.cancel());
    this.app.canvas.addEventListener("lostpointercapture", () => this.cancel());
    this.app.canvas.addEventListener("pointerleave", () => this.hideTip());
    this.app.canvas.addEventListener("auxclick", (e) => e.preventDefault());
    this.app.canvas.addEventListener("dblclick", () => this.app.chosen && this.app.zoomTo(...this.app.span(this.app.chosen)));
    for (const [canvas, overview] of [[this.app.ruler, false], [this.app.overview, true]] as const) this.listenRuler(canvas, overview);
    addEventListener("keydown", (e) => this.key(e));
    addEventListener("blur", () => this.cancel());
    this.app.searchBox.addEventListener("input", () => void this.app.search.find());
    this.app.searchBox.addEventListener("keydown", (e) => {
      if (e.key === "Enter") void this.app.search.nextHit(e.shiftKey ? -1 : 1);
      else if (e.key === "Escape") this.app.searchBox.blur();
      else return;
      e.preventDefault();
    });
    const side = el("div", { class: "side" });
    this.app.sticky.append(side);
    const place = (): void => side.style.setProperty("left", `${this.app.headWidth - 3}px`);
    place();
    side.addEventListener("pointerdown", (e) => side.setPointerCapture(e.pointerId));
    side.addEventListener("pointermove", (e) => {
      if (!side.hasPointerCapture(e.pointerId)) return;
      this.app.headWidth = Math.max(60, Math.min(e.clientX, this.app.main.clientWidth * 0.45));
      place();
      this.app.resize();
    });
  }

  listenRuler(canvas: HTMLCanvasElement, overview: boolean): void {
    const time = (x: number): number => (overview ? ((x - this.app.headWidth) / this.app.width) * this.app.trace.span : this.app.time(x - this.app.headWidth));
    canvas.addEventListener("pointerdown", (e) => {
      canvas.setPointerCapture(e.pointerId);
      this.pointer = { state: "ruler", x: e.offsetX, overview };
    });
    canvas.addEventListener("pointerup", (e) => {
      const p = this.pointer;
      this.pointer = { state: "idle" };
      if (p.state !== "ruler") return;
      const wide = this.app.width * this.app.view.nsPerPx;
      if (Math.abs(e.offsetX - p.x) > 4) this.app.zoomTo(time(Math.min(p.x, e.offsetX)), time(Math.max(p.x, e.offsetX)));
      else if (overview) this.app.setView(time(e.offsetX) - wide / 2, this.app.view.nsPerPx);
    });
    canvas.addEventListener("pointercancel", () => this.cancel());
    canvas.addEventListener("dblclick", () => this.app.zoomAll());
  }

  wheel(e: WheelEvent): void {
    const unit = e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? this.app.height : 1;
    const clamp = (d: number): number => Math.max(-200, Math.min(200, d * unit));
    if (e.ctrlKey || e.metaKey) {
      e.preventDefault();
      this.app.zoomAt(e.clientX - this.app.canvas.getBoundingClientRect().left, Math.exp(clamp(e.deltaY) / (e.deltaMode === 0 && Math.abs(e.deltaY) < 30 ? 80 : 300)));
    } else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
      e.preventDefault();
      this.app.setView(this.app.view.from + clamp(e.shiftKey && !e.deltaX ? e.deltaY : e.deltaX) * this.app.view.nsPerPx, this.app.view.nsPerPx);
    }
  }

  /** One finger moves the picture, two zoom it as well. */
  private touch(e: PointerEvent): void {
    const p = this.pointer;
    this.fingers.set(e.pointerId, { x: e.offsetX, y: e.offsetY });
    const all = [...this.fingers.values()];
    const x = all.reduce((sum, f) => sum + f.x, 0) / all.length;
    const y = all.reduce((sum, f) => sum + f.y, 0) / all.length;
    const apart = all.length > 1 ? Math.max(20, Math.hypot(all[0].x - all[1].x, all[0].y - all[1].y)) : 0;
    if (p.state === "fingers" && (p.apart > 0) === (apart > 0)) {
      if (!p.moved && !apart && Math.hypot(x - p.x, y - p.y) < 6) return;
      const { view } = this.app;
      const nsPerPx = apart ? (view.nsPerPx * p.apart) / apart : view.nsPerPx;
      this.app.setView(view.from + p.x * view.nsPerPx - x * nsPerPx, nsPerPx);
      this.app.main.scrollTop += p.y - y;
    }
    this.pointer = { state: "fingers", x, y, apart, moved: p.state === "fingers" };
    if (p.state === "idle") this.pointer.moved = false;
  }

  down(e: PointerEvent): void {
    if (e.button > 1) return;
    this.hideTip();
    this.app.canvas.setPointerCapture(e.pointerId);
    this.app.heads.focus({ preventScroll: true });
    if (e.pointerType === "touch") {
      this.touch(e);
      return;
    }
    this.pointer = { state: "press", x: e.offsetX, y: e.offsetY, line: this.app.lineAt(e.offsetY), from: this.app.view.from, nsPerPx: this.app.view.nsPerPx,
                     pan: e.button === 1 || e.altKey, moved: false };
    if (e.button === 1) e.preventDefault();
  }

  move(e: PointerEvent): void {
    const p = this.pointer;
    if (p.state === "fingers") {
      this.touch(e);
      return;
    }
    if (p.state !== "press") {
      this.hover = { x: e.offsetX, y: e.offsetY };
      this.showTip(e);
      return;
    }
    if (!p.moved && Math.hypot(e.offsetX - p.x, e.offsetY - p.y) < 4) return;
    p.moved = true;
    if (p.pan) {
      this.app.setView(p.from - (e.offsetX - p.x) * p.nsPerPx, p.nsPerPx);
      return;
    }
    const y = this.app.main.scrollTop;
    const [top, bottom] = [Math.min(p.y, e.offsetY) + y, Math.max(p.y, e.offsetY) + y];
    const rows: number[] = [];
    for (let i = this.app.tree.lineAt(top); i < this.app.tree.lines.length && this.app.tree.lines[i].y <= bottom; i++) if (this.app.tree.lines[i].row >= 0) rows.push(this.app.tree.lines[i].row);
    const ends = [this.app.time(p.x), this.app.time(e.offsetX)].sort((a, b) => a - b);
    delete this.app.chosen;
    this.app.area = { from: ends[0], to: ends[1], rows };
    this.app.draw();
  }

  up(e: PointerEvent): void {
    const p = this.pointer;
    this.pointer = { state: "idle" };
    if (p.state === "fingers") {
      this.fingers.delete(e.pointerId);
      const left = [...this.fingers.values()][0];
      if (left) this.pointer = { state: "fingers", ...left, apart: 0, moved: true };
      else if (!p.moved) this.press(e);
      return;
    }
    if (p.state !== "press") return;
    if (p.moved) {
      if (!p.pan && this.app.area) this.app.chooseArea(this.withChildren(this.app.area));
      return;
    }
    this.press(e);
  }

  private press(e: PointerEvent): void {
    const line = this.app.lineAt(e.offsetY);
    if (line) this.app.focused = line.row;
    const c = this.app.itemAt(e.offsetX, e.offsetY);
    if (!c && line?.folds) this.app.tree.toggle(line.row);
    this.app.choose(c);
  }

  /** A folded row stands for the rows below it. */
  withChildren(area: Area): Area {
    const rows = new Set<number>();
    const add = (n: number, level: number): void => {
      rows.add(n);
      if (!this.app.tree.open.has(n) && level < 64) for (const c of this.app.trace.rows[n]?.children ?? []) add(c, level + 1);
    };
    for (const n of area.rows) add(n, 0);
    return { ...area, rows: [...rows] };
  }

  cancel(): void {
    this.fingers.clear();
    this.pointer = { state: "idle" };
    this.hideTip();
  }

  showTip(e: PointerEvent): void {
    clearTimeout(this.tipTimer);
    this.app.tip.hidden = true;
    const { offsetX, offsetY, clientX, clientY } = e;
    this.tipTimer = window.setTimeout(() => {
      const gap = this.app.gapAt(offsetX, offsetY);
      const c = this.app.itemAt(offsetX, offsetY);
      if (gap) {
        this.app.tip.replaceChildren(el("b", {}, gap.reason), `between ${place(gap.from)} and ${place(gap.to)}: ${duration(gap.to - gap.from)} of which not all is known`);
        this.placeTip(clientX, clientY);
        return;
      }
      const s = c?.kind === "slice" ? c.data.slices : undefined;
      if (!c) return;
      const [from] = this.app.span(c);
      const row = this.app.trace.rows[c.row] as Row;
      this.app.tip.replaceChildren(el("b", {}, this.app.describe(c).slice(0, 400)), `${this.app.trace.label(row)} \u00b7 ${place(from)}`,
                               ...(s?.count[c.item] ? [el("br"), `${s.count[c.item]} slices, together ${duration(s.busy[c.item])}; the longest is named`] : []));
      this.placeTip(clientX, clientY);
    }, 150);
  }

  placeTip(clientX: number, clientY: number): void {
    this.app.tip.hidden = false;
    const box = this.app.tip.getBoundingClientRect();
    this.app.tip.style.setProperty("left", `${Math.min(clientX + 12, innerWidth - box.width - 8)}px`);
    this.app.tip.style.setProperty("top", `${clientY + 18 + box.height > innerHeight ? clientY - box.height - 8 : clientY + 18}px`);
  }

  hideTip(): void {
    clearTimeout(this.tipTimer);
    this.app.tip.hidden = true;
    this.hover = undefined;
  }

  key(e: KeyboardEvent): void {
    const target = e.target instanceof HTMLElement ? e.target : document.body;
    if ((e.ctrlKey || e.metaKey) && e.key === "k" && !target.closest("dialog")) {
      e.preventDefault();
      palette(this.app);
      return;
    }
    if (e.isComposing || target.closest("input, textarea, dialog, select") || e.ctrlKey || e.metaKey) return;
    if (target.closest(".panel, header") && !/^[/?]$|^Escape$/.test(e.key) && (e.key.startsWith("Arrow") || e.key === "Enter" || e.key === " ")) return;
    const x = this.hover?.x ?? this.app.width / 2;
    const wide = this.app.width * this.app.view.nsPerPx;
    const far = e.shiftKey ? 0.5 : 0.12;
    const run = this.keyAction(e, x, wide, far);
    if (!run) return;
    e.preventDefault();
    run();
  }

  keyAction(e: KeyboardEvent, x: number, wide: number, far: number): (() => void) | undefined {
    const pan = (by: number) => () => this.app.setView(this.app.view.from + by * wide, this.app.view.nsPerPx);
    switch (e.code) {
      case "KeyW": return () => this.app.zoomAt(x, e.shiftKey ? 0.4 : 0.75);
      case "KeyS": return () => this.app.zoomAt(x, e.shiftKey ? 2.5 : 1 / 0.75);
      case "KeyA": return pan(-far);
      case "KeyD": return pan(far);
      case "KeyF": return () => this.app.zoomToChosen();
      case "KeyM": return () => this.app.mark();
      case "KeyN": return () => this.app.note();
      case "KeyP": return () => this.rowDo((n) => this.app.tree.togglePin(n));
      case "KeyH": return () => this.rowDo((n) => this.app.tree.hide(n));
      case "KeyR": return () => this.app.chooseView();
      case "KeyT": return () => this.app.otherKind();
      case "KeyQ": return () => this.app.panel.toggle();
      case "KeyZ": return () => (e.shiftKey ? this.app.step(this.app.redo, this.app.undo) : this.app.step(this.app.undo, this.app.redo));
      case "Digit0": return () => this.app.zoomAll();
    }
    switch (e.key) {
      case "+": return () => this.app.zoomAt(x, 0.75);
      case "-": return () => this.app.zoomAt(x, 1 / 0.75);
      case "ArrowLeft": return pan(-far);
      case "ArrowRight": return pan(far);
      case "ArrowUp": return () => (e.altKey ? this.reorder(-1) : e.shiftKey ? this.app.alongDepth(-1) : this.focusBy(-1));
      case "ArrowDown": return () => (e.altKey ? this.reorder(1) : e.shiftKey ? this.app.alongDepth(1) : this.focusBy(1));
      case "Home": return () => this.focusBy(-Infinity);
      case "End": return () => this.focusBy(Infinity);
      case "PageUp": return () => this.focusBy(-10);
      case "PageDown": return () => this.focusBy(10);
      case "Enter": return () => this.rowDo((n) => this.app.trace.rows[n]?.children.length && this.app.tree.toggle(n));
      case ".": return () => this.next(1);
      case ",": return () => this.next(-1);
      case "]": return () => this.app.alongFlow(true);
      case "[": return () => this.app.alongFlow(false);
      case "/": return () => this.app.searchBox.focus();
      case "?": return () => help();
      case "Escape": return () => {
        this.cancel();
        this.app.tree.filter = "";
        this.app.tree.showAll();
        this.app.choose(undefined);
      };
    }
    return undefined;
  }

  rowDo(run: (row: number) => unknown): void {
    if (this.app.focused < 0) return;
    run(this.app.focused);
    this.app.draw();
  }

  reorder(by: 1 | -1): void {
    this.rowDo((n) => this.app.tree.move(n, by));
  }

  /** Where another row has been gone to, its first item. */
  private next(by: 1 | -1): void {
    const { chosen, focused } = this.app;
    if (chosen && (focused < 0 || focused === chosen.row)) void this.app.neighbour(by);
    else this.app.chooseFirst();
  }

  focusBy(by: number): void {
    const rows = this.app.tree.lines.filter((l) => l.row >= 0);
    const at = rows.findIndex((l) => l.row === this.app.focused);
    const line = rows[Math.max(0, Math.min(rows.length - 1, at + by))];
    if (!line) return;
    this.app.focused = line.row;
    if (line.y < this.app.main.scrollTop) this.app.main.scrollTop = line.y;
    else if (line.y + line.height > this.app.main.scrollTop + this.app.height) this.app.main.scrollTop = line.y + line.height - this.app.height;
    this.app.live.textContent = this.app.trace.label(this.app.trace.rows[line.row] as Row);
    this.app.draw();
  }
}
