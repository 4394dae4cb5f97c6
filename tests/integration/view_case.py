"""Tests of the timeline in Chromium."""
import unittest

from browser import CHROMIUM, Browser
from orma_env import SLOW
from test_view import Serving


@unittest.skipUnless(CHROMIUM, "needs Chromium")
class BrowserCase(Serving):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser(slow=SLOW)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def open_file(self, trace, *options):
        self.page(trace, *options)
        self.browser.open((self.dir / "t.html").as_uri())
        return self.browser

    def nothing_wrong(self):
        self.assertEqual(self.browser.problems, [])
        self.assertEqual(self.browser.run("return document.querySelectorAll('.error:not([hidden])').length"), 0)


del Serving  # its tests belong to test_view.py
