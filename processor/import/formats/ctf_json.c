/*
 * Metadata of CTF 2: pieces of JSON, each behind a record separator. They become the same types as
 * those of 1.8; what a field means is told by its roles.
 */
#include "processor/import/formats/ctf.h"

#include "protos/reflect/json_reader.h"

#define SEPARATOR 0x1e

struct json {
    struct orma_ctf *self;
    struct orma_buf scratch;
    struct orma_map aliases; /* pool id → type */
    struct orma_map classes; /* id → place in classes */
    unsigned depth;
};

static void fail(struct json *j, const char *what)
{
    orma_ctf_fail(j->self, 0, "%s", what);
}

static struct orma_ctf_type *type_in(struct json *j, const struct orma_json_value *v);

/* ---- values ---- */

static struct orma_json_value get(const struct orma_json_value *object, const char *key)
{
    return object->type == ORMA_JSON_OBJECT ? orma_json_find(object, key)
                                            : (struct orma_json_value){0};
}

/* A text that stays. */
static struct orma_str text(struct json *j, const struct orma_json_value *v)
{
    if (v->type != ORMA_JSON_STRING)
        return (struct orma_str){NULL, 0};
    const char *copy = orma_arena_strdup(&j->self->arena, orma_json_text(v, &j->scratch));
    if (!copy)
        orma_ctf_no_memory(j->self);
    return orma_str_from(copy ? copy : "");
}

static struct orma_str text_of(struct json *j, const struct orma_json_value *object,
                               const char *key)
{
    const struct orma_json_value v = get(object, key);

    return text(j, &v);
}

/* Integers above those of int64 are read as they are written. */
static bool integer(const struct orma_json_value *v, uint64_t *ret)
{
    if (v->type == ORMA_JSON_INT)
        *ret = (uint64_t)v->integer;
    else if (v->type != ORMA_JSON_REAL || !orma_str_to_u64(v->raw, ret))
        return false;
    return true;
}

static uint64_t number_of(struct json *j, const struct orma_json_value *object, const char *key,
                          uint64_t otherwise)
{
    const struct orma_json_value v = get(object, key);
    uint64_t val = otherwise;

    if (v.type != ORMA_JSON_NONE && !integer(&v, &val))
        fail(j, "a property of the metadata that is no number where one must be");
    return val;
}

/* ---- parts of types ---- */

static struct orma_ctf_type *new_type(struct json *j, enum orma_ctf_kind kind, uint32_t align)
{
    struct orma_ctf_type *t = orma_ctf_alloc(j->self, sizeof(*t));

    if (t) {
        t->kind = kind;
        t->align = align;
    }
    return t;
}

static uint32_t alignment(struct json *j, const struct orma_json_value *v, const char *key,
                          uint32_t least)
{
    const uint64_t align = number_of(j, v, key, 1);

    if (!align || align > 1 << 20 || align & (align - 1)) {
        fail(j, "an alignment that is no power of two");
        return 1;
    }
    return ORMA_MAX((uint32_t)align, least);
}

static void roles(const struct orma_json_value *v, struct orma_ctf_type *t)
{
    static const struct {
        const char *name;
        enum orma_ctf_role role;
    } names[] = {
        {"packet-magic-number", ORMA_CTF_MAGIC},
        {"data-stream-class-id", ORMA_CTF_STREAM_CLASS},
        {"data-stream-id", ORMA_CTF_STREAM_INSTANCE},
        {"packet-total-length", ORMA_CTF_PACKET_BITS},
        {"packet-content-length", ORMA_CTF_CONTENT_BITS},
        {"default-clock-timestamp", ORMA_CTF_TIME},
        {"packet-end-default-clock-timestamp", ORMA_CTF_END_TIME},
        {"discarded-event-record-counter-snapshot", ORMA_CTF_DISCARDED},
        {"packet-sequence-number", ORMA_CTF_PACKET_NUMBER},
        {"event-record-class-id", ORMA_CTF_EVENT_CLASS},
    };
    struct orma_json_value list = get(v, "roles"), role;

    if (list.type != ORMA_JSON_ARRAY)
        return;
    for (struct orma_json r = orma_json_inside(&list); orma_json_element(&r, &role);)
        for (unsigned i = 0; i < ORMA_ARRAY_LEN(names); i++)
            if (role.type == ORMA_JSON_STRING && orma_str_eq_c(role.raw, names[i].name))
                t->role = (uint8_t)names[i].role;
}

