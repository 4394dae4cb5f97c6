/*
 * Args of kernel events, decoded from the packet on demand.
 *
 * An event is found by walking its bundle up to its number. Queries mostly ask
 * for events in order, so the walk continues where the last one stopped.
 */
#include "processor/import/kernel/kernel.h"

#include "processor/read/bundle.h"
#include "protos/fields/ftrace.h"
#include "protos/tables/ftrace_events.h"
#include "sdk/base/search.h"

static void put_field(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t event,
                      const struct orma_ftrace_field *def, const struct orma_pb_field *f,
                      struct orma_args_list *ret)
{
    uint32_t key = orma_model_cstr(imp->model, orma_ftrace_name(def->name));

    if (event < ORMA_FTRACE_FIELDS_MAX &&
        def->number == orma_kernel_state(imp)->symbol_fields[event]) {
        uint32_t text = orma_kernel_symbol(imp, item->gen, orma_pb_u64(f));

        if (text)
            orma_args_put_str(ret, key, text);
        else
            orma_args_put_uint(ret, key, orma_pb_u64(f));
        return;
    }
    switch ((enum orma_pb_type)def->type) {
    case ORMA_PB_TYPE_INT32:
    case ORMA_PB_TYPE_SFIXED32:
    case ORMA_PB_TYPE_ENUM:
        orma_args_put_int(ret, key, orma_pb_i32(f));
        break;
    case ORMA_PB_TYPE_INT64:
    case ORMA_PB_TYPE_SFIXED64:
        orma_args_put_int(ret, key, orma_pb_i64(f));
        break;
    case ORMA_PB_TYPE_SINT32:
    case ORMA_PB_TYPE_SINT64:
        orma_args_put_int(ret, key, orma_pb_sint(f));
        break;
    case ORMA_PB_TYPE_UINT32:
    case ORMA_PB_TYPE_UINT64:
    case ORMA_PB_TYPE_FIXED32:
    case ORMA_PB_TYPE_FIXED64:
        orma_args_put_uint(ret, key, orma_pb_u64(f));
        break;
    case ORMA_PB_TYPE_BOOL:
        orma_args_put_bool(ret, key, orma_pb_bool(f));
        break;
    case ORMA_PB_TYPE_FLOAT:
        orma_args_put_real(ret, key, (double)orma_pb_float(f));
        break;
    case ORMA_PB_TYPE_DOUBLE:
        orma_args_put_real(ret, key, orma_pb_double(f));
        break;
    case ORMA_PB_TYPE_STRING:
        orma_args_put_str(ret, key, orma_model_str(imp->model, orma_pb_str(f)));
        break;
    case ORMA_PB_TYPE_BYTES:
    case ORMA_PB_TYPE_MESSAGE:
        break;
    }
}

static void put_generic_field(struct orma_import_ctx *imp, struct orma_str bytes,
                              struct orma_args_list *ret)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    uint32_t key = 0;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_GENERIC_FTRACE_EVENT_FIELD_NAME:
            key = orma_model_str(imp->model, orma_pb_str(&f));
            break;
        case ORMA_PB_GENERIC_FTRACE_EVENT_FIELD_STR_VALUE:
            orma_args_put_str(ret, key, orma_model_str(imp->model, orma_pb_str(&f)));
            break;
        case ORMA_PB_GENERIC_FTRACE_EVENT_FIELD_INT_VALUE:
            orma_args_put_int(ret, key, orma_pb_i64(&f));
            break;
        case ORMA_PB_GENERIC_FTRACE_EVENT_FIELD_UINT_VALUE:
            orma_args_put_int(ret, key, orma_pb_i64(&f));
            break;
        }
    }
}

/* A switch has all of its args, whatever its message leaves out. */
static void put_switch_defaults(struct orma_import_ctx *imp, struct orma_args_list *ret)
{
    const struct orma_kernel_state *st = orma_kernel_state(imp);

    orma_args_put_str(ret, st->prev_comm, 0);
    orma_args_put_int(ret, st->prev_pid, 0);
    orma_args_put_int(ret, st->prev_prio, 0);
    orma_args_put_int(ret, st->prev_state, 0);
    orma_args_put_str(ret, st->next_comm, 0);
    orma_args_put_int(ret, st->next_pid, 0);
    orma_args_put_int(ret, st->next_prio, 0);
}

static void put_message(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t event,
                        struct orma_str payload, struct orma_args_list *ret)
{
    const struct orma_kernel_generic_event *g =
        event >= ORMA_FTRACE_FIELDS_MAX ? orma_kernel_generic(imp, event) : NULL;
    const struct orma_ftrace_message *m = g ? NULL : orma_ftrace_message_find(event);
    struct orma_pb_reader r = orma_pb_reader(payload.data, payload.len);
    struct orma_pb_field f;

    if (g)
        orma_kernel_generic_args(imp, g, payload, ret);
    else if (event == ORMA_PB_FTRACE_EVENT_SCHED_SWITCH)
        put_switch_defaults(imp, ret);
    while (m && orma_pb_next(&r, &f)) {
        if (event == ORMA_PB_FTRACE_EVENT_GENERIC) {
            if (f.id == ORMA_PB_GENERIC_FTRACE_EVENT_FIELD)
                put_generic_field(imp, orma_pb_str(&f), ret);
            continue;
        }
        for (unsigned i = 0; i < m->fields_num; i++) {
            const struct orma_ftrace_field *def = orma_ftrace_message_field(m, i);

            if (def->number == f.id) {
                put_field(imp, item, event, def, &f, ret);
                break;
            }
        }
    }
}

