/*
 * Pictures of a trace that is still being read: what is there so far, so coarse that it is made and
 * sent at once. Short items of a row stand together as in a level that a screen does not need finer
 * for the whole trace; so what such a picture shows is true, and says up to which time it is all.
 *
 * A picture is one range of bytes: its block 0, with the length in front (4 bytes), and the
 * others. The next one is made when somebody took the one before, and not so often that the reading
 * takes much longer.
 */
#include <errno.h>
#include <string.h>

#include "processor/view/view_impl.h"
#include "sdk/base/clock.h"

#define WIDTH 2048                  /* parts of the trace: what is shorter stands together */
#define FIRST_NS UINT64_C(30000000) /* of reading */
#define PAUSE_NS UINT64_C(200000000)
#define PAUSES 4 /* as long as making a picture took, at least */

/* Of a row, only what can be told from the one before it. */
#define THIN(self, vec, from, num, q)                                                              \
    do {                                                                                           \
        int64_t last_ = INT64_MIN / 2;                                                             \
                                                                                                   \
        for (uint32_t i_ = 0; i_ < (num); i_++) {                                                  \
            if ((from)[i_].ts - last_ < (q))                                                       \
                continue;                                                                          \
            last_ = (from)[i_].ts;                                                                 \
            if (ORMA_VIEW_PUSH(vec, (from)[i_]) < 0)                                               \
                orma_view_fail(self, -ENOMEM);                                                     \
        }                                                                                          \
    } while (0)

struct picture {
    struct orma_view view; /* with few items of its own, and rows that are a copy */
    const struct orma_view *of;
    struct orma_view_lanes lanes;
    int64_t *sums;
    uint32_t running;
};

static void add_states(struct picture *p, const struct orma_view_state *from, uint32_t num,
                       bool cores)
{
    __typeof__(p->view.states) *to = cores ? &p->view.sched : &p->view.states;
    __typeof__(p->view.shares[0]) *shares = &p->view.shares[cores];

    if (ORMA_VIEW_RESERVE(to, num) < 0 || ORMA_VIEW_RESERVE(shares, num) < 0) {
        orma_view_fail(&p->view, -ENOMEM);
        return;
    }
    to->len +=
        orma_view_merge_states(from, num, p->view.level.ns[0], p->sums, cores ? 0 : p->running,
                               to->data + to->len, shares->data + to->len, num);
    shares->len = to->len;
}

static void add_values(struct picture *p, const struct orma_view_value *from, uint32_t num)
{
    __typeof__(p->view.values) *to = &p->view.values;
    __typeof__(p->view.ranges) *ranges = &p->view.ranges;

    if (ORMA_VIEW_RESERVE(to, num) < 0 || ORMA_VIEW_RESERVE(ranges, num) < 0) {
        orma_view_fail(&p->view, -ENOMEM);
        return;
    }
    to->len += orma_view_merge_values(from, num, p->view.level.ns[0], to->data + to->len,
                                      ranges->data + to->len, num);
    ranges->len = to->len;
}

static void add_row(struct picture *p, unsigned kind, uint32_t at, uint32_t num)
{
    struct orma_view *to = &p->view;

    switch (kind) {
    case ORMA_VIEW_SLICES:
        if (ORMA_VIEW_RESERVE(&to->slices, num) < 0)
            orma_view_fail(to, -ENOMEM);
        else
            to->slices.len +=
                orma_view_merge(p->of->slices.data + at, num, to->slices.data + to->slices.len,
                                &p->lanes, to->level.ns[0], true);
        to->totals.slices += num;
        return;
    case ORMA_VIEW_STATES:
        add_states(p, p->of->states.data + at, num, false);
        to->totals.states += num;
        return;
    case ORMA_VIEW_SCHED:
        add_states(p, p->of->sched.data + at, num, true);
        return;
    case ORMA_VIEW_VALUES:
        add_values(p, p->of->values.data + at, num);
        to->totals.values += num;
        return;
    case ORMA_VIEW_LOGS:
        THIN(to, &to->logs, p->of->logs.data + at, num, to->level.ns[0]);
        to->totals.logs += num;
        return;
    default:
        THIN(to, &to->samples, p->of->samples.data + at, num, to->level.ns[0]);
    }
}

