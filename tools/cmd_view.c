/*
 * orma view: a trace as a timeline, in a browser of this machine or as one file of HTML.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "sdk/base/endian.h"
#include "sdk/base/path.h"
#include "tools/base/units.h"
#include "tools/commands.h"
#include "tools/follow/follow.h"
#include "tools/load/cache.h"
#include "tools/load/load.h"
#include "tools/load/loss.h"
#include "tools/load/symbols.h"
#include "tools/load/threads.h"
#include "tools/report/choice.h"
#include "tools/view/file.h"
#include "tools/view/serve.h"

#define SQL_MS 60000

enum {
    OPT_OUT = 1,
    OPT_SIZE,
    OPT_EXACT,
    OPT_RANGE,
    OPT_TREE,
    OPT_ALL,
    OPT_PORT,
    OPT_NO_OPEN,
    OPT_AT,
    OPT_UI,
    OPT_CACHE,
    OPT_FORCE,
    OPT_FOLLOW,
    OPT_EVERY
};

static const struct orma_option options[] = {
    {OPT_OUT, 'o', "out", "FILE",
     "Write one HTML file that opens anywhere, without this program and without a network."},
    {OPT_FORCE, 'f', "force", NULL, "Overwrite FILE if it exists."},
    {OPT_SIZE, 0, "max-size", "SIZE",
     "Limit the size of FILE (default: 28mb): above it, short slices and states are shown in "
     "groups."},
    {OPT_EXACT, 0, "exact", NULL, "Show every slice, however large FILE becomes."},
    {OPT_RANGE, 0, "range", "FROM,TO",
     "Show only this range, in times from the start of the trace: 1.5s,2s."},
    {OPT_TREE, 0, "tree", "NAME|PID",
     "Show this process and what it started first; fold the others into one row."},
    {OPT_ALL, 0, "all", NULL,
     "Show all processes alike. By default, in a trace that was recorded for a command (orma "
     "record -- COMMAND), its processes come first."},
    {OPT_PORT, 'p', "port", "PORT", "Listen on this port (default: any free port)."},
    {OPT_NO_OPEN, 0, "no-open", NULL, "Print the link, but do not start a browser."},
    {OPT_UI, 0, "ui", "orma|perfetto",
     "perfetto: serve the trace for https://ui.perfetto.dev instead (as 'orma serve' does)."},
    {OPT_AT, 0, "at", "LINK",
     "Open at the position of a link that somebody sent (the part after its '#')."},
    ORMA_FOLLOW_OPTIONS(OPT_FOLLOW, OPT_EVERY),
    ORMA_LOAD_CACHE_OPTION(OPT_CACHE),
    {0},
};

struct view {
    struct orma_cli cli;
    const char *trace, *out, *at, *tree;
    uint64_t size, ends[2]; /* ends: of the range, from the begin of the trace */
    uint64_t every_ms;
    uint16_t port;
    struct orma_view_turn *turn; /* with follow: the server at hand */
    bool follow, range, exact, no_open, perfetto, force, all;
};

static int parse_number(struct view *v, int id)
{
    uint64_t n;

    if (id == OPT_SIZE) {
        if (!orma_units_parse_size_bytes(v->cli.value, &v->size) || v->size < (1u << 19))
            return orma_cli_usage_error(
                &v->cli, "bad size '%s': expected 512kb or more, such as 30mb", v->cli.value);
        return ORMA_EXIT_OK;
    }
    if (!orma_str_to_u64(orma_str_from(v->cli.value), &n) || n > UINT16_MAX)
        return orma_cli_usage_error(&v->cli, "bad port '%s': expected 0 to 65535", v->cli.value);
    v->port = (uint16_t)n;
    return ORMA_EXIT_OK;
}

/* "1.5s,2s": from the begin of the trace. */
static bool parse_range(const char *text, uint64_t ret[2])
{
    const char *comma = strchr(text, ',');
    char from[32];

    if (!comma || (size_t)(comma - text) >= sizeof(from))
        return false;
    memcpy(from, text, (size_t)(comma - text));
    from[comma - text] = '\0';
    return orma_units_parse_time_ns(from, &ret[0]) &&
           orma_units_parse_time_ns(comma + 1, &ret[1]) && ret[1] > ret[0];
}

