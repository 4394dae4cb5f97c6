/*
 * CSV is written cell by cell as rows come. The table form reads up to ROWS_KEPT rows first to find
 * how wide each column must be; later rows are fitted to that, so memory stays small and output
 * begins before the query ends.
 */
#include "processor/export/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdk/base/buf.h"
#include "sdk/base/defs.h"
#include "sdk/base/shown.h"
#include "sdk/base/utf8.h"
#include "sdk/base/vec.h"

/* A column of the table form is never wider than this. */
#define CELL_WIDTH_MAX 60u
/* Rows that are kept to find the widths; later ones are fitted to them. */
#define ROWS_KEPT 1000

/* ---- CSV ---- */

static struct orma_str text_of(struct orma_query *q, unsigned col)
{
    const char *text = orma_query_text(q, col);

    return (struct orma_str){text, orma_query_bytes(q, col)};
}

/* Numbers past 1e247 are cut off at this length, as by the program whose output this is. */
#define NUMBER_MAX 256

static void csv_cell(struct orma_query *q, unsigned col, FILE *out)
{
    char number[NUMBER_MAX];

    switch (orma_query_type(q, col)) {
    case ORMA_VALUE_NULL:
        fputs("\"[NULL]\"", out);
        break;
    case ORMA_VALUE_INT64:
        fprintf(out, "%" PRId64, orma_query_int64(q, col));
        break;
    case ORMA_VALUE_DOUBLE:
        snprintf(number, sizeof(number), "%f", orma_query_double(q, col));
        fputs(number, out);
        break;
    case ORMA_VALUE_TEXT:
        fputc('"', out);
        fwrite(orma_query_text(q, col), 1, orma_query_bytes(q, col), out);
        fputc('"', out);
        break;
    case ORMA_VALUE_BLOB:
        fputs("\"<raw bytes>\"", out);
        break;
    }
}

static int print_csv(struct orma_query *q, FILE *out)
{
    unsigned columns = orma_query_columns(q);
    int r = orma_query_step(q);

    if (r < 0) /* failed before its first row: no header either */
        return r;
    for (unsigned i = 0; i < columns; i++)
        fprintf(out, "%s\"%s\"", i ? "," : "", orma_query_column_name(q, i));
    fputc('\n', out);
    for (; r == 1; r = orma_query_step(q)) {
        for (unsigned i = 0; i < columns; i++) {
            if (i)
                fputc(',', out);
            csv_cell(q, i, out);
        }
        fputc('\n', out);
        if (ferror(out))
            return -EIO;
    }
    return r;
}

/* ---- RFC 4180 ---- */

static bool needs_quotes(struct orma_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (memchr(",\"\r\n", text.data[i], 4))
            return true;
    }
    return false;
}

void orma_print_rfc4180_str(struct orma_str text, FILE *out)
{
    if (!needs_quotes(text)) {
        fwrite(text.data, 1, text.len, out);
        return;
    }
    fputc('"', out);
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '"')
            fputc('"', out);
        fputc(text.data[i], out);
    }
    fputc('"', out);
}

void orma_print_rfc4180_text(const char *text, FILE *out)
{
    orma_print_rfc4180_str(orma_str_from(text), out);
}

static void hex_bytes(const void *data, size_t len, FILE *out)
{
    for (size_t i = 0; i < len; i++)
        fprintf(out, "%02x", ((const unsigned char *)data)[i]);
}

static void rfc4180_cell(struct orma_query *q, unsigned col, FILE *out)
{
    switch (orma_query_type(q, col)) {
    case ORMA_VALUE_NULL:
        break;
    case ORMA_VALUE_INT64:
        fprintf(out, "%" PRId64, orma_query_int64(q, col));
        break;
    case ORMA_VALUE_DOUBLE:
        fprintf(out, "%.17g", orma_query_double(q, col));
        break;
    case ORMA_VALUE_TEXT:
        orma_print_rfc4180_str(text_of(q, col), out);
        break;
    case ORMA_VALUE_BLOB:
        hex_bytes(orma_query_blob(q, col), orma_query_bytes(q, col), out);
        break;
    }
}

