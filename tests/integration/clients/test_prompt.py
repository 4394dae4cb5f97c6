"""The prompt of `orma query`, driven in tmux: keys go in, whole screens come out. The screens that are expected stand in
prompt_screens.txt; `test_prompt.py --update` writes them anew, the diff is reviewed."""
import contextlib
import re
import shutil
import sqlite3
import sys

from orma_env import *

SCREENS = pathlib.Path(__file__).with_name("prompt_screens.txt")
UPDATE = "--update" in sys.argv
TRACE = """
packet { trusted_packet_sequence_id: 3 sequence_flags: 1 timestamp: 0 trace_packet_defaults { timestamp_clock_id: 6 } }
packet { trusted_packet_sequence_id: 3 timestamp: 1 track_descriptor { uuid: 1 thread { pid: 5 tid: 6 thread_name: "main" } } }
packet { trusted_packet_sequence_id: 3 timestamp: 100 track_event { type: TYPE_SLICE_BEGIN track_uuid: 1 name: "request" } }
packet { trusted_packet_sequence_id: 3 timestamp: 140 track_event { type: TYPE_SLICE_END track_uuid: 1 } }
packet { trusted_packet_sequence_id: 3 timestamp: 160 track_event { type: TYPE_SLICE_BEGIN track_uuid: 1 name: "資料を読む" } }
packet { trusted_packet_sequence_id: 3 timestamp: 170 track_event { type: TYPE_SLICE_END track_uuid: 1 } }
"""


def wanted_screens():
    if not SCREENS.exists():
        return {}
    parts = re.split(r"^==== (.*)\n", SCREENS.read_text(), flags=re.M)[1:]
    return dict(zip(parts[::2], (p.rstrip("\n") for p in parts[1::2])))


