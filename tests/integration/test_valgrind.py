"""Profiles that Valgrind makes here, number by number what its own tools say. Where it is not installed, they are skipped by name."""
import collections
import json
import random
import shutil

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


if __name__ == "__main__":
    main()
