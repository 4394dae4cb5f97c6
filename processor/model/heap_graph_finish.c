/*
 * The end of a heap graph: what types say is put to objects and references, roots are marked and
 * what they reach, sizes of native memory go to the objects that keep it.
 */
#include <stdlib.h>

#include "processor/model/heap_graph.h"

#define SUPERCLASSES_MAX 256
#define ELEMENTS_PER_LOOK 1024

static bool is_name(const struct orma_model *model, int64_t id, const char *name)
{
    return orma_str_eq(orma_strpool_get(&model->storage->pool, (uint32_t)id), orma_str_from(name));
}

/* The references of an object are the rows from its set on. */
static uint32_t refs_begin(struct orma_model *model, uint32_t object)
{
    const struct orma_table *t = orma_model_table(model, ORMA_TABLE_HEAP_GRAPH_OBJECT);

    return orma_table_is_null(t, ORMA_HEAP_GRAPH_OBJECT_REFERENCE_SET_ID, object)
               ? UINT32_MAX
               : (uint32_t)orma_table_int(t, ORMA_HEAP_GRAPH_OBJECT_REFERENCE_SET_ID, object);
}

static bool refs_more(const struct orma_table *refs, uint32_t begin, uint32_t row)
{
    return row < refs->rows &&
           orma_table_int(refs, ORMA_HEAP_GRAPH_REFERENCE_REFERENCE_SET_ID, row) == begin;
}

/* ---- types ---- */

static void name_field(struct orma_model *model, const struct orma_heap_graph *g, uint32_t ref,
                       uint64_t iid)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_HEAP_GRAPH_REFERENCE);
    uint64_t names = orma_map_get(&g->fields, iid);

    if (names == ORMA_MAP_NONE)
        return;
    orma_table_set(t, ORMA_HEAP_GRAPH_REFERENCE_FIELD_NAME, ref, (uint32_t)names);
    orma_table_set(t, ORMA_HEAP_GRAPH_REFERENCE_FIELD_TYPE_NAME, ref, (int64_t)(names >> 32));
}

static int by_id(const void *a, const void *b)
{
    const struct orma_heap_type *x = a, *y = b;

    return x->id < y->id ? -1 : x->id > y->id;
}

static void put_type(struct orma_model *model, struct orma_heap_graph *g,
                     const struct orma_heap_type *type)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_HEAP_GRAPH_CLASS);
    uint32_t row = orma_heap_graph_class(model, g, type->id);
    uint64_t location =
        type->has_location ? orma_map_get(&g->locations, type->location) : ORMA_MAP_NONE;

    orma_table_set(t, ORMA_HEAP_GRAPH_CLASS_NAME, row, type->name);
    orma_table_set(t, ORMA_HEAP_GRAPH_CLASS_KIND, row, type->kind);
    if (location != ORMA_MAP_NONE)
        orma_table_set(t, ORMA_HEAP_GRAPH_CLASS_LOCATION, row, (int64_t)location);
    else if (type->has_location && type->location)
        orma_stats_add_at(orma_model_stats(model, g->machine),
                          ORMA_STAT_HEAP_GRAPH_INVALID_STRING_ID, (int32_t)g->upid, 1);
    if (type->classloader)
        orma_table_set(t, ORMA_HEAP_GRAPH_CLASS_CLASSLOADER_ID, row,
                       orma_heap_graph_object(model, g, type->classloader));
    if (type->superclass)
        orma_table_set(t, ORMA_HEAP_GRAPH_CLASS_SUPERCLASS_ID, row,
                       orma_heap_graph_class(model, g, type->superclass));
}

