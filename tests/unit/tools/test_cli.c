#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/defs.h"
#include "tools/base/cli.h"

enum { OPT_TIME = 1, OPT_QUIET, OPT_ALL, OPT_SHORT, OPT_LONG };

static const struct orma_option options[] = {
    {OPT_TIME, 't', "time", "TIME", "How long."},
    {OPT_QUIET, 'q', "quiet", NULL, "Say nothing."},
    {OPT_ALL, 'a', NULL, NULL, "All of it."},
    {OPT_SHORT, 's', "short", NULL, "Less."},
    {OPT_LONG, 0, "long", "HOW", "More."},
    {OPT_SHORT, 0, "brief", NULL, NULL},
    {0},
};
static const struct orma_command command = {.name = "try",
                                            .summary = "Tries.",
                                            .synopsis = "[OPTIONS] WORD",
                                            .options = options,
                                            .threads = true,
                                            .exclusive = "long short brief"};

/* Parses and writes what it saw as text: "t=5s q +word |rest". */
static const char *parse(int argc, const char *const *words, char *out, size_t size)
{
    struct orma_cli cli;
    char **argv = (char **)(uintptr_t)words; /* as main() gets them */
    int id;

    out[0] = '\0';
    orma_cli_init(&cli, &command, "orma try", argc, argv);
    while ((id = orma_cli_next(&cli)) != ORMA_CLI_END) {
        size_t len = strlen(out);

        switch (id) {
        case OPT_TIME:
            snprintf(out + len, size - len, "t=%s ", cli.value);
            break;
        case OPT_QUIET:
            snprintf(out + len, size - len, "q ");
            break;
        case OPT_ALL:
            snprintf(out + len, size - len, "a ");
            break;
        case OPT_SHORT:
            snprintf(out + len, size - len, "s ");
            break;
        case OPT_LONG:
            snprintf(out + len, size - len, "l=%s ", cli.value);
            break;
        case ORMA_CLI_POSITIONAL:
            snprintf(out + len, size - len, "+%s ", cli.value);
            break;
        case ORMA_CLI_REST:
            snprintf(out + len, size - len, "|%s", argv[cli.rest_idx]);
            break;
        case ORMA_CLI_HELP:
            snprintf(out + len, size - len, "help");
            return out;
        default:
            snprintf(out + len, size - len, "bad");
            return out;
        }
    }
    return out;
}

#define WORDS(...) ((const char *const[]){"try", __VA_ARGS__})
#define PARSE(...)                                                                                 \
    parse((int)ORMA_ARRAY_LEN(WORDS(__VA_ARGS__)), WORDS(__VA_ARGS__), out, sizeof(out))

Test(cli, takes_every_form_of_an_option, .init = cr_redirect_stderr)
{
    char out[256];

    cr_assert_str_eq(PARSE("--time=5s"), "t=5s ");
    cr_assert_str_eq(PARSE("--time", "5s", "word"), "t=5s +word ");
    cr_assert_str_eq(PARSE("-t5s", "-qa"), "t=5s q a ");
    cr_assert_str_eq(PARSE("-qt", "5s"), "q t=5s ");
    cr_assert_str_eq(PARSE("-", "--", "-q"), "+- |-q");
}

Test(cli, refuses_what_it_does_not_know, .init = cr_redirect_stderr)
{
    char out[256];

    cr_assert_str_eq(PARSE("--tim=5s"), "bad");
    cr_assert_str_eq(PARSE("--quiet=1"), "bad");
    cr_assert_str_eq(PARSE("-x"), "bad");
    cr_assert_str_eq(PARSE("--time"), "bad");
    fflush(stderr);
    char text[1024] = {0};
    FILE *err = cr_get_redirected_stderr();
    cr_assert_gt(fread(text, 1, sizeof(text) - 1, err), 0);
    cr_assert(strstr(text, "unknown option '--tim'; did you mean '--time'?"), "%s", text);
    cr_assert(strstr(text, "option '--time' needs a value: TIME"), "%s", text);
    cr_assert(strstr(text, "Try 'orma try --help'."), "%s", text);
}

Test(cli, takes_options_that_commands_have_in_common, .init = cr_redirect_stderr)
{
    char out[256];

    cr_assert_eq(orma_cli_threads(), 0);
    cr_assert_str_eq(PARSE("-q", "--threads=3", "word"), "q +word ");
    cr_assert_eq(orma_cli_threads(), 3);
    cr_assert_str_eq(PARSE("--threads", "256"), "");
    cr_assert_eq(orma_cli_threads(), 256);
    cr_assert_str_eq(PARSE("--threads", "257"), "bad");
    cr_assert_str_eq(PARSE("--threads=0"), "bad");
    cr_assert_str_eq(PARSE("--threads=two"), "bad");
    cr_assert_str_eq(PARSE("--thread=2"), "bad");
    fflush(stderr);
    char text[1024] = {0};
    FILE *err = cr_get_redirected_stderr();
    cr_assert_gt(fread(text, 1, sizeof(text) - 1, err), 0);
    cr_assert(strstr(text, "orma try: --threads 257: expected a number from 1 to 256"), "%s", text);
    cr_assert(strstr(text, "did you mean '--threads'?"), "%s", text);
    const struct orma_option *o = orma_cli_option(&command, 6);
    cr_assert(o && !strcmp(o->name, "threads"));
    cr_assert_null(orma_cli_option(&command, 7));
}

Test(cli, refuses_options_that_exclude_each_other, .init = cr_redirect_stderr)
{
    char out[256];

    cr_assert_str_eq(PARSE("-s", "--short", "--brief", "-q"), "s s s q ");
    cr_assert_str_eq(PARSE("--long=a", "--long", "b"), "l=a l=b ");
    cr_assert_str_eq(PARSE("-qs", "--long=a"), "q s bad");
    cr_assert_str_eq(PARSE("--long=a", "-qs"), "l=a q bad");
    fflush(stderr);
    char text[1024] = {0};
    FILE *err = cr_get_redirected_stderr();
    cr_assert_gt(fread(text, 1, sizeof(text) - 1, err), 0);
    cr_assert(strstr(text, "orma try: --long cannot be combined with --short\n"), "%s", text);
    cr_assert(strstr(text, "orma try: --short cannot be combined with --long\n"), "%s", text);
}

Test(cli, suggests_only_what_is_near)
{
    static const char *const names[] = {"record", "query", "stats", NULL};

    cr_assert_str_eq(orma_cli_did_you_mean("recrod", names), "record");
    cr_assert_str_eq(orma_cli_did_you_mean("querry", names), "query");
    cr_assert_null(orma_cli_did_you_mean("xyzzy", names));
}
