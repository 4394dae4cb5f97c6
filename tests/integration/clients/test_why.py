"""`orma why` on injected faults: the culprit is known, and must come first; where there is none, nothing may be named. The
machine may be busy: what other programs took of the CPU is true, and not looked at here.

    PYTHONPATH=tests/integration ORMA_BUILD=$PWD/build python3 tests/integration/clients/test_why.py --runs 100 [KIND...]

repeats each fault on a machine without other load and counts everything: it prints how often the culprit came first, and
fails below 95 %."""
import json
import sys

from orma_env import *

FAULTS = BUILD / "tests/integration/clients/why_faults"
EVENTS = ["sched", "syscalls", "irq", "timer", "disk", "faults"]
NOT_ALLOWED = 77
SECONDS = "0.2"
# Kind of fault: what may come first. The disk's part of an fsync is done by the thread itself, or by a worker of the kernel.
WANTED = {
    "lock": [("blocked on", "holder")],
    "stop": [("blocked on", "gc")],
    "hog": [("CPU taken", "hog")],
    "pipe": [("blocked on", "peer")],
    "fsync": [("waiting in", "fsync"), ("blocked on", "kworker"), ("blocked on", "jbd2")],
    "quota": [("throttled", None)],
    "faults": [("page faults", None)],
    "major": [("waiting in", "a page fault"), ("blocked on", "kworker")],
    "timers": [("interrupted", "timer perf_swevent_hrtimer")],
    "chain": [("blocked on", "root")],
    "epoll": [("blocked on", "peer")],
    "spin": [("blocked on", "holder")],
    "io": [("blocked on", "holder"), ("blocked on", "kworker"), ("blocked on", "jbd2")],
    "workers": [("blocked on", "holder")],
    "inverse": [("blocked on", "holder"), ("blocked on", "hog")],
    "clean": [],
}
OWN = {"holder", "holder1", "holder2", "gc", "hog", "peer", "root"}


def is_right(kind, causes):
    """Is the first of these (kind, who) the culprit? Workers have numbers in their names."""
    if not WANTED[kind]:
        return not causes
    return bool(causes) and any(causes[0][0] == k and (causes[0][1] or "").startswith(who or "") for k, who in WANTED[kind])


def without_others(causes):
    """Without what other programs did to the CPU."""
    return [c for c in causes if c[0] not in ("CPU taken", "CPU idle") and c[1] != "timer tick_nohz_handler" or c[1] in OWN]


class Faults(Case):
    def record(self, kind):
        done = self.run_program(ORMA, "record", "-q", "-f", "-o", "t.pftrace", *EVENTS, "--", FAULTS, kind, SECONDS)
        if done.returncode == NOT_ALLOWED:
            self.skipTest(done.stderr.decode().strip().splitlines()[-1])
        self.assertEqual(done.returncode, 0, done.stderr.decode())

    def why(self, *argv):
        return json.loads(self.orma("why", "t.pftrace", "--thread", "victim", *argv, "--json", "--top", "0").stdout)

    def causes(self, kind):
        """Of a recording that lost nothing (where events were lost, nothing may be concluded), and which part of the time
        somebody else had the CPU."""
        for _ in range(5):
            self.record(kind)
            causes, times = self.why("causes", "time")["sections"]
            if not any("events were lost" in n for n in causes["notes"]):
                taken = sum(r["share_pct"] for r in times["rows"] if r["kind"] == "CPU taken")
                return [(r["kind"], r["who"]) for r in causes["rows"]], taken
        self.skipTest("the machine is too busy to record without losses")

    def check(self, kind):
        """The disk or another program may stand still for most of one recording; how often the answer is right, --runs tells."""
        for _ in range(3):
            causes, taken = self.causes(kind)
            if is_right(kind, without_others(causes)):
                return
        if taken > 30 and kind != "hog":
            self.skipTest("other programs had the CPU: what else there was is too little")
        self.fail(f"{kind}: {causes}")

    def test_the_time_adds_up(self):
        self.record("faults")
        rows = self.why("time")["sections"][0]["rows"]
        self.assertIn("page faults", {r["state"] for r in rows})
        self.assertAlmostEqual(sum(r["share_pct"] for r in rows), 100, delta=0.01)


for fault in WANTED:
    setattr(Faults, f"test_{fault}", lambda self, fault=fault: self.check(fault))
Faults = unittest.skipIf(have_tracefs(), have_tracefs())(Faults)


def count(runs, kinds):
    """How often the culprit came first, of so many runs of each kind; one after the other, so that all see the same machine."""
    case, right, alone, skipped, wrong = Faults(), dict.fromkeys(kinds, 0), dict.fromkeys(kinds, 0), {}, {}
    for n in range(runs):
        for kind in kinds:
            if kind in skipped:
                continue
            case.setUp()
            try:
                causes, _ = case.causes(kind)
                right[kind] += is_right(kind, causes)
                alone[kind] += is_right(kind, without_others(causes))
                if not is_right(kind, causes):
                    wrong.setdefault(kind, []).append(causes[:2])
            except unittest.SkipTest as e:
                skipped[kind] = str(e)
            except AssertionError as e:  # nothing recorded, no answer: not right
                wrong.setdefault(kind, []).append(str(e).splitlines()[-1])
            finally:
                case.doCleanups()
        print(f"\r{n + 1} of {runs}", end="", file=sys.stderr)
    print(file=sys.stderr)
    print(f"{'fault':8} {'runs':>5} {'culprit first':>14} {'without other programs':>24}")
    for kind in kinds:
        if kind in skipped:
            print(f"{kind:8} skipped: {skipped[kind]}")
        else:
            print(f"{kind:8} {runs:5} {100 * right[kind] / runs:13.1f}% {100 * alone[kind] / runs:23.1f}%")
    for kind, seen in wrong.items():
        print(f"{kind}: " + "; ".join(map(str, seen[:5])))
    return all(right[k] >= 0.95 * runs for k in kinds if k not in skipped)


if __name__ == "__main__":
    if "--runs" in sys.argv:
        at = sys.argv.index("--runs")
        sys.exit(0 if count(int(sys.argv[at + 1]), sys.argv[at + 2:] or list(WANTED)) else 1)
    main()
