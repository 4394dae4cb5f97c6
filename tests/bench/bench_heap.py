"""What `orma heap` costs the programs that it watches, beside the same programs alone (the floor): medians of alternating runs.

bench_heap.py ORMA LIBRARY LOAD"""
import statistics
import subprocess
import sys
import tempfile

ORMA, LIBRARY, LOAD = sys.argv[1:4]
RUNS = 10


def alone(work):
    return float(subprocess.run([LOAD, str(work)], check=True, capture_output=True).stdout)


def idle(work):
    return float(subprocess.run([LOAD, str(work)], check=True, capture_output=True, env={"LD_PRELOAD": LIBRARY}).stdout)


def watched(work):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([ORMA, "heap", "-o", folder, "--", LOAD, str(work)], check=True, capture_output=True)
    return float(done.stdout.split()[0])


def compare(what, work):
    ways = {"alone": alone, "idle": idle, "watched": watched}
    times = {name: [] for name in ways}
    for _ in range(RUNS):
        for name, way in ways.items():
            times[name].append(way(work))
    floor = statistics.median(times["alone"])
    for name in ways:
        median = statistics.median(times[name])
        print(f"{what:34} {name:8} {median:9.2f} ns  {100 * (median / floor - 1):+6.1f} %   "
              f"(min {min(times[name]):.2f}, max {max(times[name]):.2f})")
    return floor


print(f"{'a round: one malloc, one free':34} {'':8} {'median':>12}  {'to alone':>8}")
pair = compare("nothing but malloc and free", 0)
# How long is a unit of work? Then nine times the pair's time is asked for.
unit = (statistics.median(alone(1000) for _ in range(5)) - pair) / 1000
compare("a tenth of the time in malloc", round(9 * pair / unit))
