"""The recipes of docs/recipes/: each is run as it stands, in a folder of its own with the program ./shop and a recording of it.

test_documents.py says how pages are run and what may stand in them.
"""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import test_documents
from orma_env import *

RECIPES = sorted((test_documents.ROOT / "docs/recipes").glob("*.md"))

# (page, what stands there, what is run)
test_documents.INSTEAD[:] = [
    ("", r"(orma record .*)-t \d+s", r"\1-t 300ms"),
    ("", r"(orma profile .*)-d 1s", r"\1-d 300ms"),
    # a second is enough for a reader, not for every busy machine
    ("recording.md", r"sleep 1$", "until orma status | grep -q '^linux.process_stats '; do sleep 0.1; done"),
    ("recording.md", r"sleep 1; trigger_perfetto", "until orma status | grep -q 'of these 1 started'; do sleep 0.1; done; trigger_perfetto"),
]
test_documents.NOT_HERE[:] = [
    ("recording.md", r"^orma record --background", "it goes on after the test", "orma record --help"),
    ("cpu.md", r"^orma profile -a", "others may record the machine meanwhile", "orma profile -o all -- ./shop"),
]


class Recipes(test_documents.Documents):
    made = None  # the program and its recording

    def setUp(self):
        super().setUp()
        self.env["PYTHONPATH"] = str(test_documents.ROOT / "tools/python")
        self.env["PYTHONDONTWRITEBYTECODE"] = "1"
        if not Recipes.made:
            folder = tempfile.mkdtemp(prefix="orma-test-")
            Recipes.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
            self.make(pathlib.Path(folder))
            Recipes.made = pathlib.Path(folder)
        for name in ("shop", "shop.pftrace"):
            (self.work / name).unlink(missing_ok=True)
            shutil.copy(Recipes.made / name, self.work / name)

    def make(self, folder):
        root = test_documents.ROOT
        for argv in (["cc", "-g", "-O1", f"-I{root}/sdk/include", root / "sdk/examples/shop.c", BUILD / "sdk/liborma.a", "-pthread", "-o", "shop"],
                     [ORMA, "record", "-q", "-o", "shop.pftrace", "sched", "syscalls", "disk", "apps", "--", "./shop"]):
            if argv[0] == ORMA and have_tracefs():
                argv = [a for a in argv if a not in ("sched", "syscalls", "disk")]
            done = subprocess.run(list(map(str, argv)), cwd=folder, env=self.env, capture_output=True, text=True, timeout=120 * SLOW)
            self.assertEqual(done.returncode, 0, f"{argv}\n{done.stderr}")

    def recipe(self, page, text):
        self.run_blocks(page, text)


def recipes():
    """(name, page, text) of each recipe: a heading of the second level, and what follows."""
    for page in RECIPES:
        for text in re.split(r"^## ", page.read_text(), flags=re.M)[1:] if page.name != "README.md" else [page.read_text()]:
            title = text.split("\n", 1)[0]
            yield f"{page.stem}_{re.sub(r'[^a-z0-9]+', '_', title.lower())}".strip("_"), page, text


for NAME, PAGE, TEXT in recipes():
    if any(language in ("sh", "python", "") for _, language, *_ in test_documents.blocks_of(TEXT)):
        setattr(Recipes, "test_" + NAME, lambda self, page=PAGE, text=TEXT: self.recipe(page, text))


class Index(unittest.TestCase):
    def test_the_index_has_every_recipe(self):
        index = (test_documents.ROOT / "docs/recipes/README.md").read_text()
        for page in RECIPES:
            for title in re.findall(r"^## (.*)$", page.read_text(), re.M) if page.name != "README.md" else []:
                self.assertIn(f"[{title}]({page.name}#", index)

    def test_there_are_thirty(self):
        self.assertGreaterEqual(sum(1 for _ in recipes()), 30)


if __name__ == "__main__":
    unittest.main(verbosity=2)
