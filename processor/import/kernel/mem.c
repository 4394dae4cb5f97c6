/*
 * Memory: resident sets, reclaim, contiguous allocations, and victims of the out-of-memory killer.
 *
 * Resident set sizes are counters of processes, but the event names an mm, and may come from a
 * thread that works on another process's memory. An event with `curr` set records which thread
 * the mm belongs to; others look that up, and drop the entry when the thread has changed its mm or
 * is gone.
 *
 * Reclaim, shrinkers and contiguous allocations are slices on the thread's own track, from their
 * start event to their end event.
 */
#include "processor/import/kernel/fields.h"

#include "processor/model/thread_counters.h"
#include "protos/fields/ftrace.h"

/* Which thread an mm belongs to, and which mm a thread was seen with last. */
struct orma_kernel_mem {
    struct orma_map thread_of_mm, mm_of_thread;
    struct orma_map cma_costs; /* by utid → struct cma_cost *, of the allocation under way */
};

struct cma_cost {
    int64_t migrated, reclaimed, mapped; /* pages */
};

static struct orma_kernel_mem *state_of(struct orma_import_ctx *imp)
{
    return orma_model_lazy(imp->model, (void **)&orma_kernel(imp)->mem,
                           sizeof(struct orma_kernel_mem));
}

void orma_kernel_memory(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                        uint32_t utid, const char *key, double bytes)
{
    const struct orma_thread_counter what = {.memory = key};

    orma_model_add_thread_counter(imp->model, e->machine, e->ts, utid, &what, bytes);
}

/* Neither it nor its process has ended, nor has another process taken over the pid. */
static bool is_alive(struct orma_import_ctx *imp, uint16_t machine, uint32_t utid)
{
    struct orma_processes *procs = orma_model_processes(imp->model, machine);
    const struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_PROCESS);
    uint32_t upid = orma_processes_upid(procs, utid);

    if (!orma_table_is_null(orma_model_table(imp->model, ORMA_TABLE_THREAD), ORMA_THREAD_END_TS,
                            utid))
        return false;
    if (upid == ORMA_ID_NONE)
        return true;
    uint32_t pid = (uint32_t)orma_table_int(t, ORMA_PROCESS_PID, upid);
    return orma_table_is_null(t, ORMA_PROCESS_END_TS, upid) &&
           orma_processes_find_process(procs, pid) == upid;
}

/* The thread whose process has this mm; ORMA_ID_NONE if it is unknown. */
static uint32_t thread_of_mm(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                             uint64_t mm, bool current)
{
    struct orma_kernel_mem *st = state_of(imp);

    if (!st)
        return ORMA_ID_NONE;
    if (current) {
        if (orma_map_put(&st->thread_of_mm, mm, e->utid))
            imp->model->storage->failed = true;
        if (mm == ORMA_MAP_NONE) /* no value of a map, but what one reads without an entry */
            (void)orma_map_take(&st->mm_of_thread, e->utid);
        else if (orma_map_put(&st->mm_of_thread, e->utid, mm))
            imp->model->storage->failed = true;
        return e->utid;
    }
    uint64_t utid = orma_map_get(&st->thread_of_mm, mm);
    if (utid == ORMA_MAP_NONE)
        return ORMA_ID_NONE;
    /* A thread that changed its mm since, or is gone: the mm may belong to another process now. */
    if ((utid == e->utid && orma_map_get(&st->mm_of_thread, utid) != mm) ||
        !is_alive(imp, e->machine, (uint32_t)utid)) {
        (void)orma_map_take(&st->thread_of_mm, mm);
        return ORMA_ID_NONE;
    }
    return (uint32_t)utid;
}

