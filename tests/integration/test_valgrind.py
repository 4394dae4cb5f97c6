"""Profiles that Valgrind makes here, number by number what its own tools say. Where it is not installed, they are skipped by name."""
import collections
import json
import lzma
import random
import re
import shutil
import time

from orma_env import *

PROGRAM = r"""
#include <stdlib.h>
#include <string.h>

static unsigned seed;
static char *kept[64];
static unsigned dice(unsigned n) { seed = seed * 1103515245 + 12345; return (seed >> 16) % n; }
static inline __attribute__((always_inline)) unsigned mix(unsigned a)
{
    for (unsigned i = 0; i < 3; i++)
        a = a * 31 + i;
    return a;
}

__attribute__((noinline)) char *get(unsigned n)
{
    char *p = malloc(16 + n);
    memset(p, (int)mix(n), 16 + n);
    return p;
}
__attribute__((noinline)) void keep(char *p) { unsigned i = dice(64); free(kept[i]); kept[i] = p; }
__attribute__((noinline)) void tree(unsigned depth)
{
    for (unsigned i = dice(4); depth && i; i--)
        tree(depth - 1);
    if (dice(3))
        keep(get(dice(500)));
    else
        free(get(dice(5)));
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    for (unsigned i = 0; i < 20; i++)
        tree(5);
    for (unsigned i = 0; i < 32; i++)
        free(kept[i]);
    return 0;
}
"""


@unittest.skipIf(not shutil.which("valgrind") or not shutil.which("cc"), "Valgrind and a compiler (valgrind, cc) are not installed")
class Recorded(Case):
    maxDiff = None

    def build(self):
        (self.dir / "work.c").write_text(PROGRAM, encoding="utf-8")
        done = self.run_program("cc", "-g", "-O1", "-o", self.dir / "work", self.dir / "work.c")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.dir / "work"

    def rows(self, trace, sql):
        return json.loads(self.orma("query", trace, sql, "--format=json").stdout)

    def stacks(self, path):
        """Call sites as lists of (function, file or mapping, line), the innermost first."""
        frames = {r["id"]: (r["name"], r["source_file"] or r["mapping"], r["line_number"] or 0) for r in self.rows(
            path, "SELECT f.id, f.name, m.name AS mapping, s.source_file, s.line_number FROM stack_profile_frame f LEFT JOIN stack_profile_symbol s "
            "USING (symbol_set_id) LEFT JOIN stack_profile_mapping m ON m.id = f.mapping")}
        ret = {None: ()}
        for r in self.rows(path, "SELECT id, parent_id, frame_id FROM stack_profile_callsite ORDER BY id"):
            ret[r["id"]] = (frames[r["frame_id"]],) + ret[r["parent_id"]]
        return ret

    def values(self, path, scope):
        """By type of value and stack."""
        stacks = self.stacks(path)
        ret = collections.defaultdict(collections.Counter)
        for r in self.rows(path, "SELECT p.sample_type_type AS type, s.callsite_id, s.value FROM __intrinsic_aggregate_profile p LEFT JOIN "
                           f"__intrinsic_aggregate_sample s ON p.id = s.aggregate_profile_id WHERE p.scope = '{scope}'"):
            if r["value"]:
                ret[r["type"]][stacks[r["callsite_id"]]] += int(r["value"])
        return ret