static int parse_option(struct view *v, int id)
{
    switch (id) {
    case OPT_OUT:
        v->out = v->cli.value;
        return ORMA_EXIT_OK;
    case OPT_CACHE:
        orma_load_cache_set(v->cli.value);
        return ORMA_EXIT_OK;
    case OPT_FOLLOW:
        v->follow = true;
        return ORMA_EXIT_OK;
    case OPT_EVERY:
        return orma_follow_take_every(&v->cli, &v->every_ms);
    case OPT_FORCE:
        v->force = true;
        return ORMA_EXIT_OK;
    case OPT_EXACT:
        v->exact = true;
        return ORMA_EXIT_OK;
    case OPT_RANGE:
        v->range = parse_range(v->cli.value, v->ends);
        return v->range
                   ? ORMA_EXIT_OK
                   : orma_cli_usage_error(
                         &v->cli,
                         "bad range '%s': expected FROM,TO such as 1.5s,2s, the earlier time first",
                         v->cli.value);
    case OPT_TREE:
        v->tree = v->cli.value;
        return ORMA_EXIT_OK;
    case OPT_ALL:
        v->all = true;
        return ORMA_EXIT_OK;
    case OPT_AT:
        v->at = strchr(v->cli.value, '#') ? strchr(v->cli.value, '#') + 1 : v->cli.value;
        return ORMA_EXIT_OK;
    case OPT_UI:
        v->perfetto = !strcmp(v->cli.value, "perfetto");
        if (!v->perfetto && strcmp(v->cli.value, "orma"))
            return orma_cli_usage_error(&v->cli, "unknown viewer '%s': expected orma or perfetto",
                                        v->cli.value);
        return ORMA_EXIT_OK;
    case OPT_NO_OPEN:
        v->no_open = true;
        return ORMA_EXIT_OK;
    case OPT_SIZE:
    case OPT_PORT:
        return parse_number(v, id);
    case ORMA_CLI_POSITIONAL:
        if (v->trace)
            return orma_cli_second_trace(&v->cli, v->trace, v->cli.value,
                                         "; 'orma merge' combines several");
        v->trace = v->cli.value;
        return ORMA_EXIT_OK;
    default:
        return ORMA_EXIT_USAGE;
    }
}

static int parse(struct view *v, bool *ret_go_on)
{
    int id, code = ORMA_EXIT_OK;

    *ret_go_on = false;
    while ((id = orma_cli_next(&v->cli)) != ORMA_CLI_END && code == ORMA_EXIT_OK) {
        if (id == ORMA_CLI_HELP)
            return ORMA_EXIT_OK;
        code = parse_option(v, id);
    }
    if (code != ORMA_EXIT_OK)
        return code;
    if (!v->trace)
        return orma_cli_usage_error(&v->cli, "no trace given: orma view TRACE");
    if (v->every_ms && !v->follow)
        return orma_cli_usage_error(&v->cli, "--every needs --follow");
    if (v->follow && (v->out || v->perfetto || v->range))
        return orma_cli_usage_error(&v->cli,
                                    "--follow cannot be combined with -o, --ui and --range");
    if (v->tree && v->all)
        return orma_cli_usage_error(&v->cli, "--tree and --all exclude each other");
    if (!v->out && (v->exact || v->size || v->force))
        return orma_cli_usage_error(&v->cli, "--exact, --max-size and --force need -o FILE");
    if (v->perfetto && (v->out || v->range || v->at || v->tree || v->all))
        return orma_cli_usage_error(
            &v->cli, "-o, --range, --at, --tree and --all work with orma's own viewer only");
    if (v->out && (v->port || v->no_open || v->at))
        return orma_cli_usage_error(&v->cli,
                                    "--port, --no-open and --at need the server: leave out -o");
    *ret_go_on = true;
    return ORMA_EXIT_OK;
}

static int64_t first_time(struct orma_processor *tp)
{
    struct orma_query *q;
    int64_t ret = 0;

    if (orma_query_prepare(tp, "SELECT start_ts FROM trace_bounds", SIZE_MAX, &q, NULL) != 0)
        return 0;
    if (orma_query_step(q) == 1)
        ret = orma_query_int64(q, 0);
    orma_query_free(q);
    return ret;
}

static struct orma_output_want wanted(const struct view *v)
{
    return (struct orma_output_want){.program = "orma view", .path = v->out, .force = v->force};
}

static int show(const struct view *v, struct orma_processor *tp, struct orma_report_choice *chosen)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf losses = {0};
    struct orma_ledger loss;

    orma_load_loss(tp, &loss);
    orma_load_put_losses(tp, &loss, &losses);
    struct orma_view_config config = {.title = orma_path_base(v->trace),
                                      .losses = orma_buf_cstr(&losses),
                                      .processes = orma_buf_cstr(&chosen->processes)};
    struct orma_view *view;
    uint64_t size = v->size ? v->size : ORMA_VIEW_FILE_BYTES;

    if (!v->exact && v->out)
        config.budget = orma_view_file_budget(size);
    config.stored = !v->out;
    if (v->range) {
        int64_t begin = first_time(tp);

        if (__builtin_add_overflow(begin, (int64_t)v->ends[0], &config.from_ns) ||
            __builtin_add_overflow(begin, (int64_t)v->ends[1], &config.to_ns)) {
            fprintf(stderr, "orma view: the range ends after the last possible time\n");
            return ORMA_EXIT_FAILURE;
        }
    }
    if (!v->out) {
        struct orma_view_serve serve = {.tp = tp,
                                        .view = config,
                                        .trace = v->trace,
                                        .port = v->port,
                                        .open = !v->no_open,
                                        .fragment = v->at,
                                        .turn = v->turn};

        return orma_view_serve(&serve) < 0 ? ORMA_EXIT_FAILURE : ORMA_EXIT_OK;
    }
    int r = orma_view_new(tp, &config, &view);
    if (r < 0) {
        const char *why = orma_processor_error(tp);

        fprintf(stderr, "orma view: %s: %s\n", v->trace, *why ? why : strerror(-r));
        return ORMA_EXIT_FAILURE;
    }
    const struct orma_output_want want = wanted(v);
    int code = orma_view_file_write(view, &want);

    orma_view_free(view);
    return code;
}

