/*
 * Records of a heap dump: two passes over the file.
 *
 *   header ─► strings and names of classes, which may come behind what needs them
 *          ─► pass 1: fields of classes, where each array lies
 *          ─► types of the graph (orma_hprof_put_types())
 *          ─► pass 2: roots, objects, arrays ─► rows, by hprof_objects.c
 *
 * The second pass needs all classes, since an object's fields lie in the file without names or
 * types, and a class may come after its objects. `again` means the second pass. A record that
 * exceeds the file is read as far as it goes, and the graph counts as truncated. A text that is cut
 * is none.
 */
#include "processor/import/formats/hprof.h"

#include <errno.h>
#include <stdlib.h>

#include "sdk/base/vec.h"

#define CLASSES_MAX (1u << 24)

/* Records of the file. */
enum {
    R_STRING = 0x01,
    R_LOAD_CLASS = 0x02,
    R_HEAP_DUMP = 0x0c,
    R_HEAP_SEGMENT = 0x1c,
    R_HEAP_DUMP_END = 0x2c
};

/* What heap dumps consist of. */
enum {
    D_CLASS = 0x20,
    D_INSTANCE = 0x21,
    D_OBJECT_ARRAY = 0x22,
    D_VALUE_ARRAY = 0x23,
    D_VALUE_ARRAY_EMPTY = 0xc3,
    D_HEAP_INFO = 0xfe,
};

static void put(struct orma_hprof *h, struct orma_map *map, uint64_t key, uint64_t val)
{
    h->imp->model->storage->failed |= orma_map_put(map, key, val) < 0;
}

static void count(struct orma_hprof *h, enum orma_stat stat)
{
    orma_stats_inc(orma_model_stats(h->imp->model, h->imp->model->base), stat);
}

/* ---- names ---- */

/* "[Ljava/lang/Object;" and "java/lang/Object" become what people write. */
static uint32_t class_name(struct orma_hprof *h, struct orma_str s)
{
    static const char letters[] = "ZCFDBSIJ";
    struct orma_buf name = {0};
    unsigned depth = 0;

    while (s.len > 1 && s.data[0] == '[') {
        s = (struct orma_str){s.data + 1, s.len - 1};
        depth++;
    }
    const char *letter = depth && s.len == 1 ? strchr(letters, s.data[0]) : NULL;
    if (letter && *letter) {
        orma_buf_put_str(&name,
                         orma_hprof_type_name((uint8_t)(ORMA_HPROF_BOOLEAN + (letter - letters))));
    } else {
        if (depth && s.len > 2 && s.data[0] == 'L' && s.data[s.len - 1] == ';')
            s = (struct orma_str){s.data + 1, s.len - 2};
        for (size_t i = 0; i < s.len; i++)
            orma_buf_put_byte(&name, (uint8_t)(s.data[i] == '/' ? '.' : s.data[i]));
    }
    while (depth--)
        orma_buf_put_str(&name, "[]");
    uint32_t id = name.len && !name.failed ? orma_model_str(h->imp->model, orma_buf_str(&name))
                                           : ORMA_STR_EMPTY;
    h->imp->model->storage->failed |= name.failed;
    orma_buf_fini(&name);
    return id;
}

static struct orma_str pool_text(const struct orma_hprof *h, uint64_t id)
{
    struct orma_str s = {0};

    if (id != ORMA_MAP_NONE)
        s = orma_strpool_get(&h->imp->model->storage->pool, (uint32_t)id);
    return s.data ? s : (struct orma_str){"", 0};
}

static uint32_t name_of_class(struct orma_hprof *h, uint64_t id, const struct orma_hprof_reader *r)
{
    uint64_t string = orma_map_get(&h->class_names, id), text = ORMA_MAP_NONE;

    if (string != ORMA_MAP_NONE)
        text = orma_map_get(&h->strings, string);
    if (text != ORMA_MAP_NONE)
        return class_name(h, pool_text(h, text));
    orma_hprof_lacks(h, "names of classes missing from the dump", r);
    return ORMA_STR_EMPTY;
}

