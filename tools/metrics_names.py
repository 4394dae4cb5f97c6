#!/usr/bin/env python3
"""Writes what the messages of shipped metrics are called as C tables of processor/metrics/embedded.h.

    tools/metrics_names.py OUT.c SPEC.tsv ABSENT.txt FILE.proto...

orma_metrics_functions has the names of the functions that messages get, orma_metrics_fields the messages in TraceMetrics:
so a program that computes no metric need not read them, nor unpack the default schema. orma_metrics_absent has what others
call a metric and is none here: the fields of TraceMetrics in SPEC.tsv, and the lines of ABSENT.txt."""
import pathlib
import re
import sys

WORDS = re.compile(r"\b(message|enum|oneof|extend)\s+([\w.]+)\s*\{|(\})|\b(?:optional|repeated)\s+[A-Z]\w*\s+(\w+)")
ROOT = ("TraceMetrics",)


def messages(text):
    """{path of names: fields that have a message as type}, outer messages first."""
    ret, around = {}, []
    for kind, name, close, field in WORDS.findall(re.sub(r"//.*", "", text)):
        if kind == "message":
            around.append(name)
            ret[tuple(a for a in around if a)] = []
        elif kind:
            around.append(None)
        elif close:
            around.pop()
        elif around and around[-1]:
            ret[tuple(a for a in around if a)].append(field)
    return ret


def table(name, values):
    return ["", f"const char *const {name}[] = {{"] + [f'    "{v}",' for v in values] + ["    0,", "};"]


def main():
    found = {}
    spec, absent = (pathlib.Path(path).read_text().splitlines() for path in sys.argv[2:4])
    for path in sys.argv[4:]:
        for name, fields in messages(pathlib.Path(path).read_text()).items():
            found.setdefault(name, []).extend(fields)
    lines = ["/* Made by tools/metrics_names.py. */", '#include "processor/metrics/embedded.h"']
    lines += table("orma_metrics_functions", ["_".join(path) for path in found])
    lines += table("orma_metrics_fields", found[ROOT])
    known = [row.split("\t")[1] for row in spec if row.startswith("TraceMetrics\t")]
    known += [name for name in absent if name and not name.startswith("#")]
    lines += table("orma_metrics_absent", [name for name in known if name not in found[ROOT]])
    pathlib.Path(sys.argv[1]).write_text("\n".join(lines + [""]))


if __name__ == "__main__":
    main()
