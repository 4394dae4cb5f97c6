#include <criterion/criterion.h>

#include "sdk/ftrace/page.h"
#include "tests/support/leaks.h"
#include "tests/support/page_builder.h"

static const struct orma_tracefs_page_layout layout64 = {8, 16};

/* Walks it all; gives the number of events and the status. */
static unsigned walk(const uint8_t *data, size_t size, int *ret_status, uint64_t *ret_ts)
{
    struct orma_tracefs_page_event ev;
    struct orma_tracefs_page page;
    unsigned num = 0;

    if (orma_tracefs_page_open(&page, &layout64, data, size)) {
        while (orma_tracefs_page_next(&page, &ev)) {
            cr_assert_geq(ev.len, 2);
            cr_assert(ev.data >= data && ev.data + ev.len <= data + size);
            num++;
        }
    }
    *ret_status = page.status;
    if (ret_ts)
        *ret_ts = page.ts;
    return num;
}

/*  base 1000 | data +5 | extend + (3 << 27) + 2 | data +1 | absolute | data +7  */
Test(page, adds_up_deltas_extends_and_absolute_stamps)
{
    const uint8_t data[8] = {1};
    struct page_builder b = page_begin(1000);
    uint64_t stamps[3] = {1005, 1005 + 2 + (3ull << 27) + 1, ((5ull << 27) | 9) + 7};
    struct orma_tracefs_page_event ev;
    struct orma_tracefs_page page;

    page_data(&b, 5, data, sizeof(data));
    page_u32(&b, ORMA_TRACEFS_PAGE_TIME_EXTEND | 2 << 5);
    page_u32(&b, 3);
    page_data(&b, 1, data, sizeof(data));
    page_u32(&b, ORMA_TRACEFS_PAGE_TIME_ABSOLUTE | 9 << 5);
    page_u32(&b, 5);
    page_data(&b, 7, data, sizeof(data));
    page_end(&b);
    cr_assert(orma_tracefs_page_open(&page, &layout64, b.page, sizeof(b.page)));
    for (unsigned i = 0; i < 3; i++) {
        cr_assert(orma_tracefs_page_next(&page, &ev));
        cr_expect_eq(page.ts, stamps[i], "%u: %llu", i, (unsigned long long)page.ts);
    }
    cr_assert_not(orma_tracefs_page_next(&page, &ev));
    cr_assert_eq(page.status, ORMA_PB_FTRACE_STATUS_OK);
    orma_assert_no_leaks();
}

Test(page, takes_the_upper_bits_of_an_absolute_stamp_from_the_one_before)
{
    uint64_t high = (uint64_t)3 << 59;

    cr_assert_eq(orma_tracefs_page_absolute(100, 50), 100);
    cr_assert_eq(orma_tracefs_page_absolute(100, high + 50), high + 100);
    cr_assert_eq(orma_tracefs_page_absolute(10, high + 50), high + ((uint64_t)1 << 59) + 10);
    orma_assert_no_leaks();
}

Test(page, skips_discarded_events_and_reads_long_ones)
{
    uint8_t big[600] = {2};
    struct page_builder b = page_begin(7);
    int status;
    uint64_t ts;

    page_data(&b, 1, big, sizeof(big));
    page_u32(&b, ORMA_TRACEFS_PAGE_PADDING | 4 << 5);
    page_u32(&b, 12); /* counts itself: eight bytes follow */
    b.len += 8;
    page_data(&b, 1, big, 4);
    page_end(&b);
    cr_assert_eq(walk(b.page, sizeof(b.page), &status, &ts), 2);
    cr_assert_eq(status, ORMA_PB_FTRACE_STATUS_OK);
    cr_assert_eq(ts, 7 + 1 + 4 + 1);
    orma_assert_no_leaks();
}

Test(page, tells_loss_and_ignores_the_count_behind_the_data)
{
    const uint8_t data[4] = {1};
    struct page_builder b = page_begin(1);
    struct orma_tracefs_page page;

    page_data(&b, 0, data, 4);
    page_end_claiming(&b, 8, 1u << 31 | 1u << 30);
    cr_assert(orma_tracefs_page_open(&page, &layout64, b.page, sizeof(b.page)));
    cr_assert(page.lost);
    cr_assert_eq(page.length, 8);
    orma_assert_no_leaks();
}

