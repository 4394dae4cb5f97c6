"""Descriptors that are no good as trace files: the session says so or goes on, nobody else notices, the
service does not spin, and SIGTERM ends it in time."""
import fcntl
import shutil

from attack import *

STOP_SECONDS = 3
REFUSED = (OSError, EOFError, socket.timeout)


class Stuck(Attack):
    def setUp(self):
        super().setUp()
        self.start_traced()

    def session(self, fd, packets=200, size=3000, more=b""):
        """A session into this file, with data on the way to it. (consumer, request)"""
        c, p = self.consumer(), self.producer("filler")
        request = c.enable(config(buffer(8192), source("x"), INTO_FILE, more), fd=fd)
        p.register("x")
        target = p.set_up(times(1, 3))
        if target is not None:
            for i in range(packets):
                p.send("commit", move(target, chunk(i, 1, [packet(size)])), drop=True)
            p.ask("sync")
        return c, request

    def pipe(self, blocking=True):
        r, w = os.pipe()
        os.set_blocking(w, blocking)
        self.addCleanup(os.close, r)
        return r, w

    def assert_stops(self):
        """SIGTERM counts from here on; the clients stay, as they would."""
        self.traced.terminate()
        try:
            self.traced.wait(STOP_SECONDS * SLOW + 2)
        except subprocess.TimeoutExpired:
            self.fail("SIGTERM did not end the service")
        self.assertEqual(self.traced.returncode, 0, self.said())

    def odd_files(self):
        def opened(path, flags):
            return lambda: os.open(path, flags)

        def no_reader():
            r, w = os.pipe()
            os.close(r)
            return w

        def sealed():
            fd = os.memfd_create("a", os.MFD_ALLOW_SEALING)
            fcntl.fcntl(fd, fcntl.F_ADD_SEALS, 0xf)
            return fd

        def itself(path):
            s = socket.socket(socket.AF_UNIX)
            s.connect(str(path))
            return s.detach()

        def full_socket():
            a, b = socket.socketpair()
            self.addCleanup(b.close)
            a.setblocking(False)
            try:
                while True:
                    a.send(b"x" * 4096)
            except BlockingIOError:
                pass
            a.setblocking(True)
            return a.detach()

        def packets():
            a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            b.close()
            return a.detach()

        readable = self.dir / "readable"
        readable.write_text("x")
        fifo = self.dir / "fifo"
        os.mkfifo(fifo)
        return {"/dev/full": opened("/dev/full", os.O_WRONLY), "read only": opened(readable, os.O_RDONLY),
                "a folder": opened("/", os.O_RDONLY), "O_PATH": opened("/", os.O_PATH), "/dev/null": opened("/dev/null", os.O_WRONLY),
                "epoll": lambda: os.dup(self.epoll.fileno()), "eventfd": lambda: os.eventfd(0),
                "a pipe without reader": no_reader, "a sealed memfd": sealed, "/dev/zero": opened("/dev/zero", os.O_RDWR),
                "append only": lambda: os.open(readable, os.O_WRONLY | os.O_APPEND),
                "a fifo": lambda: os.open(fifo, os.O_RDWR), "the other socket": lambda: itself(self.producer_path),
                "its own socket": lambda: itself(self.consumer_path), "an unconnected socket":
                lambda: socket.socket(socket.AF_UNIX).detach(), "a full socket": full_socket,
                "a socket of packets": packets}

    def test_odd_files(self):
        self.epoll = select.epoll()
        self.addCleanup(self.epoll.close)
        before = self.fd_count()
        for what, make in self.odd_files().items():
            with self.subTest(what):
                fd = make()
                try:
                    self.session(fd, 30)
                except REFUSED:
                    pass  # its own connection may be cut off
                os.close(fd)
                self.drop_clients()
                self.assert_serves()
        # Fifo, sockets: stuck until somebody reads. Others are given up after ten seconds.
        self.wait_for("the descriptors of all of them", lambda: self.fd_count() <= before + 4, seconds=40)
        self.assert_stops()

    def test_the_very_connection(self):
        c = self.consumer()
        c.enable(config(buffer(), source(), INTO_FILE), fd=c.socket.fileno())
        self.assert_serves()
        self.drop_clients()
        self.assert_ends()

    def stuck(self, blocking, kept, sessions=1):
        ends = []
        for _ in range(sessions):
            _, w = self.pipe(blocking)
            self.session(w)
            os.close(w)
            ends.append(w)
        if not kept:
            self.drop_clients()
        self.assert_serves()
        before = self.cpu_ns("all")
        time.sleep(0.5)
        spent = self.cpu_ns("all") - before
        self.assertLess(spent, 250e6, f"{spent / 1e6:.0f} ms of cpu in half a second, for a pipe that takes no data")
        self.assert_stops()

    def test_stuck_pipe(self):
        self.stuck(True, True)

    def test_stuck_pipe_of_a_client_that_left(self):
        self.stuck(True, False)

    def test_stuck_pipe_that_does_not_block(self):
        self.stuck(False, True)

    def test_stuck_pipe_that_does_not_block_of_a_client_that_left(self):
        self.stuck(False, False)

    def test_several_stuck_pipes(self):
        self.stuck(True, False, 3)

    def test_stuck_files_take_no_slot_for_ever(self):
        """Clients leave stuck files behind; a new session of the same user is not refused because of them."""
        for i in range(times(8, 30)):
            _, w = self.pipe(i % 2 == 0)
            try:
                self.session(w, 60)
            except REFUSED:
                pass
            os.close(w)
            self.drop_clients()

        def accepted():
            c, p = self.consumer(), self.producer("new")
            c.enable(config(buffer(), source("x")))
            p.register("x")
            there = p.set_up(0.2) is not None
            self.drop_clients()
            return there

        self.wait_for("a session slot", accepted, 30)
        self.assert_stops()

    def test_a_reader_that_comes_late_gets_everything(self):
        """A pipe that is stuck for a moment is no error: what was kept comes, whole."""
        r, w = self.pipe()
        c, request = self.session(w, 100)
        os.close(w)
        time.sleep(0.5)
        got = bytearray()

        def drain():
            while True:
                piece = os.read(r, 1 << 16)
                if not piece:
                    return
                got.extend(piece)

        reader = threading.Thread(target=drain, daemon=True)
        reader.start()
        c.send("disable", drop=True)
        c.reply(request)
        reader.join(20 * SLOW)
        self.assertFalse(reader.is_alive(), "the file has no end")
        self.assertEqual(sum(f == 1 and b"a" * 2990 in v for f, v in decode(bytes(got))), 100)
        self.assert_ends()

    @unittest.skipIf(os.geteuid() != 0, "mounting a small file system needs root")
    def test_full_disk(self):
        small = self.dir / "small"
        small.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", small], capture_output=True)
        if done.returncode:
            self.skipTest("a tmpfs cannot be mounted here")
        try:
            fd = os.open(small / "trace", os.O_RDWR | os.O_CREAT)
            c, request = self.session(fd, 700)
            os.close(fd)
            self.wait_for("the file to be full", lambda: (small / "trace").stat().st_size > 900000)
            c.send("disable", drop=True)
            _, _, fields = c.reply(request)
            self.assertIn(b"space", last(fields, 3, b"").lower(), f"the session's end says why: {fields}")
            done = self.run_program(SHELL, "-Q", "select value from stats where name in ('tokenizer_skipped_packets') "
                                    "and value > 0", small / "trace")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.split(), [b'"value"'], "the file ends between two packets")
        finally:
            self.drop_clients()
            subprocess.run(["umount", "-l", small], check=True)
        self.assert_serves()
        self.assert_ends()


