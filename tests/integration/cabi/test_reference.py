#!/usr/bin/env python3
"""libperfetto_c.so against what is known of the library of that name.

    test_reference.py BUILD_ROOT

Needs ORMA_SHARED: the driver (spec/c_abi/driver.c), which declares the interface itself, and recordings of the reference
(samples/c_abi). The scenarios of tests/integration/cabi make the same calls; their packets are compared with the
recordings field by field, but for what is random or time: numbers, times and ids are named by the order in which they come.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
SHARED = pathlib.Path(os.environ.get("ORMA_SHARED", "/nonexistent"))
SAMPLES = SHARED / "samples/c_abi"
DRIVER = SHARED / "spec/c_abi/driver.c"
LIB = BUILD / "sdk/cabi"
SCENARIOS = BUILD / "tests/integration/cabi/cabi_scenarios"
ORMA = BUILD / "tools/orma"
# A library of a sanitizer needs programs of it.
SYMBOLS = subprocess.run(["nm", "-D", LIB / "libperfetto_c.so"], capture_output=True, text=True).stdout
SANITIZERS = [flag for symbol, flag in (("__asan_init", "address"), ("__ubsan_handle", "undefined"), ("__tsan_init", "thread"))
              if symbol in SYMBOLS]
SLOW = 6 if SANITIZERS else 1
# What a thread holds at the exit of the program stays, as in the reference.
ENV = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + " detect_leaks=0",
           TSAN_OPTIONS=os.environ.get("TSAN_OPTIONS", "") + " die_after_fork=0 exitcode=66",
           UBSAN_OPTIONS=os.environ.get("UBSAN_OPTIONS", "") + " halt_on_error=1 print_stacktrace=1")
# Scenario, recordings, and the ways to run it.
PAIRS = {
    "hl_basic": ["01_hl_basic"], "tracks": ["02_tracks"], "flows": ["03_flows_proto"],
    "dynamic": ["04_dyncat_1", "04_dyncat_2"], "low_level": ["05_ll"], "custom": ["06_ds_custom"],
    "postpone": ["07_postpone"], "threads": ["08_threads"], "clearing": ["09_incr_clear"], "clocks_unit": ["10_clocks_unit"],
    "clocks_abs": ["10_clocks_abs"], "clocks_absunit": ["10_clocks_absunit"], "trigger": ["11_trigger"], "drop": ["12_drop"],
    "inproc": ["13_inproc"], "scoped": ["14_scoped"],
}
# In these the numbers themselves differ with the machine's speed.
TIMING = {"drop", "clearing"}
SKIPPED = {"trusted_uid", "trusted_pid", "trusted_packet_sequence_id", "process_name", "cmdline", "thread_name"}
NUMBERED = {"uuid", "parent_uuid", "track_uuid", "pid", "tid", "flow_ids", "terminating_flow_ids"}


def parse(text):
    """Nested lists of (key, value) of the text format."""
    stack = [[]]
    for line in text.splitlines():
        line = line.strip()
        if line.endswith("{"):
            stack.append([])
            stack[-2].append((line[:-1].strip(), stack[-1]))
        elif line == "}":
            stack.pop()
        elif line:
            key, _, value = line.partition(":")
            stack[-1].append((key, value.strip()))
    return stack[0]


def sequence(packet):
    return dict((k, v) for k, v in packet if isinstance(v, str)).get("trusted_packet_sequence_id")


def normal(fields, names, in_packet=True):
    """Without what differs from run to run; numbers that are ids by the order in which they come."""
    out = []
    for key, value in fields:
        if key in SKIPPED:
            value = "..." if key not in ("trusted_uid", "trusted_pid", "trusted_packet_sequence_id") else None
        elif isinstance(value, list):
            value = normal(value, names, False)
        elif key == "timestamp":
            value = "0" if value == "0" else value if value == "123456789" else "time"
        elif key in NUMBERED and (len(value) > 5 or key in ("pid", "tid")):
            value = names.setdefault(value, f"#{len(names)}")
        # The reference's service says so of each sequence's first packet, ours only of a loss.
        if value is not None and (key, value) not in (("cmdline", "..."), ("previous_packet_dropped", "1")):
            out.append((key, value))
    return out


def packets(path):
    text = subprocess.run([ORMA, "convert", "text", path], capture_output=True, text=True, check=True).stdout
    names = {}
    # 1 is the service's own sequence.
    found = [p for key, p in parse(text) if key == "packet" and sequence(p) != "1"
             and not any(k in ("trace_stats", "trace_uuid", "trace_config") for k, _ in p)]
    # Sequences in the order of their threads; a service may number them as it likes.
    tids = {}
    for p in found:
        thread = dict(dict(p).get("track_descriptor", ())).get("thread", ())
        tids.setdefault(sequence(p), int(dict(thread).get("tid", 0))) if thread else None
    found.sort(key=lambda p: tids.get(sequence(p), 0))
    return [normal(p, names) for p in found]


# ---- the bytes themselves ----

# Fields that are messages, by the path to them; of others that are bytes, the length is compared with the content.
MESSAGES = {
    (11,): "track_event", (11, 4): "debug_annotations", (12,): "interned_data", (12, 1): "", (12, 2): "", (12, 3): "", (6,): "clock_snapshot",
    (6, 1): "", (59,): "defaults", (59, 11): "", (60,): "track_descriptor", (60, 3): "process", (60, 4): "thread", (60, 8): "counter",
    (60, 18): "state", (900,): "for_testing", (900, 5): "payload"}
# What the service adds: uid, sequence, pid, machine, loss of the packet before.
ADDED = {(3,), (10,), (79,), (98,), (42,)}
# Numbers of the machine, of the program, or of time; names of process and thread.
RANDOM = {(8,), (6, 1, 2), (11, 11), (11, 47), (11, 48), (60, 1), (60, 5), (60, 3, 1), (60, 4, 1), (60, 4, 2), (59, 11, 11), (60, 3, 2),
          (60, 3, 6), (60, 4, 5)}


def fields_of(data):
    """(number, wire type, value) in the order of the bytes."""
    at = 0

    def varint():
        nonlocal at
        val = shift = 0
        while True:
            val |= (data[at] & 0x7f) << shift
            at, shift = at + 1, shift + 7
            if data[at - 1] < 0x80:
                return val
    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            val = varint()
        else:
            size = {1: 8, 5: 4}.get(tag & 7) or varint()
            val, at = data[at:at + size], at + size
        yield tag >> 3, tag & 7, val


def wire(data, path=()):
    """What the bytes of a packet say, but for the lengths of sizes: the reference writes four bytes where one is enough."""
    out = []
    for number, kind, val in fields_of(data):
        here = path + (number,)
        if here in ADDED or here == (60, 3, 2):  # as many words as the command has
            continue
        if kind == 2 and here in MESSAGES:
            val = wire(val, here)
        elif here in RANDOM:
            val = "..."
        out.append((number, kind, val))
    return out


def wire_packets(path):
    """By sequence, in the order of their first packets' threads, without those of the service."""
    found = {}
    for number, _, data in fields_of(pathlib.Path(path).read_bytes()):
        packet = list(fields_of(data))
        sequence_id = next((v for n, _, v in packet if n == 10), 0)
        if number == 1 and sequence_id > 1 and not any(n in (33, 35, 36, 51, 89) for n, _, _ in packet):
            found.setdefault(sequence_id, []).append(data)

    def thread(packets_of):
        for data in packets_of:
            for number, _, val in fields_of(data):
                if number == 60:
                    for n, _, v in fields_of(val):
                        if n == 4:
                            return dict((a, c) for a, _, c in fields_of(v)).get(2, 0)
        return 0
    return [wire(p) for seq in sorted(found.values(), key=thread) for p in seq]


