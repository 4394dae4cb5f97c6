/* What comes out: files, their limits and failures, compression. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "protos/fields/config.h"
#include "protos/fields/ipc.h"
#include "protos/fields/trace.h"
#include "sdk/base/fd.h"
#include "tests/integration/traced/fixture.h"

static void configure(struct fixture *s)
{
    rig_config_buffer(&s->config, 256, 1);
    rig_config_source(&s->config, "test.source", 0);
}

static void into_file(struct fixture *s)
{
    configure(s);
    orma_pb_put_u64(&s->config, ORMA_PB_TRACE_CONFIG_WRITE_INTO_FILE, 1);
}

static void read_file(int fd, struct orma_buf *ret)
{
    orma_buf_clear(ret);
    cr_assert_geq(lseek(fd, 0, SEEK_SET), 0);
    cr_assert_eq(orma_fd_read_all(fd, 1 << 24, ret), 0);
}

/* ---- files ---- */

Test(traced_output, the_service_makes_the_file_at_a_path_once)
{
    struct fixture s;
    char path[] = "/tmp/orma-test-XXXXXX/trace", dir[sizeof(path)];
    struct stat st;

    memcpy(dir, path, sizeof(path));
    dir[strlen(dir) - strlen("/trace")] = 0;
    cr_assert(mkdtemp(dir));
    memcpy(path, dir, strlen(dir));
    for (int round = 0; round < 2; round++) {
        fixture_init(&s, false);
        into_file(&s);
        orma_pb_put_cstr(&s.config, ORMA_PB_TRACE_CONFIG_OUTPUT_PATH, path);
        if (round == 0) {
            fixture_enable(&s, -1);
            fixture_commit(&s, 0, TEXTS("text"));
            fixture_disable(&s);
            cr_assert_str_eq(fixture_error(&s), "");
        } else {
            rig_enable(s.consumer, &s.config, -1, &s.enabled);
            rig_wait(s.consumer, &s.enabled);
            cr_assert(strstr(fixture_error(&s), path), "the file is there already: %s",
                      fixture_error(&s));
        }
        fixture_fini(&s);
    }
    cr_assert_eq(stat(path, &st), 0);
    cr_assert_eq(st.st_mode & 0777, 0644);
    cr_assert_gt(st.st_size, 0);
    unlink(path);
    rmdir(dir);
}

Test(traced_output, a_file_stays_below_its_limit)
{
    struct fixture s;
    struct stat st;
    int fd = memfd_create("trace", MFD_CLOEXEC);

    fixture_init(&s, false);
    into_file(&s);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_MAX_FILE_SIZE_BYTES, 1500);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_FILE_WRITE_PERIOD_MS, 100);
    fixture_enable(&s, fd);
    for (uint32_t i = 0; i < 60; i++)
        fixture_commit(&s, i, TEXTS("a packet with some text, so that the file becomes full"));
    rig_wait(s.consumer, &s.enabled); /* the session ends by itself */
    cr_assert(s.enabled.success);
    cr_assert_str_eq(fixture_error(&s), "");
    cr_assert_eq(fstat(fd, &st), 0);
    cr_assert_lt(st.st_size, 1500);
    cr_assert_gt(st.st_size, 1000); /* some of the rest is kept for statistics that may grow */
    read_file(fd, &s.trace);
    cr_assert_gt(rig_count(&s.trace, RIG_TEXT), 1);
    close(fd);
    fixture_fini(&s);
}

/* Long before its period is over: four times the buffer, of which nothing may be overwritten. */
Test(traced_output, a_buffer_that_fills_up_goes_into_the_file_at_once)
{
    struct fixture s;
    char text[3000] = {0};
    int fd = memfd_create("trace", MFD_CLOEXEC);
    unsigned num = 4 * 256 * 1024 / sizeof(text);

    memset(text, 'x', sizeof(text) - 1);
    fixture_init(&s, false);
    into_file(&s);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_FILE_WRITE_PERIOD_MS, 3600000);
    fixture_enable(&s, fd);
    for (uint32_t i = 0; i < num; i++)
        fixture_commit(&s, i, TEXTS(text));
    fixture_disable(&s);
    read_file(fd, &s.trace);
    cr_assert_eq(rig_count(&s.trace, RIG_TEXT), num);
    close(fd);
    fixture_fini(&s);
}

/* So does what no cache would hold for long, however large the buffer: here 1 of 64 MiB. */
Test(traced_output, a_large_buffer_is_read_while_it_is_hot)
{
    struct fixture s;
    char text[3000] = {0};
    int fd = memfd_create("trace", MFD_CLOEXEC);
    struct stat st;

    memset(text, 'x', sizeof(text) - 1);
    fixture_init(&s, false);
    rig_config_buffer(&s.config, 65536, 1);
    rig_config_source(&s.config, "test.source", 0);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_WRITE_INTO_FILE, 1);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_FILE_WRITE_PERIOD_MS, 3600000);
    fixture_enable(&s, fd);
    uint32_t num = 0;
    do {
        cr_assert_lt(num * sizeof(text), 8u << 20);
        fixture_commit(&s, num++, TEXTS(text));
        cr_assert_eq(fstat(fd, &st), 0);
    } while (st.st_size < 1 << 19);
    fixture_disable(&s);
    read_file(fd, &s.trace);
    cr_assert_eq(rig_count(&s.trace, RIG_TEXT), num);
    close(fd);
    fixture_fini(&s);
}

