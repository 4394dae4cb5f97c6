/*
 * Items, names, rows and args as blocks of columns, deflated. docs/view-format.md has the bytes.
 *
 * Items are put in the order of their rows, and of their times within. A chunk is a stretch of the
 * items of one row; blocks are filled with chunks until they are large enough to be packed well,
 * and small enough that a page which needs a row does not unpack all others.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <zlib.h>

#include "processor/view/view_impl.h"
#include "sdk/wire/pb_writer.h"

#define BLOCK_BYTES (512u << 10)
#define BLOCK_BYTES_MAX (1u << 30) /* browsers unpack no more at once */
#define CHUNK_ITEMS 16384u

static void put_uint(struct orma_buf *out, uint64_t val)
{
    uint8_t *at = orma_buf_reserve(out, 10) ? out->data + out->len : NULL;

    if (at)
        out->len += (size_t)(orma_varint_write(at, val) - at);
}

/* Small numbers of either sign are short. */
static void put_int(struct orma_buf *out, int64_t val)
{
    put_uint(out, ((uint64_t)val << 1) ^ (uint64_t)(val >> 63));
}

static void put_double(struct orma_buf *out, double val)
{
    orma_buf_put(out, &val, sizeof(val)); /* files are little-endian: pack() refuses others */
}

/* ---- blocks ---- */

static int deflate_into(struct orma_buf *out, const struct orma_buf *raw, int effort)
{
    z_stream z = {0};
    int r = deflateInit2(&z, effort, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY);

    if (r != Z_OK)
        return -ENOMEM;
    uint8_t *to = orma_buf_extend(out, deflateBound(&z, raw->len));

    if (to) {
        z.next_in = raw->data;
        z.avail_in = (uInt)raw->len;
        z.next_out = to;
        z.avail_out = (uInt)out->len;
        r = deflate(&z, Z_FINISH);
        out->len = z.total_out;
    }
    deflateEnd(&z);
    return to && r == Z_STREAM_END ? 0 : -ENOMEM;
}

static void end_block(struct orma_view *self, struct orma_buf *raw, struct orma_view_block block)
{
    if (!raw->len && !raw->failed)
        return;
    if (raw->len > BLOCK_BYTES_MAX) {
        orma_view_fail(self, -EFBIG);
        return;
    }
    block.raw = (uint32_t)raw->len;
    block.crc = (uint32_t)crc32(0, raw->data, (uInt)raw->len);
    int r = raw->failed ? -ENOMEM : deflate_into(&block.packed, raw, self->config.stored ? 0 : 6);

    if (r < 0 || ORMA_VEC_PUSH(&self->blocks, block) < 0) {
        orma_buf_fini(&block.packed);
        orma_view_fail(self, -ENOMEM);
    }
    orma_buf_clear(raw);
}

/* ---- chunks ---- */

/* What the writers of chunks share. */
struct packer {
    struct orma_view *view;
    struct orma_buf raw;
    size_t at;              /* of the chunk that is written, in its block */
    uint8_t slices, states; /* kinds of the chunks of these */
    int64_t from, to;       /* of its items */
};

static void chunk_head(struct packer *p, uint8_t kind, uint32_t row, uint32_t items)
{
    p->at = p->raw.len;
    put_uint(&p->raw, kind);
    put_uint(&p->raw, row);
    put_uint(&p->raw, items);
    p->from = INT64_MAX;
    p->to = INT64_MIN;
}

static void chunk_end(struct packer *p, uint8_t kind, uint32_t row, uint32_t items)
{
    struct orma_view *v = p->view;
    struct orma_view_chunk chunk = {.row = row,
                                    .block = v->blocks.len,
                                    .at = (uint32_t)p->at,
                                    .items = items,
                                    .kind = kind,
                                    .from = p->from,
                                    .to = p->to};

    if (ORMA_VEC_PUSH(&v->chunks, chunk) < 0)
        orma_view_fail(v, -ENOMEM);
    if (p->raw.len >= BLOCK_BYTES)
        end_block(v, &p->raw, (struct orma_view_block){.kind = ORMA_VIEW_BLOCK_ITEMS});
}

