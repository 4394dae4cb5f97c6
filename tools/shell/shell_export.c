/*
 * `export`: rows of a query, or all tables, as files for other engines.
 *
 * One result is one file; all tables are a folder, whose files have no names until all are there.
 * SQLite files have all tables in one.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "processor/export/archive.h"
#include "processor/export/arrow_tar.h"
#include "processor/export/csv.h"
#include "processor/export/files.h"
#include "processor/export/pieces.h"
#include "processor/export/sqlite.h"
#include "sdk/base/fd.h"
#include "sdk/base/vec.h"
#include "tools/load/sql_error.h"
#include "tools/output/output.h"
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
    if (r == -ENOTSUP)
        code = complain(path,
                        "this format is written by little-endian machines only: export csv or "
                        "jsonl here, or export there",
                        r);
    else if (r)
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
        (void)orma_shell_complain(path, "the last statement returns no rows");
    orma_script_close(script);
    return code != 0;
}

static struct orma_output_want wanted(const struct orma_shell *self, const char *path)
{
    const bool orma = orma_shell_is_orma();

    return (struct orma_output_want){.program = orma_shell_program("export"),
                                     .path = path,
                                     .force = self->force || !orma || self->interactive,
                                     .quiet = !orma};
}

static int write_file(struct orma_shell *self, const struct format *format, const char *sql,
                      const char *path)
{
    struct orma_output_want want = wanted(self, path);
    struct orma_output out;

    want.binary = format->write != NULL;
    if (orma_output_open(&out, &want) < 0)
        return 1;
    FILE *file = orma_output_stream(&out);
    int code = file ? write_result(self, format, sql, path, file) : 1;
    return orma_output_close(&out, code ? -EIO : 0, "rows of a query") < 0;
}

/* ---- all tables: a folder ---- */

struct table {
    struct orma_whole file;
    char *name;
};

struct folder {
    const char *path;
    ORMA_VEC(struct table) tables;
};

/* A table becomes a file, which gets its name when all are there. */
static int write_table(struct orma_shell *self, const struct format *format, const char *name,
                       struct folder *folder)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0}, sql = {0};
    struct table table = {.name = strdup(name)};
    int code = 1;

    orma_buf_printf(&path, "%s.%s.%s", folder->path, name, format->name);
    orma_buf_printf(&sql, "SELECT *%s FROM \"%s\"",
                    self->export_args ? ", __intrinsic_arg_set_to_json(arg_set_id) AS args" : "",
                    name);
    int r = path.failed || sql.failed || !table.name
                ? -ENOMEM
                : orma_whole_open(&table.file, orma_buf_cstr(&path), false, 0666);
    if (r == 0 && ORMA_VEC_PUSH(&folder->tables, table)) {
        (void)orma_whole_close(&table.file, false); /* nothing is in it */
        r = -ENOMEM;
    }
    if (r < 0) {
        free(table.name);
        return complain(folder->path, "", r);
    }
    int fd = fcntl(table.file.fd, F_DUPFD_CLOEXEC, 3);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "wb");
    if (out) {
        code = write_result(self, format, orma_buf_cstr(&sql), folder->path, out);
        if (fclose(out) && !code)
            code = complain(folder->path, "", -errno);
    } else {
        code = complain(folder->path, "", -errno);
        orma_fd_close(&fd);
    }
    return code;
}

static int write_tables(struct orma_shell *self, const struct format *format,
                        struct orma_query *list, struct folder *folder)
{
    int code = 0, r = 0;

    while (!code && (r = orma_query_step(list)) == 1) {
        self->export_args = orma_query_int64(list, 1) > 0;
        code = write_table(self, format, orma_query_text(list, 0), folder);
    }
    return code || !r ? code : orma_shell_complain(folder->path, orma_processor_error(self->tp));
}

/* The files get their names in a folder aside, which then takes the place of an empty folder, and
 * of nothing else. Whatever goes wrong, the folder aside is gone afterwards. */
static int name_tables(struct folder *folder, const char *aside, const char *extension)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0};
    int r = 0;

    for (uint32_t i = 0; i < folder->tables.len; i++) {
        struct table *table = &folder->tables.data[i];

        orma_buf_clear(&path);
        orma_buf_printf(&path, "%s/%s.%s", aside, table->name, extension);
        if (r == 0)
            r = path.failed ? -ENOMEM : orma_whole_move(&table->file, orma_buf_cstr(&path));
        int end = orma_whole_close(&table->file, r == 0);
        r = r < 0 ? r : end;
    }
    if (r == 0 && rename(aside, folder->path) < 0)
        r = -errno;
    for (uint32_t i = 0; r < 0 && i < folder->tables.len; i++) {
        orma_buf_clear(&path);
        orma_buf_printf(&path, "%s/%s.%s", aside, folder->tables.data[i].name, extension);
        (void)unlink(orma_buf_cstr(&path)); /* not all were made */
    }
    if (r < 0)
        (void)rmdir(aside); /* empty now */
    return r;
}

