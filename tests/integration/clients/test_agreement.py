"""`orma report` says the same as `perf sched latency`, `perf trace -s` and `strace -c` of the same seconds of a program: each
records around the same run of it. What differs is what they do to each other: a call that perf counts may begin before Orma
records, times are read at other places of the kernel."""
import json
import re
import shutil
import sys

from orma_env import *

# A thread that sleeps, works, and makes calls, some of which fail. Nothing but it matters, so it needs no library.
PROGRAM = """
import os, time
print(os.getpid(), flush=True)
for i in range(200):
    fd = os.open("/dev/null", os.O_WRONLY)
    os.write(fd, b"x")
    os.close(fd)
    time.sleep(0.001)
    sum(range(20000))
    try:
        os.rmdir("/nonsuch")
    except OSError:
        pass
"""


def numbers(text, *names):
    """Rows of a table of words and numbers, by their first word: {word: {name: number}}."""
    rows = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) > len(names) and all(re.fullmatch(r"[\d.]+%?", w) for w in words[1:len(names) + 1]):
            rows[words[0]] = {n: float(w.rstrip("%")) for n, w in zip(names, words[1:])}
    return rows


def strace_summary(text):
    """The table of `strace -c`: {call: (calls, errors, seconds)}."""
    rows = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) in (5, 6) and words[3].isdigit() and words[-1] != "total":
            rows[words[-1]] = int(words[3]), int(words[4]) if len(words) == 6 else 0, float(words[1])
    return rows


class StraceFile(Case):
    """A file of strace, and the table that strace made of the same calls."""

    def test_strace_file(self):
        if not shutil.which("strace"):
            self.skipTest("no strace here")
        (self.dir / "program.py").write_text(PROGRAM + "import threading\nfor i in range(3): threading.Thread(target=time.sleep, args=(0.01,)).start()\n")
        done = self.run_program("strace", "-C", "-w", "-f", "-ttt", "-T", "-o", "both.txt", sys.executable, "-S", "-E", "program.py")
        if done.returncode:
            self.skipTest(done.stderr.decode().strip().splitlines()[-1])
        lines, _, table = (self.dir / "both.txt").read_text().partition("% time")
        (self.dir / "calls.txt").write_text(lines)
        theirs = strace_summary(table)
        sections = json.loads(self.orma("report", "calls.txt", "syscalls", "callers", "--json", "--top", "0").stdout)["sections"]
        ours = {r["call"]: (r["calls"], r["errors"], r["total_ns"] / 1e9) for r in sections[0]["rows"]}
        self.assertEqual({c: n[:2] for c, n in ours.items()}, {c: n[:2] for c, n in theirs.items()})
        # A call that another thread's line interrupts lasts from line to line, which strace writes before it starts its own
        # clock, and after it stopped it: never less than the table says, and more where strace waited for a CPU.
        interrupted = set(re.findall(r"<\.\.\. (\w+) resumed>", lines))
        for call, (calls, _, seconds) in theirs.items():  # -T has microseconds
            near = 0.02 * seconds + 10e-6 * calls
            self.assertGreaterEqual(ours[call][2], seconds - near, call)
            if call not in interrupted:
                self.assertLessEqual(ours[call][2], seconds + near, call)
        self.assertGreater(len(theirs.keys() - interrupted), 5)
        self.assertEqual(sum(r["calls"] for r in sections[1]["rows"]), sum(n[0] for n in theirs.values()))
        self.assertGreater(len(sections[1]["rows"]), 3)


