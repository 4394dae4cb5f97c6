/* An engine over an empty storage, and scripts whose rows are compared as text. */
#ifndef ORMA_TESTS_UNIT_SQL_ENGINE_FIXTURE_H
#define ORMA_TESTS_UNIT_SQL_ENGINE_FIXTURE_H
#include "processor/sql/script/runner.h"

struct engine {
    struct orma_storage storage;
    struct orma_sql *sql;
    struct orma_crew *crew; /* as ORMA_THREADS says */
    struct orma_buf out;
};

void engine_init(struct engine *e);
void engine_fini(struct engine *e);

/*
 * Runs a script; the rows of its statements as text: cells with blanks between
 * them, rows with '\n', NULL as NULL. A failure gives "error: " and the text.
 * Valid until the next call.
 */
const char *engine_run(struct engine *e, const char *script);

/* Fails the test unless the rows are these, or the error contains the text behind "error: ". */
void engine_expect(struct engine *e, const char *what, const char *script, const char *want);

struct engine_check {
    const char *what, *script, *want;
};

/* Each in an engine of its own; `setup` (may be NULL) is run before each script. */
void engine_checks(const char *setup, const struct engine_check *checks, size_t num);
#endif