@unittest.skipIf(SLOW != 1, "sanitizers want to be the first library that is loaded")
class LateToFail(Attack):
    """Some file systems (NFS, FUSE) say only at close() that there was no space: nobody says then that nothing was lost."""
    def test_recordings(self):
        out = self.dir / "t.pftrace"
        self.env |= {"LD_PRELOAD": TOOLS / "libattack_late.so", "LATE_FILE": str(out)}
        for how in ["--stream"], ["--ring"]:
            with self.subTest(how):
                done = self.orma("record", "--private", "-f", *how, "-o", out, "-t", "300ms", "--allow-unknown", "apps", code=1)
                self.assertIn(b"No space left on device", done.stderr)
                self.assertNotIn(b"nothing lost", done.stderr)



class SlowToClose(Attack):
    """Descriptors whose close() waits for whoever made them: a socket with SO_LINGER whose peer does not read, as
    any user can make one. (Files of FUSE and NFS are of this kind, too.)"""
    def setUp(self):
        super().setUp()
        self.start_traced()

    def slow(self):
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)
        s = socket.socket()
        s.connect(listener.getsockname())
        self.peer = listener.accept()[0]
        self.addCleanup(self.peer.close)
        listener.close()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 30000))
        s.setblocking(False)
        try:
            while True:
                s.send(b"x" * 65536)
        except BlockingIOError:
            return s.detach()

    def hand_over(self, client, data, *numbers, flags=0):
        """From here on the service has the only descriptor: else it would be this test that waits."""
        os.kill(self.traced.pid, signal.SIGSTOP)
        client.sendmsg([data], fds(*numbers), flags)
        for fd in numbers:
            os.close(fd)
        os.kill(self.traced.pid, signal.SIGCONT)

    def connected(self, path=None):
        s = socket.socket(socket.AF_UNIX)
        s.connect(str(path or self.producer_path))
        self.addCleanup(s.close)
        return s

    def assert_closing(self, number=1):
        """It is closed somewhere, but not where others wait for it."""
        self.assert_serves()
        self.wait_for("a thread that closes", lambda: any(
            (t / "comm").read_text() == "orma-close\n" for t in self.proc("task").iterdir()))
        self.assert_serves()

    def test_as_memory_of_a_producer(self):
        s = self.connected()
        self.hand_over(s, bind(1, "ProducerPort") + invoke(2, 1, sub(3, "attack") + num(6, 1)), self.slow())
        self.assert_closing()
        self.assert_ends()

    def test_as_a_trace_file_that_nobody_asked_for(self):
        """A config that writes into no file; then without a session: the next file of one, and one for a clone."""
        c = self.connected(self.consumer_path)
        self.hand_over(c, bind(1, "ConsumerPort") + invoke(2, CONSUMER["enable"], sub(1, config())), self.slow())
        self.assert_closing()
        for method in "next_file", "clone":
            c = self.connected(self.consumer_path)
            self.hand_over(c, bind(1, "ConsumerPort") + invoke(2, CONSUMER[method]), self.slow())
            self.assert_closing()
        self.assert_ends()

    def test_never_asked_for(self):
        s, data = self.connected(), bind(1, "ProducerPort")
        self.hand_over(s, data[:5], self.slow())
        self.hand_over(s, data[5:], self.slow())
        self.assert_closing()
        s.close()
        self.assert_ends()

    def test_too_many(self):
        s = self.connected()
        self.hand_over(s, b"\5", *(self.slow() for _ in range(20)))
        self.assert_closing()
        self.assert_ends()

    def test_not_read_any_more(self):
        """They lie in the socket of a connection that ends: the kernel closes them with it."""
        s = self.connected()
        # A frame of that size ends the connection.
        self.hand_over(s, b"\xff" * 4 + b"\0" * 200000, *(self.slow() for _ in range(3)))
        self.assert_closing()
        self.assert_ends()

    def test_out_of_band(self):
        """Such a byte is thrown away by the kernel, with what came along, unless it is asked for."""
        s = self.connected()
        self.hand_over(s, b"x", self.slow(), flags=socket.MSG_OOB)
        s.send(bind(1, "ProducerPort"))
        self.assert_serves()
        s.close()
        self.assert_serves()
        self.assert_ends()

    @unittest.skipIf(os.geteuid() != 0 or not shutil.which("setpriv"), "acting as two users needs root and setpriv")
    def test_of_one_user(self):
        """More and more of them: their user is refused, others are not."""
        os.chmod(self.dir, 0o755)
        os.chmod(self.producer_path, 0o666)
        files = self.fd_count()
        ours, theirs = socket.socketpair()
        child = os.fork()
        if not child:
            try:
                os.setresuid(12345, 12345, 12345)
                for _ in range(30):
                    s = self.connected()
                    numbers = [self.slow() for _ in range(10)]
                    theirs.send(b"1")
                    theirs.recv(1)  # the service stands still
                    s.sendmsg([b"\5"], fds(*numbers))
                    for fd in numbers:
                        os.close(fd)
                    theirs.send(b"2")
                    s.recv(1)
                    s.close()
            except OSError:
                pass
            theirs.send(b"0")
            time.sleep(600)
            os._exit(0)
        try:
            ours.settimeout(60 * SLOW)
            while (now := ours.recv(1)) != b"0":
                os.kill(self.traced.pid, signal.SIGSTOP if now == b"1" else signal.SIGCONT)
                if now == b"1":
                    ours.send(b"1")
            os.kill(self.traced.pid, signal.SIGCONT)
            self.assert_closing()
            self.assertLess(self.fd_count(), files + 100)
            self.producer()
            self.assert_ends()
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


if __name__ == "__main__":
    main()
