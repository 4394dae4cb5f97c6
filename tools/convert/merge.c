/*
 * Writes the traces unchanged into a tar, the manifest first if there is one, or, if they are files
 * of one recording, behind each other (join.h); then loads the
 * archive to check that the clocks of all traces can be related: a warning, or an error
 * with --strict.
 */
#include "tools/convert/merge.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "processor/processor.h"
#include "sdk/base/defs.h"
#include "sdk/base/path.h"
#include "tools/base/cli.h"
#include "tools/convert/join.h"
#include "tools/convert/tar.h"
#include "tools/load/load.h"
#include "tools/load/threads.h"

#define MANIFEST_NAME "perfetto_manifest.json"

enum { OPT_OUTPUT = 1, OPT_MANIFEST, OPT_APART, OPT_NO_VALIDATE, OPT_STRICT, OPT_FORCE };

const struct orma_option orma_convert_merge_options[] = {
    {OPT_OUTPUT, 'o', "output", "FILE", "The tar to write."},
    {OPT_MANIFEST, 0, "manifest", "FILE", "Add this as " MANIFEST_NAME "."},
    {OPT_APART, 0, "apart", NULL,
     "The traces are from different machines: name each machine after its trace."},
    {OPT_NO_VALIDATE, 0, "no-validate", NULL,
     "Do not check whether the clocks of all traces can be aligned."},
    {OPT_STRICT, 0, "strict", NULL, "Fail if they cannot."},
    {OPT_FORCE, 'f', "force", NULL, "Overwrite the tar if it exists."},
    {0},
};

struct merge {
    const char *program, *out_path, *manifest;
    int usage; /* what to exit with after a wrong command line */
    const char *traces[ORMA_CONVERT_MERGE_MAX];
    size_t num;
    bool apart, no_validate, strict, force;
};

static int complain(const char *program, const char *what, const char *why)
{
    fprintf(stderr, "%s: %s: %s\n", program, what, why);
    return 1;
}

/* As a JSON string; bytes that are no UTF-8 stay, as in the name of the file in the archive. */
static void put_text(struct orma_buf *to, const char *text)
{
    orma_buf_put_byte(to, '"');
    for (; *text; text++) {
        if ((unsigned char)*text < ' ')
            orma_buf_printf(to, "\\u%04x", (unsigned char)*text);
        else if (*text == '"' || *text == '\\')
            orma_buf_printf(to, "\\%c", *text);
        else
            orma_buf_put_byte(to, (uint8_t)*text);
    }
    orma_buf_put_byte(to, '"');
}

/* Each trace is of a machine of its own, called like it. */
static void add_machines(struct orma_convert_tar *tar, const char *const *traces, size_t num)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};

    orma_buf_put_str(&text, "{\"perfetto_manifest\": {\"version\": 1, \"files\": [");
    for (size_t i = 0; i < num; i++) {
        orma_buf_put_str(&text, i ? ",\n  {\"path\": " : "\n  {\"path\": ");
        put_text(&text, orma_path_base(traces[i]));
        orma_buf_put_str(&text, ", \"machine\": {\"name\": ");
        put_text(&text, orma_path_base(traces[i]));
        orma_buf_put_str(&text, "}}");
    }
    orma_buf_put_str(&text, "]}}\n");
    if (text.failed)
        tar->failed = complain(tar->program, tar->path, strerror(ENOMEM));
    else
        (void)orma_convert_tar_add_bytes(tar, MANIFEST_NAME, text.data, text.len);
}

bool orma_convert_merge_fits(const char *program, const char *const *traces, size_t num,
                             const char *path)
{
    for (size_t i = 0; i < num; i++)
        if (!strcmp(orma_path_base(traces[i]), orma_path_base(path))) {
            (void)complain(program, path, "another trace has the same name: names must differ");
            return false;
        }
    if (num == ORMA_CONVERT_MERGE_MAX)
        (void)complain(program, path, "too many traces");
    return num < ORMA_CONVERT_MERGE_MAX;
}

int orma_convert_merge_write(const struct orma_output_want *want, const char *manifest, bool apart,
                             const char *const *traces, size_t num)
{
    struct orma_convert_tar tar;
    char what[64];

    if (orma_convert_tar_open(&tar, want) == 0 && manifest)
        (void)orma_convert_tar_add_file(&tar, manifest, MANIFEST_NAME); /* closing tells */
    else if (!tar.failed && apart)
        add_machines(&tar, traces, num);
    for (size_t i = 0; i < num && !tar.failed; i++)
        (void)orma_convert_tar_add_file(&tar, traces[i], orma_path_base(traces[i]));
    snprintf(what, sizeof(what), "%zu trace%s%s", num, num == 1 ? "" : "s",
             manifest || apart ? " plus manifest" : "");
    return orma_convert_tar_close(&tar, what);
}

/* ---- do they fit together? ---- */

static int64_t sum_of(const struct orma_processor *tp, const char *const *names, size_t num)
{
    struct orma_processor_stat stat;
    int64_t sum = 0;

    for (uint32_t n = 0; orma_processor_stat(tp, n, &stat); n++) {
        for (size_t i = 0; i < num; i++) {
            if (!strcmp(stat.name, names[i]))
                sum += stat.value;
        }
    }
    return sum;
}

static int64_t troubles(const struct orma_processor *tp)
{
    static const char *const names[] = {"clock_sync_unrelatable_clock_domains",
                                        "clock_sync_failure_no_path",
                                        "trace_sorter_negative_timestamp_dropped"};

    return sum_of(tp, names, ORMA_ARRAY_LEN(names));
}

