/* The process tree and the polled figures of processes. */
#include "processor/import/linux/linux.h"
#include "processor/model/memory.h"
#include "protos/fields/orma_ext.h"
#include "protos/fields/process.h"
#include "protos/fields/trace.h"
#include "sdk/base/buf.h"

#include <stdlib.h>

#define ANDROID_UIDS_PER_USER 100000
/* The pid of the process that makes all other threads of the kernel. */
#define KTHREADD 2

/* ---- process tree ---- */

struct proc {
    uint32_t pid, ppid, uid;
    uint64_t start;
    bool has_pid, has_uid, has_start, has_kthread, kthread, is_comm;
    uint32_t args_num;
    struct orma_str first; /* argv[0] */
    struct orma_str cgroup;
};

/* Ids in the namespaces within namespaces: more than the kernel allows. */
#define INNER_MAX 33
struct inner_ids {
    uint32_t ids[INNER_MAX], num;
};

static void read_inner(struct inner_ids *self, const struct orma_pb_field *f)
{
    struct orma_pb_reader packed = {0};
    uint64_t val;

    for (orma_pb_numbers(f, &packed); orma_pb_number(f, &packed, &val);)
        if (self->num < INNER_MAX)
            self->ids[self->num++] = (uint32_t)val;
}

static void note_inner(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t pid,
                       uint32_t tid, const struct inner_ids *inner)
{
    if (!orma_processes_note_inner(orma_model_processes(imp->model, item->machine), pid, tid,
                                   inner->ids, inner->num))
        orma_model_log(imp->model, item->machine, ORMA_STAT_NAMESPACED_THREAD_MISSING_PROCESS,
                       item->ts, -1, NULL);
}

/* All arguments with a blank between them, as pool id. */
static uint32_t join_args(struct orma_import_ctx *imp, struct orma_str process)
{
    struct orma_pb_reader r = orma_pb_reader(process.data, process.len);
    struct orma_pb_field f;
    struct orma_buf text = {0};
    uint32_t num = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_PROCESS_TREE_PROCESS_CMDLINE)
            continue;
        if (num++)
            orma_buf_put_byte(&text, ' ');
        orma_buf_put(&text, f.data, f.len);
    }
    uint32_t id = num ? orma_model_str(imp->model, orma_buf_str(&text)) : 0;
    imp->model->storage->failed |= text.failed;
    orma_buf_fini(&text);
    return id;
}

static struct proc read_proc(struct orma_str bytes, struct inner_ids *ret_inner)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct proc p = {0};

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_PROCESS_TREE_PROCESS_PID:
            p.pid = orma_pb_u32(&f);
            p.has_pid = true;
            break;
        case ORMA_PB_PROCESS_TREE_PROCESS_PPID:
            p.ppid = orma_pb_u32(&f);
            break;
        case ORMA_PB_PROCESS_TREE_PROCESS_CMDLINE:
            if (!p.args_num++)
                p.first = orma_pb_str(&f);
            break;
        case ORMA_PB_PROCESS_TREE_PROCESS_UID:
            p.uid = orma_pb_u32(&f);
            p.has_uid = true;
            break;
        case ORMA_PB_PROCESS_TREE_PROCESS_NSPID:
            read_inner(ret_inner, &f);
            break;
        case ORMA_PB_PROCESS_TREE_PROCESS_PROCESS_START_FROM_BOOT:
            p.start = orma_pb_u64(&f);
            p.has_start = true;
            break;
        case ORMA_PB_PROCESS_TREE_PROCESS_IS_KTHREAD:
            p.has_kthread = true;
            p.kthread = orma_pb_bool(&f);
            break;
        case ORMA_PB_PROCESS_TREE_PROCESS_CMDLINE_IS_COMM:
            p.is_comm = orma_pb_bool(&f);
            break;
        case ORMA_PB_PROCESS_TREE_PROCESS_ORMA_CGROUP:
            p.cgroup = orma_pb_str(&f);
            break;
        }
    }
    return p;
}

/* "kworker/0:1-events" → "kworker/0:1": what follows is the work, not the worker. */
static struct orma_str without_work(struct orma_str name)
{
    if (!orma_str_starts(name, ORMA_STR("kworker/")))
        return name;
    for (size_t i = 0; i < name.len; i++)
        if (name.data[i] == '-' || name.data[i] == '+')
            return (struct orma_str){name.data, i};
    return name;
}

