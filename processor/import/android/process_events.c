/*
 * Starts and ends of processes, as the system server tells them in track events: a row for each
 * process, with why it was started.
 */
#include "processor/import/android/android.h"
#include "processor/import/core/msg.h"
#include "processor/import/core/proto_args.h"

/* The fields that both events have. */
enum { EVENT_UID = 1, EVENT_PID, EVENT_NAME };
enum {
    START_BIND_DELAY = 4,
    START_DELAY,
    START_HOSTING_NAME,
    START_HOSTING_TYPE,
    START_TRIGGER,
    START_SEQ = 10,
    START_PACKAGE_UID,
    START_CALLER_UID,
    START_DEFINING_UID,
    START_FIELDS
};
enum { DIED_SEQ = 4 };

/* The row of a process; ORMA_ROW_NONE: memory is out. */
static uint32_t row_of(struct orma_import_ctx *imp, uint32_t upid)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_ANDROID_TRACK_EVENT_PROCESS);
    struct orma_android_state *st = orma_android_state(imp);
    uint64_t have = st ? orma_map_get(&st->processes, upid) : ORMA_MAP_NONE;

    if (have != ORMA_MAP_NONE)
        return (uint32_t)have;
    uint32_t row = orma_table_add(t);
    orma_table_set(t, ORMA_ANDROID_TRACK_EVENT_PROCESS_UPID, row, upid);
    if (!st || orma_map_put(&st->processes, upid, row))
        imp->model->storage->failed = true;
    return row;
}

static uint32_t process_of(struct orma_import_ctx *imp, uint16_t machine,
                           const struct orma_pb_field *f)
{
    struct orma_processes *p = orma_model_processes(imp->model, machine);
    uint32_t upid = orma_processes_process(p, orma_pb_u32(&f[EVENT_PID]));

    if (f[EVENT_NAME].len)
        orma_processes_name_process(p, upid, orma_msg_text(imp, &f[EVENT_NAME]),
                                    ORMA_PROCESS_NAME_SYSTEM);
    if (f[EVENT_UID].id)
        orma_table_set(orma_model_table(imp->model, ORMA_TABLE_PROCESS), ORMA_PROCESS_UID, upid,
                       orma_pb_i32(&f[EVENT_UID]));
    return upid;
}

/* The name of a value, or its number as text. */
static uint32_t word(struct orma_import_ctx *imp, const char *type, const struct orma_pb_field *f)
{
    const struct orma_schema *schema = orma_import_schema(imp);
    const char *name = orma_schema_value_name(
        schema, orma_schema_find_enum(schema, orma_str_from(type)), orma_pb_i32(f));

    return name ? orma_model_cstr(imp->model, name)
                : orma_strpool_addf(&imp->model->storage->pool, "%d", (int)orma_pb_i32(f));
}

static void started(struct orma_import_ctx *imp, uint16_t machine, int64_t ts,
                    struct orma_str bytes)
{
    static const struct orma_msg_column columns[] = {
        {START_SEQ, ORMA_ANDROID_TRACK_EVENT_PROCESS_START_SEQ_ID, ORMA_MSG_INT, false},
        {START_PACKAGE_UID, ORMA_ANDROID_TRACK_EVENT_PROCESS_PACKAGE_UID, ORMA_MSG_I32, false},
        {START_CALLER_UID, ORMA_ANDROID_TRACK_EVENT_PROCESS_CALLER_UID, ORMA_MSG_I32, false},
        {START_DEFINING_UID, ORMA_ANDROID_TRACK_EVENT_PROCESS_DEFINING_UID, ORMA_MSG_I32, false},
        {START_HOSTING_NAME, ORMA_ANDROID_TRACK_EVENT_PROCESS_HOSTING_NAME, ORMA_MSG_TEXT, false},
        {START_BIND_DELAY, ORMA_ANDROID_TRACK_EVENT_PROCESS_BIND_APPLICATION_DELAY_MS, ORMA_MSG_INT,
         false},
        {START_DELAY, ORMA_ANDROID_TRACK_EVENT_PROCESS_PROCESS_START_DELAY_MS, ORMA_MSG_INT, false},
    };
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_ANDROID_TRACK_EVENT_PROCESS);
    struct orma_pb_field f[START_FIELDS];

    orma_msg_read(bytes, f, START_FIELDS);
    uint32_t row = row_of(imp, process_of(imp, machine, f));
    if (row == ORMA_ROW_NONE)
        return;
    if (orma_table_is_null(t, ORMA_ANDROID_TRACK_EVENT_PROCESS_FW_START_TS, row))
        orma_table_set(t, ORMA_ANDROID_TRACK_EVENT_PROCESS_FW_START_TS, row, ts);
    orma_msg_set_columns(imp, t, row, columns, ORMA_ARRAY_LEN(columns), f);
    if (f[START_TRIGGER].id)
        orma_table_set(t, ORMA_ANDROID_TRACK_EVENT_PROCESS_TRIGGER_TYPE, row,
                       word(imp, "com.android.internal.TriggerType", &f[START_TRIGGER]));
    if (f[START_HOSTING_TYPE].id)
        orma_table_set(t, ORMA_ANDROID_TRACK_EVENT_PROCESS_HOSTING_TYPE, row,
                       word(imp, "com.android.internal.HostingTypeId", &f[START_HOSTING_TYPE]));
}

static void died(struct orma_import_ctx *imp, uint16_t machine, int64_t ts, struct orma_str bytes)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_ANDROID_TRACK_EVENT_PROCESS);
    struct orma_pb_field f[DIED_SEQ + 1];

    orma_msg_read(bytes, f, DIED_SEQ + 1);
    uint32_t row = row_of(imp, process_of(imp, machine, f));
    orma_table_set(t, ORMA_ANDROID_TRACK_EVENT_PROCESS_FW_END_TS, row, ts);
    if (f[DIED_SEQ].id)
        orma_table_set(t, ORMA_ANDROID_TRACK_EVENT_PROCESS_START_SEQ_ID, row,
                       orma_pb_i64(&f[DIED_SEQ]));
    orma_processes_end_thread(orma_model_processes(imp->model, machine), ts,
                              orma_pb_u32(&f[EVENT_PID]));
}

void orma_android_process_event(struct orma_import_ctx *imp, uint16_t machine, int64_t ts,
                                uint32_t field, struct orma_str bytes)
{
    if (field == ORMA_EVENT_PROCESS_STARTED)
        started(imp, machine, ts, bytes);
    else
        died(imp, machine, ts, bytes);
}
