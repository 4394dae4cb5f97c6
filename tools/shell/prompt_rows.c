/*
 * Rows in columns as wide as what is in them: the first rows are kept until all widths are known,
 * those behind ROWS_KEPT are fitted to them.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "processor/export/csv.h"
#include "sdk/base/vec.h"
#include "tools/base/cell.h"
#include "tools/shell/prompt_impl.h"

#define ROWS_KEPT 1000
#define BOLD "\033[1m"
#define PLAIN "\033[0m"

static const char *const modes[] = {
    [ORMA_SHELL_MODE_TABLE] = "table", [ORMA_SHELL_MODE_BOX] = "box",
    [ORMA_SHELL_MODE_LINE] = "line",   [ORMA_SHELL_MODE_CSV] = "csv",
    [ORMA_SHELL_MODE_JSON] = "json",   [ORMA_SHELL_MODE_MARKDOWN] = "markdown",
};

const char *orma_shell_mode_name(unsigned n)
{
    return n < ORMA_ARRAY_LEN(modes) ? modes[n] : NULL;
}

bool orma_shell_mode_find(const char *name, enum orma_shell_mode *ret)
{
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(modes); i++) {
        if (!strcmp(modes[i], name)) {
            *ret = (enum orma_shell_mode)i;
            return true;
        }
    }
    return false;
}

static void put_value(const struct orma_query *q, unsigned col, struct orma_buf *out)
{
    switch (orma_query_type(q, col)) {
    case ORMA_VALUE_NULL:
        orma_buf_put_str(out, "NULL");
        break;
    case ORMA_VALUE_INT64:
        orma_buf_printf(out, "%" PRId64, orma_query_int64(q, col));
        break;
    case ORMA_VALUE_DOUBLE:
        orma_buf_printf(out, "%.12g", orma_query_double(q, col));
        break;
    case ORMA_VALUE_TEXT:
        orma_buf_put_str(out, orma_query_text(q, col));
        break;
    case ORMA_VALUE_BLOB:
        orma_buf_printf(out, orma_query_bytes(q, col) == 1 ? "<%zu byte>" : "<%zu bytes>",
                        orma_query_bytes(q, col));
        break;
    }
}

/* ---- name = value ---- */

static unsigned names_width(const struct orma_query *q)
{
    unsigned ret = 0;

    for (unsigned i = 0; i < orma_query_columns(q); i++)
        ret = ORMA_MAX(ret, orma_cell_width(orma_str_from(orma_query_column_name(q, i))));
    return ret;
}

/* Lines of the text stay lines, one below the other. */
static void print_pair(const struct orma_shell_prompt_state *p, unsigned width, const char *name,
                       struct orma_str text, FILE *out)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf shown = {0};
    struct orma_str line = {0};

    orma_buf_printf(&shown, "%*s", (int)(width - orma_cell_width(orma_str_from(name))), "");
    orma_cell_put(&shown, orma_str_from(name), width);
    orma_buf_put_str(&shown, " = ");
    do {
        (void)orma_str_cut(&text, '\n', &line); /* the last one has no end */
        orma_cell_put(&shown, line, p->width ? p->width : 1000000);
        fprintf(out, "%s\n", orma_buf_cstr(&shown));
        orma_buf_clear(&shown);
        orma_buf_printf(&shown, "%*s", (int)width + 3, "");
    } while (text.len);
}

static int print_lines(const struct orma_shell_prompt_state *p, struct orma_query *q, FILE *out)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf cell = {0};
    unsigned columns = orma_query_columns(q), width = names_width(q);
    int r;

    for (bool first = true; (r = orma_query_step(q)) == 1; first = false) {
        fputs(first ? "" : "\n", out);
        for (unsigned i = 0; i < columns; i++) {
            orma_buf_clear(&cell);
            put_value(q, i, &cell);
            print_pair(p, width, orma_query_column_name(q, i), orma_buf_str(&cell), out);
        }
        if (ferror(out))
            return -EIO;
    }
    return r;
}

