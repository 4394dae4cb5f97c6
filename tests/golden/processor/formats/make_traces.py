#!/usr/bin/env python3
"""Writes the traces of golden cases whose formats are not text: each from what it says, byte by byte.

    make_traces.py [--check]

Nothing here compresses, so that the bytes are the same everywhere: streams consist of stored blocks.
--check writes nothing, and fails if a file is not what this script makes.
"""
import bz2
import lzma
import pathlib
import random
import struct
import sys
import tempfile
import zlib

from kernel_traces import TraceDat, perf_events, perf_record, perf_switches

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "integration"))

import ctf_made


def systrace(*lines):
    return ("# tracer: nop\n#\n" + "".join(f"  {task} ( {tgid}) [{cpu:03}] ...1 {ts}: {event}\n"
                                           for task, tgid, cpu, ts, event in lines)).encode()


MARKS = systrace(("app-20", 20, 1, "1.000100", "tracing_mark_write: B|20|packed"),
                 ("app-20", 20, 1, "1.000300", "tracing_mark_write: E|20"))
MORE = systrace(("app-20", 20, 1, "1.000200", "tracing_mark_write: I|20|second file"))


# ---- containers ----

def stored(data):
    """A stream of deflate with one block that is not packed."""
    return b"\x01" + struct.pack("<HH", len(data), len(data) ^ 0xffff) + data


def gzip(data):
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + stored(data) + struct.pack("<II", zlib.crc32(data), len(data))


def gzip_twice():
    """Two members, cut in the middle of a line, are one stream."""
    cut = len(MARKS) - 20
    return gzip(MARKS[:cut]) + gzip(MARKS[cut:])


def ctrace():
    """What atrace -z prints: text, then a zlib stream of the rest."""
    return b"TRACE:\n\x78\x9c" + stored(MARKS) + struct.pack(">I", zlib.adler32(MARKS))


def zstd():
    """One frame whose size is known in a byte, with one raw block."""
    return (b"\x28\xb5\x2f\xfd" + bytes([0x20]) + bytes([len(MARKS)]) +
            (1 | len(MARKS) << 3).to_bytes(3, "little") + MARKS)


def tar(*members):
    out = b""
    for name, data in members:
        header = bytearray(512)
        header[0:len(name)] = name.encode()
        header[124:135] = b"%011o" % len(data)
        header[156] = ord("0")
        header[100:108] = b"0000644\0"
        header[257:265] = b"ustar\x0000"
        header[148:156] = b" " * 8  # what the sum counts for itself
        header[148:156] = b"%06o\0 " % sum(header)
        out += bytes(header) + data + bytes(-len(data) % 512)
    return out + bytes(1024)


REPORT = b"""========================================================
== dumpstate: 2024-05-06 07:08:09
========================================================
------ UPTIME (uptime) ------
 07:08:09 up 1 day
------ 0.001s was the duration of 'UPTIME' ------
"""


def zip_file(*members):
    """Members that are packed (8) or stored (0)."""
    out, listing = b"", b""
    for name, method, data in members:
        body = stored(data) if method else data
        head = struct.pack("<HHHHHIIIHH", 20, 0, method, 0, 0, zlib.crc32(data), len(body), len(data), len(name), 0)
        listing += b"PK\1\2" + struct.pack("<H", 20) + head + struct.pack("<HHHII", 0, 0, 0, 0, len(out)) + name.encode()
        out += b"PK\3\4" + head + name.encode() + body
    return out + listing + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(listing), len(out), 0)


# ---- messages ----

def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes([*out, n])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def message(*fields):
    return b"".join(field(n, v) for n, v in fields)


def simpleperf():
    """A sample before the file and the thread that it refers to; frames are innermost first."""
    records = [
        message((1, message((1, 7000), (2, 31), (3, message((1, 0x40), (2, 1), (3, 1))), (3, message((1, 0x80), (2, 1), (3, 0)))))),
        message((1, message((1, 8000), (2, 30), (3, message((1, 0x99), (2, 1), (3, 0)))))),
        message((3, message((1, 1), (2, "/system/lib/libgame.so"), (3, "loop"), (3, "draw")))),
        message((4, message((1, 31), (2, 30), (3, "RenderThread")))),
        message((4, message((1, 30), (2, 30), (3, "game")))),
    ]
    return b"SIMPLEPERF" + struct.pack("<H", 1) + b"".join(struct.pack("<I", len(r)) + r for r in records) + bytes(4)


def pprof():
    """Two values for each sample; one mapping, two functions, one of them inlined into the other."""
    strings = ["", "alloc_objects", "count", "alloc_space", "bytes", "/usr/bin/tool", "outer", "inner", "tool.c", "beef"]
    return message(
        (1, message((1, 1), (2, 2))), (1, message((1, 3), (2, 4))),
        (2, message((1, varint(2) + varint(1)), (2, varint(3) + varint(4096)))),
        (2, message((1, varint(1)), (2, varint(1) + varint(16)))),
        (3, message((1, 1), (2, 0x400000), (3, 0x500000), (4, 0), (5, 5), (6, 9))),
        (4, message((1, 1), (2, 1), (3, 0x400100), (4, message((1, 1), (2, 10))))),
        (4, message((1, 2), (2, 1), (3, 0x400200), (4, message((1, 2), (2, 20))), (4, message((1, 1), (2, 11))))),
        (5, message((1, 1), (2, 6), (3, 6), (4, 8), (5, 9))),
        (5, message((1, 2), (2, 7), (3, 7), (4, 8), (5, 19))),
        *((6, s) for s in strings))


