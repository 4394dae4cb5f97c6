/*
 * Archives of files: container_tar.c and container_zip.c list the members, container.c imports
 * them.
 */
#ifndef ORMA_PROCESSOR_IMPORT_FORMATS_CONTAINER_H
#define ORMA_PROCESSOR_IMPORT_FORMATS_CONTAINER_H

#include <stdbool.h>
#include <stdint.h>

#include "processor/import/core/file.h"
#include "sdk/base/arena.h"
#include "sdk/base/buf.h"
#include "sdk/base/str.h"

/* Bytes of a member that suffice to detect its format. */
#define ORMA_FORMAT_HEAD 4096

struct orma_format_member {
    struct orma_str name; /* of the archive, or of its arena */
    const uint8_t *data;  /* as it lies there */
    size_t len;
    uint64_t size;            /* of what is packed in it, as the list has it; 0: not known */
    bool packed;              /* deflated */
    bool is_trace;            /* or holds such */
    bool repeats;             /* another one has the same bytes */
    bool leads;               /* it stands for its folder, which is one trace */
    bool is_ctf;              /* of what kind that is */
    bool follows;             /* it lies in a folder for which another one stands */
    const uint8_t *sum;       /* in the list of a zip archive; NULL: none */
    struct orma_buf unpacked; /* by another thread; empty: it is to be unpacked */
    unsigned idx, kind;
    uint32_t row; /* in trace_file */
};

/* Where an entry of a zip archive lies, from its own header on; members that are left out, too. */
struct orma_format_span {
    size_t from, to;
};

struct orma_format_archive {
    struct orma_file *file;
    struct orma_format_span *spans;
    unsigned spans_num, spans_cap;
    struct orma_format_member *list;
    unsigned num, cap;
    unsigned hidden, empty;
    bool has_folders;        /* that are one trace */
    struct orma_arena names; /* and lists of parts */
};

/* A number in little-endian order. */
static inline uint64_t orma_format_le(const uint8_t *at, unsigned bytes)
{
    uint64_t val = 0;

    for (unsigned i = bytes; i-- > 0;)
        val = val << 8 | at[i];
    return val;
}

void orma_format_archive_read_tar(struct orma_format_archive *a, const uint8_t *data, size_t len);

void orma_format_archive_read_zip(struct orma_format_archive *a, const uint8_t *data, size_t len);

/* It is damaged: what can be read of it is. */
void orma_format_archive_bad(struct orma_format_archive *a, const char *what);

/* `kind`: which counter of statistics. */
void orma_format_archive_skip(struct orma_format_archive *a, uint32_t kind, unsigned num);

/* Unless it is hidden or empty, or there are too many. */
void orma_format_archive_add(struct orma_format_archive *a, const struct orma_format_member *m);

#endif
