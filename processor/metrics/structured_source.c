/* Where the rows of structured queries come from. */
#include "processor/metrics/structured_gen.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "processor/sql/dialect/script.h"
#include "processor/sql/dialect/token.h"
#include "processor/sql/script/runner.h"

/* ---- sources: each returns the number of its clause, or -errno ---- */

static int run(struct orma_sq_gen *g, struct orma_str script, const char *what)
{
    struct orma_runner *runner = NULL;
    struct orma_sql_stmt *stmt;

    if (g->s->inlined)
        return 0; /* it ran when the table was made */
    int r = orma_runner_new(g->s->sql, "Structured query", script, &runner);

    while (r == 0 && (r = orma_runner_next(runner, &stmt)) > 0) {
        bool output = orma_sql_stmt_has_output(stmt);

        r = orma_sql_stmt_step(stmt);
        if (r > 0 && output)
            r = orma_sq_fail(g, "%s must not return rows", what);
        while (r > 0)
            r = orma_sql_stmt_step(stmt);
        orma_sql_stmt_free(stmt);
    }
    orma_runner_free(runner);
    return r < 0 && !g->s->error.len ? orma_sq_sql_failed(g, r) : r;
}

int orma_sq_include(struct orma_sq_gen *g, struct orma_str module)
{
    struct orma_buf text = {0}, *noted = g->s->modules;

    if (noted && !orma_sq_in_list(noted, module))
        orma_sq_note(noted, module);
    orma_buf_printf(&text, "INCLUDE PERFETTO MODULE %.*s;", ORMA_STR_ARG(module));
    int r = run(g, orma_buf_str(&text), "a module");
    orma_buf_fini(&text);
    return r;
}

/* Where the last statement of a script begins and ends. */
static void last_statement(struct orma_str text, uint32_t *ret_at, uint32_t *ret_end)
{
    uint32_t at = 0, begin = 0, end = 0;
    bool open = false;

    for (struct orma_token t = orma_token_next_solid(text, 0); t.kind != ORMA_TOK_END;
         t = orma_token_next_solid(text, t.at + t.len)) {
        if (t.kind == ORMA_TOK_SEMICOLON) {
            open = false;
            continue;
        }
        if (!open)
            at = t.at;
        open = true;
        begin = at;
        end = t.at + t.len;
    }
    *ret_at = begin;
    *ret_end = end;
}

/* The query of a dependency by its alias: the number of its clause, -1 if there is none. */
static int find_dependency(struct orma_str sql, struct orma_str alias, struct orma_str *ret)
{
    struct orma_pb_reader r = orma_sq_reader(sql);
    struct orma_str dep, name;
    int at = 0;

    for (; orma_sq_next_str(&r, SQ(SQL_DEPENDENCIES), &dep); at++) {
        if (orma_msg_str(dep, SQ(SQL_DEPENDENCY_ALIAS), &name) && orma_str_eq(name, alias))
            return orma_msg_str(dep, SQ(SQL_DEPENDENCY_QUERY), ret) ? at : -1;
    }
    return -1;
}

#define DEPENDENCIES_MAX 32

/* Copies a statement, $alias replaced by the clause of the dependency. */
static int put_sql(struct orma_sq_gen *g, struct orma_str sql, struct orma_str text,
                   struct orma_buf *out)
{
    int clauses[DEPENDENCIES_MAX];

    memset(clauses, 0xff, sizeof(clauses));
    for (struct orma_token t = orma_token_next(text, 0); t.kind != ORMA_TOK_END;
         t = orma_token_next(text, t.at + t.len)) {
        struct orma_str query, word = orma_token_text(text, t);

        if (t.kind != ORMA_TOK_VARIABLE || word.data[0] != '$') {
            orma_buf_put(out, word.data, word.len);
            continue;
        }
        int at = find_dependency(sql, (struct orma_str){word.data + 1, word.len - 1}, &query);
        if (at < 0 || at >= DEPENDENCIES_MAX)
            return orma_sq_fail(g, "%.*s is not a dependency of the SQL", ORMA_STR_ARG(word));
        if (clauses[at] < 0)
            clauses[at] = g->generate(g, query);
        if (clauses[at] < 0)
            return clauses[at];
        orma_buf_printf(out, "sq_%d", clauses[at]);
    }
    return 0;
}

