/*
 * What a command line asks for, in this order: load, extensions, metrics, summary,
 * the query after them, a structured query, export or SQL, the prompt, times.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "tools/output/output.h"
#include "tools/shell/shell_impl.h"

static int write_perf_file(const struct orma_shell *sh)
{
    const struct orma_output_want want = {.program = orma_shell_program(NULL),
                                          .path = sh->perf_file,
                                          .force = !orma_shell_is_orma(),
                                          .no_force = true,
                                          .quiet = true};
    struct orma_output out;

    if (orma_output_open(&out, &want) < 0)
        return 1;
    FILE *f = orma_output_stream(&out);
    if (f)
        fprintf(f, "%" PRIu64 ",%" PRIu64, sh->load_ns, sh->query_ns);
    return orma_output_close(&out, f ? 0 : -EIO, NULL) < 0;
}

static int run(struct orma_shell *sh, const struct orma_buf *sql)
{
    int code = orma_shell_load(sh);
    bool query = sh->query_text || sh->query_file;

    if (!code)
        code = orma_shell_add_extensions(sh);
    if (!code && sh->metrics.run)
        code = orma_shell_compute_metrics(sh, !query && !sh->metrics.post_query);
    if (!code && sh->metrics.summary)
        code = orma_shell_summarize(sh, !sh->metrics.post_query);
    if (!code && sh->metrics.post_query)
        code = orma_shell_run_file(sh, sh->metrics.post_query);
    if (!code && sh->metrics.query_id)
        code = orma_shell_structured_query(sh);
    if (!code && sh->export_file)
        code = orma_shell_export(sh, sh->export_file);
    else if (!code && query)
        code = orma_shell_run_sql(sh, orma_buf_str(sql));
    if (!code && sh->interactive)
        code = orma_shell_interactive(sh);
    if (!code && sh->perf_file)
        code = write_perf_file(sh);
    return code;
}

int orma_shell_execute(struct orma_shell *self)
{
    struct orma_buf sql = {0};
    int code = 1;

    if (self->remote && (self->query_text || self->query_file))
        return orma_shell_query_remote(self);
    if (self->remote)
        return orma_shell_missing(ORMA_SHELL_NAME, "--remote needs a query: add SQL");

    if (self->query_text)
        orma_buf_put_str(&sql, self->query_text);
    if (self->query_text || !self->query_file || orma_shell_read_sql(self->query_file, &sql) == 0)
        code = run(self, &sql);
    orma_processor_free(self->tp);
    self->tp = NULL;
    orma_buf_fini(&sql);
    return code;
}
