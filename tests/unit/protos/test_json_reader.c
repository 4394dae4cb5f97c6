/* The reader of JSON below all that read it: what a cursor takes to the letter, where it stops, and
 * what spans let pass. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "protos/reflect/json_reader.h"
#include "tests/support/leaks.h"

static const struct orma_json_rules refusing = {.word_max = 20, .depth_max = 3};
static const struct orma_json_rules replacing = {
    .replace_halves = true, .word_max = 20, .depth_max = 3};

/* True: all of it is one value. Else `error` begins with the offset: "3: why". */
static bool skips(const char *text, struct orma_json_rules rules, struct orma_buf *error)
{
    struct orma_buf why = {0};
    struct orma_json_cursor c = orma_json_cursor(orma_str_from(text), rules, &why);
    struct orma_json_value v;
    bool whole = orma_json_cursor_read(&c, &v) && orma_json_cursor_skip(&c, &v, 0) &&
                 orma_json_cursor_end(&c, "the end");

    cr_assert_eq(whole, !c.failed);
    orma_buf_clear(error);
    if (c.failed)
        orma_buf_printf(error, "%d: %s", (int)(c.failed_at.data - text), orma_buf_cstr(&why));
    orma_buf_fini(&why);
    return whole;
}

Test(json_reader, a_cursor_takes_what_is_json)
{
    static const char *const texts[] = {
        "null",
        " true\r\n",
        "\tfalse ",
        "0",
        "-0",
        "-1.50e+10",
        "1E5",
        "\"\"",
        "\"/\"",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00fc\"",
        "[]",
        "[ ]",
        "{ }",
        "[1 , 2]",
        "{\"a\" : [ {} ], \"a\":null}",
        "[[[1]]]",
        "\"\\ud83d\\ude00\"",
    };
    struct orma_buf error = {0};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(texts); i++)
        cr_assert(skips(texts[i], refusing, &error), "%s: %s", texts[i], orma_buf_cstr(&error));
    orma_buf_fini(&error);
    orma_assert_no_leaks();
}

Test(json_reader, a_cursor_stops_at_the_first_byte_that_is_none)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"", "0: expected a value, but the text ends"},
        {"nul", "0: expected a value, found \"nul\""},
        {"nulls", "0: expected a value, found \"nulls\""},
        {"+1", "0: expected a value, found \"+1\""},
        {".5", "0: expected a value, found \".5\""},
        {"'a'", "0: expected a value, found \"'\""},
        {"01", "0: \"01\" is no number"},
        {"1.", "0: \"1.\" is no number"},
        {"1.e1", "0: \"1.e1\" is no number"},
        {"1e", "0: \"1e\" is no number"},
        {"-", "0: \"-\" is no number"},
        {"0x1", "0: \"0x1\" is no number"},
        {"123456789012345678901", "0: more than 20 bytes in one word"},
        {"[1,]", "3: expected a value, found \"]\""},
        {"[,1]", "1: expected a value, found \",\""},
        {"[1,,2]", "3: expected a value, found \",\""},
        {"[1 2]", "3: expected \",\" or \"]\", found \"2\""},
        {"[1", "2: expected \",\" or \"]\", but the text ends"},
        {"[1}", "2: expected \",\" or \"]\", found \"}\""},
        {"{\"a\":1,}", "7: expected the name of a field in quotes, found \"}\""},
        {"{a:1}", "1: expected the name of a field in quotes, found \"a\""},
        {"{\"a\" 1}", "5: expected \":\", found \"1\""},
        {"{\"a\":}", "5: expected a value, found \"}\""},
        {"{\"a\":1 \"b\":2}", "7: expected \",\" or \"}\", found a string"},
        {"{\"a\":1]", "6: expected \",\" or \"}\", found \"]\""},
        {"1 2", "2: expected the end, found \"2\""},
        {"[] ]", "3: expected the end, found \"]\""},
        {"[[[[]]]]", "3: more than 3 objects inside one another"},
        {"\"a", "0: this string is not closed on its line"},
        {"\"a\\", "2: unknown escape in a string"},
        {"[\"a\nb\"]", "1: this string is not closed on its line"},
        {"\"a\tb\"", "2: a control character in a string must be escaped"},
        {"\"\\x41\"", "1: unknown escape in a string"},
        {"\"\\u12g4\"", "1: expected 4 hexadecimal digits in this escape"},
        {"\"\\u12\"", "1: expected 4 hexadecimal digits in this escape"},
        {"\"\\ud800\"", "1: the second half of this character is missing"},
        {"\"\\ud800\\u0041\"", "1: the second half of this character is missing"},
        {"\"\\udc00\"", "1: this escape is no Unicode character"},
    };
    struct orma_buf error = {0};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        cr_assert(!skips(cases[i].text, refusing, &error), "%s", cases[i].text);
        cr_assert_str_eq(orma_buf_cstr(&error), cases[i].error, "%s", cases[i].text);
    }
    orma_buf_fini(&error);
    orma_assert_no_leaks();
}

