/* The statement that is made of a recognised one: see columnar.h. */
#include <stdlib.h>

#include "processor/sql/columnar/columnar_reader.h"

static void copy(struct orma_columnar_reader *r, struct orma_token tok)
{
    orma_buf_put(r->out, r->text.data + tok.at, tok.len);
    orma_buf_put_str(r->out, " ");
}

static bool put_known_key(struct orma_columnar_reader *r, const struct orma_columnar_key *key)
{
    for (unsigned i = 0; i < r->plan->keys_num; i++) {
        const struct orma_columnar_key *k = &r->plan->keys[i];

        if (k->col != key->col || k->op != key->op || k->operand != key->operand)
            continue;
        orma_buf_printf(r->out, ORMA_COLUMNAR_KEY_NAME " ", i,
                        k->op ? 'n' : orma_columnar_type_letter(r->v->table, key->col));
        return true;
    }
    return false;
}

/* A column, with an operand if `whole`: nothing before it binds stronger. */
static void put_key(struct orma_columnar_reader *r, unsigned col, bool whole)
{
    struct orma_columnar_key key = {.col = col};
    uint32_t at = r->tok.at;

    if (whole && orma_columnar_read_operand(r, col, &key)) {
        if (put_known_key(r, &key))
            return;
        go_to(r, at);
        key = (struct orma_columnar_key){.col = col};
    }
    if (!put_known_key(r, &key))
        give_up(r); /* SQLite would take it from any row of the group */
}

static void put_agg(struct orma_columnar_reader *r, enum orma_agg agg, unsigned col)
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
    return t->columns[col].kind != ORMA_COL_STRING;
}

static bool find_agg(const struct orma_columnar_reader *r, enum orma_agg *ret)
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
static void read_agg(struct orma_columnar_reader *r, enum orma_agg agg)
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
        if (agg == ORMA_AGG_COUNT && accept(r, "distinct"))
            agg = ORMA_AGG_COUNT_DISTINCT;
        int stored = orma_columnar_read_column(r);

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

static bool is_safe_function(const struct orma_columnar_reader *r)
{
    static const char *const names[] = {"abs",    "round", "coalesce", "ifnull", "nullif", "iif",
                                        "cast",   "lower", "upper",    "length", "substr", "printf",
                                        "format", "hex",   "instr",    "typeof", NULL};
    static const char *const words[] = {"and",  "or",   "not",  "in", "case",    "when", "then",
                                        "else", "like", "glob", "is", "between", "by",   NULL};

    return is_any(r, r->tok, names) || is_any(r, r->tok, words);
}

/* One token, call or reference of an expression. `before`: the token before it. */
static void put_item(struct orma_columnar_reader *r, struct orma_token before)
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
    int col = orma_columnar_read_column(r);
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

static void put_expression(struct orma_columnar_reader *r, struct orma_columnar_span s)
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
static uint32_t implicit_alias(struct orma_columnar_reader *r, unsigned idx, bool *ret_explicit)
{
    struct orma_columnar_span e = r->elements[idx];
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
        orma_columnar_same_name(tok_text(r, last), name))
        return last.at;
    return e.end;
}

static void put_elements(struct orma_columnar_reader *r)
{
    for (unsigned i = 0; i < r->elements_num && !r->no; i++) {
        struct orma_columnar_span e = r->elements[i];
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

static void put_clause(struct orma_columnar_reader *r, const char *words,
                       struct orma_columnar_span s)
{
    if (!s.end)
        return;
    orma_buf_put_str(r->out, words);
    put_expression(r, s);
}

/* An alias that is the name of another column: what it means depends on where it stands. */
void orma_columnar_check_aliases(struct orma_columnar_reader *r)
{
    for (unsigned i = 0; i < r->elements_num && !r->no; i++) {
        const char *name = sqlite3_column_name(r->stmt, (int)i);
        int col = name ? orma_columnar_find_column(r, orma_str_from(name)) : -1;

        if (col >= 0 && (orma_columnar_column_of_element(r, i) < 0 || r->visible != col))
            give_up(r);
    }
}

static void put_name(const struct orma_columnar_reader *r, struct orma_buf *sql, int visible)
{
    orma_sql_put_quoted(sql, orma_str_from(orma_vtab_column_name(r->v, visible)));
}

static void put_key_text(const struct orma_columnar_reader *r, struct orma_buf *sql, unsigned key)
{
    put_name(r, sql, r->keys[key]);
    if (r->plan->keys[key].op)
        orma_buf_printf(sql, " %c %lld", r->plan->keys[key].op,
                        (long long)r->plan->keys[key].operand);
}

static void put_slice(const struct orma_columnar_reader *r, struct orma_buf *sql,
                      struct orma_columnar_span s)
{
    orma_buf_put(sql, r->text.data + s.at, s.end - s.at);
}

static void put_source(struct orma_columnar_reader *r, struct orma_buf *sql)
{
    bool ordered = r->order_inside.len;

    orma_buf_printf(sql, " FROM %s%.*s", ordered ? "(SELECT * FROM " : "", ORMA_STR_ARG(r->table));
    if (r->alias.len)
        orma_buf_printf(sql, " AS %.*s", ORMA_STR_ARG(r->alias));
    if (r->where.end) {
        orma_buf_put_str(sql, " WHERE ");
        put_slice(r, sql, r->where);
    }
    if (ordered)
        orma_buf_printf(sql, " ORDER BY %.*s LIMIT -1)", ORMA_STR_ARG(r->order_inside));
}

/* The plan as a query: keys, then aggregates. */
void orma_columnar_put_query(struct orma_columnar_reader *r, struct orma_buf *sql)
{
    static const char *const calls[] = {"count(", "count(", "count(DISTINCT ", "sum(", "avg(",
                                        "min(",   "max("};
    const struct orma_columnar_plan *plan = r->plan;

    orma_buf_put_str(sql, r->distinct ? "SELECT DISTINCT " : "SELECT ");
    for (unsigned i = 0; i < plan->keys_num; i++) {
        orma_buf_put_str(sql, i ? ", " : "");
        put_key_text(r, sql, i);
    }
    for (unsigned i = 0; i < plan->aggs_num; i++) {
        orma_buf_printf(sql, "%s%s", plan->keys_num + i ? ", " : "", calls[plan->aggs[i].agg]);
        if (r->aggs[i] < 0)
            orma_buf_put_str(sql, "*");
        else
            put_name(r, sql, r->aggs[i]);
        orma_buf_put_str(sql, ")");
    }
    put_source(r, sql);
    for (unsigned i = 0; i < plan->keys_num && !r->distinct; i++) {
        orma_buf_put_str(sql, i ? ", " : " GROUP BY ");
        put_key_text(r, sql, i);
    }
    for (unsigned i = 0; i < plan->keys_num && !r->distinct; i++) {
        orma_buf_printf(sql, "%s%u%s", i ? ", " : " ORDER BY ", i + 1,
                        plan->keys[i].desc ? " DESC" : "");
    }
}

void orma_columnar_put_statement(struct orma_columnar_reader *r)
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
