"""Files of other tools in which something refers to what is not there, ends too early, lies about its length, or is of a
kind that no table has: the rest is read, and each file says what it lacks. What is whole says nothing."""
import copy
import io
import json
import tarfile
import zipfile

from attack import *

UNBALANCED = ("select unit from import_account where units is not null group by trace_id, unit "
              "having max(units) != sum(count) or sum(reason = 'no word') > 0")


def leb(n):
    out = bytearray()
    while True:
        byte = n & 127
        n >>= 7
        if (n == 0 and not byte & 64) or (n == -1 and byte & 64):
            out.append(byte)
            return bytes(out)
        out.append(byte | 128)


def words(*numbers):
    return struct.pack(f"<{len(numbers)}Q", *[n & (1 << 64) - 1 for n in numbers])


class Parts(Case):
    def setUp(self):
        super().setUp()
        self.loads = 0

    def load(self, data, sql="select 1 as n"):
        self.loads += 1
        path = self.dir / f"file{self.loads}"
        path.write_bytes(data)
        return json.loads(self.orma("query", "--cache=off", "--format=json", path, sql).stdout)

    def sentences(self, data):
        self.assertEqual(self.load(data, UNBALANCED), [])
        return " ".join(row["message"] for row in self.load(data, "select message from import_account where message is not null"))

    def whole(self, data):
        self.assertEqual(self.sentences(data), "")

    def lacks(self, data, says):
        self.assertIn(says, self.sentences(data))

    def column(self, data, sql):
        return [next(iter(row.values())) for row in self.load(data, sql)]


class Pprof(Parts):
    @staticmethod
    def profile(types=1, stack=(1, 2), values=None, locations=(1, 2), functions=(1, 2), texts=("", "cpu", "ns", "f", "g"), more=b""):
        out = b"".join(sub(1, num(1, 1) + num(2, 2)) for _ in range(types))
        out += sub(2, b"".join(num(1, at) for at in stack) + b"".join(num(2, v) for v in values or [1] * types))
        out += b"".join(sub(4, num(1, at) + sub(4, num(1, at) + num(2, 10))) for at in locations)
        out += b"".join(sub(5, num(1, at) + num(2, 2 + at)) for at in functions)
        return out + b"".join(sub(6, s) for s in texts) + more

    def test_what_it_refers_to(self):
        self.whole(self.profile())
        self.lacks(self.profile(locations=(1,)), "frame of samples whose location")
        self.lacks(self.profile(functions=(1,)), "line of locations whose function")
        self.lacks(self.profile(texts=("", "cpu", "ns")), "names missing from the string table")
        self.lacks(self.profile(types=3, values=[7]), "list of values")
        self.lacks(self.profile(types=1, values=[7, 8]), "list of values")

    def test_samples_that_are_broken(self):
        sample = num(1, 1) + num(2, 9)
        for broken in sample + b"\x0a\x7f", sub(1, b"\x01\x82") + num(2, 3):
            data = self.profile(more=sub(2, broken))
            self.lacks(data, "1 sample could not be read")
            self.assertEqual(self.load(data, "select sum(value) as n from __intrinsic_aggregate_sample"), [{"n": 1}])

    def test_no_limit_cuts_in_silence(self):
        data = self.profile(types=40, stack=[1] * 9999 + [2])
        self.whole(data)
        self.assertEqual(self.load(data, "select count(*) as n from __intrinsic_aggregate_sample"), [{"n": 40}])
        self.assertEqual(self.load(data, "select max(depth) as n from stack_profile_callsite"), [{"n": 9999}])


