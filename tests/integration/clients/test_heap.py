"""orma heap: programs that allocate known sizes, and lose known ones."""
import re
import shutil
import sys

from orma_env import *

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
SOURCE = r"""
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void *kept[200];
static void *volatile small;
__attribute__((noinline)) void lose(void) { for (int i = 0; i < 200; i++) kept[i] = malloc(65536); }
__attribute__((noinline)) void pass(void) { for (int i = 0; i < 200000; i++) { void *volatile p = malloc(100); free(p); } }
__attribute__((noinline)) void lose_little(void) { for (int i = 0; i < 200000; i++) small = calloc(1, 100); }
__attribute__((noinline)) void grow(void) { void *p = NULL; for (int i = 1; i < 40; i++) p = realloc(p, i * 65536); free(p); }
__attribute__((noinline)) void aligned(void) { void *p; if (!posix_memalign(&p, 4096, 1 << 20)) free(p); free(aligned_alloc(64, 1 << 20)); }
static void *run(void *arg) { pass(); return arg; }
int main(int argc, char **argv)
{
    pthread_t t[2];
    lose(); pass(); lose_little(); grow(); aligned();
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    if (argc > 1 && !fork()) { lose(); _exit(0); }
    wait(NULL);
    (void)argv;
    return 5;
}
"""


@unittest.skipIf(not COMPILER or os.uname().machine != "x86_64", "no C compiler, or another cpu")
class Heap(Case):
    def setUp(self):
        super().setUp()
        self.out = self.dir / "out"  # made by the command
        (self.dir / "p.c").write_text(SOURCE)
        subprocess.run([COMPILER, "-O1", "-g", "-fomit-frame-pointer", "-fno-builtin", "-w", "-o", self.dir / "p",
                        self.dir / "p.c", "-pthread"], check=True)

    def sums(self):
        rows = self.query(self.out / "raw-trace", """
            WITH RECURSIVE up(leaf, at) AS (SELECT id, id FROM stack_profile_callsite UNION ALL
              SELECT leaf, c.parent_id FROM up JOIN stack_profile_callsite c ON c.id = at WHERE c.parent_id IS NOT NULL)
            SELECT f.name, sum(a.size) AS live, sum(max(a.size, 0)) AS total, sum(a.count) AS count
            FROM heap_profile_allocation a JOIN up ON up.leaf = a.callsite_id JOIN stack_profile_callsite c ON c.id = up.at
            JOIN stack_profile_frame f ON f.id = c.frame_id GROUP BY 1""")
        return {r["name"]: r for r in rows}

    def test_known_sizes(self):
        done = self.run_program(ORMA, "heap", "-i", "64k", "-o", self.out, "--", "./p")
        self.assertEqual(done.returncode, 5, done.stderr.decode())
        sums = self.sums()
        live = {name: int(r["live"]) for name, r in sums.items()}
        total = {name: int(r["total"]) for name, r in sums.items()}
        self.assertEqual(live["lose"], 200 * 65536, "as large as the interval: exact")
        self.assertEqual(int(sums["lose"]["count"]), 200)
        self.assertAlmostEqual(live["lose_little"], 20e6, delta=20e6 * 4 / (20e6 / 65536) ** 0.5)
        self.assertAlmostEqual(total["pass"], 60e6, delta=60e6 * 4 / (60e6 / 65536) ** 0.5)
        self.assertEqual(live["pass"], 0)
        self.assertEqual((total["grow"], live["grow"]), (65536 * 39 * 40 // 2, 0))
        self.assertEqual((total["aligned"], live["aligned"]), (2 << 20, 0))
        self.assertIn("main", sums)
        self.assertNotIn("report", sums, "our own functions are no part of it")
        said = done.stdout.decode()
        self.assertRegex(said, r"12\.5 MiB +[\d.]+ % +12\.5 MiB +lose")
        self.assertTrue((self.out / "flamegraph.html").exists())
        self.assertTrue(list(self.out.glob("heap_dump.*.libc.malloc.pb")))
        again = self.orma("profile", "report", self.out, "--heap", "allocated").stdout.decode()
        self.assertIn("allocated", again)

    def test_children_count_for_themselves(self):
        done = self.run_program(ORMA, "heap", "-i", "64k", "-d", "100ms", "-o", self.out, "--", "sh", "-c", "./p 1; exit 3")
        self.assertEqual(done.returncode, 3, done.stderr.decode())
        rows = self.query(self.out / "raw-trace", """
            SELECT p.name, count(DISTINCT p.upid) AS n FROM heap_profile_allocation a JOIN process p USING (upid) GROUP BY 1""")
        self.assertEqual({r["name"]: int(r["n"]) for r in rows}["./p"], 2, "it, and what it forked")
        self.assertEqual(int(self.sums()["lose"]["live"]), 2 * 200 * 65536)

    def test_a_program_that_writes_over_the_ring(self):
        """The header says where to go on reading, and what is read: both are the program's to change."""
        (self.dir / "scribble.py").write_text("""
import mmap, os, struct, time
with open(os.environ["ORMA_HEAP_SHARED"], "r+b") as f:
    m = mmap.mmap(f.fileno(), 0)
for tail in (2**24 - 1, 2**24 - 3, 2**64 - 1, 2**63 + 4):
    m[88:96] = struct.pack("<Q", tail)
    time.sleep(0.02)
m[4096:] = bytes([0xff]) * (len(m) - 4096)
time.sleep(0.05)
""")
        done = self.run_program(ORMA, "heap", "-d", "20ms", "-o", self.out, "--", sys.executable, self.dir / "scribble.py")
        self.assertIn(done.returncode, (0, 1), done.stderr.decode())
        self.assertIn("wrote over the shared memory", done.stderr.decode())

    def test_what_cannot_be(self):
        for argv, code, says in (["--", "./nobody"], 127, "not found"), (["-i", "x", "--", "./p"], 2, "bad interval"), \
                ([], 2, "a command must follow"):
            done = self.run_program(ORMA, "heap", *argv)
            self.assertEqual((done.returncode, says in done.stderr.decode()), (code, True), done.stderr)
        static = subprocess.run([COMPILER, "-static", "-w", "-o", self.dir / "s", self.dir / "p.c", "-pthread"],
                                capture_output=True)
        if static.returncode == 0:
            done = self.run_program(ORMA, "heap", "--", "./s")
            self.assertIn(b"statically linked", done.stderr)
            self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    main()
