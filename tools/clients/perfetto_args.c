/*
 * One table of options; option() stores values and finds contradictions between two of them,
 * check() those that can be judged only when all arguments have been read.
 */
#include <stdlib.h>

#include "sdk/base/str.h"
#include "tools/base/units.h"
#include "tools/clients/perfetto_impl.h"

#define DURATION_MAX_MS UINT32_MAX
#define BUFFER_MAX (((uint64_t)4 << 30) - 1)

enum {
    OPT_CONFIG = 1,
    OPT_TXT,
    OPT_TXT_LOSSY,
    OPT_OUT,
    OPT_NO_CLOBBER,
    OPT_BACKGROUND,
    OPT_BACKGROUND_WAIT,
    OPT_NOTIFY_FD,
    OPT_TIME,
    OPT_BUFFER,
    OPT_SIZE,
    OPT_APP,
    OPT_QUERY,
    OPT_LONG,
    OPT_QUERY_RAW,
    OPT_CLONE,
    OPT_CLONE_NAME,
    OPT_CLONE_BUGREPORT,
    OPT_DETACH,
    OPT_ATTACH,
    OPT_STOP,
    OPT_IS_DETACHED,
    OPT_ATTRIBUTE,
    OPT_GUARDRAILS,
    OPT_VERSION,
    OPT_ANDROID,
};

static const struct orma_option options[] = {
    {OPT_CONFIG, 'c', "config", "FILE",
     "The trace config: an encoded TraceConfig, or with --txt its text form. - is standard input; "
     ":test is a built-in config that records two seconds."},
    {OPT_TXT, 0, "txt", NULL, "The config is text."},
    {OPT_TXT_LOSSY, 0, "txt-lossy", NULL,
     "The config is text; unknown fields and enum values are ignored."},
    {OPT_OUT, 'o', "out", "FILE", "Where the trace goes; - is standard output."},
    {OPT_NO_CLOBBER, 0, "no-clobber", NULL, "Fail if the file of -o exists."},
    {OPT_BACKGROUND, 'd', "background", NULL,
     "Record in the background: print the process id of the child that records, and exit."},
    {OPT_BACKGROUND_WAIT, 'D', "background-wait", NULL,
     "The same, but exit only when all data sources have started (0), on an error (1), or after 30 "
     "seconds (2)."},
    {OPT_NOTIFY_FD, 0, "notify-fd", "FD",
     "Write one byte to this descriptor when all data sources have started: 0, or 1 on an error."},
    {OPT_TIME, 't', "time", "TIME", "Light form: how long, as in 500ms, 10s, 5m, 1h."},
    {OPT_BUFFER, 'b', "buffer", "SIZE", "Light form: buffer, as in 64kb, 32mb, 1gb."},
    {OPT_SIZE, 's', "size", "SIZE",
     "Light form: write into the file continuously, up to this size."},
    {OPT_APP, 'a', "app", "NAME", "Light form: user-space events of this app. May be repeated."},
    {OPT_QUERY, 0, "query", NULL, "Show producers, data sources and sessions of the service."},
    {OPT_LONG, 0, "long", NULL, "With --query: also the descriptors of the data sources."},
    {OPT_QUERY_RAW, 0, "query-raw", NULL, "The same as an encoded TracingServiceState."},
    {OPT_CLONE, 0, "clone", "ID", "Snapshot of the running session with this number."},
    {OPT_CLONE_NAME, 0, "clone-by-name", "NAME",
     "Snapshot of the running session with this unique_session_name."},
    {OPT_CLONE_BUGREPORT, 0, "clone-for-bugreport", NULL,
     "Snapshot of the running session with the highest bugreport_score."},
    {OPT_DETACH, 0, "detach", "KEY",
     "Start the session and detach from it; --attach finds it by this key."},
    {OPT_ATTACH, 0, "attach", "KEY", "Attach to a detached session and wait for its end."},
    {OPT_STOP, 0, "stop", NULL, "With --attach: end it now."},
    {OPT_IS_DETACHED, 0, "is_detached", "KEY",
     "Exit with 0 if there is a detached session with this key, 2 if not, 1 on errors."},
    {OPT_ATTRIBUTE, 0, "add-attribute", "KEY[=VALUE]",
     "Add this attribute to the trace. May be repeated."},
    {OPT_GUARDRAILS, 0, "no-guardrails", NULL, "Accepted; there are no guardrails on Linux."},
    {OPT_GUARDRAILS, 0, "reset-guardrails", NULL, "Accepted; does nothing on Linux."},
    {OPT_VERSION, 0, "version", NULL, "Print the version."},
    {OPT_ANDROID, 0, "upload", NULL, NULL},
    {OPT_ANDROID, 0, "upload-after-boot", NULL, NULL},
    {OPT_ANDROID, 0, "dropbox", "TAG", NULL},
    {OPT_ANDROID, 0, "alert-id", "ID", NULL},
    {OPT_ANDROID, 0, "config-id", "ID", NULL},
    {OPT_ANDROID, 0, "config-uid", "UID", NULL},
    {OPT_ANDROID, 0, "subscription-id", "ID", NULL},
    {OPT_ANDROID, 0, "save-for-bugreport", NULL, NULL},
    {0},
};

