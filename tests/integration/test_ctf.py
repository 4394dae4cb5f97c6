"""Traces of CTF, event by event what babeltrace2 reads: recordings by LTTng made here, and traces with types that are made up."""
import collections
import json
import math
import os
import pathlib
import random
import shutil
import struct
import subprocess
import tarfile
import tempfile
import time

import ctf_made
from orma_env import *

# What babeltrace2's own library reads in a folder: a line of JSON for each event, [ns, name, cpu, {context: value}, {field: value}]. Run by a
# Python that has its bindings (Debian: python3-bt2). Enums are {"=": number, "labels": [...]}.
SAID = r"""
import json
import sys

import bt2


def plain(f):
    if isinstance(f, bt2._StructureFieldConst):
        return {k: plain(v) for k, v in f.items()}
    if isinstance(f, bt2._VariantFieldConst):
        return {f.cls.option_at_index(f.selected_option_index).name: plain(f.selected_option)}
    if isinstance(f, bt2._ArrayFieldConst):
        return [plain(v) for v in f]
    if isinstance(f, bt2._EnumerationFieldConst):
        return {"=": int(f), "labels": [label for label, m in f.cls.items() if any(r.lower <= int(f) <= r.upper for r in m.ranges)]}
    if isinstance(f, bt2._IntegerFieldConst):
        return int(f)
    if isinstance(f, bt2._RealFieldConst):
        return float(f)
    return str(f)


lost = 0
for m in bt2.TraceCollectionMessageIterator(sys.argv[1]):
    if type(m) in (bt2._DiscardedEventsMessageConst, bt2._DiscardedPacketsMessageConst):
        lost += m.count or 0
    if type(m) is not bt2._EventMessageConst:
        continue
    e = m.event
    context = {}
    for c in (e.common_context_field, e.specific_context_field):
        if c is not None:
            context.update(plain(c))
    try:
        cpu = e.packet.context_field["cpu_id"]
    except Exception:
        cpu = None
    try:
        ns = m.default_clock_snapshot.ns_from_origin
    except Exception:
        ns = None
    print(json.dumps([ns, e.name, None if cpu is None else int(cpu), context, plain(e.payload_field) if e.payload_field is not None else {}]))
print(json.dumps({"lost": lost}))
"""
TRACE_HEADER = r"""
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER shop
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./tp.h"
#if !defined(TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define TP_H
#include <lttng/tracepoint.h>
LTTNG_UST_TRACEPOINT_ENUM(shop, state, LTTNG_UST_TP_ENUM_VALUES(
    lttng_ust_field_enum_value("OPEN", 0) lttng_ust_field_enum_value("CLOSED", 1) lttng_ust_field_enum_range("OTHER", 2, 9)))
LTTNG_UST_TRACEPOINT_EVENT(shop, sale, LTTNG_UST_TP_ARGS(int, n, const char *, what, const unsigned short *, list, double, price), LTTNG_UST_TP_FIELDS(
    lttng_ust_field_integer(int, n, n) lttng_ust_field_string(what, what) lttng_ust_field_float(double, price, price)
    lttng_ust_field_float(float, half, price / 2) lttng_ust_field_array(unsigned short, two, list, 2)
    lttng_ust_field_sequence(unsigned short, some, list, size_t, n % 4) lttng_ust_field_sequence_text(char, text, what, size_t, 2)
    lttng_ust_field_integer_hex(unsigned long, addr, 0xdeadbeef00UL + n) lttng_ust_field_integer_network(unsigned short, port, 5000)
    lttng_ust_field_enum(shop, state, int, state, n % 12)))
LTTNG_UST_TRACEPOINT_EVENT(shop, idle, LTTNG_UST_TP_ARGS(long long, left), LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(long long, left, left)))
#endif
#include <lttng/tracepoint-event.h>
"""
PROGRAM = r"""
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "tp.h"
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static int count;
static void *work(void *name)
{
    unsigned short list[] = {1, 65535, 3, 4};
    for (int i = 0; i < count; i++) {
        lttng_ust_tracepoint(shop, sale, i, name, list, i * 1.25);
        if (i % 3 == 0)
            lttng_ust_tracepoint(shop, idle, -1LL << (i % 60));
    }
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t t[3];
    char *names[] = {"apples", "pears and \"quotes\"", "x"};
    count = argc > 1 ? atoi(argv[1]) : 20;
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, names[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
"""


