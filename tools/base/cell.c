#include "tools/base/cell.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sdk/base/shown.h"
#include "sdk/base/utf8.h"

/* The next character: its bytes as they are shown, and their number in the text. */
static size_t next(struct orma_str text, struct orma_str *ret_shown, unsigned *ret_width)
{
    uint32_t code = 0;
    size_t len = orma_utf8_decode(text, &code);

    if (!len || !orma_shown_is_plain(code)) {
        *ret_shown = ORMA_STR("?");
        *ret_width = 1;
        return len ? len : 1;
    }
    *ret_shown = (struct orma_str){text.data, len};
    *ret_width = orma_shown_width(code);
    return len;
}

unsigned orma_cell_width(struct orma_str text)
{
    struct orma_str shown;
    unsigned sum = 0, width;

    while (text.len) {
        size_t len = next(text, &shown, &width);

        sum += width;
        text = (struct orma_str){text.data + len, text.len - len};
    }
    return sum;
}

void orma_cell_put(struct orma_buf *out, struct orma_str text, unsigned width)
{
    const char *end = orma_cell_unicode() ? "\xe2\x80\xa6" : "~";
    bool cut = orma_cell_width(text) > width;
    unsigned left = cut && width ? width - 1 : width, w;
    struct orma_str shown;

    while (text.len) {
        size_t len = next(text, &shown, &w);

        if (w > left)
            break;
        orma_buf_put(out, shown.data, shown.len);
        left -= w;
        text = (struct orma_str){text.data + len, text.len - len};
    }
    if (cut && width)
        orma_buf_put_str(out, end);
}

void orma_cell_print(const char *text, FILE *out)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf shown = {0};

    orma_cell_put(&shown, orma_str_from(text), UINT32_MAX);
    fputs(orma_buf_cstr(&shown), out);
}

bool orma_cell_unicode(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(names); i++) {
        const char *val = getenv(names[i]);

        if (val && *val)
            return strcasestr(val, "utf-8") || strcasestr(val, "utf8");
    }
    return false;
}

bool orma_cell_screen(FILE *out, unsigned *ret_rows, unsigned *ret_columns)
{
    struct winsize size;

    if (!isatty(fileno(out)) || ioctl(fileno(out), TIOCGWINSZ, &size) < 0 || !size.ws_col)
        return false;
    *ret_rows = size.ws_row;
    *ret_columns = size.ws_col;
    return true;
}

unsigned orma_cell_terminal_width(FILE *out, unsigned otherwise)
{
    unsigned rows, columns;

    return orma_cell_screen(out, &rows, &columns) ? columns : otherwise;
}
