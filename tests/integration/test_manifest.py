"""Manifests: files of several machines on one timeline, and what is wrong with those that say too much or too little."""
import io
import json
import tarfile

from orma_env import *


def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def field(number, data):
    if isinstance(data, int):
        return varint(number << 3) + varint(data)
    return varint(number << 3 | 2) + varint(len(data)) + data


def snapshot(*clocks, machine=0):
    body = b"".join(field(1, field(1, clock) + field(2, ns)) for clock, ns in clocks)
    return field(1, field(6, body) + (field(98, machine) if machine else b""))


def event(ts, name, uuid, machine=0):
    body = field(9, 3) + field(11, uuid) + field(23, name.encode())
    return field(1, field(8, ts) + field(10, 1 + machine) + field(11, body) + (field(98, machine) if machine else b""))


BOOT, WALL = 6, 1
JSON = json.dumps({"traceEvents": [{"ph": "X", "pid": 3, "tid": 3, "ts": 2, "dur": 1, "name": "json"}]}).encode()
WRONG = [
    ('{"perfetto_manifest": 1}', "expected a JSON object with a top-level perfetto_manifest key"),
    ({}, "missing required field: version"),
    ({"version": "1"}, "version must be an integer"),
    ({"version": 2}, 'unsupported version: 2. Only version 1 is supported; set "version": 1.'),
    ({"trace_time": []}, "trace_time must be an object"),
    ({"trace_time": {}}, "trace_time needs a clock"),
    ({"trace_time": {"clock": "BOOTTIME", "file": 1}}, "trace_time: file must be a string"),
    ({"trace_time": {"clock": "BOOTTIME", "machine": 1}}, "trace_time: machine must be a string"),
    ({"trace_time": {"clock": 6}}, "clock name must be a string"),
    ({"trace_time": {"clock": "SUN"}}, "unknown clock name: SUN. Use one of REALTIME, REALTIME_COARSE, MONOTONIC, "
                                       "MONOTONIC_COARSE, MONOTONIC_RAW, BOOTTIME."),
    ({"trace_time": {"clock": "BOOTTIME", "machine": "m"}}, "trace_time: machine 'm' needs trace_time: file too"),
    ({"trace_time": {"clock": "BOOTTIME", "file": "x"}}, "trace_time: file names unknown file 'x'"),
    ({"files": {}}, "files must be an array"),
    ({"files": [{"path": 1}]}, "files entries must be objects with a string path"),
    ({"clocks": 1}, "clocks must be an object"),
    ({"clocks": {"machine": 1}}, "clocks: machine must be a string"),
    ({"clocks": {}}, "clocks: a sync_to block is required."),
    ({"clocks": {"sync_to": 1}}, "clocks: sync_to must be an object"),
    ({"clocks": {"sync_to": {}}}, "clocks: sync_to.file is required and must be a string"),
    ({"clocks": {"sync_to": {"file": "b", "machine": 1}}}, "clocks: sync_to.machine must be a string"),
    ({"clocks": {"sync_to": {"file": "b"}, "offset_ns": 0.5}}, "clocks: offset_ns must be an integer"),
    ({"clocks": {"sync_to": {"file": "b"}, "offset_ns": -2**63}}, "clocks: offset_ns is out of range"),
    ({"clocks": {"sync_to": {"file": "x"}}}, "clocks: sync_to.file names unknown file 'x'"),
    ({"clocks": {"sync_to": {"file": "gone"}}}, "clocks: could not resolve file 'gone'"),
    ({"clocks": {"sync_to": {"file": "b", "machine": "x"}}},
     "clocks: sync_to.machine 'x' is not a machine declared by file 'b'."),
    ({"clocks": {"machine": "x", "sync_to": {"file": "b"}}}, "clocks: machine 'x' is not a machine declared by file 'a'."),
    ({"clocks": {"sync_to": {"file": "c"}}},
     "clocks: sync_to.file 'c' is a multi-machine trace; also name the machine with clocks: sync_to.machine."),
    ({"machines": [{"id": 0, "name": "p"}], "clocks": {"sync_to": {"file": "b"}}},
     "clocks: file 'a' is a multi-machine trace; name which machine the clock is on with clocks: machine."),
    ({"machine": {"name": "p"}, "machines": []}, "machine and machines are mutually exclusive."),
    ({"machine": "p"}, "machine must be an object with a string name"),
    ({"machine": {"name": ""}}, "machine: name must be non-empty"),
    ({"machines": {}}, "machines must be an array"),
    ({"machines": [{"id": "0", "name": "p"}]}, "machines entries need an integer id and a string name"),
    ({"machines": [{"id": -1, "name": "p"}]}, "machines: id must be in [0, 4294967295]"),
    ({"machines": [{"id": 1, "name": ""}]}, "machines: name must be non-empty"),
    ({"attributes": []}, "attributes must be an object of string or integer values"),
    ({"attributes": {"": 1}}, "attributes: keys must be non-empty"),
    ({"attributes": {"k": None}}, "attributes: 'k' must be a string or an integer"),
    ({"__exported_table_schema": {}, "machine": {"name": "p"}}, "'a': an exported table is not a trace"),
    ({"__exported_table_schema": {}}, "__exported_table_schema needs an integer format"),
]
OF_A_FILE = ("clocks", "machine", "machines", "__exported_table_schema")


