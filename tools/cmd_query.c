/*
 * orma query: SQL on a trace.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "processor/export/csv.h"
#include "sdk/base/fd.h"
#include "tools/base/units.h"
#include "tools/commands.h"
#include "tools/convert/merge.h"
#include "tools/follow/follow.h"
#include "tools/load/cache.h"
#include "tools/load/load.h"
#include "tools/load/sql_error.h"
#include "tools/load/symbols.h"
#include "tools/load/threads.h"
#include "tools/many/many.h"
#include "tools/shell/prompt.h"

#define SQL_BYTES_MAX ((size_t)64 << 20)

enum {
    OPT_FILE = 1,
    OPT_CSV,
    OPT_FULL_SORT,
    OPT_APART,
    OPT_CACHE,
    OPT_ALL,
    OPT_THEN,
    OPT_METADATA,
    OPT_OUTPUT,
    OPT_JOBS,
    OPT_QUERY_TIMEOUT,
    OPT_FOLLOW,
    OPT_EVERY
};

static const struct orma_option options[] = {
    {OPT_FILE, 'f', "file", "FILE", "Read the SQL from FILE; - is standard input."},
    {OPT_CSV, 0, "format", "plain|rfc4180|json|tsv|table",
     "plain (names and texts quoted, nothing escaped, NULL as \"[NULL]\": the default when not on "
     "a "
     "terminal), rfc4180 (escaped, NULL empty), json, tsv (as ClickHouse reads it), or table (the "
     "default on a terminal)."},
    {OPT_CSV, 0, "csv", "plain|rfc4180|json|tsv|table", NULL}, /* its name before */
    {OPT_APART, 0, "apart", NULL,
     "The traces are from different machines: name each machine after its trace."},
    {OPT_FULL_SORT, 0, "full-sort", NULL,
     "Sort all events at the end of loading: for traces with events that arrive very late."},
    ORMA_LOAD_CACHE_OPTION(OPT_CACHE),
    ORMA_FOLLOW_OPTIONS(OPT_FOLLOW, OPT_EVERY),
    {OPT_ALL, 0, "all", "PATTERN",
     "Run the query on each of these traces separately, in parallel: 'runs/**/*.pftrace'; - reads "
     "paths from standard input. May be repeated. The column trace names the trace of each row."},
    {OPT_METADATA, 0, "metadata", "NAMES",
     "With --all: add these rows of the table metadata as columns, separated by commas."},
    {OPT_THEN, 0, "then", "SQL",
     "With --all: run this query on the table result, which has all rows, and print its rows "
     "instead."},
    {OPT_OUTPUT, 'o', "output", "FILE",
     "With --all: store the rows in this SQLite file; the next run loads only new and changed "
     "traces."},
    {OPT_JOBS, 'j', "jobs", "N",
     "With --all: number of parallel jobs (default: the number of CPUs)."},
    {OPT_QUERY_TIMEOUT, 0, "query-timeout", "TIME",
     "Stop a query that takes longer (10s, 5m). With --all: of one trace."},
    {0},
};

struct query {
    struct orma_cli cli;
    const char *sql, *file;
    const char *traces[ORMA_CONVERT_MERGE_MAX];
    size_t traces_num;
    bool apart; /* of different machines */
    enum orma_print_form form;
    bool full_sort, follow;
    uint64_t every_ms;     /* with follow; 0: as usual */
    uint64_t timeout_ms;   /* of one query; 0: none */
    struct orma_many many; /* patterns_num 0: not asked for */
};

static int parse_form(struct query *q)
{
    static const struct {
        const char *name;
        enum orma_print_form form;
    } forms[] = {{"plain", ORMA_PRINT_CSV},
                 {"rfc4180", ORMA_PRINT_RFC4180},
                 {"json", ORMA_PRINT_JSON},
                 {"tsv", ORMA_PRINT_TSV},
                 {"table", ORMA_PRINT_TABLE}};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(forms); i++) {
        if (!strcmp(forms[i].name, q->cli.value)) {
            q->form = forms[i].form;
            return ORMA_EXIT_OK;
        }
    }
    if (!strcmp(q->cli.value, "csv"))
        return orma_cli_usage_error(&q->cli, "unknown format 'csv': use rfc4180 for CSV");
    return orma_cli_usage_error(
        &q->cli, "unknown format '%s': expected plain, rfc4180, json, tsv or table", q->cli.value);
}

/* The name of a file with SQL, where the SQL or a trace is expected. */
static bool is_script(const char *word)
{
    const char *dot = strrchr(word, '.');

    return dot && !strcmp(dot, ".sql") && !strpbrk(word, " \t\n'\"()");
}

