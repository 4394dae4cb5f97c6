"""Random profiles of V8 against sums that are worked out here from what their maker wrote down, and damaged ones: what can't be read is
counted, and nothing grows faster than the file."""
import collections
import json
import random

from orma_env import *


SEEDS = int(os.environ.get("ORMA_TEST_SEEDS", 20))


class Maker:
    """A tree of functions, of which each node has a path from the root."""

    def __init__(self, seed):
        self.rnd = random.Random(seed)
        self.nodes = [{"path": (), "name": "(root)", "children": []}]
        for _ in range(self.rnd.randrange(1, 40)):
            caller = self.rnd.randrange(len(self.nodes))
            name = self.rnd.choice(("a", "b", "c d", "Größe", 'q"\\', "", "(program)", "(idle)", "(garbage collector)"))
            self.nodes[caller]["children"].append(len(self.nodes))
            path = self.nodes[caller]["path"] + (name or "(anonymous)",)
            self.nodes.append({"path": path, "name": name, "children": []})
        ids = self.rnd.sample(range(-50, 500), len(self.nodes))
        for node, number in zip(self.nodes, ids):
            node["id"] = number
            node["url"] = self.rnd.choice(("", "file:///x/y.js", "node:internal/z"))
            node["line"] = self.rnd.randrange(0, 99) if node["url"] else -1

    def frame(self, node):
        return {"functionName": node["name"], "scriptId": "1", "url": node["url"], "lineNumber": node["line"], "columnNumber": 3}

    def shuffled(self, members):
        items = list(members.items())
        self.rnd.shuffle(items)
        return dict(items)

    def stack(self, node):
        return ";".join(node["path"]) or "(root)"

    def samples(self):
        """Nodes and times; now and then one is late."""
        at, ret = self.rnd.randrange(0, 10**12), []
        start = at
        for _ in range(self.rnd.randrange(1, 60)):
            step = self.rnd.randrange(0, 2000) if self.rnd.random() < 0.9 else -self.rnd.randrange(0, 50)
            at = max(at + step, start)
            ret.append((self.rnd.choice(self.nodes), at))
        return start, ret, max(t for _, t in ret) + self.rnd.randrange(0, 900)

    def fold(self, samples, end, unit):
        ret = collections.Counter()
        order = sorted(range(len(samples)), key=lambda i: samples[i][1])
        for i, then in zip(order, order[1:] + [None]):
            ret[self.stack(samples[i][0])] += (end if then is None else samples[then][1]) * unit - samples[i][1] * unit
        return +ret

    def cpu_profile(self):
        start, samples, end = self.samples()
        by_parent, nodes = self.rnd.random() < 0.3, []
        callers = {c: n["id"] for n in self.nodes for c in n["children"]}
        for i, n in enumerate(self.nodes):
            node = {"id": n["id"], "callFrame": self.frame(n), "hitCount": 1}
            if by_parent and i in callers:
                node["parent"] = callers[i]
            elif not by_parent:
                node["children"] = [self.nodes[c]["id"] for c in n["children"]]
            nodes.append(self.shuffled(node))
        self.rnd.shuffle(nodes)
        times = [t for _, t in samples]
        whole = {"nodes": nodes, "startTime": start, "endTime": end, "samples": [n["id"] for n, _ in samples],
                 "timeDeltas": [b - a for a, b in zip([start] + times, times)]}
        return self.shuffled(whole), self.fold(samples, end, 1000), len(samples)

    def old_cpu_profile(self):
        start, samples, end = self.samples()

        def nest(n):
            return self.shuffled({"functionName": n["name"], "url": n["url"], "lineNumber": n["line"] + 1, "callUID": 7, "hitCount": 2,
                                  "id": n["id"], "children": [nest(self.nodes[c]) for c in n["children"]]})
        whole = {"head": nest(self.nodes[0]), "startTime": start // 10**6, "endTime": -(-end // 10**6), "samples": [n["id"] for n, _ in samples],
                 "timestamps": [t for _, t in samples]}
        return self.shuffled(whole), self.fold(samples, -(-end // 10**6) * 10**6, 1000), len(samples)

    def hits(self):
        """Without samples, there are counts of nodes."""
        expected, nodes = collections.Counter(), []
        for n in self.nodes:
            hits = self.rnd.randrange(0, 9)
            expected[self.stack(n)] += hits
            nodes.append({"id": n["id"], "callFrame": self.frame(n), "hitCount": hits, "children": [self.nodes[c]["id"] for c in n["children"]]})
        return {"nodes": nodes, "startTime": 5, "endTime": 9}, +expected, None

    def heap_profile(self):
        expected = collections.Counter()

        def nest(n):
            size = self.rnd.choice((0, self.rnd.randrange(1, 10**9)))
            expected[self.stack(n)] += size
            return self.shuffled({"callFrame": self.frame(n), "selfSize": size, "id": n["id"], "children": [nest(self.nodes[c]) for c in n["children"]]})
        head = nest(self.nodes[0])
        samples = [{"size": 8, "nodeId": self.rnd.choice(self.nodes)["id"], "ordinal": i} for i in range(self.rnd.randrange(5))]
        return self.shuffled({"head": head, "samples": samples}), +expected, None

    def speedscope(self):
        """Stacks with weights, as lists or as what opens and closes."""
        unit, ns = self.rnd.choice((("nanoseconds", 1), ("microseconds", 10**3), ("milliseconds", 10**6), ("seconds", 10**9)))
        names = list("abcdefg") + [f"f{i}" for i in range(9)]
        at = start = self.rnd.randrange(0, 10**6)
        expected, stacks, weights, events, now = collections.Counter(), [], [], [], []
        for _ in range(self.rnd.randrange(1, 60)):
            stack = now[:self.rnd.randrange(len(now) + 1)]
            stack += [self.rnd.randrange(len(names)) for _ in range(self.rnd.randrange(not stack, 4))]
            same = 0
            while same < min(len(now), len(stack)) and now[same] == stack[same]:
                same += 1
            events += [{"type": "C", "frame": f, "at": at} for f in reversed(now[same:])]
            events += [{"type": "O", "frame": f, "at": at} for f in stack[same:]]
            weight = self.rnd.randrange(0, 50)
            expected[";".join(names[f] for f in stack)] += weight * ns
            stacks.append(stack)
            weights.append(weight)
            at, now = at + weight, stack
        events += [{"type": "C", "frame": f, "at": at} for f in reversed(now)]
        profile = {"name": "Thread 7", "unit": unit, "startValue": start, "endValue": at}
        profile |= self.rnd.choice(({"type": "sampled", "samples": stacks, "weights": weights}, {"type": "evented", "events": events}))
        whole = {"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": n} for n in names]},
                 "profiles": [self.shuffled(profile)]}
        return self.shuffled(whole), +expected, len(stacks) if profile["type"] == "sampled" else -1


