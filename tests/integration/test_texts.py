"""Texts that perf, strace and ninja themselves print, in all their forms: as many rows as they say. Programs that are not
installed, or may not record here, are skipped by name."""
import shutil
import subprocess

from orma_env import *

SCRIPT = "for i in 1 2 3 4 5 6 7 8; do (ls / >&2; true); done; wait"


class Texts(Case):
    def tool(self, *argv, **more):
        """What the program prints; skips where it is missing or fails."""
        if not shutil.which(argv[0]):
            self.skipTest(f"{argv[0]} is not installed")
        done = subprocess.run([str(a) for a in argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.dir, timeout=60, **more)
        if done.returncode:
            self.skipTest(f"{argv[0]} fails here: {done.stderr.decode(errors='replace').strip().splitlines()[-1:]}")
        return done

    def numbers(self, name, text, sql):
        path = self.dir / name
        path.write_bytes(text)
        return [int(v) if v.lstrip("-").isdigit() else v for v in self.query(path, sql)[0].values()]

    def perf_data(self, name, *options):
        self.tool("perf", "record", "-q", "-o", name, "-e", "cpu-clock:u", "-c", "100000", *options, "--", "sh", "-c",
                  "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done")
        return self.dir / name

    def samples(self, data, *form):
        text = self.tool("perf", "script", "-i", data, *form).stdout
        return self.numbers("perf.txt", text, "SELECT (SELECT count(*) FROM stack_sample) AS rows, (SELECT max(depth) FROM stack_profile_callsite) AS depth, "
                            "(SELECT count(*) FROM stack_profile_frame WHERE name = '') AS unnamed, (SELECT sum(value) FROM stats "
                            "WHERE name IN ('damaged_places', 'perf_text_importer_sample_no_frames')) AS lost")

    def test_perf_script(self):
        for options, forms in [([], [[], ["-F", "+insn"], ["-F", "+srcline"], ["--ns"], ["-F", "tid,time,event,ip,sym,dso"], ["-F", "+misc"]]),
                               (["-g"], [[], ["-F", "+srcline"], ["--ns"], ["--header"], ["-F", "+period"], ["-G"],
                                         ["--show-task-events", "--show-mmap-events"], ["-F", "comm,pid,tid,time,ip,sym,dso"]])]:
            data = self.perf_data(f"perf{len(options)}.data", *options)
            want = len(self.tool("perf", "script", "-i", data, "-F", "time", "-G").stdout.splitlines())
            self.assertGreater(want, 10)
            deepest = None
            for form in forms:
                with self.subTest(options=options, form=form):
                    rows, depth, unnamed, lost = self.samples(data, *form)
                    self.assertEqual((rows, unnamed, lost), (want, 0, 0))
                    if form != ["-G"]:
                        deepest = deepest or depth
                        self.assertEqual(depth, deepest)

    def calls(self, text, name="strace.txt"):
        return self.numbers(name, text, "SELECT (SELECT count(*) FROM slice) AS rows, (SELECT count(*) FROM slice WHERE dur < 0) AS never, "
                            "(SELECT count(*) FROM thread WHERE tid > 0) AS threads, (SELECT sum(value) FROM stats "
                            "WHERE name IN ('damaged_places', 'strace_missing_pid')) AS lost")

    def test_strace(self):
        for form in [["-ttt", "-T"], ["-tt"], ["-r"], ["-ttt", "-y"], ["-ttt", "-C"], ["-ttt", "-i", "-n"], ["-r", "-ttt"], ["-ttt", "-Y"]]:
            with self.subTest(form=form):
                self.tool("strace", "-f", *form, "-o", "calls.txt", "sh", "-c", SCRIPT)
                text = (self.dir / "calls.txt").read_text()
                began = [line for line in text.splitlines()
                         if "(" in line and " resumed>" not in line and "+++" not in line and "---" not in line and line[0].isdigit()]
                rows, never, threads, lost = self.calls(text.encode())
                self.assertEqual((rows, lost), (len(began), 0))
                self.assertGreater(threads, 8)
                self.assertEqual(never, 0)

    def test_strace_on_a_terminal(self):
        """Pids only while there are several threads, remarks in the middle of lines."""
        text = self.tool("strace", "-f", "-ttt", "sh", "-c", SCRIPT.replace(" >&2", " >/dev/null")).stderr
        rows, never, threads, lost = self.calls(text)
        self.assertEqual((never, lost), (0, 0))
        self.assertGreater(threads, 8)
        self.assertGreater(rows, 100)

    def test_strace_summary(self):
        self.tool("strace", "-c", "-o", "sum.txt", "true")
        done = self.run_program(ORMA, "query", self.dir / "sum.txt", "SELECT 1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("strace -c", done.stderr.decode())

    def test_ninja(self):
        (self.dir / "build.ninja").write_text("rule copy\n  command = cp $in $out && touch $out.d\nbuild a.out | a.out.d: copy build.ninja\n"
                                              "build b.out | b.out.d: copy a.out\n")
        self.tool("ninja")
        names = sorted(row["name"] for row in self.query(self.dir / ".ninja_log", "SELECT name FROM slice"))
        self.assertEqual([sorted(n.split()) for n in names], [["a.out", "a.out.d"], ["b.out", "b.out.d"]])


if __name__ == "__main__":
    main()
