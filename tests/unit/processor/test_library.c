/* liborma_processor by its exported symbols alone: parameters, columns, limits, messages. */
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "processor/include/orma/arrow.h"
#include "processor/include/orma/processor.h"
#include "tests/support/leaks.h"

static struct orma_processor *empty(const struct orma_processor_config *config)
{
    struct orma_processor *tp;

    cr_assert_eq(orma_processor_new(config, &tp), 0);
    cr_assert_eq(orma_processor_finish(tp), 0);
    return tp;
}

static struct orma_query *prepare(struct orma_processor *tp, const char *sql)
{
    struct orma_query *q = NULL;

    cr_assert_eq(orma_query_prepare(tp, sql, ORMA_WHOLE, &q, NULL), 0, "%s: %s", sql,
                 orma_processor_error(tp));
    return q;
}

static void expect_row(struct orma_query *q, const char *text)
{
    cr_assert_eq(orma_query_step(q), 1);
    cr_assert_str_eq(orma_query_text(q, 0), text);
}

/* ---- parameters ---- */

Test(library, parameters_are_bound_kept_and_bound_anew)
{
    struct orma_processor *tp = empty(NULL);
    struct orma_query *q = prepare(tp, "SELECT printf('%s %s %s', ?1, :name, $x)");

    cr_assert_eq(orma_query_parameters(q), 3);
    cr_assert_eq(orma_query_parameter(q, ":name"), 2);
    cr_assert_eq(orma_query_parameter(q, ":other"), 0);
    cr_assert_eq(orma_query_bind_int64(q, 1, INT64_MIN), 0);
    cr_assert_eq(orma_query_bind_text(q, 2, "o'ne\"", ORMA_WHOLE), 0);
    cr_assert_eq(orma_query_bind_double(q, 3, 0.5), 0);
    expect_row(q, "-9223372036854775808 o'ne\" 0.5");
    cr_assert_eq(orma_query_bind_int64(q, 1, 1), -EBUSY);
    cr_assert_eq(orma_query_step(q), 0);
    cr_assert_eq(orma_query_bind_int64(q, 1, 1), -EBUSY);
    cr_assert_eq(orma_query_reset(q), 0);
    cr_assert_eq(orma_query_bind_text(q, 2, "two three", 3), 0);
    cr_assert_eq(orma_query_bind_null(q, 3), 0);
    expect_row(q, "-9223372036854775808 two ");
    cr_assert_eq(orma_query_reset(q), 0);
    cr_assert_eq(orma_query_bind_text(q, 2, NULL, ORMA_WHOLE), 0);
    cr_assert_eq(orma_query_bind_text(q, 3, "x", SIZE_MAX - 1), -E2BIG);
    cr_assert_eq(orma_query_bind_blob(q, 3, "x", (size_t)1 << 31), -E2BIG);
    expect_row(q, "-9223372036854775808  ");
    cr_assert_eq(orma_query_bind_int64(q, 0, 1), -ERANGE);
    cr_assert_eq(orma_query_bind_int64(q, 4, 1), -ERANGE);
    orma_query_free(q);

    q = prepare(tp, "SELECT typeof(?) || length(?1) WHERE 1 = 0 OR ?2");
    cr_assert_eq(orma_query_step(q), 0);
    cr_assert_eq(orma_query_bind_int64(q, 2, 1), -EBUSY, "at its end without a row");
    cr_assert_eq(orma_query_reset(q), 0);
    cr_assert_eq(orma_query_bind_int64(q, 2, 1), 0);
    cr_assert_eq(orma_query_bind_blob(q, 1, NULL, 0), 0);
    expect_row(q, "blob0");
    orma_query_free(q);
    orma_processor_free(tp);
    orma_assert_no_leaks();
}

static const char spans[] =
    "[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":5,\"name\":\"one\"},"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":2,\"dur\":2,\"name\":\"two\"},"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":8,\"dur\":1,\"name\":\"one\"}]";

