/* System calls as slices of the calling thread. */
#include "processor/import/kernel/fields.h"

#include "protos/fields/ftrace.h"
#include "protos/tables/syscalls.h"
#include "sdk/base/map.h"

/* More than any architecture has; what lies above is no number of a call. */
#define CALLS_MAX 550
/* Further args are left out. */
#define ARGS_MAX 16
/* Before an arg, as they are mostly written. */
#define ARG_TAG (ORMA_PB_SYS_ENTER_FTRACE_EVENT_ARGS << 3 | ORMA_PB_VARINT)

/* What each event would have to look up otherwise. Ids of the pool; 0: not needed yet. */
struct orma_kernel_syscalls {
    struct orma_map writing; /* threads inside write(2): the marker they write ends the slice, see
                                orma_kernel_cut_write() */
    uint32_t flat, keys[ARGS_MAX], ret, sigreturn, write;
    struct call_names {
        const struct orma_syscall_table *of;
        uint32_t names[CALLS_MAX];
    } * machines[ORMA_MACHINES_MAX];
};

/* NULL: memory is out. */
static struct orma_kernel_syscalls *state(struct orma_import_ctx *imp)
{
    struct orma_kernel_syscalls *st = orma_model_lazy(
        imp->model, (void **)&orma_kernel(imp)->syscalls, sizeof(struct orma_kernel_syscalls));

    if (st && !st->flat) {
        st->flat = orma_model_cstr(imp->model, "args");
        st->ret = orma_model_cstr(imp->model, "ret");
        st->sigreturn = orma_model_cstr(imp->model, "sys_rt_sigreturn");
        st->write = orma_model_cstr(imp->model, "sys_write");
    }
    return st;
}

static uint32_t new_name(struct orma_import_ctx *imp, const struct orma_syscall_table *t,
                         uint32_t number)
{
    const char *name = t ? orma_syscall_name(t, number) : NULL;

    if (name)
        return orma_model_cstr(imp->model, name);
    return orma_strpool_addf(&imp->model->storage->pool, "sys_%u", number);
}

/* 0: there is no such call. */
static uint32_t call_name(struct orma_import_ctx *imp, struct orma_kernel_syscalls *st,
                          uint16_t machine, uint32_t number)
{
    const struct orma_syscall_table *t = imp->model->machines[machine].syscalls;
    struct call_names *names =
        orma_model_lazy(imp->model, (void **)&st->machines[machine], sizeof(struct call_names));

    if (number >= CALLS_MAX || !names)
        return 0;
    if (names->of != t) /* the architecture became known */
        *names = (struct call_names){.of = t};
    if (!names->names[number])
        names->names[number] = new_name(imp, t, number);
    return names->names[number];
}

static void put_arg(struct orma_import_ctx *imp, struct orma_kernel_syscalls *st, unsigned index,
                    uint64_t val, struct orma_args_list *list)
{
    if (!st->keys[index])
        st->keys[index] = orma_strpool_addf(&imp->model->storage->pool, "args[%u]", index);
    orma_args_put_new(list,
                      (struct orma_args_item){
                          st->flat, st->keys[index], ORMA_ARG_UINT, false, {.i = (int64_t)val}});
}

static void sys_enter(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_pb_reader r = orma_pb_reader(e->payload.data, e->payload.len);
    struct orma_kernel_syscalls *st = state(imp);
    struct orma_pb_field f;
    uint32_t number = 0;
    unsigned index = 0;

    if (!st)
        return;
    ORMA_MODEL_ARGS(list, imp->model);
    for (;;) {
        struct orma_pb_reader packed = {0};
        uint64_t val;

        while (r.pos < r.end && *r.pos == ARG_TAG && index < ARGS_MAX) {
            r.pos++;
            val = orma_pb_varint(&r);
            if (!r.failed)
                put_arg(imp, st, index++, val, list);
        }
        if (!orma_pb_next(&r, &f))
            break;
        if (f.id == ORMA_PB_SYS_ENTER_FTRACE_EVENT_ID)
            number = orma_pb_u32(&f);
        if (f.id != ORMA_PB_SYS_ENTER_FTRACE_EVENT_ARGS)
            continue;
        for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &val) && index < ARGS_MAX;
             index++)
            put_arg(imp, st, index, val, list);
    }
    uint32_t name = call_name(imp, st, e->machine, number);
    if (!name)
        return;
    uint32_t track = orma_model_thread_track(imp->model, e->machine, e->utid);
    /* Returning from a signal handler never comes back. */
    if (name == st->sigreturn) {
        orma_slices_complete(&imp->model->slices, e->ts, 0, track, 0, name, list);
        return;
    }
    orma_slices_begin(&imp->model->slices, e->ts, track, 0, name, list);
    if (name == st->write && orma_map_put(&st->writing, e->utid, name))
        imp->model->storage->failed = true;
}

static void sys_exit(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_pb_reader r = orma_pb_reader(e->payload.data, e->payload.len);
    struct orma_kernel_syscalls *st = state(imp);
    struct orma_pb_field f;
    uint32_t number = 0;
    int64_t ret = 0;

    if (!st)
        return;
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_SYS_EXIT_FTRACE_EVENT_ID)
            number = (uint32_t)orma_pb_i64(&f);
        else if (f.id == ORMA_PB_SYS_EXIT_FTRACE_EVENT_RET)
            ret = orma_pb_i64(&f);
    }
    uint32_t name = call_name(imp, st, e->machine, number);
    if (!name || name == st->sigreturn)
        return;
    /* Cut short by a marker, or begun before the trace. */
    if (name == st->write && orma_map_take(&st->writing, e->utid) == ORMA_MAP_NONE)
        return;
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_int(args, st->ret, ret);
    orma_slices_end(&imp->model->slices, e->ts,
                    orma_model_thread_track(imp->model, e->machine, e->utid), 0, name, args);
}

void orma_kernel_cut_write(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_kernel_syscalls *st = orma_kernel(imp)->syscalls;
    uint64_t name = st ? orma_map_take(&st->writing, e->utid) : ORMA_MAP_NONE;

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
    struct orma_kernel_syscalls *st = orma_kernel(imp)->syscalls;

    if (st)
        orma_map_fini(&st->writing);
}

static const uint16_t no_fields[] = {0};
const struct orma_importer orma_kernel_syscalls_importer = {
    .name = "syscalls", .fields = no_fields, .fini = fini};

const struct orma_kernel_handler orma_kernel_sys_handlers[] = {
    {ORMA_PB_FTRACE_EVENT_SYS_ENTER, sys_enter},
    {ORMA_PB_FTRACE_EVENT_SYS_EXIT, sys_exit},
    {0, NULL},
};
