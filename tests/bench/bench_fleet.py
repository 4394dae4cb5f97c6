#!/usr/bin/env python3
"""How fast traces come into ClickHouse: orma fleet load beside the server's own limit, which is the same rows from a file.

    bench_fleet.py ORMA [SLICES [TRACES]]

Prints seconds, CPU seconds of the loader and of the server, and slices a second; then a whole day of traces, extrapolated."""
import os
import pathlib
import random
import resource
import shutil
import socket
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration/reach"))
import clickhouse  # noqa: E402
import subprocess  # noqa: E402

ORMA, SLICES, TRACES = sys.argv[1], int((sys.argv + ["500000"] * 3)[2]), int((sys.argv + ["8"] * 4)[3])
TICK = os.sysconf("SC_CLK_TCK")


def write(path, seed):
    """A trace of packets would be read faster; JSON needs no program of ours."""
    chance = random.Random(seed)
    with open(path, "w") as f:
        f.write("[")
        for i in range(SLICES):
            f.write('%s{"ph":"X","ts":%d,"dur":%d,"name":"work %d","cat":"c%d","pid":%d,"tid":%d}' %
                    (",\n" if i else "", i * 10, chance.randrange(1, 9), i % 97, i % 5, 1 + i % 3, 1 + i % 7))
        f.write("]")


def server_cpu(server):
    fields = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def measure(what, server, run, rows=SLICES * TRACES):
    wall, own, theirs = time.time(), sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]), server_cpu(server)
    run()
    wall, own, theirs = time.time() - wall, sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - own, server_cpu(server) - theirs
    print(f"{what:34} {wall:7.2f} s  loader {own:6.2f}  server {theirs:6.2f} CPU s  {rows / wall / 1e6:6.2f} M slices/s")
    return wall


def replay(server, requests):
    def one(request):
        with socket.create_connection(("127.0.0.1", server.http)) as s:
            s.sendall(request)
            answer = b""
            while data := s.recv(65536):
                answer += data
        assert b" 200 OK" in answer[:30], answer
    threads = [threading.Thread(target=one, args=(r,)) for r in requests]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def main():
    if clickhouse.WHY_NOT:
        print("skipped:", clickhouse.WHY_NOT)
        return 77
    with tempfile.TemporaryDirectory() as root:
        root = pathlib.Path(root)
        server, = clickhouse.servers(root / "server", 1)
        try:
            for i in range(TRACES):
                write(root / f"t{i}.json", i)
            to, env = f"clickhouse://127.0.0.1:{server.http}", dict(os.environ, ORMA_CACHE="off", no_proxy="*")
            fleet = lambda *args: subprocess.run([ORMA, "fleet", *args], check=True, env=env, cwd=root, stderr=subprocess.DEVNULL)
            fleet("init", "--to", to)
            server.ask("SYSTEM STOP MERGES")  # they are measured alone
            load = measure("orma fleet load", server, lambda: fleet("load", "--to", to, *[f"t{i}.json" for i in range(TRACES)]))
            # What was sent, again: recorded on the way, then given to the server from memory.
            way = clickhouse.Way(server.http)
            way.verdict = lambda head: "keep" if "INSERT INTO orma.slice_rows" in head else None
            fleet("load", "--again", "--to", f"clickhouse://127.0.0.1:{way.port}", *[f"t{i}.json" for i in range(TRACES)])
            way.close()
            sent = server.number("SELECT count() FROM orma.slice_rows") - SLICES * TRACES
            server.ask("TRUNCATE TABLE orma.slice_rows")
            server.ask("TRUNCATE TABLE orma.trace_rows")
            limit = measure("the same requests from a file", server, lambda: replay(server, way.kept["orma.slice_rows"]))
            assert server.number("SELECT count() FROM orma.slice_rows") == sent == SLICES * TRACES, "requests were sent again: the machine is too busy"
            fleet("load", "--again", "--to", to, *[f"t{i}.json" for i in range(TRACES)])
            print(f"load / limit: {load / limit:.2f}; 100,000 traces of {SLICES:,} slices take {100_000 * load / TRACES / 3600:.1f} h here")
            rows = server.number("SELECT count() FROM orma.slice_rows")
            server.ask("SYSTEM START MERGES")
            measure("later: all parts become one", server, lambda: server.ask("OPTIMIZE TABLE orma.slice_rows FINAL"), rows)
            parts = server.ask("SELECT sum(bytes) / sum(rows) FROM system.parts WHERE active AND database = 'orma' AND table = 'slice_rows'")
            print(f"bytes on disk for a slice: {float(parts[0][0]):.1f}; a trace: {float(parts[0][0]) * SLICES / 1e6:.1f} MB")
            for sql in ("SELECT quantile(0.99)(dur) FROM orma.slice WHERE name = 'work 7'", "SELECT * FROM orma.slice_times WHERE name = 'work 7'",
                        "SELECT name, sum(dur) FROM orma.slice GROUP BY name"):
                begin = time.time()
                server.ask(sql)
                print(f"{time.time() - begin:7.3f} s  {sql}")
            shutil.rmtree(root / "lake", ignore_errors=True)
            measure("orma fleet export (Parquet)", server, lambda: fleet("export", "--to", "lake", *[f"t{i}.json" for i in range(TRACES)]))
        finally:
            server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
