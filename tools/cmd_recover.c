/*
 * orma recover: traces of what services that died have left in memory.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sdk/base/vec.h"
#include "tools/base/inputs.h"
#include "tools/base/units.h"
#include "tools/commands.h"
#include "tools/output/output.h"
#include "traced/recover.h"
#include "traced/rescue/folder.h"

#define PROGRAM "orma recover"

enum { OPT_OUTPUT = 1, OPT_FORCE, OPT_KEEP, OPT_DISCARD };

static const struct orma_option options[] = {
    {OPT_OUTPUT, 'o', "output", "FILE",
     "Write the trace there. Without it, list what can be recovered."},
    {OPT_KEEP, 0, "keep", NULL, "Leave what was recovered where it is; otherwise it is removed."},
    {OPT_DISCARD, 0, "discard", NULL, "Remove FOLDER without recovering anything."},
    {OPT_FORCE, 'f', "force", NULL, "Overwrite existing files."},
    {0},
};

struct request {
    const char *folder, *output; /* NULL: not given */
    bool force, keep, discard;
};

/* ---- what is there ---- */

struct found {
    ORMA_VEC(struct traced_rescue_found) all;
    bool only_dead;
};

static void note(void *ctx, const struct traced_rescue_found *found)
{
    struct found *self = ctx;

    if (!self->only_dead || !found->alive)
        (void)ORMA_VEC_PUSH(&self->all, *found); /* no memory: it is not listed */
}

/* Names of others in messages: they begin no line, and tell a terminal nothing. */
static const char *plain(struct orma_buf *to, const char *text)
{
    orma_buf_clear(to);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        orma_buf_put_str(to, c < ' ' || c == 0x7f ? "?" : (char[]){*text, '\0'});
    }
    return orma_buf_cstr(to);
}

/* `named`: the line in front of it says whose folder it is. */
static void print_sessions(const char *path, bool named)
{
    ORMA_AUTO(traced_recovery_free_p) struct traced_recovery *rec = NULL;
    ORMA_AUTO(orma_buf_fini) struct orma_buf error = {0}, name = {0};
    struct traced_recovery_session s;

    if (traced_recovery_open(path, &rec, &error) < 0) {
        printf("%s%s\n", named ? "    " : "", plain(&name, orma_buf_cstr(&error)));
        return;
    }
    if (!named)
        printf("%s: of a service (pid %" PRId32 ") that died\n", plain(&name, path),
               traced_recovery_pid(rec));
    const uint32_t strays = traced_recovery_strays(rec);
    if (strays)
        printf("    %" PRIu32 " buffer%s of no session that is known\n", strays,
               strays == 1 ? "" : "s");
    else if (!traced_recovery_sessions_num(rec))
        printf("    no session was recording\n");
    for (size_t i = 0; i < traced_recovery_sessions_num(rec); i++) {
        traced_recovery_session(rec, i, &s);
        printf("    session %" PRIu64 "%s%s%s\n", s.id, *s.file ? ", written into " : "",
               plain(&name, s.file), s.is_complete ? ", which is complete" : "");
    }
}

static int list(const char *folder)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf name = {0};
    struct found found = {0};

    if (folder) {
        print_sessions(folder, false);
        return ORMA_EXIT_OK;
    }
    (void)traced_rescue_each(NULL, note, &found);
    if (!found.all.len)
        printf("Nothing to recover: no service that died has left anything.\n");
    for (uint32_t i = 0; i < found.all.len; i++) {
        const struct traced_rescue_found *f = &found.all.data[i];

        printf("%s: of a service (pid %" PRId32 ") that %s\n", plain(&name, f->path), f->pid,
               f->alive ? "is running" : "died");
        if (!f->alive)
            print_sessions(f->path, true);
    }
    ORMA_VEC_FINI(&found.all);
    return ORMA_EXIT_OK;
}

/* The only folder there is. False: said why not. */
static bool find_only(char ret[PATH_MAX])
{
    struct found found = {.only_dead = true};

    (void)traced_rescue_each(NULL, note, &found);
    uint32_t num = found.all.len;
    if (num == 1)
        memcpy(ret, found.all.data[0].path, PATH_MAX);
    else if (!num)
        fputs(PROGRAM ": nothing to recover: no service that died has left anything\n", stderr);
    else
        fprintf(stderr,
                PROGRAM ": %" PRIu32 " services that died have left something; name one of the "
                        "folders that '" PROGRAM "' lists\n",
                num);
    ORMA_VEC_FINI(&found.all);
    return num == 1;
}

