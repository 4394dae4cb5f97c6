/*
 * Recognises the statements of columnar.h. The text was accepted by SQLite, so
 * only the shapes that are wanted need be known; at anything else the reader
 * gives up (`no` is set) and the statement stays with SQLite.
 *
 *   SELECT [DISTINCT] elements FROM name [[AS] alias] [WHERE comparisons] [GROUP BY columns]
 *       [HAVING expression] [ORDER BY expressions] [LIMIT numbers]
 *
 * In elements, HAVING and ORDER BY aggregates and keys are replaced by columns
 * of __orma_columnar, the rest is copied.
 */
#include <stdlib.h>

#include "processor/sql/columnar/columnar_reader.h"

#define GLOB_MAX 10000

/* ---- the clauses ---- */

static const char *const clause_words[] = {"where", "group", "having", "order", "limit", NULL};

bool orma_columnar_is_clause(struct orma_str text, struct orma_token tok)
{
    const struct orma_columnar_reader r = {.text = text};

    return is_any(&r, tok, clause_words);
}

/* Up to the next word of a clause outside parentheses. */
static struct orma_columnar_span read_clause(struct orma_columnar_reader *r, bool commas_end)
{
    /* What would need a look into the expression, or would change what names mean. */
    static const char *const foreign[] = {"select", "over",      "filter", "window", "union",
                                          "except", "intersect", "exists", "raise",  NULL};
    struct orma_columnar_span s = {r->tok.at, r->tok.at};
    int depth = 0;

    for (; r->tok.kind != ORMA_TOK_END; next(r)) {
        if (is_any(r, r->tok, foreign) || r->tok.kind == ORMA_TOK_VARIABLE ||
            r->tok.kind == ORMA_TOK_BAD || r->tok.kind == ORMA_TOK_BANG)
            give_up(r);
        if (depth == 0 && (is_any(r, r->tok, clause_words) || is(r, "from") ||
                           (commas_end && r->tok.kind == ORMA_TOK_COMMA)))
            break;
        depth += (r->tok.kind == ORMA_TOK_OPEN) - (r->tok.kind == ORMA_TOK_CLOSE);
        if (depth < 0)
            give_up(r);
        s.end = r->tok.at + r->tok.len;
    }
    return s;
}

void orma_columnar_read_elements(struct orma_columnar_reader *r)
{
    r->distinct = accept(r, "distinct");
    if (!r->distinct)
        accept(r, "all");
    do {
        if (r->elements_num == ELEMENTS_MAX) {
            give_up(r);
            return;
        }
        if (r->elements_num)
            next(r);
        r->elements[r->elements_num++] = read_clause(r, true);
    } while (!r->no && r->tok.kind == ORMA_TOK_COMMA);
}

static void read_from(struct orma_columnar_reader *r)
{
    if (!accept(r, "from") || !is_name(r->tok)) {
        give_up(r);
        return;
    }
    r->table = tok_text(r, r->tok);
    next(r);
    bool as = accept(r, "as");
    if (as || (is_name(r->tok) && !is_any(r, r->tok, clause_words))) {
        r->alias = tok_text(r, r->tok);
        next(r);
    }
}

static void read_clauses(struct orma_columnar_reader *r)
{
    if (accept(r, "where"))
        r->where = read_clause(r, false);
    if (accept(r, "group") && accept(r, "by"))
        r->group = read_clause(r, false);
    if (accept(r, "having"))
        r->having = read_clause(r, false);
    if (accept(r, "order") && accept(r, "by"))
        r->order = read_clause(r, false);
    if (accept(r, "limit"))
        r->limit = read_clause(r, false);
    if (r->tok.kind == ORMA_TOK_SEMICOLON)
        next(r);
    if (r->tok.kind != ORMA_TOK_END)
        give_up(r);
}

/* ---- WHERE ---- */

/* A number with or without a sign, a text, NULL. False: something else. */
static bool read_literal(struct orma_columnar_reader *r)
{
    struct orma_columnar_span s = {r->tok.at, 0};
    bool sign = r->tok.kind == ORMA_TOK_OPERATOR && r->tok.len == 1 &&
                (r->text.data[r->tok.at] == '-' || r->text.data[r->tok.at] == '+');

    if (sign)
        next(r);
    if (r->literals_num == LITERALS_MAX ||
        !(r->tok.kind == ORMA_TOK_NUMBER ||
          (!sign && (r->tok.kind == ORMA_TOK_STRING || is(r, "null"))))) {
        if (sign) /* of a column: that is an expression */
            give_up(r);
        return false;
    }
    s.end = r->tok.at + r->tok.len;
    next(r);
    r->literals[r->literals_num++] = s;
    return true;
}

