/*
 * orma doctor: what a recording lost, or will lose, and the exact change that helps.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "processor/processor.h"
#include "protos/pbc.h"
#include "protos/reflect/schema.h"
#include "protos/reflect/text.h"
#include "tools/commands.h"
#include "tools/doctor/doctor.h"
#include "tools/load/load.h"
#include "tools/load/loss.h"
#include "tools/load/threads.h"
#include "tools/output/output.h"
#include "tools/service/config_file.h"

#define PROGRAM "orma doctor"

enum { OPT_FIX = 1, OPT_OUTPUT, OPT_FORCE, OPT_FORMAT };

static const struct orma_option options[] = {
    {OPT_FIX, 0, "fix", NULL, "Write the config with all changes: to NAME.fixed.pbtxt, or FILE."},
    {OPT_OUTPUT, 'o', "output", "FILE", "With --fix: where the config goes; - is standard output."},
    {OPT_FORCE, 'f', "force", NULL, "Overwrite FILE if it exists."},
    {OPT_FORMAT, 0, "format", "FORMAT", "text (the default) or json."},
    {0},
};

struct request {
    const char *input, *output;
    bool fix, force, json;
};

static uint32_t config_msg(void)
{
    return orma_schema_find_msg(orma_schema_default(), ORMA_STR("perfetto.protos.TraceConfig"));
}

static int take_config(struct orma_doctor *doctor, struct orma_str bytes)
{
    ProtobufCMessage *msg;
    int r = orma_pbc_unpack(&perfetto__protos__trace_config__descriptor, bytes, &msg);

    if (r == 0)
        doctor->config = (Perfetto__Protos__TraceConfig *)msg;
    return r;
}

/* Of bytes, a trace is a config without data sources: both begin with field 1. */
static bool is_config(const struct orma_doctor *doctor)
{
    return doctor->config->n_data_sources || doctor->config->has_duration_ms;
}

/* False: it is none, and `error` says why, as if it should be one. */
static bool read_config(struct orma_doctor *doctor, const char *path, struct orma_buf *bytes,
                        struct orma_buf *error)
{
    struct stat st;

    if (!strcmp(path, "-") || stat(path, &st) < 0 || !S_ISREG(st.st_mode))
        return false;
    if (orma_service_config_load(path, ORMA_SERVICE_CONFIG_AUTO, bytes, error) < 0)
        return false;
    if (take_config(doctor, orma_buf_str(bytes)) < 0)
        return false;
    if (is_config(doctor))
        return true;
    protobuf_c_message_free_unpacked(&doctor->config->base, NULL);
    doctor->config = NULL;
    return false;
}

/* The config that the trace was recorded with, if it is the only one. */
static void find_config(struct orma_doctor *doctor, struct orma_processor *tp)
{
    static const char sql[] = "SELECT str_value FROM metadata WHERE name = 'trace_config_pbtxt'";
    ORMA_AUTO(orma_buf_fini) struct orma_buf bytes = {0};
    struct orma_query *q;
    const char *rest;

    if (orma_load_number(tp, "SELECT count(DISTINCT str_value) FROM metadata WHERE name = "
                             "'trace_config_pbtxt'") != 1 ||
        orma_query_prepare(tp, sql, SIZE_MAX, &q, &rest) != 0)
        return;
    if (orma_query_step(q) == 1 &&
        orma_text_parse(orma_schema_default(), config_msg(), orma_str_from(orma_query_text(q, 0)),
                        NULL, &bytes) == 0)
        (void)take_config(doctor, orma_buf_str(&bytes)); /* without it there is less to say */
    orma_query_free(q);
}

static int look_at_trace(struct orma_doctor *doctor, const char *path)
{
    struct orma_processor *tp = NULL;
    int r = orma_processor_new(orma_load_config(), &tp);

    if (r == 0)
        r = orma_load_trace(tp, PROGRAM, path, ORMA_LOAD_PROGRESS, NULL);
    if (r == 0) {
        find_config(doctor, tp);
        orma_doctor_look_at_trace(doctor, tp, strcmp(path, "-") ? path : NULL);
    }
    orma_processor_free(tp);
    return r;
}

static int write_config(const struct orma_doctor *doctor, const struct request *req)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf bytes = {0}, text = {0}, name = {0};
    size_t len = protobuf_c_message_get_packed_size(&doctor->config->base);
    struct orma_output out;

    if (!orma_buf_reserve(&bytes, len))
        return -ENOMEM;
    bytes.len += protobuf_c_message_pack(&doctor->config->base, bytes.data);
    int r =
        orma_text_print(orma_schema_default(), config_msg(), bytes.data, bytes.len, NULL, &text);
    const char *path = req->output;
    if (!path) {
        const char *base = strrchr(req->input, '/'), *dot = strrchr(req->input, '.');
        bool has_dot = dot && dot > (base ? base + 1 : req->input);

        orma_buf_printf(&name, "%.*s.fixed.pbtxt",
                        has_dot ? (int)(dot - req->input) : (int)strlen(req->input), req->input);
        path = orma_buf_cstr(&name);
    }
    const struct orma_output_want want = {.program = PROGRAM, .path = path, .force = req->force};
    if (r < 0 || (r = orma_output_open(&out, &want)) < 0)
        return r;
    FILE *file = orma_output_stream(&out);
    if (file)
        fwrite(text.data, 1, text.len, file);
    return orma_output_close(&out, file ? 0 : -ENOMEM, "the config with the changes");
}

