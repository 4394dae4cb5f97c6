/* Fields of track events with a meaning of their own, and all that the schema knows, as args. */
#include <stdio.h>

#include "processor/import/core/proto_args.h"
#include "processor/import/events/event.h"
#include "processor/model/callstacks.h"
#include "processor/model/processes.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/track_event.h"

/* Of messages that have none, as Android numbers them. */
#define LOG_PRIO_INFO 4

struct location {
    uint32_t file, function, line; /* texts as pool ids */
    bool has_line;
};

/* The keys of one in args. */
struct location_keys {
    const char *file, *function, *line;
};
#define LOCATION_KEYS(prefix)                                                                      \
    {                                                                                              \
        prefix ".file_name", prefix ".function_name", prefix ".line_number"                        \
    }
static const struct location_keys source_keys = LOCATION_KEYS("source"),
                                  task_keys = LOCATION_KEYS("task.posted_from"),
                                  log_keys = LOCATION_KEYS("track_event.log_message");

/* Paths of other systems in the usual form. */
static uint32_t path_text(struct orma_import_ctx *imp, struct orma_str s)
{
    struct orma_buf path = {0};

    if (!memchr(s.data ? s.data : "", '\\', s.len))
        return orma_model_str(imp->model, s);
    for (size_t i = 0; i < s.len; i++)
        orma_buf_put_byte(&path, s.data[i] == '\\' ? '/' : (uint8_t)s.data[i]);
    uint32_t text = orma_model_str(imp->model, orma_buf_str(&path));
    imp->model->storage->failed |= path.failed;
    orma_buf_fini(&path);
    return text;
}

static bool find_location(struct orma_import_ctx *imp, const struct orma_seq_gen *gen, uint64_t iid,
                          struct location *ret)
{
    const struct orma_interned *entry =
        orma_seq_gen_find(gen, ORMA_PB_INTERNED_DATA_SOURCE_LOCATIONS, iid);

    *ret = (struct location){.file = ORMA_STR_EMPTY};
    if (!entry) {
        orma_stats_inc(orma_model_stats(imp->model, (uint16_t)gen->seq->machine),
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
            ret->function = orma_model_str(imp->model, orma_pb_str(&f));
            break;
        case ORMA_PB_SOURCE_LOCATION_LINE_NUMBER:
            ret->line = orma_pb_u32(&f);
            ret->has_line = true;
            break;
        }
    }
    return true;
}

/* A text that is not there is a NULL. */
static void put_str(struct orma_import_ctx *imp, struct orma_args_list *ret, const char *key,
                    uint32_t text)
{
    orma_args_put_str(ret, orma_model_lit(imp->model, key), text);
}

static void put_place(struct orma_import_ctx *imp, const struct location *l,
                      const struct location_keys *keys, struct orma_args_list *ret)
{
    put_str(imp, ret, keys->file, l->file);
    put_str(imp, ret, keys->function, l->function);
}

static void put_location(struct orma_import_ctx *imp, const struct orma_events_record *e,
                         uint64_t iid, const struct location_keys *keys, struct orma_args_list *ret)
{
    struct location l;

    if (!find_location(imp, e->item->gen, iid, &l)) {
        orma_stats_inc(orma_model_stats(imp->model, e->item->machine),
                       ORMA_STAT_TRACK_EVENT_PARSER_ERRORS);
        return;
    }
    put_place(imp, &l, keys, ret);
    orma_args_put_uint(ret, orma_model_lit(imp->model, keys->line), l.line);
}

static void on_task(struct orma_import_ctx *imp, const struct orma_events_record *e,
                    struct orma_str bytes, struct orma_args_list *ret)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_TASK_EXECUTION_POSTED_FROM_IID)
            put_location(imp, e, orma_pb_u64(&f), &task_keys, ret);
}

/* ---- log messages ---- */

static void add_log_row(struct orma_import_ctx *imp, const struct orma_events_record *e,
                        uint32_t message, uint32_t prio, const struct location *l)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_LOGS);
    uint32_t row = orma_table_add(t), tag = 0;

    if (l->file > ORMA_STR_EMPTY)
        tag = orma_strpool_addf(&imp->model->storage->pool, "%.*s:%u",
                                ORMA_STR_ARG(orma_strpool_get(&imp->model->storage->pool, l->file)),
                                l->line);
    orma_table_set_time(t, ORMA_LOGS_TS, row, e->item->ts);
    if (e->owner.utid != ORMA_ID_NONE)
        orma_table_set(t, ORMA_LOGS_UTID, row, e->owner.utid);
    orma_table_set(t, ORMA_LOGS_PRIO, row, prio);
    orma_table_set(t, ORMA_LOGS_LOG_SOURCE, row, orma_model_lit(imp->model, "android_logcat"));
    orma_table_set(t, ORMA_LOGS_TAG, row, tag);
    orma_table_set(t, ORMA_LOGS_MSG, row, message);
}

