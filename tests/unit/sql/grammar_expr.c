/* Values, conditions, aggregates and windows of the grammar. */
#include "tests/unit/sql/grammar_impl.h"

/* ---- columns ---- */

void grammar_put_column_of(struct gen *g, const struct grammar_source *s, unsigned at)
{
    if (*s->alias)
        PUT(g, "%s.", s->alias);
    PUT(g, "%s", s->shape.columns[at].name);
}

/* A column of the type, if there is one; of another now and then. False: there is none. */
static bool put_column(struct gen *g, enum grammar_type type)
{
    struct grammar_scope *scope = g->scope;
    bool any = chance(g, 12);

    if (scope && scope->outer && scope->outer->num && chance(g, 4))
        scope = scope->outer;
    if (!scope || !scope->num)
        return false;
    for (unsigned i = 0; i < 8; i++) {
        const struct grammar_source *s = &scope->sources[below(g, scope->num)];
        unsigned at = below(g, s->shape.num);

        if (!any && s->shape.columns[at].type != type)
            continue;
        grammar_put_column_of(g, s, at);
        return true;
    }
    return false;
}

static const char *literal_of(struct gen *g, enum grammar_type type)
{
    switch (chance(g, 15) ? GRAMMAR_TYPES : type) {
    case GRAMMAR_INT:
        return PICK(g, "0", "1", "-1", "3", "7", "17", "100", "5", "2", "9007199254740993",
                    "-9223372036854775808", "9223372036854775807", "TRUE", "FALSE", "0x10");
    case GRAMMAR_REAL:
        return PICK(g, "0.0", "-0.0", "2.5", "7.0", "1e300", "9007199254740992.0", "-1.5");
    case GRAMMAR_TEXT:
        return PICK(g, "'a'", "''", "'7'", "'07'", "'7.0'", "'B'", "'1e1'", "'bc'", "'x''y'");
    default:
        return PICK(g, "NULL", "NULL", "x'37'", "CAST('7' AS NUMERIC)");
    }
}

void grammar_put_literal(struct gen *g, enum grammar_type type)
{
    const bool param = g->params && chance(g, 2);

    PUT(g, param ? GRAMMAR_PARAM "%s" GRAMMAR_PARAM_END : "%s", literal_of(g, type));
}

/* ---- values ---- */

static void put_plain(struct gen *g, enum grammar_type type)
{
    if (chance(g, 4) || !put_column(g, type))
        grammar_put_literal(g, type);
}

static void put_case(struct gen *g, enum grammar_type type)
{
    if (chance(g, 3)) {
        PUT(g, "CASE ");
        grammar_put_value(g, type);
        PUT(g, " WHEN ");
        grammar_put_value(g, type);
    } else {
        PUT(g, "CASE WHEN ");
        grammar_put_condition(g);
    }
    PUT(g, " THEN ");
    grammar_put_value(g, type);
    if (!chance(g, 3)) {
        PUT(g, " ELSE ");
        grammar_put_value(g, type);
    }
    PUT(g, " END");
}

/* One value of a query: an aggregate without groups, or one row. */
static void put_scalar_query(struct gen *g, enum grammar_type type)
{
    struct grammar_shape shape = {.num = 1};

    if (g->queries >= GRAMMAR_QUERIES_MAX) {
        put_plain(g, type);
        return;
    }
    shape.columns[0].type = type;
    bool aggregates = g->aggregates, windows = g->windows;
    g->aggregates = g->windows = false;
    g->loose = true;
    PUT(g, "(SELECT %s(c0) FROM (", PICK(g, "max", "min", "count", "max"));
    grammar_put_query(g, &shape);
    PUT(g, "))");
    g->aggregates = aggregates;
    g->windows = windows;
}