static int from_sql(struct orma_sq_gen *g, struct orma_str msg, struct orma_str sql)
{
    struct orma_str text, preamble, column;
    struct orma_buf body = {0};
    struct orma_pb_reader r = orma_sq_reader(sql);
    uint32_t at, end;
    unsigned num = 0;
    int res = 0;

    (void)orma_msg_str(sql, SQ(SQL_SQL), &text);
    last_statement(text, &at, &end);
    if (at == end)
        return orma_sq_fail(g, "the sql is empty");
    if (orma_msg_str(sql, SQ(SQL_PREAMBLE), &preamble) && preamble.len)
        res = run(g, preamble, "a preamble");
    if (!res && at)
        res = run(g, (struct orma_str){text.data, at}, "statements before the last one");
    orma_buf_put_str(&body, "SELECT ");
    while (orma_sq_next_str(&r, SQ(SQL_COLUMN_NAMES), &column)) {
        orma_buf_put_str(&body, num++ ? ", " : "");
        orma_sq_put_name(&body, column);
    }
    orma_buf_put_str(&body, num ? " FROM (" : "* FROM (");
    if (!res)
        res = put_sql(g, sql, (struct orma_str){text.data + at, end - at}, &body);
    orma_buf_put_str(&body, ")");
    (void)msg;
    res = res < 0 ? res : orma_sq_add_clause(g, &body);
    orma_buf_fini(&body);
    return res;
}

static int from_table(struct orma_sq_gen *g, struct orma_str table)
{
    struct orma_str name, module;
    struct orma_buf body = {0};
    int r = 0;

    (void)orma_msg_str(table, SQ(TABLE_TABLE_NAME), &name);
    if (!name.len)
        return orma_sq_fail(g, "a table needs a name");
    if (orma_msg_str(table, SQ(TABLE_MODULE_NAME), &module) && module.len)
        r = orma_sq_include(g, module);
    orma_buf_put_str(&body, "SELECT * FROM ");
    orma_sq_put_name(&body, name);
    r = r < 0 ? r : orma_sq_add_clause(g, &body);
    orma_buf_fini(&body);
    return r;
}

static int from_simple_slices(struct orma_sq_gen *g, struct orma_str slices)
{
    static const char *const columns[] = {NULL, "slice_name", "thread_name", "process_name",
                                          "track_name"};
    struct orma_buf body = {0};
    unsigned num = 0;
    int r = orma_sq_include(g, ORMA_STR("slices.with_context"));

    orma_buf_put_str(&body, "SELECT id, ts, dur, slice_name, thread_name, process_name, track_name "
                            "FROM (SELECT id, ts, dur, name AS slice_name, thread_name, "
                            "process_name, track_name FROM thread_or_process_slice)");
    for (uint32_t id = 1; id < ORMA_ARRAY_LEN(columns); id++) {
        struct orma_str glob;

        if (!orma_msg_str(slices, id, &glob) || !glob.len)
            continue;
        orma_buf_printf(&body, "%s%s GLOB ", num++ ? " AND " : "\nWHERE ", columns[id]);
        orma_sql_put_literal(&body, glob);
    }
    r = r < 0 ? r : orma_sq_add_clause(g, &body);
    orma_buf_fini(&body);
    return r;
}

#define INTERSECT_MAX 15

static int put_intersect(struct orma_sq_gen *g, struct orma_str ii, const int *clauses, int num,
                         struct orma_buf *body)
{
    struct orma_pb_reader r = orma_sq_reader(ii);
    struct orma_buf parts = {0}, seen = {0};
    struct orma_str part;
    int res = 0;

