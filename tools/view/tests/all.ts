// Parts that need no browser, against plain and slow ways to the same result.

import assert from "node:assert/strict";
import { test } from "node:test";

import { crc32, Damaged, Reader } from "../src/bytes";
import { COLORS, hueOf, stateLook } from "../src/color";
import { briefly } from "../src/header";
import { Lane, Steps } from "../src/lane";
import { addSlices, childTimes, type Flame, newFlame, SliceStats, Times } from "../src/stats";
import { duration, place, step } from "../src/time";
import { laneOf, lanesOf, readSlices, readValues, type RowData, type States, type Trace } from "../src/trace";

function random(seed: number): () => number {
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
}

function someLane(rnd: () => number, n: number): Lane {
  const start = new Float64Array(n);
  const end = new Float64Array(n);
  for (let i = 0, at = 0; i < n; i++) {
    start[i] = at += Math.floor(rnd() * 20);
    end[i] = at += Math.floor(rnd() ** 6 * 500);
  }
  return new Lane(start, end);
}

test("a walk shows each item, alone or among its neighbours, and the longest of each pixel", () => {
  for (let seed = 0; seed < 60; seed++) {
    const rnd = random(seed);
    const lane = someLane(rnd, 1 + Math.floor(rnd() * 700));
    const last = lane.end[lane.size - 1];
    const from = Math.floor(rnd() * last);
    const to = from + Math.floor(rnd() * last) + 1;
    const nsPerPx = 1 + rnd() * 60;
    let seen = 0;
    let next = -Infinity;
    lane.walk(from, to, nsPerPx, (start, end, item, num) => {
      assert.ok(start >= next && end >= start);
      next = start;
      const first = num === 1 ? item : [...lane.start].indexOf(start);
      if (num > 1) {
        const lengths = Array.from({ length: num }, (_, k) => lane.end[first + k] - lane.start[first + k]);
        assert.equal(lane.end[item] - lane.start[item], Math.max(...lengths));
        assert.ok(Math.max(...lengths) < nsPerPx);
      }
      seen += num;
    });
    const wanted = Array.from(lane.start).filter((s, i) => s < to && lane.end[i] >= from).length;
    assert.ok(seen >= wanted && seen <= wanted + nsPerPx + 1, `${seed}: ${seen} of ${wanted}`);
  }
});

test("a walk costs what the window has pixels, not what the lane has items", () => {
  const n = 2_000_000;
  const lane = new Lane(Float64Array.from({ length: n }, (_, i) => i * 10), Float64Array.from({ length: n }, (_, i) => i * 10 + 5));
  let calls = 0;
  lane.walk(0, n * 10, (n * 10) / 1000, () => calls++);
  assert.ok(calls <= 1001);
});

test("the item at a time", () => {
  const lane = new Lane(Float64Array.of(0, 10, 20), Float64Array.of(5, 10, 30));
  assert.deepEqual([-3, 0, 5, 6, 9, 10, 12, 20, 31, 40].map((t) => lane.at(t, 2)), [-1, 0, 0, 0, 1, 1, 1, 2, 2, -1]);
});

test("lowest and highest of values", () => {
  const rnd = random(3);
  const value = Float64Array.from({ length: 1000 }, () => rnd() * 100 - 50);
  const steps = new Steps(Float64Array.from({ length: 1000 }, (_, i) => i), value);
  for (let i = 0; i < 300; i++) {
    const from = Math.floor(rnd() * 1000);
    const to = from + 1 + Math.floor(rnd() * (1000 - from));
    const part = value.subarray(from, to);
    assert.deepEqual(steps.range(from, to), [Math.min(...part), Math.max(...part)]);
  }
  assert.equal(steps.at(-1), -1);
  assert.equal(steps.at(5.5), 5);
});

test("numbers, and bytes that are none", () => {
  const r = new Reader(Uint8Array.of(5, 0x80, 1, 3, 4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f));
  assert.deepEqual([r.uint(), r.uint(), r.int(), r.int(), r.uint()], [5, 128, -2, 2, 2 ** 53 - 1]);
  assert.throws(() => r.uint(), Damaged);
  assert.throws(() => new Reader(new Uint8Array(12).fill(255)).uint(), Damaged);
  assert.throws(() => new Reader(Uint8Array.of(9, 1)).count(), Damaged);
  assert.throws(() => readSlices(new Reader(Uint8Array.of(1, 1)), 5), Damaged);
  assert.equal(crc32(new TextEncoder().encode("123456789")), 0xcbf43926);
});

