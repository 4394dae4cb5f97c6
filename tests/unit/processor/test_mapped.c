/* Files that are cut or written over while they are mapped. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "processor/processor.h"
#include "protos/reflect/schema.h"
#include "protos/reflect/text.h"
#include "sdk/base/buf.h"
#include "sdk/base/fd.h"
#include "sdk/base/mapped.h"
#include "tests/support/leaks.h"

#define PAGE ((size_t)sysconf(_SC_PAGESIZE))

static int temp_file(const void *data, size_t len)
{
    char path[] = "/tmp/orma-mapped-XXXXXX";
    int fd = mkstemp(path);

    cr_assert_geq(fd, 0);
    (void)unlink(path);
    cr_assert_eq(orma_fd_write_all(fd, data, len), 0);
    return fd;
}

static int file_of_pages(unsigned num)
{
    char *bytes = malloc(num * PAGE);

    memset(bytes, 'x', num * PAGE);
    int fd = temp_file(bytes, num * PAGE);
    free(bytes);
    return fd;
}

static struct orma_mapped *map(int fd)
{
    struct orma_mapped *m;

    cr_assert_eq(orma_mapped_open(fd, &m), 0);
    return m;
}

static uint8_t byte_at(const struct orma_mapped *m, size_t pos)
{
    return ((const volatile uint8_t *)orma_mapped_data(m))[pos];
}

/* ---- what a reader sees ---- */

/* Whatever part of a file is let go, its bytes are there when somebody looks again. */
Test(mapped, what_is_let_go_can_be_read_again)
{
    enum { PAGES = 300 };
    uint8_t *bytes = malloc(PAGES * PAGE);

    for (size_t i = 0; i < PAGES * PAGE; i++)
        bytes[i] = (uint8_t)(i * 31 >> 5);
    const int fd = temp_file(bytes, PAGES * PAGE - 100);
    struct orma_mapped *m = map(fd);
    const uint8_t *data = orma_mapped_data(m);
    const size_t size = orma_mapped_size(m);

    orma_mapped_read_on(m, 0, size);
    cr_assert(!memcmp(data, bytes, size));
    orma_mapped_let_go(m, data + 1, data + 100);
    orma_mapped_let_go(m, data + PAGE + 7, data + 20 * PAGE - 7);
    orma_mapped_let_go(m, data, data + size - 1);
    orma_mapped_let_go(m, bytes, bytes + PAGE);
    orma_mapped_let_go(m, data + 10 * PAGE, data);
    orma_mapped_let_go(m, NULL, data);
    cr_assert(!memcmp(data, bytes, size));
    orma_mapped_let_go_all(m);
    orma_mapped_let_go_all(NULL);
    cr_assert(!memcmp(data, bytes, size));
    cr_assert(!orma_mapped_torn(m));
    orma_mapped_close(m);
    close(fd);
    free(bytes);
}

/* Of the mapping at `data`, in KiB, as the kernel counts it. */
static long resident_kb(const uint8_t *data)
{
    FILE *f = fopen("/proc/self/smaps", "re");
    char line[512], begin[32];
    long kb = -1;
    bool in = false;

    snprintf(begin, sizeof(begin), "%lx-", (unsigned long)(uintptr_t)data);
    while (f && kb < 0 && fgets(line, sizeof(line), f)) {
        in |= !strncmp(line, begin, strlen(begin));
        if (in && !strncmp(line, "Rss:", 4))
            kb = atol(line + 4);
    }
    if (f)
        fclose(f);
    return kb;
}

/* What was read of a large file counts as memory of the process until it is let go. */
Test(mapped, a_large_file_is_let_go)
{
    const size_t size = (size_t)40 << 20;
    const int fd = temp_file("", 0);

    cr_assert_eq(ftruncate(fd, (off_t)size), 0);
    struct orma_mapped *m = map(fd);
    orma_mapped_read_on(m, 0, size);
    (void)byte_at(m, size - 1);
    cr_assert_gt(resident_kb(orma_mapped_data(m)), 0);
    orma_mapped_let_go_all(m);
    cr_assert_eq(resident_kb(orma_mapped_data(m)), 0);
    orma_mapped_close(m);
    close(fd);
}

