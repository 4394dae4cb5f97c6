/*
 * orma fleet: many traces in ClickHouse, or as Parquet in a partitioned folder.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tools/base/units.h"
#include "sdk/base/endian.h"
#include "tools/commands.h"
#include "tools/fleet/admin.h"
#include "tools/fleet/load.h"
#include "tools/fleet/trace.h"
#include "tools/load/cache.h"
#include "tools/many/find.h"

#define RETRY_S 600

enum {
    OPT_TO = 1,
    OPT_LABEL,
    OPT_PATH_LABELS,
    OPT_METADATA,
    OPT_JOBS,
    OPT_RETRY,
    OPT_AGAIN,
    OPT_CLUSTER,
    OPT_KEEP,
    OPT_CACHE
};

static const struct orma_option options[] = {
    {OPT_TO, 0, "to", "URL|DIR",
     "clickhouse://[USER[:PASSWORD]@]HOST[:PORT][,HOST...][/DATABASE], or clickhouses:// for TLS; "
     "for export, a folder. CLICKHOUSE_USER and CLICKHOUSE_PASSWORD are used if the URL names no "
     "user or password; the default database is orma."},
    {OPT_LABEL, 0, "label", "NAME=VALUE",
     "Add this label to all these traces; date, build and machine are columns of every row. May be "
     "repeated."},
    {OPT_PATH_LABELS, 0, "path-labels", "PATTERN",
     "Take labels from paths: '{build}/{machine}/*.pftrace' must match the end of each path."},
    {OPT_METADATA, 0, "metadata", "[LABEL=]NAME",
     "Take a label from the table metadata. May be repeated."},
    {OPT_JOBS, 'j', "jobs", "N", "Number of parallel jobs (default: the number of CPUs)."},
    {OPT_RETRY, 0, "retry", "TIME", "How long to wait for a server that is away (default: 10min)."},
    {OPT_AGAIN, 0, "again", NULL,
     "load: replace traces that were loaded before, for new labels or after an update of orma."},
    {OPT_CLUSTER, 0, "cluster", "NAME",
     "init, schema: also create DATABASE_all, whose tables cover all servers of the cluster."},
    {OPT_KEEP, 0, "keep", "DAYS", "expire: drop traces that are older than this."},
    ORMA_LOAD_CACHE_OPTION(OPT_CACHE),
    {0},
};

struct fleet {
    struct orma_cli cli;
    const char *action, *to, *cluster;
    struct orma_fleet_labels labels;
    struct orma_fleet_load load;
    uint64_t keep;
    bool has_keep;
};

static int bad_value(struct fleet *f, const char *expected)
{
    return orma_cli_usage_error(&f->cli, "%s takes %s, not '%s'", f->cli.option, expected,
                                f->cli.value);
}

static int add_label(struct fleet *f, const char **list, size_t *num)
{
    if (*num == ORMA_FLEET_LABELS_MAX)
        return orma_cli_usage_error(&f->cli, "at most %d labels", ORMA_FLEET_LABELS_MAX);
    list[(*num)++] = f->cli.value;
    return ORMA_EXIT_OK;
}

/* NAME alone is NAME=NAME. */
static int add_metadata(struct fleet *f)
{
    static char pairs[ORMA_FLEET_LABELS_MAX][160];
    char *pair = pairs[f->labels.metadata_num % ORMA_FLEET_LABELS_MAX];
    const char *value = f->cli.value;

    const int len = strchr(value, '=') ? snprintf(pair, sizeof(pairs[0]), "%s", value)
                                       : snprintf(pair, sizeof(pairs[0]), "%s=%s", value, value);
    if (len >= (int)sizeof(pairs[0]) || !orma_fleet_is_label(pair))
        return bad_value(f, "[LABEL=]NAME");
    f->cli.value = pair;
    return add_label(f, f->labels.metadata, &f->labels.metadata_num);
}

static int set_number(struct fleet *f, uint64_t most, uint64_t *ret)
{
    if (!orma_str_to_u64(orma_str_from(f->cli.value), ret) || !*ret || *ret > most)
        return bad_value(f, "a number from 1");
    return ORMA_EXIT_OK;
}

