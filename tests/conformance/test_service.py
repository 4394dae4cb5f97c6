"""Our service answers recorded clients as the recorded service did."""
import concurrent.futures
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from conversation import Conversation, ReplayError, fields, message
from service_replay import Player, encode
from shared import require, sample

SAMPLES = require("samples", "ipc")
TRACED = pathlib.Path(os.environ.get("ORMA_BUILD", "build")).resolve() / "traced" / "traced"

# Played one after the other, or with others, by a test of their own.
TOGETHER = {
    "attach_raw", "attach_stop", "clone_by_id_read", "clone_by_name", "clone_trigger_consumer",
    "clone_trigger_second_connection", "detach", "detach_raw", "err_session_semaphore_first",
    "err_session_semaphore_second", "err_unique_name_in_use", "exclusive_prio_first",
    "exclusive_prio_higher_takes_over", "exclusive_prio_lower_refused", "is_detached_yes",
    "limit_sessions_per_uid_1", "limit_sessions_per_uid_2", "limit_sessions_per_uid_3",
    "limit_sessions_per_uid_4", "limit_sessions_per_uid_5", "limit_sessions_per_uid_6",
    "probes_producer", "sdk_producer", "sdk_producer_all_kinds", "sdk_producer_relayed_self_scrape",
    "sdk_producer_tcp_emulated_shm", "sdk_producer_tcp_no_flush_lost", "start_trigger_consumer",
    "stop_trigger_consumer", "err_enable_output_path_exists", "query_human", "query_raw",
}


class Traced:
    """A service of its own, on private sockets."""

    def __init__(self, tcp=False):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="orma-test-"))
        self.producer, self.consumer = self.dir / "p", self.dir / "c"
        addr = str(self.producer)
        if tcp:
            with socket.socket() as s:
                s.bind(("127.0.0.1", 0))
                self.tcp = s.getsockname()
            addr += f",127.0.0.1:{self.tcp[1]}"
        ready, notify = os.pipe()
        env = {**os.environ, "PERFETTO_PRODUCER_SOCK_NAME": addr, "TRACED_NOTIFY_FD": str(notify),
               "PERFETTO_CONSUMER_SOCK_NAME": str(self.consumer)}
        self.process = subprocess.Popen([TRACED, *(["--enable-relay-endpoint"] if tcp else [])], env=env,
                                        pass_fds=[notify], stderr=subprocess.PIPE)
        os.close(notify)
        started = os.read(ready, 1)
        os.close(ready)
        assert started == b"1", self.process.stderr.read().decode()

    def play(self, name, addr=None, **kw):
        conversation = Conversation(SAMPLES / f"{name}.conv")
        if addr is None:
            producer = any("InitializeConnection" == m for m in conversation.methods.values())
            addr = self.producer if producer or "producer" in name else self.consumer
        return Player(conversation, addr, **kw).run()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        err = self.process.communicate(timeout=30)[1].decode()
        shutil.rmtree(self.dir, ignore_errors=True)
        assert self.process.returncode == 0, (self.process.returncode, err)


def in_thread(fn, *args, **kw):
    return concurrent.futures.ThreadPoolExecutor(1).submit(fn, *args, **kw)


class Consumer:
    """A consumer made by hand, for the session that a conversation presupposes."""
    ENABLE, DISABLE, READ = 1, 2, 3

    def __init__(self, traced, config):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(30)
        self.sock.connect(str(traced.consumer))
        self.request = 1
        self.send(encode([(2, 0, 1), (3, 2, encode([(1, 2, b"ConsumerPort")]))]))
        self.next_frame()
        self.enable = self.call(self.ENABLE, encode([(1, 2, config)]))

    def send(self, payload):
        self.sock.sendall(struct.pack("<I", len(payload)) + payload)

    def call(self, method, args=b""):
        self.request += 1
        self.send(encode([(2, 0, self.request), (5, 2, encode([(1, 0, 1), (2, 0, method), (3, 2, args)]))]))
        return self.request

    def exactly(self, n):
        data = b""
        while len(data) < n:
            piece = self.sock.recv(n - len(data))
            if not piece:
                raise OSError("the service hung up")
            data += piece
        return data

    def next_frame(self):
        return message(self.exactly(struct.unpack("<I", self.exactly(4))[0]))

    def wait(self, request):
        """All payload of the replies, up to the last."""
        data = b""
        while True:
            frame = self.next_frame()
            if frame.get(2, 0) != request:
                continue
            reply = message(frame[6])
            data += reply.get(3, b"")
            if not reply.get(2, 0):
                return data

    def read(self):
        data = self.wait(self.call(self.READ))
        return b"".join(message(v).get(1, b"") for n, _, v in fields(data) if n == 2)


