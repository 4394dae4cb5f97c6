"""Kernel events in files of others: the parts of a trace.dat, and perf.data with tracepoints and switches. make_traces.py writes the files."""
import struct


def perf_record(kind, data, misc=2):
    data += bytes(-len(data) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(data)) + data


def trace_format(name, number, *fields):
    """Fields as (declaration, size, signed), one behind the other, behind the common ones."""
    common = (("unsigned short common_type", 2, 0), ("unsigned char common_flags", 1, 0), ("unsigned char common_preempt_count", 1, 0),
              ("int common_pid", 4, 1))
    out, at = f"name: {name}\nID: {number}\nformat:\n", 0
    for i, (text, size, signed) in enumerate(common + fields):
        out += ("\n" if i == len(common) else "") + f"\tfield:{text};\toffset:{at};\tsize:{size};\tsigned:{signed};\n"
        at += size
    return (out + '\nprint fmt: ""\n').encode()


SWITCH = trace_format("sched_switch", 310, ("char prev_comm[16]", 16, 0), ("pid_t prev_pid", 4, 1), ("int prev_prio", 4, 1),
                      ("long prev_state", 8, 1), ("char next_comm[16]", 16, 0), ("pid_t next_pid", 4, 1), ("int next_prio", 4, 1))
PRINT = trace_format("print", 5, ("unsigned long ip", 8, 0), ("char buf[]", 0, 0))
STRANGE = trace_format("strange", 900, ("u16 words[2]", 4, 0), ("__data_loc char[] text", 4, 0), ("s32 last", 4, 1))


class TraceDat:
    """The parts of a trace.dat in one byte order."""

    def __init__(self, order="<", long_size=8):
        self.order, self.long = order, long_size

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def sized(self, data, form="Q"):
        return self.pack(form, len(data)) + data

    def head(self, version):
        return b"\x17\x08\x44tracing" + version + b"\0" + bytes([self.order == ">", self.long]) + self.pack("I", 4096)

    def header(self):
        page = (f"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:{self.long};\tsigned:1;\n"
                f"\tfield: char data;\toffset:{8 + self.long};\tsize:{4088 - self.long};\tsigned:1;\n").encode()
        return b"header_page\0" + self.sized(page) + b"header_event\0" + self.sized(b"type_len\n")

    def formats(self):
        return self.pack("I", 1) + self.sized(PRINT), (self.pack("I", 2) + b"sched\0" + self.pack("I", 1) + self.sized(SWITCH) +
                                                       b"odd\0" + self.pack("I", 1) + self.sized(STRANGE))

    def event(self, delta, number, pid, data, long=False):
        data = self.pack("HBBi", number, 0, 0, pid) + data
        data += bytes(-len(data) % 4)
        kind = 0 if long else len(data) // 4
        word = kind << 27 | delta if self.order == ">" else kind | delta << 5
        return self.pack("I", word) + (self.pack("I", len(data) + 4) if long else b"") + data

    def extend(self, delta):
        word = 30 << 27 | delta & 0x7ffffff if self.order == ">" else 30 | (delta & 0x7ffffff) << 5
        return self.pack("II", word, delta >> 27)

    def switch(self, delta, before, after, state=0):
        (prev, prev_comm), (then, then_comm) = before, after
        return self.event(delta, 310, prev, prev_comm.ljust(16, b"\0") + self.pack("iiq", prev, 120, state) +
                          then_comm.ljust(16, b"\0") + self.pack("ii", then, 100))

    def print(self, delta, pid, text, long=False):
        return self.event(delta, 5, pid, self.pack("Q", 0xfff0) + text + b"\0", long)

    def strange(self, delta, pid):
        return self.event(delta, 900, pid, self.pack("HHIi", 7, 65535, 20 | 4 << 16, -5) + b"two\0")

    def page(self, time, *events, lost=False):
        data = b"".join(events)
        return (self.pack("Q", time) + self.pack("Q" if self.long == 8 else "I", len(data) | lost << 31) + data).ljust(4096, b"\0")

    def option(self, number, data):
        return self.pack("HI", number, len(data)) + data