/* Wrong usage, under this program's exit code. */
#define BAD(cli, ...) (orma_cli_usage_error(cli, __VA_ARGS__), 1)

static int add(struct orma_cli *cli, struct orma_perfetto_list *list, const char *item)
{
    if (list->num == ORMA_PERFETTO_LIST_MAX)
        return BAD(cli, "too many values: at most %d of one kind", ORMA_PERFETTO_LIST_MAX);
    list->items[list->num++] = item;
    return 0;
}

/* One action at a time; options of the light form and -c are one action. */
static int act(struct orma_cli *cli, struct orma_perfetto_args *args,
               enum orma_perfetto_action action, const char *what)
{
    if (args->action != ORMA_PERFETTO_NOTHING &&
        (args->action != action || action != ORMA_PERFETTO_RECORD))
        return BAD(cli, "'%s' cannot be combined with an earlier option", what);
    args->action = action;
    return 0;
}

static int light(struct orma_cli *cli, struct orma_perfetto_args *args, const char *what)
{
    args->light = true;
    return act(cli, args, ORMA_PERFETTO_RECORD, what);
}

static int light_number(struct orma_cli *cli, struct orma_perfetto_args *args, int id)
{
    const char *text = cli->value;
    bool good = true;

    if (id == OPT_TIME)
        good = orma_units_parse_duration_ms(text, &args->light_duration_ms) &&
               args->light_duration_ms <= DURATION_MAX_MS;
    else if (id == OPT_BUFFER)
        good = orma_units_parse_size_bytes(text, &args->light_buffer_bytes) &&
               args->light_buffer_bytes >= 1024 && args->light_buffer_bytes <= BUFFER_MAX;
    else
        good = orma_units_parse_size_bytes(text, &args->light_file_bytes);
    if (good)
        return light(cli, args, cli->option);
    return BAD(cli, "bad %s '%s': expected a number and a unit, as in %s",
               id == OPT_TIME ? "time" : "size", text, id == OPT_TIME ? "10s" : "32mb");
}

static int number(struct orma_cli *cli, const char *what, uint64_t max, uint64_t *ret)
{
    if (orma_str_to_u64(orma_str_from(cli->value), ret) && *ret <= max)
        return 0;
    return BAD(cli, "bad %s '%s': expected a whole number", what, cli->value);
}

static int keyed(struct orma_cli *cli, struct orma_perfetto_args *args)
{
    if (!*cli->value)
        return BAD(cli, "'%s' needs a non-empty key", cli->option);
    if (args->key)
        return BAD(cli, "'%s' cannot be combined with another key", cli->option);
    args->key = cli->value;
    return 0;
}

static int clone_option(struct orma_cli *cli, struct orma_perfetto_args *args, int id)
{
    int r = act(cli, args, ORMA_PERFETTO_CLONE, cli->option);

    if (r == 0 && id == OPT_CLONE)
        r = number(cli, "session number", UINT64_MAX - 1, &args->clone_id);
    else if (id == OPT_CLONE_NAME)
        args->clone_name = cli->value;
    else
        args->clone_for_bugreport = id == OPT_CLONE_BUGREPORT;
    return r;
}

