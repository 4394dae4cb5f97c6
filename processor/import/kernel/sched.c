/*
 * Scheduling events: switches and wakings, in compact form or as events of their own, and the
 * life of tasks. What they mean for rows is in model/sched.c.
 */
#include "processor/import/kernel/kernel.h"

#include "processor/model/sched.h"
#include "protos/fields/ftrace.h"

#define CLONE_THREAD_FLAG 0x00010000u

/* ---- switches ---- */

/* What ran before a switch follows from the switch before it, but the name may have changed since:
 * kept where the args of the previous switch differ. */
static void note_previous(struct orma_import_ctx *imp, const struct orma_item *item,
                          const struct orma_sched_cpu_state *prev, uint32_t row)
{
    uint32_t comm = (uint32_t)orma_table_int(orma_model_table(imp->model, ORMA_TABLE_THREAD),
                                             ORMA_THREAD_NAME, prev->utid);
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_FTRACE_PREV);

    if (row == ORMA_ROW_NONE || (ORMA_LIKELY(prev->bundle == item->bundle + 1) &&
                                 prev->index + 1 == item->index && comm == prev->comm))
        return;
    uint32_t at = orma_table_add(t);
    orma_table_set(t, ORMA_FTRACE_PREV_SOURCE, at, row);
    orma_table_set(t, ORMA_FTRACE_PREV_COMM, at, comm);
    orma_table_set(t, ORMA_FTRACE_PREV_PID, at, prev->pid);
    orma_table_set(t, ORMA_FTRACE_PREV_PRIO, at, prev->prio);
}

static void parse_compact_switch(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_kernel_state *st = orma_kernel_state(imp);
    uint32_t cpu = imp->reader->sorter.bundles[item->bundle].cpu;
    struct orma_sched_cpu_state *c = orma_sched_cpu(imp->model, item->machine, cpu);
    struct orma_sched_cpu_state prev;

    if (!c || orma_kernel_too_early(imp, item->machine, item->ts)) {
        orma_kernel_turn_early(imp, item);
        return;
    }
    bool raw_only = orma_kernel_raw_only(imp, item->machine, item->ts);
    uint32_t comm = orma_kernel_comm(imp, item, item->sched.comm_index);
    uint32_t utid = orma_sched_named_thread(imp->model, item->machine, item->sched.pid, comm);
    const bool repeated =
        orma_sched_is_repeated(imp->model, item->machine, c, item->ts, item->sched.pid);
    prev = *c;
    *c = (struct orma_sched_cpu_state){.known = true,
                                       .ts = item->ts,
                                       .trace = imp->model->trace_row,
                                       .pid = item->sched.pid,
                                       .utid = utid,
                                       .prio = item->sched.prio,
                                       .comm = comm,
                                       .sched_row = repeated ? prev.sched_row : ORMA_ROW_NONE,
                                       .bundle = item->bundle + 1,
                                       .index = item->index};
    if (!prev.known) {
        orma_stats_inc(orma_model_stats(imp->model, item->machine),
                       ORMA_STAT_COMPACT_SCHED_SWITCH_SKIPPED);
        return;
    }
    uint32_t row = orma_kernel_add_row(imp, item, st->sched_switch, prev.utid, 0, cpu);
    note_previous(imp, item, &prev, row);
    if (raw_only || repeated)
        return;
    uint32_t state = orma_sched_state_text(imp->model, item->machine, item->sched.prev_state);
    orma_sched_end_slice(imp->model, prev.sched_row, item->ts, state);
    c->sched_row =
        orma_sched_start_slice(imp->model, item->machine, item->ts, cpu, utid, item->sched.prio);
    orma_sched_states(imp->model, item->machine, item->ts, cpu, prev.utid, state, utid);
}

