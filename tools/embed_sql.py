#!/usr/bin/env python3
"""Writes SQL modules as a C table of (key, text).

    tools/embed_sql.py OUT.c FOLDER FILE...

The key of FOLDER/linux/cpu/idle.sql is linux.cpu.idle. Comments stay: they are what
__intrinsic_stdlib_objects tells about the objects."""
import pathlib
import sys


def literal(line):
    out = []
    for byte in line.encode():
        char = chr(byte)
        if char in '"\\':
            out.append("\\" + char)
        elif 32 <= byte < 127 and char != "?":
            out.append(char)
        else:
            out.append(f"\\{byte:03o}")
    return '"' + "".join(out) + '\\n"'


def main():
    out, root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    paths = [pathlib.Path(p).resolve() for p in sys.argv[3:]]
    files = sorted((".".join(p.relative_to(root).with_suffix("").parts), p) for p in paths)
    lines = ['/* Made by tools/embed_sql.py. */', '#include "processor/sql/script/packages.h"', "",
             "const struct orma_sql_embedded orma_sql_stdlib[] = {"]
    for key, path in files:
        lines.append(f'    {{"{key}",')
        lines += ["     " + literal(line) for line in path.read_text().splitlines()] or ['     ""']
        lines.append("    },")
    lines += ["    {0},", "};", ""]
    out.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
