#!/usr/bin/env python3
"""Write protos/ from the tables of interface facts (names, numbers, types).

    tools/gen_protos.py           writes them
    tools/gen_protos.py --check   fails if a file is not what would be written

protos/spec/ holds one tab-separated file per area (config.tsv, trace.tsv, ...), enums.tsv,
extensions.tsv, reserved.tsv, ftrace_tracepoints.tsv, ipc_methods.tsv and syscalls.tsv; more.tsv,
more_enums.tsv and more_extensions.tsv hold what belongs to no area of its own, grouped by the file
that declares it (see MORE_AREAS). The result is committed, so a build needs no Python:

    protos/perfetto/AREA.proto    the schema, with the comments of protos/comments.tsv
    protos/fields/AREA.h          field numbers and enum values for the hand-written readers
    protos/fields/orma_ext.h      the same of our own additions, from protos/orma_ext.proto
    protos/tables/*.c             tracepoints and their messages, system call names, atrace categories
    sdk/ipc/methods.h             the method order of each IPC service

protos/more/ holds rows of ours in the same form, which win: messages of other projects that the
tables name only, or whose options (oneof, packed) they leave out.
"""
import collections
import csv
import pathlib
import re
import sys

AREAS = ("gpu protovm pprof process sys_stats generic_kernel common config ipc track_event profiling "
         "interned_data ftrace trace trace_summary trace_processor metrics chrome descriptor chrome_trace etw "
         "android android_internal network bluetooth statsd config_more track_event_extensions").split()
# Areas that are read by the schema alone: no field numbers for hand-written readers.
SCHEMA_ONLY = {"chrome", "descriptor", "chrome_trace", "etw", "android", "android_internal", "network",
               "bluetooth", "statsd", "config_more", "track_event_extensions"}
# (protoc has a google.protobuf of its own, so the messages of descriptor.proto are elsewhere.)
PACKAGE = {"pprof": "perfetto.third_party.perftools.profiles", "descriptor": "perfetto.protos.descriptor",
           "android_internal": "com.android.internal", "network": "android.net.connectivity.tracing",
           "bluetooth": "bluetooth.tracing", "statsd": "android.os.statsd"}
MAIN_PACKAGE = "perfetto.protos"
# Names of pprof.tsv may be those of the main package, so they are kept apart by a prefix.
PREFIXED = {"pprof"}
# more.tsv says which file declares a message: the first pattern that matches says where it goes.
MORE_AREAS = [
    (r"config/chrome/chrome_config", "config"),
    (r"config/|common/android_energy_consumer", "config_more"),
    (r"common/descriptor", "descriptor"),
    (r"android/art/", None),  # protos/more/profiling.tsv has them, with their options
    (r"android/frameworks/", "android_internal"),
    (r"android/connectivity/", "network"),
    (r".*bluetooth", "bluetooth"),
    (r"chromium/chrome_track_event", "chrome"),
    (r"trace/chrome/", "chrome_trace"),
    (r"trace/etw/", "etw"),
    (r"trace/test_extensions", None),
    (r"trace/gpu/", "track_event_extensions"),
    (r"trace/", "android"),
]
# Packages of type names in more.tsv; names are distinct across them.
PACKAGES = re.compile(r"\b(com\.android\.internal|com\.android\.art\.tracing|"
                      r"android\.net\.connectivity\.tracing|bluetooth\.tracing)\.")
# Extension ranges of messages that we extend ourselves: see protos/orma_ext.proto.
OURS = {"InitializeConnectionRequest": (90000, 99999), "CommitDataRequest": (90000, 99999), "TraceStats": (90000, 99999), "FtraceStats": (90000, 99999),
        "ProcessTree": (90000, 99999), "ProcessTree.Process": (90000, 99999), "ProcessTree.Thread": (90000, 99999),
        "PerfEventConfig": (90000, 99999), "TracingServiceEvent": (90000, 99999), "PerfSample": (90000, 99999),
        "TraceConfig.CompressionConfig.Deflate": (90000, 99999), "TraceMetrics": (90000, 99999)}
ROOT = pathlib.Path(__file__).resolve().parent.parent


