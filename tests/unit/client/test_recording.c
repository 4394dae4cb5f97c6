#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "orma/orma.h"
#include "sdk/base/fd.h"
#include "sdk/base/hash.h"
#include "tests/support/leaks.h"
#include "tests/support/session.h"

ORMA_CATEGORY_DEFINE(work, "work", NULL, NULL);
ORMA_CATEGORY_DEFINE(noise, "noise", NULL, NULL);

static int new_file(void)
{
    int fd = memfd_create("trace", MFD_CLOEXEC);

    cr_assert_geq(fd, 0);
    return fd;
}

static struct orma_recording *start(int fd, uint32_t mode, uint32_t kb, const char *categories)
{
    struct orma_recording_args args = ORMA_RECORDING_ARGS;
    struct orma_recording *r;

    args.fd = fd;
    args.mode = mode;
    args.buffer_kb = kb;
    args.categories = categories;
    cr_assert_eq(orma_recording_start(&args, &r), 0);
    return r;
}

static struct orma_test_trace read_trace(int fd)
{
    struct orma_test_trace t;
    struct orma_buf b = {0};

    lseek(fd, 0, SEEK_SET);
    cr_assert_eq(orma_fd_read_all(fd, SIZE_MAX, &b), 0);
    orma_test_trace_parse(orma_buf_str(&b), &t);
    orma_buf_fini(&b);
    return t;
}

static void *emit(void *arg)
{
    for (int i = 0; i < *(int *)arg; i++) {
        ORMA_SLICE(work, "slice", ORMA_ARG_INT("i", i));
        ORMA_INSTANT(noise, "noise");
    }
    return NULL;
}

static struct orma_recording_counts stop(struct orma_recording *r)
{
    struct orma_recording_counts c;

    cr_assert_eq(orma_recording_stop(r, &c), 0);
    cr_assert_eq(c.emitted, c.written + c.dropped + c.overwritten);
    return c;
}

Test(recording, a_stream_holds_everything)
{
    int fd = new_file(), num = 30000;
    struct orma_recording *r = start(fd, ORMA_RECORDING_STREAM, 64, NULL);
    pthread_t t[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, emit, &num);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    struct orma_recording_counts c = stop(r);
    cr_assert_eq(c.dropped + c.overwritten, 0);
    struct orma_test_trace trace = read_trace(fd);
    cr_assert_eq(orma_test_trace_count(&trace, 1, "slice"), 90000);
    cr_assert_eq(orma_test_trace_count(&trace, 2, NULL), 90000);
    cr_assert_eq(orma_test_trace_count(&trace, 3, "noise"), 90000);
    cr_assert_eq(orma_test_trace_check(&trace), 0);
    orma_test_trace_fini(&trace);
    close(fd);
    orma_assert_no_leaks();
}

Test(recording, a_ring_keeps_the_latest)
{
    int fd = new_file(), num = 50000;
    struct orma_recording *r = start(fd, ORMA_RECORDING_RING, 64, NULL);

    emit(&num);
    struct orma_recording_counts c = stop(r);
    cr_assert_gt(c.overwritten, 0);
    cr_assert_eq(c.dropped, 0);
    struct orma_test_trace trace = read_trace(fd);
    cr_assert_eq(trace.num, 1);
    cr_assert_eq(trace.seqs[0].packets, c.written);
    cr_assert_eq(trace.seqs[0].emitted, trace.seqs[0].delivered + trace.seqs[0].lost);
    /* Beginnings are overwritten: but for the first few, packets find a later one. */
    const struct orma_te_reader *te = &trace.seqs[0].te;
    size_t n = orma_te_reader_num(te);
    cr_assert_geq(te->generations, 6);
    cr_assert_geq(n * 10, c.written * 7);
    cr_assert_str_eq(orma_te_reader_event(te, n - 2)->name, "noise");
    cr_assert_str_eq(orma_te_reader_event(te, n - 3)->args, "i=49999");
    orma_test_trace_fini(&trace);
    close(fd);
    orma_assert_no_leaks();
}

Test(recording, a_full_one_discards_and_counts)
{
    int fd = new_file(), num = 50000;
    struct orma_recording *r = start(fd, ORMA_RECORDING_DISCARD, 64, NULL);

    emit(&num);
    struct orma_recording_counts c = stop(r);
    cr_assert_gt(c.dropped, 0);
    cr_assert_eq(c.overwritten, 0);
    struct orma_test_trace trace = read_trace(fd);
    cr_assert_eq(orma_test_trace_check(&trace), 0);
    cr_assert_gt(orma_test_trace_count(&trace, 1, "slice"), 100);
    orma_test_trace_fini(&trace);
    close(fd);
    orma_assert_no_leaks();
}

