/*
 * Metrics with files: --run NAME.sql registers the pair NAME.proto and NAME.sql; extensions
 * are folders of both, registered under a virtual path. Messages are added before SQL, all
 * at once, since they may use one another. Then the metrics are computed and printed.
 */
#include "tools/shell/shell_metrics.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "processor/metrics/metrics.h"
#include "sdk/base/fd.h"
#include "sdk/base/path.h"
#include "sdk/base/vec.h"
#include "tools/shell/shell.h"
#include "tools/shell/shell_impl.h"

#define FILES_MAX 1000
#define FILE_BYTES_MAX ((size_t)16 << 20)
#define FOLDERS_DEEP 16

const struct orma_option orma_shell_metrics_options[] = {
    {ORMA_SHELL_METRICS_RUN, 0, "run", "NAMES",
     "The metrics, separated by commas; NAME.sql is a file, with NAME.proto beside it."},
    {ORMA_SHELL_METRICS_PRE, 0, "pre", "FILE", "Run the SQL in FILE before."},
    {ORMA_SHELL_METRICS_OUTPUT, 0, "output", "FORM", "text (the default), binary or json."},
    {ORMA_SHELL_METRICS_EXTENSION, 0, "metric-extension", "DISK@VIRTUAL",
     "Metrics in DISK/sql, with messages in DISK/protos; may be repeated."},
    {ORMA_SHELL_METRICS_POST_QUERY, 0, "post-query", "FILE",
     "Print the rows of the SQL in FILE instead of the metrics."},
    {ORMA_SHELL_PERF_FILE, 0, "perf-file", "FILE", "Write the times of load and query, in ns."},
    {ORMA_SHELL_INTERACTIVE, 'i', "interactive", NULL, "Then open a prompt."},
    ORMA_SHELL_GLOBAL_OPTIONS,
    {0},
};

/* ---- files ---- */

struct files {
    struct file {
        char *path; /* below the folder */
        struct orma_buf text;
    } * files;
    size_t num, cap;
    bool failed;
};

static void files_fini(struct files *self)
{
    for (size_t i = 0; i < self->num; i++) {
        free(self->files[i].path);
        orma_buf_fini(&self->files[i].text);
    }
    free(self->files);
}

static void add_file(struct files *self, const char *folder, const char *path)
{
    struct orma_buf full = {0};

    if (self->num == FILES_MAX || ORMA_GROW(&self->files, &self->cap, self->num + 1)) {
        self->failed = true;
        return;
    }
    struct file *f = &self->files[self->num++];
    *f = (struct file){.path = strdup(path)};
    orma_buf_printf(&full, "%s/%s", folder, path);
    int r = orma_fd_read_file(AT_FDCWD, orma_buf_cstr(&full), FILE_BYTES_MAX, &f->text);
    if (r < 0 || !f->path) {
        orma_shell_complain(orma_buf_cstr(&full), strerror(r < 0 ? -r : ENOMEM));
        self->failed = true;
    }
    orma_buf_fini(&full);
}

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), num = strlen(end);

    return len >= num && !strcmp(text + len - num, end);
}

/* All files below folder/sub that end in `suffix`, in order of their names. */
static void read_folder(struct files *self, const char *folder, const char *sub, const char *suffix,
                        unsigned depth)
{
    struct orma_buf path = {0};
    struct dirent **entries = NULL;

    orma_buf_printf(&path, "%s/%s", folder, sub);
    int num = depth > FOLDERS_DEEP ? -1 : scandir(orma_buf_cstr(&path), &entries, NULL, alphasort);
    for (int i = 0; i < num; i++) {
        const char *name = entries[i]->d_name;
        struct stat st;

        orma_buf_clear(&path);
        orma_buf_printf(&path, "%s%s%s", sub, *sub ? "/" : "", name);
        struct orma_buf full = {0};
        orma_buf_printf(&full, "%s/%s", folder, orma_buf_cstr(&path));
        if (name[0] != '.' && !stat(orma_buf_cstr(&full), &st)) {
            if (S_ISDIR(st.st_mode))
                read_folder(self, folder, orma_buf_cstr(&path), suffix, depth + 1);
            else if (S_ISREG(st.st_mode) && ends_with(name, suffix))
                add_file(self, folder, orma_buf_cstr(&path));
        }
        orma_buf_fini(&full);
        free(entries[i]);
    }
    free(entries);
    orma_buf_fini(&path);
}

