"""Folders of uftrace that are recorded here, record by record what `uftrace dump` says. Where it is not installed, they are skipped by name."""
import collections
import io
import pathlib
import random
import re
import resource
import shutil
import struct
import subprocess
import tarfile

from orma_env import *

PROGRAM = r"""
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf back;
static unsigned seed;
static unsigned dice(unsigned n) { seed = seed * 1103515245 + 12345; return (seed >> 16) % n; }

__attribute__((noinline)) double real(double a, float b, int c) { return a * b + c; }
__attribute__((noinline)) char *text(const char *name, long n) { char *ret = malloc(64); snprintf(ret, 64, "%s-%ld", name ? name : "none", n); return ret; }
__attribute__((noinline)) short small(char a, short b, unsigned c) { return a + b + c; }
__attribute__((noinline)) void jump(int n) { if (n) jump(n - 1); else longjmp(back, 1); }
__attribute__((noinline)) int tree(int depth)
{
    int sum = depth;
    char *t;
    if (depth > 6)
        return 1;
    for (unsigned i = dice(4); i; i--) {
        switch (dice(5)) {
        case 0: sum += (int)real(depth, 0.25f, i); break;
        case 1: t = text(dice(3) ? "a name" : NULL, depth); sum += (int)strlen(t); free(t); break;
        case 2: sum += small('a', -3, i); break;
        default: sum += tree(depth + 1);
        }
    }
    return sum;
}
__attribute__((noinline)) void *work(void *arg) { for (int i = 0; i < 10; i++) tree((int)(long)arg % 3); usleep(2000); return arg; }

int main(int argc, char **argv)
{
    pthread_t t[2];
    seed = argc > 1 ? atoi(argv[1]) : 1;
    if (!setjmp(back))
        jump(3);
    work(NULL);
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    pid_t pid = fork();
    if (!pid) {
        tree(4);
        if (argc > 2)
            execl("/bin/true", "true", NULL);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    return 0;
}
"""
LINE = re.compile(r"\s*(\d+)\.(\d{9})\s+(\d+): \[(entry|exit )\] (.*)\(([0-9a-f]+)\) depth: (\d+)")
VALUE = re.compile(r"\s+(args\[\d+\]|retval) ([a-z]+\d*): (.*)")