/* However a statement is run: by columns, by SQLite, for its effect. */
Test(library, a_query_begins_again_wherever_it_was)
{
    static const char *const sqls[] = {
        "SELECT name FROM slice ORDER BY ts",
        "SELECT name FROM slice WHERE dur > ? ORDER BY ts",
        "SELECT max(name) FROM slice GROUP BY ts ORDER BY ts",
    };
    struct orma_processor *tp;

    cr_assert_eq(orma_processor_new(NULL, &tp), 0);
    for (size_t i = 0; i < sizeof(spans) - 1; i++) /* as a stream of the smallest pieces */
        cr_assert_eq(orma_processor_feed(tp, spans + i, 1), 0);
    cr_assert_eq(orma_processor_finish(tp), 0);
    for (size_t i = 0; i < sizeof(sqls) / sizeof(sqls[0]); i++) {
        struct orma_query *q = prepare(tp, sqls[i]);

        if (orma_query_parameters(q))
            cr_assert_eq(orma_query_bind_int64(q, 1, 0), 0);
        cr_assert_eq(orma_query_reset(q), 0);
        expect_row(q, "one");
        expect_row(q, "two");
        cr_assert_eq(orma_query_reset(q), 0);
        expect_row(q, "one");
        expect_row(q, "two");
        expect_row(q, "one");
        cr_assert_eq(orma_query_step(q), 0);
        cr_assert_eq(orma_query_reset(q), 0);
        expect_row(q, "one");
        orma_query_free(q);
    }
    struct orma_query *q = prepare(tp, "CREATE PERFETTO TABLE t AS SELECT 1 AS a");
    cr_assert_eq(orma_query_parameters(q), 0);
    cr_assert_eq(orma_query_reset(q), 0);
    cr_assert_eq(orma_query_step(q), 0);
    orma_query_free(q);
    orma_processor_free(tp);
    orma_assert_no_leaks();
}

/* By columns, for each of its values; orma_exec_why() is NULL if it was so. */
Test(library, a_query_with_parameters_runs_by_columns)
{
    static const char made[] =
        "CREATE PERFETTO TABLE many AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 "
        "FROM n WHERE i < 9999) SELECT i AS id, i % 7 AS k, printf('n%d', i % 3) AS s FROM n";
    static const struct {
        int64_t from;
        const char *name, *text;
    } cases[] = {{0, "n1", "3333"}, {9990, "n1", "3"}, {9990, NULL, "0"}, {5000, "n2", "1667"}};
    struct orma_processor *tp = empty(NULL);

    struct orma_query *q = prepare(tp, made), *why = NULL;
    cr_assert_eq(orma_query_step(q), 0);
    orma_query_free(q);
    q = prepare(tp, "SELECT count(*) AS n, :name FROM many a JOIN many b USING (id) "
                    "WHERE a.id >= :from AND b.s = :name");
    const unsigned name = orma_query_parameter(q, ":name"), from = orma_query_parameter(q, ":from");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cr_assert_eq(orma_query_bind_int64(q, from, cases[i].from), 0);
        cr_assert_eq(cases[i].name ? orma_query_bind_text(q, name, cases[i].name, ORMA_WHOLE)
                                   : orma_query_bind_null(q, name),
                     0);
        expect_row(q, cases[i].text);
        cr_assert_str_eq(orma_query_column_name(q, 1), ":name");
        cr_assert_eq(orma_query_parameter(q, ":from"), from);
        cr_assert_eq(orma_query_bind_int64(q, from, 1), -EBUSY);
        cr_assert_eq(orma_query_step(q), 0);
        cr_assert_eq(orma_query_bind_int64(q, from, 1), -EBUSY);
        cr_assert_eq(orma_query_reset(q), 0);
        why = prepare(tp, "SELECT orma_exec_why() IS NULL");
        expect_row(why, "1");
        orma_query_free(why);
    }
    expect_row(q, "1667"); /* values stay */
    orma_query_free(q);
    orma_processor_free(tp);
    orma_assert_no_leaks();
}

/* ---- columns ---- */

static void expect_format(struct orma_processor *tp, const char *sql, const char *formats)
{
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    char seen[16] = "";

    cr_assert_eq(orma_query_arrow(prepare(tp, sql), 0, 0, &stream), 0);
    cr_assert_eq(stream.get_schema(&stream, &schema), 0);
    cr_assert_str_eq(schema.format, "+s");
    for (int64_t i = 0; i < schema.n_children; i++)
        strcat(seen, schema.children[i]->format);
    cr_assert_str_eq(seen, formats, "%s: %s", sql, seen);
    schema.release(&schema);
    stream.release(&stream);
}

