/*
 * Stacks while they are loaded: load.c asks for all parts, and sums up; tree.c has functions and
 * calls, weights.c samples, waits.c waits. A failure is kept in `err`, and what follows it does
 * nothing.
 */
#ifndef ORMA_PROCESSOR_STACKS_LOADER_H
#define ORMA_PROCESSOR_STACKS_LOADER_H

#include <stdbool.h>
#include <stdint.h>

#include "processor/stacks/stacks.h"
#include "sdk/base/buf.h"
#include "sdk/base/map.h"

/* What is compiled in multiplies the call sites of a trace, by a few; a file may claim that each
 * frame is thousands of calls, and is small itself. */
#define ORMA_STACKS_NODES_FREE (1u << 20)
#define ORMA_STACKS_FROM_SAMPLES                                                                   \
    "FROM __intrinsic_profiler_sample s "                                                          \
    "LEFT JOIN __intrinsic_profiler_task_context k ON k.id = s.task_context_id "                   \
    "LEFT JOIN thread t ON t.utid = k.utid "                                                       \
    "LEFT JOIN process p ON p.upid = coalesce(t.upid, k.upid) "                                    \
    "LEFT JOIN __intrinsic_profiler_session n ON n.id = s.session_id "

/* The functions of a frame. */
struct orma_stacks_frame {
    uint32_t first, num; /* in `frame_functions`, the innermost first */
};

struct orma_stacks_loader {
    struct orma_stacks *self;
    struct orma_processor *tp;
    const struct orma_stacks_choice *choice;
    struct orma_map names, by_key, by_child, by_utid;
    struct orma_buf frames, frame_functions, site_nodes;
    uint64_t nodes_max;
    bool in_tree; /* of all stacks, whatever was chosen */
    int err;
};

struct orma_stacks_rows {
    struct orma_stacks_loader *l;
    struct orma_query *q;
};

/* Rows of a query; there are none after a failure. */
struct orma_stacks_rows orma_stacks_rows_of(struct orma_stacks_loader *l, const char *sql);

bool orma_stacks_rows_next(struct orma_stacks_rows *rows);

bool orma_stacks_rows_is_null(const struct orma_stacks_rows *rows, unsigned col);

const char *orma_stacks_rows_text(const struct orma_stacks_rows *rows, unsigned col);

/* Where the text is in orma_stacks.texts, each once. */
uint32_t orma_stacks_keep_text(struct orma_stacks_loader *l, const char *s);

void orma_stacks_include(struct orma_stacks_loader *l, const char *module);

void orma_stacks_load_frames(struct orma_stacks_loader *l);

/* The child of a node with this function, made if it is new. */
uint32_t orma_stacks_child_of(struct orma_stacks_loader *l, uint32_t parent, uint32_t function);

/* The node of a callsite; the root if there is no such one. */
uint32_t orma_stacks_site_node(const struct orma_stacks_loader *l, int64_t site);

void orma_stacks_load_tree(struct orma_stacks_loader *l);

/* The same by a name alone: why a thread waited. */
uint32_t orma_stacks_child_named(struct orma_stacks_loader *l, uint32_t node, const char *name);

/* Does the choice have this condition? */
bool orma_stacks_is_given(const char *condition);

void orma_stacks_put_who(struct orma_buf *sql, const struct orma_stacks_choice *c);

/* Of all threads and processes? */
bool orma_stacks_is_of_all(const struct orma_stacks_choice *c);

/* Conditions of WHERE: which samples. */
void orma_stacks_put_choice(struct orma_buf *sql, const struct orma_stacks_choice *c);

/* Samples of time, if there are any; else those of the first event. */
void orma_stacks_put_event(struct orma_stacks_loader *l, struct orma_buf *sql);

void orma_stacks_add_weight(struct orma_stacks_loader *l, uint32_t node, int64_t utid,
                            uint64_t weight);

/* Stacks with an error are cut, as one of their frames says, or go on as the one before did. */
void orma_stacks_add_errors(struct orma_stacks_loader *l, int64_t site, uint64_t errors);

void orma_stacks_load_samples(struct orma_stacks_loader *l);

/* Files that have nothing but sums of stacks. */
void orma_stacks_load_sums(struct orma_stacks_loader *l);

void orma_stacks_load_heap(struct orma_stacks_loader *l);

void orma_stacks_load_waits(struct orma_stacks_loader *l);

/* Is it of the kernel, or of the C library? */
bool orma_stacks_is_of_system(const struct orma_stacks *self,
                              const struct orma_stacks_function *function);

void orma_stacks_load_ended_waits(struct orma_stacks_loader *l);

#endif