static int metrics_failed(struct orma_shell *sh)
{
    fprintf(stderr, "%s\n", orma_metrics_error(orma_processor_metrics(sh->tp)));
    return 1;
}

/* Messages first, all at once: they may use one another. */
static int add_protos(struct orma_shell *sh, const struct files *f)
{
    struct orma_proto_source *sources = calloc(f->num + 1, sizeof(*sources));
    int r = sources ? 0 : -ENOMEM;

    for (size_t i = 0; i < f->num && sources; i++)
        sources[i] = (struct orma_proto_source){f->files[i].path, orma_buf_str(&f->files[i].text)};
    if (sources && f->num)
        r = orma_metrics_add_protos(orma_processor_metrics(sh->tp), sources, f->num);
    free(sources);
    return r < 0 ? metrics_failed(sh) : 0;
}

static int add_sql(struct orma_shell *sh, const struct files *f, const char *virtual)
{
    for (size_t i = 0; i < f->num; i++) {
        struct orma_buf path = {0};

        orma_buf_printf(&path, "%s%s%s", virtual, *virtual ? "/" : "", f->files[i].path);
        int r = orma_metrics_add_sql(orma_processor_metrics(sh->tp), orma_buf_cstr(&path),
                                     orma_buf_str(&f->files[i].text));
        orma_buf_fini(&path);
        if (r < 0)
            return metrics_failed(sh);
    }
    return 0;
}

static int add_folder(struct orma_shell *sh, const char *disk, const char *virtual)
{
    struct files protos = {0}, sql = {0};
    struct orma_buf path = {0};
    int code = 1;

    orma_buf_printf(&path, "%s/protos", disk);
    read_folder(&protos, orma_buf_cstr(&path), "", ".proto", 0);
    orma_buf_clear(&path);
    orma_buf_printf(&path, "%s/sql", disk);
    read_folder(&sql, orma_buf_cstr(&path), "", ".sql", 0);
    if (!protos.failed && !sql.failed)
        code = add_protos(sh, &protos);
    if (!code)
        code = add_sql(sh, &sql, virtual);
    files_fini(&protos);
    files_fini(&sql);
    orma_buf_fini(&path);
    return code;
}

static void trim_slashes(char *text)
{
    size_t len = strlen(text);

    while (len > 1 && text[len - 1] == '/')
        text[--len] = '\0';
}

static int check_extension(const struct orma_shell *sh, size_t idx, const char *disk,
                           const char *virtual)
{
    const char *spec = sh->metrics.extensions[idx];
    struct stat st;

    if (!strcmp(virtual, "/") && !sh->dev)
        return orma_shell_complain(spec, "replacing all metrics (@/) needs --dev");
    if (!strcmp(virtual, "shell"))
        return orma_shell_complain(spec, "the virtual path shell is reserved");
    if (stat(disk, &st) < 0 || !S_ISDIR(st.st_mode))
        return orma_shell_complain(disk, "no such folder");
    for (size_t i = 0; i < idx; i++) {
        const char *other = sh->metrics.extensions[i], *at = strrchr(other, '@');

        if (!strcmp(at + 1, virtual) ||
            (strlen(disk) == (size_t)(at - other) && !strncmp(other, disk, strlen(disk))))
            return orma_shell_complain(spec, "the same path is given twice");
    }
    return 0;
}

int orma_shell_add_extensions(struct orma_shell *self)
{
    int code = 0;

    for (size_t i = 0; i < self->metrics.extensions_num && !code; i++) {
        const char *spec = self->metrics.extensions[i], *at = strrchr(spec, '@');

        if (!at || at == spec || !at[1])
            return orma_shell_complain(spec, "bad extension: expected DISK@VIRTUAL");
        char *disk = strndup(spec, (size_t)(at - spec)), *virtual = strdup(at + 1);
        if (!disk || !virtual) {
            code = orma_shell_complain(spec, strerror(ENOMEM));
        } else {
            trim_slashes(disk);
            trim_slashes(virtual);
            code = check_extension(self, i, disk, virtual);
            if (!code)
                code = add_folder(self, disk, strcmp(virtual, "/") ? virtual : "");
        }
        free(disk);
        free(virtual);
    }
    return code;
}

/* ---- running ---- */

