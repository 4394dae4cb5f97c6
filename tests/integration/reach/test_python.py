#!/usr/bin/env python3
"""The Python package: as it stands in the tree, with the library and the commands that are installed."""
import copy
import ctypes
import gc
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest

from installed import BUILD, SOURCE, Installed, prefer_systems_python, run, sanitized, write_trace

sys.dont_write_bytecode = True
try:
    import numpy
except ImportError:
    numpy = None
try:
    import pandas
except ImportError:
    pandas = None
SPEC = ('metric_spec { id: "durations" value: "dur" dimensions: "name" query { sql { '
        'sql: "SELECT name, CAST(sum(dur) AS DOUBLE) AS dur FROM slice GROUP BY name" column_names: "name" column_names: "dur" } } }')


@unittest.skipIf(sanitized(), "built with a sanitizer, which Python would need as well")
class Python(Installed):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        sys.path.insert(0, str(SOURCE / "tools/python"))
        os.environ["ORMA_LIBRARY"] = str(cls.lib / "liborma_processor.so.0")
        os.environ["ORMA"] = str(cls.prefix / "bin/orma")
        global orma  # pylint: disable=global-statement
        import orma

    def open(self, trace=None, **config):
        tp = orma.TraceProcessor(trace or str(self.trace), config=orma.TraceProcessorConfig(**config))
        self.addCleanup(tp.close)
        return tp

    def test_traces_that_are_none_or_not_whole(self):
        empty, cut = self.root / "empty.json", self.root / "cut.json"
        empty.write_bytes(b"")
        whole = self.trace.read_bytes()
        cut.write_bytes(whole[:len(whole) // 2])
        for trace, words in ((str(empty), "empty.json: the trace is empty"), (b"", "the trace is empty"),
                             (str(self.root / "absent.json"), "absent.json: No such file")):
            with self.assertRaisesRegex(orma.TraceProcessorException, words):
                orma.TraceProcessor(trace)
        with self.assertWarnsRegex(UserWarning, "cut.json: truncated"):
            self.open(str(cut))
        with self.assertRaisesRegex(TypeError, "config is a TraceProcessorConfig, not str"):
            orma.TraceProcessor("a", "x", "y")
        with self.assertRaisesRegex(TypeError, "addr is a text"):
            orma.TraceProcessor("a", orma.TraceProcessorConfig())

    def test_archives(self):
        archive = self.root / "t.orma"
        subprocess.run([BUILD / "tools/orma", "export", "--force", "perfetto", "-o", archive, self.trace], check=True, capture_output=True)
        sql = "SELECT ts, dur, name FROM slice"
        rows = [vars(row) for row in self.open().query(sql)]
        self.assertTrue(rows)
        self.assertEqual([vars(row) for row in self.open(str(archive)).query(sql)], rows)
        self.assertEqual([vars(row) for row in self.open(archive.read_bytes()).query(sql)], rows)

    # ---- what Perfetto's client has ----

    def test_one_import_is_changed(self):
        script = self.root / "script.py"
        script.write_text("""
from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig
from perfetto.trace_processor.api import TraceProcessorException
from perfetto.batch_trace_processor.api import BatchTraceProcessor
import sys
with TraceProcessor(trace=sys.argv[1], config=TraceProcessorConfig(verbose=True, bin_path="/nowhere")) as tp:
    qr_it = tp.query("SELECT ts, dur, name FROM slice LIMIT 2")
    print(len(qr_it))
    for row in qr_it:
        print(row.ts, row.dur, row.name, row.__dict__["name"])
    try:
        tp.query("SELECT missing_column")
    except TraceProcessorException as e:
        print(str(e).splitlines()[-1])
""".replace("perfetto.", "orma."))
        out = run(sys.executable, script, self.trace, env=dict(os.environ, PYTHONPATH=str(SOURCE / "tools/python")))
        self.assertEqual(out.splitlines(), ["2", "0 1000 work 0 work 0", "2000 2000 work 1 work 1", "no such column: missing_column"])

    def test_rows_keep_the_types_of_their_cells(self):
        tp = self.open()
        rows = list(tp.query("SELECT * FROM (VALUES (1, NULL, 'é'), (2.5, x'00ff', 3), ('x', 'y', NULL))"))
        cells = [tuple(r.__dict__.values()) for r in rows]
        self.assertEqual(cells, [(1, None, "é"), (2.5, b"\0\xff", 3), ("x", "y", None)])
        self.assertEqual([type(c) for c in cells[0]], [int, type(None), str])
        self.assertEqual([r.a for r in tp.query("SELECT 1 AS a UNION ALL SELECT -9223372036854775808")], [1, -2**63])
        self.assertEqual([r.b for r in tp.query("SELECT NULL AS b UNION ALL SELECT x'01'")], [None, b"\1"])

    def test_statements_run_in_order_and_the_last_has_the_rows(self):
        tp = self.open()
        rows = tp.query("CREATE PERFETTO MACRO two() RETURNS Expr AS 2; CREATE PERFETTO TABLE t AS SELECT two!() AS a;"
                        "SELECT a + 1 AS b FROM t -- end")
        self.assertEqual([r.b for r in rows], [3])
        self.assertEqual(len(tp.query("CREATE PERFETTO TABLE u AS SELECT 1 AS a")), 0)
        self.assertEqual(len(tp.query("  -- nothing")), 0)
        self.assertEqual([r.a for r in tp.query("SELECT a FROM u")], [1])
        # Mixed cells are read a second time: only what gives them runs again.
        rows = tp.query("CREATE TABLE log(a); INSERT INTO log VALUES (1), ('x'); SELECT a FROM log;")
        self.assertEqual([r.a for r in rows], [1, "x"])
        tp.restore_initial_tables()
        with self.assertRaisesRegex(orma.TraceProcessorException, "no such table: t"):
            tp.query("SELECT * FROM t")

    def test_traces_come_in_many_forms(self):
        data = self.trace.read_bytes()
        with open(self.trace, "rb") as file:
            for trace in (str(self.trace), self.trace, data, file, (data[i:i + 100] for i in range(0, len(data), 100))):
                with orma.TraceProcessor(trace) as tp:
                    self.assertEqual(next(tp.query("SELECT count(*) AS n FROM slice")).n, 40)
        with self.assertRaisesRegex(orma.TraceProcessorException, "closed"):
            tp.query("SELECT 1")
        for bad in ("/nowhere/trace", b"this is no trace at all" * 10):
            with self.assertRaises(orma.TraceProcessorException):
                orma.TraceProcessor(bad)
        with self.assertRaises(ZeroDivisionError):  # of a generator
            orma.TraceProcessor(1 // 0 for _ in "x")

    def test_metrics_and_summaries(self):
        tp = self.open()
        metrics = tp.metric(["trace_metadata"])
        self.assertEqual(metrics.trace_metadata.trace_size_bytes, self.trace.stat().st_size)
        self.assertTrue(metrics.HasField("trace_metadata"))
        self.assertIsNone(metrics.android_cpu)
        self.assertEqual(tp.metric_bytes([]), b"")
        with self.assertRaisesRegex(orma.TraceProcessorException, "missing"):
            tp.metric(["missing"])
        summary = tp.trace_summary([SPEC])
        rows = {r.dimension[0].string_value: r.value or r.values[0].double_value for r in summary.metric_bundles[0].row}
        self.assertEqual(rows["work 0"], sum(range(1, 41, 4)) * 1000)

    @unittest.skipUnless(pandas, "pandas is not installed")
    def test_data_frames(self):
        frame = self.open().query("SELECT ts, name, parent_id, dur / 2000.0 AS half FROM slice").as_pandas_dataframe()
        self.assertEqual(list(frame.columns), ["ts", "name", "parent_id", "half"])
        self.assertEqual(str(frame.dtypes["ts"]), "int64")
        self.assertEqual(frame.half.sum(), 410)
        self.assertEqual(set(frame.parent_id), {None})
        mixed = self.open().query("SELECT * FROM (VALUES (1), ('x'))").as_pandas_dataframe()
        self.assertEqual(mixed.iloc[:, 0].tolist(), [1, "x"])

    def test_notebooks_show_results(self):
        tp = self.open()
        result = tp.query("""WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
            SELECT i, '<script>' || i AS text, NULL AS "a<b" FROM n""")
        shown = result._repr_html_()
        self.assertIn("<th>a&lt;b</th>", shown)
        self.assertIn("&lt;script&gt;20<", shown)
        self.assertNotIn("<script", shown)
        self.assertNotIn("&gt;21<", shown)
        self.assertIn("30 rows, the first 20", shown)
        self.assertEqual([row.i for row in result][:3], [1, 2, 3], "to show it takes no rows")
        self.assertIn("0 rows", tp.query("SELECT 1 AS x WHERE 0")._repr_html_())
        self.assertIn("1 row<", tp.query("SELECT x'00ff' AS bytes")._repr_html_())
        self.assertIn("2 bytes", tp.query("SELECT x'00ff' AS bytes")._repr_html_())

    def test_batches(self):
        for i in range(3):
            write_trace(self.root / f"many{i}.json", slices=i + 1)
        traces = [str(self.root / f"many{i}.json") for i in range(3)]
        with orma.BatchTraceProcessor(traces) as btp:
            self.assertEqual(btp.query_single_result("SELECT count(*) FROM slice"), [1, 2, 3])
            self.assertEqual(btp.execute(lambda tp: len(tp.query("SELECT 1"))), [1, 1, 1])
            self.assertEqual(len(btp.metric(["trace_metadata"])), 3)
            if pandas:
                frame = btp.query_and_flatten("SELECT name FROM slice")
                self.assertEqual(frame.groupby("_path").size().tolist(), [1, 2, 3])
        with self.assertRaisesRegex(orma.TraceProcessorException, "/nowhere"):
            orma.BatchTraceProcessor(traces + ["/nowhere"])
        from orma.batch_trace_processor.api import BatchTraceProcessorConfig, FailureHandling
        config = BatchTraceProcessorConfig(load_failure_handling=FailureHandling.INCREMENT_STAT)
        with orma.BatchTraceProcessor(traces + ["/nowhere"], config) as btp:
            self.assertEqual((btp.stats().load_failures, len(btp.tps_and_metadata)), (1, 3))

    def test_traces_by_uri(self):
        from orma.trace_uri_resolver.registry import ResolverRegistry
        from orma.trace_uri_resolver.resolver import TraceUriResolver
        root = self.root

        class Lab(TraceUriResolver):
            PREFIX = "lab"

            def __init__(self, machine, day="monday"):
                self.machine, self.day = machine, day

            def resolve(self):
                machines = [self.machine] if isinstance(self.machine, str) else self.machine
                return [self.Result(str(root / f"lab {m}.json"), {"machine": m, "day": self.day}) for m in machines]

        class Round(TraceUriResolver):
            PREFIX = "round"

            def resolve(self):
                return [self.Result("round:"), self.Result("lab:machine=1")]

        for i in range(3):
            write_trace(root / f"lab {i}.json", slices=i + 1)
        colon = root / "lab:x.json"
        write_trace(colon, slices=7)
        config = orma.TraceProcessorConfig(resolver_registry=ResolverRegistry([Lab, Round]))
        for trace, count in [("lab:machine=2", 3), (Lab("1"), 2), (str(colon), 7)]:
            with orma.TraceProcessor(trace, config=config) as tp:
                self.assertEqual(next(tp.query("SELECT count(*) AS n FROM slice")).n, count)
        for trace, error in [("lab:machine=0,1", "2 traces"), ("lab:machine", "KEY=VALUE"), ("lab:other=1", "other"),
                             ("round:", "no trace"), ("unknown:machine=1", "No such file")]:
            with self.assertRaisesRegex(Exception, error):
                orma.TraceProcessor(trace, config=config)
        from orma.batch_trace_processor.api import BatchTraceProcessorConfig
        config = BatchTraceProcessorConfig(tp_config=config)
        with orma.BatchTraceProcessor(["lab:machine=0,2;day=friday", str(root / "lab 1.json"), Lab("1")], config) as btp:
            self.assertEqual(btp.query_single_result("SELECT count(*) FROM slice"), [1, 3, 2, 2])
            self.assertEqual([m for _, m in btp.tps_and_metadata], [
                {"_path": str(root / "lab 0.json"), "machine": "0", "day": "friday"},
                {"_path": str(root / "lab 2.json"), "machine": "2", "day": "friday"}, {"_path": str(root / "lab 1.json")},
                {"_path": str(root / "lab 1.json"), "machine": "1", "day": "monday"}])
            if pandas:
                frame = btp.query_and_flatten("SELECT name FROM slice")
                self.assertEqual(frame.groupby("machine").size().to_dict(), {"0": 1, "2": 3, "1": 2})
        with orma.BatchTraceProcessor(root.glob("lab [0-9].json")) as btp:
            self.assertEqual(sorted(btp.query_single_result("SELECT count(*) FROM slice")), [1, 2, 3])

    # ---- ours ----

    def test_a_second_opening_comes_from_the_cache(self):
        sql = "SELECT ts, dur, name FROM slice"
        folder = self.root / "images"
        rows = [str(r) for r in self.open(cache="off").query(sql)]
        self.assertFalse(folder.exists())
        for _ in range(2):
            self.assertEqual([str(r) for r in self.open(cache=folder).query(sql)], rows)
        image, = folder.iterdir()
        os.utime(image, (0, 0))
        self.assertEqual([str(r) for r in self.open(cache=str(folder)).query(sql)], rows)
        self.assertGreater(image.stat().st_mtime, 0, "it was used")
        image.write_bytes(b"no image" * 1000)
        self.assertEqual([str(r) for r in self.open(cache=folder).query(sql)], rows)
        self.assertGreater(image.stat().st_size, 8000, "a good one took its place")
        found = []

        def opened():
            with orma.TraceProcessor(str(self.trace), config=orma.TraceProcessorConfig(cache=str(self.root / "more"))) as tp:
                found.append([str(r) for r in tp.query(sql)])
        threads = [threading.Thread(target=opened) for _ in range(6)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(found, [rows] * 6)
        self.assertEqual(len(list((self.root / "more").iterdir())), 1)
        with self.assertRaisesRegex(orma.TraceProcessorException, "cache=nowhere: expected auto, off, or a folder"):
            self.open(cache="nowhere")
        os.environ["ORMA_CACHE"] = str(self.root / "named")
        self.addCleanup(os.environ.pop, "ORMA_CACHE")
        self.open()
        self.assertEqual(len(list((self.root / "named").iterdir())), 1)
        open_to_all = self.root / "open"
        open_to_all.mkdir()
        open_to_all.chmod(0o777)
        self.assertEqual([str(r) for r in self.open(cache=open_to_all).query(sql)], rows)
        self.assertEqual(list(open_to_all.iterdir()), [])

    def test_parameters(self):
        tp = self.open()
        self.assertEqual([r.name for r in tp.query("SELECT name FROM slice WHERE dur = ?", [3000])], ["work 2"])
        row = next(tp.query("SELECT :a AS a, $b AS b, @c AS c", {"b": "it's", "c": None, "a": 0.1}))
        self.assertEqual((row.a, row.b, row.c), (0.1, "it's", None))
        self.assertEqual(next(tp.query("SELECT ? AS a", [b"\0\1"])).a, b"\0\1")
        for value in (-1 << 63, (1 << 63) - 1, True, 1.5, bytearray(b"ab"), memoryview(b"abcd")[::2]):
            want = bytes(value) if isinstance(value, (bytearray, memoryview)) else value
            self.assertEqual(next(tp.query("SELECT ? AS a", [value])).a, want)
        if numpy:
            for value in (numpy.int64(7), numpy.uint8(7), numpy.float32(0.5), numpy.float64(0.5)):
                self.assertEqual(next(tp.query("SELECT ? AS a", [value])).a, value)
        for value in (1 << 63, -(1 << 63) - 1, 1 << 70):
            with self.assertRaisesRegex(OverflowError, "more than 64 bits"):
                tp.query("SELECT ? AS a", [value])
        for value in ([1], object(), {1}):
            with self.assertRaises(TypeError):
                tp.query("SELECT ? AS a", [value])
        for bad in ([1, 2], {"other": 1}):
            with self.assertRaisesRegex(orma.TraceProcessorException, "parameter"):
                tp.query("SELECT :a", bad)

    def test_there_are_no_copies(self):
        """Two objects would free one processor."""
        tp = self.open()
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            with self.assertRaisesRegex(TypeError, "open the trace again"):
                copied(tp)
        self.assertEqual(next(tp.query("SELECT 1 AS a")).a, 1)

    def test_columns_without_numpy(self):
        columns = self.open().columns("SELECT dur, name, iif(id % 2, NULL, id) AS even, CAST(name AS BLOB) AS b FROM slice")
        self.assertEqual({n: c.type for n, c in columns.items()},
                         {"dur": "int64", "name": "text", "even": "int64", "b": "blob"})
        self.assertEqual(columns["dur"].tolist(), [i * 1000 for i in range(1, 41)])
        self.assertEqual(columns["name"].tolist(), [f"work {i % 4}" for i in range(40)])
        self.assertEqual(columns["even"].tolist(), [None if i % 2 else i for i in range(40)])
        self.assertEqual(columns["even"].null_count, 20)
        self.assertEqual(columns["b"].tolist()[5], b"work 1")
        self.assertEqual(columns[1].name, "name")
        none = self.open().columns("SELECT dur, name FROM slice WHERE 0")
        self.assertEqual((none["dur"].type, none["dur"].tolist(), none["name"].tolist()), ("int64", [], []))
        self.assertEqual(self.open().columns("SELECT NULL AS a")["a"].tolist(), [None])

    @unittest.skipUnless(numpy, "NumPy is not installed")
    def test_numpy_sees_the_memory_of_the_result(self):
        tp = self.open()
        columns = tp.columns("SELECT dur, dur * 0.5 AS half, name, iif(id % 2, NULL, id) AS even FROM slice")
        dur = columns["dur"].to_numpy()
        self.assertFalse(dur.flags.owndata)
        self.assertEqual(dur.dtype, numpy.int64)
        name, even = columns["name"].to_numpy(), columns["even"].to_numpy()
        tp.close()
        del columns, tp
        gc.collect()
        self.assertEqual(dur.sum(), 820000)  # it lives as long as somebody looks at it
        self.assertEqual(name[6], "work 2")
        self.assertEqual(numpy.isnan(even).sum(), 20)
        for sql in ("SELECT dur FROM slice WHERE 0", "SELECT name FROM slice WHERE 0", "SELECT x'' WHERE 0"):
            self.assertEqual(len(self.open().columns(sql)[0].to_numpy()), 0)

    def test_arrow_capsules_are_taken_or_freed(self):
        from orma import columns, library
        tp = self.open()
        api = ctypes.PyDLL(None)
        capsule = tp.arrow("SELECT dur FROM slice", batch_rows=7).__arrow_c_stream__()
        api.PyCapsule_GetPointer.restype = ctypes.c_void_p
        api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
        theirs = library.ArrowArrayStream.from_address(api.PyCapsule_GetPointer(capsule, b"arrow_array_stream"))
        mine = library.ArrowArrayStream()
        ctypes.memmove(ctypes.byref(mine), ctypes.byref(theirs), ctypes.sizeof(mine))
        theirs.release = type(theirs.release)()  # moved
        self.assertEqual(columns.read(mine)["dur"].tolist(), [i * 1000 for i in range(1, 41)])
        del capsule, mine
        stream = tp.arrow("SELECT dur FROM slice")
        del stream
        left = tp.arrow("SELECT dur FROM slice").__arrow_c_stream__()
        del left
        gc.collect()
        from orma.trace_processor import api as module
        self.assertEqual(module._CAPSULES, {})  # pylint: disable=protected-access
        with self.assertRaisesRegex(orma.TraceProcessorException, "no columns"):
            tp.arrow("CREATE PERFETTO TABLE t AS SELECT 1 AS a")

    def test_limits_interrupts_and_progress(self):
        endless = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
        with self.assertRaisesRegex(orma.TraceProcessorException, "limit"):
            self.open(query_timeout_ms=30).query(endless)
        tp = self.open()
        # An interrupt that comes when nothing runs is forgotten: one of many hits.
        done = threading.Event()

        def interrupt():
            while not done.wait(0.01):
                tp.interrupt()
        thread = threading.Thread(target=interrupt)
        thread.start()
        try:
            with self.assertRaisesRegex(orma.TraceProcessorException, "interrupted"):
                tp.query(endless)
        finally:
            done.set()
            thread.join()
        seen = []
        orma.TraceProcessor(self.trace, config=orma.TraceProcessorConfig(cache="off"), progress=lambda *p: seen.append(p)).close()  # an image has none
        self.assertEqual(seen[-1], (self.trace.stat().st_size,) * 2)
        with self.assertRaises(orma.TraceProcessorException):
            orma.TraceProcessor(self.trace, config=orma.TraceProcessorConfig(cache="off"), progress=lambda *_: True)
        with self.assertRaises(KeyError):
            orma.TraceProcessor(self.trace, progress=lambda *_: {}["x"])

    def test_ctrl_c_and_close_end_a_query(self):
        endless = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
        pairs = "SELECT sum(a.dur * b.dur % 7 + c.ts) FROM slice a, slice b, slice c, slice d, slice e, slice f, slice g"
        for threads in 1, 3:
            tp = self.open(threads=threads)
            for ask, sql in (tp.query, endless), (tp.query, pairs), (tp.columns, pairs), (lambda sql: tp.query(sql + "; SELECT 1"), endless):
                asked = []
                timer = threading.Timer(0.3, lambda: (asked.append(time.monotonic()), os.kill(os.getpid(), signal.SIGINT)))
                timer.start()
                with self.assertRaises(KeyboardInterrupt):
                    ask(sql)
                self.assertLess(time.monotonic() - asked[0], 2, "30 ms, on a machine that has time")
                timer.join()
            self.assertEqual(next(tp.query("SELECT 1 AS one")).one, 1, "it goes on")
            failed = []

            def ask_in_thread():
                try:
                    tp.query(endless)
                except orma.TraceProcessorException as error:
                    failed.append(str(error))
            thread = threading.Thread(target=ask_in_thread)
            thread.start()
            time.sleep(0.3)
            tp.close()
            thread.join(10)
            self.assertIn("interrupted", failed[0])

    def test_a_program_with_a_decimal_comma(self):
        """Numbers are read and written with a point, whatever LC_NUMERIC the program has set; the program keeps its own."""
        folder = self.root / "locales"
        folder.mkdir()
        if shutil.which("localedef"):
            subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", folder / "de_DE.UTF-8"], capture_output=True, check=False)
        if not (folder / "de_DE.UTF-8").exists():
            self.skipTest("no locale with a decimal comma can be made here")
        sql = """SELECT quote(0.1) AS a, quote(1e300 / 3) AS b, json_extract('[1.5]', '$[0]') AS c, date('2460000.75') AS d,
          strftime('%f', 1700000000.25, 'unixepoch') AS e, (SELECT value FROM json_each('[0.25]')) AS f, round(0.285, 2) AS g"""
        program = "\n".join((
            "import locale, orma",
            "locale.setlocale(locale.LC_ALL, 'de_DE.UTF-8')",
            f"tp = orma.TraceProcessor({str(self.trace)!r}, config=orma.TraceProcessorConfig(threads=2))",
            f"row = next(iter(tp.query({sql!r})))",
            "print(row.a, row.b, row.c, row.d, row.e, row.f, row.g, locale.format_string('%.1f', 0.5))"))
        told = run(sys.executable, "-c", program, env=dict(os.environ, LOCPATH=str(folder), PYTHONPATH=str(SOURCE / "tools/python")))
        self.assertEqual(told.split(), ["0.1", "3.333333333333333508e+299", "1.5", "2023-02-25", "20.250", "0.25", "0.28", "0,5"])

    def test_threads(self):
        large = ("CREATE PERFETTO TABLE t AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 299999) "
                 "SELECT i, i * 7919 % 1009 AS k FROM n")
        groups = "SELECT k, count(*) AS n, sum(i) AS s FROM t GROUP BY k"

        def helpers():
            return len(os.listdir("/proc/self/task"))
        want = None
        for threads in (1, 2, 3, 8):
            tp = self.open(threads=threads)
            tp.query(large)
            before = helpers()
            rows = [(r.k, r.n, r.s) for r in tp.query(groups)]
            self.assertEqual(helpers() - before, threads - 1)
            self.assertEqual(rows, want or rows)
            want = rows
            tp.close()
            self.assertEqual(helpers(), before)
        tp = self.open(threads=8)
        before = helpers()
        self.assertEqual(next(tp.query("SELECT count(*) AS n FROM slice WHERE dur % 3 = 1")).n >= 0, True)
        self.assertEqual(helpers(), before, "few rows start no thread")
        os.environ["ORMA_THREADS"] = "2"
        self.addCleanup(os.environ.pop, "ORMA_THREADS")
        tp = self.open()
        tp.query(large)
        before = helpers()
        self.assertEqual([(r.k, r.n, r.s) for r in tp.query(groups)], want)
        self.assertEqual(helpers() - before, 1)
        with self.assertRaisesRegex(orma.TraceProcessorException, "threads: expected"):
            self.open(threads=257)

    def test_commands(self):
        report = orma.report(self.trace, "slices", n=2)
        self.assertIn("slices", str(report))
        self.assertIsInstance(orma.why(self.trace, slice="work 3"), dict)
        self.assertIsInstance(orma.diff(self.trace, self.trace), dict)
        with self.assertRaises(orma.CommandFailed) as caught:
            orma.report("/nowhere")
        self.assertEqual(caught.exception.code, 1)
        trace = orma.record(self.root / "r.pftrace", "apps", command=[BUILD / "sdk/orma_demo", "--threads", "1", "--iterations", "20"])
        self.assertGreater(next(self.open(trace).query("SELECT count(*) AS n FROM slice")).n, 20)

    def test_declarations_are_those_of_the_header(self):
        from orma import library
        text = (SOURCE / "processor/include/orma/processor.h").read_text(encoding="utf-8")
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        declared = {m.group(2): m.group(3).count(",") + (m.group(3).strip() != "void")
                    for m in re.finditer(r"ORMA_API ([^;()]*?)(orma_\w+)\(([^;]*?)\);", text)}
        for name, (_, *arguments) in library.FUNCTIONS.items():
            self.assertEqual(len(arguments), declared[name], name)
        config = re.search(r"struct orma_processor_config \{(.*?)\}", text, re.S).group(1)
        self.assertEqual([n for n, _ in library.Config._fields_], re.findall(r"(\w+);", config))
        source = self.root / "sizes.c"
        source.write_text("#include <orma/arrow.h>\n#include <orma/processor.h>\n#include <stdio.h>\nint main(void) { printf("
                          '"%zu %zu %zu %zu", sizeof(struct orma_processor_config), sizeof(struct ArrowSchema), '
                          "sizeof(struct ArrowArray), sizeof(struct ArrowArrayStream)); }\n")
        run("cc", source, "-o", self.root / "sizes", *self.flags("--cflags"))
        self.assertEqual(run(self.root / "sizes").split(), [str(ctypes.sizeof(t)) for t in (
            library.Config, library.ArrowSchema, library.ArrowArray, library.ArrowArrayStream)])

    def test_a_wheel(self):
        shutil.copytree(SOURCE / "tools/python", self.root / "package")  # what builds it writes there
        done = subprocess.run([sys.executable, "-m", "pip", "wheel", "--no-index", "--no-deps", "--no-build-isolation",
                               "-w", str(self.root / "wheel"), str(self.root / "package")], capture_output=True, text=True, check=False,
                              cwd=self.root)
        if done.returncode:
            self.skipTest("no pip, setuptools or wheel: " + done.stderr.strip().splitlines()[-1])
        wheel, = (self.root / "wheel").glob("orma-*-py3-none-any.whl")
        out = run(sys.executable, "-c", "import orma; print(orma.__file__)", env=dict(os.environ, PYTHONPATH=str(wheel)))
        self.assertIn(".whl", out)


if __name__ == "__main__":
    prefer_systems_python("import numpy, pandas")
    unittest.main()
