/*
 * Call stacks of track events: which code a slice began and ended in, each in a row of its own.
 * Other events have stacks, too, which are known then, and belong to nothing.
 */
#include "processor/import/events/event.h"
#include "processor/model/callstacks.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/track_event.h"

void orma_events_read_callstack(struct orma_import_ctx *imp, struct orma_events_record *e)
{
    struct orma_pb_reader r = orma_pb_reader(e->bytes.data, e->bytes.len);
    struct orma_pb_field f;
    uint32_t upid = e->owner.upid;

    e->sample.callsite = ORMA_CALLSITE_NONE;
    e->sample.has_weight = false;
    if (e->owner.utid != ORMA_ID_NONE)
        upid =
            orma_processes_upid(orma_model_processes(imp->model, e->item->machine), e->owner.utid);
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACK_EVENT_CALLSTACK) {
            e->sample.callsite = orma_port_inline_callsite(imp, orma_pb_str(&f));
        } else if (f.id == ORMA_PB_TRACK_EVENT_CALLSTACK_IID) {
            if (!orma_seq_gen_find(e->item->gen, ORMA_PB_INTERNED_DATA_CALLSTACKS, orma_pb_u64(&f)))
                orma_stats_inc(orma_model_stats(imp->model, e->item->machine),
                               ORMA_STAT_INTERNED_DATA_TOKENIZER_ERRORS);
            else
                e->sample.callsite = orma_port_interned_callsite(imp, e->item->machine, upid,
                                                                 e->item->gen, orma_pb_u64(&f));
            if (e->sample.callsite == ORMA_CALLSITE_NONE) {
                orma_stats_inc(orma_model_stats(imp->model, e->item->machine),
                               ORMA_STAT_TRACK_EVENT_PARSER_ERRORS);
                return;
            }
        } else if (f.id == ORMA_PB_TRACK_EVENT_CALLSTACK_WEIGHT) {
            e->sample.weight = f.wire == ORMA_PB_I64 ? orma_pb_double(&f) : (double)orma_pb_u64(&f);
            e->sample.has_weight = true;
        }
    }
}

void orma_events_callstack(struct orma_import_ctx *imp, const struct orma_events_record *e,
                           uint32_t slice, bool at_end)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_TRACK_EVENT_CALLSTACKS);

    if (e->sample.callsite == ORMA_CALLSITE_NONE)
        return;
    uint32_t row = orma_table_add(t);
    orma_table_set(t, ORMA_TRACK_EVENT_CALLSTACKS_SLICE_ID, row, slice);
    orma_table_set(
        t, ORMA_TRACK_EVENT_CALLSTACKS_TRACK_ID, row,
        orma_table_int(orma_model_table(imp->model, ORMA_TABLE_SLICE), ORMA_SLICE_TRACK_ID, slice));
    orma_table_set(t,
                   at_end ? ORMA_TRACK_EVENT_CALLSTACKS_END_CALLSITE_ID
                          : ORMA_TRACK_EVENT_CALLSTACKS_CALLSITE_ID,
                   row, e->sample.callsite);
    if (e->sample.has_weight)
        orma_table_set_double(t, ORMA_TRACK_EVENT_CALLSTACKS_WEIGHT, row, e->sample.weight);
}