static void rss(struct orma_import_ctx *imp, const struct orma_kernel_event *e, int64_t member,
                int64_t size, uint32_t utid)
{
    static const char *const keys[] = {"rss.file", "rss.anon", "swap", "rss.shmem",
                                       "unreclaimable"};
    struct orma_stats *stats = orma_model_stats(imp->model, e->machine);

    if (size < 0) {
        orma_stats_inc(stats, ORMA_STAT_RSS_STAT_NEGATIVE_SIZE);
        return;
    }
    if (member < 0 || member >= (int64_t)ORMA_ARRAY_LEN(keys)) {
        orma_stats_inc(stats, ORMA_STAT_RSS_STAT_UNKNOWN_KEYS);
        return;
    }
    if (utid == ORMA_ID_NONE) {
        orma_stats_inc(stats, ORMA_STAT_RSS_STAT_UNKNOWN_THREAD_FOR_MM_ID);
        return;
    }
    orma_kernel_memory(imp, e, utid, keys[member], (double)size);
}

static void on_rss(struct orma_import_ctx *imp, const struct orma_kernel_event *e, unsigned member,
                   unsigned size, unsigned curr, unsigned mm)
{
    struct orma_event_fields f;
    uint32_t utid = e->utid;

    orma_event_fields_read(&f, e->payload);
    if (f.has >> curr & 1 && f.has >> mm & 1)
        utid = thread_of_mm(imp, e, (uint64_t)f.num[mm], f.num[curr]);
    rss(imp, e, f.num[member], f.num[size], utid);
}

static void rss_stat(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    on_rss(imp, e, ORMA_PB_RSS_STAT_FTRACE_EVENT_MEMBER, ORMA_PB_RSS_STAT_FTRACE_EVENT_SIZE,
           ORMA_PB_RSS_STAT_FTRACE_EVENT_CURR, ORMA_PB_RSS_STAT_FTRACE_EVENT_MM_ID);
}

static void rss_throttled(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    on_rss(imp, e, ORMA_PB_RSS_STAT_THROTTLED_FTRACE_EVENT_MEMBER,
           ORMA_PB_RSS_STAT_THROTTLED_FTRACE_EVENT_SIZE,
           ORMA_PB_RSS_STAT_THROTTLED_FTRACE_EVENT_CURR,
           ORMA_PB_RSS_STAT_THROTTLED_FTRACE_EVENT_MM_ID);
}

static void oom_adjust(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint32_t tid = (uint32_t)f.num[ORMA_PB_OOM_SCORE_ADJ_UPDATE_FTRACE_EVENT_PID];
    uint32_t utid = orma_processes_thread(orma_model_processes(imp->model, e->machine), tid);
    const struct orma_thread_counter what = {.type = "oom_score_adj",
                                             .fallback_type = "oom_score_adj_thread_fallback",
                                             .name = orma_model_lit(imp->model, "oom_score_adj")};
    orma_model_add_thread_counter(
        imp->model, e->machine, e->ts, utid, &what,
        (double)(int32_t)f.num[ORMA_PB_OOM_SCORE_ADJ_UPDATE_FTRACE_EVENT_OOM_SCORE_ADJ]);
}

static void victim(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint32_t tid = (uint32_t)f.num[ORMA_PB_MARK_VICTIM_FTRACE_EVENT_PID];
    orma_kernel_thread_instant(
        imp, e, orma_processes_thread(orma_model_processes(imp->model, e->machine), tid),
        "mem.oom_kill");
}

