/*
 * Text in two passes: all cells are formatted into one buffer, the widths of the columns are
 * found, and columns of text give way until the line fits; then the lines are printed.
 */
#include "tools/report/render.h"

#include <inttypes.h>
#include <math.h>

#include "processor/export/csv.h"
#include "tools/base/cell.h"
#include "tools/base/units.h"
#include "tools/report/sections.h"

#define GAP 2       /* blanks between columns */
#define GAP_SMALL 1 /* where names would be cut hard otherwise */
#define TEXT_GOOD 20
#define TEXT_BEST 32   /* pictures give way before columns of text get narrower */
#define SPARK_SMALL 12 /* then they have so many characters */
#define TEXT_MIN 8     /* columns of text do not get narrower */

/* ---- cells for people ---- */

static double number_of(const struct orma_report_cell *cell)
{
    return cell->type == ORMA_VALUE_INT64 ? (double)cell->num : cell->real;
}

/* The buckets of "0:3,2:4.5"; what has no value has that of the bucket before it, or NAN. */
static void read_spark(const char *text, double *ret)
{
    for (unsigned i = 0; i < ORMA_REPORT_BUCKETS; i++)
        ret[i] = NAN;
    while (text && *text) {
        char *end;
        long bucket = strtol(text, &end, 10);

        if (*end != ':')
            break;
        double val = strtod(end + 1, &end);
        bucket = bucket < 0 ? 0 : ORMA_MIN(bucket, ORMA_REPORT_BUCKETS - 1);
        ret[bucket] = val;
        text = *end == ',' ? end + 1 : "";
    }
    for (unsigned i = 1; i < ORMA_REPORT_BUCKETS; i++)
        ret[i] = isnan(ret[i]) ? ret[i - 1] : ret[i];
}

/* In `width` characters, each of which shows the last value of its part. */
static void put_spark(struct orma_buf *out, const char *text, unsigned width, bool unicode)
{
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
    double vals[ORMA_REPORT_BUCKETS], low = INFINITY, high = -INFINITY;

    read_spark(text, vals);
    for (unsigned i = 0; i < ORMA_REPORT_BUCKETS; i++) {
        low = fmin(low, vals[i]);
        high = fmax(high, vals[i]);
    }
    for (unsigned i = 1; i <= width; i++) {
        double val = vals[i * ORMA_REPORT_BUCKETS / width - 1];
        double part = high > low ? (val - low) / (high - low) : 0;
        size_t level = isnan(val) ? 0 : (size_t)(part * 7.0 + 0.5);

        orma_buf_put_str(out, isnan(val) ? " " : unicode ? bars[level] : plain[level]);
    }
}

static void put_number(struct orma_buf *out, const struct orma_report_cell *cell)
{
    double val = cell->real, size = fabs(val);

    if (cell->type == ORMA_VALUE_INT64)
        orma_buf_printf(out, "%" PRId64, cell->num);
    else if (!isfinite(val))
        orma_buf_printf(out, "%g", val);
    else if (val == floor(val) && size < 1e12)
        orma_buf_printf(out, "%.0f", val);
    else
        orma_buf_printf(out, size >= 1000 && size < 1e12 ? "%.0f" : "%.4g", val);
}

static void put_value(const struct orma_report_frame *frame, struct orma_buf *out,
                      enum orma_report_unit unit, const struct orma_report_cell *cell)
{
    double val = number_of(cell);
    char text[ORMA_UNITS_TEXT_MAX];

    if (unit == ORMA_REPORT_NS)
        orma_buf_printf(out, "%s%s", val < 0 ? "-" : "",
                        orma_units_format_duration((uint64_t)fabs(val), text));
    else if (unit == ORMA_REPORT_TS)
        orma_buf_printf(out, "%.6f", ((double)(cell->num - frame->start_ts)) / 1e9);
    else if (unit == ORMA_REPORT_PERCENT)
        orma_buf_printf(out, "%.1f%%", val);
    else if (unit == ORMA_REPORT_BYTES)
        orma_buf_printf(out, "%s%s", val < 0 ? "-" : "",
                        orma_units_format_size((uint64_t)fabs(val), text));
    else
        put_number(out, cell);
}