def pprof_odd():
    """Numbers first, strings last; places that lie in no mapping, a function without a line, a sample without a
    stack, a type that is not named, and a last field that is cut off."""
    strings = ["", "cpu", "ns", "/usr/bin/tool", "outer", "inner"]
    return message(
        (9, 1700000000), (12, 10), (11, message((1, 1), (2, 2))),
        (2, message((1, varint(2) + varint(1)), (2, varint(7) + varint(8)))),
        (2, message((1, varint(3) + varint(1)), (2, varint(9) + varint(10)))),
        (2, message((1, varint(2) + varint(1)), (2, varint(11) + varint(12)))),
        (2, message((2, varint(5) + varint(5)))),
        (1, message((1, 1), (2, 2))), (1, message((1, 77))),
        (4, message((1, 1), (2, 1), (3, 0x400100), (4, message((1, 1))))),
        (4, message((1, 2), (3, 0x20), (4, message((1, 2), (2, 20))))),
        (4, message((1, 3), (3, 0x20), (4, message((1, 9), (2, 1))))),
        (5, message((1, 1), (2, 4), (5, 9))), (5, message((1, 2), (2, 5))),
        (3, message((1, 1), (2, 0x400000), (3, 0x500000), (4, 0x1000), (5, 3))),
        *((6, s) for s in strings)) + field(6, "cut off")[:-3]


# ---- method traces ----

ART_METHODS = [(4, "app.Main", "run", "()V", "Main.java"), (8, "app/db/Store", "load", "(I)I", "Store.java", "12"),
               (12, "lone"), (16, "app.Old", "Old.java", "7")]
ART_THREADS = [(300, "main"), (301, "worker")]
# thread, what it does (0 enters, 1 leaves), method, microseconds
ART_EVENTS = [(300, 0, 4, 0), (300, 0, 8, 5), (301, 0, 12, 6), (300, 1, 8, 9), (300, 0, 16, 11), (300, 1, 16, 12), (300, 1, 4, 20)]


def art_header(version, *more):
    return struct.pack("<4sHHQ", b"SLOW", version, 32, 1000000) + b"".join(more).ljust(16, b"\0")


def art_text():
    """The form that says everything before the records; these have times of two clocks."""
    lines = ["*version", "3", "data-file-overflow=false", "clock=dual", "vm=art", "*threads",
             *(f"{tid}\t{name}" for tid, name in ART_THREADS), "*methods",
             *("\t".join((hex(m[0]), *m[1:])) for m in ART_METHODS), "*end"]
    return ("\n".join(lines) + "\n").encode() + art_header(3, struct.pack("<H", 14)) + b"".join(
        struct.pack("<HIII", tid, method | action, 1, us) for tid, action, method, us in ART_EVENTS)


def art_streaming():
    """Names come where they are needed first, the clock with the summary."""
    out = art_header(0xf2)
    for tid, name in ART_THREADS:
        out += struct.pack("<HBHH", 0, 2, tid, len(name)) + name.encode()
    for m in ART_METHODS:
        line = ("\t".join((hex(m[0]), *m[1:])) + "\n").encode()
        out += struct.pack("<HBH", 0, 1, len(line)) + line
    out += b"".join(struct.pack("<HII", tid, method | action, us) for tid, action, method, us in ART_EVENTS)
    summary = b"*version\n2\nclock=wall\n*threads\n*methods\n*end\n"
    return out + struct.pack("<HBI", 0, 3, len(summary)) + summary


def leb(value):
    out = b""
    while True:
        byte, value = value & 0x7f, value >> 7
        if (value == 0 and not byte & 0x40) or (value == -1 and byte & 0x40):
            return out + bytes([byte])
        out += bytes([byte | 0x80])


def art_v2():
    """Blocks: names, then what each thread did, as differences; ticks of 2 MHz."""
    out = (struct.pack("<4sHQQQ", b"SLOW", 5, 1000000000, 7777, 2000000)).ljust(32, b"\0")
    for tid, name in ART_THREADS:
        out += struct.pack("<BIH", 0, tid, len(name)) + name.encode()
    for m in ART_METHODS:
        words = "\t".join(m[1:]).encode()
        out += struct.pack("<BQH", 1, m[0], len(words)) + words
    for tid, _ in ART_THREADS:
        mine, data, time, last = [e for e in ART_EVENTS if e[0] == tid], b"", 0, 0
        for _, action, method, us in mine:
            now = us * 2 << 2 | action
            data, time = data + leb(now - time) + leb(1), now
            if action == 0:
                data, last = data + leb(method - last), method
        out += struct.pack("<BI", 2, tid) + struct.pack("<I", len(mine))[:3] + struct.pack("<I", len(data)) + data
    return out + b"\x03clock=dual\nnum-calls=4\n*end\n"