def perf_events():
    """Tracepoints of a system (one of an unknown kind), switches of a CPU without events, and threads that begin and end; a file with sections."""
    t = TraceDat()
    kind = 1 << 1 | 1 << 2 | 1 << 6 | 1 << 7 | 1 << 10  # thread, time, id, cpu, raw bytes
    ids = {"sched:sched_switch": (310, 7), "odd:strange": (900, 8)}

    def attr(config, **more):
        return struct.pack("<IIQQQQQ", 2, 64, config, 1, kind, 4, 1 << 18) + bytes(16)

    def trailer(pid, tid, time, cpu, number=7):
        return struct.pack("<IIQQII", pid, tid, time, number, cpu, 0)

    def sample(pid, tid, time, cpu, number, event):
        raw = event[4:]
        return perf_record(9, trailer(pid, tid, time, cpu, number) + struct.pack("<I", len(raw)) + raw + bytes((4 - len(raw)) % 8))

    a, b, idle = (41, b"worker"), (42, b"other"), (0, b"swapper/1")
    switch = lambda time, cpu, before, after, state=0: sample(40 * bool(before[0]), before[0], time, cpu, 7, t.switch(0, before, after, state))
    records = b"".join((
        perf_record(3, struct.pack("<II", 40, 40) + b"tool\0\0\0\0" + trailer(0, 0, 0, 0)),
        perf_record(7, struct.pack("<IIIIQ", 40, 1, 40, 1, 0) + trailer(0, 0, 0, 0)),
        perf_record(7, struct.pack("<IIIIQ", 40, 40, 41, 40, 900) + trailer(40, 40, 900, 1)),
        switch(1000, 1, idle, a), sample(40, 41, 1400, 1, 8, t.strange(0, 41)), switch(2000, 1, a, b, 1),
        perf_record(14, trailer(40, 41, 2000, 1), 2 | 1 << 13),  # which the event has told
        switch(2600, 1, b, a), switch(1500, 0, idle, b), switch(1900, 0, b, idle, 2),
        sample(40, 41, 2700, 1, 8, t.event(0, 77, 41, b"none")),
        perf_record(4, struct.pack("<IIIIQ", 40, 1, 41, 1, 2900) + trailer(40, 41, 2900, 1))))
    ftrace, formats = t.formats()
    described = t.head(b"0.6") + t.header() + ftrace + formats + t.sized(b"", "I") * 2 + t.sized(b"41 worker\n")

    def text(s):
        return struct.pack("<I", 8) + s.ljust(8, b"\0")

    names = struct.pack("<II", 2, 64) + b"".join(
        attr(config) + struct.pack("<II", 1, len(name) + 1) + name.encode() + b"\0" + struct.pack("<Q", number) for name, (config, number) in ids.items())
    at = 104 + 80 * 2
    attrs = b"".join(attr(config) + struct.pack("<QQ", at + 8 * i, 8) for i, (config, _) in enumerate(ids.values()))
    body = attrs + b"".join(struct.pack("<Q", number) for _, number in ids.values())
    data_at = 104 + len(body)
    features = {1: described, 4: text(b"6.1.0"), 6: text(b"x86_64"), 12: names}
    place, table, blobs = data_at + len(records) + 16 * len(features), b"", b""
    for blob in features.values():
        table += struct.pack("<QQ", place + len(blobs), len(blob))
        blobs += blob
    bits = sum(1 << n for n in features)
    return (b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, 80, 104, len(attrs), data_at, len(records), 0, 0) + struct.pack("<QQQQ", bits, 0, 0, 0) +
            body + records + table + blobs)


def perf_switches():
    """A recording to a pipe of switches alone, on two CPUs; some whose end was lost, and one whose begin was."""
    kind = 1 << 1 | 1 << 2 | 1 << 7
    attr = struct.pack("<IIQQQQQ", 1, 64, 9, 0, kind, 0, 1 << 18) + bytes(16)

    def switch(tid, time, cpu, out=0, other=None):
        body = b"" if other is None else struct.pack("<II", 40, other)
        return perf_record(14 if other is None else 15, body + struct.pack("<IIQII", 40 if tid else 0, tid, time, cpu, 0), 2 | out << 13)

    return b"PERFILE2" + struct.pack("<Q", 16) + b"".join((
        perf_record(64, attr + struct.pack("<Q", 9)),
        perf_record(3, struct.pack("<II", 40, 40) + b"tool\0\0\0\0" + struct.pack("<IIQII", 40, 40, 100, 0, 0)),
        switch(0, 200, 0, 1, 40), switch(40, 201, 0, 0, 0), switch(40, 300, 0, 1, 0), switch(0, 301, 0, 0, 40),
        switch(41, 250, 1), switch(41, 280, 1, 3), switch(42, 290, 1), switch(41, 400, 1), switch(43, 450, 1, 1),
        switch(44, 500, 0), switch(44, 510, 1), switch(45, 520, 0), switch(44, 530, 1, 1)))
