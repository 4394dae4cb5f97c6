#include "tests/unit/sql/engine_fixture.h"
#include "processor/sql/engine.h"
#include "processor/threads/crew.h"
#include "sdk/base/defs.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tests/support/leaks.h"

void engine_init(struct engine *e)
{
    *e = (struct engine){0};
    cr_assert_eq(orma_storage_init(&e->storage), 0);
    cr_assert_eq(orma_sql_open(&e->storage, &e->sql), 0, "%s", orma_sql_error_text(e->sql));
    e->sql->crew = e->crew = orma_crew_new(ORMA_MAX(orma_crew_from_environment(), 1u));
    cr_assert_eq(orma_sql_data_ready(e->sql), 0, "%s", orma_sql_error_text(e->sql));
}

void engine_fini(struct engine *e)
{
    orma_sql_close(e->sql);
    orma_crew_free(e->crew);
    orma_storage_fini(&e->storage);
    orma_buf_fini(&e->out);
}

static void put_row(struct engine *e, sqlite3_stmt *stmt)
{
    orma_buf_put_str(&e->out, e->out.len ? "\n" : "");
    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        const char *text = (const char *)sqlite3_column_text(stmt, i);

        orma_buf_printf(&e->out, "%s%s", i ? " " : "", text ? text : "NULL");
    }
}

const char *engine_run(struct engine *e, const char *script)
{
    struct orma_runner *runner;
    struct orma_sql_stmt *stmt;
    int r;

    orma_buf_clear(&e->out);
    r = orma_runner_new(e->sql, "File \"stdin\"", orma_str_from(script), &runner);
    cr_assert_eq(r, 0);
    while ((r = orma_runner_next(runner, &stmt)) > 0) {
        bool output = orma_sql_stmt_has_output(stmt);

        while ((r = orma_sql_stmt_step(stmt)) > 0) {
            if (output)
                put_row(e, stmt->stmt);
        }
        orma_sql_stmt_free(stmt);
        if (r < 0)
            break;
    }
    orma_runner_free(runner);
    if (r < 0) {
        orma_buf_clear(&e->out);
        orma_buf_printf(&e->out, "error: %s", orma_sql_error_text(e->sql));
    }
    return orma_buf_cstr(&e->out);
}

void engine_expect(struct engine *e, const char *what, const char *script, const char *want)
{
    const char *got = engine_run(e, script);

    if (!strncmp(want, "error: ", 7))
        cr_assert(!strncmp(got, want, 7) && strstr(got, want + 7), "%s\n  got  <%s>\n  want <%s>",
                  what, got, want);
    else
        cr_assert(!strcmp(got, want), "%s\n  got  <%s>\n  want <%s>", what, got, want);
}

void engine_checks(const char *setup, const struct engine_check *checks, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        struct engine e;

        engine_init(&e);
        if (setup)
            (void)engine_run(&e, setup);
        cr_assert(!setup || strncmp(orma_buf_cstr(&e.out), "error: ", 7), "%s: setup %s",
                  checks[i].what, orma_buf_cstr(&e.out));
        engine_expect(&e, checks[i].what, checks[i].script, checks[i].want);
        engine_fini(&e);
    }
    orma_assert_no_leaks();
}
