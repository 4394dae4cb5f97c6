// Opens the trace that lies in the page, or asks the server that sent the page for it.

import { App } from "./app";
import { el } from "./dom";
import { FileSource, ServerSource, type Source } from "./source";
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
  try {
    const trace = await Trace.open(source());
    (globalThis as { orma?: App }).orma = new App(trace, root);
  } catch (e) {
    root.replaceChildren(el("div", { class: "error", role: "alert" }, `This trace cannot be shown: ${(e as Error).message}`));
    throw e;
  }
}

void open();