def config(*more):
    return encode([(1, 2, encode([(1, 0, 256)])), *more])


def setups(conversation):
    """The configs of the data sources that the recorded service set up, without its own fields."""
    out, seen = [], set()
    for kind, *rest in conversation.items:
        reply = message(message(rest[0]).get(6, b"")) if kind == "S" else {}
        for n, _, v in fields(reply.get(3, b"") if reply.get(2, 0) else b""):
            if n != 6 or message(v)[1] in seen:
                continue
            seen.add(message(v)[1])
            out.append(encode(f for f in fields(message(v)[2]) if f[0] not in (2, 3, 4, 6, 7, 8)))
    return out


def duration(conversation):
    """Of the recorded session, as its producer was told."""
    for kind, *rest in conversation.items:
        reply = message(message(rest[0]).get(6, b"")) if kind == "S" else {}
        setup = message(reply.get(3, b"")).get(6) if reply.get(2, 0) else None
        if setup:
            return message(message(setup)[2]).get(3, 0)
    return 0


def producer_case(name, addr="producer", all_machines=False):
    """A recorded producer; the session it works for is made when it has registered. Its trace."""
    with Traced(tcp=addr == "tcp") as traced:
        conversation = Conversation(SAMPLES / f"{name}.conv")
        sources = [(2, 2, encode([(1, 2, ds)])) for ds in setups(conversation)]
        clear = encode([(1, 0, 200)])
        cfg = config(*sources, (3, 0, duration(conversation)), (13, 0, 200), (21, 2, clear),
                     *([(43, 0, 1)] if all_machines else []))
        consumer = []
        player = Player(conversation, traced.tcp if addr == "tcp" else traced.producer)
        playing = in_thread(player.run)
        while not consumer:
            time.sleep(0.05)
            if len([m for m in player.method_of.values() if m == "RegisterDataSource"]) >= \
                    registrations(conversation):
                consumer.append(Consumer(traced, cfg))
            elif playing.done():
                break
        playing.result(60)
        if not consumer:
            return player, b""
        consumer[0].wait(consumer[0].enable)
        trace = consumer[0].read()
        consumer[0].sock.close()
        return player, trace


def registrations(conversation):
    """How often the recorded producer registers before the first command comes."""
    num = 0
    for kind, *rest in conversation.items:
        if kind == "S" and message(message(rest[0]).get(6, b"")).get(2, 0):
            return num
        if kind == "C":
            invoke = message(message(rest[0]).get(5, b""))
            num += conversation.methods.get(invoke.get(2)) == "RegisterDataSource"
    return num


def inline_chunks(conversation):
    for kind, *rest in conversation.items:
        invoke = message(message(rest[0]).get(5, b"")) if kind == "C" else {}
        if conversation.methods.get(invoke.get(2)) == "CommitData":
            for n, _, v in fields(invoke.get(3, b"")):
                if n == 1 and message(v).get(4):
                    yield message(v)[4]


def alone(name):
    """None, or what is wrong."""
    with Traced() as traced:
        try:
            traced.play(name)
        except (ReplayError, OSError, KeyError, ValueError, AssertionError) as e:
            return f"{name}: {type(e).__name__}: {e}"
    return None