/* name.sql with name.proto beside it, as the metric `name`. */
static int add_pair(struct orma_shell *sh, const char *path)
{
    const char *base = orma_path_base(path);
    const char *dot = strrchr(base, '.');
    struct orma_buf text = {0}, name = {0};
    int r;

    if (strcmp(dot, ".sql"))
        return orma_shell_complain(path, "the file of a metric must end in .sql");
    orma_buf_printf(&name, "%.*s.proto", (int)(dot - path), path);
    if (orma_fd_read_file(AT_FDCWD, orma_buf_cstr(&name), FILE_BYTES_MAX, &text) == 0) {
        struct orma_proto_source source = {orma_buf_cstr(&name), orma_buf_str(&text)};

        r = orma_metrics_add_protos(orma_processor_metrics(sh->tp), &source, 1);
        r = r < 0 ? metrics_failed(sh) : 0;
    } else {
        r = orma_shell_complain(orma_buf_cstr(&name),
                                "cannot read this file, which defines the messages of the metric");
    }
    orma_buf_clear(&text);
    if (!r) {
        r = orma_fd_read_file(AT_FDCWD, path, FILE_BYTES_MAX, &text);
        if (r < 0)
            r = orma_shell_complain(path, strerror(-r));
    }
    orma_buf_clear(&name);
    orma_buf_printf(&name, "shell/%s", base);
    if (!r && orma_metrics_add_sql(orma_processor_metrics(sh->tp), orma_buf_cstr(&name),
                                   orma_buf_str(&text)) < 0)
        r = metrics_failed(sh);
    orma_buf_fini(&text);
    orma_buf_fini(&name);
    return r;
}

/* Splits the names in place and registers those that are files. */
static int read_names(struct orma_shell *sh, char *list, const char **names, size_t *ret_num)
{
    char *rest = NULL;
    int code = 0;

    *ret_num = 0;
    for (char *at = strtok_r(list, ",", &rest); at && !code; at = strtok_r(NULL, ",", &rest)) {
        const char *base = orma_path_base(at);
        char *dot = strrchr(base, '.');

        if (*ret_num == ORMA_SHELL_LIST_MAX)
            return orma_shell_complain(at, "too many metrics at once");
        if (dot) {
            code = add_pair(sh, at);
            *dot = '\0';
        }
        names[(*ret_num)++] = base;
    }
    if (code || *ret_num)
        return code;
    return orma_shell_complain("--run", "no metrics named");
}

static enum orma_metrics_format format_of(const struct orma_shell *sh)
{
    const char *f = sh->metrics.format;

    if (!f || !strcmp(f, "text"))
        return ORMA_METRICS_TEXT;
    return !strcmp(f, "json") ? ORMA_METRICS_JSON : ORMA_METRICS_BINARY;
}

static int run_file(struct orma_shell *sh, const char *path, bool quiet)
{
    struct orma_buf sql = {0};
    int code = orma_shell_read_sql(path, &sql) < 0;

    if (!code && quiet) {
        struct orma_script_run *run;
        struct orma_query *q;
        int r = orma_script_open(sh->tp, orma_buf_cstr(&sql), sql.len, path, &run);

        while (r == 0 && (r = orma_script_step(run, &q)) > 0) {
            while ((r = orma_query_step(q)) > 0)
                ;
            orma_query_free(q);
        }
        orma_script_close(run);
        if (r < 0)
            code = orma_shell_complain(path, orma_processor_error(sh->tp));
    } else if (!code) {
        code = orma_shell_run_sql(sh, orma_buf_str(&sql));
    }
    orma_buf_fini(&sql);
    return code;
}

int orma_shell_run_file(struct orma_shell *self, const char *path)
{
    return run_file(self, path, false);
}

int orma_shell_compute_metrics(struct orma_shell *self, bool print)
{
    const char *names[ORMA_SHELL_LIST_MAX];
    size_t num = 0;
    char *list = strdup(self->metrics.run);
    struct orma_buf out = {0};
    enum orma_metrics_format format = format_of(self);
    int code = list ? read_names(self, list, names, &num) : 1;

    if (!code && self->metrics.pre)
        code = run_file(self, self->metrics.pre, true);
    if (!code &&
        orma_metrics_compute(orma_processor_metrics(self->tp), names, num, format, &out) < 0)
        code = metrics_failed(self);
    if (!code && print) {
        if (format != ORMA_METRICS_BINARY && (!out.len || out.data[out.len - 1] != '\n'))
            orma_buf_put_str(&out, "\n");
        if (out.failed || (out.len && fwrite(out.data, 1, out.len, stdout) != out.len) ||
            fflush(stdout))
            code = orma_shell_output_failed();
    }
    orma_buf_fini(&out);
    free(list);
    return code;
}