def read(folder, name):
    """The rows of a table, and those that we add to it in protos/more/ (NAME.tsv, *_NAME.tsv)."""
    rows = []
    more = ROOT / "protos/more"
    for path in [folder / f"{name}.tsv", more / f"{name}.tsv", *sorted(more.glob(f"*_{name}.tsv"))]:
        if path.exists() or path.parent == folder and name not in SCHEMA_ONLY:
            with open(path, newline="", encoding="utf-8") as f:
                rows += csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE)
    return rows


def more_area(file):
    for pattern, area in MORE_AREAS:
        if re.match(pattern, file):
            return area
    sys.exit(f"more.tsv: no area for {file}")


class Message:
    def __init__(self, name):
        self.name = name
        self.fields, self.enums, self.children = [], [], []
        self.reserved, self.extensions = [], []


class Model:
    """All areas, with each message and enum hung below its outer message."""

    def __init__(self, folder):
        self.area_of, self.enum_area = {}, {}
        self.messages, self.enums = {}, collections.OrderedDict()
        self.top = {a: [] for a in AREAS}
        self.top_enums = {a: [] for a in AREAS}
        for area in AREAS:
            for row in read(folder, area):
                if area in PREFIXED:
                    row = {**row, "message": f"{area}:{row['message']}"}
                    row["type"] = re.sub("^msg ", f"msg {area}:", row["type"] or "")
                self.add(area, row)
        self.add_more(folder)
        for row in read(folder, "enums"):
            self.add_enum_value(row["area"], row)
        self.add_more_enums(folder)
        self.reserve(folder)
        self.extend(folder)
        self.extend_more(folder)
        self.check_numbers()

    def check_numbers(self):
        """A number means one field."""
        for m in self.messages.values():
            by_number = {}
            for f in m.fields:
                other = by_number.setdefault(f["number"], f["name"])
                if other != f["name"] and "extends" not in f["opts"]:
                    sys.exit(f"protos/spec: {m.name} has the number {f['number']} for {other} and for {f['name']}")

    def add(self, area, row):
        m = self.message(area, row["message"])
        if row["field"] == "(range)":
            m.extensions.append(tuple(int(x) for x in row["number"].split("-")))
        elif row["field"] != "(no fields)":
            m.fields.append(self.field(row))

    def add_enum_value(self, area, row):
        e = row["enum"]
        if e not in self.enums:
            self.enums[e] = []
            self.enum_area[e] = area
            self.hang_enum(e, area)
        value = (row["value"], int(row["number"]))
        if value not in self.enums[e]:  # two packages may have the same enum
            self.enums[e].append(value)

    def add_more(self, folder):
        """Messages that no area has. What protos/more/ or an area describes stays as it is there."""
        known = set(self.messages)
        for row in read(folder, "more"):
            area = more_area(row["file"])
            if area and row["message"] not in known:
                self.add(area, {**row, "type": PACKAGES.sub("", row["type"] or ""), "options": ""})
        for row in read(folder, "more_extensions"):  # messages of nothing but extensions
            package, _, name = row["extended_message"].rpartition(".")
            if package == PACKAGE["android_internal"]:
                self.message("android_internal", name)

    def add_more_enums(self, folder):
        """An enum goes with the first message that uses it: the table does not say where it is."""
        known, users = set(self.enums), {}
        for name, m in sorted(self.messages.items(), key=lambda item: self.area_of[item[0]] == "statsd"):
            for f in m.fields:
                if f["type"].startswith("enum "):
                    users.setdefault(f["type"][5:], self.area_of[name])
        for row in read(folder, "more_extensions"):
            if row["type"].startswith("enum "):
                users.setdefault(row["type"][5:], "track_event_extensions")
        for row in read(folder, "more_enums"):
            e = row["enum"]
            outer = e.rpartition(".")[0]
            area = self.area_of.get(outer) or users.get(e)
            if e not in known and area:
                self.add_enum_value(area, row)

    def message(self, area, name):
        if name not in self.messages:
            m = self.messages[name] = Message(name)
            self.area_of[name] = area
            outer = name.rpartition(".")[0]
            (self.message(area, outer).children if outer else self.top[area]).append(m)
        return self.messages[name]

    def hang_enum(self, name, area):
        outer = name.rpartition(".")[0]
        if outer:
            self.message(area, outer).enums.append(name)
        else:
            self.top_enums[area].append(name)

    @staticmethod
    def field(row):
        opts = dict(o.partition("=")[::2] for o in (row["options"] or "").split(",") if o)
        return dict(name=row["field"], number=int(row["number"]), label=row["label"],
                    type=row["type"], opts=opts)

    def reserve(self, folder):
        self.reserved_enum = collections.defaultdict(list)
        for row in read(folder, "reserved"):
            t, what = row["type"], row["numbers_or_name"]
            if row["kind"] == "enum-reserved":
                self.reserved_enum[t].append(what)
            elif row["kind"] == "extension-range" and t in self.messages:
                lo, _, hi = what.partition("-")
                self.messages[t].extensions.append((int(lo), int(hi or lo)))
            elif t in self.messages:
                self.messages[t].reserved.append(what)

    def extend(self, folder):
        """Extensions without a scope become ordinary fields where their type is known."""
        self.extensions = collections.defaultdict(list)
        for row in read(folder, "extensions"):
            if row["number"].isdigit():
                f = self.field({**row, "options": ""})
                m = self.messages.get(row["extended_message"])
                if m and any(own["name"] == f["name"] for own in m.fields):
                    continue  # protos/more/ says more of it
                if m and f["type"].partition(" ")[2] in self.area_of:
                    f["opts"] = {"oneof": "data"} if m.name == "TracePacket" else {}
                    m.fields.append(f)
                else:
                    self.extensions[row["extended_message"]].append(f)
        for name, rng in OURS.items():
            self.messages[name].extensions.append(rng)

    def extend_more(self, folder):
        """Extensions declared inside a message (their scope) of an area of their own."""
        for row in read(folder, "more_extensions"):
            package, _, scope = row["scope"].rpartition(".")
            extended = PACKAGES.sub("", row["extended_message"])
            if package != MAIN_PACKAGE or extended not in self.messages or \
                    self.area_of.get(scope) == "chrome":  # protos/more/ has Chromium's
                continue
            row = {**row, "type": PACKAGES.sub("", row["type"]), "message": scope,
                   "options": f"extends={extended}"}
            self.add("track_event_extensions", row)
            if not any(lo <= int(row["number"]) <= hi for lo, hi in self.messages[extended].extensions):
                self.messages[extended].extensions.append((int(row["number"]),) * 2)

    def package(self, area):
        return PACKAGE.get(area, MAIN_PACKAGE)

    def type_text(self, area, t):
        kind, _, name = t.partition(" ")
        if kind == "enum":
            if name not in self.enum_area:
                return "int32", None  # opaque here: same wire type
            dep = self.enum_area[name]
            return self.qualified(area, dep, name), dep
        if kind == "msg":
            if name not in self.area_of:
                return "bytes", None  # opaque here: same wire type, bytes are kept
            dep = self.area_of[name]
            return self.qualified(area, dep, name.rpartition(":")[2]), dep
        return t, None

    def qualified(self, area, dep, name):
        return name if self.package(area) == self.package(dep) else f".{self.package(dep)}.{name}"


