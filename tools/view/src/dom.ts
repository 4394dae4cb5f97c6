// Elements without HTML: names from traces are text, always.

/** Text without what would move or hide other text: control characters, and those that turn the direction of what follows. */
export function shown(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\u2423").replace(/(\p{M}{3})\p{M}+/gu, "$1"); // marks in a heap reach far
}

type Props = Partial<Record<string, string | number | boolean | ((e: never) => void)>>;

export function el<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const ret = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined) continue;
    if (typeof value === "function") ret.addEventListener(key.slice(2), value as EventListener);
    else if (key === "class") ret.className = String(value);
    else if (typeof value === "boolean") ret.toggleAttribute(key, value);
    else ret.setAttribute(key, String(value));
  }
  ret.append(...children.map((child) => (typeof child === "string" ? shown(child) : child)));
  return ret;
}

/** What was lost, in the words of all commands. */
export function verdict(losses = "it is not known whether anything was lost"): HTMLElement {
  return el("p", { class: "verdict" }, el("b", {}, losses.charAt(0).toUpperCase() + losses.slice(1)), ".");
}

export interface Column<T> {
  name: string;
  text: (row: T) => string;
  sort?: (row: T) => number | string;
  number?: boolean;
  /** Called when the cell is pressed. */
  go?: (row: T) => void;
}

/** A table that sorts by a click on its head, shows the first rows, and copies as TSV. */
export function table<T>(columns: Column<T>[], rows: T[], by: number, caption: string, most = 500): HTMLElement {
  let order = by;
  let down = true;
  const body = el("tbody");
  const heads = columns.map((column, i) =>
    el("th", { class: column.number ? "num" : "", scope: "col" }, el("button", { type: "button", onclick: () => {
      down = order === i ? !down : !!column.number;
      order = i;
      fill();
    } }, column.name)));
  const fill = (): void => {
    const key = columns[order]?.sort ?? columns[order]?.text;
    const sorted = key ? [...rows].sort((a, b) => {
      const x = key(a);
      const y = key(b);
      return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
    }) : rows;
    heads.forEach((head, i) => head.setAttribute("aria-sort", i !== order ? "none" : down ? "descending" : "ascending"));
    body.replaceChildren(...sorted.slice(0, most).map((row) => el("tr", {}, ...columns.map((column) => {
      const text = column.text(row);
      const go = column.go;
      return el("td", { class: column.number ? "num" : "", title: text.length > 60 ? text : "" },
                go ? el("button", { type: "button", class: "link", onclick: () => go(row) }, /[\p{L}\p{N}\p{P}\p{S}]/u.test(text) ? text : "(blank)") : text);
    }))));
    more.textContent = sorted.length > most ? `${sorted.length - most} more rows` : "";
  };
  const more = el("p", { class: "note" });
  const copy = el("button", { type: "button", class: "small", onclick: () => {
    const lines = [columns.map((c) => c.name), ...rows.map((row) => columns.map((c) => c.text(row)))];
    void navigator.clipboard?.writeText(lines.map((cells) => cells.map((c) => c.replace(/[\t\n]/g, " ")).join("\t")).join("\n"));
    copy.textContent = "Copied";
  } }, "Copy as TSV");
  const ret = el("div", { class: "tablebox" }, el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, ...heads)), body), more, copy);
  fill();
  return ret;
}
