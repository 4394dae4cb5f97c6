/*
 * Everything is read into parts of its own and takes the place of what the storage has only when
 * all of it was found good. Blocks point into the mapping; tails and bits of columns are copied,
 * since rows may be added and changed by functions that make some.
 *
 * Texts, rows and numbers in the columns are not looked at. Whoever uses a value as an index
 * checks it there, as is done for those that come from traces.
 */
#include "processor/store/image.h"

#include <errno.h>
#include <stdlib.h>

#include "processor/store/image_format.h"
#include "sdk/base/assert.h"

struct in {
    const uint8_t *index, *index_end;
    const uint8_t *bulk;
    uint64_t bulk_at, bulk_bytes;
    int error;
};

/* What takes the place of the storage's own. */
struct parts {
    bool failed;
    struct orma_table tables[ORMA_TABLES_NUM], source_rows;
    struct orma_strpool pool;
    struct orma_blobs arrays, video, messages;
    struct orma_args_store source; /* only what is of the source */
};

ORMA_COLD static bool bad(struct in *in)
{
    if (!in->error)
        in->error = -EBADMSG;
    return false;
}

ORMA_COLD static bool no_memory(struct in *in)
{
    in->error = -ENOMEM;
    return false;
}

static bool get_index(struct in *in, void *ret, size_t len)
{
    if (in->error || len > (size_t)(in->index_end - in->index)) {
        memset(ret, 0, len);
        return bad(in);
    }
    memcpy(ret, in->index, len);
    in->index += len;
    return true;
}

/* NULL: it is not there. */
static const void *get_part(struct in *in, uint64_t len)
{
    uint64_t at = in->bulk_at + (-in->bulk_at % ORMA_IMAGE_ALIGN);

    if (in->error || at > in->bulk_bytes || len > in->bulk_bytes - at) {
        bad(in);
        return NULL;
    }
    in->bulk_at = at + len;
    return in->bulk + at;
}

/* ---- tables ---- */

static bool get_block(struct in *in, struct orma_block *ret, uint64_t *bulk)
{
    struct orma_image_block b;

    if (!get_index(in, &b, sizeof(b)) || b.bytes > 8 || b.zeros > 1)
        return bad(in);
    *ret = orma_block_zeros();
    ret->base = b.base;
    ret->bytes = b.bytes;
    ret->zeros = b.zeros;
    if (!b.bytes)
        return true;
    ret->shift = (uint8_t)(64 - 8 * b.bytes);
    ret->mapped = true;
    *bulk += (uint64_t)b.bytes * ORMA_BLOCK_ROWS;
    return true;
}

/* The bulk is followed by at least 8 bytes of index, which the last load may reach into. */
static bool get_blocks(struct in *in, struct orma_column *col)
{
    uint32_t num = col->sealed / ORMA_BLOCK_ROWS;
    uint64_t bulk = 0;

    for (uint32_t i = 0; i < num; i++)
        if (!get_block(in, &col->blocks[i], &bulk))
            return false;
    const uint8_t *at = get_part(in, bulk);
    for (uint32_t i = 0; at && i < num; i++) {
        if (!col->blocks[i].bytes)
            continue;
        /* Nobody writes to what is mapped. */
        col->blocks[i].data = (uint8_t *)(uintptr_t)at;
        at += (size_t)col->blocks[i].bytes * ORMA_BLOCK_ROWS;
    }
    return at;
}

static bool get_copy(struct in *in, void *to, size_t len)
{
    const void *part = get_part(in, len);

    if (part && len)
        memcpy(to, part, len);
    return part;
}

static bool may_have(const struct orma_column *col, const struct orma_image_column *c)
{
    bool number = c->width == ORMA_WIDTH_8 || c->width == ORMA_WIDTH_16 ||
                  c->width == ORMA_WIDTH_32 || c->width == ORMA_WIDTH_64;

    if (col->kind <= ORMA_COL_COMPUTED)
        return !c->width && !c->valid;
    if (c->valid && (!(col->flags & ORMA_COL_NULLABLE) || col->kind == ORMA_COL_STRING))
        return false;
    return !c->width || number || (c->width == ORMA_WIDTH_DOUBLE && col->kind == ORMA_COL_DOUBLE);
}

