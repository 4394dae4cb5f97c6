/* Debug annotations as args. */
#include <limits.h>

#include "processor/import/core/proto_args.h"
#include "processor/import/events/event.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/track_event.h"

#define NESTING_MAX 64
#define INDEX_UNKNOWN UINT_MAX

uint32_t orma_events_interned_text(struct orma_import_ctx *imp, const struct orma_seq_gen *gen,
                                   uint32_t kind, uint64_t iid, uint32_t field)
{
    struct orma_interned *e = orma_seq_gen_find(gen, kind, iid);

    if (ORMA_UNLIKELY(!e)) {
        orma_stats_inc(orma_model_stats(imp->model, (uint16_t)gen->seq->machine),
                       ORMA_STAT_INTERNED_DATA_TOKENIZER_ERRORS);
        return 0;
    }
    if (ORMA_UNLIKELY(!e->cache)) {
        struct orma_pb_reader r = orma_pb_reader(e->data, e->len);
        struct orma_pb_field f;

        e->cache = 1;
        while (orma_pb_next(&r, &f))
            if (f.id == field)
                e->cache = orma_model_str(imp->model, orma_pb_str(&f)) + 1;
    }
    return e->cache - 1;
}

/* One more than the last index of an array in a list. */
static unsigned indices_of(struct orma_import_ctx *imp, const struct orma_arg_key *k,
                           const struct orma_args_list *list)
{
    unsigned next = 0;

    for (uint32_t i = 0; list && i < list->len; i++) {
        struct orma_str key = orma_strpool_get(&imp->model->storage->pool, list->args[i].key);
        unsigned index = 0;

        if (key.len < k->full_len + 3 || memcmp(key.data, k->full, k->full_len) != 0 ||
            key.data[k->full_len] != '[')
            continue;
        for (size_t at = k->full_len + 1; at < key.len && key.data[at] != ']'; at++)
            index = index * 10 + (unsigned)(key.data[at] - '0');
        next = ORMA_MAX(next, index + 1);
    }
    return next;
}

/* An array that came before under the same key, also with the begin of the slice, is continued. */
static unsigned next_index(struct orma_import_ctx *imp, const struct orma_arg_key *k,
                           const struct orma_args_list *ret)
{
    return ORMA_MAX(indices_of(imp, k, ret), indices_of(imp, k, orma_events(imp)->args_before));
}

/* The older form: parallel lists of keys and values. False: it says nothing; in an array it has no
 * place then, as in the newer form. */
static bool nested_value(struct orma_import_ctx *imp, struct orma_arg_key *k, struct orma_str bytes,
                         struct orma_args_list *ret, unsigned depth)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len), keys = r;
    struct orma_pb_field f, name = {0}; /* the key is empty where there are too few */
    unsigned index = INDEX_UNKNOWN;
    bool any = false;

    while (depth < NESTING_MAX && orma_pb_next(&r, &f)) {
        const size_t full = k->full_len, flat = k->flat_len;
        bool is_value = true;

        switch (f.id) {
        case ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_DICT_VALUES:
            while (orma_pb_next(&keys, &name))
                if (name.id == ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_DICT_KEYS)
                    break;
            orma_arg_key_push_foreign(k, orma_pb_str(&name));
            (void)nested_value(imp, k, orma_pb_str(&f), ret, depth + 1);
            break;
        case ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_ARRAY_VALUES:
            if (index == INDEX_UNKNOWN)
                index = next_index(imp, k, ret);
            orma_arg_key_push_index(k, index);
            is_value = nested_value(imp, k, orma_pb_str(&f), ret, depth + 1);
            index += is_value;
            break;
        case ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_INT_VALUE:
            orma_arg_put(imp, k, ORMA_ARG_INT, orma_pb_i64(&f), ret);
            break;
        case ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_DOUBLE_VALUE:
            orma_arg_put_double(imp, k, orma_pb_double(&f), ret);
            break;
        case ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_BOOL_VALUE:
            orma_arg_put(imp, k, ORMA_ARG_BOOL, orma_pb_bool(&f), ret);
            break;
        case ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_STRING_VALUE:
            orma_arg_put_text(imp, k, orma_pb_str(&f), ret);
            break;
        case ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_NESTED_TYPE:
            is_value = orma_pb_u64(&f) == ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_DICT;
            break;
        default:
            is_value = false;
        }
        any |= is_value;
        k->full_len = full;
        k->flat_len = flat;
    }
    return any;
}

/* False: it says nothing. A dictionary always does, even if it is empty. */
static bool annotation(struct orma_import_ctx *imp, const struct orma_seq_gen *gen,
                       struct orma_arg_key *k, struct orma_str bytes, struct orma_args_list *ret,
                       unsigned depth);

