/*
 * ProtoLog: messages of the system whose texts stand elsewhere in the trace.
 *
 * A message has a number and what is to be filled in; a viewer config has the text for the number,
 * and the tag of its group. Configs come at any place, so messages wait for the end: a row is made
 * at once, with what the sequence knows then, and gets its text when all configs are read.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "processor/import/android/android.h"
#include "processor/import/core/msg.h"
#include "processor/read/seq.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/trace.h"
#include "sdk/base/buf.h"
#include "sdk/base/endian.h"
#include "sdk/base/vec.h"

enum { CONFIG_MESSAGES = 1, CONFIG_GROUPS };
enum { DATA_ID = 1, DATA_TEXT, DATA_LEVEL, DATA_GROUP, DATA_LOCATION, DATA_FIELDS };
enum { GROUP_ID = 1, GROUP_NAME, GROUP_TAG, GROUP_FIELDS };
enum { LOG_ID = 1, LOG_TEXTS, LOG_INTS, LOG_DOUBLES, LOG_BOOLS, LOG_STACK };
#define INTERNED_STR 2

struct text {
    uint32_t format, location; /* pool ids */
    uint32_t level, group;
};

struct message {
    uint32_t row;
    uint16_t machine;
    struct orma_seq_gen *gen; /* counted */
    struct orma_str bytes;
};

struct orma_android_protolog {
    struct orma_map by_id; /* → index of texts */
    struct orma_map tags;  /* groups → pool ids */
    ORMA_VEC(struct text) texts;
    ORMA_VEC(struct message) messages;
};

static struct orma_android_protolog *state_of(struct orma_import_ctx *imp)
{
    return orma_model_lazy(imp->model, (void **)&orma_android(imp)->protolog,
                           sizeof(struct orma_android_protolog));
}

/* ---- configs ---- */

static void add_text(struct orma_import_ctx *imp, uint16_t machine, struct orma_str bytes)
{
    struct orma_android_protolog *st = state_of(imp);
    struct orma_pb_field f[DATA_FIELDS];

    orma_msg_read(bytes, f, DATA_FIELDS);
    const struct text text = {
        .format = orma_msg_text(imp, &f[DATA_TEXT]),
        .location = orma_msg_text(imp, &f[DATA_LOCATION]),
        .level = orma_pb_u32(&f[DATA_LEVEL]),
        .group = orma_pb_u32(&f[DATA_GROUP]),
    };
    uint64_t have = orma_map_get(&st->by_id, orma_pb_u64(&f[DATA_ID]));
    if (have != ORMA_MAP_NONE) { /* each file of a config may say the same */
        if (st->texts.data[have].format != text.format)
            orma_stats_inc(orma_model_stats(imp->model, machine),
                           ORMA_STAT_WINSCOPE_PROTOLOG_MESSAGE_COLLISION);
        return;
    }
    if (ORMA_VEC_PUSH(&st->texts, text) ||
        orma_map_put(&st->by_id, orma_pb_u64(&f[DATA_ID]), st->texts.len - 1))
        imp->model->storage->failed = true;
}

static void add_group(struct orma_import_ctx *imp, uint16_t machine, struct orma_str bytes)
{
    struct orma_android_protolog *st = state_of(imp);
    struct orma_pb_field f[GROUP_FIELDS];

    orma_msg_read(bytes, f, GROUP_FIELDS);
    uint32_t id = orma_pb_u32(&f[GROUP_ID]), tag = orma_msg_text(imp, &f[GROUP_TAG]);
    uint64_t have = orma_map_get(&st->tags, id);
    if (have != ORMA_MAP_NONE && have != tag)
        orma_stats_inc(orma_model_stats(imp->model, machine),
                       ORMA_STAT_WINSCOPE_PROTOLOG_GROUP_TAG_COLLISION);
    else if (orma_map_put(&st->tags, id, tag))
        imp->model->storage->failed = true;
}

static void config(struct orma_import_ctx *imp, uint16_t machine, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == CONFIG_MESSAGES)
            add_text(imp, machine, orma_pb_str(&f));
        else if (f.id == CONFIG_GROUPS)
            add_group(imp, machine, orma_pb_str(&f));
    }
}

/* ---- messages ---- */

/* The text of an interned string; NULL data: there is none. */
static struct orma_str interned(const struct orma_seq_gen *gen, uint32_t kind, uint64_t iid)
{
    const struct orma_interned *e = gen ? orma_seq_gen_find(gen, kind, iid) : NULL;
    struct orma_pb_field f[INTERNED_STR + 1];

    if (!e)
        return (struct orma_str){0};
    orma_msg_read((struct orma_str){(const char *)e->data, e->len}, f, INTERNED_STR + 1);
    struct orma_str text = orma_pb_str(&f[INTERNED_STR]);
    return text.data ? text : (struct orma_str){"", 0};
}

