/*
 * `export`: rows of a query, or all tables, as files for other engines.
 *
 * One result is one file, which takes its name when it is whole; all tables are a folder, made
 * aside and renamed. SQLite files have all tables in one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "processor/export/csv.h"
#include "processor/export/files.h"
#include "processor/export/sqlite.h"
#include "sdk/base/replace.h"
#include "tools/load/sql_error.h"
#include "tools/shell/shell_impl.h"

/* Rows that are held at a time: a row group of Parquet, a batch of Arrow. */
#define ROWS 131072

struct format {
    const char *name;
    int (*write)(struct orma_columns *columns, FILE *out); /* NULL: text, of this form */
    enum orma_print_form form;
};
static const struct format formats[] = {
    {"parquet", orma_export_parquet, 0},
    {"arrow", orma_export_arrow, 0},
    {"csv", NULL, ORMA_PRINT_RFC4180},
    {"jsonl", NULL, ORMA_PRINT_JSON_LINES},
};

static const struct format *find_format(const char *name)
{
    for (size_t i = 0; i < ORMA_ARRAY_LEN(formats); i++) {
        if (!strcmp(formats[i].name, name))
            return &formats[i];
    }
    return NULL;
}

bool orma_shell_export_knows(const char *name)
{
    return !strcmp(name, "sqlite") || find_format(name);
}

bool orma_shell_export_has_json(const char *name)
{
    const struct format *format = find_format(name);

    return format && format->write;
}

/* What went wrong; `text` "": the error number says it. */
static int complain(const char *path, const char *text, int error)
{
    return orma_shell_complain(path, *text ? text : strerror(-error));
}

/* Takes the query. 0 or 1, with a line on stderr. */
static int write_rows(struct orma_shell *self, const struct format *format, struct orma_query *q,
                      const char *path, FILE *out)
{
    struct orma_columns *columns = NULL;
    int code = 0, r;

    if (!format->write) {
        r = orma_print_rows(q, format->form, out);
        if (r < 0)
            code = complain(path, r == -EIO ? "" : orma_processor_error(self->tp), -errno);
        orma_query_free(q);
        return code;
    }
    r = orma_columns_new(q, ROWS, false, &columns);
    if (r) {
        orma_query_free(q);
        return complain(path, "", r);
    }
    if (self->export_args)
        orma_columns_set_json(columns, "args");
    r = self->export_args ? orma_columns_settle(columns) : 0;
    if (!r && self->export_args && !orma_columns_has_json(columns)) {
        orma_columns_free(columns);
        return complain(path,
                        "--args: no column 'args' with texts: add "
                        "__intrinsic_arg_set_to_json(arg_set_id) AS args",
                        -EINVAL);
    }
    if (!r)
        r = format->write(columns, out);
    if (r)
        code = complain(path, r == -EIO ? "" : orma_columns_error(columns), r == -EIO ? -errno : r);
    orma_columns_free(columns);
    return code;
}

/* Runs all statements; the rows of the last one are the result. */
static int write_result(struct orma_shell *self, const struct format *format, const char *sql,
                        const char *path, FILE *out)
{
    struct orma_script_run *script;
    struct orma_query *q;
    int r = orma_script_open(self->tp, sql, SIZE_MAX, NULL, &script), code = -1;

    while (!r && code < 0 && (r = orma_script_step(script, &q)) == 1) {
        if (orma_script_at_end(script) && orma_query_has_columns(q)) {
            code = write_rows(self, format, q, path, out);
            break;
        }
        while ((r = orma_query_step(q)) == 1)
            ;
        orma_query_free(q);
    }
    if (r < 0)
        orma_load_print_sql_error("", "SQL", self->tp);
    else if (code < 0)
        (void)orma_shell_complain(path, "the last statement gives no rows");
    orma_script_close(script);
    return code != 0;
}

