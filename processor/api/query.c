/*
 * Scripts of SQL, statement by statement, and queries.
 */
#include "processor/api/state.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "processor/api/cached.h"
#include "processor/api/processor_impl.h"
#include "processor/api/query_impl.h"
#include "processor/processor.h"
#include "processor/sql/engine.h"
#include "processor/sql/script/packages.h"
#include "processor/sql/script/runner.h"
#include "sdk/base/plain_locale.h"

struct orma_script_run {
    struct orma_processor *tp;
    struct orma_runner *runner;
    struct orma_str text; /* the caller's */
    unsigned statements;
};

/* ---- scripts ---- */

/* The text of the engine's error becomes ours, whatever its length. */
static int take_error(struct orma_processor *self, int r)
{
    self->error_offset = self->sql->error_offset;
    orma_buf_clear(&self->sql_error);
    orma_buf_put_str(&self->sql_error, orma_sql_error_text(self->sql));
    return r;
}

int orma_script_open(struct orma_processor *self, const char *sql, size_t len, const char *name,
                     struct orma_script_run **ret)
{
    ORMA_WITH_PLAIN_LOCALE;
    struct orma_script_run *run = calloc(1, sizeof(*run));
    struct orma_str text = {sql, !sql ? 0 : len == SIZE_MAX ? strlen(sql) : len};
    struct orma_buf frame = {0};
    int r = run ? 0 : -ENOMEM;

    self->error[0] = '\0';
    orma_buf_clear(&self->sql_error);
    orma_buf_printf(&frame, "File \"%s\"", name ? name : "stdin");
    if (!r)
        r = orma_runner_new(self->sql, orma_buf_cstr(&frame), text, &run->runner);
    orma_buf_fini(&frame);
    if (r) {
        free(run);
        return r == -ENOMEM ? orma_processor_fail(self, r, "out of memory")
                            : take_error(self, -EINVAL);
    }
    run->tp = self;
    run->text = text;
    *ret = run;
    return 0;
}

int orma_script_step(struct orma_script_run *self, struct orma_query **ret)
{
    ORMA_WITH_PLAIN_LOCALE;
    struct orma_query *query = calloc(1, sizeof(*query));
    int r;

    self->tp->error[0] = '\0';
    self->tp->import.reader.source.unchecked =
        0; /* each statement looks whether the file has changed */
    orma_buf_clear(&self->tp->sql_error);
    if (query)
        query->scratch = malloc(ORMA_QUERY_SCRATCH);
    if (!query || !query->scratch) {
        free(query);
        return orma_processor_fail(self->tp, -ENOMEM, "out of memory");
    }
    self->tp->sql->planner.by_columns = true;
    r = orma_runner_next(self->runner, &query->stmt);
    self->tp->sql->planner.by_columns = false;
    if (r <= 0) {
        free(query->scratch);
        free(query);
        return r < 0 ? take_error(self->tp, r) : 0;
    }
    orma_sql_stmt_by_columns(query->stmt);
    query->tp = self->tp;
    query->pool = &self->tp->storage.pool;
    self->statements++;
    self->tp->queries++;
    *ret = query;
    return 1;
}

size_t orma_script_offset(const struct orma_script_run *self)
{
    return orma_script_pos(&self->runner->script);
}

/* Nothing but blanks, comments and semicolons? */
static bool is_blank(struct orma_str s)
{
    for (size_t i = 0; i < s.len;) {
        const char *at = s.data + i, *end;

        if (isspace((unsigned char)*at) || *at == ';') {
            i++;
        } else if (s.len - i >= 2 && !memcmp(at, "--", 2)) {
            end = memchr(at, '\n', s.len - i);
            i = end ? (size_t)(end - s.data) : s.len;
        } else if (s.len - i >= 2 && !memcmp(at, "/*", 2)) {
            end = orma_str_find((struct orma_str){at + 2, s.len - i - 2}, ORMA_STR("*/"));
            i = end ? (size_t)(end - s.data) + 2 : s.len;
        } else {
            return false;
        }
    }
    return true;
}

bool orma_script_at_end(const struct orma_script_run *self)
{
    size_t at = orma_script_offset(self);

    return at >= self->text.len ||
           is_blank((struct orma_str){self->text.data + at, self->text.len - at});
}

