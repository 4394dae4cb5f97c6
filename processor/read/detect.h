/*
 * What kind of trace some bytes begin, by their content alone.
 */
#ifndef ORMA_PROCESSOR_READ_DETECT_H
#define ORMA_PROCESSOR_READ_DETECT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum orma_format {
    ORMA_FORMAT_MORE, /* too few bytes to tell */
    ORMA_FORMAT_UNKNOWN,
    ORMA_FORMAT_PROTO,
    ORMA_FORMAT_JSON,
    ORMA_FORMAT_SYSTRACE,
    ORMA_FORMAT_GZIP,
    ORMA_FORMAT_ZSTD,
    ORMA_FORMAT_ZIP,
    ORMA_FORMAT_TAR,
    ORMA_FORMAT_CTRACE,
    ORMA_FORMATS_NUM,
};

/* As in the metadata `trace_type`. */
extern const char *const orma_format_names[ORMA_FORMATS_NUM];

/* `at_end`: there are no more bytes, so never ORMA_FORMAT_MORE. */
enum orma_format orma_detect_format(const uint8_t *data, size_t len, bool at_end);
#endif