static void mm_event(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    static const char *const types[] = {"min_flt", "maj_flt", "read_io",   "compaction",
                                        "reclaim", "swp_flt", "kern_alloc"};
    static const struct {
        uint8_t field;
        const char *metric;
    } metrics[] = {
        {ORMA_PB_MM_EVENT_RECORD_FTRACE_EVENT_COUNT, "count"},
        {ORMA_PB_MM_EVENT_RECORD_FTRACE_EVENT_MAX_LAT, "max_lat"},
        {ORMA_PB_MM_EVENT_RECORD_FTRACE_EVENT_AVG_LAT, "avg_lat"},
    };
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint64_t type = (uint64_t)f.num[ORMA_PB_MM_EVENT_RECORD_FTRACE_EVENT_TYPE];
    if (type >= ORMA_ARRAY_LEN(types)) {
        orma_stats_inc(orma_model_stats(imp->model, e->machine), ORMA_STAT_MM_UNKNOWN_TYPE);
        return;
    }
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(metrics); i++) {
        const struct orma_thread_counter what = {
            .type = "mm_event",
            .fallback_type = "mm_event_thread_fallback",
            .name = orma_strpool_addf(&imp->model->storage->pool, "mem.mm.%s.%s", types[type],
                                      metrics[i].metric),
            .dims_num = 2,
            .dims = {orma_dim_str(orma_model_lit(imp->model, "mm_event_type"),
                                  orma_model_cstr(imp->model, types[type])),
                     orma_dim_str(orma_model_lit(imp->model, "mm_event_metric"),
                                  orma_model_cstr(imp->model, metrics[i].metric))},
        };

        orma_model_add_thread_counter(imp->model, e->machine, e->ts, e->utid, &what,
                                      (double)f.num[metrics[i].field]);
    }
}

static uint32_t own_track(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    return orma_model_thread_track(imp->model, e->machine, e->utid);
}

static void put(struct orma_import_ctx *imp, struct orma_args_list *args, const char *key,
                int64_t val)
{
    orma_args_put_int(args, orma_model_cstr(imp->model, key), val);
}

static void put_uint(struct orma_import_ctx *imp, struct orma_args_list *args, const char *key,
                     int64_t val)
{
    orma_args_put_uint(args, orma_model_cstr(imp->model, key), (uint64_t)val);
}

static void reclaim_begin(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    ORMA_MODEL_ARGS(args, imp->model);
    put(imp, args, "direct_reclaim_order",
        f.num[ORMA_PB_MM_VMSCAN_DIRECT_RECLAIM_BEGIN_FTRACE_EVENT_ORDER]);
    put(imp, args, "direct_reclaim_may_writepage",
        f.num[ORMA_PB_MM_VMSCAN_DIRECT_RECLAIM_BEGIN_FTRACE_EVENT_MAY_WRITEPAGE]);
    put_uint(imp, args, "direct_reclaim_gfp_flags",
             f.num[ORMA_PB_MM_VMSCAN_DIRECT_RECLAIM_BEGIN_FTRACE_EVENT_GFP_FLAGS]);
    orma_slices_begin(&imp->model->slices, e->ts, own_track(imp, e), 0,
                      orma_model_lit(imp->model, "mm_vmscan_direct_reclaim"), args);
}

static void reclaim_end(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    ORMA_MODEL_ARGS(args, imp->model);
    put_uint(imp, args, "direct_reclaim_nr_reclaimed",
             f.num[ORMA_PB_MM_VMSCAN_DIRECT_RECLAIM_END_FTRACE_EVENT_NR_RECLAIMED]);
    orma_slices_end(&imp->model->slices, e->ts, own_track(imp, e), 0, 0, args);
}

static void shrink_start(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_str(
        args, orma_model_lit(imp->model, "shrink_name"),
        orma_kernel_symbol_text(imp, e,
                                (uint64_t)f.num[ORMA_PB_MM_SHRINK_SLAB_START_FTRACE_EVENT_SHRINK]));
    put_uint(imp, args, "total_scan", f.num[ORMA_PB_MM_SHRINK_SLAB_START_FTRACE_EVENT_TOTAL_SCAN]);
    put(imp, args, "priority", f.num[ORMA_PB_MM_SHRINK_SLAB_START_FTRACE_EVENT_PRIORITY]);
    orma_slices_begin(&imp->model->slices, e->ts, own_track(imp, e), 0,
                      orma_model_lit(imp->model, "mm_vmscan_shrink_slab"), args);
}

