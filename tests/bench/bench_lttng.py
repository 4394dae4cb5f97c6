#!/usr/bin/env python3
"""Track events beside those of LTTng-UST, where that is installed: cost, in one run on one machine.

    bench_lttng.py BENCH_SDK LTTNG_EVENTS

Runs a session of LTTng for the second program, and prints how many times cheaper ours are.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROW = re.compile(r"^(.*?)\s{2,}([\d.]+)\s+([\d.]+)", re.M)


def rows(text):
    return {m.group(1): float(m.group(2)) for m in ROW.finditer(text)}


def lttng(*args):
    return subprocess.run(["lttng", "--no-sessiond", *args], capture_output=True, text=True)


def record(program, folder):
    """The program's table, under a session that wants all its events."""
    daemon = None
    if lttng("list").returncode:
        daemon = subprocess.Popen(["lttng-sessiond", "--no-kernel"], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, start_new_session=True)
        for _ in range(100):
            if not lttng("list").returncode:
                break
            time.sleep(0.1)
    name = f"orma-bench-{os.getpid()}"
    try:
        for args in (["create", name, f"--output={folder}"],
                     ["enable-channel", "-u", "--session", name, "--overwrite", "--subbuf-size=1M",
                      "--num-subbuf=4", "bench"],
                     ["enable-event", "-u", "--session", name, "-c", "bench", "orma_bench:*"],
                     ["start", name]):
            done = lttng(*args)
            if done.returncode:
                return f"lttng {args[0]}: {done.stderr.strip() or done.stdout.strip()}"
        env = dict(os.environ, LTTNG_UST_REGISTER_TIMEOUT="-1")
        return subprocess.run([program], capture_output=True, text=True, env=env).stdout
    finally:
        lttng("destroy", "--no-wait", name)
        if daemon:
            daemon.send_signal(signal.SIGTERM)
            daemon.wait()


def main():
    if not shutil.which("lttng") or not shutil.which("lttng-sessiond"):
        print("lttng-tools is not installed: nothing to compare with")
        return
    with tempfile.TemporaryDirectory() as folder:
        text = record(sys.argv[2], pathlib.Path(folder) / "trace")
    print(text)
    theirs = rows(text)
    ours = rows(subprocess.run([sys.argv[1]], capture_output=True, text=True).stdout)
    if "slice, LTTng-UST" not in theirs:
        return
    print(f"{'':40} {'ours':>8} {'LTTng':>8} {'times':>8}")
    for clock in ("TSC", "BOOTTIME"):
        for mine, peer in (("slice", "slice"), ("instant, two integers", "two integers")):
            a, b = ours.get(f"{mine}, {clock}"), theirs[f"{peer}, LTTng-UST"]
            if a:
                print(f"{mine + ', ' + clock:40} {a:8.2f} {b:8.2f} {b / a:8.1f}")


if __name__ == "__main__":
    main()
