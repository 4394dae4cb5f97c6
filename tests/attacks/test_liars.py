"""Services that lie to programs with the SDK, to the probes, and to consumers: memory that shrinks, is not there
or is none, buffers that nobody empties, commands by the thousand, answers of random bytes. Nobody crashes, hangs,
waits longer than his own policy says, or hands control characters to the terminal."""
from liar import *

PAGE = 4
SIZE = 256 << 10
CRASHES = range(-64, 0)


def unsealed(shrinks_to=None, hole=False):
    def tell(c):
        fd = memory(SIZE, 0)
        c.command(SETUP_TRACING, num(1, PAGE), fd)
        c.start()
        time.sleep(0.3)
        if shrinks_to is not None:
            os.ftruncate(fd, shrinks_to)
        if hole:
            libc_punch(fd)
        os.close(fd)
    return tell


def libc_punch(fd):
    import ctypes
    ctypes.CDLL(None).fallocate(fd, 3, ctypes.c_long(0), ctypes.c_long(SIZE))


def given(make, page=PAGE):
    def tell(c):
        fd = make()
        c.command(SETUP_TRACING, num(1, page), fd)
        c.start()
        os.close(fd)
    return tell


def read_only():
    fd = memory(SIZE)
    try:
        return os.open(f"/proc/self/fd/{fd}", os.O_RDONLY)
    finally:
        os.close(fd)


def pipe_end():
    r, w = os.pipe()
    os.close(r)
    return w


def no_memory(c):
    c.command(SETUP_TRACING, num(1, PAGE))
    c.start()


def memory_twice(c):
    for _ in range(50):
        fd = memory(SIZE)
        c.command(SETUP_TRACING, num(1, PAGE), fd)
        os.close(fd)
    c.start()


def never_emptied(c):
    """... and the config says: wait. The program's own policy counts."""
    fd = memory(SIZE)
    c.command(SETUP_TRACING, num(1, PAGE), fd)
    c.start(num(9, 2))
    os.close(fd)