/* The first one is a trace, others are traces if they are files, else the SQL. */
static int take_argument(struct query *q, const char *text)
{
    if (q->traces_num && is_script(text))
        return orma_cli_usage_error(&q->cli,
                                    "'%s' is not SQL; a file with SQL follows -f: %s %s -f %s",
                                    text, q->cli.program, q->traces[0], text);
    if (q->traces_num && !strcmp(text, "-"))
        return orma_cli_usage_error(&q->cli,
                                    "'-' is a trace and comes first, alone; without SQL, it is "
                                    "read from standard input: %s %s < FILE.sql",
                                    q->cli.program, q->traces[0]);
    if (!q->traces_num || access(text, F_OK) == 0) {
        if (!orma_convert_merge_fits("orma query", q->traces, q->traces_num, text))
            return ORMA_EXIT_FAILURE;
        q->traces[q->traces_num++] = text;
        return ORMA_EXIT_OK;
    }
    if (q->sql)
        return orma_cli_usage_error(
            &q->cli, "'%s' is not a file, and '%s' is taken as the SQL: quote the whole query",
            text, q->sql);
    q->sql = text;
    return ORMA_EXIT_OK;
}

static int parse_timeout(struct query *q)
{
    if (!orma_units_parse_duration_ms(q->cli.value, &q->timeout_ms) || !q->timeout_ms)
        return orma_cli_usage_error(&q->cli, "bad time '%s': expected a time such as 10s",
                                    q->cli.value);
    return ORMA_EXIT_OK;
}

static int parse_many(struct query *q, int id)
{
    uint64_t jobs;

    if (id == OPT_JOBS) {
        if (!orma_str_to_u64(orma_str_from(q->cli.value), &jobs) || !jobs || jobs > 1000)
            return orma_cli_usage_error(&q->cli, "--jobs takes a number from 1 to 1000, not '%s'",
                                        q->cli.value);
        q->many.jobs = (unsigned)jobs;
        return ORMA_EXIT_OK;
    }
    if (q->many.patterns_num == ORMA_MANY_PATTERNS_MAX)
        return orma_cli_usage_error(&q->cli, "at most %d patterns: use ** and *",
                                    ORMA_MANY_PATTERNS_MAX);
    q->many.patterns[q->many.patterns_num++] = q->cli.value;
    return ORMA_EXIT_OK;
}

/* With --all, what stands alone is the SQL. */
static int check_many(struct query *q)
{
    if (q->traces_num + (q->sql != NULL) > 1)
        return orma_cli_usage_error(&q->cli,
                                    "with --all, the SQL is the only argument: quote the pattern");
    if (q->traces_num && is_script(q->traces[0]))
        return orma_cli_usage_error(&q->cli, "'%s' is not SQL; a file with SQL follows -f",
                                    q->traces[0]);
    if (q->traces_num)
        q->sql = q->traces[0];
    q->traces_num = 0;
    return ORMA_EXIT_OK;
}

/* What is followed need be no file. */
static int check_follow(const struct query *q, bool *ret_go_on)
{
    if (q->traces_num != 1 || !strcmp(q->traces[0], "-"))
        return orma_cli_usage_error(&q->cli, "--follow needs one file or session");
    if (q->sql && q->file)
        return orma_cli_usage_error(&q->cli, "give the SQL as an argument or with -f, not both");
    if (!q->sql && !q->file && isatty(STDIN_FILENO))
        return orma_cli_usage_error(&q->cli, "--follow needs the SQL: %s --follow %s 'SELECT ...'",
                                    q->cli.program, q->traces[0]);
    *ret_go_on = true;
    return ORMA_EXIT_OK;
}

