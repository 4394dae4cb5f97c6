#!/usr/bin/env python3
"""Makes the table and stats definitions of the processor from the interface tables.

    tools/gen_tables.py            writes them, formatted where clang-format is installed
    tools/gen_tables.py --check    fails if a file, white space aside, is not what would be written

Reads processor/store/spec/tables.tsv and stats.tsv (names, types, nullability, order: facts of the
interface) and our own own_tables.tsv and own_stats.tsv of the same shape (the tables without the
last three columns), and writes processor/store/table_defs.[ch] and stat_defs.[ch]. The result is
committed: a build does not need this script.
"""
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "processor/store"
SPEC = OUT / "spec"
# Outputs of operators: they have no rows of their own.
SKIP = {"__intrinsic_critical_path_walk_out", "__intrinsic_dominator_tree",
        "__intrinsic_structural_tree_partition"}
# Columns whose values are made when they are read.
COMPUTED = {("__intrinsic_ftrace_event", "arg_set_id")}
# Types of view columns in terms of stored ones.
VIEW_TYPES = {"TIMESTAMP": "LONG", "DURATION": "LONG", "BOOL": "LONG(u32)", "JOINID": "LONG(u32)",
              "ARGSETID": "LONG(u32)"}
# Widths as perfetto_table_info() tells them; columns are as narrow as their values.
WIDTHS = {"LONG(u32)": "ORMA_COL_U32", "LONG(i32)": "ORMA_COL_I32"}
NOTE = "Made by tools/gen_tables.py."


def ident(name):
    return re.sub(r"^_*(intrinsic_|orma_)?", "", name).upper()


def read_tables():
    tables, missing = {}, set()
    rows = [line.split("\t") for line in (SPEC / "tables.tsv").read_text().splitlines()[1:]]
    own = [line.split("\t") for line in (OUT / "own_tables.tsv").read_text().splitlines()[1:]]
    for row in [r for r in rows if r[4] == "intrinsic" and r[0] not in SKIP] + own:
        sort = len(row) > 6 and row[6] == "y" or row[1] == "ts"
        tables.setdefault(row[0], []).append((row[1], row[2], row[3] == "y", sort))
    # A view over a table that is not listed: the table has the columns of the view.
    for row in [r for r in rows if "prelude" in r[4] and r[5].startswith("__intrinsic_")]:
        if row[5] not in tables or row[5] in missing:
            missing.add(row[5])
            kind = VIEW_TYPES.get(re.split(r"[(]", row[2])[0], row[2])
            tables.setdefault(row[5], []).append((row[1], kind, row[3] == "y", row[1] == "ts"))
    return tables


def column(table, name, typ, nullable, is_sorted):
    base = typ.split("(")[0]
    kind = {"ID": "INT", "LONG": "INT", "DOUBLE": "DOUBLE", "STRING": "STRING",
            "Alias": "ALIAS"}[base]
    if typ == "ID":
        kind = "ID"
    if (table, name) in COMPUTED:
        kind = "COMPUTED"
    flags = [f for f, on in (("ORMA_COL_NULLABLE", nullable), ("ORMA_COL_TIME", is_sorted)) if on]
    ref = typ[3:-1] if typ.startswith("ID(") else None
    if ref or typ in WIDTHS:
        flags.append("ORMA_COL_U32" if ref else WIDTHS[typ])
    # The comment is read by gen_table_docs.py.
    return f'    {{"{name}", ORMA_COL_{kind}, {" | ".join(flags) or "0"}}},' + (f" /* id of {ref} */" if ref else "")


def write_tables(tables, put):
    head = [f"/* Every stored table and its columns. {NOTE} */",
            "#ifndef ORMA_PROCESSOR_STORE_TABLE_DEFS_H", "#define ORMA_PROCESSOR_STORE_TABLE_DEFS_H",
            "", "enum orma_table_id {"]
    head += [f"    ORMA_TABLE_{ident(t)}," for t in tables] + ["    ORMA_TABLES_NUM", "};"]
    body = [f"/* Every stored table and its columns. {NOTE} */",
            '#include "processor/store/table.h"', "", "#include <stddef.h>"]
    for table, cols in tables.items():
        head += ["", f"/* {table} */", "enum {"]
        head += [f"    ORMA_{ident(table)}_{ident(c[0])}," for c in cols]
        head += [f"    ORMA_{ident(table)}_COLUMNS_NUM", "};"]
        body += ["", f"static const struct orma_column_def cols_{ident(table).lower()}[] = {{"]
        body += [column(table, *c) for c in cols] + ["};"]
    head += ["#endif"]
    body += ["", "const struct orma_table_def orma_table_defs[ORMA_TABLES_NUM] = {"]
    for table, cols in tables.items():
        low = ident(table).lower()
        body += [f'    [ORMA_TABLE_{ident(table)}] = {{"{table}", {len(cols)}, cols_{low}}},']
    body += ["};"]
    put(OUT / "table_defs.h", "\n".join(head) + "\n")
    put(OUT / "table_defs.c", "\n".join(body) + "\n")


def write_stats(put):
    rows = [line.split("\t") for path in (SPEC / "stats.tsv", OUT / "own_stats.tsv")
            for line in path.read_text().splitlines()[1:]]
    head = [f"/* Every statistic of an import. {NOTE} */",
            "#ifndef ORMA_PROCESSOR_STORE_STAT_DEFS_H", "#define ORMA_PROCESSOR_STORE_STAT_DEFS_H",
            "", "enum orma_stat {"]
    head += [f"    ORMA_STAT_{r[0].upper()}," for r in rows] + ["    ORMA_STATS_NUM", "};", "#endif"]
    body = [f"/* Every statistic of an import. {NOTE} */", '#include "processor/store/stats.h"', "",
            "const struct orma_stat_def orma_stat_defs[ORMA_STATS_NUM] = {"]
    for name, kind, severity, source, scope, *_ in rows:
        body += [f'    [ORMA_STAT_{name.upper()}] = {{"{name}", ORMA_STAT_{kind.upper()}, '
                 f'ORMA_SEVERITY_{severity.upper()}, ORMA_SOURCE_{source.upper()}, '
                 f'{"true" if scope == "global" else "false"}}},']
    body += ["};"]
    put(OUT / "stat_defs.h", "\n".join(head) + "\n")
    put(OUT / "stat_defs.c", "\n".join(body) + "\n")


def write(path, text):
    path.write_text(text)
    if shutil.which("clang-format"):
        subprocess.run(["clang-format", "-i", path], check=True)


def check(path, text):
    if re.sub(r"\s", "", path.read_text()) != re.sub(r"\s", "", text):
        sys.exit(f"{path.relative_to(ROOT)} is not what tools/gen_tables.py writes; run it")


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    put = check if sys.argv[1:] else write
    write_tables(read_tables(), put)
    write_stats(put)


if __name__ == "__main__":
    main()
