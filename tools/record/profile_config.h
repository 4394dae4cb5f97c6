/*
 * The trace config of `orma profile`: which processes, which counters.
 */
#ifndef ORMA_TOOLS_PROFILE_CONFIG_H
#define ORMA_TOOLS_PROFILE_CONFIG_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "tools/record/perf_events.h"

struct orma_record_profile_request {
    uint64_t frequency_hz, duration_ms; /* duration 0: until stopped */
    bool frequency_given;               /* else each hit of a tracepoint is a sample */
    bool kernel_frames;
    struct orma_record_perf_events events; /* none: cpu clock */
    struct orma_buf names; /* processes that were found, each ended by 0; empty: all */

    /* What cpu_profile does not know. */
    bool native;          /* our own config: names from the kernel's records, stacks as asked */
    struct orma_buf pids; /* int32_t: these and what they start, not all */
    struct orma_buf cpus; /* uint32_t; empty: all */
    bool on_exec;         /* sampling begins when the process executes its program */
    bool frame_pointers;  /* stacks follow them; else they are unwound */
    uint32_t stack_bytes; /* 0: as the source thinks */
    bool off_cpu;         /* what waits, too */
    bool lbr;             /* callers from the processor's record of calls */
};

/*
 * Adds the names of running processes (first word of the command line, or name
 * of the thread) that are `wanted`, or hold it if `partial`. How many; -errno.
 */
int orma_record_profile_add_processes(struct orma_record_profile_request *self,
                                      const char *proc_root, struct orma_str wanted, bool partial);

/* Adds the pids of running processes that are `wanted`. How many; -errno. */
int orma_record_profile_add_pids(struct orma_record_profile_request *self, const char *proc_root,
                                 struct orma_str wanted, bool partial);

/* Appends the config as text. */
void orma_record_profile_config_text(struct orma_buf *out,
                                     struct orma_record_profile_request *self);
#endif
