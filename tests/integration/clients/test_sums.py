"""The same question has the same answer everywhere: run times, waits, calls, slices and shares of functions of twenty traces, asked
of `orma report`, `why`, `view` (what it packs), `query`, `profile report` and `convert`, and counted here from the raw tables. A run,
wait, slice or call whose end is not known is in no sum; one that its thread ended in, lasted until then."""
import collections
import json
import random
import re
import xml.dom.minidom

import view_reader
from orma_env import *
from view_reader import View

MANGLED = "_ZN3app4workERSt6vectorIiSaIiEE"  # app::work(std::vector<int, std::allocator<int> >&)


def switch(ts, cpu, prev, state, then):
    return (f'packet {{ trusted_packet_sequence_id: 1 ftrace_events {{ cpu: {cpu} event {{ timestamp: {ts} pid: {prev} sched_switch {{ '
            f'prev_comm: "t{prev}" prev_pid: {prev} prev_state: {state} next_comm: "t{then}" next_pid: {then} next_prio: 120 }} }} }} }}')


def event(ts, cpu, pid, text):
    return f"packet {{ trusted_packet_sequence_id: 1 ftrace_events {{ cpu: {cpu} event {{ timestamp: {ts} pid: {pid} {text} }} }} }}"


def kernel(seed, cpus=2, missing=0.1):
    """Threads on cores, with switches that are missing, calls that do not return, and threads that end in them or not."""
    rnd, out = random.Random(seed), []
    for cpu in range(cpus):
        ts, now = 1000 + cpu, 0
        mine = [10 + 10 * cpu + i for i in range(6)]
        for _ in range(120):
            ts += rnd.randrange(10, 5000)
            then = rnd.choice([t for t in [0, *mine] if t != now])
            if rnd.random() >= missing:
                out.append((ts, switch(ts, cpu, now, rnd.choice((0, 1, 2, 256)), then)))
            now = then
            if now and rnd.random() < 0.3:
                out.append((ts + 2, event(ts + 2, cpu, now, "sys_enter { id: 1 args: 0 }")))
                if rnd.random() < 0.7:
                    out.append((ts + 5, event(ts + 5, cpu, now, "sys_exit { id: 1 ret: 1 }")))
            if now and len(mine) > 2 and rnd.random() < 0.03:
                out.append((ts + 6, event(ts + 6, cpu, now, "sys_enter { id: 231 args: 0 }")))
                out.append((ts + 8, switch(ts + 8, cpu, now, 64, 0)))
                out.append((ts + 9, event(ts + 9, cpu, 0, f'sched_process_free {{ comm: "t{now}" pid: {now} prio: 120 }}')))
                mine.remove(now)
                now = 0
    return "\n".join(text for _, text in sorted(out, key=lambda e: e[0]))


def systrace(seed):
    """Lines of the kernel, some of them lost; slices that are not ended."""
    rnd, out, ts, now = random.Random(seed), ["# tracer: nop", "#"], 100.0, 0
    for _ in range(80):
        ts += rnd.random()
        then = rnd.choice([t for t in (0, 1, 2, 3, 4) if t != now])
        if rnd.random() > 0.2:
            out.append(f"{f'n{now}':>12}-{now} [000] d..2 {ts:.6f}: sched_switch: prev_comm=n{now} prev_pid={now} prev_prio=120 prev_state="
                       f"{rnd.choice('SRD')} ==> next_comm=n{then} next_pid={then} next_prio=120")
        now = then
        if now:
            out.append(f"{f'n{now}':>12}-{now} [000] .... {ts + 0.00001:.6f}: tracing_mark_write: B|{now}|work {now % 3}")
            if rnd.random() < 0.6:
                out.append(f"{f'n{now}':>12}-{now} [000] .... {ts + 0.00002:.6f}: tracing_mark_write: E|{now}")
    return "\n".join(out) + "\n"


def chrome(seed):
    rnd, events, ts = random.Random(seed), [], 1
    for i in range(200):
        ts += rnd.randrange(1, 50)
        base = {"pid": 1 + i % 2, "tid": 1 + i % 4, "ts": ts, "name": f"s{i % 7}"}
        kind = rnd.choice("BBEX")
        events.append(base | {"ph": kind} | ({"dur": rnd.randrange(0, 5)} if kind == "X" else {}))
    return json.dumps({"traceEvents": events})


