#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "orma/track_event.h"
#include "sdk/base/clock.h"
#include "sdk/events/te.h"
#include "sdk/wire/pb_writer.h"
#include "tests/support/te_reader.h"
#include "tests/unit/client/fixture.h"

ORMA_CATEGORY_DEFINE(work, "work", "What we test", NULL);
ORMA_CATEGORY_DEFINE(other, "other", NULL, NULL);
ORMA_CATEGORY_DEFINE(dull, "dull", "Off by default", "debug");
ORMA_CATEGORY_DEFINE(both, "work,other", NULL, NULL);

enum { BEGIN = 1, END = 2, INSTANT = 3, COUNTER = 4 };

static struct fixture *te_new(void)
{
    struct fixture *f = fixture_new_with((struct orma_producer_config){0});

    cr_assert_eq(orma_te_source_add(f->producer, ORMA_POLICY_DROP, NULL), 0);
    fixture_connect(f);
    orma_test_service_setup_tracing(f->service, 1 << 18, 4096);
    fixture_settle(f);
    return f;
}

/* Session `id` with these bytes as TrackEventConfig. */
static void te_start(struct fixture *f, uint64_t id, struct orma_str config)
{
    struct orma_buf b = {0};

    orma_pb_put_str(&b, 113, config);
    orma_test_service_start(f->service, id, "track_event", (uint32_t)(100 + id), orma_buf_str(&b));
    fixture_settle(f);
    cr_assert_eq(f->service->started_id, id);
    orma_buf_fini(&b);
}

static void te_stop(struct fixture *f, uint64_t id)
{
    orma_test_service_stop(f->service, id);
    fixture_settle(f);
    cr_assert_eq(f->service->stopped_id, id);
}

static void te_free(struct fixture *f)
{
    orma_te_set_listener(NULL);
    fixture_free(f);
    orma_te_source_remove();
    orma_assert_no_leaks();
}

static struct orma_te_reader te_read(struct fixture *f, uint16_t writer)
{
    struct orma_te_reader r = {0};
    struct orma_test_writer *w = orma_test_service_writer(f->service, writer);

    cr_assert_not_null(w);
    for (size_t i = 0; i < orma_test_writer_num(w); i++)
        orma_te_reader_add(&r, orma_test_writer_packet(w, i));
    cr_assert_eq(w->emitted, orma_test_writer_num(w) + w->dropped_no_chunk + w->missing);
    cr_assert_eq(r.errors, 0);
    return r;
}

#define EXPECT(reader, idx, type_, name_, args_)                                                   \
    do {                                                                                           \
        const struct orma_test_event *ev_ = orma_te_reader_event(reader, idx);                     \
        cr_assert_lt(idx, orma_te_reader_num(reader));                                             \
        cr_assert_eq(ev_->type, type_, "%u", ev_->type);                                           \
        cr_assert_str_eq(ev_->name, name_);                                                        \
        cr_assert_str_eq(ev_->args, args_);                                                        \
    } while (0)

static void work_twice(void)
{
    for (int i = 0; i < 2; i++) {
        ORMA_SLICE(work, "outer");
        ORMA_SLICE_BEGIN(work, "inner");
        ORMA_INSTANT(other, "now");
        ORMA_SLICE_END(work);
    }
}

