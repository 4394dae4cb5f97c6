/*
 * Packets of heap graphs, read into a graph under way (model/heap_graph.h), one per sequence.
 *
 *   packet 0 (continued) ─► packet 1 (continued) ─► ... ─► last packet ─► orma_heap_graph_finish()
 *
 * Every packet has an index; a gap marks the graph as truncated. Objects become rows at once. An
 * object may carry its id as the difference to the previous one, and keeps the heap type of the
 * previous one if it has none; ids of its fields count from a base of its own. References are three
 * lists per object (fields, objects, objects of the runtime) that are joined here; names of fields
 * are resolved at the end of the graph, since types may come in any packet. Deobfuscated names are
 * applied at the end of the import (heap_graph_names.c).
 */
#include "processor/import/profile/heap_names.h"

#include <stdlib.h>

#include "processor/import/core/late.h"
#include "processor/import/profile/profile.h"
#include "protos/fields/profiling.h"
#include "protos/fields/trace.h"

/* An object with its references takes about a microsecond. */
#define ENTRIES_PER_LOOK 256

struct orma_profile_heap_graphs {
    struct orma_map graphs; /* machine and sequence → struct orma_heap_graph * */
    struct orma_heap_graph *complete, **complete_last; /* those that are no longer in the map */
    struct orma_heap_names names;
};

static void put(struct orma_import_ctx *imp, struct orma_map *map, uint64_t key, uint64_t val)
{
    imp->model->storage->failed |= orma_map_put(map, key, val) < 0;
}

/* ---- objects ---- */

static const char *heap_name(uint64_t heap)
{
    static const char *const names[] = {"HEAP_TYPE_UNKNOWN", "HEAP_TYPE_APP", "HEAP_TYPE_ZYGOTE",
                                        "HEAP_TYPE_BOOT_IMAGE"};

    return names[heap < ORMA_ARRAY_LEN(names) ? heap : 0];
}

struct object {
    uint64_t id, type, self_size, field_base;
    int64_t registry_size;
    bool has_registry_size, has_values;
    size_t fields_num, refs_num;
};

/* The scalar fields; repeated fields are only counted. */
static void read_object(struct orma_import_ctx *imp, struct orma_heap_graph *g,
                        struct orma_pb_reader r, struct object *ret)
{
    struct orma_pb_field f;
    uint64_t val;

    *ret = (struct object){0};
    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader packed = {0};

        switch (f.id) {
        case ORMA_PB_HEAP_GRAPH_OBJECT_ID:
            ret->id = orma_pb_u64(&f);
            break;
        case ORMA_PB_HEAP_GRAPH_OBJECT_ID_DELTA:
            ret->id = g->last_id + orma_pb_u64(&f);
            break;
        case ORMA_PB_HEAP_GRAPH_OBJECT_TYPE_ID:
            ret->type = orma_pb_u64(&f);
            break;
        case ORMA_PB_HEAP_GRAPH_OBJECT_SELF_SIZE:
            ret->self_size = orma_pb_u64(&f);
            break;
        case ORMA_PB_HEAP_GRAPH_OBJECT_REFERENCE_FIELD_ID_BASE:
            ret->field_base = orma_pb_u64(&f);
            break;
        case ORMA_PB_HEAP_GRAPH_OBJECT_NATIVE_ALLOCATION_REGISTRY_SIZE_FIELD:
            ret->registry_size = orma_pb_i64(&f);
            ret->has_registry_size = true;
            break;
        case ORMA_PB_HEAP_GRAPH_OBJECT_HEAP_TYPE_DELTA:
            g->last_heap_type = orma_model_cstr(imp->model, heap_name(orma_pb_u64(&f)));
            break;
        case ORMA_PB_HEAP_GRAPH_OBJECT_REFERENCE_FIELD_ID:
            for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &val);)
                ret->fields_num++;
            break;
        case ORMA_PB_HEAP_GRAPH_OBJECT_REFERENCE_OBJECT_ID:
        case ORMA_PB_HEAP_GRAPH_OBJECT_RUNTIME_INTERNAL_OBJECT_ID:
            for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &val);)
                ret->refs_num++;
            break;
        default:
            ret->has_values |= f.id >= ORMA_PB_HEAP_GRAPH_OBJECT_BITMAP_ID_FIELD;
        }
    }
}

