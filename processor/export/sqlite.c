/*
 * Copies tables and views into a new database through one connection: the file is attached, CREATE
 * TABLE ... AS SELECT runs for each name, and the whole is one transaction without a journal on
 * disk, since a file that is truncated is thrown away. (A connection that is DEFENSIVE has one in
 * memory at least.)
 */
#include "processor/export/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "processor/api/processor_impl.h"
#include "processor/export/pieces.h"
#include "processor/sql/script/runner.h"
#include "processor/sql/sqlite/output_file.h"
#include "processor/sql/sqlite/temp_files.h"
#include "processor/sql/tables/proj.h"
#include "processor/store/table.h"
#include "sdk/base/fd.h"

#define SCHEMA "orma_export"

static int run(sqlite3 *db, const char *sql, struct orma_buf *error)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return 0;
    orma_buf_put_str(error, sqlite3_errmsg(db));
    return sqlite3_errcode(db) == SQLITE_FULL ? -ENOSPC : -EIO;
}

static int copy_table(sqlite3 *db, const char *name, struct orma_buf *error)
{
    char *sql = sqlite3_mprintf(
        "CREATE TABLE IF NOT EXISTS " SCHEMA ".\"%w\" AS SELECT * FROM main.\"%w\"", name, name);
    int r = sql ? run(db, sql, error) : -ENOMEM;

    sqlite3_free(sql);
    return r;
}

/* What the prelude of SQL and modules define (args, trace_bounds), and what users made: their
 * names, each with its terminator. Asking for them makes those that nobody has named so far. */
static int list_defined(struct orma_processor *tp, struct orma_buf *names, struct orma_buf *error)
{
    static const char sql[] = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND "
                              "name NOT GLOB '_*' AND name NOT GLOB 'sqlite_*' ORDER BY name";
    struct orma_query *q;
    int r = orma_query_prepare(tp, sql, ORMA_WHOLE, &q, NULL);

    if (r == 0) {
        while ((r = orma_query_step(q)) == 1)
            orma_buf_put(names, orma_query_text(q, 0), (size_t)orma_query_bytes(q, 0) + 1);
        orma_query_free(q);
    }
    if (r < 0)
        orma_buf_put_str(error, orma_processor_error(tp));
    return r < 0 ? r : names->failed ? -ENOMEM : 0;
}

/* Each once: stored tables have several names. */
static int copy_all(sqlite3 *db, const struct orma_buf *defined, struct orma_buf *error)
{
    int r = 0;

    for (size_t i = 0; i < ORMA_TABLES_NUM && r == 0; i++) {
        if (!strncmp(orma_table_defs[i].name, "__intrinsic_", 12)) /* others SQL does not see */
            r = copy_table(db, orma_table_defs[i].name, error);
    }
    for (const struct orma_proj *p = orma_vtab_projs; p->name && r == 0; p++)
        r = copy_table(db, p->name, error);
    for (const struct orma_sql_view *v = orma_sql_views; v->name && r == 0; v++)
        r = copy_table(db, v->name, error);
    for (size_t at = 0; at < defined->len && r == 0;) {
        const char *name = (const char *)defined->data + at;

        r = copy_table(db, name, error);
        at += strlen(name) + 1;
    }
    return r;
}

static int fill(struct orma_sql *sql, const struct orma_buf *defined, struct orma_buf *error)
{
    bool before = sql->given.file_access;

    if (!sqlite3_get_autocommit(sql->db)) { /* somebody has left a transaction open */
        int r = run(sql->db, "COMMIT", error);

        if (r < 0)
            return r;
    }
    sql->given.file_access = true;
    int r = run(sql->db, "ATTACH DATABASE '" ORMA_SQLITE_OUTPUT "' AS " SCHEMA, error);
    if (r < 0) {
        sql->given.file_access = before;
        return r;
    }
    r = run(sql->db,
            "PRAGMA " SCHEMA ".journal_mode = MEMORY; PRAGMA " SCHEMA ".synchronous = OFF; BEGIN",
            error);
    sql->given.file_access = before;
    if (r == 0)
        r = copy_all(sql->db, defined, error);
    if (r == 0)
        r = run(sql->db, "COMMIT", error);
    else
        (void)sqlite3_exec(sql->db, "ROLLBACK", NULL, NULL, NULL); /* the file goes anyway */
    (void)sqlite3_exec(sql->db, "DETACH DATABASE " SCHEMA, NULL, NULL, NULL); /* closes it */
    return r;
}

/* Into a file that is ours to read and write. */
static int export_file(struct orma_processor *tp, int fd, struct orma_buf *error)
{
    if (!orma_sqlite_temp_vfs()) { /* it is what knows the output */
        orma_buf_put_str(error, "this SQLite library cannot create database files");
        return -ENOTSUP;
    }
    ORMA_AUTO(orma_buf_fini) struct orma_buf defined = {0};
    int r = list_defined(tp, &defined, error);
    if (r < 0)
        return r;
    orma_sql_enter(orma_processor_sql(tp)); /* forgets interrupts of queries before */
    orma_sqlite_output_begin(fd);
    r = fill(orma_processor_sql(tp), &defined, error);
    int err = orma_sqlite_output_end();
    orma_sql_leave(orma_processor_sql(tp));

    if (err) { /* SQLite says "full" of every write that fails */
        orma_buf_clear(error);
        orma_buf_put_str(error, strerror(err));
        r = -err;
    }
    if (r == -ENOMEM && !error->len)
        orma_buf_put_str(error, "out of memory");
    return r;
}

int orma_export_sqlite_pieces(struct orma_processor *tp, orma_export_piece_fn *fn, void *ctx,
                              struct orma_buf *error)
{
    ORMA_AUTO(orma_fd_close) int fd = orma_export_temporary(error);

    if (fd < 0)
        return fd;
    int r = export_file(tp, fd, error);
    if (r == 0) {
        r = lseek(fd, 0, SEEK_SET) < 0 ? -errno : orma_export_hand_over(fd, fn, ctx);
        if (r < 0)
            orma_buf_put_str(error, strerror(-r));
    }
    return r;
}

int orma_export_sqlite(struct orma_processor *tp, int fd, struct orma_buf *error)
{
    const int flags = fcntl(fd, F_GETFL);
    struct stat st;

    if (flags >= 0 && (flags & (O_ACCMODE | O_APPEND)) == O_RDWR && fstat(fd, &st) == 0 &&
        S_ISREG(st.st_mode) && !st.st_size)
        return export_file(tp, fd, error);
    return orma_export_write(tp, orma_export_sqlite_pieces, fd, error);
}
