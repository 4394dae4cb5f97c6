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
#include <stdio.h>
#include <stdlib.h>

#include "processor/sql/columnar_plan.h"
#include "processor/sql/dialect/script.h"
#include "processor/sql/dialect/token.h"

#define ELEMENTS_MAX 32
#define LITERALS_MAX 256

struct span {
    uint32_t at, end;
};

struct reader {
    struct orma_str text;
    struct orma_token tok;
    bool no;
    const struct orma_vtab *v;
    sqlite3_stmt *stmt;
    struct orma_columnar_plan *plan;
    struct orma_buf *out;
    struct orma_str table, alias; /* as written */
    struct span elements[ELEMENTS_MAX];
    unsigned elements_num;
    struct span where, group, having, order, limit;
    bool distinct;
    struct span literals[LITERALS_MAX];
    unsigned literals_num;
    struct span lists[ORMA_COLUMNAR_FILTERS_MAX]; /* of `literals`, by filter */
    int visible; /* what read_column() found, as SQLite numbers it; and those of the plan: */
    int keys[ORMA_COLUMNAR_KEYS_MAX], aggs[ORMA_COLUMNAR_AGGS_MAX];
};

static void give_up(struct reader *r)
{
    r->no = true;
}

static void next(struct reader *r)
{
    r->tok = orma_token_next_solid(r->text, r->tok.at + r->tok.len);
}

static void go_to(struct reader *r, uint32_t at)
{
    r->tok = orma_token_next_solid(r->text, at);
}

static bool is(const struct reader *r, const char *word)
{
    return orma_token_is(r->text, r->tok, word);
}

static bool accept(struct reader *r, const char *word)
{
    if (r->no || !is(r, word))
        return false;
    next(r);
    return true;
}

static struct orma_str tok_text(const struct reader *r, struct orma_token tok)
{
    return orma_token_text(r->text, tok);
}

static bool is_name(struct orma_token tok)
{
    return tok.kind == ORMA_TOK_WORD || tok.kind == ORMA_TOK_QUOTED;
}

static bool is_any(const struct reader *r, struct orma_token tok, const char *const *words)
{
    for (; *words; words++) {
        if (orma_token_is(r->text, tok, *words))
            return true;
    }
    return false;
}

/* ---- the clauses ---- */

static const char *const clause_words[] = {"where", "group", "having", "order", "limit", NULL};

