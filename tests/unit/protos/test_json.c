#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>

#include "sdk/base/base64.h"
#include "protos/reflect/json.h"
#include "sdk/wire/pb_writer.h"
#include "tests/support/leaks.h"
#include "tests/unit/protos/kinds.h"

static void expect_json(const struct orma_schema *s, const char *hex, uint32_t flags,
                        const char *json)
{
    struct orma_json_print opts = {.flags = flags};
    struct orma_buf bytes = {0}, out = {0};

    kinds_from_hex(hex, &bytes);
    cr_assert_eq(orma_json_print(s, kinds_msg(s, "Kinds"), bytes.data, bytes.len, &opts, &out), 0,
                 "%s", hex);
    cr_assert_str_eq(orma_buf_cstr(&out), json, "%s", hex);
    cr_assert_eq(opts.dropped, 0, "%s", hex);
    orma_buf_fini(&bytes);
    orma_buf_fini(&out);
}

static void expect_bytes(const struct orma_schema *s, const char *json, const char *hex)
{
    struct orma_buf want = {0}, out = {0}, error = {0};
    struct orma_json_parse opts = {.error = &error};

    kinds_from_hex(hex, &want);
    int r = orma_json_parse(s, kinds_msg(s, "Kinds"), orma_str_from(json), &opts, &out);
    cr_assert_eq(r, 0, "%s", orma_buf_cstr(&error));
    cr_assert(out.len == want.len && (!out.len || !memcmp(out.data, want.data, out.len)), "%s",
              json);
    orma_buf_fini(&want);
    orma_buf_fini(&out);
    orma_buf_fini(&error);
}

