/* Debug annotations as args. */
#include <stdio.h>

#include "processor/import/track_event.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/track_event.h"

#define NESTING_MAX 64
#define KEY_MAX 1024

/* The key under construction, with and without indices. */
struct key {
    char full[KEY_MAX], flat[KEY_MAX];
    size_t full_len, flat_len;
};

uint32_t orma_te_interned_text(struct orma_import *imp, const struct orma_seq_gen *gen,
                               uint32_t kind, uint64_t iid, uint32_t field)
{
    struct orma_interned *e = orma_seq_gen_find(gen, kind, iid);

    if (ORMA_UNLIKELY(!e))
        return 0;
    if (ORMA_UNLIKELY(!e->cache)) {
        struct orma_pb_reader r = orma_pb_reader(e->data, e->len);
        struct orma_pb_field f;

        e->cache = 1;
        while (orma_pb_next(&r, &f))
            if (f.id == field)
                e->cache = orma_import_str(imp, orma_pb_str(&f)) + 1;
    }
    return e->cache - 1;
}

static void append(char *to, size_t *len, const char *text, size_t n)
{
    n = ORMA_MIN(n, KEY_MAX - 1 - *len);
    memcpy(to + *len, text, n);
    *len += n;
}

/* ".name", with dots and brackets of the name itself made harmless. */
static void push_name(struct key *k, struct orma_str name)
{
    char clean[KEY_MAX];
    size_t n = ORMA_MIN(name.len, sizeof(clean));

    for (size_t i = 0; i < n; i++) {
        char c = name.data[i];

        clean[i] = c == '.' || c == '[' || c == ']' ? '_' : c;
    }
    append(k->full, &k->full_len, ".", 1);
    append(k->full, &k->full_len, clean, n);
    append(k->flat, &k->flat_len, ".", 1);
    append(k->flat, &k->flat_len, clean, n);
}

static void push_index(struct key *k, unsigned index)
{
    char text[16];
    int n = snprintf(text, sizeof(text), "[%u]", index);

    append(k->full, &k->full_len, text, (size_t)n);
}

static struct orma_arg arg_of(struct orma_import *imp, const struct key *k, enum orma_arg_type type,
                              int64_t val)
{
    return (struct orma_arg){
        .flat_key = orma_import_str(imp, (struct orma_str){k->flat, k->flat_len}),
        .key = orma_import_str(imp, (struct orma_str){k->full, k->full_len}),
        .type = (uint8_t)type,
        .i = val,
    };
}

static void put(struct orma_import *imp, const struct key *k, enum orma_arg_type type, int64_t val,
                struct orma_args_list *ret)
{
    orma_args_put(ret, arg_of(imp, k, type, val));
}

static void put_text(struct orma_import *imp, const struct key *k, struct orma_str text,
                     struct orma_args_list *ret)
{
    put(imp, k, ORMA_ARG_STRING, orma_import_str(imp, text), ret);
}

static void put_double(struct orma_import *imp, const struct key *k, double val,
                       struct orma_args_list *ret)
{
    struct orma_arg arg = arg_of(imp, k, ORMA_ARG_REAL, 0);

    arg.d = val;
    orma_args_put(ret, arg);
}

/* The older form: parallel lists of keys and values. */
static void nested_value(struct orma_import *imp, struct key *k, struct orma_str bytes,
                         struct orma_args_list *ret, unsigned depth)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len), keys = r;
    struct orma_pb_field f, name;
    unsigned index = 0;

    while (depth < NESTING_MAX && orma_pb_next(&r, &f)) {
        const size_t full = k->full_len, flat = k->flat_len;

        switch (f.id) {
        case ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_DICT_VALUES:
            while (orma_pb_next(&keys, &name))
                if (name.id == ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_DICT_KEYS)
                    break;
            push_name(k, orma_pb_str(&name));
            nested_value(imp, k, orma_pb_str(&f), ret, depth + 1);
            break;
        case ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_ARRAY_VALUES:
            push_index(k, index++);
            nested_value(imp, k, orma_pb_str(&f), ret, depth + 1);
            break;
        case ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_INT_VALUE:
            put(imp, k, ORMA_ARG_INT, orma_pb_i64(&f), ret);
            break;
        case ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_DOUBLE_VALUE:
            put_double(imp, k, orma_pb_double(&f), ret);
            break;
        case ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_BOOL_VALUE:
            put(imp, k, ORMA_ARG_BOOL, orma_pb_bool(&f), ret);
            break;
        case ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_STRING_VALUE:
            put_text(imp, k, orma_pb_str(&f), ret);
            break;
        }
        k->full_len = full;
        k->flat_len = flat;
    }
}

