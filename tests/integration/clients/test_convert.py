"""`orma convert`, `traceconv` and the shell's converters."""
import json
import zlib

from orma_env import *

TRACECONV = BUILD / "compat/traceconv"
TRACE = """packet {
  track_descriptor {
    uuid: 1
    process {
      pid: 10
      process_name: "p"
    }
  }
}
packet {
  track_descriptor {
    uuid: 2
    parent_uuid: 1
    thread {
      pid: 10
      tid: 11
      thread_name: "t\\n"
    }
  }
}
packet {
  timestamp: 1000
  trusted_packet_sequence_id: 1
  track_event {
    type: TYPE_SLICE_BEGIN
    track_uuid: 2
    categories: "c"
    name: "outer"
    debug_annotations {
      name: "size"
      uint_value: 18446744073709551615
    }
    debug_annotations {
      name: "list"
      array_values {
        int_value: 1
      }
      array_values {
        string_value: "x"
      }
    }
  }
}
packet {
  timestamp: 2500
  trusted_packet_sequence_id: 1
  track_event {
    type: TYPE_SLICE_END
    track_uuid: 2
  }
}
packet {
  timestamp: 3001
  trusted_packet_sequence_id: 1
  track_event {
    type: TYPE_SLICE_BEGIN
    track_uuid: 1
    name: "shared"
  }
}
packet {
  timestamp: 4002
  trusted_packet_sequence_id: 1
  track_event {
    type: TYPE_SLICE_END
    track_uuid: 1
  }
}
packet {
  timestamp: 5000
  trusted_packet_sequence_id: 1
  track_event {
    type: TYPE_INSTANT
    track_uuid: 2
    name: "now"
  }
}
packet {
  timestamp: 6000
  trusted_packet_sequence_id: 1
  track_event {
    type: TYPE_SLICE_BEGIN
    track_uuid: 2
    name: "endless"
  }
}
"""

# Each kind that slices, counters or flows are made of, and what tells who ran.
KERNEL_EVENTS = [
    'print { ip: 1 buf: "B|7|drawn\\n" }', 'print { ip: 1 buf: "E|7\\n" }', 'print { ip: 1 buf: "C|7|level|3\\n" }',
    'irq_handler_entry { irq: 3 name: "eth0" }', 'irq_handler_exit { irq: 3 ret: 1 }', 'softirq_entry { vec: 1 }', 'softirq_exit { vec: 1 }',
    'cpu_frequency { state: 1000 cpu_id: 1 }', 'cpu_frequency_limits { min_freq: 1 max_freq: 9 cpu_id: 1 }', 'cpu_idle { state: 1 cpu_id: 1 }',
    'clock_set_rate { name: "clk" state: 5 }', 'clock_enable { name: "clk" state: 1 }', 'clock_disable { name: "clk" state: 0 }',
    'thermal_temperature { id: 1 temp: 40 thermal_zone: "skin" temp_prev: 39 }', 'cdev_update { type: "fan" target: 2 }',
    'rss_stat { member: 1 size: 4096 curr: 1 mm_id: 5 }', 'suspend_resume { action: "freeze" val: 1 start: 1 }',
    'suspend_resume { action: "freeze" val: 1 start: 0 }', 'workqueue_execute_start { work: 5 function: 6 }', 'workqueue_execute_end { work: 5 }',
    'binder_transaction { debug_id: 4 to_proc: 8 to_thread: 8 reply: 0 code: 1 flags: 0 }', 'binder_transaction_received { debug_id: 4 }',
    'sched_switch { prev_comm: "a" prev_pid: 7 prev_prio: 120 prev_state: 1 next_comm: "b" next_pid: 8 next_prio: 120 }',
    'sched_switch { prev_comm: "b" prev_pid: 8 prev_prio: 120 prev_state: 1 next_comm: "a" next_pid: 7 next_prio: 120 }',
]


def varint(val):
    out = bytearray()
    while val >= 0x80:
        out.append(val & 0x7F | 0x80)
        val >>= 7
    return bytes(out) + bytes([val])


