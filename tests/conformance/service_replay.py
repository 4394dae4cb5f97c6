"""The client's side of a recorded conversation, played against our service.

Frames go out as recorded, with the ids that this run's service gave (buffers, instances, flushes,
sessions) in place of the recorded ones. Each recorded frame of the service must come: the same kind of
reply to the same request with the same success, and the same meaning where a run can repeat it."""
import array
import os
import socket
import struct
import tempfile
import time

from conversation import BIND_REPLY, INVOKE, INVOKE_REPLY, ReplayError, fields, meaning, message, put_varint

ERROR = 7
WAIT_S = 20
# Replies whose content is of its run: only that they come, and how they end.
STREAMS = ("ReadBuffers", "QueryServiceState", "GetTraceStats")
COMMANDS = {1: "start", 2: "stop", 3: "setup_tracing", 5: "flush", 6: "setup", 7: "clear"}
# Fields of a DataSourceConfig that every run makes anew: target buffer, session.
RUN_FIELDS = (2, 4)


def encode(items):
    """Bytes of (number, wire type, value) items."""
    out = bytearray()
    for number, wire, val in items:
        out += put_varint(number << 3 | wire)
        if wire == 0:
            out += put_varint(val)
        elif wire == 2:
            out += put_varint(len(val)) + val
        else:
            out += val
    return bytes(out)


def change(data, number, fn):
    """The message with the value of each field `number` replaced."""
    return encode((n, w, fn(v) if n == number else v) for n, w, v in fields(data))