/* A file, all files below a folder, a list (@FILE), or a pattern. */
static int add_traces(struct fleet *f, const char *what)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf pattern = {0};
    const size_t before = f->load.paths.len;
    struct stat st;

    if (!strcmp(what, "-") || *what == '@') {
        const int r = orma_many_list(what + (*what == '@'), &f->load.paths);

        if (r)
            fprintf(stderr, "orma fleet: %s: %s\n", what, strerror(-r));
        return r ? ORMA_EXIT_FAILURE : ORMA_EXIT_OK;
    }
    if (!stat(what, &st) && S_ISREG(st.st_mode)) {
        orma_buf_put(&f->load.paths, what, strlen(what) + 1);
        return ORMA_EXIT_OK;
    }
    orma_buf_printf(&pattern, "%s%s", what, !stat(what, &st) ? "/**" : "");
    if (pattern.failed || orma_many_find(orma_buf_cstr(&pattern), &f->load.paths) ||
        f->load.paths.len == before) {
        fprintf(stderr, "orma fleet: no file matches '%s'\n", what);
        return ORMA_EXIT_FAILURE;
    }
    return ORMA_EXIT_OK;
}

static int take(struct fleet *f, int id)
{
    uint64_t number;
    int code;

    switch (id) {
    case OPT_TO:
        f->to = f->cli.value;
        return ORMA_EXIT_OK;
    case OPT_LABEL:
        return orma_fleet_is_label(f->cli.value)
                   ? add_label(f, f->labels.given, &f->labels.given_num)
                   : bad_value(f, "NAME=VALUE");
    case OPT_PATH_LABELS:
        return orma_fleet_labels_set_pattern(&f->labels, f->cli.value)
                   ? bad_value(f, "a pattern that contains {NAME}")
                   : ORMA_EXIT_OK;
    case OPT_METADATA:
        return add_metadata(f);
    case OPT_JOBS:
        code = set_number(f, 1000, &number);
        f->load.jobs = code ? 0 : (unsigned)number;
        return code;
    case OPT_RETRY:
        if (!orma_units_parse_duration_ms(f->cli.value, &number) || number > UINT32_MAX)
            return bad_value(f, "a time, as 10min");
        f->load.retry_s = (unsigned)(number / 1000);
        return ORMA_EXIT_OK;
    case OPT_AGAIN:
        f->load.again = true;
        return ORMA_EXIT_OK;
    case OPT_CLUSTER:
        f->cluster = f->cli.value;
        return f->cluster[strspn(f->cluster, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "0123456789_")]
                   ? bad_value(f, "letters, digits and _")
                   : ORMA_EXIT_OK;
    case OPT_KEEP:
        f->has_keep = true;
        return set_number(f, 40000, &f->keep);
    case OPT_CACHE:
        orma_load_cache_set(f->cli.value);
        return ORMA_EXIT_OK;
    case ORMA_CLI_POSITIONAL:
        if (!f->action)
            f->action = f->cli.value;
        else
            return add_traces(f, f->cli.value);
        return ORMA_EXIT_OK;
    default:
        return ORMA_EXIT_USAGE;
    }
}

static int export(struct fleet *f)
{
    if (f->load.again)
        return orma_cli_usage_error(&f->cli,
                                    "--again works with load only: remove the files instead");
    f->load.folder = f->to;
    if (mkdir(f->to, 0777) && errno != EEXIST) {
        fprintf(stderr, "orma fleet: %s: %s\n", f->to, strerror(errno));
        return ORMA_EXIT_FAILURE;
    }
    return orma_fleet_load_run(&f->load);
}

static int load(struct fleet *f, const struct orma_fleet_address *to)
{
    const int code = orma_fleet_check_schema(to);

    f->load.to = to;
    return code ? code : orma_fleet_load_run(&f->load);
}

static int expire(const struct fleet *f, const struct orma_fleet_address *to)
{
    const uint64_t today = (uint64_t)time(NULL) / 86400;
    char day[16];

    orma_fleet_day_text((uint32_t)(today > f->keep ? today - f->keep : 0), day);
    return orma_fleet_expire(to, f->has_keep, day);
}

