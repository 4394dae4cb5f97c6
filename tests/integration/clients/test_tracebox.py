"""`tracebox`: programs by name, and perfetto with a service of its own."""
import re
import socket
import threading

import websocket
from orma_env import *

TRACEBOX = BUILD / "compat/tracebox"
PERFETTO = BUILD / "compat/perfetto"


class Tracebox(Case):
    def setUp(self):
        super().setUp()
        self.env["XDG_RUNTIME_DIR"] = str(self.dir)  # where the private sockets come to be

    def tracebox(self, *argv, code=0, says="", **more):
        done = self.run_program(TRACEBOX, *argv, **more)
        text = done.stderr.decode()
        self.assertEqual(done.returncode, code, f"{argv}\n{text}")
        self.assertIn(says, text)
        return done

    def nothing_left(self):
        self.assertEqual(list(self.dir.glob("orma-*")), [], "the folder of the sockets is gone")

    def test_a_trace_without_any_service(self):
        self.tracebox("-t", "200ms", "-o", "t", says="Wrote ")
        text = self.run_program(BUILD / "compat/traceconv", "text", "t").stdout
        self.assertIn(b"cpu_info {", text, "the probes have written")
        self.nothing_left()
        self.assertFalse((self.dir / "c.sock").exists(), "the system's sockets were not touched")

    def test_a_trace_in_the_background(self):
        pid = self.tracebox("-D", "-t", "300ms", "-o", "t").stdout
        self.assertRegex(pid, rb"^\d+\n$")
        self.wait_for("the trace", lambda: (self.dir / "t").exists() and (self.dir / "t").stat().st_size)
        self.wait_for("the end", lambda: not list(self.dir.glob("orma-*")))

    def test_on_the_systems_sockets(self):
        p = self.start(TRACEBOX, "--system-sockets", "-o", "t", "-b", "1mb", stderr=subprocess.PIPE)
        self.wait_for("the session", lambda: b"STARTED" in self.run_program(PERFETTO, "--query").stdout)
        self.tracebox("--system-sockets", "-t", "1s", "-o", "u", code=1, says="use perfetto")
        p.send_signal(signal.SIGINT)
        self.assertIn(b"Wrote ", p.communicate(timeout=30 * SLOW)[1])
        self.assertEqual(p.returncode, 0)
        self.assertFalse((self.dir / "u").exists())

    def test_the_programs_in_it(self):
        self.assertIn(b"Perfetto v", self.tracebox("traced", "--version").stdout)
        self.assertIn(b"Orma", self.tracebox("traced_probes", "--version").stdout)
        self.tracebox("perfetto", "--query", code=1, says="no tracing service")
        self.tracebox("trigger_perfetto", code=1, says="name at least one trigger")
        r, w = os.pipe()
        self.env["TRACED_NOTIFY_FD"] = str(w)
        self.start(TRACEBOX, "traced", pass_fds=[w], stderr=subprocess.DEVNULL)
        os.close(w)
        del self.env["TRACED_NOTIFY_FD"]
        with os.fdopen(r, "rb") as f:
            self.assertEqual(f.read(), b"1")
        self.assertIn(b"SERVICE: ", self.tracebox("perfetto", "--query").stdout)

    def test_programs_that_are_not_there(self):
        for name in ("traced_relay", "traced_perf"):
            self.tracebox(name, code=1, says=name)

    def test_help_and_wrong_usage(self):
        self.assertIn(b"--system-sockets", self.tracebox("--help").stdout)
        self.tracebox("--tiem", code=1, says="tracebox: unknown option '--tiem'; did you mean '--time'?")
        self.tracebox("-t", "200ms", code=1, says="-o FILE")
        self.nothing_left()


class Bridge(Case):
    """The viewer's way: IPC through a WebSocket. Our own client speaks it, through a socket of the test."""

    def start_bridge(self):
        p = self.start(TRACEBOX, "websocket_bridge", "--port", "0", stderr=subprocess.PIPE)
        self.port = int(re.search(rb"127\.0\.0\.1:(\d+)", p.stderr.readline()).group(1))
        return p

    def serve_on(self, path):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        listener.listen()
        self.addCleanup(listener.close)

        def pass_on():
            local, _ = listener.accept()
            remote, head = websocket.connect(self.port, "/traced", 30 * SLOW)

            def upwards():
                while True:
                    data = local.recv(1 << 16)
                    if not data:
                        break
                    remote.sendall(websocket.frame(2, data))
                remote.sendall(websocket.frame(8, b""))
            up = threading.Thread(target=upwards, daemon=True)
            up.start()
            try:
                while True:
                    code, data = websocket.read_frame(remote)
                    if code == 8:
                        break
                    local.sendall(data)
            except (EOFError, OSError):
                pass
            local.close()
            up.join(10 * SLOW)
            remote.close()
        threading.Thread(target=pass_on, daemon=True).start()

    def test_a_recording_through_it(self):
        self.start_traced()
        bridge = self.start_bridge()
        for number, argv in enumerate((["--query"], ["-t", "300ms", "-o", "t", "sched"])):
            path = self.dir / f"w{number}.sock"
            self.serve_on(path)
            env, self.env = self.env, {**self.env, "PERFETTO_CONSUMER_SOCK_NAME": str(path)}
            done = self.run_program(PERFETTO, *argv)
            self.env = env
            self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertEqual(self.one(self.dir / "t", "SELECT count(*) > 0 FROM metadata"), "1")
        bridge.send_signal(signal.SIGINT)
        self.assertEqual(bridge.wait(30 * SLOW), 0)

    def test_a_browser_that_reads_nothing_holds_up_nobody(self):
        self.start_traced()
        self.start_bridge()
        slow, head = websocket.connect(self.port, "/traced", 30 * SLOW)
        self.addCleanup(slow.close)
        self.assertIn("101", head)
        slow.settimeout(1)
        try:
            for _ in range(400):  # many times what its answers find room for
                slow.sendall(websocket.frame(9, b"x" * 125) * 400)
        except TimeoutError:
            pass
        for _ in range(3):
            s, head = websocket.connect(self.port, "/other", 15 * SLOW)
            s.close()
            self.assertIn("404", head)

    def test_half_handshakes_make_room(self):
        self.start_bridge()
        half = [socket.create_connection(("127.0.0.1", self.port), 30 * SLOW) for _ in range(16)]
        for s in half:
            s.sendall(b"GET /traced HTTP/1.1\r\n")
        for s in half:  # each is given some seconds
            s.settimeout(60 * SLOW)
            self.assertEqual(s.recv(1), b"")
            s.close()
        s, head = websocket.connect(self.port, "/other", 30 * SLOW)
        s.close()
        self.assertIn("404", head)

    def test_who_may_not(self):
        bridge = self.start_bridge()
        for path, more, status in (("/traced", {"origin": "http://evil.example"}, 403), ("/other", {}, 404),
                                   ("/traced", {}, 503)):
            s, head = websocket.connect(self.port, path, 30 * SLOW, **more)
            s.close()
            self.assertTrue(head.startswith(f"HTTP/1.1 {status} "), head)
        self.assertIn(b"start traced", bridge.stderr.readline())
        done = self.run_program(TRACEBOX, "websocket_bridge", "--port", self.port)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"--port selects another", done.stderr)


if __name__ == "__main__":
    main()
