/*
 * Statements of a grammar (grammar.h), each in several ways: by the executor, by SQLite over our
 * tables, as it is decided by default, and by SQLite over its own tables with the same rows. All
 * have the same names, rows, types and errors, in the same order where ORDER BY says one.
 *
 * ORMA_TEST_SEED=n makes other statements, ORMA_TEST_QUERIES=n so many. A statement that differs is
 * made smaller before it is shown.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "processor/sql/dialect/token.h"
#include "sdk/base/defs.h"
#include "sdk/base/vec.h"
#include "tests/support/leaks.h"
#include "tests/unit/sql/engine_fixture.h"
#include "tests/unit/sql/grammar.h"

#define QUERIES 3000
/* Statements with more rows are not looked at to their end. */
#define ROWS_MAX 20000
/* Those that take longer are not compared: cross joins of queries in queries. */
#define TIME_MAX_NS 60000000
/* So many that differ are shown. */
#define SHOWN_MAX 40

enum way { PLAIN, OFF, ON, DEFAULT };

static const struct {
    const char *name;
    char tables;
    enum orma_exec_mode mode;
} ways[] = {
    [PLAIN] = {"plain tables", 'p', ORMA_EXEC_MODE_OFF},
    [OFF] = {"executor off", 't', ORMA_EXEC_MODE_OFF},
    [ON] = {"executor on", 't', ORMA_EXEC_MODE_ON},
    [DEFAULT] = {"default", 't', ORMA_EXEC_MODE_AUTO},
};

/* What a statement gave. */
struct answer {
    ORMA_VEC(char *) rows;
    struct orma_buf names, keys;
    char *error;
    bool begun, many; /* it was valid; it has too many rows */
};

static void answer_fini(struct answer *a)
{
    for (uint32_t i = 0; i < a->rows.len; i++)
        free(a->rows.data[i]);
    ORMA_VEC_FINI(&a->rows);
    orma_buf_fini(&a->names);
    orma_buf_fini(&a->keys);
    free(a->error);
    *a = (struct answer){0};
}

/* How rows are compared. */
struct rule {
    const unsigned *keys;
    unsigned keys_num;
    bool loose;
};

static void put_cell(struct orma_buf *out, sqlite3_stmt *stmt, int i, bool loose)
{
    int type = sqlite3_column_type(stmt, i);

    if (loose && (type == SQLITE_INTEGER || type == SQLITE_FLOAT))
        orma_buf_printf(out, "n%.15g|", sqlite3_column_double(stmt, i) + 0.0);
    else if (type == SQLITE_BLOB)
        orma_buf_printf(out, "b%d|", sqlite3_column_bytes(stmt, i));
    else
        gen_put_cell(out, stmt, i);
}

static void add_row(struct answer *a, sqlite3_stmt *stmt, const struct rule *rule)
{
    struct orma_buf row = {0};

    for (int i = 0; i < sqlite3_column_count(stmt); i++)
        put_cell(&row, stmt, i, rule->loose);
    cr_assert_eq(ORMA_VEC_PUSH(&a->rows, strdup(orma_buf_cstr(&row))), 0);
    orma_buf_fini(&row);
    for (unsigned i = 0; i < rule->keys_num; i++) {
        if ((int)rule->keys[i] < sqlite3_column_count(stmt))
            put_cell(&a->keys, stmt, (int)rule->keys[i], true); /* 0.0 is -0.0 to it */
    }
}

