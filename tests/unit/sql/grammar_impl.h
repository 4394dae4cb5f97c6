/*
 * What the two halves of the grammar (grammar.h) share: queries are made of expressions, and
 * expressions have queries in them.
 */
#ifndef ORMA_TESTS_UNIT_SQL_GRAMMAR_IMPL_H
#define ORMA_TESTS_UNIT_SQL_GRAMMAR_IMPL_H
#include <string.h>

#include "sdk/base/defs.h"
#include "tests/unit/sql/grammar.h"

/* Deeper expressions have no parts but columns and literals. */
#define GRAMMAR_DEPTH_MAX 3
#define GRAMMAR_QUERIES_MAX 3

static inline bool chance(struct gen *g, uint32_t one_in)
{
    return !below(g, one_in);
}

static inline enum grammar_type any_type(struct gen *g)
{
    return (enum grammar_type)below(g, GRAMMAR_TYPES);
}

/* What `write` writes, apart. */
#define APART(g, write)                                                                            \
    __extension__({                                                                                \
        struct orma_buf before_ = (g)->text;                                                       \
        (g)->text = (struct orma_buf){0};                                                          \
        write;                                                                                     \
        struct orma_buf apart_ = (g)->text;                                                        \
        (g)->text = before_;                                                                       \
        apart_;                                                                                    \
    })

static inline void put_apart(struct gen *g, struct orma_buf *apart)
{
    PUT(g, "%s", orma_buf_cstr(apart));
    orma_buf_fini(apart);
}

/* grammar_expr.c */
void grammar_put_column_of(struct gen *g, const struct grammar_source *s, unsigned at);
void grammar_put_literal(struct gen *g, enum grammar_type type);
void grammar_put_value(struct gen *g, enum grammar_type type);
void grammar_put_condition(struct gen *g);
void grammar_put_aggregate(struct gen *g, enum grammar_type type);
void grammar_put_window(struct gen *g, enum grammar_type type);

/* grammar.c: a query inside of others. */
void grammar_put_query(struct gen *g, struct grammar_shape *shape);
#endif
