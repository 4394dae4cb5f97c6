"""All that is left in a ring can be read: names, descriptors, clocks and processes of its packets are there, whatever was
overwritten. rescue_app.c writes without end, so the ring is overwritten many times."""
import test_rescue
from orma_env import *

CONFIG = """
buffers {{ size_kb: {kb} fill_policy: RING_BUFFER }}
data_sources {{ config {{ name: "track_event" track_event_config {{ enable_thread_time_sampling: {thread_time} }} }} }}
data_sources {{ config {{ name: "linux.process_stats" process_stats_config {{ scan_all_processes_on_start: true }} }} }}
duration_ms: 1200
incremental_state_config {{ clear_period_ms: {period} }}
"""

# Of each thread the events, which are numbered: where the number does not go on by one, where time goes back or jumps.
EVENTS = """with e as (select slice.ts, arg_set_id, extract_arg(arg_set_id, 'debug.t') as t, extract_arg(arg_set_id, 'debug.n') as n
                      from slice where name = 'n'),
    pairs as (select n - lag(n) over w as n, ts - lag(ts) over w as ts from e window w as (partition by t order by n))
    select (select count(*) from e) as num, (select count(distinct t) from e) as threads,
           (select count(*) from pairs where n <> 1) as holes, (select count(*) from pairs where ts < 0) as back,
           (select count(*) from pairs where ts > 900000000) as jumps,
           (select count(*) from slice join thread_track on track_id = thread_track.id join thread using (utid)
            join process using (upid) where slice.name = 'n' and process.name is null) as unnamed,
           (select ifnull(sum(packets), 0) from loss where reason = 'overwritten') as gone,
           (select sum(packets) from loss where reason = 'delivered') as held,
           (select ifnull(sum(packets), 0) from loss where reason in ('dropped', 'cut')) as lost,
           (select group_concat(name || '=' || value) from stats where severity in ('error', 'data_loss') and value > 0) as errors"""


class Rings(Case):
    app = test_rescue.Rescue.app

    def setUp(self):
        super().setUp()
        self.oracle_path = self.dir / "oracle"

    def record(self, pause_us, *how):
        self.oracle_path.write_bytes(bytes(8 * 64))
        self.orma("record", "--private", "-q", "-f", "-o", "ring", *how, "--", "timeout", "-s", "KILL", "1.5", test_rescue.APP,
                  self.oracle_path, 3, pause_us, code=None)

    def check(self, pause_us, *how, least=0.5):
        for _ in range(4):  # killed in the middle of a packet, or kept from writing it: that is lost, and what was built on it
            self.record(pause_us, *how)
            row, = self.query(self.dir / "ring", EVENTS)
            if row.pop("lost") == "0":
                break
        self.assertEqual(row.pop("errors"), "[NULL]", row)
        row = {name: int(value) for name, value in row.items()}
        self.assertGreater(row["gone"], row["held"], "it was overwritten")
        for what in "holes", "back", "jumps", "unnamed":
            self.assertEqual(row[what], 0, (what, row))
        # The others introduce threads and processes.
        self.assertGreater(row["num"], least * row["held"], row)

    def test_rings_of_the_command_line(self):
        for size, least in ("64kb", 0.4), ("256kb", 0.8), ("1mb", 0.9):
            for pause_us in 0, 20:
                with self.subTest(size, pause_us=pause_us):
                    self.check(pause_us, "--ring", "-b", size, "-t", "1200ms", "apps", least=least)
        self.assertGreater(int(self.one(self.dir / "ring", "select count(*) from process where cmdline is not null")), 3)

    def test_rings_of_a_config(self):
        """A period that is far too long, and one that fills the ring with names; processes in the same buffer."""
        for kb, period, least in (256, 60000, 0.01), (1024, 60000, 0.5), (1024, 60, 0.05):
            with self.subTest(kb, period=period):
                config = self.dir / "config"
                config.write_text(CONFIG.format(kb=kb, period=period, thread_time="true" if period == 60 else "false"))
                self.check(20, "-c", config, least=least)


if __name__ == "__main__":
    main()
