#include "tests/support/sql_rows.h"

#include <stdio.h>

#define PROCESSES 40
#define THREADS 400
#define CPUS 8
#define NAMES 500
#define NEST 5 /* slices in a stack */

struct maker {
    struct orma_storage *st;
    uint64_t seed;
    uint32_t names[NAMES];
};

static uint32_t random_below(struct maker *m, uint32_t limit)
{
    m->seed = m->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(m->seed >> 33) % limit;
}

static void make_names(struct maker *m)
{
    for (uint32_t i = 0; i < NAMES; i++)
        m->names[i] = orma_strpool_addf(&m->st->pool, "%s %u", i % 3 ? "work" : "Load", i);
}

static void make_threads(struct maker *m)
{
    struct orma_table *threads = &m->st->tables[ORMA_TABLE_THREAD];
    struct orma_table *processes = &m->st->tables[ORMA_TABLE_PROCESS];
    struct orma_table *tracks = &m->st->tables[ORMA_TABLE_TRACK];
    uint32_t slice = orma_storage_cstr(m->st, "slice");

    orma_table_add(&m->st->tables[ORMA_TABLE_MACHINE]);
    for (uint32_t i = 0; i < PROCESSES; i++) {
        uint32_t row = orma_table_add(processes);

        orma_table_set(processes, ORMA_PROCESS_PID, row, 1000 + i * 7);
        orma_table_set(processes, ORMA_PROCESS_NAME, row,
                       orma_strpool_addf(&m->st->pool, "process %u", i));
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        uint32_t row = orma_table_add(threads), track = orma_table_add(tracks);

        orma_table_set(threads, ORMA_THREAD_TID, row, 1000 + i);
        orma_table_set(threads, ORMA_THREAD_UPID, row, i % PROCESSES);
        if (i % 10)
            orma_table_set(threads, ORMA_THREAD_NAME, row,
                           orma_strpool_addf(&m->st->pool, "thread %u", i));
        orma_table_set(tracks, ORMA_TRACK_UTID, track, row);
        orma_table_set(tracks, ORMA_TRACK_EVENT_TYPE, track, slice);
        orma_table_set(tracks, ORMA_TRACK_TYPE, track,
                       orma_storage_cstr(m->st, "thread_execution"));
    }
}

static uint32_t make_args(struct maker *m, uint32_t i)
{
    struct orma_args_list list = {0};

    orma_args_put_int(&list, orma_storage_cstr(m->st, "debug.count"), i % 1000);
    orma_args_put_str(&list, orma_storage_cstr(m->st, "debug.what"), m->names[i % NAMES]);
    uint32_t set = orma_args_commit(&m->st->args, &list);
    orma_args_list_fini(&list);
    return set;
}

/* Stacks of NEST slices, each on one track; the innermost of some have no end. */
static void make_slices(struct maker *m, uint32_t rows)
{
    struct orma_table *t = &m->st->tables[ORMA_TABLE_SLICE];
    int64_t ts = 1000000000;
    uint32_t track = 0;

    for (uint32_t i = 0; i < rows; i++) {
        uint32_t row = orma_table_add(t), depth = i % NEST;

        if (!depth)
            track = random_below(m, THREADS);
        ts += random_below(m, 2000);
        orma_table_set_time(t, ORMA_SLICE_TS, row, ts);
        orma_table_set(t, ORMA_SLICE_DUR, row,
                       i % 1009 == 4 ? -1
                                     : (int64_t)((NEST - depth) * 10000 - random_below(m, 9000)));
        orma_table_set(t, ORMA_SLICE_TRACK_ID, row, track);
        if (random_below(m, 50))
            orma_table_set(t, ORMA_SLICE_NAME, row, m->names[random_below(m, NAMES)]);
        orma_table_set(t, ORMA_SLICE_CATEGORY, row, m->names[random_below(m, 7)]);
        orma_table_set(t, ORMA_SLICE_DEPTH, row, depth);
        if (depth)
            orma_table_set(t, ORMA_SLICE_PARENT_ID, row, row - 1);
        if (i % 4 == 0)
            orma_table_set(t, ORMA_SLICE_ARG_SET_ID, row, make_args(m, i / 4));
    }
}

