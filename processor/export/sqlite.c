/*
 * Copies tables and views into a new database through one connection: the file is attached, CREATE
 * TABLE ... AS SELECT runs for each name, and the whole is one transaction without a journal, since
 * a file that is cut off is thrown away.
 */
#include "processor/export/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "processor/api/processor_impl.h"
#include "processor/sql/script/exec.h"
#include "processor/sql/tables/proj.h"
#include "processor/store/table.h"
#include "sdk/base/fd.h"

#define SCHEMA "orma_export"
#define PIECE_BYTES ((size_t)1 << 20)

static int run(sqlite3 *db, const char *sql, struct orma_buf *error)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return 0;
    orma_buf_put_str(error, sqlite3_errmsg(db));
    return sqlite3_errcode(db) == SQLITE_FULL ? -ENOSPC : -EIO;
}

static int attach(sqlite3 *db, const char *path, struct orma_buf *error)
{
    char *sql = sqlite3_mprintf("ATTACH DATABASE %Q AS " SCHEMA, path);
    int r = sql ? run(db, sql, error) : -ENOMEM;

    sqlite3_free(sql);
    return r;
}

static int copy_table(sqlite3 *db, const char *name, struct orma_buf *error)
{
    char *sql =
        sqlite3_mprintf("CREATE TABLE " SCHEMA ".\"%w\" AS SELECT * FROM main.\"%w\"", name, name);
    int r = sql ? run(db, sql, error) : -ENOMEM;

    sqlite3_free(sql);
    return r;
}

/* Each once: stored tables have several names. */
static int copy_all(sqlite3 *db, struct orma_buf *error)
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
    return r;
}

static int fill(struct orma_sql *sql, const char *path, struct orma_buf *error)
{
    bool before = sql->file_access;

    if (!sqlite3_get_autocommit(sql->db)) { /* somebody has left a transaction open */
        int r = run(sql->db, "COMMIT", error);

        if (r < 0)
            return r;
    }
    sql->file_access = true;
    int r = attach(sql->db, path, error);
    if (r < 0) {
        sql->file_access = before;
        return r;
    }
    r = run(sql->db,
            "PRAGMA " SCHEMA ".journal_mode = OFF; PRAGMA " SCHEMA ".synchronous = OFF; BEGIN",
            error);
    sql->file_access = before;
    if (r == 0)
        r = copy_all(sql->db, error);
    if (r == 0)
        r = run(sql->db, "COMMIT", error);
    else
        (void)sqlite3_exec(sql->db, "ROLLBACK", NULL, NULL, NULL); /* the file goes anyway */
    (void)sqlite3_exec(sql->db, "DETACH DATABASE " SCHEMA, NULL, NULL, NULL); /* closes it */
    return r;
}

/* Makes the file, of which SQLite would not say what is wrong with it. */
static int make(const char *path, struct orma_buf *error)
{
    ORMA_AUTO(orma_fd_close) int fd = -1;

    (void)unlink(path); /* of a process that was killed */
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    int r = fd < 0 ? -errno : 0;
    if (r < 0)
        orma_buf_put_str(error, strerror(-r));
    return r;
}

int orma_export_sqlite(struct orma_processor *tp, const char *path, struct orma_buf *error)
{
    struct orma_buf part = {0};
    int r;

    if (!orma_fd_can_replace(path)) {
        orma_buf_put_str(error, "not a regular file");
        return -EEXIST;
    }
    orma_buf_printf(&part, "%s.part%d", path, (int)getpid());
    r = part.failed ? -ENOMEM : make(orma_buf_cstr(&part), error);
    if (r < 0)
        goto out;
    orma_sql_exec_enter(orma_processor_sql(tp)); /* forgets interrupts of queries before */
    r = fill(orma_processor_sql(tp), orma_buf_cstr(&part), error);
    orma_sql_exec_leave(orma_processor_sql(tp));
    if (r == 0 && rename(orma_buf_cstr(&part), path) < 0) {
        r = -errno;
        orma_buf_put_str(error, strerror(-r));
    }
    if (r < 0)
        (void)unlink(orma_buf_cstr(&part)); /* half of it is none */
out:
    if (r == -ENOMEM && !error->len)
        orma_buf_put_str(error, "out of memory");
    orma_buf_fini(&part);
    return r;
}

/* Exactly what read() gives until the end; the last piece is known by the next one being empty. */
static int hand_over(int fd, orma_export_piece_fn *fn, void *ctx)
{
    uint8_t *block = malloc(2 * PIECE_BYTES), *now = block, *next = block + PIECE_BYTES;
    ssize_t len = block ? read(fd, now, PIECE_BYTES) : -1, then = 1;
    bool wanted = true;

    while (len > 0 && then > 0 && wanted) {
        then = read(fd, next, PIECE_BYTES);
        if (then < 0)
            break;
        wanted = fn(ctx, now, (size_t)len, then > 0);
        uint8_t *swap = now;
        now = next;
        next = swap;
        len = then;
    }
    int r = !block ? -ENOMEM : len < 0 || then < 0 ? -errno : 0;
    free(block);
    return r;
}

int orma_export_sqlite_pieces(struct orma_processor *tp, orma_export_piece_fn *fn, void *ctx,
                              struct orma_buf *error)
{
    const char *tmp = getenv("TMPDIR");
    struct orma_buf path = {0};
    char dir[256];
    int r = 0;

    snprintf(dir, sizeof(dir), "%.200s/orma-export-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(dir)) {
        r = -errno;
        orma_buf_printf(error, "%s: %s", dir, strerror(-r));
        return r;
    }
    orma_buf_printf(&path, "%s/trace.db", dir);
    r = orma_export_sqlite(tp, orma_buf_cstr(&path), error);
    if (r == 0) {
        ORMA_AUTO(orma_fd_close) int fd = open(orma_buf_cstr(&path), O_RDONLY | O_CLOEXEC);

        r = fd < 0 ? -errno : hand_over(fd, fn, ctx);
        if (r < 0)
            orma_buf_put_str(error, strerror(-r));
    }
    (void)unlink(orma_buf_cstr(&path)); /* may not have come to be */
    (void)rmdir(dir);
    orma_buf_fini(&path);
    return r;
}
