/*
 * Plain events (plain.c): what one by one (plain.c) and in batches (batch.c) is asked of them.
 */
#ifndef ORMA_PROCESSOR_IMPORT_EVENTS_PLAIN_H
#define ORMA_PROCESSOR_IMPORT_EVENTS_PLAIN_H
#include "processor/import/events/event.h"
#include "protos/fields/interned_data.h"

/* The pool id of a text that was asked for before; 0: it is not known yet, or there is none. */
static inline uint32_t orma_events_known_text(const struct orma_seq_gen *gen, uint32_t kind,
                                              uint64_t iid)
{
    const struct orma_interned *e = orma_seq_gen_find(gen, kind, iid);

    return e && e->cache ? e->cache - 1 : 0;
}

/* The track of a uuid, as far as it is known. */
static inline struct orma_events_track *
orma_events_plain_track(struct orma_import_ctx *imp, const struct orma_seq_gen *gen, uint64_t uuid)
{
    struct orma_events_track *t = gen->event_track;

    if (ORMA_LIKELY(t && t->uuid == uuid))
        return t;
    return uuid ? orma_map_get_ptr(&orma_events_state(imp)->by_uuid,
                                   orma_events_key(imp->model->trace_row, gen->seq->machine, uuid))
                : NULL;
}

/* Whether it may be used as it is. */
static inline bool orma_events_is_plain_track(const struct orma_events_track *t,
                                              const struct orma_seq_gen *gen)
{
    return t->has_rows && !t->group && (t->scope == ORMA_EVENTS_THREAD || !gen->has_pid);
}

/* The args of the event, decoded. */
void orma_events_take_annotations(struct orma_import_ctx *imp, struct orma_seq_gen *gen,
                                  struct orma_str bytes, struct orma_args_list *ret);
#endif
