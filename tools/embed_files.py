#!/usr/bin/env python3
"""Writes files as a C table of (path, text): the metrics that are in the binary.

    tools/embed_files.py OUT.c HEADER STRUCT TABLE FOLDER FILE...

Paths are relative to FOLDER, .proto files first."""
import pathlib
import sys

from embed_sql import literal


def shorten(text):
    """Without comments, but with all line breaks: numbers of lines in errors stay those of the file."""
    for line in text.splitlines():
        yield "" if line.lstrip().startswith("--") else line.rstrip()


def main():
    out, header, struct, table, root = sys.argv[1:6]
    root = pathlib.Path(root).resolve()
    paths = sorted((pathlib.Path(p).resolve() for p in sys.argv[6:]), key=lambda p: (p.suffix, p))
    lines = ["/* Made by tools/embed_files.py. */", f'#include "{header}"', "",
             f"const struct {struct} {table}[] = {{"]
    for path in paths:
        lines.append(f'    {{"{path.relative_to(root).as_posix()}",')
        lines += ["     " + literal(line) for line in shorten(path.read_text())]
        lines.append("    },")
    lines += ["    {0},", "};", ""]
    pathlib.Path(out).write_text("\n".join(lines))


if __name__ == "__main__":
    main()
