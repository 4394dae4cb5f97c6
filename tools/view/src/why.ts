// Why a slice took so long: the statements of `orma why`, for this one, asked of the server.

import type { App } from "./app";
import { el, table } from "./dom";
import type { Answer } from "./source";
import { duration, number } from "./time";

const PIECES = ["path AS SELECT * FROM orma_why_path!(orma_why_interval)", "cut AS SELECT * FROM orma_why_cut!(orma_why_interval, orma_why_path)",
                "piece AS SELECT * FROM orma_why_pieces!(orma_why_cut)", "reason AS SELECT * FROM orma_why_reasons!(orma_why_piece)"];

function sql(slice: number): string {
  return `INCLUDE PERFETTO MODULE orma.why;
CREATE OR REPLACE PERFETTO TABLE orma_why_interval AS
SELECT s.id, s.ts, iif(s.dur < 0, o.end_ts - s.ts, s.dur) AS dur, t.utid, t.upid, s.name
FROM slice AS s JOIN thread_track AS k ON k.id = s.track_id JOIN thread AS t USING (utid) LEFT JOIN orma_open_slice AS o ON o.id = s.id
WHERE s.id = ${slice} AND coalesce(o.end_ts > s.ts, s.dur > 0);
${PIECES.map((piece) => `CREATE OR REPLACE PERFETTO TABLE orma_why_${piece};`).join("\n")}
SELECT kind, iif(kind = 'ran', 'ran', coalesce(_orma_why_cause(kind, who), kind)) AS cause, sum(dur) AS time, count(*) AS times, max(dur) AS longest,
  CAST(ts AS TEXT) AS at FROM orma_why_reason GROUP BY kind, who ORDER BY time DESC`;
}

/** As one word of a command line. */
function quoted(text: string): string {
  return /^[\w./+-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`;
}

/** What was known of where the time of a slice went; the figures are those of `orma why`. */
export async function why(app: App, slice: number, into: HTMLElement): Promise<void> {
  const { source, info } = app.trace;
  if (!source.sql) {
    into.replaceChildren(el("b", {}, "Why"), el("p", {}, "This page is a file: the answer needs the trace. On a machine that has it:"),
                         el("pre", {}, `orma why ${quoted(info.title)} --slice ${slice}`));
    return;
  }
  into.replaceChildren(el("b", {}, "Why"), el("p", { class: "note" }, "\u2026"));
  let answer: Answer;
  try {
    answer = await source.sql(sql(slice));
  } catch (e) {
    answer = { columns: [], rows: [], error: (e as Error).message };
  }
  if (answer.error !== undefined || !answer.rows.length) {
    into.replaceChildren(el("b", {}, "Why"), el("p", {}, answer.error ?? "The trace does not say why: thread switches were not recorded, or the slice is not on a thread. To record them: orma record sched syscalls irq"));
    return;
  }
  const all = answer.rows.reduce((sum, row) => sum + Number(row[2]), 0);
  type Cells = Answer["rows"][number];
  into.replaceChildren(table<Cells>([
    { name: "Where its time went", text: (r) => String(r[1]), go: (r) => {
      const at = Number(BigInt(r[5] ?? 0) - app.trace.begin);
      app.zoomTo(at, at + Number(r[4]));
    } },
    { name: "Time", text: (r) => duration(Number(r[2])), sort: (r) => Number(r[2]), number: true },
    { name: "Share", text: (r) => `${((100 * Number(r[2])) / all).toFixed(1)} %`, sort: (r) => Number(r[2]), number: true },
    { name: "Times", text: (r) => number(Number(r[3])), sort: (r) => Number(r[3]), number: true },
    { name: "Longest", text: (r) => duration(Number(r[4])), sort: (r) => Number(r[4]), number: true }], answer.rows, 1, "Why"));
}
