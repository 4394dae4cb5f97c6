/*
 * parse -> symbols for the frames (folders named, environment, this machine) -> original
 * names from mapping files -> write a tar: the trace, and a file of packets for each kind
 * that is not empty.
 */
#include "tools/convert/bundle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sdk/base/defs.h"
#include "tools/convert/symbolize.h"
#include "tools/convert/tar.h"
#include "tools/load/symbols.h"

#define MAPS_MAX 64

enum { OPT_SYMBOLS = 1, OPT_NO_SYMBOLS, OPT_MAP, OPT_NO_MAPS, OPT_VERBOSE, OPT_FORCE };

const struct orma_option orma_convert_bundle_options[] = {
    {OPT_SYMBOLS, 0, "symbol-paths", "DIR,...",
     "Look for binaries in these folders and below, by build id."},
    {OPT_NO_SYMBOLS, 0, "no-auto-symbol-paths", NULL,
     "Search nowhere else: neither in PERFETTO_BINARY_PATH nor among the binaries of this "
     "machine."},
    {OPT_MAP, 0, "proguard-map", "[PACKAGE=]FILE",
     "A mapping file of ProGuard or R8; may be repeated."},
    {OPT_NO_MAPS, 0, "no-auto-proguard-maps", NULL, "Ignore PERFETTO_PROGUARD_MAP."},
    {OPT_FORCE, 'f', "force", NULL, "Overwrite the archive if it exists."},
    {OPT_VERBOSE, 0, "verbose", NULL, "Print each module and the file with its symbols."},
    {0},
};

static const struct orma_command command = {
    .name = "bundle",
    .summary = "Pack a trace and the symbols of its frames into one archive.",
    .synopsis = "[OPTIONS] TRACE ARCHIVE",
    .details = "The archive is a tar that loads like the trace, with the symbols of its frames and "
               "deobfuscated names.",
    .examples = "  trace_processor_shell bundle trace.pftrace trace.tar\n"
                "  trace_processor_shell bundle --symbol-paths=build,/opt/debug t.pftrace t.tar\n",
    .options = orma_convert_bundle_options,
    .threads = true,
};

struct bundle {
    struct orma_convert convert; /* for messages and the load */
    const char *in, *out;
    struct orma_output_want want;
    char *paths; /* with ':' between them; NULL: none */
    bool no_symbols, no_maps;
    const char *maps[MAPS_MAX];
    size_t maps_num;
    struct orma_buf symbols, names; /* packets */
};

/* ---- what goes in ---- */

static int keep(void *data, struct orma_buf *packets)
{
    struct bundle *self = data;

    orma_buf_put(&self->symbols, packets->data, packets->len);
    return self->symbols.failed ? -ENOMEM : 0;
}

static void told(void *data, struct orma_str module, struct orma_str build_id, const char *file)
{
    const struct bundle *self = data;

    if (self->convert.verbose)
        orma_convert_say(&self->convert, "%.*s %.*s: %s", ORMA_STR_ARG(build_id),
                         ORMA_STR_ARG(module), file ? file : "not found");
}

/* Named folders first, then those of the environment, then this machine. */
static int make_symbolizer(struct bundle *self, struct orma_symbolizer **ret)
{
    int r = 0;

    if (self->paths)
        r = orma_symbolizer_new(self->paths, ORMA_SYMBOLIZER_INDEX, ret);
    else
        r = orma_convert_symbols_new(&self->convert, orma_load_symbols_paths(), ret);
    if (r == 0 && self->paths && !self->no_symbols && orma_load_symbols_paths()) {
        enum orma_symbolizer_mode mode = ORMA_SYMBOLIZER_FIND;

        (void)orma_symbolizer_mode_of(orma_load_symbols_mode(),
                                      &mode); /* a wrong one: the default */
        r = orma_symbolizer_add(*ret, orma_load_symbols_paths(), mode);
    }
    if (r == 0 && !self->no_symbols && (self->paths || orma_load_symbols_paths()))
        r = orma_symbolizer_add(*ret, NULL, ORMA_SYMBOLIZER_FIND);
    if (r < 0 && self->paths)
        orma_convert_say(&self->convert, "%s",
                         r == -ENOTSUP ? "built without libdw, so binaries cannot be read"
                                       : strerror(-r));
    return r;
}

static int find_symbols(struct bundle *self)
{
    struct orma_symbolize s = {.put = keep, .told = told, .data = self};
    struct orma_processor *tp = NULL;
    int r;

    if (self->no_symbols && !self->paths)
        return 0;
    if (!self->paths && !orma_binary_supported())
        return 0; /* nobody asked for it */
    r = make_symbolizer(self, &s.symbolizer);
    if (r == 0)
        r = orma_convert_load(&self->convert, &tp);
    if (r == 0)
        r = orma_symbolize_processor(&s, tp);
    if (r == 0 && s.result.modules)
        orma_convert_symbols_report(&self->convert, &s.result);
    orma_symbolizer_free(s.symbolizer);
    orma_processor_free(tp);
    return r;
}

