#!/usr/bin/env python3
"""Events of programs in Python, Node, Go and Rust: their examples record, and the rows are looked at.

A language whose tool is missing is skipped by name.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["ORMA_BUILD"])
DEBIAN_CRATES = pathlib.Path("/usr/share/cargo/registry")

SCRIPT = """
import asyncio, threading, sys
from orma import trace

@trace.traced
def work(n):
    with trace.slice("inner", n=n, share=0.5, ok=True, text="\\u00e9", none=None, big=2**70):
        pass

@trace.traced("coroutine")
async def step(i):
    with trace.slice("await", i=i):
        await asyncio.sleep(0.002)
    trace.instant("woke", flow=i)

async def main():
    await asyncio.gather(*(asyncio.create_task(step(i), name=f"task {i}") for i in range(3)))

work(0)  # nothing is recorded yet
with trace.recording(sys.argv[1]):
    try:
        trace.start(sys.argv[1])
    except RuntimeError as e:
        print(e)
    work(1)
    thread = threading.Thread(target=work, args=(2,), name="second")
    thread.start()
    thread.join()
    asyncio.run(main())
    for i in range(3):
        trace.instant("counted", flow=i)
    trace.counter("queue", 3)
    trace.counter("queue", -1)
    trace.counter("load", 0.5)
    try:
        with trace.slice("fails"):
            raise ValueError
    except ValueError:
        pass
trace.instant("too late")
"""

# Values that fail, that record themselves, that have no place; signal handlers and children inside of events.
HOSTILE = """
import os, signal, sys, threading
from orma import trace

class Fails:
    def __str__(self):
        raise KeyError(1)
class Records:
    def __str__(self):
        with trace.slice("in str"):
            return "text"
class Dies:
    def __init__(self):
        self.me = self
    def __del__(self):
        trace.instant("finalized")

def handler(*_):
    trace.instant("signal", number=1)
    trace.counter("signals", 1)

signal.signal(signal.SIGALRM, handler)
with trace.recording(sys.argv[1]):
    for i in range(2):
        try:
            trace.instant("survives", bad=Fails(), good=1)
        except KeyError:
            trace.instant("survives", good=2)
    trace.instant("asks", value=Records())
    try:
        trace.instant(b"bytes", **{"a": 1})
    except TypeError:
        pass
    trace.instant(7)
    for value in (2**63, -2**63, 2**64 + 5, True):
        trace.counter("wide", value)
    if not os.fork():
        trace.instant("of the child")
        sys.exit(0)
    os.wait()
    signal.setitimer(signal.ITIMER_REAL, .0001, .0001)
    for i in range(30000):
        trace.instant("busy", i=i)
        if i % 100 == 0:
            Dies()
    signal.setitimer(signal.ITIMER_REAL, 0)
    trace.instant("last")
"""

HOSTILE_NODE = """
import { Trace } from "%s/bindings/node/trace.mjs";
const t = new Trace(process.argv[2]);
class Fails { toString() { throw new TypeError("no"); } }
for (let i = 0; i < 2; i++) {
  for (const call of ["instant", "slice"]) {
    try {
      t[call]("survives", { good: 1, bad: new Fails() }, () => 0);
    } catch (e) {
      t[call]("survives", { good: 2 }, () => 0);
    }
  }
}
t.instant("asks", { value: { toString() { t.instant("in toString"); return "text"; } }, big: 2n ** 70n, max: 2n ** 63n, min: -(2n ** 63n) });
for (const value of [1e300, 2 ** 64, 2n ** 70n, -5, 2 ** 53]) t.counter("wide", value);
t.close();
""" % ROOT

HOSTILE_GO = """
package main

import (
	"os"

	"orma/trace"
)

type records struct{ f *trace.File }

func (r records) String() string {
	r.f.Counter("in String").Set(1)
	return "text"
}

type fails struct{}

func (fails) Error() string { panic("no") }

func main() {
	f, err := trace.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	t := f.Track("main", 0)
	t.Instant("asks", trace.Arg{Key: "value", Value: records{f}})
	t.Instant("fails", trace.Arg{Key: "value", Value: fails{}})
	t.Instant("fails", trace.Arg{Key: "value", Value: nil})
	if err := f.Close(); err != nil {
		panic(err)
	}
}
"""

CALLS = """
from orma import trace
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
def numbers():
    for i in range(3):
        yield i