/* ---- columns ---- */

/* How a form draws: what begins, parts and ends a row, and the rules between rows. */
struct frame {
    const char *left, *middle, *right;
    const char *rule[3][4]; /* top, below the heading, bottom: left, line, crossing, right */
};

static const struct frame plain_frame = {
    "",
    "  ",
    "",
    {{NULL}, {"", "-", "  ", ""}, {NULL}},
};
static const struct frame markdown_frame = {
    "| ",
    " | ",
    " |",
    {{NULL}, {"|-", "-", "-|-", "-|"}, {NULL}},
};
static const struct frame box_frame = {
    "│ ",
    " │ ",
    " │",
    {{"┌─", "─", "─┬─", "─┐"}, {"├─", "─", "─┼─", "─┤"}, {"└─", "─", "─┴─", "─┘"}},
};
static const struct frame ascii_frame = {
    "| ",
    " | ",
    " |",
    {{"+-", "-", "-+-", "-+"}, {"+-", "-", "-+-", "-+"}, {"+-", "-", "-+-", "-+"}},
};

struct lane {
    unsigned width;
    bool right; /* numbers */
};

struct sheet {
    const struct orma_shell_prompt_state *p;
    const struct frame *frame;
    struct orma_buf text;   /* cells, each with its terminator */
    ORMA_VEC(size_t) cells; /* where they begin */
    ORMA_VEC(struct lane) lanes;
    bool failed, fixed; /* fixed: the widths are */
    FILE *out;
};

static void print_rule(const struct sheet *s, const char *const *rule)
{
    if (!rule[1])
        return;
    fputs(rule[0], s->out);
    for (uint32_t i = 0; i < s->lanes.len; i++) {
        fputs(i ? rule[2] : "", s->out);
        for (unsigned n = 0; n < s->lanes.data[i].width; n++)
            fputs(rule[1], s->out);
    }
    fprintf(s->out, "%s\n", rule[3]);
}

static void print_cell(const struct sheet *s, uint32_t col, struct orma_str text, bool heading)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf shown = {0};
    const struct lane *lane = &s->lanes.data[col];
    unsigned width = orma_cell_width(text);
    int pad = (int)(lane->width - ORMA_MIN(width, lane->width));
    bool bold = heading && s->p->colour;
    bool last = col + 1 == s->lanes.len && !*s->frame->right;

    orma_cell_put(&shown, text, lane->width);
    if (lane->right)
        fprintf(s->out, "%*s", pad, "");
    fprintf(s->out, "%s%s%s", bold ? BOLD : "", orma_buf_cstr(&shown), bold ? PLAIN : "");
    if (!lane->right && !last)
        fprintf(s->out, "%*s", pad, "");
}

static void print_row(const struct sheet *s, const size_t *cells, struct orma_query *names)
{
    fputs(s->frame->left, s->out);
    for (uint32_t i = 0; i < s->lanes.len; i++) {
        const char *text =
            names ? orma_query_column_name(names, i) : (const char *)s->text.data + cells[i];

        fputs(i ? s->frame->middle : "", s->out);
        print_cell(s, i, orma_str_from(text), names != NULL);
    }
    fprintf(s->out, "%s\n", s->frame->right);
}

static void flush(struct sheet *s, struct orma_query *q)
{
    if (!s->fixed) {
        print_rule(s, s->frame->rule[0]);
        print_row(s, NULL, q);
        print_rule(s, s->frame->rule[1]);
    }
    s->fixed = true;
    for (uint32_t i = 0; i + s->lanes.len <= s->cells.len; i += s->lanes.len)
        print_row(s, &s->cells.data[i], NULL);
    s->cells.len = 0;
    orma_buf_clear(&s->text);
}

/* Would lines be broken by the terminal, of a result that it could show at once? What is longer
 * goes to the pager, where one moves to the right. */