static int option(struct orma_cli *cli, struct orma_perfetto_args *args, int id)
{
    uint64_t val = 0;
    int r = 0;

    switch (id) {
    case OPT_CONFIG:
        if (args->config_path)
            return BAD(cli, "a second config, '%s'", cli->value);
        args->config_path = cli->value;
        return act(cli, args, ORMA_PERFETTO_RECORD, cli->option);
    case OPT_TXT_LOSSY:
    case OPT_TXT:
        args->text = true;
        args->lossy |= id == OPT_TXT_LOSSY;
        return 0;
    case OPT_OUT:
        args->out_path = cli->value;
        return 0;
    case OPT_NO_CLOBBER:
        args->no_clobber = true;
        return 0;
    case OPT_BACKGROUND_WAIT:
    case OPT_BACKGROUND:
        args->background = true;
        args->background_wait |= id == OPT_BACKGROUND_WAIT;
        return 0;
    case OPT_NOTIFY_FD:
        r = number(cli, "descriptor", INT32_MAX, &val);
        args->notify_fd = (int)val;
        return r;
    case OPT_TIME:
    case OPT_BUFFER:
    case OPT_SIZE:
        return light_number(cli, args, id);
    case OPT_APP:
        r = add(cli, &args->light_apps, cli->value);
        return r ? r : light(cli, args, cli->option);
    case ORMA_CLI_POSITIONAL:
        r = add(cli, &args->light_events, cli->value);
        return r ? r : light(cli, args, cli->value);
    case OPT_QUERY_RAW:
        args->query_raw = true;
        return args->action == ORMA_PERFETTO_QUERY
                   ? 0
                   : act(cli, args, ORMA_PERFETTO_QUERY, cli->option);
    case OPT_QUERY:
        return args->action == ORMA_PERFETTO_QUERY
                   ? 0
                   : act(cli, args, ORMA_PERFETTO_QUERY, cli->option);
    case OPT_LONG:
        args->query_long = true;
        return 0;
    case OPT_CLONE:
    case OPT_CLONE_NAME:
    case OPT_CLONE_BUGREPORT:
        return clone_option(cli, args, id);
    case OPT_DETACH:
        args->detach = true;
        return keyed(cli, args);
    case OPT_ATTACH:
        r = keyed(cli, args);
        return r ? r : act(cli, args, ORMA_PERFETTO_ATTACH, cli->option);
    case OPT_IS_DETACHED:
        r = keyed(cli, args);
        return r ? r : act(cli, args, ORMA_PERFETTO_IS_DETACHED, cli->option);
    case OPT_STOP:
        args->stop = true;
        return 0;
    case OPT_ATTRIBUTE:
        if (!*cli->value || *cli->value == '=')
            return BAD(cli, "bad attribute '%s': expected KEY or KEY=VALUE", cli->value);
        return add(cli, &args->attributes, cli->value);
    case OPT_ANDROID:
        return BAD(cli, "'%s' exists on Android only", cli->option);
    }
    return 0;
}

