/*
 * A grammar of SELECT statements, written at random: every join with every operator, aggregates
 * read and unread, WITH of all kinds, compounds, windows, sub-queries, collations, affinities.
 *
 * Names of tables begin with '@', which stands for the kind of tables that the statement is run
 * over: grammar_over(). The tables are those of grammar_rows.
 *
 * A statement is valid in nearly all cases, and its rows follow from the text, but for their order
 * where it says so.
 */
#ifndef ORMA_TESTS_UNIT_SQL_GRAMMAR_H
#define ORMA_TESTS_UNIT_SQL_GRAMMAR_H
#include "tests/unit/sql/generator.h"

#define GRAMMAR_COLUMNS_MAX 8
#define GRAMMAR_SOURCES_MAX 4
#define GRAMMAR_KEYS_MAX 8
#define GRAMMAR_VALUES_MAX 64

/* Around a literal that may be a parameter. */
#define GRAMMAR_PARAM "\x01"
#define GRAMMAR_PARAM_END "\x02"

/* What makes the tables: of SQLite with the prefix p, ours with the prefix t. */
extern const char grammar_rows[];

enum grammar_type { GRAMMAR_INT, GRAMMAR_REAL, GRAMMAR_TEXT, GRAMMAR_TYPES };

struct grammar_column {
    char name[16];
    enum grammar_type type;
};

/* What a table, sub-select or name of WITH has. */
struct grammar_shape {
    struct grammar_column columns[GRAMMAR_COLUMNS_MAX];
    unsigned num;
    bool unique; /* the first column is, and never NULL */
    bool large;
};

struct grammar_source {
    char alias[16]; /* "": it has none */
    struct grammar_shape shape;
};

/* The tables of a FROM clause; `outer`: of the query around it. */
struct grammar_scope {
    struct grammar_source sources[GRAMMAR_SOURCES_MAX];
    unsigned num;
    struct grammar_scope *outer;
};

/* A name of WITH that may be used. */
struct grammar_cte {
    char name[16];
    struct grammar_shape shape;
};

struct gen {
    uint64_t seed;
    struct orma_buf text;
    unsigned depth, queries; /* of the expression, of queries in queries */
    unsigned names;          /* given so far */
    struct grammar_scope *scope;
    struct grammar_cte ctes[8];
    unsigned ctes_num;
    bool aggregates, windows; /* may stand here */
    bool params;              /* some literals are parameters */

    /* ---- the result ---- */

    unsigned keys[GRAMMAR_KEYS_MAX]; /* the columns of ORDER BY, by number from 0 */
    unsigned keys_num;
    bool nocase[GRAMMAR_KEYS_MAX];
    uint32_t rows_min; /* of tables for which the executor is asked by default */
    uint32_t more;     /* a number for who runs it */
    bool loose;        /* of values that are equal but not alike (1, 1.0) either may be a row */
};

/* A statement of the seed, in `text`. */
void grammar_statement(struct gen *g, uint64_t seed);

/* Literals, in the order of their parameters. */
struct grammar_values {
    char *texts[GRAMMAR_VALUES_MAX];
    unsigned num;
};

void grammar_values_fini(struct grammar_values *self);

/* A copy over tables of one kind; to be freed. `ret`: with parameters, of these values; NULL: the
 * values are literals. */
char *grammar_over(const char *statement, char kind, struct grammar_values *ret);
#endif