static bool get_column(struct in *in, struct orma_table *t, unsigned i)
{
    struct orma_column *col = &t->columns[i];
    struct orma_image_column c;

    if (!get_index(in, &c, sizeof(c)) || !may_have(col, &c))
        return bad(in);
    if (!orma_table_restore_column(t, i, c.width, c.valid))
        return no_memory(in);
    col->last = c.last;
    col->unsorted = c.unsorted;
    if (c.width && (!get_blocks(in, col) ||
                    !get_copy(in, col->data, orma_width_bytes(c.width) * (t->rows - t->sealed))))
        return false;
    return !c.valid || get_copy(in, col->valid, orma_table_valid_bytes(t->rows));
}

/* Blocks and bits take less memory than bytes of the file, or are found to be missing there. */
static bool fits(const struct in *in, const struct orma_image_table *t)
{
    return t->sealed % ORMA_BLOCK_ROWS == 0 && t->sealed <= t->rows && t->rows <= ORMA_ROWS_MAX &&
           t->rows - t->sealed <= ORMA_TABLE_TAIL_ROWS &&
           t->sealed / ORMA_BLOCK_ROWS <=
               (size_t)(in->index_end - in->index) / sizeof(struct orma_image_block);
}

static bool get_table(struct in *in, const struct orma_table_def *def, struct orma_table *ret,
                      bool *failed)
{
    struct orma_image_table head;

    if (orma_table_init(ret, def, failed))
        return no_memory(in);
    if (!get_index(in, &head, sizeof(head)) || !fits(in, &head) ||
        head.columns != (head.rows ? def->columns_num : 0))
        return bad(in);
    if (!orma_table_restore(ret, head.rows, head.sealed))
        return bad(in);
    for (unsigned i = 0; i < head.columns; i++)
        if (!get_column(in, ret, i))
            return false;
    return true;
}

/* ---- texts ---- */

/* Where each text is. False: they are not what is there. */
static bool place_texts(struct orma_strpool *pool, const struct orma_image_text *texts,
                        const char *bytes, uint64_t num)
{
    uint64_t at = 0;

    for (uint32_t id = 1; id < pool->len; id++) {
        const struct orma_image_text *t = &texts[id - 1];

        if (t->len >= num - at)
            return false;
        pool->texts[id] = (struct orma_strpool_text){bytes + at, t->len, t->hash};
        at += (uint64_t)t->len + 1;
    }
    /* Texts of which the zero is missing run into the next one, and stop here. */
    return at == num && !bytes[num - 1] && !pool->texts[ORMA_STR_EMPTY].len;
}

/* Searches end, at texts that are there. */
static bool are_slots(const struct orma_strpool *pool)
{
    uint32_t used = 0, above = 0;

    for (size_t i = 0; i <= pool->slots_mask; i++) {
        used += pool->slots[i] != 0;
        above += pool->slots[i] >= pool->len;
    }
    return !above && used < pool->len;
}

static bool make_pool(struct orma_strpool *pool, const struct orma_image_pool *head, bool *failed)
{
    *pool = (struct orma_strpool){.len = head->len,
                                  .cap = (head->slots_mask + 1) / 2,
                                  .slots_mask = head->slots_mask,
                                  .seed = head->seed,
                                  .failed = failed};
    pool->texts = malloc(pool->cap * sizeof(*pool->texts));
    pool->slots = malloc(((size_t)pool->slots_mask + 1) * sizeof(*pool->slots));
    if (!pool->texts || !pool->slots)
        return false;
    pool->texts[0] = (struct orma_strpool_text){0};
    return true;
}

static bool get_pool(struct in *in, struct orma_strpool *pool, bool *failed)
{
    struct orma_image_pool head;

    if (!get_index(in, &head, sizeof(head)) || head.len <= ORMA_STR_EMPTY ||
        head.slots_mask > UINT32_MAX / 4 || (head.slots_mask & (head.slots_mask + 1)) ||
        head.len > (head.slots_mask + 1) / 2 || !head.text_bytes)
        return bad(in);
    size_t slots_bytes = ((size_t)head.slots_mask + 1) * sizeof(uint32_t);
    const struct orma_image_text *texts =
        get_part(in, (uint64_t)(head.len - 1) * sizeof(struct orma_image_text));
    const void *slots = get_part(in, slots_bytes), *bytes = get_part(in, head.text_bytes);
    if (!texts || !slots || !bytes)
        return false;
    if (!make_pool(pool, &head, failed))
        return no_memory(in);
    memcpy(pool->slots, slots, slots_bytes);
    return (place_texts(pool, texts, bytes, head.text_bytes) && are_slots(pool)) || bad(in);
}

