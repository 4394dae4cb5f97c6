/* Messages of the system journal, as rows of the logs. */
#include "processor/import/android/android.h"

#include "protos/fields/trace.h"

struct entry {
    uint32_t pid, tid, prio;
    bool has_pid, has_tid;
    struct orma_str tag, message;
};

/* Fields that are args under their own names. */
static const struct {
    uint8_t field;
    bool is_text;
    const char *key;
} arg_fields[] = {
    {ORMA_PB_SYSTEMD_JOURNALD_EVENT_UID, false, "uid"},
    {ORMA_PB_SYSTEMD_JOURNALD_EVENT_GID, false, "gid"},
    {ORMA_PB_SYSTEMD_JOURNALD_EVENT_COMM, true, "comm"},
    {ORMA_PB_SYSTEMD_JOURNALD_EVENT_EXE, true, "exe"},
    {ORMA_PB_SYSTEMD_JOURNALD_EVENT_SYSTEMD_UNIT, true, "systemd_unit"},
    {ORMA_PB_SYSTEMD_JOURNALD_EVENT_HOSTNAME, true, "hostname"},
    {ORMA_PB_SYSTEMD_JOURNALD_EVENT_TRANSPORT, true, "transport"},
};

static void put_arg(struct orma_import_ctx *imp, struct orma_args_list *args,
                    const struct orma_pb_field *f)
{
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(arg_fields); i++) {
        uint32_t key;

        if (arg_fields[i].field != f->id)
            continue;
        key = orma_model_cstr(imp->model, arg_fields[i].key);
        if (arg_fields[i].is_text)
            orma_args_put_str(args, key, orma_model_str(imp->model, orma_pb_str(f)));
        else
            orma_args_put_uint(args, key, orma_pb_u64(f));
    }
}

/* False: the packet counts entries and is none. */
static bool read_entry(struct orma_import_ctx *imp, struct orma_args_list *args,
                       const struct orma_item *item, struct entry *ret)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    struct orma_stats *stats = orma_model_stats(imp->model, item->machine);
    bool counts = false;

    *ret = (struct entry){0};
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_SYSTEMD_JOURNALD_EVENT_PID:
            ret->pid = orma_pb_u32(&f);
            ret->has_pid = true;
            break;
        case ORMA_PB_SYSTEMD_JOURNALD_EVENT_TID:
            ret->tid = orma_pb_u32(&f);
            ret->has_tid = true;
            break;
        case ORMA_PB_SYSTEMD_JOURNALD_EVENT_PRIO:
            ret->prio = orma_pb_u32(&f);
            break;
        case ORMA_PB_SYSTEMD_JOURNALD_EVENT_TAG:
            ret->tag = orma_pb_str(&f);
            break;
        case ORMA_PB_SYSTEMD_JOURNALD_EVENT_MESSAGE:
            ret->message = orma_pb_str(&f);
            break;
        case ORMA_PB_SYSTEMD_JOURNALD_EVENT_NUM_TOTAL:
            orma_stats_set(stats, ORMA_STAT_SYSTEMD_JOURNAL_NUM_TOTAL, orma_pb_i64(&f));
            counts = true;
            break;
        case ORMA_PB_SYSTEMD_JOURNALD_EVENT_NUM_FAILED:
            orma_stats_set(stats, ORMA_STAT_SYSTEMD_JOURNAL_NUM_FAILED, orma_pb_i64(&f));
            counts = true;
            break;
        default:
            put_arg(imp, args, &f);
        }
    }
    return !counts;
}

static void logs_parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    ORMA_MODEL_ARGS(args, imp->model);
    struct orma_processes *procs = orma_model_processes(imp->model, item->machine);
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_LOGS);
    struct entry e;

    if (!read_entry(imp, args, item, &e))
        return;
    uint32_t row = orma_table_add(t);
    orma_table_set_time(t, ORMA_LOGS_TS, row, item->ts);
    if (e.has_pid || e.has_tid)
        orma_table_set(t, ORMA_LOGS_UTID, row,
                       e.has_pid ? orma_processes_thread_of(procs, e.has_tid ? e.tid : e.pid, e.pid)
                                 : orma_processes_thread(procs, e.tid));
    orma_table_set(t, ORMA_LOGS_PRIO, row, e.prio);
    orma_table_set(t, ORMA_LOGS_LOG_SOURCE, row, orma_model_lit(imp->model, "systemd_journald"));
    if (e.tag.data)
        orma_table_set(t, ORMA_LOGS_TAG, row, orma_model_str(imp->model, e.tag));
    orma_table_set(t, ORMA_LOGS_MSG, row, orma_model_str(imp->model, e.message));
    orma_storage_set_args(t, ORMA_LOGS_ARG_SET_ID, row,
                          orma_args_commit(&imp->model->storage->args, args));
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_JOURNALD_EVENT, 0};
const struct orma_importer orma_android_logs_importer = {
    .name = "journald", .fields = fields, .parse = logs_parse};
