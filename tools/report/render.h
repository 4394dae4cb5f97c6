/*
 * Sections as text for people, as JSON and as CSV for programs.
 *
 * Text fits the terminal, or 80 columns: texts are cut, the widest first. Times count from the
 * begin of the trace. JSON and CSV have all columns, durations and times as numbers of ns.
 */
#ifndef ORMA_TOOLS_REPORT_RENDER_H
#define ORMA_TOOLS_REPORT_RENDER_H
#include <stdio.h>

#include "tools/report/result.h"

struct orma_report_frame {
    int64_t start_ts; /* of the trace */
    unsigned width;   /* columns of text */
    bool unicode;     /* bars and ellipsis, else ASCII */
    FILE *out;
};

void orma_report_render_text(const struct orma_report_frame *frame,
                             const struct orma_report_result *result);
/* As a table of Markdown, with what people see. */
void orma_report_render_markdown(const struct orma_report_frame *frame,
                                 const struct orma_report_result *result);
/* The rows: an array of objects. */
void orma_report_render_json(const struct orma_report_frame *frame,
                             const struct orma_report_result *result);
/* The columns: an array of objects with name and unit. */
void orma_report_render_json_columns(const struct orma_report_frame *frame,
                                     const struct orma_report_result *result);
void orma_report_render_csv(const struct orma_report_frame *frame,
                            const struct orma_report_result *result);
#endif