static void put_function(struct gen *g, enum grammar_type type)
{
    switch (below(g, type == GRAMMAR_TEXT ? 9 : 12)) {
    case 0:
        PUT(g, "coalesce(");
        grammar_put_value(g, type);
        PUT(g, ", ");
        grammar_put_value(g, type);
        PUT(g, ")");
        return;
    case 1:
        PUT(g, "%s(", PICK(g, "nullif", "ifnull", "min", "max"));
        grammar_put_value(g, type);
        PUT(g, ", ");
        grammar_put_value(g, type);
        PUT(g, ")");
        return;
    case 2:
        PUT(g, "iif(");
        grammar_put_condition(g);
        PUT(g, ", ");
        grammar_put_value(g, type);
        PUT(g, ", ");
        grammar_put_value(g, type);
        PUT(g, ")");
        return;
    case 3:
        PUT(g, "CAST(");
        grammar_put_value(g, any_type(g));
        PUT(g, " AS %s)",
            type == GRAMMAR_INT    ? PICK(g, "INT", "INTEGER", "BIGINT")
            : type == GRAMMAR_REAL ? PICK(g, "REAL", "DOUBLE", "NUMERIC")
                                   : PICK(g, "TEXT", "VARCHAR"));
        return;
    }
    if (type == GRAMMAR_TEXT) {
        PUT(g, "%s(", PICK(g, "upper", "lower", "hex", "quote", "typeof", "trim", "+"));
        grammar_put_value(g, any_type(g));
        PUT(g, ")");
        return;
    }
    PUT(g, "%s(",
        type == GRAMMAR_INT ? PICK(g, "length", "unicode", "length", "+", "-", "NOT ")
                            : PICK(g, "abs", "round", "+", "-", "sign"));
    grammar_put_value(g, type == GRAMMAR_INT ? GRAMMAR_TEXT : GRAMMAR_REAL);
    PUT(g, ")");
}

static void put_operator(struct gen *g, enum grammar_type type)
{
    PUT(g, "(");
    grammar_put_value(g, type);
    PUT(g, " %s ",
        type == GRAMMAR_INT    ? PICK(g, "+", "-", "*", "/", "%", "&", "|", "<<", ">>")
        : type == GRAMMAR_REAL ? PICK(g, "+", "-", "*", "/")
                               : "||");
    grammar_put_value(g, type == GRAMMAR_TEXT ? any_type(g) : type);
    PUT(g, ")");
}

void grammar_put_value(struct gen *g, enum grammar_type type)
{
    if (g->depth >= GRAMMAR_DEPTH_MAX) {
        put_plain(g, type);
        return;
    }
    g->depth++;
    switch (below(g, 16)) {
    case 0:
        put_case(g, type);
        break;
    case 1:
    case 2:
        put_function(g, type);
        break;
    case 3:
    case 4:
        put_operator(g, type);
        break;
    case 5:
        if (chance(g, 2))
            put_scalar_query(g, type);
        else
            put_plain(g, type);
        break;
    case 6:
        PUT(g, "(");
        grammar_put_condition(g);
        PUT(g, ")");
        break;
    default:
        put_plain(g, type);
    }
    g->depth--;
}

/* ---- conditions ---- */

static void put_list(struct gen *g, enum grammar_type type)
{
    for (uint32_t i = below(g, 4), first = i; i; i--) {
        PUT(g, "%s", i == first ? "" : ", ");
        grammar_put_literal(g, chance(g, 6) ? any_type(g) : type);
    }
}

static void put_sub_query(struct gen *g, enum grammar_type type)
{
    struct grammar_shape shape = {.num = 1};

    shape.columns[0].type = type;
    bool aggregates = g->aggregates, windows = g->windows;
    g->aggregates = g->windows = false;
    PUT(g, "(");
    grammar_put_query(g, &shape);
    PUT(g, ")");
    g->aggregates = aggregates;
    g->windows = windows;
}

static void put_collation(struct gen *g, enum grammar_type type)
{
    if (type == GRAMMAR_TEXT && chance(g, 6))
        PUT(g, " COLLATE %s", PICK(g, "NOCASE", "RTRIM", "BINARY"));
}

static void put_in(struct gen *g)
{
    enum grammar_type type = any_type(g);

    grammar_put_value(g, type);
    put_collation(g, type);
    PUT(g, " %sIN ", PICK(g, "", "NOT "));
    if (chance(g, 2) && g->queries < GRAMMAR_QUERIES_MAX) {
        put_sub_query(g, chance(g, 4) ? any_type(g) : type);
        return;
    }
    PUT(g, "(");
    put_list(g, type);
    PUT(g, ")");
}