class Service:
    def __init__(self, folder):
        self.env = dict(ENV, PERFETTO_PRODUCER_SOCK_NAME=f"{folder}/p", PERFETTO_CONSUMER_SOCK_NAME=f"{folder}/c")

    def __enter__(self):
        self.traced = subprocess.Popen([BUILD / "traced/traced"], env=self.env, stderr=subprocess.DEVNULL)
        while not pathlib.Path(self.env["PERFETTO_CONSUMER_SOCK_NAME"]).exists():
            time.sleep(0.02)
        return self.env

    def __exit__(self, *exc):
        self.traced.terminate()
        self.traced.wait()


@unittest.skipUnless(DRIVER.exists(), "ORMA_SHARED has no spec/c_abi/driver.c")
class Driver(unittest.TestCase):
    def run_driver(self, *flags, env=None, compiler_flags=()):
        compiler = shutil.which("gcc") or shutil.which("clang")
        if not compiler:
            self.skipTest("neither gcc nor clang")
        with tempfile.TemporaryDirectory() as folder:
            # Its own counters of checks are of several threads, too; what the library does is watched.
            pathlib.Path(folder, "quiet").write_text("race_top:driver$\n")
            env = dict(env or ENV)
            env["TSAN_OPTIONS"] += f" suppressions={folder}/quiet"
            subprocess.run([compiler, "-std=gnu11", "-D_GNU_SOURCE", "-O1", "-w", *compiler_flags,
                            *([f"-fsanitize={','.join(SANITIZERS)}"] if SANITIZERS else []), DRIVER, "-o",
                            f"{folder}/driver", f"-L{LIB}", "-lperfetto_c", f"-Wl,-rpath,{LIB}", "-pthread"], check=True)
            done = subprocess.run([f"{folder}/driver", *flags], capture_output=True, text=True, env=env,
                                  timeout=150 * SLOW)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("Sanitizer", done.stderr)
        self.assertNotIn("runtime error", done.stderr)

    def test_in_process(self):
        self.run_driver("--quirks")

    def test_not_position_independent(self):
        self.run_driver("--only", "te_", compiler_flags=("-no-pie", "-fno-pie"))

    def test_system(self):
        with tempfile.TemporaryDirectory() as folder, Service(folder) as env:
            self.run_driver("--system", env=env)