Test(track_event, slices_nest_and_repeat)
{
    struct fixture *f = te_new();
    uint64_t before, after;

    work_twice(); /* nobody listens */
    te_start(f, 1, (struct orma_str){0});
    before = orma_clock_boottime();
    work_twice();
    after = orma_clock_boottime();
    te_stop(f, 1);
    work_twice();
    struct orma_te_reader r = te_read(f, 1);
    cr_assert_eq(orma_te_reader_num(&r), 10);
    for (unsigned i = 0; i < 10; i += 5) {
        EXPECT(&r, i, BEGIN, "outer", "");
        EXPECT(&r, i + 1, BEGIN, "inner", "");
        EXPECT(&r, i + 2, INSTANT, "now", "");
        EXPECT(&r, i + 3, END, "", "");
        EXPECT(&r, i + 4, END, "", "");
        cr_assert_str_eq(orma_te_reader_event(&r, i)->categories, "work");
        cr_assert_str_eq(orma_te_reader_event(&r, i + 2)->categories, "other");
    }
    for (unsigned i = 0; i < 10; i++) {
        uint64_t ts = orma_te_reader_event(&r, i)->ts;

        cr_assert(ts + 1000 >= before && ts <= after + 1000);
        cr_assert(!i || ts >= orma_te_reader_event(&r, i - 1)->ts);
    }
    const struct orma_test_track *t = orma_te_reader_track(&r, orma_te_reader_event(&r, 0)->track);
    cr_assert(t->is_thread);
    cr_assert_eq(t->pid, getpid());
    cr_assert_eq(t->tid, gettid());
    cr_assert_eq(t->parent, orma_track_process().uuid);
    cr_assert(orma_te_reader_track(&r, t->parent)->is_process);
    orma_te_reader_fini(&r);
    te_free(f);
}

Test(track_event, a_repeated_slice_takes_24_bytes)
{
    struct fixture *f = te_new();

    te_start(f, 1, (struct orma_str){0});
    for (int i = 0; i < 10; i++)
        work_twice();
    te_stop(f, 1);
    struct orma_test_writer *w = orma_test_service_writer(f->service, 1);
    size_t n = orma_test_writer_num(w);
    /* The last five: begin, begin, instant, end, end; a size byte each is not in the packet. */
    static const size_t limits[] = {13, 13, 13, 9, 9};
    for (size_t i = 0; i < 5; i++)
        cr_assert_leq(orma_test_writer_packet(w, n - 5 + i).len, limits[i]);
    te_free(f);
}

static int evaluated;

static int count(void)
{
    return ++evaluated;
}

Test(track_event, arguments_are_not_evaluated_for_nobody)
{
    struct fixture *f = te_new();

    ORMA_INSTANT(work, "x", ORMA_ARG_INT("n", count()));
    cr_assert_eq(evaluated, 0);
    te_start(f, 1, (struct orma_str){0});
    ORMA_INSTANT(work, "x", ORMA_ARG_INT("n", count()));
    ORMA_INSTANT(dull, "x", ORMA_ARG_INT("n", count()));
    cr_assert_eq(evaluated, 1);
    cr_assert(ORMA_ENABLED(work));
    cr_assert(!ORMA_ENABLED(dull));
    te_stop(f, 1);
    te_free(f);
}

static void annotate(const char *dynamic)
{
    static const uint8_t msg[] = {8, 1};

    ORMA_INSTANT(work, "scalars", ORMA_ARG_BOOL("yes", 1), ORMA_ARG_INT("minus", -5),
                 ORMA_ARG_UINT("big", UINT64_MAX), ORMA_ARG_DOUBLE("half", 0.5),
                 ORMA_ARG_POINTER("where", 0x1000), ORMA_ARG_STR("text", dynamic),
                 ORMA_ARG_STRN("part", "abcdef", 3), ORMA_ARG_STR("null", NULL));
    ORMA_INSTANT(work, "nested",
                 ORMA_ARG_DICT("d", ORMA_ARG_INT("a", 1),
                               ORMA_ARG_ARRAY("l", ORMA_ARG_INT("", 7), ORMA_ARG_STR("", "x"),
                                              ORMA_ARG_DICT("", ORMA_ARG_BOOL("b", 0)))),
                 ORMA_ARG_INTERNED_STR("state", "idle"),
                 ORMA_ARG_DYNAMIC_KEY(dynamic, ORMA_ARG_INT("", 3)),
                 ORMA_ARG_PROTO("msg", "some.Type", msg, sizeof(msg)));
}

Test(track_event, annotations_of_every_type)
{
    struct fixture *f = te_new();

    te_start(f, 1, (struct orma_str){0});
    for (int i = 0; i < 3; i++)
        annotate("dyn");
    te_stop(f, 1);
    struct orma_te_reader r = te_read(f, 1);
    for (unsigned i = 0; i < 6; i += 2) {
        EXPECT(&r, i, INSTANT, "scalars",
               "yes=true minus=-5 big=18446744073709551615 half=0.5 where=0x1000 text='dyn' "
               "part='abc' null=''");
        EXPECT(&r, i + 1, INSTANT, "nested",
               "d.a=1 d.l[0]=7 d.l[1]='x' d.l[2].b=false state=\"idle\" dyn=3 msg:some.Type(2)");
    }
    orma_te_reader_fini(&r);
    te_free(f);
}

