"""Names for frames: `util symbolize`, `util deobfuscate`, and the same at the end of a load."""
import csv
import io
import json
import re
import shutil
import struct
import tarfile
import unittest

from orma_env import *

TRACECONV = BUILD / "compat/traceconv"
SAMPLE = BUILD / "tests/unit/symbols/symbols_sample"
NAMES = "SELECT s.name, s.source_file, s.line_number, s.inlined FROM stack_profile_frame f " \
        "JOIN stack_profile_symbol s USING (symbol_set_id) ORDER BY f.rel_pc, s.id"


def build_id(path):
    """Of an ELF file, in hexadecimal; None if it has none."""
    found = re.search(rb"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0(.{20})", path.read_bytes(), re.S)
    return found.group(1) if found else None


def quoted(data):
    return '"' + "".join(f"\\{b:03o}" for b in data) + '"'


class Symbolize(Case):
    def setUp(self):
        super().setUp()
        self.env.pop("PERFETTO_BINARY_PATH", None)
        self.env.pop("PERFETTO_PROGUARD_MAP", None)
        self.pcs = {}
        for line in self.run_program(SAMPLE).stdout.decode().splitlines():
            name, pc = line.split()
            self.pcs[name] = int(pc, 16)
        self.id = build_id(SAMPLE)
        if not self.id:
            self.skipTest("this linker gives no build ids")
        self.trace(SAMPLE)

    def trace(self, binary, name="a.b.c"):
        """Two samples of a program whose frames have addresses only, and one with a short name."""
        path = str(binary).strip("/")
        text = f"""
packet {{
  trusted_packet_sequence_id: 1
  sequence_flags: 1
  timestamp: 1000
  interned_data {{
    build_ids {{ iid: 1 str: {quoted(self.id)} }}
    mapping_paths {{ iid: 1 str: "{path}" }}
    mapping_paths {{ iid: 2 str: "base.apk" }}
    function_names {{ iid: 1 str: "" }}
    function_names {{ iid: 2 str: "{name}" }}
    mappings {{ iid: 1 build_id: 1 path_string_ids: 1 load_bias: 18446744073709551615 }}
    mappings {{ iid: 2 path_string_ids: 2 }}
    frames {{ iid: 1 function_name_id: 1 mapping_id: 1 rel_pc: {self.pcs["inlined"]} }}
    frames {{ iid: 2 function_name_id: 1 mapping_id: 1 rel_pc: {self.pcs["plain"]} }}
    frames {{ iid: 3 function_name_id: 2 mapping_id: 2 rel_pc: 5 }}
    callstacks {{ iid: 1 frame_ids: 2 frame_ids: 1 }}
    callstacks {{ iid: 2 frame_ids: 3 frame_ids: 2 }}
  }}
  perf_sample {{ cpu: 0 pid: 10 tid: 10 timebase_count: 1 callstack_iid: 1 }}
}}
packet {{
  trusted_packet_sequence_id: 1
  timestamp: 2000
  perf_sample {{ cpu: 0 pid: 10 tid: 10 timebase_count: 2 callstack_iid: 2 }}
}}"""
        self.orma("convert", "-f", "binary", "-", "t.pftrace", input=text.encode())

    def rows(self, sql, trace="t.pftrace"):
        done = self.orma("query", trace, sql)
        return list(csv.reader(io.StringIO(done.stdout.decode())))[1:]

    def names(self, trace="t.pftrace"):
        return [(r[0], r[1].rsplit("/", 1)[-1], r[2], r[3]) for r in self.rows(NAMES, trace)]

    def needs_libdw(self, *argv, **more):
        done = self.run_program(*argv, **more)
        if b"built without libdw" in done.stderr:
            self.skipTest("built without libdw")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    WANT = [("sample_innermost", "sample_inner.h", "1002", "1"), ("sample_middle", "sample_middle.h", "2002", "1"),
            ("sample_outer", "sample_outer.c", "3003", "0"), ("sample_plain", "sample_plain.c", "4003", "0")]

    def test_packets_to_append(self):
        self.assertEqual(self.names(), [])
        done = self.needs_libdw(SHELL, "util", "symbolize", "t.pftrace", "symbols")
        self.assertIn(b"2 of 2 frames named; binaries found for 1 of 1 modules", done.stderr)
        (self.dir / "both").write_bytes((self.dir / "t.pftrace").read_bytes() + (self.dir / "symbols").read_bytes())
        self.assertEqual(self.names("both"), self.WANT)
        self.assertEqual(self.rows("SELECT name, value FROM stats WHERE severity = 'error' AND value > 0", "both"), [])
        again = self.run_program(TRACECONV, "symbolize", "--verbose", "both")
        self.assertEqual((again.returncode, again.stdout), (0, b""))
        self.assertIn(b"no frames without symbols", again.stderr)
        verbose = self.run_program(TRACECONV, "symbolize", "--verbose", "t.pftrace")
        self.assertEqual(verbose.stdout, (self.dir / "symbols").read_bytes())
        self.assertIn(f"{self.id.hex()} {SAMPLE}: {SAMPLE}".encode(), verbose.stderr)

    def test_other_folders(self):
        self.trace("/no/such/place/program")
        done = self.needs_libdw(SHELL, "util", "symbolize", "t.pftrace")
        self.assertIn(b"0 of 2 frames named; binaries found for 0 of 1 modules; PERFETTO_BINARY_PATH", done.stderr)
        (self.dir / "b/deep").mkdir(parents=True)
        shutil.copy(SAMPLE, self.dir / "b/deep/renamed")
        self.env["PERFETTO_BINARY_PATH"] = f"/nowhere:{self.dir}/b"
        self.assertEqual(self.names(), [])
        self.env["PERFETTO_SYMBOLIZER_MODE"] = "index"
        self.assertEqual(self.names(), self.WANT)
        self.env["PERFETTO_SYMBOLIZER_MODE"] = "find"
        shutil.copy(SAMPLE, self.dir / "b/program")
        self.assertEqual(self.names(), self.WANT)
        self.env["PERFETTO_SYMBOLIZER_MODE"] = "guess"
        for argv in (ORMA, "query", "t.pftrace", "SELECT 1"), (SHELL, "query", "t.pftrace", "SELECT 1"), \
                (SHELL, "util", "symbolize", "t.pftrace"):
            done = self.run_program(*argv)
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"PERFETTO_SYMBOLIZER_MODE: unknown way to find binaries 'guess'", done.stderr)

    def test_at_the_end_of_a_load(self):
        self.needs_libdw(SHELL, "util", "symbolize", "t.pftrace")
        self.env["PERFETTO_BINARY_PATH"] = str(SAMPLE.parent)
        self.assertEqual(self.names(), self.WANT)
        done = self.run_program(SHELL, "-Q", NAMES, "t.pftrace")
        self.assertEqual(done.stdout.count(b"sample_"), 8, done.stderr)
        (self.dir / "p").mkdir()
        done = self.run_program(TRACECONV, "profile", "--output-dir", "p", "t.pftrace")
        self.assertEqual(done.returncode, 0, done.stderr)
        profile = next((self.dir / "p").iterdir()).read_bytes()
        self.assertIn(b"sample_innermost", profile)
        self.assertIn(b"sample_middle.h", profile)

    SQL = "INCLUDE PERFETTO MODULE callstacks.symbolize; SELECT function_name, line_number, mapping_id, address " \
          "FROM _callstack_frame_symbolize!({}) ORDER BY address"
    FOUND = [["sample_plain", "4003", "0", "0"], ["sample_innermost", "1002", "0", "1"],
             ["sample_middle", "2002", "0", "1"], ["sample_outer", "3003", "0", "1"]]

    def shell_rows(self, sql, *flags, code=0):
        done = self.run_program(SHELL, *flags, "-Q", sql, "t.pftrace")
        self.assertEqual(done.returncode, code, done.stderr)
        return list(csv.reader(io.StringIO(done.stdout.decode())))[1:] if code == 0 else done.stderr.decode()

    def test_sql(self):
        self.needs_libdw(SHELL, "util", "symbolize", "t.pftrace")
        frames, allowed = self.SQL.format("_callstack_frames_without_symbols"), "--allow-sql-file-access"
        self.assertIn("__intrinsic_symbolize: File I/O is disabled", self.shell_rows(frames, code=1))
        self.assertEqual(self.shell_rows(frames, allowed), self.FOUND)
        # Any file, any order, no mapping; what is not there gives nothing.
        pc = self.pcs["plain"]
        places = f"(SELECT 0 AS mapping_id, '{SAMPLE}' AS file_name, {pc} AS rel_pc, 7 AS address UNION ALL " \
                 f"SELECT NULL, '{SAMPLE}', {self.pcs['inlined']}, 6 UNION ALL SELECT NULL, '{SAMPLE}', 1, 5 UNION ALL " \
                 f"SELECT NULL, '/no/such/file', 1, 4 UNION ALL SELECT NULL, NULL, {pc}, 3)"
        self.assertEqual([r[0] + r[3] for r in self.shell_rows(self.SQL.format(places), allowed)],
                         ["sample_innermost6", "sample_middle6", "sample_outer6", "sample_plain7"])
        self.assertEqual(self.shell_rows(self.SQL.format("(SELECT * FROM _callstack_frames_without_symbols WHERE 0)")), [])
        for bad, says in ("__intrinsic_symbolize(5)", "expected the result"), ("__intrinsic_symbolize_agg(1, 2, 3, 4)", "a file name"), \
                ("__intrinsic_symbolize_agg('a', 'b', 3, 4)", "a file name"):
            self.assertIn(says, self.shell_rows(f"SELECT {bad}", allowed, code=1))
        # A build of another time is at that place: its names would be wrong.
        copy = self.dir / "sample"
        copy.write_bytes(SAMPLE.read_bytes().replace(self.id, bytes(20)))
        self.trace(copy)
        self.assertEqual(self.shell_rows(frames, allowed), [])
        # Folders that the program was given are enough, and are all that is read.
        self.env["PERFETTO_BINARY_PATH"] = str(SAMPLE.parent)
        self.env["PERFETTO_SYMBOLIZER_MODE"] = "index"
        again = self.SQL.format("(SELECT m.name AS file_name, f.rel_pc, m.id AS mapping_id, f.id AS address "
                                "FROM stack_profile_frame f JOIN stack_profile_mapping m ON m.id = f.mapping)")
        self.assertEqual(self.shell_rows(again), self.FOUND)
        self.env["PERFETTO_SYMBOLIZER_MODE"] = "find"
        self.assertEqual(self.shell_rows(self.SQL.format(f"(SELECT '{SAMPLE}' AS file_name, {pc} AS rel_pc, 0 AS mapping_id, "
                                                         "0 AS address)"), allowed), [])

    def perf_data(self):
        """As perf writes it into a pipe: build ids of the sample and of a kernel, and a sample in both."""
        def record(kind, data, misc=2):
            return struct.pack("<IHH", kind, misc, 8 + len(data)) + data

        def mapping(pid, start, size, offset, misc, name, build_id):
            head = struct.pack("<IIQQQ", pid & 0xffffffff, 0, start, size, offset) + struct.pack("<B3x20s", 20, build_id) + struct.pack("<II", 5, 2)
            return record(10, head + name.encode().ljust(len(name) + 8 - len(name) % 8, b"\0") + struct.pack("<QII", 500, 0, 0), misc | 1 << 14)

        ip_tid_time_chain_cpu_period, all_have_ids = 1 | 2 | 4 | 1 << 5 | 1 << 7 | 1 << 8, 1 << 18
        attr = struct.pack("<IIQQQQQ", 0, 112, 0, 1000, ip_tid_time_chain_cpu_period, 0, all_have_ids).ljust(112, b"\0")
        kernel, pc = 0xffffffff85000000, 0x10000 + self.pcs["plain"]
        chain = [2**64 - 128, kernel + 0x110, 2**64 - 512, pc]
        return struct.pack("<8sQ", b"PERFILE2", 16) + b"".join((
            record(64, attr + struct.pack("<Q", 9)), record(78, struct.pack("<QQ", 2, 9) + b"cycles:u\0".ljust(16, b"\0")),
            mapping(-1, kernel, 0x2000, kernel, 1, "[kernel.kallsyms]_text", b"\xab" * 20),
            mapping(40, 0x10000, 0x100000, 0, 2, str(SAMPLE), self.id),
            record(9, struct.pack("<QIIQIIQ", chain[1], 40, 40, 600, 1, 0, 7) + struct.pack(f"<Q{len(chain)}Q", len(chain), *chain), 1)))

    def test_perf_data_has_names_in_all_commands(self):
        """The binaries of this machine, and the table of the kernel that perf keeps at home, by their build ids."""
        (self.dir / "perf.data").write_bytes(self.perf_data())
        table = self.dir / "home/.debug/[kernel.kallsyms]" / ("ab" * 20) / "kallsyms"
        table.parent.mkdir(parents=True)
        table.write_text("ffffffff81000000 T _text\nffffffff81000100 T read_zero\nffffffff81001000 T _etext\n")
        self.env["HOME"] = str(self.dir / "home")
        for argv in (["profile", "report", "--tree", "perf.data"], ["report", "perf.data", "functions"], ["convert", "collapsed", "perf.data"],
                     ["query", "perf.data", "INCLUDE PERFETTO MODULE orma.samples; SELECT stack FROM orma_sample"]):
            out = self.needs_libdw(ORMA, *argv).stdout.decode()
            for name in ("read_zero", "sample_plain"):
                self.assertIn(name, out, argv)
        table.write_text("ffffffff81000000 T _stext\nffffffff81000100 T read_zero\n")  # of which boot nobody can tell
        self.assertNotIn("read_zero", self.orma("profile", "report", "perf.data").stdout.decode())

    def test_short_names(self):
        sql = "SELECT name, deobfuscated_name FROM stack_profile_frame WHERE name != ''"
        (self.dir / "map.txt").write_text("shop.Cart -> a.b:\n    1:2:void add(int):3:4 -> c\n")
        self.assertEqual(self.rows(sql), [["a.b.c", "[NULL]"]])
        done = self.run_program(SHELL, "util", "deobfuscate", "t.pftrace", "names")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"PERFETTO_PROGUARD_MAP=[PACKAGE=]PATH", done.stderr)
        self.env["PERFETTO_PROGUARD_MAP"] = f"base={self.dir}/map.txt"
        done = self.run_program(SHELL, "util", "deobfuscate", "t.pftrace", "names")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.rows(sql), [["a.b.c", "shop.Cart.add"]])
        del self.env["PERFETTO_PROGUARD_MAP"]
        (self.dir / "both").write_bytes((self.dir / "t.pftrace").read_bytes() + (self.dir / "names").read_bytes())
        self.assertEqual(self.rows(sql, "both"), [["a.b.c", "shop.Cart.add"]])
        self.env["PERFETTO_PROGUARD_MAP"] = "other.package=map.txt"
        self.assertEqual(self.rows(sql), [["a.b.c", "[NULL]"]])
        for value, says in ("x=none.txt", b"none.txt: No such file"), ("t.pftrace", b"not a line of a ProGuard mapping"):
            self.env["PERFETTO_PROGUARD_MAP"] = value
            done = self.run_program(ORMA, "query", "t.pftrace", "SELECT 1")
            self.assertEqual(done.returncode, 1)
            self.assertIn(says, done.stderr)

    def test_short_names_of_a_heap(self):
        text = """packet { timestamp: 5 trusted_packet_sequence_id: 1 heap_graph { pid: 2
          objects { id: 1 type_id: 1 reference_field_id: 1 reference_object_id: 2 } objects { id: 2 type_id: 1 }
          types { id: 1 class_name: "a" location_id: 1 } field_names { iid: 1 str: "a a.b" }
          location_names { iid: 1 str: "/data/app/~~x/com.shop-y/base.apk" } } }"""
        self.orma("convert", "-f", "binary", "-", "heap", input=text.encode())
        (self.dir / "map.txt").write_text("shop.Cart -> a:\n    shop.Cart next -> b\n")
        sql = "SELECT c.deobfuscated_name, r.deobfuscated_field_name FROM heap_graph_class c, heap_graph_reference r"
        self.assertEqual(self.rows(sql, "heap"), [["[NULL]"] * 2])
        self.env["PERFETTO_PROGUARD_MAP"] = "com.shop=map.txt"
        names = self.rows(sql, "heap")
        self.assertEqual(names, [["shop.Cart", "shop.Cart.next"]])
        self.assertEqual(self.run_program(SHELL, "bundle", "heap", "heap.tar").returncode, 0)
        del self.env["PERFETTO_PROGUARD_MAP"]
        self.assertEqual(self.rows(sql, "heap.tar"), names)

    def stacks(self, thread):
        """The stack of each sample, outermost first, with lines; it checks the tables on the way."""
        def cells(table, name):
            return [row[table["schema"][name]] for row in table["data"]]
        frames, stacks = thread["frameTable"], thread["stackTable"]
        names = [thread["stringTable"][i] for i in cells(frames, "location")]
        whole = []
        for prefix, frame in zip(cells(stacks, "prefix"), cells(stacks, "frame")):
            whole.append((whole[prefix] if prefix is not None else []) + [(names[frame], cells(frames, "line")[frame])])
        return list(zip(cells(thread["samples"], "time"), [whole[i] for i in cells(thread["samples"], "stack")]))

    def test_firefox(self):
        def convert(name="t.pftrace"):
            return json.loads(self.orma("convert", "firefox", name).stdout)
        profile = convert()
        self.assertEqual(profile["meta"]["version"], 24)
        self.assertEqual(len(profile["threads"]), 1)
        thread = profile["threads"][0]
        self.assertEqual((thread["pid"], thread["tid"], thread["name"]), (10, 10, "Thread 10"))
        unknown = ("unknown (in symbols_sample)", None)
        self.assertEqual(self.stacks(thread), [(0.001, [unknown] * 2), (0.002, [("a.b.c (in base.apk)", None), unknown])])
        (self.dir / "profile.json").write_text(json.dumps(profile))
        self.assertEqual(self.rows("SELECT s.ts, f.name FROM stack_sample s JOIN stack_profile_callsite c ON c.id = callsite_id "
                                   "JOIN stack_profile_frame f ON f.id = frame_id ORDER BY ts", "profile.json"),
                         [["1000", "unknown (in symbols_sample)"], ["2000", "unknown (in symbols_sample)"]])
        self.needs_libdw(SHELL, "util", "symbolize", "t.pftrace")
        self.env["PERFETTO_BINARY_PATH"] = "/"
        plain, *inlined = [(f"{n} (in symbols_sample)", line) for n, line in
                           (("sample_plain", 4003), ("sample_outer", 3003), ("sample_middle", 2002), ("sample_innermost", 1002))]
        self.assertEqual(self.stacks(convert()["threads"][0]),
                         [(0.001, [plain] + inlined), (0.002, [("a.b.c (in base.apk)", None), plain])])
        (self.dir / "none.txt").write_text("packet { timestamp: 5 }")
        self.orma("convert", "binary", "none.txt", "none")
        done = self.orma("convert", "firefox", "none", code=1)
        self.assertEqual(json.loads(done.stdout)["threads"], [])
        self.assertIn(b"no samples with stacks", done.stderr)

    def members(self, archive):
        with tarfile.open(self.dir / archive) as tar:
            return {m.name: tar.extractfile(m).read() for m in tar}

    def test_a_bundle(self):
        (self.dir / "map.txt").write_text("shop.Cart -> a.b:\n    1:2:void add(int):3:4 -> c\n")
        names = "SELECT deobfuscated_name FROM stack_profile_frame WHERE name != ''"
        self.needs_libdw(SHELL, "util", "symbolize", "t.pftrace")
        trace = (self.dir / "t.pftrace").read_bytes()
        bundle = "bundle", "--proguard-map", "base=map.txt", "t.pftrace", "t.tar"
        for says, program, *more in (b"Wrote t.tar.\n", SHELL), (b"Wrote t.tar.\n", TRACECONV), (b"", ORMA, "convert"):
            if not says:  # what other programs overwrite, ours keeps
                self.assertIn(b"--force overwrites it", self.run_program(program, *more, *bundle).stderr)
                (self.dir / "t.tar").unlink()
            done = self.run_program(program, *more, *bundle)
            self.assertEqual((done.returncode, done.stdout), (0, says), done.stderr)
            found = self.members("t.tar")
            self.assertEqual(list(found), ["trace.perfetto", "symbols.pb", "deobfuscation.pb"])
            self.assertEqual(found["trace.perfetto"], trace)
            self.assertEqual(self.names("t.tar"), self.WANT)
            self.assertEqual(self.rows(names, "t.tar"), [["shop.Cart.add"]])
        # One of the two.
        self.run_program(TRACECONV, "bundle", "--no-auto-symbol-paths", "--proguard-map=map.txt", "t.pftrace", "t.tar")
        self.assertEqual(list(self.members("t.tar")), ["trace.perfetto", "deobfuscation.pb"])
        self.assertEqual(self.rows(names, "t.tar"), [["shop.Cart.add"]])
        self.env["PERFETTO_PROGUARD_MAP"] = "map.txt"
        self.run_program(TRACECONV, "bundle", "--no-auto-symbol-paths", "--no-auto-proguard-maps", "t.pftrace", "t.tar")
        self.assertEqual(list(self.members("t.tar")), ["trace.perfetto"])
        self.run_program(TRACECONV, "bundle", "--no-auto-symbol-paths", "t.pftrace", "t.tar")
        self.assertEqual(list(self.members("t.tar")), ["trace.perfetto", "deobfuscation.pb"])
        # Folders by name.
        self.trace("/no/such/place/program")
        (self.dir / "b/deep").mkdir(parents=True)
        shutil.copy(SAMPLE, self.dir / "b/deep/renamed")
        done = self.run_program(SHELL, "bundle", "--symbol-paths", "nowhere,b", "--verbose", "t.pftrace", "t.tar")
        self.assertIn(b"b/deep/renamed", done.stderr)
        self.assertEqual(self.names("t.tar"), self.WANT)
        self.env["PERFETTO_BINARY_PATH"] = "b/deep"
        self.env["PERFETTO_SYMBOLIZER_MODE"] = "index"
        self.run_program(SHELL, "bundle", "--symbol-paths=nowhere", "t.pftrace", "t.tar")
        self.assertEqual(list(self.members("t.tar")), ["trace.perfetto", "symbols.pb", "deobfuscation.pb"])

    def test_a_bundle_that_cannot_be(self):
        for code, words, says in (1, ["none", "t.tar"], "none: No such file"), (1, [".", "t.tar"], "not a regular file"), \
                (1, ["t.pftrace", "t.pftrace"], "is also an input"), (1, ["t.pftrace", "no/such/t.tar"], "No such file"), \
                (1, ["--proguard-map=t.pftrace", "t.pftrace", "t.tar"], "not a line"), \
                (2, ["-", "t.tar"], "'-' cannot be used"), (2, ["t.pftrace"], "name an archive"), (2, [], "name a trace"), \
                (2, ["a", "b", "c"], "unexpected argument"), (2, ["--oops", "a", "b"], "oops"):
            done = self.run_program(ORMA, "convert", "bundle", "--no-auto-symbol-paths", *words)
            self.assertEqual(done.returncode, code, (words, done.stderr))
            self.assertIn(says.lower(), done.stderr.decode().lower())
        self.assertEqual(self.run_program(SHELL, "bundle", "t.pftrace").returncode, 1)
        self.assertEqual([p.name for p in self.dir.iterdir()], ["t.pftrace"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