struct proc_names {
    uint32_t name, cmdline; /* pool ids */
};

static struct proc_names names_of(struct orma_import_ctx *imp, struct orma_str bytes,
                                  const struct proc *p)
{
    struct orma_str name = p->ppid == KTHREADD ? without_work(p->first) : p->first, rest = name;
    uint32_t cmdline = name.len < p->first.len ? orma_model_str(imp->model, name)
                       : p->args_num == 1      ? orma_model_str(imp->model, p->first)
                                               : join_args(imp, bytes);

    if (p->args_num == 1) /* older recorders, and some programs, join the arguments */
        (void)orma_str_cut(&rest, ' ', &name);
    /* Mostly the same text: then it is not looked up again. */
    bool same = p->args_num == 1 && name.len == p->first.len;
    return (struct proc_names){same ? cmdline : orma_model_str(imp->model, name), cmdline};
}

static void set_uid(struct orma_import_ctx *imp, uint32_t upid, uint32_t uid)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_PROCESS);

    orma_table_set(t, ORMA_PROCESS_UID, upid, uid);
    orma_table_set(t, ORMA_PROCESS_ANDROID_APPID, upid, uid % ANDROID_UIDS_PER_USER);
    orma_table_set(t, ORMA_PROCESS_ANDROID_USER_ID, upid, uid / ANDROID_UIDS_PER_USER);
}

static void set_args(struct orma_import_ctx *imp, uint32_t upid, const struct proc *p)
{
    ORMA_MODEL_ARGS(args, imp->model);
    if (p->has_kthread)
        orma_args_put_bool(args, imp->model->known.is_kthread, p->kthread);
    if (p->cgroup.len)
        orma_args_put_str(args, orma_model_lit(imp->model, "cgroup"),
                          orma_model_str(imp->model, p->cgroup));
    orma_model_add_args(imp->model, ORMA_TABLE_PROCESS, ORMA_PROCESS_ARG_SET_ID, upid, args);
}

/*
 * A start that is later under the same pid is another process. Starts come in ticks from /proc and
 * in ns, by way of several clocks, from others: within a tick they are the same.
 */
#define TICK_NS 10000000

static bool starts_later(const struct orma_table *t, uint32_t upid, int64_t start)
{
    int64_t known;

    if (orma_table_is_null(t, ORMA_PROCESS_START_TS, upid))
        return false;
    known = orma_table_int(t, ORMA_PROCESS_START_TS, upid);
    return start > known && (uint64_t)start - (uint64_t)known >= TICK_NS;
}

/* The tree counts from boot, whatever the trace does. */
static bool from_boot(struct orma_import_ctx *imp, uint16_t machine, int64_t *start)
{
    if (orma_reader_is_trace_clock(imp->reader, machine, ORMA_CLOCK_BOOTTIME))
        return true;
    return orma_reader_to_trace_time(imp->reader, machine, ORMA_CLOCK_BOOTTIME, *start, start,
                                     NULL);
}

static void add_proc(struct orma_import_ctx *imp, const struct orma_item *item,
                     struct orma_str bytes)
{
    struct orma_processes *procs = orma_model_processes(imp->model, item->machine);
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_PROCESS);
    struct inner_ids inner = {.num = 0};
    struct proc p = read_proc(bytes, &inner);
    int64_t start = (int64_t)p.start;

    if (!p.has_pid || !p.args_num)
        return;
    p.has_start = p.has_start && from_boot(imp, item->machine, &start);
    uint32_t upid = orma_processes_find_process(procs, p.pid);
    if (upid != ORMA_ID_NONE && p.has_start && starts_later(t, upid, start))
        upid = orma_processes_start(procs, start, ORMA_ID_NONE, p.pid, 0, ORMA_THREAD_NAME_OTHER);
    uint32_t parent = orma_processes_process(procs, p.ppid);
    if (upid == ORMA_ID_NONE)
        upid = orma_processes_process(procs, p.pid);
    orma_model_set_parent(imp->model, item->machine, item->ts, upid, parent);

    struct proc_names names = names_of(imp, bytes, &p);
    orma_table_set(t, ORMA_PROCESS_CMDLINE, upid, names.cmdline);
    orma_processes_name_process(procs, upid, names.name, ORMA_PROCESS_NAME_SYSTEM);
    if (p.is_comm)
        orma_processes_name_thread(procs, orma_processes_thread_of(procs, p.pid, p.pid),
                                   names.cmdline, ORMA_THREAD_NAME_TREE);
    if (p.has_uid)
        set_uid(imp, upid, p.uid);
    /* An event told it better: the tree counts in ticks. */
    if (p.has_start && orma_table_is_null(t, ORMA_PROCESS_START_TS, upid))
        orma_table_set(t, ORMA_PROCESS_START_TS, upid, start);
    note_inner(imp, item, p.pid, p.pid, &inner);
    set_args(imp, upid, &p);
}