static void parse_compact_waking(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_kernel_state *st = orma_kernel_state(imp);
    uint32_t cpu = imp->reader->sorter.bundles[item->bundle].cpu;
    struct orma_sched_cpu_state *c = orma_sched_cpu(imp->model, item->machine, cpu);

    if (!c || orma_kernel_too_early(imp, item->machine, item->ts)) {
        orma_kernel_turn_early(imp, item);
        return;
    }
    bool raw_only = orma_kernel_raw_only(imp, item->machine, item->ts);
    if (!c->known) {
        orma_stats_inc(orma_model_stats(imp->model, item->machine),
                       ORMA_STAT_COMPACT_SCHED_WAKING_SKIPPED);
        orma_kernel_turn(
            imp, item, ORMA_ACCOUNT_NOT_ASKED,
            orma_model_cstr(imp->model, "wakings before the first switch of their CPU"));
        return;
    }
    orma_kernel_add_row(imp, item, st->sched_waking, c->utid, item->sched.common_flags, cpu);
    if (raw_only)
        return;
    uint32_t utid =
        orma_processes_thread(orma_model_processes(imp->model, item->machine), item->sched.pid);
    orma_sched_waking(imp->model, item->machine, item->ts, utid, c->utid, item->sched.common_flags);
}

/* A name that is not told names nobody. */
static uint32_t name_of(struct orma_import_ctx *imp, struct orma_str comm)
{
    return comm.data ? orma_model_str(imp->model, comm) : 0;
}

struct switch_fields {
    struct orma_str prev_comm, next_comm;
    uint32_t prev_pid, next_pid;
    int32_t next_prio;
    int64_t prev_state;
};

static struct switch_fields read_switch(struct orma_str payload)
{
    struct orma_pb_reader r = orma_pb_reader(payload.data, payload.len);
    struct orma_pb_field f;
    struct switch_fields s = {{NULL, 0}, {NULL, 0}, 0, 0, 0, 0};

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_COMM:
            s.prev_comm = orma_pb_str(&f);
            break;
        case ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_COMM:
            s.next_comm = orma_pb_str(&f);
            break;
        case ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_PID:
            s.prev_pid = orma_pb_u32(&f);
            break;
        case ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PID:
            s.next_pid = orma_pb_u32(&f);
            break;
        case ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PRIO:
            s.next_prio = orma_pb_i32(&f);
            break;
        case ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_STATE:
            s.prev_state = orma_pb_i64(&f);
            break;
        }
    }
    return s;
}

static void on_switch(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_kernel_state *st = orma_kernel_state(imp);
    struct switch_fields s = read_switch(e->payload);

    orma_sched_switch(imp->model, e->machine, e->ts, e->cpu, s.prev_pid, name_of(imp, s.prev_comm),
                      s.prev_state, s.next_pid, name_of(imp, s.next_comm), s.next_prio);
    orma_kernel_add_row(
        imp, e->item, st->sched_switch,
        orma_processes_thread(orma_model_processes(imp->model, e->machine), s.prev_pid),
        e->common_flags, e->cpu);
}

/* Who is woken. Wakings are followed by wake-ups, which say nothing new. */
static uint32_t read_woken(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_pb_reader r = orma_pb_reader(e->payload.data, e->payload.len);
    struct orma_pb_field f;
    struct orma_str comm = {NULL, 0};
    uint32_t pid = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_SCHED_WAKING_FTRACE_EVENT_PID)
            pid = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_SCHED_WAKING_FTRACE_EVENT_COMM)
            comm = orma_pb_str(&f);
    }
    return orma_sched_named_thread(imp->model, e->machine, pid, name_of(imp, comm));
}

static void on_waking(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    uint32_t utid = read_woken(imp, e);

    orma_sched_waking(imp->model, e->machine, e->ts, utid, e->utid,
                      e->has_flags ? (int64_t)e->common_flags : -1);
}

/* ---- tasks ---- */

