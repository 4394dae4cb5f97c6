"""What the attacks share: hostile clients of the tracing protocol, and a service on private sockets.

An attack passes when its victim goes on serving others, holds no more than it promises, and tells the
truth afterwards. Short form (CI): seconds each, always the same seed. Long form: `ORMA_ATTACK=long`, or
the word `long` as argument; a seed of its own each time, printed first; ORMA_ATTACK_SEED repeats one.
Time is never asserted tightly: the service's own CPU time is measured instead.
"""
import array
import mmap
import random
import resource
import select
import socket
import struct
import sys
import threading

from orma_env import *

LONG = os.environ.get("ORMA_ATTACK") == "long" or "long" in sys.argv[1:]
SEED = int(os.environ.get("ORMA_ATTACK_SEED") or (random.SystemRandom().randrange(1 << 30) if LONG else 1))
TOOLS = BUILD / "tests/attacks"  # programs in C
sys.argv = [a for a in sys.argv if a != "long"]


def times(short, long):
    return long if LONG else short


# ---- bytes of messages ----

def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def num(field, value):
    return varint(field << 3) + varint(int(value))


def sub(field, value):
    if isinstance(value, str):
        value = value.encode()
    return varint(field << 3 | 2) + varint(len(value)) + value


def decode(data):
    """[(field, value)] of one message."""
    pos, out = 0, []

    def read():
        nonlocal pos
        value = shift = 0
        while True:
            byte = data[pos]
            pos += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while pos < len(data):
        tag = read()
        wire = tag & 7
        if wire == 0:
            value = read()
        elif wire == 2:
            size = read()
            value = data[pos:pos + size]
            pos += size
        else:
            size = 8 if wire == 1 else 4
            value = data[pos:pos + size]
            pos += size
        out.append((tag >> 3, value))
    return out


def last(fields, number, default=None):
    for f, v in fields:
        if f == number:
            default = v
    return default


# Methods, in the order of their declaration.
CONSUMER = {name: i + 1 for i, name in enumerate((
    "enable", "disable", "read", "free", "flush", "start", "change", "detach", "attach", "stats", "observe",
    "state", "capabilities", "bugreport", "clone", "next_file"))}
PRODUCER = {name: i + 1 for i, name in enumerate((
    "init", "register", "unregister", "commit", "async", "writer", "no_writer", "started", "stopped", "triggers",
    "sync", "update"))}


def frame(body):
    return struct.pack("<I", len(body)) + body


def bind(request, service):
    return frame(num(2, request) + sub(3, sub(1, service)))


def invoke(request, method, args=b"", drop=False, service=1):
    return frame(num(2, request) + sub(5, num(1, service) + num(2, method) + sub(3, args) + (num(4, 1) if drop else b"")))


