#include "tests/support/hostile_sql.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "processor/sql/script/runner.h"

static const char *const constants[] = {
    "NULL",
    "0",
    "1",
    "-1",
    "2",
    "7",
    "100",
    "255",
    "4096",
    "65536",
    "2147483647",
    "2147483648",
    "-2147483648",
    "-2147483649",
    "4294967295",
    "4294967296",
    "1000000007",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775806",
    "0.5",
    "-0.0",
    "1e308",
    "-1e308",
    "9e999",
    "-9e999",
    "1e-308",
    "9.3e18",
    "-9.3e18",
    "1e999-1e999",
    "''",
    "'x'",
    "'0'",
    "'-1'",
    "'slice'",
    "'nope'",
    "'id'",
    "'ts,dur'",
    "'*'",
    "'('",
    "'[a-'",
    "'(a+)+$'",
    "'%s%n%d'",
    "'{'",
    "'[]'",
    "'{}'",
    "'{\"a\":[1,{\"b\":null}]}'",
    "'[[[[[[[['",
    "'$.a[0]'",
    "'$'",
    "'2024-01-31'",
    "'now'",
    "'debug.x'",
    "'a.b.c[0].d'",
    "'utid'",
    "'upid'",
    "'\xff\xfe\x80'",
    "'\xc3\xa9\xf0\x9f\x98\x80'",
    "char(0)",
    "char(0,1,0x10ffff)",
    "x''",
    "x'00'",
    "x'ff'",
    "x'0a050a03616263'",
    "x'ffffffffffffffffffff01'",
    "x'1f8b0800'",
    "x'789c'",
    "x'28b52ffd'",
    "zeroblob(1000)",
    "zeroblob(70000)",
    "randomblob(33)",
    "hex(zeroblob(3000))",
    "replace(hex(zeroblob(200)),'0','ab')",
    "printf('%.*c',5000,'[')",
    "printf('%.*c',9000,'(')",
    "(SELECT count(*) FROM slice)",
    "(SELECT max(id) FROM slice)",
    "(SELECT 1 WHERE 0)",
    "(SELECT min(ts) FROM slice)",
    "(SELECT max(arg_set_id) FROM args)",
};

/* Pointers that operators hand each other, of the right kind for somebody else. */
static const char *const pointers[] = {
    "(SELECT __intrinsic_array_agg(id) FROM slice)",
    "(SELECT __intrinsic_array_agg(name) FROM slice)",
    "(SELECT __intrinsic_array_agg(NULL) FROM slice)",
    "(SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur) FROM slice)",
    "(SELECT __intrinsic_interval_tree_intervals_agg(id, ts, abs(dur), depth) FROM slice)",
    "(SELECT __intrinsic_graph_agg(id, parent_id) FROM slice)",
    "(SELECT __intrinsic_graph_agg(depth, id) FROM slice)",
    "(SELECT __intrinsic_row_dataframe_agg('id', id, 'x', dur) FROM slice)",
    "(SELECT __intrinsic_row_dataframe_agg('x', name) FROM slice)",
    "(SELECT __intrinsic_tree_from_table(id, parent_id, 'd', dur) FROM slice)",
    "(SELECT __intrinsic_timestamp_set_agg(ts) FROM slice)",
    "(SELECT __intrinsic_counter_per_track_agg(id, ts, depth, dur) FROM slice)",
    "(SELECT __intrinsic_wakeup_graph_agg(id, parent_id, parent_id, depth, ts, dur) FROM slice)",
    "(SELECT __intrinsic_symbolize_agg('m', 'b', id, ts) FROM slice)",
    "__intrinsic_flamegraph_config('name', 1)",
    "__intrinsic_struct('a', 1)",
    "hp1()",
    "hp2()",
    "hp3((SELECT __intrinsic_array_agg(id) FROM slice))",
};

static const char *const columns[] = {"a.id",       "a.ts",        "a.dur",
                                      "a.name",     "a.parent_id", "a.arg_set_id",
                                      "a.track_id", "a.depth",     "a.rowid"};

static uint64_t random_u64(struct hostile_sql *self)
{
    self->state ^= self->state << 13;
    self->state ^= self->state >> 7;
    self->state ^= self->state << 17;
    return self->state;
}

static size_t pick(struct hostile_sql *self, size_t num)
{
    return num ? random_u64(self) % num : 0;
}

/* ---- what there is ---- */

static size_t names_num(const struct orma_buf *names)
{
    return names->len / sizeof(struct hostile_name);
}

