#!/usr/bin/env python3
"""Judges what the guest of the kernel laboratory left.

    judge.py --orma ORMA --features A,B --name NAME OUT     one line per feature: name, verdict, text
    judge.py --table VERDICT...                             those of several kernels as one table

A verdict is "works", "lacks" (the kernel does not have it, and Orma said so before recording; the text is what it said), or
"FAILED". Exit code 1 if one failed.
"""
import argparse
import csv
import io
import pathlib
import re
import subprocess
import sys

LINE = re.compile(r"^\s*(?P<comm>.{1,16})-(?P<pid>\d+)\s+\[(?P<cpu>\d+)\]\s+(?P<flags>\S+)\s+(?P<ts>\d+\.\d{6}): (?P<name>\w+): ?(?P<rest>.*)$")
PAIR = re.compile(r"(\w+)=(\S+)")


class Failed(Exception):
    pass


class Lacks(Exception):
    pass


def check(ok, text):
    if not ok:
        raise Failed(text)


class Feature:
    def __init__(self, orma, path):
        self.orma, self.path = orma, path
        self.log = self.text("log")

    def text(self, name):
        path = self.path / name
        return path.read_text(errors="replace") if path.exists() else ""

    def query(self, trace, sql):
        path = self.path / trace
        check(path.exists() and path.stat().st_size, f"no {trace}: {last_line(self.log)}")
        out = subprocess.run([self.orma, "query", "--cache", "off", "--format", "rfc4180", path, sql], capture_output=True, text=True)
        check(out.returncode == 0, out.stderr.strip())
        return list(csv.DictReader(io.StringIO(out.stdout)))

    def one(self, trace, sql):
        return next(iter(self.query(trace, sql)[0].values()))

    def lacks(self, pattern):
        """The kernel does not have it, if orma said so."""
        m = re.search(pattern, self.log)
        if m:
            raise Lacks(m.group(0))


def last_line(text):
    lines = [l for l in text.splitlines() if l and not l.startswith("+")]
    return lines[-1] if lines else "nothing was printed"


def read_raw(text):
    """The same lines with the option raw, which has nanoseconds: (pid, cpu, ns)."""
    return [tuple(int(w) for w in line.split()[:3]) for line in text.splitlines() if line and line[0] != "#"]


def read_text(text):
    """The kernel's own lines: (cpu, us, name, pid, fields)."""
    events = []
    for line in text.splitlines():
        m = LINE.match(line)
        if not m:
            check(line.startswith("#") or not line.strip() or "LOST" in line, f"cannot read the kernel's line {line!r}")
            continue
        sec, us = m["ts"].split(".")
        events.append((int(m["cpu"]), int(sec) * 1000000 + int(us), m["name"], int(m["pid"]), m["rest"]))
    return events


def recorded(feature, trace):
    """orma's rows in the same form, with ts in ns and args as a dict."""
    args = {}
    for r in feature.query(trace, "SELECT arg_set_id AS s, key, display_value AS v FROM args"):
        args.setdefault(r["s"], {})[r["key"]] = r["v"]
    rows = feature.query(trace, """SELECT ts, cpu, f.name AS name, tid, f.arg_set_id AS s
        FROM ftrace_event f LEFT JOIN thread USING (utid) ORDER BY f.id""")
    return [(int(r["cpu"]), int(r["ts"]), r["name"], int(r["tid"] or 0), args.get(r["s"], {})) for r in rows]


def numbers(text):
    """What a number in the kernel's text may mean: some are in hexadecimal without saying so."""
    found = set()
    for base in (10, 16) if re.match(r"-?[0-9]|[0-9a-f]{8}", text) else ():
        try:
            found.add(int(text.rstrip(",)"), base) % 2**64)
        except ValueError:
            pass
    return found


def by_cpu(events):
    cpus = {}
    for e in events:
        cpus.setdefault(e[0], []).append(e)
    return cpus


