/*
 * Two walks that make args with paths as keys: over a message by its schema (protos/reflect/walk.h
 * calls enter(), value(), leave()), and over JSON text with a cursor
 * (protos/reflect/json_reader.h), once all of it has turned out to be JSON. Both keep one key that
 * grows and shrinks as they go down and up. A message without any field is an arg of its own, so it
 * is not lost.
 */
#include "processor/import/core/proto_args.h"

#include <errno.h>

#include "protos/reflect/json_reader.h"
#include "protos/reflect/walk.h"
#include "sdk/base/base64.h"
#include "sdk/base/utf8.h"

#define JSON_DEPTH_MAX 64
#define JSON_WORD_MAX 63

const struct orma_schema *orma_import_schema(const struct orma_import_ctx *imp)
{
    return imp->ports->schema ? imp->ports->schema : orma_schema_default();
}

/* ---- messages ---- */

/* A walk under way: the lengths of the key above each open message, and whether it had anything. */
struct walk {
    struct orma_proto_args *args;
    const struct orma_schema *schema;
    struct orma_arg_key *key;
    struct {
        size_t full, flat;
        bool any;
    } open[ORMA_WALK_DEPTH_MAX + 2];
    uint32_t unknown, again; /* the field before, if it had no name, and how often before that */
    unsigned depth;
};

/* Of the outermost message. */
static bool wants(const struct walk *w, const struct orma_field *field)
{
    return !w->args->wanted || field->flags & ORMA_FIELD_EXTENSION ||
           w->args->wanted(field->number);
}

static bool wants_field(void *ctx, const struct orma_field *field)
{
    return wants(ctx, field);
}

static bool is_left_out(const struct walk *w, const struct orma_walk_item *item)
{
    if (!item->field) {
        if (!item->up && w->args->unknown) {
            const struct orma_import_ctx *imp = w->args->imp;
            const uint64_t file = imp->reader ? imp->reader->file : 0;
            const uint64_t key = file << 32 | item->number;
            uint64_t num = orma_map_get(w->args->unknown, key);

            num = num == ORMA_MAP_NONE ? 1 : num + 1;
            if (orma_map_put(w->args->unknown, key, num))
                imp->model->storage->failed = true;
        }
        return true;
    }
    return !item->up && !wants(w, item->field);
}

static void push(struct walk *w, const struct orma_walk_item *item)
{
    const char *name = orma_field_name(w->schema, item->field);

    if (item->field->flags & ORMA_FIELD_EXTENSION)
        name = orma_schema_short_name(name);
    orma_arg_key_push(w->key, orma_str_from(name));
    if (orma_field_is_repeated(item->field))
        orma_arg_key_push_index(w->key, item->index);
}

static int enter(void *ctx, const struct orma_walk_item *item)
{
    struct walk *w = ctx;

    if (is_left_out(w, item) || w->depth >= ORMA_WALK_DEPTH_MAX)
        return 1;
    w->open[w->depth].any = true;
    if (w->args->take_msg && w->args->take_msg(w->args, item->field->type_idx, item->bytes, w->key))
        return 1;
    w->depth++;
    w->open[w->depth].full = w->key->full_len;
    w->open[w->depth].flat = w->key->flat_len;
    w->open[w->depth].any = false;
    w->unknown = 0;
    push(w, item);
    return 0;
}

static int leave(void *ctx, const struct orma_walk_item *item)
{
    struct walk *w = ctx;

    (void)item;
    if (!w->open[w->depth].any)
        orma_arg_put(w->args->imp, w->key, ORMA_ARG_NULL, 0, w->args->ret);
    w->key->full_len = w->open[w->depth].full;
    w->key->flat_len = w->open[w->depth].flat;
    w->depth--;
    w->unknown = 0;
    return 0;
}

static void put_enum(struct walk *w, const struct orma_walk_item *item)
{
    struct orma_import_ctx *imp = w->args->imp;
    const char *name = orma_schema_value_name(w->schema, item->field->type_idx, (int32_t)item->i64);
    uint32_t text = name ? orma_model_cstr(imp->model, name)
                         : orma_strpool_addf(&imp->model->storage->pool, "%d", (int)item->i64);

    orma_arg_put(imp, w->key, ORMA_ARG_STRING, text, w->args->ret);
}

static void put_bytes(struct walk *w, struct orma_str bytes)
{
    struct orma_buf text = {0};

    orma_base64_put(&text, bytes);
    orma_arg_put_text(w->args->imp, w->key, orma_buf_str(&text), w->args->ret);
    w->args->imp->model->storage->failed |= text.failed;
    orma_buf_fini(&text);
}

