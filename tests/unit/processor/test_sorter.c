#include <criterion/criterion.h>

#include "processor/read/sorter.h"
#include "protos/fields/ftrace.h"
#include "sdk/base/buf.h"
#include "sdk/wire/pb_writer.h"
#include "tests/support/leaks.h"

struct seen {
    uint32_t num;
    int64_t last;
};

static void see(void *data, const struct orma_item *item)
{
    struct seen *seen = data;

    cr_assert_geq(item->ts, seen->last);
    seen->last = item->ts;
    seen->num++;
}

/* The bytes of a bundle with `num` events, one each nanosecond from `ts`. */
static void put_events(struct orma_buf *out, uint64_t ts, unsigned num)
{
    for (unsigned i = 0; i < num; i++) {
        size_t event = orma_pb_begin(out, ORMA_PB_FTRACE_EVENT_BUNDLE_EVENT);

        orma_pb_put_u64(out, ORMA_PB_FTRACE_EVENT_TIMESTAMP, ts + i);
        orma_pb_end(out, event);
    }
}

static void push(struct orma_sorter *s, const struct orma_buf *bytes, int64_t offset,
                 uint64_t order, unsigned num, uint32_t cpu)
{
    struct orma_kernel_bundle b = {.event_bytes = orma_buf_str(bytes),
                                   .order = order,
                                   .clock_offset = offset,
                                   .to = num,
                                   .cpu = cpu};
    uint32_t at = orma_sorter_add_bundle(s, &b);

    cr_assert_neq(at, UINT32_MAX);
    orma_sorter_push_bundle(s, at, ORMA_ITEM_FTRACE_EVENT, offset, offset + num - 1);
}

/* A window may close in the middle of a bundle; many more bundles come before the next does. */
Test(sorter, a_bundle_begun_in_one_window_goes_on_in_the_next)
{
    enum { EVENTS = 10, BUNDLES = 300 };
    const uint64_t first =
        ORMA_ORDER_STEP / 2; /* of the events of a bundle; its compact lists come before */
    struct seen seen = {.last = INT64_MIN};
    struct orma_sorter s;
    struct orma_buf bytes = {0};

    put_events(&bytes, 0, EVENTS);
    orma_sorter_init(&s, see, &seen);
    push(&s, &bytes, 0, 0, EVENTS, 0);
    orma_sorter_extract(&s, first + EVENTS / 2);
    cr_assert_eq(seen.num, EVENTS / 2);
    for (unsigned i = 1; i < BUNDLES; i++)
        push(&s, &bytes, (int64_t)i * EVENTS, i * ORMA_ORDER_STEP, EVENTS, i % 3);
    orma_sorter_extract(&s, UINT64_MAX);
    cr_assert_eq(seen.num, BUNDLES * EVENTS);
    cr_assert_eq(seen.last, BUNDLES * EVENTS - 1);
    orma_sorter_fini(&s);
    orma_buf_fini(&bytes);
}

Test(sorter, cpus_are_merged_by_time)
{
    struct seen seen = {.last = INT64_MIN};
    struct orma_sorter s;
    struct orma_buf bytes = {0};

    put_events(&bytes, 0, 100);
    orma_sorter_init(&s, see, &seen);
    push(&s, &bytes, 50, 0, 100, 0);
    push(&s, &bytes, 0, 100, 100, 1);
    orma_sorter_extract(&s, UINT64_MAX);
    cr_assert_eq(seen.num, 200);
    orma_sorter_fini(&s);
    orma_buf_fini(&bytes);
}

/* What came late, in windows of any size: each window is in order, and nothing is lost or twice. */
struct window {
    struct orma_item last;
    uint64_t sum;
    uint32_t num;
};

static void see_late(void *data, const struct orma_item *item)
{
    struct window *w = data;

    cr_assert(item->ts > w->last.ts || (item->ts == w->last.ts && item->order > w->last.order),
              "%lld after %lld", (long long)item->ts, (long long)w->last.ts);
    w->last = *item;
    w->sum += item->aux;
    w->num++;
}

static void push_late(struct orma_sorter *s, uint64_t i, uint64_t *random)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    orma_sorter_push(s, &(struct orma_item){.ts = (int64_t)(*random >> 33) % 5000,
                                            .order = i * ORMA_ORDER_STEP,
                                            .kind = ORMA_ITEM_OTHER,
                                            .aux = i});
}

/* The latest items are not yet to be emitted: they and what is behind them wait for the next
 * window. */
Test(sorter, late_items_are_in_order_in_each_window)
{
    struct window w = {0};
    struct orma_sorter s;
    uint64_t random = 1, pushed = 0, sum = 0;

    orma_sorter_init(&s, see_late, &w);
    for (unsigned window = 0; window < 400; window++) {
        unsigned late = window % 37 ? window % 11 : 3000;

        for (unsigned i = 0; i < late; i++, pushed++) {
            sum += pushed;
            push_late(&s, pushed, &random);
        }
        w.last = (struct orma_item){.ts = INT64_MIN};
        orma_sorter_extract(&s, (pushed - ORMA_MIN(pushed, 20u)) * ORMA_ORDER_STEP);
    }
    w.last = (struct orma_item){.ts = INT64_MIN};
    orma_sorter_extract(&s, UINT64_MAX);
    cr_assert_eq(w.num, pushed);
    cr_assert_eq(w.sum, sum);
    orma_sorter_fini(&s);
    orma_assert_no_leaks();
}

/* What waits for items of a run goes out in the order it came, also while more comes. */
Test(sequence, keeps_what_waits_in_order)
{
    struct orma_seq seq = {0};
    uint64_t in = 0, out = 0;

    for (unsigned round = 1; round < 200; round++) {
        for (unsigned i = 0; i < round; i++) {
            union orma_seq_ahead *at = orma_seq_keep_ahead(&seq, 1 + in % 3);

            cr_assert_not_null(at);
            at->head = in++;
        }
        for (unsigned i = 0; i < round - round % 2; i++, out++) {
            const union orma_seq_ahead *at = orma_seq_first_ahead(&seq);

            cr_assert(at && at->head == out);
            orma_seq_drop_ahead(&seq, 1 + out % 3);
        }
    }
    cr_assert(seq.read_ahead.cap < 2 * 3 * 2 * 200, "what is done makes room");
    while (out < in) {
        cr_assert_eq(orma_seq_first_ahead(&seq)->head, out);
        orma_seq_drop_ahead(&seq, 1 + out++ % 3);
    }
    cr_assert_null(orma_seq_first_ahead(&seq));
    free(seq.read_ahead.items);
}
