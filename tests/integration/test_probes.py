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


if __name__ == "__main__":
    main()
