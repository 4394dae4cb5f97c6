/*
 * A tar archive ("ustar") is its members one behind the other, each a head of 512 bytes and the
 * bytes of the file, padded to 512; two empty heads are the end. A head is written when its member
 * is there, whose size it has.
 */
#include "processor/export/arrow_tar.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "processor/api/folder.h"
#include "processor/export/files.h"
#include "processor/store/table.h"
#include "sdk/base/fd.h"

#define BLOCK ORMA_TAR_BLOCK
#define MEMBER_MAX ((off_t)ORMA_TAR_SIZE_MAX)
/* Rows of a batch. */
#define ROWS 131072

static int put_rows(struct orma_processor *tp, const char *table, FILE *out, struct orma_buf *error)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    struct orma_columns *columns = NULL;
    struct orma_query *query;

    orma_buf_printf(&sql, "SELECT * FROM \"%s\"", table);
    int r =
        sql.failed ? -ENOMEM : orma_query_prepare(tp, orma_buf_cstr(&sql), SIZE_MAX, &query, NULL);
    if (r < 0) {
        orma_buf_put_str(error, sql.failed ? strerror(ENOMEM) : orma_processor_error(tp));
        return r;
    }
    r = orma_columns_new(query, ROWS, false, &columns);
    if (r < 0) {
        orma_query_free(query);
        orma_buf_put_str(error, strerror(-r));
        return r;
    }
    r = orma_export_arrow(columns, out);
    if (r < 0)
        orma_buf_put_str(error, r == -ENOTSUP ? "Arrow files are written by little-endian machines only"
                                : r == -EIO && errno ? strerror(errno)
                                                     : orma_columns_error(columns));
    orma_columns_free(columns);
    return r;
}

static int put_member(struct orma_processor *tp, const char *table, FILE *out,
                      struct orma_buf *error)
{
    const off_t at = ftello(out);
    struct orma_tar_head head = {0};
    char name[ORMA_TAR_NAME_MAX + 1];

    errno = 0;
    if (at < 0 || fwrite(&head, 1, sizeof(head), out) != sizeof(head))
        goto failed;
    int r = put_rows(tp, table, out, error);
    if (r < 0)
        return r;
    const off_t end = ftello(out), size = end - at - BLOCK;
    if (end >= 0 && size > MEMBER_MAX) {
        orma_buf_printf(error, "%s: a member of an archive cannot be larger than 8 GiB", table);
        return -EFBIG;
    }
    const size_t pad = (size_t)(-size & (BLOCK - 1));
    if (end < 0 || fwrite((char[BLOCK]){0}, 1, pad, out) != pad || fseeko(out, at, SEEK_SET) < 0)
        goto failed;
    snprintf(name, sizeof(name), "%s.arrow", table);
    orma_tar_head_fill(&head, name, (uint64_t)size);
    if (fwrite(&head, 1, sizeof(head), out) == sizeof(head) && fseeko(out, 0, SEEK_END) == 0)
        return 0;
failed:
    r = errno ? -errno : -EIO;
    orma_buf_put_str(error, strerror(-r));
    return r;
}

int orma_export_arrow_tar(struct orma_processor *tp, int fd, struct orma_buf *error)
{
    const char end[2 * BLOCK] = {0};
    int copy = dup(fd), r = 0;
    FILE *out = copy < 0 ? NULL : fdopen(copy, "wb");

    if (!out) {
        r = -errno;
        orma_buf_put_str(error, strerror(-r));
        orma_fd_close(&copy);
        return r;
    }
    for (size_t i = 0; i < ORMA_TABLES_NUM && r == 0; i++) {
        if (!strncmp(orma_table_defs[i].name, "__intrinsic_", 12)) /* others SQL does not see */
            r = put_member(tp, orma_table_defs[i].name, out, error);
    }
    errno = 0;
    bool whole = r < 0 || fwrite(end, 1, sizeof(end), out) == sizeof(end);
    whole &= fclose(out) == 0;
    if (r == 0 && !whole) {
        r = errno ? -errno : -EIO;
        orma_buf_put_str(error, strerror(-r));
    }
    return r;
}

int orma_export_arrow_tar_pieces(struct orma_processor *tp, orma_export_piece_fn *fn, void *ctx,
                                 struct orma_buf *error)
{
    ORMA_AUTO(orma_fd_close) int fd = orma_export_temporary(error);

    if (fd < 0)
        return fd;
    int r = orma_export_arrow_tar(tp, fd, error);
    if (r == 0) {
        r = lseek(fd, 0, SEEK_SET) < 0 ? -errno : orma_export_hand_over(fd, fn, ctx);
        if (r < 0)
            orma_buf_put_str(error, strerror(-r));
    }
    return r;
}
