/*
 * Trace summaries in the shell: the command summarize, the flags --summary..., and
 * structured queries as queries.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "processor/api/processor_impl.h"
#include "processor/metrics/summary.h"
#include "sdk/base/fd.h"
#include "tools/shell/shell.h"
#include "tools/shell/shell_impl.h"

#define SPEC_BYTES_MAX ((size_t)256 << 20)
#define SNIFFED 128

const struct orma_option orma_shell_summary_options[] = {
    {ORMA_SHELL_SUMMARY_METRICS, 0, "metrics-v2", "IDS", "all, or ids separated by commas."},
    {ORMA_SHELL_SUMMARY_METADATA, 0, "metadata-query", "ID",
     "The query whose rows (key, value) become metadata."},
    {ORMA_SHELL_SUMMARY_FORMAT, 0, "format", "FORM", "text (the default) or binary."},
    {ORMA_SHELL_METRICS_POST_QUERY, 0, "post-query", "FILE",
     "Print the rows of the SQL in FILE instead of the summary."},
    {ORMA_SHELL_PERF_FILE, 0, "perf-file", "FILE", "Write the times of load and query, in ns."},
    {ORMA_SHELL_INTERACTIVE, 'i', "interactive", NULL, "Then open a prompt."},
    ORMA_SHELL_GLOBAL_OPTIONS,
    {0},
};

/* By the name, or else by the first bytes. */
static bool is_text(const char *path, const struct orma_buf *data)
{
    size_t len = strlen(path);

    if (len > 3 && !strcmp(path + len - 3, ".pb"))
        return false;
    if (len > 10 && !strcmp(path + len - 10, ".textproto"))
        return true;
    for (size_t i = 0; i < data->len && i < SNIFFED; i++) {
        uint8_t c = data->data[i];

        if ((c < 32 || c > 126) && c != '\n' && c != '\t' && c != '\r')
            return false;
    }
    return true;
}

static int add_spec(struct orma_summary *s, const char *path)
{
    struct orma_buf data = {0};
    int r = orma_fd_read_file(AT_FDCWD, path, SPEC_BYTES_MAX, &data);

    if (r < 0) {
        orma_shell_complain(path, strerror(-r));
    } else {
        r = is_text(path, &data) ? orma_summary_add_text(s, path, orma_buf_str(&data))
                                 : orma_summary_add_spec(s, data.data, data.len);
        if (r < 0)
            fprintf(stderr, "%s: %s\n", path, orma_summary_error(s));
    }
    orma_buf_fini(&data);
    return r < 0;
}

static int open_summary(struct orma_shell *sh, struct orma_summary **ret)
{
    int code = orma_summary_new(orma_processor_sql(sh->tp), ret) < 0;

    for (size_t i = 0; i < sh->metrics.specs_num && !code; i++)
        code = add_spec(*ret, sh->metrics.specs[i]);
    return code;
}

/* Splits the ids in place. */
static size_t split(char *list, const char **ids)
{
    char *rest = NULL;
    size_t num = 0;

    for (char *at = strtok_r(list, ",", &rest); at && num < ORMA_SHELL_LIST_MAX;
         at = strtok_r(NULL, ",", &rest))
        ids[num++] = at;
    return num;
}

static int print(const struct orma_shell *sh, const struct orma_buf *bytes)
{
    struct orma_buf text = {0};
    const struct orma_buf *out = bytes;
    int code = 0;

    if (!sh->metrics.summary_format || strcmp(sh->metrics.summary_format, "binary")) {
        code = orma_summary_print(bytes->data, bytes->len, &text) < 0;
        out = &text;
    }
    if (!code && (out->failed || (out->len && fwrite(out->data, 1, out->len, stdout) != out->len) ||
                  fflush(stdout)))
        code = orma_shell_output_failed();
    orma_buf_fini(&text);
    return code;
}

int orma_shell_summarize(struct orma_shell *self, bool show)
{
    const char *ids[ORMA_SHELL_LIST_MAX], *wanted = self->metrics.summary_ids;
    bool all = !wanted || !strcmp(wanted, "all");
    struct orma_summary *s = NULL;
    struct orma_buf out = {0};
    char *list = strdup(wanted ? wanted : "");
    size_t num = list ? split(list, ids) : 0;
    int code = !list || open_summary(self, &s);

    if (!code && orma_summary_compute(s, all && wanted ? NULL : ids, wanted ? num : 0,
                                      self->metrics.metadata, &out) < 0) {
        fprintf(stderr, "%s\n", orma_summary_error(s));
        code = 1;
    }
    if (!code && show)
        code = print(self, &out);
    orma_summary_free(s);
    orma_buf_fini(&out);
    free(list);
    return code;
}

int orma_shell_structured_query(struct orma_shell *self)
{
    struct orma_summary *s = NULL;
    struct orma_buf sql = {0};
    int code = open_summary(self, &s);

    if (!code && orma_summary_query(s, self->metrics.query_id, &sql) < 0) {
        fprintf(stderr, "%s\n", orma_summary_error(s));
        code = 1;
    }
    if (!code)
        code = orma_shell_run_sql(self, orma_buf_str(&sql));
    orma_summary_free(s);
    orma_buf_fini(&sql);
    return code;
}
