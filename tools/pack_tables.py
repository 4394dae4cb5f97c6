#!/usr/bin/env python3
"""Writes generated tables of protos/tables/ deflated, for protos/tables/unpack.c.

    tools/pack_tables.py OUT.c FILE.c...

Arrays of text and of rows of numbers become empty ones of the same names; what else the files define
(counts, tables of tables) is copied."""
import pathlib
import re
import sys
import zlib

from embed_sql import bytes_literals

ARRAY = re.compile(r"^(static )?(char|uint16_t|struct orma_ftrace_\w+) (\w+)\[\] =\s*(.*?);\n", re.M | re.S)
# Bytes of the members of a row, as the headers declare them.
COLUMNS = {"char": "", "uint16_t": "2", "struct orma_ftrace_field": "2211",
           "struct orma_ftrace_message": "2222", "struct orma_ftrace_tracepoint": "222"}


def constants(header):
    """{name: value} of the enum of types."""
    names = re.search(r"enum orma_pb_type \{(.*?)\}", header, re.S)[1]
    return {n: i for i, n in enumerate(re.findall(r"\w+", names))} | {"true": 1, "false": 0}


def rows(kind, body, values):
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    if kind != "uint16_t":
        return [[values.get(cell) if cell in values else int(cell) for cell in re.findall(r"\w+", row)]
                for row in re.findall(r"\{([^{}]*)\}", body[1:])]
    found = {int(at): int(value) for at, value in re.findall(r"\[(\d+)\] = (\d+)", body)}
    return [[found.get(at, 0)] for at in range(max(found) + 1)]


def planes(table, widths):
    """Each column as differences: its low bytes, and its high ones if it has two."""
    out = bytearray()
    for column, width in enumerate(widths):
        cells = [row[column] for row in table]
        steps = [(cell - before) % 65536 for cell, before in zip(cells, [0] + cells[:-1])]
        out += bytes(step % 256 for step in steps)
        if width == "2":
            out += bytes(step // 256 for step in steps)
    return bytes(out)


def main():
    out, *paths = sys.argv[1:]
    here = pathlib.Path(paths[0]).resolve().parent
    values = constants((here / "ftrace_events.h").read_text())
    head, rest, arrays, body = [], [], [], b""
    for path in paths:
        text = pathlib.Path(path).read_text()
        for static, kind, name, cells in ARRAY.findall(text):
            if kind == "char":
                plain = "".join(re.findall(r'"((?:\w|\\0)*)"', cells)).replace("\\0", "\0").encode() + b"\0"
                num = len(plain)
            else:
                table = rows(kind, cells, values)
                plain, num = planes(table, COLUMNS[kind]), len(table)
                assert num <= 4096 and all(len(row) == len(COLUMNS[kind]) for row in table)
            head.append(f"{static}{kind} {name}[{num}];")
            arrays.append(f'    {{{name}, {num}, "{COLUMNS[kind]}"}},')
            body += plain
        rest.append(re.sub(r"^(/\*.*|#include.*)\n", "", ARRAY.sub("", text), flags=re.M).strip())
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15, 5)
    blob = list(bytes_literals(deflate.compress(body) + deflate.flush()))
    blob[-1] += ";"
    pathlib.Path(out).write_text("\n".join(
        ["/* Made by tools/pack_tables.py. */", '#include "protos/tables/ftrace_events.h"',
         '#include "protos/tables/syscalls.h"', '#include "protos/tables/unpack.h"', "", *head, "", *rest, "",
         "static const unsigned char packed[] =", *blob, "",
         "static const struct orma_ftrace_tables_array arrays[] = {", *arrays, "    {0}};", "",
         "const struct orma_ftrace_tables_packed orma_ftrace_tables_packed = {packed, sizeof(packed) - 1, arrays};", ""]))


if __name__ == "__main__":
    main()
