/*
 * What the generators of structured queries share. Private to structured*.c.
 *
 * Generators return the number of their WITH clause (sq_N), or -errno with the
 * error set.
 */
#ifndef ORMA_PROCESSOR_METRICS_STRUCTURED_GEN_H
#define ORMA_PROCESSOR_METRICS_STRUCTURED_GEN_H
#include "processor/metrics/structured.h"
#include "protos/fields/trace_summary.h"
#include "sdk/wire/pb_reader.h"

#define ORMA_SQ_DEPTH_MAX 50
/* The field numbers, shorter. */
#define SQ(x) ORMA_PB_PERFETTO_SQL_STRUCTURED_QUERY_##x

struct orma_sq_gen {
    struct orma_structured *s;
    struct orma_buf with; /* "sq_0 AS (...), sq_1 AS (...)" */
    int num;              /* clauses so far */
    int depth;
    struct orma_str id; /* of the innermost query with one, for errors */
    /* Queries inside of sources, and by their id: structured.c, which stands above sources. */
    int (*generate)(struct orma_sq_gen *g, struct orma_str msg);
    int (*from_shared)(struct orma_sq_gen *g, struct orma_str id);
};

/* Sets the error, with the id of the query. Returns -EINVAL. */
int orma_sq_fail(struct orma_sq_gen *g, const char *fmt, ...) ORMA_PRINTF(2, 3);

static inline struct orma_pb_reader orma_sq_reader(struct orma_str msg)
{
    return orma_pb_reader(msg.data, msg.len);
}

/* The next field `id` with a length; begin with a reader over the message. */
bool orma_sq_next_str(struct orma_pb_reader *r, uint32_t id, struct orma_str *ret);

/* A name as it is if it is plain, else in quotes. */
void orma_sq_put_name(struct orma_buf *out, struct orma_str name);

/* Lists of names, separated by zeros. */
bool orma_sq_in_list(const struct orma_buf *list, struct orma_str name);
void orma_sq_note(struct orma_buf *list, struct orma_str name);

/* Closes the clause whose text is `body`; its number. */
int orma_sq_add_clause(struct orma_sq_gen *g, struct orma_buf *body);

/* The list of the names of the columns of a clause. 0 or -errno. */
int orma_sq_columns_of(struct orma_sq_gen *g, int clause, struct orma_buf *ret);

/* Writes `prefix.column` for the columns of a clause that `seen` has not; `seen` gets them. */
int orma_sq_put_new_columns(struct orma_sq_gen *g, int clause, const char *prefix,
                            struct orma_buf *seen, struct orma_buf *out);

/* The query in the field `id`, which must be there. */
int orma_sq_inner(struct orma_sq_gen *g, struct orma_str msg, uint32_t id, const char *what);

/* Whatever source the query has. structured_source.c */
int orma_sq_from_source(struct orma_sq_gen *g, struct orma_str msg);
int orma_sq_include(struct orma_sq_gen *g, struct orma_str module);

/* ---- clauses of a query: structured_clause.c; 0 or -errno ---- */

int orma_sq_put_where(struct orma_sq_gen *g, struct orma_str msg, struct orma_buf *out);
int orma_sq_put_grouped(struct orma_sq_gen *g, struct orma_str msg, struct orma_str group,
                        int source, struct orma_buf *out);
int orma_sq_put_order(struct orma_sq_gen *g, struct orma_str msg, struct orma_buf *out);
int orma_sq_put_limit(struct orma_sq_gen *g, struct orma_str msg, struct orma_buf *out);

/* The list of columns in `field`; how many, or -errno. */
int orma_sq_put_select_list(struct orma_sq_gen *g, struct orma_str msg, uint32_t field,
                            const char *prefix, struct orma_buf *out);

/* The error of the engine, as ours. */
int orma_sq_sql_failed(struct orma_sq_gen *g, int r);
#endif
