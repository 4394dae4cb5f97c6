"""orma record, end to end: a real kernel trace and a real instrumented program, through real daemons and
shared memory, asked in SQL."""
import json
import re
import resource
import shutil

from orma_env import *

NO_TRACEFS = have_tracefs()
PERFETTO = BUILD / "compat/perfetto"


def demo_counts(text):
    """What the demo says it emitted: "threads=4 slices=16000 ..."."""
    pairs = (word.partition("=") for word in text.decode().split())
    return {k: int(v) for k, _, v in pairs if v.isdigit()}


def has_ended(pid):
    """Also true of a process that only waits to be reaped by who adopted it."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def kill_quietly(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Record(Case):
    def demo_slices(self, trace):
        return int(self.one(trace, """
            SELECT count(*) FROM slice JOIN thread_track ON slice.track_id = thread_track.id
            JOIN thread USING (utid) JOIN process USING (upid)
            WHERE process.name GLOB '*orma_demo*'"""))

    def assert_no_errors(self, trace):
        """Some kernels leave out the switches of some threads: that is no error of ours."""
        rows = self.query(trace, """SELECT name, value FROM stats WHERE severity IN ('error', 'data_loss')
            AND value != 0 AND name != 'mismatched_sched_switch_tids'""")
        self.assertEqual(rows, [], "a clean recording has no errors and no losses")

    def test_a_command_is_recorded_with_exact_counts(self):
        trace = self.dir / "t.pftrace"
        done = self.orma("record", "-o", trace, "apps", "--", DEMO, "--threads", "3", "--iterations", "200")
        counts = demo_counts(done.stdout)
        self.assertGreater(counts["slices"], 0)
        self.assertEqual(self.demo_slices(trace), counts["slices"])
        self.assertEqual(int(self.one(trace, "SELECT count(*) FROM slice WHERE dur = -1")), 0)
        self.assert_no_errors(trace)

    def test_who_reads_a_trace_that_is_recorded_again_keeps_the_old_one(self):
        trace = self.dir / "t.pftrace"
        recording = ["apps", "--", DEMO, "--threads", "1", "--iterations", "100"]
        for argv in ([ORMA, "record", "-f", "-o", trace], [PERFETTO, "-o", trace, "--txt", "-c", "c.txt"]):
            with self.subTest(argv[0]):
                self.orma("record", "-f", "-o", trace, *recording)
                old = trace.read_bytes()
                (self.dir / "c.txt").write_text('buffers { size_kb: 64 } duration_ms: 100 '
                                                'data_sources { config { name: "track_event" } }')
                if argv[0] == PERFETTO:
                    self.start_traced()
                with open(trace, "rb") as reader:
                    self.run_program(*argv, *(recording if argv[0] == ORMA else []))
                    self.assertEqual(reader.read(), old)
                self.assertNotEqual(trace.read_bytes(), old)
                self.assertGreater(len(trace.read_bytes()), 0)
                self.assertEqual([p.name for p in self.dir.iterdir() if "t.pftrace" in p.name], ["t.pftrace"])

    def test_what_is_there_stays_until_the_recording_begins(self):
        trace = self.dir / "t.pftrace"
        trace.write_bytes(b"precious")
        for running in (False, True):
            if running:
                self.start_traced()
            done = self.run_program(ORMA, "record", "--clone", "nobody", "-f", "-o", trace)
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(trace.read_bytes(), b"precious")
            self.assertEqual([p.name for p in self.dir.iterdir() if "t.pftrace" in p.name], ["t.pftrace"])

    def test_a_recorder_that_is_killed_leaves_a_file_to_read(self):
        trace = self.dir / "t.pftrace"
        trace.write_bytes(b"something old")
        p = self.start(ORMA, "record", "-f", "-o", trace, "apps", "--", "sleep", "100", start_new_session=True)
        for _ in range(int(600 * SLOW)):
            if trace.stat().st_size not in (0, 13):
                break
            time.sleep(0.05)
        os.killpg(p.pid, signal.SIGKILL)  # the command, too
        p.wait()
        self.assertGreater(trace.stat().st_size, 13)
        self.assertEqual(len(self.query(trace, "SELECT count(*) AS n FROM slice")), 1)

    def test_names_that_are_made_up_are_each_of_one_recording(self):
        running = [self.start(ORMA, "record", "--private", "-q", "apps", "--", DEMO, "--threads", "1", "--iterations", "10",
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(3)]
        for p in running:
            _, said = p.communicate(timeout=30 * SLOW)
            self.assertEqual(p.returncode, 0, said)
        self.assertEqual(len(list(self.dir.glob("orma-*.pftrace"))), 3)

    def test_the_ring_mode_reads_back_at_the_end(self):
        trace = self.dir / "t.pftrace"
        done = self.orma("record", "--ring", "-b", "16mb", "-o", trace, "apps", "--",
                         DEMO, "--threads", "2", "--iterations", "100")
        self.assertEqual(self.demo_slices(trace), demo_counts(done.stdout)["slices"])

    def test_the_commands_exit_code_is_ours(self):
        trace = self.dir / "t.pftrace"
        self.orma("record", "-o", trace, "apps", "--", "sh", "-c", "exit 7", code=7)
        self.assertTrue(trace.exists())
        self.orma("record", "-f", "-o", trace, "apps", "--", "/nonexistent/program", code=127)

    def test_the_trace_says_for_which_command_it_was_recorded(self):
        words = "SELECT coalesce(max(str_value), 'none') FROM metadata WHERE name = 'orma_command'"
        for how in ("--ring", "--stream"):
            with self.subTest(how):
                trace = self.dir / f"t{how}.pftrace"
                self.orma("record", how, "-o", trace, "apps", "--", DEMO, "--threads", "1", "--iterations", "10")
                self.assertEqual(self.one(trace, words), f"{DEMO} --threads 1 --iterations 10")
        trace = self.dir / "machine.pftrace"
        self.orma("record", "-t", "100ms", "-o", trace, "cpu")
        self.assertEqual(self.one(trace, words), "none")

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_a_recording_for_a_command_is_about_what_it_started(self):
        trace = self.dir / "t.pftrace"
        self.orma("record", "-o", trace, "sched", "--", "sh", "-c", "sh -c 'sleep 0.2; true' & wait; true")
        got = json.loads(self.orma("report", trace, "threads", "--json", "--top", "0").stdout)
        self.assertIn("what it started", got["scope"])
        names = {row["thread"].split()[0] for row in got["sections"][0]["rows"]}
        self.assertLessEqual(names, {"sh", "sleep"})
        self.assertIn("sh", names)
        whole = json.loads(self.orma("report", trace, "threads", "--json", "--top", "0", "--all").stdout)
        self.assertNotIn("scope", whole)
        self.assertGreater(len(whole["sections"][0]["rows"]), len(got["sections"][0]["rows"]))

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_who_executes_a_program_is_looked_up_at_once(self):
        """Without events of ftrace, so it is known by the exec alone; it is there to the end."""
        trace = self.dir / "t.pftrace"
        self.orma("record", "-o", trace, "cpu", "--", "sh", "-c", "sleep 71 >/dev/null 2>&1 & until grep -q sleep /proc/$!/comm; do :; done")
        rows = self.query(trace, "SELECT pid, cmdline FROM process WHERE name = 'sleep' AND cmdline = 'sleep 71'")
        for row in rows:
            kill_quietly(int(row["pid"]))
        if not rows and not self.may_watch_execs():
            self.skipTest("the kernel's event of execs cannot be watched here")
        self.assertEqual(len(rows), 1)

    def may_watch_execs(self):
        done = self.run_program(ORMA, "profile", "-e", "sched:sched_process_exec", "-o", self.dir / "p", "-a", "--", "true")
        return b"failed to" not in done.stderr and done.returncode == 0

    def test_a_running_service_is_used(self):
        self.start_traced()
        trace = self.dir / "t.pftrace"
        done = self.orma("record", "-o", trace, "apps", "--", DEMO, "--threads", "1", "--iterations", "50")
        self.assertEqual(self.demo_slices(trace), demo_counts(done.stdout)["slices"])

    def test_ctrl_c_keeps_the_trace(self):
        trace = self.dir / "t.pftrace"
        p = self.start(ORMA, "record", "-o", trace, "cpu", stderr=subprocess.PIPE)
        self.wait_for("the first bytes of the trace", lambda: trace.exists() and trace.stat().st_size > 0)
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.wait(20 * SLOW), 0)
        self.assertEqual(self.one(trace, "SELECT count(*) > 0 FROM metadata"), "1")

    def record_while(self, act, *options):
        """What a recording says, into out/t.pftrace, whose folder somebody else changes meanwhile."""
        folder = self.dir / "out"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        p = self.start(ORMA, "record", "--private", "-o", "out/t.pftrace", *options, "cpu", stderr=subprocess.PIPE)
        self.wait_for("the trace to begin", lambda: any(f.stat().st_size for f in folder.glob("t*.pftrace")))
        act(folder)
        p.send_signal(signal.SIGINT)
        _, text = p.communicate(timeout=30 * SLOW)
        return p.returncode, text.decode()

    def test_a_file_that_somebody_takes_away(self):
        def replace(folder):
            (folder / "other").write_bytes(b"of somebody")
            (folder / "other").rename(folder / "t.pftrace")

        for options in ((), ("-q",)):
            for act in (lambda folder: (folder / "t.pftrace").unlink(), replace, shutil.rmtree):
                code, text = self.record_while(act, *options)
                self.assertIn("out/t.pftrace: the trace is lost: its file was removed, or replaced, while it was written", text)
                self.assertEqual(code, 1)
        done = self.orma("record", "--private", "--ring", "-o", "r.pftrace", "cpu", "--", "rm", "r.pftrace", code=1)
        self.assertIn(b"r.pftrace: the trace is lost", done.stderr)
        code, text = self.record_while(lambda folder: (folder / "t.pftrace").rename(folder / "moved"))
        self.assertIn("out/t.pftrace: the trace is not called so any more: it was moved", text)
        self.assertEqual(code, 0)
        self.assertEqual(self.one(self.dir / "out/moved", "SELECT count(*) > 0 FROM metadata"), "1")

    def test_files_of_a_rotation_that_somebody_takes_away(self):
        code, text = self.record_while(shutil.rmtree, "--rotate", "64mb")
        self.assertIn("1 of these 1 files are not there any more", text)
        self.assertEqual(code, 1)
        code, text = self.record_while(lambda folder: None, "--rotate", "64mb")
        self.assertNotIn("not there any more", text)
        self.assertEqual(code, 0)

    def test_nohup(self):
        """The end of the terminal ends neither the recording nor its command."""
        script = "kill -HUP $PPID; kill -HUP $$; sleep 0.3; echo survived"
        for argv in (("record", "--private", "--allow-unknown", "-o", "t.pftrace", "cpu"), ("heap", "-o", "heap")):
            done = self.run_program("nohup", ORMA, *argv, "--", "sh", "-c", script, stdin=subprocess.DEVNULL)
            self.assertIn(b"survived", done.stdout, done.stderr)
            self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_program(ORMA, "record", "--private", "--allow-unknown", "-o", "u.pftrace", "cpu", "--", "sh", "-c",
                                "kill -HUP $$; echo survived", stdin=subprocess.DEVNULL)
        self.assertNotIn(b"survived", done.stdout)

    def test_two_signals_at_once_are_one(self):
        """As `timeout -s INT` sends them: to its child, then to its group. Nothing is written before the end."""
        trace = self.dir / "t.pftrace"
        p = self.start(ORMA, "record", "--ring", "--private", "-o", trace, "apps", "--", "sleep", "600", stderr=subprocess.PIPE)
        self.wait_for("the command to run", lambda: pathlib.Path(f"/proc/{p.pid}/task/{p.pid}/children").read_text())
        p.send_signal(signal.SIGINT)
        time.sleep(0.003)
        p.send_signal(signal.SIGINT)
        time.sleep(0.5)
        self.end_children(p)
        _, text = p.communicate(timeout=30 * SLOW)
        self.assertNotIn(b"second signal", text)
        self.assertEqual(self.one(trace, "SELECT count(*) > 0 FROM metadata"), "1")

    def end_children(self, p):
        for child in pathlib.Path(f"/proc/{p.pid}/task/{p.pid}/children").read_text().split():
            kill_quietly(int(child))

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_an_event_without_its_group(self):
        done = self.orma("record", "--explain", "sched_switch")
        self.assertIn(b"sched/sched_switch", done.stdout)
        done = self.orma("record", "--explain", "sched_swich", code=2)
        self.assertIn(b"did you mean 'sched_switch'", done.stderr)

    def test_a_config_that_speaks_of_traces(self):
        """JSON, whose texts may name what a trace has as a member."""
        config = {"buffers": [{"size_kb": 64}], "duration_ms": 100, "data_sources": [
            {"config": {"name": "linux.system_info"}},
            {"config": {"name": "org.chromium.trace_event", "chrome_config": {"trace_config": '{"traceEvents": []}'}}}]}
        (self.dir / "c.json").write_text(json.dumps(config))
        self.orma("record", "--private", "--allow-unknown", "-c", "c.json", "-o", "t.pftrace")
        (self.dir / "c.json").write_text('{"displayTimeUnit": "ns", "traceEvents" : []}')
        self.assertIn(b"but a trace", self.orma("record", "--private", "-f", "-c", "c.json", "-o", "t.pftrace", code=1).stderr)

    def test_a_string_of_a_config_over_lines(self):
        (self.dir / "c.pbtxt").write_text("""buffers { size_kb: 512 } duration_ms: 100
            data_sources { config { name: "linux.process_stats" } }
            data_sources { config { name: "org.chromium.trace_event" chrome_config { trace_config: "{
              \\"included_categories\\": [ \\"cc\\" ] }" } } }""")
        self.orma("record", "--private", "--allow-unknown", "-c", "c.pbtxt", "-o", "t.pftrace")
        text = self.orma("convert", "text", "t.pftrace", "-").stdout.decode()
        self.assertIn(r'trace_config: "{\n  ', text)

    def test_without_descriptors(self):
        """Whatever is missing, the words are ours."""
        for most in range(6, 24, 2):
            done = subprocess.run([ORMA, "record", "-t", "50ms", "-f", "-o", self.dir / "t.pftrace", "cpu"], env=self.env, cwd=self.dir,
                                  capture_output=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))
            for line in done.stderr.decode().splitlines():
                self.assertNotRegex(line, r"^\[(warn|err|msg)\]")

    def test_standard_output_holds_the_trace(self):
        done = self.orma("record", "-t", "200ms", "-o", "-", "cpu")
        trace = self.dir / "t.pftrace"
        trace.write_bytes(done.stdout)
        self.assertEqual(self.one(trace, "SELECT count(*) > 0 FROM metadata"), "1")

    def full(self, mode, out, *before):
        """The end of a recording whose output has taken no more."""
        done = self.run_program(*before, ORMA, "record", "--private", mode, "-f", "-o", out, "apps", "--",
                                DEMO, "--threads", "2", "--iterations", "20000")
        said = done.stderr.decode()
        self.assertEqual(done.returncode, 1, said)
        self.assertNotIn("Broken pipe", said)
        self.assertNotIn("nothing was recorded", said, "there was no room for it")
        return said

    @unittest.skipIf(not os.path.exists("/dev/full"), "no /dev/full here")
    def test_a_device_that_is_full(self):
        for mode in "--stream", "--ring":
            with self.subTest(mode):
                self.assertIn("cannot write the trace: No space left on device", self.full(mode, "/dev/full"))

    def test_a_full_disk_keeps_what_was_written(self):
        small = self.dir / "small"
        small.mkdir()
        if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", small], capture_output=True).returncode:
            self.skipTest("no file system of our own can be mounted here")
        self.addCleanup(subprocess.run, ["umount", small])
        for mode in "--stream", "--ring":
            with self.subTest(mode):
                trace = small / "t.pftrace"
                self.assertIn("No space left on device", self.full(mode, trace))
                self.assertGreater(trace.stat().st_size, 100000)
                self.assertGreater(self.demo_slices(trace), 0)
                whole = self.query(trace, "SELECT coalesce(sum(value), 0) AS n FROM stats WHERE name GLOB '*trunc*'")
                self.assertEqual(whole, [{"n": "0"}], "no packet is there by half")
                trace.unlink()

    def test_a_limit_of_file_sizes(self):
        trace = self.dir / "t.pftrace"
        for mode, reason in ("--stream", "File too large (perhaps ulimit -f)\n"), ("--ring", "File too large\n"):
            with self.subTest(mode):
                for blocks in 5000, 1000:  # with less than our probes would like, too
                    said = self.full(mode, trace, "sh", "-c", f'ulimit -f {blocks}; exec "$@"', "sh")
                    self.assertIn(reason, said)
                    self.assertGreater(self.demo_slices(trace), 0)
                    trace.unlink()
                said = self.full(mode, trace, "sh", "-c", 'ulimit -f 8; exec "$@"', "sh")
                self.assertIn("the size of files is limited to 4.0 KiB (ulimit -f)", said)
                self.assertNotIn("no producer", said)
                self.assertFalse(trace.exists())
                said = self.full(mode, trace, "prlimit", "--fsize=262143")
                self.assertIn("is limited to 262143 bytes (ulimit -f)", said)
                self.assertIn("needs 262144 bytes", said)

    def test_closed_standard_streams(self):
        """Their numbers are nobody's: neither a program's socket nor its memory is printed into."""
        def closed(program, *args):
            return self.start("sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", program, *args)

        for program in TRACED, BUILD / "probes/traced_probes":
            files = pathlib.Path(f"/proc/{closed(program).pid}/fd")
            self.wait_for("files of its own", lambda: (files / "5").exists())
            self.assertEqual({os.readlink(files / str(n)) for n in range(3)}, {"/dev/null"}, program)
        self.wait_for("the service", lambda: not self.run_program(ORMA, "status").returncode)
        trace = self.dir / "t.pftrace"
        p = self.start(ORMA, "record", "-f", "-q", "-o", trace, "apps", stderr=subprocess.PIPE)
        self.wait_for("the session", self.sessions)
        demo = closed(DEMO, "--threads", "2", "--iterations", "1000000")
        self.wait_for("its memory", lambda: any(name in pathlib.Path(f"/proc/{demo.pid}/maps").read_text()
                                                      for name in ("perfetto_shmem", ".shm")))
        self.assertEqual([fd for fd in os.listdir(f"/proc/{demo.pid}/fd") if int(fd) < 3], [])
        demo.kill()
        p.send_signal(signal.SIGINT)
        p.wait(60)
        done = self.run_program("sh", "-c", 'exec "$@" >&-', "sh", ORMA, "list", "presets")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Bad file descriptor", done.stderr.decode())

    def sessions(self):
        """Numbers of the sessions that record now."""
        done = self.orma("status")
        return [line.split()[0] for line in done.stdout.decode().splitlines()
                if " STARTED" in line and line.split()[0].isdigit()]

    def test_in_the_background_until_killed(self):
        self.start_traced()
        trace = self.dir / "t.pftrace"
        done = self.orma("record", "--background", "-o", trace, "apps")
        pid = int(re.search(r"'kill (\d+)' ends it", done.stderr.decode()).group(1))
        self.addCleanup(kill_quietly, pid)
        self.assertEqual(len(self.sessions()), 1, "it records when the command has returned")
        demo = self.run_program(DEMO, "--threads", "1", "--iterations", "50")
        os.kill(pid, signal.SIGTERM)
        self.wait_for("the end of the recording", lambda: has_ended(pid))
        self.assertEqual(self.demo_slices(trace), demo_counts(demo.stdout)["slices"])

    def test_the_background_tells_that_it_could_not_start(self):
        trace = self.dir / "t.pftrace"
        (self.dir / "c.pbtxt").write_text('buffers { size_kb: 64 } data_sources { config { name: "track_event" } } duration_ms: 4294967295\n')
        self.start_traced()
        done = self.orma("record", "--background", "-c", self.dir / "c.pbtxt", "-o", trace, code=1)
        self.assertIn(b"too long", done.stderr)
        self.assertFalse(trace.exists())

    def test_a_trigger_ends_the_recording(self):
        self.start_traced()
        trace = self.dir / "t.pftrace"
        p = self.start(ORMA, "record", "--trigger", "now", "-o", trace, "apps", stderr=subprocess.PIPE)
        self.wait_for("a session", self.sessions)
        demo = self.run_program(DEMO, "--threads", "1", "--iterations", "50")
        self.assertEqual(self.run_program(BUILD / "compat/trigger_perfetto", "other").returncode, 0)
        self.assertIsNone(p.poll(), "another trigger ends nothing")
        self.assertEqual(self.run_program(BUILD / "compat/trigger_perfetto", "now").returncode, 0)
        self.assertEqual(p.wait(20 * SLOW), 0)
        self.assertEqual(self.demo_slices(trace), demo_counts(demo.stdout)["slices"])

    def test_a_trigger_that_nobody_fires_leaves_no_file(self):
        self.start_traced()
        trace = self.dir / "t.pftrace"
        done = self.orma("record", "--trigger", "never", "-t", "300ms", "-o", trace, "apps", code=1)
        self.assertIn(b"'never' never fired", done.stderr)
        self.assertFalse(trace.exists())

    def test_a_config_whose_triggers_write_snapshots(self):
        (self.dir / "c.pbtxt").write_text("""buffers { size_kb: 4096 } data_sources { config { name: "track_event" } }
            trigger_config { trigger_mode: CLONE_SNAPSHOT trigger_timeout_ms: 600000 triggers { name: "now" } }""")
        record = ["record", "-c", "c.pbtxt", "-o", "t.pftrace"]
        done = self.orma(*record, code=1)
        self.assertIn(b"no service is running that a trigger could reach", done.stderr)
        self.assertIn(b"only a COMMAND can fire", self.orma(*record, "--private", code=1).stderr)
        self.assertIn(b"FILE.0", self.orma(*record[:-1], "-", code=1).stderr)
        fire = f"{DEMO} --threads 1 --iterations 50 && {BUILD}/compat/trigger_perfetto now && sleep {0.3 * SLOW}"
        done = self.orma(*record, "--private", "--", "sh", "-c", f"{fire} && {fire}")
        self.assertFalse((self.dir / "t.pftrace").exists())
        counts = [self.demo_slices(self.dir / f"t.pftrace.{i}") for i in range(2)]
        self.assertGreater(counts[0], 0)
        self.assertGreater(counts[1], counts[0], "the session went on")
        self.assertIn(b"--force overwrites", self.orma(*record, "--private", "--", "true", code=1).stderr)
        for old in self.dir.glob("t.pftrace.*"):
            old.unlink()
        fires = f"{BUILD}/compat/trigger_perfetto now; sleep {0.3 * SLOW}; " * 3
        done = self.orma(*record, "--private", "--max-snapshots", "2", "--", "sh", "-c", fires, code=1)
        self.assertEqual(len(list(self.dir.glob("t.pftrace.*"))), 2)
        self.assertIn(b"1 snapshot that triggers requested was not written: the limit of --max-snapshots",
                      done.stderr)
        done = self.orma(*record, "--private", "-f", "--", "true", code=1)
        self.assertIn(b"none of the config's triggers fired", done.stderr)

    def test_a_snapshot_while_the_session_goes_on(self):
        self.start_traced()
        whole, part = self.dir / "whole.pftrace", self.dir / "part.pftrace"
        p = self.start(ORMA, "record", "--ring", "-o", whole, "apps", stderr=subprocess.PIPE)
        self.wait_for("a session", self.sessions)
        first = demo_counts(self.run_program(DEMO, "--threads", "1", "--iterations", "50").stdout)
        self.orma("record", "--clone", self.sessions()[0], "-o", part)
        second = demo_counts(self.run_program(DEMO, "--threads", "1", "--iterations", "70").stdout)
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.wait(20 * SLOW), 0)
        self.assertEqual(self.demo_slices(part), first["slices"])
        self.assertEqual(self.demo_slices(whole), first["slices"] + second["slices"])
        done = self.orma("record", "--clone", "77", "-o", self.dir / "no.pftrace", code=1)
        self.assertIn(b"orma status", done.stderr)
        self.assertFalse((self.dir / "no.pftrace").exists())

    @unittest.skipIf(NO_TRACEFS, NO_TRACEFS)
    def test_the_kernels_schedule_has_no_gap_and_no_overlap(self):
        trace = self.dir / "t.pftrace"
        done = self.orma("record", "-t", "5s", "-o", trace, "--", "sh", "-c",
                         f"{DEMO} --threads 4 --iterations 500; sleep 0.5")
        self.assertEqual(self.demo_slices(trace), demo_counts(done.stdout)["slices"],
                         "slices and instants of the demo")
        self.assertGreater(int(self.one(trace, "SELECT count(*) FROM sched")), 100)
        self.assertEqual(self.one(trace, """
            SELECT count(*) FROM (
              SELECT ts, dur, lead(ts) OVER (PARTITION BY ucpu ORDER BY ts) AS next_ts FROM sched)
            WHERE next_ts IS NOT NULL AND ts + dur != next_ts AND dur != -1"""), "0")
        self.assertEqual(self.one(trace, """
            SELECT (SELECT count(*) - count(DISTINCT ucpu) FROM sched WHERE dur = -1) -
                   (SELECT ifnull(sum(value), 0) FROM stats WHERE name = 'mismatched_sched_switch_tids')"""),
            "0", "a time on a cpu without end is one switch that the kernel left out")
        self.assertGreaterEqual(int(self.one(trace, """
            SELECT count(DISTINCT tid) FROM thread JOIN process USING (upid)
            WHERE process.name GLOB '*orma_demo*'""")), 5, "four workers and the main thread")
        self.assertEqual(self.one(trace, """
            SELECT count(*) FROM thread_state WHERE state = 'Running' AND dur < -1"""), "0")
        self.assert_no_errors(trace)


if __name__ == "__main__":
    main()
