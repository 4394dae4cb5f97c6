/*
 * A statement that is being recognised: columnar_parse.c reads it, columnar_write.c
 * writes it again, columnar_flatten.c does without its sub-select; what all three
 * read with is in columnar_reader.c. Private to this room.
 */
#ifndef ORMA_PROCESSOR_SQL_COLUMNAR_READER_H
#define ORMA_PROCESSOR_SQL_COLUMNAR_READER_H
#include "processor/sql/columnar/columnar_plan.h"
#include "processor/sql/dialect/script.h"
#include "processor/sql/dialect/token.h"

#define ELEMENTS_MAX 32
#define LITERALS_MAX 256

struct orma_columnar_span {
    uint32_t at, end;
};

struct orma_columnar_reader {
    struct orma_str text;
    struct orma_token tok;
    bool no;
    const struct orma_vtab *v;
    sqlite3_stmt *stmt;
    struct orma_columnar_plan *plan;
    struct orma_buf *out;
    struct orma_str table, alias; /* as written */
    struct orma_str order_inside; /* in which the rows come; empty: of the table */
    struct orma_columnar_span elements[ELEMENTS_MAX];
    unsigned elements_num;
    struct orma_columnar_span where, group, having, order, limit;
    bool distinct;
    struct orma_columnar_span literals[LITERALS_MAX];
    unsigned literals_num;
    struct orma_columnar_span lists[ORMA_COLUMNAR_FILTERS_MAX]; /* of `literals`, by filter */
    int visible; /* what orma_columnar_read_column() found, as SQLite numbers it; and those of the
                    plan: */
    int keys[ORMA_COLUMNAR_KEYS_MAX], aggs[ORMA_COLUMNAR_AGGS_MAX];
};

static inline void give_up(struct orma_columnar_reader *r)
{
    r->no = true;
}

static inline void next(struct orma_columnar_reader *r)
{
    r->tok = orma_token_next_solid(r->text, r->tok.at + r->tok.len);
}

static inline void go_to(struct orma_columnar_reader *r, uint32_t at)
{
    r->tok = orma_token_next_solid(r->text, at);
}

static inline bool is(const struct orma_columnar_reader *r, const char *word)
{
    return orma_token_is(r->text, r->tok, word);
}

static inline bool accept(struct orma_columnar_reader *r, const char *word)
{
    if (r->no || !is(r, word))
        return false;
    next(r);
    return true;
}

static inline struct orma_str tok_text(const struct orma_columnar_reader *r, struct orma_token tok)
{
    return orma_token_text(r->text, tok);
}

static inline bool is_name(struct orma_token tok)
{
    return tok.kind == ORMA_TOK_WORD || tok.kind == ORMA_TOK_QUOTED;
}

static inline bool is_any(const struct orma_columnar_reader *r, struct orma_token tok,
                          const char *const *words)
{
    for (; *words; words++) {
        if (orma_token_is(r->text, tok, *words))
            return true;
    }
    return false;
}

/* SELECT, its elements, FROM a name, clauses: into the spans. False: it is something else. */
bool orma_columnar_read_statement(struct orma_columnar_reader *r);
void orma_columnar_read_elements(struct orma_columnar_reader *r);

/* A word that begins a clause. */
bool orma_columnar_is_clause(struct orma_str text, struct orma_token tok);

/* A name as it is written (with quotes, perhaps) and one as it is meant. */
bool orma_columnar_same_name(struct orma_str written, const char *name);

/* The column of the table with that name, as SQLite numbers them; -1: none. */
int orma_columnar_find_column(const struct orma_columnar_reader *r, struct orma_str name);

/* The stored column of a reference that begins here: column, or table.column. -1: it is none. */
int orma_columnar_read_column(struct orma_columnar_reader *r);

/* The column that an element of the list is, alone or with an alias; -1: it is more. */
int orma_columnar_column_of_element(struct orma_columnar_reader *r, unsigned idx);

/* An operator and a positive integer behind a column, if nothing binds stronger behind them. */
bool orma_columnar_read_operand(struct orma_columnar_reader *r, unsigned col,
                                struct orma_columnar_key *ret);

/* i, d, t: the type that SQL sees. */
char orma_columnar_type_letter(const struct orma_table *t, unsigned col);

/* Writes the statement over __orma_columnar, and the plan as a query. columnar_write.c */
void orma_columnar_check_aliases(struct orma_columnar_reader *r);
void orma_columnar_put_statement(struct orma_columnar_reader *r);
void orma_columnar_put_query(struct orma_columnar_reader *r, struct orma_buf *sql);
#endif
