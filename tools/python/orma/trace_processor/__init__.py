"""`from orma.trace_processor import TraceProcessor`, as with Perfetto's client."""
from .api import PerfettoException, TraceProcessor, TraceProcessorConfig, TraceProcessorException

__all__ = ["PerfettoException", "TraceProcessor", "TraceProcessorConfig", "TraceProcessorException"]