static void set_stack(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t row)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_PROTOLOG);
    struct orma_pb_field f[LOG_STACK + 1];

    orma_msg_read(orma_msg_item(item), f, LOG_STACK + 1);
    if (!f[LOG_STACK].id)
        return;
    struct orma_str text =
        interned(item->gen, ORMA_PB_INTERNED_DATA_PROTOLOG_STACKTRACE, orma_pb_u64(&f[LOG_STACK]));
    if (text.data)
        orma_table_set(t, ORMA_PROTOLOG_STACKTRACE, row, orma_model_str(imp->model, text));
    else
        orma_stats_inc(orma_model_stats(imp->model, item->machine),
                       ORMA_STAT_WINSCOPE_PROTOLOG_MISSING_INTERNED_STACKTRACE_PARSE_ERRORS);
}

static void parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_android_protolog *st = state_of(imp);
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_PROTOLOG);

    if (!st)
        return;
    if (item->field == ORMA_PB_TRACE_PACKET_PROTOLOG_VIEWER_CONFIG) {
        config(imp, item->machine, orma_msg_item(item));
        return;
    }
    struct message m = {.machine = item->machine, .bytes = orma_msg_item(item)};
    m.row = orma_table_add(t);
    orma_table_set_time(t, ORMA_PROTOLOG_TS, m.row, item->ts);
    set_stack(imp, item, m.row);
    m.gen = item->gen ? orma_seq_gen_ref(item->gen) : NULL;
    if (!ORMA_VEC_PUSH(&st->messages, m))
        return;
    imp->model->storage->failed = true;
    if (m.gen)
        orma_seq_gen_unref(m.gen);
}

/* ---- texts ---- */

/* Doubles are packed as eight bytes each. */
static bool next_double(struct orma_msg_numbers *v, double *ret)
{
    while (v->f.id != v->id || v->list.pos == v->list.end) {
        if (!orma_msg_next_field(v))
            return false;
        if (v->f.wire == ORMA_PB_I64) {
            *ret = orma_pb_double(&v->f);
            v->list.pos = v->list.end;
            return true;
        }
    }
    if (v->list.end - v->list.pos < 8) {
        v->list.pos = v->list.end;
        return false;
    }
    *ret = orma_le_double_at(v->list.pos);
    v->list.pos += 8;
    return true;
}

struct filling {
    struct orma_import_ctx *imp;
    const struct message *m;
    struct orma_msg_numbers texts, ints, doubles, bools;
    struct orma_buf out;
};

static void count(const struct filling *x, enum orma_stat stat)
{
    orma_stats_inc(orma_model_stats(x->imp->model, x->m->machine), stat);
}

static void missing(struct filling *x)
{
    count(x, ORMA_STAT_WINSCOPE_PROTOLOG_PARAM_MISMATCH);
    orma_buf_put_str(&x->out, "[MISSING_PARAM]");
}

static void put_int(struct filling *x, char form)
{
    uint64_t raw;

    if (!orma_msg_next_number(&x->ints, &raw)) {
        missing(x);
        return;
    }
    uint64_t val = raw >> 1 ^ -(raw & 1);
    if (form == 'd')
        orma_buf_printf(&x->out, "%" PRId64, (int64_t)val);
    else if (form == 'o')
        orma_buf_printf(&x->out, "%" PRIo64, val);
    else
        orma_buf_printf(&x->out, "%" PRIx64, val);
}

static void put_double(struct filling *x, char form)
{
    double val;

    if (!next_double(&x->doubles, &val))
        missing(x);
    else if (form == 'f')
        orma_buf_printf(&x->out, "%f", val);
    else if (form == 'e')
        orma_buf_printf(&x->out, "%e", val);
    else
        orma_buf_printf(&x->out, "%g", val);
}

static void put_bool(struct filling *x)
{
    uint64_t val;

    if (orma_msg_next_number(&x->bools, &val))
        orma_buf_put_str(&x->out, val ? "true" : "false");
    else
        missing(x);
}

static void put_text(struct filling *x)
{
    uint64_t iid;

    if (!orma_msg_next_number(&x->texts, &iid)) {
        missing(x);
        return;
    }
    struct orma_str text = interned(x->m->gen, ORMA_PB_INTERNED_DATA_PROTOLOG_STRING_ARGS, iid);
    if (!text.data) {
        count(x, ORMA_STAT_WINSCOPE_PROTOLOG_MISSING_INTERNED_ARG_PARSE_ERRORS);
        text = ORMA_STR("<ERROR>");
    }
    orma_buf_put(&x->out, text.data, text.len);
}

