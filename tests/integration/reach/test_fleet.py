#!/usr/bin/env python3
"""orma fleet: traces in real servers of ClickHouse and in folders of Parquet; each once, whole or not at all."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import time
import unittest

import clickhouse
from installed import BUILD, SOURCE, write_trace

ORMA = BUILD / "tools/orma"
SLOW = float(os.environ.get("ORMA_TEST_SLOWNESS", "1"))
TABLES = ["slice", "slice_arg", "thread_state", "counter", "function", "loss", "stat", "metadata", "label", "trace"]
DAY = 86400
HOSTILE = ["tab\there", "line\nbreak", "quote ' and \" and `", "back\\slash \\n \\N", "é 😀", "", "NULL", "\\N", "a;DROP TABLE x", "{}$%"]


def setUpModule():
    global folder
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)


def scheduling(path, waits):
    """Threads that wait for a cpu so many ns, as text of the kernel's tracer."""
    lines = ["# tracer: nop\n"]
    at = 1_000_000
    for wait in waits:
        def stamp(ns):
            return f"{ns // 1_000_000_000}.{ns % 1_000_000_000 // 1000:06d}"
        lines.append(f"          <idle>-0     [000] d..2 {stamp(at)}: sched_waking: comm=work pid=7 prio=120 target_cpu=000\n")
        lines.append(f"          <idle>-0     [000] d..2 {stamp(at + wait)}: sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=work next_pid=7 next_prio=120\n")
        at += wait + 10_000
        lines.append(f"            work-7     [000] d..2 {stamp(at)}: sched_switch: prev_comm=work prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120\n")
        at += 10_000
    pathlib.Path(path).write_text("".join(lines))


class Fleet(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(dir=folder.name))
        (self.root / "tmp").mkdir()
        self.env = dict(os.environ, ORMA_CACHE="off", TMPDIR=str(self.root / "tmp"), no_proxy="*", TZ="UTC")
        for name in ("CLICKHOUSE_USER", "CLICKHOUSE_PASSWORD"):
            self.env.pop(name, None)

    def fleet(self, *args, code=0, **more):
        done = subprocess.run([ORMA, "fleet", *map(str, args)], cwd=self.root, capture_output=True, text=True, env=self.env, check=False,
                              stdin=more.pop("stdin", subprocess.DEVNULL), timeout=60 * SLOW, **more)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.messages = done.stderr
        return done.stdout

    def query(self, trace, sql):
        done = subprocess.run([ORMA, "query", trace, sql, "--format", "rfc4180"], cwd=self.root, capture_output=True, text=True, env=self.env,
                              check=True)
        return [line.split(",") for line in done.stdout.splitlines()[1:]]

    def traces(self, num, name="runs/b{}/m{}/t{}.json"):
        paths = []
        for i in range(num):
            path = self.root / name.format(i % 2, i % 3, i)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_trace(path, slices=10 + i)
            paths.append(path)
        return paths


class Usage(Fleet):
    """What needs no server."""

    def test_wrong_usage(self):
        self.traces(1, "{}{}t{}.json")
        for args, text in [([], "missing action"), (["laod"], "did you mean 'load'"), (["load", "00t0.json"], "--to clickhouse://HOST"),
                           (["load", "--to", "clickhouse://a"], "no traces given"), (["status", "--to", "a", "00t0.json"], "takes no traces"),
                           (["load", "--to", "http://a", "00t0.json"], "it must begin with clickhouse://"),
                           (["load", "--to", "clickhouse://a/b/c", "00t0.json"], "a database name may have"),
                           (["load", "--to", "clickhouse://a/x';DROP", "00t0.json"], "a database name may have"),
                           (["load", "--to", "clickhouse://a b", "00t0.json"], "expected HOST"),
                           (["load", "--to", "clickhouse://u%zz@a", "00t0.json"], "two hexadecimal digits"),
                           (["load", "--to", "clickhouse://a", "--label", "no", "00t0.json"], "takes NAME=VALUE"),
                           (["load", "--to", "clickhouse://a", "--path-labels", "{", "00t0.json"], "a pattern that contains"),
                           (["load", "--to", "clickhouse://a", "--retry", "soon", "00t0.json"], "takes a time"),
                           (["expire", "--to", "clickhouse://a", "--keep", "0"], "a number from 1"),
                           (["export", "--to", "x", "--again", "00t0.json"], "--again works with load only")]:
            self.fleet(*args, code=2)
            self.assertIn(text, self.messages)
        self.fleet("load", "--to", "clickhouse://a", "none/*.json", code=1)
        self.assertIn("no file matches 'none/*.json'", self.messages)
        self.fleet("load", "--to", "clickhouse://a", "@none", code=1)

    def test_no_server(self):
        self.traces(1)
        port = clickhouse.free_ports(1)[0]
        self.fleet("load", "--to", f"clickhouse://127.0.0.1:{port}", "runs", code=1)
        self.assertIn(f"127.0.0.1:{port}: ", self.messages)
        self.assertIn("connect", self.messages)
        self.fleet("status", "--to", f"clickhouse://127.0.0.1:{port}", code=1)

    def test_schema(self):
        text = self.fleet("schema", "--to", "clickhouse://a/mine", "--cluster", "c")
        for table in TABLES:
            self.assertIn(f"CREATE TABLE IF NOT EXISTS mine.{table}_rows (date Date, build LowCardinality(String),", text)
            self.assertIn(f"CREATE VIEW IF NOT EXISTS mine.{table} AS", text)
            self.assertIn(f"mine_all.{table} AS mine.{table}_rows ENGINE = Distributed(c, mine, {table})", text)