def perf_piped():
    """Records instead of sections: the attr, the name of its event, and the command line come between the others."""
    ip_tid_time_cpu_period, all_have_ids = 1 | 2 | 4 | 1 << 7 | 1 << 8, 1 << 18
    attr = struct.pack("<IIQQQQQ", 0, 112, 0, 1000, ip_tid_time_cpu_period, 0, all_have_ids).ljust(112, b"\0")
    ids = struct.pack("<QII", 500, 0, 0)  # time and cpu, behind non-sample records
    words = [b"perf\0\0\0\0", b"record\0\0"]
    cmdline = struct.pack("<I", len(words)) + b"".join(struct.pack("<I", len(w)) + w for w in words)
    name = b"/opt/tool".ljust(16, b"\0")
    return struct.pack("<8sQ", b"PERFILE2", 16) + b"".join((
        perf_record(64, attr + struct.pack("<Q", 9)), perf_record(78, struct.pack("<QQ", 2, 9) + b"cycles:u\0"),
        perf_record(80, struct.pack("<Q", 11) + cmdline),
        perf_record(3, struct.pack("<II", 40, 40) + b"tool\0\0\0\0" + ids),
        perf_record(1, struct.pack("<IIQQQ", 40, 40, 0x1000, 0x1000, 0) + name + ids),
        perf_record(9, struct.pack("<QIIQIIQ", 0x1080, 40, 41, 600, 1, 0, 7)),
        perf_record(9, struct.pack("<QIIQIIQ", 0x9000, 40, 40, 700, 1, 0, 3))))


def perf_stacks():
    """The same call chains again and again, before and after a mapping gives their addresses another meaning."""
    ip_tid_time_chain_cpu_period, all_have_ids = 1 | 2 | 4 | 1 << 5 | 1 << 7 | 1 << 8, 1 << 18
    attr = struct.pack("<IIQQQQQ", 0, 112, 0, 1000, ip_tid_time_chain_cpu_period, 0, all_have_ids).ljust(112, b"\0")

    def mapping(time, name, start):
        return perf_record(1, struct.pack("<IIQQQ", 40, 40, start, 0x1000, 0) + name.ljust(16, b"\0") + struct.pack("<QII", time, 0, 0))

    def sample(time, *chain, tid=40, cpu=1, mode=2):
        head = struct.pack("<QIIQIIQ", chain[0] if chain else 0x1010, 40, tid, time, cpu, 0, 1)
        return perf_record(9, head + struct.pack(f"<Q{len(chain)}Q", len(chain), *chain), mode)

    user = (1 << 64) - 512
    same = (0x1080, 0x2040)
    return struct.pack("<8sQ", b"PERFILE2", 16) + b"".join((
        perf_record(64, attr + struct.pack("<Q", 9)), perf_record(78, struct.pack("<QQ", 2, 9) + b"cycles:u\0"),
        mapping(500, b"/opt/one", 0x1000), mapping(501, b"/opt/lib", 0x2000),
        sample(600, *same), sample(601, *same), sample(602, *same, tid=41), sample(603, *same, cpu=2),
        sample(604), sample(605), sample(606, user), sample(607, user, 0x1080), sample(608, *same, mode=1),
        sample(609, 0x1080, 0x9000), sample(610, 0x1080, 0x9000),
        mapping(700, b"/opt/two", 0x1000), sample(701, *same), sample(702, *same), sample(703)))


def packet(*fields):
    return field(1, message(*fields))


def profile_of_packets():
    """A sample of one frame without a name, at 64 of /opt/tool."""
    path = [(17, message((1, i + 1), (2, part))) for i, part in enumerate(("opt", "tool"))]
    interned = message(*path, (16, message((1, 1), (2, b"\1\2"))),
                       (19, message((1, 1), (2, 1), (4, 0x1000), (5, 0x2000), (7, 1), (7, 2))),
                       (6, message((1, 1), (3, 1), (4, 64))), (7, message((1, 1), (2, 1))))
    return (packet((10, 4), (13, 1), (8, 10), (12, interned)) +
            packet((10, 4), (13, 2), (8, 20), (66, message((1, 1), (2, 7), (3, 7), (4, 1)))))


def symbols():
    """Names for that address: a function, and one that is inlined into it."""
    lines = [message((1, "inlined"), (2, "tool.c"), (3, 3)), message((1, "function"), (2, "tool.c"), (3, 30))]
    return packet((61, message((1, "/opt/tool"), (2, b"\1\2"), (3, message((1, 64), *((2, l) for l in lines))))))


# ---- words of 64 bits ----

def text_word(text):
    return int.from_bytes(text.encode().ljust(8, b"\0"), "little")


def record(head, *words):
    return struct.pack(f"<{len(words) + 1}Q", head | (len(words) + 1) << 4, *words)


def fuchsia():
    """One provider, whose clock ticks every 4 ns; one process with a thread; events of each kind; two switches of cpu 1."""
    inline = 0x8000

    def event(kind, ts, name, *more, args=0):
        assert len(name) <= 8
        return record(4 | kind << 16 | args << 20 | 1 << 24 | 1 << 32 | (inline | len(name)) << 48, ts, text_word(name), *more)
    return b"".join([
        struct.pack("<Q", 0x0016547846040010),
        record(0 | 1 << 16 | 5 << 20 | 3 << 52, text_word("svc")),
        record(1, 250000000),
        record(2 | 1 << 16 | 3 << 32, text_word("gfx")),
        record(3 | 1 << 16, 100, 101),
        record(7 | 1 << 16 | (inline | 6) << 24, 100, text_word("shaper")),
        record(7 | 2 << 16 | (inline | 5) << 24 | 1 << 40, 101, text_word("vsync"), 8 | 3 << 4 | (inline | 7) << 16, text_word("process"), 100),
        event(2, 25, "outer", 1 | 2 << 4 | (inline | 1) << 16 | 9 << 32, text_word("n"), args=1),
        event(4, 30, "inner", 35),
        event(0, 40, "tick"),
        event(3, 50, "outer"),
        event(1, 60, "load", 3 | 3 << 4 | (inline | 3) << 16, text_word("cpu"), 17, 2, args=1),
        event(5, 70, "load", 77),
        event(7, 90, "load", 77),
        record(8 | 1 << 20 | 3 << 36 | 1 << 60, 100, 102, 101),
        record(8 | 1 << 20 | 3 << 36 | 1 << 60, 125, 101, 102),
    ])


