/*
 * Kernel events in sorted order: each becomes a row of ftrace_event, then the handler of its field
 * runs.
 */
#include "processor/import/kernel/kernel.h"

#include "protos/fields/ftrace.h"
#include "protos/tables/ftrace_events.h"

static uint32_t event_name(struct orma_import_ctx *imp, struct orma_kernel_state *st,
                           uint32_t field)
{
    if (ORMA_LIKELY(st->names[field]))
        return st->names[field];
    const struct orma_ftrace_message *m = orma_ftrace_message_find(field);
    return st->names[field] = m ? orma_model_cstr(imp->model, orma_ftrace_name(m->name)) : 0;
}

ORMA_COLD void orma_kernel_turn(struct orma_import_ctx *imp, const struct orma_item *item,
                                enum orma_account_reason reason, uint32_t kind)
{
    if (imp->accounts)
        orma_account_turn(orma_kernel_account(imp), imp->model, reason, kind, 1,
                          orma_import_item_offset(imp, item));
}

ORMA_COLD void orma_kernel_turn_early(struct orma_import_ctx *imp, const struct orma_item *item)
{
    orma_kernel_turn(imp, item, ORMA_ACCOUNT_NOT_ASKED,
                     orma_model_cstr(imp->model, "kernel events from before the recording began"));
}

/* Of a kind that neither we nor the trace have a name for. */
ORMA_COLD static void turn_unknown(struct orma_import_ctx *imp, const struct orma_item *item,
                                   uint32_t field)
{
    orma_kernel_turn(imp, item, ORMA_ACCOUNT_NOT_READ,
                     orma_strpool_addf(&imp->model->storage->pool,
                                       "kernel events with field number %u", (unsigned)field));
}

/* False: the event names no thread, or nothing happens in it, which is counted. */
static bool read_event(struct orma_import_ctx *imp, const struct orma_item *item,
                       struct orma_kernel_event *ret)
{
    const struct orma_kernel_head *head = &item->event;
    struct orma_kernel_head own;

    if (!head->is_read) {
        orma_bundle_event_head((struct orma_str){(const char *)item->data, item->len}, &own);
        head = &own;
    }
    *ret = (struct orma_kernel_event){.ts = item->ts,
                                      .machine = item->machine,
                                      .pid = head->pid,
                                      .common_flags = head->common_flags,
                                      .has_flags = head->has_flags,
                                      .field = head->field,
                                      .payload = head->payload,
                                      .item = item};
    if (ORMA_UNLIKELY(!ret->field))
        orma_stats_inc(orma_model_stats(imp->model, item->machine),
                       ORMA_STAT_FTRACE_MISSING_EVENT_ID);
    if (ORMA_LIKELY(!head->malformed && ret->field && head->has_pid))
        return true;
    orma_kernel_turn(imp, item, ORMA_ACCOUNT_DAMAGED,
                     orma_model_cstr(imp->model, head->malformed ? "kernel events"
                                                 : ret->field    ? "kernel events without a pid"
                                                              : "kernel events without contents"));
    return false;
}

static void parse_event(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_kernel_state *st = orma_kernel_state(imp);
    const struct orma_kernel_generic_event *generic = NULL;
    struct orma_kernel_event e;
    uint32_t name;

    if (ORMA_UNLIKELY(orma_kernel_too_early(imp, item->machine, item->ts))) {
        orma_kernel_turn(
            imp, item, ORMA_ACCOUNT_NOT_ASKED,
            orma_model_cstr(imp->model, "kernel events from before the recording began"));
        return;
    }
    if (!read_event(imp, item, &e))
        return;
    ORMA_ASSERT_HOT(st && item->bundle < imp->reader->sorter.bundles_num);
    e.cpu = imp->reader->sorter.bundles[item->bundle].cpu;
    bool raw_only = orma_kernel_raw_only(imp, item->machine, item->ts);
    if (ORMA_UNLIKELY(e.field >= ORMA_FTRACE_FIELDS_MAX)) {
        generic = orma_kernel_generic(imp, e.field);
        name = generic ? generic->name : 0;
    } else if (ORMA_UNLIKELY(e.field == ORMA_PB_FTRACE_EVENT_GENERIC)) {
        name = orma_kernel_generic_name(imp, e.payload);
    } else {
        name = event_name(imp, st, e.field);
    }
    if (generic && !raw_only) /* its process comes before the thread */
        orma_kernel_generic_parse(imp, generic, &e);
    if (e.field != ORMA_PB_FTRACE_EVENT_SCHED_SWITCH) {
        e.utid = orma_processes_thread(orma_model_processes(imp->model, e.machine), e.pid);
        orma_kernel_add_row(imp, item, name, e.utid, e.common_flags, e.cpu);
        if (ORMA_UNLIKELY(!name))
            turn_unknown(imp, item, e.field);
    }
    if (e.field < ORMA_FTRACE_FIELDS_MAX && ORMA_UNLIKELY(st->symbol_fields[e.field]) &&
        !imp->options->no_ftrace_raw)
        orma_kernel_check_symbol(imp, &e, st->symbol_fields[e.field]);
    if (!raw_only && e.field < ORMA_FTRACE_FIELDS_MAX && st->handlers[e.field])
        st->handlers[e.field](imp, &e);
}

const struct orma_importer orma_kernel_event_importer = {
    .name = "ftrace_event", .parse_kind = {[ORMA_ITEM_FTRACE_EVENT] = parse_event}};
