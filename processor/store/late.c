/* Which tables are of which family, and their marks. */
#include "processor/store/late.h"

#include "processor/store/storage.h"

static const uint8_t families[ORMA_TABLES_NUM] = {
    [ORMA_TABLE_HEAP_GRAPH_CLASS] = ORMA_FAMILY_HEAP_GRAPH,
    [ORMA_TABLE_HEAP_GRAPH_OBJECT] = ORMA_FAMILY_HEAP_GRAPH,
    [ORMA_TABLE_HEAP_GRAPH_OBJECT_DATA] = ORMA_FAMILY_HEAP_GRAPH,
    [ORMA_TABLE_HEAP_GRAPH_REFERENCE] = ORMA_FAMILY_HEAP_GRAPH,
    [ORMA_TABLE_HEAP_GRAPH_PRIMITIVE] = ORMA_FAMILY_HEAP_GRAPH,
    [ORMA_TABLE_HEAP_GRAPH] = ORMA_FAMILY_HEAP_GRAPH,
    [ORMA_TABLE_HEAP_GRAPH_JAVA_OOME_DETAILS] = ORMA_FAMILY_HEAP_GRAPH,
    [ORMA_TABLE_HEAP_GRAPH_THREAD_CALLSITE] = ORMA_FAMILY_HEAP_GRAPH,
};

void orma_storage_mark_family(struct orma_storage *self, enum orma_family family, bool waits)
{
    if (waits)
        self->late.waiting |= 1u << family;
    else
        self->late.waiting &= ~(1u << family);
    for (unsigned i = 0; i < ORMA_TABLES_NUM; i++)
        if (families[i] == family)
            self->tables[i].waits = waits;
    self->tables[ORMA_TABLE_STATS].waits = self->late.waiting != 0;
}

void orma_storage_expect_time(struct orma_storage *self, int64_t ts)
{
    struct orma_storage_late *late = &self->late;

    late->first = late->has_times ? ORMA_MIN(late->first, ts) : ts;
    late->last = late->has_times ? ORMA_MAX(late->last, ts) : ts;
    late->has_times = true;
}

int orma_storage_settle(struct orma_storage *self, const struct orma_table *table,
                        bool (*stop)(void *data), void *data)
{
    enum orma_family only = families[table - self->tables];
    int r = 0;

    self->late.stop = stop;
    self->late.stop_data = data;
    for (unsigned i = ORMA_FAMILY_NONE + 1; !r && table->waits && i < ORMA_FAMILIES_NUM; i++)
        if (self->late.waiting >> i & 1 && (!only || only == i))
            r = self->late.settle(self->late.data, i);
    self->late.stop = NULL;
    return r;
}

int orma_storage_settle_all(struct orma_storage *self)
{
    return orma_storage_settle(self, &self->tables[ORMA_TABLE_STATS], NULL, NULL);
}