static int parse(struct query *q, bool *ret_go_on)
{
    int id, code = ORMA_EXIT_OK;

    *ret_go_on = false;
    while ((id = orma_cli_next(&q->cli)) != ORMA_CLI_END && code == ORMA_EXIT_OK) {
        switch (id) {
        case OPT_FILE:
            q->file = q->cli.value;
            break;
        case OPT_CSV:
            code = parse_form(q);
            break;
        case OPT_FULL_SORT:
            q->full_sort = true;
            break;
        case OPT_CACHE:
            orma_load_cache_set(q->cli.value);
            break;
        case OPT_FOLLOW:
            q->follow = true;
            break;
        case OPT_EVERY:
            code = orma_follow_take_every(&q->cli, &q->every_ms);
            break;
        case OPT_APART:
            q->apart = true;
            break;
        case OPT_THEN:
            q->many.then = q->cli.value;
            break;
        case OPT_METADATA:
            q->many.metadata = q->cli.value;
            break;
        case OPT_OUTPUT:
            q->many.file = q->cli.value;
            break;
        case OPT_QUERY_TIMEOUT:
            code = parse_timeout(q);
            break;
        case OPT_ALL:
        case OPT_JOBS:
            code = parse_many(q, id);
            break;
        case ORMA_CLI_POSITIONAL:
            code = take_argument(q, q->cli.value);
            break;
        case ORMA_CLI_HELP:
            return ORMA_EXIT_OK;
        default:
            return ORMA_EXIT_USAGE;
        }
    }
    if (code != ORMA_EXIT_OK)
        return code;
    if (q->many.patterns_num)
        code = check_many(q);
    else if (q->many.then || q->many.metadata || q->many.file || q->many.jobs)
        code = orma_cli_usage_error(&q->cli, "--then, --metadata, --output and --jobs need --all");
    if (code != ORMA_EXIT_OK)
        return code;
    if (!q->traces_num && !q->many.patterns_num)
        return orma_cli_usage_error(&q->cli, "no trace given: orma query TRACE [SQL]");
    if (q->apart && q->many.patterns_num)
        return orma_cli_usage_error(&q->cli, "--apart cannot be combined with --all");
    if (q->traces_num && !strcmp(q->traces[0], "-")) {
        if (q->traces_num > 1)
            return orma_cli_usage_error(&q->cli, "'-' is the only trace: name files to join some");
        if (!q->sql && (!q->file || !strcmp(q->file, "-")))
            return orma_cli_usage_error(&q->cli,
                                        "the trace is standard input: give the SQL as an argument "
                                        "or with -f FILE: %s - 'SELECT ...' < TRACE",
                                        q->cli.program);
    }
    if (q->every_ms && !q->follow)
        return orma_cli_usage_error(&q->cli, "--every needs --follow");
    if (q->follow)
        return check_follow(q, ret_go_on);
    const char *const others[] = {q->traces_num > 1 ? q->traces[1] : NULL, NULL};
    if (q->traces_num && orma_cli_check_order(&q->cli, q->traces[0], others, 1) != ORMA_EXIT_OK)
        return ORMA_EXIT_USAGE;
    if (q->sql && q->file)
        return orma_cli_usage_error(&q->cli, "give the SQL as an argument or with -f, not both");
    *ret_go_on = true;
    return ORMA_EXIT_OK;
}

static int read_sql(const struct query *q, struct orma_buf *sql)
{
    const char *path = q->file ? q->file : "-";
    int r = 0;

    if (q->sql) {
        orma_buf_put_str(sql, q->sql);
        return sql->failed ? -ENOMEM : 0;
    }
    if (!q->file && isatty(STDIN_FILENO))
        fprintf(stderr, "Type SQL, then Ctrl-D:\n");
    r = strcmp(path, "-") ? orma_fd_read_file(AT_FDCWD, path, SQL_BYTES_MAX, sql)
                          : orma_fd_read_all(STDIN_FILENO, SQL_BYTES_MAX, sql);
    if (r < 0)
        fprintf(stderr, "orma query: %s: %s\n", path, strerror(-r));
    return r;
}

/* Several traces are one archive in a folder of ours while they are loaded: what is mapped stays
 * until the end. */
static int load_merged(const struct query *q, struct orma_processor *tp, const char *folder)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0};

    orma_buf_printf(&path, "%s/traces.tar", folder);
    if (path.failed)
        return -ENOMEM;
    const struct orma_output_want want = {
        .program = "orma query", .path = orma_buf_cstr(&path), .quiet = true};
    int r = orma_convert_merge_write(&want, NULL, q->apart, q->traces, q->traces_num);
    orma_load_cache_avoid(); /* it is made anew each time */
    if (r == 0)
        r = orma_load_trace(tp, "orma query", orma_buf_cstr(&path), ORMA_LOAD_PROGRESS, NULL);
    (void)unlink(orma_buf_cstr(&path)); /* it is not there if it could not be written */
    return r;
}

static int load(const struct query *q, struct orma_processor *tp)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf folder = {0};
    const char *tmp = getenv("TMPDIR");

    if (q->traces_num == 1)
        return orma_load_trace(tp, "orma query", q->traces[0], ORMA_LOAD_PROGRESS, NULL);
    orma_buf_printf(&folder, "%s/orma-query-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    orma_buf_put_byte(&folder, '\0');
    if (folder.failed)
        return -ENOMEM;
    if (!mkdtemp((char *)folder.data)) {
        fprintf(stderr, "orma query: %s: %s\n", (char *)folder.data, strerror(errno));
        return -EIO;
    }
    int r = load_merged(q, tp, (char *)folder.data);
    (void)rmdir((char *)folder.data); /* empty */
    return r;
}