static struct orma_str annotation_name(struct orma_import_ctx *imp, const struct orma_seq_gen *gen,
                                       struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_DEBUG_ANNOTATION_NAME)
            return orma_pb_str(&f);
        if (f.id == ORMA_PB_DEBUG_ANNOTATION_NAME_IID)
            return orma_strpool_get(
                &imp->model->storage->pool,
                orma_events_interned_text(imp, gen, ORMA_PB_INTERNED_DATA_DEBUG_ANNOTATION_NAMES,
                                          orma_pb_u64(&f), ORMA_PB_DEBUG_ANNOTATION_NAME__NAME));
    }
    return (struct orma_str){NULL, 0};
}

/* False: the field is no value, or one that says nothing. */
static bool value(struct orma_import_ctx *imp, const struct orma_seq_gen *gen,
                  struct orma_arg_key *k, const struct orma_pb_field *f, struct orma_args_list *ret,
                  unsigned depth, unsigned *index)
{
    const size_t full = k->full_len, flat = k->flat_len;
    const uint32_t before = ret->len;
    bool any = true;

    switch (f->id) {
    case ORMA_PB_DEBUG_ANNOTATION_BOOL_VALUE:
        orma_arg_put(imp, k, ORMA_ARG_BOOL, orma_pb_bool(f), ret);
        break;
    case ORMA_PB_DEBUG_ANNOTATION_UINT_VALUE:
        orma_arg_put(imp, k, ORMA_ARG_UINT, orma_pb_i64(f), ret);
        break;
    case ORMA_PB_DEBUG_ANNOTATION_INT_VALUE:
        orma_arg_put(imp, k, ORMA_ARG_INT, orma_pb_i64(f), ret);
        break;
    case ORMA_PB_DEBUG_ANNOTATION_DOUBLE_VALUE:
        orma_arg_put_double(imp, k, orma_pb_double(f), ret);
        break;
    case ORMA_PB_DEBUG_ANNOTATION_STRING_VALUE:
        orma_arg_put_text(imp, k, orma_pb_str(f), ret);
        break;
    case ORMA_PB_DEBUG_ANNOTATION_POINTER_VALUE:
        orma_arg_put(imp, k, ORMA_ARG_POINTER, orma_pb_i64(f), ret);
        break;
    case ORMA_PB_DEBUG_ANNOTATION_STRING_VALUE_IID: {
        uint32_t text = orma_events_interned_text(
            imp, gen, ORMA_PB_INTERNED_DATA_DEBUG_ANNOTATION_STRING_VALUES, orma_pb_u64(f), 2);

        if (text)
            orma_arg_put(imp, k, ORMA_ARG_STRING, text, ret);
        break;
    }
    case ORMA_PB_DEBUG_ANNOTATION_LEGACY_JSON_VALUE:
        orma_import_json_args_put(imp, orma_pb_str(f), k, ret);
        any = ret->len != before;
        break;
    case ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE:
        any = nested_value(imp, k, orma_pb_str(f), ret, depth);
        break;
    case ORMA_PB_DEBUG_ANNOTATION_DICT_ENTRIES:
        orma_arg_key_push_foreign(k, annotation_name(imp, gen, orma_pb_str(f)));
        (void)annotation(imp, gen, k, orma_pb_str(f), ret, depth + 1);
        break;
    case ORMA_PB_DEBUG_ANNOTATION_ARRAY_VALUES:
        if (*index == INDEX_UNKNOWN)
            *index = next_index(imp, k, ret);
        orma_arg_key_push_index(k, *index);
        any = annotation(imp, gen, k, orma_pb_str(f), ret, depth + 1);
        *index += any;
        break;
    default:
        any = false;
    }
    k->full_len = full;
    k->flat_len = flat;
    return any;
}

/* A message whose type the annotation names. */
static void typed_value(struct orma_import_ctx *imp, const struct orma_seq_gen *gen,
                        struct orma_arg_key *k, struct orma_str bytes, struct orma_args_list *ret)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct orma_str name = {NULL, 0}, message = {NULL, 0};
    struct orma_proto_args args;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_DEBUG_ANNOTATION_PROTO_TYPE_NAME)
            name = orma_pb_str(&f);
        else if (f.id == ORMA_PB_DEBUG_ANNOTATION_PROTO_TYPE_NAME_IID)
            name = orma_strpool_get(
                &imp->model->storage->pool,
                orma_events_interned_text(imp, gen,
                                          ORMA_PB_INTERNED_DATA_DEBUG_ANNOTATION_VALUE_TYPE_NAMES,
                                          orma_pb_u64(&f), 2));
        else if (f.id == ORMA_PB_DEBUG_ANNOTATION_PROTO_VALUE)
            message = orma_pb_str(&f);
    }
    orma_events_proto_args(imp, gen, ret, &args);
    orma_import_proto_args_put(&args, orma_schema_find_msg(orma_import_schema(imp), name), message,
                               k);
}

