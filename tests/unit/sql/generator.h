/*
 * What tests that make up their queries share: numbers of a seed, words picked by them, and the
 * text of a cell that two ways of answering must agree on to the bit.
 *
 * A test has `struct gen` with at least `uint64_t seed` and `struct orma_buf text`.
 */
#ifndef ORMA_TESTS_UNIT_SQL_GENERATOR_H
#define ORMA_TESTS_UNIT_SQL_GENERATOR_H
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>

#include "sdk/base/buf.h"

/* A number from the environment. ORMA_TEST_QUERIES: how many queries a test makes up. */
static inline unsigned gen_number_of(const char *name, unsigned otherwise)
{
    const char *text = getenv(name);

    return text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

/* The next number of the seed, below the limit. */
static inline uint32_t gen_below(uint64_t *seed, uint32_t limit)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % limit;
}

#define below(g, limit) gen_below(&(g)->seed, limit)
#define pick(g, words, num) ((words)[below(g, num)])
#define PICK(g, ...)                                                                               \
    pick(g, ((const char *const[]){__VA_ARGS__}),                                                  \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
#define PUT(g, ...) orma_buf_printf(&(g)->text, __VA_ARGS__)

/* Its type and its value, doubles in hex. */
static inline void gen_put_cell(struct orma_buf *out, sqlite3_stmt *stmt, int i)
{
    switch (sqlite3_column_type(stmt, i)) {
    case SQLITE_NULL:
        orma_buf_put_str(out, "null|");
        break;
    case SQLITE_INTEGER:
        orma_buf_printf(out, "i%lld|", sqlite3_column_int64(stmt, i));
        break;
    case SQLITE_FLOAT:
        orma_buf_printf(out, "d%a|", sqlite3_column_double(stmt, i));
        break;
    default:
        orma_buf_printf(out, "t%s|", (const char *)sqlite3_column_text(stmt, i));
    }
}
#endif
