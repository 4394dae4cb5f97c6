/*
 * All tables are made from orma_table_defs and share one flag that says whether memory ran
 * out. Statistics are counted per machine and trace while importing and become rows of their
 * table at the end. The bounds of the trace are the extremes of the time columns that say when
 * something happened.
 */
#include "processor/store/storage.h"

#include <errno.h>
#include <stdlib.h>

#include "processor/store/large.h"

static int64_t ftrace_arg_set(void *args, uint32_t row)
{
    uint32_t set = orma_args_source_set(args, row);

    return set == ORMA_ARG_SET_NONE ? -1 : (int64_t)set;
}

/* False: memory is out. */
static bool add_trace(struct orma_storage *self, uint32_t trace)
{
    struct orma_trace_stats *t = calloc(1, sizeof(*t));

    if (!t)
        return false;
    t->trace = trace;
    self->traces[self->traces_num++] = t;
    self->stats = t->by_machine;
    return true;
}

void orma_storage_use_trace(struct orma_storage *self, uint32_t trace, bool is_first)
{
    if (is_first)
        self->traces[0]->trace = trace;
    for (unsigned i = 0; i < self->traces_num; i++) {
        if (self->traces[i]->trace != trace)
            continue;
        self->stats = self->traces[i]->by_machine;
        return;
    }
    if (self->traces_num == ORMA_TRACES_MAX)
        self->stats = self->traces[ORMA_TRACES_MAX - 1]->by_machine;
    else if (!add_trace(self, trace))
        self->failed = true;
}

int orma_storage_init(struct orma_storage *self)
{
    int r = add_trace(self, 0) ? orma_strpool_init(&self->pool, &self->failed) : -ENOMEM;

    for (unsigned i = 0; !r && i < ORMA_TABLES_NUM; i++)
        r = orma_table_init(&self->tables[i], &orma_table_defs[i], &self->failed);
    if (!r)
        r = orma_args_store_init(&self->args, &self->tables[ORMA_TABLE_ARGS], &self->pool,
                                 &self->failed);
    self->args.tables = self->tables;
    self->tables[ORMA_TABLE_FTRACE_EVENT].compute = ftrace_arg_set;
    self->tables[ORMA_TABLE_FTRACE_EVENT].compute_data = &self->args;
    return r;
}

void orma_storage_fini(struct orma_storage *self)
{
    for (unsigned i = 0; i < ORMA_TABLES_NUM; i++)
        if (self->tables[i].def)
            orma_table_fini(&self->tables[i]);
    for (unsigned t = 0; t < self->traces_num; t++) {
        for (unsigned i = 0; i < ORMA_MACHINES_MAX; i++)
            orma_stats_fini(&self->traces[t]->by_machine[i]);
        free(self->traces[t]);
    }
    orma_args_store_fini(&self->args);
    orma_blobs_fini(&self->arrays);
    orma_blobs_fini(&self->video);
    orma_blobs_fini(&self->messages);
    orma_strpool_fini(&self->pool);
    orma_large_drop(); /* of queries */
}

static void write_stat(struct orma_storage *self, const struct orma_trace_stats *trace,
                       enum orma_stat stat, uint32_t machine, const int32_t *idx, int64_t val)
{
    const struct orma_stat_def *def = &orma_stat_defs[stat];
    struct orma_table *t = &self->tables[ORMA_TABLE_STATS];
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_STATS_NAME, row, orma_storage_cstr(self, def->name));
    orma_table_set(t, ORMA_STATS_KEY, row, stat);
    if (idx)
        orma_table_set(t, ORMA_STATS_IDX, row, *idx);
    orma_table_set(t, ORMA_STATS_SEVERITY, row,
                   orma_storage_cstr(self, orma_severity_names[def->severity]));
    orma_table_set(t, ORMA_STATS_SOURCE, row,
                   orma_storage_cstr(self, orma_stat_source_names[def->source]));
    orma_table_set(t, ORMA_STATS_VALUE, row, val);
    orma_table_set(t, ORMA_STATS_DESCRIPTION, row, ORMA_STR_EMPTY);
    if (!def->global) {
        orma_table_set(t, ORMA_STATS_MACHINE_ID, row, machine);
        orma_table_set(t, ORMA_STATS_TRACE_ID, row, trace->trace);
    }
}

static int by_idx(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return x < y ? -1 : x > y;
}

static void write_indexed(struct orma_storage *self, const struct orma_trace_stats *trace,
                          enum orma_stat stat, uint32_t machine)
{
    const struct orma_stats *stats = &trace->by_machine[machine];
    int32_t *idx = malloc((stats->indexed.len + 1) * sizeof(*idx));
    uint32_t n = 0;

    if (!idx) {
        self->failed = true;
        return;
    }
    ORMA_MAP_EACH (slot, &stats->indexed) {
        if (slot->key >> 32 == (uint64_t)stat)
            idx[n++] = (int32_t)(uint32_t)slot->key;
    }
    qsort(idx, n, sizeof(*idx), by_idx);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t at = orma_map_get(&stats->indexed, (uint64_t)stat << 32 | (uint32_t)idx[i]);

        write_stat(self, trace, stat, machine, &idx[i], stats->values[at]);
    }
    free(idx);
}

