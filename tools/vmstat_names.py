#!/usr/bin/env python3
"""Writes what the kernel calls the counters of /proc/vmstat as the table of probes/system/vmstat_names.h.

    tools/vmstat_names.py OUT.c FILE.proto

Names are the kernel's in capitals, behind a prefix."""
import pathlib
import re
import sys


def main():
    text = pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")
    counters = sorted((name.lower(), int(number))
                      for name, number in re.findall(r"^  VMSTAT_(\w+) = (\d+);", text, re.M) if int(number))
    assert counters
    pathlib.Path(sys.argv[1]).write_text("\n".join([
        "/* Made by tools/vmstat_names.py. */", '#include "probes/system/vmstat_names.h"', "",
        "const struct orma_system_vmstat_name orma_system_vmstat_names[] = {",
        *(f'    {{"{name}", {number}}},' for name, number in counters), "};",
        f"const unsigned orma_system_vmstat_num = {len(counters)};", ""]))


if __name__ == "__main__":
    main()