def compare_fields(theirs, ours):
    """How many fields of one event were compared; the kernel's text has some of them only."""
    num = 0
    for key, value in PAIR.findall(theirs[4]):
        mine = ours[4].get(key)
        if mine is None or key == "prev_prio": # of a switch, readers take the priority that the thread had when it came
            continue
        mine_num = int(mine) % 2**64 if re.fullmatch(r"-?\d+", mine) else None
        if mine_num is not None and mine_num < 2**32 and any(n >= 2**63 for n in numbers(value)) and not value.startswith("-"):
            continue # addresses of kernel functions and objects are never written: an index instead
        if mine_num is not None and numbers(value):
            check(mine_num in numbers(value), f"{theirs[2]} at {ours[1]}: {key} is {value} in the kernel's text, {mine} in the trace")
            num += 1
        elif key == "function" and mine_num is None: # of some events, the processor knows indices only
            check(value.split()[0] == mine, f"{theirs[2]} at {ours[1]}: {key} is {value} in the kernel's text, {mine} in the trace")
            num += 1
        elif key.endswith("comm"):
            check(value == mine or theirs[4].find(f"{key}={mine}") >= 0, f"{theirs[2]}: {key} is {value} in the kernel's text, {mine} in the trace")
            num += 1
    return num


def states(f, trace, theirs):
    """The states in which threads left the cpus: letters in the kernel's text, and in the table sched."""
    ends = {(int(r["ts_end"]), int(r["cpu"])): r["end_state"] for r in
            f.query(trace, "SELECT ts_end, cpu, end_state FROM sched JOIN thread USING (utid) WHERE NOT is_idle AND dur >= 0")}
    num = 0
    for cpu, ts, name, _, rest in theirs:
        state = re.search(r"prev_state=(\S+)", rest) if name == "sched_switch" else None
        if state and (ts, cpu) in ends:
            check(state[1] == ends[ts, cpu], f"a thread left cpu {cpu} at {ts} as {state[1]} in the kernel's text, as {ends[ts, cpu]} in the trace")
            num += 1
    check(num > 50, f"only {num} states of threads")
    return num


def probes(f):
    theirs, raw = read_text(f.text("text")), read_raw(f.text("raw"))
    check([t[3] for t in theirs] == [r[0] for r in raw], "the kernel printed its ring in two ways")
    exact = [(t[0], r[2], *t[2:]) for t, r in zip(theirs, raw)]
    theirs, ours = by_cpu(exact), by_cpu(recorded(f, "probes.pftrace"))
    fields = events = 0
    names = set()
    for cpu, want in theirs.items():
        got = ours.get(cpu, [])
        for i, w in enumerate(want):
            check(i < len(got), f"cpu {cpu}: {len(want)} events in the kernel's text, {len(got)} in the trace")
            g = got[i]
            check(w[2] == g[2] and w[1] == g[1] and w[3] == g[3],
                  f"cpu {cpu}, event {i}: the kernel's text has {w[2]} of {w[3]} at {w[1]}, the trace {g[2]} of {g[3]} at {g[1]}")
            fields += compare_fields(w, g)
            names.add(w[2])
        events += len(want)
    check(events > 500 and len(names) > 8, f"only {events} events of {len(names)} kinds")
    fields += states(f, "probes.pftrace", exact)
    return f"{events} events of {len(names)} kinds, {fields} fields are those of the kernel's text"


def live(f):
    pids = {int(p) for p in f.text("load_pids").split()}
    theirs = [e for e in read_text(f.text("text")) if e[3] in pids]
    ours = [e for e in recorded(f, "live.pftrace") if e[3] in pids]
    count = lambda events: sorted((n, sum(e[2] == n for e in events)) for n in {e[2] for e in events})
    check(count(theirs) == count(ours), f"the kernel's text has {count(theirs)}, the trace {count(ours)}")
    check(len(theirs) > 500, f"only {len(theirs)} events")
    return f"{len(ours)} events of the workload, as many of each kind as in an instance beside it"


GRAPH = re.compile(r"^\s*(?P<ts>[\d.]+) \|\s+(?P<cpu>\d+)\)\s+(?P<who>\S.*?)\s+\|.{3}\s*(?:(?P<dur>[\d.]+) us)?\s*\|  (?P<indent>\s*)(?P<what>.*)$")