static void make_sched(struct maker *m, uint32_t rows)
{
    struct orma_table *t = &m->st->tables[ORMA_TABLE_SCHED_SLICE];
    struct orma_table *cpus = &m->st->tables[ORMA_TABLE_CPU];
    static const char *const states[] = {"S", "R", "D", "R+"};
    int64_t at[CPUS], lengths[CPUS];

    for (uint32_t i = 0; i < CPUS; i++) {
        uint32_t row = orma_table_add(cpus);

        orma_table_set(cpus, ORMA_CPU_CPU, row, i);
        at[i] = 1000000000 + i * 1000;
        lengths[i] = 0;
    }
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t row = orma_table_add(t), cpu = i % CPUS;

        lengths[cpu] = 8000 + (int64_t)(i % 977);
        orma_table_set_time(t, ORMA_SCHED_SLICE_TS, row, at[cpu]);
        orma_table_set(t, ORMA_SCHED_SLICE_DUR, row, lengths[cpu]);
        orma_table_set(t, ORMA_SCHED_SLICE_UTID, row, random_below(m, THREADS));
        orma_table_set(t, ORMA_SCHED_SLICE_UCPU, row, cpu);
        orma_table_set(t, ORMA_SCHED_SLICE_PRIORITY, row, 120 - (int64_t)random_below(m, 20));
        orma_table_set(t, ORMA_SCHED_SLICE_END_STATE, row,
                       orma_storage_cstr(m->st, states[random_below(m, 4)]));
        at[cpu] += 9000;
    }
}

static void make_counters(struct maker *m, uint32_t rows)
{
    struct orma_table *t = &m->st->tables[ORMA_TABLE_COUNTER];
    struct orma_table *tracks = &m->st->tables[ORMA_TABLE_TRACK];
    uint32_t counter = orma_storage_cstr(m->st, "counter"), first = 0;

    for (uint32_t i = 0; i < CPUS; i++) {
        struct orma_args_list list = {0};
        uint32_t track = orma_table_add(tracks);

        first = i ? first : track;
        orma_table_set(tracks, ORMA_TRACK_EVENT_TYPE, track, counter);
        orma_table_set(tracks, ORMA_TRACK_TYPE, track, orma_storage_cstr(m->st, "cpu_frequency"));
        orma_table_set(tracks, ORMA_TRACK_NAME, track, orma_storage_cstr(m->st, "cpufreq"));
        orma_args_put_int(&list, orma_storage_cstr(m->st, "cpu"), i);
        orma_table_set(tracks, ORMA_TRACK_DIMENSION_ARG_SET_ID, track,
                       orma_args_commit(&m->st->args, &list));
        orma_args_list_fini(&list);
    }
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t row = orma_table_add(t);

        orma_table_set_time(t, ORMA_COUNTER_TS, row, 1000000000 + (int64_t)i * 4500);
        orma_table_set(t, ORMA_COUNTER_TRACK_ID, row, first + i % CPUS);
        orma_table_set_double(t, ORMA_COUNTER_VALUE, row,
                              300000 + (double)random_below(m, 20) * 100000 + (i % 64 ? 0 : 0.5));
    }
}

static void make_flows(struct maker *m, uint32_t rows, uint32_t slices)
{
    struct orma_table *t = &m->st->tables[ORMA_TABLE_FLOW];

    for (uint32_t i = 0; i < rows && slices > 40; i++) {
        uint32_t row = orma_table_add(t), out = random_below(m, slices - 20);

        orma_table_set(t, ORMA_FLOW_SLICE_OUT, row, out);
        orma_table_set(t, ORMA_FLOW_SLICE_IN, row, out + 1 + random_below(m, 19));
    }
}

void sql_rows_fill(struct orma_storage *storage, uint32_t rows)
{
    struct maker m = {.st = storage, .seed = 42};

    make_names(&m);
    make_threads(&m);
    make_slices(&m, rows);
    make_sched(&m, rows);
    make_counters(&m, rows / 4);
    make_flows(&m, rows / 4, rows);
}