/* "[[1, 5], [7, 7]]" */
static struct orma_ctf_range *ranges(struct json *j, const struct orma_json_value *v,
                                     uint32_t *ret_num)
{
    ORMA_VEC(struct orma_ctf_range) list = {0};
    struct orma_ctf_range *ret = NULL;
    struct orma_json_value pair, end;

    *ret_num = 0;
    if (v->type != ORMA_JSON_ARRAY)
        return NULL;
    for (struct orma_json r = orma_json_inside(v); orma_json_element(&r, &pair);) {
        struct orma_ctf_range range = {0};
        unsigned num = 0;

        if (pair.type == ORMA_JSON_ARRAY)
            for (struct orma_json e = orma_json_inside(&pair); orma_json_element(&e, &end);)
                num += integer(&end, num ? &range.to : &range.from);
        if (num != 2)
            fail(j, "a range that has not two ends");
        if (ORMA_VEC_PUSH(&list, range))
            orma_ctf_no_memory(j->self);
    }
    if (list.len && (ret = orma_ctf_alloc(j->self, list.len * sizeof(*ret)))) {
        memcpy(ret, list.data, list.len * sizeof(*ret));
        *ret_num = list.len;
    }
    ORMA_VEC_FINI(&list);
    return ret;
}

/* Of "mappings" and "flags": a label for each range. */
static void labels(struct json *j, const struct orma_json_value *v, struct orma_ctf_type *t)
{
    ORMA_VEC(struct orma_ctf_label) list = {0};
    struct orma_json_value value;
    struct orma_str key;

    if (v->type != ORMA_JSON_OBJECT)
        return;
    for (struct orma_json m = orma_json_inside(v); orma_json_member(&m, &key, &value);) {
        uint32_t num;
        const struct orma_ctf_range *r = ranges(j, &value, &num);
        const struct orma_json_value name = {.type = ORMA_JSON_STRING, .escaped = true, .raw = key};
        const struct orma_str label = text(j, &name);

        for (uint32_t i = 0; r && i < num; i++)
            if (ORMA_VEC_PUSH(&list, (struct orma_ctf_label){.name = label, .range = r[i]}))
                orma_ctf_no_memory(j->self);
    }
    if (list.len && (t->labels = orma_ctf_alloc(j->self, list.len * sizeof(*t->labels)))) {
        memcpy(t->labels, list.data, list.len * sizeof(*t->labels));
        t->labels_num = list.len;
    }
    ORMA_VEC_FINI(&list);
}

static struct orma_ctf_ref *location(struct json *j, const struct orma_json_value *v)
{
    static const char *const origins[ORMA_CTF_SCOPES_NUM] = {
        "packet-header",
        "packet-context",
        "event-record-header",
        "event-record-common-context",
        "event-record-specific-context",
        "event-record-payload",
    };
    const struct orma_str origin = text_of(j, v, "origin");
    struct orma_json_value path = get(v, "path"), name;
    struct orma_ctf_ref *ref = orma_ctf_alloc(j->self, sizeof(*ref));
    struct orma_str names[64];

    if (!ref)
        return NULL;
    ref->scope = ORMA_CTF_RELATIVE;
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(origins); i++)
        if (orma_str_eq_c(origin, origins[i]))
            ref->scope = i;
    if (path.type == ORMA_JSON_ARRAY)
        for (struct orma_json p = orma_json_inside(&path); orma_json_element(&p, &name);) {
            if (ref->num == ORMA_ARRAY_LEN(names)) {
                fail(j, "a location of too many names");
                break;
            }
            names[ref->num++] = text(j, &name);
        }
    if (!ref->num || (origin.len && ref->scope == ORMA_CTF_RELATIVE)) {
        fail(j, "a location of a field that cannot be understood");
        return ref;
    }
    if ((ref->names = orma_ctf_alloc(j->self, ref->num * sizeof(*ref->names))))
        memcpy(ref->names, names, ref->num * sizeof(*ref->names));
    return ref;
}

