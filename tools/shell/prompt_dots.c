/*
 * The commands of the prompt: a table, from which .help and completion are made.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "processor/export/sqlite.h"
#include "processor/sql/dialect/quote.h"
#include "sdk/base/fd.h"
#include "tools/base/cell.h"
#include "tools/load/load.h"
#include "tools/load/threads.h"
#include "tools/output/output.h"
#include "tools/report/options.h"
#include "tools/report/why.h"
#include "tools/shell/prompt_impl.h"

#define SQL_BYTES_MAX ((size_t)64 << 20)
#define WORDS_MAX 32

/* ---- what they do ---- */

static void quit(struct orma_shell_prompt_state *p, const char *none)
{
    (void)none;
    p->done = true;
}

/* Runs SQL with the pattern in place of each '?': a part of the name, or with wildcards. */
static void run_with(struct orma_shell_prompt_state *p, const char *sql, const char *pattern)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0}, glob = {0};
    orma_buf_printf(&glob, strpbrk(pattern, "*?[") ? "%s" : "*%s*", pattern);
    for (const char *mark; (mark = strchr(sql, '?')); sql = mark + 1) {
        orma_buf_put(&text, sql, (size_t)(mark - sql));
        orma_sql_put_literal(&text, orma_str_from(orma_buf_cstr(&glob)));
    }
    orma_buf_put_str(&text, sql);
    bool timer = p->timer;
    p->timer = false;
    orma_shell_run_text(p, orma_buf_cstr(&text), "SQL");
    p->timer = timer;
}

static void tables(struct orma_shell_prompt_state *p, const char *pattern)
{
    run_with(p,
             "SELECT name, type, NULL AS module FROM sqlite_master WHERE type IN ('table', 'view') "
             "AND substr(name, 1, 1) != '_' AND name GLOB ? UNION ALL SELECT name, "
             "lower(object_type), module FROM __intrinsic_stdlib_objects WHERE exposed AND "
             "object_type IN ('TABLE', 'VIEW') AND module NOT GLOB 'prelude.*' AND name GLOB ? "
             "ORDER BY 3, 1",
             pattern);
}

static void modules(struct orma_shell_prompt_state *p, const char *pattern)
{
    run_with(p,
             "SELECT module, group_concat(name, ', ') AS defines FROM (SELECT module, name FROM "
             "__intrinsic_stdlib_objects WHERE exposed AND object_type != 'MODULE' AND module NOT "
             "GLOB 'prelude.*' AND module GLOB ? ORDER BY module, id) GROUP BY module",
             pattern);
}

/* Columns of a table, then how a view is made. */
static void schema(struct orma_shell_prompt_state *p, const char *name)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    struct orma_query *q = NULL;

    orma_buf_printf(&sql, "SELECT * FROM \"%s\" LIMIT 0", name);
    if (strchr(name, '"') || sql.failed ||
        orma_query_prepare(p->tp, orma_buf_cstr(&sql), SIZE_MAX, &q, NULL) != 0) {
        const char *error =
            strchr(name, '"') ? "names are written without quotes" : orma_processor_error(p->tp);
        const char *last = strrchr(error, '\n'); /* behind where in the SQL it is, which is ours */

        fprintf(stderr, "%s\n", last ? last + 1 : error);
        return;
    }
    printf("%s(", name);
    for (unsigned i = 0; i < orma_query_columns(q); i++)
        printf("%s%s", i ? ", " : "", orma_query_column_name(q, i));
    printf(")\n");
    orma_query_free(q);
    orma_buf_clear(&sql);
    orma_buf_put_str(&sql, "SELECT sql FROM sqlite_master WHERE type = 'view' AND name = ");
    orma_sql_put_literal(&sql, orma_str_from(name));
    if (orma_query_prepare(p->tp, orma_buf_cstr(&sql), SIZE_MAX, &q, NULL) != 0)
        return;
    if (orma_query_step(q) == 1)
        printf("%s\n", orma_query_text(q, 0));
    orma_query_free(q);
}

