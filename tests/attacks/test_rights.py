"""What another user may see and do, where the consumer socket is open to everybody: nothing of root's sessions.
As a user who is not root there is nobody to compare with, and the test is skipped."""
import re
import shutil

import websocket
from attack import *

OTHER = 12345


@unittest.skipIf(os.geteuid() != 0, "acting as two users needs root")
class Rights(Attack):
    service_args = ("--set-socket-permissions", ":0666::0666")

    def setUp(self):
        super().setUp()
        os.chmod(self.dir, 0o755)
        self.start_traced()

    def as_other(self, fn):
        """What fn returns as the other user, in a child; text."""
        r, w = os.pipe()
        child = os.fork()
        if not child:
            try:
                os.setgroups([])
                os.setgid(OTHER)
                os.setuid(OTHER)
                said = repr(fn())
            except BaseException as e:
                said = f"failed: {e!r}"
            os.write(w, said.encode()[:60000])
            os._exit(0)
        os.close(w)
        with os.fdopen(r, "rb") as f:
            said = f.read().decode()
        os.waitpid(child, 0)
        return said

    def secret_session(self):
        c = self.consumer()
        c.enable(config(buffer(), source("x"), sub(22, "secret_name"), num(30, 5)))
        p = self.producer("root")
        p.register("x")
        p.send("commit", move(p.set_up(), chunk(0, 1, [packet(text=b"SECRET")])), drop=True)
        p.ask("sync")
        return c

    def clone(self, what):
        c = Consumer(self.consumer_path)
        c.ask("clone", what)
        found = [b"SECRET" in p for p in c.packets()]
        return "SEEN" if any(found) else "nothing"

    def test_clones(self):
        self.secret_session()
        self.assertEqual(self.clone(num(1, 1)), "SEEN", "root may")
        for what in (num(1, 1), sub(4, "secret_name"), num(1, 2**64 - 1), num(1, 2**64 - 1) + num(3, 1)):
            self.assertNotIn("SEEN", self.as_other(lambda w=what: self.clone(w)))
        self.assert_serves()
        self.assert_ends()

    def test_attach_and_state(self):
        c = self.secret_session()

        def state():
            return Consumer(self.consumer_path).ask("state")

        self.assertIn("secret_name", repr(state()))
        self.assertNotIn("secret_name", self.as_other(state))
        c.ask("detach", sub(1, "key"))

        def attach():
            other = Consumer(self.consumer_path)
            return other.ask("attach", sub(1, "key"))[0], b"SECRET" in b"".join(other.packets())

        self.assertNotIn("True", self.as_other(attach))
        self.assertTrue(attach()[1], "root may")
        self.assert_ends()

    def test_a_detached_session_of_nobody_is_not_taken_by_a_guess(self):
        def detach():
            other = Consumer(self.consumer_path)
            other.enable(config(buffer(), source(), num(3, 3000)))
            return other.ask("detach", sub(1, "mine"))[0]

        self.assertEqual(self.as_other(detach), "1")
        self.assertFalse(any(f == 1 for f, _ in Consumer(self.consumer_path).ask("attach", sub(1, "mine"))[2]))
        self.assert_serves()

    def test_default_sockets_are_for_root(self):
        self.drop_clients()
        self.traced.terminate()
        self.traced.wait()
        self.service_args = ()
        os.umask(0o022)
        self.start_traced()
        self.assertIn("PermissionError", self.as_other(lambda: Consumer(self.consumer_path).ask("capabilities")))
        self.assert_ends()

    def test_the_bridge_is_for_browsers_of_its_user(self):
        """A port on the loopback is everybody's, and whoever is no browser says what origin he likes."""
        bridge = self.start(BUILD / "compat/websocket_bridge", "--port", "0", stderr=subprocess.PIPE)
        port = int(re.search(rb"127\.0\.0\.1:(\d+)", bridge.stderr.readline()).group(1))

        def shake_hands():
            s, head = websocket.connect(port, "/traced", 30 * SLOW)
            s.close()
            return head

        self.assertIn(" 101 ", shake_hands())
        said = self.as_other(shake_hands)
        self.assertNotIn(" 101 ", said)
        self.assertIn(str(OTHER), bridge.stderr.readline().decode())
        r, w = os.pipe()
        child = os.fork()
        if not child:
            try:
                os.setuid(OTHER)
                kept = [socket.create_connection(("127.0.0.1", port)) for _ in range(40)]
                os.write(w, b"%d" % len(kept))
                time.sleep(1000)
            finally:
                os._exit(1)
        os.close(w)
        try:
            with os.fdopen(r, "rb") as f:
                self.assertEqual(f.read(2), b"40")
            self.assertIn(" 101 ", shake_hands(), "others take no places")
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)

    def test_the_advice_of_setcap_can_be_followed(self):
        """setcap takes files, and the program that says so is reached by a link, as `meson install` makes them."""
        shutil.copy(ORMA, self.dir / "orma")
        (self.dir / "traced_probes").symlink_to("orma")
        env = dict(self.env, LD_LIBRARY_PATH=self.env.get("LD_LIBRARY_PATH", ""))
        said = self.as_other(lambda: subprocess.run([self.dir / "traced_probes", "--check"], env=env, cwd=self.dir, capture_output=True,
                                                    check=False).stdout.decode())
        advice = re.search(r"setcap \S+ ([^\s\\']+)", said)
        if not advice:
            self.skipTest(f"nothing is advised here: {said[:200]}")
        self.assertEqual(advice[1], str((self.dir / "orma").resolve()))


if __name__ == "__main__":
    main()
