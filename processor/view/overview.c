/*
 * How busy each row at the top was, in equal parts of the trace: what a row shows while it is
 * folded, and the strip over the whole.
 *
 * What counts is time: of a core or of the threads of a process, running; of rows without states,
 * those of other machines maybe, slices of the outermost lane; of a profile or a log alone, samples
 * and messages. 255 is the busiest part of the row.
 */
#include <errno.h>
#include <string.h>

#include "processor/view/view_impl.h"
#include "sdk/wire/pb_writer.h"

#define PARTS 1024
#define ROWS_MAX 4000 /* the busiest ones come first in the page; rows behind have none */

struct overview {
    struct orma_view *view;
    double *sums;     /* PARTS for each row at the top that has any */
    uint32_t *places; /* of a row: which PARTS; ORMA_VIEW_NONE */
    uint32_t num;
    double part_ns;
};

static double *parts_of(struct overview *o, uint32_t row)
{
    uint32_t top = orma_view_top_of(o->view, row);

    if (o->places[top] == ORMA_VIEW_NONE) {
        if (o->num >= ROWS_MAX)
            return NULL;
        o->places[top] = o->num++;
    }
    return o->sums + (size_t)o->places[top] * PARTS;
}

/* `busy`: how much of the time counts. What has no end that is known does not. */
static void add(struct overview *o, uint32_t row, int64_t ts, int64_t dur, double busy)
{
    double *parts = parts_of(o, row);
    double from = (double)(ts - o->view->from) / o->part_ns;
    double to = from + (double)(dur < 0 ? 0 : dur) / o->part_ns;

    from = from < 0 ? 0 : from;
    to = to > PARTS ? PARTS : to;
    for (double at = from; parts && at < to;) {
        double next = (double)(uint32_t)at + 1;

        next = next < to ? next : to;
        parts[(uint32_t)at] += (next - at) * busy;
        at = next;
    }
}

static double share_of(int64_t busy, int64_t dur)
{
    return dur > 0 ? (double)busy / (double)dur : 1;
}

/* `shares`: of a picture, else NULL. */
static void add_states(struct overview *o, const struct orma_view_state *s, uint32_t num,
                       uint32_t only, const struct orma_view_share *shares)
{
    for (uint32_t i = 0; i < num; i++) {
        int64_t dur = s[i].dur;

        if (shares && shares[i].count) {
            add(o, s[i].row, s[i].ts, dur, share_of(shares[i].busy, dur));
            continue;
        }
        if (only && s[i].state != only)
            continue;
        add(o, s[i].row, s[i].ts, dur, 1);
    }
}

static void add_all(struct overview *o)
{
    const struct orma_view *v = o->view;

    add_states(o, v->sched.data, v->sched.len, 0, v->shares[1].data);
    add_states(o, v->states.data, v->states.len,
               orma_view_string(&o->view->strings, ORMA_STR("Running")), v->shares[0].data);
    for (uint32_t i = 0; i < v->slices.len; i++) {
        const struct orma_view_slice *s = &v->slices.data[i];

        if (!s->depth && !v->rows.data[s->row].has_states)
            add(o, s->row, s->ts, s->dur, s->count ? share_of(s->busy, s->dur) : 1);
    }
    if (v->states.len || v->slices.len)
        return;
    for (uint32_t i = 0; i < v->samples.len; i++)
        add(o, v->samples.data[i].row, v->samples.data[i].ts, (int64_t)o->part_ns, 1);
    for (uint32_t i = 0; i < v->logs.len; i++)
        add(o, v->logs.data[i].row, v->logs.data[i].ts, (int64_t)o->part_ns, 1);
}

static void put_row(const struct overview *o, uint32_t row, struct orma_buf *out)
{
    const double *parts = o->sums + (size_t)o->places[row] * PARTS;
    uint8_t number[10];
    double most = 0;

    for (unsigned i = 0; i < PARTS; i++)
        most = parts[i] > most ? parts[i] : most;
    if (most <= 0)
        return;
    orma_buf_put(out, number, (size_t)(orma_varint_write(number, row) - number));
    for (unsigned i = 0; i < PARTS; i++) {
        double share = parts[i] / most * 255;

        orma_buf_put_byte(out, (uint8_t)(share > 0 && share < 1 ? 1 : share));
    }
}

void orma_view_put_overview(struct orma_view *self, struct orma_buf *out)
{
    struct overview o = {.view = self};
    uint32_t rows = self->rows.len;

    o.part_ns = (double)(self->to - self->from) / PARTS;
    o.part_ns = o.part_ns > 0 ? o.part_ns : 1;
    o.sums = calloc((size_t)(rows < ROWS_MAX ? rows : ROWS_MAX) * PARTS + 1, sizeof(*o.sums));
    o.places = malloc(rows * sizeof(*o.places) + 1);
    if (o.sums && o.places) {
        uint8_t number[10];

        memset(o.places, 0xff, rows * sizeof(*o.places));
        add_all(&o);
        orma_buf_put(out, number, (size_t)(orma_varint_write(number, PARTS) - number));
        for (uint32_t row = 0; row < rows; row++) {
            if (o.places[row] != ORMA_VIEW_NONE)
                put_row(&o, row, out);
        }
    } else {
        orma_view_fail(self, -ENOMEM);
    }
    free(o.sums);
    free(o.places);
}
