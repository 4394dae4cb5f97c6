/*
 * Signals, function graphs, block devices, file systems, probes and calls into the firmware.
 *
 * Signals are instants of the thread that receives them. Function graphs are slices on a track of
 * their own per thread; the idle thread is one thread per cpu, so its functions are on tracks of
 * the cpu. Block requests are slices by device. File system statistics are one counter per device
 * and value, by the tables in their handlers.
 */
#include <stdio.h>

#include "processor/import/kernel/fields.h"
#include "protos/fields/ftrace.h"

/* ---- signals ---- */

static void signal_instant(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                           uint32_t utid, const char *name, int64_t sig)
{
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_int(args, orma_model_lit(imp->model, "signal.sig"), (int32_t)sig);
    orma_slices_complete(&imp->model->slices, e->ts, 0,
                         orma_model_thread_track(imp->model, e->machine, utid), 0,
                         orma_model_cstr(imp->model, name), args);
}

static void signal_generate(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint32_t tid = (uint32_t)f.num[ORMA_PB_SIGNAL_GENERATE_FTRACE_EVENT_PID];
    signal_instant(imp, e, orma_processes_thread(orma_model_processes(imp->model, e->machine), tid),
                   "signal_generate", f.num[ORMA_PB_SIGNAL_GENERATE_FTRACE_EVENT_SIG]);
}

static void signal_deliver(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    signal_instant(imp, e, e->utid, "signal_deliver",
                   f.num[ORMA_PB_SIGNAL_DELIVER_FTRACE_EVENT_SIG]);
}

/* ---- function graph ---- */

static uint32_t graph_track(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    const struct orma_track_dim dim = orma_dim(imp->model->known.utid, e->utid);

    if (!e->pid) /* the idle thread is one thread per cpu */
        return orma_kernel_cpu_track(imp, e->machine, "cpu_funcgraph", "swapper# -funcgraph",
                                     e->cpu, false);
    return orma_model_slice_track(imp->model, e->machine, "thread_funcgraph",
                                  orma_model_lit(imp->model, "Funcgraph"), 1, &dim);
}

static void graph_entry(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint64_t function = (uint64_t)f.num[ORMA_PB_FUNCGRAPH_ENTRY_FTRACE_EVENT_FUNC];
    orma_slices_begin(&imp->model->slices, e->ts, graph_track(imp, e), 0,
                      orma_kernel_symbol_text(imp, e, function), NULL);
}

static void graph_exit(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint64_t function = (uint64_t)f.num[ORMA_PB_FUNCGRAPH_EXIT_FTRACE_EVENT_FUNC];
    orma_slices_end(&imp->model->slices, e->ts, graph_track(imp, e), 0,
                    orma_kernel_symbol_text(imp, e, function), NULL);
}

/* ---- block devices and file systems ---- */

static uint32_t block_track(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                            const struct orma_event_fields *f)
{
    const struct orma_track_dim dim = orma_dim(orma_model_lit(imp->model, "block_device"),
                                               f->num[ORMA_PB_BLOCK_IO_START_FTRACE_EVENT_DEV]);
    /* Slices, but on what the reference calls a counter. */
    return orma_model_counter_track(imp->model, e->machine, "block_io", 0, NULL, 1, &dim);
}

/* Both events have these fields under the same numbers. Requests end in any order, so the sector
 * that is done is the one that counts. */
static void put_sector(struct orma_import_ctx *imp, const struct orma_event_fields *f,
                       struct orma_args_list *args)
{
    orma_args_put_uint(args, orma_model_lit(imp->model, "sector"),
                       (uint64_t)f->num[ORMA_PB_BLOCK_IO_START_FTRACE_EVENT_SECTOR]);
}

static void block_start(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    ORMA_MODEL_ARGS(args, imp->model);
    put_sector(imp, &f, args);
    orma_slices_begin(&imp->model->slices, e->ts, block_track(imp, e, &f), 0,
                      orma_model_lit(imp->model, "block_io"), args);
}

static void block_done(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    ORMA_MODEL_ARGS(args, imp->model);
    put_sector(imp, &f, args);
    orma_slices_end(&imp->model->slices, e->ts, block_track(imp, e, &f), 0,
                    orma_model_lit(imp->model, "block_io"), args);
}

