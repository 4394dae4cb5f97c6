/*
 * What all importers need: counters, literals, cpus and graphics processors, args that packets add
 * to rows.
 */
#include "processor/model/model.h"

#include <stdlib.h>

void orma_model_add_machine(struct orma_model *self, uint16_t machine, uint64_t raw)
{
    struct orma_table *t = orma_model_table(self, ORMA_TABLE_MACHINE);
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_MACHINE_RAW_ID, row, (int64_t)raw);
    orma_processes_init(&self->machines[machine].processes, self->storage, &self->known, machine);
    if (machine) /* others are known from packets only; the host's format is not known yet */
        orma_processes_set_idle(&self->machines[machine].processes);
    self->machines_num = (uint16_t)(machine + 1);
}

ORMA_COLD static struct orma_args_list *new_args(struct orma_model *self)
{
    struct orma_model_args *a = calloc(1, sizeof(*a));

    if (!a) {
        self->storage->failed = true;
        a = &self->args_spare;
        orma_args_list_clear(&a->list);
        return &a->list;
    }
    a->model = self;
    return &a->list;
}

struct orma_args_list *orma_model_args_take(struct orma_model *self)
{
    struct orma_model_args *a = self->args_free;

    if (ORMA_UNLIKELY(!a))
        return new_args(self);
    self->args_free = a->next;
    orma_args_list_clear(&a->list);
    return &a->list;
}

void orma_model_args_give_p(struct orma_args_list **list)
{
    struct orma_model_args *a = (struct orma_model_args *)*list;

    if (ORMA_UNLIKELY(!a->model))
        return;
    a->next = a->model->args_free;
    a->model->args_free = a;
}

void *orma_model_lazy(struct orma_model *self, void **slot, size_t size)
{
    if (!*slot) {
        *slot = orma_arena_alloc(&self->lazy, size);
        if (*slot)
            memset(*slot, 0, size);
        self->storage->failed |= !*slot;
    }
    return *slot;
}

void orma_model_use_trace(struct orma_model *self, uint32_t row)
{
    if (self->trace_row == row)
        return;
    self->trace_row = row;
    self->base = 0;
    if (self->bases.len) {
        uint64_t base = orma_map_get(&self->bases, row);

        self->base = base == ORMA_MAP_NONE ? 0 : (uint16_t)base;
    }
    orma_storage_use_trace(self->storage, row, false);
}

void orma_model_begin_trace(struct orma_model *self, uint32_t row, uint16_t machine)
{
    orma_storage_use_trace(self->storage, row, !self->files_read);
    self->files_read++;
    self->trace_row = row;
    self->base = machine;
    if (machine && orma_map_put(&self->bases, row, machine))
        self->storage->failed = true;
}

uint32_t orma_model_counter_track(struct orma_model *self, uint16_t machine, const char *type,
                                  uint32_t name, const char *unit, unsigned dims_num,
                                  const struct orma_track_dim *dims)
{
    struct orma_track_spec spec = {
        .type = type,
        .event = ORMA_TRACK_COUNTER,
        .machine = machine,
        .dims_num = dims_num,
        .name = name,
        .unit = unit ? orma_model_cstr(self, unit) : 0,
        .parent = ORMA_TRACK_NONE,
    };

    if (dims_num)
        memcpy(spec.dims, dims, dims_num * sizeof(*dims));
    return orma_tracks_get(&self->tracks, &spec);
}

uint32_t orma_model_slice_track(struct orma_model *self, uint16_t machine, const char *type,
                                uint32_t name, unsigned dims_num, const struct orma_track_dim *dims)
{
    struct orma_track_spec spec = {
        .type = type,
        .event = ORMA_TRACK_SLICES,
        .machine = machine,
        .dims_num = dims_num,
        .name = name,
        .parent = ORMA_TRACK_NONE,
    };

    if (dims_num)
        memcpy(spec.dims, dims, dims_num * sizeof(*dims));
    return orma_tracks_get(&self->tracks, &spec);
}

uint32_t orma_model_thread_track(struct orma_model *self, uint16_t machine, uint32_t utid)
{
    const struct orma_track_dim dim = orma_dim(self->known.utid, utid);

    return orma_model_slice_track(self, machine, "thread_execution", 0, 1, &dim);
}

void orma_model_add_gap(struct orma_model *self, uint16_t machine, const struct orma_model_gap *gap)
{
    struct orma_table *t = orma_model_table(self, ORMA_TABLE_GAP);
    uint32_t row = orma_table_add(t);

    orma_table_set_time(t, ORMA_GAP_TS, row, gap->ts);
    orma_table_set(t, ORMA_GAP_REASON, row,
                   orma_model_lit(self, gap->of_cpu ? "kernel events lost" : "packets lost"));
    if (gap->of_cpu) {
        orma_table_set(t, ORMA_GAP_CPU, row, gap->cpu);
    } else {
        orma_table_set(t, ORMA_GAP_SEQUENCE_ID, row, gap->sequence);
        if (gap->pid)
            orma_table_set(t, ORMA_GAP_PID, row, gap->pid);
        if (gap->tid)
            orma_table_set(t, ORMA_GAP_TID, row, gap->tid);
    }
    orma_table_set(t, ORMA_GAP_MACHINE_ID, row, machine);
}

