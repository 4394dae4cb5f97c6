"""Flight recorder: snapshots of the moments that conditions name."""
import re

from orma_env import *

LOAD = BUILD / "tests/integration/flight_load"
SECONDS = int(os.environ.get("ORMA_FLIGHT_SECONDS", "4"))
SLOW_ONES = "SELECT count(*) FROM slice WHERE name = 'request' AND dur > 50000000"
MARKS = """SELECT slice.name, slice.ts FROM slice JOIN track ON track.id = track_id WHERE track.name = 'Flight recorder'"""


class Flight(Case):
    def record(self, *options, load=(SECONDS, 2, 20000, 250, 70), code=0, buffer="128mb"):
        done = self.orma("record", "--private", "--ring", "-b", buffer, "-o", "t", *options, "apps", "--", LOAD, *map(str, load),
                         code=code, timeout=60 + load[0])
        return done.stdout.decode(), done.stderr.decode()

    def held(self, text, condition):
        found = re.search(re.escape(f"orma record: {condition}: held ") + r"(\d+) times?: (\d+) snapshots?([^\n]*)", text)
        self.assertTrue(found, text)
        rest = [int(n) for n in re.findall(r", (\d+) ", found[3])]
        self.assertEqual(int(found[1]), int(found[2]) + sum(rest), text)  # each is somewhere
        return int(found[1]), int(found[2])

    def snapshots(self):
        return sorted(self.dir.glob("t.*"), key=lambda p: int(p.suffix[1:]))

    def test_slow_slices_are_caught_all_and_none_else(self):
        condition = "slice request > 50ms"
        _, text = self.record("--when", condition, "--before", "500ms", "--after", "100ms", "--pause", "500ms")
        told, taken = self.held(text, condition)
        self.assertGreater(told, SECONDS)
        self.assertEqual(told, int(self.one(self.dir / "t", SLOW_ONES)), text)
        self.assertNotIn("when packets were lost", text)
        within = re.search(r"conditions were seen within ([\d.]+) (\w+)", text)
        self.assertLess(float(within[1]) * {"ms": 1, "s": 1000, "us": 0.001}[within[2]], 200 * SLOW if SLOW > 1 else 500, text)
        self.assertEqual(len(self.snapshots()), taken)
        self.assertGreaterEqual(taken, 2)
        for path in self.snapshots():
            mark, = self.query(path, MARKS)
            self.assertEqual(mark["name"], condition)
            # The moment is in a slow slice, which is there as a whole: its end, or when it was too long while it lasted.
            self.assertGreaterEqual(int(self.one(path, f"{SLOW_ONES} AND {mark['ts']} BETWEEN ts + 49999999 AND ts + dur + 1000")), 1)
            first, last = self.query(path, "SELECT min(ts + dur) AS a, max(ts) AS b FROM slice WHERE name = 'part'")[0].values()
            self.assertGreaterEqual(int(first), int(mark["ts"]) - 500_000_000)
            self.assertLessEqual(int(last), int(mark["ts"]) + 100_000_000)
            self.assertEqual(self.one(path, "SELECT str_value FROM metadata WHERE name = 'trace_trigger'"), condition)
            self.assertEqual(self.one(path, "SELECT count(*) FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0"), "0")

    def test_none_is_missed_and_none_is_false_however_long(self):
        """The program knows how many of its requests were slow; the ring holds a few seconds of them."""
        condition = "slice request > 50ms"
        out, text = self.record("--when", condition, "--before", "500ms", "--after", "100ms", "--pause", "10s", "--max-snapshots", "1000",
                                load=(SECONDS, 2, 20000, 250, 70), buffer="16mb")
        told, taken = self.held(text, condition)
        slow, surely, at_most = map(int, re.search(r"(\d+) slow, (\d+) to (\d+) longer", out).groups())
        print(f"{SECONDS} s: {slow} slow ones made, {surely} to {at_most} requests were slow, {told} were told, {taken} snapshots\n{text}")
        self.assertGreaterEqual(surely, slow)
        self.assertTrue(surely <= told <= at_most, text)
        self.assertGreater(taken, SECONDS // 12 - 1)
        for path in self.snapshots()[:20]:
            mark, = self.query(path, MARKS)
            self.assertGreaterEqual(int(self.one(path, f"{SLOW_ONES} AND {mark['ts']} BETWEEN ts + 49999999 AND ts + dur + 1000")), 1)

    def rotate(self, *options, load=(5, 2, 20000, 250, 70), code=0):
        done = self.orma("record", "--private", "-o", "t.pftrace", *options, "apps", "--", LOAD, *map(str, load), code=code, timeout=60)
        return done.stdout.decode(), done.stderr.decode()

    def test_snapshots_of_files(self):
        """Whole, of the time asked for, from as many files as have it; and the files are the whole recording, as without."""
        condition = "slice request > 50ms"
        out, text = self.rotate("--rotate", "300ms", "--when", condition, "--before", "700ms", "--after", "200ms", "--pause", "700ms")
        told, taken = self.held(text, condition)
        surely, at_most = map(int, re.search(r"(\d+) to (\d+) longer", out).groups())
        self.assertTrue(surely <= told <= at_most, text)
        self.assertGreaterEqual(taken, 3)
        self.assertIn("nothing lost", text)
        files = sorted(self.dir.glob("t.[0-9]*.pftrace"))
        self.orma("merge", *files, "-o", "whole")
        rows = "SELECT count(*), sum(ts), sum(dur) FROM slice WHERE name = 'request' AND dur > 0"
        begin = int(self.one("whole", "SELECT min(ts) FROM slice"))
        for path in sorted(self.dir.glob("t.pftrace.*")):
            mark, = self.query(path, MARKS)
            self.assertEqual(mark["name"], condition)
            first, last = int(mark["ts"]) - 700_000_000, int(mark["ts"]) + 200_000_000
            within = f" AND ts >= {max(first, begin)} AND ts + dur <= {last}"
            self.assertEqual(self.query(path, rows + within), self.query("whole", rows + within), path.name)
            self.assertGreater(int(self.one(path, "SELECT count(*) FROM slice WHERE name = 'request'" + within)), 1000)
            self.assertEqual(self.one(path, f"SELECT count(*) FROM slice WHERE ts > {last} OR ts + dur < {first} AND dur >= 0"), "0")
            self.assertEqual(self.one(path, "SELECT str_value FROM metadata WHERE name = 'trace_trigger'"), condition)
            self.assertEqual(self.one(path, "SELECT count(*) FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0"), "0")

    def test_files_that_a_snapshot_needs_are_kept(self):
        """--keep alone would have removed them; those that no snapshot can need any more go."""
        condition = "slice request > 50ms"
        _, text = self.rotate("--rotate", "200ms", "--keep", "1", "--when", condition, "--before", "1s", "--after", "0s", "--max-snapshots", "1",
                              load=(8, 1, 1000, 2500, 70))
        self.assertEqual(self.held(text, condition)[1], 1, text)
        mark, = self.query("t.pftrace.0", MARKS)
        self.assertLess(int(self.one("t.pftrace.0", "SELECT min(ts) FROM slice")), int(mark["ts"]) - 900_000_000)
        self.assertFalse((self.dir / "t.0001.pftrace").exists())

    def test_sql_is_asked_of_files(self):
        condition = "SELECT ts FROM slice WHERE name = 'request' AND dur > 50000000"
        _, text = self.rotate("--rotate", "3s", "--when", condition, "--after", "0s", "--pause", "0s", load=(5, 1, 1000, 2500, 70))
        self.assertEqual(self.held(text, condition)[0], 1, text)

    def test_a_snapshot_of_files_at_the_end(self):
        """The moment is seen, and the recording ends before the time after it is over."""
        _, text = self.rotate("--rotate", "10m", "--when", "slice request > 50ms", "--after", "1m", load=(1, 1, 1000, 300, 70))
        self.assertEqual(self.held(text, "slice request > 50ms")[1], 1, text)
        self.assertGreaterEqual(int(self.one("t.pftrace.0", SLOW_ONES)), 1)

    def test_a_next_file_that_cannot_be_made_fails_the_snapshot(self):
        (self.dir / "t.pftrace.0").write_text("mine")
        _, text = self.rotate("--rotate", "10m", "--when", "slice request > 50ms", "--after", "0s", load=(1, 0, 0, 300, 60), code=1)
        self.assertEqual((self.dir / "t.pftrace.0").read_text(), "mine")
        self.assertIn("1 failed", text)

    def test_names_are_patterns_and_others_do_not_count(self):
        conditions = "slice req*t > 50ms", "slice other > 1us", 'slice "re?uest" > 10s'
        _, text = self.record(*(a for c in conditions for a in ("--when", c)), load=(1, 1, 1000, 250, 70))
        self.assertGreater(self.held(text, conditions[0])[0], 0)
        self.assertEqual([self.held(text, c) for c in conditions[1:]], [(0, 0), (0, 0)])

    def test_a_slice_that_does_not_end_counts_once(self):
        p = self.start(ORMA, "record", "--private", "--ring", "-o", "t", "--when", "slice request > 100ms", "--after", "100ms",
                       "--pause", "0s", "apps", "--", LOAD, "0", "0", "0", "0", "0", "open", stdin=subprocess.PIPE,
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.wait_for("the snapshot", lambda: self.snapshots())
        time.sleep(0.7)  # it is still open
        p.stdin.close()
        text = p.stderr.read().decode()
        self.assertEqual(p.wait(20 * SLOW), 0, text)
        self.assertEqual(self.held(text, "slice request > 100ms"), (1, 1))
        row, = self.query(self.dir / "t.0", "SELECT name, dur FROM slice WHERE name = 'request'")
        self.assertEqual(row["dur"], "-1")

    def test_limits_and_commands(self):
        condition = "slice request > 50ms"
        out, text = self.record("--when", condition, "--after", "0s", "--pause", "0s", "--max-snapshots", "2", "--then",
                                'echo "made $ORMA_SNAPSHOT at $ORMA_CONDITION"', load=(3, 1, 1000, 200, 60))
        told, taken = self.held(text, condition)
        self.assertEqual(taken, 2)
        self.assertIn("beyond --max-snapshots", text)
        self.assertEqual(re.findall(r"^made (t\.\d) at (.*)$", out, re.M), [("t.0", condition), ("t.1", condition)])
        self.assertEqual(len(self.snapshots()), 2)
        self.assertGreater(told, 5)

    def test_what_is_there_is_not_overwritten(self):
        (self.dir / "t.0").write_text("mine")
        _, text = self.record("--when", "slice request > 50ms", "--after", "0s", load=(1, 0, 0, 300, 60), code=1)
        self.assertEqual((self.dir / "t.0").read_text(), "mine")
        self.assertIn("t.0", text)
        self.assertIn("1 failed", text)
        self.assertTrue((self.dir / "t").stat().st_size)

    def test_a_full_disk_is_counted_and_leaves_nothing(self):
        small = self.dir / "small"
        small.mkdir()
        if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", small], capture_output=True).returncode:
            self.skipTest("file systems cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", str(small)])
        done = self.orma("record", "--private", "--ring", "-o", "small/t", "--when", "slice request > 50ms", "--after", "0s", "--pause", "0s",
                         "apps", "--", LOAD, "3", "1", "20000", "500", "60", code=1)
        text = done.stderr.decode()
        self.assertIn("No space left", text)
        told = re.search(r"held (\d+) times: (\d+) snapshots?(?:, (\d+) while another was made)?, (\d+) failed", text)
        self.assertTrue(told, text)
        self.assertEqual(int(told[1]), sum(int(n or 0) for n in told.groups()[1:]), text)
        self.assertGreater(int(told[4]), 1, "it was tried again")
        self.assertEqual({p.name for p in small.iterdir()} - {"t", "t.0", "t.1"}, set())

    def test_sql_counts_when_it_begins_to_hold(self):
        always, never = "SELECT 1", "SELECT 1 FROM slice WHERE name = 'nothing'"
        slow = "SELECT ts FROM slice WHERE name = 'request' AND dur > 50000000"
        wrong = "SELECT * FROM nowhere"
        _, text = self.record(*(a for c in (always, never, slow, wrong) for a in ("--when", c)), "--after", "0s", "--pause", "0s",
                              load=(5, 1, 1000, 2500, 70))
        self.assertEqual(self.held(text, always)[0], 1, text)
        self.assertEqual(self.held(text, never), (0, 0))
        self.assertEqual(self.held(text, slow)[0], 1)
        self.assertRegex(text, "the condition 'SELECT \\* FROM nowhere' is no longer asked: [^\n]*no such table")
        self.assertEqual(text.count("nowhere' is no longer"), 1)

    def test_sql_without_end_does_not_hold_the_recorder(self):
        endless = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT 1 FROM r WHERE x < 0"
        begin = time.monotonic()
        _, text = self.record("--when", endless, load=(3, 0, 0, 2500, 70))
        self.assertLess(time.monotonic() - begin, 3 + 15 * SLOW)
        self.assertEqual(self.held(text, endless), (0, 0))
        self.assertIn("SQL was asked 1 time\n", text)
        self.assertNotIn("no longer asked", text)

    @unittest.skipIf(have_tracefs(), have_tracefs())
    def test_threads_that_wait_for_a_cpu(self):
        loop = self.dir / "busy-loop"
        loop.write_bytes(pathlib.Path("/bin/sh").resolve().read_bytes())
        loop.chmod(0o755)
        for _ in range(3):
            self.start("taskset", "-c", "0", loop, "-c", "while :; do :; done")
        condition, never = "latency busy-* > 1ms", "latency busy-* > 1h"
        text = self.orma("record", "--private", "--ring", "-b", "64mb", "-t", "3s", "-o", "t", "--when", condition, "--when", never,
                         "--before", "500ms", "--after", "100ms", "--pause", "500ms", "sched").stderr.decode()
        told, taken = self.held(text, condition)
        waits = int(self.one(self.dir / "t", """INCLUDE PERFETTO MODULE orma.sched;
            SELECT count(*) FROM orma_wait JOIN thread USING (utid) WHERE name GLOB 'busy-*' AND dur > 1000000"""))
        self.assertTrue(0.7 * waits - 5 <= told <= 1.1 * waits + 5, (told, waits, text))  # it begins a little later
        self.assertGreaterEqual(taken, 1)
        self.assertEqual(self.held(text, never), (0, 0))
        self.assertEqual(self.one(self.dir / "t.0", f"SELECT count(*) FROM ({MARKS})"), "1")

    def test_usage(self):
        for options, what in ((["--when", "slice x > 1s"], "needs --ring or --rotate"), (["--ring", "--when", "slower"], "expected: slice"),
                              (["--ring", "--when", "slice x"], "expected a name"), (["--ring", "--when", "slice x > y"], "expected a time"),
                              (["--ring", "--after", "1s"], "need --when"), (["--ring", "--when", "slice x > 1s", "-o", "-"], "needs a file"),
                              (["--ring", "--when", "slice x > 1s", "--before", "9999h"], "bad time"),
                              (["--when", "slice x > 1s", "-c", "x"], "cannot be combined"),
                              (["--ring", "--rotate", "1mb", "--when", "slice x > 1s"], "--rotate cannot be combined with --ring"),
                              (["--rotate", "1mb", "--when", "slice x > 1s", "-o", "-"], "needs a file")):
            self.assertIn(what, self.orma("record", *options, code=2).stderr.decode())


if __name__ == "__main__":
    main()
