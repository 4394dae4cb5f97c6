/*
 * The bytes of blocks and chunks, which docs/view-format.md describes.
 *
 * A chunk is a range of the items of one row; blocks are filled with chunks until they are large
 * enough to be packed well, and small enough that a page which needs a row does not unpack all
 * others.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <zlib.h>

#include "processor/view/view_impl.h"
#include "sdk/wire/pb_writer.h"

#define BLOCK_BYTES_MAX (1u << 30) /* browsers unpack no more at once */

void orma_view_put_uint(struct orma_buf *out, uint64_t val)
{
    uint8_t *at = orma_buf_reserve(out, 10) ? out->data + out->len : NULL;

    if (at)
        out->len += (size_t)(orma_varint_write(at, val) - at);
}

/* Small numbers of either sign are short. */
void orma_view_put_int(struct orma_buf *out, int64_t val)
{
    orma_view_put_uint(out, ((uint64_t)val << 1) ^ (uint64_t)(val >> 63));
}

void orma_view_put_double(struct orma_buf *out, double val)
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
    /* zlib's bound is too small by a byte or two for less than 8 bytes that are only stored. */
    uint8_t *to = orma_buf_extend(out, deflateBound(&z, raw->len) + 16);

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

void orma_view_end_block(struct orma_view *self, struct orma_buf *raw, struct orma_view_block block)
{
    if (!raw->len && !raw->failed)
        return;
    if (raw->len > BLOCK_BYTES_MAX) {
        orma_view_fail(self, -EFBIG);
        return;
    }
    block.raw = (uint32_t)raw->len;
    block.crc = (uint32_t)crc32(0, raw->data, (uInt)raw->len);
    int r = raw->failed ? -ENOMEM
                        : deflate_into(&block.packed, raw,
                                       self->config.stored ? 0
                                       : self->hasty       ? 1
                                                           : 6);

    if (r < 0 || ORMA_VEC_PUSH(&self->blocks, block) < 0) {
        orma_buf_fini(&block.packed);
        orma_view_fail(self, -ENOMEM);
    }
    orma_buf_clear(raw);
}

/* ---- chunks ---- */

static void chunk_head(struct orma_view_packer *p, uint32_t row, uint32_t items)
{
    p->at = p->raw.len;
    orma_view_put_uint(&p->raw, p->kind);
    orma_view_put_uint(&p->raw, row);
    orma_view_put_uint(&p->raw, items);
    p->from = INT64_MAX;
    p->to = INT64_MIN;
}

static void chunk_end(struct orma_view_packer *p, uint32_t row, uint32_t items)
{
    struct orma_view *v = p->view;
    struct orma_view_chunk chunk = {.row = row,
                                    .block = v->blocks.len,
                                    .at = (uint32_t)p->at,
                                    .items = items,
                                    .kind = p->kind,
                                    .from = p->from,
                                    .to = p->to};

    if (ORMA_VEC_PUSH(&v->chunks, chunk) < 0)
        orma_view_fail(v, -ENOMEM);
    if (p->raw.len >= ORMA_VIEW_BLOCK_BYTES)
        orma_view_end_block(
            v, &p->raw, (struct orma_view_block){.kind = ORMA_VIEW_BLOCK_ITEMS, .turn = p->turn});
}

static void spans(struct orma_view_packer *p, int64_t ts, int64_t dur)
{
    int64_t end = dur < 0 ? p->view->to : ts + dur;

    p->from = ts < p->from ? ts : p->from;
    p->to = end > p->to ? end : p->to;
}

/* A column of times: the first counts from the begin of the trace, others from the one before. */
static void put_time(struct orma_view_packer *p, int64_t *last, int64_t ts)
{
    orma_view_put_int(&p->raw, ts - *last);
    *last = ts;
}

void orma_view_put_slices(struct orma_view_packer *p, const void *items, uint32_t num)
{
    const struct orma_view_slice *s = items;
    int64_t ts = p->view->from;
    uint32_t id = 0;

    chunk_head(p, s->row, num);
    for (uint32_t i = 0; i < num; i++) {
        put_time(p, &ts, s[i].ts);
        spans(p, s[i].ts, s[i].dur);
    }
    for (uint32_t i = 0; i < num; i++)
        orma_view_put_uint(&p->raw, ((uint64_t)(s[i].dur + 1) << 1) | (s[i].count != 0));
    for (uint32_t i = 0; i < num; i++)
        orma_view_put_uint(&p->raw, s[i].name);
    for (uint32_t i = 0; i < num; i++)
        orma_view_put_uint(&p->raw, s[i].depth);
    for (uint32_t i = 0; i < num; i++) {
        uint32_t own = s[i].count ? s[i].longest_id : s[i].id;

        orma_view_put_int(&p->raw, (int64_t)own - id);
        id = own;
    }
    for (uint32_t i = 0; i < num; i++)
        orma_view_put_uint(&p->raw, s[i].args == ORMA_VIEW_NONE ? 0 : (uint64_t)s[i].args + 1);
    for (uint32_t i = 0; i < num; i++) {
        if (s[i].count) {
            orma_view_put_uint(&p->raw, s[i].count);
            orma_view_put_uint(&p->raw, (uint64_t)s[i].busy);
            orma_view_put_uint(&p->raw, (uint64_t)s[i].longest);
        }
    }
    chunk_end(p, s->row, num);
}