/* What can only be judged when all is said. */
static int check(struct orma_cli *cli, struct orma_perfetto_args *args)
{
    enum orma_perfetto_action action = args->action;

    if (action == ORMA_PERFETTO_NOTHING)
        return BAD(cli, args->detach
                            ? "'--detach' needs a config: -c FILE"
                            : "nothing to do: record with -c CONFIG or with the light form (-t, "
                              "-b, EVENT ...), or use --query, --clone or --attach");
    if (args->config_path && args->light)
        return BAD(cli, "-c cannot be combined with the light form (--time, --buffer, --size, "
                        "--app, events and categories)");
    if (args->text && !args->config_path)
        return BAD(cli, "--txt needs -c");
    if (args->stop && action != ORMA_PERFETTO_ATTACH)
        return BAD(cli, "'--stop' needs --attach KEY");
    if (args->query_long && action != ORMA_PERFETTO_QUERY)
        return BAD(cli, "'--long' needs --query");
    if (args->detach && action != ORMA_PERFETTO_RECORD)
        return BAD(cli, "'--detach' needs a config: -c FILE");
    if (args->background && action != ORMA_PERFETTO_RECORD)
        return BAD(cli, "only a recording can go to the background");
    if (args->notify_fd >= 0 && action != ORMA_PERFETTO_RECORD)
        return BAD(cli, "'--notify-fd' needs a recording");
    if (args->attributes.num && action != ORMA_PERFETTO_RECORD)
        return BAD(cli, "'--add-attribute' needs a recording");
    if (args->no_clobber && !args->out_path)
        return BAD(cli, "'--no-clobber' needs -o FILE");
    if (args->out_path && (action == ORMA_PERFETTO_QUERY || action == ORMA_PERFETTO_IS_DETACHED))
        return BAD(cli, "-o cannot be used here: no trace is written");
    if (action == ORMA_PERFETTO_CLONE && !args->out_path)
        return BAD(cli, "a snapshot needs an output file: -o FILE");
    return 0;
}

int orma_perfetto_parse_args(struct orma_perfetto *self, int argc, char **argv, bool *ret_go_on)
{
    struct orma_cli cli;
    bool version = false;
    int id, r = 0;

    *ret_go_on = false;
    self->args = (struct orma_perfetto_args){.notify_fd = -1};
    orma_cli_init(&cli, &orma_cmd_perfetto, self->hooks->program, argc, argv);
    while (r == 0 && (id = orma_cli_next(&cli)) != ORMA_CLI_END) {
        if (id == ORMA_CLI_HELP)
            return 0;
        if (id == ORMA_CLI_BAD)
            return 1;
        if (id == ORMA_CLI_REST) {
            for (int i = cli.rest_idx; i < argc && r == 0; i++) {
                cli.value = argv[i];
                r = option(&cli, &self->args, ORMA_CLI_POSITIONAL);
            }
            break;
        }
        version |= id == OPT_VERSION;
        r = option(&cli, &self->args, id);
    }
    if (r)
        return r;
    if (version) {
        puts("Perfetto v58.2-orma-" ORMA_VERSION);
        return 0;
    }
    r = check(&cli, &self->args);
    *ret_go_on = r == 0;
    return r;
}

const struct orma_command orma_cmd_perfetto = {
    .name = "perfetto",
    .summary = "Record a trace, or control the sessions of the tracing service.",
    .synopsis = "-c CONFIG [--txt] -o FILE\n"
                "[-t TIME] [-b SIZE] [-s SIZE] [-a APP] [GROUP/EVENT | CATEGORY]... -o FILE\n"
                "--query [--long] | --query-raw\n"
                "--clone ID | --clone-by-name NAME | --clone-for-bugreport -o FILE\n"
                "-c CONFIG -o FILE --detach KEY\n"
                "--attach KEY [--stop] | --is_detached KEY",
    .details = "Asks a running service (traced) to record by a trace config, and writes the trace. "
               "The light form makes the config: kernel events (GROUP/EVENT, or a category like "
               "sched, freq, disk), processes and system information.\n"
               "\n"
               "A recording lasts as long as its config says, or until SIGINT or SIGTERM; a second "
               "signal ends the program at once. With a trigger config of mode CLONE_SNAPSHOT each "
               "trigger writes FILE.0, FILE.1 and so on, at most 100 files.\n"
               "\n"
               "'orma record' does the same with simpler options, and needs no running service.",
    .examples =
        "  perfetto -c config.pbtxt --txt -o trace.pftrace\n"
        "  perfetto -t 10s -b 32mb -o trace.pftrace sched freq irq/irq_handler_entry\n"
        "  perfetto -D -c config.pbtxt --txt -o trace.pftrace   # goes on in the background\n"
        "  perfetto --query                                     # what can be recorded\n"
        "  perfetto --clone-by-name flight -o now.pftrace       # snapshot of a ring buffer\n",
    .options = options,
};
