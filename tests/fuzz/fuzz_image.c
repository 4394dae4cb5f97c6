/*
 * Images of storages that somebody else wrote: a good one with other bytes in some places, cut
 * anywhere, with sums that are right. What it has is read, added to and taken back.
 *
 *   1 byte    which image; 64 to 127, 192 and more: as an exported archive; 128 and more: cut
 *             behind what byte 2 says
 *   1 byte    length, in 256ths
 *   5 bytes   again and again: region (head, index, bulk), place in it, byte
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "processor/api/archived.h"
#include "processor/store/image_format.h"
#include "sdk/base/fd.h"
#include "tests/support/image.h"

#define PATCH 5

static const uint32_t rows[] = {0, 70, 33000};
static struct orma_buf images[3], archives[3];

static int write_archive(struct orma_storage *st, struct orma_buf *ret)
{
    static const struct orma_archived_facts facts = {.size = 1};
    ORMA_AUTO(orma_fd_close) int fd = memfd_create("archive", MFD_CLOEXEC);
    int r = fd < 0 ? -1 : orma_archived_write(st, &facts, fd);

    if (!r && lseek(fd, 0, SEEK_SET) == 0)
        r = orma_fd_read_all(fd, (size_t)1 << 30, ret);
    return r;
}

/* Rarely one with blocks: it takes longest. */
static const struct orma_buf *image_of(uint8_t first)
{
    unsigned which = first % 8 == 7 ? 2 : first % 2;
    const bool archive = first & 64;
    struct orma_buf *image = archive ? &archives[which] : &images[which];
    struct orma_image_label label = {.key = "fuzz"};

    if (!image->len) {
        struct orma_storage *st = test_image_storage(rows[which]);

        if (archive ? write_archive(st, image) : test_image_write(st, &label, image))
            abort();
        test_image_free(st);
    }
    return image;
}

static void patch(uint8_t *copy, size_t size, const uint8_t *p)
{
    struct orma_image_head head;
    size_t from = 0, len = sizeof(head), at = ((size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3]);

    memcpy(&head, copy, sizeof(head));
    if (p[0] % 8) { /* mostly the index */
        from = ORMA_IMAGE_BULK + (p[0] % 8 < 6 ? (size_t)head.bulk_bytes : 0);
        len = p[0] % 8 < 6 ? (size_t)head.index_bytes : (size_t)head.bulk_bytes;
    }
    if (from < size && len && from + at % len < size)
        copy[from + at % len] = p[4];
}

static void use(struct orma_storage *st)
{
    struct orma_table *slices = &st->tables[ORMA_TABLE_SLICE];
    struct orma_args_list list = {0};
    uint32_t before = slices->rows;

    (void)test_image_differs(st, NULL);
    (void)orma_storage_cstr(st, "made lazily");
    orma_args_put_int(&list, orma_storage_cstr(st, "new"), 7);
    (void)orma_args_commit(&st->args, &list);
    for (uint32_t i = 0; i < 70; i++)
        orma_table_set(slices, ORMA_SLICE_DUR, orma_table_add(slices),
                       -(int64_t)i * (INT64_C(1) << 40));
    for (uint32_t row = 0; row < before; row += 1000)
        orma_table_set(slices, ORMA_SLICE_DUR, row, INT64_MAX - row);
    orma_table_truncate(slices, before / 2);
    orma_args_list_fini(&list);
}

static bool read_it(struct orma_storage *st, bool archive, const uint8_t *data, size_t len)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf why = {0};
    struct orma_image_label label = {.key = "fuzz"};
    struct orma_archived_facts facts;

    if (!archive)
        return !orma_image_read(st, &label, data, len);
    int r = orma_archived_read(st, data, len, 0, &facts, &why);
    if (r && !why.len)
        abort(); /* without a reason */
    return !r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orma_storage *st = calloc(1, sizeof(*st));

    if (size < 2 || !st || orma_storage_init(st)) {
        test_image_free(st);
        return 0;
    }
    const struct orma_buf *image = image_of(data[0] % 128);
    size_t len = data[0] < 128 ? image->len : image->len / 256 * data[1] + data[1];
    uint8_t *copy = malloc(image->len + 256);
    uint8_t *exact = malloc(len ? len : 1);
    if (copy && exact) {
        memcpy(copy, image->data, image->len);
        for (size_t at = 2; size - at >= PATCH; at += PATCH)
            patch(copy, image->len, data + at);
        len = ORMA_MIN(len, image->len);
        memcpy(exact, copy, len); /* of its own size: sanitizers see its end */
        test_image_sum(exact, len);
        if (read_it(st, data[0] & 64, exact, len))
            use(st);
    }
    test_image_free(st);
    free(copy);
    free(exact);
    return 0;
}
