/* The module: the tables of handlers, and what the module does for others. */
#include "processor/import/kernel/kernel.h"

/* A new family of events is a row here and a file with its table. */
static const struct orma_kernel_handler *const families[] = {
    orma_kernel_sched_handlers,   orma_kernel_print_handlers, orma_kernel_irq_handlers,
    orma_kernel_sys_handlers,     orma_kernel_power_handlers, orma_kernel_mem_handlers,
    orma_kernel_net_handlers,     orma_kernel_misc_handlers,  orma_kernel_gpu_handlers,
    orma_kernel_devices_handlers, orma_kernel_media_handlers, orma_kernel_binder_handlers,
    orma_kernel_android_handlers, orma_kernel_hyp_handlers,   NULL,
};

static bool handle(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    const struct orma_kernel_state *st = orma_kernel_state(imp);

    if (!st || e->field >= ORMA_FTRACE_FIELDS_MAX || !st->handlers[e->field])
        return false;
    st->handlers[e->field](imp, e);
    return true;
}

static void offer(struct orma_ports *ports, struct orma_import_ctx *self)
{
    orma_kernel(self)->families = families;
    ports->kernel = (struct orma_kernel_port){
        .module = self,
        .set_tracing_start = orma_kernel_set_tracing_start,
        .preserve = orma_kernel_preserve,
        .marker = orma_kernel_parse_marker,
        .handle = handle,
        .add_row = orma_kernel_add_row,
    };
}

static uint32_t source_rows(void *data)
{
    const struct orma_import_ctx *imp = data;

    return orma_model_table(imp->model, ORMA_TABLE_FTRACE_SOURCE)->rows;
}

/* Args of kernel events are made from the trace when they are asked for (args.c). */
static int start(struct orma_import_ctx *imp)
{
    imp->model->storage->args.source.data = imp;
    imp->model->storage->args.source.decode = orma_kernel_decode_args;
    imp->model->storage->args.source.rows = source_rows;
    return 0;
}

const struct orma_import_module orma_kernel_module = {
    .name = "kernel", .state_size = sizeof(struct orma_kernel), .offer = offer, .start = start};
