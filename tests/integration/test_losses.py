"""What a recording lacks is told in the same words by record, stats, report and the table loss: events that somebody
switched off, programs that do not answer, rings that cannot be read, data sources that nobody offers, triggers that
never come."""
import contextlib
import re
import shutil

import view_reader
from orma_env import *

NO_TRACEFS = have_tracefs()


class Losses(Case):
    def sentence(self, record):
        """The part of the last line that is about losses: behind name, size and time."""
        lines = [line for line in record.decode().splitlines() if line.startswith("t.pftrace: ")]
        self.assertEqual(len(lines), 1, record)
        return lines[0].split(", ", 2)[2].partition(", the ring kept")[0]

    def everywhere(self, record, *words, text_rows=1):
        """All commands print the sentence of the last line, and it has these words."""
        sentence = self.sentence(record)
        for word in words:
            self.assertIn(word, sentence)
        brief = self.orma("stats", "--brief", "t.pftrace").stdout.decode()
        self.assertTrue(brief.startswith(sentence[0].upper() + sentence[1:]), f"{sentence}\n{brief}")
        (self.dir / "t.html").unlink(missing_ok=True)
        stats = self.orma("stats", "t.pftrace").stdout.decode()
        self.assertIn(sentence[1:], stats)
        self.assertNotIn("Nothing was lost", stats)
        report = " ".join(self.orma("report", "t.pftrace", "overview").stdout.decode().split())
        self.assertIn(sentence, report)
        self.orma("view", "-o", "t.html", "t.pftrace")
        problems = [p[0] for p in view_reader.View((self.dir / "t.html").read_bytes()).info["problems"]]
        rows = self.query("t.pftrace", "SELECT reason, text FROM loss WHERE text IS NOT NULL")
        for text in [row["text"] for row in rows] or ["the data they refer to is not in the trace"]:
            self.assertTrue(any(text in p for p in problems), f"{text}\n{problems}")
        self.assertFalse([p for p in problems if "_" in p.partition(":")[0].partition("'")[0]], "sentences, not names")
        self.assertEqual(len(rows), text_rows, rows)
        for row in rows:
            self.assertIn(row["text"], sentence)
        return rows

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_events_that_somebody_switches_off(self):
        p = self.start(ORMA, "record", "--private", "-t", "2500ms", "-o", "t.pftrace", "sched/sched_switch",
                       "sched/sched_waking", stderr=subprocess.PIPE)
        root = self.instance_of(p)
        time.sleep(0.5)
        (root / "events/sched/sched_waking/enable").write_text("0")
        time.sleep(0.3)
        (root / "tracing_on").write_text("0")
        record = p.communicate(timeout=30 * SLOW)[1]
        self.assertEqual(p.returncode, 0, record)
        rows = self.everywhere(record, "incomplete: another program changed the kernel's tracer", "tracing_on: 1 -> 0",
                               "switched off: sched/sched_waking", text_rows=2)
        self.assertEqual({r["reason"] for r in rows}, {"changed"})
        times = self.query("t.pftrace", "SELECT ts, ts_end FROM loss WHERE text GLOB '*tracing_on*'")[0]
        self.assertLess(int(times["ts"]), int(times["ts_end"]))
        last = int(self.one("t.pftrace", "SELECT max(ts) FROM ftrace_event"))
        self.assertLessEqual(last, int(times["ts"]), "it was on when the last event came")

    def meddled(self, meddle, *expected, text_rows=1, events=("sched/sched_switch", "sched/sched_waking"),
                used="sched:sched_waking"):
        """The ledger of a recording that somebody meddles with: `meddle` gets the folder in tracefs that it uses."""
        p = self.start(ORMA, "record", "--private", "-f", "-t", "2500ms", "-o", "t.pftrace", *events,
                       stderr=subprocess.PIPE)
        root = self.instance_of(p, used)
        time.sleep(0.5)
        meddle(root)
        record = p.communicate(timeout=30 * SLOW)[1]
        self.assertEqual(p.returncode, 0, record)
        return self.everywhere(record, *expected, text_rows=text_rows)

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_events_that_somebody_else_reads(self):
        """Who reads trace_pipe, or a ring, takes events away: the kernel counts them as read, and they never came."""
        def read(root, name):
            taken, fd = 0, os.open(root / name, os.O_RDONLY | os.O_NONBLOCK)
            while taken < 4096:
                with contextlib.suppress(BlockingIOError):
                    taken += len(os.read(fd, 65536))
            os.close(fd)
        for name in "trace_pipe", "per_cpu/cpu0/trace_pipe_raw":
            with self.subTest(name):
                self.meddled(lambda root: read(root, name), "incomplete: another program changed the kernel's tracer",
                             "trace_pipe: another process read events")

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_rings_that_somebody_empties(self):
        for name in "trace", "per_cpu/cpu0/trace":
            with self.subTest(name):
                self.meddled(lambda root: (root / name).write_text(""),
                             "incomplete: another program changed the kernel's tracer", "trace: the ring was emptied")

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_settings_that_are_put_back(self):
        """At the end all is as it was set up; in between it was not."""
        for name, value, back in ("tracing_on", "0", "1"), ("set_event_notrace_pid", "1", "\n"):
            def blink(root):
                (root / name).write_text(value)
                time.sleep(0.2)
                (root / name).write_text(back)
            with self.subTest(name):
                # As it was put back, or as a look in between saw it.
                self.meddled(blink, "incomplete: another program changed the kernel's tracer", f"{name}: ")

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_events_that_are_put_back(self):
        event = "events/sched/sched_switch"
        for off, on in ((f"{event}/enable", "0"), (f"{event}/enable", "1")), ((f"{event}/filter", "prev_pid == 1"), (f"{event}/filter", "0")), \
                (("events/sched/enable", "0"), (f"{event}/enable", "1")):
            def blink(root):
                for name, value in off, on:
                    (root / name).write_text(value)
                    time.sleep(0.1)
                if "sched/enable" in off[0]:
                    (root / "events/sched/sched_waking/enable").write_text("1")
            with self.subTest(off[0]):
                # As it was put back, or as a look in between saw it.
                self.meddled(blink, "incomplete: another program changed the kernel's tracer", "sched/sched_switch")

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_events_that_triggers_switch(self):
        """The kernel does it, for whoever wrote the file: nothing is written where the event is switched."""
        trigger = "events/sched/sched_waking/trigger"
        for off, on, rows in ("disable_event:sched:sched_switch", "enable_event:sched:sched_switch", 1), ("traceoff", "stacktrace", 2):
            def blink(root):
                for what in off, on:
                    (root / trigger).write_text(what)
                    time.sleep(0.1)
                    (root / trigger).write_text(f"!{what}")
            with self.subTest(off):
                self.meddled(blink, "incomplete: another program changed the kernel's tracer", text_rows=rows)

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_system_calls_that_are_put_back(self):
        """Sessions write the filters of these two, but nobody else's writing passes for that."""
        event = "events/raw_syscalls/sys_enter"
        for name, value, back in (f"{event}/enable", "0", "1"), (f"{event}/filter", "id == 9999", "0"):
            def blink(root):
                (root / name).write_text(value)
                time.sleep(0.2)
                (root / name).write_text(back)
            with self.subTest(name):
                self.meddled(blink, "incomplete: another program changed the kernel's tracer", "raw_syscalls/sys_enter",
                             events=["syscalls"], used="raw_syscalls:sys_enter")

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_reading_that_stops_recording(self):
        def look(root):
            (root / "options/pause-on-trace").write_text("1")
            (root / "trace").read_bytes()
            (root / "options/pause-on-trace").write_text("0")
        self.meddled(look, "incomplete: another program changed the kernel's tracer", "trace_options")

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_a_second_session_is_no_meddler(self):
        """It has other system calls, so the filters are written again while the first one records."""
        self.start_traced()
        self.start(PROBES, stderr=subprocess.DEVNULL)
        self.wait_for("the probes", lambda: b"linux.ftrace" in self.orma("status", code=None).stdout)
        text = """buffers { size_kb: 4096 } duration_ms: %d data_sources { config { name: "linux.ftrace" ftrace_config {
            ftrace_events: "raw_syscalls/sys_enter" ftrace_events: "raw_syscalls/sys_exit" syscall_events: "sys_%s" } } }"""
        for name, ms in ("read", 2500), ("write", 500):
            (self.dir / name).write_text(text % (ms, name))
        first = self.start(ORMA, "record", "-f", "-c", "read", "-o", "first.pftrace", stderr=subprocess.PIPE)
        time.sleep(1)
        self.orma("record", "-f", "-c", "write", "-o", "second.pftrace")
        self.assertNotIn(b"another program", first.communicate(timeout=30 * SLOW)[1])

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_writes_that_nobody_tells_of(self):
        """Without inotify (its limits are of the user) what others changed and changed back is not known."""
        for limit in "instances", "watches":
            apart = ["unshare", "--user", "--map-root-user", "sh", "-c",
                     f'echo {int(limit == "watches")} > /proc/sys/user/max_inotify_{limit} || exit 77; exec "$@"', "sh"]
            if self.run_program(*apart, "test", "-r", "/sys/kernel/tracing/trace").returncode:
                self.skipTest("no user namespace can be made here")
            with self.subTest(limit):
                done = self.run_program(*apart, ORMA, "record", "--private", "-f", "-t", "300ms", "-o", "t.pftrace",
                                        "sched/sched_switch")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.everywhere(done.stderr, "what was lost is not known: it could not be watched whether others",
                                f"fs.inotify.max_user_{limit}")

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_flushes_do_not_wait_for_who_switches_events(self):
        """The kernel holds a lock meanwhile, for all instances; whoever reads a list of its events waits for that."""
        other = pathlib.Path("/sys/kernel/tracing/instances") / f"orma-test-{os.getpid()}"
        try:
            other.mkdir()
        except OSError as e:
            self.skipTest(f"no instance of its own: {e}")
        self.addCleanup(other.rmdir)
        enable, held = other / "events/enable", []
        p = self.start(ORMA, "record", "--private", "--live", "-t", "3500ms", "-o", "t.pftrace", stderr=subprocess.PIPE)
        self.instance_of(p)
        end = time.monotonic() + 2.5
        while time.monotonic() < end:
            for value in "1", "0":
                begin = time.monotonic_ns()
                enable.write_text(value)
                held.append(time.monotonic_ns() - begin)
        record = p.communicate(timeout=30 * SLOW)[1]
        self.assertEqual(p.returncode, 0, record)
        begins, ends = [], []
        for packet in self.orma("convert", "text", "t.pftrace").stdout.decode().split("\npacket {"):
            ts = re.search(r"^  timestamp: (\d+)", packet, re.M)
            begins += [int(ts[1])] if "flush_started: true" in packet else []
            ends += [int(ts[1])] if "all_data_sources_flushed: true" in packet else []
        took = sorted(e - b for b, e in zip(begins, ends))
        self.assertGreater(len(took), 4)
        self.assertLess(took[len(took) // 2], max(held) / 4, (took, held))

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_times_of_a_time_namespace(self):
        """There the recorder's clocks are ahead of the kernel's, all of whose events would be too old for the recording."""
        apart = ["unshare", "--time", "--boottime", "1000", "--monotonic", "1000"]
        if self.run_program(*apart, "true").returncode:
            self.skipTest("no time namespace can be made here")
        done = self.run_program(*apart, ORMA, "record", "--private", "-t", "200ms", "-o", "t.pftrace", "sched")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(b"left out linux.ftrace: this is a time namespace", done.stderr)

    def instance_of(self, p, used="sched:sched_waking"):
        """The folder in tracefs that the recording uses, once it does. It has the rings of that open: others may be
        recording the same events at the top level, and switching them off would take nothing from this one."""
        def roots():
            for fd in pathlib.Path(f"/proc/{p.pid}/fd").iterdir():
                with contextlib.suppress(FileNotFoundError):  # closed since
                    root, found, _ = os.readlink(fd).partition("/per_cpu/cpu")
                    if found:
                        yield pathlib.Path(root)

        def found():
            return [r for r in roots() if used in (r / "set_event").read_text().split() and
                    (r / "tracing_on").read_text().strip() == "1"]
        self.wait_for("the recording", found)
        return found()[0]

    def test_a_program_that_is_frozen(self):
        (self.dir / "c.txt").write_text("""buffers { size_kb: 1024 } duration_ms: 1000 flush_timeout_ms: 300
            data_source_stop_timeout_ms: 300 data_sources { config { name: "track_event" } }""")
        self.start_traced()
        demo = self.start(DEMO, "--threads", "1", "--iterations", "100000000", "--spin", "1000000",
                          stdout=subprocess.DEVNULL)
        p = self.start(ORMA, "record", "-c", "c.txt", "-o", "t.pftrace", stderr=subprocess.PIPE)
        self.wait_for("the file", (self.dir / "t.pftrace").exists)
        time.sleep(0.6)
        demo.send_signal(signal.SIGSTOP)
        try:
            record = p.communicate(timeout=30 * SLOW)[1]
        finally:
            demo.send_signal(signal.SIGCONT)
            demo.kill()
        self.assertEqual(p.returncode, 0, record)
        rows = self.everywhere(record, "what was lost is not known", f"(pid {demo.pid}) did not answer for 0.")
        self.assertEqual(rows[0]["reason"], "no answer")

    def test_a_ring_keeps_its_names(self):
        """It has overwritten all packets that had them."""
        (self.dir / "c.txt").write_text("""buffers { size_kb: 256 fill_policy: RING_BUFFER }
            buffers { size_kb: 256 } data_sources { config { name: "track_event" } }
            data_sources { config { name: "linux.system_info" target_buffer: 1 } }""")
        record = self.orma("record", "--private", "--allow-unknown", "-c", "c.txt", "-o", "t.pftrace", "--", DEMO, "--threads", "1",
                           "--iterations", "20000").stderr
        self.assertIn(b"nothing lost", record)
        self.assertGreater(int(self.one("t.pftrace", "SELECT sum(packets) FROM loss WHERE reason = 'overwritten'")), 1000)
        self.assertGreater(int(self.one("t.pftrace", "SELECT count(*) FROM slice WHERE name IS NOT NULL")), 100)

    def test_a_ring_repeats_its_names(self):
        """The service asks for them each time that an eighth has gone by; of larger rings whatever period the config sets."""
        for size_kb, iterations, spin, period in ((512, 20000, 20000, ""),
                                                  (8192, 400000, 1000, "incremental_state_config { clear_period_ms: 100000000 }")):
            with self.subTest(period=period):
                self.check_repeated_names(size_kb, iterations, spin, period)

    def check_repeated_names(self, size_kb, iterations, spin, period):
        (self.dir / "c.txt").write_text("buffers { size_kb: %d fill_policy: RING_BUFFER } "
                                        'data_sources { config { name: "track_event" } } ' % size_kb + period)
        record = self.orma("record", "-f", "--private", "-c", "c.txt", "-o", "t.pftrace", "--", DEMO, "--threads", "1",
                           "--iterations", iterations, "--spin", spin).stderr
        overwritten = int(self.one("t.pftrace", "SELECT sum(packets) FROM loss WHERE reason = 'overwritten'"))
        skipped = int(self.one("t.pftrace", """SELECT sum(value) FROM stats
            WHERE name = 'packet_skipped_seq_needs_incremental_state_invalid'"""))
        slices = int(self.one("t.pftrace", "SELECT count(*) FROM slice"))
        self.assertGreater(overwritten, 10000, record)
        self.assertGreater(slices, 1000, record)
        self.assertLess(skipped, 2 * slices, "most of the ring can be read")

    def test_recordings_behind_each_other(self):
        """`cat A B`: the statistics of B say nothing of what A lost, nor when A's kernel events began."""
        kernel = "" if NO_TRACEFS else 'data_sources { config { name: "linux.ftrace" ftrace_config { ftrace_events: "sched/sched_switch" } } }'
        for name, size in ("lossy", 64), ("good", 32768):
            (self.dir / "c.txt").write_text(f"""buffers {{ size_kb: {size} fill_policy: DISCARD }} buffers {{ size_kb: 4096 }}
                data_sources {{ config {{ name: "track_event" }} }} {kernel.replace("} } }", "} target_buffer: 1 } }")}""")
            self.orma("record", "--private", "-c", "c.txt", "-o", name, "--", DEMO, "--threads", "1", "--iterations", "5000")
        lost = "SELECT coalesce(sum(packets), 0) FROM loss WHERE reason NOT IN ('emitted', 'delivered')"
        counts = [lost, "SELECT count(*) FROM sched", "SELECT count(*) FROM slice"]
        one_by_one = [[int(self.one(name, sql)) for sql in counts] for name in ("lossy", "good")]
        self.assertGreater(one_by_one[0][0], 0)
        self.assertEqual(one_by_one[1][0], 0)
        for order in ("lossy", "good"), ("good", "lossy"):
            (self.dir / "both").write_bytes(b"".join((self.dir / name).read_bytes() for name in order))
            both = [int(self.one("both", sql)) for sql in counts]
            self.assertEqual(both, [sum(x) for x in zip(*one_by_one)], order)
            self.assertNotIn(b"othing lost", self.orma("stats", "--brief", "both").stdout)
        whole = (self.dir / "good").read_bytes()
        (self.dir / "both").write_bytes(whole[:len(whole) // 2] + whole)
        self.assertNotIn(b"othing lost", self.orma("stats", "--brief", "both").stdout)

    @staticmethod
    def packets_of(trace):
        """Where each begins and ends."""
        at, ret = 0, []
        while at < len(trace):
            begin, length, shift, more = at, 0, 0, True
            at += 1
            while more:
                length |= (trace[at] & 127) << shift
                more, shift, at = trace[at] > 127, shift + 7, at + 1
            at += length
            ret.append((begin, at))
        return ret

    def test_packets_that_somebody_took_out_or_put_in_twice(self):
        """The service says how many it delivered; whoever drops some of them need not say so."""
        (self.dir / "c.txt").write_text('buffers { size_kb: 32768 } data_sources { config { name: "track_event" } }')
        self.orma("record", "--private", "-c", "c.txt", "-o", "t.pftrace", "--", DEMO, "--threads", "1", "--iterations", "500")
        self.assertIn(b"Nothing was lost, and everything could be read", self.orma("stats", "t.pftrace").stdout)
        whole = (self.dir / "t.pftrace").read_bytes()
        packets = self.packets_of(whole)
        begin, end = packets[len(packets) // 2]
        begin_more, end_more = packets[len(packets) // 2 + 7]
        for trace, words in (
                (whole[:begin] + whole[end:], "1 packet that the recorder says it delivered is not in the file"),
                (whole[:begin] + whole[end:begin_more] + whole[end_more:],
                 "2 packets that the recorder says it delivered are not in the file"),
                (whole[:end] + whole[begin:], "1 packet more in the file than the recorder says it delivered"),
                (whole + whole, "packets more in the file than the recorder says it delivered")):
            (self.dir / "t.pftrace").write_bytes(trace)
            done = self.orma("stats", "t.pftrace")
            self.assertIn(words, done.stdout.decode())
            self.assertNotIn(b"everything could be read", done.stdout)
            self.assertIn(words, self.orma("query", "t.pftrace", "SELECT 1").stderr.decode())

    def test_the_same_trace_under_two_names(self):
        self.orma("record", "--private", "-o", "a.pftrace", "apps", "--", DEMO, "--threads", "1", "--iterations", "50")
        self.orma("record", "--private", "-o", "other.pftrace", "apps", "--", DEMO, "--threads", "1", "--iterations", "50")
        shutil.copy(self.dir / "a.pftrace", self.dir / "b.pftrace")
        words = b"1 trace has the same bytes as another one here: all of its rows are there more than once"
        self.assertIn(words, self.orma("query", "a.pftrace", "b.pftrace", "SELECT 1").stderr)
        self.orma("merge", "-o", "m.tar", "a.pftrace", "b.pftrace")
        self.assertIn(words, self.orma("stats", "m.tar").stdout)
        self.assertNotIn(b"same bytes", self.orma("query", "a.pftrace", "other.pftrace", "SELECT 1").stderr)
        once = (self.dir / "a.pftrace").read_bytes()
        (self.dir / "a.pftrace").write_bytes(once + once)
        for names in (["a", "other"], ["other", "a"]):  # whichever is read last
            told = self.orma("query", *[f"{name}.pftrace" for name in names], "SELECT 1").stderr
            self.assertRegex(told, rb"a\.pftrace: \d+ packets more in the file than the recorder says")

    def orma(self, *argv, code=0, **more):
        """`code` None: any."""
        if code is None:
            return self.run_program(ORMA, *argv, **more)
        return super().orma(*argv, code=code, **more)

    def test_a_data_source_that_nobody_offers(self):
        (self.dir / "c.txt").write_text("""buffers { size_kb: 64 } duration_ms: 300
            data_sources { config { name: "com.example.none" } } data_sources { config { name: "linux.sys_stats"
            sys_stats_config { stat_period_ms: 100 stat_counters: STAT_CPU_TIMES } } }""")
        record = self.orma("record", "--private", "--allow-unknown", "-c", "c.txt", "-o", "t.pftrace").stderr
        self.everywhere(record, "incomplete: no producer offered the data source 'com.example.none'")
        again = self.orma("record", "--private", "-f", "-c", "c.txt", "-o", "t.pftrace", code=1)
        self.assertIn(b"no producer offers the data source 'com.example.none'", again.stderr)

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_the_reason_of_an_empty_recording_is_the_right_one(self):
        # The service writes the config before all data; one that does not fit leaves no space for any.
        long = "sched/sched_switch if " + " && ".join(f"prev_pid != {12345000 + i}" for i in range(80))
        for says, argv in (("none of the kernel's events happened", ["-t", "300ms", "sched/sched_switch if prev_pid == 1234567"]),
                           ("all data of linux.ftrace was lost", ["--ring", "-b", "4kb", "-t", "300ms", "sched/sched_switch"]),
                           ("the file was full before the first of them", ["--max-size", "1kb", "-t", "20s", long, "syscalls"])):
            with self.subTest(says):
                text = self.orma("record", "--private", "-f", "-o", "t.pftrace", *argv, code=1).stderr.decode()
                self.assertIn(says, text)
                for wrong in ("no program wrote", "did not start", "invalid"):
                    self.assertNotIn(wrong, text)

    def test_a_trigger_that_never_comes(self):
        for mode in ("START_TRACING", "STOP_TRACING", "CLONE_SNAPSHOT"):
            with self.subTest(mode):
                (self.dir / "c.txt").write_text(f"""buffers {{ size_kb: 64 }}
                    data_sources {{ config {{ name: "linux.system_info" }} }} trigger_config {{ trigger_mode: {mode}
                    trigger_timeout_ms: 300 triggers {{ name: "never" }} }}""")
                record = self.orma("record", "--private", "-f", "-c", "c.txt", "-o", "t.pftrace", "--", "sleep", "1", code=1).stderr
                self.assertIn(b"none of the config's triggers fired", record)
                self.assertEqual(list(self.dir.glob("t.pftrace*")), [], "a file of no bytes is no trace")

    def test_a_program_that_is_killed(self):
        self.start_traced()
        demo = self.start(DEMO, "--threads", "1", "--iterations", "100000000", "--spin", "100000",
                          stdout=subprocess.DEVNULL)
        p = self.start(ORMA, "record", "-t", "1500ms", "-o", "t.pftrace", "apps", stderr=subprocess.PIPE)
        self.wait_for("the file", (self.dir / "t.pftrace").exists)
        time.sleep(0.7)
        demo.kill()
        record = p.communicate(timeout=30 * SLOW)[1]
        self.assertEqual(p.returncode, 0, record)
        rows = self.everywhere(record, "what was lost is not known", f"(pid {demo.pid}) went away at ")
        self.assertEqual(rows[0]["reason"], "killed")


if __name__ == "__main__":
    main()