/* Nothing aborts the program, recorded or not: NULL is an empty text, or no track. */
static void emit_nulls(void)
{
    struct orma_track named = orma_track_named(NULL, 0, NULL);
    struct orma_track counter = orma_track_counter(NULL, 0, NULL);

    ORMA_INSTANT(work, "named", ORMA_TRACK(&named));
    ORMA_COUNTER_ON(work, &counter, 5);
    ORMA_INSTANT(work, "extra", ORMA_EXTRA_COUNTER(NULL, 1));
    ORMA_INSTANT(work, "message", ORMA_ARG_PROTO("k", NULL, "", 0));
    ORMA_INSTANT(work, "bytes", ORMA_FIELD_BYTES(2000, NULL, 4));
}

Test(track_event, null_does_nothing)
{
    struct fixture *f = te_new();

    emit_nulls();
    te_start(f, 1, (struct orma_str){0});
    emit_nulls();
    te_stop(f, 1);
    struct orma_te_reader r = te_read(f, 1);
    cr_assert_eq(r.errors, 0);
    EXPECT(&r, 2, INSTANT, "extra", "");
    orma_te_reader_fini(&r);
    te_free(f);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> (*state >> 58); /* of every magnitude */
}

/* Short and long ways, ends of chunks, sizes of one byte and of two: all read the same. */
Test(track_event, arguments_of_every_size_survive)
{
    static const char text[] =
        "0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrst"
        "uvwxyz0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmno";
    struct fixture *f = te_new();
    struct orma_track process = orma_track_process();
    struct orma_track counter = orma_track_counter("level", 0, &process);
    struct orma_track lane = orma_track_named("lane", 0, &process);
    uint64_t state = 1;

    te_start(f, 1, (struct orma_str){0});
    for (int i = 0; i < 4000; i++) {
        uint64_t a = next_random(&state), b = next_random(&state);
        unsigned len = (unsigned)(next_random(&state) % (sizeof(text) - 1));

        ORMA_INSTANT(work, "ints", ORMA_ARG_INT("a", a), ORMA_ARG_UINT("b", b));
        ORMA_INSTANT(work, "text", ORMA_ARG_STRN("t", text, len), ORMA_FLOW(a));
        ORMA_INSTANT(work, "", ORMA_DYNAMIC_NAME("made up"), ORMA_ARG_DOUBLE("d", 0.25));
        ORMA_SLICE_BEGIN(work, "lane", ORMA_TRACK(&lane), ORMA_ARG_BOOL("x", b & 1));
        ORMA_SLICE_END_ARGS(work, ORMA_TRACK(&lane), ORMA_ARG_POINTER("p", a));
        ORMA_COUNTER_ON(work, &counter, (int64_t)a);
        ORMA_COUNTER(work, "own", -(int64_t)(b >> 1));
        ORMA_COUNTER_DOUBLE(work, "real", i * 0.5);
        if (i % 20 == 0)
            fixture_settle(f);
    }
    te_stop(f, 1);
    struct orma_te_reader r = te_read(f, 1);
    struct orma_test_writer *w = orma_test_service_writer(f->service, 1);
    cr_assert_eq(w->dropped_no_chunk, 0);
    cr_assert_eq(orma_te_reader_num(&r), 32000);
    state = 1;
    for (unsigned i = 0; i < 4000; i++) {
        uint64_t a = next_random(&state), b = next_random(&state);
        unsigned len = (unsigned)(next_random(&state) % (sizeof(text) - 1));
        const struct orma_test_event *ev = orma_te_reader_event(&r, (size_t)i * 8);
        char want[512];

        snprintf(want, sizeof(want), "a=%" PRId64 " b=%" PRIu64, (int64_t)a, b);
        EXPECT(&r, i * 8, INSTANT, "ints", want);
        /* The order of annotations and flows among each other is that of the source. */
        snprintf(want, sizeof(want), "t='%.*s' flow=%" PRIu64, (int)len, text, a);
        EXPECT(&r, i * 8 + 1, INSTANT, "text", want);
        EXPECT(&r, i * 8 + 2, INSTANT, "made up", "d=0.25");
        EXPECT(&r, i * 8 + 3, BEGIN, "lane", b & 1 ? "x=true" : "x=false");
        snprintf(want, sizeof(want), "p=0x%" PRIx64, a);
        EXPECT(&r, i * 8 + 4, END, "", want);
        cr_assert_eq(ev[4].track, lane.uuid);
        cr_assert_eq(ev[5].counter, (int64_t)a);
        cr_assert_eq(ev[5].track, counter.uuid);
        cr_assert_eq(ev[6].counter, -(int64_t)(b >> 1));
        cr_assert_str_eq(orma_te_reader_track(&r, ev[6].track)->name, "own");
        cr_assert_float_eq(ev[7].counter_double, i * 0.5, 0);
    }
    orma_te_reader_fini(&r);
    te_free(f);
}