@unittest.skipUnless(SAMPLES.exists(), "ORMA_SHARED has no samples/c_abi")
class Recordings(unittest.TestCase):
    maxDiff = None

    def compare(self, name, mode, env):
        with tempfile.TemporaryDirectory() as folder:
            outs = [f"{folder}/{i}.pftrace" for i in range(len(PAIRS[name]))]
            subprocess.run([SCENARIOS, mode, name, *outs], check=True, env=env, stdout=subprocess.DEVNULL, timeout=60 * SLOW)
            for out, sample in zip(outs, PAIRS[name]):
                got, want = packets(out), packets(SAMPLES / f"{sample}.pftrace")
                if name in TIMING:
                    got, want = [self.loose(p) for p in (got, want)]
                self.assertEqual(len(got), len(want), f"packets of {sample}") if name not in TIMING else None
                for i, (g, w) in enumerate(zip(got, want)):
                    self.assertEqual(g, w, f"packet {i} of {sample}, {mode}")
                if name not in TIMING:
                    self.compare_bytes(out, SAMPLES / f"{sample}.pftrace", f"{sample}, {mode}")

    def compare_bytes(self, got, want, what):
        got, want = wire_packets(got), wire_packets(want)
        self.assertGreater(len(want), 0, what)
        self.assertEqual(len(got), len(want), what)
        for i, (g, w) in enumerate(zip(got, want)):
            self.assertEqual(g, w, f"bytes of packet {i} of {what}")

    @staticmethod
    def loose(all_packets):
        """Kinds of packets in order, without repeats."""
        kinds = []
        for packet in all_packets:
            kind = sorted({k for k, _ in packet})
            if kind not in kinds:
                kinds.append(kind)
        return [sorted(kinds)]


def add(name):
    def in_process(self):
        self.compare(name, "inproc", ENV)

    def system(self):
        with tempfile.TemporaryDirectory() as folder, Service(folder) as env:
            self.compare(name, "system", env)
    setattr(Recordings, f"test_{name}_in_process", in_process)
    # These two are of the service in the process: the one's name says so, the other holds its thread so that nothing is drained.
    if name not in ("inproc", "drop"):
        setattr(Recordings, f"test_{name}_system", system)


for scenario in PAIRS:
    add(scenario)

if __name__ == "__main__":
    unittest.main()