/* Traces of a machine that was started again in between. */
static int64_t restarts(const struct orma_processor *tp)
{
    static const char *const names[] = {"clock_sync_other_start"};

    return sum_of(tp, names, ORMA_ARRAY_LEN(names));
}

/* Files whose clock is only taken to be that of the others. */
static int64_t assumed(const struct orma_processor *tp)
{
    static const char *const names[] = {"clock_sync_assumed"};

    return sum_of(tp, names, ORMA_ARRAY_LEN(names));
}

static int validate(const struct merge *m)
{
    struct orma_processor *tp = NULL;
    int code = orma_processor_new(orma_load_config(), &tp) < 0 ||
               orma_load_trace(tp, m->program, m->out_path, ORMA_LOAD_QUIET, NULL) < 0;
    int64_t sum = code ? 0 : troubles(tp), restarted = code ? 0 : restarts(tp);
    int64_t taken = code ? 0 : assumed(tp);
    bool compatible = m->usage != ORMA_EXIT_USAGE;

    orma_processor_free(tp);
    if (code)
        return 1;
    if (restarted && (!compatible || m->strict)) /* the load has said it */
        return m->strict;
    if (!sum && taken && !compatible) {
        fprintf(stderr,
                "%s: %s: %s: nothing tells how the clock%s of %" PRId64 " trace%s "
                "to the others': times are taken as they are; a manifest can give an offset\n",
                m->program, m->out_path, m->strict ? "error" : "warning", taken == 1 ? "" : "s",
                taken, taken == 1 ? " relates" : "s relate");
        return m->strict;
    }
    if (!sum) {
        fprintf(compatible ? stdout : stderr,
                "Validation: all traces line up on the shared timeline.\n");
        return 0;
    }
    fprintf(
        stderr,
        "%s: %s: %s: %" PRId64
        " events have clocks that cannot be aligned with the others; a manifest can define that\n",
        m->program, m->out_path, m->strict ? "error" : "warning", sum);
    return m->strict;
}

/* What went into a pipe cannot be read again. */
static bool is_file(const char *path)
{
    struct stat st;

    return strcmp(path, "-") && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* ---- the command line ---- */

static int take_trace(struct merge *m, const char *path)
{
    if (!orma_convert_merge_fits(m->program, m->traces, m->num, path))
        return ORMA_EXIT_FAILURE;
    m->traces[m->num++] = path;
    return -1;
}

/* -1: go on; else what to exit with. */
static int parse(struct merge *m, const struct orma_command *self, int argc, char **argv)
{
    struct orma_cli cli;
    int id, code = -1;

    orma_cli_init(&cli, self, m->program, argc, argv);
    while (code < 0 && (id = orma_cli_next(&cli)) != ORMA_CLI_END) {
        switch (id) {
        case OPT_OUTPUT:
            m->out_path = cli.value;
            break;
        case OPT_MANIFEST:
            m->manifest = cli.value;
            break;
        case OPT_APART:
            m->apart = true;
            break;
        case OPT_NO_VALIDATE:
            m->no_validate = true;
            break;
        case OPT_STRICT:
            m->strict = true;
            break;
        case OPT_FORCE:
            m->force = true;
            break;
        case ORMA_CLI_POSITIONAL:
            code = take_trace(m, cli.value);
            break;
        case ORMA_CLI_HELP:
            return 0;
        case ORMA_CLI_BAD:
            return m->usage;
        }
        for (int i = cli.rest_idx; id == ORMA_CLI_REST && code < 0 && i < argc; i++)
            code = take_trace(m, argv[i]);
    }
    if (code < 0 && (!m->out_path || !m->num))
        return orma_cli_usage_error(&cli, m->num ? "no output: add -o FILE" : "no traces to merge"),
               m->usage;
    return code;
}

int orma_convert_merge_run(const struct orma_command *self, const char *program, int usage,
                           int argc, char **argv)
{
    struct merge m = {.program = program, .usage = usage};
    int code = parse(&m, self, argc, argv);

    if (code >= 0)
        return code;
    if (m.manifest && m.apart)
        return complain(program, m.manifest, "a manifest names the machines: leave out --apart");
    const bool compatible = usage != ORMA_EXIT_USAGE;
    const struct orma_output_want want = {.program = program,
                                          .path = m.out_path,
                                          .force = m.force || compatible,
                                          .quiet = compatible,
                                          .binary = true};
    bool joins = !compatible && !m.manifest && !m.apart && orma_convert_join_fits(m.traces, m.num);
    int r = joins ? orma_convert_join_write(&want, m.traces, m.num)
                  : orma_convert_merge_write(&want, m.manifest, m.apart, m.traces, m.num);
    if (r < 0)
        return ORMA_EXIT_FAILURE;
    if (compatible)
        printf("Wrote %s (%zu trace%s%s).\n", m.out_path, m.num, m.num == 1 ? "" : "s",
               m.manifest || m.apart ? " plus manifest" : "");
    fflush(stdout);
    return m.no_validate || !is_file(m.out_path) ? ORMA_EXIT_OK : validate(&m);
}

static const struct orma_command util_merge = {
    .name = "merge",
    .summary = "Pack several traces into one archive, which loads as one trace.",
    .synopsis = "-o FILE [OPTIONS] TRACE...",
    .examples = "  trace_processor_shell util merge -o both.tar phone.pftrace host.pftrace\n",
    .options = orma_convert_merge_options,
};

int orma_convert_merge_main(int argc, char **argv)
{
    return orma_convert_merge_run(&util_merge, "trace_processor_shell util merge", 1, argc, argv);
}