static void index_types(struct orma_model *model, struct orma_heap_graph *g)
{
    uint32_t rows = orma_model_table(model, ORMA_TABLE_HEAP_GRAPH_CLASS)->rows;

    g->end.types_by_row = calloc((size_t)rows + 1, sizeof(*g->end.types_by_row));
    model->storage->failed |= !g->end.types_by_row;
    for (size_t i = 0; g->end.types_by_row && i < g->types_num; i++) {
        uint32_t row = orma_heap_graph_class(model, g, g->types[i].id);

        if (row < rows)
            g->end.types_by_row[row] = (uint32_t)i + 1;
    }
}

/* NULL: nobody told it, which is noted. */
static const struct orma_heap_type *type_of(struct orma_model *model, struct orma_heap_graph *g,
                                            uint32_t object)
{
    const struct orma_table *t = orma_model_table(model, ORMA_TABLE_HEAP_GRAPH_OBJECT);
    uint32_t i = g->end.types_by_row[orma_table_int(t, ORMA_HEAP_GRAPH_OBJECT_TYPE_ID, object)];

    g->end.lacks_types |= !i;
    return i ? &g->types[i - 1] : NULL;
}

/* Objects of these kinds have no fields of their own: their references are elements, or none. */
static bool has_fields(struct orma_model *model, const struct orma_heap_type *type)
{
    return type->kind != orma_model_lit(model, "KIND_NOREFERENCES") &&
           type->kind != orma_model_lit(model, "KIND_ARRAY") &&
           type->kind != orma_model_lit(model, "KIND_STRING");
}

/* Names the references of an object by the fields of its class, then of those above it. */
static void put_fields(struct orma_model *model, struct orma_heap_graph *g, uint32_t object,
                       const struct orma_heap_type *type)
{
    const struct orma_table *refs = orma_model_table(model, ORMA_TABLE_HEAP_GRAPH_REFERENCE);
    uint32_t begin = refs_begin(model, object), row = begin;

    for (unsigned depth = 0; type && has_fields(model, type) && depth < SUPERCLASSES_MAX; depth++) {
        for (uint32_t i = 0; i < type->fields_num && refs_more(refs, begin, row); i++)
            name_field(model, g, row++, g->type_fields.data[type->fields_first + i]);
        if (!type->superclass || !refs_more(refs, begin, row))
            return;
        uint32_t above = g->end.types_by_row[orma_heap_graph_class(model, g, type->superclass)];
        type = above ? &g->types[above - 1] : NULL;
    }
}

static void step_type(struct orma_model *model, struct orma_heap_graph *g, size_t i)
{
    put_type(model, g, &g->types[i]);
}

static void step_unsized(struct orma_model *model, struct orma_heap_graph *g, size_t i)
{
    const struct orma_heap_type *type = type_of(model, g, (uint32_t)g->unsized.data[i]);

    if (type)
        orma_table_set(orma_model_table(model, ORMA_TABLE_HEAP_GRAPH_OBJECT),
                       ORMA_HEAP_GRAPH_OBJECT_SELF_SIZE, (uint32_t)g->unsized.data[i],
                       (int64_t)type->object_size);
}

static void step_by_type(struct orma_model *model, struct orma_heap_graph *g, size_t i)
{
    const struct orma_heap_type *type = type_of(model, g, (uint32_t)g->by_type.data[i]);

    if (type)
        put_fields(model, g, (uint32_t)g->by_type.data[i], type);
}

static void step_named(struct orma_model *model, struct orma_heap_graph *g, size_t i)
{
    name_field(model, g, (uint32_t)g->named.data[2 * i], g->named.data[2 * i + 1]);
}

static void end_types(struct orma_model *model, struct orma_heap_graph *g)
{
    if (!g->end.lacks_types)
        return;
    g->truncated = true;
    orma_stats_add_at(orma_model_stats(model, g->machine), ORMA_STAT_HEAP_GRAPH_MALFORMED_PACKET,
                      (int32_t)g->upid, 1);
}

/* ---- roots ---- */

