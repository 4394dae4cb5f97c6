/*
 * Objects of a heap dump as rows: their types, references and contents.
 *
 * The bytes of an object are the values of its class's fields, then those of its superclass, and so
 * on up. References become rows of the graph; other values become rows of object data, which belong
 * to one set per object. A string's text is not in the object but in the array that its `value`
 * field refers to, whose place the first pass has noted.
 */
#include "processor/import/formats/hprof.h"

#include "sdk/base/hash.h"
#include "sdk/base/utf8.h"

/* Ids of types that the dump has no class for. */
#define TYPE_OF_CLASS (1ull << 63) /* | id of the class */
#define TYPE_OF_ARRAY (1ull << 62) /* | type of the elements */
#define TEXT_MAX (1u << 20)

static bool is_text(const struct orma_hprof *h, uint32_t id, const char *text)
{
    return orma_str_eq(orma_strpool_get(&h->imp->model->storage->pool, id), orma_str_from(text));
}

static bool ends_with(const struct orma_hprof *h, uint32_t id, const char *end)
{
    struct orma_str s = orma_strpool_get(&h->imp->model->storage->pool, id);
    size_t len = strlen(end);

    return s.len >= len && !memcmp(s.data + s.len - len, end, len);
}

static void count(struct orma_hprof *h, enum orma_stat stat)
{
    orma_stats_inc(orma_model_stats(h->imp->model, h->imp->model->base), stat);
}

/* ---- types ---- */

static const char *kind_by_name(const struct orma_hprof *h, const struct orma_hprof_class *c)
{
    static const struct {
        const char *name, *kind;
    } kinds[] = {
        {"java.lang.String", "KIND_STRING"},
        {"java.lang.ref.SoftReference", "KIND_SOFT_REFERENCE"},
        {"java.lang.ref.WeakReference", "KIND_WEAK_REFERENCE"},
        {"java.lang.ref.FinalizerReference", "KIND_FINALIZER_REFERENCE"},
        {"java.lang.ref.PhantomReference", "KIND_PHANTOM_REFERENCE"},
        {"java.lang.ClassLoader", "KIND_CLASSLOADER"},
        {"java.lang.DexCache", "KIND_DEXCACHE"},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(kinds); i++)
        if (is_text(h, c->name, kinds[i].name))
            return kinds[i].kind;
    return NULL;
}

/*
 * What a class has from those above it: its kind, and which of them is the next with fields. Each
 * class is walked over once: up to one that is known, and back down by `super`, which holds the
 * index of the class below meanwhile. A circle ends where it was entered.
 */
static void inherit(struct orma_hprof *h, size_t idx)
{
    static const char under_way[] = "KIND_NORMAL";
    uint64_t below = UINT64_MAX, at = idx, super;
    const struct orma_hprof_class *top = NULL;

    while (at != ORMA_MAP_NONE && !h->list[at].kind) {
        h->list[at].kind = under_way;
        super = orma_map_get(&h->classes, h->list[at].super);
        h->list[at].up = (uint32_t)below;
        below = at;
        at = super;
    }
    if (at != ORMA_MAP_NONE && h->list[at].kind != under_way)
        top = &h->list[at];
    while (below != UINT64_MAX) {
        struct orma_hprof_class *c = &h->list[below];
        const char *own = kind_by_name(h, c);
        uint32_t next = c->up;

        c->up = !top ? 0 : top->fields_num ? (uint32_t)(top - h->list) + 1 : top->up;
        c->kind = own ? own : top ? top->kind : "KIND_NORMAL";
        top = c;
        below = next == UINT32_MAX ? UINT64_MAX : next;
    }
}

static void put_type(struct orma_hprof *h, uint64_t id, uint64_t super, uint32_t name,
                     const char *kind)
{
    struct orma_heap_type *t = orma_heap_graph_new_type(h->imp->model, h->graph);

    if (!t)
        return;
    t->id = id;
    t->superclass = super;
    t->name = name;
    t->kind = orma_model_cstr(h->imp->model, kind);
}

