#!/usr/bin/env python3
"""Writes the bundle of the viewer as C texts, with the hashes that its Content-Security-Policy names.

    tools/view/embed.py OUT.c VIEW.js VIEW.css"""
import base64
import hashlib
import pathlib
import re
import sys

PIECE = 4000
BAD = re.compile(r"</script|</style|<!--", re.I)


def literal(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("?", "\\?")
    # A piece must not end inside of an escape.
    out, at = [], 0
    while at < len(escaped):
        end = min(len(escaped), at + PIECE)
        while end < len(escaped) and escaped[end - 1] == "\\":
            end += 1
        out.append(f'    "{escaped[at:end]}"')
        at = end
    return "\n".join(out)


def main():
    out, js, css = sys.argv[1:4]
    lines = ["/* Made by tools/view/embed.py. */", '#include "tools/view/page.h"', "",
             "const struct orma_view_page orma_view_page = {"]
    for name, path in (("css", css), ("js", js)):
        text = pathlib.Path(path).read_text(encoding="ascii").rstrip("\n")
        if BAD.search(text):
            sys.exit(f"{path}: holds '{BAD.search(text).group()}', which would end the element it stands in")
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        lines += [f"    .{name}_hash = \"sha256-{digest}\",", f"    .{name} =", literal(text) + ","]
    pathlib.Path(out).write_text("\n".join(lines + ["};", ""]))


if __name__ == "__main__":
    main()