static void add_filter(struct orma_columnar_reader *r, int col, int op, unsigned first,
                       unsigned num)
{
    struct orma_columnar_plan *plan = r->plan;

    if (plan->filters_num == ORMA_COLUMNAR_FILTERS_MAX || col < 0 ||
        !orma_filter_can(&r->v->table->def->columns[col],
                         op == ORMA_FILTER_OP_IN ? SQLITE_INDEX_CONSTRAINT_EQ : op)) {
        give_up(r);
        return;
    }
    r->lists[plan->filters_num] = (struct orma_columnar_span){first, first + num};
    plan->filters[plan->filters_num].col = (unsigned)col;
    plan->filters[plan->filters_num++].op = op;
}

static int read_operator(struct orma_columnar_reader *r)
{
    static const struct {
        const char *text;
        int op;
    } ops[] = {
        {"=", SQLITE_INDEX_CONSTRAINT_EQ},  {"==", SQLITE_INDEX_CONSTRAINT_EQ},
        {"!=", SQLITE_INDEX_CONSTRAINT_NE}, {"<>", SQLITE_INDEX_CONSTRAINT_NE},
        {"<", SQLITE_INDEX_CONSTRAINT_LT},  {"<=", SQLITE_INDEX_CONSTRAINT_LE},
        {">", SQLITE_INDEX_CONSTRAINT_GT},  {">=", SQLITE_INDEX_CONSTRAINT_GE},
    };
    struct orma_str text = tok_text(r, r->tok);

    for (size_t i = 0; i < ORMA_ARRAY_LEN(ops) && r->tok.kind == ORMA_TOK_OPERATOR; i++) {
        if (orma_str_eq(text, orma_str_from(ops[i].text))) {
            next(r);
            return ops[i].op;
        }
    }
    return 0;
}

static int turned(int op)
{
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_LT:
        return SQLITE_INDEX_CONSTRAINT_GT;
    case SQLITE_INDEX_CONSTRAINT_LE:
        return SQLITE_INDEX_CONSTRAINT_GE;
    case SQLITE_INDEX_CONSTRAINT_GT:
        return SQLITE_INDEX_CONSTRAINT_LT;
    case SQLITE_INDEX_CONSTRAINT_GE:
        return SQLITE_INDEX_CONSTRAINT_LE;
    }
    return op;
}

/* IN (literal, ...) behind the IN. */
static void read_list(struct orma_columnar_reader *r, int col)
{
    unsigned first = r->literals_num;

    if (r->tok.kind != ORMA_TOK_OPEN) {
        give_up(r);
        return;
    }
    do {
        next(r);
        if (!read_literal(r))
            give_up(r);
    } while (!r->no && r->tok.kind == ORMA_TOK_COMMA);
    if (r->tok.kind != ORMA_TOK_CLOSE)
        give_up(r);
    next(r);
    add_filter(r, col, ORMA_FILTER_OP_IN, first, r->literals_num - first);
}

static void read_is(struct orma_columnar_reader *r, int col)
{
    int op = accept(r, "not") ? SQLITE_INDEX_CONSTRAINT_ISNOTNULL : SQLITE_INDEX_CONSTRAINT_ISNULL;

    if (!accept(r, "null"))
        give_up(r);
    add_filter(r, col, op, r->literals_num, 0);
}

static void read_between(struct orma_columnar_reader *r, int col)
{
    if (!read_literal(r) || !accept(r, "and") || !read_literal(r)) {
        give_up(r);
        return;
    }
    add_filter(r, col, SQLITE_INDEX_CONSTRAINT_GE, r->literals_num - 2, 1);
    add_filter(r, col, SQLITE_INDEX_CONSTRAINT_LE, r->literals_num - 1, 1);
}

/* GLOB 'pattern' behind the GLOB. SQLite refuses long ones. */
static void read_glob(struct orma_columnar_reader *r, int col)
{
    unsigned first = r->literals_num;

    if (r->tok.kind == ORMA_TOK_STRING && r->tok.len < GLOB_MAX && read_literal(r))
        add_filter(r, col, SQLITE_INDEX_CONSTRAINT_GLOB, first, 1);
    else
        give_up(r);
}