static uint32_t field_name(struct orma_hprof *h, uint32_t class, uint64_t name)
{
    return orma_strpool_addf(&h->imp->model->storage->pool, "%.*s.%.*s",
                             ORMA_STR_ARG(pool_text(h, class)),
                             ORMA_STR_ARG(pool_text(h, orma_map_get(&h->strings, name))));
}

/* ---- the first time: classes ---- */

static struct orma_hprof_field *new_field(struct orma_hprof *h)
{
    if (ORMA_GROW(&h->fields, &h->fields_cap, h->fields_num + (size_t)1)) {
        h->imp->model->storage->failed = true;
        return NULL;
    }
    return &h->fields[h->fields_num++];
}

static struct orma_hprof_class *new_class(struct orma_hprof *h, uint64_t id)
{
    if (h->list_num == CLASSES_MAX || ORMA_GROW(&h->list, &h->list_cap, h->list_num + (size_t)1)) {
        h->imp->model->storage->failed = true;
        return NULL;
    }
    h->list[h->list_num] = (struct orma_hprof_class){.id = id};
    put(h, &h->classes, id, h->list_num);
    return &h->list[h->list_num++];
}

/* Fields with their values (static ones), or without. */
static void read_fields(struct orma_hprof *h, struct orma_hprof_reader *r, uint32_t class,
                        bool statics, bool again, size_t *ret_first, size_t *ret_num)
{
    uint64_t num = orma_hprof_number(r, 2);

    *ret_first = h->fields_num;
    for (; num && !r->failed; num--) {
        uint64_t name = orma_hprof_id(r);
        uint8_t type = (uint8_t)orma_hprof_number(r, 1);
        unsigned size = orma_hprof_size(h, type);
        uint64_t value = statics ? orma_hprof_number(r, size) : 0;
        struct orma_hprof_field *f = size && !r->failed && !again ? new_field(h) : NULL;

        r->failed |= !size;
        if (f && orma_map_get(&h->strings, name) == ORMA_MAP_NONE)
            orma_hprof_lacks(h, "names of fields missing from the dump", r);
        if (f)
            *f = (struct orma_hprof_field){
                .name = field_name(h, class, name), .type = type, .value = value};
    }
    *ret_num = h->fields_num - *ret_first;
}

/* `again`: only past it. */
static void read_class(struct orma_hprof *h, struct orma_hprof_reader *r, bool again)
{
    size_t fields_num = h->fields_num;
    uint64_t id = orma_hprof_id(r), num;
    struct orma_hprof_class c = {.id = id, .name = ORMA_STR_EMPTY};

    orma_hprof_skip(r, 4); /* stack */
    c.super = orma_hprof_id(r);
    orma_hprof_skip(r, 5ull * r->id_bytes); /* loader, signers, domain, two for later */
    c.instance_size = (uint32_t)orma_hprof_number(r, 4);
    if (!again && !r->failed)
        c.name = name_of_class(h, id, r);
    for (num = orma_hprof_number(r, 2); num && !r->failed; num--) { /* constants */
        orma_hprof_skip(r, 2);
        unsigned size = orma_hprof_size(h, (uint8_t)orma_hprof_number(r, 1));
        r->failed |= !size;
        orma_hprof_skip(r, size);
    }
    read_fields(h, r, c.name, true, again, &c.statics, &c.statics_num);
    read_fields(h, r, c.name, false, again, &c.fields, &c.fields_num);
    const bool twice = orma_map_get(&h->classes, id) != ORMA_MAP_NONE;
    if (twice && !again)
        orma_hprof_lacks(h, "definitions of known classes", r);
    if (again || r->failed || twice) {
        h->fields_num = fields_num;
        return;
    }
    struct orma_hprof_class *added = new_class(h, id);
    if (added)
        *added = c;
}

/* ---- heap dumps ---- */

struct root {
    const char *name;
    uint8_t tag, more; /* more: bytes behind the id; ROOT_ID: an id */
};

#define ROOT_ID 0xff