static int fail(sqlite3 *db, const char *what)
{
    fprintf(stderr, "%s: %s\n", what, sqlite3_errmsg(db));
    return -1;
}

static int copy_rows(sqlite3_stmt *from, sqlite3_stmt *to)
{
    int columns = sqlite3_column_count(from), r;

    while ((r = sqlite3_step(from)) == SQLITE_ROW) {
        for (int i = 0; i < columns; i++)
            sqlite3_bind_value(to, i + 1, sqlite3_column_value(from, i));
        if (sqlite3_step(to) != SQLITE_DONE)
            return -1;
        sqlite3_reset(to);
    }
    return r == SQLITE_DONE ? 0 : -1;
}

static int copy_table(struct orma_sql *sql, sqlite3 *plain, const char *name)
{
    sqlite3_stmt *from = NULL, *to = NULL;
    char *select = sqlite3_mprintf("SELECT * FROM %s", name);
    char *create = sqlite3_mprintf("CREATE TABLE %s(", name);
    char *insert = sqlite3_mprintf("INSERT INTO %s VALUES(", name);
    int r = sqlite3_prepare_v2(sql->db, select, -1, &from, NULL) ? fail(sql->db, select) : 0;

    for (int i = 0, num = r ? 0 : sqlite3_column_count(from); i < num; i++) {
        const char *column = sqlite3_column_name(from, i), *type = sqlite3_column_decltype(from, i);
        const char *end = i + 1 < num ? "," : ")";

        create = sqlite3_mprintf("%z%s %s%s", create, column,
                                 !strcmp(column, "id") ? "INTEGER PRIMARY KEY"
                                 : type                ? type
                                                       : "",
                                 end);
        insert = sqlite3_mprintf("%z?%s", insert, end);
    }
    if (!r && (sqlite3_exec(plain, create, NULL, NULL, NULL) ||
               sqlite3_prepare_v2(plain, insert, -1, &to, NULL)))
        r = fail(plain, create);
    if (!r && copy_rows(from, to))
        r = fail(plain, name);
    sqlite3_finalize(from);
    sqlite3_finalize(to);
    sqlite3_free(select);
    sqlite3_free(create);
    sqlite3_free(insert);
    return r;
}

int sql_rows_copy(struct orma_sql *sql, sqlite3 *plain, bool indexes)
{
    static const char *const tables[] = {"slice",   "sched", "counter",      "thread",
                                         "process", "flow",  "thread_track", "cpu_counter_track",
                                         "args"};
    static const char make_indexes[] =
        "CREATE INDEX slice_ts ON slice(ts); CREATE INDEX slice_track ON slice(track_id);"
        "CREATE INDEX slice_name ON slice(name); CREATE INDEX slice_parent ON slice(parent_id);"
        "CREATE INDEX slice_dur ON slice(dur);"
        "CREATE INDEX sched_ts ON sched(ts); CREATE INDEX sched_utid ON sched(utid);"
        "CREATE INDEX sched_cpu ON sched(cpu);"
        "CREATE INDEX counter_ts ON counter(ts); CREATE INDEX counter_track ON counter(track_id);"
        "CREATE INDEX thread_utid ON thread(utid); CREATE INDEX thread_upid ON thread(upid);"
        "CREATE INDEX process_upid ON process(upid); CREATE INDEX flow_out ON flow(slice_out);"
        "CREATE INDEX flow_in ON flow(slice_in); CREATE INDEX track_utid ON thread_track(utid);"
        "CREATE INDEX args_set ON args(arg_set_id, key); ANALYZE;";

    for (size_t i = 0; i < ORMA_ARRAY_LEN(tables); i++) {
        if (copy_table(sql, plain, tables[i]))
            return -1;
    }
    if (indexes && sqlite3_exec(plain, make_indexes, NULL, NULL, NULL))
        return fail(plain, "indexes");
    return 0;
}
