"""orma profile report and diff: what samples say, of a trace whose samples are written down."""
import json
import re
import shutil
import struct
import zipfile

from orma_env import *

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def script(stacks, step=0.001):
    """perf script's text: (process, pid, tid, stack from the root, how often)."""
    out, time = [], 1.0
    for comm, pid, tid, stack, times in stacks:
        for _ in range(times):
            out.append(f"{comm} {pid}/{tid} [000] {time:.6f}: 1 cpu-clock: ")
            out += [f"\t{0x1000 + sum(map(ord, f)):x} {f}+0x1 ({'/lib/' + m if m else '/bin/app'})"
                    for f, _, m in (name.partition("@") for name in reversed(stack))]
            out.append("")
            time += step
    return "\n".join(out) + "\n"


def sampled(**times):
    """A trace as text in which each function was sampled so often, once in a millisecond."""
    strings = lambda kind, texts: "".join(f' {kind} {{ iid: {i} str: "{s}" }}' for i, s in enumerate(texts, 1))
    frames = "".join(f" frames {{ iid: {i} function_name_id: {i} mapping_id: 1 rel_pc: {i} }} callstacks {{ iid: {i} frame_ids: {i} }}"
                     for i in range(1, len(times) + 1))
    out = ["packet { trusted_packet_sequence_id: 2 sequence_flags: 1 timestamp: 1 trace_packet_defaults { perf_sample_defaults { timebase {"
           " counter: SW_CPU_CLOCK } } } interned_data {" + strings("mapping_paths", ["app"]) + strings("function_names", times) +
           " mappings { iid: 1 path_string_ids: 1 }" + frames + " } }"]
    stacks = [i for i, num in enumerate(times.values(), 1) for _ in range(num)]
    out += [f"packet {{ trusted_packet_sequence_id: 2 sequence_flags: 2 timestamp: {n * 1000000} perf_sample {{ cpu: 0 pid: 7 tid: 7 "
            f"cpu_mode: MODE_USER timebase_count: {n * 1000000} callstack_iid: {stack} }} }}" for n, stack in enumerate(stacks, 1)]
    return "\n".join(out) + "\n"


STACKS = [("app", 10, 10, ["main", "work", "parse"], 50), ("app", 10, 10, ["main", "work", "write@libc.so"], 20),
          ("app", 10, 11, ["main", "down", "down", "down"], 20), ("second", 20, 20, ["main", "<b>&\";x"], 10)]