struct tree_thread {
    uint32_t tid, tgid;
    struct orma_str name; /* data NULL: none */
    uint64_t cpu_ns;      /* that it had used when it ended; 0: it is not told */
};

static struct tree_thread read_thread(struct orma_str bytes, struct inner_ids *ret_inner)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct tree_thread t = {0};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_PROCESS_TREE_THREAD_NSTID)
            read_inner(ret_inner, &f);
        else if (f.id == ORMA_PB_PROCESS_TREE_THREAD_TID)
            t.tid = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_PROCESS_TREE_THREAD_TGID)
            t.tgid = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_PROCESS_TREE_THREAD_NAME)
            t.name = orma_pb_str(&f);
        else if (f.id == ORMA_PB_PROCESS_TREE_THREAD_ORMA_ENDED_CPU_NS)
            t.cpu_ns = orma_pb_u64(&f);
    }
    return t;
}

/* What the kernel counted; of all that were watched: ORMA_ID_NONE. */
static void add_cpu_time(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t utid,
                         uint64_t ns)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_PROFILER_CPU_TIME);
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_PROFILER_CPU_TIME_TS, row, item->ts);
    if (utid != ORMA_ID_NONE)
        orma_table_set(t, ORMA_PROFILER_CPU_TIME_UTID, row, utid);
    orma_table_set(t, ORMA_PROFILER_CPU_TIME_CPU_TIME, row, (int64_t)ORMA_MIN(ns, INT64_MAX));
    orma_table_set(t, ORMA_PROFILER_CPU_TIME_MACHINE_ID, row, item->machine);
}

static void add_thread(struct orma_import_ctx *imp, const struct orma_item *item,
                       struct orma_str bytes)
{
    struct orma_processes *procs = orma_model_processes(imp->model, item->machine);
    struct inner_ids inner = {.num = 0};
    const struct tree_thread t = read_thread(bytes, &inner);

    uint32_t utid = orma_processes_thread_of(procs, t.tid, t.tgid);
    if (t.cpu_ns)
        add_cpu_time(imp, item, utid, t.cpu_ns);
    if (t.name.data) /* of the thread that has the tid now, whatever the process was */
        orma_processes_name_thread(procs, orma_processes_thread(procs, t.tid),
                                   orma_model_str(imp->model, without_work(t.name)),
                                   ORMA_THREAD_NAME_TREE);
    note_inner(imp, item, t.tgid, t.tid, &inner);
}

/*
 * Processes are looked at after they have begun, and their events need the ids outside: so these
 * are noted as the file is read, before events are in order.
 */
static bool tree_tokenize(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_processes *procs = orma_model_processes(imp->model, ctx->machine);
    const struct orma_str bytes = ctx->p->payload;
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        struct inner_ids inner = {.num = 0};

        if (f.id != ORMA_PB_PROCESS_TREE_PROCESSES)
            continue;
        const struct proc p = read_proc(orma_pb_str(&f), &inner);
        orma_processes_expect_inner(procs, p.pid, p.pid, inner.ids, inner.num);
    }
    r = orma_pb_reader(bytes.data, bytes.len);
    while (orma_pb_next(&r, &f)) {
        struct inner_ids inner = {.num = 0};

        if (f.id != ORMA_PB_PROCESS_TREE_THREADS)
            continue;
        const struct tree_thread t = read_thread(orma_pb_str(&f), &inner);
        orma_processes_expect_inner(procs, t.tgid, t.tid, inner.ids, inner.num);
    }
    return false;
}

/* ---- what processes say of themselves ---- */

#define CONTEXT_ATTRIBUTES_MAX 64u