static const struct root roots[] = {
    {"ROOT_UNKNOWN", 0xff, 0},           {"ROOT_JNI_GLOBAL", 0x01, ROOT_ID},
    {"ROOT_JNI_LOCAL", 0x02, 8},         {"ROOT_JAVA_FRAME", 0x03, 8},
    {"ROOT_NATIVE_STACK", 0x04, 4},      {"ROOT_STICKY_CLASS", 0x05, 0},
    {"ROOT_THREAD_BLOCK", 0x06, 4},      {"ROOT_MONITOR_USED", 0x07, 0},
    {"ROOT_THREAD_OBJECT", 0x08, 8},     {"ROOT_INTERNED_STRING", 0x89, 0},
    {"ROOT_FINALIZING", 0x8a, 0},        {"ROOT_DEBUGGER", 0x8b, 0},
    {"ROOT_REFERENCE_CLEANUP", 0x8c, 0}, {"ROOT_VM_INTERNAL", 0x8d, 0},
    {"ROOT_JNI_MONITOR", 0x8e, 8},       {NULL, 0x90, 0}, /* not reachable */
};

/* False: no root has that tag. */
static bool read_root(struct orma_hprof *h, struct orma_hprof_reader *r, uint8_t tag, bool again)
{
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(roots); i++) {
        if (roots[i].tag != tag)
            continue;
        uint64_t id = orma_hprof_id(r);
        orma_hprof_skip(r, roots[i].more == ROOT_ID ? r->id_bytes : roots[i].more);
        if (again && !r->failed && roots[i].name) {
            orma_heap_graph_put(h->imp->model, &h->graph->roots, id);
            orma_heap_graph_put(h->imp->model, &h->graph->roots,
                                orma_model_cstr(h->imp->model, roots[i].name));
            count(h, ORMA_STAT_HPROF_ROOT_COUNTER);
        }
        return true;
    }
    return false;
}

/* Past an object; arrays of values are noted. */
static void pass_object(struct orma_hprof *h, struct orma_hprof_reader *r, uint8_t tag)
{
    uint64_t id = orma_hprof_id(r);
    const uint8_t *at = r->pos;
    uint64_t num;
    uint8_t type;

    orma_hprof_skip(r, 4);
    switch (tag) {
    case D_INSTANCE:
        orma_hprof_skip(r, r->id_bytes);
        num = orma_hprof_number(r, 4);
        orma_hprof_skip(r, num);
        break;
    case D_OBJECT_ARRAY:
        num = orma_hprof_number(r, 4);
        orma_hprof_skip(r, r->id_bytes + num * r->id_bytes);
        break;
    default:
        num = orma_hprof_number(r, 4);
        type = (uint8_t)orma_hprof_number(r, 1);
        r->failed |= !orma_hprof_size(h, type);
        if (tag == D_VALUE_ARRAY) {
            orma_hprof_skip(r, num * orma_hprof_size(h, type));
            if (!r->failed)
                put(h, &h->arrays, id, (uintptr_t)at);
        }
    }
}

static void make_object(struct orma_hprof *h, struct orma_hprof_reader *r, uint8_t tag)
{
    if (tag == D_INSTANCE) {
        orma_hprof_instance(h, r);
        count(h, ORMA_STAT_HPROF_INSTANCE_COUNTER);
    } else if (tag == D_OBJECT_ARRAY) {
        orma_hprof_object_array(h, r);
        count(h, ORMA_STAT_HPROF_OBJECT_ARRAY_COUNTER);
    } else {
        orma_hprof_value_array(h, r, tag == D_VALUE_ARRAY);
        count(h, ORMA_STAT_HPROF_PRIMITIVE_ARRAY_COUNTER);
    }
}

static void make_class(struct orma_hprof *h, struct orma_hprof_reader r)
{
    const struct orma_hprof_class *c = orma_hprof_class_of(h, orma_hprof_id(&r));

    if (c)
        orma_hprof_class_object(h, &r, c);
    else
        count(h, ORMA_STAT_HPROF_CLASS_ERRORS);
    count(h, ORMA_STAT_HPROF_CLASS_COUNTER);
}

static const char *heap_type(struct orma_str name)
{
    if (orma_str_eq(name, ORMA_STR("app")))
        return "HEAP_TYPE_APP";
    if (orma_str_eq(name, ORMA_STR("zygote")))
        return "HEAP_TYPE_ZYGOTE";
    return orma_str_eq(name, ORMA_STR("image")) ? "HEAP_TYPE_BOOT_IMAGE" : "HEAP_TYPE_UNKNOWN";
}