static const struct hostile_name *name_at(const struct orma_buf *names, size_t idx)
{
    return (const struct hostile_name *)(const void *)names->data + idx;
}

static int list(struct orma_sql *sql, const char *query, struct orma_buf *ret)
{
    sqlite3_stmt *stmt = NULL;
    int r = sqlite3_prepare_v2(sql->db, query, -1, &stmt, NULL);

    while (!r && sqlite3_step(stmt) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(stmt, 0);
        struct hostile_name n = {strdup(text ? text : ""), sqlite3_column_int(stmt, 1)};

        orma_buf_put(ret, &n, sizeof(n));
    }
    sqlite3_finalize(stmt);
    return r || ret->failed ? -ENOMEM : 0;
}

/* Functions that hand on pointers. */
static const char setup[] =
    "CREATE OR REPLACE PERFETTO FUNCTION hp1() RETURNS ANY AS SELECT "
    "__intrinsic_row_dataframe_agg('id', id, 'x', dur) FROM slice;"
    "CREATE OR REPLACE PERFETTO FUNCTION hp2() RETURNS ANY AS SELECT "
    "__intrinsic_interval_tree_intervals_agg(id, ts, dur) FROM slice;"
    "CREATE OR REPLACE PERFETTO FUNCTION hp3(x ANY) RETURNS ANY AS SELECT $x";

int hostile_sql_prepare(struct orma_sql *sql)
{
    return hostile_sql_run(sql, setup, 1);
}

int hostile_sql_init(struct hostile_sql *self, struct orma_sql *sql, uint64_t seed)
{
    *self = (struct hostile_sql){.state = seed * 0x9e3779b97f4a7c15u + 1};
    for (int i = 0; i < 8; i++)
        (void)random_u64(self);
    int r = hostile_sql_prepare(sql);
    if (!r)
        r = list(sql, "SELECT DISTINCT name, narg FROM pragma_function_list ORDER BY 1, 2",
                 &self->functions);
    if (!r)
        r = list(sql,
                 "SELECT name, 0 FROM sqlite_master WHERE type IN ('table', 'view') UNION "
                 "SELECT name, 0 FROM pragma_module_list WHERE name NOT GLOB 'pragma_*' ORDER BY 1",
                 &self->tables);
    if (!r)
        r = list(sql, "SELECT name, 0 FROM pragma_module_list ORDER BY 1", &self->table_funcs);
    if (!r)
        r = list(sql, "SELECT DISTINCT module, 0 FROM __intrinsic_stdlib_objects ORDER BY 1",
                 &self->modules);
    return r;
}

static void names_fini(struct orma_buf *names)
{
    for (size_t i = 0; i < names_num(names); i++)
        free(name_at(names, i)->name);
    orma_buf_fini(names);
}

void hostile_sql_fini(struct hostile_sql *self)
{
    names_fini(&self->functions);
    names_fini(&self->tables);
    names_fini(&self->table_funcs);
    names_fini(&self->modules);
    orma_buf_fini(&self->text);
}

size_t hostile_sql_functions(const struct hostile_sql *self)
{
    return names_num(&self->functions);
}

size_t hostile_sql_tables(const struct hostile_sql *self)
{
    return names_num(&self->tables);
}

size_t hostile_sql_table_funcs(const struct hostile_sql *self)
{
    return names_num(&self->table_funcs);
}

size_t hostile_sql_modules(const struct hostile_sql *self)
{
    return names_num(&self->modules);
}

/* ---- statements ---- */

static void put(struct hostile_sql *self, const char *text)
{
    orma_buf_put_str(&self->text, text);
}

static void put_args(struct hostile_sql *self, int num, bool over_rows, int depth);

static void put_call(struct hostile_sql *self, const struct hostile_name *f, bool over_rows,
                     int depth)
{
    orma_buf_printf(&self->text, "\"%s\"(", f->name);
    put_args(self, f->args < 0 ? (int)pick(self, 6) : f->args, over_rows, depth);
    put(self, ")");
}

static void put_value(struct hostile_sql *self, bool over_rows, int depth)
{
    size_t kind = pick(self, 12);

    if (kind < 3 && over_rows)
        put(self, columns[pick(self, ORMA_ARRAY_LEN(columns))]);
    else if (kind == 3)
        put(self, pointers[pick(self, ORMA_ARRAY_LEN(pointers))]);
    else if (kind == 4 && depth < 3)
        put_call(self, name_at(&self->functions, pick(self, names_num(&self->functions))),
                 over_rows, depth + 1);
    else
        put(self, constants[pick(self, ORMA_ARRAY_LEN(constants))]);
}