Test(mapped, what_was_truncated_reads_as_zeroes)
{
    int fd = file_of_pages(4);
    struct orma_mapped *m = map(fd);

    cr_assert_eq(byte_at(m, 4 * PAGE - 1), 'x');
    cr_assert_not(orma_mapped_changed(m));
    cr_assert_eq(ftruncate(fd, (off_t)PAGE), 0);
    cr_assert_eq(byte_at(m, 10), 'x');
    cr_assert_not(orma_mapped_torn(m));
    cr_assert_eq(byte_at(m, 2 * PAGE), 0);
    cr_assert(orma_mapped_torn(m));
    cr_assert_eq(byte_at(m, 4 * PAGE - 1), 0);
    cr_assert_eq(byte_at(m, 10), 'x');
    cr_assert(orma_mapped_changed(m));
    orma_mapped_close(m);
    close(fd);
    orma_assert_no_leaks();
}

Test(mapped, a_file_that_grows_is_no_change)
{
    int fd = file_of_pages(2);
    struct orma_mapped *m = map(fd);

    for (unsigned i = 0; i < 3; i++) {
        cr_assert_eq(pwrite(fd, "more", 4, (off_t)(2 * PAGE + i * 4)), 4);
        cr_assert_not(orma_mapped_changed(m));
    }
    orma_mapped_close(m);
    close(fd);
    orma_assert_no_leaks();
}

Test(mapped, a_file_that_was_written_again_is_one)
{
    static const size_t sizes[] = {1, 2, 3};

    for (unsigned i = 0; i < 3; i++) { /* shorter, as long, longer */
        int fd = file_of_pages(2);
        struct orma_mapped *m = map(fd);
        char *other = calloc(sizes[i], PAGE);
        const struct timespec later[] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 2000000000}};

        cr_assert_eq(ftruncate(fd, 0), 0);
        cr_assert_eq(pwrite(fd, other, sizes[i] * PAGE, 0), (ssize_t)(sizes[i] * PAGE));
        cr_assert_eq(futimens(fd, later), 0); /* times of files are coarse */
        cr_assert(orma_mapped_changed(m), "%zu pages", sizes[i]);
        free(other);
        orma_mapped_close(m);
        close(fd);
    }
    orma_assert_no_leaks();
}

Test(mapped, only_whole_regular_files)
{
    struct orma_mapped *m = NULL;
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), empty = temp_file("", 0);

    cr_assert_eq(orma_mapped_open(fd, &m), -EINVAL);
    cr_assert_eq(orma_mapped_open(empty, &m), -EINVAL);
    cr_assert_eq(orma_mapped_open(-1, &m), -EBADF);
    cr_assert_null(m);
    orma_mapped_close(NULL);
    close(fd);
    close(empty);
    orma_assert_no_leaks();
}

/* ---- threads ---- */

static void *read_all(void *data)
{
    uint64_t sum = 0;

    for (unsigned round = 0; round < 50; round++)
        for (size_t pos = 0; pos < orma_mapped_size(data); pos += PAGE)
            sum += byte_at(data, pos);
    return (void *)(uintptr_t)(sum != 0);
}

Test(mapped, many_readers_of_many_files_that_are_cut)
{
    for (unsigned round = 0; round < 20; round++) {
        pthread_t threads[8];
        struct orma_mapped *maps[4];
        int fds[4];

        for (unsigned i = 0; i < 4; i++)
            maps[i] = map(fds[i] = file_of_pages(32));
        for (unsigned i = 0; i < 8; i++)
            cr_assert_eq(pthread_create(&threads[i], NULL, read_all, maps[i % 4]), 0);
        for (unsigned i = 0; i < 4; i++)
            cr_assert_eq(ftruncate(fds[i], (off_t)(i * PAGE)), 0);
        for (unsigned i = 0; i < 8; i++)
            pthread_join(threads[i], NULL);
        for (unsigned i = 0; i < 4; i++) {
            (void)byte_at(maps[i], 31 * PAGE);
            cr_assert(orma_mapped_torn(maps[i]));
            orma_mapped_close(maps[i]);
            close(fds[i]);
        }
    }
    orma_assert_no_leaks();
}

/* ---- the host's own handler ---- */

static sigjmp_buf escape;
static volatile sig_atomic_t host_saw;

static void host_info(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    (void)info;
    (void)context;
    host_saw++;
    siglongjmp(escape, 1);
}

static void host_plain(int sig)
{
    (void)sig;
    host_saw++;
}

/* A file of the host, mapped by the host, that is cut. */
static void touch_lost_page_of_the_host(void)
{
    int fd = file_of_pages(1);
    volatile char *bytes = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);

    cr_assert(bytes != MAP_FAILED);
    cr_assert_eq(ftruncate(fd, 0), 0);
    if (!sigsetjmp(escape, 1)) {
        (void)bytes[0];
        cr_assert_fail("no signal");
    }
    munmap((void *)(uintptr_t)bytes, PAGE);
    close(fd);
}

