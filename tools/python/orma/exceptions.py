"""What is raised, under the names of Perfetto's client."""


class PerfettoException(Exception):
    """Whatever goes wrong."""


class TraceProcessorException(PerfettoException):
    """What went wrong, as the processor says it."""
