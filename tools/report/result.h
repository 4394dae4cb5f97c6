/*
 * The rows of a section, and what its columns hold (sections.h has the rule of names).
 */
#ifndef ORMA_TOOLS_REPORT_RESULT_H
#define ORMA_TOOLS_REPORT_RESULT_H
#include "processor/processor.h"
#include "sdk/base/vec.h"

enum orma_report_unit {
    ORMA_REPORT_PLAIN,
    ORMA_REPORT_NS,
    ORMA_REPORT_TS,
    ORMA_REPORT_PERCENT,
    ORMA_REPORT_BYTES,
    ORMA_REPORT_SPARK,
};

struct orma_report_column {
    char name[48];  /* without the `_` of those for programs */
    char title[48]; /* for people: without the unit, blanks for `_` */
    enum orma_report_unit unit;
    bool for_programs;
};

struct orma_report_cell {
    enum orma_value_type type;
    int64_t num;
    double real;
    char *text; /* of texts only */
};

struct orma_report_result {
    ORMA_VEC(struct orma_report_column) columns;
    ORMA_VEC(struct orma_report_cell) cells; /* row by row */
    size_t rows;
    bool more; /* there are rows beyond those that were wanted */
};

/*
 * Runs the script and keeps at most `max` rows of its last SELECT. 0; -EINVAL with the error in the
 * processor; -ENOMEM.
 */
int orma_report_result_read(struct orma_processor *tp, const char *sql, size_t max,
                            struct orma_report_result *ret);
void orma_report_result_fini(struct orma_report_result *self);

/* "ns", "timestamp_ns", ...: NULL if it has none. */
const char *orma_report_unit_name(enum orma_report_unit unit);

static inline const struct orma_report_cell *
orma_report_result_cell(const struct orma_report_result *self, size_t row, uint32_t col)
{
    return &self->cells.data[row * self->columns.len + col];
}
#endif
