#include <criterion/criterion.h>

#include "protos/fields/common.h"
#include "sdk/wire/pb_writer.h"
#include "tests/support/leaks.h"
#include "tools/loss.h"

Test(loss, prefers_packets_to_chunks)
{
    struct orma_buf b = {0};
    struct orma_loss loss;
    char text[160];

    size_t m = orma_pb_begin(&b, ORMA_PB_TRACE_STATS_BUFFER_STATS);
    orma_pb_put_u64(&b, ORMA_PB_TRACE_STATS_BUFFER_STATS_CHUNKS_OVERWRITTEN, 3);
    orma_pb_end(&b, m);
    orma_loss_read(orma_buf_str(&b), &loss);
    orma_loss_format(&loss, text, sizeof(text));
    cr_assert_str_eq(text, "lost 3 chunks (3 overwritten)");

    m = orma_pb_begin(&b, 90001);
    orma_pb_put_u64(&b, 6, 100);
    orma_pb_put_u64(&b, 7, 2);
    orma_pb_put_u64(&b, 8, 40);
    orma_pb_end(&b, m);
    orma_loss_read(orma_buf_str(&b), &loss);
    cr_assert_eq(orma_loss_total(&loss), 42);
    orma_loss_format(&loss, text, sizeof(text));
    cr_assert_str_eq(text, "lost 42 packets (40 overwritten, 2 dropped by writers)");
    orma_buf_fini(&b);
    orma_assert_no_leaks();
}

Test(loss, says_what_is_not_known)
{
    struct orma_buf b = {0};
    struct orma_loss loss;
    char text[ORMA_LOSS_TEXT_MAX];

    for (unsigned writers = 1; writers <= 2; writers++) {
        size_t m = orma_pb_begin(&b, 90001);
        orma_pb_put_u64(&b, 5, 10);
        orma_pb_put_u64(&b, 6, 10);
        orma_pb_put_u64(&b, 13, 1);
        orma_pb_end(&b, m);
        orma_loss_read(orma_buf_str(&b), &loss);
        orma_loss_format(&loss, text, sizeof(text));
        cr_assert_eq(orma_loss_total(&loss), 0);
        cr_assert_str_eq(text, writers == 1
                                   ? "nothing lost; 1 writer ended without its last report: what "
                                     "it dropped is not known"
                                   : "nothing lost; 2 writers ended without their last report: "
                                     "what they dropped is not known");
    }
    orma_buf_fini(&b);
    orma_assert_no_leaks();
}

Test(loss, nothing_is_nothing_and_garbage_too)
{
    struct orma_loss loss;
    char text[160];

    orma_loss_read(ORMA_STR("\x0a\xff\xff"), &loss);
    orma_loss_format(&loss, text, sizeof(text));
    cr_assert_str_eq(text, "nothing lost");
}

Test(loss, knows_how_full_the_buffers_are)
{
    struct orma_buf b = {0};
    struct orma_loss loss;

    size_t m = orma_pb_begin(&b, ORMA_PB_TRACE_STATS_BUFFER_STATS);
    orma_pb_put_u64(&b, ORMA_PB_TRACE_STATS_BUFFER_STATS_BUFFER_SIZE, 1000);
    orma_pb_put_u64(&b, ORMA_PB_TRACE_STATS_BUFFER_STATS_BYTES_WRITTEN, 900);
    orma_pb_put_u64(&b, ORMA_PB_TRACE_STATS_BUFFER_STATS_BYTES_READ, 300);
    orma_pb_end(&b, m);
    m = orma_pb_begin(&b, ORMA_PB_TRACE_STATS_BUFFER_STATS); /* counts that cannot be */
    orma_pb_put_u64(&b, ORMA_PB_TRACE_STATS_BUFFER_STATS_BUFFER_SIZE, 1000);
    orma_pb_put_u64(&b, ORMA_PB_TRACE_STATS_BUFFER_STATS_BYTES_OVERWRITTEN, 5);
    orma_pb_end(&b, m);
    orma_loss_read(orma_buf_str(&b), &loss);
    cr_assert_eq(loss.buffer_bytes, 2000);
    cr_assert_eq(loss.buffer_used, 600);
    orma_buf_fini(&b);
    orma_assert_no_leaks();
}
