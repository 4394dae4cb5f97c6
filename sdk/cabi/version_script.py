#!/usr/bin/env python3
"""The linker's script of libperfetto_c.so from the table of its names.

    version_script.py exports.txt OUT
"""
import pathlib
import sys

names = [line.split()[0] for line in pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
         if line and not line.startswith("#")]
# Without a version: the names have none in the programs.
pathlib.Path(sys.argv[2]).write_text("{\nglobal:\n" + "".join(f"    {n};\n" for n in names) + "local:\n    *;\n};\n",
                                     encoding="utf-8")