static int choose_and_show(const struct view *v, struct orma_processor *tp)
{
    const struct orma_report_request request = {
        .program = "orma view", .trace = v->trace, .tree = v->tree, .all = v->all};
    struct orma_report_choice chosen;
    int code = orma_report_choice_init(&chosen, tp, &request) < 0 ? ORMA_EXIT_FAILURE
                                                                  : show(v, tp, &chosen);

    orma_report_choice_fini(&chosen);
    return code;
}

/* The viewer of others finds the port 9001 by itself; others it must be told. */
static int serve_perfetto(const struct view *v)
{
    char port[32], name[] = "serve", *argv[4] = {name};
    int argc = 1;

    if (v->port && v->port != 9001)
        printf("https://ui.perfetto.dev/#!/?rpc_port=%u\n", (unsigned)v->port);
    else
        printf("https://ui.perfetto.dev\n");
    fflush(stdout);
    snprintf(port, sizeof(port), "--port=%u", v->port ? (unsigned)v->port : 9001);
    argv[argc++] = port;
    argv[argc++] = (char *)(uintptr_t)v->trace;
    return orma_cmd_serve.run(&orma_cmd_serve, argc, argv);
}

static int serve_turn(void *ctx, struct orma_processor *tp, const struct orma_follow_state *state)
{
    struct view *v = ctx;

    v->turn->generation = state->answer;
    v->turn->ended = state->ended;
    v->turn->ready_fd = state->ready_fd;
    return choose_and_show(v, tp);
}

static int follow(struct view *v, const struct orma_processor_config *config)
{
    struct orma_view_turn turn;
    const struct orma_follow how = {.program = "orma view",
                                    .name = v->trace,
                                    .every_ms = v->every_ms,
                                    .config = *config,
                                    .answer = serve_turn,
                                    .stays = true,
                                    .ctx = v};

    v->turn = &turn;
    if (orma_view_serve_begin(&turn, v->port, !v->no_open, v->at) < 0)
        return ORMA_EXIT_FAILURE;
    int code = orma_follow_run(&how);
    (void)close(turn.listen_fd); /* nobody is accepted any more */
    return code;
}

static int run(const struct orma_command *self, int argc, char **argv)
{
    struct orma_processor_config config = {
        .size = sizeof(config), .query_timeout_ms = SQL_MS, .threads = orma_load_threads()};
    struct orma_processor *tp = NULL;
    struct view v = {0};
    bool go_on;

    orma_cli_init(&v.cli, self, "orma view", argc, argv);
    int code = parse(&v, &go_on);
    if (!go_on)
        return code;
    if (v.perfetto)
        return serve_perfetto(&v);
    if (ORMA_IS_BIG_ENDIAN) {
        fprintf(stderr, "orma view: traces are packed for pages on little-endian machines only: "
                        "copy the trace there; 'orma report' and 'orma query' read it here\n");
        return ORMA_EXIT_FAILURE;
    }
    if (v.follow)
        return follow(&v, &config);
    if (v.out)
        config.query_timeout_ms = 0;
    const struct orma_output_want want = wanted(&v);
    int r = v.out ? orma_output_check(&want) : 0;
    if (r == 0)
        r = orma_processor_new(&config, &tp);
    if (r == 0)
        r = orma_load_symbols_for(tp, "orma view", v.trace);
    if (r == 0)
        r = orma_load_trace(tp, "orma view", v.trace, ORMA_LOAD_PROGRESS, NULL);
    code = r < 0 ? ORMA_EXIT_FAILURE : choose_and_show(&v, tp);
    orma_processor_free(tp);
    return code;
}

const struct orma_command orma_cmd_view = {
    .name = "view",
    .summary = "Show a trace as a timeline, in the browser or as one file.",
    .synopsis = "[OPTIONS] TRACE\n-o FILE.html [OPTIONS] TRACE",
    .details = "Without -o, the trace is served to a browser on this machine, at a printed link "
               "that nobody else knows. With -o, everything is in one file that you can mail or "
               "keep beside a build: it needs no network. Nothing is sent anywhere. Press ? in the "
               "page to see its keys.",
    .examples = "  orma view t.pftrace                  # the link is printed, and opened\n"
                "  orma view t.pftrace -o t.html        # to pass on\n"
                "  orma view --follow t.pftrace         # while it is recorded\n"
                "  orma view t.pftrace -o t.html --range=1.5s,2s --exact\n",
    .options = options,
    .threads = true,
    .exclusive = "exact max-size",
    .run = run,
};
