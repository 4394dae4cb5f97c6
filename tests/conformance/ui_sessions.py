#!/usr/bin/env python3
"""Asks our server what a web UI asked its own engine, in one recorded session, and compares the answers.

    tests/conformance/ui_sessions.py SHELL SESSION [WAY...]      WAY: http, websocket; both if none is named

All requests must be answered as they were there, but for what ui_kept.py names. Views and tables that a request makes
are used by later ones: a session is asked from its begin, and each way has a server of its own."""
import collections
import os
import sys

from shared import require
from ui_kept import Numbers, equal
from ui_session import WAYS, Server, requests

SLOW = float(os.environ.get("ORMA_TEST_SLOWNESS", "1"))
SHOWN = 12


def compare(request, have, numbers):
    """What is wrong, "" if nothing is, and the rules that were needed."""
    if request["error"] or have.error:
        return ("" if request["error"] and have.error else f"error {have.error!r}, there {request['error']!r}"), ()
    want = request["rows"] or []
    if have.columns != (request["columns"] or []):
        return f"columns {have.columns}, there {request['columns']}", ()
    same, rules = equal(request["sql"], have.columns, want, have.rows, numbers)
    if same:
        return "", rules
    if len(want) == len(have.rows) and all(r in want for r in have.rows):
        return f"the same rows in another order:\n    here  {have.rows[:3]}\n    there {want[:3]}", ()
    mine, theirs = [r for r in have.rows if r not in want], [r for r in want if r not in have.rows]
    return f"{len(have.rows)} rows, there {len(want)}; such as\n    here  {mine[:1]}\n    there {theirs[:1]}", ()


def replay(shell, name, way, session, trace):
    """The number of requests with another answer."""
    server, wrong, num, rules, numbers = Server(shell, trace), 0, 0, collections.Counter(), Numbers()
    try:
        asker = WAYS[way](server.port, 120 * SLOW)
        for request in requests(session):
            if request["method"] == "TPM_RESTORE_INITIAL_TABLES":
                asker.restore()
                continue
            num += 1
            problem, needed = compare(request, asker.query(numbers.ask(request["sql"])), numbers)
            rules.update(set(needed))
            if problem:
                wrong += 1
                if wrong <= SHOWN:
                    print(f"{name} by {way}, request {num}: {' '.join(request['sql'].split())[:400]}\n  {problem[:2000]}")
        asker.close()
    finally:
        server.close()
    wrong += not num
    print(f"{name} by {way}: {num - wrong} of {num} alike; by rule: {dict(rules)}")
    return wrong


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    shell, name, ways = sys.argv[1], sys.argv[2], sys.argv[3:] or list(WAYS)
    session, trace = require("samples", "ui", f"{name}.session.jsonl.gz"), require("samples", "ui", f"{name}.pftrace")
    sys.exit(1 if sum(replay(shell, name, way, session, trace) for way in ways) else 0)


if __name__ == "__main__":
    main()
