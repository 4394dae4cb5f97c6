/* Walking packets: the reader beside a walk that knows every tag to be one byte. */
#include <stdlib.h>

#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"
#include "tests/bench/bench.h"

#define PACKETS 100000

static struct orma_buf trace;

static void make_trace(void)
{
    for (unsigned i = 0; i < PACKETS; i++) {
        size_t packet = orma_pb_begin(&trace, 1);

        orma_pb_put_u64(&trace, 8, 1000 + i % 100);
        orma_pb_put_u64(&trace, 13, 2);
        size_t event = orma_pb_begin(&trace, 11);
        orma_pb_put_u64(&trace, 9, 1);
        orma_pb_put_u64(&trace, 10, i % 50 + 1);
        orma_pb_end(&trace, event);
        orma_pb_end(&trace, packet);
    }
}

static void walk_reader(void *ctx, uint64_t ops)
{
    struct orma_pb_reader r = orma_pb_reader(trace.data, trace.len);
    struct orma_pb_field packet, f;
    uint64_t sum = 0;

    (void)ctx;
    (void)ops;
    while (orma_pb_next(&r, &packet)) {
        struct orma_pb_reader p = orma_pb_sub(&packet);

        while (orma_pb_next(&p, &f))
            sum += f.id + f.num;
    }
    BENCH_USE(sum);
}

/* Only looks at bytes: no such walk can be faster. */
static void walk_bytes(void *ctx, uint64_t ops)
{
    uint64_t sum = 0;

    (void)ctx;
    (void)ops;
    for (size_t at = 0; at < trace.len;) {
        size_t len = trace.data[at + 1];

        for (size_t i = 0; i < len; i += 2)
            sum += trace.data[at + 2 + i];
        at += 2 + len;
    }
    BENCH_USE(sum);
}

int main(void)
{
    make_trace();
    bench_title("wire: one track-event packet");
    struct bench_result floor = bench_run(walk_bytes, NULL, PACKETS);
    bench_print("bytes only", floor, NULL, (double)trace.len / PACKETS);
    bench_print("fields of the packet, by the reader", bench_run(walk_reader, NULL, PACKETS),
                &floor, (double)trace.len / PACKETS);
    orma_buf_fini(&trace);
    return 0;
}