/* Numbers of texts that somebody knows already are the same. */
static bool begins_with(const struct orma_strpool *pool, const struct orma_strpool *known)
{
    if (pool->len < known->len)
        return false;
    for (uint32_t id = 1; id < known->len; id++)
        if (!orma_str_eq(orma_strpool_get(pool, id), orma_strpool_get(known, id)))
            return false;
    return true;
}

/* ---- the rest ---- */

static bool get_blobs(struct in *in, struct orma_blobs *ret)
{
    struct orma_image_blobs head;

    if (!get_index(in, &head, sizeof(head)) || head.num > UINT32_MAX - 1)
        return bad(in);
    const void *entries = get_part(in, head.num * sizeof(*ret->entries));
    const void *bytes = get_part(in, head.bytes);
    if (!entries || !bytes)
        return false;
    *ret = (struct orma_blobs){
        .bytes = {.data = (uint8_t *)(uintptr_t)bytes, .len = (size_t)head.bytes},
        .entries = (struct orma_blob_entry *)(uintptr_t)entries,
        .num = (uint32_t)head.num,
        .mapped = true,
    };
    return true;
}

static bool get_source(struct in *in, struct parts *parts)
{
    struct orma_args_store *s = &parts->source;
    struct orma_image_source head;

    if (!get_index(in, &head, sizeof(head)) || head.sets > head.rows ||
        head.rows >= ORMA_ARG_SOURCE_FIRST)
        return bad(in);
    const void *canon = get_part(in, (uint64_t)head.rows * sizeof(*s->canon));
    const void *first = get_part(in, (uint64_t)head.sets * sizeof(*s->source_first));
    const void *id = get_part(in, (uint64_t)head.sets * sizeof(*s->source_id));
    if (!canon || !first || !id)
        return false;
    *s = (struct orma_args_store){
        .canon = (uint32_t *)(uintptr_t)canon,
        .canon_num = head.rows,
        .source_first = (uint32_t *)(uintptr_t)first,
        .source_id = (uint32_t *)(uintptr_t)id,
        .source_first_num = head.sets,
        .source_args = head.args,
    };
    return get_table(in, &orma_table_defs[ORMA_TABLE_ARGS], &parts->source_rows, &parts->failed);
}

static bool get_parts(struct in *in, struct parts *parts, const struct orma_storage *st)
{
    bool ok = get_source(in, parts);

    for (unsigned i = 0; ok && i < ORMA_TABLES_NUM; i++)
        ok = get_table(in, &orma_table_defs[i], &parts->tables[i], &parts->failed);
    ok = ok && get_pool(in, &parts->pool, &parts->failed) && get_blobs(in, &parts->arrays) &&
         get_blobs(in, &parts->video) && get_blobs(in, &parts->messages);
    /* The rows that events have args for. */
    if (ok && parts->source.canon_num != parts->tables[ORMA_TABLE_FTRACE_SOURCE].rows)
        ok = bad(in);
    if (ok && !begins_with(&parts->pool, &st->pool)) {
        in->error = -ENOENT;
        return false;
    }
    return ok;
}

static void parts_fini(struct parts *parts)
{
    for (unsigned i = 0; i < ORMA_TABLES_NUM; i++)
        if (parts->tables[i].def)
            orma_table_fini(&parts->tables[i]);
    if (parts->source_rows.def)
        orma_table_fini(&parts->source_rows);
    if (parts->pool.texts || parts->pool.slots)
        orma_strpool_fini(&parts->pool);
}

static void swap_table(struct orma_table *table, struct orma_table *with, bool *failed)
{
    struct orma_table made = *with;

    made.failed = failed;
    made.compute = table->compute;
    made.compute_data = table->compute_data;
    *with = *table;
    *table = made;
}

