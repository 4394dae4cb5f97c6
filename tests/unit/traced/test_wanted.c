/* What configs want of producers: names by hash, regular expressions compiled and matched once. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/defs.h"
#include "tests/support/leaks.h"
#include "traced/config/names.h"
#include "traced/config/patterns.h"
#include "traced/config/wanted.h"

/* Never matches a name of many 'a', after 2^n steps. */
#define CATASTROPHE "(a|aa)+[bc]"
#define LONG_NAME "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"

/* ---- names ---- */

Test(traced_names, are_numbered_in_order_and_found_by_their_bytes)
{
    struct traced_names names = {0};
    static char texts[2000][16];
    uint32_t idx;

    cr_assert_eq(traced_names_find(&names, ORMA_STR("x")), TRACED_NAMES_NONE);
    for (uint32_t i = 0; i < ORMA_ARRAY_LEN(texts); i++) {
        snprintf(texts[i], sizeof(texts[i]), "%x", i * 2654435761u);
        cr_assert_eq(traced_names_add(&names, orma_str_from(texts[i]), &idx), 1);
        cr_assert_eq(idx, i);
    }
    for (uint32_t i = 0; i < ORMA_ARRAY_LEN(texts); i++) {
        char copy[16];

        memcpy(copy, texts[i], sizeof(copy));
        cr_assert_eq(traced_names_find(&names, orma_str_from(copy)), i);
        cr_assert_eq(traced_names_add(&names, orma_str_from(copy), &idx), 0);
        cr_assert_eq(idx, i);
    }
    cr_assert_eq(traced_names_find(&names, ORMA_STR("not there")), TRACED_NAMES_NONE);
    cr_assert_eq(traced_names_add(&names, ORMA_STR(""), NULL), 1);
    traced_names_fini(&names);
    orma_assert_no_leaks();
}

/* Whoever chooses the names can't know which will collide. */
Test(traced_names, each_table_has_a_hash_of_its_own)
{
    uint64_t a = 0, b = 0;
    uint64_t one = traced_names_hash(&a, ORMA_STR("name")),
             other = traced_names_hash(&b, ORMA_STR("name"));

    cr_assert_neq(a, b);
    cr_assert_neq(one, other);
    cr_assert_eq(traced_names_hash(&a, ORMA_STR("name")), one);
}

/* ---- regular expressions ---- */

Test(traced_regex, match_the_whole_text)
{
    static const struct {
        const char *pattern, *text;
        bool found;
    } cases[] = {
        {"abc", "abc", true},
        {"abc", "abcd", false},
        {"a.c", "abc", true},
        {"a.c", "xabc", false},
        {"a.*", "abcdefgh", true},
        {"com\\.x", "com.x", true},
        {"com\\.x", "comox", false},
        {"", "", true},
        {"", "a", false},
        {"a|b", "b", true},
        {"(x", "(x", false},
        {"(", NULL, false},
        {"[a", NULL, false},
        {"a{2}{3", "aa{3", true},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct orma_buf error = {0};
        struct traced_regex *regex = NULL;
        uint32_t steps;
        int r = traced_regex_new(cases[i].pattern, &regex, &error);

        cr_assert_eq(r<0, error.len> 0, "%s", cases[i].pattern);
        if (!cases[i].text)
            cr_assert_eq(r, -EINVAL, "%s", cases[i].pattern);
        if (r == 0)
            cr_assert_eq(traced_regex_matches(regex, cases[i].text, 1000, &steps), cases[i].found,
                         "%s on %s", cases[i].pattern, cases[i].text);
        traced_regex_free(regex);
        orma_buf_fini(&error);
    }
    orma_assert_no_leaks();
}

Test(traced_regex, ends_after_so_many_steps)
{
    struct traced_regex *regex;
    struct orma_buf error = {0};
    uint32_t steps;

    cr_assert_eq(traced_regex_new(CATASTROPHE, &regex, &error), 0);
    for (uint32_t max = 1; max < 100000; max *= 10) {
        cr_assert_not(traced_regex_matches(regex, LONG_NAME, max, &steps));
        cr_assert_eq(steps, max + 1);
    }
    traced_regex_free(regex);
    orma_assert_no_leaks();
}

