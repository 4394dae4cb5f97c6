"""Recordings that a JVM makes here, event by event what `jfr print` says. Where no JDK is installed, they are skipped by name."""
import ast
import collections
import datetime
import json
import pathlib
import random
import re
import resource
import shutil
import struct

from orma_env import *

PROGRAM = r"""
import java.util.*;
import java.util.concurrent.locks.*;
import jdk.jfr.*;

public class Work {
    @Name("test.Work") @Label("Work of a test") @Category({"Tests", "Own"})
    static class Job extends Event {
        int number; String text; double real; float part; short small; byte tiny; boolean yes; char letter; long big;
        @DataAmount long bytes; @Timespan(Timespan.MILLISECONDS) long wait; Class<?> type; Thread other;
    }
    @Name("test.Moment") @Enabled(true)
    static class Moment extends Event { String text; }

    static final Object lock = new Object();
    static volatile long sink;
    static final Object[] keep = new Object[64];

    static void spin(Random r, int depth) {
        if (depth > 0) { spin(r, depth - 1); return; }
        long x = 0;
        for (int i = 0; i < 100000; i++) x = x * 31 + i;
        sink = x;
        keep[r.nextInt(64)] = r.nextBoolean() ? new byte[r.nextInt(100000)] : new String[r.nextInt(1000)][];
    }

    static void wait(int ms) { try { Thread.sleep(ms); } catch (InterruptedException e) { } }

    static void run(Random r, int rounds) {
        for (int i = 0; i < rounds; i++) {
            Job j = new Job();
            j.begin();
            spin(r, r.nextInt(80));
            switch (r.nextInt(6)) {
            case 0: wait(1 + r.nextInt(25)); break;
            case 1: LockSupport.parkNanos(1000000 * (1 + r.nextInt(25))); break;
            case 2: synchronized (lock) { spin(r, 3); wait(r.nextInt(15)); } break;
            case 3: if (r.nextInt(5) == 0) System.gc(); break;
            case 4: Moment m = new Moment(); m.text = "moment " + i; m.commit(); break;
            default: break;
            }
            String[] texts = {null, "", "plain " + i, "\u00fcml\u00e4ut", "\u4e16\u754c \ud83d\ude00 " + i, "line\n\t\"quoted\""};
            j.number = r.nextInt(); j.text = texts[r.nextInt(texts.length)]; j.real = r.nextGaussian(); j.part = r.nextFloat();
            j.small = (short) r.nextInt(); j.tiny = (byte) r.nextInt(); j.yes = r.nextBoolean(); j.letter = (char) (65 + r.nextInt(26));
            j.big = r.nextLong(); j.bytes = r.nextInt(1 << 20); j.wait = r.nextInt(1000);
            j.type = r.nextBoolean() ? int[][].class : Work.class; j.other = r.nextBoolean() ? Thread.currentThread() : null;
            j.commit();
        }
    }

    public static void main(String[] args) throws Exception {
        final int seed = Integer.parseInt(args[0]), rounds = Integer.parseInt(args[1]), chunks = Integer.parseInt(args[2]);
        for (int c = 0; c < chunks; c++) {
            Recording more = new Recording();
            more.start(); /* begins a chunk, and so does its end */
            Thread[] all = new Thread[2 + seed % 3];
            for (int i = 0; i < all.length; i++) {
                final Random r = new Random(seed * 100 + c * 10 + i);
                all[i] = new Thread(() -> run(r, rounds), "worker " + c + "." + i);
                all[i].start();
            }
            for (Thread t : all) t.join();
            more.close();
        }
    }
}
"""
SAMPLES = {"jdk.ExecutionSample", "jdk.NativeMethodSample"}
ALLOCATIONS = {"jdk.ObjectAllocationSample": "weight", "jdk.ObjectAllocationInNewTLAB": "tlabSize", "jdk.ObjectAllocationOutsideTLAB": "allocationSize"}
COUNTERS = {"CPULoad", "ThreadCPULoad", "ThreadContextSwitchRate", "GCHeapSummary", "G1HeapSummary", "MetaspaceSummary", "PhysicalMemory",
            "JavaThreadStatistics", "ClassLoadingStatistics", "CompilerStatistics", "ExceptionStatistics", "SymbolTableStatistics",
            "StringTableStatistics", "DirectBufferStatistics", "NetworkUtilization", "ContainerCPUUsage", "ContainerCPUThrottling",
            "ContainerMemoryUsage", "ContainerIOUsage"}
