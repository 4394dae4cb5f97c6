/* What the importers of profiles remember; of use to them alone. */
#ifndef ORMA_PROCESSOR_IMPORT_PROFILE_STATE_H
#define ORMA_PROCESSOR_IMPORT_PROFILE_STATE_H
#include "processor/import/profile/profile.h"

struct orma_profile_state {
    struct orma_map mappings, frames, callsites, tasks, executions; /* hash of content → row */
    uint32_t counter_sets;
    struct orma_map sessions;     /* sequence and source → row */
    struct orma_map slice_stacks; /* slice of a track event → row of its stacks */
    /* Heap profiles: sequences by (machine, id). */
    struct orma_map heaps; /* → struct orma_heap_sequence * */
};

struct orma_profile_state *orma_profile_state(struct orma_import *imp);

/* heap_profile.c */
void orma_heap_profile_parse(struct orma_import *imp, const struct orma_item *item);
void orma_heap_profile_finish(struct orma_import *imp);
void orma_heap_profile_fini(struct orma_import *imp);

/* smaps.c */
void orma_smaps_parse(struct orma_import *imp, const struct orma_item *item);
#endif
