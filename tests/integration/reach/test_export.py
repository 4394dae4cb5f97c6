#!/usr/bin/env python3
"""orma export --to: files that readers of others understand, the same rows as orma query, and nothing half-written."""
import csv
import gzip
import io
import json
import os
import pathlib
import resource
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import unittest

from installed import BUILD, run, write_trace

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
ORMA = BUILD / "tools/orma"
MODULES = os.environ.get("ORMA_NODE_MODULES", "")
READERS = {"hyparquet": "hyparquet-compressors", "arrow": "apache-arrow", "duckdb": "@duckdb/node-api"}
# Every type, with NULLs at the ends and in the middle, texts that are not ASCII, empty ones, extreme numbers.
MIXED = ("SELECT id, iif(id % 3 = 0, NULL, name || ' é' || (id % 5)) AS text, iif(id % 7 = 3, NULL, id * 0.25 - 3) AS real, "
         "CASE id WHEN 0 THEN 9223372036854775807 WHEN 1 THEN -9223372036854775808 WHEN 2 THEN NULL ELSE id END AS big, "
         "iif(id % 2, NULL, CAST('b' || id AS BLOB)) AS blob, NULL AS none, '' AS empty FROM slice")


def has(reader):
    return shutil.which("node") and MODULES and os.path.isdir(os.path.join(MODULES, READERS[reader]))


def needs(reader):
    return unittest.skipUnless(has(reader), f"{READERS[reader]} of npm is not installed: ORMA_NODE_MODULES is the folder that has it")


def timeless(text):
    """Without how long the import took."""
    return [line for line in text.splitlines() if b"_duration_ns" not in line]