static void everything_else(const struct orma_track *track, const struct orma_track *counter)
{
    ORMA_SLICE_BEGIN(work, "on track", ORMA_TRACK(track), ORMA_FLOW(11), ORMA_FLOW(12));
    ORMA_SLICE_END_ARGS(work, ORMA_TRACK(track), ORMA_FLOW_END(11), ORMA_ARG_INT("r", 2));
    ORMA_COUNTER_ON(work, counter, 42);
    ORMA_COUNTER_ON(work, counter, 40);
    ORMA_COUNTER(work, "plain", -3);
    ORMA_COUNTER_DOUBLE(work, "real", 1.5);
    ORMA_INSTANT(both, "static", ORMA_DYNAMIC_NAME("made up"), ORMA_CORRELATION(9));
    ORMA_INSTANT(work, "log", ORMA_LOG(5, "hello"), ORMA_CORRELATION_STR("req"));
    ORMA_INSTANT(work, "extra", ORMA_EXTRA_COUNTER(counter, 8), ORMA_FIELD_UINT(9901, 3));
    ORMA_COMPLETE(work, track, 1000, 3000, "complete", ORMA_ARG_INT("x", 1));
    ORMA_INSTANT(work, "when", ORMA_CLOCK_TIME(3, 77));
}

Test(track_event, tracks_flows_counters_and_the_rest)
{
    struct fixture *f = te_new();
    struct orma_track process = orma_track_process();
    struct orma_track parent = orma_track_named("parent", 0, &process);
    struct orma_track child = orma_track_named("child", 4, &parent);
    struct orma_track counter = orma_track_counter("level", 0, &child);

    parent.child_ordering = ORMA_CHILDREN_BY_RANK;
    child.sibling_rank = -7;
    child.never_merge = 1;
    counter.unit = ORMA_UNIT_BYTES;
    counter.multiplier = 1024;
    counter.incremental = 1;
    te_start(f, 1, (struct orma_str){0});
    everything_else(&child, &counter);
    te_stop(f, 1);
    struct orma_te_reader r = te_read(f, 1);
    EXPECT(&r, 0, BEGIN, "on track", " flow=11 flow=12");
    EXPECT(&r, 1, END, "", " flow_end=11 r=2");
    EXPECT(&r, 6, INSTANT, "made up", " correlation=9");
    EXPECT(&r, 7, INSTANT, "log", " log='hello' prio=5 correlation='req'");
    EXPECT(&r, 8, INSTANT, "extra", " extra=8 9901:3(0)");
    EXPECT(&r, 9, BEGIN, "complete", "x=1");
    EXPECT(&r, 11, INSTANT, "when", "");
    cr_assert_str_eq(orma_te_reader_event(&r, 6)->categories, "work,other");
    cr_assert_eq(orma_te_reader_event(&r, 2)->counter, 42);
    cr_assert_eq(orma_te_reader_event(&r, 3)->counter, -2);
    cr_assert_eq(orma_te_reader_event(&r, 4)->counter, -3);
    cr_assert_float_eq(orma_te_reader_event(&r, 5)->counter_double, 1.5, 0);
    cr_assert_eq(orma_te_reader_event(&r, 9)->ts, 1000);
    cr_assert_eq(orma_te_reader_event(&r, 10)->ts, 3000);
    cr_assert_eq(orma_te_reader_event(&r, 11)->ts, 77);
    cr_assert_eq(orma_te_reader_event(&r, 11)->clock_id, 3);

    const struct orma_test_track *t = orma_te_reader_track(&r, orma_te_reader_event(&r, 0)->track);
    cr_assert_str_eq(t->name, "child");
    cr_assert_eq(t->rank, -7);
    cr_assert_eq(t->merge, 2);
    t = orma_te_reader_track(&r, t->parent);
    cr_assert_str_eq(t->name, "parent");
    cr_assert_eq(t->ordering, 3);
    cr_assert_eq(t->parent, process.uuid);
    t = orma_te_reader_track(&r, counter.uuid);
    cr_assert(t->is_counter && t->incremental);
    cr_assert_eq(t->unit, 3);
    cr_assert_eq(t->multiplier, 1024);
    t = orma_te_reader_track(&r, orma_te_reader_event(&r, 4)->track);
    cr_assert_str_eq(t->name, "plain");
    cr_assert_eq(t->parent, process.uuid);
    orma_te_reader_fini(&r);
    te_free(f);
}

