#include "tests/support/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "processor/store/image_format.h"
#include "sdk/base/fd.h"

/* ---- a storage ---- */

static bool decode(void *data, uint32_t row, struct orma_args_list *ret)
{
    struct orma_storage *st = data;

    if (row % 7 == 6) /* no args */
        return true;
    orma_args_put_int(ret, orma_storage_cstr(st, "cpu"), row % 11);
    orma_args_put_str(ret, orma_storage_cstr(st, "comm"), orma_storage_cstr(st, "made lazily"));
    if (row % 3 == 0)
        orma_args_put_real(ret, orma_storage_cstr(st, "load"), row * 0.25);
    return true;
}

static uint32_t source_rows(void *data)
{
    return ((struct orma_storage *)data)->tables[ORMA_TABLE_FTRACE_SOURCE].rows;
}

static uint32_t make_args(struct orma_storage *st, struct orma_args_list *list, uint32_t i)
{
    orma_args_list_clear(list);
    orma_args_put_int(list, orma_storage_cstr(st, "debug.i"), i / 2);
    orma_args_put_uint(list, orma_storage_cstr(st, "debug.u"), UINT64_MAX - i % 5);
    orma_args_put_str(list, orma_storage_cstr(st, "debug.s"), i % 3 ? ORMA_STR_EMPTY : 0);
    orma_args_put_real(list, orma_storage_cstr(st, "debug.r"), i + 0.5);
    return orma_args_commit(&st->args, list);
}

static void fill_row(struct orma_storage *st, struct orma_args_list *list, uint32_t i)
{
    struct orma_table *slices = &st->tables[ORMA_TABLE_SLICE];
    struct orma_table *counters = &st->tables[ORMA_TABLE_COUNTER];
    uint32_t row = orma_table_add(slices);

    orma_table_set_time(slices, ORMA_SLICE_TS, row, (int64_t)1000000000 + i * INT64_C(7919));
    orma_table_set(slices, ORMA_SLICE_DUR, row, i % 13 ? (int64_t)i : -1);
    orma_table_set(slices, ORMA_SLICE_NAME, row, orma_strpool_addf(&st->pool, "slice %u", i % 997));
    if (i % 5)
        orma_table_set(slices, ORMA_SLICE_PARENT_ID, row, i / 2);
    if (i % 4 == 0)
        orma_storage_set_args(slices, ORMA_SLICE_ARG_SET_ID, row, make_args(st, list, i));
    row = orma_table_add(counters);
    orma_table_set_time(counters, ORMA_COUNTER_TS, row, i % 100 == 99 ? 5 : i);
    orma_table_set_double(counters, ORMA_COUNTER_VALUE, row, i > 100 ? i * 0.125 : i);
    row = orma_table_add(&st->tables[ORMA_TABLE_FTRACE_EVENT]);
    row = orma_table_add(&st->tables[ORMA_TABLE_FTRACE_SOURCE]);
    orma_table_set(&st->tables[ORMA_TABLE_FTRACE_SOURCE], ORMA_FTRACE_SOURCE_IDX, row, i);
}

struct orma_storage *test_image_storage(uint32_t rows)
{
    struct orma_storage *st = calloc(1, sizeof(*st));
    struct orma_args_list list = {0};

    if (!st || orma_storage_init(st))
        abort();
    st->args.source = (struct orma_args_source){.data = st, .decode = decode, .rows = source_rows};
    orma_args_log(&st->args);
    for (uint32_t i = 0; i < rows; i++)
        fill_row(st, &list, i);
    (void)orma_strpool_add(&st->pool, (struct orma_str){"a\0b", 3});
    (void)orma_blobs_add(&st->video, "frame", 5, 3);
    (void)orma_blobs_add(&st->arrays, "", 0, 1);
    orma_args_log_end(&st->args);
    orma_args_list_fini(&list);
    return st;
}

void test_image_free(struct orma_storage *storage)
{
    if (storage)
        orma_storage_fini(storage);
    free(storage);
}

/* ---- its image ---- */

int test_image_write(struct orma_storage *storage, const struct orma_image_label *label,
                     struct orma_buf *ret)
{
    ORMA_AUTO(orma_fd_close) int fd = memfd_create("image", MFD_CLOEXEC);
    int r = fd < 0 ? -1 : orma_image_write(storage, label, fd);

    if (!r && lseek(fd, 0, SEEK_SET) == 0)
        r = orma_fd_read_all(fd, (size_t)1 << 30, ret);
    return r;
}