void orma_script_close(struct orma_script_run *self)
{
    if (!self)
        return;
    orma_runner_free(self->runner);
    free(self);
}

/* ---- queries ---- */

int orma_query_prepare(struct orma_processor *self, const char *sql, size_t len,
                       struct orma_query **ret, const char **ret_rest)
{
    struct orma_script_run *run = NULL;
    int r = orma_script_open(self, sql, len, NULL, &run);

    *ret = NULL;
    if (r < 0)
        return r;
    r = orma_script_step(run, ret);
    if (ret_rest)
        *ret_rest = sql + orma_script_offset(run);
    orma_script_close(run);
    return r < 0 ? r : !r;
}

void orma_query_free(struct orma_query *self)
{
    if (!self)
        return;
    self->tp->queries--;
    orma_sql_stmt_free(self->stmt);
    free(self->scratch);
    free(self);
}

int orma_query_step(struct orma_query *self)
{
    ORMA_WITH_PLAIN_LOCALE;
    int r = orma_sql_stmt_step(self->stmt);

    if (ORMA_UNLIKELY(orma_cached_torn(&self->tp->cached)))
        return orma_processor_fail(self->tp, -ESTALE,
                                   "the cache file of the trace was truncated while it was in use");
    return r < 0 ? take_error(self->tp, r) : r;
}

bool orma_query_has_output(struct orma_query *self)
{
    return orma_sql_stmt_has_output(self->stmt);
}

bool orma_query_has_columns(const struct orma_query *self)
{
    return !self->stmt->no_output && sqlite3_column_count(self->stmt->stmt) > 0;
}

struct orma_str orma_query_sql(const struct orma_query *self)
{
    const struct orma_sql_stmt *stmt = self->stmt;

    if (stmt->no_output || !stmt->source)
        return orma_str_from(sqlite3_sql(stmt->stmt));
    /* As it was written: what SQLite runs may be another form of it. */
    uint32_t end = ORMA_MIN(stmt->end, stmt->source->len), at = ORMA_MIN(stmt->at, end);
    struct orma_str text = orma_str_trim((struct orma_str){stmt->source->text + at, end - at});
    while (text.len &&
           (text.data[text.len - 1] == ';' || isspace((unsigned char)text.data[text.len - 1])))
        text.len--;
    return text;
}

/* ---- modules ---- */

int orma_processor_restore(struct orma_processor *self)
{
    ORMA_WITH_PLAIN_LOCALE;
    if (self->queries)
        return orma_processor_fail(self, -EBUSY,
                                   "a query is open: free it before what it may read is dropped");
    return orma_sql_reset(self->sql) < 0 ? take_error(self, -EIO) : 0;
}

int orma_processor_add_sql_package(struct orma_processor *self, const char *dir, const char *name,
                                   bool replace, unsigned *ret_skipped)
{
    ORMA_WITH_PLAIN_LOCALE;
    int r = orma_packages_add_folder(self->sql, dir, name, replace, ret_skipped);

    return r < 0 ? take_error(self, r) : 0;
}

int orma_processor_add_sql_modules(struct orma_processor *self, const char *package,
                                   const struct orma_module_text *modules, size_t num, bool replace)
{
    ORMA_WITH_PLAIN_LOCALE;
    struct orma_sql_embedded *texts = calloc(num ? num : 1, sizeof(*texts));

    if (!texts)
        return orma_processor_fail(self, -ENOMEM, "out of memory");
    for (size_t i = 0; i < num; i++)
        texts[i] = (struct orma_sql_embedded){modules[i].key, modules[i].sql};
    int r = orma_packages_add_texts(self->sql, package, texts, num, replace);
    free(texts);
    return r < 0 ? take_error(self, r) : 0;
}

void orma_processor_close_files(struct orma_processor *self)
{
    self->sql->given.file_access = false;
}

int orma_processor_override_stdlib(struct orma_processor *self, const char *dir)
{
    ORMA_WITH_PLAIN_LOCALE;
    int r = orma_sql_override_stdlib(self->sql, dir);

    return r < 0 ? take_error(self, r) : 0;
}

unsigned orma_processor_stdlib_left_out(const struct orma_processor *self, const char **ret_first)
{
    if (self->sql->left_out)
        *ret_first = orma_buf_cstr(&self->sql->left_out_first);
    return self->sql->left_out;
}
