/*
 * What Android's probes poll or receive: its log, residency of power entities, states of displays,
 * system properties, memory of the graphics card, and the state of the web interface.
 *
 * One importer takes all of these packets but those of the log, whose lines have times of their
 * own; parse() picks the function by the packet's field. Tracks of entities are cached by a hash of
 * what identifies them. The first part holds counters that kernel events report, too: the kernel
 * module reaches them through the port.
 */
#include <stdlib.h>

#include "processor/import/android/android.h"
#include "protos/fields/gpu.h"
#include "protos/fields/trace.h"
#include "sdk/base/base64.h"
#include "sdk/base/hash.h"

static void inc(struct orma_import_ctx *imp, const struct orma_item *item, enum orma_stat stat)
{
    orma_stats_inc(orma_model_stats(imp->model, item->machine), stat);
}

static struct orma_track_dim text_dim(struct orma_import_ctx *imp, const char *key, uint32_t text)
{
    return orma_dim_str(orma_model_lit(imp->model, key), text);
}

/* ---- counters that several sources report ---- */

void orma_android_screen_state(struct orma_import_ctx *imp, uint16_t machine, int64_t ts,
                               double value)
{
    orma_model_counter(imp->model, ts,
                       orma_model_counter_track(imp->model, machine, "screen_state",
                                                orma_model_lit(imp->model, "ScreenState"), NULL, 0,
                                                NULL),
                       value);
}

void orma_android_battery_stats(struct orma_import_ctx *imp, uint16_t machine, int64_t ts,
                                struct orma_str key, double value)
{
    uint32_t name = orma_model_str(imp->model, key);
    const struct orma_track_dim dim = text_dim(imp, "counter_key", name);

    orma_model_counter(
        imp->model, ts,
        orma_model_counter_track(imp->model, machine, "battery_stats", name, NULL, 1, &dim), value);
}

/* Of a process, or with ORMA_ID_NONE of the whole card. */
static void gpu_memory_of(struct orma_import_ctx *imp, uint16_t machine, int64_t ts, uint32_t gpu,
                          uint32_t upid, double size)
{
    struct orma_model *model = imp->model;
    const struct orma_track_dim dims[] = {
        orma_dim(orma_model_lit(model, "ugpu"), orma_model_ugpu(model, machine, gpu)),
        orma_dim(orma_model_lit(model, "gpu"), gpu),
        orma_dim(model->known.upid, upid),
    };
    bool whole = upid == ORMA_ID_NONE;

    orma_model_counter(
        model, ts,
        orma_model_counter_track(model, machine, whole ? "gpu_memory" : "process_gpu_memory",
                                 orma_model_lit(model, "GPU Memory"), "bytes", whole ? 2 : 3, dims),
        size);
}

void orma_android_gpu_memory(struct orma_import_ctx *imp, uint16_t machine, int64_t ts,
                             uint32_t gpu, uint32_t pid, double size)
{
    struct orma_processes *procs = orma_model_processes(imp->model, machine);

    gpu_memory_of(imp, machine, ts, gpu, pid ? orma_processes_process(procs, pid) : ORMA_ID_NONE,
                  size);
}

void orma_android_late_gpu_memory(struct orma_import_ctx *imp, uint16_t machine, int64_t ts,
                                  uint32_t gpu, uint32_t pid, double size)
{
    struct orma_processes *procs = orma_model_processes(imp->model, machine);

    if (!pid || orma_processes_find_thread(procs, pid) != ORMA_ID_NONE)
        orma_android_gpu_memory(imp, machine, ts, gpu, pid, size);
}

/* ---- the log ---- */

enum { LOG_EVENTS = 1, LOG_STATS };
enum { LOG_PID = 2, LOG_TID, LOG_UID, LOG_TIME, LOG_TAG, LOG_PRIO, LOG_MESSAGE, LOG_ARGS };
enum { LOG_ARG_NAME = 1, LOG_ARG_INT, LOG_ARG_FLOAT, LOG_ARG_STRING };
enum { LOG_NUM_TOTAL = 1, LOG_NUM_FAILED, LOG_NUM_SKIPPED };
#define LOG_PRIO_INFO 4

