#!/usr/bin/env python3
"""Write protos/ from the tables of interface facts (names, numbers, types).

    tools/gen_protos.py TABLES_DIR

TABLES_DIR holds one tab-separated file per area (config.tsv, trace.tsv, ...), enums.tsv,
extensions.tsv, reserved.tsv, ftrace_tracepoints.tsv, ipc_methods.tsv and syscalls.tsv. The
result is committed, so nobody needs the tables to build:

    protos/perfetto/AREA.proto    the schema, with the comments of protos/comments.tsv
    protos/fields/AREA.h          field numbers and enum values for the hand-written readers
    protos/tables/*.c             tracepoints and their messages, system call names, atrace categories
    sdk/ipc/methods.h             the method order of each IPC service

protos/more/ holds rows of ours in the same form, for messages of other projects that the tables
name only. Run it again when a table grows; it changes nothing by itself.
"""
import collections
import csv
import pathlib
import re
import sys

AREAS = ("gpu protovm pprof process sys_stats generic_kernel common config ipc track_event profiling "
         "interned_data ftrace trace trace_summary trace_processor metrics chrome").split()
# Areas that are read by the schema alone: no field numbers for hand-written readers.
SCHEMA_ONLY = {"chrome"}
PACKAGE = {"pprof": "perfetto.third_party.perftools.profiles"}
# Extension ranges of messages that we extend ourselves: see protos/orma_ext.proto.
OURS = {"CommitDataRequest": (90000, 99999), "TraceStats": (90000, 99999),
        "ProcessTree.Process": (90000, 99999)}
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
            own = PACKAGE.get(area)  # a package of its own: names may be those of the main one
            for row in read(folder, area):
                if own:
                    row = {**row, "message": f"{area}:{row['message']}"}
                    row["type"] = re.sub("^msg ", f"msg {area}:", row["type"] or "")
                m = self.message(area, row["message"])
                if row["field"] == "(range)":
                    m.extensions.append(tuple(int(x) for x in row["number"].split("-")))
                elif row["field"] != "(no fields)":
                    m.fields.append(self.field(row))
        for row in read(folder, "enums"):
            e = row["enum"]
            if e not in self.enums:
                self.enums[e] = []
                self.enum_area[e] = row["area"]
                self.hang_enum(e, row["area"])
            self.enums[e].append((row["value"], int(row["number"])))
        self.reserve(folder)
        self.extend(folder)

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
        """Extensions of our own messages become ordinary fields when nothing else claims them."""
        self.extensions = collections.defaultdict(list)
        for row in read(folder, "extensions"):
            if row["number"].isdigit():
                f = self.field({**row, "options": ""})
                m = self.messages.get(row["extended_message"])
                if m and any(own["name"] == f["name"] for own in m.fields):
                    continue  # protos/more/ says more of it
                self.extensions[row["extended_message"]].append(f)
        for name, rng in OURS.items():
            self.messages[name].extensions.append(rng)

    def type_text(self, area, t):
        kind, _, name = t.partition(" ")
        if kind == "enum":
            return name, self.enum_area[name]
        if kind == "msg":
            if name not in self.area_of:
                return "bytes", None  # opaque here: same wire type, bytes are kept
            dep = self.area_of[name]
            return name.rpartition(":")[2], dep
        return t, None


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
            self.out.append(f"{inner}extend {name} {{")
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
        head += [f"package {PACKAGE.get(self.area, 'perfetto.protos')};", ""]
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


FIELD_TYPES = "int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 sfixed32 sfixed64 bool float double string bytes".split()


def ftrace_tables(model, folder):
    points = sorted(read(folder, "ftrace_tracepoints"), key=lambda r: (r["tracefs_group"], r["tracefs_event"]))
    event = sorted((f for f in model.messages["FtraceEvent"].fields if f["type"].startswith("msg ")),
                   key=lambda f: f["number"])
    index, out, rows = {}, [], []
    out += ["/* Ftrace messages and the tracepoints they stand for. Made by tools/gen_protos.py. */",
            '#include "protos/tables/ftrace_events.h"', "", "#include <stddef.h>", ""]
    done = {}
    for i, f in enumerate(event):
        name = f["type"][4:]
        index[f["number"]] = i
        fields = sorted(model.messages[name].fields, key=lambda x: x["number"]) if name in model.messages else []
        if fields and name not in done:
            done[name] = f"fields_{snake(name).lower()}"
            out.append(f"static const struct orma_ftrace_field {done[name]}[] = {{")
            for x in fields:
                t = x["type"] if x["type"] in FIELD_TYPES else ("enum" if x["type"].startswith("enum") else "message")
                out.append(f'    {{"{x["name"]}", {x["number"]}, ORMA_PB_TYPE_{t.upper()}, '
                           f'{"true" if x["label"] == "repeated" else "false"}}},')
            out += ["};", ""]
        rows.append(f'    {{{f["number"]}, {len(fields)}, "{f["name"]}", {done[name] if fields else "NULL"}}},')
    out += ["const struct orma_ftrace_message orma_ftrace_messages[] = {"] + rows + ["};", "",
            f"const unsigned orma_ftrace_messages_num = {len(rows)};", "",
            "const struct orma_ftrace_tracepoint orma_ftrace_tracepoints[] = {"]
    n = 0
    for r in points:
        number = int(r["FtraceEvent_field_number"])
        if number in index:
            n += 1
            out.append(f'    {{"{r["tracefs_group"]}", "{r["tracefs_event"]}", {index[number]}}},')
    out += ["};", "", f"const unsigned orma_ftrace_tracepoints_num = {n};", ""]
    return "\n".join(out)


def syscall_tables(folder):
    arch = collections.OrderedDict()
    for r in read(folder, "syscalls"):
        arch.setdefault(r["arch"], {})[int(r["syscall_number"])] = r["name"]
    out = ["/* System call names by architecture. Made by tools/gen_protos.py. */",
           '#include "protos/tables/syscalls.h"', "", "#include <stddef.h>", ""]
    for a, names in arch.items():
        dense = {n: s for n, s in names.items() if n < 1024}
        out.append(f"static const char *const names_{a}[] = {{")
        out += [f'    [{n}] = "{s}",' for n, s in sorted(dense.items())]
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
           "#ifndef ORMA_SDK_IPC_METHODS_H", "#define ORMA_SDK_IPC_METHODS_H"]
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


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    comments = {}
    for line in (ROOT / "protos/comments.tsv").read_text(encoding="utf-8").splitlines():
        name, _, text = line.partition("\t")
        comments[name] = text
    model = Model(folder)
    unknown = sorted(set(comments) - set(model.messages) - set(model.enums))
    if unknown:
        sys.exit("comments for unknown types: " + ", ".join(unknown))
    for area in AREAS:
        write(ROOT / f"protos/perfetto/{area}.proto", ProtoFile(model, area, comments).text())
        if area not in SCHEMA_ONLY:
            write(ROOT / f"protos/fields/{area}.h", fields_header(model, area))
    write(ROOT / "protos/tables/ftrace_events.c", ftrace_tables(model, folder))
    write(ROOT / "protos/tables/syscalls.c", syscall_tables(folder))
    write(ROOT / "protos/tables/atrace.c", atrace_tables(folder))
    write(ROOT / "sdk/ipc/methods.h", methods_header(folder))


if __name__ == "__main__":
    main()
