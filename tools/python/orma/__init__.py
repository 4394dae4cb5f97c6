"""Traces in Python: SQL over traces of Perfetto and others, in this process.

    from orma import TraceProcessor

    with TraceProcessor("trace.pftrace") as tp:
        for row in tp.query("SELECT ts, name FROM slice LIMIT 3"):
            print(row.ts, row.name)
        durations = tp.columns("SELECT dur FROM slice")["dur"].to_numpy()

It needs liborma_processor.so.0 and nothing else; NumPy, pandas, polars and pyarrow are used where their names occur.
"""
from .batch_trace_processor.api import BatchTraceProcessor, BatchTraceProcessorConfig
from .commands import CommandFailed, diff, profile, record, report, why
from .trace_processor import TraceProcessor, TraceProcessorConfig, TraceProcessorException

__all__ = ["BatchTraceProcessor", "BatchTraceProcessorConfig", "CommandFailed", "TraceProcessor", "TraceProcessorConfig",
           "TraceProcessorException", "diff", "profile", "record", "report", "why"]