static struct orma_ctf_ref *location_of(struct json *j, const struct orma_json_value *v,
                                        const char *key)
{
    const struct orma_json_value at = get(v, key);

    return at.type == ORMA_JSON_OBJECT ? location(j, &at) : NULL;
}

/* ---- types ---- */

static struct orma_ctf_type *fixed_length(struct json *j, const struct orma_json_value *v,
                                          struct orma_str kind)
{
    const bool real = orma_str_eq_c(kind, "fixed-length-floating-point-number");
    struct orma_ctf_type *t =
        new_type(j, real ? ORMA_CTF_FLOAT : ORMA_CTF_INTEGER, alignment(j, v, "alignment", 1));
    const uint64_t bits = number_of(j, v, "length", 0);
    const struct orma_str order = text_of(j, v, "byte-order"),
                          bit_order = text_of(j, v, "bit-order");
    struct orma_json_value mappings = get(v, "mappings"), flags = get(v, "flags");

    if (!t)
        return NULL;
    if (!bits || bits > 64 || (real && bits != 16 && bits != 32 && bits != 64))
        fail(j, "a number of a size that cannot be read");
    t->bits = (uint32_t)bits;
    t->order = orma_str_eq_c(order, "big-endian") ? ORMA_CTF_BIG : ORMA_CTF_LITTLE;
    if (bit_order.len && orma_str_eq_c(bit_order, "last-to-first") != (t->order == ORMA_CTF_BIG))
        fail(j, "numbers whose bits lie in the other order than their bytes");
    t->is_signed = orma_str_eq_c(kind, "fixed-length-signed-integer");
    t->is_bool = orma_str_eq_c(kind, "fixed-length-boolean");
    t->is_flags = flags.type == ORMA_JSON_OBJECT;
    labels(j, t->is_flags ? &flags : &mappings, t);
    roles(v, t);
    return t;
}

static enum orma_ctf_encoding encoding_of(struct json *j, const struct orma_json_value *v)
{
    static const struct {
        const char *name;
        enum orma_ctf_encoding encoding;
    } names[] = {
        {"utf-8", ORMA_CTF_UTF8},       {"utf-16le", ORMA_CTF_UTF16LE},
        {"utf-16be", ORMA_CTF_UTF16BE}, {"utf-32le", ORMA_CTF_UTF32LE},
        {"utf-32be", ORMA_CTF_UTF32BE},
    };
    const struct orma_str name = text_of(j, v, "encoding");

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(names); i++)
        if (orma_str_eq_c(name, names[i].name))
            return names[i].encoding;
    if (name.len)
        fail(j, "texts of an unknown encoding");
    return ORMA_CTF_UTF8;
}

/* A length, or where it is found. */
static void lengths(struct json *j, const struct orma_json_value *v, struct orma_ctf_type *t)
{
    const uint64_t length = number_of(j, v, "length", 0);

    t->ref = location_of(j, v, "length-field-location");
    if (length > UINT32_MAX)
        fail(j, "an array of too many elements");
    t->length = (uint32_t)length;
}

static struct orma_ctf_type *text_type(struct json *j, const struct orma_json_value *v,
                                       enum orma_ctf_kind kind)
{
    struct orma_ctf_type *t = new_type(j, kind, 8);

    if (!t)
        return NULL;
    t->encoding = kind == ORMA_CTF_BLOB ? ORMA_CTF_NO_TEXT : encoding_of(j, v);
    lengths(j, v, t);
    return t;
}