Test(library, columns_have_the_type_of_their_values)
{
    static const struct {
        const char *sql, *formats;
    } cases[] = {
        {"SELECT 1, 1.5, 'a', x'00', NULL", "lguzu"},
        {"SELECT * FROM (VALUES (1, 1), (2.5, 'x'))", "gu"},
        {"SELECT * FROM (VALUES (NULL, NULL), (1, x'01'))", "lz"},
        {"SELECT * FROM (VALUES (9007199254740993), (0.5))", "u"}, /* is no double */
        {"SELECT * FROM (VALUES (0.5), (9007199254740993))", "u"},
        {"SELECT * FROM (VALUES ('a'), (x'01'), (7))", "z"},
        {"SELECT ts, dur, name FROM slice", "llu"}, /* declared: there are no rows */
        {"SELECT value, value + 1 FROM counter", "gu"},
        /* the first value is far away */
        {"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) "
         "SELECT iif(i = 90000, 0.5, NULL) FROM n",
         "g"},
    };
    struct orma_processor *tp = empty(NULL);

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_format(tp, cases[i].sql, cases[i].formats);
    struct orma_query *q = prepare(tp, "INCLUDE PERFETTO MODULE slices.with_context");
    struct ArrowArrayStream stream;
    cr_assert_eq(orma_query_arrow(q, 0, 0, &stream), -EINVAL);
    orma_query_free(q);
    orma_processor_free(tp);
    orma_assert_no_leaks();
}

static bool is_valid(const struct ArrowArray *a, int64_t row)
{
    const uint8_t *bits = a->buffers[0];

    return !bits || bits[row / 8] >> row % 8 & 1;
}

static struct orma_processor *numbers(uint64_t *ret_rows)
{
    *ret_rows = 1003;
    return empty(NULL);
}
static const char numbers_sql[] =
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1002) "
    "SELECT i, iif(i % 3 = 0, NULL, i * 0.25), iif(i % 5 = 0, NULL, 'text ' || (i % 7)), "
    "iif(i % 4 = 0, NULL, CAST('b' || i AS BLOB)) FROM n";

/* Rows from `at` on, of a batch whose texts are in a dictionary or not. */
static void check_batch(const struct ArrowArray *b, int64_t at)
{
    for (int64_t row = 0; row < b->length; row++) {
        int64_t i = at + row;
        char text[16], blob[16];
        const struct ArrowArray *col = b->children[0];

        cr_assert_eq(((const int64_t *)col->buffers[1])[row], i);
        col = b->children[1];
        cr_assert_eq(is_valid(col, row), i % 3 != 0);
        if (i % 3)
            cr_assert_eq(((const double *)col->buffers[1])[row], (double)i * 0.25);
        col = b->children[2];
        cr_assert_eq(is_valid(col, row), i % 5 != 0);
        int64_t entry = row;
        if (col->dictionary) {
            entry = ((const int32_t *)col->buffers[1])[row];
            col = col->dictionary;
            cr_assert_leq(col->length, 7);
        }
        const int32_t *offsets = (const int32_t *)col->buffers[1] + entry;
        snprintf(text, sizeof(text), "text %d", (int)(i % 7));
        if (i % 5) {
            cr_assert_eq(offsets[1] - offsets[0], (int)strlen(text));
            cr_assert(!memcmp((const char *)col->buffers[2] + offsets[0], text, strlen(text)));
        }
        col = b->children[3];
        cr_assert_eq(is_valid(col, row), i % 4 != 0);
        offsets = (const int32_t *)col->buffers[1] + row;
        snprintf(blob, sizeof(blob), "b%d", (int)i);
        cr_assert_eq(offsets[1] - offsets[0], i % 4 ? (int)strlen(blob) : 0);
        cr_assert(
            !memcmp((const char *)col->buffers[2] + offsets[0], blob, i % 4 ? strlen(blob) : 0));
    }
}

Test(library, batches_have_all_rows_in_any_size)
{
    static const uint64_t sizes[] = {1, 7, 8, 100, 1003, 5000};
    uint64_t rows;
    struct orma_processor *tp = numbers(&rows);

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (unsigned flags = 0; flags <= ORMA_ARROW_DICTIONARIES; flags++) {
            struct ArrowArrayStream stream;
            struct ArrowArray batch;
            int64_t at = 0;

            cr_assert_eq(orma_query_arrow(prepare(tp, numbers_sql), sizes[i], flags, &stream), 0);
            while (!stream.get_next(&stream, &batch) && batch.release) {
                cr_assert_leq((uint64_t)batch.length, sizes[i]);
                check_batch(&batch, at);
                at += batch.length;
                batch.release(&batch);
            }
            cr_assert_eq((uint64_t)at, rows);
            stream.release(&stream);
        }
    }
    orma_processor_free(tp);
    orma_assert_no_leaks();
}