static void annotation(struct orma_import *imp, const struct orma_seq_gen *gen, struct key *k,
                       struct orma_str bytes, struct orma_args_list *ret, unsigned depth);

static struct orma_str annotation_name(struct orma_import *imp, const struct orma_seq_gen *gen,
                                       struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_DEBUG_ANNOTATION_NAME)
            return orma_pb_str(&f);
        if (f.id == ORMA_PB_DEBUG_ANNOTATION_NAME_IID)
            return orma_strpool_get(
                &imp->storage->pool,
                orma_te_interned_text(imp, gen, ORMA_PB_INTERNED_DATA_DEBUG_ANNOTATION_NAMES,
                                      orma_pb_u64(&f), ORMA_PB_DEBUG_ANNOTATION_NAME__NAME));
    }
    return (struct orma_str){NULL, 0};
}

static void value(struct orma_import *imp, const struct orma_seq_gen *gen, struct key *k,
                  const struct orma_pb_field *f, struct orma_args_list *ret, unsigned depth,
                  unsigned *index)
{
    const size_t full = k->full_len, flat = k->flat_len;

    switch (f->id) {
    case ORMA_PB_DEBUG_ANNOTATION_BOOL_VALUE:
        put(imp, k, ORMA_ARG_BOOL, orma_pb_bool(f), ret);
        break;
    case ORMA_PB_DEBUG_ANNOTATION_UINT_VALUE:
        put(imp, k, ORMA_ARG_UINT, orma_pb_i64(f), ret);
        break;
    case ORMA_PB_DEBUG_ANNOTATION_INT_VALUE:
        put(imp, k, ORMA_ARG_INT, orma_pb_i64(f), ret);
        break;
    case ORMA_PB_DEBUG_ANNOTATION_DOUBLE_VALUE:
        put_double(imp, k, orma_pb_double(f), ret);
        break;
    case ORMA_PB_DEBUG_ANNOTATION_STRING_VALUE:
        put_text(imp, k, orma_pb_str(f), ret);
        break;
    case ORMA_PB_DEBUG_ANNOTATION_POINTER_VALUE:
        put(imp, k, ORMA_ARG_POINTER, orma_pb_i64(f), ret);
        break;
    case ORMA_PB_DEBUG_ANNOTATION_STRING_VALUE_IID: {
        uint32_t text = orma_te_interned_text(
            imp, gen, ORMA_PB_INTERNED_DATA_DEBUG_ANNOTATION_STRING_VALUES, orma_pb_u64(f), 2);

        if (text)
            put(imp, k, ORMA_ARG_STRING, text, ret);
        break;
    }
    case ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE:
        nested_value(imp, k, orma_pb_str(f), ret, depth);
        break;
    case ORMA_PB_DEBUG_ANNOTATION_DICT_ENTRIES:
        push_name(k, annotation_name(imp, gen, orma_pb_str(f)));
        annotation(imp, gen, k, orma_pb_str(f), ret, depth + 1);
        break;
    case ORMA_PB_DEBUG_ANNOTATION_ARRAY_VALUES:
        push_index(k, (*index)++);
        annotation(imp, gen, k, orma_pb_str(f), ret, depth + 1);
        break;
    }
    k->full_len = full;
    k->flat_len = flat;
}

static void annotation(struct orma_import *imp, const struct orma_seq_gen *gen, struct key *k,
                       struct orma_str bytes, struct orma_args_list *ret, unsigned depth)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    unsigned index = 0;

    while (depth < NESTING_MAX && orma_pb_next(&r, &f))
        value(imp, gen, k, &f, ret, depth, &index);
}

void orma_te_annotation(struct orma_import *imp, const struct orma_seq_gen *gen,
                        struct orma_str bytes, struct orma_args_list *ret)
{
    struct key k = {.full = "debug", .flat = "debug", .full_len = 5, .flat_len = 5};
    struct orma_str name = annotation_name(imp, gen, bytes);

    if (!name.data) {
        orma_stats_inc(orma_import_stats(imp, 0), ORMA_STAT_TRACK_EVENT_PARSER_ERRORS);
        return;
    }
    push_name(&k, name);
    annotation(imp, gen, &k, bytes, ret, 0);
}
