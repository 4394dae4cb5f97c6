/* Call stacks of track events: which code a slice began and ended in. */
#include "processor/import/events/event.h"
#include "processor/model/callstacks.h"
#include "protos/fields/track_event.h"

void orma_events_callstack(struct orma_import_ctx *imp, const struct orma_events_record *e,
                           uint32_t slice, bool at_end)
{
    struct orma_events_state *st = orma_events(imp);
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_TRACK_EVENT_CALLSTACKS);
    struct orma_pb_reader r = orma_pb_reader(e->bytes.data, e->bytes.len);
    struct orma_pb_field f;
    uint32_t callsite = ORMA_CALLSITE_NONE;
    double weight = 0;
    bool has_weight = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACK_EVENT_CALLSTACK) {
            callsite = orma_port_inline_callsite(imp, orma_pb_str(&f));
        } else if (f.id == ORMA_PB_TRACK_EVENT_CALLSTACK_IID) {
            callsite =
                orma_port_interned_callsite(imp, e->item->machine, e->item->gen, orma_pb_u64(&f));
        } else if (f.id == ORMA_PB_TRACK_EVENT_CALLSTACK_WEIGHT) {
            weight = f.wire == ORMA_PB_I64 ? orma_pb_double(&f) : (double)orma_pb_u64(&f);
            has_weight = true;
        }
    }
    if (callsite == ORMA_CALLSITE_NONE)
        return;
    uint64_t row = at_end ? orma_map_get(&st->slice_stacks, slice) : ORMA_MAP_NONE;
    if (row == ORMA_MAP_NONE) {
        row = orma_table_add(t);
        orma_table_set(t, ORMA_TRACK_EVENT_CALLSTACKS_SLICE_ID, (uint32_t)row, slice);
        orma_table_set(t, ORMA_TRACK_EVENT_CALLSTACKS_TRACK_ID, (uint32_t)row,
                       orma_table_int(orma_model_table(imp->model, ORMA_TABLE_SLICE),
                                      ORMA_SLICE_TRACK_ID, slice));
        imp->model->storage->failed |= orma_map_put(&st->slice_stacks, slice, row) < 0;
    }
    orma_table_set(t,
                   at_end ? ORMA_TRACK_EVENT_CALLSTACKS_END_CALLSITE_ID
                          : ORMA_TRACK_EVENT_CALLSTACKS_CALLSITE_ID,
                   (uint32_t)row, callsite);
    if (has_weight)
        orma_table_set_double(t, ORMA_TRACK_EVENT_CALLSTACKS_WEIGHT, (uint32_t)row, weight);
}