/* The numbers of a repeated field, wherever they are. */
static void collect(struct orma_import_ctx *imp, struct orma_pb_reader r, uint32_t field,
                    struct orma_heap_graph_list *out)
{
    struct orma_pb_field f;
    uint64_t val;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader packed = {0};

        if (f.id != field)
            continue;
        for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &val);)
            orma_heap_graph_put(imp->model, out, val);
    }
}

static void add_references(struct orma_import_ctx *imp, struct orma_heap_graph *g, uint32_t row,
                           const struct object *o, struct orma_pb_reader r)
{
    struct orma_table *objects = orma_model_table(imp->model, ORMA_TABLE_HEAP_GRAPH_OBJECT);
    struct orma_table *refs = orma_model_table(imp->model, ORMA_TABLE_HEAP_GRAPH_REFERENCE);
    uint32_t set = refs->rows, own_name = orma_model_lit(imp->model, "runtimeInternalObjects");
    struct orma_heap_graph_list fields = {0}, ids = {0}, internal = {0};

    collect(imp, r, ORMA_PB_HEAP_GRAPH_OBJECT_REFERENCE_FIELD_ID, &fields);
    collect(imp, r, ORMA_PB_HEAP_GRAPH_OBJECT_REFERENCE_OBJECT_ID, &ids);
    collect(imp, r, ORMA_PB_HEAP_GRAPH_OBJECT_RUNTIME_INTERNAL_OBJECT_ID, &internal);
    for (size_t i = 0; i < ids.len; i++) {
        uint32_t ref = orma_heap_graph_reference(imp->model, g, set, row, ids.data[i]);

        if (i < fields.len) {
            orma_heap_graph_put(imp->model, &g->named, ref);
            orma_heap_graph_put(imp->model, &g->named,
                                fields.data[i] ? fields.data[i] + o->field_base : 0);
        }
    }
    for (size_t i = 0; i < internal.len; i++)
        orma_table_set(refs, ORMA_HEAP_GRAPH_REFERENCE_FIELD_NAME,
                       orma_heap_graph_reference(imp->model, g, set, row, internal.data[i]),
                       own_name);
    if (ids.len && !fields.len)
        orma_heap_graph_put(imp->model, &g->by_type, row);
    if (fields.len && fields.len != ids.len)
        orma_stats_add_at(orma_model_stats(imp->model, g->machine),
                          ORMA_STAT_HEAP_GRAPH_MALFORMED_PACKET, (int32_t)g->upid, 1);
    orma_table_set(objects, ORMA_HEAP_GRAPH_OBJECT_REFERENCE_SET_ID, row, set);
    ORMA_VEC_FINI(&fields);
    ORMA_VEC_FINI(&ids);
    ORMA_VEC_FINI(&internal);
}

