#!/usr/bin/env python3
"""Writes what the kernel calls the counters of /proc/vmstat as C tables of probes/system/vmstat_names.h.

    tools/vmstat_names.py OUT.c FILE.proto

Names are the kernel's in capitals, behind a prefix. A byte before each name has its number."""
import pathlib
import re
import sys


def main():
    text = pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")
    counters = sorted((name.lower().encode(), int(number))
                      for name, number in re.findall(r"^  VMSTAT_(\w+) = (\d+);", text, re.M) if int(number))
    assert counters and max(number for _, number in counters) < 256
    lines, places, at = [], [], 0
    for name, number in counters:
        lines.append(f'    "\\{number:03o}{name.decode()}\\0"')
        places.append(f"    {at},")
        at += len(name) + 2
    pathlib.Path(sys.argv[1]).write_text("\n".join([
        "/* Made by tools/vmstat_names.py. */", '#include "probes/system/vmstat_names.h"', "",
        "const char orma_system_vmstat_names[] =", *lines[:-1], lines[-1] + ";", "",
        "const uint16_t orma_system_vmstat_places[] = {", *places, "};",
        f"const unsigned orma_system_vmstat_num = {len(places)};", ""]))


if __name__ == "__main__":
    main()