static void read_heap_info(struct orma_hprof *h, struct orma_hprof_reader *r, bool again)
{
    orma_hprof_skip(r, 4);
    uint64_t name = orma_map_get(&h->strings, orma_hprof_id(r));

    if (again)
        h->graph->last_heap_type = orma_model_cstr(h->imp->model, heap_type(pool_text(h, name)));
}

static struct orma_unit_end read_heap(struct orma_hprof *h, struct orma_hprof_reader r, bool again)
{
    while (r.pos < r.end && !r.failed && !h->imp->model->storage->failed) {
        uint8_t tag = (uint8_t)orma_hprof_number(&r, 1);

        switch (tag) {
        case D_CLASS:
            if (again)
                make_class(h, r);
            read_class(h, &r, again);
            break;
        case D_INSTANCE:
        case D_OBJECT_ARRAY:
        case D_VALUE_ARRAY:
        case D_VALUE_ARRAY_EMPTY:
            if (again)
                make_object(h, &r, tag);
            else
                pass_object(h, &r, tag);
            break;
        case D_HEAP_INFO:
            read_heap_info(h, &r, again);
            break;
        default:
            r.failed |= !read_root(h, &r, tag, again);
        }
    }
    if (r.failed && !again) {
        h->graph->truncated = true;
        count(h, ORMA_STAT_HPROF_HEAP_DUMP_ERRORS);
        return orma_file_skipped(h->file, ORMA_ACCOUNT_DAMAGED,
                                 "heap dumps from a malformed object to their end");
    }
    return again ? (struct orma_unit_end){true} : orma_file_took(h->file);
}

/* ---- records ---- */

/* What heap dumps refer to by number. */
static void read_names(struct orma_hprof *h, uint8_t tag, struct orma_hprof_reader r, bool cut)
{
    uint64_t id, name;

    if (tag == R_STRING) {
        id = orma_hprof_id(&r);
        if (r.failed || cut)
            return;
        put(h, &h->strings, id,
            orma_model_str(h->imp->model,
                           (struct orma_str){(const char *)r.pos, (size_t)(r.end - r.pos)}));
        count(h, ORMA_STAT_HPROF_STRING_COUNTER);
    } else if (tag == R_LOAD_CLASS) {
        orma_hprof_skip(&r, 4);
        id = orma_hprof_id(&r);
        orma_hprof_skip(&r, 4);
        name = orma_hprof_id(&r);
        if (!r.failed)
            put(h, &h->class_names, id, name);
    }
}

/* Records are counted the first time. */
static struct orma_unit_end read_record(struct orma_hprof *h, uint8_t tag,
                                        struct orma_hprof_reader r, bool cut, bool again)
{
    if (!again)
        orma_file_unit(h->file, r.pos);

    switch (tag) {
    case R_STRING:
        r.failed |= cut;
        orma_hprof_skip(&r, r.id_bytes);
        break;
    case R_LOAD_CLASS:
        orma_hprof_skip(&r, 8ull + 2 * r.id_bytes);
        break;
    case R_HEAP_DUMP:
    case R_HEAP_SEGMENT:
        h->open = tag == R_HEAP_SEGMENT;
        if (again)
            count(h, ORMA_STAT_HPROF_HEAP_DUMP_COUNTER);
        return read_heap(h, r, again);
    case R_HEAP_DUMP_END:
        h->open = false;
        break;
    default:
        return again
                   ? (struct orma_unit_end){false}
                   : orma_file_skippedf(h->file, ORMA_ACCOUNT_NOT_READ, "records of type %u", tag);
    }
    if (again)
        return (struct orma_unit_end){!r.failed};
    return r.failed ? orma_file_skipped(h->file, ORMA_ACCOUNT_DAMAGED, "records")
                    : orma_file_took(h->file);
}

enum pass { PASS_NAMES, PASS_CLASSES, PASS_OBJECTS };

