#!/usr/bin/env python3
"""What a million rows of five columns cost by each way to them, beside the engine's own iteration.

    tests/bench/bench_reach.py BUILD_DIR [ROWS [RUNS]]

CPU seconds, user and system, of all processes; the least of so many runs, less what the same way takes for no rows. The MB/s are
those of columns: eight bytes a number, and the texts."""
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

BUILD = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None
SQL = "SELECT id, ts, dur, name, depth FROM slice"
NO_ROWS = "SELECT id, ts, dur, name, depth FROM slice WHERE id < 0"
EXTENSION = BUILD / "processor/extension/orma_sqlite.so" if BUILD else None
SYSTEMS = "/usr/bin/python3"
PYTHON = pathlib.Path(__file__).resolve().parents[2] / "tools/python"

INSIDE = """
import sys, time
from orma import TraceProcessor
way, trace, runs, sql = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
tp = TraceProcessor(addr=trace) if way == "http" else TraceProcessor(trace)
def rows():
    for row in tp.query(sql):
        pass
ways = {"http": rows, "rows": rows, "columns": lambda: tp.columns(sql), "numpy": lambda: tp.columns(sql).to_numpy(),
        "pandas": lambda: tp.query(sql).as_pandas_dataframe(), "lists": lambda: {n: c.tolist() for n, c in tp.columns(sql).items()}}
if way in ("given", "copied"):  # of columns that are there
    columns = tp.columns(sql)
    arrays = columns.to_numpy().values()
    ways.update(given=columns.to_numpy, copied=lambda: [a.copy() for a in arrays])
least = 1e9
for _ in range(runs):
    begun = time.process_time()
    ways[way]()
    least = min(least, time.process_time() - begun)
print(least)
"""


IN_SQLITE = """
import sqlite3, sys, time
extension, trace, runs, sql = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
db = sqlite3.connect(":memory:")
db.enable_load_extension(True)
db.load_extension(extension)
db.execute("SELECT orma_open(?)", [trace])
db.execute("CREATE TABLE mine AS " + sql)
least = {}
for _ in range(runs):
    for way in (sql, "SELECT * FROM mine"):
        begun = time.process_time()
        for row in db.execute(way):
            pass
        least[way] = min(least.get(way, 1e9), time.process_time() - begun)
print(*least.values())
"""


def spent(argv):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(a) for a in argv], stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def least(argv, runs):
    return min(spent(argv) for _ in range(runs))


def cpu_of(pid):
    words = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