Test(json_reader, a_cursor_goes_through_containers_in_place)
{
    struct orma_json_cursor c = orma_json_cursor(
        ORMA_STR("{\"a\":[1,[],2.5],\"\\u0062\":{\"c\":\"d\"},\"e\":false}!"), refusing, NULL);
    struct orma_buf scratch = {0};
    struct orma_json_value key, v;

    cr_assert(orma_json_cursor_read(&c, &v) && v.type == ORMA_JSON_OBJECT);
    cr_assert(orma_json_cursor_key(&c, &key) && orma_json_cursor_value(&c, &v));
    cr_assert_eq(v.type, ORMA_JSON_ARRAY);
    cr_assert(orma_json_cursor_element(&c, &v) && v.type == ORMA_JSON_INT && v.integer == 1);
    cr_assert(orma_json_cursor_element(&c, &v) && v.type == ORMA_JSON_ARRAY);
    cr_assert(!orma_json_cursor_element(&c, &v) && !c.failed); /* the inner one ends */
    cr_assert(orma_json_cursor_element(&c, &v) && orma_json_number(&v) == 2.5);
    cr_assert(!orma_json_cursor_element(&c, &v) && !c.failed);
    cr_assert(orma_json_cursor_key(&c, &key));
    cr_assert(orma_str_eq_c(orma_json_cursor_text(&c, &key, &scratch), "b"));
    cr_assert(orma_json_cursor_value(&c, &v) && orma_json_cursor_skip(&c, &v, 1));
    cr_assert(orma_json_cursor_key(&c, &key) && orma_str_eq_c(key.raw, "e"));
    cr_assert(orma_json_cursor_value(&c, &v) && v.type == ORMA_JSON_BOOL && !v.boolean);
    cr_assert(!orma_json_cursor_key(&c, &key) && !c.failed);
    cr_assert(!orma_json_cursor_end(&c, "the end") && c.failed);
    cr_assert(!orma_json_cursor_read(&c, &v));
    orma_buf_fini(&scratch);
    orma_assert_no_leaks();
}

static void expect_text(const char *string, bool cursor, const char *want)
{
    struct orma_json_cursor c = orma_json_cursor(orma_str_from(string), replacing, NULL);
    struct orma_json j = orma_json(orma_str_from(string));
    struct orma_buf scratch = {0};
    struct orma_json_value v;

    cr_assert(cursor ? orma_json_cursor_read(&c, &v) : orma_json_read(&j, &v), "%s", string);
    struct orma_str text =
        cursor ? orma_json_cursor_text(&c, &v, &scratch) : orma_json_text(&v, &scratch);
    cr_assert(orma_str_eq_c(text, want), "%s", string);
    orma_buf_fini(&scratch);
}

Test(json_reader, halves_of_pairs_are_replaced_or_stay)
{
    expect_text("\"a\\ud83d\\ude00b\"", true,
                "a\xf0\x9f\x98\x80"
                "b");
    expect_text("\"a\\ud83d\\ude00b\"", false,
                "a\xf0\x9f\x98\x80"
                "b");
    expect_text("\"a\\ud800b\"", true,
                "a\xef\xbf\xbd"
                "b");
    expect_text("\"a\\ud800b\"", false,
                "a\xed\xa0\x80"
                "b");
    expect_text("\"\\udc00\\ud800\\u0041\"", true,
                "\xef\xbf\xbd\xef\xbf\xbd"
                "A");
    expect_text("\"\\ud800\\ud83d\\ude00\"", true, "\xef\xbf\xbd\xf0\x9f\x98\x80");
    orma_assert_no_leaks();
}

Test(json_reader, spans_let_pass_what_writers_do)
{
    expect_text("\"\\x\\u12g4\\\xc3\xa9\"", false, "xu12g4\xc3\xa9");
    expect_text("\"a\tb\nc\"", false, "a\tb\nc");

    struct orma_json j = orma_json(ORMA_STR("[01,,1.,\"a\",] x"));
    struct orma_json_value v;
    unsigned n = 0;

    cr_assert(orma_json_read(&j, &v) && v.type == ORMA_JSON_ARRAY);
    struct orma_json in = orma_json_inside(&v);
    while (orma_json_element(&in, &v))
        n++;
    cr_assert_eq(n, 3);
    cr_assert(!in.failed);
}