    orma_buf_put_str(body, "SELECT ii.ts, ii.dur");
    orma_sq_note(&seen, ORMA_STR("ts"));
    orma_sq_note(&seen, ORMA_STR("dur"));
    while (res == 0 && orma_sq_next_str(&r, SQ(INTERVAL_INTERSECT_PARTITION_COLUMNS), &part)) {
        if (!part.len || orma_sq_in_list(&seen, part) || orma_word_eq(part, ORMA_STR("id"))) {
            res = orma_sq_fail(
                g, "partition column '%.*s': they must be distinct, and not id, ts or dur",
                ORMA_STR_ARG(part));
            break;
        }
        orma_buf_put_str(body, ", ii.");
        orma_sq_put_name(body, part);
        orma_buf_put_str(&parts, parts.len ? ", " : "");
        orma_sq_put_name(&parts, part);
        orma_sq_note(&seen, part);
    }
    for (int i = 0; i < num && res == 0; i++) {
        char prefix[16];

        snprintf(prefix, sizeof(prefix), "s%d", i);
        for (int k = 0; k < 3; k++) {
            static const char *const names[] = {"id", "ts", "dur"};
            char name[16];

            snprintf(name, sizeof(name), "%s_%d", names[k], i);
            orma_buf_printf(body, ", s%d.%s AS %s", i, names[k], name);
            orma_sq_note(&seen, orma_str_from(name));
        }
        res = orma_sq_put_new_columns(g, clauses[i], prefix, &seen, body);
    }
    orma_buf_put_str(body, "\nFROM _interval_intersect!((");
    for (int i = 0; i < num; i++)
        orma_buf_printf(body, "%ssq_%d", i ? ", " : "", clauses[i]);
    orma_buf_printf(body, "), (%s)) AS ii", orma_buf_cstr(&parts));
    for (int i = 0; i < num; i++)
        orma_buf_printf(body, "\nJOIN sq_%d AS s%d ON ii.id_%d = s%d.id", clauses[i], i, i, i);
    orma_buf_fini(&parts);
    orma_buf_fini(&seen);
    return res;
}

static int from_intersect(struct orma_sq_gen *g, struct orma_str ii)
{
    struct orma_pb_reader r = orma_sq_reader(ii);
    struct orma_buf body = {0};
    struct orma_str query;
    int clauses[INTERSECT_MAX], num = 0;
    int res = orma_sq_include(g, ORMA_STR("intervals.intersect"));

    if (res == 0)
        res = orma_sq_inner(g, ii, SQ(INTERVAL_INTERSECT_BASE), "base");
    if (res >= 0)
        clauses[num++] = res;
    while (res >= 0 && orma_sq_next_str(&r, SQ(INTERVAL_INTERSECT_INTERVAL_INTERSECT), &query)) {
        if (num == INTERSECT_MAX)
            return orma_sq_fail(g, "more than %d interval sets to intersect", INTERSECT_MAX);
        res = g->generate(g, query);
        clauses[num++] = res;
    }
    if (res >= 0 && num < 2)
        res = orma_sq_fail(g, "interval_intersect needs one more query besides the base");
    if (res >= 0)
        res = put_intersect(g, ii, clauses, num, &body);
    res = res < 0 ? res : orma_sq_add_clause(g, &body);
    orma_buf_fini(&body);
    return res;
}

/* " ON ..." of a join; the default aliases, or those of the condition. */
struct condition {
    struct orma_str left, right; /* aliases */
    struct orma_str expr;
    struct orma_str left_column, right_column;
};

static int read_condition(struct orma_sq_gen *g, struct orma_str msg, uint32_t equality,
                          uint32_t freeform, struct condition *ret)
{
    struct orma_str part;

    *ret = (struct condition){ORMA_STR("l"), ORMA_STR("r"), {0}, {0}, {0}};
    if (orma_msg_str(msg, equality, &part)) {
        (void)orma_msg_str(part, SQ(EXPERIMENTAL_JOIN_EQUALITY_COLUMNS_LEFT_COLUMN),
                           &ret->left_column);
        (void)orma_msg_str(part, SQ(EXPERIMENTAL_JOIN_EQUALITY_COLUMNS_RIGHT_COLUMN),
                           &ret->right_column);
        if (!ret->left_column.len || !ret->right_column.len)
            return orma_sq_fail(g, "a join needs a column from each side");
        return 0;
    }
    if (!orma_msg_str(msg, freeform, &part))
        return orma_sq_fail(g, "a join needs a condition");
    (void)orma_msg_str(part, SQ(EXPERIMENTAL_JOIN_FREEFORM_CONDITION_LEFT_QUERY_ALIAS), &ret->left);
    (void)orma_msg_str(part, SQ(EXPERIMENTAL_JOIN_FREEFORM_CONDITION_RIGHT_QUERY_ALIAS),
                       &ret->right);
    (void)orma_msg_str(part, SQ(EXPERIMENTAL_JOIN_FREEFORM_CONDITION_SQL_EXPRESSION), &ret->expr);
    if (!orma_word_is_plain(ret->left) || !orma_word_is_plain(ret->right) || !ret->expr.len ||
        orma_word_eq(ret->left, ret->right))
        return orma_sq_fail(g,
                            "a join by expression needs two different aliases and the expression");
    return 0;
}

