"""A trace served over HTTP, and raw requests to it."""
from attack import *

LOCAL = b"localhost"


class Server(Attack):
    """Serves a small trace; self.port. At the end of each test it must still answer."""
    trace_bytes = b"".join(sub(1, num(8, i) + num(10, 1) + sub(11, num(9, 1) + num(11, 1) + sub(23, f"n{i}"))) for i in range(200))

    server_args = ()

    def setUp(self):
        super().setUp()
        self.trace = self.dir / "trace"
        self.trace.write_bytes(self.trace_bytes)
        self.start_server()

    def start_server(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.server = self.start(SHELL, "server", "http", "--port", self.port, *self.server_args, self.trace,
                                 stdout=subprocess.DEVNULL, stderr=self.log)
        self.wait_for("the server", lambda: self.server.poll() is None and self.try_status(), 20)

    def connect(self, timeout=20):
        s = socket.socket()
        s.settimeout(timeout * SLOW)
        self.addCleanup(s.close)
        s.connect(("127.0.0.1", self.port))
        return s

    def try_status(self):
        try:
            return self.ask(self.post("/status")).startswith(b"HTTP/1.1 200")
        except OSError:
            return False

    @staticmethod
    def post(path, body=b"", host=b"localhost", more=b"", method=b"POST"):
        head = method + b" " + (path if isinstance(path, bytes) else path.encode()) + b" HTTP/1.1\r\n"
        if host is not None:
            head += b"Host: " + host + b"\r\n"
        return head + more + b"Content-Length: %d\r\n\r\n" % len(body) + body

    def ask(self, raw, timeout=10):
        """The answer, or what there is of it when the server hangs up."""
        s = self.connect(timeout)
        try:
            s.sendall(raw)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it has heard enough; there may be an answer
        got = self.answer(s)
        s.close()
        return got

    @staticmethod
    def answer(s):
        got = b""
        while True:
            try:
                piece = s.recv(1 << 16)
            except (ConnectionResetError, TimeoutError):
                return got
            got += piece
            head, _, body = got.partition(b"\r\n\r\n")
            if not piece or got.endswith(b"\r\n0\r\n\r\n"):
                return got
            for line in head.split(b"\r\n"):
                if line.lower().startswith(b"content-length:") and len(body) >= int(line.split(b":")[1]):
                    return got
            if got.startswith((b"HTTP/1.1 4", b"HTTP/1.1 5")) and b"Content-Length" not in head and head != got:
                return got

    @staticmethod
    def code(answer):
        return int(answer[9:12] or 0)

    def sql(self, text, timeout=20):
        return self.ask(self.post("/query", sub(1, text)), timeout)

    def assert_answers(self, seconds=10):
        self.assertIsNone(self.server.poll(), f"the server is gone\n{self.said()}")
        self.wait_for("an answer for another client", self.try_status, seconds)
        self.assertIn(b"200", self.sql("select count(*) from slice")[:20])

    def server_memory_kb(self):
        return int(next(line for line in pathlib.Path(f"/proc/{self.server.pid}/status").read_text().splitlines()
                        if line.startswith("VmRSS")).split()[1])