class Export(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = pathlib.Path(folder.name)
        cls.trace = cls.root / "t.json"
        write_trace(cls.trace, slices=300)
        cls.env = dict(os.environ, ORMA_CACHE="off")

    def export(self, form, out, *sql, code=0, trace=None, more=()):
        done = subprocess.run([ORMA, "export", "--force", "--to", form, *more, "-o", out, trace or self.trace, *sql], capture_output=True, env=self.env,
                              check=False)
        self.assertEqual(done.returncode, code, done.stderr.decode()[-2000:])
        return done.stdout if not code else done.stderr.decode()

    def read(self, reader, file):
        return json.loads(run("node", pathlib.Path(__file__).parent / "readers.mjs", reader, file))

    def expected(self, sql):
        rows = [list(json.loads(line).values()) for line in self.export("jsonl", "-", sql).decode().splitlines()]
        # Whole numbers that are no doubles come as text from JavaScript.
        return rows

    def same(self, rows, sql, whole):
        """`whole`: the columns of whole numbers."""
        ours = [[str(c) if i in whole and c is not None else c for i, c in enumerate(r)] for r in self.expected(sql)]
        self.assertEqual(rows, ours)

    # ---- Parquet ----

    def parquet(self, reader):
        out = self.root / "mixed.parquet"
        self.export("parquet", out, MIXED)
        got = self.read(reader, str(out))
        self.assertEqual(got["columns"], ["id", "text", "real", "big", "blob", "none", "empty"])
        self.same(got["rows"], MIXED, {0, 3})
        return got

    @needs("hyparquet")
    def test_parquet_by_hyparquet(self):
        got = self.parquet("hyparquet")
        self.assertEqual(got["types"], ["INT64", "BYTE_ARRAY", "DOUBLE", "INT64", "BYTE_ARRAY", "BYTE_ARRAY", "BYTE_ARRAY"])
        statistics = {s[0]: s[1:] for s in got["statistics"]}
        self.assertEqual(statistics["id"][:3], ["0", "0", "299"])
        self.assertEqual(statistics["text"][:3], ["100", "work 0 é0", "work 3 é4"])
        self.assertEqual(statistics["big"][:3], ["1", "-9223372036854775808", "9223372036854775807"])
        self.assertEqual(statistics["none"][0], "300")
        self.assertEqual(statistics["real"][1:3], [-3, 71.75])

    @needs("duckdb")
    def test_parquet_by_duckdb(self):
        got = self.parquet("duckdb")
        self.assertEqual(got["types"], ["BIGINT", "VARCHAR", "DOUBLE", "BIGINT", "BLOB", "VARCHAR", "VARCHAR"])
        out = self.root / "mixed.parquet"
        # What statistics and dictionaries let it skip must not be missed.
        rows = self.read("duckdb", f"SELECT count(*), max(id) FROM read_parquet('{out}') WHERE text = 'work 1 é1' AND id > 50")["rows"]
        ours = self.expected(f"SELECT count(*) AS n, max(id) AS m FROM ({MIXED}) WHERE text = 'work 1 é1' AND id > 50")
        self.assertEqual([[int(c) for c in rows[0]]], ours)

    @needs("duckdb")
    def test_many_row_groups(self):
        sql = ("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 299999) "
               "SELECT i, 'name ' || (i % 1000) AS name, iif(i % 10 = 0, NULL, i * 0.5) AS half FROM n")
        out = self.root / "many.parquet"
        self.export("parquet", out, sql)
        rows = self.read("duckdb", "SELECT count(*), sum(i), count(half), sum(half), count(DISTINCT name), min(name), "
                                   f"(SELECT count(DISTINCT row_group_id) FROM parquet_metadata('{out}')) FROM read_parquet('{out}')")["rows"]
        self.assertEqual([float(c) if i != 5 else c for i, c in enumerate(rows[0])],
                         [300000, sum(range(300000)), 270000, sum(i * 0.5 for i in range(300000) if i % 10), 1000, "name 0", 3])
        if has("hyparquet"):
            got = self.read("hyparquet", str(out))
            self.assertEqual((len(got["rows"]), got["groups"], got["rows"][200003]), (300000, 3, ["200003", "name 3", 100001.5]))

    @needs("duckdb")
    def test_all_tables(self):
        folder = self.root / "tables"
        self.export("parquet", folder)
        names = {p.name for p in folder.iterdir()}
        self.assertTrue({"slice.parquet", "thread.parquet", "counter.parquet", "args.parquet", "sched.parquet"} <= names)
        got = self.read("duckdb", f"SELECT t.name, count(*) FROM '{folder}/slice.parquet' s JOIN '{folder}/thread_track.parquet' tt "
                                  f"ON s.track_id = tt.id JOIN '{folder}/thread.parquet' t USING (utid) GROUP BY 1")
        self.assertEqual(got["rows"], [["worker", "300"]])
        # A table without rows has its columns, and their types.
        empty = self.read("duckdb", f"SELECT ts, dur, cpu FROM '{folder}/sched.parquet'")
        self.assertEqual((empty["types"], empty["rows"]), (["BIGINT", "BIGINT", "BIGINT"], []))
        self.assertIn("the folder exists", self.export("parquet", folder, code=1))
        self.assertEqual([p.name for p in self.root.glob("tables*")], ["tables"])

    # ---- archives of Arrow files ----

    def archive(self):
        done = subprocess.run([ORMA, "export", "--force", "arrow_tar", "-o", "-", self.trace], capture_output=True, env=self.env, check=True)
        return tarfile.open(fileobj=io.BytesIO(done.stdout))

    def test_archive_has_all_stored_tables(self):
        with self.archive() as tar:
            names = {m.name: tar.extractfile(m).read() for m in tar}
        self.assertTrue({"__intrinsic_slice.arrow", "__intrinsic_thread.arrow", "__intrinsic_args.arrow"} <= set(names))
        self.assertGreater(len(names), 100)
        for name, data in names.items():
            self.assertTrue(data.startswith(b"ARROW1") and data.endswith(b"ARROW1"), name)

    @needs("arrow")
    def test_archive_by_apache_arrow(self):
        out = self.root / "member.arrow"
        with self.archive() as tar:
            for table in ("slice", "thread", "sched_slice"):
                out.write_bytes(tar.extractfile(f"__intrinsic_{table}.arrow").read())
                got = self.read("arrow", str(out))
                sql = f"SELECT * FROM __intrinsic_{table}"
                self.assertEqual(len(got["rows"]), {"slice": 300, "sched_slice": 0}.get(table, len(got["rows"])))
                rows = [[str(c) if c is not None else c for c in row] for row in self.expected(sql)]
                self.assertEqual([[str(c) if c is not None else c for c in row] for row in got["rows"]], rows)

    # ---- archives that are loaded again ----

    def orma(self, *argv, code=0, **more):
        done = subprocess.run([ORMA, *argv], capture_output=True, env=self.env, check=False, cwd=self.root, **more)
        self.assertEqual(done.returncode, code, done.stderr.decode()[-2000:])
        return done.stdout if not code else done.stderr.decode()

    def kinds(self):
        """Traces of the kernel, of the SDK, of a profile, and JSON that is cut off."""
        switches = "".join(f"event {{ timestamp: {1000 + 700 * i} pid: {10 + i % 3} sched_switch {{ prev_comm: \"t{i % 3}\" prev_pid: {10 + i % 3} "
                           f"prev_state: 1 next_comm: \"t{(i + 1) % 3}\" next_pid: {10 + (i + 1) % 3} next_prio: {i % 140} }} }}\n" for i in range(2000))
        packets = {"kernel": "".join(f"packet {{ trusted_packet_sequence_id: 1 ftrace_events {{ cpu: {cpu} lost_events: true {switches} }} }}\n"
                                     for cpu in (0, 1)),
                   "sdk": "packet { trusted_packet_sequence_id: 5 sequence_flags: 1 track_descriptor { uuid: 11 thread { pid: 1 tid: 2 } } }\n"
                   + "".join(f"packet {{ trusted_packet_sequence_id: 5 timestamp: {1000 * i} track_event {{ type: {'TYPE_SLICE_BEGIN' if i % 2 else 'TYPE_SLICE_END'} "
                             f"track_uuid: 11 name: \"n{i % 7}\" debug_annotations {{ name: \"n\" int_value: {i} }} }} }}\n" for i in range(1, 500))}
        for name, text in packets.items():
            (self.root / f"{name}.txt").write_text(text)
            self.orma("convert", "--force", "binary", f"{name}.txt", f"{name}.pftrace")
            yield f"{name}.pftrace"
        (self.root / "stacks.txt").write_text("".join(f"main;run;f{i % 5};g{i % 11} {i + 1}\n" for i in range(50)))
        yield "stacks.txt"
        (self.root / "cut.json").write_bytes(self.trace.read_bytes()[:-1500])
        yield "cut.json"
        yield "t.json"

    def all_tables(self, trace):
        """Every table and view; not how long the import took."""
        names = self.orma("query", "--format=rfc4180", trace, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
                          "AND name NOT GLOB 'sqlite_*' AND name NOT GLOB 'sqlstats*' ORDER BY 1").decode().split()[1:]
        self.assertGreater(len(names), 100)
        sql = self.root / "all.sql"
        sql.write_text(";\n".join(f"SELECT '{n}'; SELECT * FROM \"{n}\"" + (" WHERE name NOT GLOB '*_duration_ns'" if "stats" in n else "")
                                  for n in names))
        return self.orma("query", "--format=rfc4180", "-f", sql, trace)

    def test_reload_answers_alike(self):
        for trace in self.kinds():
            with self.subTest(trace):
                self.orma("export", "--force", "perfetto", "-o", "a.orma", trace)
                self.assertEqual(self.all_tables("a.orma"), self.all_tables(trace))
                for argv in (["stats"], ["report"], ["convert", "json"]):
                    of_trace, of_archive = (subprocess.run([ORMA, *argv, t], capture_output=True, env=self.env, check=False, cwd=self.root)
                                            for t in (trace, "a.orma"))
                    self.assertEqual(of_archive.returncode, of_trace.returncode)
                    for a, b in ((of_archive.stdout, of_trace.stdout), (of_archive.stderr, of_trace.stderr)):
                        self.assertEqual(timeless(a.replace(b"a.orma", trace.encode())), timeless(b), argv)

    def test_reload_by_all_ways(self):
        self.orma("export", "--force", "perfetto", "-o", "a.orma", self.trace)
        sql = "SELECT count(*), sum(dur) FROM slice"
        expected = self.orma("query", self.trace, sql)
        self.assertEqual(self.orma("query", "a.orma", sql), expected)
        self.assertEqual(self.orma("query", "/dev/stdin", sql, input=(self.root / "a.orma").read_bytes()), expected)
        self.assertEqual(self.orma("export", "--force", "perfetto", "-o", "-", "a.orma")[:8], b"OrmaImg1")
        self.orma("view", "-o", "v.html", "a.orma")
        self.assertGreater((self.root / "v.html").stat().st_size, 1000)
        self.orma("query", f"--cache={self.root / 'cache'}", "a.orma", sql)
        self.assertFalse((self.root / "cache").exists(), "it is one")

    def test_reload_is_the_only_input(self):
        self.orma("export", "--force", "perfetto", "-o", "a.orma", self.trace)
        with tarfile.open(self.root / "two.tar", "w") as tar:
            tar.add(self.trace, "t.json")
            tar.add(self.root / "a.orma", "a.orma")
        (self.root / "a.orma.gz").write_bytes(gzip.compress((self.root / "a.orma").read_bytes()))
        for argv in (["a.orma", self.trace], ["two.tar"], ["a.orma.gz"]):
            self.assertIn("it must be the only input", self.orma("query", *argv, "SELECT 1", code=1))
        (self.root / "cut.orma").write_bytes((self.root / "a.orma").read_bytes()[:-100])
        self.assertIn("damaged or truncated", self.orma("query", "cut.orma", "SELECT 1", code=1))

    # ---- args ----

    def nested(self):
        trace = self.root / "nested.json"
        trace.write_text(json.dumps([{"ph": "X", "pid": 1, "tid": 1, "ts": 10 * i, "dur": 5, "name": "n",
                                      **({"args": {"a": {"b": i, "c": [1, "x\"é"]}}} if i % 2 else {})} for i in range(4)]))
        return trace

    def read_args(self, reader):
        out = self.root / f"args.{'arrow' if reader == 'arrow' else 'parquet'}"
        self.export(out.suffix[1:], out, "SELECT id, __intrinsic_arg_set_to_json(arg_set_id) AS args FROM slice", trace=self.nested(), more=["--args"])
        return out

    @needs("hyparquet")
    def test_args_by_hyparquet(self):
        """It makes objects of what is declared as JSON, and of nothing else."""
        self.assertEqual(self.read("hyparquet", str(self.read_args("hyparquet")))["rows"],
                         [["0", None], ["1", {"args": {"a": {"b": 1, "c": [1, "x\"é"]}}}], ["2", None], ["3", {"args": {"a": {"b": 3, "c": [1, "x\"é"]}}}]])
        folder = self.root / "args_tables"
        self.export("parquet", folder, trace=self.nested(), more=["--args"])
        got = self.read("hyparquet", str(folder / "slice.parquet"))
        self.assertEqual([r[-1] for r in got["rows"]], [r[1] for r in self.read("hyparquet", str(self.read_args("hyparquet")))["rows"]])
        self.assertEqual(got["columns"][-1], "args")
        self.assertNotIn("args", self.read("hyparquet", str(folder / "args.parquet"))["columns"])

    @needs("duckdb")
    def test_args_by_duckdb(self):
        out = self.read_args("duckdb")
        got = self.read("duckdb", f"SELECT typeof(args), args->>'$.args.a.b', args->>'$.args.a.c[1]' FROM read_parquet('{out}') WHERE args IS NOT NULL ORDER BY id")
        self.assertEqual(got["rows"], [["JSON", "1", "x\"é"], ["JSON", "3", "x\"é"]])

    @needs("arrow")
    def test_args_by_arrow(self):
        got = self.read("arrow", str(self.read_args("arrow")))
        self.assertEqual(got["metadata"], {"args": {"ARROW:extension:name": "arrow.json"}})
        self.assertEqual(json.loads(got["rows"][1][1])["args"]["a"]["b"], 1)

    def test_args_that_are_not_there(self):
        out = self.root / "no.parquet"
        self.assertIn("no column 'args'", self.export("parquet", out, "SELECT id FROM slice", code=1, more=["--args"]))
        self.assertFalse(out.exists())
        self.assertIn("--args needs", self.export("csv", out, "SELECT id FROM slice", code=2, more=["--args"]))

    # ---- Arrow ----

    @needs("arrow")
    def test_arrow(self):
        out = self.root / "mixed.arrow"
        self.export("arrow", out, MIXED)
        got = self.read("arrow", str(out))
        self.assertEqual(got["types"], ["Int64", "Utf8", "Float64", "Int64", "Binary", "Utf8", "Utf8"])
        self.same(got["rows"], MIXED, {0, 3})
        self.export("arrow", out, "SELECT ts, name FROM slice WHERE 0")
        got = self.read("arrow", str(out))
        self.assertEqual((got["columns"], got["types"], got["rows"]), (["ts", "name"], ["Int64", "Utf8"], []))
        sql = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199999) SELECT i, 'n' || i AS name FROM n"
        self.export("arrow", out, sql)
        got = self.read("arrow", str(out))
        self.assertEqual((got["batches"], len(got["rows"]), got["rows"][-1]), (2, 200000, ["199999", "n199999"]))

    # ---- texts and SQLite ----

    def test_csv_and_json_lines(self):
        rows = list(csv.reader(io.StringIO(self.export("csv", "-", "SELECT name AS \"a,b\", 'say \"x\"' AS t, NULL AS n FROM slice LIMIT 2").decode())))
        self.assertEqual(rows, [["a,b", "t", "n"], ["work 0", 'say "x"', ""], ["work 1", 'say "x"', ""]])
        lines = self.export("jsonl", "-", "SELECT 1 AS a; SELECT id, 'q\"' AS t FROM slice LIMIT 3").decode().splitlines()
        self.assertEqual([json.loads(line) for line in lines], [{"id": i, "t": 'q"'} for i in range(3)])
        folder = self.root / "texts"
        lines = self.export("jsonl", "-", "SELECT 1 AS a, 2 AS a, 3 AS 'a:1', 4 AS a").decode()
        self.assertEqual(json.loads(lines), {"a": 1, "a:1": 2, "a:1:1": 3, "a:2": 4})
        many = json.loads(self.export("jsonl", "-", "SELECT " + ", ".join(f"{i} AS a" for i in range(1500))))
        self.assertEqual((len(many), many["a"], many["a:1499"]), (1500, 0, 1499))
        self.export("jsonl", folder)
        self.assertEqual(len((folder / "slice.jsonl").read_text().splitlines()), 300)
        self.assertEqual((folder / "sched.jsonl").read_text(), "")

    def test_sqlite(self):
        out = self.root / "t.db"
        self.export("sqlite", out)
        self.assertEqual(sqlite3.connect(out).execute("SELECT count(*) FROM slice").fetchone(), (300,))
        self.assertIn("leave out the SQL", self.export("sqlite", out, "SELECT 1", code=2))

    def test_all_tables_are_the_same_in_both(self):
        """By the names that the documentation has, also those that SQL itself defines."""
        self.export("csv", self.root / "folder")
        self.export("sqlite", self.root / "t.db")
        with sqlite3.connect(self.root / "t.db") as db:
            names = {name for name, in db.execute("SELECT name FROM sqlite_master WHERE name NOT GLOB '_*'")}
            self.assertEqual(db.execute("SELECT start_ts < end_ts FROM trace_bounds").fetchall(), [(1,)])
            self.assertEqual(*(db.execute(f"SELECT id, arg_set_id, key, int_value FROM {table} ORDER BY id").fetchall()
                               for table in ("args", "__intrinsic_args")))
        self.assertEqual(names, {p.stem for p in (self.root / "folder").iterdir()})
        self.assertLessEqual({"args", "trace_bounds", "trace_metrics", "slice", "thread"}, names)

    # ---- what goes wrong ----

    BROKEN = "SELECT CAST(x'61ff62' AS TEXT) AS a, 'fine' AS b UNION ALL SELECT CAST(x'c3' AS TEXT), CAST(x'61ff62' AS TEXT) UNION ALL SELECT 'a', 'a'"

    def test_texts_are_utf8(self):
        """Readers of others refuse a file with a text that is none."""
        for form in ("parquet", "arrow"):
            out = self.root / f"broken.{form}"
            self.export(form, out, self.BROKEN)
            data = out.read_bytes()
            self.assertNotIn(b"a\xffb", data)
            self.assertIn("a\ufffdb".encode(), data)

    @needs("duckdb")
    def test_texts_are_utf8_for_duckdb(self):
        out = self.root / "broken.parquet"
        self.export("parquet", out, self.BROKEN)
        rows = self.read("duckdb", f"SELECT * FROM read_parquet('{out}')")["rows"]
        self.assertEqual(rows, [["a\ufffdb", "fine"], ["\ufffd", "a\ufffdb"], ["a", "a"]])

    def test_names_of_columns_are_utf8(self):
        for form in ("parquet", "arrow"):
            out = self.root / f"named.{form}"
            said = self.export(form, out, b'SELECT 1 AS fine, 2 AS "a\xffb"', code=1)
            self.assertIn("the name of column 2 is not valid UTF-8", said)
            self.assertFalse(out.exists())

    def test_nothing_is_left_of_what_fails(self):
        out = self.root / "failed.parquet"
        kept = self.root / "kept.parquet"
        kept.write_text("before")
        for sql, error in [("SELECT missing FROM slice", "no such column: missing"), ("SELECT abs(-9223372036854775807 - id) FROM slice", "overflow"),
                           ("SELECT iif(id < 0, 1, 'x') FROM slice; CREATE PERFETTO TABLE t AS SELECT 1 AS a", "returns no rows"),
                           ("/* no statement */", "returns no rows"),
                           ("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 140000) "
                            "SELECT iif(i < 139000, i, 'text') AS late FROM n", "column 'late' has text in row 139001")]:
            for path in (out, kept):
                self.assertIn(error, self.export("parquet", path, sql, code=1))
        self.assertFalse(out.exists())
        self.assertEqual([p.name for p in self.root.glob("failed*")], [])
        self.assertEqual(kept.read_text(), "before")
        self.assertEqual([p.name for p in self.root.glob("*ept.parquet*")], ["kept.parquet"])
        self.assertIn("unknown format", self.export("orc", out, "SELECT 1", code=2))
        self.assertTrue(self.export("parquet", self.root / "no/such/folder/x", "SELECT 1", code=1))
        self.assertTrue(self.export("parquet", self.root / "no/such/folder/x", code=1))
        if os.path.exists("/dev/full"):
            self.assertIn("No space left", self.export("parquet", "/dev/full", "SELECT * FROM slice", code=1))

    def test_what_is_no_file_is_not_replaced_by_one(self):
        link = self.root / "link"
        link.symlink_to(self.root / "elsewhere")
        self.assertIn("No such file", self.export("sqlite", link, code=1))
        self.assertIn("Is a directory", self.export("sqlite", self.root, code=1))
        self.assertTrue(link.is_symlink() and not link.exists())
        self.assertIn("No such file or directory", self.export("sqlite", self.root / "no/such/folder/x", code=1))

    def test_memory_is_bounded(self):
        if "san" in run("nm", "-D", ORMA):
            self.skipTest("sanitizers keep memory")
        sql = ("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {}) "
               "SELECT i, i * 2 AS b, i * 3 AS c, i * 0.5 AS d, 'a name of some length ' || (i % 50000) AS e FROM n")
        peaks = []
        for num in (200000, 1600000):
            code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
                    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
            peaks.append(int(run(sys.executable, "-c", code, ORMA, "export", "--force", "--to", "parquet", "-o", self.root / "big.parquet", self.trace,
                                 sql.format(num), env=self.env)))
        self.assertLess(peaks[1], peaks[0] * 1.5, "kilobytes")


if __name__ == "__main__":
    unittest.main()