class Simpleperf(Parts):
    FILE = sub(3, num(1, 1) + sub(2, "lib.so") + sub(3, "f") + sub(3, "g"))
    THREAD = sub(4, num(1, 10) + num(2, 9) + sub(3, "main"))

    @staticmethod
    def sample(ts, chain=((1, 0), (2, 1)), more=b""):
        return sub(1, num(1, ts) + num(2, 10) + b"".join(sub(3, num(1, at) + num(2, 1) + num(3, s)) for at, s in chain) + more)

    def report(self, *more, behind=b""):
        out = b"SIMPLEPERF" + struct.pack("<H", 1)
        for record in (self.sample(100), self.FILE, self.THREAD, *more):
            out += struct.pack("<I", len(record)) + record
        return out + struct.pack("<I", 0) + behind

    def test_samples(self):
        self.whole(self.report())
        self.lacks(self.report(self.sample(200, more=b"\x1a\x7f")), "1 sample could not be read")
        self.lacks(self.report(sub(1, num(1, 300) + num(2, 10) + sub(3, num(1, 5) + num(2, 1) + b"\x18"))), "1 sample")
        frame = sub(3, num(1, 5) + num(2, 1))
        self.lacks(self.report(sub(1, num(2, 10) + frame)), "1 sample without a time or thread")
        self.lacks(self.report(sub(1, num(1, 300) + frame)), "1 sample without a time or thread")
        self.lacks(self.report(self.sample(200, chain=((1, 9),))), "1 name of frames")
        self.lacks(self.report(sub(2, num(1, 100) + num(2, 50))), "1 record of lost samples")
        self.lacks(self.report(behind=self.report()[12:]), "1 damaged place")

    def test_no_limit_cuts_in_silence(self):
        data = self.report(self.sample(200, chain=[(i, 0) for i in range(1, 3000)]))
        self.whole(data)
        self.assertEqual(self.load(data, "select max(depth) as n from stack_profile_callsite"), [{"n": 2998}])


class Art(Parts):
    THREAD = b"\0" + struct.pack("<IH", 1, 4) + b"main"
    METHOD = b"\1" + struct.pack("<QH", 16, 18) + b"A\tf\t()V\ta.java\t12\n"
    EVENTS = ((10, 0), (20, 0), (30, 1), (40, 1))

    @staticmethod
    def entries(events, said=None):
        out, before, method = b"", 0, 0
        for ts, action in events:
            out += leb((ts << 2 | action) - before)
            before = ts << 2 | action
            if action == 0:
                out += leb(16 - method)
                method = 16
        said = len(events) if said is None else said
        return b"\2" + struct.pack("<I", 1) + struct.pack("<I", said)[:3] + struct.pack("<I", len(out)) + out

    @staticmethod
    def trace(*blocks):
        return (b"SLOW" + struct.pack("<H", 0xf4) + words(1000)).ljust(32, b"\0") + b"".join(blocks)

    def test_blocks(self):
        all_of_it = self.entries(self.EVENTS)
        self.whole(self.trace(self.THREAD, self.METHOD, all_of_it))
        self.whole(self.trace(self.THREAD, all_of_it, self.METHOD))
        self.lacks(self.trace(self.THREAD, self.METHOD, self.entries(self.EVENTS, 2)), "1 damaged place")
        self.lacks(self.trace(self.THREAD, self.METHOD, self.entries(((10, 0), (20, 3), (30, 1)))), "1 record of an unknown action")
        self.lacks(self.trace(self.THREAD, all_of_it), "2 names of methods")
        self.lacks(self.trace(self.THREAD, self.METHOD, all_of_it, self.entries(((50, 1), (60, 1)))), "2 ends of slices were dropped")
        self.lacks(self.trace(self.THREAD, self.METHOD, all_of_it, b"\3clock=dual\n*end\n", all_of_it), "1 damaged place")


class ArtText(Parts):
    @staticmethod
    def trace(*options, records=4):
        text = "\n".join(("*version", "3", *options, "clock=wall", "*threads", "1\tmain", "*methods", "0x4\tA\tf\t()V\tA.java", "*end", ""))
        body = b"".join(struct.pack("<HII", 1, 4 | i & 1, i) for i in range(records))
        return text.encode() + b"SLOW" + struct.pack("<HHQH", 3, 32, 0, 10) + bytes(14) + body

    def test_what_the_header_says(self):
        self.whole(self.trace("data-file-overflow=false", "num-method-calls=4"))
        self.lacks(self.trace("num-method-calls=7"), "3 records that the header counts are missing")
        self.lacks(self.trace("num-method-calls=5"), "1 record that the header counts is missing")
        self.lacks(self.trace("num-method-calls=3"), "1 count of records in the header could not be read")
        self.lacks(self.trace("data-file-overflow=true"), "1 end of the recording (the buffer of the VM was full) is missing")
        self.whole(self.trace("num-method-calls=99999999999999999999"))  # says nothing


