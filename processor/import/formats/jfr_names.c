/*
 * What events of JFR refer to: names, threads and stacks. Each is looked up once; what it became is
 * kept beside its pool.
 */
#include "processor/import/formats/jfr.h"

#include "processor/model/callstacks.h"

/* Values refer to each other, also in circles: a class to its loader, a loader to its class. */
#define DEPTH_MAX 8
/* So many values are looked at for one name: where each refers to many others, all ways through
 * them would have no end. */
#define VALUES_MAX 256

static struct orma_model *model_of(const struct orma_file *file)
{
    return file->imp->model;
}

static void keep(struct orma_file *file, struct orma_map *known, uint64_t key, uint64_t val)
{
    if (orma_map_put(known, key, val))
        model_of(file)->storage->failed = true;
}

/* ---- texts ---- */

/* "[Ljava/lang/String;" as "java.lang.String[]". */
static uint32_t java_name(struct orma_file *file, uint32_t name)
{
    static const char *const plain[] = {
        ['B'] = "byte", ['C'] = "char", ['D'] = "double", ['F'] = "float",
        ['I'] = "int",  ['J'] = "long", ['S'] = "short",  ['Z'] = "boolean",
    };
    struct orma_str text = orma_strpool_get(&model_of(file)->storage->pool, name);
    struct orma_jfr *self = file->state;
    size_t dims = 0;

    while (dims < text.len && text.data[dims] == '[')
        dims++;
    struct orma_str element = {text.data + dims, text.len - dims};
    if (dims && element.len == 1 && (uint8_t)element.data[0] < ORMA_ARRAY_LEN(plain) &&
        plain[(uint8_t)element.data[0]])
        element = orma_str_from(plain[(uint8_t)element.data[0]]);
    else if (dims && element.len > 2 && element.data[0] == 'L')
        element = (struct orma_str){element.data + 1, element.len - 2};
    orma_buf_clear(&self->text);
    for (size_t i = 0; i < element.len; i++)
        orma_buf_put_byte(&self->text, element.data[i] == '/' ? '.' : (uint8_t)element.data[i]);
    while (dims--)
        orma_buf_put_str(&self->text, "[]");
    model_of(file)->storage->failed |= self->text.failed;
    return orma_model_str(model_of(file), orma_buf_str(&self->text));
}

static uint32_t text_of(struct orma_file *file, struct orma_jfr_chunk *chunk, uint32_t class,
                        uint64_t key, unsigned depth);

static uint32_t text_of_value(struct orma_file *file, struct orma_jfr_chunk *chunk,
                              const struct orma_jfr_value *v, unsigned depth)
{
    if (v->field->is_array || v->kind == ORMA_JFR_BOOLEAN)
        return 0;
    if (v->in_pool)
        return text_of(file, chunk, v->field->class, (uint64_t)v->integer, depth + 1);
    return v->kind == ORMA_JFR_STRING ? v->text : 0;
}

static uint32_t text_of_member(struct orma_file *file, struct orma_jfr_chunk *chunk,
                               const struct orma_jfr_class *class, struct orma_jfr_cursor at,
                               const char *name, unsigned depth)
{
    struct orma_jfr_value v;

    return orma_jfr_member(file, chunk, class, at, name, &v) ? text_of_value(file, chunk, &v, depth)
                                                             : 0;
}

/* The first member that is a text, or has one. */
static uint32_t first_text(struct orma_file *file, struct orma_jfr_chunk *chunk,
                           const struct orma_jfr_class *class, struct orma_jfr_cursor at,
                           unsigned depth)
{
    struct orma_jfr_value v;
    uint32_t text = 0;

    for (uint32_t i = 0; i < class->fields_num && !text && !at.failed; i++) {
        orma_jfr_value(file, chunk, &chunk->fields.data[class->fields + i], &at, &v);
        if (!at.failed)
            text = text_of_value(file, chunk, &v, depth);
    }
    return text;
}

static uint32_t text_of_struct(struct orma_file *file, struct orma_jfr_chunk *chunk,
                               const struct orma_jfr_class *class, struct orma_jfr_cursor at,
                               unsigned depth)
{
    uint32_t name = 0, type;

    if (orma_jfr_is(file, class->name, "java.lang.Thread"))
        name = text_of_member(file, chunk, class, at, "javaName", depth);
    if (!name && orma_jfr_is(file, class->name, "java.lang.Thread"))
        return text_of_member(file, chunk, class, at, "osName", depth);
    if (!name)
        name = text_of_member(file, chunk, class, at, "name", depth);
    if (name && orma_jfr_is(file, class->name, "java.lang.Class"))
        return java_name(file, name);
    if (name && orma_jfr_is(file, class->name, "jdk.types.Method") &&
        (type = text_of_member(file, chunk, class, at, "type", depth)) && type != ORMA_STR_EMPTY) {
        const struct orma_strpool *pool = &model_of(file)->storage->pool;

        return orma_strpool_addf(&model_of(file)->storage->pool, "%s.%s",
                                 orma_strpool_cstr(pool, type), orma_strpool_cstr(pool, name));
    }
    return name ? name : first_text(file, chunk, class, at, depth);
}

