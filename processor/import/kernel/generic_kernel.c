/*
 * Kernels other than Linux, by what all kernels have in common: states of
 * threads, names, frequencies, the tree of processes.
 *
 * A thread's states come one by one, each with the cpu. "Running" also ends
 * what ran on that cpu before; how that thread left the cpu is in its own
 * next event, which then belongs to the slice that was ended.
 */
#include "processor/import/kernel/kernel.h"

#include "protos/fields/generic_kernel.h"
#include "protos/fields/trace.h"

/* By number. The letters are those of Linux. */
static const char *const states[] = {
    "invalid", "created", "R", "Running", "S", "D", "T", "Z", "X",
};
#define STATE(name) ORMA_PB_GENERIC_KERNEL_TASK_STATE_EVENT_TASK_STATE_##name

/* The state of each thread (by utid) and cpu (machine << 32 | cpu). */
struct orma_kernel_generic {
    struct orma_map last_state; /* → number of the state */
    struct orma_map last_slice; /* → row of sched_slice whose end_state is not known yet */
    struct orma_map running;    /* machine << 32 | cpu → utid that runs there */
    struct orma_map open_slice; /* machine << 32 | cpu → its row */
};

static struct orma_kernel_generic *state_of(struct orma_import_ctx *imp)
{
    return orma_model_lazy(imp->model, (void **)&orma_kernel(imp)->generic_kernel,
                           sizeof(struct orma_kernel_generic));
}

static void put(struct orma_import_ctx *imp, struct orma_map *map, uint64_t key, uint64_t val)
{
    if (orma_map_put(map, key, val))
        imp->model->storage->failed = true;
}

struct event {
    uint32_t cpu, tid; /* as processes.h takes it */
    uint64_t state;
    int32_t prio;
    struct orma_str comm;
};

static struct event read_event(struct orma_processes *procs, const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    struct event e = {.comm = {"", 0}};

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_GENERIC_KERNEL_TASK_STATE_EVENT_CPU:
            e.cpu = orma_pb_u32(&f);
            break;
        case ORMA_PB_GENERIC_KERNEL_TASK_STATE_EVENT_TID:
            e.tid = orma_processes_tid(procs, orma_pb_i64(&f));
            break;
        case ORMA_PB_GENERIC_KERNEL_TASK_STATE_EVENT_STATE:
            e.state = orma_pb_u64(&f);
            break;
        case ORMA_PB_GENERIC_KERNEL_TASK_STATE_EVENT_PRIO:
            e.prio = orma_pb_i32(&f);
            break;
        case ORMA_PB_GENERIC_KERNEL_TASK_STATE_EVENT_COMM:
            e.comm = orma_pb_str(&f);
            break;
        }
    }
    return e;
}

/* The thread that is meant; ORMA_ID_NONE: it can't be in that state now. */
static uint32_t thread_of(struct orma_import_ctx *imp, struct orma_kernel_generic *st,
                          const struct orma_item *item, const struct event *e)
{
    struct orma_processes *procs = orma_model_processes(imp->model, item->machine);
    uint32_t utid = orma_processes_find_thread(procs, e->tid);
    uint64_t last = utid == ORMA_ID_NONE ? ORMA_MAP_NONE : orma_map_get(&st->last_state, utid);

    if (e->state == STATE(CREATED)) {
        if (utid != ORMA_ID_NONE && last != STATE(DEAD))
            return ORMA_ID_NONE; /* it lives */
        if (utid == ORMA_ID_NONE || last == STATE(DEAD))
            utid = orma_processes_start_thread(procs, item->ts, e->tid);
        return utid;
    }
    if (last == STATE(DEAD) && e->state != STATE(DESTROYED))
        return ORMA_ID_NONE;
    return utid != ORMA_ID_NONE ? utid : orma_processes_thread(procs, e->tid);
}

/* The thread that ran on the cpu leaves it. state 0: its end state is unknown. */
static void end_slice(struct orma_import_ctx *imp, struct orma_kernel_generic *st,
                      const struct orma_item *item, uint64_t cpu, uint32_t state)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_SCHED_SLICE);
    uint64_t utid = orma_map_take(&st->running, cpu), row = orma_map_take(&st->open_slice, cpu);

    if (row == ORMA_MAP_NONE)
        return;
    if (state) {
        orma_sched_end_slice(imp->model, (uint32_t)row, item->ts, state);
        return;
    }
    orma_table_set(t, ORMA_SCHED_SLICE_DUR, (uint32_t)row,
                   item->ts - orma_table_int(t, ORMA_SCHED_SLICE_TS, (uint32_t)row));
    put(imp, &st->last_slice, utid, row);
    orma_sched_close_state(imp->model, item->ts, (uint32_t)utid);
}