static void read_comparison(struct orma_columnar_reader *r)
{
    unsigned first = r->literals_num;
    bool literal_first = read_literal(r);
    int op = literal_first ? turned(read_operator(r)) : 0;
    int col = literal_first && !op ? -1 : orma_columnar_read_column(r);

    if (col < 0) {
        give_up(r);
        return;
    }
    if (literal_first) {
        add_filter(r, col, op, first, 1);
        return;
    }
    op = read_operator(r);
    if (op && read_literal(r))
        add_filter(r, col, op, first, 1);
    else if (op)
        give_up(r);
    else if (accept(r, "is"))
        read_is(r, col);
    else if (accept(r, "between"))
        read_between(r, col);
    else if (accept(r, "in"))
        read_list(r, col);
    else if (accept(r, "glob"))
        read_glob(r, col);
    else
        give_up(r);
}

static void read_where(struct orma_columnar_reader *r)
{
    if (!r->where.end)
        return;
    go_to(r, r->where.at);
    do {
        read_comparison(r);
    } while (accept(r, "and"));
    if (!r->no && r->tok.kind != ORMA_TOK_END && r->tok.at < r->where.end)
        give_up(r);
}

/* The values of the literals, from SQLite itself. */
static void read_values(struct orma_columnar_reader *r)
{
    struct orma_columnar_plan *plan = r->plan;
    struct orma_buf sql = {0};
    sqlite3_stmt *stmt = NULL;

    if (!r->literals_num)
        return;
    for (unsigned i = 0; i < r->literals_num; i++)
        orma_buf_printf(&sql, "%s%.*s", i ? "," : "SELECT ",
                        (int)(r->literals[i].end - r->literals[i].at),
                        r->text.data + r->literals[i].at);
    if (sql.failed || sqlite3_prepare_v2(plan->sql->db, orma_buf_cstr(&sql), -1, &stmt, NULL) ||
        sqlite3_step(stmt) != SQLITE_ROW)
        give_up(r);
    orma_buf_fini(&sql);
    for (unsigned i = 0; i < plan->filters_num && !r->no; i++) {
        struct orma_columnar_span list = r->lists[i];

        if (plan->filters[i].op != ORMA_FILTER_OP_IN) {
            if (list.at < list.end)
                plan->filters[i].val = sqlite3_value_dup(sqlite3_column_value(stmt, (int)list.at));
            continue;
        }
        plan->filters[i].values = calloc(list.end - list.at + 1, sizeof(sqlite3_value *));
        for (uint32_t k = list.at; k < list.end && plan->filters[i].values; k++)
            plan->filters[i].values[k - list.at] =
                sqlite3_value_dup(sqlite3_column_value(stmt, (int)k));
        if (!plan->filters[i].values)
            give_up(r);
    }
    sqlite3_finalize(stmt);
}

/* ---- keys ---- */

static void add_key(struct orma_columnar_reader *r, int col)
{
    if (col < 0 || r->plan->keys_num == ORMA_COLUMNAR_KEYS_MAX) {
        give_up(r);
        return;
    }
    r->keys[r->plan->keys_num] = r->visible;
    r->plan->keys[r->plan->keys_num++] = (struct orma_columnar_key){.col = (unsigned)col};
}

/* The operand behind the key that was added last. */
static void extend_key(struct orma_columnar_reader *r)
{
    if (r->no || !r->plan->keys_num || r->tok.kind != ORMA_TOK_OPERATOR)
        return;
    struct orma_columnar_key *key = &r->plan->keys[r->plan->keys_num - 1];
    if (!orma_columnar_read_operand(r, key->col, key))
        give_up(r);
}

/* [AS] name, and then the end of the element. */
static void read_alias(struct orma_columnar_reader *r, uint32_t end)
{
    if (r->tok.kind == ORMA_TOK_END || r->tok.at >= end)
        return;
    accept(r, "as");
    if (is_name(r->tok))
        next(r);
    if (r->tok.kind != ORMA_TOK_END && r->tok.at < end)
        give_up(r);
}

/* GROUP BY 2, or GROUP BY alias. */
static void add_key_of_element(struct orma_columnar_reader *r)
{
    struct orma_token tok = r->tok;
    int found = -1;

    if (tok.kind == ORMA_TOK_NUMBER) {
        uint64_t n;

        if (orma_str_to_u64(tok_text(r, tok), &n) && n && n <= r->elements_num)
            found = (int)n - 1;
    } else if (is_name(tok)) {
        for (unsigned i = 0; i < r->elements_num && found < 0; i++) {
            const char *name = sqlite3_column_name(r->stmt, (int)i);

            if (name && orma_columnar_same_name(tok_text(r, tok), name))
                found = (int)i;
        }
    }
    if (found < 0 || found >= (int)r->elements_num) {
        give_up(r);
        return;
    }
    go_to(r, r->elements[found].at);
    add_key(r, orma_columnar_read_column(r));
    if (r->tok.at < r->elements[found].end)
        extend_key(r);
    read_alias(r, r->elements[found].end);
    go_to(r, tok.at + tok.len);
}