NO_SLICES = SAMPLES | set(ALLOCATIONS) | {"jdk." + c for c in COUNTERS} | {"jdk.SystemProcess", "jdk.OldObjectSample"}


def nanoseconds(text):
    """Of "2026-11-30T21:46:19.484498737Z"."""
    whole, _, rest = text.rstrip("Z").partition(".")
    at = datetime.datetime.fromisoformat(whole).replace(tzinfo=datetime.timezone.utc)
    return int(at.timestamp()) * 10**9 + int(rest.ljust(9, "0") or 0)


def one_clock(path):
    """Each chunk says how its ticks and the wall clock relate, and is read by its own word here; the JDK's reader keeps that of an earlier
    one where both have the same types. So all say the same here."""
    data, at, first = bytearray(path.read_bytes()), 0, None
    while at < len(data):
        size, start, ticks, rate = (struct.unpack_from(">q", data, at + n)[0] for n in (8, 32, 48, 56))
        first = first or (start, ticks)
        struct.pack_into(">q", data, at + 32, first[0] + (ticks - first[1]) * 10**9 // rate)
        at += size
    path.write_bytes(data)


def span(text):
    """Of "PT1M2.5S"."""
    m = re.fullmatch(r"(-?)PT(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?\d+)(?:\.(\d+))?S)?", text)
    if not m:
        return None
    seconds = int(m[2] or 0) * 3600 + int(m[3] or 0) * 60 + int(m[4] or 0)
    rest = int((m[5] or "").ljust(9, "0"))
    return seconds * 10**9 + (-rest if (m[4] or "").startswith("-") else rest)


def single(number):
    """Many values are floats of 32 bits, of which texts have as many digits as tell them apart."""
    return struct.pack("<f", float(number))


def class_name(name):
    dims = len(name) - len(name.lstrip("["))
    name = name.lstrip("[")
    if dims:
        name = dict(B="byte", C="char", D="double", F="float", I="int", J="long", S="short", Z="boolean").get(name) or name[1:-1]
    return name.replace("/", ".") + "[]" * dims


def method_name(method):
    return class_name(method["type"]["name"]) + "." + method["name"]


def text_of(value):
    """What a member of an event is called in rows; None: it has no text of its own."""
    if isinstance(value, dict):
        if "osThreadId" in value:
            return value["javaName"] or value["osName"]
        if "descriptor" in value and isinstance(value["type"], dict):
            return method_name(value)
        if "classLoader" in value and "modifiers" in value:
            return class_name(value["name"])
    return value if isinstance(value, str) else None


def stack_of(values):
    """The outermost frame first."""
    return [f"{method_name(f['method'])}:{f['lineNumber'] if f['lineNumber'] > 0 else -1}" for f in
            reversed((values.get("stackTrace") or {}).get("frames", []))]


def thread_of(values):
    thread = values.get("sampledThread") or values.get("eventThread")
    return str(thread["osThreadId"]) if thread else "[NULL]"


@unittest.skipIf(not shutil.which("java") or not shutil.which("jfr"), "no JDK (java, jfr) is installed")
class FlightRecorder(Case):
    maxDiff = None

    def record(self, seed, settings="profile", chunks=1):
        (self.dir / "Work.java").write_text(PROGRAM, encoding="utf-8")
        out = self.dir / f"work{seed}.jfr"
        done = self.run_program("java", "-Dfile.encoding=UTF-8", f"-XX:StartFlightRecording=filename={out},settings={settings}", "Work.java",
                                seed, 25, chunks, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr.decode()[-2000:])
        return out

    def said(self, path):
        done = self.run_program("jfr", "print", "--json", "--stack-depth", "64", path, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [(e["type"], e["values"]) for e in json.loads(done.stdout)["recording"]["events"]]

    def stacks(self, path):
        """Call sites as lists of "name:line", the outermost first."""
        frames = {r["id"]: f"{r['name']}:{r['line_number'] if r['line_number'] != '[NULL]' else -1}" for r in self.query(
            path, "SELECT f.id, f.name, s.line_number FROM stack_profile_frame f LEFT JOIN stack_profile_symbol s USING (symbol_set_id)")}
        ret = {"[NULL]": []}
        for r in self.query(path, "SELECT id, parent_id, frame_id FROM stack_profile_callsite ORDER BY id"):
            ret[r["id"]] = ret[r["parent_id"]] + [frames[r["frame_id"]]]
        return ret

    def query(self, trace, sql):
        """As texts may have quotes and lines: not as the shell prints them."""
        return [{k: "[NULL]" if v is None else str(v) for k, v in r.items()} for r in json.loads(
            self.orma("query", trace, sql, "--format=json").stdout)]

    def assert_same(self, have, want):
        self.assertEqual((list((want - have).items())[:5], list((have - want).items())[:5]), ([], []), "missing, and too much")

    def near(self, have, want):
        """The same of what has its time in the middle."""
        def order(of):
            return sorted((e for e, num in of.items() for _ in range(num)), key=lambda e: (e[0], e[2:], e[1]))
        have, want = order(have), order(want)
        self.assert_same(collections.Counter((e[0], *e[2:]) for e in have), collections.Counter((e[0], *e[2:]) for e in want))
        self.assertEqual([], [(a, b) for a, b in zip(have, want) if abs(a[1] - b[1]) > 1])

    def same(self, path):
        one_clock(path)
        events = self.said(path)
        account = self.query(path, "SELECT units, count, reason FROM import_account WHERE unit = 'event'")
        self.assertEqual([(r["units"], r["count"], r["reason"]) for r in account], [(str(len(events)), str(len(events)), "read")])
        self.same_slices(path, events)
        self.same_samples(path, events)
        self.same_allocations(path, events)
        self.same_counters(path, events)

    def same_slices(self, path, events):
        rows = self.query(path, "SELECT s.id, ts, MAX(dur, 0) AS dur, tid, EXTRACT_ARG(s.arg_set_id, 'event') AS event, callsite_id FROM slice s "
                          "LEFT JOIN thread_track tt ON tt.id = s.track_id LEFT JOIN thread USING (utid) LEFT JOIN __intrinsic_track_event_callstacks c "
                          "ON c.slice_id = s.id")
        args = collections.defaultdict(dict)
        for r in self.query(path, "SELECT s.id, key, display_value FROM slice s JOIN args USING (arg_set_id)"):
            args[r["id"]][r["key"]] = r["display_value"]
        stacks = self.stacks(path)
        have = collections.defaultdict(list)
        for r in rows:
            have[r["event"], r["tid"]].append((int(r["ts"]), int(r["dur"]), r["id"], stacks[r["callsite_id"]]))
        for name, v in events:
            if name in NO_SLICES:
                continue
            ts = nanoseconds(v["startTime"])
            dur = max(span(v["duration"]) or 0, 0) if "duration" in v else 0
            stack = stack_of(v)
            near = [r for r in have[name, thread_of(v)] if abs(r[0] - ts) <= 1 and abs(r[1] - dur) <= 1]
            found = [r for r in near if r[3] == stack and self.alike(name, v, args[r[2]])]
            self.assertTrue(found, (name, ts, dur, thread_of(v), stack, v, [(r, args[r[2]]) for r in near]))
            have[name, thread_of(v)].remove(min(found, key=lambda r: abs(r[0] - ts)))
        self.assertEqual([r for left in have.values() for r in left], [], "rows of no event")

    def alike(self, name, values, args):
        for key, value in values.items():
            if key in ("startTime", "duration", "eventThread", "stackTrace"):
                continue
            text = text_of(value)
            if isinstance(value, bool):
                if args.get(key) != str(value).lower():
                    return False
            elif isinstance(value, (int, float)):
                if name.startswith("jdk.Unsigned") and int(args[key]) == value % 2**64:
                    continue  # which `jfr print` shows with a sign
                if key not in args or abs(float(int(args[key], 16) if args[key].startswith("0x") else args[key]) - value) > 1e-6 * max(1, abs(value)):
                    return False
            elif text and re.fullmatch(r"-?PT[-0-9].*", text):
                if key not in args and span(text) < -10**18:
                    continue  # "not available"
                if span(text) != int(args[key]) and int(args[key]) != 2**63 - 1:  # the longest there is, of any unit
                    return False
            elif text and re.fullmatch(r"\d{4}-\d\d-\d\dT.*Z", text):
                if nanoseconds(text) not in (int(args[key]), int(args[key]) * 10**6):
                    return False
            elif text and re.fullmatch(r"-999999999-.*", text):
                if key in args:
                    return False
            elif text is not None and args.get(key, "") != text:
                return False
            elif value is None and key in args:
                return False
        return True

    def same_samples(self, path, events):
        stacks = self.stacks(path)
        have = collections.Counter((r["source"], int(r["ts"]), r["tid"], tuple(stacks[r["callsite_id"]])) for r in self.query(
            path, "SELECT s.source, s.ts, t.tid, s.callsite_id FROM __intrinsic_profiler_sample s JOIN __intrinsic_profiler_task_context c "
            "ON c.id = s.task_context_id LEFT JOIN thread t USING (utid)"))
        want = collections.Counter(
            (name, nanoseconds(v["startTime"]), thread_of(v), tuple(stack_of(v))) for name, v in events if name in SAMPLES)
        self.near(have, want)

    def same_allocations(self, path, events):
        stacks = self.stacks(path)
        have = collections.Counter((r["name"], stacks[r["callsite_id"]][-1], float(r["value"])) for r in self.query(
            path, "SELECT p.name, s.callsite_id, s.value FROM __intrinsic_aggregate_sample s JOIN __intrinsic_aggregate_profile p "
            "ON p.id = s.aggregate_profile_id WHERE p.name != 'jdk.OldObjectSample'"))
        want = collections.Counter((name, class_name(v["objectClass"]["name"]) + ":-1", float(v[ALLOCATIONS[name]])) for name, v in events
                                   if name in ALLOCATIONS)
        self.assert_same(have, want)

    def same_counters(self, path, events):
        have = collections.Counter((r["name"].split(" (")[0], int(r["ts"]), single(r["value"])) for r in self.query(
            path, "SELECT t.name, c.ts, c.value FROM counter c JOIN track t ON t.id = c.track_id WHERE t.type GLOB 'jfr*'"))
        want = collections.Counter()

        def walk(prefix, ts, values):
            for key, v in values.items():
                if isinstance(v, dict) and key == "heapSpace" or isinstance(v, dict) and set(v) >= {"committed", "used"}:
                    walk(f"{prefix}.{key}", ts, v)
                elif isinstance(v, (int, float)) and not isinstance(v, bool) and key not in ("gcId", "duration", "start", "committedEnd", "reservedEnd"):
                    want[f"{prefix}.{key}", ts, single(v)] += 1
                elif isinstance(v, str) and key != "duration" and span(v) is not None:
                    want[f"{prefix}.{key}", ts, single(span(v))] += 1
        for name, v in events:
            if name[4:] in COUNTERS:
                walk(name[4:], nanoseconds(v["startTime"]), v)
        self.near(have, want)

    recorded = None

    def a_recording(self):
        """One for all tests that only need any; of several chunks."""
        path = self.dir / "any.jfr"
        if not FlightRecorder.recorded:
            FlightRecorder.recorded = self.record(2, chunks=2).read_bytes()
        path.write_bytes(FlightRecorder.recorded)
        return path

    def test_chunks(self):
        """Each has its own types, pools and numbers."""
        out = self.a_recording()
        self.assertGreater(out.read_bytes().count(b"FLR\0\0\2"), 4)
        self.same(out)

    def test_everything_on(self):
        (self.dir / "all.jfc").write_text(re.sub(
            r'(name="enabled"[^>]*>)false<', r"\1true<", (pathlib.Path(self.home()) / "lib/jfr/profile.jfc").read_text()), encoding="utf-8")
        self.same(self.record(3, settings=self.dir / "all.jfc"))

    def home(self):
        done = self.run_program("java", "-XshowSettings:properties", "-version")
        return re.search(r"java\.home = (\S+)", done.stderr.decode())[1]

    def test_a_jvm_that_was_killed(self):
        """The last chunk has no sizes and no places: events are found one by one."""
        path = self.a_recording()
        data = bytearray(path.read_bytes())
        whole = len(self.said(path))
        at = 0
        while at < len(data):
            size, = struct.unpack_from(">q", data, at + 8)
            struct.pack_into(">qqq", data, at + 8, 0, 0, 0)
            data[at + 64] = 255
            at += size
        path.write_bytes(data)
        read = self.query(path, "SELECT units, reason FROM import_account WHERE unit = 'event'")
        self.assertEqual([(r["units"], r["reason"]) for r in read], [(str(whole), "read")])

    def test_damage_is_counted(self):
        path = self.a_recording()
        data = path.read_bytes()
        rnd = random.Random(5)
        for n in range(20):
            bad = bytearray(data[:rnd.randrange(100, len(data))]) if n % 4 == 0 else bytearray(data)
            for _ in range(rnd.randrange(1, 20)):
                bad[rnd.randrange(68, len(bad))] = rnd.randrange(256)
            damaged = self.dir / "damaged.jfr"
            damaged.write_bytes(bad)
            done = self.orma("query", damaged, "SELECT SUM(count) = MAX(units) AS whole FROM import_account WHERE unit = 'event'", code=None)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            if done.returncode == 0:
                self.assertIn(done.stdout.decode().split()[1], ("1", '"[NULL]"'), done.stderr)


def chunk(pool, fields, classes, events):
    """A chunk with events of one kind, made by the class that makes the golden trace."""
    source = (pathlib.Path(__file__).resolve().parents[2] / "tests/golden/processor/formats/make_traces.py").read_text()
    node = next(n for n in ast.parse(source).body if isinstance(n, ast.ClassDef) and n.name == "Jfr")
    names = {"struct": struct}
    exec(compile(ast.Module([node], []), "make_traces.py", "exec"), names)
    j = names["Jfr"](1700000000 * 10**9, 1000, 2 * 10**9)
    for name, number, its in classes:
        j.a_class(name, number, its)
    j.a_class(fields[0], 400, [("startTime", 11, "", (j.TIMESTAMP, "TICKS")), *fields[1:]], None, (), True)
    j.at_pools = [j.pool(*pool(j))]
    for i, value in enumerate(events(j)):
        j.event(400, j.number(1000 + 2 * i), value)
    return j.finish()


class Hostile(Case):
    """A few bytes that refer to a long value again and again, or stand for many rows, are no load without end."""
    def load(self, data, what):
        (self.dir / "hostile.jfr").write_bytes(data)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        row, = self.query(self.dir / "hostile.jfr", what)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 10 * SLOW)
        return row

    def test_a_long_text_of_a_pool(self):
        data = chunk(lambda j: [(20, {9: j.text("x" * 1000000)})], ("app.Text", ("text", 20, "")), [],
                     lambda j: [b"\2" + j.number(9)] * 50000)
        row = self.load(data, "SELECT count(*) AS n, min(length(extract_arg(arg_set_id, 'text'))) AS least FROM slice")
        self.assertEqual(row, {"n": "50000", "least": "1000000"})

    def test_a_long_list_before_what_is_looked_for(self):
        data = chunk(lambda j: [(401, {5: j.number(200000) + bytes(200000) + j.text("a") + j.text("b")})], ("app.Ref", ("other", 401, "*")),
                     [("java.lang.Thread", 401, [("list", 4, "["), ("osName", 20, ""), ("javaName", 20, "")])],
                     lambda j: [j.number(5)] * 50000)
        self.load(data, "SELECT count(*) FROM slice")

    def test_events_that_stand_for_many_samples(self):
        data = chunk(lambda j: [], ("profiler.WallClockSample", ("samples", 10, "")), [], lambda j: [j.number(100000)] * 20000)
        row = self.load(data, "SELECT sum(count) AS n FROM import_account WHERE kind GLOB '*more samples*'")
        self.assertEqual(row, {"n": "19960"})


class Versions(Case):
    def test_old_versions_are_refused_by_name(self):
        old = self.dir / "old.jfr"
        old.write_bytes(b"FLR\0" + struct.pack(">HH", 0, 9) + bytes(500))
        self.assertIn(b"JDK Mission Control reads it", self.orma("query", old, "SELECT 1", code=1).stderr)


if __name__ == "__main__":
    main()
