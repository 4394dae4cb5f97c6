/*
 * Statements with parameters by columns. Their values are known when the first row is asked for:
 * then the text, with a literal in place of each parameter, is offered to the executor. If it takes
 * it, what it made runs instead until the statement is reset; names of columns and the order of
 * rows are those of the statement as it was given. If it does not, or gives up later, it is not
 * asked again; and where it looked at few rows, not for the next runs. So a statement that is run
 * often costs no more than before.
 *
 * Values that no literal gives to the bit (bytes, texts with a zero byte) are left to SQLite.
 */
#ifndef ORMA_PROCESSOR_SQL_SCRIPT_BOUND_H
#define ORMA_PROCESSOR_SQL_SCRIPT_BOUND_H
#include "processor/sql/script/runner.h"

struct orma_bound {
    unsigned params;
    char **literals;     /* sqlite3_malloc; NULL: it was not bound; "": there is no literal */
    sqlite3_stmt *given; /* with parameters, while another one runs; NULL: that one runs */
    bool stepped;        /* since the last reset */
    unsigned pause;      /* runs that are not worth a plan */
};

/* Of a statement that was just prepared; NULL: its values make no difference, or memory is out. */
struct orma_bound *orma_bound_new(struct orma_sql *sql, sqlite3_stmt *stmt);
void orma_bound_free(struct orma_bound *self);

/* Before the first step after a reset. */
void orma_bound_start(struct orma_sql_stmt *stmt);

/* At a reset: the statement is the given one again. */
void orma_bound_reset(struct orma_sql_stmt *stmt);

/* The values that are bound. `literal`: of sqlite3_malloc, which goes to the statement; "": there
 * is none. */
void orma_bound_note(struct orma_sql_stmt *stmt, unsigned param, char *literal);
void orma_bound_note_int(struct orma_sql_stmt *stmt, unsigned param, int64_t value);
void orma_bound_note_double(struct orma_sql_stmt *stmt, unsigned param, double value);
void orma_bound_note_text(struct orma_sql_stmt *stmt, unsigned param, const char *text, size_t len);
#endif