static void put_join(const struct condition *c, int left, int right, bool keep,
                     struct orma_buf *out)
{
    orma_buf_printf(out, "\nFROM sq_%d AS %.*s\n%sJOIN sq_%d AS %.*s ON ", left,
                    ORMA_STR_ARG(c->left), keep ? "LEFT " : "", right, ORMA_STR_ARG(c->right));
    if (c->expr.len) {
        orma_buf_printf(out, "(%.*s)", ORMA_STR_ARG(c->expr));
        return;
    }
    orma_buf_printf(out, "%.*s.", ORMA_STR_ARG(c->left));
    orma_sq_put_name(out, c->left_column);
    orma_buf_printf(out, " = %.*s.", ORMA_STR_ARG(c->right));
    orma_sq_put_name(out, c->right_column);
}

static int put_all_columns(struct orma_sq_gen *g, int clause, struct orma_str alias,
                           struct orma_buf *seen, struct orma_buf *out)
{
    char prefix[128];

    snprintf(prefix, sizeof(prefix), "%.*s", (int)ORMA_MIN(alias.len, 120u), alias.data);
    return orma_sq_put_new_columns(g, clause, prefix, seen, out);
}

static int from_join(struct orma_sq_gen *g, struct orma_str join)
{
    struct orma_buf body = {0}, seen = {0};
    struct condition c;
    int64_t type;
    int left, right = -1, r;

    (void)orma_msg_int(join, SQ(EXPERIMENTAL_JOIN_TYPE), &type);
    r = read_condition(g, join, SQ(EXPERIMENTAL_JOIN_EQUALITY_COLUMNS),
                       SQ(EXPERIMENTAL_JOIN_FREEFORM_CONDITION), &c);
    left = r < 0 ? r : orma_sq_inner(g, join, SQ(EXPERIMENTAL_JOIN_LEFT_QUERY), "left_query");
    r = left;
    if (r >= 0)
        r = right = orma_sq_inner(g, join, SQ(EXPERIMENTAL_JOIN_RIGHT_QUERY), "right_query");
    orma_buf_put_str(&body, "SELECT ");
    if (r >= 0)
        r = put_all_columns(g, left, c.left, &seen, &body);
    if (r >= 0)
        r = put_all_columns(g, right, c.right, &seen, &body);
    if (r >= 0) {
        put_join(&c, left, right, type == SQ(EXPERIMENTAL_JOIN_LEFT), &body);
        r = orma_sq_add_clause(g, &body);
    }
    orma_buf_fini(&body);
    orma_buf_fini(&seen);
    return r;
}

static int from_add_columns(struct orma_sq_gen *g, struct orma_str add)
{
    struct orma_buf body = {0}, seen = {0};
    struct condition c;
    char prefix[130];
    int core, input = -1, r;

    r = read_condition(g, add, SQ(EXPERIMENTAL_ADD_COLUMNS_EQUALITY_COLUMNS),
                       SQ(EXPERIMENTAL_ADD_COLUMNS_FREEFORM_CONDITION), &c);
    core = r < 0 ? r : orma_sq_inner(g, add, SQ(EXPERIMENTAL_ADD_COLUMNS_CORE_QUERY), "core_query");
    r = core;
    if (r >= 0)
        r = input = orma_sq_inner(g, add, SQ(EXPERIMENTAL_ADD_COLUMNS_INPUT_QUERY), "input_query");
    orma_buf_put_str(&body, "SELECT ");
    if (r >= 0)
        r = put_all_columns(g, core, c.left, &seen, &body);
    if (r >= 0) {
        orma_buf_put_str(&body, ", ");
        snprintf(prefix, sizeof(prefix), "%.*s.", (int)ORMA_MIN(c.right.len, 120u), c.right.data);
        r = orma_sq_put_select_list(g, add, SQ(EXPERIMENTAL_ADD_COLUMNS_INPUT_COLUMNS), prefix,
                                    &body);
        if (r == 0)
            r = orma_sq_fail(g, "add_columns names no columns");
    }
    if (r >= 0) {
        put_join(&c, core, input, true, &body);
        r = orma_sq_add_clause(g, &body);
    }
    orma_buf_fini(&body);
    orma_buf_fini(&seen);
    return r;
}

