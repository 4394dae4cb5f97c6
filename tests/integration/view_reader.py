"""Reads what `orma view` packs, by docs/view-format.md alone: the viewer's reader is another one.

blocks of a page → columns of its items, as dicts of lists."""
import base64
import json
import re
import struct
import zlib

INFO = re.compile(rb'<script type="application/json" id="info">(.*?)</script>', re.S)
BLOCK = re.compile(rb'<script type="application/octet-stream" id="b(\d+)">([^<]*)</script>')
END = re.compile(rb'<script type="text/plain" id="end">(\d+)</script>')

ITEMS, STRINGS, ROWS, ARGS, FLOWS, FRAMES, OVERVIEW, GAPS, HEAPS = range(1, 10)
SLICES, STATES, SCHED, VALUES, LOGS, SAMPLES = range(1, 7)
LEVEL = 16  # times a kind, and more: items of a level
GROUP, PROCESS, THREAD, TRACK, COUNTER, CPU, LOG = range(7)


class Bytes:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def uint(self):
        ret = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            ret |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return ret

    def int(self):
        n = self.uint()
        return (n >> 1) ^ -(n & 1)

    def double(self):
        self.at += 8
        return struct.unpack_from("<d", self.data, self.at - 8)[0]

    def sums(self, n):
        ret, at = [], 0
        for _ in range(n):
            at += self.int()
            ret.append(at)
        return ret

    def uints(self, n):
        return [self.uint() for _ in range(n)]

    def more(self):
        return self.at < len(self.data)


def inflate(packed, entry):
    kind, size, crc, _, _, length = entry
    assert len(packed) == length, "the list of blocks gives another length"
    raw = zlib.decompress(packed, -15)
    assert len(raw) == size and zlib.crc32(raw) == crc, f"block of kind {kind}: size or sum is wrong"
    return raw


def of_picture(data):
    """What a server says of a trace that it still reads."""
    at = 4 + int.from_bytes(data[:4], "little")
    info, places = json.loads(data[4:at]), []
    for entry in info["blocks"]:
        places.append(data[at:at + entry[5]])
        at += entry[5]
    assert at == len(data)
    return View(info=info, block=lambda n: places[n - 1])


class View:
    """All of a page (bytes), or of `info` and `block(n)` of a server."""

    def __init__(self, page=None, info=None, block=None):
        if page is not None:
            info = json.loads(INFO.search(page).group(1))
            found = {int(n): base64.b64decode(text) for n, text in BLOCK.findall(page)}
            assert int(END.search(page).group(1)) == len(info["blocks"]) == len(found)
            block = found.__getitem__
        self.info = info
        self.begin = int(info["from"])
        self.raw = [inflate(block(n + 1), entry) for n, entry in enumerate(info["blocks"])]
        self.strings = self._read_strings(next(self.of_kind(STRINGS)))
        columns = json.loads(next(self.of_kind(ROWS)))
        self.rows = [dict(zip(columns, cells)) for cells in zip(*columns.values())]
        for row in self.rows:
            row["text"] = self.strings[row["name"]]

    @staticmethod
    def _read_strings(raw):
        r = Bytes(raw)
        lengths = r.uints(r.uint())
        ret = []
        for length in lengths:
            ret.append(raw[r.at:r.at + length].decode("utf-8", "replace"))
            r.at += length
        return ret

    def of_kind(self, kind):
        return (raw for raw, entry in zip(self.raw, self.info["blocks"]) if entry[0] == kind)

    def items(self, wanted):
        """(row, columns) of each chunk of a kind."""
        chunks = self.info["chunks"]
        for i in range(0, len(chunks), 7):
            row, block, at, kind, num, first, last = chunks[i:i + 7]
            if kind != wanted:
                continue
            r = Bytes(self.raw[block], at)
            assert (r.uint(), r.uint(), r.uint()) == (kind, row, num)
            own = kind if kind < LEVEL else kind // LEVEL
            columns = getattr(self, "_" + {SLICES: "slices", STATES: "states", SCHED: "states", VALUES: "values",
                                          LOGS: "logs", SAMPLES: "samples"}[own])(r, num)
            if kind >= LEVEL and own in (STATES, SCHED):
                counts = r.uints(num)
                columns["group"] = [(n, r.uint(), r.uint()) if n else None for n in counts]
            elif kind >= LEVEL and own == VALUES:
                ranges = [(r.uint(), r.uint()) if columns["whole"] else (r.double(), r.double()) for _ in range(num)]
                columns["range"] = [(v - a, v + b) if columns["whole"] else (a, b) for v, (a, b) in zip(columns["value"], ranges)]
            assert min(columns["ts"]) >= first and max(columns["ts"]) <= last
            yield row, columns

    def _slices(self, r, n):
        c = {"ts": r.sums(n), "packed": r.uints(n), "name": r.uints(n), "depth": r.uints(n), "id": r.sums(n), "args": r.uints(n)}
        c["dur"] = [(v >> 1) - 1 for v in c["packed"]]
        c["group"] = [(r.uint(), r.uint(), r.uint()) if v & 1 else None for v in c.pop("packed")]
        return c

    def _states(self, r, n):
        gaps = [r.int() for _ in range(n)]
        c = {"dur": [v - 1 for v in r.uints(n)], "ts": []}
        at = 0
        for gap, dur in zip(gaps, c["dur"]):
            c["ts"].append(at + gap)
            at = c["ts"][-1] + max(dur, 0)
        c["state"] = r.uints(n)
        c["cpu"] = [v - 1 for v in r.uints(n)]
        c["other"] = [v - 1 for v in r.uints(n)]
        c["id"] = r.sums(n)
        return c

    def _values(self, r, n):
        c = {"ts": r.sums(n)}
        c["whole"] = r.uint()
        c["value"] = [float(v) for v in r.sums(n)] if c["whole"] else [r.double() for _ in range(n)]
        return c

    def _logs(self, r, n):
        c = {"ts": r.sums(n), "prio": [], "tag": [], "text": []}
        for _ in range(n):
            for name in ("prio", "tag", "text"):
                c[name].append(r.uint())
        return c

    def _samples(self, r, n):
        return {"ts": r.sums(n), "site": r.uints(n)}

    def args(self):
        """By number of the set: (key, value) in order."""
        ret = {}
        for raw, entry in zip(self.raw, self.info["blocks"]):
            if entry[0] != ARGS:
                continue
            r, number = Bytes(raw), entry[3]
            while r.more():
                number += r.uint()
                key, kind = self.strings[r.uint()], r.uint()
                value = self.strings[r.uint()] if kind == 0 else r.int() if kind == 1 else r.double() if kind == 2 else None
                assert entry[3] <= number < entry[4]
                ret.setdefault(number, []).append((key, value))
        return ret

    def gaps(self):
        for raw in self.of_kind(GAPS):
            r = Bytes(raw)
            while r.more():
                yield r.uint(), self.begin + r.int(), self.strings[r.uint()]

    def heaps(self):
        for raw in self.of_kind(HEAPS):
            r = Bytes(raw)
            while r.more():
                yield self.strings[r.uint()], self.strings[r.uint()], *(r.int() for _ in range(5))

    def flows(self):
        for raw in self.of_kind(FLOWS):
            r = Bytes(raw)
            while r.more():
                yield (r.uint(), r.uint(), r.int()), (r.uint(), r.uint(), r.int())