/* True: the thread's state was closed by who came after it on the cpu. */
static bool switch_slices(struct orma_import_ctx *imp, struct orma_kernel_generic *st,
                          const struct orma_item *item, const struct event *e, uint32_t utid,
                          uint32_t state)
{
    uint64_t cpu = (uint64_t)item->machine << 32 | e->cpu;

    if (e->state == STATE(RUNNING)) {
        end_slice(imp, st, item, cpu, 0);
        put(imp, &st->running, cpu, utid);
        put(imp, &st->open_slice, cpu,
            orma_sched_start_slice(imp->model, item->machine, item->ts, e->cpu, utid, e->prio));
        return orma_map_take(&st->last_slice, utid) != ORMA_MAP_NONE;
    }
    if (orma_map_get(&st->running, cpu) == utid) {
        end_slice(imp, st, item, cpu, state);
        return false;
    }
    uint64_t row = orma_map_take(&st->last_slice, utid);
    if (row == ORMA_MAP_NONE)
        return false;
    orma_table_set(orma_model_table(imp->model, ORMA_TABLE_SCHED_SLICE), ORMA_SCHED_SLICE_END_STATE,
                   (uint32_t)row, state);
    return true;
}

static void task_state(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_kernel_generic *st = state_of(imp);
    struct event e = read_event(orma_model_processes(imp->model, item->machine), item);

    if (!st)
        return;
    if (e.state >= ORMA_ARRAY_LEN(states) || e.cpu >= ORMA_CPUS_MAX) {
        orma_stats_inc(orma_model_stats(imp->model, item->machine), ORMA_STAT_TASK_STATE_INVALID);
        return;
    }
    uint32_t utid = thread_of(imp, st, item, &e);
    if (utid == ORMA_ID_NONE) {
        orma_stats_inc(orma_model_stats(imp->model, item->machine),
                       ORMA_STAT_GENERIC_TASK_STATE_INVALID_ORDER);
        return;
    }
    if (e.comm.len)
        orma_processes_name_thread(orma_model_processes(imp->model, item->machine), utid,
                                   orma_model_str(imp->model, e.comm), ORMA_THREAD_NAME_FTRACE);
    bool again = e.state == STATE(RUNNING) && orma_map_get(&st->last_state, utid) == e.state &&
                 orma_map_get(&st->running, (uint64_t)item->machine << 32 | e.cpu) == utid;
    if (again) /* reported twice */
        return;
    uint32_t state = orma_model_cstr(imp->model, states[e.state]);
    if (!switch_slices(imp, st, item, &e, utid, state))
        orma_sched_close_state(imp->model, item->ts, utid);
    orma_sched_open_state(imp->model, item->machine, item->ts, utid, state,
                          e.state == STATE(RUNNING) ? e.cpu : ORMA_ID_NONE);
    put(imp, &st->last_state, utid, e.state);
    if (e.state == STATE(DESTROYED))
        orma_processes_end_thread(orma_model_processes(imp->model, item->machine), item->ts, e.tid);
}

static void cpu_frequency(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    uint32_t cpu = 0;
    int64_t hz = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_GENERIC_KERNEL_CPU_FREQUENCY_EVENT_CPU)
            cpu = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_GENERIC_KERNEL_CPU_FREQUENCY_EVENT_FREQ_HZ)
            hz = orma_pb_i64(&f);
    }
    const struct orma_track_dim dim = orma_dim(imp->model->known.cpu, cpu);
    if (cpu >= ORMA_CPUS_MAX)
        return;
    (void)orma_model_ucpu(imp->model, item->machine, cpu);
    orma_model_counter(imp->model, item->ts,
                       orma_model_counter_track(imp->model, item->machine, "cpu_frequency",
                                                orma_model_lit(imp->model, "cpufreq"), NULL, 1,
                                                &dim),
                       (double)hz / 1000);
}

static void gpu_frequency(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    uint32_t gpu = 0, khz = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_GENERIC_GPU_FREQUENCY_EVENT_GPU_ID)
            gpu = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_GENERIC_GPU_FREQUENCY_EVENT_FREQUENCY_KHZ)
            khz = orma_pb_u32(&f);
    }
    orma_model_counter(imp->model, item->ts,
                       orma_model_gpu_frequency_track(imp->model, item->machine, gpu), khz);
}

static void task_rename(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_processes *procs = orma_model_processes(imp->model, item->machine);
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    struct orma_str comm = {"", 0};
    uint32_t tid = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_GENERIC_KERNEL_TASK_RENAME_EVENT_TID)
            tid = orma_processes_tid(procs, orma_pb_i64(&f));
        else if (f.id == ORMA_PB_GENERIC_KERNEL_TASK_RENAME_EVENT_COMM)
            comm = orma_pb_str(&f);
    }
    orma_processes_name_thread(procs, orma_processes_thread(procs, tid),
                               orma_model_str(imp->model, comm), ORMA_THREAD_NAME_FTRACE);
}

/* ---- the tree ---- */

