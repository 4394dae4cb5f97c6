"""orma profile of programs that others run: of Python it names the functions that they spend their time in, by their own measure;
of node and Java it says what to do, and names them when that was done."""
import json
import shutil
import sys

from profile_case import *

NODE = shutil.which("node")
JAVA, JAVAC = shutil.which("java"), shutil.which("javac")
JAVASCRIPT = """
function slowOne(n) { let t = 0; for (let i = 0; i < n; i++) t = (t + i * i) % 1000003; return t; }
let sum = 0; while (process.cpuUsage().user < 700000) sum += slowOne(100000);
"""
JAVA_SOURCE = """
public class Loop {
    static long slowOne(int n) { long t = 0; for (int i = 0; i < n; i++) t = (t + (long) i * i) % 1000003; return t; }
    public static void main(String[] args) { long sum = 0; for (int i = 0; i < 1500; i++) sum += slowOne(100000); System.out.println(sum); }
}
"""

# What each program begins with: measured(f, ...) adds the CPU time of a call to what is told of f at the end.
MEASURING = """
import json, sys, threading, time
told = {}
lock = threading.Lock()
def measured(function, *args, name=None):
    begun = time.thread_time()
    ret = function(*args)
    took = time.thread_time() - begun
    with lock:
        name = name or function.__qualname__
        told[name] = told.get(name, 0) + took
    return ret
def tell():
    with open(sys.argv[1], "w") as out:
        json.dump(told, out)
def rounds(seconds=0.5):
    while time.thread_time() < seconds:
        yield
def burn(n):
    total = 0
    for i in range(n):
        total += i * i
    return total
"""