Test(json, every_kind_of_field_both_ways)
{
    struct orma_schema *s = kinds_schema(true);
    static const struct {
        const char *hex, *json;
    } cases[] = {
        {"", "{}"},
        {"09 9a 99 99 99 99 99 b9 3f", "{\"f_double\":0.1}"},
        {"09 00 00 00 00 00 00 f8 7f", "{\"f_double\":\"NaN\"}"},
        {"09 00 00 00 00 00 00 f0 ff", "{\"f_double\":\"-Infinity\"}"},
        {"15 cd cc cc 3d", "{\"f_float\":0.1}"},
        {"15 00 00 80 7f", "{\"f_float\":\"Infinity\"}"},
        {"18 ff ff ff ff ff ff ff ff ff 01", "{\"f_int64\":\"-1\"}"},
        {"20 ff ff ff ff ff ff ff ff ff 01", "{\"f_uint64\":\"18446744073709551615\"}"},
        {"28 ff ff ff ff ff ff ff ff ff 01", "{\"f_int32\":-1}"},
        {"31 01 00 00 00 00 00 00 00", "{\"f_fixed64\":\"1\"}"},
        {"3d ff ff ff ff", "{\"f_fixed32\":4294967295}"},
        {"40 01", "{\"f_bool\":true}"},
        {"40 00", "{\"f_bool\":false}"},
        {"4a 0b 22 5c 08 0c 0a 0d 09 01 7f c3 bc",
         "{\"f_string\":\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u007f\xc3\xbc\"}"},
        {"5a 06 08 01 12 02 08 02", "{\"f_message\":{\"x\":1,\"inner\":[{\"x\":2}]}}"},
        {"62 00", "{\"f_bytes\":\"\"}"},
        {"62 01 ff", "{\"f_bytes\":\"/w==\"}"},
        {"62 02 ff fe", "{\"f_bytes\":\"//4=\"}"},
        {"62 03 00 01 02", "{\"f_bytes\":\"AAEC\"}"},
        {"70 01", "{\"f_enum\":\"RED\"}"},
        {"70 4d", "{\"f_enum\":77}"},
        {"7d fe ff ff ff", "{\"f_sfixed32\":-2}"},
        {"81 01 fe ff ff ff ff ff ff ff", "{\"f_sfixed64\":\"-2\"}"},
        {"88 01 01", "{\"f_sint32\":-1}"},
        {"90 01 ff ff ff ff ff ff ff ff ff 01", "{\"f_sint64\":\"-9223372036854775808\"}"},
        {"a8 01 01 a8 01 02", "{\"r_int32\":[1,2]}"},
        {"b2 01 03 01 ac 02", "{\"p_int32\":[1,300]}"},
        {"ca 01 02 01 02", "{\"p_enum\":[\"RED\",\"GREEN\"]}"},
        {"da 01 00 da 01 02 08 01", "{\"r_message\":[{},{\"x\":1}]}"},
        {"d0 02 05", "{\"odd_json\":5}"},
        {"c0 3e 05", "{\"[orma.more.ext_int]\":5}"},
        {"ca 3e 03 0a 01 78", "{\"[orma.more.ext_message]\":{\"name\":\"x\"}}"},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        expect_json(s, cases[i].hex, 0, cases[i].json);
        expect_bytes(s, cases[i].json, cases[i].hex);
    }
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(json, reads_the_other_forms_too)
{
    struct orma_schema *s = kinds_schema(true);
    static const struct {
        const char *json, *hex;
    } cases[] = {
        {" { \"fInt32\" : 5 }\n", "28 05"},
        {"\xef\xbb\xbf{}", ""},
        {"{\"ODD\":5}", "d0 02 05"},
        {"{\"f_int32\":\"5\"}", "28 05"},
        {"{\"f_int32\":1.5e1}", "28 0f"},
        {"{\"f_int32\":-0}", "28 00"},
        {"{\"f_int64\":-5}", "18 fb ff ff ff ff ff ff ff ff 01"},
        {"{\"f_double\":\"1e3\"}", "09 00 00 00 00 00 40 8f 40"},
        {"{\"f_double\":-0}", "09 00 00 00 00 00 00 00 80"},
        {"{\"f_enum\":2}", "70 02"},
        {"{\"f_bytes\":\"_w\"}", "62 01 ff"},
        {"{\"f_bytes\":\"-_8=\"}", "62 02 fb ff"},
        {"{\"f_string\":\"\\u00fc\\uD83D\\ude00\\/\"}", "4a 07 c3 bc f0 9f 98 80 2f"},
        {"{\"f_int32\":null,\"f_bool\":true,\"r_int32\":null}", "40 01"},
        {"{\"one\":1,\"two\":null}", "f8 01 01"},
        {"{\"f_int32\":null,\"f_int32\":1}", "28 01"},
        {"{\"r_int32\":[],\"p_int32\":[]}", ""},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++)
        expect_bytes(s, cases[i].json, cases[i].hex);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(json, gathers_what_the_bytes_have_apart)
{
    struct orma_schema *s = kinds_schema(false);

    expect_json(s, "a8 01 01 28 05 a8 01 02 28 06", 0, "{\"f_int32\":6,\"r_int32\":[1,2]}");
    expect_json(s, "5a 02 08 01 40 01 5a 03 a2 06 00", 0,
                "{\"f_bool\":true,\"f_message\":{\"x\":1,\"text\":\"\"}}");
    expect_json(s, "5a 04 12 02 08 01 5a 06 12 00 12 02 08 02", 0,
                "{\"f_message\":{\"inner\":[{\"x\":1},{},{\"x\":2}]}}");
    expect_json(s, "f8 01 01 82 02 01 78", 0, "{\"two\":\"x\"}");
    expect_json(s, "82 02 01 78 f8 01 01", 0, "{\"one\":1}");
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(json, pretty_camel_case_and_numbers_for_enums)
{
    struct orma_schema *s = kinds_schema(true);

    expect_json(s, "28 05 a8 01 01 a8 01 02 5a 02 08 01 b2 01 00 da 01 00", ORMA_JSON_PRETTY,
                "{\n  \"f_int32\": 5,\n  \"f_message\": {\n    \"x\": 1\n  },\n"
                "  \"r_int32\": [\n    1,\n    2\n  ],\n  \"r_message\": [\n    {}\n  ]\n}");
    expect_json(s, "28 05 d0 02 01 70 01 c0 3e 01", ORMA_JSON_CAMEL_CASE | ORMA_JSON_ENUM_NUMBERS,
                "{\"fInt32\":5,\"fEnum\":1,\"ODD\":1,\"[orma.more.ext_int]\":1}");
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(json, counts_what_it_can_not_hold)
{
    struct orma_schema *s = kinds_schema(false);
    struct orma_json_print opts = {0};
    struct orma_buf bytes = {0}, out = {0};

    /* An unknown field, a string for a number, a broken message, a bad string. */
    kinds_from_hex("c0 b2 04 01 2a 01 61 5a 02 08 80 4a 03 61 ff 62 40 01", &bytes);
    cr_assert_eq(orma_json_print(s, kinds_msg(s, "Kinds"), bytes.data, bytes.len, &opts, &out), 0);
    cr_assert_str_eq(orma_buf_cstr(&out), "{\"f_bool\":true,\"f_string\":\"a\xef\xbf\xbd"
                                          "b\"}");
    cr_assert_eq(opts.dropped, 3);
    cr_assert_eq(opts.replaced, 1);
    orma_buf_fini(&bytes);
    orma_buf_fini(&out);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(json, malformed_bytes_print_nothing)
{
    struct orma_schema *s = kinds_schema(false);
    struct orma_buf out = {0};

    orma_buf_put_str(&out, "before");
    cr_assert_eq(orma_json_print(s, kinds_msg(s, "Kinds"), "\x40\x01\x40", 3, NULL, &out),
                 -EBADMSG);
    cr_assert_str_eq(orma_buf_cstr(&out), "before");
    orma_buf_fini(&out);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(json, bad_text_is_refused_where_it_goes_wrong)
{
    struct orma_schema *s = kinds_schema(true);
    static const struct {
        const char *text, *at;
    } cases[] = {
        {"", "1:1"},
        {"[]", "1:1"},
        {"5", "1:1"},
        {"{", "1:2"},
        {"{}{", "1:3"},
        {"{f_int32:5}", "1:2"},
        {"{\"nope\":5}", "1:2"},
        {"{\"f_int32\"5}", "1:11"},
        {"{\"f_int32\":}", "1:12"},
        {"{\"f_int32\":5,}", "1:14"},
        {"{\"f_int32\":5 \"f_bool\":true}", "1:14"},
        {"{\"f_int32\":5,\n\"fInt32\":5}", "2:1"},
        {"{\"f_int32\":2147483648}", "1:12"},
        {"{\"f_int32\":1.5}", "1:12"},
        {"{\"f_int32\":\"\"}", "1:12"},
        {"{\"f_int32\":\" 5\"}", "1:12"},
        {"{\"f_int32\":\"5\\u0000\"}", "1:12"},
        {"{\"f_int32\":0x5}", "1:12"},
        {"{\"f_int32\":05}", "1:12"},
        {"{\"f_int32\":+5}", "1:12"},
        {"{\"f_int32\":5.}", "1:12"},
        {"{\"f_int32\":.5}", "1:12"},
        {"{\"f_int32\":true}", "1:12"},
        {"{\"f_int32\":[5]}", "1:12"},
        {"{\"f_uint64\":18446744073709551616}", "1:13"},
        {"{\"f_uint64\":-1}", "1:13"},
        {"{\"f_double\":NaN}", "1:13"},
        {"{\"f_double\":\"nan\"}", "1:13"},
        {"{\"f_bool\":1}", "1:11"},
        {"{\"f_bool\":\"true\"}", "1:11"},
        {"{\"f_enum\":\"MAUVE\"}", "1:11"},
        {"{\"f_string\":5}", "1:13"},
        {"{\"f_string\":\"a\nb\"}", "1:13"},
        {"{\"f_string\":\"a\tb\"}", "1:15"},
        {"{\"f_string\":\"\\x41\"}", "1:14"},
        {"{\"f_string\":\"\\u12g4\"}", "1:14"},
        {"{\"f_string\":\"\\ud800\"}", "1:14"},
        {"{\"f_string\":\"\\udc00\"}", "1:14"},
        {"{\"f_bytes\":\"A\"}", "1:12"},
        {"{\"f_bytes\":\"AB\"}", "1:12"},
        {"{\"f_bytes\":\"AA=A\"}", "1:12"},
        {"{\"f_message\":[]}", "1:14"},
        {"{\"r_int32\":5}", "1:12"},
        {"{\"r_int32\":[5,]}", "1:15"},
        {"{\"r_int32\":[null]}", "1:13"},
        {"{\"one\":1,\"two\":\"\"}", "1:16"},
        {"{\"[orma.more.none]\":1}", "1:2"},
        {"{\"orma.more.ext_int\":1}", "1:2"},
        {"// no\n{}", "1:1"},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct orma_buf out = {0}, error = {0};
        struct orma_json_parse opts = {.file = "f", .error = &error};
        char want[32];

        snprintf(want, sizeof(want), "f:%s error: ", cases[i].at);
        cr_assert_eq(
            orma_json_parse(s, kinds_msg(s, "Kinds"), orma_str_from(cases[i].text), &opts, &out),
            -EBADMSG, "%s", cases[i].text);
        cr_assert_eq(strncmp(orma_buf_cstr(&error), want, strlen(want)), 0, "%s: %s", cases[i].text,
                     orma_buf_cstr(&error));
        cr_assert_eq(out.len, 0);
        orma_buf_fini(&out);
        orma_buf_fini(&error);
    }
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(json, required_fields_and_the_lossy_mode)
{
    struct orma_schema *s = kinds_schema(false);
    struct orma_buf out = {0};
    struct orma_json_parse opts = {0};
    uint32_t strict = kinds_msg(s, "Strict"), kinds = kinds_msg(s, "Kinds");

    cr_assert_eq(orma_json_parse(s, strict, ORMA_STR("{\"must\":null}"), &opts, &out), -EBADMSG);
    opts.flags = ORMA_JSON_PARTIAL;
    cr_assert_eq(orma_json_parse(s, strict, ORMA_STR("{\"must\":null}"), &opts, &out), 0);
    opts.flags = ORMA_JSON_LOSSY;
    cr_assert_eq(orma_json_parse(s, kinds,
                                 ORMA_STR("{\"x\":{\"a\":[1,{},[\"}\"]],\"b\":null},\"y\":[],"
                                          "\"f_enum\":\"MAUVE\",\"p_enum\":[\"MAUVE\",\"RED\"],"
                                          "\"f_bool\":true,\"z\":-1e5}"),
                                 &opts, &out),
                 0);
    cr_assert_eq(opts.dropped, 5);
    cr_assert_eq(out.len, 6);
    cr_assert_eq(memcmp(out.data, "\xca\x01\x01\x01\x40\x01", 6), 0);
    orma_buf_fini(&out);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

static void nested(struct orma_buf *text, const char *first, const char *more, const char *close,
                   unsigned times)
{
    orma_buf_put_str(text, first);
    for (unsigned i = 0; i < times; i++)
        orma_buf_put_str(text, more);
    for (unsigned i = 0; i < times; i++)
        orma_buf_put_str(text, close);
}

Test(json, nesting_ends_at_the_limit)
{
    struct orma_schema *s = kinds_schema(false);
    uint32_t kinds = kinds_msg(s, "Kinds");
    struct orma_json_parse lossy = {.flags = ORMA_JSON_LOSSY};

    for (unsigned depth = ORMA_JSON_DEPTH_MAX - 2; depth < ORMA_JSON_DEPTH_MAX + 2; depth++) {
        struct orma_buf known = {0}, unknown = {0}, out = {0}, back = {0};
        int want = depth < ORMA_JSON_DEPTH_MAX ? 0 : -EBADMSG;

        nested(&known, "{\"f_message\":{", "\"inner\":[{", "}]", depth - 1);
        orma_buf_put_str(&known, "}}");
        cr_assert_eq(orma_json_parse(s, kinds, orma_buf_str(&known), NULL, &out), want, "%u",
                     depth);
        if (!want) {
            cr_assert_eq(orma_json_print(s, kinds, out.data, out.len, NULL, &back), 0);
            cr_assert_str_eq(orma_buf_cstr(&back), orma_buf_cstr(&known));
        }
        nested(&unknown, "{\"u\":", "[", "]", depth);
        orma_buf_put_str(&unknown, "}");
        cr_assert_eq(orma_json_parse(s, kinds, orma_buf_str(&unknown), &lossy, &out), want);
        orma_buf_fini(&known);
        orma_buf_fini(&unknown);
        orma_buf_fini(&out);
        orma_buf_fini(&back);
    }
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(base64, every_length_and_byte_comes_back)
{
    uint8_t bytes[256];

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 167 + 13);
    for (size_t len = 0; len <= sizeof(bytes); len++) {
        struct orma_buf text = {0}, back = {0};

        orma_base64_put(&text, (struct orma_str){(const char *)bytes, len});
        cr_assert_eq(text.len, (len + 2) / 3 * 4);
        cr_assert(orma_base64_decode(orma_buf_str(&text), ORMA_BASE64_STRICT, &back));
        cr_assert(back.len == len && (!len || !memcmp(back.data, bytes, len)));
        orma_buf_fini(&text);
        orma_buf_fini(&back);
    }
    orma_assert_no_leaks();
}