struct log_line {
    uint32_t pid, tid, prio;
    struct orma_str tag, message;
};

/* Events of the binary log have values behind the message, or instead of it: " name=value". */
static void put_log_arg(struct orma_buf *text, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f, value = {0};
    struct orma_str name = {0};

    while (orma_pb_next(&r, &f)) {
        if (f.id == LOG_ARG_NAME)
            name = orma_pb_str(&f);
        else
            value = f;
    }
    if (!name.data)
        return;
    orma_buf_printf(text, " %.*s=", ORMA_STR_ARG(name));
    if (value.id == LOG_ARG_STRING)
        orma_buf_printf(text, "\"%.*s\"", ORMA_STR_ARG(orma_pb_str(&value)));
    else if (value.id == LOG_ARG_INT)
        orma_buf_printf(text, "%lld", (long long)orma_pb_i64(&value));
    else if (value.id == LOG_ARG_FLOAT)
        orma_buf_printf(text, "%f", (double)orma_pb_float(&value));
}

static void read_log_line(struct orma_str bytes, struct log_line *ret, struct orma_buf *args)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    *ret = (struct log_line){0};
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case LOG_PID:
            ret->pid = orma_pb_u32(&f);
            break;
        case LOG_TID:
            ret->tid = orma_pb_u32(&f);
            break;
        case LOG_TAG:
            ret->tag = orma_pb_str(&f);
            break;
        case LOG_PRIO:
            ret->prio = orma_pb_u32(&f);
            break;
        case LOG_MESSAGE:
            ret->message = orma_pb_str(&f);
            break;
        case LOG_ARGS:
            put_log_arg(args, orma_pb_str(&f));
            break;
        }
    }
}

static void log_line(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_processes *procs = orma_model_processes(imp->model, item->machine);
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_LOGS);
    struct orma_buf args = {0}, text = {0};
    struct log_line e;

    read_log_line((struct orma_str){(const char *)item->data, item->len}, &e, &args);
    if (args.len) {
        orma_buf_put(&text, e.message.data, e.message.len);
        orma_buf_put(&text, args.data, args.len);
        e.message = orma_buf_str(&text);
    }
    uint32_t row = orma_table_add(t);
    orma_table_set_time(t, ORMA_LOGS_TS, row, item->ts);
    orma_table_set(t, ORMA_LOGS_UTID, row, orma_processes_thread_of(procs, e.tid, e.pid));
    orma_table_set(t, ORMA_LOGS_PRIO, row, e.prio ? e.prio & 0xff : LOG_PRIO_INFO);
    orma_table_set(t, ORMA_LOGS_LOG_SOURCE, row, orma_model_lit(imp->model, "android_logcat"));
    orma_table_set(t, ORMA_LOGS_TAG, row, orma_model_str(imp->model, e.tag));
    orma_table_set(t, ORMA_LOGS_MSG, row, orma_model_str(imp->model, e.message));
    imp->model->storage->failed |= args.failed | text.failed;
    orma_buf_fini(&args);
    orma_buf_fini(&text);
}

static void log_stats(struct orma_import_ctx *imp, uint16_t machine, struct orma_pb_reader r)
{
    struct orma_stats *stats = orma_model_stats(imp->model, machine);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == LOG_NUM_TOTAL)
            orma_stats_set(stats, ORMA_STAT_ANDROID_LOG_NUM_TOTAL, orma_pb_i64(&f));
        else if (f.id == LOG_NUM_FAILED)
            orma_stats_set(stats, ORMA_STAT_ANDROID_LOG_NUM_FAILED, orma_pb_i64(&f));
        else if (f.id == LOG_NUM_SKIPPED)
            orma_stats_set(stats, ORMA_STAT_ANDROID_LOG_NUM_SKIPPED, orma_pb_i64(&f));
    }
}