class PerfData(Parts):
    @staticmethod
    def file(samples=3, attrs=None, size=None, more=b"", behind=b"", features=((11, struct.pack("<II", 1, 8) + b"perf\0\0\0\0"),)):
        attr = struct.pack("<IIQQQQ", 1, 64, 0, 1, 7, 0).ljust(64, b"\0") + words(0, 0)
        data = b"".join(struct.pack("<IHH", 9, 2, 32) + struct.pack("<QIIQ", 16, 5, 5, 100 + i) for i in range(samples)) + more
        at = 104 + len(attr)
        place, table, bodies, bits = at + len(data) + 16 * len(features), b"", b"", 0
        for bit, body in features:
            bits |= 1 << bit
            table += words(place + len(bodies), len(body))
            bodies += body
        head = b"PERFILE2" + words(104, len(attr), 104, len(attr) if attrs is None else attrs, at, len(data) if size is None else size,
                                   0, 0, bits, 0, 0, 0)
        return head + attr + data + table + bodies + behind

    def samples(self, data):
        return self.load(data, "select count(*) as n from perf_sample")[0]["n"]

    @staticmethod
    def packed(data, rng, kinds=(81, 83)):
        """The same records in compressed ones: one endless stream of stored blocks, cut anywhere."""
        stream = b"\x28\xb5\x2f\xfd\0\x70"  # the magic of a frame, no options, a window of 16 MB
        while data:
            block, data = data[:(n := rng.randrange(1, 100))], data[n:]
            stream += struct.pack("<I", len(block) << 3)[:3] + block
        out = b""
        while stream:
            part, stream = stream[:(n := rng.randrange(1, 200))], stream[n:]
            kind = rng.choice(kinds)
            body = part if kind == 81 else struct.pack("<Q", len(part)) + part + bytes(-len(part) % 8)
            out += struct.pack("<IHH", kind, 0, 8 + len(body)) + body
        return out

    def test_compressed_records(self):
        rng = random.Random(81)
        sql = "select ts, tid, callsite_id from perf_sample join thread using (utid) order by ts"
        for samples in 1, 2, 50, 400:
            plain = self.file(samples=samples)
            at, size = 104 + 80, samples * 32
            expected = self.load(plain, sql)
            self.assertEqual(len(expected), samples)
            for kinds in (81,), (83,), (81, 83):
                packed = self.packed(plain[at:at + size], rng, kinds)
                file = self.file(samples=0, more=packed)
                self.assertEqual(self.load(file, sql), expected)
                self.whole(file)
        # A long record in pieces of a byte: what is not whole yet is not copied with each.
        name = b"x" * 60000
        comm = struct.pack("<IHH", 3, 0, 16 + len(name)) + struct.pack("<II", 5, 5) + name
        stream, out = b"\x28\xb5\x2f\xfd\0\x70" + struct.pack("<I", len(comm) << 3)[:3] + comm, b""
        for at in range(len(stream)):
            out += struct.pack("<IHHB", 81, 0, 9, stream[at])
        (self.dir / "long").write_bytes(self.file(samples=1, more=out))

        def limit():
            if SLOW == 1:  # else a sanitizer, which needs address space without end
                resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

        done = subprocess.run([ORMA, "query", "--cache=off", "long", "select length(name) from thread where tid = 5"], cwd=self.dir,
                              env=self.env, capture_output=True, preexec_fn=limit)
        self.assertEqual((done.returncode, done.stdout.split()[-1]), (0, b"60000"), done.stderr)
        # The last record is cut, a block is of a kind that is none, a record has no size, one is packed twice.
        records = self.file(samples=9)[184:184 + 9 * 32]
        self.lacks(self.file(samples=0, more=self.packed(records[:-5], rng)), "truncated")
        self.assertEqual(self.samples(self.file(samples=0, more=self.packed(records[:-5], rng))), 8)
        reserved = b"\x28\xb5\x2f\xfd\0\x70" + b"\x06\0\0" + bytes(7)
        for body in reserved, b"no frame" * 2:
            broken = struct.pack("<IHH", 81, 0, 8 + len(body)) + body
            self.lacks(self.file(samples=1, more=broken + self.packed(records, rng)), "damaged")
            self.assertEqual(self.samples(self.file(samples=2, more=broken)), 2)
        self.lacks(self.file(samples=0, more=self.packed(records[:64] + bytes(32) + records[64:], rng)), "damaged")
        self.lacks(self.file(samples=0, more=self.packed(self.packed(records, rng), rng)), "compressed records in compressed records")

    def test_sizes_of_sections(self):
        good = self.file()
        self.whole(good)
        self.whole(self.file(features=(), behind=bytes(6)))  # padding
        self.assertEqual(self.samples(good), 3)
        killed = self.file(size=0, features=())
        self.lacks(killed, "1 end of the recording (the size of its data is 0, as perf leaves it when it is killed) is missing")
        self.assertEqual(self.samples(killed), 3)
        at = 104 + 80 + 3 * 32 + 16
        self.whole(good[:at - 16] + words(at + 16, 16) + words(at + 32, 0) + good[at:])  # of a feature that perf could not write
        self.lacks(good + good, "1 damaged place")
        self.lacks(self.file(behind=b"more"), "1 damaged place was skipped, 4 bytes")
        self.lacks(self.file(size=32), "damaged place")
        self.lacks(self.file(attrs=80 + 9), "1 description of events could not be read")
        at = 104 + 80
        for end in at + 64, at + 96, at + 100, len(good) - 1:  # between records, behind them, in a table, in a section
            self.lacks(good[:end], "truncated: the last 1 byte could not be read, or more is missing")
        self.lacks(self.file(features=((11, struct.pack("<II", 2, 8) + b"perf\0\0\0\0"),)), "1 command line could not be read")
        self.lacks(self.file(features=((12, struct.pack("<II", 1, 64)),)), "1 name of events could not be read")
        self.lacks(self.file(features=((2, b"12345678"),)), "1 build id of files could not be read")