@unittest.skipIf(not shutil.which("uftrace") or not shutil.which("gcc"), "uftrace or gcc is not installed")
class Uftrace(Case):
    def record(self, seed, *flags, more=()):
        (self.dir / "t.c").write_text(PROGRAM)
        subprocess.run(["gcc", "-pg", "-g", "-O0", "-o", "t", "t.c", "-lpthread"], cwd=self.dir, check=True, timeout=60)
        folder = self.dir / f"made{seed}"
        done = subprocess.run(["uftrace", "record", "-d", str(folder), *flags, "./t", str(seed), *more], cwd=self.dir, capture_output=True, timeout=60)
        if not (folder / "info").exists():
            self.skipTest(f"uftrace records nothing here: {done.stderr.decode(errors='replace')[-200:]}")
        return folder

    def said(self, folder):
        """Entries and exits as (tid, ns, which, name, depth), in the order of each thread, with what they are given."""
        done = subprocess.run(["uftrace", "dump", "-d", str(folder), "--demangle=no"], capture_output=True, text=True, errors="replace", timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        ret, values = collections.defaultdict(list), None
        for line in done.stdout.splitlines():
            m = LINE.match(line)
            if m:
                values = {}
                ret[int(m[3])].append((int(m[1]) * 10**9 + int(m[2]), m[4].strip(), m[5], int(m[7]), values))
            elif values is not None and (m := VALUE.match(line)):
                values[m[1]] = (m[2], m[3])
        return ret

    def slices_said(self, folder):
        """The same as slices: exits end what is as deep; an entry ends what is as deep or deeper."""
        out, self.alone = [], 0
        for tid, records in self.said(folder).items():
            stack = []
            for ts, which, name, depth, values in records:
                while stack and stack[-1][3] >= depth + (which == "exit"):
                    s = stack.pop()
                    out.append((tid, s[1], ts - s[1], s[2], len(stack), s[4]))
                if which == "entry":
                    stack.append((tid, ts, name, depth, dict(values)))
                elif stack and stack[-1][3] == depth:
                    s = stack.pop()
                    out.append((tid, s[1], ts - s[1], s[2], len(stack), {**s[4], **values}))
                else:
                    self.alone += 1
            for depth, s in enumerate(stack):
                out.append((tid, s[1], -1, s[2], depth, s[4]))
        return out

    def same(self, folder, trace=None):
        trace = trace or folder
        rows = self.query(trace, "SELECT s.id, tid, ts, dur, s.name, s.depth FROM slice s JOIN thread_track tt ON tt.id = s.track_id JOIN thread USING (utid)")
        args = collections.defaultdict(dict)
        for r in self.query(trace, "SELECT s.id, key, display_value FROM slice s JOIN args USING (arg_set_id) WHERE key GLOB 'args*' OR key = 'retval'"):
            args[r["id"]][r["key"]] = r["display_value"]
        have, want = collections.defaultdict(list), self.slices_said(folder)
        for r in rows:
            have[int(r["tid"]), int(r["ts"]), int(r["dur"]), r["name"], int(r["depth"])].append(args[r["id"]])
        self.assertGreater(len(want), 20)
        self.assertEqual(collections.Counter({k: len(v) for k, v in have.items()}), collections.Counter(s[:5] for s in want))
        for *key, values in want:
            found = have[tuple(key)]
            near = [a for a in found if self.alike(a, values)]
            self.assertTrue(near, (key, values, found))
            found.remove(near[0])
        counted = self.query(trace, "SELECT kind, count FROM import_account WHERE reason != 'read' AND unit = 'record'")
        self.assertEqual([(r["kind"], int(r["count"])) for r in counted], [("exits of functions", self.alone)] if self.alone else [])

    def alike(self, args, values):
        if set(args) != set(values):
            return False
        for key, (form, text) in values.items():
            if form.startswith("str"):
                if args[key] != text:
                    return False
            elif form.startswith("c") and 32 <= int(text, 16) < 127:
                if args[key] != chr(int(text, 16)):
                    return False
            elif form.startswith("f"):
                bits = int(form[1:])
                said, = struct.unpack("<f" if bits == 32 else "<d", int(text, 16).to_bytes(bits // 8, "little"))
                if abs(float(args[key]) - said) > 1e-6 * max(1, abs(said)):
                    return False
            elif form == "p" or text.startswith("0x"):
                text = text.replace("(nil)", "0").split()[0]
                have = int(args[key], 16 if args[key].startswith("0x") else 10)
                bits = int(form[1:] or 64) if form[1:].isdigit() else 64
                if have % 2**bits != int(text, 16) % 2**bits:
                    return False
        return True

    def test_calls(self):
        self.same(self.record(1, "--no-libcall"))

    def test_arguments_and_library_calls(self):
        self.same(self.record(2, "-a"))

    def test_rules_of_arguments(self):
        self.same(self.record(3, "-A", "real@fparg1/64,fparg2/32,arg1/d32", "-A", "^te@arg1/s,arg2", "-R", "small@retval/d16", "-R", "tree@retval/d32", "-R", "real@retval/f64",
                              "-A", "small@arg1/c,arg2/d16,arg3/u32"))

    def test_exec_and_archives(self):
        folder = self.record(5, "-a", more=["exec"])
        self.same(folder)
        for mode, name in (("w", "a.tar"), ("w:gz", "a.tgz")):
            with tarfile.open(self.dir / name, mode) as tar:
                tar.add(folder, arcname="some/where")
            self.same(folder, self.dir / name)
        shutil.make_archive(str(self.dir / "b"), "zip", folder)
        self.same(folder, self.dir / "b.zip")

    def test_switches(self):
        folder = self.record(6, "--no-libcall")
        if not any(p.stat().st_size for p in folder.glob("perf-cpu*.dat")):
            self.skipTest("uftrace records no switches here")
        rows = self.query(folder, "SELECT COUNT(*) AS n, SUM(dur > 0) AS whole FROM sched")
        self.assertGreater(int(rows[0]["whole"]), 2)

    def test_damage(self):
        folder = self.record(7, "-a")
        rnd = random.Random(7)
        data = {p.name: p.read_bytes() for p in folder.iterdir()}
        for n in range(30):
            other = self.dir / f"bad{n}"
            other.mkdir()
            victim = rnd.choice([name for name, bytes_ in data.items() if bytes_ and (n % 2 or name.endswith(".dat"))])
            for name, bytes_ in data.items():
                bad = bytearray(bytes_)
                if name == victim:
                    for _ in range(rnd.randrange(1, 20)):
                        bad[rnd.randrange(8 if name == "info" else 0, len(bad))] = rnd.randrange(256)
                    if n % 3 == 0:
                        bad = bad[:rnd.randrange(len(bad))]
                (other / name).write_bytes(bad)
            done = self.orma("query", other, "SELECT SUM(count) = MAX(units) AS whole FROM import_account WHERE unit = 'record'", code=None)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            if done.returncode == 0:
                self.assertIn(done.stdout.decode().split()[1], ("1", '"[NULL]"'), (victim, done.stderr))


class Hostile(Case):
    """Files of a few megabytes, of which each record, map or function asks for one of very many things."""
    def load(self, info=b"", task=b"", records=0, parts=()):
        folder = self.dir / "hostile"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "info").write_bytes(b"Ftrace!\0" + struct.pack("<IHBBQQII", 4, 40, 1, 2, 0, 0, 0, 0)[:32].ljust(32, b"\0") + info)
        (folder / "task.txt").write_bytes(task)
        entry = lambda i: struct.pack("<QQ", 1000 + i, 0x400000 + 16 * i << 16 | 5 << 3)
        (folder / "77.dat").write_bytes(b"".join(map(entry, range(records))))
        for name, data in parts:
            (folder / name).write_bytes(data)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = self.orma("query", folder, "SELECT sum(count) AS n FROM import_account WHERE kind GLOB 'names and rules*'")
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 20 * SLOW)
        return int(done.stdout.decode().split()[-1].strip('"[]').replace("NULL", "0"))

    def test_many_sessions_of_one_process(self):
        line = b'SESS timestamp=%d.0 pid=77 sid=00000000000000ab exename="/x"\n'
        self.assertGreater(self.load(task=b"".join(line % i for i in range(30000)), records=100000), 0)

    def test_many_rules_for_many_functions(self):
        session = b'SESS timestamp=0.0 pid=77 sid=00000000000000ab exename="/x"\nTASK timestamp=0.0 tid=77 pid=77\n'
        rules = b"pattern_type:regex\nargspec:" + b";".join(b"a.*b%d@arg1" % i for i in range(5000)) + b"\n"
        symbols = b"".join(b"%016x T f%d\n" % (0x400000 + 16 * i, i) for i in range(50000))
        maps = b"00400000-00800000 r-xp 00000000 00:00 0 /bin/x\n"
        self.assertGreater(self.load(rules, session, 50000, [("sid-00000000000000ab.map", maps), ("x.sym", symbols)]), 0)


class Folders(Case):
    def test_what_is_no_trace(self):
        self.assertIn(b"Is a directory", self.orma("query", self.dir, "SELECT 1", code=1).stderr)
        (self.dir / "info").write_bytes(b"Ftrace!\0" + bytes(40))
        self.assertIn(b"uftrace", self.orma("query", self.dir, "SELECT 1", code=1).stderr)
        self.assertIn(b"give the folder", self.orma("query", self.dir / "info", "SELECT 1", code=1).stderr)

    def test_other_traces_of_the_folder_are_read_too(self):
        """And folders beyond a number are refused, soon."""
        made = pathlib.Path(__file__).resolve().parent.parent / "golden/processor/formats/uftrace/trace.tar"
        text = b"# tracer: nop\n a-1 (1) [000] .... 10.000000: tracing_mark_write: B|1|other\n a-1 (1) [000] .... 10.000001: tracing_mark_write: E|1\n"

        def add(tar, name, data):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        shutil.copy(made, self.dir / "both.tar")
        with tarfile.open(self.dir / "both.tar", "a") as tar:
            add(tar, "run/other.systrace", text)
        rows = self.query(self.dir / "both.tar", "SELECT trace_type, (SELECT SUM(units) FROM (SELECT DISTINCT trace_id, units FROM import_account) a "
                          "WHERE a.trace_id = f.id) AS units FROM __intrinsic_trace_file f ORDER BY id")
        self.assertEqual([r["trace_type"] for r in rows], ["tar", "uftrace", "systrace"])
        self.assertEqual(rows[-1]["units"], "2")
        with tarfile.open(self.dir / "many.tar", "w") as tar:
            for n in range(2000):
                add(tar, f"{n}/info", b"Ftrace!\0" + bytes(40))
        self.assertIn(b"uftrace folder", self.orma("query", self.dir / "many.tar", "SELECT 1", code=1, timeout=20).stderr)


if __name__ == "__main__":
    main()
