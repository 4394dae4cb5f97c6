/*
 * What the parts of the encoder know of each other. encode.c takes records; below it are
 * switches.c (waits), then stacks.c, then packets.c (fields) and names.c (of processes and
 * threads, and names that come late).
 */
#ifndef ORMA_PROBES_PERF_ENCODE_PARTS_H
#define ORMA_PROBES_PERF_ENCODE_PARTS_H
#include "probes/otel/thread.h"
#include "probes/perf/encode.h"

struct orma_perf_sampled {
    bool has_ids; /* `ids` are those of the request that the thread worked on */
    struct orma_otel_ids ids;
    uint64_t stack;   /* 0: none */
    uint64_t error;   /* of unwinding; 0: none */
    uint64_t away_ns; /* of a wait */
    uint64_t count;   /* of the timebase, up to this sample */
};

/* stacks.c. Its number; 0: no frame at all. `leaf`: a frame of our own at the end; NULL: none. */
uint64_t orma_perf_encode_stack_of(struct orma_perf_encoder *self,
                                   struct orma_perf_process *process,
                                   const struct orma_perf_record *record, const char *leaf,
                                   uint64_t *ret_error);

/* The packet of a record, with what was interned for it. */
void orma_perf_encode_record(struct orma_perf_encoder *self, const struct orma_perf_record *record,
                             const struct orma_perf_sampled *what);

/* packets.c: fields of a packet. */
void orma_perf_put_sample(struct orma_buf *out, const struct orma_perf_record *record,
                          const struct orma_perf_sampled *what);
void orma_perf_put_wait(struct orma_buf *out, const struct orma_perf_record *record,
                        const struct orma_perf_sampled *what);
void orma_perf_put_waker(struct orma_buf *out, const struct orma_perf_record *record,
                         const struct orma_perf_sampled *what);
void orma_perf_put_defaults(struct orma_buf *out, const struct orma_perf_plan *plan);

/* names.c: packets that name the process and thread of a record, unless the trace knows. */
void orma_perf_tell_names(struct orma_perf_encoder *self, struct orma_perf_process *process,
                          const struct orma_perf_record *record);
void orma_perf_tell_late_names(struct orma_perf_encoder *self, struct orma_perf_process *process,
                               uint64_t time);
/* names.c: what a process publishes of itself. */
void orma_perf_tell_context(struct orma_perf_encoder *self, const struct orma_perf_process *process,
                            const struct orma_perf_record *record, const struct orma_buf *payload);
/* names.c: the CPU time of a thread that ended; tid 0: of all that were watched. */
void orma_perf_tell_cpu_time(struct orma_perf_encoder *self, uint32_t pid, uint32_t tid,
                             uint64_t ns, uint64_t time);
/* Now, by the clock of the records. `ctx`: the plan. */
uint64_t orma_perf_record_clock(const void *ctx);

/* switches.c: what a recording of waits does with a record. */
void orma_perf_encode_switch(struct orma_perf_encoder *self, const struct orma_perf_record *record);
#endif
