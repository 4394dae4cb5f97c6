/*
 * Results go to a file without a name first: so the time of a query is that of the query, and its
 * length is known before a pager is asked.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdk/base/clock.h"
#include "tools/base/cell.h"
#include "tools/base/temporary.h"
#include "tools/base/units.h"
#include "tools/load/sql_error.h"
#include "tools/shell/prompt_impl.h"

#define PAGER "less -FRSX"

static struct orma_processor *volatile interruptible; /* for the signal handler only */
volatile sig_atomic_t orma_shell_stop;

void orma_shell_interrupt(int sig)
{
    (void)sig;
    orma_shell_stop = 1;
    if (interruptible)
        orma_processor_interrupt(interruptible);
}

void orma_shell_set_interruptible(struct orma_processor *tp)
{
    if (tp)
        orma_shell_stop = 0;
    interruptible = tp;
}

/* ---- pages ---- */

static bool fits_screen(FILE *from)
{
    unsigned rows, columns, lines = 0;
    int c;

    if (!orma_cell_screen(stdout, &rows, &columns) || !rows)
        return true;
    rewind(from);
    while (lines + 2 < rows && (c = fgetc(from)) != EOF)
        lines += c == '\n';
    return lines + 2 < rows;
}

static void copy(FILE *from, FILE *to)
{
    char bytes[1 << 14];
    size_t n;

    rewind(from);
    while ((n = fread(bytes, 1, sizeof(bytes), from)) > 0 && fwrite(bytes, 1, n, to) == n)
        ;
    fflush(to);
}

static void show_file(FILE *from)
{
    const char *command = getenv("PAGER");
    FILE *pager = fits_screen(from) ? NULL : popen(command && *command ? command : PAGER, "we");

    if (!pager) {
        copy(from, stdout);
        return;
    }
    void (*old)(int) = signal(SIGINT, SIG_IGN); /* it is the pager's */
    copy(from, pager);
    (void)pclose(pager); /* it has ended as its user wanted */
    (void)signal(SIGINT, old);
}

void orma_shell_show(struct orma_shell_prompt_state *p,
                     void (*print)(struct orma_shell_prompt_state *p, const char *arg, FILE *out),
                     const char *arg)
{
    FILE *out = orma_temporary_open();

    if (!out) {
        fprintf(stderr, "no temporary file: %s\n", strerror(errno));
        return;
    }
    orma_shell_set_interruptible(p->tp);
    print(p, arg, out);
    orma_shell_set_interruptible(NULL);
    if (orma_shell_stop)
        fprintf(stderr, "interrupted\n");
    else
        show_file(out);
    (void)fclose(out); /* it was read */
}

/* ---- statements ---- */

static int run_statements(struct orma_shell_prompt_state *p, const char *sql, FILE *out)
{
    struct orma_script_run *script;
    struct orma_query *q;
    bool printed = false;
    int r = orma_script_open(p->tp, sql, SIZE_MAX, NULL, &script);

    while (r >= 0 && (r = orma_script_step(script, &q)) == 1) {
        if (orma_query_has_output(q)) {
            fputs(printed ? "\n" : "", out);
            r = orma_shell_print_rows(p, q, out);
            printed = true;
        } else {
            while ((r = orma_query_step(q)) == 1)
                ;
        }
        orma_query_free(q);
    }
    orma_script_close(script);
    return r;
}

void orma_shell_run_text(struct orma_shell_prompt_state *p, const char *sql, const char *from)
{
    uint64_t start = orma_clock_monotonic();
    char text[ORMA_UNITS_TEXT_MAX];
    FILE *out = orma_temporary_open();

    if (!out) {
        fprintf(stderr, "no temporary file: %s\n", strerror(errno));
        return;
    }
    orma_shell_set_interruptible(p->tp);
    int r = run_statements(p, sql, out);
    orma_shell_set_interruptible(NULL);
    uint64_t took_ns = orma_clock_monotonic() - start;
    if (r != -ECANCELED)
        show_file(out);
    (void)fclose(out); /* it was read */
    if (r == -ECANCELED)
        fprintf(stderr, "interrupted\n");
    else if (r == -EIO)
        fprintf(stderr, "cannot keep the result: no space for a temporary file\n");
    else if (r < 0)
        orma_load_print_sql_error("", from, p->tp);
    if (p->timer)
        printf("time: %s\n", orma_units_format_duration(took_ns, text));
}