/* Fields of well-known classes that hold numbers. */
static void add_values(struct orma_import_ctx *imp, uint32_t object, struct orma_pb_reader r)
{
    static const struct {
        const char *name, *type;
    } values[] = {
        [ORMA_PB_HEAP_GRAPH_OBJECT_BITMAP_ID_FIELD] = {"android.graphics.Bitmap.mId", "long"},
        [ORMA_PB_HEAP_GRAPH_OBJECT_BITMAP_SOURCE_ID_FIELD] = {"android.graphics.Bitmap.mSourceId",
                                                              "long"},
        [ORMA_PB_HEAP_GRAPH_OBJECT_BITMAP_WIDTH_FIELD] = {"android.graphics.Bitmap.mWidth", "int"},
        [ORMA_PB_HEAP_GRAPH_OBJECT_BITMAP_HEIGHT_FIELD] = {"android.graphics.Bitmap.mHeight",
                                                           "int"},
        [ORMA_PB_HEAP_GRAPH_OBJECT_APPLICATION_INFO_LONG_VERSION_CODE_FIELD] =
            {"android.content.pm.ApplicationInfo.longVersionCode", "long"},
    };
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_HEAP_GRAPH_PRIMITIVE);
    struct orma_table *data = orma_model_table(imp->model, ORMA_TABLE_HEAP_GRAPH_OBJECT_DATA);
    uint32_t set = orma_profile(imp)->field_sets++, owner = orma_table_add(data);
    struct orma_pb_field f;

    orma_table_set(data, ORMA_HEAP_GRAPH_OBJECT_DATA_FIELD_SET_ID, owner, set);
    orma_table_set(orma_model_table(imp->model, ORMA_TABLE_HEAP_GRAPH_OBJECT),
                   ORMA_HEAP_GRAPH_OBJECT_OBJECT_DATA_ID, object, owner);
    while (orma_pb_next(&r, &f)) {
        if (f.id >= ORMA_ARRAY_LEN(values) || !values[f.id].name)
            continue;
        uint32_t row = orma_table_add(t);
        orma_table_set(t, ORMA_HEAP_GRAPH_PRIMITIVE_FIELD_SET_ID, row, set);
        orma_table_set(t, ORMA_HEAP_GRAPH_PRIMITIVE_FIELD_NAME, row,
                       orma_model_lit(imp->model, values[f.id].name));
        orma_table_set(t, ORMA_HEAP_GRAPH_PRIMITIVE_FIELD_TYPE, row,
                       orma_model_lit(imp->model, values[f.id].type));
        if (values[f.id].type[0] == 'l')
            orma_table_set(t, ORMA_HEAP_GRAPH_PRIMITIVE_LONG_VALUE, row, orma_pb_i64(&f));
        else
            orma_table_set(t, ORMA_HEAP_GRAPH_PRIMITIVE_INT_VALUE, row, orma_pb_i32(&f));
    }
}

static void add_object(struct orma_import_ctx *imp, struct orma_heap_graph *g,
                       struct orma_pb_reader r)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_HEAP_GRAPH_OBJECT);
    struct object o;

    read_object(imp, g, r, &o);
    g->last_id = o.id;
    uint32_t row = orma_heap_graph_object(imp->model, g, o.id);
    orma_table_set(t, ORMA_HEAP_GRAPH_OBJECT_SELF_SIZE, row, (int64_t)o.self_size);
    orma_table_set(t, ORMA_HEAP_GRAPH_OBJECT_TYPE_ID, row,
                   orma_heap_graph_class(imp->model, g, o.type));
    if (g->last_heap_type)
        orma_table_set(t, ORMA_HEAP_GRAPH_OBJECT_HEAP_TYPE, row, g->last_heap_type);
    if (g->last_heap_type && (g->last_heap_type == orma_model_lit(imp->model, heap_name(2)) ||
                              g->last_heap_type == orma_model_lit(imp->model, heap_name(3))))
        orma_heap_graph_put(imp->model, &g->images, row);
    if (!o.self_size)
        orma_heap_graph_put(imp->model, &g->unsized, row);
    if (o.refs_num)
        add_references(imp, g, row, &o, r);
    if (o.has_values)
        add_values(imp, row, r);
    if (o.has_registry_size) {
        orma_heap_graph_put(imp->model, &g->registry, row);
        orma_heap_graph_put(imp->model, &g->registry, (uint64_t)o.registry_size);
    }
}

/* ---- types, names, roots ---- */

static const char *kind_name(uint64_t kind)
{
    static const char *const names[] = {"KIND_UNKNOWN",
                                        "KIND_NORMAL",
                                        "KIND_NOREFERENCES",
                                        "KIND_STRING",
                                        "KIND_ARRAY",
                                        "KIND_CLASS",
                                        "KIND_CLASSLOADER",
                                        "KIND_DEXCACHE",
                                        "KIND_SOFT_REFERENCE",
                                        "KIND_WEAK_REFERENCE",
                                        "KIND_FINALIZER_REFERENCE",
                                        "KIND_PHANTOM_REFERENCE"};

    return names[kind < ORMA_ARRAY_LEN(names) ? kind : 0];
}

static void add_type(struct orma_import_ctx *imp, struct orma_heap_graph *g,
                     struct orma_pb_reader r)
{
    struct orma_heap_type *t = orma_heap_graph_new_type(imp->model, g);
    struct orma_pb_reader again = r;
    struct orma_pb_field f;
    uint64_t kind = 0;

