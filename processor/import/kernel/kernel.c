/* The room: the tables of handlers, and what the room does for others. */
#include "processor/import/kernel/kernel.h"

/* A new family of events is a row here and a file with its table. */
static const struct orma_ftrace_handler *const families[] = {
    orma_ftrace_handlers_sched,   orma_ftrace_handlers_print,
    orma_ftrace_handlers_irq,     orma_ftrace_handlers_sys,
    orma_ftrace_handlers_power,   orma_ftrace_handlers_mem,
    orma_ftrace_handlers_net,     orma_ftrace_handlers_misc,
    orma_ftrace_handlers_gpu,     orma_ftrace_handlers_devices,
    orma_ftrace_handlers_media,   orma_ftrace_handlers_binder,
    orma_ftrace_handlers_android, NULL,
};

static bool handle(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    const struct orma_ftrace_state *st = orma_ftrace_state(imp);

    if (!st || e->field >= ORMA_FTRACE_FIELDS_MAX || !st->handlers[e->field])
        return false;
    st->handlers[e->field](imp, e);
    return true;
}

/* Rows of others need args as well: the state makes them. */
static uint32_t add_row(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t name,
                        uint32_t utid, uint32_t common_flags, uint32_t cpu)
{
    return orma_ftrace_state(imp) ? orma_ftrace_add_row(imp, item, name, utid, common_flags, cpu)
                                  : ORMA_ROW_NONE;
}

static void offer(struct orma_ports *ports, struct orma_import_ctx *self)
{
    orma_kernel(self)->families = families;
    ports->kernel = (struct orma_kernel_port){
        .room = self,
        .set_tracing_start = orma_ftrace_set_tracing_start,
        .preserve = orma_ftrace_preserve,
        .marker = orma_ftrace_parse_marker,
        .handle = handle,
        .add_row = add_row,
    };
}

const struct orma_import_room orma_kernel_room = {
    .name = "kernel", .state_size = sizeof(struct orma_kernel), .offer = offer};
