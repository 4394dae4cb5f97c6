/*
 * The prompt: one line is one text of SQL, or a command that begins with a dot.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdk/base/clock.h"
#include "sdk/base/str.h"
#include "tools/shell/line_editor.h"
#include "tools/shell/shell_impl.h"

#define WIDTH 20
#define WIDTH_WIDE 40
#define WIDTH_MAX 1000
#define ROWS_PER_PAGE 32

static struct orma_processor *interruptible; /* for the signal handler only */

static void on_sigint(int sig)
{
    (void)sig;
    if (interruptible)
        orma_processor_interrupt(interruptible);
}

static void print_head(struct orma_query *q, int width)
{
    unsigned columns = orma_query_columns(q);

    for (unsigned i = 0; i < columns; i++)
        printf("%-*.*s ", width, width, orma_query_column_name(q, i));
    printf("\n");
    for (unsigned i = 0; i < columns; i++) {
        for (int n = 0; n < width; n++)
            putchar('-');
        putchar(' ');
    }
    printf("\n");
}

static void print_row(struct orma_query *q, int width)
{
    unsigned columns = orma_query_columns(q);

    for (unsigned i = 0; i < columns; i++) {
        switch (orma_query_type(q, i)) {
        case ORMA_VALUE_NULL:
            printf("%-*s", width, "[NULL]");
            break;
        case ORMA_VALUE_INT64:
            printf("%*" PRId64, width, orma_query_int64(q, i));
            break;
        case ORMA_VALUE_DOUBLE:
            printf("%*f", width, orma_query_double(q, i));
            break;
        case ORMA_VALUE_TEXT:
            printf("%-*.*s", width, width, orma_query_text(q, i));
            break;
        case ORMA_VALUE_BLOB:
            printf("%-*s", width, "<raw bytes>");
            break;
        }
        putchar(' ');
    }
    printf("\n");
}

/* False: the reader has seen enough. */
static bool next_page(uint64_t *away_ns)
{
    uint64_t start = orma_clock_monotonic();
    char answer[16];

    fprintf(stderr, "...\nType 'q' to stop, Enter for more records: ");
    bool more = fgets(answer, sizeof(answer), stdin) && answer[0] != 'q';
    *away_ns += orma_clock_monotonic() - start;
    return more;
}

/* *away_ns grows by the time that the user took to read. */
static int print_rows(struct orma_query *q, int width, uint64_t *away_ns)
{
    unsigned rows = 0;
    int r;

    print_head(q, width);
    while ((r = orma_query_step(q)) == 1) {
        if (rows && rows % ROWS_PER_PAGE == 0 && isatty(STDIN_FILENO)) {
            if (!next_page(away_ns))
                return 0;
            print_head(q, width);
        }
        print_row(q, width);
        rows++;
    }
    return r;
}

/* Prints the rows of the last statement; the others are run for what they do. */
static int run_statement(struct orma_script_run *script, struct orma_query *q, int width,
                         uint64_t *away_ns)
{
    int r;

    if (orma_script_at_end(script) && orma_query_has_output(q))
        return print_rows(q, width, away_ns);
    while ((r = orma_query_step(q)) == 1)
        ;
    return r;
}

static void run_line(struct orma_shell *sh, const char *line)
{
    uint64_t start = orma_clock_monotonic(), away_ns = 0;
    struct orma_script_run *script = NULL;
    struct orma_query *q;
    int usual = sh->wide ? WIDTH_WIDE : WIDTH;
    int width = sh->width ? sh->width : usual;
    int r = orma_script_open(sh->tp, line, SIZE_MAX, NULL, &script);

    while (r == 0 && (r = orma_script_step(script, &q)) == 1) {
        r = run_statement(script, q, width, &away_ns);
        orma_query_free(q);
    }
    if (r < 0)
        fprintf(stderr, "%s\n", r == -ECANCELED ? "interrupted" : orma_processor_error(sh->tp));
    else
        printf("\nQuery executed in %.3f ms\n\n",
               (double)(orma_clock_monotonic() - start - away_ns) / 1e6);
    if (r == -ECANCELED)
        clearerr(stdout); /* a write may have been interrupted, too */
    orma_script_close(script);
}

/* ---- commands ---- */

static void read_file(struct orma_shell *sh, const char *path)
{
    struct orma_buf sql = {0};

    if (orma_shell_read_sql(path, &sql) == 0)
        (void)orma_shell_run_sql(sh, orma_buf_str(&sql)); /* its message is printed */
    orma_buf_fini(&sql);
}

static void dump(struct orma_shell *sh, const char *path)
{
    (void)orma_shell_export(sh, path); /* its message is printed */
}

static void reset(struct orma_shell *sh, const char *none)
{
    (void)none; /* takes nothing */
    if (orma_processor_restore(sh->tp) < 0)
        fprintf(stderr, "%s\n", orma_processor_error(sh->tp));
}

static void set_width(struct orma_shell *sh, const char *text)
{
    uint64_t width;

    if (orma_str_to_u64(orma_str_from(text), &width) && width > 0 && width <= WIDTH_MAX)
        sh->width = (int)width;
    else
        fprintf(stderr, "bad width '%s': 1 to %d\n", text, WIDTH_MAX);
}