static int find_names(struct bundle *self)
{
    struct orma_buf error = {0};
    int r = 0;

    for (size_t i = 0; i < self->maps_num && r == 0; i++)
        r = orma_deobfuscate_file(self->maps[i], &self->names, &error);
    if (r == 0 && !self->no_maps && orma_load_symbols_maps())
        r = orma_deobfuscate_packets(orma_load_symbols_maps(), &self->names, &error);
    if (r < 0)
        orma_convert_say(&self->convert, "%s", error.len ? orma_buf_cstr(&error) : strerror(-r));
    orma_buf_fini(&error);
    return r;
}

static int write_archive(const struct bundle *self)
{
    struct orma_convert_tar tar;

    if (orma_convert_tar_open(&tar, &self->want) == 0 &&
        orma_convert_tar_add_file(&tar, self->in, "trace.perfetto") == 0 && self->symbols.len)
        (void)orma_convert_tar_add_bytes(&tar, "symbols.pb", self->symbols.data, self->symbols.len);
    if (!tar.failed && self->names.len)
        (void)orma_convert_tar_add_bytes(&tar, "deobfuscation.pb", self->names.data,
                                         self->names.len);
    return orma_convert_tar_close(&tar,
                                  "a trace with its names"); /* it knows whether all went well */
}

/* ---- the command line ---- */

/* "a,b" as "a:b", behind those that are there. */
static int add_paths(struct bundle *self, const char *list)
{
    struct orma_buf paths = {0};

    orma_buf_printf(&paths, "%s%s%s", self->paths ? self->paths : "", self->paths ? ":" : "", list);
    free(self->paths);
    self->paths = strdup(orma_buf_cstr(&paths));
    orma_buf_fini(&paths);
    for (char *c = self->paths; c && (c = strchr(c, ','));)
        *c = ':';
    return self->paths ? 0 : -ENOMEM;
}

static int take_word(struct bundle *self, const struct orma_cli *cli, const char *word)
{
    if (!strcmp(word, "-"))
        return orma_cli_usage_error(cli, "a bundle needs files: '-' cannot be used");
    if (self->out)
        return orma_cli_usage_error(cli, "unexpected argument '%s'", word);
    *(self->in ? &self->out : &self->in) = word;
    return 0;
}

/* 0: go on; else wrong usage. */
static int take(struct bundle *self, const struct orma_cli *cli, int id)
{
    switch (id) {
    case OPT_SYMBOLS:
        return add_paths(self, cli->value);
    case OPT_NO_SYMBOLS:
        self->no_symbols = true;
        return 0;
    case OPT_MAP:
        if (self->maps_num == MAPS_MAX)
            return orma_cli_usage_error(cli, "more than %d mappings", MAPS_MAX);
        self->maps[self->maps_num++] = cli->value;
        return 0;
    case OPT_NO_MAPS:
        self->no_maps = true;
        return 0;
    case OPT_VERBOSE:
        self->convert.verbose = true;
        return 0;
    case OPT_FORCE:
        self->want.force = true;
        return 0;
    case ORMA_CLI_POSITIONAL:
        return take_word(self, cli, cli->value);
    }
    return -1; /* the parser has said why */
}

/* 0: run; 1: help was printed; negative: wrong usage. */
static int parse(struct bundle *self, struct orma_cli *cli)
{
    int id, r = 0;

    while (r == 0 && (id = orma_cli_next(cli)) != ORMA_CLI_END) {
        if (id == ORMA_CLI_HELP)
            return 1;
        if (id == ORMA_CLI_REST) {
            for (int i = cli->rest_idx; i < cli->argc && r == 0; i++)
                r = take_word(self, cli, cli->argv[i]);
            break;
        }
        r = take(self, cli, id);
    }
    if (r == 0 && !self->out)
        r = orma_cli_usage_error(cli, self->in ? "no output: name an archive"
                                               : "no input: name a trace and an archive");
    return r ? -1 : 0;
}

static int run(struct bundle *self)
{
    struct stat in;

    if (stat(self->in, &in) < 0 || !S_ISREG(in.st_mode)) {
        orma_convert_say(&self->convert, "%s: %s", self->in,
                         stat(self->in, &in) < 0 ? strerror(errno) : "not a regular file");
        return -EINVAL;
    }
    self->want.path = self->out;
    int r = orma_output_check(&self->want);
    if (r == 0)
        r = find_symbols(self);
    if (r == 0)
        r = find_names(self);
    return r == 0 ? write_archive(self) : r;
}

int orma_convert_bundle_main(const char *program, int usage_code, int argc, char **argv)
{
    const bool compatible = usage_code != ORMA_EXIT_USAGE;
    struct bundle self = {
        .convert = {.program = program, .in_fd = -1, .out_fd = -1, .raw = true},
        .want = {.program = program, .force = compatible, .quiet = compatible, .binary = true}};
    struct orma_cli cli;

    orma_cli_init(&cli, &command, program, argc, argv);
    int code = parse(&self, &cli);
    if (code) {
        code = code > 0 ? 0 : usage_code;
    } else {
        self.convert.in_path = self.in;
        code = run(&self) < 0;
        if (!code && compatible)
            printf("Wrote %s.\n", self.out);
    }
    free(self.paths);
    orma_buf_fini(&self.symbols);
    orma_buf_fini(&self.names);
    return code;
}