void orma_hprof_put_types(struct orma_hprof *h)
{
    struct orma_strpool *pool = &h->imp->model->storage->pool;

    for (size_t i = 0; i < h->list_num; i++) {
        const struct orma_hprof_class *c = &h->list[i];
        struct orma_str name = orma_strpool_get(pool, c->name);

        inherit(h, i);
        put_type(h, c->id, c->super, c->name, ends_with(h, c->name, "[]") ? "KIND_ARRAY" : c->kind);
        put_type(h, c->id | TYPE_OF_CLASS, 0,
                 orma_strpool_addf(pool, "java.lang.Class<%.*s>", (int)name.len,
                                   name.data ? name.data : ""),
                 "KIND_CLASS");
    }
    for (uint8_t type = ORMA_HPROF_BOOLEAN; type <= ORMA_HPROF_LONG; type++)
        put_type(h, TYPE_OF_ARRAY | type, 0,
                 orma_strpool_addf(pool, "%s[]", orma_hprof_type_name(type)), "KIND_ARRAY");
}

/* ---- rows ---- */

/* One that was there before keeps its row. */
static uint32_t add_object(struct orma_hprof *h, const struct orma_hprof_reader *r, uint64_t id,
                           uint64_t type, uint64_t size)
{
    struct orma_table *t = orma_model_table(h->imp->model, ORMA_TABLE_HEAP_GRAPH_OBJECT);
    uint32_t row = orma_heap_graph_object(h->imp->model, h->graph, id);

    if (orma_table_int(t, ORMA_HEAP_GRAPH_OBJECT_SELF_SIZE, row) != -1)
        orma_hprof_lacks(h, "records of known objects", r);
    orma_table_set(t, ORMA_HEAP_GRAPH_OBJECT_SELF_SIZE, row, (int64_t)size);
    orma_table_set(t, ORMA_HEAP_GRAPH_OBJECT_TYPE_ID, row,
                   orma_heap_graph_class(h->imp->model, h->graph, type));
    if (h->graph->last_heap_type)
        orma_table_set(t, ORMA_HEAP_GRAPH_OBJECT_HEAP_TYPE, row, h->graph->last_heap_type);
    return row;
}

static uint32_t add_data(struct orma_hprof *h, uint32_t object)
{
    struct orma_table *t = orma_model_table(h->imp->model, ORMA_TABLE_HEAP_GRAPH_OBJECT_DATA);
    uint32_t row = orma_table_add(t);

    orma_table_set(orma_model_table(h->imp->model, ORMA_TABLE_HEAP_GRAPH_OBJECT),
                   ORMA_HEAP_GRAPH_OBJECT_OBJECT_DATA_ID, object, row);
    return row;
}

static void add_reference(struct orma_hprof *h, uint32_t set, uint32_t object, uint64_t owned,
                          uint32_t name)
{
    struct orma_table *t = orma_model_table(h->imp->model, ORMA_TABLE_HEAP_GRAPH_REFERENCE);
    uint32_t row = orma_heap_graph_reference(h->imp->model, h->graph, set, object, owned);

    orma_table_set(t, ORMA_HEAP_GRAPH_REFERENCE_FIELD_NAME, row, name);
    orma_table_set(orma_model_table(h->imp->model, ORMA_TABLE_HEAP_GRAPH_OBJECT),
                   ORMA_HEAP_GRAPH_OBJECT_REFERENCE_SET_ID, object, set);
    count(h, ORMA_STAT_HPROF_REFERENCE_COUNTER);
}

