/*
 * Writing goes through a buffer of one piece, which is summed when it is full; the index collects
 * in memory, a small part of the whole. The head is written last, so a file that was not finished
 * is none.
 */
#include "processor/store/image.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "processor/store/image_format.h"
#include "sdk/base/buf.h"
#include "sdk/base/fd.h"

struct out {
    int fd;
    struct orma_buf piece;       /* of the bulk: what is not written yet */
    uint64_t bulk_bytes;         /* `piece` included */
    struct orma_buf sums, index; /* sums: of the pieces */
    int error;
};

static void flush_piece(struct out *out)
{
    uint64_t sum = orma_image_sum(out->piece.data, out->piece.len);

    if (!out->piece.len || out->error)
        return;
    orma_buf_put(&out->sums, &sum, sizeof(sum));
    out->error = orma_fd_write_all(out->fd, out->piece.data, out->piece.len);
    orma_buf_clear(&out->piece);
}

static void put_bulk(struct out *out, const void *data, size_t len)
{
    const uint8_t *at = data;

    for (size_t n; len; at += n, len -= n) {
        n = ORMA_MIN(len, ORMA_IMAGE_PIECE - out->piece.len);
        orma_buf_put(&out->piece, at, n);
        out->bulk_bytes += n;
        if (out->piece.failed)
            out->error = -ENOMEM;
        if (out->error)
            return;
        if (out->piece.len == ORMA_IMAGE_PIECE)
            flush_piece(out);
    }
}

/* Where the next part of the bulk begins. */
static void align_bulk(struct out *out)
{
    static const uint8_t zeros[ORMA_IMAGE_ALIGN];

    put_bulk(out, zeros, -out->bulk_bytes % ORMA_IMAGE_ALIGN);
}

static void put_part(struct out *out, const void *data, size_t len)
{
    align_bulk(out);
    put_bulk(out, data, len);
}

static void put_index(struct out *out, const void *data, size_t len)
{
    orma_buf_put(&out->index, data, len);
}

/* ---- tables ---- */

static void put_blocks(struct out *out, const struct orma_column *col)
{
    for (uint32_t i = 0; i < col->sealed / ORMA_BLOCK_ROWS; i++) {
        const struct orma_block *b = &col->blocks[i];

        put_index(out,
                  &(struct orma_image_block){.base = b->base, .bytes = b->bytes, .zeros = b->zeros},
                  sizeof(struct orma_image_block));
    }
    align_bulk(out);
    for (uint32_t i = 0; i < col->sealed / ORMA_BLOCK_ROWS; i++)
        put_bulk(out, col->blocks[i].data, (size_t)col->blocks[i].bytes * ORMA_BLOCK_ROWS);
}

static void put_column(struct out *out, const struct orma_table *t, const struct orma_column *col)
{
    put_index(out,
              &(struct orma_image_column){.last = col->last,
                                          .width = col->width,
                                          .unsorted = col->unsorted,
                                          .valid = col->valid != NULL},
              sizeof(struct orma_image_column));
    if (col->width) {
        put_blocks(out, col);
        put_part(out, col->data, orma_width_bytes(col->width) * (t->rows - t->sealed));
    }
    if (col->valid)
        put_part(out, col->valid, orma_table_valid_bytes(t->rows));
}

static void put_table(struct out *out, const struct orma_table *t)
{
    put_index(out,
              &(struct orma_image_table){t->rows, t->sealed, t->rows ? t->def->columns_num : 0, 0},
              sizeof(struct orma_image_table));
    for (unsigned i = 0; t->rows && i < t->def->columns_num; i++)
        put_column(out, t, &t->columns[i]);
}

/* ---- the rest ---- */

static void put_pool(struct out *out, const struct orma_strpool *pool)
{
    struct orma_image_pool head = {
        .seed = pool->seed, .len = pool->len, .slots_mask = pool->slots_mask};

    align_bulk(out);
    for (uint32_t id = 1; id < pool->len; id++) {
        const struct orma_strpool_text *t = &pool->texts[id];

        put_bulk(out, &(struct orma_image_text){t->len, t->hash}, sizeof(struct orma_image_text));
        head.text_bytes += (uint64_t)t->len + 1;
    }
    put_part(out, pool->slots, ((size_t)pool->slots_mask + 1) * sizeof(*pool->slots));
    align_bulk(out);
    for (uint32_t id = 1; id < pool->len; id++)
        put_bulk(out, pool->texts[id].data, (size_t)pool->texts[id].len + 1);
    put_index(out, &head, sizeof(head));
}

