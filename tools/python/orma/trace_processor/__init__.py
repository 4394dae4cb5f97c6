"""`from orma.trace_processor import TraceProcessor`, as with Perfetto's client."""
from .api import PerfettoException, SqlPackage, TraceProcessor, TraceProcessorConfig, TraceProcessorException
from .http import TraceProcessorHttp

__all__ = ["PerfettoException", "SqlPackage", "TraceProcessor", "TraceProcessorConfig", "TraceProcessorException",
           "TraceProcessorHttp"]
