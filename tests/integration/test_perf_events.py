"""Kernel events that perf records here, event by event what `perf script` says. Where it is not installed, they are skipped by name."""
import collections
import json
import re
import shutil

from orma_env import *

LINE = re.compile(r"^ *(?P<comm>.*?) +(?P<tid>-?\d+) +\[(?P<cpu>\d+)\] +(?P<s>\d+)\.(?P<ns>\d{9}): +(?P<event>[\w:-]+): *(?P<trace>.*)$")
LOAD = "import os, threading, time\ndef f(n):\n  for i in range(20):\n    time.sleep(0.001 * (n + 1)); sum(range(20000))\n" \
       "t = [threading.Thread(target=f, args=(n,)) for n in range(3)]\n[x.start() for x in t]\n[x.join() for x in t]\nos.system('true; true')\n"


@unittest.skipIf(not shutil.which("perf"), "perf is not installed")
class Events(Case):
    maxDiff = None

    def record(self, *flags, load=("python3", "-c", LOAD), pipe=False):
        out = self.dir / "perf.data"
        done = self.run_program("perf", "record", "-q", "-m", "4M", "-o", "-" if pipe else out, *flags, "--", *load, timeout=60)
        if done.returncode and b"ermission" in done.stderr + done.stdout:
            self.skipTest("perf may not record here")
        self.assertEqual(done.returncode, 0, done.stderr)
        if pipe:
            out.write_bytes(done.stdout)
        return out

    def rows(self, trace, sql):
        return json.loads(self.orma("query", trace, sql, "--format=json").stdout)

    def said(self, path):
        done = self.run_program("perf", "script", "--ns", "-F", "comm,tid,cpu,time,event,trace", "-i", path, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = [LINE.match(line) for line in done.stdout.decode(errors="replace").splitlines() if line.strip()]
        self.assertEqual([line for line, m in zip(filter(str.strip, done.stdout.decode(errors="replace").splitlines()), found) if not m], [])
        return [(int(m["s"]) * 10**9 + int(m["ns"]), int(m["cpu"]), int(m["tid"]), m["event"].rpartition(":")[2], m["trace"]) for m in found]

    def same_events(self, path, said):
        """Of a thread that is gone from /proc perf says -1; the event itself has its tid."""
        gone = {e[:2] for e in said if e[2] == -1}
        have = collections.Counter((r["ts"], r["cpu"], -1 if (r["ts"], r["cpu"]) in gone else r["tid"], r["name"]) for r in self.rows(
            path, "SELECT ts, ucpu AS cpu, tid, f.name FROM ftrace_event f LEFT JOIN thread USING (utid)"))
        want = collections.Counter(e[:4] for e in said)
        self.assertEqual((list((want - have).items())[:5], list((have - want).items())[:5]), ([], []), "missing, and too much")
        self.assertEqual(self.rows(path, "SELECT reason, units, count FROM import_account WHERE unit = 'kernel event'"),
                         [{"reason": "read", "units": len(said), "count": len(said)}])
        self.assertEqual(self.rows(path, "SELECT COUNT(*) AS n FROM perf_sample"), [{"n": len(said)}])

    def same_fields(self, path, said):
        """Of events whose text is only NAME=VALUE."""
        args = collections.defaultdict(dict)
        for r in self.rows(path, "SELECT f.ts, f.ucpu AS cpu, f.name, a.key, a.display_value AS value FROM ftrace_event f JOIN args a USING (arg_set_id)"):
            args[r["ts"], r["cpu"], r["name"]][r["key"].rpartition(".")[2]] = r["value"]
        compared = 0
        for ts, cpu, _, name, text in said:
            if name not in ("sched_waking", "sched_wakeup_new", "sched_process_fork", "sched_switch"):
                continue
            fields = dict(re.findall(r"(\w+)=(.*?)(?= +\w+=| ==>|$)", text))
            for key in fields.keys() & {"pid", "prio", "target_cpu", "prev_pid", "next_pid", "child_pid", "prev_prio", "next_prio"}:
                own = "parent_pid" if name == "sched_process_fork" and key == "pid" else key
                self.assertEqual(int(fields[key]), int(args[ts, cpu, name][own]), (name, ts, key, text))
                compared += 1
        self.assertGreater(compared, 10)

    def same_sched(self, path, said):
        have = [(r["ts"], r["cpu"], r["tid"], r["priority"]) for r in self.rows(
            path, "SELECT ts, ucpu AS cpu, tid, priority FROM sched JOIN thread USING (utid) ORDER BY ucpu, ts")]
        ends = {(r["e"], r["cpu"], r["tid"]): r["state"] for r in self.rows(
            path, "SELECT ts + dur AS e, ucpu AS cpu, tid, end_state AS state FROM sched JOIN thread USING (utid)")}
        want, running = [], {}
        for ts, cpu, tid, name, text in sorted(said, key=lambda e: (e[1], e[0])):
            if name != "sched_switch":
                continue
            m = re.search(r"prev_state=(\S+) ==> .*next_pid=(\d+) next_prio=(-?\d+)", text) or re.search(r":\d+ \[-?\d+\] (\S+) ==> .*:(\d+) \[(-?\d+)\]", text)
            want.append((ts, cpu, int(m[2]), int(m[3])))
            if running.get(cpu) == tid and tid > 0:
                self.assertEqual(ends[ts, cpu, tid], m[1], text)
            running[cpu] = int(m[2])
        # What ran before the first switch of a CPU has a row, too.
        self.assertEqual([e for e in have if e in set(want)], want)


@unittest.skipIf(have_tracefs(), have_tracefs())
class Recorded(Events):
    def test_the_whole_system(self):
        path = self.record("-a", "-e", "sched:*")
        said = self.said(path)
        self.same_events(path, said)
        self.same_fields(path, said)
        self.same_sched(path, said)
        self.assertGreater(len(self.rows(path, "SELECT 1 AS one FROM sched")), 50)

    def test_compressed_and_piped(self):
        for flags, pipe in ((["-z"], False), ([], True)):
            path = self.record("-a", *flags, "-e", "sched:sched_switch,sched:sched_waking", pipe=pipe)
            said = self.said(path)
            self.same_events(path, said)
            self.same_sched(path, said)

    def test_system_calls_of_a_process(self):
        path = self.record("-e", "raw_syscalls:*,sched:sched_process_*")
        said = self.said(path)
        self.same_events(path, said)
        self.assertGreater(len(self.rows(path, "SELECT 1 AS one FROM slice WHERE name GLOB 'sys_*'")), 50)

    def test_switches_of_one_process_say_nothing_about_cpus(self):
        path = self.record("-e", "sched:sched_switch,sched:sched_waking")
        said = self.said(path)
        self.same_events(path, said)
        self.same_fields(path, said)
        self.assertEqual(self.rows(path, "SELECT 1 AS one FROM sched"), [])

    def test_records_of_switches(self):
        path = self.record("-a", "--switch-events", "-e", "dummy:u")
        records = self.run_program("perf", "script", "--show-switch-events", "--ns", "-F", "tid,cpu,time", "-i", path).stdout.decode()
        want = collections.Counter()
        for line in records.splitlines():
            m = re.match(r" *(\d+) +\[(\d+)\] +(\d+)\.(\d{9}): +PERF_RECORD_SWITCH_CPU_WIDE IN ", line)
            if m and m[1] != "0":
                want[int(m[3]) * 10**9 + int(m[4]), int(m[2]), int(m[1])] += 1
        have = collections.Counter((r["ts"], r["cpu"], r["tid"]) for r in self.rows(
            path, "SELECT ts, ucpu AS cpu, tid FROM sched JOIN thread USING (utid)"))
        self.assertGreater(len(want), 50)
        self.assertEqual(have, want)

    def test_lives(self):
        """Told beside events of the kernel only: in other files they are counted as records that nobody reads, as elsewhere."""
        path = self.record("-e", "sched:sched_process_exec")
        records = self.run_program("perf", "script", "--show-task-events", "--ns", "-i", path).stdout.decode()
        ends = {int(m[1]): int(m[2]) * 10**9 + int(m[3]) for m in re.finditer(r" (\d+) +(\d+)\.(\d{9}): PERF_RECORD_EXIT", records)} or \
               {int(m[1]) for m in re.finditer(r"PERF_RECORD_EXIT\(\d+:(\d+)\)", records)}
        have = {r["tid"] for r in self.rows(path, "SELECT tid FROM thread WHERE end_ts IS NOT NULL")}
        self.assertGreater(len(ends), 3)
        self.assertEqual(have, set(ends))


if __name__ == "__main__":
    main()