static int print_rfc4180(struct orma_query *q, FILE *out)
{
    unsigned columns = orma_query_columns(q);
    int r;

    for (unsigned i = 0; i < columns; i++) {
        fputs(i ? "," : "", out);
        orma_print_rfc4180_text(orma_query_column_name(q, i), out);
    }
    fputs("\r\n", out);
    while ((r = orma_query_step(q)) == 1) {
        for (unsigned i = 0; i < columns; i++) {
            fputs(i ? "," : "", out);
            rfc4180_cell(q, i, out);
        }
        fputs("\r\n", out);
        if (ferror(out))
            return -EIO;
    }
    return r;
}

/* ---- JSON ---- */

/* Characters that stand for themselves are written together. */
void orma_print_json_str(struct orma_str rest, FILE *out)
{
    const char *from = rest.data;

    fputc('"', out);
    while (rest.len) {
        const unsigned char c = (unsigned char)*rest.data;
        size_t len = c < 0x80 ? 1 : orma_utf8_len(rest);
        bool plain = len && c >= ' ' && c != 0x7f && c != '"' && c != '\\';

        if (!plain && rest.data > from)
            fwrite(from, 1, (size_t)(rest.data - from), out);
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < ' ' || c == 0x7f)
            fprintf(out, "\\u%04x", c);
        else if (!len)
            fputs("\\ufffd", out); /* not text: JSON has no way to say these bytes */
        rest.data += len ? len : 1;
        rest.len -= len ? len : 1;
        if (!plain)
            from = rest.data;
    }
    if (rest.data > from)
        fwrite(from, 1, (size_t)(rest.data - from), out);
    fputc('"', out);
}

void orma_print_json_text(const char *text, FILE *out)
{
    orma_print_json_str(orma_str_from(text), out);
}

static void json_cell(struct orma_query *q, unsigned col, FILE *out)
{
    double val;

    switch (orma_query_type(q, col)) {
    case ORMA_VALUE_NULL:
        fputs("null", out);
        break;
    case ORMA_VALUE_INT64:
        fprintf(out, "%" PRId64, orma_query_int64(q, col));
        break;
    case ORMA_VALUE_DOUBLE:
        val = orma_query_double(q, col);
        if (isfinite(val))
            fprintf(out, "%.17g", val);
        else
            fputs("null", out); /* JSON has no infinity */
        break;
    case ORMA_VALUE_TEXT:
        orma_print_json_str(text_of(q, col), out);
        break;
    case ORMA_VALUE_BLOB:
        fputc('"', out);
        hex_bytes(orma_query_blob(q, col), orma_query_bytes(q, col), out);
        fputc('"', out);
        break;
    }
}

static bool has_key(const struct orma_buf *keys, unsigned num, const struct orma_buf *key)
{
    for (unsigned i = 0; i < num; i++)
        if (orma_str_eq(orma_buf_str(&keys[i]), orma_buf_str(key)))
            return true;
    return false;
}

static unsigned columns_called(struct orma_query *q, const char *name, unsigned num)
{
    unsigned found = 0;

    for (unsigned i = 0; i < num; i++)
        found += strcmp(orma_query_column_name(q, i), name) == 0;
    return found;
}

/* The names of the columns. Readers of JSON keep one of two members with the same name: later ones
 * get a number, as SQLite gives them in a subquery. */
static struct orma_buf *json_keys(struct orma_query *q, unsigned columns)
{
    struct orma_buf *keys = calloc(columns + 1, sizeof(*keys));

    for (unsigned i = 0; keys && i < columns; i++) {
        const char *name = orma_query_column_name(q, i);
        unsigned number = columns_called(q, name, i);

        orma_buf_put_str(&keys[i], name);
        while (!keys[i].failed && has_key(keys, i, &keys[i])) {
            number += !number;
            orma_buf_clear(&keys[i]);
            orma_buf_printf(&keys[i], "%s:%u", name, number++);
        }
    }
    return keys;
}