void orma_model_counter(struct orma_model *self, int64_t ts, uint32_t track, double value)
{
    struct orma_table *t = orma_model_table(self, ORMA_TABLE_COUNTER);
    uint32_t row = orma_table_add(t);

    orma_table_set_time(t, ORMA_COUNTER_TS, row, ts);
    orma_table_set(t, ORMA_COUNTER_TRACK_ID, row, track);
    orma_table_set_double(t, ORMA_COUNTER_VALUE, row, value);
}

/* What packets have said of a row so far. Only what holds at the end becomes a set. */
struct orma_row_args {
    struct orma_row_args *next; /* in the order of the first thing said */
    enum orma_table_id table;
    unsigned col;
    uint32_t row;
    struct orma_args_list list;
};

static struct orma_row_args *row_args(struct orma_model *self, enum orma_table_id table,
                                      unsigned col, uint32_t row)
{
    uint64_t key = (uint64_t)table << 40 | (uint64_t)col << 32 | row;
    struct orma_row_args *a = orma_map_get_ptr(&self->row_args, key);

    if (a)
        return a;
    a = calloc(1, sizeof(*a));
    if (!a || orma_map_put_ptr(&self->row_args, key, a)) {
        self->storage->failed = true;
        free(a);
        return NULL;
    }
    a->table = table;
    a->col = col;
    a->row = row;
    if (self->row_args_last)
        self->row_args_last->next = a;
    else
        self->row_args_first = a;
    self->row_args_last = a;
    return a;
}

void orma_model_add_args(struct orma_model *self, enum orma_table_id table, unsigned col,
                         uint32_t row, const struct orma_args_list *args)
{
    struct orma_row_args *a = args->len ? row_args(self, table, col, row) : NULL;

    for (uint32_t i = 0; a && i < args->len; i++)
        orma_args_put(&a->list, args->args[i]);
}

void orma_model_write_row_args(struct orma_model *self)
{
    for (struct orma_row_args *a = self->row_args_first; a; a = a->next) {
        orma_storage_set_args(orma_model_table(self, a->table), a->col, a->row,
                              orma_args_commit(&self->storage->args, &a->list));
        self->storage->failed |= a->list.failed;
    }
}

void orma_model_free_row_args(struct orma_model *self)
{
    struct orma_row_args *next;

    for (struct orma_row_args *a = self->row_args_first; a; a = next) {
        next = a->next;
        orma_args_list_fini(&a->list);
        free(a);
    }
    orma_map_fini(&self->row_args);
}

uint32_t orma_model_lit(struct orma_model *self, const char *literal)
{
    uint32_t slot = (uint32_t)((uintptr_t)literal * 0x9e3779b97f4a7c15u >> 40) % ORMA_LITERALS_NUM;

    if (ORMA_UNLIKELY(self->literals[slot].text != literal)) {
        self->literals[slot].id = orma_model_cstr(self, literal);
        self->literals[slot].text = literal;
    }
    return self->literals[slot].id;
}

#define MADE_UP_FIRST 0x80000000u

uint32_t orma_model_made_up(struct orma_model *self, uint32_t text)
{
    const uint64_t have = orma_map_get(&self->made_up, text);
    const uint32_t number = MADE_UP_FIRST + (uint32_t)self->made_up.len;

    if (have != ORMA_MAP_NONE)
        return (uint32_t)have;
    if (orma_map_put(&self->made_up, text, number))
        self->storage->failed = true;
    return number;
}

/* ---- cpus ---- */

uint32_t orma_model_ucpu_slow(struct orma_model *self, uint32_t ucpu, uint32_t cpu)
{
    struct orma_table *t = orma_model_table(self, ORMA_TABLE_CPU);

    self->ucpus[ucpu % ORMA_UCPUS_KNOWN] = ucpu + 1;
    if (ucpu < t->rows && !orma_table_is_null(t, ORMA_CPU_CPU, ucpu))
        return ucpu;
    /* Rows of cpus that were never seen lie between: they have no number and no view shows them. */
    while (t->rows <= ucpu) {
        uint32_t row = orma_table_add(t);

        if (row == ORMA_ROW_NONE)
            return ucpu;
        orma_table_set(t, ORMA_CPU_MACHINE_ID, row, row / ORMA_UCPUS_PER_MACHINE);
    }
    orma_table_set(t, ORMA_CPU_CPU, ucpu, cpu);
    return ucpu;
}

uint32_t orma_model_ugpu(struct orma_model *self, uint16_t machine, uint32_t gpu)
{
    struct orma_table *t = orma_model_table(self, ORMA_TABLE_GPU);
    uint64_t key = (uint64_t)machine << 32 | gpu, known = orma_map_get(&self->gpus, key);

    if (known != ORMA_MAP_NONE)
        return (uint32_t)known;
    uint32_t row = orma_table_add(t);
    if (orma_map_put(&self->gpus, key, row))
        self->storage->failed = true;
    orma_table_set(t, ORMA_GPU_GPU, row, gpu);
    orma_table_set(t, ORMA_GPU_MACHINE_ID, row, machine);
    return row;
}

uint32_t orma_model_gpu_frequency_track(struct orma_model *self, uint16_t machine, uint32_t gpu)
{
    const struct orma_track_dim dims[] = {
        orma_dim(orma_model_lit(self, "ugpu"), orma_model_ugpu(self, machine, gpu)),
        orma_dim(orma_model_lit(self, "gpu"), gpu),
    };

    return orma_model_counter_track(self, machine, "gpu_frequency", orma_model_lit(self, "gpufreq"),
                                    "kHz", 2, dims);
}