static void put_cell(const struct orma_report_frame *frame, struct orma_buf *out,
                     enum orma_report_unit unit, const struct orma_report_cell *cell,
                     unsigned spark)
{
    switch (cell->type) {
    case ORMA_VALUE_NULL:
        orma_buf_put_str(out, "-");
        break;
    case ORMA_VALUE_INT64:
    case ORMA_VALUE_DOUBLE:
        put_value(frame, out, unit, cell);
        break;
    case ORMA_VALUE_TEXT:
        if (unit == ORMA_REPORT_SPARK)
            put_spark(out, cell->text, spark, frame->unicode);
        else
            orma_buf_put_str(out, cell->text);
        break;
    case ORMA_VALUE_BLOB:
        orma_buf_put_str(out, "(bytes)");
        break;
    }
}

/* ---- the table ---- */

struct lane {
    uint32_t col;
    unsigned width;
    bool right; /* numbers */
};

struct sheet {
    const struct orma_report_frame *frame;
    const struct orma_report_result *result;
    struct orma_buf text; /* of the cell that is printed */
    unsigned gap, spark;  /* spark: characters of a picture */
    ORMA_VEC(struct lane) lanes;
};

/* Columns that are empty are left out, and `unknown...` where nothing is. */
static bool is_shown(const struct orma_report_result *result, uint32_t col)
{
    const struct orma_report_column *c = &result->columns.data[col];
    bool unknown = !strncmp(c->name, "unknown", strlen("unknown"));

    for (size_t row = 0; row < result->rows && !c->for_programs; row++) {
        const struct orma_report_cell *cell = orma_report_result_cell(result, row, col);

        if (unknown ? number_of(cell) > 0 : cell->type != ORMA_VALUE_NULL)
            return true;
    }
    return false;
}

static struct orma_str cell_text(struct sheet *sheet, size_t row, uint32_t col)
{
    orma_buf_clear(&sheet->text);
    put_cell(sheet->frame, &sheet->text, sheet->result->columns.data[col].unit,
             orma_report_result_cell(sheet->result, row, col), sheet->spark);
    return orma_buf_str(&sheet->text);
}

static void add_lane(struct sheet *sheet, uint32_t col)
{
    const struct orma_report_result *result = sheet->result;
    struct lane lane = {.col = col};

    bool texts = false;

    lane.width = orma_cell_width(orma_str_from(result->columns.data[col].title));
    for (size_t row = 0; row < result->rows; row++) {
        enum orma_value_type type = orma_report_result_cell(result, row, col)->type;

        lane.width = ORMA_MAX(lane.width, orma_cell_width(cell_text(sheet, row, col)));
        lane.right |= type == ORMA_VALUE_INT64 || type == ORMA_VALUE_DOUBLE;
        texts |= type == ORMA_VALUE_TEXT;
    }
    lane.right &= !texts;
    (void)ORMA_VEC_PUSH(&sheet->lanes, lane); /* out of memory: a column less */
}

static bool can_shrink(const struct sheet *sheet, const struct lane *lane)
{
    return !lane->right && lane->width > TEXT_MIN &&
           sheet->result->columns.data[lane->col].unit != ORMA_REPORT_SPARK;
}

static bool is_too_wide(const struct sheet *sheet)
{
    unsigned sum = 0;

    for (uint32_t i = 0; i < sheet->lanes.len; i++)
        sum += sheet->lanes.data[i].width + (i ? sheet->gap : 0);
    return sum > sheet->frame->width;
}

/* The column that gives way next, if the line is too long. */
static struct lane *too_wide(struct sheet *sheet)
{
    struct lane *widest = NULL;

    for (uint32_t i = 0; i < sheet->lanes.len; i++) {
        struct lane *l = &sheet->lanes.data[i];

        if (can_shrink(sheet, l) && (!widest || l->width > widest->width))
            widest = l;
    }
    return is_too_wide(sheet) ? widest : NULL;
}

static void shrink_texts(struct sheet *sheet, unsigned width)
{
    struct lane *lane;

    while ((lane = too_wide(sheet)) && lane->width > width)
        lane->width--;
}

static void shrink_pictures(struct sheet *sheet)
{
    sheet->spark = SPARK_SMALL;
    for (uint32_t i = 0; i < sheet->lanes.len; i++) {
        struct lane *l = &sheet->lanes.data[i];

        if (sheet->result->columns.data[l->col].unit == ORMA_REPORT_SPARK)
            l->width = ORMA_MIN(l->width, SPARK_SMALL);
    }
}

/* The widest column of text gives way, until the line fits. */
static void fit(struct sheet *sheet)
{
    sheet->gap = GAP;
    shrink_texts(sheet, TEXT_BEST);
    if (!is_too_wide(sheet))
        return;
    shrink_pictures(sheet);
    shrink_texts(sheet, TEXT_GOOD);
    if (!is_too_wide(sheet))
        return;
    sheet->gap = GAP_SMALL;
    shrink_texts(sheet, TEXT_MIN);
}

