/*
 * The items of rows that have many of them, coarser and coarser: what a page reads of a row is then
 * as much as its pixels can show, not all that was recorded.
 *
 * A level has a width q. What lasts q or longer stays alone in it; what is shorter joins what
 * follows in its lane as long as all of it lies within less than q. So a picture with q or more in
 * a pixel is the same from this level as from the slices. Each level is made of the finer one, and
 * left out of a row where it would have more than half of what that has.
 *
 * Levels of states, of cores and of values are alike, but each is made of the items themselves: so
 * it is known exactly which state took most of the time, who ran most, and which value was the
 * lowest and the highest.
 */
#include <errno.h>
#include <string.h>

#include "processor/view/view_impl.h"

#define WIDTH 4096 /* of the coarsest level: parts of the trace */
#define FINER 4    /* how much, from level to level */
#define Q_LEAST_NS 64

struct row {
    struct orma_view_slice *now, *next; /* room for all slices of the row */
    uint32_t num;
    struct orma_view_lanes lanes;
};

static void add_level(struct orma_view *self, unsigned level, const struct row *r)
{
    for (uint32_t i = 0; i < r->num; i++) {
        if (ORMA_VIEW_PUSH(&self->level.slices[level], r->now[i]) < 0)
            orma_view_fail(self, -ENOMEM);
    }
}

static void make_row(struct orma_view *self, struct row *r)
{
    for (unsigned level = 0; level < self->level.num; level++) {
        uint32_t kept =
            orma_view_merge(r->now, r->num, r->next, &r->lanes, self->level.ns[level], true);

        if (kept > r->num / 2)
            continue;
        struct orma_view_slice *finer = r->now;

        r->now = r->next;
        r->next = finer;
        r->num = kept;
        add_level(self, level, r);
    }
}

/* From the finest to the coarsest. */
void orma_view_choose_levels(struct orma_view *self)
{
    int64_t q = (self->to - self->from) / WIDTH;

    while (q / FINER >= Q_LEAST_NS && self->level.num < ORMA_VIEW_LEVELS - 1) {
        self->level.num++;
        q /= FINER;
    }
    self->level.num += q >= Q_LEAST_NS;
    for (unsigned level = 0; level < self->level.num; level++, q *= FINER)
        self->level.ns[level] = q;
}

static uint32_t row_end(const struct orma_view *self, uint32_t at)
{
    uint32_t end = at + 1;

    while (end < self->slices.len && self->slices.data[end].row == self->slices.data[at].row)
        end++;
    return end;
}

void orma_view_make_levels(struct orma_view *self)
{
    struct row *r = calloc(1, sizeof(*r));
    uint32_t most = 0;

    for (uint32_t at = 0, end; at < self->slices.len; at = end) {
        end = row_end(self, at);
        most = end - at > most ? end - at : most;
    }
    if (r && most >= ORMA_VIEW_ROW_LEAST) {
        r->lanes.used = ORMA_VIEW_DEPTH_MAX;
        r->now = orma_large_alloc((size_t)most * sizeof(*r->now));
        r->next = orma_large_alloc((size_t)most * sizeof(*r->next));
    }
    if (!r || (most >= ORMA_VIEW_ROW_LEAST && (!r->now || !r->next)))
        orma_view_fail(self, -ENOMEM);
    for (uint32_t at = 0, end; !self->err && most >= ORMA_VIEW_ROW_LEAST && at < self->slices.len;
         at = end) {
        end = row_end(self, at);
        if (end - at < ORMA_VIEW_ROW_LEAST)
            continue;
        r->num = end - at;
        memcpy(r->now, self->slices.data + at, r->num * sizeof(*r->now));
        make_row(self, r);
    }
    if (r) {
        orma_large_free(r->now);
        orma_large_free(r->next);
    }
    free(r);
}

/* ---- states and values ---- */

static uint32_t key_of(const struct orma_view_state *s, uint32_t running)
{
    return running ? s->state : s->waker;
}

/* Several states as one: `to` is the longest of those that took most of the time. */
static void show_most(const struct orma_view_state *from, uint32_t num, int64_t *sums,
                      uint32_t running, struct orma_view_state *to, struct orma_view_share *share)
{
    uint32_t best = 0;

    *share = (struct orma_view_share){.count = num};
    for (uint32_t i = 0; i < num; i++) {
        sums[key_of(&from[i], running)] += from[i].dur;
        if (!running || from[i].state == running)
            share->busy += from[i].dur;
    }
    for (uint32_t i = 1; i < num; i++) {
        uint32_t key = key_of(&from[i], running), first = key_of(&from[best], running);

        if (key == first ? from[i].dur > from[best].dur : sums[key] > sums[first])
            best = i;
    }
    *to = from[best];
    to->ts = from->ts;
    to->dur = from[num - 1].ts + from[num - 1].dur - from->ts;
    share->most = sums[key_of(&from[best], running)];
    for (uint32_t i = 0; i < num; i++)
        sums[key_of(&from[i], running)] = 0;
}

uint32_t orma_view_merge_states(const struct orma_view_state *from, uint32_t num, int64_t q,
                                int64_t *sums, uint32_t running, struct orma_view_state *to,
                                struct orma_view_share *shares, uint32_t most)
{
    uint32_t kept = 0;

    for (uint32_t i = 0, end; i < num; i = end) {
        for (end = i + 1; end < num && from[end - 1].dur >= 0 && from[end].dur >= 0 &&
                          from[end].ts >= from[end - 1].ts + from[end - 1].dur &&
                          from[end].ts - from[i].ts + from[end].dur < q;)
            end++;
        if (kept == most)
            return most + 1;
        to[kept] = from[i];
        shares[kept] = (struct orma_view_share){0};
        if (end - i > 1)
            show_most(from + i, end - i, sums, running, &to[kept], &shares[kept]);
        kept++;
    }
    return kept;
}

uint32_t orma_view_merge_values(const struct orma_view_value *from, uint32_t num, int64_t q,
                                struct orma_view_value *to, struct orma_view_range *ranges,
                                uint32_t most)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < num; i++) {
        double val = from[i].value;

        if (kept && from[i].ts - to[kept - 1].ts < q) {
            struct orma_view_range *r = &ranges[kept - 1];

            r->low = val < r->low ? val : r->low;
            r->high = val > r->high ? val : r->high;
            to[kept - 1].value = val;
            continue;
        }
        if (kept == most)
            return most + 1;
        to[kept] = from[i];
        ranges[kept++] = (struct orma_view_range){val, val};
    }
    return kept;
}