/* ---- traces ---- */

/* "t.pftrace" for the only session, "t-2.pftrace" for session 2 of several. */
static void name_output(struct orma_buf *out, const char *path, uint64_t id, size_t sessions)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t stem = dot && dot > (slash ? slash + 1 : path) ? (size_t)(dot - path) : strlen(path);

    if (sessions == 1)
        orma_buf_put_str(out, path);
    else
        orma_buf_printf(out, "%.*s-%" PRIu64 "%s", (int)stem, path, id, path + stem);
}

static void describe(struct orma_buf *out, const struct traced_recovery_session *s,
                     const struct traced_recovery_result *result)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf name = {0};
    const char *file = plain(&name, s->file);
    char size[ORMA_UNITS_TEXT_MAX];

    orma_buf_printf(out, "%" PRIu64 " packets from memory", result->packets);
    if (result->file_bytes)
        orma_buf_printf(out, ", %s from %s", orma_units_format_size(result->file_bytes, size),
                        file);
    if (result->file_missing)
        orma_buf_printf(out,
                        "; %s is not there any more, or not as it was: what was written into "
                        "it is missing",
                        file);
    if (result->missing_buffers)
        orma_buf_printf(out, "; %" PRIu32 " of its buffers were not there",
                        result->missing_buffers);
    if (result->damaged_bytes)
        orma_buf_printf(out, "; %s were damaged",
                        orma_units_format_size(result->damaged_bytes, size));
}

static int write_session(const struct traced_recovery *rec, size_t idx, size_t recoverable,
                         const struct request *req)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0}, error = {0}, what = {0};
    struct traced_recovery_session s;
    struct traced_recovery_result result;
    struct orma_output out;

    traced_recovery_session(rec, idx, &s);
    if (*s.file)
        orma_inputs_add(s.file, ORMA_INPUTS_FILE);
    name_output(&path, req->output, s.id, recoverable);
    struct orma_output_want want = {
        .program = PROGRAM, .path = orma_buf_cstr(&path), .force = req->force, .binary = true};
    if (orma_output_open(&out, &want) < 0)
        return ORMA_EXIT_FAILURE;
    int r = traced_recovery_write(rec, idx, out.fd, &result, &error);
    if (r < 0)
        fprintf(stderr, PROGRAM ": %s\n", orma_buf_cstr(&error));
    else
        describe(&what, &s, &result);
    return orma_output_close(&out, r, orma_buf_cstr(&what)) < 0 ? ORMA_EXIT_FAILURE : ORMA_EXIT_OK;
}

/* Those whose file does not have everything. */
static size_t count_recoverable(const struct traced_recovery *rec)
{
    struct traced_recovery_session s;
    size_t num = 0;

    for (size_t i = 0; i < traced_recovery_sessions_num(rec); i++) {
        traced_recovery_session(rec, i, &s);
        num += !s.is_complete;
    }
    return num;
}

static int write_all(const struct traced_recovery *rec, const struct request *req)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf name = {0};
    size_t recoverable = count_recoverable(rec);
    int code = ORMA_EXIT_OK;

    for (size_t i = 0; i < traced_recovery_sessions_num(rec) && code == ORMA_EXIT_OK; i++) {
        struct traced_recovery_session s;

        traced_recovery_session(rec, i, &s);
        if (s.is_complete)
            fprintf(stderr, "%s: complete, as the service wrote it\n", plain(&name, s.file));
        else
            code = write_session(rec, i, recoverable, req);
    }
    const uint32_t strays = code == ORMA_EXIT_OK ? traced_recovery_strays(rec) : 0;
    if (strays) {
        fprintf(stderr,
                PROGRAM ": %" PRIu32 " buffer%s with packets cannot be read: what session %s of is "
                        "not there, or is damaged. The folder is kept; --discard removes it\n",
                strays, strays == 1 ? "" : "s", strays == 1 ? "it is" : "they are");
        return ORMA_EXIT_FAILURE;
    }
    if (code == ORMA_EXIT_OK && !recoverable)
        fputs(PROGRAM
              ": no session was recording whose trace is not complete: nothing was written\n",
              stderr);
    return code;
}

