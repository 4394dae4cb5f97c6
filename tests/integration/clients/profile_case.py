"""What the tests of orma profile share: programs made here, profiles of them, stacks by name."""
import collections
import shutil

from orma_env import *

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
ROWS = """
    SELECT p.name AS process, t.name AS thread, p.pid, count(*) AS n, sum(s.unwind_error IS NOT NULL) AS cut
    FROM perf_sample s LEFT JOIN thread t USING (utid) LEFT JOIN process p USING (upid) GROUP BY t.utid"""
CALLSITES = "SELECT c.id, c.parent_id, f.name FROM stack_profile_callsite c JOIN stack_profile_frame f ON f.id = c.frame_id"


def before_or_behind(stack, begin="main"):
    """Whether a stack without `begin` is of the kernel or the loader, as they start or end the program: no stack that was cut.
    On a slow machine that is over 1 % of a short program."""
    return begin not in stack and any(part in frame for frame in stack for part in ("execve", "_dl_start", "do_exit", "do_group_exit"))


def few(samples):
    """1 per cent of them, or what is chance where there are few."""
    return max(0.01 * samples, 8)


class ProfileCase(Case):
    user = ()  # what is put before a command, to run it as somebody else

    def setUp(self):
        super().setUp()
        self.out = self.dir / "out"
        self.out.mkdir()
        self.out.chmod(0o777)
        self.dir.chmod(0o1777)
        self.trace = self.out / "raw-trace"

    def compile(self, source, name, *flags, compiler=COMPILER, suffix=".c"):
        path = self.dir / (name + suffix)
        path.write_text(source)
        subprocess.run([compiler, "-O1", "-g", *flags, "-o", self.dir / name, path, "-pthread"], check=True)
        return self.dir / name

    def profile(self, *argv, code=0):
        done = self.run_program(*self.user, ORMA, "profile", "-o", self.out, *argv)
        if b"perf_event_paranoid" in done.stderr and not self.trace.exists():
            self.skipTest("perf events are not allowed here")
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done

    def rows(self):
        return self.query(self.trace, ROWS)

    def stacks(self):
        """Names of functions, root first, to how many samples."""
        sites = {r["id"]: r for r in self.query(self.trace, CALLSITES)}
        ret = collections.Counter()
        for row in self.query(self.trace, "SELECT callsite_id AS c, count(*) AS n FROM perf_sample WHERE c IS NOT NULL GROUP BY c"):
            stack, at = [], row["c"]
            while at in sites:
                stack.append(sites[at]["name"])
                at = sites[at]["parent_id"]
            ret[tuple(reversed(stack))] += int(row["n"])
        return ret