static int close_folder(struct orma_shell *self, struct folder *folder, const char *extension,
                        int code)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf aside = {0};
    char what[64];
    mode_t mask = umask(0);

    (void)umask(mask); /* it had to be set to be seen */
    orma_buf_printf(&aside, "%s.XXXXXX", folder->path);
    orma_buf_put_byte(&aside, '\0');
    if (!code && (aside.failed || !mkdtemp((char *)aside.data)))
        code = complain(folder->path, "", aside.failed ? -ENOMEM : -errno);
    if (!code) {
        (void)chmod((char *)aside.data, 0777 & ~mask); /* mkdtemp() made it ours alone */
        int r = name_tables(folder, (char *)aside.data, extension);
        if (r < 0)
            code = complain(folder->path, "", r);
    }
    for (uint32_t i = 0; i < folder->tables.len; i++) {
        (void)orma_whole_close(&folder->tables.data[i].file,
                               false); /* has its name, or is nothing */
        free(folder->tables.data[i].name);
    }
    if (!code && orma_shell_is_orma()) {
        snprintf(what, sizeof(what), "%" PRIu32 " tables", folder->tables.len);
        orma_output_say(folder->path, -1, what);
    }
    ORMA_VEC_FINI(&folder->tables);
    (void)self;
    return code;
}

/* What people query: tables and views that are not of the processor itself. */
static const char tables_sql[] =
    "SELECT name, ?1 AND name != 'args' AND (SELECT max(name = 'arg_set_id') > max(name = 'args') "
    "FROM pragma_table_info(m.name)) FROM sqlite_master m WHERE type IN ('table', 'view') AND "
    "name NOT GLOB '_*' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '*[^a-zA-Z0-9_]*' "
    "ORDER BY name";

/* The place of the folder is free, or an empty folder is there? 0, or 1 with a line about it. */
static int check_folder(const char *path)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return 0; /* opening the first file tells */
    DIR *dir = S_ISDIR(st.st_mode) ? opendir(path) : NULL;
    size_t entries = 0;
    while (dir && readdir(dir))
        entries++;
    if (dir)
        (void)closedir(dir); /* only read from */
    if (dir && entries <= 2)
        return 0;
    return orma_shell_complain(path, "the folder exists: choose another name, or remove it");
}

static int write_folder(struct orma_shell *self, const struct format *format, const char *path)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf trimmed = {0};
    struct folder folder = {0};
    struct orma_query *list;
    size_t len = strlen(path);

    while (len > 1 && path[len - 1] == '/')
        len--;
    orma_buf_put(&trimmed, path, len);
    folder.path = orma_buf_cstr(&trimmed);
    if (check_folder(folder.path))
        return 1;
    if (orma_query_prepare(self->tp, tables_sql, SIZE_MAX, &list, NULL))
        return orma_shell_complain(path, orma_processor_error(self->tp));
    (void)orma_query_bind_int64(list, 1, self->export_args); /* else it is NULL */
    int code = write_tables(self, format, list, &folder);
    orma_query_free(list);
    return close_folder(self, &folder, format->name, code);
}

static int write_sqlite(struct orma_shell *self, const char *path)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf error = {0};
    struct orma_output_want want = wanted(self, path);
    struct orma_output out;

    want.binary = true;
    if (orma_output_open(&out, &want) < 0)
        return 1;
    int r = orma_export_sqlite(self->tp, out.fd, &error);
    if (r < 0 && r != -EPIPE)
        (void)orma_shell_complain(path, orma_buf_cstr(&error));
    return orma_output_close(&out, r, "all tables") < 0;
}

static int write_archive(struct orma_shell *self, orma_export_pieces_fn *export, const char *what,
                         const char *path)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf error = {0};
    struct orma_output_want want = wanted(self, path);
    struct orma_output out;

    want.binary = true;
    if (orma_output_open(&out, &want) < 0)
        return 1;
    int r = orma_export_write(self->tp, export, out.fd, &error);
    if (r < 0 && r != -EPIPE)
        (void)orma_shell_complain(path, orma_buf_cstr(&error));
    return orma_output_close(&out, r, what) < 0;
}

int orma_shell_export_check(const struct orma_shell *self)
{
    const struct format *format = self->export_to ? find_format(self->export_to) : NULL;
    const struct orma_output_want want = wanted(self, self->export_file);

    if (format && !self->export_sql)
        return check_folder(self->export_file);
    return orma_output_check(&want) < 0;
}

int orma_shell_export(struct orma_shell *self, const char *path)
{
    const struct format *format = self->export_to ? find_format(self->export_to) : NULL;

    if (!format && self->export_to && !strcmp(self->export_to, "arrow_tar"))
        return write_archive(self, orma_export_arrow_tar_pieces, "all stored tables", path);
    if (!format && self->export_to && !strcmp(self->export_to, "perfetto"))
        return write_archive(self, orma_export_archive_pieces,
                             "an archive that this version can open again", path);
    if (!format)
        return write_sqlite(self, path);
    return self->export_sql ? write_file(self, format, self->export_sql, path)
                            : write_folder(self, format, path);
}
