"""Traces of CTF with types that are made up: the same events as metadata of 1.8 and of 2, and as bits.

Types are tuples: ("int", bits, align, signed, big), ("enum", int, {label: (from, to)}), ("float", bits, align, big), ("string",),
("text", n), ("array", n, type), ("seq", name of the length, type), ("struct", [(name, type)], align), ("variant", tag, {label: type})."""
import json
import pathlib
import random
import struct
import uuid

MAGIC = 0xc1fc1fc1


class Bits:
    def __init__(self, big):
        self.data, self.pos, self.big = bytearray(), 0, big

    def align(self, to):
        self.pos = -(-self.pos // to) * to
        self.grow()

    def grow(self):
        self.data.extend(bytes(max(0, -(-self.pos // 8) - len(self.data))))

    def put(self, val, bits, big=None):
        big = self.big if big is None else big
        val &= (1 << bits) - 1
        at, self.pos = self.pos, self.pos + bits
        self.grow()
        for i in range(bits):
            if big and val >> (bits - 1 - i) & 1:
                self.data[(at + i) // 8] |= 0x80 >> (at + i) % 8
            elif not big and val >> i & 1:
                self.data[(at + i) // 8] |= 1 << (at + i) % 8

    def bytes(self, data):
        self.align(8)
        self.pos += 8 * len(data)
        self.data.extend(data)


def align_of(t):
    if t[0] == "int":
        return t[2]
    if t[0] == "enum":
        return align_of(t[1])
    if t[0] == "float":
        return t[2]
    if t[0] in ("string", "text"):
        return 8
    if t[0] in ("array", "seq"):
        return align_of(t[2])
    if t[0] == "struct":
        return max([t[2]] + [align_of(m) for _, m in t[1]])
    return 1


def put(out, t, v):
    if t[0] != "variant":
        out.align(align_of(t))
    if t[0] == "int":
        out.put(v, t[1], t[4])
    elif t[0] == "enum":
        put(out, t[1], v)
    elif t[0] == "float":
        out.put(int.from_bytes(struct.pack(">f" if t[1] == 32 else ">d", v), "big"), t[1], t[3])
    elif t[0] == "string":
        out.bytes(v.encode() + b"\0")
    elif t[0] == "text":
        out.bytes(v.encode().ljust(t[1], b"\0"))
    elif t[0] in ("array", "seq"):
        for one in v:
            put(out, t[2], one)
    elif t[0] == "struct":
        for name, m in t[1]:
            put(out, m, v[name])
    else:
        (label, one), = v.items()
        put(out, t[2][label], one)


def tsdl(t):
    """As (what stands before the name, what stands behind it)."""
    order = lambda big: "be" if big else "le"
    if t[0] == "int":
        return f"integer {{ size = {t[1]}; align = {t[2]}; signed = {'true' if t[3] else 'false'}; byte_order = {order(t[4])}; {t[5] if len(t) > 5 else ''} }}", ""
    if t[0] == "enum":
        return f"enum : {tsdl(t[1])[0]} {{ {', '.join(f'{chr(34)}{k}{chr(34)} = {a} ... {b}' if a != b else f'{k} = {a}' for k, (a, b) in t[2].items())} }}", ""
    if t[0] == "float":
        return f"floating_point {{ exp_dig = {8 if t[1] == 32 else 11}; mant_dig = {24 if t[1] == 32 else 53}; align = {t[2]}; byte_order = {order(t[3])}; }}", ""
    if t[0] == "string":
        return "string", ""
    if t[0] == "text":
        return "integer { size = 8; align = 8; encoding = UTF8; }", f"[{t[1]}]"
    if t[0] in ("array", "seq"):
        before, behind = tsdl(t[2])
        return before, f"[{t[1] if t[0] == 'array' else '_' + t[1]}]{behind}"
    if t[0] == "struct":
        return f"struct {{ {members(t[1])} }} align({t[2]})", ""
    return f"variant <_{t[1]}> {{ {members(t[2].items(), '')} }}", ""


def members(list_, mark="_"):
    return " ".join(f"{tsdl(t)[0]} {mark}{name}{tsdl(t)[1]};" for name, t in list_)


def of_2(t, root, selectors=()):
    """The same as a field class of CTF 2; `selectors`: enums that were met, by name."""
    order = lambda big: "big-endian" if big else "little-endian"
    if t[0] == "int":
        ret = {"type": f"fixed-length-{'' if t[3] else 'un'}signed-integer", "length": t[1], "alignment": t[2], "byte-order": order(t[4])}
        if len(t) > 6:
            ret["roles"] = [t[6]]
        return ret
    if t[0] == "enum":
        return {**of_2(t[1], root), "mappings": {k: [list(r)] for k, r in t[2].items()}}
    if t[0] == "float":
        return {"type": "fixed-length-floating-point-number", "length": t[1], "alignment": t[2], "byte-order": order(t[3])}
    if t[0] == "string":
        return {"type": "null-terminated-string"}
    if t[0] == "text":
        return {"type": "static-length-string", "length": t[1]}
    if t[0] == "array":
        return {"type": "static-length-array", "length": t[1], "element-field-class": of_2(t[2], root, selectors)}
    if t[0] == "seq":
        return {"type": "dynamic-length-array", "length-field-location": {"path": [t[1]]}, "element-field-class": of_2(t[2], root, selectors)}
    if t[0] == "struct":
        known, out = dict(selectors), []
        for name, m in t[1]:
            out.append({"name": name, "field-class": of_2(m, root, known)})
            if m[0] == "enum":
                known[name] = m[2]
        return {"type": "structure", "minimum-alignment": t[2], "member-classes": out}
    return {"type": "variant", "selector-field-location": {"path": [t[1]]},
            "options": [{"name": k, "field-class": of_2(m, root, selectors), "selector-field-ranges": [list(selectors[t[1]][k])]} for k, m in t[2].items()]}


class Made:
    """`folder`: with metadata of 1.8; `folder_2`: the same streams with metadata of 2."""
    def __init__(self, rnd, folder, folder_2=None, env=None, contexts=None, lost=False):
        self.rnd, self.folder, self.folder_2 = rnd, pathlib.Path(folder), folder_2 and pathlib.Path(folder_2)
        self.big = rnd.random() < 0.5
        self.uuid = uuid.UUID(int=rnd.getrandbits(128))
        self.env = env or {"tracer_name": "maker", "text": 'a "quoted" \\ text'}
        self.freq = rnd.choice([10**9, 10**9, 10**6, 2_400_000_000, 32768])
        self.offset_s = rnd.choice([0, 1_600_000_000, 5])
        self.compact = rnd.choice([True, False, None])
        self.names = 0
        self.contexts = contexts if contexts is not None else [(self.name(), self.type(2)) for _ in range(rnd.randrange(3))]
        self.contexts = self.with_needs(self.contexts)
        self.events = []
        self.lost = lost

    # ---- types ----

    def name(self):
        self.names += 1
        return self.rnd.choice(["a", "len", "x_y", "value", "_odd", "struct_"]) + str(self.names)

    def int(self, bits=None, signed=None):
        rnd = self.rnd
        bits = bits or rnd.choice([1, 3, 5, 7, 8, 11, 16, 17, 31, 32, 33, 63, 64])
        align = rnd.choice([1, 8, 16, 32]) if bits % 8 == 0 else rnd.choice([1, 1, 1, 4, 8])
        # Numbers of two orders must not meet inside of a byte.
        other = bits % 8 == 0 and align % 8 == 0 and rnd.random() < 0.2
        return ("int", bits, align, rnd.random() < 0.5 if signed is None else signed, self.big != other)

    def type(self, depth):
        rnd = self.rnd
        kind = rnd.choice(["int", "int", "enum", "float", "string", "text"] + (["array", "seq", "struct", "variant"] if depth else []))
        if kind == "int":
            return self.int()
        if kind == "enum":
            return self.enum()
        if kind == "float":
            return ("float", rnd.choice([32, 64]), rnd.choice([8, 32]), self.big)
        if kind == "string":
            return ("string",)
        if kind == "text":
            return ("text", rnd.randrange(1, 20))
        if kind == "array":
            return ("array", rnd.randrange(4), self.type(depth - 1))
        if kind == "seq":
            return ("seq", None, self.type(depth - 1))
        if kind == "struct":
            return ("struct", self.with_needs([(self.name(), self.type(depth - 1)) for _ in range(rnd.randrange(1, 4))]), rnd.choice([1, 8, 64]))
        return ("variant", None, {f"OPT{i}": self.type(depth - 1) for i in range(rnd.randrange(1, 4))})

    def enum(self, labels=None):
        rnd, base = self.rnd, self.int(rnd_bits := self.rnd.choice([5, 8, 16]), self.rnd.random() < 0.3)
        at, ret = (-3 if base[3] else 0), {}
        for label in labels or [f"L{i}" for i in range(rnd.randrange(1, 4))]:
            width = rnd.choice([0, 0, 2])
            ret[label] = (at, at + width)
            at += width + 1
        return ("enum", base, ret)

    def with_needs(self, list_):
        """The lengths and tags that members need come before them."""
        out = []
        for name, t in list_:
            if t[0] == "array":
                t = self.elements(t, out)
            elif t[0] == "seq":
                length = self.name()
                out.append((length, self.int(self.rnd.choice([3, 8, 32]), False)))
                t = self.elements(("seq", length, t[2]), out)
            elif t[0] == "variant":
                t = self.tagged(t, out)
            out.append((name, t))
        return out

    def tagged(self, t, out):
        tag = self.name()
        out.append((tag, self.enum(list(t[2]))))
        return ("variant", tag, {k: self.elements(("array", 1, m), out)[2] for k, m in t[2].items()})

    def elements(self, t, out):
        elem = t[2]
        if elem[0] in ("array", "seq", "variant"):
            elem = ("struct", self.with_needs([(self.name(), elem)]), 1)
        return (t[0], t[1], elem)

    # ---- values ----

    def value(self, t, known):
        rnd = self.rnd
        if t[0] == "int":
            low, high = (-(1 << t[1] - 1), (1 << t[1] - 1) - 1) if t[3] else (0, (1 << t[1]) - 1)
            return rnd.choice([low, high, 0, rnd.randint(low, high)])
        if t[0] == "enum":
            return rnd.choice([rnd.randint(*r) for r in t[2].values()] + [7 if t[1][3] else 12])
        if t[0] == "float":
            return struct.unpack("f", struct.pack("f", rnd.uniform(-1e6, 1e6)))[0]
        if t[0] in ("string", "text"): # never empty: babeltrace2 2.0 gives the text before, then
            num = (t[1] - 1) // 3 if t[0] == "text" else rnd.randrange(30)
            return rnd.choice("abc") + "".join(rnd.choice("abc é€|\\\"") for _ in range(num))
        if t[0] == "array":
            return [self.value(t[2], known) for _ in range(t[1])]
        if t[0] == "seq":
            return [self.value(t[2], known) for _ in range(known[t[1]])]
        if t[0] == "struct":
            return self.values(t[1], known)
        tag = known[t[1]]
        label = next(k for k, (a, b) in known["tags"][t[1]].items() if a <= tag <= b)
        return {label: self.value(t[2][label], known)}

    def values(self, list_, known=None):
        known = {"tags": {}, **(known or {})}
        known["tags"] = dict(known["tags"])
        lengths = {m[1] for _, t in list_ for m in self.parts(t) if m[0] == "seq"}
        tags = {m[1] for _, t in list_ for m in self.parts(t) if m[0] == "variant"}
        out = {}
        for name, t in list_:
            v = self.value(t, known)
            if name in lengths:
                v = self.rnd.randrange(5)
            if name in tags:
                v = self.rnd.randint(*self.rnd.choice(list(t[2].values())))
                known["tags"][name] = t[2]
            known[name] = out[name] = v
        return out

    def parts(self, t):
        yield t
        if t[0] in ("array", "seq"):
            yield from self.parts(t[2])
        elif t[0] == "variant":
            for m in t[2].values():
                yield from self.parts(m)

    # ---- files ----

    def header(self, id_, ts, out):
        out.align(8)
        if self.compact is None:
            put(out, ("int", 32, 8, False, self.big), id_)
            put(out, ("int", 64, 8, False, self.big), ts)
            return
        extended = self.rnd.random() < 0.2
        bits, short = (5, 27) if self.compact else (16, 32)
        full = (1 << bits) - 1
        if not extended and (id_ >= full or ts - self.last >= 1 << short):
            extended = True
        out.put(full if extended else id_, bits)
        if extended:
            out.align(8)
            out.put(id_, 32)
            out.put(ts, 64)
        else:
            if not self.compact:
                out.align(8)
            out.put(ts, short)

    def header_of(self, kind):
        stamp = "map = clock.made.value;"
        o = self.big
        if self.compact is None:
            list_ = [("id", ("int", 32, 8, False, o, "", "event-record-class-id")), ("timestamp", ("int", 64, 8, False, o, stamp, "default-clock-timestamp"))]
            return f"struct {{ {members(list_, '')} }} align(8)" if kind == 1 else of_2(("struct", list_, 8), None)
        bits, short = (5, 27) if self.compact else (16, 32)
        full, align = (1 << bits) - 1, 1 if self.compact else 8
        tag = ("enum", ("int", bits, align, False, o, "", "event-record-class-id"), {"compact": (0, full - 1), "extended": (full, full)})
        one = ("struct", [("timestamp", ("int", short, align, False, o, stamp, "default-clock-timestamp"))], 1)
        two = ("struct", [("id", ("int", 32, 8, False, o, "", "event-record-class-id")), ("timestamp", ("int", 64, 8, False, o, stamp, "default-clock-timestamp"))], 8)
        if kind == 1:
            return (f"struct {{ {tsdl(tag)[0]} id; variant <id> {{ {tsdl(one)[0]} compact; {tsdl(two)[0]} extended; }} v; }} align(8)")
        return of_2(("struct", [("id", tag), ("v", ("variant", "id", {"compact": one, "extended": two}))], 8), None)

    PACKET_HEADER = [("magic", 32, "packet-magic-number"), ("stream_id", 32, "data-stream-class-id"), ("stream_instance_id", 64, "data-stream-id")]
    PACKET_CONTEXT = [("timestamp_begin", 64, "default-clock-timestamp"), ("timestamp_end", 64, "packet-end-default-clock-timestamp"),
                      ("content_size", 64, "packet-content-length"), ("packet_size", 64, "packet-total-length"),
                      ("packet_seq_num", 64, "packet-sequence-number"), ("events_discarded", 64, "discarded-event-record-counter-snapshot"), ("cpu_id", 32, None)]

    def fields(self, list_):
        clock = lambda n: "map = clock.made.value;" if n.startswith("timestamp") else ""
        return [(n, ("int", bits, 8, False, self.big, clock(n), *([role] if role else []))) for n, bits, role in list_]

    def metadata(self):
        quote = lambda v: json.dumps(v) if isinstance(v, str) else str(v)
        out = [f"""/* CTF 1.8 */
trace {{ major = 1; minor = 8; uuid = "{self.uuid}"; byte_order = {'be' if self.big else 'le'}; packet.header := struct {{ {members(self.fields(self.PACKET_HEADER), '')} }}; }};
env {{ {' '.join(f'{k} = {quote(v)};' for k, v in self.env.items())} }};
clock {{ name = made; freq = {self.freq}; offset_s = {self.offset_s}; offset = 17; }};
stream {{ id = 0; event.header := {self.header_of(1)}; packet.context := struct {{ {members(self.fields(self.PACKET_CONTEXT), '')} }};
event.context := struct {{ {members(self.contexts)} }}; }};"""]
        for i, (name, list_) in enumerate(self.events):
            out.append(f'event {{ name = "{name}"; id = {i}; stream_id = 0; fields := struct {{ {members(list_)} }}; }};')
        return "\n".join(out).encode()

    def metadata_2(self):
        fragments = [{"type": "preamble", "version": 2},
                     {"type": "trace-class", "environment": self.env, "packet-header-field-class": of_2(("struct", self.fields(self.PACKET_HEADER), 1), None)},
                     {"type": "clock-class", "id": "made", "name": "made", "frequency": self.freq, "origin": "unix-epoch",
                      "offset-from-origin": {"seconds": self.offset_s, "cycles": 17}},
                     {"type": "data-stream-class", "default-clock-class-id": "made", "packet-context-field-class": of_2(("struct", self.fields(self.PACKET_CONTEXT), 1), None),
                      "event-record-header-field-class": self.header_of(2), "event-record-common-context-field-class": of_2(("struct", self.contexts, 1), None)}]
        for i, (name, list_) in enumerate(self.events):
            fragments.append({"type": "event-record-class", "id": i, "name": name, "payload-field-class": of_2(("struct", list_, 1), None)})
        return b"".join(b"\x1e" + json.dumps(f).encode() + b"\n" for f in fragments)

    def packet(self, instance, number, discarded, events, cpu):
        """`events`: (ts, id, contexts, fields)."""
        out = Bits(self.big)
        put(out, ("struct", self.fields(self.PACKET_HEADER), 8), {"magic": MAGIC, "stream_id": 0, "stream_instance_id": instance})
        begin = events[0][0] if events else self.last
        at = out.pos
        values = {"timestamp_begin": begin, "timestamp_end": events[-1][0] if events else begin, "content_size": 0, "packet_size": 0,
                  "packet_seq_num": number, "events_discarded": discarded, "cpu_id": cpu}
        context = ("struct", self.fields(self.PACKET_CONTEXT), 8)
        put(out, context, values)
        self.last = begin
        for ts, id_, contexts, fields in events:
            self.header(id_, ts, out)
            put(out, ("struct", self.contexts, 1), contexts)
            put(out, ("struct", self.events[id_][1], 1), fields)
            self.last = ts
        values["content_size"] = out.pos
        out.align(8)
        padding = self.rnd.randrange(20)
        values["packet_size"] = (len(out.data) + padding) * 8
        again = Bits(self.big)
        again.pos = at
        again.grow()
        put(again, context, values)
        out.data[at // 8:len(again.data)] = again.data[at // 8:]
        return bytes(out.data) + bytes(padding)

    def write(self, streams):
        """`streams`: {instance: [packet]}, in files of a packet or two."""
        for folder, metadata in ((self.folder, self.metadata()), (self.folder_2, self.folder_2 and self.metadata_2())):
            if not folder:
                continue
            folder.mkdir(parents=True)
            (folder / "metadata").write_bytes(metadata)
            for instance, packets in streams.items():
                half = len(packets) // 2 or 1
                (folder / f"ch_{instance}_0").write_bytes(b"".join(packets[:half]))
                if packets[half:]:
                    (folder / f"ch_{instance}_1").write_bytes(b"".join(packets[half:]))

    def make(self, kinds=6, packets=4, events=12):
        rnd = self.rnd
        for i in range(kinds):
            list_ = self.with_needs([(self.name(), self.type(3)) for _ in range(rnd.randrange(6))])
            self.events.append((rnd.choice([f"made:event{i}", f"event {i}"]), list_))
        streams = {}
        for instance in range(rnd.randrange(1, 4)):
            ts, discarded, number, out = rnd.randrange(1 << 40), 0, 0, []
            for _ in range(rnd.randrange(1, packets + 1)):
                list_ = []
                for _ in range(rnd.randrange(events)):
                    ts += rnd.choice([1, 5, 1000, 1 << 26, 1 << 30])
                    id_ = rnd.randrange(kinds)
                    list_.append((ts, id_, self.values(self.contexts), self.values(self.events[id_][1])))
                if self.lost and rnd.random() < 0.5:
                    discarded += rnd.randrange(5)
                self.last = ts
                out.append(self.packet(instance, number, discarded, list_, instance))
                ts += 1
                number += 1 + (rnd.randrange(3) if self.lost else 0)
            streams[instance] = out
        self.write(streams)
        return self


def kernel(folder):
    """What LTTng's kernel tracer would write: switches, a call, interrupts, a fork, and an event that nothing knows."""
    made = Made(random.Random(1), folder, env={"domain": "kernel", "tracer_name": "lttng-modules", "kernel_release": "6.1.0", "hostname": "h"}, contexts=[])
    made.big, made.freq, made.compact = False, 10**9, True
    int_, comm = ("int", 32, 8, True, False), ("text", 16)
    long_ = ("int", 64, 8, True, False)
    made.events = [
        ("sched_switch", [("prev_comm", comm), ("prev_tid", int_), ("prev_prio", int_), ("prev_state", long_), ("next_comm", comm), ("next_tid", int_), ("next_prio", int_)]),
        ("sched_waking", [("comm", comm), ("tid", int_), ("prio", int_), ("target_cpu", int_)]),
        ("syscall_entry_openat", [("dfd", int_), ("filename", ("string",)), ("flags", int_)]),
        ("syscall_exit_openat", [("ret", long_)]),
        ("irq_handler_entry", [("irq", int_), ("name", ("string",))]),
        ("irq_handler_exit", [("irq", int_), ("ret", int_)]),
        ("irq_softirq_entry", [("vec", ("int", 32, 8, False, False))]),
        ("irq_softirq_exit", [("vec", ("int", 32, 8, False, False))]),
        ("sched_process_fork", [("parent_comm", comm), ("parent_tid", int_), ("parent_pid", int_), ("child_comm", comm), ("child_tid", int_), ("child_pid", int_)]),
        ("lttng_statedump_process_state", [("tid", int_), ("pid", int_), ("ppid", int_), ("name", comm)]),
        ("power_cpu_frequency", [("state", ("int", 32, 8, False, False)), ("cpu_id", ("int", 32, 8, False, False))]),
        ("block_rq_issue", [("dev", ("int", 32, 8, False, False)), ("rwbs", ("string",)), ("parts", ("array", 2, ("struct", [("at", int_)], 8)))]),
    ]
    ids = {name: i for i, (name, _) in enumerate(made.events)}
    e = lambda ts, kind, **fields: (ts, ids[kind], {}, fields)
    switch = lambda ts, a, b, state: e(ts, "sched_switch", prev_comm=f"t{a}", prev_tid=a, prev_prio=20, prev_state=state, next_comm=f"t{b}", next_tid=b, next_prio=-20)
    list_ = [
        e(1000, "lttng_statedump_process_state", tid=5, pid=5, ppid=1, name="shop"),
        e(1001, "lttng_statedump_process_state", tid=6, pid=5, ppid=1, name="worker"),
        e(1100, "syscall_entry_openat", dfd=-100, filename="/etc/x", flags=0),
        switch(1200, 5, 6, 1),
        e(1250, "irq_handler_entry", irq=9, name="acpi"),
        e(1260, "irq_handler_exit", irq=9, ret=1),
        e(1270, "irq_softirq_entry", vec=1),
        e(1280, "irq_softirq_exit", vec=1),
        e(1300, "sched_waking", comm="t5", tid=5, prio=20, target_cpu=0),
        switch(1400, 6, 5, 256),
        e(1500, "syscall_exit_openat", ret=-2),
        e(1600, "sched_process_fork", parent_comm="shop", parent_tid=5, parent_pid=5, child_comm="shop", child_tid=7, child_pid=7),
        e(1700, "power_cpu_frequency", state=1200000, cpu_id=0),
        e(1800, "block_rq_issue", dev=8, rwbs="R", parts=[{"at": 1}, {"at": 2}]),
        switch(1900, 5, 7, 2),
    ]
    made.last = 1000
    made.write({0: [made.packet(0, 0, 0, list_, 0)]})
    return made
