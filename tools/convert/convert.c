/*
 * The table of formats, and what all front ends share: options -> find the format -> open
 * input and output -> run it -> keep the output, or remove it if it is incomplete.
 */
#include "tools/convert/convert.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "processor/export/profile.h"
#include "sdk/base/fd.h"
#include "tools/base/inputs.h"
#include "tools/convert/bundle.h"
#include "tools/load/cache.h"
#include "tools/load/load.h"
#include "tools/output/output.h"

const struct orma_convert_mode orma_convert_modes[] = {
    {"text", "protobuf trace to text; compressed packets are unpacked", orma_convert_text},
    {"binary", "text to protobuf trace", orma_convert_binary, .binary = true, .util = true,
     .util_name = "text_to_binary"},
    {"json", "Chrome's trace event format, for other viewers", orma_convert_json},
    {"systrace", "kernel events as ftrace text, wrapped in HTML", orma_convert_systrace},
    {"ctrace", "the same text, compressed", orma_convert_ctrace, .binary = true},
    {"decompress_packets", "protobuf trace with compressed packets unpacked",
     orma_convert_decompress, .binary = true, .util = true},
    {"profile", "pprof profiles, one file per process", orma_convert_profile, .files = true},
    {"java_heap_profile", "Java heap graphs are not supported", NULL},
    {"firefox", "samples for the Firefox profiler", orma_convert_firefox},
    {"flamegraph", "samples as a flame graph: one page, no network", orma_convert_flamegraph},
    {"flamegraph_svg", "the same as an SVG picture", orma_convert_flamegraph_svg},
    {"collapsed", "samples as a line per stack, for scripts", orma_convert_collapsed},
    {"speedscope", "samples for https://www.speedscope.app", orma_convert_speedscope},
    {"symbolize", "functions, files and lines of a trace's frames", orma_convert_symbolize,
     .binary = true, .util = true},
    {"deobfuscate", "original names of what ProGuard or R8 renamed", orma_convert_deobfuscate,
     .binary = true, .util = true, .no_input = true},
    {"merge", "'trace_processor_shell util merge' puts traces into one archive", NULL,
     .util = true},
    {"bundle", "'bundle' must be the first argument: bundle [OPTIONS] TRACE ARCHIVE", NULL},
    {0},
};

enum {
    OPT_OUTPUT = 1,
    OPT_FORCE,
    OPT_SKIP_UNKNOWN,
    OPT_FULL_SORT,
    OPT_TRUNCATE,
    OPT_NO_ANNOTATIONS,
    OPT_VERBOSE,
    OPT_PID,
    OPT_TIMESTAMPS,
    OPT_OUTPUT_DIR,
    OPT_ALLOC,
    OPT_PERF,
    OPT_JAVA_HEAP,
    OPT_CACHE,
};

const struct orma_option orma_convert_options[] = {
    {OPT_OUTPUT, 'o', "output", "FILE", "The output file, instead of a last argument."},
    {OPT_FORCE, 'f', "force", NULL, "Overwrite the output if it exists."},
    {OPT_SKIP_UNKNOWN, 0, "skip-unknown", NULL,
     "text: skip fields that the schema does not define."},
    {OPT_FULL_SORT, 0, "full-sort", NULL,
     "json, systrace, ctrace: sort all events at the end of loading."},
    {OPT_TRUNCATE, 't', "truncate", "start|end",
     "json, systrace, ctrace: at most 500000 kernel events, from the start or the end."},
    {OPT_NO_ANNOTATIONS, 0, "no-annotations", NULL, "json: slices without their arguments."},
    {OPT_VERBOSE, 0, "verbose", NULL,
     "symbolize: print each module and the file with its symbols."},
    {OPT_PID, 0, "pid", "PID", "profile: this process only."},
    {OPT_TIMESTAMPS, 0, "timestamps", "T1,T2",
     "profile: samples from T1 up to T2, nanoseconds of the trace's clock."},
    {OPT_OUTPUT_DIR, 0, "output-dir", "DIR",
     "profile: the output folder; created if it does not exist. Default: a new temporary folder."},
    {OPT_ALLOC, 0, "alloc", NULL,
     "profile: allocations of native heaps. Default: all profiles in the trace."},
    {OPT_PERF, 0, "perf", NULL, "profile: CPU samples."},
    {OPT_JAVA_HEAP, 0, "java-heap", NULL, "Accepted; Java heap graphs are not supported."},
    ORMA_LOAD_CACHE_OPTION(OPT_CACHE),
    {0},
};