/* What is of no trace and no machine has one row, whoever counted it. */
static void write_global(struct orma_storage *self, enum orma_stat stat)
{
    int64_t sum = 0;

    for (unsigned t = 0; t < self->traces_num; t++)
        sum = orma_stats_sum(sum, self->traces[t]->by_machine[0].single[stat]);
    write_stat(self, self->traces[0], stat, 0, NULL, sum);
}

void orma_storage_write_stats(struct orma_storage *self, uint32_t machine_rows)
{
    if (self->late.waiting)
        return;
    orma_table_truncate(&self->tables[ORMA_TABLE_STATS], 0);
    for (unsigned i = 0; i < ORMA_STATS_NUM; i++) {
        enum orma_stat stat = (enum orma_stat)i;

        if (orma_stat_defs[i].global && orma_stat_defs[i].kind != ORMA_STAT_INDEXED) {
            write_global(self, stat);
            continue;
        }
        for (unsigned t = 0; t < self->traces_num; t++) {
            const struct orma_trace_stats *trace = self->traces[t];

            for (uint32_t m = 0; m < ORMA_MAX(machine_rows, 1u) && m < ORMA_MACHINES_MAX; m++) {
                if (orma_stat_defs[i].kind == ORMA_STAT_INDEXED)
                    write_indexed(self, trace, stat, m);
                else if (orma_stat_defs[i].kind == ORMA_STAT_SINGLE ||
                         trace->by_machine[m].single[i])
                    write_stat(self, trace, stat, m, NULL, trace->by_machine[m].single[i]);
            }
        }
    }
}

/* Tables that time bounds come from; `dur` < 0: they have none. */
static const struct {
    uint16_t table, ts;
    int16_t dur;
} bounded[] = {
    {ORMA_TABLE_FTRACE_EVENT, ORMA_FTRACE_EVENT_TS, -1},
    {ORMA_TABLE_SCHED_SLICE, ORMA_SCHED_SLICE_TS, ORMA_SCHED_SLICE_DUR},
    {ORMA_TABLE_COUNTER, ORMA_COUNTER_TS, -1},
    {ORMA_TABLE_SLICE, ORMA_SLICE_TS, ORMA_SLICE_DUR},
    {ORMA_TABLE_HEAP_PROFILE_ALLOCATION, ORMA_HEAP_PROFILE_ALLOCATION_TS, -1},
    {ORMA_TABLE_PROFILER_SMAPS, ORMA_PROFILER_SMAPS_TS, -1},
    {ORMA_TABLE_THREAD_STATE, ORMA_THREAD_STATE_TS, ORMA_THREAD_STATE_DUR},
    {ORMA_TABLE_LOGS, ORMA_LOGS_TS, -1},
    {ORMA_TABLE_HEAP_GRAPH_OBJECT, ORMA_HEAP_GRAPH_OBJECT_GRAPH_SAMPLE_TS, -1},
    {ORMA_TABLE_STATE, ORMA_STATE_TS, ORMA_STATE_DUR},
    {ORMA_TABLE_PROFILER_SAMPLE, ORMA_PROFILER_SAMPLE_TS, -1},
};

static void point_bounds(const struct orma_column *ts, uint32_t rows, int64_t *start, int64_t *end)
{
    int64_t times[ORMA_BLOCK_ROWS];

    if (rows && ts->flags & ORMA_COL_TIME && !ts->unsorted) {
        *start = ORMA_MIN(*start, orma_column_int(ts, 0));
        *end = ORMA_MAX(*end, orma_column_int(ts, rows - 1));
        return;
    }
    for (uint32_t row = 0, n; row < rows; row += n) {
        n = ORMA_MIN(ORMA_BLOCK_ROWS, rows - row);
        orma_column_read(ts, row, n, times);
        for (uint32_t i = 0; i < n; i++) {
            *start = ORMA_MIN(*start, times[i]);
            *end = ORMA_MAX(*end, times[i]);
        }
    }
}

static void span_bounds(const struct orma_table *t, unsigned ts, unsigned dur, int64_t *start,
                        int64_t *end)
{
    int64_t times[ORMA_BLOCK_ROWS], durs[ORMA_BLOCK_ROWS];

    for (uint32_t row = 0, n; row < t->rows; row += n) {
        n = ORMA_MIN(ORMA_BLOCK_ROWS, t->rows - row);
        orma_column_read(&t->columns[ts], row, n, times);
        orma_column_read(&t->columns[dur], row, n, durs);
        for (uint32_t i = 0; i < n; i++) {
            int64_t last;

            *start = ORMA_MIN(*start, times[i]);
            if (__builtin_add_overflow(times[i], ORMA_MAX(durs[i], 0), &last))
                last = INT64_MAX;
            *end = ORMA_MAX(*end, last);
        }
    }
}

void orma_storage_bounds(const struct orma_storage *self, int64_t *ret_start, int64_t *ret_end)
{
    int64_t start = INT64_MAX, end = INT64_MIN;

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(bounded); i++) {
        const struct orma_table *t = &self->tables[bounded[i].table];

        if (bounded[i].dur < 0)
            point_bounds(&t->columns[bounded[i].ts], t->rows, &start, &end);
        else
            span_bounds(t, bounded[i].ts, (unsigned)bounded[i].dur, &start, &end);
    }
    if (self->late.has_times) {
        start = ORMA_MIN(start, self->late.first);
        end = ORMA_MAX(end, self->late.last);
    }
    if (start > end)
        start = end = 0;
    else if (start == end && end < INT64_MAX)
        end++;
    *ret_start = start;
    *ret_end = end;
}
