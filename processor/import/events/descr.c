/* What descriptors say of processes and threads: names, labels, times. */
#include "processor/import/core/arg_key.h"
#include "processor/import/events/events.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"

static void put_label(struct orma_import_ctx *imp, struct orma_args_list *args, const char *flat,
                      unsigned index, struct orma_str text)
{
    struct orma_arg_key k;

    orma_arg_key_init(&k, flat);
    orma_arg_key_push_index(&k, index);
    orma_arg_put_text(imp, &k, text, args);
}

/* What Chrome calls processes of a kind; that of a renderer is better than what it says itself. */
static void name_by_type(struct orma_import_ctx *imp, uint16_t machine, uint32_t upid,
                         uint64_t type)
{
    uint32_t name = orma_events_chrome_process(imp, type);

    if (name)
        orma_processes_name_process(orma_model_processes(imp->model, machine), upid, name,
                                    type == ORMA_PB_PROCESS_DESCRIPTOR_PROCESS_RENDERER
                                        ? ORMA_PROCESS_NAME_RENDERER
                                        : ORMA_PROCESS_NAME_LABEL);
}

static void on_process(struct orma_import_ctx *imp, uint16_t machine, uint32_t upid,
                       struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct orma_processes *procs = orma_model_processes(imp->model, machine);
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_PROCESS);
    uint32_t name = 0, type = 0;
    unsigned labels = 0;

    ORMA_MODEL_ARGS(args, imp->model);
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_PROCESS_DESCRIPTOR_PROCESS_NAME:
            name = orma_model_str(imp->model, orma_pb_str(&f));
            break;
        case ORMA_PB_PROCESS_DESCRIPTOR_CHROME_PROCESS_TYPE:
            type = orma_pb_u32(&f);
            break;
        case ORMA_PB_PROCESS_DESCRIPTOR_START_TIMESTAMP_NS:
            if (orma_pb_i64(&f) > 0 && orma_table_is_null(t, ORMA_PROCESS_START_TS, upid))
                orma_table_set(t, ORMA_PROCESS_START_TS, upid, orma_pb_i64(&f));
            break;
        case ORMA_PB_PROCESS_DESCRIPTOR_PROCESS_LABELS:
            put_label(imp, args, "chrome.process_label", labels++, orma_pb_str(&f));
            break;
        }
    }
    orma_model_add_args(imp->model, ORMA_TABLE_PROCESS, ORMA_PROCESS_ARG_SET_ID, upid, args);
    if (name && name != ORMA_STR_EMPTY)
        orma_processes_name_process(procs, upid, name, ORMA_PROCESS_NAME_DESCRIPTOR);
    name_by_type(imp, machine, upid, type);
}

static void on_chrome_process(struct orma_import_ctx *imp, uint16_t machine, uint32_t upid,
                              struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    uint64_t type = 0;

    ORMA_MODEL_ARGS(args, imp->model);
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_CHROME_PROCESS_DESCRIPTOR_PROCESS_TYPE:
            type = orma_pb_u64(&f);
            break;
        case ORMA_PB_CHROME_PROCESS_DESCRIPTOR_HOST_APP_PACKAGE_NAME:
            orma_args_put_str(args, orma_model_lit(imp->model, "chrome.host_app_package_name"),
                              orma_model_str(imp->model, orma_pb_str(&f)));
            break;
        case ORMA_PB_CHROME_PROCESS_DESCRIPTOR_CRASH_TRACE_ID:
            orma_args_put_uint(args, orma_model_lit(imp->model, "chrome.crash_trace_id"),
                               orma_pb_u64(&f));
            break;
        }
    }
    orma_args_put_str(args, orma_model_lit(imp->model, "chrome.process_type"),
                      orma_events_chrome_process(imp, type));
    orma_model_add_args(imp->model, ORMA_TABLE_PROCESS, ORMA_PROCESS_ARG_SET_ID, upid, args);
    name_by_type(imp, machine, upid, type);
}

static void on_chrome_thread(struct orma_import_ctx *imp, uint16_t machine, uint32_t utid,
                             struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    uint32_t type = 0;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_CHROME_THREAD_DESCRIPTOR_THREAD_TYPE)
            type = orma_events_chrome_thread(imp, orma_pb_u64(&f));
    if (type)
        orma_processes_name_thread(orma_model_processes(imp->model, machine), utid, type,
                                   ORMA_THREAD_NAME_DESCRIPTOR_TYPE);
}

static void on_thread(struct orma_import_ctx *imp, uint16_t machine, uint32_t utid,
                      struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct orma_processes *procs = orma_model_processes(imp->model, machine);
    uint32_t name = 0, type = 0;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_THREAD_DESCRIPTOR_THREAD_NAME:
            if (f.len)
                name = orma_model_str(imp->model, orma_pb_str(&f));
            break;
        case ORMA_PB_THREAD_DESCRIPTOR_CHROME_THREAD_TYPE:
            type = orma_events_chrome_thread(imp, orma_pb_u64(&f));
            break;
        }
    }
    if (name)
        orma_processes_name_thread(procs, utid, name, ORMA_THREAD_NAME_DESCRIPTOR);
    else if (type)
        orma_processes_name_thread(procs, utid, type, ORMA_THREAD_NAME_DESCRIPTOR_TYPE);
}

