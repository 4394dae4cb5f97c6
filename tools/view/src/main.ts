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
    let app: App | undefined;
    const show = async (trace: Trace): Promise<App> => {
      if (app) {
        await app.replace(trace);
        return app;
      }
      root.replaceChildren();
      return (globalThis as { orma?: App }).orma = app = new App(trace, root);
    };
    const trace = await Trace.open(from, async ({ read, all, picture }) => {
      text.textContent = all ? `Reading ${number(all)} items\u2026` : "Reading the trace\u2026";
      if (read < all) bar.value = read / all;
      else bar.removeAttribute("value");
      if (picture) await show(await Trace.open(picture, () => {}));
      else app?.progress(read, all);
    });
    once("orma-trace-there");
    const shown = await show(trace);
    const missing = await from.missing?.();
    if (missing) shown.error(missing);
    for (let newer = await from.next?.(); newer; newer = await newer.next?.()) {
      const grown = newer; // if it has grown again meanwhile, its blocks are gone
      await Promise.race([Trace.open(grown, () => {}).then((trace) => shown.follow(trace)), grown.gone]);
    }
  } catch (e) {
    root.replaceChildren(el("div", { class: "error", role: "alert" }, `This trace cannot be shown: ${(e as Error).message}`));
    throw e;
  }
}

void open();
