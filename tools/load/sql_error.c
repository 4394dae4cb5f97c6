#include "tools/load/sql_error.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "sdk/base/defs.h"
#include "sdk/base/str.h"

#define TRACEBACK "Traceback (most recent call last):"

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* What of the message is the name, for errors whose place is that of the whole statement. */
static const char *name_in(const char *message, size_t *ret_len)
{
    static const char *const begins[] = {"no such table: ", "INCLUDE: unknown module '"};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(begins); i++) {
        size_t len = strlen(begins[i]);

        if (!strncmp(message, begins[i], len)) {
            *ret_len = strcspn(message + len, ";'");
            return message + len;
        }
    }
    *ret_len = 0;
    return message;
}

/* Where in `line` the name is that the error means, as a word at or after `from`; or `from`. */
static size_t place_of_name(struct orma_str line, size_t from, const char *message)
{
    size_t len;
    const char *name = name_in(message, &len);

    if (!len)
        return from;
    for (size_t i = 0; i < line.len; i++) {
        if (line.data[i] == '\t' || (line.data[i] & 0x80))
            return from; /* bytes are no columns there */
    }
    for (size_t i = from; i + len <= line.len; i++) {
        bool begins = !i || !is_word(line.data[i - 1]);
        bool ends = i + len == line.len || !is_word(line.data[i + len]);

        if (begins && ends && !strncasecmp(line.data + i, name, len))
            return i;
    }
    return from;
}

const char *orma_load_sql_message(const char *text)
{
    const char *message = text;

    for (const char *p = text; *p; p++)
        message = *p == '\n' && p[1] ? p + 1 : message;
    return message;
}

void orma_load_put_sql_error(const char *text, struct orma_buf *to)
{
    struct orma_str rest = orma_str_from(text), line;
    unsigned row, col;

    while (!strncmp(text, TRACEBACK, strlen(TRACEBACK)) && rest.len &&
           orma_str_cut(&rest, '\n', &line)) {
        if (sscanf(line.data, "  File \"stdin\" line %u col %u", &row, &col) == 2)
            orma_buf_printf(to, "line %u col %u: ", row, col);
    }
    orma_buf_put_str(to, orma_load_sql_message(text));
}

/*
 * The processor's text has frames of three lines: "  File "stdin" line 1 col 2", the line, a caret;
 * last the message. Here the SQL has the name that the user gave it, and the caret is below the
 * name that is wrong.
 */
void orma_load_print_sql_error(const char *prefix, const char *from,
                               const struct orma_processor *tp)
{
    struct orma_str rest = orma_str_from(orma_processor_error(tp)), line, text, caret;
    const char *message = orma_load_sql_message(rest.data);
    unsigned row, col;

    fputs(prefix, stderr);
    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        if (sscanf(line.data, "  File \"stdin\" line %u col %u", &row, &col) != 2) {
            if (!orma_str_eq_c(line, TRACEBACK))
                fprintf(stderr, "%.*s\n", ORMA_STR_ARG(line));
            continue;
        }
        (void)orma_str_cut(&rest, '\n', &text);
        (void)orma_str_cut(&rest, '\n', &caret);
        size_t at = caret.len ? caret.len - 1 : 0, meant = place_of_name(text, at, message);
        fprintf(stderr, "%s line %u col %u\n%.*s\n%.*s%*s^\n", from, row,
                col + (unsigned)(meant - at), ORMA_STR_ARG(text), (int)at, caret.data,
                (int)(meant - at), "");
    }
}
