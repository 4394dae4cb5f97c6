"""orma profile of known programs: whose samples, under which names, with which stacks."""
import ctypes.util
import functools
import http.server
import re
import shutil
import threading

from profile_case import *

DEBUGINFOD = ctypes.util.find_library("debuginfod")
SHARES = r"""
#include <stdio.h>
#include <stdlib.h>
volatile unsigned long sink;
static volatile int depth = 40;
__attribute__((noinline)) void spin(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i * i; }
__attribute__((noinline)) void fifty(void) { spin(25000000); sink++; }
__attribute__((noinline)) void thirty(void) { spin(15000000); sink++; }
__attribute__((noinline)) int down(int n) { if (!n) { spin(10000000); return 1; } return down(n - 1) + n; }
static int compare(const void *a, const void *b) { spin(20); return *(const int *)a - *(const int *)b; }
__attribute__((noinline)) void sorting(void)
{
    static int v[20000];
    for (int i = 0; i < 20000; i++) v[i] = (i * 7919) % 100003;
    qsort(v, 20000, sizeof(*v), compare);
    sink++;
}
int main(int argc, char **argv)
{
    for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 8); i++) { fifty(); thirty(); sink += down(depth); sorting(); }
    return 7;
}
"""
THREADS = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
volatile unsigned long sink;
static void *run(void *arg)
{
    char name[16];
    snprintf(name, sizeof(name), "worker-%ld", (long)arg);
    pthread_setname_np(pthread_self(), name);
    for (unsigned long i = 0; i < 60000000; i++) sink += i;
    return NULL;
}
int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++) pthread_create(&t[i], NULL, run, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
}
"""
SHORT = r"""
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
volatile unsigned long sink;
int main(int argc, char **argv)
{
    for (int i = 0; i < atoi(argv[1]); i++) {
        pid_t child = argc > 2 ? vfork() : fork();
        if (!child) {
            if (argc > 2) _exit(0);
            for (int k = 0; k < 20000; k++) sink += k;
            _exit(0);
        }
        waitpid(child, 0, 0);
    }
}
"""
MAKER = r"""
#include <pthread.h>
static void *run(void *arg) { return arg; }
int main(void)
{
    pthread_t t;
    for (int i = 0; i < 12000; i++) if (!pthread_create(&t, NULL, run, NULL)) pthread_join(t, NULL);
}
"""
WAITS = r"""
#include <time.h>
#include <pthread.h>
#include <unistd.h>
#include <sys/wait.h>
volatile unsigned long sink;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) void sleeping(void)
{
    struct timespec t = {0, 40000000};
    for (int i = 0; i < 10; i++) nanosleep(&t, NULL);
    sink++;
}
__attribute__((noinline)) void piping(void)
{
    int p[2]; char c;
    if (pipe(p)) return;
    if (!fork()) { usleep(200000); _exit(write(p[1], "x", 1) != 1); }
    sink += (unsigned long)read(p[0], &c, 1);
    wait(NULL);
}
__attribute__((noinline)) static void *blocked(void *arg) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); sink++; return arg; }
int main(void)
{
    pthread_t t;
    sleeping();
    piping();
    pthread_mutex_lock(&lock);
    pthread_create(&t, NULL, blocked, NULL);
    usleep(300000);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
}
"""
JIT = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static const unsigned char code[] = {0xb9, 0, 0, 0, 0x30, 0xff, 0xc9, 0x75, 0xfc, 0xc3}; /* counts down from 3 << 28 */
int main(int argc, char **argv)
{
    char path[64], name[] = "made_while_it_ran";
    int dump = argc > 1 && !strcmp(argv[1], "dump"), late = argc > 1 && !dump;
    snprintf(path, sizeof(path), dump ? "jit-%d.dump" : "/tmp/perf-%d.map", (int)getpid());
    int fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0644);
    unsigned char *at = mmap(NULL, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(at, code, sizeof(code));
    if (dump) {
        uint32_t head[10] = {0x4a695444, 1, 40, 62, 0, (uint32_t)getpid()};
        uint64_t load[7] = {(uint64_t)(sizeof(load) + sizeof(name) + sizeof(code)) << 32, 1, 0, (uintptr_t)at, (uintptr_t)at, sizeof(code), 1};
        if (write(fd, head, 40) < 0 || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED) return 1;
        if (write(fd, load, sizeof(load)) < 0 || write(fd, name, sizeof(name)) < 0 || write(fd, code, sizeof(code)) < 0) return 1;
    }
    for (int i = 0; i < 2; i++) {
        if (!dump && i == late) dprintf(fd, "%lx %lx %s\n", (unsigned long)(uintptr_t)at, (unsigned long)sizeof(code), name);
        if (!i) ((void (*)(void))(uintptr_t)at)();
    }
    if (!late) unlink(path);
    return 0;
}
"""
INLINED = r"""
volatile unsigned long sink;
static inline __attribute__((always_inline)) void inside(void) { for (unsigned i = 0; i < 1000; i++) sink += i * sink; }
__attribute__((noinline)) void around(void) { for (int i = 0; i < 200000; i++) inside(); }
int main(void) { around(); return 0; }
"""
def build_id(path):
    """Of an ELF file, in hexadecimal."""
    found = re.search(rb"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0(.{20})", path.read_bytes(), re.S)
    return found.group(1).hex() if found else ""


