"""BatchTraceProcessor: the same question to many traces, side by side.

    with BatchTraceProcessor(glob.glob("runs/*.pftrace")) as btp:
        frame = btp.query_and_flatten("SELECT name, sum(dur) AS dur FROM slice GROUP BY name")

All traces stay in memory. For more than fit there, see `orma query --all`.
"""
import concurrent.futures
import dataclasses
import enum
import os
from typing import Callable, Optional

from ..exceptions import TraceProcessorException
from ..trace_processor.api import TraceProcessor, TraceProcessorConfig
from ..trace_uri_resolver.registry import ResolverRegistry
from ..trace_uri_resolver.resolver import TraceUriResolver


class FailureHandling(enum.Enum):
    """What a trace that fails does."""
    RAISE_EXCEPTION = 0
    INCREMENT_STAT = 1


@dataclasses.dataclass
class BatchTraceProcessorConfig:
    tp_config: TraceProcessorConfig = dataclasses.field(default_factory=TraceProcessorConfig)
    load_failure_handling: FailureHandling = FailureHandling.RAISE_EXCEPTION
    execute_failure_handling: FailureHandling = FailureHandling.RAISE_EXCEPTION
    threads: Optional[int] = None  # ours; as many as there are cpus


@dataclasses.dataclass
class BatchTraceProcessorStats:
    load_failures: int = 0
    execute_failures: int = 0


class BatchTraceProcessor:
    """
    traces: a list of what TraceProcessor takes; a URI or a resolver may lead to several. tps_and_metadata has
    the metadata of each as a dict: `_path`, and what a resolver says.
    """

    def __init__(self, traces, config=None):
        self.config = config or BatchTraceProcessorConfig()
        self._stats = BatchTraceProcessorStats()
        self._pool = concurrent.futures.ThreadPoolExecutor(self.config.threads or os.cpu_count())
        self.tps_and_metadata = []
        self.failures = []  # (trace, exception)
        registry = self.config.tp_config.resolver_registry or ResolverRegistry()
        if not isinstance(traces, (str, bytes, os.PathLike, TraceUriResolver)) and not hasattr(traces, "read"):
            traces = list(traces or [])  # glob() of pathlib gives them one by one
        found = registry.resolve(traces)
        loads = [self._pool.submit(TraceProcessor, one.trace, config=self.config.tp_config) for one in found]
        for one, load in zip(found, loads):
            try:
                tp = load.result()
            except (TraceProcessorException, OSError) as error:
                self._stats.load_failures += 1
                self.failures.append((one.trace, error))
                continue
            self.tps_and_metadata.append((tp, {"_path": getattr(one.trace, "name", None), **one.metadata}))
        if self.failures and self.config.load_failure_handling == FailureHandling.RAISE_EXCEPTION:
            self.close()
            trace, error = self.failures[0]
            raise TraceProcessorException(f"{trace}: {error}") from error

    def _run(self, function, flat):
        def one(pair):
            try:
                return function(*pair) if flat else function(pair[0])
            except TraceProcessorException:
                if self.config.execute_failure_handling == FailureHandling.RAISE_EXCEPTION:
                    raise
                return None
        results = list(self._pool.map(one, self.tps_and_metadata))
        if self.config.execute_failure_handling == FailureHandling.INCREMENT_STAT:
            self._stats.execute_failures += sum(r is None for r in results)
            results = [r for r in results if r is not None]
        return results

    def execute(self, function: Callable):
        """[function(tp) for each trace]"""
        return self._run(function, False)

    def execute_and_flatten(self, function: Callable):
        """function(tp) gives DataFrames; they become one, with the columns of the metadata."""
        import pandas

        def one(tp, metadata):
            frame = function(tp)
            for name, value in metadata.items():
                frame[name] = value
            return frame
        frames = self._run(one, True)
        return pandas.concat(frames).reset_index(drop=True) if frames else pandas.DataFrame()

    def query(self, sql):
        """A DataFrame for each trace."""
        return self.execute(lambda tp: tp.query(sql).as_pandas_dataframe())

    def query_and_flatten(self, sql):
        return self.execute_and_flatten(lambda tp: tp.query(sql).as_pandas_dataframe())

    def query_single_result(self, sql):
        """The only cell of the only row, for each trace."""
        def one(tp):
            rows = tp.query(sql)
            if len(rows) != 1 or len(rows.column_names) != 1:
                raise TraceProcessorException(f"query_single_result: {len(rows)} rows of {len(rows.column_names)} columns")
            return getattr(next(rows), rows.column_names[0])
        return self.execute(one)

    def metric(self, metrics):
        return self.execute(lambda tp: tp.metric(metrics))

    def trace_summary(self, specs, metric_ids=None, metadata_query_id=None):
        return self.execute(lambda tp: tp.trace_summary(specs, metric_ids, metadata_query_id))

    def stats(self):
        return self._stats

    def close(self):
        self._pool.shutdown()
        for tp, _ in self.tps_and_metadata:
            tp.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