static void set_mode(struct orma_shell_prompt_state *p, const char *name)
{
    if (orma_shell_mode_find(name, &p->mode))
        return;
    fprintf(stderr, *name ? "no mode '%s'; there are:" : "the modes are:", name);
    for (unsigned i = 0; orma_shell_mode_name(i); i++)
        fprintf(stderr, " %s", orma_shell_mode_name(i));
    fputc('\n', stderr);
}

static void set_width(struct orma_shell_prompt_state *p, const char *text)
{
    char *end;
    unsigned long width = strtoul(text, &end, 10);

    if (*text < '0' || *text > '9' || *end || width > 100000)
        fprintf(stderr,
                "bad width '%s': expected a number of columns, or 0 for as wide as needed\n", text);
    else
        p->width = (unsigned)width;
}

static void set_timer(struct orma_shell_prompt_state *p, const char *text)
{
    if (!strcmp(text, "on") || !strcmp(text, "off"))
        p->timer = !strcmp(text, "on");
    else
        fprintf(stderr, "expected .timer on or .timer off\n");
}

static void expand(struct orma_shell_prompt_state *p, const char *arg)
{
    static const char *const names[] = {
        [ORMA_SHELL_EXPAND_AUTO] = "auto",
        [ORMA_SHELL_EXPAND_ON] = "on",
        [ORMA_SHELL_EXPAND_OFF] = "off",
    };
    size_t n = 0;

    while (n < ORMA_ARRAY_LEN(names) && strcmp(names[n], arg) != 0)
        n++;
    if (!*arg)
        n = p->expand == ORMA_SHELL_EXPAND_ON ? ORMA_SHELL_EXPAND_OFF : ORMA_SHELL_EXPAND_ON;
    if (n == ORMA_ARRAY_LEN(names)) {
        fprintf(stderr, "expected \\x on, off or auto\n");
        return;
    }
    p->expand = (enum orma_shell_expand)n;
    printf("each column on its own line: %s\n", names[n]);
}

static void open_trace(struct orma_shell_prompt_state *p, const char *path)
{
    struct orma_processor *tp = NULL;
    int r = orma_processor_new(orma_load_config(), &tp);

    orma_shell_set_interruptible(tp);
    if (r == 0)
        r = orma_load_trace(tp, ".open", path, ORMA_LOAD_PROGRESS, NULL);
    orma_shell_set_interruptible(NULL);
    if (r < 0) {
        orma_processor_free(tp); /* the one that is open stays */
        return;
    }
    orma_processor_free(p->tp);
    p->tp = tp;
    orma_buf_clear(&p->trace);
    orma_buf_put_str(&p->trace, path);
}

static void read_file(struct orma_shell_prompt_state *p, const char *path)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    int r = orma_fd_read_file(AT_FDCWD, path, SQL_BYTES_MAX, &sql);

    if (r < 0)
        fprintf(stderr, "%s: %s\n", path, strerror(-r));
    else
        orma_shell_run_text(p, orma_buf_cstr(&sql), path);
}

static void export(struct orma_shell_prompt_state *p, const char *path)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf error = {0};
    const struct orma_output_want want = {.path = path, .no_force = true, .quiet = true};
    struct orma_output out;
    struct stat st;

    if (!strcmp(path, "-") || (stat(path, &st) == 0 && !S_ISREG(st.st_mode))) {
        fprintf(stderr, "%s: not a regular file\n", path);
        return;
    }
    if (orma_output_open(&out, &want) < 0)
        return;
    orma_shell_set_interruptible(p->tp);
    int r = orma_export_sqlite(p->tp, out.fd, &error);
    orma_shell_set_interruptible(NULL);
    if (r < 0)
        fprintf(stderr, "%s: %s\n", path, orma_buf_cstr(&error));
    (void)orma_output_close(&out, r, "all tables"); /* it has said what went wrong */
}

