/* One session of the shell: messages, loading, running SQL. Every form of the shell uses this. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "processor/export/csv.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "tools/load/load.h"
#include "tools/load/symbols.h"
#include "tools/shell/shell_impl.h"

#define SQL_BYTES_MAX ((size_t)64 << 20)

static bool called_orma;

void orma_shell_call_orma(void)
{
    called_orma = true;
}

bool orma_shell_is_orma(void)
{
    return called_orma;
}

const char *orma_shell_program(const char *part)
{
    static char name[64];

    if (!part)
        return called_orma ? "orma" : ORMA_SHELL_NAME;
    snprintf(name, sizeof(name), "%s %.24s", called_orma ? "orma" : ORMA_SHELL_NAME,
             called_orma && !strcmp(part, "server") ? "serve" : part);
    return name;
}

int orma_shell_usage(void)
{
    return called_orma ? ORMA_EXIT_USAGE : 1;
}

int orma_shell_missing(const char *command, const char *what)
{
    fprintf(stderr, "%s%s: %s\n", called_orma ? "orma " : "", command, what);
    return orma_shell_usage();
}

int orma_shell_output_failed(void)
{
    return orma_cli_output_failed(orma_shell_program(NULL), errno);
}

int orma_shell_complain(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s: %s\n", orma_shell_program(NULL), what, why);
    return 1;
}

int orma_shell_read_sql(const char *path, struct orma_buf *ret)
{
    int r = strcmp(path, "-") ? orma_fd_read_file(AT_FDCWD, path, SQL_BYTES_MAX, ret)
                              : orma_fd_read_all(STDIN_FILENO, SQL_BYTES_MAX, ret);

    if (r < 0)
        fprintf(stderr, "failed to read the query file %s: %s\n", path, strerror(-r));
    return r;
}

int orma_shell_run_sql(struct orma_shell *self, struct orma_str sql)
{
    uint64_t start = orma_clock_monotonic();
    unsigned statements = 0;
    int r = orma_print_query(self->tp, sql.data ? sql.data : "", sql.len, ORMA_PRINT_CSV, stdout,
                             &statements);

    self->query_ns = orma_clock_monotonic() - start;
    if (r == 0 && fflush(stdout) != 0)
        r = -EIO;
    if (r == -EIO)
        return orma_shell_output_failed();
    if (r < 0) {
        fprintf(stderr, "%s\n", orma_processor_error(self->tp));
        return 1;
    }
    if (!statements) {
        fprintf(stderr, "No valid SQL to run\n");
        return 1;
    }
    if (!called_orma)
        fprintf(stderr, "Query execution time: %" PRIu64 " ms\n", self->query_ns / 1000000);
    return 0;
}

static int add_package(struct orma_processor *tp, const struct orma_shell_package *package)
{
    const char *at = strrchr(package->spec, '@');
    char *path = at ? strndup(package->spec, (size_t)(at - package->spec)) : strdup(package->spec);
    unsigned skipped = 0;

    if (!path)
        return 1;
    int r =
        orma_processor_add_sql_package(tp, path, at ? at + 1 : NULL, package->replace, &skipped);
    if (r < 0)
        orma_shell_complain(path, orma_processor_error(tp));
    else if (skipped)
        fprintf(stderr, "%s: %s: %u files were skipped because of a dot in their path\n",
                orma_shell_program(NULL), path, skipped);
    free(path);
    return r < 0;
}

int orma_shell_add_packages(const struct orma_shell *self, struct orma_processor *tp)
{
    if (self->stdlib && orma_processor_override_stdlib(tp, self->stdlib) < 0) {
        orma_shell_complain(self->stdlib, orma_processor_error(tp));
        return 1;
    }
    for (size_t i = 0; i < self->packages_num; i++) {
        if (add_package(tp, &self->packages[i]))
            return 1;
    }
    return 0;
}

static bool is_url(const char *trace)
{
    return !strncmp(trace, "http://", 7) || !strncmp(trace, "https://", 8);
}

static void print_left_out(const struct orma_processor *tp)
{
    const char *first = NULL;
    unsigned num = orma_processor_stdlib_left_out(tp, &first);

    if (num)
        fprintf(stderr,
                "%s: the package's prelude uses tables that do not exist here: %u statements were "
                "skipped, and their views are empty. The first:\n"
                "%s\n",
                orma_shell_program(NULL), num, first);
}

int orma_shell_load(struct orma_shell *self)
{
    if (self->trace && is_url(self->trace)) {
        fprintf(stderr,
                "failed to read trace file (path: %s): traces are not fetched from the "
                "network; download it first\n",
                self->trace);
        return 1;
    }
    if (orma_processor_new(&self->config, &self->tp) < 0)
        return orma_shell_complain("processor", strerror(ENOMEM));
    if (orma_shell_add_packages(self, self->tp))
        return 1;
    if (orma_load_symbols_from_environment(self->tp, orma_shell_program(NULL)) < 0)
        return 1;
    if (orma_load_trace(self->tp, orma_shell_program(NULL), self->trace,
                        called_orma ? ORMA_LOAD_PROGRESS : ORMA_LOAD_SHELL, &self->load_ns) < 0)
        return 1;
    if (!called_orma)
        orma_load_print_health(self->tp, NULL, NULL, stderr);
    print_left_out(self->tp);
    return 0;
}