static void push_log_line(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                          uint64_t order, const struct orma_pb_field *line)
{
    struct orma_item item = {
        .order = order,
        .data = line->data,
        .len = (uint32_t)line->len,
        .field = ORMA_PB_TRACE_PACKET_ANDROID_LOG,
        .kind = ORMA_ITEM_PACKET,
        .machine = ctx->machine,
    };
    struct orma_pb_reader r = orma_pb_sub(line);
    struct orma_pb_field f;
    int64_t ns = 0;

    while (orma_pb_next(&r, &f))
        if (f.id == LOG_TIME)
            ns = orma_pb_i64(&f);
    if (orma_import_inner_time(imp, ctx->machine, ORMA_CLOCK_REALTIME, ns, "lines of Android's log",
                               &item.ts) &&
        orma_reader_sortable(imp->reader, item.ts))
        orma_sorter_push(&imp->reader->sorter, &item);
}

/* Lines have times of their own, of a clock of theirs. */
static bool log_tokenize(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len);
    uint64_t order = ctx->order;
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == LOG_EVENTS)
            push_log_line(imp, ctx, ORMA_MIN(order++, ctx->order + ORMA_ORDER_STEP - 1), &f);
        else if (f.id == LOG_STATS)
            log_stats(imp, ctx->machine, orma_pb_sub(&f));
    }
    return true;
}

static const uint16_t log_fields[] = {ORMA_PB_TRACE_PACKET_ANDROID_LOG, 0};
const struct orma_importer orma_android_android_log_importer = {
    .name = "android_log", .fields = log_fields, .tokenize = log_tokenize, .parse = log_line};

/* ---- states of power entities ---- */

enum { ENTITY_STATES = 1, ENTITY_RESIDENCY };
enum { ENTITY_INDEX = 1, ENTITY_STATE_INDEX, ENTITY_NAME, ENTITY_STATE_NAME };
enum { ENTITY_TOTAL_MS = 3 };

struct entity {
    uint32_t index, state;
    bool has_index, has_state, has_names[2];
    struct orma_str names[2];
    uint64_t total_ms;
};

static void read_entity(struct orma_str bytes, struct entity *ret)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    *ret = (struct entity){0};
    while (orma_pb_next(&r, &f)) {
        if (f.id == ENTITY_INDEX) {
            ret->index = orma_pb_u32(&f);
            ret->has_index = true;
        } else if (f.id == ENTITY_STATE_INDEX) {
            ret->state = orma_pb_u32(&f);
            ret->has_state = true;
        } else if (f.id == ENTITY_NAME || f.id == ENTITY_STATE_NAME) {
            ret->names[f.id - ENTITY_NAME] = orma_pb_str(&f);
            ret->has_names[f.id - ENTITY_NAME] = f.wire == ORMA_PB_LEN;
            if (f.id == ENTITY_TOTAL_MS)
                ret->total_ms = orma_pb_u64(&f);
        }
    }
}

static uint64_t entity_key(const struct orma_item *item, const struct entity *e)
{
    return orma_mix64(orma_mix64((uint64_t)item->machine << 32 | e->index) ^ e->state);
}

/* Only names it: the track comes with the first value. */
static void describe_entity(struct orma_import_ctx *imp, const struct orma_item *item,
                            struct orma_str bytes)
{
    struct orma_android_state *st = orma_android_state(imp);
    struct entity e;

    read_entity(bytes, &e);
    if (!e.has_index || !e.has_state || !e.has_names[0] || !e.has_names[1]) {
        inc(imp, item, ORMA_STAT_ENTITY_STATE_DESCRIPTOR_INVALID);
        return;
    }
    uint64_t names = (uint64_t)orma_model_str(imp->model, e.names[0]) << 32 |
                     orma_model_str(imp->model, e.names[1]);
    if (!st || orma_map_put(&st->entities, entity_key(item, &e), names))
        imp->model->storage->failed = true;
}