class Service(unittest.TestCase):
    def test_conversations_that_need_nobody_else(self):
        names = sorted(p.stem for p in SAMPLES.glob("*.conv") if p.stem not in TOGETHER)
        self.assertGreater(len(names), 30)
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            for name, wrong in zip(names, pool.map(alone, names)):
                with sample(f"ipc/{name}"):
                    self.assertIsNone(wrong)

    # ---- sessions that meet ----

    def test_the_sixth_session_of_a_user_is_refused(self):
        with Traced() as traced:
            end = threading.Event()
            held = [in_thread(traced.play, f"limit_sessions_per_uid_{i}",
                              hooks={"EnableTracing": lambda p: end.wait(30)}) for i in range(1, 6)]
            time.sleep(1)
            traced.play("limit_sessions_per_uid_6")
            end.set()
            for h in held:
                h.result(30)

    def test_a_semaphore_is_counted(self):
        with Traced() as traced:
            end = threading.Event()
            first = in_thread(traced.play, "err_session_semaphore_first",
                              hooks={"EnableTracing": lambda p: end.wait(30)})
            time.sleep(0.5)
            traced.play("err_session_semaphore_second")
            end.set()
            first.result(30)

    def test_an_exclusive_session_takes_over(self):
        with Traced() as traced:
            after = threading.Event()

            def others(player):
                traced.play("exclusive_prio_lower_refused")
                after.set()

            first = in_thread(traced.play, "exclusive_prio_first", hooks={"EnableTracing": others})
            after.wait(30)
            traced.play("exclusive_prio_higher_takes_over")
            first.result(30)

    def test_a_name_in_use(self):
        with Traced() as traced:
            conversation = Conversation(SAMPLES / "err_unique_name_in_use.conv")
            enable = next(i[1] for i in conversation.items[2:] if i[0] == "C")
            holder = Consumer(traced, message(message(message(enable)[5])[3])[1])
            traced.play("err_unique_name_in_use")
            holder.sock.close()

    def test_clones(self):
        with Traced() as traced:
            holder = Consumer(traced, config((22, 2, b"sample_session")))
            for name in ("clone_by_name", "clone_by_id_read"):
                with self.subTest(name):
                    self.assertGreater(len(traced.play(name, session_id=1).trace), 300)
            holder.sock.close()

    def test_triggers(self):
        for name in ("start_trigger_consumer", "stop_trigger_consumer"):
            with self.subTest(name), Traced() as traced:
                pull = lambda p: (time.sleep(0.3), traced.play("trigger_producer"))
                self.assertGreater(
                    len(traced.play(name, hooks={"EnableTracing": pull}).trace), 300)

    def test_a_trigger_that_clones(self):
        with Traced() as traced:
            second = []
            hooks = {"EnableTracing": lambda p: (time.sleep(0.3), traced.play("trigger_producer")),
                     "Flush": lambda p: second.append(
                         traced.play("clone_trigger_second_connection", session_id=1))}
            first = traced.play("clone_trigger_consumer", hooks=hooks)
            self.assertGreater(len(second[0].trace), 300)
            self.assertEqual(first.trace, b"")

    def test_detached_sessions(self):
        with Traced() as traced:
            for name in ("detach_raw", "attach_raw", "detach", "is_detached_yes", "attach_stop"):
                with self.subTest(name):
                    traced.play(name)

    def test_output_path_that_exists(self):
        with Traced() as traced:
            conversation = Conversation(SAMPLES / "err_enable_output_path_exists.conv")
            enable = next(i[1] for i in conversation.items[2:] if i[0] == "C")
            path = pathlib.Path(message(message(message(message(enable)[5])[3])[1])[29].decode())
            if not path.exists() and os.access(path.parent, os.W_OK):
                path.write_bytes(b"")
                self.addCleanup(path.unlink)
            traced.play("err_enable_output_path_exists")

    def test_queries(self):
        with Traced() as traced:
            holder = Consumer(traced, config())
            for name in ("query_human", "query_raw"):
                traced.play(name)
            holder.sock.close()

    # ---- producers ----

    def test_sdk_producers(self):
        for name in ("sdk_producer", "sdk_producer_all_kinds"):
            with self.subTest(name):
                player, _ = producer_case(name)
                self.assertEqual(player.fds, 1, "the shared memory")

    def test_probes(self):
        player, _ = producer_case("probes_producer")
        self.assertEqual(player.fds, 1)

    def test_emulated_shared_memory(self):
        player, trace = producer_case("sdk_producer_tcp_emulated_shm", "tcp")
        self.assertEqual(player.fds, 0)
        chunks = list(inline_chunks(player.conversation))
        self.assertGreater(len(chunks), 0)
        self.assertIn(chunks[0][12:60], trace)

    def test_no_flush_over_tcp(self):
        player, _ = producer_case("sdk_producer_tcp_no_flush_lost", "tcp")
        self.assertEqual(player.fds, 0)

    def test_a_relayed_producer_that_scrapes_itself(self):
        player, trace = producer_case("sdk_producer_relayed_self_scrape", "tcp", all_machines=True)
        chunks = list(inline_chunks(player.conversation))
        self.assertGreater(len(chunks), 1)
        self.assertIn(chunks[-1][12:60], trace)


if __name__ == "__main__":
    sys.exit(0 if unittest.main(exit=False, verbosity=2).result.wasSuccessful() else 1)
