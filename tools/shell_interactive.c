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
#include "tools/shell_impl.h"

#define WIDTH 20
#define WIDTH_WIDE 40
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
static bool next_page(void)
{
    char answer[16];

    fprintf(stderr, "...\nType 'q' to stop, Enter for more records: ");
    return fgets(answer, sizeof(answer), stdin) && answer[0] != 'q';
}

static int print_rows(struct orma_query *q, int width)
{
    unsigned rows = 0;
    int r;

    print_head(q, width);
    while ((r = orma_query_step(q)) == 1) {
        if (rows && rows % ROWS_PER_PAGE == 0 && isatty(STDIN_FILENO)) {
            if (!next_page())
                return 0;
            print_head(q, width);
        }
        print_row(q, width);
        rows++;
    }
    return r;
}

static int run_line(struct orma_shell *sh, const char *line)
{
    const char *rest = line, *end = line + strlen(line);
    uint64_t start = orma_clock_now(ORMA_CLOCK_MONOTONIC);
    int width = sh->wide ? WIDTH_WIDE : WIDTH, r = 0;

    while (r == 0 && rest < end) {
        struct orma_query *q;

        r = orma_query_prepare(sh->tp, rest, (size_t)(end - rest), &q, &rest);
        if (r == 1) {
            r = 0;
            continue;
        }
        if (r < 0)
            break;
        r = orma_query_columns(q) ? print_rows(q, width) : orma_query_step(q);
        orma_query_free(q);
    }
    if (r < 0)
        fprintf(stderr, "%s\n", r == -ECANCELED ? "interrupted" : orma_processor_error(sh->tp));
    else
        printf("\nQuery executed in %.3f ms\n\n",
               (double)(orma_clock_now(ORMA_CLOCK_MONOTONIC) - start) / 1e6);
    return r;
}

static void help(void)
{
    printf("Type SQL on one line, or:\n"
           "  .quit, .q     end\n"
           "  .help         this\n"
           "  .read FILE    run the SQL in FILE, print CSV\n"
           "  .width N      width of columns\n");
}

/* False: the prompt ends. */
static bool dot_command(struct orma_shell *sh, char *line)
{
    if (!strcmp(line, ".quit") || !strcmp(line, ".q"))
        return false;
    if (!strncmp(line, ".read ", 6)) {
        struct orma_buf sql = {0};

        if (orma_shell_read_sql(line + 6, &sql) == 0)
            (void)orma_shell_run_sql(sh, orma_buf_str(&sql)); /* its message is printed */
        orma_buf_fini(&sql);
    } else if (!strncmp(line, ".width ", 7)) {
        sh->wide = atoi(line + 7) > WIDTH;
    } else {
        help();
    }
    return true;
}

int orma_shell_interactive(struct orma_shell *self)
{
    struct sigaction act = {.sa_handler = on_sigint}, old;
    bool prompt = isatty(STDIN_FILENO);
    char *line = NULL;
    size_t cap = 0;
    ssize_t len;

    interruptible = self->tp;
    sigaction(SIGINT, &act, &old);
    for (;;) {
        if (prompt) {
            printf("> ");
            fflush(stdout);
        }
        errno = 0;
        len = getline(&line, &cap, stdin);
        if (len < 0 && errno == EINTR) {
            clearerr(stdin);
            printf("\n");
            continue;
        }
        if (len < 0)
            break;
        while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
            line[--len] = '\0';
        if (line[0] == '.') {
            if (!dot_command(self, line))
                break;
        } else if (len) {
            (void)run_line(self, line); /* an error does not end the prompt */
        } else if (prompt) {
            printf("If you want to quit, press Ctrl-D or type .quit\n");
        }
    }
    sigaction(SIGINT, &old, NULL);
    interruptible = NULL;
    free(line);
    return 0;
}