static uint32_t must_add(struct traced_patterns *p, const char *pattern)
{
    struct orma_buf error = {0};
    uint32_t idx;

    cr_assert_eq(traced_patterns_add(p, pattern, &idx, &error), 0, "%s", orma_buf_cstr(&error));
    orma_buf_fini(&error);
    return idx;
}

Test(traced_patterns, are_compiled_once_and_matched_once_for_each_producer)
{
    struct traced_patterns p = {0};

    for (int i = 0; i < 6000; i++) {
        cr_assert_eq(must_add(&p, "a.*"), 0);
        cr_assert_eq(must_add(&p, "b.*"), 1);
    }
    cr_assert_eq(p.names.num, 2);
    for (int i = 0; i < 1000; i++) {
        cr_assert(traced_patterns_match(&p, 0, 7, "abc"));
        cr_assert_not(traced_patterns_match(&p, 1, 7, "abc"));
        cr_assert(traced_patterns_match(&p, 1, 8, "bcd"));
    }
    cr_assert_eq(p.matches, 3);
    traced_patterns_forget(&p, 7);
    cr_assert_not(traced_patterns_match(&p, 0, 7, "the id has come again"));
    cr_assert_eq(p.matches, 4);
    traced_patterns_fini(&p);
    orma_assert_no_leaks();
}

/* However many producers come, those that take long cost so much together and no more. */
Test(traced_patterns, that_take_long_have_a_budget)
{
    struct traced_patterns p = {0};
    char text[64];
    uint32_t sane = must_add(&p, ".*a!");
    uint64_t free_steps = 0;

    for (int i = 1; i < TRACED_PATTERNS_MAX; i++) {
        snprintf(text, sizeof(text), "%d?" CATASTROPHE, i);
        must_add(&p, text);
    }
    for (uint16_t producer = 1; producer <= 50; producer++)
        for (uint32_t i = 0; i < TRACED_PATTERNS_MAX; i++) {
            cr_assert_eq(traced_patterns_match(&p, i, producer, LONG_NAME), i == sane);
            free_steps += TRACED_PATTERN_STEPS + 1;
        }
    cr_assert_leq(p.steps, free_steps + TRACED_PATTERNS_BUDGET);
    cr_assert(p.exhausted);
    traced_patterns_fini(&p);
    orma_assert_no_leaks();
}

Test(traced_patterns, are_limited_in_number_and_memory)
{
    struct traced_patterns p = {0}, large = {0};
    struct orma_buf error = {0};
    char text[64];
    uint32_t idx;
    int r = 0;

    for (int i = 0; i < TRACED_PATTERNS_MAX; i++) {
        snprintf(text, sizeof(text), "x%d.*", i);
        must_add(&p, text);
    }
    cr_assert_eq(traced_patterns_add(&p, "one more", &idx, &error), -EINVAL);
    cr_assert(strstr(orma_buf_cstr(&error), "more than 128 different"), "%s",
              orma_buf_cstr(&error));
    orma_buf_clear(&error);
    for (int i = 0; i < TRACED_PATTERNS_MAX && r == 0; i++) {
        snprintf(text, sizeof(text), "((a|b){40}%d){40}", i);
        r = traced_patterns_add(&large, text, &idx, &error);
    }
    cr_assert_eq(r, -EINVAL);
    cr_assert(strstr(orma_buf_cstr(&error), "1 MiB"), "%s", orma_buf_cstr(&error));
    orma_buf_fini(&error);
    traced_patterns_fini(&p);
    traced_patterns_fini(&large);
    orma_assert_no_leaks();
}

/* ---- a config ---- */

#define CONFIG(type) Perfetto__Protos__TraceConfig__##type

static void make_sources(Perfetto__Protos__TraceConfig *config, size_t num,
                         const char *const *names)
{
    static CONFIG(DataSource) entries[512], *list[512];
    static Perfetto__Protos__DataSourceConfig configs[512];

    for (size_t i = 0; i < num; i++) {
        perfetto__protos__data_source_config__init(&configs[i]);
        perfetto__protos__trace_config__data_source__init(&entries[i]);
        configs[i].name = (char *)(uintptr_t)names[i % 2];
        entries[i].config = &configs[i];
        list[i] = &entries[i];
    }
    config->data_sources = list;
    config->n_data_sources = num;
}

