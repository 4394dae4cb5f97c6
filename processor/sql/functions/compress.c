/* Compression of texts and blobs. */
#include <errno.h>
#include <stdlib.h>

#include "processor/sql/functions/functions.h"

#ifdef ORMA_HAVE_ZSTD
#include <zstd.h>

#define PIECE ((size_t)1 << 20) /* between two looks at the interrupt flag */

/* One frame with its size in front. */
static int compress(struct orma_sql *sql, ZSTD_CStream *z, ZSTD_inBuffer in, ZSTD_outBuffer *out)
{
    const size_t whole = in.size;
    size_t left;

    if (ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(z, whole)))
        return -ENOMEM;
    do {
        bool last = whole - in.pos <= PIECE;

        if (orma_sql_is_interrupted(sql))
            return -ECANCELED;
        in.size = last ? whole : in.pos + PIECE;
        left = ZSTD_compressStream2(z, out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left) || (out->pos == out->size && left))
            return -ENOMEM;
    } while (in.pos < whole || left);
    return 0;
}

static void zstd_compress(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    ZSTD_inBuffer in = {0};
    ZSTD_outBuffer out = {0};
    ZSTD_CStream *z;
    int r;

    (void)argc;
    if (orma_value_is_null(argv[0]))
        return;
    if (sqlite3_value_type(argv[0]) != SQLITE_BLOB && sqlite3_value_type(argv[0]) != SQLITE_TEXT) {
        orma_result_error(ctx, "ZSTD: argument must be a string or blob");
        return;
    }
    in.src = sqlite3_value_blob(argv[0]);
    in.size = (size_t)sqlite3_value_bytes(argv[0]);
    out.size = ZSTD_compressBound(in.size);
    out.dst = malloc(out.size);
    z = ZSTD_createCStream();
    r = out.dst && z ? compress(orma_sql_of(ctx), z, in, &out) : -ENOMEM;
    if (r == 0)
        sqlite3_result_blob64(ctx, out.dst, out.pos, SQLITE_TRANSIENT);
    else
        orma_result_errno(ctx, r);
    ZSTD_freeCStream(z);
    free(out.dst);
}
#else
static void zstd_compress(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    (void)argv;
    orma_result_error(ctx, "ZSTD: zstd is not compiled into this build (-Dzstd=enabled)");
}
#endif

const struct orma_sql_func orma_functions_compress[] = {
    {.name = "__intrinsic_zstd_compress",
     .args = 1,
     .scalar = zstd_compress,
     .usage = "(content ANY) -> BYTES",
     .doc = "The string or blob as one Zstandard frame, if built in; NULL for NULL."},
    {0},
};
