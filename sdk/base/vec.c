#include "sdk/base/vec.h"

#include <errno.h>

#define FIRST_CAP 4

/* The new capacity, or 0. `array` is the address of a pointer to any type: hence memcpy. */
static size_t grow(void *array, size_t cap, size_t need, size_t elem_size, size_t max)
{
    size_t bytes;
    void *data;

    ORMA_ASSERT_HOT(need > cap);
    cap = cap > max / 2 ? max : ORMA_MAX(cap * 2, (size_t)FIRST_CAP);
    cap = ORMA_MAX(cap, need);
    if (cap > max || __builtin_mul_overflow(cap, elem_size, &bytes))
        return 0;
    memcpy(&data, array, sizeof(data));
    data = realloc(data, bytes);
    if (!data)
        return 0;
    memcpy(array, &data, sizeof(data));
    return cap;
}

int orma_grow_size(void *array, size_t *ret_cap, size_t need, size_t elem_size)
{
    size_t cap = grow(array, *ret_cap, need, elem_size, SIZE_MAX);

    return cap ? (int)(*ret_cap = cap, 0) : -ENOMEM;
}

int orma_grow_u32(void *array, uint32_t *ret_cap, size_t need, size_t elem_size)
{
    size_t cap = grow(array, *ret_cap, need, elem_size, UINT32_MAX);

    return cap ? (int)(*ret_cap = (uint32_t)cap, 0) : -ENOMEM;
}