static int from_union(struct orma_sq_gen *g, struct orma_str msg)
{
    struct orma_pb_reader r = orma_sq_reader(msg);
    struct orma_buf body = {0};
    struct orma_str query;
    int64_t all;
    int num = 0, res = 0;

    (void)orma_msg_int(msg, SQ(EXPERIMENTAL_UNION_USE_UNION_ALL), &all);
    while (res >= 0 && orma_sq_next_str(&r, SQ(EXPERIMENTAL_UNION_QUERIES), &query)) {
        res = g->generate(g, query);
        orma_buf_printf(&body, "%sSELECT * FROM sq_%d",
                        !num++ ? ""
                        : all  ? "\nUNION ALL\n"
                               : "\nUNION\n",
                        res);
    }
    if (res >= 0 && num < 2)
        res = orma_sq_fail(g, "a union needs two queries at least");
    res = res < 0 ? res : orma_sq_add_clause(g, &body);
    orma_buf_fini(&body);
    return res;
}

static int from_create_slices(struct orma_sq_gen *g, struct orma_str msg)
{
    struct orma_str start_ts, end_ts;
    struct orma_buf body = {0};
    int ends = -1, starts, r = orma_sq_include(g, ORMA_STR("intervals.create_intervals"));

    starts =
        r < 0 ? r
              : orma_sq_inner(g, msg, SQ(EXPERIMENTAL_CREATE_SLICES_STARTS_QUERY), "starts_query");
    r = starts;
    if (r >= 0)
        r = ends = orma_sq_inner(g, msg, SQ(EXPERIMENTAL_CREATE_SLICES_ENDS_QUERY), "ends_query");
    if (!orma_msg_str(msg, SQ(EXPERIMENTAL_CREATE_SLICES_STARTS_TS_COLUMN), &start_ts))
        start_ts = ORMA_STR("ts");
    if (!orma_msg_str(msg, SQ(EXPERIMENTAL_CREATE_SLICES_ENDS_TS_COLUMN), &end_ts))
        end_ts = ORMA_STR("ts");
    orma_buf_put_str(&body, "SELECT * FROM _interval_create!((SELECT ");
    orma_sq_put_name(&body, start_ts);
    orma_buf_printf(&body, " AS ts FROM sq_%d), (SELECT ", starts);
    orma_sq_put_name(&body, end_ts);
    orma_buf_printf(&body, " AS ts FROM sq_%d))", ends);
    r = r < 0 ? r : orma_sq_add_clause(g, &body);
    orma_buf_fini(&body);
    return r;
}

static int from_time_range(struct orma_sq_gen *g, struct orma_str msg)
{
    struct orma_buf body = {0};
    int64_t mode, ts, dur;
    bool has_ts = orma_msg_int(msg, SQ(EXPERIMENTAL_TIME_RANGE_TS), &ts);
    bool has_dur = orma_msg_int(msg, SQ(EXPERIMENTAL_TIME_RANGE_DUR), &dur);

    (void)orma_msg_int(msg, SQ(EXPERIMENTAL_TIME_RANGE_MODE), &mode);
    if (mode == SQ(EXPERIMENTAL_TIME_RANGE_STATIC) && (!has_ts || !has_dur))
        return orma_sq_fail(g, "a static time range needs ts and dur");
    orma_buf_put_str(&body, "SELECT 0 AS id, ");
    if (has_ts)
        orma_buf_printf(&body, "%" PRId64 " AS ts, ", ts);
    else
        orma_buf_put_str(&body, "trace_start() AS ts, ");
    if (has_dur)
        orma_buf_printf(&body, "%" PRId64 " AS dur", dur);
    else
        orma_buf_put_str(&body, "trace_end() - trace_start() AS dur");
    int r = orma_sq_add_clause(g, &body);
    orma_buf_fini(&body);
    return r;
}

static int from_counter_intervals(struct orma_sq_gen *g, struct orma_str msg)
{
    struct orma_buf body = {0};
    int r = orma_sq_include(g, ORMA_STR("counters.intervals"));

    if (r >= 0)
        r = orma_sq_inner(g, msg, SQ(EXPERIMENTAL_COUNTER_INTERVALS_INPUT_QUERY), "input_query");
    orma_buf_printf(&body, "SELECT * FROM counter_leading_intervals!(sq_%d)", r);
    r = r < 0 ? r : orma_sq_add_clause(g, &body);
    orma_buf_fini(&body);
    return r;
}

