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
    ORMA_FORMAT_XZ,
    ORMA_FORMAT_BZIP2,
    ORMA_FORMAT_ZIP,
    ORMA_FORMAT_TAR,
    ORMA_FORMAT_CTRACE,
    ORMA_FORMAT_SYMBOLS, /* packets, too */
    ORMA_FORMAT_PPROF,
    ORMA_FORMAT_PERF,
    ORMA_FORMAT_PERF_TEXT,
    ORMA_FORMAT_TRACE_DAT,
    ORMA_FORMAT_OTLP,
    ORMA_FORMAT_JFR,
    ORMA_FORMAT_UFTRACE, /* its file `info`, for the folder */
    ORMA_FORMAT_CTF,     /* its file `metadata`, the same */
    ORMA_FORMAT_SIMPLEPERF,
    ORMA_FORMAT_FUCHSIA,
    ORMA_FORMAT_GECKO,
    ORMA_FORMAT_SPEEDSCOPE,
    ORMA_FORMAT_V8_CPU,
    ORMA_FORMAT_V8_HEAP,
    ORMA_FORMAT_DHAT,
    ORMA_FORMAT_CALLGRIND,
    ORMA_FORMAT_MANIFEST,
    ORMA_FORMAT_INSTRUMENTS,
    ORMA_FORMAT_NINJA,
    ORMA_FORMAT_COLLAPSED,
    ORMA_FORMAT_STRACE,
    ORMA_FORMAT_LOGCAT,
    ORMA_FORMAT_ART_METHOD,
    ORMA_FORMAT_ART_METHOD_V2,
    ORMA_FORMAT_ART_HPROF,
    ORMA_FORMAT_PRIMES,
    ORMA_FORMAT_DUMPSTATE,
    ORMA_FORMAT_ARROW,
    ORMA_FORMAT_ARCHIVE, /* of ours: api/archived.h */
    ORMA_FORMATS_NUM,
};

/* One stream of bytes that is packed as a whole. */
static inline bool orma_detect_is_packed(enum orma_format format)
{
    return format == ORMA_FORMAT_GZIP || format == ORMA_FORMAT_ZSTD || format == ORMA_FORMAT_XZ ||
           format == ORMA_FORMAT_BZIP2;
}

/* As in the metadata `trace_type`. */
extern const char *const orma_detect_format_names[ORMA_FORMATS_NUM];

/* Of so many bytes the format is known, or never. */
#define ORMA_DETECT_MAX ((size_t)1 << 20)

/* Bytes of the mark that texts may begin with (BOM): 0 or 3. */
size_t orma_detect_mark(const uint8_t *data, size_t len);

/* `at_end`: there are no more bytes, so never ORMA_FORMAT_MORE. */
enum orma_format orma_detect_format(const uint8_t *data, size_t len, bool at_end);

/* Of bytes whose format is not known: what they are, for people, and what reads them; or NULL. */
const char *orma_detect_foreign(const uint8_t *data, size_t len);

/* Of a file of which nothing could be read: what it seems to be; NULL: nothing is known of it. */
const char *orma_detect_guess(const uint8_t *data, size_t len);
#endif
