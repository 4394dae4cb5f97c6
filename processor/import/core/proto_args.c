/*
 * Two walks that make args with paths as keys: over a message by its schema (protos/reflect/walk.h
 * calls enter(), value(), leave()), and over JSON text. Both keep one key that grows and shrinks as
 * they go down and up. A message without any field is an arg of its own, so it is not lost.
 */
#include "processor/import/core/proto_args.h"

#include <errno.h>
#include <stdlib.h>

#include "protos/reflect/walk.h"
#include "sdk/base/base64.h"
#include "sdk/base/hex.h"
#include "sdk/base/utf8.h"

#define JSON_DEPTH_MAX 64

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
    unsigned depth;
};

static bool is_left_out(const struct walk *w, const struct orma_walk_item *item)
{
    if (!item->field) {
        if (!item->up && w->args->unknown) {
            uint64_t num = orma_map_get(w->args->unknown, item->number);

            num = num == ORMA_MAP_NONE ? 1 : num + 1;
            if (orma_map_put(w->args->unknown, item->number, num))
                w->args->imp->model->storage->failed = true;
        }
        return true;
    }
    return !item->up && w->args->wanted && !(item->field->flags & ORMA_FIELD_EXTENSION) &&
           !w->args->wanted(item->number);
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

static int value(void *ctx, const struct orma_walk_item *item)
{
    struct walk *w = ctx;
    const size_t full = w->key->full_len, flat = w->key->flat_len;

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

void orma_import_proto_args_put(struct orma_proto_args *self, uint32_t msg, struct orma_str bytes,
                                struct orma_arg_key *key)
{
    struct walk w = {.args = self, .schema = orma_import_schema(self->imp), .key = key};
    const struct orma_walk walk = {
        .value = value, .enter = enter, .leave = leave, .ctx = &w, .indices = true};
    const size_t full = key->full_len, flat = key->flat_len;

    if (msg == ORMA_SCHEMA_NONE)
        return;
    if (orma_walk(w.schema, msg, bytes.data, bytes.len, &walk) == -ENOMEM)
        self->imp->model->storage->failed = true;
    key->full_len = full; /* a malformed message may have left it open */
    key->flat_len = flat;
}

/* ---- JSON ---- */

struct json {
    struct orma_import_ctx *imp;
    struct orma_args_list *ret;
    struct orma_arg_key *key;
    const char *at, *end;
    bool dry, failed; /* dry: only look whether it is JSON */
};

static void skip_blanks(struct json *j)
{
    while (j->at < j->end && strchr(" \t\r\n", *j->at))
        j->at++;
}

static bool take(struct json *j, char c)
{
    skip_blanks(j);
    if (j->at < j->end && *j->at == c) {
        j->at++;
        return true;
    }
    return false;
}

static bool take_word(struct json *j, const char *word)
{
    size_t n = strlen(word);

    if ((size_t)(j->end - j->at) < n || memcmp(j->at, word, n) != 0)
        return false;
    j->at += n;
    return true;
}

static uint32_t read_hex4(struct json *j)
{
    int code = orma_hex4((struct orma_str){j->at, (size_t)(j->end - j->at)});

    if (code < 0) {
        j->failed = true;
        return 0;
    }
    j->at += 4;
    return (uint32_t)code;
}

static void read_escape(struct json *j, struct orma_buf *out)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    char c = j->at < j->end ? *j->at++ : 0;
    const char *plain = c ? strchr(from, c) : NULL;

    if (c == 'u') {
        uint32_t code = read_hex4(j);

        if ((code & 0xfc00) == 0xd800 && j->end - j->at >= 6 && take_word(j, "\\u"))
            code = 0x10000 + ((code & 0x3ff) << 10) + (read_hex4(j) & 0x3ff);
        if (!orma_utf8_put(out, code))
            (void)orma_utf8_put(out, 0xfffd);
    } else if (plain) {
        orma_buf_put_byte(out, (uint8_t)to[plain - from]);
    } else {
        orma_buf_put_byte(out, (uint8_t)c);
    }
}

/* The text behind an opening quote. */
static void read_text(struct json *j, struct orma_buf *out)
{
    while (j->at < j->end && *j->at != '"' && !j->failed) {
        char c = *j->at++;

        if (c == '\\')
            read_escape(j, out);
        else
            orma_buf_put_byte(out, (uint8_t)c);
    }
    j->failed |= j->at == j->end;
    if (!j->failed)
        j->at++;
}

static void read_number(struct json *j)
{
    char text[64];
    size_t n = 0;
    bool real = false;
    int64_t i;

    while (j->at < j->end && n < sizeof(text) - 1 && strchr("+-.0123456789eE", *j->at)) {
        real |= strchr(".eE", *j->at) != NULL;
        text[n++] = *j->at++;
    }
    text[n] = '\0';
    char *end = text;
    double d = strtod(text, &end);
    if (!n || end != text + n) {
        j->failed = true;
        return;
    }
    if (j->dry)
        return;
    if (!real && orma_str_to_i64((struct orma_str){text, n}, &i))
        orma_arg_put(j->imp, j->key, ORMA_ARG_INT, i, j->ret);
    else
        orma_arg_put_double(j->imp, j->key, d, j->ret);
}

static void read_value(struct json *j, unsigned depth);

static void read_object(struct json *j, unsigned depth)
{
    const size_t full = j->key->full_len, flat = j->key->flat_len;

    if (take(j, '}'))
        return;
    do {
        struct orma_buf name = {0};

        if (!take(j, '"')) {
            j->failed = true;
            return;
        }
        read_text(j, &name);
        if (!j->dry)
            orma_arg_key_push(j->key, orma_buf_str(&name));
        j->imp->model->storage->failed |= name.failed;
        orma_buf_fini(&name);
        j->failed |= !take(j, ':');
        read_value(j, depth + 1);
        j->key->full_len = full;
        j->key->flat_len = flat;
    } while (!j->failed && take(j, ','));
    j->failed |= !take(j, '}');
}

static void read_array(struct json *j, unsigned depth)
{
    const size_t full = j->key->full_len;
    unsigned index = 0;

    if (take(j, ']'))
        return;
    do {
        if (!j->dry)
            orma_arg_key_push_index(j->key, index++);
        read_value(j, depth + 1);
        j->key->full_len = full;
    } while (!j->failed && take(j, ','));
    j->failed |= !take(j, ']');
}

static void read_value(struct json *j, unsigned depth)
{
    skip_blanks(j);
    if (j->at == j->end || depth > JSON_DEPTH_MAX || j->failed) {
        j->failed = true;
    } else if (take(j, '{')) {
        read_object(j, depth);
    } else if (take(j, '[')) {
        read_array(j, depth);
    } else if (take(j, '"')) {
        struct orma_buf text = {0};

        read_text(j, &text);
        if (!j->dry && !j->failed)
            orma_arg_put_text(j->imp, j->key, orma_buf_str(&text), j->ret);
        j->imp->model->storage->failed |= text.failed;
        orma_buf_fini(&text);
    } else if (take_word(j, "true") || take_word(j, "false")) {
        if (!j->dry)
            orma_arg_put(j->imp, j->key, ORMA_ARG_BOOL, j->at[-2] == 'u', j->ret);
    } else if (!take_word(j, "null")) {
        read_number(j);
    }
}

void orma_import_json_args_put(struct orma_import_ctx *imp, struct orma_str text,
                               struct orma_arg_key *key, struct orma_args_list *ret)
{
    if (!text.len)
        return;
    struct json j = {imp, ret, key, text.data, text.data + text.len, true, false};

    read_value(&j, 0);
    skip_blanks(&j);
    if (j.failed || j.at != j.end) {
        orma_arg_put_text(imp, key, text, ret);
        return;
    }
    j.at = text.data;
    j.dry = false;
    read_value(&j, 0);
}
