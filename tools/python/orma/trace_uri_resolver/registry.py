"""ResolverRegistry: resolvers by the prefixes of their URIs."""
import os

from .resolver import TraceUriResolver, split

# URIs that lead to others, and on: no longer chain than this.
_DEPTH = 16


class ResolverRegistry:
    """resolvers: classes."""

    def __init__(self, resolvers=None):
        self.resolvers = {}
        for one in resolvers or []:
            self.register(one)

    def register(self, resolver):
        if resolver.PREFIX in self.resolvers:
            raise ValueError(f"'{resolver.PREFIX}' is the prefix of two resolvers")
        self.resolvers[resolver.PREFIX] = resolver

    def resolve(self, traces):
        """A list of TraceUriResolver.Result for a trace, a URI, a resolver, or a list of them."""
        return list(self._resolve(traces, {}, _DEPTH))

    def _resolve(self, trace, metadata, depth):
        if not depth:
            raise ValueError(f"'{trace}' leads to no trace: each of its URIs leads to another")
        if isinstance(trace, (list, tuple)):
            for one in trace:
                yield from self._resolve(one, metadata, depth - 1)
            return
        if isinstance(trace, str) and not os.path.exists(trace):
            # A file may have a colon in its name; what has a prefix that nobody knows is a path, too.
            resolver = self.resolvers.get(split(trace)[0])
            if resolver:
                trace = resolver.from_trace_uri(trace)
        if isinstance(trace, TraceUriResolver):
            for one in trace.resolve():
                yield from self._resolve(one.trace, {**metadata, **(one.metadata or {})}, depth - 1)
            return
        if isinstance(trace, (str, os.PathLike)):
            metadata = {"_path": os.fspath(trace), **metadata}
        yield TraceUriResolver.Result(trace, metadata)
