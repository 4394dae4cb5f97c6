/*
 * Archives: all that an import leaves behind (store/image.h) as a file that users keep and pass on.
 * The same version of this library loads it instead of the trace.
 *
 * Whoever may write the file may make it say anything. It is read to memory of ours before it is
 * looked at, and all of it is summed, so it may be cut or written over afterwards.
 */
#ifndef ORMA_PROCESSOR_API_ARCHIVED_H
#define ORMA_PROCESSOR_API_ARCHIVED_H
#include "processor/processor.h"
#include "processor/store/storage.h"
#include "sdk/base/buf.h"

/* Of the import, as bits. */
enum {
    ORMA_OPTION_FULL_SORT = 1,
    ORMA_OPTION_NO_FTRACE_RAW = 2,
    ORMA_OPTION_CROP_TRACK_EVENTS = 4,
    ORMA_OPTION_ANALYZE_CONTENT = 8,
};

/* What is known of the trace beside its tables. */
struct orma_archived_facts {
    uint64_t size;    /* of the trace */
    uint32_t options; /* of its import: ORMA_OPTION_... */
    struct orma_processor_damage damage;
};

enum orma_archived_state {
    ORMA_ARCHIVED_UNDECIDED, /* too few bytes to tell */
    ORMA_ARCHIVED_NONE,      /* some other trace */
    ORMA_ARCHIVED_TAKEN,
};

/* Of one processor. Zero-initialised: nothing was fed yet. */
struct orma_archived {
    enum orma_archived_state state;
    bool loaded;           /* the storage is what the bytes say, and refers to them */
    struct orma_buf bytes; /* all that was fed; once it is none, what came before that was clear */
    struct orma_archived_facts facts;
};

void orma_archived_fini(struct orma_archived *self);

/* Whether the file begins like one. */
bool orma_archived_is(int fd);

/* The next bytes of a trace. ORMA_ARCHIVED_NONE: these were not taken. */
enum orma_archived_state orma_archived_feed(struct orma_archived *self, const void *data,
                                            size_t len);

/* To an empty file that can be written anywhere. 0 or -errno, as orma_image_write(). */
int orma_archived_write(struct orma_storage *storage, const struct orma_archived_facts *facts,
                        int fd);

/* Fills a storage, as orma_image_read() does. 0 and the facts; -errno, with a sentence in `why`.
 * `options`: what is asked of the import, which was before. */
int orma_archived_read(struct orma_storage *storage, const uint8_t *data, size_t size,
                       uint32_t options, struct orma_archived_facts *facts, struct orma_buf *why);
#endif