static void load_metrics(struct orma_shell *sh, const char *none)
{
    (void)none;
    (void)orma_shell_add_extensions(sh); /* it says what is wrong */
}

static void run_metrics(struct orma_shell *sh, const char *none)
{
    (void)none;
    if (sh->metrics.run)
        (void)orma_shell_compute_metrics(sh, true);
    else
        fprintf(stderr, "no metrics were given on the command line\n");
}

static void help(struct orma_shell *sh, const char *none);

static const struct {
    const char *name, *arg, *help; /* help NULL: not shown */
    void (*run)(struct orma_shell *sh, const char *arg);
} dots[] = {
    {".quit", NULL, "end", NULL},
    {".q", NULL, NULL, NULL},
    {".help", NULL, "this", help},
    {".dump", "FILE", "write all tables into an SQLite file", dump},
    {".read", "FILE", "run the SQL in FILE, print CSV", read_file},
    {".reset", NULL, "forget all tables and functions made here", reset},
    {".width", "N", "width of columns", set_width},
    {".load-metrics-sql", NULL, NULL, load_metrics},
    {".run-metrics", NULL, NULL, run_metrics},
};

static void help(struct orma_shell *sh, const char *none)
{
    (void)sh; /* the table says it all */
    (void)none;
    printf("Type SQL on one line, or:\n");
    for (size_t i = 0; i < ORMA_ARRAY_LEN(dots); i++) {
        if (dots[i].help)
            printf("  %-6s %-6s %s\n", dots[i].name, dots[i].arg ? dots[i].arg : "", dots[i].help);
    }
}

/* False: the prompt ends. */
static bool dot_command(struct orma_shell *sh, const char *line)
{
    size_t len = strcspn(line, " ");
    const char *arg = line + len + strspn(line + len, " ");

    for (size_t i = 0; i < ORMA_ARRAY_LEN(dots); i++) {
        if (strlen(dots[i].name) != len || memcmp(dots[i].name, line, len) || !dots[i].arg != !*arg)
            continue;
        if (dots[i].run)
            dots[i].run(sh, arg);
        return dots[i].run != NULL;
    }
    help(sh, NULL);
    return true;
}

/* Where lines come from: a person at a terminal, or a file. */
struct input {
    struct orma_line_editor *editor; /* NULL: plain lines */
    bool prompt;
    struct orma_buf line;
};

static struct orma_line_editor *make_editor(void)
{
    const char *home = getenv("HOME");
    struct orma_buf path = {0};

    if (!orma_line_editor_usable())
        return NULL;
    orma_buf_printf(&path, "%s/.config/perfetto/.trace_processor_shell_history", home ? home : "");
    struct orma_line_editor *editor =
        orma_line_editor_new(home && *home && !path.failed ? orma_buf_cstr(&path) : NULL);
    orma_buf_fini(&path);
    return editor;
}

/* A line of a file, or of a terminal that is not worth an editor. 1, 0, -EINTR. */
static int read_plain(struct input *in)
{
    char *line = NULL;
    size_t cap = 0;
    int r = 1;

    if (in->prompt) {
        printf("> ");
        fflush(stdout);
    }
    errno = 0;
    ssize_t len = getline(&line, &cap, stdin);
    if (len < 0)
        r = errno == EINTR ? -EINTR : 0;
    while (len > 0 && (line[len - 1] == '\n' || line[len - 1] == '\r'))
        len--;
    orma_buf_clear(&in->line);
    if (len > 0)
        orma_buf_put(&in->line, line, (size_t)len);
    if (r == -EINTR) {
        clearerr(stdin);
        printf("\n");
    }
    free(line);
    return r;
}

static int read_input(struct input *in)
{
    int r = in->editor ? orma_line_editor_read(in->editor, "> ", &in->line) : read_plain(in);

    if (r == 1 && in->editor)
        orma_line_editor_remember(in->editor, orma_buf_str(&in->line));
    return r;
}

int orma_shell_interactive(struct orma_shell *self)
{
    struct sigaction act = {.sa_handler = on_sigint}, old;
    struct input in = {.editor = make_editor(), .prompt = isatty(STDIN_FILENO)};
    bool go_on = true;
    int r;

    if (in.editor)
        act.sa_flags = 0; /* a line that is typed is given up */
    interruptible = self->tp;
    sigaction(SIGINT, &act, &old);
    while (go_on && ((r = read_input(&in)) == 1 || r == -EINTR)) {
        const char *line = orma_buf_cstr(&in.line);

        if (r == -EINTR)
            continue; /* a line that was given up */
        if (*line == '.')
            go_on = dot_command(self, line);
        else if (*line)
            run_line(self, line); /* an error does not end the prompt */
        else if (in.prompt)
            printf("If you want to quit, press Ctrl-D or type .quit\n");
    }
    sigaction(SIGINT, &old, NULL);
    interruptible = NULL;
    orma_line_editor_free(in.editor);
    orma_buf_fini(&in.line);
    return 0;
}