class Archives(Parts):
    JSON = json.dumps([{"ph": "X", "name": "a", "ts": 1, "dur": 2, "pid": 1, "tid": 1}]).encode()

    def zip(self, *members, comment=b"", packed=zipfile.ZIP_STORED, out=None, **how):
        out = io.BytesIO() if out is None else out
        with zipfile.ZipFile(out, "w", packed) as z:
            for name in members or ("t.json",):
                with z.open(zipfile.ZipInfo(name), "w", **how) as member:
                    member.write(self.JSON)
            z.comment = comment
        return out.getvalue()

    def test_zip_around_its_members(self):
        class Pipe(io.BytesIO):
            def seekable(self):
                return False

            def tell(self):
                raise OSError

        good = self.zip()
        for packed in zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED:
            self.whole(self.zip(packed=packed))
            self.whole(self.zip("a.json", packed=packed, out=Pipe()))  # sizes stand behind the members
            self.whole(self.zip(packed=packed, out=Pipe(), force_zip64=True))
        self.whole(self.zip(comment=b"made by hand"))
        self.whole(good + bytes(500))  # padding
        for comment in b"PK\5\6", b"PK\5\6" + bytes(18), good, b"PK\5\6" + bytes(30000):
            self.whole(self.zip(comment=comment))
        for behind in b"x", b"PK\5\6", b"PK\5\6" + bytes(18), good, b"x" * 60000:
            self.lacks(good + behind, "1 damaged place")
        middle = good.index(b"PK\1\2")
        end = good.index(b"PK\5\6")
        moved = good[:middle] + b"junk" + good[middle:end + 16] + struct.pack("<IH", middle + 4, 0)
        self.lacks(moved, "1 damaged place was skipped, 4 bytes")

    def test_members_that_are_not_what_they_are_named(self):
        self.lacks(self.zip("t.json", "folder/"), "1 member with the name of a folder")
        self.whole(self.zip("t.json", ".hidden"))
        self.lacks(self.zip(".hidden", "b/.c/d"), "2 hidden members")

    def tar(self, *types, names=None, behind=b""):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as t:
            for i, kind in enumerate(types):
                info = tarfile.TarInfo(names[i] if names else f"{i}.json")
                info.size, info.type = len(self.JSON), kind
                head = info.tobuf()
                t.fileobj.write(head + self.JSON.ljust(512, b"\0"))
                t.offset += len(head) + 512
        return out.getvalue() + behind

    def test_tar(self):
        self.whole(self.tar(b"0"))
        self.lacks(self.tar(b"0", b"5"), "1 member of tar's type 5")
        self.lacks(self.tar(b"0", b"2"), "1 member of tar's type 2")
        self.lacks(self.tar(b"0", behind=b"x" * 600), "damaged place")
        self.lacks(self.tar(b"0", names=[".hidden"]), "1 hidden member")