# ---- trace-cmd ----

def trace_dat():
    """Version 7, packed: two buffers that both have switches, of which the top one counts; a lost page; an event without a format."""
    t, out, strings = TraceDat(), bytearray(), b"\0"

    def packed(data):
        data = b"\x78\x9c" + stored(data) + struct.pack(">I", zlib.adler32(data))
        return data

    def section(number, data):
        at = len(out)
        body = packed(data)
        out.extend(t.pack("HHIQ", number, 1, 0, len(body) + 8) + t.pack("II", len(body), len(data)) + body)
        return t.pack("Q", at)

    def buffer(name, *cpus):
        at, table = len(out), b""
        out.extend(t.pack("HHIQ", 3, 1, 0, 0))
        for cpu, *pages in cpus:
            chunks = b"".join(t.pack("II", len(packed(p)), len(p)) + packed(p) for p in pages)
            table += t.pack("IQQ", cpu, len(out), len(chunks))
            out.extend(t.pack("I", len(pages)) + chunks)
        return t.option(3, t.pack("Q", at) + name + b"\0boot\0" + t.pack("II", 4096, len(cpus)) + table)

    a, b, idle = (41, b"worker"), (42, b"other"), (0, b"swapper/1")
    out += t.head(b"7") + b"zlib\0" + b"1.2\0"
    place = len(out)
    out += bytes(8)
    ftrace, formats = t.formats()
    options = [t.option(16, section(16, t.header())), t.option(17, section(17, ftrace)), t.option(18, section(18, formats)),
               t.option(21, section(21, t.sized(b"41 worker\n42 other\n43 never here\n44 quiet one\n"))),
               t.option(4, b"[local] boot"), t.option(5, b"Linux host 6.1.0 x86_64\0"), t.option(9, b"3.2\0"), t.option(99, b"new"),
               t.option(2, b"CPU: 1\nentries: 4\noverrun: 3\ncommit overrun: 0\nbytes: 400\ndropped events: 2\nread events: 7\n"),
               t.option(8, t.pack("I", 2))]
    options += [buffer(b"", (1, t.page(1000, t.switch(0, idle, a), t.print(100, 41, b"B|41|work"), t.event(1, 77, 41, b"none"),
                                       t.print(400, 41, b"E|41"), t.switch(100, a, b, 1)),
                             t.page(3000, t.strange(5, 42), t.extend(1 << 30), t.print(0, 44, b"a long one", long=True), lost=True))),
                buffer(b"side", (1, t.page(1200, t.switch(0, idle, a), t.switch(7, a, b)), bytes(4096)))]
    last = section(0, b"".join(options) + t.option(0, bytes(8)))
    out[place:place + 8] = last
    return bytes(out)


def trace_dat_big():
    """Version 6 of a big-endian machine of 32 bits, whose ticks are half a nanosecond, an hour late; an instance, whose table comes later."""
    t = TraceDat(">", 4)
    ftrace, formats = t.formats()
    a, idle = (41, b"worker"), (0, b"swapper/0")
    top = t.page(2000, t.switch(0, idle, a), t.strange(20, 41), t.extend(1 << 28), t.switch(0, a, idle, 1))
    side = t.page(4000, t.print(2, 41, b"C|41|level|9"))
    side = side[:8] + t.pack("I", 1 << 20 | 4000) + side[12:] + t.page(5000, t.print(2, 41, b"C|41|level|8"))  # the first page is damaged
    head = (t.head(b"6") + t.header() + ftrace + formats + t.sized(b"", "I") + t.sized(b"", "I") + t.sized(b"41 worker\n") + t.pack("I", 1) +
            b"options  \0" + t.option(14, t.pack("IIQ", 1, 1, 0)) + t.option(7, b"3600000000000\0"))
    table = b"flyrecord\0"
    late = len(head) + 6 + 8 + 5 + 2 + len(table) + 16
    begin = (late + len(table) + 16 + 4095) // 4096 * 4096
    head += t.option(3, t.pack("Q", late) + b"side\0") + t.pack("H", 0)
    head += table + t.pack("QQ", begin, len(top)) + table + t.pack("QQ", begin + len(top), len(side))
    return head.ljust(begin, b"\0") + top + side


# ---- OpenTelemetry ----

