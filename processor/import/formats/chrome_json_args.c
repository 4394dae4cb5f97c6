/*
 * Args of events of Chrome's JSON format, and what the file says of itself.
 */
#include "processor/import/formats/chrome_json.h"

#include "processor/model/async.h"
#include "protos/reflect/json_inline.h"
#include "protos/reflect/number.h"
#include "sdk/base/hash.h"

/* Args in args in args. */
#define ARGS_DEPTH_MAX 64

/* The key without what is in brackets. */
static uint32_t flat_key(struct orma_import_ctx *imp, struct orma_str key, uint32_t id)
{
    struct orma_buf flat = {0};
    bool in = false, any = false;

    for (size_t i = 0; i < key.len; i++) {
        in = in || key.data[i] == '[';
        any = any || in;
        if (!in)
            orma_buf_put_byte(&flat, (uint8_t)key.data[i]);
        in = in && key.data[i] != ']';
    }
    imp->model->storage->failed |= flat.failed;
    if (any)
        id = orma_model_str(imp->model, orma_buf_str(&flat));
    orma_buf_fini(&flat);
    return id;
}

/* The ids of the path. */
static void find_keys(struct orma_import_ctx *imp, struct orma_json_paths *p,
                      struct orma_args_item *arg)
{
    struct orma_json_key *known = &p->keys[p->num++ % ORMA_JSON_KEYS];
    const struct orma_str key = orma_buf_str(&p->key), flat = orma_buf_str(&p->flat);

    if (known->len == key.len && known->text && !memcmp(known->text, key.data, key.len)) {
        arg->key = known->key;
        arg->flat_key = known->flat;
        return;
    }
    arg->key = orma_model_str(imp->model, key);
    if (p->odd)
        arg->flat_key = flat_key(imp, key, arg->key);
    else
        arg->flat_key = flat.len == key.len ? arg->key : orma_model_str(imp->model, flat);
    if (key.len <= UINT32_MAX)
        *known = (struct orma_json_key){
            .text = orma_strpool_get(&imp->model->storage->pool, arg->key).data,
            .len = (uint32_t)key.len,
            .key = arg->key,
            .flat = arg->flat_key,
        };
}

static void put_leaf(struct orma_import_ctx *imp, struct orma_json_paths *p,
                     const struct orma_json_value *v, struct orma_args_list *ret)
{
    struct orma_buf text = {0};
    struct orma_args_item arg = {0};

    switch (v->type) {
    case ORMA_JSON_BOOL:
        arg.type = ORMA_ARG_BOOL;
        arg.i = v->boolean;
        break;
    case ORMA_JSON_INT:
        arg.type = ORMA_ARG_INT;
        arg.i = v->integer;
        break;
    case ORMA_JSON_REAL:
        arg.type = ORMA_ARG_REAL;
        arg.d = orma_json_number(v);
        if (ORMA_UNLIKELY(arg.d != arg.d)) { /* SQL has no such number */
            arg.type = ORMA_ARG_STRING;
            arg.i = orma_model_lit(imp->model, "NaN");
        }
        break;
    case ORMA_JSON_STRING:
        arg.type = ORMA_ARG_STRING;
        arg.i = orma_model_str(imp->model, orma_json_text(v, &text));
        imp->model->storage->failed |= text.failed;
        orma_buf_fini(&text);
        break;
    default:
        return;
    }
    find_keys(imp, p, &arg);
    orma_args_put(ret, arg);
}

static inline void append(struct orma_buf *to, char before, struct orma_str text)
{
    uint8_t *at = orma_buf_extend(to, text.len + 1);

    if (!at)
        return;
    *at++ = (uint8_t)before;
    memcpy(at, text.data, text.len);
}

static inline void append_index(struct orma_buf *to, unsigned i)
{
    uint8_t *at = i < 10 ? orma_buf_extend(to, 3) : NULL;

    if (at) {
        at[0] = '[';
        at[1] = (uint8_t)('0' + i);
        at[2] = ']';
    } else if (i >= 10) {
        orma_buf_put_byte(to, '[');
        orma_number_put_u64(to, i);
        orma_buf_put_byte(to, ']');
    }
}

/* Goes behind the container at `begin`, whatever is in it. False: its brackets do not match. */
static bool skip_rest(struct orma_json *j, const char *begin)
{
    const char *to = orma_json_skip(begin, j->end);

    j->failed = !to || to[-1] != *begin + ('}' - '{');
    j->pos = to ? to : j->end;
    return !j->failed;
}