static void put_attribute(struct orma_import_ctx *imp, struct orma_args_list *args,
                          struct orma_pb_reader r)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf name = {0};
    struct orma_str key = {0}, value = {0};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_ORMA_ATTRIBUTE_KEY)
            key = orma_pb_str(&f);
        else if (f.id == ORMA_PB_ORMA_ATTRIBUTE_VALUE)
            value = orma_pb_str(&f);
    }
    if (!key.len)
        return;
    orma_buf_put_str(&name, "otel.");
    orma_buf_put(&name, key.data, key.len);
    imp->model->storage->failed |= name.failed;
    orma_args_put_str(args, orma_model_str(imp->model, orma_buf_str(&name)),
                      orma_model_str(imp->model, value));
}

static void add_context(struct orma_import_ctx *imp, const struct orma_item *item,
                        struct orma_str bytes)
{
    struct orma_processes *procs = orma_model_processes(imp->model, item->machine);
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    unsigned num = 0;
    uint32_t pid = 0;
    ORMA_MODEL_ARGS(args, imp->model);

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_ORMA_PROCESS_CONTEXT_PID)
            pid = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_ORMA_PROCESS_CONTEXT_ATTRIBUTES && num++ < CONTEXT_ATTRIBUTES_MAX)
            put_attribute(imp, args, orma_pb_sub(&f));
    }
    uint32_t upid = pid ? orma_processes_process(procs, pid) : ORMA_ID_NONE;
    if (upid != ORMA_ID_NONE)
        orma_model_add_args(imp->model, ORMA_TABLE_PROCESS, ORMA_PROCESS_ARG_SET_ID, upid, args);
}

/* ---- the command that the recording was made for ---- */

static void add_command(struct orma_import_ctx *imp, const struct orma_item *item,
                        struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    ORMA_AUTO(orma_buf_fini) struct orma_buf words = {0};
    struct orma_pb_field f;
    int64_t started = INT64_MIN;
    uint32_t pid = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_ORMA_COMMAND_PID)
            pid = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_ORMA_COMMAND_STARTED_NS)
            started = orma_pb_i64(&f);
        else if (f.id == ORMA_PB_ORMA_COMMAND_ARGS)
            orma_buf_printf(&words, "%s%.*s", words.len ? " " : "", ORMA_STR_ARG(orma_pb_str(&f)));
    }
    if (!pid || (started > 0 && !from_boot(imp, item->machine, &started)))
        return;
    orma_metadata_int(imp->model, "orma_command_pid", false, ORMA_METADATA_MACHINE_AND_TRACE,
                      item->machine, pid);
    if (started > 0)
        orma_metadata_int(imp->model, "orma_command_ts", false, ORMA_METADATA_MACHINE_AND_TRACE,
                          item->machine, started);
    orma_metadata_str(imp->model, "orma_command", false, ORMA_METADATA_MACHINE_AND_TRACE,
                      item->machine, orma_model_str(imp->model, orma_buf_str(&words)));
    imp->model->storage->failed |= words.failed;
}

static void tree_parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_PROCESS_TREE_PROCESSES)
            add_proc(imp, item, orma_pb_str(&f));
        else if (f.id == ORMA_PB_PROCESS_TREE_ORMA_COMMAND)
            add_command(imp, item, orma_pb_str(&f));
        else if (f.id == ORMA_PB_PROCESS_TREE_ORMA_CONTEXTS)
            add_context(imp, item, orma_pb_str(&f));
        else if (f.id == ORMA_PB_PROCESS_TREE_ORMA_CPU_NS)
            add_cpu_time(imp, item, ORMA_ID_NONE, orma_pb_u64(&f));
    }
    r = orma_pb_reader(item->data, item->len);
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_PROCESS_TREE_THREADS)
            add_thread(imp, item, orma_pb_str(&f));
}

static const uint16_t tree_fields[] = {ORMA_PB_TRACE_PACKET_PROCESS_TREE, 0};
const struct orma_importer orma_linux_process_tree_importer = {
    .name = "process_tree", .fields = tree_fields, .tokenize = tree_tokenize, .parse = tree_parse};

/* ---- process stats ---- */

/* Counters by field: the track's type, the key of its dimension, the prefix of its name; no
 * dimension: a figure of memory. */
struct figure {
    const char *type, *dim, *prefix, *key;
    int scale;
};

#define MEMORY(key)                                                                                \
    {                                                                                              \
        "process_memory", NULL, NULL, key, 1024                                                    \
    }
#define SMAPS(key)                                                                                 \
    {                                                                                              \
        "smaps", "smaps_key", "mem.smaps.", key, 1024                                              \
    }
