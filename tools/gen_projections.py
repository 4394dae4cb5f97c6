#!/usr/bin/env python3
"""Writes processor/sql/tables/projections.tsv as C.

    tools/gen_projections.py OUT.c projections.tsv

The file explains its own form. Columns and tables become the names of processor/store/table_defs.h:
one that does not exist does not compile."""
import pathlib
import re
import sys


def choice(prefix, text):
    for pattern, kind in ((r"(\w+)=0", "ZERO"), (r"(\w+)=(\w+)", "TEXT"), (r"(\w+)\?", "NOT_NULL"),
                          (r"(\w+)\.(\w+)", "ARG")):
        if match := re.fullmatch(pattern, text):
            value = f'"{match[2]}"' if match.lastindex == 2 else "NULL"
            return f"{{ORMA_CHOOSE_{kind}, {prefix}{match[1].upper()}, {value}}}"
    raise ValueError(f"not a choice of rows: {text}")


def column(prefix, name, source):
    if source == "NULL":
        return f'{{"{name}", ORMA_PROJ_NULL, 0, 0, NULL}}'
    for pattern, op in ((r"(\w+)", "COL"), (r"cpu\((\w+)\)", "CPU"), (r"(\w+)\+(\w+)", "SUM"),
                        (r"(\w+)\.(\w+)", "ARG")):
        if match := re.fullmatch(pattern, source):
            other = prefix + match[2].upper() if op == "SUM" else "0"
            key = f'"{match[2]}"' if op == "ARG" else "NULL"
            return f'{{"{name}", ORMA_PROJ_{op}, {prefix}{match[1].upper()}, {other}, {key}}}'
    raise ValueError(f"not a column's value: {source}")


def main():
    columns, tables = [], []
    for number, line in enumerate(pathlib.Path(sys.argv[2]).read_text().splitlines(), 1):
        cells = line.split("\t")
        try:
            if not line or line.startswith("#"):
                continue
            if cells[0]:
                name, table, prefix = cells[0], cells[1].upper(), f"ORMA_{cells[1].upper()}_"
                choices = [choice(prefix, c) for c in cells[2:]] or ["{0}"]
                tables.append(f'    {{"{name}", ORMA_TABLE_{table}, cols_{name}, {{{", ".join(choices)}}}}},')
                columns += [*(["    {NULL},", "};", ""] if columns else []),
                            f"static const struct orma_proj_column cols_{name}[] = {{"]
            else:
                columns.append(f"    {column(prefix, cells[1], cells[-1])},")
        except (IndexError, ValueError) as error:
            sys.exit(f"{sys.argv[2]}:{number}: {error}")
    lines = ["/* Made by tools/gen_projections.py. */", "#include <stddef.h>", "",
             '#include "processor/sql/tables/proj.h"', '#include "processor/store/table_defs.h"', "",
             *columns, "    {NULL},", "};", "",
             "const struct orma_proj orma_vtab_projs[] = {",
             *tables, "    {NULL},", "};", ""]
    pathlib.Path(sys.argv[1]).write_text("\n".join(lines))


if __name__ == "__main__":
    main()