struct arguments {
    const char *words[3]; /* mode, input, output */
    unsigned num;
    const char *out_path;
    bool force;
};

static bool offered(const struct orma_convert_mode *mode, enum orma_convert_kind kind)
{
    return kind == ORMA_CONVERT_ALL || mode->util == (kind == ORMA_CONVERT_SHELL_UTIL);
}

static const struct orma_convert_mode *find_mode(const char *name, enum orma_convert_kind kind)
{
    for (const struct orma_convert_mode *m = orma_convert_modes; m->name; m++) {
        if (offered(m, kind) &&
            (!strcmp(name, m->name) || (m->util_name && !strcmp(name, m->util_name))))
            return m;
    }
    return NULL;
}

static int unknown_mode(const struct orma_cli *cli, const char *name, enum orma_convert_kind kind)
{
    const char *names[32] = {0};
    char list[512] = "";
    size_t num = 0, len = 0;

    for (const struct orma_convert_mode *m = orma_convert_modes; m->name; m++) {
        const char *shown =
            kind == ORMA_CONVERT_SHELL_UTIL && m->util_name ? m->util_name : m->name;

        if (!offered(m, kind) || !m->run)
            continue;
        names[num++] = shown;
        len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s", len ? ", " : "", shown);
    }
    const char *near = orma_cli_did_you_mean(name, names);
    if (!near && access(name, R_OK) == 0)
        return orma_cli_usage_error(cli, "'%s' is a file; give the format first: FORMAT %s", name,
                                    name);
    if (near)
        return orma_cli_usage_error(cli, "unknown format '%s'; did you mean '%s'?", name, near);
    return orma_cli_usage_error(cli, "unknown format '%s': there are %s", name, list);
}

static bool take_times(const char *text, struct orma_convert *self)
{
    struct orma_str rest = orma_str_from(text), from;

    return orma_str_cut(&rest, ',', &from) && orma_str_to_i64(from, &self->from_ns) &&
           orma_str_to_i64(rest, &self->to_ns) && self->from_ns < self->to_ns;
}

static int take_option(struct orma_cli *cli, struct orma_convert *self, struct arguments *args,
                       int id)
{
    switch (id) {
    case OPT_OUTPUT:
        args->out_path = cli->value;
        break;
    case OPT_CACHE:
        orma_load_cache_set(cli->value);
        break;
    case OPT_FORCE:
        args->force = true;
        break;
    case OPT_SKIP_UNKNOWN:
        self->skip_unknown = true;
        break;
    case OPT_FULL_SORT:
        self->full_sort = true;
        break;
    case OPT_NO_ANNOTATIONS:
        self->no_annotations = true;
        break;
    case OPT_VERBOSE:
        self->verbose = true;
        break;
    case OPT_TRUNCATE:
        if (strcmp(cli->value, "start") && strcmp(cli->value, "end"))
            return orma_cli_usage_error(cli, "bad value '%s': expected start or end", cli->value);
        self->truncate = *cli->value == 's' ? ORMA_TRUNCATE_START : ORMA_TRUNCATE_END;
        break;
    case OPT_PID:
        if (!orma_str_to_i64(orma_str_from(cli->value), &self->pid) || self->pid <= 0)
            return orma_cli_usage_error(cli, "bad process id '%s': expected a number", cli->value);
        break;
    case OPT_TIMESTAMPS:
        if (!take_times(cli->value, self))
            return orma_cli_usage_error(
                cli, "bad times '%s': expected two numbers, such as 1000,2000", cli->value);
        break;
    case OPT_OUTPUT_DIR:
        self->folder = cli->value;
        break;
    case OPT_ALLOC:
        self->profile_kind = ORMA_PROFILE_ALLOC;
        break;
    case OPT_PERF:
        self->profile_kind = ORMA_PROFILE_PERF;
        break;
    case OPT_JAVA_HEAP:
        return orma_cli_usage_error(cli, "Java heap graphs are not supported");
    case ORMA_CLI_POSITIONAL:
        if (args->num == ORMA_ARRAY_LEN(args->words))
            return orma_cli_usage_error(cli, "unexpected argument '%s'", cli->value);
        args->words[args->num++] = cli->value;
        break;
    }
    return ORMA_EXIT_OK;
}