def strace(seed):
    rnd, out, ts = random.Random(seed), [], 1700000000.0
    for _ in range(60):
        ts += rnd.random()
        pid = rnd.choice((100, 101, 102))
        call, dur = rnd.choice(("read", "write", "futex")), rnd.random() / 100
        out.append(f'{pid} {ts:.6f} {call}(3, "x", 1) = {rnd.choice((1, 1, "-1 EAGAIN (Resource temporarily unavailable)"))} <{dur:.6f}>')
    out.append(f"102 {ts + 1:.6f} exit_group(0) = ?")
    out.append(f"102 {ts + 1.1:.6f} +++ exited with 0 +++")
    out.append(f"101 {ts + 2:.6f} read(3,  <unfinished ...>")
    return "\n".join(out) + "\n"


def perf_script(seed):
    rnd, out = random.Random(seed), []
    names = ["main", MANGLED, "in\udcffner", "operator<", "[unknown]", "x;y"]
    for i in range(50):
        stack = [rnd.choice(names) for _ in range(rnd.randrange(1, 6))]
        out.append(f"prog {100 + i % 2}/{100 + i % 2} [000] {1 + i / 100:.6f}: 10000000 cpu-clock: \n"
                   + "".join(f"\t{4096 + len(n):x} {n} (/bin/pr og)\n" for n in stack))
    return "\n".join(out) + "\n"


def profile(seed, counter="SW_CPU_CLOCK"):
    """Samples of a program whose calls were compiled in, and symbols that say so."""
    rnd = random.Random(seed)
    stacks = [[rnd.randrange(1, 6) for _ in range(rnd.randrange(1, 5))] for _ in range(8)]
    out = ["packet { trusted_packet_sequence_id: 1 clock_snapshot { clocks { clock_id: 6 timestamp: 100 } clocks { clock_id: 3 timestamp: 100 } } }",
           f"packet {{ trusted_packet_sequence_id: 2 sequence_flags: 1 timestamp: 1000 trace_packet_defaults {{ perf_sample_defaults {{ timebase {{ counter: {counter} period: 1000 }} }} }}"
           ' interned_data { build_ids { iid: 1 str: "\\001\\252" } mapping_paths { iid: 1 str: "bin" } mapping_paths { iid: 2 str: "app" }'
           ' mappings { iid: 1 build_id: 1 path_string_ids: 1 path_string_ids: 2 start: 4096 end: 65536 }'
           + f' function_names {{ iid: 1 str: "" }} function_names {{ iid: 2 str: "{MANGLED}" }} function_names {{ iid: 3 str: "main" }}'
           + "".join(f" frames {{ iid: {n} mapping_id: 1 function_name_id: {(1, 2, 3)[n % 3]} rel_pc: {256 * n} }}" for n in range(1, 6))
           + "".join(f" callstacks {{ iid: {i + 1} {' '.join(f'frame_ids: {f}' for f in s)} }}" for i, s in enumerate(stacks)) + " } }"]
    ts = 2000
    for i in range(60):
        ts += 1000
        out.append(f"packet {{ trusted_packet_sequence_id: 2 timestamp: {ts} perf_sample {{ cpu: 0 pid: 10 tid: {11 + i % 2} callstack_iid: {1 + rnd.randrange(8)} timebase_count: {1000 * i + rnd.randrange(900)} }} }}")
    out.append('packet { module_symbols { path: "/bin/app" build_id: "\\001\\252" '
               'address_symbols { address: 768 lines { function_name: "inner" } lines { function_name: "_ZN3app5innerEv" } lines { function_name: "outer" } } '
               'address_symbols { address: 512 lines { function_name: "inner" } } } }')
    return "\n".join(out)


