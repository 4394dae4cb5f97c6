#include <criterion/criterion.h>
#include <stdio.h>

#include "processor/sql/functions/json_args.h"
#include "tests/support/leaks.h"

struct pair {
    const char *key, *json;
};

static void expect(const struct pair *pairs, size_t num, const char *expected)
{
    struct orma_json_args args = {0};
    struct orma_buf out = {0};

    for (int again = 0; again < 2; again++) { /* the second time after a clear */
        for (size_t i = 0; i < num; i++)
            orma_json_args_add(&args, orma_str_from(pairs[i].key), orma_str_from(pairs[i].json));
        orma_buf_clear(&out);
        orma_json_args_print(&args, &out);
        cr_assert_str_eq(orma_buf_cstr(&out), expected);
        cr_assert(!args.failed);
        orma_json_args_clear(&args);
    }
    orma_buf_fini(&out);
    orma_json_args_fini(&args);
}

#define EXPECT(expected, ...)                                                                      \
    expect((const struct pair[]){__VA_ARGS__},                                                     \
           sizeof((const struct pair[]){__VA_ARGS__}) / sizeof(struct pair), expected)

Test(json_args, nests_what_dots_and_brackets_say)
{
    expect(NULL, 0, "{}");
    EXPECT("{\"a\":1}", {"a", "1"});
    EXPECT("{\"a\":{\"b\":[1,2],\"c\":\"x\"},\"d\":0}", {"a.b[0]", "1"}, {"a.b[1]", "2"},
           {"a.c", "\"x\""}, {"d", "0"});
    EXPECT("{\"a\":[{\"x\":1,\"y\":2},[3]]}", {"a[0].x", "1"}, {"a[0].y", "2"}, {"a[1][0]", "3"});
    orma_assert_no_leaks();
}

Test(json_args, keeps_arrays_arrays_unless_they_are_mostly_holes)
{
    EXPECT("{\"a\":[null,null,5,4]}", {"a[3]", "4"}, {"a[2]", "5"});
    EXPECT("{\"a\":{\"1000000000000\":1}}", {"a[1000000000000]", "1"});
    EXPECT("{\"a\":{\"0\":1,\"x\":2}}", {"a[0]", "1"}, {"a.x", "2"});
    orma_assert_no_leaks();
}

Test(json_args, has_an_answer_for_keys_that_make_no_sense)
{
    EXPECT("{\"a\":2}", {"a", "1"}, {"a", "2"});
    EXPECT("{\"a\":{\"\":1,\"b\":2}}", {"a", "1"}, {"a.b", "2"});
    EXPECT("{\"\":1}", {"", "1"});
    EXPECT("{\"a\":{\"[x]\":1,\"[\":{\"[1\":2}}}", {"a[x]", "1"}, {"a[.[1", "2"});
    EXPECT("{\"\":{\"\":1}}", {"..", "1"});
    EXPECT("{\"\\\"\\n\":1}", {"\"\n", "1"});
    orma_assert_no_leaks();
}

Test(json_args, survives_depth_and_width)
{
    struct orma_json_args args = {0};
    struct orma_buf key = {0}, out = {0};
    char name[32];

    for (int i = 0; i < 100000; i++)
        orma_buf_put_str(&key, "a.");
    orma_json_args_add(&args, orma_buf_str(&key), ORMA_STR("1"));
    for (int i = 0; i < 100000; i++) {
        int len = snprintf(name, sizeof(name), "wide.n%d", i);
        orma_json_args_add(&args, (struct orma_str){name, (size_t)len}, ORMA_STR("1"));
    }
    orma_json_args_print(&args, &out);
    cr_assert(!out.failed && !args.failed);
    cr_assert_gt(out.len, 100000u * 8);
    orma_json_args_fini(&args);
    orma_buf_fini(&key);
    orma_buf_fini(&out);
    orma_assert_no_leaks();
}
