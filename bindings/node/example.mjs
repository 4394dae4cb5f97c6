/* node example.mjs FILE */
import { setTimeout as sleep } from "node:timers/promises";
import process from "node:process";

import { Trace } from "./trace.mjs";

const trace = new Trace(process.argv[2]);

async function fetchOne(number) {
  return trace.slice("fetch", { number, url: `http://example/${number}` }, async () => {
    await sleep(5);
    trace.instant("answered", { ok: true }, { flow: number });
    return trace.slice("parse", { part: 0.5 }, () => number * 2);
  });
}

trace.slice("start", {}, () => trace.slice("read config", { big: 2n ** 40n }, () => undefined));
const results = await trace.slice("all", {}, () => Promise.all([1, 2, 3].map(fetchOne)));
for (const result of results) {
  trace.counter("result", result);
  trace.counter("half", result / 4);
  trace.instant("counted", {}, { flow: result / 2 });
}
try {
  trace.slice("fails", {}, () => { throw new TypeError("no"); });
} catch {
  trace.instant("caught");
}
trace.close();
