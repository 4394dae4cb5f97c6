#include "processor/export/archive.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "processor/api/processor_impl.h"
#include "sdk/base/fd.h"

int orma_export_archive_pieces(struct orma_processor *tp, orma_export_piece_fn *fn, void *ctx,
                               struct orma_buf *error)
{
    ORMA_AUTO(orma_fd_close) int fd = orma_export_temporary(error);

    if (fd < 0)
        return fd;
    int r = orma_processor_write_archive(tp, fd, error);
    if (r == 0) {
        r = lseek(fd, 0, SEEK_SET) < 0 ? -errno : orma_export_hand_over(fd, fn, ctx);
        if (r < 0)
            orma_buf_put_str(error, strerror(-r));
    }
    return r;
}
