"""One user of the machine, who may connect, takes all that there is of something: the others go on."""
import http.client
import re
import shutil

from attack import *

STRANGER = 12345
SITS = """
import socket, sys, time
family, address, num = socket.AF_UNIX, sys.argv[1], int(sys.argv[2])
if address.isdigit():
    family, address = socket.AF_INET, ("127.0.0.1", int(address))
held = []
for _ in range(num):
    s = socket.socket(family)
    s.settimeout(5)
    try:
        s.connect(address)
    except OSError:
        break
    held.append(s)
print(len(held), flush=True)
sys.stdin.read()
"""


def few_descriptors(num):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (num, num))


@unittest.skipIf(os.geteuid() != 0 or not shutil.which("setpriv"), "acting as another user needs root and setpriv")
class Share(Attack):
    def sit(self, address, num):
        """Another user holds connections that say nothing."""
        p = self.start("setpriv", f"--reuid={STRANGER}", f"--regid={STRANGER}", "--clear-groups", sys.executable, "-c", SITS,
                       address, num, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096)))
        self.assertTrue(p.stdout.readline())
        return p

    def test_connections_to_the_service(self):
        self.service_args = ("--set-socket-permissions", ":0666::0600")
        self.dir.chmod(0o711)
        self.start_traced(preexec_fn=few_descriptors(400))
        self.sit(self.producer_path, 1000)
        self.assert_serves()
        self.assertLess(self.fd_count(), 200)
        good = self.producer("good")
        self.assertTrue(good.initialized[0])
        self.assertIn("has half of the connections", self.said())
        self.assert_ends()

    def fill(self):
        os.setgroups([])
        os.setgid(STRANGER)
        os.setuid(STRANGER)
        crowd = []
        for i in range(50):
            try:
                p = Producer(self.producer_path, f"p{i}")
                for k in range(70):
                    p.send("register", sub(1, sub(1, f"x{k}") + sub(5, b"\x0a\x00" * 50000)), drop=True)
                p.ask("sync")
                crowd.append(p)
            except (OSError, EOFError):
                pass

    def test_bytes_that_the_service_keeps(self):
        """Descriptors of data sources: 8 MiB of them are allowed to each producer."""
        self.service_args = ("--set-socket-permissions", ":0666::0600")
        self.dir.chmod(0o711)
        self.start_traced()
        before = self.memory_kb()
        pid = os.fork()
        if pid == 0:
            try:
                self.fill()
            finally:
                os._exit(0)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        self.assertIn("makes the service hold 256 MiB", self.said())
        self.assertLess(self.memory_kb() - before, (400 << 10) * (2 if SLOW > 1 else 1))  # sanitizers keep what was freed
        self.assert_serves()
        self.assert_ends()

    def test_connections_to_the_page(self):
        trace = self.dir / "t.json"
        trace.write_text('{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"a"}]}')
        said = open(self.dir / "view.log", "w+b")
        self.addCleanup(said.close)
        for descriptors in (1024, 50):
            server = self.start(ORMA, "view", "--no-open", trace, stdout=subprocess.PIPE, stderr=said,
                                preexec_fn=few_descriptors(descriptors))
            port, token = re.match(r"http://127.0.0.1:(\d+)/#k=([0-9a-f]+)", server.stdout.readline().decode()).groups()
            sitter = self.sit(port, 300)
            for _ in range(5):
                owner = http.client.HTTPConnection("127.0.0.1", int(port), timeout=20 * SLOW)
                owner.request("GET", "/view/info", headers={"X-Orma-Token": token})
                self.assertIn(owner.getresponse().status, (200, 202))
                owner.close()
            self.assertLess(len(os.listdir(f"/proc/{server.pid}/fd")), 300)
            self.assertLess((self.dir / "view.log").stat().st_size, 10000)
            self.end(sitter)
            self.assertIsNone(server.poll())
            self.end(server)


if __name__ == "__main__":
    main()