/* Two sessions, one of which has a full disk. */
Test(traced_output, a_full_disk_ends_its_session_with_an_error_and_no_other)
{
    struct fixture s;
    struct orma_buf good_config = {0};
    struct rig_reply good = {0};
    int full = open("/dev/full", O_RDWR | O_CLOEXEC), fine = memfd_create("trace", MFD_CLOEXEC);

    fixture_init(&s, false);
    struct orma_ipc_client *other = rig_connect(s.rig.consumer_addr, "ConsumerPort");
    into_file(&s);
    orma_buf_put(&good_config, s.config.data, s.config.len);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_FILE_WRITE_PERIOD_MS, 100);
    fixture_enable(&s, full);
    fixture_commit(&s, 0, TEXTS("lost"));
    rig_wait(s.consumer, &s.enabled); /* the session ends by itself */
    cr_assert(strstr(fixture_error(&s), strerror(ENOSPC)), "%s", fixture_error(&s));
    unsigned starts = s.producer.starts;
    rig_enable(other, &good_config, fine, &good);
    rig_producer_wait(&s.producer, &s.producer.starts, starts + 1);
    fixture_commit(&s, 1, TEXTS("kept"));
    cr_assert(rig_ok(other, "DisableTracing", NULL));
    rig_wait(other, &good);
    read_file(fine, &s.trace);
    cr_assert_str_eq(rig_texts(&s.trace, &s.text), "kept");
    close(full);
    close(fine);
    rig_reply_fini(&good);
    orma_buf_fini(&good_config);
    orma_ipc_client_free(other);
    fixture_fini(&s);
}

/* A pipe that nobody reads is a disk that hangs: everybody else goes on. */
Test(traced_output, a_hanging_disk_delays_nobody)
{
    struct fixture s;
    struct orma_buf other_config = {0};
    struct rig_reply other_end = {0};
    int pipe_fds[2];
    char filler[2000] = {0};

    memset(filler, 'x', sizeof(filler) - 1);
    cr_assert_eq(pipe2(pipe_fds, O_CLOEXEC), 0);
    fixture_init(&s, false);
    struct orma_ipc_client *other = rig_connect(s.rig.consumer_addr, "ConsumerPort");
    configure(&s);
    orma_buf_put(&other_config, s.config.data, s.config.len);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_WRITE_INTO_FILE, 1);
    orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_FILE_WRITE_PERIOD_MS, 100);
    fixture_enable(&s, pipe_fds[1]);
    for (uint32_t i = 0; i < 80; i++) /* more than a pipe holds */
        fixture_commit(&s, i, TEXTS(filler));
    unsigned starts = s.producer.starts;
    rig_enable(other, &other_config, -1, &other_end);
    rig_producer_wait(&s.producer, &s.producer.starts, starts + 1);
    fixture_commit(&s, 80, TEXTS("kept"));
    cr_assert(rig_ok(other, "DisableTracing", NULL));
    rig_wait(other, &other_end);
    cr_assert_str_eq(fixture_read(&s, other), "kept");
    cr_assert_not(s.enabled.done);
    close(pipe_fds[0]); /* and the disk comes back, broken */
    rig_wait(s.consumer, &s.enabled);
    cr_assert(strstr(fixture_error(&s), strerror(EPIPE)), "%s", fixture_error(&s));
    close(pipe_fds[1]);
    rig_reply_fini(&other_end);
    orma_buf_fini(&other_config);
    orma_ipc_client_free(other);
    fixture_fini(&s);
}

/* ---- compression ---- */

static size_t expand(uint32_t field, const struct orma_pb_field *f, uint8_t *to, size_t cap)
{
#ifdef HAVE_ZLIB
    uLongf len = (uLongf)cap;

    if (field == ORMA_PB_TRACE_PACKET_COMPRESSED_PACKETS)
        return uncompress(to, &len, f->data, f->len) == Z_OK ? len : 0;
#endif
#ifdef HAVE_ZSTD
    if (field == ORMA_PB_TRACE_PACKET_ZSTD_COMPRESSED_PACKETS)
        return ZSTD_decompress(to, cap, f->data, f->len);
#endif
    (void)field, (void)f, (void)to, (void)cap;
    return 0;
}