/* References that do not keep what they refer to. */
static bool is_weak(struct orma_model *model, uint32_t object)
{
    const struct orma_table *objects = orma_model_table(model, ORMA_TABLE_HEAP_GRAPH_OBJECT);
    const struct orma_table *classes = orma_model_table(model, ORMA_TABLE_HEAP_GRAPH_CLASS);
    int64_t kind =
        orma_table_int(classes, ORMA_HEAP_GRAPH_CLASS_KIND,
                       (uint32_t)orma_table_int(objects, ORMA_HEAP_GRAPH_OBJECT_TYPE_ID, object));

    return is_name(model, kind, "KIND_WEAK_REFERENCE") ||
           is_name(model, kind, "KIND_FINALIZER_REFERENCE") ||
           is_name(model, kind, "KIND_PHANTOM_REFERENCE");
}

/* Breadth first from all roots at once: the first way to an object is a shortest one. */
static void step_reach(struct orma_model *model, struct orma_heap_graph *g, size_t i)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_HEAP_GRAPH_OBJECT);
    const struct orma_table *refs = orma_model_table(model, ORMA_TABLE_HEAP_GRAPH_REFERENCE);
    uint32_t object = (uint32_t)g->end.queue.data[i], begin = refs_begin(model, object);
    int64_t distance = orma_table_int(t, ORMA_HEAP_GRAPH_OBJECT_ROOT_DISTANCE, object) + 1;
    bool weak = refs_more(refs, begin, begin) && is_weak(model, object);

    for (uint32_t row = begin; refs_more(refs, begin, row); row++) {
        if (orma_table_is_null(refs, ORMA_HEAP_GRAPH_REFERENCE_OWNED_ID, row))
            continue;
        uint32_t owned = (uint32_t)orma_table_int(refs, ORMA_HEAP_GRAPH_REFERENCE_OWNED_ID, row);
        int64_t field = orma_table_int(refs, ORMA_HEAP_GRAPH_REFERENCE_FIELD_NAME, row);

        if (orma_table_int(t, ORMA_HEAP_GRAPH_OBJECT_REACHABLE, owned) ||
            (weak && is_name(model, field, "java.lang.ref.Reference.referent")))
            continue;
        orma_table_set(t, ORMA_HEAP_GRAPH_OBJECT_REACHABLE, owned, 1);
        orma_table_set(t, ORMA_HEAP_GRAPH_OBJECT_ROOT_DISTANCE, owned, distance);
        orma_heap_graph_put(model, &g->end.queue, owned);
    }
}

/* Of several roots of an object the one that says most counts; of equal ones the first. */
static unsigned root_rank(struct orma_model *model, int64_t type)
{
    static const char *const first[] = {"ROOT_STICKY_CLASS", "ROOT_JNI_GLOBAL", "ROOT_JNI_LOCAL"};
    unsigned rank = 0;

    while (rank < ORMA_ARRAY_LEN(first) && type != orma_model_lit(model, first[rank]))
        rank++;
    return rank;
}

static void mark_root(struct orma_model *model, struct orma_heap_graph *g, uint32_t row,
                      int64_t type)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_HEAP_GRAPH_OBJECT);

    if (orma_table_int(t, ORMA_HEAP_GRAPH_OBJECT_REACHABLE, row)) {
        if (root_rank(model, type) <
            root_rank(model, orma_table_int(t, ORMA_HEAP_GRAPH_OBJECT_ROOT_TYPE, row)))
            orma_table_set(t, ORMA_HEAP_GRAPH_OBJECT_ROOT_TYPE, row, type);
        return;
    }
    orma_table_set(t, ORMA_HEAP_GRAPH_OBJECT_ROOT_TYPE, row, type);
    orma_table_set(t, ORMA_HEAP_GRAPH_OBJECT_REACHABLE, row, 1);
    orma_table_set(t, ORMA_HEAP_GRAPH_OBJECT_ROOT_DISTANCE, row, 0);
    orma_heap_graph_put(model, &g->end.queue, row);
}