def manifest(what):
    """The text for a row of WRONG: keys of a file are those of 'a', which 'b' and 'c' stand beside."""
    if isinstance(what, str):
        return what
    if any(key in what for key in OF_A_FILE):
        what = {"files": [{"path": "a", **what}, {"path": "b"}, {"path": "c", "machines": [{"id": 0, "name": "q"}]},
                          {"path": "gone"}]}
    return json.dumps({"perfetto_manifest": what if not what or "version" in what else {"version": 1, **what}})


class Manifests(Case):
    def load(self, members, sql):
        with tarfile.open(self.dir / "t.tar", mode="w") as archive:
            for name, data in members.items():
                if isinstance(data, dict):
                    data = json.dumps({"perfetto_manifest": {"version": 1, **data}})
                data = data.encode() if isinstance(data, str) else data
                info = tarfile.TarInfo(name)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
        done = subprocess.run([ORMA, "query", "t.tar", sql], cwd=self.dir, env=self.env, capture_output=True, text=True)
        return done.returncode, done.stdout if not done.returncode else done.stderr

    def rows(self, members, sql="SELECT s.name, ts, m.name AS machine FROM slice s JOIN track t ON s.track_id = t.id "
                                "LEFT JOIN machine m ON t.machine_id = m.id ORDER BY ts, s.id"):
        code, text = self.load(members, sql)
        self.assertEqual(code, 0, text)
        return text.replace('"', "").split()[1:]

    def refused(self, members, why):
        code, text = self.load(members, "SELECT 1")
        self.assertNotEqual(code, 0, why)
        self.assertIn(why, text)

    def test_what_is_wrong_is_told(self):
        for what, why in WRONG:
            with self.subTest(why):
                self.refused({"m": manifest(what), "a": JSON, "b": JSON, "c": JSON}, "perfetto_manifest: " + why)

    def test_wall_clocks_bring_machines_together(self):
        a = snapshot((BOOT, 100), (WALL, 5000)) + event(150, "a", 7)
        b = snapshot((BOOT, 900), (WALL, 5000)) + event(960, "b", 7)
        files = [{"path": "a", "machine": {"name": "car"}}, {"path": "b", "machine": {"name": "phone"}}]
        self.assertEqual(self.rows({"m": {"files": files}, "a": a, "b": b}), ["a,150,car", "b,160,phone"])
        by_wall = {"files": files, "trace_time": {"clock": "REALTIME", "file": "a"}}
        self.assertEqual(self.rows({"m": by_wall, "a": a, "b": b}), ["a,5050,car", "b,5060,phone"])

    def test_without_wall_clocks_boot_times_are_taken_as_one(self):
        a, b = snapshot((BOOT, 100)) + event(150, "a", 7), snapshot((BOOT, 900)) + event(960, "b", 8)
        files = [{"path": "a", "machine": {"name": "car"}}, {"path": "b", "machine": {"name": "phone"}}]
        self.assertEqual(self.rows({"m": {"files": files}, "a": a, "b": b}), ["a,150,car", "b,960,phone"])

    def test_offsets_tie_clocks(self):
        a = snapshot((BOOT, 100)) + event(150, "a", 7)
        tie = {"sync_to": {"file": "a", "clock": "BOOTTIME"}, "offset_ns": -300}
        files = [{"path": "a", "machine": {"name": "car"}}, {"path": "j", "machine": {"name": "phone"}, "clocks": tie}]
        self.assertEqual(self.rows({"m": {"files": files}, "a": a, "j": JSON}), ["a,150,car", "json,1700,phone"])

    def test_a_file_that_is_pinned_has_one_clock_and_one_machine(self):
        tie = {"sync_to": {"file": "j", "clock": "BOOTTIME"}}
        said = {"files": [{"path": "a", "clocks": tie}, {"path": "j"}]}
        self.refused({"m": said, "a": snapshot((BOOT, 1)), "j": JSON}, "clock overrides require the trace to use a single clock")
        self.refused({"m": said, "a": event(1, "a", 1, machine=7), "j": JSON}, "a `clocks` override applies only to")

    def test_machines_of_packets_get_names(self):
        a = snapshot((BOOT, 100)) + event(150, "a", 7) + event(160, "b", 8, machine=7)
        names = [{"id": 0, "name": "car"}, {"id": 7, "name": "guest"}]
        self.assertEqual(self.rows({"m": {"files": [{"path": "a", "machines": names}]}, "a": a}), ["a,150,car", "b,160,guest"])
        self.refused({"m": {"files": [{"path": "a", "machines": names[:1]}]}, "a": a},
                     "machines: trace has a packet from undeclared machine id 7")
        self.refused({"m": {"files": [{"path": "a", "machine": names[0]}]}, "a": a},
                     "a `machine` override attributes the file to one machine")

    def test_the_host_has_a_row_only_if_something_is_of_it(self):
        said = {"files": [{"path": "j", "machine": {"name": "car"}}]}
        sql = "SELECT name, raw_id, label_index FROM machine"
        self.assertEqual(self.rows({"m": said, "j": JSON}, sql), ["car,4294967296,1"])
        self.assertEqual(self.rows({"m": said, "j": JSON, "k": JSON}, sql), ["car,4294967296,1", "[NULL],0,0"])

    def test_machines_that_cannot_be_related_are_dropped_and_logged(self):
        said = {"trace_time": {"clock": "REALTIME"}, "files": [{"path": "a", "machine": {"name": "car"}}]}
        members = {"m": said, "a": snapshot((BOOT, 100)) + event(150, "a", 7)}
        self.assertEqual(self.rows(members), [])
        self.assertEqual(self.rows(members, "SELECT name, value FROM stats WHERE name GLOB 'clock_sync_*' AND value "
                                            "AND severity != 'info' GROUP BY name"),
                         ["clock_sync_failure_undeferrable_packet_loss,1", "clock_sync_failure_unknown_target_clock,1",
                          "clock_sync_unrelatable_clock_domains,1"])

    def test_manifests_come_first_and_alone(self):
        self.refused({"m": {}, "n": {}, "j": JSON}, "multiple perfetto_manifest files in archive")
        self.refused({"m": {"files": [{"path": "n", "machine": {"name": "x"}}]}, "n": {}},
                     "overrides are not supported for trace files which are themselves archives or perfetto_manifest files: n")

    def test_files_that_nobody_has_are_told(self):
        members = {"j": JSON, "m": {"files": [{"path": "k", "machine": {"name": "x"}}, {"path": "j"}]}}
        self.assertEqual(" ".join(self.rows(members, "SELECT message FROM import_account WHERE message IS NOT NULL")),
                         "m: 1 file that the manifest names is missing: it was never written, or was removed")

    def test_attributes_and_files_are_shown(self):
        members = {"j": JSON, "m": {"attributes": {"run": 4, "lab": "x\u00e9"}, "files": [{"path": "j"}]}}
        self.assertEqual(self.rows(members, "SELECT name, int_value, str_value FROM metadata WHERE name GLOB 'manifest*'"),
                         ["manifest_attribute.run,4,[NULL]", "manifest_attribute.lab,[NULL],x\u00e9"])
        self.assertEqual(self.rows(members, "SELECT name, trace_type, processing_order FROM __intrinsic_trace_file"),
                         ["[NULL],tar,0", "j,json,2", "m,perfetto_manifest,1"])

    def test_traces_are_merged_by_a_command_or_for_a_query(self):
        (self.dir / "car").write_bytes(snapshot((BOOT, 100), (WALL, 5000)) + event(150, "a", 7))
        (self.dir / "phone").write_bytes(snapshot((BOOT, 900), (WALL, 5000)) + event(960, "b", 7))
        sql = ("SELECT ts, m.name FROM slice s JOIN track t ON s.track_id = t.id LEFT JOIN machine m ON t.machine_id = m.id")

        def orma(*argv, code=0):
            done = subprocess.run([ORMA, *argv], cwd=self.dir, env={**self.env, "TMPDIR": str(self.dir)}, capture_output=True,
                                  text=True)
            self.assertEqual(done.returncode, code, done.stderr)
            return done.stdout.replace('"', "").split("\n")[1:-1] if not code else done.stderr
        apart = ["150,car", "160,phone"]
        self.assertEqual(orma("query", "--apart", "car", "phone", sql), apart)
        self.assertEqual(list(self.dir.glob("orma-query*")), [])
        orma("merge", "--apart", "car", "phone", "-o", "both.tar")
        self.assertEqual(orma("query", "both.tar", sql), apart)
        self.assertEqual(orma("query", "car", "phone", "SELECT count(*) FROM machine"), ["1"])
        self.assertIn("names must differ", orma("merge", "car", "./car", "-o", "x.tar", code=1))
        self.assertIn("is not a file", orma("query", "car", "SELECT 1", "SELECT 2", code=2))
        self.assertIn("no traces to merge", orma("merge", "-o", "x.tar", code=2))


if __name__ == "__main__":
    main()
