/*
 * One call loads a file and reports: progress on a terminal, damaged places that were
 * skipped, a cut end, an unknown format. Whatever is missing is said before any result is
 * printed.
 */
#include "tools/load/load.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protos/loss.h"
#include "sdk/base/buf.h"
#include "sdk/base/clock.h"
#include "sdk/base/defs.h"
#include "tools/base/inputs.h"
#include "tools/load/cache.h"

#define MEGABYTE 1e6
/* The processor's words for a file that it does not know; they are those of others. */
#define UNKNOWN_FORMAT "Unknown trace type provided (ERR:fmt)"
#define REDRAW_NS 100000000u
/* So many sentences about what could not be read stand in front of the answer. */
#define UNREAD_SHOWN 3

#define STANDARD_INPUT "/dev/stdin" /* that - stands for; read as a pipe, or mapped as a file */

struct progress {
    uint64_t start_ns, drawn_ns;
    bool plain; /* as the processor's shell prints it */
    bool any;
};

/* "Loading: 1200 MB, 45%, 210 MB/s"; the processor's shell prints the bytes only. */
static int on_progress(void *data, uint64_t done, uint64_t total)
{
    struct progress *p = data;
    uint64_t now = orma_clock_monotonic();
    double mb = (double)done / MEGABYTE, s = (double)(now - p->start_ns) / 1e9;

    if (now - p->drawn_ns < REDRAW_NS)
        return 0;
    if (p->plain)
        fprintf(stderr, "\rLoading trace: %.2f MB\r", mb);
    else if (total)
        fprintf(stderr, "\rLoading: %.0f MB, %.0f%%, %.0f MB/s\033[K", mb,
                (double)done * 100 / (double)total, mb / s);
    else
        fprintf(stderr, "\rLoading: %.0f MB, %.0f MB/s\033[K", mb, mb / s);
    p->drawn_ns = now;
    p->any = true;
    return 0;
}

unsigned orma_load_print_unread(const struct orma_processor *tp, const char *indent, unsigned max,
                                FILE *out)
{
    unsigned num = orma_processor_unread_num(tp);

    for (unsigned i = 0; i < num && i < max; i++)
        fprintf(out, "%s%s\n", indent, orma_processor_unread(tp, i));
    if (num > max)
        fprintf(out, "%s%u more kinds of data could not be read: 'orma stats' lists them\n", indent,
                num - max);
    return num;
}

/* Of the file, in front of whatever the command prints. */
static void print_unread(struct orma_processor *tp, const char *program, const char *path,
                         bool shell)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf indent = {0};

    orma_buf_printf(&indent, "%s: %s: ", program, path);
    const char *message;

    /* The processor's shell lists statistics by name behind it. */
    for (uint32_t n = 0; shell && n < UNREAD_SHOWN && (message = orma_processor_unread_unit(tp, n));
         n++)
        fprintf(stderr, "%s%s\n", orma_buf_cstr(&indent), message);
    if (!shell)
        (void)orma_load_print_unread(tp, orma_buf_cstr(&indent), UNREAD_SHOWN, stderr);
}

/* `more`: what it seems to be, or which member of an archive it is. */
static void print_unknown(const char *program, const char *path, const char *more)
{
    const bool known = strstr(more, ": this is ") && !strstr(more, "an unknown format");
    const char *name;

    fprintf(stderr, "%s: %s: not a trace of a known format%s%s", program, path, more,
            known ? "\n" : " (known are");
    if (known)
        return;
    for (unsigned i = 0; (name = orma_processor_format(i)); i++)
        fprintf(stderr, "%s %s", i ? "," : "", name);
    fprintf(stderr, ")\n");
}

const char *orma_load_in_folder(const char *path, char *room, size_t size)
{
    struct stat st;

    if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
        return path;
    int len = snprintf(room, size, "%s/" ORMA_LOAD_FOLDER_TRACE, path);
    return len > 0 && (size_t)len < size && access(room, F_OK) == 0 ? room : path;
}

int orma_load_trace(struct orma_processor *tp, const char *program, const char *path,
                    enum orma_load_chatter chatter, uint64_t *ret_ns)
{
    uint64_t start = orma_clock_monotonic();
    struct progress p = {.start_ns = start, .drawn_ns = start, .plain = chatter == ORMA_LOAD_SHELL};
    const bool live = chatter == ORMA_LOAD_PROGRESS || chatter == ORMA_LOAD_TELLS;
    bool show = chatter == ORMA_LOAD_SHELL || (live && isatty(STDERR_FILENO));
    char room[PATH_MAX];
    const bool piped = !strcmp(path, "-"); /* a file of that name is ./- */
    const char *file = piped ? STANDARD_INPUT : orma_load_in_folder(path, room, sizeof(room));

