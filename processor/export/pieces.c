/* Files of ours that nobody else sees, and handing them over. */
#include "processor/export/pieces.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