class Jfr:
    """A chunk of the JDK Flight Recorder: classes as (name, id, fields, label, category), with fields as (name, class, mark, annotation)."""
    TIMESPAN, TIMESTAMP, LABEL, CATEGORY, AMOUNT, UNSIGNED, ADDRESS = 200, 201, 202, 203, 204, 205, 206
    PLAIN = {"boolean": 4, "char": 5, "float": 6, "double": 7, "byte": 8, "short": 9, "int": 10, "long": 11, "java.lang.String": 20}
    NOTES = {"jdk.jfr.Timespan": 200, "jdk.jfr.Timestamp": 201, "jdk.jfr.Label": 202, "jdk.jfr.Category": 203, "jdk.jfr.DataAmount": 204,
             "jdk.jfr.Unsigned": 205, "jdk.jfr.MemoryAddress": 206}

    def __init__(self, start, ticks, rate):
        self.start, self.ticks, self.rate = start, ticks, rate
        self.strings, self.classes, self.body, self.pools = [], [], bytearray(), b""

    def number(self, n):
        """At most nine bytes: the last one has 8 bits."""
        n &= 2**64 - 1
        out = b""
        for _ in range(8):
            if n < 0x80:
                return out + bytes([n])
            out, n = out + bytes([n & 0x7f | 0x80]), n >> 7
        return out + bytes([n])

    def text(self, s, kind=3):
        if s is None:
            return b"\0"
        data = s.encode("utf-8") if kind == 3 else s.encode("latin-1")
        return bytes([kind]) + self.number(len(data)) + data

    def chars(self, s):
        units = struct.unpack(f"<{len(s.encode('utf-16-le')) // 2}H", s.encode("utf-16-le"))
        return b"\4" + self.number(len(units)) + b"".join(map(self.number, units))

    def index(self, s):
        if s not in self.strings:
            self.strings.append(s)
        return self.number(self.strings.index(s))

    def element(self, name, attributes, *children):
        return (self.index(name) + self.number(len(attributes)) + b"".join(self.index(k) + self.index(v) for k, v in attributes) +
                self.number(len(children)) + b"".join(children))

    def note(self, number, *values):
        keys = ["value"] if len(values) == 1 else [f"value-{i}" for i in range(len(values))]
        return self.element("annotation", [("class", str(number)), *zip(keys, values)])

    def a_class(self, name, number, fields, label=None, category=(), event=False):
        parts = [self.note(self.LABEL, label)] if label else []
        parts += [self.note(self.CATEGORY, *category)] if category else []
        for field, of, mark, *notes in fields:
            attributes = [("name", field), ("class", str(of))]
            attributes += [("constantPool", "true")] if "*" in mark else []
            attributes += [("dimension", "1")] if "[" in mark else []
            parts.append(self.element("field", attributes, *(self.note(*n) for n in notes)))
        self.classes.append(self.element("class", [("name", name), ("id", str(number))] + ([("superType", "jdk.jfr.Event")] if event else []), *parts))

    def metadata(self):
        for name, number in {**self.PLAIN, **self.NOTES}.items():
            self.a_class(name, number, [])
        tree = self.element("root", [], self.element("metadata", [], *self.classes), self.element("region", [("gmtOffset", "0")]))
        return self.number(0) + self.number(0) + self.number(1) + self.number(len(self.strings)) + b"".join(self.text(s) for s in self.strings) + tree

    def event(self, kind, *fields):
        data = self.number(kind) + b"".join(fields)
        at = len(self.body)
        self.body += self.padded(len(data) + 4) + data
        return at

    def padded(self, n):
        """As the JVM writes sizes that it fills in later: in four bytes."""
        return bytes([n & 0x7f | 0x80, n >> 7 & 0x7f | 0x80, n >> 14 & 0x7f | 0x80, n >> 21 & 0x7f])

    def pool(self, *pools):
        """Of (class, {key: bytes})."""
        return self.event(1, self.number(0), self.number(0), self.number(0), b"\1", self.number(len(pools)), *(
            self.number(of) + self.number(len(values)) + b"".join(self.number(k) + v for k, v in values.items()) for of, values in pools))

    def finish(self, done=True):
        pools = 68 + max(self.at_pools)
        meta = 68 + self.event(0, self.metadata())
        size = 68 + len(self.body)
        head = b"FLR\0" + struct.pack(">HHqqqqqqq", 2, 1, *((size, pools, meta) if done else (0, 0, 0)), self.start, 0, self.ticks, self.rate)
        return head + bytes([0 if done else 255, 0, 0, 1]) + bytes(self.body)

    at_pools = ()


