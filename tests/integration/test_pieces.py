"""Pieces of traces: what is in them is what the whole trace says of their range.

The traces are made here, at random: several sequences with interned names, clears and clocks that are told as differences,
slices that begin on one thread and end on another, counters as differences, kernel events in both forms, compressed packets.
"""
import gzip
import random
import resource
import subprocess
import zlib

from orma_env import *

BOOT, TRACK_EVENT, DESCRIPTOR, INTERNED, DEFAULTS = 6, 11, 60, 12, 59
START = 5_000_000_000


def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def num(number, n):
    return varint(number << 3) + varint(n)


def field(number, *data):
    data = b"".join(d.encode() if isinstance(d, str) else d for d in data)
    return varint(number << 3 | 2) + varint(len(data)) + data


def packet(*fields):
    return field(1, *fields)


class Writer:
    """One sequence: a thread with its track, interned names, and a clock of its own if `delta`."""

    def __init__(self, rng, seq, delta):
        self.rng, self.seq, self.delta, self.names, self.out = rng, seq, delta, {}, []
        self.thread, self.counter, self.sums = 1000 + seq, 2000 + seq, 3000 + seq
        self.raw, self.stack, self.first = 0, 0, True

    def put(self, ts, *fields, clear=False):
        head = [num(10, self.seq), num(3, 1000)]
        if self.first:
            head.append(num(87, 1))
            self.first = False
        if self.delta and not clear:
            head.append(num(8, ts - self.raw))
            self.raw = ts
        else:
            head += [num(8, ts), num(58, BOOT)]
        self.out.append((ts, packet(*head, num(13, 1 if clear else 2), *fields)))

    def clear(self, ts):
        self.names = {}
        self.raw = ts
        defaults = num(58, 64 if self.delta else BOOT) + field(TRACK_EVENT, num(11, self.thread))
        clock = field(6, field(1, num(1, 64), num(2, ts), num(3, 1)), field(1, num(1, BOOT), num(2, ts)), num(2, BOOT)) \
            if self.delta else b""
        self.put(ts, clock, field(DEFAULTS, defaults), clear=True)
        tid = num(1, 100) + num(2, 100 + self.seq)
        self.put(ts, field(DESCRIPTOR, num(1, self.thread), num(5, 50), field(4, tid, field(5, f"thread {self.seq}"))))
        self.put(ts, field(DESCRIPTOR, num(1, self.counter), num(5, 50), field(2, f"level {self.seq}"), field(8, num(3, 2))))
        self.put(ts, field(DESCRIPTOR, num(1, self.sums), num(5, 50), field(2, f"sum {self.seq}"), field(8, num(3, 2), num(5, 1))))

    def name(self, text):
        if text in self.names:
            return self.names[text], b""
        self.names[text] = iid = len(self.names) + 1
        return iid, field(2, num(1, iid), field(2, text))

    def event(self, ts, kind, text=None, track=None, value=None, category="app"):
        body, interned = num(9, kind), b""
        if text:
            iid, entry = self.name(text)
            body, interned = body + num(10, iid), entry
            cat, entry = self.category(category)
            body, interned = body + num(3, cat), interned + entry
            if self.rng.random() < .3:
                body += field(4, field(10, "note"), num(3, ts % 97))
        if track:
            body += num(11, track)
        if value is not None:
            body += num(30, value)
        body += field(9999, "a field that nobody knows")
        self.put(ts, field(TRACK_EVENT, body), field(INTERNED, interned) if interned else b"")

    def category(self, text):
        key = "category " + text
        if key in self.names:
            return self.names[key], b""
        self.names[key] = iid = len(self.names) + 1
        return iid, field(1, num(1, iid), field(2, text))

    def step(self, ts, shared):
        rng, roll = self.rng, self.rng.random()
        if roll < .02:
            self.clear(ts)
        elif roll < .35 and self.stack < 5:
            self.event(ts, 1, f"work {rng.randrange(12)}", category=rng.choice(("app", "net")))
            self.stack += 1
        elif roll < .65 and self.stack:
            self.event(ts, 2)
            self.stack -= 1
        elif roll < .75:
            self.event(ts, 4, track=self.counter, value=rng.randrange(1000))
        elif roll < .85:
            self.event(ts, 4, track=self.sums, value=rng.randrange(50))
        elif roll < .92 and shared["open"] < 1:
            self.event(ts, 1, f"request {rng.randrange(3)}", track=7, category=rng.choice(("app", "net")))
            shared["open"] += 1
        elif shared["open"]:
            self.event(ts, 2, track=7)
            shared["open"] -= 1
        else:
            self.event(ts, 3, "mark")


def kernel(rng, cpu, ts):
    """A bundle: switches and wakings in columns, and events of the other form. Returns where it ends."""
    names = ["swapper", "alpha", "beta", "gamma"]
    switches, wakings, events, last, woken = [[] for _ in range(5)], [[] for _ in range(5)], b"", 0, 0
    for _ in range(rng.randrange(1, 40)):
        ts += rng.randrange(1000, 2_000_000)
        roll, who = rng.random(), rng.randrange(4)
        if roll < .6:
            for column, n in zip(switches, (ts - last, who * 10, rng.choice((1, 0, 2)), 120, who)):
                column.append(n)
            last = ts
        elif roll < .8:
            for column, n in zip(wakings, (ts - woken, who * 10, cpu, 120, who)):
                column.append(n)
            woken = ts
        else:
            events += field(2, num(1, ts), num(2, max(who, 1) * 10), field(3, field(2, f"N|{max(who, 1) * 10}|track|kernel {who}\n")))
    compact = b"".join(field(5, n) for n in names)
    for numbers, columns in (((1, 3, 2, 4, 6), switches), ((7, 8, 9, 10, 11), wakings)):
        compact += b"".join(field(n, *map(varint, c)) for n, c in zip(numbers, columns) if c)
    return ts, packet(num(10, 50 + cpu), num(3, 0), field(1, num(1, cpu), events, field(4, compact)))