@unittest.skipIf(not shutil.which("tmux"), "no tmux here")
class Screens(Case):
    """Each test has a terminal of 80 by 24."""
    seen = {}

    def setUp(self):
        super().setUp()
        (self.dir / "t.txt").write_text(TRACE)
        self.orma("convert", "binary", "t.txt", "t.pftrace")
        self.env.update(HOME=str(self.dir), LC_ALL="C.UTF-8", TERM="xterm", TMUX="", SHELL="/bin/sh", NO_COLOR="1")
        self.begin()

    def begin(self, columns=80):
        self.socket = self.dir / f"tmux{'NO_COLOR' in self.env}{columns}.sock"
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", "24", "-c", str(self.dir),
                  f"trap : INT; {ORMA} query t.pftrace; echo exit code $?; sleep 1000")
        self.addCleanup(self.tmux, "kill-server", check=False)
        self.until("orma> ")

    def begin_in_colours(self):
        self.tmux("kill-server")
        del self.env["NO_COLOR"]
        self.begin()

    def tmux(self, *argv, check=True):
        done = self.run_program("tmux", "-S", self.socket, *argv)
        if check:
            self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode()

    def screen(self):
        return self.tmux("capture-pane", "-p").rstrip("\n")

    def until(self, text, last=True):
        """Waits until the screen's last line (or any) begins with this."""
        end = time.monotonic() + 30 * SLOW
        while time.monotonic() < end:
            lines = self.screen().splitlines() or [""]
            if lines[-1].startswith(text.rstrip()) if last else text in "\n".join(lines):
                return
            time.sleep(0.03)
        self.fail(f"no {text!r} in\n{self.screen()}")

    def type(self, *keys):
        for k in keys:
            if k in ("Enter", "Tab", "Up", "C-c", "C-d", "C-r", "C-a", "C-k", "C-l", "Left", "Delete", "BSpace", "q"):
                self.tmux("send-keys", k)
            else:
                self.tmux("send-keys", "-l", k[:-1] + "\\;" if k.endswith(";") else k)  # a last ';' would be tmux's

    def line(self, text, wait="orma> "):
        """A line, and what it leads to: a prompt with nothing behind it."""
        self.type(text, "Enter")
        end = time.monotonic() + 30 * SLOW
        while time.monotonic() < end:
            lines = self.screen().splitlines()
            if len(lines) > 1 and lines[-1].rstrip() == wait.rstrip() and any(text[:60] in l for l in lines[:-1]):
                return
            time.sleep(0.03)
        self.fail(f"no prompt behind {text!r}:\n{self.screen()}")

    def settle(self):
        """Waits until nothing changes: until all that was typed is there."""
        before, same, end = "", 0, time.monotonic() + 30 * SLOW
        while same < 4 and time.monotonic() < end:
            time.sleep(0.05 * SLOW)
            now = self.tmux("capture-pane", "-p", "-e")
            before, same = now, same + 1 if now == before else 0

    def give_up(self):
        """Ctrl-C, which also drops what the terminal has not handed on yet."""
        self.type("C-c")
        end = time.monotonic() + 30 * SLOW
        while (self.screen().splitlines() or [""])[-1].rstrip() != "orma>" and time.monotonic() < end:
            time.sleep(0.03)
        time.sleep(0.1)

    def check(self, name, colours=False):
        """With colours, {32} is where colour 32 begins."""
        got = self.screen() if not colours else self.tmux("capture-pane", "-p", "-e").rstrip("\n")
        got = re.sub(r"^time: .*", "time: T", re.sub("\x1b\\[([0-9;]*)m", r"{\1}", got), flags=re.M)
        Screens.seen[name] = got
        if not UPDATE:
            self.assertEqual(got, wanted_screens().get(name), name)

    def test_rows_of_all_statements_in_columns_of_their_width(self):
        self.line("SELECT name, dur, NULL AS none", " ...>")
        self.line("FROM slice; SELECT 'a text; with a semicolon' AS t;")
        self.check("statements")

    def test_an_empty_line_ends_a_statement(self):
        self.line("SELECT count(*) AS n -- no ; here", " ...>")
        self.type("Enter")
        self.until("orma> ")
        self.check("empty line")

    def test_modes(self):
        for mode in ("box", "line", "markdown", "csv", "json"):
            self.line(f".mode {mode}")
            self.line("SELECT name, dur FROM slice;")
        self.check("modes")

    def test_rows_wider_than_the_terminal(self):
        self.line(".timer off")
        self.line("SELECT * FROM slice LIMIT 1;")
        self.check("wide: a line for each column")
        self.line("\\x off")
        self.line("SELECT name, dur, 'a text that is too wide for the terminal, which has no more than 80 columns' AS t FROM slice;")
        self.line("\\x")
        self.line("SELECT 'a' || char(10) || 'b' || char(27) AS lines, NULL AS none, x'00' AS bytes;")
        self.line("\\x auto")
        self.line("SELECT 5 AS five;")
        self.line("\\x wide")
        self.check("wide: chosen")

    def test_a_narrow_terminal(self):
        self.tmux("kill-server")
        self.begin(columns=40)
        self.line(".timer off")
        self.type("SELECT id, ts, dur, name AS name_of_more_than_30_columns FROM slice;", "Enter")
        self.until("30_columns = 資", last=False)
        self.line(".report slowest --top 1")
        self.check("narrow")

    def test_help_fits_the_terminal(self):
        self.type(".help", "Enter")
        self.until("end, as Ctrl-D does", last=False)
        self.settle()
        self.check("help")
        self.assertLessEqual(max(map(len, self.screen().splitlines())), 79)

    def test_report_why_open_and_export(self):
        case = (pathlib.Path(__file__).parents[2] / "golden/answers/cases/report.case").read_text()
        (self.dir / "k.txt").write_text(case.partition("#! trace t.pftrace\n")[2].partition("\n#! ")[0])
        self.orma("convert", "binary", "k.txt", "k.pftrace")
        (self.dir / "folder").mkdir()
        os.mkfifo(self.dir / "pipe")
        self.line(".timer off")
        self.line(".why request")
        self.line(".open folder")
        self.line(".open nothing.pftrace")
        self.line("SELECT count(*) AS still_the_first FROM slice;")
        self.line(".open k.pftrace")
        self.line(".report latency irqs")
        self.check("report")
        self.type(".why request", "Enter")
        self.until(":")
        self.check("why")
        self.type("q")
        self.until("orma> ")
        self.type("C-l")
        self.line(".why reqest")
        self.line(".report everything")
        self.line(".report slowest --top 1 --thread 'work*'")
        self.line(".report --tpo 1")
        self.line(".why --top 3")
        self.line(".why --thread worker cpus")
        self.line(".why no such name")
        self.check("options")
        self.type("C-l")
        self.line(".export pipe")
        self.line(".export folder")
        self.line(".export nowhere/all.db")
        self.line(".export all.db")
        self.check("export")
        with contextlib.closing(sqlite3.connect(self.dir / "all.db")) as db:
            self.assertEqual(db.execute("SELECT count(*) FROM slice WHERE name = 'request'").fetchall(), [(2,)])
        self.assertTrue((self.dir / "pipe").is_fifo())
        self.assertEqual([p.name for p in self.dir.glob("*.part*")], [])

    def test_a_file_of_sql_up_to_its_mistake(self):
        (self.dir / "q.sql").write_text("SELECT 1 AS one;\n-- a comment; with a semicolon\nSELECT nmae\nFROM slice;\nSELECT 3 AS three;\n")
        self.line(".timer off")
        self.line(".read q.sql")
        self.line(".read nothing.sql")
        self.line("SELECT 1 AS one; SELECT nmae FROM slice; SELECT 3 AS three;")
        self.check("up to the mistake")

    def test_mistakes(self):
        self.line("SELECT nmae FROM slice;")
        self.line("SELECT * FROM slcie;")
        self.line("SELECT coutn(*) FROM slice;")
        self.line("INCLUDE PERFETTO MODULE orma.shced;")
        self.line(".tabels")
        self.line(".mode boxes")
        self.line(".schema slcie")
        self.line(".report slwoest")
        self.check("mistakes")

    def test_colours(self):
        self.begin_in_colours()
        self.type("SELECT count(*), 'a text that", "Enter")
        self.until(" ...>")
        self.type("goes on' AS \"from\", 1.5 -- 資料を読む")
        self.until(" ...> goes on' AS \"from\", 1.5 -- 資料を読む")
        self.settle()
        self.check("colours of lines", colours=True)
        self.give_up()
        self.type("SELECT name, dur, ts AS begin FROM slice WHERE name GLOB '資料*' AND dur > 15 ORDER BY dur LIMIT 10;")
        self.settle()
        self.type(*["Left"] * 40, "OR 1 ")  # in the middle of a line of two rows
        self.settle()
        self.check("colours of a long line", colours=True)
        self.type("C-a", *["Delete"] * 7)
        self.settle()
        self.check("colours of what is left", colours=True)
        self.type("C-k", ".schema slice")
        self.settle()
        self.check("colours of a command", colours=True)

    def test_a_line_with_colours_is_the_same_line(self):
        line = "SELECT '資料を読む' AS t, count(*) FROM slice WHERE name GLOB '*' AND 資料 = 0 OR dur > 12.5 -- end"
        screens = []
        for colours in (False, True):
            if colours:
                self.begin_in_colours()
            self.type(line, *["Left"] * 70, "x", "BSpace", "y", "C-a", "(")
            self.settle()
            screens.append((self.screen(), self.tmux("display-message", "-p", "#{cursor_x} #{cursor_y}")))
        self.assertEqual(screens[0], screens[1])

    def test_completion(self):
        self.line(".timer off")
        self.type("SELECT count(*) FROM thread_st", "Tab")
        self.until("orma> SELECT count(*) FROM thread_state")
        self.give_up()
        self.type("SELECT * FROM slice WHERE name = 're", "Tab")
        self.until("orma> SELECT * FROM slice WHERE name = 'request")
        self.give_up()
        self.type("INCLUDE PERFETTO MODULE orma.sy", "Tab")
        self.until("orma> INCLUDE PERFETTO MODULE orma.syscalls")
        self.give_up()
        self.type("SELECT s.categ FROM slice s", *["Left"] * 13, "Tab")
        self.until("orma> SELECT s.category FROM slice s")
        self.give_up()
        for typed, whole in (("SELECT n.tid, s.durat", None), ("SELECT thread_d", "SELECT thread_dur"),
                             ("SELECT * FROM thread AS t JOIN slice s WHERE t.is_i", "SELECT * FROM thread AS t JOIN slice s WHERE t.is_idle"),
                             ("SELECT * FROM thread AS t JOIN slice s WHERE t.dep", None),
                             ("SELECT * FROM thread WHERE name = 'ma", "SELECT * FROM thread WHERE name = 'main"),
                             (".why re", ".why request"), (".timer of", ".timer off"), (".open t.p", ".open t.pftrace"),
                             (".report slow", ".report slowest"), (".schema thread_st", ".schema thread_state")):
            self.type(typed, "Tab")
            self.settle()
            self.assertEqual(self.screen().splitlines()[-1], "orma> " + (whole or typed))
            self.give_up()
        self.type("C-l", ".mo", "Tab", "Tab")
        self.until(".mode", last=False)
        self.check("completion")

    def test_history_and_search(self):
        self.line(".timer off")
        self.line("SELECT 111 AS first;")
        self.line("SELECT 222 AS second;")
        self.type("C-r", "111")
        self.until("bck:111", last=False)
        self.type("Enter")
        self.until("orma> ")
        self.check("search")
        self.type("C-d")
        self.until("exit code 0")
        history = (self.dir / ".local/state/orma/history").read_text().splitlines()
        self.assertEqual(history[:3], [".timer off", "SELECT 111 AS first;", "SELECT 222 AS second;"])

    def test_ctrl_c_gives_up_a_line_and_ends_a_query_at_once(self):
        self.line("SELECT something", " ...>")
        self.give_up()
        self.type("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r;", "Enter")
        time.sleep(0.5)
        start = time.monotonic()
        self.type("C-c")
        self.until("interrupted", last=False)
        self.assertLess(time.monotonic() - start, 1.0 * SLOW)
        self.until("orma> ")
        self.type("C-r", "SEL")
        self.until("bck:", last=False)
        self.give_up()
        self.line("SELECT 5 AS five;")
        self.type("C-d")
        self.until("exit code 0")

    def interrupt(self, line, begun=lambda: time.sleep(0.5 * SLOW)):
        """Of something that has no end: the prompt says so, and answers."""
        self.type("C-l", line, "Enter")
        begun()
        self.type("C-c")
        self.until("interrupted", last=False)
        self.until("orma> ")
        self.type("C-l")
        self.line("SELECT count(*) AS still_there FROM thread;")
        self.assertNotIn("interrupted", self.screen())

    def test_ctrl_c_ends_whatever_has_no_end(self):
        self.line(".timer off")
        endless = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT "
        self.line("INCLUDE PERFETTO MODULE orma.slices; INCLUDE PERFETTO MODULE orma.why;")
        self.line(f"CREATE OR REPLACE PERFETTO VIEW orma_slice AS {endless} i AS id, i AS ts, 1 AS dur, 1 AS self_dur, 'n' AS name, "
                  "NULL AS category, 1 AS ended, NULL AS utid, NULL AS upid FROM r;")
        self.interrupt(".report slices")
        self.interrupt(".report")
        self.line("CREATE OR REPLACE PERFETTO MACRO orma_why_path(intervals TableOrSubquery) RETURNS TableOrSubquery AS "
                  f"({endless} i AS id FROM r);")
        self.interrupt(".why request")
        (self.dir / "q.sql").write_text(f"SELECT 1 AS one; {endless} count(*) FROM r; SELECT 3 AS three;")
        self.interrupt(".read q.sql")
        self.interrupt(f"{endless} count(*) FROM r; SELECT 'the next of the line';")
        self.interrupt(f"CREATE PERFETTO TABLE t AS {endless} i FROM r;")
        self.interrupt(f"SELECT count(DISTINCT a.i + b.i) FROM ({endless} i FROM r LIMIT 100000) AS a JOIN ({endless} i FROM r LIMIT 100000) AS b;")

    def test_ctrl_c_ends_a_load_and_an_export(self):
        self.line(".timer off")
        os.mkfifo(self.dir / "pipe")
        pipe = os.open(self.dir / "pipe", os.O_RDWR)  # whoever reads from it waits
        self.addCleanup(os.close, pipe)
        os.write(pipe, b'[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"first"},\n')
        self.interrupt(".open pipe")
        with open(self.dir / "large.json", "w") as f:
            f.write("[")
            f.writelines('{"ph":"X","pid":1,"tid":%d,"ts":%d,"dur":3,"name":"n%d","args":{"a":%d}},\n' % (i % 7, i * 5, i % 50, i) for i in range(600000))
            f.write("{}]")
        self.line(".open large.json")
        self.interrupt(".export all.db", lambda: self.wait_for(self.writes_a_file))
        self.assertEqual(list(self.dir.glob("all.db*")), [])

    def writes_a_file(self):
        """One without a name, in our folder."""
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):  # it ends meanwhile, or closes the file
                if any(self.is_new_file(fd) for fd in (process / "fd").iterdir()):
                    return True
        return False

    def is_new_file(self, fd):
        with contextlib.suppress(OSError):
            target = os.readlink(fd)
            return target.startswith(str(self.dir)) and ("(deleted)" in target or ".orma-" in target) and fd.stat().st_size > 0
        return False

    def wait_for(self, is_so):
        end = time.monotonic() + 30 * SLOW
        while not is_so() and time.monotonic() < end:
            time.sleep(0.01)

    def test_the_pager_takes_what_is_longer_than_the_screen(self):
        self.line(".timer off")
        self.type("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 99) SELECT i FROM r;", "Enter")
        self.until(":", last=True)
        self.check("pager")
        self.type("q")
        self.until("orma> ")

    def test_commands(self):
        self.line(".timer off")
        self.line(".schema thread_track")
        self.line(".modules orma.ir")
        self.line(".tables orma_wait")
        self.line(".width 4")
        self.line("SELECT name FROM slice;")
        self.line(".export all.db")
        self.line(".report slowest")
        self.check("commands")
        self.assertTrue((self.dir / "all.db").exists())


def tearDownModule():
    if UPDATE:
        SCREENS.write_text("".join(f"==== {n}\n{s}\n" for n, s in sorted(Screens.seen.items())))


if __name__ == "__main__":
    if UPDATE:
        sys.argv.remove("--update")
    main()