static int from_filter_in(struct orma_sq_gen *g, struct orma_str msg)
{
    struct orma_str column, match_column;
    struct orma_buf body = {0};
    int match = -1, base = orma_sq_inner(g, msg, SQ(EXPERIMENTAL_FILTER_IN_BASE), "base"), r = base;

    if (r >= 0)
        r = match = orma_sq_inner(g, msg, SQ(EXPERIMENTAL_FILTER_IN_MATCH_VALUES), "match_values");
    (void)orma_msg_str(msg, SQ(EXPERIMENTAL_FILTER_IN_BASE_COLUMN), &column);
    (void)orma_msg_str(msg, SQ(EXPERIMENTAL_FILTER_IN_MATCH_COLUMN), &match_column);
    if (r >= 0 && (!column.len || !match_column.len))
        r = orma_sq_fail(g, "filter_in needs base_column and match_column");
    orma_buf_printf(&body, "SELECT * FROM sq_%d WHERE ", base);
    orma_sq_put_name(&body, column);
    orma_buf_put_str(&body, " IN (SELECT ");
    orma_sq_put_name(&body, match_column);
    orma_buf_printf(&body, " FROM sq_%d)", match);
    r = r < 0 ? r : orma_sq_add_clause(g, &body);
    orma_buf_fini(&body);
    return r;
}

/* Intervals of sq_N, overlapping ones put together, by the columns `parts` (", a, b"). */
static int merge_intervals(struct orma_sq_gen *g, int clause, const char *parts)
{
    const char *by = *parts ? parts + 2 : "NULL";
    struct orma_buf body = {0};

    orma_buf_printf(&body,
                    "SELECT min(ts) AS ts, max(te) AS te%s FROM (SELECT *, sum(fresh) OVER "
                    "(PARTITION BY %s ORDER BY ts ROWS UNBOUNDED PRECEDING) AS grp FROM ("
                    "SELECT *, coalesce(ts > max(te) OVER (PARTITION BY %s ORDER BY ts ROWS "
                    "BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 1) AS fresh FROM ("
                    "SELECT ts, ts + dur AS te%s FROM sq_%d))) GROUP BY grp%s",
                    parts, by, by, parts, clause, parts);
    int r = orma_sq_add_clause(g, &body);
    orma_buf_fini(&body);
    return r;
}

/* The columns of the base: clipped times, or all as they are; of `wanted` if that is not empty. */
static int put_clipped(struct orma_sq_gen *g, int base, bool clip, struct orma_str msg,
                       struct orma_buf *out)
{
    struct orma_buf names = {0}, wanted = {0};
    struct orma_pb_reader pb = orma_sq_reader(msg);
    struct orma_str column;
    int r = orma_sq_columns_of(g, base, &names);
    unsigned num = 0;

    while (orma_sq_next_str(&pb, SQ(EXPERIMENTAL_FILTER_TO_INTERVALS_SELECT_COLUMNS), &column)) {
        if (r == 0 && !orma_sq_in_list(&names, column))
            r = orma_sq_fail(g, "filter_to_intervals: the base has no column '%.*s'",
                             ORMA_STR_ARG(column));
        orma_sq_note(&wanted, column);
    }
    const char *at = (const char *)names.data, *end = at + names.len;
    for (; r == 0 && at && at < end; at += strlen(at) + 1) {
        bool ts = !sqlite3_stricmp(at, "ts"), dur = !sqlite3_stricmp(at, "dur");

        if (wanted.len && !orma_sq_in_list(&wanted, orma_str_from(at)))
            continue;
        orma_buf_put_str(out, num++ ? ", " : "");
        if (clip && ts)
            orma_buf_put_str(out, "max(b.ts, m.ts) AS ts");
        else if (clip && dur)
            orma_buf_put_str(out, "min(b.ts + b.dur, m.te) - max(b.ts, m.ts) AS dur");
        if (clip && (ts || dur) && wanted.len)
            orma_buf_printf(out, ", b.%s AS original_%s", at, at);
        if (!clip || (!ts && !dur)) {
            orma_buf_put_str(out, "b.");
            orma_sql_put_quoted(out, orma_str_from(at));
        }
    }
    orma_buf_fini(&names);
    orma_buf_fini(&wanted);
    return r;
}

