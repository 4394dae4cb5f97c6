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


def table(name, files, packed):
    """Lines of C: the files (key, text, whether it stays as text) under that name."""
    entries, body = [], bytearray()
    for key, text, plain in files:
        size = len(text.encode())
        if packed and not plain:
            entries.append(f'    {{"{key}", NULL, {len(body)}, {size}}},')
            body += text.encode()
            continue
        entries.append(f'    {{"{key}",')
        entries += ["     " + literal(line) for line in text.splitlines()] or ['     ""']
        entries.append(f"     , 0, {size}}},")
    packer = zlib.compressobj(9, zlib.DEFLATED, -15, 9)
    data = packer.compress(bytes(body)) + packer.flush()
    blob = list(bytes_literals(data))
    blob[-1] += ";"
    return ['#include "protos/reflect/embedded.h"', "",
            "static const struct orma_embedded_file files[] = {", *entries, "    {0},", "};", "",
            "static const unsigned char packed[] =", *blob, "",
            f"extern const struct orma_embedded {name};", f"const struct orma_embedded {name} = {{",
            f"    .files = files, .packed = packed, .packed_len = {len(data)}, .len = {len(body)}}};", ""]


def main():
    out, packed, root = pathlib.Path(sys.argv[1]), sys.argv[2] == "packed", pathlib.Path(sys.argv[3]).resolve()
    paths = [pathlib.Path(p).resolve() for p in sys.argv[4:]]
    files = sorted((".".join(p.relative_to(root).with_suffix("").parts), p) for p in paths)
    texts = [(key, "".join(line + "\n" for line in path.read_text().splitlines()), key.startswith("prelude."))
             for key, path in files]
    out.write_text("\n".join(["/* Made by tools/embed_sql.py. */", *table("orma_sql_stdlib", texts, packed)]))


if __name__ == "__main__":
    main()
