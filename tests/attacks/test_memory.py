"""Shared memory that changes while the service reads it, commits that name what is not there, patches beyond
the end, and sessions, reads, clones and flushes all the while. The service must neither crash nor go silent;
a build with sanitizers sees more."""
from attack import *

SIZES = (0, 1, 4, 100, 280, 284, 2032, 4076, 4080, 2**31, 2**32 - 4, 2**32 - 1)


class Memory(Attack):
    def setUp(self):
        super().setUp()
        if "folder" not in self.id():  # sealed memory
            self.env["ORMA_RESCUE_FOLDER"] = "none"
        self.start_traced()
        self.flippers = []

    def new_consumer(self):
        c = self.consumer()
        dice = self.random.choice
        c.enable(config(buffer(dice((4, 64, 1024)), dice((0, 0, 2))), buffer(dice((1, 64, 8192))), source("x"), source("y", 1),
                        dice((b"", num(24, 1))), num(13, dice((0, 50, 200)))))
        c.ask("capabilities")
        return c

    def new_producer(self, seconds):
        dice = self.random.choice
        p = self.producer(f"p{len(self.clients)}", page=dice((4096, 4096, 8192, 32768)), size=dice((65536, 262144, 1 << 20)),
                          scrape=self.random.random() < .6)
        p.register("x", num(9, 1) if self.random.random() < .5 else b"")
        p.register("y")
        p.set_up(2)
        p.targets = p.targets or [1]
        for writer in range(1, 4):
            p.send("writer", num(1, writer) + num(2, dice(p.targets)), drop=True)
        if p.memory:
            path = f"/proc/{os.getpid()}/fd/{p.memory_fd}"
            more = ["punch"] if self.random.random() < .5 else []
            self.flippers.append(self.start(TOOLS / "attack_flip", path, seconds, self.random.randrange(1 << 30), *more))
        return p

    def wild_commit(self, p):
        dice, r = self.random.choice, self.random.randrange
        pages = len(p.memory) // 4096 if p.memory else 1
        out = b""
        for _ in range(r(1, 60)):
            kind = r(20)
            if kind < 12:
                out += sub(1, num(1, dice((r(pages), r(pages), pages, 2**32 - 1))) + num(2, dice((0, 0, 1, 2, 5, 13, 14, 2**31))) +
                           num(3, dice(p.targets + [r(70000)])))
            elif kind < 16:
                patches = b"".join(sub(4, num(1, dice(SIZES)) + sub(2, self.random.randbytes(dice((4, 4, 4, 3, 5)))))
                                   for _ in range(r(4)))
                out += sub(2, num(1, dice(p.targets)) + num(2, r(1, 4)) + num(3, r(64)) + patches + num(5, r(2)))
            elif kind < 18:
                data = struct.pack("<IHH", r(64), r(1, 4), r(65536)) + self.random.randbytes(dice((0, 1, 7, 8, 9, 100, 4000)))
                out += move(dice(p.targets), data[:dice((len(data), 7, 0))], incomplete=r(2))
            elif kind < 19:
                out += sub(90001, num(1, r(1, 4)) + num(2, dice(p.targets)) + num(3, r(2**r(1, 64))) + num(4, r(2**r(1, 64))))
            else:
                out += num(3, r(1, 200))
        return out

    def one_turn(self, consumers, producers, seconds):
        for p in producers:
            for _ in range(10):
                p.send("commit", self.wild_commit(p), drop=True)
        for p in producers:
            p.ask("sync")
            p.pump()
            del p.targets[:-6], p.commands[:]
        c, what = self.random.choice(consumers), self.random.random()
        if what < .4:
            c.packets()
        elif what < .5:
            c.send("flush", num(1, 50), drop=True)
        elif what < .6:
            c.ask("stats")
        elif what < .65:
            c.ask("disable")
        elif what < .75:
            consumers.remove(c)
            c.close()
            consumers.append(self.new_consumer())
        elif what < .85:
            clone = self.consumer()
            clone.send("clone", num(1, self.random.randrange(1, 20)), drop=True)
            clone.send("read", drop=True)
            clone.ask("capabilities")
            clone.close()
        elif what < .9:
            p = self.random.choice(producers)
            producers.remove(p)
            p.close()
            producers.append(self.new_producer(seconds))

    def test_memory_that_changes(self):
        seconds = times(6 * min(SLOW, 2), 600 * SLOW)
        end, turns, again = time.monotonic() + seconds, 0, 0
        consumers, producers = [], []
        while time.monotonic() < end:
            try:
                if not producers:
                    consumers += [self.new_consumer() for _ in range(3)]
                    producers += [self.new_producer(seconds + 5) for _ in range(2)]
                self.one_turn(consumers, producers, seconds + 5)
                turns += 1
            except (EOFError, OSError):
                self.assertIsNone(self.traced.poll(), self.said())
                again += 1  # cut off: that is how it answers nonsense
                self.drop_clients()
                consumers, producers = [], []
        print(f" [{turns} turns, cut off {again} times]", end="", file=sys.stderr, flush=True)
        self.assertGreater(turns, 3)
        for flipper in self.flippers:
            self.assertNotEqual(flipper.poll(), 3, "memory that the service has mapped could be truncated")
            flipper.kill()
            flipper.wait()
        self.drop_clients()
        self.assert_serves()
        self.assert_ends()

    def test_holes_while_committing(self):
        p, c = self.producer(size=1 << 20, page=4096), self.consumer()
        p.register("x")
        c.enable(config())
        target = p.set_up()
        flipper = self.start(TOOLS / "attack_flip", f"/proc/{os.getpid()}/fd/{p.memory_fd}", 1, SEED, "punch")
        moves = b"".join(sub(1, num(1, i) + num(2, 0) + num(3, target)) for i in range(256))
        while flipper.poll() is None:
            p.send("commit", moves, drop=True)
            p.ask("sync")
            c.packets()
        self.assertEqual(flipper.returncode, 0)
        self.assert_serves()
        self.assert_ends()

    @unittest.skipUnless(os.access("/dev/shm", os.W_OK), "needs /dev/shm")
    def test_memory_in_a_folder_that_becomes_smaller(self):
        """Files of the rescue folder have no seals: whoever makes one smaller is cut off, and nobody else feels it."""
        for _ in range(times(6, 300)):
            p, c = self.producer(size=1 << 20, page=4096), self.consumer()
            p.register("x")
            c.enable(config())
            target = p.set_up()
            flipper = self.start(TOOLS / "attack_flip", f"/proc/{os.getpid()}/fd/{p.memory_fd}", 20, self.random.randrange(1 << 30), "punch")
            moves = b"".join(sub(1, num(1, i) + num(2, 0) + num(3, target)) for i in range(256))
            cut_off = False
            for _ in range(2000):
                try:
                    p.send("commit", moves, drop=True)
                    p.ask("sync")
                except (EOFError, OSError):
                    cut_off = True
                    break
                c.packets()
            self.assertTrue(cut_off)
            self.assertEqual(flipper.wait(30 * SLOW), 3, "it could make it smaller")
            self.assertIsNone(self.traced.poll(), self.said())
            self.clients.remove(p)
            p.close()
            c.close()
        self.assert_serves()
        self.assert_ends()

    def test_counts_that_are_lies(self):
        """What some writers say of themselves makes the sums of all neither small nor unreadable."""
        self.env.update(PERFETTO_CONSUMER_SOCK_NAME=str(self.consumer_path))
        (self.dir / "config").write_text('buffers { size_kb: 1024 } data_sources { config { name: "x" } } write_into_file: true')
        recorder = self.start(ORMA, "record", "--allow-unknown", "-c", self.dir / "config", "-o", self.dir / "trace",
                              stderr=subprocess.PIPE)
        p = self.producer(page=4096, size=65536)
        p.register("x")
        target = p.set_up()
        for writer, emitted, dropped in (1, 6, 5), (2, 2**63 - 1, 2**63 - 2), (3, 2**63 - 1, 2**63 - 2), (4, 2**64 - 2, 2**64 - 3):
            p.send("writer", num(1, writer) + num(2, target), drop=True)
            p.send("commit", move(target, chunk(0, writer, [packet(10)])), drop=True)
            p.send("commit", sub(90001, num(1, writer) + num(2, target) + num(3, emitted) + num(4, dropped)), drop=True)
        p.ask("sync")
        recorder.send_signal(signal.SIGINT)
        said = recorder.communicate(timeout=60 * SLOW)[1].decode()
        rows = self.query(self.dir / "trace", "SELECT writer_id AS w, packets FROM loss WHERE reason = 'dropped' ORDER BY 1")
        self.assertEqual([(r["w"], int(r["packets"]) > 2**40) for r in rows], [("1", False), ("2", True), ("3", True), ("4", True)])
        self.assertGreater(int(self.one(self.dir / "trace", "SELECT sum(packets) FROM loss WHERE reason != 'delivered'")), 2**40)
        brief = self.orma("stats", "--brief", self.dir / "trace").stdout.decode()
        for text in brief, said:
            self.assertRegex(text, r"[Ll]ost (at least )?\d{13,} packets \(\d{13,} dropped")
        self.assert_ends()


if __name__ == "__main__":
    main()
