/*
 * Limits of `orma diff` ("+5%:slice=request") and `orma profile diff` ("+10%:parse_*"): read from
 * the command line, and held against what was compared. They know nothing of how.
 */
#ifndef ORMA_TOOLS_REPORT_LIMITS_H
#define ORMA_TOOLS_REPORT_LIMITS_H
#include <stdbool.h>
#include <stddef.h>

#include "sdk/base/buf.h"

/* What must not happen. */
struct orma_report_limit {
    double part;      /* 0.05; negative: a gain is what must not happen */
    const char *kind; /* one of the kinds, or NULL: any */
    const char *name; /* pattern */
    const char *text; /* as it was written */
};

/* What there is to compare: "slice", in the section "slices". */
struct orma_report_limit_kind {
    const char *kind, *section;
    const char *whole; /* kind of the same by whole run, where this one is per second; or NULL */
};

/* Borrows the text. `kinds` end with NULL; `example` is what messages show, in quotes. False: it is
 * none, and `why` says why. */
bool orma_report_limit_parse(const char *text, const struct orma_report_limit_kind *kinds,
                             const char *example, struct orma_report_limit *ret,
                             struct orma_buf *why);

/* Something of that name that is in one of the traces, or in both. */
struct orma_report_limit_item {
    const char *kind, *name;
    bool in[2];         /* BEFORE, AFTER */
    bool tested;        /* noise can be told of it */
    bool listed;        /* it changed by more than noise explains */
    double part;        /* ... by so much; INFINITY: it is new */
    const char *metric; /* ... in this number */
};

struct orma_report_limits {
    const char *program;
    const char *traces[2];
    const struct orma_report_limit_kind *kinds;
    bool (*is_compared)(const void *ctx, const char *section);
    const void *ctx;
    const struct orma_report_limit_item *items;
    size_t num;
};

/* How often it was passed; messages are printed. What nothing can be held against counts as once:
 * what it is about is in one of the traces only, or in none. */
unsigned orma_report_limit_check(const struct orma_report_limits *self,
                                 const struct orma_report_limit *limit);
#endif
