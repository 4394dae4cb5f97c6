#include "sdk/base/shown.h"

#include <stdlib.h>
#include <string.h>

#include "sdk/base/utf8.h"

#define ORDER_MAX 16 /* bytes of an escape sequence of ours */

struct shown {
    FILE *to;
    bool ours;
    size_t num; /* of a character or sequence that is not complete */
    char kept[ORDER_MAX];
};

bool orma_shown_is_plain(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } others[] = {
        {0x0, 0x1f},      {0x7f, 0x9f},     {0x61c, 0x61c},   {0x200e, 0x200f},   {0x2028, 0x202e},
        {0x2066, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(others); i++) {
        if (code >= others[i].first && code <= others[i].last)
            return false;
    }
    return true;
}

struct range {
    uint32_t first, last;
};

/* East Asian wide and full-width characters, and emoji. */
static const struct range wide[] = {
    {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xa960, 0xa97c},
    {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
    {0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
    {0x20000, 0x3fffd},
};
/* Characters that are put on the one before them. */
static const struct range joined[] = {
    {0x0300, 0x036f}, {0x1ab0, 0x1aff}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f},
};

static bool is_in(uint32_t code, const struct range *ranges, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    }
    return false;
}

unsigned orma_shown_width(uint32_t code)
{
    if (code < 0x300)
        return 1;
    if (is_in(code, joined, ORMA_ARRAY_LEN(joined)))
        return 0;
    return is_in(code, wide, ORMA_ARRAY_LEN(wide)) ? 2 : 1;
}

/* ESC [ digits and ';' m, or ESC [ K: its length; 0: it is none; -1: it may become one. */
static int order_len(const char *data, size_t len)
{
    size_t i = 2;

    if (len > 1 && data[1] != '[')
        return 0;
    while (i < len && i < ORDER_MAX - 1 && (data[i] == ';' || (data[i] >= '0' && data[i] <= '9')))
        i++;
    if (i >= len)
        return -1;
    return data[i] == 'm' || (data[i] == 'K' && i == 2) ? (int)i + 1 : 0;
}

/* Could these bytes, which are no character, be the begin of one? */
static bool may_go_on(const char *data, size_t len)
{
    const unsigned char c = (unsigned char)*data;
    const size_t wanted = c >= 0xf0 && c < 0xf8 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 1;

    for (size_t i = 1; i < len; i++) {
        if (((unsigned char)data[i] & 0xc0) != 0x80)
            return false;
    }
    return c >= 0xc2 && c < 0xf5 && len < wanted;
}

/* Bytes of what stands in front, written; 0: more must come first. */
static size_t put_first(const struct shown *self, const char *data, size_t len)
{
    const unsigned char c = (unsigned char)*data;
    uint32_t code = 0;

    if (c == '\n' || c == '\t' || (self->ours && c == '\r')) {
        fputc(c, self->to);
        return 1;
    }
    if (self->ours && c == 0x1b) {
        int order = order_len(data, len);

        if (order > 0)
            fwrite(data, 1, (size_t)order, self->to);
        if (order)
            return order > 0 ? (size_t)order : 0;
    }
    size_t n = orma_utf8_decode((struct orma_str){data, len}, &code);
    if (!n && may_go_on(data, len))
        return 0;
    if (!n || code < 0x20 || code == 0x7f)
        fprintf(self->to, "\\x%02x", c);
    else if (orma_shown_is_plain(code))
        fwrite(data, 1, n, self->to);
    else
        fprintf(self->to, code > 0xffff ? "\\U%08x" : "\\u%04x", (unsigned)code);
    return n ? n : 1;
}

static ssize_t write_shown(void *cookie, const char *data, size_t len)
{
    struct shown *self = cookie;
    size_t at = 0;

    while (self->num && at < len) { /* what was left, byte by byte until it is whole */
        self->kept[self->num++] = data[at++];
        size_t n = put_first(self, self->kept, self->num);
        if (!n && self->num == ORDER_MAX)
            n = self->num;
        self->num -= n;
        memmove(self->kept, self->kept + n, self->num);
    }
    while (at < len) {
        size_t n = put_first(self, data + at, len - at);

        if (!n) {
            self->num = ORMA_MIN(len - at, (size_t)ORDER_MAX - 1);
            memcpy(self->kept, data + at, self->num);
            break;
        }
        at += n;
    }
    return fflush(self->to) ? 0 : (ssize_t)len;
}

static int close_shown(void *cookie)
{
    struct shown *self = cookie;

    for (size_t i = 0; i < self->num; i++)
        fprintf(self->to, "\\x%02x", (unsigned char)self->kept[i]);
    int r = fflush(self->to);
    free(self);
    return r;
}

FILE *orma_shown_open(FILE *to, bool ours)
{
    struct shown *self = calloc(1, sizeof(*self));
    FILE *ret = NULL;

    if (self) {
        *self = (struct shown){.to = to, .ours = ours};
        ret = fopencookie(self, "w",
                          (cookie_io_functions_t){.write = write_shown, .close = close_shown});
    }
    if (!ret)
        free(self);
    return ret;
}
