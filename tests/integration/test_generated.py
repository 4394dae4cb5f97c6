"""Random valid files of other programs, made from slices that are known: all of them come out, with these times."""
import json
import random

from orma_env import *

NAMES = ["f0", "f1", "f2", "a b", "<x>", "\u00e9\n\"q", "f;g"]


def calls(rng, at, room, depth=0, least=0):
    """Nested calls [(name, begin, end, calls)] from `at` on, and when the last one ends. Between two times is `least` at least: with 0, many
    are of no length."""
    found = []
    for _ in range(rng.randrange(4) if depth < 8 else 0):
        if not room[0]:
            break
        room[0] -= 1
        at += least + rng.randrange(4)
        begin, (inner, at) = at, calls(rng, at + rng.randrange(2), room, depth + 1, least)
        at += least + rng.randrange(4)
        found.append((rng.choice(NAMES), begin, at, inner))
    return found, at


def slices(found):
    for name, begin, end, inner in found:
        yield name, begin, end
        yield from slices(inner)


class Generated(Case):
    SEEDS = 12

    def rows(self, trace, more="", columns=""):
        done = self.orma("query", "--format=json", trace, f"SELECT s.ts, s.dur, s.name{columns} FROM slice s {more}")
        return sorted(tuple(row.values()) for row in json.loads(done.stdout, strict=False))

    def write(self, name, text):
        (self.dir / name).write_text(text)
        return name

    def json_events(self, rng, found, tid):
        """In the order of the file: B and E around what they call, X before it or, as they are written at their end, behind it."""
        for name, begin, end, inner in found:
            kind = rng.randrange(3)
            event = {"pid": 1, "tid": tid, "ts": begin, "name": name}
            if kind == 0:
                yield {**event, "ph": "X", "dur": end - begin}
            elif kind == 1:
                yield {**event, "ph": "B"}
            yield from self.json_events(rng, inner, tid)
            if kind == 1:
                yield {"ph": "E", "pid": 1, "tid": tid, "ts": end, **({"name": name} if rng.randrange(2) else {})}
            elif kind == 2:
                yield {**event, "ph": "X", "dur": end - begin}

    def test_json_with_begins_ends_and_whole_slices(self):
        """At different times: of one time, ends come first, then whole slices, then begins, wherever the file has them."""
        for seed in range(self.SEEDS):
            rng = random.Random(seed)
            events, want = [], []
            for tid in (7, 8, 9):
                found, _ = calls(rng, 10, [30], least=1)
                want += [(begin * 1000, (end - begin) * 1000, name, tid) for name, begin, end in slices(found)]
                events += self.json_events(rng, found, tid)
            trace = self.write("t.json", json.dumps({"traceEvents": [*events, {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "p"}}]}))
            with self.subTest(seed=seed):
                self.assertEqual(self.rows(trace, "JOIN thread_track t ON t.id = s.track_id JOIN thread USING (utid)", ", tid"), sorted(want))

    def test_markers_of_firefox_that_overlap(self):
        for seed in range(self.SEEDS):
            rng = random.Random(seed)
            markers = [(rng.randrange(2), begin, begin + rng.randrange(1, 50)) for begin in (rng.randrange(100) for _ in range(20))]
            trace = self.write("g.json", json.dumps({"meta": {"categories": [{"name": "Other"}]}, "threads": [{
                "name": "T", "pid": 4, "tid": 5, "stringTable": ["Load", "Image"],
                "samples": {"schema": {"stack": 0, "time": 1}, "data": []},
                "markers": {"schema": {"name": 0, "startTime": 1, "endTime": 2, "phase": 3, "category": 4},
                            "data": [[name, begin, end, 1, 0] for name, begin, end in markers]}}]}))
            want = sorted((begin * 10**6, (end - begin) * 10**6, ["Load", "Image"][name]) for name, begin, end in markers)
            with self.subTest(seed=seed):
                self.assertEqual(self.rows(trace), want)

    def test_events_of_speedscope(self):
        def events(found):
            for name, begin, end, inner in found:
                yield {"type": "O", "frame": NAMES.index(name), "at": begin}
                yield from events(inner)
                yield {"type": "C", "frame": NAMES.index(name), "at": end}

        for seed in range(self.SEEDS):
            found, last = calls(random.Random(seed), 0, [40])
            trace = self.write("s.json", json.dumps({
                "$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": n} for n in NAMES]},
                "profiles": [{"type": "evented", "name": "t", "unit": "microseconds", "startValue": 0, "endValue": last + 1,
                              "events": [*events([("f0", 0, last + 1, found)])]}]}))
            want = sorted((begin * 1000, (end - begin) * 1000, name) for name, begin, end in [("f0", 0, last + 1), *slices(found)])
            with self.subTest(seed=seed):
                self.assertEqual(self.rows(trace), want)

    def test_calls_of_strace(self):
        texts = ['3, "a) = 5 <0.1>", 10', "{tv_sec=1}, NULL", "", '"= 3 <unfinished ...>"', '5</tmp/a b>, "(" , 2']
        for seed in range(self.SEEDS):
            rng = random.Random(seed)
            now, lines, want, waits = 1700000000 * 10**6, [], [], {}

            def time(us):
                return f"{us // 10**6}.{us % 10**6:06d}"
            for _ in range(60):
                now += rng.randrange(1, 500)
                tid = rng.choice((11, 12, 40000))
                if tid in waits:
                    begin, name = waits.pop(tid)
                    lines.append(f"{tid} {time(now)} <... {name} resumed>) = 0 <{time(now - begin)}>")
                    want.append((begin * 1000, (now - begin) * 1000, name, tid))
                    continue
                name, text, us = rng.choice(("read", "futex", "openat")), rng.choice(texts), rng.randrange(400)
                if rng.randrange(3):
                    lines.append(f"{tid} {time(now)} {name}({text}) = 0 <{time(us)}>")
                    want.append((now * 1000, us * 1000, name, tid))
                    now += us
                else:
                    lines.append(f"{tid} {time(now)} {name}({text} <unfinished ...>")
                    waits[tid] = now, name
            want += [(begin * 1000, -1, name, tid) for tid, (begin, name) in waits.items()]
            trace = self.write("t.strace", "\n".join(lines) + "\n")
            with self.subTest(seed=seed):
                self.assertEqual(self.rows(trace, "JOIN thread_track t ON t.id = s.track_id JOIN thread USING (utid)", ", tid"), sorted(want))

    def switches(self, rng):
        """Text of the kernel: one cpu, threads that sleep, are woken by each other, and are first seen at some time."""
        now, running, ready, asleep, lines = 10**9, 0, [], [101, 102, 103, 104], []

        def name(tid):
            return f"th{tid}" if tid else "swapper/0"
        for _ in range(rng.randrange(10, 80)):
            now += rng.randrange(1, 3000)
            begin = f"{name(running) if running else '<idle>'}-{running} [000] d..3 {now // 10**6}.{now % 10**6:06d}: "
            if asleep and rng.randrange(2):
                tid = asleep.pop(rng.randrange(len(asleep)))
                ready.append(tid)
                lines.append(begin + f"sched_waking: comm={name(tid)} pid={tid} prio=120 target_cpu=000")
            elif ready or running:
                state, after = rng.choice("RSD"), ready.pop(rng.randrange(len(ready))) if ready else 0
                lines.append(begin + f"sched_switch: prev_comm={name(running)} prev_pid={running} prev_prio=120 prev_state={state if running else 'R'} "
                             f"==> next_comm={name(after)} next_pid={after} next_prio=120")
                if running:
                    (ready if state == "R" else asleep).append(running)
                running = after
        return "# tracer: nop\n#\n" + "\n".join(lines) + "\n"

    def test_why_explains_all_of_the_time(self):
        found = 0
        for seed in range(self.SEEDS):
            trace = self.write("t.systrace", self.switches(random.Random(seed)))
            for tid in (101, 102, 103):
                done = self.orma("why", trace, "--thread", tid, "--json", code=None)
                for section in json.loads(done.stdout)["sections"] if not done.returncode else ():
                    if section["name"] == "time":
                        found += 1
                        with self.subTest(seed=seed, tid=tid):
                            self.assertAlmostEqual(sum(row["share_pct"] for row in section["rows"]), 100)
        self.assertGreater(found, self.SEEDS)


if __name__ == "__main__":
    unittest.main()
