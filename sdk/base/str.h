/*
 * Spans of text and bytes that somebody else owns, and strict number parsing.
 */
#ifndef ORMA_SDK_BASE_STR_H
#define ORMA_SDK_BASE_STR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Text of `len` bytes, not terminated. data may be NULL when len is 0. */
struct orma_str {
    const char *data;
    size_t len;
};

#define ORMA_STR(literal) ((struct orma_str){(literal), sizeof(literal) - 1})
/* printf("%.*s", ORMA_STR_ARG(s)) */
#define ORMA_STR_ARG(s) (int)(s).len, (s).data ? (s).data : ""

static inline struct orma_str orma_str_from(const char *cstr)
{
    return (struct orma_str){cstr, cstr ? strlen(cstr) : 0};
}

static inline bool orma_str_eq(struct orma_str a, struct orma_str b)
{
    return a.len == b.len && (!a.len || !memcmp(a.data, b.data, a.len));
}

/* By bytes, then by length: as memcmp() and SQLite's BINARY say it. */
static inline int orma_str_order(struct orma_str a, struct orma_str b)
{
    int order = memcmp(a.data, b.data, a.len < b.len ? a.len : b.len);

    return order ? order : (a.len > b.len) - (a.len < b.len);
}

static inline bool orma_str_eq_c(struct orma_str a, const char *b)
{
    return orma_str_eq(a, orma_str_from(b));
}

/* Such a text is a shorter one as a string of C. */
static inline bool orma_str_has_zero(struct orma_str s)
{
    return s.len && memchr(s.data, 0, s.len);
}

static inline bool orma_str_starts(struct orma_str s, struct orma_str prefix)
{
    return s.len >= prefix.len && (!prefix.len || !memcmp(s.data, prefix.data, prefix.len));
}

/* Text before the first `sep`, which is removed from *rest; all of it if there is none. False at
 * the end. */
bool orma_str_cut(struct orma_str *rest, char sep, struct orma_str *ret_part);

/* The first occurrence of `what` in `s`, or NULL. An empty `what` is never found. */
const char *orma_str_find(struct orma_str s, struct orma_str what);

/* Without blanks at both ends. */
struct orma_str orma_str_trim(struct orma_str s);

/* A copy with a terminator, from malloc; NULL when out of memory. */
char *orma_str_dup(struct orma_str s);

/* Whole text as a decimal number (u64 also 0x...). False: not a number, or too large. */
bool orma_str_to_u64(struct orma_str s, uint64_t *ret);
bool orma_str_to_i64(struct orma_str s, int64_t *ret);

/* "64k", "32mb", "1.5g", powers of 1024; a plain 0 is allowed, other numbers need a unit. */
bool orma_str_parse_size(const char *text, uint64_t *ret);
#endif
