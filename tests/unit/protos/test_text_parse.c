#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>

#include "protos/reflect/text.h"
#include "sdk/wire/pb_writer.h"
#include "tests/support/leaks.h"
#include "tests/unit/protos/drip.h"
#include "tests/unit/protos/kinds.h"

struct result {
    int r;
    uint64_t dropped, kept;
    struct orma_buf out, error;
};

static struct result parse(const struct orma_schema *s, const char *msg, const char *text,
                           uint32_t flags)
{
    struct result res = {0};
    struct orma_text_parse opts = {.flags = flags, .file = "f", .error = &res.error};

    res.r = orma_text_parse(s, kinds_msg(s, msg), orma_str_from(text), &opts, &res.out);
    res.dropped = opts.dropped;
    res.kept = opts.kept;
    return res;
}

static void result_fini(struct result *res)
{
    orma_buf_fini(&res->out);
    orma_buf_fini(&res->error);
}

static void expect_bytes(const struct orma_schema *s, const char *msg, const char *text,
                         uint32_t flags, const char *hex)
{
    struct result res = parse(s, msg, text, flags);
    struct orma_buf want = {0};

    kinds_from_hex(hex, &want);
    cr_assert_eq(res.r, 0, "%s: %s", text, orma_buf_cstr(&res.error));
    cr_assert(res.out.len == want.len && (!want.len || !memcmp(res.out.data, want.data, want.len)),
              "%s: other bytes than %s", text, hex);
    orma_buf_fini(&want);
    result_fini(&res);
}

struct good {
    const char *text, *hex;
};