static bool is_broken(const struct sheet *s)
{
    unsigned gap = orma_cell_width(orma_str_from(s->frame->middle)), rows, columns;
    unsigned width = 2 * orma_cell_width(orma_str_from(s->frame->left));

    if (s->fixed || s->p->expand != ORMA_SHELL_EXPAND_AUTO || s->frame == &markdown_frame ||
        !orma_cell_screen(stdout, &rows, &columns))
        return false;
    for (uint32_t i = 0; i < s->lanes.len; i++)
        width += s->lanes.data[i].width + (i ? gap : 0);
    return width > columns && s->cells.len / s->lanes.len + 4 < rows;
}

static void flush_lines(struct sheet *s, struct orma_query *q)
{
    unsigned width = names_width(q);

    for (uint32_t i = 0; i < s->cells.len; i++) {
        const char *text = (const char *)s->text.data + s->cells.data[i];
        unsigned col = i % s->lanes.len;

        fputs(i && !col ? "\n" : "", s->out);
        print_pair(s->p, width, orma_query_column_name(q, col), orma_str_from(text), s->out);
    }
}

static void widen(struct sheet *s, struct lane *lane, struct orma_str text)
{
    if (s->fixed)
        return;
    lane->width = ORMA_MAX(lane->width, orma_cell_width(text));
    if (s->p->width)
        lane->width = ORMA_MIN(lane->width, s->p->width);
}

static void add_cell(struct sheet *s, const struct orma_query *q, uint32_t col)
{
    enum orma_value_type type = orma_query_type(q, col);
    size_t at = s->text.len;

    put_value(q, col, &s->text);
    widen(s, &s->lanes.data[col],
          (struct orma_str){(const char *)s->text.data + at, s->text.len - at});
    orma_buf_put_byte(&s->text, '\0');
    s->failed |= s->text.failed || ORMA_VEC_PUSH(&s->cells, at);
    if (!s->fixed)
        s->lanes.data[col].right |= type == ORMA_VALUE_INT64 || type == ORMA_VALUE_DOUBLE;
}

static int print_columns(struct sheet *s, struct orma_query *q)
{
    int r;

    for (unsigned i = 0; i < orma_query_columns(q); i++) {
        struct lane lane = {0};

        widen(s, &lane, orma_str_from(orma_query_column_name(q, i)));
        if (ORMA_VEC_PUSH(&s->lanes, lane))
            return -ENOMEM;
    }
    while ((r = orma_query_step(q)) == 1) {
        for (uint32_t i = 0; i < s->lanes.len; i++)
            add_cell(s, q, i);
        if (s->failed)
            return -ENOMEM;
        if (s->cells.len / s->lanes.len >= ROWS_KEPT)
            flush(s, q);
        if (ferror(s->out))
            return -EIO;
    }
    if (r == 0 && s->cells.len && is_broken(s)) {
        flush_lines(s, q);
    } else if (r == 0) {
        flush(s, q);
        print_rule(s, s->frame->rule[2]);
    }
    return r;
}

int orma_shell_print_rows(const struct orma_shell_prompt_state *p, struct orma_query *q, FILE *out)
{
    struct sheet s = {.p = p, .frame = &plain_frame, .out = out};

    if (p->mode == ORMA_SHELL_MODE_CSV)
        return orma_print_rows(q, ORMA_PRINT_RFC4180, out);
    if (p->mode == ORMA_SHELL_MODE_JSON)
        return orma_print_rows(q, ORMA_PRINT_JSON, out);
    if (p->mode == ORMA_SHELL_MODE_LINE || p->expand == ORMA_SHELL_EXPAND_ON)
        return print_lines(p, q, out);
    if (p->mode == ORMA_SHELL_MODE_MARKDOWN)
        s.frame = &markdown_frame;
    else if (p->mode == ORMA_SHELL_MODE_BOX)
        s.frame = orma_cell_unicode() ? &box_frame : &ascii_frame;
    int r = print_columns(&s, q);
    orma_buf_fini(&s.text);
    ORMA_VEC_FINI(&s.cells);
    ORMA_VEC_FINI(&s.lanes);
    return r;
}
