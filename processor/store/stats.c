#include "processor/store/stats.h"

#include <stdlib.h>

const char *const orma_severity_names[] = {"info", "notice", "data_loss", "error"};
const char *const orma_stat_source_names[] = {"trace", "analysis"};

void orma_stats_fini(struct orma_stats *self)
{
    orma_map_fini(&self->indexed);
    free(self->values);
    *self = (struct orma_stats){0};
}

int64_t *orma_stats_at(struct orma_stats *self, enum orma_stat stat, int32_t idx)
{
    uint64_t key = (uint64_t)stat << 32 | (uint32_t)idx;
    uint64_t slot = orma_map_get(&self->indexed, key);

    if (slot != ORMA_MAP_NONE)
        return &self->values[slot];
    int64_t *values = realloc(self->values, (self->values_num + 1) * sizeof(*values));
    if (!values)
        return NULL;
    self->values = values;
    if (orma_map_put(&self->indexed, key, self->values_num))
        return NULL;
    self->values[self->values_num] = 0;
    return &self->values[self->values_num++];
}

void orma_stats_set_at(struct orma_stats *self, enum orma_stat stat, int32_t idx, int64_t val)
{
    int64_t *at = orma_stats_at(self, stat, idx);

    if (at)
        *at = val;
}

void orma_stats_add_at(struct orma_stats *self, enum orma_stat stat, int32_t idx, int64_t n)
{
    int64_t *at = orma_stats_at(self, stat, idx);

    if (at)
        *at = orma_stats_sum(*at, n);
}