/* Afterwards the parts are what the storage had. */
static void take_over(struct orma_storage *st, struct parts *parts)
{
    struct orma_args_store *args = &st->args, *source = &parts->source;

    for (unsigned i = 0; i < ORMA_TABLES_NUM; i++)
        swap_table(&st->tables[i], &parts->tables[i], &st->failed);
    /* Texts of before stay where they are: somebody may point to them. */
    struct orma_strpool pool = parts->pool;
    pool.failed = &st->failed;
    pool.bytes = st->pool.bytes;
    st->pool.bytes = (struct orma_arena){0};
    parts->pool = st->pool;
    st->pool = pool;
    st->arrays = parts->arrays;
    st->video = parts->video;
    st->messages = parts->messages;
    args->state = ORMA_ARGS_STORED;
    args->settled++;
    args->kept = parts->source_rows;
    args->kept.failed = &st->failed;
    parts->source_rows = (struct orma_table){0};
    args->canon = source->canon;
    args->canon_num = source->canon_num;
    args->source_first = source->source_first;
    args->source_id = source->source_id;
    args->source_first_num = source->source_first_num;
    args->source_args = source->source_args;
    orma_args_source_keep(args);
}

/* ---- the whole ---- */

/* Of the first `most` bytes. */
static bool sums_are_right(const uint8_t *bulk, uint64_t len, uint64_t most, const uint8_t *sums)
{
    for (uint64_t at = 0; at < ORMA_MIN(len, most); at += ORMA_IMAGE_PIECE) {
        uint64_t sum;

        memcpy(&sum, sums + at / ORMA_IMAGE_PIECE * sizeof(sum), sizeof(sum));
        if (sum != orma_image_sum(bulk + at, (size_t)ORMA_MIN(len - at, ORMA_IMAGE_PIECE)))
            return false;
    }
    return true;
}

static bool get_head(const uint8_t *data, size_t size, struct orma_image_head *ret)
{
    if (size < ORMA_IMAGE_BULK)
        return false;
    memcpy(ret, data, sizeof(*ret));
    return !memcmp(ret->magic, ORMA_IMAGE_MAGIC, sizeof(ret->magic)) &&
           ret->head_sum == orma_image_sum(data, offsetof(struct orma_image_head, head_sum));
}

/* What the two parts are, if the file is what its head says; `sum_bytes` of the bulk are summed. */
static int open_parts(struct in *in, struct orma_image_label *label, const uint8_t *data,
                      size_t size, uint64_t sum_bytes)
{
    struct orma_image_head head;

    if (!get_head(data, size, &head))
        return -EBADMSG;
    if (head.order != ORMA_IMAGE_ORDER || head.tables != ORMA_TABLES_NUM ||
        memcmp(head.label.key, label->key, sizeof(label->key)))
        return -EBADMSG;
    size -= ORMA_IMAGE_BULK;
    if (head.bulk_bytes > size || head.index_bytes != size - head.bulk_bytes)
        return -EBADMSG;
    uint64_t sums =
        (head.bulk_bytes + ORMA_IMAGE_PIECE - 1) / ORMA_IMAGE_PIECE * sizeof(head.index_sum);
    *in = (struct in){.bulk = data + ORMA_IMAGE_BULK, .bulk_bytes = head.bulk_bytes};
    const uint8_t *index = in->bulk + head.bulk_bytes;
    if (head.index_bytes < sums + sizeof(uint64_t) ||
        head.index_sum != orma_image_sum(index, (size_t)head.index_bytes) ||
        !sums_are_right(in->bulk, in->bulk_bytes, sum_bytes, index))
        return -EBADMSG;
    in->index = index + sums;
    in->index_end = index + head.index_bytes;
    *label = head.label;
    return 0;
}

int orma_image_label(const uint8_t *data, size_t size, struct orma_image_label *ret)
{
    struct orma_image_head head;

    if (!get_head(data, size, &head))
        return -EBADMSG;
    *ret = head.label;
    return 0;
}

bool orma_image_is_whole(const uint8_t *data, size_t size)
{
    struct orma_image_label label;
    struct in in;

    return !orma_image_label(data, size, &label) &&
           !open_parts(&in, &label, data, size, UINT64_MAX);
}

int orma_image_read(struct orma_storage *storage, struct orma_image_label *label,
                    const uint8_t *data, size_t size)
{
    struct parts *parts = calloc(1, sizeof(*parts));
    struct orma_image_label found = *label;
    struct in in = {0};
    int r = parts ? open_parts(&in, &found, data, size, ORMA_IMAGE_SUMMED_MAX) : -ENOMEM;

    if (!r && !get_parts(&in, parts, storage))
        r = in.error;
    if (!r && (in.index != in.index_end || parts->failed))
        r = parts->failed ? -ENOMEM : -EBADMSG;
    if (!r) {
        take_over(storage, parts);
        *label = found;
    }
    if (parts)
        parts_fini(parts);
    free(parts);
    return r;
}
