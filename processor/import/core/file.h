/*
 * Files: what is loaded, and what lies in it.
 *
 * A trace comes as bytes of some format: packets, text of another tracer, or a container with
 * further files in it. Each of them is a struct orma_file with a row in the table of trace files
 * and the functions of its format:
 *
 *   bytes ─► file ─► format ─► events ─► sorter ─► parse
 *                     └─► file in it ─► ...
 *
 * Bytes of formats other than packets stay where they are until the import ends, so events may
 * point into them. Files live as long as the import. Threads: none.
 */
#ifndef ORMA_PROCESSOR_IMPORT_CORE_FILE_H
#define ORMA_PROCESSOR_IMPORT_CORE_FILE_H
#include "processor/import/core/account.h"
#include "processor/import/core/import.h"
#include "processor/read/detect.h"
#include "sdk/base/buf.h"

struct orma_file;

struct orma_format_ops {
    size_t state_bytes; /* zeroed, in file->state; may be 0 */
    uint32_t clock;     /* what its times are of; 0: it has none */
    const char *unit;   /* what its account counts: "line" */
    bool whole;         /* is read once, when all bytes are there */
    bool idle_zero;     /* pid 0 is the idle process */
    /* Returns how many bytes were used; the others come again with what follows them. Failure is
     * told by orma_file_error(). */
    size_t (*read)(struct orma_file *file, const uint8_t *data, size_t len, bool at_end);
    /* An item of the file, in its place in time; item->aux is the file. NULL: there are none. */
    struct orma_unit_end (*parse)(struct orma_file *file, const struct orma_item *item);
    /* When everything is parsed. May be NULL. */
    void (*finish)(struct orma_file *file);
    void (*fini)(struct orma_file *file);
};

/* What happened at a time, still as bytes of the file. */
struct orma_file_event {
    int64_t ts;
    int64_t key; /* of events out of order: at equal times the smaller one comes first */
    const uint8_t *data;
    uint32_t len;
    uint32_t index; /* order of arrival */
};

/*
 * As long as times do not go backwards, order is that of arrival. From the earliest time to which
 * they went back on, events are sorted by time and key. When events may have a length (`strict`),
 * equal times count as going back.
 */
struct orma_file_events {
    struct orma_file_event *list;
    uint32_t num, cap, at;
    uint32_t ordered; /* so many came in order before the first that did not */
    int64_t back_to;  /* the earliest time that came too late */
    int64_t last_ts;
    bool unsorted, strict;
    uint64_t order; /* of the first */
};

/* Brings them in order, by time and number, between both by key if they are `strict`. */
void orma_file_sort(struct orma_file_events *self);

/* Bytes that were fed, in blocks that do not move. */
struct orma_pieces {
    struct orma_piece *blocks;
    uint8_t *pending;
    size_t len, cap;
};

/* A file of a folder that is one trace. */
struct orma_file_part {
    struct orma_str name;  /* below the folder */
    struct orma_str bytes; /* they stay */
};

struct orma_file {
    struct orma_import *import;
    struct orma_import_ctx *imp;     /* of the formats */
    struct orma_file *parent, *next; /* next: of all files of the import */
    enum orma_format format;
    const struct orma_format_ops *ops; /* NULL: packets */
    void *state;
    uint32_t row;     /* in trace_file */
    uint16_t machine; /* of what does not say its own */
    uint64_t size;
    struct orma_account *account;       /* never NULL once ops->read() is called */
    uint64_t units_before, took_before; /* of packets: what the reader had counted before */
    const uint8_t *unit_at; /* where the unit at hand begins; NULL: nowhere in the file */
    uint32_t clock;         /* what its times are of */
    struct orma_file_part *parts; /* of the folder that it stands for */
    uint32_t parts_num;
    const char *like;       /* what it seems to be where nothing of it can be read; or NULL */
    struct orma_buf head;   /* bytes whose format is not known yet */
    struct orma_buf all;    /* fed bytes of a format that wants all of them */
    struct orma_buf taken;  /* orma_file_take() */
    struct orma_pieces pieces;
    struct orma_file_events events;
    struct {
        const uint8_t *data; /* what ops->read() got last, and where that is in the file */
        size_t len;
        uint64_t at;
    } given;
    struct {
        uint64_t from, to; /* equal: there is none */
        const char *why;
    } damage; /* that is not told yet: more of it may follow */
    bool detected, finished;
};

