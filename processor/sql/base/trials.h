/*
 * What the SQLite that we run on does otherwise than newer ones (docs/sql-speed.md).
 *
 * Each is tried out, not taken from a version, when it is first asked for: most statements have
 * nothing to do with any of them. What is found holds for the process. Where memory is out it is
 * taken for so, since what is done about it is right in any case, and tried again the next time.
 * Threads: any.
 */
#ifndef ORMA_PROCESSOR_SQL_BASE_TRIALS_H
#define ORMA_PROCESSOR_SQL_BASE_TRIALS_H
#include <stdbool.h>

enum orma_sql_trial {
    ORMA_TRIAL_CONVERTS_PARTS,   /* of compound queries */
    ORMA_TRIAL_FENCES_CTES,      /* that are used twice */
    ORMA_TRIAL_MIXES_JOINS,      /* a RIGHT or FULL JOIN with what is around it */
    ORMA_TRIAL_DROPS_COLLATIONS, /* in comparisons that follow from others */
    ORMA_TRIAL_SPREADS_TERMS,    /* of ON: base/aux_terms.h */
    ORMA_TRIALS_NUM,
};

bool orma_sql_trial(enum orma_sql_trial trial);
#endif
