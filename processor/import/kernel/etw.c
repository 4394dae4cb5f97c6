/*
 * Events of Windows' kernel (ETW): which thread each cpu runs, and who made which thread ready.
 *
 * A bundle holds events of one cpu, each with a time of its own, which is boottime. A switch tells
 * the state in which the thread that leaves was; the names of states are those that Windows has,
 * and "R" for ready, as everything that asks for waits for a cpu knows it. Other kinds of events
 * (files, disks, memory, stacks) are counted as not read.
 */
#include "processor/import/kernel/kernel.h"

#include "protos/fields/trace.h"

/* etw_event_bundle.proto, etw_event.proto, etw.proto */
enum { BUNDLE_CPU = 1, BUNDLE_EVENT };
enum { EVENT_TIMESTAMP = 1, EVENT_C_SWITCH, EVENT_READY_THREAD, EVENT_CPU, EVENT_THREAD_ID };
enum {
    SWITCH_NEW = 1,
    SWITCH_OLD,
    SWITCH_NEW_PRIO,
    SWITCH_OLD_STATE = 8,
    SWITCH_OLD_STATE_INT = 13
};
enum { READY_THREAD = 1 };

/* By number. */
static const char *const states[] = {
    "Initialized", "R", "Running", "Stand-by", "T", "Waiting", "Transition", "Deferred Ready",
};

struct event {
    struct orma_str c_switch, ready_thread; /* data NULL: it is none */
    uint64_t ts;
    uint32_t cpu, tid;
    bool has_ts, has_cpu, has_tid;
};

static struct event read_event(struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct event e = {0};

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case EVENT_TIMESTAMP:
            e.ts = orma_pb_u64(&f);
            e.has_ts = true;
            break;
        case EVENT_CPU:
            e.cpu = orma_pb_u32(&f);
            e.has_cpu = true;
            break;
        case EVENT_THREAD_ID:
            e.tid = orma_pb_u32(&f);
            e.has_tid = true;
            break;
        case EVENT_C_SWITCH:
            e.c_switch = orma_pb_str(&f);
            break;
        case EVENT_READY_THREAD:
            e.ready_thread = orma_pb_str(&f);
            break;
        }
    }
    return e;
}

/* ---- rows ---- */

static uint32_t thread_of(struct orma_import_ctx *imp, uint16_t machine, uint32_t tid)
{
    struct orma_processes *procs = orma_model_processes(imp->model, machine);

    return orma_processes_thread(procs, orma_processes_tid(procs, tid));
}

/* 0: not told, or no state of Windows. */
static uint32_t state_text(struct orma_import_ctx *imp, uint16_t machine, int64_t state)
{
    if (state >= 0 && state < (int64_t)ORMA_ARRAY_LEN(states))
        return orma_model_cstr(imp->model, states[state]);
    if (state != -1)
        orma_stats_inc(orma_model_stats(imp->model, machine), ORMA_STAT_TASK_STATE_INVALID);
    return 0;
}

static void on_switch(struct orma_import_ctx *imp, const struct orma_item *item,
                      const struct event *e)
{
    struct orma_pb_reader r = orma_pb_reader(e->c_switch.data, e->c_switch.len);
    struct orma_sched_cpu_state *cpu = orma_sched_cpu(imp->model, item->machine, e->cpu);
    struct orma_pb_field f;
    uint32_t new_tid = 0, old_tid = 0;
    int32_t prio = 0;
    int64_t state = -1;

    while (orma_pb_next(&r, &f)) {
        if (f.id == SWITCH_NEW)
            new_tid = orma_pb_u32(&f);
        else if (f.id == SWITCH_OLD)
            old_tid = orma_pb_u32(&f);
        else if (f.id == SWITCH_NEW_PRIO)
            prio = (int32_t)orma_pb_sint(&f);
        else if (f.id == SWITCH_OLD_STATE)
            state = orma_pb_i32(&f);
        else if (f.id == SWITCH_OLD_STATE_INT)
            state = orma_pb_sint(&f);
    }
    if (!cpu) {
        orma_stats_inc(orma_model_stats(imp->model, item->machine), ORMA_STAT_TASK_STATE_INVALID);
        return;
    }
    uint32_t old = thread_of(imp, item->machine, old_tid);
    uint32_t new = thread_of(imp, item->machine, new_tid);
    uint32_t text = state_text(imp, item->machine, state);
    if (cpu->sched_row != ORMA_ROW_NONE && cpu->known)
        orma_sched_end_slice(imp->model, cpu->sched_row, item->ts, cpu->utid == old ? text : 0);
    *cpu =
        (struct orma_sched_cpu_state){.known = true,
                                      .pid = new_tid,
                                      .utid = new,
                                      .prio = prio,
                                      .sched_row = orma_sched_start_slice(
                                          imp->model, item->machine, item->ts, e->cpu, new, prio)};
    orma_sched_states(imp->model, item->machine, item->ts, e->cpu, old, text, new);
}

