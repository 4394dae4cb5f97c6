/*
 * Opening and resetting a connection, in an order that matters: SQLite, then what it must not
 * offer (sqlite/guard.c), our tables, builtins and dataframes, views, the authorizer, and the
 * first stage of the prelude. The second stage of the prelude runs when the data is there.
 *
 * Views are written into the schema as rows, and read from there by SQLite together: to create
 * them one by one takes three times as long, which is a quarter of the time that opening takes.
 */
#include "processor/sql/engine.h"

#include <errno.h>
#include <stdlib.h>

#include "processor/sql/exec/exec.h"
#include "processor/sql/functions/functions.h"
#include "processor/sql/operators/operators.h"
#include "processor/sql/script/deferred.h"
#include "processor/sql/script/modules.h"
#include "processor/sql/script/runner.h"
#include "processor/sql/script/script.h"
#include "processor/sql/script/sqlstats.h"
#include "processor/sql/sqlite/forks.h"
#include "processor/sql/sqlite/guard.h"
#include "processor/sql/sqlite/temp_files.h"
#include "processor/sql/tables/dataframe_tables.h"
#include "processor/sql/tables/derived.h"
#include "processor/sql/tables/index.h"
#include "processor/sql/tables/number_texts.h"
#include "processor/sql/tables/vtab.h"
#include "processor/symbols/symbolizer.h"

static int put_view(sqlite3_stmt *insert, const struct orma_sql_view *v)
{
    int r = sqlite3_bind_text(insert, 1, v->name, -1, SQLITE_STATIC);

    if (!r)
        r = sqlite3_bind_text(insert, 2, v->sql, -1, SQLITE_STATIC);
    if (!r)
        (void)sqlite3_step(insert); /* resetting tells what was wrong */
    return r ? r : sqlite3_reset(insert);
}

static int write_views(struct orma_sql *self)
{
    sqlite3_stmt *insert = NULL;
    int r = sqlite3_prepare_v2(self->db,
                               "INSERT INTO sqlite_master(type, name, tbl_name, rootpage, sql) "
                               "VALUES('view', ?1, ?1, 0, 'CREATE VIEW ' || ?1 || ' AS ' || ?2)",
                               -1, &insert, NULL);

    for (const struct orma_sql_view *v = orma_sql_views; !r && v->name; v++)
        r = put_view(insert, v);
    sqlite3_finalize(insert);
    return r;
}

/* Before there is an authorizer, which permits none of this. */
static int make_views(struct orma_sql *self)
{
    int on;

    (void)sqlite3_db_config(self->db, SQLITE_DBCONFIG_DEFENSIVE, 0, &on);
    int r = orma_sql_run_plain(self, "PRAGMA writable_schema=ON");
    if (!r)
        r = write_views(self);
    if (!r)
        r = orma_sql_run_plain(self, "PRAGMA writable_schema=RESET");
    (void)sqlite3_db_config(self->db, SQLITE_DBCONFIG_DEFENSIVE, 1, &on);
    return r;
}

static int open_db(struct orma_sql *self)
{
    orma_sqlite_watch_forks(); /* before anything that starts SQLite */
    const char *temp = orma_sqlite_temp_vfs();
    int on = 0;

    self->planner.aggregates_replaced = false;
    self->planner.older = (struct orma_sql_older){0};
    if (sqlite3_open_v2(":memory:", &self->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, temp))
        return -EIO;
    sqlite3_extended_result_codes(self->db, 1);
    (void)sqlite3_db_config(self->db, SQLITE_DBCONFIG_DEFENSIVE, 1, &on); /* known to 3.26 */
    orma_sql_watch_steps(self);
    if (orma_sqlite_guard_apply(self) ||
        orma_sql_run_plain(self, temp ? "PRAGMA temp_store=1" : "PRAGMA temp_store=2") ||
        orma_vtab_register(self) || orma_builtins_register(self) || orma_sums_register(self->db) ||
        orma_dataframe_tables_register(self) ||
        (!orma_packages_overridden(self) && make_views(self)))
        return -EIO;
    orma_sqlite_guard_authorize(self);
    return 0;
}

