"""trace_processor_shell: what scripts rely on. Exact CSV, exit codes, words of errors; the prompt; servers."""
import contextlib
import pty
import re
import select
import shutil
import socket
import sqlite3
import tarfile
import tempfile

import websocket
from orma_env import *

TRACECONV = BUILD / "compat/traceconv"
TRACE = """
packet { track_descriptor { uuid: 1 process { pid: 10 process_name: "proc" } } }
packet { track_descriptor { uuid: 2 parent_uuid: 1 thread { pid: 10 tid: 11 thread_name: "main" } } }
packet { timestamp: 100 trusted_packet_sequence_id: 1 track_event { type: TYPE_SLICE_BEGIN track_uuid: 2 name: "a" } }
packet { timestamp: 150 trusted_packet_sequence_id: 1 track_event { type: TYPE_SLICE_END track_uuid: 2 } }
packet { timestamp: 200 trusted_packet_sequence_id: 1 track_event { type: TYPE_INSTANT track_uuid: 2 name: "b" } }
"""


class Shell(Case):
    @classmethod
    def setUpClass(cls):
        cls.kept = pathlib.Path(tempfile.mkdtemp(prefix="orma-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.kept, ignore_errors=True)
        (cls.kept / "t.txt").write_text(TRACE)
        cls.trace = cls.kept / "t.pftrace"
        subprocess.run([TRACECONV, "binary", cls.kept / "t.txt", cls.trace], check=True)

    def shell(self, *argv, code=0, says="", **more):
        more.setdefault("stdin", subprocess.DEVNULL) if "input" not in more else None
        done = self.run_program(SHELL, *argv, **more)
        text = done.stderr.decode()
        self.assertEqual(done.returncode, code, f"{argv}\n{text}")
        self.assertIn(says, text)
        return done.stdout.decode(errors="backslashreplace")


class Query(Shell):
    def test_csv_to_the_letter(self):
        sql = """SELECT 'it "is"' AS "a b", 1.5 AS d, NULL AS n, x'00' AS blob, -7 AS i, 'x
y' AS lines; CREATE VIEW v AS SELECT 1; SELECT 1 AS e WHERE 0; SELECT 2 AS suppress_query_output; SELECT 3 AS f;"""
        expected = '"a b","d","n","blob","i","lines"\n"it "is"",1.500000,"[NULL]","<raw bytes>",-7,"x\ny"\n' \
            '\n"e"\n\n"f"\n3\n'
        for argv in (["query", self.trace, sql], ["-Q", sql, self.trace]):
            self.assertEqual(self.shell(*argv), expected)

    def test_where_the_sql_comes_from(self):
        (self.dir / "q.sql").write_text("SELECT 1 AS a")
        out = '"a"\n1\n'
        self.assertEqual(self.shell("query", "-f", "q.sql", self.trace), out)
        self.assertEqual(self.shell("query", self.trace, "-f", "-", input=b"SELECT 1 AS a"), out)
        self.assertEqual(self.shell("query", self.trace, input=b"SELECT 1 AS a"), out)
        self.assertEqual(self.shell("-q", "q.sql", self.trace), out)
        self.assertEqual(self.shell("--full-sort", "query", self.trace, "SELECT 1 AS a"), out)
        self.assertEqual(self.shell("query", self.trace, "SELECT 1 AS a", "-f", "q.sql"), out)

    def test_rows(self):
        self.assertEqual(self.shell("query", self.trace, "SELECT ts, dur, name FROM slice ORDER BY ts"),
                         '"ts","dur","name"\n100,50,"a"\n200,0,"b"\n')

    def test_errors(self):
        for argv, says in [
                (["query", self.trace, "SELEC 1"], "SELEC"),
                (["query", self.trace, ""], "No valid SQL to run"),
                (["query", self.trace, "/* nothing */"], "No valid SQL to run"),
                (["query", self.trace, "SELECT 1", "more", "still"], "too many arguments: more"),
                (["query"], "no trace file given"),
                (["query", "absent", "SELECT 1"], "absent"),
                (["query", self.trace, "-f", "absent.sql"], "absent.sql"),
                (["query", "--qery-file", "x", self.trace], "did you mean '--query-file'"),
                (["query", "--metatrace", "x", self.trace], "this build has no --metatrace"),
                (["query", "--override-stdlib", ".", self.trace, "SELECT 1"], "Overriding stdlib requires --dev flag"),
                (["query", "--dev", "--override-stdlib", "absent", self.trace, "SELECT 1"],
                 "Directory 'absent' does not exist."),
                (["query", "--add-sql-package", "absent", self.trace, "SELECT 1"], "absent"),
                (["query", "https://example.invalid/t", "SELECT 1"], "download it first"),
                (["-e", "x", "-Q", "SELECT 1", self.trace], "cannot be combined"),
                (["-Q", "SELECT 1"], "no trace file given"),
                (["help", "nonsense"], "no such command"),
        ]:
            with self.subTest(argv=argv):
                out = self.shell(*argv, code=1, says=says)
                self.assertEqual(out, "")

    def test_the_first_error_ends_it_and_what_was_printed_stays(self):
        out = self.shell("query", self.trace, "SELECT 1 AS a; SELECT nothing; SELECT 2 AS b", code=1, says="nothing")
        self.assertEqual(out, '"a"\n1\n')

    def test_times_go_to_a_file(self):
        self.shell("query", self.trace, "SELECT 1", "--perf-file", "perf")
        self.assertRegex((self.dir / "perf").read_text(), r"^\d+,\d+$")

    def test_packages(self):
        (self.dir / "mine/sub").mkdir(parents=True)
        (self.dir / "mine/one.sql").write_text("CREATE PERFETTO TABLE t1 AS SELECT 11 AS x;")
        (self.dir / "mine/sub/two.sql").write_text("CREATE PERFETTO TABLE t2 AS SELECT 22 AS x;")
        (self.dir / "mine/not.this.sql").write_text("nonsense")
        sql = "INCLUDE PERFETTO MODULE {0}.one; INCLUDE PERFETTO MODULE {0}.sub.two; SELECT x FROM t1 UNION ALL SELECT x FROM t2"
        self.assertEqual(self.shell("query", "--add-sql-package", "mine", self.trace, sql.format("mine"), says="skipped because of a dot"),
                         '"x"\n11\n22\n')
        self.assertEqual(self.shell("-Q", sql.format("a.b"), "--add-sql-package", "mine@a.b", self.trace), '"x"\n11\n22\n')

    def test_version_and_help(self):
        for argv in (["-v"], ["--version"], ["query", "--version"]):
            self.assertRegex(self.shell(*argv), r"^Perfetto v\d+\.\d+\S*\nTrace Processor RPC API version: 14\n$")
        for argv in ([], ["help"], ["-h"]):
            self.assertIn("Commands:", self.shell(*argv))
        self.assertIn("--perf-file", self.shell("help", "query"))
        self.assertIn("--http-port", self.shell("--help-classic"))

    def test_a_file_that_is_called_like_a_command(self):
        shutil.copy(self.trace, self.dir / "query")
        self.shell("query", "query", "SELECT 1", says="./query")
        self.assertEqual(self.shell("-Q", "SELECT 1 AS a", "./query"), '"a"\n1\n')

    def test_columns_are_as_wide_as_they_are_shown(self):
        """Wide characters take two columns, those that are put on others none; a cell ends at 60 columns."""
        names = "SELECT '日本' AS a, 1 AS b UNION ALL SELECT 'e' || char(769) || 'x', 22"
        show = lambda sql: self.orma("query", "--format=table", self.trace, sql).stdout.decode().splitlines()
        self.assertEqual(show(names), ["a      b", "----  --", "日本   1", "e\u0301x    22"])
        self.assertEqual(show("SELECT 'x' || replace(hex(zeroblob(40)), '00', '日') AS a, 1 AS b")[2], "x" + 29 * "日" + "…" + "  1")
        self.assertEqual(show("SELECT replace(hex(zeroblob(40)), '00', '日') AS a, 1 AS b")[2], 29 * "日" + "… " + "  1")

    def test_nobody_reads(self):
        r, w = os.pipe()
        os.close(r)
        p = self.start(SHELL, "query", self.trace, "SELECT * FROM stats", stdout=w, stderr=subprocess.PIPE)
        os.close(w)
        p.communicate(timeout=30 * SLOW)
        self.assertNotEqual(p.returncode, 0)


class Prompt(Shell):
    def ask(self, text):
        return self.shell("interactive", self.trace, input=text.encode())

    def test_rows_in_columns(self):
        out = self.ask("SELECT 'text' AS t, 2 AS n, 1.5 AS d, NULL AS z, x'00' AS b\n")
        head, line, row = out.splitlines()[:3]
        self.assertEqual(head, "".join(f"{c:<20} " for c in "tndzb"))
        self.assertEqual(line, ("-" * 20 + " ") * 5)
        self.assertEqual(row, f"{'text':<20} {2:>20} {'1.500000':>20} {'[NULL]':<20} {'<raw bytes>':<20} ")
        self.assertRegex(out, r"\n\nQuery executed in \d+\.\d{3} ms\n\n$")

    def test_the_last_of_several_is_shown(self):
        out = self.ask("SELECT 1 AS first; CREATE VIEW v AS SELECT 5 AS five; SELECT * FROM v\n")
        self.assertNotIn("first", out)
        self.assertIn("five", out)

    def test_dot_commands(self):
        (self.dir / "q.sql").write_text("SELECT 9 AS nine")
        self.assertIn('"nine"\n9\n', self.ask(".read q.sql\n"))
        self.assertIn("abcde |".replace("|", ""), self.ask(".width 5\nSELECT 'abcdefgh' AS x\n"))
        self.assertIn(".dump", self.ask(".help\n"))
        self.assertIn(".dump", self.ask(".nonsense\n"))
        self.assertNotIn("one", self.ask(".q\nSELECT 1 AS one\n"))
        self.shell("interactive", self.trace, input=b"CREATE VIEW v AS SELECT 1\n.reset\nSELECT * FROM v\n", says="v")
        self.ask(".dump out.db\n")
        self.assertTrue((self.dir / "out.db").exists())

    def test_an_error_does_not_end_it(self):
        self.assertIn("one", self.ask("SELEC\n.read absent\n.width x\nSELECT 1 AS one\n"))


class Terminal(Shell):
    """The prompt as a person has it: keys, history, Ctrl-C."""

    def setUp(self):
        super().setUp()
        self.env.update(HOME=str(self.dir), TERM="xterm")

    def open_prompt(self):
        pid, self.fd = pty.fork()
        if pid == 0:
            os.execve(SHELL, [str(SHELL), "interactive", str(self.trace)], self.env)
        self.addCleanup(self.close_prompt, pid, self.fd)
        self.pid, self.seen = pid, ""
        self.prompt()

    @staticmethod
    def close_prompt(pid, fd):
        try:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        os.close(fd)

    def until(self, text):
        """What comes until this text, which must come."""
        end = time.monotonic() + 30 * SLOW
        while text not in self.seen:
            self.assertTrue(select.select([self.fd], [], [], max(end - time.monotonic(), 0))[0], self.seen[-500:])
            self.seen += os.read(self.fd, 1 << 16).decode(errors="replace")
        out, _, self.seen = self.seen.partition(text)
        return out + text

    def prompt(self):
        """Waits for an empty line: only then all keys are the editor's."""
        self.until("> ")

    def type(self, text):
        os.write(self.fd, text.encode())

    def quit(self):
        end, again = time.monotonic() + 30 * SLOW, 0
        while time.monotonic() < end:
            if time.monotonic() >= again:  # a Ctrl-C that comes late makes the terminal drop what was typed
                self.type("\x04")
                again = time.monotonic() + 3
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.assertEqual(status, 0)
                return
            if select.select([self.fd], [], [], 0.05)[0]:
                try:
                    os.read(self.fd, 1 << 16)
                except OSError:
                    pass
        self.fail("it did not end")

    def answer(self, keys):
        """The value of the only cell of the answer."""
        self.type(keys + "\r")
        value = self.until("Query executed").splitlines()[-3].strip()
        self.prompt()
        return value

    def test_keys(self):
        self.open_prompt()
        left, right, home, end, delete = "\x1b[D", "\x1b[C", "\x1b[H", "\x1b[F", "\x1b[3~"
        self.assertEqual(self.answer("SELECT 12"), "12")
        self.assertEqual(self.answer("SELECT 12" + left + "7"), "172")
        self.assertEqual(self.answer("ELECT 3" + home + "S" + end + "4"), "34")
        self.assertEqual(self.answer("SELECT 56\x7f" + "8"), "58")
        self.assertEqual(self.answer("XSELECT 9" + home + delete), "9")
        self.assertEqual(self.answer("nonsense\x15SELECT 'ä€😀x'" + left * 2 + "\x7f"), "ä€x")
        self.assertEqual(self.answer("SELECT 1 two three\x17\x17"), "1")
        self.assertEqual(self.answer("SELECT 5 rest\x01" + right * 8 + "\x0b"), "5")
        self.assertEqual(self.answer("SELECT " + "0 + " * 60 + "6"), "6")
        self.quit()

    def test_history_and_its_file(self):
        self.open_prompt()
        self.answer("SELECT 111")
        self.answer("SELECT 222")
        self.assertEqual(self.answer("\x1b[A"), "222")
        self.assertEqual(self.answer("\x1b[A\x1b[A"), "111")
        self.assertEqual(self.answer("SELECT 333\x1b[A\x1b[B"), "333")
        self.quit()
        path = self.dir / ".config/perfetto/.trace_processor_shell_history"
        self.assertEqual(path.read_text().splitlines(), ["SELECT 111", "SELECT 222", "SELECT 111", "SELECT 333"])
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        self.open_prompt()
        self.assertEqual(self.answer("\x1b[A"), "333")
        self.quit()

    def test_ctrl_c_ends_the_line_or_the_query(self):
        self.open_prompt()
        self.type("SELECT nonsense\x03")
        self.until("\n")
        self.prompt()
        self.type("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r\r")
        time.sleep(0.3)
        end = time.monotonic() + 30 * SLOW
        while "interrupted" not in self.seen and time.monotonic() < end:
            self.type("\x03")
            # With each Ctrl-C a terminal drops what it has not shown yet: so not before there was time for it.
            pause = time.monotonic() + SLOW
            while "interrupted" not in self.seen and time.monotonic() < pause:
                if select.select([self.fd], [], [], 0.1)[0]:
                    self.seen += os.read(self.fd, 1 << 16).decode(errors="replace")
        self.until("interrupted")
        self.prompt()
        self.assertEqual(self.answer("\x15SELECT 1"), "1")
        self.quit()


class Export(Shell):
    def test_every_sqlite_reads_it(self):
        (self.dir / "out.db").write_text("what was there before")
        for argv in (["export", "sqlite", "-o", "out.db", self.trace], ["-e", "out.db", self.trace]):
            self.shell(*argv)
            with sqlite3.connect(self.dir / "out.db") as db:
                self.assertEqual(db.execute("SELECT ts, name FROM slice ORDER BY ts").fetchall(), [(100, "a"), (200, "b")])
                self.assertEqual(db.execute("SELECT count(*) FROM __intrinsic_slice").fetchone(), (2,))
            db.close()
        self.assertEqual(sorted(p.name for p in self.dir.iterdir()), ["out.db"])

    def test_archive_of_arrow_files(self):
        self.shell("export", "arrow_tar", "-o", "out.tar", self.trace)
        with tarfile.open(self.dir / "out.tar") as tar:
            self.assertTrue(tar.extractfile("__intrinsic_slice.arrow").read().startswith(b"ARROW1"))

    def test_archive_that_is_loaded_again(self):
        self.shell("export", "perfetto", "-o", "out.orma", self.trace)
        sql = "SELECT ts, name FROM slice ORDER BY ts"
        self.assertEqual(self.shell("query", "out.orma", sql), self.shell("query", self.trace, sql))

    def test_errors(self):
        self.shell("export", "sqlite", self.trace, code=1, says="-o FILE")
        self.shell("export", "perfetto", "-o", "no/such/x", self.trace, code=1, says="no/such/x")
        self.shell("export", "arrow_tar", "-o", "no/such/x", self.trace, code=1, says="no/such/x")
        self.shell("export", "nonsense", "-o", "x", self.trace, code=1, says="unknown format")
        self.shell("export", "sqlite", "-o", "no/such/x", self.trace, code=1, says="no/such/x")


class Merge(Shell):
    OTHER = TRACE.replace("uuid: 1 ", "uuid: 11 ").replace("uuid: 2 ", "uuid: 12 ").replace("pid: 10 ", "pid: 20 ") \
        .replace('"a"', '"other"').replace("track_uuid: 2 ", "track_uuid: 12 ").replace("tid: 11", "tid: 21")

    def setUp(self):
        super().setUp()
        (self.dir / "one.pftrace").write_bytes(self.trace.read_bytes())
        (self.dir / "two.txt").write_text(self.OTHER)
        self.shell("util", "text_to_binary", "two.txt", "two.pftrace")

    def test_two_traces_load_as_one(self):
        out = self.shell("util", "merge", "-o", "both.tar", "one.pftrace", "two.pftrace")
        self.assertIn("Wrote both.tar (2 traces).\n", out)
        with tarfile.open(self.dir / "both.tar") as tar:
            self.assertEqual(tar.getnames(), ["one.pftrace", "two.pftrace"])
            self.assertEqual(tar.extractfile("two.pftrace").read(), (self.dir / "two.pftrace").read_bytes())
        names = self.shell("-Q", "SELECT DISTINCT name FROM slice ORDER BY 1", "both.tar").splitlines()
        self.assertEqual(names, ['"name"', '"a"', '"b"', '"other"'])

    def test_a_manifest_goes_with_them(self):
        (self.dir / "m.json").write_text("{}")
        out = self.shell("util", "merge", "--no-validate", "--manifest", "m.json", "-o", "both.tar", "one.pftrace")
        self.assertEqual(out, "Wrote both.tar (1 trace plus manifest).\n")
        with tarfile.open(self.dir / "both.tar") as tar:
            self.assertEqual(tar.extractfile("perfetto_manifest.json").read(), b"{}")

    def test_errors(self):
        (self.dir / "sub").mkdir()
        (self.dir / "sub/one.pftrace").write_bytes(b"")
        for argv, says in [(["one.pftrace"], "-o FILE"), (["-o", "x.tar"], "no traces"),
                           (["-o", "x.tar", "absent"], "absent"), (["-o", "x.tar", "sub"], "not a regular file"),
                           (["-o", "x.tar", "one.pftrace", "sub/one.pftrace"], "names must differ"),
                           (["-o", "no/such/x.tar", "one.pftrace"], "no/such/x.tar"),
                           (["-o", "x.tar", "one.pftrace", "--manifest", "absent.json"], "absent.json")]:
            with self.subTest(argv=argv):
                self.shell("util", "merge", *argv, code=1, says=says)
        self.assertEqual([p for p in self.dir.iterdir() if "x.tar" in p.name], [])


def varint(n):
    out = b""
    while n >= 0x80:
        out, n = out + bytes([n & 0x7F | 0x80]), n >> 7
    return out + bytes([n])


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def request(seq, method, args=b""):
    return field(1, b"\x08" + varint(seq) + b"\x10" + varint(method) + args)


def query(seq, sql):
    return request(seq, 3, field(103, field(1, sql.encode())))


class Server(Shell):
    def start_http(self, *argv):
        p = self.start(SHELL, *argv, stderr=subprocess.PIPE)
        for line in p.stderr:
            m = re.search(rb"http://[^:]+:(\d+)", line)
            if m:
                self.port = int(m.group(1))
                return p
        self.fail("it did not listen")

    def http(self, data):
        with socket.create_connection(("127.0.0.1", self.port), 30 * SLOW) as s:
            s.sendall(data)
            out = b""
            while True:
                more = s.recv(1 << 16)
                if not more:
                    return out
                out += more

    def get(self, path, body=b"", headers=""):
        head, _, body = self.http(f"POST {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {len(body)}\r\n{headers}\r\n"
                                  .encode() + body).partition(b"\r\n\r\n")
        return head.decode(), body

    def test_a_trace_that_is_sent(self):
        p = self.start_http("-D", "--http-port", "0")
        data = self.trace.read_bytes()
        for part in (data[:50], data[50:]):
            self.assertEqual(self.get("/parse", part)[1], b"")
        self.get("/notify_eof")
        self.assertIn(b"Unnamed trace", self.get("/status")[1])
        self.assertIn(b"a\0b\0", self.get("/query", field(1, b"SELECT name FROM slice ORDER BY ts"))[1])
        self.assertIn(b"no such table", self.get("/query", field(1, b"SELECT * FROM absent"))[1])
        self.get("/parse", b"\x0a\x02\x40\x05")
        self.get("/notify_eof")
        self.assertNotIn(b"a\0b\0", self.get("/query", field(1, b"SELECT name FROM slice"))[1])
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.wait(30 * SLOW), 0)

    def test_origins_and_what_is_not_there(self):
        self.start_http("server", "http", "--port", "0", "--additional-cors-origins", "http://mine:1,http://other:2", self.trace)
        for origin in ("https://ui.perfetto.dev", "http://other:2"):
            self.assertIn(f"Access-Control-Allow-Origin: {origin}\r\nVary: Origin",
                          self.get("/status", headers=f"Origin: {origin}\r\n")[0])
        head, body = self.get("/status", headers="Origin: https://evil.example\r\n")
        self.assertTrue(head.startswith("HTTP/1.1 403 "))
        self.assertEqual(body, b"Origin not allowed")
        self.assertTrue(self.get("/nonsense")[0].startswith("HTTP/1.1 404 "))
        self.assertTrue(self.get("/status", headers="Host: localhost:9001\r\n")[0].startswith("HTTP/1.1 200 "))
        head, body = self.get("/status", headers=f"Host: evil.example:{self.port}\r\n")
        self.assertTrue(head.startswith("HTTP/1.1 403 "))
        self.assertEqual(body, b"Host not allowed")
        self.assertTrue(self.get("/export")[0].startswith("HTTP/1.1 400 "))
        self.assertIn(b"trace_metadata", self.get("/compute_metric", field(1, b"trace_metadata") + b"\x10\x01")[1])
        self.assertIn(b"nonsense", self.get("/compute_metric", field(1, b"nonsense"))[1])
        spec = b'metric_spec { id: "m" value: "dur" query { table { table_name: "slice" } } }'
        for args in (field(1, b"m"), b"\x18\x01"):
            answer = self.get("/trace_summary", field(2, spec) + field(3, args) + b"\x20\x01")[1]
            self.assertIn(b"double_value: 50", answer)
        self.assertIn(b"bad", self.get("/trace_summary", field(2, b"bad {"))[1])
        self.assertTrue(self.get("/export", b"\x08\x09")[0].startswith("HTTP/1.1 501 "))
        self.assertTrue(self.http(b"nonsense\r\n\r\n").startswith(b"HTTP/1.1 400 "))
        self.assertTrue(self.http(b"POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n").startswith(b"HTTP/1.1 413 "))
        self.assertIn(b"t.pftrace", self.get("/status")[1])

    def test_the_file_is_cut_and_written_again_under_a_server(self):
        text = "".join(f"packet {{ timestamp: {i} trusted_packet_sequence_id: 1 ftrace_events {{ cpu: 0 event {{ timestamp: {i} "
                       f'pid: 5 irq_handler_entry {{ irq: {i} name: "n{i}" }} }} }} }}\n' for i in range(1, 3000))
        (self.dir / "t.pbtxt").write_text(text)
        path = self.dir / "kernel.pftrace"
        self.orma("convert", "binary", self.dir / "t.pbtxt", path)
        whole = path.read_bytes()
        args = field(1, b"SELECT max(int_value) FROM ftrace_event JOIN args USING (arg_set_id)")
        self.start_http("server", "http", "--port", "0", path)
        for left in (len(whole) // 2, 100, 0):
            os.truncate(path, left)
            self.assertIn(b"overwritten or truncated", self.get("/query", args)[1])
            self.assertIn(b"\xb7\x17", self.get("/query", field(1, b"SELECT count(*) FROM ftrace_event"))[1])
        path.write_bytes(whole[::-1])
        self.assertIn(b"overwritten or truncated", self.get("/query", args)[1])
        self.assertTrue(self.get("/status")[0].startswith("HTTP/1.1 200 "))

    def test_many_requests_on_one_connection(self):
        self.start_http("server", "http", "--port", "0", self.trace)
        one = b"GET /status HTTP/1.1\r\n\r\n"
        last = b"GET /status HTTP/1.1\r\nConnection: close\r\n\r\n"
        self.assertEqual(self.http(one * 20 + last).count(b"HTTP/1.1 200 OK"), 21)

    def websocket(self, **more):
        s, head = websocket.connect(self.port, "/websocket", 30 * SLOW, **more)
        self.addCleanup(s.close)
        return s, head

    def test_an_export(self):
        self.env["TMPDIR"] = str(self.dir)
        self.start_http("server", "http", "--port", "0", self.trace)
        body, data = self.get("/export", b"\x08\x03")[1], b""
        while body:
            size, _, body = body.partition(b"\r\n")
            data, body = data + body[:int(size, 16)], body[int(size, 16) + 2:]
        (self.dir / "got.db").write_bytes(data)
        with contextlib.closing(sqlite3.connect(self.dir / "got.db")) as db:
            self.assertEqual(db.execute("SELECT name FROM slice ORDER BY ts").fetchall(), [("a",), ("b",)])
        self.assertEqual([p.name for p in self.dir.iterdir()], ["got.db"], "the temporary file is gone")
        s, _ = self.websocket()
        s.sendall(websocket.frame(2, request(0, 21, field(116, b"\x08\x03")) + request(1, 21)))
        self.assertIn(b"SQLite format 3", websocket.read_frame(s)[1])
        self.assertIn(b"Export format is required", websocket.read_frame(s)[1])

    def test_websocket(self):
        self.start_http("server", "http", "--port", "0", self.trace)
        s, head = self.websocket()
        self.assertTrue(head.startswith("HTTP/1.1 101 "))
        self.assertIn("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", head)
        s.sendall(websocket.frame(9, b"hello"))
        self.assertEqual(websocket.read_frame(s), (10, b"hello"))
        data = query(0, "SELECT name FROM slice ORDER BY ts") + query(1, "SELECT 7" + " " * 200)
        s.sendall(websocket.frame(2, data[:10]) + websocket.frame(2, data[10:]))
        self.assertIn(b"a\0b\0", websocket.read_frame(s)[1])
        self.assertIn(b"SELECT 7", websocket.read_frame(s)[1])
        s.sendall(websocket.frame(2, request(7, 10)))
        self.assertIn(b"(ERR:rpc_seq)", websocket.read_frame(s)[1])
        self.assertRaises(EOFError, websocket.read_frame, s)
        s, _ = self.websocket()
        s.sendall(websocket.frame(8, b"\x03\xe8"))
        self.assertEqual(websocket.read_frame(s), (8, b"\x03\xe8"))
        for more, status in (({"origin": "http://evil"}, 403), ({"version": "8"}, 505), ({"key": "short"}, 400)):
            self.assertTrue(self.websocket(**more)[1].startswith(f"HTTP/1.1 {status} "))

    def test_what_a_viewer_asks_while_it_loads(self):
        """In this order, on one connection: reset of tables, bounds, clocks, metadata, modules, layouts."""
        self.start_http("server", "http", "--port", "0", self.trace)
        s, _ = self.websocket()
        s.sendall(websocket.frame(2, request(0, 10)))
        status = websocket.read_frame(s)[1]
        self.assertIn(b"t.pftrace", status)
        self.assertIn(b"\x18\x0e", status, "the version of the protocol")
        s.sendall(websocket.frame(2, request(1, 7)))
        websocket.read_frame(s)
        for seq, sql in enumerate([
                "SELECT start_ts, end_ts FROM trace_bounds",
                "SELECT ts, clock_value FROM clock_snapshot WHERE clock_name IN ('REALTIME', 'REALTIME_COARSE')",
                "SELECT name, int_value, str_value, machine_id, trace_id FROM metadata",
                "SELECT ifnull(sum(value), 0) FROM stats WHERE severity IN ('error', 'data_loss') AND value != 0",
                "SELECT count(ts) FROM ftrace_event", "SELECT extract_metadata('tracing_started_ns')",
                "INCLUDE PERFETTO MODULE std.traceinfo.trace; SELECT trace_id, trace_type, trace_uuid FROM _metadata_by_trace",
                *(f"INCLUDE PERFETTO MODULE viz.summary.{m}" for m in ("slices", "counters", "threads", "processes")),
                "SELECT id, max_depth FROM _slice_track_summary",
                "SELECT id, layout_depth FROM experimental_slice_layout((SELECT group_concat(id) FROM track))",
                "CREATE PERFETTO FUNCTION f(x INT) RETURNS INT AS SELECT $x + 1; SELECT f(1)"], 2):
            s.sendall(websocket.frame(2, query(seq, sql)))
            answer = websocket.read_frame(s)[1]
            self.assertNotIn(b"Traceback", answer, sql)
            self.assertIn(b"0\x01", answer, "a last batch")

    def test_questions_to_a_server(self):
        sql = """SELECT 'a"b' AS t, 1.5 AS d, NULL AS n, x'00' AS b, -7 AS i; CREATE VIEW {0} AS SELECT 3;
            SELECT ts, name FROM slice ORDER BY ts; SELECT 1 AS suppress_query_output; SELECT 1 AS e WHERE 0;"""
        expected = self.shell("query", self.trace, sql.format("v"))
        self.assertEqual(expected.count("\n\n"), 2)
        self.env["XDG_RUNTIME_DIR"] = str(self.dir)
        unix = self.start(SHELL, "server", "unix", "--name", "mine", self.trace, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        unix.stdout.readline()
        self.wait_for("the socket", lambda: (self.dir / "perfetto/mine.pid").exists())
        self.start_http("server", "http", "--port", "0", self.trace)
        for n, addr in enumerate(("mine", self.dir / "perfetto/mine.sock", f"localhost:{self.port}", f"127.0.0.1:{self.port}")):
            with self.subTest(addr=str(addr)):
                self.assertEqual(self.shell("query", "--remote", addr, sql.format(f"v{n}")), expected)
                self.assertEqual(self.shell("--remote", addr, "-Q", "SELECT 5 AS f"), '"f"\n5\n')
                out = self.shell("query", "--remote", addr, "SELECT 1 AS a; SELECT nothing", code=1, says="nothing")
                self.assertEqual(out, '"a"\n1\n')
                many = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 40000) SELECT i, 'x' || i AS s FROM r"
                self.assertEqual(self.shell("query", "--remote", addr, many), self.shell("query", self.trace, many))
        for argv, says in [(["query", "--remote", "nobody", "SELECT 1"], "no server there"),
                           (["query", "--remote", "localhost:1", "SELECT 1"], "no server there"),
                           (["query", "--remote", "mine", ""], "No valid SQL to run"),
                           (["query", "--remote", "mine", "--full-sort", "SELECT 1"], "--full-sort cannot be combined with --remote"),
                           (["query", "--remote", "mine", self.trace, "SELECT 1"], "no trace"),
                           (["--remote", "mine"], "needs a query"),
                           (["interactive", "--remote", "mine", self.trace], "needs a query")]:
            with self.subTest(argv=argv):
                self.shell(*argv, code=1, says=says)

    def test_a_port_that_is_taken(self):
        self.start_http("server", "http", "--port", "0")
        self.shell("server", "http", "--port", self.port, code=1, says="--port")
        self.shell("server", "http", "--port", "70000", code=1, says="bad port")
        self.shell("server", "http", "--ip-address", "nonsense", code=1, says="no such address")

    def test_stdio(self):
        for argv in (["server", "stdio", self.trace], ["--stdiod", self.trace]):
            out = self.shell(*argv, input=query(0, "SELECT name FROM slice ORDER BY ts") + request(1, 10))
            self.assertIn("a\0b\0", out)
            self.assertIn("t.pftrace", out)
        self.shell("server", "stdio", input=b"\x08\x01", code=1)

    def test_summarizers(self):
        """Queries built step by step; restoring the initial tables ends them, the tables too."""
        spec = field(2, field(1, b"longest") + field(2, field(1, b"slice")) + b"\x60\x01")  # limit 1
        table = "SELECT 'rows ' || count(*) FROM _orma_summarizer_1_0"
        out = self.shell("server", "stdio", self.trace, input=b"".join((
            request(0, 16, field(111, field(1, b"mine"))),
            request(1, 17, field(112, field(1, b"mine") + field(2, spec))),
            request(2, 18, field(113, field(1, b"mine") + field(2, b"longest"))),
            query(3, table),
            request(4, 7),  # restore the initial tables
            query(5, table),
            request(6, 18, field(113, field(1, b"mine") + field(2, b"longest"))),
            request(7, 16, field(111, field(1, b"mine"))),
            request(8, 19, field(114, field(1, b"mine"))),
            request(9, 19, field(114, field(1, b"mine"))))))
        self.assertIn("LIMIT 1", out)
        self.assertIn("rows 1\0", out)
        self.assertIn("no such table: _orma_summarizer_1_0", out)
        self.assertEqual(out.count("unknown summarizer 'mine'"), 2)

    def test_unix(self):
        self.env["XDG_RUNTIME_DIR"] = str(self.dir)
        p = self.start(SHELL, "server", "unix", "--name", "mine", self.trace, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        path = self.dir / "perfetto/mine.sock"
        self.assertEqual(p.stdout.readline(), b"mine\n")
        self.wait_for("the pid file", lambda: (self.dir / "perfetto/mine.pid").exists())
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        for _ in range(2):
            with socket.socket(socket.AF_UNIX) as s:
                s.settimeout(30 * SLOW)
                s.connect(str(path))
                s.sendall(query(0, "SELECT name FROM slice ORDER BY ts"))
                self.assertIn(b"a\0b\0", s.recv(1000))
        self.shell("server", "unix", "--name", "mine", code=1, says="server kill")
        self.shell("server", "kill", "mine")
        self.assertEqual(p.wait(30 * SLOW), 0)
        self.assertEqual(list((self.dir / "perfetto").iterdir()), [])
        self.shell("server", "kill", "mine", code=1, says="no server at")
        self.shell("server", "unix", "--name", "../x", code=1, says="letters, digits")
        self.shell("server", "nonsense", code=1, says="unknown mode")

    def test_it_ends_when_nobody_asks(self):
        p = self.start_http("server", "http", "--port", "0", "--idle-timeout", "200ms")
        self.assertEqual(p.wait(30 * SLOW), 0)


if __name__ == "__main__":
    main()