class Convert(Case):
    def setUp(self):
        super().setUp()
        (self.dir / "t.txt").write_text(TRACE)
        self.orma("convert", "binary", "t.txt", "t.pftrace")
        self.binary = (self.dir / "t.pftrace").read_bytes()

    def fails(self, *argv, says, code=1, program=None, **more):
        done = self.run_program(*(program or [ORMA, "convert"]), *argv, **more)
        err = done.stderr.decode()
        self.assertEqual(done.returncode, code, err)
        self.assertIn(says, err)
        return done

    def packed(self, data, field=50):
        body = zlib.compress(data)
        packet = varint(field << 3 | 2) + varint(len(body)) + body
        return b"\x0a" + varint(len(packet)) + packet

    def test_sums_without_times_are_no_samples_of_firefox(self):
        (self.dir / "sums").write_text("main;a 5\nmain;b 3\n")
        done = self.orma("convert", "firefox", "sums", "out", code=1)
        self.assertIn("stacks have sums in this trace, and no times", done.stderr.decode())
        self.assertEqual(self.orma("convert", "collapsed", "sums").stdout, b"main;a 5\nmain;b 3\n")

    def test_numbers_of_a_list_that_lie_apart_are_one_list(self):
        rows = [(100, 1, 0), (5, 2, 1), (6, 3, 1)]
        text = " ".join(f"switch_timestamp: {ts} switch_next_pid: {pid} switch_prev_state: {state} switch_next_prio: 120 switch_next_comm_index: 0" for ts, pid, state in rows)
        (self.dir / "lists.txt").write_text(f'packet {{ trusted_packet_sequence_id: 1 ftrace_events {{ cpu: 0 compact_sched {{ intern_table: "a" {text} intern_table: "b" }} }} }}')
        self.orma("convert", "binary", "lists.txt", "lists.pftrace")
        out = self.orma("query", "lists.pftrace", "SELECT ts, tid FROM sched JOIN thread USING (utid)").stdout.decode()
        self.assertEqual(out.split()[1:], ["105,2", "111,3"])

    def test_text_and_back(self):
        self.assertEqual(self.orma("convert", "text", "t.pftrace").stdout.decode(), TRACE)
        self.assertEqual(self.orma("convert", "text", input=self.binary).stdout.decode(), TRACE)
        self.assertEqual(self.orma("convert", "binary", "-", "-", input=TRACE.encode()).stdout, self.binary)

    def test_two_members_of_a_oneof_survive(self):
        """Real traces have such packets, and fields that take one value twice."""
        data = b"\x0a\x09\x40\x05\x40\x06\x32\x00\xda\x02\x00"
        text = self.orma("convert", "text", input=data).stdout
        done = self.orma("convert", "binary", input=text)
        self.assertEqual(done.stdout, data)
        self.assertIn(b"warning: 2 singular fields", done.stderr)

    def test_names_of_old(self):
        for argv in ([TRACECONV, "text"], [TRACECONV, "--full-sort", "text"], [SHELL, "convert", "text"]):
            self.assertEqual(self.run_program(*argv, "t.pftrace").stdout.decode(), TRACE)
        self.run_program(TRACECONV, "text", "t.pftrace", "t.txt")  # overwrites, as scripts expect
        self.assertEqual((self.dir / "t.txt").read_text(), TRACE)
        self.assertEqual(self.run_program(SHELL, "util", "text_to_binary", "t.txt").stdout, self.binary)
        self.assertEqual(self.run_program(TRACECONV, "binary", "t.txt").stdout, self.binary)

    def test_unknown_fields_survive(self):
        extra = b"\x0a\x06\x40\x05\xfa\xff\x7f\x00"
        text = self.orma("convert", "text", input=extra).stdout
        self.assertIn(b"timestamp: 5", text)
        self.assertEqual(self.orma("convert", "binary", input=text).stdout, extra)
        self.assertEqual(self.orma("convert", "text", "--skip-unknown", input=extra).stdout,
                         b"packet {\n  timestamp: 5\n}\n")

    def test_compressed_packets(self):
        half = self.binary.index(b"\x0a", 40)
        whole = self.packed(self.binary) + self.binary
        for mode, expected in (("text", TRACE.encode() * 2), ("decompress_packets", self.binary * 2)):
            self.assertEqual(self.orma("convert", mode, input=whole).stdout, expected)
        # A damaged one gives what is whole in it, and what follows it.
        damaged = bytearray(self.packed(self.binary))
        damaged[-6] ^= 0xFF
        done = self.fails("text", says="damaged", input=bytes(damaged) + self.binary)
        self.assertTrue(done.stdout.decode().endswith(TRACE))
        self.assertGreater(half, 0)

    def test_a_trace_brings_its_own_extensions(self):
        # message TracePacket extension: optional string 9901 "my_note", as a FileDescriptorSet.
        def field(n, data):
            return varint(n << 3 | 2) + varint(len(data)) + data
        ext = field(1, b"my_note") + field(2, b".perfetto.protos.TracePacket") + b"\x18" + varint(9901) + \
            b"\x20\x01\x28\x09"
        file = field(1, b"x.proto") + field(2, b"me") + field(7, ext)
        packet = field(72, field(1, field(1, file)))
        noted = varint(9901 << 3 | 2) + b"\x02hi"
        done = self.orma("convert", "text", input=field(1, packet) + field(1, noted))
        self.assertIn('[me.my_note]: "hi"', done.stdout.decode())

    def test_a_large_trace_is_a_stream(self):
        text = self.binary * 100000  # 18 MB, as text 100 MB
        done = self.run_program("/bin/sh", "-c", f"ulimit -v {40000 if SLOW == 1 else 'unlimited'}; "
                                f"{ORMA} convert text | {ORMA} convert binary | cksum", input=text, timeout=120)
        self.assertEqual(done.stdout, self.run_program("cksum", input=text).stdout)

    def test_inputs_that_are_wrong(self):
        self.fails("text", "absent", says="absent: No such file")
        self.fails("text", ".", says="Is a directory")
        self.fails("text", says="empty", input=b"")
        self.fails("text", says="this is json, not a protobuf trace", input=b'{"traceEvents":[]}')
        self.fails("text", says="unpack it first", input=b"\x1f\x8b\x08\0\0\0\0\0\0\0")
        self.fails("text", says="not a protobuf trace", input=b"\xff" * 100)
        self.fails("binary", "x.txt", says="x.txt: No such file")
        self.fails("binary", says='standard input:1:10 error: "TracePacket" has no field "tmestamp"',
                   input=b"packet { tmestamp: 5 }")
        self.fails("json", "absent", says="absent")
        self.fails("json", says="orma convert: standard input: ", input=b"\xff" * 100)

    def test_a_trace_cut_short_gives_its_whole_packets(self):
        (self.dir / "cut").write_bytes(self.binary[:-3])
        self.fails("text", "cut", "cut.txt", says="truncated or damaged at byte")
        out = (self.dir / "cut.txt").read_text()
        self.assertTrue(TRACE.startswith(out) and out.endswith("}\n"))

    def test_nothing_half_written_is_left(self):
        self.fails("binary", "-", "out", says="error", input=b"packet { timestamp: 5 }\npacket { oops }")
        self.fails("systrace", "-", "out", says="", input=b"\xff" * 100)
        self.assertFalse((self.dir / "out").exists())

    def test_outputs_that_are_wrong(self):
        self.fails("text", "t.pftrace", "t.txt", says="--force overwrites it")
        self.assertEqual((self.dir / "t.txt").read_text(), TRACE)
        self.orma("convert", "--force", "text", "t.pftrace", "t.txt")
        self.fails("text", "t.pftrace", "t.pftrace", says="is also an input")
        self.fails("--force", "text", "t.pftrace", "t.pftrace", says="is also an input")
        self.assertEqual((self.dir / "t.pftrace").read_bytes(), self.binary)
        self.fails("text", "t.pftrace", "no/such/dir", says="no/such/dir")
        r, w = os.pipe()
        os.close(r)
        p = self.start(ORMA, "convert", "text", "t.pftrace", stdout=w, stderr=subprocess.PIPE)
        os.close(w)
        self.assertEqual(p.communicate(timeout=30 * SLOW)[1], b"")
        self.assertEqual(p.returncode, 141)
        self.fails("text", "t.pftrace", "/dev/full", "-f", says="No space left")

    def test_wrong_usage(self):
        for argv, says in ([], "no format given"), (["jsn"], "did you mean 'json'"), (["qqqqqq"], "there are text"), \
                (["text", "a", "b", "c"], "unexpected argument"), (["text", "a", "b", "-o", "c"], "two outputs"), \
                (["-t", "middle", "json"], "start or end"), (["--pid", "self", "profile"], "a number"):
            self.fails(*argv, says=says, code=2)
        self.fails("jsn", says="did you mean", code=1, program=[TRACECONV])
        self.fails("text", says="unknown format", code=1, program=[SHELL, "util"])

    def events(self, *argv):
        done = self.orma("convert", "json", *argv)
        return json.loads(done.stdout)

    def test_json(self):
        trace = self.events("t.pftrace")
        names = [(e["name"], e.get("tid"), e["args"]["name"]) for e in trace["traceEvents"] if e["ph"] == "M"]
        self.assertIn(("process_name", None, "p"), names)
        self.assertIn(("thread_name", 11, "t\n"), names)
        events = [e for e in trace["traceEvents"] if e["ph"] != "M"]
        self.assertIn({"ph": "X", "ts": 1, "dur": 1.5, "pid": 10, "tid": 11, "name": "outer", "cat": "c",
                       "args": {"size": "18446744073709551615", "list": [1, "x"]}}, events)
        self.assertIn({"ph": "i", "s": "t", "ts": 5, "pid": 10, "tid": 11, "name": "now", "cat": ""}, events)
        self.assertIn({"ph": "B", "ts": 6, "pid": 10, "tid": 11, "name": "endless", "cat": ""}, events)
        shared = [e for e in events if e["name"] == "shared"]
        self.assertEqual([(e["ph"], e["ts"]) for e in shared], [("b", 3.001), ("e", 4.002)])
        self.assertEqual(shared[0]["id2"], shared[1]["id2"])
        self.assertEqual(len(events), 5)
        self.assertIn("trace_type", trace["metadata"])

    def test_json_without_annotations(self):
        for e in self.events("--no-annotations", "t.pftrace")["traceEvents"]:
            self.assertTrue(e["ph"] == "M" or "args" not in e)

    def test_json_counters(self):
        text = """
packet { track_descriptor { uuid: 1 process { pid: 10 } } }
packet { track_descriptor { uuid: 3 parent_uuid: 1 name: "level" counter { } } }
packet { timestamp: 7 trusted_packet_sequence_id: 1
  track_event { type: TYPE_COUNTER track_uuid: 3 double_counter_value: 0.1 } }"""
        data = self.orma("convert", "binary", input=text.encode()).stdout
        events = json.loads(self.orma("convert", "json", input=data).stdout)["traceEvents"]
        self.assertIn({"ph": "C", "ts": 0.007, "pid": 10, "name": "level", "args": {"value": 0.1}}, events)

    def converted(self, text):
        """A trace and its JSON, both to be asked."""
        (self.dir / "of.pftrace").write_bytes(self.orma("convert", "binary", input=text.encode()).stdout)
        self.orma("convert", "json", "-f", "of.pftrace", "of.json")
        return "of.pftrace", "of.json"

    def answer(self, trace, sql):
        return self.orma("query", "--format=tsv", trace, sql).stdout.decode().splitlines()

    def test_json_says_what_the_kernel_did_once(self):
        """Readers make slices and counters of the kernel's text, too."""
        lines = "\n".join(f"event {{ timestamp: {(i + 1) * 1000000} pid: 7 {e} }}" for i, e in enumerate(KERNEL_EVENTS))
        one, other = self.converted(f"packet {{ trusted_packet_sequence_id: 1 ftrace_events {{ cpu: 0 {lines} }} }}")
        for sql in ("SELECT ts, dur, name FROM slice ORDER BY 1, 2, 3", "SELECT ts, value FROM counter ORDER BY 1, 2",
                    "SELECT ts, dur, cpu, tid FROM sched JOIN thread USING (utid) ORDER BY 1, 3", "SELECT count(*) FROM flow"):
            self.assertEqual(self.answer(other, sql), self.answer(one, sql), sql)
        self.assertGreater(len(self.answer(one, "SELECT 1 FROM slice")), 3)
        self.assertGreater(len(self.answer(one, "SELECT 1 FROM counter")), 5)

    def test_json_counters_of_one_name_stay_apart(self):
        text = """
packet { track_descriptor { uuid: 1 process { pid: 10 } } }
packet { track_descriptor { uuid: 5 parent_uuid: 1 thread { pid: 10 tid: 11 } } }
packet { track_descriptor { uuid: 6 parent_uuid: 1 thread { pid: 10 tid: 12 } } }
""" + "".join(f'packet {{ track_descriptor {{ uuid: {uuid} parent_uuid: {parent} name: "level" counter {{ }} }} }}\n'
              for uuid, parent in ((20, 1), (21, 5), (22, 6), (23, 2))) + "packet { track_descriptor { uuid: 2 parent_uuid: 1 name: \"group\" } }\n" + "".join(
                  f"packet {{ timestamp: {ts} trusted_packet_sequence_id: 1 track_event {{ type: TYPE_COUNTER track_uuid: {uuid} counter_value: {uuid + ts} }} }}\n"
                  for ts in (1000, 2000) for uuid in range(20, 24))
        sql = "SELECT group_concat(value) AS v FROM (SELECT * FROM counter ORDER BY ts) GROUP BY track_id ORDER BY v"
        one, other = self.converted(text)
        self.assertEqual(len(self.answer(one, sql)), 4)
        self.assertEqual(self.answer(other, sql), self.answer(one, sql))

    def test_json_of_slices_that_begin_with_an_open_one(self):
        text = "packet { track_descriptor { uuid: 5 thread { pid: 7 tid: 8 } } }"
        for ts, name in ((10, "open"), (10, "a"), (10, "b"), (12, None), (20, None), (21, "c"), (22, None), (30, "open too"), (30, "d"), (40, None), (41, "e"), (42, None)):
            kind = f'type: TYPE_SLICE_BEGIN name: "{name}"' if name else "type: TYPE_SLICE_END"
            text += f"packet {{ timestamp: {ts}000 trusted_packet_sequence_id: 1 track_event {{ track_uuid: 5 {kind} }} }}\n"
        one, other = self.converted(text)
        sql = "SELECT name, ts, dur, depth FROM slice ORDER BY id"
        self.assertEqual(self.answer(other, sql), self.answer(one, sql))

    def test_machines_do_not_mix(self):
        """Pids and CPUs are of a machine, and these formats have none."""
        slices = """packet { track_descriptor { uuid: 5 thread { pid: %d tid: %d } } }
packet { timestamp: 1 timestamp_clock_id: 6 trusted_packet_sequence_id: 1 track_event { type: TYPE_INSTANT track_uuid: 5 name: "%s" } }"""
        kernel = """packet { trusted_packet_sequence_id: 1 ftrace_events { cpu: 0 event { timestamp: %d pid: 7
print { ip: 1 buf: "hello" } } } }"""
        for name, text in {"a": slices % (7, 7, "a"), "b": slices % (7, 8, "b"), "c": slices % (9, 9, "c"), "k": kernel % 5, "l": kernel % 6}.items():
            (self.dir / name).write_bytes(self.orma("convert", "binary", input=text.encode()).stdout)
        for members, formats in ((("a", "b"), ("json",)), (("k", "l"), ("json", "systrace", "ctrace"))):
            self.orma("merge", "--apart", "-f", "-o", "both.tar", *members)
            for format in formats:
                self.fails(format, "both.tar", "out", says="several machines")
                self.assertFalse((self.dir / "out").exists())
        for apart, members in (("--apart", ("a", "c")), ("--apart", ("a", "k")), ("--no-validate", ("a", "b"))):
            self.orma("merge", apart, "-f", "-o", "both.tar", *members)
            self.orma("convert", "json", "both.tar", "-f", "out")


if __name__ == "__main__":
    main()
