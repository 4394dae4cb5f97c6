/*
 * What all kernel events share: when they begin to count, which row they get, the names of threads
 * in a bundle's own table.
 *
 * A trace of several sessions has limits per trace and machine; the last ones that were looked at
 * are remembered, since events come in runs of one machine.
 */
#include <stdlib.h>

#include "processor/import/kernel/kernel.h"
#include "protos/fields/ftrace.h"

struct orma_kernel_state *orma_kernel_state_new(struct orma_import_ctx *imp)
{
    struct orma_kernel_state *st =
        orma_model_lazy(imp->model, (void **)&orma_kernel(imp)->ftrace, sizeof(*st));

    if (!st)
        return NULL;
    ORMA_ASSERT(orma_kernel(imp)->families); /* set when the module offers its port */
    for (unsigned i = 0; orma_kernel(imp)->families[i]; i++) {
        for (const struct orma_kernel_handler *h = orma_kernel(imp)->families[i]; h->field; h++) {
            /* One handler per event: a second one would silently replace the first. */
            ORMA_ASSERT(h->field < ORMA_FTRACE_FIELDS_MAX && !st->handlers[h->field]);
            st->handlers[h->field] = h->fn;
        }
    }
    orma_kernel_symbol_fields(st->symbol_fields);
    st->sched_switch = orma_model_lit(imp->model, "sched_switch");
    st->sched_waking = orma_model_lit(imp->model, "sched_waking");
    st->prev_comm = orma_model_lit(imp->model, "prev_comm");
    st->prev_pid = orma_model_lit(imp->model, "prev_pid");
    st->prev_prio = orma_model_lit(imp->model, "prev_prio");
    st->prev_state = orma_model_lit(imp->model, "prev_state");
    st->next_comm = orma_model_lit(imp->model, "next_comm");
    st->next_pid = orma_model_lit(imp->model, "next_pid");
    st->next_prio = orma_model_lit(imp->model, "next_prio");
    st->comm = orma_model_lit(imp->model, "comm");
    st->pid = orma_model_lit(imp->model, "pid");
    st->prio = orma_model_lit(imp->model, "prio");
    st->target_cpu = orma_model_lit(imp->model, "target_cpu");
    return st;
}

void orma_kernel_fini(struct orma_import_ctx *imp)
{
    struct orma_kernel_state *st = orma_kernel(imp)->ftrace;

    for (struct orma_kernel_limits *l = st ? st->limits : NULL, *next; l; l = next) {
        next = l->next;
        free(l);
    }
    if (st) {
        orma_map_fini(&st->setup_told);
        orma_map_fini(&st->reporters);
        orma_map_fini(&st->begins);
        orma_map_fini(&st->losses);
    }
}

/* ---- when events count ---- */

struct orma_kernel_limits *orma_kernel_limits_find(struct orma_import_ctx *imp, uint16_t machine)
{
    struct orma_kernel_state *st = orma_kernel_state(imp);
    struct orma_kernel_limits *l;

    for (l = st ? st->limits : NULL; l; l = l->next)
        if (l->machine == machine && l->trace == imp->model->trace_row)
            return st->last_limits = l;
    l = st ? calloc(1, sizeof(*l)) : NULL;
    if (!l) {
        imp->model->storage->failed = true;
        return NULL;
    }
    l->trace = imp->model->trace_row;
    l->machine = machine;
    l->next = st->limits;
    return st->limits = st->last_limits = l;
}

void orma_kernel_set_tracing_start(struct orma_import_ctx *imp, uint16_t machine, int64_t ts)
{
    struct orma_kernel_limits *l = orma_kernel_limits(imp, machine);

    /* Of several recordings in a file (`cat A B`) the first: all of it was asked for. */
    if (l && (!l->has_tracing_start || ts < l->tracing_start)) {
        l->tracing_start = ts;
        l->has_tracing_start = true;
    }
}

void orma_kernel_preserve(struct orma_import_ctx *imp, uint16_t machine)
{
    struct orma_kernel_limits *l = orma_kernel_limits(imp, machine);

    if (l)
        l->preserve = true;
}

uint32_t orma_kernel_add_row(struct orma_import_ctx *imp, const struct orma_item *item,
                             uint32_t name, uint32_t utid, uint32_t common_flags, uint32_t cpu)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_FTRACE_EVENT);
    struct orma_table *src = orma_model_table(imp->model, ORMA_TABLE_FTRACE_SOURCE);
    uint32_t ucpu = orma_model_ucpu(imp->model, item->machine, cpu);

    if (imp->options->no_ftrace_raw)
        return ORMA_ROW_NONE;
    uint32_t row = orma_table_add(t);
    orma_table_set_time(t, ORMA_FTRACE_EVENT_TS, row, item->ts);
    orma_table_set(t, ORMA_FTRACE_EVENT_NAME, row, name);
    orma_table_set(t, ORMA_FTRACE_EVENT_UTID, row, utid);
    orma_table_set(t, ORMA_FTRACE_EVENT_COMMON_FLAGS, row, common_flags);
    orma_table_set(t, ORMA_FTRACE_EVENT_UCPU, row, ucpu);
    uint32_t source = orma_table_add(src);
    ORMA_ASSERT_HOT(source == row || imp->model->storage->failed); /* the tables are parallel */
    orma_table_set(src, ORMA_FTRACE_SOURCE_BUNDLE, source, item->bundle);
    orma_table_set(src, ORMA_FTRACE_SOURCE_IDX, source, item->index);
    orma_table_set(src, ORMA_FTRACE_SOURCE_KIND, source, item->kind);
    return source;
}

static void load_comms(struct orma_import_ctx *imp, struct orma_kernel_bundle *b)
{
    struct orma_pb_reader r = orma_pb_reader(b->compact.data, b->compact.len), again = r;
    struct orma_pb_field f;
    uint32_t num = 0;

    while (orma_pb_next(&r, &f))
        num += f.id == ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_INTERN_TABLE;
    b->comms = orma_arena_alloc(&imp->reader->sorter.arena, (num + 1) * sizeof(*b->comms));
    if (!b->comms) {
        imp->model->storage->failed = true;
        return;
    }
    while (orma_pb_next(&again, &f) && b->comms_num < num)
        if (f.id == ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_INTERN_TABLE)
            b->comms[b->comms_num++] = orma_model_str(imp->model, orma_pb_str(&f));
}

uint32_t orma_kernel_comm(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t index)
{
    struct orma_kernel_bundle *b = &imp->reader->sorter.bundles[item->bundle];

    ORMA_ASSERT_HOT(item->bundle < imp->reader->sorter.bundles_num);
    if (ORMA_UNLIKELY(!b->comms))
        load_comms(imp, b);
    return index < b->comms_num ? b->comms[index] : ORMA_STR_EMPTY;
}
