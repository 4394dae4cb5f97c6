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


if __name__ == "__main__":
    main()
