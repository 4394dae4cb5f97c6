/*
 * What a chunk of JFR says of itself: its classes, as a tree of elements with attributes, and the
 * values that events refer to.
 */
#include "processor/import/formats/jfr.h"

/* root, metadata, class, field, annotation; nobody writes more. */
#define ELEMENTS_DEPTH_MAX 16

/* An annotation of a class or field, until all classes are known. */
struct note {
    uint32_t class, field; /* places; field UINT32_MAX: of the class */
    uint64_t id;           /* of the class of annotations */
    uint32_t value;        /* the last of its texts */
};

struct metadata {
    struct orma_file *file;
    struct orma_jfr_chunk *chunk;
    struct orma_jfr_cursor c;
    ORMA_VEC(struct note) notes;
};

struct element {
    uint32_t name;
    uint32_t class, field; /* the innermost around it; UINT32_MAX: none */
};

static void no_memory(struct metadata *m)
{
    m->file->imp->model->storage->failed = true;
    m->c.failed = true;
}

static uint32_t name_at(struct metadata *m)
{
    const struct orma_jfr *self = m->file->state;
    const uint64_t at = orma_jfr_varint(&m->c);

    if (at < self->strings.len)
        return self->strings.data[at];
    m->c.failed = true;
    return 0;
}

static uint64_t number_of(const struct metadata *m, uint32_t text)
{
    int64_t val;

    if (!text ||
        !orma_str_to_i64(orma_strpool_get(&m->file->imp->model->storage->pool, text), &val))
        return 0;
    return (uint64_t)val;
}

static enum orma_jfr_kind kind_of(const struct orma_file *file, uint32_t name, uint8_t *ret_bits)
{
    static const struct {
        const char *name;
        enum orma_jfr_kind kind;
        uint8_t bits;
    } kinds[] = {
        {"boolean", ORMA_JFR_BOOLEAN, 0},
        {"byte", ORMA_JFR_BYTE, 0},
        {"char", ORMA_JFR_CHAR, 0},
        {"short", ORMA_JFR_INTEGER, 16},
        {"int", ORMA_JFR_INTEGER, 32},
        {"long", ORMA_JFR_INTEGER, 0},
        {"float", ORMA_JFR_FLOAT, 0},
        {"double", ORMA_JFR_DOUBLE, 0},
        {"java.lang.String", ORMA_JFR_STRING, 0},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(kinds); i++) {
        if (!orma_jfr_is(file, name, kinds[i].name))
            continue;
        *ret_bits = kinds[i].bits;
        return kinds[i].kind;
    }
    return ORMA_JFR_STRUCT;
}

static void begin_class(struct metadata *m, struct element *e)
{
    const struct orma_jfr_class class = {.fields = m->chunk->fields.len};

    if (m->chunk->classes.len == ORMA_JFR_NO_CLASS - 1 || ORMA_VEC_PUSH(&m->chunk->classes, class))
        no_memory(m);
    e->class = m->chunk->classes.len - 1;
    e->field = UINT32_MAX;
}

static void begin_field(struct metadata *m, struct element *e)
{
    struct orma_jfr_chunk *chunk = m->chunk;

    /* Fields of a class lie side by side: no class lies in another one. */
    if (e->class == UINT32_MAX || e->class != chunk->classes.len - 1) {
        m->c.failed = true;
        return;
    }
    if (ORMA_VEC_PUSH(&chunk->fields, (struct orma_jfr_field){.class = ORMA_JFR_NO_CLASS}))
        no_memory(m);
    else
        chunk->classes.data[e->class].fields_num++;
    e->field = chunk->fields.len - 1;
}

static void set_class(struct metadata *m, struct orma_jfr_class *class, uint32_t key,
                      uint32_t value)
{
    if (orma_jfr_is(m->file, key, "name")) {
        class->name = value;
        class->kind = kind_of(m->file, value, &class->bits);
    } else if (orma_jfr_is(m->file, key, "id")) {
        class->id = number_of(m, value);
    } else if (orma_jfr_is(m->file, key, "superType")) {
        class->is_event = orma_jfr_is(m->file, value, "jdk.jfr.Event");
    }
}

