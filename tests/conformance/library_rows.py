#!/usr/bin/env python3
"""Asks the tables and views of the SQL library over real recordings, and compares with what the reference's hold there.

    tests/conformance/library_rows.py SHELL [TRACE...]      names of recordings, or how they begin; all if none is named

Of each object the first rows of the reference are known. Each of them must be a row of ours, as often as there, with the
same columns, but for what library_kept.py names: which rows come first is an order that nobody asked for."""
import collections
import gzip
import json
import os
import sys

import library_kept as kept
from shared import require
from ui_session import Http, Server

SLOW = float(os.environ.get("ORMA_TEST_SLOWNESS", "1"))
MOST, SHOWN = 200000, 20
NOT_COMPARED, NOT_HERE = "not compared", "not here"


def ask(http, item):
    """Our rows: those with the times or keys of theirs, where they have such; else all."""
    columns, where = item["columns"], ""
    if item["object"] == "args":
        at = columns.index("key")
        where = " WHERE key IN (" + ", ".join(sorted({"'" + row[at][1:].replace("'", "''") + "'" for row in item["rows"]})) + ")"
    elif "ts" in columns and item["object"] not in kept.WHOLE:
        at = columns.index("ts")
        times = {row[at] for row in item["rows"]}
        where = " WHERE " + " OR ".join("ts IS NULL" if t is None else f"ts = {t.lstrip('f')}" for t in sorted(times, key=str))
    return http.query(f"SELECT * FROM {item['object']}{where} LIMIT {MOST}")


def problem(http, item):
    """What is wrong with one object, or None; and the rule that was needed, or None."""
    name, columns = item["object"], item["columns"]
    http.query(f"INCLUDE PERFETTO MODULE {item['module']}")
    first = http.query(f"SELECT * FROM {name} LIMIT {len(item['rows'])}")
    if not first.error and first.columns == columns and first.rows == item["rows"]:
        return None, None
    if name in kept.WHOLE:
        rule = kept.WHOLE[name]
        have = ask(http, item)
        theirs, ours = [dict(zip(columns, r)) for r in item["rows"]], [dict(zip(have.columns, r)) for r in have.rows]
        return (None if rule(theirs, ours) else "not as the rule for it says"), rule.__name__
    if name in kept.NOT_HERE:
        return None if first.error else "it is there: the list of those that are not is wrong", NOT_HERE
    if kept.POWER.match(item["module"]):
        return first.error or (first.columns != columns and f"columns {first.columns}, there {columns}") or None, NOT_COMPARED
    have = first if first.error else ask(http, item)
    if have.error or have.columns != columns:
        return have.error or f"columns {have.columns}, there {columns}", None
    rows = collections.Counter(kept.means(name, columns, row) for row in have.rows)
    for row in item["rows"]:
        key = kept.means(name, columns, row)
        if not rows[key] and any(cell is None for c, cell in zip(columns, row) if c in kept.UNKNOWN):
            key = kept.means(name, columns, row, True)
            rows = collections.Counter(kept.means(name, columns, row, True) for row in have.rows)
        if not rows[key]:
            return f"no such row: {row}", None
        rows[key] -= 1
    return None, name if name in kept.LOOSE else "order and numbers"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    traces = collections.defaultdict(list)
    for line in gzip.open(require("samples", "library", "rows.jsonl.gz"), "rt"):
        item = json.loads(line)
        if not sys.argv[2:] or item["trace"].startswith(tuple(sys.argv[2:])):
            item["rows"] = [[f"f{float(c[1:])!r}" if c and c[0] == "f" else c for c in row] for row in item["rows"]]
            traces[item["trace"]].append(item)
    wrong, num, rules = 0, 0, collections.Counter()
    for trace, items in sorted(traces.items()):
        server = Server(sys.argv[1], require("samples", "foreign", "perfetto", trace))
        try:
            http = Http(server.port, 300 * SLOW)
            for item in items:
                num += 1
                said, rule = problem(http, item)
                rules[rule or "none"] += not said
                wrong += bool(said)
                if said and wrong <= SHOWN:
                    print(f"{trace}: {item['module']} {item['object']}: {said[:600]}")
            http.close()
        finally:
            server.close()
    asked, absent = rules.pop(NOT_COMPARED, 0), rules.pop(NOT_HERE, 0)
    print(f"{num - wrong - asked - absent} of {num} alike, {asked} not compared, {absent} not here; by rule: {dict(rules.most_common())}")
    sys.exit(1 if wrong or not num else 0)


if __name__ == "__main__":
    main()