static uint32_t text_of(struct orma_file *file, struct orma_jfr_chunk *chunk, uint32_t class_at,
                        uint64_t key, unsigned depth)
{
    struct orma_jfr *self = file->state;

    if (class_at == ORMA_JFR_NO_CLASS || depth == DEPTH_MAX || self->looked_at++ >= VALUES_MAX)
        return 0;
    struct orma_jfr_class *class = &chunk->classes.data[class_at];
    const uint64_t known = orma_map_get(&class->texts, key);
    struct orma_jfr_cursor at = orma_jfr_find(chunk, class, key);

    if (known != ORMA_MAP_NONE)
        return (uint32_t)known;
    if (at.failed)
        return 0;
    uint32_t text = class->kind == ORMA_JFR_STRING ? orma_jfr_string(file, chunk, &at)
                                                   : text_of_struct(file, chunk, class, at, depth);
    if (!depth) /* what was cut by depth is nobody else's answer */
        keep(file, &class->texts, key, text);
    return text;
}

uint32_t orma_jfr_text(struct orma_file *file, struct orma_jfr_chunk *chunk, uint32_t class,
                       uint64_t key)
{
    ((struct orma_jfr *)file->state)->looked_at = 0;
    return text_of(file, chunk, class, key, 0);
}

/* ---- processes and threads ---- */

uint32_t orma_jfr_pid(struct orma_file *file, const struct orma_jfr_chunk *chunk)
{
    struct orma_jfr *self = file->state;
    struct orma_model *m = model_of(file);

    if (chunk->pid)
        self->pid = chunk->pid;
    if (self->pid)
        return self->pid;
    if (!self->made_up_pid) {
        self->made_up_pid = orma_model_made_up(
            m, orma_strpool_addf(&m->storage->pool, "JVM of file %u", (unsigned)file->row));
        struct orma_processes *p = orma_model_processes(m, file->machine);
        orma_processes_name_process(p, orma_processes_process(p, self->made_up_pid),
                                    orma_model_lit(m, "JVM"), ORMA_PROCESS_NAME_OTHER);
    }
    return self->made_up_pid;
}

static int64_t number_of(struct orma_file *file, struct orma_jfr_chunk *chunk,
                         const struct orma_jfr_class *class, struct orma_jfr_cursor at,
                         const char *name)
{
    struct orma_jfr_value v;

    return orma_jfr_member(file, chunk, class, at, name, &v) &&
                   (v.kind == ORMA_JFR_INTEGER || v.kind == ORMA_JFR_BOOLEAN)
               ? v.integer
               : 0;
}

/* Virtual threads run on others, whose number they may have: Java's own tells them apart. */
static uint32_t make_thread(struct orma_file *file, struct orma_jfr_chunk *chunk,
                            const struct orma_jfr_class *class, struct orma_jfr_cursor at,
                            uint64_t key)
{
    struct orma_jfr *self = file->state;
    struct orma_model *m = model_of(file);
    struct orma_processes *p = orma_model_processes(m, file->machine);
    const uint32_t pid = orma_jfr_pid(file, chunk);

    self->looked_at = 0;
    const int64_t os = number_of(file, chunk, class, at, "osThreadId");
    const int64_t java = number_of(file, chunk, class, at, "javaThreadId");
    uint32_t tid, name = text_of_struct(file, chunk, class, at, 0);

    if (os > 0 && os <= INT32_MAX && !number_of(file, chunk, class, at, "virtual"))
        tid = (uint32_t)os;
    else
        tid = orma_model_made_up(
            m, java > 0 ? orma_strpool_addf(&m->storage->pool, "Java thread %lld of %u",
                                            (long long)java, pid)
                        : orma_strpool_addf(&m->storage->pool, "thread %llu of %u",
                                            (unsigned long long)key, pid));
    const uint32_t utid = orma_processes_thread_of(p, tid, pid);
    if (name && name != ORMA_STR_EMPTY)
        orma_processes_name_thread(p, utid, name, ORMA_THREAD_NAME_OTHER);
    return utid;
}

uint32_t orma_jfr_thread(struct orma_file *file, struct orma_jfr_chunk *chunk, uint32_t class_at,
                         uint64_t key)
{
    if (class_at == ORMA_JFR_NO_CLASS)
        return ORMA_ID_NONE;
    struct orma_jfr_class *class = &chunk->classes.data[class_at];
    const uint64_t known = orma_map_get(&class->known, key);
    const struct orma_jfr_cursor at = orma_jfr_find(chunk, class, key);

    if (!orma_jfr_is(file, class->name, "java.lang.Thread"))
        return ORMA_ID_NONE;
    if (known != ORMA_MAP_NONE)
        return (uint32_t)known;
    if (at.failed || class->kind != ORMA_JFR_STRUCT)
        return ORMA_ID_NONE;
    const uint32_t utid = make_thread(file, chunk, class, at, key);
    keep(file, &class->known, key, utid);
    return utid;
}

