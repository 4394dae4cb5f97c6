#!/usr/bin/env python3
"""Writes SQL modules as a C table of (key, text).

    tools/embed_sql.py OUT.c packed|plain FOLDER FILE...

The key of FOLDER/linux/cpu/idle.sql is linux.cpu.idle. Comments stay: they are what
__intrinsic_stdlib_objects tells about the objects. With `packed` all but the prelude, which every
connection runs, is one deflated text."""
import pathlib
import sys
import zlib


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


def bytes_literals(data, width=64):
    """Octal, of three digits each: no digit that follows can be taken for a part of it."""
    for at in range(0, len(data), width):
        yield '    "' + "".join(f"\\{byte:03o}" for byte in data[at:at + width]) + '"'


def main():
    out, packed, root = pathlib.Path(sys.argv[1]), sys.argv[2] == "packed", pathlib.Path(sys.argv[3]).resolve()
    paths = [pathlib.Path(p).resolve() for p in sys.argv[4:]]
    files = sorted((".".join(p.relative_to(root).with_suffix("").parts), p) for p in paths)
    lines = ['/* Made by tools/embed_sql.py. */', '#include "processor/sql/script/packages.h"', "",
             "static const struct orma_sql_stdlib_module modules[] = {"]
    library = bytearray()
    for key, path in files:
        text = "".join(line + "\n" for line in path.read_text().splitlines())
        if packed and not key.startswith("prelude."):
            lines.append(f'    {{"{key}", NULL, {len(library)}, {len(text.encode())}}},')
            library += text.encode()
            continue
        lines.append(f'    {{"{key}",')
        lines += ["     " + literal(line) for line in text.splitlines()] or ['     ""']
        lines.append(f"     , 0, {len(text.encode())}}},")
    lines += ["    {0},", "};", "", "static const unsigned char packed[] ="]
    data = zlib.compress(bytes(library), 9)
    lines += list(bytes_literals(data))
    lines[-1] += ";"
    lines += ["", "const struct orma_sql_library orma_sql_stdlib = {",
              f"    .modules = modules, .packed = packed, .packed_len = {len(data)}, .len = {len(library)}}};", ""]
    out.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
