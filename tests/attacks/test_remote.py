"""What comes over the network: machines behind a relay that lie about who they are and what time it is, servers that a
fleet is sent to and that answer with anything, and frames at the bridge that no browser sends."""
import gzip
import re

import websocket
from attack import *

RELAY = {"init": 1, "clock": 2}
ALL_MACHINES = 43  # TraceConfig.trace_all_machines


class RelayClient(Client):
    methods = RELAY


class Relay(Attack):
    def setUp(self):
        super().setUp()
        with socket.create_server(("127.0.0.1", 0)) as s:
            self.port = s.getsockname()[1]
        self.service_args = ("--enable-relay-endpoint",)
        self.env["PERFETTO_PRODUCER_SOCK_NAME"] = f"{self.producer_path},127.0.0.1:{self.port}"
        self.start_traced()
        self.before = self.fd_count()

    def tcp(self):
        s = socket.create_connection(("127.0.0.1", self.port), 30 * SLOW)
        self.addCleanup(s.close)
        return s

    def client(self, port, identity):
        """A client of this port, behind a frame that says who it is."""
        c = RelayClient.__new__(RelayClient)
        c.socket, c.request, c.service, c.bytes, c.descriptors = self.tcp(), 0, 1, b"", []
        self.clients.append(c)
        if identity is not None:
            c.socket.sendall(frame(sub(8, identity)))
        c.bind(port)
        return c

    def identities(self):
        yield b""
        yield num(1, 1) + num(2, 0) + sub(3, "host")  # root on its machine is nobody here
        yield num(1, (1 << 64) - 1) + num(2, (1 << 64) - 2) + sub(3, b"\x1b[31m\n\0\xff")
        yield sub(3, "x" * 100000) + sub(4, "y" * 30000)
        for _ in range(times(30, 2000)):
            yield self.random.randbytes(self.random.randrange(60))

    def test_machines_that_lie(self):
        taken = 0
        for identity in self.identities():
            try:
                c = self.client("RelayPort", identity)
                info = self.random.choice((sub(1, sub(1, "Linux" * 100)), self.random.randbytes(self.random.randrange(200))))
                taken += c.ask("init", sub(1, info))[0]
                for _ in range(20):
                    clocks = b"".join(sub(2, num(1, self.random.choice((0, 6, 64, 1 << 31))) + num(2, self.random.getrandbits(64)))
                                      for _ in range(self.random.randrange(40)))
                    c.send("clock", num(1, self.random.randrange(4)) + clocks, drop=True)
            except (OSError, EOFError, IndexError):
                pass  # refused
        self.assertGreater(taken, 1, "none was a relay")
        self.assert_serves()

    def test_floods(self):
        """Clocks without an end, machines by the hundred, each said again: what is kept of them has a limit."""
        known = 0
        for i in range(times(200, 2000)):
            try:
                c = self.client("RelayPort", num(1, i) + num(2, 0) + sub(3, f"machine {i}"))
                known += c.ask("init", sub(1, num(12, 1)))[0]
                for _ in range(5):
                    c.send("init", sub(1, num(12, 1) + sub(5, "x" * 20000)), drop=True)
                    c.send("clock", num(1, 1) + sub(2, num(1, 6) + num(2, i)) * 500, drop=True)
            except (OSError, EOFError, IndexError):
                pass
        self.assertGreater(known, 10)
        self.assert_serves()
        self.assertLess(self.memory_kb(), 120000 * (3 if SLOW > 1 else 1))
        watch = self.consumer()
        watch.enable(config(buffer(), num(ALL_MACHINES, 1)))
        watch.ask("disable")
        self.assertLess(sum(map(len, watch.packets())), 64 << 20)
        self.drop_clients()
        self.wait_for("all descriptors to be closed", lambda: self.fd_count() <= self.before)
        self.assert_serves()
        self.assert_ends()

    def test_machines_that_left(self):
        """Their places are for others; those that are there keep theirs."""
        def relay(name):
            c = self.client("RelayPort", num(1, 1) + num(2, 0) + sub(3, name))
            return c, c.ask("init", sub(1, sub(1, sub(1, name))))[0]

        first, ok = relay("first machine")
        self.assertTrue(ok)
        for i in range(200):
            c, ok = relay(f"machine {i}")
            self.assertTrue(ok, f"machine {i} is refused")
            c.close()
            self.clients.remove(c)
        watch = self.consumer()
        watch.enable(config(buffer(), num(ALL_MACHINES, 1)))
        watch.ask("disable")
        trace = b"".join(watch.packets())
        self.assertIn(b"first machine", trace)
        self.assertIn(b"machine 199", trace)
        self.assertNotIn(b"machine 7" + bytes([0x8a]), trace)
        held = [relay(f"held {i}") for i in range(70)]
        self.assertEqual(sum(ok for _, ok in held), 63, "as many machines as there may be at once")
        self.assert_serves()
        self.drop_clients()
        self.assert_ends()

    def test_no_consumer_comes_this_way(self):
        """The port on the network is for producers and relays: nobody may start a session there."""
        for identity in (None, num(1, 1) + num(2, 0) + sub(3, "host")):
            try:
                c = self.client("ConsumerPort", identity)
                c.methods = CONSUMER
                ok = c.ask("capabilities")[0]
            except (OSError, EOFError, IndexError):
                ok = 0
            self.assertFalse(ok)
        self.assert_serves()
        self.assert_ends()

    def test_frames(self):
        for _ in range(times(100, 5000)):
            s = self.tcp()
            try:
                s.sendall(self.random.choice((b"", frame(sub(8, sub(3, "h"))))) +
                          self.random.choice((frame(self.random.randbytes(self.random.randrange(80))), struct.pack("<I", 1 << 31),
                                              frame(b"") * 1000, frame(sub(8, b"")) * 100, self.random.randbytes(200), b"GET / HTTP/1.1\r\n\r\n")))
            except OSError:
                pass
            s.close()
        self.wait_for("all descriptors to be closed", lambda: self.fd_count() <= self.before)
        self.assert_serves()
        self.assert_ends()


