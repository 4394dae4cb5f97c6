/*
 * orma_cli_next() takes one argument per call: a long option up to '=', a letter of a joined
 * "-abc" (`letters` is the rest of it), or a positional argument. An unknown option is
 * compared with all known ones for a suggestion. Help is wrapped at 80 columns.
 */
#include "tools/base/cli.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "sdk/base/defs.h"
#include "sdk/base/nearest.h"
#include "tools/base/inputs.h"

#define HELP_WIDTH 80
#define HELP_INDENT 26
#define NAMES_MAX 128
#define WORD_MAX 48
/* Ids of options that commands have in common: none has as many of its own. */
#define SHARED_THREADS 100000

static const struct orma_option threads_option = {
    SHARED_THREADS, 0, "threads", "N",
    "Load and query with at most N threads; results are the same for any number. Default: the "
    "variable ORMA_THREADS, or the number of CPUs."};

static unsigned threads;

unsigned orma_cli_threads(void)
{
    return threads;
}

const struct orma_option *orma_cli_option(const struct orma_command *command, size_t n)
{
    size_t own = 0;

    while (command->options[own].id)
        own++;
    if (n < own)
        return &command->options[n];
    return n == own && command->threads ? &threads_option : NULL;
}

void orma_cli_init(struct orma_cli *self, const struct orma_command *command, const char *program,
                   int argc, char **argv)
{
    *self = (struct orma_cli){
        .command = command, .program = program, .argc = argc, .argv = argv, .idx = 1};
}

int orma_cli_usage_error(const struct orma_cli *self, const char *fmt, ...)
{
    va_list args;

    fprintf(stderr, "%s: ", self->program);
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fprintf(stderr, "\nTry '%s --help'.\n", self->program);
    return ORMA_EXIT_USAGE;
}

int orma_cli_check_order(const struct orma_cli *self, const char *first, const char *const *others,
                         unsigned most)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf files = {0};
    unsigned num = 0;

    if (access(first, F_OK) == 0)
        return ORMA_EXIT_OK;
    for (; *others && num < most; others++) {
        if (access(*others, F_OK) == 0)
            orma_buf_printf(&files, "%s%s", num++ ? " " : "", *others);
    }
    return num ? orma_cli_usage_error(self, "%s: no such file; give the trace%s first: %s %s '%s'",
                                      first, num > 1 ? "s" : "", self->program,
                                      orma_buf_cstr(&files), first)
               : ORMA_EXIT_OK;
}

int orma_cli_second_trace(const struct orma_cli *self, const char *first, const char *second,
                          const char *both)
{
    if (access(second, F_OK) < 0)
        return orma_cli_usage_error(
            self, "unexpected argument '%s': the trace is the only one, the rest are options",
            second);
    if (access(first, F_OK) < 0)
        return orma_cli_usage_error(
            self,
            "unexpected argument '%s': the trace is the only one (%s %s), the rest are "
            "options",
            first, self->program, second);
    return orma_cli_usage_error(self, "'%s': only one trace at a time%s", second, both);
}

/* errno may be that of something later than the write that failed. */
static bool has_no_reader(int fd)
{
    struct pollfd pfd = {.fd = fd, .events = POLLOUT};

    return poll(&pfd, 1, 0) == 1 && pfd.revents & POLLERR;
}

int orma_cli_output_failed(const char *program, int err)
{
    if (err == EPIPE || has_no_reader(STDOUT_FILENO))
        return ORMA_EXIT_PIPE;
    fprintf(stderr, "%s: cannot write the result: %s\n", program, strerror(err));
    return ORMA_EXIT_FAILURE;
}

const char *orma_cli_did_you_mean(const char *word, const char *const *names)
{
    struct orma_nearest near = {.wanted = orma_str_from(word)};

    for (; *names; names++)
        orma_nearest_consider(&near, *names);
    return orma_nearest_get(&near);
}

/* `shown`: with its dashes. */
static const char *instead_of(const struct orma_cli *self, const char *shown)
{
    for (const struct orma_habit *h = self->command->habits; h && h->option; h++)
        if (!strcmp(h->option, shown))
            return h->instead;
    return NULL;
}