/* Without what differs by the kind of tables. */
static char *error_of(const struct engine *e)
{
    const char *text = orma_sql_error_text(e->sql), *last = strrchr(text, '\n');
    char *copy = strdup(last ? last + 1 : text);

    for (char *at = copy; *at; at++) {
        bool first = at == copy || strchr(" .\"('", at[-1]);

        if (first && (*at == 'p' || *at == 't') && (at[1] == 'w' || (at[1] >= '0' && at[1] <= '9')))
            *at = '@';
    }
    return copy;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void step_all(struct engine *e, struct orma_sql_stmt *stmt, const struct rule *rule,
                     struct answer *ret)
{
    int r;

    while ((r = orma_sql_stmt_step(stmt)) > 0 && ret->rows.len < ROWS_MAX)
        add_row(ret, stmt->stmt, rule);
    ret->many = r > 0;
    for (int i = 0; i < sqlite3_column_count(stmt->stmt); i++)
        orma_buf_printf(&ret->names, "%s|", sqlite3_column_name(stmt->stmt, i));
    ret->many |= e->sql->limits.out_of_time;
    if (r < 0)
        ret->error = error_of(e);
    if (ret->rows.len)
        qsort(ret->rows.data, ret->rows.len, sizeof(*ret->rows.data), by_text);
}

static void ask(struct engine *e, const char *query, enum way way, const struct rule *rule,
                struct answer *ret)
{
    char *text = grammar_over(query, ways[way].tables);
    struct orma_sql_exec *exec;
    struct orma_sql_stmt *stmt;

    *ret = (struct answer){0};
    e->sql->planner.exec = ways[way].mode;
    e->sql->planner.off = ways[way].mode == ORMA_EXEC_MODE_OFF;
    cr_assert_eq(orma_sql_exec_new(e->sql, "test", orma_str_from(text), &exec), 0);
    ret->begun = orma_sql_exec_next(exec, &stmt) == 1;
    if (ret->begun) {
        step_all(e, stmt, rule, ret);
        orma_sql_stmt_free(stmt);
    } else {
        ret->error = error_of(e);
    }
    orma_sql_exec_free(exec);
    free(text);
}

/* An aggregate of columns of the query around it: whether SQLite takes it depends on its plan. */
static bool is_misused(const struct answer *a)
{
    return a->error && strstr(a->error, "misuse of aggregate");
}

/* In what two answers differ; NULL: in nothing. */
static const char *difference(struct answer *a, struct answer *b, bool same_tables)
{
    if (a->begun != b->begun)
        return is_misused(a) || is_misused(b) ? NULL : "validity";
    if (!a->begun) /* which mistake is found first, and what is suggested, depends on the tables */
        return same_tables && strcmp(a->error, b->error) ? "errors" : NULL;
    if (a->many || b->many)
        return NULL;
    if ((a->error || b->error) && !same_tables)
        return NULL; /* what is looked at in vain depends on the order of tables */
    if (!a->error != !b->error || (a->error && strcmp(a->error, b->error)))
        return "errors";
    if (a->error)
        return NULL;
    if (strcmp(orma_buf_cstr(&a->names), orma_buf_cstr(&b->names)))
        return "names";
    if (a->rows.len != b->rows.len)
        return "number of rows";
    for (uint32_t i = 0; i < a->rows.len; i++) {
        if (strcmp(a->rows.data[i], b->rows.data[i]))
            return "rows";
    }
    return strcmp(orma_buf_cstr(&a->keys), orma_buf_cstr(&b->keys)) ? "order" : NULL;
}

static const char *differs(struct engine *e, const char *query, enum way one, enum way other,
                           const struct rule *rule)
{
    struct answer a, b;

    ask(e, query, one, rule, &a);
    ask(e, query, other, rule, &b);
    const char *what = difference(&a, &b, ways[one].tables == ways[other].tables);
    answer_fini(&a);
    answer_fini(&b);
    return what;
}

/* ---- making it smaller ---- */

struct tokens {
    ORMA_VEC(struct orma_token) list;
    struct orma_str text;
};

/* The text without `num` tokens from `at` on. */
static char *without(const struct tokens *t, uint32_t at, uint32_t num)
{
    struct orma_buf out = {0};

    for (uint32_t i = 0; i < t->list.len; i++) {
        if (i < at || i >= at + num)
            orma_buf_put(&out, t->text.data + t->list.data[i].at, t->list.data[i].len);
    }
    char *copy = strdup(orma_buf_cstr(&out));
    orma_buf_fini(&out);
    return copy;
}

static void read_tokens(const char *text, struct tokens *ret)
{
    ret->text = orma_str_from(text);
    ret->list.len = 0;
    for (struct orma_token tok = orma_token_next(ret->text, 0); tok.kind != ORMA_TOK_END;
         tok = orma_token_next(ret->text, tok.at + tok.len))
        cr_assert_eq(ORMA_VEC_PUSH(&ret->list, tok), 0);
}

/* Takes away runs of tokens as long as what is left still differs in the same way. */
static char *smallest(struct engine *e, const char *query, enum way one, enum way other,
                      const struct rule *rule, const char *what)
{
    struct rule bag = {.loose = rule->loose}; /* the columns of ORDER BY may go */
    char *text = strdup(query);
    struct tokens t = {0};

    read_tokens(text, &t);
    const char *found = differs(e, text, one, other, &bag);
    if (found && !strcmp(found, what))
        rule = &bag;
    for (uint32_t num = t.list.len / 2; num; num = num > 8 ? num * 2 / 3 : num - 1) {
        for (uint32_t at = 0; at + num <= t.list.len;) {
            char *less = without(&t, at, num);
            const char *still = differs(e, less, one, other, rule);

            if (still && !strcmp(still, what)) {
                free(text);
                text = less;
                read_tokens(text, &t);
            } else {
                free(less);
                at++;
            }
        }
    }
    ORMA_VEC_FINI(&t.list);
    return text;
}

static void show(struct engine *e, const char *query, enum way way, const struct rule *rule)
{
    struct answer a;

    ask(e, query, way, rule, &a);
    fprintf(stderr, "  %s: %u rows %s\n", ways[way].name, a.rows.len, a.error ? a.error : "");
    for (uint32_t i = 0; i < a.rows.len && i < 5; i++)
        fprintf(stderr, "    %.200s\n", a.rows.data[i]);
    answer_fini(&a);
}

/* ---- */

struct counts {
    unsigned valid, with_rows, cut, different;
};

static void report(struct engine *e, const struct gen *g, uint64_t seed, enum way one,
                   enum way other, const struct rule *rule, const char *what)
{
    const char *query = orma_buf_str(&g->text).data;
    char *least = smallest(e, query, one, other, rule, what);

    fprintf(stderr, "seed %llu: %s differ in %s from %s:\n%s\n", (unsigned long long)seed,
            ways[other].name, what, ways[one].name, least);
    show(e, least, one, rule);
    show(e, least, other, rule);
    free(least);
}

/* Whether the statement of a seed is the same in all ways. */
static bool check(struct engine *e, struct gen *g, uint64_t seed, struct counts *counts)
{
    static const enum way pairs[][2] = {{PLAIN, OFF}, {OFF, ON}, {OFF, DEFAULT}};
    struct answer answers[ORMA_ARRAY_LEN(ways)];
    bool same = true;

    grammar_statement(g, seed);
    const char *query = orma_buf_cstr(&g->text);
    const struct rule rule = {g->keys, g->keys_num, g->loose};
    for (enum way way = PLAIN; way <= DEFAULT; way++)
        ask(e, query, way, &rule, &answers[way]);
    counts->valid += answers[OFF].begun;
    counts->cut += answers[OFF].many;
    counts->with_rows += answers[OFF].rows.len > 0;
    for (size_t i = 0; i < ORMA_ARRAY_LEN(pairs) && same; i++) {
        enum way one = pairs[i][0], other = pairs[i][1];
        const char *what =
            difference(&answers[one], &answers[other], ways[one].tables == ways[other].tables);

        same = !what;
        if (what && counts->different < SHOWN_MAX)
            report(e, g, seed, one, other, &rule, what);
    }
    for (size_t i = 0; i < ORMA_ARRAY_LEN(answers); i++)
        answer_fini(&answers[i]);
    return same;
}

Test(grammar, means_the_same_in_all_ways)
{
    const uint64_t first = (uint64_t)gen_number_of("ORMA_TEST_SEED", 1) * 1000003;
    const unsigned queries = gen_number_of("ORMA_TEST_QUERIES", QUERIES);
    struct counts counts = {0};
    struct gen g = {0};
    struct engine e;

    engine_init(&e);
    engine_expect(&e, "rows", grammar_rows, "");
    e.sql->time_limit_ns = TIME_MAX_NS;
    for (unsigned i = 0; i < queries; i++) {
        counts.different += !check(&e, &g, first + i * 7919u, &counts);
        if (i % 20000 == 19999)
            fprintf(stderr, "%u statements, %u differ\n", i + 1, counts.different);
    }
    fprintf(stderr, "# %u statements of seed %llu: %u valid, %u with rows, %u cut off, %u differ\n",
            queries, (unsigned long long)first, counts.valid, counts.with_rows, counts.cut,
            counts.different);
    cr_expect_eq(counts.different, 0);
    cr_expect_gt(counts.valid, queries / 2);
    cr_expect_gt(counts.with_rows, queries / 4);
    orma_buf_fini(&g.text);
    engine_fini(&e);
    orma_assert_no_leaks();
}