static void shrink_end(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    ORMA_MODEL_ARGS(args, imp->model);
    put(imp, args, "freed", f.num[ORMA_PB_MM_SHRINK_SLAB_END_FTRACE_EVENT_RETVAL]);
    orma_slices_end(&imp->model->slices, e->ts, own_track(imp, e), 0, 0, args);
}

/* ---- contiguous allocations ---- */

/*
 * Linux tells the end of an allocation since 5.10: first in one event with all figures, since 6.1
 * in one that has what was asked for, before which comes one with what it cost.
 */
#define KERNEL(major, minor) ((uint32_t)(major) << 16 | (minor))

static bool is_at_least(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                        uint32_t version)
{
    return imp->model->machines[e->machine].kernel_version >= version;
}

static void cma_start(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    if (is_at_least(imp, e, KERNEL(5, 10)))
        orma_slices_begin(&imp->model->slices, e->ts, own_track(imp, e), 0,
                          orma_model_lit(imp->model, "mm_cma_alloc"), NULL);
}

static void cma_end(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                    const struct orma_args_list *args)
{
    orma_slices_end(&imp->model->slices, e->ts, own_track(imp, e), 0,
                    orma_model_lit(imp->model, "mm_cma_alloc"), args);
}

static void put_cma_name(struct orma_import_ctx *imp, struct orma_args_list *args,
                         struct orma_str name)
{
    orma_args_put_str(args, orma_model_lit(imp->model, "cma_name"),
                      orma_model_str(imp->model, name));
}

static void cma_info(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    static const struct {
        uint8_t field;
        const char *key;
    } rows[] = {
        {ORMA_PB_CMA_ALLOC_INFO_FTRACE_EVENT_PFN, "cma_pfn"},
        {ORMA_PB_CMA_ALLOC_INFO_FTRACE_EVENT_COUNT, "cma_req_pages"},
        {ORMA_PB_CMA_ALLOC_INFO_FTRACE_EVENT_NR_MIGRATED, "cma_nr_migrated"},
        {ORMA_PB_CMA_ALLOC_INFO_FTRACE_EVENT_NR_RECLAIMED, "cma_nr_reclaimed"},
        {ORMA_PB_CMA_ALLOC_INFO_FTRACE_EVENT_NR_MAPPED, "cma_nr_mapped"},
        {ORMA_PB_CMA_ALLOC_INFO_FTRACE_EVENT_ERR_ISO, "cma_nr_isolate_fail"},
        {ORMA_PB_CMA_ALLOC_INFO_FTRACE_EVENT_ERR_MIG, "cma_nr_migrate_fail"},
        {ORMA_PB_CMA_ALLOC_INFO_FTRACE_EVENT_ERR_TEST, "cma_nr_test_fail"},
    };
    struct orma_event_fields f;

    if (!is_at_least(imp, e, KERNEL(5, 10)) || is_at_least(imp, e, KERNEL(6, 1)))
        return;
    orma_event_fields_read(&f, e->payload);
    ORMA_MODEL_ARGS(args, imp->model);
    put_cma_name(imp, args, f.str[ORMA_PB_CMA_ALLOC_INFO_FTRACE_EVENT_NAME]);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(rows); i++)
        put_uint(imp, args, rows[i].key, f.num[rows[i].field]);
    cma_end(imp, e, args);
}

static void cma_cost(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_kernel_mem *st = state_of(imp);
    struct cma_cost *cost = st ? orma_map_get_ptr(&st->cma_costs, e->utid) : NULL;
    struct orma_event_fields f;

    if (st && !cost) {
        cost = orma_arena_alloc(&imp->model->lazy, sizeof(*cost));
        if (!cost || orma_map_put_ptr(&st->cma_costs, e->utid, cost))
            imp->model->storage->failed = true;
    }
    orma_event_fields_read(&f, e->payload);
    if (cost)
        *cost = (struct cma_cost){
            f.num[ORMA_PB_MM_ALLOC_CONTIG_MIGRATE_RANGE_INFO_FTRACE_EVENT_NR_MIGRATED],
            f.num[ORMA_PB_MM_ALLOC_CONTIG_MIGRATE_RANGE_INFO_FTRACE_EVENT_NR_RECLAIMED],
            f.num[ORMA_PB_MM_ALLOC_CONTIG_MIGRATE_RANGE_INFO_FTRACE_EVENT_NR_MAPPED]};
}