static void tree_process(struct orma_import_ctx *imp, const struct orma_item *item,
                         struct orma_processes *procs, const struct orma_pb_field *entry)
{
    struct orma_pb_reader r = orma_pb_sub(entry);
    struct orma_pb_field f;
    struct orma_str cmdline = {"", 0};
    uint32_t pid = 0, ppid = 0;
    bool has_parent = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_GENERIC_KERNEL_PROCESS_TREE_PROCESS_PID) {
            pid = orma_pb_u32(&f);
        } else if (f.id == ORMA_PB_GENERIC_KERNEL_PROCESS_TREE_PROCESS_PPID) {
            ppid = orma_pb_u32(&f);
            has_parent = true;
        } else if (f.id == ORMA_PB_GENERIC_KERNEL_PROCESS_TREE_PROCESS_CMDLINE) {
            cmdline = orma_pb_str(&f);
        }
    }
    uint32_t parent = has_parent ? orma_processes_bare_process(procs, ppid) : ORMA_ID_NONE;
    uint32_t upid = orma_processes_bare_process(procs, pid);
    uint32_t text = orma_model_str(imp->model, cmdline);
    if (has_parent)
        orma_model_set_parent(imp->model, item->machine, item->ts, upid, parent);
    orma_table_set(orma_model_table(imp->model, ORMA_TABLE_PROCESS), ORMA_PROCESS_CMDLINE, upid,
                   text);
    orma_processes_name_process(procs, upid, text, ORMA_PROCESS_NAME_SYSTEM);
}

static void tree_thread(struct orma_import_ctx *imp, struct orma_processes *procs,
                        const struct orma_pb_field *entry)
{
    struct orma_pb_reader r = orma_pb_sub(entry);
    struct orma_pb_field f;
    struct orma_str comm = {"", 0};
    uint32_t tid = 0, pid = 0;
    bool is_main = false, is_idle = false;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_GENERIC_KERNEL_PROCESS_TREE_THREAD_TID:
            tid = orma_processes_tid(procs, orma_pb_i64(&f));
            break;
        case ORMA_PB_GENERIC_KERNEL_PROCESS_TREE_THREAD_PID:
            pid = orma_pb_u32(&f);
            break;
        case ORMA_PB_GENERIC_KERNEL_PROCESS_TREE_THREAD_COMM:
            comm = orma_pb_str(&f);
            break;
        case ORMA_PB_GENERIC_KERNEL_PROCESS_TREE_THREAD_IS_MAIN_THREAD:
            is_main = orma_pb_bool(&f);
            break;
        case ORMA_PB_GENERIC_KERNEL_PROCESS_TREE_THREAD_IS_IDLE:
            is_idle = orma_pb_bool(&f);
            break;
        }
    }
    uint32_t utid = orma_processes_thread_of_bare(procs, tid, pid, is_main);

    if (is_idle)
        orma_table_set(orma_model_table(imp->model, ORMA_TABLE_THREAD), ORMA_THREAD_IS_IDLE, utid,
                       1);
    if (comm.len)
        orma_processes_name_thread(procs, utid, orma_model_str(imp->model, comm),
                                   ORMA_THREAD_NAME_TREE);
}

static void process_tree(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_processes *procs = orma_model_processes(imp->model, item->machine);
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_GENERIC_KERNEL_PROCESS_TREE_PROCESSES)
            tree_process(imp, item, procs, &f);
        else if (f.id == ORMA_PB_GENERIC_KERNEL_PROCESS_TREE_THREADS)
            tree_thread(imp, procs, &f);
    }
}

static void parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    switch (item->field) {
    case ORMA_PB_TRACE_PACKET_GENERIC_KERNEL_TASK_STATE_EVENT:
        task_state(imp, item);
        break;
    case ORMA_PB_TRACE_PACKET_GENERIC_KERNEL_CPU_FREQ_EVENT:
        cpu_frequency(imp, item);
        break;
    case ORMA_PB_TRACE_PACKET_GENERIC_KERNEL_TASK_RENAME_EVENT:
        task_rename(imp, item);
        break;
    case ORMA_PB_TRACE_PACKET_GENERIC_KERNEL_PROCESS_TREE:
        process_tree(imp, item);
        break;
    case ORMA_PB_TRACE_PACKET_GENERIC_GPU_FREQUENCY_EVENT:
        gpu_frequency(imp, item);
        break;
    }
}

static void fini(struct orma_import_ctx *imp)
{
    struct orma_kernel_generic *st = orma_kernel(imp)->generic_kernel;

    if (!st)
        return;
    orma_map_fini(&st->last_state);
    orma_map_fini(&st->last_slice);
    orma_map_fini(&st->running);
    orma_map_fini(&st->open_slice);
}

static const uint16_t fields[] = {
    ORMA_PB_TRACE_PACKET_GENERIC_KERNEL_TASK_STATE_EVENT,
    ORMA_PB_TRACE_PACKET_GENERIC_KERNEL_CPU_FREQ_EVENT,
    ORMA_PB_TRACE_PACKET_GENERIC_KERNEL_TASK_RENAME_EVENT,
    ORMA_PB_TRACE_PACKET_GENERIC_KERNEL_PROCESS_TREE,
    ORMA_PB_TRACE_PACKET_GENERIC_GPU_FREQUENCY_EVENT,
    0,
};
const struct orma_importer orma_kernel_generic_kernel_importer = {
    .name = "generic_kernel", .fields = fields, .parse = parse, .fini = fini};