/* ---- input and output ---- */

static int open_input(struct orma_convert *self, bool wanted)
{
    if (!wanted) {
        self->in_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        return self->in_fd < 0 ? -errno : 0;
    }
    if (!strcmp(self->in_path, "-")) {
        if (isatty(STDIN_FILENO)) {
            orma_convert_say(self, "no input: name a file, or pipe a trace into this");
            return -EINVAL;
        }
        self->in_fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    } else {
        self->in_fd = open(self->in_path, O_RDONLY | O_CLOEXEC);
    }
    struct stat st;
    if (self->in_fd < 0 || fstat(self->in_fd, &st) < 0 || S_ISDIR(st.st_mode)) {
        orma_convert_say(self, "%s: %s", self->in_path, strerror(self->in_fd < 0 ? errno : EISDIR));
        return -EINVAL;
    }
    return 0;
}

static int convert(struct orma_convert *self, const struct orma_convert_mode *mode,
                   const char *out_path, bool force)
{
    const struct orma_output_want want = {.program = self->program,
                                          .path = out_path,
                                          .force = force,
                                          .binary = mode->binary,
                                          .quiet = self->compatible};
    struct orma_output out = {.fd = -1};
    int r = open_input(self, !mode->no_input);

    if (r == 0 && !mode->files)
        r = orma_output_open(&out, &want);
    self->out_fd = out.fd;
    if (r == 0)
        r = mode->run(self);
    if (out.fd >= 0) { /* half a result looks like a whole one */
        int end = orma_output_close(&out, self->keep ? 0 : r, mode->name);

        r = r < 0 ? r : end;
    }
    orma_fd_close(&self->in_fd);
    if (self->reader_left)
        return ORMA_EXIT_PIPE;
    return r < 0 ? ORMA_EXIT_FAILURE : ORMA_EXIT_OK;
}

static int parse(struct orma_cli *cli, struct orma_convert *self, struct arguments *args)
{
    int id, code = ORMA_EXIT_OK;

    while (code == ORMA_EXIT_OK && (id = orma_cli_next(cli)) != ORMA_CLI_END) {
        if (id == ORMA_CLI_HELP)
            return -1;
        if (id == ORMA_CLI_BAD)
            return ORMA_EXIT_USAGE;
        if (id == ORMA_CLI_REST) {
            for (int i = cli->rest_idx; i < cli->argc && code == ORMA_EXIT_OK; i++) {
                cli->value = cli->argv[i];
                code = take_option(cli, self, args, ORMA_CLI_POSITIONAL);
            }
            break;
        }
        code = take_option(cli, self, args, id);
    }
    if (code == ORMA_EXIT_OK && !args->num)
        return orma_cli_usage_error(cli, "no format given: --help lists them");
    if (code == ORMA_EXIT_OK && args->words[2] && args->out_path)
        return orma_cli_usage_error(cli, "two outputs: '%s' and '%s'", args->words[2],
                                    args->out_path);
    return code;
}

int orma_convert_main(const struct orma_command *command, const char *program,
                      enum orma_convert_kind kind, int usage_code, int argc, char **argv)
{
    struct orma_convert self = {
        .program = program, .in_fd = -1, .out_fd = -1, .compatible = usage_code != ORMA_EXIT_USAGE};
    struct arguments args = {.force = self.compatible};
    struct orma_cli cli;

    orma_cli_init(&cli, command, program, argc, argv);
    int code = parse(&cli, &self, &args);
    if (code)
        return code < 0 ? ORMA_EXIT_OK : usage_code;
    const struct orma_convert_mode *mode = find_mode(args.words[0], kind);
    if (!mode)
        return unknown_mode(&cli, args.words[0], kind), usage_code;
    if (!mode->run) {
        orma_convert_say(&self, "'%s': %s", mode->name, mode->help);
        return ORMA_EXIT_FAILURE;
    }
    orma_inputs_drop(args.words[0]);
    self.force = args.force;
    const char *out_path = args.out_path ? args.out_path : args.words[2];
    char room[PATH_MAX];
    self.in_path = args.words[1] ? orma_load_in_folder(args.words[1], room, sizeof(room)) : "-";
    signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error of write() */
    return convert(&self, mode, out_path ? out_path : "-", args.force);
}