class Dhat(Recorded):
    TYPES = {"tb": "total", "tbk": "total_blocks", "gb": "at_t_gmax", "gbk": "at_t_gmax_blocks", "eb": "at_t_end", "ebk": "at_t_end_blocks",
             "mb": "maximum", "mbk": "maximum_blocks", "tl": "lifetimes", "rb": "reads", "wb": "writes"}

    def record(self, seed, *flags):
        out = self.dir / "dhat.json"
        done = self.run_program("valgrind", "--tool=dhat", f"--dhat-out-file={out}", *flags, self.build(), seed, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr.decode()[-2000:])
        return out, done.stderr.decode()

    @staticmethod
    def frame(text):
        """Of "0x109219: main (c.c:6)"."""
        name, _, place = text.partition(": ")[2].rpartition(" (")
        if place.startswith("in "):
            return name, place[3:-1], 0
        file, _, line = place[:-1].rpartition(":")
        return (name, file, int(line)) if file else (text.partition(": ")[2], "", 0)

    def test_values(self):
        path, said = self.record(7)
        data = json.loads(path.read_text())
        want = collections.defaultdict(collections.Counter)
        for place in data["pps"]:
            stack = tuple(self.frame(data["ftbl"][i]) for i in place["fs"]) or (("[root]", "", 0),)
            for key, kind in self.TYPES.items():
                if place.get(key):
                    want[kind][stack] += place[key]
        have = self.values(path, "dhat")
        self.assertEqual(dict(have), dict(want))
        self.assertGreater(len(want["total"]), 8)
        for kind, head in (("total", "Total:"), ("at_t_gmax", "At t-gmax:"), ("at_t_end", "At t-end:")):
            line = next(l for l in said.splitlines() if head in l).split(head)[1].replace(",", "").split()
            self.assertEqual([int(line[0]), int(line[3])], [sum(have[kind].values()), sum(have[kind + "_blocks"].values())], line)
        self.assertEqual(self.rows(path, "SELECT reason, units, count FROM import_account WHERE unit = 'program point' AND reason = 'read'"),
                         [{"reason": "read", "units": len(data["pps"]), "count": len(data["pps"])}])

    def test_damage_is_counted(self):
        path, _ = self.record(3)
        data = path.read_bytes()
        rnd = random.Random(5)
        for n in range(15):
            bad = bytearray(data[:rnd.randrange(100, len(data))]) if n % 3 == 0 else bytearray(data)
            for _ in range(rnd.randrange(1, 20)):
                bad[rnd.randrange(40, len(bad))] = rnd.randrange(256)
            path.write_bytes(bad)
            done = self.orma("query", path, "SELECT SUM(count) = MAX(units) AS whole FROM import_account WHERE unit = 'program point'", code=None)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            if done.returncode == 0:
                self.assertIn(done.stdout.decode().split()[1], ("1", '"[NULL]"'), done.stderr)


THREADS = r"""
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static unsigned a[1000];
static int order(const void *x, const void *y) { return *(const int *)x < *(const int *)y ? 1 : -1; }
static inline __attribute__((always_inline)) unsigned mix(unsigned v) { return v * 31 + (v >> 3); }
__attribute__((noinline)) unsigned leaf(unsigned n) { unsigned s = n; for (unsigned i = 0; i < n % 50; i++) s += mix(s + a[i]); return s; }
__attribute__((noinline)) unsigned left(unsigned n) { return leaf(n) + leaf(n / 2); }
__attribute__((noinline)) unsigned right(unsigned n) { return leaf(n * 3) + (n % 3 ? left(n / 3) : 0); }
unsigned even(unsigned n);
__attribute__((noinline)) unsigned odd(unsigned n) { return n ? even(n - 1) + leaf(n) : 0; }
__attribute__((noinline)) unsigned even(unsigned n) { return n ? odd(n - 1) + left(n) : 1; }
static void *work(void *arg)
{
    unsigned s = 0;
    for (unsigned i = 0; i < 100; i++)
        s += (i % 3 ? left : right)(i * *(unsigned *)arg);
    return (void *)(unsigned long)(s + odd(9));
}
int main(int argc, char **argv)
{
    pthread_t threads[2];
    unsigned args[2] = {3, 7}, seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    for (unsigned i = 0; i < 1000; i++)
        a[i] = seed = seed * 1103515245 + 12345;
    for (unsigned i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &args[i]);
    for (unsigned i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    qsort(a, 1000, 4, order);
    return leaf(a[1]) == 0x12345678;
}
"""