static void read_group(struct orma_columnar_reader *r)
{
    if (!r->group.end)
        return;
    r->plan->grouped = true;
    go_to(r, r->group.at);
    for (;;) {
        int col = orma_columnar_read_column(r);

        if (col >= 0) {
            add_key(r, col);
            if (r->tok.at < r->group.end)
                extend_key(r);
        } else if (!r->no) {
            add_key_of_element(r);
        }
        if (r->no || r->tok.kind != ORMA_TOK_COMMA)
            break;
        next(r);
    }
    if (!r->no && r->tok.kind != ORMA_TOK_END && r->tok.at < r->group.end)
        give_up(r);
}

/*
 * SQLite gives groups in falling order of a key where the term of ORDER BY in the same place falls,
 * if both lists are equally long, whatever the terms are: it shows in rows that ORDER BY leaves
 * equal.
 */
static void read_directions(struct orma_columnar_reader *r)
{
    bool desc[ORMA_COLUMNAR_KEYS_MAX] = {false};
    unsigned terms = 1;
    int depth = 0;

    if (!r->group.end || !r->order.end)
        return;
    for (go_to(r, r->order.at); r->tok.kind != ORMA_TOK_END && r->tok.at < r->order.end; next(r)) {
        depth += (r->tok.kind == ORMA_TOK_OPEN) - (r->tok.kind == ORMA_TOK_CLOSE);
        terms += depth == 0 && r->tok.kind == ORMA_TOK_COMMA;
        if (depth == 0 && terms <= ORMA_COLUMNAR_KEYS_MAX && is(r, "desc"))
            desc[terms - 1] = true;
    }
    for (unsigned i = 0; i < r->plan->keys_num && terms == r->plan->keys_num; i++)
        r->plan->keys[i].desc = desc[i];
}

static void read_distinct(struct orma_columnar_reader *r)
{
    if (!r->distinct)
        return;
    if (r->group.end || r->order.end || r->having.end)
        give_up(r);
    r->plan->grouped = r->plan->first_order = true;
    for (unsigned i = 0; i < r->elements_num && !r->no; i++)
        add_key(r, orma_columnar_column_of_element(r, i));
}

bool orma_columnar_read_statement(struct orma_columnar_reader *r)
{
    go_to(r, 0);
    if (!accept(r, "select"))
        return false;
    orma_columnar_read_elements(r);
    if (!r->no)
        read_from(r);
    if (!r->no)
        read_clauses(r);
    return !r->no;
}

/* Doubles that are added in another order give another sum. */
static void check_order(struct orma_columnar_reader *r)
{
    for (unsigned i = 0; i < r->plan->aggs_num && r->order_inside.len; i++) {
        enum orma_agg agg = r->plan->aggs[i].agg;

        if ((agg == ORMA_AGG_SUM || agg == ORMA_AGG_AVG) &&
            orma_columnar_type_letter(r->v->table, r->plan->aggs[i].col) == 'd')
            give_up(r);
    }
}

bool orma_columnar_parse(struct orma_str text, sqlite3_stmt *stmt, const struct orma_vtab *v,
                         struct orma_str order_inside, struct orma_columnar_plan *plan,
                         struct orma_buf *rewritten)
{
    struct orma_columnar_reader r = {.text = text,
                                     .v = v,
                                     .stmt = stmt,
                                     .plan = plan,
                                     .out = rewritten,
                                     .order_inside = order_inside};
    struct orma_buf query = {0};

    if (!orma_columnar_read_statement(&r))
        return false;
    if (r.elements_num != (unsigned)sqlite3_column_count(stmt))
        give_up(&r); /* a star */
    void (*const steps[])(struct orma_columnar_reader *) = {read_where,
                                                            read_group,
                                                            read_directions,
                                                            read_distinct,
                                                            orma_columnar_check_aliases,
                                                            orma_columnar_put_statement,
                                                            check_order,
                                                            read_values};
    for (size_t i = 0; i < ORMA_ARRAY_LEN(steps) && !r.no; i++)
        steps[i](&r);
    if (r.no || (!plan->aggs_num && !plan->grouped) || rewritten->failed)
        return false;
    orma_columnar_put_query(&r, &query);
    plan->query = query.failed ? NULL : orma_str_dup(orma_buf_str(&query));
    orma_buf_fini(&query);
    plan->name = orma_sql_unquote(r.table);
    return plan->query && plan->name;
}