    if (!t)
        return;
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_HEAP_GRAPH_TYPE_ID:
            t->id = orma_pb_u64(&f);
            break;
        case ORMA_PB_HEAP_GRAPH_TYPE_LOCATION_ID:
            t->location = orma_pb_u64(&f);
            t->has_location = true;
            break;
        case ORMA_PB_HEAP_GRAPH_TYPE_CLASS_NAME:
            t->name = orma_model_str(imp->model, orma_pb_str(&f));
            break;
        case ORMA_PB_HEAP_GRAPH_TYPE_OBJECT_SIZE:
            t->object_size = orma_pb_u64(&f);
            break;
        case ORMA_PB_HEAP_GRAPH_TYPE_SUPERCLASS_ID:
            t->superclass = orma_pb_u64(&f);
            break;
        case ORMA_PB_HEAP_GRAPH_TYPE_KIND:
            kind = orma_pb_u64(&f);
            break;
        case ORMA_PB_HEAP_GRAPH_TYPE_CLASSLOADER_ID:
            t->classloader = orma_pb_u64(&f);
            break;
        }
    }
    t->kind = orma_model_cstr(imp->model, kind_name(kind));
    t->fields_first = g->type_fields.len;
    collect(imp, again, ORMA_PB_HEAP_GRAPH_TYPE_REFERENCE_FIELD_ID, &g->type_fields);
    t->fields_num = g->type_fields.len - t->fields_first;
}

static struct orma_str read_string(struct orma_pb_reader r, uint64_t *ret_iid)
{
    struct orma_str text = {"", 0};
    struct orma_pb_field f;

    *ret_iid = 0;
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_INTERNED_STRING_IID)
            *ret_iid = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_INTERNED_STRING_STR)
            text = orma_pb_str(&f);
    }
    return text;
}

/* "type name" or just "name". */
static void add_field_name(struct orma_import_ctx *imp, struct orma_heap_graph *g,
                           struct orma_pb_reader r)
{
    uint64_t iid;
    struct orma_str name = read_string(r, &iid), type = {"", 0};

    if (name.len && memchr(name.data, ' ', name.len))
        orma_str_cut(&name, ' ', &type);
    put(imp, &g->fields, iid,
        orma_model_str(imp->model, name) |
            (uint64_t)(type.len ? orma_model_str(imp->model, type) : 0) << 32);
}

static void add_location(struct orma_import_ctx *imp, struct orma_heap_graph *g,
                         struct orma_pb_reader r)
{
    uint64_t iid;
    struct orma_str text = read_string(r, &iid);

    put(imp, &g->locations, iid, orma_model_str(imp->model, text));
}

static const char *root_name(uint64_t type)
{
    static const char *const names[] = {
        "ROOT_UNKNOWN",           "ROOT_JNI_GLOBAL",      "ROOT_JNI_LOCAL",    "ROOT_JAVA_FRAME",
        "ROOT_NATIVE_STACK",      "ROOT_STICKY_CLASS",    "ROOT_THREAD_BLOCK", "ROOT_MONITOR_USED",
        "ROOT_THREAD_OBJECT",     "ROOT_INTERNED_STRING", "ROOT_FINALIZING",   "ROOT_DEBUGGER",
        "ROOT_REFERENCE_CLEANUP", "ROOT_VM_INTERNAL",     "ROOT_JNI_MONITOR"};

    return names[type < ORMA_ARRAY_LEN(names) ? type : 0];
}

static void add_roots(struct orma_import_ctx *imp, struct orma_heap_graph *g,
                      struct orma_pb_reader r)
{
    struct orma_heap_graph_list ids = {0};
    struct orma_pb_reader again = r;
    struct orma_pb_field f;
    uint32_t type = 0;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_HEAP_GRAPH_ROOT_ROOT_TYPE)
            type = orma_model_cstr(imp->model, root_name(orma_pb_u64(&f)));
    collect(imp, again, ORMA_PB_HEAP_GRAPH_ROOT_OBJECT_IDS, &ids);
    for (size_t i = 0; i < ids.len; i++) {
        orma_heap_graph_put(imp->model, &g->roots, ids.data[i]);
        orma_heap_graph_put(imp->model, &g->roots,
                            type ? type : orma_model_cstr(imp->model, root_name(0)));
    }
    ORMA_VEC_FINI(&ids);
}

