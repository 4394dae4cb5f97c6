/*
 * The import log: what could not be imported, as rows.
 *
 * Rows are in the order of what they are about: what was found wrong while packets were read stands
 * before what their contents turned out to be, which is found when the packets are emitted. Some
 * of the former is found only then (orma_model_log_read()), since looking for it earlier would cost
 * time for each packet. So the place in the file of every entry is kept beside the table, and a log
 * that got such an entry is put in order at the end.
 */
#include <stdlib.h>

#include "processor/model/model.h"

/* Places of damage that are reported one by one; those that follow are only counted. */
#define DAMAGE_ROWS_MAX 10000

static void add(struct orma_model *self, uint16_t machine, enum orma_stat stat, uint64_t place,
                int64_t ts, int64_t byte_offset, const struct orma_args_list *args)
{
    struct orma_table *t = orma_model_table(self, ORMA_TABLE_TRACE_IMPORT_LOGS);
    uint32_t row = orma_table_add(t);

    orma_stats_inc(orma_model_stats(self, machine), stat);
    orma_table_set(t, ORMA_TRACE_IMPORT_LOGS_TRACE_ID, row, self->trace_row);
    if (ts != INT64_MIN)
        orma_table_set(t, ORMA_TRACE_IMPORT_LOGS_TS, row, ts);
    if (byte_offset >= 0)
        orma_table_set(t, ORMA_TRACE_IMPORT_LOGS_BYTE_OFFSET, row, byte_offset);
    orma_table_set(t, ORMA_TRACE_IMPORT_LOGS_STAT_KEY, row, stat);
    if (args)
        orma_storage_set_args(t, ORMA_TRACE_IMPORT_LOGS_ARG_SET_ID, row,
                              orma_args_commit(&self->storage->args, args));
    if (ORMA_VEC_PUSH(&self->log.places, place))
        self->storage->failed = true;
}

void orma_model_log(struct orma_model *self, uint16_t machine, enum orma_stat stat, int64_t ts,
                    int64_t byte_offset, const struct orma_args_list *args)
{
    add(self, machine, stat, self->log.read ? *self->log.read : 0, ts, byte_offset, args);
}

void orma_model_log_read(struct orma_model *self, uint16_t machine, enum orma_stat stat,
                         uint64_t order, int64_t byte_offset, const struct orma_args_list *args)
{
    self->log.late = true;
    add(self, machine, stat, order, INT64_MIN, byte_offset, args);
}

void orma_model_log_overlap(struct orma_model *self, enum orma_stat stat, int64_t ts,
                            uint32_t existing, struct orma_args_list *args)
{
    const struct orma_table *t = orma_model_table(self, ORMA_TABLE_SLICE);
    int64_t from = orma_table_int(t, ORMA_SLICE_TS, existing);
    int64_t dur = orma_table_int(t, ORMA_SLICE_DUR, existing);

    orma_args_put_int(args, orma_model_lit(self, "overlap_start"), ts);
    orma_args_put_int(args, orma_model_lit(self, "overlap_end"),
                      (int64_t)((uint64_t)from + (uint64_t)dur));
    orma_args_put_str(args, orma_model_lit(self, "conflicting_slice_name"),
                      (uint32_t)orma_table_int(t, ORMA_SLICE_NAME, existing));
    orma_args_put_int(args, orma_model_lit(self, "conflicting_slice_ts"), from);
    orma_args_put_int(args, orma_model_lit(self, "conflicting_slice_dur"), dur);
    orma_model_log(self, self->base, stat, ts, -1, args);
}

void orma_model_set_parent(struct orma_model *self, uint16_t machine, int64_t ts, uint32_t upid,
                           uint32_t parent_upid)
{
    if (!orma_processes_set_parent(orma_model_processes(self, machine), upid, parent_upid))
        orma_model_log(self, machine, ORMA_STAT_PROCESS_TRACKER_PARENT_PID_CHANGED, ts, -1, NULL);
}

void orma_model_damage(struct orma_model *self, int64_t offset, uint64_t bytes, const char *why)
{
    orma_stats_add(orma_model_stats(self, self->base), ORMA_STAT_DAMAGED_BYTES, (int64_t)bytes);
    self->damage.bytes += bytes;
    if (!self->damage.places)
        self->damage.first = offset;
    if (self->damage.places++ >= DAMAGE_ROWS_MAX) {
        orma_stats_inc(orma_model_stats(self, self->base), ORMA_STAT_DAMAGED_PLACES);
        return;
    }
    ORMA_MODEL_ARGS(args, self);
    orma_args_put_uint(args, orma_model_cstr(self, "bytes"), bytes);
    orma_args_put_str(args, orma_model_cstr(self, "reason"), orma_model_cstr(self, why));
    orma_model_log(self, self->base, ORMA_STAT_DAMAGED_PLACES, INT64_MIN, offset, args);
}

void orma_model_truncated(struct orma_model *self, uint64_t bytes)
{
    self->damage.truncated += bytes;
}

/* ---- order ---- */

struct entry {
    uint64_t place;
    uint32_t row; /* as it was added */
    int64_t bits[ORMA_TRACE_IMPORT_LOGS_ARG_SET_ID + 1];
    uint64_t nulls;
};

static int by_place(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static void read_entry(const struct orma_table *t, uint32_t row, struct entry *e)
{
    e->row = row;
    for (unsigned col = 0; col < ORMA_ARRAY_LEN(e->bits); col++) {
        e->nulls |= (uint64_t)orma_table_is_null(t, col, row) << col;
        e->bits[col] = orma_table_int(t, col, row);
    }
}

static void write_entry(struct orma_table *t, uint32_t row, const struct entry *e)
{
    for (unsigned col = 0; col < ORMA_ARRAY_LEN(e->bits); col++) {
        if (t->columns[col].kind <= ORMA_COL_COMPUTED)
            continue;
        if (e->nulls >> col & 1)
            orma_table_set_null(t, col, row);
        else
            orma_table_set(t, col, row, e->bits[col]);
    }
}

void orma_model_finish_log(struct orma_model *self)
{
    struct orma_table *t = orma_model_table(self, ORMA_TABLE_TRACE_IMPORT_LOGS);
    const uint32_t num = t->rows;

    if (!self->log.late || self->log.places.len != num)
        return;
    struct entry *list = calloc(num, sizeof(*list));
    if (!list) {
        self->storage->failed = true;
        return;
    }
    for (uint32_t i = 0; i < num; i++) {
        list[i].place = self->log.places.data[i];
        read_entry(t, i, &list[i]);
    }
    qsort(list, num, sizeof(*list), by_place);
    for (uint32_t i = 0; i < num; i++)
        write_entry(t, i, &list[i]);
    free(list);
}

void orma_model_fini_log(struct orma_model *self)
{
    ORMA_VEC_FINI(&self->log.places);
}
