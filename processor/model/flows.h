/*
 * Flows: arrows from slice to slice.
 *
 * A flow is known by a number; an arrow goes from the slice that had the
 * number last to the one that has it now. Older events name flows by
 * (category, name, id): orma_flows_id_v1() numbers those in order of appearance,
 * from 0. Both kinds share one map, as in other processors: in a file that has
 * both, a small number may mean one of each.
 * The end of a flow may wait for the next slice that begins on its track.
 * Threads: none.
 */
#ifndef ORMA_PROCESSOR_MODEL_FLOWS_H
#define ORMA_PROCESSOR_MODEL_FLOWS_H
#include "processor/model/model.h"

bool orma_flows_active(struct orma_model *model, uint64_t flow);

/* The number is free for another flow; ends of this one that wait for a slice still bind. */
void orma_flows_forget(struct orma_model *model, uint64_t flow);

/* Of an active flow only a count is kept. */
void orma_flows_begin(struct orma_model *model, uint32_t slice, uint64_t flow);
void orma_flows_step(struct orma_model *model, uint32_t slice, uint64_t flow);
/* `close`: nothing more follows; a later use of the number begins a new flow. */
void orma_flows_end(struct orma_model *model, uint32_t slice, uint64_t flow, bool close);

/* One arrow between two slices, of no flow. */
void orma_flows_insert(struct orma_model *model, uint32_t from, uint32_t to);

/* The same for the innermost slice of a track that goes on at `ts`. */
void orma_flows_begin_on(struct orma_model *model, uint32_t track, int64_t ts, uint64_t flow);
void orma_flows_step_on(struct orma_model *model, uint32_t track, int64_t ts, uint64_t flow);
/* `enclosing`: the slice that goes on now; otherwise the next one that begins. */
void orma_flows_end_on(struct orma_model *model, uint32_t track, int64_t ts, uint64_t flow,
                       bool enclosing);

/* The number of a flow known by text and id; its arrows get both texts as args. */
uint64_t orma_flows_id_v1(struct orma_model *model, uint64_t id, uint32_t category, uint32_t name);
void orma_flows_fini(struct orma_model *model);
#endif
