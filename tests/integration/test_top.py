"""orma top: screens of a session, as text and on a terminal."""
import fcntl
import pty
import re
import select
import struct
import termios

from orma_env import *


class Top(Case):
    def setUp(self):
        super().setUp()
        self.start_traced()
        self.go_on = self.start("sh", "-c", f"while {DEMO} --threads 2 --iterations 2000; do :; done", stdout=subprocess.DEVNULL,
                                start_new_session=True)
        self.addCleanup(lambda: os.killpg(self.go_on.pid, signal.SIGKILL))

    def terminal(self, rows, columns, *argv):
        """The program on a terminal of that size; its end of it."""
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        self.resize(ours, rows, columns)
        p = self.start(ORMA, "top", *argv, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
                       preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(theirs)
        return p, ours

    @staticmethod
    def resize(fd, rows, columns):
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def screens(self, fd, condition, seconds=20):
        """Reads on until a whole screen is as wanted."""
        text, end = "", time.monotonic() + seconds * SLOW
        while time.monotonic() < end:
            if select.select([fd], [], [], 0.1)[0]:
                try:
                    text += os.read(fd, 65536).decode(errors="replace")
                except OSError:
                    break
            for screen in text.split("\033[H\033[J")[1:]:
                if "q quits" in screen and condition(screen):
                    return screen
        self.fail(f"no such screen in {text[-3000:]!r}")

    def plain(self, screen):
        return re.sub(r"\033\[\d*m", "", screen).replace("\r\n", "\n")

    def test_plain_text_of_its_own_recording(self):
        done = self.orma("top", "-n", "2", "-d", "500ms")
        text = done.stdout.decode()
        self.assertNotIn("\033", text)
        self.assertEqual(len(re.findall("^this machine, last 500.0 ms$", text, re.M)), 2, text)
        self.assertEqual(len(re.findall(r"^(nothing lost|lost \d+ packets .*)$", text, re.M)), 2, text)
        self.assertIn("no threads, only slices", done.stderr.decode())  # this service has no probes
        self.assertIn("no thread states", text)
        row = re.search(r"^(\S.*?)\s+(\d+\.\d)( +[\d.]+ [mun]?s){3}$", text, re.M)
        self.assertTrue(row, text)
        self.assertNotIn("orma-top", self.orma("status").stdout.decode())  # nothing is left

    def test_of_a_session_rates_and_times_are_those_of_its_trace(self):
        p = self.start(ORMA, "record", "-q", "--ring", "-b", "64mb", "-o", "ring", "apps")
        name = f"orma-record-{p.pid}"
        self.wait_for("the session", lambda: name in self.orma("status").stdout.decode())
        time.sleep(1.5 * SLOW)
        text = self.orma("top", "-n", "1", "-d", "1s", name).stdout.decode()
        self.assertIn(f"{name}, last 1.0 s\n", text)
        rates = dict(re.findall(r"^(\S.*?) +(\d+\.\d)(?: +[\d.]+ [mun]?s){3}$", text, re.M))
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.wait(20 * SLOW), 0)
        names = {r["name"] for r in self.query(self.dir / "ring", "SELECT DISTINCT name FROM slice")}
        self.assertTrue(rates)
        self.assertLessEqual(set(rates), names)
        whole = {r["name"]: float(r["n"]) for r in self.query(self.dir / "ring", """SELECT name, count(*) / ((max(ts) - min(ts)) / 1e9) AS n
            FROM slice GROUP BY name""")}
        for slice, rate in rates.items():  # of a second, beside all of it
            if float(rate) > 100:
                self.assertTrue(whole[slice] / 4 < float(rate) < whole[slice] * 4, (slice, rate, whole[slice]))
        self.assertIn("session not found", self.orma("top", "-n", "1", name, code=1).stderr.decode())

    def test_of_what_a_ring_does_not_hold_nothing_is_said(self):
        """Shares and rates are those of the time that is there, which is named."""
        p = self.start(ORMA, "record", "-q", "--ring", "-b", "512kb", "-o", "ring", "apps")
        name = f"orma-record-{p.pid}"
        self.wait_for("the session", lambda: name in self.orma("status").stdout.decode())
        text = self.orma("top", "-n", "1", "-d", "1h", name).stdout.decode()
        self.assertRegex(text, f"^{name}, last [^\n]* \\(the ring holds no more of the last 3600.0 s\\)\n")
        time.sleep(3 * SLOW)
        text = self.orma("top", "-n", "1", "-d", "3s", name).stdout.decode()
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.wait(20 * SLOW), 0)
        row = re.search(r"last ([\d.]+) (\w+)", text)
        held = float(row[1]) * {"s": 1, "ms": 1e-3, "us": 1e-6}[row[2]]
        if "the ring kept" in text or held < 3:
            self.assertIn("the ring holds no more of the last 3.0 s", text)
        there = self.query(self.dir / "ring", "SELECT (max(ts + dur) - min(ts)) / 1e9 AS s FROM slice")[0]["s"]
        self.assertLess(held, 4 * float(there) + 0.5, text)

    def test_on_a_terminal(self):
        p, fd = self.terminal(24, 80, "-d", "300ms")
        screen = self.plain(self.screens(fd, lambda s: "slice" in s))
        lines = screen.split("\n")
        self.assertLessEqual(len(lines), 24, screen)
        self.assertLessEqual(max(map(len, lines)), 80, screen)
        self.resize(fd, 12, 50)
        screen = self.plain(self.screens(fd, lambda s: "slice" in s and len(self.plain(s).split("\n")) <= 12
                                         and max(map(len, self.plain(s).split("\n"))) <= 50))
        os.write(fd, b"w")
        self.screens(fd, lambda s: True)
        os.write(fd, b"q")

        def ended():
            if select.select([fd], [], [], 0)[0]:
                try:
                    os.read(fd, 65536)  # a full terminal would hold it up
                except OSError:
                    pass
            return p.poll() is not None

        self.wait_for("the end", ended)
        self.assertEqual(p.returncode, 0)

    def test_signals_and_a_service_that_ends(self):
        p, fd = self.terminal(24, 80, "-d", "300ms")
        self.screens(fd, lambda s: True)
        p.send_signal(signal.SIGTERM)
        self.assertEqual(p.wait(10 * SLOW), 0)

    def test_usage(self):
        for argv, what in ((["-n", "0"], "bad number"), (["-d", "1ms"], "bad time"), (["-b", "1"], "bad size"), (["a", "b"], "one session")):
            self.assertIn(what, self.orma("top", *argv, code=2).stderr.decode())


if __name__ == "__main__":
    main()
