"""The fuzzer of traces takes the first byte of each input for the size of its pieces: behind it, its seeds are traces."""
from orma_env import *

SEEDS = pathlib.Path(__file__).resolve().parents[2] / "fuzz/corpus/trace"
NONE = {"bomb", "empty", "html", "unknown"}  # seeds of what is refused


class FuzzSeeds(Case):
    def test_seeds_are_of_a_known_format_behind_their_first_byte(self):
        for path in sorted(SEEDS.iterdir()):
            if path.name in NONE:
                continue
            (self.dir / "seed").write_bytes(path.read_bytes()[1:])
            done = self.run_program(ORMA, "query", "seed", "SELECT 1")
            self.assertNotIn("not a trace", done.stderr.decode(), path.name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
