"""Containers: what a filter of system calls, a user namespace or a PID namespace takes away, and what is said about it."""
import ctypes
import errno
import shutil
import struct

from orma_env import *

PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}


def forbid_perf_events():
    """In a child, before its program: as container engines do it."""
    libc = ctypes.CDLL(None, use_errno=True)
    number = PERF_EVENT_OPEN[os.uname().machine]
    rules = b"".join(struct.pack("HBBI", *r) for r in (
        (0x20, 0, 0, 0),  # the number
        (0x15, 0, 1, number), (0x06, 0, 0, 0x00050000 | errno.EPERM), (0x06, 0, 0, 0x7FFF0000)))
    buffer = ctypes.create_string_buffer(rules)
    program = struct.pack("HxxxxxxP", 4, ctypes.addressof(buffer))
    libc.prctl(38, 1, 0, 0, 0)  # no_new_privs
    if libc.prctl(22, 2, ctypes.create_string_buffer(program), 0, 0):
        os._exit(77)


class Namespaces(Case):
    def test_a_filter_of_system_calls_is_named(self):
        if os.uname().machine not in PERF_EVENT_OPEN:
            self.skipTest("the number of perf_event_open is not known here")
        done = self.orma("profile", "-o", "p", "--", "true", code=None, preexec_fn=forbid_perf_events)
        if done.returncode == 77:
            self.skipTest("no seccomp here")
        text = done.stderr.decode()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("seccomp", text)
        self.assertIn("--cap-add PERFMON", text)
        self.assertNotIn("belongs to another user", text)
        said = self.orma("doctor", code=None, preexec_fn=forbid_perf_events).stdout.decode()
        self.assertIn("linux.perf cannot record here: a filter of system calls (seccomp)", " ".join(said.split()))

    def in_namespaces(self, *argv):
        space = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"]
        if not shutil.which("unshare") or self.run_program(*space, "true").returncode:
            self.skipTest("user namespaces cannot be made here")
        return self.run_program(*space, *argv)

    def test_a_recording_inside(self):
        done = self.in_namespaces(ORMA, "record", "--private", "-o", "t", "apps", "--", DEMO, "--threads", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Nothing was lost", self.orma("stats", "t").stdout.decode())
        rows = self.orma("query", "--format", "rfc4180", "t", "SELECT count(DISTINCT upid) FROM slice JOIN thread_track t ON "
                         "track_id = t.id JOIN thread USING (utid)").stdout.decode().splitlines()
        self.assertEqual(rows[1:], ["1"])

    def test_kernel_events_in_a_pid_namespace(self):
        why = have_tracefs()
        if why or not shutil.which("unshare"):
            self.skipTest(why or "needs unshare")
        done = self.run_program("unshare", "--pid", "--fork", "--mount-proc", "--mount", ORMA, "record", "-q", "-o", "t", "-t", "500ms")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(int(self.orma("query", "--format", "rfc4180", "t", "SELECT count(*) FROM sched").stdout.split()[1]), 0)

    def test_a_profile_in_bubblewrap(self):
        """As in other namespaces: nothing filters its system calls."""
        space = ["bwrap", "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid", "--unshare-net"]
        if not shutil.which("bwrap") or self.run_program(*space, "true").returncode:
            self.skipTest("bubblewrap is not here, or may not make namespaces")
        work = ["sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"]
        if self.orma("profile", "-o", "outside", "--", *work, code=None).returncode:
            self.skipTest("no profiles on this machine")
        done = self.run_program(*space, ORMA, "profile", "-o", self.dir / "inside", "--", *work)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(int(self.orma("query", "--format", "rfc4180", "inside", "SELECT count(*) FROM perf_sample").stdout.split()[1]), 10)

    def test_a_program_inside_and_the_service_outside(self):
        self.start_traced()
        self.start(PROBES, stderr=subprocess.DEVNULL)  # they know the numbers
        self.wait_for("the probes", lambda: "linux.process_stats" in self.orma("status").stdout.decode())
        p = self.start(ORMA, "record", "-q", "-o", "t", "apps")
        self.wait_for("the session", lambda: f"orma-record-{p.pid}" in self.orma("status").stdout.decode())
        self.env["ORMA_CONNECT_WAIT_MS"] = "5000"
        done = self.in_namespaces(DEMO, "--threads", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.wait(30 * SLOW), 0)
        rows = self.orma("query", "--format", "rfc4180", "t", "SELECT count(DISTINCT upid), min(pid) > 10 FROM slice JOIN "
                         "thread_track t ON track_id = t.id JOIN thread USING (utid) JOIN process USING (upid)").stdout.decode()
        self.assertEqual(rows.splitlines()[1:], ["1,1"])  # one process, by its number outside


if __name__ == "__main__":
    unittest.main(verbosity=2)