/* Up to the next word of a clause outside parentheses. */
static struct span read_clause(struct reader *r, bool commas_end)
{
    /* What would need a look into the expression, or would change what names mean. */
    static const char *const foreign[] = {"select", "over",      "filter", "window", "union",
                                          "except", "intersect", "exists", "raise",  NULL};
    struct span s = {r->tok.at, r->tok.at};
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

static void read_elements(struct reader *r)
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

static void read_from(struct reader *r)
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

static void read_clauses(struct reader *r)
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

/* ---- names ---- */

static bool same_name(struct orma_str written, const char *name)
{
    char *plain = orma_sql_unquote(written);
    bool same = plain && !sqlite3_stricmp(plain, name);

    free(plain);
    return same;
}

static bool same_names(struct orma_str a, struct orma_str b)
{
    char *plain = orma_sql_unquote(b);
    bool same = plain && same_name(a, plain);

    free(plain);
    return same;
}

/* The column of the table with that name, as SQLite numbers them; -1: none. */
static int find_column(const struct reader *r, struct orma_str name)
{
    for (int i = 0; i < r->v->columns_num; i++) {
        if (same_name(name, orma_vtab_column_name(r->v, i)))
            return i;
    }
    return -1;
}

/* The stored column of a reference that begins here: column, or table.column. -1: it is none. */
static int read_column(struct reader *r)
{
    struct orma_str name = tok_text(r, r->tok);
    struct orma_token dot = orma_token_next_solid(r->text, r->tok.at + r->tok.len);

    if (!is_name(r->tok))
        return -1;
    if (dot.kind == ORMA_TOK_DOT) {
        struct orma_str table = r->alias.len ? r->alias : r->table;

        if (!same_names(name, table)) {
            give_up(r);
            return -1;
        }
        next(r);
        next(r);
        name = tok_text(r, r->tok);
    }
    int col = is_name(r->tok) ? find_column(r, name) : -1;
    if (col < 0)
        return -1;
    next(r);
    if (r->tok.kind == ORMA_TOK_OPEN || r->tok.kind == ORMA_TOK_DOT) {
        give_up(r);
        return -1;
    }
    r->visible = col;
    col = orma_vtab_stored_column(r->v, col);
    if (col < 0)
        give_up(r);
    return col;
}

/* ---- WHERE ---- */

/* A number with or without a sign, a text, NULL. False: something else. */
static bool read_literal(struct reader *r)
{
    struct span s = {r->tok.at, 0};
    bool sign = r->tok.kind == ORMA_TOK_OPERATOR && r->tok.len == 1 &&
                (r->text.data[r->tok.at] == '-' || r->text.data[r->tok.at] == '+');

    if (sign)
        next(r);
    if (r->literals_num == LITERALS_MAX ||
        !(r->tok.kind == ORMA_TOK_NUMBER ||
          (!sign && (r->tok.kind == ORMA_TOK_STRING || is(r, "null")))))
        return false;
    s.end = r->tok.at + r->tok.len;
    next(r);
    r->literals[r->literals_num++] = s;
    return true;
}

static void add_filter(struct reader *r, int col, int op, unsigned first, unsigned num)
{
    struct orma_columnar_plan *plan = r->plan;

    if (plan->filters_num == ORMA_COLUMNAR_FILTERS_MAX || col < 0 ||
        !orma_filter_can(&r->v->table->def->columns[col],
                         op == ORMA_FILTER_OP_IN ? SQLITE_INDEX_CONSTRAINT_EQ : op)) {
        give_up(r);
        return;
    }
    r->lists[plan->filters_num] = (struct span){first, first + num};
    plan->filters[plan->filters_num].col = (unsigned)col;
    plan->filters[plan->filters_num++].op = op;
}

static int read_operator(struct reader *r)
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
static void read_list(struct reader *r, int col)
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

static void read_is(struct reader *r, int col)
{
    int op = accept(r, "not") ? SQLITE_INDEX_CONSTRAINT_ISNOTNULL : SQLITE_INDEX_CONSTRAINT_ISNULL;

    if (!accept(r, "null"))
        give_up(r);
    add_filter(r, col, op, r->literals_num, 0);
}

static void read_between(struct reader *r, int col)
{
    if (!read_literal(r) || !accept(r, "and") || !read_literal(r)) {
        give_up(r);
        return;
    }
    add_filter(r, col, SQLITE_INDEX_CONSTRAINT_GE, r->literals_num - 2, 1);
    add_filter(r, col, SQLITE_INDEX_CONSTRAINT_LE, r->literals_num - 1, 1);
}

static void read_comparison(struct reader *r)
{
    unsigned first = r->literals_num;
    bool literal_first = read_literal(r);
    int op = literal_first ? turned(read_operator(r)) : 0;
    int col = literal_first && !op ? -1 : read_column(r);

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
    else
        give_up(r);
}

static void read_where(struct reader *r)
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
static void read_values(struct reader *r)
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
        struct span list = r->lists[i];

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

static void add_key(struct reader *r, int col)
{
    if (col < 0 || r->plan->keys_num == ORMA_COLUMNAR_KEYS_MAX) {
        give_up(r);
        return;
    }
    r->keys[r->plan->keys_num] = r->visible;
    r->plan->keys[r->plan->keys_num++] = (struct orma_columnar_key){.col = (unsigned)col};
}

static char type_letter(const struct orma_table *t, unsigned col);

/* An operator and a positive integer behind a column, if nothing binds stronger behind them. */
static bool read_operand(struct reader *r, unsigned col, struct orma_columnar_key *ret)
{
    struct orma_token op = r->tok, number, after;
    char digits[24];
    char *end;

    if (op.kind != ORMA_TOK_OPERATOR || op.len != 1 || !strchr("+-*/%", r->text.data[op.at]) ||
        type_letter(r->v->table, col) != 'i')
        return false;
    number = orma_token_next_solid(r->text, op.at + op.len);
    after = orma_token_next_solid(r->text, number.at + number.len);
    if (number.kind != ORMA_TOK_NUMBER || number.len > 18 || after.kind == ORMA_TOK_OPERATOR ||
        is_any(r, after,
               (const char *const[]){"collate", "is", "in", "between", "like", "glob", "not",
                                     "isnull", "notnull", NULL}))
        return false;
    snprintf(digits, sizeof(digits), "%.*s", (int)number.len, r->text.data + number.at);
    ret->operand = strtoll(digits, &end, 10);
    if (*end || ret->operand < 1)
        return false;
    ret->col = col;
    ret->op = r->text.data[op.at];
    go_to(r, number.at + number.len);
    return true;
}

/* The operand behind the key that was added last. */
static void extend_key(struct reader *r)
{
    if (r->no || !r->plan->keys_num || r->tok.kind != ORMA_TOK_OPERATOR)
        return;
    struct orma_columnar_key *key = &r->plan->keys[r->plan->keys_num - 1];
    if (!read_operand(r, key->col, key))
        give_up(r);
}

/* The column that an element of the list is, alone or with an alias; -1: it is more. */
static int column_of_element(struct reader *r, unsigned idx)
{
    struct span e = r->elements[idx];

    go_to(r, e.at);
    int col = read_column(r);
    if (col >= 0 && r->tok.at < e.end && r->tok.kind != ORMA_TOK_END) {
        accept(r, "as");
        if (is_name(r->tok))
            next(r);
        if (r->tok.kind != ORMA_TOK_END && r->tok.at < e.end)
            return -1;
    }
    return col;
}

/* [AS] name, and then the end of the element. */
static void read_alias(struct reader *r, uint32_t end)
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
static void add_key_of_element(struct reader *r)
{
    struct orma_token tok = r->tok;
    int found = -1;

    if (tok.kind == ORMA_TOK_NUMBER) {
        found = atoi(r->text.data + tok.at) - 1;
    } else if (is_name(tok)) {
        for (unsigned i = 0; i < r->elements_num && found < 0; i++) {
            const char *name = sqlite3_column_name(r->stmt, (int)i);

            if (name && same_name(tok_text(r, tok), name))
                found = (int)i;
        }
    }
    if (found < 0 || found >= (int)r->elements_num) {
        give_up(r);
        return;
    }
    go_to(r, r->elements[found].at);
    add_key(r, read_column(r));
    if (r->tok.at < r->elements[found].end)
        extend_key(r);
    read_alias(r, r->elements[found].end);
    go_to(r, tok.at + tok.len);
}

static void read_group(struct reader *r)
{
    if (!r->group.end)
        return;
    r->plan->grouped = true;
    go_to(r, r->group.at);
    for (;;) {
        int col = read_column(r);

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

static void read_distinct(struct reader *r)
{
    if (!r->distinct)
        return;
    if (r->group.end || r->order.end || r->having.end)
        give_up(r);
    r->plan->grouped = r->plan->first_order = true;
    for (unsigned i = 0; i < r->elements_num && !r->no; i++)
        add_key(r, column_of_element(r, i));
}

/* ---- expressions ---- */

static void copy(struct reader *r, struct orma_token tok)
{
    orma_buf_put(r->out, r->text.data + tok.at, tok.len);
    orma_buf_put_str(r->out, " ");
}

static char type_letter(const struct orma_table *t, unsigned col)
{
    switch ((enum orma_column_kind)t->columns[col].kind) {
    case ORMA_COL_STRING:
        return 't';
    case ORMA_COL_DOUBLE:
        return 'd';
    case ORMA_COL_ID:
    case ORMA_COL_ALIAS:
    case ORMA_COL_COMPUTED:
    case ORMA_COL_INT:
        break;
    }
    return 'i';
}

static bool put_known_key(struct reader *r, const struct orma_columnar_key *key)
{
    for (unsigned i = 0; i < r->plan->keys_num; i++) {
        const struct orma_columnar_key *k = &r->plan->keys[i];

        if (k->col != key->col || k->op != key->op || k->operand != key->operand)
            continue;
        orma_buf_printf(r->out, ORMA_COLUMNAR_KEY_NAME " ", i,
                        k->op ? 'n' : type_letter(r->v->table, key->col));
        return true;
    }
    return false;
}

/* A column, with an operand if `whole`: nothing before it binds stronger. */
static void put_key(struct reader *r, unsigned col, bool whole)
{
    struct orma_columnar_key key = {.col = col};
    uint32_t at = r->tok.at;

    if (whole && read_operand(r, col, &key)) {
        if (put_known_key(r, &key))
            return;
        go_to(r, at);
        key = (struct orma_columnar_key){.col = col};
    }
    if (!put_known_key(r, &key))
        give_up(r); /* SQLite would take it from any row of the group */
}

static void put_agg(struct reader *r, enum orma_agg agg, unsigned col)
{
    struct orma_columnar_plan *plan = r->plan;
    unsigned at = 0;

    while (at < plan->aggs_num && (plan->aggs[at].agg != agg || plan->aggs[at].col != col))
        at++;
    if (at == ORMA_COLUMNAR_AGGS_MAX) {
        give_up(r);
        return;
    }
    if (at == plan->aggs_num) {
        r->aggs[at] = agg == ORMA_AGG_COUNT_ALL ? -1 : r->visible;
        plan->aggs[plan->aggs_num].agg = agg;
        plan->aggs[plan->aggs_num++].col = col;
    }
    orma_buf_printf(r->out, ORMA_COLUMNAR_AGG_NAME " ", at);
}

/* What SQLite does with the sum of such a column. */
static bool can_sum(const struct orma_table *t, unsigned col)
{
    return t->columns[col].kind != ORMA_COL_STRING &&
           (t->columns[col].width != ORMA_WIDTH_DOUBLE || orma_columnar_adds_plainly());
}

static bool find_agg(const struct reader *r, enum orma_agg *ret)
{
    static const struct {
        const char *name;
        enum orma_agg agg;
    } aggs[] = {{"count", ORMA_AGG_COUNT},
                {"sum", ORMA_AGG_SUM},
                {"avg", ORMA_AGG_AVG},
                {"min", ORMA_AGG_MIN},
                {"max", ORMA_AGG_MAX}};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(aggs); i++) {
        if (is(r, aggs[i].name)) {
            *ret = aggs[i].agg;
            return true;
        }
    }
    return false;
}

/* agg(column) or count(*), from the name on. */
static void read_agg(struct reader *r, enum orma_agg agg)
{
    unsigned col = 0;

    next(r);
    next(r);
    if (r->tok.kind == ORMA_TOK_OPERATOR && r->tok.len == 1 && r->text.data[r->tok.at] == '*') {
        if (agg != ORMA_AGG_COUNT)
            give_up(r);
        agg = ORMA_AGG_COUNT_ALL;
        next(r);
    } else {
        int stored = read_column(r);

        if (stored < 0 || ((agg == ORMA_AGG_SUM || agg == ORMA_AGG_AVG) &&
                           !can_sum(r->v->table, (unsigned)stored))) {
            give_up(r);
            return;
        }
        col = (unsigned)stored;
    }
    if (r->tok.kind != ORMA_TOK_CLOSE)
        give_up(r);
    next(r);
    put_agg(r, agg, col);
}

static bool is_safe_function(const struct reader *r)
{
    static const char *const names[] = {"abs",    "round", "coalesce", "ifnull", "nullif", "iif",
                                        "cast",   "lower", "upper",    "length", "substr", "printf",
                                        "format", "hex",   "instr",    "typeof", NULL};
    static const char *const words[] = {"and",  "or",   "not",  "in", "case",    "when", "then",
                                        "else", "like", "glob", "is", "between", "by",   NULL};

    return is_any(r, r->tok, names) || is_any(r, r->tok, words);
}

/* One token, call or reference of an expression. `before`: the token before it. */
static void put_item(struct reader *r, struct orma_token before)
{
    static const char *const verbatim_after[] = {"as", "collate", NULL};
    static const char *const rowids[] = {"rowid", "oid", "_rowid_", NULL};
    struct orma_token tok = r->tok;
    bool called = orma_token_next_solid(r->text, tok.at + tok.len).kind == ORMA_TOK_OPEN;
    enum orma_agg agg;

    if (is_any(r, before, verbatim_after) || !is_name(tok)) {
        copy(r, tok);
        next(r);
        return;
    }
    if (called) {
        if (find_agg(r, &agg)) {
            read_agg(r, agg);
        } else if (tok.kind == ORMA_TOK_WORD && is_safe_function(r)) {
            copy(r, tok);
            next(r);
        } else {
            give_up(r);
        }
        return;
    }
    int col = read_column(r);
    if (r->no)
        return;
    if (col >= 0) {
        put_key(r, (unsigned)col,
                before.kind == ORMA_TOK_END || before.kind == ORMA_TOK_COMMA ||
                    before.kind == ORMA_TOK_OPEN);
        return;
    }
    if (is_any(r, tok, rowids) || r->tok.at != tok.at)
        give_up(r);
    copy(r, tok);
    next(r);
}

static void put_expression(struct reader *r, struct span s)
{
    struct orma_token before = {ORMA_TOK_END, s.at, 0};

    go_to(r, s.at);
    while (!r->no && r->tok.kind != ORMA_TOK_END && r->tok.at < s.end) {
        struct orma_token tok = r->tok;

        put_item(r, before);
        before = tok;
    }
}

/* Where the name of an element's column begins, if it has one behind an expression; else the end.
 */
static uint32_t implicit_alias(struct reader *r, unsigned idx, bool *ret_explicit)
{
    struct span e = r->elements[idx];
    struct orma_token last = {ORMA_TOK_END, 0, 0}, before = last;
    int depth = 0;

    *ret_explicit = false;
    for (go_to(r, e.at); r->tok.kind != ORMA_TOK_END && r->tok.at < e.end; next(r)) {
        depth += (r->tok.kind == ORMA_TOK_OPEN) - (r->tok.kind == ORMA_TOK_CLOSE);
        *ret_explicit |= depth == 0 && is(r, "as");
        before = last;
        last = r->tok;
    }
    const char *name = sqlite3_column_name(r->stmt, (int)idx);
    if (!*ret_explicit && before.len && before.kind != ORMA_TOK_DOT && is_name(last) && name &&
        same_name(tok_text(r, last), name))
        return last.at;
    return e.end;
}

static void put_elements(struct reader *r)
{
    for (unsigned i = 0; i < r->elements_num && !r->no; i++) {
        struct span e = r->elements[i];
        const char *name = sqlite3_column_name(r->stmt, (int)i);
        bool has_as;

        e.end = implicit_alias(r, i, &has_as);
        if (e.at >= e.end || !name) {
            give_up(r);
            return;
        }
        orma_buf_put_str(r->out, i ? ", " : "");
        go_to(r, e.at);
        if (r->tok.kind == ORMA_TOK_OPERATOR && r->text.data[r->tok.at] == '*')
            give_up(r);
        put_expression(r, e);
        if (!has_as) {
            orma_buf_put_str(r->out, "AS ");
            orma_sql_put_quoted(r->out, orma_str_from(name));
        }
    }
}

static void put_clause(struct reader *r, const char *words, struct span s)
{
    if (!s.end)
        return;
    orma_buf_put_str(r->out, words);
    put_expression(r, s);
}

/* An alias that is the name of another column: what it means depends on where it stands. */
static void check_aliases(struct reader *r)
{
    for (unsigned i = 0; i < r->elements_num && !r->no; i++) {
        const char *name = sqlite3_column_name(r->stmt, (int)i);
        int col = name ? find_column(r, orma_str_from(name)) : -1;

        if (col >= 0 && (column_of_element(r, i) < 0 || r->visible != col))
            give_up(r);
    }
}

static void put_name(const struct reader *r, struct orma_buf *sql, int visible)
{
    orma_sql_put_quoted(sql, orma_str_from(orma_vtab_column_name(r->v, visible)));
}

static void put_key_text(const struct reader *r, struct orma_buf *sql, unsigned key)
{
    put_name(r, sql, r->keys[key]);
    if (r->plan->keys[key].op)
        orma_buf_printf(sql, " %c %lld", r->plan->keys[key].op,
                        (long long)r->plan->keys[key].operand);
}

static void put_slice(const struct reader *r, struct orma_buf *sql, struct span s)
{
    orma_buf_put(sql, r->text.data + s.at, s.end - s.at);
}

/* The plan as a query: keys, then aggregates. */
static void put_query(struct reader *r, struct orma_buf *sql)
{
    static const char *const names[] = {"count", "count", "sum", "avg", "min", "max"};
    const struct orma_columnar_plan *plan = r->plan;

    orma_buf_put_str(sql, r->distinct ? "SELECT DISTINCT " : "SELECT ");
    for (unsigned i = 0; i < plan->keys_num; i++) {
        orma_buf_put_str(sql, i ? ", " : "");
        put_key_text(r, sql, i);
    }
    for (unsigned i = 0; i < plan->aggs_num; i++) {
        orma_buf_printf(sql, "%s%s(", plan->keys_num + i ? ", " : "", names[plan->aggs[i].agg]);
        if (r->aggs[i] < 0)
            orma_buf_put_str(sql, "*");
        else
            put_name(r, sql, r->aggs[i]);
        orma_buf_put_str(sql, ")");
    }
    orma_buf_printf(sql, " FROM %.*s", ORMA_STR_ARG(r->table));
    if (r->alias.len)
        orma_buf_printf(sql, " AS %.*s", ORMA_STR_ARG(r->alias));
    if (r->where.end) {
        orma_buf_put_str(sql, " WHERE ");
        put_slice(r, sql, r->where);
    }
    for (unsigned i = 0; i < plan->keys_num && !r->distinct; i++) {
        orma_buf_put_str(sql, i ? ", " : " GROUP BY ");
        put_key_text(r, sql, i);
    }
}

static void put_statement(struct reader *r)
{
    orma_buf_put_str(r->out, "SELECT ");
    put_elements(r);
    orma_buf_put_str(r->out, " FROM __orma_columnar(?1)");
    if (r->having.end) {
        put_clause(r, " WHERE (", r->having);
        orma_buf_put_str(r->out, ")");
    }
    put_clause(r, " ORDER BY ", r->order);
    put_clause(r, " LIMIT ", r->limit);
}

bool orma_columnar_parse(struct orma_str text, sqlite3_stmt *stmt, const struct orma_vtab *v,
                         struct orma_columnar_plan *plan, struct orma_buf *rewritten)
{
    struct reader r = {.text = text, .v = v, .stmt = stmt, .plan = plan, .out = rewritten};
    struct orma_buf query = {0};

    go_to(&r, 0);
    if (!accept(&r, "select"))
        return false;
    read_elements(&r);
    if (!r.no)
        read_from(&r);
    if (!r.no)
        read_clauses(&r);
    if (!r.no && r.elements_num != (unsigned)sqlite3_column_count(stmt))
        give_up(&r); /* a star */
    void (*const steps[])(struct reader *) = {read_where,    read_group,    read_distinct,
                                              check_aliases, put_statement, read_values};
    for (size_t i = 0; i < ORMA_ARRAY_LEN(steps) && !r.no; i++)
        steps[i](&r);
    if (r.no || (!plan->aggs_num && !plan->grouped) || rewritten->failed)
        return false;
    put_query(&r, &query);
    plan->query = query.failed ? NULL : orma_str_dup(orma_buf_str(&query));
    orma_buf_fini(&query);
    plan->name = orma_sql_unquote(r.table);
    return plan->query && plan->name;
}
