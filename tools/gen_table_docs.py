#!/usr/bin/env python3
"""Makes docs/tables.md from the tables that define the columns.

    tools/gen_table_docs.py [--check]

Reads processor/store/table_defs.c (what is stored), processor/sql/tables/projections.tsv and views.c (what is
shown of it), and processor/store/stat_defs.c (statistics). The words beside the names are in
processor/store/table_notes.tsv. --check: exit 1 if the page is not what would be written.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/tables.md"
KINDS = {"ID": "id", "INT": "int", "DOUBLE": "double", "STRING": "string", "ALIAS": "alias of id",
         "COMPUTED": "int"}


def read(path):
    return re.sub(r"/\*.*?\*/", "", (ROOT / path).read_text(), flags=re.S)


def stored():
    """{table: [(column, text of its type)]}; {enum name: (table, {enum column: column})}"""
    text = (ROOT / "processor/store/table_defs.c").read_text()
    columns = {}
    for name, body in re.findall(r"orma_column_def cols_(\w+)\[\] = \{(.*?)\n\};", text, re.S):
        rows = []
        for col, kind, flags, ref in re.findall(
                r'\{"(\w+)",\s*ORMA_COL_(\w+),\s*([^,}]+)\},(?:\s*/\* id of (\w+) \*/)?', body):
            typ = KINDS[kind]
            if ref:
                typ = f"id of {ref}"
            if "NULLABLE" in flags:
                typ += ", may be NULL"
            rows.append((col, typ))
        columns[name] = rows
    tables, by_enum = {}, {}
    for enum, name, low in re.findall(
            r'\[ORMA_TABLE_(\w+)\] =\s*\{\s*"(\w+)",\s*\d+,\s*cols_(\w+)\s*\}', text):
        tables[name] = columns[low]
        by_enum[enum] = name
    return tables, by_enum


def shown(by_enum):
    """{name: (stored table, [columns])} of projections."""
    ret = {}
    for line in read("processor/sql/tables/projections.tsv").splitlines():
        cells = line.split("\t")
        if line.startswith("\t"):
            ret[name][1].append(cells[1])
        elif line and not line.startswith("#"):
            name = cells[0]
            ret[name] = (by_enum[cells[1].upper()], [])
    return ret


def views():
    text = read("processor/sql/views.c")
    return re.findall(r'\n    \{"(\w+)",\s*"', text)


def stats():
    text = read("processor/store/stat_defs.c")
    return re.findall(r'\{\s*"(\w+)",\s*ORMA_STAT_(SINGLE|INDEXED|RARE),\s*ORMA_SEVERITY_(\w+),\s*'
                      r'ORMA_SOURCE_(\w+)', text)


def notes():
    lines = (ROOT / "processor/store/table_notes.tsv").read_text().splitlines()
    return dict(line.split("\t", 1) for line in lines if "\t" in line)


def page():
    tables, by_enum = stored()
    words = notes()
    out = ["# Tables", "", "*Made by tools/gen_table_docs.py from the tables that define the columns.*", "",
           "Numbers are 64 bit. Times are in nanoseconds of the trace's clock; `dur` is -1 while it is "
           "open. An *id of* another table is the number of a row there. Stored tables are written by "
           "importers; what is shown is made of them and has the names that people know.", "",
           "## What is shown", ""]
    for name, (base, cols) in sorted(shown(by_enum).items()):
        note = f" {words[name]}" if name in words else ""
        out += [f"**{name}**, of `{base}`.{note}", "", "`" + "`, `".join(cols) + "`", ""]
    out += ["Views that join several of them: `" + "`, `".join(sorted(set(views()))) + "`.", "",
            "## What is stored", ""]
    for name, cols in sorted(tables.items()):
        out += [f"### {name}", ""]
        if name in words:
            out += [words[name], ""]
        out += ["| column | holds |", "|---|---|"] + [f"| {c} | {t} |" for c, t in cols] + [""]
    out += ["## Statistics", "", "Rows of `stats`. An indexed one has a row per index that was "
            "touched, a single one is there from the start.", "",
            "| name | severity | told by | form |", "|---|---|---|---|"]
    out += [f"| {n} | {sev.lower()} | {src.lower()} | {form.lower()} |"
            for n, form, sev, src in sorted(stats())]
    return "\n".join(out) + "\n"


def main():
    text = page()
    if sys.argv[1:] == ["--check"]:
        if PAGE.read_text() != text:
            print("docs/tables.md is not what the tables say: run tools/gen_table_docs.py")
            sys.exit(1)
        return
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