/* ---- packets ---- */

static struct orma_heap_graph *graph_of(struct orma_import_ctx *imp,
                                        struct orma_profile_heap_graphs *st,
                                        const struct orma_item *item, uint64_t key)
{
    struct orma_heap_graph *g = orma_map_get_ptr(&st->graphs, key);

    if (g)
        return g;
    g = calloc(1, sizeof(*g));
    if (!g || orma_map_put_ptr(&st->graphs, key, g)) {
        free(g);
        imp->model->storage->failed = true;
        return NULL;
    }
    g->machine = item->machine;
    return g;
}

/* False: the packet belongs to another graph, but the one before is not complete. */
static bool check_header(struct orma_import_ctx *imp, struct orma_heap_graph *g,
                         const struct orma_item *item)
{
    struct orma_stats *stats = orma_model_stats(imp->model, g->machine);
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    uint64_t pid = 0, index = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_HEAP_GRAPH_PID)
            pid = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_HEAP_GRAPH_INDEX)
            index = orma_pb_u64(&f);
    }
    uint32_t upid =
        orma_processes_process(orma_model_processes(imp->model, g->machine), (uint32_t)pid);
    if (g->has_index ? index != g->index + 1 : index != 0) {
        g->truncated = true;
        orma_stats_add_at(stats, ORMA_STAT_HEAP_GRAPH_MISSING_PACKET,
                          (int32_t)(g->begun ? g->upid : upid), 1);
    }
    g->has_index = true;
    g->index = index;
    if (g->begun && (g->upid != upid || g->ts != item->ts)) {
        orma_stats_inc(stats, ORMA_STAT_HEAP_GRAPH_NON_FINALIZED_GRAPH);
        return false;
    }
    g->begun = true;
    g->upid = upid;
    g->ts = item->ts;
    return true;
}

/* A graph that has got its last packet: others of its sequence may follow. */
static void set_complete(struct orma_profile_heap_graphs *st, uint64_t key,
                         struct orma_heap_graph *g)
{
    if (!st->complete)
        st->complete_last = &st->complete;
    *st->complete_last = g;
    st->complete_last = &g->next;
    orma_map_take(&st->graphs, key);
}

/* What is left for the second half: the graph, and bits that its address leaves free. */
enum { READ = 1, LAST = 2, REST_BITS = 3 };

static bool has_objects(const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_HEAP_GRAPH_OBJECTS)
            return true;
    return false;
}

/* Heads of packets: processes and times of graphs, and what is missing. */
static bool glance(struct orma_import_ctx *imp, struct orma_item *item)
{
    struct orma_profile_heap_graphs *st =
        orma_model_lazy(imp->model, (void **)&orma_profile(imp)->heap_graphs, sizeof(*st));
    uint64_t key = (uint64_t)item->machine << 32 | (item->gen ? item->gen->seq->id : 0);
    struct orma_heap_graph *g = st ? graph_of(imp, st, item, key) : NULL;
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    bool continued = false;

    if (!g)
        return false;
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_HEAP_GRAPH_CONTINUED)
            continued = orma_pb_bool(&f);
    bool reads = check_header(imp, g, item);
    if (reads && !g->has_rows && has_objects(item)) {
        g->has_rows = true;
        orma_storage_expect_time(imp->model->storage, g->ts);
    }
    if (!continued)
        set_complete(st, key, g);
    /* Types can make objects, too: of a graph that has no others they are not known in time. */
    if (!continued && !g->has_rows)
        orma_import_late_attach(imp, ORMA_FAMILY_HEAP_GRAPH);
    item->aux = (uintptr_t)g | (reads ? READ : 0) | (continued ? 0 : LAST);
    return true;
}