# What each of them does; the functions that are measured share the time as they please.
PROGRAMS = {
    "loops": """
def slow():
    total = 0
    for i in range(9000):
        total ^= i * 7
    return total
def quick():
    total = 0
    for i in range(2000):
        total ^= i * 7
    return total
for _ in rounds():
    measured(slow); measured(quick)
""",
    "recursion": """
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
def flat(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a
for _ in rounds():
    measured(fib, 14); measured(flat, 200)
""",
    "deep recursion": """
sys.setrecursionlimit(2000)
def down(n):
    return down(n - 1) + 1 if n else burn(3000)
def shallow():
    return burn(1200)
for _ in rounds():
    measured(down, 900); measured(shallow)
""",
    "generators": """
def numbers(n):
    for i in range(n):
        yield i * i
def squares(n):
    return sum(numbers(n))
def delegating(n):
    def inner():
        yield from numbers(n)
    return sum(inner())
for _ in rounds():
    measured(squares, 8000); measured(delegating, 2000)
""",
    "comprehensions": """
def rows(n):
    return [[i * j for j in range(30)] for i in range(n)]
def table(n):
    return {i: i % 7 for i in range(n)}
for _ in rounds():
    measured(rows, 120); measured(table, 1500)
""",
    "asyncio": """
import asyncio
def answer(n):
    return burn(n)
def log(n):
    return burn(n)
async def handle(n):
    await asyncio.sleep(0)
    measured(answer, n)
    await asyncio.sleep(0)
    measured(log, n // 4)
async def main():
    for _ in rounds():
        await asyncio.gather(*(handle(4000) for _ in range(4)))
asyncio.run(main())
""",
    "threads": """
def encode(n):
    return burn(n)
def compress(n):
    return burn(n) ^ 1
def work():
    for _ in rounds(0.25):
        measured(encode, 9000); measured(compress, 3000)
threads = [threading.Thread(target=work) for _ in range(3)]
for t in threads: t.start()
for t in threads: t.join()
""",
    "classes": """
class Base:
    def __init__(self, n):
        self.n = n
    def run(self):
        return burn(self.n)
class Account(Base):
    def run(self):
        return super().run() + 1
class Ledger(Base):
    @property
    def sum(self):
        return burn(self.n)
    @staticmethod
    def close():
        return burn(1500)
    def report(self):
        return self.sum + Ledger.close()
account, ledger = Account(1500), Ledger(5000)
for _ in rounds():
    measured(account.run); measured(ledger.report)
""",
    "sorting with a key": """
def key(x):
    total = 0
    for i in range(20):
        total += x ^ i
    return total
def arrange():
    return sorted(range(300), key=key)
def plain():
    return [sorted(range(300, 0, -1)) for _ in range(40)]
for _ in rounds():
    measured(arrange); measured(plain)
""",
    "regular expressions": """
import re
word = re.compile(r"([a-z]+) ([a-z]+)")
text = "the quick brown fox jumps over the lazy dog " * 40
def swap(m):
    return m.group(2) + " " + m.group(1)
def rewrite():
    return word.sub(swap, text)
def search():
    return re.search(r"(x+x+)+y", "x" * 13)
for _ in rounds():
    measured(rewrite); measured(search)
""",
    "json": """
class Point:
    def __init__(self, x):
        self.x = x
def plain(p):
    return {"x": p.x, "y": [p.x + i for i in range(10)]}
points = [Point(i) for i in range(100)]
text = json.dumps([plain(p) for p in points])
def write():
    return json.dumps(points, default=plain)
def read():
    return json.loads(text)
for _ in rounds():
    measured(write); measured(read)
""",
    "numpy": """
import numpy
square = numpy.arange(160 * 160, dtype=float).reshape(160, 160)
def multiply():
    return numpy.dot(square, square).sum()
def apply():
    return numpy.vectorize(lambda x: x * 2 + 1)(square[:6])
for _ in rounds(1):
    measured(multiply); measured(apply)
""",
    "code that is made": """
space = {"burn": burn}
exec(compile('''
def made(n):
    total = 0
    for i in range(n):
        total += i % 3
    return total
def made_too(n):
    return burn(n)
''', "<made here>", "exec"), space)
for _ in rounds():
    measured(space["made"], 7000); measured(space["made_too"], 1500)
""",
    "closures": """
def counter(step):
    total = 0
    def count(n):
        nonlocal total
        for i in range(n):
            total += step
        return total
    return count
by_one = counter(1)
def once(n):
    return counter(2)(n)
for _ in rounds():
    measured(by_one, 9000); measured(once, 2500)
""",
    "decorators": """
import functools
def twice(function):
    @functools.wraps(function)
    def wrapper(*args):
        function(*args)
        return function(*args)
    return wrapper
@twice
def hash_it(n):
    return burn(n)
@functools.lru_cache(maxsize=1)
def cached(n):
    return burn(3000) + n
def ask(i):
    return cached(i)
for i, _ in enumerate(rounds()):
    measured(hash_it, 4000); measured(ask, i)
""",
    "exceptions": """
def fail(n):
    if n:
        fail(n - 1)
    raise KeyError(n)
def recover():
    for _ in range(30):
        try:
            fail(8)
        except KeyError:
            pass
def careful():
    for i in range(900):
        try:
            i += 1
        finally:
            i -= 1
for _ in rounds():
    measured(recover); measured(careful)
""",
    "keys of one's own": """
class Key:
    def __init__(self, n):
        self.n = n
    def __hash__(self):
        return self.n & 15
    def __eq__(self, other):
        return self.n == other.n
def fill():
    return {Key(i): i for i in range(120)}
def copy():
    return dict(zip(range(6000), range(6000)))
for _ in rounds():
    measured(fill); measured(copy)
""",
    "map, filter, lambda": """
from itertools import accumulate
def chain():
    return list(filter(lambda x: x % 3, map(lambda x: x * x + 1, range(3000))))
def sums():
    return list(accumulate(range(1500), lambda a, b: a + b))
for _ in rounds():
    measured(chain); measured(sums)
""",
    "contexts": """
from contextlib import contextmanager
@contextmanager
def transaction(n):
    burn(n)
    yield
    burn(n)
def commit():
    for _ in range(20):
        with transaction(150):
            pass
class Guard:
    def __enter__(self):
        return burn(60)
    def __exit__(self, *what):
        return False
def guarded():
    for _ in range(25):
        with Guard():
            pass
for _ in rounds():
    measured(commit); measured(guarded)
""",
    "children": """
import os
def child_work():
    return burn(9000)
def parent_work():
    return burn(9000)
pid = os.fork()
for _ in rounds(0.2 if pid else 0.5):
    measured(parent_work if pid else child_work)
if not pid:
    tell()
    os._exit(0)
os.waitpid(pid, 0)
told.update(json.load(open(sys.argv[1])))
""",
    "words of all the world": """
def übung(n):
    return burn(n)
def 計算(n):
    return burn(n)
for _ in rounds():
    measured(übung, 2000); measured(計算, 8000)
""",
    "a module": """
import textwrap, difflib
text = "\\n".join("line %d of a text that is compared with another" % (i % 40) for i in range(60))
other = text.replace("7", "8")
def compare():
    return list(difflib.unified_diff(text.split("\\n"), other.split("\\n")))
def wrap():
    return textwrap.fill(text, 50)
for _ in rounds():
    measured(compare); measured(wrap)
""",
}
READABLE = "import sys; sys.exit((3, 11) > sys.version_info or sys.version_info >= (3, 14))"


