/*
 * Macros: the store, and the expansion of their calls.
 *
 * A call is name!(arg, ...), anywhere in a statement. Arguments are expanded
 * where they stand, then put for $param in the body: tokens for tokens, so what
 * was two tokens never grows together, and what a caller passes can't capture
 * anything of the body. Names that are no parameter stay as they are.
 *
 * Bounded: nesting (ORMA_MACRO_DEPTH_MAX), calls per statement
 * (ORMA_MACRO_CALLS_MAX), size (ORMA_SQL_EXPANDED_MAX), and bytes that are read and
 * written on the way (ORMA_MACRO_WORK_MAX), as each level copies those below; a
 * macro that calls itself is an error.
 */
#ifndef ORMA_PROCESSOR_SQL_DIALECT_MACRO_H
#define ORMA_PROCESSOR_SQL_DIALECT_MACRO_H
#include "processor/sql/dialect/error.h"
#include "processor/sql/dialect/text.h"

#define ORMA_MACRO_DEPTH_MAX 100
#define ORMA_MACRO_CALLS_MAX 200000
#define ORMA_MACRO_ARGS_MAX 64
#define ORMA_MACRO_WORK_MAX ((size_t)256 << 20)

struct orma_macro {
    char *name;
    char **params; /* without the $ */
    size_t params_num;
    struct orma_sql_source *body;
};

/* Zero-initialised is empty. */
struct orma_macros {
    struct orma_macro **macros;
    size_t len, cap;
};

void orma_macros_fini(struct orma_macros *self);

/* NULL if there is none. Case does not count. */
const struct orma_macro *orma_macros_find(const struct orma_macros *self, struct orma_str name);

/* Adds or replaces; everything is copied but `body`, which is referenced. 0 or -ENOMEM. */
int orma_macros_put(struct orma_macros *self, struct orma_str name, const struct orma_str *params,
                    size_t params_num, struct orma_sql_source *body);

/*
 * Appends [at, end) of `source` with all macro calls expanded to `out`, which must be empty.
 * 0; -EBADMSG or -ENOMEM with `error` set.
 */
int orma_macros_expand(const struct orma_macros *self, struct orma_sql_source *source, uint32_t at,
                       uint32_t end, struct orma_sql_text *out, struct orma_sql_error *error);
#endif