Test(mapped, faults_of_others_go_to_the_handler_that_was_there)
{
    const struct sigaction host = {.sa_sigaction = host_info, .sa_flags = SA_SIGINFO};
    struct sigaction now;

    cr_assert_eq(sigaction(SIGBUS, &host, NULL), 0);
    int fd = file_of_pages(2);
    struct orma_mapped *m = map(fd);
    touch_lost_page_of_the_host();
    cr_assert_eq(host_saw, 1);
    cr_assert_eq(ftruncate(fd, 0), 0);
    cr_assert_eq(byte_at(m, 0), 0);
    cr_assert_eq(host_saw, 1);
    orma_mapped_close(m);
    cr_assert_eq(sigaction(SIGBUS, NULL, &now), 0);
    cr_assert(now.sa_sigaction == host_info);
    close(fd);
    orma_assert_no_leaks();
}

Test(mapped, signals_that_were_sent_go_there_too)
{
    const struct sigaction host = {.sa_handler = host_plain};

    cr_assert_eq(sigaction(SIGBUS, &host, NULL), 0);
    int fd = file_of_pages(1);
    struct orma_mapped *m = map(fd);
    raise(SIGBUS);
    cr_assert_eq(host_saw, 1);
    orma_mapped_close(m);
    close(fd);
    orma_assert_no_leaks();
}

Test(mapped, a_handler_that_came_later_stays)
{
    const struct sigaction host = {.sa_handler = host_plain};
    struct sigaction now;
    int fd = file_of_pages(1);
    struct orma_mapped *m = map(fd);

    cr_assert_eq(sigaction(SIGBUS, &host, NULL), 0);
    orma_mapped_close(m);
    cr_assert_eq(sigaction(SIGBUS, NULL, &now), 0);
    cr_assert(now.sa_handler == host_plain);
    close(fd);
    orma_assert_no_leaks();
}

/* AddressSanitizer's handler ends the process in its own way. */
#ifndef __SANITIZE_ADDRESS__
Test(mapped, without_one_a_fault_of_others_still_kills, .signal = SIGBUS)
{
    cr_assert_neq(signal(SIGBUS, SIG_DFL), SIG_ERR);
    int fd = file_of_pages(1);
    struct orma_mapped *m = map(file_of_pages(1));
    volatile char *bytes = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);

    cr_assert_eq(ftruncate(fd, 0), 0);
    (void)m;
    (void)bytes[0];
}
#endif

/* ---- a processor ---- */

#define EVENTS 3000

/* Kernel events, whose args stay in the file. */
static void put_trace(struct orma_buf *out)
{
    const struct orma_schema *schema = orma_schema_default();
    struct orma_buf text = {0};

    for (unsigned i = 0; i < EVENTS; i++)
        orma_buf_printf(&text,
                        "packet { trusted_packet_sequence_id: 1 timestamp: %u ftrace_events { cpu: "
                        "0 event { timestamp: %u pid: 5 irq_handler_entry { irq: %u name: \"n%u\" "
                        "} } } }\n",
                        1000 + i, 1000 + i, i, i);
    cr_assert_eq(orma_text_parse(schema,
                                 orma_schema_find_msg(schema, ORMA_STR("perfetto.protos.Trace")),
                                 orma_buf_str(&text), NULL, out),
                 0);
    orma_buf_fini(&text);
}

static int query(struct orma_processor *tp, const char *sql)
{
    struct orma_query *q;
    int r = orma_query_prepare(tp, sql, SIZE_MAX, &q, NULL);

    if (r)
        return r;
    while ((r = orma_query_step(q)) == 1)
        ;
    orma_query_free(q);
    return r;
}

static struct orma_processor *load(const char *path)
{
    struct orma_processor *tp;

    cr_assert_eq(orma_processor_new(NULL, &tp), 0);
    cr_assert_eq(orma_processor_load_file(tp, path, NULL, NULL), 0, "%s", orma_processor_error(tp));
    return tp;
}

static const char *write_bytes(const struct orma_buf *trace)
{
    static char path[64];

    snprintf(path, sizeof(path), "/tmp/orma-mapped-%d", getpid());
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    cr_assert_eq(orma_fd_write_all(fd, trace->data, trace->len), 0);
    close(fd);
    return path;
}

static const char *write_trace(void)
{
    struct orma_buf trace = {0};

    put_trace(&trace);
    const char *path = write_bytes(&trace);
    orma_buf_fini(&trace);
    return path;
}