static void spans(struct packer *p, int64_t ts, int64_t dur)
{
    int64_t end = dur < 0 ? p->view->to : ts + dur;

    p->from = ts < p->from ? ts : p->from;
    p->to = end > p->to ? end : p->to;
}

/* A column of times: the first counts from the begin of the trace, others from the one before. */
static void put_time(struct packer *p, int64_t *last, int64_t ts)
{
    put_int(&p->raw, ts - *last);
    *last = ts;
}

static void put_slices(struct packer *p, const void *items, uint32_t num)
{
    const struct orma_view_slice *s = items;
    int64_t ts = p->view->from;
    uint32_t id = 0;

    chunk_head(p, p->slices, s->row, num);
    for (uint32_t i = 0; i < num; i++) {
        put_time(p, &ts, s[i].ts);
        spans(p, s[i].ts, s[i].dur);
    }
    for (uint32_t i = 0; i < num; i++)
        put_uint(&p->raw, ((uint64_t)(s[i].dur + 1) << 1) | (s[i].count != 0));
    for (uint32_t i = 0; i < num; i++)
        put_uint(&p->raw, s[i].name);
    for (uint32_t i = 0; i < num; i++)
        put_uint(&p->raw, s[i].depth);
    for (uint32_t i = 0; i < num; i++) {
        uint32_t own = s[i].count ? s[i].longest_id : s[i].id;

        put_int(&p->raw, (int64_t)own - id);
        id = own;
    }
    for (uint32_t i = 0; i < num; i++)
        put_uint(&p->raw, s[i].args == ORMA_VIEW_NONE ? 0
                          : p->view->config.stored    ? 1
                                                      : (uint64_t)s[i].args + 1);
    for (uint32_t i = 0; i < num; i++) {
        if (s[i].count) {
            put_uint(&p->raw, s[i].count);
            put_uint(&p->raw, (uint64_t)s[i].busy);
            put_uint(&p->raw, (uint64_t)s[i].longest);
        }
    }
    chunk_end(p, p->slices, s->row, num);
}

static void put_states(struct packer *p, const void *items, uint32_t num)
{
    const struct orma_view_state *s = items;
    uint8_t kind = p->states;
    int64_t ts = p->view->from;
    uint32_t id = 0;

    chunk_head(p, kind, s->row, num);
    for (uint32_t i = 0; i < num; i++) { /* states follow each other: mostly 0 */
        put_int(&p->raw, s[i].ts - ts);
        ts = s[i].ts + (s[i].dur < 0 ? 0 : s[i].dur);
        spans(p, s[i].ts, s[i].dur);
    }
    for (uint32_t i = 0; i < num; i++)
        put_uint(&p->raw, (uint64_t)(s[i].dur + 1));
    for (uint32_t i = 0; i < num; i++)
        put_uint(&p->raw, s[i].state);
    for (uint32_t i = 0; i < num; i++)
        put_uint(&p->raw, (uint64_t)(s[i].cpu + 1));
    for (uint32_t i = 0; i < num; i++)
        put_uint(&p->raw, s[i].waker == ORMA_VIEW_NONE ? 0 : (uint64_t)s[i].waker + 1);
    for (uint32_t i = 0; i < num; i++) {
        put_int(&p->raw, (int64_t)s[i].id - id);
        id = s[i].id;
    }
    chunk_end(p, kind, s->row, num);
}

static void put_values(struct packer *p, const void *items, uint32_t num)
{
    const struct orma_view_value *s = items;
    int64_t ts = p->view->from, last = 0;
    bool whole = true;

    chunk_head(p, ORMA_VIEW_VALUES, s->row, num);
    for (uint32_t i = 0; i < num; i++) {
        put_time(p, &ts, s[i].ts);
        spans(p, s[i].ts, 0);
        whole = whole && s[i].value >= -4e15 && s[i].value <= 4e15 &&
                s[i].value == (double)(int64_t)s[i].value;
    }
    put_uint(&p->raw, whole);
    for (uint32_t i = 0; i < num; i++) {
        if (whole) {
            put_int(&p->raw, (int64_t)s[i].value - last);
            last = (int64_t)s[i].value;
        } else {
            put_double(&p->raw, s[i].value);
        }
    }
    chunk_end(p, ORMA_VIEW_VALUES, s->row, num);
}

