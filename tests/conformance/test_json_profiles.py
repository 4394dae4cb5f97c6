"""Profiles of V8 and speedscope that other programs wrote, against the sums that came with them."""
import collections
import os
import pathlib
import re
import subprocess
import unittest

from shared import require

SAMPLES = require("samples", "formats", "v8").parent
ORMA = pathlib.Path(os.environ.get("ORMA_BUILD", "build")).resolve() / "tools" / "orma"


def folded(path, has_thread):
    done = subprocess.run([ORMA, "convert", "collapsed", path, "-"], capture_output=True, text=True, env={**os.environ, "ORMA_CACHE": "off"})
    ret = collections.Counter()
    for line in done.stdout.splitlines():
        stack, weight = line.rsplit(" ", 1)
        ret[stack.split(";", 1)[1] if has_thread else stack] += int(weight)
    return ret


def expected(path, column, unit):
    """Lines of `(root);name file:1:2;...`, and numbers."""
    ret = collections.Counter()
    for line in path.read_text().splitlines():
        stack, *numbers = line.split("\t")
        names = [re.sub(r" \S+:-?\d+:-?\d+$", "", frame) for frame in stack.split(";")]
        ret[";".join(names[1:] if names[0] == "(root)" and names[1:] else names)] += int(numbers[column]) * unit
    return ret


class JsonProfiles(unittest.TestCase):
    def test_cpu_profile(self):
        path = SAMPLES / "v8" / "main.cpuprofile"
        self.assertEqual(folded(path, True), expected(path.with_name(path.name + ".folded.tsv"), 1, 1000))

    def test_heap_profile(self):
        path = SAMPLES / "v8" / "main.heapprofile"
        self.assertEqual(folded(path, False), expected(path.with_name(path.name + ".folded.tsv"), 0, 1))

    def test_speedscope(self):
        for form in ("sampled", "evented"):
            with self.subTest(form=form):
                self.assertEqual(folded(SAMPLES / "speedscope" / f"{form}.speedscope.json", True),
                                 expected(SAMPLES / "speedscope" / "expected.tsv", 0, 1000))


if __name__ == "__main__":
    unittest.main(verbosity=2)