def jfr_chunk(start, pid, done=True):
    """Ids of classes are the chunk's own: they differ from chunk to chunk."""
    base = 300 if done else 500
    j = Jfr(start, 1000, 2000000000)
    n = j.number
    thread, stack, frame, method, klass, symbol, loader, mode = range(base, base + 8)
    work, sample, alloc, heap, jvm, end, gc, lost, odd, space = range(base + 20, base + 30)
    ticks, at = (j.TIMESPAN, "TICKS"), (j.TIMESTAMP, "TICKS")
    j.a_class("java.lang.Thread", thread, [("osName", 20, ""), ("osThreadId", 11, ""), ("javaName", 20, ""), ("javaThreadId", 11, ""),
                                           ("virtual", 4, "")])
    j.a_class("jdk.types.StackTrace", stack, [("truncated", 4, ""), ("frames", frame, "[")])
    j.a_class("jdk.types.StackFrame", frame, [("method", method, "*"), ("lineNumber", 10, ""), ("bytecodeIndex", 10, ""), ("type", mode, "*")])
    j.a_class("jdk.types.Method", method, [("type", klass, "*"), ("name", symbol, "*"), ("hidden", 4, "")])
    j.a_class("java.lang.Class", klass, [("classLoader", loader, "*"), ("name", symbol, "*")])
    j.a_class("jdk.types.ClassLoader", loader, [("type", klass, "*"), ("name", symbol, "*")])
    j.a_class("jdk.types.Symbol", symbol, [("string", 20, "")])
    j.a_class("jdk.types.FrameType", mode, [("description", 20, "")])
    j.a_class("jdk.types.VirtualSpace", space, [("start", 11, "", (j.ADDRESS,)), ("committedSize", 11, "", (j.AMOUNT, "BYTES"))])
    placed = [("startTime", 11, "", at), ("duration", 11, "", ticks), ("eventThread", thread, "*"), ("stackTrace", stack, "*")]
    j.a_class("app.Work", work, placed + [("number", 10, ""), ("small", 9, ""), ("bits", 8, "", (j.UNSIGNED,)), ("letter", 5, ""), ("real", 7, ""),
                                          ("part", 6, ""), ("text", 20, ""), ("wait", 11, "", (j.TIMESPAN, "MILLISECONDS")), ("type", klass, "*"),
                                          ("list", 10, "["), ("until", 11, "", (j.TIMESTAMP, "MILLISECONDS_SINCE_EPOCH"))],
              "Java Work", ("App", "Own"), True)
    j.a_class("jdk.ExecutionSample", sample, [placed[0], ("sampledThread", thread, "*"), placed[3], ("state", mode, "*")], "Sample", (), True)
    j.a_class("jdk.ObjectAllocationInNewTLAB", alloc, [placed[0], placed[2], placed[3], ("objectClass", klass, "*"), ("allocationSize", 11, ""),
                                                      ("tlabSize", 11, "", (j.AMOUNT, "BYTES"))], "Allocation", (), True)
    j.a_class("jdk.GCHeapSummary", heap, [placed[0], ("gcId", 10, ""), ("when", mode, "*"), ("heapSpace", space, ""),
                                          ("heapUsed", 11, "", (j.AMOUNT, "BYTES"))], "Heap", (), True)
    j.a_class("jdk.JVMInformation", jvm, [placed[0], ("pid", 11, ""), ("javaArguments", 20, "")], "JVM", ("Java Virtual Machine",), True)
    j.a_class("jdk.ThreadEnd", end, [placed[0], placed[2], ("thread", thread, "*")], "Java Thread End", (), True)
    j.a_class("jdk.GCPhasePause", gc, placed[:3] + [("gcId", 10, ""), ("name", 20, "")], "GC Phase Pause", ("Java Virtual Machine", "GC"), True)
    j.a_class("jdk.DataLoss", lost, [placed[0], ("amount", 11, "", (j.AMOUNT, "BYTES")), ("total", 11, "", (j.AMOUNT, "BYTES"))], "Data Loss", (), True)

    def f(m, line, t):
        return n(m) + n(line) + n(7) + n(t)
    symbols = {1: j.text("run"), 2: b"\5" + n(4) + "d\xe9f!".encode("latin-1"), 3: j.text("app/Main"), 4: j.text("[Lapp/Main;"), 5: j.text("[[I"),
               6: j.text("write"), 7: b"\1"}
    j.at_pools = [
        j.pool((thread, {1: j.text("os main") + n(pid + 1) + j.text("main") + n(1) + b"\0", 2: j.text("carrier") + n(pid + 1) + j.chars("v\U0001f600") +
                         n(31) + b"\1", 3: j.text("GC") + n(pid + 3) + j.text(None) + n(0) + b"\0"}),
               (stack, {1: b"\0" + n(2) + f(2, 12, 1) + f(1, 7, 2), 2: b"\1" + n(3) + f(3, -1, 3) + f(2, 13, 1) + f(1, 7, 2), 3: b"\0" + n(0)})),
        j.pool((method, {1: n(1) + n(1) + b"\0", 2: n(1) + n(2) + b"\0", 3: n(4) + n(6) + b"\0"}),
               (klass, {1: n(1) + n(3), 2: n(1) + n(4), 3: n(0) + n(5), 4: n(0) + n(7)}), (loader, {1: n(1) + n(0)}), (symbol, symbols),
               (mode, {1: j.text("JIT compiled"), 2: j.text("Interpreted"), 3: j.text("Native"), 4: j.text("STATE_RUNNABLE")}),
               (20, {9: j.text("text of a pool")}))]

    def t(ns):
        return n(1000 + 2 * ns)

    def work_event(ts, dur, who, trace, text, kind, wait, until=-2**63):
        j.event(work, t(ts), n(2 * dur), n(who), n(trace), n(-5), n(-6), b"\xfe", n(0xe4), struct.pack(">d", 0.5), struct.pack(">f", -2.25), text, n(wait),
                n(kind), n(3) + n(1) + n(-2) + n(3), n(until))
    work_event(2000, 500, 1, 1, j.text("in\u00fc"), 2, 15)  # ends before the one around it
    work_event(1000, 4000, 1, 2, b"\2" + n(9), 3, -2**63)
    work_event(1500, 4000, 1, 3, b"\0", 1, 2**62, 12)  # reaches out of it
    work_event(7000, 100, 2, 1, b"\1", 0, 1)
    j.event(sample, t(2100), n(1), n(1), n(4))
    j.event(sample, t(2200), n(0), n(99), n(4))  # of no thread, with a stack that is not there
    j.event(alloc, t(2300), n(1), n(1), n(2), n(16), n(4096))
    j.event(alloc, t(2400), n(1), n(0), n(3), n(16), n(512))
    j.event(heap, t(100), n(1), n(4), n(4096) + n(1 << 20), n(777))
    if done:
        j.event(jvm, t(50), n(pid), j.text("app.Main --fast 5"))
    j.event(gc, t(3000), n(2 * 300), n(3), n(1), j.text("Pause Young"))
    j.event(gc, t(3000), n(2 * 100), n(0), n(1), j.text("Concurrent Mark"))
    j.event(end, t(6000), n(1), n(1))
    j.event(lost, t(6500), n(100), n(100))
    j.event(odd, t(6600))  # of a type that nobody describes
    j.event(work, n(2**63))  # before all time, and cut
    return j.finish(done)


def jfr():
    """Two chunks, of which the second one was not finished, with numbers of their own; in front of its end, an event of an impossible size."""
    return jfr_chunk(1700000000 * 10**9, 4000) + jfr_chunk(1700000001 * 10**9, 4000, done=False) + b"\x7f\x63"


