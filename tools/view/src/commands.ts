// Ctrl+K: all that can be done, and all rows, by a few letters of their names.

import type { App } from "./app";
import { el } from "./dom";
import { help } from "./header";

interface Command { name: string; keys: string; run: () => void }

const ROWS = 40;

function commands(app: App): Command[] {
  const row = app.focused >= 0 ? app.trace.rows[app.focused] : undefined;
  const ofRow = row ? [
    { name: `Pin ${app.trace.label(row)}`, keys: "P", run: () => app.tree.togglePin(row.n) },
    { name: `Hide ${app.trace.label(row)}`, keys: "H", run: () => app.tree.hide(row.n) },
    { name: `Move ${app.trace.label(row)} up`, keys: "Alt+\u2191", run: () => app.tree.move(row.n, -1) },
    { name: `Move ${app.trace.label(row)} down`, keys: "Alt+\u2193", run: () => app.tree.move(row.n, 1) },
  ] : [];
  return [
    { name: "Show the whole trace", keys: "0", run: () => app.zoomAll() },
    { name: "Zoom to the selection", keys: "F", run: () => app.zoomToChosen() },
    { name: "Statistics of the visible range", keys: "R", run: () => app.chooseView() },
    { name: "Add a note to the selection", keys: "N", run: () => app.note() },
    { name: "Show hidden rows", keys: "", run: () => app.tree.showAll() },
    { name: "Fold all rows", keys: "", run: () => app.tree.foldAll() },
    { name: "Show only rows whose name matches the search", keys: "", run: () => app.tree.only(app.searchBox.value) },
    { name: "Show all rows", keys: "", run: () => app.tree.only("") },
    { name: "Copy a link to this view", keys: "", run: () => app.copyLink() },
    { name: "Light or dark", keys: "", run: () => app.setTheme(app.painter.theme === "dark" ? "light" : "dark", true) },
    ...(app.hasReport ? [{ name: "Show the report", keys: "", run: () => app.showReport(true) }, { name: "Show the timeline", keys: "", run: () => app.showReport(false) }] : []),
    ...app.panel.names.map((tab) => ({ name: `Panel: ${tab}`, keys: "", run: () => app.panel.show(tab) })),
    { name: "Panel on and off", keys: "Q", run: () => app.panel.toggle() },
    { name: "Keys", keys: "?", run: help },
    ...ofRow,
  ];
}

/** All words of `text` stand in the name, in any order. */
function fits(name: string, text: string): boolean {
  const low = name.toLowerCase();
  return text.toLowerCase().split(/\s+/).every((word) => low.includes(word));
}

export function palette(app: App): void {
  const box = el("dialog", { class: "palette", "aria-label": "Commands" });
  const input = el("input", { type: "search", role: "combobox", placeholder: "A command, or the name of a row", "aria-label": "A command, or the name of a row",
                              "aria-expanded": "true", "aria-controls": "commands", "aria-autocomplete": "list" });
  const list = el("div", { role: "listbox", id: "commands", "aria-label": "Commands" });
  const all = commands(app);
  let shown: Command[] = [];
  let at = 0;
  const run = (command: Command | undefined): void => {
    if (!command) return;
    box.close();
    command.run();
    app.draw();
  };
  const mark = (): void => {
    [...list.children].forEach((node, i) => node.setAttribute("aria-selected", String(i === at)));
    if (shown[at]) input.setAttribute("aria-activedescendant", `command${at}`);
    else input.removeAttribute("aria-activedescendant");
    list.children[at]?.scrollIntoView({ block: "nearest" });
  };
  const fill = (): void => {
    const text = input.value.trim();
    shown = all.filter((c) => fits(c.name, text));
    const rows = text ? app.trace.rows.flatMap((row) => (row && fits(`Go to ${app.trace.label(row)}`, text) ? [{ name: `Go to ${app.trace.label(row)}`, keys: "", run: () => app.showRow(row.n) }] : [])) : [];
    shown.push(...rows.sort((a, b) => a.name.length - b.name.length).slice(0, ROWS)); // what was typed whole comes first
    at = 0;
    list.replaceChildren(...shown.map((command, i) => el("div", { role: "option", id: `command${i}`, onclick: () => run(command) }, el("span", {}, command.name),
      ...(command.keys ? [el("kbd", {}, command.keys)] : []))));
    mark();
  };
  input.addEventListener("input", fill);
  input.addEventListener("keydown", (e) => {
    if (e.key === "ArrowDown" || e.key === "ArrowUp") at = (at + (e.key === "ArrowDown" ? 1 : shown.length - 1)) % Math.max(1, shown.length);
    else if (e.key === "Enter") run(shown[at]);
    else return;
    e.preventDefault();
    mark();
  });
  box.addEventListener("close", () => box.remove());
  box.append(input, list);
  document.body.append(box);
  box.showModal();
  fill();
}