Test(traced_wanted, has_the_entries_of_a_name_in_order)
{
    static const char *const names[] = {"even", "odd"};
    Perfetto__Protos__TraceConfig config = PERFETTO__PROTOS__TRACE_CONFIG__INIT;
    struct traced_wanted *wanted;
    struct orma_buf error = {0};
    uint32_t expected = 1;

    make_sources(&config, 512, names);
    cr_assert_eq(traced_wanted_new(&config, &wanted, &error), 0);
    for (uint32_t i = traced_wanted_first(wanted, "odd"); i != TRACED_WANTED_NONE;
         i = traced_wanted_next(wanted, i), expected += 2)
        cr_assert_eq(i, expected);
    cr_assert_eq(expected, 513);
    cr_assert_eq(traced_wanted_first(wanted, "none"), TRACED_WANTED_NONE);
    traced_wanted_free(wanted);
    orma_assert_no_leaks();
}

/* 20 data sources of one name ask 6000 times each; the answer is worked out once. */
Test(traced_wanted, asks_each_regular_expression_once)
{
    static const char *const names[] = {"x", "x"};
    Perfetto__Protos__TraceConfig config = PERFETTO__PROTOS__TRACE_CONFIG__INIT;
    char *patterns[1000];
    struct traced_wanted *wanted;
    struct orma_buf error = {0};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(patterns); i++)
        patterns[i] = (char *)(uintptr_t)CATASTROPHE;
    make_sources(&config, 512, names);
    for (size_t i = 0; i < 512; i++) {
        config.data_sources[i]->producer_name_regex_filter = patterns;
        config.data_sources[i]->n_producer_name_regex_filter = ORMA_ARRAY_LEN(patterns);
    }
    cr_assert_eq(traced_wanted_new(&config, &wanted, &error), 0);
    for (int ds = 0; ds < 20; ds++)
        for (uint32_t i = 0; i < 6; i++)
            cr_assert_not(traced_wanted_lets_in(wanted, i, 3, LONG_NAME));
    struct traced_wanted_work work = traced_wanted_work(wanted);
    cr_assert_eq(work.compiled, 1);
    cr_assert_eq(work.matches, 1);
    cr_assert_leq(work.steps, TRACED_PATTERN_STEPS + TRACED_PATTERN_STEPS_MAX + 1);
    traced_wanted_free(wanted);
    orma_assert_no_leaks();
}

Test(traced_wanted, takes_more_filters)
{
    static const char *const names[] = {"x", "y"};
    Perfetto__Protos__TraceConfig config = PERFETTO__PROTOS__TRACE_CONFIG__INIT;
    const char *producer = "some.app";
    char *filter[] = {(char *)(uintptr_t) "other.app"};
    struct traced_wanted *wanted;
    struct orma_buf error = {0};

    make_sources(&config, 2, names);
    config.data_sources[0]->producer_name_filter = filter;
    config.data_sources[0]->n_producer_name_filter = 1;
    cr_assert_eq(traced_wanted_new(&config, &wanted, &error), 0);
    cr_assert_not(traced_wanted_lets_in(wanted, 0, 3, producer));
    cr_assert(traced_wanted_lets_in(wanted, 1, 3, producer), "no filter: all");
    cr_assert_eq(traced_wanted_compile(wanted, "(", &error), -EINVAL);
    cr_assert_eq(traced_wanted_compile(wanted, "some\\..*", &error), 0);
    cr_assert_not(traced_wanted_has_pattern(wanted, 0, "some\\..*"));
    cr_assert_eq(traced_wanted_add_pattern(wanted, 0, "some\\..*"), 0);
    cr_assert(traced_wanted_has_pattern(wanted, 0, "some\\..*"));
    cr_assert(traced_wanted_lets_in(wanted, 0, 3, producer));
    cr_assert_eq(traced_wanted_add_name(wanted, 0, "third"), 0);
    cr_assert(traced_wanted_names(wanted, 0, "third"));
    orma_buf_fini(&error);
    traced_wanted_free(wanted);
    orma_assert_no_leaks();
}