#define RUNTIME(key)                                                                               \
    {                                                                                              \
        "proc_stat_runtime", "proc_stat_runtime_key", "runtime.", key, 1                           \
    }
#define CHROME(key)                                                                                \
    {                                                                                              \
        "chrome_process_stats", "key", "chrome.", key, 1024                                        \
    }

static const struct figure figures[] = {
    [ORMA_PB_PROCESS_STATS_PROCESS_VM_SIZE_KB] = MEMORY("virt"),
    [ORMA_PB_PROCESS_STATS_PROCESS_VM_RSS_KB] = MEMORY("rss"),
    [ORMA_PB_PROCESS_STATS_PROCESS_RSS_ANON_KB] = MEMORY("rss.anon"),
    [ORMA_PB_PROCESS_STATS_PROCESS_RSS_FILE_KB] = MEMORY("rss.file"),
    [ORMA_PB_PROCESS_STATS_PROCESS_RSS_SHMEM_KB] = MEMORY("rss.shmem"),
    [ORMA_PB_PROCESS_STATS_PROCESS_VM_SWAP_KB] = MEMORY("swap"),
    [ORMA_PB_PROCESS_STATS_PROCESS_VM_LOCKED_KB] = MEMORY("locked"),
    [ORMA_PB_PROCESS_STATS_PROCESS_VM_HWM_KB] = MEMORY("rss.watermark"),
    [ORMA_PB_PROCESS_STATS_PROCESS_DMABUF_RSS_KB] = MEMORY("dmabuf_rss"),
    [ORMA_PB_PROCESS_STATS_PROCESS_SMR_RSS_KB] = SMAPS("rss"),
    [ORMA_PB_PROCESS_STATS_PROCESS_SMR_PSS_KB] = SMAPS("pss"),
    [ORMA_PB_PROCESS_STATS_PROCESS_SMR_PSS_ANON_KB] = SMAPS("pss.anon"),
    [ORMA_PB_PROCESS_STATS_PROCESS_SMR_PSS_FILE_KB] = SMAPS("pss.file"),
    [ORMA_PB_PROCESS_STATS_PROCESS_SMR_PSS_SHMEM_KB] = SMAPS("pss.smem"),
    [ORMA_PB_PROCESS_STATS_PROCESS_SMR_SWAP_PSS_KB] = SMAPS("swap.pss"),
    [ORMA_PB_PROCESS_STATS_PROCESS_RUNTIME_USER_MODE] = RUNTIME("user_ns"),
    [ORMA_PB_PROCESS_STATS_PROCESS_RUNTIME_KERNEL_MODE] = RUNTIME("kernel_ns"),
    [ORMA_PB_PROCESS_STATS_PROCESS_CHROME_PRIVATE_FOOTPRINT_KB] = CHROME("private_footprint_kb"),
    [ORMA_PB_PROCESS_STATS_PROCESS_CHROME_PEAK_RESIDENT_SET_KB] = CHROME("peak_resident_set_kb"),
};
#undef MEMORY
#undef SMAPS
#undef RUNTIME
#undef CHROME

static uint32_t figure_track(struct orma_import_ctx *imp, uint16_t machine, uint32_t upid,
                             const struct figure *fig)
{
    if (!fig->dim)
        return orma_model_memory_track(imp->model, machine, upid, fig->key);
    const struct orma_track_dim dims[] = {
        orma_dim(imp->model->known.upid, upid),
        orma_dim_str(orma_model_lit(imp->model, fig->dim), orma_model_lit(imp->model, fig->key)),
    };

    return orma_model_counter_track(
        imp->model, machine, fig->type,
        orma_strpool_addf(&imp->model->storage->pool, "%s%s", fig->prefix, fig->key), NULL, 2,
        dims);
}

static uint32_t oom_track(struct orma_import_ctx *imp, uint16_t machine, uint32_t upid)
{
    const struct orma_track_spec spec = {
        .type = "oom_score_adj",
        .event = ORMA_TRACK_COUNTER,
        .machine = machine,
        .dims_num = 1,
        .dims = {orma_dim(imp->model->known.upid, upid)},
        .name = orma_model_lit(imp->model, "oom_score_adj"),
        .parent = ORMA_TRACK_NONE,
    };

    return orma_tracks_get(&imp->model->tracks, &spec);
}

