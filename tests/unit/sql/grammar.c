/* Tables, queries and statements of the grammar. */
#include "tests/unit/sql/grammar_impl.h"

#include <stdio.h>

#define COLUMNS "(id INTEGER, k INTEGER, v INTEGER, s TEXT, d DOUBLE, b INTEGER)"
#define FILL(name, rows)                                                                           \
    "INSERT INTO " name " WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i " \
    "< " rows " - 1) SELECT i, i * 31 % 7, CASE WHEN i % 9 = 0 THEN NULL ELSE i * 13 % 50 END, "   \
    "CASE i % 13 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN '1e1' WHEN 3 THEN '7' WHEN 4 THEN "   \
    "'07' WHEN 5 THEN 'A' WHEN 6 THEN 'b' WHEN 7 THEN ' 7' ELSE substr('abcBdefg', i % 8 + 1, i "  \
    "% "                                                                                           \
    "3 + 1) END, CASE i % 10 WHEN 0 THEN NULL WHEN 1 THEN 0.0 WHEN 2 THEN i * 1.0 WHEN 3 THEN "    \
    "7.0 "                                                                                         \
    "ELSE (i * 37 % 100) / 8.0 END, CASE i % 8 WHEN 0 THEN NULL WHEN 1 THEN 9007199254740993 "     \
    "WHEN 2 THEN -9223372036854775807 - 1 WHEN 3 THEN 9223372036854775807 WHEN 4 THEN -1 ELSE i "  \
    "END FROM n;"
#define PLAIN(name, rows) "CREATE TABLE p" name COLUMNS ";" FILL("p" name, rows)
#define OURS(name) "CREATE PERFETTO TABLE t" name " AS SELECT * FROM p" name ";"

const char grammar_rows[] = PLAIN("1", "27") PLAIN("2", "9") PLAIN("3", "4") PLAIN(
    "6",
    "4500") "CREATE TABLE p4" COLUMNS ";"
            "CREATE TABLE p5" COLUMNS "; INSERT INTO p5 VALUES (0, 7, 3, '7', 7.0, NULL);" OURS("1")
                OURS("2") OURS("3") OURS("5") OURS("4") OURS(
                    "6") "CREATE VIEW pw1 AS SELECT id, k, v + 1 AS v, s, d, b FROM p1 WHERE k > 2;"
                         "CREATE PERFETTO VIEW tw1 AS SELECT id, k, v + 1 AS v, s, d, b FROM t1 "
                         "WHERE k > 2;"
                         "CREATE VIEW pw2 AS SELECT x.id, y.k, y.v, x.s, x.d, y.b FROM p1 x LEFT "
                         "JOIN p2 y ON x.k = "
                         "y.id;"
                         "CREATE PERFETTO VIEW tw2 AS SELECT x.id, y.k, y.v, x.s, x.d, y.b FROM t1 "
                         "x LEFT JOIN t2 y ON "
                         "x.k = y.id;";

static const struct grammar_shape table_shape = {
    .columns = {{"id", GRAMMAR_INT},
                {"k", GRAMMAR_INT},
                {"v", GRAMMAR_INT},
                {"s", GRAMMAR_TEXT},
                {"d", GRAMMAR_REAL},
                {"b", GRAMMAR_INT}},
    .num = 6,
    .unique = true,
};

/* ---- FROM ---- */

static void name_new(struct gen *g, char *ret, const char *stem)
{
    snprintf(ret, 16, "%s%u", stem, g->names++);
}

static const char *table_name(struct gen *g, bool may_be_large)
{
    if (may_be_large && chance(g, 40))
        return "@6";
    return PICK(g, "@1", "@2", "@3", "@2", "@3", "@4", "@5", "@w1", "@w2");
}

static void fill_shape(struct gen *g, struct grammar_shape *shape)
{
    *shape = (struct grammar_shape){.num = below(g, 3) + 1};
    for (unsigned i = 0; i < shape->num; i++)
        shape->columns[i].type = any_type(g);
}

