/* Names of kernel functions: events hold ids of interned symbols. */
#include "processor/import/kernel/kernel.h"

#include "protos/fields/ftrace.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/profiling.h"

uint32_t orma_kernel_symbol(struct orma_import_ctx *imp, const struct orma_seq_gen *gen,
                            uint64_t iid)
{
    struct orma_interned *e =
        gen ? orma_seq_gen_find(gen, ORMA_PB_INTERNED_DATA_KERNEL_SYMBOLS, iid) : NULL;

    if (!e)
        return 0;
    if (!e->cache) {
        struct orma_pb_reader r = orma_pb_reader(e->data, e->len);
        struct orma_pb_field f;

        while (orma_pb_next(&r, &f))
            if (f.id == ORMA_PB_INTERNED_STRING_STR)
                e->cache = orma_model_str(imp->model, orma_pb_str(&f)) + 1;
    }
    return e->cache ? e->cache - 1 : 0;
}

uint32_t orma_kernel_lookup_symbol(struct orma_import_ctx *imp, const struct orma_item *item,
                                   uint64_t iid)
{
    uint32_t text = orma_kernel_symbol(imp, item->gen, iid);

    if (!text)
        orma_stats_inc(orma_model_stats(imp->model, item->machine),
                       ORMA_STAT_INTERNED_DATA_TOKENIZER_ERRORS);
    return text;
}

/* Fields that hold the id of an interned kernel symbol. */
static const struct {
    uint16_t event;
    uint8_t field;
} symbol_fields[] = {
    {ORMA_PB_FTRACE_EVENT_SCHED_BLOCKED_REASON, ORMA_PB_SCHED_BLOCKED_REASON_FTRACE_EVENT_CALLER},
    {ORMA_PB_FTRACE_EVENT_WORKQUEUE_EXECUTE_START,
     ORMA_PB_WORKQUEUE_EXECUTE_START_FTRACE_EVENT_FUNCTION},
    {ORMA_PB_FTRACE_EVENT_WORKQUEUE_EXECUTE_END,
     ORMA_PB_WORKQUEUE_EXECUTE_END_FTRACE_EVENT_FUNCTION},
    {ORMA_PB_FTRACE_EVENT_WORKQUEUE_QUEUE_WORK, ORMA_PB_WORKQUEUE_QUEUE_WORK_FTRACE_EVENT_FUNCTION},
    {ORMA_PB_FTRACE_EVENT_FUNCGRAPH_ENTRY, ORMA_PB_FUNCGRAPH_ENTRY_FTRACE_EVENT_FUNC},
    {ORMA_PB_FTRACE_EVENT_FUNCGRAPH_EXIT, ORMA_PB_FUNCGRAPH_EXIT_FTRACE_EVENT_FUNC},
    {ORMA_PB_FTRACE_EVENT_HRTIMER_EXPIRE_ENTRY, ORMA_PB_HRTIMER_EXPIRE_ENTRY_FTRACE_EVENT_FUNCTION},
    {ORMA_PB_FTRACE_EVENT_WORKQUEUE_ACTIVATE_WORK,
     ORMA_PB_WORKQUEUE_ACTIVATE_WORK_FTRACE_EVENT_FUNCTION},
    {ORMA_PB_FTRACE_EVENT_MM_SHRINK_SLAB_START, ORMA_PB_MM_SHRINK_SLAB_START_FTRACE_EVENT_SHRINK},
};

void orma_kernel_symbol_fields(uint8_t fields[ORMA_FTRACE_FIELDS_MAX])
{
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(symbol_fields); i++)
        fields[symbol_fields[i].event] = symbol_fields[i].field;
}

void orma_kernel_check_symbol(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                              uint32_t field)
{
    struct orma_pb_reader r = orma_pb_reader(e->payload.data, e->payload.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == field)
            (void)orma_kernel_lookup_symbol(imp, e->item, orma_pb_u64(&f));
}