/* The words of a line; those in quotes may have blanks. At most WORDS_MAX. */
static int split(char *text, char **ret)
{
    int num = 0;

    while (num < WORDS_MAX && *(text += strspn(text, " \t"))) {
        char quote = *text == '\'' || *text == '"' ? *text++ : '\0', end[] = {quote, '\0'};

        ret[num++] = text;
        text += strcspn(text, quote ? end : " \t");
        if (*text)
            *text++ = '\0';
    }
    return num;
}

static const struct orma_option report_options[] = {
    {ORMA_REPORT_OPT_TOP, 'n', "top", "N", "Show N rows of each section (10); 0: all."},
    ORMA_REPORT_RANGE_OPTIONS,
    ORMA_REPORT_FILTER_OPTIONS,
    ORMA_REPORT_TREE_OPTIONS,
    ORMA_REPORT_GROUP_OPTION,
    ORMA_REPORT_FORM_OPTIONS,
    {ORMA_REPORT_OPT_SQL, 0, "sql", NULL, "Print the SQL of the sections instead of running it."},
    {0},
};
static const struct orma_command report_command = {
    .synopsis = "[OPTIONS] [SECTION...]",
    .summary = "Show CPU use, waits, system calls, I/O, memory and slices.",
    .options = report_options,
    .exclusive = ORMA_REPORT_FORMS,
};
static const struct orma_command why_command = {
    .synopsis = "SLICE\n[OPTIONS] [SECTION...]",
    .summary = "Explain why a slice, a thread or a process took so long.",
    .options = report_options,
    .exclusive = ORMA_REPORT_FORMS,
};

/* False: it was wrong, or asked for help, and that was printed. */
static bool take_words(const struct orma_command *command, struct orma_report_request *request,
                       struct orma_report_names *sections, char *words)
{
    char program[] = "", *argv[WORDS_MAX + 2] = {program};
    int id, code = ORMA_EXIT_OK, argc = 1 + split(words, argv + 1);
    struct orma_cli cli;

    request->sections = sections->names;
    orma_cli_init(&cli, command, request->program, argc, argv);
    while (code == ORMA_EXIT_OK && (id = orma_cli_next(&cli)) != ORMA_CLI_END) {
        if (id == ORMA_CLI_HELP)
            return false;
        code = orma_report_take_option(&cli, id, request, sections);
    }
    return code == ORMA_EXIT_OK;
}

static struct orma_report_request request_of(struct orma_shell_prompt_state *p, const char *program)
{
    return (struct orma_report_request){.program = program,
                                        .trace = orma_buf_cstr(&p->trace),
                                        .top = 10,
                                        .width = orma_cell_terminal_width(stdout, 0),
                                        .stop = &orma_shell_stop};
}

static void print_report(struct orma_shell_prompt_state *p, const char *arg, FILE *out)
{
    struct orma_report_request request = request_of(p, ".report");
    struct orma_report_names sections = {0};
    char *words = strdup(arg);

    if (words && take_words(&report_command, &request, &sections, words))
        (void)orma_report_run(p->tp, &request, out); /* its messages are printed */
    free(words);
}

static void report(struct orma_shell_prompt_state *p, const char *arg)
{
    orma_shell_show(p, print_report, arg);
}

static void print_why(struct orma_shell_prompt_state *p, const char *arg, FILE *out)
{
    struct orma_report_request request = request_of(p, ".why");
    struct orma_report_names sections = {0};
    char *words = strdup(*arg == '-' ? arg : "");
    bool right = words && take_words(&why_command, &request, &sections, words);

    request.table = orma_report_why_sections;
    if (*arg != '-') /* all of it is a name */
        request.slice = arg;
    request.prepare = request.slice ? orma_report_why_of_slices : orma_report_why_of_threads;
    request.of = ORMA_REPORT_WHY_OF;
    if (right)
        (void)orma_report_run(p->tp, &request, out); /* its messages are printed */
    free(words);
}

