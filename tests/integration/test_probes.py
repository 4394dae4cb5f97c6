"""The system's data sources through the real daemons: traced, traced_probes and orma record."""
from orma_env import *

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

    def record(self, config):
        trace = self.dir / "t.pftrace"
        done = self.orma("record", "-c", self.file("config.txt", config), "--txt", "-o", trace)
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
        self.record(POWER)
        self.assertIn("linux.sysfs_power: this machine has no battery", (self.dir / "log").read_text())
        check = self.run_program(PROBES, "--check", "--sys", self.dir / "sys")
        self.assertRegex(check.stdout.decode(), r"linux.sysfs_power +no: this machine has no battery")

    def test_switches_that_the_kernel_left_out_are_told(self):
        """7 is put on the cpu and 9 taken off it; in the other trace all is well."""
        def switch(ts, prev, then):
            return (f'event {{ timestamp: {ts} pid: {prev} sched_switch {{ prev_comm: "a" prev_pid: {prev} '
                    f'prev_state: 1 next_comm: "b" next_pid: {then} next_prio: 120 }} }}')

        for prev, words in ((9, "1 switch is missing in the kernel's own record"), (7, "Nothing was lost")):
            text = self.file("t.txt", "packet { trusted_packet_sequence_id: 1 ftrace_events { cpu: 0 " +
                             switch(1000, 5, 7) + switch(2000, prev, 5) + switch(3000, 5, 8) + " } }")
            trace = self.dir / "t.pftrace"
            self.orma("convert", "--force", "binary", text, trace)
            self.assertIn(words, self.orma("stats", trace).stdout.decode())
            brief = self.orma("stats", "--brief", trace).stdout.decode()
            self.assertIn("Lost: 1 switch that the kernel did not record" if prev == 9 else "Lost: nothing", brief)
            open_waits = self.one(trace, "SELECT count(*) FROM thread_state WHERE state = 'Running' AND dur = -1")
            self.assertEqual(open_waits, "2" if prev == 9 else "1")


if __name__ == "__main__":
    main()
