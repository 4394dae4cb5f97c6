/*
 * What can be recorded by one word: `sched`, `irq`, `syscalls`, ... Each names
 * kernel events and the counters that belong to them.
 */
#ifndef ORMA_TOOLS_PRESETS_H
#define ORMA_TOOLS_PRESETS_H
#include <stdbool.h>

/* Polled sources of a preset, besides kernel events. */
enum orma_record_preset_poll {
    ORMA_RECORD_POLL_CPU_TIMES = 1 << 0,
    ORMA_RECORD_POLL_MEMINFO = 1 << 1,
    ORMA_RECORD_POLL_VMSTAT = 1 << 2,
    ORMA_RECORD_POLL_DISK = 1 << 3,
    ORMA_RECORD_POLL_CPUFREQ = 1 << 4,
    ORMA_RECORD_POLL_CPUIDLE = 1 << 5,
    ORMA_RECORD_POLL_PSI = 1 << 6,
    ORMA_RECORD_POLL_THERMAL = 1 << 7,
    ORMA_RECORD_POLL_PROCESSES = 1 << 8,
    ORMA_RECORD_POLL_JOURNAL = 1 << 9,
};

struct orma_record_preset {
    const char *name;
    const char *help;
    bool by_default; /* recorded when nothing is named */
    unsigned polls;  /* enum orma_record_preset_poll */
    bool ksyms;      /* its events hold kernel addresses */
    bool apps;       /* track events of instrumented programs */
    const char *const
        *events; /* "group/name" or a whole "group" + slash + star; NULL-terminated, may be NULL */
};

extern const struct orma_record_preset orma_record_presets[]; /* ended by a NULL name */

const struct orma_record_preset *orma_record_preset_find(const char *name);
#endif
