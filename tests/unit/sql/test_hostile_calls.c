/*
 * Every function and table function that is registered, with arguments that nobody means:
 * all types, borders, pointers of other operators, calls in calls. Whatever they say, they
 * end, nothing of memory goes wrong (sanitizers look), and the engine is of use afterwards.
 *
 * ORMA_HOSTILE_CALLS: calls of each, instead of a few; ORMA_HOSTILE_SEED: other ones.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "processor/sql/engine.h"
#include "tests/support/alloc.h"
#include "tests/support/hostile_sql.h"
#include "tests/support/leaks.h"
#include "tests/unit/sql/engine_fixture.h"

#define ROWS_MAX 200
#define TEXT_MAX (1 << 20)

/* Stops what runs for long: some of it is endless on purpose. */
struct watch {
    struct orma_sql *sql;
    _Atomic unsigned statement;
    _Atomic bool done;
};

static void *watch(void *data)
{
    struct watch *self = data;
    unsigned seen = 0;

    for (int same = 0; !atomic_load(&self->done); (void)usleep(20000)) {
        unsigned now = atomic_load(&self->statement);

        same = now == seen ? same + 1 : 0;
        seen = now;
        if (same > 25)
            orma_sql_interrupt(self->sql);
    }
    return NULL;
}

/*  0 a ──┐ 3 d     flows 1 → 3, 3 → 1
 *  1 b ─┤         call sites 0 ← 1
 *  2 c ─┘  */
static void fill(struct orma_storage *st)
{
    struct orma_table *slices = &st->tables[ORMA_TABLE_SLICE];
    struct orma_table *flows = &st->tables[ORMA_TABLE_FLOW];
    struct orma_table *sites = &st->tables[ORMA_TABLE_STACK_PROFILE_CALLSITE];
    struct orma_table *tracks = &st->tables[ORMA_TABLE_TRACK];

    for (int i = 0; i < 4; i++) {
        uint32_t row = orma_table_add(slices);

        orma_table_set_time(slices, ORMA_SLICE_TS, row, 10 * i);
        orma_table_set(slices, ORMA_SLICE_DUR, row, i == 3 ? -1 : 100 - 20 * i);
        orma_table_set(slices, ORMA_SLICE_DEPTH, row, i % 3);
        orma_table_set(slices, ORMA_SLICE_NAME, row, orma_storage_cstr(st, "s"));
        if (i % 3)
            orma_table_set(slices, ORMA_SLICE_PARENT_ID, row, i - 1);
    }
    (void)orma_table_add(tracks);
    for (int i = 0; i < 2; i++) {
        uint32_t row = orma_table_add(flows);

        orma_table_set(flows, ORMA_FLOW_SLICE_OUT, row, i ? 3 : 1);
        orma_table_set(flows, ORMA_FLOW_SLICE_IN, row, i ? 1 : 3);
        row = orma_table_add(sites);
        if (i)
            orma_table_set(sites, ORMA_STACK_PROFILE_CALLSITE_PARENT_ID, row, 0);
    }
}

struct fixture {
    struct engine e;
    struct hostile_sql hostile;
    struct watch watch;
    pthread_t thread;
    unsigned calls;
};

static unsigned number_from(const char *name, unsigned usual)
{
    const char *text = getenv(name);

    return text ? (unsigned)strtoul(text, NULL, 0) : usual;
}

static void fixture_init(struct fixture *f, unsigned calls)
{
    *f = (struct fixture){.calls = number_from("ORMA_HOSTILE_CALLS", calls)};
    cr_assert_eq(orma_storage_init(&f->e.storage), 0);
    fill(&f->e.storage);
    cr_assert_eq(orma_sql_open(&f->e.storage, &f->e.sql), 0);
    cr_assert_eq(orma_sql_data_ready(f->e.sql), 0);
    sqlite3_limit(f->e.sql->db, SQLITE_LIMIT_LENGTH, TEXT_MAX);
    cr_assert_eq(hostile_sql_init(&f->hostile, f->e.sql, number_from("ORMA_HOSTILE_SEED", 12)), 0);
    f->watch.sql = f->e.sql;
    cr_assert_eq(pthread_create(&f->thread, NULL, watch, &f->watch), 0);
}