static void set_field(struct metadata *m, struct orma_jfr_field *field, uint32_t key,
                      uint32_t value)
{
    if (orma_jfr_is(m->file, key, "name"))
        field->name = value;
    else if (orma_jfr_is(m->file, key, "class"))
        field->class_id = number_of(m, value);
    else if (orma_jfr_is(m->file, key, "constantPool"))
        field->in_pool = orma_jfr_is(m->file, value, "true");
    else if (orma_jfr_is(m->file, key, "dimension"))
        field->is_array = number_of(m, value) > 0;
}

static void read_attributes(struct metadata *m, struct element *e)
{
    struct note note = {.class = e->class, .field = e->field};
    const bool is_class = orma_jfr_is(m->file, e->name, "class");
    const bool is_field = orma_jfr_is(m->file, e->name, "field");

    if (is_class)
        begin_class(m, e);
    else if (is_field)
        begin_field(m, e);
    for (uint64_t num = orma_jfr_varint(&m->c); num && !m->c.failed; num--) {
        const uint32_t key = name_at(m), value = name_at(m);

        if (m->c.failed)
            return;
        if (is_class)
            set_class(m, &m->chunk->classes.data[e->class], key, value);
        else if (is_field)
            set_field(m, &m->chunk->fields.data[e->field], key, value);
        else if (orma_jfr_is(m->file, key, "class"))
            note.id = number_of(m, value);
        else
            note.value = value; /* "value", or the last of "value-0", "value-1", ... */
    }
    if (orma_jfr_is(m->file, e->name, "annotation") && note.class != UINT32_MAX &&
        ORMA_VEC_PUSH(&m->notes, note))
        no_memory(m);
}

static void read_element(struct metadata *m, const struct element *around, unsigned depth)
{
    struct element e = *around;

    if (depth == ELEMENTS_DEPTH_MAX)
        m->c.failed = true;
    e.name = name_at(m);
    if (m->c.failed)
        return;
    read_attributes(m, &e);
    for (uint64_t num = orma_jfr_varint(&m->c); num && !m->c.failed; num--)
        read_element(m, &e, depth + 1);
}

/* ---- when all is read ---- */

static void set_unit(struct metadata *m, struct orma_jfr_field *field, uint32_t annotation,
                     uint32_t value)
{
    static const struct {
        const char *annotation, *value; /* NULL: any */
        enum orma_jfr_unit unit;
    } units[] = {
        {"jdk.jfr.Timespan", "TICKS", ORMA_JFR_SPAN_TICKS},
        {"jdk.jfr.Timespan", "NANOSECONDS", ORMA_JFR_SPAN_NS},
        {"jdk.jfr.Timespan", "MICROSECONDS", ORMA_JFR_SPAN_US},
        {"jdk.jfr.Timespan", "MILLISECONDS", ORMA_JFR_SPAN_MS},
        {"jdk.jfr.Timespan", "SECONDS", ORMA_JFR_SPAN_SECONDS},
        {"jdk.jfr.Timestamp", "TICKS", ORMA_JFR_TIME_TICKS},
        {"jdk.jfr.Timestamp", "MILLISECONDS_SINCE_EPOCH", ORMA_JFR_TIME_MS},
        {"jdk.jfr.Timestamp", "NANOSECONDS_SINCE_EPOCH", ORMA_JFR_TIME_NS},
        {"jdk.jfr.DataAmount", "BYTES", ORMA_JFR_BYTES},
        {"jdk.jfr.MemoryAddress", NULL, ORMA_JFR_ADDRESS},
    };

    field->is_unsigned |= orma_jfr_is(m->file, annotation, "jdk.jfr.Unsigned");
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(units); i++)
        if (orma_jfr_is(m->file, annotation, units[i].annotation) &&
            (!units[i].value || orma_jfr_is(m->file, value, units[i].value)))
            field->unit = units[i].unit;
}

/* "ThreadPark" of "jdk.ThreadPark". */
static uint32_t short_name(struct orma_file *file, uint32_t name)
{
    struct orma_str text =
        name ? orma_strpool_get(&file->imp->model->storage->pool, name) : (struct orma_str){"", 0};
    const char *dot = text.len ? memrchr(text.data, '.', text.len) : NULL;

    if (dot)
        text = (struct orma_str){dot + 1, text.len - (size_t)(dot + 1 - text.data)};
    return orma_model_str(file->imp->model, text);
}