struct log_message {
    uint64_t body_iid, location_iid;
    uint32_t prio;
    bool has_location, has_prio;
};

static struct log_message read_log(struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct log_message m = {0};

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_LOG_MESSAGE_BODY_IID:
            m.body_iid = orma_pb_u64(&f);
            break;
        case ORMA_PB_LOG_MESSAGE_SOURCE_LOCATION_IID:
            m.location_iid = orma_pb_u64(&f);
            m.has_location = true;
            break;
        case ORMA_PB_LOG_MESSAGE_PRIO:
            m.prio = orma_pb_u32(&f);
            m.has_prio = true;
            break;
        }
    }
    return m;
}

/* A message without a thread or a text is nothing; without the place that it names it is an arg
 * only. */
static void on_log(struct orma_import_ctx *imp, const struct orma_events_record *e,
                   struct orma_str bytes, struct orma_args_list *ret)
{
    const struct log_message m = read_log(bytes);
    struct location l = {0};
    uint32_t message =
        e->owner.utid == ORMA_ID_NONE
            ? 0
            : orma_events_interned_text(imp, e->item->gen, ORMA_PB_INTERNED_DATA_LOG_MESSAGE_BODY,
                                        m.body_iid, ORMA_PB_LOG_MESSAGE_BODY__BODY);

    if (message)
        put_str(imp, ret, "track_event.log_message.message", message);
    if (!message || (m.has_location && !find_location(imp, e->item->gen, m.location_iid, &l))) {
        orma_stats_inc(orma_model_stats(imp->model, e->item->machine),
                       ORMA_STAT_TRACK_EVENT_PARSER_ERRORS);
        return;
    }
    if (m.has_location) {
        put_place(imp, &l, &log_keys, ret);
        orma_args_put_int(ret, orma_model_lit(imp->model, log_keys.line), l.line);
    }
    if (m.has_prio)
        orma_args_put_int(ret, orma_model_lit(imp->model, "track_event.priority"), m.prio);
    add_log_row(imp, e, message, m.has_prio ? m.prio : LOG_PRIO_INFO, &l);
}

/* ---- others ---- */

static void on_histogram(struct orma_import_ctx *imp, const struct orma_events_record *e,
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
    uint32_t name = has_name ? 0
                             : orma_events_interned_text(imp, e->item->gen,
                                                         ORMA_PB_INTERNED_DATA_HISTOGRAM_NAMES, iid,
                                                         ORMA_PB_HISTOGRAM_NAME_NAME);
    if (!name)
        orma_stats_inc(orma_model_stats(imp->model, e->item->machine),
                       ORMA_STAT_TRACK_EVENT_PARSER_ERRORS);
    else
        put_str(imp, ret, "chrome_histogram_sample.name", name);
}

static void put_correlation(struct orma_import_ctx *imp, uint32_t text, struct orma_args_list *ret)
{
    if (text)
        orma_args_put_str(ret, orma_model_lit(imp->model, "correlation_id"), text);
}

static void special(struct orma_import_ctx *imp, const struct orma_events_record *e,
                    const struct orma_pb_field *f, struct orma_args_list *ret)
{
    switch (f->id) {
    case ORMA_PB_TRACK_EVENT_SOURCE_LOCATION_IID:
        put_location(imp, e, orma_pb_u64(f), &source_keys, ret);
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
        put_correlation(imp,
                        orma_strpool_addf(&imp->model->storage->pool, "tp:#%llu",
                                          (unsigned long long)orma_pb_u64(f)),
                        ret);
        break;
    case ORMA_PB_TRACK_EVENT_CORRELATION_ID_STR:
        put_correlation(imp, orma_model_str(imp->model, orma_pb_str(f)), ret);
        break;
    case ORMA_PB_TRACK_EVENT_CORRELATION_ID_STR_IID:
        put_correlation(imp,
                        orma_events_interned_text(imp, e->item->gen,
                                                  ORMA_PB_INTERNED_DATA_CORRELATION_ID_STR,
                                                  orma_pb_u64(f), 2),
                        ret);
        break;
    }
}

/* ---- typed messages ---- */

/* References in known messages, by key: what they refer to is told in their place. */
#define MEMORY_PRESSURE "chrome_memory_pressure_notification.creation_location"
#define MOJO_METHOD "chrome_mojo_event_info.mojo_interface_method"
static const struct {
    const char *key;
    struct location_keys keys;     /* a place in a source file, */
    const char *mapping, *address; /* or else in a mapping */
} references[] = {
    {.key = MEMORY_PRESSURE "_iid", .keys = LOCATION_KEYS(MEMORY_PRESSURE)},
    {.key = MOJO_METHOD "_iid",
     .mapping = MOJO_METHOD ".native_symbol.mapping_id",
     .address = MOJO_METHOD ".native_symbol.rel_pc"},
};

