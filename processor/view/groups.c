/*
 * Fewer slices: runs of short ones in a lane become groups.
 *
 * A slice shorter than q joins the group before it in its lane if the gap between is shorter than
 * q, too, and the group has room; so no gap that could be seen is closed, and whatever lasts q or
 * longer stays as it is. q is as small as it may be for what is left to be few enough. A group
 * keeps how many it stands for, the sum of their durations, and the longest of them with its name.
 */
#include <string.h>

#include "processor/view/view_impl.h"

#define GROUP_MAX 64  /* slices */
#define Q_FIRST 64    /* ns */
#define FINER_STEPS 4 /* halvings of the last doubling */

static void begin_row(struct orma_view_lanes *lanes)
{
    memset(lanes->last, 0xff, lanes->used * sizeof(lanes->last[0]));
    lanes->used = 0;
}

static bool joins(const struct orma_view_slice *group, const struct orma_view_slice *s, int64_t q,
                  bool within)
{
    int64_t gap = s->ts - (group->ts + group->dur);

    if (s->dur < 0 || group->dur < 0 || gap < 0)
        return false;
    if (within)
        return s->ts - group->ts < q && s->ts - group->ts + s->dur < q;
    return s->dur < q && gap < q && (group->count ? group->longest : group->dur) < q &&
           group->count < GROUP_MAX;
}

static void join(struct orma_view_slice *group, const struct orma_view_slice *s)
{
    int64_t longest = s->count ? s->longest : s->dur;

    if (!group->count) {
        group->count = 1;
        group->busy = group->longest = group->dur;
        group->longest_id = group->id;
        group->args = ORMA_VIEW_NONE;
    }
    if (longest > group->longest) {
        group->longest = longest;
        group->longest_id = s->count ? s->longest_id : s->id;
        group->name = s->name;
    }
    group->count += s->count ? s->count : 1;
    group->busy += s->count ? s->busy : s->dur;
    group->dur = s->ts + s->dur - group->ts;
}

uint32_t orma_view_merge(const struct orma_view_slice *from, uint32_t num,
                         struct orma_view_slice *to, struct orma_view_lanes *lanes, int64_t q,
                         bool within)
{
    uint32_t kept = 0, row = ORMA_VIEW_NONE;

    for (const struct orma_view_slice *s = from; s < from + num; s++) {
        if (s->row != row) {
            begin_row(lanes);
            row = s->row;
        }
        if (s->depth < ORMA_VIEW_DEPTH_MAX) {
            uint32_t *last = &lanes->last[s->depth];

            if (*last != ORMA_VIEW_NONE && joins(&to[*last], s, q, within)) {
                join(&to[*last], s);
                continue;
            }
            *last = kept;
            lanes->used = ORMA_MAX(lanes->used, s->depth + 1u);
        }
        to[kept++] = *s;
    }
    return kept;
}

/* The smallest q, or little more, with which so many are left; how many there are then. */
static uint32_t find_width(struct orma_view *self, struct orma_view_slice *to,
                           struct orma_view_lanes *lanes, uint64_t room, int64_t *ret_q)
{
    uint32_t num = self->slices.len, kept;
    int64_t q = Q_FIRST, low;

    while ((kept = orma_view_merge(self->slices.data, num, to, lanes, q, false)) > room &&
           q < INT64_MAX / 4)
        q *= 2;
    low = q / 2;
    for (unsigned i = 0; i < FINER_STEPS; i++) {
        int64_t middle = low + (q - low) / 2;

        if (orma_view_merge(self->slices.data, num, to, lanes, middle, false) > room)
            low = middle;
        else
            q = middle;
    }
    *ret_q = q;
    return orma_view_merge(self->slices.data, num, to, lanes, q, false);
}

/* Slices are in the order of rows and times. */
void orma_view_group_slices(struct orma_view *self, uint64_t room)
{
    struct orma_view_slice *scratch = orma_large_alloc(self->slices.len * sizeof(*scratch) + 1);
    struct orma_view_lanes *lanes = malloc(sizeof(*lanes));

    if (scratch && lanes && self->slices.len > room) {
        lanes->used = ORMA_VIEW_DEPTH_MAX;
        self->slices.len = find_width(self, scratch, lanes, room, &self->totals.group_ns);
        memcpy(self->slices.data, scratch, self->slices.len * sizeof(*scratch));
        for (uint32_t i = 0; i < self->slices.len; i++)
            self->totals.grouped += self->slices.data[i].count;
    }
    orma_large_free(scratch);
    free(lanes);
}
