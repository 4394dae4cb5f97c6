"""A program with our SDK against the service's side of recorded conversations: it sends the requests
that the recorded program sent, though not in the same frames, and each reply reaches it at its time."""
import contextlib
import fcntl
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from conversation import (BIND_REPLY, INVOKE_REPLY, Conversation, fields, frame, meaning, message,
                          put_varint)
from shared import require

SAMPLES = require("samples", "ipc")
PROGRAM = pathlib.Path(sys.argv[1]).resolve()
# What must have come before the recorded conversation goes on.
AWAITED = ("InitializeConnection", "RegisterDataSource", "NotifyDataSourceStarted",
           "NotifyDataSourceStopped")
FLUSH_ID, MOVES = 3, 1  # of CommitDataRequest
SETUP_TRACING = 3  # of GetAsyncCommandResponse
PAUSE_MAX = 0.3


class Player:
    """The service's side."""

    def __init__(self, conversation, shm_size):
        self.conversation, self.shm_size = conversation, shm_size
        self.seen = {}  # method -> [(request id, arguments)]
        self.order = []  # (method, arguments) as they came
        self.lock = threading.Condition()
        self.error = None
        self.gone = False
        self.shm = None

    def receive(self, conn):
        data = b""
        while True:
            while len(data) >= 4 and len(data) - 4 >= struct.unpack_from("<I", data)[0]:
                size = struct.unpack_from("<I", data)[0]
                self.take(conn, data[4:4 + size])
                data = data[4 + size:]
            more = conn.recv(1 << 17)
            if not more:
                break
            data += more
        with self.lock:
            self.gone = True
            self.lock.notify_all()

    def take(self, conn, payload):
        msg = message(payload)
        what = self.conversation.describe(payload)
        with self.lock:
            self.seen.setdefault(what[0], []).append((msg[2], what[1]))
            self.order.append((what[0], what[1]))
            self.lock.notify_all()
        if what[0] == "Sync":  # the recorded program did not ask
            reply = put_varint(1 << 3) + b"\x01"
            body = put_varint(2 << 3) + put_varint(msg[2]) + put_varint(INVOKE_REPLY << 3 | 2)
            conn.sendall(frame(body + put_varint(len(reply)) + reply))

    def wait(self, what, condition):
        with self.lock:
            if not self.lock.wait_for(lambda: self.gone or condition(), 30) or not condition():
                raise AssertionError(f"{what} did not come; there were {[m for m, _ in self.order]}")

    def play(self, conn):
        """Each frame of the service, when those of the client before it have come."""
        receiver = threading.Thread(target=self.receive, args=(conn,), daemon=True)
        receiver.start()
        counts, names = {}, {}  # of recorded requests; recorded id -> (method, which)
        before = 0.0
        for item, now in zip(self.conversation.items, self.conversation.times):
            time.sleep(min(now - before, PAUSE_MAX))  # events take their time
            before = now
            if item[0] == "C":
                self.expect(item[1], counts, names)
            elif item[0] == "S":
                self.send(conn, item[1], names)
        receiver.join(30)

    def expect(self, payload, counts, names):
        what = self.conversation.describe(payload)
        which = counts[what[0]] = counts.get(what[0], 0) + 1
        names[message(payload)[2]] = (what[0], which)
        if what[0] in AWAITED:
            self.wait(f"{what[0]} {which}", lambda: len(self.seen.get(what[0], ())) >= which)
        flush = message(what[1]).get(FLUSH_ID) if what[0] == "CommitData" else None
        if flush:
            self.wait(f"flush {flush}", lambda: any(
                message(a).get(FLUSH_ID, 0) >= flush for _, a in self.seen.get("CommitData", ())))

    def send(self, conn, payload, names):
        method, which = names[message(payload)[2]]
        self.wait(f"{method} {which}", lambda: len(self.seen.get(method, ())) >= which)
        rest = b"".join(put_varint(n << 3 | w) + (put_varint(v) if w == 0 else put_varint(len(v)) + v)
                        for n, w, v in fields(payload) if n != 2)
        data = frame(b"\x10" + put_varint(self.seen[method][which - 1][0]) + rest)
        reply = message(message(payload).get(INVOKE_REPLY, b"")).get(3, b"")
        if method == "GetAsyncCommand" and SETUP_TRACING in message(reply) and self.shm_size:
            self.shm = os.memfd_create("shmem", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
            os.ftruncate(self.shm, self.shm_size)
            fcntl.fcntl(self.shm, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
            socket.send_fds(conn, [data], [self.shm])
        else:
            with contextlib.suppress(BrokenPipeError):  # it has ended: what it lacked, compare() finds
                conn.sendall(data)


def descriptor(arguments):
    """Of a data source; without its id, its categories, and whether it is worth flushing."""
    out = meaning(message(arguments)[1])
    return {n: v for n, v in out.items() if n not in (4, 5, 6, 7, 8, 9)}


class ProducerConversations(unittest.TestCase):
    def talk(self, name, shm_kb, page_kb, tcp=False):
        scratch = pathlib.Path(tempfile.mkdtemp(prefix="orma-test-"))
        self.addCleanup(shutil.rmtree, scratch, ignore_errors=True)
        conversation = Conversation(SAMPLES / f"{name}.conv")
        server = socket.socket(socket.AF_INET if tcp else socket.AF_UNIX)
        server.bind(("127.0.0.1", 0) if tcp else str(scratch / "s"))
        server.listen(1)
        server.settimeout(30)
        address = f"127.0.0.1:{server.getsockname()[1]}" if tcp else str(scratch / "s")
        player = Player(conversation, 0 if tcp else shm_kb << 10)
        program = subprocess.Popen([PROGRAM, str(shm_kb), str(page_kb)], stderr=subprocess.PIPE,
                                   env={**os.environ, "PERFETTO_PRODUCER_SOCK_NAME": address})
        try:
            conn, _ = server.accept()
            conn.settimeout(60)
            self.addCleanup(conn.close)
            player.play(conn)
            _, err = program.communicate(timeout=60)
        finally:
            program.kill()
            program.stderr.close()
            server.close()
            if player.shm is not None:
                os.close(player.shm)
        self.assertEqual(program.returncode, 0, err.decode())
        self.compare(conversation, player)
        return player

    def compare(self, conversation, player):
        recorded = {}
        for item in conversation.items:
            if item[0] == "C":
                what = conversation.describe(item[1])
                recorded.setdefault(what[0], []).append(what[1])
        ours = {m: [a for _, a in seen] for m, seen in player.seen.items()}
        self.assertEqual(recorded["bind"], ours["bind"])
        self.assertEqual([meaning(a, ignore=(8, 90001)) for a in recorded["InitializeConnection"]],
                         [meaning(a, ignore=(8, 90001)) for a in ours["InitializeConnection"]])
        known = [descriptor(a) for a in ours["RegisterDataSource"]]
        for a in recorded["RegisterDataSource"]:
            self.assertIn(descriptor(a), known)
        for method in ("NotifyDataSourceStarted", "NotifyDataSourceStopped"):
            self.assertEqual(sorted(recorded[method]), sorted(ours[method]))
        self.check_commits(player.order)

    def check_commits(self, order):
        """Chunks are those of announced writers, for the buffer that the service named."""
        targets, chunks = set(), 0
        for method, arguments in order:
            if method == "RegisterTraceWriter":
                targets.add(message(arguments)[2])
            for n, _, val in fields(arguments) if method == "CommitData" else ():
                if n == MOVES:
                    chunks += 1
                    self.assertIn(message(val)[3], targets)
        self.assertGreater(chunks, 0)
        self.assertEqual(len(targets), 1)

    def test_life_of_a_producer(self):
        self.talk("sdk_producer", 128, 8)

    def test_packets_over_several_chunks(self):
        player = self.talk("sdk_producer_all_kinds", 64, 4)
        self.assertEqual(len(player.seen["NotifyDataSourceStarted"]), 1)

    def test_without_shared_memory(self):
        player = self.talk("sdk_producer_tcp_emulated_shm", 0, 0, tcp=True)
        moves = [val for _, a in player.seen["CommitData"] for n, _, val in fields(a) if n == MOVES]
        self.assertTrue(moves and all(len(message(m)[4]) > 8 for m in moves))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
