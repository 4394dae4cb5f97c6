/* Heap dumps of Java: numbers, sizes and types, as their records have them, and what these lack. */
#include "processor/import/formats/hprof.h"

uint64_t orma_hprof_number(struct orma_hprof_reader *r, unsigned bytes)
{
    uint64_t val = 0;

    if (r->failed || (size_t)(r->end - r->pos) < bytes) {
        r->failed = true;
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++)
        val = val << 8 | *r->pos++;
    return val;
}

void orma_hprof_skip(struct orma_hprof_reader *r, uint64_t bytes)
{
    if (r->failed || (uint64_t)(r->end - r->pos) < bytes)
        r->failed = true;
    else
        r->pos += bytes;
}

unsigned orma_hprof_size(const struct orma_hprof *h, uint8_t type)
{
    static const uint8_t sizes[] = {
        [ORMA_HPROF_BOOLEAN] = 1, [ORMA_HPROF_CHAR] = 2, [ORMA_HPROF_FLOAT] = 4,
        [ORMA_HPROF_DOUBLE] = 8,  [ORMA_HPROF_BYTE] = 1, [ORMA_HPROF_SHORT] = 2,
        [ORMA_HPROF_INT] = 4,     [ORMA_HPROF_LONG] = 8};

    if (type == ORMA_HPROF_OBJECT)
        return h->id_bytes;
    return type < ORMA_ARRAY_LEN(sizes) ? sizes[type] : 0;
}

const char *orma_hprof_type_name(uint8_t type)
{
    static const char *const names[] = {
        [ORMA_HPROF_OBJECT] = "object", [ORMA_HPROF_BOOLEAN] = "boolean",
        [ORMA_HPROF_CHAR] = "char",     [ORMA_HPROF_FLOAT] = "float",
        [ORMA_HPROF_DOUBLE] = "double", [ORMA_HPROF_BYTE] = "byte",
        [ORMA_HPROF_SHORT] = "short",   [ORMA_HPROF_INT] = "int",
        [ORMA_HPROF_LONG] = "long"};

    return type < ORMA_ARRAY_LEN(names) && names[type] ? names[type] : "unknown";
}

const struct orma_hprof_class *orma_hprof_class_of(const struct orma_hprof *h, uint64_t id)
{
    uint64_t i = orma_map_get(&h->classes, id);

    return i == ORMA_MAP_NONE ? NULL : &h->list[i];
}

void orma_hprof_lacks(struct orma_hprof *h, const char *kind, const struct orma_hprof_reader *r)
{
    orma_file_part(h->file, ORMA_ACCOUNT_DAMAGED, kind, r->pos);
}