/* Roots as listed, */
static void step_root(struct orma_model *model, struct orma_heap_graph *g, size_t i)
{
    uint64_t object = orma_map_get(&g->objects, g->roots.data[2 * i]);

    if (object != ORMA_MAP_NONE) /* else it is never mentioned */
        mark_root(model, g, (uint32_t)object, (int64_t)g->roots.data[2 * i + 1]);
}

/* and all objects of the images that processes begin with: these never go. */
static void step_image(struct orma_model *model, struct orma_heap_graph *g, size_t i)
{
    mark_root(model, g, (uint32_t)g->images.data[i], orma_model_lit(model, "ROOT_VM_INTERNAL"));
}

/* ---- native memory ---- */

/* The object that a field of that name refers to; ORMA_ROW_NONE. */
static uint32_t field_of(struct orma_model *model, uint32_t object, const char *name)
{
    const struct orma_table *refs = orma_model_table(model, ORMA_TABLE_HEAP_GRAPH_REFERENCE);
    uint32_t begin = refs_begin(model, object);

    for (uint32_t row = begin; refs_more(refs, begin, row); row++) {
        if (!is_name(model, orma_table_int(refs, ORMA_HEAP_GRAPH_REFERENCE_FIELD_NAME, row), name))
            continue;
        return orma_table_is_null(refs, ORMA_HEAP_GRAPH_REFERENCE_OWNED_ID, row)
                   ? ORMA_ROW_NONE
                   : (uint32_t)orma_table_int(refs, ORMA_HEAP_GRAPH_REFERENCE_OWNED_ID, row);
    }
    return ORMA_ROW_NONE;
}

/*
 * Cleaner.referent is the object that keeps the memory; Cleaner.thunk leads to the registry that
 * knows its size. A cleaner that is its own successor has run already.
 */
static void add_native_size(struct orma_model *model, uint32_t cleaner,
                            const struct orma_map *registry)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_HEAP_GRAPH_OBJECT);
    uint32_t referent = field_of(model, cleaner, "java.lang.ref.Reference.referent");
    uint32_t thunk = field_of(model, cleaner, "sun.misc.Cleaner.thunk");

    if (referent == ORMA_ROW_NONE || thunk == ORMA_ROW_NONE ||
        field_of(model, cleaner, "sun.misc.Cleaner.next") == cleaner)
        return;
    uint32_t owner =
        field_of(model, thunk, "libcore.util.NativeAllocationRegistry$CleanerThunk.this$0");
    uint64_t size = owner == ORMA_ROW_NONE ? ORMA_MAP_NONE : orma_map_get(registry, owner);
    if (size == ORMA_MAP_NONE)
        return;
    /* The lowest bit says who allocated it. */
    orma_table_set(
        t, ORMA_HEAP_GRAPH_OBJECT_NATIVE_SIZE, referent,
        (int64_t)((uint64_t)orma_table_int(t, ORMA_HEAP_GRAPH_OBJECT_NATIVE_SIZE, referent) +
                  (size & ~1ull)));
}

static void step_registry(struct orma_model *model, struct orma_heap_graph *g, size_t i)
{
    uint64_t size = g->registry.data[2 * i + 1];

    if (size != ORMA_MAP_NONE) /* else a size below nothing */
        model->storage->failed |=
            orma_map_put(&g->end.registry_by_object, g->registry.data[2 * i], size) < 0;
}

static void step_native_size(struct orma_model *model, struct orma_heap_graph *g, size_t i)
{
    const struct orma_table *classes = orma_model_table(model, ORMA_TABLE_HEAP_GRAPH_CLASS);
    const struct orma_table *t = orma_model_table(model, ORMA_TABLE_HEAP_GRAPH_OBJECT);
    const struct orma_map_slot *slot = &g->objects.slots[i];
    uint32_t row = (uint32_t)slot->val;

    if (slot->val == ORMA_MAP_NONE)
        return;
    uint32_t type = (uint32_t)orma_table_int(t, ORMA_HEAP_GRAPH_OBJECT_TYPE_ID, row);
    if (orma_table_int(classes, ORMA_HEAP_GRAPH_CLASS_NAME, type) == g->end.cleaner)
        add_native_size(model, row, &g->end.registry_by_object);
}

