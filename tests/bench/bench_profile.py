"""What sampling of stacks costs beside `perf record` of the same loads: CPU time of the recorders alone, bytes of the files, samples,
what was lost; then what the first answer costs (`orma profile report` with its names, `perf report`). Minima and medians of
alternating runs.

bench_profile.py ORMA [RUNS]"""
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ORMA = os.path.abspath(sys.argv[1])
RUNS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
PERF = shutil.which("perf")

# Deep calls in one program; a large program that was built without frame pointers, like its libraries; many short programs.
FIB = "def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(33)"
SHORT = "i=0; while [ $i -lt 1000 ]; do /bin/true; i=$((i+1)); done"


def big_source():
    return "".join(f"int f{i}(int *a, int n) {{ int s = {i}; for (int j = 0; j < n; j++) {{ a[j] += s * j; s ^= a[j] >> {i % 7}; "
                   f"if (s & {i + 1}) s += a[n - j - 1]; }} return s; }}\n" for i in range(400))


def cpu_of(argv, **how):
    child = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **how)
    _, status, used = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{argv} failed: {status}")
    return used.ru_utime + used.ru_stime


def record(recorder, load, folder):
    """CPU seconds of recorder(pid) while the load runs: a shell that waits for a line before it becomes the load."""
    shell = subprocess.Popen(["sh", "-c", 'read go; exec "$@"', "sh", *load], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=folder)
    child = subprocess.Popen(recorder(shell.pid), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    time.sleep(1.5)  # until it has begun
    shell.communicate(b"go\n")
    time.sleep(0.3)
    os.kill(child.pid, signal.SIGINT)  # not reaped yet, even if it ended with the load
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime


def tell(query, trace):
    done = subprocess.run([ORMA, "query", trace, query], check=True, capture_output=True, text=True)
    return int(done.stdout.split()[-1])


def ours(folder, load, graph):
    trace, config = folder / "trace", folder / "config"
    trace.unlink(missing_ok=True)

    def recorder(pid):
        made = subprocess.run([ORMA, "profile", "--print-config", "-p", str(pid), f"--call-graph={graph}"], check=True, capture_output=True)
        config.write_bytes(made.stdout)
        return [ORMA, "record", "-c", config, "-o", trace]

    seconds = record(recorder, load, folder)
    answer = cpu_of([ORMA, "profile", "report", trace])
    lost = tell("SELECT coalesce(sum(value), 0) FROM stats WHERE name = 'perf_cpu_lost_records'", trace)
    return seconds, answer, trace.stat().st_size, tell("SELECT count(*) FROM perf_sample", trace), lost


def perfs(folder, load, graph):
    data = folder / "perf.data"
    seconds = record(lambda pid: [PERF, "record", "-F", "999", "-e", "cpu-clock", "--call-graph", graph, "-o", data, "-p", str(pid)],
                     load, folder)
    answer = cpu_of([PERF, "report", "--stdio", "-i", data])
    stats = subprocess.run([PERF, "report", "-i", data, "--stats"], capture_output=True, text=True).stdout
    count = {name: int((re.search(rf"\b{name} events:\s+(\d+)", stats) or "00")[1]) for name in ("SAMPLE", "LOST_SAMPLES", "LOST")}
    return seconds, answer, data.stat().st_size, count["SAMPLE"], count["LOST_SAMPLES"] + count["LOST"]


def compare(what, load, folder):
    ways = {f"orma {graph}": (lambda graph=graph: ours(folder, load, graph)) for graph in ("dwarf", "fp")}
    if PERF:
        ways |= {f"perf {graph}": (lambda graph=graph: perfs(folder, load, graph)) for graph in ("dwarf", "fp")}
    runs = {name: [] for name in ways}
    for _ in range(RUNS):
        for name, way in ways.items():
            runs[name].append(way())
    for name, tries in runs.items():
        cpu, answer, size, samples, lost = ([t[i] for t in tries] for i in range(5))
        line = (f"{what:20} {name:10} {1e3 * min(cpu):8.1f} {1e3 * statistics.median(cpu):8.1f} {1e3 * min(answer):9.1f} "
                f"{size[0]:>12,} {samples[0]:>8} {max(lost):>6}")
        if PERF and name.startswith("orma"):
            peer = runs[name.replace("orma", "perf")]
            line += (f"   {min(cpu) / min(t[0] for t in peer):5.2f}x {min(answer) / min(t[1] for t in peer):5.2f}x "
                     f"{size[0] / peer[0][2]:6.3f}x")
        print(line, flush=True)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "big.c").write_text(big_source())
    print(f"{'':20} {'':10} {'CPU, ms':>8} {'median':>8} {'answer':>9} {'bytes':>12} {'samples':>8} {'lost':>6}   beside perf: CPU, answer, file")
    compare("python, deep calls", [os.path.realpath(sys.executable), "-S", "-c", FIB], folder)
    compare("a compiler", ["cc", "-O2", "-w", "-c", "-o", "big.o", "big.c"], folder)
    compare("1000 short programs", ["sh", "-c", SHORT], folder)