static void put_args(struct hostile_sql *self, int num, bool over_rows, int depth)
{
    for (int i = 0; i < num; i++) {
        put(self, i ? ", " : "");
        put_value(self, over_rows, depth);
    }
}

static const char *done(struct hostile_sql *self)
{
    return orma_buf_cstr(&self->text);
}

const char *hostile_sql_call(struct hostile_sql *self, size_t idx)
{
    const struct hostile_name *f = name_at(&self->functions, idx);
    size_t kind = pick(self, 6);

    orma_buf_clear(&self->text);
    put(self, "SELECT ");
    put_call(self, f, kind > 1, 0);
    if (kind == 3)
        put(self, " OVER (ORDER BY a.ts ROWS 2 PRECEDING)");
    if (kind == 4)
        put(self, " OVER (PARTITION BY a.depth ORDER BY a.id DESC)");
    if (kind > 1)
        put(self, " FROM slice a");
    if (kind == 5)
        put(self, " GROUP BY a.depth");
    return done(self);
}

const char *hostile_sql_call_table(struct hostile_sql *self, size_t idx)
{
    size_t kind = pick(self, 8);
    const char *name = name_at(&self->table_funcs, idx)->name;

    orma_buf_clear(&self->text);
    if (kind == 0) {
        orma_buf_printf(&self->text, "CREATE VIRTUAL TABLE temp.hv USING \"%s\"(", name);
        put_args(self, (int)pick(self, 4), false, 0);
        put(self, "); SELECT * FROM hv LIMIT 20; DROP TABLE hv");
        return done(self);
    }
    put(self, kind == 1 ? "SELECT * FROM slice a, \"" : "SELECT * FROM \"");
    orma_buf_printf(&self->text, "%s\"(", name);
    put_args(self, (int)pick(self, 6), kind == 1, 0);
    put(self, ") LIMIT 20");
    return done(self);
}

const char *hostile_sql_read(struct hostile_sql *self, size_t idx)
{
    static const char *const ops[] = {"=",  "<",    ">=",     "<>",   "IS",     "IS NOT",
                                      "IN", "LIKE", "REGEXP", "GLOB", "BETWEEN"};
    const char *name = name_at(&self->tables, idx)->name;
    size_t op = pick(self, 2 * ORMA_ARRAY_LEN(ops));

    orma_buf_clear(&self->text);
    orma_buf_printf(&self->text, "SELECT * FROM \"%s\" a", name);
    if (op < ORMA_ARRAY_LEN(ops)) {
        orma_buf_printf(&self->text, " WHERE %s %s ", columns[pick(self, ORMA_ARRAY_LEN(columns))],
                        ops[op]);
        put(self, op == 6 ? "(" : "");
        put_value(self, false, 2);
        put(self, op == 6 ? ", " : op == 10 ? " AND " : "");
        if (op == 6 || op == 10)
            put_value(self, false, 2);
        put(self, op == 6 ? ")" : "");
    }
    if (pick(self, 3) == 0)
        orma_buf_printf(&self->text, " ORDER BY %zu%s", 1 + pick(self, 6),
                        pick(self, 2) ? " DESC" : "");
    put(self, pick(self, 2) ? " LIMIT 3000" : "");
    return done(self);
}

const char *hostile_sql_include(struct hostile_sql *self, size_t idx)
{
    orma_buf_clear(&self->text);
    orma_buf_printf(&self->text, "INCLUDE PERFETTO MODULE %s", name_at(&self->modules, idx)->name);
    return done(self);
}