def reader():
    """A Python that has the bindings of babeltrace2."""
    for python in ("python3", "/usr/bin/python3"):
        if shutil.which(python) and not subprocess.run([python, "-c", "import bt2"], capture_output=True).returncode:
            return python
    return None


READER = reader()


def flat(value, key="", out=None):
    """{"a.b[0]": value} as args have it. An enum is its labels, and its number if these are none, several, or of a range."""
    out = {} if out is None else out
    if isinstance(value, dict) and "labels" in value:
        out[key] = value
    elif isinstance(value, dict):
        for k, v in value.items():
            flat(v, f"{key}.{k}" if key else k, out)
    elif isinstance(value, list):
        for i, v in enumerate(value):
            flat(v, f"{key}[{i}]", out)
    else:
        out[key] = value
    return out


class Ctf(Case):
    def said(self, folder):
        """Events as babeltrace2 has them, and how many were lost."""
        if not READER:
            self.skipTest("there is no Python with babeltrace2's bindings (python3-bt2)")
        done = subprocess.run([READER, "-c", SAID, folder], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        *events, last = map(json.loads, done.stdout.splitlines())
        return events, last["lost"]

    def rows(self, trace, real=True):
        """The same of ours: (ns, name, tid, args)."""
        ts = "coalesce(to_realtime(s.ts), s.ts)" if real else "s.ts"
        rows = self.query(trace, f"SELECT s.id, {ts} AS ns, s.name, tid FROM slice s LEFT JOIN thread_track tt ON tt.id = s.track_id LEFT JOIN thread USING (utid) ORDER BY s.id")
        args = collections.defaultdict(dict)
        for r in self.query(trace, "SELECT s.id, key, int_value AS i, hex(string_value) AS s, real_value AS r, value_type AS t FROM slice s JOIN args USING (arg_set_id)"):
            args[r["id"]][r["key"]] = bytes.fromhex(r["s"]).decode() if r["i"] == r["r"] == "[NULL]" else float(r["r"]) if r["i"] == "[NULL]" else int(r["i"])
        return [(int(r["ns"]), r["name"], r["tid"], args[r["id"]]) for r in rows]

    def wanted(self, context, fields):
        want = flat(fields)
        for key, value in flat(context).items():
            if key not in ("vtid", "vpid", "procname", "tid", "pid"):
                want["context." + key] = value
        return want

    def alike(self, want, have, where):
        """Every value, and no more than those."""
        have = dict(have)
        have.pop("loglevel", None)
        for key, value in want.items():
            if isinstance(value, dict):
                labels, number = value["labels"], value["="]
                if labels:
                    self.assertEqual(set(str(have.pop(key, None)).split("|")), set(labels), (where, key))
                rest = have.pop(key + ".value", None) if labels else have.pop(key, None)
                if not labels or rest is not None:
                    self.assertEqual(rest, number, (where, key))
                continue
            self.assertIn(key, have, (where, have))
            got = have.pop(key)
            if isinstance(value, float):
                self.assertTrue(got == value or math.isclose(got, value, rel_tol=1e-6, abs_tol=2e-6), (where, key, got, value))
            elif isinstance(value, int):
                self.assertEqual(got % 2**64, value % 2**64, (where, key))
            else:
                self.assertEqual(got, value, (where, key))
        self.assertEqual(have, {}, where)

    def same(self, folder, trace=None, real=True, slack=0, named=True):
        """Every event is an instant with that time, thread and args."""
        want, lost = self.said(folder)
        have = self.rows(trace or folder, real)
        self.assertEqual(len(have), len(want))
        want.sort(key=lambda e: (e[0] or 0, e[1], json.dumps(self.wanted(e[3], e[4]), sort_keys=True)))
        left = collections.defaultdict(list)
        for row in have:
            left[row[1]].append(row)
        for list_ in left.values():
            list_.sort(key=lambda r: r[0])
        for ns, name, cpu, context, fields in want:
            near = [r for r in left[name] if abs(r[0] - ns) <= slack]
            self.assertTrue(near, (ns, name, left[name][:3]))
            wanted = self.wanted(context, fields)
            for row in near:
                try:
                    self.alike(wanted, row[3], (ns, name))
                    break
                except AssertionError:
                    if row is near[-1]:
                        raise
            if "vtid" in context:
                self.assertEqual(int(row[2]), context["vtid"])
            left[name].remove(row)
        counted = self.query(trace or folder, "SELECT coalesce(sum(count), 0) AS n FROM import_account WHERE reason = 'missing' AND kind NOT GLOB '*first packets*'")
        self.assertEqual(int(counted[0]["n"]), lost) # it has no number for the first packet
        return len(want)


class Made(Ctf):
    """Types that are made up."""
    def made(self, seed, **more):
        return ctf_made.Made(random.Random(seed), self.dir / f"m{seed}", self.dir / f"n{seed}", **more).make()

    def slack(self, made):
        # babeltrace2 converts other frequencies by double-precision numbers.
        return 0 if made.freq == 10**9 else 2 * 10**9 // made.freq + 2000

    def test_types_of_all_kinds(self):
        events = 0
        for seed in range(int(os.environ.get("ORMA_CTF_SEEDS", "25"))):
            made = self.made(seed)
            with self.subTest(seed=seed):
                events += self.same(made.folder, slack=self.slack(made))
                self.assertEqual(self.rows(made.folder_2), self.rows(made.folder), "CTF 2 gives the same")
        self.assertGreater(events, 100)

    def test_losses(self):
        for seed in range(100, 108):
            made = self.made(seed, lost=True)
            with self.subTest(seed=seed):
                self.same(made.folder, slack=self.slack(made))

    def test_archives_of_several_traces(self):
        first, second = self.made(201), self.made(202)
        num = sum(len(self.said(m.folder)[0]) for m in (first, second))
        both = self.dir / "both"
        shutil.copytree(first.folder, both / "a" / "kernel")
        shutil.copytree(second.folder, both / "b" / "ust" / "uid" / "0")
        with tarfile.open(self.dir / "t.tar", "w") as tar:
            tar.add(both, arcname="session")
        shutil.make_archive(str(self.dir / "z"), "zip", both)
        for trace in (both, self.dir / "t.tar", self.dir / "z.zip"):
            self.assertEqual(int(self.one(trace, "SELECT count(*) FROM slice")), num)

    def test_long_paths(self):
        made = self.made(203)
        deep = self.dir / ("long" * 20) / ("name" * 15) / "x"
        shutil.copytree(made.folder, deep)
        self.assertEqual(int(self.one(self.dir / ("long" * 20), "SELECT count(*) FROM slice")), len(self.said(made.folder)[0]))

    def test_damage_is_counted(self):
        made, rnd = self.made(301), random.Random(301)
        data = {p.name: p.read_bytes() for p in made.folder.iterdir()}
        for n in range(40):
            other = self.dir / f"bad{n}"
            other.mkdir()
            victim = rnd.choice([k for k, v in data.items() if v and (n % 4 == 0) == (k == "metadata")])
            for name, bytes_ in data.items():
                bad = bytearray(bytes_)
                if name == victim:
                    for _ in range(rnd.randrange(1, 8)):
                        bad[rnd.randrange(12 if name == "metadata" else 0, len(bad))] = rnd.randrange(256)
                    if n % 3 == 0:
                        bad = bad[:rnd.randrange(12, len(bad))]
                (other / name).write_bytes(bad)
            done = self.orma("query", other, "SELECT SUM(count) = MAX(units) AS whole FROM import_account WHERE unit = 'event'", code=None)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            if done.returncode == 0:
                self.assertIn(done.stdout.decode().split()[1], ("1", '"[NULL]"'), (victim, done.stderr))
            else:
                self.assertIn(b"CTF", done.stderr)

    def test_refusals_say_why(self):
        made = self.made(302)
        for metadata, why in ((b"/* CTF 1.8 */\nevent { fields := struct { int8_t a; }; };", b"line 2: a type that is not declared"),
                              (b"/* CTF 1.8 */ trace { major = 1; minor = 9; };", b"version 1.9"),
                              (b"/* CTF 1.8 */ trace {" + b"struct {" * 1000, b"too deep"),
                              (b'\x1e{"type": "preamble", "version": 3}', b"version 3"),
                              (b'\x1e{"type": "preamble", "version": 2}\x1e{"type": "odd"}', b"unknown type")):
            (made.folder / "metadata").write_bytes(metadata)
            done = self.orma("query", made.folder, "SELECT 1", code=1)
            self.assertIn(why, done.stderr)
        done = self.orma("query", made.folder / "metadata", "SELECT 1", code=1)
        self.assertIn(b"give the folder", done.stderr)
        done = self.orma("query", next(made.folder.glob("ch_*")), "SELECT 1", code=1)
        self.assertIn(b"'metadata'", done.stderr)

    def test_events_of_a_few_bits(self):
        for order in "le", "be":
            folder = self.dir / order
            folder.mkdir()
            (folder / "metadata").write_text(f"/* CTF 1.8 */\ntrace {{ major = 1; minor = 8; byte_order = {order}; }};\n"
                                             "event { name = odd; fields := struct { integer { size = 3; } a; integer { size = 4; signed = true; } b; }; };")
            (folder / "stream").write_bytes(bytes(range(7)))
            want = [(e[4]["a"], e[4]["b"]) for e in self.said(folder)[0]]
            have = self.query(folder, "SELECT extract_arg(arg_set_id, 'a') AS a, extract_arg(arg_set_id, 'b') AS b FROM slice ORDER BY ts")
            self.assertEqual([(int(r["a"]), int(r["b"])) for r in have], want)
            self.assertEqual(len(want), 8)

    def test_few_bytes_ask_for_little(self):
        nested = "struct s0 { integer { size = 8; } a; };\n" + "".join(f"struct s{i} {{ struct s{i - 1} a; struct s{i - 1} b; }};\n" for i in range(1, 40))
        empty = "".join(f"struct {{ " for _ in range(20)) + "".join(f"}} x{i}[60000]; " for i in range(20))
        for body in (nested + "event { fields := struct { struct s39 x; }; };", f"event {{ fields := struct {{ {empty} integer {{ size = 1; }} b; }}; }};"):
            folder = self.dir / f"few{len(body)}"
            folder.mkdir()
            (folder / "metadata").write_text("/* CTF 1.8 */\ntrace { major = 1; minor = 8; byte_order = le; };\n" + body)
            (folder / "stream").write_bytes(bytes(20000))
            before = time.monotonic()
            self.orma("query", folder, "SELECT 1", code=None)
            self.assertLess(time.monotonic() - before, 20 * SLOW)

    def test_metadata_that_asks_for_much_is_refused(self):
        u8 = "typealias integer { size = 8; align = 8; } := u8;\n"
        event = "stream {};\nevent { name = e; fields := struct { %s }; };"
        twice = "struct s0 { u8 a; };\n" + "".join(f"struct s{i} {{ struct s{i - 1} a; struct s{i - 1} b; }};\n" for i in range(1, 40))
        chain = "typedef u8 a0[1];\n" + "".join(f"typedef a{i} a{i + 1}[1];\n" for i in range(100000))
        labels = ", ".join(f"l{i} = {i % 256}" for i in range(16000))
        for n, (body, why) in enumerate((
                (chain + event % "a100000 x;", b"nested too deep"),
                (twice + "stream { event.header := struct { struct s39 x; }; };\nevent { name = e; fields := struct { u8 a; }; };", b"more fields than"),
                (event % ("enum : u8 { %s } t; variant <t> { %s } v;" % (labels, " ".join(f"u8 l{i};" for i in range(16000)))), b"take too long to find"),
                (event % ("enum : u8 { %s } t; variant <t> { %s } v;" % (", ".join(["l"] * 5000), "u8 l; " * 5000)), b"more labels than"),
                (event % ("u8 n; " + "u8 a[n];" * 100000), b"take too long to find"),
                ("".join(f"stream {{ id = {i}; }};\n" for i in range(60000)), b"more than 1024 classes"))):
            folder = self.dir / f"much{n}"
            folder.mkdir()
            (folder / "metadata").write_text("/* CTF 1.8 */\ntrace { major = 1; minor = 8; byte_order = le; };\n" + u8 + body)
            (folder / "stream").write_bytes(bytes(8))
            before = time.monotonic()
            self.assertIn(why, self.orma("query", folder, "SELECT 1", code=1).stderr)
            self.assertLess(time.monotonic() - before, 10 * SLOW)

    def test_allocations_that_cannot_be(self):
        folder = self.dir / "heap"
        folder.mkdir()
        (folder / "metadata").write_text("/* CTF 1.8 */\ntypealias integer { size = 64; align = 8; } := u64;\n"
                                         "trace { major = 1; minor = 8; byte_order = le; };\nenv { domain = \"ust\"; vpid = 5; };\nstream {};\n"
                                         "event { name = \"lttng_ust_libc:malloc\"; fields := struct { u64 size; u64 ptr; }; };")
        (folder / "stream").write_bytes(b"".join(n.to_bytes(8, "little") for i in range(5) for n in (2**62, 4096 * (i + 1))))
        values = [float(r["value"]) for r in self.query(folder, "SELECT value FROM counter ORDER BY ts")]
        self.assertEqual(values, [2.0**62], "no more than the first has room")

    def test_labels_cost_work(self):
        folder = self.dir / "labels"
        folder.mkdir()
        labels = ", ".join(f"l{i} = 7" for i in range(50000))
        (folder / "metadata").write_text("/* CTF 1.8 */\ntrace { major = 1; minor = 8; byte_order = le; };\nstream {};\n"
                                         "event { name = e; fields := struct { enum : integer { size = 8; } { %s } t; }; };" % labels)
        (folder / "stream").write_bytes(bytes(400000))
        took, left = self.query(folder, "SELECT (SELECT count(*) FROM slice) AS n, sum(count) AS left FROM import_account WHERE kind GLOB '*too long*'")[0].values()
        self.assertLess(int(took), 100000)
        self.assertEqual(int(took) + int(left), 400000)


class Kernel(Ctf):
    """What LTTng's kernel tracer would write."""
    def made(self):
        return ctf_made.kernel(self.dir / "kernel")

    def test_tables_of_ftrace(self):
        trace = self.made().folder
        text = lambda sql: [tuple(r.values()) for r in self.query(trace, sql)]
        base = int(self.one(trace, "SELECT min(ts) FROM ftrace_event")) - 1000
        self.assertEqual(text(f"SELECT ts - {base}, dur, tid, end_state, priority FROM sched JOIN thread USING (utid) WHERE dur > 0"),
                         [("1200", "200", "6", "R+", "80"), ("1400", "500", "5", "D", "80")])
        self.assertEqual(text(f"SELECT s.name, s.ts - {base}, s.dur, tid, extract_arg(s.arg_set_id, 'filename'), extract_arg(s.arg_set_id, 'ret') FROM slice s JOIN thread_track t ON t.id = s.track_id JOIN thread USING (utid)"),
                         [("sys_openat", "1100", "400", "5", "/etc/x", "-2")])
        self.assertEqual(text("SELECT name, dur FROM slice WHERE track_id NOT IN (SELECT id FROM thread_track) ORDER BY ts"), [("IRQ (acpi)", "10"), ("TIMER", "10")])
        self.assertEqual(text("SELECT tid, t.name AS t, pid, p.name AS p FROM thread t JOIN process p USING (upid) WHERE tid IN (5, 6, 7) ORDER BY tid"),
                         [("5", "t5", "5", "shop"), ("6", "t6", "5", "shop"), ("7", "t7", "7", "shop")])
        self.assertEqual(text("SELECT key, display_value FROM ftrace_event e JOIN args USING (arg_set_id) WHERE e.name = 'block_rq_issue'"),
                         [("dev", "8"), ("rwbs", "R"), ("parts.at[0]", "1"), ("parts.at[1]", "2")])
        self.assertEqual(text("SELECT CAST(value AS INT) FROM counter"), [("1200000",)])
        self.assertEqual(text("SELECT state, count(*) FROM thread_state WHERE utid = (SELECT utid FROM thread WHERE tid = 5) GROUP BY 1 ORDER BY 1"),
                         [("D", "1"), ("R", "1"), ("Running", "1"), ("S", "1")])

    def test_every_event_is_a_row(self):
        trace = self.made().folder
        want, _ = self.said(trace)
        have = self.query(trace, "SELECT coalesce(to_realtime(ts), ts) AS ns, name, cpu FROM ftrace_event ORDER BY ts")
        names = {"irq_softirq_entry": "softirq_entry", "irq_softirq_exit": "softirq_exit", "power_cpu_frequency": "cpu_frequency"}
        self.assertEqual([(int(r["ns"]), r["name"], int(r["cpu"])) for r in have], [(e[0], names.get(e[1], e[1]), e[2]) for e in want])

    def test_many_events_with_a_context_of_many_fields(self):
        """Only the first fields are described, however many events have them."""
        folder = self.dir / "many"
        folder.mkdir()
        much = " ".join(f"u8 m{i};" for i in range(40000))
        events = "".join(f"event {{ name = e{i}; id = {i}; fields := struct {{ u8 a; }}; }};\n" for i in range(20000))
        (folder / "metadata").write_text(
            "/* CTF 1.8 */\ntypealias integer { size = 8; align = 8; } := u8;\ntypealias integer { size = 16; align = 8; } := u16;\n"
            "trace { major = 1; minor = 8; byte_order = le; };\nenv { domain = \"kernel\"; tracer_name = \"lttng-modules\"; };\n"
            "stream { event.header := struct { u16 id; }; event.context := struct { enum : u8 { none = 0, much = 1 } t; "
            "variant <t> { u8 none; struct { %s } much; } v; }; };\n%s" % (much, events))
        (folder / "stream").write_bytes(b"".join(i.to_bytes(2, "little") + bytes(3) for i in range(20000)))
        before = time.monotonic()
        self.assertEqual(int(self.one(folder, "SELECT count(*) FROM ftrace_event")), 20000)
        self.assertLess(time.monotonic() - before, 6 * SLOW)


@unittest.skipIf(not shutil.which("lttng-sessiond") or not shutil.which("lttng") or not shutil.which("gcc")
                 or subprocess.run(["gcc", "-E", "-include", "lttng/tracepoint.h", "-x", "c", "/dev/null"], capture_output=True).returncode,
                 "LTTng's tools, its headers (liblttng-ust-dev) or gcc are not installed")
class Recorded(Ctf):
    def setUp(self):
        super().setUp()
        self.home = tempfile.TemporaryDirectory(prefix="lttng", dir="/tmp")
        self.env = {**os.environ, "LTTNG_HOME": self.home.name, "HOME": self.home.name, "LTTNG_UST_REGISTER_TIMEOUT": "5000", "LTTNG_NO_KERNEL": "1"}
        (self.dir / "tp.h").write_text(TRACE_HEADER)
        (self.dir / "p.c").write_text(PROGRAM)
        done = subprocess.run(["gcc", "-g", "-I.", "-finstrument-functions", "-o", "p", "p.c", "-llttng-ust", "-ldl", "-lpthread"], cwd=self.dir, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        running = subprocess.run(["lttng", "list"], env=self.env, capture_output=True).returncode == 0
        if running:
            self.skipTest("a session daemon of LTTng runs already")
        self.daemon = subprocess.Popen(["lttng-sessiond", "--no-kernel", "--quiet"], env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.wait_for("the session daemon", lambda: subprocess.run(["lttng", "list"], env=self.env, capture_output=True).returncode == 0, 20 * SLOW)
        except AssertionError:
            self.end_daemon()
            self.skipTest("LTTng's session daemon does not start here")

    def end_daemon(self):
        self.daemon.terminate()
        self.daemon.wait(20)
        self.home.cleanup()

    def tearDown(self):
        self.end_daemon()
        super().tearDown()

    def lttng(self, *argv):
        done = subprocess.run(["lttng", "--no-sessiond", *argv], env=self.env, capture_output=True, text=True, timeout=60)
        if done.returncode:
            self.skipTest(f"lttng {argv[0]}: {done.stderr or done.stdout}")

    def record(self, name, channel=(), contexts=("vtid", "vpid", "procname"), runs=1, count=30, preload=None, events=("shop:*",)):
        folder = self.dir / name
        self.lttng("create", name, "-o", str(folder))
        self.lttng("enable-channel", "-u", "ch", *channel)
        for event in events:
            self.lttng("enable-event", "-u", "-c", "ch", event)
        for context in contexts:
            self.lttng("add-context", "-u", "-c", "ch", "-t", context)
        self.lttng("start")
        for _ in range(runs):
            subprocess.run(["./p", str(count)], cwd=self.dir, env={**self.env, **({"LD_PRELOAD": preload} if preload else {})}, check=True, timeout=60)
        self.lttng("stop")
        self.lttng("destroy", name)
        return folder

    def test_events_of_a_program(self):
        folder = self.record("one", ["--subbuf-size=64k", "--num-subbuf=8"], events=("shop:*", "lttng_ust_statedump:*"))
        self.assertGreater(self.same(folder), 100)
        names = self.query(folder, "SELECT DISTINCT p.name FROM slice s JOIN thread_track t ON t.id = s.track_id JOIN thread USING (utid) JOIN process p USING (upid)")
        self.assertEqual([r["name"] for r in names][:1], ["p"])

    def test_buffers_of_each_process(self):
        folder = self.record("pids", ["--buffers-pid", "--subbuf-size=64k", "--num-subbuf=8"], contexts=(), runs=3)
        self.assertGreater(self.same(folder), 300)
        self.assertEqual(self.one(folder, "SELECT count(DISTINCT upid) FROM thread WHERE tid = -1 AND upid > 0"), "3")

    def test_what_has_no_room_is_counted(self):
        folder = self.record("tight", ["--subbuf-size=4k", "--num-subbuf=2"], count=20000)
        want, lost = self.said(folder)
        self.assertEqual(int(self.one(folder, "SELECT count(*) FROM slice")), len(want))
        self.assertEqual(int(self.one(folder, "SELECT coalesce(sum(count), 0) FROM import_account WHERE reason = 'missing' AND kind NOT GLOB '*first packets*'")), lost)

    def test_functions_are_slices(self):
        library = next(pathlib.Path("/usr/lib").glob("*/liblttng-ust-cyg-profile.so.1"), None)
        if not library:
            self.skipTest("liblttng-ust-cyg-profile is not installed")
        folder = self.record("calls", ["--subbuf-size=256k", "--num-subbuf=8"], preload=str(library), count=5, events=("lttng_ust_cyg_profile*", "lttng_ust_statedump:*"))
        want, _ = self.said(folder)
        entries = [e for e in want if e[1].endswith(":func_entry")]
        rows = self.query(folder, "SELECT name, dur, depth FROM slice WHERE category = 'lttng_ust_cyg_profile'")
        self.assertEqual(len(rows), len(entries))
        self.assertTrue(any(r["name"].startswith("p+0x") for r in rows), rows)
        self.assertGreater(max(int(r["dur"]) for r in rows), 0)


if __name__ == "__main__":
    main()