Test(library, what_is_long_before_its_first_value_comes_in_slices)
{
    struct orma_processor *tp = empty(NULL);
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    int64_t rows = 0;

    cr_assert_eq(orma_query_arrow(
                     prepare(tp, "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n "
                                 "WHERE i < 999) SELECT iif(i >= 500, 'x' || i, NULL) FROM n"),
                     3, 0, &stream),
                 0);
    while (!stream.get_next(&stream, &batch) && batch.release) {
        const struct ArrowArray *col = batch.children[0];
        const int32_t *offsets = col->buffers[1];

        cr_assert_leq(batch.length, 3);
        for (int64_t row = 0; row < batch.length; row++, rows++) {
            cr_assert_eq(is_valid(col, row), rows >= 500);
            cr_assert_eq(offsets[row + 1] - offsets[row], rows >= 500 ? 4 : 0);
        }
        batch.release(&batch);
    }
    cr_assert_eq(rows, 1000);
    stream.release(&stream);
    orma_processor_free(tp);
    orma_assert_no_leaks();
}

Test(library, batches_outlive_stream_and_processor_and_children_their_parent)
{
    struct orma_processor *tp = empty(NULL);
    struct ArrowArrayStream stream;
    struct ArrowArray batch, child;

    cr_assert_eq(orma_query_arrow(prepare(tp, numbers_sql), 0, ORMA_ARROW_DICTIONARIES, &stream),
                 0);
    cr_assert_eq(stream.get_next(&stream, &batch), 0);
    stream.release(&stream);
    orma_processor_free(tp);
    check_batch(&batch, 0);
    child = *batch.children[0]; /* moved, as the interface describes */
    batch.children[0]->release = NULL;
    batch.release(&batch);
    cr_assert_eq(((const int64_t *)child.buffers[1])[1002], 1002);
    child.release(&child);
    orma_assert_no_leaks();
}

Test(library, a_late_value_of_another_type_is_an_error_that_names_it)
{
    struct orma_processor *tp = empty(NULL);
    struct ArrowArrayStream stream;
    struct ArrowArray batch;

    cr_assert_eq(
        orma_query_arrow(prepare(tp, "SELECT * FROM (VALUES (1), (2), ('three'))"), 2, 0, &stream),
        0);
    cr_assert_eq(stream.get_next(&stream, &batch), 0);
    cr_assert_eq(batch.length, 2);
    batch.release(&batch);
    cr_assert_eq(stream.get_next(&stream, &batch), EDOM);
    cr_assert_not_null(strstr(stream.get_last_error(&stream), "has text in row 3"));
    cr_assert_eq(stream.get_next(&stream, &batch), EDOM, "and stays one");
    stream.release(&stream);

    cr_assert_eq(
        orma_query_arrow(
            prepare(tp,
                    "SELECT abs(-9223372036854775807 - a) FROM (SELECT 0 AS a UNION ALL SELECT 1)"),
            1, 0, &stream),
        0);
    cr_assert_eq(stream.get_next(&stream, &batch), 0);
    batch.release(&batch);
    cr_assert_neq(stream.get_next(&stream, &batch), 0);
    cr_assert_not_null(strstr(stream.get_last_error(&stream), "overflow"));
    stream.release(&stream);
    orma_processor_free(tp);
    orma_assert_no_leaks();
}

Test(library, exact_columns_hold_one_type_and_null)
{
    static const struct {
        const char *sql;
        int result;
    } cases[] = {
        {"SELECT * FROM (VALUES (NULL), (1), (NULL), (2))", 0},
        {"SELECT * FROM (VALUES (1), (0.5))", EDOM},
        {"SELECT * FROM (VALUES (0.5), (1))", EDOM},
        {"SELECT * FROM (VALUES (1), ('a'))", EDOM},
        {"SELECT * FROM (VALUES ('a'), (1))", EDOM},
        {"SELECT * FROM (VALUES ('a'), (x'01'))", EDOM},
        {"SELECT * FROM (VALUES (x'01'), ('a'))", EDOM},
    };
    struct orma_processor *tp = empty(NULL);

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ArrowArrayStream stream;
        struct ArrowSchema schema;

        cr_assert_eq(orma_query_arrow(prepare(tp, cases[i].sql), 0, ORMA_ARROW_EXACT, &stream), 0);
        cr_assert_eq(stream.get_schema(&stream, &schema), cases[i].result, "%s", cases[i].sql);
        if (!cases[i].result)
            schema.release(&schema);
        stream.release(&stream);
    }
    orma_processor_free(tp);
    orma_assert_no_leaks();
}