static const char args_sql[] = "SELECT sum(length(display_value)) FROM ftrace_event JOIN args "
                               "USING (arg_set_id)";

Test(mapped, queries_that_read_a_lost_file_fail_and_others_do_not)
{
    const char *path = write_trace();
    struct orma_processor *before = load(path), *after = load(path);

    cr_assert_eq(query(before, args_sql), 0, "%s", orma_processor_error(before));
    cr_assert_eq(truncate(path, 0), 0);
    for (unsigned i = 0; i < 3; i++) {
        cr_assert_lt(query(before, args_sql), 0);
        cr_assert_lt(query(after, args_sql), 0);
        cr_assert(strstr(orma_processor_error(after), "overwritten or truncated"), "%s",
                  orma_processor_error(after));
        cr_assert_eq(query(after, "SELECT count(*) FROM ftrace_event"), 0, "%s",
                     orma_processor_error(after));
        cr_assert_lt(query(after,
                           "CREATE PERFETTO TABLE t AS SELECT arg_set_id, display_value FROM "
                           "ftrace_event JOIN args USING (arg_set_id)"),
                     0);
    }
    orma_processor_free(before);
    orma_processor_free(after);
    unlink(path);
    orma_assert_no_leaks();
}

/* Slices whose args stay in the file, too. */
static void put_slices(struct orma_buf *out)
{
    const struct orma_schema *schema = orma_schema_default();
    struct orma_buf text = {0};

    for (unsigned i = 0; i < EVENTS; i++)
        orma_buf_printf(&text,
                        "packet { trusted_packet_sequence_id: 1 sequence_flags: %u timestamp: %u "
                        "track_event { type: TYPE_INSTANT track_uuid: 0 name: \"n\" "
                        "debug_annotations { name: \"tree\" legacy_json_value: \"{\\\"number\\\": "
                        "%u, \\\"list\\\": [1, 2, \\\"a text of some length\\\"]}\" } } }\n",
                        i ? 2 : 3, 1000 + i, i);
    cr_assert_eq(orma_text_parse(schema,
                                 orma_schema_find_msg(schema, ORMA_STR("perfetto.protos.Trace")),
                                 orma_buf_str(&text), NULL, out),
                 0);
    orma_buf_fini(&text);
}

static void expect_lost(struct orma_processor *tp, const char *sql)
{
    cr_assert_lt(query(tp, sql), 0, "%s", sql);
    cr_assert(strstr(orma_processor_error(tp), "overwritten or truncated"), "%s: %s", sql,
              orma_processor_error(tp));
}

Test(mapped, args_of_slices_that_were_left_in_a_lost_file_are_no_rows)
{
    static const char sum_sql[] =
        "SELECT sum(extract_arg(arg_set_id, 'debug.tree.number')) FROM slice";
    struct orma_buf trace = {0};

    put_slices(&trace);
    for (unsigned how = 0; how < 3; how++) {
        const char *path = write_bytes(&trace);
        struct orma_processor *before = load(path), *after = load(path);
        const struct timespec later[] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 2000000000}};

        cr_assert_eq(query(before, "SELECT count(*) FROM args"), 0); /* settles them all */
        if (how < 2) {
            cr_assert_eq(truncate(path, how ? (off_t)trace.len / 2 : 0), 0);
        } else { /* of the same length, with other bytes */
            int fd = open(path, O_WRONLY | O_CLOEXEC);

            for (off_t at = 0; at < (off_t)trace.len; at += 7)
                cr_assert_eq(pwrite(fd, "\xff", 1, at), 1);
            cr_assert_eq(futimens(fd, later), 0);
            close(fd);
        }
        for (unsigned i = 0; i < 2; i++) {
            cr_assert_eq(query(before, sum_sql), 0, "%s", orma_processor_error(before));
            expect_lost(after, sum_sql);
            expect_lost(after, "SELECT count(*) FROM args");
            expect_lost(after, "SELECT extract_arg(3, 'debug.tree.number')");
            expect_lost(after, "SELECT __intrinsic_arg_set_to_json(3)");
            expect_lost(after, "SELECT a.arg_set_id FROM slice a JOIN slice b USING (arg_set_id)");
            expect_lost(after, "CREATE PERFETTO TABLE t AS SELECT arg_set_id FROM slice");
            cr_assert_eq(query(after, "SELECT sum(ts), count(name) FROM slice"), 0, "%s",
                         orma_processor_error(after));
        }
        orma_processor_free(before);
        orma_processor_free(after);
        unlink(path);
    }
    orma_buf_fini(&trace);
    orma_assert_no_leaks();
}