static void add_value(struct orma_hprof *h, uint32_t set, const struct orma_hprof_field *f,
                      uint64_t val)
{
    static const uint8_t columns[] = {
        [ORMA_HPROF_BOOLEAN] = ORMA_HEAP_GRAPH_PRIMITIVE_BOOL_VALUE,
        [ORMA_HPROF_CHAR] = ORMA_HEAP_GRAPH_PRIMITIVE_CHAR_VALUE,
        [ORMA_HPROF_BYTE] = ORMA_HEAP_GRAPH_PRIMITIVE_BYTE_VALUE,
        [ORMA_HPROF_SHORT] = ORMA_HEAP_GRAPH_PRIMITIVE_SHORT_VALUE,
        [ORMA_HPROF_INT] = ORMA_HEAP_GRAPH_PRIMITIVE_INT_VALUE,
        [ORMA_HPROF_LONG] = ORMA_HEAP_GRAPH_PRIMITIVE_LONG_VALUE,
    };
    struct orma_table *t = orma_model_table(h->imp->model, ORMA_TABLE_HEAP_GRAPH_PRIMITIVE);
    uint32_t row = orma_table_add(t), bits = (uint32_t)val;
    int64_t num = (int64_t)val;
    double d;
    float s;

    orma_table_set(t, ORMA_HEAP_GRAPH_PRIMITIVE_FIELD_SET_ID, row, set);
    orma_table_set(t, ORMA_HEAP_GRAPH_PRIMITIVE_FIELD_NAME, row, f->name);
    orma_table_set(t, ORMA_HEAP_GRAPH_PRIMITIVE_FIELD_TYPE, row,
                   orma_model_cstr(h->imp->model, orma_hprof_type_name(f->type)));
    switch (f->type) {
    case ORMA_HPROF_FLOAT:
        memcpy(&s, &bits, sizeof(s));
        orma_table_set_double(t, ORMA_HEAP_GRAPH_PRIMITIVE_FLOAT_VALUE, row, (double)s);
        return;
    case ORMA_HPROF_DOUBLE:
        memcpy(&d, &val, sizeof(d));
        orma_table_set_double(t, ORMA_HEAP_GRAPH_PRIMITIVE_DOUBLE_VALUE, row, d);
        return;
    case ORMA_HPROF_BYTE:
        num = (int8_t)val;
        break;
    case ORMA_HPROF_SHORT:
        num = (int16_t)val;
        break;
    case ORMA_HPROF_INT:
        num = (int32_t)val;
        break;
    }
    orma_table_set(t, columns[f->type], row, num);
}

/* ---- texts ---- */