class Callgrind(Recorded):
    def record(self, *flags, tool="callgrind"):
        (self.dir / "t.c").write_text(THREADS, encoding="utf-8")
        if not (self.dir / "t").exists():
            done = self.run_program("cc", "-g", "-O1", "-pthread", "-o", self.dir / "t", self.dir / "t.c")
            self.assertEqual(done.returncode, 0, done.stderr)
        before = set(self.dir.iterdir())
        done = self.run_program("valgrind", f"--tool={tool}", f"--{tool}-out-file={self.dir}/out.%p", *flags, self.dir / "t", 5, timeout=180)
        self.assertEqual(done.returncode, 0, done.stderr.decode()[-2000:])
        return sorted(p for p in set(self.dir.iterdir()) - before if p.stat().st_size)

    def annotated(self, path, *flags):
        """What its own tool prints, by event and "file:function"."""
        done = self.run_program("callgrind_annotate", "--threshold=100", "--auto=no", *flags, path, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = done.stdout.decode()
        events = re.search(r"Events shown: *(.*)", text)[1].split()
        ret = collections.defaultdict(collections.Counter)
        for line in text.splitlines():
            words = re.sub(r"\([ \d.]+%\)", " ", line).split(maxsplit=len(events))
            if len(words) <= len(events) or ":" not in words[-1] or not all(re.fullmatch(r"[\d,]+|\.", w) for w in words[:-1]):
                continue
            for event, word in zip(events, words):
                if word.strip("0."):
                    name = re.sub(r" \[[^]]*\]$", "", words[-1])
                    short = name.removeprefix(f"{self.dir}/")  # it has both, one for callers and one for what is called
                    value = int(word.replace(",", ""))
                    ret[event][short] = max(ret[event][short], value) if short != name or "--inclusive=yes" in flags else ret[event][short] + value
        return ret

    def place(self, frame):
        """As that tool says it, which works in the folder of the program."""
        name, file, _ = frame
        return f"{(file or '???').removeprefix(f'{self.dir}/')}:{name}"

    def stacks(self, path):
        """The file of a frame is none where the profile does not say it, not what it lies in."""
        frames = {r["id"]: (r["name"], r["source_file"], 0) for r in self.rows(
            path, "SELECT f.id, f.name, s.source_file FROM stack_profile_frame f LEFT JOIN stack_profile_symbol s USING (symbol_set_id)")}
        ret = {None: ()}
        for r in self.rows(path, "SELECT id, parent_id, frame_id FROM stack_profile_callsite ORDER BY id"):
            ret[r["id"]] = (frames[r["frame_id"]],) + ret[r["parent_id"]]
        return ret

    def sums(self, path):
        """Own costs and those with all that was called, by event and place."""
        own, whole = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
        for event, stacks in self.values(path, "callgrind").items():
            for stack, value in stacks.items():
                own[event][self.place(stack[0])] += value
                for place in {self.place(f) for f in stack}:
                    whole[event][place] += value
        return own, whole

    def check(self, path, whole=()):
        own, sums = self.sums(path)
        said = self.annotated(path)
        self.assertEqual({e: {n: (own[e][n], said[e][n]) for n in own[e].keys() | said[e].keys() if own[e][n] != said[e][n]} for e in own}, {e: {} for e in said})
        said = self.annotated(path, "--inclusive=yes")
        for event in said if whole else ():
            for name, value in said[event].items():
                if name.partition(":")[2] in whole and "/include/" not in name:  # not what is inlined there
                    self.assertLessEqual(abs(sums[event][name] - value), max(3, value // (1000 if event == "Ir" else 20)), (event, name, value))
        count = self.rows(path, "SELECT SUM(count) AS num, MAX(units) AS units FROM import_account WHERE unit = 'line'")[0]
        self.assertEqual(count["num"], count["units"])
        return own

    def test_functions(self):
        for flags in ((), ("--compress-strings=no", "--compress-pos=no"), ("--separate-recs=3",),
                      ("--dump-instr=yes", "--dump-line=no"),
                      ("--dump-instr=yes", "--collect-jumps=yes", "--cache-sim=yes", "--branch-sim=yes", "--collect-systime=yes")):
            with self.subTest(flags):
                path, = self.record(*flags)
                own = self.check(path, ("leaf", "left", "right", "main", "work", "qsort"))
                if "--dump-line=no" not in flags:
                    self.assertGreater(own["Ir"]["t.c:leaf"], 1000)

    def test_threads_and_parts(self):
        paths = self.record("--separate-threads=yes")
        self.assertIn(len(paths), (2, 3), paths)  # a number may be used again
        for path in paths:
            self.check(path)
        path, = self.record("--separate-threads=yes", "--combine-dumps=yes", "--dump-every-bb=20000")
        text = path.read_text()
        self.assertGreater(text.count("part: "), 2)
        # Its own tool takes calls that began in an earlier part ("calls=0") for costs of the caller.
        own, _ = self.sums(path)
        self.assertEqual(sum(own["Ir"].values()), sum(int(v) for v in re.findall(r"^totals: (\d+)", text, re.M)))
        roots = {stack[-1][0] for stack in self.values(path, "callgrind")["Ir"]}
        self.assertLessEqual(roots, {"[thread 1]", "[thread 2]", "[thread 3]"})
        joined = collections.Counter()
        for p in paths:
            joined.update(self.sums(p)[0]["Ir"])
        self.assertEqual(own["Ir"]["t.c:leaf"], joined["t.c:leaf"])

    def test_cachegrind(self):
        path, = self.record("--branch-sim=yes", tool="cachegrind")
        own, _ = self.sums(path)
        summary = next(l for l in path.read_text().splitlines() if l.startswith("summary:")).split()[1:]
        events = next(l for l in path.read_text().splitlines() if l.startswith("events:")).split()[1:]
        self.assertEqual({e: sum(own[e].values()) for e in events if own[e]}, {e: int(v) for e, v in zip(events, summary) if int(v)})

    def test_packed_and_converted(self):
        path, = self.record()
        packed = self.dir / "p.xz"
        packed.write_bytes(lzma.compress(path.read_bytes()))
        self.assertEqual(self.sums(packed), self.sums(path))
        self.assertIn(b"leaf", self.orma("convert", "collapsed", path, "-").stdout)

    def test_damage_is_counted(self):
        path, = self.record()
        data = path.read_bytes()
        rnd = random.Random(5)
        for n in range(30):
            bad = bytearray(data[:rnd.randrange(300, len(data))]) if n % 3 == 0 else bytearray(data)
            for _ in range(rnd.randrange(1, 20)):
                bad[rnd.randrange(260, len(bad))] = rnd.randrange(256)
            path.write_bytes(bad)
            done = self.orma("query", path, "SELECT SUM(count) = MAX(units) AS whole FROM import_account WHERE unit = 'line'", code=None)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            if done.returncode == 0:
                self.assertIn(done.stdout.decode().split()[1], ("1", '"[NULL]"'), done.stderr)

    def test_graphs_take_time_by_their_size(self):
        """Many threads; many calls that lead back into one long path."""
        head, path = "# callgrind format\nversion: 1\npositions: line\nevents: Ir\n", self.dir / "many.out"
        num = 250000
        long = "".join(f"fn=({i}) f{i}\n1 1\ncfn=({i + 1}) f{i + 1}\ncalls=1 1\n1 1\n" for i in range(num))
        for text in ("".join(f"thread: {i}\n" for i in range(num)) + "fn=a\n1 1\n",
                     long + f"fn=({num})\n1 1\n" + "".join(f"cfn=({i})\ncalls=1 1\n1 1\n" for i in range(num))):
            path.write_text(head + text)
            before = time.monotonic()
            self.orma("query", path, "SELECT 1")
            self.assertLess(time.monotonic() - before, 6 * SLOW)

    def test_inlined_code_of_very_many_files(self):
        """A function of many callers, with lines in many files: not each of the ones times each of the others."""
        path, num = self.dir / "files.out", 20000
        path.write_text("# callgrind format\nversion: 1\npositions: line\nevents: Ir\n" +
                        "".join(f"fn=({i}) f{i}\n1 1\ncfn=(1000) F\ncalls=1 1\n1 99999\n" for i in range(260)) +
                        "fn=(1000)\n1 99999\n" + "".join(f"fi=({i}) s{i}\n1 99999\n" for i in range(num)))
        own, _ = self.sums(path)
        self.assertEqual(sum(own["Ir"].values()), 260 + 99999 * (num + 1))
        self.assertLess(int(self.rows(path, "SELECT count(*) AS n FROM stack_profile_callsite")[0]["n"]), 1500000)
        merged = self.rows(path, "SELECT SUM(count) AS n FROM import_account WHERE reason = 'merged'")[0]["n"]
        self.assertGreater(int(merged), 256 * (num - 5000))


if __name__ == "__main__":
    main()