static void cma_finish(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_kernel_mem *st = state_of(imp);
    struct cma_cost *of_thread = st ? orma_map_get_ptr(&st->cma_costs, e->utid) : NULL;
    struct cma_cost cost = {0};
    struct orma_event_fields f;

    if (!is_at_least(imp, e, KERNEL(6, 1)))
        return;
    if (of_thread) {
        cost = *of_thread;
        *of_thread = (struct cma_cost){0};
    }
    orma_event_fields_read(&f, e->payload);
    ORMA_MODEL_ARGS(args, imp->model);
    put_cma_name(imp, args, f.str[ORMA_PB_CMA_ALLOC_FINISH_FTRACE_EVENT_NAME]);
    put_uint(imp, args, "cma_pfn", f.num[ORMA_PB_CMA_ALLOC_FINISH_FTRACE_EVENT_PFN]);
    put_uint(imp, args, "cma_req_pages", f.num[ORMA_PB_CMA_ALLOC_FINISH_FTRACE_EVENT_COUNT]);
    put_uint(imp, args, "cma_nr_migrated", cost.migrated);
    put_uint(imp, args, "cma_nr_reclaimed", cost.reclaimed);
    put_uint(imp, args, "cma_nr_mapped", cost.mapped);
    cma_end(imp, e, args);
}

static void fini(struct orma_import_ctx *imp)
{
    struct orma_kernel_mem *st = orma_kernel(imp)->mem;

    if (st) {
        orma_map_fini(&st->thread_of_mm);
        orma_map_fini(&st->mm_of_thread);
        orma_map_fini(&st->cma_costs);
    }
}

static const uint16_t no_fields[] = {0};
const struct orma_importer orma_kernel_mm_importer = {
    .name = "mm", .fields = no_fields, .fini = fini};

const struct orma_kernel_handler orma_kernel_mem_handlers[] = {
    {ORMA_PB_FTRACE_EVENT_RSS_STAT, rss_stat},
    {ORMA_PB_FTRACE_EVENT_RSS_STAT_THROTTLED, rss_throttled},
    {ORMA_PB_FTRACE_EVENT_OOM_SCORE_ADJ_UPDATE, oom_adjust},
    {ORMA_PB_FTRACE_EVENT_MARK_VICTIM, victim},
    {ORMA_PB_FTRACE_EVENT_MM_EVENT_RECORD, mm_event},
    {ORMA_PB_FTRACE_EVENT_MM_VMSCAN_DIRECT_RECLAIM_BEGIN, reclaim_begin},
    {ORMA_PB_FTRACE_EVENT_MM_VMSCAN_DIRECT_RECLAIM_END, reclaim_end},
    {ORMA_PB_FTRACE_EVENT_MM_SHRINK_SLAB_START, shrink_start},
    {ORMA_PB_FTRACE_EVENT_MM_SHRINK_SLAB_END, shrink_end},
    {ORMA_PB_FTRACE_EVENT_CMA_ALLOC_START, cma_start},
    {ORMA_PB_FTRACE_EVENT_CMA_ALLOC_INFO, cma_info},
    {ORMA_PB_FTRACE_EVENT_MM_ALLOC_CONTIG_MIGRATE_RANGE_INFO, cma_cost},
    {ORMA_PB_FTRACE_EVENT_CMA_ALLOC_FINISH, cma_finish},
    {0, NULL},
};