/* ---- cells ---- */

/* What the calls for one cell say, of rows of SQLite and of columns. */
Test(library, all_cells_of_a_row_are_those_that_come_one_by_one)
{
    static const char *const asked[] = {
        "SELECT 1, -0.5, 'it''s', x'00ff', NULL, '', x'', 9223372036854775807",
        "SELECT name, severity, value, key, value / 2.0, NULL FROM stats",
        "SELECT name, value FROM stats WHERE name > ?1 OR ?1 IS NULL",
    };
    struct orma_processor *tp = empty(NULL);
    struct orma_cell cells[9];

    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        struct orma_query *q = prepare(tp, asked[i]);
        unsigned num = orma_query_columns(q), rows = 0;

        for (; orma_query_step(q) == 1; rows++) {
            orma_query_cells(q, num, cells);
            for (unsigned k = 0; k < num; k++) {
                const enum orma_value_type type = orma_query_type(q, k);

                cr_assert_eq(cells[k].type, type);
                if (type == ORMA_VALUE_INT64)
                    cr_assert_eq(cells[k].whole, orma_query_int64(q, k));
                if (type == ORMA_VALUE_DOUBLE)
                    cr_assert_eq(cells[k].real, orma_query_double(q, k));
                if (type != ORMA_VALUE_TEXT && type != ORMA_VALUE_BLOB)
                    continue;
                cr_assert_eq(cells[k].bytes, orma_query_bytes(q, k));
                cr_assert(
                    !cells[k].bytes ||
                    !memcmp(cells[k].data,
                            type == ORMA_VALUE_TEXT ? orma_query_text(q, k) : orma_query_blob(q, k),
                            cells[k].bytes));
            }
        }
        cr_assert_gt(rows, 0, "%s", asked[i]);
        orma_query_cells(q, num, cells); /* at the end: of no row, and no crash */
        orma_query_free(q);
    }
    orma_processor_free(tp);
    orma_assert_no_leaks();
}

/* ---- limits ---- */

Test(library, threads_are_from_one_to_256)
{
    struct orma_processor_config config = {.size = sizeof(config), .threads = 257};
    struct orma_processor *tp = NULL;

    cr_assert_eq(orma_processor_new(&config, &tp), -EINVAL);
    config.threads = 256;
    tp = empty(&config);
    orma_processor_free(tp);
}

Test(library, time_and_memory_have_limits)
{
    struct orma_processor_config config = {.size = sizeof(config), .query_timeout_ms = 50};
    struct orma_processor *tp = empty(&config);
    struct orma_query *q = prepare(
        tp, "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n");

    cr_assert_eq(orma_query_step(q), -ECANCELED);
    cr_assert_not_null(strstr(orma_processor_error(tp), "0.05 s"));
    orma_query_free(q);
    orma_processor_free(tp);

    config = (struct orma_processor_config){.size = sizeof(config), .memory_limit_bytes = 1 << 20};
    cr_assert_eq(orma_processor_new(&config, &tp), 0);
    int r = 0;
    for (int i = 0; !r && i < 2000000; i++) {
        char event[200];
        int len = snprintf(
            event, sizeof(event),
            "%c{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":1,\"name\":\"name %d\"}\n",
            i ? ',' : '[', i, i, i);
        r = orma_processor_feed(tp, event, (size_t)len);
    }
    cr_assert_eq(r, -ENOMEM);
    cr_assert_not_null(strstr(orma_processor_error(tp), "1 MiB"));
    orma_processor_free(tp);
    orma_assert_no_leaks();
}

/* ---- messages ---- */