def heap(seed):
    rnd = random.Random(seed)
    return "\n".join([
        'packet { trusted_packet_sequence_id: 1 timestamp: 10 process_tree { processes { pid: 7 ppid: 1 cmdline: "/opt/app" } } }',
        'packet { trusted_packet_sequence_id: 1 timestamp: 20 profile_packet { strings { iid: 1 str: "main" } strings { iid: 2 str: "'
        + MANGLED + '" } strings { iid: 3 str: "/opt/a.out" } mappings { iid: 1 path_string_ids: 3 } '
        'frames { iid: 1 function_name_id: 1 mapping_id: 1 rel_pc: 16 } frames { iid: 2 function_name_id: 2 mapping_id: 1 rel_pc: 32 } '
        'callstacks { iid: 1 frame_ids: 1 frame_ids: 2 } callstacks { iid: 2 frame_ids: 1 } process_dumps { pid: 7 timestamp: 30 heap_name: "libc.malloc" '
        f'samples {{ callstack_id: 1 self_allocated: {rnd.randrange(5000, 9000)} alloc_count: 9 self_freed: 1000 free_count: 1 }} '
        f'samples {{ callstack_id: 2 self_allocated: {rnd.randrange(5000, 9000)} alloc_count: 5 self_freed: 500 free_count: 5 }} }} }} }}'])


TRACES = [(f"kernel {n}", "proto", kernel(n, *args)) for n, args in enumerate([(1,), (2,), (2, 0), (3, 0.3), (1, 0.5), (4, 0.02)])] \
    + [(f"systrace {n}", "txt", systrace(n)) for n in range(3)] + [(f"chrome {n}", "json", chrome(n)) for n in range(3)] \
    + [(f"strace {n}", "strace", strace(n)) for n in range(2)] + [(f"perf script {n}", "script", perf_script(n)) for n in range(2)] \
    + [("profile 0", "proto", profile(0)), ("profile 1", "proto", profile(1, "SW_PAGE_FAULTS"))] + [(f"heap {n}", "proto", heap(n)) for n in range(2)]


