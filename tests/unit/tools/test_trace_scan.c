#include <criterion/criterion.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sdk/base/fd.h"
#include "tests/support/leaks.h"
#include "tools/record/trace_scan.h"

#define PACKETS 1024
#define PACKET_LEN 4000

/* Packets with an unknown field each, a page apart. */
static void write_packets(struct orma_buf *out)
{
    for (unsigned i = 0; i < PACKETS; i++) {
        orma_buf_put(out, "\x0a\xa0\x1f\xfa\x3e\x9c\x1f", 7);
        for (unsigned n = 0; n < PACKET_LEN - 4; n++)
            orma_buf_put_byte(out, 0);
    }
}

struct cutter {
    int fd;
    const struct orma_buf *whole;
    bool stop;
};

static void *cut(void *data)
{
    struct cutter *c = data;

    while (!__atomic_load_n(&c->stop, __ATOMIC_ACQUIRE)) {
        (void)!ftruncate(c->fd, 0);
        (void)!pwrite(c->fd, c->whole->data, c->whole->len, 0);
    }
    return NULL;
}

Test(trace_scan, a_file_that_is_cut_meanwhile_harms_nobody)
{
    struct orma_buf whole = {0};
    struct orma_record_trace_scan scan;
    pthread_t thread;

    write_packets(&whole);
    struct cutter c = {.fd = memfd_create("trace", MFD_CLOEXEC), .whole = &whole};
    cr_assert_eq(orma_fd_write_all(c.fd, whole.data, whole.len), 0);
    cr_assert(orma_record_trace_scan(c.fd, &scan));
    orma_record_trace_scan_fini(&scan);
    cr_assert_eq(pthread_create(&thread, NULL, cut, &c), 0);
    for (unsigned i = 0; i < 2000; i++)
        if (orma_record_trace_scan(c.fd, &scan))
            orma_record_trace_scan_fini(&scan);
    __atomic_store_n(&c.stop, true, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    close(c.fd);
    orma_buf_fini(&whole);
    orma_assert_no_leaks();
}