FAULTS = """
    #include <sys/mman.h>
    static __attribute__((noinline)) void first(volatile char *at, long n) { while (n--) at[n * 4096] = 1; }
    static __attribute__((noinline)) void rest(volatile char *at, long n) { while (n--) at[n * 4096] = 1; }
    int main(void)
    {
        for (int i = 0; i < 20; i++) {
            char *at = mmap(0, 4096 * 4000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            madvise(at, 4096 * 4000, MADV_NOHUGEPAGE);
            if (!i)
                first(at, 1000);
            rest(at, 4000);
            munmap(at, 4096 * 4000);
        }
        return 0;
    }"""

# perf's spelling, and what becomes of it.
EVENTS = {
    "page-faults:u": "counter: SW_PAGE_FAULTS modifiers: EVENT_MODIFIER_COUNT_USERSPACE",
    "cpu-clock:ukh": "EVENT_MODIFIER_COUNT_KERNEL modifiers: EVENT_MODIFIER_COUNT_HYPERVISOR",
    "dummy": "counter: SW_DUMMY", "cs,migrations": "counter: SW_CPU_MIGRATIONS",
    "cycles:ppp": 'modifiers: "ppp"', "cycles:HP": 'modifiers: "HP"', "instructions/period=12345/k": "period: 12345",
    "branches/freq=77,name=b/": 'counter: HW_BRANCH_INSTRUCTIONS name: "b"', "cpu-clock//": "counter: SW_CPU_CLOCK",
    "LLC-store-misses": "type: 3 config: 0x10102", "l1d-read-miss": "type: 3 config: 0x10000",
    "L1-dcache": 'type: 3 config: 0x0 } name: "L1-dcache"', "iTLB-loads": "type: 3 config: 0x4",
    "r1a2": "type: 4 config: 0x1a2", "r1a3:u": "config: 0x1a3 }", "1:0xb": "type: 1 config: 0xb", "bpf-output": "type: 1 config: 0xa",
    "mem:0x401000/8:w": "type: 5 config: 2 config1: 0x401000 config2: 8", "mem:0x402000:x": "config: 4 config1: 0x402000",
    "{faults:u,task-clock}:k": "counter: SW_TASK_CLOCK modifiers: EVENT_MODIFIER_COUNT_KERNEL",
    "{cpu-clock,minor-faults,cs}:S": "followers { counter: SW_PAGE_FAULTS_MIN }",
    "{major-faults},{alignment-faults,emulation-faults}": "counter: SW_EMULATION_FAULTS",
}
# What is wrong, where, and what is said.
BAD_EVENTS = [
    ("page-fault", 0, "did you mean 'page-faults'?"), ("cs,cycels:u", 3, "did you mean 'cycles'?"), ("", 0, "expected the name"),
    ("cs,", 3, "expected the name"), ("cs:x", 3, "unknown modifier 'x'"), ("cs:uu", 4, "is given twice"), ("cs:pppp", 6, "is given twice"),
    ("cs:", 3, "expected a modifier"), ("cs/foo=1/", 3, "unknown term 'foo'"), ("cs/period=1,freq=x/", 12, "bad value 'x'"),
    ("cs/period=0/", 3, "above 0"), ("cs/period=1", 3, "expected '/'"), ("{cs,faults", 0, "missing '}'"), ("cs}", 2, "expected ','"),
    ("L1-icache-stores", 0, "unknown event"), ("mem:zz", 4, "expected an address"), ("mem:0x10/3", 4, "1, 2, 4 or 8 bytes"),
    ("duration_time", 0, "not sampled"), ("a.o", 0, "BPF"), ("cs/overwrite/", 3, "not supported"),
]