struct file_counter {
    uint8_t field;
    const char *name;
};

static void file_counters(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                          const char *type, unsigned dev_field, const struct file_counter *rows,
                          unsigned rows_num)
{
    struct orma_event_fields f;
    char device[32];

    orma_event_fields_read(&f, e->payload);
    uint64_t dev = (uint64_t)f.num[dev_field];
    snprintf(device, sizeof(device), "%llu:%llu", (unsigned long long)(dev >> 8),
             (unsigned long long)(dev & 0xff));
    for (unsigned i = 0; i < rows_num; i++) {
        const struct orma_track_dim dims[] = {
            orma_dim_str(orma_model_lit(imp->model, "device"), orma_model_cstr(imp->model, device)),
            orma_dim_str(orma_model_lit(imp->model, "counter_name"),
                         orma_model_cstr(imp->model, rows[i].name)),
        };
        uint32_t name =
            orma_strpool_addf(&imp->model->storage->pool, "%s.[%s].%s", type, device, rows[i].name);

        orma_model_counter(
            imp->model, e->ts,
            orma_model_counter_track(imp->model, e->machine, type, name, NULL, 2, dims),
            (double)f.num[rows[i].field]);
    }
}

#define F(field, name)                                                                             \
    {                                                                                              \
        ORMA_PB_F2FS_IOSTAT_FTRACE_EVENT_##field, name                                             \
    }

static void f2fs_iostat(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    static const struct file_counter rows[] = {
        F(APP_WIO, "write_app_total"),    F(APP_DIO, "write_app_direct"),
        F(APP_BIO, "write_app_buffered"), F(APP_MIO, "write_app_mapped"),
        F(FS_DIO, "write_fs_data"),       F(FS_NIO, "write_fs_node"),
        F(FS_MIO, "write_fs_meta"),       F(FS_GC_DIO, "write_gc_data"),
        F(FS_GC_NIO, "write_gc_node"),    F(FS_CP_DIO, "write_cp_data"),
        F(FS_CP_NIO, "write_cp_node"),    F(FS_CP_MIO, "write_cp_meta"),
        F(APP_RIO, "read_app_total"),     F(APP_DRIO, "read_app_direct"),
        F(APP_BRIO, "read_app_buffered"), F(APP_MRIO, "read_app_mapped"),
        F(FS_DRIO, "read_fs_data"),       F(FS_GDRIO, "read_fs_gdata"),
        F(FS_CDRIO, "read_fs_cdata"),     F(FS_NRIO, "read_fs_node"),
        F(FS_MRIO, "read_fs_meta"),       F(FS_DISCARD, "other_fs_discard"),
    };

    file_counters(imp, e, "f2fs_iostat", ORMA_PB_F2FS_IOSTAT_FTRACE_EVENT_DEV, rows,
                  ORMA_ARRAY_LEN(rows));
}
#undef F

#define F(field, name)                                                                             \
    {                                                                                              \
        ORMA_PB_F2FS_IOSTAT_LATENCY_FTRACE_EVENT_##field, name                                     \
    }

