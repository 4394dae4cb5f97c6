/* Events of a file in order of time: what writers leave behind is made of long runs. */
#include <stdlib.h>
#include <string.h>

#include "processor/import/core/file.h"
#include "sdk/base/search.h"

static inline bool is_before(const struct orma_file_event *a, const struct orma_file_event *b,
                             bool by_key)
{
    if (a->ts != b->ts)
        return a->ts < b->ts;
    if (by_key && a->key != b->key)
        return a->key < b->key;
    return a->index < b->index;
}

static int by_time(const void *a, const void *b)
{
    return is_before(a, b, false) ? -1 : is_before(b, a, false);
}

static int by_time_and_key(const void *a, const void *b)
{
    return is_before(a, b, true) ? -1 : is_before(b, a, true);
}

/* The end of the run that begins at `from`: what is in order already, or in the opposite one, which
 * is turned round. */
static uint32_t take_run(struct orma_file_event *list, uint32_t from, uint32_t num, bool by_key)
{
    uint32_t to = from + 1;

    if (to == num || !is_before(&list[to], &list[from], by_key)) {
        while (to < num && !is_before(&list[to], &list[to - 1], by_key))
            to++;
        return to;
    }
    while (to < num && is_before(&list[to], &list[to - 1], by_key))
        to++;
    for (uint32_t a = from, b = to - 1; a < b; a++, b--) {
        struct orma_file_event event = list[a];

        list[a] = list[b];
        list[b] = event;
    }
    return to;
}

/* Runs [from, mid) and [mid, to) become one. Events of several threads are a little out of order
 * all the time: then most of both runs is in place already. */
static void merge_runs(struct orma_file_event *list, struct orma_file_event *copy, uint32_t from,
                       uint32_t mid, uint32_t to, bool by_key)
{
    from = ORMA_PARTITION_POINT(i, from, mid, !is_before(&list[mid], &list[i], by_key));
    if (from == mid)
        return;
    to = ORMA_PARTITION_POINT(i, mid, to, is_before(&list[i], &list[mid - 1], by_key));
    struct orma_file_event *out = list + from;
    const struct orma_file_event *x = copy, *x_end = copy + (mid - from), *y = list + mid,
                                 *y_end = list + to;

    memcpy(copy, list + from, (mid - from) * sizeof(*copy));
    while (x < x_end && y < y_end)
        *out++ = is_before(y, x, by_key) ? *y++ : *x++;
    memcpy(out, x, (size_t)(x_end - x) * sizeof(*x)); /* what is left of the others is in place */
}

/* As many as there can be while each is more than twice as long as the one behind it. */
#define RUNS_MAX 34

/*
 * Merges the runs that are there already: writers go over one thread after the other, or backwards,
 * or sort by something else, so the runs are mostly long. A run is merged with the one before it as
 * soon as that is at most twice as long, so each event takes part in few merges.
 */
static void sort_runs(struct orma_file_event *list, struct orma_file_event *copy, uint32_t num,
                      bool by_key)
{
    uint32_t begins[RUNS_MAX], runs = 0;

    for (uint32_t to = 0; to < num || runs > 1;) {
        const bool at_end = to == num;

        if (!at_end) {
            begins[runs++] = to;
            to = take_run(list, to, num, by_key);
        }
        while (runs > 1) {
            uint32_t mid = begins[runs - 1], from = begins[runs - 2];

            if (!at_end && mid - from > 2 * (uint64_t)(to - mid) && runs < RUNS_MAX)
                break;
            merge_runs(list, copy, from, mid, to, by_key);
            runs--;
        }
    }
}

void orma_file_sort(struct orma_file_events *self)
{
    uint32_t from = 0, to = self->ordered;

    while (from < to) {
        uint32_t mid = from + (to - from) / 2;

        if (self->list[mid].ts < self->back_to)
            from = mid + 1;
        else
            to = mid;
    }
    struct orma_file_event *list = self->list + from, *copy;
    const uint32_t num = self->num - from;
    copy = malloc(num * sizeof(*copy));
    if (copy)
        sort_runs(list, copy, num, self->strict);
    else
        qsort(list, num, sizeof(*list), self->strict ? by_time_and_key : by_time);
    free(copy);
}
