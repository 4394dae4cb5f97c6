/*
 * Stacks as text for a terminal: the hottest functions, trees of calls from both ends, sums,
 * differences. Where the output is no terminal, names are whole and nothing is cut.
 */
#ifndef ORMA_TOOLS_PROFILE_TEXT_H
#define ORMA_TOOLS_PROFILE_TEXT_H
#include <stdio.h>

#include "processor/stacks/stacks.h"

struct orma_profile_report_style {
    FILE *out;
    size_t top; /* rows; 0: all */
    double min; /* in trees: less than that share (0.005: half a percent) is folded */
    bool ascii; /* no lines and bars of other characters */
    bool by_total; /* functions with all that they call first, instead of alone */
    unsigned width;
};

/* For a stream: its width, what it can show. */
struct orma_profile_report_style orma_profile_report_style(FILE *out);

/* What was sampled, and what was not, in numbers. cpu_ns: what the command used; 0: not known.
 * losses: of the recording, as orma_load_put_losses() says it; NULL: it was said already. */
void orma_profile_report_head(const struct orma_profile_report_style *style,
                              const struct orma_stacks *stacks, uint64_t cpu_ns,
                              const char *losses);

void orma_profile_report_top(const struct orma_profile_report_style *style,
                             const struct orma_stacks *stacks);
void orma_profile_report_tree(const struct orma_profile_report_style *style,
                              const struct orma_stacks *stacks);
/* function ORMA_STACKS_NONE: bottom-up, from where samples ended. */
void orma_profile_report_callers(const struct orma_profile_report_style *style,
                                 const struct orma_stacks *stacks, uint32_t function);
void orma_profile_report_sums(const struct orma_profile_report_style *style,
                              const struct orma_stacks *stacks, enum orma_stacks_by by);
/* What orma_stacks_diff() made of both. */
void orma_profile_report_diff(const struct orma_profile_report_style *style,
                              const struct orma_stacks *before, const struct orma_stacks *after,
                              const struct orma_stacks_change *changes, size_t num);
#endif
