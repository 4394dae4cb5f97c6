/* Span joins: one side, as a stream of pieces without a hole. */
#include "processor/sql/operators/span_join.h"

int orma_span_fail(struct orma_span *v)
{
    int code = sqlite3_extended_errcode(v->sql->db);

    if (code == SQLITE_NOMEM || (code & 0xff) == SQLITE_INTERRUPT)
        return code;
    return orma_result_vtab_error(&v->base.zErrMsg, "%s", sqlite3_errmsg(v->sql->db));
}

static int64_t add_saturating(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? INT64_MIN : INT64_MAX) : sum;
}

static int64_t part_of(const struct orma_span_side *s)
{
    return s->src->part ? sqlite3_column_int64(s->stmt, s->src->part_idx) : 0;
}

static int check_integer(struct orma_span *v, struct orma_span_side *s, int col, bool nullable)
{
    int type = sqlite3_column_type(s->stmt, col);

    if (type == SQLITE_INTEGER || (nullable && type == SQLITE_NULL))
        return SQLITE_OK;
    return orma_result_vtab_error(
        &v->base.zErrMsg, "%s: column '%s' of '%s' has a value that is not an integer",
        orma_span_names[v->kind], s->src->columns[col].name, s->src->table);
}

/* The next row of the source whose partition is not NULL. */
static int fetch(struct orma_span *v, struct orma_span_side *s)
{
    const struct orma_span_source *src = s->src;
    int r;

    v->sql->run.operators++;
    do {
        r = sqlite3_step(s->stmt);
    } while (r == SQLITE_ROW && src->part &&
             sqlite3_column_type(s->stmt, src->part_idx) == SQLITE_NULL);
    v->sql->run.operators--;
    s->row = r == SQLITE_ROW;
    if (r == SQLITE_DONE)
        return SQLITE_OK;
    if (!s->row)
        return orma_span_fail(v);
    r = check_integer(v, s, src->ts, false);
    if (!r && src->part)
        r = check_integer(v, s, src->part_idx, false);
    if (!r && src->dur != ORMA_SPAN_NONE)
        r = check_integer(v, s, src->dur, true);
    s->row_ts = sqlite3_column_int64(s->stmt, src->ts);
    s->row_end = s->row_ts;
    if (src->dur != ORMA_SPAN_NONE)
        s->row_end = add_saturating(s->row_ts, sqlite3_column_int64(s->stmt, src->dur));
    s->row_part = part_of(s);
    return r;
}

static void gap_until_row(struct orma_span_side *s, int64_t from)
{
    bool here = s->row && s->row_part == s->part_lo;

    s->piece = ORMA_PIECE_GAP;
    s->ts = from;
    s->end = here ? s->row_ts : INT64_MAX;
}

/* Partitions between the one at hand and that of the next row; empty ones included. */
static void absent_until_row(struct orma_span_side *s)
{
    s->piece = ORMA_PIECE_ABSENT;
    s->part_lo = add_saturating(s->part_hi, 1);
    s->part_hi = s->row ? s->row_part - (s->row_part != INT64_MIN) : INT64_MAX;
    s->ts = INT64_MIN;
    s->end = INT64_MAX;
}

/* Whatever piece comes next, wanted or not. */
static int advance(struct orma_span *v, struct orma_span_side *s)
{
    int r = SQLITE_OK;

    switch (s->piece) {
    case ORMA_PIECE_REAL: {
        int64_t from = orma_span_end(s);

        r = fetch(v, s);
        gap_until_row(s, from);
        break;
    }
    case ORMA_PIECE_GAP:
        if (s->row && s->row_part == s->part_lo) {
            s->piece = ORMA_PIECE_REAL;
            s->ts = s->row_ts;
            s->end = s->row_end;
        } else if (!s->src->part || s->part_hi == INT64_MAX) {
            s->piece = ORMA_PIECE_END;
        } else {
            absent_until_row(s);
        }
        break;
    case ORMA_PIECE_ABSENT:
        s->piece = ORMA_PIECE_END;
        if (s->row) {
            s->part_lo = s->part_hi = s->row_part;
            gap_until_row(s, INT64_MIN);
        }
        break;
    case ORMA_PIECE_END:
        break;
    }
    return r;
}

static bool is_wanted(const struct orma_span_side *s)
{
    switch (s->piece) {
    case ORMA_PIECE_GAP:
        return s->src->gaps && s->ts < s->end;
    case ORMA_PIECE_ABSENT:
        return s->src->absents && s->part_lo <= s->part_hi;
    case ORMA_PIECE_REAL:
    case ORMA_PIECE_END:
        break;
    }
    return true;
}

int orma_span_next(struct orma_span *v, struct orma_span_side *s)
{
    int r;

    do {
        r = advance(v, s);
        if (!r && orma_sql_is_interrupted(v->sql))
            r = SQLITE_INTERRUPT;
    } while (!r && !is_wanted(s));
    return r;
}

/* To the first piece. */
int orma_span_rewind(struct orma_span *v, struct orma_span_side *s)
{
    int r;

    (void)sqlite3_reset(s->stmt); /* a failure was reported when it happened */
    r = fetch(v, s);
    if (r)
        return r;
    if (s->src->part) {
        s->part_hi = INT64_MIN; /* everything before the first row is absent */
        absent_until_row(s);
        s->part_lo = INT64_MIN;
        if (s->row && s->row_part == INT64_MIN)
            return orma_span_next(v, s);
    } else {
        s->part_lo = s->part_hi = 0;
        gap_until_row(s, INT64_MIN);
    }
    return is_wanted(s) ? SQLITE_OK : orma_span_next(v, s);
}