@unittest.skipIf(clickhouse.WHY_NOT, clickhouse.WHY_NOT)
class Servers(Fleet):
    @classmethod
    def setUpClass(cls):
        cls.places = tempfile.mkdtemp(dir=folder.name)
        cls.servers = clickhouse.servers(cls.places, 2)
        for s in cls.servers:
            cls.addClassCleanup(s.stop)
        cls.server = cls.servers[0]

    def setUp(self):
        super().setUp()
        for server in self.servers:
            for database in ("orma", "orma_all"):
                server.ask(f"DROP DATABASE IF EXISTS {database}")
        self.to = f"clickhouse://127.0.0.1:{self.server.http}"
        self.fleet("init", "--to", self.to)

    def load(self, *args, code=0, **more):
        return self.fleet("load", "--to", more.pop("to", self.to), *args, code=code, **more)

    def rows(self, table="slice", where="1"):
        return self.server.number(f"SELECT count() FROM orma.{table} WHERE {where}")

    def once(self, paths):
        """Each of these traces is there once, with all of its slices, and nothing else."""
        want = sorted((10 + i if isinstance(i, int) else i) for i in paths)
        got = sorted(int(n) for n, in self.server.ask("SELECT count() FROM orma.slice GROUP BY load"))
        self.assertEqual(got, want)
        self.assertEqual(self.rows("trace"), len(want))
        self.assertEqual(self.rows("slice_arg"), sum(want))
        self.assertEqual(self.rows("counter"), sum(want))

    def test_rows_are_those_of_the_trace(self):
        events = [{"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "th\tread '"}}]
        for i, name in enumerate(HOSTILE * 20):
            events.append({"ph": "X", "pid": 1, "tid": 1, "ts": 10 * i, "dur": i % 9 + 1, "cat": name, "name": name or "x", "args": {name or "k": name}})
        events.append({"ph": "X", "pid": 1, "tid": 1, "ts": 10000, "dur": 1, "cat": "big", "name": "huge", "args": {"cell": "x" * 3_000_000}})
        events += [{"ph": "C", "pid": 1, "tid": 1, "ts": i, "name": "c", "args": {"v": v}} for i, v in enumerate([1, 0.5, -1e300, 0])]
        (self.root / "t.json").write_text(json.dumps(events))
        with open(self.root / "bytes.json", "wb") as f:  # names that are no text
            f.write(b'[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"bad \xff\xfe\x80","cat":"nul \\u0000 here"}]')
        self.load("--label", "build=1'\t\\2", "--label", "machine=ma\nchine", "t.json", "bytes.json")
        self.assertEqual(self.rows(), 202)
        self.assertEqual(self.rows("slice", "build = '1\\'\\t\\\\2' AND machine = 'ma\\nchine'"), 202)
        for i, name in enumerate(HOSTILE):
            quoted = name.replace("\\", "\\\\").replace("'", "\\'")
            self.assertEqual(self.rows("slice", f"name = '{quoted or 'x'}' AND category = '{quoted}' AND thread = 'th\\tread \\''"), 20, name)
            self.assertEqual(self.rows("slice_arg", f"value = '{quoted}'"), 20, name)
        sums = "sum(id), sum(ts), sum(dur), sum(depth)"
        want = self.query("t.json", f"SELECT {sums}, count(*) FROM slice")
        self.assertEqual(self.server.ask(f"SELECT {sums}, count() FROM orma.slice WHERE load = (SELECT max(load) FROM orma.trace WHERE path = 't.json')"), want)
        self.assertEqual(self.server.number("SELECT max(length(value)) FROM orma.slice_arg"), 3_000_000)
        self.assertEqual([float(v) for v, in self.server.ask("SELECT value FROM orma.counter ORDER BY ts")], [1, 0.5, -1e300, 0])
        self.assertEqual(self.server.ask("SELECT key, value FROM orma.label WHERE key = 'build' LIMIT 1"), [["build", "1\\'\\t\\\\2"]])
        # All tables have what the processor has.
        for table, sql in [("metadata", "metadata"), ("stat", "stats WHERE value != 0"), ("loss", "loss")]:
            self.assertEqual(self.rows(table, "load = (SELECT max(load) FROM orma.trace WHERE path = 't.json')"),
                             int(self.query("t.json", f"SELECT count(*) FROM {sql}")[0][0]), table)

    def test_a_content_has_the_name_that_b2sum_prints(self):
        write_trace(self.root / "t.json", slices=3)
        text = (self.root / "t.json").read_bytes()
        want = set()
        for more in range(0, 128 - len(text) % 128 + 3):  # ends before, at and behind a block
            if more < 128 - len(text) % 128 - 1 and more % 40:
                continue
            data = text + b" " * more
            (self.root / f"t{more}.json").write_bytes(data)
            want.add(hashlib.blake2b(data, digest_size=16).hexdigest())
        self.load("-j", "2", *[f"t{p.name[1:]}" for p in sorted(self.root.glob("t[0-9]*.json"))])
        self.assertEqual({h for h, in self.server.ask("SELECT hash FROM orma.trace")}, want)

    def test_a_content_is_there_once(self):
        self.traces(5)
        shutil.copy(self.root / "runs/b0/m0/t0.json", self.root / "runs/copy.json")
        self.load("--path-labels", "**/{file}", "runs")
        self.assertIn("5 of 6 traces loaded", self.messages)
        self.assertIn("1 were there already", self.messages)
        self.once(range(5))
        self.load("runs")
        self.assertIn("0 of 6 traces loaded, 0 rows, 6 were there already", self.messages)
        self.once(range(5))
        # With other labels: the new ones take the place of the old.
        self.load("--again", "--label", "build=9", "runs/b1")
        self.once(range(5))
        self.assertEqual(self.rows("trace", "build = '9'"), 2)
        self.assertEqual(self.rows("slice", "build = '9'"), 11 + 13)
        self.assertIn("replaced: 2 loads", self.fleet("status", "--to", self.to))

    def test_paths_lists_and_labels(self):
        self.traces(6)
        (self.root / "list").write_text("runs/b0/m0/t0.json\n\nruns/b1/m1/t1.json\n")
        self.load("--path-labels", "{build}/{machine}/t{n}.json", "@list")
        self.assertEqual(self.server.ask("SELECT path, build, machine FROM orma.trace ORDER BY path"),
                         [["runs/b0/m0/t0.json", "b0", "m0"], ["runs/b1/m1/t1.json", "b1", "m1"]])
        self.assertEqual(self.rows("label", "key = 'n' AND value = '1'"), 1)
        with open(self.root / "list") as f:
            self.load("-", stdin=f)
        self.load("--path-labels", "**/{machine}/*.json", "--label", "machine=fixed", "--label", "date=2024-02-29", "--metadata",
                  "kind=trace_type", "runs/b0/m2/*", "runs/b1/m0/t3.json")
        self.assertEqual(self.rows("trace", "machine = 'fixed' AND date = '2024-02-29'"), 2)
        self.assertEqual(self.rows("label", "key = 'kind' AND value = 'json'"), 2)
        self.load("--path-labels", "{a}/{b}/{c}/{d}/{e}/x.json", "runs/b1/m2/t5.json", code=1)
        self.assertIn("does not match the pattern", self.messages)
        self.load("--label", "date=yesterday", "runs/b1/m2/t5.json", code=1)
        self.assertIn("'yesterday' is not a date", self.messages)
        self.assertEqual(self.rows("trace"), 4)

    def test_bad_traces_are_reported_at_the_end(self):
        self.traces(40)
        (self.root / "runs/b0/bad.json").write_text("this is no trace " * 30)
        self.load("-j", "3", "runs", code=1)
        self.assertIn("40 of 41 traces loaded", self.messages)
        self.assertIn("1 of 41 traces failed:\n  runs/b0/bad.json: ", self.messages)
        self.once(range(40))
        self.assertEqual(os.listdir(self.root / "tmp"), [])

    def test_rows_come_in_the_order_of_the_tables(self):
        """Several traces of a batch become one sorted block, whatever the numbers of their names; the server need not sort."""
        def events():
            counts = {r[0]: int(r[1]) for r in self.server.ask("SELECT event, value FROM system.events WHERE event LIKE 'MergeTreeDataWriterBlocks%'")}
            return counts.get("MergeTreeDataWriterBlocks", 0), counts.get("MergeTreeDataWriterBlocksAlreadySorted", 0)
        made = {"b2/m1/few": (3000, 300), "b1/m2/many": (70000, 66000), "b1/m1/one": (2000, 1), "b2/m1/blocks": (270000, 90), "b1/m1/else": (500, 40)}
        for name, (num, names) in made.items():
            path = self.root / f"a/{name}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, "w") as f:
                f.write("[")
                for i in range(num):
                    f.write('%s{"ph":"X","ts":%d,"dur":%d,"name":"n%d","cat":"c","pid":1,"tid":%d,"args":{"%s":%d}}' %
                            ("," if i else "", i * 100, i % 50 + (i % 1000 == 0) * 70000, i * 7919 % names, i % 5 + 1, "bk"[i % 2], i))
                f.write("]")
        before = events()
        self.load("--path-labels", "{build}/{machine}/*", "-j", "1", "a")
        blocks, in_order = (b - a for a, b in zip(before, events()))
        self.assertEqual(blocks, in_order)
        self.assertGreater(blocks, 4)
        for name, (num, _) in made.items():
            path = f"a/{name}.json"
            where = f"WHERE load = (SELECT max(load) FROM orma.trace WHERE path = '{path}') AND build = '{name[:2]}' AND machine = '{name[3:5]}'"
            sums = "name, count(*), sum(id), sum(ts), sum(dur), min(dur), max(ts - id), sum(depth)"
            self.assertEqual(sorted(self.server.ask(f"SELECT {sums.replace('*', '')}, sum(tid) FROM orma.slice {where} GROUP BY name")),
                             sorted(self.query(path, f"SELECT {sums.replace('name', 's.name', 1).replace('id', 's.id')}, sum(tid) FROM slice s JOIN thread_track k "
                                                     "ON k.id = s.track_id JOIN thread USING (utid) GROUP BY 1")), name)
            self.assertEqual(self.server.ask(f"SELECT key, count(), sum(number), sum(toUInt64(value)) FROM orma.slice_arg {where} GROUP BY key ORDER BY key"),
                             [[f"args.{k}", str(num // 2), str(sum(range(i, num, 2))), str(sum(range(i, num, 2)))] for i, k in enumerate("bk")], name)

    def test_two_loaders_of_the_same_traces(self):
        self.traces(12)
        argv = [ORMA, "fleet", "load", "--to", self.to, "runs"]
        both = [subprocess.Popen(argv, cwd=self.root, env=self.env, stderr=subprocess.PIPE) for _ in range(3)]
        for p in both:
            self.assertEqual(p.wait(), 0, p.stderr.read())
            p.stderr.close()
        self.once(range(12))

    def test_killed_at_any_time_and_again(self):
        self.traces(12)
        for after in (0.05, 0.15, 0.3):
            p = subprocess.Popen([ORMA, "fleet", "load", "--to", self.to, "-j", "1", "runs"], cwd=self.root, env=self.env, stderr=subprocess.DEVNULL)
            time.sleep(after)
            p.send_signal(signal.SIGKILL)
            p.wait()
            for n, _ in self.server.ask("SELECT count(), uniq(name) FROM orma.slice GROUP BY load"):
                self.assertGreaterEqual(int(n), 10)
        self.load("runs")
        self.once(range(12))

    def test_a_server_that_vanishes(self):
        self.traces(6)
        way = clickhouse.Way(self.server.http)
        self.addCleanup(way.close)
        to = f"clickhouse://127.0.0.1:{way.port}"
        too_many = b"HTTP/1.1 500 Internal Server Error\r\nConnection: close\r\n\r\nCode: 252, e.displayText() = DB::Exception: Too many parts (300), e.what() = DB::Exception"
        for fault in ["refuse", "cut", "deaf", too_many, b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"]:
            for table in ("counter_rows", "trace_rows"):
                self.server.ask("DROP DATABASE orma")
                self.fleet("init", "--to", self.to)
                left = [1]

                def verdict(head):
                    if f"INSERT INTO orma.{table}" in head and left[0]:
                        left[0] -= 1
                        return fault
                    return None
                way.verdict = verdict
                with self.subTest(fault=str(fault)[:20], table=table):
                    self.load("runs", to=to)
                    self.assertEqual(left[0], 0)
                    self.assertIn("retrying", self.messages)
                    self.once(range(6))
        # For good: what is there is whole, the rest is said.
        self.server.ask("DROP DATABASE orma")
        self.fleet("init", "--to", self.to)
        way.verdict = lambda head: "refuse" if "INSERT INTO orma.counter_rows" in head else None
        self.load("--retry", "1s", "runs", to=to, code=1)
        self.assertIn("6 of 6 traces failed", self.messages)
        self.assertEqual(self.rows(), 0)
        self.assertGreater(self.server.number("SELECT count() FROM orma.slice_rows"), 0)
        way.verdict = lambda head: None
        self.load("runs", to=to)
        self.once(range(6))

    def test_what_the_server_refuses(self):
        self.traces(3)
        way = clickhouse.Way(self.server.http)
        self.addCleanup(way.close)
        to = f"clickhouse://127.0.0.1:{way.port}"

        def answer(code, text):
            return f"HTTP/1.1 500 Error\r\nConnection: close\r\n\r\nCode: {code}, e.displayText() = DB::Exception: {text}, e.what() = DB::Exception".encode()
        full = answer(243, "Cannot reserve 1.00 MiB, not enough space")
        way.verdict = lambda head: full if "INSERT INTO orma.slice_rows" in head else None
        self.load("runs", to=to, code=1)
        self.assertIn("stopped: Cannot reserve 1.00 MiB, not enough space", self.messages)
        self.assertEqual(self.rows("trace"), 0)
        # One of a batch is refused: the others come.
        left = [2]

        def once_more(head):
            if "INSERT INTO orma.slice_rows" in head and left[0]:
                left[0] -= 1
                return answer(33, "Cannot read all data")
            return None
        way.verdict = once_more
        self.load("-j", "1", "runs", to=to, code=1)
        self.assertIn("2 of 3 traces loaded", self.messages)
        self.assertIn("1 of 3 traces failed", self.messages)
        self.assertIn("Cannot read all data", self.messages)
        self.assertEqual(self.rows("trace"), 2)

    @unittest.skipUnless(os.geteuid() == 0, "a small file system needs root")
    def test_no_space_for_what_was_read(self):
        self.traces(2)
        write_trace(self.root / "runs/large.json", slices=60000)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(self.root / "tmp")], check=False, capture_output=True).returncode:
            self.skipTest("it cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", str(self.root / "tmp")], check=True)
        self.load("-j", "1", "runs", code=1)
        self.assertIn("large.json: No space left on device", self.messages)
        self.once(range(2))

    def test_users_and_passwords(self):
        self.traces(1)
        self.load("runs", to=f"clickhouse://guarded:a%3Ab%40c%2Fd%25@127.0.0.1:{self.server.http}")
        self.once(range(1))
        self.env.update(CLICKHOUSE_USER="guarded", CLICKHOUSE_PASSWORD="a:b@c/d%")
        self.assertIn("traces: 1,", self.fleet("status", "--to", self.to))
        self.env["CLICKHOUSE_PASSWORD"] = "wrong"
        self.load("runs", code=1)
        self.assertIn("guarded", self.messages)
        self.assertNotIn("wrong", self.messages)

    @unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
    def test_tls(self):
        self.traces(3)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=here", "-addext",
                        "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "cert.pem"], cwd=self.root, check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.root / "cert.pem", self.root / "key.pem")
        way = clickhouse.Way(self.server.http, tls=context)
        self.addCleanup(way.close)
        for name in ("CURL_CA_BUNDLE", "SSL_CERT_FILE"):
            self.env.pop(name, None)
        # Nobody vouches for it; then somebody does, but for another name.
        self.load("runs", to=f"clickhouses://127.0.0.1:{way.port}", code=1)
        self.assertIn("certificate", self.messages)
        self.env["SSL_CERT_FILE"] = str(self.root / "cert.pem")
        self.load("runs", to=f"clickhouses://localhost:{way.port}", code=1)
        self.assertIn("localhost", self.messages)
        self.assertEqual(self.server.number("SELECT count() FROM orma.slice_rows"), 0)
        self.load("--path-labels", "{build}/{machine}/*", "runs", to=f"clickhouses://127.0.0.1:{way.port}")
        self.once(range(3))
        # It gets another one in the middle: the load does not wait for better times.
        def renewed(head):
            if "INSERT INTO orma.slice_rows" in head:
                way.tls = other
            return None
        other = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=else", "-keyout", "key.pem", "-out",
                        "else.pem"], cwd=self.root, check=True, capture_output=True)
        other.load_cert_chain(self.root / "else.pem", self.root / "key.pem")
        way.verdict = renewed
        self.load("--again", "runs", to=f"clickhouses://127.0.0.1:{way.port}", code=1)
        self.assertIn("stopped: ", self.messages)
        self.assertIn("certificate", self.messages)
        self.once(range(3))
        # What is no TLS at all.
        self.env["SSL_CERT_FILE"] = str(self.root / "cert.pem")
        self.load("runs", to=f"clickhouses://127.0.0.1:{self.server.http}", code=1)

    def test_a_schema_of_before(self):
        self.traces(3)
        self.load("runs/b0")
        for sql in ["TRUNCATE TABLE orma.fleet", "INSERT INTO orma.fleet VALUES (0)", "ALTER TABLE orma.slice_rows DROP COLUMN category",
                    "ALTER TABLE orma.trace_rows DROP COLUMN losses"]:
            self.server.ask(sql)
        self.load("runs", code=1)
        self.assertIn("the tables have version 0, this program needs 1: run 'orma fleet init", self.messages)
        self.fleet("init", "--to", self.to)
        self.assertIn("its tables were updated", self.messages)
        self.load("runs")
        self.once(range(3))
        self.assertEqual(self.rows("slice", "category = ''"), 10 + 12)
        self.server.ask("INSERT INTO orma.fleet VALUES (99)")
        for action in ("init", "load", "status", "expire"):
            self.fleet(action, "--to", self.to, *(["runs"] if action == "load" else []), code=1)
            self.assertIn("use a newer orma", self.messages)
        self.load("runs", to=self.to + "/other", code=1)
        self.assertIn("database 'other' has no tables", self.messages)

    def test_answers_in_one_statement(self):
        for build, scale in (("old", 1), ("new", 3)):
            for i in range(3):
                path = self.root / f"a/{build}/m{i}/{i}.json"
                path.parent.mkdir(parents=True)
                path.write_text(json.dumps([{"ph": "X", "pid": 1, "tid": 1, "ts": 1000 * n + i, "dur": n % 100 * scale + 1, "name": "frame"} for n in range(1000)]))
                scheduling(path.with_suffix(".txt"), [1000 * (i + 1) * (n + 1) for n in range(50)] + [1000 * scale])
        self.load("--path-labels", "{build}/{machine}/*", "a")
        self.assertEqual(self.server.ask("SELECT build, slices, traces, max_ns FROM orma.slice_times WHERE name = 'frame' ORDER BY build"),
                         [["new", "3000", "3", "298000"], ["old", "3000", "3", "100000"]])
        p99 = dict(self.server.ask("SELECT build, p99_ns FROM orma.slice_times WHERE name = 'frame'"))
        self.assertAlmostEqual(float(p99["old"]), 99000, delta=1500)
        self.assertAlmostEqual(float(p99["new"]), 295000, delta=4500)
        got = self.server.ask("SELECT machine, waits, traces, max_ns FROM orma.latency_by_machine ORDER BY machine")
        self.assertEqual([[m, t, x] for m, _, t, x in got], [[f"m{i}", "2", str(50000 * (i + 1))] for i in range(3)])
        self.assertEqual([r[0] for r in self.server.ask("SELECT machine, traces, traces_unknown FROM orma.loss_by_machine ORDER BY machine")], ["m0", "m1", "m2"])

    def test_functions_of_profiles(self):
        """CPU by function over many profiles: samples of each, of all of them, and of those with it."""
        for i in range(3):
            lines = [f"work 7 [000] {1 + n / 1000:.6f}: 1000000 cpu-clock:\n" + "".join(f"\t{hex(0x1000 + 16 * k)} {f} (/bin/work)\n" for k, f in enumerate(stack)) + "\n"
                     for n, stack in enumerate([["hot", "a", "main"]] * 30 + [["cold", "a", "main"]] * 10 + [["a", "a", "main"]] * i)]
            (self.root / f"p{i}.txt").write_text("".join(lines))
        self.load("--label", "build=b", "p0.txt", "p1.txt", "p2.txt")
        got = self.server.ask("SELECT name, traces, self_samples, total_samples FROM orma.function_times WHERE build = 'b' ORDER BY name")
        self.assertEqual(got, [["a", "3", "3", "123"], ["cold", "3", "30", "30"], ["hot", "3", "90", "90"], ["main", "3", "0", "123"]])

    def test_losses(self):
        packets = 'packet { trusted_packet_sequence_id: 1 trace_stats { buffer_stats { buffer_size: 4096 chunks_overwritten: 3 } buffer_stats { trace_writer_packet_loss: 4 } } }\n'
        (self.root / "t.textproto").write_text(packets)
        subprocess.run([ORMA, "convert", "binary", "t.textproto", "lost.pftrace"], cwd=self.root, env=self.env, check=True)
        self.traces(1)
        self.load("--label", "machine=m", "lost.pftrace", "runs")
        self.assertEqual(self.server.ask("SELECT traces, traces_unknown, traces_with_losses > 0, packets_lost > 0 FROM orma.loss_by_machine WHERE machine = 'm'"),
                         [["2", "1", "1", "1"]])
        text = self.server.ask("SELECT losses FROM orma.trace WHERE path = 'lost.pftrace'")[0][0]
        self.assertIn("lost", text)
        self.assertNotIn("nothing lost", text)

    def test_expire(self):
        self.traces(4, "runs/{}{}/t{}.json")
        today = int(time.time()) // DAY * DAY
        for i in range(4):
            day = time.strftime("%Y-%m-%d", time.gmtime(today - i * 10 * DAY))
            self.load("--label", f"date={day}", f"runs/{i % 2}{i % 3}/t{i}.json")
        self.fleet("expire", "--to", self.to, "--keep", "10")
        self.once([0, 1])
        self.assertEqual(self.server.number("SELECT count() FROM orma.slice_rows"), 21)
        # Rows of loads that never came whole go when they are old; those of one under way stay.
        old, new = (int(time.time()) - 2 * DAY) * 1000000 << 12, int(time.time()) * 1000000 << 12
        for load in (old, old + 1, new):
            self.server.ask(f"INSERT INTO orma.slice_rows (date, load, name) VALUES (today(), {load}, 'half')")
        self.assertEqual(self.rows("slice", "name = 'half'"), 0)
        self.assertIn("of 2 loads", self.fleet("expire", "--to", self.to))
        for _ in range(600):
            if self.server.number("SELECT count() FROM orma.slice_rows WHERE name = 'half'") == 1:
                break
            time.sleep(0.05)
        self.assertEqual(self.server.number("SELECT count() FROM orma.slice_rows WHERE name = 'half' AND load = %d" % new), 1)
        self.once([0, 1])

    def test_a_cluster(self):
        self.traces(12)
        hosts = ",".join(f"127.0.0.1:{s.http}" for s in self.servers)
        self.fleet("init", "--to", f"clickhouse://{hosts}", "--cluster", "fleet")
        self.load("--path-labels", "{build}/{machine}/*", "runs", to=f"clickhouse://{hosts}")
        self.load("runs", to=f"clickhouse://{hosts}")
        self.assertIn("12 were there already", self.messages)
        parts = [s.number("SELECT count() FROM orma.trace") for s in self.servers]
        self.assertEqual(sum(parts), 12)
        self.assertNotIn(0, parts)
        for s in self.servers:  # any of them answers for all
            self.assertEqual(s.number("SELECT count() FROM orma_all.slice"), sum(range(10, 22)))
            self.assertEqual(s.ask("SELECT build, sum(slices) FROM orma_all.slice_times GROUP BY build ORDER BY build"),
                             [["b0", str(sum(range(10, 22, 2)))], ["b1", str(sum(range(11, 22, 2)))]])
        out = self.fleet("status", "--to", f"clickhouse://{hosts}")
        self.assertEqual(out.count("ClickHouse"), 2)

    def test_the_page(self):
        """docs/fleet.md from top to bottom: its commands, and its questions to the server."""
        text = (SOURCE / "docs/fleet.md").read_text()
        write_trace(self.root / "t.json", slices=9)
        for build in "ab":
            path = self.root / f"runs/{build}/m/{build}.pftrace"
            path.parent.mkdir(parents=True)
            write_trace(path, slices=5 + ord(build))
        env = dict(self.env, PATH=f"{ORMA.parent}:{self.env['PATH']}")
        asked = 0
        for language, block in re.findall(r"```(\w+)\n(.*?)```", text, re.S):
            if language == "sh":
                subprocess.run(["sh", "-euc", block.replace("clickhouse://localhost", self.to)], cwd=self.root, env=env, check=True, capture_output=True)
            elif language == "sql" and "orma.slice_times" in block:
                for statement in re.sub(r"--.*", "", block).split(";"):
                    asked += bool(statement.strip()) and self.server.ask(statement) is not None
        self.assertGreaterEqual(asked, 5)
        self.assertEqual(self.rows("trace"), 2)
        self.assertEqual(len(list((self.root / "lake/slice").rglob("*.parquet"))), 2)

    def test_traces_in_place(self):
        """The protocol of executable tables: what is asked comes on standard input, rows go out; and the dictionary of 18.16."""
        paths = self.traces(3)
        names = "".join(f"{p}\n" for p in paths)
        argv = [str(ORMA), "query", "--all", "-", "--format", "tsv", "SELECT name, count(*) AS n, NULL AS none, 'a\tb\\' AS text FROM slice GROUP BY name"]
        done = subprocess.run(argv, input=names.encode(), capture_output=True, env=self.env, check=True)
        self.server.ask("CREATE TABLE orma.answers (trace String, name String, n UInt64, none Nullable(String), text String) ENGINE = Memory")
        self.server.ask("INSERT INTO orma.answers FORMAT TabSeparated", done.stdout)
        self.assertEqual(self.server.number("SELECT sum(n) FROM orma.answers WHERE none IS NULL AND text = 'a\\tb\\\\'"), 10 + 11 + 12)
        # As the table function calls the script of docs/fleet.md: what follows its name, cut at each blank.
        page = (SOURCE / "docs/fleet.md").read_text()
        command, = re.findall(r"with `#!/bin/sh` and `(exec [^`]*)`", page)
        sql, = re.findall(r"executable\('ask ([^']*)', TabSeparated", page)
        ask = self.root / "ask"
        ask.write_text(f"#!/bin/sh\n{command}\n")
        ask.chmod(0o755)
        done = subprocess.run([ask, *sql.split(" ")], input=names.encode(), capture_output=True, check=True,
                              env=dict(self.env, PATH=f"{ORMA.parent}:{self.env['PATH']}"))
        rows = [line.split("\t") for line in done.stdout.decode().splitlines()]
        self.assertEqual((len(rows), sum(int(r[2]) for r in rows), {len(r) for r in rows}), (12, 10 + 11 + 12, {4}))
        broken = subprocess.run(argv, input=b"/nowhere/x.json\n", capture_output=True, env=self.env, check=False)
        self.assertEqual((broken.returncode, broken.stdout), (1, b""))
        script = self.root / "ask.sh"
        script.write_text(f"#!/bin/sh\nORMA_CACHE=off exec {ORMA} query {paths[0]} --format tsv "
                          "'SELECT row_number() OVER (ORDER BY name) AS id, name, CAST(sum(dur) AS INT) AS ns FROM slice GROUP BY name'\n")
        script.chmod(0o755)
        (self.server.dir / "in_place_dictionary.xml").write_text(
            f"<dictionaries><dictionary><name>in_place</name><source><executable><command>{script}</command><format>TabSeparated</format></executable></source>"
            "<lifetime>0</lifetime><layout><flat/></layout><structure><id><name>id</name></id><attribute><name>name</name><type>String</type><null_value/></attribute>"
            "<attribute><name>ns</name><type>UInt64</type><null_value>0</null_value></attribute></structure></dictionary></dictionaries>")
        self.server.ask("SYSTEM RELOAD CONFIG")
        for _ in range(200):
            if self.server.number("SELECT count() FROM system.dictionaries WHERE name = 'in_place'"):
                break
            time.sleep(0.1)
        self.server.ask("CREATE TABLE orma.in_place (id UInt64, name String, ns UInt64) ENGINE = Dictionary(in_place)")
        want = self.query(paths[0], "SELECT name, sum(dur) FROM slice GROUP BY name ORDER BY name")
        self.assertEqual(self.server.ask("SELECT name, ns FROM orma.in_place ORDER BY name"), want)


class Files(Fleet):
    def reader(self, sql):
        modules = os.environ.get("ORMA_NODE_MODULES", "")
        if not shutil.which("node") or not os.path.isdir(os.path.join(modules, "@duckdb/node-api")):
            self.skipTest("@duckdb/node-api of npm is not installed: ORMA_NODE_MODULES is the folder that has it")
        done = subprocess.run(["node", pathlib.Path(__file__).parent / "readers.mjs", "duckdb", sql], capture_output=True, text=True, cwd=self.root, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["rows"]

    def export(self, *args, code=0):
        return self.fleet("export", "--to", "lake", "--path-labels", "{build}/{machine}/*", "--label", "date=2026-11-27", *args, code=code)

    def test_each_once_and_whole(self):
        self.traces(5)
        (self.root / "runs/b0/m0/bad.json").write_text("this is no trace " * 30)
        (self.root / "runs/b0/m0/nothing.json").write_bytes(b"")
        self.export("runs", code=1)
        self.assertIn("5 of 7 traces written", self.messages)
        self.assertIn("bad.json", self.messages)
        self.assertIn("nothing.json: the file is empty", self.messages)
        files = sorted(str(p.relative_to(self.root)) for p in (self.root / "lake").rglob("*") if p.is_file())
        self.assertEqual(len([f for f in files if f.startswith("lake/trace/date=2026-11-27/build=b")]), 5)
        self.assertFalse([f for f in files if not f.endswith(".parquet")], "nothing is left of what was not finished")
        self.export("runs", code=1)
        self.assertIn("5 were there already", self.messages)
        self.assertEqual(files, sorted(str(p.relative_to(self.root)) for p in (self.root / "lake").rglob("*") if p.is_file()))
        # Without the file of its trace it did not come whole, and comes again.
        next((self.root / "lake/trace").rglob("*.parquet")).unlink()
        self.export("runs", code=1)
        self.assertIn("1 of 7 traces written", self.messages)

    def test_what_could_not_be_read_is_said(self):
        path = self.traces(1)[0]
        path.write_bytes(path.read_bytes()[:-20])
        self.export("runs")
        self.assertRegex(self.messages, rf"{path.name}: truncated: the last \d+ bytes could not be read")

    def test_an_output_that_leads_to_an_input(self):
        path = self.traces(1)[0]
        before = path.read_bytes()
        self.export("runs")
        next((self.root / "lake/trace").rglob("*.parquet")).unlink()
        out = next((self.root / "lake/slice").rglob("*.parquet"))
        out.unlink()
        out.symlink_to(path)
        self.export("runs", code=1)
        self.assertIn("is also an input", self.messages)
        self.assertEqual(path.read_bytes(), before)

    def test_names_in_paths(self):
        self.traces(1, "{}{}t{}.json")
        self.fleet("export", "--to", "lake", "--label", "build=a/../b %:é", "--label", "date=20240229", "00t0.json")
        self.assertEqual([p.name for p in (self.root / "lake/slice/date=2024-02-29").iterdir()], ["build=a%2F..%2Fb%20%25%3Aé"])
        self.fleet("export", "--to", "lake2", "00t0.json")
        self.assertEqual([p.name for p in (self.root / "lake2/slice").glob("*/*")], ["build=__HIVE_DEFAULT_PARTITION__"])
        self.fleet("export", "--to", "/proc/none", "00t0.json", code=1)

    def test_duckdb_reads_them(self):
        self.traces(6)
        self.export("runs")
        slices = "read_parquet('lake/slice/*/*/*.parquet', hive_partitioning = true)"
        self.assertEqual(self.reader(f"SELECT build, machine, count(*) FROM {slices} WHERE date = '2026-11-27' GROUP BY ALL ORDER BY ALL"),
                         [["b0", "m0", "10"], ["b0", "m1", "14"], ["b0", "m2", "12"], ["b1", "m0", "13"], ["b1", "m1", "11"], ["b1", "m2", "15"]])
        for table in TABLES:
            if not list((self.root / "lake" / table).rglob("*.parquet")):
                self.assertIn(table, ("thread_state", "function", "loss"))
                continue
            rows = self.reader(f"SELECT count(*), count(DISTINCT trace) FROM read_parquet('lake/{table}/*/*/*.parquet', hive_partitioning = true)")
            self.assertEqual(rows[0][1], "6", table)
        self.assertEqual(self.reader(f"SELECT quantile_cont(dur, 0.5) FROM {slices} WHERE trace IN (SELECT trace FROM read_parquet('lake/trace/*/*/*.parquet')) AND name = 'work 1'")[0],
                         self.reader(f"SELECT quantile_cont(dur, 0.5) FROM {slices} WHERE name = 'work 1'")[0])


if __name__ == "__main__":
    unittest.main()