/* ---- stacks ---- */

/* All that Java runs is one mapping: a function is the same, whether it is compiled by now or not.
 */
static uint32_t mapping_of(struct orma_file *file, uint32_t type)
{
    static const char *const natives[] = {"Native", "C++"};
    const char *name = "[java]";

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(natives); i++)
        if (orma_jfr_is(file, type, natives[i]))
            name = "[native]";
    if (orma_jfr_is(file, type, "Kernel"))
        name = "[kernel]";
    return orma_callstacks_dummy_mapping(model_of(file), name);
}

static uint32_t make_frame(struct orma_file *file, struct orma_jfr_chunk *chunk,
                           const struct orma_jfr_class *class, struct orma_jfr_cursor at)
{
    struct orma_jfr *self = file->state;
    struct orma_model *m = model_of(file);

    self->looked_at = 0;
    const int64_t line = number_of(file, chunk, class, at, "lineNumber");
    const uint32_t name = text_of_member(file, chunk, class, at, "method", 0);
    const uint32_t type = text_of_member(file, chunk, class, at, "type", 0);
    const struct orma_stack_frame frame = {
        .mapping = mapping_of(file, type),
        .name = name ? name : orma_model_lit(m, "[unknown]"),
        .type = type,
        .line = line > 0 && line <= INT32_MAX ? (uint32_t)line : 0,
    };

    return frame.line ? orma_callstacks_symbolized_frame(m, &frame)
                      : orma_callstacks_frame(m, &frame);
}

/* The frames of a stack, the innermost one first, into the list. False: malformed. */
static bool read_frames(struct orma_file *file, struct orma_jfr_chunk *chunk,
                        const struct orma_jfr_value *frames)
{
    struct orma_jfr *self = file->state;
    struct orma_jfr_cursor c = {frames->data, chunk->end, false};
    const uint32_t class_at = frames->field->class;

    self->frames.len = 0;
    if (!frames->field->is_array || class_at == ORMA_JFR_NO_CLASS)
        return false;
    for (uint32_t i = 0; i < frames->num; i++) {
        struct orma_jfr_value v;
        struct orma_jfr_class *class = &chunk->classes.data[class_at];
        struct orma_jfr_cursor at = c;

        orma_jfr_element(file, chunk, frames->field, &c, &v);
        if (c.failed)
            return false;
        if (v.in_pool)
            at = orma_jfr_find(chunk, class, (uint64_t)v.integer);
        if (ORMA_VEC_PUSH(&self->frames, make_frame(file, chunk, class, at)))
            model_of(file)->storage->failed = true;
    }
    return true;
}

static uint32_t make_stack(struct orma_file *file, struct orma_jfr_chunk *chunk,
                           const struct orma_jfr_class *class, struct orma_jfr_cursor at)
{
    struct orma_jfr *self = file->state;
    uint32_t callsite = ORMA_CALLSITE_NONE;
    struct orma_jfr_value frames;

    if (!orma_jfr_member(file, chunk, class, at, "frames", &frames) ||
        !read_frames(file, chunk, &frames)) {
        orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "stacks", at.at);
        return ORMA_CALLSITE_NONE;
    }
    if (number_of(file, chunk, class, at, "truncated"))
        orma_file_part(file, ORMA_ACCOUNT_MISSING, "outer frames of stacks that the JVM cut",
                       at.at);
    for (uint32_t i = self->frames.len; i-- > 0;)
        callsite = orma_callstacks_callsite(model_of(file), callsite, self->frames.data[i]);
    return callsite;
}

uint32_t orma_jfr_stack(struct orma_file *file, struct orma_jfr_chunk *chunk, uint32_t class_at,
                        uint64_t key, uint32_t leaf)
{
    struct orma_model *m = model_of(file);
    uint32_t callsite = ORMA_CALLSITE_NONE;

    if (class_at != ORMA_JFR_NO_CLASS && key &&
        orma_jfr_is(file, chunk->classes.data[class_at].name, "jdk.types.StackTrace")) {
        struct orma_jfr_class *class = &chunk->classes.data[class_at];
        const uint64_t known = orma_map_get(&class->known, key);
        const struct orma_jfr_cursor at = orma_jfr_find(chunk, class, key);

        if (known != ORMA_MAP_NONE) {
            callsite = (uint32_t)known;
        } else if (!at.failed) {
            callsite = make_stack(file, chunk, class, at);
            keep(file, &class->known, key, callsite);
        } else {
            orma_file_part(file, ORMA_ACCOUNT_MISSING, "stacks of events", NULL);
        }
    }
    if (leaf) {
        const struct orma_stack_frame frame = {
            .mapping = orma_callstacks_dummy_mapping(m, "[java]"), .name = leaf};

        callsite = orma_callstacks_callsite(m, callsite, orma_callstacks_frame(m, &frame));
    }
    return callsite;
}