class Hprof(Parts):
    @staticmethod
    def record(tag, body, length=None):
        return bytes([tag]) + struct.pack(">II", 0, len(body) if length is None else length) + body

    def text(self, number, s, length=None):
        return self.record(1, struct.pack(">I", number) + s, length)

    @staticmethod
    def klass(number, above, size, fields):
        out = b"\x20" + struct.pack(">9IHH", number, 0, above, 0, 0, 0, 0, 0, size, 0, 0) + struct.pack(">H", len(fields))
        return out + b"".join(struct.pack(">IB", name, kind) for name, kind in fields)

    @staticmethod
    def instance(number, klass, body):
        return b"\x21" + struct.pack(">4I", number, 0, klass, len(body)) + body

    def setUp(self):
        super().setUp()
        self.texts = self.text(1, b"A") + self.text(2, b"x") + self.text(3, b"next") + self.text(4, b"B")
        self.loaded = [self.record(2, struct.pack(">4I", 1, number, 0, name)) for number, name in ((100, 1), (101, 4))]
        self.above, self.below = self.klass(101, 0, 4, [(2, 10)]), self.klass(100, 101, 8, [(3, 2)])
        self.heap = (self.above + self.below + self.instance(200, 100, struct.pack(">II", 201, 7)) +
                     self.instance(201, 100, struct.pack(">II", 0, 8)))

    END = b"\x2c" + bytes(8)

    def dump(self, *records, end=END):
        return b"JAVA PROFILE 1.0.2\0" + struct.pack(">IQ", 4, 1000) + b"".join(records) + end

    def plain(self, more=b""):
        return self.dump(self.texts, *self.loaded, self.record(0x1c, self.heap + more))

    def test_ends(self):
        self.whole(self.plain())
        self.lacks(self.plain() + b"\x1c\0\0\0\0", "the last 5 bytes could not be read")
        segment = self.record(0x1c, self.heap)
        self.lacks(self.dump(self.texts, *self.loaded, self.record(0x1c, self.heap, len(self.heap) + 100), end=b""), "truncated")
        self.lacks(self.dump(self.texts, *self.loaded, segment, end=b""), "1 end of the heap dump is missing")
        self.lacks(self.dump(self.texts, *self.loaded, segment, self.END, self.record(0x1c, b""), end=b""), "1 end of the heap dump is missing")
        self.whole(self.dump(self.texts, *self.loaded, self.record(0x0c, self.heap), end=b""))  # one that is no segment
        self.lacks(self.plain() + self.text(9, b"abc", 100), "1 record could not be read")

    def test_what_it_refers_to(self):
        names = "select name from heap_graph_class where name in ('A', 'B') order by name"
        for data in self.plain(), self.dump(*self.loaded, self.texts, self.record(0x1c, self.heap)):
            self.whole(data)
            self.assertEqual(self.column(data, names), ["A", "B"])
        self.lacks(self.dump(self.texts, self.loaded[0], self.record(0x1c, self.heap)), "1 name of classes")
        self.lacks(self.dump(self.texts[:-14], *self.loaded, self.record(0x1c, self.heap)), "1 name of classes")
        self.lacks(self.dump(self.texts, *self.loaded, self.record(0x1c, self.heap[len(self.above):])), "fields of a Java heap that could not be read")
        self.lacks(self.plain(self.instance(300, 100, b"\0" * 50)), "of a Java heap that could not be read")
        self.lacks(self.plain(self.instance(200, 101, b"\0" * 4)), "1 record of known objects")
        self.lacks(self.plain(self.klass(100, 0, 0, [])), "1 definition of known classes")

    def test_kinds_of_what_is_derived(self):
        texts = self.text(1, b"java/lang/ref/WeakReference") + self.text(2, b"A") + self.text(3, b"B") + self.text(4, b"[LA;")
        loaded = [self.record(2, struct.pack(">4I", 1, n, 0, n)) for n in (1, 2, 3, 4)]
        heap = self.klass(3, 2, 0, []) + self.klass(2, 1, 0, []) + self.klass(1, 0, 0, []) + self.klass(4, 1, 0, [])
        data = self.dump(texts, *loaded, self.record(0x1c, heap + self.instance(9, 3, b"")))
        kinds = self.load(data, "select name, kind from heap_graph_class where name in ('A', 'B', 'A[]') order by name")
        self.assertEqual([k["kind"] for k in kinds], ["KIND_WEAK_REFERENCE", "KIND_ARRAY", "KIND_WEAK_REFERENCE"])

    def test_circles_and_chains_cost_what_they_weigh(self):
        for last in 0, 1000:  # the topmost class is derived from none, or from the lowest one
            many = 40000
            chain = b"".join(self.klass(1000 + i, 1001 + i if i + 1 < many else last, 0, []) for i in range(many))
            data = self.plain(chain + b"".join(self.instance(100000 + i, 1000, b"") for i in range(many)))
            begun = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            self.assertEqual(self.load(data, "select count(*) as n from heap_graph_object where id >= 0"), [{"n": 2 * many + 4}])
            self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begun, 4 * SLOW)


