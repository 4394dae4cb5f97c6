/*
 * The trace config of `orma profile`: which processes, which counters.
 */
#ifndef ORMA_TOOLS_PROFILE_CONFIG_H
#define ORMA_TOOLS_PROFILE_CONFIG_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"

#define ORMA_RECORD_PROFILE_EVENTS_MAX 8

struct orma_record_profile_request {
    uint64_t frequency_hz, duration_ms; /* duration 0: until stopped */
    bool kernel_frames;
    const char
        *events[ORMA_RECORD_PROFILE_EVENTS_MAX]; /* names of PerfEvents.Counter; none: cpu clock */
    unsigned events_num;
    struct orma_buf names; /* processes that were found, each ended by 0; empty: all */
};

/* True if a counter of this name may be asked for. */
bool orma_record_profile_event_known(const char *name);

/*
 * Adds the names of running processes (first word of the command line, or name
 * of the thread) that are `wanted`, or hold it if `partial`. How many; -errno.
 */
int orma_record_profile_add_processes(struct orma_record_profile_request *self,
                                      const char *proc_root, struct orma_str wanted, bool partial);

/* Appends the config as text. */
void orma_record_profile_config_text(struct orma_buf *out,
                                     const struct orma_record_profile_request *self);
#endif
