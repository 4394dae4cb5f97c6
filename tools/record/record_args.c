/* The options of `orma record`. */
#include <string.h>

#include "sdk/base/defs.h"
#include "tools/base/inputs.h"
#include "tools/base/units.h"
#include "tools/record/names.h"
#include "tools/record/presets.h"
#include "tools/record/record_impl.h"

#define MANY_SECONDS 200 /* where milliseconds may have been meant */
#define DEPTH_MAX 255 /* of the kernel's own stack of returns: less */
#define SPAN_MAX_MS 86400000
#define BUFFER_MIN ((uint64_t)4096)
#define BUFFER_MAX (((uint64_t)4 << 30) - 1)

enum {
    OPT_TIME = 1,
    OPT_BUFFER,
    OPT_AUTO_SIZE,
    OPT_GRAPH,
    OPT_DEPTH,
    OPT_KPROBE,
    OPT_KRETPROBE,
    OPT_UPROBE,
    OPT_URETPROBE,
    OPT_USDT,
    OPT_OUT,
    OPT_FORCE,
    OPT_ALL,
    OPT_RING,
    OPT_STREAM,
    OPT_LIVE,
    OPT_MAX_SIZE,
    OPT_ROTATE,
    OPT_KEEP,
    OPT_MAX_SNAPSHOTS,
    OPT_TRIGGER,
    OPT_WHEN,
    OPT_BEFORE,
    OPT_AFTER,
    OPT_PAUSE,
    OPT_THEN,
    OPT_CLONE,
    OPT_MACHINE,
    OPT_BACKGROUND,
    OPT_CONFIG,
    OPT_TXT,
    OPT_EXPLAIN,
    OPT_PRIVATE,
    OPT_UNKNOWN,
    OPT_QUIET
};