static void put_source(struct gen *g, struct grammar_source *s, bool first)
{
    *s = (struct grammar_source){0};
    name_new(g, s->alias, "a");
    if (g->ctes_num && chance(g, 3)) {
        const struct grammar_cte *c = &g->ctes[below(g, g->ctes_num)];

        s->shape = c->shape;
        PUT(g, "%s %s", c->name, s->alias);
    } else if (g->queries < GRAMMAR_QUERIES_MAX && chance(g, 5)) {
        fill_shape(g, &s->shape);
        struct grammar_scope *scope = g->scope; /* it does not see its neighbours */
        g->scope = scope ? scope->outer : NULL;
        PUT(g, "(");
        grammar_put_query(g, &s->shape);
        PUT(g, ") %s", s->alias);
        g->scope = scope;
    } else {
        const char *name = table_name(g, first && g->queries < 2);

        s->shape = table_shape;
        s->shape.large = !strcmp(name, "@6");
        s->shape.unique = strcmp(name, "@w2") != 0;
        PUT(g, "%s %s", name, s->alias);
    }
}

/* Which column both sides have, and nobody else; -1: none. */
static int common_column(const struct grammar_scope *scope, const struct grammar_source *s)
{
    for (unsigned i = 0; i < s->shape.num; i++) {
        unsigned found = 0;

        for (unsigned k = 0; k < scope->num; k++) {
            for (unsigned j = 0; j < scope->sources[k].shape.num; j++)
                found += !strcmp(scope->sources[k].shape.columns[j].name, s->shape.columns[i].name);
        }
        if (found == 1)
            return (int)i;
    }
    return -1;
}

/* A sub-select without a name, by USING. */
static void put_nameless_join(struct gen *g)
{
    static const char *const keys[] = {"id", "k", "s"};
    const char *key = keys[below(g, 3)];

    PUT(g, " %s (SELECT %s AS %s FROM %s%s)", PICK(g, "JOIN", "LEFT JOIN", "JOIN"),
        PICK(g, key, "max(k)", "v"), key, table_name(g, false), PICK(g, "", " GROUP BY k"));
    PUT(g, " USING (%s)", key);
}

static void put_join(struct gen *g, struct grammar_scope *scope)
{
    struct grammar_source s;
    const char *kind = PICK(g, "JOIN", "LEFT JOIN", "JOIN", "INNER JOIN", "CROSS JOIN",
                            "RIGHT JOIN", "FULL JOIN", "LEFT OUTER JOIN", ",");

    struct orma_buf source = APART(g, put_source(g, &s, false));
    int common = common_column(scope, &s);
    bool natural = common >= 0 && scope->num == 1 && *kind != ',' && chance(g, 15);
    PUT(g, *kind == ',' ? "%s%s " : " %s%s ", natural ? "NATURAL " : "", kind);
    put_apart(g, &source);
    scope->sources[scope->num++] = s;
    if (natural || *kind == ',')
        return;
    if (common >= 0 && chance(g, 6)) {
        PUT(g, " USING (%s)", s.shape.columns[common].name);
        return;
    }
    if (chance(g, 15))
        return;
    PUT(g, " ON ");
    if (!chance(g, 3)) {
        const struct grammar_source *left = &scope->sources[below(g, scope->num - 1)];

        grammar_put_column_of(g, &s, below(g, s.shape.num));
        PUT(g, " %s ", PICK(g, "=", "=", "=", "IS", "<", "!="));
        grammar_put_column_of(g, left, below(g, left->shape.num));
        PUT(g, " AND ");
    }
    grammar_put_condition(g);
}

static void put_from(struct gen *g, struct grammar_scope *scope)
{
    PUT(g, " FROM ");
    put_source(g, &scope->sources[0], true);
    scope->num = 1;
    if (!scope->sources[0].shape.large) {
        for (uint32_t i = chance(g, 2) ? below(g, g->queries ? 2 : 3) : 0; i; i--)
            put_join(g, scope);
    }
    if (scope->num == 1 && scope->sources[0].shape.num == table_shape.num && chance(g, 12))
        put_nameless_join(g);
}

/* ---- SELECT ---- */

static void put_results(struct gen *g, struct grammar_shape *shape, bool grouped,
                        const struct orma_buf *key)
{
    for (unsigned i = 0; i < shape->num; i++) {
        enum grammar_type type = shape->columns[i].type;

        PUT(g, "%s", i ? ", " : "");
        if (grouped && key->len && (chance(g, 3) || !i))
            PUT(g, "%s", key->data);
        else if (grouped && chance(g, 8))
            grammar_put_literal(g, type);
        else if (grouped)
            grammar_put_aggregate(g, type);
        else if (g->windows && chance(g, 2))
            grammar_put_window(g, type);
        else
            grammar_put_value(g, type);
        snprintf(shape->columns[i].name, sizeof(shape->columns[i].name), "c%u", i);
        PUT(g, " AS %s", shape->columns[i].name);
    }
}

