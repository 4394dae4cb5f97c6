"""TraceUriResolver: where traces come from, under a name.

    class Lab(TraceUriResolver):
        PREFIX = "lab"

        def __init__(self, machine=None, day=None):
            self.machine, self.day = machine, day

        def resolve(self):
            return [self.Result(path, {"machine": self.machine}) for path in find(self.machine, self.day)]

    config = TraceProcessorConfig(resolver_registry=ResolverRegistry([Lab]))
    TraceProcessor("lab:machine=a1;day=monday", config=config)
"""
import dataclasses
from typing import Any, Dict, Optional


class TraceUriResolver:
    """A resolver is made of the keys and values of a URI, PREFIX:KEY=VALUE;KEY=VALUE,VALUE, as keywords."""
    PREFIX: Optional[str] = None

    @dataclasses.dataclass
    class Result:
        """A trace, and what is known of it: columns of what BatchTraceProcessor flattens."""
        trace: Any
        metadata: Dict[str, str] = dataclasses.field(default_factory=dict)

    def resolve(self):
        """A list of results. Their traces may be URIs in turn."""
        raise NotImplementedError

    @classmethod
    def from_trace_uri(cls, uri):
        return cls(**arguments(uri))


def split(uri):
    """The prefix, or None for a path, and the rest."""
    prefix, colon, rest = uri.partition(":")
    if not colon or uri.startswith(("/", ".")) or len(prefix) < 2:  # a letter is a drive
        return None, uri
    return prefix, rest


def arguments(uri):
    """{"a": "1", "b": ["2", "3"]} of "x:a=1;b=2,3"."""
    out = {}
    for one in filter(None, split(uri)[1].split(";")):
        key, equals, value = one.partition("=")
        if not equals:
            raise ValueError(f"'{uri}': expected KEY=VALUE, not '{one}'")
        out[key] = value.split(",") if "," in value else value
    return out
