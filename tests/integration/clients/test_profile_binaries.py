"""orma profile of programs of every make: stripped, of Go, of other C libraries, with stubs, with debug information elsewhere."""
import shutil

from profile_case import *

GO = shutil.which("go")
MUSL = shutil.which("musl-gcc")
BURN = """
volatile unsigned long sink;
__attribute__((noinline)) unsigned long leaf(unsigned long n) { unsigned long x = n | 1; for (long i = 0; i < 30000000; i++) { x ^= x << 13; x ^= x >> 7; } return x; }
"""
# The leaf has no frame, as its compiler leaves those of leaves out.
CALLS = BURN + """
__attribute__((noinline)) unsigned long middle(unsigned long n) { volatile char room[64]; room[n & 63] = 1; return leaf(n) + room[n & 63]; }
__attribute__((noinline)) unsigned long outer(unsigned long n) { volatile char room[64]; room[n & 63] = 1; return middle(n) + room[n & 63]; }
int main(int argc, char **argv) { for (int i = 0; i < 6; i++) sink += outer((unsigned long)i); return 0; }
"""
# Called back by code that has no rules.
SORTS = BURN.replace("30000000", "3000000") + """
#include <pthread.h>
#include <stdlib.h>
static int compare(const void *a, const void *b) { sink += leaf(*(const unsigned *)a); return *(const int *)a - *(const int *)b; }
static void *thread(void *arg) { for (int i = 0; i < 40; i++) sink += leaf((unsigned long)i); return arg; }
int main(void)
{
    int v[20];
    pthread_t t;
    for (int i = 0; i < 20; i++) v[i] = i * 7 % 20;
    pthread_create(&t, NULL, thread, NULL);
    qsort(v, 20, sizeof(*v), compare);
    pthread_join(t, NULL);
    return 0;
}
"""
TINY = "unsigned long tiny(unsigned long n) { return n * 3; }\n"
STUBS = """
unsigned long tiny(unsigned long n);
volatile unsigned long sink;
int main(void) { for (unsigned long i = 0; i < 100000000; i++) sink += tiny(i); return 0; }
"""
GO_PROGRAM = """
package main

import "os"

//go:noinline
func leaf(n int) (x uint64) {
	x = 1
	for i := 0; i < n; i++ {
		x ^= x << 13
		x ^= x >> 7
	}
	return
}

type worker struct{ sum uint64 }

//go:noinline
func (w *worker) work(n int) { w.sum += leaf(n) }

func main() {
	w := &worker{}
	done := make(chan int)
	go func() { w.work(100000000); done <- 1 }()
	<-done
	w.work(100000000)
	if w.sum == 1 {
		os.Exit(1)
	}
}
"""