/* Replaces the trace, all of whose packets must be compressed, by what is in them. */
static unsigned expand_all(struct orma_buf *trace, uint32_t field)
{
    struct orma_pb_reader r = orma_pb_reader(trace->data, trace->len);
    struct orma_pb_field packet, f;
    struct orma_buf out = {0};
    unsigned streams = 0;

    while (orma_pb_next(&r, &packet)) {
        struct orma_pb_reader p = orma_pb_sub(&packet);
        size_t cap = 1 << 20;

        cr_assert(orma_pb_next(&p, &f));
        cr_assert_eq(f.id, field);
        cr_assert_eq(p.pos, p.end, "the stream is the only field");
        cr_assert(orma_buf_reserve(&out, cap));
        size_t len = expand(field, &f, out.data + out.len, cap);
        cr_assert_gt(len, 0);
        cr_assert_lt(f.len, len);
        out.len += len;
        streams++;
    }
    orma_buf_fini(trace);
    *trace = out;
    return streams;
}

struct kind {
    const char *what;
    uint32_t field;
    bool legacy, deflate, zstd, available;
};

static const struct kind kinds[] = {
#ifdef HAVE_ZLIB
    {"old way", ORMA_PB_TRACE_PACKET_COMPRESSED_PACKETS, true, false, false, true},
    {"deflate", ORMA_PB_TRACE_PACKET_COMPRESSED_PACKETS, false, true, false, true},
#endif
#ifdef HAVE_ZSTD
    {"zstd", ORMA_PB_TRACE_PACKET_ZSTD_COMPRESSED_PACKETS, false, false, true, true},
    {"both: zstd", ORMA_PB_TRACE_PACKET_ZSTD_COMPRESSED_PACKETS, true, true, true, true},
#endif
    {0},
};

static void put_kind(struct orma_buf *config, const struct kind *k)
{
    if (k->legacy)
        orma_pb_put_u64(config, ORMA_PB_TRACE_CONFIG_COMPRESSION_TYPE,
                        ORMA_PB_TRACE_CONFIG_COMPRESSION_TYPE_DEFLATE);
    size_t all = orma_pb_begin(config, ORMA_PB_TRACE_CONFIG_COMPRESSION);
    if (k->deflate)
        orma_pb_put_bytes(config, ORMA_PB_TRACE_CONFIG_COMPRESSION_CONFIG_DEFLATE, "", 0);
    if (k->zstd)
        orma_pb_put_bytes(config, ORMA_PB_TRACE_CONFIG_COMPRESSION_CONFIG_ZSTD, "", 0);
    orma_pb_end(config, all);
}

static void check_trace(struct fixture *s, const struct kind *k)
{
    cr_assert_geq(expand_all(&s->trace, k->field), 1, "%s", k->what);
    cr_assert_str_eq(rig_texts(&s->trace, &s->text), "one two three", "%s", k->what);
    cr_assert_eq(rig_count(&s->trace, ORMA_PB_TRACE_PACKET_TRACE_STATS), 1, "%s", k->what);
    cr_assert_eq(rig_count(&s->trace, ORMA_PB_TRACE_PACKET_TRUSTED_PID), 3, "%s", k->what);
}

Test(traced_output, a_compressed_trace_over_the_socket)
{
    for (const struct kind *k = kinds; k->what; k++) {
        struct fixture s;

        fixture_init(&s, false);
        configure(&s);
        put_kind(&s.config, k);
        fixture_enable(&s, -1);
        fixture_commit(&s, 0, TEXTS("one", "two"));
        fixture_commit(&s, 1, TEXTS("three"));
        fixture_disable(&s);
        fixture_read(&s, s.consumer);
        check_trace(&s, k);
        fixture_read(&s, s.consumer);
        fixture_fini(&s);
    }
}

Test(traced_output, a_compressed_file)
{
    for (const struct kind *k = kinds; k->what; k++) {
        struct fixture s;
        int fd = memfd_create("trace", MFD_CLOEXEC);

        fixture_init(&s, false);
        into_file(&s);
        put_kind(&s.config, k);
        fixture_enable(&s, fd);
        fixture_commit(&s, 0, TEXTS("one", "two"));
        fixture_commit(&s, 1, TEXTS("three"));
        fixture_disable(&s);
        read_file(fd, &s.trace);
        check_trace(&s, k);
        close(fd);
        fixture_fini(&s);
    }
}

Test(traced_output, a_compressed_file_stays_below_its_limit)
{
    for (const struct kind *k = kinds; k->what; k++) {
        struct fixture s;
        struct stat st;
        int fd = memfd_create("trace", MFD_CLOEXEC);

        fixture_init(&s, false);
        into_file(&s);
        put_kind(&s.config, k);
        orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_MAX_FILE_SIZE_BYTES, 100);
        orma_pb_put_u64(&s.config, ORMA_PB_TRACE_CONFIG_FILE_WRITE_PERIOD_MS, 100);
        fixture_enable(&s, fd);
        rig_wait(s.consumer, &s.enabled);
        cr_assert_str_eq(fixture_error(&s), "");
        cr_assert_eq(fstat(fd, &st), 0);
        cr_assert_lt(st.st_size, 100);
        close(fd);
        fixture_fini(&s);
    }
}