class Bench:
    def __init__(self, folder, rows, runs):
        self.folder, self.runs = folder, runs
        self.orma = BUILD / "tools/orma"
        self.trace = folder / "t.pftrace"
        subprocess.run([self.orma, "record", "-o", self.trace, "apps", "--", BUILD / "sdk/orma_demo", "--threads", "4",
                        "--iterations", str(int(rows / 16.4) + 1), "--spin", "0"], check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        answer = subprocess.run([self.orma, "query", self.trace, "SELECT count(*), sum(length(name)) FROM slice"], check=True,
                                capture_output=True, text=True).stdout
        self.rows, text = map(int, answer.splitlines()[1].split(","))
        self.megabytes = (self.rows * 4 * 8 + text) / 1e6
        self.floor = None
        print(f"{self.rows} rows, {self.megabytes:.0f} MB of columns")
        print(f"{'':44}{'CPU s':>8}{'x':>8}{'M rows/s':>10}{'MB/s':>7}")

    def show(self, what, seconds, note=""):
        seconds = max(seconds, 1e-4)
        self.floor = self.floor or seconds
        print(f"{what:44}{seconds:8.3f}{seconds / self.floor:8.2f}{self.rows / seconds / 1e6:10.2f}{self.megabytes / seconds:7.0f}  {note}", flush=True)

    def library(self):
        out = subprocess.run([BUILD / "tests/bench/reach_rows", self.trace, str(self.runs), SQL, EXTENSION], check=True, capture_output=True,
                             text=True).stdout
        took = {line.split()[0]: float(line.split()[1]) / 1e3 for line in out.splitlines()}
        self.show("C: step and read all cells (the floor)", took["cells"])
        self.show("C: step", took["step"])
        self.show("C: columns of Arrow, one batch", took["arrow"], f"{took['arrow'] / took['cells']:.2f} x reading and storing cells")
        self.show("C: columns of Arrow, batches of 65536", took["batches"])
        self.show("C: plain copy of five columns", took["copy"])
        self.show("C: SQLite steps, reads a table of its own", took["native"])
        self.show("C: SQLite steps, reads orma_sqlite.so", took["extension"], f"{took['extension'] / took['native']:.2f} x its own table")
        self.extension = took["extension"]

    def command(self, what, argv, none, note=""):
        seconds = least(argv, self.runs) - least(none, self.runs)
        self.show(what, seconds, note)
        return seconds

    def shell(self):
        own = self.command("orma query", [self.orma, "query", self.trace, SQL], [self.orma, "query", self.trace, NO_ROWS])
        if not shutil.which("sqlite3"):
            print("sqlite3 is not installed")
            return
        print(f"stepping through orma_sqlite.so takes {self.extension / own:.2f} x orma query")
        base = ["sqlite3", "-cmd", f".load {EXTENSION}", ":memory:", f"SELECT orma_open('{self.trace}')"]
        made = [*base, f"CREATE TABLE mine AS {SQL}"]
        theirs = self.command("sqlite3: a table of its own", [*made, "SELECT * FROM mine"], made)
        seconds = least([*base, SQL], self.runs) - least([*base, NO_ROWS], self.runs)
        self.show("sqlite3: orma_sqlite.so", seconds, f"{seconds / theirs:.2f} x its own table, {seconds / own:.2f} x orma query")

    def files(self):
        for form in ("parquet", "arrow", "csv", "jsonl"):
            def argv(sql, form=form):
                return [self.orma, "export", "--force", "--to", form, "-o", self.folder / f"out.{form}", self.trace, sql]
            if "--force" not in subprocess.run([self.orma, "export", "--help"], capture_output=True, text=True, check=False).stdout:
                def argv(sql, form=form):
                    return [self.orma, "export", "--to", form, "-o", self.folder / f"out.{form}", self.trace, sql]
            self.command(f"orma export --to {form}", argv(SQL), argv(NO_ROWS))
        one = self.folder / "one"
        one.mkdir()
        shutil.copy(self.trace, one)
        self.command("orma query --all (of one)", [self.orma, "query", "--all", f"{one}/*", SQL], [self.orma, "query", "--all", f"{one}/*", NO_ROWS])

    def inside(self, python, way, trace=None, runs=None):
        done = subprocess.run([python, "-c", INSIDE, way, str(trace or self.trace), str(runs or self.runs), SQL], capture_output=True, text=True,
                              env=dict(os.environ, PYTHONPATH=str(PYTHON)), check=False)
        return float(done.stdout) if not done.returncode else None

    def python(self):
        can = not subprocess.run([SYSTEMS, "-c", "import numpy, pandas"], capture_output=True, check=False).returncode
        python = SYSTEMS if can else sys.executable
        for what, way in [("Python: columns", "columns"), ("Python: columns to NumPy", "numpy"), ("Python: of that, columns to arrays", "given"),
                          ("Python: a plain copy of these arrays", "copied"), ("Python: columns to lists", "lists"),
                          ("Python: pandas", "pandas"), ("Python: rows", "rows")]:
            seconds = self.inside(python, way)
            if seconds is None:
                print(f"{what}: not installed")
            else:
                self.show(what, seconds)
        done = subprocess.run([SYSTEMS, "-c", IN_SQLITE, str(EXTENSION), str(self.trace), str(self.runs), SQL], capture_output=True, text=True, check=False)
        if done.returncode:
            print("Python: sqlite3: this one loads no extensions")
        else:
            theirs, own = map(float, done.stdout.split())
            self.show("Python: sqlite3, a table of its own", own)
            self.show("Python: sqlite3, orma_sqlite.so", theirs, f"{theirs / own:.2f} x its own table")
        server = subprocess.Popen([self.orma, "serve", "--port", "9731", self.trace], stderr=subprocess.DEVNULL)
        try:
            while self.inside(python, "http", "localhost:9731", 1) is None:
                time.sleep(0.1)
            before = cpu_of(server.pid)
            seconds = self.inside(python, "http", "localhost:9731")
            self.show("Python: rows by addr, over HTTP", seconds, f"and {(cpu_of(server.pid) - before) / self.runs:.3f} of the server")
        finally:
            server.terminate()
            server.wait()


def main():
    if not BUILD or not (BUILD / "tools/orma").exists():
        print(__doc__, file=sys.stderr)
        return 2
    rows, runs = (int(a) if len(sys.argv) > i else d for i, a, d in ((2, (sys.argv + [0] * 4)[2], 1000000), (3, (sys.argv + [0] * 4)[3], 5)))
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(ORMA_CACHE=f"{folder}/cache", LD_LIBRARY_PATH=str(BUILD / "processor/library"),
                          ORMA_LIBRARY=str(BUILD / "processor/library/liborma_processor.so.0"))
        bench = Bench(pathlib.Path(folder), rows, runs)
        bench.library()
        bench.shell()
        bench.python()
        bench.files()
    return 0


if __name__ == "__main__":
    sys.exit(main())