static int run_action(struct fleet *f)
{
    static const char *const actions[] = {"init",   "load",   "status", "expire",
                                          "export", "schema", NULL};
    struct orma_fleet_address to = {0};
    const char *why = NULL;
    size_t action = 0;

    if (!f->action)
        return orma_cli_usage_error(&f->cli,
                                    "missing action: init, load, status, expire, export or schema");
    while (actions[action] && strcmp(actions[action], f->action))
        action++;
    if (!actions[action]) {
        const char *near = orma_cli_did_you_mean(f->action, actions);

        return orma_cli_usage_error(
            &f->cli, "unknown action '%s'; %s%s%s", f->action,
            near ? "did you mean '" : "init, load, status, expire, export and schema are known",
            near ? near : "", near ? "'?" : "");
    }
    const bool reads = action == 1 || action == 4;
    if (reads != (f->load.paths.len > 0))
        return orma_cli_usage_error(&f->cli, reads ? "no traces given" : "%s takes no traces",
                                    f->action);
    if (orma_many_sort(&f->load.paths)) {
        fprintf(stderr, "orma fleet: %s\n", strerror(ENOMEM));
        return ORMA_EXIT_FAILURE;
    }
    if (action == 5 && !f->to)
        return orma_fleet_print_schema("orma", f->cluster);
    if (!f->to)
        return orma_cli_usage_error(&f->cli, "missing destination: --to %s",
                                    action == 4 ? "DIR" : "clickhouse://HOST");
    if (action == 4)
        return export(f);
    int code = ORMA_EXIT_USAGE;
    if (orma_fleet_address_parse(f->to, &to, &why))
        (void)orma_cli_usage_error(&f->cli, "'%s' is not a valid address: %s", f->to, why);
    else if (action == 0)
        code = orma_fleet_init(&to, f->cluster);
    else if (action == 1)
        code = load(f, &to);
    else if (action == 2)
        code = orma_fleet_status(&to);
    else if (action == 3)
        code = expire(f, &to);
    else
        code = orma_fleet_print_schema(to.database, f->cluster);
    orma_fleet_address_fini(&to);
    return code;
}

static int run(const struct orma_command *self, int argc, char **argv)
{
    struct fleet f = {.load = {.retry_s = RETRY_S}};
    int id, code = ORMA_EXIT_OK;

    if (ORMA_IS_BIG_ENDIAN) {
        fprintf(stderr, "orma fleet: rows are sent and written by little-endian machines only\n");
        return ORMA_EXIT_FAILURE;
    }
    f.load.labels = &f.labels;
    orma_cli_init(&f.cli, self, "orma fleet", argc, argv);
    while (code == ORMA_EXIT_OK && (id = orma_cli_next(&f.cli)) != ORMA_CLI_END) {
        if (id == ORMA_CLI_HELP)
            goto out;
        code = take(&f, id);
    }
    if (code == ORMA_EXIT_OK)
        code = run_action(&f);
out:
    orma_fleet_labels_fini(&f.labels);
    orma_buf_fini(&f.load.paths);
    return code;
}

static void put_words(struct orma_buf *out)
{
    orma_buf_put_str(out, " init load status expire export schema");
}

const struct orma_command orma_cmd_fleet = {
    .name = "fleet",
    .summary = "Load many traces into ClickHouse or day-wise Parquet.",
    .synopsis = "init --to URL [--cluster NAME]\nload --to URL [OPTIONS] TRACE|DIR|@LIST...\n"
                "status --to URL\nexpire --to URL [--keep DAYS]\n"
                "export --to DIR [OPTIONS] TRACE|DIR|@LIST...\nschema [--to URL] [--cluster NAME]",
    .details =
        "'load' reads traces in parallel processes and sends their rows to the server: slices and "
        "their args, thread states, counters, profile functions, losses, statistics, metadata and "
        "labels. A trace becomes visible once fully loaded. A trace whose content is already on "
        "the server is skipped, so an interrupted command continues when you run it again. TRACE "
        "may be a pattern ('runs/**/*.pftrace'); @LIST is a file of paths, - is standard input.\n"
        "\n"
        "Traces that fail are listed at the end, with exit code 1; the others are loaded. "
        "docs/fleet.md describes the tables and views, and which command suits how many traces.",
    .examples = "  orma fleet init --to clickhouse://db\n"
                "  orma fleet load --to clickhouse://db --path-labels '{build}/{machine}/*' runs\n"
                "  orma fleet expire --to clickhouse://db --keep 90\n"
                "  orma fleet export --to lake --label build=1.2 'runs/**/*.pftrace'\n",
    .options = options,
    .threads = true,
    .put_words = put_words,
    .run = run,
};
