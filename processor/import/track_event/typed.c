/* Fields of track events with a meaning of their own, and all that the schema knows, as args. */
#include <stdio.h>

#include "processor/import/track_event/event.h"
#include "processor/import/trackers/proto_args.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/track_event.h"

struct location {
    uint32_t file, function, line; /* texts as pool ids */
    bool has_line;
};

/* Paths of other systems in the usual form. */
static uint32_t path_text(struct orma_import *imp, struct orma_str s)
{
    struct orma_buf path = {0};

    if (!memchr(s.data ? s.data : "", '\\', s.len))
        return orma_import_str(imp, s);
    for (size_t i = 0; i < s.len; i++)
        orma_buf_put_byte(&path, s.data[i] == '\\' ? '/' : (uint8_t)s.data[i]);
    uint32_t text = orma_import_str(imp, orma_buf_str(&path));
    imp->storage->failed |= path.failed;
    orma_buf_fini(&path);
    return text;
}

static bool find_location(struct orma_import *imp, const struct orma_seq_gen *gen, uint64_t iid,
                          struct location *ret)
{
    const struct orma_interned *entry =
        orma_seq_gen_find(gen, ORMA_PB_INTERNED_DATA_SOURCE_LOCATIONS, iid);

    *ret = (struct location){0};
    if (!entry) {
        orma_stats_inc(orma_import_stats(imp, (uint16_t)gen->seq->machine),
                       ORMA_STAT_INTERNED_DATA_TOKENIZER_ERRORS);
        return false;
    }
    struct orma_pb_reader r = orma_pb_reader(entry->data, entry->len);
    struct orma_pb_field f;
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_SOURCE_LOCATION_FILE_NAME:
            ret->file = path_text(imp, orma_pb_str(&f));
            break;
        case ORMA_PB_SOURCE_LOCATION_FUNCTION_NAME:
            ret->function = orma_import_str(imp, orma_pb_str(&f));
            break;
        case ORMA_PB_SOURCE_LOCATION_LINE_NUMBER:
            ret->line = orma_pb_u32(&f);
            ret->has_line = true;
            break;
        }
    }
    return true;
}

static void put_str(struct orma_import *imp, struct orma_args_list *ret, const char *prefix,
                    const char *name, uint32_t text)
{
    if (text)
        orma_args_put_str(ret, orma_strpool_addf(&imp->storage->pool, "%s.%s", prefix, name), text);
}

static void put_location(struct orma_import *imp, const struct orma_te_event *e, uint64_t iid,
                         const char *prefix, struct orma_args_list *ret)
{
    struct location l;

    if (!find_location(imp, e->item->gen, iid, &l)) {
        orma_stats_inc(orma_import_stats(imp, e->item->machine),
                       ORMA_STAT_TRACK_EVENT_PARSER_ERRORS);
        return;
    }
    put_str(imp, ret, prefix, "file_name", l.file);
    put_str(imp, ret, prefix, "function_name", l.function);
    if (l.has_line)
        orma_args_put_uint(ret, orma_strpool_addf(&imp->storage->pool, "%s.line_number", prefix),
                           l.line);
}

static void on_task(struct orma_import *imp, const struct orma_te_event *e, struct orma_str bytes,
                    struct orma_args_list *ret)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_TASK_EXECUTION_POSTED_FROM_IID)
            put_location(imp, e, orma_pb_u64(&f), "task.posted_from", ret);
}

/* ---- log messages ---- */

static void add_log_row(struct orma_import *imp, const struct orma_te_event *e, uint32_t message,
                        uint32_t prio, const struct location *l)
{
    struct orma_table *t = orma_import_table(imp, ORMA_TABLE_LOGS);
    uint32_t row = orma_table_add(t), tag = 0;

    if (l->file)
        tag = orma_strpool_addf(&imp->storage->pool, "%.*s:%u",
                                ORMA_STR_ARG(orma_strpool_get(&imp->storage->pool, l->file)),
                                l->line);
    orma_table_set_time(t, ORMA_LOGS_TS, row, e->item->ts);
    if (e->utid != ORMA_ID_NONE)
        orma_table_set(t, ORMA_LOGS_UTID, row, e->utid);
    orma_table_set(t, ORMA_LOGS_PRIO, row, prio);
    orma_table_set(t, ORMA_LOGS_LOG_SOURCE, row, orma_import_lit(imp, "track_event"));
    orma_table_set(t, ORMA_LOGS_TAG, row, tag);
    orma_table_set(t, ORMA_LOGS_MSG, row, message);
}

static void on_log(struct orma_import *imp, const struct orma_te_event *e, struct orma_str bytes,
                   struct orma_args_list *ret)
{
    static const char prefix[] = "track_event.log_message";
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct location l = {0};
    uint32_t message = 0, prio = 0;
    bool has_prio = false;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_LOG_MESSAGE_BODY_IID:
            message =
                orma_te_interned_text(imp, e->item->gen, ORMA_PB_INTERNED_DATA_LOG_MESSAGE_BODY,
                                      orma_pb_u64(&f), ORMA_PB_LOG_MESSAGE_BODY__BODY);
            break;
        case ORMA_PB_LOG_MESSAGE_SOURCE_LOCATION_IID:
            (void)find_location(imp, e->item->gen, orma_pb_u64(&f), &l);
            break;
        case ORMA_PB_LOG_MESSAGE_PRIO:
            prio = orma_pb_u32(&f);
            has_prio = true;
            break;
        }
    }
    put_str(imp, ret, prefix, "message", message);
    put_str(imp, ret, prefix, "file_name", l.file);
    put_str(imp, ret, prefix, "function_name", l.function);
    if (l.has_line)
        orma_args_put_int(ret, orma_import_lit(imp, "track_event.log_message.line_number"), l.line);
    if (has_prio)
        orma_args_put_int(ret, orma_import_lit(imp, "track_event.priority"), prio);
    add_log_row(imp, e, message, prio, &l);
}

