"""Recorded conversations over the tracing sockets, and a service that replays its side of one.

A conversation is a list of items: a frame of the client, a frame of the service, a descriptor, an end.
The replaying service sends its frames when their turn has come and compares each frame of the client
with the recorded one by meaning: same method, same arguments, whatever the order of fields; a descriptor
where there was one."""
import array
import fcntl
import os
import socket
import stat
import struct
import threading

INVOKE, BIND, BIND_REPLY, INVOKE_REPLY = 5, 3, 4, 6
# Requests that a descriptor can belong to. It may be read earlier, with bytes of the frame before.
CARRIERS = ("EnableTracing", "CloneSession", "InitializeConnection")


def varint(data, at):
    val = shift = 0
    while True:
        byte = data[at]
        at += 1
        val |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return val & (1 << 64) - 1, at
        if shift > 63:
            raise ValueError("varint too long")


def put_varint(val):
    out = bytearray()
    while val >= 0x80:
        out.append(val & 0x7F | 0x80)
        val >>= 7
    out.append(val)
    return bytes(out)


def fields(data):
    """(number, wire type, value) of each field; ValueError if this is no message."""
    at = 0
    try:
        while at < len(data):
            tag, at = varint(data, at)
            number, wire = tag >> 3, tag & 7
            if number == 0:
                raise ValueError("field 0")
            if wire == 0:
                val, at = varint(data, at)
            elif wire == 2:
                size, at = varint(data, at)
                if size > len(data) - at:
                    raise ValueError("cut short")
                val, at = data[at:at + size], at + size
            elif wire in (1, 5):
                size = 8 if wire == 1 else 4
                if size > len(data) - at:
                    raise ValueError("cut short")
                val, at = data[at:at + size], at + size
            else:
                raise ValueError("wire type")
            yield number, wire, val
    except IndexError:
        raise ValueError("cut short") from None


def meaning(data, ignore=()):
    """A message as {number: [values]}: order of different fields and explicit zeros do not matter. What
    could be a message inside is taken for one. `ignore`: numbers of this message to leave out."""
    out = {}
    for number, wire, val in fields(data):
        if number in ignore or (wire == 0 and val == 0):
            continue
        if wire == 2 and val:
            try:
                val = meaning(val)
            except ValueError:
                pass
        out.setdefault(number, []).append(val)
    return out


def message(data):
    """{number: last value}"""
    return {number: val for number, _, val in fields(data)}


def frame(payload):
    return struct.pack("<I", len(payload)) + payload


class Conversation:
    """items: ("C", payload, with fd: None if it cannot have one), ("S", payload), ("close", who)"""

    def __init__(self, path):
        self.items = []
        self.times = []  # of each item, in seconds
        self.lengths = []  # that each frame of the client announces
        self.methods = {}
        fd, now = False, 0.0
        for line in path.read_text().splitlines():
            words = line.split()
            if not words or words[0] == "#":
                if len(words) > 1 and words[1][0] == "+":
                    now = float(words[1][1:])
                continue
            if words[0] == "fd":
                fd = words[1] == "C>S"
            elif words[0] == "C>S":
                payload = bytes.fromhex(words[1])[4:]
                self.lengths.append(bytes.fromhex(words[1])[:4])
                carrier = self.methods and self.describe(payload)[0] in CARRIERS
                self.items.append(("C", payload, fd if carrier else None))
                fd = fd and not carrier
            elif words[0] == "S>C":
                self.items.append(("S", bytes.fromhex(words[1])[4:]))
                self.learn(self.items[-1][1])
            elif words[0] == "close":
                self.items.append(("close", words[1]))
            self.times += [now] * (len(self.items) - len(self.times))

    def learn(self, payload):
        reply = message(payload).get(BIND_REPLY)
        for number, _, val in fields(reply or b""):
            if number == 3:
                m = message(val)
                self.methods[m[1]] = m[2].decode()

    def describe(self, payload):
        """("bind", service), or (method, arguments, wants a reply)."""
        msg = message(payload)
        if BIND in msg:
            return "bind", message(msg[BIND])[1].decode()
        invoke = message(msg[INVOKE])
        method = self.methods.get(invoke.get(2), "?")
        return method, invoke.get(3, b""), not invoke.get(4, 0)


# Fields that every run makes anew: uuid of the trace; version of the client.
def arguments(method, data):
    if method == "EnableTracing":
        out = meaning(data)
        for config in out.get(1, []):
            for number in (27, 28):
                if number in config:
                    config[number] = ["some"]
        return out
    if method == "InitializeConnection":
        return meaning(data, ignore=(8,))
    return meaning(data)