static void put_logs(struct packer *p, const void *items, uint32_t num)
{
    const struct orma_view_log *s = items;
    int64_t ts = p->view->from;

    chunk_head(p, ORMA_VIEW_LOGS, s->row, num);
    for (uint32_t i = 0; i < num; i++) {
        put_time(p, &ts, s[i].ts);
        spans(p, s[i].ts, 0);
    }
    for (uint32_t i = 0; i < num; i++) {
        put_uint(&p->raw, s[i].prio);
        put_uint(&p->raw, s[i].tag);
        put_uint(&p->raw, s[i].text);
    }
    chunk_end(p, ORMA_VIEW_LOGS, s->row, num);
}

static void put_samples(struct packer *p, const void *items, uint32_t num)
{
    const struct orma_view_sample *s = items;
    int64_t ts = p->view->from;

    chunk_head(p, ORMA_VIEW_SAMPLES, s->row, num);
    for (uint32_t i = 0; i < num; i++) {
        put_time(p, &ts, s[i].ts);
        spans(p, s[i].ts, 0);
    }
    for (uint32_t i = 0; i < num; i++)
        put_uint(&p->raw, s[i].callsite);
    chunk_end(p, ORMA_VIEW_SAMPLES, s->row, num);
}

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

/* Calls `put` for each stretch of the same row, cut where a chunk is full. */
static void each_row(struct packer *p, const void *items, uint32_t len, size_t size,
                     void (*put)(struct packer *, const void *, uint32_t))
{
    const char *at = items;

    for (uint32_t num; len; len -= num, at += num * size) {
        for (num = 1; num < len && num < CHUNK_ITEMS &&
                      orma_view_row_of_item(at + num * size) == orma_view_row_of_item(at);)
            num++;
        put(p, at, num);
    }
}
#define EACH_ROW(p, vec, put) each_row(p, (vec)->data, (vec)->len, sizeof(*(vec)->data), put)

/* ---- texts, args, flows, frames ---- */

static void pack_strings(struct packer *p)
{
    const struct orma_view_strings *s = &p->view->strings;

    put_uint(&p->raw, s->ends.len);
    for (uint32_t i = 0; i < s->ends.len; i++)
        put_uint(&p->raw, s->ends.data[i] - (i ? s->ends.data[i - 1] : 0));
    orma_buf_put(&p->raw, s->bytes.data, s->bytes.len);
    end_block(p->view, &p->raw, (struct orma_view_block){.kind = ORMA_VIEW_BLOCK_STRINGS});
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

static void put_arg(struct packer *p, const struct orma_view_query *q)
{
    int64_t val;

    put_uint(&p->raw, orma_view_text(q, 1));
    switch (orma_query_type(q->query, 2)) {
    case ORMA_VALUE_INT64:
        val = orma_view_int(q, 2);
        if (val > EXACT_MAX || val < -EXACT_MAX) {
            put_uint(&p->raw, ARG_TEXT);
            put_uint(&p->raw, orma_view_text(q, 2));
            break;
        }
        put_uint(&p->raw, ARG_INT);
        put_int(&p->raw, val);
        break;
    case ORMA_VALUE_DOUBLE:
        put_uint(&p->raw, ARG_DOUBLE);
        put_double(&p->raw, orma_query_double(q->query, 2));
        break;
    case ORMA_VALUE_TEXT:
        put_uint(&p->raw, ARG_TEXT);
        put_uint(&p->raw, orma_view_text(q, 2));
        break;
    default:
        put_uint(&p->raw, ARG_NULL);
    }
}

/* Each arg is the distance of its set from the set before, its key, its type and its value. */
static void pack_args(struct packer *p)
{
    struct orma_view *v = p->view;
    struct orma_view_block block = {.kind = ORMA_VIEW_BLOCK_ARGS};
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
        if (p->raw.len >= BLOCK_BYTES && set != last) {
            block.last = last + 1;
            end_block(v, &p->raw, block);
            block.first = last = (uint32_t)set;
        }
        put_uint(&p->raw, set - last);
        put_arg(p, &q);
        last = (uint32_t)set;
    }
    block.last = v->arg_sets.len;
    end_block(v, &p->raw, block);
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

static void pack_flows(struct packer *p)
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

            put_uint(&p->raw, s->id);
            put_uint(&p->raw, s->row);
            put_int(&p->raw, s->ts - v->from);
        }
    }
    orma_map_fini(&places);
    end_block(v, &p->raw, (struct orma_view_block){.kind = ORMA_VIEW_BLOCK_FLOWS});
}

