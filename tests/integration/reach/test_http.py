#!/usr/bin/env python3
"""Servers over HTTP: what Perfetto's Python client asks, in its messages (made and read by protoc) and its order; and
the same by our package with addr, which must give what it gives in the process."""
import http.client
import io
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import unittest
import urllib.request

from installed import BUILD, SOURCE, prefer_systems_python, run, sanitized, write_trace

sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "tools/python"))
SLOW = float(os.environ.get("ORMA_TEST_SLOWNESS", "1"))
SPEC = ('metric_spec { id: "durations" value: "dur" unit: TIME_NANOS polarity: LOWER_IS_BETTER '
        'dimensions_specs { name: "name" type: STRING } query { sql { '
        'sql: "SELECT name, CAST(sum(dur) AS DOUBLE) AS dur FROM slice GROUP BY name" column_names: "name" column_names: "dur" } } }'
        'query { id: "meta" sql { sql: "SELECT \'k\' AS key, \'v\' AS value" column_names: "key" column_names: "value" } }')
SPEC_PLAIN = ('metric_spec { id: "one" value: "v" dimensions: "d" query { sql { sql: "SELECT 0.1 AS v, \'x\' AS d UNION ALL SELECT NULL, NULL '
              'UNION ALL SELECT -1, 3" column_names: "v" column_names: "d" } } }')
SPEC_OTHER = SPEC.replace("durations", "others")
MIXED = ("SELECT * FROM (VALUES (1, NULL, 'é', 0.5), (2.5, x'00ff', 3, -1e300), ('x', 'y', NULL, NULL), "
         "(-9223372036854775808, x'', '', 9223372036854775807))")


def protoc(way, message, data):
    root = SOURCE / "protos/perfetto"
    done = subprocess.run(["protoc", f"-I{SOURCE}", f"--{way}=perfetto.protos.{message}", str(root / "trace_processor.proto")],
                          input=data, capture_output=True, check=False)
    if done.returncode:
        raise AssertionError(f"{message}: {done.stderr.decode()}")
    return done.stdout


class PerfettosClient:
    """Its requests: a first one that waits for the server, then one connection for all."""

    def __init__(self, port, trace=None):
        end = time.monotonic() + 30 * SLOW
        while True:
            try:
                urllib.request.urlopen(f"http://localhost:{port}/status").read()
                break
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)
        self.conn = http.client.HTTPConnection(f"localhost:{port}")
        for chunk in trace or ():
            assert not self.ask("AppendTraceDataResult", "POST", "/parse", chunk).get("error")
        if trace:
            self.raw("GET", "/notify_eof")

    def raw(self, method, path, body=None):
        self.conn.request(method, path, body=body)
        with self.conn.getresponse() as answer:
            return answer.read()

    def ask(self, result, method, path, body=None, request=None):
        """The fields of the answer's text."""
        if request:
            body = protoc("encode", request, body.encode())
        text = protoc("decode", result, self.raw(method, path, body)).decode()
        return {m.group(1): m.group(2) for m in re.finditer(r'^(\w+): "?(.*?)"?$', text, re.M)} | {"": text}

    def query(self, sql):
        """Rows, as its iterator makes them of batches."""
        quoted = sql.encode().decode("latin-1").encode("unicode_escape").decode().replace('"', '\\"')
        text = self.ask("QueryResult", "POST", "/query", f'sql_query: "{quoted}"', "QueryArgs")[""]
        error = re.search(r'^error: "(.*)"$', text, re.M)
        if error:
            raise RuntimeError(error.group(1))
        names = re.findall(r'^column_names: "(.*)"$', text, re.M)
        rows = []
        batches = re.findall(r"^batch \{\n(.*?)^\}", text, re.M | re.S)
        for number, batch in enumerate(batches):
            cells = re.findall(r"^  cells: CELL_(\w+)$", batch, re.M)
            strings = re.search(r'^  string_cells: "(.*)"$', batch, re.M)
            texts = strings.group(1).encode().decode("unicode_escape").encode("latin-1").decode("utf-8", "ignore") if strings else ""
            values = {"VARINT": [int(v) for v in re.findall(r"^  varint_cells: (.*)$", batch, re.M)],
                      "FLOAT64": [float(v) for v in re.findall(r"^  float64_cells: (.*)$", batch, re.M)],
                      "BLOB": [v.encode().decode("unicode_escape").encode("latin-1")
                               for v in re.findall(r'^  blob_cells: "(.*)"$', batch, re.M)],
                      "STRING": texts.split("\0")[:-1], "NULL": [None] * len(cells)}
            given = {k: iter(v) for k, v in values.items()}
            assert (number == len(batches) - 1) == ("is_last_batch: true" in batch)
            assert not cells or len(cells) % len(names) == 0
            row = [next(given[c]) for c in cells]
            rows += [tuple(row[i:i + len(names)]) for i in range(0, len(row), len(names) or 1)]
        return names, rows


