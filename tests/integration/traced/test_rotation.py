"""`orma record --rotate`: files that can be read alone, and are the whole together. A program tells in shared memory
which of its calls have returned (rescue_app.c), so it is known what must be in them.

    test_rotation.py            # a few kills
    ORMA_RESCUE_KILLS=300 ...   # so many
"""
import random

import test_rescue
from orma_env import *

APP, KILLS, THREADS, LARGEST = test_rescue.APP, test_rescue.KILLS, test_rescue.THREADS, test_rescue.LARGEST
HARMLESS = "'mismatched_sched_switch_tids', 'traced_final_flush_failed', 'traced_flushes_failed'"


class Rotation(Case):
    oracle, app, numbers, kill, stop = (getattr(test_rescue.Rescue, n) for n in "oracle app numbers kill stop".split())
    recover, root, folders = (getattr(test_rescue.Rescue, n) for n in "recover root folders".split())

    def setUp(self):
        super().setUp()
        self.oracle_path = self.dir / "oracle"
        self.oracle_path.write_bytes(bytes(8 * 64))
        self.runs = 0

    def files(self, name="t"):
        return sorted(self.dir.glob(f"{name}.[0-9][0-9][0-9][0-9].pftrace"))

    def record(self, *more, pause_us=20, name="t", seconds=3, **how):
        """A whole recording with its program, which outlives it; what was said."""
        done = self.run_program(ORMA, "record", "--private", "-o", f"{name}.pftrace", *more, "--", "timeout", "-s", "KILL", seconds,
                                APP, self.oracle_path, THREADS, pause_us, **how)
        return done.stderr.decode()

    def look_at(self, path):
        """One file alone: names, clocks, config, nothing unknown."""
        bad = self.query(path, f"select name, value from stats where severity in ('error', 'data_loss') and value > 0 and "
                               f"name not in ({HARMLESS})")
        self.assertEqual(bad, [], path.name)
        self.assertEqual(self.query(path, "select name from stats where name like '%skipped%' and value > 0 and severity != 'info'"), [])
        self.assertEqual(self.one(path, "select count(*) from slice where name is null"), "0", "all slices have names")
        self.assertNotEqual(self.one(path, "select count(*) from process where name is not null and pid > 0"), "0")
        self.assertEqual(self.one(path, "select count(*) from metadata where name = 'trace_config_pbtxt'"), "1")
        self.assertNotEqual(self.one(path, "select count(*) from clock_snapshot"), "0")
        self.assertEqual(self.one(path, "select count(*) from loss where reason = 'unreported'"), "0", path.name)
        self.assertEqual(self.one(path, "select count(*) from slice join thread_track on slice.track_id = thread_track.id "
                                        "join thread using (utid) join process using (upid) where slice.name = 'n' "
                                        "and process.name is null"), "0", "events belong to a process with a name")
        return self.numbers(path)

    def check_files(self, files, first=1):
        """Each alone, and together: no number is missing or there twice."""
        alone = [self.look_at(f) for f in files]
        whole = self.dir / "whole.pftrace"
        self.orma("merge", "-f", "-o", whole, *reversed(files))
        self.assertEqual(whole.read_bytes(), b"".join(f.read_bytes() for f in files), "in the order of their time")
        found = self.numbers(whole)
        for t in found:
            self.assertEqual(sorted(n for one in alone for n in one.get(t, [])), sorted(found[t]))
            self.assertEqual(sorted(found[t]), list(range(first or min(found[t]), max(found[t]) + 1)), f"thread {t}")
        self.assertEqual(self.query(whole, f"select name, value from stats where severity in ('error', 'data_loss') and value > 0 "
                                           f"and name not in ({HARMLESS})"), [])
        sums = "select count(*) as n, sum(dur) as d from slice"
        rows = [self.query(f, sums)[0] for f in files]
        self.assertEqual(self.one(whole, "select count(*) from slice"), str(sum(int(r["n"]) for r in rows)))
        return found

    def test_by_time(self):
        said = self.record("--rotate", "500ms", "-t", "2s", "apps")
        files = self.files()
        self.assertGreaterEqual(len(files), 4)
        self.assertRegex(said, rf"t\.0001\.pftrace to t\.000{len(files)}\.pftrace: {len(files)} files, .*nothing lost")
        self.check_files(files)

    def test_by_size_fast_and_few_are_kept(self):
        said = self.record("--rotate", "1mb", "--keep", "3", "-t", "3s", "-b", "256mb", "apps", pause_us=1)
        files = self.files()
        self.assertEqual(len(files), 3)
        self.assertRegex(said, r"\(the oldest \d+ removed by --keep\)")
        self.assertIn("nothing lost", said)
        self.check_files(files, first=None)

    def test_kernel_events_processes_and_samples(self):
        if have_tracefs():
            self.skipTest(have_tracefs())
        config = self.dir / "config"
        config.write_text("""
buffers { size_kb: 65536 }
data_sources { config { name: "linux.ftrace" ftrace_config { ftrace_events: "sched/sched_switch" ftrace_events: "sched/sched_waking"
  ftrace_events: "timer/hrtimer_init" symbolize_ksyms: true } } }
data_sources { config { name: "linux.process_stats" process_stats_config { scan_all_processes_on_start: true proc_stats_poll_ms: 100 } } }
data_sources { config { name: "linux.sys_stats" sys_stats_config { meminfo_period_ms: 100 } } }
data_sources { config { name: "track_event" } }
data_sources { config { name: "linux.perf" perf_event_config { timebase { frequency: 100 counter: SW_CPU_CLOCK } callstack_sampling {} } } }
write_into_file: true
duration_ms: 2000
flush_period_ms: 1000
""")
        self.record("--rotate", "500ms", "-c", config, "-q", "--allow-unknown")
        files = self.files()
        self.assertGreaterEqual(len(files), 3)
        self.check_files(files)
        tables = "sched", "perf_sample", "counter"
        for table in tables:
            each = [int(self.one(f, f"select count(*) from {table}")) for f in files]
            whole = int(self.one(self.dir / "whole.pftrace", f"select count(*) from {table}"))
            with self.subTest(table):
                self.assertTrue(table == "perf_sample" or all(each), each)
                # Alone, a file leaves out what happened before the kernel's buffers of all cpus are in it.
                self.assertTrue(sum(each) <= whole if table == "sched" else sum(each) == whole, (each, whole))
        for f in files:
            self.assertEqual(self.one(f, "select count(*) from stack_profile_frame f left join stack_profile_mapping m on m.id = "
                                         "f.mapping where m.id is null"), "0")
            self.assertGreater(int(self.one(f, "select count(*) from process where cmdline is not null")), 3, "its own tree")

    def test_ctrl_c(self):
        """The first ends the recording, the second the waiting for the program. The service is another process."""
        self.start_traced()
        config = self.dir / "config"
        config.write_text('buffers { size_kb: 65536 }\ndata_sources { config { name: "track_event" } }\nwrite_into_file: true\n'
                          'file_write_period_ms: 100\nflush_period_ms: 1000\n')
        p = self.start(ORMA, "record", "-c", config, "-o", "t.pftrace", "--rotate", "300ms", "--", "timeout", "-s", "KILL", "9",
                       APP, self.oracle_path, THREADS, 20, stderr=subprocess.PIPE, start_new_session=True)
        self.wait_for("three files", lambda: len(self.files()) >= 3)
        self.assertRegex(self.orma("status").stdout.decode(), r"file \d of a rotating recording: t\.000\d\.pftrace")
        os.kill(p.pid, signal.SIGINT)
        time.sleep(1.5 * SLOW)
        if p.poll() is None:
            os.kill(p.pid, signal.SIGINT)
        p.wait(20 * SLOW)
        try:
            os.killpg(p.pid, signal.SIGKILL)  # the program
        except ProcessLookupError:
            pass  # it has been told as well
        self.assertIn("nothing lost", p.stderr.read().decode())
        self.check_files(self.files())
        self.assertTrue(all(f.stat().st_size for f in self.files()), "no empty file")

    def test_a_compressed_one(self):
        config = self.dir / "config"
        config.write_text('buffers { size_kb: 65536 }\ndata_sources { config { name: "track_event" } }\nwrite_into_file: true\n'
                          'duration_ms: 1500\nfile_write_period_ms: 100\ncompression_type: COMPRESSION_TYPE_DEFLATE\n'
                          'data_sources { config { name: "linux.process_stats" process_stats_config { scan_all_processes_on_start: true } } }\n')
        self.record("--rotate", "400ms", "-c", config)
        files = self.files()
        self.assertGreaterEqual(len(files), 3)
        alone = [self.look_at(f) for f in files]
        for t in range(THREADS):
            numbers = sorted(n for one in alone for n in one.get(t, []))
            self.assertEqual(numbers, list(range(1, len(numbers) + 1)))

    def test_what_is_there_is_not_overwritten(self):
        for name in "t.0001.pftrace", "t.0007.pftrace", "t.0002.pftrace.old", "t.12.pftrace", "u.0001.pftrace":
            (self.dir / name).write_text("mine")
        said = self.record("--rotate", "300ms", "-t", "1s", "apps")
        self.assertRegex(said, r"t\.000[17]\.pftrace: File exists; --force overwrites it")
        self.assertEqual((self.dir / "t.0001.pftrace").read_text(), "mine")
        self.record("--rotate", "300ms", "-t", "1s", "-f", "apps")
        self.assertFalse((self.dir / "t.0007.pftrace").exists(), "an older recording of this name is replaced as one")
        for name in "t.0002.pftrace.old", "t.12.pftrace", "u.0001.pftrace":
            self.assertEqual((self.dir / name).read_text(), "mine")
        self.check_files(self.files())

    def test_a_file_of_somebody_else_in_the_way(self):
        """It appears while the recording runs: its number is left out, so that nobody can make a file grow for ever."""
        p = self.start(ORMA, "record", "--private", "-o", "t.pftrace", "--rotate", "700ms", "-t", "3s", "apps", "--", "timeout",
                       "-s", "KILL", "5", APP, self.oracle_path, THREADS, 20, stderr=subprocess.PIPE)
        self.wait_for("a file", self.files)
        (self.dir / "t.0002.pftrace").write_text("mine")
        said = p.communicate(timeout=30 * SLOW)[1].decode()
        self.assertEqual((self.dir / "t.0002.pftrace").read_text(), "mine")
        (self.dir / "t.0002.pftrace").unlink()
        self.assertIn("t.0003.pftrace", {f.name for f in self.files()})
        self.assertIn(f": {len(self.files())} files, ", said)
        self.check_files(self.files())

    def test_the_disk_is_full(self):
        if os.geteuid():
            self.skipTest("needs root for a small file system")
        small = self.dir / "small"
        small.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", small]).returncode:
            self.skipTest("cannot mount a tmpfs")
        self.addCleanup(subprocess.run, ["umount", "-l", small])
        said = self.record("--rotate", "1mb", "-t", "20s", "apps", pause_us=5, name="small/t", seconds=8)
        self.assertIn("No space left on device", said)
        files = sorted(f for f in small.glob("t.*") if f.stat().st_size)
        self.assertGreaterEqual(len(files), 2)
        for f in files[:-1]:
            self.look_at(f)
        whole = self.dir / "whole"
        whole.write_bytes(b"".join(f.read_bytes() for f in files))
        for t, numbers in self.numbers(whole).items():
            self.assertEqual(sorted(numbers), list(range(1, len(numbers) + 1)), "nothing is torn or missing up to the end")

    def test_kept_files_fit_on_a_disk_that_would_be_full(self):
        said = self.record("--rotate", "1mb", "--keep", "2", "-t", "1s", "apps", pause_us=5)
        self.assertIn("nothing lost", said)
        self.assertLess(sum(f.stat().st_size for f in self.files()), 6 << 20)

    def test_a_last_file_in_which_nothing_happened(self):
        said = self.orma("record", "--private", "-o", "t.pftrace", "--rotate", "200ms", "apps", "--", "sh", "-c",
                         f"{DEMO} --threads 1 --iterations 100; sleep 1").stderr.decode()
        self.assertNotIn("nothing was recorded", said)
        self.assertIn("nothing lost", said)

    def test_kills(self):
        """The service and its recorder in one process, killed at any moment, also between two files."""
        rng = random.Random("rotation" + test_rescue.SEED)
        for i in range(KILLS):
            with self.subTest(i):
                for f in self.files():
                    f.unlink()
                self.oracle_path.write_bytes(bytes(8 * 64))
                p = self.start(ORMA, "record", "-q", "--private", "-o", "t.pftrace", "--rotate", "60ms", "apps", "--", APP,
                               self.oracle_path, THREADS, 20, start_new_session=True, stderr=subprocess.DEVNULL)
                self.wait_for("events", lambda: all(self.oracle()[:THREADS]))
                time.sleep(rng.random() * 0.7)
                oracle = self.oracle()
                os.killpg(p.pid, signal.SIGKILL)
                p.wait()
                trace, _ = self.recover()
                found = self.numbers(trace)
                for f in self.files():
                    if f.stat().st_size:
                        for t, numbers in self.numbers(f).items():
                            found.setdefault(t, []).extend(numbers)
                for t in range(THREADS):
                    missing = set(range(1, oracle[t] + 1)) - set(found.get(t, []))
                    self.assertEqual(missing, set(), f"thread {t}: {len(missing)} of {oracle[t]} are missing")
                self.assertEqual(self.query(trace, "select name, value from stats where severity = 'error' and value > 0 and name not "
                                                   "like 'traced_buf%'"), [])

    def test_wrong_uses(self):
        for words, says in (("--rotate 5", "bad limit"), ("--rotate x", "bad limit"), ("--rotate 0mb", "bad limit"),
                            ("--rotate 1mb,2mb", "bad limit"), ("--keep 3", "--keep needs --rotate"), ("--rotate 1mb --keep 0", "bad number"),
                            ("--rotate 1mb --ring", "cannot be combined"), ("--rotate 1mb -o -", "needs files"),
                            ("--rotate 1mb --max-size 3mb", "cannot be combined"), ("--rotate 1mb --clone 3", "cannot be combined")):
            self.assertIn(says, self.orma("record", *words.split(), code=2).stderr.decode(), words)
        config = self.dir / "config"
        config.write_text('buffers { size_kb: 64 }\ndata_sources { config { name: "track_event" } }\nduration_ms: 100')
        self.assertIn("--rotate needs a config with write_into_file",
                      self.orma("record", "--private", "--rotate", "1mb", "-c", config, "-o", "x", code=1).stderr.decode())
        config.write_text('buffers { size_kb: 64 }\ndata_sources { config { name: "track_event" } }\nwrite_into_file: true\n'
                          'trigger_config { trigger_mode: STOP_TRACING trigger_timeout_ms: 1000 triggers { name: "t" } }')
        self.assertIn("or triggers", self.orma("record", "--rotate", "1mb", "-c", config, "-o", "x", code=1).stderr.decode())


if __name__ == "__main__":
    main()