def fds(*numbers):
    return [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", numbers))]


class Client:
    """One end of a connection; requests by number, replies in any order."""
    methods = {}

    def __init__(self, path, port=None, timeout=60 * SLOW):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(timeout)
        self.socket.connect(str(path))
        self.request, self.service, self.bytes, self.descriptors = 0, 1, b"", []
        if port:
            self.bind(port)

    def bind(self, port):
        self.request += 1
        self.socket.sendall(bind(self.request, port))
        _, self.service, _ = self.reply(self.request)

    def send(self, method, args=b"", drop=False, fd=None):
        self.request += 1
        data = invoke(self.request, self.methods[method], args, drop, self.service)
        sent = self.socket.sendmsg([data], fds(fd)) if fd is not None else 0
        self.socket.sendall(data[sent:])
        return self.request

    def frame(self):
        while len(self.bytes) < 4 or len(self.bytes) - 4 < struct.unpack("<I", self.bytes[:4])[0]:
            data, more, _, _ = self.socket.recvmsg(1 << 18, socket.CMSG_SPACE(64))
            for _, _, packed in more:
                got = array.array("i")
                got.frombytes(packed[:len(packed) // 4 * 4])
                self.descriptors += got
            if not data:
                raise EOFError("the service has hung up")
            self.bytes += data
        size = 4 + struct.unpack("<I", self.bytes[:4])[0]
        one, self.bytes = self.bytes[4:size], self.bytes[size:]
        return decode(one)

    def reply(self, request):
        """(success, has_more, message as fields) of the next reply to this request."""
        while True:
            fields = self.frame()
            if last(fields, 2, 0) == request:
                inner = decode(last(fields, 6) or last(fields, 4) or last(fields, 7) or b"")
                message = last(inner, 3, b"")
                return last(inner, 1, 0), last(inner, 2, 0), decode(message) if isinstance(message, bytes) else []

    def ask(self, method, args=b"", fd=None):
        return self.reply(self.send(method, args, fd=fd))

    def close(self):
        for fd in self.descriptors:
            os.close(fd)
        self.descriptors = []
        self.socket.close()


class Consumer(Client):
    methods = CONSUMER

    def __init__(self, path, **more):
        super().__init__(path, "ConsumerPort", **more)

    def enable(self, config, fd=None):
        """Starts a session; the reply comes when it ends, and that is the request's number."""
        request = self.send("enable", sub(1, config), fd=fd)
        return request

    def packets(self):
        """All packets of the trace."""
        request, out, current = self.send("read"), [], b""
        while True:
            _, more, fields = self.reply(request)
            for f, v in fields:
                if f == 2:
                    piece = decode(v)
                    current += last(piece, 1, b"")
                    if last(piece, 2):
                        out.append(current)
                        current = b""
            if not more:
                return out


class Producer(Client):
    methods = PRODUCER

    def __init__(self, path, name="attack", page=0, size=0, scrape=False, memory=None, **more):
        super().__init__(path, "ProducerPort", **more)
        args = sub(3, name) + (num(1, page) if page else b"") + (num(2, size) if size else b"") + \
            (num(4, 1) if scrape else b"") + (num(6, 1) if memory is not None else b"")
        self.initialized = self.ask("init", args, fd=memory)
        self.commands_request = self.send("async")
        self.commands, self.memory, self.targets = [], None, []

    def register(self, name, extra=b""):
        return self.ask("register", sub(1, sub(1, name) + extra))

    def pump(self, seconds=0.0):
        """Reads the commands that are there; waits this long for the first."""
        while self.bytes or select.select([self.socket], [], [], seconds)[0]:
            fields = self.frame()
            seconds = 0
            if last(fields, 2) != self.commands_request:
                continue
            for f, v in decode(last(decode(last(fields, 6, b"")), 3, b"")):
                self.commands.append((f, v))
                if f == 6:  # SetupDataSource
                    self.targets.append(last(decode(last(decode(v), 2, b"")), 2, 0))
        if self.descriptors and not self.memory:
            self.memory_fd = self.descriptors[-1]
            self.memory = mmap.mmap(self.memory_fd, os.fstat(self.memory_fd).st_size)

    def set_up(self, seconds=10):
        """Waits until a session has set up a data source; the number of its buffer."""
        end = time.monotonic() + seconds * SLOW
        while not self.targets and time.monotonic() < end:
            self.pump(0.2)
        return self.targets[-1] if self.targets else None


def packet(size=0, text=b""):
    """A packet with a field that nobody knows."""
    return sub(900, text + b"a" * max(0, size - len(text)))


def chunk(number, writer, packets):
    return struct.pack("<IHH", number, writer, len(packets)) + b"".join(varint(len(p)) + p for p in packets)


def move(target, data, page=0, idx=0, incomplete=False):
    return sub(1, num(1, page) + num(2, idx) + num(3, target) + sub(4, data) + (num(5, 1) if incomplete else b""))


def buffer(kb=1024, policy=0):
    return sub(1, num(1, kb) + (num(4, policy) if policy else b""))


def source(name="x", target=0, more=b"", entry=b""):
    return sub(2, sub(1, sub(1, name) + (num(2, target) if target else b"") + more) + entry)


def config(*parts):
    return b"".join(parts) if parts else buffer() + source()


INTO_FILE = num(8, 1) + num(9, 100)


class Attack(Case):
    """A service to be attacked; at the end of each test it must still serve, and end in time."""
    service_args = ()

    def setUp(self):
        super().setUp()
        self.random = random.Random(f"{SEED} {self.id()}")
        self.log = open(self.dir / "traced.log", "w+b")
        self.addCleanup(self.log.close)
        self.clients = []
        self.addCleanup(self.drop_clients)
        self.traced = None

    def start_traced(self, **more):
        """Listening when this returns."""
        r, w = os.pipe()
        self.env["TRACED_NOTIFY_FD"] = str(w)
        self.traced = self.start(TRACED, *self.service_args, pass_fds=[w], stderr=self.log, **more)
        os.close(w)
        del self.env["TRACED_NOTIFY_FD"]
        with os.fdopen(r, "rb") as f:
            self.assertEqual(f.read(), b"1", "traced said that it listens")
        return self.traced

    def stop_service(self):
        """As if it were busy; the test's end lets it go on in any case."""
        self.addCleanup(lambda: self.traced.poll() is None and os.kill(self.traced.pid, signal.SIGCONT))
        os.kill(self.traced.pid, signal.SIGSTOP)

    @property
    def consumer_path(self):
        return self.dir / "c.sock"

    @property
    def producer_path(self):
        return self.dir / "p.sock"

    def consumer(self, **more):
        self.clients.append(Consumer(self.consumer_path, **more))
        return self.clients[-1]

    def producer(self, *args, **more):
        self.clients.append(Producer(self.producer_path, *args, **more))
        return self.clients[-1]

    def drop_clients(self):
        for c in self.clients:
            c.close()
        self.clients = []

    def proc(self, what):
        return pathlib.Path(f"/proc/{self.traced.pid}/{what}")

    def fd_count(self):
        return len(list(self.proc("fd").iterdir()))

    def memory_kb(self):
        return int(next(line for line in self.proc("status").read_text().splitlines()
                        if line.startswith("VmRSS")).split()[1])

    def cpu_ns(self, thread=None):
        """Of the loop, which is the first thread; "all": of every thread."""
        if thread == "all":
            ticks = self.proc("stat").read_text().rpartition(")")[2].split()[11:13]
            return sum(map(int, ticks)) * 10**9 // os.sysconf("SC_CLK_TCK")
        return int(self.proc(f"task/{self.traced.pid}/schedstat").read_text().split()[0])

    def assert_serves(self):
        """Another client, that has done nothing wrong, gets its answer."""
        if self.traced.poll() is not None:
            self.fail(f"the service is gone: {self.traced.returncode}\n{self.said()}")
        good = Consumer(self.consumer_path)
        self.assertTrue(good.ask("capabilities")[0])
        good.close()

    def said(self):
        self.log.flush()
        return (self.dir / "traced.log").read_text(errors="replace")[-4000:]

    def assert_ends(self, seconds=3):
        """SIGTERM ends it, with exit code 0 and without a word of a sanitizer."""
        self.drop_clients()
        self.traced.terminate()
        try:
            code = self.traced.wait(seconds * 4 * SLOW)
        except subprocess.TimeoutExpired:
            self.traced.kill()
            self.fail(f"SIGTERM did not end the service\n{self.said()}")
        said = self.said()
        self.assertEqual(code, 0, said)
        self.assertNotRegex(said, "runtime error|ERROR: ")


class Watch(threading.Thread):
    """Another client that asks all the time: what the service computed between a question and its answer.
    Turns that the machine gave to somebody else do not count."""
    def __init__(self, attack):
        super().__init__(daemon=True)
        self.attack, self.worst_ns, self.answers = attack, 0, 0
        self.client = Consumer(attack.consumer_path, timeout=600)
        self.done, self.error = threading.Event(), None
        self.start()

    def run(self):
        try:
            while not self.done.is_set():
                before = self.attack.cpu_ns()
                self.client.ask("capabilities")
                self.worst_ns = max(self.worst_ns, self.attack.cpu_ns() - before)
                self.answers += 1
                self.done.wait(0.002)
        except (OSError, EOFError, StopIteration) as e:
            self.error = e

    def wait_for_answers(self, more, seconds=120):
        end, want = time.monotonic() + seconds * SLOW, self.answers + more
        while self.answers < want and self.is_alive() and time.monotonic() < end:
            time.sleep(0.01)
        return self.answers >= want

    def stop(self, seconds=60):
        self.done.set()
        self.join(seconds * SLOW)
        self.client.close()


def main():
    print(f"seed {SEED}{', long form' if LONG else ''}", file=sys.stderr, flush=True)
    sys.exit(0 if unittest.main(exit=False, verbosity=2, warnings="ignore").result.wasSuccessful() else 1)


__all__ = [n for n in dir() if not n.startswith("_")]