def read_graph(text, comm):
    """Calls in the kernel's drawing, in the order of their ends: (name, depth, duration in us, its precision)."""
    calls = []
    for line in text.splitlines():
        m = GRAPH.match(line)
        if not m or not m["who"].startswith(comm) or not m["dur"] or "/*" in m["what"] and "}" not in m["what"]:
            continue
        name = re.match(r"(?:\} /\* )?([\w.]+)", m["what"])
        check(name, f"cannot read the kernel's line {line!r}")
        calls.append((name[1], len(m["indent"]) // 2, float(m["dur"]), 10.0 ** -len(m["dur"].partition(".")[2])))
    return calls


def graph_slices(f, trace, pid):
    return [(r["name"], int(r["depth"]), int(r["dur"]) / 1e3) for r in f.query(trace, f"""
        SELECT slice.name, slice.depth, slice.dur FROM slice JOIN thread_track ON track_id = thread_track.id
        JOIN thread USING (utid) WHERE thread_track.type = 'thread_funcgraph' AND tid = {pid} AND dur >= 0 ORDER BY ts + dur, depth DESC""")]


def function_graph(f):
    f.lacks("this kernel does not record graphs of its functions.*")
    theirs, ours = read_graph(f.text("text"), "load-"), graph_slices(f, "same.pftrace", f.text("pid_same"))
    check(len(theirs) > 60, f"only {len(theirs)} calls in the kernel's text")
    check(len(theirs) == len(ours), f"{len(theirs)} calls in the kernel's text, {len(ours)} slices")
    worst = 0
    for t, o in zip(theirs, ours):
        check(t[:2] == o[:2], f"the kernel drew {t[0]} at depth {t[1]}, the trace has {o[0]} at {o[1]}")
        worst = max(worst, abs(o[2] - t[2]))
    # The kernel takes the time of a call behind the entry's own record, and before that of the exit.
    apart = sorted(abs(o[2] - t[2]) for t, o in zip(theirs, ours))[len(ours) // 2]
    check(apart < 20, f"durations are {apart:.1f} us apart in the middle")
    own = graph_slices(f, "own.pftrace", f.text("pid_own"))
    check(sum(n == "vfs_read" and d == 0 for n, d, _ in own) >= 20, f"own recording: {own[:20]}")
    check(max(d for _, d, _ in own) == 2, f"depth {max(d for _, d, _ in own)} for --max-depth 3")
    check("no_such_function" in f.log and not (f.path / "none.pftrace").exists(), "a function that does not exist was not refused")
    name = f.one("own.pftrace", f"SELECT name FROM thread WHERE tid = {f.text('pid_own')}")
    check(name == "load", f"the thread is called {name!r}")
    return f"{len(ours)} calls nest as the kernel drew them, durations within {apart:.1f} us in the middle, {worst:.0f} at most"


def opened(f, trace, sql):
    return sorted(set(r["v"] for r in f.query(trace, sql)))


def kprobes(f):
    f.lacks("this kernel does not record probes of its functions.*")
    pid = f.text("pid").split()[0]
    both = f.query("both.pftrace", f"""SELECT count(*) AS n, min(dur) AS least FROM slice JOIN thread_track ON track_id = thread_track.id
        JOIN thread USING (utid) WHERE slice.name = 'do_sys_openat2' AND tid = {pid} AND dur >= 0""")[0]
    check(int(both["n"]) >= 40 and int(both["least"]) > 0, f"{both['n']} slices of 40 calls")
    files = f.query("arguments.pftrace", """SELECT extract_arg(f.arg_set_id, 'file') AS file, extract_arg(f.arg_set_id, 'dfd') AS dfd
        FROM ftrace_event f WHERE f.name = 'do_sys_openat2' AND file GLOB '/tmp/lab-*' ORDER BY f.ts""")
    check([r["file"] for r in files] == [f"/tmp/lab-{i}" for i in range(40)], f"{len(files)} names of files: {files[:3]}")
    check({r["dfd"] for r in files} == {"-100"}, f"dfd is {files[0]['dfd']}")
    addresses = int(f.one("arguments.pftrace", """SELECT count(*) FROM ftrace_event f JOIN args USING (arg_set_id)
        WHERE f.name GLOB 'do_sys_openat2*' AND key GLOB '__probe_*' AND length(display_value) > 15"""))
    check(not addresses, f"{addresses} addresses of the kernel are in the trace")
    returns = int(f.one("arguments.pftrace", """SELECT count(*) FROM ftrace_event f JOIN args USING (arg_set_id)
        WHERE name = 'do_sys_openat2__return' AND display_value = '-2'"""))
    check(returns >= 40, f"{returns} returns of -ENOENT")
    check("no_such_function" in f.log and not (f.path / "none.pftrace").exists(), "a function that does not exist was not refused")
    said = re.search(r"the kernel says: (.*)", f.text("names"))
    if not said:
        named = int(f.one("names.pftrace", """SELECT count(*) FROM ftrace_event f JOIN args USING (arg_set_id)
            WHERE f.name = 'do_sys_openat2' AND display_value GLOB '/tmp/lab-*'"""))
        check(named == 10, f"{named} of 10 names of files by BTF: {last_line(f.text('names'))}")
    by_name = f"not by their names in BTF ({said[1]})" if said else "also by their names in BTF"
    return f"40 of 40 calls as slices, with their arguments, {by_name}, and what they returned"


def values(f, trace, event):
    return sorted(int(r["v"]) for r in f.query(trace, f"""SELECT display_value AS v FROM ftrace_event JOIN args USING (arg_set_id)
        WHERE name = '{event}' AND key NOT GLOB '__*'"""))


def uprobes(f):
    f.lacks("this kernel does not record probes of programs.*")
    check(values(f, "uprobes.pftrace", "load_probe_site_called") == list(range(50)), "arguments of the calls")
    check(values(f, "uprobes.pftrace", "load_probe_site_called__return") == list(range(1, 51)), "what the calls returned")
    return "50 of 50 calls and returns with their values"


def usdt(f):
    f.lacks("this kernel does not record probes of programs.*")
    check(values(f, "usdt.pftrace", "orma_test_passed") == list(range(50)), f"values are {values(f, 'usdt.pftrace', 'orma_test_passed')}")
    return "50 of 50 passes with their argument"


def sources(f):
    check_lines = dict(re.findall(r"^(linux\.\S+):? +(.*)$", f.log, re.M))
    want = {
        "linux.ftrace": "SELECT count(*) FROM sched", "linux.process_stats": "SELECT count(*) FROM process WHERE name = 'load'",
        "linux.sys_stats": "SELECT count(*) FROM counter", "linux.system_info": "SELECT count(*) FROM cpu",
        "linux.perf": "SELECT count(*) FROM perf_sample WHERE callsite_id IS NOT NULL"}
    counts = {name: int(f.one("sources.pftrace", sql)) for name, sql in want.items()}
    check(all(counts.values()), f"nothing from {', '.join(n for n, c in counts.items() if not c)}")
    return "rows: " + ", ".join(f"{n} {c}" for n, c in counts.items()) + f"; --check names {len(check_lines)} sources"


def profile(f):
    total = int(f.one("profile/raw-trace", "SELECT count(*) FROM perf_sample"))
    burn = int(f.one("profile/raw-trace", """WITH RECURSIVE up(callsite, frame, parent) AS (
        SELECT s.id, c.frame_id, c.parent_id FROM perf_sample s JOIN stack_profile_callsite c ON s.callsite_id = c.id
        UNION ALL SELECT up.callsite, c.frame_id, c.parent_id FROM up JOIN stack_profile_callsite c ON up.parent = c.id)
        SELECT count(DISTINCT callsite) FROM up JOIN stack_profile_frame f ON up.frame = f.id
        WHERE coalesce(f.deobfuscated_name, f.name) = 'orma_lab_burn'"""))
    check(total > 50 and burn > 0.8 * total, f"orma_lab_burn is in {burn} of {total} samples")
    return f"orma_lab_burn is in {burn} of {total} samples, by software events"


def repair(f):
    before, during, killed = f.text("before"), f.text("during"), f.text("killed")
    check(during != before and killed != before, "the killed recording had changed nothing")
    for line in ("current_tracer: function_graph", "set_graph_function: vfs_read", "max_graph_depth: 2"):
        check(line in killed or "current_tracer: function_graph" not in during, f"not '{line}' after the kill")
    return "what a killed recording changed is put back: events, sizes, probes, function graph"  # cleanup() compares


def loss(f):
    seen = int(f.one("loss.pftrace", "SELECT count(*) FROM ftrace_event WHERE name = 'print'"))
    stats = {r["name"]: int(r["n"]) for r in f.query("loss.pftrace", """SELECT name, sum(value) AS n FROM stats
        WHERE name IN ('ftrace_cpu_overrun_delta', 'ftrace_cpu_dropped_events_delta', 'ftrace_cpu_commit_overrun_delta') GROUP BY name""")}
    lost = sum(stats.values())
    check(lost > 0, "nothing was lost")
    check(seen + lost == 40000, f"{seen} seen + {lost} lost of 40000")
    return f"40000 generated = {seen} seen + {lost} lost in the kernel's ring"


def reboot(f):
    if not (f.path / "second").exists():
        f.lacks(r"orma: (warning|error): linux.frozen_ftrace: .*")
        raise Failed("the guest did not come back")
    rows = [int(r["n"]) for r in f.query("survivor.pftrace", "SELECT CAST(substr(extract_arg(arg_set_id, 'buf'), 10) AS INT) AS n FROM ftrace_event WHERE name = 'print' ORDER BY id")]
    kept = [int(n) for n in re.findall(r"survivor (\d+)$", f.text("text_second"), re.M)]
    if not kept:
        raise Lacks("the kernel itself found nothing in its ring after the reboot")
    check(rows == kept, f"{len(rows)} of {len(kept)} events that the kernel kept: {last_line(f.log)}")
    return f"all {len(rows)} events that the kernel kept of 300 from before the reboot"


JUDGES = {"reboot": reboot, "sources": sources, "profile": profile, "repair": repair, "loss": loss, "function_graph": function_graph, "kprobes": kprobes, "uprobes": uprobes, "usdt": usdt, "probes": probes, "live": live}


def cleanup(f):
    """What a feature leaves is what it found."""
    before, after = f.text("before").splitlines(), f.text("after").splitlines()
    changed = [b for b in after if b not in before] + [a for a in before if a not in after]
    check(not changed, f"left behind: {'; '.join(changed)[:300]}")


def judge(feature):
    try:
        text = JUDGES[feature.path.name](feature)
        check(feature.text("status").strip() == "0", f"exit code {feature.text('status').strip()}: {last_line(feature.log)}")
        verdict = "works"
    except Lacks as e:
        verdict, text = "lacks", str(e)
    except Failed as e:
        return "FAILED", str(e)
    try:
        cleanup(feature)
    except Failed as e:
        return "FAILED", str(e)
    complaint = re.search(r"^.*(BUG: (?!soft lockup)|WARNING: CPU|Oops|general protection).*$", feature.text("dmesg"), re.M)
    if complaint: # standing still for long is what emulation does on a busy machine
        return "FAILED", f"the kernel complained: {complaint[0]}"
    return verdict, text


def table(paths):
    columns, cells = [], {}
    for path in paths:
        name, *lines = pathlib.Path(path).read_text().splitlines()
        columns.append(name)
        for line in lines:
            feature, verdict, took, text = line.split("\t", 3)
            cells.setdefault(feature, {})[name] = (verdict, took, text)
    widths = [max(len(c), 10) for c in columns]
    print(f"{'':16}" + "  ".join(c.ljust(w) for c, w in zip(columns, widths)))
    for feature, row in cells.items():
        print(f"{feature:16}" + "  ".join(row.get(c, ("-",))[0].ljust(w) for c, w in zip(columns, widths)).rstrip())
    for feature, row in cells.items():
        for name, (verdict, took, text) in row.items():
            print(f"{name}, {feature}, {took} s: {verdict}: {text}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--orma")
    parser.add_argument("--features", default="")
    parser.add_argument("--name")
    parser.add_argument("--table", nargs="+")
    parser.add_argument("out", nargs="?")
    args = parser.parse_args()
    if args.table:
        return table(args.table)
    failed = False
    print(args.name)
    for name in args.features.split(","):
        path = pathlib.Path(args.out) / name
        if path.exists():
            f = Feature(args.orma, path)
            verdict, text = judge(f)
            took = f"{float(f.text('end') or 0) - float(f.text('begin') or 0):.1f}"
        else:
            verdict, text, took = "FAILED", "the guest did not get so far", "-"
        failed = failed or verdict == "FAILED"
        print(f"{name}\t{verdict}\t{took}\t{' '.join(text.split())}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