class Http(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = pathlib.Path(folder.name)
        cls.trace = cls.root / "t.json"
        write_trace(cls.trace)

    def server(self, *argv):
        """A port; the process ends with the test."""
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        argv = [str(a).replace("PORT", str(port)) for a in argv]
        p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                             env=dict(os.environ, ORMA_CACHE="off", XDG_RUNTIME_DIR=str(self.root)))
        self.addCleanup(p.stderr.close)
        self.addCleanup(p.wait)
        self.addCleanup(p.terminate)
        return port

    def client(self, *args):
        client = PerfettosClient(*args)
        self.addCleanup(client.conn.close)
        return client

    def recorded(self, client):
        """Names and queries of what a server has noted, read as the trace that it is."""
        answer = client.raw("GET", "/disable_and_read_metatrace")
        size, at = 0, 1
        self.assertEqual(answer[0], 1 << 3 | 2, "the metatrace, and no error")
        while True:
            size |= (answer[at] & 127) << 7 * (at - 1)
            at += 1
            if answer[at - 1] < 128:
                break
        self.assertEqual(len(answer), at + size)
        if not size:
            return []
        (self.root / "meta.pftrace").write_bytes(answer[at:])
        sql = ("SELECT s.name, coalesce(a.display_value, '') AS query FROM slice s LEFT JOIN args a ON a.arg_set_id = s.arg_set_id AND a.key = 'query' "
               "WHERE s.dur >= 0 AND s.category = 'metatrace' ORDER BY s.ts, s.id")
        done = subprocess.run([BUILD / "tools/orma", "query", "--format", "json", self.root / "meta.pftrace", sql], capture_output=True, check=True,
                              env=dict(os.environ, ORMA_CACHE="off"))
        return [list(row.values()) for row in json.loads(done.stdout)]

    def shell(self, *more):
        """As Perfetto's client starts it."""
        return self.server(BUILD / "compat/trace_processor_shell", "-D", "--http-port", "PORT", "--no-ftrace-raw", *more)

    # ---- Perfetto's client ----

    def test_perfettos_client(self):
        package = self.root / "pack"
        package.mkdir()
        (package / "one.sql").write_text("CREATE PERFETTO TABLE of_pack AS SELECT 5 AS a;")
        port = self.shell("--dev", "--allow-sql-file-access", "--add-sql-package", package)
        data = self.trace.read_bytes()
        client = self.client(port, [data[i:i + 1000] for i in range(0, len(data), 1000)])
        self.assertIn("api_version: ", client.ask("StatusResult", "GET", "/status")[""])
        self.assertEqual(client.query("select ts, dur, name from slice order by ts limit 2"),
                         (["ts", "dur", "name"], [(0, 1000, "work 0"), (2000, 2000, "work 1")]))
        self.assertEqual(client.query(MIXED)[1],
                         [(1, None, "é", 0.5), (2.5, b"\0\xff", 3, -1e300), ("x", "y", None, None), (-2**63, b"", "", 2**63 - 1)])
        self.assertEqual(client.query("SELECT ts FROM slice WHERE 0"), (["ts"], []))
        self.assertEqual(client.query("CREATE PERFETTO TABLE mine AS SELECT 1 AS a"), ([], []))
        self.assertEqual(client.query("INCLUDE PERFETTO MODULE pack.one; SELECT a FROM mine JOIN of_pack USING (a); SELECT a FROM of_pack")[1],
                         [(5,)])
        many = client.query("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 29999) SELECT i, 'n' || i, i * 0.5 FROM n")[1]
        self.assertEqual((len(many), many[29999], sum(r[0] for r in many)), (30000, (29999, "n29999", 14999.5), 449985000))
        for sql, error in [("select * from nope", "no such table: nope"), ("selec 1", "syntax error"), ("SELECT 1; SELECT nope()", "no such function")]:
            with self.assertRaisesRegex(RuntimeError, error):
                client.query(sql)
        self.assertEqual(client.query("SELECT 1")[1], [(1,)], "the connection stays")
        # Metrics, as bytes: the field that it does not set is the format.
        result = client.raw("POST", "/compute_metric", protoc("encode", "ComputeMetricArgs", b'metric_names: "trace_metadata"'))
        self.assertIn(b"metrics: ", protoc("decode", "ComputeMetricResult", result))
        self.assertIn("nope", client.ask("ComputeMetricResult", "POST", "/compute_metric", 'metric_names: "nope"', "ComputeMetricArgs")["error"])
        # Summaries: the format is set, although it is the default.
        spec = SPEC.replace('"', '\\"')
        for which, rows in [("run_all_metrics: true", 4), ('metric_ids: "durations"', 4), ("", 0)]:
            text = client.ask("TraceSummaryResult", "POST", "/trace_summary",
                              f'textproto_specs: "{spec}" computation_spec {{ {which} }} output_format: BINARY_PROTOBUF', "TraceSummaryArgs")
            self.assertNotIn("error", text)
            self.assertEqual(text[""].count("work "), rows)
        for args, error in [("output_format: BINARY_PROTOBUF", "missing trace_summary_spec"), (f'textproto_specs: "{spec}"', "missing format")]:
            self.assertIn(error, client.ask("TraceSummaryResult", "POST", "/trace_summary", args, "TraceSummaryArgs")["error"])
        self.assertEqual(client.raw("GET", "/enable_metatrace"), b"")
        client.query("SELECT 'é\"' AS a")
        with self.assertRaises(RuntimeError):
            client.query("SELECT missing")
        client.raw("POST", "/compute_metric", protoc("encode", "ComputeMetricArgs", b'metric_names: "trace_metadata"'))
        self.assertEqual(self.recorded(client), [["EXECUTE_QUERY", "SELECT 'é\"' AS a"], ["EXECUTE_QUERY", "SELECT missing"], ["COMPUTE_METRIC", ""]])
        client.query("SELECT 2")
        self.assertEqual(self.recorded(client), [], "nobody asked for more")
        self.assertEqual(client.raw("GET", "/restore_initial_tables"), b"")
        with self.assertRaisesRegex(RuntimeError, "no such table: mine"):
            client.query("SELECT * FROM mine")
        self.assertTrue(client.raw("POST", "/export", protoc("encode", "ExportArgs", b"format: SQLITE")).startswith(b"SQLite format 3\0"))
        with tarfile.open(fileobj=io.BytesIO(client.raw("POST", "/export", protoc("encode", "ExportArgs", b"format: ARROW_TAR")))) as tar:
            self.assertTrue(tar.extractfile("__intrinsic_slice.arrow").read().startswith(b"ARROW1"))
        rows = "SELECT ts, dur, name, (SELECT group_concat(key || int_value) FROM args a WHERE a.arg_set_id = s.arg_set_id) FROM slice s"
        before, archive = client.query(rows), client.raw("POST", "/export", protoc("encode", "ExportArgs", b"format: PERFETTO"))
        for chunk in (archive[:5], archive[5:20000], archive[20000:]):
            client.raw("POST", "/parse", chunk)
        client.raw("GET", "/notify_eof")
        self.assertEqual(client.query(rows), before)
        self.assertEqual(len(before[1]), 40)
        # The next trace takes the place of this one, with the same settings.
        write_trace(self.root / "other.json", slices=3)
        client.raw("POST", "/parse", (self.root / "other.json").read_bytes())
        client.raw("GET", "/notify_eof")
        self.assertEqual(client.query("INCLUDE PERFETTO MODULE pack.one; SELECT count(*), max(a) FROM slice, of_pack")[1], [(3, 5)])

    def test_perfettos_client_at_a_server_with_a_trace(self):
        port = self.server(BUILD / "tools/orma", "serve", "--port", "PORT", self.trace)
        client = self.client(port)
        self.assertIn("t.json", client.ask("StatusResult", "GET", "/status")["loaded_trace_name"])
        self.assertEqual(client.query("SELECT count(*) AS n FROM slice"), (["n"], [(40,)]))

    def test_a_trace_that_is_none(self):
        """A few bytes can become one; at the end they did not, and the answer to that is none the client looks at."""
        client = self.client(self.shell(), [b"this is no trace at all"])
        with self.assertRaisesRegex(RuntimeError, "Unknown trace type"):
            client.query("SELECT ts FROM slice")
        client.raw("POST", "/parse", self.trace.read_bytes())
        self.assertEqual(client.raw("GET", "/notify_eof"), b"")
        self.assertEqual(client.query("SELECT count(*) FROM slice")[1], [(40,)])

    # ---- ours ----

    def remote(self, port=None, **more):
        import orma
        port = port or self.server(BUILD / "tools/orma", "serve", "--port", "PORT", self.trace)
        self.client(port)  # it is there
        tp = orma.TraceProcessor(addr=f"localhost:{port}", **more)
        self.addCleanup(tp.close)
        return tp

    @unittest.skipIf(sanitized(), "built with a sanitizer, which Python would need as well")
    def test_addr_gives_what_the_process_gives(self):
        os.environ["ORMA_LIBRARY"] = str(BUILD / "processor/library/liborma_processor.so.0")
        import orma
        with self.remote() as far, orma.TraceProcessor(str(self.trace)) as near:
            for sql in ("SELECT ts, dur, name, parent_id FROM slice ORDER BY ts", MIXED, "SELECT 1 WHERE 0", "", "SELECT 1 AS a, 2 AS a",
                        "CREATE PERFETTO TABLE t AS SELECT 1 AS a", "SELECT a + 1 FROM t; SELECT a FROM t",
                        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 70000) SELECT -i * i, 'x' || i, i / 3.0 FROM n"):
                one, two = far.query(sql) if sql else None, near.query(sql) if sql else None
                if not sql:
                    with self.assertRaisesRegex(orma.TraceProcessorException, "No valid SQL"):
                        far.query(sql)
                    continue
                self.assertEqual((one.column_names, len(one)), (two.column_names, len(two)), sql)
                for i, (a, b) in enumerate(zip(one, two)):
                    self.assertEqual([(type(c), c) for c in a.__dict__.values()], [(type(c), c) for c in b.__dict__.values()], (sql, i))
            for tp in (far, near):
                with self.assertRaisesRegex(orma.TraceProcessorException, "no such table: missing"):
                    tp.query("SELECT * FROM missing")
                with self.assertRaisesRegex(orma.TraceProcessorException, "nope"):
                    tp.metric(["nope"])
                with self.assertRaises(orma.TraceProcessorException):
                    tp.trace_summary(["bad {"])
            self.assertEqual(far.metric(["trace_metadata"]), near.metric(["trace_metadata"]))
            self.assertEqual(far.metric_bytes(["trace_metadata"]), near.metric_bytes(["trace_metadata"]))
            for args in (([SPEC],), ([SPEC], ["durations"], "meta"), ([SPEC_PLAIN], []), ([SPEC_PLAIN, SPEC_OTHER],)):
                self.assertEqual(far.trace_summary_bytes(*args), near.trace_summary_bytes(*args))
                one, two = far.trace_summary(*args), near.trace_summary(*args)
                for summary in (one, two):
                    for bundle in summary.metric_bundles or []:
                        for spec in bundle.specs:
                            self.assertTrue(spec.__dict__.pop("query"))
                self.assertEqual(one, two)
            far.restore_initial_tables()
            with self.assertRaisesRegex(orma.TraceProcessorException, "no such table: t"):
                far.query("SELECT * FROM t")
            self.assertEqual(far.http.status()["loaded_trace_name"].split(" ")[0].rpartition("/")[2], "t.json")

    def test_addr_with_a_trace_to_send(self):
        import orma
        port = self.shell()
        data = self.trace.read_bytes()
        with open(self.trace, "rb") as file:
            for trace in (str(self.trace), self.trace, data, file, (data[i:i + 999] for i in range(0, len(data), 999))):
                tp = self.remote(port, trace=trace)
                self.assertEqual([r.n for r in tp.query("SELECT count(*) AS n FROM slice")], [40])
        with self.assertRaisesRegex(orma.TraceProcessorException, "/nowhere: No such file"):
            self.remote(port, trace="/nowhere")
        with self.assertRaises(orma.TraceProcessorException):
            self.remote(port, trace=b"this is no trace at all " * 100)
        for call in (lambda: tp.columns("SELECT 1"), lambda: tp.arrow("SELECT 1"), lambda: tp.query("SELECT ?", [1]), tp.interrupt):
            with self.assertRaises(orma.TraceProcessorException):
                call()
        with self.assertRaisesRegex(orma.TraceProcessorException, "sql_file_access"):
            orma.TraceProcessor(addr="localhost", config=orma.TraceProcessorConfig(enable_sql_file_access=True))

    def test_addresses(self):
        import orma
        tp = self.remote()
        port = tp.http._conn.port  # pylint: disable=protected-access
        for addr in (f"http://localhost:{port}", f"127.0.0.1:{port}", f"http://127.0.0.1:{port}/", f"[::1]:{port}"):
            with orma.TraceProcessor(addr=addr) as other:
                self.assertEqual(len(other.query("SELECT 1")), 1)
        for addr in ("", "https://localhost:9001", "localhost:x", "localhost:99999"):
            with self.assertRaisesRegex(orma.TraceProcessorException, "no address|[Pp]ort"):
                orma.TraceProcessor(addr=addr)
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            with self.assertRaisesRegex(orma.TraceProcessorException, "refused"):
                orma.TraceProcessor(addr=f"127.0.0.1:{s.getsockname()[1]}").query("SELECT 1")

    def test_varints(self):
        """Few and many, with NumPy and without, are read alike."""
        from orma import wire
        values = [s * ((1 << i) + d) for i in range(64) for d in (-1, 0, 1) for s in (1, -1)]
        data = b"".join(map(wire.varint, values))
        expected = [(v + (1 << 63)) % (1 << 64) - (1 << 63) for v in values]
        there = wire._numpy  # pylint: disable=protected-access
        try:
            for module in (lambda: None, there):
                wire._numpy = module
                self.assertEqual(wire.varints(data), expected)
                self.assertEqual(wire.varints(b""), [])
                for bad in (data + b"\x80", data + b"\x80" * 10 + b"\0" + data, b"\x80"):
                    with self.assertRaises(wire.Malformed):
                        wire.varints(bad)
        finally:
            wire._numpy = there

    def test_threads_take_turns(self):
        tp, bad = self.remote(), []

        def ask(i):
            for _ in range(20):
                if [r.n for r in tp.query(f"SELECT count(*) * {i} AS n FROM slice")] != [40 * i]:
                    bad.append(i)
        threads = [threading.Thread(target=ask, args=[i]) for i in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(bad, [])

    def test_servers_that_answer_nonsense(self):
        """What comes back from a broken server is an exception of ours, always."""
        import orma
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        good = bytes.fromhex("0a0161" + "1a0a" + "0a0102" + "120105" + "2a00" + "3001")  # a = 5
        answers = [b"", b"\0", b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", b"HTTP/1.1 500 Broken\r\nContent-Length: 2\r\n\r\nno",
                   b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"]
        for body in [good[:i] for i in range(1, len(good))] + [good[:i] + bytes([good[i] ^ 0xff]) + good[i + 1:] for i in range(len(good))]:
            answers.append(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        answers.append(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(good) + good)

        def serve():
            for answer in answers:
                with listener.accept()[0] as conn:
                    conn.recv(1 << 16)
                    conn.sendall(answer)
        thread = threading.Thread(target=serve)
        thread.start()
        refused = 0
        for i in range(len(answers)):
            with orma.TraceProcessor(addr=f"127.0.0.1:{listener.getsockname()[1]}") as tp:  # a connection each
                try:
                    rows = [r.__dict__ for r in tp.query("SELECT 5 AS a")]
                except orma.TraceProcessorException:
                    refused += 1
        thread.join()
        self.assertEqual(rows, [{"a": 5}], i)
        self.assertGreater(refused, 20)


if __name__ == "__main__":
    prefer_systems_python("import numpy")
    unittest.main()