static int unknown_option(const struct orma_cli *self, const char *name)
{
    const char *names[NAMES_MAX + 1] = {0};
    char shown[64];
    size_t num = 0;

    snprintf(shown, sizeof(shown), "--%.61s", name);
    const char *instead = instead_of(self, shown);
    if (instead) {
        orma_cli_usage_error(self, "unknown option '%s': %s", shown, instead);
        return ORMA_CLI_BAD;
    }
    const struct orma_option *o;
    for (size_t n = 0; num < NAMES_MAX && (o = orma_cli_option(self->command, n)); n++) {
        if (o->name && o->help)
            names[num++] = o->name;
    }
    const char *near = orma_cli_did_you_mean(name, names);
    if (near)
        orma_cli_usage_error(self, "unknown option '--%s'; did you mean '--%s'?", name, near);
    else
        orma_cli_usage_error(self, "unknown option '--%s'", name);
    return ORMA_CLI_BAD;
}

static int help_asked(struct orma_cli *self)
{
    orma_cli_help(self->command, self->program, stdout);
    return ORMA_CLI_HELP;
}

static void print_option(const struct orma_option *o, char ret[64])
{
    if (o->name)
        snprintf(ret, 64, "--%s", o->name);
    else
        snprintf(ret, 64, "-%c", o->letter);
}

static bool has_word(const char *words, const char *word)
{
    size_t len = strlen(word);

    for (const char *blank; words; words = blank ? blank + 1 : NULL) {
        blank = strchr(words, ' ');
        if (!strncmp(words, word, len) && (words[len] == ' ' || !words[len]))
            return true;
    }
    return false;
}

/* False: it excludes an earlier one, and that was said. */
static bool fits_earlier(struct orma_cli *self, const struct orma_option *o)
{
    const struct orma_option *earlier = self->taken;
    char name[64];

    if (!o->name || !has_word(self->command->exclusive, o->name))
        return true;
    self->taken = o;
    if (!earlier || earlier->id == o->id)
        return true;
    print_option(earlier, name);
    orma_cli_usage_error(self, "%s cannot be combined with %s", self->option, name);
    return false;
}

/* The value of an option that takes one: joined, or the next argument. */
static int take_value(struct orma_cli *self, const struct orma_option *o, const char *joined,
                      const char *shown)
{
    print_option(o, self->option);
    if (!fits_earlier(self, o))
        return ORMA_CLI_BAD;
    self->value = joined;
    if (!o->arg && joined) {
        orma_cli_usage_error(self, "option '%s' takes no value", shown);
        return ORMA_CLI_BAD;
    }
    if (o->arg && !joined) {
        if (self->idx >= self->argc) {
            orma_cli_usage_error(self, "option '%s' needs a value: %s", shown, o->arg);
            return ORMA_CLI_BAD;
        }
        self->value = self->argv[self->idx++];
    }
    if (self->value)
        orma_inputs_add(self->value, ORMA_INPUTS_FILE);
    return o->id;
}

static int long_option(struct orma_cli *self, const char *text)
{
    const char *eq = strchr(text, '=');
    size_t len = eq ? (size_t)(eq - text) : strlen(text);
    char name[WORD_MAX * 2];

    snprintf(name, sizeof(name), "%.*s", (int)len, text);
    const struct orma_option *o;
    for (size_t n = 0; (o = orma_cli_option(self->command, n)); n++) {
        if (o->name && !strcmp(o->name, name))
            return take_value(self, o, eq ? eq + 1 : NULL, self->argv[self->idx - 1]);
    }
    return strcmp(name, "help") ? unknown_option(self, name) : help_asked(self);
}

static int letter_option(struct orma_cli *self)
{
    char letter = *self->letters++, shown[3] = {'-', letter};
    const char *joined = *self->letters ? self->letters : NULL;

    for (const struct orma_option *o = self->command->options; o->id; o++) {
        if (o->letter != letter)
            continue;
        if (o->arg || !joined)
            self->letters = NULL;
        return take_value(self, o, o->arg ? joined : NULL, shown);
    }
    if (letter == 'h')
        return help_asked(self);
    const char *instead = instead_of(self, shown);
    orma_cli_usage_error(self, instead ? "unknown option '%s': %s" : "unknown option '%s'", shown,
                         instead);
    return ORMA_CLI_BAD;
}

/* A statement may begin with a comment: "-- rows\nSELECT 1". No option has a blank in its name. */
static bool is_comment(const char *arg)
{
    size_t len = strcspn(arg, "=");

    return memchr(arg, ' ', len) || memchr(arg, '\n', len) || memchr(arg, '\t', len);
}

