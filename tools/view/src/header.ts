// The head of the page, and the list of keys.

import type { App } from "./app";
import { palette } from "./commands";
import { el } from "./dom";
import { duration, number } from "./time";

function counted(n: number, what: string): string {
  return n ? `${number(n)} ${what}${n === 1 ? "" : "s"}` : "";
}

/** The first of these sentences up to its first pause, and how many more there are. */
export function briefly(sentences: string[]): string {
  const begin = sentences[0].split(/[(:;]|[,.] |\.$/)[0].trim();
  const short = begin.length > 50 ? `${begin.slice(0, 48).trimEnd()}\u2026` : begin;
  return sentences.length > 1 ? `${short}, and ${sentences.length - 1} more` : short;
}

export function header(app: App): HTMLElement {
  const { counts, problems, title, losses = "" } = app.trace.info;
  const lost = /^(lost|incomplete)/.test(losses);
  const facts = [app.trace.isMemory ? "memory" : duration(app.trace.span), counted(counts.slices, "slice"), counted(counts.states, "thread state"), counted(counts.values, "value"), counted(counts.logs, "message")].filter(Boolean).join(" \u00b7 ");
  const button = (text: string, label: string, run: () => void): HTMLElement => el("button", { type: "button", "aria-label": label, title: label, onclick: run }, text);
  const step = (text: string, label: string, run: () => void): HTMLElement => {
    const ret = button(text, label, run);
    ret.className = "step"; // of use once something is searched for
    return ret;
  };
  const told = [...problems.map((p) => p[0]), losses].filter(Boolean).join("\n");
  const loss = el("button", { type: "button", class: lost || problems.length ? "lost" : "", title: told, onclick: () => app.panel.show("Trace") },
                  lost ? `\u25b2 ${losses.split(/[(:;]/)[0].trim()}` : problems.length ? `\u25b2 ${briefly(problems.map((p) => p[0]))}` : "About");
  const report = app.hasReport ? [button("Report", "The report", () => app.showReport(true)), button("Timeline", "The timeline", () => app.showReport(false))] : [];
  return el("header", {}, el("h1", { title }, title), el("span", { class: "facts" }, facts), loss, ...report,
    el("div", { class: "search" }, app.searchBox, button("Filter", "Filter rows by this name; all again when the box is empty", () => {
      app.tree.only(app.searchBox.value);
      app.changed();
    }), app.found, step("\u25c2", "Previous match (Shift+Enter)", () => void app.search.nextHit(-1)),
       step("\u25b8", "Next match (Enter)", () => void app.search.nextHit(1)), button("Commands", "Commands (Ctrl+K)", () => palette(app)), button("Keys", "Keys (?)", () => help()),
       button("\u25d0", "Light or dark", () => app.setTheme(app.painter.theme === "dark" ? "light" : "dark", true))));
}

export function banner(app: App): HTMLElement[] {
  const { grouped, groupNs, slices, merged, mergedNs } = app.trace.info.counts;
  const out = [];
  if (grouped) out.push(`${number(grouped)} of ${number(slices)} slices are shown in groups; each of them is shorter than ${duration(groupNs)}. Longer ones are exact.`);
  if (merged) out.push(`${number(merged)} thread states, switches and values are shown in groups of up to ${duration(mergedNs)}.`);
  return out.length ? [el("div", { class: "banner" }, `${out.join(" ")} For everything: orma view TRACE -o FILE --exact`)] : [];
}

/** Asks for the text of a note; what is written is text, wherever it is shown. */
export function writeNote(text: string, done: (text: string) => void): void {
  const input = el("textarea", { "aria-label": "Note", rows: "4", cols: "50", maxlength: "1000" });
  const box = el("dialog", { "aria-label": "Note" }, el("h2", {}, "Note"), input, el("p", { class: "actions" },
    el("button", { type: "button", class: "small", onclick: () => keep() }, "Keep (Ctrl+Enter)"), el("button", { type: "button", class: "small", onclick: () => box.close() }, "Cancel")));
  const keep = (): void => {
    box.close();
    done(input.value.trim());
  };
  input.value = text;
  input.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) keep();
  });
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
}

export function help(): void {
  const keys: [string, string][] = [
    ["W S  or  + \u2212", "zoom in and out at the pointer"], ["A D  or  \u2190 \u2192", "move"], ["0", "the whole trace"], ["Wheel", "scroll rows"],
    ["Ctrl + wheel, pinch", "zoom"], ["Shift + wheel", "move"], ["Drag", "select a range of time and rows"], ["Alt + drag, middle drag", "move"],
    ["Drag in the ruler", "zoom to it"], ["Click", "select a slice, state or value"], [". ,", "next and previous in the row; the first one in view"], ["\u21e7\u2191 \u21e7\u2193", "the slice around it, the first slice in it"], ["T", "what the thread did then, and back"], ["[ ]", "along the flow"],
    ["F", "zoom to the selection"], ["R", "statistics of the visible range of the row"], ["M  N", "mark the selection; add a note to it"], ["P", "pin the row"], ["H", "hide the row"], ["Z  Shift+Z", "undo and redo of views"],
    ["Ctrl + K", "all commands, and rows by name"], ["/", "search; Enter and Shift+Enter: next, previous"], ["\u2191 \u2193 Enter", "rows, open and fold"], ["Alt + \u2191 \u2193", "reorder rows"], ["Q", "panel on and off"], ["Esc", "clear"]];
  const close = el("button", { type: "button", class: "small" }, "Close");
  const box = el("dialog", { "aria-label": "Keys" }, el("h2", {}, "Keys"), el("dl", {}, ...keys.flatMap(([key, text]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, text)])), el("p", {}, close));
  close.addEventListener("click", () => box.close());
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
}