const struct orma_option orma_record_options[] = {
    {OPT_TIME, 't', "time", "TIME",
     "How long to record: 10 or 10s, 500ms, 5m, 2h. Default: until Ctrl-C or the end of COMMAND."},
    {OPT_BUFFER, 'b', "buffer", "SIZE",
     "Size of the central buffer: 64kb, 32mb (the default), 1gb."},
    {OPT_AUTO_SIZE, 0, "auto-size", NULL,
     "Record for a second first, and choose the sizes of buffers (the kernel's, too), and how often "
     "they are read and flushed, by what came; a ring then holds TIME, what --when needs, or 10 "
     "seconds. With COMMAND, which is not run twice: as large as the machine affords, and what was "
     "needed is said."},
    {OPT_OUT, 'o', "output", "FILE",
     "Where the trace goes; - is standard output. Default: orma-DATE-TIME.pftrace."},
    {OPT_FORCE, 'f', "force", NULL, "Overwrite FILE if it exists."},
    {OPT_ALL, 'a', "all", NULL, "Record everything that has a preset."},
    {OPT_GRAPH, 0, "function-graph", "FUNCTIONS",
     "Record the calls of these kernel functions, and of all that they call, as slices: a name, or "
     "a pattern such as 'vfs_*'; may be repeated."},
    {OPT_DEPTH, 0, "max-depth", "N", "With --function-graph: how deep calls are followed."},
    {OPT_KPROBE, 0, "kprobe", "PROBE",
     "Record each call of a kernel function, FUNCTION or FUNCTION+OFFSET, with what you name behind "
     "it: 'do_sys_openat2 file=$arg2:string'."},
    {OPT_KRETPROBE, 0, "kretprobe", "PROBE",
     "The same of returns: 'do_sys_openat2 fd=$retval:s32'."},
    {OPT_UPROBE, 0, "uprobe", "PROBE",
     "Record each call of a function of a program or library: '/bin/bash:readline', with what you "
     "name behind it."},
    {OPT_URETPROBE, 0, "uretprobe", "PROBE",
     "The same of returns: '/bin/bash:readline line=$retval:string'."},
    {OPT_USDT, 0, "usdt", "PROBE",
     "Record a static probe point with its arguments: FILE:PROVIDER:NAME."},
    {OPT_RING, 0, "ring", NULL,
     "Keep only the newest data, as much as fits into the buffer, and write them at the end."},
    {OPT_STREAM, 0, "stream", NULL, "Write into FILE continuously (the default)."},
    {OPT_LIVE, 0, "live", NULL,
     "Flush and write four times a second: whoever follows FILE sees what happened half a second "
     "ago."},
    {OPT_MAX_SIZE, 0, "max-size", "SIZE", "End the recording before FILE grows past this."},
    {OPT_ROTATE, 0, "rotate", "SIZE|TIME",
     "Begin another file when one has about this size, or this age: 64mb, 10m (minutes), or "
     "64mb,10m. They are called NAME.0001.pftrace, NAME.0002.pftrace, ...; each can be opened "
     "alone, and 'orma merge' joins them."},
    {OPT_KEEP, 0, "keep", "N", "With --rotate: keep the newest N files only, and those that --when may need."},
    {OPT_MAX_SNAPSHOTS, 0, "max-snapshots", "N",
     "How many files the triggers of a CLONE_SNAPSHOT config, or the conditions of --when, may "
     "write (default: 100)."},
    {OPT_WHEN, 0, "when", "CONDITION",
     "With --ring or --rotate: write a snapshot FILE.0, FILE.1, ... each time that this happens: "
     "'slice \"request\" > 50ms', 'latency worker > 20ms', or SQL that returns a row (of the ring, "
     "or of the two newest files). Names are patterns; may be repeated."},
    {OPT_BEFORE, 0, "before", "TIME", "How much of the time before it is in a snapshot (10s)."},
    {OPT_AFTER, 0, "after", "TIME", "How much of the time after it (2s)."},
    {OPT_PAUSE, 0, "pause", "TIME", "After a snapshot, make none for so long (10s)."},
    {OPT_THEN, 0, "then", "COMMAND",
     "Run this shell command after each snapshot, with its path in $ORMA_SNAPSHOT, and "
     "$ORMA_CONDITION."},
    {OPT_TRIGGER, 0, "trigger", "NAME",
     "Keep the newest data until the trigger NAME is fired ('trigger_perfetto NAME', or by a "
     "program), then write them and stop. TIME limits the wait (default: a day)."},
    {OPT_CLONE, 0, "clone", "SESSION",
     "Write a snapshot of a running session, given by its number as in 'orma status' or by its "
     "unique name. The session continues."},
    {OPT_MACHINE, 0, "machine", "MACHINE",
     "Record another machine as well, on the same timeline: ssh:HOST (orma must be there), "
     "tcp:HOST:PORT or vsock:CID:PORT ('orma relay --listen' must run there); may be repeated."},
    {OPT_BACKGROUND, 0, "background", NULL,
     "Record in the background: returns once everything is being recorded, and prints the process "
     "id to stop it with 'kill'."},
    {OPT_CONFIG, 'c', "config", "FILE",
     "Use this trace config: text, JSON or binary; - is standard input. Presets, -a, -t, -b, "
     "--ring, "
     "--stream, --live, --max-size and --trigger cannot be combined with it."},
    {OPT_TXT, 0, "txt", NULL, "Read the config as text."},
    {OPT_EXPLAIN, 0, "explain", NULL,
     "Print the config that would be used, with comments, and exit."},
    {OPT_PRIVATE, 0, "private", NULL,
     "Use a private service even if one is running on this machine."},
    {OPT_UNKNOWN, 0, "allow-unknown", NULL,
     "Record even if the config names data sources that nobody offers yet, or events that this "
     "kernel does not have."},
    {OPT_QUIET, 'q', "quiet", NULL, "Print errors only: no progress, no summary."},
    {0},
};

static int add_machine(struct orma_record *rec, const char *spec)
{
    const char *wrong = orma_relay_machine_check(spec);

    if (wrong)
        return orma_cli_usage_error(&rec->cli, "bad machine '%s': %s", spec, wrong);
    if (rec->machines_num == ORMA_RELAY_MACHINES_MAX)
        return orma_cli_usage_error(&rec->cli, "at most %d machines", ORMA_RELAY_MACHINES_MAX);
    rec->machines[rec->machines_num++] = spec;
    return ORMA_EXIT_OK;
}

