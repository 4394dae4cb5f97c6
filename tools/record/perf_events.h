/*
 * Events as perf spells them, in terms of a trace config.
 *
 *     page-faults:u  cpu-clock/period=1000000/  L1-dcache-load-misses  r1a8:pp  1:2
 *     cpu/event=0xc0,umask=0x1,name=retired/u   mem:0x4010/8:rw
 *     sched:sched_switch  sched:*  {cycles,instructions}:S   and lists of these with commas
 *
 * Names and formats of performance units come from /sys/bus/event_source, tracepoints from
 * tracefs.
 */
#ifndef ORMA_TOOLS_RECORD_PERF_EVENTS_H
#define ORMA_TOOLS_RECORD_PERF_EVENTS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/buf.h"

#define ORMA_RECORD_PERF_EVENTS_MAX 64

struct orma_record_perf_event {
    struct orma_buf base;       /* "counter: SW_PAGE_FAULTS", as text of a timebase */
    struct orma_buf followers;  /* "followers { ... }" of those that are read with it */
    char letters[8];            /* modifiers that only we know: OrmaPerfConfig.modifiers */
    uint64_t period, frequency; /* as the event itself says; 0: it does not */
    bool each;                  /* rare or small: each is sampled, where nothing else is asked */
};

struct orma_record_perf_events {
    struct orma_record_perf_event list[ORMA_RECORD_PERF_EVENTS_MAX];
    size_t num;
};

/*
 * Adds those of `text`. 0; -errno and a message in `error`: a line that says what is wrong, `text`,
 * and a caret below the place.
 */
int orma_record_perf_events_add(struct orma_record_perf_events *self, const char *text,
                                struct orma_buf *error);
void orma_record_perf_events_fini(struct orma_record_perf_events *self);
#endif