static bool is_lacking(const struct orma_buf *keys, unsigned columns)
{
    for (unsigned i = 0; keys && i < columns; i++)
        if (keys[i].failed)
            return true;
    return !keys;
}

static void free_keys(struct orma_buf *keys, unsigned columns)
{
    for (unsigned i = 0; keys && i < columns; i++)
        orma_buf_fini(&keys[i]);
    free(keys);
}

static void json_row(struct orma_query *q, const struct orma_buf *keys, unsigned columns, FILE *out)
{
    for (unsigned i = 0; i < columns; i++) {
        fputs(i ? ", " : "{", out);
        orma_print_json_str(orma_buf_str(&keys[i]), out);
        fputs(": ", out);
        json_cell(q, i, out);
    }
    fputc('}', out);
}

static int print_json(struct orma_query *q, FILE *out, bool lines)
{
    unsigned columns = orma_query_columns(q);
    struct orma_buf *keys = json_keys(q, columns);
    const char *sep = lines ? "" : "[";
    int r = is_lacking(keys, columns) ? -ENOMEM : 0;

    while (!r && (r = orma_query_step(q)) == 1) {
        fputs(sep, out);
        sep = lines ? "" : ",\n ";
        json_row(q, keys, columns, out);
        if (lines)
            fputc('\n', out);
        r = ferror(out) ? -EIO : 0;
    }
    free_keys(keys, columns);
    if (!r && !lines)
        fputs(sep[0] == '[' ? "[]\n" : "]\n", out);
    return r;
}

/* ---- TabSeparated ---- */

static void tsv_bytes(const char *data, size_t len, FILE *out)
{
    static const char special[] = "\t\n\r\\", escapes[] = "tnr\\0"; /* of its end: NUL */

    for (size_t i = 0; i < len; i++) {
        const char *at = memchr(special, data[i], sizeof(special));

        if (at) {
            fputc('\\', out);
            fputc(escapes[at - special], out);
        } else {
            fputc(data[i], out);
        }
    }
}

static void tsv_cell(struct orma_query *q, unsigned col, FILE *out)
{
    const enum orma_value_type type = orma_query_type(q, col);

    if (type == ORMA_VALUE_NULL)
        fputs("\\N", out);
    else if (type == ORMA_VALUE_TEXT)
        tsv_bytes(orma_query_text(q, col), orma_query_bytes(q, col), out);
    else if (type == ORMA_VALUE_BLOB)
        tsv_bytes(orma_query_blob(q, col), orma_query_bytes(q, col), out);
    else
        rfc4180_cell(q, col, out);
}

static int print_tsv(struct orma_query *q, FILE *out)
{
    const unsigned columns = orma_query_columns(q);
    int r;

    while ((r = orma_query_step(q)) == 1) {
        for (unsigned i = 0; i < columns; i++) {
            if (i)
                fputc('\t', out);
            tsv_cell(q, i, out);
        }
        fputc('\n', out);
        if (ferror(out))
            return -EIO;
    }
    return r;
}

/* ---- table ---- */

struct table {
    struct orma_buf text; /* all cells, each with its terminator */
    size_t *cells;        /* offsets into text */
    size_t num, cap;
    unsigned columns;
    unsigned *widths;
    bool *right; /* numbers */
    bool failed;
};

/* The next character, and the columns that it takes; its bytes. */
static size_t next_char(struct orma_str text, unsigned *ret_width)
{
    uint32_t code;
    size_t len = orma_utf8_decode(text, &code);

    *ret_width = len ? orma_shown_width(code) : 1;
    return len ? len : 1;
}

