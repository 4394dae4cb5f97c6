"""The end of a recording beside programs that never answer: those that stand still are waited for only shortly, those
that are slow as long as the config says, and whoever did not answer the flush is not waited for again at the stop."""
from attack import *


class Frozen(Attack):
    def setUp(self):
        super().setUp()
        self.start_traced()

    def record(self, more="", **popen):
        (self.dir / "c.txt").write_text('buffers { size_kb: 1024 } duration_ms: 500 data_sources { config { name: "track_event" } }'
                                        'data_sources { config { name: "x" } }' + more)
        p = self.start(ORMA, "record", "--allow-unknown", "-c", "c.txt", "-o", "t.pftrace", stderr=subprocess.PIPE, **popen)
        self.wait_for("the file", (self.dir / "t.pftrace").exists)
        return p

    def ended(self, p, began):
        """(seconds, what it said)"""
        said = p.communicate(timeout=60 * SLOW)[1].decode()
        self.assertIn(p.returncode, (0, 1), said)  # 1: nothing was recorded
        return time.monotonic() - began, said

    def script(self, text):
        """Another process that has what is imported here."""
        return self.start(sys.executable, "-c", f"import sys\nsys.path[:0] = {sys.path!r}\nfrom attack import *\n" + text,
                          stdout=subprocess.PIPE)

    def child(self, script):
        """Another process with a producer of the data source "x"; it says when it is set up."""
        p = self.script(f"p = Producer({str(self.producer_path)!r}, 'odd')\n"
                        "p.register('x', num(2, 1))\nprint('here', flush=True)\nassert p.set_up(30) is not None\n" + script)
        self.assertEqual(p.stdout.readline(), b"here\n")
        return p

    def frozen_demo(self, freeze, thaw):
        demo = self.start(DEMO, "--threads", "1", "--iterations", "100000000", "--spin", "1000000", stdout=subprocess.DEVNULL)
        p = self.record()
        began = time.monotonic()
        time.sleep(0.3)
        freeze(demo.pid)
        try:
            seconds, said = self.ended(p, began)
        finally:
            thaw(demo.pid)
        self.assertLess(seconds, 3 * SLOW, said)
        self.assertIn(f"(pid {demo.pid}) did not answer for", said)
        self.assertIn(f"(pid {demo.pid}) did not answer for", self.orma("query", "t.pftrace", "SELECT text FROM loss").stdout.decode())
        self.assertGreater(int(self.one("t.pftrace", "SELECT count(*) FROM slice")), 10, "what it wrote is kept")
        ends = [p for p in self.orma("convert", "text", "t.pftrace").stdout.decode().split("\npacket {") if "all_data_sources_flushed: true" in p]
        self.assertIn("orma_unanswered]: 1\n", ends[-1], "it was given up")
        demo.kill()

    def one(self, trace, sql):
        return self.orma("query", "--format", "rfc4180", trace, sql).stdout.decode().splitlines()[-1]

    def test_stopped_by_a_signal(self):
        self.frozen_demo(lambda pid: os.kill(pid, signal.SIGSTOP), lambda pid: os.kill(pid, signal.SIGCONT))

    def test_frozen_in_its_control_group(self):
        old, new = pathlib.Path("/sys/fs/cgroup/freezer"), pathlib.Path("/sys/fs/cgroup")
        version1 = old.exists()
        group = (old if version1 else new) / f"orma-test-{os.getpid()}"
        try:
            group.mkdir()
            self.addCleanup(group.rmdir)
            switch = group / ("freezer.state" if version1 else "cgroup.freeze")
            switch.write_text("THAWED" if version1 else "0")
        except OSError as e:
            self.skipTest(f"no control group can be made: {e}")

        def freeze(pid):
            (group / "cgroup.procs").write_text(str(pid))
            switch.write_text("FROZEN" if version1 else "1")

        def thaw(pid):
            switch.write_text("THAWED" if version1 else "0")
            (group.parent / "cgroup.procs").write_text(str(pid))
        self.frozen_demo(freeze, thaw)

    def test_many_at_once(self):
        """More than are looked at in one go."""
        many = self.script(f"all = [Producer({str(self.producer_path)!r}, 'odd') for _ in range(150)]\n"
                           "for p in all: p.register('x', num(2, 1))\nprint('here', flush=True)\ntime.sleep(1000)\n")
        self.assertEqual(many.stdout.readline(), b"here\n")
        p = self.record()
        began = time.monotonic()
        os.kill(many.pid, signal.SIGSTOP)
        seconds, said = self.ended(p, began)
        self.assertLess(seconds, 4 * SLOW, said)
        self.assertIn(f"(pid {many.pid}) did not answer for", said)

    def test_complete_chunks_of_one_that_forbids_scraping(self):
        """It was stopped between writing and committing; what it had begun to write is left alone."""
        self.child("""p.ask('writer', num(1, 1) + num(2, p.targets[-1]))
while not p.memory: p.pump(0.2)
for page, state in (0, 3), (1, 1):
    data = chunk(page, 1, [packet(30, b'kept' if state == 3 else b'half done'), packet(10)])
    p.memory[page * 4096 + 8:page * 4096 + 8 + len(data)] = data
    struct.pack_into('<II', p.memory, page * 4096, 1 << 28 | state, 0)
os.kill(os.getpid(), signal.SIGSTOP)
""")
        p = self.record()
        seconds, said = self.ended(p, time.monotonic())
        self.assertLess(seconds, 3 * SLOW, said)
        self.assertIn("did not answer for", said)
        trace = (self.dir / "t.pftrace").read_bytes()
        self.assertIn(b"kept", trace)
        self.assertNotIn(b"half done", trace)

    def test_slow_ones_are_waited_for(self):
        """It has read what it was asked, and says nothing for longer than one that stands still would have."""
        self.child("""while not [c for c in p.commands if c[0] == 5]: p.pump(0.2)
time.sleep(3.5)
flush = decode([c for c in p.commands if c[0] == 5][-1][1])
p.send('commit', move(p.targets[-1], chunk(0, 1, [packet(50, b'late')])) + num(3, last(flush, 2)), drop=True)
while not [c for c in p.commands if c[0] == 2]: p.pump(0.2)
p.ask('stopped', num(1, last(decode([c for c in p.commands if c[0] == 2][-1][1]), 1)))
time.sleep(100)
""")
        p = self.record()
        seconds, said = self.ended(p, time.monotonic())
        self.assertGreater(seconds, 3.5)
        self.assertNotIn("did not answer", said)
        self.assertIn(b"late", (self.dir / "t.pftrace").read_bytes())

    def test_who_did_not_answer_the_flush_is_not_waited_for_again(self):
        self.child("while True: p.pump(0.2)\n")
        p = self.record("flush_timeout_ms: 2000 data_source_stop_timeout_ms: 2000")
        began = time.monotonic()
        seconds, said = self.ended(p, began)
        self.assertGreater(seconds, 2)
        self.assertLess(seconds, 4 * SLOW, "two seconds and the recording, not four")
        self.assertIn("did not answer for", said)

    def test_who_does_not_read(self):
        """It sleeps, and never looks at its socket."""
        self.child("time.sleep(1000)\n")
        p = self.record()
        seconds, said = self.ended(p, time.monotonic())
        self.assertLess(seconds, 4.5 * SLOW, said)
        self.assertIn("did not answer for", said)

    def test_a_second_signal_waits_for_nobody_and_keeps_the_trace(self):
        """A program that is recorded lives, and never answers."""
        script = self.dir / "odd.py"
        script.write_text(f"""import sys
sys.path[:0] = {sys.path!r}
from attack import *
subprocess.run([{str(DEMO)!r}, "--threads", "1", "--iterations", "100"], check=True, stdout=subprocess.DEVNULL)
signal.signal(signal.SIGINT, signal.SIG_IGN)
p = Producer(os.environ["PERFETTO_PRODUCER_SOCK_NAME"])
p.register("track_event", num(2, 1))
assert p.set_up(30) is not None
pathlib.Path("here").touch()
end = time.monotonic() + 100
while time.monotonic() < end and not pathlib.Path("enough").exists(): p.pump(0.1)
""")
        for mode in "--ring", "--stream":
            for name in "here", "enough":
                (self.dir / name).unlink(missing_ok=True)
            p = self.start(ORMA, "record", "-f", mode, "--private", "-o", "t.pftrace", "apps", "--", sys.executable, script,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            self.wait_for("the program", (self.dir / "here").exists)
            for _ in range(2):
                p.send_signal(signal.SIGINT)
                time.sleep(1)  # two that come at once are one
            (self.dir / "enough").touch()  # the command is waited for as ever
            said = p.communicate(timeout=30 * SLOW)[1].decode()
            self.assertIn("stopped at once by a second signal", said)
            self.assertNotIn("nothing lost", said, "nobody knows")
            self.assertGreater(int(self.one("t.pftrace", "SELECT count(*) FROM slice")), 0)

    def test_who_goes_on_in_time_is_heard(self):
        """Stopped when the flush is asked for, and not any more when it is looked at for the second time."""
        demo = self.start(DEMO, "--threads", "1", "--iterations", "100000000", "--spin", "1000000", stdout=subprocess.DEVNULL)
        p = self.record()
        time.sleep(0.45)
        os.kill(demo.pid, signal.SIGSTOP)
        time.sleep(0.2)
        os.kill(demo.pid, signal.SIGCONT)
        _, said = self.ended(p, time.monotonic())
        demo.kill()
        self.assertNotIn("did not answer", said)


main()