class Gecko(Parts):
    THREAD = {"name": "T", "pid": 1, "tid": 2, "stringArray": ["f", "g", "m"], "funcTable": {"name": [0, 1]},
              "frameTable": {"func": [0, 1]}, "stackTable": {"prefix": [None, 0], "frame": [0, 1]},
              "samples": {"stack": [1, 1, 1], "time": [1, 2, 3]},
              "markers": {"name": [2, 2], "startTime": [1, 2], "endTime": [2, 3], "phase": [1, 1], "category": [0, 0], "data": [None, None]}}

    @staticmethod
    def profile(*threads, **more):
        return json.dumps({"meta": {"version": 1, "categories": [{"name": "Other"}]}, "libs": [], "threads": threads, **more}).encode()

    def changed(self, table, **columns):
        thread = copy.deepcopy(self.THREAD)
        thread[table] = {**thread[table], **columns} if isinstance(thread.get(table), dict) else columns
        return self.profile(thread)

    def test_columns_of_unequal_length(self):
        self.whole(self.profile(self.THREAD))
        self.whole(self.changed("samples", weight=[1, 1, None]))
        self.lacks(self.changed("samples", stack=[1]), "2 samples whose stack is not in the profile")
        self.lacks(self.changed("samples", stack="none"), "3 samples whose stack is not in the profile")
        self.lacks(self.changed("samples", stack=[1, 1, 7]), "1 sample whose stack is not in the profile")
        self.lacks(self.changed("samples", time=[1]), "2 samples without a time")
        self.lacks(self.changed("markers", phase=[1]), "1 marker of an unknown phase")

    def test_what_it_refers_to(self):
        self.lacks(self.changed("stackTable", prefix=[1, None]), "1 stack with a later caller")
        self.lacks(self.changed("stackTable", prefix=[]), "2 stacks with a later caller")
        self.lacks(self.changed("stackTable", frame=[0, 99]), "1 stack whose frame is not in the profile")
        self.lacks(self.changed("frameTable", func=[0, 99]), "1 name missing from the profile")
        self.lacks(self.profile({**self.THREAD, "stringArray": ["f"]}), "names missing from the profile")

    def test_what_has_no_rows(self):
        inner = json.loads(self.profile(self.THREAD))
        self.lacks(self.profile(self.THREAD, processes=[inner, inner]), "2 profiles of further processes")
        self.whole(self.profile(self.THREAD, processes=[], counters=[]))
        self.lacks(self.profile(self.THREAD, counters=[{"name": "malloc"}]), "1 table of counters")
        self.lacks(self.changed("nativeAllocations", stack=[1], time=[1], weight=[100]), "1 table of native allocations")
        self.whole(self.changed("nativeAllocations", stack=[], time=[], weight=[]))
        self.lacks(self.changed("samples", weight=[1, 10, 1]), "1 weight of samples")
        self.lacks(self.profile(self.THREAD, "no thread", 5), "2 threads could not be read")

    def test_threads_known_by_texts_stay_apart(self):
        data = self.profile({**self.THREAD, "tid": "1.1"}, {**self.THREAD, "tid": "1.2"}, {**self.THREAD, "tid": "7"})
        self.assertEqual(self.load(data, "select count(distinct utid) as n from cpu_profile_stack_sample"), [{"n": 3}])
        self.assertEqual(self.column(data, "select tid from thread where tid = 7"), [7])


