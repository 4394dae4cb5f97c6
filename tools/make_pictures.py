#!/usr/bin/env python3
"""Makes the pictures of README and docs/: a shop whose one slow request waits for a lock, while a backup has the CPU.

    tools/make_pictures.py BUILD_DIR      # writes docs/pictures/; needs Chromium

The trace is made up here, so that a picture shows the same whoever makes it. Look at what came out before it is committed.
"""
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/integration"))
sys.dont_write_bytecode = True
from browser import CHROMIUM, Browser  # noqa: E402

MS = 1000  # times are microseconds
SHOP, BACKUP = 200, 400
IDLE = ("swapper", 0)
WORKERS = [("worker-1", 201), ("worker-2", 202), ("worker-3", 203)]


class Machine:
    """Two CPUs; what happens on them becomes lines of the kernel's text."""

    def __init__(self):
        self.lines, self.on = [], {0: IDLE, 1: IDLE}

    def line(self, at, cpu, who, text):
        group = BACKUP if who[1] == BACKUP else SHOP if who[1] else 0
        self.lines.append((at, len(self.lines), f"{who[0]:>16}-{who[1]:<5} ({group:>5}) [{cpu:03}] d..2 {at / 1e6:.6f}: {text}"))

    def switch(self, at, cpu, to, state="S"):
        who = self.on[cpu]
        left = "R" if who == IDLE else state
        self.line(at, cpu, who, f"sched_switch: prev_comm={who[0]} prev_pid={who[1]} prev_prio=120 prev_state={left} ==> "
                                f"next_comm={to[0]} next_pid={to[1]} next_prio=120")
        self.on[cpu] = to

    def wake(self, at, cpu, by, whom):
        self.line(at, cpu, by, f"sched_waking: comm={whom[0]} pid={whom[1]} prio=120 target_cpu={cpu:03}")

    def begin(self, at, cpu, who, name):
        self.line(at, cpu, who, f"tracing_mark_write: B|{SHOP}|{name}")

    def end(self, at, cpu, who):
        self.line(at, cpu, who, f"tracing_mark_write: E|{SHOP}")

    def text(self):
        return "# tracer: nop\n#\n" + "\n".join(text for _, _, text in sorted(self.lines)) + "\n"


def request(m, rng, at, cpu, who):
    """One that nothing disturbs. When it ended."""
    m.wake(at - 60, cpu, IDLE, who)
    m.switch(at, cpu, who)
    name = rng.choice(["GET /cart", "GET /item", "POST /order"])
    parse, query, render = (rng.randint(200, 500), rng.randint(900, 2200), rng.randint(700, 1900))
    m.begin(at + 20, cpu, who, name)
    for step, length in (("parse", parse), ("query", query), ("render", render)):
        m.begin(at + 30, cpu, who, step)
        if step == "query":  # the database answers
            m.switch(at + 130, cpu, IDLE)
            m.wake(at + length - 80, cpu, IDLE, who)
            m.switch(at + length, cpu, who)
        at += length + 30
        m.end(at, cpu, who)
    m.end(at + 20, cpu, who)
    m.switch(at + 60, cpu, IDLE)
    return at + 60


def shop():
    m, rng, at = Machine(), random.Random(5), {0: 2 * MS, 1: 3 * MS}
    backup = ("backup", BACKUP)
    for cpu, workers in ((0, WORKERS[:1]), (1, WORKERS[1:])):
        while at[cpu] < 40 * MS:
            at[cpu] = request(m, rng, at[cpu], cpu, rng.choice(workers)) + rng.randint(300, 1500)
    # worker-2 takes the lock; the backup gets its CPU; worker-1 wants the lock.
    t = max(at.values()) + MS
    one, two, three = WORKERS
    m.wake(t - 60, 1, IDLE, two), m.switch(t, 1, two)
    m.begin(t + 20, 1, two, "POST /order"), m.begin(t + 300, 1, two, "update stock (locked)")
    m.wake(t + 900, 1, two, backup), m.switch(t + MS, 1, backup, "R")
    m.wake(t + 1900, 0, IDLE, one), m.switch(t + 2 * MS, 0, one)
    m.begin(t + 2020, 0, one, "GET /cart"), m.begin(t + 2050, 0, one, "parse"), m.end(t + 2400, 0, one)
    m.begin(t + 2450, 0, one, "wait for stock"), m.switch(t + 2500, 0, IDLE)
    free = t + 22 * MS
    m.switch(free, 1, two, "S"), m.end(free + 3 * MS, 1, two), m.wake(free + 3020, 1, two, one)
    m.switch(free + 3100, 0, one), m.end(free + 3150, 0, one)
    m.begin(free + 3200, 0, one, "render"), m.end(free + 4400, 0, one), m.end(free + 4420, 0, one)
    m.end(free + 3900, 1, two), m.switch(free + 4 * MS, 1, IDLE), m.switch(free + 4500, 0, IDLE)
    at = {0: free + 6 * MS, 1: free + 5 * MS}
    for cpu, workers in ((0, [one]), (1, [two, three])):
        while at[cpu] < free + 30 * MS:
            at[cpu] = request(m, rng, at[cpu], cpu, rng.choice(workers)) + rng.randint(300, 1500)
    return m.text()


