/*
 * Heap graphs: all objects of a managed heap at a moment, and who refers to whom.
 *
 * A graph takes several packets (`continued`). Objects are rows as soon as anybody mentions
 * them; names and sizes that types give come last, so everything else waits for the end of the
 * graph (heap_graph_finish.c): fields of references, what roots reach, what objects hold outside
 * of the heap.
 */
#ifndef ORMA_PROCESSOR_MODEL_HEAP_GRAPH_H
#define ORMA_PROCESSOR_MODEL_HEAP_GRAPH_H
#include "processor/model/model.h"
#include "sdk/base/vec.h"
#include "sdk/wire/pb_reader.h"

/* Numbers or tuples of numbers, one behind the other. */
ORMA_VEC_STRUCT(orma_heap_graph_list, uint64_t);

static inline void orma_heap_graph_put(struct orma_model *model, struct orma_heap_graph_list *list,
                                       uint64_t val)
{
    if (ORMA_UNLIKELY(ORMA_VEC_PUSH(list, val)))
        model->storage->failed = true;
}

struct orma_heap_type {
    uint64_t id, location, superclass, classloader;
    uint64_t object_size;
    uint32_t name, kind;             /* pool ids */
    size_t fields_first, fields_num; /* in `type_fields` */
    bool has_location;
};

/* A graph that is being read: one for each sequence. Heads of packets may be read long before the
 * rest of them. */
struct orma_heap_graph {
    struct orma_heap_graph *next; /* of those whose last packet has come */
    bool has_rows;                /* a packet of it has objects */
    /* Where reading was stopped: inside of a packet, or behind the last one and at element `at` of
     * a step of the end. */
    struct {
        struct orma_pb_reader rest;
        bool in_packet, is_read;
        unsigned step;
        size_t at;
        uint64_t entries;
    } stopped;
    uint16_t machine;
    bool begun, has_index, truncated;
    uint32_t upid;
    int64_t ts;
    uint64_t index, last_id;
    bool has_size;
    int64_t size;                     /* bytes in use by the heap, if has_size */
    uint32_t last_heap_type;          /* pool id, 0: not told */
    struct orma_map objects, classes; /* id → row */
    struct orma_map fields;    /* iid → name, a pool id, and that of the type above bit 32 */
    struct orma_map locations; /* iid → pool id */
    struct orma_heap_type *types;
    size_t types_num, types_cap;
    struct orma_heap_graph_list type_fields;
    struct orma_heap_graph_list roots;    /* (object id, type as pool id), in packet order */
    struct orma_heap_graph_list images;   /* rows of objects of the images that processes share */
    struct orma_heap_graph_list named;    /* (row of a reference, iid of its field) */
    struct orma_heap_graph_list by_type;  /* rows of objects whose fields are those of their type */
    struct orma_heap_graph_list unsized;  /* rows of objects whose size is that of their type */
    struct orma_heap_graph_list registry; /* (row of an object, its size field) */
    /* Of its end. */
    struct {
        uint32_t *types_by_row;            /* of classes: index + 1, 0: not told */
        bool lacks_types;                  /* a type is not told that is needed */
        struct orma_heap_graph_list queue; /* objects that are reached */
        struct orma_map registry_by_object;
        uint32_t cleaner; /* the name of the class that keeps native memory; 0: there is none */
    } end;
};

/* The row of the object of that id, made if it is new. */
uint32_t orma_heap_graph_object(struct orma_model *model, struct orma_heap_graph *g, uint64_t id);
uint32_t orma_heap_graph_class(struct orma_model *model, struct orma_heap_graph *g, uint64_t id);

/* A row that says that `owner` refers to `owned`; 0: to nothing. The field has no name yet. */
uint32_t orma_heap_graph_reference(struct orma_model *model, struct orma_heap_graph *g,
                                   uint32_t set, uint32_t owner, uint64_t owned);

/* A type that is all zero; NULL when memory is out. */
struct orma_heap_type *orma_heap_graph_new_type(struct orma_model *model,
                                                struct orma_heap_graph *g);

void orma_heap_graph_free(struct orma_heap_graph *g);

/* The graph is complete. False: stopped (orma_storage_should_stop()); it goes on there when it is
 * called again. heap_graph_finish.c */
bool orma_heap_graph_finish(struct orma_model *model, struct orma_heap_graph *g);

#endif