static void expect_all(const struct good *cases, size_t n)
{
    struct orma_schema *s = kinds_schema(true);

    for (size_t i = 0; i < n; i++)
        expect_bytes(s, "Kinds", cases[i].text, 0, cases[i].hex);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(text_parse, integers_in_all_forms_and_at_their_borders)
{
    static const struct good cases[] = {
        {"", ""},
        {"  # nothing but a comment", ""},
        {"\xef\xbb\xbf"
         "f_int32: 1",
         "28 01"},
        {"f_int32: 0", "28 00"},
        {"f_int32: 10", "28 0a"},
        {"f_int32: 0x1F", "28 1f"},
        {"f_int32: 0X1f", "28 1f"},
        {"f_int32: 017", "28 0f"},
        {"f_int32: -1", "28 ff ff ff ff ff ff ff ff ff 01"},
        {"f_int32: - 1", "28 ff ff ff ff ff ff ff ff ff 01"},
        {"f_int32: -0x80000000", "28 80 80 80 80 f8 ff ff ff ff 01"},
        {"f_int32: 2147483647", "28 ff ff ff ff 07"},
        {"f_int64: -9223372036854775808", "18 80 80 80 80 80 80 80 80 80 01"},
        {"f_uint64: 18446744073709551615", "20 ff ff ff ff ff ff ff ff ff 01"},
        {"f_uint64: 0xffffffffffffffff", "20 ff ff ff ff ff ff ff ff ff 01"},
        {"f_uint64: 01777777777777777777777", "20 ff ff ff ff ff ff ff ff ff 01"},
        {"f_uint32: 4294967295", "68 ff ff ff ff 0f"},
        {"f_fixed32: 1", "3d 01 00 00 00"},
        {"f_fixed64: 1", "31 01 00 00 00 00 00 00 00"},
        {"f_sfixed32: -2", "7d fe ff ff ff"},
        {"f_sfixed64: -2", "81 01 fe ff ff ff ff ff ff ff"},
        {"f_sint32: -1", "88 01 01"},
        {"f_sint32: 2147483647", "88 01 fe ff ff ff 0f"},
        {"f_sint32: -2147483648", "88 01 ff ff ff ff 0f"},
        {"f_sint64: -9223372036854775808", "90 01 ff ff ff ff ff ff ff ff ff 01"},
        {"far: 1", "f8 ff ff ff 0f 01"},
    };

    expect_all(cases, ORMA_ARRAY_LEN(cases));
}

Test(text_parse, real_numbers_in_all_forms)
{
    static const struct good cases[] = {
        {"f_double: 1", "09 00 00 00 00 00 00 f0 3f"},
        {"f_double: 1.0f", "09 00 00 00 00 00 00 f0 3f"},
        {"f_double: 1F", "09 00 00 00 00 00 00 f0 3f"},
        {"f_double: .5", "09 00 00 00 00 00 00 e0 3f"},
        {"f_double: 5.e-1", "09 00 00 00 00 00 00 e0 3f"},
        {"f_double: 1E+2", "09 00 00 00 00 00 00 59 40"},
        {"f_double: 0x10", "09 00 00 00 00 00 00 30 40"},
        {"f_double: -0.0", "09 00 00 00 00 00 00 00 80"},
        {"f_double: inf", "09 00 00 00 00 00 00 f0 7f"},
        {"f_double: -Infinity", "09 00 00 00 00 00 00 f0 ff"},
        {"f_double: 1e999", "09 00 00 00 00 00 00 f0 7f"},
        {"f_double: nan", "09 00 00 00 00 00 00 f8 7f"},
        {"f_float: 0.1", "15 cd cc cc 3d"},
        {"f_float: -inf", "15 00 00 80 ff"},
        {"f_float: inff", "15 00 00 80 7f"},
        {"f_float: 16777217", "15 00 00 80 4b"},
        {"f_float: 1e39", "15 00 00 80 7f"},
    };

    expect_all(cases, ORMA_ARRAY_LEN(cases));
}

Test(text_parse, bools_and_enums_by_name_and_number)
{
    static const struct good cases[] = {
        {"f_bool: true", "40 01"},
        {"f_bool: false", "40 00"},
        {"f_bool: True", "40 01"},
        {"f_bool: f", "40 00"},
        {"f_bool: t", "40 01"},
        {"f_bool: 1", "40 01"},
        {"f_bool: 0x0", "40 00"},
        {"f_enum: GREEN", "70 02"},
        {"f_enum: CRIMSON", "70 01"},
        {"f_enum: 2", "70 02"},
        {"f_enum: MINUS", "70 fd ff ff ff ff ff ff ff ff 01"},
        {"f_enum: -3", "70 fd ff ff ff ff ff ff ff ff 01"},
        {"f_enum: 77", "70 4d"},
    };

    expect_all(cases, ORMA_ARRAY_LEN(cases));
}

Test(text_parse, an_integer_that_was_a_bool_takes_its_words)
{
    const struct orma_schema *s = orma_schema_default();
    struct orma_buf out = {0};
    uint32_t msg = orma_schema_find_msg(s, ORMA_STR("perfetto.protos.TracePacket"));

    cr_assert_eq(orma_text_parse(s, msg, ORMA_STR("previous_packet_dropped: true"), NULL, &out), 0);
    cr_assert(out.len == 3 && !memcmp(out.data, "\xd0\x02\x01", 3));
    cr_assert_eq(orma_text_parse(s, msg, ORMA_STR("previous_packet_dropped: -true"), NULL, &out),
                 -EBADMSG);
    cr_assert_eq(orma_text_parse(s, msg, ORMA_STR("sequence_flags: true"), NULL, &out), -EBADMSG);
    orma_buf_fini(&out);
    orma_assert_no_leaks();
}

Test(text_parse, strings_with_all_escapes)
{
    static const struct good cases[] = {
        {"f_string: \"\"", "4a 00"},
        {"f_string: 'it\"s'", "4a 04 69 74 22 73"},
        {"f_string: \"a\" 'b'\n# between\n\"c\"", "4a 03 61 62 63"},
        {"f_string: \"a\n#b\"", "4a 04 61 0a 23 62"},
        {"f_string: \"\\a\\b\\f\\n\\r\\t\\v\\\\\\'\\\"\\?\"",
         "4a 0b 07 08 0c 0a 0d 09 0b 5c 27 22 3f"},
        {"f_bytes: \"\\0\\12\\377\\1234\"", "62 05 00 0a ff 53 34"},
        {"f_bytes: \"\\x0\\xFf\\x123\"", "62 04 00 ff 12 33"},
        {"f_string: \"\\u00fc\\u20AC\\U0001F600\"", "4a 09 c3 bc e2 82 ac f0 9f 98 80"},
        {"f_string: \"\\ud83d\\ude00\"", "4a 04 f0 9f 98 80"},
        {"f_string: \"gr\xc3\xbc\xc3\x9f\"", "4a 06 67 72 c3 bc c3 9f"},
        {"f_bytes: \"\xff\"", "62 01 ff"},
    };

    expect_all(cases, ORMA_ARRAY_LEN(cases));
}

Test(text_parse, messages_lists_and_separators)
{
    static const struct good cases[] = {
        {"f_message { x: 1 }", "5a 02 08 01"},
        {"f_message: { x: 1 }", "5a 02 08 01"},
        {"f_message < x: 1 >", "5a 02 08 01"},
        {"f_message: <>", "5a 00"},
        {"f_message { inner { x: 1 } inner < inner {} > }", "5a 08 12 02 08 01 12 02 12 00"},
        {"f_message { x: 1, };f_bool: t;", "5a 02 08 01 40 01"},
        {"r_int32: 1 r_int32: 2", "a8 01 01 a8 01 02"},
        {"r_int32: [1, 2]", "a8 01 01 a8 01 02"},
        {"r_int32: []", ""},
        {"r_string: ['a' \"b\", 'c']", "d2 01 02 61 62 d2 01 01 63"},
        {"r_message: [{x: 1}, <>]", "da 01 02 08 01 da 01 00"},
        {"r_message [{x: 1}]", "da 01 02 08 01"},
    };

    expect_all(cases, ORMA_ARRAY_LEN(cases));
}

Test(text_parse, packed_numbers_share_a_tag_as_long_as_nothing_comes_between)
{
    static const struct good cases[] = {
        {"p_int32: [1, 2, 300]", "b2 01 04 01 02 ac 02"},
        {"p_int32: 1 p_int32: 2 p_int32: [3]", "b2 01 03 01 02 03"},
        {"p_int32: 1 f_bool: t p_int32: 2", "b2 01 01 01 40 01 b2 01 01 02"},
        {"p_int32: 1 p_bool: t p_int32: 2", "b2 01 01 01 e2 01 01 01 b2 01 01 02"},
        {"p_int32: 1 5: 2 p_int32: 2", "b2 01 01 01 28 02 b2 01 01 02"},
        {"p_enum: [RED, MINUS]", "ca 01 0b 01 fd ff ff ff ff ff ff ff ff 01"},
        {"p_sint64: [-1, 1]", "c2 01 02 01 02"},
        {"p_fixed32: [1]", "ea 01 04 01 00 00 00"},
        {"r_float: [1]", "f5 01 00 00 80 3f"},
        {"[orma.more.ext_packed]: 1 [orma.more.ext_packed]: 2", "d2 3e 02 01 02"},
    };

    expect_all(cases, ORMA_ARRAY_LEN(cases));
}

Test(text_parse, extensions_by_full_name)
{
    static const struct good cases[] = {
        {"[orma.more.ext_int]: 5", "c0 3e 05"},
        {"[ orma.more.ext_int ] : 5", "c0 3e 05"},
        {"[orma.more.ext_message] { name: 'x' colours: [RED] }", "ca 3e 05 0a 01 78 10 01"},
    };

    expect_all(cases, ORMA_ARRAY_LEN(cases));
}

Test(text_parse, a_number_for_a_name_is_the_wire_form)
{
    static const struct good cases[] = {
        {"9000: 5", "c0 b2 04 05"},
        {"9000: -1", "c0 b2 04 ff ff ff ff ff ff ff ff ff 01"},
        {"9: 0x01020304", "4d 04 03 02 01"},
        {"9: 0x0102030405060708", "49 08 07 06 05 04 03 02 01"},
        {"9: 0x5", "48 05"},
        {"3: \"abc\" 'd'", "1a 04 61 62 63 64"},
        {"3 { 1: 2; 2 < 3: '' > }", "1a 06 08 02 12 02 1a 00"},
    };

    expect_all(cases, ORMA_ARRAY_LEN(cases));
}

Test(text_parse, the_last_wins_when_asked_to)
{
    struct orma_schema *s = kinds_schema(false);
    uint32_t flags = ORMA_TEXT_LAST_WINS;

    expect_bytes(s, "Kinds", "f_bool: t f_bool: f", flags, "40 01 40 00");
    expect_bytes(s, "Kinds", "one: 1 f_bool: t two: 'x'", flags, "40 01 82 02 01 78");
    /* Both oneofs change, in an order that moves what the other remembers. */
    expect_bytes(s, "Kinds", "one: 1 four: 4 three { x: 300 } five: 5 two: ''", flags,
                 "98 02 05 82 02 00");
    expect_bytes(s, "Kinds", "one: 1 one: 2", flags, "f8 01 01 f8 01 02");
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(text_parse, all_is_kept_when_asked_to)
{
    struct orma_schema *s = kinds_schema(false);
    struct result res =
        parse(s, "Kinds", "f_bool: t one: 1 two: 'x' f_bool: f", ORMA_TEXT_KEEP_ALL);
    struct orma_buf want = {0};

    kinds_from_hex("40 01 f8 01 01 82 02 01 78 40 00", &want);
    cr_assert_eq(res.r, 0, "%s", orma_buf_cstr(&res.error));
    cr_assert_eq(res.kept, 2);
    cr_assert(res.out.len == want.len && !memcmp(res.out.data, want.data, want.len));
    orma_buf_fini(&want);
    result_fini(&res);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(text_parse, the_lossy_mode_drops_and_counts_what_is_unknown)
{
    struct orma_schema *s = kinds_schema(false);
    struct result res = parse(s, "Kinds",
                              "new_thing { a: [1, \"b\" 'c', { x: -inf; [y.z]: <> }] 5: 6 } "
                              "f_enum: MAUVE p_enum: [RED, MAUVE, GREEN] other_thing: -NONE; "
                              "[no.such]: 'x', f_bool: t",
                              ORMA_TEXT_LOSSY);
    struct orma_buf want = {0};

    kinds_from_hex("ca 01 02 01 02 40 01", &want);
    cr_assert_eq(res.r, 0, "%s", orma_buf_cstr(&res.error));
    cr_assert_eq(res.dropped, 5);
    cr_assert(res.out.len == want.len && !memcmp(res.out.data, want.data, want.len));
    orma_buf_fini(&want);
    result_fini(&res);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(text_parse, required_fields_are_asked_for)
{
    struct orma_schema *s = kinds_schema(false);
    struct result res = parse(s, "Strict", "must: 1 inner {\n}", 0);

    cr_assert_eq(res.r, -EBADMSG);
    cr_assert_str_eq(orma_buf_cstr(&res.error),
                     "f:2:1 error: this \"Strict\" lacks \"must\", which is required\n}\n^\n");
    result_fini(&res);
    expect_bytes(s, "Strict", "must: 1 inner { }", ORMA_TEXT_PARTIAL, "08 01 12 00");
    expect_bytes(s, "Strict", "must: 1 inner { must: 2 }", 0, "08 01 12 02 08 02");
    orma_schema_free(s);
    orma_assert_no_leaks();
}

/* Texts that must be refused at this line and column. */
Test(text_parse, bad_text_is_refused_where_it_goes_wrong)
{
    struct orma_schema *s = kinds_schema(true);
    static const struct {
        const char *text, *at;
    } cases[] = {
        {"nope: 1", "1:1"},
        {"f_int32 1", "1:9"},
        {"f_int32: ", "1:10"},
        {"f_int32:\n  x", "2:3"},
        {"f_int32: 2147483648", "1:10"},
        {"f_int32: -2147483649", "1:10"},
        {"f_uint32: -1", "1:11"},
        {"f_uint64: 18446744073709551616", "1:11"},
        {"f_int32: 08", "1:10"},
        {"f_int32: 0x", "1:10"},
        {"f_int32: 1.0", "1:10"},
        {"f_int32: 1 2", "1:13"},
        {"f_int32: [1]", "1:10"},
        {"f_int32: 1 f_int32: 1", "1:12"},
        {"f_double: 1.2.3", "1:11"},
        {"f_double: 0x1.8", "1:11"},
        {"f_double: one", "1:11"},
        {"f_double: -x", "1:11"},
        {"f_bool: 2", "1:9"},
        {"f_bool: TRUE", "1:9"},
        {"f_enum: MAUVE", "1:9"},
        {"f_enum: 2147483648", "1:9"},
        {"f_string: abc", "1:11"},
        {"f_string: \"abc", "1:11"},
        {"f_string: \"a\\101\nb", "2:2"},
        {"f_string: \"\\q\"", "1:12"},
        {"f_string: \"\\400\"", "1:12"},
        {"f_string: \"\\x\"", "1:12"},
        {"f_string: \"\\u12\"", "1:12"},
        {"f_string: \"\\ud800\"", "1:12"},
        {"f_string: \"\\ud83dx\"", "1:12"},
        {"f_string: \"\\U00110000\"", "1:12"},
        {"f_message: 5", "1:12"},
        {"f_message { x: 1", "1:17"},
        {"f_message { x: 1 >", "1:18"},
        {"f_message { y: 1 }", "1:13"},
        {"}", "1:1"},
        {"one: 1 two: ''", "1:8"},
        {"r_int32: [1,]", "1:13"},
        {"r_int32: [1 2]", "1:13"},
        {"r_int32: [1", "1:12"},
        {"[orma.more.ext]: 1", "1:2"},
        {"[f_int32]: 1", "1:2"},
        {"orma.more.ext_int: 1", "1:1"},
        {"[type.googleapis.com/x.Y] {}", "1:2"},
        {"[orma.more.ext_int: 1", "1:2"},
        {"0: 1", "1:1"},
        {"536870912: 1", "1:1"},
        {"5: 1.5", "1:4"},
        {"5 { x: 1 }", "1:5"},
        {"f_int32 = 5", "1:9"},
        {"\xc3\xbc: 5", "1:1"},
        {", f_int32: 5", "1:1"},
        {"\xef\xbb\xbf"
         "f_in: 1",
         "1:1"},
        {"\xef\xbb", "1:1"},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct result res = parse(s, "Kinds", cases[i].text, 0);
        char want[32];

        snprintf(want, sizeof(want), "f:%s error: ", cases[i].at);
        cr_assert_eq(res.r, -EBADMSG, "%s", cases[i].text);
        cr_assert_eq(strncmp(orma_buf_cstr(&res.error), want, strlen(want)), 0, "%s: %s",
                     cases[i].text, orma_buf_cstr(&res.error));
        cr_assert_eq(res.out.len, 0, "%s", cases[i].text);
        result_fini(&res);
    }
    orma_schema_free(s);
    orma_assert_no_leaks();
}

static void nested(struct orma_buf *text, unsigned depth)
{
    orma_buf_put_str(text, "f_message {");
    for (unsigned i = 1; i < depth; i++)
        orma_buf_put_str(text, "inner {");
    for (unsigned i = 0; i < depth; i++)
        orma_buf_put_str(text, "}");
}

Test(text_parse, nesting_ends_at_the_limit)
{
    struct orma_schema *s = kinds_schema(false);

    for (unsigned depth = ORMA_TEXT_DEPTH_MAX - 1; depth <= ORMA_TEXT_DEPTH_MAX + 1; depth++) {
        struct orma_buf text = {0};

        nested(&text, depth);
        struct result res = parse(s, "Kinds", orma_buf_cstr(&text), 0);
        cr_assert_eq(res.r, depth <= ORMA_TEXT_DEPTH_MAX ? 0 : -EBADMSG, "%u", depth);
        orma_buf_fini(&text);
        result_fini(&res);
    }
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(text_parse, carets_stand_below_the_word_and_long_lines_are_cut)
{
    struct orma_schema *s = kinds_schema(false);
    struct orma_buf text = {0};

    struct result res =
        parse(s, "Kinds", "\tf_string: \"gr\xc3\xbc\xc3\x9f\" f_int: 5 # why\r\n", 0);
    cr_assert_str_eq(orma_buf_cstr(&res.error),
                     "f:1:21 error: \"Kinds\" has no field \"f_int\"; did you mean \"f_int64\"?\n"
                     "\tf_string: \"gr\xc3\xbc\xc3\x9f\" f_int: 5 # why\n"
                     "\t                 ^~~~~\n");
    result_fini(&res);
    for (int i = 0; i < 100; i++)
        orma_buf_put_str(&text, "r_int32: 1 ");
    orma_buf_put_str(&text, "bad: 1");
    res = parse(s, "Kinds", orma_buf_cstr(&text), 0);
    const char *line = strchr(orma_buf_cstr(&res.error), '\n') + 1;
    size_t len = strcspn(line, "\n"), caret = strcspn(line + len + 1, "^");
    cr_assert_leq(len, 160);
    cr_assert_eq(strncmp(line + caret, "bad", 3), 0, "%s", orma_buf_cstr(&res.error));
    result_fini(&res);
    orma_buf_fini(&text);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(text_parse, a_stream_in_any_pieces_gives_the_same_bytes)
{
    struct orma_schema *s = kinds_schema(false);
    struct orma_buf text = {0}, whole = {0};

    for (int i = 0; i < 3000; i++)
        orma_buf_printf(&text,
                        "r_string: \"%d \\x41%*s\" # c\nr_message { x: %d inner <text: 'q'> }\n"
                        "p_int32: %d%c",
                        i, i % 97, "", i, -i, i % 3 ? '\n' : ';');
    cr_assert_eq(orma_text_parse(s, kinds_msg(s, "Kinds"), orma_buf_str(&text), NULL, &whole), 0);
    for (size_t step = 1; step < 100000; step = step * 3 + 1) {
        struct drip d = {orma_buf_str(&text), step};
        struct orma_buf out = {0};
        int r = orma_text_parse_stream(s, kinds_msg(s, "Kinds"),
                                       (struct orma_reflect_source){drip_read, &d}, NULL,
                                       orma_reflect_sink_buf(&out));

        cr_assert_eq(r, 0);
        cr_assert(out.len == whole.len && !memcmp(out.data, whole.data, out.len), "step %zu", step);
        orma_buf_fini(&out);
    }
    orma_buf_fini(&text);
    orma_buf_fini(&whole);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(text_parse, an_error_in_a_stream_shows_its_line)
{
    struct orma_schema *s = kinds_schema(false);
    struct orma_buf text = {0}, out = {0}, error = {0};
    struct orma_text_parse opts = {.file = "f", .error = &error};

    for (int i = 0; i < 40000; i++)
        orma_buf_put_str(&text, "r_int32: 1\n");
    orma_buf_put_str(&text, "  f_int32: x # here\nf_bool: t");
    for (size_t step = 1; step < 100000; step = step * 10 + 1) {
        struct drip d = {orma_buf_str(&text), step};
        int r = orma_text_parse_stream(s, kinds_msg(s, "Kinds"),
                                       (struct orma_reflect_source){drip_read, &d}, &opts,
                                       orma_reflect_sink_buf(&out));

        cr_assert_eq(r, -EBADMSG);
        cr_assert_str_eq(orma_buf_cstr(&error),
                         "f:40001:12 error: expected an integer (int32) for \"f_int32\", found "
                         "\"x\"\n  f_int32: x # here\n           ^\n");
        orma_buf_clear(&error);
        orma_buf_clear(&out);
    }
    orma_buf_fini(&text);
    orma_buf_fini(&error);
    orma_buf_fini(&out);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

static ssize_t broken_read(void *ctx, void *to, size_t len)
{
    (void)ctx, (void)to, (void)len;
    return -EIO;
}

static int broken_write(void *ctx, const void *data, size_t len)
{
    (void)ctx, (void)data, (void)len;
    return -EPIPE;
}

Test(text_parse, failures_of_source_and_sink_are_returned)
{
    struct orma_schema *s = kinds_schema(false);
    struct orma_buf out = {0};
    struct drip d = {ORMA_STR("f_bool: t"), 100};

    cr_assert_eq(orma_text_parse_stream(s, kinds_msg(s, "Kinds"),
                                        (struct orma_reflect_source){broken_read, NULL}, NULL,
                                        orma_reflect_sink_buf(&out)),
                 -EIO);
    cr_assert_eq(orma_text_parse_stream(s, kinds_msg(s, "Kinds"),
                                        (struct orma_reflect_source){drip_read, &d}, NULL,
                                        (struct orma_reflect_sink){broken_write, NULL}),
                 -EPIPE);
    orma_buf_fini(&out);
    orma_schema_free(s);
    orma_assert_no_leaks();
}
