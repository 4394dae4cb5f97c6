/*
 * INCLUDE PERFETTO MODULE: which modules a key means, and running them.
 *
 * A module is in one of four states. RUNNING finds cycles; FAILED stays, because
 * half of its tables may exist:
 *
 *     NEW ──► RUNNING ──► DONE        a second INCLUDE does nothing
 *                    └──► FAILED      a second INCLUDE fails
 */
#include "processor/sql/script/modules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "processor/sql/script/deferred.h"
#include "processor/sql/script/hint.h"
#include "processor/sql/script/runner.h"
#include "processor/sql/script/stub.h"

static int run_statements(struct orma_sql *sql, struct orma_runner *runner)
{
    struct orma_sql_stmt *stmt;
    int r;

    while ((r = orma_runner_next(runner, &stmt)) > 0) {
        bool output = orma_sql_stmt_has_output(stmt);

        while ((r = orma_sql_stmt_step(stmt)) > 0)
            ;
        orma_sql_stmt_free(stmt);
        if (r < 0 && runner->lenient)
            r = orma_stub_make(sql, NULL, r);
        if (r < 0)
            return r;
        if (output)
            return orma_sql_error_set(&sql->error, NULL, 0,
                                      "INCLUDE: Included module returning values.");
    }
    return r;
}

/* A module that cannot be run (again). */
static int refuse_module(struct orma_sql *sql, const struct orma_package_module *m)
{
    if (m->state == ORMA_MODULE_RUNNING)
        return orma_sql_error_set(&sql->error, NULL, 0,
                                  "INCLUDE: cycle detected — module '%s' is already mid-import in "
                                  "this execution.",
                                  m->key);
    return orma_sql_error_set(&sql->error, NULL, 0,
                              "INCLUDE: module '%s' poisoned by earlier failure: %s", m->key,
                              m->failure ? m->failure : "out of memory");
}

static void note_failure(struct orma_sql *sql, struct orma_package_module *m)
{
    m->state = ORMA_MODULE_FAILED;
    free(m->failure);
    m->failure = orma_str_dup(orma_buf_str(&sql->error.message)); /* best effort */
}

/* The prelude is there as a whole; modules of others may do anything. */
static bool is_deferred(const struct orma_package_module *m)
{
    return !m->owned && !orma_str_starts(orma_str_from(m->key), ORMA_STR("prelude."));
}

static int run_module(struct orma_sql *sql, struct orma_package_module *m)
{
    struct orma_runner *runner;
    struct orma_buf frame = {0};
    int r;

    if (m->state == ORMA_MODULE_DONE)
        return 0;
    if (m->state != ORMA_MODULE_NEW)
        return refuse_module(sql, m);
    m->state = ORMA_MODULE_RUNNING;
    orma_buf_printf(&frame, "Module include \"%s\"", m->key);
    r = m->packed ? orma_packages_unpack(sql) : 0;
    if (r == 0 && is_deferred(m)) {
        r = orma_deferred_add(sql, orma_buf_cstr(&frame), m->text);
        m->state = ORMA_MODULE_DONE;
        orma_buf_fini(&frame);
        if (r < 0)
            note_failure(sql, m);
        return r;
    }
    if (r == 0)
        r = orma_runner_new(sql, orma_buf_cstr(&frame), m->text, &runner);
    orma_buf_fini(&frame);
    if (r == 0) {
        runner->lenient = sql->packages->overridden &&
                          orma_str_starts(orma_str_from(m->key), ORMA_STR("prelude."));
        r = run_statements(sql, runner);
        orma_runner_free(runner);
    }
    m->state = ORMA_MODULE_DONE;
    if (r < 0)
        note_failure(sql, m);
    return r;
}

/* Modules may add packages no more, but arrays stay put: none grows while modules run. */
static int run_matching(struct orma_sql *sql, struct orma_package *package, struct orma_str prefix)
{
    int r = 0;

    for (size_t i = 0; i < package->len && r == 0; i++) {
        if (orma_str_starts(orma_str_from(package->modules[i].key), prefix))
            r = run_module(sql, &package->modules[i]);
    }
    return r;
}

static int run_all(struct orma_sql *sql)
{
    int r = 0;

    for (size_t i = 0; i < sql->packages->len && r == 0; i++)
        r = run_matching(sql, &sql->packages->packages[i], ORMA_STR(""));
    return r;
}

static int unknown_package(struct orma_sql *sql, struct orma_str key)
{
    struct orma_str rest = key, name = key;

    (void)orma_str_cut(&rest, '.', &name);
    if (orma_str_eq_c(name, "common"))
        return orma_sql_error_set(&sql->error, NULL, 0,
                                  "INCLUDE: the package 'common' has been removed; its functions "
                                  "are in the packages 'slices', 'time', 'counters' and others");
    orma_sql_error_set(&sql->error, NULL, 0, "INCLUDE: Package '%.*s' not found",
                       ORMA_STR_ARG(key));
    orma_sql_hint(sql, key);
    return -EBADMSG;
}

static int unknown_module(struct orma_sql *sql, struct orma_str key)
{
    orma_sql_error_set(&sql->error, NULL, 0, "INCLUDE: unknown module '%.*s'", ORMA_STR_ARG(key));
    orma_sql_hint(sql, key);
    return -EBADMSG;
}

static int include(struct orma_sql *sql, struct orma_str key)
{
    struct orma_package *package = orma_packages_find_by_key(sql->packages, key);
    struct orma_package_module *m;

    if (orma_str_eq_c(key, "*"))
        return run_all(sql);
    if (!package) /* perhaps a package by its bare name */
        package = orma_packages_find(sql->packages, key);
    if (!package)
        return unknown_package(sql, key);
    if (key.len > 1 && key.data[key.len - 1] == '*' && key.data[key.len - 2] != '.')
        return orma_sql_error_set(&sql->error, NULL, 0,
                                  "syntax error near '*': it stands for all after a dot");
    if (key.data[key.len - 1] == '*')
        return run_matching(sql, package, (struct orma_str){key.data, key.len - 1});
    m = orma_package_find(package, key);
    return m ? run_module(sql, m) : unknown_module(sql, key);
}

int orma_modules_include(struct orma_sql *sql, struct orma_str key,
                         const struct orma_sql_text *text, uint32_t at)
{
    int r;

    orma_sql_enter(sql);
    r = include(sql, key);
    if (r < 0)
        orma_sql_error_wrap(&sql->error, text, at);
    orma_sql_leave(sql);
    return r == -EBADMSG ? -EINVAL : r;
}

int orma_modules_run_include(struct orma_sql *sql, const struct orma_statement *s)
{
    return orma_modules_include(sql, s->name, s->text, 0);
}

int orma_modules_run(struct orma_sql *sql, const char *prefix)
{
    struct orma_str name = {prefix, strcspn(prefix, ".")};
    struct orma_package *package = orma_packages_find(sql->packages, name);
    int r = 0;

    orma_sql_enter(sql);
    if (package)
        r = run_matching(sql, package, orma_str_from(prefix));
    orma_sql_leave(sql);
    return r;
}