class Instruments(Parts):
    FRAME = '<frame id="30" name="f" addr="0x10"/>'
    THREAD = '<thread id="3" fmt="main  0x12 (app, pid: 9)"><tid id="4">18</tid><process id="5"><pid id="6">9</pid></process></thread>'

    def row(self, frames=FRAME, thread='<thread ref="3"/>', time="200"):
        return f"<row><sample-time>{time}</sample-time>{thread}<backtrace>{frames}</backtrace></row>"

    def file(self, *rows):
        rows = (self.row(thread=self.THREAD, time="100"), *rows)
        return ('<?xml version="1.0"?><trace-query-result><node>' + "".join(rows) + "</node></trace-query-result>").encode()

    def setUp(self):
        super().setUp()
        self.file_name = self.dir / "known.xml"
        self.file_name.write_bytes(self.file())
        p = subprocess.run([ORMA, "query", "--cache=off", self.file_name, "select 1"], env=self.env, capture_output=True, check=False)
        if p.returncode:
            self.skipTest("a build without expat")

    def test_rows(self):
        self.whole(self.file(self.row('<frame ref="30"/>')))
        self.lacks(self.file(self.row('<frame ref="77"/><frame ref="30"/>')), "1 reference to later elements")
        for time in "abc", "99999999999999999999", "-5", "":
            self.lacks(self.file(self.row(time=time)), "1 time of rows")
        self.lacks(self.file(self.row(thread='<thread id="8"><tid>zz</tid></thread>')), "1 malformed number")
        self.lacks(self.file(self.row()[:-6] + self.row() + "</row>"), "1 row with other rows inside")

    def test_ids_are_any_text(self):
        data = self.file(self.row('<frame id="a" name="first" addr="1"/>'), self.row('<frame id="b" name="second" addr="2"/>'),
                         self.row('<frame ref="a"/>', time="300"))
        self.whole(data)
        names = self.column(data, "select f.name from instruments_sample s join stack_profile_callsite c on c.id = s.callsite_id "
                                  "join stack_profile_frame f on f.id = c.frame_id order by s.ts, s.id")
        self.assertEqual(names, ["f", "first", "second", "first"])

    def test_no_limit_cuts_in_silence(self):
        data = self.file(self.row('<frame ref="30"/>' * 3000))
        self.whole(data)
        self.assertEqual(self.load(data, "select max(depth) as n from stack_profile_callsite"), [{"n": 2999}])


