/* The small pieces of a statement: names, columns, a column with an operator and a number. */
#include "processor/sql/columnar/columnar_reader.h"

#include <stdio.h>
#include <stdlib.h>

bool orma_columnar_same_name(struct orma_str written, const char *name)
{
    char *plain = orma_sql_unquote(written);
    bool same = plain && !sqlite3_stricmp(plain, name);

    free(plain);
    return same;
}

static bool same_names(struct orma_str a, struct orma_str b)
{
    char *plain = orma_sql_unquote(b);
    bool same = plain && orma_columnar_same_name(a, plain);

    free(plain);
    return same;
}

int orma_columnar_find_column(const struct orma_columnar_reader *r, struct orma_str name)
{
    for (int i = 0; i < r->v->columns_num; i++) {
        if (orma_columnar_same_name(name, orma_vtab_column_name(r->v, i)))
            return i;
    }
    return -1;
}

int orma_columnar_read_column(struct orma_columnar_reader *r)
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
    int col = is_name(r->tok) ? orma_columnar_find_column(r, name) : -1;
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

char orma_columnar_type_letter(const struct orma_table *t, unsigned col)
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

bool orma_columnar_read_operand(struct orma_columnar_reader *r, unsigned col,
                                struct orma_columnar_key *ret)
{
    struct orma_token op = r->tok, number, after;
    char digits[24];
    char *end;

    if (op.kind != ORMA_TOK_OPERATOR || op.len != 1 || !strchr("+-*/%", r->text.data[op.at]) ||
        orma_columnar_type_letter(r->v->table, col) != 'i')
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

int orma_columnar_column_of_element(struct orma_columnar_reader *r, unsigned idx)
{
    struct orma_columnar_span e = r->elements[idx];

    go_to(r, e.at);
    int col = orma_columnar_read_column(r);
    if (col >= 0 && r->tok.at < e.end && r->tok.kind != ORMA_TOK_END) {
        accept(r, "as");
        if (is_name(r->tok))
            next(r);
        if (r->tok.kind != ORMA_TOK_END && r->tok.at < e.end)
            return -1;
    }
    return col;
}
