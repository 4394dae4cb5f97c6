"""orma record --auto-size: what is measured, what is chosen, and that it holds what comes."""
import re

from orma_env import *

LOAD = BUILD / "tests/integration/flight_load"
SLOW_DISK = BUILD / "tests/integration/slow_disk.so"
NO_TRACEFS = have_tracefs()
NOT_OVERWRITTEN = "SELECT sum(value) FROM stats WHERE name = 'traced_buf_bytes_overwritten'"
WRITTEN = "SELECT sum(value) FROM stats WHERE name = 'traced_buf_bytes_written'"


class AutoSize(Case):
    def load(self, seconds, per_second=100000):
        self.start_traced()
        return self.start(LOAD, seconds, 2, per_second, 0, 0, stdout=subprocess.DEVNULL)

    def auto(self, *argv, code=0):
        return self.orma("record", "--auto-size", *argv, code=code).stderr.decode()

    def size_of(self, trace, buffer=0):
        return int(self.one(trace, f"SELECT value FROM stats WHERE name = 'traced_buf_buffer_size' AND idx = {buffer}"))

    def test_a_ring_holds_the_time_that_was_asked_for(self):
        self.load(20, 30000)
        said = self.auto("--ring", "-t", "4s", "-o", "t", "apps")
        self.assertRegex(said, r"measured for [\d.]+ s: [\d.]+ [KM]iB a second into buffers\n")
        self.assertRegex(said, r"chosen: buffers\[0\]\.size_kb: 32768 -> \d+\n")
        written = int(self.one("t", WRITTEN))
        self.assertGreater(written, 1 << 20)
        self.assertEqual(self.one("t", NOT_OVERWRITTEN), "0", said)
        self.assertLess(self.size_of("t"), 8 * written, "and not much more")
        self.assertIn("nothing lost", said)

    def test_a_flight_recorder_holds_what_is_before_the_moment(self):
        self.load(20, 20000)
        sizes = []
        for before in ("1s", "30s"):
            config = self.orma("record", "--auto-size", "--explain", "--ring", "--when", "slice x > 1s", "--before", before, "--after", "0s",
                               "apps").stdout.decode()
            sizes.append(int(re.search(r"size_kb: (\d+)", config)[1]))
        self.assertGreaterEqual(sizes[1], 8 * sizes[0], sizes)

    def test_a_buffer_for_a_file_is_not_made_smaller(self):
        self.load(20)
        said = self.auto("-t", "2s", "-o", "t", "apps")
        self.assertIn("nothing lost", said)
        self.assertIn("as they should be", said)
        self.assertEqual(self.size_of("t"), 32 << 20)
        self.assertNotIn("disk", said)

    def test_a_config_is_mended(self):
        self.load(20)
        (self.dir / "c").write_text('buffers { size_kb: 16 } write_into_file: true file_write_period_ms: 8000 duration_ms: 2000 '
                                    'data_sources { config { name: "track_event" track_event_config { enabled_categories: "*" } } }')
        lossy = self.orma("record", "-c", "c", "-o", "lossy").stderr.decode()
        self.assertNotIn("nothing lost", lossy)
        said = self.auto("-c", "c", "-o", "t")
        self.assertRegex(said, r"buffers\[0\]\.size_kb: 16 -> \d+")
        self.assertRegex(said, r"file_write_period_ms: 8000 -> \d+")
        self.assertRegex(said, r"flush_period_ms: unset -> 5000")
        self.assertIn("nothing lost", said)

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_the_buffers_of_the_kernel(self):
        (self.dir / "c").write_text('buffers { size_kb: 65536 } duration_ms: 2000 data_sources { config { name: "linux.ftrace" ftrace_config { '
                                    'ftrace_events: "sched/sched_switch" ftrace_events: "sched/sched_waking" buffer_size_kb: 8 '
                                    'drain_period_ms: 1000 } } }')
        self.start("sh", "-c", "while :; do /bin/true; done")
        lossy = self.orma("record", "--private", "-c", "c", "-o", "lossy").stderr.decode()
        self.assertIn("overrun", lossy)
        said = self.auto("--private", "-c", "c", "-o", "t")
        self.assertRegex(said, r"\d+ kernel events a second on the busiest cpu")
        self.assertRegex(said, r"ftrace_config\.buffer_size_kb: 8 -> \d+")
        self.assertRegex(said, r"ftrace_config\.drain_period_ms: 1000 -> 100")
        self.assertNotIn("overrun", said)

    def test_a_command_is_run_once(self):
        said = self.auto("--private", "-o", "t", "--ring", "apps", "--", "sh", "-c", f"echo once >> runs; {DEMO} --threads 2 --iterations 4000")
        self.assertEqual((self.dir / "runs").read_text(), "once\n")
        enough = re.search(r"measured for [\d.]+ \w+: [\d.]+ \w+ a second; -b (\d+mb) is enough", said)
        self.assertTrue(enough, said)
        again = self.orma("record", "--private", "-o", "u", "--ring", "-b", enough[1], "apps", "--", DEMO, "--threads", "2", "--iterations", "4000")
        self.assertEqual(self.one("u", NOT_OVERWRITTEN), "0", again.stderr)

    @unittest.skipIf(SLOW > 1, "sanitizers come first")
    def test_a_disk_that_is_too_slow(self):
        self.load(20)
        self.env["LD_PRELOAD"] = str(SLOW_DISK)
        said = self.auto("-t", "1s", "-o", "t", "apps")
        self.assertRegex(said, r"The disk of this folder takes [\d.]+ KiB a second \(128\.0 KiB were written in 4\d\d(\.\d+)? ms\), and [\d.]+ MiB a "
                               r"second come")
        self.assertIn("-o /dev/shm/", said)
        self.assertEqual(sorted(p.name for p in self.dir.iterdir() if p.suffix != ".sock"), ["t"], "nothing is left of the measuring")
        self.assertRegex(self.orma("doctor", code=None).stdout.decode(), r"the disk of this folder takes [\d.]+ KiB a second")

    @unittest.skipIf(SLOW > 1, "sanitizers come first")
    def test_the_disk_is_looked_at_where_a_buffer_was_overtaken(self):
        self.load(20)
        (self.dir / "c").write_text('buffers { size_kb: 16 } write_into_file: true file_write_period_ms: 5000 duration_ms: 1000 '
                                    'data_sources { config { name: "track_event" track_event_config { enabled_categories: "*" } } }')
        self.orma("record", "-c", "c", "-o", "t", code=None)
        fast = self.orma("doctor", "t", code=1).stdout.decode()
        self.assertRegex(" ".join(fast.split()), r"[tT]he disk of this folder takes [\d.]+ [MG]iB a second \([^)]*\)")  # whichever it is here
        self.env["LD_PRELOAD"] = str(SLOW_DISK)
        self.assertIn("The disk of this folder takes", " ".join(self.orma("doctor", "t", code=1).stdout.decode().split()))

    def test_what_cannot_be_measured_is_said(self):
        self.start_traced()
        said = self.auto("-t", "100ms", "-o", "t", "apps", code=None)
        self.assertIn("nothing came meanwhile", said)

    def test_a_signal_ends_the_measuring(self):
        self.start_traced()
        p = self.start(ORMA, "record", "--auto-size", "-o", "t", "apps", stderr=subprocess.PIPE)
        p.stderr.readline()
        time.sleep(0.2)
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.wait(20 * SLOW), 1)
        self.assertIn(b"stopped while it measured", p.stderr.read())
        self.assertFalse((self.dir / "t").exists())

    def test_usage(self):
        for argv, what in ((["-b", "1mb"], "leave out -b"), (["--clone", "1"], "leave out --auto-size")):
            self.assertIn(what, self.auto(*argv, code=2))


if __name__ == "__main__":
    main()