class Fuchsia(Parts):
    @staticmethod
    def event(kind, ts, thread, extra=b""):
        body = words(ts) + (words(7, 8) if not thread else b"") + extra
        return words(4 | (1 + len(body) // 8) << 4 | kind << 16 | thread << 24 | 1 << 48) + body

    @staticmethod
    def thread(number, process, thread):
        return words(3 | 3 << 4 | number << 16, process, thread)

    def trace(self, *more):
        name = words(2 | 2 << 4 | 1 << 16 | 4 << 32) + b"work\0\0\0\0"
        return words(0x0016547846040010, 1 | 2 << 4, 10 ** 9) + name + self.thread(1, 100, 101) + \
            self.event(2, 10, 1) + self.event(3, 20, 1) + b"".join(more)

    def test_records(self):
        self.whole(self.trace())
        self.lacks(self.trace(self.event(0, 30, 9)), "1 thread of events that no record defines")
        self.lacks(self.trace(self.event(3, 30, 1)), "1 end of slices was dropped")
        self.lacks(self.trace(self.event(1, 30, 1, words(5))), "1 counter without a value")
        self.lacks(self.trace(self.thread(2, 100, (1 << 32) + 101)), "1 id of more than 32 bits")
        self.lacks(self.trace(words(0 | 1 << 4 | 3 << 16 | 5 << 20)), "1 record of full buffers")
        self.lacks(self.trace(words(8 | 4 << 4 | 0xffff << 20 | 1 << 60, 50, 101, 102)), "1 record of switches")


class Texts(Parts):
    def test_strace(self):
        calls = b"10 1700000000.000100 read(3, \"x\", 1) = 1 <0.000100>\n10 1700000000.000300 write(1, \"y\", 1) = 1 <0.000050>\n"
        self.whole(calls)
        self.lacks(calls + b"10 1700000000.001000 <... read resumed>) = 0 <0.000500>\n", "1 end of calls was dropped")
        for wrong in b"0.x", b"0.1x", b"99999999999999.0":
            self.lacks(calls + b"10 1700000000.001000 read(3, \"x\", 1) = 1 <" + wrong + b">\n", "1 duration of calls")

        for other in b"3</tmp/file>", b"? <unavailable>":  # strace -y, and a thread that was killed in a call
            self.whole(calls + b"10 1700000000.001000 openat(3, \"x\", 1) = " + other + b"\n")

    def test_markers_of_the_kernel(self):
        line = b"          sh-10    [000] d..3   100.000%d00: tracing_mark_write: %s\n"
        begin = b"# tracer: nop\n#\n" + line % (3, b"B|10|foo") + line % (4, b"E|10")
        self.whole(begin)
        for text in b"hello", b"Q|10|zz", b"C|10|zz|abc", b"B|xx|foo":
            self.lacks(begin + line % (5, text), "1 kernel event 'tracing_mark_write'")

    def test_json(self):
        slices = [{"ph": "X", "name": "a", "ts": 1, "dur": 2, "pid": 1, "tid": 1}]
        counter = {"ph": "C", "name": "n", "ts": 1, "pid": 1}

        def trace(*more):
            return json.dumps({"traceEvents": slices + list(more)}).encode()

        self.whole(trace({**counter, "args": {"v": 5, "w": "6"}}))
        self.lacks(trace({**counter, "args": {"v": 5, "w": "x", "z": None, "o": {}}}), "3 values of counters")
        for wrong in [1], {"a": 1}, True, 1.5:
            self.lacks(trace({**slices[0], "pid": wrong}), "1 pid")
            self.lacks(trace({**slices[0], "tid": wrong}), "1 pid")
        self.whole(trace({**slices[0], "pid": None, "tid": 2.0}))
        escaped = trace().decode()
        for key in "traceEvents", "name", "ph", "ts", "pid":
            escaped = escaped.replace(f'"{key}"', f'"\\u{ord(key[0]):04x}{key[1:]}"')
        self.assertEqual(self.load(escaped.replace('"X"', '"\\u0058"').encode(), "select name, ts from slice"), [{"name": "a", "ts": 1000}])

        def counters(*ids):
            return trace(*({**counter, "id": n, "args": {"v": i}} for i, n in enumerate(ids)))

        self.assertEqual(self.load(counters("1", "2"), "select count(distinct track_id) as n from counter"), [{"n": 2}])
        self.lacks(counters(1, 2), "2 ids of counters that are numbers")

    def test_slices_that_overlap_cost_what_they_weigh(self):
        data = json.dumps([{"ph": "X", "name": "n", "ts": i, "dur": 10 ** 6, "pid": 1, "tid": 1} for i in range(100000)]).encode()
        begun = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        self.assertEqual(self.load(data, "select count(distinct track_id) as n from slice"), [{"n": 100000}])
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begun, 4 * SLOW)

    def test_many_workers_of_ninja_cost_what_they_weigh(self):
        data = b"# ninja log v7\n" + b"".join(b"0\t%d\t0\tf%d\th%d\n" % (60000 - i, i, i) for i in range(60000))
        begun = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        self.assertEqual(self.load(data, "select count(distinct track_id) as n from slice"), [{"n": 60000}])
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begun, 4 * SLOW)

    def test_workers_of_ninja_are_reused(self):
        data = b"# ninja log v7\n0\t10\t0\ta\t1\n0\t5\t0\tb\t2\n5\t9\t0\tc\t3\n6\t20\t0\td\t4\n10\t12\t0\te\t5\n"
        sql = "select s.name, t.tid from slice s join thread_track k on k.id = s.track_id join thread t using (utid) order by s.name"
        self.assertEqual([row["tid"] for row in self.load(data, sql)], [1, 2, 2, 3, 1])


if __name__ == "__main__":
    main()
