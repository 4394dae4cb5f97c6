/*
 * Fewer slices: runs of short ones in a lane become groups.
 *
 * A slice shorter than q joins the group before it in its lane if the gap between is shorter than
 * q, too, and the group has room; so no gap that could be seen is closed, and whatever lasts q or
 * longer stays as it is. q doubles until what is left is few enough. A group keeps how many it
 * stands for, the sum of their durations, and the longest of them with its name.
 */
#include <string.h>

#include "processor/view/view_impl.h"

#define GROUP_MAX 64   /* slices */
#define DEPTH_MAX 1024 /* deeper ones stay alone */
#define Q_FIRST 64     /* ns */

/* The last slice or group of each lane of the row that is being looked at. */
struct lanes {
    uint32_t last[DEPTH_MAX]; /* ORMA_VIEW_NONE: none yet */
    uint32_t used;            /* lanes that are not none */
};

static void begin_row(struct lanes *lanes)
{
    memset(lanes->last, 0xff, lanes->used * sizeof(lanes->last[0]));
    lanes->used = 0;
}

static bool joins(const struct orma_view_slice *group, const struct orma_view_slice *s, int64_t q)
{
    uint32_t count = group->count ? group->count : 1;
    int64_t longest = group->count ? group->longest : group->dur;

    return s->dur >= 0 && s->dur < q && group->dur >= 0 && longest < q && count < GROUP_MAX &&
           s->ts >= group->ts + group->dur && s->ts - (group->ts + group->dur) < q;
}

void orma_view_join(struct orma_view_slice *group, const struct orma_view_slice *s)
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

/* How many slices and groups q leaves; with `write` they take the place of the slices. */
static uint32_t pass(struct orma_view *self, int64_t q, bool write, struct lanes *lanes,
                     struct orma_view_slice *scratch)
{
    uint32_t kept = 0, row = ORMA_VIEW_NONE;

    for (uint32_t i = 0; i < self->slices.len; i++) {
        const struct orma_view_slice *s = &self->slices.data[i];

        if (s->row != row) {
            begin_row(lanes);
            row = s->row;
        }
        if (s->depth < DEPTH_MAX) {
            uint32_t *last = &lanes->last[s->depth];

            if (*last != ORMA_VIEW_NONE && joins(&scratch[*last], s, q)) {
                orma_view_join(&scratch[*last], s);
                continue;
            }
            *last = kept;
            lanes->used = lanes->used > s->depth + 1u ? lanes->used : s->depth + 1u;
        }
        scratch[kept++] = *s;
    }
    if (write) {
        memcpy(self->slices.data, scratch, kept * sizeof(*scratch));
        self->slices.len = kept;
    }
    return kept;
}

/* Slices are in the order of rows and times. */
void orma_view_group_slices(struct orma_view *self, uint64_t room)
{
    struct orma_view_slice *scratch = malloc(self->slices.len * sizeof(*scratch) + 1);
    struct lanes *lanes = malloc(sizeof(*lanes));
    uint32_t before = self->slices.len;
    int64_t q = Q_FIRST;

    if (scratch && lanes && before > room) {
        lanes->used = DEPTH_MAX;
        while (pass(self, q, false, lanes, scratch) > room && q < INT64_MAX / 4)
            q *= 2;
        pass(self, q, true, lanes, scratch);
        self->totals.group_ns = q;
        for (uint32_t i = 0; i < self->slices.len; i++)
            self->totals.grouped += self->slices.data[i].count;
    }
    free(scratch);
    free(lanes);
}
