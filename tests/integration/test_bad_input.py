"""Every wrong word, file and right gives one clear message and the right exit code."""
import bz2
import gzip
import io
import json
import lzma
import random
import shutil
import socket
import struct
import tarfile
import tempfile
import zipfile

from orma_env import *

RECORDED = None


def recorded():
    """A small trace, recorded once for all tests."""
    global RECORDED
    if RECORDED is None:
        case = Case()
        case.setUp()
        path = case.dir / "t.pftrace"
        case.orma("record", "-o", path, "apps", "--", DEMO, "--threads", "2", "--iterations", "100")
        RECORDED = path.read_bytes()
        case.doCleanups()
    return RECORDED


def packets(trace):
    """Where each packet begins."""
    at, ret = 0, []
    while at < len(trace):
        ret.append(at)
        size, shift, at = 0, 0, at + 1
        while True:
            size |= (trace[at] & 0x7f) << shift
            shift, at = shift + 7, at + 1
            if trace[at - 1] < 0x80:
                break
        at += size
    return ret


class BadInput(Case):
    def message(self, *argv, code, says, lines=2):
        done = self.run_program(*argv)
        text = done.stderr.decode()
        self.assertEqual(done.returncode, code, text)
        self.assertIn(says, text)
        self.assertLessEqual(len(text.strip().splitlines()), lines, text)

    def test_wrong_words(self):
        for argv, says in [
                (["recrod"], "did you mean 'record'"),
                (["record", "--tiem", "5s"], "did you mean '--time'"),
                (["record", "-t", "5x"], "bad time '5x'"),
                (["record", "-t", "-1s"], "bad time '-1s'"),
                (["record", "-b", "32"], "bad buffer size '32'"),
                (["record", "-b", "8gb"], "bad buffer size '8gb'"),
                (["record", "shced"], "did you mean 'sched'"),
                (["record", "--"], "a command must follow '--'"),
                (["record", "-o"], "needs a value"),
                (["query"], "TRACE"),
                (["query", "--csvv", "x"], "unknown option"),
                (["stats"], "TRACE"),
        ]:
            with self.subTest(argv=argv):
                self.message(ORMA, *argv, code=2, says=says)

    def test_wrong_forms_get_the_right_one(self):
        (self.dir / "t.pftrace").write_bytes(recorded())
        for argv, code, says in [
                (["export", "csv", "t.pftrace", "t.csv"], 2, "--to csv -o FOLDER"),
                (["export", "t.pftrace", "sqlite", "t.db"], 2, "name the output with -o"),
                (["convert", "binary", "t.pftrace", "out"], 1, "is a protobuf trace already"),
                (["profile", "-p", str(2**22 + 1)], 1, "does not exist"),
                (["profile", "-g", "--", "true"], 2, "also without -g"),
                (["record", "-e", "sched:sched_switch"], 2, "orma record sched/sched_switch"),
                (["record", "--pid", "1"], 2, "--tree PID"),
                (["true", "x"], 2, "orma record -- true"),
        ]:
            with self.subTest(argv=argv):
                self.message(ORMA, *argv, code=code, says=says)

    def test_missing_files(self):
        for argv in (["query", "absent.pftrace", "select 1"], ["stats", "absent.pftrace"]):
            self.message(ORMA, *argv, code=1, says="absent.pftrace")
        self.message(SHELL, "-Q", "select 1", "absent.pftrace", code=1, says="absent.pftrace")
        (self.dir / "t.pftrace").write_bytes(recorded())
        self.message(ORMA, "query", "-f", "absent.sql", "t.pftrace", code=1, says="absent.sql")

    def test_standard_input_is_a_trace(self):
        """- is what comes from another program, or a file; the SQL then comes from elsewhere."""
        path = self.dir / "t.json"
        path.write_text('[{"ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"name":"piped"}]')
        sql = "SELECT name FROM slice"
        with open(path, "rb") as file:
            for source in ({"input": path.read_bytes()}, {"stdin": file}):
                self.assertIn(b"piped", self.run_program(ORMA, "query", "-", sql, **source).stdout)
        for argv in (["report", "-"], ["stats", "-"]):
            done = self.run_program(ORMA, *argv, input=path.read_bytes())
            self.assertEqual(done.returncode, 0, done.stderr)
        (self.dir / "q.sql").write_text(sql)
        self.assertIn(b"piped", self.run_program(ORMA, "query", "-", "-f", self.dir / "q.sql", input=path.read_bytes()).stdout)
        self.message(ORMA, "query", "-", code=2, says="orma query - 'SELECT ...' < TRACE")
        self.message(ORMA, "query", path, "-", code=2, says=f"orma query {path} < FILE.sql")
        self.message(ORMA, "query", "-", path, sql, code=2, says="'-' is the only trace")
        done = self.run_program(ORMA, "query", "-", sql, input=b"")
        self.assertIn(b"orma query: -: the file is empty", done.stderr)

    def test_what_came_out_of_a_broken_container_is_read(self):
        events = [f'{{"ph":"X","pid":1,"ts":{i},"dur":1,"name":"{random.Random(i).random()}"}}' for i in range(5000)]
        text = ("[" + ",".join(events) + "]").encode()
        first, second = io.BytesIO(), io.BytesIO()
        with zipfile.ZipFile(first, "w", zipfile.ZIP_DEFLATED) as z:
            z.writestr("a.json", text)
            z.writestr("b.json", text)
        with tarfile.open(fileobj=second, mode="w") as t:
            for name in ("a.json", "b.json"):
                info = tarfile.TarInfo(name)
                info.size = len(text)
                t.addfile(info, io.BytesIO(text))
        for kind, data in (("gzip", gzip.compress(text)), ("zip", first.getvalue()), ("tar", second.getvalue())):
            for what in ("truncated", "damaged"):
                with self.subTest(kind, what=what):
                    size = len(data) * 2 // 3
                    broken = data[:size]
                    if what == "damaged":
                        at = data.index(b"ustar", 600) - 257 if kind == "tar" else size - 1000
                        broken = data[:at] + b"\xff" * 300 + data[at + 300:]
                    (self.dir / "t").write_bytes(broken)
                    done = self.orma("query", "t", "SELECT count(*) AS n FROM slice")
                    self.assertGreater(int(done.stdout.decode().split()[-1]), 1000)
                    self.assertIn(what, done.stderr.decode())

    def test_nothing_of_a_container_is_left_out_in_silence(self):
        """What an archiver puts behind, between or instead of what is read: read, too, or told."""
        def events(name):
            return json.dumps([{"ph": "X", "pid": 1, "ts": i, "dur": 1, "name": name} for i in range(10)]).encode()

        def zipped(*names):
            file = io.BytesIO()
            with zipfile.ZipFile(file, "w") as z:
                for name in names:
                    z.writestr(name, events(name))
            return file.getvalue()

        def streamed(name):
            class Pipe(io.BytesIO):
                def seekable(self):
                    return False

                def tell(self):
                    raise io.UnsupportedOperation
            file = Pipe()
            with zipfile.ZipFile(file, "w") as z:
                z.writestr(name, events(name))
            return file.getvalue()

        def tarred(name, kind=tarfile.REGTYPE):
            file = io.BytesIO()
            with tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as t:
                info = tarfile.TarInfo(name)
                info.size, info.type = len(events(name)), kind
                t.addfile(info, io.BytesIO(events(name)))
            return file.getvalue()
        def tar_of(*members):
            file = io.BytesIO()
            with tarfile.open(fileobj=file, mode="w") as t:
                for name, data in members:
                    info = tarfile.TarInfo(name)
                    info.size = len(data)
                    t.addfile(info, io.BytesIO(data))
            return file.getvalue()

        def zip_of(*members):
            file = io.BytesIO()
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as z:
                for name, data in members:
                    z.writestr(name, data)
            return file.getvalue()
        one, both = zipped("a.json"), zipped("a.json", "b.json")
        at_list, at_end = one.index(b"PK\1\2"), one.index(b"PK\5\6")
        unlisted = both[both.index(b"PK\3\4", 4):both.index(b"PK\1\2")]
        moved = bytearray(one[at_end:])
        struct.pack_into("<I", moved, 16, at_list + len(unlisted))
        short = bytearray(both)
        struct.pack_into("<HH", short, both.index(b"PK\5\6") + 8, 1, 1)
        behind = streamed("a.json")
        silent = bytearray(behind)
        silent[behind.index(b"PK\1\2") + 8] &= ~8
        packed = gzip.compress(events("a.json"))
        whole = len(tarred("a.json").rstrip(b"\0"))
        cases = [  # bytes, slices, what is told
            ("zip behind zip", one + zipped("b.json"), 10, "damaged"),
            ("a member that the list lacks", one[:at_list] + unlisted + one[at_list:at_end] + moved, 10, "damaged"),
            ("an end that counts one of two", bytes(short), 10, "damaged"),
            ("sizes behind a member", behind, 10, None),
            ("sizes behind a member, as only its own header says", bytes(silent), 10, None),
            ("bytes that changed", one.replace(b'"a.json"', b'"b.json"', 1), 10, "damaged"),
            ("text behind gzip", packed + b"text", 10, "damaged"),
            ("padding behind gzip", packed + bytes(512), 10, None),
            ("gzip behind gzip", gzip.compress(events("a.json")[:100]) + bytes(7) + gzip.compress(events("a.json")[100:]), 10, None),
            ("tar behind tar", tarred("a.json") + tarred("b.json"), 20, None),
            ("text behind tar", tarred("a.json") + b"text" * 512, 10, "damaged"),
            ("a tar that ends in a header", tarred("a.json")[:-(-whole // 512) * 512] + tarred("b.json")[:100], 10, "truncated"),
            ("an empty file in a tar", tar_of(("a.json", events("a.json")), ("b.json", b"")), 10, "1 empty file is"),
            ("an empty file in a zip", zip_of(("a.json", events("a.json")), ("b.json", b""), ("folder/", b"")), 10, "1 empty file is"),
            ("gzip of nothing in a tar", tar_of(("a.json", events("a.json")), ("b.gz", gzip.compress(b""))), 10, "1 empty file is"),
            ("a sparse file", tarred("a.json")[:-(-whole // 512) * 512] + tarred("b.json", b"S"), 10, "is not read"),
        ]
        for what, data, slices, told in cases:
            with self.subTest(what):
                (self.dir / "t").write_bytes(data)
                done = self.orma("query", "t", "SELECT count(*) AS n FROM slice")
                self.assertEqual(int(done.stdout.decode().split()[-1]), slices)
                if told:
                    self.assertIn(told, done.stderr.decode())
                self.assertEqual(b"verything that the trace holds could be read" in self.orma("stats", "t").stdout, not told)

    def test_packed_nothing_is_no_trace(self):
        """As after 'program-that-failed | gzip > t.gz'."""
        for name, pack in ("t.gz", gzip.compress), ("t.bz2", bz2.compress), ("t.xz", lzma.compress):
            (self.dir / name).write_bytes(pack(b""))
            for command in ("stats", name), ("query", name, "SELECT 1"), ("report", name):
                done = self.run_program(ORMA, *command)
                self.assertEqual(done.returncode, 1, command)
                self.assertIn(b"has no content", done.stderr, command)

    def test_an_existing_output_is_not_overwritten(self):
        (self.dir / "t.pftrace").write_bytes(b"precious")
        self.message(ORMA, "record", "-t", "100ms", "-o", "t.pftrace", "apps", code=1, says="--force")
        self.assertEqual((self.dir / "t.pftrace").read_bytes(), b"precious")

    def test_an_output_that_cannot_be_made(self):
        self.message(ORMA, "record", "-t", "100ms", "-o", "no/such/dir/t", "apps", code=1, says="no/such/dir/t")

    def test_files_that_are_no_trace(self):
        random.seed(1)
        for name, data in (("empty", b""), ("random", random.randbytes(5000)), ("text", b"hello\n" * 100)):
            with self.subTest(name):
                (self.dir / name).write_bytes(data)
                self.message(ORMA, "query", name, "select 1", code=1, says=name)

    def test_a_damaged_trace_gives_what_is_left(self):
        whole, random_ = recorded(), random.Random(12)
        path = self.dir / "t.pftrace"
        path.write_bytes(whole)
        all_slices = int(self.one(path, "SELECT count(*) FROM slice"))
        damaged = bytearray(whole)
        # Where packets begin: elsewhere it may be a text, which tells nothing, or make other packets of these (storm_traces).
        for at in random_.sample([at for at in packets(whole) if at > len(whole) // 4], 20):
            damaged[at] = 0x07
        path.write_bytes(damaged)
        done = self.run_program(ORMA, "stats", path)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertRegex(done.stdout.decode(), r"  \d+ damaged places? w.* skipped, \d+ bytes in all, the first at byte "
                                               r"\d+; the rest was read")
        self.assertIn("damaged_places", done.stdout.decode())
        # Where a place lies in what names are looked up by, all that the sequence has behind it is gone.
        self.assertGreater(int(self.one(path, "SELECT count(*) FROM slice")), 0.4 * all_slices)
        path.write_bytes(whole[:-3])
        done = self.run_program(ORMA, "stats", path)
        self.assertIn("truncated: the last ", done.stdout.decode())

    def test_a_bit_that_flipped_is_told(self):
        """Of a packet's tag, which makes another field of the file of it, and of an event's type: both have no row."""
        whole = recorded()
        (self.dir / "t").write_bytes(whole)
        good = int(self.one("t", "SELECT count(*) FROM slice"))
        places = [at for at in packets(whole) if b"\x48\x01" in whole[at:at + 40]]
        self.assertTrue(places)
        at = places[3 * len(places) // 4]
        for place, bit in [(at, 0x10), (at, 0x20), (at, 0x40), (whole.index(b"\x48\x01", at) + 1, 0x40)]:
            with self.subTest(place=place - at, bit=bit):
                spoilt = bytearray(whole)
                spoilt[place] ^= bit
                (self.dir / "t").write_bytes(spoilt)
                self.assertLess(int(self.one("t", "SELECT count(*) FROM slice WHERE dur >= 0")), good)
                self.assertNotIn(b"everything could be read", self.orma("stats", "t").stdout)
                self.assertTrue(self.query("t", "SELECT message FROM import_account WHERE message IS NOT NULL"))

    def test_fields_that_nobody_knows_are_told(self):
        """A bit that flips in a tag makes another field of it; importers take what they know."""
        (self.dir / "t.txt").write_text("""
            packet { timestamp: 5 trusted_packet_sequence_id: 1
                process_tree { processes { pid: 77 cmdline: "some" } } }
            packet { timestamp: 6 trusted_packet_sequence_id: 1 sys_stats { meminfo { key: 1 value: 300 } } }
            packet { timestamp: 7 trusted_packet_sequence_id: 2 sequence_flags: 1
                interned_data { event_names { iid: 1 name: "interned" } }
                track_event { type: 3 track_uuid: 9 name_iid: 1 } }
            packet { timestamp: 8 trusted_packet_sequence_id: 2 track_event { type: 3 track_uuid: 9 name: "named" } }
            packet { trusted_packet_sequence_id: 3 ftrace_events { cpu: 0 compact_sched { intern_table: "other"
                switch_timestamp: 20 switch_prev_state: 1 switch_next_pid: 5 switch_next_prio: 120
                switch_next_comm_index: 0 } } }
        """)
        self.orma("convert", "binary", "t.txt", "whole")
        whole = (self.dir / "whole").read_bytes()
        account = "SELECT group_concat(message, '; ') FROM import_account WHERE unit = 'field'"
        self.assertEqual(self.one("whole", account), "[NULL]")

        def place(text, before):
            return whole.index(text) - before

        for what, at, bit, says in [
                ("the tree as a number of the packet", place(b"\x08\x4d", 4), 0x40, "10 in TracePacket"),
                ("a process as an unknown field", place(b"\x08\x4d", 2), 0x40, "9 in ProcessTree"),
                ("the key of a value as an unknown field", place(b"\x08\x01\x10\xac\x02", 0), 0x20, "5 in SysStats.MeminfoValue"),
                ("the name of an event as a number", place(b"named", 3), 2, "11 in TracePacket"),
                ("names as an unknown field", place(b"\x08\x01\x12\x08interned", 2), 0x40, "10 in InternedData"),
                ("switches as an unknown field", place(b"\x2a\x05other", 2), 0x58, "15 in FtraceEventBundle"),
        ]:
            with self.subTest(what):
                spoilt = bytearray(whole)
                spoilt[at] ^= bit
                (self.dir / "t").write_bytes(spoilt)
                self.assertIn(says, self.one("t", account))
                self.assertNotIn(b"everything could be read", self.orma("stats", "t").stdout)

    def test_unknown_fields_are_told_of_their_file(self):
        """Of two traces on one timeline; of many numbers, those that are told apart are counted whole."""
        def trace(name, fields, times=1):
            event = b"".join(bytes([n << 3 & 0x7f | 0x80, n >> 4, 1]) for n in fields)
            body = b"\x08\x4d" + event  # pid 77, and fields that processes do not have
            packet = b"\x12" + bytes([len(body) + 2]) + b"\x0a" + bytes([len(body)]) + body + b"\x50\x01\x40\x05"
            (self.dir / name).write_bytes((b"\x0a" + bytes([len(packet)]) + packet) * times)

        trace("a", [])
        trace("b", [100])
        told = self.orma("query", "--format=tsv", "a", "b", "SELECT message FROM import_account WHERE unit = 'field'").stdout.decode()
        self.assertEqual(len(told.splitlines()), 2, told)
        self.assertRegex(told, "\nb: 1 field numbered 100 in ProcessTree.Process ")
        trace("many", range(100, 135), 2)
        told = self.query("many", "SELECT kind, count FROM import_account WHERE unit = 'field' AND kind IS NOT NULL")
        self.assertEqual(len(told), 33)
        self.assertEqual({r["count"] for r in told if r["kind"] != "other fields"}, {"2"})
        self.assertEqual([r["count"] for r in told if r["kind"] == "other fields"], ["6"])

    def test_parts_of_json_events_that_have_no_place_are_told(self):
        event = {"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 5, "name": "n"}
        for more, says in [({"args": "text"}, "non-object"), ({"args": [1]}, "non-object"),
                           ({"name": {"a": 1}}, "non-string"), ({"name": 7}, "non-string"), ({"args": []}, None),
                           ({"args": None}, None), ({"args": {}}, None)]:
            with self.subTest(more):
                (self.dir / "t.json").write_text(json.dumps([event | more]))
                told = self.query("t.json", "SELECT message FROM import_account WHERE message IS NOT NULL")
                self.assertEqual(len(told), 1 if says else 0)
                self.assertIn(says or "", str(told))

    def test_names_of_cxx_without_its_library(self):
        """NULL, as of names that are not mangled: modules go on with the names as they are."""
        (self.dir / "t.json").write_text('[{"ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"name":"_ZN1a1bEv"}]')
        sql = "SELECT coalesce(demangle(name), name) AS n FROM slice"
        self.assertIn("a::b()", self.orma("query", "t.json", sql).stdout.decode())
        (self.dir / "no").mkdir()
        for name in "libstdc++.so.6", "libc++abi.so.1":
            shutil.copy(BUILD / "sdk/liborma.so", self.dir / "no" / name)  # a library, and another one
        self.env["LD_LIBRARY_PATH"] = f"{self.dir / 'no'}:{self.env.get('LD_LIBRARY_PATH', '')}"
        self.assertIn("_ZN1a1bEv", self.orma("query", "t.json", sql).stdout.decode())

    def test_a_truncated_trace_gives_its_whole_packets(self):
        whole = recorded()
        last = -1
        for part in (0.25, 0.5, 0.9, 1.0):
            path = self.dir / "t.pftrace"
            path.write_bytes(whole[:int(len(whole) * part)])
            n = int(self.one(path, "SELECT count(*) FROM slice"))
            self.assertGreaterEqual(n, max(last, 0))
            last = n
        self.assertGreater(last, 0)

    def test_errors_in_sql_name_the_place(self):
        (self.dir / "t.pftrace").write_bytes(recorded())
        self.message(ORMA, "query", "t.pftrace", "SELECT nonsense FROM slice", code=1, says="nonsense", lines=6)
        self.message(ORMA, "query", "t.pftrace", "SELEC 1", code=1, says="SELEC", lines=6)

    def test_an_output_that_takes_nothing(self):
        (self.dir / "t.pftrace").write_bytes(recorded())
        compat = BUILD / "compat"
        full = "-Q", "SELECT * FROM stats"
        for argv in ([ORMA], [ORMA, "help"], [ORMA, "help", "tables"], [ORMA, "help", "config"],
                     [ORMA, "query", "t.pftrace", "SELECT * FROM stats"], [ORMA, "stats", "-a", "t.pftrace"],
                     [ORMA, "query", "--csv=json", "t.pftrace", "SELECT * FROM stats"], [ORMA, "record", "-q", "--explain"],
                     [ORMA, "query", "--csv=table", "t.pftrace", "SELECT * FROM stats"], [ORMA, "--version"],
                     [ORMA, "convert", "text", "t.pftrace"], [ORMA, "convert", "json", "t.pftrace"],
                     [ORMA, "help", "--man", "orma"], [compat / "traceconv", "text", "t.pftrace"],
                     [compat / "perfetto", "--version"], [SHELL, *full, "t.pftrace"], [SHELL, "-v"]):
            for what in ("full", "nobody"):
                with self.subTest(argv=argv, what=what):
                    r, w = os.pipe() if what == "nobody" else (None, os.open("/dev/full", os.O_WRONLY))
                    if r:
                        os.close(r)
                    done = subprocess.run(argv, env=self.env, cwd=self.dir, stdout=w, stderr=subprocess.PIPE,
                                          timeout=60 * SLOW)
                    os.close(w)
                    lines = [x for x in done.stderr.decode().splitlines() if not x.startswith(("\rL", "Trace loaded"))]
                    if what == "nobody":
                        self.assertIn(done.returncode, (141, 2) if len(argv) == 1 else (141,), done.stderr)
                        self.assertEqual(lines, [], "as with any other program in front of `head`")
                        continue
                    self.assertIn(done.returncode, (1, 2) if len(argv) == 1 else (1,), done.stderr)
                    self.assertLessEqual(len(lines), 1, lines)
                    if len(argv) > 1:
                        self.assertRegex(lines[0], "cannot write")

    @unittest.skipIf(os.geteuid() != 0, "mounting a small file system needs root")
    def test_a_full_disk_ends_the_recording_and_keeps_what_was_written(self):
        small = self.dir / "small"
        small.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", small], capture_output=True).returncode:
            self.skipTest("tmpfs cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", small])
        done = self.run_program(ORMA, "record", "-o", small / "t.pftrace", "apps", "--",
                                DEMO, "--threads", "4", "--iterations", "20000")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("No space left", done.stderr.decode())
        self.assertGreater(int(self.one(small / "t.pftrace", "SELECT count(*) FROM slice")), 0)

    def test_no_room_for_the_sockets(self):
        full = self.dir / "run"
        full.mkdir()
        if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "nr_inodes=1", "none", full], capture_output=True).returncode:
            self.skipTest("file systems cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", str(full)])
        full.chmod(0o700)
        self.env["XDG_RUNTIME_DIR"] = str(full)
        said = self.orma("record", "--private", "-t", "100ms", "-o", "t", "apps", code=1).stderr.decode()
        self.assertIn(f"cannot make a folder for the sockets in {full}: No space left", said)

    def test_a_socket_path_that_is_taken(self):
        self.start_traced()
        self.message(TRACED, code=1, says=self.env["PERFETTO_PRODUCER_SOCK_NAME"])
        (self.dir / "file").write_text("")
        self.env["PERFETTO_PRODUCER_SOCK_NAME"] = str(self.dir / "file")
        self.message(TRACED, code=1, says=str(self.dir / "file"))

    def test_a_producer_that_sends_garbage_hurts_nobody(self):
        traced = self.start_traced()
        random.seed(2)
        for _ in range(20):
            for name in ("p.sock", "c.sock"):
                with socket.socket(socket.AF_UNIX) as s:
                    s.connect(str(self.dir / name))
                    try:
                        s.sendall(random.randbytes(random.randrange(1, 4000)))
                    except BrokenPipeError:
                        pass
        trace = self.dir / "t.pftrace"
        self.orma("record", "-o", trace, "apps", "--", DEMO, "--threads", "1", "--iterations", "50")
        self.assertGreater(int(self.one(trace, "SELECT count(*) FROM slice")), 0)
        self.assertIsNone(traced.poll(), "the service lives")

    @unittest.skipIf(os.geteuid() != 0, "becoming an ordinary user needs root")
    def test_an_ordinary_user_records_what_the_kernel_allows(self):
        os.chmod(self.dir, 0o777)
        tempfile.tempdir = None
        done = self.run_program(ORMA, "record", "-t", "300ms", "-o", self.dir / "user.pftrace", user=65534, group=65534,
                                extra_groups=[])
        text = done.stderr.decode()
        if done.returncode == 126 or "Permission denied" in text and "left out" not in text:
            self.skipTest("the build folder is not readable for others")
        self.assertEqual(done.returncode, 0, text)
        self.assertIn("left out linux.ftrace", text)
        self.assertEqual(self.one(self.dir / "user.pftrace", "SELECT count(*) > 0 FROM metadata"), "1")


if __name__ == "__main__":
    main()