def fails():
    raise KeyError(1)
print(fib(8), list(numbers()))
try:
    fails()
except KeyError:
    pass
with trace.slice("marked"):
    fib(1)
"""


def run(*args, env=None, cwd=None):
    done = subprocess.run([str(a) for a in args], capture_output=True, text=True, env=env, cwd=cwd, timeout=200)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, args))}: exit {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


class Languages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.trace = self.folder / "out.pftrace"
        self.env = dict(os.environ, PYTHONPATH=str(ROOT / "tools/python"), HOME=self.folder.as_posix())

    def needs(self, program):
        if not shutil.which(program):
            self.skipTest(f"{program} is not installed")

    def rows(self, sql, whole=True):
        done = run(BUILD / "tools/orma", "query", self.trace, sql, "--format", "rfc4180")
        if whole:
            self.assertNotIn("dropped", done.stderr)
        return [line for line in done.stdout.replace('"', "").replace("\r", "").splitlines()[1:]]

    def no_errors(self):
        self.assertEqual(self.rows("SELECT name FROM stats WHERE severity = 'error' AND value > 0"), [])
        self.assertEqual(self.rows("SELECT name FROM slice WHERE dur < 0"), [])

    def test_python(self):
        script = self.folder / "script.py"
        script.write_text(SCRIPT, encoding="utf-8")
        self.assertIn("a recording is running", run(sys.executable, script, self.trace, env=self.env).stdout)
        self.assertEqual(self.rows("SELECT name, count(*) FROM slice GROUP BY name ORDER BY name"),
                         ["await,3", "coroutine,3", "counted,3", "fails,1", "inner,2", "woke,3", "work,2"])
        self.assertEqual(self.rows("SELECT t.name FROM slice s JOIN track t ON t.id = s.track_id WHERE s.name = 'await' ORDER BY 1"),
                         ["task 0", "task 1", "task 2"])
        self.assertEqual(self.rows("SELECT depth FROM slice WHERE name IN ('await', 'inner')"), ["1"] * 5)
        self.assertEqual(self.rows("SELECT th.name FROM slice s JOIN thread_track t ON t.id = s.track_id JOIN thread th USING (utid) "
                                   "WHERE s.name = 'work' ORDER BY 1"), ["MainThread", "second"])
        self.assertEqual(self.rows("SELECT value FROM counter ORDER BY ts"), ["3", "-1", "0.5"])
        self.assertEqual(self.rows("SELECT count(*) FROM flow"), ["3"])
        self.assertEqual(self.rows("SELECT DISTINCT display_value FROM args WHERE key IN ('debug.text', 'debug.ok', 'debug.big', 'debug.error') "
                                   "ORDER BY 1"), [str(2 ** 70), "ValueError", "true", "\u00e9"])
        self.no_errors()

    def test_python_in_hostile_programs(self):
        script = self.folder / "script.py"
        script.write_text(HOSTILE, encoding="utf-8")
        run(sys.executable, script, self.trace, env=self.env)
        self.assertEqual(self.rows("SELECT name, count(*) FROM slice WHERE name NOT IN ('signal', 'finalized') GROUP BY name ORDER BY name"),
                         ["7,1", "asks,1", "b'bytes',1", "busy,30000", "in str,1", "last,1", "survives,2"])
        self.assertGreater(int(self.rows("SELECT count(*) FROM slice WHERE name = 'signal'")[0]), 10)
        self.assertEqual(self.rows("SELECT (SELECT count(*) FROM slice WHERE name = 'signal') = count(*) FROM counter c JOIN track t ON t.id = c.track_id "
                                   "WHERE t.name = 'signals'"), ["1"])
        self.assertEqual(self.rows("SELECT count(DISTINCT int_value), max(int_value) FROM args WHERE key = 'debug.i'"), ["30000,29999"])
        self.assertEqual(self.rows("SELECT value FROM counter c JOIN track t ON t.id = c.track_id WHERE t.name = 'wide' ORDER BY c.ts"),
                         ["9.2233720368547758e+18", "-9.2233720368547758e+18", "1.8446744073709552e+19", "1"])
        self.assertEqual(self.rows("SELECT int_value FROM slice JOIN args USING (arg_set_id) WHERE key = 'debug.good'"), ["2", "2"])
        self.no_errors()

    def test_every_call_of_a_script(self):
        script = self.folder / "calls.py"
        script.write_text(CALLS, encoding="utf-8")
        done = run(sys.executable, "-m", "orma.trace", "-o", self.trace, script, "x", env=self.env, cwd=self.folder)
        self.assertEqual((done.stdout, done.stderr), ("21 [0, 1, 2]\n", ""))
        counts = dict(line.rsplit(",", 1) for line in self.rows("SELECT name, count(*) FROM slice GROUP BY name"))
        self.assertEqual(counts, {"<module>": "1", "fib": "68", "numbers": "4", "fails": "1", "marked": "1"})
        self.assertEqual(self.rows("SELECT max(depth) FROM slice"), ["8"])
        self.no_errors()
        done = run(sys.executable, "-m", "orma.trace", "-o", self.trace, "--limit", "10", script, env=self.env, cwd=self.folder)
        self.assertIn("64 calls after the first 10 are not in", done.stderr)
        self.assertEqual(self.rows("SELECT count(*) FROM slice WHERE name <> 'marked'"), ["10"])
        # From another folder as well.
        run(sys.executable, "-m", "orma.trace", "-o", self.trace, script, env=self.env, cwd="/")
        self.assertIn("fib,68", self.rows("SELECT name, count(*) FROM slice GROUP BY name"))
        away = self.folder / "away"
        away.mkdir()
        run(sys.executable, "-m", "orma.trace", "-o", self.trace, script, env=self.env, cwd=away)
        self.assertIn("fib,68", self.rows("SELECT name, count(*) FROM slice GROUP BY name"))

    def test_node(self):
        self.needs("node")
        run("node", ROOT / "bindings/node/example.mjs", self.trace, env=self.env)
        self.assertEqual(self.rows("SELECT name, count(*) FROM slice GROUP BY name ORDER BY name"),
                         ["all,1", "answered,3", "caught,1", "counted,3", "fails,1", "fetch,3", "parse,3", "read config,1", "start,1"])
        # What overlaps is on tracks of its own.
        self.assertEqual(self.rows("SELECT count(DISTINCT track_id) FROM slice WHERE name = 'fetch'"), ["3"])
        self.assertEqual(self.rows("SELECT p.name, count(*) FROM slice s JOIN slice p ON p.id = s.parent_id WHERE s.name = 'parse' GROUP BY 1"),
                         ["fetch,3"])
        self.assertEqual(self.rows("SELECT value FROM counter ORDER BY ts"),
                         ["2", "0.5", "4", "1", "6", "1.5"])
        self.assertEqual(self.rows("SELECT count(*) FROM flow"), ["3"])
        self.assertEqual(self.rows("SELECT display_value FROM args WHERE key IN ('debug.big', 'debug.error') ORDER BY 1"),
                         [str(2 ** 40), "TypeError"])
        self.no_errors()

    def test_node_in_hostile_programs(self):
        self.needs("node")
        script = self.folder / "script.mjs"
        script.write_text(HOSTILE_NODE, encoding="utf-8")
        run("node", script, self.trace, env=self.env)
        self.assertEqual(self.rows("SELECT name, count(*), max(depth) FROM slice GROUP BY name ORDER BY name"), ["asks,1,0", "in toString,1,0", "survives,4,0"])
        self.assertEqual(self.rows("SELECT display_value FROM slice JOIN args USING (arg_set_id) WHERE key <> 'debug.value' ORDER BY ts, key"),
                         ["2"] * 4 + [str(2**70), str(2**63), str(-2**63)])
        self.assertEqual([float(v) for v in self.rows("SELECT value FROM counter ORDER BY ts")], [1e300, 2.0**64, 2.0**70, -5, 2.0**53])
        self.no_errors()

    def test_go_in_hostile_programs(self):
        self.needs("go")
        shutil.copytree(ROOT / "bindings/go", self.folder / "copy")
        (self.folder / "copy/hostile").mkdir()
        (self.folder / "copy/hostile/main.go").write_text(HOSTILE_GO, encoding="utf-8")
        env = dict(self.env, GOCACHE=f"{self.folder}/cache", GOFLAGS="-mod=mod", GOPROXY="off", GOTOOLCHAIN="local")
        run("go", "run", "./hostile", self.trace, env=env, cwd=self.folder / "copy")
        self.assertEqual(self.rows("SELECT name, count(*) FROM slice GROUP BY name ORDER BY name"), ["asks,1", "fails,2"])
        self.assertEqual(self.rows("SELECT value FROM counter"), ["1"])
        self.no_errors()

    def test_go(self):
        self.needs("go")
        env = dict(self.env, GOCACHE=f"{self.folder}/cache", GOFLAGS="-mod=mod", GOPROXY="off", GOTOOLCHAIN="local")
        run("go", "vet", "./...", env=env, cwd=ROOT / "bindings/go")
        run("go", "run", "./example", self.trace, env=env, cwd=ROOT / "bindings/go")
        self.assertEqual(self.rows("SELECT name, count(*) FROM slice GROUP BY name ORDER BY name"),
                         ["all,1", "answered,3", "counted,3", "fetch,3", "parse,3"])
        self.assertEqual(self.rows("SELECT count(DISTINCT track_id) FROM slice WHERE name = 'fetch'"), ["3"])
        self.assertEqual(self.rows("SELECT value FROM counter ORDER BY ts"), ["0", "1", "2"])
        self.assertEqual(self.rows("SELECT count(*) FROM flow"), ["3"])
        self.assertEqual(self.rows("SELECT display_value FROM args WHERE key IN ('debug.rows', 'debug.path', 'debug.ok') ORDER BY 1"),
                         ["-3", "a.txt", "true"])
        self.no_errors()

    def cargo(self, folder, example, *options):
        self.needs("cargo")
        if not (BUILD / "sdk/liborma.so").exists():
            self.skipTest("liborma.so was not built")
        home = os.environ.get("CARGO_HOME", f"{os.environ.get('HOME', '/root')}/.cargo")
        env = dict(self.env, ORMA_LIB_DIR=str(BUILD / "sdk"), LD_LIBRARY_PATH=str(BUILD / "sdk"), CARGO_HOME=home,
                   CARGO_TARGET_DIR=f"{self.folder}/target", RUSTUP_HOME=os.environ.get("RUSTUP_HOME", f"{pathlib.Path(home).parent}/.rustup"))
        # Cargo writes a lock file beside the crate: into a copy.
        shutil.copytree(ROOT / "bindings/rust", self.folder / "rust")
        run("cargo", *options, "run", "--offline", "--quiet", "--example", example, "--", self.trace, env=env,
            cwd=self.folder / "rust" / folder)

    @unittest.skipIf("__asan" in subprocess.run(["nm", "-D", BUILD / "sdk/liborma.so"], capture_output=True, text=True).stdout
                     or "__tsan" in subprocess.run(["nm", "-D", BUILD / "sdk/liborma.so"], capture_output=True, text=True).stdout,
                     "a library of a sanitizer")
    def test_rust(self):
        self.cargo(".", "tram")
        self.assertEqual(self.rows("SELECT name, count(*) FROM slice GROUP BY name ORDER BY name"),
                         ["bell,1", "day,1", "echo,1", "elsewhere,1", "ride,3"])
        self.assertEqual(self.rows("SELECT value, count(*), min(dur) >= 0 FROM state GROUP BY value ORDER BY 1"), ["closed,3,1", "open,3,1"])
        self.assertEqual(self.rows("SELECT value FROM counter ORDER BY ts"), ["10", "11", "12"])
        self.assertEqual(self.rows("SELECT count(*) FROM flow"), ["1"])
        self.assertEqual(self.rows("SELECT DISTINCT display_value FROM args WHERE key IN ('debug.at', 'debug.share', 'debug.number') ORDER BY 1"),
                         ["-5", "0.5", "quay"])
        self.no_errors()

    def test_rust_tracing(self):
        self.needs("cargo")
        if not list(DEBIAN_CRATES.glob("tracing-subscriber-0.3*")):
            self.skipTest("librust-tracing-subscriber-dev is not installed")
        self.cargo("tracing", "spans", "--config", 'source.crates-io.replace-with="debian"',
                   "--config", f'source.debian.directory="{DEBIAN_CRATES}"')
        self.assertEqual(self.rows("SELECT name, category FROM slice ORDER BY ts"), ["outer,tracing", "inner,tracing", "loaded,tracing"])
        self.assertEqual(self.rows("SELECT display_value FROM args WHERE key = 'debug.fields'"), ["rows=17"])
        self.no_errors()


if __name__ == "__main__":
    unittest.main(verbosity=2)
