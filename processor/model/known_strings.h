/* Strings that importers use all the time: their pool ids, looked up once. */
#ifndef ORMA_PROCESSOR_MODEL_KNOWN_STRINGS_H
#define ORMA_PROCESSOR_MODEL_KNOWN_STRINGS_H
#include <stdint.h>

#include "processor/store/strpool.h"

/* X(identifier) for strings that are their own identifier, XS(identifier, text) for others. */
/* clang-format off */
#define ORMA_KNOWN_STRINGS(X, XS) \
    X(slice) \
    X(counter) \
    X(state) \
    X(single) \
    X(multi) \
    X(cpu) \
    X(utid) \
    X(upid) \
    X(name) \
    X(swapper) \
    X(track_uuid) \
    X(source) \
    X(descriptor) \
    X(trace_id) \
    X(is_root_in_scope) \
    X(category) \
    X(builtin_counter_type) \
    X(y_axis_share_key) \
    X(has_first_packet_on_sequence) \
    X(child_ordering) \
    X(sibling_order_rank) \
    X(description) \
    X(parent_track_uuid) \
    X(merge_key_type) \
    X(merge_key_value) \
    X(scope) \
    X(cookie) \
    X(Running) \
    X(R) \
    X(ns) \
    X(count) \
    X(bytes) \
    X(is_kthread) \
    X(lexicographic) \
    X(chronological) \
    XS(explicit_, "explicit") \
    X(thread_time) \
    XS(thread_instruction_count, "thread_instruction_count") \
    XS(passthrough_utid, "legacy_event.passthrough_utid") \
    XS(str_, "string") \
    XS(int_, "int") \
    XS(default_track, "Default Track")
/* clang-format on */

struct orma_known_strings {
#define ORMA_KNOWN_STRING_FIELD(id) uint32_t id;
#define ORMA_KNOWN_STRING_FIELD_TEXT(id, text) uint32_t id;
    ORMA_KNOWN_STRINGS(ORMA_KNOWN_STRING_FIELD, ORMA_KNOWN_STRING_FIELD_TEXT)
#undef ORMA_KNOWN_STRING_FIELD
#undef ORMA_KNOWN_STRING_FIELD_TEXT
};

static inline void orma_known_strings_init(struct orma_known_strings *self,
                                           struct orma_strpool *pool)
{
#define ORMA_KNOWN_STRING_ADD(id) self->id = orma_strpool_add_c(pool, #id);
#define ORMA_KNOWN_STRING_ADD_TEXT(id, text) self->id = orma_strpool_add_c(pool, text);
    ORMA_KNOWN_STRINGS(ORMA_KNOWN_STRING_ADD, ORMA_KNOWN_STRING_ADD_TEXT)
#undef ORMA_KNOWN_STRING_ADD
#undef ORMA_KNOWN_STRING_ADD_TEXT
}
#endif