class ReplayError(AssertionError):
    pass


class Replay:
    """Answers one connection as recorded. `before`: {method: callable} run before the client's request
    of that name is waited for."""

    def __init__(self, conversation, before=None):
        self.conversation = conversation
        self.before = before or {}
        self.error = None
        self.done = threading.Event()
        self.data = b""
        self.fds = []
        self.ids = {}

    def run(self, conn):
        try:
            conn.settimeout(30)
            for item in self.conversation.items:
                getattr(self, "on_" + item[0])(conn, *item[1:])
        except (OSError, ReplayError, ValueError, KeyError) as e:
            self.error = f"{type(e).__name__}: {e}"
        finally:
            conn.close()
            for fd in self.fds:
                os.close(fd)
            self.done.set()

    def receive(self, conn):
        fds = array.array("i")
        data, ancillary, _, _ = conn.recvmsg(1 << 17, socket.CMSG_SPACE(16 * fds.itemsize))
        for level, kind, blob in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                fds.frombytes(blob[:len(blob) - len(blob) % fds.itemsize])
        self.fds += list(fds)
        return data

    def next_frame(self, conn):
        while len(self.data) < 4 or len(self.data) < 4 + struct.unpack_from("<I", self.data)[0]:
            data = self.receive(conn)
            if not data:
                raise ReplayError("the client hung up")
            self.data += data
        size = struct.unpack_from("<I", self.data)[0]
        payload, self.data = self.data[4:4 + size], self.data[4 + size:]
        return payload

    def on_C(self, conn, expected, with_fd):
        describe = self.conversation.describe
        want = describe(expected)
        if want[0] in self.before:
            self.before[want[0]]()
        payload = self.next_frame(conn)
        have = describe(payload)
        self.ids[message(expected)[2]] = message(payload)[2]
        if want[0] != have[0]:
            raise ReplayError(f"{want[0]} was expected, not {have[0]}")
        if want[0] == "bind":
            if want != have:
                raise ReplayError(f"bind to {have[1]} instead of {want[1]}")
        elif arguments(want[0], want[1]) != arguments(have[0], have[1]) or want[2] != have[2]:
            raise ReplayError(f"{want[0]} with other arguments:\n  recorded {arguments(want[0], want[1])}\n"
                              f"  here     {arguments(have[0], have[1])}")
        if with_fd is not None:
            self.check_fd(want[0], with_fd)

    def check_fd(self, method, expected):
        if expected != bool(self.fds):
            raise ReplayError(f"{method}: {'no' if expected else 'a'} descriptor came with it")
        for fd in self.fds:
            st = os.fstat(fd)
            if not stat.S_ISREG(st.st_mode) or stat.S_IMODE(st.st_mode) != 0o600 or st.st_size or \
                    fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDWR:
                raise ReplayError(f"{method}: not an empty file of mode 600 for reading and writing")
            os.close(fd)
        self.fds = []

    def on_S(self, conn, payload):
        msg = message(payload)
        rest = b"".join(put_varint(n << 3 | w) + (put_varint(v) if w == 0 else put_varint(len(v)) + v)
                        for n, w, v in fields(payload) if n != 2)
        conn.sendall(frame(b"\x10" + put_varint(self.ids[msg[2]]) + rest))

    def on_close(self, conn, who):
        if who != "C":
            return
        if self.fds:
            raise ReplayError("a descriptor came with a request that has none")
        left = self.data
        while not left:
            left = self.receive(conn)
            if not left:
                return
        raise ReplayError(f"more came than was recorded: {left[:60].hex()}")


class Service:
    """Listens on a path; the first connection gets the first replay, and so on."""

    def __init__(self, path, replays):
        self.replays = replays
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.bind(str(path))
        self.sock.listen(8)
        self.sock.settimeout(30)
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        workers = []
        try:
            for replay in self.replays:
                conn, _ = self.sock.accept()
                workers.append(threading.Thread(target=replay.run, args=(conn,), daemon=True))
                workers[-1].start()
        except OSError:
            pass
        for w in workers:
            w.join()

    def finish(self):
        """The first error, None if all was as recorded."""
        self.thread.join(40)
        self.sock.close()
        for replay in self.replays:
            if replay.error:
                return replay.error
            if not replay.done.is_set():
                return "a connection was not made, or did not come to its end"
        return None
