/*
 * Span joins: what their parts share. operators/span_join.c has the picture.
 *
 * span_describe.c reads the arguments and the columns, span_side.c walks over one
 * side, operators/span_join.c plans and joins.
 */
#ifndef ORMA_PROCESSOR_SQL_SPAN_JOIN_H
#define ORMA_PROCESSOR_SQL_SPAN_JOIN_H
#include "processor/sql/operators/operators.h"

#define ORMA_SPAN_SIDES 2
#define ORMA_SPAN_NONE (-1)

enum orma_span_kind { ORMA_SPAN_INNER, ORMA_SPAN_LEFT, ORMA_SPAN_OUTER };

extern const char *const orma_span_names[3];

struct orma_span_column {
    char *name, *type;
};

/* One input, as CREATE VIRTUAL TABLE describes it. */
struct orma_span_source {
    char *table, *part; /* NULL: not partitioned */
    struct orma_span_column *columns;
    int columns_num;
    int ts, dur, part_idx; /* columns; ORMA_SPAN_NONE: has none */
    bool gaps, absents;    /* pieces that are wanted beside the real ones */
};

/* A column of the output behind ts, dur and partition. */
struct orma_span_out {
    int side, col;
};

struct orma_span {
    sqlite3_vtab base;
    struct orma_sql *sql;
    enum orma_span_kind kind;
    struct orma_span_source sides[ORMA_SPAN_SIDES];
    const char *part; /* of either side, NULL: no partitions */
    bool mixed;       /* just one side has partitions */
    struct orma_span_out *columns;
    int columns_num, first_column;
};

enum orma_span_piece { ORMA_PIECE_REAL, ORMA_PIECE_GAP, ORMA_PIECE_ABSENT, ORMA_PIECE_END };

/* One side while it is read. */
struct orma_span_side {
    const struct orma_span_source *src;
    sqlite3_stmt *stmt;
    bool row; /* the statement stands on a row: the real piece, or the one after the gap */
    enum orma_span_piece piece;
    int64_t ts, end;
    int64_t part_lo, part_hi;          /* both included */
    int64_t row_ts, row_end, row_part; /* of the row at hand */
};

/* From the arguments of CREATE VIRTUAL TABLE to the declared columns. An SQLite code. */
int orma_span_describe(struct orma_span *v, sqlite3 *db, const char *const *args, char **ret_error);
void orma_span_fini(struct orma_span *v);

/* The error of the statement that just failed becomes that of the table. An SQLite code. */
int orma_span_fail(struct orma_span *v);

/* To the first piece, to the next one that is wanted. SQLite codes. */
int orma_span_rewind(struct orma_span *v, struct orma_span_side *s);
int orma_span_next(struct orma_span *v, struct orma_span_side *s);

static inline bool orma_span_is_required(const struct orma_span_source *src, int col)
{
    return col == src->ts || col == src->dur || col == src->part_idx;
}

/* Where a span ends: one that is still open has no length. */
static inline int64_t orma_span_end(const struct orma_span_side *s)
{
    return s->ts != INT64_MIN && s->end == s->ts - 1 ? s->ts : s->end;
}
#endif
