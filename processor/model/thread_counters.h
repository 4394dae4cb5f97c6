/*
 * Counters of processes that events tell by a thread: whose process it is may come later. So their
 * samples get a track at the end of the import, when it is as well known as it ever will be: that
 * of the process, or that of the thread if it has none. Threads: none.
 */
#ifndef ORMA_PROCESSOR_MODEL_THREAD_COUNTERS_H
#define ORMA_PROCESSOR_MODEL_THREAD_COUNTERS_H
#include "processor/model/model.h"

#define ORMA_THREAD_COUNTER_DIMS_MAX 2

/* Which counter: the types of both tracks, and what they have besides their owner. */
struct orma_thread_counter {
    const char *type, *fallback_type; /* literals */
    uint32_t name;                    /* pool id */
    unsigned dims_num;
    struct orma_track_dim dims[ORMA_THREAD_COUNTER_DIMS_MAX];
    const char *memory; /* instead of all that: a key of memory.h, a literal */
};

void orma_model_add_thread_counter(struct orma_model *model, uint16_t machine, int64_t ts,
                                   uint32_t utid, const struct orma_thread_counter *what,
                                   double value);

/* Gives the samples their tracks. */
void orma_model_finish_thread_counters(struct orma_model *model);
void orma_model_fini_thread_counters(struct orma_model *model);
#endif