class Sums(Case):
    def write(self, kind, text):
        path = self.dir / f"t.{kind}"
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
        if kind != "proto":
            return path
        self.orma("convert", "-f", "binary", path, self.dir / "t.pftrace")
        return self.dir / "t.pftrace"

    def sql(self, trace, sql):
        return [tuple(row.values()) for row in json.loads(self.orma("query", "--format=json", trace, sql).stdout)]

    def sections(self, *argv):
        return {s["name"]: s["rows"] for s in json.loads(self.orma(*argv, "--json", "--top", "0").stdout)["sections"]}

    def view(self, trace):
        (self.dir / "t.html").unlink(missing_ok=True)
        self.orma("view", trace, "-o", self.dir / "t.html")
        return View((self.dir / "t.html").read_bytes())

    def test_twenty_traces(self):
        self.assertEqual(len(TRACES), 20)
        asked = collections.Counter()
        for name, kind, text in TRACES:
            with self.subTest(name):
                trace = self.write(kind, text)
                view = self.view(trace)
                for question in (self.runs_and_waits, self.slices, self.functions):
                    asked[question.__name__] += question(trace, view)
        self.assertGreater(min(asked.values()), 20, asked)

    # ---- runs and waits ----

    def known(self, trace):
        """By tid: how long it ran, waited for a cpu; from the raw tables. How many runs have no end that is known."""
        begin, end = self.sql(trace, "SELECT start_ts, end_ts FROM trace_bounds")[0]
        died = dict(self.sql(trace, "SELECT utid, end_ts FROM thread WHERE end_ts IS NOT NULL"))
        idle = {u for u, in self.sql(trace, "SELECT utid FROM thread WHERE is_idle")}
        tids = dict(self.sql(trace, "SELECT utid, tid FROM thread"))
        runs = self.sql(trace, "SELECT id, ts, dur, ucpu, utid FROM sched ORDER BY id")
        last_of_cpu = {ucpu: id for id, _, _, ucpu, _ in runs}
        ran, waited, unknown = collections.Counter(), collections.Counter(), 0
        for id, ts, dur, ucpu, utid in runs:
            if dur < 0 and last_of_cpu[ucpu] == id and died.get(utid, ts) >= ts:
                dur = min(died.get(utid, end), end) - ts
            if utid not in idle:
                unknown += dur < 0
                ran[tids[utid]] += max(dur, 0)
        states = self.sql(trace, "SELECT id, ts, dur, utid, state FROM thread_state ORDER BY id")
        last = {utid: id for id, _, _, utid, _ in states}
        for id, ts, dur, utid, state in states:
            if state not in ("R", "R+"):
                continue
            if dur < 0 and last[utid] == id and died.get(utid, ts) >= ts:
                dur = min(died.get(utid, end), end) - ts
            waited[tids[utid]] += max(dur, 0)
        return ran, waited, unknown, end - begin

    def runs_and_waits(self, trace, view):
        ran, waited, unknown, span = self.known(trace)
        if not ran:
            return 0
        rows = {r["tid"]: r for r in self.sections("report", trace, "threads")["threads"] if r["threads"] == 1}
        for tid, r in rows.items():
            self.assertEqual((r["cpu_ns"], r["waited_ns"]), (ran[tid], waited[tid]), f"report: thread {tid}")
            self.assertLessEqual(r["share_pct"], 100)
        self.assertEqual(dict(self.sql(trace, "INCLUDE PERFETTO MODULE orma.sched; SELECT tid, sum(dur) FROM orma_run JOIN thread USING (utid) GROUP BY tid")),
                         dict(ran), "query")
        self.assertEqual(sum(r["busy_ns"] for r in self.sections("report", trace, "cpus")["cpus"]), sum(ran.values()), "report cpus")
        # The timeline: what a selection of all of it sums up.
        packed, unended, of_threads, of_waits = collections.Counter(), 0, collections.Counter(), collections.Counter()
        for _, c in view.items(view_reader.SCHED):
            for dur, row in zip(c["dur"], c["other"]):
                packed[view.rows[row]["id"]] += max(dur, 0)
                unended += dur < 0
        for row, c in view.items(view_reader.STATES):
            for dur, state in zip(c["dur"], c["state"]):
                of_threads[view.rows[row]["id"]] += max(dur, 0) * (view.strings[state] == "Running")
                of_waits[view.rows[row]["id"]] += max(dur, 0) * (view.strings[state] in ("R", "R+"))
        self.assertEqual(+packed, +ran, "view: cores")
        self.assertEqual(unended, unknown, "view: runs without an end")
        self.assertEqual((+of_threads, +of_waits), (+ran, +waited), "view: threads")
        for tid in list(ran)[:4]:
            kinds = {r["kind"]: r["time_ns"] for r in self.sections("why", trace, "--thread", tid, "time")["time"] if not r["inferred"]}
            self.assertEqual(kinds.get("ran", 0) + kinds.get("page faults", 0) + kinds.get("interrupted", 0), ran[tid], f"why: thread {tid} ran")
            self.assertEqual(sum(kinds.get(k, 0) for k in ("CPU taken", "CPU idle", "throttled")), waited[tid], f"why: thread {tid} waited")
        return len(rows)

    # ---- slices and calls ----

    def slices(self, trace, view):
        rows = self.sql(trace, "SELECT s.name, s.ts, s.dur, coalesce(h.end_ts, p.end_ts), s.category, t.utid IS NOT NULL FROM slice s LEFT JOIN thread_track t ON t.id = s.track_id "
                        "LEFT JOIN thread h ON h.utid = t.utid LEFT JOIN process_track o ON o.id = s.track_id LEFT JOIN process p ON p.upid = o.upid")
        if not rows:
            return 0
        sums = {}
        for name, ts, dur, died, category, _ in rows:
            dur = dur if dur >= 0 else died - ts if died is not None and died >= ts else None
            n, total, longest, unknown, known_category = sums.get(name, (0, 0, None, 0, category))
            sums[name] = (n + 1, total + (dur or 0), dur if longest is None else max(longest, dur or 0), unknown + (dur is None), known_category)
        packed = {}
        for _, c in view.items(view_reader.SLICES):
            for name, dur in zip(c["name"], c["dur"]):
                n, total, longest, unknown = packed.get(view.strings[name], (0, 0, None, 0))
                packed[view.strings[name]] = (n + 1, total + max(dur, 0), longest if dur < 0 else max(longest or 0, dur), unknown + (dur < 0))
        self.assertEqual(packed, {name: s[:4] for name, s in sums.items()}, "view")
        calls = lambda name, s: s[4] == "strace" or (s[4] is None and name.startswith("sys_"))
        said = self.sections("report", trace, "slices", "slowest", "syscalls")
        wanted = {name: s[:4] for name, s in sums.items() if not calls(name, s)}
        self.assertEqual({r["slice"]: (r["times"], r["total_ns"], r["max_ns"], r["unknown"]) for r in said.get("slices", [])}, wanted, "report slices")
        for r in said.get("slowest", [])[:1]:
            self.assertEqual(r["dur_ns"], max((s[2] for s in wanted.values() if s[2] is not None), default=None), "report slowest")
        for r in said.get("syscalls", []):
            n, total, longest, unknown, category = sums[r["call"] if r["call"] in sums else "sys_" + r["call"]]
            self.assertEqual((r["calls"], r["total_ns"], r["max_ns"]), (n - unknown, total, longest), f"report syscalls: {r['call']}")
        return len(sums)

    # ---- functions ----

    def shares(self, stacks):
        """[(functions from the root, weight)] -> {function: (self, total)}."""
        own, total = collections.Counter(), collections.Counter()
        for stack, weight in stacks:
            own[stack[-1]] += weight
            for name in set(stack):
                total[name] += weight
        return {name: (own[name], total[name]) for name in total}

    def functions(self, trace, view):
        rows = self.sections("report", trace, "functions").get("functions", [])
        if not rows:
            return 0
        said = {r["function"]: (r["self"], r["total"]) for r in rows}
        self.assertEqual(len(said), len(rows))
        self.assertTrue(any(s["name"].startswith("app::work(") or s["name"] == "inner" for s in [{"name": n} for n in said]), said)
        heap = rows[0]["counted"].startswith("libc.malloc")
        options = ["--heap", "live"] if heap else []
        text = self.orma("profile", "report", trace, "-n", "0", *options).stdout.decode("utf-8", "replace")
        of_profile = {}
        for line in text.split("function\n", 1)[1].splitlines():
            own, total, name = re.match(r" *([\d.]+) % +\S+(?: [a-zA-Zµ]+i?B?)? +([\d.]+) % +\S+(?: [a-zA-Zµ]+i?B?)?  (.*?)(?:  [^ ].*)?$", line).groups()
            of_profile[name.replace(" (inlined)", "")] = (float(own), float(total))
        whole = sum(s for s, _ in said.values())
        shown = lambda name: name.replace("\ufffd", "?")
        self.assertEqual(of_profile, {shown(n): (round(100 * s / whole + 1e-9, 1), round(100 * t / whole + 1e-9, 1)) for n, (s, t) in said.items() if s}, "profile report")
        if not heap:
            collapsed = self.stacks_of(self.orma("convert", "collapsed", trace).stdout.decode())
            self.assertEqual(self.shares(collapsed), {n.replace(";", ":"): s for n, s in said.items()}, "collapsed")
            scope = json.loads(self.orma("convert", "speedscope", trace).stdout.decode())
            names = [f["name"] for f in scope["shared"]["frames"]]
            period = max(1, round(sum(sum(p["weights"]) for p in scope["profiles"]) / whole))
            self.assertEqual(self.shares([([names[i] for i in s], w // period) for p in scope["profiles"] for s, w in zip(p["samples"], p["weights"])]), said, "speedscope")
            xml.dom.minidom.parseString(self.orma("convert", "flamegraph_svg", trace).stdout)
            self.orma("convert", "flamegraph", trace).stdout.decode()
        self.assertEqual(self.of_timeline(view, rows[0]["counted"]), {n: s for n, s in said.items()} if heap or "faults" not in rows[0]["counted"]
                         else self.shares([(s, 1) for s in self.stacks_of_view(view)]), "view")
        return len(rows)

    @staticmethod
    def stacks_of(text):
        for line in text.splitlines():
            stack, _, weight = line.rpartition(" ")
            yield stack.split(";")[1:], int(weight)

    @staticmethod
    def sites(view):
        sites = {}
        for raw in view.of_kind(view_reader.FRAMES):
            r = view_reader.Bytes(raw)
            while r.more():
                id = r.uint()
                sites[id] = r.uint() - 1, view.strings[r.uint()]
                r.uint()
        return sites

    def stack_at(self, sites, at):
        stack = []
        while at >= 0:
            stack.append(sites[at][1])
            at = sites[at][0]
        return stack[::-1]

    def stacks_of_view(self, view):
        sites = self.sites(view)
        return [self.stack_at(sites, site) for _, c in view.items(view_reader.SAMPLES) for site in c["site"]]

    def of_timeline(self, view, counted):
        if not counted.startswith("libc.malloc"):
            return self.shares([(s, 1) for s in self.stacks_of_view(view)])
        sites = self.sites(view)
        return self.shares([(self.stack_at(sites, h[2]), h[5]) for h in view.heaps()])


if __name__ == "__main__":
    main()