static void add_file(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t upid,
                     struct orma_str bytes)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_FILEDESCRIPTOR);
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_FILEDESCRIPTOR_UFD, row, 0); /* nothing tells that files are the same */
    orma_table_set(t, ORMA_FILEDESCRIPTOR_TS, row, item->ts);
    orma_table_set(t, ORMA_FILEDESCRIPTOR_UPID, row, upid);
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_PROCESS_STATS_FD_INFO_FD)
            orma_table_set(t, ORMA_FILEDESCRIPTOR_FD, row, orma_pb_i64(&f));
        else if (f.id == ORMA_PB_PROCESS_STATS_FD_INFO_PATH)
            orma_table_set(t, ORMA_FILEDESCRIPTOR_PATH, row,
                           orma_model_str(imp->model, orma_pb_str(&f)));
    }
}

static void add_figure(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t pid,
                       uint32_t field, int64_t value)
{
    bool oom = field == ORMA_PB_PROCESS_STATS_PROCESS_OOM_SCORE_ADJ;

    if (!oom && !figures[field].type)
        return;
    uint32_t upid = orma_processes_process(orma_model_processes(imp->model, item->machine), pid);
    orma_model_counter(imp->model, item->ts,
                       oom ? oom_track(imp, item->machine, upid)
                           : figure_track(imp, item->machine, upid, &figures[field]),
                       (double)value * (oom ? 1 : figures[field].scale));
}

/* What a process is told to have, but for its counters: threads, files, flags. True: it was that.
 */
static bool add_other(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t pid,
                      const struct orma_pb_field *f)
{
    struct orma_processes *procs = orma_model_processes(imp->model, item->machine);
    struct orma_pb_reader r = orma_pb_sub(f);
    struct orma_pb_field in;
    uint32_t tid = 0;

    switch (f->id) {
    case ORMA_PB_PROCESS_STATS_PROCESS_THREADS:
        while (orma_pb_next(&r, &in))
            if (in.id == ORMA_PB_PROCESS_STATS_THREAD_TID)
                tid = orma_pb_u32(&in);
        (void)orma_processes_thread_of(procs, tid, pid);
        return true;
    case ORMA_PB_PROCESS_STATS_PROCESS_FDS:
        add_file(imp, item, orma_processes_process(procs, pid), orma_pb_str(f));
        return true;
    case ORMA_PB_PROCESS_STATS_PROCESS_IS_PEAK_RSS_RESETTABLE: {
        ORMA_MODEL_ARGS(args, imp->model);
        orma_args_put_bool(args, orma_model_lit(imp->model, "is_peak_rss_resettable"),
                           orma_pb_bool(f));
        orma_model_add_args(imp->model, ORMA_TABLE_PROCESS, ORMA_PROCESS_ARG_SET_ID,
                            orma_processes_process(procs, pid), args);
        return true;
    }
    case ORMA_PB_PROCESS_STATS_PROCESS_CHROME_PRIVATE_FOOTPRINT_KB:
    case ORMA_PB_PROCESS_STATS_PROCESS_CHROME_PEAK_RESIDENT_SET_KB:
        add_figure(imp, item, pid, f->id, orma_pb_i64(f)); /* before all other counters */
        return true;
    }
    return false;
}

/* Counters come in the order of the packet. */
static void add_figures(struct orma_import_ctx *imp, const struct orma_item *item,
                        struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len), again = r;
    struct orma_pb_field f;
    uint32_t pid = 0;
    uint64_t others = 1ull << ORMA_PB_PROCESS_STATS_PROCESS_PID;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_PROCESS_STATS_PROCESS_PID)
            pid = orma_pb_u32(&f);
        else if (f.id >= ORMA_ARRAY_LEN(figures))
            orma_stats_inc(orma_model_stats(imp->model, item->machine),
                           ORMA_STAT_PROC_STAT_UNKNOWN_COUNTERS);
        else if (add_other(imp, item, pid, &f))
            others |= 1ull << f.id;
    }
    while (orma_pb_next(&again, &f))
        if (f.id < ORMA_ARRAY_LEN(figures) && !(others >> f.id & 1))
            add_figure(imp, item, pid, f.id, orma_pb_i64(&f));
}

static void stats_parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_PROCESS_STATS_PROCESSES)
            add_figures(imp, item, orma_pb_str(&f));
}

static const uint16_t stats_fields[] = {ORMA_PB_TRACE_PACKET_PROCESS_STATS, 0};
const struct orma_importer orma_linux_process_stats_importer = {
    .name = "process_stats", .fields = stats_fields, .parse = stats_parse};