/* A preset, "group/name", or the name of an event of which the kernel has one only. */
static int add_word(struct orma_record *rec, const char *word)
{
    const char *names[64] = {0};
    char event[256];

    if (*word == '/' || *word == '.') /* no group of events begins so */
        return orma_cli_usage_error(&rec->cli, "'%s' is not an event: put '--' before a command",
                                    word);
    if (orma_record_request_add(&rec->request, word))
        return ORMA_EXIT_OK;
    int num = orma_record_names_whole_event(word, event, sizeof(event));
    if (num == 1) {
        const char *kept = orma_arena_strdup(&rec->names, orma_str_from(event));

        if (kept && orma_record_request_add(&rec->request, kept))
            return ORMA_EXIT_OK;
    }
    if (num > 1)
        return orma_cli_usage_error(
            &rec->cli, "%d groups have an event '%s': name one, such as '%s'", num, word, event);
    for (size_t i = 0; orma_record_presets[i].name && i < ORMA_ARRAY_LEN(names) - 1; i++)
        names[i] = orma_record_presets[i].name;
    const char *near = orma_cli_did_you_mean(word, names);
    if (!near && orma_record_names_near_event(word, event, sizeof(event)))
        near = event;
    if (near)
        return orma_cli_usage_error(&rec->cli, "unknown preset or event '%s'; did you mean '%s'?",
                                    word, near);
    if (num < 0)
        return orma_cli_usage_error(&rec->cli,
                                    "unknown preset '%s'; the kernel's events cannot be read (%s), "
                                    "so an event needs its group: 'group/%s'",
                                    word, strerror(-num), word);
    return orma_cli_usage_error(
        &rec->cli,
        "unknown preset or event '%s' ('orma list' shows them; put '--' before a command)", word);
}

/* "kprobe:" + what was given. */
static int add_probe(struct orma_record *rec, const char *kind)
{
    const char *value = rec->cli.value;
    char *spec = orma_arena_alloc(&rec->names, strlen(kind) + strlen(value) + 1);

    if (!*value)
        return orma_cli_usage_error(&rec->cli, "--%.*s needs the name of a function",
                                    (int)strlen(kind) - 1, kind);
    if (!spec)
        return ORMA_EXIT_FAILURE;
    strcpy(stpcpy(spec, kind), value);
    if (orma_record_request_add_probe(&rec->request, spec))
        return ORMA_EXIT_OK;
    return orma_cli_usage_error(&rec->cli, "at most %d events", ORMA_RECORD_EVENTS_MAX);
}

static int parse_depth(struct orma_record *rec)
{
    uint64_t number;

    if (!orma_str_to_u64(orma_str_from(rec->cli.value), &number) || !number || number > DEPTH_MAX)
        return orma_cli_usage_error(&rec->cli, "bad depth '%s': expected 1 to %d", rec->cli.value,
                                    DEPTH_MAX);
    rec->request.max_depth = (unsigned)number;
    return ORMA_EXIT_OK;
}

static int parse_span(struct orma_record *rec, uint64_t *ret_ms)
{
    rec->has_span = true;
    if (orma_units_parse_time_ms(rec->cli.value, ret_ms) && *ret_ms <= SPAN_MAX_MS)
        return ORMA_EXIT_OK;
    return orma_cli_usage_error(&rec->cli, "bad time '%s': expected 10s, 500ms or 1m, at most 24h",
                                rec->cli.value);
}

