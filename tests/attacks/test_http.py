"""The HTTP server against web pages, half requests, bodies without end, readers that do not read, and clients
that leave. Whoever else asks gets an answer, and no page of the web gets or changes anything."""
import re

import websocket
from http_attack import *

PAGES = (b"https://evil.com", b"http://ui.perfetto.dev", b"https://ui.perfetto.dev.evil.com", b"https://xui.perfetto.dev",
         b"https://ui.perfetto.dev:8443", b"null", b"http://localhost.evil.com", b"http://localhost:10000.evil.com", b"file://",
         b"chrome-extension://x", b"https://ui.perfetto.dev, https://evil.com", b"https://ui.perfetto.dev\0.evil.com")
ENDLESS = "with recursive r(x) as (select 1 union all select x + 1 from r) select count(*) from r"


class Http(Server):
    def tearDown(self):
        self.assert_answers()
        self.server.terminate()
        self.server.wait(20 * SLOW)

    def test_origins(self):
        for origin in PAGES:
            for method in (b"POST", b"OPTIONS"):
                got = self.ask(self.post("/status", more=b"Origin: " + origin + b"\r\n", method=method))
                self.assertNotIn(b"Access-Control-Allow-Origin: " + origin, got)
                self.assertNotIn(b"Access-Control-Allow-Origin: *", got)
                if method == b"POST":
                    self.assertGreaterEqual(self.code(got), 400, origin)
        good = self.ask(self.post("/status", more=b"Origin: https://ui.perfetto.dev\r\n"))
        self.assertEqual(self.code(good), 200)
        for a, b in ((b"https://ui.perfetto.dev", b"https://evil.com"), (b"https://evil.com", b"https://ui.perfetto.dev")):
            two = self.post("/status", more=b"Origin: " + a + b"\r\nOrigin: " + b + b"\r\n")
            self.assertGreaterEqual(self.code(self.ask(two)), 400)

    def test_hosts(self):
        port = b"%d" % self.port
        for host in (b"localhost:" + port, b"127.0.0.1:" + port):
            self.assertEqual(self.code(self.ask(self.post("/status", host=host))), 200)
        for host in (b"evil.com:" + port, b"evil.com", b"localhost.evil.com", b"127.0.0.1.evil.com", b"localhost@evil.com", b"127.1",
                     b"localhost:" + port + b":evil", b"0x7f000001"):
            self.assertNotEqual(self.code(self.ask(self.post("/status", host=host))), 200, host)

    def test_what_an_image_can_ask(self):
        """A page needs no permission to load an image: a GET must change nothing."""
        self.assertIn(b"200", self.sql("create perfetto table kept as select 1 as x")[:20])
        for path in ("/restore_initial_tables", "/notify_eof", "/enable_metatrace", "/disable_and_read_metatrace", "/parse",
                     "/query", "/rpc", "/compute_metric", "/trace_summary", "/export"):
            for method in (b"GET", b"HEAD"):
                for browser in (b"Sec-Fetch-Site: cross-site", b"Referer: https://evil.com/", b"User-Agent: Mozilla/5.0"):
                    got = self.ask(method + b" " + path.encode() + b" HTTP/1.1\r\nHost: localhost\r\n" + browser + b"\r\n\r\n")
                    self.assertGreaterEqual(self.code(got), 400, path)
        self.assertNotIn(b"no such table", self.sql("select x from kept"))

    def test_paths(self):
        for path in (b"/../../etc/passwd", b"/%2e%2e/etc/passwd", b"//etc/passwd", b"/\0", b"/" + b"A" * 100000, b"*", b"http://evil.com/status"):
            got = self.ask(self.post(path))
            self.assertNotIn(b"root:", got)
            self.assertNotEqual(self.code(got), 200, path)

    def test_malformed(self):
        query = b"POST /query HTTP/1.1\r\nHost: localhost\r\n"
        for raw in (b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", query + b"Content-Length: 99999999999999999999\r\n\r\n",
                    query + b"Content-Length: -1\r\n\r\n", query + b"Content-Length: 18446744073709551615\r\n\r\nx",
                    query + b"Content-Length: 5\r\nContent-Length: 500\r\n\r\nabcde", query + b"Content-Length: 5, 500\r\n\r\nabcde",
                    query + b"Content-Length: +5\r\n\r\nabcde", query + b"Content-Length: 0x5\r\n\r\nabcde",
                    query + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
                    query + b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n5\r\nabcde\r\n0\r\n\r\n",
                    b"X" * 300000 + b"\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 50000 + b"\r\n"):
            got = self.ask(raw, 2)  # the rest of a request that never comes is waited for
            self.assertNotEqual(self.code(got), 200, raw[:80])

    def test_requests_in_requests(self):
        """What another reader could take for the end of a request, or for a header, is refused: nothing hides in it."""
        first = b"POST /status HTTP/1.1\r\nHost: localhost\r\n"
        second = b"POST /status HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
        for lines in (b"Transfer-Encoding : chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", b"Transfer-Encoding:\tchunked\r\n\r\n0\r\n\r\n",
                      b"Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n", b"X: a\r\n Content-Length: 80\r\n\r\n",
                      b"X: a\rContent-Length: 80\r\n\r\n", b"Content-Length: 0\0\r\n\r\n", b"Content-Length\r\n\r\n", b": 5\r\n\r\n",
                      b"Content-Length:\r\n\r\n", b"Content-Length: 0\x0b\r\n\r\n", b"Origin : https://evil.com\r\n\r\n",
                      b"\x7fOrigin: https://evil.com\r\n\r\n", b"X: a\nY: b\r\n\r\n", b"Content\xadLength: 80\r\n\r\n"):
            got = self.ask(first + lines + second, 5)
            self.assertEqual(self.code(got), 400, lines)
            self.assertEqual(got.count(b"HTTP/1.1 "), 1, lines)

    def test_many_in_one_piece(self):
        """Requests that come at once are answered each and in their order, up to the first that is none."""
        one = [self.post("/status")] + [self.post("/query", sub(1, f"select {i}{i} as x")) for i in (4, 7)]
        for bad in (b"", b"POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", b"\0\r\n\r\n"):
            s, got, wanted = self.connect(), b"", [b"44", b"77"] * (5 if bad else 6)
            s.sendall(b"".join(one * 5) + bad + b"".join(one))
            try:
                while got.count(b"select 77") < len(wanted) // 2 or (bad and b"HTTP/1.1 400" not in got):
                    more = s.recv(1 << 16)
                    self.assertTrue(more, (bad, got))
                    got += more
            except ConnectionResetError:
                pass  # with bytes of ours that it did not want
            s.close()
            self.assertEqual(re.findall(rb"select (\d\d) as x", got), wanted, bad)
            self.assertEqual(got.count(b"HTTP/1.1 400"), 1 if bad else 0)

    def test_chunks(self):
        """The server takes bodies with a length; chunks of any form are refused, and nothing behind them is a request."""
        head = b"POST /query HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        body = sub(1, "create perfetto table smuggled as select 1 as x")
        for chunks in (b"%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n", b"%x;a=b\r\n" % len(body) + body + b"\r\n0\r\nX: y\r\n\r\n",
                       b"0\r\n\r\n" + self.post("/query", body), b"-1\r\n" + body, b"%x\n" % len(body) + body + b"\n0\n\n",
                       b"1\r\n\n\r\n" * 100000):
            self.assertGreaterEqual(self.code(self.ask(head + chunks, 5)), 400, chunks[:40])
        self.assertIn(b"no such table", self.sql("select x from smuggled"))

    def web_socket(self):
        s, head = websocket.connect(self.port, "/websocket", 20 * SLOW)
        self.addCleanup(s.close)
        self.assertIn(" 101 ", head)
        return s

    def test_web_socket_fragments(self):
        """However a stream is cut into frames, and whatever stands between these, it is the same stream."""
        whole = sub(1, num(2, 3) + sub(103, sub(1, "select 'in pieces' as x")))
        for pieces in (1, 2, 7, len(whole)):
            s, cut = self.web_socket(), [len(whole) * i // pieces for i in range(pieces + 1)]
            for i in range(pieces):
                part = bytearray(websocket.frame(2 if i == 0 else 0, whole[cut[i]:cut[i + 1]]))
                part[0] = (2 if i == 0 else 0) | (0x80 if i == pieces - 1 else 0)
                s.sendall(websocket.frame(9, b"p" * 125) + bytes(part) + websocket.frame(10, b""))
            got, pongs = b"", 0
            while b"in pieces" not in got or pongs < pieces:
                code, data = websocket.read_frame(s)
                pongs += code == 10 and data == b"p" * 125
                got += data if code == 2 else b""
            s.close()

    def test_web_socket_pings_during_an_answer(self):
        """Their answers stand between the frames of the answer, never within one."""
        s, stop = self.web_socket(), threading.Event()
        rows = 200000
        s.sendall(websocket.frame(2, sub(1, num(2, 3) + sub(103, sub(1, "with recursive r(x) as (select 1 union all select x + 1 from r "
                                                                   f"limit {rows}) select x, hex(zeroblob(40)) from r")))))

        def ping():
            while not stop.wait(0.0005):
                s.sendall(websocket.frame(9, b"p" * 20))
        thread = threading.Thread(target=ping)
        thread.start()
        try:
            kinds, size = {2: 0, 10: 0}, 0
            while size < rows * 81:
                code, data = websocket.read_frame(s)
                self.assertTrue(code == 10 and data == b"p" * 20 or code == 2 and data[:1] == b"\x0a", (code, data[:40]))
                kinds[code] += 1
                size += len(data) if code == 2 else 0
        finally:
            stop.set()
            thread.join()
        self.assertGreater(min(kinds.values()), 3)

    def test_answers_that_nobody_reads(self):
        """Requests are shorter than their answers: they wait until what was answered is read, and all are answered then."""
        for request in (b"GET / HTTP/1.1\r\n\r\n", b"GET /status HTTP/1.1\r\n\r\n", self.post("/query", sub(1, "select 1"))):
            s, before, sent, data, got = self.connect(), self.server_memory_kb(), 0, request * 200000, 0
            s.setblocking(False)
            while select.select([], [s], [], 1)[1] and sent < len(data):
                sent += s.send(data[sent:])
            time.sleep(1)
            if SLOW == 1:
                self.assertLess(self.server_memory_kb() - before, 15000, f"kB for answers to {request}, which nobody reads")
            s.settimeout(20 * SLOW)
            s.shutdown(socket.SHUT_WR)
            tail = b""
            try:
                while piece := s.recv(1 << 20):
                    piece = tail + piece
                    got += piece.count(b"HTTP/1.1 200")
                    tail = piece[-11:]
            except ConnectionResetError:
                self.assertTrue(request.startswith(b"POST"))  # who shuts its side down does not wait long for queries
            self.assertGreaterEqual(got, min(sent // len(request), 100), request)
            if request[:3] == b"GET":
                self.assertEqual(got, sent // len(request))
            s.close()

    def test_halves_of_messages(self):
        """A message of the RPC may come in many frames: what is held is limited, in size and in time."""
        first, before, held = self.web_socket(), self.server_memory_kb(), []
        first.sendall(websocket.frame(2, b"\x0a" + varint(1000)))
        begin, refused = time.monotonic(), 0
        for _ in range(10):
            s = self.web_socket()
            held.append(s)
            try:
                s.sendall(websocket.frame(2, b"\x0a" + varint(63 << 20)))
                for _ in range(5):
                    s.sendall(b"\x82\xff" + struct.pack(">Q", 8 << 20) + bytes(4) + bytes(8 << 20))
            except OSError:
                refused += 1
        if SLOW == 1:
            self.assertLess(self.server_memory_kb() - before, 320000, "kB of messages that are not whole")
        self.assertGreater(refused, 0)
        self.assert_answers()
        with self.assertRaises((EOFError, ConnectionResetError)):
            websocket.read_frame(first)
        self.assertLess(time.monotonic() - begin, 15 * SLOW)

    def test_messages_of_others(self):
        """What one client sends by /rpc, half a message or none, is nothing to the next one."""
        good = self.post("/rpc", sub(1, num(2, 3) + sub(103, sub(1, "select 'good' as x"))))
        for bad in (b"\xff" * 30, b"\x0a" + varint(60 << 20) + b"abc", b"\x0a", sub(1, b"\xff" * 20)[:-1]):
            self.ask(self.post("/rpc", bad))
            self.assertIn(b"good\0", self.ask(good), bad)

    def test_web_socket_frames_against_the_rules(self):
        def masked(first, size, data=b""):
            return bytes([first]) + size + b"\0\0\0\0" + data
        query = sub(1, num(2, 3) + sub(103, sub(1, "select 1")))
        for name, data in {
                "not masked": bytes([0x82, len(query)]) + query,
                "longer than 64 MiB": masked(0x82, b"\xff" + struct.pack(">Q", (64 << 20) + 1)),
                "of 2^63 bytes": masked(0x82, b"\xff" + struct.pack(">Q", 1 << 63)),
                "of 2^64 - 1": masked(0x82, b"\xff" + b"\xff" * 8),
                "a ping of 126": masked(0x89, b"\xfe" + struct.pack(">H", 126), b"x" * 126),
                "a close of 64 KiB": masked(0x88, b"\xff" + struct.pack(">Q", 1 << 16)),
                "a ping in pieces": masked(0x09, b"\x81", b"x"),
                "an unknown kind": masked(0x83, b"\x80"), "an unknown kind of control": masked(0x8b, b"\x80"),
                "bits of an extension": masked(0xc2, b"\x80"),
                "no message": websocket.frame(2, b"\xff" * 100)}.items():
            s = self.web_socket()
            try:
                s.sendall(data)
                while True:  # until it hangs up, with or without a word
                    code, got = websocket.read_frame(s)
                    self.assertIn(code, (2, 8), name)
            except (EOFError, ConnectionResetError):
                pass
            except TimeoutError:
                self.fail(f"{name}: the connection stays")
            s.close()

    def test_random_requests(self):
        good = [self.post("/status"), self.post("/query", sub(1, "select 1")), self.post("/rpc", b"\x0a\x02\x10\x03"),
                b"GET /websocket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"]
        for _ in range(times(300, 20000)):
            data = bytearray(self.random.choice(good) * self.random.randrange(1, 3))
            for _ in range(self.random.randrange(4)):
                data[self.random.randrange(len(data))] = self.random.randrange(256)
            if good[-1][:10] == bytes(data[:10]):
                data += self.random.randbytes(self.random.choice((1, 2, 6, 14, 200)))
            s = self.connect(5)
            try:
                s.sendall(data[:self.random.choice((len(data), self.random.randrange(len(data))))])
                s.settimeout(0.002)
                s.recv(1000)
            except OSError:
                pass
            s.close()

    def test_half_requests(self):
        """More than it serves at once, for as long as they like: a new client is answered all the same."""
        held = []
        for i in range(times(100, 300)):
            try:
                s = self.connect(5)
                s.sendall(b"GET / HTTP/1.1\r\nHost: l" if i % 2 else self.post("/query", b"x" * 100)[:-50])
                held.append(s)
            except OSError:
                break
        self.assert_answers(30)

    def test_bodies_on_the_way(self):
        before, held = self.server_memory_kb(), []
        for _ in range(times(20, 64)):
            s = self.connect(5)
            try:
                s.sendall(b"POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 67108864\r\n\r\n")
                s.settimeout(2)
                s.sendall(b"Z" * 20000000)
            except OSError:
                pass  # it does not take all it is offered
            held.append(s)
        grown = self.server_memory_kb() - before
        for s in held:
            s.close()
        if SLOW == 1:
            self.assertLess(grown, 300000, "kB that were taken from clients who have asked nothing yet")

    def test_reader_that_does_not_read(self):
        s = self.connect()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        s.sendall(self.post("/query", sub(1, "with recursive r(x) as (select 1 union all select x + 1 from r limit 3000000) "
                                          "select x, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' from r")))
        s.recv(10)  # the answer has begun
        self.assert_answers(10)

    def test_endless_queries_of_clients_that_left(self):
        for _ in range(3):
            s = self.connect()
            s.sendall(self.post("/query", sub(1, ENDLESS)))
            time.sleep(0.2)
            s.close()
        self.assert_answers(10)

    def test_endless_query_of_a_client_that_waits(self):
        """Others need not wait until it ends: it runs in turns with them, or there is a limit."""
        s = self.connect(300)
        s.sendall(self.post("/query", sub(1, ENDLESS)))
        time.sleep(0.2)
        self.assertTrue(self.try_status(), "somebody else waits for a query that does not end")
        s.close()

    def test_more_endless_queries_than_there_are_places(self):
        """Who comes then learns why there is no answer, and what needs no query is answered."""
        busy = []
        for _ in range(64):
            busy.append(self.connect(300))
            busy[-1].sendall(self.post("/query", sub(1, ENDLESS)))
        self.wait_for("the last of them", lambda: self.code(self.ask(self.post("/query", sub(1, "select 1")), 0.5)) == 503)
        self.assertIn(b"too many requests wait", self.ask(self.post("/query", sub(1, "select 1"))))
        for _ in range(20):
            self.assertTrue(self.try_status())
        for s in busy:
            s.close()
        self.assert_answers(20)

    @unittest.skipIf(os.geteuid(), "starts programs of another user")
    def test_endless_queries_of_another_user(self):
        """They have half of the places, and give way to whoever runs the server."""
        script = self.dir / "other.py"
        script.write_text(f"""import os, socket, sys, time
os.setuid(65534)
all = []
for _ in range(40):
    s = socket.socket()
    s.connect(("127.0.0.1", {self.port}))
    s.sendall({self.post("/query", sub(1, ENDLESS))!r})
    all.append(s)
refused, end = 0, time.monotonic() + 30
for s in all:
    s.setblocking(False)
while refused < 7 and time.monotonic() < end:
    time.sleep(0.1)
    for s in all:
        try:
            refused += b"503" in s.recv(100)
        except (BlockingIOError, ConnectionResetError):
            pass
print(refused, flush=True)
time.sleep(1000)
""")
        other = self.start(sys.executable, script, stdout=subprocess.PIPE)
        refused = int(other.stdout.readline())
        self.assertGreaterEqual(refused, 7, "more than half of the places")
        began = time.monotonic()
        answer = self.ask(self.post("/query", sub(1, "select 1")), 60)
        self.assertEqual(self.code(answer), 200)
        self.assertLess(time.monotonic() - began, 30 * SLOW, "what runs ends after 10 s, and nobody comes between")
        other.kill()

    def test_stops_in_the_middle_of_a_query(self):
        s = self.connect()
        s.sendall(self.post("/query", sub(1, ENDLESS)))
        time.sleep(0.2)
        self.server.terminate()
        try:
            self.server.wait(10 * SLOW)
        except subprocess.TimeoutExpired:
            self.fail("SIGTERM does not end a server with an endless query")
        s.close()
        self.start_server()


class Cut(Server):
    """A trace whose kernel events are read again when their args are wanted."""
    trace_bytes = b"".join(sub(1, sub(1, num(1, 0) + b"".join(sub(2, num(1, 1000 + i * 10 + k) + num(2, 5) + sub(3, sub(1, "p") + num(2, 5)))
                                                             for k in range(50)))) for i in range(2000))

    def test_a_file_that_is_changed_while_it_is_served(self):
        """Each query that needs what is gone says so, at once: it does not look for it again for each row."""
        changes = (lambda: os.truncate(self.trace, 1000), lambda: self.trace.write_bytes(b"\xff" * len(self.trace_bytes)))
        for change in changes:
            self.trace.write_bytes(self.trace_bytes)
            self.server.kill()
            self.server.wait()
            self.start_server()
            self.assertIn(b"200", self.sql("select count(*) from ftrace_event")[:20])
            change()
            for sql in ("select count(*), count(distinct arg_set_id) from ftrace_event", "select max(arg_set_id) from ftrace_event",
                        "select count(*) from args", "select count(*) from ftrace_event join args using (arg_set_id)"):
                self.assertIn(b"truncated after it was loaded", self.sql(sql), sql)


if __name__ == "__main__":
    main()
