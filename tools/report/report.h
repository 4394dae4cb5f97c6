/*
 * `orma report`: the sections that were asked for, of a loaded trace.
 */
#ifndef ORMA_TOOLS_REPORT_REPORT_H
#define ORMA_TOOLS_REPORT_REPORT_H
#include <signal.h>
#include <stdio.h>

#include "processor/processor.h"
#include "tools/report/sections.h"

enum orma_report_form { ORMA_REPORT_TEXT, ORMA_REPORT_JSON, ORMA_REPORT_CSV, ORMA_REPORT_SQL };

struct orma_report_request {
    const char *program, *trace;             /* in messages */
    const struct orma_report_section *table; /* NULL: orma_report_sections */
    /* Files of SQL that come first, with the same places, ended by NULL; NULL: none. Their row
     * counts what there is to look at. */
    const char *const *prepare;
    const char *const *sections; /* names, ended by NULL; none: all that have data */
    /* What to say if nothing is chosen and the trace was recorded for no command, which is looked
     * at without what it started; NULL: then it is all. */
    const char *of;
    const char *from, *to;                /* as the user wrote them; NULL: the whole trace */
    const char *process, *thread, *slice; /* patterns of names, or numbers; NULL: all */
    const char *tree;                     /* the same: these processes, and what they started */
    bool all;          /* the whole machine, also of a trace that was recorded for a command */
    const char *group; /* "name", "thread"; NULL: short-lived ones by name */
    size_t top;        /* rows of a section; 0: all */
    unsigned width;    /* of lines; 0: as of the terminal */
    enum orma_report_form form;
    const volatile sig_atomic_t *stop; /* not 0: somebody interrupts, and knows it; or NULL */
};

/* What to exit with (enum orma_exit); messages are printed. */
int orma_report_run(struct orma_processor *tp, const struct orma_report_request *request,
                    FILE *out);

/* Names of sections (NULL at the end of both): -EINVAL if one that is wanted is not there; printed,
 * with `hint`, what else it may have been meant for. */
int orma_report_check_names(const char *program, const char *const *wanted,
                            const char *const *names, const char *hint);
#endif