/* Members of structs, options of variants. */
static void members(struct json *j, const struct orma_json_value *list, struct orma_ctf_type *t)
{
    ORMA_VEC(struct orma_ctf_member) all = {0};
    struct orma_json_value one;

    if (list->type != ORMA_JSON_ARRAY)
        return;
    for (struct orma_json m = orma_json_inside(list);
         !j->self->failed && orma_json_element(&m, &one);) {
        const struct orma_json_value type = get(&one, "field-class"),
                                     selected = get(&one, "selector-field-ranges");
        struct orma_ctf_member member = {.name = text_of(j, &one, "name"),
                                         .type = type_in(j, &type)};

        member.ranges = ranges(j, &selected, &member.ranges_num);
        if (!member.type)
            break;
        if (!member.name.data)
            member.name = ORMA_STR("");
        if (t->kind == ORMA_CTF_STRUCT && member.type->kind != ORMA_CTF_VARIANT &&
            member.type->kind != ORMA_CTF_OPTIONAL)
            t->align = ORMA_MAX(t->align, member.type->align);
        if (ORMA_VEC_PUSH(&all, member))
            orma_ctf_no_memory(j->self);
    }
    if (all.len && (t->members = orma_ctf_alloc(j->self, all.len * sizeof(*t->members)))) {
        memcpy(t->members, all.data, all.len * sizeof(*t->members));
        t->members_num = all.len;
    }
    ORMA_VEC_FINI(&all);
}

static struct orma_ctf_type *structure(struct json *j, const struct orma_json_value *v)
{
    struct orma_ctf_type *t = new_type(j, ORMA_CTF_STRUCT, alignment(j, v, "minimum-alignment", 1));
    const struct orma_json_value list = get(v, "member-classes");

    if (t)
        members(j, &list, t);
    return t;
}

static struct orma_ctf_type *variant(struct json *j, const struct orma_json_value *v)
{
    struct orma_ctf_type *t = new_type(j, ORMA_CTF_VARIANT, 1);
    const struct orma_json_value list = get(v, "options");

    if (!t)
        return NULL;
    t->ref = location_of(j, v, "selector-field-location");
    members(j, &list, t);
    return t;
}

static struct orma_ctf_type *holder(struct json *j, const struct orma_json_value *v,
                                    enum orma_ctf_kind kind)
{
    const bool array = kind == ORMA_CTF_ARRAY;
    const struct orma_json_value elem = get(v, array ? "element-field-class" : "field-class"),
                                 selected = get(v, "selector-field-ranges");
    struct orma_ctf_type *t = new_type(j, kind, 1), *of = type_in(j, &elem);

    if (!t || !of)
        return NULL;
    t->elem = of;
    if (array) {
        t->align = alignment(j, v, "minimum-alignment", of->align);
        lengths(j, v, t);
    } else {
        t->ref = location_of(j, v, "selector-field-location");
        t->ranges = ranges(j, &selected, &t->ranges_num);
        if (!t->ref)
            fail(j, "an optional field without what selects it");
    }
    return t;
}

static struct orma_ctf_type *varint(struct json *j, const struct orma_json_value *v, bool is_signed)
{
    struct orma_ctf_type *t = new_type(j, ORMA_CTF_VARINT, 8);
    const struct orma_json_value mappings = get(v, "mappings");

    if (!t)
        return NULL;
    t->is_signed = is_signed;
    t->bits = 64;
    labels(j, &mappings, t);
    roles(v, t);
    return t;
}

static struct orma_ctf_type *described(struct json *j, const struct orma_json_value *v)
{
    const struct orma_str kind = text_of(j, v, "type");
    const char *const unknown = "a field class of an unknown type";