Test(recording, a_flush_puts_everything_into_the_file)
{
    int fd = new_file(), num = 10;
    struct orma_recording *r = start(fd, ORMA_RECORDING_STREAM, 0, "work");

    emit(&num);
    cr_assert_eq(orma_recording_flush(r), 0);
    struct orma_test_trace trace = read_trace(fd);
    cr_assert_eq(orma_test_trace_count(&trace, 1, "slice"), 10);
    cr_assert_eq(orma_test_trace_count(&trace, 3, NULL), 0, "not asked for");
    orma_test_trace_fini(&trace);
    (void)stop(r);
    close(fd);
    orma_assert_no_leaks();
}

Test(recording, categories_are_chosen_by_patterns)
{
    static const struct {
        const char *text;
        unsigned work, noise;
    } cases[] = {{NULL, 1, 1},        {"*", 1, 1},       {"work", 1, 0}, {"-noise", 1, 0},
                 {"no*, work", 1, 1}, {"*,-work", 0, 1}, {"other", 0, 0}};
    int num = 1;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int fd = new_file();
        struct orma_recording *r = start(fd, ORMA_RECORDING_DISCARD, 0, cases[i].text);

        emit(&num);
        (void)stop(r);
        struct orma_test_trace trace = read_trace(fd);
        cr_assert_eq(orma_test_trace_count(&trace, 1, "slice"), cases[i].work, "%zu", i);
        cr_assert_eq(orma_test_trace_count(&trace, 3, "noise"), cases[i].noise, "%zu", i);
        orma_test_trace_fini(&trace);
        close(fd);
    }
    orma_assert_no_leaks();
}

static struct orma_data_source_ops ops = {sizeof(ops), NULL, NULL, NULL, NULL, NULL};
static struct orma_data_source source = ORMA_DATA_SOURCE("big", &ops, NULL);

/* Packets over many chunks with nested sizes: patched where they are, or behind the drain. */
Test(recording, data_sources_write_packets_of_any_size)
{
    static uint8_t bytes[200000];

    cr_assert_eq(orma_data_source_register(&source), 0);
    for (uint32_t mode = ORMA_RECORDING_STREAM; mode <= ORMA_RECORDING_RING; mode++) {
        struct orma_recording_args args = ORMA_RECORDING_ARGS;
        struct orma_recording *r;

        args.fd = new_file();
        args.mode = mode;
        args.buffer_kb = 256;
        args.sources = "big";
        cr_assert_eq(orma_recording_start(&args, &r), 0);
        for (unsigned i = 0; i < 20; i++) {
            ORMA_DATA_SOURCE_EACH(it, &source)
            {
                struct orma_packet *p = orma_ds_packet_begin(&it);

                orma_packet_nest(p, 900);
                orma_packet_bytes(p, 1, bytes, 1000);
                orma_packet_nest(p, 900);
                orma_packet_bytes(p, 2, bytes, i * 10000);
                orma_packet_unnest(p);
                cr_assert_eq(orma_ds_packet_end(p), 0);
            }
        }
        struct orma_recording_counts c = stop(r);
        cr_assert_eq(c.emitted, 20);
        cr_assert_eq(c.overwritten != 0, mode == ORMA_RECORDING_RING);
        struct orma_test_trace trace = read_trace(args.fd);
        cr_assert_eq(orma_test_trace_check(&trace), 0);
        cr_assert_eq(trace.seqs[0].packets, c.written);
        orma_test_trace_fini(&trace);
        close(args.fd);
    }
    orma_assert_no_leaks();
}

Test(recording, a_thread_writes_if_it_is_asked_for)
{
    struct orma_recording_args args = ORMA_RECORDING_ARGS;
    struct orma_recording *r;
    int num = 2000;

    args.fd = new_file();
    args.buffer_kb = 64;
    args.write_period_ms = 1;
    cr_assert_eq(orma_recording_start(&args, &r), 0);
    emit(&num);
    struct orma_recording_counts c = stop(r);
    cr_assert_eq(c.written, c.emitted);
    close(args.fd);
    orma_assert_no_leaks();
}

/* A program that waits for its signals (sigwait(), signalfd()) blocks them in its own threads. */
Test(recording, signals_are_the_programs)
{
    struct orma_recording_args args = ORMA_RECORDING_ARGS;
    struct orma_recording *r;
    sigset_t usr1;
    int got = 0, fd = new_file();

    args.fd = fd;
    args.write_period_ms = 1;
    cr_assert_eq(orma_recording_start(&args, &r), 0);
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    cr_assert_eq(pthread_sigmask(SIG_BLOCK, &usr1, NULL), 0);
    cr_assert_eq(kill(getpid(), SIGUSR1), 0); /* ends the process, if a thread takes it */
    cr_assert_eq(sigwait(&usr1, &got), 0);
    cr_expect_eq(got, SIGUSR1);
    cr_assert_eq(orma_recording_stop(r, NULL), 0);
    close(fd);
}

