/* What the files of the parser share: the tokens of a statement, read one after the other. */
#ifndef ORMA_PROCESSOR_SQL_EXEC_PARSE_PARSER_H
#define ORMA_PROCESSOR_SQL_EXEC_PARSE_PARSER_H
#include "processor/sql/dialect/token.h"
#include "processor/sql/exec/base/functions.h"
#include "processor/sql/exec/parse/parse.h"
#include "sdk/base/defs.h"

#define EXEC_PARSE_DEPTH_MAX 100

struct orma_exec_parser {
    struct orma_arena *arena;
    const struct orma_exec_catalog *catalog;
    struct orma_str text;
    struct orma_token tok;
    unsigned depth, nodes;
    bool no; /* something is not known here */
    /* Queries stand in expressions, and expressions in queries. */
    struct orma_exec_select *(*read_select)(struct orma_exec_parser *p);
};

static inline void next(struct orma_exec_parser *p)
{
    p->tok = orma_token_next_solid(p->text, p->tok.at + p->tok.len);
}

static inline bool is(const struct orma_exec_parser *p, const char *word)
{
    return orma_token_is(p->text, p->tok, word);
}

static inline bool accept(struct orma_exec_parser *p, const char *word)
{
    if (p->no || !is(p, word))
        return false;
    next(p);
    return true;
}

static inline void expect(struct orma_exec_parser *p, const char *word)
{
    if (!accept(p, word))
        p->no = true;
}

static inline bool is_op(const struct orma_exec_parser *p, const char *op)
{
    return p->tok.kind == ORMA_TOK_OPERATOR && orma_str_eq_c(orma_token_text(p->text, p->tok), op);
}

static inline bool accept_kind(struct orma_exec_parser *p, enum orma_tok kind)
{
    if (p->no || p->tok.kind != kind)
        return false;
    next(p);
    return true;
}

static inline void expect_kind(struct orma_exec_parser *p, enum orma_tok kind)
{
    if (!accept_kind(p, kind))
        p->no = true;
}

static inline struct orma_token peek(const struct orma_exec_parser *p)
{
    return orma_token_next_solid(p->text, p->tok.at + p->tok.len);
}

/* parser.c: zeroed memory; NULL, with `no` set: there is none. */
void *orma_exec_parser_take(struct orma_exec_parser *p, size_t size);
bool orma_exec_parser_is_name(const struct orma_exec_parser *p);
struct orma_str orma_exec_parser_name(struct orma_exec_parser *p);
/* Without quotes, doubled ones halved. */
struct orma_str orma_exec_parser_unquote(struct orma_exec_parser *p, struct orma_str s);
struct orma_exec_ast *orma_exec_parser_node(struct orma_exec_parser *p, enum orma_exec_op op);
/* With one operand, or two. */
struct orma_exec_ast *orma_exec_parser_node2(struct orma_exec_parser *p, enum orma_exec_op op,
                                             struct orma_exec_ast *a, struct orma_exec_ast *b);

/* expr.c */
struct orma_exec_ast *orma_exec_parser_expr(struct orma_exec_parser *p);
/* Of a result (with stars and aliases), or of ORDER BY and the like. */
struct orma_exec_item *orma_exec_parser_items(struct orma_exec_parser *p, bool results);
struct orma_exec_window *orma_exec_parser_window(struct orma_exec_parser *p);
#endif