static unsigned width_of(const char *text)
{
    struct orma_str left = orma_str_from(text);
    unsigned sum = 0, width;

    while (left.len) {
        size_t len = next_char(left, &width);

        sum += width;
        left = (struct orma_str){left.data + len, left.len - len};
    }
    return sum;
}

/* A cell as it is shown: what a terminal would obey is '?', a new line or tab a blank. */
static void put_shown(struct orma_buf *to, struct orma_str text)
{
    while (text.len) {
        uint32_t code = 0;
        size_t len = orma_utf8_decode(text, &code);

        if (*text.data == '\n' || *text.data == '\t')
            orma_buf_put_byte(to, ' ');
        else if (len && orma_shown_is_plain(code))
            orma_buf_put(to, text.data, len);
        else
            orma_buf_put_byte(to, '?');
        len = len ? len : 1;
        text = (struct orma_str){text.data + len, text.len - len};
    }
    orma_buf_put_byte(to, '\0');
}

static void add_str(struct table *t, struct orma_str text)
{
    if (ORMA_GROW(&t->cells, &t->cap, t->num + (size_t)1)) {
        t->failed = true;
        return;
    }
    unsigned col = (unsigned)(t->num % t->columns);
    size_t at = t->cells[t->num++] = t->text.len;
    put_shown(&t->text, text);
    if (!t->text.failed)
        t->widths[col] =
            ORMA_MIN(ORMA_MAX(t->widths[col], width_of((char *)t->text.data + at)), CELL_WIDTH_MAX);
}

static void add_cell(struct table *t, const char *text)
{
    add_str(t, orma_str_from(text));
}

static void add_value(struct table *t, struct orma_query *q, unsigned col)
{
    char number[64];

    switch (orma_query_type(q, col)) {
    case ORMA_VALUE_NULL:
        add_cell(t, "[NULL]");
        return;
    case ORMA_VALUE_INT64:
        snprintf(number, sizeof(number), "%" PRId64, orma_query_int64(q, col));
        break;
    case ORMA_VALUE_DOUBLE:
        snprintf(number, sizeof(number), "%.12g", orma_query_double(q, col));
        break;
    case ORMA_VALUE_TEXT:
        add_str(t, text_of(q, col));
        return;
    case ORMA_VALUE_BLOB:
        add_cell(t, "<raw bytes>");
        return;
    }
    t->right[col] = true;
    add_cell(t, number);
}

/* A cell in its width: cut with a mark. */
static void print_cell(const char *text, unsigned width, bool right, bool last, FILE *out)
{
    struct orma_str rest = orma_str_from(text);
    unsigned have = width_of(text), w;
    bool cut = have > width;
    unsigned left = cut ? width - 1 : width; /* columns, the mark left out */

    if (right && !cut)
        fprintf(out, "%*s", (int)(width - have), "");
    while (rest.len) {
        size_t len = next_char(rest, &w);

        if (w > left)
            break;
        fwrite(rest.data, 1, len, out);
        left -= w;
        rest = (struct orma_str){rest.data + len, rest.len - len};
    }
    if (cut)
        fputs("…", out);
    if (!last && (cut || !right))
        fprintf(out, "%*s", (int)left, "");
    fputs(last ? "\n" : "  ", out);
}

static void flush_rows(struct table *t, FILE *out)
{
    for (size_t i = 0; i < t->num; i++) {
        unsigned col = (unsigned)(i % t->columns);

        print_cell((const char *)t->text.data + t->cells[i], t->widths[col], t->right[col],
                   col + 1 == t->columns, out);
    }
    t->num = 0;
    orma_buf_clear(&t->text);
}

static void print_head(struct table *t, struct orma_query *q, FILE *out)
{
    for (unsigned i = 0; i < t->columns; i++) {
        ORMA_AUTO(orma_buf_fini) struct orma_buf name = {0};

        put_shown(&name, orma_str_from(orma_query_column_name(q, i)));
        print_cell(name.failed ? "" : (char *)name.data, t->widths[i], t->right[i],
                   i + 1 == t->columns, out);
    }
    for (unsigned i = 0; i < t->columns; i++) {
        for (unsigned n = 0; n < t->widths[i]; n++)
            fputc('-', out);
        fputs(i + 1 == t->columns ? "\n" : "  ", out);
    }
}