static void put_blobs(struct out *out, const struct orma_blobs *blobs)
{
    put_index(out, &(struct orma_image_blobs){blobs->bytes.len, blobs->num},
              sizeof(struct orma_image_blobs));
    align_bulk(out);
    for (uint32_t i = 0; i < blobs->num; i++) {
        struct orma_blob_entry e;

        memset(&e, 0, sizeof(e)); /* the padding, too */
        e.start = blobs->entries[i].start;
        e.len = blobs->entries[i].len;
        e.tag = blobs->entries[i].tag;
        put_bulk(out, &e, sizeof(e));
    }
    put_part(out, blobs->bytes.data, blobs->bytes.len);
}

static void put_source(struct out *out, const struct orma_args_store *args,
                       const struct orma_table *rows)
{
    put_index(
        out,
        &(struct orma_image_source){args->canon_num, args->source_first_num, args->source_args, 0},
        sizeof(struct orma_image_source));
    put_part(out, args->canon, args->canon_num * sizeof(*args->canon));
    put_part(out, args->source_first, args->source_first_num * sizeof(*args->source_first));
    put_part(out, args->source_id, args->source_first_num * sizeof(*args->source_id));
    put_table(out, rows);
}

/* The source may add texts to the pool: it comes before all else. */
static int put_storage(struct out *out, struct orma_storage *st)
{
    struct orma_table rows;
    bool failed = false;
    int r = orma_table_init(&rows, &orma_table_defs[ORMA_TABLE_ARGS], &failed);

    if (!r)
        r = orma_storage_settle_all(st);
    if (!r && !orma_args_settle(&st->args))
        r = st->stale ? -ESTALE : -ENOMEM;
    if (!r && st->args.source.rows && !orma_args_source_store(&st->args, &rows))
        r = st->stale ? -ESTALE : -ENOMEM;
    if (!r) {
        put_source(out, &st->args, &rows);
        for (unsigned i = 0; i < ORMA_TABLES_NUM; i++)
            put_table(out, &st->tables[i]);
        put_pool(out, &st->pool);
        put_blobs(out, &st->arrays);
        put_blobs(out, &st->video);
        put_blobs(out, &st->messages);
        align_bulk(out);
        flush_piece(out);
    }
    if (rows.columns)
        orma_table_fini(&rows);
    return r ? r : st->failed ? -ENOMEM : out->error;
}

/* Index and head. */
static int put_end(struct out *out, const struct orma_image_label *label)
{
    struct orma_image_head head;

    memset(&head, 0, sizeof(head));
    memcpy(head.magic, ORMA_IMAGE_MAGIC, sizeof(head.magic));
    head.order = ORMA_IMAGE_ORDER;
    head.tables = ORMA_TABLES_NUM;
    head.bulk_bytes = out->bulk_bytes;
    head.label = *label;
    orma_buf_put(&out->sums, out->index.data, out->index.len);
    if (out->sums.failed || out->index.failed)
        return -ENOMEM;
    head.index_bytes = out->sums.len;
    head.index_sum = orma_image_sum(out->sums.data, out->sums.len);
    head.head_sum =
        orma_image_sum((const uint8_t *)&head, offsetof(struct orma_image_head, head_sum));
    int r = orma_fd_write_all(out->fd, out->sums.data, out->sums.len);
    if (r)
        return r;
    ssize_t n = pwrite(out->fd, &head, sizeof(head), 0);
    return n == (ssize_t)sizeof(head) ? 0 : n < 0 ? -errno : -EIO;
}

int orma_image_write(struct orma_storage *storage, const struct orma_image_label *label, int fd)
{
    struct out out = {.fd = fd};
    int r = lseek(fd, ORMA_IMAGE_BULK, SEEK_SET) < 0 ? -errno : put_storage(&out, storage);

    if (!r)
        r = put_end(&out, label);
    orma_buf_fini(&out.piece);
    orma_buf_fini(&out.sums);
    orma_buf_fini(&out.index);
    return r;
}
