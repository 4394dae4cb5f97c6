"""kill -9 at random moments: of the application, the recorder, the service, the probes. Each time the file can
be read or is not there, the ledger of the trace is consistent, the others go on, and nothing is left behind.

300 kills in the short form, all kinds together; ORMA_ATTACK_KILLS sets the number of each kind."""
from attack import *

KILLS = int(os.environ.get("ORMA_ATTACK_KILLS") or times(75, 1000))
CONFIG = """buffers { size_kb: 16384 } data_sources { config { name: "track_event" } } %s
write_into_file: true file_write_period_ms: 100 flush_period_ms: 50 data_source_stop_timeout_ms: 2000"""
PROBES_CONFIG = """
data_sources { config { name: "linux.sys_stats" sys_stats_config { stat_period_ms: 10 meminfo_period_ms: 10 } } }
data_sources { config { name: "linux.process_stats" process_stats_config { scan_all_processes_on_start: true
               proc_stats_poll_ms: 100 } } }"""


class Kill(Attack):
    def setUp(self):
        super().setUp()
        # What programs leave in the folder for temporary files is seen here.
        self.temporary = self.dir / "tmp"
        self.temporary.mkdir()
        self.env["TMPDIR"] = str(self.temporary)
        self.trace = self.dir / "trace"
        self.pace = 1

    def start_recorder(self, more="", *args):
        (self.dir / "config").write_text(CONFIG % more)
        return self.start(ORMA, "record", "-f", "-q", "-c", self.dir / "config", "-o", self.trace, *args,
                          stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def start_app(self, seconds, rate=2000, counts="counts", threads=2):
        path = self.dir / counts
        path.write_bytes(bytes(4096))
        return self.start(TOOLS / "attack_app", path, "count", threads, rate, seconds), path

    def kill(self, victim, up_to=0.12):
        time.sleep(self.pace * self.random.uniform(0, up_to) * (1 if self.random.random() < .8 else 3))
        victim.kill()
        victim.wait()

    def wrote_something(self):
        """Whether the file has events. A slow machine gets longer from start to kill, until half of the files have some."""
        wrote = self.check_file() > 0
        self.pace = min(max(1, self.pace * (0.8 if wrote else 1.25)), 20)
        return wrote

    @staticmethod
    def is_connected(process):
        """Whether it has a socket whose other end is known: all that the program waits for."""
        inodes = set()
        for fd in pathlib.Path(f"/proc/{process.pid}/fd").iterdir():
            try:
                inodes.add(os.readlink(fd))
            except OSError:
                pass
        lines = pathlib.Path("/proc/net/unix").read_text().splitlines()[1:]
        return any(f"socket:[{line.split()[6]}]" in inodes and line.split()[5] == "03" for line in lines)

    @staticmethod
    def counted(path):
        return sum(struct.unpack("<8Q", path.read_bytes()[:64]))

    def check_file(self):
        """A file that is there can be read, is no ruin, and its ledger adds up, or says that the last word on it was
        never written. The number of events."""
        path = self.trace
        if not path.exists() or path.stat().st_size == 0:
            return 0
        done = self.run_program(SHELL, "-Q", """
            select count(*) as n from slice where name = 'tick';
            select name, value from stats where value > 0 and severity = 'error';
            select sequence_id, sum(iif(reason = 'emitted', packets, 0)) as emitted,
              sum(iif(reason != 'emitted', packets, 0)) as rest from __intrinsic_loss group by 1
              having emitted > rest
                and not exists (select 1 from __intrinsic_loss where reason = 'unreported')""".replace("\n", " "), path)
        self.assertEqual(done.returncode, 0, done.stderr.decode()[-500:])
        ticks, errors, ledger = self.tables(done.stdout.decode())
        self.assertEqual(errors, [], "statistics of errors")
        self.assertEqual(ledger, [], "sequences that emitted more than was delivered or lost for a reason")
        return int(ticks[0].strip('"'))

    @staticmethod
    def tables(text):
        """Rows of each of three results: a head begins with a quoted name."""
        out = []
        for line in text.splitlines():
            if line in ('"n"', '"name","value"', '"sequence_id","emitted","rest"'):
                out.append([])
            elif line:
                out[-1].append(line)
        return out

    def assert_nothing_left(self):
        self.run_program(ORMA, "status", "--repair")
        self.wait_for("folders to be gone", lambda: not any(self.temporary.iterdir()))

    def test_application(self):
        self.start_traced()
        recorder = self.start_recorder()
        survivor, survivor_counts = self.start_app(600, rate=200, counts="survivor", threads=1)
        total, running = 0, []
        for i in range(KILLS):
            running.append(self.start_app(30, counts=f"counts{i}"))
            if len(running) == 2:
                program, path = running.pop(self.random.randrange(2))
                self.kill(program, 0.06)
                total += self.counted(path)
        for program, path in running:
            self.kill(program)
            total += self.counted(path)
        survivor.terminate()
        survivor.wait()
        self.assert_serves()
        recorder.send_signal(signal.SIGINT)
        self.assertEqual(recorder.wait(30 * SLOW), 0)
        seen, total = self.check_file(), total + self.counted(survivor_counts)
        self.assertGreater(seen, 0)
        # Counted after it was emitted, so one of each thread may be in the trace that its program did not count.
        self.assertLessEqual(seen, total + 2 * KILLS + 1)
        self.wait_for("memory of the dead to be closed", lambda: self.fd_count() < 30)
        self.assert_ends()

    def test_recorder(self):
        self.start_traced()
        before = self.fd_count()
        app, _ = self.start_app(600, rate=500)
        good = 0
        for i in range(KILLS):
            recorder = self.start_recorder()
            self.kill(recorder, 0.15)
            self.wait_for("the writer to be done", lambda: len(list(self.proc("task").iterdir())) == 1)
            good += self.wrote_something()
            self.trace.unlink(missing_ok=True)
        self.assertGreater(good, KILLS // 10)
        self.assertIsNone(app.poll())
        app.kill()
        self.wait_for("descriptors of the dead to be closed", lambda: self.fd_count() <= before + 2)
        self.assert_nothing_left()
        self.assert_ends()

    def test_recorder_with_a_service_of_its_own(self):
        good = 0
        for i in range(times(KILLS // 3, KILLS)):
            path = self.dir / "counts"
            path.write_bytes(bytes(4096))
            recorder = self.start_recorder("", "--private", "--", TOOLS / "attack_app", path, "count", 1, 2000, 3)
            self.kill(recorder, 0.4)
            good += self.wrote_something()
            self.trace.unlink(missing_ok=True)
        self.assertGreater(good, 0)
        self.assert_nothing_left()

    def test_service(self):
        app, counts = None, None
        good = 0
        for i in range(KILLS):
            self.start_traced()
            if app is None:
                app, counts = self.start_app(600, rate=500)
            recorder = self.start_recorder()
            # Without a service a recorder brings its own, so this one must have met the service.
            self.wait_for("the recorder to connect", lambda: self.is_connected(recorder))
            self.kill(self.traced, 0.25)
            try:
                recorder.wait(20 * SLOW)
            except subprocess.TimeoutExpired:
                self.fail("the recorder waits for a service that is gone")
            good += self.wrote_something()
            self.trace.unlink(missing_ok=True)
            self.assertIsNone(app.poll(), "the program that is traced goes on")
        app.kill()
        self.assertGreater(good, 0)
        self.assert_nothing_left()

    def test_probes(self):
        self.start_traced()
        recorder = self.start_recorder(PROBES_CONFIG)
        for i in range(KILLS):
            probes = self.start(PROBES, stderr=subprocess.DEVNULL)
            self.kill(probes, 0.1)
            if i % 10 == 9:
                self.assert_serves()
                recorder.send_signal(signal.SIGINT)
                self.assertIn(recorder.wait(30 * SLOW), (0, 1))  # 1: the probes never lived to record anything
                self.check_file()
                recorder = self.start_recorder(PROBES_CONFIG)
        recorder.kill()
        recorder.wait()
        self.wait_for("memory of the dead to be closed", lambda: self.fd_count() < 30)
        self.assert_nothing_left()
        self.assert_ends()


if __name__ == "__main__":
    main()