static uint32_t entity_track(struct orma_import_ctx *imp, const struct orma_item *item,
                             uint64_t names)
{
    struct orma_strpool *pool = &imp->model->storage->pool;
    uint32_t entity = (uint32_t)(names >> 32), state = (uint32_t)names;
    const struct orma_track_dim dims[] = {text_dim(imp, "entity_name", entity),
                                          text_dim(imp, "state_name", state)};

    return orma_model_counter_track(imp->model, item->machine, "entity_state",
                                    orma_strpool_addf(pool, "Entity residency: %s is %s",
                                                      orma_strpool_cstr(pool, entity),
                                                      orma_strpool_cstr(pool, state)),
                                    NULL, 2, dims);
}

/* False: nothing says what it is of, nor then what the others of the packet are. */
static bool entity_residency(struct orma_import_ctx *imp, const struct orma_item *item,
                             struct orma_str bytes)
{
    struct orma_android_state *st = orma_android_state(imp);
    struct entity e;

    read_entity(bytes, &e);
    if (!e.has_index || !e.has_state) {
        inc(imp, item, ORMA_STAT_ENTITY_STATE_RESIDENCY_INVALID);
        return true;
    }
    uint64_t names = st ? orma_map_get(&st->entities, entity_key(item, &e)) : ORMA_MAP_NONE;
    if (names == ORMA_MAP_NONE) {
        inc(imp, item, ORMA_STAT_ENTITY_STATE_RESIDENCY_LOOKUP_FAILED);
        return false;
    }
    orma_model_counter(imp->model, item->ts, entity_track(imp, item, names),
                       (double)(int64_t)e.total_ms);
    return true;
}

/* Descriptions come first, wherever they stand in the packet. */
static void entities(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == ENTITY_STATES)
            describe_entity(imp, item, orma_pb_str(&f));
    r = orma_pb_reader(item->data, item->len);
    while (orma_pb_next(&r, &f))
        if (f.id == ENTITY_RESIDENCY && !entity_residency(imp, item, orma_pb_str(&f)))
            return;
}

/* ---- displays and properties ---- */

static void display_state(struct orma_import_ctx *imp, const struct orma_item *item)
{
    enum { DISPLAY_STATE = 1 };
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    int32_t state = 0;

    while (orma_pb_next(&r, &f))
        if (f.id == DISPLAY_STATE)
            state = orma_pb_i32(&f);
    orma_android_screen_state(imp, item->machine, item->ts, state);
}

/* What other properties of debug.tracing are called; any more of them are not for the timeline. */
static const struct {
    const char *property, *name;
} system_properties[] = {
    {"mcc", "mcc"},
    {"mnc", "mnc"},
    {"desktop_mode_visible_tasks", "desktop_mode_visible_tasks"},
    {"battery_status", "BatteryStatus"},
    {"plug_type", "PlugType"},
};

static void number_property(struct orma_import_ctx *imp, const struct orma_item *item,
                            struct orma_str name, double value)
{
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(system_properties); i++) {
        if (!orma_str_eq_c(name, system_properties[i].property))
            continue;
        uint32_t shown = orma_model_lit(imp->model, system_properties[i].name);
        const struct orma_track_dim dim = text_dim(imp, "sysprop_name", shown);

        orma_model_counter(imp->model, item->ts,
                           orma_model_counter_track(imp->model, item->machine, "sysprop_counter",
                                                    shown, NULL, 1, &dim),
                           value);
    }
}

static void property(struct orma_import_ctx *imp, const struct orma_item *item,
                     struct orma_str bytes)
{
    enum { NAME = 1, VALUE };
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    const struct orma_str prefix = ORMA_STR("debug.tracing.");
    struct orma_str name = {0}, value = {0};
    struct orma_pb_field f;
    int64_t num;

