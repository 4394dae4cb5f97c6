#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <unistd.h>

#include "processor/processor.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "sdk/base/fd.h"
#include "sdk/wire/pb_writer.h"
#include "tests/support/leaks.h"
#include "tests/unit/processor/ask.h"

/* A trace of `num` instants on one thread, one every microsecond. */
static void make_trace(struct orma_buf *out, unsigned num)
{
    for (unsigned i = 0; i <= num; i++) {
        size_t packet = orma_pb_begin(out, 1);

        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, 5);
        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, 1000 + i * 1000);
        if (!i) {
            orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, 1);
            size_t d = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR);
            orma_pb_put_u64(out, ORMA_PB_TRACK_DESCRIPTOR_UUID, 11);
            size_t t = orma_pb_begin(out, ORMA_PB_TRACK_DESCRIPTOR_THREAD);
            orma_pb_put_u64(out, ORMA_PB_THREAD_DESCRIPTOR_PID, 1);
            orma_pb_put_u64(out, ORMA_PB_THREAD_DESCRIPTOR_TID, 2);
            orma_pb_end(out, t);
            orma_pb_end(out, d);
        } else {
            size_t e = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_TRACK_EVENT);
            orma_pb_put_u64(out, ORMA_PB_TRACK_EVENT_TYPE, ORMA_PB_TRACK_EVENT_TYPE_INSTANT);
            orma_pb_put_u64(out, ORMA_PB_TRACK_EVENT_TRACK_UUID, 11);
            orma_pb_put_cstr(out, ORMA_PB_TRACK_EVENT_NAME, i % 2 ? "odd" : "even");
            size_t a = orma_pb_begin(out, ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS);
            orma_pb_put_cstr(out, ORMA_PB_DEBUG_ANNOTATION_NAME, "n");
            orma_pb_put_u64(out, ORMA_PB_DEBUG_ANNOTATION_INT_VALUE, i % 1000);
            orma_pb_end(out, a);
            orma_pb_end(out, e);
        }
        orma_pb_end(out, packet);
    }
}

Test(api, bytes_in_pieces_of_any_size_give_the_same_rows)
{
    static const size_t pieces[] = {1, 7, 4096, 1 << 20};
    struct orma_buf trace = {0};

    make_trace(&trace, 3000);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(pieces); i++) {
        struct orma_processor *tp;

        cr_assert_eq(orma_processor_new(NULL, &tp), 0);
        for (size_t at = 0; at < trace.len; at += pieces[i])
            cr_assert_eq(
                orma_processor_feed(tp, trace.data + at, ORMA_MIN(pieces[i], trace.len - at)), 0);
        cr_assert_eq(orma_processor_finish(tp), 0);
        cr_assert_eq(ask(tp, "SELECT count(*) FROM slice"), 3000);
        cr_assert_eq(ask(tp, "SELECT sum(ts) FROM slice WHERE name = 'odd'"), 2251500000);
        orma_processor_free(tp);
    }
    orma_buf_fini(&trace);
    orma_assert_no_leaks();
}

/* Whenever args are asked for the first time: while the trace comes, or never before the end. */
Test(api, sets_of_args_have_the_same_ids_whoever_asks_when)
{
    static const char *const early[] = {
        "SELECT count(*) FROM slice",
        "SELECT count(*) FROM args",
        "SELECT count(arg_set_id) FROM slice",
        "SELECT count(EXTRACT_ARG(dimension_arg_set_id, 'utid')) FROM track",
    };
    struct orma_buf trace = {0};
    int64_t sets[ORMA_ARRAY_LEN(early)];

    make_trace(&trace, 3000);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(early); i++) {
        struct orma_processor *tp;

        cr_assert_eq(orma_processor_new(NULL, &tp), 0);
        for (size_t at = 0; at < trace.len; at += 10000) {
            cr_assert_eq(orma_processor_feed(tp, trace.data + at, ORMA_MIN(trace.len - at, 10000u)),
                         0);
            (void)ask(tp, early[i]);
        }
        cr_assert_eq(orma_processor_finish(tp), 0);
        cr_assert_eq(ask(tp, "SELECT count(*) FROM slice"), 3000);
        cr_assert_eq(ask(tp, "SELECT count(DISTINCT arg_set_id) FROM slice"), 1000);
        cr_assert_eq(ask(tp, "SELECT sum(int_value) FROM slice JOIN args USING (arg_set_id) "
                             "WHERE key = 'debug.n'"),
                     3 * 499500);
        cr_assert_eq(ask(tp, "SELECT count(*) FROM thread_track"), 1);
        sets[i] = ask(tp, "SELECT sum(id * arg_set_id) FROM slice");
        cr_assert_eq(sets[i], sets[0]);
        orma_processor_free(tp);
    }
    orma_buf_fini(&trace);
    orma_assert_no_leaks();
}

