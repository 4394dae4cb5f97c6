"""`orma why` on injected faults: the culprit is known, and must come first. The machine may be busy: what other programs
took of the cpu is true, and not looked at. ORMA_WHY_RUNS=N repeats each fault."""
import json

from orma_env import *

FAULTS = BUILD / "tests/integration/clients/why_faults"
RUNS = int(os.environ.get("ORMA_WHY_RUNS", "1"))


@unittest.skipIf(have_tracefs(), have_tracefs())
class Faults(Case):
    def explain(self, kind):
        """A recording that lost nothing: where events were lost, nothing may be concluded. The hog keeps the recorder
        from its cpu, too: only what matters is recorded then."""
        events = ["sched"] if kind == "hog" else ["sched", "syscalls", "irq", "disk"]
        for _ in range(5):
            self.orma("record", "-q", "-f", "-o", "t.pftrace", *events, "--", FAULTS, kind, "0.6")
            said = json.loads(self.orma("why", "t.pftrace", "--thread", "victim", "causes", "--json", "--top", "0").stdout)
            if not any("events were lost" in n for n in said["sections"][0]["notes"]):
                return said
        self.skipTest("the machine is too busy to record without losses")

    def causes(self, kind):
        """Kinds and names of the causes, the worst first, without those of other programs."""
        said = self.explain(kind)
        section = said["sections"][0]
        self.assertEqual(section["name"], "causes")
        own = ("holder", "gc", "hog", "peer")
        rows = [(r["kind"], r["who"]) for r in section["rows"]]
        return [r for r in rows if r[0] not in ("CPU taken", "CPU idle", "interrupted") or r[1] in own], section

    def check(self, kind, *wanted):
        """The first cause is one of these."""
        for _ in range(RUNS):
            causes, section = self.causes(kind)
            self.assertTrue(causes, section)
            self.assertIn(causes[0], wanted, section)

    def test_a_lock_that_another_thread_holds(self):
        self.check("lock", ("blocked on", "holder"))

    def test_a_worker_that_is_stopped(self):
        self.check("stop", ("blocked on", "gc"))

    def test_a_hog_of_higher_priority(self):
        self.check("hog", ("CPU taken", "hog"))

    def test_a_slow_peer(self):
        self.check("pipe", ("blocked on", "peer"))

    def test_a_slow_disk(self):
        for _ in range(RUNS):
            causes, section = self.causes("fsync")
            self.assertTrue(causes, section)
            self.assertTrue(causes[0] == ("waiting in", "fsync") or causes[0][0] == "blocked on", section)

    def test_nothing(self):
        for _ in range(RUNS):
            self.assertEqual(self.causes("clean")[0], [])


if __name__ == "__main__":
    main()
