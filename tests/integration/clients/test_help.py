"""--help, manual pages, completion and `orma help`: every option is in each of them, every topic answers."""
import re
import shutil

from orma_env import *

TOOLS = BUILD / "tools"
COMPAT = BUILD / "compat"
ROOT = pathlib.Path(__file__).resolve().parents[3]
# What is called, and its manual page.
OVERVIEW = subprocess.run([ORMA, "help"], capture_output=True, text=True).stdout
COMMANDS = re.findall(r"^(?:[a-z]+)? +([a-z]+) +[A-Z]", OVERVIEW, re.M)
COMMANDS += re.search(r"^also +(.*)", OVERVIEW, re.M)[1].split()
PROGRAMS = [([ORMA, c], f"orma-{c}") for c in COMMANDS] + \
    [([COMPAT / p], p) for p in ("perfetto", "trigger_perfetto", "tracebox", "traceconv", "cpu_profile", "websocket_bridge")] + \
    [([TRACED], "traced"), ([PROBES], "traced_probes"), ([ROOT / "tools/diff_test"], "orma-diff-test")]
SHELL_PARTS = [[SHELL, "--help-classic"]] + \
    [[SHELL, c, "--help"] for c in re.findall(r"^  ([\w-]+) ", subprocess.run([SHELL], capture_output=True, text=True)
                                              .stdout, re.M)]


def options_of(text):
    """Every option that a --help names at the begin of a line."""
    found = set()
    for line in text.splitlines():
        m = re.match(r" +(-\w)?,? ?(?:[A-Z]+, )?(--[\w-]+)?", line)
        if m:
            found |= {o for o in m.groups() if o}
    return found


class Asking(Case):
    def help_of(self, argv):
        done = self.run_program(*argv)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertEqual(done.stderr, b"")
        return done.stdout.decode()


# Options of which a command takes one.
EXCLUSIVE = """
report: --json --csv --sql --html=x
why: --json --csv --sql
diff: --json --markdown
stats: --brief --all
list: --names --fields
profile: --kernel-frames --user-only
profile report: --tree --bottom-up --callers=f --by=thread
record: --ring --stream
view: --exact --max-size=1mb
query: --all=x --apart
view: --out=x --no-open t
view: --out=x --port=1 t
record: --config=x --ring
record: --config=x --all
heap: --pid=1 --output=x -- true
""".strip().splitlines()


class Help(Asking):
    def test_options_that_exclude_each_other(self):
        for line in EXCLUSIVE:
            command, _, options = line.partition(": ")
            options = options.split()
            pairs = [(a, b) for a in options for b in options if a != b] if all(o.startswith("--") for o in options) else [options]
            for pair in pairs:
                with self.subTest(command, pair=pair):
                    done = self.orma(*command.split(), *pair, code=2)
                    self.assertEqual(done.stdout, b"")
                    self.assertRegex(done.stderr.decode(), r"cannot be combined with|excludes|leave out -o")

    def page(self, name):
        text = (TOOLS / f"{name}.1").read_text()
        return re.sub(r"\\f[BIR]|\\&", "", text).replace("\\-", "-").replace("\\e", "\\")

    def check_page(self, options, name):
        page = self.page(name)
        self.assertTrue(options, name)
        for option in options:
            self.assertRegex(page, rf"(^|[\s,]){option}\b", f"{option} in the manual page {name}")

    def test_every_option_has_its_entry_in_the_manual(self):
        for argv, name in PROGRAMS:
            with self.subTest(name):
                text = self.help_of([*argv, "--help"])
                self.assertIn("sage:", text)
                self.check_page(options_of(text), name)
        for argv in SHELL_PARTS:
            self.check_page(options_of(self.help_of(argv)), "trace_processor_shell")
        self.check_page({"--version", "--help"}, "orma")

    def test_the_version_names_the_commit_where_it_is_known(self):
        said = self.run_program(ORMA, "--version").stdout.decode()
        self.assertRegex(said, r"^orma \d+\.\d+\.\d+( \(commit [0-9a-f]{12}\+?\))?\n$")
        root = pathlib.Path(__file__).resolve().parents[3]
        (self.dir / "tools").mkdir()
        shutil.copy(root / "tools/commit.sh", self.dir / "tools")
        for text, wanted in ("$Format:%H$", ""), ("0123456789abcdef" * 2 + "01234567", "0123456789ab"):
            (self.dir / "tools/commit.txt").write_text(text + "\n")
            self.assertEqual(self.run_program("sh", self.dir / "tools/commit.sh").stdout.decode().strip(), wanted)

    def test_pages_have_all_parts(self):
        for argv, name in PROGRAMS:
            self.assertRegex(self.page(name), rf"(?s)\.TH .*\.SH NAME\n{name} - \S.*\.SH DESCRIPTION\n")
        for name in ("orma-record", "orma-query", "orma-convert", "perfetto", "trace_processor_shell"):
            self.assertIn(".SH EXAMPLES", self.page(name))

    @unittest.skipIf(not shutil.which("groff"), "no groff here")
    def test_pages_are_good_troff(self):
        for path in sorted(TOOLS.glob("*.1")):
            done = self.run_program("groff", "-man", "-Tascii", "-ww", "-z", path)
            self.assertEqual((done.returncode, done.stderr), (0, b""), path.name)

    def test_everything_has_examples(self):
        for argv in [[*argv, "--help"] for argv, _ in PROGRAMS] + SHELL_PARTS:
            self.assertRegex(self.help_of(argv), r"(?im)^examples:\n+ +\S", str(argv))

    def test_examples_of_help_are_of_that_program(self):
        self.assertGreater(len(COMMANDS), 5)
        for argv, name in PROGRAMS[:len(COMMANDS)]:
            text = self.help_of([*argv, "--help"])
            self.assertIn(f"orma {argv[1]}", text.partition("Examples:")[2], name)