static void put_value(struct walk *w, const struct orma_walk_item *item)
{
    struct orma_import_ctx *imp = w->args->imp;
    struct orma_args_list *ret = w->args->ret;

    switch (item->type) {
    case ORMA_TYPE_DOUBLE:
    case ORMA_TYPE_FLOAT:
        orma_arg_put_double(imp, w->key, item->real, ret);
        break;
    case ORMA_TYPE_UINT32:
    case ORMA_TYPE_UINT64:
    case ORMA_TYPE_FIXED32:
    case ORMA_TYPE_FIXED64:
        orma_arg_put(imp, w->key, ORMA_ARG_UINT, (int64_t)item->u64, ret);
        break;
    case ORMA_TYPE_BOOL:
        orma_arg_put(imp, w->key, ORMA_ARG_BOOL, item->u64 != 0, ret);
        break;
    case ORMA_TYPE_ENUM:
        put_enum(w, item);
        break;
    case ORMA_TYPE_STRING:
        orma_arg_put_text(imp, w->key, item->bytes, ret);
        break;
    case ORMA_TYPE_BYTES:
        put_bytes(w, item->bytes);
        break;
    case ORMA_TYPE_MESSAGE: /* malformed: what can be said of it is that it is there */
        orma_arg_put(imp, w->key, ORMA_ARG_NULL, 0, ret);
        break;
    default:
        orma_arg_put(imp, w->key, ORMA_ARG_INT, item->i64, ret);
    }
}

static bool is_number(const struct orma_walk_item *item)
{
    return item->type == ORMA_TYPE_UINT64 || item->type == ORMA_TYPE_INT32;
}

/* True for text that can be shown as it is. */
static bool is_text(struct orma_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.data[i] < ' ' || s.data[i] == 0x7f)
            return false;
    return orma_utf8_is_valid(s);
}

/* Whether a field is repeated is seen when it comes again: from then on there are indices. */
static void push_unknown(struct walk *w, const struct orma_walk_item *item, const char *suffix)
{
    bool again = w->unknown == item->number;
    char name[48];

    (void)snprintf(name, sizeof(name), "field_%u%s", (unsigned)item->number,
                   suffix); /* has room for any number */
    orma_arg_key_push(w->key, orma_str_from(name));
    w->again = again ? w->again + 1 : 0;
    w->unknown = item->number;
    if (again)
        orma_arg_key_push_index(w->key, w->again);
}

/* Of the form on the wire alone: a number may be of any kind, bytes may be text. */
static void put_unknown(struct walk *w, const struct orma_walk_item *item)
{
    struct orma_import_ctx *imp = w->args->imp;
    bool fixed32 = item->type == ORMA_TYPE_FIXED32, fixed64 = item->type == ORMA_TYPE_FIXED64;
    const struct orma_pb_field raw = {.wire = fixed32 ? ORMA_PB_I32 : ORMA_PB_I64,
                                      .num = item->u64};

    push_unknown(w, item, fixed32 ? "_assuming_float" : fixed64 ? "_assuming_double" : "");
    if (fixed32)
        orma_arg_put_double(imp, w->key, (double)orma_pb_float(&raw), w->args->ret);
    else if (fixed64)
        orma_arg_put_double(imp, w->key, orma_pb_double(&raw), w->args->ret);
    else if (item->type == ORMA_TYPE_UINT64)
        orma_arg_put(imp, w->key, ORMA_ARG_INT, item->i64, w->args->ret);
    else if (is_text(item->bytes))
        orma_arg_put_text(imp, w->key, item->bytes, w->args->ret);
    else
        put_bytes(w, item->bytes);
}

static int value(void *ctx, const struct orma_walk_item *item)
{
    struct walk *w = ctx;
    const size_t full = w->key->full_len, flat = w->key->flat_len;

    if (!item->field && w->args->show_unknown) {
        w->open[w->depth].any = true;
        put_unknown(w, item);
        w->key->full_len = full;
        w->key->flat_len = flat;
        return 0;
    }
    if (is_left_out(w, item))
        return 0;
    w->open[w->depth].any = true;
    push(w, item);
    if (!w->args->take_num || !is_number(item) || !w->args->take_num(w->args, item->u64, w->key))
        put_value(w, item);
    w->key->full_len = full;
    w->key->flat_len = flat;
    return 0;
}

bool orma_import_proto_args_put(struct orma_proto_args *self, uint32_t msg, struct orma_str bytes,
                                struct orma_arg_key *key)
{
    struct walk w; /* large: what is open is set as it opens */
    const struct orma_walk walk = {
        .value = value,
        .enter = enter,
        .leave = leave,
        .wants = self->wanted ? wants_field : NULL,
        .ctx = &w,
        .indices = true,
    };
    const size_t full = key->full_len, flat = key->flat_len;

