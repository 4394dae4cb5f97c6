/*
 * Writes the traces unchanged into a tar, the manifest first if there is one, then loads the
 * archive to check that the clocks of all traces can be related: a warning, or an error
 * with --strict.
 */
#include "tools/convert/merge.h"

#include <inttypes.h>
#include <string.h>

#include "processor/processor.h"
#include "sdk/base/defs.h"
#include "tools/base/cli.h"
#include "tools/convert/tar.h"
#include "tools/load/load.h"

#define PROGRAM "trace_processor_shell util merge"
#define MANIFEST_NAME "perfetto_manifest.json"
#define TRACES_MAX 1024

enum { OPT_OUTPUT = 1, OPT_MANIFEST, OPT_NO_VALIDATE, OPT_STRICT };

static const struct orma_option options[] = {
    {OPT_OUTPUT, 'o', "output", "FILE", "The tar to write."},
    {OPT_MANIFEST, 0, "manifest", "FILE", "Put this in as " MANIFEST_NAME "."},
    {OPT_NO_VALIDATE, 0, "no-validate", NULL,
     "Do not check that the clocks of all traces can be related."},
    {OPT_STRICT, 0, "strict", NULL, "Fail if they cannot."},
    {0},
};

static const struct orma_command command = {
    .name = "merge",
    .summary = "Pack several traces into one archive, which loads as one trace.",
    .synopsis = "-o FILE [OPTIONS] TRACE...",
    .examples = "  trace_processor_shell util merge -o both.tar phone.pftrace host.pftrace\n",
    .options = options,
};

struct merge {
    const char *out_path, *manifest;
    const char *traces[TRACES_MAX];
    size_t num;
    bool no_validate, strict;
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static int complain(const char *what, const char *why)
{
    fprintf(stderr, PROGRAM ": %s: %s\n", what, why);
    return 1;
}

static int write_file(const struct merge *m)
{
    struct orma_convert_tar tar;

    if (orma_convert_tar_open(&tar, PROGRAM, m->out_path) == 0 && m->manifest)
        (void)orma_convert_tar_add_file(&tar, m->manifest, MANIFEST_NAME); /* closing tells */
    for (size_t i = 0; i < m->num && !tar.failed; i++)
        (void)orma_convert_tar_add_file(&tar, m->traces[i], base_name(m->traces[i]));
    return orma_convert_tar_close(&tar) < 0;
}

/* ---- do they fit together? ---- */

static int64_t troubles(const struct orma_processor *tp)
{
    static const char *const names[] = {"clock_sync_unrelatable_clock_domains",
                                        "clock_sync_failure_no_path",
                                        "trace_sorter_negative_timestamp_dropped"};
    struct orma_processor_stat stat;
    int64_t sum = 0;

    for (uint32_t n = 0; orma_processor_stat(tp, n, &stat); n++) {
        for (size_t i = 0; i < ORMA_ARRAY_LEN(names); i++) {
            if (!strcmp(stat.name, names[i]))
                sum += stat.value;
        }
    }
    return sum;
}

static int validate(const struct merge *m)
{
    struct orma_processor *tp = NULL;
    int code = orma_processor_new(NULL, &tp) < 0 ||
               orma_load_trace(tp, PROGRAM, m->out_path, ORMA_LOAD_QUIET, NULL) < 0;
    int64_t sum = code ? 0 : troubles(tp);

    orma_processor_free(tp);
    if (code)
        return 1;
    if (!sum) {
        printf("Validation: all traces line up on the shared timeline.\n");
        return 0;
    }
    fprintf(stderr,
            PROGRAM ": %s: %s: %" PRId64 " events have clocks that nothing relates to the others; "
                    "a manifest can\n",
            m->out_path, m->strict ? "error" : "warning", sum);
    return m->strict;
}

/* ---- the command line ---- */

static int take_trace(struct merge *m, const struct orma_cli *cli, const char *path)
{
    for (size_t i = 0; i < m->num; i++) {
        if (!strcmp(base_name(m->traces[i]), base_name(path)))
            return complain(path, "another trace has the same name: names must differ");
    }
    if (m->num == TRACES_MAX)
        return orma_cli_usage_error(cli, "more than %d traces", TRACES_MAX), 1;
    m->traces[m->num++] = path;
    return -1;
}

/* -1: go on; else what to exit with. */
static int parse(struct merge *m, int argc, char **argv)
{
    struct orma_cli cli;
    int id, code = -1;

    orma_cli_init(&cli, &command, PROGRAM, argc, argv);
    while (code < 0 && (id = orma_cli_next(&cli)) != ORMA_CLI_END) {
        switch (id) {
        case OPT_OUTPUT:
            m->out_path = cli.value;
            break;
        case OPT_MANIFEST:
            m->manifest = cli.value;
            break;
        case OPT_NO_VALIDATE:
            m->no_validate = true;
            break;
        case OPT_STRICT:
            m->strict = true;
            break;
        case ORMA_CLI_POSITIONAL:
            code = take_trace(m, &cli, cli.value);
            break;
        case ORMA_CLI_HELP:
            return 0;
        case ORMA_CLI_BAD:
            return 1;
        }
        for (int i = cli.rest_idx; id == ORMA_CLI_REST && code < 0 && i < argc; i++)
            code = take_trace(m, &cli, argv[i]);
    }
    if (code < 0 && (!m->out_path || !m->num))
        return orma_cli_usage_error(&cli, m->num ? "no output: add -o FILE" : "no traces to merge"),
               1;
    return code;
}

int orma_convert_merge_main(int argc, char **argv)
{
    struct merge m = {0};
    int code = parse(&m, argc, argv);

    if (code >= 0)
        return code;
    code = write_file(&m);
    if (code)
        return code;
    printf("Wrote %s (%zu trace%s%s).\n", m.out_path, m.num, m.num == 1 ? "" : "s",
           m.manifest ? " plus manifest" : "");
    fflush(stdout);
    return m.no_validate ? 0 : validate(&m);
}
