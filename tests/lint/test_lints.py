#!/usr/bin/env python3
"""The lints find what they are for: a check that never fails proves nothing."""
import pathlib
import re
import subprocess
import tempfile
import unittest

import abi
import commits
import knots
import large
import names
import size
import symbols
import tree


def graph(**arrows):
    nodes = set(arrows) | {b for bs in arrows.values() for b in bs.split()}
    return {n: {b: {f"{b}_get"} for b in arrows.get(n, "").split()} for n in sorted(nodes)}


class Tree(unittest.TestCase):
    def test_what_git_ignores_anywhere_is_not_ours(self):
        with tempfile.TemporaryDirectory() as root:
            root = pathlib.Path(root)
            (root / ".gitignore").write_text("/build*/\nnode_modules/\n*.pyc\n")
            for name in "a/x.c", "a/node_modules/deps/y.c", "node_modules/z.c", "b/build/w.c":
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).touch()
            self.assertEqual([p.relative_to(root).as_posix() for p in tree.find(root, "*.c", "a", "b")], ["a/x.c", "b/build/w.c"])


class Size(unittest.TestCase):
    def fails(self, now, before):
        return bool(size.report({"orma": now}, {"orma": before} if before else {})[1])

    def test_a_jump_in_either_direction_wants_a_line(self):
        self.assertEqual([self.fails(now, 1000000) for now in (970000, 1030000, 969999, 1030001)], [False, False, True, True])
        self.assertTrue(self.fails(1, None), "a program that nobody recorded")

    def test_the_last_line_counts_and_has_a_reason(self):
        with tempfile.TemporaryDirectory() as root:
            history = pathlib.Path(root, "sizes.tsv")
            history.write_text("# head\norma\t100\t2026-01-01\tfirst\n")
            size.record({"orma": 200, "lib": 7}, size.read_history(history), "more modules", history)
            size.record({"orma": 201, "lib": 7}, size.read_history(history), "nothing new", history)
            self.assertEqual(size.read_history(history), {"orma": 200, "lib": 7})
            self.assertNotIn("nothing new", history.read_text())
            history.write_text("orma\t100\t2026-01-01\t \n")
            with self.assertRaisesRegex(ValueError, "sizes.tsv:1"):
                size.read_history(history)

    def test_a_program_is_measured_without_its_symbols(self):
        with tempfile.TemporaryDirectory() as root:
            source, program = pathlib.Path(root, "x.c"), pathlib.Path(root, "x")
            source.write_text("int main(void) { return 0; }\n")
            subprocess.run(["cc", "-g", "-o", program, source], check=True)
            self.assertEqual([size.name_of(p) for p in (program, "y/liborma.so.0.1.0")], ["x", "liborma.so"])
            self.assertLess(size.stripped(program), program.stat().st_size)


class Large(unittest.TestCase):
    def test_what_is_not_listed_as_it_is_fails(self):
        fails = lambda lines, listed: bool(list(large.problems_of({"a.c": lines} if lines else {}, {"a.c": (listed, "one list")} if listed else {})))
        self.assertEqual([fails(*c) for c in ((0, 0), (900, 900))], [False, False])
        self.assertEqual([fails(*c) for c in ((801, 0), (901, 900), (899, 900), (0, 900))], [True] * 4)

    def test_what_is_measured(self):
        with tempfile.TemporaryDirectory() as root:
            root = pathlib.Path(root)
            for name, text in {"a.c": 800 * "x\n", "b.c": 801 * "x\n", "c.c": "/* Made by tools/gen_x.py. */\n" + 801 * "x\n",
                               "d.c": "/* By hand. */\n/* Made by tools/gen_x.py. */\n" + 801 * "x\n", "e.txt": 801 * "x\n"}.items():
                (root / "sdk").mkdir(exist_ok=True)
                (root / "sdk" / name).write_text(text)
            self.assertEqual(large.measure(root), {"sdk/b.c": 801, "sdk/d.c": 803})

    def test_the_list_has_reasons_and_only_shrinks(self):
        with tempfile.TemporaryDirectory() as root:
            listed = pathlib.Path(root, "large.tsv")
            large.write_list(listed, {"b.c": (900, "one list"), "a.c": (801, "copied as it is")})
            self.assertEqual(large.read_list(listed), {"a.c": (801, "copied as it is"), "b.c": (900, "one list")})
            listed.write_text("a.c\t801\t \n")
            with self.assertRaisesRegex(ValueError, "large.tsv:1"):
                large.read_list(listed)


