"""Outputs whose reader does not read: recorder and service end all the same when they are asked to."""
import fcntl
import struct
import termios

from orma_env import *

PIPE_FULL = 60000  # of 65536: what is left may be less than the next write
LIMIT = 15  # seconds; far more than the promise of 3, far less than "when the reader comes back"


class Stuck(Case):
    def start_stuck(self, *options, traced=None):
        """A recorder whose output is full, with more to come."""
        if traced:
            self.wait_for("the service", lambda: (self.dir / "c.sock").exists())
        command = f"exec {DEMO} --threads 4 --iterations 3000 > /dev/null"  # it must not wait for the pipe, too
        p = self.start(ORMA, "record", "-q", *options, "-o", "-", "apps", "--", "sh", "-c", command,
                       stdout=subprocess.PIPE, stderr=self.log("err"))
        self.addCleanup(p.stdout.close)
        self.wait_for("a full pipe", lambda: self.waiting(p.stdout) > PIPE_FULL, 60)
        return p

    def log(self, name):
        file = open(self.dir / name, "wb")
        self.addCleanup(file.close)
        return file

    def waiting(self, pipe):
        return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0]

    def stderr(self):
        return (self.dir / "err").read_text()

    def test_a_recorder_ends_after_one_signal(self):
        for options in (), ("--ring",):
            for number in signal.SIGINT, signal.SIGTERM:
                with self.subTest(options=options, signal=number.name):
                    p = self.start_stuck(*options)
                    p.send_signal(number)
                    self.assertEqual(p.wait(LIMIT * SLOW), 1, self.stderr())
                    self.assertRegex(self.stderr(), "the end of the trace (may be|is) missing")

    def test_the_service_ends_and_names_the_file(self):
        traced = self.start(TRACED, stderr=self.log("log"))
        recorder = self.start_stuck(traced=traced)
        traced.terminate()
        self.assertEqual(traced.wait(LIMIT * SLOW), 0)
        recorder.kill()
        self.assertRegex((self.dir / "log").read_text(), r"the trace file pipe:\[\d+\] accepts no more data")


if __name__ == "__main__":
    unittest.main(verbosity=2)
