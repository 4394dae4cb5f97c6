"""Random profiles of OpenTelemetry as messages, as JSON, and as what their rows must be. As a program: writes one of a seed to a file."""
import json
import random
import struct
import sys


def varint(value):
    out = b""
    value &= (1 << 64) - 1
    while value > 0x7f:
        out, value = out + bytes([value & 0x7f | 0x80]), value >> 7
    return out + bytes([value])


def text_field(number, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(number << 3 | 2) + varint(len(data)) + data


# Members in the order of their numbers: name in JSON, number, kind. (Kinds: n number, p numbers, t texts, 8 times, h id, m message, l list of messages.)
VALUE = [("stringValue", 1, "s"), ("intValue", 3, "n"), ("stringValueStrindex", 8, "n")]
PAIR = [("key", 1, "s"), ("value", 2, ("m", VALUE)), ("keyStrindex", 3, "n")]
TYPE = [("typeStrindex", 1, "n"), ("unitStrindex", 2, "n")]
SAMPLE = [("stackIndex", 1, "n"), ("attributeIndices", 2, "p"), ("linkIndex", 3, "n"), ("values", 4, "p"), ("timestampsUnixNano", 5, "8")]
PROFILE = [("sampleType", 1, ("m", TYPE)), ("samples", 2, ("l", SAMPLE)), ("periodType", 5, ("m", TYPE)), ("period", 6, "n")]
RESOURCE = [("resource", 1, ("m", [("attributes", 1, ("l", PAIR))])), ("scopeProfiles", 2, ("l", [("profiles", 2, ("l", PROFILE))]))]
DICTIONARY = [
    ("mappingTable", 1, ("l", [("memoryStart", 1, "n"), ("memoryLimit", 2, "n"), ("fileOffset", 3, "n"), ("filenameStrindex", 4, "n"), ("attributeIndices", 5, "p")])),
    ("locationTable", 2, ("l", [("mappingIndex", 1, "n"), ("address", 2, "n"), ("lines", 3, ("l", [("functionIndex", 1, "n"), ("line", 2, "n")])), ("attributeIndices", 4, "p")])),
    ("functionTable", 3, ("l", [("nameStrindex", 1, "n"), ("systemNameStrindex", 2, "n"), ("filenameStrindex", 3, "n"), ("startLine", 4, "n")])),
    ("linkTable", 4, ("l", [("traceId", 1, "h"), ("spanId", 2, "h")])),
    ("stringTable", 5, "t"),
    ("attributeTable", 6, ("l", [("keyStrindex", 1, "n"), ("value", 2, ("m", VALUE))])),
    ("stackTable", 7, ("l", [("locationIndices", 1, "p")])),
]
DATA = [("resourceProfiles", 1, ("l", RESOURCE)), ("dictionary", 2, ("m", DICTIONARY))]


def message(table, value, packed=True):
    out = b""
    for name, number, kind in table:
        if name not in value:
            continue
        v = value[name]
        if kind == "n":
            out += varint(number << 3) + varint(v)
        elif kind == "s":
            out += text_field(number, v)
        elif kind == "h":
            out += text_field(number, bytes.fromhex(v))
        elif kind == "t":
            out += b"".join(text_field(number, t) for t in v)
        elif kind == "p":
            out += text_field(number, b"".join(map(varint, v))) if packed else b"".join(varint(number << 3) + varint(i) for i in v)
        elif kind == "8":
            numbers = [struct.pack("<Q", i) for i in v]
            out += text_field(number, b"".join(numbers)) if packed else b"".join(varint(number << 3 | 1) + i for i in numbers)
        else:
            out += b"".join(text_field(number, message(kind[1], one, packed)) for one in (v if kind[0] == "l" else [v]))
    return out


class Maker:
    def __init__(self, seed):
        self.rnd = rnd = random.Random(seed)
        self.texts, self.attributes = [""], [{}]
        self.functions, self.mappings, self.locations, self.stacks, self.links = [{}], [{}], [{}], [{}], [{"traceId": "00" * 16, "spanId": "00" * 8}]
        self.names = {}  # location → names of its functions, innermost first
        self.samples, self.sums = [], {}
        for i in range(rnd.randrange(1, 4)):
            self.mappings.append({"memoryStart": i << 20, "memoryLimit": (i + 1) << 20, "filenameStrindex": self.text(f"/usr/lib/lib{i}.so"),
                                  "attributeIndices": [self.attribute("process.executable.build_id.gnu", f"ab{i:02x}")]})
        for i in range(rnd.randrange(2, 8)):
            self.functions.append({"nameStrindex": self.text(f"function {i}"), "filenameStrindex": self.text(f"file{i % 3}.c"), "startLine": i})
        for i in range(rnd.randrange(2, 12)):
            mapping = rnd.randrange(len(self.mappings))
            lines = [{"functionIndex": rnd.randrange(1, len(self.functions)), "line": rnd.randrange(1, 1000)} for _ in range(rnd.choice((0, 1, 1, 1, 2, 3)))]
            self.locations.append({"mappingIndex": mapping, "address": (max(mapping - 1, 0) << 20) + 16 * i, "lines": lines,
                                   "attributeIndices": [self.attribute("profile.frame.type", rnd.choice(("native", "cpython")))]})
            self.names[len(self.locations) - 1] = self.texts[self.functions[lines[0]["functionIndex"]]["nameStrindex"]] if lines else "[unknown]"
        for _ in range(rnd.randrange(1, 8)):
            self.stacks.append({"locationIndices": [rnd.randrange(1, len(self.locations)) for _ in range(rnd.randrange(1, 7))]})
        for _ in range(2):
            self.links.append({"traceId": rnd.randbytes(16).hex(), "spanId": rnd.randbytes(8).hex()})
        self.resources = [self.resource(i) for i in range(rnd.randrange(1, 4))]
        self.data = {"resourceProfiles": self.resources, "dictionary": {
            "mappingTable": self.mappings, "locationTable": self.locations, "functionTable": self.functions, "linkTable": self.links, "stringTable": self.texts,
            "attributeTable": self.attributes, "stackTable": self.stacks}}

    def text(self, text):
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text)

    def attribute(self, key, value):
        what = {"intValue": value} if isinstance(value, int) else self.rnd.choice(({"stringValue": value}, {"stringValueStrindex": self.text(value)}))
        self.attributes.append({"keyStrindex": self.text(key), "value": what})
        return len(self.attributes) - 1

    def resource(self, index):
        pid = 100 + index
        service = {"stringValueStrindex": self.text(f"service {index}")} if self.rnd.random() < 0.5 else {"stringValue": f"service {index}"}
        attributes = [{"key": "service.name", "value": service}, {"keyStrindex": self.text("process.pid"), "value": {"intValue": pid}}]
        return {"resource": {"attributes": attributes}, "scopeProfiles": [{"profiles": [self.profile(pid) for _ in range(self.rnd.randrange(1, 3))]}]}

    def profile(self, pid):
        kind, unit, scale = self.rnd.choice((("samples", "count", 1), ("cpu", "nanoseconds", 1), ("wall", "milliseconds", 10**6), ("alloc", "bytes", 1)))
        ret = {"sampleType": {"typeStrindex": self.text(kind), "unitStrindex": self.text(unit)}, "samples": []}
        period = self.rnd.choice((0, 10**7))
        if period:
            ret.update({"periodType": {"typeStrindex": self.text("cpu"), "unitStrindex": self.text("nanoseconds")}, "period": period})
        for _ in range(self.rnd.randrange(1, 8)):
            ret["samples"].append(self.sample(pid, kind, unit, scale, period))
        return ret

    def sample(self, pid, kind, unit, scale, period):
        rnd = self.rnd
        stack = rnd.randrange(1, len(self.stacks))
        names = ";".join(self.names[at] for at in reversed(self.stacks[stack]["locationIndices"]))
        ret = {"stackIndex": stack, "attributeIndices": []}
        if rnd.random() < 0.4:
            ret["values"] = [rnd.randrange(1, 1000)]
            self.sums[kind, unit, names] = self.sums.get((kind, unit, names), 0) + ret["values"][0]
            return ret
        tid = pid if rnd.random() < 0.3 else pid * 10 + rnd.randrange(3)
        cpu = rnd.randrange(4)
        ret["attributeIndices"] = [self.attribute("thread.id", tid), self.attribute("thread.name", f"thread {tid}"), self.attribute("cpu.logical_number", cpu)]
        if rnd.random() < 0.3:
            pid += 500  # what the sample says of it counts
            ret["attributeIndices"] += [self.attribute("process.pid", pid), self.attribute("process.executable.name", f"program {pid}")]
            tid = tid + 5000
            ret["attributeIndices"].append(self.attribute("thread.id", tid))
        link = rnd.randrange(len(self.links))
        if link:
            ret["linkIndex"] = link
        ret["timestampsUnixNano"] = [rnd.randrange(10**18, 10**18 + 10**9) for _ in range(rnd.randrange(1, 5))]
        values = [1] * len(ret["timestampsUnixNano"])
        if rnd.random() < 0.6:
            ret["values"] = values = [rnd.randrange(1, 100) for _ in values]
        plain = unit == "count" and not period and set(values) == {1}
        for ts, value in zip(ret["timestampsUnixNano"], values):
            weight = None if plain else value * (period if unit == "count" and period else scale)
            self.samples.append((ts, pid, tid, cpu, names, weight, self.links[link]["spanId"] if link else None))
        return ret

    def forms(self):
        pb = message(DATA, self.data)
        yield "pb", pb
        yield "unpacked", message(DATA, self.data, packed=False)
        yield "framed", struct.pack(">I", len(pb)) + pb
        yield "json", json.dumps(self.data, indent=self.rnd.choice((None, 1))).encode()
        yield "json_dictionary_first", json.dumps(dict(reversed(self.data.items()))).encode()
        yield "texts_of_numbers", json.dumps(self.texts_of(self.data)).encode()
        yield "lines", b"".join(json.dumps({"resourceProfiles": [r], "dictionary": self.data["dictionary"]}).encode() + b"\n" for r in self.resources)

    def texts_of(self, value):
        """64-bit numbers as texts, which is how most write them."""
        if isinstance(value, dict):
            return {k: self.texts_of(v) for k, v in value.items()}
        if isinstance(value, list):
            return [self.texts_of(v) for v in value]
        return str(value) if isinstance(value, int) else value


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("Usage: otlp_profiles.py FORM SEED FILE")
    with open(sys.argv[3], "wb") as out:
        out.write(dict(Maker(int(sys.argv[2])).forms())[sys.argv[1]])