class Completion(Asking):
    """The real bash is asked."""

    @classmethod
    def setUpClass(cls):
        if not shutil.which("bash"):
            raise unittest.SkipTest("no bash here")

    def complete(self, *words):
        """What bash would offer behind these words, of which the last one is being typed."""
        quoted = " ".join("'" + str(w) + "'" for w in words)
        done = self.run_program("bash", "-c", f"PATH={TOOLS}:$PATH; source {TOOLS}/orma.bash; COMP_WORDS=({quoted}); "
                                f"COMP_CWORD={len(words) - 1}; _orma; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return set(done.stdout.decode().split())

    def test_every_option_is_offered(self):
        for argv, name in PROGRAMS:
            if name == "orma-diff-test":
                continue  # installed under this name, asked like traced
            with self.subTest(name):
                options = options_of(self.help_of([*argv, "--help"]))
                self.assertEqual(options - self.complete(*argv, "-"), set())
        for argv in SHELL_PARTS:
            options = options_of(self.help_of(argv))
            self.assertEqual(options - self.complete(*argv[:-1], "-"), set())

    def test_words(self):
        self.assertEqual(self.complete("orma", "rec"), {"record", "recompress", "recover"})
        self.assertEqual(self.complete("orma", "record", "sys"), {"syscalls"})
        self.assertEqual(self.complete("orma", "record", "--ti"), {"--time"})
        self.assertEqual(self.complete("orma", "convert", "sy"), {"systrace", "symbolize"})
        self.assertEqual(self.complete("orma", "help", "con"), {"convert", "config"})
        self.assertEqual(self.complete("trace_processor_shell", "inter"), {"interactive"})
        self.assertEqual(self.complete("tp", "quer"), {"query"})

    def test_values(self):
        (self.dir / "cfg.pbtxt").write_text("")
        (self.dir / "sub").mkdir()
        self.assertEqual(self.complete("orma", "record", "-c", "c"), {"cfg.pbtxt"})
        self.assertEqual(self.complete("orma", "record", "--output", "=", "c"), {"cfg.pbtxt"})
        self.assertEqual(self.complete("orma", "query", "--format", "r"), {"rfc4180"})
        self.assertEqual(self.complete("orma", "query", "--format", "="), {"plain", "rfc4180", "json", "tsv", "table"})
        self.assertEqual(self.complete("orma", "convert", "-t", "s"), {"start"})
        self.assertEqual(self.complete("orma", "record", "-t", "s"), set())
        self.assertEqual(self.complete("orma", "query", "c"), {"cfg.pbtxt"})
        self.assertIn("bash", self.complete("orma", "record", "--", "bas"))
        self.assertEqual(self.complete("orma", "help", "exit"), {"exit-codes"})
        self.assertEqual(self.complete("orma", "help", "tables", "thread_s"), {"thread_state"})
        self.assertEqual(self.complete("orma", "metrics", "--run", "trace_st"), {"trace_stats"})
        (self.dir / "offers").mkdir()
        self.assertEqual(self.complete("orma", "report", "--cache", "off"), {"off", "offers"})
        if not have_tracefs():
            self.assertEqual(self.complete("orma", "record", "sched/sched_switc"), {"sched/sched_switch"})
            self.assertIn("sched/sched_waking", self.complete("orma", "help", "events", "sched/"))

    @unittest.skipIf(not shutil.which("fish"), "no fish here")
    def test_fish(self):
        def ask(line):
            done = self.run_program("fish", "--no-config", "-c", f"set PATH {TOOLS} $PATH; source {TOOLS}/orma.fish; "
                                    f"complete -C '{line}'")
            self.assertEqual((done.returncode, done.stderr), (0, b""), line)
            return {l.split("\t")[0] for l in done.stdout.decode().splitlines()}
        self.assertEqual(ask("orma rec"), {"record"})
        self.assertIn("--time", ask("orma record --ti"))
        self.assertIn("latency", ask("orma report late"))
        self.assertIn("rfc4180", ask("orma query --format "))
        self.assertIn("thread_state", ask("orma list tables thread_s"))
        self.assertIn("interactive", ask("trace_processor_shell inter"))

    @unittest.skipIf(not shutil.which("zsh"), "no zsh here")
    def test_zsh(self):
        """By zsh's own completion, in a terminal of its own: the first Tab is the one that loads the function."""
        (self.dir / "functions").mkdir()
        shutil.copy(TOOLS / "_orma", self.dir / "functions")
        for line, whole in (("orma report late", "orma report latency"), ("orma list tables thread_st", "orma list tables thread_state")):
            script = (f"zmodload zsh/zpty; zpty z zsh -f; zpty -w z \"PS1=; PATH={TOOLS}:\\$PATH; unsetopt zle_bracketed_paste; "
                      f"fpath=({self.dir}/functions \\$fpath); autoload -U compinit; compinit -u -D; print REA''DY\"; "
                      "zpty -r -m z x '*READY*'; "
                      f"zpty -w -n z '{line}'$'\\t'; zpty -r -m z x '*{whole}*' && print found")
            done = self.run_program("timeout", str(int(20 * SLOW)), "zsh", "-f", "-c", script)
            self.assertEqual(done.stdout, b"found\n", line)

    def test_every_program_has_it(self):
        text = (TOOLS / "orma.bash").read_text().splitlines()[-1]
        for name in ("orma", "perfetto", "trigger_perfetto", "tracebox", "traceconv", "trace_processor_shell",
                     "trace_processor", "traced", "traced_probes", "orma-diff-test"):
            self.assertIn(f" {name}", text)


class Topics(Case):
    def test_the_overview_fits_a_screen(self):
        lines = OVERVIEW.splitlines()
        self.assertLessEqual(len(lines), 23)  # with the prompt after it
        self.assertLessEqual(max(map(len, lines)), 80)

    def topics(self):
        text = self.orma("help").stdout.decode()
        return text.partition("Help topics: ")[2].partition("\n")[0].split(", ")

    def test_every_topic_and_command(self):
        self.assertEqual(set(self.topics()), {"config", "sources", "presets", "events", "tables", "units", "loss",
                                              "exit-codes"})
        for name in self.topics():
            if name == "events" and have_tracefs():
                continue
            self.assertGreater(len(self.orma("help", name).stdout), 200, name)
        for name in [*COMMANDS, "perfetto", "traceconv"]:
            self.assertIn(b"Usage: ", self.orma("help", name).stdout)

    def test_fields_of_configs(self):
        text = self.orma("help", "config").stdout.decode()
        for word in ("buffers { ... }   (repeated)", "duration_ms: uint32", "write_into_file: true/false"):
            self.assertIn(word, text)
        self.assertIn("ftrace_events:", self.orma("help", "config", "data_sources.config.ftrace_config").stdout.decode())
        self.assertIn("DISCARD", self.orma("help", "config", "buffers.fill_policy").stdout.decode())
        done = self.orma("help", "config", "bufers", code=2)
        self.assertIn(b'did you mean', done.stderr)
        self.assertIn(b"plain value", self.orma("help", "config", "duration_ms.x", code=2).stderr)

    def test_an_example_of_the_topic_is_a_good_config(self):
        text = self.orma("help", "config").stdout.decode()
        example = text[text.index("  buffers"):text.index("  orma record -c")]
        (self.dir / "my.pbtxt").write_text(example)
        self.assertIn(b"sched/sched_switch", self.orma("record", "-c", "my.pbtxt", "--explain").stdout)

    def test_every_table_that_is_named_is_there(self):
        names = re.findall(r"^  (\w+) {2,}[A-Z]", self.orma("help", "tables").stdout.decode(), re.M)
        self.assertGreater(len(names), 20)
        for name in names:
            self.assertGreaterEqual(len(self.orma("help", "tables", name).stdout.splitlines()), 3, name)
        self.assertIn(b"did you mean 'slice'", self.orma("help", "tables", "slcie", code=2).stderr)
        self.assertIn(b"no table", self.orma("help", "tables", "x; DROP TABLE y", code=2).stderr)

    def test_every_source_of_the_probes_is_explained(self):
        text = self.orma("help", "sources").stdout.decode()
        offered = re.findall(r"^(\S+) +(?:yes|no)", self.run_program(PROBES, "--check").stdout.decode(), re.M)
        self.assertGreater(len(offered), 2)
        for name in offered:
            self.assertIn(f"  {name} ", text)
        self.assertNotIn("A data source of the probes", text, "each has a sentence of its own")
        for line in re.findall(r"orma help (config data_sources\S+)", text):
            self.assertGreater(len(self.orma("help", *line.split()).stdout), 20)
        notes = re.findall(r"^  (linux\.\S+|track_event) +orma help", text, re.M)
        self.assertEqual(sorted(set(notes)), sorted(notes), "each is named once")

    def test_every_preset_records(self):
        text = self.orma("help", "presets").stdout.decode()
        for name in re.findall(r"^  (\w+)\*?: ", text, re.M):
            self.orma("record", name, "--explain")

    def test_wrong_words(self):
        for argv, says in [(["tabels"], "did you mean 'tables'"), (["units", "x"], "takes no argument"),
                           (["--man", "xyz"], "no manual page"), (["--completion", "csh"], "bash, zsh or fish"),
                           (["tables", "a", "b"], "unexpected argument")]:
            self.assertIn(says, self.orma("help", *argv, code=2).stderr.decode())


if __name__ == "__main__":
    main()
