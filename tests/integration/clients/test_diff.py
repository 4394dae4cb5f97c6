"""`orma diff`: two loads that are equal but for their noise show no difference, a slow-down of 5 % is found. The loads are
made here, with random numbers of which the seeds are fixed. ORMA_DIFF_RUNS=N compares as many pairs of each kind."""
import json
import random

from orma_env import *

RUNS = int(os.environ.get("ORMA_DIFF_RUNS", "6"))
NAMES = [("request", 1000, 0.15), ("parse", 200, 0.1), ("wait", 500, 0.5), ("write", 80, 0.3)]


class Diff(Case):
    def load(self, path, seed, slower=None, factor=1.0, extra=None):
        """Two seconds of slices, us: most near their usual length, some much longer; busy times in between."""
        r, events, ts = random.Random(seed), [], 0.0
        busy = [r.uniform(0.98, 1.02) for _ in range(50)]
        while ts < 2e6:
            for name, usual, spread in NAMES:
                dur = usual * r.gauss(1, spread / 4) * busy[int(ts / 2e6 * 49)] * (3 if r.random() < 0.02 else 1)
                dur = max(dur, 1) * (factor if name == slower else 1)
                events.append({"ph": "X", "pid": 1, "tid": 1, "name": name, "ts": round(ts, 3), "dur": round(dur, 3)})
                ts += dur
            if extra:
                events.append({"ph": "X", "pid": 1, "tid": 2, "name": extra, "ts": round(ts, 3), "dur": 50})
        (self.dir / path).write_text(json.dumps(events))

    def rows(self, *argv, code=0):
        said = json.loads(self.orma("diff", "a.json", "b.json", "--json", *argv, code=code).stdout)
        return {(s["name"], r["name"]): r for s in said["sections"] for r in s["rows"]}

    def test_equal_loads(self):
        wrong = 0
        for run in range(RUNS):
            self.load("a.json", 2 * run)
            self.load("b.json", 2 * run + 1)
            wrong += bool(self.rows())
        self.assertLessEqual(wrong, max(RUNS // 20, 0))

    def test_five_percent_more(self):
        for run in range(RUNS):
            self.load("a.json", 1000 + 2 * run)
            self.load("b.json", 1001 + 2 * run, "request", 1.05)
            rows = self.rows("slices")
            self.assertIn(("slices", "request"), rows)
            self.assertAlmostEqual(rows["slices", "request"]["change_pct"], 5, delta=1.5)

    def test_what_comes_and_goes(self):
        self.load("a.json", 1)
        self.load("b.json", 2, extra="audit")
        self.assertEqual(self.rows()["slices", "audit"]["change"], "new")
        text = self.orma("diff", "b.json", "a.json").stdout.decode()
        self.assertRegex(text, r"(?m)^audit .* gone ")
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        self.assertRegex(self.orma("diff", "b.json", "a.json", "--markdown").stdout.decode(), r"(?m)^\| audit \| \d+ \| 0 \|")

    def test_limits(self):
        self.load("a.json", 1)
        self.load("b.json", 2, "request", 1.2)
        limits = lambda *l: [w for x in l for w in ("--fail-on", x)]
        done = self.orma("diff", "a.json", "b.json", *limits("+10%:slice=req*"), code=1)
        self.assertRegex(done.stderr.decode(), r"slice 'request' changed by \+\d+\.\d% \(p50\); the limit is \+10%:slice=req\*")
        self.orma("diff", "a.json", "b.json", *limits("+30%:slice=request", "-5%:request"))
        self.orma("diff", "b.json", "a.json", *limits("-5%:request"), code=1)
        self.assertIn(b"neither trace", self.orma("diff", "a.json", "b.json", *limits("+5%:reqest"), code=1).stderr)
        for bad in ("5:slice=x", "+5%", "+5%:slcie=x", "x%:slice=y", "0%:slice=y", "nan%:slice=y"):
            self.assertIn(b"expected a limit", self.orma("diff", "a.json", "b.json", *limits(bad), code=2).stderr)

    def test_mistakes(self):
        self.load("a.json", 1)
        self.assertIn(b"two traces", self.orma("diff", "a.json", code=2).stderr)
        self.assertIn(b"did you mean 'slices'", self.orma("diff", "a.json", "a.json", "slcies", code=2).stderr)
        self.assertIn(b"absent", self.orma("diff", "a.json", "absent.json", code=1).stderr)
        self.assertIn(b"No difference", self.orma("diff", "a.json", "a.json").stdout)


if __name__ == "__main__":
    main()
