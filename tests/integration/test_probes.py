"""The system's data sources through the real daemons: traced, traced_probes and orma record."""
import fcntl
import socket

from orma_env import *

NO_TRACEFS = have_tracefs()
TRACEFS = pathlib.Path("/sys/kernel/tracing")

POWER = """buffers { size_kb: 1024 }
data_sources { config { name: "linux.sysfs_power" android_power_config { battery_poll_ms: 250 } } }
duration_ms: 1000
"""


class Probes(Case):
    def start_probes(self, *more):
        with (self.dir / "log").open("w") as log:
            return self.start(PROBES, "--state-dir", self.dir / "state", *more, stderr=log)

    def file(self, path, text):
        (self.dir / path).parent.mkdir(parents=True, exist_ok=True)
        (self.dir / path).write_text(text)
        return self.dir / path

    def record(self, config, code=0):
        trace = self.dir / "t.pftrace"
        done = self.orma("record", "-c", self.file("config.txt", config), "--txt", "-o", trace, code=code)
        return trace, done.stderr.decode()

    def test_batteries_are_recorded(self):
        self.file("sys/class/power_supply/BAT0/capacity", "87\n")
        self.file("sys/class/power_supply/BAT0/current_now", "-450000\n")
        self.file("sys/class/power_supply/AC/online", "1\n")
        self.start_traced()
        self.start_probes("--sys", self.dir / "sys")
        self.wait_for("the probes", lambda: b"sysfs_power" in self.orma("status").stdout)
        trace, _ = self.record(POWER)
        rows = self.query(trace, """
            SELECT counter_track.name AS name, value, count(*) AS n FROM counter
            JOIN counter_track ON track_id = counter_track.id GROUP BY 1, 2 ORDER BY 1""")
        self.assertEqual([(r["name"], float(r["value"])) for r in rows],
                         [("batt.BAT0.capacity_pct", 87.0), ("batt.BAT0.current_ua", -450000.0)])
        self.assertGreater(int(rows[0]["n"]), 1, "polled, not read once")

    def test_a_machine_without_batteries_says_so(self):
        self.file("sys/class/power_supply/AC/online", "1\n")
        self.start_traced()
        self.start_probes("--sys", self.dir / "sys")
        self.wait_for("the probes", lambda: b"sysfs_power" in self.orma("status").stdout)
        _, err = self.record(POWER, code=1)
        self.assertIn("nothing was recorded: no data source had anything to write", err)
        self.assertIn("linux.sysfs_power: this machine has no battery", (self.dir / "log").read_text())
        check = self.run_program(PROBES, "--check", "--sys", self.dir / "sys")
        self.assertRegex(check.stdout.decode(), r"linux.sysfs_power +no: this machine has no battery")

    def test_folders_of_killed_recordings_are_removed_and_no_others(self):
        run = self.dir / "run"
        self.env["XDG_RUNTIME_DIR"] = str(run)
        run.mkdir()
        open_files = []

        def folder(name, files=(), sockets=(), listening=False, lock=None, mode=0o700, old=True):
            path = run / name
            path.mkdir()
            for f in files:
                (path / f).write_text("x")
            for name in sockets:
                s = socket.socket(socket.AF_UNIX)
                s.bind(str(path / name))
                if listening:
                    s.listen()
                    open_files.append(s)
                else:
                    s.close()
            if lock is not None:
                f = (path / "lock").open("w")
                if lock:
                    fcntl.flock(f, fcntl.LOCK_EX)
                    open_files.append(f)
                else:
                    f.close()
            if old:
                os.utime(path, (1, 1))
            path.chmod(mode)

        both = ("producer.sock", "consumer.sock")
        folder("orma-gone01", sockets=both, lock=False)
        folder("orma-gone02", sockets=both)
        folder("orma-gone03")
        folder("orma-gone04", lock=False, old=False)
        folder("orma-live01", sockets=both, lock=True)
        folder("orma-live02", sockets=both, listening=True)
        folder("orma-live03", old=False)
        folder("orma-data01", files=["trace.pftrace"], lock=False)
        folder("orma-data02", files=["trace.pftrace"])
        folder("orma-mode01", sockets=both, lock=False, mode=0o755)
        folder("other-abcde", sockets=both, lock=False)
        (run / "orma-link01").symlink_to(run / "other-abcde")
        kept = sorted(p.name for p in run.iterdir() if "gone" not in p.name)
        said = self.orma("status", "--repair").stdout.decode()
        self.assertEqual(sorted(p.name for p in run.iterdir() if p.name != "orma"), kept)
        self.assertRegex(said, r"Removed \d+ folders")
        for f in open_files:
            f.close()

    def test_options_that_nobody_serves_are_told(self):
        config = POWER.replace("battery_poll_ms: 250", "collect_power_rails: true battery_poll_ms: 250")
        self.file("sys/class/power_supply/AC/online", "1\n")
        _, err = self.record(config.replace("1000", "100"), code=1)  # batteries there are none
        self.assertIn("linux.sysfs_power: ignored, not supported: android_power_config.collect_power_rails", err)

    def test_switches_that_the_kernel_left_out_are_told(self):
        """7 is put on the cpu and 9 taken off it; in the other trace all is well."""
        def switch(ts, prev, then):
            return (f'event {{ timestamp: {ts} pid: {prev} sched_switch {{ prev_comm: "a" prev_pid: {prev} '
                    f'prev_state: 1 next_comm: "b" next_pid: {then} next_prio: 120 }} }}')

        for prev, words in ((9, "1 switch is missing in the kernel's own record"), (7, "No loss was counted")):
            text = self.file("t.txt", "packet { trusted_packet_sequence_id: 1 ftrace_events { cpu: 0 " +
                             switch(1000, 5, 7) + switch(2000, prev, 5) + switch(3000, 5, 8) + " } } packet { trace_stats { buffer_stats { buffer_size: 4096 } } }")
            trace = self.dir / "t.pftrace"
            self.orma("convert", "--force", "binary", text, trace)
            self.assertIn(words, self.orma("stats", trace).stdout.decode())
            brief = self.orma("stats", "--brief", trace).stdout.decode()
            self.assertEqual(brief, "No loss was counted; 1 switch that the kernel did not record.\n" if prev == 9
                             else "No loss was counted.\n")
            open_waits = self.one(trace, "SELECT count(*) FROM thread_state WHERE state = 'Running' AND dur = -1")
            self.assertEqual(open_waits, "2" if prev == 9 else "1")


@unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
class Tracefs(Case):
    """The machine's own tracefs: whoever records, it is as it was afterwards."""

    def setUp(self):
        super().setUp()
        self.orma("status", "--repair")
        self.before = self.settings()
        self.addCleanup(self.orma, "status", "--repair")

    @staticmethod
    def settings():
        """Every control file that a recording may change, and the folders that it may make."""
        names = ("tracing_on set_event set_event_pid set_event_notrace_pid trace_clock buffer_size_kb "
                 "buffer_subbuf_size_kb tracing_cpumask buffer_percent current_tracer events/enable "
                 "events/sched/sched_switch/filter uprobe_events dynamic_events").split()
        files = [TRACEFS / n for n in names] + sorted(TRACEFS.glob("options/*"))
        ret = {str(f): f.read_text() for f in files if f.exists()}
        ret["instances"] = sorted(p.name for p in TRACEFS.glob("instances/orma-*"))
        return ret

    def assert_as_before(self):
        self.assertEqual(self.settings(), self.before)

    def recorder(self, name, *more):
        """Starts; returns once the kernel records for it."""
        log = self.dir / f"{name}.log"
        known = self.settings()
        with log.open("w") as f:
            p = self.start(ORMA, "record", "-o", self.dir / f"{name}.pftrace", *more, "sched", stderr=f)
        self.wait_for(f"{name} to record", lambda: self.records(known))
        return p, log

    def records(self, known):
        """In an instance of its own, or in the main one if that did not record before."""
        now = self.settings()
        new = set(now["instances"]) - set(known["instances"])
        if new:
            return any("sched_switch" in (TRACEFS / "instances" / n / "set_event").read_text() for n in new)
        main = str(TRACEFS / "set_event")
        return "sched_switch" in now[main] and "sched_switch" not in known[main]

    def count(self, name):
        return int(self.one(self.dir / f"{name}.pftrace", "SELECT count(*) FROM sched"))

    def test_two_recorders_at_once_both_get_the_kernels_events(self):
        first, _ = self.recorder("first")
        second, log = self.recorder("second")
        self.assertEqual(self.settings()["instances"], [f"orma-{second.pid}"])
        third = self.orma("record", "-t", "200ms", "-o", self.dir / "third.pftrace", "sched")
        self.assertIn(f"in use by another recording (process {first.pid})", third.stderr.decode())
        self.assertIn("trace_marker", log.read_text(), "what it cannot give is said")
        for p in (first, second):
            p.send_signal(signal.SIGINT)
            self.assertEqual(p.wait(20 * SLOW), 0)
        for name in ("first", "second", "third"):
            self.assertGreater(self.count(name), 0, name)
        self.assert_as_before()

    def killed(self):
        pids = [self.recorder(name)[0] for name in ("first", "second")]
        folders = self.folders()
        for p in pids:
            p.kill()
            p.wait()
        self.assertNotEqual(self.settings(), self.before)
        return folders

    @staticmethod
    def folders():
        return {p for p in pathlib.Path("/tmp").glob("orma-??????") if (p / "lock").exists()}

    def test_repair_puts_back_what_killed_recordings_left(self):
        self.env.pop("XDG_RUNTIME_DIR", None)
        others = self.folders()
        folders = self.killed() - others
        self.assertEqual(len(folders), 2)
        said = self.orma("status", "--repair").stdout.decode()
        self.assertRegex(said, r"Restored settings of the kernel in 2 places\.\nRemoved \d+ folders")
        self.assert_as_before()
        self.assertEqual([f for f in folders if f.exists()], [])

    def test_the_next_recording_puts_back_what_killed_ones_left(self):
        self.killed()
        self.orma("record", "-t", "200ms", "-o", self.dir / "next.pftrace", "sched")
        self.assert_as_before()
        self.assertGreater(self.count("next"), 0)

    def test_the_daemon_gets_an_instance_and_is_repaired_as_well(self):
        first, _ = self.recorder("first")
        self.start_traced()
        daemon = self.start(PROBES, stderr=subprocess.DEVNULL)
        self.wait_for("the probes", lambda: b"linux.ftrace" in self.orma("status").stdout)
        self.recorder("second")
        self.assertEqual(self.settings()["instances"], [f"orma-{daemon.pid}"])
        daemon.kill()
        daemon.wait()
        self.orma("status", "--repair")
        self.assertEqual(self.settings()["instances"], [])
        self.assertIn("sched_switch", (TRACEFS / "set_event").read_text(), "the first one goes on")
        first.send_signal(signal.SIGINT)
        self.assertEqual(first.wait(20 * SLOW), 0)
        self.assert_as_before()

    def test_lists_and_long_filters_are_put_back_whole(self):
        """In an instance of the user's, which is set up for something else."""
        path = TRACEFS / "instances" / f"orma_test_{os.getpid()}"
        path.mkdir()
        self.addCleanup(self.remove, path)
        pids = sorted(int(p.name) for p in pathlib.Path("/proc").iterdir() if p.name.isdigit())[:3]
        long_filter = " || ".join(f"prev_pid == {n}" for n in range(100000, 100080))
        self.assertGreater(len(long_filter), 1024)
        (path / "tracing_on").write_text("0")
        (path / "set_event_pid").write_text(" ".join(map(str, pids)))
        (path / "events/sched/sched_switch/filter").write_text(long_filter)
        for event in ("sched/sched_switch", "sched/sched_waking", "irq/irq_handler_entry"):
            (path / "events" / event / "enable").write_text("1")
        for n, cpu in enumerate(sorted((path / "per_cpu").iterdir())):
            (cpu / "buffer_size_kb").write_text(str(64 * (n + 1)))
        (path / "options/overwrite").write_text("0")
        before = self.instance(path)
        self.record(f"""buffers {{ size_kb: 4096 }}
            data_sources {{ config {{ name: "linux.ftrace" ftrace_config {{
                instance_name: "{path.name}" tids_to_trace: {os.getpid()} tids_to_trace: 1 drain_buffer_percent: 20
                tracefs_options {{ name: "overwrite" state: STATE_ENABLED }} tracing_cpumask: "1"
                ftrace_events: "sched/sched_switch if prev_pid == 1" ftrace_events: "timer/hrtimer_start"
                }} }} }} duration_ms: 300""", code=1)  # none of these events happens
        now = self.instance(path)
        self.assertEqual({f: (before[f], now[f]) for f in before if before[f] != now[f]}, {})

    @staticmethod
    def instance(path):
        names = ("tracing_on set_event set_event_pid set_event_notrace_pid trace_clock buffer_size_kb "
                 "buffer_subbuf_size_kb tracing_cpumask buffer_percent events/sched/sched_switch/filter "
                 "events/sched/sched_switch/enable events/irq/irq_handler_entry/enable "
                 "events/timer/hrtimer_start/enable").split()
        files = [path / n for n in names] + sorted(path.glob("options/*")) + sorted(path.glob("per_cpu/*/buffer_size_kb"))
        return {str(f.relative_to(path)): f.read_text() for f in files if f.exists()}

    def record(self, config, code=0):
        (self.dir / "config.txt").write_text(config)
        return self.orma("record", "-c", self.dir / "config.txt", "--txt", "-o", self.dir / "t.pftrace", code=code)

    def remove(self, path):
        def gone():
            try:
                path.rmdir()
            except OSError:
                return False
            return True
        self.wait_for("the instance to go", gone)

    def test_the_users_own_tracing_is_left_alone(self):
        """Events that someone has enabled, and what they have recorded, stay; and so do filters."""
        if self.before[str(TRACEFS / "set_event")]:
            self.skipTest("events are enabled on this machine already")
        event = TRACEFS / "events/sched/sched_process_fork"
        switch = TRACEFS / "tracing_on"
        self.addCleanup(switch.write_text, switch.read_text())
        switch.write_text("1")  # trace-cmd leaves it off
        self.addCleanup((TRACEFS / "trace").write_text, "")
        self.addCleanup((event / "enable").write_text, "0")
        self.addCleanup((event / "filter").write_text, "0")
        (event / "filter").write_text("child_pid != 0")
        (event / "enable").write_text("1")
        mark = "orma-test-mark"
        (TRACEFS / "trace_marker").write_text(mark)
        before = self.settings()
        done = self.orma("record", "-t", "300ms", "-o", self.dir / "t.pftrace", "sched", "--", "true")
        self.assertIn("events are enabled in it", done.stderr.decode())
        self.assertGreater(self.count("t"), 0)
        self.assertEqual(self.settings(), before)
        self.assertEqual((event / "filter").read_text().strip(), "child_pid != 0")
        self.assertIn(mark, (TRACEFS / "trace").read_text(), "the ring is the user's")


if __name__ == "__main__":
    main()