def pythons():
    """The system's, and the one that runs this test, if they are not the same: as far as they can be read."""
    found = {pathlib.Path(p).resolve(): p for p in ("/usr/bin/python3", sys.executable) if pathlib.Path(p).exists()}
    return [p for p in found.values() if subprocess.run([p, "-c", READABLE], check=False).returncode == 0]


PYTHONS = pythons()
FRAMES = """
    SELECT f.name, m.name AS file, y.source_file AS source, y.line_number AS line FROM stack_profile_frame f JOIN stack_profile_mapping m ON m.id = f.mapping
    JOIN stack_profile_symbol y USING (symbol_set_id) WHERE y.line_number > 0"""


@unittest.skipIf(not PYTHONS, "no Python from 3.11 to 3.13 is installed")
@unittest.skipIf(os.uname().machine != "x86_64", "its interpreter is found on x86-64")
class Python(ProfileCase):
    def run_program_of(self, body, python=None):
        program = self.dir / "app.py"
        program.write_text(MEASURING + body + "tell()\n")
        for old in self.out.iterdir():
            old.unlink()
        done = self.profile("--", python or PYTHONS[0], program, self.dir / "told")
        return json.loads((self.dir / "told").read_text()), self.stacks(), done

    def judge(self, body):
        """None, or what is wrong with the profile."""
        told, stacks, _ = self.run_program_of(body)
        seen = {name: sum(n for s, n in stacks.items() if name in s) for name in told}
        slow = max(told, key=told.get)
        if max(seen, key=seen.get) != slow:
            return f"{slow} is the slow one: {told}, {seen}"
        share, measured = seen[slow] / max(1, sum(seen.values())), told[slow] / sum(told.values())
        return None if abs(share - measured) < 0.1 else f"{slow}: {share:.2f} of the samples, {measured:.2f} of the time: {told}, {seen}"

    def test_names_the_slow_function(self):
        programs = dict(PROGRAMS)
        if subprocess.run([PYTHONS[0], "-c", "import numpy"], capture_output=True).returncode:
            del programs["numpy"]
        wrong = {}
        for name, body in programs.items():
            what = self.judge(body)
            if what:
                wrong[name] = what
        self.assertGreaterEqual(len(programs), 20)
        self.assertLessEqual(len(wrong), len(programs) // 20, wrong)

    def test_functions_stand_between_native_frames(self):
        for python in PYTHONS:
            _, stacks, _ = self.run_program_of(PROGRAMS["sorting with a key"], python)
            called = [s for s in stacks if "key" in s and s[0] != "[truncated]"]
            self.assertTrue(called, python)
            for stack in called:
                names = ("<module>", "measured", "arrange", "key")
                self.assertEqual([name for name in names if name not in stack], [], stack)
                at = [stack.index(name) for name in names]
                self.assertEqual(at, sorted(at), stack)
                self.assertEqual(at[1], at[0] + 1, "Python calls Python in one frame of C")
                self.assertGreater(at[3] - at[2], 1, "sorted() is C, and calls back")
                self.assertNotIn("_PyEval_EvalFrameDefault", stack, "all of it or nothing")

    def test_lines_and_files(self):
        program = MEASURING + PROGRAMS["loops"]
        self.run_program_of(PROGRAMS["loops"])
        rows = self.query(self.trace, FRAMES)
        lines = {i + 1: line for i, line in enumerate(program.split("\n"))}
        slow = [r for r in rows if r["name"] == "slow"]
        self.assertTrue(slow)
        begun = next(i for i, line in lines.items() if line == "def slow():")
        for row in slow:
            self.assertEqual(pathlib.Path(row["source"]).name, "app.py", row)
            self.assertTrue(begun <= int(row["line"]) <= begun + 4, (row, begun))
        self.assertTrue(any("total ^= i * 7" in lines[int(r["line"])] for r in slow), "the line of the loop")

    def test_says_how_many_stacks_had_changed(self):
        """Functions so short that nobody is in time for all of them: what is not shown is said, what is shown is true."""
        _, stacks, done = self.run_program_of("""
def leaf(): return 1
def middle(): return leaf() + leaf()
def top(): return middle() + middle()
for _ in rounds():
    measured(top)
""")
        for stack, n in stacks.items():
            python = [f for f in stack if f in ("top", "middle", "leaf")]
            self.assertIn(python, ([], ["top"], ["top", "middle"], ["top", "middle", "leaf"]), stack)
        if any("_PyEval_EvalFrameDefault" in s for s in stacks):
            self.assertIn(b"lack Python functions", done.stderr)
            self.assertIn(b"in Python, but without Python functions: ", done.stdout, "a trace says it, too")


class Generated(ProfileCase):
    """Names of generated code are written down by who generates it, when asked."""

    def check(self, hint, plain, asked):
        done = self.profile("--", *plain)
        if not any("[unknown]" in s for s in self.collapsed()):
            self.skipTest("it generated no code")
        self.assertEqual(done.stderr.decode().count(hint), 1, done.stderr)
        for path in self.out.iterdir():
            path.unlink()
        done = self.profile("--", *asked)
        self.assertNotIn(hint.encode(), done.stderr)
        # Files of names have no names for what was thrown away; but most of the time is the function's.
        stacks = self.collapsed()
        named = sum(n for s, n in stacks.items() if any("slowOne" in frame for frame in s))
        self.assertGreater(named, 0.3 * sum(stacks.values()))

    def collapsed(self):
        ret = collections.Counter()
        for line in self.orma("profile", "report", "--format", "collapsed", self.out).stdout.decode().splitlines():
            stack, num = line.rsplit(" ", 1)
            ret[tuple(stack.split(";"))] += int(num)
        return ret

    @unittest.skipIf(not NODE, "no node")
    def test_node(self):
        program = self.dir / "loop.js"
        program.write_text(JAVASCRIPT)
        self.check("node --perf-basic-prof-only-functions", [NODE, program], [NODE, "--perf-basic-prof-only-functions", program])

    @unittest.skipIf(not JAVA or not JAVAC, "no JDK")
    def test_java(self):
        flags = "-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit"
        if self.run_program(JAVA, *flags, "-version").returncode:
            self.skipTest("it is older than JDK 17")
        (self.dir / "Loop.java").write_text(JAVA_SOURCE)
        subprocess.run([JAVAC, "-d", self.dir, self.dir / "Loop.java"], check=True)
        self.check(" ".join(flags), [JAVA, "-cp", self.dir, "Loop"], [JAVA, *flags, "-cp", self.dir, "Loop"])


if __name__ == "__main__":
    main()
