/*
 * Durations and sizes as people write them, and back.
 */
#ifndef ORMA_TOOLS_BASE_UNITS_H
#define ORMA_TOOLS_BASE_UNITS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "500ms", "10s", "1.5m", "2h", "1d"; a plain 0 is allowed, other numbers need a unit, as for
 * perfetto. */
bool orma_units_parse_duration_ms(const char *text, uint64_t *ret);

/* The same, and a number without a unit means seconds, as everywhere else. */
bool orma_units_parse_time_ms(const char *text, uint64_t *ret);

/* "1.5s", "300ms", "20us", "5ns", "2m"; a number without a unit means seconds. */
bool orma_units_parse_time_ns(const char *text, uint64_t *ret);

/* A time of a trace from `start` to `end`: since its start, as above, or a timestamp of it. 0, or
 * -EINVAL after a message that names the option, "from" or "to". */
int orma_units_read_trace_time(const char *program, const char *option, const char *text,
                               int64_t start, int64_t end, int64_t *ret);

/* "64k", "32mb", "1.5g", powers of 1024; a plain 0 is allowed, other numbers need a unit. */
bool orma_units_parse_size_bytes(const char *text, uint64_t *ret);

#define ORMA_UNITS_TEXT_MAX 32
/* "1.2 MiB", "48.0 ms": into `ret` of ORMA_UNITS_TEXT_MAX bytes, which is returned. */
const char *orma_units_format_size(uint64_t bytes, char *ret);
const char *orma_units_format_duration(uint64_t ns, char *ret);
#endif