static int parse_option(struct orma_record *rec, int id)
{
    const char *value = rec->cli.value;
    uint64_t number;

    switch (id) {
    case OPT_TIME:
        if (!orma_units_parse_time_ms(value, &rec->request.duration_ms) ||
            rec->request.duration_ms > UINT32_MAX)
            return orma_cli_usage_error(
                &rec->cli, "bad time '%s': expected 10 (seconds), 500ms, 5m or 2h", value);
        if (orma_str_to_u64(orma_str_from(value), &number) && number >= MANY_SECONDS)
            fprintf(stderr, "%s: -t %s is %s seconds; for milliseconds: -t %sms\n",
                    rec->cli.program, value, value, value);
        break;
    case OPT_BUFFER:
        if (!orma_units_parse_size_bytes(value, &rec->request.buffer_bytes) ||
            rec->request.buffer_bytes < BUFFER_MIN || rec->request.buffer_bytes > BUFFER_MAX)
            return orma_cli_usage_error(
                &rec->cli, "bad buffer size '%s': expected 4kb to just below 4gb, as in 32mb",
                value);
        rec->sized = true;
        break;
    case OPT_AUTO_SIZE:
        rec->auto_size = true;
        break;
    case OPT_GRAPH:
        if (!*value || !orma_record_request_add_root(&rec->request, value))
            return orma_cli_usage_error(&rec->cli, "--function-graph needs a name, at most %d times",
                                        ORMA_RECORD_ROOTS_MAX);
        break;
    case OPT_DEPTH:
        return parse_depth(rec);
    case OPT_KPROBE:
        return add_probe(rec, "kprobe:");
    case OPT_KRETPROBE:
        return add_probe(rec, "kretprobe:");
    case OPT_UPROBE:
        return add_probe(rec, "uprobe:");
    case OPT_URETPROBE:
        return add_probe(rec, "uretprobe:");
    case OPT_USDT:
        return add_probe(rec, "usdt:");
    case OPT_OUT:
        rec->out_path = value;
        break;
    case OPT_FORCE:
        rec->force = true;
        break;
    case OPT_ALL:
        orma_record_request_add_all(&rec->request);
        break;
    case OPT_RING:
    case OPT_STREAM:
        rec->request.mode = id == OPT_RING ? ORMA_RECORD_RING : ORMA_RECORD_STREAM;
        rec->mode_given = true;
        break;
    case OPT_LIVE:
        rec->request.live = true;
        break;
    case OPT_TRIGGER:
        if (!*value)
            return orma_cli_usage_error(&rec->cli, "--trigger needs a non-empty name");
        rec->request.trigger = value;
        break;
    case OPT_CLONE:
        rec->clone = value;
        break;
    case OPT_MACHINE:
        return add_machine(rec, value);
    case OPT_BACKGROUND:
        rec->background = true;
        break;
    case OPT_WHEN:
        if (rec->when_num == ORMA_RECORD_WHEN_MAX)
            return orma_cli_usage_error(&rec->cli, "at most %d conditions", ORMA_RECORD_WHEN_MAX);
        rec->when[rec->when_num++] = value;
        break;
    case OPT_BEFORE:
        return parse_span(rec, &rec->before_ms);
    case OPT_AFTER:
        return parse_span(rec, &rec->after_ms);
    case OPT_PAUSE:
        return parse_span(rec, &rec->pause_ms);
    case OPT_THEN:
        rec->then = value;
        break;
    case OPT_MAX_SIZE:
        if (!orma_units_parse_size_bytes(value, &rec->request.max_file_bytes))
            return orma_cli_usage_error(&rec->cli,
                                        "bad size '%s': expected a size as in 100mb or 2gb", value);
        break;
    case OPT_ROTATE:
        if (!orma_record_rotation_parse(&rec->rotation, value))
            return orma_cli_usage_error(
                &rec->cli, "bad limit '%s': expected a size or a time, as in 64mb, 10m or 64mb,10m",
                value);
        break;
    case OPT_KEEP:
        if (!orma_str_to_u64(orma_str_from(value), &number) || !number || number > UINT32_MAX)
            return orma_cli_usage_error(&rec->cli, "bad number '%s': expected 1 or more", value);
        rec->rotation.keep = (uint32_t)number;
        break;
    case OPT_MAX_SNAPSHOTS:
        if (!orma_str_to_u64(orma_str_from(value), &number) || !number || number > UINT32_MAX)
            return orma_cli_usage_error(&rec->cli, "bad number '%s': expected 1 or more", value);
        rec->snapshots_max = (unsigned)number;
        break;
    case OPT_CONFIG:
        rec->config_path = value;
        break;
    case OPT_TXT:
        rec->config_form = ORMA_SERVICE_CONFIG_TEXT;
        break;
    case OPT_EXPLAIN:
        rec->explain = true;
        break;
    case OPT_PRIVATE:
        rec->private_service = true;
        break;
    case OPT_UNKNOWN:
        rec->allow_unknown = true;
        break;
    case OPT_QUIET:
        rec->quiet = true;
        break;
    case ORMA_CLI_REST:
        rec->command = rec->cli.argv + rec->cli.rest_idx;
        if (!rec->command[0])
            return orma_cli_usage_error(&rec->cli, "a command must follow '--'");
        break;
    case ORMA_CLI_POSITIONAL:
        orma_inputs_drop(value); /* the name of a preset or event */
        return add_word(rec, value);
    }
    return ORMA_EXIT_OK;
}