    if (orma_str_starts(kind, ORMA_STR("fixed-length-")))
        return fixed_length(j, v, kind);
    if (orma_str_eq_c(kind, "variable-length-unsigned-integer") ||
        orma_str_eq_c(kind, "variable-length-signed-integer"))
        return varint(j, v, orma_str_eq_c(kind, "variable-length-signed-integer"));
    if (orma_str_eq_c(kind, "null-terminated-string"))
        return text_type(j, v, ORMA_CTF_STRING);
    if (orma_str_eq_c(kind, "static-length-string") || orma_str_eq_c(kind, "dynamic-length-string"))
        return text_type(j, v, ORMA_CTF_TEXT);
    if (orma_str_eq_c(kind, "static-length-blob") || orma_str_eq_c(kind, "dynamic-length-blob"))
        return text_type(j, v, ORMA_CTF_BLOB);
    if (orma_str_eq_c(kind, "structure"))
        return structure(j, v);
    if (orma_str_eq_c(kind, "static-length-array") || orma_str_eq_c(kind, "dynamic-length-array"))
        return holder(j, v, ORMA_CTF_ARRAY);
    if (orma_str_eq_c(kind, "optional"))
        return holder(j, v, ORMA_CTF_OPTIONAL);
    if (orma_str_eq_c(kind, "variant"))
        return variant(j, v);
    fail(j, unknown);
    return NULL;
}

static struct orma_ctf_type *type_in(struct json *j, const struct orma_json_value *v)
{
    struct orma_ctf_type *t = NULL;

    if (v->type == ORMA_JSON_STRING) {
        t = orma_map_get_ptr(&j->aliases, orma_model_str(j->self->file->imp->model, text(j, v)));
        if (!t)
            fail(j, "a field class of a name that is not declared");
        return t;
    }
    if (v->type != ORMA_JSON_OBJECT || j->depth >= ORMA_CTF_DEPTH_MAX) {
        fail(j, v->type != ORMA_JSON_OBJECT ? "a field class that is none"
                                            : "types that are nested too deep");
        return NULL;
    }
    j->depth++;
    t = described(j, v);
    j->depth--;
    return j->self->failed ? NULL : t;
}

static struct orma_ctf_type *root(struct json *j, const struct orma_json_value *fragment,
                                  const char *key)
{
    const struct orma_json_value v = get(fragment, key);
    struct orma_ctf_type *t = v.type == ORMA_JSON_NONE ? NULL : type_in(j, &v);

    if (t && t->kind != ORMA_CTF_STRUCT)
        fail(j, "a header, context or payload that is no structure");
    return t;
}

/* ---- fragments ---- */

static void preamble(struct json *j, const struct orma_json_value *v)
{
    const struct orma_json_value extensions = get(v, "extensions");

    if (number_of(j, v, "version", 0) != 2)
        orma_ctf_fail(j->self, 0, "version %llu, which cannot be read (1.8 and 2 can)",
                      (unsigned long long)number_of(j, v, "version", 0));
    if (extensions.type == ORMA_JSON_OBJECT && extensions.raw.len > 2)
        fail(j, "it uses extensions of CTF 2, of which none is known");
}

static void trace_class(struct json *j, const struct orma_json_value *v)
{
    struct orma_json_value env = get(v, "environment"), value;
    struct orma_str key;

    j->self->packet_header = root(j, v, "packet-header-field-class");
    if (env.type != ORMA_JSON_OBJECT)
        return;
    for (struct orma_json e = orma_json_inside(&env); orma_json_member(&e, &key, &value);) {
        const struct orma_json_value name = {.type = ORMA_JSON_STRING, .escaped = true, .raw = key};
        struct orma_ctf_env one = {.name = text(j, &name), .text = text(j, &value)};

        one.number = value.type == ORMA_JSON_INT ? value.integer : 0;
        if (ORMA_VEC_PUSH(&j->self->env, one))
            orma_ctf_no_memory(j->self);
    }
}

static void clock_class(struct json *j, const struct orma_json_value *v)
{
    const struct orma_json_value offset = get(v, "offset-from-origin"), origin = get(v, "origin");
    struct orma_str id = text_of(j, v, "id");
    const struct orma_str name = text_of(j, v, "name");
    struct orma_ctf_clock clock = {
        .description = text_of(j, v, "description"),
        .uuid = text_of(j, v, "uid"),
        .freq = number_of(j, v, "frequency", 0),
        .offset_s = (int64_t)number_of(j, &offset, "seconds", 0),
        .offset = (int64_t)number_of(j, &offset, "cycles", 0),
        .absolute = origin.type == ORMA_JSON_STRING,
    };

    if (!id.data)
        id = name;
    clock.name = id;
    if (orma_str_eq_c(name, "monotonic") && !clock.description.len)
        clock.description = ORMA_STR("monotonic");
    if (!clock.freq)
        fail(j, "a clock of no frequency");
    if (ORMA_VEC_PUSH(&j->self->clocks, clock))
        orma_ctf_no_memory(j->self);
}