@unittest.skipIf(not COMPILER, "no C compiler")
class ProfileLive(ProfileCase):
    def check_shares(self):
        stacks = self.stacks()
        total = sum(stacks.values())
        self.assertGreater(total, 40)
        ours = sum(n for s, n in stacks.items() if not before_or_behind(s))
        cut = ours - sum(n for s, n in stacks.items() if "main" in s)
        self.assertLessEqual(cut, few(ours), "stacks that do not reach main")
        inside = {f: sum(n for s, n in stacks.items() if f in s) for f in ("fifty", "thirty", "down", "sorting")}
        spun = inside["fifty"] + inside["thirty"] + inside["down"]
        for function, share in ("fifty", 0.5), ("thirty", 0.3), ("down", 0.2):
            noise = 4 * (share * (1 - share) / spun) ** 0.5
            self.assertAlmostEqual(inside[function] / spun, share, delta=max(noise, 0.03), msg=function)
        deep = [s for s in stacks if "down" in s]
        self.assertTrue(deep and all(s.count("down") == 41 for s in deep if s[-1] == "spin"), "each call is there")
        self.assertTrue(any("sorting" in s and "compare" in s for s in stacks), "through the C library and back")

    def test_a_command_alone_without_frame_pointers(self):
        program = self.compile(SHARES, "shares", "-fomit-frame-pointer")
        self.profile("--", program, code=7)
        rows = self.rows()
        self.assertEqual({(r["process"], r["thread"]) for r in rows}, {(str(program), "shares")})
        self.check_shares()

    def test_what_earlier_children_used_is_not_the_command_s(self):
        """A shell that has had children becomes orma: the kernel adds them up for it."""
        burns = self.compile("int main(void) { for (volatile unsigned long i = 0; i < 100000000; i++); return 0; }", "burns")
        done = self.run_program("sh", "-c", f'"{burns}"; "{burns}"; exec "$@"', "sh", ORMA, "profile", "-o", self.dir / "out", "--", burns)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        for share in re.findall(rb"explain (\d+) %", done.stderr):  # hosts that stop the machine take some
            self.assertGreater(int(share), 50, "a third would be with the children before it")

    def test_a_command_with_frame_pointers(self):
        program = self.compile(SHARES, "shares", "-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer")
        self.profile("--call-graph", "fp", "--user-only", "--", program, "4", code=7)
        self.assertTrue(any("main" in s and s[-1] == "spin" for s in self.stacks()))

    def test_everything_that_a_command_starts(self):
        program = self.compile(SHARES, "shares")
        script = f"for i in 1 2 3; do {program} 1 & done; wait; exec {program} 1"
        self.profile("--", "sh", "-c", script, code=7)
        rows = self.rows()
        self.assertEqual([r for r in rows if "[NULL]" in (r["process"], r["thread"])], [], "all have names")
        # One that ended before its command line could be read has the kernel's name for it.
        ours = [r for r in rows if r["process"] in (str(program), "shares")]
        self.assertEqual(len({r["pid"] for r in ours}), 4, collections.Counter((r["pid"], r["process"]) for r in rows))

    def test_a_folder_that_is_not_there_is_made(self):
        self.out = str(self.dir / "new") + "/"
        self.trace = self.dir / "new" / "raw-trace"
        self.profile("--", self.compile(SHARES, "shares"), "1", code=7)
        self.assertTrue((self.dir / "new" / "flamegraph.html").exists())

    def test_threads_have_their_names(self):
        self.profile("--", self.compile(THREADS, "threads"))
        names = {r["thread"] for r in self.rows()}
        self.assertTrue({"worker-0", "worker-1", "worker-2"} <= names, names)

    def test_who_makes_threads(self):
        """The C library's rules for clone() leave out its system call."""
        self.profile("-F", "9999", "--", self.compile(MAKER, "maker"))
        stacks = {s: n for s, n in self.stacks().items() if "kernel_clone" in s}
        if sum(stacks.values()) < 10:
            self.skipTest("the kernel is not seen")
        whole = sum(n for s, n in stacks.items() if "main" in s and "[truncated]" not in s)
        self.assertGreater(whole, 0.9 * sum(stacks.values()), stacks)

    def test_many_short_processes(self):
        self.profile("-F", "4999", "--", "sh", "-c", "i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i+1)); done")
        rows = self.rows()
        self.assertGreater(len(rows), 20)
        self.assertEqual([r for r in rows if "[NULL]" in (r["process"], r["thread"])], [])
        self.assertLessEqual({r["thread"] for r in rows}, {"sh", "true", "dash", "bash"})

    def counted(self):
        """ns of all together; and by pid, name: (threads that ended, ns, those of them without a sample)."""
        rows = self.query(self.trace, """SELECT p.pid, p.name, count(*) AS threads, sum(c.ns) AS ns, sum(c.unseen) AS unseen FROM
            (SELECT utid, sum(cpu_time) AS ns, utid NOT IN (SELECT utid FROM perf_sample WHERE utid IS NOT NULL) AS unseen
             FROM __intrinsic_profiler_cpu_time WHERE utid IS NOT NULL GROUP BY utid) c
            LEFT JOIN thread t USING (utid) LEFT JOIN process p USING (upid) GROUP BY p.upid""")
        total = self.query(self.trace, "SELECT cpu_time FROM __intrinsic_profiler_cpu_time WHERE utid IS NULL")
        self.assertEqual(len(total), 1)
        return int(total[0]["cpu_time"]), rows

    def test_lives_shorter_than_a_period_are_counted(self):
        """Each thread that ended has its time, and the sum is what all have used."""
        program = self.compile(SHORT, "short")
        done = self.profile("-F", "500", "--", program, "300")
        total, rows = self.counted()
        self.assertEqual(sum(int(r["threads"]) for r in rows), 301)
        self.assertEqual(sum(int(r["ns"]) for r in rows), total, "the first one has the rest")
        unseen = sum(int(r["unseen"]) for r in rows)
        self.assertGreater(unseen, 100)
        self.assertEqual({r["name"].rpartition("/")[2] for r in rows}, {"short"})
        said = done.stdout.decode()
        self.assertRegex(said, rf"counted by the kernel: [0-9.]+ m?s of CPU time; {unseen} threads ended without a sample.*: [0-9.]+ [mu]?s in .*short")
        report = self.orma("profile", "report", "--by", "process", self.out).stdout.decode()
        self.assertRegex(report, rf"ended without a sample:\n.*short, {unseen} threads")

    def test_a_parent_whose_clock_begins_anew_with_each_vfork(self):
        """It has few samples or none, and all of its time."""
        program = self.compile(SHORT, "short")
        done = self.run_program(ORMA, "profile", "-F", "500", "-o", self.out, "--", program, "2000", "vfork")
        if not self.trace.exists():
            self.assertIn(b"no samples", done.stderr)
            return
        total, rows = self.counted()
        self.assertGreaterEqual(sum(int(r["threads"]) for r in rows), 2000)
        self.assertGreater(sum(int(r["ns"]) for r in rows), 0.95 * total)
        self.assertLessEqual(sum(int(r["ns"]) for r in rows), total)

    def test_a_process_that_runs(self):
        program = self.compile(SHARES, "shares")
        running = self.start(*self.user, program, "1000")
        time.sleep(0.1)
        self.profile("-p", running.pid, "-d", "2500")
        rows = self.rows()
        self.assertEqual({(r["process"], r["pid"]) for r in rows}, {(str(program), str(running.pid))})
        self.check_shares()

    def test_it_ends_with_the_last_of_the_processes(self):
        program = self.compile(SHARES, "shares")
        first, last = (self.start(*self.user, program, "1000") for _ in range(2))
        done = self.start(*self.user, ORMA, "profile", "-o", self.out, "-p", f"{first.pid},{last.pid}", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertIn(b"the end of the processes", done.stderr.readline())
        time.sleep(1 * SLOW)  # of samples
        first.kill()
        first.wait()
        with self.assertRaises(subprocess.TimeoutExpired):
            done.wait(0.5)
        last.kill()
        last.wait()
        out, err = done.communicate(timeout=60 * SLOW)
        if b"perf_event_paranoid" in err:
            self.skipTest("perf events are not allowed here")
        self.assertEqual(done.returncode, 0, err)
        self.assertIn(b"2 processes", out)

    def test_what_it_waits_for(self):
        done = self.profile("--off-cpu", "--", self.compile(WAITS, "waits", "-fomit-frame-pointer"))
        self.assertIn(b"waited in", done.stdout)
        total = self.one(self.trace, """
            SELECT sum(c.value) FROM __intrinsic_profiler_sample s
            JOIN __intrinsic_profiler_task_context k ON k.id = s.task_context_id JOIN thread t USING (utid)
            JOIN process p USING (upid) JOIN __intrinsic_profiler_counter_set cs USING (counter_set_id)
            JOIN __intrinsic_counter c ON c.id = cs.counter_id
            WHERE s.source = 'off_cpu' AND t.tid = p.pid AND p.pid = (SELECT min(pid) FROM process WHERE pid > 0)""")
        self.assertGreater(float(total), 0.88e9, "0.4 s asleep, 0.2 s at a pipe, 0.3 s asleep again")
        said = self.orma("profile", "report", self.out, "--off-cpu", "--by", "reason").stdout.decode()
        for reason in "sleep", "pipes", "locks (futex)":
            self.assertIn(reason, said)
        said = self.orma("profile", "report", self.out, "--off-cpu").stdout.decode()
        self.assertRegex(said, r"\bsleeping\b", "the list begins with the program's own functions")
        self.assertNotRegex(said, r"\bschedule\b")
        for function in "sleeping", "piping", "blocked":
            said = self.orma("profile", "report", self.out, "--off-cpu", "--callers", function).stdout.decode()
            self.assertIn(function, said)
        tree = self.orma("profile", "report", self.out, "--off-cpu", "--tree", "--min", "10", "--ascii").stdout.decode()
        self.assertNotIn("[truncated]", tree, "long waits have whole stacks")
        self.check_wakers(done)

    def test_who_waits_already_when_it_begins(self):
        """A process that hangs: no thread of it ever runs."""
        source = r"""
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int sink;
__attribute__((noinline)) void lock_twice(void) { pthread_mutex_lock(&lock); pthread_mutex_lock(&lock); sink++; }
__attribute__((noinline)) void read_nothing(int fd) { char c; while (read(fd, &c, 1) > 0) sink++; }
static void *run(void *arg) { lock_twice(); return arg; }
int main(void) { int fds[2]; pthread_t t; pipe(fds); pthread_create(&t, 0, run, 0); read_nothing(fds[0]); return 0; }
"""
        hung = self.start(self.compile(source, "hung", "-pthread", "-w"))
        for _ in range(1000):
            states = [(t / "stat").read_text().rsplit(")", 1)[1].split()[0] for t in pathlib.Path(f"/proc/{hung.pid}/task").iterdir()]
            if states == ["S", "S"] and "hung" in os.readlink(f"/proc/{hung.pid}/exe"):
                break
            time.sleep(0.01)
        said = self.profile("--off-cpu", "-p", hung.pid, "-d", "300").stdout.decode()
        self.assertIn("2 waits", said)
        for function in "lock_twice", "read_nothing":
            self.assertIn(function, said)

    def test_what_it_waits_for_with_frame_pointers(self):
        """Where nobody tells the frame pointer, it is found in the stack."""
        self.profile("--off-cpu", "--", self.compile(WAITS, "waits", "-O0", "-fno-omit-frame-pointer"))
        tree = self.orma("profile", "report", self.out, "--off-cpu", "--tree", "--ascii").stdout.decode()
        for function in "sleeping", "piping":
            self.assertRegex(tree, r"main  waits\n(.*\n)*.*-" + function)
        tree = self.orma("profile", "report", self.out, "--off-cpu", "--tree", "--min", "10", "--ascii").stdout.decode()
        self.assertNotIn("[truncated]", tree)

    def check_wakers(self, done):
        if b"stacks are read from outside" in done.stderr:
            self.assertIn(b"sysctl kernel.perf_event_paranoid=1", done.stderr)
            said = self.orma("profile", "report", self.out, "--wakers", code=1)
            self.assertIn(b"as root", said.stderr)
            return
        if b"cannot see who ends waits" in done.stderr:
            return  # no tracefs
        said = done.stdout.decode()
        self.assertIn("blocked  woken by main in waits", said)
        self.assertIn("piping  woken by piping in waits", said)
        self.assertIn("sleeping  woken by others", said)
        said = self.orma("profile", "report", self.out, "--wakers", "--tree", "--min", "0.1", "--ascii").stdout.decode()
        self.assertRegex(said, r"blocked(.*\n)*.*\[woken by waits\](.*\n)*.*pthread_mutex_unlock(.*\n)*.*-main")
        rows = self.query(self.trace, """
            SELECT count(*) AS n FROM __intrinsic_profiler_sample s JOIN __intrinsic_profiler_counter_set cs USING (counter_set_id)
            JOIN __intrinsic_counter c ON c.id = cs.counter_id JOIN __intrinsic_track k ON k.id = c.track_id
            JOIN thread t ON t.tid = c.value WHERE k.name = 'woken_thread'""")
        self.assertGreaterEqual(int(rows[0]["n"]), 2)

    def report(self, *options):
        return self.orma("profile", "report", *options, self.trace).stdout.decode()

    def test_names_go_with_the_trace(self):
        program = self.compile(INLINED, "inlined", "-O2")
        self.profile("--", program)
        program.unlink()
        self.assertRegex(self.report(), r"inside \(inlined\)")

    @unittest.skipIf(os.uname().machine != "x86_64", "its code is of another cpu")
    def test_code_that_was_generated_has_names(self):
        program = self.compile(JIT, "jit")
        for how in [], ["dump"]:
            self.profile("--", program, *how)
            names = collections.Counter(s[-1] for s in self.stacks().elements())
            self.assertEqual(names.most_common(1)[0][0], "made_while_it_ran", (how, names))
            shutil.rmtree(self.out)
            self.out.mkdir()
            self.out.chmod(0o777)

    @unittest.skipIf(os.uname().machine != "x86_64", "its code is of another cpu")
    def test_names_that_are_written_when_all_is_over(self):
        done = self.profile("--", self.compile(JIT, "jit"), "late")
        for row in self.rows():
            self.addCleanup(pathlib.Path(f"/tmp/perf-{row['pid']}.map").unlink, missing_ok=True)
        self.assertRegex(self.report().partition("function\n")[2].splitlines()[0], r"made_while_it_ran")
        nameless = re.search(rb"in functions without a name: ([0-9.]+) %", done.stdout)  # stubs of the loader have none
        self.assertLess(float(nameless.group(1)) if nameless else 0, 5)

    @unittest.skipIf(not shutil.which("strip") or not shutil.which("nm"), "no binutils")
    def test_functions_without_names_are_told_apart(self):
        """A stripped program has the addresses of its functions."""
        program = self.compile(SHARES, "shares")
        symbols = subprocess.run(["nm", program], check=True, capture_output=True, text=True).stdout
        address = {name: f"0x{int(at, 16):x}" for at, name in re.findall(r"^(\S+) [tT] (\w+)$", symbols, re.M)}
        subprocess.run(["strip", program], check=True)
        self.profile("--", program, "2", code=7)
        stacks = [s for s in self.stacks() if address["spin"] in s]
        for name in "fifty", "thirty", "down", "main":
            self.assertTrue(any(address[name] in s for s in stacks), (name, address))
        self.assertIn("in functions without a name: ", self.report())

    def test_a_program_that_was_deleted(self):
        program = self.compile(SHARES, "shares")
        running = self.start(*self.user, program, "1000")
        time.sleep(0.1)
        program.unlink()
        self.profile("-p", running.pid, "-d", "500")
        self.assertTrue(any("main" in s and s[-1] == "spin" for s in self.stacks()))

    def test_calls_that_the_processor_recorded(self):
        done = self.run_program(*self.user, ORMA, "profile", "--call-graph=lbr", "-o", self.out, "--", self.compile(SHARES, "shares"), "2")
        if done.returncode == 7:
            self.assertTrue(any("main" in s for s in self.stacks()))
            return
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (1, 1), done.stderr)
        self.assertIn(b"--call-graph=dwarf", done.stderr)

    @unittest.skipIf(not DEBUGINFOD, "libdebuginfod1 is not installed")
    @unittest.skipIf(not shutil.which("objcopy"), "no objcopy")
    def test_servers_are_asked_for_debug_information_if_that_is_wanted(self):
        program, debug = self.compile(INLINED, "inlined", "-O2"), self.dir / "debug"
        subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
        subprocess.run(["objcopy", "--strip-debug", program], check=True)
        asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                body = debug.read_bytes() if re.fullmatch("/buildid/[0-9a-f]{40}/debuginfo", self.path) and \
                    self.path.split("/")[2] == build_id(program) else None
                self.send_response(200 if body else 404)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *args):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.env.update(DEBUGINFOD_URLS=f"http://127.0.0.1:{server.server_port}",
                        DEBUGINFOD_CACHE_PATH=str(self.dir / "fetched"))
        self.profile("--", program)
        self.assertNotIn("inside", self.report())
        self.assertEqual(asked, [], "only if it is wanted")
        for path in self.out.iterdir():
            path.unlink()
        self.profile("--debuginfod", "--", program)
        self.assertIn(f"/buildid/{build_id(program)}/debuginfo", asked)
        self.assertRegex(self.report(), r"inside \(inlined\)")
        self.env["ORMA_DEBUGINFOD"] = "maybe"
        done = self.orma("profile", "report", self.trace, code=1)
        self.assertIn(b"expected on, off, or URLs", done.stderr)

    def test_what_cannot_be(self):
        for argv, code, says in ((["--", "./nobody-has-it"], 127, "not found"),
                                 (["-p", "999999999", "-d", "100"], 1, "does not exist"),
                                 (["-p", "x"], 2, "bad list of processes"), (["-a", "-p", "1"], 2, "excludes"),
                                 (["-e", "no-such"], 2, "unknown event"),
                                 (["-e", "cyles"], 2, "did you mean 'cycles'"), (["-e", "page-faults:x"], 2, "unknown modifier"),
                                 (["-o", self.dir / "no" / "where", "--", "true"], 1, "must exist"), (["-g", "no"], 2, "auto, dwarf, fp or lbr"),
                                 (["--stack-size", "64", "--", "true"], 2, "4 to 63")):
            done = self.run_program(*self.user, ORMA, "profile", *argv)
            self.assertEqual(done.returncode, code, (argv, done.stderr))
            self.assertIn(says, done.stderr.decode())

    def test_what_the_kernel_refuses_is_not_run(self):
        """A profile of nothing is no success: the command waits until its samples are sure to come."""
        ran = self.dir / "ran"
        for argv, says in ((["-e", "999999:9"], "no such counter"), (["-C", "4095"], "no such cpu")):
            done = self.run_program(*self.user, ORMA, "profile", "-o", self.dir / "none", *argv, "--", "touch", ran)
            self.assertEqual(done.returncode, 1)
            self.assertIn(says, done.stderr.decode())
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertFalse(ran.exists())
            self.assertFalse((self.dir / "none").exists())

    def test_each_event_is_reported_as_what_it_is(self):
        done = self.profile("-e", "cpu-clock,page-faults", "--", self.compile(SHARES, "shares"), "2", code=7)
        self.assertIn(b"of CPU time", done.stdout)
        self.assertIn(b"--event", done.stdout)
        head = self.orma("profile", "report", "--event", "page-faults", self.trace).stdout.decode().splitlines()[0]
        self.assertRegex(head, r"\d+ samples? of page-faults(, which stand for \d+)?$")

    def test_a_sample_weighs_as_many_events_as_it_stands_for(self):
        program = self.compile(FAULTS, "faults")
        self.profile("-e", "page-faults/period=500/", "--", program)
        lines = [line.split() for line in self.report("-n", "0").splitlines()]
        faults = {line[-2]: int(line[2]) for line in lines if line[1:2] == ["%"]}
        self.assertLess(abs(faults["rest"] - 79000), 4000, faults)
        self.assertLess(abs(faults.get("first", 0) - 1000), 1100, faults)
        self.out, self.trace = self.dir / "again", self.dir / "again" / "raw-trace"
        self.profile("-e", "page-faults", "--", program)  # at a frequency: how many each stands for is the kernel's guess
        counted = self.query(self.trace, "SELECT sum(m) AS n FROM (SELECT max(value) AS m FROM counter JOIN perf_counter_track t "
                                         "ON t.id = track_id GROUP BY track_id)")[0]["n"]
        stand_for = int(re.search(r"which stand for (\d+)", self.report())[1])
        self.assertLess(abs(stand_for - float(counted)), 0.05 * stand_for)

    def test_events_as_perf_spells_them(self):
        text = self.orma("profile", "--print-config", *(a for e in EVENTS for a in ("-e", e)), "-C", "0,2-3", "-a").stdout.decode()
        for part in "target_cpu: 3", "frequency: 99", *EVENTS.values():
            self.assertIn(part, text)
        self.assertEqual(text.count("perf_event_config"), len(EVENTS) + 4, "lists and groups have one for each")

    def test_events_that_are_none(self):
        for event, column, says in BAD_EVENTS:
            done = self.run_program(ORMA, "profile", "--print-config", "-e", event)
            self.assertEqual(done.returncode, 2, event)
            lines = done.stderr.decode().splitlines()
            self.assertIn(says, lines[0], event)
            self.assertEqual(lines[1:3], ["  -e " + event, " " * (5 + column) + "^"])

    @unittest.skipIf(not os.access("/sys/bus/event_source/devices/software", os.R_OK), "no list of performance units")
    def test_events_of_performance_units(self):
        print_config = functools.partial(self.run_program, ORMA, "profile", "--print-config", "-e")
        text = print_config("software/config=2,period=7,name=x/u").stdout.decode()
        for part in 'pmu_name: "software" config: 0x2', 'name: "x"', "period: 7", "COUNT_USERSPACE":
            self.assertIn(part, text)
        self.assertIn(b"did you mean 'software'", print_config("softwar/config=2/").stderr)
        self.assertIn(b"unknown term 'confg'; did you mean 'config'", print_config("software/confg=2/").stderr)

    @unittest.skipIf(not os.access("/sys/kernel/tracing/events/sched", os.X_OK), "the names of tracepoints are not readable")
    def test_events_with_wildcards(self):
        names = re.findall(r'tracepoint { name: "(.*)" }', self.orma("profile", "--print-config", "-e", "sched:sched_wak*").stdout.decode())
        self.assertEqual(sorted(names), sorted(f"sched/{p.name}" for p in pathlib.Path("/sys/kernel/tracing/events/sched").glob("sched_wak*")))
        done = self.run_program(ORMA, "profile", "--print-config", "-e", "cs,sched:sched_wakng")
        self.assertIn(b"did you mean 'sched:sched_waking'?\n  -e cs,sched:sched_wakng\n        ^", done.stderr)
        self.assertIn(b"at most", self.run_program(ORMA, "profile", "--print-config", "-e", "*:*").stderr)

    def test_the_trace_is_compressed(self):
        self.profile("--", self.compile(SHARES, "shares"), "2", code=7)
        plain = self.dir / "plain"
        self.orma("convert", "decompress_packets", self.trace, plain)
        self.assertLess(self.trace.stat().st_size, 0.7 * plain.stat().st_size)
        self.assertTrue(any("main" in s for s in self.stacks()))

    def test_a_group_is_read_with_its_leader(self):
        self.profile("-e", "{cpu-clock,page-faults}:S", "--", self.compile(SHARES, "shares"), "2", code=7)
        rows = self.query(self.trace, "SELECT name, max(value) AS most FROM counter c JOIN perf_counter_track t ON t.id = c.track_id GROUP BY 1")
        self.assertEqual([r["name"] for r in rows], ["cpu-clock", "page-faults"])
        self.assertTrue(all(float(r["most"]) > 0 for r in rows), rows)


