// Reads a Parquet or an Arrow file with somebody else's library, and prints columns, types and rows as JSON.
//   node readers.mjs READER FILE        the libraries are looked for in ORMA_NODE_MODULES
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const root = process.env.ORMA_NODE_MODULES;
const load = (name, file) => import(pathToFileURL(file ? path.join(root, name, file) : createRequire(root + "/").resolve(name)).href);
const plain = (v) => typeof v === "bigint" ? String(v) : v instanceof Uint8Array ? Buffer.from(v).toString("hex") : v === undefined ? null : v;
const print = (columns, types, rows, more = {}) => console.log(JSON.stringify({ columns, types, rows: rows.map((r) => r.map(plain)), ...more }));

const readers = {
    async hyparquet(file) {
        const { parquetReadObjects, parquetMetadata } = await load("hyparquet");
        const { compressors } = await load("hyparquet-compressors");
        const data = readFileSync(file);
        const buffer = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
        const meta = parquetMetadata(buffer);
        const columns = meta.schema.slice(1).map((c) => c.name);
        const objects = await parquetReadObjects({ file: buffer, compressors, utf8: false });
        const statistics = meta.row_groups.flatMap((g) => g.columns.map((c) => {
            const s = c.meta_data.statistics;
            return [c.meta_data.path_in_schema[0], plain(s.null_count), plain(s.min_value), plain(s.max_value), c.meta_data.codec];
        }));
        print(columns, meta.schema.slice(1).map((c) => c.type), objects.map((o) => columns.map((c) => o[c])),
            { statistics, groups: meta.row_groups.length });
    },
    async arrow(file) {
        const { tableFromIPC } = await load("apache-arrow", "Arrow.node.mjs");
        const table = tableFromIPC(readFileSync(file));
        const columns = table.schema.fields.map((f) => f.name);
        const rows = [];
        for (const row of table) rows.push(columns.map((_, i) => table.getChildAt(i).get(rows.length)));
        print(columns, table.schema.fields.map((f) => String(f.type)), rows, { batches: table.batches.length,
            metadata: Object.fromEntries(table.schema.fields.filter((f) => f.metadata.size).map((f) => [f.name, Object.fromEntries(f.metadata)])) });
    },
    async duckdb(file) {
        const { DuckDBInstance } = createRequire(root + "/")("@duckdb/node-api");
        const db = await (await DuckDBInstance.create(":memory:")).connect();
        const r = await db.runAndReadAll(file.includes("SELECT") ? file : `SELECT * FROM read_parquet('${file.replaceAll("'", "''")}')`);
        print(r.columnNames(), r.columnTypes().map(String), r.getRows().map((row) => row.map((v) => v?.bytes ?? v)));
    },
};

await readers[process.argv[2]](process.argv[3]);
