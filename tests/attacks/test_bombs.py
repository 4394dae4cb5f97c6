"""Files that unpack to much, nest deeply, promise lengths that are not there, or make the importers work: loading
ends in time and in memory that has to do with the size of the file, and says what is wrong."""
import gzip
import io
import json
import re
import shutil
import tarfile
import zipfile
import zlib

from attack import *

MEMORY_MB = 700 if SLOW == 1 else 6000
PACKET = sub(1, num(8, 1) + num(10, 2))
EMPTY = b"\x0a\x00"


def zipped(members, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method, compresslevel=9) as z:
        for name, data in members:
            z.writestr(name, data)
    return out.getvalue()


def overlapping_zip(data, entries):
    """Many entries of the directory, one member."""
    one = zipped([("a", data)], zipfile.ZIP_STORED)
    end = one.rindex(b"PK\5\6")
    directory = one.rindex(b"PK\1\2", 0, end)
    entry = one[directory:end]
    tail = bytearray(one[end:end + 22])
    struct.pack_into("<HHII", tail, 8, entries, entries, len(entry) * entries, directory)
    return one[:directory] + entry * entries + bytes(tail)


def event(i, more):
    return sub(1, num(8, i) + num(10, 1) + sub(11, more))


def nested(field, times, core=b"x"):
    for _ in range(times):
        core = sub(field, core)
    return core


def pprof(names, locations, samples):
    """A profile. Locations are lists of numbers of names, the innermost first, where calls were compiled in; samples
    are lists of numbers of locations, the innermost first."""
    strings = ["", "samples", "count", *names]
    return (sub(1, num(1, 1) + num(2, 2)) +
            b"".join(sub(2, sub(1, b"".join(varint(n + 1) for n in stack)) + sub(2, b"\1")) for stack in samples) +
            b"".join(sub(4, num(1, i + 1) + b"".join(sub(4, num(1, n + 1)) for n in functions)) for i, functions in enumerate(locations)) +
            b"".join(sub(5, num(1, i + 1) + num(2, i + 3)) for i in range(len(names))) +
            b"".join(sub(6, s) for s in strings))