Test(api, filters_order_and_ids_are_the_same_as_sqlite_would_do_them)
{
    /* Left: pushed down. Right: the unary plus keeps SQLite from pushing. */
    static const char *const pairs[][2] = {
        {"ts BETWEEN 50000 AND 90000", "+ts BETWEEN 50000 AND 90000"},
        {"ts > 50000.5 AND ts < 1e30", "+ts > 50000.5 AND +ts < 1e30"},
        {"ts < '70000'", "CAST(+ts AS INT) < 70000"},
        {"id IN (3, 5, 99999, -1, 2.5)", "+id IN (3, 5, 99999, -1, 2.5)"},
        {"name = 'odd' AND id < 11", "+name = 'odd' AND +id < 11"},
        {"name >= 'f' AND id > 2990", "+name >= 'f' AND +id > 2990"},
        {"name != 'odd'", "+name != 'odd'"},
        {"name IS NULL", "+name IS NULL"},
        {"category IS NULL AND dur = 0", "+category IS NULL AND +dur = 0"},
        {"dur != 0", "+dur != 0"},
        {"parent_id IS NOT NULL OR id = 7", "+parent_id IS NOT NULL OR +id = 7"},
        {"name = 'absent'", "+name = 'absent'"},
        {"name = NULL", "+name = NULL"},
        {"ts = 'x'", "+ts = 'x'"},
        {"ts < 'x'", "+ts < 'x'"},
    };
    struct orma_buf trace = {0};
    struct orma_processor *tp;

    make_trace(&trace, 3000);
    cr_assert_eq(orma_processor_new(NULL, &tp), 0);
    cr_assert_eq(orma_processor_feed(tp, trace.data, trace.len), 0);
    cr_assert_eq(orma_processor_finish(tp), 0);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(pairs); i++) {
        for (int again = 0; again < 3; again++) { /* the second and third time with an index */
            int64_t got[2];

            for (int side = 0; side < 2; side++) {
                char sql[256];

                snprintf(sql, sizeof(sql),
                         "SELECT ifnull(sum(id * 7 + rank), -1) FROM (SELECT id, row_number() OVER "
                         "(ORDER BY ts DESC) AS rank FROM slice WHERE %s)",
                         pairs[i][side]);
                got[side] = ask(tp, sql);
            }
            cr_assert_eq(got[0], got[1], "%s: %lld and %lld", pairs[i][0], (long long)got[0],
                         (long long)got[1]);
        }
    }
    cr_assert_eq(ask(tp, "SELECT id FROM slice ORDER BY ts DESC LIMIT 1"), 2999);
    cr_assert_eq(ask(tp, "SELECT id FROM slice WHERE name = 'even' ORDER BY id DESC LIMIT 1"),
                 2999);
    orma_processor_free(tp);
    orma_buf_fini(&trace);
    orma_assert_no_leaks();
}

Test(api, a_truncated_file_gives_all_its_whole_packets)
{
    struct orma_buf trace = {0};
    struct orma_processor *tp;
    char path[] = "/tmp/orma-test-XXXXXX";
    int fd = mkstemp(path);

    make_trace(&trace, 100);
    cr_assert_eq(orma_fd_write_all(fd, trace.data, trace.len - 3), 0);
    cr_assert_eq(orma_processor_new(NULL, &tp), 0);
    cr_assert_eq(orma_processor_load_file(tp, path, NULL, NULL), 0, "%s", orma_processor_error(tp));
    cr_assert_eq(ask(tp, "SELECT count(*) FROM slice"), 99);
    cr_assert_eq(orma_processor_load_file(tp, path, NULL, NULL), -EBUSY);
    orma_processor_free(tp);
    close(fd);
    unlink(path);
    orma_buf_fini(&trace);
    orma_assert_no_leaks();
}

static int stop(void *data, uint64_t done, uint64_t total)
{
    (void)done;
    (void)total;
    ++*(int *)data;
    return 1;
}

Test(api, progress_can_stop_a_load)
{
    struct orma_buf trace = {0};
    struct orma_processor *tp;
    char path[] = "/tmp/orma-test-XXXXXX";
    int fd = mkstemp(path), calls = 0;

    make_trace(&trace, 100);
    cr_assert_eq(orma_fd_write_all(fd, trace.data, trace.len), 0);
    cr_assert_eq(orma_processor_new(NULL, &tp), 0);
    cr_assert_eq(orma_processor_load_file(tp, path, stop, &calls), -ECANCELED);
    cr_assert_eq(calls, 1);
    orma_processor_free(tp);
    close(fd);
    unlink(path);
    orma_buf_fini(&trace);
    orma_assert_no_leaks();
}