static void on_ready(struct orma_import_ctx *imp, const struct orma_item *item,
                     const struct event *e)
{
    struct orma_pb_reader r = orma_pb_reader(e->ready_thread.data, e->ready_thread.len);
    struct orma_pb_field f;
    uint32_t tid = 0;

    while (orma_pb_next(&r, &f))
        if (f.id == READY_THREAD)
            tid = orma_pb_u32(&f);
    orma_sched_waking(imp->model, item->machine, item->ts, thread_of(imp, item->machine, tid),
                      e->has_tid ? thread_of(imp, item->machine, e->tid) : ORMA_ID_NONE, -1);
}

static void parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct event e = read_event((struct orma_str){(const char *)item->data, item->len});

    if (!e.has_cpu)
        e.cpu = (uint32_t)item->aux;
    if (e.c_switch.data)
        on_switch(imp, item, &e);
    if (e.ready_thread.data)
        on_ready(imp, item, &e);
}

/* ---- events of a bundle, for the sorter ---- */

static void push(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                 const struct orma_pb_field *f, uint32_t cpu, uint64_t index, uint64_t *left_out)
{
    const struct orma_str bytes = orma_pb_str(f);
    const struct event e = read_event(bytes);
    struct orma_item item = {
        .ts = ctx->ts,
        .order = ctx->order + ORMA_MIN(index, ORMA_ORDER_STEP - 1),
        .data = (const uint8_t *)bytes.data,
        .len = (uint32_t)bytes.len,
        .field = ORMA_PB_TRACE_PACKET_ETW_EVENTS,
        .kind = ORMA_ITEM_PACKET,
        .machine = ctx->machine,
        .gen = ctx->seq->gen,
        .aux = cpu,
    };

    if (!e.c_switch.data && !e.ready_thread.data) {
        ++*left_out;
        return;
    }
    if (e.has_ts && !orma_import_inner_time(imp, ctx->machine, ORMA_CLOCK_BOOTTIME, (int64_t)e.ts,
                                            "events of Windows", &item.ts))
        return;
    if (orma_reader_sortable(imp->reader, item.ts))
        orma_sorter_push(&imp->reader->sorter, &item);
}

static bool tokenize(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len), again = r;
    struct orma_pb_field f;
    uint64_t index = 0, left_out = 0;
    uint32_t cpu = 0;

    while (orma_pb_next(&r, &f))
        if (f.id == BUNDLE_CPU)
            cpu = orma_pb_u32(&f);
    while (orma_pb_next(&again, &f))
        if (f.id == BUNDLE_EVENT)
            push(imp, ctx, &f, cpu, index++, &left_out);
    if (left_out) {
        struct orma_account *account = orma_kernel_account(imp);

        orma_account_begin(account, left_out);
        (void)orma_account_skipped(account, imp->model, ORMA_ACCOUNT_NOT_READ,
                                   orma_model_cstr(imp->model, "events of Windows"), left_out,
                                   orma_import_packet_offset(imp, ctx));
    }
    return true;
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_ETW_EVENTS, 0};
const struct orma_importer orma_kernel_etw_importer = {
    .name = "etw", .fields = fields, .tokenize = tokenize, .parse = parse};
