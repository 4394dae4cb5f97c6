"""Descriptors that are no good as trace files: the session says so or goes on, nobody else notices, the
service does not spin, and SIGTERM ends it in time."""
import fcntl

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


if __name__ == "__main__":
    main()