static int print(const struct orma_doctor *doctor, const struct request *req)
{
    /* The config may be what goes there. */
    FILE *out = req->output && !strcmp(req->output, "-") ? stderr : stdout;

    if (req->json)
        orma_doctor_print_json(doctor, out);
    else
        orma_doctor_print(doctor, out);
    return fflush(out) ? orma_cli_output_failed(PROGRAM, errno) : ORMA_EXIT_OK;
}

static bool has_changes(const struct orma_doctor *doctor)
{
    for (unsigned i = 0; i < doctor->num; i++) {
        if (doctor->findings[i].by_config)
            return true;
    }
    return false;
}

static int treat(struct orma_doctor *doctor, const struct request *req)
{
    int code = print(doctor, req);

    if (code != ORMA_EXIT_OK)
        return code;
    if (req->fix && !doctor->config) {
        fprintf(stderr, PROGRAM ": there is no config to change: the trace has none, or several\n");
    } else if (req->fix) {
        int r = write_config(doctor, req);
        if (r < 0)
            return orma_output_exit(r);
    } else if (!req->json && has_changes(doctor)) {
        fprintf(stderr, "'orma doctor --fix %s' writes the config with these changes\n",
                req->input);
    }
    return doctor->num ? ORMA_EXIT_FAILURE : ORMA_EXIT_OK;
}

static int examine(const struct request *req)
{
    ORMA_AUTO(orma_doctor_fini) struct orma_doctor doctor = {0};
    ORMA_AUTO(orma_buf_fini) struct orma_buf config = {0}, error = {0};

    if (!req->input) {
        orma_doctor_look_at_machine(&doctor);
    } else if (read_config(&doctor, req->input, &config, &error)) {
        orma_doctor_look_at_config(&doctor, orma_buf_str(&config));
    } else if (look_at_trace(&doctor, req->input) < 0) {
        if (error.len) /* where in the text of a config */
            fprintf(stderr, PROGRAM ": as a config: %s\n", orma_buf_cstr(&error));
        return ORMA_EXIT_FAILURE;
    }
    return treat(&doctor, req);
}

static int run(const struct orma_command *self, int argc, char **argv)
{
    struct request req = {0};
    struct orma_cli cli;
    int id;

    orma_cli_init(&cli, self, PROGRAM, argc, argv);
    while ((id = orma_cli_next(&cli)) != ORMA_CLI_END) {
        switch (id) {
        case OPT_FIX:
            req.fix = true;
            break;
        case OPT_OUTPUT:
            req.output = cli.value;
            break;
        case OPT_FORCE:
            req.force = true;
            break;
        case OPT_FORMAT:
            if (strcmp(cli.value, "json") && strcmp(cli.value, "text"))
                return orma_cli_usage_error(&cli, "bad format '%s': text or json", cli.value);
            req.json = !strcmp(cli.value, "json");
            break;
        case ORMA_CLI_POSITIONAL:
            if (req.input)
                return orma_cli_second_trace(&cli, req.input, cli.value, "");
            req.input = cli.value;
            break;
        case ORMA_CLI_REST:
            return orma_cli_usage_error(&cli, "unexpected '--'");
        case ORMA_CLI_HELP:
            return ORMA_EXIT_OK;
        default:
            return ORMA_EXIT_USAGE;
        }
    }
    if (req.output && !req.fix)
        return orma_cli_usage_error(&cli, "-o needs --fix");
    if (req.fix && (!req.input || (!req.output && !strcmp(req.input, "-"))))
        return orma_cli_usage_error(&cli, req.input ? "--fix of standard input needs -o FILE"
                                                    : "--fix needs a TRACE or CONFIG");
    return examine(&req);
}

const struct orma_command orma_cmd_doctor = {
    .name = "doctor",
    .in_short = true,
    .summary = "Say what a recording lost or will lose, and what to change.",
    .synopsis = "[OPTIONS] [TRACE | CONFIG]",
    .details =
        "Of a TRACE: what was lost, where, and the sizes that would have held what was measured "
        "(central buffers, shared memory of programs, the kernel's buffers, the file), and if it was "
        "overwritten before it was in the file, whether the disk is fast enough. Of a CONFIG "
        "(text, JSON or binary): what the service would refuse, names that this kernel does not "
        "have, data sources that cannot record here and the command that permits them, settings "
        "that spoil a recording, memory. Without argument: what this machine and these rights "
        "allow recording, and how fast the disk of this folder takes data.\n"
        "The speed of a disk is measured with a file without a name, of at most 32 MiB and a "
        "sixteenth of what is free, in a third of a second. 'orma record --auto-size' chooses sizes "
        "by the same rules.\n"
        "With --fix, the config with all changes is written, ready for 'orma record -c FILE'; of a "
        "trace, the config that it was recorded with.\n"
        "The exit code is 0 if there is nothing to do, 1 if there is advice (or on failure), and 2 "
        "on wrong usage.",
    .examples =
        "  orma doctor                       # may I record here?\n"
        "  orma doctor trace.pftrace         # what was lost, and why?\n"
        "  orma doctor --fix -o better.pbtxt trace.pftrace && orma record -c better.pbtxt\n",
    .options = options,
    .run = run,
};