class Knots(unittest.TestCase):
    def test_groups_are_files_that_reach_each_other(self):
        # a -> b -> c -> a is a group; d uses it, e is used by it; f and g use each other
        g = graph(a="b", b="c e", c="a", d="a", f="g", g="f")
        self.assertEqual(symbols.groups(g), [["a", "b", "c"], ["f", "g"]])
        self.assertEqual(symbols.groups(graph(a="b c", b="d", c="d")), [])

    def test_a_group_needs_an_entry_and_an_entry_a_group(self):
        found = [("files", ["a", "b"])]
        ok = ("files", "they are one parser", ["a", "b"])
        self.assertEqual(list(knots.problems_of(found, [ok])), [])
        self.assertIn("does not list", next(knots.problems_of(found, [])))
        self.assertIn("does not list", next(knots.problems_of([("files", ["a", "b", "c"])], [ok])))
        self.assertIn("take the line out", next(knots.problems_of([], [ok])))
        self.assertIn("no reason", next(knots.problems_of(found, [("files", "WHY?", ["a", "b"])])))

    def test_the_best_cut_comes_first(self):
        (edges, rest), = list(knots.cuts(graph(a="b c", b="d", c="d", d="a"), list("abcd")))
        self.assertEqual((edges, rest), ({("d", "a")}, []))

    def test_objects_are_read(self):
        with tempfile.TemporaryDirectory() as tmp:
            root, build = pathlib.Path(tmp), pathlib.Path(tmp, "build")
            (root / "sdk/x").mkdir(parents=True)
            (build / "sdk").mkdir(parents=True)
            (root / "sdk/x/a.c").write_text("extern int b_table[]; int *a(void); int *a(void) { return b_table; }\n")
            (root / "sdk/x/b.c").write_text("int *a(void); int b_table[3]; int *b(void) { return a(); }\n")
            rows = []
            for name in "ab":
                subprocess.run(["cc", "-c", root / f"sdk/x/{name}.c", "-o", build / f"sdk/{name}.o"], check=True)
                rows.append(f'{{"file": "../sdk/x/{name}.c", "output": "sdk/{name}.o"}}')
            (build / "compile_commands.json").write_text(f"[{','.join(rows)}]")
            arrows = symbols.arrows(symbols.load(root.resolve(), build.resolve()))
        self.assertEqual(arrows, {"sdk/x/a.c": {"sdk/x/b.c": {"b_table"}}, "sdk/x/b.c": {"sdk/x/a.c": {"a"}}})


class Abi(unittest.TestCase):
    WAS = ["symbol f ORMA_0.1 function", "constant ONE 1", "struct a size 16 align 8", "struct a.struct_size at 0 size 8",
           "struct a.x at 8 size 8", "struct b size 8 align 8", "struct b.x at 0 size 8"]

    def problems(self, **changed):
        """`changed`: a line by its beginning, with spaces and dots as underscores; None: gone."""
        lines = {line.replace(" ", "_").replace(".", "_"): line for line in self.WAS}
        for begin, line in changed.items():
            key = next((k for k in lines if k.startswith(begin + "_")), begin)
            lines[key] = line
        return list(abi.problems_of(self.WAS, [line for line in lines.values() if line]))

    def test_what_is_gone_or_changed_breaks_programs(self):
        self.assertEqual(self.problems(), [])
        self.assertIn("symbol f is gone", self.problems(symbol_f=None)[0])
        self.assertIn("break", self.problems(constant_ONE="constant ONE 2")[0])
        self.assertIn("break", self.problems(struct_b_size="struct b size 16 align 8")[0])
        self.assertIn("break", self.problems(struct_a_size="struct a size 8 align 8")[0])

    def test_additions_only_need_a_line(self):
        self.assertIn("--update", self.problems(new="symbol g ORMA_0.2 function")[0])
        self.assertIn("--update", self.problems(struct_a_size="struct a size 24 align 8")[0])

    def test_members_are_found_in_every_form(self):
        self.assertEqual(list(abi.members("int a; const char\n*b; void (*c)(int x, void *y); uint8_t d[4], e;")),
                         ["a", "b", "c", "d", "e"])