@unittest.skipIf(have_tracefs(), have_tracefs())
class Agreement(Case):
    def record(self, events, *around):
        """One run below these programs: its pid. Both record all of it, or nothing can be compared."""
        (self.dir / "program.py").write_text(PROGRAM)
        for _ in range(3):
            done = self.orma("record", "-q", "-f", "-b", "64mb", "-o", "t.pftrace", *events, "--", "taskset", "-c", "0", *around,
                             sys.executable, "-S", "-E", "program.py")
            losses = json.loads(self.orma("report", "t.pftrace", "overview", "--json").stdout)["losses"]
            if "lost" not in losses or losses == "nothing lost":
                return int(re.search(rb"^\d+$", done.stdout, re.M).group())
        self.skipTest("the machine is too busy to record without losses")

    def rows(self, section, *argv):
        return json.loads(self.orma("report", "t.pftrace", section, "--json", "--top", "0", *argv).stdout)["sections"][0]["rows"]

    def calls(self, pid):
        """From its last execve on: what it was before, the others do not count."""
        start = self.one("t.pftrace", "SELECT max(s.ts) FROM slice s JOIN thread_track t ON t.id = s.track_id "
                         f"JOIN thread USING (utid) WHERE tid = {pid} AND s.name = 'sys_execve'")
        return {r["call"]: r for r in self.rows("syscalls", "--thread", pid, "--from", start)}

    def need(self, program):
        if not shutil.which(program):
            self.skipTest(f"no {program} here")

    def assertNear(self, ours, theirs, part, least, what):
        self.assertLessEqual(abs(ours - theirs), max(part * theirs, least), f"{what}: {ours} and {theirs}")

    def test_perf_sched_latency(self):
        """Each has a record of its own, which may lack other switches than the other one's: that is not so three times."""
        self.need("perf")
        for left in (2, 1, 0):
            try:
                return self.compare_latency()
            except AssertionError:
                if not left:
                    raise

    def compare_latency(self):
        """As `perf sched record`, but for wake-ups: some versions record the event that their `latency` does not read."""
        events = "sched_switch", "sched_wakeup", "sched_wakeup_new", "sched_stat_runtime", "sched_migrate_task", "sched_process_fork"
        pid = self.record(["sched"], "perf", "record", "-q", "-a", "-R", "-c", "1", "-m", "4M", "-o", "perf.data",
                          *(w for e in events for w in ("-e", f"sched:{e}")), "--")
        said = self.run_program("perf", "sched", "latency", "-p", "-i", "perf.data").stdout.decode()
        line = re.search(rf":{pid} *\| *([\d.]+) ms \| *(\d+) \| avg: *([\d.]+) ms \| max: *([\d.]+) ms", said)
        if "lost" in said.lower() or not line:
            self.skipTest("perf lost events")
        ran, switches, mean, longest = (float(x) for x in line.groups())
        cpu, = self.rows("threads", "--thread", pid)
        waits, = self.rows("latency", "--thread", pid)
        longer = self.one("t.pftrace", "INCLUDE PERFETTO MODULE orma.sched; SELECT group_concat(dur) FROM (SELECT dur FROM orma_wait "
                          f"JOIN thread USING (utid) WHERE tid = {pid} ORDER BY dur DESC LIMIT 2)")
        # perf counts the wake-ups and preemptions that it saw the end of; the first run begins before it records.
        self.assertNear(cpu["cpu_ns"] / 1e6, ran, 0.05, 2, "time on the CPU")
        self.assertNear(waits["waits"], switches, 0.05, 5, "waits")
        # A wait that one of them did not see may have been the longest.
        unseen = (abs(waits["waits"] - switches) + 1) * waits["max_ns"] / 1e6 / waits["waits"]
        self.assertNear(waits["mean_ns"] / 1e6, mean, 0.1, max(0.02, unseen), "mean wait")
        ours = [int(ns) / 1e6 for ns in str(longer).split(",")]
        self.assertEqual(ours[0], waits["max_ns"] / 1e6)
        self.assertNear(min(ours, key=lambda ms: abs(ms - longest)), longest, 0.05, 0.02, "longest wait that perf saw")

    def test_perf_trace(self):
        self.need("perf")
        pid = self.record(["syscalls"], "perf", "trace", "-s", "-m", "4M", "-o", "trace.txt", "--")
        said = (self.dir / "trace.txt").read_text()
        if "LOST" in said:
            self.skipTest("perf lost events")
        part = re.search(rf"\({pid}\), \d+ events.*?(?=\n \S+ \(\d+\), \d+ events|\Z)", said, re.S).group()
        theirs = numbers(part, "calls", "errors", "total", "min", "mean", "max")
        ours = self.calls(pid)
        for call in ("openat", "write", "close", "clock_nanosleep", "rmdir"):
            a, b = ours[call], theirs[call]
            self.assertEqual((a["calls"], a["errors"]), (b["calls"], b["errors"]), call)
            self.assertNear(a["total_ns"] / 1e6, b["total"], 0.1, 0.001 * b["calls"], f"total of {call}, ms")
            self.assertNear(a["max_ns"] / 1e6, b["max"], 0.1, 0.05, f"longest {call}, ms")

    def test_strace(self):
        self.need("strace")
        pid = self.record(["syscalls"], "strace", "-c", "-o", "strace.txt")
        said = {c: n[:2] for c, n in strace_summary((self.dir / "strace.txt").read_text()).items()}
        ours = self.calls(pid)
        for call in ("openat", "write", "close", "clock_nanosleep", "rmdir", "mmap", "read"):
            self.assertEqual((ours[call]["calls"], ours[call]["errors"]), said[call], call)


if __name__ == "__main__":
    main()
