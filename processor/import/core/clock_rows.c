/* Rows of clocks, and what the log says of those that can't be related. */
#include "processor/import/core/clock_rows.h"

#include "processor/import/core/import.h"

static const char *clock_name(uint32_t id)
{
    static const char *const names[] = {
        [ORMA_CLOCK_REALTIME] = "REALTIME",
        [ORMA_CLOCK_REALTIME_COARSE] = "REALTIME_COARSE",
        [ORMA_CLOCK_MONOTONIC] = "MONOTONIC",
        [ORMA_CLOCK_MONOTONIC_COARSE] = "MONOTONIC_COARSE",
        [ORMA_CLOCK_MONOTONIC_RAW] = "MONOTONIC_RAW",
        [ORMA_CLOCK_BOOTTIME] = "BOOTTIME",
    };

    return id < ORMA_ARRAY_LEN(names) ? names[id] : NULL;
}

/* A clock that went back has lost its way to the trace's clock, which may stand beside it. */
static bool get_time_beside(const struct orma_reader *reader, const struct orma_clock_value *v,
                            uint32_t num, int64_t *ret)
{
    for (uint32_t i = 0; i < num; i++)
        if (v[i].key == reader->timeline.trace_clock) {
            *ret = (int64_t)((uint64_t)v[i].raw * (uint64_t)v[i].unit_ns);
            return true;
        }
    return false;
}

void orma_import_clocks(struct orma_model *model, struct orma_reader *reader,
                        const struct orma_clock_value *v, uint32_t num, uint32_t snapshot)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_CLOCK_SNAPSHOT);

    for (uint32_t i = 0; i < num; i++) {
        uint32_t id = orma_clock_id(v[i].key);
        const char *name = clock_name(id);
        int64_t ns = (int64_t)((uint64_t)v[i].raw * (uint64_t)v[i].unit_ns), ts;

        if (orma_timeline_peek(&reader->timeline, v[i].key, ns, &ts) != ORMA_CLOCK_OK &&
            !get_time_beside(reader, v, num, &ts))
            continue;
        uint32_t row = orma_table_add(t);
        orma_table_set_time(t, ORMA_CLOCK_SNAPSHOT_TS, row, ts);
        orma_table_set(t, ORMA_CLOCK_SNAPSHOT_CLOCK_ID, row, id);
        if (name)
            orma_table_set(t, ORMA_CLOCK_SNAPSHOT_CLOCK_NAME, row, orma_model_lit(model, name));
        orma_table_set(t, ORMA_CLOCK_SNAPSHOT_CLOCK_VALUE, row, ns);
        orma_table_set(t, ORMA_CLOCK_SNAPSHOT_SNAPSHOT_ID, row, snapshot);
        orma_table_set(t, ORMA_CLOCK_SNAPSHOT_MACHINE_ID, row, orma_clock_machine(v[i].key));
    }
}

void orma_import_clocks_tied(void *data, const struct orma_clock_value *values, uint32_t num)
{
    struct orma_import *self = data;

    orma_import_clocks(&self->model, &self->reader, values, num, self->model.clock_snapshots++);
}

void orma_import_clocks_unrelatable(void *data, uint16_t machine, uint32_t source, uint32_t target)
{
    struct orma_import *self = data;
    struct orma_model *model = &self->model;

    ORMA_MODEL_ARGS(args, model);
    orma_args_put_int(args, orma_model_lit(model, "source_clock_id"), source);
    orma_args_put_int(args, orma_model_lit(model, "target_clock_id"), target);
    orma_model_log(model, machine, ORMA_STAT_CLOCK_SYNC_UNRELATABLE_CLOCK_DOMAINS, INT64_MIN, -1,
                   args);
}

void orma_import_clocks_mixed(void *data, uint16_t machine, int64_t num)
{
    struct orma_import *self = data;
    struct orma_model *model = &self->model;

    ORMA_MODEL_ARGS(args, model);
    orma_args_put_int(args, orma_model_lit(model, "num_conversions_using_primary"), num);
    orma_model_log(model, machine, ORMA_STAT_CLOCK_SYNC_MIXED_CLOCK_SOURCES, INT64_MIN, -1, args);
}

void orma_import_clocks_restarted(void *data, uint16_t machine, int64_t later_ns)
{
    struct orma_import *self = data;
    struct orma_model *model = &self->model;

    ORMA_MODEL_ARGS(args, model);
    orma_args_put_int(args, orma_model_lit(model, "wall_clock_later_by_ns"), later_ns);
    orma_model_log(model, machine, ORMA_STAT_CLOCK_SYNC_OTHER_START, INT64_MIN, -1, args);
}

void orma_import_clocks_assumed(void *data, uint16_t machine, uint32_t source)
{
    struct orma_import *self = data;
    struct orma_model *model = &self->model;

    ORMA_MODEL_ARGS(args, model);
    orma_args_put_int(args, orma_model_lit(model, "source_clock_id"), source);
    orma_model_log(model, machine, ORMA_STAT_CLOCK_SYNC_ASSUMED, INT64_MIN, -1, args);
}

void orma_import_clocks_failed(void *data, uint16_t machine, enum orma_stat stat, uint64_t source,
                               int64_t ns, uint64_t target, int64_t offset)
{
    struct orma_import *self = data;
    struct orma_model *model = &self->model;

    ORMA_MODEL_ARGS(args, model);
    if (orma_clock_sequence(source))
        orma_args_put_uint(args, orma_model_lit(model, "source_sequence_id"),
                           orma_clock_sequence(source));
    orma_args_put_int(args, orma_model_lit(model, "source_clock_id"), orma_clock_id(source));
    orma_args_put_int(args, orma_model_lit(model, "source_timestamp"), ns);
    if (orma_clock_sequence(target))
        orma_args_put_uint(args, orma_model_lit(model, "target_sequence_id"),
                           orma_clock_sequence(target));
    orma_args_put_int(args, orma_model_lit(model, "target_clock_id"), orma_clock_id(target));
    orma_model_log(model, machine, stat, INT64_MIN, offset, args);
}

void orma_import_clocks_undeferrable(void *data, uint16_t machine, int64_t offset)
{
    struct orma_import *self = data;

    orma_model_log(&self->model, machine, ORMA_STAT_CLOCK_SYNC_FAILURE_UNDEFERRABLE_PACKET_LOSS,
                   INT64_MIN, offset, NULL);
}
