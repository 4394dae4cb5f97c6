#!/usr/bin/env python3
"""Fails on an #include that the layering does not allow.

    tests/lint/layers.py [ROOT]

The table is the architecture: a folder may include what its row names, itself included, and
nothing else of ours. System and library headers are free, but for BANNED.
"""
import pathlib
import re
import sys

import tree

SDK_LOW = ["sdk/base", "sdk/wire"]
SDK_LINK = SDK_LOW + ["sdk/shm", "sdk/ipc"]
SDK_ALL = SDK_LINK + ["sdk/transport", "sdk/events", "sdk/sources", "sdk/recording", "sdk/tracing", "sdk/include"]
SQL_LOW = ["processor/sql/base", "processor/sql/dialect", "processor/store", "processor/threads"] + SDK_LOW
MODEL = ["processor/model", "processor/read", "processor/store", "processor/threads", "protos"] + SDK_LOW
LAYERS = {
    "sdk/base": ["sdk/base"],
    "sdk/wire": ["sdk/wire", "sdk/base"],
    "sdk/shm": ["sdk/shm", "sdk/base"],
    "sdk/ipc": ["sdk/ipc", "sdk/base", "sdk/wire", "protos/fields"],
    "sdk/transport": SDK_LINK + ["sdk/transport", "protos/fields"],
    "sdk/events": SDK_LINK + ["sdk/events", "sdk/transport", "protos/fields"],
    "sdk/sources": SDK_LINK + ["sdk/sources", "sdk/transport", "protos/fields"],
    "sdk/recording": SDK_LINK + ["sdk/recording", "sdk/events", "sdk/sources", "sdk/transport", "protos/fields"],
    "sdk/tracing": SDK_LINK + ["sdk/tracing", "sdk/events", "sdk/sources", "sdk/transport", "protos/fields"],
    "sdk/context": SDK_LOW + ["sdk/context", "sdk/include"],
    "sdk/cabi": SDK_LINK + ["sdk/cabi", "sdk/events", "sdk/transport", "protos/fields"],
    "sdk/include": ["sdk/include"],
    "sdk/examples": ["sdk/include"],
    "sdk/tracefile": ["sdk/tracefile"],
    "sdk/ftrace": ["sdk/ftrace", "protos/fields", "protos/tables"] + SDK_LOW,
    "protos/fields": [],
    "protos/tables": ["protos/tables", "protos"] + SDK_LOW,
    "protos": ["protos"] + SDK_LOW,
    "traced/rescue": ["traced/rescue", "sdk/base"],
    "traced/loop": ["traced/loop"] + SDK_LOW,
    "traced/buffers": ["traced/buffers", "traced/rescue", "sdk/shm", "protos/fields"] + SDK_LOW,
    "traced/output": ["traced/output", "protos"] + SDK_LOW,
    "traced/config": ["traced/config", "protos"] + SDK_LOW,
    "traced/network": ["traced/network", "traced/loop", "sdk/ipc"] + SDK_LOW,
    "traced/producers": ["traced/" + r for r in ("producers", "network", "buffers", "rescue", "loop")]
    + ["protos", "sdk/shm", "sdk/ipc"] + SDK_LOW,
    "traced/sessions": ["traced/" + r for r in ("sessions", "producers", "network", "config", "output", "buffers", "rescue", "loop")]
    + ["protos", "sdk/ipc"] + SDK_LOW,
    "traced/endpoints": ["traced/" + r for r in ("endpoints", "sessions", "producers", "network", "config", "output", "buffers", "rescue", "loop")]
    + ["protos", "sdk/shm", "sdk/ipc"] + SDK_LOW,
    "traced": ["traced", "protos", "sdk/shm", "sdk/ipc"] + SDK_LOW,
    "probes/core": ["probes/core", "protos"] + SDK_LOW,
    "probes/kernel": ["probes/kernel", "protos/fields", "sdk/ftrace"] + SDK_LOW,
    "probes/ftrace": ["probes/ftrace", "sdk/ftrace", "probes/kernel", "probes/core", "probes/unwind", "protos"] + SDK_LOW,
    "probes/unwind": ["probes/unwind", "sdk/base"],
    "probes/python": ["probes/python", "sdk/base"],
    "probes/otel": ["probes/otel"] + SDK_LOW,
    "sdk/heap": ["sdk/heap"],
    "probes/perf": ["probes/perf", "sdk/ftrace", "probes/kernel", "probes/core", "protos", "probes/unwind", "probes/python", "probes/otel"] + SDK_LOW,
    "probes/process": ["probes/process", "probes/core", "protos"] + SDK_LOW,
    "probes/system": ["probes/system", "probes/core", "protos"] + SDK_LOW,
    "probes/inodes": ["probes/inodes", "probes/core", "protos"] + SDK_LOW,
    "probes/journal": ["probes/journal", "probes/core", "protos"] + SDK_LOW,
    "probes": ["probes", "protos", "sdk/ftrace"] + SDK_ALL,
    "processor/threads": ["processor/threads", "sdk/base"],
    "processor/read": ["processor/read", "processor/store", "processor/threads", "protos"] + SDK_LOW,
    "processor/symbols": ["processor/symbols", "protos/fields"] + SDK_LOW,
    "processor/store": ["processor/store", "protos"] + SDK_LOW,
    "processor/cache": ["processor/cache", "processor/read", "processor/store"] + SDK_LOW,
    "processor/model": ["processor/model", "processor/store", "processor/threads", "protos", "protos/fields", "protos/tables"] + SDK_LOW,
    "processor/import/core": ["processor/import/core"] + MODEL,
    "processor/import/kernel": ["processor/import/kernel", "processor/import/core"] + MODEL,
    "processor/import/events": ["processor/import/events", "processor/import/core"] + MODEL,
    "processor/import/profile": ["processor/import/profile", "processor/import/core"] + MODEL,
    "processor/import/linux": ["processor/import/linux", "processor/import/core"] + MODEL,
    "processor/import/trace": ["processor/import/trace", "processor/import/core"] + MODEL,
    "processor/import/android": ["processor/import/android", "processor/import/core"] + MODEL,
    "processor/import/winscope": ["processor/import/winscope", "processor/import/core"] + MODEL,
    "processor/import/formats": ["processor/import/formats", "processor/import/core", "processor/symbols", "sdk/ftrace"] + MODEL,
    "processor/sql/dialect": ["processor/sql/dialect"] + SDK_LOW,
    "processor/sql/base": SQL_LOW,
    "processor/sql/sqlite": ["processor/sql/sqlite"] + SQL_LOW,
    "processor/sql/tables": ["processor/sql/tables"] + SQL_LOW,
    # The stages of the executor: what a statement is, then from its text to its rows.
    "processor/sql/exec/base": ["processor/sql/exec/base", "processor/sql/tables"] + SQL_LOW,
    "processor/sql/exec/parse": ["processor/sql/exec/" + s for s in ("base", "parse")] + SQL_LOW,
    "processor/sql/exec/bind": ["processor/sql/exec/" + s for s in ("base", "parse", "bind")] + ["processor/sql/tables"] + SQL_LOW,
    "processor/sql/exec/plan": ["processor/sql/exec/" + s for s in ("base", "plan")] + ["processor/sql/tables"] + SQL_LOW,
    "processor/sql/exec/run": ["processor/sql/exec/" + s for s in ("base", "plan", "run")] + ["processor/sql/tables"] + SQL_LOW,
    "processor/sql/exec": ["processor/sql/exec", "processor/sql/tables"] + SQL_LOW,
    "processor/sql/functions": ["processor/sql/functions", "processor/symbols", "protos/reflect"] + SQL_LOW,
    "processor/sql/operators": ["processor/sql/operators", "processor/sql/tables"] + SQL_LOW,
    "processor/sql/profiles": ["processor/sql/profiles", "processor/sql/tables", "processor/symbols",
                               "protos/fields"] + SQL_LOW,
    "processor/sql/script": ["protos/reflect/embedded.h", "processor/sql/script", "processor/sql/exec/exec.h", "processor/sql/tables",
                             "processor/sql/sqlite"] + SQL_LOW,
    "processor/sql/inspect": ["protos/reflect/json.h", "processor/sql/inspect", "processor/sql/script", "processor/sql/tables"] + SQL_LOW,
    "processor/sql": ["processor/sql", "processor/symbols", "processor/store"] + SDK_LOW,
    "processor/metrics": ["processor/metrics", "processor/sql", "processor/store", "protos"] + SDK_LOW,
    "processor/api": ["processor/api", "processor/processor.h", "processor/cache", "processor/import/core",
                      "processor/metrics", "processor/sql", "processor/symbols"] + MODEL,
    "processor/include": [],
    "processor/extension": ["processor/extension", "processor/include", "processor/sql/base/aux_terms.h"],
    "processor/columns": ["processor/columns", "processor/api", "processor/processor.h", "processor/sql", "processor/store"] + SDK_LOW,
    "processor/library": ["processor/library", "processor/columns", "processor/include", "processor/api", "processor/metrics",
                          "processor/processor.h"] + MODEL,
    "processor/stacks": ["processor/stacks", "processor/processor.h", "processor/symbols", "processor/sql/dialect/quote.h"] + SDK_LOW,
    "processor/flame": ["processor/flame", "processor/stacks", "processor/processor.h", "protos/reflect"] + SDK_LOW,
    "processor/export": ["processor/export", "processor/columns", "processor/api", "processor/processor.h", "processor/import/core",
                         "processor/metrics", "processor/sql"] + MODEL,
    "processor/view": ["processor/view", "processor/api", "processor/processor.h", "processor/sql", "processor/store",
                       "protos", "protos/reflect"] + SDK_LOW,
    "processor/serve": ["processor/serve", "processor/export", "processor/api", "processor/processor.h",
                        "processor/metrics", "processor/sql"] + MODEL,
    "processor/assembly": ["processor"],
    "processor": ["processor/include", "sdk/base"],
    "tools/base": ["tools/base", "protos"] + SDK_LOW + ["sdk/ipc"],
    "tools/output": ["tools/output", "tools/base"] + SDK_LOW,
    "tools/service": ["tools/service", "tools/base", "traced", "probes", "protos"] + SDK_ALL,
    "tools/relay": ["tools/relay", "tools/service", "tools/base", "traced", "probes", "protos"] + SDK_ALL,
    "tools/load": ["tools/load", "tools/base", "processor", "protos"] + SDK_LOW,
    "tools/follow": ["tools/follow", "tools/service", "tools/load", "tools/base", "processor", "protos"] + SDK_ALL,
    "tools/record": ["tools/record", "tools/output", "tools/relay", "tools/service", "tools/load", "tools/base", "processor", "probes", "protos"] + SDK_ALL,
    "tools/flight": ["tools/flight", "tools/follow", "tools/pieces", "tools/record", "tools/service", "tools/output", "tools/load", "tools/base", "processor", "protos"] + SDK_ALL,
    "tools/doctor": ["tools/doctor", "tools/record", "tools/service", "tools/load", "tools/base", "processor", "probes", "traced", "protos"] + SDK_ALL,
    "tools/top": ["tools/top", "tools/follow", "tools/record", "tools/service", "tools/load", "tools/base", "processor", "probes", "protos"] + SDK_ALL,
    "tools/convert": ["tools/convert", "tools/output", "tools/load", "tools/base", "processor", "protos"] + SDK_LOW,
    "tools/pieces": ["tools/pieces", "tools/output", "tools/load", "tools/base", "processor", "protos"] + SDK_LOW,
    "tools/shell": ["tools/shell", "tools/output", "tools/report", "tools/convert", "tools/load", "tools/base", "processor", "protos"] + SDK_LOW,
    "tools/heap": ["tools/heap", "tools/base", "sdk/heap", "probes", "protos"] + SDK_LOW,
    "tools/many": ["tools/many", "tools/output", "tools/load", "tools/base", "processor"] + SDK_LOW,
    "tools/fleet": ["tools/fleet", "tools/output", "tools/many", "tools/load", "tools/base", "processor"] + SDK_LOW,
    "tools/profile": ["tools/profile", "tools/output", "tools/report", "tools/convert", "tools/record", "tools/service", "tools/load", "tools/base", "processor", "protos"] + SDK_LOW,
    "tools/report": ["tools/report", "tools/output", "tools/load", "tools/base", "processor", "protos"] + SDK_LOW,
    "tools/help": ["tools/help", "tools/record", "tools/base", "processor", "probes", "protos"] + SDK_LOW,
    "tools/clients": ["tools/clients", "tools/output", "tools/record", "tools/service", "tools/base", "processor", "traced", "probes", "protos"] + SDK_ALL,
    "tools": ["tools", "processor", "traced", "probes", "protos", "sdk/heap"] + SDK_ALL,
    "tools/view": ["tools/view", "tools/output", "tools/base", "processor", "protos"] + SDK_LOW,
    "tests/unit/model": ["tests/unit/model", "tests/support", "processor/model", "processor/store", "processor/threads"] + SDK_LOW,
    "tests/unit/import": ["tests/support", "processor/import"] + MODEL,
    "tests": ["tests", "tools", "processor", "traced", "probes", "protos", "sdk/tracefile", "sdk/ftrace", "sdk/heap"] + SDK_ALL,
}
# Public headers are found by -I sdk/include.
PUBLIC = re.compile(r"orma/[a-z_]+\.h$")
# Libraries that must not reach a folder: the SDK lives in other people's processes.
BANNED = {"sdk": re.compile(r"event2?/|protobuf-c|sqlite3|criterion"),
          "processor": re.compile(r"protobuf-c/"),
          "traced": re.compile(r"sqlite3")}