Test(track_event, a_clear_renews_the_state_and_loses_no_event)
{
    struct fixture *f = te_new();

    te_start(f, 1, (struct orma_str){0});
    for (int i = 0; i < 5; i++) {
        work_twice();
        orma_test_service_clear(f->service, 1);
        fixture_settle(f);
    }
    work_twice();
    te_stop(f, 1);
    struct orma_te_reader r = te_read(f, 1);
    cr_assert_eq(orma_te_reader_num(&r), 60);
    cr_assert_eq(r.generations, 6);
    orma_te_reader_fini(&r);
    te_free(f);
}

Test(track_event, a_flush_completes_what_is_being_written)
{
    struct fixture *f = te_new();
    const uint64_t id = 1;

    te_start(f, id, (struct orma_str){0});
    work_twice();
    orma_test_service_flush(f->service, 1, &id, 1);
    fixture_settle(f);
    cr_assert_eq(f->service->flush_acked, 1);
    struct orma_te_reader r = te_read(f, 1);
    cr_assert_eq(orma_te_reader_num(&r), 10);
    orma_te_reader_fini(&r);
    te_stop(f, 1);
    te_free(f);
}

Test(track_event, sessions_have_their_own_categories_and_states)
{
    struct fixture *f = te_new();

    te_start(f, 1, ORMA_STR("\x0a\x05other")); /* disabled: other */
    work_twice();
    te_start(f, 2, ORMA_STR("\x0a\x01*\x12\x05other")); /* disabled: *, enabled: other */
    work_twice();
    te_stop(f, 1);
    work_twice();
    te_stop(f, 2);
    struct orma_te_reader a = te_read(f, 1), b = te_read(f, 2);
    cr_assert_eq(orma_te_reader_num(&a), 16);
    cr_assert_eq(orma_te_reader_num(&b), 4);
    EXPECT(&b, 0, INSTANT, "now", "");
    cr_assert_eq(orma_test_service_writer(f->service, 1)->target_buffer, 101);
    cr_assert_eq(orma_test_service_writer(f->service, 2)->target_buffer, 102);
    orma_te_reader_fini(&a);
    orma_te_reader_fini(&b);
    te_free(f);
}