class FleetServer(Attack):
    """`orma fleet` says that the server answers nonsense, in time, and takes no more memory than it needs."""
    ANSWERS = {
        "nothing": b"",
        "not HTTP": b"SSH-2.0-OpenSSH\r\n",
        "an error": b"HTTP/1.1 500 x\r\nContent-Length: 8\r\n\r\n\x1b[31mred",
        "an endless error": b"HTTP/1.1 500 x\r\n\r\n" + b"e" * (8 << 20),
        "headers without an end": b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 500000,
        "a header of a megabyte": b"HTTP/1.1 200 OK\r\nX: " + b"y" * (1 << 20) + b"\r\n\r\n",
        "chunks of nonsense": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx",
        "more than it says": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n" + b"1\n" * 1000,
        "less than it says": b"HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n1\n",
        "less than none": b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n1\n",
        "more than a number holds": b"HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\n1\n",
        "a file elsewhere": b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n",
        "itself": b"HTTP/1.1 307 x\r\nLocation: /\r\nContent-Length: 0\r\n\r\n",
        "numbers that are none": b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n\\N\tabc\t-9e99",
        "rows without an end": b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + b"orma\t1\n" * (2 << 20),
        "packed rows": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n" + gzip.compress(b"1\n" * (100 << 20)),
    }

    def serve(self, answer):
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def one(s):
            try:
                s.settimeout(5 * SLOW)
                s.recv(1 << 16)
                s.sendall(answer)
                s.shutdown(socket.SHUT_WR)
                while s.recv(1 << 16):
                    pass
            except OSError:
                pass
            s.close()

        def accept():
            while True:
                try:
                    s, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=one, args=(s,), daemon=True).start()
        threading.Thread(target=accept, daemon=True).start()
        return listener.getsockname()[1]

    def test_answers(self):
        trace = self.dir / "t.json"
        trace.write_text('{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"a"}]}')
        limit = (lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))) if SLOW == 1 else None
        for name, answer in self.ANSWERS.items():
            port = self.serve(answer)
            to = f"clickhouse://127.0.0.1:{port}"
            running = [self.start(ORMA, "fleet", *argv, "--to", to, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=limit)
                       for argv in (("load", "--retry", "1s", trace), ("status",), ("init",))]
            for p in running:
                try:
                    said = p.communicate(timeout=60 * SLOW)[0]
                except subprocess.TimeoutExpired:
                    self.fail(f"{name}: it hangs")
                self.assertIn(p.returncode, (0, 1), f"{name}: {said[-1000:]}")
                if "than" in name and name != "more than it says":
                    self.assertEqual(p.returncode, 1, f"{name}: a part is no answer")
                self.assertLess(len(said), 100000, name)
                self.assertNotIn(b"\x1b", said, name)
                self.assertNotIn(b"root:x:", said, name)
                self.assertNotRegex(said, b"runtime error|ERROR: Address")


    DRIPS = {
        "status line": (b"HTTP/1.1 200 O", b"K"), "header": (b"HTTP/1.1 200 OK\r\nX: ", b"y"), "headers": (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
        "body": (b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"1"), "other answers first": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        "chunks": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
    }

    @unittest.skipUnless(LONG, "waits for minutes: the long form")
    def test_a_byte_a_second(self):
        """It would go on for ever: each command gives up by itself, with the reason."""
        trace, listeners, running = self.dir / "t.json", [], {}
        trace.write_text('{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"a"}]}')

        def drip(listener, head, piece):
            try:
                s, _ = listener.accept()
                s.recv(1 << 16)
                s.sendall(head)
                while True:
                    s.sendall(piece)
                    time.sleep(1)
            except OSError:
                pass
        for name, (head, piece) in self.DRIPS.items():
            for argv in (("load", "--retry", "1s", trace), ("status",)):
                listeners.append(socket.create_server(("127.0.0.1", 0)))
                self.addCleanup(listeners[-1].close)
                threading.Thread(target=drip, args=(listeners[-1], head, piece), daemon=True).start()
                running[name, argv[0]] = self.start(ORMA, "fleet", *argv, "--to", f"clickhouse://127.0.0.1:{listeners[-1].getsockname()[1]}",
                                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for name, p in running.items():
            try:
                said = p.communicate(timeout=400 * SLOW)[0]
            except subprocess.TimeoutExpired:
                self.fail(f"{name}: it hangs")
            self.assertEqual(p.returncode, 1, name)
            self.assertIn(b"127.0.0.1", said, name)


class Bridge(Attack):
    def setUp(self):
        super().setUp()
        self.start_traced()
        self.bridge = self.start(BUILD / "compat/websocket_bridge", "--port", "0", stderr=subprocess.PIPE)
        self.port = int(re.search(rb"127\.0\.0\.1:(\d+)", self.bridge.stderr.readline()).group(1))
        threading.Thread(target=self.bridge.stderr.read, daemon=True).start()

    def raw(self, data):
        s = socket.create_connection(("127.0.0.1", self.port), 10 * SLOW)
        got = b""
        try:
            s.sendall(data)
            s.shutdown(socket.SHUT_WR)
            while more := s.recv(1 << 16):
                got += more
        except OSError:
            pass
        s.close()
        return got

    def assert_bridges(self):
        s, head = websocket.connect(self.port, "/traced", 20 * SLOW)
        self.assertIn(" 101 ", head)
        s.sendall(websocket.frame(2, bind(1, "ConsumerPort")))
        self.assertEqual(websocket.read_frame(s)[0], 2)
        s.close()
        self.assertIsNone(self.bridge.poll())

    def test_hands_that_are_not_shaken(self):
        good = [b"Upgrade: websocket", b"Connection: Upgrade", b"Origin: https://ui.perfetto.dev", b"Sec-WebSocket-Version: 13",
                b"Sec-WebSocket-Key: " + websocket.KEY.encode()]

        def request(lines, first=b"GET /traced HTTP/1.1"):
            return b"\r\n".join([first] + lines + [b"", b""])
        self.assertIn(b" 101 ", self.raw(request(good))[:40])
        evil = b"Origin: https://evil.com"
        for lines in ([x for x in good if not x.startswith(b"Origin")], good[:2] + [evil] + good[3:], good + [evil], [evil] + good,
                      good[:2] + [b"Origin: https://ui.perfetto.dev.evil.com"] + good[3:], good[:2] + [b"Origin: null"] + good[3:],
                      good[:2] + [b"Origin: https://ui.perfetto.dev\x00.evil.com"] + good[3:],
                      good[:2] + [b"Origin: https://evil.com", b" https://ui.perfetto.dev"] + good[3:],
                      good[:2] + [b"Origin : https://ui.perfetto.dev"] + good[3:]):
            self.assertNotIn(b" 101 ", self.raw(request(lines))[:40], lines)
        for first in (b"POST /traced HTTP/1.1", b"GET /etc/passwd HTTP/1.1", b"GET /../traced HTTP/1.1", b"GET http://evil.com/traced HTTP/1.1",
                      b"GET /traced HTTP/0.9", b"GET  /traced HTTP/1.1"):
            self.assertNotIn(b" 101 ", self.raw(request(good, first))[:40], first)
        # A body in front of another request: what a proxy took for one request is not two.
        for more in ([b"Content-Length: 300"], [b"Transfer-Encoding: chunked"], [b"Content-Length: 0", b"Content-Length: 300"]):
            smuggled = request(good)
            got = self.raw(request([evil] + more, b"POST /x HTTP/1.1") + smuggled)
            self.assertNotIn(b" 101 ", got)
        self.raw(b"GET /traced HTTP/1.1\r\n" + b"X: y\r\n" * 100000)
        self.raw(b"GET /" + b"a" * (1 << 20))
        self.assert_bridges()

    def test_frames(self):
        heads = (b"\x82\xff" + b"\xff" * 8, b"\x82\xff" + struct.pack(">Q", 1 << 40), b"\x82\x7f" + b"\0" * 8, b"\x02\x80\0\0\0\0" * 50000,
                 b"\x89\xfe\xff\xff\0\0\0\0", b"\xf2\x80\0\0\0\0", b"\x83\x80\0\0\0\0", b"\x80\x80\0\0\0\0", b"\x82\x05hello", b"\x88\x81\0\0\0\0x",
                 websocket.frame(9, b"x" * 125) * 5000, websocket.frame(2, b"") * 5000, websocket.frame(2, struct.pack("<I", (1 << 32) - 1)),
                 websocket.frame(1, "\u20ac".encode()[:2]), websocket.frame(2, b"x" * 200000))
        for head in heads + tuple(self.random.randbytes(self.random.randrange(300)) for _ in range(times(30, 1000))):
            try:
                s, _ = websocket.connect(self.port, "/traced", 5 * SLOW)
                s.sendall(head)
                if self.random.random() < .5:
                    s.shutdown(socket.SHUT_WR)
                    s.recv(1 << 16)
                s.close()
            except (OSError, EOFError):
                pass
        self.assert_bridges()
        self.assert_serves()
        self.assert_ends()


if __name__ == "__main__":
    main()
