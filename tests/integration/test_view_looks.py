"""How the timeline looks in a real browser: beside pictures of before, and to axe-core. Needs Chromium."""
import os
import pathlib
import unittest

from orma_env import *
from pictures import CELL, coarse, pixels, png
from test_view import HEAP, SCHED, made_json
from view_case import BrowserCase

AXE = pathlib.Path(os.environ.get("ORMA_NODE_MODULES", pathlib.Path(__file__).resolve().parents[1] / "npm/node_modules")) / "axe-core/axe.min.js"

SCENES = pathlib.Path(__file__).resolve().parent / "view_scenes"


class Pictures(BrowserCase):
    """Scenes beside pictures of them that somebody looked at: ORMA_UPDATE=1 makes them anew."""

    def compare(self, name):
        self.browser.wait("orma.settled"), self.browser.frame()
        got = coarse(pixels(self.browser.picture()))
        path = SCENES / f"{name}.png"
        if os.environ.get("ORMA_UPDATE"):
            path.write_bytes(png(got))
        wanted = pixels(path.read_bytes())
        self.assertEqual((len(got), len(got[0])), (len(wanted), len(wanted[0])))
        far = [(x, y) for y, row in enumerate(got) for x, cell in enumerate(row) if max(abs(a - b) for a, b in zip(cell, wanted[y][x])) > 45]
        self.assertLess(len(far), len(got) * len(got[0]) * 0.02, f"{name} looks otherwise at {far[:40]}, in squares of {CELL} pixels")

    def test_slices(self):
        b = self.open_file(self.trace(made_json()))
        b.run("orma.setTheme('light', true)")
        self.compare("slices")
        b.run("const r = orma.trace.rows.find((r) => r && r.lanes); const data = await orma.trace.load(r.n); orma.choose({ row: r.n, kind: 'slice', item: 40, data }, true);"
              "orma.mark('a note'); orma.zoomTo(1e6, 3e6); orma.setTheme('dark', true)")
        self.compare("details")

    def test_states(self):
        text = self.trace(SCHED, "t.txt")
        trace = self.dir / "t.pftrace"
        self.orma("convert", "binary", text, trace)
        b = self.open_file(trace)
        b.run("orma.setTheme('light', true); orma.chooseArea({ from: 1e4, to: 2e4, rows: orma.trace.rows.filter(Boolean).map((r) => r.n) }); await new Promise((r) => setTimeout(r, 400))")
        self.compare("states")

    def test_heaps(self):
        text = self.trace(HEAP, "t.txt")
        trace = self.dir / "t.pftrace"
        self.orma("convert", "binary", text, trace)
        b = self.open_file(trace)
        b.run("orma.setTheme('light', true)"), b.wait("document.querySelectorAll('.flame canvas').length === 2")
        self.compare("heaps")


@unittest.skipUnless(AXE.exists(), "needs axe-core: npm install --prefix tests/npm")
class Accessibility(BrowserCase):
    def check(self, what):
        self.browser.call("Runtime.evaluate", expression=AXE.read_text())
        found = self.browser.run("return (await axe.run(document, { resultTypes: ['violations'] })).violations.map((v) => [v.id, v.nodes.map((n) => n.html.slice(0, 200))])")
        self.assertEqual(found, [], what)

    def test_all_that_can_be_seen(self):
        trace = self.trace(made_json())
        b = self.open_file(trace)
        for theme in ("light", "dark"):
            b.run(f"orma.setTheme('{theme}', true); orma.choose(undefined)"), b.frame()
            self.check(f"timeline, {theme}")
            b.run("const r = orma.trace.rows.find((r) => r && r.lanes); orma.choose({ row: r.n, kind: 'slice', item: 5, data: await orma.trace.load(r.n) }, true)"), b.frame()
            self.check(f"details, {theme}")
            b.run("orma.chooseArea({ from: 0, to: orma.trace.span, rows: orma.trace.rows.filter(Boolean).map((r) => r.n) }); await new Promise((r) => setTimeout(r, 300))")
            self.check(f"figures, {theme}")
            for tab in ("Flame graph", "Log", "SQL", "Trace"):
                b.run(f"orma.panel.show('{tab}'); await new Promise((r) => setTimeout(r, 200))")
                self.check(f"{tab}, {theme}")
            for key, more in (("?", {}), ("k", {"modifiers": 2}), ("n", {})):
                b.run("orma.heads.focus()"), b.key(key, f"Key{key.upper()}", **more), b.frame()
                self.check(f"dialog of {key}, {theme}")
                b.run("document.querySelector('dialog').close()")
        self.nothing_wrong()

    def test_the_report(self):
        out = self.dir / "r.html"
        self.orma("report", self.trace(made_json()), "--html", out)
        self.browser.open(out.as_uri())
        for theme in ("light", "dark"):
            self.browser.run(f"orma.setTheme('{theme}', true)"), self.browser.frame()
            self.check(f"report, {theme}")


del BrowserCase
if __name__ == "__main__":
    unittest.main()