static void f2fs_latency(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    static const struct file_counter rows[] = {
        F(D_RD_PEAK, "read_data_peak"),
        F(D_RD_CNT, "read_data_cnt"),
        F(D_RD_AVG, "read_data_avg"),
        F(N_RD_PEAK, "read_node_peak"),
        F(N_RD_CNT, "read_node_cnt"),
        F(N_RD_AVG, "read_node_avg"),
        F(M_RD_PEAK, "read_meta_peak"),
        F(M_RD_CNT, "read_meta_cnt"),
        F(M_RD_AVG, "read_meta_avg"),
        F(D_WR_S_PEAK, "write_sync_data_peak"),
        F(D_WR_S_CNT, "write_sync_data_cnt"),
        F(D_WR_S_AVG, "write_sync_data_avg"),
        F(N_WR_S_PEAK, "write_sync_node_peak"),
        F(N_WR_S_CNT, "write_sync_node_cnt"),
        F(N_WR_S_AVG, "write_sync_node_avg"),
        F(M_WR_S_PEAK, "write_sync_meta_peak"),
        F(M_WR_S_CNT, "write_sync_meta_cnt"),
        F(M_WR_S_AVG, "write_sync_meta_avg"),
        F(D_WR_AS_PEAK, "write_async_data_peak"),
        F(D_WR_AS_CNT, "write_async_data_cnt"),
        F(D_WR_AS_AVG, "write_async_data_avg"),
        F(N_WR_AS_PEAK, "write_async_node_peak"),
        F(N_WR_AS_CNT, "write_async_node_cnt"),
        F(N_WR_AS_AVG, "write_async_node_avg"),
        F(M_WR_AS_PEAK, "write_async_meta_peak"),
        F(M_WR_AS_CNT, "write_async_meta_cnt"),
        F(M_WR_AS_AVG, "write_async_meta_avg"),
    };

    file_counters(imp, e, "f2fs_iostat_latency", ORMA_PB_F2FS_IOSTAT_LATENCY_FTRACE_EVENT_DEV, rows,
                  ORMA_ARRAY_LEN(rows));
}
#undef F

/* Probes that the session configured; their events carry a name and a type. */
static void kprobe(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_pb_reader r = orma_pb_reader(e->payload.data, e->payload.len);
    struct orma_pb_field f;
    uint32_t track = orma_model_thread_track(imp->model, e->machine, e->utid), name = 0;
    uint64_t type = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_KPROBE_EVENT_NAME)
            name = orma_model_str(imp->model, orma_pb_str(&f));
        else if (f.id == ORMA_PB_KPROBE_EVENT_TYPE)
            type = orma_pb_u64(&f);
    }
    if (type == ORMA_PB_KPROBE_EVENT_KPROBE_TYPE_BEGIN)
        orma_slices_begin(&imp->model->slices, e->ts, track, 0, name, NULL);
    else if (type == ORMA_PB_KPROBE_EVENT_KPROBE_TYPE_END)
        orma_slices_end(&imp->model->slices, e->ts, track, 0, name, NULL);
    else if (type == ORMA_PB_KPROBE_EVENT_KPROBE_TYPE_INSTANT)
        orma_slices_complete(&imp->model->slices, e->ts, 0, track, 0, name, NULL);
}

/* Calls into the firmware. */
static void scm_start(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint64_t call = (uint64_t)f.num[ORMA_PB_SCM_CALL_START_FTRACE_EVENT_X0];
    orma_slices_begin(
        &imp->model->slices, e->ts, orma_model_thread_track(imp->model, e->machine, e->utid), 0,
        orma_strpool_addf(&imp->model->storage->pool, "scm id=0x%llx", (unsigned long long)call),
        NULL);
}

static void scm_end(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    orma_slices_end(&imp->model->slices, e->ts,
                    orma_model_thread_track(imp->model, e->machine, e->utid), 0, 0, NULL);
}

const struct orma_kernel_handler orma_kernel_misc_handlers[] = {
    {ORMA_PB_FTRACE_EVENT_SIGNAL_GENERATE, signal_generate},
    {ORMA_PB_FTRACE_EVENT_SIGNAL_DELIVER, signal_deliver},
    {ORMA_PB_FTRACE_EVENT_FUNCGRAPH_ENTRY, graph_entry},
    {ORMA_PB_FTRACE_EVENT_FUNCGRAPH_EXIT, graph_exit},
    {ORMA_PB_FTRACE_EVENT_BLOCK_IO_START, block_start},
    {ORMA_PB_FTRACE_EVENT_BLOCK_IO_DONE, block_done},
    {ORMA_PB_FTRACE_EVENT_F2FS_IOSTAT, f2fs_iostat},
    {ORMA_PB_FTRACE_EVENT_F2FS_IOSTAT_LATENCY, f2fs_latency},
    {ORMA_PB_FTRACE_EVENT_KPROBE_EVENT, kprobe},
    {ORMA_PB_FTRACE_EVENT_SCM_CALL_START, scm_start},
    {ORMA_PB_FTRACE_EVENT_SCM_CALL_END, scm_end},
    {0, NULL},
};