    if (piped && isatty(STDIN_FILENO)) {
        fprintf(stderr, "%s: standard input is a terminal: pipe a trace into it, or name a file\n",
                program);
        return -EINVAL;
    }
    int r = orma_load_cache_use(tp, program);

    if (r)
        return r;
    orma_inputs_add(piped ? file : path,
                    file == path || piped ? ORMA_INPUTS_FILE : ORMA_INPUTS_FOLDER);
    orma_processor_protect(tp, orma_inputs_hit);
    r = orma_processor_load_file(tp, file, show ? on_progress : NULL, &p);
    uint64_t took = orma_clock_monotonic() - start;

    if (ret_ns)
        *ret_ns = took;
    if (p.any && live)
        fprintf(stderr, "\r\033[K");
    if (r < 0) {
        const char *error = orma_processor_error(tp);

        if (chatter == ORMA_LOAD_SHELL)
            fprintf(stderr, "failed to read trace file (path: %s): %s\n", path, error);
        else if (!strncmp(error, UNKNOWN_FORMAT, strlen(UNKNOWN_FORMAT)))
            print_unknown(program, path, error + strlen(UNKNOWN_FORMAT));
        else
            fprintf(stderr, "%s: %s: %s\n", program, path,
                    r == -EINTR ? "interrupted"
                    : *error    ? error
                                : strerror(-r));
        if (r == -EISDIR && live && !strstr(error, ": this is "))
            fprintf(stderr, "%s: 'orma query --all' reads all traces of a folder\n", program);
        return r;
    }
    if (chatter != ORMA_LOAD_SHELL && !orma_processor_size(tp)) {
        fprintf(stderr, "%s: %s: " ORMA_LOAD_EMPTY "\n", program, path);
        return -EBADMSG;
    }
    if (chatter != ORMA_LOAD_TELLS)
        print_unread(tp, program, path, chatter == ORMA_LOAD_SHELL);
    orma_load_cache_tell(tp, program);
    if (chatter == ORMA_LOAD_SHELL) {
        double mb = (double)orma_processor_size(tp) / MEGABYTE, s = (double)took / 1e9;

        fprintf(stderr, "Trace loaded: %.2f MB in %.2fs (%.1f MB/s)\n", mb, s, s > 0 ? mb / s : 0);
    }
    return 0;
}

/* The section that a statistic belongs to; NULL: it is no trouble. */
static const char *section_of(const struct orma_processor_stat *stat)
{
    if (stat->value <= 0)
        return NULL;
    if (!strcmp(stat->severity, "data_loss"))
        return "Data losses";
    if (strcmp(stat->severity, "error"))
        return NULL;
    return strcmp(stat->source, "trace") ? "Import errors" : "Trace errors";
}

/* As the processor's shell has it. */
static void print_name(const struct orma_processor_stat *stat, FILE *out)
{
    fprintf(out, "    %s", stat->name);
    if (stat->indexed)
        fprintf(out, "[%" PRId64 "]", stat->idx);
    fprintf(out, ": %" PRId64 "\n", stat->value);
}

static void print_words(const struct orma_processor_stat *stat, FILE *out)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};

    orma_loss_put_stat(&text, stat->name, stat->indexed ? &stat->idx : NULL, stat->value);
    fprintf(out, "    %s [%s]\n", orma_buf_cstr(&text), stat->name);
}

unsigned orma_load_print_health(const struct orma_processor *tp,
                                bool (*is_fine)(void *ctx, const struct orma_processor_stat *stat),
                                void *ctx, FILE *out)
{
    static const char *const sections[] = {"Trace errors", "Import errors", "Data losses"};
    bool colour = isatty(out == stderr ? STDERR_FILENO : fileno(out));
    struct orma_processor_stat stat;
    unsigned found = 0;

    for (size_t i = 0; i < ORMA_ARRAY_LEN(sections); i++) {
        bool any = false;

        for (uint32_t n = 0; orma_processor_stat(tp, n, &stat); n++) {
            const char *section = section_of(&stat);

            if (!section || strcmp(section, sections[i]) || (is_fine && is_fine(ctx, &stat)))
                continue;
            if (!found++)
                fprintf(out, "%sTrace health issues:%s\n", colour ? "\033[1;31m" : "",
                        colour ? "\033[0m" : "");
            if (!any)
                fprintf(out, "  %s:\n", section);
            any = true;
            if (is_fine)
                print_words(&stat, out);
            else
                print_name(&stat, out);
        }
    }
    return found;
}