/* A place in a file in memory, without a symbol. False: it, or its file, is unknown. */
static bool put_unsymbolized(struct orma_proto_args *self, uint64_t iid, const char *mapping_key,
                             const char *address_key)
{
    struct orma_import_ctx *imp = self->imp;
    const struct orma_interned *entry =
        orma_seq_gen_find(self->gen, ORMA_PB_INTERNED_DATA_UNSYMBOLIZED_SOURCE_LOCATIONS, iid);
    uint64_t mapping_iid = 0, rel_pc = 0;
    struct orma_pb_field f;

    if (!entry)
        return false;
    struct orma_pb_reader r = orma_pb_reader(entry->data, entry->len);
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_UNSYMBOLIZED_SOURCE_LOCATION_MAPPING_ID)
            mapping_iid = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_UNSYMBOLIZED_SOURCE_LOCATION_REL_PC)
            rel_pc = orma_pb_u64(&f);
    }
    uint32_t mapping = orma_port_interned_mapping(imp, (uint16_t)self->gen->seq->machine,
                                                  ORMA_ID_NONE, self->gen, mapping_iid);
    if (mapping == ORMA_ROW_NONE)
        return false;
    orma_args_put_uint(self->ret, orma_model_lit(imp->model, mapping_key), mapping);
    orma_args_put_uint(self->ret, orma_model_lit(imp->model, address_key), rel_pc);
    return true;
}

static bool put_typed_location(struct orma_proto_args *self, uint64_t iid,
                               const struct location_keys *keys)
{
    struct orma_import_ctx *imp = self->imp;
    struct location l;

    if (!orma_seq_gen_find(self->gen, ORMA_PB_INTERNED_DATA_SOURCE_LOCATIONS, iid) ||
        !find_location(imp, self->gen, iid, &l))
        return false;
    put_place(imp, &l, keys, self->ret);
    if (l.has_line)
        orma_args_put_int(self->ret, orma_model_lit(imp->model, keys->line), l.line);
    return true;
}

static bool take_num(struct orma_proto_args *self, uint64_t num, struct orma_arg_key *key)
{
    const struct orma_str flat = {key->flat, key->flat_len};

    /* All of these end in "d"; most numbers do not. */
    if (!flat.len || flat.data[flat.len - 1] != 'd')
        return false;
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(references); i++)
        if (orma_str_eq_c(flat, references[i].key))
            return references[i].mapping
                       ? put_unsymbolized(self, num, references[i].mapping, references[i].address)
                       : put_typed_location(self, num, &references[i].keys);
    /* Processes that are there, whether or not they ever write; the number stays an arg. */
    if (orma_str_eq_c(flat, "active_processes.pid") ||
        orma_str_eq_c(flat, "chrome_active_processes.pid"))
        (void)orma_processes_process(
            orma_model_processes(self->imp->model, (uint16_t)self->gen->seq->machine),
            (uint32_t)num);
    return false;
}

/* A message of the schema that is built in, looked up once; it has that number in extended ones,
 * too. */
static uint32_t known_msg(uint32_t *number, struct orma_str name)
{
    if (!*number)
        *number = orma_schema_find_msg(orma_schema_default(), name) + 1;
    return *number - 1;
}

/* Debug annotations inside other messages stand directly in these. */
static bool take_msg(struct orma_proto_args *self, uint32_t msg, struct orma_str bytes,
                     struct orma_arg_key *key)
{
    struct orma_events_state *st = orma_events_state(self->imp);

    if (!st)
        return false;
    if (msg != known_msg(&st->annotation_msg, ORMA_STR("perfetto.protos.DebugAnnotation")))
        return false;
    (void)orma_events_annotation_at(self->imp, self->gen, key, bytes,
                                    self->ret); /* counted there */
    return true;
}

void orma_events_proto_args(struct orma_import_ctx *imp, const struct orma_seq_gen *gen,
                            struct orma_args_list *ret_list, struct orma_proto_args *ret)
{
    *ret = (struct orma_proto_args){
        .imp = imp, .gen = gen, .ret = ret_list, .take_msg = take_msg, .take_num = take_num};
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

void orma_events_typed_args(struct orma_import_ctx *imp, const struct orma_events_record *e,
                            struct orma_args_list *ret)
{
    struct orma_pb_reader r = orma_pb_reader(e->bytes.data, e->bytes.len);
    struct orma_pb_field f;
    struct orma_proto_args args;
    struct orma_arg_key key;

    while (orma_pb_next(&r, &f))
        special(imp, e, &f, ret);
    orma_events_proto_args(imp, e->item->gen, ret, &args);
    args.wanted = is_reflected;
    args.unknown = &orma_events(imp)->unknown_fields;
    orma_arg_key_init(&key, "");
    orma_import_proto_args_put(
        &args,
        known_msg(&orma_events(imp)->track_event_msg, ORMA_STR("perfetto.protos.TrackEvent")),
        e->bytes, &key);
}