/* ---- others ---- */

static void on_histogram(struct orma_import *imp, const struct orma_te_event *e,
                         struct orma_str bytes, struct orma_args_list *ret)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    uint64_t iid = 0;
    bool has_iid = false, has_name = false;

    while (orma_pb_next(&r, &f)) {
        has_name |= f.id == ORMA_PB_CHROME_HISTOGRAM_SAMPLE_NAME;
        if (f.id != ORMA_PB_CHROME_HISTOGRAM_SAMPLE_NAME_IID)
            continue;
        iid = orma_pb_u64(&f);
        has_iid = true;
    }
    if (!has_iid)
        return;
    /* With a name of its own it must not refer to one. */
    uint32_t name =
        has_name ? 0
                 : orma_te_interned_text(imp, e->item->gen, ORMA_PB_INTERNED_DATA_HISTOGRAM_NAMES,
                                         iid, ORMA_PB_HISTOGRAM_NAME_NAME);
    if (!name)
        orma_stats_inc(orma_import_stats(imp, e->item->machine),
                       ORMA_STAT_TRACK_EVENT_PARSER_ERRORS);
    put_str(imp, ret, "chrome_histogram_sample", "name", name);
}

static void put_correlation(struct orma_import *imp, uint32_t text, struct orma_args_list *ret)
{
    if (text)
        orma_args_put_str(ret, orma_import_lit(imp, "correlation_id"), text);
}

static void special(struct orma_import *imp, const struct orma_te_event *e,
                    const struct orma_pb_field *f, struct orma_args_list *ret)
{
    switch (f->id) {
    case ORMA_PB_TRACK_EVENT_SOURCE_LOCATION_IID:
        put_location(imp, e, orma_pb_u64(f), "source", ret);
        break;
    case ORMA_PB_TRACK_EVENT_TASK_EXECUTION:
        on_task(imp, e, orma_pb_str(f), ret);
        break;
    case ORMA_PB_TRACK_EVENT_LOG_MESSAGE:
        on_log(imp, e, orma_pb_str(f), ret);
        break;
    case ORMA_PB_TRACK_EVENT_CHROME_HISTOGRAM_SAMPLE:
        on_histogram(imp, e, orma_pb_str(f), ret);
        break;
    case ORMA_PB_TRACK_EVENT_CORRELATION_ID:
        put_correlation(
            imp,
            orma_strpool_addf(&imp->storage->pool, "tp:#%llu", (unsigned long long)orma_pb_u64(f)),
            ret);
        break;
    case ORMA_PB_TRACK_EVENT_CORRELATION_ID_STR:
        put_correlation(imp, orma_import_str(imp, orma_pb_str(f)), ret);
        break;
    case ORMA_PB_TRACK_EVENT_CORRELATION_ID_STR_IID:
        put_correlation(imp,
                        orma_te_interned_text(imp, e->item->gen,
                                              ORMA_PB_INTERNED_DATA_CORRELATION_ID_STR,
                                              orma_pb_u64(f), 2),
                        ret);
        break;
    }
}

/* Fields that are args under their own names; extensions always are. */
static bool is_reflected(uint32_t number)
{
    return (number >= ORMA_PB_TRACK_EVENT_CC_SCHEDULER_STATE &&
            number <= ORMA_PB_TRACK_EVENT_CHROME_LATENCY_INFO) ||
           (number >= ORMA_PB_TRACK_EVENT_CHROME_FRAME_REPORTER &&
            number <= ORMA_PB_TRACK_EVENT_CHROME_MESSAGE_PUMP) ||
           (number >= ORMA_PB_TRACK_EVENT_CHROME_MOJO_EVENT_INFO &&
            number <= ORMA_PB_TRACK_EVENT_CHROME_WINDOW_HANDLE_EVENT_INFO) ||
           number == ORMA_PB_TRACK_EVENT_CHROME_CONTENT_SETTINGS_EVENT_INFO ||
           number == ORMA_PB_TRACK_EVENT_CHROME_ACTIVE_PROCESSES;
}

void orma_te_typed_args(struct orma_import *imp, const struct orma_te_event *e,
                        struct orma_args_list *ret)
{
    struct orma_pb_reader r = orma_pb_reader(e->bytes.data, e->bytes.len);
    struct orma_pb_field f;
    struct orma_proto_args args = {.imp = imp,
                                   .gen = e->item->gen,
                                   .ret = ret,
                                   .wanted = is_reflected,
                                   .unknown = &imp->unknown_event_fields};
    struct orma_arg_key key;

    while (orma_pb_next(&r, &f))
        special(imp, e, &f, ret);
    orma_arg_key_init(&key, "");
    orma_proto_args_put(
        &args,
        orma_schema_find_msg(orma_import_schema(imp), ORMA_STR("perfetto.protos.TrackEvent")),
        e->bytes, &key);
}