def numbers_text(what):
    return what if re.fullmatch(r"[0-9]+( to ([0-9]+|max))?", what) else f'"{what}"'


class ProtoFile:
    def __init__(self, model, area, comments):
        self.m, self.area, self.comments = model, area, comments
        self.out, self.deps = [], set()

    def note(self, key, pad):
        for line in self.comments.get(key, "").split("\\n"):
            if line:
                self.out.append(f"{pad}// {line}")

    def enum(self, name, pad):
        values = self.m.enums[name]
        self.note(name, pad)
        self.out.append(f"{pad}enum {name.rpartition('.')[2]} {{")
        if len({n for _, n in values}) < len(values):
            self.out.append(f"{pad}  option allow_alias = true;")
        for what in self.m.reserved_enum.get(name, []):
            self.out.append(f"{pad}  reserved {numbers_text(what)};")
        for value, number in values:
            self.out.append(f"{pad}  {value} = {number};")
        self.out += [f"{pad}}}", ""]

    def field(self, f, pad, label):
        text, dep = self.m.type_text(self.area, f["type"])
        if dep and dep != self.area:
            self.deps.add(dep)
        opts = []
        if "default" in f["opts"]:
            value = f["opts"]["default"]
            quote = f["type"] == "string" and not value.startswith('"')
            opts.append("default = " + (f'"{value}"' if quote else value))
        if "packed" in f["opts"]:
            opts.append("packed = true")
        if "deprecated" in f["opts"]:
            opts.append("deprecated = true")
        tail = f" [{', '.join(opts)}]" if opts else ""
        self.out.append(f"{pad}{label}{text} {f['name']} = {f['number']}{tail};")

    def message(self, m, pad=""):
        self.note(m.name, pad)
        self.out.append(f"{pad}message {re.split('[.:]', m.name)[-1]} {{")
        inner = pad + "  "
        for e in m.enums:
            self.enum(e, inner)
        for c in m.children:
            self.message(c, inner)
        oneofs = collections.OrderedDict()
        extended = collections.OrderedDict()
        for f in m.fields:
            if "extends" in f["opts"]:
                extended.setdefault(f["opts"]["extends"], []).append(f)
            elif "oneof" in f["opts"]:
                oneofs.setdefault(f["opts"]["oneof"], []).append(f)
            else:
                self.field(f, inner, f["label"] + " ")
        for name, fields in oneofs.items():
            self.out.append(f"{inner}oneof {name} {{")
            for f in fields:
                self.field(f, inner + "  ", "")
            self.out.append(f"{inner}}}")
        for name, fields in extended.items():
            self.deps.add(self.m.area_of[name])
            full = self.m.qualified(self.area, self.m.area_of[name], name)
            self.out.append(f"{inner}extend {full} {{")
            for f in fields:
                self.field(f, inner + "  ", f["label"] + " ")
            self.out.append(f"{inner}}}")
        used = {f["number"] for f in m.fields}
        for what in m.reserved:
            self.out.append(f"{inner}reserved {numbers_text(what)};")
        for lo, hi in disjoint(m.extensions, used):
            self.out.append(f"{inner}extensions {lo} to {hi};")
        self.out += [f"{pad}}}", ""]

    def text(self):
        for e in self.m.top_enums[self.area]:
            self.enum(e, "")
        for m in self.m.top[self.area]:
            self.message(m)
        head = ["// Made by tools/gen_protos.py; comments come from protos/comments.tsv.",
                'syntax = "proto2";', ""]
        head += [f'import "protos/perfetto/{d}.proto";' for d in sorted(self.deps)]
        head += [""] if self.deps else []
        head += [f"package {self.m.package(self.area)};", ""]
        body = []
        for line in self.out:  # no blank line in front of a closing brace
            if line.strip() == "}" and body and not body[-1]:
                body.pop()
            body.append(line)
        return "\n".join(head + body).rstrip("\n") + "\n"


