#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

#include "probes/process/stats.h"
#include "tests/support/leaks.h"
#include "tests/unit/probes/ftrace_fx.h"

Test(ftrace_session, records_flushes_and_leaves_everything_as_it_was)
{
    char *events[] = {(char[]){"foo/thing"}};
    struct orma_source *s;
    struct orma_pb_field field;
    struct fx f;

    fx_init(&f);
    s = fx_session(&f, events, 1);
    cr_assert_not_null(s);
    cr_assert_str_eq(pf_read(&f.pf, "tracing/events/foo/thing/enable"), "1");
    cr_assert_str_eq(pf_read(&f.pf, "tracing/events/foo/other/enable"), "0");
    cr_assert_eq(pf_read(&f.pf, "tracing/tracing_on")[0], '0', "not before the start");
    cr_assert(!strncmp(pf_read(&f.pf, "tracing/trace_clock"), "boot", 4));
    cr_assert_str_eq(pf_read(&f.pf, "tracing/trace"), "");
    s->type->start(s);
    cr_assert_eq(pf_read(&f.pf, "tracing/tracing_on")[0], '1');
    tree_page(&f.pf, "tracing/per_cpu/cpu0/trace_pipe_raw", 1000, 20, 100);
    tree_page(&f.pf, "tracing/per_cpu/cpu1/trace_pipe_raw", 2000, 20, 30);
    tree_page(&f.pf, "tracing/per_cpu/cpu1/trace_pipe_raw", 9000, 20, 30);
    s->type->flush(s, 7);
    cr_assert_eq(f.pf.flushed_id, 7);
    cr_assert_eq(count_events(&f), 160);
    cr_assert(stats_field(&f, ORMA_PB_FTRACE_STATS_START_OF_TRACE, ORMA_PB_FTRACE_STATS_CPU_STATS,
                          &field));
    cr_assert(
        stats_field(&f, ORMA_PB_FTRACE_STATS_END_OF_TRACE, ORMA_PB_FTRACE_STATS_CPU_STATS, &field));
    tree_page(&f.pf, "tracing/per_cpu/cpu0/trace_pipe_raw", 99000, 20, 5);
    s->type->stop(s);
    cr_assert(f.pf.stopped);
    cr_assert_eq(count_events(&f), 165, "what came between flush and stop is there");
    pf_free_source(&f.pf, s);
    cr_assert_str_eq(pf_read(&f.pf, "tracing/events/foo/thing/enable"), "0");
    cr_assert_eq(pf_read(&f.pf, "tracing/tracing_on")[0], '1');
    cr_assert(!strncmp(pf_read(&f.pf, "tracing/trace_clock"), "local", 5));
    cr_assert_null(f.pf.env.ftrace);
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

static bool has_events(struct pf *pf)
{
    return count_events(ORMA_CONTAINER_OF(pf, struct fx, pf)) >= 12;
}

Test(ftrace_session, drains_by_itself_at_the_period)
{
    char *events[] = {(char[]){"foo/*"}};
    struct orma_source *s;
    struct fx f;

    fx_init(&f);
    s = fx_session(&f, events, 1);
    s->type->start(s);
    tree_page(&f.pf, "tracing/per_cpu/cpu0/trace_pipe_raw", 1000, 21, 12);
    cr_assert(pf_run(&f.pf, has_events, 5000));
    pf_free_source(&f.pf, s);
    cr_assert_eq(pf_read(&f.pf, "tracing/tracing_on")[0], '1', "freed without a stop");
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

Test(ftrace_session, gives_each_of_two_sessions_only_its_own_events)
{
    char *first[] = {(char[]){"foo/thing"}}, *second[] = {(char[]){"foo/other"}};
    struct orma_source *a, *b;
    struct fx f;

    fx_init(&f);
    a = fx_session(&f, first, 1);
    b = fx_session(&f, second, 1);
    b->session_id = 2;
    a->type->start(a);
    b->type->start(b);
    tree_page(&f.pf, "tracing/per_cpu/cpu0/trace_pipe_raw", 1000, 20, 3);
    tree_page(&f.pf, "tracing/per_cpu/cpu0/trace_pipe_raw", 2000, 21, 5);
    a->type->flush(a, 1);
    cr_assert_eq(count_events(&f), 8, "both were served from one read");
    a->type->stop(a);
    cr_assert_str_eq(pf_read(&f.pf, "tracing/events/foo/thing/enable"), "0");
    cr_assert_str_eq(pf_read(&f.pf, "tracing/events/foo/other/enable"), "1");
    cr_assert_eq(pf_read(&f.pf, "tracing/tracing_on")[0], '1', "the other one goes on");
    pf_free_source(&f.pf, a);
    pf_forget_packets(&f.pf);
    tree_page(&f.pf, "tracing/per_cpu/cpu0/trace_pipe_raw", 3000, 20, 3);
    tree_page(&f.pf, "tracing/per_cpu/cpu0/trace_pipe_raw", 4000, 21, 4);
    b->type->flush(b, 2);
    cr_assert_eq(count_events(&f), 4);
    b->type->stop(b);
    pf_free_source(&f.pf, b);
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

Test(ftrace_session, says_why_it_records_nothing_when_another_tracer_is_active)
{
    char *events[] = {(char[]){"foo/thing"}};
    struct orma_pb_field field;
    struct orma_source *s;
    struct fx f;

    fx_init(&f);
    orma_log_init("test", -1);
    pf_file(&f.pf, "tracing/current_tracer", "function\n");
    s = fx_session(&f, events, 1);
    cr_assert_not_null(s);
    cr_assert_str_eq(pf_read(&f.pf, "tracing/trace"), "old content", "nothing was touched");
    s->type->start(s);
    s->type->flush(s, 1);
    cr_assert(stats_field(&f, ORMA_PB_FTRACE_STATS_START_OF_TRACE,
                          ORMA_PB_FTRACE_STATS_ATRACE_ERRORS, &field));
    cr_assert(memmem(field.data, field.len, "another tracer", 14));
    s->type->stop(s);
    pf_free_source(&f.pf, s);
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

Test(ftrace_session, records_in_an_instance_of_its_own_when_the_top_level_is_taken)
{
    static const char *const taken[][2] = {{"tracing/current_tracer", "function\n"},
                                           {"tracing/set_event", "irq:irq_handler_entry\n"},
                                           {"tracing/set_event_pid", "17\n"},
                                           {"tracing/set_event_notrace_pid", "17\n"}};
    char *events[] = {(char[]){"foo/thing"}};
    char dir[64], path[128];
    struct orma_source *s;
    struct fx f;

    (void)snprintf(dir, sizeof(dir), "tracing/instances/orma-%d", (int)getpid());
    (void)snprintf(path, sizeof(path), "%s/per_cpu/cpu0/trace_pipe_raw", dir);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(taken); i++) {
        fx_init(&f);
        orma_log_init("test", -1);
        tree_make(&f.pf, dir); /* as the kernel does it for the new folder */
        pf_file(&f.pf, taken[i][0], taken[i][1]);
        s = fx_session(&f, events, 1);
        s->type->start(s);
        tree_page(&f.pf, path, 1000, 20, 5);
        s->type->flush(s, 1);
        cr_assert_eq(count_events(&f), 5, "%s", taken[i][0]);
        s->type->stop(s);
        pf_free_source(&f.pf, s);
        cr_assert_eq(strncmp(pf_read(&f.pf, taken[i][0]), taken[i][1], 2), 0);
        cr_assert_str_eq(pf_read(&f.pf, "tracing/trace"), "old content", "nothing was touched");
        cr_assert_str_eq(pf_read(&f.pf, "tracing/tracing_on"), "1");
        pf_fini(&f.pf);
    }
    orma_assert_no_leaks();
}

Test(ftrace_session, lists_unknown_and_failing_events_in_the_first_statistics)
{
    char *events[] = {(char[]){"foo/thing"}, (char[]){"foo/nothing"}, (char[]){"sched_nonsense"}};
    struct orma_pb_field field;
    struct orma_source *s;
    struct fx f;

    fx_init(&f);
    s = fx_session(&f, events, 3);
    s->type->start(s);
    s->type->flush(s, 1);
    cr_assert(stats_field(&f, ORMA_PB_FTRACE_STATS_START_OF_TRACE,
                          ORMA_PB_FTRACE_STATS_UNKNOWN_FTRACE_EVENTS, &field));
    cr_assert(orma_str_eq_c(orma_pb_str(&field), "sched_nonsense") ||
              orma_str_eq_c(orma_pb_str(&field), "foo/nothing"));
    cr_assert_not(stats_field(&f, ORMA_PB_FTRACE_STATS_END_OF_TRACE,
                              ORMA_PB_FTRACE_STATS_UNKNOWN_FTRACE_EVENTS, &field));
    s->type->stop(s);
    pf_free_source(&f.pf, s);
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

Test(ftrace_session, keeps_what_the_ring_holds_when_asked_to)
{
    char *events[] = {(char[]){"foo/thing"}};
    struct orma_pb_field field;
    struct orma_source *s;
    struct fx f;

    fx_init(&f);
    tree_page(&f.pf, "tracing/per_cpu/cpu0/trace_pipe_raw", 1000, 20, 9);
    f.ftrace.has_preserve_ftrace_buffer = f.ftrace.preserve_ftrace_buffer = 1;
    s = fx_session(&f, events, 1);
    cr_assert_str_eq(pf_read(&f.pf, "tracing/trace"), "old content");
    cr_assert_eq(pf_read(&f.pf, "tracing/trace_clock")[0], '[', "not written");
    s->type->start(s);
    cr_assert(stats_field(&f, ORMA_PB_FTRACE_STATS_START_OF_TRACE,
                          ORMA_PB_FTRACE_STATS_PRESERVE_FTRACE_BUFFER, &field));
    s->type->flush(s, 1);
    cr_assert_eq(count_events(&f), 9);
    s->type->stop(s);
    pf_free_source(&f.pf, s);
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

Test(ftrace_session, uses_a_separate_instance_and_leaves_the_top_level_alone)
{
    char *events[] = {(char[]){"foo/thing"}};
    struct orma_source *s;
    struct fx f;

    fx_init(&f);
    tree_make(&f.pf, "tracing/instances/mine");
    tree_page(&f.pf, "tracing/instances/mine/per_cpu/cpu1/trace_pipe_raw", 1000, 20, 4);
    f.ftrace.instance_name = (char[]){"mine"};
    s = fx_session(&f, events, 1);
    s->type->start(s);
    s->type->flush(s, 1);
    cr_assert_eq(count_events(&f), 4);
    cr_assert_str_eq(pf_read(&f.pf, "tracing/trace"), "old content");
    s->type->stop(s);
    pf_free_source(&f.pf, s);
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

Test(ftrace_session, refuses_instance_names_that_are_paths)
{
    static const char *const names[] = {"..", ".", "a/b", "../../etc", "hyp"};
    struct fx f;

    fx_init(&f);
    orma_log_init("test", -1);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(names); i++) {
        struct orma_tracefs fs;

        cr_expect_lt(orma_tracefs_open(&fs, f.pf.env.tracefs_root, names[i]), 0, "%s", names[i]);
    }
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}