#define MODES_TEXT                                                                                 \
    "Formats:\n"                                                                                   \
    "  text                protobuf trace to text; compressed packets are unpacked\n"              \
    "  binary              text to a protobuf trace\n"                                             \
    "  json                Chrome's trace event format, for other viewers\n"                       \
    "  systrace            kernel events as ftrace text, in an HTML page\n"                        \
    "  ctrace              the same text, compressed\n"                                            \
    "  decompress_packets  protobuf trace with compressed packets unpacked\n"                      \
    "  profile             pprof profiles of samples and heaps, one file per process\n"            \
    "  firefox             samples with stacks, for https://profiler.firefox.com\n"                \
    "  flamegraph          samples as an interactive flame graph: one page, no network\n"          \
    "  flamegraph_svg      the same as a static SVG picture\n"                                     \
    "  collapsed           samples as one line per stack with its count, for scripts\n"            \
    "  speedscope          samples for https://www.speedscope.app\n"                               \
    "  symbolize           functions, files and lines of frames, as packets to append\n"           \
    "  deobfuscate         original names of what ProGuard or R8 renamed, as packets to append\n"  \
    "  bundle              a tar of the trace and these packets; see 'bundle --help'\n\n"          \
    "Without OUTPUT, the result goes to standard output; without INPUT, the trace comes from "     \
    "standard input; - stands for both. text, binary and decompress_packets work as streams: "     \
    "traces of any size need little memory. The others load the trace, in any format that 'orma "  \
    "query' reads.\n\n"                                                                            \
    "symbolize looks for binaries in the folders of PERFETTO_BINARY_PATH (separated by ':'), by "  \
    "name and build id or, with PERFETTO_SYMBOLIZER_MODE=index, by build id alone; without it, "   \
    "among the programs of this machine. deobfuscate reads the mappings of "                       \
    "PERFETTO_PROGUARD_MAP=[PACKAGE=]PATH[:...]. Append what they write to the trace: cat trace "  \
    "symbols > both. With these variables set every load of a trace does the same."

static void put_modes(struct orma_buf *out)
{
    for (const struct orma_convert_mode *m = orma_convert_modes; m->name; m++) {
        if (m->run)
            orma_buf_printf(out, " %s", m->name);
    }
}

static int run(const struct orma_command *self, int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "bundle"))
        return orma_convert_bundle_main("orma convert bundle", ORMA_EXIT_USAGE, argc - 1, argv + 1);
    return orma_convert_main(self, "orma convert", ORMA_CONVERT_ALL, ORMA_EXIT_USAGE, argc, argv);
}

const struct orma_command orma_cmd_convert = {
    .name = "convert",
    .summary = "Convert a trace into another format.",
    .synopsis = "[OPTIONS] FORMAT [INPUT [OUTPUT]]",
    .details = MODES_TEXT,
    .examples = "  orma convert text trace.pftrace | less\n"
                "  orma convert binary trace.txt trace.pftrace\n"
                "  orma convert json trace.pftrace trace.json      # for chrome://tracing\n"
                "  orma convert systrace trace.pftrace trace.html\n",
    .put_words = put_modes,
    .options = orma_convert_options,
    .threads = true,
    .run = run,
};

const struct orma_command orma_cmd_traceconv = {
    .name = "traceconv",
    .summary = "Convert a trace into another format.",
    .synopsis = "FORMAT [OPTIONS] [INPUT [OUTPUT]]",
    .details = MODES_TEXT,
    .examples = "  traceconv text trace.pftrace trace.txt\n"
                "  traceconv json < trace.pftrace > trace.json\n",
    .put_words = put_modes,
    .options = orma_convert_options,
    .threads = true,
};

int orma_traceconv_main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "bundle"))
        return orma_convert_bundle_main("traceconv bundle", ORMA_EXIT_FAILURE, argc - 1, argv + 1);
    return orma_convert_main(&orma_cmd_traceconv, "traceconv", ORMA_CONVERT_ALL, ORMA_EXIT_FAILURE,
                             argc, argv);
}
