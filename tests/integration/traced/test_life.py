"""The program traced over a long life: what it costs with nothing to do, what is left of clients that are
gone, and what a trace file holds when the service itself is killed."""
import resource
import socket

from orma_env import *

CONFIG = """
buffers { size_kb: 4096 }
data_sources { config { name: "track_event" } }
write_into_file: true
file_write_period_ms: 100
flush_period_ms: 100
write_flush_mode: WRITE_FLUSH_ENABLED
"""


class Life(Case):
    def status(self, pid, key):
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(key + ":"):
                return int(line.split()[1])
        return 0

    def switches(self, pid):
        return sum(int(line.split()[-1]) for task in pathlib.Path(f"/proc/{pid}/task").iterdir()
                   for line in (task / "status").read_text().splitlines() if "ctxt_switches" in line)

    def fds(self, pid):
        return len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))

    def anonymous_kb(self, pid):
        for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Anonymous:"):
                return int(line.split()[1])
        return 0

    def record(self, name, *more):
        return self.start(ORMA, "record", "-c", self.config(), "-o", self.dir / name, *more,
                          stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def config(self, more=""):
        path = self.dir / "config"
        path.write_text(CONFIG + more)
        return path

    def test_idle_it_sleeps(self):
        """No wake-up without clients, and none of a client that does nothing either."""
        pid = self.start_traced().pid
        time.sleep(0.3)
        demo = self.start(DEMO, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        demo.wait(30 * SLOW)  # it came, registered, and went
        time.sleep(0.5)
        before = self.switches(pid)
        time.sleep(2)
        self.assertLessEqual(self.switches(pid) - before, 1)
        if SLOW == 1:
            self.assertLess(self.anonymous_kb(pid), 1280)

    def test_of_sessions_that_are_gone_nothing_is_left(self):
        pid = self.start_traced().pid
        baseline, memory = self.fds(pid), None
        for i in range(12):
            self.orma("record", "-c", self.config("duration_ms: 50"), "-o", self.dir / f"t{i}", code=1)  # empty
            if i == 3:
                memory = self.anonymous_kb(pid)
        self.wait_for("its descriptors", lambda: self.fds(pid) == baseline)
        self.assertLess(self.anonymous_kb(pid), memory + 600)
        self.assertEqual(self.status(pid, "Threads"), 1, "writers' threads end with their files")

    def test_a_storm_that_takes_all_descriptors_passes(self):
        self.start(TRACED, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)),
                   stderr=subprocess.DEVNULL)
        self.wait_for("the socket", lambda: (self.dir / "c.sock").exists())
        storm = []
        for i in range(300):
            s = socket.socket(socket.AF_UNIX)
            s.setblocking(False)
            storm.append(s)
            try:
                s.connect(str(self.dir / ("p.sock" if i % 2 else "c.sock")))
            except BlockingIOError:
                pass  # nobody accepts any more
        time.sleep(0.3)
        for s in storm:
            s.close()
        self.wait_for("the service", lambda: self.run_program(ORMA, "status").returncode == 0, 30)

    def kill_while_it_writes(self, victim):
        """The file that is there when the victim has been killed."""
        traced = self.start_traced()
        recorder = self.record("trace")
        trace = self.dir / "trace"
        self.wait_for("a session", lambda: b"STARTED" in self.run_program(ORMA, "status").stdout.upper())
        demo = self.start(DEMO, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        demo.wait(30 * SLOW)
        self.wait_for("events in the file", lambda: trace.exists() and self.has_slices(trace))
        (traced if victim == "service" else recorder).kill()
        (traced if victim == "service" else recorder).wait()
        time.sleep(0.3)
        return traced, trace

    def has_slices(self, trace):
        done = self.run_program(SHELL, "-Q", "select count(*) as n from slice", trace)
        return done.returncode == 0 and int(done.stdout.split()[-1]) > 0

    def test_a_killed_service_leaves_a_readable_file(self):
        _, trace = self.kill_while_it_writes("service")
        self.assertTrue(self.has_slices(trace))
        self.assertEqual(self.one(trace, "select count(*) from stats where severity = 'error' and value > 0"), "0")

    def test_a_killed_consumer_leaves_a_complete_file(self):
        traced, trace = self.kill_while_it_writes("consumer")
        self.wait_for("the end of the session", lambda: self.status(traced.pid, "Threads") == 1)
        self.assertTrue(self.has_slices(trace))
        self.assertNotEqual(self.one(trace, "select count(*) from stats where name = 'traced_buf_bytes_written'"), "0",
                            "the statistics come at the end")


if __name__ == "__main__":
    main()
