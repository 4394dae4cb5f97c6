/*
 * Puts items in the order of their rows, and of their times within: a counting sort by rows. What
 * tables hold is in the order of times already, so rows are rarely sorted any further.
 */
#include <errno.h>
#include <string.h>

#include "processor/view/view_impl.h"

int orma_view_grow(void *array, uint32_t *ret_cap, size_t need, size_t size)
{
    const size_t cap = ORMA_MAX(need, *ret_cap + (size_t)*ret_cap / 2 + 4);
    void *data;

    if (need > UINT32_MAX || size > SIZE_MAX / UINT32_MAX)
        return -ENOMEM;
    memcpy(&data, array, sizeof(data)); /* a pointer to any type */
    data = orma_large_resize(data, ORMA_MIN(cap, (size_t)UINT32_MAX) * size);
    if (!data)
        return -ENOMEM;
    memcpy(array, &data, sizeof(data));
    *ret_cap = (uint32_t)ORMA_MIN(cap, (size_t)UINT32_MAX);
    return 0;
}

static int64_t time_of(const void *item)
{
    int64_t ret;

    memcpy(&ret, item, sizeof(ret));
    return ret;
}

int orma_view_compare_items(const void *a, const void *b)
{
    if (orma_view_row_of_item(a) != orma_view_row_of_item(b))
        return orma_view_row_of_item(a) < orma_view_row_of_item(b) ? -1 : 1;
    return time_of(a) != time_of(b) ? (time_of(a) < time_of(b) ? -1 : 1) : 0;
}

int orma_view_compare_slices(const void *left, const void *right)
{
    const struct orma_view_slice *a = left, *b = right;
    int order = orma_view_compare_items(a, b);

    if (order)
        return order;
    return a->depth != b->depth ? (a->depth < b->depth ? -1 : 1)
           : a->id < b->id      ? -1
                                : a->id > b->id;
}

static bool is_ordered(const char *items, uint32_t len, size_t size, orma_view_compare *compare)
{
    for (uint32_t i = 1; i < len; i++) {
        if (compare(items + (i - 1) * size, items + i * size) > 0)
            return false;
    }
    return true;
}

static void *sort(void *items, uint32_t len, size_t size, orma_view_compare *compare)
{
    if (!is_ordered(items, len, size, compare))
        qsort(items, len, size, compare);
    return items;
}

void *orma_view_order(struct orma_view *self, void *items, uint32_t *ret_cap, uint32_t len,
                      size_t size, orma_view_compare *compare)
{
    uint32_t rows = self->rows.len, *ends;
    const char *from = items;
    char *to;

    if (len < rows || is_ordered(items, len, size, compare))
        return sort(items, len, size, compare);
    to = orma_large_alloc(len * size);
    ends = calloc(rows + 1, sizeof(*ends)); /* of the row before, then of the row */
    if (!to || !ends) {
        orma_large_free(to);
        free(ends);
        return sort(items, len, size, compare); /* takes longer, and may need no memory */
    }
    for (uint32_t i = 0; i < len; i++)
        ends[orma_view_row_of_item(from + i * size) + 1]++;
    for (uint32_t i = 0; i < rows; i++)
        ends[i + 1] += ends[i];
    for (uint32_t i = 0; i < len; i++)
        memcpy(to + ends[orma_view_row_of_item(from + i * size)]++ * size, from + i * size, size);
    for (uint32_t i = 0, at = 0; i < rows; at = ends[i++])
        (void)sort(to + at * size, ends[i] - at, size, compare);
    free(ends);
    orma_large_free(items);
    *ret_cap = len;
    return to;
}