# The profile of docs/tutorial.md, in samples of a millisecond.
STACKS = """clone3;start_thread;work;answer;add_up;find_price 366
clone3;start_thread;work;answer;add_up;rand_r 3
clone3;start_thread;work;answer;print_receipt;malloc;_int_malloc;sysmalloc 26
clone3;start_thread;work;answer;print_receipt;malloc;_int_malloc;sysmalloc;page fault [kernel] 40
clone3;start_thread;work;answer;print_receipt;malloc;_int_malloc;sysmalloc;mprotect;sys_mprotect [kernel] 12
clone3;start_thread;work;answer;print_receipt;memset 22
clone3;start_thread;work;answer;print_receipt;snprintf;vfprintf 11
clone3;start_thread;work;answer;take_from_stock;write_books;write;sys_write [kernel];ext4_file_write_iter [kernel] 44
clone3;start_thread;work;answer;take_from_stock;write_books;fdatasync;sys_fdatasync [kernel] 25
clone3;start_thread;work;answer;take_from_stock;pthread_mutex_lock;futex_wait;sys_futex [kernel] 31
clone3;start_thread;work;usleep;nanosleep;clock_nanosleep;sys_clock_nanosleep [kernel];hrtimer_nanosleep [kernel] 96
_start;main;open;sys_openat [kernel] 6
_start;main 4
"""


def flame(build, folder):
    stacks, page = folder / "shop.folded", folder / "flame.html"
    stacks.write_text(STACKS)
    subprocess.run([build / "tools/orma", "convert", "flamegraph", stacks.name, page.name], check=True, cwd=folder)
    picture = folder / "flame.png"
    subprocess.run([CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1200,470",
                    f"--user-data-dir={folder}/browser", f"--screenshot={picture}", f"file://{page}"], check=True, capture_output=True)
    return picture.read_bytes()


def main(build):
    with tempfile.TemporaryDirectory() as folder:
        picture = flame(build, pathlib.Path(folder))
        out = ROOT / "docs/pictures/flame.png"
        out.write_bytes(picture)
        print(out)
    with tempfile.TemporaryDirectory() as folder:
        trace, page = pathlib.Path(folder) / "shop.txt", pathlib.Path(folder) / "shop.html"
        trace.write_text(shop())
        subprocess.run([build / "tools/orma", "view", trace, "-o", page], check=True)
        browser = Browser(1200, 620)
        try:
            browser.open(f"file://{page}#")
            browser.run("orma.setTheme('light', true); orma.showReport?.(false);"
                        "const r = orma.trace.rows.filter((r) => r && r.lanes);"
                        "for (const row of r) { const data = await orma.trace.load(row.n), s = data.slices; let far = 0;"
                        "  for (let i = 0; i < s.dur.length; i++) if (s.dur[i] > s.dur[far]) far = i;"
                        "  if (s.dur[far] > 2.5e7 && !orma.chosen) { orma.choose({ row: row.n, kind: 'slice', item: far, data }, true);"
                        "    orma.zoomTo(s.start[far] - 2.2e7, s.start[far] + s.dur[far] + 1.6e7); } }")
            browser.wait("orma.settled")
            browser.frame()
            out = ROOT / "docs/pictures/timeline.png"
            out.write_bytes(browser.picture())
            print(out)
        finally:
            browser.close()


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
