// The address of the page says what is seen: it can be sent to who has the same file.

import type { App } from "./app";

const ROWS = 200; // of each kind: a link has an end

/** What somebody wrote; a link may be damaged. */
function readable(text: string): string {
  try {
    return decodeURIComponent(text).slice(0, 1000);
  } catch {
    return text.slice(0, 1000);
  }
}

export class Link {
  linkTimer = 0;

  constructor(private readonly app: App) {}

  writeLink(): void {
    clearTimeout(this.linkTimer);
    this.linkTimer = window.setTimeout(() => this.write(), 350);
  }

  write(): void {
    if (this.app.trace.info.partial) return; // what it chooses is not there yet
    const slices = this.app.chosen?.kind === "slice" ? this.app.chosen.data.slices : undefined;
    const parts = [`v=${Math.round(this.app.view.from)},${Math.round(this.app.view.from + this.app.width * this.app.view.nsPerPx)}`];
    if (this.app.chosen && slices) parts.push(`s=${this.app.chosen.row},${slices.id[this.app.chosen.item]},${slices.start[this.app.chosen.item]}`);
    const { tree, area } = this.app;
    const list = (key: string, rows: number[]): void => void (rows.length && rows.length <= ROWS && parts.push(`${key}=${rows.join(",")}`));
    list("o", tree.changed);
    list("h", [...tree.hidden]);
    list("r", tree.moves);
    if (tree.filter) parts.push(`f=${encodeURIComponent(tree.filter)}`);
    if (area) list("a", [Math.round(area.from), Math.round(area.to), ...area.rows]);
    if (this.app.tree.pinned.length) parts.push(`p=${this.app.tree.pinned.join(",")}`);
    if (this.app.marks.length) parts.push(`m=${this.app.marks.map((m) => `${Math.round(m.from)}-${Math.round(m.to)}${m.text && `-${encodeURIComponent(m.text)}`}`).join(",")}`);
    try {
      history.replaceState(null, "", `#${parts.join("&")}`);
    } catch {
      // A browser may refuse too many changes: the next one comes.
    }
  }

  /** `only`: the part of the trace, as rows and items are not known yet; `moved`: all but that. */
  readLink(only = false, moved = false): void {
    const parts = new Map(location.hash.slice(1).split("&").map((part) => part.split("=") as [string, string | undefined]));
    const numbers = (key: string): number[] => (parts.get(key) ?? "").split(",").map(Number).filter(Number.isFinite);
    const view = numbers("v");
    if (!moved && parts.has("v") && view.length === 2 && view[1] > view[0]) this.app.setView(view[0], (view[1] - view[0]) / Math.max(1, this.app.width), false);
    if (only) return;
    if (parts.has("p")) this.app.tree.pinned = numbers("p").filter((n) => this.app.trace.rows[n]);
    const { tree } = this.app;
    for (const n of parts.has("o") ? numbers("o") : []) if (tree.changed.length < ROWS && this.app.trace.rows[n] && !tree.open.delete(n)) tree.open.add(n);
    for (const n of parts.has("h") ? numbers("h") : []) tree.hidden.add(n);
    const moves = parts.has("r") ? numbers("r").slice(0, ROWS) : [];
    for (let i = 0; i + 1 < moves.length; i += 2) for (let k = 0; k < Math.min(Math.abs(moves[i + 1]), 1000); k++) tree.move(moves[i], moves[i + 1] > 0 ? 1 : -1, false);
    if (parts.has("f")) tree.filter = readable(parts.get("f") ?? "");
    const area = parts.has("a") ? numbers("a") : [];
    if (area.length > 2) this.app.chooseArea({ from: area[0], to: area[1], rows: area.slice(2).filter((n) => this.app.trace.rows[n]) });
    for (const mark of (parts.get("m") ?? "").split(",")) {
      const [, from, to, text = ""] = /^(-?\d+)-(-?\d+)(?:-(.*))?$/.exec(mark) ?? [];
      if (from !== undefined && to !== undefined) this.app.marks.push({ from: +from, to: +to, text: readable(text) });
    }
    this.app.tree.lay();
    const slice = numbers("s");
    if (parts.has("s") && slice.length >= 2 && this.app.trace.rows[slice[0]]) void this.app.goTo(slice[0], slice[1], slice[2], false);
  }
}
