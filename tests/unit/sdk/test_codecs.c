#include <criterion/criterion.h>
#include <string.h>

#include "sdk/base/base64.h"
#include "sdk/base/hex.h"
#include "sdk/base/utf8.h"
#include "tests/support/leaks.h"

/* ---- UTF-8 ---- */

Test(utf8, decodes_what_it_encodes)
{
    static const uint32_t borders[] = {0,      0x7f,   0x80,   0x7ff,   0x800,   0xd7ff,
                                       0xe000, 0xfffd, 0xffff, 0x10000, 0x10ffff};
    static const size_t lengths[] = {1, 1, 2, 2, 3, 3, 3, 3, 3, 4, 4};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(borders); i++) {
        uint8_t bytes[ORMA_UTF8_MAX];
        uint32_t code = 1234;
        size_t len = orma_utf8_encode(borders[i], bytes);
        struct orma_str text = {(const char *)bytes, len};

        cr_assert_eq(len, lengths[i], "%x", borders[i]);
        cr_assert_eq(orma_utf8_decode(text, &code), len, "%x", borders[i]);
        cr_assert_eq(code, borders[i]);
        text.len--; /* cut short */
        cr_assert_eq(orma_utf8_decode(text, &code), 0);
    }
    orma_assert_no_leaks();
}

Test(utf8, goes_through_a_text_with_a_stand_in_for_what_is_no_character)
{
    struct orma_str text = ORMA_STR("a\xff\xc3\xa4\xe2\x82");
    static const uint32_t codes[] = {'a', 0xfffd, 0xe4, 0xfffd, 0xfffd};

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(codes); i++) {
        cr_assert(text.len);
        cr_assert_eq(orma_utf8_next(&text), codes[i], "%u", i);
    }
    cr_assert_eq(text.len, 0);
    orma_assert_no_leaks();
}

Test(utf8, refuses_what_is_not_well_formed)
{
    static const struct {
        const char *bytes, *what;
    } cases[] = {
        {"\x80", "continuation first"},   {"\xc0\x80", "overlong 2"},
        {"\xe0\x9f\xbf", "overlong 3"},   {"\xf0\x8f\xbf\xbf", "overlong 4"},
        {"\xed\xa0\x80", "surrogate"},    {"\xf4\x90\x80\x80", "above 0x10ffff"},
        {"\xf8\x88\x80\x80\x80", "five"}, {"\xe2\x82z", "no continuation"},
        {"\xff", "never a byte"},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        uint32_t code = 1234;
        struct orma_str text = orma_str_from(cases[i].bytes);

        cr_assert_eq(orma_utf8_decode(text, &code), 0, "%s", cases[i].what);
        cr_assert_eq(orma_utf8_len(text), 0);
        cr_assert_eq(code, 1234, "untouched");
        cr_assert_not(orma_utf8_is_valid(text), "%s", cases[i].what);
    }
    cr_assert(orma_utf8_is_valid(ORMA_STR("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80")));
    cr_assert(orma_utf8_is_valid((struct orma_str){NULL, 0}));
    cr_assert_eq(orma_utf8_len((struct orma_str){NULL, 0}), 0);
    orma_assert_no_leaks();
}

Test(utf8, puts_code_points_and_nothing_else)
{
    struct orma_buf out = {0};

    cr_assert(orma_utf8_put(&out, 0x20ac));
    cr_assert_not(orma_utf8_put(&out, 0xd800));
    cr_assert_not(orma_utf8_put(&out, 0x110000));
    cr_assert_str_eq(orma_buf_cstr(&out), "\xe2\x82\xac");
    orma_buf_fini(&out);
    orma_assert_no_leaks();
}

/* ---- base64 ---- */

Test(base64, encodes_the_vectors_of_the_rfc_and_back)
{
    static const char *const vectors[][2] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
        {"\xfb\xff", "+/8="},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(vectors); i++) {
        struct orma_buf out = {0};

        orma_base64_put(&out, orma_str_from(vectors[i][0]));
        cr_assert_str_eq(orma_buf_cstr(&out), vectors[i][1]);
        orma_buf_clear(&out);
        cr_assert(orma_base64_decode(orma_str_from(vectors[i][1]), ORMA_BASE64_STRICT, &out));
        cr_assert_str_eq(orma_buf_cstr(&out), vectors[i][0]);
        orma_buf_fini(&out);
    }
    orma_assert_no_leaks();
}

Test(base64, decodes_both_alphabets_and_what_its_rules_allow)
{
    static const struct {
        const char *text, *strict, *lenient; /* NULL: refused */
    } cases[] = {
        {"-_8", "\xfb\xff", "\xfb\xff"},
        {"Zg", "f", "f"},
        {"Zg=", "f", "f"},
        {"Zh==", NULL, "f"},
        {"Zg===", NULL, "f"},
        {"Z", NULL, NULL},
        {"Zm9vY", NULL, NULL},
        {"Zm 9v", NULL, NULL},
        {"Zg==Zg==", NULL, NULL},
        {"=", "", ""},
    };

    for (size_t i = 0; i < 2 * ORMA_ARRAY_LEN(cases); i++) {
        const char *expected = i % 2 ? cases[i / 2].lenient : cases[i / 2].strict;
        struct orma_str text = orma_str_from(cases[i / 2].text);
        struct orma_buf out = {0};

        orma_buf_put_str(&out, "> ");
        cr_assert_eq(
            orma_base64_decode(text, i % 2 ? ORMA_BASE64_LENIENT : ORMA_BASE64_STRICT, &out),
            expected != NULL, "%s", cases[i / 2].text);
        cr_assert_str_eq(orma_buf_cstr(&out) + 2, expected ? expected : "", "%s",
                         cases[i / 2].text);
        orma_buf_fini(&out);
    }
    orma_assert_no_leaks();
}

/* ---- hexadecimal ---- */

Test(hex, reads_digits_of_both_cases)
{
    for (int c = -1; c < 256; c++) {
        const char *digits = "0123456789abcdef0123456789ABCDEF",
                   *at = c > 0 ? strchr(digits, c) : NULL;

        cr_assert_eq(orma_hex_digit(c), at ? (int)(at - digits) % 16 : -1, "%d", c);
    }
    cr_assert_eq(orma_hex4(ORMA_STR("20aCx")), 0x20ac);
    cr_assert_eq(orma_hex4(ORMA_STR("20a")), -1);
    cr_assert_eq(orma_hex4(ORMA_STR("20a ")), -1);
    orma_assert_no_leaks();
}

Test(hex, writes_two_digits_per_byte)
{
    struct orma_buf out = {0};

    orma_hex_put(&out, (struct orma_str){"\x00\x7f\xff", 3});
    cr_assert_str_eq(orma_buf_cstr(&out), "007fff");
    orma_buf_fini(&out);
    orma_assert_no_leaks();
}