static int check_together(struct orma_record *rec)
{
    if (rec->config_path && rec->shaped)
        return orma_cli_usage_error(
            &rec->cli,
            "the config of -c already says what to record and for how long: presets, probes, -a, -t, "
            "-b, --ring, --stream, --live, --max-size and --trigger cannot be combined with it");
    if (rec->auto_size && (rec->sized || rec->clone))
        return orma_cli_usage_error(&rec->cli, rec->clone
                                                   ? "--clone takes a session as it is: leave out "
                                                     "--auto-size"
                                                   : "--auto-size chooses the size: leave out -b");
    if (rec->request.max_depth && !rec->request.roots_num)
        return orma_cli_usage_error(&rec->cli, "--max-depth needs --function-graph FUNCTIONS");
    if (rec->clone && (rec->shaped || rec->config_path || rec->command || rec->explain ||
                       rec->background || rec->private_service))
        return orma_cli_usage_error(&rec->cli, "--clone can be combined only with -o, -f and -q");
    if (!rec->when_num && (rec->has_span || rec->then))
        return orma_cli_usage_error(&rec->cli,
                                    "--before, --after, --pause and --then need --when CONDITION");
    if (rec->when_num && (rec->clone || rec->config_path || rec->request.trigger))
        return orma_cli_usage_error(&rec->cli,
                                    "--when cannot be combined with -c, --clone and --trigger");
    if (rec->when_num && rec->request.mode != ORMA_RECORD_RING &&
        !orma_record_rotation_wanted(&rec->rotation))
        return orma_cli_usage_error(&rec->cli, "--when needs --ring or --rotate: snapshots are made "
                                               "of what is kept");
    if (rec->when_num && rec->out_path && !strcmp(rec->out_path, "-"))
        return orma_cli_usage_error(
            &rec->cli, "--when needs a file: snapshots are called FILE.0, FILE.1, ...");
    if (rec->machines_num && (rec->clone || (rec->request.trigger && !rec->command)))
        return orma_cli_usage_error(&rec->cli,
                                    "--machine records with a private service, which --clone and "
                                    "triggers do not reach");
    if (rec->background && rec->command)
        return orma_cli_usage_error(&rec->cli, "--background cannot be combined with a "
                                               "command: start the command yourself afterwards");
    if (rec->background && rec->out_path && !strcmp(rec->out_path, "-"))
        return orma_cli_usage_error(&rec->cli, "--background needs a file: name it with -o FILE");
    if (rec->rotation.keep && !orma_record_rotation_wanted(&rec->rotation))
        return orma_cli_usage_error(&rec->cli, "--keep needs --rotate, as in --rotate 64mb");
    if (orma_record_rotation_wanted(&rec->rotation) &&
        (rec->request.mode == ORMA_RECORD_RING || rec->request.trigger || rec->clone ||
         rec->request.max_file_bytes))
        return orma_cli_usage_error(&rec->cli,
                                    "--rotate cannot be combined with --ring, --trigger, --clone "
                                    "or --max-size: --keep N limits what stays on the disk");
    if (orma_record_rotation_wanted(&rec->rotation) && rec->out_path && !strcmp(rec->out_path, "-"))
        return orma_cli_usage_error(&rec->cli, "--rotate needs files: name them with -o FILE");
    if (rec->request.trigger && rec->private_service && !rec->command)
        return orma_cli_usage_error(&rec->cli,
                                    "with --private only a COMMAND can fire the trigger: add one");
    return ORMA_EXIT_OK;
}

int orma_record_parse(struct orma_record *rec, bool *ret_go_on)
{
    int id;

    *ret_go_on = false;
    while ((id = orma_cli_next(&rec->cli)) != ORMA_CLI_END) {
        if (id == ORMA_CLI_HELP)
            return ORMA_EXIT_OK;
        if (id == ORMA_CLI_BAD)
            return ORMA_EXIT_USAGE;
        bool probe = id >= OPT_GRAPH && id <= OPT_USDT;
        rec->named |= id == ORMA_CLI_POSITIONAL || id == OPT_ALL || probe;
        rec->shaped |= probe || id == ORMA_CLI_POSITIONAL || id == OPT_ALL || id == OPT_TIME ||
                       id == OPT_BUFFER || id == OPT_RING || id == OPT_STREAM ||
                       id == OPT_MAX_SIZE || id == OPT_TRIGGER || id == OPT_LIVE;
        int r = parse_option(rec, id);
        if (r != ORMA_EXIT_OK)
            return r;
    }
    int r = check_together(rec);
    if (r != ORMA_EXIT_OK)
        return r;
    if (!rec->named)
        orma_record_request_add_defaults(&rec->request);
    if (rec->request.trigger && !rec->mode_given)
        rec->request.mode = ORMA_RECORD_RING;
    if (rec->request.live && rec->request.mode != ORMA_RECORD_STREAM)
        return orma_cli_usage_error(&rec->cli, "--live is for a file that is written continuously: "
                                               "leave out --ring and --trigger");
    *ret_go_on = true;
    return ORMA_EXIT_OK;
}