/* timestamp_unit_multiplier 1000; then absolute timestamps; then both; then thread time. */
Test(track_event, sessions_may_ask_for_other_clocks)
{
    static const struct {
        const char *what;
        const char *config;
        uint64_t unit;
    } cases[] = {
        {"microseconds", "\x30\xe8\x07", 1000},
        {"absolute", "\x28\x01", 1},
        {"absolute microseconds", "\x28\x01\x30\xe8\x07", 1000},
        {"thread time", "\x40\x01", 1},
    };
    struct fixture *f = te_new();

    for (uint16_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        uint64_t id = i + 1u, before = orma_clock_boottime();

        te_start(f, id, orma_str_from(cases[i].config));
        work_twice();
        ORMA_COMPLETE(work, NULL, 5000, 7000, "past");
        te_stop(f, id);
        struct orma_te_reader r = te_read(f, (uint16_t)id);
        cr_assert_eq(orma_te_reader_num(&r), 12, "%s", cases[i].what);
        for (unsigned j = 0; j < 10; j++) {
            uint64_t ts = orma_te_reader_event(&r, j)->ts;

            cr_assert_eq(ts % cases[i].unit, 0, "%s", cases[i].what);
            cr_assert_gt(ts + 2000, before, "%s", cases[i].what);
            cr_assert(!j || ts >= orma_te_reader_event(&r, j - 1)->ts);
        }
        cr_assert_eq(orma_te_reader_event(&r, 10)->ts, 5000);
        cr_assert_eq(!!strstr(orma_te_reader_event(&r, 0)->args, "extra="), i == 3);
        orma_te_reader_fini(&r);
    }
    te_free(f);
}

Test(track_event, filters_hide_annotations_and_made_up_names)
{
    struct fixture *f = te_new();

    te_start(f, 1, ORMA_STR("\x38\x01\x48\x01"));
    annotate("secret");
    ORMA_INSTANT(work, "static", ORMA_DYNAMIC_NAME("secret"), ORMA_FLOW(1));
    te_stop(f, 1);
    struct orma_te_reader r = te_read(f, 1);
    EXPECT(&r, 0, INSTANT, "scalars", "");
    EXPECT(&r, 1, INSTANT, "nested", "");
    EXPECT(&r, 2, INSTANT, "FILTERED", " flow=1");
    orma_te_reader_fini(&r);
    te_free(f);
}

/* The service stands still: events are dropped. Then it goes on, and only those are missing. */
Test(track_event, a_loss_costs_what_was_lost_and_no_event_that_follows)
{
    struct fixture *f = te_new();

    te_start(f, 1, (struct orma_str){0});
    for (unsigned round = 0; round < 3; round++) {
        f->service->stalled = true;
        for (int i = 0; i < 40000; i++)
            ORMA_INSTANT(work, "burst");
        fixture_settle(f);
        orma_test_service_resume(f->service);
        fixture_settle(f);
        for (int i = 0; i < 100; i++)
            ORMA_INSTANT(work, "after", ORMA_ARG_INT("i", i));
        fixture_settle(f);
    }
    te_stop(f, 1);
    struct orma_te_reader r = te_read(f, 1);
    struct orma_test_writer *w = orma_test_service_writer(f->service, 1);
    unsigned after = 0, burst = 0;
    for (size_t i = 0; i < orma_te_reader_num(&r); i++) {
        after += !strcmp(orma_te_reader_event(&r, i)->name, "after");
        burst += !strcmp(orma_te_reader_event(&r, i)->name, "burst");
    }
    cr_assert_eq(after, 300);
    cr_assert_eq(burst + w->dropped_no_chunk, 120000);
    cr_assert_geq(w->dropped_no_chunk, 1);
    cr_assert_eq(r.losses, 3, "%u losses, %u generations", r.losses, r.generations);
    cr_assert_eq(r.generations, 4);
    orma_te_reader_fini(&r);
    te_free(f);
}

static void *short_thread(void *arg)
{
    ORMA_SLICE(work, "short", ORMA_ARG_INT("n", *(int *)arg));
    ORMA_INSTANT(work, "in it");
    return NULL;
}

