// The names of rows: a tree for the keyboard and for readers of screens. Only the lines in view have nodes.

import type { App } from "./app";
import { el } from "./dom";
import type { Row } from "./trace";
import type { Line } from "./tree";

export class Heads {
  readonly headNodes = new Map<string, HTMLElement>();

  constructor(private readonly app: App) {}

  drawHeads(lines: Line[], scroll: number): void {
    const keep = new Set<string>();
    for (const line of lines) {
      keep.add(line.key);
      let node = this.headNodes.get(line.key);
      if (!node) {
        node = this.makeHead(line);
        this.headNodes.set(line.key, node);
        this.app.heads.append(node);
      }
      node.style.setProperty("transform", `translateY(${line.y - scroll}px)`);
      node.style.setProperty("height", `${line.height}px`);
      node.style.setProperty("padding-left", `${4 + Math.min(line.level, 8) * 12}px`);
      node.classList.toggle("top", line.level === 0 && line.folds);
      node.classList.toggle("chosen", line.row >= 0 && (line.row === this.app.focused || line.row === this.app.chosen?.row));
      node.setAttribute("aria-level", String(line.level + 1));
      node.setAttribute("aria-setsize", String(line.setSize));
      node.setAttribute("aria-posinset", String(line.position));
      node.setAttribute("aria-selected", String(line.row >= 0 && line.row === this.app.focused));
      if (line.folds) {
        node.setAttribute("aria-expanded", String(line.open));
        (node.firstChild as HTMLElement).textContent = line.open ? "\u25be" : "\u25b8";
      }
      const pin = node.querySelector(".pin");
      if (pin) pin.setAttribute("aria-pressed", String(this.app.tree.pinned.includes(line.row)));
    }
    for (const [key, node] of this.headNodes) {
      if (keep.has(key)) continue;
      node.remove();
      this.headNodes.delete(key);
    }
    const focus = lines.find((l) => l.row === this.app.focused && l.row >= 0);
    if (focus) this.app.heads.setAttribute("aria-activedescendant", `h${focus.key}`);
    else this.app.heads.removeAttribute("aria-activedescendant");
  }

  private dragged = false;

  /** A name is drawn up or down: its row changes places with its neighbours. */
  private drag(row: number, name: HTMLElement, press: PointerEvent): void {
    this.dragged = false;
    if (press.button !== 0) return;
    let y = press.clientY;
    const move = (e: PointerEvent): void => {
      const line = this.app.tree.lines.find((l) => l.row === row && !l.pinned);
      const by = e.clientY > y ? 1 : -1;
      if (!line || Math.abs(e.clientY - y) < Math.max(12, line.height * 0.6)) return;
      if (!this.dragged) name.setPointerCapture(press.pointerId);
      this.dragged = true;
      y = e.clientY;
      this.app.tree.move(row, by);
      this.app.draw();
    };
    const end = (): void => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
  }

  makeHead(line: Line): HTMLElement {
    if (line.row < 0) return el("div", { class: "head", role: "treeitem", id: `h${line.key}` }, el("span", { class: "name note" }, line.text ?? ""));
    const row = this.app.trace.rows[line.row] as Row;
    const text = line.text ?? this.app.trace.label(row);
    const fold = line.folds ? el("button", { type: "button", class: "fold", tabindex: -1, "aria-hidden": true, onclick: () => {
      this.app.tree.toggle(line.row);
      this.app.draw();
    } }, "\u25b8") : el("span", { class: "fold" });
    const pin = el("button", { type: "button", class: "pin", tabindex: -1, title: "Pin to the top (P)", "aria-label": `Pin ${text}`, onclick: () => {
      this.app.tree.togglePin(line.row);
      this.app.draw();
    } }, "\u2605");
    const name = el("span", { class: "name", title: row.name.length > text.length ? row.name : text }, text);
    if (line.folds && row.children.length > 1) name.dataset.below = String(row.children.length);
    const node = el("div", { class: "head", role: "treeitem", id: `h${line.key}`, "aria-label": text }, fold, name, pin);
    name.addEventListener("pointerdown", (e) => this.drag(line.row, name, e));
    name.addEventListener("click", () => {
      if (this.dragged) return;
      this.app.focused = line.row;
      if (line.folds) this.app.tree.toggle(line.row);
      this.app.draw();
    });
    return node;
  }
}
