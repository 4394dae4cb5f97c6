/*
 * Heap dumps of Java runtimes ("JAVA PROFILE 1.0.x"), as OpenJDK and ART write them.
 *
 * A dump is read twice: hprof.c collects texts, classes and where arrays are; then
 * hprof_objects.c makes the objects of a heap graph (model/heap_graph.h). What graphs of packets
 * do not have: values of fields, and contents of arrays, which go to storage->arrays in the
 * order of bytes of the file (large ends first), each with the type of its elements as tag.
 *
 * Numbers are big endian, ids have 4 or 8 bytes. All readers check their bounds: the dump may be
 * hostile.
 */
#ifndef ORMA_PROCESSOR_IMPORT_FORMATS_HPROF_H
#define ORMA_PROCESSOR_IMPORT_FORMATS_HPROF_H
#include "processor/import/core/file.h"
#include "processor/model/heap_graph.h"

/* Types of fields and elements. */
enum orma_hprof_type {
    ORMA_HPROF_OBJECT = 2,
    ORMA_HPROF_BOOLEAN = 4,
    ORMA_HPROF_CHAR,
    ORMA_HPROF_FLOAT,
    ORMA_HPROF_DOUBLE,
    ORMA_HPROF_BYTE,
    ORMA_HPROF_SHORT,
    ORMA_HPROF_INT,
    ORMA_HPROF_LONG,
};

struct orma_hprof_reader {
    const uint8_t *pos, *end;
    unsigned id_bytes;
    bool failed; /* sticky; what is read then is 0 */
};

struct orma_hprof_field {
    uint32_t name; /* pool id, with the class in front */
    uint8_t type;
    uint64_t value; /* of static ones */
};

struct orma_hprof_class {
    uint64_t id, super;
    uint32_t name; /* pool id */
    uint32_t up;   /* nearest class above it that has fields, its index + 1; 0: none */
    const char *kind; /* of what is derived from it; NULL: not known yet */
    uint32_t instance_size;
    size_t fields, fields_num, statics, statics_num; /* in `fields` of the dump */
};

struct orma_hprof {
    struct orma_file *file;
    struct orma_import_ctx *imp;
    unsigned id_bytes;
    int64_t ts;
    struct orma_map strings;     /* id → pool id */
    struct orma_map class_names; /* id of the class → id of the string */
    struct orma_map classes;     /* id → index */
    struct orma_map arrays;      /* id of an array of values → address of what follows its id */
    struct orma_hprof_class *list;
    size_t list_num, list_cap;
    struct orma_hprof_field *fields;
    size_t fields_num, fields_cap;
    struct orma_heap_graph *graph;
    const uint8_t *end; /* of the file */
    bool open;          /* segments of a heap dump, and nothing behind them that ends it */
    uint32_t field_sets;
};

uint64_t orma_hprof_number(struct orma_hprof_reader *r, unsigned bytes);
void orma_hprof_skip(struct orma_hprof_reader *r, uint64_t bytes);

/* 0: no such type. */
unsigned orma_hprof_size(const struct orma_hprof *h, uint8_t type);
const char *orma_hprof_type_name(uint8_t type);

static inline uint64_t orma_hprof_id(struct orma_hprof_reader *r)
{
    return orma_hprof_number(r, r->id_bytes);
}

/* NULL: unknown. */
const struct orma_hprof_class *orma_hprof_class_of(const struct orma_hprof *h, uint64_t id);

/* Objects, from behind the tag: hprof_objects.c */
void orma_hprof_instance(struct orma_hprof *h, struct orma_hprof_reader *r);
void orma_hprof_object_array(struct orma_hprof *h, struct orma_hprof_reader *r);
void orma_hprof_value_array(struct orma_hprof *h, struct orma_hprof_reader *r, bool has_data);
void orma_hprof_class_object(struct orma_hprof *h, const struct orma_hprof_reader *r,
                             const struct orma_hprof_class *c);

/* A part that the dump means and no row has; `r` is where it is read. */
void orma_hprof_lacks(struct orma_hprof *h, const char *kind, const struct orma_hprof_reader *r);

/* Types of the graph: names and kinds. */
void orma_hprof_put_types(struct orma_hprof *h);
#endif
