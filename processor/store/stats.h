/*
 * Statistics of an import: losses, errors and counts, by name (stat_defs.h).
 *
 * A single statistic has one value per machine, an indexed one a value per
 * index (cpu, buffer, ...) that was ever set. A rare one, those are our own, is a single one that
 * has a row only where it is not zero.
 */
#ifndef ORMA_PROCESSOR_STORE_STATS_H
#define ORMA_PROCESSOR_STORE_STATS_H
#include <stdbool.h>
#include <stdint.h>

#include "processor/store/stat_defs.h"
#include "sdk/base/map.h"

enum orma_stat_kind { ORMA_STAT_SINGLE, ORMA_STAT_INDEXED, ORMA_STAT_RARE };
enum orma_severity {
    ORMA_SEVERITY_INFO,
    ORMA_SEVERITY_NOTICE,
    ORMA_SEVERITY_DATA_LOSS,
    ORMA_SEVERITY_ERROR
};
enum orma_stat_source { ORMA_SOURCE_TRACE, ORMA_SOURCE_ANALYSIS };

struct orma_stat_def {
    const char *name;
    uint8_t kind;     /* enum orma_stat_kind */
    uint8_t severity; /* enum orma_severity */
    uint8_t source;   /* enum orma_stat_source: who found out */
    bool global;      /* of no machine and no file */
};

extern const struct orma_stat_def orma_stat_defs[ORMA_STATS_NUM];
extern const char *const orma_severity_names[];
extern const char *const orma_stat_source_names[];

/* The values of one machine. Zero-initialised is all zero. */
struct orma_stats {
    int64_t single[ORMA_STATS_NUM];
    struct orma_map indexed; /* stat << 32 | (uint32) index → slot of `values` */
    int64_t *values;
    uint32_t values_num;
};

void orma_stats_fini(struct orma_stats *self);

/* Numbers of hostile traces wrap around, as the reference's do. */
static inline int64_t orma_stats_sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t orma_stats_difference(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static inline void orma_stats_add(struct orma_stats *self, enum orma_stat stat, int64_t n)
{
    self->single[stat] = orma_stats_sum(self->single[stat], n);
}

static inline void orma_stats_inc(struct orma_stats *self, enum orma_stat stat)
{
    orma_stats_add(self, stat, 1);
}

static inline void orma_stats_set(struct orma_stats *self, enum orma_stat stat, int64_t val)
{
    self->single[stat] = val;
}

/* Of an indexed statistic; the address is valid until the next call. NULL when memory is out. */
int64_t *orma_stats_at(struct orma_stats *self, enum orma_stat stat, int32_t idx);

void orma_stats_set_at(struct orma_stats *self, enum orma_stat stat, int32_t idx, int64_t val);
void orma_stats_add_at(struct orma_stats *self, enum orma_stat stat, int32_t idx, int64_t n);
#endif