    while (orma_pb_next(&r, &f)) {
        if (f.id == NAME)
            name = orma_pb_str(&f);
        else if (f.id == VALUE)
            value = orma_pb_str(&f);
    }
    if (!orma_str_starts(name, prefix))
        return;
    name = (struct orma_str){name.data + prefix.len, name.len - prefix.len};
    if (orma_str_eq_c(name, "device_state")) {
        orma_slices_complete(
            &imp->model->slices, item->ts, 0,
            orma_model_slice_track(imp->model, item->machine, "android_device_state",
                                   orma_model_lit(imp->model, "DeviceStateChanged"), 0, NULL),
            0, orma_model_str(imp->model, value), NULL);
        return;
    }
    if (!orma_str_to_i64(value, &num) || num < INT32_MIN || num > INT32_MAX)
        return;
    if (orma_str_eq_c(name, "screen_state"))
        orma_android_screen_state(imp, item->machine, item->ts, (double)num);
    else if (orma_str_starts(name, ORMA_STR("battery_stats.")))
        orma_android_battery_stats(imp, item->machine, item->ts, name, (double)num);
    else
        number_property(imp, item, name, (double)num);
}

static void properties(struct orma_import_ctx *imp, const struct orma_item *item)
{
    enum { VALUES = 1 };
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == VALUES)
            property(imp, item, orma_pb_str(&f));
}

static void gpu_memory(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    uint32_t gpu = 0, pid = 0;
    uint64_t size = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_GPU_MEM_TOTAL_EVENT_GPU_ID)
            gpu = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_GPU_MEM_TOTAL_EVENT_PID)
            pid = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_GPU_MEM_TOTAL_EVENT_SIZE)
            size = orma_pb_u64(&f);
    }
    orma_android_gpu_memory(imp, item->machine, item->ts, gpu, pid, (double)size);
}

/* What the web interface was asked to show. */
static void ui_state(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_buf text = {0};

    orma_base64_put(&text, (struct orma_str){(const char *)item->data, item->len});
    orma_metadata_str(imp->model, "ui_state", false, ORMA_METADATA_TRACE, item->machine,
                      orma_model_str(imp->model, orma_buf_str(&text)));
    imp->model->storage->failed |= text.failed;
    orma_buf_fini(&text);
}

static void parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    switch (item->field) {
    case ORMA_PB_TRACE_PACKET_ENTITY_STATE_RESIDENCY:
        entities(imp, item);
        break;
    case ORMA_PB_TRACE_PACKET_INITIAL_DISPLAY_STATE:
        display_state(imp, item);
        break;
    case ORMA_PB_TRACE_PACKET_ANDROID_SYSTEM_PROPERTY:
        properties(imp, item);
        break;
    case ORMA_PB_TRACE_PACKET_GPU_MEM_TOTAL_EVENT:
        gpu_memory(imp, item);
        break;
    case ORMA_PB_TRACE_PACKET_UI_STATE:
        ui_state(imp, item);
        break;
    }
}

struct orma_android_state *orma_android_state(struct orma_import_ctx *imp)
{
    return orma_model_lazy(imp->model, (void **)&orma_android(imp)->probes,
                           sizeof(struct orma_android_state));
}

static void fini(struct orma_import_ctx *imp)
{
    struct orma_android_state *st = orma_android(imp)->probes;

    if (st) {
        orma_map_fini(&st->entities);
        orma_map_fini(&st->rails);
        orma_map_fini(&st->consumers);
        free(st->consumer_rows);
        orma_map_fini(&st->packages);
        orma_map_fini(&st->by_uid);
        orma_map_fini(&st->processes);
        orma_map_fini(&st->wakelocks);
    }
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_ENTITY_STATE_RESIDENCY,
                                  ORMA_PB_TRACE_PACKET_INITIAL_DISPLAY_STATE,
                                  ORMA_PB_TRACE_PACKET_ANDROID_SYSTEM_PROPERTY,
                                  ORMA_PB_TRACE_PACKET_GPU_MEM_TOTAL_EVENT,
                                  ORMA_PB_TRACE_PACKET_UI_STATE,
                                  0};
const struct orma_importer orma_android_android_importer = {
    .name = "android", .fields = fields, .parse = parse, .fini = fini};