Test(json_reader, a_broken_member_costs_a_span_only_itself)
{
    struct orma_json j = orma_json(ORMA_STR("{\"a\":{\"x\":nope},\"b\":{\"y\":1}}"));
    struct orma_json_value v, b;

    cr_assert(orma_json_read(&j, &v));
    cr_assert_eq(orma_json_find(&v, "a").type, ORMA_JSON_OBJECT);
    b = orma_json_find(&v, "b");
    cr_assert_eq(orma_json_find(&b, "y").integer, 1);
}

/* Where the value ends, byte by byte: what orma_json_skip() finds by blocks. */
static const char *skip_slowly(const char *pos, const char *end)
{
    bool in_text = false;
    size_t depth = 0;

    for (; pos < end; pos++) {
        if (in_text && *pos == '\\')
            pos++;
        else if (*pos == '"')
            in_text = !in_text;
        else if (!in_text && (*pos == '{' || *pos == '['))
            depth++;
        else if (!in_text && (*pos == '}' || *pos == ']') && !--depth)
            return pos + 1;
    }
    return NULL;
}

Test(json_reader, containers_end_where_their_bracket_is_however_long_they_are)
{
    static const char bytes[] = "{}[]\"\"\"\\\\ab, :1\n\x80;\x1b\x3b";
    char text[400];
    uint32_t seed = 1;

    for (unsigned run = 0; run < 200000; run++) {
        size_t len = 1 + run % sizeof(text);

        for (size_t i = 0; i < len; i++) {
            seed = seed * 1664525 + 1013904223;
            text[i] = run % 3 && seed >> 31 ? 'x' : bytes[(seed >> 16) % (sizeof(bytes) - 1)];
        }
        text[0] = run & 1 ? '{' : '[';
        for (size_t i = 1; i < len && run % 5 == 0; i += 61) /* runs that cross blocks */
            memset(text + i, '\\', ORMA_MIN(len - i, (size_t)run % 7));
        cr_assert_eq(orma_json_skip(text, text + len), skip_slowly(text, text + len), "%.*s",
                     (int)len, text);
    }
}

Test(json_reader, numbers_are_those_of_strtod)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "0.0",
        "-0.5",
        "1.",
        "01.50",
        "0.1",
        "123.456",
        "9007199254740992",
        "9007199254740993",
        "900719925474099.3",
        "0.000000000000001",
        "99999999999999.9",
        "123456789012345678",
        "-1234567890123456789",
        "12345678901234567890",
        "1.7976931348623157e308",
        "5e-324",
        "1e5",
        "0.30000000000000004",
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(texts); i++) {
        struct orma_json j = orma_json(orma_str_from(texts[i]));
        struct orma_json_value v;
        double want = strtod(texts[i], NULL), got;

        cr_assert(orma_json_read(&j, &v), "%s", texts[i]);
        got = orma_json_number(&v);
        cr_assert_eq(got, want, "%s", texts[i]);
        cr_assert(v.type == ORMA_JSON_INT || !v.integer, "%s", texts[i]);
        cr_assert(orma_json_text_number(orma_str_from(texts[i]), &got) && got == want, "%s",
                  texts[i]);
    }
}

Test(json_reader, every_short_decimal_is_that_of_strtod)
{
    uint64_t seed = 1;
    char text[32];

    for (unsigned i = 0; i < 200000; i++) {
        double got;

        seed = seed * 6364136223846793005u + 1442695040888963407u;
        unsigned digits = 1 + (unsigned)(seed >> 60);
        (void)snprintf(text, sizeof(text), "%.*s.%0*u", digits, "9182736450918273",
                       (int)(seed >> 40 & 7) + 1, (unsigned)seed);
        cr_assert(orma_json_text_number(orma_str_from(text), &got));
        cr_assert_eq(got, strtod(text, NULL), "%s", text);
    }
}

Test(json_reader, what_is_no_number_is_none_where_it_is_read_in_place)
{
    static const char *const texts[] = {"1x", "--1", "1.2.3", "1-", "-", "-a", "0x", "1e", "1{"};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(texts); i++) {
        struct orma_json j = orma_json(orma_str_from(texts[i]));
        struct orma_json_value v;

        cr_assert(!orma_json_read(&j, &v), "%s", texts[i]);
    }
    struct orma_json hex = orma_json(ORMA_STR("0x10")), e = orma_json(ORMA_STR("12e2"));
    struct orma_json_value v;
    cr_assert(orma_json_read(&hex, &v) && v.type == ORMA_JSON_INT && v.integer == 16);
    cr_assert(orma_json_read(&e, &v) && v.type == ORMA_JSON_REAL && !v.integer);
}