Test(api, says_what_is_wrong_with_a_file)
{
    static const struct {
        const char *what, *bytes;
        size_t len;
        int error;
    } cases[] = {
        {"noise", "\x91\x02\x03\x04\x05\x06", 6, -EBADMSG},
        {"text", "hello world", 11, -EBADMSG},
        {"group wire type", "\x0a\x02\x0b\x0b\x0b\x0b", 6, -EBADMSG},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct orma_processor *tp;
        char path[] = "/tmp/orma-test-XXXXXX";
        int fd = mkstemp(path);

        cr_assert_eq(orma_fd_write_all(fd, cases[i].bytes, cases[i].len), 0);
        cr_assert_eq(orma_processor_new(NULL, &tp), 0);
        cr_assert_eq(orma_processor_load_file(tp, path, NULL, NULL), cases[i].error, "%s",
                     cases[i].what);
        cr_assert_neq(orma_processor_error(tp)[0], '\0');
        orma_processor_free(tp);
        close(fd);
        unlink(path);
    }
    struct orma_processor *tp;
    cr_assert_eq(orma_processor_new(NULL, &tp), 0);
    cr_assert_eq(orma_processor_load_file(tp, "/dev/null", NULL, NULL), 0, "a trace of nothing");
    orma_processor_free(tp);
    cr_assert_eq(orma_processor_new(NULL, &tp), 0);
    cr_assert_eq(orma_processor_load_file(tp, "/nonexistent/trace", NULL, NULL), -ENOENT);
    cr_assert_eq(orma_processor_load_file(tp, "/usr", NULL, NULL), -EISDIR);
    orma_processor_free(tp);
    orma_assert_no_leaks();
}

Test(api, statements_come_one_by_one_and_errors_have_a_place)
{
    struct orma_processor *tp;
    struct orma_query *q;
    const char *rest = "SELECT 1 AS a; -- note\n SELECT 'x', NULL, 0.5; SELECT nope FROM slice;";
    const char *begin = rest;

    cr_assert_eq(orma_processor_new(NULL, &tp), 0);
    cr_assert_eq(orma_query_prepare(tp, rest, SIZE_MAX, &q, &rest), 0);
    cr_assert_eq(orma_query_columns(q), 1);
    cr_assert_str_eq(orma_query_column_name(q, 0), "a");
    cr_assert_eq(orma_query_step(q), 1);
    cr_assert_eq(orma_query_type(q, 0), ORMA_VALUE_INT64);
    cr_assert_eq(orma_query_step(q), 0);
    orma_query_free(q);
    cr_assert_eq(orma_query_prepare(tp, rest, SIZE_MAX, &q, &rest), 0);
    cr_assert_eq(orma_query_step(q), 1);
    cr_assert_str_eq(orma_query_text(q, 0), "x");
    cr_assert_eq(orma_query_type(q, 1), ORMA_VALUE_NULL);
    cr_assert_eq(orma_query_double(q, 2), 0.5);
    orma_query_free(q);
    cr_assert_gt(rest, begin);
    cr_assert_eq(orma_query_prepare(tp, rest, SIZE_MAX, &q, &rest), -EINVAL);
    cr_assert_null(q);
    cr_assert_eq(orma_processor_error_offset(tp), 8);
    cr_assert_not_null(strstr(orma_processor_error(tp), "nope"));
    cr_assert_eq(orma_query_prepare(tp, " /* nothing */ ", SIZE_MAX, &q, NULL), 1);
    orma_processor_free(tp);
    orma_assert_no_leaks();
}

Test(api, processors_live_side_by_side)
{
    struct orma_processor *tp[3];
    struct orma_buf trace = {0};

    make_trace(&trace, 50);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(orma_processor_new(NULL, &tp[i]), 0);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(orma_processor_feed(tp[i], trace.data, trace.len), 0);
        cr_assert_eq(orma_processor_finish(tp[i]), 0);
    }
    for (int i = 0; i < 3; i++)
        cr_assert_eq(ask(tp[i], "SELECT count(*) FROM slice"), i < 2 ? 50 : 0);
    for (int i = 0; i < 3; i++)
        orma_processor_free(tp[i]);
    orma_buf_fini(&trace);
    orma_assert_no_leaks();
}