/* The container that begins at j->pos, up to its end. A broken value is left out; what else is
 * broken in it ends it, and no more. */
static bool put_container(struct orma_import_ctx *imp, struct orma_json_paths *p, unsigned depth,
                          struct orma_json *j, struct orma_args_list *ret)
{
    const char *begin = j->pos++;
    const bool object = *begin == '{', odd = p->odd;
    const size_t len = p->key.len, flat_len = p->flat.len;
    bool closed = false, more = depth < ARGS_DEPTH_MAX;
    struct orma_json_value leaf;
    struct orma_str key;

    for (unsigned i = 0; more && !(closed = orma_json_leave(j, object ? '}' : ']'));) {
        if (!object) {
            append_index(&p->key, i++);
        } else if (orma_json_name(j, &key)) {
            append(&p->key, '.', key);
            append(&p->flat, '.', key);
            p->odd = odd || memchr(key.data, '[', key.len);
        } else {
            break;
        }
        const char *at = j->pos = orma_json_skip_blanks(j->pos, j->end);
        if (j->pos < j->end && (*j->pos == '{' || *j->pos == '[')) {
            more = put_container(imp, p, depth + 1, j, ret);
        } else if (orma_json_read(j, &leaf)) {
            put_leaf(imp, p, &leaf, ret);
        } else {
            p->dropped = true;
            more = orma_json_resume(j, at);
        }
        p->key.len = len;
        p->flat.len = flat_len;
    }
    p->odd = odd;
    p->dropped |= !closed;
    return closed || skip_rest(j, begin);
}

void orma_json_event_paths_fini(struct orma_json_paths *self)
{
    orma_buf_fini(&self->key);
    orma_buf_fini(&self->flat);
    *self = (struct orma_json_paths){0};
}

void orma_json_args(struct orma_import_ctx *imp, struct orma_json_paths *paths,
                    struct orma_str begin, const struct orma_json_value *v,
                    struct orma_args_list *ret)
{
    struct orma_json j = orma_json(v->raw);

    orma_buf_clear(&paths->key);
    orma_buf_clear(&paths->flat);
    orma_buf_put(&paths->key, begin.data, begin.len);
    orma_buf_put(&paths->flat, begin.data, begin.len);
    paths->odd = memchr(begin.data, '[', begin.len) != NULL;
    paths->num = 0;
    paths->dropped = false;
    if (v->type == ORMA_JSON_OBJECT || v->type == ORMA_JSON_ARRAY)
        (void)put_container(imp, paths, 0, &j, ret); /* what could be read is there */
    else
        put_leaf(imp, paths, v, ret);
    imp->model->storage->failed |= paths->key.failed || paths->flat.failed;
}

/* ---- metadata of the trace ---- */

static void put_metadata(struct orma_model *m, const char *name, const struct orma_json_value *v,
                         struct orma_buf *scratch)
{
    double val = orma_json_number(v);
    int64_t whole = v->type == ORMA_JSON_REAL ? orma_model_whole(val) : v->integer;

    if (v->type == ORMA_JSON_BOOL)
        whole = v->boolean;
    if (v->type == ORMA_JSON_REAL && (double)whole != val) {
        orma_metadata_str(m, name, false, ORMA_METADATA_MACHINE_AND_TRACE, m->base,
                          orma_strpool_addf(&m->storage->pool, "%g", val));
    } else if (v->type == ORMA_JSON_INT || v->type == ORMA_JSON_BOOL || v->type == ORMA_JSON_REAL) {
        orma_metadata_int(m, name, false, ORMA_METADATA_MACHINE_AND_TRACE, m->base, whole);
    } else if (v->type != ORMA_JSON_NULL) {
        orma_metadata_str(m, name, false, ORMA_METADATA_MACHINE_AND_TRACE, m->base,
                          orma_model_str(m, orma_json_text(v, scratch)));
    }
}

void orma_json_metadata(struct orma_file *file, const struct orma_json_value *object)
{
    struct orma_json inside = orma_json_inside(object);
    struct orma_json_value v;
    struct orma_str key;
    struct orma_buf name = {0}, text = {0};

    while (object->type == ORMA_JSON_OBJECT && orma_json_member(&inside, &key, &v)) {
        orma_buf_clear(&name);
        orma_buf_printf(&name, "json_metadata.%.*s", ORMA_STR_ARG(key));
        put_metadata(file->imp->model, orma_buf_cstr(&name), &v, &text);
    }
    file->imp->model->storage->failed |= name.failed || text.failed;
    orma_buf_fini(&name);
    orma_buf_fini(&text);
}