static int write_file(struct orma_shell *self, const struct format *format, const char *sql,
                      const char *path)
{
    struct orma_whole whole;
    int code, fd, r;

    if (!strcmp(path, "-")) {
        if (format->write && isatty(STDOUT_FILENO))
            return orma_shell_complain("export", "this is no text for a terminal: add -o FILE");
        return write_result(self, format, sql, "standard output", stdout);
    }
    r = orma_whole_open(&whole, path, false, 0666);
    if (r)
        return complain(path, "", r);
    fd = dup(whole.fd);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "wb");
    if (out) {
        code = write_result(self, format, sql, path, out);
        if (fclose(out) && !code)
            code = complain(path, "", -errno);
    } else {
        code = complain(path, "", -errno);
        if (fd >= 0)
            (void)close(fd); /* nothing was written */
    }
    r = orma_whole_close(&whole, code == 0);
    return code || !r ? code : complain(path, "", r);
}

/* Each table of `list` becomes a file of the folder. */
static int write_tables(struct orma_shell *self, const struct format *format,
                        struct orma_query *list, const char *folder)
{
    int code = 0, r;

    while (!code && (r = orma_query_step(list)) == 1) {
        ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0}, sql = {0};
        const char *name = orma_query_text(list, 0);

        orma_buf_printf(&path, "%s/%s.%s", folder, name, format->name);
        self->export_args = orma_query_int64(list, 1) > 0;
        orma_buf_printf(
            &sql, "SELECT *%s FROM \"%s\"",
            self->export_args ? ", __intrinsic_arg_set_to_json(arg_set_id) AS args" : "", name);
        code = path.failed || sql.failed
                   ? complain(folder, "", -ENOMEM)
                   : write_file(self, format, orma_buf_cstr(&sql), orma_buf_cstr(&path));
    }
    return code || !r ? code : orma_shell_complain(folder, orma_processor_error(self->tp));
}

static void remove_tables(struct orma_query *list, const char *folder, const char *extension)
{
    if (orma_query_reset(list))
        return; /* what is there stays */
    while (orma_query_step(list) == 1) {
        ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0};

        orma_buf_printf(&path, "%s/%s.%s", folder, orma_query_text(list, 0), extension);
        (void)unlink(orma_buf_cstr(&path)); /* not all were made */
    }
    (void)rmdir(folder); /* empty now */
}

/* What people query: tables and views that are not of the processor itself. */
static const char tables_sql[] =
    "SELECT name, ?1 AND name != 'args' AND (SELECT max(name = 'arg_set_id') > max(name = 'args') "
    "FROM pragma_table_info(m.name)) FROM sqlite_master m WHERE type IN ('table', 'view') AND "
    "name NOT GLOB '_*' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '*[^a-zA-Z0-9_]*' "
    "ORDER BY name";

static int write_folder(struct orma_shell *self, const struct format *format, const char *path)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf aside = {0};
    struct orma_query *list;

    orma_buf_printf(&aside, "%s.XXXXXX", path);
    orma_buf_put_byte(&aside, '\0');
    if (aside.failed || !mkdtemp((char *)aside.data))
        return complain(path, "", aside.failed ? -ENOMEM : -errno);
    char *folder = (char *)aside.data;
    if (orma_query_prepare(self->tp, tables_sql, SIZE_MAX, &list, NULL)) {
        (void)rmdir(folder); /* empty */
        return orma_shell_complain(path, orma_processor_error(self->tp));
    }
    (void)orma_query_bind_int64(list, 1, self->export_args); /* else it is NULL */
    mode_t mask = umask(0);
    (void)umask(mask);                 /* it had to be set to be seen */
    (void)chmod(folder, 0777 & ~mask); /* mkdtemp() made it ours alone */
    int code = write_tables(self, format, list, folder);
    /* Takes the place of an empty folder, and of nothing else. */
    if (!code && rename(folder, path) < 0)
        code = complain(path,
                        errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR
                            ? "it exists: choose another name for the folder, or remove it"
                            : "",
                        -errno);
    if (code)
        remove_tables(list, folder, format->name);
    orma_query_free(list);
    return code;
}

int orma_shell_export(struct orma_shell *self, const char *path)
{
    const struct format *format = self->export_to ? find_format(self->export_to) : NULL;
    struct orma_buf error = {0};

    if (format)
        return self->export_sql ? write_file(self, format, self->export_sql, path)
                                : write_folder(self, format, path);
    int r = orma_export_sqlite(self->tp, path, &error);
    if (r < 0)
        orma_shell_complain(path, orma_buf_cstr(&error));
    orma_buf_fini(&error);
    return r < 0;
}
