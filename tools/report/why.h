/*
 * `orma why`: sections about where the time of slices, threads or processes went.
 */
#ifndef ORMA_TOOLS_REPORT_WHY_H
#define ORMA_TOOLS_REPORT_WHY_H
#include "tools/report/sections.h"

#define ORMA_REPORT_WHY_OF "say what to explain: --slice, --thread, --process or --tree"

extern const struct orma_report_section orma_report_why_sections[]; /* ended by a NULL name */

/* What makes the tables that these sections read, with the same places as theirs: of the slices
 * that were chosen, or of the threads. */
extern const char *const orma_report_why_of_slices[];
extern const char *const orma_report_why_of_threads[];
#endif