static void pack_gaps(struct packer *p)
{
    struct orma_view *v = p->view;

    for (uint32_t i = 0; i < v->gaps.len; i++) {
        put_uint(&p->raw, v->gaps.data[i].row);
        put_int(&p->raw, v->gaps.data[i].ts - v->from);
        put_uint(&p->raw, v->gaps.data[i].reason);
    }
    end_block(v, &p->raw, (struct orma_view_block){.kind = ORMA_VIEW_BLOCK_GAPS});
}

/* What was allocated at each call site, and what of it was not freed by the end. */
static void pack_allocations(struct packer *p)
{
    struct orma_view_query q = orma_view_query(
        p->view,
        "SELECT coalesce(p.name, 'process') || ' ' || p.pid, heap_name, callsite_id, "
        "sum(iif(size > 0, size, 0)), sum(iif(count > 0, count, 0)), sum(size), sum(count) "
        "FROM heap_profile_allocation JOIN process p USING (upid) GROUP BY upid, 2, 3");

    while (orma_view_next(&q)) {
        for (unsigned col = 0; col < 2; col++)
            put_uint(&p->raw, orma_view_text(&q, col));
        for (unsigned col = 2; col < 7; col++)
            put_int(&p->raw, orma_view_int(&q, col));
    }
}

/*
 * Graphs of objects: each class below the one that keeps it. They are given numbers behind those of
 * the call sites, and go into `frames` as if they were some; nothing of them is known to be freed.
 */
static void pack_graphs(struct packer *p, struct orma_buf *frames)
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
            put_uint(&p->raw, orma_view_text(&q, col));
        put_int(&p->raw, (int64_t)(first + id));
        put_int(&p->raw, 0);
        put_int(&p->raw, 0);
        put_int(&p->raw, orma_view_int(&q, 5));
        put_int(&p->raw, orma_view_int(&q, 6));
        put_uint(frames, first + id);
        put_uint(frames, orma_view_is_null(&q, 3) ? 0 : first + (uint64_t)orma_view_int(&q, 3) + 1);
        put_uint(frames, orma_view_text(&q, 4));
        put_uint(frames, 0);
    }
}

/* Call sites with the one that called them, in the order of their numbers. */
static void pack_frames(struct packer *p)
{
    struct orma_buf graphs = {0};
    struct orma_view_query q;
    bool any;

    pack_allocations(p);
    pack_graphs(p, &graphs);
    any = p->raw.len != 0;
    end_block(p->view, &p->raw, (struct orma_view_block){.kind = ORMA_VIEW_BLOCK_HEAPS});
    if (any || p->view->samples.len) {
        q = orma_view_query(p->view, "SELECT c.id, c.parent_id, f.name, f.deobfuscated_name, "
                                     "m.name FROM stack_profile_callsite c "
                                     "JOIN stack_profile_frame f ON f.id = c.frame_id "
                                     "LEFT JOIN stack_profile_mapping m ON m.id = f.mapping "
                                     "ORDER BY c.id");
        while (orma_view_next(&q)) {
            put_uint(&p->raw, (uint64_t)orma_view_int(&q, 0));
            put_uint(&p->raw, orma_view_is_null(&q, 1) ? 0 : (uint64_t)orma_view_int(&q, 1) + 1);
            put_uint(&p->raw, orma_view_text(&q, orma_view_is_null(&q, 3) ? 2 : 3));
            put_uint(&p->raw, orma_view_text(&q, 4));
        }
        orma_buf_put(&p->raw, graphs.data, graphs.len);
        p->raw.failed |= graphs.failed;
        end_block(p->view, &p->raw, (struct orma_view_block){.kind = ORMA_VIEW_BLOCK_FRAMES});
    }
    orma_buf_fini(&graphs);
}