Test(recording, two_at_once_each_have_all)
{
    int a = new_file(), b = new_file(), num = 1000;
    struct orma_recording *ra = start(a, ORMA_RECORDING_STREAM, 0, NULL), *rb;

    emit(&num);
    rb = start(b, ORMA_RECORDING_STREAM, 0, NULL);
    emit(&num);
    (void)stop(ra);
    emit(&num);
    (void)stop(rb);
    struct orma_test_trace ta = read_trace(a), tb = read_trace(b);
    cr_assert_eq(orma_test_trace_count(&ta, 1, "slice"), 2000);
    cr_assert_eq(orma_test_trace_count(&tb, 1, "slice"), 2000);
    cr_assert_eq(orma_test_trace_check(&ta) + orma_test_trace_check(&tb), 0);
    orma_test_trace_fini(&ta);
    orma_test_trace_fini(&tb);
    close(a);
    close(b);
    orma_assert_no_leaks();
}

Test(recording, refuses_what_it_cannot_do)
{
    struct orma_recording_args args = ORMA_RECORDING_ARGS;
    struct orma_recording *r;

    cr_assert_eq(orma_recording_start(NULL, &r), -EINVAL);
    cr_assert_eq(orma_recording_start(&args, &r), -EINVAL, "neither path nor fd");
    args.path = "/nonexistent/trace";
    cr_assert_eq(orma_recording_start(&args, &r), -ENOENT);
    args.path = NULL;
    args.fd = new_file();
    args.mode = 7;
    cr_assert_eq(orma_recording_start(&args, &r), -EINVAL);
    args.mode = 0;
    args.sources = "nobody";
    cr_assert_eq(orma_recording_start(&args, &r), -ENOENT);
    close(args.fd);
    orma_assert_no_leaks();
}

Test(recording, a_full_disk_is_told_at_the_end)
{
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC), num = 100;

    if (fd < 0)
        cr_skip_test("no /dev/full");
    struct orma_recording *r = start(fd, ORMA_RECORDING_STREAM, 0, NULL);
    emit(&num);
    cr_assert_eq(orma_recording_stop(r, NULL), -ENOSPC);
    close(fd);
    orma_assert_no_leaks();
}

/* Two texts of 16 bytes that orma_hash_bytes() cannot tell apart; no byte of them is 0. */
static void collide(char a[17], char b[17])
{
    uint64_t begin = UINT64_C(0x9e3779b97f4a7c15) ^ 16, words[4];

    memcpy(a, "innocent texts..", 17);
    memcpy(words, a, 16);
    for (words[2] = words[0] + 1;; words[2]++) {
        words[3] = orma_mix64(begin ^ words[0]) ^ words[1] ^ orma_mix64(begin ^ words[2]);
        memcpy(b, words + 2, 16);
        b[16] = '\0';
        if (strlen(b) == 16)
            return;
    }
}

Test(recording, who_reads_the_old_file_keeps_it)
{
    struct orma_recording_args args = ORMA_RECORDING_ARGS;
    char path[] = "/tmp/orma-recording-XXXXXX", old[4] = "";
    struct orma_recording *r;
    struct stat st;
    int reader = mkstemp(path);

    cr_assert_eq(write(reader, "old", 3), 3);
    args.path = path;
    cr_assert_eq(orma_recording_start(&args, &r), 0);
    ORMA_INSTANT(work, "new");
    stop(r);
    cr_assert_eq(pread(reader, old, 3, 0), 3);
    cr_assert_str_eq(old, "old");
    cr_assert_eq(stat(path, &st), 0);
    cr_assert_gt(st.st_size, 3);
    close(reader);
    unlink(path);
    orma_assert_no_leaks();
}

Test(recording, texts_whose_hashes_collide_stay_apart)
{
    struct orma_buf bytes = {0};
    int fd = new_file();
    struct orma_recording *r = start(fd, ORMA_RECORDING_STREAM, 64, NULL);
    char a[17], b[17];

    collide(a, b);
    cr_assert_eq(orma_hash_bytes(a, 16), orma_hash_bytes(b, 16));
    ORMA_INSTANT(work, "first", ORMA_ARG_INTERNED_STR("text", a));
    ORMA_INSTANT(work, "second", ORMA_ARG_INTERNED_STR("text", b));
    stop(r);
    lseek(fd, 0, SEEK_SET);
    cr_assert_eq(orma_fd_read_all(fd, SIZE_MAX, &bytes), 0);
    cr_assert_not_null(memmem(bytes.data, bytes.len, a, 16));
    cr_assert_not_null(memmem(bytes.data, bytes.len, b, 16),
                       "the second text was taken for the first");
    orma_buf_fini(&bytes);
    close(fd);
    orma_assert_no_leaks();
}

Test(recording, null_does_nothing)
{
    struct orma_recording_args args = ORMA_RECORDING_ARGS;
    struct orma_recording *r = NULL;

    cr_assert_eq(orma_recording_start(&args, NULL), -EINVAL);
    cr_assert_eq(orma_recording_start(NULL, &r), -EINVAL);
    cr_assert_eq(orma_recording_flush(NULL), -EINVAL);
    cr_assert_eq(orma_recording_stop(NULL, NULL), -EINVAL);
}
