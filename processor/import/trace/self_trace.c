/* What the recorder's own daemons trace of themselves: slices and counters of their threads. */
#include "processor/import/trace/trace.h"
#include "protos/fields/trace.h"

/* Names by number, as the daemons count them. */
static const char *const event_names[] = {
    [10] = "FTRACE_CPU_FLUSH",
    [12] = "READ_SYS_STATS",
    [13] = "PS_WRITE_ALL_PROCESSES",
    [14] = "PS_ON_PIDS",
    [15] = "PS_ON_RENAME_PIDS",
    [16] = "PS_WRITE_ALL_PROCESS_STATS",
    [17] = "TRACE_WRITER_COMMIT_STARTUP_WRITER_BATCH",
    [18] = "FTRACE_READ_TICK",
    [19] = "FTRACE_CPU_READ_CYCLE",
    [20] = "FTRACE_CPU_READ_BATCH",
    [21] = "KALLSYMS_PARSE",
    [22] = "PROFILER_READ_TICK",
    [23] = "PROFILER_READ_CPU",
    [24] = "PROFILER_UNWIND_TICK",
    [25] = "PROFILER_UNWIND_SAMPLE",
    [26] = "PROFILER_UNWIND_INITIAL_ATTEMPT",
    [27] = "PROFILER_UNWIND_ATTEMPT",
    [28] = "PROFILER_MAPS_PARSE",
    [29] = "PROFILER_MAPS_REPARSE",
    [30] = "PROFILER_UNWIND_CACHE_CLEAR",
};
static const char *const counter_names[] = {
    [1] = "FTRACE_PAGES_DRAINED",        [2] = "PS_PIDS_SCANNED",
    [3] = "TRACE_SERVICE_COMMIT_DATA",   [4] = "PROFILER_UNWIND_QUEUE_SZ",
    [5] = "PROFILER_UNWIND_CURRENT_PID",
};

static uint32_t name_of(struct orma_import_ctx *imp, const char *const *names, size_t num,
                        uint64_t id, const char *kind)
{
    if (id < num && names[id])
        return orma_model_cstr(imp->model, names[id]);
    return orma_strpool_addf(&imp->model->storage->pool, "%s %llu", kind, (unsigned long long)id);
}

struct record {
    uint32_t event, counter; /* names; 0: it is no such thing */
    uint64_t dur;
    int32_t value;
    uint32_t tid;
};

static bool read_pair(struct orma_str bytes, uint64_t *ret_iid, struct orma_str *ret_text)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    *ret_iid = 0;
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_PERFETTO_METATRACE_INTERNED_STRING_IID)
            *ret_iid = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_PERFETTO_METATRACE_INTERNED_STRING_VALUE)
            *ret_text = orma_pb_str(&f);
    }
    return *ret_iid != 0;
}

/* Texts with numbers come in the same packet. */
static uint32_t text_of(struct orma_import_ctx *imp, const struct orma_item *item, uint64_t iid)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    struct orma_str text = {"", 0};
    uint64_t have;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_PERFETTO_METATRACE_INTERNED_STRINGS &&
            read_pair(orma_pb_str(&f), &have, &text) && have == iid)
            return orma_model_str(imp->model, text);
    return 0;
}

static void read_arg(struct orma_import_ctx *imp, struct orma_args_list *args,
                     const struct orma_item *item, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    uint32_t key = 0, value = 0;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_PERFETTO_METATRACE_ARG_KEY:
            key = orma_model_str(imp->model, orma_pb_str(&f));
            break;
        case ORMA_PB_PERFETTO_METATRACE_ARG_KEY_IID:
            key = text_of(imp, item, orma_pb_u64(&f));
            break;
        case ORMA_PB_PERFETTO_METATRACE_ARG_VALUE:
            value = orma_model_str(imp->model, orma_pb_str(&f));
            break;
        case ORMA_PB_PERFETTO_METATRACE_ARG_VALUE_IID:
            value = text_of(imp, item, orma_pb_u64(&f));
            break;
        }
    }
    if (key)
        orma_args_put_str(args, key, value);
}

static void read_record(struct orma_import_ctx *imp, struct orma_args_list *args,
                        const struct orma_item *item, struct record *ret)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;

    *ret = (struct record){0};
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_PERFETTO_METATRACE_EVENT_ID:
            ret->event =
                name_of(imp, event_names, ORMA_ARRAY_LEN(event_names), orma_pb_u64(&f), "Event");
            break;
        case ORMA_PB_PERFETTO_METATRACE_EVENT_NAME:
            ret->event = orma_model_str(imp->model, orma_pb_str(&f));
            break;
        case ORMA_PB_PERFETTO_METATRACE_EVENT_NAME_IID:
            ret->event = text_of(imp, item, orma_pb_u64(&f));
            break;
        case ORMA_PB_PERFETTO_METATRACE_COUNTER_ID:
            ret->counter = name_of(imp, counter_names, ORMA_ARRAY_LEN(counter_names),
                                   orma_pb_u64(&f), "Counter");
            break;
        case ORMA_PB_PERFETTO_METATRACE_COUNTER_NAME:
            ret->counter = orma_model_str(imp->model, orma_pb_str(&f));
            break;
        case ORMA_PB_PERFETTO_METATRACE_EVENT_DURATION_NS:
            ret->dur = orma_pb_u64(&f);
            break;
        case ORMA_PB_PERFETTO_METATRACE_COUNTER_VALUE:
            ret->value = orma_pb_i32(&f);
            break;
        case ORMA_PB_PERFETTO_METATRACE_THREAD_ID:
            ret->tid = orma_pb_u32(&f);
            break;
        case ORMA_PB_PERFETTO_METATRACE_HAS_OVERRUNS:
            if (orma_pb_bool(&f))
                orma_stats_inc(orma_model_stats(imp->model, item->machine),
                               ORMA_STAT_METATRACE_OVERRUNS);
            break;
        case ORMA_PB_PERFETTO_METATRACE_ARGS:
            read_arg(imp, args, item, orma_pb_str(&f));
            break;
        }
    }
}

static void self_trace_parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    ORMA_MODEL_ARGS(args, imp->model);
    struct record rec;

    read_record(imp, args, item, &rec);
    uint32_t utid = orma_processes_thread(orma_model_processes(imp->model, item->machine), rec.tid);
    if (rec.event) {
        orma_slices_complete(&imp->model->slices, item->ts, (int64_t)rec.dur,
                             orma_model_thread_track(imp->model, item->machine, utid),
                             orma_model_lit(imp->model, "metatrace"), rec.event, args);
    } else if (rec.counter) {
        const struct orma_track_dim dims[] = {
            orma_dim(imp->model->known.utid, utid),
            orma_dim_str(orma_model_lit(imp->model, "counter_name"), rec.counter)};

        orma_model_counter(imp->model, item->ts,
                           orma_model_counter_track(imp->model, item->machine, "metatrace_counter",
                                                    rec.counter, NULL, 2, dims),
                           rec.value);
    }
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_PERFETTO_METATRACE, 0};
const struct orma_importer orma_trace_self_trace_importer = {
    .name = "self_trace", .fields = fields, .parse = self_trace_parse};
