/*
 * Names of result columns that rewriting would change: SQLite calls a column without a name
 * by its text, and that should be what was written.
 *
 *   SELECT if(a, 1, 2), b FROM t        SELECT iif(a, 1, 2) AS "if(a, 1, 2)", b FROM t
 */
#ifndef ORMA_PROCESSOR_SQL_DIALECT_COMPAT_NAMES_H
#define ORMA_PROCESSOR_SQL_DIALECT_COMPAT_NAMES_H
#include "processor/sql/dialect/token.h"

/* A result column that has no name of its own, and text that is rewritten. */
struct orma_compat_name {
    uint32_t at, end; /* of its text */
};

struct orma_compat_names {
    struct orma_compat_name *list; /* in order of their ends */
    size_t len, cap;
    size_t next; /* the first that was not asked for */
    bool failed; /* out of memory */
};

/* True for tokens that rewriting changes; `before` is the solid one before it, `caller` that before
 * the parenthesis around it. */
typedef bool orma_compat_is_rewritten(struct orma_str text, struct orma_token before,
                                      struct orma_token tok, struct orma_token caller);

/* Finds them in a text whose parentheses are nested no deeper than `depth_max`. */
void orma_compat_names_find(struct orma_compat_names *self, struct orma_str text,
                            unsigned depth_max, orma_compat_is_rewritten *is_rewritten);
void orma_compat_names_fini(struct orma_compat_names *self);

/* The one that ends at `end`; NULL: none does. Ends are asked for in order. */
const struct orma_compat_name *orma_compat_names_at(struct orma_compat_names *self, uint32_t end);
#endif