static int fill_db(struct orma_sql *self)
{
    int r = open_db(self);

    self->planner.planned = false;
    self->left_out = 0;
    if (r < 0)
        return orma_sql_error_set(&self->error, NULL, 0, "SQLite: %s", sqlite3_errmsg(self->db));
    r = orma_modules_run(self, "prelude.before_eof.");
    return r < 0 || !self->given.on_open ? r : self->given.on_open(self->given.on_open_data);
}

static void close_db(struct orma_sql *self)
{
    orma_sql_user_funcs_fini(self);
    orma_sql_user_table_funcs_fini(self);
    sqlite3_close_v2(self->db);
    self->db = NULL;
    orma_operators_mipmaps_fini(self);
    orma_dataframe_tables_fini(self);
    self->dataframes.dropped = 0;
    orma_deferred_forget(self);
    orma_macros_fini(&self->macros);
    orma_indexes_fini(self);
}

int orma_sql_open(struct orma_storage *storage, struct orma_sql **ret)
{
    struct orma_sql *self = calloc(1, sizeof(*self));
    int r;

    if (!self)
        return -ENOMEM;
    self->storage = storage;
    self->builtins = &orma_sql_builtins;
    self->statements = orma_script_statements;
    self->is_steady = orma_sql_user_is_steady;
    self->need = orma_deferred_need;
    self->error_offset = -1;
    orma_exec_init(self);
    *ret = self; /* the caller reads the error and closes */
    orma_sql_enter(self);
    r = orma_packages_init(self);
    if (r == 0)
        r = fill_db(self);
    orma_sql_leave(self);
    return r == 0 || r == -ENOMEM ? r : -EIO;
}

void orma_sql_close(struct orma_sql *self)
{
    if (!self)
        return;
    close_db(self);
    orma_derived_fini(self);
    orma_number_texts_free(self->number_texts);
    orma_packages_fini(self);
    orma_sqlstats_free(self->stats);
    orma_sql_reads_fini(&self->planner.reads);
    orma_symbolizer_free(self->symbolizer);
    (void)sqlite3_close(self->plain); /* it has no statement open */
    free(self->given.binary_paths);
    free(self->given.binary_mode);
    free(self->timelines[0]);
    free(self->timelines[1]);
    orma_sql_error_fini(&self->error);
    orma_buf_fini(&self->error_text);
    orma_buf_fini(&self->left_out_first);
    free(self);
}

/* Libraries of others have the bounds in a table of their own. */
static int fill_bounds(struct orma_sql *self)
{
    char *sql;
    int r;

    if (!orma_sql_has_table(self, "_trace_bounds"))
        return 0;
    sql = sqlite3_mprintf("DELETE FROM _trace_bounds; "
                          "INSERT INTO _trace_bounds VALUES(%lld, %lld)",
                          (long long)self->bounds_start, (long long)self->bounds_end);
    r = sql ? orma_sql_run_plain(self, sql) : SQLITE_NOMEM;
    sqlite3_free(sql);
    if (r)
        orma_sql_error_set(&self->error, NULL, 0, "_trace_bounds: %s", sqlite3_errmsg(self->db));
    return r ? -EIO : 0;
}

static int finish_db(struct orma_sql *self)
{
    orma_storage_bounds(self->storage, &self->bounds_start, &self->bounds_end);
    if (orma_packages_overridden(self) && fill_bounds(self) < 0)
        return -EIO;
    /* Older libraries have no stages: what did not run yet runs now. */
    return orma_modules_run(self,
                            orma_packages_overridden(self) ? "prelude." : "prelude.after_eof.");
}

int orma_sql_data_ready(struct orma_sql *self)
{
    int r;

    self->run.data_ready = true;
    orma_sql_enter(self);
    self->run.making_anew = true;
    r = finish_db(self);
    self->run.making_anew = false;
    orma_sql_leave(self);
    return r < 0 ? -EIO : 0;
}

int orma_sql_reset(struct orma_sql *self)
{
    int r;

    orma_sql_enter(self);
    self->run.making_anew = true;
    orma_derived_undo(self);
    close_db(self);
    orma_packages_forget(self);
    r = fill_db(self);
    if (r == 0 && self->run.data_ready)
        r = finish_db(self);
    self->run.making_anew = false;
    orma_sql_leave(self);
    return r < 0 ? -EIO : 0;
}

int orma_sql_override_stdlib(struct orma_sql *self, const char *dir)
{
    int r = orma_packages_override(self, dir);

    return r < 0 ? r : orma_sql_reset(self);
}
