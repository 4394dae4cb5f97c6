"""A recording under load, end to end: what the kernel counted, per cpu, is rows of ftrace_event, reported loss, or
cut by the rule that begins a trace when all cpus are known. ORMA_COMPLETE_SECONDS makes it longer."""
from orma_env import *

NO_TRACEFS = have_tracefs()
SECONDS = int(os.environ.get("ORMA_COMPLETE_SECONDS", "2"))
GROUPS = "sched irq raw_syscalls syscalls timer power kmem block workqueue signal task".split()
ROOT = pathlib.Path("/sys/kernel/tracing/instances")
LOAD = "while :; do ls -lR /etc | sort | tail -n 1; done > /dev/null 2>&1"


@unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
class Complete(Case):
    def instance(self):
        path = ROOT / f"orma_complete_{os.getpid()}"
        path.mkdir()
        self.addCleanup(self.remove, path)
        return path.name

    @staticmethod
    def remove(path):
        for _ in range(100):
            try:
                return path.rmdir()
            except OSError:
                time.sleep(0.05)

    def record(self):
        trace, config = self.dir / "trace.pftrace", self.dir / "config.txt"
        events = "".join(f'ftrace_events: "{g}/*" ' for g in GROUPS)
        config.write_text(f"""
            buffers {{ size_kb: 1048576 fill_policy: DISCARD }}
            data_sources {{ config {{ name: "linux.ftrace" ftrace_config {{
                {events} instance_name: "{self.instance()}" buffer_size_kb: 16384 drain_period_ms: 50 }} }} }}
            write_into_file: true file_write_period_ms: 200 flush_period_ms: 1000
            duration_ms: {SECONDS * 1000}""")
        load = [self.start("sh", "-c", LOAD) for _ in range(2)]
        self.orma("record", "-c", config, "--txt", "-o", trace, timeout=120 + 10 * SECONDS)
        for p in load:
            self.end(p)
        return trace

    def test_every_event_is_accounted_for(self):
        trace = self.record()
        stats = {(r["name"], int(r["idx"])): int(r["value"]) for r in self.query(
            trace, "SELECT name, idx, value FROM stats WHERE name GLOB 'ftrace_cpu_*_end'")}
        rows = {int(r["cpu"]): int(r["n"]) for r in self.query(
            trace, "SELECT cpu, count(*) AS n FROM ftrace_event GROUP BY cpu")}
        cut = int(self.one(trace, """
            SELECT ifnull(sum(value), 0) FROM stats WHERE name IN ('ftrace_packet_before_tracing_start',
                'compact_sched_switch_skipped', 'compact_sched_waking_skipped')"""))
        cpus = sorted({cpu for _, cpu in stats})
        self.assertTrue(cpus)
        read = {c: stats["ftrace_cpu_read_events_end", c] for c in cpus}
        lost = {c: stats["ftrace_cpu_overrun_end", c] + stats["ftrace_cpu_commit_overrun_end", c] +
                stats["ftrace_cpu_dropped_events_end", c] for c in cpus}
        print(f"rows {rows}, kernel's readers {read}, lost in the kernel's ring {lost}, cut at the start {cut}")
        for c in cpus:
            self.assertEqual(stats["ftrace_cpu_entries_end", c], 0, "the flush reached the end of every ring")
            self.assertLessEqual(rows.get(c, 0), read[c])
        self.assertEqual(sum(rows.values()) + cut, sum(read.values()))


if __name__ == "__main__":
    main()