class Names(unittest.TestCase):
    def check_tags(self, **texts):
        names.TAGS, kept = {}, names.TAGS
        try:
            return list(names.check_tags({n.replace("_DOT_", "."): t for n, t in texts.items()}))
        finally:
            names.TAGS = kept

    def test_a_tag_with_a_prefix_has_one_definition(self):
        self.assertEqual(len(self.check_tags(a_DOT_c="struct orma_x {", b_DOT_c="enum orma_x {")), 1)
        self.assertEqual(self.check_tags(a_DOT_c="struct orma_x {", b_DOT_c="struct orma_x *x;"), [])

    def test_a_tag_without_one_is_local_to_its_file(self):
        self.assertEqual(self.check_tags(a_DOT_c="struct row {", b_DOT_c="struct row {"), [])
        self.assertEqual(len(self.check_tags(a_DOT_h="struct row {", b_DOT_c="struct row {")), 1)

    def test_the_longest_prefix_decides(self):
        prefixes = {"orma_sql_": "sql", "orma_sql_vtab_": "tables", "orma_log": "base"}
        self.assertEqual(names.owner_of("orma_sql_vtab_open", prefixes), "tables")
        self.assertEqual(names.owner_of("orma_sql_open", prefixes), "sql")
        self.assertEqual(names.owner_of("orma_log", prefixes), "base")
        self.assertIsNone(names.owner_of("orma_logger", prefixes))

    def test_externs_are_found_and_c_linkage_is_none(self):
        found = [p for p in names.check_externs({"x/a.c": "\nextern int other;\n"}) if p.startswith("x/")]
        self.assertEqual(len(found), 1)
        self.assertFalse([p for p in names.check_externs({"x/a.c": 'extern "C" {\n'}) if p.startswith("x/")])


class Commits(unittest.TestCase):
    def problems(self, message, lines=1):
        return list(commits.problems_of(message, lines))

    def test_subjects(self):
        self.assertEqual(self.problems("sql: order events with equal timestamps\n"), [])
        self.assertEqual(self.problems("sdk/base, tools: add a vector\n\nWhy.\n", 900), [])
        self.assertEqual(len(self.problems("Add a vector")), 1)
        self.assertEqual(len(self.problems("sql: " + 68 * "x")), 1)
        self.assertEqual(len(self.problems("sql: do this; do that")), 1)
        self.assertEqual(len(self.problems("sql: do this.")), 1)
        self.assertEqual(len(self.problems("sql: do this\nand more")), 1)

    def test_a_large_change_has_a_body(self):
        self.assertEqual(self.problems("sql: sort", 50), [])
        self.assertEqual(len(self.problems("sql: sort", 51)), 1)
        self.assertEqual(self.problems("sql: sort\n\nBecause.", 51), [])

    def test_moves_data_and_generated_files_do_not_count(self):
        self.assertEqual(commits.changed_lines("3\t4\tsdk/a.c\0" "-\t-\tx.png\0" "90\t1\tdocs/tables.md\0"), 7)
        self.assertEqual(commits.changed_lines("1\t1\t\0sdk/old.c\0sdk/new.c\0" "2\t0\tb.c\0"), 4)

    def test_the_editor_s_comments_are_no_body(self):
        text = "sql: sort\n\n# Please enter\n# ------------------------ >8 ------------------------\ndiff --git\n"
        self.assertEqual(commits.from_editor(text), "sql: sort")


class Listed(unittest.TestCase):
    def test_methods_that_are_tests_of_their_own_are_all_there(self):
        attacks = pathlib.Path(__file__).resolve().parents[1] / "attacks"
        listed = re.search(r"foreach what : \[([^\]]*)\]", (attacks / "meson.build").read_text()).group(1)
        defined = re.findall(r"def test_(\w+)\(", (attacks / "test_kill.py").read_text())
        self.assertEqual(sorted(re.findall(r"'(\w+)'", listed)), sorted(defined))


if __name__ == "__main__":
    unittest.main(verbosity=2)
