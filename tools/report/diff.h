/*
 * `orma diff`: two traces of the same work, and what takes more or less in the second one.
 *
 * Each trace is cut into blocks of equal length. How much a number differs from block to block is
 * its noise; a difference between the traces is listed if it is larger than what noise would make
 * of it in one of twenty comparisons of equal traces, all names and numbers taken together, and
 * larger than what recordings of the same differ by. Sums are per second of trace, or of the time
 * from the first to the last that is known of the process or thread that was chosen.
 */
#ifndef ORMA_TOOLS_REPORT_DIFF_H
#define ORMA_TOOLS_REPORT_DIFF_H
#include <stdio.h>

#include "processor/processor.h"
#include "tools/report/limits.h"

enum orma_report_diff_form {
    ORMA_REPORT_DIFF_TEXT,
    ORMA_REPORT_DIFF_MARKDOWN,
    ORMA_REPORT_DIFF_JSON,
};

struct orma_report_diff_request {
    const char *program;
    struct orma_processor *tp[2];
    const char *traces[2];
    const char *const *sections;  /* names, ended by NULL; none: all */
    const char *process, *thread; /* patterns of names, or numbers; NULL: all */
    const char *tree;             /* the same: these processes, and what they started */
    bool all;                     /* the machines, also of traces that were recorded for commands */
    const struct orma_report_limit *limits;
    size_t limits_num;
    size_t top;      /* rows of a section; 0: all */
    bool same_speed; /* of the machine: what all names share is a change of the program */
    enum orma_report_diff_form form;
};

/* "slices", ..., and the question that it answers unless that is NULL; NULL past the last. */
const char *orma_report_diff_section(unsigned n, const char **ret_question);

/* What a limit may be about, ended by NULL. */
const struct orma_report_limit_kind *orma_report_diff_kinds(void);

/* What to exit with: 1 also if a limit was passed, or what it is about is not in both traces.
 * Messages are printed. */
int orma_report_diff_run(const struct orma_report_diff_request *request, FILE *out);
#endif