/** Of [start, dur, depth, name]. */
function slices(list: [number, number, number, number][]): RowData {
  const n = list.length;
  const col = (k: number): number[] => list.map((s) => s[k]);
  const data: RowData = { lanes: [], level: 0, slices: { n, start: Float64Array.from(col(0)), dur: Float64Array.from(col(1)), depth: Uint16Array.from(col(2)), name: Uint32Array.from(col(3)),
    id: Uint32Array.from(list.keys()), args: new Uint32Array(n), count: new Uint32Array(n), busy: new Float64Array(n), longest: new Float64Array(n) } };
  data.lanes = lanesOf(data.slices!, 1000);
  return data;
}

/** Of [start, dur, state]. */
function states(list: [number, number, number][]): States {
  const n = list.length;
  return { n, start: Float64Array.from(list, (s) => s[0]), dur: Float64Array.from(list, (s) => s[1]), state: Uint32Array.from(list, (s) => s[2]), cpu: new Int32Array(n),
           other: new Int32Array(n), id: Uint32Array.from(list.keys()), count: new Uint32Array(), busy: new Float64Array(), most: new Float64Array() };
}

test("self times, figures and flame graphs of slices", () => {
  const data = slices([[0, 100, 0, 1], [10, 20, 1, 2], [12, 5, 2, 3], [40, 30, 1, 2], [200, 50, 0, 1]]);
  assert.deepEqual([...childTimes(data)], [50, 5, 0, 0, 0]);
  const figures = new SliceStats(0, 1000);
  figures.add(data);
  const stats = new Map(figures.list().map((s) => [s.name, s]));
  assert.deepEqual([stats.get(1)!.count, stats.get(1)!.total, stats.get(1)!.self, stats.get(1)!.max], [2, 150, 100, 100]);
  assert.deepEqual([stats.get(2)!.p50, stats.get(2)!.total], [20, 50]);
  const made = (from: number, to: number): Flame => {
    const root = newFlame("all");
    addSlices(root, { text: (n: number) => `n${n}`, span: 1000 } as unknown as Trace, data, from, to);
    return root;
  };
  const flame = made(0, 1000);
  const one = [...flame.children.values()][0];
  assert.deepEqual([flame.total, one.name, one.total, one.self], [150, "n1", 150, 100]);
  const part = made(45, 60);
  assert.equal(part.total, 15);
  assert.equal([...[...part.children.values()][0].children.values()][0].total, 15);
});

test("what has no known end is in no figure", () => {
  const data = slices([[0, -1, 0, 1], [10, 20, 1, 2], [12, -1, 2, 3], [14, 5, 3, 4], [40, 30, 1, 2], [200, -1, 0, 1], [250, -1, 0, 5]]);
  const figures = new SliceStats(0, 1000);
  figures.add(data);
  const stats = new Map(figures.list().map((s) => [s.name, s]));
  assert.deepEqual([1, 2, 3, 5].map((n) => [stats.get(n)!.count, stats.get(n)!.open, stats.get(n)!.total, stats.get(n)!.self, stats.get(n)!.max]),
                   [[2, 2, 0, 0, 0], [2, 0, 50, 50, 30], [1, 1, 0, 0, 0], [1, 1, 0, 0, 0]]);
  const root = newFlame("all");
  addSlices(root, { text: (n: number) => `n${n}` } as unknown as Trace, data, 0, 1000);
  const flat = (node: Flame): unknown[] => [node.name, node.total, node.self, ...[...node.children.values()].map(flat)];
  assert.deepEqual(flat(root), ["all", 50, 0, ["n1", 50, 0, ["n2", 50, 45, ["n3", 5, 0, ["n4", 5, 5]]]], ["n5", 0, 0]]);
  const s = states([[0, 10, 1], [10, -1, 1], [40, 10, 2], [50, -1, 1]]);
  const times = new Times(5, 45, 1);
  times.add(s, (t) => t.state);
  assert.deepEqual([times.total, times.open, times.list().map((t) => [t.key, t.time])], [10, 1, [[1, 5], [2, 5]]]);
  const lane = laneOf(s, 100, 1);
  assert.deepEqual([lane.share(0, 2), lane.share(1, 1), lane.share(3, 1)], [0.25, 0, 0]);
});

