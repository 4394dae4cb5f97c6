/*
 * The hypervisor of protected virtual machines: a slice on a track of the cpu for each time that
 * the cpu was in it. What happens inside says why the cpu entered.
 *
 * The kernel writes these events under two names, with the same fields.
 */
#include "processor/import/kernel/fields.h"
#include "protos/fields/ftrace.h"

static uint32_t hyp_track(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    return orma_kernel_cpu_track(imp, e->machine, "pkvm_hypervisor", "pkVM Hypervisor CPU #",
                                 e->cpu, false);
}

static void hyp_enter(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    orma_slices_begin(&imp->model->slices, e->ts, hyp_track(imp, e),
                      orma_model_lit(imp->model, "pkvm_hyp"), orma_model_lit(imp->model, "hyp"),
                      NULL);
}

static void hyp_exit(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    orma_slices_end(&imp->model->slices, e->ts, hyp_track(imp, e),
                    orma_model_lit(imp->model, "pkvm_hyp"), 0, NULL);
}

/* Fields 1 and 2 of the event under these names. */
static void hyp_reason(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                       const char *reason, const char *first, const char *second)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_str(args, orma_model_lit(imp->model, "hyp_enter_reason"),
                      orma_model_cstr(imp->model, reason));
    orma_args_put_uint(args, orma_model_cstr(imp->model, first), (uint64_t)f.num[1]);
    orma_args_put_uint(args, orma_model_cstr(imp->model, second), (uint64_t)f.num[2]);
    orma_slices_add_args(&imp->model->slices, hyp_track(imp, e),
                         orma_model_lit(imp->model, "pkvm_hyp"), orma_model_lit(imp->model, "hyp"),
                         args);
}

static void host_hcall(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    hyp_reason(imp, e, "host_hcall", "id", "invalid");
}

static void host_smc(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    hyp_reason(imp, e, "host_smc", "id", "forwarded");
}

static void host_mem_abort(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    hyp_reason(imp, e, "host_mem_abort", "esr", "addr");
}

const struct orma_kernel_handler orma_kernel_hyp_handlers[] = {
    {ORMA_PB_FTRACE_EVENT_HYP_ENTER, hyp_enter},
    {ORMA_PB_FTRACE_EVENT_HYP_EXIT, hyp_exit},
    {ORMA_PB_FTRACE_EVENT_HOST_HCALL, host_hcall},
    {ORMA_PB_FTRACE_EVENT_HOST_SMC, host_smc},
    {ORMA_PB_FTRACE_EVENT_HOST_MEM_ABORT, host_mem_abort},
    {ORMA_PB_FTRACE_EVENT_HYPERVISOR_HYP_ENTER, hyp_enter},
    {ORMA_PB_FTRACE_EVENT_HYPERVISOR_HYP_EXIT, hyp_exit},
    {ORMA_PB_FTRACE_EVENT_HYPERVISOR_HOST_HCALL, host_hcall},
    {ORMA_PB_FTRACE_EVENT_HYPERVISOR_HOST_SMC, host_smc},
    {ORMA_PB_FTRACE_EVENT_HYPERVISOR_HOST_MEM_ABORT, host_mem_abort},
    {0, NULL},
};
