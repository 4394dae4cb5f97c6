/* System calls as slices of the calling thread. */
#include "processor/import/kernel/fields.h"

#include "protos/fields/ftrace.h"
#include "protos/tables/syscalls.h"
#include "sdk/base/map.h"

/* Threads inside write(2): the marker they write ends the slice, see orma_kernel_cut_write(). */
static struct orma_map *writing(struct orma_import_ctx *imp)
{
    return orma_model_lazy(imp->model, (void **)&orma_kernel(imp)->syscalls,
                           sizeof(struct orma_map));
}

/* More than any architecture has; what lies above is no number of a call. */
#define CALLS_MAX 550

/* 0: there is no such call. */
static uint32_t call_name(struct orma_import_ctx *imp, uint16_t machine, uint32_t number)
{
    const struct orma_syscall_table *t = imp->model->machines[machine].syscalls;

    if (number >= CALLS_MAX)
        return 0;
    if (t && number < t->names_num && t->names[number])
        return orma_model_cstr(imp->model, t->names[number]);
    return orma_strpool_addf(&imp->model->storage->pool, "sys_%u", number);
}

static bool is(struct orma_import_ctx *imp, uint32_t name, const char *text)
{
    return !strcmp(orma_strpool_cstr(&imp->model->storage->pool, name), text);
}

static void sys_enter(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_pb_reader r = orma_pb_reader(e->payload.data, e->payload.len);
    struct orma_pb_field f;
    uint32_t number = 0;
    unsigned index = 0;
    uint32_t flat = orma_model_lit(imp->model, "args");

    ORMA_MODEL_ARGS(list, imp->model);
    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader packed = {0};
        uint64_t val;

        if (f.id == ORMA_PB_SYS_ENTER_FTRACE_EVENT_ID)
            number = orma_pb_u32(&f);
        if (f.id != ORMA_PB_SYS_ENTER_FTRACE_EVENT_ARGS)
            continue;
        for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &val) && index < 16;) {
            uint32_t key = orma_strpool_addf(&imp->model->storage->pool, "args[%u]", index++);

            orma_args_put(list, (struct orma_args_item){
                                    flat, key, ORMA_ARG_UINT, false, {.i = (int64_t)val}});
        }
    }
    uint32_t name = call_name(imp, e->machine, number);
    if (!name)
        return;
    uint32_t track = orma_model_thread_track(imp->model, e->machine, e->utid);
    /* Returning from a signal handler never comes back. */
    if (is(imp, name, "sys_rt_sigreturn")) {
        orma_slices_complete(&imp->model->slices, e->ts, 0, track, 0, name, list);
        return;
    }
    orma_slices_begin(&imp->model->slices, e->ts, track, 0, name, list);
    struct orma_map *w = is(imp, name, "sys_write") ? writing(imp) : NULL;
    if (w && orma_map_put(w, e->utid, name))
        imp->model->storage->failed = true;
}

static void sys_exit(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint32_t name = call_name(imp, e->machine, (uint32_t)f.num[ORMA_PB_SYS_EXIT_FTRACE_EVENT_ID]);
    if (!name || is(imp, name, "sys_rt_sigreturn"))
        return;
    if (is(imp, name, "sys_write")) {
        struct orma_map *w = writing(imp);

        if (!w || orma_map_take(w, e->utid) == ORMA_MAP_NONE)
            return; /* cut short by a marker, or begun before the trace */
    }
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_int(args, orma_model_lit(imp->model, "ret"),
                      f.num[ORMA_PB_SYS_EXIT_FTRACE_EVENT_RET]);
    orma_slices_end(&imp->model->slices, e->ts,
                    orma_model_thread_track(imp->model, e->machine, e->utid), 0, name, args);
}

void orma_kernel_cut_write(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_map *w = orma_kernel(imp)->syscalls;
    uint64_t name = w ? orma_map_take(w, e->utid) : ORMA_MAP_NONE;

    if (name == ORMA_MAP_NONE)
        return;
    orma_slices_end(&imp->model->slices, e->ts,
                    orma_model_thread_track(imp->model, e->machine, e->utid), 0, (uint32_t)name,
                    NULL);
    orma_stats_inc(orma_model_stats(imp->model, e->machine),
                   ORMA_STAT_TRUNCATED_SYS_WRITE_DURATION);
}

static void fini(struct orma_import_ctx *imp)
{
    if (orma_kernel(imp)->syscalls)
        orma_map_fini(orma_kernel(imp)->syscalls);
}

static const uint16_t no_fields[] = {0};
const struct orma_importer orma_kernel_syscalls_importer = {
    .name = "syscalls", .fields = no_fields, .fini = fini};

const struct orma_kernel_handler orma_kernel_sys_handlers[] = {
    {ORMA_PB_FTRACE_EVENT_SYS_ENTER, sys_enter},
    {ORMA_PB_FTRACE_EVENT_SYS_EXIT, sys_exit},
    {0, NULL},
};
