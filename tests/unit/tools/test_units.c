#include <criterion/criterion.h>
#include <errno.h>

#include "sdk/base/defs.h"
#include "tools/base/units.h"

Test(units, durations_need_a_unit)
{
    static const struct {
        const char *text;
        bool ok;
        uint64_t ms;
    } cases[] = {{"10s", true, 10000},  {"500ms", true, 500},   {"1.5m", true, 90000},
                 {"2h", true, 7200000}, {"1d", true, 86400000}, {"0", true, 0},
                 {"10", false, 0},      {"-1s", false, 0},      {"s", false, 0},
                 {"", false, 0},        {"10 s", false, 0},     {"1e30d", false, 0},
                 {"infs", false, 0}};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        uint64_t ms = 0;

        cr_assert_eq(orma_units_parse_duration_ms(cases[i].text, &ms), cases[i].ok, "%s",
                     cases[i].text);
        cr_assert_eq(ms, cases[i].ms, "%s", cases[i].text);
    }
}

Test(units, a_time_without_a_unit_is_in_seconds)
{
    uint64_t ms = 0;

    cr_assert(orma_units_parse_time_ms("10", &ms) && ms == 10000);
    cr_assert(orma_units_parse_time_ms("1.5", &ms) && ms == 1500);
    cr_assert(orma_units_parse_time_ms("20ms", &ms) && ms == 20);
    cr_assert_not(orma_units_parse_time_ms("1e30", &ms));
    cr_assert_not(orma_units_parse_time_ms("-1", &ms));
    cr_assert_not(orma_units_parse_time_ms("10x", &ms));
}

Test(units, times_down_to_nanoseconds)
{
    uint64_t ns;

    cr_assert(orma_units_parse_time_ns("1.5", &ns) && ns == 1500000000);
    cr_assert(orma_units_parse_time_ns("2m", &ns) && ns == 120000000000);
    cr_assert(orma_units_parse_time_ns("300ms", &ns) && ns == 300000000);
    cr_assert(orma_units_parse_time_ns("20us", &ns) && ns == 20000);
    cr_assert(orma_units_parse_time_ns("7ns", &ns) && ns == 7);
    cr_assert_not(orma_units_parse_time_ns("1e10", &ns));
    cr_assert_not(orma_units_parse_time_ns("-1s", &ns));
    cr_assert_not(orma_units_parse_time_ns("1 s", &ns));
}

static int read_time(const char *text, int64_t *ret)
{
    return orma_units_read_trace_time("test", "from", text, 5000000000, 9000000000, ret);
}

Test(units, times_of_a_trace)
{
    int64_t ts = 0;

    cr_assert(read_time("1.5s", &ts) == 0 && ts == 6500000000);
    cr_assert(read_time("6000000000", &ts) == 0 && ts == 6000000000);
    cr_assert(read_time("3", &ts) == 0 && ts == 8000000000);
    cr_assert(read_time("100s", &ts) == 0 && ts == 105000000000); /* behind its end */
    cr_assert_eq(read_time("1x", &ts), -EINVAL);
    cr_assert_eq(read_time("9223372036s", &ts), -EINVAL); /* no such time */
    cr_assert_eq(read_time("10000000000s", &ts), -EINVAL);
}

Test(units, sizes_are_powers_of_1024)
{
    uint64_t n;
    char text[ORMA_UNITS_TEXT_MAX];

    cr_assert(orma_units_parse_size_bytes("32mb", &n) && n == 32u << 20);
    cr_assert(orma_units_parse_size_bytes("64K", &n) && n == 64u << 10);
    cr_assert(orma_units_parse_size_bytes("1.5g", &n) && n == 3u << 29);
    cr_assert(!orma_units_parse_size_bytes("32", &n));
    cr_assert(!orma_units_parse_size_bytes("32tb", &n));
    cr_assert_str_eq(orma_units_format_size(1536, text), "1.5 KiB");
    cr_assert_str_eq(orma_units_format_size(12, text), "12 B");
    cr_assert_str_eq(orma_units_format_duration(1500000, text), "1.5 ms");
    cr_assert_str_eq(orma_units_format_duration(2500000000, text), "2.5 s");
}