void orma_view_put_states(struct orma_view_packer *p, const void *items, uint32_t num)
{
    const struct orma_view_state *s = items;
    const struct orma_view_share *share =
        p->shares ? p->shares + (s - (const struct orma_view_state *)p->first) : NULL;
    int64_t ts = p->view->from;
    uint32_t id = 0;

    chunk_head(p, s->row, num);
    for (uint32_t i = 0; i < num; i++) { /* states follow each other: mostly 0 */
        orma_view_put_int(&p->raw, s[i].ts - ts);
        ts = s[i].ts + (s[i].dur < 0 ? 0 : s[i].dur);
        spans(p, s[i].ts, s[i].dur);
    }
    for (uint32_t i = 0; i < num; i++)
        orma_view_put_uint(&p->raw, (uint64_t)(s[i].dur + 1));
    for (uint32_t i = 0; i < num; i++)
        orma_view_put_uint(&p->raw, s[i].state);
    for (uint32_t i = 0; i < num; i++)
        orma_view_put_uint(&p->raw, (uint64_t)(s[i].cpu + 1));
    for (uint32_t i = 0; i < num; i++)
        orma_view_put_uint(&p->raw, s[i].waker == ORMA_VIEW_NONE ? 0 : (uint64_t)s[i].waker + 1);
    for (uint32_t i = 0; i < num; i++) {
        orma_view_put_int(&p->raw, (int64_t)s[i].id - id);
        id = s[i].id;
    }
    for (uint32_t i = 0; share && i < num; i++)
        orma_view_put_uint(&p->raw, share[i].count);
    for (uint32_t i = 0; share && i < num; i++) {
        if (share[i].count) {
            orma_view_put_uint(&p->raw, (uint64_t)share[i].busy);
            orma_view_put_uint(&p->raw, (uint64_t)share[i].most);
        }
    }
    chunk_end(p, s->row, num);
}

static bool is_whole(double val)
{
    return val >= -4e15 && val <= 4e15 && val == (double)(int64_t)val;
}

/* How far the lowest of several is below the last, and the highest above it. */
static void put_ranges(struct orma_view_packer *p, const struct orma_view_value *s,
                       const struct orma_view_range *range, uint32_t num, bool whole)
{
    for (uint32_t i = 0; i < num; i++) {
        double low = s[i].value - range[i].low, high = range[i].high - s[i].value;

        if (whole) {
            orma_view_put_uint(&p->raw, (uint64_t)low);
            orma_view_put_uint(&p->raw, (uint64_t)high);
        } else {
            orma_view_put_double(&p->raw, range[i].low);
            orma_view_put_double(&p->raw, range[i].high);
        }
    }
}

void orma_view_put_values(struct orma_view_packer *p, const void *items, uint32_t num)
{
    const struct orma_view_value *s = items;
    const struct orma_view_range *range =
        p->ranges ? p->ranges + (s - (const struct orma_view_value *)p->first) : NULL;
    int64_t ts = p->view->from, last = 0;
    bool whole = true;

    chunk_head(p, s->row, num);
    for (uint32_t i = 0; i < num; i++) {
        put_time(p, &ts, s[i].ts);
        spans(p, s[i].ts, 0);
        whole = whole && is_whole(s[i].value) &&
                (!range || (is_whole(range[i].low) && is_whole(range[i].high)));
    }
    orma_view_put_uint(&p->raw, whole);
    for (uint32_t i = 0; i < num; i++) {
        if (whole) {
            orma_view_put_int(&p->raw, (int64_t)s[i].value - last);
            last = (int64_t)s[i].value;
        } else {
            orma_view_put_double(&p->raw, s[i].value);
        }
    }
    if (range)
        put_ranges(p, s, range, num, whole);
    chunk_end(p, s->row, num);
}

void orma_view_put_logs(struct orma_view_packer *p, const void *items, uint32_t num)
{
    const struct orma_view_log *s = items;
    int64_t ts = p->view->from;

    chunk_head(p, s->row, num);
    for (uint32_t i = 0; i < num; i++) {
        put_time(p, &ts, s[i].ts);
        spans(p, s[i].ts, 0);
    }
    for (uint32_t i = 0; i < num; i++) {
        orma_view_put_uint(&p->raw, s[i].prio);
        orma_view_put_uint(&p->raw, s[i].tag);
        orma_view_put_uint(&p->raw, s[i].text);
    }
    chunk_end(p, s->row, num);
}

void orma_view_put_samples(struct orma_view_packer *p, const void *items, uint32_t num)
{
    const struct orma_view_sample *s = items;
    int64_t ts = p->view->from;

    chunk_head(p, s->row, num);
    for (uint32_t i = 0; i < num; i++) {
        put_time(p, &ts, s[i].ts);
        spans(p, s[i].ts, 0);
    }
    for (uint32_t i = 0; i < num; i++)
        orma_view_put_uint(&p->raw, s[i].callsite);
    chunk_end(p, s->row, num);
}
