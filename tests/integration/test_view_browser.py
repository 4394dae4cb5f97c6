"""The timeline in a real browser: what it shows is what SQL says, from a file and from the server. Needs Chromium, or Firefox."""
import json

import growing
from browser import FIREFOX, Firefox
from orma_env import *
from pictures import pixels
from test_view import HEAP, HOSTILE, OBJECTS, SCHED, Serving, made_json
from view_case import BrowserCase

SLICE_AT = """
const at = (row, item) => {
  const line = orma.tree.reveal(row); const s = orma.trace.loaded(row).slices;
  orma.zoomTo(s.start[item], s.start[item] + s.dur[item]); orma.main.scrollTop = Math.max(0, line.y - 50);
  const box = orma.canvas.getBoundingClientRect();
  return [box.left + (s.start[item] + s.dur[item] / 2 - orma.view.from) / orma.view.nsPerPx, box.top + line.y - orma.main.scrollTop + orma.laneTop(row, s.depth[item]) + 6];
};
"""


class Timeline(BrowserCase):
    def test_a_file_asks_for_nothing(self):
        b = self.open_file(self.trace(made_json()))
        b.run("for (const r of orma.trace.rows) if (r) await orma.trace.load(r.n)")
        self.assertEqual([u for u in b.requests if not u.startswith("file:")], [])
        self.assertEqual(len(b.requests), 1)
        self.assertNotEqual(b.run("try { await fetch('data:,x'); return 'went' } catch (e) { return 'refused' }"), "went")
        self.nothing_on_purpose = b.problems.clear()
        self.nothing_wrong()

    def test_zoom_pan_undo(self):
        b = self.open_file(self.trace(made_json()))
        view = lambda: b.run("return [orma.view.from, orma.view.nsPerPx]")
        begin = view()
        b.key("w", "KeyW"), b.frame()
        closer = view()
        self.assertLess(closer[1], begin[1])
        time.sleep(0.45)
        b.key("d", "KeyD"), b.frame()
        self.assertGreater(view()[0], closer[0])
        b.key("z", "KeyZ"), b.frame()
        self.assertEqual(view(), closer)
        b.key("z", "KeyZ"), b.frame()
        self.assertEqual(view(), begin)
        b.key("0", "Digit0"), b.frame()
        self.nothing_wrong()

    def test_details_are_what_sql_says(self):
        trace = self.trace(made_json())
        b = self.open_file(trace)
        asked = self.sql(trace, "SELECT s.id, s.name, s.dur, s.ts, s.depth, t.tid FROM slice s JOIN thread_track k ON k.id = s.track_id "
                                "JOIN thread t USING (utid) WHERE s.dur > 30000 AND s.arg_set_id IS NOT NULL AND s.name GLOB 'work*' LIMIT 5")
        for id, name, dur, ts, depth, tid in asked:
            x, y = b.run(SLICE_AT + f"for (const r of orma.trace.rows) {{ if (!r || !r.lanes) continue; const s = (await orma.trace.load(r.n)).slices; "
                         f"const i = s ? s.id.indexOf({id}) : -1; if (i >= 0) return at(r.n, i); }}")
            b.frame()
            b.click(x, y)
            b.wait(f"document.querySelector('.content h2') && document.querySelector('.content dl + div dl, .cols > div dl')")
            text = b.run("return document.querySelector('.content').innerText")
            for wanted in (name, str(ts), f"id\n{id}", f"Depth\n{depth}"):
                self.assertIn(wanted, text)
            self.assertIn(f"{dur:,} ns".replace(",", "\u202f"), text)
            for key, value in self.sql(trace, f"SELECT key, coalesce(string_value, int_value) FROM args JOIN slice USING (arg_set_id) WHERE slice.id = {id}"):
                self.assertIn(key, text)
        self.nothing_wrong()

    def test_figures_of_a_range(self):
        trace = self.trace(made_json())
        b = self.open_file(trace)
        got = b.run("const rows = orma.trace.rows.filter((r) => r && r.lanes).map((r) => r.n); orma.chooseArea({ from: 2e6, to: 6e6, rows });"
                    "await new Promise((r) => setTimeout(r, 500)); return [...document.querySelectorAll('.content tbody tr')].map((tr) => [...tr.cells].map((c) => c.innerText))")
        begin = self.sql(trace, "SELECT start_ts FROM trace_bounds")[0][0]
        asked = {name: n for name, n in self.sql(trace, f"SELECT name, count(*) FROM slice WHERE ts <= {begin + 6000000} AND ts + dur >= {begin + 2000000} "
                                                        "AND name GLOB 'work*' OR name = 'inner' AND ts <= {0} AND ts + dur >= {1} GROUP BY 1".format(begin + 6000000, begin + 2000000))}
        told = {row[0]: int(row[1].replace("\u202f", "")) for row in got if row[0] in asked}
        self.assertEqual(told, asked)
        self.nothing_wrong()

    def test_what_has_no_known_end_is_in_no_figure(self):
        """Switches are missing: who ran then is seen, and fades, but has no time; no share is more than the whole."""
        line = ("           x-1 [000] d..2 {}.000000: sched_switch: prev_comm={} prev_pid={} prev_prio=120 prev_state=S ==> next_comm={} next_pid={} next_prio=120\n")
        trace = self.trace("# tracer: nop\n#\n" + "".join(line.format(100 + i, f"n{a}", a, f"n{b}", b)
                           for i, (a, b) in enumerate([(0, 1), (1, 2), (3, 2), (3, 2), (3, 4), (4, 1), (1, 2)])), "t.txt")
        b = self.open_file(trace)
        got = b.run("const rows = orma.trace.rows.filter((r) => r && r.items).map((r) => r.n); orma.chooseArea({ from: 0, to: orma.trace.span, rows });"
                    "await new Promise((r) => setTimeout(r, 500)); return [...document.querySelectorAll('.content tbody tr')].map((tr) => [...tr.cells].map((c) => c.innerText))")
        note = b.run("return document.querySelector('.content').innerText")
        begin, end = self.sql(trace, "SELECT start_ts, end_ts FROM trace_bounds")[0]
        asked = {f"{name} {tid}": 100 * dur / (end - begin) for name, tid, dur in
                 self.sql(trace, "INCLUDE PERFETTO MODULE orma.sched; SELECT name, tid, sum(dur) FROM orma_run JOIN thread USING (utid) GROUP BY utid HAVING sum(dur) > 0")}
        told = {row[0]: float(row[2].rstrip(" %")) for row in got if row[0].startswith("n") and row[1] != "0 ns"}
        self.assertEqual(told, {name: round(share, 1) for name, share in asked.items()})
        self.assertLessEqual(max(float(row[2].rstrip(" %")) for row in got), 100)
        self.assertIn("no known end", note)
        self.nothing_wrong()

    def test_rows_that_are_read_in_part(self):
        events = [{"ph": "X", "pid": 1, "tid": 1, "ts": 10 * i, "dur": 907.0 if i % 500 == 1 else i % 11 / 4, "name": f"s{i % 5}"} for i in range(60000)]
        trace = self.trace(json.dumps({"traceEvents": events}))
        b = self.open_file(trace)
        level = "orma.trace.best(row.n, orma.time(0), orma.time(orma.width), orma.view.nsPerPx, 0)"
        row = "const row = orma.trace.rows.find((r) => r && r.lanes); await orma.trace.load(row.n);"
        self.assertGreater(b.run(f"{row} return {level}.data.level"), 0)
        # A group is chosen: what is shown of it is its longest slice, as SQL knows it.
        b.run(f"{row} const d = {level}.data, s = d.slices; orma.choose({{ row: row.n, kind: 'slice', item: s.count.findIndex((n) => n > 5), data: d }})")
        b.wait("orma.chosen && orma.chosen.data.level === 0")
        told = b.run("const c = orma.chosen, s = c.data.slices; return [s.id[c.item], String(orma.trace.begin + BigInt(s.start[c.item])), s.dur[c.item], orma.trace.text(s.name[c.item])]")
        self.assertEqual([told[0], int(told[1]), told[2], told[3]], self.sql(trace, f"SELECT id, ts, dur, name FROM slice WHERE id = {told[0]}")[0])
        b.key("."), b.wait(f"orma.chosen.data.slices.id[orma.chosen.item] !== {told[0]}")
        after = b.run("return orma.span(orma.chosen)[0]")
        self.assertGreater(after, b.run(f"return Number(BigInt('{told[1]}') - orma.trace.begin)"))
        # Closer, all slices are there, and only those of the window.
        b.run("orma.zoomTo(3e8, 3.0002e8)")
        b.wait(f"(() => {{ const row = orma.trace.rows.find((r) => r && r.lanes); return {level}.good && {level}.data.level === 0 }})()")
        self.assertLess(b.run(f"{row} return {level}.data.slices.n"), 60000)
        got = b.run(f"{row} orma.chooseArea({{ from: 1e8, to: 4e8, rows: [row.n] }}); await new Promise((r) => setTimeout(r, 600));"
                    "return [...document.querySelectorAll('.content tbody tr')].map((tr) => [...tr.cells].map((c) => c.innerText))")
        begin = self.sql(trace, "SELECT start_ts FROM trace_bounds")[0][0]
        self.assertEqual({r[0]: int(r[1].replace("\u202f", "")) for r in got},
                         dict(self.sql(trace, f"SELECT name, count(*) FROM slice WHERE ts <= {begin + 400000000} AND ts + dur >= {begin + 100000000} GROUP BY 1")))
        self.nothing_wrong()

    def test_states_and_values_that_are_read_in_part(self):
        """What is drawn are levels; what is chosen and counted is what SQL says."""
        trace = self.many()
        b = self.open_file(trace, "--exact")
        begin = self.sql(trace, "SELECT start_ts FROM trace_bounds")[0][0]
        find = "const row = orma.trace.rows.find((r) => r && {}); const d = await orma.trace.load(row.n);"
        choose = "orma.choose(undefined); orma.choose({{ row: row.n, kind: '{}', item: {}, data: d }}); while (!orma.chosen || orma.chosen.data.level) await new Promise((r) => setTimeout(r, 20));"
        for what, kind, column, sql in (("r.kind === 5", "sched", "sched", "SELECT id, ts, dur FROM sched_slice WHERE id = {}"),
                                        ("r.kind === 2 && r.items > 8200", "state", "states", "SELECT id, ts, dur FROM thread_state WHERE id = {}")):
            told = b.run(find.format(what) + f"if (!d.level) throw 1; {choose.format(kind, f'd.{column}.count.findIndex((n) => n > 5)')}"
                         f"const s = orma.chosen.data.{column}, i = orma.chosen.item; return [s.id[i], String(orma.trace.begin + BigInt(s.start[i])), s.dur[i]]")
            self.assertEqual([told[0], int(told[1]), told[2]], self.sql(trace, sql.format(told[0]))[0])
            b.key("."), b.wait(f"orma.chosen.data.{column}.id[orma.chosen.item] !== {told[0]}")
        told = b.run(find.format("r.kind === 4 && r.name === 'load'") + "if (!d.level) throw 1;" + choose.format("value", "100")
                     + "const v = orma.chosen.data.values; return [String(orma.trace.begin + BigInt(v.time[orma.chosen.item])), v.value[orma.chosen.item], d.values.max]")
        self.assertEqual([told[1:]], self.sql(trace, f"SELECT value, 9000 FROM counter JOIN counter_track t ON t.id = track_id WHERE ts = {told[0]} AND name = 'load'"))
        # Figures of a range, and of a window that shows all of it exactly.
        span = b.run("return orma.trace.span")
        for from_, to in ((0, span), (span // 3, span // 2), (span // 3, span // 3 + 3000)):
            got = b.run(f"orma.chooseArea({{ from: {from_}, to: {to}, rows: orma.trace.rows.flatMap((r) => r ? [r.n] : []) }}); await new Promise((r) => setTimeout(r, 900));"
                        "return [...document.querySelectorAll('.content table')].map((t) => [...t.tBodies[0].rows].map((tr) => [...tr.cells].map((c) => c.innerText)))")
            part = f"sum(min(ts + dur, {begin + to}) - max(ts, {begin + from_}))"
            where = f"ts < {begin + to} AND ts + dur > {begin + from_} AND dur >= 0 AND NOT coalesce(is_idle, 0)"
            ran = self.sql(trace, f"SELECT name || ' ' || tid, {part}, count(*) FROM sched_slice JOIN thread USING (utid) WHERE {where} GROUP BY 1 ORDER BY 2 DESC")
            self.assertEqual([(r[0], r[3].replace("\u202f", "")) for r in got[1]], [(r[0], str(r[2])) for r in ran if r[1]])
            states = self.sql(trace, f"SELECT count(*) FROM thread_state JOIN thread USING (utid) WHERE {where} AND state = 'Running'")
            self.assertEqual([r[3].replace("\u202f", "") for r in got[0] if r[0] == "Running"], [str(states[0][0])])
        self.nothing_wrong()

    def test_a_drag_chooses_rows_and_times(self):
        b = self.open_file(self.trace(made_json()))
        box = b.run("const r = orma.canvas.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]")
        b.drag(box[0] + 100, box[1] + 40, box[0] + 300, box[1] + 200)
        b.wait("orma.area && document.querySelector('.content table')")
        area = b.run("return [orma.area.from, orma.area.to, orma.area.rows.length, orma.time(100), orma.time(300)]")
        self.assertAlmostEqual(area[0], area[3], delta=1)
        self.assertAlmostEqual(area[1], area[4], delta=1)
        self.assertGreater(area[2], 1)
        b.key("Escape"), b.frame()
        self.assertFalse(b.run("return !!orma.area"))
        self.nothing_wrong()

    def test_search(self):
        trace = self.trace(made_json())
        b = self.open_file(trace)
        b.key("/")
        b.run("document.querySelector('input[type=search]').value = 'work 3'; document.querySelector('input[type=search]').dispatchEvent(new Event('input'))")
        wanted = self.sql(trace, "SELECT count(*) FROM slice WHERE name GLOB '*work 3*'")[0][0]
        b.wait(f"document.querySelector('output').textContent.replace(/\\u202f/g, '') === '{wanted}'")
        times = []
        for _ in range(4):
            b.key("Enter"), b.frame()
            times.append(b.run("return orma.span(orma.chosen)[0]"))
        self.assertEqual(times, sorted(times))
        self.assertEqual(len(set(times)), 4)
        self.nothing_wrong()

    def test_the_link_says_what_is_seen(self):
        b = self.open_file(self.trace(made_json()))
        b.run("orma.zoomTo(1e6, 2e6); const rows = orma.trace.rows.filter((r) => r && r.lanes).map((r) => r.n); orma.tree.togglePin(rows[0]); orma.tree.hide(rows[1]);"
              "orma.tree.toggle(orma.trace.top[0]); orma.chooseArea({ from: 1.2e6, to: 1.5e6, rows }); orma.tree.only('0'); orma.changed();")
        time.sleep(0.6)
        state = "orma.tree.pinned, [...orma.tree.hidden], orma.tree.changed, orma.tree.filter, orma.area, orma.tree.lines.map((l) => l.key)"
        before = b.run(f"return [Math.round(orma.time(0)), Math.round(orma.time(orma.width)), [{state}], location.href]")
        b.call("Page.navigate", url="about:blank")
        b.open(before[3])
        after = b.run(f"return [Math.round(orma.time(0)), Math.round(orma.time(orma.width)), [{state}]]")
        self.assertAlmostEqual(after[0], before[0], delta=2)
        self.assertAlmostEqual(after[1], before[1], delta=2)
        self.assertEqual(after[2], before[2])

    def test_hostile_names_make_no_nodes(self):
        b = self.open_file(self.trace(made_json(4000)))
        b.run("for (const r of orma.trace.rows) if (r) { const d = await orma.trace.load(r.n); if (d.slices) for (let i = 0; i < d.slices.n; i += 37) orma.choose({ row: r.n, kind: 'slice', item: i, data: d }, i % 5 === 0); }")
        b.run("orma.chooseArea({ from: 0, to: orma.trace.span, rows: orma.trace.rows.filter(Boolean).map((r) => r.n) }); await new Promise((r) => setTimeout(r, 500))")
        self.assertEqual(b.run("return document.querySelectorAll('img, iframe, object, a[href], [onerror]').length"), 0)
        self.assertIn(HOSTILE[0], b.run("return document.querySelector('.content').textContent"))
        for tab in ("Flame graph", "Log", "SQL", "Trace", "Details"):
            b.run(f"orma.panel.show('{tab}'); await new Promise((r) => setTimeout(r, 100))")
        self.nothing_wrong()

    def test_names_do_not_turn_what_follows(self):
        names = [{"ph": "M", "pid": 1, "tid": tid, "name": "thread_name", "args": {"name": name}} for tid, name in ((1, "\u202egnp.exe"), (2, "a" + "\u0301" * 99))]
        b = self.open_file(self.trace(json.dumps({"traceEvents": [*names, *({"ph": "X", "pid": 1, "tid": tid, "ts": 1, "dur": 5, "name": "s"} for tid in (1, 2))]})))
        told = b.run("return [...document.querySelectorAll('.head .name')].map((n) => n.textContent)")
        self.assertIn("\u2423gnp.exe 1", told)
        self.assertIn("a" + "\u0301" * 3 + " 2", told)
        self.nothing_wrong()

    def test_many_tracks_are_searched(self):
        events = [{"ph": ph, "cat": "c", "id": i, "pid": 1, "tid": 1, "ts": i + 5 * (ph == "e"), "name": f"async {i}"} for i in range(20000) for ph in "be"]
        trace = self.trace(json.dumps({"traceEvents": events}))
        b = self.open_file(trace)
        b.run("orma.searchBox.value = 'async 77'; await orma.search.find()")
        self.assertEqual(int(b.run("return orma.found.textContent")), self.sql(trace, "SELECT count(*) FROM slice WHERE name GLOB 'async 77*'")[0][0])
        self.assertLess(b.run("return orma.trace.rows.filter((r) => r && orma.trace.loaded(r.n)).length"), 200)
        self.nothing_wrong()

    def test_states_are_drawn_in_their_colours(self):
        text = self.trace(SCHED, "t.txt")
        trace = self.dir / "t.pftrace"
        self.orma("convert", "binary", text, trace)
        b = self.open_file(trace)
        b.run("for (const r of orma.trace.rows) if (r && r.items) await orma.trace.load(r.n); orma.draw()")
        b.frame()
        colours = {c for row in pixels(b.picture()) for c in row}
        self.assertIn((0x00, 0x9E, 0x73), colours)  # running
        self.assertIn((0xD5, 0x5E, 0x00), colours)  # uninterruptible, cause unknown
        self.assertTrue(any(c in colours for c in ((0xB8, 0xBE, 0xC6), (0x00, 0x72, 0xB2))))
        self.nothing_wrong()

    def test_gaps_are_hatched(self):
        text = self.trace(SCHED + "packet { trusted_packet_sequence_id: 1 ftrace_events { cpu: 1 lost_events: true event { timestamp: 60000 pid: 20 "
                          "sched_switch { prev_comm: \"u0\" prev_pid: 20 prev_state: 1 next_comm: \"u1\" next_pid: 21 } } } }", "t.txt")
        trace = self.dir / "t.pftrace"
        self.orma("convert", "binary", text, trace)
        b = self.open_file(trace)
        b.run("for (const r of orma.trace.rows) if (r && r.items) await orma.trace.load(r.n); orma.painter.forget(); orma.draw()")
        b.frame()
        gap = b.run("const g = orma.trace.gaps[0]; return [g.from, g.to, g.reason]")
        self.assertLess(gap[0], gap[1])
        x, y = b.run("const g = orma.trace.gaps[0]; const line = orma.tree.lines.find((l) => l.row === g.row); const box = orma.canvas.getBoundingClientRect();"
                     "return [box.left + ((g.from + g.to) / 2 - orma.view.from) / orma.view.nsPerPx, box.top + line.y + line.height / 2]")
        near = {c for row in pixels(b.picture())[int(y) - 6:int(y) + 6] for c in row[int(x) - 8:int(x) + 8]}
        self.assertTrue(any(abs(r - 0xCC) < 40 and abs(g - 0x79) < 60 and abs(bl - 0xA7) < 50 for r, g, bl in near), near)
        b.mouse("mouseMoved", x, y)
        b.wait("!document.querySelector('.tip').hidden")
        self.assertIn("kernel events lost", b.run("return document.querySelector('.tip').textContent"))
        self.nothing_wrong()

    def test_odd_traces(self):
        slices = lambda events: self.trace(json.dumps({"traceEvents": events}))
        for events in ([], [{"ph": "X", "pid": 1, "tid": 1, "ts": 5, "dur": 0, "name": "one"}],
                       [{"ph": "B", "pid": 1, "tid": 1, "ts": i, "name": f"{i}"} for i in range(500)],
                       [{"ph": "X", "pid": 1, "tid": i, "ts": i, "dur": 5, "name": "t"} for i in range(10000)],
                       [{"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 3e13, "name": "a year"}, {"ph": "X", "pid": 1, "tid": 1, "ts": 5, "dur": 0.001, "name": "short"}],
                       [{"ph": ph, "cat": "c", "id": i, "pid": 1, "tid": 1, "ts": i + 5 * (ph == "e"), "name": f"async {i}"} for i in range(30000) for ph in "be"],
                       [{"ph": "X", "pid": 1, "tid": 1, "ts": 5, "dur": -7, "name": "negative"}, {"ph": "X", "pid": 1, "tid": 1, "ts": -50, "dur": 7, "name": "before"},
                        {"ph": "X", "pid": 1, "tid": 2, "ts": 5, "dur": 9e12, "name": "huge"}, {"ph": "B", "pid": 1, "tid": 3, "ts": 5, "name": "open"},
                        *({"ph": "C", "pid": 1, "ts": 5 + i, "name": "c", "args": {"v": v}} for i, v in enumerate((1e300, -1e300, 0)))]):
            b = self.open_file(slices(events))
            b.key("w", "KeyW"), b.key("s", "KeyS"), b.key("ArrowDown"), b.key("Enter"), b.key("."), b.key("f", "KeyF"), b.frame()
            self.assertLess(b.run("return document.querySelectorAll('.head').length"), 300)
            self.nothing_wrong()

    def test_a_page_that_was_cut_or_changed(self):
        page = self.page(self.trace(made_json(20000)))
        for name, data in (("cut", page[:len(page) - 5000]), ("changed", page.replace(b"</script>\n<script type=\"application/octet-stream\" id=\"b2\">",
                                                                                       b"</script>\n<script type=\"application/octet-stream\" id=\"b2\">AAAA")),
                           ("end", page[:-100]), ("no blocks", page[:page.index(b"application/octet-stream")])):
            path = self.dir / f"{name}.html"
            path.write_bytes(data)
            self.browser.call("Page.navigate", url=path.as_uri())
            self.browser.wait("document.querySelector('.error:not([hidden])')")
            self.assertRegex(self.browser.run("return document.querySelector('.error').textContent"), "cut|missing|damaged|sum|block")

    def test_the_report_and_its_way_into_the_timeline(self):
        trace = self.trace(made_json())
        out = self.dir / "r.html"
        self.orma("report", trace, "--html", out)
        b = self.browser
        b.open(out.as_uri())
        text = b.run("return document.querySelector('.report').innerText")
        told = json.loads(self.orma("report", trace, "--json").stdout)
        for section in told["sections"]:
            if section.get("rows"):
                self.assertIn(section["question"], text)
        self.assertEqual(b.run("return document.querySelectorAll('.report img, .report [onerror]').length"), 0)
        b.run("document.querySelector('.report td button.link').click()")
        b.frame()
        self.assertTrue(b.run("return document.querySelector('.report').hidden && orma.main.clientWidth > 0"))
        self.assertEqual([u for u in b.requests if not u.startswith("file:")], [])
        self.nothing_wrong()

    def test_the_report_says_what_it_is_about(self):
        (self.dir / "shop.txt").write_text("""
            packet { trusted_packet_sequence_id: 1 timestamp: 500 process_tree { processes { pid: 90 cmdline: "orma" } } }
            packet { trusted_packet_sequence_id: 2 ftrace_events { cpu: 0
                event { timestamp: 1000 pid: 90 task_newtask { pid: 100 comm: "orma" clone_flags: 0 } }
                event { timestamp: 1100 pid: 90 sched_switch { prev_comm: "orma" prev_pid: 90 prev_prio: 120 prev_state: 1
                    next_comm: "shop" next_pid: 100 next_prio: 120 } }
                event { timestamp: 8000000 pid: 100 sched_switch { prev_comm: "shop" prev_pid: 100 prev_prio: 120
                    prev_state: 1 next_comm: "orma" next_pid: 90 next_prio: 120 } } } }
            packet { timestamp: 8000000 timestamp_clock_id: 6 process_tree {
                [perfetto.protos.orma_command] { pid: 100 started_ns: 900 args: "./shop" args: "-n" } } }
        """)
        self.orma("convert", "binary", "shop.txt", "shop.pftrace")
        for options, told in ([], True), (["--all"], False):
            self.orma("report", "shop.pftrace", "-f", "--html", "shop.html", *options)
            self.browser.open((self.dir / "shop.html").as_uri())
            text = self.browser.run("return document.querySelector('.report').innerText")
            self.assertEqual("Of './shop -n' and what it started" in text, told)

    def test_plots_of_the_report(self):
        text = self.trace(SCHED, "t.txt")
        trace, out = self.dir / "t.pftrace", self.dir / "r.html"
        self.orma("convert", "binary", text, trace)
        self.orma("report", trace, "--html", out)
        b = self.browser
        b.open(out.as_uri())
        b.wait("document.querySelectorAll('.plot').length === 2")
        cpu, waits = b.run("return [...document.querySelectorAll('.plot')].map((p) => p.getAttribute('aria-label'))")
        n = self.sql(trace, "SELECT count(*) FROM thread_state WHERE state IN ('R', 'R+') AND dur >= 0")[0][0]
        self.assertEqual(waits, f"Waits for a CPU by length: {n} waits")
        self.assertEqual(sum(int(t) for t in b.run("return [...document.querySelectorAll('#report-latency rect + text')].map((t) => t.textContent)")), n)
        share = self.sql(trace, "INCLUDE PERFETTO MODULE orma.sched; SELECT 100.0 * sum(dur) / 2 / (trace_end() - trace_start()) FROM orma_run")[0][0]
        self.assertIn(f"{share:.1f} % of 2 CPUs", cpu)
        self.nothing_wrong()

    def test_times_of_the_wall_clock_are_whole(self):
        """Their ns are more than a double holds."""
        at = 1_800_000_000_000_000_001
        text = self.trace("".join('packet { trusted_packet_sequence_id: 9 trusted_pid: 11 timestamp: %d %s }\n' % part for part in (
            (at, 'track_descriptor { uuid: 5 thread { pid: 11 tid: 11 } }'), (at, 'track_event { type: TYPE_SLICE_BEGIN track_uuid: 5 name: "first" }'),
            (at + 1234, 'track_event { type: TYPE_SLICE_END track_uuid: 5 }'), (at + 2345, 'track_event { type: TYPE_SLICE_BEGIN track_uuid: 5 name: "second" }'),
            (at + 9999, 'track_event { type: TYPE_SLICE_END track_uuid: 5 }'))), "t.txt")
        trace, out = self.dir / "t.pftrace", self.dir / "r.html"
        self.orma("convert", "binary", text, trace)
        self.orma("report", trace, "--html", out)
        b = self.browser
        b.open(out.as_uri())
        self.assertIn("+0.000 002 345 s", b.run("return [...document.querySelectorAll('.report td button')].map((n) => n.textContent)"))
        self.nothing_wrong()

    def test_a_trace_that_grows(self):
        """The page goes on by itself: with the end, if that is seen, else what is seen stays; open rows and what is chosen, too."""
        packets = growing.trace(7, 6000, flush_every=200)
        cuts = [len(packets) * n // 4 for n in (1, 2, 3, 4)]
        path = self.dir / "growing"
        path.write_bytes(b"".join(packets[:cuts[0]]))
        p, port, token = self.serve(path, "--follow", "--every", "200ms")
        b = self.browser
        b.open(f"http://127.0.0.1:{port}/#k={token}")
        span = lambda: b.run("return orma.trace.span")
        spans = [span()]
        b.run("orma.setView(orma.trace.span * 0.8, orma.trace.span * 0.25 / orma.width)")
        b.run("const row = orma.trace.rows.find((r) => r && r.lanes).n; await orma.goTo(row, (await orma.trace.load(row)).slices.id[3], undefined, false)")
        chosen = "const c = orma.chosen; return [orma.trace.rows[c.row].name, c.data.slices.id[c.item]]"
        before, beside = b.run(chosen), b.run("return orma.trace.span - orma.time(orma.width)")
        with path.open("ab") as f:
            f.write(b"".join(packets[cuts[0]:cuts[1]]))
        b.wait(f"orma.trace.span > {spans[0]}")
        b.wait("orma.settled")
        spans.append(span())
        self.assertEqual(b.run(chosen), before)
        self.assertAlmostEqual(b.run("return orma.trace.span - orma.time(orma.width)"), beside, delta=spans[1] / 1000)  # it moved on
        b.run(f"orma.setView({spans[1] // 10}, {spans[1]} / 20 / orma.width)")
        view = b.run("return [orma.view.from, orma.view.nsPerPx]")
        with path.open("ab") as f:
            f.write(b"".join(packets[cuts[1]:cuts[2]]))
        b.wait(f"orma.trace.span > {spans[1]}")
        b.wait("orma.settled")
        self.assertEqual(b.run("return [orma.view.from, orma.view.nsPerPx]"), view)  # it stayed
        with path.open("ab") as f:
            f.write(b"".join(packets[cuts[2]:]))
        whole, = self.sql(path, "SELECT end_ts - start_ts FROM trace_bounds")[0]
        b.wait(f"orma.trace.span === {whole}")
        self.assertEqual(b.run("return (await orma.trace.source.sql('SELECT count(*) FROM slice')).rows[0][0]"), self.sql(path, "SELECT count(*) FROM slice")[0][0])
        self.nothing_wrong()
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.wait(10 * SLOW), 0)

    def test_the_server(self):
        trace = self.trace(made_json())
        p, port, token = self.serve(trace)
        b = self.browser
        b.open(f"http://127.0.0.1:{port}/#k={token}")
        self.nothing_wrong()
        self.assertNotIn(token, b.run("return location.href"))
        self.assertEqual({u.split("/")[2] for u in b.requests}, {f"127.0.0.1:{port}"})
        b.run("orma.panel.show('SQL'); document.querySelector('textarea').value = 'SELECT count(*) AS n FROM slice'; document.querySelector('.sql button').click()")
        b.wait("document.querySelector('.sql tbody td')")
        self.assertEqual(int(b.run("return document.querySelector('.sql tbody td').innerText")), self.sql(trace, "SELECT count(*) FROM slice")[0][0])
        self.nothing_wrong()
        p.send_signal(signal.SIGTERM)
        p.wait(30)
        b.run("document.querySelector('.sql button').click()")
        b.wait("document.querySelector('.sql pre')")
        self.assertIn("server is gone", b.run("return document.querySelector('.sql pre').textContent"))

    def test_why_and_answers_on_the_timeline(self):
        text = self.trace(SCHED + "".join('packet { trusted_packet_sequence_id: 9 trusted_pid: 11 timestamp: %d %s }\n' % part for part in (
            (1500, 'track_descriptor { uuid: 5 thread { pid: 11 tid: 11 } }'), (2000, 'track_event { type: TYPE_SLICE_BEGIN track_uuid: 5 name: "job" }'),
            (30000, 'track_event { type: TYPE_SLICE_END track_uuid: 5 }'))), "t.txt")
        trace = self.dir / "t.pftrace"
        self.orma("convert", "binary", text, trace)
        p, port, token = self.serve(trace)
        b = self.browser
        b.open(f"http://127.0.0.1:{port}/#k={token}")
        b.run("for (const r of orma.trace.rows) if (r && r.lanes) { const data = await orma.trace.load(r.n); orma.choose({ row: r.n, kind: 'slice', item: 0, data }) }"
              "[...document.querySelectorAll('.actions button')].find((b) => b.textContent === 'Why so long?').click()")
        b.wait("document.querySelector('.cols tbody td')")
        told = b.run("return [...document.querySelectorAll('.cols tbody tr')].map((tr) => [...tr.cells].map((c) => c.innerText))")
        sections = {s["name"]: s["rows"] for s in json.loads(self.orma("why", trace, "--slice", "job", "--json").stdout)["sections"] if s.get("rows")}
        self.assertTrue(sections["causes"])
        for cause in sections["causes"]:
            row = next(r for r in told if r[0] == cause["cause"])
            self.assertEqual((row[2], int(row[3])), (f"{cause['share_pct']:.1f} %", cause["times"]))
        b.run("orma.panel.show('SQL'); document.querySelector('textarea').value = 'SELECT ts, dur, state AS name FROM thread_state'; document.querySelector('.sql button').click()")
        b.wait("document.querySelector('.sql tbody td')")
        b.run("[...document.querySelectorAll('.sql button')].find((b) => b.textContent === 'Show on the timeline').click()")
        s = b.run("const s = orma.trace.loaded(orma.tree.pinned[0]).slices; return [...s.start].map((t, i) => [t, s.dur[i], orma.trace.text(s.name[i])])")
        begin = self.sql(trace, "SELECT start_ts FROM trace_bounds")[0][0]
        self.assertEqual(sorted(s), sorted([ts - begin, dur, state] for ts, dur, state in self.sql(trace, "SELECT ts, dur, state FROM thread_state")))
        b.frame()
        self.nothing_wrong()

    def test_heaps(self):
        text = self.trace(HEAP, "t.txt")
        trace = self.dir / "t.pftrace"
        self.orma("convert", "binary", text, trace)
        b = self.open_file(trace)
        b.wait("document.querySelectorAll('.flame canvas').length === 2")
        told = b.run("return document.querySelector('.content').innerText")
        for wanted in ("libc.malloc, not freed", "7.8 KiB", "libc.malloc, allocated", "9.3 KiB", "there is no timeline"):
            self.assertIn(wanted, told)
        page = b.run("return document.body.innerText")
        self.assertNotRegex(page, r"\b\d+ ns\b", "sums lie at no time")
        self.assertEqual(b.run("return [...document.querySelectorAll('.strip, .splitter')].map((e) => e.offsetHeight)"), [0, 0, 0])
        self.assertGreater(b.run("return document.querySelector('.panel').offsetHeight / innerHeight"), 0.8)
        b.key("q", "KeyQ")
        self.assertGreater(b.run("return document.querySelector('.panel').offsetHeight"), 0, "it stays: there is nothing else")
        self.nothing_wrong()

    def test_graphs_of_objects(self):
        text = self.trace(OBJECTS, "t.txt")
        trace = self.dir / "t.pftrace"
        self.orma("convert", "binary", text, trace)
        b = self.open_file(trace)
        b.wait("document.querySelectorAll('.flame canvas').length === 2")
        told = b.run("return document.querySelector('.content').innerText")
        sizes = dict(self.sql(trace, "SELECT graph_sample_ts, sum(self_size) FROM heap_graph_object WHERE reachable GROUP BY 1"))
        self.assertEqual(sorted(sizes.values()), [40, 70])
        for size in sizes.values():
            self.assertIn(f"reachable", told)
            self.assertIn(f"all: {size} B", told)
        names = b.run("return orma.trace.heaps.map((h) => orma.trace.sites.get(h.site)).map((s) => [s.name, s.parent < 0 ? '' : orma.trace.sites.get(s.parent).name])")
        self.assertEqual([n for n in names if n[0] == "java.lang.String"], [["java.lang.String", "app.Tree [ROOT_JAVA_FRAME]"]] * 2)
        self.nothing_wrong()

    def test_notes_are_text_and_in_the_link(self):
        b = self.open_file(self.trace(made_json()))
        b.run("orma.chooseArea({ from: 1e6, to: 2e6, rows: [] })")
        b.key("n", "KeyN")
        b.wait("document.querySelector('dialog textarea')")
        note = HOSTILE[0] + " 1,2-3&x=%"
        b.run(f"document.querySelector('dialog textarea').value = {json.dumps(note)}")
        b.key("Enter", modifiers=2), b.frame()
        self.assertEqual(b.run("return orma.marks"), [{"from": 1e6, "to": 2e6, "text": note.strip()}])
        link = b.run("orma.copyLink(); return location.href")
        b.call("Page.navigate", url="about:blank")
        b.open(link)
        self.assertEqual(b.run("return orma.marks"), [{"from": 1e6, "to": 2e6, "text": note.strip()}])
        b.run("orma.panel.show('Trace')")
        self.assertIn(note.strip(), b.run("return document.querySelector('.content').textContent"))
        self.assertEqual(b.run("return document.querySelectorAll('img, [onerror]').length"), 0)
        b.problems = [p for p in b.problems if "lipboard" not in p]
        self.nothing_wrong()

    def test_commands(self):
        b = self.open_file(self.trace(made_json()))
        row = b.run("const row = orma.trace.rows.find((r) => r && r.kind === 1); return [row.n, orma.trace.label(row)]")
        b.key("k", "KeyK", modifiers=2)
        b.wait("document.querySelector('.palette input')")
        b.run(f"const i = document.querySelector('.palette input'); i.value = {json.dumps('go to ' + row[1])}; i.dispatchEvent(new Event('input'))")
        b.key("Enter"), b.frame()
        self.assertEqual(b.run("return [orma.trace.label(orma.trace.rows[orma.focused]), document.querySelectorAll('dialog').length]"), [row[1], 0])
        b.run("orma.searchBox.value = 'counter'; orma.tree.only('no such row'); orma.draw()"), b.frame()
        self.assertEqual(b.run("return orma.tree.lines.map((l) => l.text)"), ["No row has this name"])
        b.run("orma.heads.focus()"), b.key("Escape"), b.frame()
        self.assertGreater(b.run("return orma.tree.lines.length"), 3)
        self.nothing_wrong()

    def test_by_the_keyboard_alone(self):
        trace = self.trace(made_json())
        p, port, token = self.serve(trace)
        b = self.browser
        b.open(f"http://127.0.0.1:{port}/#k={token}")
        tab = lambda: (b.key("Tab", "Tab", windowsVirtualKeyCode=9), b.frame())
        until = lambda what: next((n for n in range(60) if (tab(), b.run(f"return !!document.activeElement?.matches('{what}')"))[1]), None)
        chosen = lambda: b.run("const c = orma.chosen, s = c && c.data.slices; return c ? [c.kind, c.row, s ? s.depth[c.item] : -1, orma.span(c)[0]] : null")
        # All parts are reached by Tab.
        for what in ("input[type=search]", ".heads", ".splitter", "[role=tab]", ".content"):
            self.assertIsNotNone(until(what), what)
        self.assertIsNotNone(until(".heads"))
        # A row, its first slice, the next one, what is inside it and what the thread did.
        b.key("Home"), b.frame()
        b.run("orma.heads.focus()")
        while not b.run("return orma.trace.rows[orma.focused].lanes"):
            before = b.run("return orma.focused")
            b.key("ArrowDown"), b.frame()
            self.assertNotEqual(b.run("return orma.focused"), before)
        b.key("."), b.wait("orma.chosen")
        first = chosen()
        self.assertEqual(first[:2], ["slice", b.run("return orma.focused")])
        b.key("."), b.wait(f"orma.span(orma.chosen)[0] > {first[3]}")
        for _ in range(40):
            b.key("ArrowDown", modifiers=8), b.frame()
            if chosen()[2] == first[2] + 1:
                break
            b.key("."), b.frame()
        self.assertEqual(chosen()[2], first[2] + 1)
        b.key("ArrowUp", modifiers=8), b.wait(f"orma.chosen.data.slices.depth[orma.chosen.item] === {first[2]}")
        self.assertIn("Duration", b.run("return document.querySelector('.content').innerText"))
        b.key("f", "KeyF"), b.frame()
        # The figures of what is in view are those of SQL.
        b.key("0", "Digit0"), b.frame()
        b.key("r", "KeyR"), b.wait("document.querySelector('.content table')")
        told = b.run("return [orma.focused, [...document.querySelectorAll('.content table')[0].querySelectorAll('tbody tr')].map((tr) => [tr.cells[0].innerText, +tr.cells[1].innerText.replace(/\\D/g, '')])]")
        tid = b.run(f"return orma.trace.rows[{told[0]}].id")
        asked = dict(self.sql(trace, f"SELECT s.name, count(*) FROM slice s JOIN thread_track k ON k.id = s.track_id JOIN thread USING (utid) WHERE tid = {tid} GROUP BY 1"))
        self.assertTrue(asked)
        for name, n in told[1]:
            if name in asked:
                self.assertEqual(n, asked[name], name)
        # The panel: another tab, its height; and it goes and comes.
        self.assertIsNotNone(until("[role=tab]"))
        for _ in range(5):
            b.key("ArrowRight"), b.frame()
        self.assertTrue(b.run("return document.activeElement.matches('[role=tab]')"))
        self.assertIsNotNone(until(".splitter"))
        before = b.run("return orma.panel.root.clientHeight")
        b.key("ArrowUp"), b.frame()
        self.assertGreater(b.run("return orma.panel.root.clientHeight"), before)
        b.key("q", "KeyQ"), b.frame()
        self.assertTrue(b.run("return orma.panel.root.hidden"))
        b.key("q", "KeyQ"), b.frame()
        # The flame graph.
        b.run("orma.chooseArea({ from: 0, to: orma.trace.span, rows: orma.trace.rows.filter(Boolean).map((r) => r.n) }); orma.panel.show('Flame graph')")
        b.wait("document.querySelector('.flame canvas')"), b.frame()
        self.assertIsNotNone(until(".flame canvas"))
        b.key("ArrowDown"), b.frame(), b.key("Enter"), b.frame()
        self.assertTrue(b.run("return [...document.querySelectorAll('.flame button')].some((x) => !x.hidden)"))
        b.key("Backspace"), b.frame()
        self.assertFalse(b.run("return [...document.querySelectorAll('.flame button')].some((x) => !x.hidden)"))
        self.nothing_wrong()

    def test_a_filter_opens_what_it_finds(self):
        b = self.open_file(self.trace(json.dumps({"traceEvents": [
            *({"ph": "M", "pid": p, "name": "process_name", "args": {"name": name}} for p, name in ((7, "server"), (8, "client"))),
            *({"ph": "X", "pid": p, "tid": t, "ts": 5, "dur": 9, "name": "s"} for p in (7, 8) for t in (p * 10, p * 10 + 1))]})))
        server = b.run("return orma.trace.rows.find((r) => r && r.kind === 1 && r.id === 7).n")
        shown = "return orma.tree.lines.filter((l) => l.row >= 0).length"
        b.run(f"orma.tree.open.clear(); orma.tree.lay(); orma.tree.only('serv')"), b.frame()
        self.assertEqual(b.run(shown), 3, "the process and its threads")
        b.run(f"orma.tree.toggle({server})"), b.frame()
        self.assertEqual(b.run(shown), 1, "folded by hand")
        b.run("orma.tree.only('')"), b.frame()
        self.assertEqual(b.run(shown), 2, "as before")
        self.nothing_wrong()

    def test_a_profile_opens_on_its_flame_graph(self):
        lines = "".join(f"prog 7/7 1.{i:03}: 1 cycles:\n\t1 work (/bin/prog)\n\t2 main (/bin/prog)\n\n" for i in range(9))
        b = self.open_file(self.trace(lines, "perf.txt"))
        b.wait("document.querySelector('.flame canvas')"), b.frame()
        self.assertEqual(b.run("return document.querySelector('[role=tab][aria-selected=true]').textContent"), "Flame graph")
        self.nothing_wrong()

    def test_it_begins_where_something_is(self):
        events = [{"ph": "X", "pid": 1, "tid": 1, "ts": 9e6 + 1000 * i, "dur": 700, "name": "late"} for i in range(900)]
        b = self.open_file(self.trace(json.dumps({"traceEvents": [*events, {"ph": "C", "pid": 1, "ts": 0, "name": "c", "args": {"v": 1}}]})))
        self.assertGreater(b.run("return orma.time(0) / orma.trace.span"), 0.85)
        b.key("0", "Digit0"), b.frame()
        self.assertLess(b.run("return orma.time(0)"), 0)
        # A slice long before all others does not make these too small to be seen.
        b = self.open_file(self.trace(json.dumps({"traceEvents": [*events, {"ph": "X", "pid": 2, "tid": 2, "ts": 0, "dur": 1, "name": "early"}]})))
        self.assertGreater(b.run("return orma.time(0) / orma.trace.span"), 0.85)
        # Any row counts, not only those of CPUs.
        text = self.trace(SCHED + "".join('packet { trusted_packet_sequence_id: 9 trusted_pid: 11 timestamp: %d %s }\n' % part for part in (
            (900000, 'track_descriptor { uuid: 5 thread { pid: 500 tid: 500 } }'), (900000, 'track_event { type: TYPE_SLICE_BEGIN track_uuid: 5 name: "job" }'),
            (950000, 'track_event { type: TYPE_SLICE_END track_uuid: 5 }'))), "t.txt")
        trace = self.dir / "t.pftrace"
        self.orma("convert", "binary", text, trace)
        b = self.open_file(trace)
        self.assertLess(b.run("return orma.time(0)"), 0)
        self.assertGreater(b.run("return orma.time(orma.width)"), b.run("return orma.trace.span"))
        self.nothing_wrong()

    def test_a_process_of_one_thread_is_one_row(self):
        b = self.open_file(self.trace(json.dumps({"traceEvents": [{"ph": "M", "pid": 7, "name": "process_name", "args": {"name": "alone"}},
                                                                  *({"ph": "X", "pid": p, "tid": t, "ts": 5, "dur": 9, "name": "s"} for p, t in ((7, 7), (8, 8), (8, 9)))]})))
        lines = b.run("return [...document.querySelectorAll('.head .name')].map((n) => n.textContent)")
        self.assertEqual(sum("alone 7" in line for line in lines), 1)
        self.assertEqual(b.run("return orma.tree.lines.filter((l) => l.row >= 0).length"), 4)
        b.run("orma.showRow(orma.trace.rows.find((r) => r && r.kind === 1 && r.id === 7).n)"), b.frame()
        self.assertEqual(b.run("return orma.trace.rows[orma.focused].kind"), 2)
        b.run("orma.searchBox.value = 'alone'; orma.tree.only('alone'); orma.draw()"), b.frame()
        self.assertEqual(b.run("return orma.tree.lines.length"), 1)
        self.nothing_wrong()

    def test_rows_are_reordered_by_a_drag(self):
        b = self.open_file(self.trace(made_json()))
        siblings = "const rows = orma.trace.rows.find((r) => r && r.kind === 1 && r.children.filter((c) => orma.trace.rows[c].lanes).length > 1).children;"
        before = b.run(f"{siblings} return rows")
        at = b.run(f"{siblings} return rows.map((n) => {{ const box = document.querySelector('#hr' + n + ' .name').getBoundingClientRect(); return [box.left + 30, box.top + 6, orma.tree.lines.find((l) => l.row === n).height] }})")
        b.drag(at[0][0], at[0][1], at[0][0], at[0][1] + max(12, at[0][2] * 0.7)), b.frame()
        after = b.run(f"{siblings} return rows")
        self.assertEqual(after[:2], [before[1], before[0]])
        self.assertEqual(b.run(f"return orma.tree.lines.filter((l) => [{before[0]}, {before[1]}].includes(l.row)).map((l) => l.row)"), after[:2])
        # The link has the order, and what is done twice is told once.
        b.run(f"orma.tree.move({before[0]}, 1); orma.tree.move({before[0]}, -1); orma.link.write()")
        link = b.run("return location.hash")
        self.assertEqual(link.count(str(before[0]) + ","), 1, link)
        b.open(b.run("return location.href").split("#")[0] + "?again" + link)
        self.assertEqual(b.run(f"{siblings} return rows"), after)
        self.nothing_wrong()

    def test_a_log(self):
        """It is opened, with words for numbers; the strip over the whole says when there was much."""
        lines = "".join(f"11-28 02:00:{i // 20:02}.{i % 20:02}0  100  {101 + i % 3} {'VDIWEF'[i % 6]} Tag{i % 4}: message {i} <b>\r\n" for i in range(600))
        trace = self.trace(lines, "t.log")
        b = self.open_file(trace)
        b.wait("document.querySelector('.content table')")
        told = b.run("return [...document.querySelectorAll('.content tbody tr')].map((tr) => [...tr.cells].slice(1).map((c) => c.innerText))")
        words = ["Verbose", "Debug", "Info", "Warning", "Error", "Fatal"]
        self.assertEqual(told, [[words[i % 6], f"Tag{i % 4}", f"message {i} <b>"] for i in range(500)])
        self.assertIn("600 messages", b.run("return document.querySelector('.facts').innerText").replace("\u202f", ""))
        self.assertGreater(b.run("return Math.max(0, ...[...orma.trace.overview.values()].flatMap((v) => [...v]))"), 0)
        self.nothing_wrong()

    def test_fingers(self):
        b = self.open_file(self.trace(made_json()))
        box = b.run("const r = orma.canvas.getBoundingClientRect(); return [r.left, r.top]")
        before = b.run("return [orma.view.nsPerPx, orma.time(300)]")
        touch = lambda kind, *xs: b.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": box[0] + x, "y": box[1] + 60, "id": i} for i, x in enumerate(xs)])
        touch("touchStart", 250, 350), touch("touchMove", 200, 400), touch("touchMove", 200, 400), touch("touchEnd"), b.frame()
        after = b.run("return [orma.view.nsPerPx, orma.time(300)]")
        self.assertAlmostEqual(after[0], before[0] / 2, delta=before[0] / 50)
        self.assertAlmostEqual(after[1], before[1], delta=before[0] * 4)
        touch("touchStart", 300), touch("touchMove", 310), touch("touchMove", 400), touch("touchEnd"), b.frame()
        self.assertAlmostEqual(b.run("return orma.time(400)"), after[1], delta=after[0] * 20)
        self.assertFalse(b.run("return !!orma.area"))
        self.nothing_wrong()

    def test_without_the_token(self):
        p, port, token = self.serve(self.trace(made_json(50)))
        self.browser.run("try { sessionStorage.clear() } catch (e) {}")
        self.browser.call("Page.navigate", url=f"http://127.0.0.1:{port}/#k=00")
        self.browser.wait("document.querySelector('.error:not([hidden])')")
        self.assertIn("link", self.browser.run("return document.querySelector('.error').textContent"))


    def test_what_is_read_so_far_is_shown(self):
        p, port, token = self.serve(self.demo(3e6), "--cache=off")
        b = self.browser
        b.open(f"http://127.0.0.1:{port}/#k={token}", "orma.painter.drawn && orma.trace.info.partial")
        open_rows = b.run("return orma.tree.lines.filter((l) => l.open).map((l) => l.row)")
        b.run("window.first = orma.trace; orma.zoomTo(orma.trace.span * .02, orma.trace.span * .04); orma.tree.toggle(orma.tree.lines.find((l) => l.open).row)")
        b.run("orma.chooseArea({ from: 0, to: 1e9, rows: [0] }); orma.chooseFirst()")  # of what is not there yet: nothing
        seen = b.run("return [orma.view.from, orma.view.nsPerPx, orma.area ?? null, orma.chosen ?? null, document.querySelectorAll('.tabs button:disabled').length]")
        b.wait("!orma.trace.info.partial && orma.settled")
        self.assertEqual(seen[2:], [None, None, 6])
        self.assertEqual(b.run("return [orma.view.from, orma.view.nsPerPx]"), seen[:2])
        self.assertEqual(b.run("return [orma.tree.open.has(%d), orma.trace === first, document.querySelectorAll('.tabs button:disabled').length]" % open_rows[0]), [False, False, 0])
        self.assertIn("slices", b.run("return document.querySelector('.facts').innerText"))
        b.run("orma.tree.toggle(%d); orma.draw()" % open_rows[0])
        b.frame()
        b.wait("orma.settled")
        b.run("orma.chooseFirst()")
        b.wait("orma.chosen")
        self.nothing_wrong()


@unittest.skipUnless(FIREFOX, "needs Firefox")
class InFirefox(Serving):
    test_answers = test_who_may_ask = None

    @classmethod
    def setUpClass(cls):
        cls.browser = Firefox(slow=SLOW)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def nothing_wrong(self):
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('.error:not([hidden])')].map((e) => e.textContent)"), [])

    def test_a_file(self):
        trace = self.trace(made_json())
        self.page(trace)
        b = self.browser
        b.open((self.dir / "t.html").as_uri())
        self.nothing_wrong()
        b.run("for (const r of orma.trace.rows) if (r) await orma.trace.load(r.n)")
        self.assertEqual(b.run("return performance.getEntriesByType('resource').map((r) => r.name)"), [])
        before = b.run("return orma.view.nsPerPx")
        b.key("w"), b.frame()
        self.assertLess(b.run("return orma.view.nsPerPx"), before)
        id, name, dur, ts = self.sql(trace, "SELECT id, name, dur, ts FROM slice WHERE dur > 30000 AND name GLOB 'work*' LIMIT 1")[0]
        x, y = b.run(SLICE_AT + f"for (const r of orma.trace.rows) {{ if (!r || !r.lanes) continue; const s = orma.trace.loaded(r.n).slices; "
                     f"const i = s ? s.id.indexOf({id}) : -1; if (i >= 0) return at(r.n, i); }}")
        b.frame()
        b.click(x, y)
        b.wait("document.querySelector('.content h2')")
        text = b.run("return document.querySelector('.content').innerText")
        for wanted in (name, str(ts), f"{dur:,} ns".replace(",", "\u202f")):
            self.assertIn(wanted, text)
        b.run("orma.panel.show('Flame graph')")
        b.wait("document.querySelector('.flame canvas')")
        self.assertEqual(b.run("return document.querySelectorAll('img, iframe, [onerror]').length"), 0)
        self.nothing_wrong()

    def test_states_are_drawn_in_their_colours(self):
        text = self.trace(SCHED, "t.txt")
        trace = self.dir / "t.pftrace"
        self.orma("convert", "binary", text, trace)
        self.page(trace)
        b = self.browser
        b.open((self.dir / "t.html").as_uri())
        b.wait("orma.settled")
        colours = {c for row in pixels(b.picture()) for c in row}
        self.assertIn((0x00, 0x9E, 0x73), colours)
        self.nothing_wrong()

    def test_the_server(self):
        trace = self.trace(made_json())
        p, port, token = self.serve(trace)
        b = self.browser
        b.open(f"http://127.0.0.1:{port}/#k={token}")
        b.run("orma.panel.show('SQL'); document.querySelector('textarea').value = 'SELECT count(*) AS n FROM slice'; document.querySelector('.sql button').click()")
        b.wait("document.querySelector('.sql tbody td')")
        self.assertEqual(int(b.run("return document.querySelector('.sql tbody td').innerText")), self.sql(trace, "SELECT count(*) FROM slice")[0][0])
        self.nothing_wrong()


del BrowserCase, Serving
if __name__ == "__main__":
    unittest.main()
