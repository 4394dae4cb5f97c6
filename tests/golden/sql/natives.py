#!/usr/bin/env python3
"""Native names that SQL libraries are written with: all of natives.tsv are there, with exactly these columns
and numbers of arguments, and can be read whatever is in the trace.

  natives.py SHELL natives.tsv           checks
  natives.py --make SHEET > natives.tsv  makes the list from a sheet of the interface: a table with the columns
                                         name, kind, signature, result_columns

A row of the list: name; kind; arguments (how many; * any number; - none of its own); columns in their order,
as name:TYPE, with ? if it may be NULL, and ! in front of a hidden one.
"""
import csv
import io
import pathlib
import re
import subprocess
import sys
import tempfile

TYPES = {"ID": "id", "LONG": "int64", "STRING": "string", "DOUBLE": "double", "UINT32": "uint32", "INT32": "int32"}
ABSENT_THERE_TOO = "absent upstream too"
# Views select the id of these under another name and then all columns, so none of theirs may have that name.
COLUMNS = {
    "__intrinsic_thread": "id:ID tid:LONG name:STRING? start_ts:LONG? end_ts:LONG? upid:UINT32? is_main_thread:UINT32? "
                          "is_idle:UINT32 machine_id:UINT32 arg_set_id:UINT32?",
    "__intrinsic_process": "id:ID pid:LONG name:STRING? start_ts:LONG? end_ts:LONG? parent_upid:UINT32? uid:UINT32? "
                           "android_appid:UINT32? android_user_id:UINT32? cmdline:STRING? arg_set_id:UINT32? "
                           "machine_id:UINT32",
}
# Expansions of the macros that lists are mapped by.
MACROS = """
CREATE PERFETTO MACRO one(a Expr) RETURNS Expr AS $a;
CREATE PERFETTO MACRO two(a Expr, b Expr) RETURNS Expr AS $a * 10 + $b;
SELECT 0 AS z __intrinsic_token_apply_prefix!(one, (1 AS a, 2 AS b)), __intrinsic_token_apply!(two, (1, 2), (3, 4, 5)),
  (__intrinsic_token_apply_and!(one, (1, 1, 0))) AS c, 1 __intrinsic_token_apply_and_prefix!(one, (1, 1)) AS d,
  __intrinsic_stringify!( one!(1)  +  2 ) AS e, __intrinsic_stringify_ignore_table!($table ) AS f
"""
MACRO_ROWS = [["0", "1", "2", "13", "24", "0", "1", "one!(1)  +  2", "$table"]]


def columns_of_sheet(text):
    for part in re.sub(r"\{[^}]*\}", "", text).split(";"):
        hidden = "[hidden]" in part
        name, _, kind = part.replace("[hidden]", "").strip().partition(":")
        span = re.fullmatch(r"([a-z]+)(\d+)…[a-z]+(\d+)", name)
        names = [f"{span[1]}{i}" for i in range(int(span[2]), int(span[3]) + 1)] if span else [name]
        may_be_null = kind.strip().endswith("?")
        word = re.match(r"\w+(\(\w+\))?", kind) or [""]
        kind = "UINT32" if word[0].startswith("ID(") and name != "id" else word[0].split("(")[0]
        for n in names:
            if n not in ("", "-"):
                yield f"{'!' if hidden else ''}{n}:{kind}{'?' if may_be_null else ''}"


def arguments_of_sheet(kind, signature):
    if kind not in ("scalar", "aggregate", "library function"):
        return "-"
    inside = signature[signature.find("(") + 1:signature.rfind(")")]
    if "…" in inside:
        return "*"
    return str(len(inside.split(","))) if inside.strip() else "0"


def make(sheet):
    out = csv.writer(sys.stdout, delimiter="\t", lineterminator="\n")
    out.writerow(["name", "kind", "arguments", "columns"])
    for row in csv.DictReader(open(sheet, encoding="utf-8"), delimiter="\t"):
        columns = row["result_columns"] if "table" in row["kind"] else "-"
        if ABSENT_THERE_TOO not in row.values():
            out.writerow([row["name"], row["kind"], arguments_of_sheet(row["kind"], row["signature"]),
                          COLUMNS.get(row["name"]) or " ".join(columns_of_sheet(columns)) or "-"])