static int print_table(struct orma_query *q, FILE *out)
{
    struct table t = {.columns = orma_query_columns(q)};
    bool head = false;
    int r = -ENOMEM;

    t.widths = calloc(t.columns, sizeof(*t.widths));
    t.right = calloc(t.columns, sizeof(*t.right));
    if (!t.widths || !t.right)
        goto out;
    for (unsigned i = 0; i < t.columns; i++)
        t.widths[i] = ORMA_MIN(width_of(orma_query_column_name(q, i)), CELL_WIDTH_MAX);
    while ((r = orma_query_step(q)) == 1) {
        for (unsigned i = 0; i < t.columns; i++)
            add_value(&t, q, i);
        if (t.failed || t.text.failed) {
            r = -ENOMEM;
            break;
        }
        if (t.num / t.columns < ROWS_KEPT && !head)
            continue;
        if (!head)
            print_head(&t, q, out);
        head = true;
        flush_rows(&t, out);
        if (ferror(out)) {
            r = -EIO;
            break;
        }
    }
    if (!r && !head)
        print_head(&t, q, out);
    if (!r)
        flush_rows(&t, out);
out:
    orma_buf_fini(&t.text);
    free(t.cells);
    free(t.widths);
    free(t.right);
    return r;
}

static int print_rows(struct orma_query *q, enum orma_print_form form, FILE *out)
{
    switch (form) {
    case ORMA_PRINT_CSV:
        return print_csv(q, out);
    case ORMA_PRINT_TABLE:
        return print_table(q, out);
    case ORMA_PRINT_RFC4180:
        return print_rfc4180(q, out);
    case ORMA_PRINT_JSON:
    case ORMA_PRINT_JSON_LINES:
        return print_json(q, out, form == ORMA_PRINT_JSON_LINES);
    case ORMA_PRINT_TSV:
        return print_tsv(q, out);
    }
    return -EINVAL;
}

int orma_print_rows(struct orma_query *q, enum orma_print_form form, FILE *out)
{
    /* A cell is some calls, each of which would take the lock. */
    int locking = __fsetlocking(out, FSETLOCKING_BYCALLER), fd = fileno(out);
    FILE *shown = fd >= 0 && isatty(fd) ? orma_shown_open(out, false) : NULL;
    int r = print_rows(q, form, shown ? shown : out);

    if (shown && fclose(shown) && !r)
        r = -EIO;
    (void)__fsetlocking(out, locking);
    return r;
}

static int print_one(struct orma_query *q, enum orma_print_form form, FILE *out, bool *printed)
{
    int r;

    if (!orma_query_has_output(q)) {
        while ((r = orma_query_step(q)) == 1)
            ;
        return r;
    }
    if (*printed && form != ORMA_PRINT_JSON)
        fputs(form == ORMA_PRINT_RFC4180 ? "\r\n" : "\n", out);
    *printed = true;
    return orma_print_rows(q, form, out);
}

int orma_print_query(struct orma_processor *tp, const char *sql, size_t len,
                     enum orma_print_form form, FILE *out, unsigned *ret_statements)
{
    struct orma_script_run *script;
    struct orma_query *q;
    bool printed = false;
    unsigned statements = 0;
    int r = orma_script_open(tp, sql, len, NULL, &script);

    if (r < 0)
        return r;
    while ((r = orma_script_step(script, &q)) > 0) {
        statements++;
        r = print_one(q, form, out, &printed);
        orma_query_free(q);
        if (r < 0)
            break;
    }
    orma_script_close(script);
    if (ret_statements)
        *ret_statements = statements;
    if (!r && (fflush(out) || ferror(out)))
        r = -EIO;
    return r;
}
