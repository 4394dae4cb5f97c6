"""kill -9 of recorders of kernel events, at random moments, one or two at a time: `orma status --repair` puts the
machine's tracer back as it was, and no instance, folder or probe of ours is left. The files can be read."""
from attack import *

TRACEFS = pathlib.Path("/sys/kernel/tracing")
STATE = ("tracing_on", "current_tracer", "trace_clock", "buffer_size_kb", "buffer_percent", "set_event", "set_event_pid",
         "set_ftrace_filter", "set_graph_function", "tracing_cpumask", "trace_options", "kprobe_events", "uprobe_events")
WORDS = (("sched",), ("irq", "sched"), ("sched/sched_switch",), ("syscalls",), ("timer", "workqueue"))


@unittest.skipIf(have_tracefs(), have_tracefs() or "")
class KillKernel(Attack):
    def setUp(self):
        super().setUp()
        self.temporary = self.dir / "tmp"
        self.temporary.mkdir()
        self.env["TMPDIR"] = str(self.temporary)
        # Rings that were only promised since the boot are made by the first recording, and stay.
        self.run_program(ORMA, "record", "--private", "-f", "-q", "-t", "1ms", "-o", self.dir / "first", "sched")
        self.repair()
        self.before = self.state()

    @staticmethod
    def state():
        """All that we may change. The clock's line marks the chosen one."""
        def read(name):
            try:
                return (TRACEFS / name).read_text()
            except OSError:
                return None

        state = {name: read(name) for name in STATE}
        state["instances"] = sorted(p.name for p in (TRACEFS / "instances").iterdir())
        state["enabled"] = read("events/enable")
        return state

    def repair(self):
        done = self.run_program(ORMA, "status", "--repair")
        self.assertIn(done.returncode, (0, 1), done.stderr)

    def record(self, name):
        return self.start(ORMA, "record", "--private", "-f", "-q", "-o", self.dir / name, *self.random.choice(WORDS),
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def assert_readable(self, name):
        path = self.dir / name
        if path.exists() and path.stat().st_size:
            # Kernels leave out switches of their own accord.
            done = self.run_program(SHELL, "-Q", """select name, value from stats where severity = 'error' and value > 0
                                    and name != 'mismatched_sched_switch_tids'""", path)
            self.assertEqual((done.returncode, done.stdout.split()), (0, [b'"name","value"']), done.stderr[-500:])
        path.unlink(missing_ok=True)

    def test_recorders(self):
        for i in range(times(8, 500)):
            names = [f"t{k}" for k in range(self.random.choice((1, 1, 2)))]
            recorders = [self.record(name) for name in names]
            for recorder in self.random.sample(recorders, len(recorders)):
                time.sleep(self.random.uniform(0, 0.4))
                recorder.kill()
                recorder.wait()
            for name in names:
                self.assert_readable(name)
            if i % 2:
                self.repair()
                self.assertEqual(self.state(), self.before)
        self.repair()
        self.assertEqual(self.state(), self.before)
        self.assertEqual([p.name for p in self.temporary.iterdir()], [])

    def test_probes(self):
        """The service lives on; the next probes, or the repair, put back what the killed ones changed."""
        self.start_traced()
        config_text = 'buffers { size_kb: 4096 } data_sources { config { name: "linux.ftrace" ftrace_config { ' \
            'ftrace_events: "sched/sched_switch" } } } write_into_file: true file_write_period_ms: 100'
        (self.dir / "config").write_text(config_text)
        recorder = self.start(ORMA, "record", "-f", "-q", "-c", self.dir / "config", "-o", self.dir / "trace",
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(times(8, 300)):
            probes = self.start(PROBES, stderr=subprocess.DEVNULL)
            time.sleep(self.random.uniform(0, 0.3))
            probes.kill()
            probes.wait()
        recorder.send_signal(signal.SIGINT)
        recorder.wait(30 * SLOW)
        self.repair()
        self.assertEqual(self.state(), self.before)
        self.assert_readable("trace")
        self.assert_serves()
        self.assert_ends()


if __name__ == "__main__":
    main()
