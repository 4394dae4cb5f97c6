"""Recordings of trace-cmd itself, in each of its forms: event by event what `trace-cmd report` says. Where it is not installed, or may not
record, they are skipped by name."""
import collections
import fcntl
import random
import re
import resource
import shutil
import struct
import subprocess

from orma_env import *

NO_TRACEFS = have_tracefs()
TRACEFS = pathlib.Path("/sys/kernel/tracing")
SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "golden" / "processor" / "formats"
# "comm-pid [cpu] flags time: event:", after the name of a buffer.
LINE = re.compile(r"^\s*(?:\S+:)?\s*.*?-(\d+)\s+\[(\d+)\]\s*(?:[a-zA-Z.]\S*\s+)?([\d.]+):\s+(\S+?):\s")
EVENTS = "SELECT f.ucpu AS cpu, f.ts, t.tid, f.name FROM ftrace_event f JOIN thread t USING (utid)"


class TraceCmd(Case):
    def trace_cmd(self, *argv):
        if not shutil.which("trace-cmd"):
            self.skipTest("trace-cmd is not installed")
        done = subprocess.run(["trace-cmd", *map(str, argv)], capture_output=True, cwd=self.dir, timeout=120)
        if done.returncode:
            self.skipTest(f"trace-cmd {argv[0]} fails here: {done.stderr.decode(errors='replace').strip().splitlines()[-1:]}")
        return done.stdout.decode(errors="replace")

    def instance(self, name, clock, events):
        """A buffer of our own, which nobody else's recording touches."""
        path = TRACEFS / "instances" / name
        path.mkdir()
        self.addCleanup(lambda: path.exists() and path.rmdir())  # trace-cmd extract removes it
        (path / "tracing_on").write_text("0")
        (path / "trace_clock").write_text(clock)
        (path / "buffer_size_kb").write_text("512")
        for event in events:
            if (path / "events" / event / "enable").exists():
                (path / "events" / event / "enable").write_text("1")
        return path

    def record(self, seed, buffers=(1, 1, 2)):
        if NO_TRACEFS:
            self.skipTest(NO_TRACEFS)
        if not shutil.which("trace-cmd"):
            self.skipTest("trace-cmd is not installed")
        rnd = random.Random(seed)
        clock = rnd.choice(("boot", "mono", "mono_raw", "local", "global"))
        systems = ("sched", "raw_syscalls", "irq", "timer", "task", "signal", "workqueue", "kmem/mm_page_alloc", "filemap", "net", "block")
        names = [f"orma_test_{os.getpid()}_{i}" for i in range(rnd.choice(buffers))]
        with open("/tmp/orma-tracefs.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            paths = [self.instance(name, clock, rnd.sample(systems, rnd.randrange(1, 6)) + ["sched/sched_switch"]) for name in names]
            for path in paths:
                (path / "tracing_on").write_text("1")
            subprocess.run(["sh", "-c", "for i in 1 2 3 4 5 6; do (ls / >/dev/null; true); done; cat /proc/stat >/dev/null"], check=False)
            (paths[0] / "trace_marker").write_text(f"B|{os.getpid()}|work {seed}")
            (paths[0] / "trace_marker").write_text(f"E|{os.getpid()}")
            for path in paths:
                (path / "tracing_on").write_text("0")
            out = self.dir / f"made{seed}.dat"
            self.trace_cmd("extract", *[a for n in names for a in ("-B", n)], "-o", out)
        return out

    def said(self, path):
        ret = collections.Counter()
        for line in self.trace_cmd("report", "-t", "-i", path).splitlines():
            m = LINE.match(line)
            if m:
                ret[int(m[2]), int(m[3].replace(".", "")), int(m[1]), m[4]] += 1
        return ret

    def read(self, path):
        self.assertEqual([r for r in self.query(path, "SELECT message FROM import_account WHERE message IS NOT NULL")], [])
        return collections.Counter((int(r["cpu"]), int(r["ts"]), int(r["tid"]), r["name"]) for r in self.query(path, EVENTS))

    def same(self, path):
        want, have = self.said(path), self.read(path)
        self.assertGreater(len(want), 20)
        self.assertEqual(want - have, collections.Counter())
        self.assertEqual(have - want, collections.Counter())

    def test_random_recordings_are_read_event_by_event(self):
        for seed in range(int(os.environ.get("ORMA_TEST_SEEDS", 3))):
            made = self.record(seed)
            with self.subTest(seed=seed):
                self.same(made)
                self.assertEqual(len(self.query(made, f"SELECT dur FROM slice WHERE name = 'work {seed}' AND dur > 0")), 1)
            for form in (("--file-version", "6"), ("--file-version", "7", "--compression", "none"), ("--file-version", "7", "--compression", "zlib"),
                         ("--file-version", "7", "--compression", "zstd")):
                with self.subTest(seed=seed, form=form):
                    other = self.dir / "other.dat"
                    done = subprocess.run(["trace-cmd", "convert", *form, "-i", str(made), "-o", str(other)], capture_output=True)
                    if done.returncode:  # built without that library
                        continue
                    self.same(other)

    def test_scheduling_is_that_of_its_text(self):
        made = self.record(100, buffers=(1,))
        text = self.dir / "report.txt"
        text.write_text(self.trace_cmd("report", "-t", "-i", made))
        # Not the states: trace-cmd has letters of its own for some (W, where the kernel says I).
        sql = "SELECT s.ts, s.dur, s.ucpu AS cpu, t.tid FROM sched s JOIN thread t USING (utid) ORDER BY s.ts, cpu"
        rows = self.query(made, sql)
        self.assertGreater(len(rows), 5, made)
        self.assertEqual(rows, self.query(text, sql))

    def test_cut_files_are_read_up_to_their_end(self):
        for name in ("trace_dat", "trace_dat_big"):
            whole = (SAMPLES / name / "trace.dat").read_bytes()
            for at in list(range(0, len(whole), 97)) + [len(whole) - 1]:
                path = self.dir / "cut.dat"
                path.write_bytes(whole[:at])
                done = self.run_program(ORMA, "query", path, "SELECT count(*) AS n FROM ftrace_event")
                self.assertIn(done.returncode, (0, 1), f"{name} cut at {at}: {done.stderr}")
                if at > 20 and done.returncode:
                    self.assertRegex(done.stderr.decode(), "trace.dat|event|page|trunc|damaged", f"{name} cut at {at}")

    def test_data_that_several_cpus_claim_are_read_once(self):
        """Each page that is claimed again would become rows again: a small file could fill the memory."""
        whole = (SAMPLES / "trace_dat_big" / "trace.dat").read_bytes()
        at = whole.index(b"flyrecord\0") + 10
        begin, _ = struct.unpack(">QQ", whole[at:at + 16])
        claim = struct.pack(">QQ", begin, len(whole) - begin)
        table = whole.index(b"flyrecord\0", at) + 10
        path = self.dir / "twice.dat"
        path.write_bytes(whole[:at] + claim + whole[at + 16:table] + claim + whole[table + 16:])
        rows = self.query(path, "SELECT kind, count FROM import_account WHERE unit = 'part' AND kind IS NOT NULL")
        self.assertEqual([(r["kind"], r["count"]) for r in rows], [("CPUs whose data are those of others", "1")])

    def head(self, place):
        return b"\x17\x08\x44tracing7\0\0\x08" + struct.pack("<I", 4096) + b"none\0\0" + struct.pack("<Q", place)

    def section(self, number, content):
        return struct.pack("<HHIQ", number, 0, 0, len(content)) + content

    def test_options_that_follow_themselves_end(self):
        place = len(self.head(0))
        options = struct.pack("<HI", 2, 0) * 20000
        first = self.section(0, options + struct.pack("<HIQ", 0, 8, place + 16 + len(options) + 14))
        path = self.dir / "ring.dat"
        path.write_bytes(self.head(place) + first + self.section(0, struct.pack("<HIQ", 0, 8, place)))
        self.fails_soon(path, "section of options could not be read")

    def test_many_systems_are_read_in_linear_time(self):
        text = b"name: e\nID: 7\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\nprint fmt: \"\"\n"
        systems = b"".join(b"%x\0" % i + struct.pack("<IQ", 1, len(text)) + text for i in range(300000))
        place = len(self.head(0))
        formats = self.section(18, struct.pack("<I", 300000) + systems)
        path = self.dir / "systems.dat"
        options = self.section(0, struct.pack("<HIQ", 18, 8, place) + struct.pack("<HIQ", 0, 8, 0))
        path.write_bytes(self.head(place + len(formats)) + formats + options)
        self.fails_soon(path, "")

    def fails_soon(self, path, says):
        def limits():
            if SLOW == 1:
                resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
            resource.setrlimit(resource.RLIMIT_CPU, (20 * int(SLOW), 20 * int(SLOW)))
        done = subprocess.run([ORMA, "query", path, "SELECT 1"], env=self.env, capture_output=True, preexec_fn=limits)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertIn(says, done.stderr.decode())

    def test_changed_bytes_are_counted_or_refused(self):
        rnd = random.Random(5)
        for name in ("trace_dat", "trace_dat_big"):
            whole = (SAMPLES / name / "trace.dat").read_bytes()
            for _ in range(150):
                data = bytearray(whole)
                for _ in range(rnd.randrange(1, 6)):
                    data[rnd.randrange(10, len(data))] = rnd.randrange(256)
                path = self.dir / "changed.dat"
                path.write_bytes(data)
                done = self.run_program(ORMA, "query", path, "SELECT count(*) AS n FROM import_account WHERE reason = 'no word'")
                self.assertIn(done.returncode, (0, 1), done.stderr)
                if not done.returncode:
                    self.assertIn(b"0", done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
