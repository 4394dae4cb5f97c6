/* Debug annotations as args. */
#include "processor/import/core/proto_args.h"
#include "processor/import/events/event.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/track_event.h"

#define NESTING_MAX 64

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

/* ---- values ---- */

/* An annotation under way. */
struct reading {
    struct orma_import_ctx *imp;
    const struct orma_seq_gen *gen;
    struct orma_arg_key *k;
    struct orma_args_list *ret;
    bool bad; /* it refers to what is not there: the rest of it is not read */
};

/* Whether it is an entry of the array that it lies in: a dictionary always is, what has no value is
 * none and takes no place. */
static bool annotation(struct reading *a, struct orma_str bytes, unsigned depth);

/* The text that a number stands for; "" and bad: for none. */
static struct orma_str interned(struct reading *a, uint32_t kind, uint64_t iid, uint32_t field)
{
    uint32_t text = orma_events_interned_text(a->imp, a->gen, kind, iid, field);

    if (!text && !orma_seq_gen_find(a->gen, kind, iid))
        a->bad = true;
    return text ? orma_strpool_get(&a->imp->model->storage->pool, text) : ORMA_STR("");
}

/* A number goes before a text. Without either it is bad. */
static struct orma_str annotation_name(struct reading *a, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct orma_str name = {NULL, 0};
    uint64_t iid = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_DEBUG_ANNOTATION_NAME)
            name = orma_pb_str(&f);
        else if (f.id == ORMA_PB_DEBUG_ANNOTATION_NAME_IID)
            iid = orma_pb_u64(&f);
    }
    if (iid)
        return interned(a, ORMA_PB_INTERNED_DATA_DEBUG_ANNOTATION_NAMES, iid,
                        ORMA_PB_DEBUG_ANNOTATION_NAME__NAME);
    a->bad |= !name.data;
    return name;
}

/* ---- the older form ---- */

/* What a value of the older form has: one scalar, or lists of keys and values. */
struct nested {
    uint32_t type;
    struct orma_pb_field scalars[4]; /* in order of rank: the first that is there counts */
};

static struct nested read_nested(struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct nested n = {0};

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_NESTED_TYPE:
            n.type = orma_pb_u32(&f);
            break;
        case ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_BOOL_VALUE:
            n.scalars[0] = f;
            break;
        case ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_INT_VALUE:
            n.scalars[1] = f;
            break;
        case ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_DOUBLE_VALUE:
            n.scalars[2] = f;
            break;
        case ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_STRING_VALUE:
            n.scalars[3] = f;
            break;
        }
    }
    return n;
}

static bool put_nested_scalar(struct reading *a, const struct nested *n)
{
    if (n->scalars[0].id)
        orma_arg_put(a->imp, a->k, ORMA_ARG_BOOL, orma_pb_bool(&n->scalars[0]), a->ret);
    else if (n->scalars[1].id)
        orma_arg_put(a->imp, a->k, ORMA_ARG_INT, orma_pb_i64(&n->scalars[1]), a->ret);
    else if (n->scalars[2].id)
        orma_arg_put_double(a->imp, a->k, orma_pb_double(&n->scalars[2]), a->ret);
    else if (n->scalars[3].id)
        orma_arg_put_text(a->imp, a->k, orma_pb_str(&n->scalars[3]), a->ret);
    return n->scalars[0].id || n->scalars[1].id || n->scalars[2].id || n->scalars[3].id;
}

static bool nested_value(struct reading *a, struct orma_str bytes, unsigned depth);

static bool next_of(struct orma_pb_reader *r, uint32_t id, struct orma_pb_field *ret)
{
    while (orma_pb_next(r, ret))
        if (ret->id == id)
            return true;
    return false;
}

/* Keys and values are parallel lists; what is left over of the longer one says nothing. */
static void nested_dict(struct reading *a, struct orma_str bytes, unsigned depth)
{
    struct orma_pb_reader keys = orma_pb_reader(bytes.data, bytes.len), values = keys;
    const size_t full = a->k->full_len, flat = a->k->flat_len;
    struct orma_pb_field key, val;

    while (next_of(&keys, ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_DICT_KEYS, &key) &&
           next_of(&values, ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_DICT_VALUES, &val)) {
        orma_arg_key_push_foreign(a->k, orma_pb_str(&key));
        (void)nested_value(a, orma_pb_str(&val), depth + 1);
        a->k->full_len = full;
        a->k->flat_len = flat;
    }
}

