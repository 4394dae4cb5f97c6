#!/usr/bin/env python3
"""Writes the bundle of the viewer, deflated, as C, with the hashes that its Content-Security-Policy names.

    tools/view/embed.py OUT.c VIEW.js VIEW.css"""
import base64
import hashlib
import pathlib
import re
import sys
import zlib

BAD = re.compile(r"</script|</style|<!--", re.I)


def bytes_literals(data, width=64):
    """Octal, of three digits each: no digit that follows can be taken for a part of it."""
    for at in range(0, len(data), width):
        yield '    "' + "".join(f"\\{byte:03o}" for byte in data[at:at + width]) + '"'


def main():
    out, js, css = sys.argv[1:4]
    fields, texts = [], b""
    for name, path in (("css", css), ("js", js)):
        text = pathlib.Path(path).read_text(encoding="ascii").rstrip("\n")
        if BAD.search(text):
            sys.exit(f"{path}: holds '{BAD.search(text).group()}', which would end the element it stands in")
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        fields += [f'    .{name}_hash = "sha256-{digest}",', f"    .{name}_len = {len(text)},"]
        texts += text.encode()
    packed = zlib.compress(texts, 9)
    lines = ["/* Made by tools/view/embed.py. */", '#include "tools/view/page.h"', "",
             "static const unsigned char packed[] ="] + list(bytes_literals(packed))
    lines[-1] += ";"
    lines += ["", "const struct orma_view_page orma_view_page = {", *fields,
              f"    .packed = packed, .packed_len = {len(packed)},"]
    pathlib.Path(out).write_text("\n".join(lines + ["};", ""]))


if __name__ == "__main__":
    main()