static void fixture_fini(struct fixture *f)
{
    atomic_store(&f->watch.done, true);
    cr_assert_eq(pthread_join(f->thread, NULL), 0);
    hostile_sql_fini(&f->hostile);
    engine_fini(&f->e);
    orma_assert_no_leaks();
}

static void run(struct fixture *f, const char *text)
{
    atomic_fetch_add(&f->watch.statement, 1);
    if (getenv("ORMA_HOSTILE_SHOW"))
        fprintf(stderr, "%s;\n", text);
    (void)hostile_sql_run(f->e.sql, text, ROWS_MAX); /* most are errors */
}

static void still_works(struct fixture *f, const char *after)
{
    atomic_fetch_add(&f->watch.statement, 1);
    engine_expect(&f->e, after, "SELECT count(*), sum(id) FROM __intrinsic_slice WHERE id < 4",
                  "4 6");
}

Test(hostile_calls, every_function)
{
    struct fixture f;

    fixture_init(&f, 60);
    cr_assert_gt(hostile_sql_functions(&f.hostile), 250);
    for (size_t i = 0; i < hostile_sql_functions(&f.hostile); i++) {
        for (unsigned n = 0; n < f.calls; n++)
            run(&f, hostile_sql_call(&f.hostile, i));
        still_works(&f, orma_buf_cstr(&f.hostile.text));
    }
    fixture_fini(&f);
}

Test(hostile_calls, every_table_function)
{
    struct fixture f;

    fixture_init(&f, 40);
    cr_assert_gt(hostile_sql_table_funcs(&f.hostile), 100);
    for (size_t i = 0; i < hostile_sql_table_funcs(&f.hostile); i++) {
        for (unsigned n = 0; n < f.calls; n++)
            run(&f, hostile_sql_call_table(&f.hostile, i));
        still_works(&f, orma_buf_cstr(&f.hostile.text));
    }
    fixture_fini(&f);
}

/* The next allocation fails, or one a little later, and all behind it. */
static void run_without_memory(struct fixture *f, const char *text)
{
    static const long after[] = {0, 1, 2, 3, 5, 8, 13, 21, 34};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(after); i++) {
        orma_alloc_fail_after(after[i]);
        run(f, text);
        bool failed = orma_alloc_has_failed();
        orma_alloc_fail_after(-1);
        if (!failed)
            return; /* it needs less */
    }
}

Test(hostile_calls, without_memory)
{
    struct fixture f;

    fixture_init(&f, 3);
    for (size_t i = 0; i < hostile_sql_functions(&f.hostile); i++)
        for (unsigned n = 0; n < f.calls; n++)
            run_without_memory(&f, hostile_sql_call(&f.hostile, i));
    for (size_t i = 0; i < hostile_sql_table_funcs(&f.hostile); i++)
        for (unsigned n = 0; n < f.calls; n++)
            run_without_memory(&f, hostile_sql_call_table(&f.hostile, i));
    for (unsigned n = 0; n < 100 * f.calls; n++)
        run_without_memory(&f, hostile_sql_any(&f.hostile));
    still_works(&f, "all of it");
    fixture_fini(&f);
}

Test(hostile_calls, every_table_and_module)
{
    struct fixture f;

    fixture_init(&f, 8);
    for (size_t i = 0; i < hostile_sql_tables(&f.hostile); i++)
        for (unsigned n = 0; n < f.calls; n++)
            run(&f, hostile_sql_read(&f.hostile, i));
    for (size_t i = 0; i < hostile_sql_modules(&f.hostile); i++)
        run(&f, hostile_sql_include(&f.hostile, i));
    for (unsigned n = 0; n < 100 * f.calls; n++)
        run(&f, hostile_sql_any(&f.hostile));
    atomic_fetch_add(&f.watch.statement, 1);
    cr_assert_eq(orma_sql_reset(f.e.sql), 0);
    still_works(&f, "reset");
    fixture_fini(&f);
}
