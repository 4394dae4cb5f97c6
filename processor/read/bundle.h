/*
 * Walks the events of an ftrace bundle: its list of messages, or one of the
 * two column-wise lists of its CompactSched. Used twice, for merging and when
 * the args of an event are asked for.
 */
#ifndef ORMA_PROCESSOR_READ_BUNDLE_H
#define ORMA_PROCESSOR_READ_BUNDLE_H
#include "processor/read/sorter.h"
#include "protos/fields/ftrace.h"

/* Columns of a compact list, in the order of the fields. */
enum orma_compact_column {
    ORMA_COMPACT_TIME,
    ORMA_COMPACT_PID,
    ORMA_COMPACT_PRIO,
    ORMA_COMPACT_COMM,
    ORMA_COMPACT_STATE,  /* switch */
    ORMA_COMPACT_TARGET, /* waking */
    ORMA_COMPACT_FLAGS,  /* waking */
    ORMA_COMPACT_COLUMNS_NUM,
};

/* Comms are looked up in the bundle's own table; more than this many are not kept. */
#define ORMA_COMPACT_COMMS_MAX 1024

struct orma_bundle_cursor {
    enum orma_item_kind kind;
    uint32_t index;          /* of the next event */
    uint64_t time;           /* compact: the sum of the deltas */
    uint32_t untimed;        /* events without a time, which are left out */
    bool uneven;             /* at the end: columns have different lengths, or a name is missing */
    uint32_t comms_num;      /* compact: names in the bundle's table */
    struct orma_pb_reader r; /* events */
    struct orma_pb_reader columns[ORMA_COMPACT_COLUMNS_NUM];
};

/* The rest of orma_bundle_field(): `at` is where the damage begins. */
bool orma_bundle_field_behind(struct orma_pb_reader *r, const uint8_t *at,
                              struct orma_pb_field *ret, struct orma_str *damage);

/*
 * The next field of a bundle. Where its bytes are none the next place is searched at which events
 * follow each other; what lies between is *damage, which else stays as it is. False at the end; if
 * r->failed, nothing was found behind the damage.
 */
static inline bool orma_bundle_field(struct orma_pb_reader *r, struct orma_pb_field *ret,
                                     struct orma_str *damage)
{
    const uint8_t *at = r->pos;

    return ORMA_LIKELY(orma_pb_next(r, ret)) ||
           (ORMA_UNLIKELY(r->failed) && orma_bundle_field_behind(r, at, ret, damage));
}

/* True if an event of the ordinary list holds only its time, thread and flags. */
bool orma_bundle_event_is_bare(struct orma_str event);

/* Reads what an event of the ordinary list says of itself. Any thread. */
static inline void orma_bundle_event_head(struct orma_str event, struct orma_kernel_head *ret)
{
    struct orma_pb_reader r = orma_pb_reader(event.data, event.len);
    struct orma_pb_field f;

    *ret = (struct orma_kernel_head){.is_read = true};
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_FTRACE_EVENT_TIMESTAMP:
            break;
        case ORMA_PB_FTRACE_EVENT_PID:
            ret->pid = orma_pb_u32(&f);
            ret->has_pid = true;
            break;
        case ORMA_PB_FTRACE_EVENT_COMMON_FLAGS:
            ret->common_flags = orma_pb_u32(&f);
            ret->has_flags = true;
            break;
        default:
            if (f.wire == ORMA_PB_LEN) {
                ret->field = f.id;
                ret->payload = orma_pb_str(&f);
            }
        }
    }
    ret->malformed = r.failed;
}

void orma_bundle_cursor_init(struct orma_bundle_cursor *self,
                             const struct orma_kernel_bundle *bundle, enum orma_item_kind kind);

/* `bundle`: the one it was set up with, wherever that is by now. False at the end. Sets all of the
 * item but `bundle`. */
bool orma_bundle_cursor_next(struct orma_bundle_cursor *self,
                             const struct orma_kernel_bundle *bundle, struct orma_item *ret);

#endif