/* What stands behind a percent sign. */
static void put_param(struct filling *x, char form)
{
    switch (form) {
    case '%':
        orma_buf_put_byte(&x->out, '%');
        break;
    case 'd':
    case 'o':
    case 'x':
        put_int(x, form);
        break;
    case 'f':
    case 'e':
    case 'g':
        put_double(x, form);
        break;
    case 'b':
        put_bool(x);
        break;
    case 's':
        put_text(x);
        break;
    default:
        count(x, ORMA_STAT_WINSCOPE_PROTOLOG_INVALID_INTERPOLATION_PARSE_ERRORS);
        orma_buf_put_byte(&x->out, '%');
        if (form)
            orma_buf_put_byte(&x->out, (uint8_t)form);
    }
}

static void fill_in(struct filling *x, struct orma_str format)
{
    for (size_t i = 0; i < format.len; i++) {
        if (format.data[i] != '%') {
            orma_buf_put_byte(&x->out, (uint8_t)format.data[i]);
            continue;
        }
        i++;
        put_param(x, i < format.len ? format.data[i] : 0);
    }
}

static uint32_t level_name(struct orma_import_ctx *imp, uint32_t level)
{
    static const char *const names[] = {NULL, "DEBUG", "VERBOSE", "INFO", "WARN", "ERROR", "WTF"};

    return orma_model_cstr(imp->model, level < ORMA_ARRAY_LEN(names) && names[level] ? names[level]
                                                                                     : "UNKNOWN");
}

static void set_texts(struct filling *x, const struct text *text)
{
    const struct orma_android_protolog *st = orma_android(x->imp)->protolog;
    struct orma_model *model = x->imp->model;
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_PROTOLOG);
    uint64_t tag = orma_map_get(&st->tags, text->group);

    fill_in(x, orma_strpool_get(&model->storage->pool, text->format));
    if (tag == ORMA_MAP_NONE)
        count(x, ORMA_STAT_WINSCOPE_PROTOLOG_GROUP_TAG_MISSING);
    else
        orma_table_set(t, ORMA_PROTOLOG_TAG, x->m->row, (int64_t)tag);
    orma_table_set(t, ORMA_PROTOLOG_LEVEL, x->m->row, level_name(x->imp, text->level));
    orma_table_set(t, ORMA_PROTOLOG_MESSAGE, x->m->row,
                   orma_model_str(model, orma_buf_str(&x->out)));
    orma_table_set(t, ORMA_PROTOLOG_LOCATION, x->m->row, text->location);
}

/* A message whose numbers and texts are known now. */
static void decode(struct orma_import_ctx *imp, const struct message *m)
{
    const struct orma_android_protolog *st = orma_android(imp)->protolog;
    struct filling x = {
        .imp = imp,
        .m = m,
        .texts = orma_msg_numbers(m->bytes, LOG_TEXTS),
        .ints = orma_msg_numbers(m->bytes, LOG_INTS),
        .doubles = orma_msg_numbers(m->bytes, LOG_DOUBLES),
        .bools = orma_msg_numbers(m->bytes, LOG_BOOLS),
    };
    struct orma_pb_field id[LOG_ID + 1];

    orma_msg_read(m->bytes, id, LOG_ID + 1);
    uint64_t text = orma_map_get(&st->by_id, orma_pb_u64(&id[LOG_ID]));
    if (text == ORMA_MAP_NONE)
        count(&x, ORMA_STAT_WINSCOPE_PROTOLOG_MESSAGE_DECODING_FAILED);
    else
        set_texts(&x, &st->texts.data[text]);
    imp->model->storage->failed |= x.out.failed;
    orma_buf_fini(&x.out);
}

static void finish(struct orma_import_ctx *imp)
{
    const struct orma_android_protolog *st = orma_android(imp)->protolog;

    for (uint32_t i = 0; st && i < st->messages.len; i++)
        if (st->messages.data[i].row != ORMA_ROW_NONE)
            decode(imp, &st->messages.data[i]);
}

static void fini(struct orma_import_ctx *imp)
{
    struct orma_android_protolog *st = orma_android(imp)->protolog;

    if (!st)
        return;
    for (uint32_t i = 0; i < st->messages.len; i++)
        if (st->messages.data[i].gen)
            orma_seq_gen_unref(st->messages.data[i].gen);
    orma_map_fini(&st->by_id);
    orma_map_fini(&st->tags);
    ORMA_VEC_FINI(&st->texts);
    ORMA_VEC_FINI(&st->messages);
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_PROTOLOG_MESSAGE,
                                  ORMA_PB_TRACE_PACKET_PROTOLOG_VIEWER_CONFIG, 0};
const struct orma_importer orma_android_protolog_importer = {
    .name = "protolog", .fields = fields, .parse = parse, .finish = finish, .fini = fini};
