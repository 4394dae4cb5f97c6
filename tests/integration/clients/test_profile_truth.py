"""orma profile of programs that measure themselves: its shares are theirs, and its stacks begin in main."""
import json
import re
import shutil

from profile_case import *

CXX = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
RUSTC = shutil.which("rustc")
GO = shutil.which("go")
NODE = shutil.which("node")
HZ = "2999"
# What each program begins with: burn() works, MEASURE(name, code) adds the CPU time of code to a line of the answer.
MEASURING = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static inline unsigned long long clock_of(clockid_t id) { struct timespec t; clock_gettime(id, &t); return t.tv_sec * 1000000000ull + t.tv_nsec; }
static struct { const char *name; unsigned long long ns; } measured[16];
static inline void add_measured(const char *name, unsigned long long ns)
{
    int i = 0;
    while (measured[i].name && strcmp(measured[i].name, name)) i++;
    measured[i].name = name;
    measured[i].ns += ns;
}
#define MEASURE_BY(id, name, code) do { unsigned long long from_ = clock_of(id); code; add_measured(name, clock_of(id) - from_); } while (0)
#define MEASURE(name, code) MEASURE_BY(CLOCK_THREAD_CPUTIME_ID, name, code)
static inline int answer(const char *path)
{
    FILE *out = fopen(path, "w");
    for (int i = 0; measured[i].name; i++) fprintf(out, "%s %llu\n", measured[i].name, measured[i].ns);
    return fclose(out);
}
volatile unsigned long sink;
__attribute__((noinline)) static void burn(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i * i; }
"""
TEMPLATES = MEASURING + r"""
#include <algorithm>
#include <map>
#include <vector>
namespace shop {
template <class T> struct Shelf {
    std::map<T, std::vector<T>> rows;
    __attribute__((noinline)) void fill(int n) { for (int i = 0; i < n; i++) rows[T(i * 31 % 977)].push_back(T(i)); sink += rows.size(); }
};
template <int N> struct Work { __attribute__((noinline)) static void run(unsigned long n) { burn(n); sink += N; } };
static inline __attribute__((always_inline)) void inside(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i ^ sink; }
__attribute__((noinline)) void around(unsigned long n) { inside(n); sink++; }
}
int main(int, char **argv)
{
    for (int i = 0; i < 30; i++) {
        MEASURE("shop::Work<1>::run", shop::Work<1>::run(10000000));
        MEASURE("shop::Work<2>::run", shop::Work<2>::run(4000000));
        MEASURE("shop::around", shop::around(3000000));
        shop::Shelf<int> ints; shop::Shelf<double> doubles;
        MEASURE("shop::Shelf<int>::fill", ints.fill(60000));
        MEASURE("shop::Shelf<double>::fill", doubles.fill(30000));
    }
    return answer(argv[1]);
}
"""
RECURSION = MEASURING + r"""
__attribute__((noinline)) static int down(int n)
{
    volatile char frame[80];
    frame[n % 80] = 1;
    if (!n) { burn(6000000); return 1; }
    return down(n - 1) + frame[n % 80];
}
__attribute__((noinline)) static int even(int n);
__attribute__((noinline)) static int odd(int n) { if (!n) { burn(3000000); return 0; } return even(n - 1) + 1; }
static int even(int n) { if (!n) { burn(3000000); return 0; } return odd(n - 1) + 1; }
int main(int argc, char **argv)
{
    for (int i = 0; i < 30; i++) { MEASURE("down", sink += down(argc + 78)); MEASURE("even", sink += even(argc + 58)); }
    return answer(argv[1]);
}
"""
# The stack becomes deeper than what is copied of it, but works on its way.
CLIMB = MEASURING + r"""
__attribute__((noinline)) static int climb(int n)
{
    volatile char frame[400];
    frame[n % 400] = 1;
    burn(20000);
    return n ? climb(n - 1) + frame[n % 400] : 1;
}
int main(int argc, char **argv)
{
    for (int i = 0; i < 60; i++) MEASURE("climb", sink += climb(398 + argc));
    return answer(argv[1]);
}
"""
LIBRARY = r"""
#include <stddef.h>
extern void burn_here(unsigned long n);
void apply(void (*call)(unsigned long), unsigned long n);
static volatile unsigned long local;
__attribute__((noinline)) static void through(void (*call)(unsigned long), unsigned long n) { char room[200]; room[n % 200] = 1; call(n); local += room[n % 200]; }
void apply(void (*call)(unsigned long), unsigned long n) { through(call, n); for (unsigned long i = 0; i < n; i++) local += i * i; }
"""
USES_LIBRARY = MEASURING + r"""
void apply(void (*call)(unsigned long), unsigned long n);
__attribute__((noinline)) static void callback(unsigned long n) { burn(n); sink++; }
__attribute__((noinline)) static void alone(unsigned long n) { burn(n); sink++; }
int main(int argc, char **argv)
{
    for (int i = 0; i < 30; i++) { MEASURE("apply", apply(callback, 5000000)); MEASURE("alone", alone(5000000)); }
    return answer(argv[1]);
}
"""
KERNEL = MEASURING + r"""
#include <fcntl.h>
#include <unistd.h>
__attribute__((noinline)) static void reading(int fd, char *to) { for (int i = 0; i < 60; i++) sink += read(fd, to, 1 << 20); }
__attribute__((noinline)) static void counting(void) { burn(5000000); sink++; }
int main(int argc, char **argv)
{
    int fd = open("/dev/zero", O_RDONLY);
    char *to = malloc(1 << 20);
    for (int i = 0; i < 40; i++) { MEASURE("reading", reading(fd, to)); MEASURE("counting", counting()); }
    return answer(argv[1]);
}
"""
CONVOY = MEASURING + r"""
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, totals = PTHREAD_MUTEX_INITIALIZER;
static unsigned long long waited, slept;
__attribute__((noinline)) static void queueing(void) { pthread_mutex_lock(&lock); sink++; }
__attribute__((noinline)) static void sleeping(void) { struct timespec t = {0, 5000000}; nanosleep(&t, NULL); sink++; }
static void *rider(void *arg)
{
    unsigned long long from, mine = 0, asleep = 0;
    for (int i = 0; i < 20; i++) {
        from = clock_of(CLOCK_MONOTONIC);
        queueing();
        mine += clock_of(CLOCK_MONOTONIC) - from;
        from = clock_of(CLOCK_MONOTONIC);
        sleeping();
        asleep += clock_of(CLOCK_MONOTONIC) - from;
        pthread_mutex_unlock(&lock);
        usleep(100);
    }
    pthread_mutex_lock(&totals);
    waited += mine; slept += asleep;
    pthread_mutex_unlock(&totals);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, rider, NULL);
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    add_measured("queueing", waited);
    add_measured("sleeping", slept);
    return answer(argv[1]);
}
"""
# Names as rustc makes them: of today (v0), and with a hash.
MANGLED = MEASURING + r"""
__attribute__((noinline)) void legacy(unsigned long n) __asm__("_ZN4mill5grind17h0123456789abcdefE");
__attribute__((noinline)) void modern(unsigned long n) __asm__("_RNvNtCs1234_4mill5stone4turn");
void legacy(unsigned long n) { burn(n); sink++; }
void modern(unsigned long n) { burn(n); sink++; }
int main(int argc, char **argv)
{
    for (int i = 0; i < 30; i++) { MEASURE("mill::grind", legacy(8000000)); MEASURE("mill::stone::turn", modern(4000000)); }
    return answer(argv[1]);
}
"""
RUST = r"""
use std::hint::black_box;
use std::time::Instant;
mod mill {
    pub struct Wheel<T> { pub v: Vec<T> }
    impl<T: Copy + Into<u64>> Wheel<T> {
        #[inline(never)]
        pub fn turn(&self, n: u64) -> u64 { let mut s = 0u64; for i in 0..n { s = std::hint::black_box(s.wrapping_add(i * self.v[(i % 8) as usize].into())); } s }
    }
    #[inline(never)]
    pub fn grind(n: u64) -> u64 { let mut s = 0u64; for i in 0..n { s = std::hint::black_box(s.wrapping_add(i * i)); } s }
}
fn main() {
    let (wheel, mut a, mut b) = (mill::Wheel { v: vec![1u32; 8] }, 0u128, 0u128);
    for _ in 0..30 {
        let t = Instant::now(); black_box(wheel.turn(4_000_000)); a += t.elapsed().as_nanos();
        let t = Instant::now(); black_box(mill::grind(8_000_000)); b += t.elapsed().as_nanos();
    }
    std::fs::write(std::env::args().nth(1).unwrap(), format!("turn {}\nmill::grind {}\n", a, b)).unwrap();
}
"""
FRAME_POINTERS = r"""
volatile unsigned long sink;
#define WORK for (unsigned long i = 0; i < 3000; i++) { sink += i * i; sink ^= i; sink += i >> 3; sink *= 3; sink -= i * 7; }
__attribute__((noinline)) int touch(int n) { sink += (unsigned long)n; return n; }
__attribute__((noinline)) int one(int n) { int r = touch(n); WORK return r + touch(r); }
__attribute__((noinline)) int two(int n) { int r = one(n); WORK return r + touch(r); }
__attribute__((noinline)) int three(int n) { int r = two(n); WORK return r + touch(r); }
__attribute__((noinline)) int main(void) { for (int i = 0; i < 3000; i++) sink += (unsigned long)three(i); return 0; }
__attribute__((used)) void begin(void) { main(); __asm__ volatile("syscall" ::"a"(231), "D"(0)); __builtin_unreachable(); }
__asm__(".globl _start\n.type _start,@function\n_start: xor %ebp,%ebp\n and $-16,%rsp\n call begin\n hlt\n");
"""
# One sample a line, function names root first: what pprof-format of npm sees in a file.
READ_PPROF = r"""
const {Profile} = require(process.argv[1]), bytes = require('fs').readFileSync(process.argv[2]);
const p = Profile.decode(bytes[0] === 0x1f ? require('zlib').gunzipSync(bytes) : bytes);
const text = i => p.stringTable.strings[Number(i)], at = new Map(p.location.map(l => [l.id, l])), named = new Map(p.function.map(f => [f.id, text(f.name)]));
for (const s of p.sample) console.log(JSON.stringify([s.locationId.flatMap(l => at.get(l).line.map(n => named.get(n.functionId))).reverse(), Number(s.value[0])]));
"""

@unittest.skipIf(not COMPILER, "no C compiler")
class ProfileTruth(ProfileCase):
    def run_measured(self, program, *argv):
        """What the program says of itself: nanoseconds by name."""
        truth = self.dir / "truth"
        self.profile(*argv, "--", program, truth)
        return {name: int(ns) for name, ns in (line.rsplit(" ", 1) for line in truth.read_text().splitlines())}

    def collapsed(self, *argv):
        """Names as people read them, root first, without arguments, to how many samples."""
        ret = collections.Counter()
        for line in self.orma("profile", "report", "--format", "collapsed", *argv, self.out).stdout.decode().splitlines():
            stack, num = line.rsplit(" ", 1)
            ret[tuple(re.sub(r"( \(inlined\))|\(.*\)( const)?$", "", name).removeprefix("void ") for name in stack.split(";"))] += int(num)
        return ret

    def check(self, truth, stacks, begin="main", delta=0.03, cut=None):
        """`cut`: the part of the stacks that may lack their outer end, where it is more than a few."""
        total = sum(stacks.values())
        self.assertGreater(total, 200)
        whole = sum(n for stack, n in stacks.items() if begin in stack)
        outside = sum(n for stack, n in stacks.items() if before_or_behind(stack, begin))
        self.assertLessEqual(total - outside - whole, cut * total if cut else few(total), [s for s in stacks if begin not in s and not before_or_behind(s, begin)][:3])
        self.assertLess(outside, 0.1 * total)
        inside = {name: sum(n for stack, n in stacks.items() if any(name in f for f in stack)) for name in truth}
        for name, ns in truth.items():
            share = ns / sum(truth.values())
            noise = 4 * (share * (1 - share) / sum(inside.values())) ** 0.5
            self.assertAlmostEqual(inside[name] / sum(inside.values()), share, delta=max(delta, noise), msg=(name, inside, truth))

    @unittest.skipIf(not CXX, "no C++ compiler")
    def test_templates_and_inlined_functions(self):
        for flags in ("-O2", "-fomit-frame-pointer"), ("-O2", "-fno-omit-frame-pointer"):
            program = self.compile(TEMPLATES, "templates", *flags, compiler=CXX, suffix=".cpp")
            truth = self.run_measured(program, "-F", HZ, "-g", "dwarf")
            stacks = self.collapsed()
            self.check(truth, stacks)
            around = [s for s in stacks if "shop::around" in s]
            self.assertTrue(any("inside" in s for s in around), "inlined, but named")
            for path in self.out.iterdir():
                path.unlink()

    def test_recursion_with_each_of_its_calls(self):
        program = self.compile(RECURSION, "recursion", "-fomit-frame-pointer")
        truth = self.run_measured(program, "-F", HZ)
        stacks = self.collapsed()
        self.check(truth, stacks)
        self.assertTrue(all(s.count("down") == 81 for s in stacks if "down" in s and s[-1] == "burn"))
        self.assertTrue(all(s.count("even") + s.count("odd") == 61 for s in stacks if "even" in s and s[-1] == "burn"))

    def test_stacks_that_grow_beyond_what_is_copied(self):
        program = self.compile(CLIMB, "climb", "-fomit-frame-pointer")
        truth = self.run_measured(program, "-F", HZ)
        stacks = self.collapsed()
        # The outer end comes from the sample before: on a busy machine a stack has grown beyond it by then.
        self.check(truth, stacks, cut=0.2)
        deepest = max(s.count("climb") for s in stacks)
        self.assertGreater(deepest, 300, "170 KB")
        self.assertIn(b"taken from the previous sample", self.orma("profile", "report", self.out).stdout, "said to be a guess")
        for stack in stacks:  # nothing but climb between main and what it calls
            if "climb" in stack:
                first = stack.index("climb")
                self.assertEqual(stack[first:first + stack.count("climb")], ("climb",) * stack.count("climb"))

    def test_a_library_without_frame_pointers(self):
        library = self.compile(LIBRARY, "libapply.so", "-shared", "-fPIC", "-fomit-frame-pointer")
        program = self.compile(USES_LIBRARY, "uses", "-fno-omit-frame-pointer", "-Wl,--no-as-needed", library, f"-Wl,-rpath,{self.dir}")
        truth = self.run_measured(program, "-F", HZ)
        stacks = self.collapsed()
        self.check(truth, stacks)
        inner = [s for s in stacks if "callback" in s]
        self.assertTrue(inner and all(s[s.index("main"):][:4] == ("main", "apply", "through", "callback") for s in inner), inner[:3])

    def test_time_in_the_kernel(self):
        program = self.compile(KERNEL, "kernel", "-fomit-frame-pointer")
        truth = self.run_measured(program, "-F", HZ)
        if not any(len(s) > 1 and "reading" in s and s[-1] != "read" and s[-1] != "reading" for s in self.collapsed()):
            self.skipTest("the kernel's side is not seen here")
        stacks = self.collapsed()
        self.check(truth, stacks)
        reading = {s: n for s, n in stacks.items() if "reading" in s}
        deep = sum(n for s, n in reading.items() if len(s) - s.index("reading") > 3)
        self.assertGreater(deep, 0.9 * sum(reading.values()), "functions of the kernel below read()")

    def test_a_convoy_at_a_lock_and_sleeps(self):
        program = self.compile(CONVOY, "convoy", "-fomit-frame-pointer")
        truth = self.run_measured(program, "--off-cpu")
        done = self.orma("profile", "report", "--off-cpu", "--format", "collapsed", self.out)
        waits = collections.Counter()
        for line in done.stdout.decode().splitlines():
            stack, ns = line.rsplit(" ", 1)
            for name in truth:
                waits[name] += int(ns) if name in stack.split(";") else 0
        if not any(waits.values()):
            self.skipTest("stacks of waits are not seen here")
        for name, ns in truth.items():
            self.assertAlmostEqual(waits[name] / ns, 1, delta=0.03, msg=(name, waits, truth))

    def test_names_as_rust_mangles_them(self):
        program = self.compile(MANGLED, "mangled", "-fomit-frame-pointer")
        truth = self.run_measured(program, "-F", HZ)
        self.check(truth, self.collapsed())

    @unittest.skipIf(not RUSTC, "no rustc")
    def test_rust_itself(self):
        (self.dir / "mill.rs").write_text(RUST)
        for mangling in [], ["-C", "symbol-mangling-version=v0"]:  # what this compiler thinks best, and the newer one
            made = subprocess.run([RUSTC, "-O", "-g", *mangling, "-o", self.dir / "mill", self.dir / "mill.rs"], capture_output=True)
            self.assertEqual(made.returncode, 0, made.stderr)
            truth = self.run_measured(self.dir / "mill", "-F", HZ)
            stacks = self.collapsed()
            self.check(truth, stacks, delta=0.05)  # it measures time, not CPU time
            self.assertTrue(any(any("mill::Wheel" in f for f in s) for s in stacks), "generic types have names")
            for path in self.out.iterdir():
                path.unlink()

    def test_what_keeps_frame_pointers_is_seen(self):
        flags = "-nostdlib", "-static", "-g0"
        for keeps, how in ("-fno-omit-frame-pointer", "UNWIND_FRAME_POINTER"), ("-fomit-frame-pointer", "UNWIND_DWARF"):
            try:
                program = self.compile(FRAME_POINTERS, "alone", keeps, *flags)
            except subprocess.CalledProcessError:
                self.skipTest("no such program can be made here")
            done = self.run_program(ORMA, "profile", "--print-config", "--", program)
            self.assertIn(f"user_frames: {how}", done.stdout.decode(), keeps)
            self.profile("--", program)
            stacks = self.stacks()
            whole = sum(n for s, n in stacks.items() if "main" in s and "begin" in s)
            ours = sum(n for s, n in stacks.items() if not before_or_behind(s))
            self.assertLessEqual(ours - whole, few(ours))
            for path in self.out.iterdir():
                path.unlink()
        script = self.dir / "script"
        script.write_text(f"#!{program}\n")
        done = self.run_program(ORMA, "profile", "--print-config", "--", script)
        self.assertIn("user_frames: UNWIND_DWARF", done.stdout.decode())

    # ---- files for others ----

    def profiled_shares(self):
        program = self.compile(USES_LIBRARY.replace("apply(callback, 5000000)", "callback(5000000)"), "shares")
        truth = self.run_measured(program, "-F", HZ)
        return {("callback" if name == "apply" else name): ns for name, ns in truth.items()}

    def test_go_reads_our_pprof_file(self):
        if not GO or subprocess.run([GO, "tool", "pprof", "-h"], capture_output=True).stderr.startswith(b"go: no such tool"):
            self.skipTest("no go tool pprof")
        truth = self.profiled_shares()
        self.env["HOME"] = str(self.dir)
        done = self.run_program(GO, "tool", "pprof", "-top", "-cum", "-nodecount=100", self.out / "profile.pb")
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = {m[2]: float(m[1]) for m in re.finditer(r"([\d.]+)% +(\S+)$", done.stdout.decode(), re.M)}
        for name, ns in truth.items():
            self.assertAlmostEqual(seen[name] / 100, ns / sum(truth.values()), delta=0.05, msg=seen)

    def test_npm_reads_our_pprof_file(self):
        roots = [os.environ.get("ORMA_NODE_MODULES", ""), "/usr/share/nodejs", "/usr/lib/node_modules", "/usr/local/lib/node_modules"]
        found = [pathlib.Path(r) / "pprof-format" for r in roots if r and (pathlib.Path(r) / "pprof-format").is_dir()]
        if not NODE or not found:
            self.skipTest("no pprof-format of npm (ORMA_NODE_MODULES says where)")
        truth = self.profiled_shares()
        done = self.run_program(NODE, "-e", READ_PPROF, found[0], self.out / "profile.pb")
        self.assertEqual(done.returncode, 0, done.stderr)
        stacks = collections.Counter()
        for stack, num in map(json.loads, done.stdout.decode().splitlines()):
            stacks[tuple(stack)] += num
        self.assertEqual(sum(stacks.values()), sum(self.collapsed().values()), "as many samples as our own report has")
        self.check(truth, stacks)


if __name__ == "__main__":
    main()
