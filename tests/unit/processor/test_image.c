#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "processor/store/image_format.h"
#include "tests/support/image.h"
#include "tests/support/leaks.h"

static const struct orma_image_label label = {.key = "a key", .notes = {1, -2, 3}};

/* A copy of its own size, so that sanitizers see what is read behind its end. */
static uint8_t *copy_of(const struct orma_buf *image, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);

    memcpy(copy, image->data, ORMA_MIN(size, image->len));
    return copy;
}

/* A fresh storage with what the bytes say. */
static int read_image(const uint8_t *data, size_t size, struct orma_storage **ret)
{
    struct orma_image_label l = label;

    *ret = calloc(1, sizeof(**ret));
    cr_assert_eq(orma_storage_init(*ret), 0);
    return orma_image_read(*ret, &l, data, size);
}

Test(image, has_all_that_the_storage_had)
{
    static const uint32_t rows[] = {0, 1, 64, 65, 32768, 32769, 100003};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(rows); i++) {
        struct orma_storage *a = test_image_storage(rows[i]), *b;
        struct orma_buf image = {0};

        cr_assert_eq(test_image_write(a, &label, &image), 0);
        cr_assert_eq(read_image(image.data, image.len, &b), 0, "%u rows", rows[i]);
        const char *differs = test_image_differs(a, b);
        cr_assert_null(differs, "%u rows: %s", rows[i], differs);
        test_image_free(a);
        test_image_free(b);
        orma_buf_fini(&image);
    }
    orma_assert_no_leaks();
}

Test(image, is_of_one_key_and_has_notes)
{
    struct orma_storage *a = test_image_storage(10), *b;
    struct orma_image_label other = {.key = "another"}, same = {.key = "a key"};
    struct orma_buf image = {0};

    cr_assert_eq(test_image_write(a, &label, &image), 0);
    b = calloc(1, sizeof(*b));
    orma_storage_init(b);
    cr_assert_eq(orma_image_read(b, &other, image.data, image.len), -EBADMSG);
    cr_assert_eq(orma_image_read(b, &same, image.data, image.len), 0);
    cr_assert_eq(same.notes[1], -2);
    test_image_free(a);
    test_image_free(b);
    orma_buf_fini(&image);
    orma_assert_no_leaks();
}

/* Functions make slices and describe them; what they made goes again. */
Test(image, can_be_added_to_and_changed)
{
    struct orma_storage *a = test_image_storage(70000), *b;
    struct orma_args_list list = {0};
    struct orma_buf image = {0};

    cr_assert_eq(test_image_write(a, &label, &image), 0);
    uint64_t before = orma_image_sum(image.data, image.len);
    cr_assert_eq(read_image(image.data, image.len, &b), 0);
    struct orma_table *t = &b->tables[ORMA_TABLE_SLICE];
    uint32_t rows = t->rows, sets = b->args.table->rows;

    orma_args_put_int(&list, orma_storage_cstr(b, "new"), 1);
    uint32_t set = orma_args_commit(&b->args, &list);
    cr_assert_eq(set, sets);
    orma_args_load(&b->args, 4, &list); /* one that is there */
    cr_assert_eq(orma_args_commit(&b->args, &list), 4);
    orma_table_set(t, ORMA_SLICE_ARG_SET_ID, 3, set); /* in a block */
    orma_table_set(t, ORMA_SLICE_DUR, 5, INT64_MAX);
    for (uint32_t i = 0; i < 100000; i++)
        orma_table_set(t, ORMA_SLICE_TS, orma_table_add(t), INT64_MIN + i);
    cr_assert_eq(orma_table_int(t, ORMA_SLICE_ARG_SET_ID, 3), set);
    cr_assert_eq(orma_table_int(t, ORMA_SLICE_TS, rows + 99999), INT64_MIN + 99999);
    orma_table_set(t, ORMA_SLICE_DUR, 5, 5);
    orma_table_set_null(t, ORMA_SLICE_ARG_SET_ID, 3);
    orma_table_truncate(t, rows);
    orma_table_truncate(b->args.table, sets);
    const char *differs = test_image_differs(a, b);
    cr_assert_null(differs, "%s", differs);
    cr_assert_eq(orma_image_sum(image.data, image.len), before, "the image was written to");
    orma_args_list_fini(&list);
    test_image_free(a);
    test_image_free(b);
    orma_buf_fini(&image);
    orma_assert_no_leaks();
}