/* ---- all ---- */

static void forget_blocks(struct orma_view *self)
{
    for (uint32_t i = 0; i < self->blocks.len; i++)
        orma_buf_fini(&self->blocks.data[i].packed);
    self->blocks.len = 0;
    self->chunks.len = 0;
}

static uint64_t packed_bytes(const struct orma_view *self)
{
    uint64_t ret = 0;

    for (uint32_t i = 0; i < self->blocks.len; i++)
        ret += self->blocks.data[i].packed.len;
    return ret;
}

static void pack_slices(struct packer *p)
{
    EACH_ROW(p, &p->view->slices, put_slices);
    end_block(p->view, &p->raw, (struct orma_view_block){.kind = ORMA_VIEW_BLOCK_ITEMS});
}

/* The coarsest is what a page reads first. */
static void pack_levels(struct packer *p)
{
    for (unsigned level = p->view->num_levels; level-- > 0;) {
        p->slices = (uint8_t)(ORMA_VIEW_LEVEL + level);
        EACH_ROW(p, &p->view->levels[level], put_slices);
    }
    end_block(p->view, &p->raw, (struct orma_view_block){.kind = ORMA_VIEW_BLOCK_ITEMS});
}

static void pack_others(struct packer *p)
{
    struct orma_view *v = p->view;

    p->states = ORMA_VIEW_STATES;
    EACH_ROW(p, &v->states, put_states);
    p->states = ORMA_VIEW_SCHED;
    EACH_ROW(p, &v->sched, put_states);
    EACH_ROW(p, &v->values, put_values);
    EACH_ROW(p, &v->logs, put_logs);
    EACH_ROW(p, &v->samples, put_samples);
    end_block(v, &p->raw, (struct orma_view_block){.kind = ORMA_VIEW_BLOCK_ITEMS});
    pack_flows(p);
    pack_gaps(p);
    pack_args(p);
    pack_frames(p);
    pack_strings(p);
    orma_view_put_overview(v, &p->raw);
    end_block(v, &p->raw, (struct orma_view_block){.kind = ORMA_VIEW_BLOCK_OVERVIEW});
    orma_view_put_rows(v, &p->raw);
    end_block(v, &p->raw, (struct orma_view_block){.kind = ORMA_VIEW_BLOCK_ROWS});
}

void orma_view_pack(struct orma_view *self)
{
    struct packer p = {.view = self, .slices = ORMA_VIEW_SLICES};
    uint64_t slices, all;

    ORDER(self, &self->slices, orma_view_compare_slices);
    ORDER(self, &self->states, orma_view_compare_items);
    ORDER(self, &self->sched, orma_view_compare_items);
    ORDER(self, &self->values, orma_view_compare_items);
    ORDER(self, &self->logs, orma_view_compare_items);
    ORDER(self, &self->samples, orma_view_compare_items);
    number_sets(self);
    pack_slices(&p);
    slices = packed_bytes(self);
    pack_others(&p);
    all = packed_bytes(self);
    if (!self->err && self->config.budget && all > self->config.budget && self->slices.len) {
        uint64_t rest = all - slices;
        uint64_t room = self->config.budget > rest ? self->config.budget - rest : 1;

        /* A group costs more than a slice, and slices that differ more are left: hence 2/3. */
        orma_view_group_slices(self, room * self->slices.len / slices * 2 / 3);
        forget_blocks(self);
        pack_slices(&p);
        pack_others(&p);
    } else if (!self->err && (!self->config.budget || all + slices <= self->config.budget)) {
        orma_view_make_levels(self); /* together they are smaller than the slices */
        pack_levels(&p);
    }
    orma_buf_fini(&p.raw);
}