def disjoint(ranges, used):
    out = []
    for lo, hi in sorted(set(ranges)):
        if out and lo <= out[-1][1]:
            out[-1] = (out[-1][0], max(hi, out[-1][1]))
        else:
            out.append((lo, hi))
    for lo, hi in out:
        start = lo
        for n in sorted(u for u in used if lo <= u <= hi):
            if n > start:
                yield start, n - 1
            start = n + 1
        if start <= hi:
            yield start, hi


def snake(name):
    s = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", re.sub("[.:]", "_", name))
    return re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", s).upper().replace("__", "_")


SEEN = set()  # constants of all headers: any two may be included together


def fields_header(model, area):
    guard = f"ORMA_PROTOS_FIELDS_{area.upper()}_H"
    out = [f"/* Field numbers and enum values of {area}.proto. Made by tools/gen_protos.py. */",
           f"#ifndef {guard}", f"#define {guard}"]

    def block(title, pairs):
        out.extend(["", f"/* {title} */", "enum {"])
        for name, number in pairs:
            if name in SEEN:
                sys.exit(f"{area}: {name} is made twice")
            SEEN.add(name)
            out.append(f"    {name} = {number},")
        out.append("};")

    def walk(m):
        fields = m.fields + [f for f in model.extensions.get(m.name, [])]
        if fields:
            names = [f"ORMA_PB_{snake(m.name)}_{f['name'].upper()}" for f in fields]
            if SEEN.intersection(names):  # DebugAnnotation.name_iid and DebugAnnotationName.iid
                names = [f"ORMA_PB_{snake(m.name)}__{f['name'].upper()}" for f in fields]
            block(m.name, zip(names, (f["number"] for f in fields)))
        for c in m.children:
            walk(c)

    for m in model.top[area]:
        walk(m)
    for e, values in model.enums.items():
        if model.enum_area[e] != area:
            continue
        outer = e.rpartition(".")[0]
        prefix = "ORMA_PB_" + (snake(outer) + "_" if outer else "")
        pairs = []
        for v, n in values:
            name = prefix + v.upper()
            if name in SEEN:
                name = f"ORMA_PB_{snake(e)}__{v.upper()}"
            pairs.append((name, str(n) if -2**31 <= n < 2**31 else f"{n}u"))
        block("enum " + e, pairs)
    return "\n".join(out + ["", "#endif", ""])