static void put_comparison(struct gen *g)
{
    enum grammar_type type = any_type(g);

    grammar_put_value(g, type);
    PUT(g, " %s ",
        PICK(g, "=", "<", ">", "<=", ">=", "!=", "<>", "IS", "IS NOT", "=",
             "IS NOT DISTINCT FROM"));
    grammar_put_value(g, chance(g, 5) ? any_type(g) : type);
    put_collation(g, type);
}

static void put_pattern(struct gen *g)
{
    grammar_put_value(g, GRAMMAR_TEXT);
    PUT(g, " %s%s ", PICK(g, "", "NOT "), PICK(g, "LIKE", "GLOB", "LIKE"));
    PUT(g, "%s", PICK(g, "'%a%'", "'b%'", "'7'", "'*7*'", "''", "'_'", "'[a-c]*'", "NULL", "7"));
}

void grammar_put_condition(struct gen *g)
{
    enum grammar_type between;

    g->depth++;
    switch (below(g, g->depth > GRAMMAR_DEPTH_MAX ? 7 : 14)) {
    case 0:
    case 1:
    case 2:
        put_comparison(g);
        break;
    case 3:
        put_pattern(g);
        break;
    case 4:
        put_plain(g, any_type(g));
        PUT(g, " %s", PICK(g, "IS NULL", "IS NOT NULL", "NOTNULL", "ISNULL"));
        break;
    case 5:
        put_plain(g, any_type(g));
        PUT(g, " IS %s%s", PICK(g, "", "NOT "), PICK(g, "TRUE", "FALSE"));
        break;
    case 6:
        put_in(g);
        break;
    case 7:
        between = any_type(g);
        grammar_put_value(g, between);
        put_collation(g, between);
        PUT(g, " %sBETWEEN ", PICK(g, "", "NOT "));
        put_plain(g, chance(g, 4) ? any_type(g) : GRAMMAR_INT);
        PUT(g, " AND ");
        put_plain(g, any_type(g));
        break;
    case 8:
        if (g->queries < GRAMMAR_QUERIES_MAX) {
            PUT(g, "%sEXISTS ", PICK(g, "", "NOT "));
            put_sub_query(g, any_type(g));
            break;
        }
        put_plain(g, GRAMMAR_INT);
        break;
    case 9:
        grammar_put_value(g, any_type(g));
        break;
    default:
        PUT(g, "%s", PICK(g, "(", "NOT (", "("));
        grammar_put_condition(g);
        PUT(g, "%s", PICK(g, " OR ", " AND ", " AND "));
        grammar_put_condition(g);
        PUT(g, ")");
    }
    g->depth--;
}

/* ---- aggregates and windows ---- */

static void put_filter(struct gen *g)
{
    if (!chance(g, 6))
        return;
    PUT(g, " FILTER (WHERE ");
    grammar_put_condition(g);
    PUT(g, ")");
}

/* Those whose result does not depend on the order of rows. One with nothing but columns of the
 * query around it is an aggregate of that: other values there would be of any row. */
void grammar_put_aggregate(struct gen *g, enum grammar_type type)
{
    bool aggregates = g->aggregates, windows = g->windows;
    struct grammar_scope *scope = g->scope, *outer = scope ? scope->outer : NULL;

    g->aggregates = g->windows = false;
    if (scope)
        scope->outer = NULL;
    switch (below(g, 10)) {
    case 0:
        PUT(g, "count(*)");
        break;
    case 1:
        PUT(g, "count(DISTINCT ");
        put_plain(g, any_type(g));
        PUT(g, ")");
        break;
    case 2:
        PUT(g, "length(group_concat(");
        put_plain(g, GRAMMAR_TEXT);
        PUT(g, "))");
        break;
    case 3:
        PUT(g, "json_array_length(json_group_array(");
        put_plain(g, GRAMMAR_INT);
        PUT(g, "))");
        break;
    case 4:
        PUT(g, "%s(", PICK(g, "sum", "avg", "total"));
        put_plain(g, any_type(g));
        PUT(g, " %% 100)"); /* small and whole: their sum has no order */
        break;
    case 5:
        PUT(g, "count(");
        grammar_put_value(g, any_type(g));
        PUT(g, ")");
        break;
    default:
        PUT(g, "%s(", PICK(g, "min", "max"));
        grammar_put_value(g, type);
        PUT(g, ")");
    }
    if (scope)
        scope->outer = outer;
    g->aggregates = aggregates;
    g->windows = windows;
}