Test(library, metrics_and_summaries_are_messages)
{
    static const char *const metric = "trace_metadata", *const unknown = "nothing";
    static const char *const spec = "metric_spec { id: \"n\" value: \"v\" query { sql { sql: "
                                    "\"SELECT 7.0 AS v\" column_names: \"v\" } } }";
    struct orma_processor *tp = empty(NULL);
    size_t len;
    char *text;

    const char *none = NULL;
    cr_assert_eq(orma_processor_compute_metrics(tp, &none, 1, ORMA_MESSAGE_JSON, &text, &len),
                 -EINVAL);
    cr_assert_str_eq(orma_processor_error(tp), "the name of a metric is NULL");
    cr_assert_eq(
        orma_processor_summarize(tp, &none, NULL, 1, NULL, 0, NULL, ORMA_MESSAGE_JSON, &text, &len),
        -EINVAL);
    cr_assert_str_eq(orma_processor_error(tp), "a specification is NULL");
    cr_assert_eq(orma_processor_compute_metrics(tp, &metric, 1, ORMA_MESSAGE_JSON, &text, &len), 0);
    cr_assert_eq(strlen(text), len);
    cr_assert_not_null(strstr(text, "trace_metadata"));
    orma_free(text);
    cr_assert_lt(orma_processor_compute_metrics(tp, &unknown, 1, ORMA_MESSAGE_TEXT, &text, &len),
                 0);
    cr_assert_not_null(strstr(orma_processor_error(tp), "nothing"));

    cr_assert_eq(
        orma_processor_summarize(tp, &spec, NULL, 1, NULL, 0, NULL, ORMA_MESSAGE_TEXT, &text, &len),
        0, "%s", orma_processor_error(tp));
    cr_assert_not_null(strstr(text, "double_value: 7"));
    orma_free(text);
    cr_assert_eq(
        orma_processor_summarize(tp, &spec, NULL, 1, NULL, 0, NULL, ORMA_MESSAGE_JSON, &text, &len),
        0);
    cr_assert_not_null(strstr(text, "\"double_value\""));
    orma_free(text);
    /* In binary, cut short. */
    const size_t one = 2;
    const char *const nothing = "\x0a\x05";
    cr_assert_lt(orma_processor_summarize(tp, &nothing, &one, 1, NULL, 0, NULL, ORMA_MESSAGE_TEXT,
                                          &text, &len),
                 0);
    const char *const broken = "metric_spec {";
    cr_assert_lt(orma_processor_summarize(tp, &broken, NULL, 1, NULL, 0, NULL, ORMA_MESSAGE_TEXT,
                                          &text, &len),
                 0);
    cr_assert_str_neq(orma_processor_error(tp), "");
    cr_assert_str_eq(orma_processor_version(), ORMA_VERSION);
    orma_processor_free(tp);
    orma_assert_no_leaks();
}

/* ---- fork ---- */

static int make_and_ask(void)
{
    struct orma_processor *tp = NULL;
    struct orma_query *q = NULL;
    int r = orma_processor_new(NULL, &tp);

    if (r == 0)
        r = orma_processor_finish(tp);
    if (r == 0)
        r = orma_query_prepare(tp, "SELECT COUNT(*) FROM slice ORDER BY 1", ORMA_WHOLE, &q, NULL);
    if (r == 0)
        r = orma_query_step(q) == 1 ? 0 : -1;
    orma_query_free(q);
    orma_processor_free(tp);
    return r;
}

static void *keep_making(void *arg)
{
    atomic_bool *done = arg;

    while (!atomic_load(done))
        cr_assert_eq(make_and_ask(), 0);
    return NULL;
}

/* Whatever locks other threads hold at that moment, of ours and of SQLite. */
Test(library, a_child_of_a_busy_program_makes_its_own, .timeout = 240)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    cr_skip("the sanitizer's own locks are not fit for forks of programs with threads");
#endif
    pthread_t threads[3];
    atomic_bool done = false;
    int status = 0;

    for (size_t i = 0; i < 3; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, keep_making, &done), 0);
    for (int i = 0; i < 60 && !status; i++) {
        pid_t pid = fork();

        cr_assert_geq(pid, 0);
        if (pid == 0) {
            alarm(60); /* instead of a hang */
            _exit(make_and_ask() ? 1 : 0);
        }
        cr_assert_eq(waitpid(pid, &status, 0), pid);
    }
    atomic_store(&done, true);
    for (size_t i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(status, 0, "a child ended with %#x", (unsigned)status);
}
