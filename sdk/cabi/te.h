/*
 * Track events of a tracer: what its reader keeps (interned texts, known tracks, the
 * last time), and how packets are written.
 *
 *   [timestamp][sequence_flags][track_event][interned_data]
 *
 * An event whose texts are all known is written straight into the chunk; others are
 * made in scratch memory of the thread first.
 */
#ifndef ORMA_SDK_CABI_TE_H
#define ORMA_SDK_CABI_TE_H
#include <string.h>

#include "sdk/base/map.h"
#include "sdk/cabi/cabi.h"
#include "sdk/events/te_config.h"
#include "sdk/wire/pb_writer.h"
#include "sdk/wire/varint.h"

#define ORMA_CABI_CLOCK_INCREMENTAL 64u
#define ORMA_CABI_CLOCK_ABSOLUTE 65u
/* Tables of InternedData whose last id has a place of its own; others share a map. */
#define ORMA_CABI_KINDS 64u
#define ORMA_CABI_NAMES 64u /* a page: larger pieces of memory are the kernel's, and dear */
#define ORMA_CABI_NAME_MAX 52u
/* Tracks that are known to be known without a look into the map. */
#define ORMA_CABI_RECENT 32u
/* Categories with such ids are known to be known without a look into the map. */
#define ORMA_CABI_CATEGORIES 512u

struct orma_cabi_te_config {
    _Atomic uint32_t refs;
    struct orma_te_config lists;
};

/* A text that was interned, by its address: the text is compared, since it may change there. */
struct orma_cabi_name {
    const char *at;
    uint32_t iid;
    char text[ORMA_CABI_NAME_MAX];
};
_Static_assert(sizeof(struct orma_cabi_name) == 64, "one line of the cache");

struct orma_cabi_te {
    struct orma_cabi_te_config *config;
    bool fresh; /* the sequence is to begin, or to begin anew */
    uint32_t clock;
    uint64_t unit, last;
    struct orma_map iids, tracks, kinds, dynamic;
    uint32_t last_iid[ORMA_CABI_KINDS];
    uint64_t known_categories[ORMA_CABI_CATEGORIES / 64];
    uint64_t recent_tracks[ORMA_CABI_RECENT]; /* 0: none */
    struct orma_cabi_name *names[2]; /* of events, of arguments; ORMA_CABI_NAMES each */
};

/* te_state.c */

/* Before the first event. */
void orma_cabi_te_begin(void);
struct orma_cabi_te *orma_cabi_te_new(struct orma_cabi_te_config *config);
void orma_cabi_te_free(struct orma_cabi_te *self);
/* The id of these bytes, and whether it is a new one. */
uint64_t orma_cabi_te_intern(struct orma_cabi_te *self, uint32_t kind, const void *data, size_t len,
                             bool *ret_new);
/* True: it was asked for before. */
bool orma_cabi_te_track_seen(struct orma_cabi_te *self, uint64_t uuid);
/* Writes the packets that a sequence begins with, if it is to begin. */
void orma_cabi_te_renew(struct orma_cabi_thread *thread, struct orma_cabi_tracer *t,
                        struct orma_cabi_stamp stamp);
bool orma_cabi_te_wants_dynamic(struct orma_cabi_te *self,
                                const struct orma_cabi_category_desc *desc);
/* Appends timestamp, and the clock's id where it is not the default. */
uint8_t *orma_cabi_te_put_time(struct orma_cabi_te *self, uint8_t *to,
                               struct orma_cabi_stamp stamp);

static inline bool orma_cabi_te_is_due(const struct orma_cabi_tracer *t)
{
    return t->te->fresh || t->writer->restart ||
           t->clears != atomic_load_explicit(&t->type->slots[t->slot].clears, memory_order_relaxed);
}

/* te_track.c */

/* The most bytes that these fields take, and the fields. New texts go into `interned`. */
size_t orma_cabi_te_fields_bound(const struct orma_cabi_proto_field *const *fields);
uint8_t *orma_cabi_te_put_fields(uint8_t *to, struct orma_cabi_te *te, struct orma_buf *interned,
                                 const struct orma_cabi_proto_field *const *fields);
/* Appends a text with its id as a field of InternedData. */
void orma_cabi_te_put_interned(struct orma_buf *interned, uint32_t kind, uint64_t iid,
                               const char *text, size_t len);
/* Describes the track of the extra where it is not known yet, and returns its uuid. */
uint64_t orma_cabi_te_track(struct orma_cabi_thread *thread, struct orma_cabi_tracer *t,
                            const struct orma_cabi_extra *extra);

/* A message of less than 128 bytes, or more: its size is one byte until the end is known. */
static inline uint8_t *orma_cabi_close(uint8_t *size_at, uint8_t *end)
{
    size_t len = (size_t)(end - size_at) - 1;

    if (ORMA_LIKELY(len < 0x80)) {
        *size_at = (uint8_t)len;
        return end;
    }
    unsigned more = orma_varint_size(len) - 1;
    memmove(size_at + 1 + more, size_at + 1, len);
    orma_varint_write(size_at, len);
    return end + more;
}
#endif