@unittest.skipIf(not COMPILER, "no C compiler")
class ProfileBinaries(ProfileCase):
    def with_leaf(self, name="leaf"):
        """Stacks that end in it, and how many samples they are."""
        stacks = {s: n for s, n in self.stacks().items() if name in s}
        self.assertGreater(sum(stacks.values()), 50, stacks)
        return stacks

    def share(self, stacks, *names):
        """Of those samples, whose that have these functions one behind the other."""
        hits = sum(n for s, n in stacks.items() if any(s[i:i + len(names)] == names for i in range(len(s))))
        return hits / sum(stacks.values())

    def test_the_caller_of_a_leaf_without_a_frame(self):
        program = self.compile(CALLS, "calls", "-O2", "-fno-omit-frame-pointer", "-momit-leaf-frame-pointer")
        self.profile("--call-graph", "fp", "--", program)
        self.assertGreater(self.share(self.with_leaf(), "main", "outer", "middle", "leaf"), 0.95)

    def test_stubs_are_named_after_what_they_call(self):
        library = self.compile(TINY, "libtiny.so", "-shared", "-fPIC", "-O2")
        for flags in [], ["-fcf-protection=full", "-Wl,-z,ibtplt"], ["-Wl,-z,now"], ["-s"]:
            try:
                program = self.compile(STUBS, "stubs", "-O2", *flags, library, f"-Wl,-rpath,{self.dir}")
            except subprocess.CalledProcessError:
                continue  # not of this linker
            self.profile("--", program)
            names = {s[-1] for s in self.stacks() if s}
            self.assertIn("tiny@plt", names, flags)
            self.assertNotIn("_init", names, flags)
            for path in self.out.iterdir():
                path.unlink()

    @unittest.skipIf(not shutil.which("objcopy") or not shutil.which("strip"), "no objcopy and strip")
    def test_debug_information_elsewhere_of_a_program_without_a_build_id(self):
        program = self.compile(CALLS.replace("unsigned long leaf", "static unsigned long leaf", 1), "calls", "-O2", "-Wl,--build-id=none")
        for command in (["objcopy", "--only-keep-debug", "calls", "calls.debug"], ["strip", "calls"],
                        ["objcopy", "--add-gnu-debuglink=calls.debug", "calls"]):
            self.assertEqual(self.run_program(*command).returncode, 0)
        self.profile("--", program)
        named = self.orma("profile", "report", "--format", "collapsed", self.out).stdout
        self.assertIn(b"main;outer;middle;leaf", named)
        for path in self.out.iterdir():
            path.unlink()
        # A file that was changed meanwhile may be another one.
        self.profile("--", "sh", "-c", f"{program}; touch {program}")
        self.assertNotIn(b"leaf", self.orma("profile", "report", "--format", "collapsed", self.out).stdout)

    @unittest.skipIf(not shutil.which("perf"), "no perf")
    def test_functions_of_perf_data(self):
        """Of a recording of perf's on this machine, as of ours: by the build id of each binary."""
        exe = self.compile(CALLS, "calls", "-fno-omit-frame-pointer")
        done = self.run_program("perf", "record", "-q", "-e", "cpu-clock", "-o", "perf.data", exe)
        if done.returncode:
            self.skipTest("perf does not record here")
        report = self.orma("profile", "report", "perf.data", "-n", "3").stdout.decode()
        self.assertRegex(report, r"\d+ ms  leaf  calls")
        exe.write_bytes(b"another program")
        self.assertNotIn("leaf", self.orma("profile", "report", "perf.data").stdout.decode())

    def test_files_of_a_container_are_not_looked_for_outside_of_it(self):
        inside = self.compile(CALLS, "inside", "-O2", "-s", "-Wl,--build-id=none")
        outside = self.compile(CALLS.replace("leaf", "stranger"), "outside", "-O2", "-Wl,--build-id=none")
        command = ["unshare", "-m", "sh", "-c", f"mount --bind {inside} {outside} && exec {outside}"]
        if not shutil.which("unshare") or self.run_program(*command).returncode:
            self.skipTest("no mount namespaces here")
        self.profile("--", *command)
        named = self.orma("profile", "report", "--format", "collapsed", self.out).stdout
        self.assertIn(b"outside;", named)
        self.assertNotIn(b"stranger", named)

    @unittest.skipIf(not GO, "no Go")
    def test_go(self):
        (self.dir / "hot.go").write_text(GO_PROGRAM)
        self.env |= {"HOME": str(self.dir), "GO111MODULE": "off", "CGO_ENABLED": "0"}
        for flags in [], ["-ldflags", "-s -w"], ["-buildmode=pie", "-ldflags", "-s -w"]:
            made = self.run_program(GO, "build", *flags, "-o", self.dir / "hot", self.dir / "hot.go")
            self.assertEqual(made.returncode, 0, made.stderr)
            for how in "auto", "dwarf":
                self.profile("--call-graph", how, "--", self.dir / "hot")
                stacks = self.with_leaf("main.leaf")
                self.assertGreater(self.share(stacks, "main.main", "main.(*worker).work", "main.leaf"), 0.3, flags)
                self.assertGreater(self.share(stacks, "main.(*worker).work", "main.leaf"), 0.95, flags)
                self.assertLessEqual(sum(n for s, n in stacks.items() if "[truncated]" in s), few(sum(stacks.values())))
                for path in self.out.iterdir():
                    path.unlink()

    @unittest.skipIf(not MUSL, "no musl-gcc")
    def test_a_c_library_without_rules(self):
        for flags in [], ["-static"], ["-static-pie", "-fPIE"]:
            program = self.compile(SORTS, "sorts", "-O2", *flags, compiler=MUSL)
            self.profile("--", program)
            stacks = self.with_leaf()
            below = {s: n for s, n in stacks.items() if "compare" in s}
            self.assertGreater(self.share(below, "compare", "leaf"), 0.95)
            self.assertGreater(sum(n for s, n in below.items() if "main" in s), 0.95 * sum(below.values()), flags)
            self.assertGreater(sum(n for s, n in stacks.items() if "thread" in s), 50)
            self.assertLessEqual(sum(n for s, n in stacks.items() if "[truncated]" in s), few(sum(stacks.values())), flags)
            for path in self.out.iterdir():
                path.unlink()


if __name__ == "__main__":
    main()