/* What changes while it is read, is made of itself, or is not ended. */
static const char *const scripts[] = {
    "CREATE OR REPLACE PERFETTO TABLE ht AS SELECT id, ts, dur, name FROM slice; SELECT "
    "(SELECT count(*) FROM ht b WHERE b.id = a.id) FROM ht a; DROP TABLE ht",
    "CREATE OR REPLACE PERFETTO TABLE ht AS SELECT id, ts FROM slice; CREATE PERFETTO INDEX hi ON "
    "ht(id); CREATE OR REPLACE PERFETTO TABLE ht AS SELECT * FROM ht; SELECT * FROM ht WHERE id=1; "
    "DROP PERFETTO INDEX hi ON ht; DROP TABLE ht",
    "CREATE OR REPLACE PERFETTO FUNCTION hf(x LONG) RETURNS LONG AS SELECT max(id) + $x FROM "
    "slice; "
    "CREATE OR REPLACE PERFETTO FUNCTION hf(x LONG) RETURNS LONG AS SELECT hf($x); SELECT hf(1)",
    "BEGIN; CREATE PERFETTO TABLE hb AS SELECT 1 AS a; SELECT * FROM hb; ROLLBACK; SELECT * FROM "
    "hb",
    "BEGIN; CREATE PERFETTO TABLE hc AS SELECT id FROM slice; SAVEPOINT s; DROP TABLE hc; ROLLBACK "
    "TO s; SELECT * FROM hc; COMMIT; DROP TABLE hc",
    "SELECT orma_slice(orma_track(name), ts, dur, name) FROM slice LIMIT 100; SELECT * FROM slice",
    "SELECT orma_counter(orma_counter_track(name, 'x'), ts, dur) FROM slice LIMIT 100; SELECT * "
    "FROM counter",
    "CREATE OR REPLACE PERFETTO MACRO hm(x Expr) RETURNS Expr AS $x + $x; SELECT "
    "hm!(hm!(hm!(hm!(1))))",
    "CREATE VIEW IF NOT EXISTS hv1 AS SELECT ts, dur, track_id, name FROM slice; DROP TABLE IF "
    "EXISTS hs; CREATE VIRTUAL TABLE hs USING SPAN_JOIN(hv1 PARTITIONED track_id, sched "
    "PARTITIONED cpu); SELECT * FROM hs",
    "SELECT * FROM slice a JOIN args USING (arg_set_id) ORDER BY value DESC",
    "SELECT * FROM thread_state JOIN thread USING (utid) LEFT JOIN process USING (upid)",
    "SELECT count(*), sum(dur), min(name), max(ts) FROM slice GROUP BY track_id, name, depth",
    "SELECT extract_arg(arg_set_id, key) FROM args",
    "SELECT to_ftrace(id) FROM ftrace_event LIMIT 500",
    "SELECT * FROM slice s, ancestor_slice(s.id) LIMIT 2000",
    "SELECT * FROM slice s, descendant_slice(s.id) LIMIT 2000",
    "SELECT * FROM slice s, following_flow(s.id) LIMIT 2000",
    "SELECT layout_depth FROM experimental_slice_layout((SELECT group_concat(id) FROM track))",
    "SELECT * FROM stack_profile_callsite s, experimental_annotated_callstack(s.id) LIMIT 2000",
    "SELECT name, value FROM stats WHERE value > 0; SELECT * FROM loss",
    "SELECT export_to_firefox(); SELECT run_metric('x')",
};

const char *hostile_sql_any(struct hostile_sql *self)
{
    switch (pick(self, 10)) {
    case 0:
    case 1:
        return scripts[pick(self, ORMA_ARRAY_LEN(scripts))];
    case 2:
    case 3:
        return hostile_sql_call_table(self, pick(self, names_num(&self->table_funcs)));
    case 4:
    case 5:
        return hostile_sql_read(self, pick(self, names_num(&self->tables)));
    case 6:
        return hostile_sql_include(self, pick(self, names_num(&self->modules)));
    default:
        return hostile_sql_call(self, pick(self, names_num(&self->functions)));
    }
}

/* ---- running ---- */

static void read_row(sqlite3_stmt *stmt)
{
    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        const char *text = (const char *)sqlite3_column_text(stmt, i);

        (void)(text ? strlen(text) : 0);
        (void)sqlite3_column_bytes(stmt, i);
        (void)sqlite3_column_double(stmt, i);
    }
}

int hostile_sql_run(struct orma_sql *sql, const char *text, int rows_max)
{
    struct orma_runner *runner;
    struct orma_sql_stmt *stmt;
    int r = orma_runner_new(sql, "File \"hostile\"", orma_str_from(text), &runner);

    if (r < 0)
        return r;
    while ((r = orma_runner_next(runner, &stmt)) > 0) {
        (void)orma_sql_stmt_has_output(stmt);
        for (int rows = 0; rows < rows_max && (r = orma_sql_stmt_step(stmt)) > 0; rows++)
            read_row(stmt->stmt);
        orma_sql_stmt_free(stmt);
        if (r < 0)
            break;
    }
    orma_runner_free(runner);
    (void)strlen(orma_sql_error_text(sql));
    return r;
}
