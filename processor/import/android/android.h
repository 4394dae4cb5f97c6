/*
 * What the importers of Android's packets share, and counters that the kernel's events tell of
 * as well. Threads: none.
 */
#ifndef ORMA_PROCESSOR_IMPORT_ANDROID_H
#define ORMA_PROCESSOR_IMPORT_ANDROID_H
#include "processor/import/import.h"

/* Something that uses energy; texts are pool ids. */
struct orma_android_consumer {
    int32_t id, ordinal;
    uint32_t type, name;
};

struct orma_android_state {
    struct orma_map entities;  /* hash of machine, entity and state → track */
    struct orma_map rails;     /* hash of machine, session and index → track */
    struct orma_map consumers; /* machine and id → index of consumer_rows */
    struct orma_android_consumer *consumer_rows;
    uint32_t consumers_num, consumers_cap;
    struct orma_map packages; /* pool ids of names that have a row */
};

/* NULL when memory is out. */
struct orma_android_state *orma_android_state(struct orma_import *imp);

/* Whether the screen is on. */
void orma_android_screen_state(struct orma_import *imp, uint16_t machine, int64_t ts, double value);

/* A value of the battery's statistics, by its name. */
void orma_android_battery_stats(struct orma_import *imp, uint16_t machine, int64_t ts,
                                struct orma_str key, double value);

/* Memory that a graphics card holds for a process, or (pid 0) in all. */
void orma_android_gpu_memory(struct orma_import *imp, uint16_t machine, int64_t ts, uint32_t gpu,
                             uint32_t pid, double size);
#endif