class Shell:
    def __init__(self, program, trace):
        self.program, self.trace = program, trace

    def rows(self, sql):
        """Of the last statement that has some."""
        done = subprocess.run([self.program, "-Q", sql, self.trace], capture_output=True, text=True, timeout=60,
                              check=False)
        if done.returncode:
            raise SystemExit(f"{self.trace}: {sql[:300]}\n{done.stderr}")
        return list(csv.reader(io.StringIO(done.stdout.strip().rpartition("\n\n")[2])))[1:]


def values(names):
    return "WITH n(native) AS (VALUES " + ", ".join(f"('{n}')" for n in names) + ") "


class Natives:
    def __init__(self, path):
        self.all = list(csv.DictReader(open(path, encoding="utf-8"), delimiter="\t"))
        self.wrong = []

    def of(self, *kinds):
        return [r for r in self.all if r["kind"] in kinds]

    def compare(self, native, want, have):
        if want != have:
            self.wrong.append(f"{native}\n  expected {want}\n  is       {have}")

    def check_columns(self, shell):
        rows = [r for r in self.of("table", "table function", "virtual table") if r["columns"] != "-"]
        have = {}
        for native, name, hidden in shell.rows(values(r["name"] for r in rows) + "SELECT native, name, hidden FROM n, "
                                               "pragma_table_xinfo(native)"):
            have.setdefault(native, []).append(("!" if hidden != "0" else "") + name)
        for r in rows:
            self.compare(r["name"], [c.split(":")[0] for c in r["columns"].split()], have.get(r["name"]))

    def check_types(self, shell):
        """Only of tables that a trace fills."""
        rows = [r for r in self.of("table") if r["columns"] != "-"]
        have = {}
        for native, name, kind, may_be_null in shell.rows(
                values(r["name"] for r in rows) + "SELECT native, name, col_type, nullable FROM n, "
                "perfetto_table_info(native)"):
            have.setdefault(native, {})[name] = kind + ("?" if may_be_null != "0" else "")
        for r in rows:
            for column in r["columns"].split():
                name, _, kind = column.partition(":")
                want = TYPES[kind.rstrip("?")] + kind[len(kind.rstrip("?")):]
                got = have.get(r["name"], {}).get(name)
                if (name, want) == ("id", "id"):  # of another table: an ordinary number
                    got = got.replace("uint32", "id")
                self.compare(f"{r['name']}.{name}", want, got)

    def check_functions(self, shell):
        rows = self.of("scalar", "aggregate", "library function")
        have = {}
        for native, count in shell.rows(values(r["name"] for r in rows) + "SELECT DISTINCT native, narg FROM n, "
                                        "pragma_function_list f WHERE f.name = native"):
            have.setdefault(native, set()).add("*" if count == "-1" else count)
        for r in rows:
            if r["arguments"] not in have.get(r["name"], set()):
                self.compare(r["name"], r["arguments"], have.get(r["name"]))

    def check_reading(self, shell):
        arguments = lambda r: sum(c.startswith("!_fn_arg") for c in r["columns"].split())
        for r in self.of("table", "table function"):
            if not arguments(r):
                shell.rows(f"SELECT * FROM {r['name']} LIMIT 3")
        for r in self.of("table function"):
            if arguments(r) and r["name"] not in ("experimental_flat_slice", "perfetto_table_info",
                                                  "experimental_flamegraph",
                                                  "__intrinsic_winscope_proto_to_args_with_defaults"):
                shell.rows(f"SELECT * FROM {r['name']}({', '.join(['NULL'] * arguments(r))})")


def write_traces(folder):
    (folder / "empty.pftrace").write_bytes(b"")
    (folder / "small.json").write_text('{"traceEvents": [{"ph": "X", "ts": 1, "dur": 5, "pid": 1, "tid": 2, "name": "a"}]}')
    return [folder / "empty.pftrace", folder / "small.json"]


def main():
    if sys.argv[1] == "--make":
        return make(sys.argv[2])
    natives = Natives(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        for trace in write_traces(pathlib.Path(folder)):
            shell = Shell(sys.argv[1], trace)
            for check in (natives.check_columns, natives.check_types, natives.check_functions, natives.check_reading):
                check(shell)
            natives.compare("macros", MACRO_ROWS, shell.rows(MACROS))
    print("\n".join(natives.wrong))
    return 1 if natives.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
