/* Objects, classes, types and references of a heap graph, as rows. */
#include "processor/model/heap_graph.h"
#include "sdk/base/vec.h"

#include <stdlib.h>

void orma_heap_graph_free(struct orma_heap_graph *g)
{
    orma_map_fini(&g->objects);
    orma_map_fini(&g->classes);
    orma_map_fini(&g->fields);
    orma_map_fini(&g->locations);
    ORMA_VEC_FINI(&g->type_fields);
    ORMA_VEC_FINI(&g->roots);
    ORMA_VEC_FINI(&g->images);
    ORMA_VEC_FINI(&g->named);
    ORMA_VEC_FINI(&g->by_type);
    ORMA_VEC_FINI(&g->unsized);
    ORMA_VEC_FINI(&g->registry);
    ORMA_VEC_FINI(&g->end.queue);
    orma_map_fini(&g->end.registry_by_object);
    free(g->end.types_by_row);
    free(g->types);
    free(g);
}

static void put(struct orma_model *model, struct orma_map *map, uint64_t key, uint64_t val)
{
    model->storage->failed |= orma_map_put(map, key, val) < 0;
}

uint32_t orma_heap_graph_object(struct orma_model *model, struct orma_heap_graph *g, uint64_t id)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_HEAP_GRAPH_OBJECT);
    uint64_t have = orma_map_get(&g->objects, id);

    if (have != ORMA_MAP_NONE)
        return (uint32_t)have;
    uint32_t row = orma_table_add(t);
    orma_table_set(t, ORMA_HEAP_GRAPH_OBJECT_UPID, row, g->upid);
    orma_table_set(t, ORMA_HEAP_GRAPH_OBJECT_GRAPH_SAMPLE_TS, row, g->ts);
    orma_table_set(t, ORMA_HEAP_GRAPH_OBJECT_SELF_SIZE, row, -1);
    orma_table_set(t, ORMA_HEAP_GRAPH_OBJECT_NATIVE_SIZE, row, 0);
    orma_table_set(t, ORMA_HEAP_GRAPH_OBJECT_REACHABLE, row, 0);
    orma_table_set(t, ORMA_HEAP_GRAPH_OBJECT_TYPE_ID, row, 0);
    orma_table_set(t, ORMA_HEAP_GRAPH_OBJECT_ROOT_DISTANCE, row, -1);
    put(model, &g->objects, id, row);
    return row;
}

uint32_t orma_heap_graph_class(struct orma_model *model, struct orma_heap_graph *g, uint64_t id)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_HEAP_GRAPH_CLASS);
    uint64_t have = orma_map_get(&g->classes, id);

    if (have != ORMA_MAP_NONE)
        return (uint32_t)have;
    uint32_t row = orma_table_add(t);
    put(model, &g->classes, id, row);
    return row;
}

/* A reference to nothing (a field that is not set) is a row, too. */
uint32_t orma_heap_graph_reference(struct orma_model *model, struct orma_heap_graph *g,
                                   uint32_t set, uint32_t owner, uint64_t owned)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_HEAP_GRAPH_REFERENCE);
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_HEAP_GRAPH_REFERENCE_REFERENCE_SET_ID, row, set);
    orma_table_set(t, ORMA_HEAP_GRAPH_REFERENCE_OWNER_ID, row, owner);
    if (owned)
        orma_table_set(t, ORMA_HEAP_GRAPH_REFERENCE_OWNED_ID, row,
                       orma_heap_graph_object(model, g, owned));
    return row;
}

struct orma_heap_type *orma_heap_graph_new_type(struct orma_model *model, struct orma_heap_graph *g)
{
    if (ORMA_GROW(&g->types, &g->types_cap, g->types_num + (size_t)1)) {
        model->storage->failed = true;
        return NULL;
    }
    g->types[g->types_num] = (struct orma_heap_type){0};
    return &g->types[g->types_num++];
}
