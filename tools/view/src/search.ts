// Finds slices by name, in all rows, and goes from one to the next in the order of time.

import type { App } from "./app";
import { number } from "./time";

export class Search {
  searched = "";
  hits: { row: number; id: number; time: number }[] = [];
  hit = -1;
  private rows = 0; // with this in their names

  constructor(private readonly app: App, private readonly search: HTMLInputElement, private readonly found: HTMLOutputElement) {}

  async find(): Promise<void> {
    const text = this.search.value.trim().toLowerCase();
    if (text === this.searched || this.app.trace.info.partial) return;
    this.searched = text;
    this.search.parentElement?.classList.toggle("searched", text !== "");
    this.hits = [];
    this.hit = -1;
    if (!text) {
      this.app.painter.dim = -1;
      this.found.textContent = "";
      return;
    }
    const names = new Set<number>();
    this.app.trace.strings.forEach((name, i) => {
      if (i && name.toLowerCase().includes(text)) names.add(i);
    });
    this.rows = this.app.trace.rows.filter((row) => row && this.app.trace.label(row).toLowerCase().includes(text)).length;
    let shown = performance.now();
    for (const row of this.app.trace.rows) {
      if (!row?.lanes || !names.size) continue;
      for await (const s of this.app.trace.slicesIn(row.n)) {
        for (let i = 0; i < s.n && this.hits.length < 1e6; i++) if (names.has(s.name[i])) this.hits.push({ row: row.n, id: s.id[i], time: s.start[i] });
        if (performance.now() - shown < 50) continue;
        this.showFound(true);
        await new Promise((done) => setTimeout(done)); // for frames and keys
        shown = performance.now();
        if (this.searched !== text) return;
      }
    }
    if (this.searched !== text) return;
    this.hits.sort((a, b) => a.time - b.time);
    this.showFound(false);
  }

  showFound(more: boolean): void {
    this.found.textContent = this.hits.length ? `${this.hit >= 0 ? `${number(this.hit + 1)}/` : ""}${number(this.hits.length)}${more ? "\u2026" : ""}`
      : more ? "\u2026" : this.rows ? `${number(this.rows)} row${this.rows > 1 ? "s" : ""}` : "no match";
  }

  async nextHit(by: 1 | -1): Promise<void> {
    await this.find();
    if (!this.hits.length) {
      const row = this.app.trace.rows.find((r) => r && this.searched && this.app.trace.label(r).toLowerCase().includes(this.searched) && r.n !== this.app.focused);
      if (row) {
        this.app.showRow(row.n);
      }
      return;
    }
    if (this.hit < 0) {
      const at = this.hits.findIndex((h) => h.time >= this.app.view.from);
      this.hit = by > 0 ? Math.max(0, at) : (at <= 0 ? this.hits.length : at) - 1;
    } else {
      this.hit = (this.hit + by + this.hits.length) % this.hits.length;
    }
    const { row, id, time } = this.hits[this.hit];
    await this.app.goTo(row, id, time);
    this.showFound(false);
  }
}
