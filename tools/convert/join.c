#include "tools/convert/join.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protos/fields/common.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/wire/pb_reader.h"

/* The service writes id and clocks first. */
#define HEAD_MAX ((size_t)1 << 20)
#define PIECE ((size_t)256 << 10)

struct head {
    const char *path;
    uint64_t uuid[2];
    uint64_t begun_ns; /* boot clock, 0: not said */
    bool has_uuid;
};

static void read_uuid(struct orma_pb_reader r, struct head *to)
{
    struct orma_pb_field f;

    to->has_uuid = true;
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_TRACE_UUID_MSB || f.id == ORMA_PB_TRACE_UUID_LSB)
            to->uuid[f.id == ORMA_PB_TRACE_UUID_LSB] = f.num;
}

static void read_clocks(struct orma_pb_reader r, struct head *to)
{
    struct orma_pb_field f, in;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader clock = orma_pb_sub(&f);
        uint64_t id = 0, ts = 0;

        if (f.id != ORMA_PB_CLOCK_SNAPSHOT_CLOCKS)
            continue;
        while (orma_pb_next(&clock, &in)) {
            if (in.id == ORMA_PB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID)
                id = orma_pb_u64(&in);
            else if (in.id == ORMA_PB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP)
                ts = orma_pb_u64(&in);
        }
        if (id == ORMA_PB_BUILTIN_CLOCK_BOOTTIME)
            to->begun_ns = ts;
    }
}

static void read_packet(struct orma_pb_reader r, struct head *to)
{
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_PACKET_TRACE_UUID && !to->has_uuid)
            read_uuid(orma_pb_sub(&f), to);
        else if (f.id == ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT && !to->begun_ns)
            read_clocks(orma_pb_sub(&f), to);
    }
}

static bool read_head(const char *path, struct head *ret)
{
    ORMA_AUTO(orma_fd_close) int fd = orma_fd_open_regular(AT_FDCWD, path, 0);
    uint8_t *data = fd < 0 ? NULL : malloc(HEAD_MAX);
    ssize_t n = data ? pread(fd, data, HEAD_MAX, 0) : 0;
    struct orma_pb_reader r = orma_pb_reader(data, n > 0 ? (size_t)n : 0);
    struct orma_pb_field f;

    *ret = (struct head){.path = path};
    while (!(ret->has_uuid && ret->begun_ns) && orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_TRACE_PACKET || f.wire != ORMA_PB_LEN)
            break; /* something else than a trace */
        read_packet(orma_pb_sub(&f), ret);
    }
    free(data);
    return ret->has_uuid && ret->begun_ns;
}

static int compare(const void *a, const void *b)
{
    const struct head *x = a, *y = b;

    return (x->begun_ns > y->begun_ns) - (x->begun_ns < y->begun_ns);
}

bool orma_convert_join_fits(const char **traces, size_t num)
{
    struct head *heads = calloc(num ? num : 1, sizeof(*heads));
    bool same = heads && num > 1;

    for (size_t i = 0; i < num && same; i++)
        same = read_head(traces[i], &heads[i]) &&
               !memcmp(heads[i].uuid, heads[0].uuid, sizeof(heads[0].uuid));
    if (same)
        qsort(heads, num, sizeof(*heads), compare);
    for (size_t i = 1; i < num && same; i++)
        same = heads[i].begun_ns != heads[i - 1].begun_ns; /* otherwise it is the same file twice */
    for (size_t i = 0; i < num && same; i++)
        traces[i] = heads[i].path;
    free(heads);
    return same;
}

static int copy(const struct orma_output *out, const char *path)
{
    ORMA_AUTO(orma_fd_close) int fd = orma_fd_open_regular(AT_FDCWD, path, 0);
    char *piece = malloc(PIECE);
    int r = fd < 0 ? fd : piece ? 0 : -ENOMEM;
    ssize_t n = 1;

    while (r == 0 && (n = read(fd, piece, PIECE)) > 0) {
        int written = orma_fd_write_all(out->fd, piece, (size_t)n);

        if (written < 0) {
            free(piece);
            return orma_output_failed(out, -written);
        }
    }
    r = r == 0 && n < 0 ? -errno : r;
    free(piece);
    if (r < 0)
        fprintf(stderr, "%s: %s: %s\n", out->want.program, path, strerror(-r));
    return r;
}

int orma_convert_join_write(const struct orma_output_want *want, const char *const *traces,
                            size_t num)
{
    struct orma_output out;
    char what[64];
    int r = orma_output_open(&out, want);

    if (r < 0)
        return r;
    for (size_t i = 0; i < num && r == 0; i++)
        r = copy(&out, traces[i]);
    snprintf(what, sizeof(what), "one recording of %zu files", num);
    return orma_output_close(&out, r, what);
}