static void stream_class(struct json *j, const struct orma_json_value *v)
{
    struct orma_ctf_stream_class c = {
        .id = number_of(j, v, "id", 0),
        .has_id = true,
        .clock = text_of(j, v, "default-clock-class-id"),
        .clock_idx = ORMA_CTF_NOTHING,
        .packet_context = root(j, v, "packet-context-field-class"),
        .header = root(j, v, "event-record-header-field-class"),
        .context = root(j, v, "event-record-common-context-field-class"),
    };

    if (!c.clock.data) /* its name, as earlier drafts have it */
        c.clock = text_of(j, v, "default-clock-class-name");
    if (orma_map_get(&j->classes, c.id) != ORMA_MAP_NONE)
        fail(j, "two streams of one id");
    if (orma_map_put(&j->classes, c.id, j->self->classes.len) ||
        ORMA_VEC_PUSH(&j->self->classes, c))
        orma_ctf_no_memory(j->self);
}

static void event_class(struct json *j, const struct orma_json_value *v)
{
    const struct orma_json_value attributes = get(v, "attributes"),
                                 lttng = get(&attributes, "lttng.org,2009");
    struct orma_ctf_event e = {
        .id = number_of(j, v, "id", 0),
        .has_id = true,
        .stream_id = number_of(j, v, "data-stream-class-id", 0),
        .has_stream = true,
        .name = text_of(j, v, "name"),
        .context = root(j, v, "specific-context-field-class"),
        .fields = root(j, v, "payload-field-class"),
        .loglevel = (int64_t)number_of(j, &lttng, "log-level", UINT64_MAX),
        .emf_uri = text_of(j, &lttng, "emf-uri"),
    };

    if (ORMA_VEC_PUSH(&j->self->events, e))
        orma_ctf_no_memory(j->self);
}

static void alias(struct json *j, const struct orma_json_value *v)
{
    const struct orma_json_value type = get(v, "field-class");
    const struct orma_str name = text_of(j, v, "name");
    struct orma_ctf_type *t = type_in(j, &type);

    if (t && orma_map_put_ptr(&j->aliases, orma_model_str(j->self->file->imp->model, name), t))
        orma_ctf_no_memory(j->self);
}

static void fragment(struct json *j, const struct orma_json_value *v)
{
    static const struct {
        const char *type;
        void (*fn)(struct json *j, const struct orma_json_value *v);
    } kinds[] = {
        {"preamble", preamble},
        {"trace-class", trace_class},
        {"clock-class", clock_class},
        {"data-stream-class", stream_class},
        {"event-record-class", event_class},
        {"field-class-alias", alias},
    };
    const struct orma_str type = text_of(j, v, "type");

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(kinds); i++)
        if (orma_str_eq_c(type, kinds[i].type)) {
            kinds[i].fn(j, v);
            return;
        }
    fail(j, "a fragment of an unknown type");
}

bool orma_ctf_read_json(struct orma_ctf *self)
{
    struct json j = {.self = self};
    struct orma_str rest = self->text, piece;
    unsigned num = 0;

    while (rest.len && !self->failed && orma_str_cut(&rest, SEPARATOR, &piece)) {
        struct orma_json reader = orma_json(piece);
        struct orma_json_value v;

        if (!orma_str_trim(piece).len)
            continue;
        num++;
        if (!orma_json_read(&reader, &v) || v.type != ORMA_JSON_OBJECT)
            orma_ctf_fail(self, 0, "fragment %u is no JSON object", num);
        else
            fragment(&j, &v);
    }
    orma_buf_fini(&j.scratch);
    orma_map_fini(&j.aliases);
    orma_map_fini(&j.classes);
    return !self->failed && !orma_file_failed(self->file);
}