/* Their sequences are handed on: chunks are not wasted, and ids not either. */
Test(track_event, threads_come_and_go)
{
    struct fixture *f = te_new();
    unsigned tracks = 0;

    te_start(f, 1, (struct orma_str){0});
    for (int i = 0; i < 200; i++) {
        pthread_t t;

        pthread_create(&t, NULL, short_thread, &i);
        pthread_join(t, NULL);
        fixture_settle(f);
    }
    te_stop(f, 1);
    cr_assert_eq(f->service->writers_num, 1);
    struct orma_te_reader r = te_read(f, 1);
    cr_assert_eq(orma_te_reader_num(&r), 600);
    for (unsigned i = 0; i < r.tracks.len / sizeof(struct orma_test_track); i++)
        tracks += ((struct orma_test_track *)r.tracks.data)[i].is_thread;
    cr_assert_geq(tracks, 1);
    orma_te_reader_fini(&r);
    te_free(f);
}

static void *emit_late(void *arg)
{
    struct orma_te_thread *self = orma_te_self ? orma_te_self : orma_te_thread_new();
    static struct orma_site site = {&orma_category_work, "late", __FILE__, __LINE__, 0};

    /* As if it had been stamped at *arg, and then had waited for the sequence. */
    atomic_store(&self->busy, ORMA_TE_RUNNING);
    for (uint32_t slot = 0; slot < ORMA_TE_SLOTS; slot++) {
        if (orma_category_work.enabled & 1u << slot)
            orma_te_emit(self, slot,
                         &(struct orma_te_event){.type = INSTANT,
                                                 .site = &site,
                                                 .category = &orma_category_work,
                                                 .ns = *(uint64_t *)arg});
    }
    atomic_store(&self->busy, ORMA_TE_IDLE);
    ORMA_INSTANT(work, "next");
    return NULL;
}

/* A thread that takes over a sequence may have been stamped before its last event. */
Test(track_event, clock_snapshots_of_a_sequence_never_go_back)
{
    struct fixture *f = te_new();
    uint64_t early = orma_clock_boottime();
    pthread_t t;
    int n = 0;

    te_start(f, 1, (struct orma_str){0});
    pthread_create(&t, NULL, short_thread, &n);
    pthread_join(t, NULL);
    pthread_create(&t, NULL, emit_late, &early);
    pthread_join(t, NULL);
    te_stop(f, 1);
    struct orma_te_reader r = te_read(f, 1);
    cr_assert_eq(orma_te_reader_num(&r), 5);
    EXPECT(&r, 3, INSTANT, "late", "");
    cr_assert_geq(orma_te_reader_event(&r, 3)->ts, orma_te_reader_event(&r, 2)->ts);
    orma_te_reader_fini(&r);
    te_free(f);
}

Test(track_event, a_given_time_does_not_move_the_clock)
{
    struct fixture *f = te_new();

    te_start(f, 1, (struct orma_str){0});
    ORMA_INSTANT(work, "before");
    ORMA_INSTANT(work, "future", ORMA_TIME(orma_now() + 1000000000000));
    ORMA_INSTANT(work, "after");
    te_stop(f, 1);
    struct orma_te_reader r = te_read(f, 1);
    cr_assert_leq(orma_te_reader_event(&r, 2)->ts, orma_clock_boottime() + 1000);
    cr_assert_gt(orma_te_reader_event(&r, 1)->ts, orma_clock_boottime() + 1000000000);
    orma_te_reader_fini(&r);
    te_free(f);
}

Test(track_event, the_service_is_told_of_categories)
{
    struct fixture *f = te_new();
    static struct orma_category late = {0, 0, "late", NULL, NULL, NULL};
    const char *seen = (const char *)f->service->descriptors.data;

    cr_assert_not_null(memmem(seen, f->service->descriptors.len, "What we test", 12));
    cr_assert_not_null(memmem(seen, f->service->descriptors.len, "debug", 5));
    cr_assert_null(memmem(seen, f->service->descriptors.len, "work,other", 10));
    te_start(f, 1, (struct orma_str){0});
    orma_category_register(&late);
    orma_te_source_turn(f->producer);
    fixture_settle(f);
    seen = (const char *)f->service->descriptors.data;
    cr_assert_not_null(memmem(seen, f->service->descriptors.len, "late", 4));
    cr_assert(late.enabled, "a running session wants it as well");
    orma_category_unregister(&late);
    cr_assert(!late.enabled);
    te_stop(f, 1);
    te_free(f);
}