test("what has no end lasts until the next", () => {
  const lane = laneOf(states([[0, -1, 0], [10, 5, 0], [20, -1, 0]]), 100);
  assert.deepEqual([...lane.end], [10, 15, 100]);
});

test("how much of a time something ran", () => {
  const s = states([[0, 10, 1], [10, 10, 2], [40, 10, 1], [50, 50, 2]]);
  s.count = Uint32Array.of(0, 0, 0, 7);
  s.busy = Float64Array.of(0, 0, 0, 25);
  const shares = (lane: Lane): number[] => [lane.share(0, 1), lane.share(0, 2), lane.share(1, 2), lane.share(3, 1), lane.share(0, 4)];
  assert.deepEqual(shares(laneOf(s, 100, 1)), [1, 0.5, 0.25, 0.5, 0.45]);
  assert.deepEqual(shares(laneOf(s, 100)), [1, 1, 0.5, 0.5, 0.55]);
});

test("times of states that are known together are the least that they can be", () => {
  const s = states([[0, 10, 1], [10, 100, 2], [110, 10, 1]]);
  s.count = Uint32Array.of(0, 9, 0);
  s.busy = Float64Array.of(0, 30, 0);
  s.most = Float64Array.of(0, 60, 0);
  const figures = (from: number, to: number, running = 1): [number, [number, number][]] => {
    const times = new Times(from, to, running);
    times.add(s, (t) => t.state);
    return [times.total, times.list().map((t) => [t.key, t.time])];
  };
  assert.deepEqual(figures(5, 200), [115, [[1, 45], [2, 60], [-1, 10]]]);
  assert.deepEqual(figures(30, 200), [90, [[2, 40], [1, 20], [-1, 30]]]); // 20 of it are not in the range: any of it
  assert.deepEqual(figures(0, 200, -1), [80, [[1, 20], [2, 60]]]);
});

test("lowest and highest of values that stand together", () => {
  const v = readValues(new Reader(Uint8Array.of(2, 4, 6, 1, 20, 3, 0, 0, 5, 7, 0, 1, 1)), 3, true); // whole numbers: 10, 8, 8
  assert.deepEqual([[...v.time], [...v.value], [...v.low], [...v.high]], [[1, 3, 6], [10, 8, 8], [10, 1, 7], [15, 8, 9]]);
  assert.deepEqual(new Steps(v.time, v.value, v.low, v.high).range(0, 3), [1, 15]);
});

test("times in words", () => {
  assert.deepEqual([0, 999, 1500, 12_345_678, 1.5e9, 3 * 60e9, 2 * 3600e9].map(duration), ["0 ns", "999 ns", "1.500 \u00b5s", "12.35 ms", "1.500 s", "3 min 0.0 s", "2 h 0 min"]);
  assert.equal(place(4212345678), "+4.212 345 678 s");
  assert.deepEqual([1, 3, 12, 700].map(step), [1, 5, 20, 1000]);
});

function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
  return (x + 0.05) / (y + 0.05);
}

test("labels can be read on every colour, in both themes", () => {
  for (const c of Object.values(COLORS)) {
    for (const fill of c.fill) assert.ok(contrast(fill, c.text) >= 5, `${fill} ${c.text}`);
    assert.ok(contrast(c.dim, c.background) >= 4.5);
    assert.ok(contrast(c.ink, c.background) >= 7);
  }
});

test("equal work has equal colours, states have their own", () => {
  assert.equal(hueOf("job 17"), hueOf("job 4"));
  assert.equal(hueOf("at 0xffee01"), hueOf("at 0x12"));
  assert.equal(stateLook("D+io").texture, "dots");
  assert.equal(stateLook("D").texture, "cross");
  assert.notEqual(stateLook("R").label, stateLook("R+").label);
});

test("what is wrong with a trace is told in the head, not only how often", () => {
  const missing = "11 switches are missing in the kernel's record: what threads did near them is unknown";
  assert.equal(briefly([missing]), "11 switches are missing in the kernel's record");
  assert.equal(briefly([missing, "x", "y"]), "11 switches are missing in the kernel's record, and 2 more");
  assert.equal(briefly(["1,200 packets of 1.5 s were lost, nobody knows why."]), "1,200 packets of 1.5 s were lost");
  assert.equal(briefly([`a${"b".repeat(80)}`]).length, 49);
});
