/* gzip: unpacked piece by piece into the one file that lies in it. */
#include "processor/import/file.h"
#include "processor/read/inflate.h"

#include <errno.h>

struct gzip {
    struct orma_inflater *inflater;
    struct orma_file *inside;
};

static void sink(void *data, const uint8_t *bytes, size_t len)
{
    orma_file_feed(data, bytes, len);
}

static size_t gzip_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct gzip *g = file->state;
    struct orma_import *imp = file->imp;

    if (!g->inside)
        g->inside = orma_file_new(imp, file, 0);
    if (!g->inflater)
        g->inflater = orma_inflater_new(ORMA_INFLATE_ZLIB);
    if (!g->inside || !g->inflater) {
        imp->storage->failed = true;
        return 0;
    }
    int r = orma_inflater_feed(g->inflater, (struct orma_str){(const char *)data, len}, sink,
                               g->inside);
    if (r == -ENOMEM)
        imp->storage->failed = true;
    else if (r == -ENOTSUP)
        orma_file_error(imp, r, "this build can't unpack gzip: build with zlib");
    else if (r == -EFBIG)
        orma_file_error(imp, r,
                        "the gzip stream unpacks to more than %d times its size: refused "
                        "as a bomb (ERR:decomp)",
                        ORMA_INFLATE_RATIO);
    else if (r < 0)
        orma_file_error(imp, r, "the gzip stream is corrupt (ERR:decomp)");
    if (at_end && !orma_file_failed(file)) {
        if (!orma_inflater_done(g->inflater))
            orma_file_error(imp, -EBADMSG, "the gzip stream is cut off (ERR:decomp)");
        else
            orma_file_finish(g->inside);
    }
    return len;
}

static void gzip_fini(struct orma_file *file)
{
    struct gzip *g = file->state;

    orma_inflater_free(g->inflater);
}

const struct orma_format_ops orma_format_gzip = {
    .state_bytes = sizeof(struct gzip),
    .read = gzip_read,
    .fini = gzip_fini,
};