def uftrace(order):
    """A folder as a tar: arguments of each kind, a function without a spec, longjmp, a fork with its parent's session, losses, events, an exit
    alone, a record that is cut, switches, the kernel's buffers, which are not read."""
    def pack(form, *values):
        return struct.pack(order + form, *values)

    def record(kind, ts, depth, addr, data=b""):
        more = 1 if data else 0
        if order == "<":
            word = kind | more << 2 | 5 << 3 | depth << 6 | addr << 16
        else:
            word = kind << 62 | more << 61 | 5 << 58 | depth << 48 | addr
        return pack("QQ", ts, word) + data + bytes(-len(data) % 8)

    def values(*parts):
        out = b""
        for p in parts:
            out += p
            out += bytes(-len(out) % 4)
        return out

    def text(t):
        return pack("H", len(t)) + t

    def perf(kind, misc, pid, tid, ts, body=b""):
        return pack("IHH", kind, misc, 8 + len(body) + 16) + body + pack("IIQ", pid, tid, ts)

    def function(offset):
        return 0x55550000 + offset
    info = b"Ftrace!\0" + pack("I", 4) + pack("H", 40) + bytes([1 if order == "<" else 2, 2]) + pack("QQ", 0x6aa, 0) + bytes(8)
    info += (b"exename:/bin/app\ncmdline:uftrace record --clock boot ./app\nosinfo:lines=1\nosinfo:kernel=Linux 6.1\nargspec:lines=3\n"
             b"argspec:^tw[o0]@arg1/d32,fparg1/80,arg2/c,arg3/x64\nretspec:two@retval/f32\nargauto:puts@arg1/s\nauto-args:1\n"
             b"pattern_type:regex\nuftrace_version:v0.13\n")
    tasks = (b'SESS timestamp=10.000000000 pid=7 sid=00000000000000aa exename="/bin/app"\nTASK timestamp=10.000000001 tid=7 pid=7\n'
             b"TASK timestamp=10.5 tid=8 pid=7\nFORK timestamp=10.000002 pid=9 ppid=7\nnonsense\n")
    maps = (b"55550000-55551000 r-xp 00000000 00:00 0   /bin/app build-id:abcd\n55551000-55552000 r-xp 00001000 00:00 0   /bin/app build-id:abcd\n"
            b"7f000000-7f001000 r-xp 00000000 00:00 0   /lib/other.so\n")
    symbols = (b"# path name: /bin/app\n# build-id: abcd\n0000000000000010 0010 P puts\n0000000000000100 00f0 T main\n"
               b"0000000000000200 0010 T two\n0000000000000300 0010 T _ZN2ns5threeEi\n0000000000001100 0010 T far\n0000000000001200 0001 ? __end\n")
    debug = b"# path name: /bin/app\nF: 100 main\nL: 3 app.c\nA: @arg1,arg2/p\nR: @retval/d32\nF: 1100 far\nA: @arg1/t:point(size:16)\n"
    s = 10 * 10**9
    two = values(pack("i", -4), (b"\0\0\0\0\0\0\0\x80\xff\x3f" if order == "<" else b"\x80\0\0\0\0\0\0\0\x3f\xff"), b"z", pack("Q", 2**64 - 1))
    seven = (record(0, s + 100, 0, function(0x110), values(pack("q", -1), pack("Q", 0x1234))) + record(0, s + 110, 1, function(0x200), two) +
             record(3, s + 115, 0, 100001, pack("QQQ", 4096, 512, 64)) + record(1, s + 120, 1, function(0x200), pack("f", 1.5)) +
             record(0, s + 130, 1, function(0x10), values(text(b"hello"))) + record(1, s + 131, 1, function(0x10)) +
             record(0, s + 140, 1, function(0x300)) + record(0, s + 150, 2, function(0x1100), bytes(16)) + record(3, s + 155, 0, 1000001) +
             record(0, s + 160, 1, 0x7f000010) + record(2, s + 170, 0, 42) + record(1, s + 180, 0, function(0x110), pack("i", 3)) +
             record(1, s + 190, 5, function(0x100)) + record(0, s + 200, 0, function(0x110))[:12])
    eight = bytes(24) + record(0, s + 300, 0, function(0x300)) + record(1, s + 310, 0, function(0x300))
    nine = record(0, s + 2100, 3, function(0x300))
    perfs = (perf(3, 0, 7, 7, s + 50, pack("II", 7, 7) + b"app\0\0\0\0\0") + perf(14, 0, 7, 7, s + 60) + perf(14, 0x6000, 7, 7, s + 170) +
             perf(14, 0, 7, 8, s + 290) + perf(4, 0, 7, 8, s + 320, pack("IIIIQ", 7, 7, 8, 8, s + 320)) + perf(99, 0, 7, 8, s + 330))
    members = {"info": info, "task.txt": tasks, "sid-00000000000000aa.map": maps, "app.sym": symbols, "app.dbg": debug, "7.dat": seven, "8.dat": eight,
               "9.dat": nine, "perf-cpu1.dat": perfs, "perf-cpu0.dat": b"", "events.txt": b"EVENT: 1000001 app:moment\n",
               "extern.dat": b"10.000000145 a message\nnot one\n", "kernel-cpu0.dat": bytes(64)}
    return tar(*((f"run/{name}", data) for name, data in members.items()))


