"""Programs that lack something: descriptors, memory, stack, processes, sizes of files; names that processes give
themselves; a process that pretends to hold the library of `orma heap`; system calls that fail. Everything ends by
itself, with a reason, and what comes out can be read."""
import ctypes
import fcntl
import json
import shutil

from attack import *

CONFIG = 'buffers { size_kb: 4096 } data_sources { config { name: "track_event" } } duration_ms: %d'
STRANGER = 12345


def limit(what, num):
    return lambda: resource.setrlimit(what, (num, num))


class Limits(Attack):
    def session(self, milliseconds=20000):
        (self.dir / "config").write_text(CONFIG % milliseconds)
        self.trace = self.dir / "trace"
        self.recorder = self.start(ORMA, "record", "-f", "-q", "-c", self.dir / "config", "-o", self.trace,
                                   stderr=subprocess.DEVNULL)

    def check(self, name, done, good=(0,)):
        said = (done.stdout + done.stderr).decode(errors="replace")
        self.assertIn(done.returncode, good, f"{name}: {said[-2000:]}")
        self.assertNotRegex(said, "runtime error|ERROR: Address", name)

    @unittest.skipIf(SLOW > 1, "sanitizers need the memory themselves")
    def test_applications(self):
        """0: it had a session, or went on without; 3: it waited for one in vain; 127: the loader had no memory for it."""
        self.start_traced()
        self.session()
        app = lambda n: (TOOLS / "attack_app", self.dir / f"counts{n}", "count", 2, 5000, "0.2")
        running = []
        for name, what, nums in (("descriptors", resource.RLIMIT_NOFILE, (4, 5, 6, 7, 8, 10)),
                                 ("memory", resource.RLIMIT_AS, (6 << 20, 8 << 20, 12 << 20, 20 << 20, 40 << 20)),
                                 ("a stack", resource.RLIMIT_STACK, (64 << 10, 128 << 10)),
                                 ("sizes of files", resource.RLIMIT_FSIZE, (4096, 65536))):
            for n in nums:
                name = f"{n} of {name}"
                running.append((name, self.start(*app(len(running)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=limit(what, n))))
        for name, p in running:
            said = p.communicate(timeout=60)[0].decode(errors="replace")
            self.assertIn(p.returncode, (0, 2, 3, 127), f"{name}: {said[-500:]}")
        self.assert_serves()
        self.end(self.recorder)
        self.assert_ends()

    def test_sizes_of_files(self):
        """A limit is an error with its reason, not a signal; what is written stays, or goes."""
        kb64 = limit(resource.RLIMIT_FSIZE, 65536)
        self.start_traced(preexec_fn=kb64)
        (self.dir / "config").write_text(CONFIG % 500 + ' write_into_file: true file_write_period_ms: 50 output_path: "%s/out"' % self.dir)
        self.check("session", self.run_program(BUILD / "compat/perfetto", "--txt", "-c", self.dir / "config"), (0, 1))
        self.assert_serves()
        self.check("record", self.run_program(ORMA, "record", "--private", "-f", "-q", "-t", "300ms", "-o", "t", "cpu", preexec_fn=kb64), (0, 1))
        big = self.dir / "big.json"
        big.write_text(json.dumps([dict(ph="X", name=f"n{i}" * 20, pid=1, tid=1, ts=i * 10, dur=5) for i in range(20000)]))
        for argv in (("export", "-o", "e.sqlite", big), ("export", "--to", "parquet", "-o", "e", big), ("view", "-o", "e.html", big),
                     ("convert", "systrace", big, "e.systrace"), ("report", "--html", "e2.html", big), ("convert", "bundle", big, "e.tar"),
                     ("merge", "-o", "e.merged", big, big)):
            done = self.run_program(ORMA, *argv, preexec_fn=kb64)
            self.check(" ".join(map(str, argv)), done, (0, 1))
            if done.returncode:
                self.assertTrue(done.stderr.strip(), argv)
        for left in self.dir.iterdir():
            self.assertNotRegex(left.name, r"^\.|part|tmp", "left behind")
        self.assert_ends()

    def test_configs_that_do_not_come(self):
        """From a pipe that nobody writes to: a signal ends the wait."""
        pipe = self.dir / "pipe"
        os.mkfifo(pipe)
        for config in (pipe, "-"):
            for sig in (signal.SIGINT, signal.SIGTERM):
                p = self.start(ORMA, "record", "-c", config, "-o", self.dir / "out", stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
                self.wait_for("it to read", lambda p=p: pathlib.Path(f"/proc/{p.pid}/stat").read_text().rpartition(")")[2].split()[0] == "S")
                time.sleep(0.2)
                p.send_signal(sig)
                self.assertNotEqual(p.wait(20 * SLOW), 0, config)
                p.stdin.close()

    def test_closed_standard_streams(self):
        """Whichever are closed: what is written has not a word of what is printed, and is what it is with open ones."""
        trace = self.dir / "t.json"
        trace.write_text(json.dumps([dict(ph="X", name=f"n{i}", pid=1, tid=1, ts=i * 10, dur=5) for i in range(200)]))
        files = {"e.csv": ("export", "--to", "csv", "-o", "e.csv", trace, "SELECT name, ts, dur FROM slice"),
                 "e.parquet": ("export", "--to", "parquet", "-o", "e.parquet", trace, "SELECT name, ts FROM slice"),
                 "r.html": ("report", "--html", "r.html", trace)}
        whole = {}
        for closed in ("", "<&-", ">&-", "2>&-", "<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
            for name, argv in files.items():
                (self.dir / name).unlink(missing_ok=True)
                done = self.run_program("sh", "-c", f'exec "$@" {closed}', "sh", ORMA, *argv)
                self.check(f"{name} {closed}", done, (0, 1))
                data = (self.dir / name).read_bytes()
                self.assertEqual(data, whole.setdefault(name, data), f"{name} {closed}")
        self.start_traced()
        for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            self.session()
            counts = self.dir / "counts"
            counts.write_bytes(bytes(4096))
            app = self.start("sh", "-c", f'exec "$@" {closed}', "sh", TOOLS / "attack_app", counts, "count", 1, 1000, "1")
            memory = lambda: any(name in pathlib.Path(f"/proc/{app.pid}/maps").read_text() for name in ("perfetto_shmem", ".shm"))
            self.wait_for("its memory", memory)
            held = {n: os.readlink(f"/proc/{app.pid}/fd/{n}") for n in os.listdir(f"/proc/{app.pid}/fd") if int(n) < 3}
            free = {n for n, how in (("0", "<&-"), ("1", ">&-"), ("2", "2>&-")) if how in closed.split()}
            self.assertLessEqual({held[n] for n in free & held.keys()}, {str(counts)}, f"{closed}: {held}")  # it opens that itself
            app.kill()
            self.end(self.recorder)
        self.assert_ends()

    NAMES = (b"a) S 1 (b", b"x\ny\nz", b"\xff\xfe\x80", b")))))", b"", b"a b c", b"Name:\tq", b"\x1b[31mred", b"(", b"Tgid:\t1", b'{"a":1}',
             b"\\n\\t", b"NSpid:\t1 2", b"%s%n%d", b"</script>", b"<!--<script>")

    def named(self, name, ready):
        """A child of this name, which has a thread of another."""
        r, w = os.pipe()
        pid = os.fork()
        if not pid:
            try:
                set_name = lambda n: ctypes.CDLL(None).prctl(15, n + b"\0", 0, 0, 0)
                set_name(name)
                threading.Thread(target=lambda: (set_name(b"t)\n" + name[:9]), os.write(w, b"x"), time.sleep(600)), daemon=True).start()
                time.sleep(600)
            finally:
                os._exit(0)
        self.addCleanup(lambda: (os.kill(pid, signal.SIGKILL), os.waitpid(pid, 0)))
        os.read(r, 1)
        os.close(r)
        os.close(w)
        ready[pid] = name

    def test_names_of_processes(self):
        pids = {}
        for name in self.NAMES:
            self.named(name, pids)
        (self.dir / "config").write_text("""buffers { size_kb: 8192 } duration_ms: 600 data_sources { config { name: "linux.process_stats"
            process_stats_config { scan_all_processes_on_start: true proc_stats_poll_ms: 200 record_thread_names: true } } }""")
        self.orma("record", "--private", "-f", "-q", "-c", self.dir / "config", "-o", "trace")
        rows = json.loads(self.orma("query", "--format=json", "trace", f"""select p.pid, (select q.pid from process q where q.upid = p.parent_upid) as ppid,
            (select count(*) from thread t where t.upid = p.upid) as threads from process p
            where p.pid in ({','.join(map(str, pids))})""").stdout)
        self.assertEqual(len(rows), len(pids))
        for row in rows:
            self.assertEqual((int(row["ppid"]), int(row["threads"])), (os.getpid(), 2), pids[int(row["pid"])])
        for argv in (("report", "trace"), ("stats", "trace"), ("query", "trace", "select name, cmdline from process")):
            self.assertNotRegex(self.orma(*argv).stdout, rb"\x1b|\x9b[0-9]|\0")
        self.orma("view", "-o", "v.html", "trace")
        page = (self.dir / "v.html").read_bytes()
        self.assertNotIn(b"<!--<script", page)

    MAGIC = 0x32747461616d726f  # of the library of `orma heap`

    def pretend(self, kind, library, w):
        """A process of nobody that holds what looks like the library, and a ring that is none."""
        os.setgroups([])
        os.setgid(STRANGER)
        os.setuid(STRANGER)
        size = 4096 + (16 << 20)
        fd = os.open(library, os.O_RDONLY)
        page = mmap.mmap(fd, 65536, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
        ring, given = None, 0
        if kind == "a pipe":
            given = os.pipe()[0] + 1
        elif kind == "a device":
            given = os.open("/dev/zero", os.O_RDWR) + 1
        elif kind == "a folder":
            given = os.open("/", os.O_RDONLY) + 1
        elif kind == "less than none":
            given = -5
        elif kind != "an end":
            memory = os.memfd_create("x", 2)
            if kind == "too little":
                os.ftruncate(memory, 4096)
                fcntl.fcntl(memory, 1033, 2 | 4)
            given = memory + 1
        page[64:96] = struct.pack("<QQQIi", self.MAGIC, ~self.MAGIC & (1 << 64) - 1, 0, 0, given)
        os.write(w, b"x")
        dice, end = random.Random(SEED), time.monotonic() + 4
        while time.monotonic() < end:
            if kind == "an end":
                return
            page[92:96] = struct.pack("<i", given)  # whoever asks puts 0 there
            if kind == "memory that shrinks":
                try:
                    os.ftruncate(memory, dice.choice((0, 4096, size)))
                except OSError:
                    pass  # it is sealed
            elif kind in ("garbage", "records") and not ring and os.fstat(memory).st_size == size:
                ring = mmap.mmap(memory, size)
            if ring:
                head = struct.unpack("<Q", ring[16:24])[0]
                at = 4096 + head % (16 << 20)
                record = struct.pack("<IIIIQQQQQ", dice.choice((0, 8, 136, 1 << 24, 1 << 31, (1 << 32) - 1)), dice.randrange(10), dice.choice((os.getpid(), dice.getrandbits(32))), 1,
                                     dice.choice((0, os.stat("/proc/self/ns/pid").st_ino)),
                                     dice.getrandbits(60), dice.getrandbits(47), 1 << 63, 1) + dice.randbytes(64)
                if kind == "garbage":
                    at, record = dice.randrange(4096, size - 200), dice.randbytes(100)
                if at + len(record) < size:
                    ring[at:at + len(record)] = record
                ring[16:24] = struct.pack("<Q", head + dice.randrange(1000))
            time.sleep(0.002)

    @unittest.skipIf(os.geteuid() != 0, "looking into the process of another user needs root")
    def test_names_of_categories(self):
        """A category begins no line of its own in the list of data sources."""
        self.start_traced()
        p = self.producer("track events")
        p.register("track_event", sub(8, sub(1, sub(1, "c\nFORGED (1)") + sub(2, "text"))))
        listed = self.orma("status", "--long").stdout.decode()
        self.assertIn("FORGED", listed)
        self.assertFalse([line for line in listed.splitlines() if line.startswith("FORGED")], listed)

    def test_libraries_that_pretend(self):
        self.dir.chmod(0o711)
        library = self.dir / "liborma_heap.so"
        library.write_bytes(bytes(65536))
        library.chmod(0o644)
        running = []
        for kind in ("a pipe", "a device", "a folder", "less than none", "an end", "memory that shrinks", "too little", "garbage", "records"):
            r, w = os.pipe()
            pid = os.fork()
            if not pid:
                try:
                    self.pretend(kind, library, w)
                finally:
                    os._exit(0)
            os.close(w)
            self.assertEqual(os.read(r, 1), b"x", kind)
            os.close(r)
            out = self.dir / f"heap{len(running)}"
            running.append((kind, pid, self.start(ORMA, "heap", "-p", pid, "-o", out, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)))
        for kind, pid, p in running:
            try:
                said = p.communicate(timeout=60 * SLOW)[0].decode(errors="replace")
            except subprocess.TimeoutExpired:
                self.fail(f"{kind}: it does not end, though the process has")
            os.waitpid(pid, 0)
            self.assertIn(p.returncode, (0, 1), f"{kind}: {said[-1000:]}")
            self.assertNotRegex(said, "runtime error|ERROR: Address", kind)

    FAULTS = {"memfd_create": ("ENOSYS", "EMFILE"), "ftruncate": ("EIO",), "fcntl": ("EINVAL",), "epoll_ctl": ("ENOSPC",),
              "accept4": ("EMFILE", "ECONNABORTED"), "recvmsg": ("ENOMEM", "ECONNRESET", "EINTR"), "sendmsg": ("EPIPE", "ENOBUFS", "EINTR"),
              "write": ("ENOSPC", "EIO", "EINTR"), "writev": ("ENOSPC",), "timerfd_create": ("EMFILE",), "eventfd2": ("EMFILE",),
              "clone3": ("EAGAIN",), "clone": ("EAGAIN",), "openat": ("EMFILE", "EACCES"), "getsockopt": ("ENOMEM",), "connect": ("ECONNREFUSED", "EINTR"),
              "socket": ("EMFILE",), "poll": ("ENOMEM", "EINTR"), "mmap": ("ENOMEM",), "fallocate": ("EOPNOTSUPP",), "fdatasync": ("EIO",), "signalfd4": ("EMFILE",)}
    AT_THE_START = ("signalfd4", "clone3", "timerfd_create", "eventfd2", "socket")  # the first of them is told, too

    @unittest.skipIf(SLOW > 1 or not shutil.which("strace"), "no strace, or a sanitizer whose own calls would fail")
    def test_system_calls_that_fail(self):
        """In a recorder with a service of its own, one at a time. It ends by itself, and not by a signal."""
        done = self.run_program("strace", "-f", "-o", "/dev/null", "true")
        if done.returncode:
            self.skipTest("strace may not trace here")
        (self.dir / "config").write_text(CONFIG % 200 + " write_into_file: true file_write_period_ms: 50")
        for i in range(times(12, 1000) + len(self.AT_THE_START)):
            call = self.random.choice(sorted(self.FAULTS))
            if i < len(self.AT_THE_START):
                call = self.AT_THE_START[i]
            error, when = self.random.choice(self.FAULTS[call]), self.random.choice((1, 2, 3, 5, 8, 12, 20, 40))
            when = max(when, 40) if call in ("mmap", "openat") else when  # of the program, not of its loader
            when = 1 if i < len(self.AT_THE_START) else when
            name = f"{call}: {error}, the {when}th"
            try:
                done = self.run_program("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={when}",
                                        ORMA, "record", "--private", "-f", "-q", "-c", self.dir / "config", "-o", self.dir / f"t{i}")
            except subprocess.TimeoutExpired:
                self.fail(f"{name}: it hangs")
            self.check(name, done, (0, 1, 127))
            self.assertTrue(not done.returncode or done.stderr.strip(), f"{name}: it ends with {done.returncode} and says nothing")


if __name__ == "__main__":
    main()
