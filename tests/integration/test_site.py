"""The site that tools/make_site.py makes: links and anchors lead somewhere, pictures are there, its search finds, and a narrow window
needs no scrolling sideways.

    test_site.py         # ORMA_BUILD is the build folder
"""
import html.parser
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

from browser import CHROMIUM, Browser
from orma_env import *

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Page(html.parser.HTMLParser):
    """Where a page leads, what it has, and the names of its places."""

    def __init__(self, path):
        super().__init__()
        self.links, self.names, self.loads, self.lacks = [], set(), [], []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        has = dict(attrs)
        self.names.update(has[key] for key in ("id", "name") if has.get(key))
        if tag == "a" and has.get("href"):
            self.links.append(has["href"])
        if tag in ("img", "script", "link") and (has.get("src") or has.get("href")):
            self.loads.append(has.get("src") or has.get("href"))
        if tag == "img" and not has.get("alt"):
            self.lacks.append(f"a picture without words: {has.get('src')}")


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not shutil.which("sphinx-build") or not pathlib.Path("/usr/lib/python3/dist-packages/furo").exists():
            raise unittest.SkipTest("needs the packages furo and python3-myst-parser")
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="orma-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.site = cls.folder / "site"
        done = subprocess.run([sys.executable, ROOT / "tools/make_site.py", BUILD, cls.site], capture_output=True, text=True, timeout=280 * SLOW)
        assert done.returncode == 0, done.stdout + done.stderr
        cls.pages = {path: Page(path) for path in cls.site.rglob("*.html") if "_static" not in path.parts}

    def test_links_and_anchors_lead_somewhere(self):
        faults = []
        for path, page in self.pages.items():
            for link in page.links + page.loads:
                url = urllib.parse.urlsplit(link)
                if url.scheme or url.netloc:
                    continue
                target = (path.parent / urllib.parse.unquote(url.path)).resolve() if url.path else path
                if not target.exists():
                    faults.append(f"{path.name}: {link}")
                elif url.fragment and target in self.pages and urllib.parse.unquote(url.fragment) not in self.pages[target].names:
                    faults.append(f"{path.name}: no place {link}")
            faults += [f"{path.name}: {fault}" for fault in page.lacks]
        self.assertEqual(faults, [])

    def test_nothing_comes_from_elsewhere(self):
        for path, page in self.pages.items():
            self.assertEqual([link for link in page.loads if re.match(r"(https?:)?//", link)], [], path.name)

    def test_every_page_is_reached_from_the_first(self):
        reached, todo = set(), [self.site / "index.html"]
        while todo:
            path = todo.pop()
            if path in reached or path not in self.pages:
                continue
            reached.add(path)
            todo += [(path.parent / urllib.parse.urlsplit(link).path).resolve() for link in self.pages[path].links if "://" not in link]
        made = {path for path in self.pages if path.name not in ("search.html", "genindex.html")}
        self.assertEqual({path.name for path in made - reached}, set())

    @unittest.skipUnless(CHROMIUM, "needs Chromium")
    def test_in_a_browser(self):
        browser = Browser(390, 800)
        self.addCleanup(browser.close)
        for path in self.pages:
            browser.go(f"file://{path}")
            wide = browser.run("return document.documentElement.scrollWidth")
            self.assertLessEqual(wide, 400, f"{path.name} is wider than a telephone")
        browser.go(f"file://{self.site}/search.html?q=futex")
        browser.wait("document.querySelectorAll('#search-results li').length > 0")


if __name__ == "__main__":
    unittest.main(verbosity=2)
