"""orma doctor: bad set-ups, whose loss is gone once its advice was applied, and good ones, for which there is nothing to do."""
import json

from orma_env import *

NO_TRACEFS = have_tracefs()
APPS = 'data_sources { config { name: "track_event" track_event_config { enabled_categories: "*" } } }'
DEMO_CALL = (DEMO, "--threads", "2", "--iterations", "4000")
SWITCHES = ("sh", "-c", "i=0; while [ $i -lt 1500 ]; do /bin/true; i=$((i+1)); done")


def ftrace(settings, events=("sched/sched_switch", "sched/sched_waking")):
    return ('data_sources { config { name: "linux.ftrace" ftrace_config { '
            + " ".join(f'ftrace_events: "{e}"' for e in events) + f" {settings} }} }} }}")


class Doctor(Case):
    def doctor(self, path, *argv, code):
        done = self.orma("doctor", "--format=json", *argv, path, code=code)
        found = json.loads(done.stdout)
        self.assertEqual(bool(found["findings"]), code == 1, found)
        return found

    def keys(self, path, code):
        return [f["key"] for f in self.doctor(path, code=code)["findings"]]

    def record(self, config, trace, command=DEMO_CALL, code=None, *more):
        argv = ["--", *command] if command else []
        return self.orma("record", "--private", "--allow-unknown", *more, "-f", "-c", config, "-o", trace, *argv, code=code, timeout=120)

    def mend(self, config, key, command=DEMO_CALL, rounds=3):
        """The config loses something; with what the doctor advises, nothing. Some losses hide others: a second look may help."""
        path = self.dir / "bad.pbtxt"
        path.write_text(config)
        self.record(path, "t.pftrace", command)
        self.assertIn(key, self.keys("t.pftrace", 1))
        for _ in range(rounds):
            self.doctor("t.pftrace", "--fix", "-f", "-o", "fixed.pbtxt", code=1)
            self.assertEqual(path.read_text(), config, "the input stays")
            self.record("fixed.pbtxt", "t.pftrace", command, 0)
            if self.orma("doctor", "t.pftrace", code=None).returncode == 0:
                break
        self.assertEqual(self.keys("t.pftrace", 0), [])
        self.assertIn("othing lost", self.orma("stats", "--brief", "t.pftrace").stdout.decode())

    def mend_config(self, config, key, then=0):
        """What the config alone shows."""
        (self.dir / "bad.pbtxt").write_text(config)
        self.assertIn(key, self.keys("bad.pbtxt", 1))
        self.doctor("bad.pbtxt", "--fix", code=1)
        self.assertEqual(self.keys("bad.fixed.pbtxt", then), [] if not then else [key])
        return (self.dir / "bad.fixed.pbtxt").read_text()

    # ---- buffers ----

    def test_a_full_buffer(self):
        self.mend(f"buffers {{ size_kb: 16 fill_policy: DISCARD }} {APPS}", "buffer_full")

    def test_a_full_buffer_of_many(self):
        self.mend(f"buffers {{ size_kb: 4096 }} buffers {{ size_kb: 8 fill_policy: DISCARD }} "
                  + APPS.replace('"track_event"', '"track_event" target_buffer: 1', 1), "buffer_full")

    def test_a_full_buffer_beside_a_file(self):
        self.mend(f"buffers {{ size_kb: 64 fill_policy: DISCARD }} write_into_file: true file_write_period_ms: 2000 {APPS}", "buffer_full")

    def test_a_buffer_that_is_overwritten_before_it_is_in_the_file(self):
        self.mend(f"buffers {{ size_kb: 16 }} write_into_file: true file_write_period_ms: 5000 {APPS}", "buffer_overtaken")

    def test_a_ring_that_holds_less_than_the_time_asked_for(self):
        self.mend(f"buffers {{ size_kb: 32 }} duration_ms: 60000 {APPS}", "ring_short")

    # ---- programs ----

    def test_shared_memory_that_is_too_small(self):
        self.mend(f'buffers {{ size_kb: 65536 }} producers {{ producer_name: "orma_demo" shm_size_kb: 8 page_size_kb: 4 }} '
                  + APPS.replace('"track_event"', '"track_event" buffer_exhausted_policy: BUFFER_EXHAUSTED_DROP', 1), "memory_full",
                  (DEMO, "--threads", "4", "--iterations", "2000", "--spin", "2000"))

    # ---- files ----

    def test_a_file_that_is_full_before_the_time_is_over(self):
        self.mend(f"buffers {{ size_kb: 4096 }} write_into_file: true file_write_period_ms: 200 max_file_size_bytes: 200000 "
                  f"duration_ms: 2000 {APPS}", "file_full", (DEMO, "--threads", "1", "--iterations", "2500", "--spin", "100000"))

    # ---- the kernel ----

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_kernel_buffers_that_are_too_small(self):
        self.mend("buffers { size_kb: 65536 } " + ftrace("buffer_size_kb: 8 drain_period_ms: 1000"), "kernel_overrun", SWITCHES)

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_kernel_events_into_a_small_buffer(self):
        self.mend("buffers { size_kb: 16 fill_policy: DISCARD } " + ftrace(""), "buffer_full", SWITCHES)

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_settings_of_the_kernel(self):
        for settings, key in (("buffer_size_kb: 64", "tiny_ftrace_buffer"),
                              ("buffer_size_kb: 2048 drain_period_ms: 5000", "low_ftrace_drain_bandwidth"),
                              ("drain_period_ms: 90000", "extreme_ftrace_drain_period")):
            with self.subTest(key):
                self.mend_config("buffers { size_kb: 4096 } " + ftrace(settings), key)

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_kernel_functions_without_names(self):
        fixed = self.mend_config("buffers { size_kb: 4096 } " + ftrace("", ["sched/sched_blocked_reason"]), "events_require_symbolize_ksyms")
        self.assertIn("symbolize_ksyms: true", fixed)

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_events_that_this_kernel_does_not_have(self):
        fixed = self.mend_config("buffers { size_kb: 4096 } " + ftrace("", ["sched/sched_swich", "sched/sched_waking", "nobody/has_this_one"]), "name")
        self.assertIn('"sched/sched_switch"', fixed)
        self.assertNotIn("nobody", fixed)
        self.record("bad.pbtxt", "t.pftrace", ("sleep", "0.2"))
        self.assertEqual(self.keys("t.pftrace", 1), ["setup", "setup"])
        self.doctor("t.pftrace", "--fix", "-f", code=1)
        self.record("t.fixed.pbtxt", "t.pftrace", ("sleep", "0.2"), 0)
        self.assertEqual(self.keys("t.pftrace", 0), [])

    # ---- configs ----

    def test_a_source_into_a_buffer_that_does_not_exist(self):
        config = f"buffers {{ size_kb: 4096 }} {APPS}".replace('"track_event"', '"track_event" target_buffer: 3', 1)
        self.mend_config(config, "refused")
        self.record("bad.pbtxt", "t.pftrace", code=1)
        self.record("bad.fixed.pbtxt", "t.pftrace", code=0)

    def test_a_buffer_of_no_size(self):
        self.mend_config(f"buffers {{ }} {APPS}", "refused")

    def test_a_discarding_buffer_for_a_file(self):
        fixed = self.mend_config(f"buffers {{ size_kb: 4096 fill_policy: DISCARD }} write_into_file: true {APPS}", "discard_buffer_for_streaming")
        self.assertIn("RING_BUFFER", fixed)

    def test_clocks_that_are_not_related(self):
        self.mend_config(f"buffers {{ size_kb: 4096 }} builtin_data_sources {{ disable_clock_snapshotting: true }} {APPS}", "clocks")

    def test_more_memory_than_there_is(self):
        self.mend_config(" ".join(["buffers { size_kb: 4194303 }"] * 128) + f" {APPS}", "memory")

    def test_a_misspelt_source(self):
        config = 'buffers { size_kb: 4096 } data_sources { config { name: "linux.sys_stat" } }'
        (self.dir / "bad.pbtxt").write_text(config)
        found = self.doctor("bad.pbtxt", code=1)["findings"]
        self.assertIn("linux.sys_stats", found[0]["what"])

    # ---- good ones ----

    def test_configs_of_orma_record_are_good(self):
        for argv in ((), ("--ring",), ("-t", "5s"), ("cpu",), ("apps",), ("--ring", "-b", "16mb", "apps"), ("-t", "1s", "-b", "8mb", "cpu", "apps"),
                     ("--live",), ("--max-size", "100mb"), ("power", "cpu")):
            with self.subTest(argv):
                config = self.orma("record", "--private", "--explain", *argv).stdout
                (self.dir / "good.pbtxt").write_bytes(config)
                self.assertEqual(self.keys("good.pbtxt", 0), [])
                self.orma("doctor", "--fix", "-f", "good.pbtxt")

    def test_recordings_of_orma_record_are_good(self):
        for argv in (("apps", "--", *DEMO_CALL), ("--ring", "-b", "64mb", "apps", "--", *DEMO_CALL), ("-t", "500ms", "cpu"), ("-t", "500ms", "power", "cpu"),
                     ("cpu", "apps", "--", *DEMO_CALL), ("--live", "apps", "--", *DEMO_CALL), ("--max-size", "100kb", "apps", "--", *DEMO_CALL)):
            with self.subTest(argv):
                self.orma("record", "--private", "-f", "-o", "t.pftrace", *argv, code=None)
                self.assertEqual(self.keys("t.pftrace", 0), [])
                self.assertIn("Nothing to do.", self.orma("doctor", "t.pftrace").stdout.decode())

    def test_a_ring_that_was_asked_for_is_no_loss(self):
        self.orma("record", "--private", "--ring", "-b", "1mb", "-o", "t.pftrace", "apps", "--", DEMO, "--threads", "2",
                  "--iterations", "3000", "--spin", "20000")
        self.assertEqual(self.keys("t.pftrace", 0), [])

    # ---- the command ----

    def test_this_machine(self):
        done = self.orma("doctor", code=None)
        self.assertIn(done.returncode, (0, 1))
        self.assertEqual(done.returncode == 0, "Nothing to do." in done.stdout.decode())

    def test_the_fixed_config_is_never_the_input(self):
        (self.dir / "bad.pbtxt").write_text(f"buffers {{ }} {APPS}")
        self.assertIn("input", self.orma("doctor", "--fix", "-f", "-o", "bad.pbtxt", "bad.pbtxt", code=1).stderr.decode())
        self.assertEqual((self.dir / "bad.pbtxt").read_text(), f"buffers {{ }} {APPS}")
        self.orma("doctor", "--fix", "bad.pbtxt", code=1)
        self.assertIn("exists", self.orma("doctor", "--fix", "bad.pbtxt", code=1).stderr.decode())
        done = self.orma("doctor", "--fix", "-o", "-", "bad.pbtxt", code=1)
        self.assertIn(b"size_kb: 32768", done.stdout)
        self.assertIn(b"size_kb: 0 -> 32768", done.stderr)

    def test_usage_and_files_that_are_neither(self):
        for argv, what in ((["--fix"], "needs a TRACE or CONFIG"), (["-o", "x", "t"], "-o needs --fix"), (["a", "b"], "unexpected argument"),
                           (["--format=xml", "t"], "bad format"), (["--fix", "-"], "needs -o")):
            self.assertIn(what, self.orma("doctor", *argv, code=2).stderr.decode())
        self.orma("doctor", "missing", code=1)
        (self.dir / "typo").write_text("buffers { size_kb: 64 }\ndata_sources { confg { } }")
        self.assertIn("typo:2:", self.orma("doctor", "typo", code=1).stderr.decode())
        (self.dir / "noise").write_bytes(bytes(range(256)) * 10)
        self.orma("doctor", "noise", code=1)


if __name__ == "__main__":
    main()
