"""liborma_processor by ctypes: what orma/processor.h declares, and where it is found."""
import ctypes
import ctypes.util
import functools
import os
import pathlib
import shutil
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint,
                    c_uint32, c_uint64, c_void_p)

WHOLE = ctypes.c_size_t(-1).value
NULL, INT64, DOUBLE, TEXT, BLOB = range(5)
ARROW_DICTIONARIES, ARROW_EXACT = 1, 2
BINARY, PROTO_TEXT, JSON = range(3)
NAME = "liborma_processor.so.0"


class Config(Structure):
    """struct orma_processor_config"""
    _fields_ = [("size", c_size_t), ("full_sort", c_bool), ("no_ftrace_raw", c_bool), ("crop_track_events", c_bool),
                ("sql_file_access", c_bool), ("one_thread", c_bool), ("analyze_content", c_bool),
                ("query_timeout_ms", c_uint64), ("memory_limit_bytes", c_uint64), ("threads", c_uint32)]


class ArrowSchema(Structure):
    pass


class ArrowArray(Structure):
    pass


class ArrowArrayStream(Structure):
    pass


ArrowSchema._fields_ = [
    ("format", c_char_p), ("name", c_char_p), ("metadata", c_char_p), ("flags", c_int64), ("n_children", c_int64),
    ("children", POINTER(POINTER(ArrowSchema))), ("dictionary", POINTER(ArrowSchema)),
    ("release", CFUNCTYPE(None, POINTER(ArrowSchema))), ("private_data", c_void_p)]
ArrowArray._fields_ = [
    ("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64), ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)), ("children", POINTER(POINTER(ArrowArray))), ("dictionary", POINTER(ArrowArray)),
    ("release", CFUNCTYPE(None, POINTER(ArrowArray))), ("private_data", c_void_p)]
ArrowArrayStream._fields_ = [
    ("get_schema", CFUNCTYPE(c_int, POINTER(ArrowArrayStream), POINTER(ArrowSchema))),
    ("get_next", CFUNCTYPE(c_int, POINTER(ArrowArrayStream), POINTER(ArrowArray))),
    ("get_last_error", CFUNCTYPE(c_char_p, POINTER(ArrowArrayStream))),
    ("release", CFUNCTYPE(None, POINTER(ArrowArrayStream))), ("private_data", c_void_p)]

PROGRESS = CFUNCTYPE(c_int, c_void_p, c_uint64, c_uint64)
STOP = CFUNCTYPE(c_int, c_void_p)

# name: result, arguments
FUNCTIONS = {
    "orma_processor_version": (c_char_p,),
    "orma_processor_new": (c_int, POINTER(Config), POINTER(c_void_p)),
    "orma_processor_free": (None, c_void_p),
    "orma_processor_error": (c_char_p, c_void_p),
    "orma_processor_use_cache": (c_int, c_void_p, c_char_p),
    "orma_processor_size": (c_uint64, c_void_p),
    "orma_processor_load_file": (c_int, c_void_p, c_char_p, PROGRESS, c_void_p),
    "orma_processor_feed": (c_int, c_void_p, c_char_p, c_size_t),
    "orma_processor_finish": (c_int, c_void_p),
    "orma_processor_interrupt": (None, c_void_p),
    "orma_processor_ask_to_stop": (None, c_void_p, STOP, c_void_p),
    "orma_processor_add_sql_package": (c_int, c_void_p, c_char_p, c_char_p, c_bool, POINTER(c_uint)),
    "orma_processor_restore": (c_int, c_void_p),
    "orma_processor_compute_metrics": (c_int, c_void_p, POINTER(c_char_p), c_size_t, c_int, POINTER(c_void_p),
                                       POINTER(c_size_t)),
    "orma_processor_summarize": (c_int, c_void_p, POINTER(c_char_p), POINTER(c_size_t), c_size_t, POINTER(c_char_p),
                                 c_size_t, c_char_p, c_int, POINTER(c_void_p), POINTER(c_size_t)),
    "orma_free": (None, c_void_p),
    "orma_script_open": (c_int, c_void_p, c_char_p, c_size_t, c_char_p, POINTER(c_void_p)),
    "orma_script_step": (c_int, c_void_p, POINTER(c_void_p)),
    "orma_script_offset": (c_size_t, c_void_p),
    "orma_script_at_end": (c_bool, c_void_p),
    "orma_script_close": (None, c_void_p),
    "orma_query_free": (None, c_void_p),
    "orma_query_step": (c_int, c_void_p),
    "orma_query_has_columns": (c_bool, c_void_p),
    "orma_query_parameters": (c_uint, c_void_p),
    "orma_query_parameter": (c_uint, c_void_p, c_char_p),
    "orma_query_bind_null": (c_int, c_void_p, c_uint),
    "orma_query_bind_int64": (c_int, c_void_p, c_uint, c_int64),
    "orma_query_bind_double": (c_int, c_void_p, c_uint, c_double),
    "orma_query_bind_text": (c_int, c_void_p, c_uint, c_char_p, c_size_t),
    "orma_query_bind_blob": (c_int, c_void_p, c_uint, c_char_p, c_size_t),
    "orma_query_columns": (c_uint, c_void_p),
    "orma_query_column_name": (c_char_p, c_void_p, c_uint),
    "orma_query_type": (c_int, c_void_p, c_uint),
    "orma_query_int64": (c_int64, c_void_p, c_uint),
    "orma_query_double": (c_double, c_void_p, c_uint),
    "orma_query_text": (c_void_p, c_void_p, c_uint),
    "orma_query_blob": (c_void_p, c_void_p, c_uint),
    "orma_query_bytes": (c_size_t, c_void_p, c_uint),
    "orma_query_arrow": (c_int, c_void_p, c_uint64, c_uint, POINTER(ArrowArrayStream)),
}


def _places():
    """Where the library may be, in the order in which it is looked for."""
    if os.environ.get("ORMA_LIBRARY"):
        yield os.environ["ORMA_LIBRARY"]
        return
    yield str(pathlib.Path(__file__).parent / NAME)  # a wheel that has it
    yield NAME  # the system's
    program = shutil.which("orma")
    if program:
        prefix = pathlib.Path(program).resolve().parent.parent
        for folder in ("lib", "lib64", "processor/library"):
            yield from map(str, sorted((prefix / folder).rglob(NAME)))


@functools.lru_cache(maxsize=None)
def load():
    """The library. OSError if it is nowhere."""
    library, last = None, None
    for place in _places():
        try:
            library = ctypes.CDLL(place)
            break
        except OSError as error:
            last = error
    if library is None:
        raise OSError(f"{NAME} is not found: install it, or set ORMA_LIBRARY to its path ({last})")
    for name, (result, *arguments) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library