static int recover(const struct request *req)
{
    ORMA_AUTO(traced_recovery_free_p) struct traced_recovery *rec = NULL;
    ORMA_AUTO(orma_buf_fini) struct orma_buf error = {0};
    char only[PATH_MAX];

    if (!req->folder && !find_only(only))
        return ORMA_EXIT_FAILURE;
    if (traced_recovery_open(req->folder ? req->folder : only, &rec, &error) < 0) {
        fprintf(stderr, PROGRAM ": %s\n", orma_buf_cstr(&error));
        return ORMA_EXIT_FAILURE;
    }
    int code = req->discard ? ORMA_EXIT_OK : write_all(rec, req);
    if (code != ORMA_EXIT_OK || req->keep)
        return code;
    int r = traced_recovery_remove(rec);
    if (r < 0)
        fprintf(stderr, PROGRAM ": cannot remove %s: %s\n", req->folder ? req->folder : only,
                strerror(-r));
    return r < 0 ? ORMA_EXIT_FAILURE : ORMA_EXIT_OK;
}

static int run(const struct orma_command *self, int argc, char **argv)
{
    struct request req = {0};
    struct orma_cli cli;
    int id, code = -1;

    orma_cli_init(&cli, self, PROGRAM, argc, argv);
    while (code < 0 && (id = orma_cli_next(&cli)) != ORMA_CLI_END) {
        switch (id) {
        case OPT_OUTPUT:
            req.output = cli.value;
            orma_inputs_drop(cli.value); /* what is there already is no input */
            break;
        case OPT_FORCE:
            req.force = true;
            break;
        case OPT_KEEP:
            req.keep = true;
            break;
        case OPT_DISCARD:
            req.discard = true;
            break;
        case ORMA_CLI_POSITIONAL:
            if (req.folder)
                code = orma_cli_usage_error(&cli, "more than one folder: '%s'", cli.value);
            req.folder = cli.value;
            break;
        case ORMA_CLI_REST:
            code = orma_cli_usage_error(&cli, "unexpected '--'");
            break;
        case ORMA_CLI_HELP:
            code = ORMA_EXIT_OK;
            break;
        default:
            code = ORMA_EXIT_USAGE;
        }
    }
    if (code < 0 && req.discard && (req.output || req.keep || !req.folder))
        code = orma_cli_usage_error(&cli, "--discard takes a FOLDER, and nothing else");
    if (code < 0 && req.keep && !req.output)
        code = orma_cli_usage_error(&cli, "--keep needs -o FILE");
    if (code >= 0)
        return code;
    return req.output || req.discard ? recover(&req) : list(req.folder);
}

const struct orma_command orma_cmd_recover = {
    .name = "recover",
    .in_short = true,
    .summary = "Make a trace of what a service that died has left in memory.",
    .synopsis = "[FOLDER]\n[FOLDER] -o FILE [--keep]\nFOLDER --discard",
    .details =
        "What a recording holds in memory (central buffers, and the shared memory of programs) "
        "lies in "
        "files of a folder in memory, which outlasts the process: $XDG_RUNTIME_DIR or /dev/shm, or "
        "what 'traced --rescue-folder' or the variable ORMA_RESCUE_FOLDER names. When a service "
        "ends, "
        "nothing of it stays. When it is killed, the next one says that there is "
        "something, and this command makes an ordinary trace of it: what had been written into the "
        "session's file, and all finished packets that were still in memory, with clocks, "
        "configuration, identities and the count of losses. The trace says that it was recovered "
        "(reason 'recovered' in the table loss).\n"
        "Without FOLDER it takes the only one there is. Of several sessions, each becomes a file "
        "of its "
        "own: FILE with the number of the session in front of its suffix. Afterwards the folder is "
        "removed, unless something failed.",
    .examples = "  orma recover                        # what is there?\n"
                "  orma recover -o crashed.pftrace     # a trace of it\n",
    .options = options,
    .run = run,
};