def jfr_knot():
    """A value that refers to itself in 60 fields, and has no name: there are 60**8 ways through it."""
    j = Jfr(1700000000 * 10**9, 1000, 2000000000)
    knot, event = 300, 301
    j.a_class("app.Knot", knot, [(f"f{i}", knot, "*") for i in range(60)])
    j.a_class("app.Tied", event, [("startTime", 11, "", (j.TIMESTAMP, "TICKS")), ("knot", knot, "*")], "Tied", ("App",), True)
    j.at_pools = [j.pool((knot, {1: j.number(1) * 60}))]
    j.event(event, j.number(3000), j.number(1))
    return j.finish()


def otlp():
    """Framed messages of two services: nested and overlapping spans in the order of their ends, a link, events, values in values, one
    span twice, one without an end, one without a time."""
    def pair(key, *value):
        return message((1, key), (2, message(*value)))

    def fixed(number, value):
        return varint(number << 3 | 1) + struct.pack("<Q", value)

    def one(trace, number, parent, name, start, end, *fields, kind=1):
        return message((1, bytes([trace]) * 16), (2, bytes([number]) * 8), *([(4, bytes([parent]) * 8)] if parent else []), (5, name), (6, kind)) + \
            fixed(7, start) + (fixed(8, end) if end else b"") + message(*fields)

    def resource(name, *spans, more=()):
        service = message((1, pair("service.name", (1, name))), *((1, m) for m in more))
        return field(1, message((1, service), (2, message((1, message((1, "lib"), (2, "1.0"))), *((2, s) for s in spans)))))
    deep = pair("deep", (6, message((1, pair("a.b", (5, message((1, message((3, 5))), (1, message((2, 1))))))))))
    event = fixed(1, 1150) + message((2, "thrown"), (3, pair("exception.type", (1, "Odd"))))
    error = message((2, "it broke"), (3, 2))
    link = message((1, b"\2" * 16), (2, b"\5" * 8))
    first = resource("shop", one(1, 2, 1, "child", 1100, 1200, (9, deep), (11, event), (15, error), kind=3),
                     one(1, 3, 1, "beside", 1150, 1250), one(1, 1, 0, "root", 1000, 1300, (9, pair("pid", (3, 7))), kind=2),
                     one(1, 1, 0, "root", 1000, 1300), more=[pair("process.pid", (3, 77))])
    second = resource("stock", one(1, 4, 2, "call", 1120, 1180, kind=2), one(2, 6, 0, "late", 1400, 0, (13, link)), one(2, 5, 0, "other", 1350, 1390),
                      one(3, 7, 0, "never", 0, 5))
    return b"".join(struct.pack(">I", len(m)) + m for m in (first, second))


def ctf(make):
    """A folder of CTF as a tar."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder) / "trace"
        make(folder)
        return tar(*((p.name, p.read_bytes()) for p in sorted(folder.iterdir())))


def ctf_of_2(folder):
    """One of CTF 2, with losses."""
    made = ctf_made.Made(random.Random(107), folder.parent / "other", folder, lost=True).make()
    return made


TRACES = {
    "perf_events/trace.data": perf_events(),
    "perf_switches/trace.data": perf_switches(),
    "gzip/trace.gz": gzip_twice(),
    "xz/trace.xz": lzma.compress(MARKS[:40]) + bytes(4) + lzma.compress(MARKS[40:]),
    "bzip2/trace.bz2": bz2.compress(MARKS[:40]) + bz2.compress(MARKS[40:]),
    "ctrace/trace.ctrace": ctrace(),
    "zstd/trace.zst": zstd(),
    "tar/trace.tar": tar(("b.txt", MORE), ("a/.hidden/none.json", b"{"), ("a/marks.txt", MARKS)),
    "bugreport/trace.zip": zip_file(("FS/proc/version", 0, b"Linux"), ("bugreport-phone-1.txt", 8, REPORT), ("main_entry.txt", 0, b"bugreport-phone-1.txt")),
    "zip/trace.zip": zip_file(("packed.txt", 8, MARKS), ("stored.txt", 0, MORE)),
    "simpleperf/trace.simpleperf": simpleperf(),
    "pprof/trace.pprof": pprof(),
    "pprof_odd/trace.pprof": pprof_odd(),
    "perf_piped/trace.data": perf_piped(),
    "perf_stacks/trace.data": perf_stacks(),
    "art_method/trace.trace": art_text(),
    "art_method_streaming/trace.trace": art_streaming(),
    "art_method_v2/trace.trace": art_v2(),
    "symbols/trace.tar": tar(("a.symbols", symbols()), ("b.pftrace", profile_of_packets())),
    "fuchsia/trace.fxt": fuchsia(),
    "trace_dat/trace.dat": trace_dat(),
    "otlp/trace.pb": otlp(),
    "jfr/trace.jfr": jfr(),
    "jfr_knot/trace.jfr": jfr_knot(),
    "uftrace/trace.tar": uftrace("<"),
    "uftrace_big/trace.tar": uftrace(">"),
    "ctf/trace.tar": ctf(lambda folder: ctf_made.Made(random.Random(2), folder).make()),
    "ctf_2/trace.tar": ctf(ctf_of_2),
    "ctf_kernel/trace.tar": ctf(ctf_made.kernel),
    "trace_dat_big/trace.dat": trace_dat_big(),
}


def main():
    bad = []
    for name, data in TRACES.items():
        path = HERE / name
        if "--check" in sys.argv:
            if not path.exists() or path.read_bytes() != data:
                bad.append(name)
            continue
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    for name in bad:
        print(f"{HERE / name}: not what make_traces.py makes: run it, or correct it")
    sys.exit(1 if bad else 0)


main()