def extensions_header(path):
    """Our own additions: their numbers stand in protos/orma_ext.proto, written by hand."""
    out = ["/* Field numbers of orma_ext.proto. Made by tools/gen_protos.py. */",
           "#ifndef ORMA_PROTOS_FIELDS_ORMA_EXT_H", "#define ORMA_PROTOS_FIELDS_ORMA_EXT_H"]
    text = re.sub("//.*", "", path.read_text(encoding="utf-8"))
    for kind, message, body in re.findall(r"^(message|extend) ([\w.]+) \{(.*?)^\}", text, re.M | re.S):
        fields = re.findall(r"(\w+) = (\d+);", body)
        out += ["", f"/* {message}{', extended' * (kind == 'extend')} */", "enum {"]
        out += [f"    ORMA_PB_{snake(message)}_{name.upper()} = {number}," for name, number in fields]
        out.append("};")
    return "\n".join(out + ["", "#endif", ""])


FIELD_TYPES = "int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 sfixed32 sfixed64 bool float double string bytes".split()


def ftrace_tables(model, folder):
    points = sorted(read(folder, "ftrace_tracepoints"), key=lambda r: (r["tracefs_group"], r["tracefs_event"]))
    event = sorted((f for f in model.messages["FtraceEvent"].fields if f["type"].startswith("msg ")),
                   key=lambda f: f["number"])
    index, fields_out, rows, points_out, places, done = {}, [], [], [], {}, {}

    def place(name):
        """Of a name in orma_ftrace_names."""
        if name not in places:
            places[name] = sum(len(n) + 1 for n in places)
        return places[name]

    for i, f in enumerate(event):
        name = f["type"][4:]
        index[f["number"]] = i
        fields = sorted(model.messages[name].fields, key=lambda x: x["number"]) if name in model.messages else []
        if fields and name not in done:
            done[name] = len(fields_out)
            for x in fields:
                t = x["type"] if x["type"] in FIELD_TYPES else ("enum" if x["type"].startswith("enum") else "message")
                fields_out.append(f'    {{{place(x["name"])}, {x["number"]}, ORMA_PB_TYPE_{t.upper()}, '
                                  f'{"true" if x["label"] == "repeated" else "false"}}}, /* {x["name"]} */')
        rows.append(f'    {{{f["number"]}, {len(fields)}, {place(f["name"])}, {done.get(name, 0)}}}, /* {f["name"]} */')
    for r in points:
        number = int(r["FtraceEvent_field_number"])
        if number in index:
            points_out.append(f'    {{{place(r["tracefs_group"])}, {place(r["tracefs_event"])}, {index[number]}}}, '
                              f'/* {r["tracefs_group"]}/{r["tracefs_event"]} */')
    assert sum(len(n) + 1 for n in places) < 65536 and len(fields_out) < 65536
    out = ["/* Ftrace messages and the tracepoints they stand for. Made by tools/gen_protos.py. */",
           '#include "protos/tables/ftrace_events.h"', "", "const char orma_ftrace_names[] ="]
    out += [f'    "{n}\\0"' for n in places]
    out[-1] += ";"
    out += ["", "const struct orma_ftrace_field orma_ftrace_fields[] = {"] + fields_out + ["};", "",
            "const struct orma_ftrace_message orma_ftrace_messages[] = {"] + rows + ["};", "",
            f"const unsigned orma_ftrace_messages_num = {len(rows)};", "",
            "const struct orma_ftrace_tracepoint orma_ftrace_tracepoints[] = {"] + points_out + ["};", "",
            f"const unsigned orma_ftrace_tracepoints_num = {len(points_out)};", ""]
    return "\n".join(out)