/* False: stopped. */
static bool read_packet(struct orma_import_ctx *imp, struct orma_heap_graph *g,
                        const struct orma_item *item)
{
    struct orma_pb_field f;

    if (!g->stopped.in_packet)
        g->stopped.rest = orma_pb_reader(item->data, item->len);
    for (g->stopped.in_packet = true; orma_pb_next(&g->stopped.rest, &f);) {
        switch (f.id) {
        case ORMA_PB_HEAP_GRAPH_OBJECTS:
            add_object(imp, g, orma_pb_sub(&f));
            break;
        case ORMA_PB_HEAP_GRAPH_ROOTS:
            add_roots(imp, g, orma_pb_sub(&f));
            break;
        case ORMA_PB_HEAP_GRAPH_TYPES:
            add_type(imp, g, orma_pb_sub(&f));
            break;
        case ORMA_PB_HEAP_GRAPH_FIELD_NAMES:
            add_field_name(imp, g, orma_pb_sub(&f));
            break;
        case ORMA_PB_HEAP_GRAPH_LOCATION_NAMES:
            add_location(imp, g, orma_pb_sub(&f));
            break;
        case ORMA_PB_HEAP_GRAPH_HEAP_BYTES_ALLOCATED:
            g->size = orma_pb_i64(&f);
            g->has_size = true;
            break;
        }
        if (++g->stopped.entries % ENTRIES_PER_LOOK == 0 &&
            orma_storage_should_stop(imp->model->storage))
            return false;
    }
    g->stopped.in_packet = false;
    return true;
}

static bool parse_late(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_profile_heap_graphs *st = orma_profile(imp)->heap_graphs;
    struct orma_heap_graph *g =
        (struct orma_heap_graph *)(uintptr_t)(item->aux & ~(uint64_t)REST_BITS);

    if (item->aux & READ && !g->stopped.is_read && !read_packet(imp, g, item))
        return false;
    if (!(item->aux & LAST))
        return true;
    g->stopped.is_read = true;
    if (!orma_heap_graph_finish(imp->model, g))
        return false;
    ORMA_ASSERT(st->complete == g); /* last packets come in the same order again */
    st->complete = g->next;
    orma_heap_graph_free(g);
    return true;
}

void orma_profile_heap_deobfuscate(struct orma_import_ctx *imp, struct orma_str bytes)
{
    struct orma_profile_heap_graphs *st =
        orma_model_lazy(imp->model, (void **)&orma_profile(imp)->heap_graphs, sizeof(*st));

    if (st)
        orma_profile_heap_names_add(imp, &st->names, bytes);
}

static void free_graphs(struct orma_profile_heap_graphs *st)
{
    ORMA_MAP_EACH (slot, &st->graphs)
        orma_heap_graph_free((struct orma_heap_graph *)(uintptr_t)slot->val);
    orma_map_fini(&st->graphs);
    while (st->complete) {
        struct orma_heap_graph *g = st->complete;

        st->complete = g->next;
        orma_heap_graph_free(g);
    }
    ORMA_VEC_FINI(&st->names.list);
}

static bool finish_late(struct orma_import_ctx *imp)
{
    struct orma_profile_heap_graphs *st = orma_profile(imp)->heap_graphs;

    if (!st)
        return true;
    if (!orma_profile_heap_names_apply(imp, &st->names))
        return false;
    ORMA_MAP_EACH (slot, &st->graphs) {
        const struct orma_heap_graph *g = (const struct orma_heap_graph *)(uintptr_t)slot->val;

        orma_stats_inc(orma_model_stats(imp->model, g->machine),
                       ORMA_STAT_HEAP_GRAPH_NON_FINALIZED_GRAPH);
    }
    free_graphs(st);
    return true;
}

static void fini(struct orma_import_ctx *imp)
{
    if (orma_profile(imp)->heap_graphs)
        free_graphs(orma_profile(imp)->heap_graphs);
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_HEAP_GRAPH, 0};

const struct orma_importer orma_profile_heap_graph_importer = {
    .name = "heap_graph",
    .fields = fields,
    .family = ORMA_FAMILY_HEAP_GRAPH,
    .glance = glance,
    .parse_late = parse_late,
    .finish_late = finish_late,
    .fini = fini,
};
