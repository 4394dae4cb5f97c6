"""What the integration tests share: scratch folders, programs of the build, queries, daemons on
private sockets. Programs are named by the environment: ORMA_BUILD is the build folder."""
import csv
import io
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BUILD = pathlib.Path(os.environ.get("ORMA_BUILD", "build")).resolve()
ORMA = BUILD / "tools/orma"
SHELL = BUILD / "compat/trace_processor_shell"
TRACED = BUILD / "compat/traced"
PROBES = BUILD / "compat/traced_probes"
DEMO = BUILD / "sdk/orma_demo"
SLOW = float(os.environ.get("ORMA_TEST_SLOWNESS", "1"))  # sanitizers and valgrind take longer


def have_tracefs():
    """Mounts tracefs where it may. None, or why the kernel's events cannot be recorded here."""
    root = pathlib.Path("/sys/kernel/tracing")
    if os.geteuid() != 0:
        return "kernel events need root"
    if not (root / "trace").exists():
        done = subprocess.run(["mount", "-t", "tracefs", "nodev", str(root)], capture_output=True)
        if done.returncode or not (root / "trace").exists():
            return "tracefs cannot be mounted here"
    return None


class Case(unittest.TestCase):
    """A scratch folder, private sockets, and every process ended at the end."""

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="orma-test-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        # What killed services leave behind goes with the test. Memory, if there is such a folder.
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.rescue = pathlib.Path(tempfile.mkdtemp(prefix="orma-test-", dir=memory))
        self.addCleanup(shutil.rmtree, self.rescue, ignore_errors=True)
        self.env = {"ORMA_CACHE": "off", "ORMA_RESCUE_FOLDER": str(self.rescue), **os.environ,
                    "PERFETTO_PRODUCER_SOCK_NAME": str(self.dir / "p.sock"),
                    "PERFETTO_CONSUMER_SOCK_NAME": str(self.dir / "c.sock")}

    def run_program(self, *argv, timeout=60, **more):
        """Runs to the end; bytes of both outputs. Never hangs the suite."""
        return subprocess.run([str(a) for a in argv], env=self.env, cwd=self.dir, timeout=timeout * SLOW,
                              capture_output=True, **more)

    def orma(self, *argv, code=0, **more):
        done = self.run_program(ORMA, *argv, **more)
        self.assertIn(done.returncode, range(256) if code is None else [code],
                         f"orma {' '.join(map(str, argv))}\n{done.stdout[-2000:]}\n{done.stderr.decode()[-4000:]}")
        return done

    def start(self, *argv, **more):
        p = subprocess.Popen([str(a) for a in argv], env=self.env, cwd=self.dir, **more)
        self.addCleanup(self.end, p)
        return p

    @staticmethod
    def end(p):
        if p.poll() is None:
            p.terminate()
            try:
                p.wait(10 * SLOW)
            except subprocess.TimeoutExpired:
                p.kill()
                p.wait()
        for f in (p.stdin, p.stdout, p.stderr):
            if f:
                f.close()

    def wait_for(self, what, condition, seconds=10):
        end = time.monotonic() + seconds * SLOW
        while not condition():
            self.assertLess(time.monotonic(), end, f"waited in vain for {what}")
            time.sleep(0.02)

    def start_traced(self):
        r, w = os.pipe()
        self.env["TRACED_NOTIFY_FD"] = str(w)
        p = self.start(TRACED, pass_fds=[w])
        os.close(w)
        del self.env["TRACED_NOTIFY_FD"]
        with os.fdopen(r, "rb") as f:
            self.assertEqual(f.read(), b"1", "traced said that it listens")
        return p

    def query(self, trace, sql):
        """Rows as dicts of text; NULL is '[NULL]'."""
        done = self.run_program(SHELL, "-Q", sql, trace)
        self.assertEqual(done.returncode, 0, f"{sql}\n{done.stderr.decode()[-2000:]}")
        return list(csv.DictReader(io.StringIO(done.stdout.decode())))

    def one(self, trace, sql):
        """The only value of the only row."""
        rows = self.query(trace, sql)
        self.assertEqual(len(rows), 1, sql)
        return next(iter(rows[0].values()))


def main():
    sys.exit(0 if unittest.main(exit=False, verbosity=2).result.wasSuccessful() else 1)


__all__ = ["BUILD", "Case", "DEMO", "ORMA", "PROBES", "SHELL", "SLOW", "TRACED", "have_tracefs", "main",
           "os", "pathlib", "signal", "subprocess", "time", "unittest"]
