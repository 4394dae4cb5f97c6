// Opens the trace that lies in the page, or asks the server that sent the page for it.

import { App, once } from "./app";
import { el } from "./dom";
import { FileSource, ServerSource, type Source } from "./source";
import { number } from "./time";
import { Trace } from "./trace";

function source(): Source {
  if (document.getElementById("info")) return new FileSource();
  const found = /[#&]k=([0-9a-f]+)/.exec(location.hash);
  const token = found?.[1] ?? sessionStorage.getItem("orma-token") ?? "";
  sessionStorage.setItem("orma-token", token);
  if (found) history.replaceState(null, "", location.hash.replace(/[#&]k=[0-9a-f]+/, "") || location.pathname);
  return new ServerSource(token);
}

async function open(): Promise<void> {
  const root = document.getElementById("app") as HTMLElement;
  const text = el("p", { role: "status" }, "Opening the trace\u2026");
  const bar = el("progress", { "aria-label": "How much of the trace has been read" });
  root.replaceChildren(el("div", { class: "opening" }, text, bar));
  once("orma-page-there");
  try {
    const from = source();
    const trace = await Trace.open(from, ({ slices, read }) => {
      text.textContent = slices ? `Reading ${number(slices)} slices\u2026` : "Reading the trace\u2026";
      if (read < slices) bar.value = read / slices;
      else bar.removeAttribute("value");
    });
    once("orma-trace-there");
    root.replaceChildren();
    const app = new App(trace, root);
    (globalThis as { orma?: App }).orma = app;
    const missing = await from.missing?.();
    if (missing) app.error(missing);
  } catch (e) {
    root.replaceChildren(el("div", { class: "error", role: "alert" }, `This trace cannot be shown: ${(e as Error).message}`));
    throw e;
  }
}

void open();