/* Where the number after a name begins, as the tid of a thread; the end of the text: nowhere. */
static size_t number_at_end(struct orma_str text)
{
    size_t at = text.len;

    while (at && text.data[at - 1] >= '0' && text.data[at - 1] <= '9')
        at--;
    return at && at < text.len && text.data[at - 1] == ' ' ? at - 1 : text.len;
}

/* What does not fit is cut, but not the number at its end: names are alike, numbers are not. */
static void put_cut(struct orma_buf *line, struct orma_str text, unsigned width)
{
    size_t at = number_at_end(text), number = text.len - at;

    if (orma_cell_width(text) > width && number && number + 2 <= width) {
        orma_cell_put(line, (struct orma_str){text.data, at}, width - (unsigned)number);
        orma_buf_put(line, text.data + at, number);
    } else {
        orma_cell_put(line, text, width);
    }
}

static void put_padded(struct orma_buf *line, struct orma_str text, const struct lane *lane,
                       bool last)
{
    unsigned width = orma_cell_width(text);
    int pad = (int)(lane->width - ORMA_MIN(width, lane->width));

    if (lane->right)
        orma_buf_printf(line, "%*s", pad, "");
    put_cut(line, text, lane->width);
    if (!lane->right && !last)
        orma_buf_printf(line, "%*s", pad, "");
}

static void print_line(struct sheet *sheet, size_t row, bool heading)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf line = {0};

    for (uint32_t i = 0; i < sheet->lanes.len; i++) {
        const struct lane *lane = &sheet->lanes.data[i];
        struct orma_str text = heading ? orma_str_from(sheet->result->columns.data[lane->col].title)
                                       : cell_text(sheet, row, lane->col);

        orma_buf_printf(&line, "%*s", i ? (int)sheet->gap : 0, "");
        put_padded(&line, text, lane, i + 1 == sheet->lanes.len);
    }
    fprintf(sheet->frame->out, "%s\n", orma_buf_cstr(&line));
}

/* A terminal too narrow for the table: a line for each column. */
static void print_apart(struct sheet *sheet)
{
    unsigned titles = 0;

    for (uint32_t i = 0; i < sheet->lanes.len; i++) {
        const char *title = sheet->result->columns.data[sheet->lanes.data[i].col].title;

        titles = ORMA_MAX(titles, orma_cell_width(orma_str_from(title)) + GAP);
    }
    for (size_t row = 0; row < sheet->result->rows; row++) {
        fputs(row ? "\n" : "", sheet->frame->out);
        for (uint32_t i = 0; i < sheet->lanes.len; i++) {
            ORMA_AUTO(orma_buf_fini) struct orma_buf line = {0};
            const struct lane *lane = &sheet->lanes.data[i];

            orma_buf_printf(&line, "%-*s", (int)titles,
                            sheet->result->columns.data[lane->col].title);
            put_cut(&line, cell_text(sheet, row, lane->col), sheet->frame->width - titles);
            fprintf(sheet->frame->out, "%s\n", orma_buf_cstr(&line));
        }
    }
}

void orma_report_render_text(const struct orma_report_frame *frame,
                             const struct orma_report_result *result)
{
    struct sheet sheet = {.frame = frame, .result = result, .spark = ORMA_REPORT_BUCKETS};

    for (uint32_t col = 0; col < result->columns.len; col++) {
        if (is_shown(result, col))
            add_lane(&sheet, col);
    }
    fit(&sheet);
    if (is_too_wide(&sheet))
        print_apart(&sheet);
    else
        print_line(&sheet, 0, true);
    for (size_t row = 0; row < result->rows && !is_too_wide(&sheet); row++)
        print_line(&sheet, row, false);
    ORMA_VEC_FINI(&sheet.lanes);
    orma_buf_fini(&sheet.text);
}

/* A cell in which the signs of a table mean nothing. */
static void put_markdown(FILE *out, struct orma_str text)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf clean = {0};

    orma_cell_put(&clean, text, orma_cell_width(text));
    for (const char *p = orma_buf_cstr(&clean); *p; p++)
        fprintf(out, strchr("|\\`*_<", *p) ? "\\%c" : "%c", *p);
}