static void put_event(struct orma_import_ctx *imp, const struct orma_item *item,
                      struct orma_args_list *ret)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.wire == ORMA_PB_LEN)
            put_message(imp, item, f.id, orma_pb_str(&f), ret);
}

/* The row of _orma_ftrace_prev for a row of the source; ORMA_ROW_NONE: there is none. */
static uint32_t find_prev(const struct orma_table *t, uint32_t row)
{
    uint32_t at =
        ORMA_PARTITION_POINT(i, 0, t->rows, orma_table_int(t, ORMA_FTRACE_PREV_SOURCE, i) < row);

    return at < t->rows && orma_table_int(t, ORMA_FTRACE_PREV_SOURCE, at) == row ? at
                                                                                 : ORMA_ROW_NONE;
}

/* What ran before a switch. `before`: the switch before it in its bundle. */
static void put_previous(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t row,
                         const struct orma_compact_sched *before, struct orma_args_list *ret)
{
    struct orma_kernel_state *st = orma_kernel_state(imp);
    const struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_FTRACE_PREV);
    uint32_t at = find_prev(t, row);

    if (at == ORMA_ROW_NONE) {
        orma_args_put_str(ret, st->prev_comm, orma_kernel_comm(imp, item, before->comm_index));
        orma_args_put_int(ret, st->prev_pid, before->pid);
        orma_args_put_int(ret, st->prev_prio, before->prio);
        return;
    }
    orma_args_put_str(ret, st->prev_comm, (uint32_t)orma_table_int(t, ORMA_FTRACE_PREV_COMM, at));
    orma_args_put_int(ret, st->prev_pid, orma_table_int(t, ORMA_FTRACE_PREV_PID, at));
    orma_args_put_int(ret, st->prev_prio, orma_table_int(t, ORMA_FTRACE_PREV_PRIO, at));
}

static void put_compact(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t row,
                        const struct orma_compact_sched *before, struct orma_args_list *ret)
{
    struct orma_kernel_state *st = orma_kernel_state(imp);
    uint32_t comm = orma_kernel_comm(imp, item, item->sched.comm_index);

    if (item->kind == ORMA_ITEM_SCHED_WAKING) {
        orma_args_put_str(ret, st->comm, comm);
        orma_args_put_int(ret, st->pid, item->sched.pid);
        orma_args_put_int(ret, st->prio, item->sched.prio);
        orma_args_put_int(ret, st->target_cpu, item->sched.target_cpu);
        return;
    }
    put_previous(imp, item, row, before, ret);
    orma_args_put_int(ret, st->prev_state, item->sched.prev_state);
    orma_args_put_str(ret, st->next_comm, comm);
    orma_args_put_int(ret, st->next_pid, item->sched.pid);
    orma_args_put_int(ret, st->next_prio, item->sched.prio);
}

/* The item a row came from, and the compact one before it in its bundle. False: it is not there
 * (memory was out while importing). */
static bool find_item(struct orma_import_ctx *imp, uint32_t row, struct orma_item *ret,
                      struct orma_compact_sched *ret_before)
{
    struct orma_kernel_state *st = orma_kernel_state(imp);
    struct orma_table *src = orma_model_table(imp->model, ORMA_TABLE_FTRACE_SOURCE);
    ORMA_ASSERT(row < src->rows); /* args.source.rows */
    uint32_t bundle = (uint32_t)orma_table_int(src, ORMA_FTRACE_SOURCE_BUNDLE, row);
    uint32_t idx = (uint32_t)orma_table_int(src, ORMA_FTRACE_SOURCE_IDX, row);
    enum orma_item_kind kind =
        (enum orma_item_kind)orma_table_int(src, ORMA_FTRACE_SOURCE_KIND, row);

    if (bundle >= imp->reader->sorter.bundles_num)
        return false;
    const struct orma_kernel_bundle *b = &imp->reader->sorter.bundles[bundle];
    struct orma_args_walk *w = &st->walks[kind & 3][bundle & (ORMA_ARGS_WALKS - 1)];
    if (w->bundle != bundle + 1 || w->cursor.kind != kind || w->cursor.index > idx) {
        orma_bundle_cursor_init(&w->cursor, b, kind);
        w->bundle = bundle + 1;
        w->last = (struct orma_compact_sched){0};
    }
    while (orma_bundle_cursor_next(&w->cursor, b, ret)) {
        *ret_before = w->last;
        if (kind != ORMA_ITEM_FTRACE_EVENT)
            w->last = ret->sched;
        if (ret->index == idx) {
            ret->bundle = bundle;
            return true;
        }
    }
    w->bundle = 0;
    return false;
}

/* Called after the bytes were read: if the file has changed, the args are not those of the row. */
static bool still_there(struct orma_import_ctx *imp)
{
    if (orma_reader_still_there(imp->reader))
        return true;
    imp->model->storage->stale = true;
    return false;
}

bool orma_kernel_decode_args(void *data, uint32_t row, struct orma_args_list *ret)
{
    struct orma_import_ctx *imp = data;
    struct orma_compact_sched before;
    struct orma_item item;

    orma_args_list_clear(ret);
    if (!orma_kernel_state(imp) || !find_item(imp, row, &item, &before))
        return still_there(imp);
    if (item.kind == ORMA_ITEM_FTRACE_EVENT)
        put_event(imp, &item, ret);
    else
        put_compact(imp, &item, row, &before, ret);
    return still_there(imp);
}
