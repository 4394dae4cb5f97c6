"""Every config that the real service has recorded with is accepted by our client and our service."""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))
from shared import require, sample

CONFIGS = sorted(require("samples", "traces").glob("*/config*.pbtxt")) + \
    sorted(require("samples", "ipc").glob("*.pbtxt"))

from orma_env import *

PERFETTO = BUILD / "compat/perfetto"


class Configs(Case):
    def test_each_of_them(self):
        self.start_traced()
        self.assertGreater(len(CONFIGS), 40)
        for path in CONFIGS:
            with sample(path.parent.name + "/" + path.name):
                p = self.start(PERFETTO, "-c", path, "--txt", "-o", "t", stderr=subprocess.PIPE)
                self.wait_for("the session", lambda: p.poll() is not None or self.listed())
                p.send_signal(signal.SIGTERM)
                err = p.communicate(timeout=30 * SLOW)[1].decode()
                self.assertEqual(p.returncode, 0, err)
                self.assertNotIn("the service says", err)

    def listed(self):
        done = self.run_program(PERFETTO, "--query")
        return b"SESSIONS: 1," in done.stdout


if __name__ == "__main__":
    main()