class Report(Case):
    def setUp(self):
        super().setUp()
        (self.dir / "a.txt").write_text(script(STACKS))

    def report(self, *argv, **more):
        return self.orma("profile", "report", self.dir / "a.txt", *argv, **more).stdout.decode()

    def rows(self, text):
        """Share and name of each line: the name is the first word that is neither number, unit nor line."""
        ret = {}
        for line in text.splitlines():
            words = [w for w in re.sub(r"[|`\u2500-\u257f-]+", " ", line).split() if not re.fullmatch(r"[\d.]+|%|m?s|µs", w)]
            if re.match(r" *[\d.]+ %", line) and words and words[0] not in ("in", "other", "others"):
                ret[words[0]] = float(line.split("%")[0])
        return ret

    def test_the_hottest(self):
        text = self.report()
        self.assertIn("2 processes, 3 threads", text)
        rows = self.rows(text)
        self.assertEqual((rows["parse"], rows["down"], rows["write"]), (50, 20, 20))
        self.assertRegex(text, r"20\.0 %\s+\S+( m?s)?\s+20\.0 %\s+\S+( m?s)?\s+down", "recursion counts once")
        text = self.report("-n", "1")
        self.assertEqual(self.rows(text), {"parse": 50})
        self.assertIn("50.0 % in 3 other functions", text)

    def test_trees(self):
        text = self.report("--tree", "--ascii", "--min", "0")
        self.assertEqual(list(self.rows(text))[:4], ["main", "work", "parse", "write"])
        self.assertEqual(self.rows(text)["work"], 70)
        text = self.report("--bottom-up", "--ascii")
        self.assertLess(text.index("parse"), text.index("work"))
        text = self.report("--callers", "down", "--ascii")
        self.assertEqual(self.rows(text), {"down": 20, "main": 20})
        told = lambda name: self.orma("profile", "report", self.dir / "a.txt", "--callers", name, code=1).stderr.decode()
        self.assertIn("no function is called 'nobody'; --top 0 lists all", told("nobody"))
        self.assertIn("no function is called 'prase'; did you mean 'parse'?", told("prase"))
        self.assertIn("several functions have 'w' in their names: 'w", told("w"))

    def test_sums_and_choices(self):
        self.assertEqual(self.rows(self.report("--by", "module")), {"app": 80, "libc.so": 20})
        self.assertEqual(self.rows(self.report("--by", "thread"))["second"], 10)
        self.assertEqual(self.rows(self.report("--process", "second")).keys() & {"parse", "down"}, set())
        self.assertEqual(self.rows(self.report("--thread", "11")), {"down": 100})
        self.assertEqual(self.rows(self.report("--from", "0", "--to", "0.0495"))["parse"], 100)
        self.report("--from", "100s", code=1)
        self.assertEqual(self.rows(self.report("--thread", "app 11")), {"down": 100}, "a label as it is printed")
        self.assertIn(b"did you mean 'second'", self.orma("profile", "report", self.dir / "a.txt", "--process", "secnod", code=1).stderr)

    def test_memory_is_of_processes(self):
        for what in ("--thread", "11"), ("--slice", "x"), ("--from", "1s"):
            done = self.orma("profile", "report", self.dir / "a.txt", "--heap", "live", *what, code=1)
            self.assertIn(f"{what[0]} does not apply to --heap", done.stderr.decode())

    def test_collapsed(self):
        for text in self.report("--format", "collapsed"), self.orma("convert", "collapsed", self.dir / "a.txt").stdout.decode():
            lines = set(text.splitlines())
            self.assertLessEqual({"app;main;work;parse 50", "app;main;down;down;down 20"}, lines)
            self.assertTrue(any("<b>&\":x 10" in line for line in lines), "a semicolon is no border")

    def test_speedscope(self):
        data = json.loads(self.report("--format", "speedscope"))
        self.assertEqual(data["$schema"], "https://www.speedscope.app/file-format-schema.json")
        names = [f["name"] for f in data["shared"]["frames"]]
        total = 0
        for profile in data["profiles"]:
            self.assertEqual(len(profile["samples"]), len(profile["weights"]))
            total += sum(profile["weights"])
            for stack in profile["samples"]:
                self.assertIn(names[stack[0]], "main")
        self.assertEqual(total, 100)

    def test_pictures_hold_nothing_that_runs(self):
        svg = self.orma("convert", "flamegraph_svg", self.dir / "a.txt").stdout.decode()
        page = self.orma("convert", "flamegraph", self.dir / "a.txt").stdout.decode()
        import xml.dom.minidom
        titles = [t.firstChild.data for t in xml.dom.minidom.parseString(svg).getElementsByTagName("title")]
        self.assertTrue(any(t.startswith('<b>&";x') for t in titles))
        self.assertNotIn("<b>&", svg)
        self.assertNotIn("<b>&", page)
        self.assertNotRegex(page, r"https?://|src=")
        data = json.loads(re.search(r'<script id="data"[^>]*>(.*?)</script>', page, re.S)[1])
        self.assertEqual(sum(data["parts"][2::3]), 100)

    @unittest.skipIf(not CHROMIUM, "no Chromium")
    def test_the_page_in_a_browser(self):
        page = self.dir / "flame.html"
        self.report("--format", "html", "-o", page)
        done = self.run_program(CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom",
                                f"--user-data-dir={self.dir}/browser", f"file://{page}#search=work")
        dom = done.stdout.decode()
        if not dom:
            self.skipTest("Chromium does not run here")
        self.assertIn("70.0 % in stacks with a match", dom)
        self.assertRegex(dom, r"<td>50\.0 %</td><td>50\.0 %</td><td><button[^>]*>parse</button>")
        self.assertIn("&lt;b&gt;&amp;", dom)

    def test_differences(self):
        more = [(*s[:4], s[4] * 10) for s in STACKS]
        (self.dir / "before.txt").write_text(script(more))
        more[0] = (*more[0][:4], 250)
        more[1] = (*more[1][:4], 450)
        (self.dir / "after.txt").write_text(script(more))
        text = self.orma("profile", "diff", self.dir / "before.txt", self.dir / "after.txt").stdout.decode()
        self.assertRegex(text, r"-250 +500 +250 +-25\.0 pt +share only +parse")
        self.assertRegex(text, r"\+250 +200 +450 +\+25\.0 pt +share only +write")
        self.assertRegex(text, r"unclear +down")
        self.orma("profile", "diff", self.dir / "before.txt", code=2)

    def test_differences_of_time(self):
        """What takes as long as before beside something that grew has another share only."""
        for path, write in (("before", 20), ("after", 200)):
            (self.dir / f"{path}.txt").write_text(sampled(parse=50, write=write))
            self.orma("convert", "binary", f"{path}.txt", path)
        text = self.orma("profile", "diff", "before", "after").stdout.decode()
        self.assertRegex(text, r"\+180\.0 ms \+-29\.1 ms +20\.0 ms +200\.0 ms +\+51\.4 pt +more +write")
        self.assertRegex(text, r"\+0 ns \+-19\.6 ms +50\.0 ms +50\.0 ms +-51\.4 pt +share only +parse")

    def test_limits_of_differences(self):
        for path, write in (("before", 20), ("after", 200)):
            (self.dir / f"{path}.txt").write_text(sampled(parse=50, write=write))
            self.orma("convert", "binary", f"{path}.txt", path)

        def told(*limits, code=0, files=("before", "after")):
            argv = [word for limit in limits for word in ("--fail-on", limit)]
            return self.orma("profile", "diff", *files, *argv, code=code).stderr.decode()

        self.assertEqual(told("+5%:parse"), "")
        self.assertEqual(told("+1000%:write", "-5%:*"), "")
        self.assertIn("function 'write' changed by +900.0% (self time); the limit is +5%:wr*", told("+5%:wr*", code=1))
        self.assertIn("(self time); the limit is -5%:function=write", told("-5%:function=write", code=1, files=("after", "before")))
        self.assertIn("did you mean 'write'?", told("+5%:wirte", code=1))
        self.assertIn("'+10%:parse_*'", told("5%:write", code=2))
        self.assertIn("kinds: function", told("+5%:slice=write", code=2))
        (self.dir / "a.folded").write_text("main;work 90\n")
        (self.dir / "b.folded").write_text("main;work 900\n")
        self.assertIn("was not checked", told("+5%:work", files=("a.folded", "b.folded")))

    def test_a_folder_stands_for_its_trace(self):
        (self.dir / "profile").mkdir()
        (self.dir / "a.txt").rename(self.dir / "profile/raw-trace")
        for argv in (("stats", "profile"), ("report", "profile", "functions"), ("profile", "report", "profile"), ("diff", "profile", "profile"),
                     ("query", "profile", "SELECT count(*) FROM perf_sample"), ("convert", "json", "profile", "a.json"), ("view", "profile", "-o", "a.html")):
            with self.subTest(argv):
                self.orma(*argv)
        (self.dir / "profile/raw-trace").unlink()
        self.assertIn(b"directory", self.orma("stats", "profile", code=1).stderr)

    def test_files_with_sums(self):
        """Collapsed stacks and pprof have no threads and times, but functions, trees, pictures and differences."""
        (self.dir / "a.folded").write_text("main;work;compare 90\nmain;work 10\n")
        (self.dir / "b.folded").write_text("main;work;compare 40\nmain;work 10\n")
        text = self.orma("profile", "report", self.dir / "a.folded").stdout.decode()
        self.assertIn("2 stacks, 100 samples: sums over the whole file", text)
        self.assertEqual(self.rows(text), {"compare": 90, "work": 10})
        self.assertEqual(self.orma("convert", "collapsed", self.dir / "a.folded").stdout, b"main;work 10\nmain;work;compare 90\n")
        self.assertIn(b'"weights":[10,90]', self.orma("convert", "speedscope", self.dir / "a.folded").stdout)
        self.assertIn(b"compare", self.orma("convert", "flamegraph", self.dir / "a.folded").stdout)
        text = self.orma("profile", "diff", self.dir / "a.folded", self.dir / "b.folded").stdout.decode()
        self.assertRegex(text, r"-50 .*compare")
        self.assertNotRegex(text, r"\+-|unclear|\bless\b", "how much of a sum is chance, nothing tells")
        (self.dir / "c.folded").write_text("main;work 10.25\nmain;idle 0.25\n")
        text = self.orma("profile", "report", self.dir / "c.folded").stdout.decode()
        self.assertIn("not shown: 1 stack with a value below 0.5", text)
        self.assertIn("rounded to a whole number: 1 stack\n", text)
        refused = self.orma("profile", "report", self.dir / "a.folded", "--thread", "x", code=1).stderr.decode()
        self.assertIn("has only sums by stack: it has no processes", refused)

    def test_what_python_waits_for(self):
        """Its own functions hardly work themselves: they have a list of their own, by total."""
        lines = [f"main;py::outer;py::inner;c{i} {10 + i}" for i in range(12)] + ["main;py::other;c0 5"]
        (self.dir / "p.folded").write_text("\n".join(lines) + "\n")
        said = self.orma("profile", "report", "-n", "2", self.dir / "p.folded").stdout.decode()
        own = said.split("Python's functions, by total:\n")[1].splitlines()
        self.assertEqual([line.split()[-1] for line in own[:3]], ["py::outer", "py::inner", "py::other"])
        self.assertNotIn("Python's", self.orma("profile", "report", "-n", "0", self.dir / "p.folded").stdout.decode())
        first = self.orma("profile", "report", "--sort", "total", self.dir / "p.folded").stdout.decode().splitlines()
        first = first[1 + next(i for i, line in enumerate(first) if line.endswith("function")):]
        self.assertEqual([line.split()[-1] for line in first[:3]], ["main", "py::outer", "py::inner"])
        self.assertIn(b"expected self or total", self.orma("profile", "report", "--sort", "x", "p.folded", code=2).stderr)

    def perf_data(self, name, event, samples):
        """As perf writes it into a pipe: samples of 250000 of the event, in two functions without names."""
        def record(kind, data):
            return struct.pack("<IHH", kind, 2, 8 + len(data)) + data

        ip_tid_time_cpu_period = 1 | 2 | 4 | 1 << 7 | 1 << 8
        attr = struct.pack("<IIQQQQQ", 1, 112, 0, 4000, ip_tid_time_cpu_period, 0, 1 << 10 | 1 << 18).ljust(112, b"\0")
        (self.dir / name).write_bytes(struct.pack("<8sQ", b"PERFILE2", 16) + record(64, attr + struct.pack("<Q", 9)) +
                                      record(78, struct.pack("<QQ", 2, 9) + event.encode().ljust(16, b"\0")) +
                                      b"".join(record(9, struct.pack("<QIIQIIQ", 0x1000, 40, 40, 1000 + i * 250000, 1, 0, 250000)) for i in range(samples)))
        return self.dir / name

    def test_times_of_perf_data(self):
        """The clocks of the kernel count ns; of other events no time is known, and the answer says so."""
        clock, more = self.perf_data("a.data", "cpu-clock:u", 100), self.perf_data("b.data", "task-clock", 400)
        said = self.orma("profile", "diff", clock, more).stdout.decode()
        self.assertIn("100 samples, one per 250.0 us: 25.0 ms of CPU time", said)
        self.assertRegex(said, r"\+75\.0 ms \+-\d.* 25\.0 ms +100\.0 ms .* more ")
        self.assertNotIn("no times", said)
        cycles = self.perf_data("c.data", "cycles:u", 400)
        said = self.orma("profile", "diff", clock, cycles).stdout.decode()
        self.assertIn("no times: AFTER is sampled by cycles:u, of which no time is known", said)
        self.assertNotIn("BEFORE is", said)
        self.assertRegex(said, r"\+300 .* 100 +400 ")
        self.assertNotIn("CPU time", self.orma("profile", "report", cycles).stdout.decode())

    def test_records_of_perf_that_hold_nothing_are_no_trouble(self):
        trace = pathlib.Path(__file__).resolve().parents[2] / "golden/processor/cases/perf_data/trace.perf"
        skipped = "SELECT count(*) AS n FROM stats WHERE name = 'perf_record_skipped' AND value > 0"
        self.assertIn(b"1", self.orma("query", trace, skipped).stdout.splitlines()[-1])
        self.assertNotIn(b"perf record skipped", self.orma("report", trace, "overview").stdout)

    def test_the_clock_of_perf_data(self):
        """perf's own, which nothing relates to others: no trouble as long as there are none."""
        clock = self.perf_data("a.data", "cpu-clock", 100)
        said = self.orma("stats", clock).stdout.decode()
        self.assertIn("Note: its clock is its own, not related to other clocks", said)
        self.assertIn("Everything that the trace holds could be read", said)
        self.assertNotIn("health issues", said)
        self.assertNotIn("kind of errors", self.orma("stats", "--brief", clock).stdout.decode())
        self.assertNotIn("clock sync", self.orma("report", clock, "overview").stdout.decode())
        self.orma("view", "-o", "a.html", clock)
        page = (self.dir / "a.html").read_text()
        self.assertIn('"problems":[]', page)
        self.assertIn('["clock","its own, not related to other clocks', page)
        with zipfile.ZipFile(self.dir / "two.zip", "w") as two:
            two.write(clock, "a.data")
            two.write(self.perf_data("b.data", "cpu-clock", 50), "b.data")
        said = self.orma("stats", "two.zip").stdout.decode()
        self.assertNotIn("Note: its clock", said)
        self.assertIn("nothing relates to the clock of other files", said)

    def test_traces_without_samples(self):
        (self.dir / "none.json").write_text('[{"ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"name":"n"}]')
        done = self.orma("profile", "report", self.dir / "none.json", code=1)
        self.assertIn(b"no samples with stacks", done.stderr)
        self.env["TMPDIR"] = str(self.dir)
        done = self.orma("profile", "report", code=1)
        self.assertIn(b"no trace given", done.stderr)


if __name__ == "__main__":
    main()