static bool annotation(struct orma_import_ctx *imp, const struct orma_seq_gen *gen,
                       struct orma_arg_key *k, struct orma_str bytes, struct orma_args_list *ret,
                       unsigned depth)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    unsigned index = INDEX_UNKNOWN;
    bool any = false;

    while (depth < NESTING_MAX && orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_DEBUG_ANNOTATION_PROTO_VALUE) {
            typed_value(imp, gen, k, bytes, ret);
            any = true;
        } else {
            any |= value(imp, gen, k, &f, ret, depth, &index);
        }
    }
    return any;
}

bool orma_events_annotation_at(struct orma_import_ctx *imp, const struct orma_seq_gen *gen,
                               struct orma_arg_key *k, struct orma_str bytes,
                               struct orma_args_list *ret)
{
    const size_t full = k->full_len, flat = k->flat_len;
    struct orma_str name = annotation_name(imp, gen, bytes);

    if (!name.data) {
        orma_stats_inc(orma_model_stats(imp->model, imp->model->base),
                       ORMA_STAT_TRACK_EVENT_PARSER_ERRORS);
        return false;
    }
    orma_arg_key_push_foreign(k, name);
    (void)annotation(imp, gen, k, bytes, ret, 0);
    k->full_len = full;
    k->flat_len = flat;
    return true;
}

/* The key of annotations with this name. */
static uint32_t key_of(struct orma_import_ctx *imp, uint32_t name)
{
    struct orma_events_state *st = orma_events_state(imp);
    struct orma_arg_key k;

    if (ORMA_LIKELY(st && st->keys[name % ORMA_EVENTS_KEYS_NUM].name == name))
        return st->keys[name % ORMA_EVENTS_KEYS_NUM].key;
    orma_arg_key_init(&k, "debug");
    orma_arg_key_push_foreign(&k, orma_strpool_get(&imp->model->storage->pool, name));
    uint32_t key = orma_model_str(imp->model, (struct orma_str){k.flat, k.flat_len});
    if (st) {
        st->keys[name % ORMA_EVENTS_KEYS_NUM].name = name;
        st->keys[name % ORMA_EVENTS_KEYS_NUM].key = key;
    }
    return key;
}

/* The commonest form: a name by number that was used before, then a number. False: another one. */
static bool plain_annotation(struct orma_import_ctx *imp, const struct orma_seq_gen *gen,
                             struct orma_str bytes, struct orma_args_list *ret)
{
    static const uint8_t types[] = {
        [ORMA_PB_DEBUG_ANNOTATION_BOOL_VALUE] = ORMA_ARG_BOOL + 1,
        [ORMA_PB_DEBUG_ANNOTATION_UINT_VALUE] = ORMA_ARG_UINT + 1,
        [ORMA_PB_DEBUG_ANNOTATION_INT_VALUE] = ORMA_ARG_INT + 1,
        [ORMA_PB_DEBUG_ANNOTATION_POINTER_VALUE] = ORMA_ARG_POINTER + 1,
    };
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field name, val;

    if (!orma_pb_next(&r, &name) || name.id != ORMA_PB_DEBUG_ANNOTATION_NAME_IID ||
        name.wire != ORMA_PB_VARINT || !orma_pb_next(&r, &val) || val.wire != ORMA_PB_VARINT ||
        val.id >= ORMA_ARRAY_LEN(types) || !types[val.id] || r.pos != r.end)
        return false;
    const struct orma_interned *e =
        orma_seq_gen_find(gen, ORMA_PB_INTERNED_DATA_DEBUG_ANNOTATION_NAMES, name.num);
    if (!e || e->cache <= 1)
        return false;
    uint8_t type = types[val.id] - 1;
    uint32_t key = key_of(imp, e->cache - 1);
    orma_args_put(
        ret, (struct orma_args_item){.flat_key = key,
                                     .key = key,
                                     .type = type,
                                     .i = type == ORMA_ARG_BOOL ? val.num != 0 : (int64_t)val.num});
    return true;
}

void orma_events_annotation(struct orma_import_ctx *imp, const struct orma_seq_gen *gen,
                            struct orma_str bytes, struct orma_args_list *ret)
{
    struct orma_arg_key k;

    if (ORMA_LIKELY(!imp->options->no_plain_events) && plain_annotation(imp, gen, bytes, ret))
        return;
    orma_arg_key_init(&k, "debug");
    (void)orma_events_annotation_at(imp, gen, &k, bytes, ret); /* counted there */
}