/* The rows of all statements. An exit code. */
static int print_rows(const struct query *q, struct orma_processor *tp, struct orma_str sql)
{
    unsigned statements = 0;
    int r = orma_print_query(tp, sql.data, sql.len, q->form, stdout, &statements);

    if (r == 0 && fflush(stdout))
        r = -EIO;
    if (r == -EIO)
        return orma_cli_output_failed("orma query", errno);
    if (r < 0) {
        orma_load_print_sql_error("orma query: ",
                                  q->sql    ? "SQL"
                                  : q->file ? q->file
                                            : "standard input",
                                  tp);
        return ORMA_EXIT_FAILURE;
    }
    if (statements)
        return ORMA_EXIT_OK;
    fprintf(stderr,
            "orma query: there is no SQL statement to run: orma query TRACE 'SELECT ...'\n");
    return ORMA_EXIT_FAILURE;
}

struct following {
    const struct query *query;
    struct orma_str sql;
};

static int answer(void *ctx, struct orma_processor *tp, const struct orma_follow_state *state)
{
    const struct following *f = ctx;

    orma_follow_head(tp, state, "orma query");
    return print_rows(f->query, tp, f->sql);
}

static int follow(const struct query *q, const struct orma_processor_config *config,
                  struct orma_str sql)
{
    struct following f = {.query = q, .sql = sql};
    const struct orma_follow follow = {.program = "orma query",
                                       .name = q->traces[0],
                                       .every_ms = q->every_ms,
                                       .config = *config,
                                       .answer = answer,
                                       .ctx = &f};

    return orma_follow_run(&follow);
}

static int query(const struct query *q)
{
    struct orma_processor_config config = {.size = sizeof(config),
                                           .full_sort = q->full_sort,
                                           .query_timeout_ms = q->timeout_ms,
                                           .threads = orma_load_threads()};
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    struct orma_processor *tp = NULL;
    bool prompt = !q->sql && !q->file && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    int r = prompt ? 0 : read_sql(q, &sql);

    if (r == 0 && q->follow)
        return follow(q, &config, (struct orma_str){orma_buf_cstr(&sql), sql.len});
    if (r == 0)
        r = orma_processor_new(&config, &tp);
    if (r == 0)
        r = orma_load_symbols_for(tp, "orma query", q->traces[0]);
    if (r == 0)
        r = load(q, tp);
    if (r < 0) {
        orma_processor_free(tp);
        return ORMA_EXIT_FAILURE;
    }
    if (prompt)
        return orma_shell_prompt(tp, q->traces[0]);
    int code = print_rows(q, tp, (struct orma_str){orma_buf_cstr(&sql), sql.len});
    orma_processor_free(tp);
    return code;
}

static int run(const struct orma_command *self, int argc, char **argv)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    struct query q = {.form = isatty(STDOUT_FILENO) ? ORMA_PRINT_TABLE : ORMA_PRINT_CSV};
    bool go_on;

    orma_cli_init(&q.cli, self, "orma query", argc, argv);
    int code = parse(&q, &go_on);
    if (!go_on || !q.many.patterns_num)
        return go_on ? query(&q) : code;
    if (read_sql(&q, &sql) < 0)
        return ORMA_EXIT_FAILURE;
    q.many.program = "orma query";
    q.many.sql = orma_buf_cstr(&sql);
    q.many.form = q.form;
    q.many.full_sort = q.full_sort;
    q.many.query_timeout_ms = q.timeout_ms;
    return orma_many_run(&q.many);
}

const struct orma_command orma_cmd_query = {
    .name = "query",
    .summary = "Query a trace in SQL.",
    .synopsis = "[OPTIONS] TRACE... [SQL]\n[OPTIONS] TRACE... -f FILE\n--all PATTERN [OPTIONS] SQL",
    .details = "TRACE is a trace in any supported format, or - for standard input; several traces "
               "share one timeline, as "
               "with 'orma merge'. The SQL comes from the argument, from FILE, or from standard "
               "input; separate statements with semicolons. The tables to start with: slice, "
               "thread, process, sched, thread_state, counter, args, stats.\n"
               "\n"
               "Without SQL, on a terminal, a prompt opens: '.help' lists its commands.\n"
               "\n"
               "With PERFETTO_BINARY_PATH or PERFETTO_PROGUARD_MAP set, stack frames get their "
               "names from there; see 'orma convert --help'.",
    .examples = "  orma query t.pftrace 'SELECT name, count(*) FROM slice GROUP BY name'\n"
                "  orma query t.pftrace -f question.sql --format=json\n"
                "  orma query --apart phone.pftrace car.pftrace 'SELECT name FROM machine'\n"
                "  orma query --all 'runs/**/*.pftrace' 'SELECT name, count(*) AS n FROM slice "
                "GROUP BY name' \\\n"
                "      --then 'SELECT name, sum(n) FROM result GROUP BY name'\n"
                "  echo 'SELECT * FROM stats WHERE value != 0' | orma query t.pftrace\n",
    .options = options,
    .threads = true,
    .run = run,
};
