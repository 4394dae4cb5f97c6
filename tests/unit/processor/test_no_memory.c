/* Packets of all kinds while memory runs out: nothing leaks, nothing crashes, and it is said. */
#include <criterion/criterion.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>

#include "processor/processor.h"
#include "protos/reflect/schema.h"
#include "protos/reflect/text.h"
#include "sdk/base/buf.h"
#include "tests/support/alloc.h"
#include "tests/support/leaks.h"

/* The text of a case as bytes of a trace. */
static void read_case(const char *path, struct orma_buf *ret)
{
    const struct orma_schema *schema = orma_schema_default();
    uint32_t msg = orma_schema_find_msg(schema, ORMA_STR("perfetto.protos.Trace"));
    struct orma_text_parse opts = {0};
    struct orma_buf text = {0};
    char piece[4096];
    FILE *f = fopen(path, "re");

    cr_assert(f, "%s", path);
    for (size_t n; (n = fread(piece, 1, sizeof(piece), f)) > 0;)
        orma_buf_put(&text, piece, n);
    fclose(f);
    cr_assert_eq(orma_text_parse(schema, msg, orma_buf_str(&text), &opts, ret), 0, "%s", path);
    orma_buf_fini(&text);
}

static int load(struct orma_processor *tp, struct orma_str bytes)
{
    int r = 0;

    for (size_t at = 0; at < bytes.len && !r; at += 4096)
        r = orma_processor_feed(tp, bytes.data + at, ORMA_MIN((size_t)4096, bytes.len - at));
    return r ? r : orma_processor_finish(tp);
}

/* Reads what is made only when somebody asks. */
static int ask(struct orma_processor *tp)
{
    struct orma_query *q = NULL;
    int r = orma_query_prepare(tp, "SELECT count(*) FROM ftrace_event JOIN args USING (arg_set_id)",
                               SIZE_MAX, &q, NULL);

    while (!r && (r = orma_query_step(q)) == 1)
        r = 0;
    orma_query_free(q);
    return r;
}

static void run_out(const char *path, struct orma_str bytes)
{
    bool failed = true;

    for (long n = 0; failed; n += n < 20 ? 1 : 1 + n / 40) {
        struct orma_processor *tp = NULL;
        int r;

        orma_alloc_fail_after(n);
        r = orma_processor_new(NULL, &tp);
        if (!r)
            r = load(tp, bytes);
        if (!r)
            (void)ask(tp);
        failed = orma_alloc_has_failed();
        orma_alloc_fail_after(-1);
        cr_assert(failed || !r, "%s: %s", path, tp ? orma_processor_error(tp) : "");
        orma_processor_free(tp);
    }
}

Test(no_memory, packets, .timeout = 300)
{
    glob_t cases;

    cr_assert_eq(glob(CASES "/*/trace.textproto", 0, NULL, &cases), 0);
    for (size_t i = 0; i < cases.gl_pathc; i++) {
        struct orma_buf trace = {0};

        read_case(cases.gl_pathv[i], &trace);
        run_out(cases.gl_pathv[i], orma_buf_str(&trace));
        orma_buf_fini(&trace);
    }
    globfree(&cases);
    orma_assert_no_leaks();
}