static int cut_it(void *path, uint64_t done, uint64_t total)
{
    (void)done;
    (void)total;
    cr_assert_eq(truncate(path, 100), 0);
    return 0;
}

/* The value of one row; negative: it failed. */
static int64_t value_of(struct orma_processor *tp, const char *sql)
{
    struct orma_query *q;
    int64_t ret = orma_query_prepare(tp, sql, SIZE_MAX, &q, NULL);

    if (ret)
        return -1;
    ret = orma_query_step(q) == 1 ? orma_query_int64(q, 0) : -1;
    orma_query_free(q);
    return ret;
}

/* Whatever stops a query, the next one goes on; also where args were looked up before. */
Test(mapped, args_are_had_however_often_a_query_is_stopped)
{
    enum { TIMES = 20 };
    static const char sum[] = "SELECT sum(extract_arg(arg_set_id, 'debug.tree.number')) FROM slice";
    const struct orma_processor_config config = {.size = sizeof(config), .query_timeout_ms = 1};
    struct orma_processor *tp, *patient;
    struct orma_buf trace = {0};
    int64_t args = -1;

    for (unsigned i = 0; i < TIMES; i++)
        put_slices(&trace);
    const char *path = write_bytes(&trace);
    cr_assert_eq(orma_processor_new(&config, &tp), 0);
    cr_assert_eq(orma_processor_load_file(tp, path, NULL, NULL), 0);
    (void)value_of(tp, sum);
    for (unsigned i = 0; args < 0 && i < 10000; i++)
        args = value_of(tp, "SELECT count(*) FROM args");
    patient = load(path);
    for (unsigned i = 0; i < 3; i++) /* from the file, then from rows */
        cr_assert_eq(value_of(patient, sum), (int64_t)TIMES * EVENTS * (EVENTS - 1) / 2);
    cr_assert_eq(value_of(patient, "SELECT count(*) FROM args"), args);
    cr_assert_gt(args, 0);
    orma_processor_free(tp);
    orma_processor_free(patient);
    orma_buf_fini(&trace);
    unlink(path);
    orma_assert_no_leaks();
}

Test(mapped, a_load_whose_file_is_cut_fails_with_the_reason)
{
    char *path = (char *)(uintptr_t)write_trace();
    struct orma_processor *tp;

    cr_assert_eq(orma_processor_new(NULL, &tp), 0);
    cr_assert_eq(orma_processor_load_file(tp, path, cut_it, path), -ESTALE);
    cr_assert(strstr(orma_processor_error(tp), "load it again"), "%s", orma_processor_error(tp));
    orma_processor_free(tp);
    unlink(path);
    orma_assert_no_leaks();
}

/* Another process that never stops to cut the file and to write it again. */
static pid_t start_vandal(const char *path)
{
    pid_t pid = fork();

    if (pid)
        return pid;
    struct orma_buf trace = {0};
    put_trace(&trace);
    put_slices(&trace);
    for (unsigned i = 0;; i++) {
        int fd = open(path, O_WRONLY | O_CREAT | (i % 3 ? O_TRUNC : 0) | O_CLOEXEC, 0600);
        size_t from = i * 977 % trace.len;

        (void)!pwrite(fd, trace.data + from, trace.len - from, (off_t)(i % 2 ? from : 0));
        (void)!ftruncate(fd, (off_t)(i * 7919 % trace.len));
        close(fd);
    }
}

Test(mapped, it_lives_whatever_happens_to_the_file, .timeout = 240)
{
    const char *path = write_trace();
    pid_t vandal = start_vandal(path);
    unsigned loaded = 0;

    for (unsigned i = 0; i < 300; i++) {
        struct orma_processor *tp;

        cr_assert_eq(orma_processor_new(NULL, &tp), 0);
        if (!orma_processor_load_file(tp, path, NULL, NULL)) {
            loaded++;
            (void)query(tp, args_sql);
            (void)query(tp,
                        "SELECT count(extract_arg(arg_set_id, 'debug.tree.number')) FROM slice");
            cr_assert_eq(query(tp, "SELECT count(*) FROM ftrace_event"), 0);
        }
        orma_processor_free(tp);
    }
    (void)loaded; /* how often is up to the scheduler */
    kill(vandal, SIGKILL);
    waitpid(vandal, NULL, 0);
    unlink(path);
    orma_assert_no_leaks();
}
