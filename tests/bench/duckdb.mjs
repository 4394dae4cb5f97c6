// Our aggregates over columns beside DuckDB's, on one thread, over the same rows.
//
//     npm install @duckdb/node-api        (anywhere; give that folder)
//     node tests/bench/duckdb.mjs FOLDER build/tests/bench/bench_sql [ROWS]
//
// Not part of the benchmarks that meson runs: the package comes from the network.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [folder, bench, rows = "1000000"] = process.argv.slice(2);
if (!bench) {
  console.error("usage: duckdb.mjs FOLDER_WITH_NODE_MODULES BENCH_SQL [ROWS]");
  process.exit(2);
}
const { DuckDBInstance } = createRequire(resolve(folder, "x.js"))("@duckdb/node-api");
const tmp = mkdtempSync(join(tmpdir(), "orma-duckdb-"));
const csv = join(tmp, "slice.csv");
const ours = execFileSync(bench, ["--rows", rows, "--csv", csv], { encoding: "utf8" });
const connection = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
await connection.run(`CREATE TABLE slice AS SELECT * FROM read_csv('${csv}', types = {'id':
  'BIGINT', 'ts': 'BIGINT', 'dur': 'BIGINT', 'track_id': 'BIGINT', 'depth': 'BIGINT', 'name':
  'VARCHAR'})`);
rmSync(tmp, { recursive: true });

const pad = (text, n) => String(text).padStart(n);
console.log(`${rows} slices, one thread, ms\n${pad("ours", 10)}${pad("duckdb", 10)}${pad("ratio", 8)}`);
for (const line of ours.trim().split("\n")) {
  const [ms, count, sql] = line.split("\t");
  let best = Infinity;
  let got = 0;
  for (let i = 0; i < 7; i++) {
    const start = process.hrtime.bigint();
    const result = await connection.runAndReadAll(sql);
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 1e6);
    got = result.currentRowCount;
  }
  const differs = got === Number(count) ? "" : `  (${got} rows, not ${count})`;
  console.log(`${pad(Number(ms).toFixed(3), 10)}${pad(best.toFixed(3), 10)}` +
    `${pad((ms / best).toFixed(2), 8)}  ${sql}${differs}`);
}
