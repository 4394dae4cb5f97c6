"""orma heap: programs that allocate known sizes, and lose known ones."""
import re
import resource
import shutil
import signal
import sys

from heap_programs import *
from orma_env import *

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


@unittest.skipIf(not COMPILER or os.uname().machine not in ("x86_64", "aarch64"), "no C compiler, or another cpu")
class Heap(Case):
    def setUp(self):
        super().setUp()
        self.out = self.dir / "out"  # made by the command
        self.compile(SOURCE, "p")

    def compile(self, source, name, *flags):
        (self.dir / (name + ".c")).write_text(source)
        subprocess.run([COMPILER, "-O1", "-g", "-fomit-frame-pointer", "-fno-builtin", "-w", "-o", self.dir / name,
                        self.dir / (name + ".c"), "-pthread", *flags], check=True)
        return self.dir / name

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
        self.assertRegex(said, r"one sample per 64\.0 KiB: an estimate, off by at most [\d.]+ MiB")
        self.assertRegex((self.out / "flamegraph.html").read_text(), r"<title>[^<]*p: memory that was not freed")
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

    def test_memory_that_is_mapped_is_a_heap_of_its_own(self):
        done = self.run_program(ORMA, "heap", "-i", "512k", "-o", self.out, "--", self.compile(MAPS, "maps"))
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        heaps = {r["heap_name"] for r in self.query(self.out / "raw-trace", "SELECT DISTINCT heap_name FROM heap_profile_allocation")}
        self.assertIn("mmap", heaps)
        sums, mib = self.sums(), 1 << 20
        for function, live, total in ("half", 4, 8), ("gone", 0, 10), ("moved", 3, 4), ("moved_shared", 2, 3), ("over", 5, 6):
            self.assertEqual((int(sums[function]["live"]), int(sums[function]["total"])), (live * mib, total * mib), function)
        self.assertNotIn("room", sums, "room for addresses is no memory")
        self.assertNotIn("moved_file", sums, "nor is a file")
        self.assertAlmostEqual(int(sums["little"]["live"]), 2000 * 4096, delta=4 * 2000 * 4096 / 16 ** 0.5)
        self.assertTrue(list(self.out.glob("heap_dump.*.mmap.pb")))

    def pids(self):
        rows = self.query(self.out / "raw-trace", "SELECT DISTINCT pid FROM heap_profile_allocation JOIN process USING (upid)")
        return {int(r["pid"]) for r in rows}

    def watch(self, program, *argv):
        """What it allocated by name of function, and what was said about it."""
        shutil.rmtree(self.out, ignore_errors=True)
        done = self.run_program(ORMA, "heap", "-i", "64k", "-o", self.out, "--", program, *argv)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return self.sums(), done.stdout.decode(), done.stderr.decode()

    def test_the_c_library_allocates_with_its_locks_held(self):
        done = self.run_program(ORMA, "heap", "-o", self.out, "--", self.compile(STACK_END, "end"), timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr.decode())

    def test_calls_that_fail_free_nothing(self):
        sums, _, _ = self.watch(self.compile(FAILURES, "failures"))
        self.assertEqual((int(sums["stays"]["live"]), int(sums["stays"]["total"])), (6 << 20, 6 << 20))
        self.assertEqual((int(sums["stays_mapped"]["live"]), int(sums["stays_mapped"]["total"])), (5 << 20, 5 << 20))

    def test_an_allocator_that_maps_counts_once(self):
        library = self.compile(ALLOCATOR, "liballocator.so", "-shared", "-fPIC")
        self.compile(SOURCE, "other", f"-Wl,-rpath,{self.dir}", "-Wl,--no-as-needed", library)
        done = self.run_program(ORMA, "heap", "-i", "64k", "-o", self.out, "--", "./other")
        self.assertEqual(done.returncode, 5, done.stderr.decode())
        sums = self.sums()
        self.assertEqual(int(sums["lose"]["live"]), 200 * 65536)
        heaps = {r["heap_name"] for r in self.query(self.out / "raw-trace", "SELECT DISTINCT heap_name FROM heap_profile_allocation")}
        self.assertEqual(heaps, {"libc.malloc"})

    def test_libraries_that_come_and_go(self):
        """Two, at the same addresses, with other names."""
        source = "#include <stdlib.h>\nvoid *%s(void) { char *p = malloc(1 << 20); *p = 1; return p; }\n"
        paths = [self.compile(source % name, f"lib{name}.so", "-shared", "-fPIC") for name in ("first_one", "second_one")]
        sums, _, said = self.watch(self.compile(PLUGINS, "plugins", "-ldl"), *paths)
        for name in "first_one", "second_one":
            self.assertEqual(int(sums[name]["live"]), 1 << 20, name)
        self.assertGreaterEqual(int(sums["load"]["live"]), 2 << 20)
        self.assertNotIn("are cut", said)

    def test_deep_stacks(self):
        """Those of a first thread and of others are copied as far as those of samples of time."""
        sums, _, said = self.watch(self.compile(DEEP, "deep"))
        self.assertEqual(int(sums["not_deep"]["live"]), 2 << 20)
        self.assertNotIn("too_deep", sums)
        self.assertRegex(said, r"1 of \d+ stacks are truncated \(\[truncated\]\), 1 of them because only 63 KiB")

    @unittest.skipIf(not shutil.which("g++"), "no C++ compiler")
    def test_who_calls_operator_new_answers_for_it(self):
        (self.dir / "strings.cc").write_text(STRINGS)
        subprocess.run(["g++", "-O1", "-g", "-o", self.dir / "strings", self.dir / "strings.cc"], check=True)
        _, text, _ = self.watch("./strings")
        rows = re.search(r"function\n((?:.+\n)+)", text)[1].splitlines()
        self.assertRegex(rows[0], r"^ *(9\d|100)\.\d % ")
        self.assertIn("fill", rows[0])
        self.assertNotRegex(text, r"\n *[1-9][\d.]* % .*operator new")

    def attach(self, pid, *argv, code=0):
        shutil.rmtree(self.out, ignore_errors=True)
        done = self.run_program(ORMA, "heap", "-p", pid, "-i", "64k", "-o", self.out, *argv)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done.stderr.decode()

    def serve(self, *argv, library=True):
        env = dict(self.env, LD_PRELOAD=os.environ["ORMA_BUILD"] + "/sdk/heap/liborma_heap.so") if library else self.env
        program = subprocess.Popen([self.dir / "server", *argv], env=env, cwd=self.dir)
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        for _ in range(1000):  # until it runs its own program, with its libraries
            if "server" in os.readlink(f"/proc/{program.pid}/exe") and \
                    (not library or "liborma_heap" in pathlib.Path(f"/proc/{program.pid}/maps").read_text()):
                break
            time.sleep(0.01)
        return program

    def test_a_program_that_runs(self):
        self.compile(SERVER, "server")
        server = self.serve()
        for again in range(2):
            self.attach(server.pid, "-t", "1s")
            sums = self.sums()
            self.assertGreater(int(sums["lose"]["live"]), 0, "the second time as well" if again else "")
            self.assertLessEqual(int(sums["pass"]["live"]), 65536, "one may be under way")
            self.assertIn("main", sums)
        self.assertIsNone(server.poll())

    def test_a_program_that_ends_meanwhile(self):
        self.compile(SERVER.replace("for (;;)", "for (int i = 0; i < 8000; i++)"), "server")
        self.attach(self.serve().pid)
        self.assertGreater(int(self.sums()["lose"]["live"]), 0)

    def test_a_watcher_that_is_killed(self):
        """The program goes on, and can be watched anew."""
        self.compile(SERVER, "server")
        server = self.serve()
        first = self.start(ORMA, "heap", "-p", server.pid, "-i", "1k", "-o", self.dir / "first")
        while not (self.dir / "first" / "raw-trace").exists() or (self.dir / "first" / "raw-trace").stat().st_size < 300:
            self.assertIsNone(first.poll())
            time.sleep(0.01)
        self.assertIn("already being watched", self.attach(server.pid, "-t", "100ms", code=1))
        first.kill()
        first.wait()
        for _ in range(200):  # the program knows at its next sample
            shutil.rmtree(self.out, ignore_errors=True)
            done = self.run_program(ORMA, "heap", "-p", server.pid, "-i", "64k", "-t", "500ms", "-o", self.out)
            if done.returncode == 0:
                break
            self.assertIn(b"already being watched", done.stderr)
            time.sleep(0.1)
        self.assertIn("lose", self.sums())

    def limited(self, what, num):
        """A server that may not have more of something."""
        self.compile(SERVER, "server")
        server = self.serve()
        resource.prlimit(server.pid, what, (num, num))
        return server

    def test_a_program_that_may_write_no_large_files(self):
        """Its memory to share is one: no signal for that."""
        server = self.limited(resource.RLIMIT_FSIZE, 4096)
        self.attach(server.pid, "-t", "500ms")
        self.assertIn("lose", self.sums())
        self.assertIsNone(server.poll())

    def test_a_program_that_has_no_descriptors_left(self):
        server = self.limited(resource.RLIMIT_NOFILE, 3)
        self.assertIn("cannot share memory with us: Too many open files", self.attach(server.pid, "-t", "2s", code=1))
        self.assertIsNone(server.poll())

    def reader_of(self, front):
        """What reads for it: its child."""
        return int(pathlib.Path(f"/proc/{front.pid}/task/{front.pid}/children").read_text().split()[0])

    def forks(self, end):
        """How long 20 forks take whose children allocate, after the reader was ended by that signal."""
        self.compile(FORKS, "forks")
        shutil.rmtree(self.out, ignore_errors=True)
        front = self.start(ORMA, "heap", "-i", "1k", "-o", self.out, "--", "./forks", stdout=subprocess.PIPE, stdin=subprocess.PIPE)
        self.assertEqual(front.stdout.readline(), b"ready\n")
        reader = self.reader_of(front)
        os.kill(reader, end)
        self.addCleanup(lambda: end == signal.SIGSTOP and os.path.exists(f"/proc/{reader}") and os.kill(reader, signal.SIGCONT))
        front.stdin.write(b"x")
        front.stdin.close()
        waits = int(front.stdout.readline())
        if end == signal.SIGSTOP:
            os.kill(reader, signal.SIGCONT)
        front.wait()
        return waits

    def test_children_do_not_wait_for_a_reader_that_is_gone(self):
        """They sleep when they wait: a voluntary switch each time."""
        self.assertLess(self.forks(signal.SIGKILL), 40)
        self.assertLess(self.forks(signal.SIGSTOP), 400)

    def test_children_that_the_c_library_does_not_know_of(self):
        """What they free is theirs."""
        sums, _, _ = self.watch(self.compile(CLONE, "clone"))
        self.assertEqual(int(sums["hold"]["live"]), 100 * 65536)

    def test_writers_that_are_killed_or_stopped_stop_nobody_else(self):
        exe = self.compile(KILLED, "killed")
        for argv in ["40"], ["8", "stop"]:
            done = self.run_program(ORMA, "heap", "-i", "64k", "-o", self.out, "--", exe, *argv)
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            self.assertEqual(int(self.sums()["lose"]["live"]), 100 << 20, argv)
            shutil.rmtree(self.out)

    def test_a_handler_that_jumps_stops_nothing(self):
        sums, _, said = self.watch(self.compile(JUMPS, "jumps"))
        self.assertEqual(int(sums["lose"]["live"]), 100 << 20)
        self.assertNotIn("missing", said)

    def test_programs_in_a_sandbox(self):
        """Where clocks are read from the time stamp counter, strict seccomp and PR_SET_TSC take that away, too."""
        exe = self.compile(SANDBOX, "sandbox")
        if self.run_program(exe, "prctl").returncode:
            self.skipTest("no seccomp here")
        for how in "strict", "prctl", "syscall", "tsc":
            done = self.run_program(ORMA, "heap", "-i", "64k", "-o", self.out, "--", exe, how)
            self.assertEqual((done.returncode, done.stdout[:5]), (0, b"done\n"), (how, done.stderr))
            self.assertEqual(int(self.sums()["lose"]["live"]), 100 * 65536, how)
            shutil.rmtree(self.out)

    def test_a_guard_page_above_the_stack(self):
        exe = self.compile(COROUTINE, "coroutine")
        for _ in range(20):  # addresses are random: it says whether there was a place for it
            shutil.rmtree(self.out, ignore_errors=True)
            done = self.run_program(ORMA, "heap", "-i", "64k", "-o", self.out, "--", exe)
            if done.returncode != 77:
                break
        else:
            self.skipTest("no place below the thread's storage")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertEqual(int(self.sums()["lose"]["live"]), 100 * 65536, done.stderr.decode())

    @unittest.skipIf(os.geteuid() != 0 or not shutil.which("unshare"), "another namespace needs root")
    def test_processes_in_another_namespace_of_pids(self):
        if self.run_program("unshare", "-pf", "--mount-proc", "true").returncode:
            self.skipTest("no namespaces here")
        done = self.run_program(ORMA, "heap", "-i", "64k", "-o", self.out, "--", "unshare", "-pf", "./p", "1")
        self.assertEqual(done.returncode, 5, done.stderr.decode())
        self.assertEqual(int(self.sums()["lose"]["live"]), 2 * 200 * 65536, "both have their functions")
        self.assertFalse(self.pids() & {1, 2}, "nor are they those of ours that have their numbers")
        self.compile(SERVER, "server")
        env = dict(self.env, LD_PRELOAD=os.environ["ORMA_BUILD"] + "/sdk/heap/liborma_heap.so")
        outer = subprocess.Popen(["unshare", "-pf", "--mount-proc", self.dir / "server"], env=env, cwd=self.dir)
        self.addCleanup(outer.wait)
        children = pathlib.Path(f"/proc/{outer.pid}/task/{outer.pid}/children")
        while not children.read_text():
            time.sleep(0.01)
        inner = int(children.read_text())
        self.addCleanup(os.kill, inner, signal.SIGKILL)
        while "server" not in os.readlink(f"/proc/{inner}/exe"):
            time.sleep(0.01)
        self.attach(inner, "-t", "500ms")
        self.assertIn("lose", self.sums())
        self.assertEqual(self.pids(), {inner})

    @unittest.skipIf(os.geteuid() != 0 or not shutil.which("setpriv"), "becoming an ordinary user needs root")
    def test_a_program_that_becomes_another_user(self):
        self.dir.chmod(0o755)
        done = self.run_program(ORMA, "heap", "-o", self.out, "--", "setpriv", "--reuid=65534", "--clear-groups", "--", "sleep", str(SLOW))
        self.assertIn("became user 65534", done.stderr.decode())

    @unittest.skipIf(os.geteuid() != 0, "a file system of our own needs root")
    def test_a_file_that_does_not_answer(self):
        """A library of the program lies on a file system that stops to answer: nothing waits for it for ever."""
        folder = self.dir / "fuse"
        folder.mkdir()
        program = self.compile(MAPPED, "mapped")
        (self.dir / "fuse.py").write_text(FUSE)
        files = subprocess.Popen([sys.executable, self.dir / "fuse.py", folder, program, self.dir / "hang"], stdout=subprocess.PIPE)
        self.addCleanup(files.wait)
        self.addCleanup(files.kill)  # all that waits for it goes on
        self.addCleanup(subprocess.run, ["umount", "-l", folder], stderr=subprocess.DEVNULL)
        if files.stdout.readline() != b"ready\n":
            self.skipTest("no FUSE here")
        done = self.run_program(ORMA, "heap", "-i", "64k", "-o", self.out, "--", program, folder / "f", self.dir / "hang", timeout=120)
        said = done.stderr.decode()
        self.assertEqual(done.returncode, 0, said)
        self.assertRegex(said, r"a file of a watched program does not answer: the \d+ reports from there on are missing")
        self.assertIn("some of it may have been freed", done.stdout.decode())
        self.assertGreater(int(self.sums()["before"]["live"]), 0, "what came before is there")

    def test_programs_that_cannot_be_watched(self):
        self.compile(SERVER, "server")
        bare, idle = self.serve(library=False), self.serve("idle")
        said = self.attach(bare.pid, "-t", "100ms", code=1)
        self.assertRegex(said, r"LD_PRELOAD=\S+/liborma_heap.so \S+/server")
        self.assertEqual(said.count("\n"), 1, said)
        self.assertIn("whether one did is not known", self.attach(idle.pid, "-t", "100ms", code=1))
        idle.send_signal(signal.SIGSTOP)
        self.assertIn("is stopped", self.attach(idle.pid, "-t", "100ms", code=1))
        idle.kill()
        idle.wait()
        self.assertIn("does not exist", self.attach(idle.pid, "-t", "100ms", code=1))
        try:
            self.compile(SERVER, "server-static", "-static")
        except subprocess.CalledProcessError:
            return
        static = subprocess.Popen([self.dir / "server-static"])
        self.addCleanup(static.wait)
        self.addCleanup(static.kill)
        self.assertIn("statically linked", self.attach(static.pid, "-t", "100ms", code=1))

    @unittest.skipIf(os.geteuid() != 0 or not shutil.which("setpriv"), "becoming an ordinary user needs root")
    def test_programs_of_others(self):
        self.compile(SERVER, "server")
        server = self.serve()
        self.dir.chmod(0o1777)
        done = self.run_program("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--", ORMA, "heap", "-p", server.pid)
        self.assertIn(f"sudo orma heap -p {server.pid}".encode(), done.stderr)
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (1, 1), done.stderr)

    def test_a_full_disk(self):
        self.out.mkdir()
        if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", self.out]).returncode:
            self.skipTest("no tmpfs here")
        self.addCleanup(subprocess.run, ["umount", self.out])
        done = self.run_program(ORMA, "heap", "-i", "1k", "-d", "10ms", "-o", self.out, "--", "./p")
        self.assertIn(b"No space left", done.stderr)
        self.assertEqual(done.returncode, 5, "the command's own")
        done = self.run_program(ORMA, "heap", "-i", "1k", "-d", "10ms", "-o", self.out / "2", "--", "sh", "-c", "./p; sleep 0.5; exit 7")
        self.assertEqual((done.returncode, done.stderr.count(b"No space left")), (7, 1), done.stderr)

    def test_a_program_that_writes_over_the_ring(self):
        """The header says where to go on reading, and what is read: both are the programs' to change."""
        (self.dir / "scribble.py").write_text("""
import mmap, os, struct, time
with open(os.environ["ORMA_HEAP_SHARED"].split(":")[0], "r+b") as f:
    m = mmap.mmap(f.fileno(), 0)
for head in (2**24 - 1, 2**24 - 3, 2**64 - 1, 2**63 + 4):
    m[65536:65544] = struct.pack("<Q", head)
    time.sleep(0.02)
m[131072:] = bytes([0xff]) * (len(m) - 131072)
time.sleep(0.05)
""")
        done = self.run_program(ORMA, "heap", "-d", "20ms", "-o", self.out, "--", sys.executable, self.dir / "scribble.py")
        self.assertIn(done.returncode, (0, 1), done.stderr.decode())
        self.assertIn("overwrote the shared memory", done.stderr.decode())

    def test_processes_that_run_on(self):
        """What they do after the command has ended is not recorded, which is said."""
        self.compile(SERVER, "server")
        done = self.run_program(ORMA, "heap", "-i", "4k", "-o", self.out, "--", "sh", "-c",
                                "./server >/dev/null 2>&1 & echo $!; until grep -q memfd:orma-heap /proc/$!/maps; do :; done; sleep 0.5")
        os.kill(int(done.stdout.split()[0]), signal.SIGKILL)
        self.assertIn("at least 1 of its processes outlived it", done.stderr.decode())

    @unittest.skipIf(os.geteuid() != 0, "becoming another user needs root")
    def test_a_command_that_becomes_another_user(self):
        """It can open our memory no more once it executes another program."""
        os.chmod(self.dir, 0o755)
        program = self.compile(OTHER_USER, "other")
        done = self.run_program(ORMA, "heap", "-i", "4k", "-o", self.out, "--", program)
        self.assertIn("it became user 12345: programs that it executes as such are not watched", done.stderr.decode())
        self.assertIn("reports are missing", done.stdout.decode())

    def test_a_program_that_makes_up_processes(self):
        """Their allocations are in no sum, and counted."""
        (self.dir / "make_up.py").write_text("""
import mmap, os, struct, time
with open(os.environ["ORMA_HEAP_SHARED"].split(":")[0], "r+b") as f:
    m = mmap.mmap(f.fileno(), 0)
space = os.stat("/proc/self/ns/pid").st_ino
size = 128 if os.uname().machine == "x86_64" else 176
for i in range(10):
    head = struct.unpack("<Q", m[65536:65544])[0]
    m[65536:65544] = struct.pack("<Q", head + size)
    at = 131072 + head % 2**24
    m[at + 4:at + 56] = struct.pack("<IIIQQQQQ", 3, 2**32 - 1 - i, 1, space, 1, i * 4096, 1 << 20, 2)
    m[at:at + 4] = struct.pack("<I", size)
time.sleep(0.1)
""")
        done = self.run_program(ORMA, "heap", "-i", "100m", "-o", self.out, "--", sys.executable, self.dir / "make_up.py")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertIn("20 allocations, 10.0 MiB, are in no sum", done.stderr.decode())

    def test_a_program_that_pretends_to_be_watched(self):
        """It has a file of the library's name in memory, and answers with descriptors of its own choice."""
        magic = int.from_bytes(b"ormaatt2", "little")
        (self.dir / "pretend.py").write_text(f"""
import mmap, os, struct, sys
name, what = sys.argv[1:]
with open(name, "r+b") as f:
    m = mmap.mmap(f.fileno(), 4096, access=mmap.ACCESS_COPY)
fd = {{"device": lambda: os.open("/dev/null", os.O_RDWR), "folder": lambda: os.open("/", os.O_RDONLY), "pipe": lambda: os.pipe()[0],
       "empty": lambda: os.memfd_create("x"), "closed": lambda: 999, "negative": lambda: -77, "least": lambda: -2**31,
       "garbage": lambda: os.open(name, os.O_RDWR)}}[what]()
m[:16] = struct.pack("<QQ", {magic}, {magic} ^ (2**64 - 1))
print("ready", flush=True)
while m[16:24] == bytes(8):
    pass
m[28:32] = struct.pack("<i", fd + (fd >= 0))
sys.stdin.read()
""")
        library = self.dir / "liborma_heap.so"
        library.write_bytes(bytes([0xa5]) * 4096)
        for what in "device", "folder", "pipe", "empty", "closed", "negative", "least", "garbage":
            with self.subTest(what), subprocess.Popen([sys.executable, self.dir / "pretend.py", library, what], stdin=subprocess.PIPE,
                                                      stdout=subprocess.PIPE) as program:
                program.stdout.readline()
                said = self.attach(program.pid, "-t", "100ms", code=1)
                self.assertEqual(said.count("\n"), 1, said)
                program.kill()

    def test_what_cannot_be(self):
        for argv, code, says in (["--", "./nobody"], 127, "not found"), (["-i", "x", "--", "./p"], 2, "bad interval"), \
                ([], 2, "a command must follow"), (["-p", "x"], 2, "bad process"), (["-t", "1s", "--", "./p"], 2, "-t needs -p"), \
                (["-p", "1", "--", "./p"], 2, "excludes"):
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
