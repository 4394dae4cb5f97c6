/* The parts of a model: begun, brought to their end, and freed. */
#include <stdlib.h>

#include "processor/model/async.h"
#include "processor/model/callstacks.h"
#include "processor/model/flows.h"
#include "processor/model/model.h"
#include "processor/model/sched.h"
#include "processor/model/thread_counters.h"
#include "processor/model/translate.h"

static void slice_dropped(void *data, int64_t ts, uint32_t existing)
{
    struct orma_model *self = data;

    if (existing == ORMA_SLICE_NONE) {
        orma_model_log(self, self->base, ORMA_STAT_SLICE_NEGATIVE_DURATION, ts, -1, NULL);
        return;
    }
    ORMA_MODEL_ARGS(args, self);
    orma_model_log_overlap(self, ORMA_STAT_SLICE_DROP_OVERLAPPING_COMPLETE_EVENT, ts, existing,
                           args);
}

static void slice_too_deep(void *data, int64_t ts, uint32_t parent, uint32_t name)
{
    struct orma_model *self = data;
    const struct orma_table *t = orma_model_table(self, ORMA_TABLE_SLICE);

    ORMA_MODEL_ARGS(args, self);
    orma_args_put_str(args, orma_model_lit(self, "parent_slice_name"),
                      (uint32_t)orma_table_int(t, ORMA_SLICE_NAME, parent));
    orma_args_put_str(args, orma_model_lit(self, "current_slice_name"), name);
    orma_model_log(self, self->base, ORMA_STAT_SLICE_MAX_DEPTH_EXCEEDED, ts, -1, args);
}

void orma_model_init(struct orma_model *self, struct orma_storage *storage)
{
    *self = (struct orma_model){.storage = storage, .damage.first = -1};
    orma_known_strings_init(&self->known, &storage->pool);
    orma_tracks_init(&self->tracks, storage, &self->known);
    orma_slices_init(&self->slices, storage);
    self->slices.dropped = slice_dropped;
    self->slices.too_deep = slice_too_deep;
    self->slices.refused_data = self;
    orma_model_add_machine(self, 0, 0);
    self->trace_row = orma_table_add(orma_model_table(self, ORMA_TABLE_TRACE_FILE));
}

void orma_model_fini(struct orma_model *self)
{
    for (unsigned i = 0; i < self->machines_num; i++)
        orma_processes_fini(&self->machines[i].processes);
    orma_async_fini(self);
    orma_flows_fini(self);
    orma_sched_fini(self);
    orma_callstacks_fini(self);
    orma_model_fini_thread_counters(self);
    orma_translate_fini(self);
    orma_tracks_fini(&self->tracks);
    orma_slices_fini(&self->slices);
    orma_args_list_fini(&self->args_spare.list);
    for (struct orma_model_args *a = self->args_free, *next; a; a = next) {
        next = a->next;
        orma_args_list_fini(&a->list);
        free(a);
    }
    orma_map_fini(&self->gpus);
    orma_map_fini(&self->made_up);
    orma_map_fini(&self->bases);
    orma_map_fini(&self->metadata);
    orma_model_free_row_args(self);
    orma_model_fini_log(self);
    orma_arena_fini(&self->lazy);
}

void orma_model_finish(struct orma_model *self)
{
    orma_model_finish_thread_counters(self);
    orma_model_write_row_args(self);
    orma_slices_finish(&self->slices);
    orma_model_finish_log(self);
}
