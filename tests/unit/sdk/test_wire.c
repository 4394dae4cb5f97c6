#include <criterion/criterion.h>

#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"
#include "sdk/wire/varint.h"
#include "tests/support/leaks.h"

Test(varint, round_trips_at_every_border)
{
    for (unsigned bits = 0; bits <= 64; bits++) {
        for (int d = -1; d <= 1; d++) {
            uint64_t val = (bits < 64 ? (uint64_t)1 << bits : 0) + (uint64_t)(int64_t)d, got = 0;
            uint8_t bytes[ORMA_VARINT_MAX];
            uint8_t *end = orma_varint_write(bytes, val);
            const uint8_t *at = bytes;

            cr_assert_eq((size_t)(end - bytes), orma_varint_size(val));
            cr_assert(orma_pb_varint_at(&at, end, &got) && at == end && got == val);
            at = bytes;
            cr_assert(!orma_pb_varint_at(&at, end - 1, &got), "cut short");
        }
    }
}

Test(varint, of_hot_paths_has_the_same_bytes)
{
    for (unsigned bits = 0; bits <= 64; bits++) {
        for (int d = -1; d <= 1; d++) {
            uint64_t val = (bits < 64 ? (uint64_t)1 << bits : 0) + (uint64_t)(int64_t)d;
            uint8_t want[ORMA_VARINT_MAX], got[ORMA_VARINT_MAX];
            size_t len = (size_t)(orma_varint_write(want, val) - want);

            cr_assert_eq((size_t)(orma_varint_write_fast(got, val) - got), len);
            cr_assert_eq(memcmp(got, want, len), 0, "%u bits", bits);
        }
    }
}

/* Long ones are read by words where more bytes follow, and one by one at the end. */
Test(varint, means_the_same_whatever_follows)
{
    static const uint8_t fills[] = {0x00, 0x7f, 0x80, 0xff};

    for (unsigned bits = 0; bits <= 64; bits++) {
        for (unsigned more = 0; more <= 12; more++) {
            uint64_t val = (bits < 64 ? (uint64_t)1 << bits : 0) - (bits % 3), got = 0;
            uint8_t bytes[ORMA_VARINT_MAX + 12];

            memset(bytes, fills[more % sizeof(fills)], sizeof(bytes));
            uint8_t *end = orma_varint_write(bytes, val);
            const uint8_t *at = bytes;
            cr_assert(orma_pb_varint_at(&at, end + more, &got) && at == end && got == val);
        }
    }
}

Test(varint, of_more_than_ten_bytes_is_none)
{
    uint8_t bytes[24];
    const uint8_t *at = bytes;
    uint64_t got;

    memset(bytes, 0xff, sizeof(bytes));
    for (unsigned len = 1; len <= sizeof(bytes); len++)
        cr_assert(!orma_pb_varint_at(&at, bytes + len, &got), "%u bytes", len);
    bytes[9] = 0x7f; /* of the tenth byte only one bit counts */
    cr_assert(orma_pb_varint_at(&at, bytes + sizeof(bytes), &got));
    cr_assert(got == UINT64_MAX && at == bytes + 10);
}

Test(varint, redundant_form_reads_back)
{
    uint8_t bytes[4];
    const uint8_t *at = bytes;
    uint64_t got = 0;

    orma_varint_write_redundant(bytes, 5);
    cr_assert_eq(bytes[0], 0x85);
    cr_assert_eq(bytes[3], 0x00);
    cr_assert(orma_pb_varint_at(&at, bytes + 4, &got) && got == 5);
}

Test(reader, malformed_fields_fail_and_stay_failed)
{
    static const struct {
        const char *what;
        uint8_t bytes[12];
        size_t len;
    } cases[] = {
        {"field id 0", {0x00, 0x01}, 2},
        {"length beyond the end", {0x0a, 0x02, 'x'}, 3},
        {"group", {0x0b}, 1},
        {"wire type 7", {0x0f, 0x00}, 2},
        {"fixed64 cut", {0x09, 1, 2, 3}, 4},
        {"fixed32 cut", {0x0d, 1, 2, 3}, 4},
        {"varint of 11 bytes", {0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1}, 12},
        {"tag cut", {0x80}, 1},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct orma_pb_reader r = orma_pb_reader(cases[i].bytes, cases[i].len);
        struct orma_pb_field f;

        cr_assert(!orma_pb_next(&r, &f), "%s", cases[i].what);
        cr_assert(r.failed, "%s", cases[i].what);
        cr_assert(!orma_pb_next(&r, &f), "%s", cases[i].what);
    }
}

Test(writer, nested_sizes_take_as_few_bytes_as_they_can)
{
    struct orma_buf b = {0};
    char text[200];

    memset(text, 'a', sizeof(text));
    size_t outer = orma_pb_begin(&b, 1);
    size_t inner = orma_pb_begin(&b, 2);
    orma_pb_put_bytes(&b, 3, text, sizeof(text));
    orma_pb_end(&b, inner);
    orma_pb_put_sint(&b, 4, -3);
    orma_pb_put_double(&b, 5, 1.5);
    orma_pb_end(&b, outer);
    cr_assert_eq(b.len, 3 + 3 + 3 + 200 + 2 + 9);

    struct orma_pb_reader r = orma_pb_reader(b.data, b.len), sub;
    struct orma_pb_field f;
    cr_assert(orma_pb_next(&r, &f) && f.id == 1);
    sub = orma_pb_sub(&f);
    cr_assert(orma_pb_next(&sub, &f) && f.id == 2 && f.len == 203);
    cr_assert(orma_pb_next(&sub, &f) && f.id == 4 && orma_pb_sint(&f) == -3);
    cr_assert(orma_pb_next(&sub, &f) && f.id == 5 && orma_pb_double(&f) == 1.5);
    cr_assert(!orma_pb_next(&sub, &f) && !sub.failed);
    orma_buf_fini(&b);
    orma_assert_no_leaks();
}

Test(reader, takes_packed_and_unpacked_numbers)
{
    static const uint8_t bytes[] = {0x0a, 3, 1, 0x80, 1, 0x08, 7};
    struct orma_pb_reader r = orma_pb_reader(bytes, sizeof(bytes)), packed;
    struct orma_pb_field f;
    uint64_t val, sum = 0;

    while (orma_pb_next(&r, &f)) {
        for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &val);)
            sum += val;
    }
    cr_assert_eq(sum, 1 + 128 + 7);
}