/* ORDER BY of a window that leaves no ties; false: there is none. */
static bool put_total_order(struct gen *g)
{
    const struct grammar_scope *s = g->scope;

    for (unsigned i = 0; i < s->num; i++) {
        if (!s->sources[i].shape.unique)
            return false;
    }
    PUT(g, " ORDER BY ");
    if (chance(g, 2)) {
        enum grammar_type type = any_type(g);

        put_plain(g, type);
        put_collation(g, type);
        PUT(g, "%s, ", PICK(g, "", " DESC", " NULLS LAST", " DESC NULLS FIRST"));
    }
    for (unsigned i = 0; i < s->num; i++) {
        PUT(g, "%s", i ? ", " : "");
        grammar_put_column_of(g, &s->sources[i], 0);
        PUT(g, "%s", PICK(g, "", " DESC"));
    }
    return true;
}

static void put_frame(struct gen *g)
{
    if (!chance(g, 2))
        return;
    PUT(g, " %s BETWEEN %s AND %s%s", PICK(g, "ROWS", "GROUPS", "RANGE"),
        PICK(g, "UNBOUNDED PRECEDING", "CURRENT ROW"),
        PICK(g, "CURRENT ROW", "UNBOUNDED FOLLOWING"),
        PICK(g, "", "", " EXCLUDE CURRENT ROW", " EXCLUDE TIES", " EXCLUDE GROUP"));
}

static void put_partition(struct gen *g)
{
    if (!chance(g, 2))
        return;
    enum grammar_type type = any_type(g);
    PUT(g, "PARTITION BY ");
    put_plain(g, type);
    put_collation(g, type);
}

/* By the order of rows where that is total, else by peers only. */
void grammar_put_window(struct gen *g, enum grammar_type type)
{
    bool aggregates = g->aggregates, windows = g->windows, filter = false;

    g->aggregates = g->windows = false;
    struct orma_buf order = {0};
    bool total = false;
    order = APART(g, total = g->scope->num && put_total_order(g));
    switch (below(g, total ? 6 : 3)) {
    case 0:
        PUT(g, "%s()", PICK(g, "rank", "dense_rank", "percent_rank", "cume_dist"));
        break;
    case 1:
        PUT(g, "count(");
        put_plain(g, any_type(g));
        PUT(g, ")");
        filter = true;
        break;
    case 2:
        PUT(g, "%s(", PICK(g, "min", "max"));
        grammar_put_value(g, type);
        PUT(g, ")");
        filter = true;
        break;
    case 3:
        PUT(g, "%s", PICK(g, "row_number()", "ntile(3)", "row_number()"));
        break;
    case 4:
        PUT(g, "%s(", PICK(g, "lag", "lead"));
        grammar_put_value(g, type);
        if (chance(g, 2)) {
            PUT(g, ", %u", below(g, 3));
            if (chance(g, 2)) {
                PUT(g, ", ");
                grammar_put_literal(g, type);
            }
        }
        PUT(g, ")");
        break;
    default:
        PUT(g, "%s(", PICK(g, "first_value", "last_value"));
        grammar_put_value(g, type);
        PUT(g, ")");
    }
    if (filter)
        put_filter(g);
    PUT(g, " OVER (");
    put_partition(g);
    if (total) {
        put_apart(g, &order);
        put_frame(g);
    } else {
        orma_buf_fini(&order);
        if (chance(g, 2)) {
            PUT(g, " ORDER BY ");
            put_plain(g, any_type(g));
        }
    }
    PUT(g, ")");
    g->aggregates = aggregates;
    g->windows = windows;
}