static void on_newtask(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_processes *procs = orma_model_processes(imp->model, e->machine);
    struct orma_pb_reader r = orma_pb_reader(e->payload.data, e->payload.len);
    struct orma_pb_field f;
    struct orma_str comm = {NULL, 0};
    uint32_t pid = 0, utid, parent = e->utid;
    uint64_t flags = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TASK_NEWTASK_FTRACE_EVENT_PID)
            pid = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_TASK_NEWTASK_FTRACE_EVENT_COMM)
            comm = orma_pb_str(&f);
        else if (f.id == ORMA_PB_TASK_NEWTASK_FTRACE_EVENT_CLONE_FLAGS)
            flags = orma_pb_u64(&f);
    }
    if (!pid) /* an idle thread, of which there is one per cpu */
        return;
    uint32_t name = name_of(imp, comm);
    if (flags & CLONE_THREAD_FLAG) {
        utid = orma_processes_start_thread(procs, e->ts, pid);
        orma_processes_name_thread(procs, utid, name, ORMA_THREAD_NAME_FTRACE);
        orma_processes_link(procs, e->utid, utid);
    } else {
        orma_processes_start(procs, e->ts, e->pid, pid, name, ORMA_THREAD_NAME_FTRACE);
        utid = orma_processes_thread(procs, pid);
        parent = orma_processes_thread(procs, e->pid); /* the tid may be the same */
    }
    orma_sched_new_task(imp->model, e->machine, e->ts, utid, parent);
}

static void on_rename(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_processes *procs = orma_model_processes(imp->model, e->machine);
    struct orma_pb_reader r = orma_pb_reader(e->payload.data, e->payload.len);
    struct orma_pb_field f;
    struct orma_str comm = {NULL, 0};
    uint32_t pid = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TASK_RENAME_FTRACE_EVENT_PID)
            pid = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_TASK_RENAME_FTRACE_EVENT_NEWCOMM)
            comm = orma_pb_str(&f);
    }
    uint32_t name = name_of(imp, comm);
    uint32_t utid = orma_sched_named_thread(imp->model, e->machine, pid, name);
    uint32_t upid = orma_processes_upid(procs, utid);
    if (upid != ORMA_ID_NONE && orma_table_int(orma_model_table(imp->model, ORMA_TABLE_THREAD),
                                               ORMA_THREAD_IS_MAIN_THREAD, utid))
        orma_processes_name_process(procs, upid, name, ORMA_PROCESS_NAME_SYSTEM);
}

static void on_free(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_pb_reader r = orma_pb_reader(e->payload.data, e->payload.len);
    struct orma_pb_field f;
    uint32_t pid = 0;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_SCHED_PROCESS_FREE_FTRACE_EVENT_PID)
            pid = orma_pb_u32(&f);
    orma_processes_end_thread(orma_model_processes(imp->model, e->machine), e->ts, pid);
}

static void on_blocked_reason(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_pb_reader r = orma_pb_reader(e->payload.data, e->payload.len);
    struct orma_pb_field f;
    uint32_t pid = 0, function = 0;
    int io_wait = -1;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_SCHED_BLOCKED_REASON_FTRACE_EVENT_PID)
            pid = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_SCHED_BLOCKED_REASON_FTRACE_EVENT_IO_WAIT)
            io_wait = orma_pb_bool(&f);
        else if (f.id == ORMA_PB_SCHED_BLOCKED_REASON_FTRACE_EVENT_CALLER)
            function = orma_kernel_lookup_symbol(imp, e->item, orma_pb_u64(&f));
    }
    orma_sched_blocked(imp->model,
                       orma_processes_thread(orma_model_processes(imp->model, e->machine), pid),
                       io_wait, function);
}

const struct orma_kernel_handler orma_kernel_sched_handlers[] = {
    {ORMA_PB_FTRACE_EVENT_SCHED_SWITCH, on_switch},
    {ORMA_PB_FTRACE_EVENT_SCHED_WAKING, on_waking},
    {ORMA_PB_FTRACE_EVENT_TASK_NEWTASK, on_newtask},
    {ORMA_PB_FTRACE_EVENT_TASK_RENAME, on_rename},
    {ORMA_PB_FTRACE_EVENT_SCHED_PROCESS_FREE, on_free},
    {ORMA_PB_FTRACE_EVENT_SCHED_BLOCKED_REASON, on_blocked_reason},
    {0, NULL},
};

const struct orma_importer orma_kernel_sched_importer = {
    .name = "compact_sched",
    .parse_kind = {[ORMA_ITEM_SCHED_SWITCH] = parse_compact_switch,
                   [ORMA_ITEM_SCHED_WAKING] = parse_compact_waking}};
