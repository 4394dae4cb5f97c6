#include "tools/report/result.h"

#include <errno.h>
#include <stdio.h>

static const struct {
    const char *end, *name;
    enum orma_report_unit unit;
} units[] = {
    {"_ns", "ns", ORMA_REPORT_NS},
    {"_ts", "timestamp_ns", ORMA_REPORT_TS},
    {"_pct", "percent", ORMA_REPORT_PERCENT},
    {"_bytes", "bytes", ORMA_REPORT_BYTES},
    {"_spark", "series", ORMA_REPORT_SPARK},
};

const char *orma_report_unit_name(enum orma_report_unit unit)
{
    for (size_t i = 0; i < ORMA_ARRAY_LEN(units); i++) {
        if (units[i].unit == unit)
            return units[i].name;
    }
    return NULL;
}

static struct orma_report_column column_of(const char *name)
{
    struct orma_report_column ret = {.for_programs = *name == '_'};
    size_t len;

    snprintf(ret.name, sizeof(ret.name), "%s", name + ret.for_programs);
    snprintf(ret.title, sizeof(ret.title), "%s", ret.name);
    len = strlen(ret.title);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(units); i++) {
        size_t end = strlen(units[i].end);

        if (len > end && !strcmp(ret.title + len - end, units[i].end)) {
            ret.unit = units[i].unit;
            ret.title[len - end] = '\0';
            break;
        }
    }
    for (char *p = ret.title; *p; p++)
        *p = *p == '_' ? ' ' : *p;
    if (ret.unit == ORMA_REPORT_TS) /* from the begin of the trace */
        snprintf(ret.title + strlen(ret.title), sizeof(ret.title) - strlen(ret.title), " (s)");
    return ret;
}

static int read_cell(struct orma_query *q, unsigned col, struct orma_report_result *ret)
{
    struct orma_report_cell cell = {.type = orma_query_type(q, col)};

    if (cell.type == ORMA_VALUE_INT64)
        cell.num = orma_query_int64(q, col);
    else if (cell.type == ORMA_VALUE_DOUBLE)
        cell.real = orma_query_double(q, col);
    else if (cell.type == ORMA_VALUE_TEXT)
        cell.text = strdup(orma_query_text(q, col));
    if (cell.type == ORMA_VALUE_TEXT && !cell.text)
        return -ENOMEM;
    return ORMA_VEC_PUSH(&ret->cells, cell) ? -ENOMEM : 0;
}

static int read_rows(struct orma_query *q, size_t max, struct orma_report_result *ret)
{
    unsigned columns = orma_query_columns(q);
    int r;

    for (unsigned i = 0; i < columns; i++) {
        if (ORMA_VEC_PUSH(&ret->columns, column_of(orma_query_column_name(q, i))))
            return -ENOMEM;
    }
    while ((r = orma_query_step(q)) == 1) {
        if (ret->rows == max) {
            ret->more = true;
            return 0;
        }
        for (unsigned i = 0; i < columns; i++) {
            if (read_cell(q, i, ret))
                return -ENOMEM;
        }
        ret->rows++;
    }
    return r;
}

int orma_report_result_read(struct orma_processor *tp, const char *sql, size_t max,
                            struct orma_report_result *ret)
{
    struct orma_script_run *run;
    struct orma_query *q;
    int r = orma_script_open(tp, sql, SIZE_MAX, "section", &run);

    *ret = (struct orma_report_result){0};
    if (r < 0)
        return r;
    while (r >= 0 && (r = orma_script_step(run, &q)) == 1) {
        if (orma_query_has_columns(q) && orma_query_has_output(q))
            r = read_rows(q, max, ret);
        orma_query_free(q);
    }
    orma_script_close(run);
    return r < 0 ? r : 0;
}

void orma_report_result_fini(struct orma_report_result *self)
{
    for (uint32_t i = 0; i < self->cells.len; i++)
        free(self->cells.data[i].text);
    ORMA_VEC_FINI(&self->columns);
    ORMA_VEC_FINI(&self->cells);
}
