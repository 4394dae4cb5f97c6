#!/usr/bin/env python3
"""What the timeline costs a browser: times to the page, to the first picture and to the trace, of a first opening and of a second one that takes
what was packed from the cache; frames while it is moved, memory, of the server's page and of a file.

    tests/bench/bench_view.py ORMA DEMO [MILLIONS OF SLICES ...] [--trace FILE]

Makes recordings of the demo with so many slices, serves each with `orma view`, and opens it in Chromium without a window, which
draws with the CPU. All rows are open. Memory is what the page's process has of its own (RssAnon)."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))
from browser import CHROMIUM, Browser  # noqa: E402

MOVE = """
const times = [], step = (view) => new Promise((r) => { view(); requestAnimationFrame((t) => { times.push(t); r() }) });
const { from, nsPerPx } = orma.view;
"""
MOVES = {
    "pan, whole trace": "orma.zoomAll(); for (let i = 0; i < 90; i++) await step(() => orma.setView(-(i % 45) * 4 * orma.view.nsPerPx, orma.view.nsPerPx, false));",
    "pan, 1/100 of it": "orma.zoomTo(orma.trace.span * .3, orma.trace.span * .31); for (let i = 0; i < 90; i++) await step(() => "
                        "orma.setView(orma.view.from + 20 * orma.view.nsPerPx, orma.view.nsPerPx, false));",
    "zoom in": "orma.zoomAll(); for (let i = 0; i < 90; i++) await step(() => orma.zoomAt(500, .88));",
    "zoom out": "for (let i = 0; i < 90; i++) await step(() => orma.zoomAt(500, 1 / .88));",
}


def own_memory(pid):
    with open(f"/proc/{pid}/status") as f:
        return int(next(line for line in f if line.startswith("RssAnon")).split()[1]) >> 10


def page_process(browser):
    """The busiest child that draws pages."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if b"--type=renderer" in command and browser.home.encode() in command or b"--type=renderer" in command and parent_is(pid, browser.process.pid):
            found.append(int(pid))
    return max(found, key=own_memory)


def parent_is(pid, wanted):
    for _ in range(4):
        try:
            pid = next(line for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("PPid")).split()[1]
        except (OSError, StopIteration):
            return False
        if int(pid) == wanted:
            return True
    return False


def quantile(values, q):
    return sorted(values)[min(len(values) - 1, int(q * len(values)))]


def opened(browser, url):
    """Opens a page and waits until nothing is to be drawn better; when what was there, in ms after the click."""
    browser.open(url)
    browser.run("while (!orma.settled) await new Promise((r) => requestAnimationFrame(r))")
    return browser.run("return ['orma-page-there', 'orma-trace-there', 'orma-first-picture', 'orma-whole-picture']"
                       ".map((mark) => performance.getEntriesByName(mark)[0].startTime)")


def move(browser):
    for what, script in MOVES.items():
        times = browser.run(f"{MOVE}{script} return times")
        each = [b - a for a, b in zip(times, times[1:])]
        print(f"  {what:20} {1000 * len(each) / sum(each):12.1f} frames/s; p95 {quantile(each, .95):.0f} ms, worst {max(each):.0f} ms")


def serve(orma, trace, cache):
    begin = time.monotonic()
    server = subprocess.Popen([orma, "view", "--no-open", f"--cache={cache}", trace], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return server, server.stdout.readline().strip(), time.monotonic() - begin


def tell_opening(browser, url, link):
    page, there, first, whole = opened(browser, url)
    print(f"  the link is there after  {link:8.2f} s")
    print(f"  first picture            {first - page:8.0f} ms after the page is there, {first:.0f} ms after the click")
    print(f"  the trace itself         {there - page:8.0f} ms after the page, all rows of it {whole - there:.0f} ms later")


def measure(orma, trace, cache):
    browser = Browser(slow=5)  # packing takes longer than a page may elsewhere
    base = own_memory(page_process(browser))
    server, url, link = serve(orma, trace, cache)
    try:
        tell_opening(browser, url, link)
        move(browser)
        print(f"  memory of the page       {own_memory(page_process(browser)) - base:8} MiB")
        browser.run("orma.zoomAll(); await new Promise((r) => setTimeout(r, 300))")
        begin = time.monotonic()
        browser.run("const c = orma; c.chooseArea({ from: c.trace.span * .2, to: c.trace.span * .4, "
                    "rows: c.trace.rows.filter(Boolean).map((r) => r.n) })")
        browser.wait("document.querySelector('.content table')", 120)
        print(f"  figures of a fifth       {time.monotonic() - begin:8.2f} s")
        print(f"  memory of the page       {own_memory(page_process(browser)) - base:8} MiB, of the server {own_memory(server.pid)} MiB")
    finally:
        browser.close()
        server.send_signal(signal.SIGINT)
        server.wait()


def measure_second(orma, trace, cache):
    until = time.monotonic() + 30
    while len(os.listdir(cache)) < 2 and time.monotonic() < until:  # copies of the first server write the image and what it packed
        time.sleep(0.1)
    browser = Browser(slow=5)
    server, url, link = serve(orma, trace, cache)
    try:
        print("  the second time:")
        tell_opening(browser, url, link)
    finally:
        browser.close()
        server.send_signal(signal.SIGINT)
        server.wait()


def measure_file(path):
    browser = Browser(slow=5)  # packing takes longer than a page may elsewhere
    try:
        base = own_memory(page_process(browser))
        _, there, first, whole = opened(browser, path.as_uri())
        print(f"  first picture of it      {first:8.0f} ms after the click, all rows {whole:.0f} ms")
        move(browser)
        print(f"  memory of its page       {own_memory(page_process(browser)) - base:8} MiB")
    finally:
        browser.close()


def main():
    args, traces = sys.argv[1:], []
    while "--trace" in args:
        at = args.index("--trace")
        traces.append(args[at + 1])
        del args[at:at + 2]
    orma, demo, *millions = args
    if not CHROMIUM:
        print("left out: Chromium is not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        for n in [float(m) for m in millions] or ([] if traces else [1, 10]):
            trace = f"{folder}/{n:g}M.pftrace"
            subprocess.run([orma, "record", "apps", "-b", "64mb", "-o", trace, "--", demo, "--threads", "8", "--spin", "500",
                            "--iterations", str(int(n * 30488))], check=True, capture_output=True)
            traces.append(trace)
        for trace in traces:
            print(f"{pathlib.Path(trace).name}, {os.stat(trace).st_size >> 20} MiB")
            cache = tempfile.mkdtemp(dir=folder)
            measure(orma, trace, cache)
            measure_second(orma, trace, cache)
            begin = time.monotonic()
            subprocess.run([orma, "view", trace, "-o", f"{folder}/t.html"], check=True, capture_output=True)
            print(f"  one file                 {os.stat(f'{folder}/t.html').st_size / 1e6:8.1f} MB, written in {time.monotonic() - begin:.1f} s")
            measure_file(pathlib.Path(folder) / "t.html")


if __name__ == "__main__":
    main()
