"""The program traced: what it keeps of its rights, and how a service manager starts it."""
import re
import shutil
import socket
import tempfile

from orma_env import *

FILTERS = os.environ.get("ORMA_TEST_SECCOMP") == "1"


class Daemon(Case):
    def listener(self, name):
        s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(s.close)
        s.bind(str(self.dir / name))
        s.listen(16)
        return s

    def start_activated(self, *sockets, names=None):
        """As a service manager does: descriptors from 3 on, and LISTEN_PID is the program's own."""
        fds = [s.fileno() for s in sockets]
        # Through high numbers: a socket may itself be number 3 or 4.
        script = "".join(f"exec {100 + i}<&{fd}; " for i, fd in enumerate(fds)) + \
            "".join(f"exec {3 + i}<&{100 + i} {100 + i}<&-; " for i in range(len(fds))) + \
            f"export LISTEN_PID=$$ LISTEN_FDS={len(fds)}; exec {TRACED}"
        env = {**self.env, **({"LISTEN_FDNAMES": names} if names else {})}
        p = subprocess.Popen(["bash", "-c", script], env=env, cwd=self.dir, pass_fds=fds, stderr=subprocess.PIPE)
        self.addCleanup(self.end, p)
        return p

    def status(self, pid):
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
        return dict(line.split(":\t", 1) for line in lines if ":\t" in line)

    def test_gives_up_what_it_does_not_need(self):
        status = self.status(self.start_traced().pid)
        self.assertEqual(status["NoNewPrivs"], "1")
        if FILTERS:
            self.assertEqual(status["Seccomp"], "2")

    def test_the_sandbox_can_be_left_out(self):
        p = self.start(TRACED, "--no-sandbox")
        self.wait_for("the socket", lambda: (self.dir / "c.sock").exists())
        self.orma("status")
        self.assertEqual(self.status(p.pid)["NoNewPrivs"], "0")

    def check_activated(self, *sockets, names=None):
        notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(notify.close)
        notify.bind(str(self.dir / "notify.sock"))
        notify.settimeout(20 * SLOW)
        self.env["NOTIFY_SOCKET"] = str(self.dir / "notify.sock")
        self.start_activated(*sockets, names=names)
        self.assertEqual(notify.recv(100), b"READY=1")
        trace = self.dir / "t.pftrace"
        done = self.orma("record", "-o", trace, "apps", "--", DEMO, "--threads", "1", "--iterations", "20")
        self.assertIn(b"slices=", done.stdout)
        self.assertNotEqual(self.one(trace, "SELECT count(*) FROM slice"), "0")

    def test_sockets_by_name(self):
        consumer, producer = self.listener("c.sock"), self.listener("p.sock")
        self.check_activated(consumer, producer, names="traced-consumer.socket:producer")

    def test_sockets_by_order(self):
        producer, consumer = self.listener("p.sock"), self.listener("c.sock")
        self.check_activated(producer, consumer)

    def test_sockets_that_are_not_enough(self):
        p = self.start_activated(self.listener("p.sock"))
        self.assertEqual(p.wait(20 * SLOW), 1)
        self.assertIn(b"LISTEN_FDS must pass listening sockets", p.stderr.read())

    def test_a_file_is_no_socket(self):
        with open(self.dir / "file", "w+b") as f:
            p = self.start_activated(f, self.listener("c.sock"))
        self.assertEqual(p.wait(20 * SLOW), 1)

    def test_sockets_of_another_process_are_not_ours(self):
        self.env.update(LISTEN_PID="1", LISTEN_FDS="2")
        self.start_traced()
        self.orma("status")


class Units(unittest.TestCase):
    SOURCE = pathlib.Path(__file__).resolve().parents[3]

    def understood(self, units, *options):
        """By systemd: (the file, the unit's name)."""
        if not shutil.which("systemd-analyze") or not (BUILD / "traced/traced.service").exists():
            self.skipTest("no systemd, or built without its units")
        with tempfile.TemporaryDirectory() as d:
            for file, name in units:
                # The programs are not installed here; everything else is to be checked.
                text = re.sub(r"ExecStart=.+", "ExecStart=/bin/true", file.read_text())
                (pathlib.Path(d) / name).write_text(text)
            made = sorted(str(p) for p in pathlib.Path(d).iterdir())
            done = subprocess.run(["systemd-analyze", *options, "verify", "--man=no", *made], capture_output=True, text=True,
                                  env={**os.environ, "SYSTEMD_UNIT_PATH": f"{d}:", "XDG_RUNTIME_DIR": d}, timeout=60 * SLOW)
            ours = [line for line in done.stderr.splitlines() if d in line or "traced" in line]
            self.assertEqual(ours, [])

    def test_systemd_understands_them(self):
        self.understood([(BUILD / "traced/traced.service", "traced.service"),
                         (BUILD / "traced/traced_probes.service", "traced_probes.service"),
                         (self.SOURCE / "traced/units/traced-producer.socket", "traced-producer.socket"),
                         (self.SOURCE / "traced/units/traced-consumer.socket", "traced-consumer.socket")])

    def test_systemd_understands_those_of_a_user(self):
        self.understood([(BUILD / "traced/user-traced.service", "traced.service"),
                         (self.SOURCE / "traced/units/user/traced-producer.socket", "traced-producer.socket"),
                         (self.SOURCE / "traced/units/user/traced-consumer.socket", "traced-consumer.socket")], "--user")

    def test_they_start_programs_that_know_their_names(self):
        """A package may have the links elsewhere: systemd's @ hands on the name."""
        for unit, name in (("traced.service", "traced"), ("traced_probes.service", "traced_probes"), ("user-traced.service", "traced")):
            file = BUILD / "traced" / unit
            if not file.exists():
                self.skipTest("built without systemd's units")
            start = re.search(r"^ExecStart=(.+)$", file.read_text(), re.M)[1].split()
            self.assertIn((start[0].rpartition("/")[2], start[1:]), [("orma", [name]), (name, [])])
            if start[1:]:
                self.assertTrue(start[0].startswith("@/"), start)
                done = subprocess.run(start[1:] + ["--help"], executable=str(BUILD / "tools/orma"), capture_output=True, text=True, timeout=60)
                self.assertIn(f"Usage: {name}", done.stdout)


if __name__ == "__main__":
    main()