static void read_records(struct orma_hprof *h, struct orma_hprof_reader r, enum pass pass)
{
    const uint8_t *begin = r.pos;

    while (r.pos < r.end && !r.failed && !h->imp->model->storage->failed) {
        uint8_t tag = (uint8_t)orma_hprof_number(&r, 1);
        struct orma_hprof_reader body = r;
        bool cut = false;

        begin = r.pos - !r.failed;
        orma_hprof_skip(&body, 4); /* when, in us from the begin */
        uint64_t len = orma_hprof_number(&body, 4);
        r.pos = body.pos;
        r.failed = body.failed;
        if (!r.failed && len > (uint64_t)(r.end - r.pos)) { /* truncated: what there is counts */
            len = (uint64_t)(r.end - r.pos);
            h->graph->truncated = cut = true;
            if (pass == PASS_CLASSES)
                count(h, ORMA_STAT_HPROF_SEGMENT_OVERSHOOT_COUNTER);
        }
        orma_hprof_skip(&r, len);
        body.end = r.pos;
        if (r.failed)
            break;
        if (pass == PASS_NAMES) {
            read_names(h, tag, body, cut);
            continue;
        }
        if (pass == PASS_CLASSES)
            count(h, ORMA_STAT_HPROF_RECORD_COUNTER);
        (void)read_record(h, tag, body, cut, pass == PASS_OBJECTS);
        if (cut && pass == PASS_CLASSES) /* whatever was read of it: more is missing */
            orma_file_truncated(h->file, 1);
    }
    h->graph->truncated |= r.failed;
    if (r.failed && pass == PASS_CLASSES) /* in the head of a record */
        orma_file_truncated(h->file, (uint64_t)(r.end - begin));
}

static bool read_header(struct orma_hprof *h, struct orma_hprof_reader *r)
{
    const uint8_t *zero =
        r->end > r->pos ? memchr(r->pos, 0, (size_t)ORMA_MIN(r->end - r->pos, 64)) : NULL;

    r->failed = !zero;
    if (zero)
        r->pos = zero + 1;
    uint64_t id_bytes = orma_hprof_number(r, 4), ms = orma_hprof_number(r, 8);
    h->id_bytes = r->id_bytes = (unsigned)id_bytes;
    h->ts = ms < INT64_MAX / 1000000 ? (int64_t)ms * 1000000 : 0;
    return !r->failed && (id_bytes == 4 || id_bytes == 8);
}

static size_t hprof_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct orma_hprof *h = file->state;
    struct orma_hprof_reader r = {.pos = data, .end = data + len};

    (void)at_end; /* it is read once, whole */
    h->file = file;
    h->imp = file->imp;
    h->end = data + len;
    h->graph = calloc(1, sizeof(*h->graph));
    if (!h->graph) {
        file->imp->model->storage->failed = true;
        return len;
    }
    if (!read_header(h, &r)) {
        count(h, ORMA_STAT_HPROF_HEADER_ERRORS);
        orma_file_error(file, -EBADMSG,
                        "the heap dump has no valid header: ids must have 4 or 8 bytes "
                        "(ERR:tp-corrupt)");
        return len;
    }
    orma_import_late_attach(h->imp, ORMA_FAMILY_HEAP_GRAPH);
    h->graph->begun = true;
    h->graph->ts = h->ts;
    h->graph->upid =
        orma_processes_process(orma_model_processes(h->imp->model, h->imp->model->base), 0);
    read_records(h, r, PASS_NAMES);
    const uint64_t cut_before = file->imp->model->damage.truncated;
    read_records(h, r, PASS_CLASSES);
    if (h->open && file->imp->model->damage.truncated == cut_before) { /* between two segments */
        h->graph->truncated = true;
        orma_file_part(file, ORMA_ACCOUNT_MISSING, "ends of the heap dump", NULL);
    }
    orma_hprof_put_types(h);
    read_records(h, r, PASS_OBJECTS);
    (void)orma_heap_graph_finish(h->imp->model, h->graph); /* nobody stops it */
    return len;
}

static void hprof_fini(struct orma_file *file)
{
    struct orma_hprof *h = file->state;

    orma_map_fini(&h->strings);
    orma_map_fini(&h->class_names);
    orma_map_fini(&h->classes);
    orma_map_fini(&h->arrays);
    free(h->list);
    free(h->fields);
    if (h->graph)
        orma_heap_graph_free(h->graph);
}

const struct orma_format_ops orma_format_hprof = {
    .state_bytes = sizeof(struct orma_hprof),
    .unit = "record",
    .whole = true,
    .read = hprof_read,
    .fini = hprof_fini,
};
