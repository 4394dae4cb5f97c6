#!/usr/bin/env python3
"""Asks what a web UI asked of its recordings over other ones: of Chrome, Android, GPUs, kernels. Whatever a trace lacks, nothing may
fail that did not fail there, and each answer has the columns that it had.

    tests/conformance/ui_elsewhere.py SHELL [TRACE...]      paths of traces; some of the samples if none is named

Times are moved into the trace, numbers of tracks, slices, threads and processes are taken modulo how many there are, so that most
requests find something."""
import re
import sys

from shared import require
from ui_session import Http, Server, requests

SESSIONS = ("apps", "heap", "prof", "all")
RECORDINGS = ("local__chromium156_system_traced.pftrace", "mcprs__histogram.perfetto-trace", "ms__androidBasicMemory.pftrace",
              "nia__trace.perfetto-trace", "smart__Trace_constructed_gpu-workload_trace.overlay.pftrace", "systing__trace.pb",
              "smart__scrolling_with_blocked_nonblocked_frames.pftrace", "tokio__test_148k.pftrace")
TABLES = {"track_id": "track", "trackid": "track", "utid": "thread", "upid": "process", "slice_id": "slice", "id": "slice"}
TIME, SOME = re.compile(r"\b\d{12,18}\b"), re.compile(r"\b(track_id|trackId|utid|upid|slice_id|id)\b(\s*=\s*|\s+in\s*\()([\d,\s]+)", re.I)
PURE = re.compile(r"(?!.*(?:RUN_METRIC|CREATE|INCLUDE))\s*(?:--.*\n\s*)*(?:select|with)\b", re.I | re.S)
# There, too, what follows flows must name a slice that exists: ours may be another one, or none.
REFUSED = "invalid slice id"


def times_of(session):
    """From the first to the last time that its requests name."""
    found = [int(t) for q in session for t in TIME.findall(q.get("sql") or "")]
    return (min(found), max(found)) if found else (0, 1)


class Moved:
    """Requests of a session, about another trace."""

    def __init__(self, http):
        self.num = {}
        for table in set(TABLES.values()):
            key = {"thread": "utid", "process": "upid"}.get(table, "id")
            self.num[table] = int(http.query(f"SELECT coalesce(max({key}), 0) + 1 FROM {table}").rows[0][0])
        self.begin, self.end = map(int, http.query("SELECT start_ts, end_ts FROM trace_bounds").rows[0])

    def sql(self, text, first, last):
        def time(m):
            part = (int(m.group()) - first) / max(last - first, 1)
            return str(self.begin + int(part * (self.end - self.begin)))

        def numbers(m):
            have = self.num[TABLES[m.group(1).lower()]]
            return m.group(1) + m.group(2) + re.sub(r"\d+", lambda n: str(int(n.group()) % have), m.group(3))
        return SOME.sub(numbers, TIME.sub(time, text))


def drive(shell, trace, sessions):
    """How many requests were sent, and what was wrong with which."""
    server, num, wrong, done = Server(shell, trace), 0, [], set()
    try:
        http = Http(server.port, 300)
        moved = Moved(http)
        for session in sessions:
            http.restore()
            first, last = times_of(session)
            for q in session:
                sql = q.get("sql")
                if q["method"] != "TPM_QUERY_STREAMING" or (sql in done and PURE.match(sql) and "__" not in sql):
                    continue
                done.add(sql)
                have, num = http.query(moved.sql(sql, first, last)), num + 1
                if q["error"] or REFUSED in have.error:
                    continue
                if have.error or have.columns != (q["columns"] or []):
                    wrong.append(f"{' '.join(sql.split())[:400]}\n    {have.error.strip() or have.columns}")
        http.close()
    finally:
        server.close()
    return num, wrong


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sessions = [list(requests(require("samples", "ui", f"{name}.session.jsonl.gz"))) for name in SESSIONS]
    traces = sys.argv[2:] or [require("samples", "foreign", "perfetto", name) for name in RECORDINGS]
    failed = False
    for trace in traces:
        num, wrong = drive(sys.argv[1], trace, sessions)
        print(f"{trace}: {num} requests, {len(wrong)} wrong")
        for line in wrong[:5]:
            print(line)
        failed |= bool(wrong) or not num
    sys.exit(failed)


if __name__ == "__main__":
    main()
