/*
 * What `orma report` can answer: one table of sections, in the order in which they are shown.
 *
 * A section is a question and its SQL, which ends in a SELECT. The SQL may hold
 *
 *   $from $to    the range of time: expressions of timestamps
 *   $end         what begins in the range does so before that: $to, but behind the trace's end
 *   $top         how many rows are wanted
 *   $threads     "" or " AND utid IN (...)", as the user chose threads or processes
 *   $owners      the same where there are columns `utid` and `upid`
 *   $processes   the same where there is a column `upid`
 *   $who         what the rows of threads are grouped by, of tables with $grouped behind them;
 *   $threads_num how many threads there are in a row. $waker, $wakers_grouped, $wakers_num: of
 *                those in the column `waker_utid`
 *   $slices      "" or " AND (name ...)", as the user chose slices
 *
 * A section without the place for a choice is not shown when the choice is made.
 *
 * Columns say by the end of their names what they hold, and lose that end in headings:
 *
 *   _ns     a duration          _ts    a point in time      _pct    percent
 *   _bytes  a size              _spark pairs "bucket:value" with commas between them, of
 *                               ORMA_REPORT_BUCKETS buckets: a line of little bars
 *
 * A column that begins with `_` is for programs only: JSON and CSV have it, without the `_`. One
 * whose name begins with `unknown` has what is missing beside the numbers of its row, and is shown
 * if there is any.
 */
#ifndef ORMA_TOOLS_REPORT_SECTIONS_H
#define ORMA_TOOLS_REPORT_SECTIONS_H
#include <stdbool.h>

#include "protos/reflect/embedded.h"

#define ORMA_REPORT_BUCKETS 24 /* the files have it as a number */

/* What the numbers of a section depend on: losses there are named beside it. */
enum orma_report_basis {
    ORMA_REPORT_OF_KERNEL = 1 << 0, /* events of the kernel */
    ORMA_REPORT_OF_SCHED = 1 << 1,  /* a complete record of switches */
};

struct orma_report_section {
    const char *name;     /* one word */
    const char *question; /* a sentence */
    const char *has;      /* SQL: has it data at all? A row says so */
    const char *file;     /* its SQL is in sections/FILE.sql; NULL: in that of its name */
    const char *lacks;    /* what there is none of: "block requests" */
    const char *words;    /* what `orma record` needs to record it; NULL: `orma profile` does */
    unsigned basis;       /* enum orma_report_basis */
    const char *nothing;  /* what it means that there are no rows; NULL: that nothing matches */
};

#define ORMA_REPORT_HAS_CALLS                                                                      \
    "SELECT 1 FROM slice WHERE name GLOB 'sys_*' AND category IS NULL OR category = 'strace' "     \
    "LIMIT 1"

extern const struct orma_report_section orma_report_sections[]; /* ended by a NULL name */
extern const struct orma_embedded orma_report_files;            /* sections/FILE.sql */

/* In a table that a NULL name ends. NULL: there is none of this name. */
const struct orma_report_section *orma_report_section_find(const struct orma_report_section *table,
                                                           const char *name);
#endif
