/* The parts of a model: begun, brought to their end, and freed. */
#include <stdlib.h>

#include "processor/model/async.h"
#include "processor/model/callstacks.h"
#include "processor/model/flows.h"
#include "processor/model/model.h"
#include "processor/model/sched.h"
#include "processor/model/thread_counters.h"
#include "processor/model/translate.h"

static void slice_dropped(void *data, const struct orma_slice_overlap *overlap)
{
    struct orma_model *model = data;

    if (overlap->existing == ORMA_SLICE_NONE) {
        orma_model_log(model, model->base, ORMA_STAT_SLICE_NEGATIVE_DURATION, overlap->ts, -1,
                       NULL);
        return;
    }
    orma_model_log_overlap(data, ORMA_STAT_SLICE_DROP_OVERLAPPING_COMPLETE_EVENT, overlap);
}

void orma_model_init(struct orma_model *self, struct orma_storage *storage)
{
    *self = (struct orma_model){.storage = storage, .damage.first = -1};
    orma_known_strings_init(&self->known, &storage->pool);
    orma_tracks_init(&self->tracks, storage, &self->known);
    orma_slices_init(&self->slices, storage);
    self->slices.dropped = slice_dropped;
    self->slices.dropped_data = self;
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
    orma_map_fini(&self->bases);
    orma_map_fini(&self->metadata);
    orma_model_free_row_args(self);
    orma_arena_fini(&self->lazy);
}

void orma_model_finish(struct orma_model *self)
{
    orma_model_finish_thread_counters(self);
    orma_model_write_row_args(self);
    orma_slices_finish(&self->slices);
}