/* One SELECT with the columns of the shape. */
static void put_select(struct gen *g, struct grammar_shape *shape)
{
    struct grammar_scope scope = {.outer = g->scope};
    struct orma_buf key = {0};
    bool grouped = chance(g, 4), windows = g->windows, distinct = !grouped && chance(g, 6);

    g->scope = &scope;
    struct orma_buf from = chance(g, 20) ? (struct orma_buf){0} : APART(g, put_from(g, &scope));
    g->windows = !grouped && !distinct && scope.num && chance(g, 5);
    if (grouped && scope.num && chance(g, 2)) {
        unsigned depth = g->depth;

        g->depth = GRAMMAR_DEPTH_MAX - 1;
        do {
            orma_buf_fini(&key);
            key = APART(g, grammar_put_value(g, any_type(g)));
        } while (!strpbrk(orma_buf_cstr(&key), ".(")); /* a number would be that of a column */
        g->depth = depth;
    }
    PUT(g, "SELECT %s", distinct ? "DISTINCT " : "");
    put_results(g, shape, grouped, &key);
    PUT(g, "%s", from.len ? orma_buf_cstr(&from) : "");
    g->windows = false;
    if (scope.num && chance(g, 2)) {
        PUT(g, " WHERE ");
        grammar_put_condition(g);
    }
    if (key.len)
        PUT(g, " GROUP BY %s", key.data);
    if (grouped && key.len && chance(g, 5))
        PUT(g, " HAVING count(*) %s %u", PICK(g, ">", "<", "="), below(g, 3));
    g->loose |= grouped || distinct;
    g->windows = windows;
    g->scope = scope.outer;
    orma_buf_fini(&from);
    orma_buf_fini(&key);
}

static void put_values(struct gen *g, struct grammar_shape *shape)
{
    PUT(g, "VALUES ");
    for (uint32_t i = below(g, 3) + 1, first = i; i; i--) {
        PUT(g, "%s(", i == first ? "" : ", ");
        for (unsigned k = 0; k < shape->num; k++) {
            PUT(g, "%s", k ? ", " : "");
            grammar_put_literal(g, shape->columns[k].type);
        }
        PUT(g, ")");
    }
}

static void put_compound(struct gen *g, struct grammar_shape *shape)
{
    put_select(g, shape);
    for (uint32_t i = chance(g, 6) ? below(g, 2) + 1 : 0; i; i--) {
        struct grammar_shape part = *shape;

        PUT(g, " %s ", PICK(g, "UNION ALL", "UNION", "INTERSECT", "EXCEPT", "UNION ALL"));
        g->loose = true;
        if (chance(g, 3))
            part.columns[below(g, part.num)].type = any_type(g);
        if (chance(g, 8))
            put_values(g, &part);
        else
            put_select(g, &part);
    }
}

/* ---- WITH ---- */

static void put_recursive(struct gen *g, struct grammar_cte *c)
{
    c->shape =
        (struct grammar_shape){.columns = {{"c0", GRAMMAR_INT}, {"c1", GRAMMAR_INT}}, .num = 2};
    PUT(g, "%s(c0, c1) AS (SELECT %u, %s UNION%s SELECT c0 + 1, %s FROM %s WHERE c0 < %u)", c->name,
        below(g, 3), PICK(g, "0", "7", "NULL"), PICK(g, "", " ALL"),
        PICK(g, "c1 + 2", "c0 * c1", "c1"), c->name, below(g, 12));
}

static void put_cte(struct gen *g, struct grammar_cte *c, bool recursive)
{
    if (recursive && chance(g, 2)) {
        put_recursive(g, c);
        return;
    }
    fill_shape(g, &c->shape);
    struct orma_buf query = APART(g, grammar_put_query(g, &c->shape));
    PUT(g, "%s", c->name);
    if (chance(g, 3)) {
        PUT(g, "(");
        for (unsigned i = 0; i < c->shape.num; i++) {
            snprintf(c->shape.columns[i].name, sizeof(c->shape.columns[i].name), "n%u", i);
            PUT(g, "%sn%u", i ? ", " : "", i);
        }
        PUT(g, ")");
    }
    PUT(g, " AS %s(", PICK(g, "", "", "MATERIALIZED ", "NOT MATERIALIZED "));
    put_apart(g, &query);
    PUT(g, ")");
}