/* The row of a file that is in a container; name 0: it has none. `size`: there. */
uint32_t orma_file_list(struct orma_file *parent, uint32_t name, uint64_t size);

/* A file, of which nothing is known but where it lies: `row` is that of orma_file_list(), if it is
 * in another one. NULL when memory is out. */
struct orma_file *orma_file_new(struct orma_import *import, struct orma_file *parent, uint32_t row);

/* Bytes that stay. Returns how many were used. */
size_t orma_file_map(struct orma_file *self, const uint8_t *data, size_t len, bool at_end);

/* All bytes of a file at once; they stay. */
void orma_file_map_all(struct orma_file *self, const uint8_t *data, size_t len);

/* All bytes of a file in a container, which it keeps: takes them out of `from`. */
void orma_file_take(struct orma_file *self, struct orma_buf *from);

/* Bytes that are copied if they are needed later. */
void orma_file_feed(struct orma_file *self, const uint8_t *data, size_t len);

/* All bytes are there: what was fed is read to its end, events go to the sorter. */
void orma_file_finish(struct orma_file *self);

/* Counts bytes that came out of a container, however they were packed there. True: they are more
 * than an honest file would give, and that is the error. */
bool orma_file_is_bomb(struct orma_file *self, size_t len);

/* What can't be read, and why; ends the import. The first one counts. */
void orma_file_error(struct orma_file *self, int error, const char *fmt, ...) ORMA_PRINTF(3, 4);

/*
 * Bytes at `at`, in what ops->read() was given, that were skipped since they mean nothing. What
 * follows each other is one place. Ends of files that are not whole are orma_model_truncated().
 */
#define ORMA_DAMAGED_LINE "a line that can't be read"
void orma_file_damage(struct orma_file *self, const void *at, size_t len, const char *why);

/* True after orma_file_error(), or when memory is out. */
static inline bool orma_file_failed(const struct orma_file *self)
{
    return (self->imp->reader && self->imp->reader->error) || self->imp->model->storage->failed;
}

/* What the times of the file are of, for formats that tell it inside; before the first event. */
void orma_file_set_clock(struct orma_file *self, uint32_t clock);

/* The clock that files of the format usually have: it is related to the trace's, whatever the clock
 * of this one is. */
void orma_file_expect_clock(struct orma_file *self, uint32_t clock);

/* A time of some clock in that of the trace. False: nothing relates the two, which is logged. */
bool orma_file_relate(struct orma_file *self, uint32_t clock, int64_t ns, int64_t *ret_ts);

/*
 * The account of the file (account.h). A unit begins at `at`, in what ops->read() was given or in
 * what it gave to orma_file_add(), and ends by one of the calls below.
 */
static inline void orma_file_unit(struct orma_file *self, const void *at)
{
    orma_account_begin(self->account, 1);
    self->unit_at = (const uint8_t *)at;
}

static inline struct orma_unit_end orma_file_took(struct orma_file *self)
{
    return orma_account_took(self->account, 1);
}

/* `kind`: a noun in the plural. */
struct orma_unit_end orma_file_skipped(struct orma_file *self, enum orma_account_reason reason,
                                       const char *kind);
struct orma_unit_end orma_file_skippedf(struct orma_file *self, enum orma_account_reason reason,
                                        const char *fmt, ...) ORMA_PRINTF(3, 4);

/* `len` bytes of it, or of what read() was given: orma_file_damage() is told. */
struct orma_unit_end orma_file_damaged(struct orma_file *self, const char *kind, const void *at,
                                       size_t len, const char *why);

/* A part of a unit that was read, or of what units refer to, has no row, or another than the file
 * means. Such parts are counted apart. `at`: where it is, or NULL. */
void orma_file_part(struct orma_file *self, enum orma_account_reason reason, const char *kind,
                    const void *at);

/* Several of them, of which it is not known where they are. */
void orma_file_parts(struct orma_file *self, enum orma_account_reason reason, const char *kind,
                     uint64_t num);

/* Bytes at the end of the file that are no whole unit, since more is missing; 0: none. */
void orma_file_truncated(struct orma_file *self, uint64_t bytes);

/* Notes an event: the unit waits for its place in time. */
struct orma_unit_end orma_file_add(struct orma_file *self, int64_t ts, int64_t key,
                                   const uint8_t *data, size_t len);

/* For the end of the import. */
void orma_files_finish(struct orma_import *import);
void orma_files_fini(struct orma_import *import);
#endif
