/* Files of ours that nobody else sees, and handing them over. */
#include "processor/export/pieces.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdk/base/fd.h"

#define PIECE_BYTES ((size_t)1 << 20)

/* Exactly what read() gives until the end; the last piece is known by the next one being empty. */
int orma_export_hand_over(int fd, orma_export_piece_fn *fn, void *ctx)
{
    uint8_t *block = malloc(2 * PIECE_BYTES), *now = block, *next = block + PIECE_BYTES;
    ssize_t len = block ? read(fd, now, PIECE_BYTES) : -1, then = 1;
    bool wanted = true;

    while (len > 0 && then > 0 && wanted) {
        then = read(fd, next, PIECE_BYTES);
        if (then < 0)
            break;
        wanted = fn(ctx, now, (size_t)len, then > 0);
        uint8_t *swap = now;
        now = next;
        next = swap;
        len = then;
    }
    int r = !block ? -ENOMEM : len < 0 || then < 0 ? -errno : 0;
    free(block);
    return r;
}

int orma_export_temporary(struct orma_buf *error)
{
    const char *tmp = getenv("TMPDIR");
    char path[256];

    snprintf(path, sizeof(path), "%.200s/orma-export-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0) {
        int r = -errno;
        orma_buf_printf(error, "%s: %s", path, strerror(-r));
        return r;
    }
    (void)unlink(path); /* it was ours alone */
    return fd;
}

struct copy {
    int fd, error;
};

static bool put_piece(void *ctx, const void *data, size_t len, bool more)
{
    struct copy *copy = ctx;

    (void)more;
    copy->error = orma_fd_write_all(copy->fd, data, len);
    return copy->error == 0;
}

int orma_export_write(struct orma_processor *tp, orma_export_pieces_fn *export, int fd,
                      struct orma_buf *error)
{
    struct copy copy = {.fd = fd};
    int r = export(tp, put_piece, &copy, error);

    if (r == 0 && copy.error) {
        r = copy.error;
        orma_buf_put_str(error, strerror(-r));
    }
    return r;
}
