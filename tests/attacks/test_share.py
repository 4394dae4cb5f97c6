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

    def trigger(self, uid, name, times):
        """As another user."""
        pid = os.fork()
        if pid == 0:
            try:
                os.setgroups([])
                os.setgid(uid)
                os.setuid(uid)
                p = Producer(self.producer_path, f"of {uid}")
                for _ in range(times):
                    p.send("triggers", sub(1, name), drop=True)
                p.ask("sync")
            finally:
                os._exit(0)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)

    def test_triggers_of_others(self):
        """A session remembers 1024 of them: a flood of one user, or of several, leaves some to the next."""
        self.service_args = ("--set-socket-permissions", ":0666::0600")
        self.dir.chmod(0o711)
        self.start_traced()
        for mode in 2, 4:  # STOP_TRACING, CLONE_SNAPSHOT
            watch = self.consumer()
            trigger = b"".join(sub(2, sub(1, name) + num(3, 600000)) for name in ("bad", "good"))
            watch.enable(config(buffer(), source(), sub(17, num(1, mode) + trigger + num(3, 600000))))
            watch.ask("capabilities")
            for uid in STRANGER, STRANGER + 1, STRANGER + 2:
                self.trigger(uid, "bad", 3000)
            self.trigger(STRANGER + 3, "good", 5)
            self.producer("of root").ask("triggers", sub(1, "good"))
            watch.ask("flush")
            watch.ask("disable")
            if mode == 2:  # those of the other mode are read in a snapshot
                seen = [decode(value) for p in watch.packets() for field, value in decode(p) if field == 46]
                names = [(last(f, 1), last(f, 3)) for f in seen]
                self.assertEqual(names.count((b"good", STRANGER + 3)), 5)
                self.assertEqual(names.count((b"good", 0)), 1)
                self.assertEqual(names.count((b"bad", STRANGER)), 512)
            watch.ask("free")
        self.assertIn("ignores further triggers", self.said())
        self.assert_serves()
        self.assert_ends()

    def test_triggers_of_a_recording(self):
        """A producer that requests one snapshot after the other, and answers no flush, so that each takes its time: the
        recorder must go on reading what the service tells it, or the service cuts it off."""
        self.start_traced()
        config = self.dir / "c.txt"
        config.write_text("""buffers { size_kb: 1024 } data_sources { config { name: "x" } } trigger_config {
            trigger_mode: CLONE_SNAPSHOT triggers { name: "t" } trigger_timeout_ms: 600000 }""")
        for argv in ((ORMA, "record", "--max-snapshots", "3", "-c", config, "-o", self.dir / "orma"),
                     (BUILD / "compat/perfetto", "--txt", "-c", config, "-o", self.dir / "perfetto")):
            p, out = self.producer(f"for {argv[0].name}"), self.dir / argv[0].name
            p.register("x")
            recorder = self.start(*argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            self.assertIsNotNone(p.set_up())

            def taken():
                p.socket.sendall(invoke(9, PRODUCER["triggers"], sub(1, "t") * 20, drop=True))  # it finds no end
                p.pump()
                return recorder.poll() is not None or (self.dir / f"{out.name}.3").exists() or len(list(self.dir.glob(f"{out.name}.*"))) == 3
            self.wait_for("three snapshots", taken, 60)
            self.assertIsNone(recorder.poll(), "it ended")
            self.end_recorder(recorder)
            p.close()
        self.assert_serves()
        self.assert_ends()

    def end_recorder(self, recorder):
        for _ in range(2):  # the second also ends the snapshot on the way
            recorder.send_signal(signal.SIGINT)
            time.sleep(0.6)
        said = recorder.communicate(timeout=60 * SLOW)[1].decode()
        self.assertNotRegex(said, "went away|not found|session ended")


if __name__ == "__main__":
    main()
