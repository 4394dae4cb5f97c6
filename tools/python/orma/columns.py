"""Results as columns: views of the memory that the library filled, without copies.

    columns = tp.columns("SELECT ts, dur, name FROM slice")
    columns["dur"].to_numpy().sum()
    columns["name"].tolist()
    pyarrow.table(columns)                      any library that speaks Arrow
"""
import collections.abc
import ctypes

from . import library

_SIZES = {"l": 8, "g": 8, "i": 4}


class _Held:
    """A struct of Arrow, released with the last view of its memory."""

    def __init__(self, struct):
        self.struct = struct

    def __del__(self):
        if self.struct.release:
            self.struct.release(ctypes.byref(self.struct))


def _view(held, address, size):
    """The bytes at an address; `held` lives as long as they do."""
    if not size:
        return memoryview(b"")
    array = (ctypes.c_char * size).from_address(address)
    array.held = held
    return memoryview(array).cast("B")


class _Part:
    """A column of one batch."""

    def __init__(self, held, array, kind):
        self.rows, self.kind = array.length, kind
        self.valid = self.bytes = self.entries = None
        if array.buffers[0] and array.null_count:
            self.valid = _view(held, array.buffers[0], (self.rows + 7) // 8)
        extra = 1 if kind == "z" else 0
        width = _SIZES.get(kind, 4)
        self.values = _view(held, array.buffers[1], (self.rows + extra) * width)
        if kind == "z":
            ends = self.values.cast("i")
            self.bytes = _view(held, array.buffers[2], ends[-1])
        elif kind == "i":
            self.entries = self._texts(held, array.dictionary.contents)

    @staticmethod
    def _texts(held, array):
        ends = _view(held, array.buffers[1], (array.length + 1) * 4).cast("i")
        data = bytes(_view(held, array.buffers[2], ends[-1]))
        return [data[ends[i]:ends[i + 1]].decode("utf-8", "ignore") for i in range(array.length)]

    def nulls(self):
        """The numbers of rows that are NULL."""
        if self.valid is None:
            return []
        full = bytes([255])
        out = []
        for at, byte in enumerate(self.valid):
            if byte != full[0]:
                out.extend(row for row in range(at * 8, min(at * 8 + 8, self.rows)) if not byte >> row % 8 & 1)
        return out

    def tolist(self):
        if self.kind == "l":
            out = self.values.cast("q").tolist()
        elif self.kind == "g":
            out = self.values.cast("d").tolist()
        elif self.kind == "i":
            entries = self.entries or [None]  # all are NULL
            out = [entries[i] for i in self.values.cast("i")]
        else:
            ends = self.values.cast("i").tolist()
            data = bytes(self.bytes)
            out = [data[a:b] for a, b in zip(ends, ends[1:])]
        for row in self.nulls():
            out[row] = None
        return out


class Column:
    """A column of a result. `type` is int64, double, text or blob."""
    TYPES = {"l": "int64", "g": "double", "i": "text", "z": "blob"}

    def __init__(self, name, kind, parts):
        self.name, self.type = name, self.TYPES[kind]
        self._kind, self._parts = kind, parts

    def __len__(self):
        return sum(p.rows for p in self._parts)

    def tolist(self):
        """Values of Python; NULL is None."""
        if len(self._parts) == 1:
            return self._parts[0].tolist()
        return [value for part in self._parts for value in part.tolist()]

    @property
    def null_count(self):
        return sum(len(p.nulls()) for p in self._parts)

    def to_numpy(self):
        """
        An array of NumPy. Numbers without NULLs are the memory of the result itself; with NULLs, int64
        becomes double and NULLs are NaN. Texts and blobs are objects.
        """
        import numpy
        if self._kind in "lg":
            made = [self._numbers(numpy, p) for p in self._parts]
            kind = numpy.float64 if self._kind == "g" or any(p.valid is not None for p in self._parts) else numpy.int64
            return made[0] if len(made) == 1 else numpy.concatenate(made) if made else numpy.empty(0, kind)
        if self._kind == "i":
            made = [self._texts(numpy, p) for p in self._parts]
            return made[0] if len(made) == 1 else numpy.concatenate(made) if made else numpy.empty(0, object)
        out = numpy.empty(len(self), object)
        out[:] = self.tolist()
        return out

    @staticmethod
    def _valid(numpy, part):
        bits = numpy.unpackbits(numpy.frombuffer(part.valid, numpy.uint8), bitorder="little")
        return bits[:part.rows].astype(bool)

    def _numbers(self, numpy, part):
        if not part.rows:
            return numpy.empty(0, numpy.int64 if self._kind == "l" else numpy.float64)
        values = numpy.frombuffer(part.values, numpy.int64 if self._kind == "l" else numpy.float64)
        if part.valid is None:
            return values
        return numpy.where(self._valid(numpy, part), values, numpy.nan)

    def _texts(self, numpy, part):
        entries = numpy.array(part.entries or [None], object)
        out = entries[numpy.frombuffer(part.values, numpy.int32)] if part.rows else numpy.empty(0, object)
        if part.valid is not None:
            out[~self._valid(numpy, part)] = None
        return out

    def objects(self, numpy):
        """As to_numpy(), but NULLs are None, whatever the type."""
        if self._kind not in "lg" or all(p.valid is None for p in self._parts):
            return self.to_numpy()
        out = numpy.empty(len(self), object)
        out[:] = self.tolist()
        return out


class Columns(collections.abc.Mapping):
    """Columns by name; names that occur twice lead to the last of them, by number to each."""

    def __init__(self, names, kinds, batches):
        self.names = names
        self._columns = [Column(n, k, [b[i] for b in batches]) for i, (n, k) in enumerate(zip(names, kinds))]
        self._by_name = {c.name: c for c in self._columns}
        self.rows = len(self._columns[0]) if self._columns else 0

    def __getitem__(self, key):
        return self._columns[key] if isinstance(key, int) else self._by_name[key]

    def __iter__(self):
        return iter(self._by_name)

    def __len__(self):
        return len(self._by_name)

    def to_numpy(self):
        """{name: array}"""
        return {name: column.to_numpy() for name, column in self.items()}

    def as_pandas_dataframe(self):
        """A DataFrame; columns of numbers have their type, where there is no NULL."""
        import numpy
        import pandas
        frame = pandas.DataFrame({i: c.objects(numpy) for i, c in enumerate(self._columns)})
        frame.columns = self.names
        return frame


def read(stream):
    """All of a stream, as Columns. RuntimeError with its text, or MixedTypes."""
    held = _Held(stream)
    schema = library.ArrowSchema()
    _check(stream, stream.get_schema(ctypes.byref(stream), ctypes.byref(schema)))
    children = [schema.children[i].contents for i in range(schema.n_children)]
    names = [c.name.decode("utf-8", "replace") for c in children]
    kinds = [c.format.decode() for c in children]
    schema.release(ctypes.byref(schema))
    batches = []
    while True:
        array = library.ArrowArray()
        _check(stream, stream.get_next(ctypes.byref(stream), ctypes.byref(array)))
        if not array.release:
            break
        batch = _Held(array)
        batches.append([_Part(batch, array.children[i].contents, kind) for i, kind in enumerate(kinds)])
    del held
    return Columns(names, kinds, batches)


class MixedTypes(Exception):
    """A column has values of several types."""


def _check(stream, error):
    if not error:
        return
    text = stream.get_last_error(ctypes.byref(stream)) or b"out of memory"
    raise (MixedTypes if error == 33 else RuntimeError)(text.decode("utf-8", "replace"))  # EDOM