static void add_all(struct picture *p)
{
    for (unsigned kind = ORMA_VIEW_SLICES; kind <= ORMA_VIEW_SAMPLES; kind++) {
        const struct orma_view_places *places = &p->of->reading.places[kind];

        for (uint32_t row = 0; row < p->of->rows.len && !p->view.err; row++) {
            uint32_t at = places->begin[row], num = places->next[row] - at;

            if (num)
                add_row(p, kind, at, num);
        }
    }
}

static void hand_over(struct orma_view_progress *progress, const struct orma_view *picture)
{
    struct orma_buf *bytes = calloc(1, sizeof(*bytes));
    uint32_t info = (uint32_t)picture->info.len;

    if (!bytes)
        return; /* the next one comes, or the trace itself */
    orma_buf_put(bytes, &info, sizeof(info));
    orma_buf_put(bytes, picture->info.data, picture->info.len);
    for (uint32_t i = 0; i < picture->blocks.len; i++)
        orma_buf_put(bytes, picture->blocks.data[i].packed.data,
                     picture->blocks.data[i].packed.len);
    if (!bytes->failed) {
        bytes = atomic_exchange(&progress->picture, bytes);
        atomic_fetch_add(&progress->pictures, 1);
    }
    orma_view_free_picture(bytes);
}

void orma_view_free_picture(struct orma_buf *picture)
{
    if (picture)
        orma_buf_fini(picture);
    free(picture);
}

static void free_items(struct picture *p)
{
    struct orma_view *v = &p->view;

    ORMA_VEC_FINI(&v->rows);
    ORMA_VIEW_ITEMS_FINI(&v->slices);
    ORMA_VIEW_ITEMS_FINI(&v->states);
    ORMA_VIEW_ITEMS_FINI(&v->sched);
    ORMA_VIEW_ITEMS_FINI(&v->values);
    ORMA_VIEW_ITEMS_FINI(&v->logs);
    ORMA_VIEW_ITEMS_FINI(&v->samples);
    ORMA_VIEW_ITEMS_FINI(&v->shares[0]);
    ORMA_VIEW_ITEMS_FINI(&v->shares[1]);
    ORMA_VIEW_ITEMS_FINI(&v->ranges);
    for (uint32_t i = 0; i < v->blocks.len; i++)
        orma_buf_fini(&v->blocks.data[i].packed);
    ORMA_VEC_FINI(&v->blocks);
    ORMA_VEC_FINI(&v->chunks);
    orma_buf_fini(&v->info);
    free(p->sums);
    free(p);
}

static void make(struct orma_view *self)
{
    struct picture *p = calloc(1, sizeof(*p));
    struct orma_view *v = &p->view;
    uint32_t rows = self->rows.len;

    if (!p)
        return;
    p->of = self;
    p->running = orma_view_string(&self->strings, ORMA_STR("Running"));
    p->lanes.used = ORMA_VIEW_DEPTH_MAX;
    v->config = self->config;
    v->from = self->from;
    v->to = self->to;
    v->strings = self->strings; /* only read from here on */
    v->partial = self->partial;
    v->level.num = 1;
    v->level.ns[0] = ORMA_MAX((self->to - self->from) / WIDTH, 1);
    p->sums = calloc(ORMA_MAX(self->strings.ends.len, rows) + 1, sizeof(*p->sums));
    if (p->sums && ORMA_VEC_RESERVE(&v->rows, rows) == 0) {
        if (rows)
            memcpy(v->rows.data, self->rows.data, rows * sizeof(*v->rows.data));
        v->rows.len = rows;
        add_all(p);
        orma_view_rank_rows(v);
        orma_view_pack_picture(v);
        orma_view_make_info(v);
        if (!v->err)
            hand_over(self->config.progress, v);
    }
    free_items(p);
}

void orma_view_show(struct orma_view *self, bool all)
{
    struct orma_view_progress *progress = self->config.progress;
    uint64_t now;

    if (!progress)
        return;
    if (atomic_load(&progress->stop))
        orma_view_fail(self, -ECANCELED);
    atomic_store(&progress->all, self->partial.all);
    atomic_store(&progress->read, self->partial.read);
    now = orma_clock_boottime();
    if (!self->picture_ns)
        self->picture_ns = now + FIRST_NS;
    if (self->err || (all ? !atomic_load(&progress->pictures)
                          : now < self->picture_ns || atomic_load(&progress->picture)))
        return;
    make(self);
    uint64_t end = orma_clock_boottime();
    self->picture_ns = end + ORMA_MAX(PAUSE_NS, PAUSES * (end - now));
}