def folded(text, has_thread):
    ret = collections.Counter()
    for line in text.splitlines():
        stack, weight = line.rsplit(" ", 1)
        ret[stack.split(";", 1)[1] if has_thread else stack] += int(weight)
    return ret


def cpu(nodes, samples, deltas, **more):
    return json.dumps({"nodes": nodes, "startTime": 10, "endTime": 99, "samples": samples, "timeDeltas": deltas, **more})


def node(number, *children, **more):
    return {"id": number, "callFrame": {"functionName": f"f{number}", "url": "", "lineNumber": -1}, "children": list(children), **more}


class JsonProfiles(Case):
    def write(self, text):
        path = self.dir / "p.json"
        path.write_text(text)
        return path

    def said(self, *argv, code=0):
        """Both outputs, as text."""
        done = self.orma(*argv, code=code)
        return done.stdout.decode(), done.stderr.decode()

    def check(self, make, seeds=SEEDS):
        for seed in range(seeds):
            whole, expected, samples = make(Maker(seed))
            path = self.write(json.dumps(whole, ensure_ascii=bool(seed % 2), indent=seed % 3 or None))
            with self.subTest(seed=seed):
                if not expected:
                    self.assertIn("no samples", self.said("convert", "collapsed", path, "-", code=1)[1])
                    continue
                out, err = self.said("convert", "collapsed", path, "-")
                self.assertEqual(err, "")
                self.assertEqual(folded(out, samples is not None), expected)
                if samples is not None and samples >= 0 and seed % 4 == 0:
                    self.assertEqual(self.one(path, "SELECT count(*) FROM cpu_profile_stack_sample"), str(samples))

    def test_cpu_profiles(self):
        self.check(Maker.cpu_profile)

    def test_cpu_profiles_of_the_old_form(self):
        self.check(Maker.old_cpu_profile)

    def test_counts_without_samples(self):
        self.check(Maker.hits, SEEDS // 4)

    def test_heap_profiles(self):
        self.check(Maker.heap_profile)

    def test_speedscope(self):
        self.check(Maker.speedscope)

    def test_frames_of_speedscope_that_do_not_nest(self):
        events = [("O", 0, 0), ("O", 1, 2), ("C", 0, 5), ("C", 1, 6), ("O", 1, 7), ("O", 9, 8), ("C", 1, 3)]
        path = self.write(json.dumps({"shared": {"frames": [{"name": "A"}, {"name": "B"}]}, "profiles": [
            {"type": "evented", "name": "p", "unit": "seconds", "startValue": 0, "endValue": 9,
             "events": [{"type": t, "frame": f, "at": at} for t, f, at in events]}]}))
        out, _ = self.said("query", path, "SELECT ts / 1000000000 AS s, dur / 1000000000 AS d, depth, name FROM slice ORDER BY ts")
        self.assertEqual(out.split()[1:], ['0,5,0,"A"', '2,3,1,"B"', '7,0,0,"B"'])
        for message in ("1 end of frames before those inside of them", "1 end of frames was dropped", "1 event of no known type",
                        "1 event without a valid time", "1 end of frames is missing"):
            self.assertIn(message, self.said("stats", path)[0])

    def test_ends_of_frames_that_are_not_open_cost_no_more_than_others(self):
        def seconds(kind, num=50000):
            events = [{"type": "O", "frame": 0, "at": i} for i in range(num)] + [{"type": kind, "frame": 1, "at": num + i} for i in range(num)]
            path = self.write(json.dumps({"shared": {"frames": [{"name": "A"}, {"name": "B"}]}, "profiles": [
                {"type": "evented", "name": "p", "unit": "seconds", "startValue": 0, "endValue": 9 * num, "events": events}]}))
            p = self.start(ORMA, "stats", path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            self.assertIn(f"{num} ends of frames are missing", p.stdout.read().decode())
            _, _, usage = os.wait4(p.pid, 0)
            p.returncode = 0
            return usage.ru_utime
        self.assertLess(seconds("C"), 5 * seconds("unknown") + 0.2)

    def test_all_commands_show_the_same(self):
        path = self.write(cpu([node(1, 2), node(2)], [1, 2, 2], [0, 30, 10]))
        report, _ = self.said("profile", "report", path)
        self.assertIn("3 samples, which stand for 89.0 us", report)
        self.assertRegex(report, r"66\.3 % +59\.0 us +66\.3 % +59\.0 us +f2")
        overview = json.loads(self.said("report", "--json", path, "overview")[0])["sections"][0]["rows"]
        self.assertEqual([r["value"] for r in overview if r["what"] in ("processes", "threads", "length")], ["40.000 us", 1, 1])
        self.assertRegex(self.said("stats", path)[0], r" 1  threads\n +1  processes")
        self.assertRegex(self.said("report", path, "functions")[0], r"f2 +time, nanoseconds +59000")
        flame = json.loads(self.said("convert", "speedscope", path, "-")[0])
        self.assertEqual(flame["profiles"][0]["unit"], "nanoseconds")
        self.assertEqual(sorted(flame["profiles"][0]["weights"]), [30000, 59000])
        self.assertIn("59000", self.said("convert", "flamegraph", path, "-")[0])
        said, _ = self.said("convert", "profile", path, "--output-dir", "pprofs")
        self.assertIn(": 89000 ns", said)
        sums, _ = self.said("query", *(self.dir / "pprofs").iterdir(), "SELECT sample_type_type AS type, sample_type_unit AS unit, sum(value) AS sum "
                            "FROM __intrinsic_aggregate_sample s JOIN __intrinsic_aggregate_profile p ON p.id = s.aggregate_profile_id GROUP BY 1 ORDER BY 1")
        self.assertEqual(sums.split()[1:], ['"samples","count",3.000000', '"time","nanoseconds",89000.000000'])
        self.assertIn("counts each sample as one", self.said("convert", "firefox", path, "-")[1])
        # what changed between samples that stand for different times is no test of counts
        self.assertNotIn("due to chance", self.said("profile", "diff", path, path)[0])

    def test_a_comparison_is_one_of_times(self):
        def write(name, *weights):
            (self.dir / name).write_text(cpu([node(1, 2), node(2)], [1 + i % 2 for i in range(400)], [0] + [weights[i % 2] for i in range(399)],
                                             startTime=0, endTime=sum(weights) * 200))
        write("a", 1000, 9000)
        write("b", 9000, 1000)
        said, _ = self.said("diff", "a", "b", "functions")
        self.assertIn("of the time that was sampled?", said)
        self.assertRegex(said, r"f1 +200 +200 +\+79\d\.\d% total")
        self.assertRegex(said, r"f2 +200 +200 +-88\.\d% total")
        self.assertIn("No differences", self.said("diff", "a", "a", "functions")[0])

    def test_weights_past_all_sense_are_told(self):
        path = self.write(json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": "f"}]}, "profiles": [
            {"type": "sampled", "name": f"Thread {i}", "unit": "nanoseconds", "startValue": 0, "endValue": 1, "samples": [[0]], "weights": [9e18]} for i in range(3)]}))
        out, err = self.said("convert", "collapsed", path, "-")
        self.assertEqual(folded(out, True), {"f": 3 * 2**53})
        self.assertIn("3 weights of more than a hundred days", err)
        self.assertIn(f"{3 * 2**53} ns", self.said("convert", "profile", path, "--output-dir", "pprofs")[0])
        self.said("report", path, "functions")
        self.said("diff", path, path)

    def test_counters_of_samples_that_begin_anew(self):
        """The events of a sample are no less than none, nor 2^64 less than that."""
        text = ""
        for i, (count, stack) in enumerate(((5000, 1), (6000, 1), (100, 2), (200, 2))):
            head = "sequence_flags: 2" if i else "sequence_flags: 1 trace_packet_defaults { perf_sample_defaults { timebase { period: 100 counter: HW_CPU_CYCLES } } } interned_data { " + \
                " ".join(f'function_names {{ iid: {n} str: "{"fg"[n - 1]}" }} frames {{ iid: {n} function_name_id: {n} }} callstacks {{ iid: {n} frame_ids: {n} }}' for n in (1, 2)) + " }"
            text += f"packet {{ trusted_packet_sequence_id: 1 {head} timestamp: {10 + i} perf_sample {{ cpu: 0 pid: 1 tid: 1 timebase_count: {count} callstack_iid: {stack} }} }}\n"
        self.write(text)
        self.said("convert", "binary", "p.json", "p.pftrace")
        self.assertEqual(folded(self.said("convert", "collapsed", "p.pftrace", "-")[0], True), {"f": 2000, "g": 200})

    def test_sums_of_others_become_pprof(self):
        (self.dir / "c").write_text("a;b 3\na;c 4.5\na 1\n")
        said, _ = self.said("convert", "profile", "c", "--output-dir", "pprofs")
        self.assertIn("profile.samples.pb: 9 count", said)
        self.assertEqual(folded(self.said("convert", "collapsed", "pprofs/profile.samples.pb", "-")[0], False), {"a;b": 3, "a;c": 5, "a": 1})

    def test_what_cannot_be_read_is_counted(self):
        for text, message in (
                (cpu([node(1, 2), node(2, 1), node(3)], [3, 1], [1, 1]), "1 sample with a circle of callers"),
                (cpu([node(1), node(1)], [1], [1]), "1 node with the id of another one"),
                (cpu([node(1, 5)], [1], [1]), "1 callee missing from the profile"),
                (cpu([node(1, 3), node(2, 3), node(3)], [1], [1]), "1 node with two callers"),
                (cpu([node(1), "x", 7], [1], [1]), "2 nodes that are no objects"),
                (cpu([node(1)], [1, 9], [1, 1]), "1 sample whose node is not in the profile"),
                (cpu([node(1)], [1, 1, 1], [1, float("nan"), 1]), "1 sample without a valid time"),
                (cpu([node(1)], [1, 1, 1], [1, 1e300, 1]), "1 sample behind one without a valid time"),
                (cpu([node(1)], [1, 1], [1, 2**62]), "1 sample without a valid time"),
                (cpu([node(1)], [1, 1, 1], [1, -5000, 6000]), "1 sample with a time before zero"),
                (cpu([node(1)], [1, 1], [1]), "1 sample without a time"),
                (cpu([node(1)], [1], [1, 1]), "1 time without a sample"),
                (cpu([node(1, parent=8)], [1], [1]), "1 caller missing from the profile"),
                (cpu([node(1)], [1], [1])[:-1] + ', "samples": [1, 1]}', "1 member with the name of another one"),
                (cpu([node(1)], [1, 1], [1, 1]).replace("[1, 1]}", "[1, 1"), "truncated"),
                (cpu([node(1)], [1, 1], [1, 1]).replace('"endTime"', '"other"'), "1 end of the last sample"),
                (cpu([node(1)], [1, 1], [1, 1]).replace("[1, 1]}", "[1, ?, 1]}"), "1 damaged place")):
            with self.subTest(message=message, text=text):
                out, err = self.said("query", self.write(text), "SELECT count(*) FROM stack_sample")
                self.assertIn(message, err)
                self.assertGreater(int(out.split()[1]), 0)

    def test_a_profile_cut_anywhere_is_read_or_refused(self):
        for whole in (cpu([node(1, 2), node(2)], [1, 2, 2], [0, 30, 10]), json.dumps(Maker(3).heap_profile()[0])):
            for end in range(len(whole) // 3, len(whole), 17):
                done = self.run_program(ORMA, "query", self.write(whole[:end]), "SELECT count(*) FROM stack_sample")
                self.assertIn(done.returncode, (0, 1), whole[:end])
                self.assertNotEqual(done.stderr, b"", whole[:end])

    def test_deep_and_large_trees(self):
        num = 100000
        chain = cpu([node(i, i + 1) for i in range(num)] + [node(num)], [num, 0], [1, 1])
        self.assertEqual(self.one(self.write(chain), "SELECT max(depth) FROM stack_profile_callsite"), str(num))
        text = '{"callFrame":{"functionName":"f"},"selfSize":1,"id":1,"children":['
        path = self.write('{"head":' + text * num + "]}" * num + "}")
        self.assertEqual(self.one(path, "SELECT max(depth) FROM stack_profile_callsite"), str(num - 1))
        wide = cpu([node(0, *range(1, num))] + [node(i) for i in range(1, num)], [num - 1], [1])
        self.assertEqual(self.one(self.write(wide), "SELECT count(*) FROM stack_profile_callsite"), str(num))


if __name__ == "__main__":
    main()