@unittest.skipIf(os.geteuid() != 0, "becoming an ordinary user needs root")
class ProfileOrdinary(ProfileLive):
    """The same as a user without rights: one's own programs may be watched at perf_event_paranoid 2."""
    user = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--")

    def setUp(self):
        super().setUp()
        if SLOW > 1 and self._testMethodName not in vars(type(self)):
            self.skipTest("the same was done as root: once is enough where programs are slow")
        if not shutil.which("setpriv"):
            self.skipTest("no setpriv")
        if subprocess.run([*self.user, "test", "-x", ORMA]).returncode:
            self.skipTest("the build folder is closed to ordinary users")
        self.env["TMPDIR"] = str(self.dir)
        self.env.pop("XDG_RUNTIME_DIR", None)

    def test_what_is_not_seen_is_said(self):
        if int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text()) != 2:
            self.skipTest("perf_event_paranoid is not 2")
        done = self.profile("--", self.compile(SHARES, "shares"), "2", code=7)
        self.assertIn(b"kernel functions are not recorded", done.stderr)
        self.assertIn(b"sysctl kernel.perf_event_paranoid=1", done.stderr)
        self.assertEqual(done.stderr.count(b"kernel functions are not recorded"), 1)

    def test_what_is_refused_is_said_once(self):
        program = shutil.which("su")
        if not program or not os.stat(program).st_mode & 0o4000:
            self.skipTest("no setuid program here")
        done = self.run_program(*self.user, ORMA, "profile", "--", "su", "--help")
        self.assertEqual(done.returncode, 0, "its own")
        self.assertIn(b"is setuid", done.stderr)
        done = self.run_program(*self.user, ORMA, "profile", "-p", "1", "-d", "100")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"belongs to another user", done.stderr)

    @unittest.skipIf(os.geteuid() != 0, "mounting a small file system needs root")
    def test_a_full_disk_leaves_whole_files(self):
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24k,mode=777", "none", self.out]).returncode:
            self.skipTest("no tmpfs here")
        self.addCleanup(subprocess.run, ["umount", self.out])
        done = self.run_program(*self.user, ORMA, "profile", "-o", self.out, "--", self.compile(SHARES, "shares"))
        self.assertIn(b"No space left", done.stderr)
        self.assertIn(b"function", done.stdout, "the answer is there all the same")
        self.assertEqual(done.returncode, 7)
        self.orma("query", self.trace, "SELECT 1")


if __name__ == "__main__":
    main()