static void why(struct orma_shell_prompt_state *p, const char *arg)
{
    orma_shell_show(p, print_why, arg);
}

static void reset(struct orma_shell_prompt_state *p, const char *none)
{
    (void)none;
    if (orma_processor_restore(p->tp) < 0)
        fprintf(stderr, "%s\n", orma_processor_error(p->tp));
}

static void help(struct orma_shell_prompt_state *p, const char *none);

/* ---- the table ---- */

enum need { NONE, MAY, MUST };

static const struct {
    const char *name, *arg, *help; /* help NULL: not shown */
    enum need need;
    void (*run)(struct orma_shell_prompt_state *p, const char *arg);
} dots[] = {
    {".tables", "[PATTERN]", "tables and views, also those of modules", MAY, tables},
    {".schema", "TABLE", "columns of a table; how a view is made", MUST, schema},
    {".modules", "[PATTERN]", "modules to include, and what they define", MAY, modules},
    {".mode", "MODE", "table, box, line, csv, json or markdown", MAY, set_mode},
    {"\\x", "[on|off|auto]", "one line per column; auto: for rows that are too wide", MAY, expand},
    {".width", "N", "cut columns at N characters; 0: no limit", MUST, set_width},
    {".timer", "on|off", "show how long queries take", MUST, set_timer},
    {".report", "[SECTION...]", "reports without SQL; same options as 'orma report'", MAY, report},
    {".why", "SLICE", "where its time went; or --thread T, --process P", MUST, why},
    {".read", "FILE", "run the SQL in FILE", MUST, read_file},
    {".open", "TRACE", "load another trace instead of this one", MUST, open_trace},
    {".export", "FILE", "write all tables into an SQLite file", MUST, export},
    {".dump", "FILE", NULL, MUST, export},
    {".reset", "", "forget all tables and functions made here", NONE, reset},
    {".help", "", "this", NONE, help},
    {".quit", "", "end, as Ctrl-D does", NONE, quit},
    {".exit", "", NULL, NONE, quit},
    {".q", "", NULL, NONE, quit},
};

const char *orma_shell_dot_name(unsigned n)
{
    return n < ORMA_ARRAY_LEN(dots) ? dots[n].name : NULL;
}

static void help(struct orma_shell_prompt_state *p, const char *none)
{
    (void)p;
    (void)none;
    printf("SQL ends with ';' or an empty line. Tab completes, Ctrl-R searches the\n"
           "history, Ctrl-C interrupts a query.\n"
           "\n");
    for (size_t i = 0; i < ORMA_ARRAY_LEN(dots); i++) {
        if (dots[i].help)
            printf("  %-9s %-13s %s\n", dots[i].name, dots[i].arg, dots[i].help);
    }
}

static void unknown(const char *line, size_t len)
{
    const char *names[ORMA_ARRAY_LEN(dots) + 1] = {0};
    char word[64];

    for (size_t i = 0; i < ORMA_ARRAY_LEN(dots); i++)
        names[i] = dots[i].name;
    snprintf(word, sizeof(word), "%.*s", (int)ORMA_MIN(len, sizeof(word) - 1), line);
    const char *near = orma_cli_did_you_mean(word, names);
    fprintf(stderr, "no command '%s'", word);
    fprintf(stderr, near ? "; did you mean '%s'?\n" : "; .help lists them\n", near);
}

void orma_shell_dot(struct orma_shell_prompt_state *p, const char *line)
{
    size_t len = strcspn(line, " \t");
    const char *arg = line + len + strspn(line + len, " \t");

    for (size_t i = 0; i < ORMA_ARRAY_LEN(dots); i++) {
        if (strlen(dots[i].name) != len || memcmp(dots[i].name, line, len))
            continue;
        if ((dots[i].need == MUST && !*arg) || (dots[i].need == NONE && *arg))
            fprintf(stderr, "usage: %s %s\n", dots[i].name, dots[i].arg);
        else
            dots[i].run(p, arg);
        return;
    }
    unknown(line, len);
}
