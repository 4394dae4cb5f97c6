/*
 * Which cpus are online. The events of one that goes offline are dead, and stay so when it is back:
 * whoever watches all cpus has to open new ones then.
 *
 * Threads: none.
 */
#ifndef ORMA_PROBES_PERF_CPUS_H
#define ORMA_PROBES_PERF_CPUS_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/str.h"

#define ORMA_PERF_CPUS_MAX 8192u /* the kernel's own limit */

struct orma_perf_cpus {
    uint64_t online[ORMA_PERF_CPUS_MAX / 64];
};

/* "0,2-3", as the kernel writes it. -EBADMSG: it is something else. */
int orma_perf_cpus_parse(struct orma_perf_cpus *ret, struct orma_str text);

/* Reads it below sys_root ("/sys"). 0 or -errno. */
int orma_perf_cpus_read(struct orma_perf_cpus *ret, const char *sys_root);

static inline void orma_perf_cpus_add(struct orma_perf_cpus *self, uint32_t cpu)
{
    if (cpu < ORMA_PERF_CPUS_MAX)
        self->online[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

static inline bool orma_perf_cpus_has(const struct orma_perf_cpus *self, uint32_t cpu)
{
    return cpu < ORMA_PERF_CPUS_MAX && self->online[cpu / 64] >> cpu % 64 & 1;
}
#endif