/* The elements of an array of either form: each in field `id`. */
static bool elements(struct reading *a, struct orma_str bytes, uint32_t id, unsigned depth,
                     bool (*put)(struct reading *a, struct orma_str bytes, unsigned depth))
{
    struct orma_import_arrays *arrays = &orma_events(a->imp)->arrays;
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    const size_t full = a->k->full_len, flat = a->k->flat_len;
    unsigned index = orma_import_arrays_next(arrays, a->imp, a->k, a->ret);
    struct orma_pb_field f;
    bool any = false;

    while (!a->bad && next_of(&r, id, &f)) {
        orma_arg_key_push_index(a->k, index);
        bool is_entry = put(a, orma_pb_str(&f), depth + 1);
        a->k->full_len = full;
        a->k->flat_len = flat;
        index += is_entry;
        any |= is_entry;
    }
    if (any)
        orma_import_arrays_put(arrays, a->imp, a->k, index);
    return any;
}

static bool nested_value(struct reading *a, struct orma_str bytes, unsigned depth)
{
    if (depth >= NESTING_MAX)
        return false;
    const struct nested n = read_nested(bytes);
    switch (n.type) {
    case ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_UNSPECIFIED:
        return put_nested_scalar(a, &n);
    case ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_DICT:
        nested_dict(a, bytes, depth);
        return true;
    case ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_ARRAY:
        return elements(a, bytes, ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE_ARRAY_VALUES, depth,
                        nested_value);
    }
    return false;
}

/* ---- the form of today ---- */

static bool put_interned_string(struct reading *a, uint64_t iid)
{
    struct orma_str text =
        interned(a, ORMA_PB_INTERNED_DATA_DEBUG_ANNOTATION_STRING_VALUES, iid, 2);

    if (!a->bad)
        orma_arg_put_text(a->imp, a->k, text, a->ret);
    return !a->bad;
}

/* The first entry whose name is bad is the last one. */
static bool dict_entries(struct reading *a, struct orma_str bytes, unsigned depth)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    const size_t full = a->k->full_len, flat = a->k->flat_len;
    struct orma_pb_field f;

    while (!a->bad && next_of(&r, ORMA_PB_DEBUG_ANNOTATION_DICT_ENTRIES, &f)) {
        struct orma_str name = annotation_name(a, orma_pb_str(&f));

        if (a->bad)
            break;
        orma_arg_key_push_foreign(a->k, name);
        (void)annotation(a, orma_pb_str(&f), depth + 1);
        a->k->full_len = full;
        a->k->flat_len = flat;
    }
    return true;
}

/* A message whose type the annotation names. */
static bool typed_value(struct reading *a, struct orma_str bytes, struct orma_str message)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct orma_str name = {NULL, 0};
    uint64_t iid = 0;
    struct orma_proto_args args;

    if (ORMA_UNLIKELY(orma_events(a->imp)->decoding)) /* was none when it was left */
        return false;
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_DEBUG_ANNOTATION_PROTO_TYPE_NAME)
            name = orma_pb_str(&f);
        else if (f.id == ORMA_PB_DEBUG_ANNOTATION_PROTO_TYPE_NAME_IID)
            iid = orma_pb_u64(&f);
    }
    if (!name.data && iid)
        name = interned(a, ORMA_PB_INTERNED_DATA_DEBUG_ANNOTATION_VALUE_TYPE_NAMES, iid, 2);
    if (a->bad)
        return false;
    orma_events_proto_args(a->imp, a->gen, a->ret, &args);
    a->bad = !orma_import_proto_args_put(
        &args, orma_schema_find_msg(orma_import_schema(a->imp), name), message, a->k);
    return true;
}

/* Which of several values counts: that of the lowest rank. 0: the field is no value. */
static const uint8_t ranks[] = {
    [ORMA_PB_DEBUG_ANNOTATION_BOOL_VALUE] = 1,    [ORMA_PB_DEBUG_ANNOTATION_UINT_VALUE] = 2,
    [ORMA_PB_DEBUG_ANNOTATION_INT_VALUE] = 3,     [ORMA_PB_DEBUG_ANNOTATION_DOUBLE_VALUE] = 4,
    [ORMA_PB_DEBUG_ANNOTATION_STRING_VALUE] = 5,  [ORMA_PB_DEBUG_ANNOTATION_STRING_VALUE_IID] = 6,
    [ORMA_PB_DEBUG_ANNOTATION_POINTER_VALUE] = 7, [ORMA_PB_DEBUG_ANNOTATION_DICT_ENTRIES] = 8,
    [ORMA_PB_DEBUG_ANNOTATION_ARRAY_VALUES] = 9,  [ORMA_PB_DEBUG_ANNOTATION_LEGACY_JSON_VALUE] = 10,
    [ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE] = 11, [ORMA_PB_DEBUG_ANNOTATION_PROTO_VALUE] = 12,
};