def make(seed, events=600):
    """A trace, and where it begins and ends."""
    rng, shared, ts = random.Random(seed), {"open": 0}, START
    writers = [Writer(rng, 2 + i, delta=i % 2 == 0) for i in range(4)]
    head = [packet(num(10, 1), field(6, field(1, num(1, BOOT), num(2, ts)), field(1, num(1, 3), num(2, ts - 1000)),
                                     field(1, num(1, 1), num(2, 1_700_000_000 * 10**9)), num(2, BOOT))),
            packet(num(10, 1), field(DESCRIPTOR, num(1, 50), field(3, num(1, 100), field(6, "the program")))),
            packet(num(10, 1), field(DESCRIPTOR, num(1, 7), num(5, 50), field(2, "requests"))),
            packet(num(8, ts), field(2, *[field(1, num(1, p), num(2, 1), field(3, f"process {p}")) for p in (10, 20, 30)]))]
    for w in writers:
        w.clear(ts)
    for _ in range(events):
        ts += rng.randrange(1, 400_000)
        rng.choice(writers).step(ts, shared)
    packets = []
    lists = [[p for _, p in w.out] for w in writers]
    for cpu in range(2):
        at, bundles = START, []
        while at < ts:
            at, bundle = kernel(rng, cpu, at)
            bundles.append(bundle)
        lists.append(bundles)
    while any(lists):  # chunks of sequences, one behind the other
        some = rng.choice([x for x in lists if x])
        n = rng.randrange(1, 30)
        chunk, some[:n] = b"".join(some[:n]), []
        packets.append(packet(field(50, zlib.compress(chunk))) if seed % 3 == 0 and rng.random() < .5 else chunk)
    return b"".join(head + packets), ts


OVERLAPS = "(ts < {b} AND (ts >= {a} OR dur = -1 OR ts + dur > {a}))"
WITHIN = "(ts >= {a} AND ts < {b})"
END = "iif(dur < 0 OR ts + dur >= {b}, 'later', ts + dur)"
# What the whole says of a range, and what the piece says.
CUT = {
    "slices": f"SELECT ts, dur, s.name, category, depth, tt.name FROM slice s JOIN track tt ON s.track_id = tt.id WHERE {OVERLAPS}",
    "parents": f"SELECT s.ts, s.name, p.ts, p.name FROM slice s LEFT JOIN slice p ON s.parent_id = p.id WHERE s.ts >= {{a}} AND s.ts < {{b}}",
    "threads of slices": f"SELECT ts, s.name, t.name, tid, p.name FROM slice s JOIN thread_track tt ON s.track_id = tt.id JOIN thread t USING (utid) LEFT JOIN process p USING (upid) WHERE {OVERLAPS}",
    "processes of slices": f"SELECT ts, s.name, pid, p.name FROM slice s JOIN process_track tt ON s.track_id = tt.id JOIN process p USING (upid) WHERE {OVERLAPS}",
    "args": f"SELECT ts, s.name, flat_key, int_value, string_value FROM slice s JOIN args USING (arg_set_id) WHERE {OVERLAPS}",
    "durations": f"SELECT s.name, count(*), sum(dur), max(dur) FROM slice s WHERE {OVERLAPS} GROUP BY 1",
    "categories": f"SELECT category, count(*) FROM slice WHERE {OVERLAPS} GROUP BY 1",
    "ancestors": f"SELECT s.ts, s.name, a.name, a.ts FROM slice s, ancestor_slice(s.id) a WHERE s.ts >= {{a}} AND s.ts < {{b}}",
    "counters": f"SELECT ts, value, t.name, t.type FROM counter c JOIN track t ON c.track_id = t.id WHERE {WITHIN}",
    "counter sums": f"SELECT t.name, count(*), sum(value), min(value), max(value) FROM counter c JOIN track t ON c.track_id = t.id WHERE {WITHIN} GROUP BY 1",
    "switches": f"SELECT ts, cpu, tid, priority, {END} FROM sched JOIN thread USING (utid) WHERE {WITHIN}",
    "end states": f"SELECT ts, end_state FROM sched WHERE {WITHIN} AND dur >= 0 AND ts + dur < {{b}}",
    "names of tasks": f"SELECT DISTINCT tid, t.name FROM sched JOIN thread t USING (utid) WHERE {WITHIN}",
    "time on cpus": f"SELECT cpu, tid, sum(dur) FROM sched JOIN thread USING (utid) WHERE {WITHIN} AND dur >= 0 AND ts + dur < {{b}} GROUP BY 1, 2",
    "kernel events": f"SELECT ts, f.name, cpu, tid FROM ftrace_event f LEFT JOIN thread USING (utid) WHERE {WITHIN}",
    "kernel args": f"SELECT ts, flat_key, int_value, string_value FROM ftrace_event JOIN args USING (arg_set_id) WHERE {WITHIN}",
    "running": f"SELECT ts, tid, cpu, {END} FROM thread_state JOIN thread USING (utid) WHERE {WITHIN} AND state = 'Running'",
    "processes": "SELECT pid, name FROM process",
    "errors": "SELECT name, value FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0 AND name NOT LIKE 'ftrace%'",
}