void orma_report_render_markdown(const struct orma_report_frame *frame,
                                 const struct orma_report_result *result)
{
    struct sheet sheet = {.frame = frame, .result = result, .spark = ORMA_REPORT_BUCKETS};

    for (uint32_t col = 0; col < result->columns.len; col++) {
        if (is_shown(result, col))
            add_lane(&sheet, col);
    }
    for (uint32_t i = 0; i < sheet.lanes.len; i++)
        fprintf(frame->out, "| %s ", result->columns.data[sheet.lanes.data[i].col].title);
    fputs("|\n", frame->out);
    for (uint32_t i = 0; i < sheet.lanes.len; i++)
        fputs(sheet.lanes.data[i].right ? "| ---: " : "| --- ", frame->out);
    fputs("|\n", frame->out);
    for (size_t row = 0; row < result->rows; row++) {
        for (uint32_t i = 0; i < sheet.lanes.len; i++) {
            fputs("| ", frame->out);
            put_markdown(frame->out, cell_text(&sheet, row, sheet.lanes.data[i].col));
            fputc(' ', frame->out);
        }
        fputs("|\n", frame->out);
    }
    ORMA_VEC_FINI(&sheet.lanes);
    orma_buf_fini(&sheet.text);
}

/* ---- for programs ---- */

static void put_json_spark(const char *text, FILE *out)
{
    double vals[ORMA_REPORT_BUCKETS];

    read_spark(text, vals);
    for (unsigned i = 0; i < ORMA_REPORT_BUCKETS; i++) {
        fputs(i ? ", " : "[", out);
        if (isfinite(vals[i]))
            fprintf(out, "%.17g", vals[i]);
        else
            fputs("null", out);
    }
    fputc(']', out);
}

static void put_json(const struct orma_report_cell *cell, enum orma_report_unit unit, FILE *out)
{
    if (cell->type == ORMA_VALUE_INT64)
        fprintf(out, "%" PRId64, cell->num);
    else if (cell->type == ORMA_VALUE_DOUBLE && isfinite(cell->real))
        fprintf(out, "%.17g", cell->real);
    else if (cell->type == ORMA_VALUE_TEXT && unit == ORMA_REPORT_SPARK)
        put_json_spark(cell->text, out);
    else if (cell->type == ORMA_VALUE_TEXT)
        orma_print_json_text(cell->text, out);
    else
        fputs("null", out);
}

void orma_report_render_json(const struct orma_report_frame *frame,
                             const struct orma_report_result *result)
{
    FILE *out = frame->out;

    fputc('[', out);
    for (size_t row = 0; row < result->rows; row++) {
        fputs(row ? ",\n      {" : "\n      {", out);
        for (uint32_t col = 0; col < result->columns.len; col++) {
            const struct orma_report_column *c = &result->columns.data[col];

            fputs(col ? ", " : "", out);
            orma_print_json_text(c->name, out);
            fputs(": ", out);
            put_json(orma_report_result_cell(result, row, col), c->unit, out);
        }
        fputc('}', out);
    }
    fputc(']', out);
}

void orma_report_render_json_columns(const struct orma_report_frame *frame,
                                     const struct orma_report_result *result)
{
    FILE *out = frame->out;

    fputc('[', out);
    for (uint32_t col = 0; col < result->columns.len; col++) {
        const char *unit = orma_report_unit_name(result->columns.data[col].unit);

        fputs(col ? ", {\"name\": " : "{\"name\": ", out);
        orma_print_json_text(result->columns.data[col].name, out);
        if (unit)
            fprintf(out, ", \"unit\": \"%s\"", unit);
        fputc('}', out);
    }
    fputc(']', out);
}

static void put_csv(const struct orma_report_cell *cell, FILE *out)
{
    if (cell->type == ORMA_VALUE_INT64)
        fprintf(out, "%" PRId64, cell->num);
    else if (cell->type == ORMA_VALUE_DOUBLE)
        fprintf(out, "%.17g", cell->real);
    else if (cell->type == ORMA_VALUE_TEXT)
        orma_print_rfc4180_text(cell->text, out);
}

void orma_report_render_csv(const struct orma_report_frame *frame,
                            const struct orma_report_result *result)
{
    for (uint32_t col = 0; col < result->columns.len; col++) {
        fputs(col ? "," : "", frame->out);
        orma_print_rfc4180_text(result->columns.data[col].name, frame->out);
    }
    fputs("\r\n", frame->out);
    for (size_t row = 0; row < result->rows; row++) {
        for (uint32_t col = 0; col < result->columns.len; col++) {
            fputs(col ? "," : "", frame->out);
            put_csv(orma_report_result_cell(result, row, col), frame->out);
        }
        fputs("\r\n", frame->out);
    }
}