class Player:
    """hooks: {name of a method: callable} run right after a request of that name was sent, once."""

    def __init__(self, conversation, addr, session_id=None, hooks=None):
        self.conversation = conversation
        self.addr = addr
        self.session_id = session_id
        self.hooks = dict(hooks or {})
        self.data = b""
        self.frames = []
        self.fds = 0
        self.buffers = {}
        self.instances = {}
        self.flushes = {}
        self.method_of = {}
        self.finished = set()
        self.trace = b""

    def connect(self):
        if isinstance(self.addr, tuple):
            self.sock = socket.create_connection(self.addr)
        else:
            self.sock = socket.socket(socket.AF_UNIX)
            self.sock.connect(str(self.addr))
        self.sock.settimeout(WAIT_S)

    def run(self):
        self.connect()
        try:
            before = 0.0
            self.lengths = iter(self.conversation.lengths)
            # Of a frame that the service refused it was noted first that the service closed.
            items = sorted(zip(self.conversation.items, self.conversation.times),
                           key=lambda i: i[0][0] == "close")
            for item, now in items:
                if item[0] == "C" and now - before > 0.05:
                    time.sleep(min(now - before, 2.5))  # as the recorded client waited
                before = now
                getattr(self, "on_" + item[0])(*item[1:])
        finally:
            self.sock.close()
        return self

    # ---- out ----

    def rewrite(self, method, args):
        if method == "CommitData":
            for number in (1, 2):
                target = 3 if number == 1 else 1
                args = change(args, number, lambda m, t=target: change(
                    m, t, lambda v: self.buffers.get(v, v)))
            return change(args, 3, lambda v: self.flushes.get(v, v))
        if method in ("NotifyDataSourceStarted", "NotifyDataSourceStopped"):
            return change(args, 1, lambda v: self.instances.get(v, v))
        if method == "RegisterTraceWriter":
            return change(args, 2, lambda v: self.buffers.get(v, v))
        if method == "CloneSession" and self.session_id:
            return change(args, 1, lambda v: self.session_id if v < 1 << 63 else v)
        return args

    def on_C(self, payload, with_fd):
        method, send = None, payload
        try:
            msg = message(payload)
            invoke = message(msg[INVOKE]) if INVOKE in msg else {}
            method = self.conversation.methods.get(invoke.get(2))
        except (ValueError, KeyError):
            invoke = {}
        if method:
            self.method_of[msg.get(2, 0)] = method
            try:
                args = self.rewrite(method, invoke.get(3, b""))
                send = change(payload, INVOKE, lambda v: change(v, 3, lambda _: args))
            except ValueError:
                pass  # arguments that were recorded because they are no message
        length = next(self.lengths)
        if struct.unpack("<I", length)[0] == len(payload):
            length = struct.pack("<I", len(send))
        self.send(length + send, with_fd)
        hook = self.hooks.pop(method, None)
        if hook:
            hook(self)

    def send(self, data, with_fd):
        try:
            with tempfile.TemporaryFile() as out:
                fds = array.array("i", [out.fileno()] if with_fd else [])
                n = self.sock.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)] if fds else [])
            self.sock.sendall(data[n:])
        except (BrokenPipeError, ConnectionResetError):
            pass  # recorded so: what matters is that the service closed

    # ---- in ----

    def receive(self):
        fds = array.array("i")
        try:
            data, ancillary, _, _ = self.sock.recvmsg(1 << 17, socket.CMSG_SPACE(4 * fds.itemsize))
        except ConnectionResetError:
            data, ancillary = b"", []
        for level, kind, blob in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                fds.frombytes(blob[:len(blob) - len(blob) % fds.itemsize])
        for fd in fds:
            os.close(fd)
            self.fds += 1
        if not data:
            raise ReplayError("the service closed the connection")
        self.data += data
        while len(self.data) >= 4:
            size = struct.unpack_from("<I", self.data)[0]
            if len(self.data) < 4 + size:
                break
            self.frames.append(message(self.data[4:4 + size]))
            self.data = self.data[4 + size:]

    def command_of(self, msg):
        reply = message(msg.get(INVOKE_REPLY, b""))
        if self.method_of.get(msg.get(2, 0)) != "GetAsyncCommand" or not reply.get(2, 0):
            return None
        number, _, body = next((f for f in fields(reply.get(3, b""))), (0, 0, b""))
        return COMMANDS.get(number), body

    def take(self, expected):
        """The first frame that answers as `expected` does."""
        want = self.command_of(expected)
        while True:
            for i, have in enumerate(self.frames):
                command = self.command_of(have)
                if have.get(2, 0) == expected.get(2, 0) and (want is None or (
                        command and command[0] == want[0])):
                    return self.frames.pop(i)
            try:
                self.receive()
                if want and want[0] == "stop":
                    self.acknowledge_flushes()
            except TimeoutError:
                raise ReplayError(f"no answer to request {expected.get(2, 0)} "
                                  f"({self.method_of.get(expected.get(2, 0))}, {want and want[0]}); "
                                  f"there are {self.frames}") from None

    def acknowledge_flushes(self):
        """More flushes than were recorded are answered, so that the session can end."""
        for have in list(self.frames):
            command = self.command_of(have)
            if command and command[0] == "flush":
                self.frames.remove(have)
                commit = next(i for i, name in self.conversation.methods.items() if name == "CommitData")
                args = encode([(3, 0, message(command[1])[2])])
                invoke = encode([(1, 0, 1), (2, 0, commit), (3, 2, args), (4, 0, 1)])
                payload = encode([(2, 0, 1 << 40), (INVOKE, 2, invoke)])
                self.sock.sendall(struct.pack("<I", len(payload)) + payload)

    def on_S(self, payload):
        expected = message(payload)
        request = expected.get(2, 0)
        if request in self.finished:
            return
        have = self.take(expected)
        if BIND_REPLY in expected:
            self.check_bind(message(expected[BIND_REPLY]), have)
        elif ERROR in expected:
            self.check(have.get(ERROR) == expected[ERROR], "error", have, expected)
        else:
            self.check_reply(request, expected, have)

    def check(self, ok, what, have, want):
        if not ok:
            raise ReplayError(f"{what}:\n  recorded {want}\n  here     {have}")

    def check_bind(self, want, have):
        reply = message(have.get(BIND_REPLY, b""))
        self.check(reply.get(1, 0) == want.get(1, 0) and reply.get(2, 0) == want.get(2, 0), "bind", reply, want)
        names = {message(v)[2] for n, _, v in fields(have[BIND_REPLY]) if n == 3}
        for name in self.conversation.methods.values():
            self.check(name.encode() in names or not want.get(1), "method", names, name)

    def check_reply(self, request, expected, have):
        method = self.method_of.get(request)
        want, reply = message(expected[INVOKE_REPLY]), message(have.get(INVOKE_REPLY, b""))
        self.check(reply.get(1, 0) == want.get(1, 0), f"success of {method}", reply, want)
        if method in STREAMS:
            self.finish_stream(request, reply)
            return
        self.check(reply.get(2, 0) == want.get(2, 0), f"has_more of {method}", reply, want)
        a, b = want.get(3, b""), reply.get(3, b"")
        if method == "GetAsyncCommand" and want.get(2, 0):
            self.check_command(self.command_of(expected), self.command_of(have))
        elif method == "CloneSession":
            wm, hm = meaning(a), meaning(b)
            self.check({n: v for n, v in wm.items() if n not in (3, 4)} ==
                       {n: v for n, v in hm.items() if n not in (3, 4)}, method, hm, wm)
            self.check(set(wm) == set(hm), method, hm, wm)
        elif method == "ObserveEvents":
            self.check({n for n, _, _ in fields(a)} == {n for n, _, _ in fields(b)}, method, b, a)
        elif method == "Attach":
            drop = (27, 28)  # the uuid
            wm, hm = (meaning(message(x).get(1, b""), ignore=drop) for x in (a, b))
            self.check(wm == hm, method, hm, wm)
        else:
            self.check(meaning(a) == meaning(b), method, meaning(b), meaning(a))

    def finish_stream(self, request, reply):
        """All replies up to the last one."""
        while True:
            for n, _, v in fields(reply.get(3, b"")):
                if n == 2 and self.method_of[request] == "ReadBuffers":
                    self.trace += message(v).get(1, b"")
            if not reply.get(2, 0):
                break
            reply = message(self.take({2: request}).get(INVOKE_REPLY, b""))
        self.finished.add(request)

    def check_command(self, want, have):
        (kind, a), (_, b) = want, have
        wm, hm = message(a), message(b)
        if kind in ("setup", "start"):
            self.instances[wm[1]] = hm[1]
            wc, hc = message(wm[2]), message(hm[2])
            self.buffers[wc.get(2, 0)] = hc.get(2, 0)
            w, h = (meaning(m[2], ignore=RUN_FIELDS) for m in (wm, hm))
            self.check(w == h, kind, h, w)
            numbers = [[n for n, _, _ in fields(m[2])] for m in (wm, hm)]
            self.check(sorted(set(numbers[0])) == sorted(set(numbers[1])), "fields of " + kind, numbers[1],
                       numbers[0])
        elif kind == "flush":
            self.flushes[wm[2]] = hm[2]
            sources = [[v for n, _, v in fields(m) if n == 1] for m in (a, b)]
            self.check(len(sources[0]) == len(sources[1]), "flushed sources", sources[1], sources[0])
            self.check(wm.get(3, 0) >> 4 == hm.get(3, 0) >> 4, "flush flags", hm, wm)
        elif kind == "setup_tracing":
            self.check(wm.get(1, 0) == hm.get(1, 0), "page size", hm, wm)

    def on_close(self, who):
        if who != "S":
            return
        try:
            while True:
                self.receive()
        except ReplayError:
            return
        except TimeoutError:
            raise ReplayError("the service did not close the connection") from None
