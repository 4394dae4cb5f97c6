#!/usr/bin/env python3
"""Writes files as a table of protos/reflect/embedded.h.

    tools/embed_files.py OUT.c packed|plain NAME FOLDER FILE...

Keys are paths relative to FOLDER, .proto files first."""
import pathlib
import sys

from embed_sql import table


def shorten(text):
    """Without comments, but with all line breaks: numbers of lines in errors stay those of the file."""
    return "".join(("" if line.lstrip().startswith("--") else line.rstrip()) + "\n" for line in text.splitlines())


def main():
    out, packed, name, root = sys.argv[1:5]
    root = pathlib.Path(root).resolve()
    paths = sorted((pathlib.Path(p).resolve() for p in sys.argv[5:]), key=lambda p: (p.suffix, p))
    texts = [(path.relative_to(root).as_posix(), shorten(path.read_text()), False) for path in paths]
    pathlib.Path(out).write_text("\n".join(["/* Made by tools/embed_files.py. */", *table(name, texts, packed == "packed")]))


if __name__ == "__main__":
    main()
