#include <criterion/criterion.h>
#include <errno.h>
#include <locale.h>
#include <math.h>

#include "protos/reflect/number.h"
#include "protos/reflect/text.h"
#include "sdk/wire/pb_writer.h"
#include "tests/support/leaks.h"
#include "tests/unit/protos/drip.h"
#include "tests/unit/protos/kinds.h"

static void expect_text(const struct orma_schema *s, const char *hex, uint32_t flags,
                        const char *text)
{
    struct orma_text_print opts = {.flags = flags};
    struct orma_buf bytes = {0}, out = {0};

    kinds_from_hex(hex, &bytes);
    cr_assert_eq(orma_text_print(s, kinds_msg(s, "Kinds"), bytes.data, bytes.len, &opts, &out), 0,
                 "%s", hex);
    cr_assert_str_eq(orma_buf_cstr(&out), text, "%s", hex);
    orma_buf_fini(&bytes);
    orma_buf_fini(&out);
}

Test(text_print, every_kind_of_field)
{
    struct orma_schema *s = kinds_schema(true);
    static const struct {
        const char *hex, *text;
    } cases[] = {
        {"", ""},
        {"09 9a 99 99 99 99 99 b9 3f", "f_double: 0.1\n"},
        {"15 cd cc cc 3d", "f_float: 0.1\n"},
        {"18 ff ff ff ff ff ff ff ff ff 01", "f_int64: -1\n"},
        {"20 ff ff ff ff ff ff ff ff ff 01", "f_uint64: 18446744073709551615\n"},
        {"28 ff ff ff ff 0f", "f_int32: -1\n"},
        {"31 01 00 00 00 00 00 00 80", "f_fixed64: 9223372036854775809\n"},
        {"3d ff ff ff ff", "f_fixed32: 4294967295\n"},
        {"40 05", "f_bool: true\n"},
        {"4a 05 67 72 c3 bc 0a", "f_string: \"gr\xc3\xbc\\n\"\n"},
        {"4a 02 c3 28", "f_string: \"\\303(\"\n"},
        {"4a 07 22 27 5c 09 0d 01 7f", "f_string: \"\\\"\\'\\\\\\t\\r\\001\\177\"\n"},
        {"62 03 00 c3 bc", "f_bytes: \"\\000\\303\\274\"\n"},
        {"5a 04 08 01 12 00", "f_message {\n  x: 1\n  inner {\n  }\n}\n"},
        {"68 ff ff ff ff ff 01", "f_uint32: 4294967295\n"},
        {"70 01", "f_enum: RED\n"},
        {"70 4d", "f_enum: 77\n"},
        {"7d fe ff ff ff", "f_sfixed32: -2\n"},
        {"88 01 01", "f_sint32: -1\n"},
        {"90 01 ff ff ff ff ff ff ff ff ff 01", "f_sint64: -9223372036854775808\n"},
        {"a8 01 01 a8 01 02", "r_int32: 1\nr_int32: 2\n"},
        {"aa 01 02 01 02", "r_int32: 1\nr_int32: 2\n"},
        {"b2 01 02 01 02 b0 01 03", "p_int32: 1\np_int32: 2\np_int32: 3\n"},
        {"b2 01 00", ""},
        {"ba 01 08 00 00 00 00 00 00 f0 3f", "p_double: 1\n"},
        {"c0 3e 05", "[orma.more.ext_int]: 5\n"},
        {"ca 3e 03 0a 01 78", "[orma.more.ext_message] {\n  name: \"x\"\n}\n"},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++)
        expect_text(s, cases[i].hex, 0, cases[i].text);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(text_print, what_is_unknown_or_does_not_fit_goes_by_number)
{
    struct orma_schema *s = kinds_schema(false);
    static const struct {
        const char *what, *hex, *text;
    } cases[] = {
        {"varint", "c0 b2 04 ff 01", "9000: 255\n"},
        {"64 bits", "c1 b2 04 01 00 00 00 00 00 00 00", "9000: 0x0000000000000001\n"},
        {"32 bits", "c5 b2 04 01 00 00 00", "9000: 0x00000001\n"},
        {"text", "c2 b2 04 03 61 62 63", "9000: \"abc\"\n"},
        {"empty", "c2 b2 04 00", "9000: \"\"\n"},
        {"message", "c2 b2 04 04 08 01 12 00", "9000 {\n  1: 1\n  2: \"\"\n}\n"},
        {"no message", "c2 b2 04 02 08 80", "9000: \"\\010\\200\"\n"},
        {"redundant varint", "c2 b2 04 03 08 81 00", "9000: \"\\010\\201\\000\"\n"},
        {"number for a string", "48 05", "9: 5\n"},
        {"string for a number", "2a 01 61", "5: \"a\"\n"},
        {"packed for a singular", "2a 02 01 02", "5: \"\\001\\002\"\n"},
        {"cut packed", "b2 01 02 01 80", "22: \"\\001\\200\"\n"},
        {"half a double", "ba 01 04 00 00 00 00", "23: \"\\000\\000\\000\\000\"\n"},
        {"broken message", "5a 02 08 80", "11: \"\\010\\200\"\n"},
        {"fixed32 for an int", "2d 01 00 00 00", "5: 0x00000001\n"},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct orma_buf bytes = {0}, back = {0};

        expect_text(s, cases[i].hex, 0, cases[i].text);
        expect_text(s, cases[i].hex, ORMA_TEXT_KNOWN_ONLY, "");
        kinds_from_hex(cases[i].hex, &bytes);
        cr_assert_eq(
            orma_text_parse(s, kinds_msg(s, "Kinds"), orma_str_from(cases[i].text), NULL, &back), 0,
            "%s", cases[i].what);
        cr_assert(back.len == bytes.len && !memcmp(back.data, bytes.data, back.len), "%s",
                  cases[i].what);
        orma_buf_fini(&bytes);
        orma_buf_fini(&back);
    }
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(text_print, one_line_ascii_and_indented_forms)
{
    struct orma_schema *s = kinds_schema(false);
    struct orma_text_print opts = {.indent = 40};
    struct orma_buf bytes = {0}, out = {0};

    expect_text(s, "5a 02 08 01 40 01", ORMA_TEXT_ONE_LINE, "f_message { x: 1 } f_bool: true");
    expect_text(s, "5a 00 da 01 00", ORMA_TEXT_ONE_LINE, "f_message { } r_message { }");
    expect_text(s, "4a 02 c3 bc", ORMA_TEXT_ASCII, "f_string: \"\\303\\274\"\n");
    kinds_from_hex("40 01", &bytes);
    cr_assert_eq(orma_text_print(s, kinds_msg(s, "Kinds"), bytes.data, bytes.len, &opts, &out), 0);
    cr_assert_eq(out.len, 80 + strlen("f_bool: true\n"));
    cr_assert_eq(strspn(orma_buf_cstr(&out), " "), 80);
    orma_buf_fini(&bytes);
    orma_buf_fini(&out);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(text_print, malformed_bytes_give_what_is_before_them)
{
    struct orma_schema *s = kinds_schema(false);
    struct orma_buf bytes = {0}, out = {0};

    kinds_from_hex("40 01 4a 05 61", &bytes);
    cr_assert_eq(orma_text_print(s, kinds_msg(s, "Kinds"), bytes.data, bytes.len, NULL, &out),
                 -EBADMSG);
    cr_assert_str_eq(orma_buf_cstr(&out), "f_bool: true\n");
    orma_buf_fini(&bytes);
    orma_buf_fini(&out);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(text_print, messages_deeper_than_the_limit_are_bytes)
{
    struct orma_schema *s = kinds_schema(false);
    struct orma_buf bytes = {0}, text = {0}, back = {0};
    size_t begun[ORMA_TEXT_DEPTH_MAX + 20], n = 0;

    begun[n++] = orma_pb_begin(&bytes, 11);
    while (n < ORMA_ARRAY_LEN(begun))
        begun[n++] = orma_pb_begin(&bytes, 2);
    while (n)
        orma_pb_end(&bytes, begun[--n]);
    cr_assert_eq(orma_text_print(s, kinds_msg(s, "Kinds"), bytes.data, bytes.len, NULL, &text), 0);
    cr_assert_eq(orma_text_parse(s, kinds_msg(s, "Kinds"), orma_buf_str(&text), NULL, &back), 0);
    cr_assert(back.len == bytes.len && !memcmp(back.data, bytes.data, back.len));
    orma_buf_fini(&bytes);
    orma_buf_fini(&text);
    orma_buf_fini(&back);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(numbers, are_the_shortest_that_read_back)
{
    static const struct {
        double val;
        const char *text;
    } doubles[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {0.1, "0.1"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1e100, "1e+100"},
        {5e-324, "4.94065645841247e-324"},
        {123456789012345680.0, "1.2345678901234568e+17"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {NAN, "nan"},
    };
    struct orma_buf out = {0};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(doubles); i++) {
        orma_buf_clear(&out);
        orma_number_put_double(&out, doubles[i].val);
        cr_assert_str_eq(orma_buf_cstr(&out), doubles[i].text);
    }
    orma_buf_clear(&out);
    orma_number_put_float(&out, 16777216.0f);
    orma_buf_put_byte(&out, ' ');
    orma_number_put_float(&out, 3.4028235e38f);
    orma_buf_put_byte(&out, ' ');
    orma_number_put_i64(&out, INT64_MIN);
    orma_buf_put_byte(&out, ' ');
    orma_number_put_u64(&out, 0);
    cr_assert_str_eq(orma_buf_cstr(&out), "16777216 3.4028235e+38 -9223372036854775808 0");
    orma_buf_fini(&out);
    orma_assert_no_leaks();
}

Test(numbers, do_not_depend_on_the_locale)
{
    static const char *const commas[] = {"de_DE.UTF-8", "de_DE.utf8", "tr_TR.UTF-8", "fr_FR.UTF-8"};
    struct orma_buf out = {0};
    double val = 0;
    bool set = false;

    for (size_t i = 0; i < ORMA_ARRAY_LEN(commas) && !set; i++)
        set = setlocale(LC_ALL, commas[i]) != NULL;
    if (!set)
        cr_skip_test("no locale with a decimal comma is installed");
    orma_number_put_double(&out, 1.5);
    cr_assert_str_eq(orma_buf_cstr(&out), "1.5");
    cr_assert(orma_number_to_double("1.5", &val) && val == 1.5);
    orma_buf_fini(&out);
    setlocale(LC_ALL, "C");
    orma_assert_no_leaks();
}

Test(text_stream, is_what_the_whole_would_be)
{
    struct orma_schema *s = kinds_schema(false);
    uint32_t msg = kinds_msg(s, "Kinds");
    struct orma_buf bytes = {0}, whole = {0};

    for (uint32_t i = 0; i < 2000; i++) {
        size_t begun = orma_pb_begin(&bytes, 27);

        orma_pb_put_i64(&bytes, 1, -(int64_t)i);
        for (uint32_t k = 0; k < i % 200; k++)
            orma_pb_put_cstr(&bytes, 100, "text");
        orma_pb_end(&bytes, begun);
        orma_pb_put_fixed64(&bytes, 6, i);
        orma_pb_put_fixed32(&bytes, 7, i);
        orma_pb_put_u64(&bytes, 100000 + i, i);
    }
    cr_assert_eq(orma_text_print(s, msg, bytes.data, bytes.len, NULL, &whole), 0);
    for (size_t step = 1; step < 1000000; step = step * 7 + 1) {
        struct drip d = {orma_buf_str(&bytes), step};
        struct orma_buf out = {0};

        cr_assert_eq(orma_text_print_stream(s, msg, (struct orma_reflect_source){drip_read, &d},
                                            NULL, orma_reflect_sink_buf(&out)),
                     0);
        cr_assert(out.len == whole.len && !memcmp(out.data, whole.data, out.len), "step %zu", step);
        orma_buf_fini(&out);
    }
    orma_buf_fini(&bytes);
    orma_buf_fini(&whole);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(text_stream, a_cut_field_ends_it_behind_all_others)
{
    struct orma_schema *s = kinds_schema(false);
    uint32_t msg = kinds_msg(s, "Kinds");
    struct orma_buf bytes = {0};

    kinds_from_hex("40 01 31 01 02 03 04 05 06 07 08 4a 03 61 62 63 3d 01 02 03 04 "
                   "c0 b2 04 ff 01",
                   &bytes);
    for (size_t len = 0; len < bytes.len; len++) {
        struct drip d = {{(const char *)bytes.data, len}, 3};
        struct orma_buf out = {0}, want = {0};

        int want_r = orma_text_print(s, msg, bytes.data, len, NULL, &want);
        int r = orma_text_print_stream(s, msg, (struct orma_reflect_source){drip_read, &d}, NULL,
                                       orma_reflect_sink_buf(&out));
        cr_assert_eq(r, want_r, "cut at %zu", len);
        cr_assert_str_eq(orma_buf_cstr(&out), orma_buf_cstr(&want));
        orma_buf_fini(&out);
        orma_buf_fini(&want);
    }
    orma_buf_fini(&bytes);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(text_stream, claimed_lengths_cost_no_memory_before_the_bytes_come)
{
    struct orma_schema *s = kinds_schema(false);
    static const uint8_t huge[] = {0x4a, 0xff, 0xff, 0xff, 0x7f, 'a'}; /* 2^28 - 1 */
    static const uint8_t over[] = {0x4a, 0x80, 0x80, 0x80, 0x80, 0x01, 'a'};
    static const uint8_t endless[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                      0x80, 0x80, 0x80, 0x80, 0x80, 0x01};
    struct orma_str inputs[] = {{(const char *)huge, sizeof(huge)},
                                {(const char *)over, sizeof(over)},
                                {(const char *)endless, sizeof(endless)}};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(inputs); i++) {
        struct drip d = {inputs[i], 1};
        struct orma_buf out = {0};

        cr_assert_eq(orma_text_print_stream(s, kinds_msg(s, "Kinds"),
                                            (struct orma_reflect_source){drip_read, &d}, NULL,
                                            orma_reflect_sink_buf(&out)),
                     -EBADMSG);
        orma_buf_fini(&out);
    }
    orma_schema_free(s);
    orma_assert_no_leaks();
}
