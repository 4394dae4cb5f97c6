#include "processor/import/formats/lines.h"

/* Each time that more of a line comes it is searched from its begin. */
#define LINE_MAX ((size_t)1 << 26)

/* Up to its end, or so much of it as is there. */
static void pass_over(struct orma_formats_lines *self, struct orma_file *file,
                      struct orma_str *rest)
{
    const char *end = rest->len ? memchr(rest->data, '\n', rest->len) : NULL;
    size_t len = end ? (size_t)(end - rest->data) + 1 : rest->len;

    if (len && !self->endless) {
        orma_file_unit(file, rest->data);
        (void)orma_file_damaged(file, "lines that are too long", rest->data, len,
                                ORMA_DAMAGED_LINE);
    } else if (len) {
        orma_file_damage(file, rest->data, len, ORMA_DAMAGED_LINE); /* more of it */
    }
    *rest = (struct orma_str){rest->data + len, rest->len - len};
    self->endless = !end;
}

bool orma_formats_next_line(struct orma_formats_lines *self, struct orma_file *file,
                            struct orma_str *rest, bool at_end, struct orma_str *ret)
{
    if (self->endless)
        pass_over(self, file, rest);
    const char *end = rest->len ? memchr(rest->data, '\n', rest->len) : NULL;
    size_t len = end ? (size_t)(end - rest->data) : rest->len;

    if (!end && len > LINE_MAX)
        pass_over(self, file, rest);
    if (!rest->len || (!end && !at_end))
        return false;
    *ret = (struct orma_str){rest->data, len - (len && rest->data[len - 1] == '\r')};
    len += end != NULL;
    *rest = (struct orma_str){rest->data + len, rest->len - len};
    return true;
}