def flips(c):
    """Headers of pages and chunks that change under the writer's hands."""
    dice = random.Random(SEED)
    fd = memory(SIZE)
    c.command(SETUP_TRACING, num(1, PAGE), fd)
    c.start()
    with mmap.mmap(fd, SIZE) as m:
        for _ in range(times(2000, 100000)):
            at = dice.randrange(SIZE // 4096) * 4096 + dice.choice((0, 0, dice.randrange(8, 4088)))
            m[at:at + 8] = dice.choice((dice.randbytes(8), b"\0" * 8, b"\xff" * 8))
            if dice.random() < .1:
                time.sleep(0.0005)
    os.close(fd)


def storm(c):
    dice = random.Random(SEED)
    fd = memory(SIZE)
    c.command(SETUP_TRACING, num(1, PAGE), fd)
    os.close(fd)
    big = (0, 1, 5, 65535, 65536, 1 << 31, (1 << 64) - 1)
    for _ in range(times(1500, 50000)):
        what = num(1, dice.choice(big)) + sub(2, sub(1, dice.choice(c.sources + [b"", b"zz"])) + num(2, dice.choice(big)) +
                                              dice.choice((b"", sub(113, dice.randbytes(30)), num(3, dice.choice(big)))))
        kind = dice.randrange(9)
        if kind < 2:
            c.command((SETUP, START)[kind], what)
        elif kind == 2:
            c.command(STOP, num(1, dice.choice(big)))
        elif kind < 5:
            c.command((FLUSH, CLEAR)[kind - 3], b"".join(num(1, dice.choice(big)) for _ in range(dice.randrange(500))) + num(2, dice.choice(big)))
        elif kind == 5:
            c.command(dice.randrange(30), dice.randbytes(dice.randrange(100)))
        elif kind == 6:
            c.socket.sendall(answer(dice.choice((c.commands, dice.randrange(50))), dice.randbytes(30), 1))
        elif kind == 7:
            c.socket.sendall(frame(dice.randbytes(dice.randrange(60))))
        else:
            c.socket.sendall(frame(b"") * 50)


def hangs_up(c):
    c.socket.shutdown(socket.SHUT_RDWR)


LIES = {
    "memory that is not sealed": unsealed(),
    "memory that vanishes": unsealed(0),
    "memory that shrinks": unsealed(4096),
    "memory with a hole": unsealed(hole=True),
    "sealed, but for shrinking": given(lambda: memory(SIZE, 1 | 4)),
    "no bytes": given(lambda: memory(0)),
    "half a page": given(lambda: memory(SIZE + 1)),
    "more than there is": given(lambda: memory(1 << 40, SEALS)),
    "a pipe": given(pipe_end),
    "a folder": given(lambda: os.open("/", os.O_RDONLY)),
    "zeros without an end": given(lambda: os.open("/dev/zero", os.O_RDWR)),
    "memory to read only": given(read_only),
    "pages of 3 KiB": given(lambda: memory(3 << 16), 3),
    "pages of none": given(lambda: memory(SIZE), 0),
    "pages of 4 TiB": given(lambda: memory(SIZE), (1 << 32) + 4),
    "no memory at all": no_memory,
    "memory again and again": memory_twice,
    "a buffer that nobody empties": never_emptied,
    "headers that change": flips,
    "a storm of commands": storm,
    "an end": hangs_up,
}


class Liars(Attack):
    def lie(self, name, tell):
        """Its own folder, for all lie at the same time."""
        place = self.dir / name.replace(" ", "_")[:20].replace(",", "")
        while place.exists():
            place = place.with_name(place.name + "x")
        place.mkdir()
        liar = Liar(place / "p.sock", PRODUCER_NAMES, tell)
        self.addCleanup(liar.close)
        return place, liar

    def start_at(self, place, *argv):
        self.env["PERFETTO_PRODUCER_SOCK_NAME"] = str(place / "p.sock")
        self.env["PERFETTO_CONSUMER_SOCK_NAME"] = str(place / "c.sock")
        with open(place / "said", "wb") as said:
            return self.start(*argv, stdout=said, stderr=said)

    def check(self, name, place, code, good):
        said = (place / "said").read_text(errors="replace")
        self.assertIn(code, good, f"{name}: ended with {code}\n{said[-2000:]}")
        self.assertNotRegex(said, "runtime error|ERROR: ", name)

    def test_programs(self):
        """0: it had a session; 3: it waited 10 s for one that never came. Its policy is to drop."""
        running = []
        for name, tell in LIES.items():
            place, liar = self.lie(name, tell)
            running.append((name, place, liar, self.start_at(place, TOOLS / "attack_app", place / "counts", "count", 2, 20000, 1)))
        for name, place, liar, program in running:
            try:
                code = program.wait(60 * SLOW)
            except subprocess.TimeoutExpired:
                self.fail(f"{name}: the program hangs")
            self.assertGreater(liar.connections, 0, name)
            self.check(name, place, code, (0, 3))

    def test_sessions_that_end_at_once(self):
        """While threads are getting their place in them: what they got is theirs until they have left it."""
        def tell(c):
            dice = random.Random(SEED)
            fd = memory(4 * SIZE)
            c.command(SETUP_TRACING, num(1, PAGE), fd)
            os.close(fd)
            for i in range(1, times(4000, 100000)):
                what = num(1, i) + sub(2, sub(1, c.sources[0]) + num(2, 1))
                c.command(SETUP, what)
                c.command(START, what)
                if dice.random() < .7:
                    time.sleep(dice.random() * 0.0003)
                c.command(STOP, num(1, i))

        place, _ = self.lie("sessions", tell)
        for policy in (8, 3):
            code = self.start_at(place, TOOLS / "attack_app", place / "counts", "count", policy, 0, times(2, 60)).wait(120 * SLOW)
            self.check("sessions that end at once", place, code, (0, 3))

    def test_probes(self):
        running = []
        for name, tell in LIES.items():
            place, liar = self.lie(name, tell)
            running.append((name, place, liar, self.start_at(place, PROBES)))
        end = time.monotonic() + 60 * SLOW
        while any(not liar.connections for _, _, liar, _ in running) and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(3)
        for name, place, liar, program in running:
            self.assertGreater(liar.connections, 0, name)
            self.assertIsNone(program.poll(), f"{name}: {(place / 'said').read_text()[-2000:]}")
            program.terminate()
        for name, place, _, program in running:
            try:
                code = program.wait(15 * SLOW)  # of the 30 s that a writer waits for memory, one is left at the end
            except subprocess.TimeoutExpired:
                self.fail(f"{name}: SIGTERM does not end the probes")
            self.check(name, place, code, (0,))

    # ---- consumers ----

    def random_message(self, dice, depth=0):
        out = b""
        for _ in range(dice.randrange(7)):
            field, kind = dice.randrange(1, 13), dice.randrange(4)
            if kind == 0:
                out += num(field, dice.choice((0, 1, dice.getrandbits(64), 1 << 63)))
            elif kind == 1 and depth < 4:
                out += sub(field, self.random_message(dice, depth + 1))
            elif kind == 2:
                out += sub(field, dice.choice((b"linux.ftrace", b"\x1b[31m\n\x9b2J\x1b]0;x\x07", b"x" * dice.randrange(5000))))
            else:
                out += sub(field, dice.randbytes(dice.randrange(50)))
        return out

    def reply(self, dice):
        def reply(c, request, method):
            kind = dice.randrange(8)
            if kind < 4:
                for _ in range(dice.randrange(4)):
                    c.socket.sendall(answer(request, self.random_message(dice), 1))
                c.socket.sendall(answer(request, self.random_message(dice), 0, dice.choice((1, 1, 1, 0))))
            elif kind == 4:
                pieces = b"".join(sub(2, sub(1, dice.randbytes(dice.randrange(3000))) + num(2, dice.randrange(2))) for _ in range(5))
                c.socket.sendall(answer(request, pieces, dice.randrange(2)))
            elif kind == 5:
                c.socket.sendall(frame(dice.randbytes(dice.randrange(100))))
            elif kind == 6:
                c.socket.sendall(struct.pack("<I", dice.choice((0, 1 << 31, (1 << 32) - 1, 131073))) + dice.randbytes(50))
            else:
                c.socket.sendall(answer(request + dice.choice((-1, 1)), self.random_message(dice)) + answer(request, b"", 0, 0))
            if dice.random() < .2:
                c.socket.shutdown(socket.SHUT_RDWR)
        return reply

    def test_consumers(self):
        """Who has no answer waits until he is told to end; else each ends by itself."""
        (self.dir / "cfg").write_text('buffers { size_kb: 64 } data_sources { config { name: "track_event" } } duration_ms: 100')
        cfg, compat = self.dir / "cfg", BUILD / "compat"
        for turn in range(times(4, 200)):
            dice = random.Random(f"{SEED} {turn}")
            place = self.dir / f"c{turn}"
            place.mkdir()
            liar = Liar(place / "c.sock", CONSUMER_NAMES, reply=self.reply(dice))
            self.addCleanup(liar.close)
            running = []
            for i, argv in enumerate(((compat / "perfetto", "--query"), (compat / "perfetto", "--query-raw"), (ORMA, "status"),
                                      (compat / "perfetto", "--txt", "-c", cfg, "-o", place / "t0"),
                                      (compat / "perfetto", "--attach=x", "-o", place / "t1"),
                                      (compat / "perfetto", "--clone", "3", "-o", place / "t2"),
                                      (ORMA, "record", "-f", "-q", "-t", "100ms", "-o", place / "t3", "cpu"))):
                at = place / str(i)
                at.mkdir()
                (at / "c.sock").symlink_to(place / "c.sock")
                running.append((argv, at, self.start_at(at, *argv)))
            end = time.monotonic() + 5 * SLOW
            for argv, at, program in running:
                name = " ".join(str(a) for a in argv[:3])
                try:
                    code = program.wait(max(0.1, end - time.monotonic()))
                except subprocess.TimeoutExpired:
                    program.send_signal(signal.SIGTERM)
                    try:
                        code = program.wait(10 * SLOW)
                    except subprocess.TimeoutExpired:
                        program.send_signal(signal.SIGTERM)
                        code = program.wait(10 * SLOW)
                said = (at / "said").read_bytes()
                self.assertTrue(code >= 0 or code == -signal.SIGTERM, f"{name}: {code}\n{said[-2000:]}")
                self.assertNotRegex(said, b"runtime error|ERROR: Address")
                if "--query-raw" not in name:  # that one is bytes
                    self.assertNotRegex(said, rb"\x1b[\[\]]|\x9b", name)


if __name__ == "__main__":
    main()