static void find_pids(struct orma_processes *procs, struct orma_str bytes, uint32_t pid_field,
                      uint32_t *ret_pid, uint32_t tid_field, uint32_t *ret_tid)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    *ret_pid = *ret_tid = 0;
    while (orma_pb_next(&r, &f)) {
        if (f.id == pid_field)
            *ret_pid = orma_pb_u32(&f);
        else if (f.id == tid_field)
            *ret_tid = orma_processes_tid(procs, orma_pb_i64(&f));
    }
}

/* Whom a descriptor is about: that of the track, or whom it names, if the track was described as
 * another one's. */
static uint32_t upid_of(struct orma_import_ctx *imp, const struct orma_item *item,
                        const struct orma_events_track *t, struct orma_str process)
{
    struct orma_processes *procs = orma_model_processes(imp->model, item->machine);
    uint32_t pid, tid;

    find_pids(procs, process, ORMA_PB_PROCESS_DESCRIPTOR_PID, &pid, 0, &tid);
    if (t->has_process && t->pid == pid)
        return t->upid;
    return orma_processes_process(procs, pid);
}

static uint32_t utid_of(struct orma_import_ctx *imp, const struct orma_item *item,
                        const struct orma_events_track *t, struct orma_str thread)
{
    struct orma_processes *procs = orma_model_processes(imp->model, item->machine);
    uint32_t pid, tid;

    find_pids(procs, thread, ORMA_PB_THREAD_DESCRIPTOR_PID, &pid, ORMA_PB_THREAD_DESCRIPTOR_TID,
              &tid);
    if (t->has_thread && t->pid == pid && t->tid == tid)
        return t->utid;
    return orma_processes_thread_of(procs, tid, pid);
}

static void on_track(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    struct orma_str thread = {0}, process = {0}, chrome_thread = {0}, chrome_process = {0};
    uint64_t uuid = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACK_DESCRIPTOR_UUID)
            uuid = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_TRACK_DESCRIPTOR_THREAD)
            thread = orma_pb_str(&f);
        else if (f.id == ORMA_PB_TRACK_DESCRIPTOR_PROCESS)
            process = orma_pb_str(&f);
        else if (f.id == ORMA_PB_TRACK_DESCRIPTOR_CHROME_THREAD)
            chrome_thread = orma_pb_str(&f);
        else if (f.id == ORMA_PB_TRACK_DESCRIPTOR_CHROME_PROCESS)
            chrome_process = orma_pb_str(&f);
    }
    struct orma_events_track *t = orma_events_find(imp, uuid, item->machine);
    if (!t)
        return;
    if (!orma_events_resolve(imp, t)) {
        orma_stats_inc(orma_model_stats(imp->model, item->machine),
                       ORMA_STAT_TRACK_EVENT_PARSER_ERRORS);
        return;
    }
    if (thread.data) {
        uint32_t utid = utid_of(imp, item, t, thread);

        on_thread(imp, item->machine, utid, thread);
        on_chrome_thread(imp, item->machine, utid, chrome_thread);
    } else if (process.data) {
        uint32_t upid = upid_of(imp, item, t, process);

        on_process(imp, item->machine, upid, process);
        orma_events_process_described(imp, upid, item->ts);
        if (chrome_process.data)
            on_chrome_process(imp, item->machine, upid, chrome_process);
    }
}

static void on_old_process(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_PROCESS_DESCRIPTOR_PID)
            continue;
        on_process(imp, item->machine,
                   orma_processes_process(orma_model_processes(imp->model, item->machine),
                                          orma_pb_u32(&f)),
                   (struct orma_str){(const char *)item->data, item->len});
        return;
    }
}

static void on_old_thread(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    struct orma_processes *procs = orma_model_processes(imp->model, item->machine);
    uint32_t pid = 0, tid = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_THREAD_DESCRIPTOR_PID)
            pid = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_THREAD_DESCRIPTOR_TID)
            tid = orma_processes_tid(procs, orma_pb_i64(&f));
    }
    on_thread(imp, item->machine, orma_processes_thread_of(procs, tid, pid),
              (struct orma_str){(const char *)item->data, item->len});
}

void orma_events_parse_descriptor(struct orma_import_ctx *imp, const struct orma_item *item)
{
    switch (item->field) {
    case ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR:
        on_track(imp, item);
        break;
    case ORMA_PB_TRACE_PACKET_PROCESS_DESCRIPTOR:
        on_old_process(imp, item);
        break;
    case ORMA_PB_TRACE_PACKET_THREAD_DESCRIPTOR:
        on_old_thread(imp, item);
        break;
    }
}

void orma_events_read_range(struct orma_import_ctx *imp, uint16_t machine, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    bool has_start = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_TRACK_EVENT_RANGE_OF_INTEREST_START_US)
            continue;
        has_start = true;
        int64_t ns;

        if (__builtin_mul_overflow(orma_pb_i64(&f), 1000, &ns))
            continue;
        orma_events(imp)->crop_start = ns;
        if (imp->options->crop_track_events) /* from here on each event is looked at as it comes */
            imp->reader->hooks.uses[ORMA_PB_TRACE_PACKET_TRACK_EVENT] |= ORMA_FIELD_TOKENIZE;
        orma_metadata_int(imp->model, "range_of_interest_start_us", false, ORMA_METADATA_TRACE, 0,
                          orma_pb_i64(&f));
    }
    if (!has_start)
        orma_stats_inc(orma_model_stats(imp->model, machine),
                       ORMA_STAT_TRACK_EVENT_RANGE_OF_INTEREST_MISSING_START_US);
}