/* ---- all of it ---- */

enum { TYPES, UNSIZED, BY_TYPE, NAMED, ROOTS, IMAGES, REACH, REGISTRY, NATIVE_SIZES, STEPS_NUM };

static void (*const steps[STEPS_NUM])(struct orma_model *, struct orma_heap_graph *, size_t) = {
    [TYPES] = step_type,  [UNSIZED] = step_unsized,   [BY_TYPE] = step_by_type,
    [NAMED] = step_named, [ROOTS] = step_root,        [IMAGES] = step_image,
    [REACH] = step_reach, [REGISTRY] = step_registry, [NATIVE_SIZES] = step_native_size,
};

/* Elements of a step, as far as they are known: to reach objects finds more of them. */
static size_t elements(const struct orma_heap_graph *g)
{
    switch (g->stopped.step) {
    case TYPES:
        return g->types_num;
    case UNSIZED:
        return g->unsized.len;
    case BY_TYPE:
        return g->by_type.len;
    case NAMED:
        return g->named.len / 2;
    case ROOTS:
        return g->roots.len / 2;
    case IMAGES:
        return g->images.len;
    case REACH:
        return g->end.queue.len;
    case REGISTRY:
        return g->registry.len / 2;
    default:
        return g->registry.len && g->end.cleaner ? g->objects.cap : 0;
    }
}

/* What comes before the first element. */
static void begin_step(struct orma_model *model, struct orma_heap_graph *g)
{
    switch (g->stopped.step) {
    case TYPES:
        if (g->types_num)
            qsort(g->types, g->types_num, sizeof(*g->types), by_id);
        break;
    case UNSIZED:
        index_types(model, g);
        break;
    case ROOTS:
        end_types(model, g);
        break;
    case NATIVE_SIZES:
        g->end.cleaner = orma_strpool_find(&model->storage->pool, ORMA_STR("sun.misc.Cleaner"));
        break;
    }
}

/* False: stopped, or out of memory. */
static bool run_step(struct orma_model *model, struct orma_heap_graph *g)
{
    if (!g->stopped.at)
        begin_step(model, g);
    for (; g->stopped.at < elements(g); g->stopped.at++) {
        if (model->storage->failed)
            return false;
        if (g->stopped.at % ELEMENTS_PER_LOOK == ELEMENTS_PER_LOOK - 1 &&
            orma_storage_should_stop(model->storage))
            return false;
        steps[g->stopped.step](model, g, g->stopped.at);
    }
    g->stopped.at = 0;
    g->stopped.step++;
    return !model->storage->failed;
}

bool orma_heap_graph_finish(struct orma_model *model, struct orma_heap_graph *g)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_HEAP_GRAPH);

    if (model->storage->failed || !g->begun)
        return true;
    /* Every object has a class, also those that were only referred to. */
    if (g->objects.slots && !orma_model_table(model, ORMA_TABLE_HEAP_GRAPH_CLASS)->rows)
        (void)orma_heap_graph_class(model, g, 0);
    while (g->stopped.step < STEPS_NUM) {
        if (!run_step(model, g))
            return model->storage->failed;
    }
    uint32_t row = orma_table_add(t);
    orma_table_set_time(t, ORMA_HEAP_GRAPH_TS, row, g->ts);
    orma_table_set(t, ORMA_HEAP_GRAPH_UPID, row, g->upid);
    orma_table_set(t, ORMA_HEAP_GRAPH_TRUNCATED, row, g->truncated);
    if (g->has_size)
        orma_table_set(t, ORMA_HEAP_GRAPH_HEAP_SIZE, row, g->size);
    return true;
}
