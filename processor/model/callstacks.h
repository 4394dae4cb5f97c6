/*
 * Call stacks and samples: what all profilers share.
 *
 *   mapping (a file in memory) ◄─ frame (a place in it) ◄─ call site (a frame and who called it)
 *
 * Each is there once: mappings by all they say, frames by (mapping, place, name), call sites by
 * (caller, frame). Depth 0 is the root. A sample is a call site at a time, with the task and the
 * place of execution, and with values on counter tracks. Threads: none.
 */
#ifndef ORMA_PROCESSOR_MODEL_CALLSTACKS_H
#define ORMA_PROCESSOR_MODEL_CALLSTACKS_H
#include "processor/model/model.h"

#define ORMA_CALLSITE_NONE UINT32_MAX
#define ORMA_COUNTER_SET_NONE UINT32_MAX

struct orma_mapping {
    uint32_t name, build_id; /* pool ids; build_id is hexadecimal */
    uint64_t exact_offset, start_offset, start, end, load_bias;
};

/* The row that says the same, or a new one. */
uint32_t orma_callstacks_mapping(struct orma_model *model, const struct orma_mapping *mapping);

/* Always a new one: of one process, or of one writer. */
uint32_t orma_callstacks_add_mapping(struct orma_model *model, const struct orma_mapping *mapping);

/* The one of nothing but a name, for profilers that know no addresses: all there are lie in it. */
uint32_t orma_callstacks_dummy_mapping(struct orma_model *model, const char *name);

/* The id of bytes (or, with 33 hexadecimal digits, of a breakpad module) as pool id. */
uint32_t orma_callstacks_build_id(struct orma_model *model, struct orma_str bytes);

struct orma_stack_frame {
    uint32_t mapping;
    uint32_t name; /* pool id; 0: NULL */
    uint64_t rel_pc;
    uint32_t type;   /* pool id, 0: not told */
    uint32_t source; /* of its line, pool id, 0: not told */
    uint32_t line;
};

uint32_t orma_callstacks_frame(struct orma_model *model, const struct orma_stack_frame *frame);

/* The same, for frames that have a symbol even without a source file. */
uint32_t orma_callstacks_symbolized_frame(struct orma_model *model,
                                          const struct orma_stack_frame *frame);

/* `parent` ORMA_CALLSITE_NONE: a root. */
uint32_t orma_callstacks_callsite(struct orma_model *model, uint32_t parent, uint32_t frame);

/* Parts of path of a mapping to its name; `parts_num` pool ids. */
uint32_t orma_callstacks_mapping_name(struct orma_model *model, const uint32_t *parts,
                                      unsigned parts_num);

/* Notes that a mapping can't be symbolized: below a temporary folder without build id. */
void orma_callstacks_check_mapping(struct orma_model *model, uint16_t machine, uint32_t name,
                                   uint32_t build_id);

/* ---- samples ---- */

uint32_t orma_callstacks_session(struct orma_model *model, const char *source, uint32_t unit);

/* Rows of contexts, there once; NONE parts are NULL. upid and utid: ORMA_ID_NONE. */
uint32_t orma_callstacks_task(struct orma_model *model, uint32_t upid, uint32_t utid,
                              uint32_t async);
/* ucpu ORMA_ID_NONE, mode 0: not told. Both: ORMA_ROW_NONE. */
uint32_t orma_callstacks_execution(struct orma_model *model, uint32_t ucpu, uint32_t mode);

struct orma_sample {
    int64_t ts;
    uint32_t source;       /* pool id */
    uint32_t task, exec;   /* rows, ORMA_ROW_NONE */
    uint32_t callsite;     /* ORMA_CALLSITE_NONE */
    uint32_t unwind_error; /* pool id, 0 */
    uint32_t session;      /* ORMA_ROW_NONE */
    uint32_t counter_set;  /* ORMA_COUNTER_SET_NONE */
};

uint32_t orma_callstacks_sample(struct orma_model *model, const struct orma_sample *sample);

/* A sample of a thread with nothing but a stack. */
uint32_t orma_callstacks_stack(struct orma_model *model, int64_t ts, const char *source,
                               uint32_t utid, uint32_t callsite);

/* A profile without times: a table of values by call site. */
uint32_t orma_callstacks_aggregate(struct orma_model *model, const char *scope, uint32_t name,
                                   uint32_t type, uint32_t unit);
void orma_callstacks_aggregate_add(struct orma_model *model, uint32_t profile, uint32_t callsite,
                                   double value);

/* A set of counter values: begin, add each after its row was made, end gives the set. */
uint32_t orma_callstacks_counter_set(struct orma_model *model);
void orma_callstacks_add_counter(struct orma_model *model, uint32_t set, int64_t ts, uint32_t track,
                                 double value);
void orma_callstacks_fini(struct orma_model *model);
#endif
