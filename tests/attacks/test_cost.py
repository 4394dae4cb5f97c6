"""One client asks for as much work as it can. The service may refuse it, or do the work in turns: between a
question of another client and its answer it computes no longer than TURN_NS. What counts is the CPU time of
its loop, so a busy machine changes nothing."""
import mmap

from attack import *

FAULTS_MS = 20  # 4,096 pages that are touched first, where a fault costs no more than elsewhere: 2 ms


def slowness_of_memory():
    """1, or up to 4 on a machine whose page faults are slow (nested paging): answers of megabytes are mostly faults there."""
    begin = time.process_time_ns()
    with mmap.mmap(-1, 16 << 20) as memory:
        for at in range(0, 16 << 20, 4096):
            memory[at] = 1
    return min(4, max(1, (time.process_time_ns() - begin) / 1e6 / FAULTS_MS))


# The aim is 20 ms on a free core. Caches that others use, and a slower core, take their part of the rest.
TURN_NS = int(100e6 * SLOW * slowness_of_memory())
SLOW_REGEX = "(a|aa)+[bc]"
LONG_NAME = "a" * 120 + "!"


class Cost(Attack):
    def setUp(self):
        super().setUp()
        self.start_traced()
        self.watch = Watch(self)
        self.assertTrue(self.watch.wait_for_answers(5))

    def check(self):
        """The watcher is served while the attack lasts and after it, and the service computed in turns."""
        served = self.watch.wait_for_answers(10, 20)
        for c in self.clients:  # has it begun with what they sent last?
            if served:
                self.settle(c)
        self.drop_clients()
        served = served and self.watch.wait_for_answers(10, 20)
        self.watch.stop(5)
        worst = self.watch.worst_ns
        print(f" [{worst / 1e6:.1f} ms cpu at worst]", end="", file=sys.stderr, flush=True)
        self.assertIsNone(self.watch.error, self.said())
        self.assertTrue(served, "the other client gets answers no more")
        self.assertLess(worst, TURN_NS)
        self.assert_serves()
        self.assert_ends()

    def settle(self, client):
        client.socket.settimeout(times(0.5, 5) * SLOW)
        try:
            client.ask("sync" if isinstance(client, Producer) else "capabilities")
        except (OSError, EOFError):
            pass  # cut off, or still at work: the watcher says whether that hurts

    def flood(self, client, data):
        """Sends what there is room for, for as long as the service takes it."""
        client.socket.settimeout(5 * SLOW)
        try:
            client.socket.sendall(data)
        except OSError:
            pass  # cut off, or not read in time: both are answers

    def test_regex_of_one_source(self):
        self.producer(LONG_NAME).register("x")
        for number in (6000, 1000):
            self.consumer().enable(config(buffer(), source(entry=sub(3, SLOW_REGEX) * number)))
        self.check()

    def test_regexes_of_many_entries(self):
        p = self.producer(LONG_NAME)
        for _ in range(50):
            p.register("x")
        for prefix in ("", "a?"):
            entries = b"".join(source(entry=b"".join(sub(3, f"{prefix}(a|aa)+[bc]{i}{k}") for k in range(20)))
                               for i in range(500))
            self.consumer().enable(config(buffer(), entries))
        self.check()

    def test_regex_of_many_sources(self):
        p = self.producer(LONG_NAME)
        for _ in range(times(200, 4000)):
            p.register("x")
        for number in (6000, 1000):
            self.consumer().enable(config(buffer(), source(entry=sub(3, SLOW_REGEX) * number)))
        self.check()

    def test_regexes_that_differ(self):
        p = self.producer(LONG_NAME)
        for _ in range(50):
            p.register("x")
        for number in (6000, 1000):
            entry = b"".join(sub(3, f"(a|aa)+[bc]{i}") for i in range(number))
            self.consumer().enable(config(buffer(), source(entry=entry)))
        self.check()

    def test_regexes_in_changes(self):
        p, c = self.producer(LONG_NAME), self.consumer()
        p.register("x")
        c.enable(config(buffer(), source(entry=sub(2, "nobody"))))
        for _ in range(20):
            c.send("change", sub(1, source(entry=sub(3, SLOW_REGEX) * 4000)), drop=True)
        self.check()

    def test_names_in_changes(self):
        p, c = self.producer("p"), self.consumer()
        p.register("x")
        c.enable(config(buffer(), source(entry=sub(2, "nobody"))))
        for i in range(times(50, 300)):
            entry = b"".join(sub(2, f"{i}_{k}_{'y' * 1000}") for k in range(100))
            c.send("change", sub(1, source(entry=entry)), drop=True)
        self.check()

    def test_semaphores(self):
        for number in (9000, 9000, 250, 250, 250):
            names = b"".join(sub(39, sub(1, f"{i:x}") + num(2, 1 << 20)) for i in range(number))
            self.consumer().enable(config(buffer(64), source(), names))
        self.check()

    def test_triggers(self):
        for number in (16000, 16000, 1000, 1000, 1000):
            names = b"".join(sub(2, sub(1, f"{i:x}")) for i in range(number))
            self.consumer().enable(config(buffer(), source(), sub(17, num(1, 1) + names + num(3, 1000))))
        self.check()

    def test_triggers_activated(self):
        names = b"".join(sub(2, sub(1, f"{i:x}")) for i in range(1000))
        for _ in range(5):
            c = self.consumer()
            c.enable(config(buffer(64), source(), sub(17, num(1, 1) + names + num(3, 1000000))))
            c.ask("capabilities")
        p = self.producer()
        for _ in range(times(2, 10)):
            p.send("triggers", sub(1, "zz") * 30000, drop=True)
        p.send("triggers", b"".join(sub(1, f"{i:x}") for i in range(20000)), drop=True)
        self.check()

    def test_statistics_of_many_sequences(self):
        c = self.consumer()
        c.enable(config(buffer(1 << 18), source()))
        c.ask("capabilities")
        for k in range(times(2, 6)):
            p = self.producer(f"p{k}")
            p.register("x")
            target = p.set_up()
            for block in range(0, 32000, 2000):
                p.send("commit", b"".join(move(target, chunk(0, w, [packet(text=b"abc")]))
                                          for w in range(block + 1, block + 2001)), drop=True)
            p.ask("sync")
        self.flood(c, b"".join(invoke(100 + i, CONSUMER["stats"], drop=True) for i in range(8000)))
        self.check()

    def scraped(self, producers, size):
        c = self.consumer()
        c.enable(config(buffer(1 << 14), source()))
        c.ask("capabilities")
        for k in range(producers):
            p = self.producer(f"p{k}", page=4096, size=size, scrape=True)
            p.register("x", num(9, 1))  # no_flush: the service looks for itself
            target = p.set_up()
            p.ask("writer", num(1, 1) + num(2, target))
            for i in range(len(p.memory) // 4096):
                struct.pack_into("<II", p.memory, i * 4096, 1 << 28 | 3, 0)
                struct.pack_into("<IHH", p.memory, i * 4096 + 8, i, 1, 1)
                p.memory[i * 4096 + 16:i * 4096 + 22] = b"\x05\x2a\x03abc"
        return c

    def test_scraping(self):
        c = self.scraped(times(2, 4), 32 << 20)
        self.flood(c, b"".join(invoke(100 + i, CONSUMER["flush"], num(1, 10), drop=True) for i in range(1000)))
        self.check()

    def test_state_of_many_sources(self):
        for k in range(times(8, 20)):
            p = self.producer(f"p{k}")
            for i in range(80):
                p.register(f"x{i}", sub(999, b"z" * 100000))
        c = self.consumer()
        self.flood(c, b"".join(invoke(100 + i, CONSUMER["state"], drop=True) for i in range(5000)))
        self.check()

    def test_entries_that_match_nothing(self):
        for k in range(times(2, 10)):
            p = self.producer(f"p{k}")
            for i in range(4000):
                p.send("register", sub(1, sub(1, f"{'x' * 18}{i}")), drop=True)
            p.ask("sync")
        for number in (5000, 500):
            self.consumer().enable(config(buffer(64), source("x" * 14) * number))
        self.check()

    def test_entries_that_match_everything(self):
        p = self.producer()
        for _ in range(64):
            p.register("x")
        for number in (10000, 500):
            self.consumer().enable(config(buffer(64), source("x") * number))
        self.check()

    def test_clones(self):
        c, p = self.consumer(), self.producer(size=1 << 20, page=4096)
        c.enable(config(buffer(1 << 16), source()))
        p.register("x")
        target = p.set_up()
        for i in range(times(100, 600)):
            p.send("commit", move(target, chunk(i, 1, [packet(60000)])), drop=True)
        p.ask("sync")
        for _ in range(20):
            self.consumer().send("clone", num(1, 1), drop=True)
        self.check()

    # Just inside the limits of docs/service.md (rule 25), where nothing is refused.

    def slow_patterns(self, field):
        return [sub(field, f"{i}?{SLOW_REGEX}") for i in range(128)]

    def test_regexes_at_the_limit(self):
        for k in range(times(10, 50)):
            p = self.producer(LONG_NAME)
            for _ in range(20):
                p.register("x")
        entry = b"".join(self.slow_patterns(3))
        for _ in range(5):
            self.consumer().enable(config(buffer(64), source(entry=entry) * 20))
        p = self.producer(LONG_NAME)  # and once everybody is there
        for _ in range(50):
            p.register("x")
        self.check()

    def test_triggers_at_the_limit(self):
        patterns = self.slow_patterns(2)  # producer_name_regex
        names = b"".join(sub(2, sub(1, f"{i:x}") + patterns[i % 128] + num(3, 1)) for i in range(1024))
        for _ in range(5):
            c = self.consumer()
            c.enable(config(buffer(64), source(), sub(17, num(1, 4) + names + num(3, 1000000))))
            c.ask("capabilities")
        p = self.producer(LONG_NAME)
        for _ in range(times(5, 50)):
            p.send("triggers", b"".join(sub(1, f"{i % 1024:x}") for i in range(20000)), drop=True)
        self.check()

    def test_large_configs_for_many_sources(self):
        for k in range(times(5, 20)):
            p = self.producer(f"p{k}")
            for _ in range(times(100, 1000)):
                p.send("register", sub(1, sub(1, "x")), drop=True)
            p.ask("sync")
        for _ in range(5):
            self.consumer().enable(config(buffer(64), source(more=sub(999, b"z" * 100000))))
        self.check()

    def test_start_and_stop_of_many_sources(self):
        for k in range(times(5, 20)):
            p = self.producer(f"p{k}")
            for _ in range(times(200, 1000)):
                p.send("register", sub(1, sub(1, "x")), drop=True)
            p.ask("sync")
        for more in (b"z", b"z" * 50000):
            for _ in range(2):
                c = self.consumer()  # deferred_start
                c.enable(config(buffer(64), source(more=sub(999, more)), num(12, 1)))
                c.ask("capabilities")
                c.send("start", drop=True)
                c.ask("capabilities")
                c.send("disable", drop=True)
                c.ask("capabilities")
        self.check()

    def test_flushes_of_many_producers(self):
        c = self.consumer()
        c.enable(config(buffer(64), source()))
        c.ask("capabilities")
        for k in range(times(50, 200)):
            p = self.producer(f"p{k}")
            p.register("x")
        self.flood(c, b"".join(invoke(100 + i, CONSUMER["flush"], num(1, 1 + i % 500), drop=True)
                               for i in range(5000)))
        self.check()

    def test_periods_of_a_millisecond(self):
        for k in range(times(20, 100)):
            self.producer(f"p{k}").register("x", num(4, 1))
        for _ in range(5):
            self.consumer().enable(config(buffer(64), source(), num(13, 1), sub(21, num(1, 1)),
                                          sub(20, num(6, 1))))
        self.check()

    def test_commits_of_many_moves(self):
        c, p = self.consumer(), self.producer(size=1 << 20, page=4096)
        c.enable(config(buffer(1 << 12), source()))
        p.register("x")
        target = p.set_up()
        moves = sub(1, num(1, 0) + num(2, 0) + num(3, target)) * 12000
        patches = sub(2, num(1, target) + num(2, 1) + num(3, 1) + sub(4, num(1, 4) + sub(2, b"abcd")) * 4) * 2000
        for _ in range(20):
            p.send("commit", moves, drop=True)
            p.send("commit", patches, drop=True)
        self.check()

    def test_small_frames(self):
        """A storm of the smallest questions."""
        for method in ("capabilities", "attach", "start", "disable"):
            c = self.consumer()
            self.flood(c, b"".join(invoke(100 + i, CONSUMER[method], drop=True) for i in range(30000)))
        self.check()


if __name__ == "__main__":
    main()