static int next_argument(struct orma_cli *self)
{
    if (self->letters)
        return letter_option(self);
    if (self->idx >= self->argc)
        return ORMA_CLI_END;

    const char *arg = self->argv[self->idx++];
    if (!strcmp(arg, "--")) {
        self->rest_idx = self->idx;
        self->idx = self->argc;
        return ORMA_CLI_REST;
    }
    if (arg[0] == '-' && arg[1] == '-' && !is_comment(arg))
        return long_option(self, arg + 2);
    if (arg[0] == '-' && arg[1] && arg[1] != '-') {
        self->letters = arg + 1;
        return letter_option(self);
    }
    self->value = arg;
    orma_inputs_add(arg, ORMA_INPUTS_FILE);
    return ORMA_CLI_POSITIONAL;
}

static int take_threads(const struct orma_cli *self)
{
    uint64_t num;

    if (!orma_str_to_u64(orma_str_from(self->value), &num) || !num || num > ORMA_CLI_THREADS_MAX) {
        orma_cli_usage_error(self, "--threads %s: expected a number from 1 to %u", self->value,
                             ORMA_CLI_THREADS_MAX);
        return ORMA_CLI_BAD;
    }
    threads = (unsigned)num;
    return ORMA_CLI_END;
}

int orma_cli_next(struct orma_cli *self)
{
    int id = next_argument(self);

    while (id == SHARED_THREADS) {
        id = take_threads(self);
        if (id == ORMA_CLI_END)
            id = next_argument(self);
    }
    return id;
}

/* Where a line of a list goes on, "  name   what it is": below what it is. 0: no such line. */
static size_t hang_of(const char *line)
{
    size_t at = strspn(line, " "), blanks;

    if (at < 2)
        return 0;
    at += strcspn(line + at, " \n");
    blanks = strspn(line + at, " ");
    return blanks >= 2 && line[at + blanks] != '\n' && at + blanks < HELP_WIDTH / 2 ? at + blanks
                                                                                    : 0;
}

void orma_cli_wrap_to(FILE *out, const char *text, size_t indent, size_t width)
{
    const size_t left = indent;
    size_t col = indent;

    indent = left + hang_of(text);
    while (*text) {
        size_t len = strcspn(text, " \n");

        if (col + len > width && col > indent) {
            fprintf(out, "\n%*s", (int)indent, "");
            col = indent;
        }
        fprintf(out, "%.*s", (int)len, text);
        col += len;
        text += len;
        if (*text == '\n') {
            fprintf(out, "\n%*s", text[1] == '\n' ? 0 : (int)left, "");
            col = left;
            text++;
            indent = left + hang_of(text);
        } else if (*text == ' ') {
            if (col + 1 + strcspn(text + 1, " \n") <= width) {
                fputc(' ', out);
                col++;
            } else {
                fprintf(out, "\n%*s", (int)indent, "");
                col = indent;
            }
            text++;
        }
    }
    fputc('\n', out);
}

void orma_cli_wrap(FILE *out, const char *text, size_t indent)
{
    orma_cli_wrap_to(out, text, indent, HELP_WIDTH);
}

static void help_option(const struct orma_option *o, FILE *out)
{
    char left[96];
    int n = 0;

    if (o->letter && o->name)
        n = snprintf(left, sizeof(left), "  -%c, --%s", o->letter, o->name);
    else if (o->letter)
        n = snprintf(left, sizeof(left), "  -%c", o->letter);
    else
        n = snprintf(left, sizeof(left), "      --%s", o->name);
    if (o->arg)
        n += snprintf(left + n, sizeof(left) - (size_t)n, "%s%s", o->name ? "=" : " ", o->arg);
    if (n + 1 >= HELP_INDENT)
        fprintf(out, "%s\n%*s", left, HELP_INDENT, "");
    else
        fprintf(out, "%-*s", HELP_INDENT, left);
    orma_cli_wrap(out, o->help, HELP_INDENT);
}

void orma_cli_help(const struct orma_command *command, const char *program, FILE *out)
{
    const char *line = command->synopsis;

    for (const char *head = "Usage:"; *line; head = "      ") {
        size_t len = strcspn(line, "\n");

        fprintf(out, "%s %s %.*s\n", head, program, (int)len, line);
        line += len + (line[len] == '\n');
    }
    fprintf(out, "\n");
    orma_cli_wrap(out, command->summary, 0);
    if (command->details) {
        fputc('\n', out);
        orma_cli_wrap(out, command->details, 0);
    }
    fprintf(out, "\nOptions:\n");
    const struct orma_option *o;
    for (size_t n = 0; (o = orma_cli_option(command, n)); n++) {
        if (o->help)
            help_option(o, out);
    }
    help_option(&(struct orma_option){.letter = 'h', .name = "help", .help = "Show this."}, out);
    if (command->examples)
        fprintf(out, "\nExamples:\n%s", command->examples);
}