    if (msg == ORMA_SCHEMA_NONE)
        return false;
    w.args = self;
    w.schema = orma_import_schema(self->imp);
    w.key = key;
    w.open[0].any = false;
    w.unknown = w.depth = 0;
    if (orma_walk(w.schema, msg, bytes.data, bytes.len, &walk) == -ENOMEM)
        self->imp->model->storage->failed = true;
    key->full_len = full; /* a malformed message may have left it open */
    key->flat_len = flat;
    return true;
}

/* ---- JSON ---- */

struct json {
    struct orma_import_ctx *imp;
    struct orma_args_list *ret;
    struct orma_arg_key *key;
    struct orma_import_arrays *arrays;
    struct orma_json_cursor cursor;
    struct orma_buf scratch;
};

static struct orma_json_cursor json_cursor(struct orma_str text)
{
    static const struct orma_json_rules rules = {
        .replace_halves = true, .word_max = JSON_WORD_MAX, .depth_max = JSON_DEPTH_MAX};

    return orma_json_cursor(text, rules, NULL);
}

/* A number at the end of the text is not known to be whole: more digits could follow. */
static bool may_go_on(struct orma_str text, const struct orma_json_value *v)
{
    const char last = text.data[text.len - 1];

    return (v->type == ORMA_JSON_INT || v->type == ORMA_JSON_REAL) && last != ' ' && last != '\t' &&
           last != '\n' && last != '\r';
}

static bool is_json(struct orma_str text)
{
    struct orma_json_cursor c = json_cursor(text);
    struct orma_json_value v;

    return orma_json_cursor_read(&c, &v) && orma_json_cursor_skip(&c, &v, 0) &&
           orma_json_cursor_end(&c, "the end") && !may_go_on(text, &v);
}

static struct orma_str json_text(struct json *j, const struct orma_json_value *v)
{
    return orma_json_cursor_text(&j->cursor, v, &j->scratch);
}

static void put_json(struct json *j, const struct orma_json_value *v);

static void put_members(struct json *j)
{
    const size_t full = j->key->full_len, flat = j->key->flat_len;
    struct orma_json_value name, v;

    while (orma_json_cursor_key(&j->cursor, &name) && orma_json_cursor_value(&j->cursor, &v)) {
        orma_arg_key_push(j->key, json_text(j, &name));
        put_json(j, &v);
        j->key->full_len = full;
        j->key->flat_len = flat;
    }
}

static void put_elements(struct json *j)
{
    const size_t full = j->key->full_len;
    struct orma_json_value v;
    unsigned i = orma_import_arrays_next(j->arrays, j->imp, j->key, j->ret);

    for (; orma_json_cursor_element(&j->cursor, &v); i++) {
        orma_arg_key_push_index(j->key, i);
        put_json(j, &v);
        j->key->full_len = full;
    }
    orma_import_arrays_put(j->arrays, j->imp, j->key, i);
}

/* It has been checked; as deep as depth_max at most. */
static void put_json(struct json *j, const struct orma_json_value *v)
{
    switch (v->type) {
    case ORMA_JSON_OBJECT:
        put_members(j);
        break;
    case ORMA_JSON_ARRAY:
        put_elements(j);
        break;
    case ORMA_JSON_STRING:
        orma_arg_put_text(j->imp, j->key, json_text(j, v), j->ret);
        break;
    case ORMA_JSON_BOOL:
        orma_arg_put(j->imp, j->key, ORMA_ARG_BOOL, v->boolean, j->ret);
        break;
    case ORMA_JSON_INT:
        orma_arg_put(j->imp, j->key, ORMA_ARG_INT, v->integer, j->ret);
        break;
    case ORMA_JSON_REAL:
        orma_arg_put_double(j->imp, j->key, orma_json_number(v), j->ret);
        break;
    case ORMA_JSON_NULL:
    case ORMA_JSON_NONE:
        break;
    }
}

bool orma_import_json_args_put(struct orma_import_ctx *imp, struct orma_str text,
                               struct orma_arg_key *key, struct orma_import_arrays *arrays,
                               struct orma_args_list *ret)
{
    struct json j = {
        .imp = imp, .ret = ret, .key = key, .arrays = arrays, .cursor = json_cursor(text)};
    struct orma_json_value v;

    if (!text.len || !is_json(text))
        return false;
    if (orma_json_cursor_read(&j.cursor, &v))
        put_json(&j, &v);
    imp->model->storage->failed |= j.scratch.failed;
    orma_buf_fini(&j.scratch);
    return true;
}
