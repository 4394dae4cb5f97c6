"""Files with much in them: every container ends, in bounded memory, with rows or with a reason."""
import bz2
import gzip
import io
import json
import lzma
import resource
import struct
import tarfile
import zipfile
import zlib

from orma_env import *

MIB = 1 << 20


def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def packet(*fields):
    return field(1, b"".join(fields))


def compressed(data):
    return packet(field(50, data))


def instant(ts):
    """A slice without a length."""
    return packet(b"\x40" + varint(ts), b"\x50\x01", field(11, b"\x48\x03\x58\x05"))


TRACE = b"".join(instant(ts) for ts in range(1, 101))


def zipped(members, method):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method, compresslevel=9) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


def overlapping(times, method):
    """Many entries of the list of members that name the same bytes."""
    data = bytearray(zipped([("a", TRACE)], method))
    end = data.rindex(b"PK\5\6")
    listed = data[data.index(b"PK\1\2"):end]
    tail = bytearray(data[end:])
    struct.pack_into("<HHI", tail, 8, times, times, len(listed) * times)
    return bytes(data[:data.index(b"PK\1\2")] + listed * times + tail)


def tarred(members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def nested(data, pack, times):
    for _ in range(times):
        data = pack(data)
    return data


class Containers(Case):
    def load(self, data, memory_mib=1024):
        """What `orma query` says, with so much address space and 60 s of CPU time at most."""
        def limits():
            if SLOW == 1:  # else a sanitizer, which needs address space without end
                resource.setrlimit(resource.RLIMIT_AS, (memory_mib * MIB, memory_mib * MIB))
            resource.setrlimit(resource.RLIMIT_CPU, (60 * int(SLOW), 60 * int(SLOW)))
        (self.dir / "t").write_bytes(data)
        done = subprocess.run([ORMA, "query", "t", "SELECT count(*) AS n FROM slice"], cwd=self.dir, env=self.env,
                              capture_output=True, preexec_fn=limits)
        self.assertIn(done.returncode, (0, 1), done.stderr.decode())
        return done.returncode, (done.stdout + done.stderr).decode()

    def reads(self, data, slices, **more):
        code, text = self.load(data, **more)
        self.assertEqual(code, 0, text)
        self.assertEqual(text.split("\n")[1].strip(), str(slices), text)

    def refuses(self, data, says, **more):
        code, text = self.load(data, **more)
        self.assertEqual(code, 1, text)
        self.assertIn(says, text)

    def test_honest_ones(self):
        for what, data in (("gzip", gzip.compress(TRACE)), ("zip", zipped([("a", TRACE)], zipfile.ZIP_DEFLATED)),
                           ("stored zip", zipped([("a", TRACE)], zipfile.ZIP_STORED)), ("tar", tarred([("a", TRACE)])),
                           ("compressed packets", compressed(zlib.compress(TRACE))),
                           ("gzip of a zip of a gzip", gzip.compress(zipped([("a", gzip.compress(TRACE))], zipfile.ZIP_STORED)))):
            with self.subTest(what):
                self.reads(data, 100)

    def test_a_tar_without_a_magic_word(self):
        whole = tarred([("a", TRACE)])
        header = bytearray(whole[:512])
        header[257:512] = bytes(255)
        header[148:156] = b" " * 8
        header[148:156] = b"%06o\0 " % sum(header)
        self.reads(bytes(header) + whole[512:], 100)
        header[148] ^= 1
        self.assertEqual(self.load(bytes(header) + whole[512:])[0], 1, "and another sum is none")

    def test_streams(self):
        """Of xz and bzip2, as of gzip: several are one, padding is nothing, and what is broken is told and read up to there."""
        long = b"".join(instant(ts) for ts in range(1, 200001))
        for what, pack, padding in (("gzip", gzip.compress, bytes(8)), ("xz", lzma.compress, bytes(8)), ("bzip2", bz2.compress, b"")):
            with self.subTest(what):
                self.reads(pack(TRACE), 100)
                self.reads(pack(TRACE[:500]) + padding + pack(TRACE[500:]) + padding, 100)
                self.reads(pack(b"") + pack(TRACE), 100)
                self.reads(nested(TRACE, pack, 3), 100)
                self.reads(tarred([("a", pack(TRACE))]), 100)
                self.refuses(nested(TRACE, pack, 20), "deep")
                packed = pack(long)
                self.reads(packed, 200000)
                for name, data in ("truncated", packed[:-20000]), ("damaged", packed + b"more"), ("damaged", packed[:90000] + b"!" * 99 + packed[90099:]):
                    code, text = self.load(data)
                    self.assertEqual(code, 0, text)
                    self.assertIn(name, text)
                    rows = int(text.split("\n")[1])
                    self.assertTrue(rows == 200000 if data.startswith(packed) else 0 < rows < 200000, rows)

    def test_a_dictionary_that_takes_too_much(self):
        data = bytearray(lzma.compress(TRACE))
        self.assertEqual(data[14:16], b"\x21\1")  # LZMA2 and one byte: the size of its dictionary
        data[16] = 38  # 2 GiB
        size = (data[12] + 1) * 4
        struct.pack_into("<I", data, 12 + size - 4, zlib.crc32(data[12:12 + size - 4]))
        self.refuses(bytes(data), "the xz stream needs more than 256 MiB of memory to unpack")

    def test_bombs(self):
        zeroes = gzip.compress(bytes(100 * MIB), 9)
        inner = zlib.compress(bytes(64 * MIB), 9)
        for what, data in (("gzip", zeroes), ("gzip of a gzip", gzip.compress(zeroes)),
                           ("zip of gzips", zipped([(str(i), gzip.compress(TRACE[:1] + bytes(140 * MIB), 9)) for i in range(2)],
                                                   zipfile.ZIP_DEFLATED))):
            with self.subTest(what):
                code, text = self.load(data)
                self.assertEqual(code, 1, text)
        for what, data in (("packets in packets", compressed(zlib.compress(compressed(inner) * 200, 9))),
                           ("zips in zips", zipped([("a", nested(bytes(64 * MIB), lambda d: zipped([("a", d)], 8), 3))], 8))):
            with self.subTest(what):
                self.assertEqual(self.load(data)[0], 1)

    def test_much_of_nothing_is_fast(self):
        empty = b"\x0a\x00" * (50 * MIB)
        self.reads(compressed(zlib.compress(empty, 1)) + TRACE, 100)
        self.reads(gzip.compress(empty + TRACE, 1), 100)

    def test_nesting_ends(self):
        self.refuses(nested(TRACE, gzip.compress, 20), "deep")
        self.refuses(nested(TRACE, lambda d: zipped([("a", d)], zipfile.ZIP_DEFLATED), 20), "deep")
        self.refuses(nested(TRACE, lambda d: tarred([("a", d)]), 20), "deep")
        self.refuses(nested(TRACE, lambda d: compressed(zlib.compress(d)), 20), "compressed packets")

    def test_members_that_overlap(self):
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            self.reads(overlapping(1, method), 100)
            self.refuses(overlapping(2, method), "overlap")
            self.refuses(overlapping(60000, method), "overlap")

    def test_spans_of_one_process_in_several_files(self):
        """As collectors write them, file after file: those that go on at the same time lie side by side."""
        def spans(num, start):
            span = {"traceId": "0" * 31 + "1", "spanId": f"{num:016}", "name": "a", "startTimeUnixNano": str(start), "endTimeUnixNano": str(start + 100)}
            resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "shop"}}]}
            return json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": [span]}]}]}).encode()
        self.reads(zipped([(f"{i}.json", spans(i + 1, 1000 + 50 * i)) for i in range(3)], zipfile.ZIP_DEFLATED), 3)

    def test_lines_of_spans_without_an_end(self):
        """Each looks as if it went on up to the end of the file."""
        span = {"traceId": "0" * 31 + "1", "spanId": "0" * 15 + "2", "name": "a", "startTimeUnixNano": "10", "endTimeUnixNano": "20"}
        whole = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})
        self.reads(('{"resourceSpans":[{"name":"cut\n' + "{\n" * 500000 + whole + "\n").encode(), 1)

    def test_truncated_and_garbage(self):
        for what, data in (("gzip", gzip.compress(TRACE)), ("zip", zipped([("a", TRACE)], 8)), ("tar", tarred([("a", TRACE)]))):
            for cut in (len(data) // 2, len(data) - 9):
                with self.subTest(what, cut=cut):
                    self.load(data[:cut])
            with self.subTest(what, garbage=True):
                self.load(data[:20] + bytes(range(256)) * 20)
        info = tarfile.TarInfo("a")
        info.size = 1 << 40
        for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):  # what is there of the member is read, but holds nothing
            self.refuses(info.tobuf(form) + bytes(2000), "not a trace of a known format in member a")
        damaged = bytearray(zlib.compress(TRACE))
        damaged[len(damaged) // 2] ^= 0xff
        self.reads(TRACE + compressed(bytes(damaged[:8])) + instant(500), 101)

    def test_many_members(self):
        self.reads(zipped([(str(i), TRACE if i == 7 else b"") for i in range(20000)], zipfile.ZIP_STORED), 100)


if __name__ == "__main__":
    main()
