#include "sdk/base/str.h"

#include <stdlib.h>

bool orma_str_cut(struct orma_str *rest, char sep, struct orma_str *ret_part)
{
    if (!rest->data)
        return false;

    const char *at = rest->len ? memchr(rest->data, sep, rest->len) : NULL;
    if (!at) {
        *ret_part = *rest;
        *rest = (struct orma_str){NULL, 0};
        return true;
    }
    *ret_part = (struct orma_str){rest->data, (size_t)(at - rest->data)};
    *rest = (struct orma_str){at + 1, rest->len - ret_part->len - 1};
    return true;
}

/* memmem() prepares itself for long searches; shorter ones go from one place of a byte to the next.
 */
#define FIND_SHORT 512

static const char *find_short(struct orma_str s, struct orma_str what)
{
    const size_t pivot = what.len > 1 && what.data[0] == ' '; /* blanks are everywhere */
    const char *at = s.data + pivot, *end = s.data + s.len - what.len + pivot + 1;

    for (; (at = memchr(at, what.data[pivot], (size_t)(end - at))); at++)
        if (!memcmp(at - pivot, what.data, what.len))
            return at - pivot;
    return NULL;
}

const char *orma_str_find(struct orma_str s, struct orma_str what)
{
    if (!s.data || !what.data || !what.len || what.len > s.len)
        return NULL;
    return s.len < FIND_SHORT ? find_short(s, what) : memmem(s.data, s.len, what.data, what.len);
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

struct orma_str orma_str_trim(struct orma_str s)
{
    while (s.len && is_blank(s.data[0])) {
        s.data++;
        s.len--;
    }
    while (s.len && is_blank(s.data[s.len - 1]))
        s.len--;
    return s;
}

char *orma_str_dup(struct orma_str s)
{
    char *copy = malloc(s.len + 1);

    if (!copy)
        return NULL;
    if (s.len)
        memcpy(copy, s.data, s.len);
    copy[s.len] = '\0';
    return copy;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

bool orma_str_to_u64(struct orma_str s, uint64_t *ret)
{
    unsigned base = 10;
    uint64_t val = 0;

    if (s.len > 2 && s.data[0] == '0' && (s.data[1] | 0x20) == 'x') {
        base = 16;
        s.data += 2;
        s.len -= 2;
    }
    if (!s.len)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        int d = digit(s.data[i]);

        if (d >= (int)base || __builtin_mul_overflow(val, (uint64_t)base, &val) ||
            __builtin_add_overflow(val, (uint64_t)d, &val))
            return false;
    }
    *ret = val;
    return true;
}

bool orma_str_to_i64(struct orma_str s, int64_t *ret)
{
    bool minus = s.len && s.data[0] == '-';
    uint64_t val;

    if (minus) {
        s.data++;
        s.len--;
    }
    if (!orma_str_to_u64(s, &val) || val > (uint64_t)INT64_MAX + minus)
        return false;
    *ret = minus ? (int64_t)(0 - val) : (int64_t)val;
    return true;
}

bool orma_str_parse_size(const char *text, uint64_t *ret)
{
    static const char units[] = "bkmg";
    char *end;

    if (text[0] < '0' || text[0] > '9') /* no sign, no blank, no "inf" */
        return false;
    double val = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end | 0x20) : NULL;
    if (*end ? !unit : val != 0)
        return false;
    if (unit) {
        val *= (double)(1U << 10 * (unit - units));
        end++;
        if (unit > units && (*end | 0x20) == 'i' && (end[1] | 0x20) == 'b')
            end++;
        if (unit > units && (*end | 0x20) == 'b')
            end++;
    }
    if (*end || !(val < 9e18))
        return false;
    *ret = (uint64_t)(val + 0.5);
    return true;
}