/* Names of later ones count too: they are written first, and sometimes stand last. */
static void put_with(struct gen *g)
{
    bool recursive = chance(g, 3);
    unsigned num = below(g, 3) + 1;
    struct orma_buf texts[3];

    PUT(g, "WITH %s", recursive ? "RECURSIVE " : "");
    for (unsigned i = 0; i < num; i++) {
        struct grammar_cte c = {0};

        if (chance(g, 6))
            snprintf(c.name, sizeof(c.name), "@%u", below(g, 3) + 1);
        else
            name_new(g, c.name, "q");
        texts[i] = APART(g, put_cte(g, &c, recursive));
        if (c.name[0] != '@' && g->ctes_num < ORMA_ARRAY_LEN(g->ctes))
            g->ctes[g->ctes_num++] = c;
    }
    bool turned = chance(g, 3);
    for (unsigned i = 0; i < num; i++) {
        PUT(g, "%s", i ? ", " : "");
        put_apart(g, &texts[turned ? num - 1 - i : i]);
    }
    PUT(g, " ");
}

/* Inside of others: no order, and so no limit. */
void grammar_put_query(struct gen *g, struct grammar_shape *shape)
{
    unsigned depth = g->depth, ctes = g->ctes_num;

    g->depth = 0;
    g->queries++;
    if (g->queries < GRAMMAR_QUERIES_MAX && chance(g, 12))
        put_with(g);
    put_compound(g, shape);
    if (chance(g, 10))
        PUT(g, " ORDER BY 1");
    g->queries--;
    g->ctes_num = ctes;
    g->depth = depth;
}

/* ---- statements ---- */

static void put_order(struct gen *g, const struct grammar_shape *shape)
{
    const unsigned num = shape->num;
    bool total = chance(g, 2);
    unsigned keys = total ? num : below(g, num) + 1, from = below(g, num);

    PUT(g, " ORDER BY ");
    for (unsigned i = 0; i < keys; i++) {
        const unsigned col = (from + i) % num;
        bool nocase = shape->columns[col].type == GRAMMAR_TEXT && chance(g, 4);

        total &= !nocase;
        g->nocase[g->keys_num] = nocase;
        g->keys[g->keys_num++] = col;
        PUT(g, "%s%u%s%s", i ? ", " : "", col + 1, nocase ? " COLLATE NOCASE" : "",
            PICK(g, "", " DESC", "", " NULLS LAST", " DESC NULLS FIRST"));
    }
    if (!total || !chance(g, 3))
        return;
    g->loose = true; /* of equal ones either may be behind the limit */
    PUT(g, "%s", PICK(g, " LIMIT 3", " LIMIT 5 OFFSET 2", " LIMIT 0", " LIMIT -1 OFFSET 1"));
}

void grammar_statement(struct gen *g, uint64_t seed)
{
    struct grammar_shape shape;
    struct orma_buf text = g->text;

    orma_buf_clear(&text);
    *g = (struct gen){.seed = seed, .text = text};
    (void)below(g, 2);
    g->params = chance(g, 4);
    g->rows_min = chance(g, 4) ? 4096 : below(g, 40);
    g->more = below(g, 1024);
    fill_shape(g, &shape);
    if (chance(g, 5))
        put_with(g);
    put_compound(g, &shape);
    if (chance(g, 2))
        put_order(g, &shape);
}

char *grammar_over(const char *statement, char kind, struct grammar_values *ret)
{
    struct orma_buf out = {0};

    for (const char *at = statement; *at; at++) {
        const char *end = *at == *GRAMMAR_PARAM ? strchr(at, *GRAMMAR_PARAM_END) : NULL;

        if (end && ret && ret->num < GRAMMAR_VALUES_MAX) {
            ret->texts[ret->num++] = strndup(at + 1, (size_t)(end - at - 1));
            orma_buf_put_str(&out, "?");
            at = end;
        } else if (*at != *GRAMMAR_PARAM && *at != *GRAMMAR_PARAM_END) {
            orma_buf_put_byte(&out, (uint8_t)(*at == '@' ? kind : *at));
        }
    }
    char *copy = strdup(orma_buf_cstr(&out));
    orma_buf_fini(&out);
    return copy;
}

void grammar_values_fini(struct grammar_values *self)
{
    for (unsigned i = 0; i < self->num; i++)
        free(self->texts[i]);
    self->num = 0;
}