class Pieces(Case):
    def rows(self, trace, *statements):
        out = self.orma("query", trace, "--csv", "plain", ";".join(f"SELECT '-- next'; {s}" for s in statements)).stdout.decode()
        parts = out.split('"\'-- next\'"\n"-- next"\n')[1:]
        return [sorted(p.strip().splitlines()[1:]) for p in parts]

    def make(self, seed, name="whole.pftrace", **more):
        data, end = make(seed, **more)
        (self.dir / name).write_bytes(data)
        return end

    def same(self, whole, piece, statements, what):
        texts = list(statements.values())
        for name, w, p in zip(statements, self.rows(whole, *texts), self.rows(piece, *texts)):
            self.assertEqual(w, p, f"{what}: {name}")

    def test_a_cut_says_what_the_whole_says_of_the_range(self):
        for seed in range(6):
            end = self.make(seed)
            rng = random.Random(seed)
            for _ in range(3):
                a, b = sorted(rng.randrange(START, end) for _ in range(2))
                self.orma("cut", "whole.pftrace", "--from", a, "--to", b + 1, "-o", "piece.pftrace", "-f")
                statements = {k: q.format(a=a, b=b + 1) for k, q in CUT.items()}
                self.same("whole.pftrace", "piece.pftrace", statements, (seed, a, b + 1))

    def test_a_cut_does_not_repeat_processes(self):
        """They are told each second; one has three names in turn, one has ended before the range, one begins behind it."""
        def tree(ts, *processes):
            threads = [field(2, num(1, p + 1), num(3, p), field(2, f"thread {p}")) for p, _ in processes]
            return packet(num(8, ts), num(58, BOOT), num(10, 9), num(3, 0), num(41, 1),
                          field(2, *[field(1, num(1, p), num(2, 1), field(3, name)) for p, name in processes], *threads))

        def bundle(ts, who):
            return packet(num(10, 50), num(3, 0), field(1, num(1, 0), field(2, num(1, ts), num(2, who), field(3, field(2, f"I|{who}|mark")))))
        clock = packet(num(10, 1), field(6, field(1, num(1, BOOT), num(2, START)), field(1, num(1, 3), num(2, START)), num(2, BOOT)))
        data, second = clock, 10**9
        for i in range(120):
            changing = ("one", "two", "three")[i // 20 % 3]
            others = [(p, f"process {p} with a long command line") for p in range(1000, 1200)]
            data += tree(START + i * second, (10, changing), *others, *([(20, "ended")] if i < 5 else []), *([(30, "late")] if i > 110 else []))
            data += bundle(START + i * second + 5, 1001)
        (self.dir / "whole.pftrace").write_bytes(data)
        sizes = []
        for at in 3, 50, 100:
            a, b = START + at * second, START + (at + 2) * second
            self.orma("cut", "whole.pftrace", "--from", a, "--to", b, "-o", "piece.pftrace", "-f")
            statements = {k: q.format(a=a, b=b) for k, q in CUT.items()}
            statements["threads"] = "SELECT tid, t.name, pid, p.name FROM thread t LEFT JOIN process p USING (upid)"
            self.same("whole.pftrace", "piece.pftrace", statements, at)
            sizes.append((self.dir / "piece.pftrace").stat().st_size)
        self.assertLess(max(sizes), len(data) / 20, sizes)

    def test_all_of_it_is_all_of_it(self):
        end = self.make(1)
        self.orma("cut", "whole.pftrace", "--to", "100s", "-o", "piece.pftrace")
        self.same("whole.pftrace", "piece.pftrace", {k: q.format(a=0, b=end * 2) for k, q in CUT.items()}, "all")
        texts = [self.orma("convert", "text", f"{n}.pftrace").stdout for n in ("whole", "piece")]
        self.assertEqual(*texts)  # byte for byte, the unknown fields too

    def test_the_pieces_of_a_split_are_the_whole(self):
        for seed, how in ((2, ("--every", "20ms")), (3, ("--size", "16k")), (4, ("--every", "7ms"))):
            end = self.make(seed)
            self.orma("split", "whole.pftrace", *how, "-o", f"pieces{seed}")
            pieces = sorted((self.dir / f"pieces{seed}").iterdir())
            self.assertGreater(len(pieces), 2)
            self.orma("merge", "-o", "all.tar", "-f", *pieces)
            statements = {k: q.format(a=0, b=end * 2) for k, q in CUT.items() if k != "processes"}
            self.same("whole.pftrace", "all.tar", statements, (seed, how))
            for piece in pieces:  # alone, too
                self.assertEqual(self.rows(piece, CUT["errors"]), [[]], piece)

    def test_pieces_without_events_are_no_copies(self):
        marks = [packet(num(8, START + at), num(10, 2), num(13, 1), field(TRACK_EVENT, num(9, 3), num(11, 9), field(23, "mark"))) for at in (0, 95)]
        (self.dir / "whole").write_bytes(b"".join(marks))
        self.orma("split", "whole", "--every", "10ns", "-o", "pieces")
        pieces = sorted((self.dir / "pieces").iterdir())
        self.assertEqual(len(pieces), 10)
        self.orma("merge", "-o", "all.tar", *pieces)
        self.assertEqual(self.rows("all.tar", "SELECT count(*) FROM slice", "SELECT name FROM stats WHERE value > 0 AND severity != 'info'"), [["2"], []])
        self.assertEqual(self.rows(pieces[4], "SELECT count(*) FROM slice", "SELECT name FROM stats WHERE value > 0 AND severity != 'info'"), [["0"], []])

    def test_the_folder_of_a_split(self):
        self.make(4)
        self.orma("split", "whole.pftrace", "--every", "5ms", "-o", "pieces")
        pieces = self.dir / "pieces"
        before = len(list(pieces.iterdir()))
        for other in "whole-0999.pftrace", "whole-999.json", "other-030.pftrace":
            (pieces / other).write_bytes(b"of others")
        (pieces / "whole-500.pftrace").mkdir()
        self.assertIn("--force", self.orma("split", "whole.pftrace", "--every", "30ms", "-o", "pieces", code=1).stderr.decode())
        self.assertEqual(len(list(pieces.iterdir())), before + 4)
        said = self.orma("split", "whole.pftrace", "--every", "30ms", "-o", "pieces", "-f").stderr.decode()
        now = sorted(p.name for p in pieces.iterdir() if p.name.startswith("whole-0") and p.suffix == ".pftrace")
        self.assertEqual(now[:-1], [f"whole-{i + 1:03}.pftrace" for i in range(len(now) - 1)])
        self.assertEqual(now[-1], "whole-0999.pftrace")
        self.assertIn(f"pieces: removed {before - len(now) + 1} pieces of an earlier run", said)
        self.assertEqual(len(list(pieces.iterdir())), len(now) + 3)
        self.assertIn("name a folder", self.orma("split", "whole.pftrace", "--every", "30ms", "-o", "-", code=2).stderr.decode())
        self.assertFalse((self.dir / "-").exists())

    def test_no_folder_without_pieces(self):
        self.make(4)
        (self.dir / "there").mkdir()
        for folder in "pieces", "there":
            limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
            done = subprocess.run([BUILD / "tools/orma", "split", "whole.pftrace", "--every", "5ms", "-o", folder], cwd=self.dir, capture_output=True,
                                  preexec_fn=limit, timeout=60, check=False)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(b"File too large", done.stderr)
        self.assertEqual([(self.dir / "pieces").exists(), list((self.dir / "there").iterdir())], [False, []])

    def test_times_far_apart(self):
        def event(ts, name):  # of an older form: 5 us
            return packet(num(8, ts), num(10, 2), num(13, 1), field(TRACK_EVENT, num(11, 9), field(6, num(2, ord("X")), num(3, 5)), field(22, "c"), field(23, name)))
        (self.dir / "whole").write_bytes(event(-(1 << 63), "far") + event(START, "before") + event(START + 10_000, "within") + event(START + 20_000, "behind"))
        self.orma("cut", "whole", "--from", START + 6000, "--to", START + 16_000, "-o", "piece", "--compress", "none")
        self.assertEqual([(self.dir / "piece").read_bytes().count(n) for n in (b"far", b"before", b"within", b"behind")], [0, 0, 1, 0])

    def test_the_last_time_that_there_is(self):
        marks = [packet(num(8, at), num(10, 2), num(13, 1), field(TRACK_EVENT, num(9, 3), num(11, 9), field(23, f"at {at}"))) for at in (START, 2**63 - 2, 2**63 - 1)]
        (self.dir / "whole").write_bytes(b"".join(marks))
        names = "SELECT name FROM slice ORDER BY ts"
        self.assertEqual(len(self.rows("whole", names)[0]), 3)
        self.orma("split", "whole", "--every", f"{2**62}ns", "-o", "pieces")
        self.assertEqual([len(self.rows(p, names)[0]) for p in sorted((self.dir / "pieces").iterdir())], [1, 2])
        self.orma("cut", "whole", "--from", START + 1, "-o", "piece")
        self.assertEqual(len(self.rows("piece", names)[0]), 2)

    def test_bundles_that_tell_their_clock(self):
        bundles = []
        for i in range(60):  # it runs a bit faster than BOOTTIME
            at = 1000 * i
            events = [field(2, num(1, at + 1 + 90 * n), num(2, 10), field(3, field(2, f"N|10|t|{n}\n"))) for n in range(12)]
            bundles.append(packet(num(10, 50), field(1, num(1, i % 4), *events, num(5, 2), num(6, at), num(7, START + 999 * i))))
        (self.dir / "whole").write_bytes(b"".join(bundles))
        events = "SELECT ts, cpu, name FROM ftrace_event"
        self.orma("split", "whole", "--every", "1500ns", "-o", "pieces")
        pieces = [self.rows(p, events)[0] for p in sorted((self.dir / "pieces").iterdir())]
        self.assertGreater(min(map(len, pieces[:-1])), 10)
        self.assertEqual(sorted(row for p in pieces for row in p), self.rows("whole", events)[0])

    def test_many_pieces_share_memory(self):
        marks = [packet(num(8, START + i * 1000), num(10, 2), num(13, 1), field(TRACK_EVENT, num(9, 3), num(11, 9), field(23, "mark"))) for i in range(200)]
        (self.dir / "whole").write_bytes(packet(num(10, 1), field(33, field(9999, b"x" * 400_000))) + b"".join(marks))
        p = self.start(ORMA, "split", "whole", "--every", "1us", "-o", "pieces", "--compress", "deflate", stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual((p.returncode, len(list((self.dir / "pieces").iterdir()))), (0, 200))
        if SLOW == 1:  # else memory is that of the sanitizer
            self.assertLess(usage.ru_maxrss, 64 << 10)

    def test_slices_that_stay_open_cost_no_more_than_others(self):
        """A million begins of two sequences on one track, none of which ends: they must not be matched again for each new one."""
        def begin(seq):
            return packet(num(10, seq), num(8, 1), num(13, 2), field(TRACK_EVENT, num(9, 1), num(11, 9), field(23, "open")))
        clock = field(6, field(1, num(1, 64), num(2, START), num(3, 1)), field(1, num(1, BOOT), num(2, START)), num(2, BOOT))
        heads = [packet(num(10, seq), num(8, START), num(13, 1), clock, field(DEFAULTS, num(58, 64))) for seq in (2, 3)]
        (self.dir / "whole").write_bytes(b"".join(heads) + (begin(2) + begin(3)) * 540_000)
        for command, *how in (("cut", "--from", "500us"), ("split", "--every", "300us")):
            self.orma(command, "whole", *how, "-o", f"{command}s", timeout=25)

    def test_counts_of_many_sequences_cost_no_more_than_others(self):
        def mark(seq):
            return packet(num(10, seq), num(8, START + seq), num(13, 1), field(TRACK_EVENT, num(9, 3), num(11, 9), field(23, "mark")))
        counts = [field(90001, num(1, seq), num(5, 1), num(6, 1)) for seq in range(2, 12_002)]
        (self.dir / "whole").write_bytes(b"".join(map(mark, range(2, 12_002))) + packet(num(10, 1), field(35, *counts)))
        self.orma("split", "whole", "--every", "200ns", "-o", "pieces", timeout=15)
        emitted = [self.rows(p, "SELECT sum(packets) FROM loss WHERE reason = 'emitted'")[0][0] for p in sorted((self.dir / "pieces").iterdir())[:3]]
        self.assertEqual(emitted, ["200"] * 3)

    def test_times_and_mistakes(self):
        end = self.make(5)
        said = self.orma("cut", "whole.pftrace", "--from", "10ms", "--to", "30ms").stderr.decode()
        self.assertIn("whole-cut.pftrace: ", said)
        first = int(self.rows("whole-cut.pftrace", f"SELECT min(ts) FROM slice WHERE ts >= {START + 10**7}")[0][0])
        self.assertGreaterEqual(first, START + 10**7)
        for words, code, says in ((["whole.pftrace"], 2, "no range"),
                                  (["whole.pftrace", "-f", "--from", "9s", "--to", "1s"], 1, "the range is empty"),
                                  (["whole.pftrace", "-f", "--from", "100s"], 1, "the range is empty"),
                                  (["whole.pftrace", "-f", "--from", "soon"], 1, "expected a time"),
                                  (["whole.pftrace", "--from", "1ms"], 1, "exists"),
                                  (["whole.pftrace", "--from", "1ms", "-f", "-o", "whole.pftrace"], 1, "is also an input"),
                                  (["nowhere", "--from", "1ms"], 1, "No such file")):
            self.assertIn(says, self.orma("cut", *words, code=code).stderr.decode(), words)
        for words, code, says in ((["whole.pftrace"], 2, "--every"), (["whole.pftrace", "--every", "1ns"], 1, "more than 1000 pieces"),
                                  (["whole.pftrace", "--size", "1k"], 1, "needed in each piece")):
            self.assertIn(says, self.orma("split", *words, code=code).stderr.decode(), words)
        (self.dir / "t.json").write_text('{"traceEvents": []}')
        self.assertIn("only traces of packets", self.orma("cut", "t.json", "--from", "1s", code=1).stderr.decode())
        self.assertFalse([p for p in self.dir.iterdir() if p.name.startswith("whole-0")])
        self.assertGreater(end, START)

    def test_pipes_and_compression(self):
        self.make(6)
        data = (self.dir / "whole.pftrace").read_bytes()
        self.orma("cut", "whole.pftrace", "--from", "10ms", "--to", "30ms", "-o", "a", "--compress", "none")
        piped = self.orma("cut", "-", "--from", "10ms", "--to", "30ms", "-o", "-", "--compress", "none", input=data).stdout
        self.assertEqual(piped, (self.dir / "a").read_bytes())
        (self.dir / "whole.pftrace.gz").write_bytes(gzip.compress(data))
        self.orma("cut", "whole.pftrace.gz", "--from", "10ms", "--to", "30ms", "-o", "b", "--compress", "none")
        self.assertEqual(piped, (self.dir / "b").read_bytes())
        self.orma("cut", "whole.pftrace", "--from", "10ms", "--to", "30ms", "-o", "c", "--compress", "deflate")
        self.assertLess((self.dir / "c").stat().st_size, len(piped) / 2)
        self.same("a", "c", {k: q.format(a=0, b=10**12) for k, q in CUT.items()}, "deflate")

    def test_a_filter_says_what_the_whole_says_of_its_threads(self):
        for seed in (10, 12):
            self.make(seed)
            slices = "SELECT ts, dur, s.name, category, depth, tid FROM slice s JOIN thread_track tt ON s.track_id = tt.id JOIN thread USING (utid)"
            requests = "SELECT ts, dur, s.name FROM slice s JOIN process_track tt ON s.track_id = tt.id JOIN process USING (upid) WHERE pid = 100"
            counters = "SELECT ts, value, t.name FROM counter c JOIN track t ON c.track_id = t.id"
            sched = "SELECT ts, dur, cpu, tid, end_state FROM sched JOIN thread USING (utid)"
            kernel = "SELECT ts, f.name, tid FROM ftrace_event f JOIN thread USING (utid) WHERE f.name = 'print'"
            self.assertGreater(len(self.rows("whole.pftrace", kernel)[0]), 10)
            empty = " LIMIT 0"
            flat = "SELECT ts, dur, s.name, category FROM slice s"
            for words, statements in (
                    (["--category", "net"], {flat: " WHERE category = 'net'", counters: empty, sched: empty, kernel: empty}),
                    (["--category", "n*", "--thread", "thread 3"], {flat: " JOIN thread_track tt ON s.track_id = tt.id JOIN thread USING (utid) WHERE category = 'net' AND tid = 103"}),
                    (["--not", "--category", "app"], {flat: " WHERE coalesce(category, '') <> 'app'", counters: "", sched: "", kernel: ""}),
                    (["--thread", "thread 3"], {slices: " WHERE tid = 103", requests: empty, counters: empty, sched: "", kernel: empty}),
                    (["--thread", "104", "--thread", "thread 2"], {slices: " WHERE tid IN (102, 104)", requests: empty, sched: ""}),
                    (["--process", "the prog*"], {slices: "", requests: "", counters: "", sched: "", kernel: empty}),
                    (["--process", "process 20"], {slices: empty, requests: empty, counters: empty, sched: "", kernel: " AND tid = 20"}),
                    (["--thread", "beta"], {slices: empty, sched: "", kernel: " AND tid = 20"}),
                    (["--not", "--thread", "beta"], {slices: "", requests: "", counters: "", sched: "", kernel: " AND tid <> 20"}),
                    (["--not", "--thread", "thread 3"], {slices: " WHERE tid <> 103", requests: "", counters: "", kernel: ""}),
                    (["--source", "track_event"], {slices: "", counters: "", sched: empty, kernel: empty}),
                    (["--not", "--source", "track_event"], {slices: empty, counters: empty, sched: "", kernel: ""}),
                    (["--source", "ftrace*", "--process", "10"], {slices: empty, sched: "", kernel: " AND tid = 10"})):
                self.orma("filter", "whole.pftrace", *words, "-o", "piece.pftrace", "-f")
                want = self.rows("whole.pftrace", *[a + b for a, b in statements.items()])
                for sql, w, got in zip(statements, want, self.rows("piece.pftrace", *statements)):
                    self.assertEqual(w, got, (seed, words, sql))
                self.assertEqual(self.rows("piece.pftrace", CUT["errors"]), self.rows("whole.pftrace", CUT["errors"]), words)
        for words, code, says in (([], 2, "add --process"), (["--process", "nobody"], 1, "no process matches 'nobody'"),
                                  (["--thread", "nobody"], 1, "no thread matches 'nobody'")):
            self.assertIn(says, self.orma("filter", "whole.pftrace", *words, code=code).stderr.decode(), words)

    def test_a_filter_tells_differences_to_what_stays(self):
        head = packet(num(8, START), num(10, 2), num(13, 1), num(3, 1000), field(DEFAULTS, num(58, BOOT), field(TRACK_EVENT, num(11, 9), num(31, 20))))
        head += packet(num(8, START), num(10, 2), num(13, 2), field(DESCRIPTOR, num(1, 9), field(4, num(1, 5), num(2, 6), field(5, "worker"))))
        head += packet(num(8, START), num(10, 2), num(13, 2), field(DESCRIPTOR, num(1, 20), num(5, 9), field(2, "cycles"), field(8, num(5, 1), num(3, 2))))
        head += packet(num(8, START), num(10, 3), num(13, 1), field(DEFAULTS, num(58, BOOT), field(TRACK_EVENT, num(11, 10), num(31, 21))))
        head += packet(num(8, START), num(10, 3), num(13, 2), field(DESCRIPTOR, num(1, 10), field(4, num(1, 5), num(2, 7), field(5, "other"))))
        head += packet(num(8, START), num(10, 3), num(13, 2), field(DESCRIPTOR, num(1, 21), num(5, 10), field(2, "more"), field(8, num(5, 1), num(3, 2))))
        slices = b""
        for ts, seq, kind, amount, category in ((1, 2, 1, 5, "a"), (2, 2, 2, 7, None), (3, 2, 1, 11, "b"), (4, 3, 1, 2, "a"), (5, 2, 2, 13, None),
                                                (6, 3, 2, 3, None), (7, 3, 1, 4, "b"), (8, 3, 2, 6, None)):
            name = [field(22, category), field(23, "x")] if category else []
            slices += packet(num(8, START + ts), num(10, seq), num(13, 2), field(TRACK_EVENT, num(9, kind), num(12, amount), *name))
        (self.dir / "whole").write_bytes(head + slices)
        counter = "SELECT ts, value, t.name FROM counter c JOIN track t ON c.track_id = t.id"
        for words, of in ((["--category", "b"], (3, 5, 7, 8)), (["--not", "--category", "b"], (1, 2, 4, 6)), (["--thread", "other"], (4, 6, 7, 8))):
            self.orma("filter", "whole", *words, "-o", "piece", "-f")
            want = self.rows("whole", f"{counter} WHERE ts - {START} IN {of}")
            self.assertEqual(len(want[0]), 4)
            self.assertEqual(self.rows("piece", counter), want, words)

    def test_a_filter_finds_owners_as_readers_do(self):
        def describe(uuid, parent=0, *fields):
            return packet(num(8, START), num(10, 2), num(13, 1), field(DESCRIPTOR, num(1, uuid), num(5, parent) if parent else b"", *fields))

        def mark(uuid, name):
            return packet(num(8, START + 1), num(10, 2), num(13, 1), field(TRACK_EVENT, num(9, 3), num(11, uuid), field(23, name)))
        program = describe(1, 0, field(3, num(1, 77), field(6, "program")))
        threads = [describe(2, 0, field(4, num(1, 80), num(2, n), field(5, name))) for n, name in ((81, "one"), (82, "two"))]
        deep = b"".join(describe(i, i - 1, field(2, f"track {i}")) for i in range(101, 201))
        circle = describe(301, 302) + describe(302, 301)
        (self.dir / "whole").write_bytes(program + describe(100, 1) + deep + describe(150, 0, field(2, "again")) + mark(200, "deep") + mark(150, "half") + threads[0] + mark(2, "first") +
                                         threads[1] + mark(2, "second") + circle + mark(301, "round"))
        for words, want in ((["--process", "program"], ["deep", "half"]), (["--thread", "one"], ["first", "second"]), (["--not", "--process", "77"], ["first", "second"])):
            self.orma("filter", "whole", *words, "-o", "piece", "-f")
            self.assertEqual(self.rows("piece", "SELECT name FROM slice ORDER BY 1")[0], [f'"{w}"' for w in want], words)

    def test_a_filter_keeps_what_the_kernel_lost(self):
        def bundle(*fields, head=b""):
            return packet(num(10, 50), head, field(1, num(1, 0), *fields))

        def line(ts, pid):
            return field(2, num(1, START + ts), num(2, pid), field(3, field(2, "text\n")))
        tree = packet(num(8, START), field(2, *[field(1, num(1, pid), num(2, 1), field(3, f"program {pid}")) for pid in (10, 11)]))
        lost = ["SELECT name, value FROM stats WHERE severity = 'data_loss' AND value > 0", "SELECT DISTINCT reason, cpu, sequence_id FROM __intrinsic_gap"]
        for bundles in ([bundle(line(5, 11), line(6, 10), num(3, 1))],
                        [bundle(line(5, 10)), bundle(line(6, 11), num(3, 1)), bundle(line(7, 10))],
                        [bundle(line(5, 10)), bundle(line(6, 11), num(3, 1))],
                        [bundle(line(5, 10)), bundle(line(6, 11), head=num(42, 1)), bundle(line(7, 10))]):
            (self.dir / "whole").write_bytes(tree + b"".join(bundles))
            want = self.rows("whole", *lost)
            self.assertTrue(want[1])
            if len(bundles) == 2:
                want[1] = []  # no event of the piece is behind it
            for words in (["--process", "program 10"], ["--not", "--process", "program 11"]):
                self.orma("filter", "whole", *words, "-o", "piece", "-f")
                self.assertEqual(self.rows("piece", *lost), want, (bundles, words))
                self.assertEqual(self.rows("piece", "SELECT DISTINCT tid FROM ftrace_event JOIN thread USING (utid)"), [["10"]])

    def test_times_that_are_differences(self):
        """Older track events and streamed stacks add to one sum, which a descriptor of the thread begins anew, also that of its track."""
        rng, us, starts = random.Random(11), 1_000_000, []
        head, thread = num(10, 2) + num(13, 2), num(1, 5) + num(2, 6)
        names = field(INTERNED, field(5, num(1, 1), field(2, "work")), field(6, num(1, 1), num(2, 1)), field(7, num(1, 1), num(2, 1)))
        packets = [packet(num(8, START), num(10, 2), num(13, 1), names, field(DESCRIPTOR, num(1, 9), field(4, thread))),
                   packet(head, field(44, thread, num(6, us)))]
        for i in range(200):
            steps = [rng.randrange(1, 50) for _ in range(rng.randrange(1, 4))]
            if i % 50 == 49:
                packets.append(packet(head, field(DESCRIPTOR, num(1, 9), field(4, thread, num(6, us)))))
            roll = rng.random()
            starts.append((us + steps[0]) * 1000)
            if roll < .4:
                event = field(22, rng.choice("ab")) + field(23, f"event {i}")
                packets.append(packet(head, field(TRACK_EVENT, num(1, steps[0]), num(9, 3), num(11, 9), event)))
                us += steps[0]
                continue
            us += sum(steps)
            if roll < .7:
                packets.append(packet(head, field(54, *[num(1, 1) + num(2, n) for n in steps])))
            else:  # in one field
                packets.append(packet(head, field(54, field(1, *[varint(1) for _ in steps]), field(2, *map(varint, steps)))))
        (self.dir / "whole").write_bytes(b"".join(packets))
        marks = "SELECT ts, name FROM slice WHERE ts BETWEEN {a} AND {b}"
        stacks = "SELECT ts, tid FROM cpu_profile_stack_sample JOIN thread USING (utid) WHERE ts BETWEEN {a} AND {b}"
        for _ in range(5):
            a, b = sorted(rng.sample(starts, 2))
            self.orma("cut", "whole", "--from", a, "--to", b, "-o", "piece", "-f")
            want = self.rows("whole", *[q.format(a=a, b=b - 1) for q in (marks, stacks)])
            self.assertTrue(all(want))
            self.assertEqual(self.rows("piece", *[q.format(a=0, b=10**12) for q in (marks, stacks)]), want)
        marks, stacks = marks.format(a=0, b=10**12), stacks.format(a=0, b=10**12)
        want = self.rows("whole", marks, stacks, marks + " AND category = 'b'")
        self.orma("split", "whole", "--every", "1ms", "-o", "pieces")
        pieces = [self.rows(p, marks, stacks) for p in sorted((self.dir / "pieces").iterdir())]
        self.assertGreater(len(pieces), 3)
        self.assertEqual([sorted(row for p in pieces for row in p[i]) for i in range(2)], want[:2])
        for words, of in ((["--category", "b"], [want[2], []]), (["--not", "--source", "track_event"], [[], want[1]]), (["--source", "track_event"], [want[0], []])):
            self.orma("filter", "whole", *words, "-o", "piece", "-f")
            self.assertEqual(self.rows("piece", marks, stacks), of, words)

    def test_patterns_of_a_filter_must_match(self):
        self.make(10)

        def no(what, pattern, *words):
            said = self.orma("filter", "whole.pftrace", *words, "-o", "piece", "-f", code=1).stderr.decode()
            self.assertIn(f"no {what} matches '{pattern}'", said, words)
        for more in [], ["--not"]:
            no("process", "nobody", "--process", "nobody", *more)
            no("process", "nobody", "--process", "process 20", "--process", "nobody", *more)
            no("process", "nobody", "--process", "100", "--process", "nobody", *more)
            no("process", "777", "--process", "777", *more)
            no("process", "102", "--process", "102", *more)  # a thread
            no("thread", "n*", "--thread", "thread 3", "--thread", "n*", *more)
            no("thread", "777", "--thread", "102", "--thread", "777", *more)
            no("category", "nett", "--category", "net", "--category", "nett", *more)
            no("kind of packets", "track_events", "--source", "ftrace_events", "--source", "track_events", *more)
        self.assertFalse((self.dir / "piece").exists())
        text = field(3, field(2, "text\n"))
        (self.dir / "whole.pftrace").write_bytes(
            packet(num(10, 50), field(1, num(1, 0), field(2, num(1, START), num(2, 51), text), field(4, field(5, "task"), *[field(n, varint(v)) for n, v in (
                (1, START + 1), (3, 52), (2, 1), (4, 120), (6, 0), (7, START + 2), (8, 53), (9, 0), (10, 120), (11, 0))]))) +
            packet(num(8, START), num(10, 2), field(9, field(1, num(1, 54), num(2, 4096)))) + packet(num(8, START), num(10, 3), field(66, num(2, 55), num(3, 56))) +
            packet(num(8, START), num(10, 4), num(13, 1), field(DESCRIPTOR, num(1, 9), field(3, num(1, 57)))) +
            packet(num(8, START), num(10, 4), num(13, 2), field(TRACK_EVENT, num(9, 3), num(11, 9), field(22, "inline"), field(23, "x"))))
        for words in ([["--process", n] for n in (51, 52, 53, 54, 55, 57)] + [["--thread", n] for n in (51, 52, 53, 56)] +
                      [["--category", "inline"], ["--source", "sys_stats"], ["--process", 51, "--process", 57]]):
            self.orma("filter", "whole.pftrace", *words, "-o", "piece", "-f")
        no("thread", "54", "--thread", 54)

    def test_recompressing_changes_no_packet(self):
        self.make(3)
        self.orma("recompress", "whole.pftrace", "-o", "none", "--compress", "none")
        for how in ("deflate", "zstd"):
            self.orma("recompress", "none", "-o", how, "--compress", how)
            self.assertLess((self.dir / how).stat().st_size, (self.dir / "none").stat().st_size / 2)
            self.orma("recompress", how, "-o", "again", "-f", "--compress", "none")
            self.assertEqual((self.dir / "again").read_bytes(), (self.dir / "none").read_bytes(), how)
            self.same("whole.pftrace", how, {k: q.format(a=0, b=10**12) for k, q in CUT.items()}, how)

    def test_no_secret_is_left(self):
        secret = b"hunter2-s3cret"
        text, ts = secret.decode(), num(8, START + 1)
        interned = field(INTERNED, field(2, num(1, 900), field(2, text)), field(1, num(1, 900), field(2, text)), field(3, num(1, 900), field(2, text)),
                         *[field(n, num(1, 900), field(2, secret)) for n in (5, 16, 17)], field(4, num(1, 900), field(2, text), field(3, text)))
        note = field(4, field(10, text), field(6, text)) + field(4, field(10, "j"), field(9, '{"k": "%s"}' % text)) + \
            field(4, field(10, "d"), field(11, field(10, text), field(6, text))) + field(4, field(10, "p"), field(14, secret))
        event = field(TRACK_EVENT, num(9, 1), num(11, 1002), field(23, text), field(22, text), note, field(9998, secret))
        planted = [packet(ts, interned, num(10, 2), num(13, 2), event), packet(ts, num(10, 2), num(13, 2), field(TRACK_EVENT, num(9, 2), num(11, 1002))),
                   packet(ts, field(2, field(1, num(1, 77), num(2, 1), field(3, text), field(3, "--password=" + text)))),
                   packet(ts, num(10, 50), field(1, num(1, 0), field(2, num(1, START + 5), num(2, 10), field(3, field(2, f"B|100|{text}\n"))),
                                                 field(2, num(1, START + 6), num(2, 10), field(3, field(2, f"C|100|{text}|7\n"))),
                                                 field(4, field(5, text)), field(512, secret))),
                   packet(field(33, field(2, field(1, field(1, text))), field(9997, secret))), packet(ts, field(45, field(1, field(1, text), field(2, text)))),
                   packet(ts, field(39, field(1, num(1, 0), num(2, 100), field(6, text), field(8, text)))),
                   packet(ts, field(9996, secret)), packet(ts, num(10, 2), field(61, field(1, text), field(2, text))),
                   packet(ts, field(72, field(1, field(1, field(1, text))))), packet(ts, field(36, secret)), packet(ts, num(8, 1), field(900, field(1, text))),
                   packet(ts, field(58, secret)), field(77, secret)]
        data, _ = make(4)
        whole = data + b"".join(planted) + packet(field(50, zlib.compress(b"".join(planted))))
        (self.dir / "whole.pftrace").write_bytes(whole)
        self.orma("recompress", "whole.pftrace", "--compress", "none", "-o", "unpacked")
        self.assertGreater((self.dir / "unpacked").read_bytes().count(secret), 40)
        for words in ([], ["--hide", f"*{text}*"], ["--drop-args"], ["--keep", "work *"]):
            self.orma("redact", "whole.pftrace", "-o", "out", "-f", *words)
            self.orma("redact", "whole.pftrace", "-o", "plain", "-f", "--compress", "none", *words)
            for name in ("out", "plain"):
                left = (self.dir / name).read_bytes()
                for form in (secret, secret[:9], secret.hex().encode(), text.encode("utf-16-le")):
                    self.assertNotIn(form, left, (name, words))
            self.orma("recompress", "out", "-o", "out.plain", "-f", "--compress", "none")
            self.assertNotIn(secret, (self.dir / "out.plain").read_bytes())
        kept = self.rows("out", "SELECT DISTINCT name FROM slice WHERE name GLOB 'work *'")[0]
        self.assertGreater(len(kept), 5)
        self.orma("redact", "whole.pftrace", "-o", "out", "-f")
        said = self.rows("out", "SELECT count(*) FROM slice WHERE name GLOB 'r_*' AND length(name) = 15", "SELECT count(*) FROM slice WHERE name NOT GLOB 'r_*'")
        self.assertEqual(said[1], ["0"])
        numbers = ["SELECT ts, dur, depth, track_id FROM slice", "SELECT ts, value FROM counter", "SELECT ts, dur, cpu, tid, priority FROM sched JOIN thread USING (utid)",
                   "SELECT ts, cpu FROM ftrace_event", "SELECT pid FROM process", "SELECT tid FROM thread", "SELECT count(*) FROM args JOIN slice USING (arg_set_id)",
                   "SELECT count(*), count(DISTINCT name), count(DISTINCT category) FROM slice", "SELECT count(*) AS n FROM slice GROUP BY name ORDER BY n"]
        for a, b, sql in zip(self.rows("whole.pftrace", *numbers), self.rows("out", *numbers), numbers):
            self.assertEqual(a, b, sql)
        self.orma("redact", "whole.pftrace", "-o", "other", "-f")  # another key
        self.assertNotEqual(self.rows("out", "SELECT DISTINCT name FROM slice")[0], self.rows("other", "SELECT DISTINCT name FROM slice")[0])

    def test_texts_that_hide_in_others(self):
        """Names in lines of programs, names that the kernel cut, numbers that are names, JSON."""
        lines = ["B|100|customer_smith", "B|100|card|4111111111111111", "B|4111111111111111|x", "B|100|cust|smith x", "C|100|customer_count|42",
                 "S|100|customer_load|7", "no form"]
        prints = [field(2, num(1, START + i), num(2, 10), field(3, field(2, line + "\n"))) for i, line in enumerate(lines)]
        note = field(4, field(10, "json"), field(9, '{"k": "v"}'))
        (self.dir / "whole.pftrace").write_bytes(
            packet(num(8, START), num(10, 3), field(2, field(1, num(1, 77), num(2, 1), field(3, "customer_database_server")))) +
            packet(num(10, 50), field(1, num(1, 0), *prints, field(2, num(1, START + 9), num(2, 10), field(4, field(1, "customer_databa"), num(2, 77))))) +
            packet(num(8, START), num(10, 4), num(13, 1), field(TRACK_EVENT, num(9, 3), num(11, 5), field(23, "event"), note, num(36, 123456789))))

        def redact(*words):
            self.orma("redact", "whole.pftrace", "-o", "out", "-f", "--compress", "none", *words)
            return (self.dir / "out").read_bytes()

        left = redact()
        for secret in b"customer", b"smith", b"4111111111111111", b"no form", b'"k"':
            self.assertNotIn(secret, left)
        for kept in b"B|100|r_", b"|42\n", b"|7\n", b'"r_':
            self.assertIn(kept, left)
        self.assertEqual(self.rows("out", "SELECT value FROM counter"), [["42.000000"]])
        left = redact("--hide", "customer_*")
        for secret in b"customer_smith", b"customer_count", b"customer_databa":
            self.assertNotIn(secret, left)
        self.assertIn(b"|cust|smith x", left)
        self.assertIn(b'{"k": "v"}', left)
        self.assertNotIn(b'"{', left)
        self.assertNotIn(b"smith x", redact("--hide", "*cust|smith*"))
        self.assertNotIn(b"customer_databa", redact("--hide", "customer_database*"))
        self.assertIn(b"B|100|customer_smith", redact("--keep", "B|100|customer_smith"))

    def test_errors_of_the_output_have_a_reason(self):
        self.make(7)
        (self.dir / "large.pftrace").write_bytes((self.dir / "whole.pftrace").read_bytes() * 30)
        for words in ["cut", "--from", "0s"], ["filter", "--source", "track_event"], ["redact"], ["recompress", "--compress", "none"]:
            with open("/dev/full", "wb") as full:
                done = subprocess.run([ORMA, words[0], "large.pftrace", "-o", "-", *words[1:]], cwd=self.dir, env=self.env, stdout=full, stderr=subprocess.PIPE)
            self.assertEqual((done.returncode, done.stderr.count(b"No space left")), (1, 1), (words, done.stderr))

    def test_compressed_files_that_end_too_early(self):
        self.make(7)
        data = gzip.compress((self.dir / "whole.pftrace").read_bytes())
        (self.dir / "half.gz").write_bytes(data[:len(data) // 2])
        (self.dir / "tail.gz").write_bytes(data[:-8])
        for name in "half.gz", "tail.gz":
            for words in ["cut", name, "--from", "0s"], ["recompress", name], ["redact", name]:
                said = self.orma(*words, "-o", "out", "-f").stderr
                self.assertIn(b"compressed data ends too early", said, words)

    def test_a_file_that_changes_meanwhile(self):
        """All walks over it find the same, or nothing comes of it."""
        self.make(7, events=20_000)
        data = (self.dir / "whole.pftrace").read_bytes()
        refused = 0
        for i in range(40):
            (self.dir / "t.pftrace").write_bytes(data)
            with subprocess.Popen([ORMA, "split", "t.pftrace", "--every", "500ms", "-o", f"pieces{i}"], cwd=self.dir, env=self.env,
                                  stderr=subprocess.PIPE) as program:
                time.sleep(i * .001)
                os.truncate(self.dir / "t.pftrace", len(data) // 3)
                said = program.stderr.read().decode()
            refused += program.returncode != 0
            if program.returncode:
                self.assertIn("changed while it was read", said)
                self.assertFalse(list((self.dir / f"pieces{i}").glob("*")))
            else:
                self.assertNotIn(" 0 events", said)
                self.assertNotRegex(said, r"[0-9]{7} s")
        self.assertGreater(refused, 0)

    def test_damage_is_told_and_counted(self):
        self.make(7)
        data = bytearray((self.dir / "whole.pftrace").read_bytes())
        at = len(data) // 2
        data[at:at + 300] = b"\xff" * 300
        (self.dir / "hurt.pftrace").write_bytes(data[:-5])
        said = self.orma("cut", "hurt.pftrace", "--from", "0s", "-o", "piece.pftrace").stderr.decode()
        self.assertRegex(said, "warning: damaged in [0-9]+ places?, [0-9]+ bytes left out; the first, at byte ")
        self.assertEqual(self.rows("piece.pftrace", CUT["errors"].replace("'ftrace%'", "'%switch%'")), [[]])

    def test_hostile_bytes(self):
        rng = random.Random(8)
        self.make(9, events=150)
        data = (self.dir / "whole.pftrace").read_bytes()
        for i in range(int(60 / SLOW)):
            bad = bytearray(data)
            for _ in range(rng.randrange(1, 20)):
                at = rng.randrange(len(bad))
                if rng.random() < .7:
                    bad[at] = rng.randrange(256)
                else:
                    bad[at:at + rng.randrange(50)] = rng.randbytes(rng.randrange(50))
            far = rng.choice((0, 1, 5 * 10**18, (1 << 63) - 1, 1 << 63, -5 * 10**18))
            (self.dir / "bad").write_bytes(bytes(bad) + packet(num(8, far), num(10, 77), num(58, 6), field(TRACK_EVENT, num(9, 3), num(11, 1))))
            for words in (["cut", "bad", "--from", "5ms", "--to", "40ms", "-o", "x", "-f"],
                          ["split", "bad", "--every", "30ms", "-o", "p", "-f"], ["split", "bad", "--size", "20k", "-o", "p", "-f"],
                          ["filter", "bad", "--thread", "1*", "--thread", "102", "-o", "x", "-f"],
                          ["redact", "bad", "-o", "x", "-f"], ["recompress", "bad", "-o", "x", "-f"]):
                done = self.run_program(ORMA, *words)
                self.assertIn(done.returncode, (0, 1), (i, words, done.stderr[-2000:]))


if __name__ == "__main__":
    unittest.main()