static int from_filter_to_intervals(struct orma_sq_gen *g, struct orma_str msg)
{
    struct orma_pb_reader pb = orma_sq_reader(msg);
    struct orma_buf body = {0}, parts = {0}, on = {0};
    struct orma_str column;
    int64_t clip;
    int merged = -1,
        base = orma_sq_inner(g, msg, SQ(EXPERIMENTAL_FILTER_TO_INTERVALS_BASE), "base");
    int r = base;

    if (!orma_msg_int(msg, SQ(EXPERIMENTAL_FILTER_TO_INTERVALS_CLIP_TO_INTERVALS), &clip))
        clip = 1;
    orma_buf_put_str(&on, "b.ts < m.te AND (b.ts + b.dur > m.ts OR b.ts >= m.ts)");
    while (orma_sq_next_str(&pb, SQ(EXPERIMENTAL_FILTER_TO_INTERVALS_PARTITION_COLUMNS), &column)) {
        orma_buf_put_str(&parts, ", ");
        orma_sq_put_name(&parts, column);
        orma_buf_put_str(&on, " AND b.");
        orma_sq_put_name(&on, column);
        orma_buf_put_str(&on, " = m.");
        orma_sq_put_name(&on, column);
    }
    if (r >= 0)
        r = orma_sq_inner(g, msg, SQ(EXPERIMENTAL_FILTER_TO_INTERVALS_INTERVALS), "intervals");
    if (r >= 0)
        r = merged = merge_intervals(g, r, orma_buf_cstr(&parts));
    orma_buf_put_str(&body, "SELECT ");
    if (r >= 0)
        r = put_clipped(g, base, clip, msg, &body);
    if (clip)
        orma_buf_printf(&body, "\nFROM sq_%d AS b JOIN sq_%d AS m ON %s", base, merged,
                        orma_buf_cstr(&on));
    else
        orma_buf_printf(&body, "\nFROM sq_%d AS b WHERE EXISTS (SELECT 1 FROM sq_%d AS m WHERE %s)",
                        base, merged, orma_buf_cstr(&on));
    r = r < 0 ? r : orma_sq_add_clause(g, &body);
    orma_buf_fini(&body);
    orma_buf_fini(&parts);
    orma_buf_fini(&on);
    return r;
}

static int from_inner(struct orma_sq_gen *g, struct orma_str msg)
{
    return g->generate(g, msg);
}

static int from_id(struct orma_sq_gen *g, struct orma_str id)
{
    return g->from_shared(g, id);
}

int orma_sq_from_source(struct orma_sq_gen *g, struct orma_str msg)
{
    static int (*const sources[])(struct orma_sq_gen *, struct orma_str) = {
        [SQ(TABLE)] = from_table,
        [SQ(SIMPLE_SLICES)] = from_simple_slices,
        [SQ(INNER_QUERY)] = from_inner,
        [SQ(INNER_QUERY_ID)] = from_id,
        [SQ(INTERVAL_INTERSECT)] = from_intersect,
        [SQ(EXPERIMENTAL_JOIN)] = from_join,
        [SQ(EXPERIMENTAL_UNION)] = from_union,
        [SQ(EXPERIMENTAL_ADD_COLUMNS)] = from_add_columns,
        [SQ(EXPERIMENTAL_CREATE_SLICES)] = from_create_slices,
        [SQ(EXPERIMENTAL_TIME_RANGE)] = from_time_range,
        [SQ(EXPERIMENTAL_FILTER_TO_INTERVALS)] = from_filter_to_intervals,
        [SQ(EXPERIMENTAL_COUNTER_INTERVALS)] = from_counter_intervals,
        [SQ(EXPERIMENTAL_FILTER_IN)] = from_filter_in,
    };
    struct orma_str part;

    if (orma_msg_str(msg, SQ(SQL), &part))
        return from_sql(g, msg, part);
    for (uint32_t id = 1; id < ORMA_ARRAY_LEN(sources); id++) {
        if (sources[id] && orma_msg_str(msg, id, &part))
            return sources[id](g, part);
    }
    return orma_sq_fail(g, "the query has no source");
}
