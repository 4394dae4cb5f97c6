/* Functions that touch files: only where the engine may (orma_sql.given.file_access). */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "processor/sql/functions/functions.h"
#include "sdk/base/fd.h"
#include "sdk/base/replace.h"

static bool may(sqlite3_context *ctx, const char *what)
{
    if (orma_sql_of(ctx)->given.file_access)
        return true;
    orma_result_error(ctx, "%s: File I/O is disabled", what);
    return false;
}

/* A path, without a zero byte inside. */
static const char *take_path(sqlite3_context *ctx, sqlite3_value *val, const char *what)
{
    bool text = sqlite3_value_type(val) == SQLITE_TEXT;
    struct orma_str s = orma_value_str(val);

    if (text && s.data && s.len && strlen(s.data) == s.len)
        return s.data;
    orma_result_error(ctx, "%s: the path must be a string", what);
    return NULL;
}

/* The error is set. */
static bool is_input(sqlite3_context *ctx, const char *path, const char *what)
{
    const struct orma_sql *sql = orma_sql_of(ctx);
    struct stat st;
    bool loaded = sql->given.input_ino && stat(path, &st) == 0 &&
                  st.st_dev == sql->given.input_dev && st.st_ino == sql->given.input_ino;

    if (!loaded && !(sql->given.is_input && sql->given.is_input(path)))
        return false;
    orma_result_error(ctx, "%s: %s is an input: it would be overwritten; name another file", what,
                      path);
    return true;
}

static void file_write(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    static const char what[] = "__intrinsic_file_write";
    const char *path;
    struct orma_whole out;

    (void)argc;
    if (!may(ctx, what))
        return;
    path = take_path(ctx, argv[0], what);
    if (!path || is_input(ctx, path, what))
        return;
    if (sqlite3_value_type(argv[1]) != SQLITE_BLOB) {
        orma_result_error(ctx, "%s: the content must be a blob", what);
        return;
    }
    int r = orma_whole_open(&out, path, false, 0666);
    if (r == 0) {
        r = orma_fd_write_all(out.fd, sqlite3_value_blob(argv[1]),
                              (size_t)sqlite3_value_bytes(argv[1]));
        int end = orma_whole_close(&out, r == 0);
        r = r < 0 ? r : end;
    }
    if (r < 0)
        orma_result_error(ctx, "%s: %s: %s", what, path, strerror(-r));
    else
        orma_result_void(ctx);
}

static void export_json(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_sql *sql = orma_sql_of(ctx);
    const char *path;
    int r;

    (void)argc;
    if (!may(ctx, "EXPORT_JSON"))
        return;
    path = take_path(ctx, argv[0], "EXPORT_JSON");
    if (!path || is_input(ctx, path, "EXPORT_JSON"))
        return;
    r = sql->given.export_json ? sql->given.export_json(sql->given.export_data, path) : -ENOSYS;
    if (r < 0)
        orma_result_error(ctx, "EXPORT_JSON: %s: %s", path, strerror(-r));
    else
        orma_result_void(ctx);
}

const struct orma_sql_func orma_functions_files[] = {
    {.name = "__intrinsic_file_write",
     .args = 2,
     .scalar = file_write,
     .usage = "(path STRING, content BYTES) -> VOID",
     .doc = "Writes a file, if SQL may write files."},
    {.name = "export_json",
     .args = 1,
     .scalar = export_json,
     .usage = "(path STRING) -> VOID",
     .doc = "Writes the trace in Chrome's JSON format, if SQL may write files."},
    {0},
};
