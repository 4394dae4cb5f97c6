"""How much of a ring can be read: packets whose names, descriptors, clocks and processes are still there. rescue_app.c
writes without end, so the ring is overwritten many times."""
import test_rescue
from orma_env import *

CONFIG = """
buffers {{ size_kb: {kb} fill_policy: RING_BUFFER }}
data_sources {{ config {{ name: "track_event" }} }}
data_sources {{ config {{ name: "linux.process_stats" process_stats_config {{ scan_all_processes_on_start: true }} }} }}
duration_ms: 1200
incremental_state_config {{ clear_period_ms: 60000 }}
"""


class Rings(Case):
    app = test_rescue.Rescue.app

    def setUp(self):
        super().setUp()
        self.oracle_path = self.dir / "oracle"
        self.oracle_path.write_bytes(bytes(8 * 64))

    def readable(self, *how):
        """The share of the packets in the ring that became slices; and whether their process has a name."""
        self.oracle_path.write_bytes(bytes(8 * 64))
        self.orma("record", "--private", "-q", "-f", "-o", "ring", *how, "--", "timeout", "-s", "KILL", "1.5", test_rescue.APP,
                  self.oracle_path, 3, 20, code=None)
        row, = self.query(self.dir / "ring", """select
            (select sum(packets) from loss where reason = 'overwritten') as gone,
            (select sum(packets) from loss where reason = 'delivered') as held,
            (select count(*) from slice where name = 'n') as read,
            (select count(*) from slice join thread_track on track_id = thread_track.id join thread using (utid)
             join process using (upid) where slice.name = 'n' and process.name is null) as unnamed""")
        self.assertGreater(int(row["gone"]), int(row["held"]), "it was overwritten")
        return int(row["read"]) / int(row["held"]), int(row["unnamed"])

    def best(self, *how):
        """Of three: how much is readable depends on what ran when the recording ended."""
        runs = [self.readable(*how) for _ in range(3)]
        self.assertFalse(any(unnamed for _, unnamed in runs))
        return sorted(share for share, _ in runs)

    def test_rings_of_the_command_line(self):
        """They have a buffer for processes, which was what filled small rings."""
        for size, least in ("256kb", 0.5), ("1mb", 0.75):
            with self.subTest(size):
                self.assertGreater(self.best("--ring", "-b", size, "-t", "1200ms", "apps")[1], least)
                self.assertGreater(int(self.one(self.dir / "ring", "select count(*) from process where cmdline is not null")), 3)

    def test_a_ring_of_a_config_with_a_period(self):
        """A period that is far too long: programs are asked for their names all the same."""
        config = self.dir / "config"
        config.write_text(CONFIG.format(kb=1024))
        self.assertGreater(self.best("-c", config)[1], 0.5)


if __name__ == "__main__":
    main()