Test(image, is_refused_when_others_know_other_texts)
{
    struct orma_storage *a = test_image_storage(10), *b = calloc(1, sizeof(*b));
    struct orma_image_label l = label;
    struct orma_buf image = {0};

    cr_assert_eq(test_image_write(a, &label, &image), 0);
    orma_storage_init(b);
    orma_storage_cstr(b, "known before");
    cr_assert_eq(orma_image_read(b, &l, image.data, image.len), -ENOENT);
    cr_assert_eq(orma_storage_cstr(b, "known before"), b->pool.len - 1, "it is as it was");
    test_image_free(a);
    test_image_free(b);
    orma_buf_fini(&image);
    orma_assert_no_leaks();
}

/* ---- damage ---- */

static void expect_refused_or_equal(struct orma_storage *a, const uint8_t *data, size_t size,
                                    size_t at)
{
    struct orma_storage *b;
    int r = read_image(data, size, &b);

    cr_assert(r == 0 || r == -EBADMSG, "byte %zu: %d", at, r);
    const char *differs = r ? NULL : test_image_differs(a, b);
    cr_assert_null(differs, "byte %zu: %s", at, differs);
    test_image_free(b);
}

Test(image, cut_anywhere_is_refused)
{
    struct orma_storage *a = test_image_storage(3000), *b;
    struct orma_buf image = {0};

    cr_assert_eq(test_image_write(a, &label, &image), 0);
    for (size_t size = 0; size < image.len; size += size < 5000 ? 97 : 16411) {
        uint8_t *copy = copy_of(&image, size);

        cr_assert_eq(read_image(copy, size, &b), -EBADMSG, "%zu of %zu bytes", size, image.len);
        test_image_free(b);
        free(copy);
    }
    test_image_free(a);
    orma_buf_fini(&image);
    orma_assert_no_leaks();
}

Test(image, with_a_bit_turned_is_refused_or_equal)
{
    struct orma_storage *a = test_image_storage(300);
    struct orma_buf image = {0};

    cr_assert_eq(test_image_write(a, &label, &image), 0);
    for (size_t at = 0; at < image.len; at += at < sizeof(struct orma_image_head) ? 1 : 1999) {
        image.data[at] ^= (uint8_t)(1 << at % 8);
        expect_refused_or_equal(a, image.data, image.len, at);
        image.data[at] ^= (uint8_t)(1 << at % 8);
    }
    test_image_free(a);
    orma_buf_fini(&image);
    orma_assert_no_leaks();
}

/* Whoever writes other bytes with the right sums gets other rows, and no more. */
Test(image, of_somebody_else_does_no_harm)
{
    struct orma_storage *a = test_image_storage(40000), *b;
    struct orma_buf image = {0};
    struct orma_image_head head;
    uint64_t state = 1;

    cr_assert_eq(test_image_write(a, &label, &image), 0);
    memcpy(&head, image.data, sizeof(head));
    for (unsigned run = 0; run < 100; run++) {
        uint8_t *copy = copy_of(&image, image.len);
        size_t index = ORMA_IMAGE_BULK + (size_t)head.bulk_bytes;

        for (unsigned i = 0; i <= run % 4; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            size_t from = run % 8 ? index : run % 16 ? 0 : ORMA_IMAGE_BULK;
            size_t span = run % 8 ? (size_t)head.index_bytes : image.len - from;

            copy[from + (state >> 20) % span] = (uint8_t)(state >> 12);
        }
        test_image_sum(copy, image.len);
        if (read_image(copy, image.len, &b) == 0)
            (void)test_image_differs(b, NULL);
        test_image_free(b);
        free(copy);
    }
    test_image_free(a);
    orma_buf_fini(&image);
    orma_assert_no_leaks();
}

Test(image, tells_a_full_disk)
{
    struct orma_storage *a = test_image_storage(10);
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

    cr_assert(orma_image_write(a, &label, fd) < 0);
    (void)close(fd);
    test_image_free(a);
    orma_assert_no_leaks();
}
