"""Frames that nobody would send: absurd lengths, halves, random and mutated bytes, descriptors of all kinds and
numbers, memory that is no good, connections by the thousand. The service answers others, and lets go of all."""
import fcntl

from attack import *

SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW if hasattr(fcntl, "F_SEAL_SEAL") else 7
REFUSED = (OSError, EOFError)


class Frames(Attack):
    service_args = ("--enable-relay-endpoint",)

    def setUp(self):
        super().setUp()
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit[1], limit[1]))
        self.env["PERFETTO_RELAY_SOCK_NAME"] = str(self.dir / "r.sock")
        self.start_traced()
        self.before = self.fd_count()

    def raw(self, path=None):
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(5 * SLOW)
        s.connect(str(path or self.random.choice((self.producer_path, self.consumer_path))))
        return s

    def assert_unharmed(self, kb=40000):
        self.drop_clients()
        self.assert_serves()
        self.wait_for("all descriptors to be closed", lambda: self.fd_count() <= self.before)
        if SLOW == 1:
            self.assertLess(self.memory_kb(), kb)
        self.assert_ends()

    def test_lengths(self):
        for path in (self.producer_path, self.consumer_path):
            for length in (0xffffffff, 0x7fffffff, 131073, 131072, 131069, 131068, 1, 0):
                s = self.raw(path)
                try:
                    s.sendall(struct.pack("<I", length) + b"A" * 10)
                    s.sendall(b"\0" * min(length, 131068))
                except OSError:
                    pass  # hung up
                s.close()
        self.assert_unharmed()

    def test_halves_held_open(self):
        held = []
        for i in range(times(300, 2000)):
            s = self.raw()
            s.sendall(struct.pack("<I", 100000) + b"B" * self.random.choice((0, 1, 4000)))
            held.append(s)
        self.assert_serves()
        for s in held:
            s.close()
        self.assert_unharmed()

    def test_byte_by_byte(self):
        s = self.raw(self.consumer_path)
        for b in bind(1, "ConsumerPort") + invoke(2, CONSUMER["capabilities"]):
            s.sendall(bytes([b]))
        self.assertTrue(s.recv(10))
        s.close()
        self.assert_unharmed()

    def samples(self):
        """Good and half-good frames, to be spoilt."""
        out = [bind(1, name) for name in ("ProducerPort", "ConsumerPort", "RelayPort", "", "A" * 100000)]
        for method in range(18):
            for args in (b"", num(1, 1), sub(1, b""), sub(1, "x"), sub(1, sub(1, "x")), num(1, 2**64 - 1), b"\xff" * 20,
                         sub(1, b"\xff" * 50), sub(3, "evil"), sub(1, config()), sub(1, source()),
                         move(1, chunk(0, 1, [packet()])), sub(2, num(1, 1)) + num(3, 1)):
                for service in (0, 1, 2, 2**32 - 1):
                    out.append(invoke(self.random.randrange(2**64), method, args, self.random.random() < .3, service))
        return out

    def spoil(self, data, samples):
        data, dice = bytearray(data), self.random.random()
        if dice < .5:
            for _ in range(self.random.randrange(1, 6)):
                data[self.random.randrange(4, len(data)) if len(data) > 4 else 0] = self.random.randrange(256)
        elif dice < .6:
            data = data[:self.random.randrange(len(data) + 1)]
        elif dice < .7:
            data = frame(bytes(data[4:]) * self.random.randrange(1, 4))
        elif dice < .75:
            other = self.random.choice(samples)
            data = frame(bytes(data[4:4 + self.random.randrange(len(data))]) + other[4 + self.random.randrange(len(other)):])
        return bytes(data)

    def test_random_frames(self):
        samples = self.samples()
        for i in range(times(1500, 100000)):
            s = self.raw()
            try:
                for _ in range(self.random.randrange(1, 30)):
                    s.sendall(self.spoil(self.random.choice(samples), samples))
            except OSError:
                pass
            s.close()
            if i % 500 == 0:
                self.assert_serves()
        self.assert_unharmed(80000)

    def test_descriptors(self):
        r, w = os.pipe()
        epoll = select.epoll()
        kinds = [r, w, epoll.fileno(), os.memfd_create("a"), os.eventfd(0), os.open("/", os.O_RDONLY),
                 os.open("/dev/null", os.O_RDWR), os.open("/dev/zero", os.O_RDWR), os.open("/", os.O_PATH)]
        samples = self.samples()
        for i in range(times(600, 6000)):
            s = self.raw()
            try:
                some = [self.random.choice(kinds) for _ in range(self.random.choice((1, 1, 2, 4, 5, 100, 253)))]
                s.sendmsg([self.random.choice(samples)[:self.random.choice((1, 4, 20, 1000))]], fds(*some))
                s.sendmsg([b"x"], fds(self.random.choice(kinds)))
            except OSError:
                pass
            s.close()
        for i in range(times(50, 500)):  # sockets with sockets in flight
            a, b = socket.socketpair()
            a.sendmsg([b"x"], fds(b.fileno(), r))
            s = self.raw()
            s.sendmsg([b"\0"], fds(b.fileno()))
            for x in (s, a, b):
                x.close()
        self.assert_unharmed()
        for fd in kinds:
            if fd != epoll.fileno():
                os.close(fd)
        epoll.close()

    def test_two_descriptors_for_one_place(self):
        """The second of two must not leak, nor be taken for the first."""
        start = invoke(2, CONSUMER["enable"], sub(1, config(buffer(), source(), INTO_FILE)))
        for i in range(times(100, 1000)):
            c = self.consumer()
            a, b = os.open("/dev/null", os.O_WRONLY), os.memfd_create("b")
            try:
                c.socket.sendmsg([start[:3]], fds(a, b))
                c.socket.sendmsg([start[3:]], fds(b))
            except OSError:
                pass  # hung up on
            os.close(a)
            os.close(b)
            self.drop_clients()
        self.assert_unharmed()

    def memories(self):
        def memory(size, seals=SEALS):
            fd = os.memfd_create("m", os.MFD_ALLOW_SEALING)
            os.ftruncate(fd, size)
            if seals:
                fcntl.fcntl(fd, 1033, seals)
            return fd

        yield "good", memory(1 << 20), 4096, True
        yield "unsealed", memory(1 << 20, 0), 4096, False
        yield "may shrink", memory(1 << 20, 5), 4096, False
        yield "zero", memory(0), 4096, False
        yield "one byte", memory(1), 4096, False
        yield "odd", memory(4097), 4096, False
        yield "too large", memory(1 << 40), 4096, False
        yield "page 0", memory(1 << 20), 0, None
        yield "page 3", memory(1 << 20), 3, False
        yield "page 2^31", memory(1 << 20), 1 << 31, False
        yield "write sealed", memory(1 << 20, 0xf), 4096, False
        yield "a folder", os.open("/", os.O_RDONLY), 4096, False
        yield "a pipe", os.dup(self.pipe[0]), 4096, False
        yield "/dev/zero", os.open("/dev/zero", os.O_RDWR), 4096, False

    def test_memory_of_the_producer(self):
        self.pipe = os.pipe()
        for what, fd, page, good in self.memories():
            with self.subTest(what):
                try:
                    p = Producer(self.producer_path, page=page, size=1 << 20, memory=fd)
                    adopted = bool(last(p.initialized[2], 1, 0))
                    p.close()
                except REFUSED:
                    adopted = False
                if good is not None:
                    self.assertEqual(adopted, good)
                os.close(fd)
        for fd in self.pipe:
            os.close(fd)
        self.assert_unharmed()

    def test_connections(self):
        held = []
        try:
            for _ in range(times(1500, 30000)):
                held.append(self.raw())
        except OSError:
            held.pop().close()  # as many as there may be; one for the good client
        self.assert_serves()
        for s in held:
            s.close()
        self.assert_unharmed()

    def test_floods_of_registrations(self):
        p = self.producer("flood")
        count = times(5000, 100000)
        try:
            for i in range(count):
                p.send("register", sub(1, sub(1, f"ds{i}")), drop=True)
            p.ask("sync")
            for i in range(count):
                p.send("writer", num(1, i) + num(2, 1), drop=True)
            for i in range(3000):
                p.send("triggers", sub(1, f"t{i}"), drop=True)
            for i in range(20000):
                p.send("async")
            p.ask("sync")
        except REFUSED:
            pass  # cut off, as it should be
        self.assert_unharmed(80000)

    def test_clients_that_do_not_read(self):
        for method in ("state", "capabilities", "bugreport"):
            c, p = self.consumer(), self.producer("d")
            for i in range(50):
                p.register(f"y{i}", sub(999, b"z" * 50000))
            c.socket.settimeout(0.5)
            try:
                for i in range(times(20000, 200000)):
                    c.socket.sendall(invoke(i + 5, CONSUMER[method]))
            except REFUSED:
                pass  # cut off, or not read any more
            self.assert_serves()
        self.assert_unharmed(120000)

    def test_sessions_come_and_go(self):
        for i in range(times(300, 3000)):
            c = self.consumer()
            c.enable(config(buffer(65536) * 8, source()))
            if i % 3 == 0:
                c.send("free", drop=True)
                c.enable(config())
            if i % 4 == 0:
                c.send("detach", sub(1, f"key{i % 16}"), drop=True)
            if i % 4 == 1:
                c.send("attach", sub(1, f"key{(i - 1) % 16}"), drop=True)
            if i % 7 == 0:
                c.send("clone", num(1, self.random.randrange(i + 2)), drop=True)
            if i % 5 == 0:
                c.ask("capabilities")
            c.close()
            self.clients.remove(c)
        self.assert_serves()
        self.assertLess(self.memory_kb(), 60000 * SLOW)
        self.assert_ends()


if __name__ == "__main__":
    main()