def syscall_tables(folder):
    arch = collections.OrderedDict()
    for r in read(folder, "syscalls"):
        arch.setdefault(r["arch"], {})[int(r["syscall_number"])] = r["name"]
    out = ["/* System call names by architecture. Made by tools/gen_protos.py. */",
           '#include "protos/tables/syscalls.h"', "", "const char orma_syscall_names[] =", '    "\\0"']
    places, at = {}, 1
    for name in sorted({n for names in arch.values() for number, n in names.items() if number < 1024}):
        out.append(f'    "{name}\\0"')
        places[name] = at
        at += len(name) + 1
    assert at < 65536
    out[-1] += ";"
    out.append("")
    for a, names in arch.items():
        out.append(f"static const uint16_t names_{a}[] = {{")
        out += [f"    [{n}] = {places[s]}, /* {s} */" for n, s in sorted(names.items()) if n < 1024]
        out += ["};", ""]
    out += ["const struct orma_syscall_table orma_syscall_tables[] = {"]
    out += [f'    {{"{a}", sizeof(names_{a}) / sizeof(names_{a}[0]), names_{a}}},' for a in arch]
    out += ["};", "", f"const unsigned orma_syscall_tables_num = {len(arch)};", ""]
    return "\n".join(out)


def atrace_tables(folder):
    rows = sorted({(r["category"], r["tracefs_group"], r["tracefs_event"])
                   for r in read(folder, "atrace_categories")})
    out = ["/* Events that the categories of atrace stand for. Made by tools/gen_protos.py. */",
           '#include "protos/tables/atrace.h"', "",
           "const struct orma_atrace_event orma_atrace_events[] = {"]
    out += [f'    {{"{c}", "{g}", "{e}"}},' for c, g, e in rows]
    out += ["};", "", f"const unsigned orma_atrace_events_num = {len(rows)};", ""]
    return "\n".join(out)


def methods_header(folder):
    services = collections.OrderedDict()
    for r in read(folder, "ipc_methods"):
        services.setdefault(r["service"], []).append((int(r["declaration_index"]), r["method"]))
    out = ["/* Methods of the IPC services, in declaration order. Made by tools/gen_protos.py. */",
           "#ifndef ORMA_SDK_IPC_METHODS_H", "#define ORMA_SDK_IPC_METHODS_H", "/* clang-format off */"]
    for s, methods in services.items():
        up = snake(s)
        out += ["", f'#define ORMA_{up}_NAME "{s}"', f"enum orma_{up.lower()}_method {{"]
        out += [f"    ORMA_{up}_{snake(m)} = {i}," for i, m in sorted(methods)]
        out += [f"    ORMA_{up}_METHODS_END", "};", f"#define ORMA_{up}_METHODS \\", "    { \\"]
        out += [f'        [ORMA_{up}_{snake(m)}] = "{m}", \\' for _, m in sorted(methods)]
        out += ["    }"]
    return "\n".join(out + ["", "#endif", ""])


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    print(f"{path.relative_to(ROOT)}: {text.count(chr(10))} lines")


def check(path, text):
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        sys.exit(f"{path.relative_to(ROOT)} is not what tools/gen_protos.py writes; run it")


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    put = check if sys.argv[1:] else write
    folder = ROOT / "protos/spec"
    comments = {}
    for line in (ROOT / "protos/comments.tsv").read_text(encoding="utf-8").splitlines():
        name, _, text = line.partition("\t")
        comments[name] = text
    model = Model(folder)
    unknown = sorted(set(comments) - set(model.messages) - set(model.enums))
    if unknown:
        sys.exit("comments for unknown types: " + ", ".join(unknown))
    for area in AREAS:
        put(ROOT / f"protos/perfetto/{area}.proto", ProtoFile(model, area, comments).text())
        if area not in SCHEMA_ONLY:
            put(ROOT / f"protos/fields/{area}.h", fields_header(model, area))
    put(ROOT / "protos/fields/orma_ext.h", extensions_header(ROOT / "protos/orma_ext.proto"))
    put(ROOT / "protos/tables/ftrace_events.c", ftrace_tables(model, folder))
    put(ROOT / "protos/tables/syscalls.c", syscall_tables(folder))
    put(ROOT / "protos/tables/atrace.c", atrace_tables(folder))
    put(ROOT / "sdk/ipc/methods.h", methods_header(folder))


if __name__ == "__main__":
    main()
