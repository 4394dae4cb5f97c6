/*
 * Statements of the grammar, asked in several ways: over tables of SQLite, over ours by SQLite and
 * by the executor, and with rows that come out as clients of the RPC, as Arrow, or as tables and
 * views made of them get them.
 */
#ifndef ORMA_TESTS_UNIT_SQL_GRAMMAR_ASK_H
#define ORMA_TESTS_UNIT_SQL_GRAMMAR_ASK_H
#include "processor/api/processor_impl.h"
#include "sdk/base/vec.h"
#include "tests/unit/sql/grammar.h"

/* Statements with more rows are not looked at to their end. */
#define GRAMMAR_ROWS_MAX 20000

enum grammar_way {
    GRAMMAR_PLAIN,
    GRAMMAR_OFF,
    GRAMMAR_ON,
    GRAMMAR_DEFAULT,
    /* The others ask the executor where tables are as large as the rule says. */
    GRAMMAR_RPC,
    GRAMMAR_ARROW,
    GRAMMAR_TABLE,
    GRAMMAR_VIEW,
    GRAMMAR_WAYS,
};

extern const char *const grammar_way_names[GRAMMAR_WAYS];

/* How a statement is run, and its rows are compared. */
struct grammar_rule {
    const unsigned *keys;
    const bool *nocase;
    unsigned keys_num;
    uint32_t rows_min;
    bool params, loose;
    /* Threads of the executor, and rows that each takes at a time; 0: as it is. */
    struct orma_crew *crew;
    uint32_t piece_rows;
};

/* What a statement gave. */
struct grammar_answer {
    ORMA_VEC(char *) rows;
    struct orma_buf names, keys;
    uint8_t types[GRAMMAR_COLUMNS_MAX]; /* of values of each column: bits 1 << SQLITE_... */
    char *error;
    bool begun, many; /* it was valid; it has too many rows */
    bool mended;      /* SQLite is too old to answer it as newer ones do: sqlite/older.h */
};

void grammar_answer_fini(struct grammar_answer *self);

void grammar_ask(struct orma_processor *tp, const char *query, enum grammar_way way,
                 const struct grammar_rule *rule, struct grammar_answer *ret);

/* Whether the answer in this way is to be compared with that of SQLite over our tables: columns of
 * Arrow and of tables have one type, which not every statement has. */
bool grammar_is_to_compare(enum grammar_way way, const struct grammar_answer *off);

/* In what two answers differ; NULL: in nothing. */
const char *grammar_difference(struct grammar_answer *a, enum grammar_way one,
                               struct grammar_answer *b, enum grammar_way other);
#endif