# Files that are copied into other programs find their header beside them.
COPIED = {"sdk/tracefile": "orma_tracefile.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def layer_of(path):
    while path and path not in LAYERS:
        path = path.rpartition("/")[0]
    return path


def check(root, path):
    rel = path.relative_to(root).as_posix()
    layer = layer_of(rel)
    if not layer:
        yield f"{rel}: in no layer of the table"
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        m = INCLUDE.match(line)
        if not m:
            continue
        target = m.group(2)
        for top, banned in BANNED.items():
            if rel.startswith(top + "/") and banned.match(target):
                yield f"{rel}:{number}: {top}/ must not use {target}"
        if m.group(1) != '"' or PUBLIC.match(target):
            continue
        if layer in COPIED and target == COPIED[layer]:
            continue
        if "/" not in target:
            yield f'{rel}:{number}: include "{target}" from the root'
        elif not any(target == ok or target.startswith(ok + "/") for ok in LAYERS[layer]):
            yield f"{rel}:{number}: {layer} must not include {target}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    tops = sorted({name.split("/")[0] for name in LAYERS})
    files = tree.find(root, "*.[ch]", *tops)
    problems = [p for f in files for p in check(root, f)]
    for p in problems:
        print(p)
    if not files:
        sys.exit("no sources found: wrong ROOT?")
    print(f"{len(files)} files, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