static void link_classes(struct metadata *m)
{
    struct orma_jfr_chunk *chunk = m->chunk;

    for (uint32_t i = 0; i < chunk->classes.len; i++) {
        struct orma_jfr_class *class = &chunk->classes.data[i];

        if (class->is_event && class->name)
            class->rule = orma_jfr_find_rule(
                orma_strpool_get(&m->file->imp->model->storage->pool, class->name));
        if (class->is_event)
            class->short_name = short_name(m->file, class->name);
        if (orma_map_put(&chunk->by_id, class->id, i))
            no_memory(m);
    }
    for (uint32_t i = 0; i < chunk->fields.len; i++) {
        struct orma_jfr_field *field = &chunk->fields.data[i];
        const struct orma_jfr_class *class = orma_jfr_class(chunk, field->class_id);

        if (class)
            field->class = (uint32_t)(class - chunk->classes.data);
    }
}

static void use_notes(struct metadata *m)
{
    for (uint32_t i = 0; i < m->notes.len; i++) {
        const struct note *n = &m->notes.data[i];
        const struct orma_jfr_class *annotation = orma_jfr_class(m->chunk, n->id);
        struct orma_jfr_class *class = &m->chunk->classes.data[n->class];

        if (!annotation)
            continue;
        if (n->field != UINT32_MAX)
            set_unit(m, &m->chunk->fields.data[n->field], annotation->name, n->value);
        else if (n->value && orma_jfr_is(m->file, annotation->name, "jdk.jfr.Label"))
            class->label = n->value;
        else if (orma_jfr_is(m->file, annotation->name, "jdk.jfr.Category"))
            class->category = n->value;
    }
}

bool orma_jfr_read_metadata(struct orma_file *file, struct orma_jfr_chunk *chunk,
                            struct orma_jfr_cursor event)
{
    const struct element outside = {.class = UINT32_MAX, .field = UINT32_MAX};
    struct metadata m = {.file = file, .chunk = chunk, .c = event};
    struct orma_jfr *self = file->state;

    (void)orma_jfr_varint(&m.c); /* when, for how long, and a number that nobody asks for */
    (void)orma_jfr_varint(&m.c);
    (void)orma_jfr_varint(&m.c);
    self->strings.len = 0;
    for (uint64_t num = orma_jfr_varint(&m.c); num && !m.c.failed; num--)
        if (ORMA_VEC_PUSH(&self->strings, orma_jfr_string(file, NULL, &m.c)))
            no_memory(&m);
    read_element(&m, &outside, 0);
    link_classes(&m);
    use_notes(&m);
    ORMA_VEC_FINI(&m.notes);
    return !m.c.failed;
}

/* ---- pools ---- */

static void read_pool(struct orma_file *file, struct orma_jfr_chunk *chunk,
                      struct orma_jfr_cursor *c)
{
    struct orma_jfr_class *class = orma_jfr_class(chunk, orma_jfr_varint(c));
    const uint64_t num = orma_jfr_varint(c);

    c->failed |= !class;
    for (uint64_t i = 0; i < num && !c->failed; i++) {
        const uint64_t key = orma_jfr_varint(c);
        const uint8_t *at = c->at;

        orma_jfr_skip(chunk, class, c);
        if (!c->failed && orma_map_put(&class->pool, key, (uint64_t)(at - chunk->begin)))
            file->imp->model->storage->failed = c->failed = true;
    }
}

bool orma_jfr_read_pools(struct orma_file *file, struct orma_jfr_chunk *chunk,
                         struct orma_jfr_cursor event)
{
    struct orma_jfr_cursor c = event;

    (void)orma_jfr_varint(&c); /* when, for how long, where the one before it is */
    (void)orma_jfr_varint(&c);
    (void)orma_jfr_varint(&c);
    if (c.at < c.end)
        c.at++; /* flags */
    for (uint64_t num = orma_jfr_varint(&c); num && !c.failed; num--)
        read_pool(file, chunk, &c);
    return !c.failed;
}