/* The field that counts; id 0: none. */
static struct orma_pb_field find_value(struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f, best = {0};

    while (orma_pb_next(&r, &f))
        if (f.id < ORMA_ARRAY_LEN(ranks) && ranks[f.id] &&
            (!best.id || ranks[f.id] <= ranks[best.id]))
            best = f;
    return best;
}

static bool annotation(struct reading *a, struct orma_str bytes, unsigned depth)
{
    if (depth >= NESTING_MAX)
        return false;
    const struct orma_pb_field f = find_value(bytes);
    switch (f.id) {
    case ORMA_PB_DEBUG_ANNOTATION_BOOL_VALUE:
        orma_arg_put(a->imp, a->k, ORMA_ARG_BOOL, orma_pb_bool(&f), a->ret);
        return true;
    case ORMA_PB_DEBUG_ANNOTATION_UINT_VALUE:
        orma_arg_put(a->imp, a->k, ORMA_ARG_UINT, orma_pb_i64(&f), a->ret);
        return true;
    case ORMA_PB_DEBUG_ANNOTATION_INT_VALUE:
        orma_arg_put(a->imp, a->k, ORMA_ARG_INT, orma_pb_i64(&f), a->ret);
        return true;
    case ORMA_PB_DEBUG_ANNOTATION_DOUBLE_VALUE:
        orma_arg_put_double(a->imp, a->k, orma_pb_double(&f), a->ret);
        return true;
    case ORMA_PB_DEBUG_ANNOTATION_STRING_VALUE:
        orma_arg_put_text(a->imp, a->k, orma_pb_str(&f), a->ret);
        return true;
    case ORMA_PB_DEBUG_ANNOTATION_POINTER_VALUE:
        orma_arg_put(a->imp, a->k, ORMA_ARG_POINTER, orma_pb_i64(&f), a->ret);
        return true;
    case ORMA_PB_DEBUG_ANNOTATION_STRING_VALUE_IID:
        return put_interned_string(a, orma_pb_u64(&f));
    case ORMA_PB_DEBUG_ANNOTATION_DICT_ENTRIES:
        return dict_entries(a, bytes, depth);
    case ORMA_PB_DEBUG_ANNOTATION_ARRAY_VALUES:
        return elements(a, bytes, ORMA_PB_DEBUG_ANNOTATION_ARRAY_VALUES, depth, annotation);
    case ORMA_PB_DEBUG_ANNOTATION_LEGACY_JSON_VALUE:
        return orma_import_json_args_put(a->imp, orma_pb_str(&f), a->k,
                                         &orma_events(a->imp)->arrays, a->ret);
    case ORMA_PB_DEBUG_ANNOTATION_NESTED_VALUE:
        return nested_value(a, orma_pb_str(&f), depth);
    case ORMA_PB_DEBUG_ANNOTATION_PROTO_VALUE:
        return typed_value(a, bytes, orma_pb_str(&f));
    }
    return false;
}

/* ---- annotations ---- */

bool orma_events_annotation_at(struct orma_import_ctx *imp, const struct orma_seq_gen *gen,
                               struct orma_arg_key *k, struct orma_str bytes,
                               struct orma_args_list *ret)
{
    const size_t full = k->full_len, flat = k->flat_len;
    struct reading a = {.imp = imp, .gen = gen, .k = k, .ret = ret};
    struct orma_str name = annotation_name(&a, bytes);

    if (!a.bad) {
        orma_arg_key_push_foreign(k, name);
        (void)annotation(&a, bytes, 0);
        k->full_len = full;
        k->flat_len = flat;
    }
    if (a.bad)
        orma_stats_inc(orma_model_stats(imp->model, (uint16_t)gen->seq->machine),
                       ORMA_STAT_TRACK_EVENT_PARSER_ERRORS);
    return !a.bad;
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

bool orma_events_annotation(struct orma_import_ctx *imp, const struct orma_seq_gen *gen,
                            struct orma_str bytes, struct orma_args_list *ret)
{
    struct orma_arg_key k;

    if (ORMA_LIKELY(!imp->options->no_plain_events) && plain_annotation(imp, gen, bytes, ret))
        return true;
    orma_arg_key_init(&k, "debug");
    (void)orma_events_annotation_at(imp, gen, &k, bytes, ret); /* counted there */
    return false;
}
