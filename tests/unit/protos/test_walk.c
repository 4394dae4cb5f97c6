#include <criterion/criterion.h>
#include <errno.h>

#include "protos/reflect/walk.h"
#include "tests/support/leaks.h"
#include "tests/unit/protos/kinds.h"

/* Writes each visit as a line: "path=value", "path{", "}". */
struct trail {
    const struct orma_schema *schema;
    struct orma_buf out;
    bool indices;
    int stop_after; /* values; 0: never */
    bool pass_by;
};

static int trail_value(void *ctx, const struct orma_walk_item *item)
{
    struct trail *t = ctx;

    orma_walk_path(t->schema, item, t->indices, &t->out);
    if (item->type == ORMA_TYPE_BYTES || item->type == ORMA_TYPE_STRING)
        orma_buf_printf(&t->out, "=%zu bytes\n", item->bytes.len);
    else if (item->type == ORMA_TYPE_DOUBLE)
        orma_buf_printf(&t->out, "=%g\n", item->real);
    else
        orma_buf_printf(&t->out, "=%lld\n", (long long)item->i64);
    return t->stop_after && --t->stop_after == 0 ? -ECANCELED : 0;
}

static int trail_enter(void *ctx, const struct orma_walk_item *item)
{
    struct trail *t = ctx;

    orma_walk_path(t->schema, item, t->indices, &t->out);
    orma_buf_put_str(&t->out, t->pass_by ? "...\n" : "{\n");
    return t->pass_by;
}

static int trail_leave(void *ctx, const struct orma_walk_item *item)
{
    struct trail *t = ctx;

    (void)item;
    orma_buf_put_str(&t->out, "}\n");
    return 0;
}

static int walk(struct trail *t, const char *hex, unsigned depth_max)
{
    struct orma_walk w = {.value = trail_value,
                          .enter = trail_enter,
                          .leave = trail_leave,
                          .ctx = t,
                          .depth_max = depth_max,
                          .indices = t->indices};
    struct orma_buf bytes = {0};

    kinds_from_hex(hex, &bytes);
    int r = orma_walk(t->schema, kinds_msg(t->schema, "Kinds"), bytes.data, bytes.len, &w);
    orma_buf_fini(&bytes);
    return r;
}

Test(walk, visits_in_the_order_of_the_bytes_with_paths_and_indices)
{
    struct orma_schema *s = kinds_schema(true);
    struct trail t = {.schema = s, .indices = true};
    static const char hex[] = "da 01 06 08 01 12 02 08 02 a8 01 05 da 01 04 12 00 12 00 "
                              "b2 01 02 07 08 a8 01 06 c0 3e 09 c0 b2 04 01";

    cr_assert_eq(walk(&t, hex, 0), 0);
    cr_assert_str_eq(orma_buf_cstr(&t.out), "r_message[0]{\n"
                                            "r_message[0].x=1\n"
                                            "r_message[0].inner[0]{\n"
                                            "r_message[0].inner[0].x=2\n"
                                            "}\n"
                                            "}\n"
                                            "r_int32[0]=5\n"
                                            "r_message[1]{\n"
                                            "r_message[1].inner[0]{\n"
                                            "}\n"
                                            "r_message[1].inner[1]{\n"
                                            "}\n"
                                            "}\n"
                                            "p_int32[0]=7\n"
                                            "p_int32[1]=8\n"
                                            "r_int32[1]=6\n"
                                            "ext_int=9\n"
                                            "9000=1\n");
    orma_buf_fini(&t.out);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(walk, goes_no_deeper_than_told)
{
    struct orma_schema *s = kinds_schema(false);
    struct trail t = {.schema = s};
    static const char hex[] = "5a 06 12 04 12 02 08 01";

    cr_assert_eq(walk(&t, hex, 1), 0);
    cr_assert_str_eq(orma_buf_cstr(&t.out), "f_message{\nf_message.2=4 bytes\n}\n");
    orma_buf_clear(&t.out);
    cr_assert_eq(walk(&t, hex, 2), 0);
    cr_assert_str_eq(orma_buf_cstr(&t.out),
                     "f_message{\nf_message.inner{\nf_message.inner.2=2 bytes\n}\n}\n");
    orma_buf_fini(&t.out);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(walk, can_pass_by_messages_and_stop_anywhere)
{
    struct orma_schema *s = kinds_schema(false);
    struct trail t = {.schema = s, .pass_by = true};

    cr_assert_eq(walk(&t, "5a 02 08 01 28 01", 0), 0);
    cr_assert_str_eq(orma_buf_cstr(&t.out), "f_message...\nf_int32=1\n");
    orma_buf_clear(&t.out);
    t.pass_by = false;
    t.stop_after = 2;
    cr_assert_eq(walk(&t, "b2 01 03 01 02 03 28 01", 0), -ECANCELED);
    cr_assert_str_eq(orma_buf_cstr(&t.out), "p_int32=1\np_int32=2\n");
    orma_buf_clear(&t.out);
    t.stop_after = 1;
    cr_assert_eq(walk(&t, "5a 02 08 01 28 01", 0), -ECANCELED);
    cr_assert_str_eq(orma_buf_cstr(&t.out), "f_message{\nf_message.x=1\n");
    orma_buf_fini(&t.out);
    orma_schema_free(s);
    orma_assert_no_leaks();
}

Test(walk, malformed_ends_are_told)
{
    struct orma_schema *s = kinds_schema(false);
    struct trail t = {.schema = s};

    cr_assert_eq(walk(&t, "28 01 28", 0), -EBADMSG);
    cr_assert_eq(walk(&t, "28 01 2b", 0), -EBADMSG, "a group");
    cr_assert_str_eq(orma_buf_cstr(&t.out), "f_int32=1\nf_int32=1\n");
    orma_buf_fini(&t.out);
    orma_schema_free(s);
    orma_assert_no_leaks();
}
