"""A server of traces among clients that leave, stall, lie and never end: the others do not notice."""
import re
import resource
import select
import socket

import websocket
from orma_env import *
from test_shell import Shell, field, query, request

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
MANY = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT i, printf('%.5000c', 'x') FROM n"


def post(path, body=b"", head=b""):
    return b"POST %s HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n" % (path.encode(), head, len(body)) + body


def sql(text):
    return post("/query", field(1, text.encode()))


class Server(Shell):
    def start_server(self, *argv, trace=True):
        p = self.start(SHELL, "server", "http", "--port", "0", *argv, *([self.trace] if trace else []),
                       stderr=subprocess.PIPE, **self.more)
        for line in p.stderr:
            m = re.search(rb"http://[^:]+:(\d+)", line)
            if m:
                self.port = int(m.group(1))
                return p
        self.fail("it did not listen")

    more = {}

    def connect(self, data=b"", buffer=None):
        s = socket.socket()
        self.addCleanup(s.close)
        s.settimeout(60 * SLOW)
        if buffer:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        s.connect(("127.0.0.1", self.port))
        s.sendall(data)
        return s

    def answer(self, s):
        """The head and the body of the next response."""
        data = b""
        while b"\r\n\r\n" not in data:
            more = s.recv(1)
            if not more:
                raise EOFError(data)
            data += more
        head, body = data.decode(), b""
        length = re.search(r"Content-Length: (\d+)", head)
        if length:
            while len(body) < int(length.group(1)):
                body += s.recv(1 << 16)
        else:
            while not body.endswith(b"0\r\n\r\n"):
                more = s.recv(1 << 16)
                if not more:
                    raise EOFError(body)
                body += more
        return head, body

    def ask(self, data):
        with self.connect(data) as s:
            return self.answer(s)

    def status(self):
        head, body = self.ask(post("/status"))
        self.assertTrue(head.startswith("HTTP/1.1 200 "), head)
        self.assertIn(b"t.pftrace", body)

    def works(self):
        self.assertIn(b"a\0b\0", self.ask(sql("SELECT name FROM slice ORDER BY ts"))[1])

    def begun(self, s):
        """The head is sent when the query begins."""
        self.assertTrue(s.recv(15).startswith(b"HTTP/1.1 200 "))

    def test_others_are_served_during_an_endless_query(self):
        self.start_server()
        with self.connect(sql(ENDLESS)) as s:
            self.begun(s)
            for _ in range(3):
                self.status()
            self.assertIn("HTTP/1.1 204", self.ask(b"OPTIONS /query HTTP/1.1\r\n\r\n")[0])
        self.works()  # it has left, and its query with it

    def test_a_query_ends_when_its_client_leaves(self):
        self.start_server()
        for n in range(3):
            waiting = [self.connect(sql(ENDLESS)) for _ in range(n + 1)]
            self.begun(waiting[0])
            for s in waiting:
                s.close()
            self.works()
        s, _ = websocket.connect(self.port, "/websocket", 60 * SLOW)
        s.sendall(websocket.frame(2, query(0, ENDLESS)))
        self.status()
        s.close()
        self.works()
        s, _ = websocket.connect(self.port, "/websocket", 60 * SLOW)
        s.sendall(websocket.frame(2, query(0, "SELECT 1") + query(1, ENDLESS)))
        websocket.read_frame(s)
        s.sendall(websocket.frame(9, b"hello"))
        self.assertEqual(websocket.read_frame(s), (10, b"hello"), "a ping is answered during a query")
        s.sendall(websocket.frame(8, b""))
        self.works()

    def test_who_shuts_down_its_sending_side_gets_its_answer(self):
        self.start_server()
        s = self.connect(sql("SELECT 5 AS five") + post("/status"))
        s.shutdown(socket.SHUT_WR)
        data = b"".join(iter(lambda: s.recv(1 << 16), b""))
        self.assertEqual(data.count(b"HTTP/1.1 200 OK"), 2)
        self.assertIn(b"five", data)
        self.assertIn(b"t.pftrace", data)

    def test_an_unfinished_request_goes_with_its_client(self):
        self.start_server()
        for _ in range(3):
            s, _ = websocket.connect(self.port, "/websocket", 60 * SLOW)
            s.sendall(websocket.frame(2, query(0, "SELECT name FROM slice ORDER BY ts")[:9]) + websocket.frame(9, b"x"))
            self.assertEqual(websocket.read_frame(s), (10, b"x"))
            s.close()
        s, _ = websocket.connect(self.port, "/websocket", 60 * SLOW)
        s.sendall(websocket.frame(2, query(0, "SELECT name FROM slice ORDER BY ts")))
        self.assertIn(b"a\0b\0", websocket.read_frame(s)[1])
        s.close()

    def test_a_client_that_reads_nothing_holds_up_nobody_for_long(self):
        self.start_server()
        slow = self.connect(sql(MANY), buffer=4096)
        self.begun(slow)
        self.status()
        self.works()  # after at most some seconds: then the slow one is dropped
        self.status()

    def test_half_requests_do_not_shut_it(self):
        self.start_server()
        half = [self.connect(b"POST /query HTTP/1.1\r\nHost: l") for _ in range(200)]
        self.status()
        self.works()
        gone = sum(1 for s in half if select.select([s], [], [], 0)[0])
        self.assertGreater(gone, 100)

    def test_a_request_must_come_to_its_end(self):
        self.start_server()
        s = self.connect(b"POST /query HTTP/1.1\r\nContent-Length: 1000\r\n\r\nabc")
        self.assertIn("HTTP/1.1 408 ", self.answer(s)[0])

    def test_many_large_bodies(self):
        p = self.start_server()
        held = []
        for _ in range(8):
            s = self.connect(b"POST /query HTTP/1.1\r\nContent-Length: 67108864\r\n\r\n")
            try:
                s.sendall(b"z" * (60 << 20))
            except OSError:
                pass
            held.append(s)
        self.status()
        self.works()
        peak = int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{p.pid}/status").read_text()).group(1))
        self.assertLess(peak, 900 << 10, "kB")

    def test_no_descriptors_left(self):
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.more = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (24, limit[1]))}
        p = self.start_server()
        idle = [self.connect() for _ in range(40)]
        self.status()
        self.works()
        for s in idle:
            s.close()
        # Now all that it has are at work.
        busy = [self.connect(sql(ENDLESS)) for _ in range(20)]
        self.begun(busy[0])
        ticks, then = self.loop_ticks(p), time.monotonic()
        while time.monotonic() < then + 1:  # the time in which it might spin
            time.sleep(0.1)
        self.assertLess(self.loop_ticks(p) - ticks, 50, "its loop waits")
        for s in busy:
            s.close()
        self.works()

    @staticmethod
    def loop_ticks(p):
        """What the thread that talks to the clients has used."""
        fields = pathlib.Path(f"/proc/{p.pid}/task/{p.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    def test_it_ends_at_once(self):
        for what in (None, ENDLESS, MANY):
            p = self.start_server()
            if what:
                s = self.connect(sql(what), buffer=4096)
                self.begun(s)
            p.send_signal(signal.SIGTERM)
            self.assertEqual(p.wait(20 * SLOW), 0)

    def test_a_limit_on_queries(self):
        self.start_server("--query-timeout", "300ms")
        self.assertIn(b"takes longer than the limit of 0.3 s", self.ask(sql(ENDLESS))[1])
        self.works()
        self.assertIn("takes longer", self.shell("query", "--query-timeout", "300ms", self.trace, ENDLESS, code=1,
                                                 says="takes longer") + "takes longer")
        for more in [], ["--all"]:
            done = self.run_program(ORMA, "query", *more, str(self.trace), ENDLESS, "--query-timeout=300ms")
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"takes longer than the limit of 0.3 s", done.stderr)
        self.shell("query", "--query-timeout", "soon", self.trace, "SELECT 1", code=1, says="bad time")

    def test_a_limit_on_a_query_that_another_thread_works_on(self):
        """All pairs come of the second piece of rows, so one thread may have all the work, and the other one waits."""
        pairs = ("CREATE PERFETTO TABLE many AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 131071) "
                 "SELECT i AS id, iif(i BETWEEN 32768 AND 65535, 0, i + 1) AS k FROM n;"
                 "SELECT count(*) FROM many a JOIN many b ON a.k = b.k JOIN many c ON c.k = b.k WHERE c.id + b.id > 1")
        for _ in range(3):
            done = self.run_program(ORMA, "query", str(self.trace), pairs, "--query-timeout=1s", "--threads=2", timeout=30)
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"takes longer than the limit of 1 s", done.stderr)

    def test_what_browsers_may_make_it_do(self):
        self.start_server()
        self.ask(sql("CREATE PERFETTO TABLE mine AS SELECT 42 AS a"))
        image = b"Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n"
        for path in ("/restore_initial_tables", "/notify_eof", "/enable_metatrace", "/query", "/parse", "/rpc", "/export"):
            for mark in (image, b"User-Agent: Mozilla/5.0\r\n", b"Referer: http://evil.example/\r\n",
                         b"Sec-Fetch-Site: same-site\r\n"):
                for method in (b"GET", b"HEAD"):
                    head, _ = self.ask(method + b" " + path.encode() + b" HTTP/1.1\r\n" + mark + b"\r\n")
                    self.assertIn("HTTP/1.1 405 ", head, (path, mark))
            head, _ = self.ask(post(path, head=b"Sec-Fetch-Site: cross-site\r\n"))
            self.assertIn("HTTP/1.1 405 ", head, path)
        self.assertIn(b"\x2a", self.ask(sql("SELECT a FROM mine"))[1], "nothing was restored")
        viewer = b"Origin: https://ui.perfetto.dev\r\nSec-Fetch-Site: cross-site\r\nUser-Agent: Mozilla/5.0\r\n"
        self.assertIn("HTTP/1.1 200 ", self.ask(post("/status", head=viewer))[0])
        self.assertIn("HTTP/1.1 200 ", self.ask(post("/restore_initial_tables", head=viewer))[0])
        # What the Python client sends.
        self.assertIn("HTTP/1.1 200 ", self.ask(b"GET /notify_eof HTTP/1.1\r\nAccept-Encoding: identity\r\n\r\n")[0])
        self.assertIn("HTTP/1.1 400 ", self.ask(b"POST /query HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 1\r\n\r\nab")[0])

    def test_frames_against_the_rules(self):
        self.start_server()
        for frame in (websocket.frame(9, b"x" * 126), websocket.frame(8, b"x" * 70000),
                      bytes([0x09]) + websocket.frame(9, b"x")[1:], bytes([0xc2]) + websocket.frame(2, b"")[1:]):
            s, _ = websocket.connect(self.port, "/websocket", 60 * SLOW)
            s.sendall(frame)
            self.assertRaises((EOFError, ConnectionError), websocket.read_frame, s)
            s.close()
        self.status()

    def test_sql_that_would_spoil_it(self):
        self.start_server()
        self.assertIn(b"is refused", self.ask(sql("SELECT fts3_tokenizer('simple')"))[1])
        for pragma in ("hard_heap_limit=1", "case_sensitive_like=1", "query_only=1", "writable_schema=1"):
            self.assertIn(b"is refused", self.ask(sql(f"PRAGMA {pragma}"))[1])
        self.works()

    def test_a_transaction_that_somebody_left_open(self):
        self.env["TMPDIR"] = str(self.dir)
        self.start_server()
        self.ask(sql("BEGIN; CREATE TABLE kept AS SELECT 1"))
        self.assertIn("HTTP/1.1 200 ", self.ask(post("/export", b"\x08\x03"))[0])
        self.assertNotIn(b"no such table", self.ask(sql("SELECT * FROM kept"))[1])

    def test_stdio_whose_reader_leaves(self):
        p = self.start(SHELL, "server", "stdio", self.trace, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                       stderr=subprocess.DEVNULL)
        p.stdin.write(query(0, "SELECT 1") + query(1, ENDLESS))
        p.stdin.flush()
        self.assertTrue(p.stdout.read(1))
        p.stdout.close()
        self.assertEqual(p.wait(60 * SLOW), 1)
        p.stdin.close()

    def test_a_unix_client_that_leaves(self):
        path = self.dir / "s.sock"
        self.start(SHELL, "server", "unix", "--path", str(path), self.trace, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
        self.wait_for("the pid file", lambda: (self.dir / "s.pid").exists())
        for _ in range(3):
            with socket.socket(socket.AF_UNIX) as s:
                s.connect(str(path))
                s.sendall(query(0, ENDLESS))
            with socket.socket(socket.AF_UNIX) as s:
                s.settimeout(60 * SLOW)
                s.connect(str(path))
                s.sendall(query(0, "SELECT name FROM slice ORDER BY ts"))
                self.assertIn(b"a\0b\0", s.recv(1000))


if __name__ == "__main__":
    main()
