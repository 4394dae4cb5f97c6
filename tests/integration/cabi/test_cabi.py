#!/usr/bin/env python3
"""libperfetto_c.so: what it exports and needs, what is recorded through it, and what does not crash it.

    test_cabi.py SOURCE_ROOT BUILD_ROOT
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE, BUILD = (pathlib.Path(a).resolve() for a in (sys.argv.pop(1), sys.argv.pop(1)))
LIB = BUILD / "sdk/cabi/libperfetto_c.so"
SCENARIOS = BUILD / "tests/integration/cabi/cabi_scenarios"
MISUSE = BUILD / "tests/integration/cabi/cabi_misuse"
CHILDREN = BUILD / "tests/integration/cabi/cabi_children"
RANDOM = BUILD / "tests/integration/cabi/cabi_random"
ORMA = BUILD / "tools/orma"
# A child of a program with threads is more than this sanitizer allows by itself. What a thread holds at the exit of the program
# stays, as in the reference, and lies in memory where no leak checker looks for references.
ENV = dict(os.environ, TSAN_OPTIONS=os.environ.get("TSAN_OPTIONS", "") + " die_after_fork=0",
           ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + " detect_leaks=0")
SANITIZED = "__asan_init" in subprocess.run(["nm", "-D", LIB], capture_output=True, text=True).stdout or \
    "__tsan_init" in subprocess.run(["nm", "-D", LIB], capture_output=True, text=True).stdout


def run(*args, **kwargs):
    done = subprocess.run([str(a) for a in args], capture_output=True, text=True, **kwargs)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, args))}: exit {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class Library(unittest.TestCase):
    def test_exports_the_table(self):
        want = {}
        for line in (SOURCE / "sdk/cabi/exports.txt").read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                name, kind, *size = line.split()
                want[name] = (kind, int(size[0]) if size else None)
        got = {}
        for line in run("readelf", "--dyn-syms", "-W", LIB).splitlines():
            m = re.match(r"\s*\d+: [0-9a-f]+\s+(\d+) (FUNC|OBJECT)\s+GLOBAL\s+DEFAULT\s+(\d+) (\S+)", line)
            if m:
                got[m.group(4)] = ("function", None) if m.group(2) == "FUNC" else ("object", int(m.group(1)))
        if SANITIZED:
            self.assertLessEqual(set(want), set(got))
        else:
            self.assertEqual(got, want)

    def test_names_have_no_versions(self):
        self.assertNotRegex(run("nm", "-D", "--defined-only", LIB), r"@")

    def test_is_found_by_its_name_and_stays(self):
        dynamic = run("readelf", "-d", LIB)
        self.assertIn("[libperfetto_c.so]", dynamic)
        self.assertIn("NODELETE", dynamic)

    @unittest.skipIf(SANITIZED, "a library of a sanitizer")
    def test_needs_the_c_library_alone(self):
        needed = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", LIB))
        self.assertLessEqual({n.split(".so")[0] for n in needed}, {"libc", "ld-linux-x86-64", "ld-linux-aarch64"})

    @unittest.skipIf(SANITIZED, "larger with a sanitizer")
    def test_is_small(self):
        with tempfile.TemporaryDirectory() as folder:
            run("strip", "-o", f"{folder}/stripped", LIB)
            self.assertLessEqual(os.path.getsize(f"{folder}/stripped"), 300 << 10)


class Misuse(unittest.TestCase):
    """The reference ends the program, or is silent about what happens."""


for case in ("before_init", "packets", "sessions", "signals", "forks", "events", "twice", "publish"):
    setattr(Misuse, f"test_{case}", lambda self, case=case: self.assertEqual(run(MISUSE, case, env=ENV, timeout=100), ""))


class Scenarios(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def record(self, name, mode="inproc", files=1):
        outs = [self.folder / f"{name}{i}.pftrace" for i in range(files)]
        env = ENV
        traced = None
        if mode == "system":
            env = dict(ENV, PERFETTO_PRODUCER_SOCK_NAME=f"{self.folder}/p", PERFETTO_CONSUMER_SOCK_NAME=f"{self.folder}/c")
            traced = subprocess.Popen([BUILD / "traced/traced"], env=env, stderr=subprocess.DEVNULL)
            while not (self.folder / "c").exists():
                time.sleep(0.02)
        try:
            said = run(SCENARIOS, mode, name, *outs, env=env, timeout=60)
        finally:
            if traced:
                traced.terminate()
                traced.wait()
        return said, outs

    def query(self, trace, sql):
        return [line.split(",") for line in run(ORMA, "query", trace, sql, "--format", "rfc4180").splitlines()[1:]]

    def test_random_programs(self):
        """What is recorded is what was called, whatever was called: ORMA_SEEDS more programs of each kind."""
        rounds = 300 if SANITIZED else 1500
        for seed in range(1, 5 + int(os.environ.get("ORMA_SEEDS", "0"))):
            with self.subTest(seed=seed):
                self.assertIn(" 0 failures", run(RANDOM, "inproc", seed, rounds, env=ENV, timeout=100))
        env = dict(ENV, PERFETTO_PRODUCER_SOCK_NAME=f"{self.folder}/p", PERFETTO_CONSUMER_SOCK_NAME=f"{self.folder}/c")
        traced = subprocess.Popen([BUILD / "traced/traced"], env=env, stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: (traced.terminate(), traced.wait()))
        while not (self.folder / "c").exists():
            time.sleep(0.02)
        for seed in range(1, 5 + int(os.environ.get("ORMA_SEEDS", "0"))):
            with self.subTest(seed=seed, mode="system"):
                self.assertIn(" 0 failures", run(RANDOM, "system", seed, rounds, env=env, timeout=100))

    def both(self, name, files=1):
        for mode in ("inproc", "system"):
            with self.subTest(mode=mode):
                yield self.record(name, mode, files)

    def test_events(self):
        for said, (trace,) in self.both("hl_basic"):
            self.assertEqual(said, "render=1 net=1 quiet=0 iids=1,2,3\nafter stop: render=0\n")
            names = [r[0].strip('"') for r in self.query(trace, "select name from slice order by ts, id")]
            for name in ("frame", "packet", "literal", "explicit boot", "flushed"):
                self.assertIn(name, names)
            self.assertNotIn("must not appear", names)

    def test_tracks(self):
        for said, (trace,) in self.both("tracks"):
            names = {r[0].strip('"') for r in self.query(trace, "select name from track where name is not null")}
            self.assertLessEqual({"reg named", "adhoc named", "proto track", "parent", "child", "winner", "top proto"}, names)
            counters = self.query(trace, "select name, value from counter join counter_track t on track_id = t.id order by counter.id")
            self.assertEqual([(n.strip('"'), float(v)) for n, v in counters],
                             [("reg counter", -5), ("reg counter", 2.5), ("adhoc counter", 1), ("nested counter", 11)])

    def test_dynamic_categories(self):
        for said, traces in self.both("dynamic", 2):
            names = [{r[0].strip('"') for r in self.query(t, "select name from slice")} for t in traces]
            self.assertEqual(names, [{"ev1", "both", "static + dynamic"}, {"ev2", "both"}])
            self.assertIn("callback late inst 0 created 0 global 1", said)

    def test_data_source(self):
        for said, (trace,) in self.both("custom"):
            want = ["register 1", "setup inst 0", "start inst 0", "create incr inst 0 thread main",
                    "create tls inst 0 thread main, trace points inside: 0", "flush of the writer done on thread other",
                    "flush inst 0 thread other args set", "session flush: 1", "stop inst 0", "create incr inst 0 thread other",
                    "create tls inst 0 thread other", "destroy ctx 1 thread other", "after stop: iterations 0 enabled 0"]
            for line, start in zip(said.splitlines(), want):
                self.assertTrue(line.startswith(start), said)

    def test_postponed(self):
        for said, (trace,) in self.both("postpone"):
            self.assertIn("flush result before done: -1\nflush result: 1\n", said)
            self.assertIn("stopped before done: 0, enabled 1\nwrite 'after the stop request', instance context context\n", said)
            self.assertTrue(said.endswith("enabled right after StopDone: 0\n"), said)

    def test_ends_of_chunks(self):
        """Each packet with each size of its messages where a chunk ends."""
        for said, (trace,) in self.both("chunk_ends"):
            text = run(ORMA, "convert", "text", trace)
            numbers = [int(n) for n in re.findall(r"^    seq_value: (\d+)$", text, re.M)]
            self.assertEqual(numbers, list(range(3900, 4160)))
            inner = [int(n) for n in re.findall(r"^ +repeated_ints: (\d+)$", text, re.M)]
            self.assertEqual(inner, list(range(3900, 4160)))
            lengths = [len(t) for t in re.findall(r'^    str: "(.*)"$', text, re.M)]
            self.assertEqual(lengths, list(range(3900, 4160)))
            # Of the first packet, the service may say so.
            self.assertLessEqual(text.count("previous_packet_dropped"), 1)

    def test_losses_are_counted(self):
        said, (trace,) = self.record("drop")
        kept, lost = self.query(trace, "select value from stats where name = 'traced_buf_trace_writer_packet_loss'"), 0
        text = run(ORMA, "convert", "text", trace)
        numbers = [int(n) for n in re.findall(r"^    seq_value: (\d+)$", text, re.M)]
        self.assertEqual(numbers[-3:], [200, 201, 202])
        self.assertEqual(text.count("previous_packet_dropped: 257"), 1)
        lost = 203 - len(numbers)
        self.assertGreater(lost, 100)
        self.assertEqual([int(k[0]) for k in kept], [lost])

    def test_a_program_that_ends_loses_nothing(self):
        env = dict(ENV, PERFETTO_PRODUCER_SOCK_NAME=f"{self.folder}/p", PERFETTO_CONSUMER_SOCK_NAME=f"{self.folder}/c")
        trace, config = self.folder / "t.pftrace", self.folder / "config.txt"
        config.write_text("buffers { size_kb: 1024 } duration_ms: 60000\n"
                          'data_sources { config { name: "track_event" track_event_config { enabled_categories: "*" } } }\n')
        traced = subprocess.Popen([BUILD / "traced/traced"], env=env, stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: (traced.terminate(), traced.wait()))
        while not (self.folder / "c").exists():
            time.sleep(0.02)
        recording = subprocess.Popen([ORMA, "record", "-c", config, "-o", trace], env=env, stderr=subprocess.PIPE, text=True)
        for _ in range(3):
            run(SCENARIOS, "system", "leaving", trace, env=env, timeout=60)
        recording.send_signal(signal.SIGINT)
        said = recording.communicate()[1]
        self.assertIn("nothing lost", said)
        self.assertEqual(self.query(trace, "select count() from slice where name = 'last words'"), [["9"]])

    def test_children(self):
        """What was begun before fork() goes on in the child, and a packet in the making stays the parent's."""
        env = dict(ENV, PERFETTO_PRODUCER_SOCK_NAME=f"{self.folder}/p", PERFETTO_CONSUMER_SOCK_NAME=f"{self.folder}/c")
        traced = subprocess.Popen([BUILD / "traced/traced"], env=env, stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: (traced.terminate(), traced.wait()))
        while not (self.folder / "c").exists():
            time.sleep(0.02)
        for mode in ("inproc", "system"):
            for name in ("prefork", "in_packet"):
                with self.subTest(mode=mode, name=name):
                    run(CHILDREN, mode, name, env=env, timeout=100)

    def test_trigger(self):
        for said, (trace,) in self.both("trigger"):
            self.assertEqual(said, "stopped 1\n")
            self.assertIn('trigger_name: "trigger1"', run(ORMA, "convert", "text", trace))

    def test_others(self):
        for name in ("flows", "low_level", "threads", "clearing", "clocks_unit", "clocks_abs", "clocks_absunit", "scoped"):
            for said, (trace,) in self.both(name):
                self.assertTrue(self.query(trace, "select count() from slice")[0][0].isdigit())
                self.assertEqual(self.query(trace, "select count() from stats where severity = 'error' and value > 0")[0][0], "0", name)


if __name__ == "__main__":
    unittest.main()