/* Units of 16 bits; unpaired surrogates become U+FFFD. */
static void put_utf16(struct orma_buf *out, const uint8_t *data, uint64_t num, bool little)
{
    for (uint64_t i = 0; i < num; i++) {
        uint32_t c = (uint32_t)data[2 * i + little] << 8 | data[2 * i + !little];

        if (c >= 0xd800 && c < 0xdc00 && i + 1 < num) {
            uint32_t low = (uint32_t)data[2 * i + 2 + little] << 8 | data[2 * i + 2 + !little];

            if (low >= 0xdc00 && low < 0xe000) {
                c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
                i++;
            }
        }
        (void)orma_utf8_put(out, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
    }
}

/* The characters of a string: an array of them, or of bytes (`wide`: two for each). 0: none. */
static uint32_t read_text(struct orma_hprof *h, uint64_t array, bool wide)
{
    uint64_t at = orma_map_get(&h->arrays, array), num;
    struct orma_hprof_reader r = {.end = h->end, .id_bytes = h->id_bytes};
    struct orma_buf out = {0};
    uint32_t id = 0;

    if (at == ORMA_MAP_NONE)
        return 0;
    r.pos = (const uint8_t *)(uintptr_t)at;
    orma_hprof_skip(&r, 4);
    num = orma_hprof_number(&r, 4);
    uint8_t type = (uint8_t)orma_hprof_number(&r, 1);
    if (r.failed || (type != ORMA_HPROF_CHAR && type != ORMA_HPROF_BYTE) ||
        num * orma_hprof_size(h, type) > (uint64_t)(r.end - r.pos))
        return 0;
    if (num > TEXT_MAX)
        orma_hprof_lacks(h, "ends of strings of more than a million characters", &r);
    num = ORMA_MIN(num, (uint64_t)TEXT_MAX);
    if (type == ORMA_HPROF_CHAR)
        put_utf16(&out, r.pos, num, false);
    else if (wide)
        put_utf16(&out, r.pos, num / 2, true);
    else
        for (uint64_t i = 0; i < num; i++)
            (void)orma_utf8_put(&out, r.pos[i]);
    if (!out.failed)
        id = out.len ? orma_model_str(h->imp->model, orma_buf_str(&out)) : ORMA_STR_EMPTY;
    h->imp->model->storage->failed |= out.failed;
    orma_buf_fini(&out);
    return id;
}

/* ---- objects ---- */

struct values {
    uint32_t object, refs; /* refs: the set of references, if there are any */
    uint32_t set;          /* of values; UINT32_MAX: none yet */
    uint64_t text;         /* of a string: its array */
    bool wide;
};

static void put_field(struct orma_hprof *h, struct values *v, const struct orma_hprof_field *f,
                      uint64_t val, bool string)
{
    if (f->type == ORMA_HPROF_OBJECT) {
        add_reference(h, v->refs, v->object, val, f->name);
        if (string && is_text(h, f->name, "java.lang.String.value"))
            v->text = val;
        return;
    }
    if (string && is_text(h, f->name, "java.lang.String.coder"))
        v->wide = val == 1;
    if (is_text(h, f->name, "libcore.util.NativeAllocationRegistry.size")) {
        orma_heap_graph_put(h->imp->model, &h->graph->registry, v->object);
        orma_heap_graph_put(h->imp->model, &h->graph->registry, val);
    }
    if (v->set == UINT32_MAX)
        v->set = h->field_sets++;
    add_value(h, v->set, f, val);
}

/* The row of what the object holds, if it holds anything. */
static void put_data(struct orma_hprof *h, const struct values *v)
{
    struct orma_table *t = orma_model_table(h->imp->model, ORMA_TABLE_HEAP_GRAPH_OBJECT_DATA);
    uint32_t text = v->text ? read_text(h, v->text, v->wide) : 0, row;

    if (!text && v->set == UINT32_MAX)
        return;
    row = add_data(h, v->object);
    if (v->set != UINT32_MAX)
        orma_table_set(t, ORMA_HEAP_GRAPH_OBJECT_DATA_FIELD_SET_ID, row, v->set);
    if (text)
        orma_table_set(t, ORMA_HEAP_GRAPH_OBJECT_DATA_VALUE_STRING, row, text);
}

void orma_hprof_instance(struct orma_hprof *h, struct orma_hprof_reader *r)
{
    uint64_t id = orma_hprof_id(r);
    struct orma_hprof_reader data;

    orma_hprof_skip(r, 4);
    uint64_t type = orma_hprof_id(r), len = orma_hprof_number(r, 4);
    data = *r;
    orma_hprof_skip(r, len);
    if (r->failed)
        return;
    data.end = r->pos;
    const struct orma_hprof_class *c = orma_hprof_class_of(h, type);
    struct values v = {
        .object = add_object(h, r, id, type, c && c->instance_size ? c->instance_size : len),
        .refs = orma_model_table(h->imp->model, ORMA_TABLE_HEAP_GRAPH_REFERENCE)->rows,
        .set = UINT32_MAX,
    };
    bool string = c && is_text(h, c->name, "java.lang.String");
    const bool known = c;
    if (!known)
        count(h, ORMA_STAT_HPROF_CLASS_ERRORS);
    /* Fields of the class come first, then those of what it is derived from. */
    for (; c && !data.failed; c = c->up ? &h->list[c->up - 1] : NULL) {
        for (size_t i = 0; i < c->fields_num && !data.failed; i++) {
            const struct orma_hprof_field *f = &h->fields[c->fields + i];
            uint64_t val = orma_hprof_number(&data, orma_hprof_size(h, f->type));

            if (!data.failed)
                put_field(h, &v, f, val, string);
        }
    }
    if (data.failed || (known && data.pos != data.end)) /* fields of a class that is not there */
        count(h, ORMA_STAT_HPROF_FIELD_VALUE_ERRORS);
    put_data(h, &v);
}

void orma_hprof_object_array(struct orma_hprof *h, struct orma_hprof_reader *r)
{
    uint64_t id = orma_hprof_id(r);

    orma_hprof_skip(r, 4);
    uint64_t num = orma_hprof_number(r, 4), type = orma_hprof_id(r);
    struct orma_hprof_reader data = *r;
    orma_hprof_skip(r, num * r->id_bytes);
    if (r->failed)
        return;
    uint32_t object = add_object(h, r, id, type, num * r->id_bytes);
    uint32_t set = orma_model_table(h->imp->model, ORMA_TABLE_HEAP_GRAPH_REFERENCE)->rows;
    for (uint64_t i = 0; i < num; i++)
        add_reference(
            h, set, object, orma_hprof_id(&data),
            orma_strpool_addf(&h->imp->model->storage->pool, "[%llu]", (unsigned long long)i));
}

void orma_hprof_value_array(struct orma_hprof *h, struct orma_hprof_reader *r, bool has_data)
{
    struct orma_table *t = orma_model_table(h->imp->model, ORMA_TABLE_HEAP_GRAPH_OBJECT_DATA);
    uint64_t id = orma_hprof_id(r);

    orma_hprof_skip(r, 4);
    uint64_t num = orma_hprof_number(r, 4);
    uint8_t type = (uint8_t)orma_hprof_number(r, 1);
    uint64_t len = num * orma_hprof_size(h, type);
    const uint8_t *data = r->pos;
    r->failed |= !orma_hprof_size(h, type) || type == ORMA_HPROF_OBJECT;
    if (has_data)
        orma_hprof_skip(r, len);
    if (r->failed) {
        count(h, ORMA_STAT_HPROF_PRIMITIVE_ARRAY_PARSING_ERRORS);
        return;
    }
    uint32_t row = add_data(h, add_object(h, r, id, TYPE_OF_ARRAY | type, len));
    orma_table_set(t, ORMA_HEAP_GRAPH_OBJECT_DATA_ARRAY_ELEMENT_TYPE, row,
                   orma_model_cstr(h->imp->model, orma_hprof_type_name(type)));
    orma_table_set(t, ORMA_HEAP_GRAPH_OBJECT_DATA_ARRAY_ELEMENT_COUNT, row, (int64_t)num);
    if (!has_data)
        return;
    uint32_t blob = orma_blobs_add(&h->imp->model->storage->arrays, data, len, type);
    h->imp->model->storage->failed |= blob == UINT32_MAX;
    orma_table_set(t, ORMA_HEAP_GRAPH_OBJECT_DATA_ARRAY_DATA_ID, row, blob);
    orma_table_set(t, ORMA_HEAP_GRAPH_OBJECT_DATA_ARRAY_DATA_HASH, row,
                   (int64_t)orma_fnv1a(ORMA_FNV1A_BASIS, data, len));
}

void orma_hprof_class_object(struct orma_hprof *h, const struct orma_hprof_reader *r,
                             const struct orma_hprof_class *c)
{
    struct values v = {
        .refs = orma_model_table(h->imp->model, ORMA_TABLE_HEAP_GRAPH_REFERENCE)->rows,
        .set = UINT32_MAX,
    };
    uint64_t size = 0;

    for (size_t i = 0; i < c->statics_num; i++)
        size += orma_hprof_size(h, h->fields[c->statics + i].type);
    v.object = add_object(h, r, c->id, c->id | TYPE_OF_CLASS, size);
    for (size_t i = 0; i < c->statics_num; i++)
        put_field(h, &v, &h->fields[c->statics + i], h->fields[c->statics + i].value, false);
    put_data(h, &v);
}
