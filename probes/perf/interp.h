/*
 * Python functions in the stacks of samples: what probes/python/ reads of a program, where a sample
 * shows its interpreter.
 *
 *   begin(process)  a program that has an interpreter which can be read? else NULL
 *   met(frame)      each C frame, while the stack is unwound
 *   end()           reads what the thread is in, and compares
 *   run(frame) ...  the Python functions that stand in place of a frame of the interpreter
 *
 * The program goes on while we read: what does not agree with the sample (match.h) is not shown,
 * and counted. Its memory is opened once, so that it cannot become another program's under the same
 * number. Threads: none.
 */
#ifndef ORMA_PROBES_PERF_INTERP_H
#define ORMA_PROBES_PERF_INTERP_H
#include "probes/perf/process.h"
#include "probes/perf/ring.h"
#include "probes/unwind/unwind.h"

struct orma_perf_interp;
struct orma_perf_python;

#define ORMA_PERF_INTERP_NAME_MAX 256
#define ORMA_PERF_INTERP_PATH_MAX 1024

struct orma_perf_interp_frame {
    uint64_t id;    /* of the function, while nothing changes, within its process */
    uint64_t instr; /* counted from the beginning of its code */
    char name[ORMA_PERF_INTERP_NAME_MAX];
};

struct orma_perf_interp_source {
    char path[ORMA_PERF_INTERP_PATH_MAX];
    uint32_t line; /* 0: not known */
};

/* `rings`: where the samples come from, which are open until free(); NULL: from somewhere. NULL: no
 * memory. */
struct orma_perf_interp *orma_perf_interp_new(struct orma_perf_processes *processes,
                                              struct orma_perf_rings *rings);
void orma_perf_interp_free(struct orma_perf_interp *self);

/* False: it runs no interpreter that can be read. Of one that cannot be, a line of the log says so
 * once. `time` of the record. */
bool orma_perf_interp_begin(struct orma_perf_interp *self, struct orma_perf_process *process,
                            const struct orma_perf_record *record);

/* The state of each frame before its step, the leaf first. */
void orma_perf_interp_met(struct orma_perf_interp *self, size_t frame, uint64_t pc,
                          const struct orma_unwind_state *state);

/* `sp`: where the last frame ends. `whole`: it is where the thread began. */
void orma_perf_interp_end(struct orma_perf_interp *self, uint64_t sp, bool whole);

/* Its functions, innermost first, are *ret_from ... *ret_to - 1 of get(). False: that frame stays
 * as it is. */
bool orma_perf_interp_run(const struct orma_perf_interp *self, size_t frame, uint32_t *ret_from,
                          uint32_t *ret_to);

/* False: there is no such text in its memory (any more). */
bool orma_perf_interp_get(struct orma_perf_interp *self, uint32_t at,
                          struct orma_perf_interp_frame *ret);
/* Of what get() was asked for last. */
bool orma_perf_interp_source(struct orma_perf_interp *self, struct orma_perf_interp_source *ret);

/* Says how many stacks could not be shown. */
void orma_perf_interp_tell(const struct orma_perf_interp *self);

/* NULL is fine. */
void orma_perf_python_free(struct orma_perf_python *self);
#endif
