/* Every call of protos/reflect with memory that runs out at each allocation in turn. */
#include <criterion/criterion.h>
#include <errno.h>

#include "protos/reflect/json.h"
#include "protos/reflect/text.h"
#include "protos/reflect/walk.h"
#include "tests/support/alloc.h"
#include "tests/support/leaks.h"
#include "tests/unit/protos/kinds.h"

struct inputs {
    struct orma_schema *schema;
    uint32_t msg;
    struct orma_buf set, ext, bytes;
    struct orma_str text, json;
};

static const char text[] =
    "f_string: \"a long string, so that buffers grow: "
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\""
    " "
    "r_message { x: 1 inner { x: 2 } } r_message { text: 'a' } p_int32: [1, 2, 3] one: 1 "
    "f_bytes: \"\\000\\001\" f_message { inner { inner { inner { x: 5 } } } } f_double: 0.1";
static const char json[] =
    "{\"f_string\":\"a\\u00fc\",\"r_message\":[{\"x\":1},{\"inner\":[{\"x\":2}]}],"
    "\"p_int32\":[1,2,3],\"one\":1,\"f_bytes\":\"AAEC\",\"f_double\":\"NaN\"}";

static struct inputs inputs_make(void)
{
    struct inputs in = {
        .schema = kinds_schema(false), .text = ORMA_STR(text), .json = ORMA_STR(json)};

    in.msg = kinds_msg(in.schema, "Kinds");
    kinds_read_set(&in.set);
    kinds_ext_read_set(&in.ext);
    cr_assert_eq(orma_text_parse(in.schema, in.msg, in.text, NULL, &in.bytes), 0);
    return in;
}

static ssize_t once_read(void *ctx, void *to, size_t len)
{
    struct orma_str *left = ctx;
    size_t n = ORMA_MIN(len, left->len);

    memcpy(to, left->data, n);
    left->data += n;
    left->len -= n;
    return (ssize_t)n;
}

static int parse_text(const struct inputs *in, struct orma_buf *out)
{
    return orma_text_parse(in->schema, in->msg, in->text, NULL, out);
}

static int parse_text_stream(const struct inputs *in, struct orma_buf *out)
{
    struct orma_str left = in->text;

    return orma_text_parse_stream(in->schema, in->msg,
                                  (struct orma_reflect_source){once_read, &left}, NULL,
                                  orma_reflect_sink_buf(out));
}

static int parse_bad_text(const struct inputs *in, struct orma_buf *out)
{
    struct orma_buf error = {0};
    struct orma_text_parse opts = {.error = &error};
    int r =
        orma_text_parse(in->schema, in->msg, ORMA_STR("f_message { inner { y: 5 } }"), &opts, out);

    orma_buf_fini(&error);
    return r == -EBADMSG ? 0 : r; /* also when there is no memory for the message */
}

static int parse_json(const struct inputs *in, struct orma_buf *out)
{
    return orma_json_parse(in->schema, in->msg, in->json, NULL, out);
}

static int print_text(const struct inputs *in, struct orma_buf *out)
{
    return orma_text_print(in->schema, in->msg, in->bytes.data, in->bytes.len, NULL, out);
}

static int print_text_stream(const struct inputs *in, struct orma_buf *out)
{
    struct orma_str left = orma_buf_str(&in->bytes);

    return orma_text_print_stream(in->schema, in->msg,
                                  (struct orma_reflect_source){once_read, &left}, NULL,
                                  orma_reflect_sink_buf(out));
}

static int print_json(const struct inputs *in, struct orma_buf *out)
{
    return orma_json_print(in->schema, in->msg, in->bytes.data, in->bytes.len, NULL, out);
}

static int nothing(void *ctx, const struct orma_walk_item *item)
{
    (void)ctx, (void)item;
    return 0;
}

static int walk(const struct inputs *in, struct orma_buf *out)
{
    struct orma_walk w = {.value = nothing, .indices = true};

    (void)out;
    return orma_walk(in->schema, in->msg, in->bytes.data, in->bytes.len, &w);
}

/* A set onto nothing, then another onto the first; what fails half way leaves what was. */
static int add_schema(const struct inputs *in, struct orma_buf *out)
{
    struct orma_schema *s = NULL;
    int r = orma_schema_new(NULL, &s);

    (void)out;
    if (!r)
        r = orma_schema_add(s, in->set.data, in->set.len, NULL);
    if (!r) {
        uint32_t before = orma_schema_msg_count(s);

        r = orma_schema_add(s, in->ext.data, in->ext.len, NULL);
        if (r < 0 && orma_schema_msg_count(s) != before)
            r = 1;
    }
    orma_schema_free(s);
    return r;
}

Test(memory, running_out_anywhere_is_told_and_leaks_nothing)
{
    static const struct {
        const char *what;
        int (*run)(const struct inputs *, struct orma_buf *);
        bool tells; /* with no memory at all, it can't succeed */
    } calls[] = {
        {"text parser", parse_text, true},
        {"text parser, streaming", parse_text_stream, true},
        {"text parser, bad text", parse_bad_text, false},
        {"JSON parser", parse_json, true},
        {"text printer", print_text, true},
        {"text printer, streaming", print_text_stream, true},
        {"JSON printer", print_json, true},
        {"walk", walk, true},
        {"schema", add_schema, true},
    };
    struct inputs in = inputs_make();

    for (size_t i = 0; i < ORMA_ARRAY_LEN(calls); i++) {
        struct orma_buf want = {0};

        cr_assert_eq(calls[i].run(&in, &want), 0, "%s", calls[i].what);
        for (long n = 0;; n++) {
            struct orma_buf out = {0};

            orma_alloc_fail_after(n);
            int r = calls[i].run(&in, &out);
            bool failed = orma_alloc_has_failed();
            orma_alloc_fail_after(-1);
            if (calls[i].tells)
                cr_assert_eq(r, failed ? -ENOMEM : 0, "%s, %ld: %d", calls[i].what, n, r);
            else
                cr_assert(r == 0 || r == -ENOMEM, "%s, %ld: %d", calls[i].what, n, r);
            if (!failed)
                cr_assert(out.len == want.len &&
                          (!out.len || !memcmp(out.data, want.data, out.len)));
            orma_buf_fini(&out);
            if (failed)
                continue;
            cr_assert_gt(n, 0, "%s allocates nothing: then this test says nothing", calls[i].what);
            break;
        }
        orma_buf_fini(&want);
    }
    orma_buf_fini(&in.set);
    orma_buf_fini(&in.ext);
    orma_buf_fini(&in.bytes);
    orma_schema_free(in.schema);
    orma_assert_no_leaks();
}
