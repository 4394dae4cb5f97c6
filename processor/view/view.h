/*
 * What a timeline shows, packed: rows (cores, processes, threads, tracks), their items, names and
 * args in blocks of columns. The same blocks lie in a file of HTML that opens anywhere, and are
 * what the server of `orma view` hands out. docs/view-format.md describes the bytes.
 */
#ifndef ORMA_PROCESSOR_VIEW_VIEW_H
#define ORMA_PROCESSOR_VIEW_VIEW_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "processor/processor.h"
#include "sdk/base/buf.h"

struct orma_view;

/* How far orma_view_new() is, and whether it shall end: for another thread. */
struct orma_view_progress {
    _Atomic uint64_t read, all; /* items; all: 0 as long as they are not counted */
    _Atomic bool stop;          /* it gives -ECANCELED as soon as it looks here */
    /*
     * What was read so far, see docs/view-format.md; who takes it puts NULL there and frees it with
     * orma_view_free_picture(). `pictures`: how many there were.
     */
    struct orma_buf *_Atomic picture;
    _Atomic uint32_t pictures;
};
void orma_view_free_picture(struct orma_buf *picture); /* NULL is fine */

/* Zero-initialised is the default. */
struct orma_view_config {
    const char *title;      /* shown in the head of the page; usually the name of the trace */
    int64_t from_ns, to_ns; /* only this range of the trace's clock; both 0: all */
    const char *losses;     /* what was lost, as a sentence; NULL: nobody asked */
    const char *report;     /* a JSON object that the page shows first; NULL: none. Both are
                             * valid during orma_view_new() only */
    /* A condition in SQL over upids that begins with AND: the processes to look at; others stand
     * in one row, folded. NULL or "": all are looked at. Valid during orma_view_new() only. */
    const char *processes;
    uint64_t budget; /* bytes of packed blocks to stay below: the shortest slices are merged
                      * into groups until they do. 0: everything exactly */
    bool stored;     /* blocks are not made smaller: they are sent on this machine only */
    struct orma_view_progress *progress; /* NULL: nobody asks */
};

/* What was packed, for people. */
struct orma_view_totals {
    uint64_t rows, slices, states, values, logs, flows; /* in the trace's range */
    uint64_t grouped;                                   /* slices that are shown in groups only */
    int64_t group_ns;                                   /* all shorter than this */
    uint64_t merged;   /* states, switches and values of rows that are shown by levels only */
    int64_t merged_ns; /* the finest of these */
};

/*
 * Reads the loaded trace and packs it. 0; -ENOMEM; -ECANCELED; -EINVAL: the range is empty;
 * -ENOTSUP: the build has no zlib. Errors of queries are in orma_processor_error().
 */
int orma_view_new(struct orma_processor *tp, const struct orma_view_config *config,
                  struct orma_view **ret);
void orma_view_free(struct orma_view *self);

/*
 * Leaves what was packed for a server in the cache of the trace, where orma_view_new() takes it
 * from the next time. Once the packing is over, as it starts a process.
 */
int orma_view_keep(struct orma_view *self, int64_t took_ns);

struct orma_view_totals orma_view_totals(const struct orma_view *self);

/* Block 0, a JSON object, says what the others are. Valid until the view is freed. */
struct orma_str orma_view_info(const struct orma_view *self);

/* Blocks 1 to orma_view_blocks(): deflated bytes. */
size_t orma_view_blocks(const struct orma_view *self);
struct orma_str orma_view_block(const struct orma_view *self, size_t n);

/*
 * Parts of a page, as they are in the program (see tools/view): style and program, deflated as one.
 * The hashes are as a Content-Security-Policy names them.
 */
struct orma_view_page {
    const char *css_hash, *js_hash;
    const unsigned char *packed;
    uint32_t packed_len, css_len, js_len;
};

/* A whole page: with the blocks in it, or (NULL) one that fetches them. */
int orma_view_write_page(const struct orma_view *self, const struct orma_view_page *page,
                         int (*write)(void *ctx, const void *data, size_t len), void *ctx);
#endif