void test_image_sum(uint8_t *data, size_t size)
{
    struct orma_image_head head;

    if (size < ORMA_IMAGE_BULK)
        return;
    memcpy(&head, data, sizeof(head));
    uint8_t *bulk = data + ORMA_IMAGE_BULK;
    size -= ORMA_IMAGE_BULK;
    if (head.bulk_bytes <= size && head.index_bytes <= size - head.bulk_bytes) {
        uint8_t *index = bulk + head.bulk_bytes, *end = index + head.index_bytes, *sums = index;

        for (uint64_t at = 0; at < head.bulk_bytes && end - sums >= 8; at += ORMA_IMAGE_PIECE) {
            uint64_t sum =
                orma_image_sum(bulk + at, (size_t)ORMA_MIN(head.bulk_bytes - at, ORMA_IMAGE_PIECE));

            memcpy(sums, &sum, sizeof(sum));
            sums += sizeof(sum);
        }
        head.index_sum = orma_image_sum(index, (size_t)head.index_bytes);
    }
    head.head_sum =
        orma_image_sum((const uint8_t *)&head, offsetof(struct orma_image_head, head_sum));
    memcpy(data, &head, sizeof(head));
}

/* ---- equal? ---- */

static char where[200];

static uint64_t text_hash(const struct orma_storage *st, uint32_t id)
{
    struct orma_str s = orma_strpool_get(&st->pool, id);

    return orma_image_sum((const uint8_t *)(s.data ? s.data : ""), s.data ? s.len : 0) + !s.data;
}

static uint64_t cell(const struct orma_storage *st, const struct orma_table *t, unsigned col,
                     uint32_t row)
{
    int64_t val = orma_table_int(t, col, row);

    if (t->def->columns[col].kind == ORMA_COL_STRING)
        return text_hash(st, (uint32_t)val);
    if (orma_table_is_null(t, col, row))
        return UINT64_MAX / 3;
    if (t->def->columns[col].kind == ORMA_COL_DOUBLE) {
        double d = orma_column_double(&t->columns[col], row);

        memcpy(&val, &d, sizeof(val));
    }
    return (uint64_t)val;
}

static uint64_t args_hash(struct orma_storage *st, uint32_t set, struct orma_args_list *list)
{
    uint64_t hash = 0;

    orma_args_load(&st->args, set, list);
    for (uint32_t i = 0; i < list->len; i++) {
        const struct orma_args_item *a = &list->args[i];
        bool text = a->type == ORMA_ARG_STRING || a->type == ORMA_ARG_JSON;

        hash = hash * 31 + text_hash(st, a->key) + text_hash(st, a->flat_key) + a->type;
        hash = hash * 31 + (text ? text_hash(st, a->str) : (uint64_t)a->i);
    }
    return hash;
}

static const char *table_differs(struct orma_storage *a, struct orma_storage *b, unsigned table)
{
    const struct orma_table *x = &a->tables[table], *y = &b->tables[table];

    if (x->rows != y->rows) {
        snprintf(where, sizeof(where), "%s: %u and %u rows", x->def->name, x->rows, y->rows);
        return where;
    }
    for (uint32_t row = 0; row < x->rows; row++) {
        for (unsigned col = 0; col < x->def->columns_num; col++) {
            if (cell(a, x, col, row) == cell(b, y, col, row))
                continue;
            snprintf(where, sizeof(where), "%s.%s of row %u", x->def->name,
                     x->def->columns[col].name, row);
            return where;
        }
    }
    return NULL;
}

static const char *args_differ(struct orma_storage *a, struct orma_storage *b)
{
    const struct orma_table *events = &a->tables[ORMA_TABLE_FTRACE_EVENT];
    struct orma_args_list list = {0};
    const char *ret = NULL;

    for (uint32_t row = 0; !ret && row < events->rows; row++) {
        uint32_t set = orma_args_source_set(&a->args, row);

        if (set != orma_args_source_set(&b->args, row) ||
            args_hash(a, set, &list) != args_hash(b, set, &list))
            ret = "args of an event";
    }
    for (uint32_t set = 0; !ret && set < a->args.table->rows; set++)
        if (args_hash(a, set, &list) != args_hash(b, set, &list))
            ret = "args of a set";
    orma_args_list_fini(&list);
    return ret;
}

static const char *blobs_differ(const struct orma_blobs *a, const struct orma_blobs *b)
{
    for (uint32_t i = 0; i < ORMA_MAX(a->num, b->num); i++) {
        uint8_t x = 0, y = 0;

        if (!orma_str_eq(orma_blobs_get(a, i, &x), orma_blobs_get(b, i, &y)) || x != y)
            return "bytes";
    }
    return NULL;
}

const char *test_image_differs(struct orma_storage *a, struct orma_storage *b)
{
    const char *ret = NULL;

    b = b ? b : a;
    if (!orma_args_settle(&a->args) || !orma_args_settle(&b->args))
        return "memory is out";
    for (unsigned i = 0; !ret && i < ORMA_TABLES_NUM; i++)
        ret = table_differs(a, b, i);
    if (!ret)
        ret = args_differ(a, b);
    if (!ret)
        ret = blobs_differ(&a->video, &b->video);
    return ret ? ret : blobs_differ(&a->arrays, &b->arrays);
}
