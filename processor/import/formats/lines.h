/*
 * Lines of texts: what the formats that are made of lines have in common.
 */
#ifndef ORMA_PROCESSOR_IMPORT_FORMATS_LINES_H
#define ORMA_PROCESSOR_IMPORT_FORMATS_LINES_H
#include <string.h>

#include "processor/import/core/file.h"

/* Whether the begin of a line was left out that is too long to be waited for. */
struct orma_formats_lines {
    bool endless;
};

/*
 * The next line, without its end; false: it is not there yet. The last one of a file need not have
 * an end. Lines that are too long are damage, and passed over whole.
 */
bool orma_formats_next_line(struct orma_formats_lines *self, struct orma_file *file,
                            struct orma_str *rest, bool at_end, struct orma_str *ret);

static inline bool orma_formats_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Takes the last word from the line; empty: there is none. */
static inline struct orma_str orma_formats_cut_last(struct orma_str *line)
{
    size_t at, end = line->len;

    while (end && orma_formats_is_blank(line->data[end - 1]))
        end--;
    for (at = end; at && !orma_formats_is_blank(line->data[at - 1]);)
        at--;
    line->len = at;
    return (struct orma_str){line->data + at, end - at};
}

/* Takes the first word from the line; empty: there is none. */
static inline struct orma_str orma_formats_cut_first(struct orma_str *line)
{
    size_t at = 0, end;

    while (at < line->len && orma_formats_is_blank(line->data[at]))
        at++;
    for (end = at; end < line->len && !orma_formats_is_blank(line->data[end]);)
        end++;
    const struct orma_str word = {line->data + at, end - at};
    *line = (struct orma_str){line->data + end, line->len - end};
    return word;
}
#endif
