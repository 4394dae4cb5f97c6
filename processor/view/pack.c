/*
 * Items, names, rows and args as blocks of columns, deflated: in which order, and how many of them
 * where there is no room for all. Items are put in the order of their rows, and of their times
 * within.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "processor/view/view_impl.h"

#define CHUNK_ITEMS 16384u

/* ---- order ---- */

/* All items begin with their time, and their row behind it. */
#define BEGINS_AS_ALL(type)                                                                        \
    _Static_assert(offsetof(type, ts) == 0 && offsetof(type, row) == sizeof(int64_t), #type)
BEGINS_AS_ALL(struct orma_view_slice);
BEGINS_AS_ALL(struct orma_view_state);
BEGINS_AS_ALL(struct orma_view_value);
BEGINS_AS_ALL(struct orma_view_log);
BEGINS_AS_ALL(struct orma_view_sample);

#define ORDER(view, vec, compare)                                                                  \
    ((vec)->data = orma_view_order(view, (vec)->data, &(vec)->cap, (vec)->len,                     \
                                   sizeof(*(vec)->data), compare))

/* Items of one kind. */
struct family {
    const void *items;
    uint32_t len;
    uint8_t kind;
    size_t size;
    orma_view_put *put;
};

#define FAMILY(vec, kind, put)                                                                     \
    ((struct family){(vec).data, (vec).len, kind, sizeof(*(vec).data), put})

static struct family family(const struct orma_view *self, unsigned kind)
{
    switch (kind) {
    case ORMA_VIEW_SLICES:
        return FAMILY(self->slices, ORMA_VIEW_SLICES, orma_view_put_slices);
    case ORMA_VIEW_STATES:
        return FAMILY(self->states, ORMA_VIEW_STATES, orma_view_put_states);
    case ORMA_VIEW_SCHED:
        return FAMILY(self->sched, ORMA_VIEW_SCHED, orma_view_put_states);
    case ORMA_VIEW_VALUES:
        return FAMILY(self->values, ORMA_VIEW_VALUES, orma_view_put_values);
    case ORMA_VIEW_LOGS:
        return FAMILY(self->logs, ORMA_VIEW_LOGS, orma_view_put_logs);
    default:
        return FAMILY(self->samples, ORMA_VIEW_SAMPLES, orma_view_put_samples);
    }
}

static const void *item_at(const struct family *f, uint32_t i)
{
    return (const char *)f->items + i * f->size;
}

static uint32_t row_at(const struct family *f, uint32_t i)
{
    return orma_view_row_of_item(item_at(f, i));
}

/* Rows lie one behind the other, so the end is found in steps that double, and then halve. */
static uint32_t row_end(const struct family *f, uint32_t at)
{
    uint32_t row = row_at(f, at), step = 1, end = at + 1;

    while (step && f->len - at > step && row_at(f, at + step) == row)
        step *= 2;
    for (step = step ? step : 1u << 31; step; step /= 2) {
        if (f->len - end >= step && row_at(f, end + step - 1) == row)
            end += step;
    }
    return end;
}

static bool is_coarse(const struct orma_view *self, const struct family *f, uint32_t row)
{
    return self->rows.data[row].coarse >> f->kind & 1;
}

/* Items of one row, as many in a chunk as it holds. */
static void put_row(struct orma_view_packer *p, const struct family *f, uint32_t at, uint32_t end)
{
    for (uint32_t num; at < end; at += num) {
        num = ORMA_MIN(end - at, CHUNK_ITEMS);
        f->put(p, item_at(f, at), num);
    }
}

static void end_items(struct orma_view_packer *p)
{
    orma_view_end_block(p->view, &p->raw,
                        (struct orma_view_block){.kind = ORMA_VIEW_BLOCK_ITEMS, .turn = p->turn});
}

/* Those of rows that have levels, or of the others. */
static void pack_family(struct orma_view_packer *p, struct family f, bool coarse)
{
    p->kind = f.kind;
    p->turn = coarse ? 2 : 1;
    for (uint32_t at = 0, end; at < f.len; at = end) {
        end = row_end(&f, at);
        if (is_coarse(p->view, &f, row_at(&f, at)) == coarse)
            put_row(p, &f, at, end);
    }
}

/* ---- texts, args, flows, frames ---- */

static void pack_strings(struct orma_view_packer *p)
{
    const struct orma_view_strings *s = &p->view->strings;

    orma_view_put_uint(&p->raw, s->ends.len);
    for (uint32_t i = 0; i < s->ends.len; i++)
        orma_view_put_uint(&p->raw, s->ends.data[i] - (i ? s->ends.data[i - 1] : 0));
    orma_buf_put(&p->raw, s->bytes.data, s->bytes.len);
    orma_view_end_block(p->view, &p->raw,
                        (struct orma_view_block){.kind = ORMA_VIEW_BLOCK_STRINGS});
}

static int compare_numbers(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;

    return *a < *b ? -1 : *a > *b;
}

/* Sets that are used, in the order of their numbers; slices are given the places in this list. */
static void number_sets(struct orma_view *self)
{
    uint32_t kept = 0;

    if (self->config.stored)
        return;
    for (uint32_t i = 0; i < self->slices.len; i++) {
        if (self->slices.data[i].args != ORMA_VIEW_NONE &&
            ORMA_VEC_PUSH(&self->arg_sets, self->slices.data[i].args) < 0)
            orma_view_fail(self, -ENOMEM);
    }
    if (self->arg_sets.len)
        qsort(self->arg_sets.data, self->arg_sets.len, sizeof(*self->arg_sets.data),
              compare_numbers);
    for (uint32_t i = 0; i < self->arg_sets.len; i++) {
        if (kept && self->arg_sets.data[kept - 1] == self->arg_sets.data[i])
            continue;
        self->arg_sets.data[kept] = self->arg_sets.data[i];
        if (orma_map_put(&self->arg_ids, self->arg_sets.data[i], kept++) < 0)
            orma_view_fail(self, -ENOMEM);
    }
    self->arg_sets.len = kept;
    for (uint32_t i = 0; i < self->slices.len; i++) {
        uint32_t *args = &self->slices.data[i].args;

        if (*args != ORMA_VIEW_NONE)
            *args = (uint32_t)orma_map_get(&self->arg_ids, *args);
    }
}

#define EXACT_MAX ((int64_t)1 << 53) /* browsers round larger ones: these are texts */

enum { ARG_TEXT, ARG_INT, ARG_DOUBLE, ARG_NULL };

static void put_arg(struct orma_view_packer *p, const struct orma_view_query *q)
{
    int64_t val;

    orma_view_put_uint(&p->raw, orma_view_text(q, 1));
    switch (orma_query_type(q->query, 2)) {
    case ORMA_VALUE_INT64:
        val = orma_view_int(q, 2);
        if (val > EXACT_MAX || val < -EXACT_MAX) {
            orma_view_put_uint(&p->raw, ARG_TEXT);
            orma_view_put_uint(&p->raw, orma_view_text(q, 2));
            break;
        }
        orma_view_put_uint(&p->raw, ARG_INT);
        orma_view_put_int(&p->raw, val);
        break;
    case ORMA_VALUE_DOUBLE:
        orma_view_put_uint(&p->raw, ARG_DOUBLE);
        orma_view_put_double(&p->raw, orma_query_double(q->query, 2));
        break;
    case ORMA_VALUE_TEXT:
        orma_view_put_uint(&p->raw, ARG_TEXT);
        orma_view_put_uint(&p->raw, orma_view_text(q, 2));
        break;
    default:
        orma_view_put_uint(&p->raw, ARG_NULL);
    }
}

/* Each arg is the distance of its set from the set before, its key, its type and its value. */
static void pack_args(struct orma_view_packer *p)
{
    struct orma_view *v = p->view;
    struct orma_view_block block = {.kind = ORMA_VIEW_BLOCK_ARGS, .turn = 2};
    struct orma_view_query q;
    uint32_t last = 0;

    if (!v->arg_sets.len)
        return;
    q = orma_view_query(v, "SELECT arg_set_id, key, coalesce(string_value, int_value, real_value) "
                           "FROM args ORDER BY arg_set_id, id");
    while (orma_view_next(&q)) {
        uint64_t set = orma_map_get(&v->arg_ids, (uint64_t)orma_view_int(&q, 0));

        if (set == ORMA_MAP_NONE)
            continue;
        if (p->raw.len >= ORMA_VIEW_BLOCK_BYTES && set != last) {
            block.last = last + 1;
            orma_view_end_block(v, &p->raw, block);
            block.first = last = (uint32_t)set;
        }
        orma_view_put_uint(&p->raw, set - last);
        put_arg(p, &q);
        last = (uint32_t)set;
    }
    block.last = v->arg_sets.len;
    orma_view_end_block(v, &p->raw, block);
}

/* Where a slice lies, by its id; NULL: it is in a group, or out of the range. */
static struct orma_map slice_places(struct orma_view *self)
{
    struct orma_map ret = {0};

    for (uint32_t i = 0; i < self->slices.len && self->flows.len; i++) {
        if (!self->slices.data[i].count && orma_map_put(&ret, self->slices.data[i].id, i) < 0)
            orma_view_fail(self, -ENOMEM);
    }
    return ret;
}

static void pack_flows(struct orma_view_packer *p)
{
    struct orma_view *v = p->view;
    struct orma_map places = slice_places(v);

    for (uint32_t i = 0; i < v->flows.len; i++) {
        uint64_t ends[2] = {orma_map_get(&places, v->flows.data[i].from),
                            orma_map_get(&places, v->flows.data[i].to)};

        if (ends[0] == ORMA_MAP_NONE || ends[1] == ORMA_MAP_NONE)
            continue;
        for (unsigned n = 0; n < 2; n++) {
            const struct orma_view_slice *s = &v->slices.data[ends[n]];

            orma_view_put_uint(&p->raw, s->id);
            orma_view_put_uint(&p->raw, s->row);
            orma_view_put_int(&p->raw, s->ts - v->from);
        }
    }
    orma_map_fini(&places);
    orma_view_end_block(v, &p->raw, (struct orma_view_block){.kind = ORMA_VIEW_BLOCK_FLOWS});
}

static void pack_gaps(struct orma_view_packer *p)
{
    struct orma_view *v = p->view;

    for (uint32_t i = 0; i < v->gaps.len; i++) {
        orma_view_put_uint(&p->raw, v->gaps.data[i].row);
        orma_view_put_int(&p->raw, v->gaps.data[i].ts - v->from);
        orma_view_put_uint(&p->raw, v->gaps.data[i].reason);
    }
    orma_view_end_block(v, &p->raw, (struct orma_view_block){.kind = ORMA_VIEW_BLOCK_GAPS});
}

/* What was allocated at each call site, and what of it was not freed by the end. */
static void pack_allocations(struct orma_view_packer *p)
{
    struct orma_view_query q = orma_view_query(
        p->view,
        "SELECT coalesce(p.name, 'process') || ' ' || p.pid, heap_name, callsite_id, "
        "sum(iif(size > 0, size, 0)), sum(iif(count > 0, count, 0)), sum(size), sum(count) "
        "FROM heap_profile_allocation JOIN process p USING (upid) GROUP BY upid, 2, 3");

    while (orma_view_next(&q)) {
        for (unsigned col = 0; col < 2; col++)
            orma_view_put_uint(&p->raw, orma_view_text(&q, col));
        for (unsigned col = 2; col < 7; col++)
            orma_view_put_int(&p->raw, orma_view_int(&q, col));
    }
}

/*
 * Graphs of objects: each class below the one that keeps it. They are given numbers behind those of
 * the call sites, and go into `frames` as if they were some; nothing of them is known to be freed.
 * The number behind theirs; 0: there are none.
 */
static uint64_t pack_graphs(struct orma_view_packer *p, struct orma_buf *frames)
{
    struct orma_view_query q = orma_view_query(
        p->view, "SELECT coalesce(p.name, 'process') || ' ' || p.pid, "
                 "printf('objects at +%.3f s', (g.graph_sample_ts - trace_start()) / 1e9), "
                 "f.id, f.parent_id, f.name, f.size, f.count, "
                 "coalesce((SELECT max(id) + 1 FROM stack_profile_callsite), 0) "
                 "FROM (SELECT DISTINCT upid, graph_sample_ts FROM heap_graph_object) g "
                 "JOIN process p USING (upid) JOIN experimental_flamegraph('graph', "
                 "g.graph_sample_ts, NULL, g.upid, NULL, NULL) f");
    uint64_t first = 0, end = 0; /* numbers of the graph's parts */

    while (orma_view_next(&q)) {
        uint64_t id = (uint64_t)orma_view_int(&q, 2);

        first = !end ? (uint64_t)orma_view_int(&q, 7) : id ? first : end;
        end = first + id + 1;
        for (unsigned col = 0; col < 2; col++)
            orma_view_put_uint(&p->raw, orma_view_text(&q, col));
        orma_view_put_int(&p->raw, (int64_t)(first + id));
        orma_view_put_int(&p->raw, 0);
        orma_view_put_int(&p->raw, 0);
        orma_view_put_int(&p->raw, orma_view_int(&q, 5));
        orma_view_put_int(&p->raw, orma_view_int(&q, 6));
        orma_view_put_uint(frames, first + id);
        orma_view_put_uint(
            frames, orma_view_is_null(&q, 3) ? 0 : first + (uint64_t)orma_view_int(&q, 3) + 1);
        orma_view_put_uint(frames, orma_view_text(&q, 4));
        orma_view_put_uint(frames, 0);
    }
    return end;
}

/*
 * Call sites with the one that called them, in the order of their numbers. Where calls were
 * compiled in, a call site is the innermost function, and those above it are call sites of their
 * own, with numbers from `next` on.
 */
static void pack_sites(struct orma_view_packer *p, uint64_t next)
{
    struct orma_view_query q = orma_view_query(
        p->view, "SELECT c.id, c.parent_id, o.nr, o.name, m.name FROM stack_profile_callsite c "
                 "JOIN stack_profile_frame f ON f.id = c.frame_id "
                 "JOIN orma_frame_function o ON o.frame_id = f.id "
                 "LEFT JOIN stack_profile_mapping m ON m.id = f.mapping ORDER BY c.id, o.nr DESC");
    uint64_t above = 0; /* number of what called, + 1; 0: nobody */
    bool begins = true;

    while (orma_view_next(&q)) {
        uint64_t id = orma_view_int(&q, 2) ? next++ : (uint64_t)orma_view_int(&q, 0);

        if (begins)
            above = orma_view_is_null(&q, 1) ? 0 : (uint64_t)orma_view_int(&q, 1) + 1;
        orma_view_put_uint(&p->raw, id);
        orma_view_put_uint(&p->raw, above);
        orma_view_put_uint(&p->raw, orma_view_text(&q, 3));
        orma_view_put_uint(&p->raw, orma_view_text(&q, 4));
        above = id + 1;
        begins = !orma_view_int(&q, 2);
    }
}

static uint64_t number_behind_sites(struct orma_view *self)
{
    struct orma_view_query q =
        orma_view_query(self, "SELECT coalesce(max(id) + 1, 0) FROM stack_profile_callsite");
    uint64_t ret = 0;

    while (orma_view_next(&q))
        ret = (uint64_t)orma_view_int(&q, 0);
    return ret;
}

static void pack_frames(struct orma_view_packer *p)
{
    struct orma_buf graphs = {0};

    pack_allocations(p);
    uint64_t next = pack_graphs(p, &graphs);
    bool any = p->raw.len != 0;
    orma_view_end_block(p->view, &p->raw, (struct orma_view_block){.kind = ORMA_VIEW_BLOCK_HEAPS});
    if (any || p->view->samples.len) {
        orma_view_include(p->view, "orma.frames");
        pack_sites(p, next ? next : number_behind_sites(p->view));
        orma_buf_put(&p->raw, graphs.data, graphs.len);
        p->raw.failed |= graphs.failed;
        orma_view_end_block(p->view, &p->raw,
                            (struct orma_view_block){.kind = ORMA_VIEW_BLOCK_FRAMES});
    }
    orma_buf_fini(&graphs);
}

/* ---- items ---- */

/* Where machines end: what has no end there lasts until then, and not to that of the trace. */
static void find_ends(struct orma_view *self)
{
    for (unsigned kind = ORMA_VIEW_SLICES; self->several && kind <= ORMA_VIEW_SAMPLES; kind++) {
        struct family f = family(self, kind);

        for (uint32_t i = 0; i < f.len; i++) {
            int64_t *until = &self->rows.data[orma_view_top_of(self, row_at(&f, i))].until, end;

            memcpy(&end, item_at(&f, i), sizeof(end)); /* its time */
            end += kind == ORMA_VIEW_SLICES   ? ORMA_MAX(self->slices.data[i].dur, 0)
                   : kind == ORMA_VIEW_STATES ? ORMA_MAX(self->states.data[i].dur, 0)
                   : kind == ORMA_VIEW_SCHED  ? ORMA_MAX(self->sched.data[i].dur, 0)
                                              : 0;
            *until = ORMA_MAX(*until, ORMA_MIN(end, self->to) - self->from);
        }
    }
}

static void pack_heads(struct orma_view_packer *p)
{
    orma_view_put_overview(p->view, &p->raw);
    orma_view_end_block(p->view, &p->raw,
                        (struct orma_view_block){.kind = ORMA_VIEW_BLOCK_OVERVIEW});
    orma_view_put_rows(p->view, &p->raw);
    orma_view_end_block(p->view, &p->raw, (struct orma_view_block){.kind = ORMA_VIEW_BLOCK_ROWS});
}

/* What is the same however many items have room. Args and the like add texts: these come behind. */
static void pack_others(struct orma_view_packer *p)
{
    struct orma_view *v = p->view;

    pack_gaps(p);
    pack_args(p);
    pack_frames(p);
    pack_strings(p);
    pack_heads(p);
    for (unsigned kind = ORMA_VIEW_STATES; kind <= ORMA_VIEW_SAMPLES; kind++)
        pack_family(p, family(v, kind), false);
    end_items(p);
}

/* Slices, and the flows between those that stand alone. */
static void pack_slices(struct orma_view_packer *p)
{
    pack_family(p, family(p->view, ORMA_VIEW_SLICES), false);
    end_items(p);
    pack_family(p, family(p->view, ORMA_VIEW_SLICES), true);
    end_items(p);
    pack_flows(p);
}

static void pack_rest(struct orma_view_packer *p)
{
    for (unsigned kind = ORMA_VIEW_STATES; kind <= ORMA_VIEW_VALUES; kind++)
        pack_family(p, family(p->view, kind), true);
    end_items(p);
}

/* Of a picture, all items are of one level, but for those that have none. */
void orma_view_pack_picture(struct orma_view *self)
{
    struct orma_view_packer p = {.view = self};

    pack_strings(&p);
    pack_heads(&p);
    for (unsigned kind = ORMA_VIEW_SLICES; kind <= ORMA_VIEW_SAMPLES; kind++) {
        struct family f = family(self, kind);

        p.kind = (uint8_t)(kind <= ORMA_VIEW_VALUES ? kind * ORMA_VIEW_LEVEL : kind);
        p.first = f.items;
        p.shares = kind == ORMA_VIEW_STATES  ? self->shares[0].data
                   : kind == ORMA_VIEW_SCHED ? self->shares[1].data
                                             : NULL;
        p.ranges = kind == ORMA_VIEW_VALUES ? self->ranges.data : NULL;
        for (uint32_t at = 0, end; at < f.len; at = end) {
            end = row_end(&f, at);
            put_row(&p, &f, at, end);
        }
    }
    end_items(&p);
    orma_buf_fini(&p.raw);
}

/* ---- levels ---- */

/* Room for a level of a row. */
struct level {
    void *items, *beside; /* beside: shares or ranges */
    int64_t *sums;
    uint32_t running, most; /* text; items that there is room for */
    uint32_t *had;          /* by row: items of the coarser level; ORMA_VIEW_NONE: no finer one */
};

static uint32_t largest_row(const struct orma_view *self)
{
    uint32_t ret = 0;

    for (unsigned kind = ORMA_VIEW_STATES; kind <= ORMA_VIEW_VALUES; kind++) {
        struct family f = family(self, kind);

        for (uint32_t at = 0, end; at < f.len; at = end) {
            end = row_end(&f, at);
            ret = ORMA_MAX(ret, end - at);
        }
    }
    return ret;
}

static void level_init(struct orma_view *self, struct level *l)
{
    uint32_t keys = ORMA_MAX(self->strings.ends.len, self->rows.len) + 1;
    uint32_t most = largest_row(self);

    *l = (struct level){.most = most < ORMA_VIEW_ROW_LEAST ? 0 : most / 2};
    if (self->states.len)
        l->running = orma_view_string(&self->strings, ORMA_STR("Running"));
    if (l->most) {
        l->items = orma_large_alloc(l->most * sizeof(struct orma_view_state));
        l->beside = orma_large_alloc(l->most * sizeof(struct orma_view_share));
        l->sums = calloc(keys + 1, sizeof(*l->sums));
    }
    l->had = malloc((self->rows.len + 1) * sizeof(*l->had));
    if (!l->had || (l->most && (!l->items || !l->beside || !l->sums)))
        orma_view_fail(self, -ENOMEM);
}

static void level_fini(struct level *l)
{
    orma_large_free(l->items);
    orma_large_free(l->beside);
    free(l->sums);
    free(l->had);
}

/* The row in groups shorter than q: how many, or more than half of what it has: not made. */
static uint32_t make_level(const struct level *l, const struct family *f, uint32_t at, uint32_t num,
                           int64_t q)
{
    if (f->kind == ORMA_VIEW_VALUES)
        return orma_view_merge_values(item_at(f, at), num, q, l->items, l->beside, num / 2);
    return orma_view_merge_states(item_at(f, at), num, q, l->sums,
                                  f->kind == ORMA_VIEW_STATES ? l->running : 0, l->items, l->beside,
                                  num / 2);
}

/* Marks the rows that have so many items that a page reads a level of them first. */
static void find_coarse(struct orma_view *self, const struct level *l)
{
    int64_t q = self->level.num ? self->level.ns[self->level.num - 1] : 0;

    for (unsigned kind = ORMA_VIEW_SLICES; q && !self->err && kind <= ORMA_VIEW_VALUES; kind++) {
        struct family f = family(self, kind);

        for (uint32_t at = 0, end; at < f.len; at = end) {
            end = row_end(&f, at);
            if (end - at >= ORMA_VIEW_ROW_LEAST &&
                (kind == ORMA_VIEW_SLICES || make_level(l, &f, at, end - at, q) <= (end - at) / 2))
                self->rows.data[row_at(&f, at)].coarse |= (uint8_t)(1 << kind);
        }
    }
}

static void put_level(struct orma_view_packer *p, const struct level *l, const struct family *f,
                      uint32_t num)
{
    struct family made = *f;

    made.items = p->first = l->items;
    p->shares = f->kind == ORMA_VIEW_VALUES ? NULL : l->beside;
    p->ranges = f->kind == ORMA_VIEW_VALUES ? l->beside : NULL;
    put_row(p, &made, 0, num);
    p->shares = NULL;
    p->ranges = NULL;
}

/* One level of all rows that have it, of which it has at least twice what the coarser one has. */
static void pack_level(struct orma_view_packer *p, const struct level *l, unsigned kind,
                       unsigned level)
{
    struct orma_view *v = p->view;
    struct family f = family(v, kind);

    p->kind = (uint8_t)(kind * ORMA_VIEW_LEVEL + level);
    p->turn = 1;
    if (kind == ORMA_VIEW_SLICES) {
        f = FAMILY(v->level.slices[level], p->kind, orma_view_put_slices);
        for (uint32_t at = 0, end; at < f.len; at = end) {
            end = row_end(&f, at);
            put_row(p, &f, at, end);
        }
        end_items(p);
        return;
    }
    for (uint32_t at = 0, end; at < f.len; at = end) {
        uint32_t row = row_at(&f, at), num, *had = &l->had[row];

        end = row_end(&f, at);
        if (!is_coarse(v, &f, row) || *had == ORMA_VIEW_NONE)
            continue;
        num = make_level(l, &f, at, end - at, v->level.ns[level]);
        if (num > (end - at) / 2) {
            *had = ORMA_VIEW_NONE;
        } else if (num >= 2 * *had) {
            *had = num;
            put_level(p, l, &f, num);
        }
    }
    end_items(p);
}

/* ---- all ---- */

/* What is packed so far. */
struct mark {
    uint32_t blocks, chunks;
    uint64_t bytes;
};

static struct mark mark(const struct orma_view *self)
{
    struct mark ret = {.blocks = self->blocks.len, .chunks = self->chunks.len};

    for (uint32_t i = 0; i < self->blocks.len; i++)
        ret.bytes += self->blocks.data[i].packed.len;
    return ret;
}

static void forget_behind(struct orma_view *self, struct mark to)
{
    while (self->blocks.len > to.blocks)
        orma_buf_fini(&self->blocks.data[--self->blocks.len].packed);
    self->chunks.len = to.chunks;
}

/*
 * From the coarsest on, as many as there is room for below `limit`; at least one where the items
 * themselves are not there (`alone`). The finest that was packed, or num_levels.
 */
static unsigned pack_levels(struct orma_view_packer *p, const struct level *l, unsigned first,
                            unsigned last, uint64_t limit, bool alone)
{
    struct orma_view *v = p->view;
    unsigned ret = v->level.num;

    while (ret > 0 && !v->err) {
        struct mark before = mark(v);

        for (unsigned kind = first; kind <= last; kind++)
            pack_level(p, l, kind, ret - 1);
        if (mark(v).bytes > limit && !(alone && ret == v->level.num)) {
            forget_behind(v, before);
            break;
        }
        ret--;
    }
    return ret;
}

/* Of rows that have levels: states, who ran, and values. */
static uint64_t count_coarse(const struct orma_view *self)
{
    uint64_t ret = 0;

    for (unsigned kind = ORMA_VIEW_STATES; kind <= ORMA_VIEW_VALUES; kind++) {
        struct family f = family(self, kind);

        for (uint32_t i = 0; i < f.len; i++)
            ret += is_coarse(self, &f, row_at(&f, i));
    }
    return ret;
}

/*
 * There is no room for all. What is small beside the other keeps all; else shorter slices are
 * merged into groups, and what else is too much is shown by its levels alone. Gives the limits of
 * the levels.
 */
static bool pack_less(struct orma_view_packer *p, struct mark begin, uint64_t slices, uint64_t rest,
                      uint64_t *ret_limit)
{
    struct orma_view *v = p->view;
    uint64_t room = v->config.budget > begin.bytes ? v->config.budget - begin.bytes : 1, own;

    own = rest <= room / 4 ? room - rest
          : slices <= room / 4
              ? slices
              : (uint64_t)((double)room * (double)slices / (double)(slices + rest));
    /* A group costs more than a slice, and slices that differ more are left: hence 2/3. A fifth of
     * the room is for levels. */
    if (slices > own)
        orma_view_group_slices(
            v, (uint64_t)((double)own * 0.8 * v->slices.len / (double)slices * 2 / 3));
    forget_behind(v, begin);
    pack_slices(p);
    *ret_limit = v->config.budget - ORMA_MIN(v->config.budget, room - own);
    if (rest > room - own) {
        v->totals.merged = count_coarse(v);
        return false;
    }
    *ret_limit = v->config.budget;
    pack_rest(p);
    return true;
}

#define ITEM_BYTES 3 /* of slices and states, deflated: rarely less */

/* A page of so many items has hardly room for all: it is tried with less effort. */
static bool is_much(const struct orma_view *self)
{
    uint64_t items = (uint64_t)self->slices.len + self->states.len + self->sched.len;

    return self->config.budget && items * ITEM_BYTES > self->config.budget;
}

/* All that there is, and how many bytes that are: slices with flows, and the rest. */
static void pack_everything(struct orma_view_packer *p, struct mark begin, uint64_t *ret_slices,
                            uint64_t *ret_rest)
{
    pack_slices(p);
    struct mark slices = mark(p->view);
    pack_rest(p);
    *ret_slices = slices.bytes - begin.bytes;
    *ret_rest = mark(p->view).bytes - slices.bytes;
}

static void pack_within(struct orma_view_packer *p, const struct level *l)
{
    struct orma_view *v = p->view;
    struct mark begin = mark(v);
    uint64_t budget = v->config.budget ? v->config.budget : UINT64_MAX, limit = budget, slices,
             rest;
    bool whole = true;

    v->hasty = is_much(v);
    pack_everything(p, begin, &slices, &rest);
    if (v->hasty) {
        v->hasty = false;
        slices = slices / 8 * 7;
        rest = rest / 8 * 7;
        if (begin.bytes + slices + rest <= budget) { /* there may be room for all */
            forget_behind(v, begin);
            pack_everything(p, begin, &slices, &rest);
        }
    }
    if (!v->err && begin.bytes + slices + rest > budget)
        whole = pack_less(p, begin, slices, rest, &limit);
    orma_view_make_levels(v);
    (void)pack_levels(p, l, ORMA_VIEW_SLICES, ORMA_VIEW_SLICES, limit, false);
    memset(l->had, 0, v->rows.len * sizeof(*l->had));
    unsigned finest = pack_levels(p, l, ORMA_VIEW_STATES, ORMA_VIEW_VALUES, budget, !whole);
    if (v->totals.merged && finest < v->level.num)
        v->totals.merged_ns = v->level.ns[finest];
}

void orma_view_pack(struct orma_view *self)
{
    struct orma_view_packer p = {.view = self};
    struct level l;

    ORDER(self, &self->slices, orma_view_compare_slices);
    ORDER(self, &self->states, orma_view_compare_items);
    ORDER(self, &self->sched, orma_view_compare_items);
    ORDER(self, &self->values, orma_view_compare_items);
    ORDER(self, &self->logs, orma_view_compare_items);
    ORDER(self, &self->samples, orma_view_compare_items);
    number_sets(self);
    orma_view_choose_levels(self);
    level_init(self, &l);
    if (!self->err) {
        find_coarse(self, &l);
        find_ends(self);
        pack_others(&p);
        pack_within(&p, &l);
    }
    level_fini(&l);
    orma_buf_fini(&p.raw);
}
