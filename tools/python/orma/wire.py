"""The wire format of protobuf, as much as requests to a server and its answers need.

    wire.put(1, "SELECT 1") + wire.put(3, 7)
    for number, value in wire.fields(data): ...            ints, or bytes
    wire.read(data, {1: ("name", str), 2: ("row", [ROW])})  a message by a table of its fields
"""
import struct


class Malformed(ValueError):
    """The bytes are no message."""


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def put(number, value):
    """A field: bool, int, str or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(int(value))
    data = value.encode() if isinstance(value, str) else bytes(value)
    return varint(number << 3 | 2) + varint(len(data)) + data


def _numpy():
    try:
        import numpy
        return numpy
    except ImportError:
        return None


def _varints_at_once(numpy, data):
    """All bytes in one go: a tenth of the time for many."""
    data = numpy.frombuffer(data, numpy.uint8)
    ends = numpy.flatnonzero(data < 128)
    if not len(ends) or ends[-1] != len(data) - 1:
        raise Malformed("a number is truncated")
    starts = numpy.concatenate(([0], ends[:-1] + 1))
    lengths = ends - starts + 1
    most = int(lengths.max())
    if most > 10:
        raise Malformed("a number is too long")
    out = numpy.zeros(len(ends), numpy.uint64)
    for i in range(most):
        some = numpy.flatnonzero(lengths > i)
        out[some] |= (data[starts[some] + i] & numpy.uint8(127)).astype(numpy.uint64) << numpy.uint64(7 * i)
    return out.view(numpy.int64).tolist()


def varints(data):
    """All varints of packed bytes, as int64."""
    numpy = _numpy() if len(data) > 1000 else None
    if numpy:
        return _varints_at_once(numpy, data)
    out, value, shift = [], 0, 0
    for byte in data:
        if byte < 128:
            value |= byte << shift
            out.append(value if value < 1 << 63 else (value & (1 << 64) - 1) - ((value & 1 << 63) << 1))
            value = shift = 0
        elif shift > 56:
            raise Malformed("a number is too long")
        else:
            value |= (byte & 127) << shift
            shift += 7
    if shift:
        raise Malformed("a number is truncated")
    return out


def _one(data, at):
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & (1 << 64) - 1, at
        shift += 7
    raise Malformed("a number is truncated, or too long")


def fields(data):
    """(number, value) of each field: an int for numbers, a view of the bytes for others."""
    data, at = memoryview(data), 0
    while at < len(data):
        key, at = _one(data, at)
        kind = key & 7
        if kind == 0:
            value, at = _one(data, at)
        else:
            if kind == 2:
                size, at = _one(data, at)
            elif kind in (1, 5):
                size = 8 if kind == 1 else 4
            else:
                raise Malformed(f"no field is of the wire type {kind}")
            if size > len(data) - at:
                raise Malformed("a field is truncated")
            value = data[at:at + size]
            at += size
        yield key >> 3, value


def _value(value, kind):
    if isinstance(kind, dict):
        return read(value, kind)
    if isinstance(kind, tuple):  # names of an enum, by their numbers
        return kind[value] if value < len(kind) else value
    if isinstance(value, int):
        return bool(value) if kind is bool else value - ((value & 1 << 63) << 1)
    if kind is float and len(value) == 8:
        return struct.unpack("<d", value)[0]
    if kind is str:
        return str(value, "utf-8", "replace")
    if kind is not bytes:
        raise Malformed("a field has another type")
    return bytes(value)


def read(data, table):
    """
    A dict of what is set. `table` is {number: (name, kind)}; a kind is a type, the table of a message, a tuple of
    the names of an enum, or a list of one of these: then there may be several. Unknown fields are left out.
    """
    out = {}
    for number, value in fields(data):
        name, kind = table.get(number, (None, None))
        if isinstance(kind, list):
            out.setdefault(name, []).append(_value(value, kind[0]))
        elif name:
            out[name] = _value(value, kind)
    return out