Test(page, reads_the_layout_of_32_bit_kernels)
{
    const struct orma_tracefs_page_layout layout32 = {4, 12};
    uint8_t page[64] = {0};
    struct orma_tracefs_page_event ev;
    struct orma_tracefs_page p;
    uint32_t words[] = {8, 1 | 3 << 5, 0x00010007};

    memcpy(page + 8, words, sizeof(words));
    cr_assert(orma_tracefs_page_open(&p, &layout32, page, sizeof(page)));
    cr_assert(orma_tracefs_page_next(&p, &ev));
    cr_assert_eq(ev.id, 7);
    cr_assert_eq(p.ts, 3);
    orma_assert_no_leaks();
}

Test(page, gives_each_violation_its_own_status)
{
    static const struct {
        const char *what;
        uint32_t words[4];
        uint32_t claimed;
        int status;
        unsigned events;
    } cases[] = {
        {"no data", {0}, 0, ORMA_PB_FTRACE_STATUS_ABI_INVALID_PAGE_HEADER, 0},
        {"longer than the page", {0}, 4081, ORMA_PB_FTRACE_STATUS_ABI_INVALID_PAGE_HEADER, 0},
        {"half a header", {1 | 1 << 5, 5}, 10, ORMA_PB_FTRACE_STATUS_ABI_SHORT_EVENT_HEADER, 1},
        {"end marker inside", {29}, 16, ORMA_PB_FTRACE_STATUS_ABI_NULL_PADDING, 0},
        {"padding without length",
         {29 | 1 << 5},
         4,
         ORMA_PB_FTRACE_STATUS_ABI_SHORT_PADDING_LENGTH,
         0},
        {"padding beyond the end",
         {29 | 1 << 5, 100},
         16,
         ORMA_PB_FTRACE_STATUS_ABI_INVALID_PADDING_LENGTH,
         0},
        {"padding shorter than itself",
         {29 | 1 << 5, 3},
         16,
         ORMA_PB_FTRACE_STATUS_ABI_INVALID_PADDING_LENGTH,
         0},
        {"extend without value", {30 | 1 << 5}, 4, ORMA_PB_FTRACE_STATUS_ABI_SHORT_TIME_EXTEND, 0},
        {"stamp without value", {31}, 4, ORMA_PB_FTRACE_STATUS_ABI_SHORT_TIME_STAMP, 0},
        {"long data without length", {0}, 4, ORMA_PB_FTRACE_STATUS_ABI_SHORT_DATA_LENGTH, 0},
        {"long data of length 0", {0, 0}, 16, ORMA_PB_FTRACE_STATUS_ABI_ZERO_DATA_LENGTH, 0},
        {"long data beyond the end", {0, 99}, 16, ORMA_PB_FTRACE_STATUS_ABI_INVALID_DATA_LENGTH, 0},
        {"long data shorter than itself",
         {0, 2},
         16,
         ORMA_PB_FTRACE_STATUS_ABI_INVALID_DATA_LENGTH,
         0},
        {"no room for an id", {0, 5}, 16, ORMA_PB_FTRACE_STATUS_ABI_SHORT_EVENT_ID, 0},
        {"data beyond the end", {28}, 16, ORMA_PB_FTRACE_STATUS_ABI_END_OVERFLOW, 0},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct page_builder b = page_begin(1);
        int status;

        for (unsigned w = 0; w < 4; w++)
            page_u32(&b, cases[i].words[w]);
        page_end_claiming(&b, cases[i].claimed, 0);
        cr_expect_eq(walk(b.page, sizeof(b.page), &status, NULL), cases[i].events, "%s",
                     cases[i].what);
        cr_expect_eq(status, cases[i].status, "%s: %d", cases[i].what, status);
    }
    orma_assert_no_leaks();
}

Test(page, refuses_pages_shorter_than_their_header)
{
    uint8_t page[16] = {0};
    int status;

    for (size_t size = 0; size <= sizeof(page); size++) {
        cr_expect_eq(walk(page, size, &status, NULL), 0);
        cr_expect_eq(status, ORMA_PB_FTRACE_STATUS_ABI_INVALID_PAGE_HEADER);
    }
    orma_assert_no_leaks();
}