class Bombs(Case):
    def load(self, data, sql="select count(*) from slice", seconds=None):
        path = self.dir / "bomb"
        path.write_bytes(data)
        return self.limited([SHELL, "-Q", sql, path], seconds)

    def limited(self, argv, seconds=None):
        """Exit code and what was said; fails when it takes too long or too much."""
        seconds = (seconds or 30) * SLOW

        def limited():
            if SLOW == 1:
                resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))

        p = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=limited, env=self.env)
        said = p.stdout.read()
        p.stdout.close()
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
        self.assertIn(p.returncode, (0, 1), f"{said[-500:]!r}, {usage.ru_utime:.1f} s of cpu")
        self.assertNotRegex(said, rb"runtime error|ERROR: AddressSanitizer")
        self.assertLess(usage.ru_maxrss >> 10, MEMORY_MB, "MB at most")
        return p.returncode, said.decode(errors="replace")

    def assert_refused(self, data, word="bomb"):
        code, said = self.load(data)
        self.assertEqual(code, 1, said[-300:])
        self.assertIn(word, said)

    def test_gzip(self):
        self.assert_refused(gzip.compress(bytes(50 << 20), 9))

    def test_gzip_in_gzip(self):
        data = b"x"
        for _ in range(300):
            data = gzip.compress(data, 1)
        self.load(data)
        twice = gzip.compress(gzip.compress(bytes(64 << 20), 9), 9)
        self.assert_refused(twice)

    @unittest.skipIf(not shutil.which("zstd"), "no zstd here")
    def test_zstd(self):
        packed = subprocess.run(["zstd", "-1", "-q", "-c"], input=bytes(200 << 20), capture_output=True, check=True).stdout
        self.assert_refused(packed)
        self.load(sub(1, sub(133, packed)))

    def test_ctrace(self):
        self.load(b"TRACE:\n" + zlib.compress(bytes(50 << 20), 1))

    def test_compressed_packets(self):
        many = zlib.compress(EMPTY * (times(4, 50) << 20), 1)
        self.load(sub(1, sub(50, many)))
        data = zlib.compress(PACKET * (1 << 16), 1)
        for i in range(4):
            data = zlib.compress(sub(1, sub(50, data)) * (20 if i else 1), 1)
        self.load(sub(1, sub(50, data)))

    def test_small_files_of_large_packets(self):
        """Each stream is within what deflate can do; what counts is what all of them hold."""
        for inner in (EMPTY, PACKET, event(1, num(9, 3) + num(11, 1)), sub(1, sub(900, bytes(1 << 20)))):
            one = sub(1, sub(50, zlib.compress(inner * ((8 << 20) // len(inner)), 9)))
            self.assert_refused(one * 45)
            if inner == EMPTY:
                self.assert_refused(gzip.compress(one * 45, 1))

    def test_descriptors_in_packets(self):
        one = sub(1, num(10, 1) + sub(72, sub(2, gzip.compress(bytes(200 << 20), 9))))
        code, said = self.load(one * 8, "select 'left out', count from import_account where kind = 'damaged places'")
        self.assertEqual(code, 0, said[-300:])
        self.assertIn('"left out",8', said, "each of them is counted")

    def test_packets_in_packets(self):
        data = b""
        for _ in range(1500):
            data = sub(1, sub(50, zlib.compress(data, 1)))
        self.load(data)

    def test_zip(self):
        code, _ = self.load(zipped((f"f{i}.pftrace", EMPTY * (4 << 20)) for i in range(3)))
        self.assertEqual(code, 0, "each byte became a thousand, which deflate may do: read, in its time")

    def test_zip_of_stored_members_that_overlap(self):
        trace = b"".join(event(i, num(9, 3) + sub(23, "n")) for i in range(100000))
        code, said = self.load(overlapping_zip(trace, 5000))
        self.assertEqual(code, 1, said[-300:])

    def test_zip_in_zip(self):
        data = b"x"
        for _ in range(200):
            data = zipped([("a.zip", data)])
        self.load(data)

    def test_zip_of_many(self):
        self.load(zipped((str(i), b"") for i in range(5000)))
        self.load(zipped((f"{i}.pftrace", PACKET) for i in range(500)))
        # Ten thousand traces in some kilobytes, each with something to say about it.
        data = b"".join(sub(1, num(8, i) + num(10, 1) + sub(11, num(9, 2) + num(11, 1))) for i in range(10))
        for _ in range(3):
            data = zipped((f"{i}", data) for i in range(22))
        code, said = self.load(data, seconds=30)
        self.assertEqual(code, 0, said[-500:])

    def test_tar(self):
        info = tarfile.TarInfo("a")
        info.size = 1 << 40
        self.load(info.tobuf() + b"x" * 2000)
        info.size = 0o77777777777
        self.load(info.tobuf() * 10)
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as tar:
            data = b"x"
            for i in range(30):
                info = tarfile.TarInfo(f"{i}.tar")
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
                data = out.getvalue() if len(data) < 50000 else b"y"
        self.load(out.getvalue())

    def test_json(self):
        self.load(b'{"traceEvents":[' + b"[" * 1000000)
        self.load(b'{"traceEvents":[{"ph":"X","ts":1,"dur":1,"pid":1,"tid":1,"name":"a","args":' + b'{"a":' * 100000 + b"1" +
                  b"}" * 100000 + b"}]}")
        self.load(b'{"traceEvents":[{"ph":"X","name":"' + b"a" * 20000000)

    def test_nested_messages(self):
        for field in (4, 11):
            self.load(event(5, num(9, 1) + sub(4, nested(field, 5000))))
        self.load(sub(1, num(8, 1) + num(10, 1) + nested(11, 20000)))
        self.load(nested(1, 5000))

    def test_lengths_that_are_not_there(self):
        self.load(b"\x0a" + varint(1 << 40) + b"a" * 100)
        self.load(b"\x0a" + b"\xff" * 30)
        self.load(PACKET + b"\x0a" + varint(100) + b"a" * 50)

    def test_work_for_importers(self):
        many = times(10000, 300000)
        self.load(b"".join(sub(1, num(8, i) + num(10, i) + sub(11, num(9, 1) + num(11, i))) for i in range(many)))
        self.load(b"".join(event(i * 0x9e3779b97f4a7c15 & (1 << 64) - 1, num(9, 1)) for i in range(many)))
        self.load(b"".join(event(i, num(9, 1) + sub(23, "n")) for i in range(many)),
                  "select max(depth) from slice; select count(*) from ancestor_slice((select max(id) from slice))")
        self.load(b"".join(event(many - i, num(9, 1) + sub(23, "n")) for i in range(many)))

    def test_many_words_about_many(self):
        """What the service says of the whole recording, as often as there are sequences: each is a step."""
        many = times(30000, 200000)
        sequences = b"".join(sub(1, num(8, 5) + num(10, i + 2) + num(41, 1)) for i in range(many))
        for what in (lambda i: sub(35, b""), lambda i: sub(89, num(1, i + 1) + num(2, 7)), lambda i: sub(33, b"")):
            code, said = self.load(sequences + b"".join(sub(1, num(10, 1) + what(i)) for i in range(many)))
            self.assertEqual(code, 0, said[-300:])

    def test_a_long_way_up(self):
        """Tracks whose parents are a chain: described from its top, resolving one is a step each."""
        many = times(100000, 1000000)
        chain = b"".join(sub(1, num(10, 1) + sub(60, num(1, i) + (num(5, i - 1) if i > 1 else b"") + sub(2, "t")))
                         for i in range(1, many + 1))
        code, said = self.load(chain + event(5, num(9, 3) + num(11, many)), "select count(*) as n from track")
        self.assertEqual(code, 0, said[-300:])
        self.assertIn(f"\n{many}\n", said)

    def stacks(self):
        """Files of deep stacks: what, and the file."""
        many = times(1, 10)
        deep = list(range(2000))
        few = [f"f{i}" for i in range(2000)]
        three = [[i, (i + 700) % 2000, (i + 1300) % 2000] for i in range(2000)]
        yield "stacks with a common root", pprof(few, three, [deep[i:] for i in range(0, 200 * many)])
        yield "stacks that differ at the root", pprof(few, three, [deep[:-1 - i] for i in range(200 * many)])
        yield "recursion", pprof(few, three, [[0, 1, 2, i % 2000] * 500 for i in range(200 * many)])
        yield "many calls compiled into one that calls itself", pprof(few, [list(range(2000))], [[0] * 8000 * many])
        yield "many calls compiled into one that all call", \
            pprof(few, [list(range(2000))] + [[i] for i in range(2000)], [[0, 1 + i] for i in range(2000)])
        yield "names of kilobytes", pprof([f"{i}" + "n" * 20000 for i in range(20)], [[i] for i in range(20)],
                                          [[(i + k) % 20 for k in range(300)] for i in range(500)])
        yield "lines of text", b"".join(b";".join(b"f%d" % k for k in range(i % 500, 2000)) + b" 1\n" for i in range(200 * many))

    def test_deep_stacks(self):
        """What reports on functions cost grows with the file, or they say which limit it is past."""
        for what, data in self.stacks():
            with self.subTest(what, size=len(data)):
                trace = self.dir / "stacks"
                trace.write_bytes(data)
                for argv in (["report", trace], ["profile", "report", trace], ["diff", trace, trace],
                             ["query", trace, "INCLUDE PERFETTO MODULE orma.samples; SELECT max(length(stack)) FROM orma_sample"]):
                    code, said = self.limited([ORMA, *argv])
                    if code:
                        self.assertIn("limit", said[-2000:], argv[0])

    def test_limits_of_stacks(self):
        """Whoever asks for the stacks says which limit they are past; other sections of a report are shown."""
        trace = self.dir / "stacks"
        functions = list(range(20000))
        names = [f"f{i}" for i in functions]
        trace.write_bytes(pprof(names, [functions] + [[i] for i in range(14000)], [[0, 1 + i] for i in range(14000)]))
        code, said = self.limited([ORMA, "report", trace, "functions", "overview"])
        self.assertEqual(code, 1, said)
        self.assertIn("functions: functions of stacks: the stacks take more than 268435456 steps, which is the limit", said)
        self.assertIn("What was recorded", said)
        for argv in (["profile", "report", trace], ["fleet", "export", "--to", self.dir / "lake", "--label", "build=b", trace]):
            with self.subTest(argv[0]):
                code, said = self.limited([ORMA, *argv])
                self.assertEqual(code, 1, said)
                self.assertIn("the stacks have more than 16 calls for each of their frames", said)

    @unittest.skipUnless(LONG, "takes a gigabyte, and time")
    def test_advice_helps(self):
        """The calls of all stacks are counted before something is chosen."""
        trace = self.dir / "stacks"
        locations = [[(i + k) % 64 for k in range(17)] for i in range(64)] + [[64 + i] for i in range(1060)]
        stack = [i * 7 % 64 for i in range(1000)]
        trace.write_bytes(pprof([f"f{i}" for i in range(1124)], locations, [[*stack, 64 + i] for i in range(1060)]))
        said = self.run_program(ORMA, "profile", "report", trace).stderr.decode()
        self.assertIn("the stacks have more than 16777216 different calls, which is the limit\n", said)

    def ask(self, data, sql):
        path = self.dir / "asked.pb"
        path.write_bytes(data)
        sql = "INCLUDE PERFETTO MODULE orma.samples; " + sql
        return json.loads(self.orma("query", "--format=json", path, sql).stdout)

    def texts(self, names, locations, samples):
        """What stacks are called, in their order."""
        rows = self.ask(pprof(names, locations, samples), """
            SELECT c1 AS stack FROM __intrinsic_table_ptr(__intrinsic_orma_stack_texts(_orma_frame_functions!(), (
              SELECT __intrinsic_row_dataframe_agg('callsite_id', callsite_id)
              FROM (SELECT callsite_id FROM __intrinsic_aggregate_sample ORDER BY id))))
            WHERE __intrinsic_table_ptr_bind(c1, 'stack')""")
        self.assertEqual(len(rows), len(samples))
        return [row["stack"] for row in rows]

    def test_sums_of_functions(self):
        """Each stack counts once in each of its functions, however often they call themselves."""
        names, locations = ["a", "b", "c", "d"], [[0], [1], [2, 3], [3, 3, 1]]
        stacks = [[0, 1], [1, 1, 0], [2, 1], [3, 2, 3, 0]]
        rows = self.ask(pprof(names, locations, stacks), """
            SELECT function, CAST(self AS INT) AS self, CAST(total AS INT) AS total FROM _orma_function_sums!((
              SELECT callsite_id, counted, weight FROM orma_stack_weight)) ORDER BY function""")
        self.assertEqual([tuple(row.values()) for row in rows], [("a", 1, 3), ("b", 1, 4), ("c", 1, 2), ("d", 1, 2)])
        self.assertEqual(self.texts(names, locations, stacks),
                         ["a < b", "b < b < a", "c < d < b", "d < d < b < c < d < d < d < b < a"])

    def test_texts_of_deep_stacks(self):
        names = [f"f{i}" for i in range(140)]
        each = [[i] for i in range(140)]
        whole, more, other = self.texts(names, each, [list(range(128)), list(range(129)), [*range(128), 130]])
        self.assertEqual(whole, " < ".join(names[:128]))
        for text in more, other:
            self.assertRegex(text, "^" + re.escape(whole) + r" < \.\.\. 1 more \(stack [0-9a-f]{8}\)$")
        self.assertNotEqual(more, other)
        in_one, = self.texts(names, [list(range(129))], [[0]])
        self.assertEqual(in_one, more, "it does not matter what was compiled into what")

    def test_texts_of_long_names(self):
        names = ["n" * 9000 + "x", "n" * 9000 + "y", "n" * 8192, "a", "b"]
        one, other, fits, twice, after = self.texts(names, [[i] for i in range(5)], [[0], [1], [2], [0, 3], [3, 0]])
        self.assertEqual(fits, "n" * 8192)
        self.assertNotEqual(one, other)
        for text in one, other:
            self.assertRegex(text, r"^n{8192}\.\.\. \(stack [0-9a-f]{8}\)$")
        self.assertRegex(twice, r"^n{8192} < \.\.\. 1 more \(stack [0-9a-f]{8}\)$")
        self.assertRegex(after, r"^a < \.\.\. 1 more \(stack [0-9a-f]{8}\)$")

    def test_tracks_that_meet_in_a_hash(self):
        """Ids that a mixing function without a seed would put into one place."""
        def unmix(x):
            mask = (1 << 64) - 1
            x ^= x >> 31 ^ x >> 62
            x = x * 0x319642b2d24d8ec3 & mask
            x ^= x >> 27 ^ x >> 54
            x = x * 0x96de1b173f119089 & mask
            return x ^ x >> 30 ^ x >> 60

        many = times(20000, 1000000)
        ids = [unmix(i << 40) for i in range(1, many)]
        self.load(b"".join(sub(1, num(8, i) + num(10, 1) + sub(60, num(1, u) + sub(2, "t"))) + event(i, num(9, 3) + num(11, u))
                           for i, u in enumerate(ids)))


if __name__ == "__main__":
    main()
