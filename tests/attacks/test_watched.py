"""Programs that `orma heap` watches and that write into the memory which they share with it: the others are watched as
before, or it is said that something may be missing."""
from attack import *

KEPT = 2 * 200 * 65536  # of all, each as large as the interval: exact


@unittest.skipIf(os.uname().machine not in ("x86_64", "aarch64"), "no heap profiles on this cpu")
class Watched(Attack):
    def vandalize(self, place, offset, value):
        """What the parent kept by the trace, and what was said."""
        out = self.dir / f"out{place}{offset}_{value}"
        done = self.run_program(ORMA, "heap", "-i", "64k", "-o", out, "--", TOOLS / "attack_vandal", place, offset, value)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(b"was changed", done.stdout, (place, offset, value))
        rows = self.run_program(ORMA, "query", "--format=rfc4180", out / "raw-trace", """
            select coalesce(sum(a.size), 0) from heap_profile_allocation a join stack_profile_callsite c on c.id = a.callsite_id
            join stack_profile_frame f on f.id = c.frame_id where f.name in ('keep', 'main') and a.size > 0
            and a.heap_name = 'libc.malloc'""")
        return int(rows.stdout.split()[-1]), done.stderr.decode()

    def values(self):
        return [0, 1, (1 << 64) - 1, (1 << 63) + 8, 1 << 32, self.random.getrandbits(64)]

    def test_pages_of_the_reader(self):
        """Nobody but it can write there (Linux 5.1); nobody notices the attempt."""
        for offset in range(0, 48, 8):
            for value in self.values()[offset // 8:][:1] if not LONG else self.values():
                kept, said = self.vandalize("reader", offset, value)
                self.assertEqual(kept, KEPT, (offset, value, said))

    def test_pages_of_the_programs(self):
        """Each may write there: less than all comes with a word."""
        for offset in range(0, 32, 8):
            for value in self.values()[:times(2, 6)]:
                kept, said = self.vandalize("programs", offset, value)
                self.assertTrue(kept == KEPT or "missing" in said, (offset, value, kept, said))


class Profiles(Attack):
    def test_many_processes_cost_what_they_weigh(self):
        """A file for each, whose names are told apart."""
        many, trace = 40000, self.dir / "t.pftrace"
        tables = sub(1, num(1, 1) + sub(2, "f")) + sub(2, num(1, 1) + num(2, 1) + num(3, 1) + num(4, 64)) + sub(4, num(1, 1) + num(4, 0) + num(5, 4096))
        tables += sub(3, num(1, 1) + num(2, 1))
        dumps = b"".join(sub(5, num(1, i // 2 + 1) + sub(2, num(1, 1) + num(2, 4096) + num(5, 1)) + sub(11, "ab"[i % 2])) for i in range(many))
        clocks = sub(1, num(8, 1) + sub(6, sub(1, num(1, 6) + num(2, 1)) + sub(1, num(1, 4) + num(2, 1))))
        trace.write_bytes(clocks + sub(1, num(8, 1) + num(10, 1) + sub(37, tables + dumps)))
        begun = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = self.run_program(ORMA, "convert", "--output-dir", self.dir / "out", "profile", trace, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr[-1000:])
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begun, 2 * SLOW)
        self.assertEqual(len(list((self.dir / "out").iterdir())), many)


if __name__ == "__main__":
    main()
