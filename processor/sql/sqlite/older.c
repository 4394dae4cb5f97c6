#include "processor/sql/sqlite/older.h"

#include "processor/sql/base/trials.h"
#include "processor/sql/dialect/token.h"

/* SQLite's own name of the bit is private: making one query of a query and those in its FROM. */
#define QUERY_FLATTENER 0x1u
/* Concluding x.s = 'a' from x.s = y.s and y.s = 'a'. */
#define TRANSITIVE 0x80u

/* Words that matter, as bits. */
enum { DISTINCT = 1, VIEW = 2, FUNCTION = 4, JOIN = 8, RIGHT = 16, FULL = 32, COLLATE = 64 };

static const struct word {
    char text[9];
    uint8_t len, bit;
} words[] = {{"distinct", 8, DISTINCT}, {"view", 4, VIEW},   {"function", 8, FUNCTION},
             {"join", 4, JOIN},         {"right", 5, RIGHT}, {"full", 4, FULL},
             {"collate", 7, COLLATE}};

/* Those that may be in the text. Texts are walked once for all of them: each statement is. */
static unsigned find_words(struct orma_str text)
{
    unsigned found = 0;

    for (size_t i = 0; i + 4 <= text.len; i++) {
        const char first = text.data[i] | 0x20, second = text.data[i + 1] | 0x20;

        if (second != 'i' && second != 'u' && second != 'o')
            continue; /* of all of them */
        for (size_t w = 0; w < ORMA_ARRAY_LEN(words); w++)
            if (words[w].text[0] == first && words[w].len <= text.len - i &&
                !sqlite3_strnicmp(text.data + i, words[w].text, words[w].len))
                found |= words[w].bit;
    }
    return found;
}

/* SELECT DISTINCT, in a sub-select too: at most something is sorted that need not be. */
static bool is_distinct(struct orma_str text)
{
    bool select = false;

    for (struct orma_token tok = orma_token_next(text, 0); tok.kind != ORMA_TOK_END;
         tok = orma_token_next(text, tok.at + tok.len)) {
        const struct orma_str word = orma_token_text(text, tok);

        if (tok.kind == ORMA_TOK_SPACE || tok.kind == ORMA_TOK_COMMENT)
            continue;
        if (select && orma_word_eq(word, ORMA_STR("distinct")))
            return true;
        select = orma_word_eq(word, ORMA_STR("select"));
    }
    return false;
}

void orma_sqlite_older_note(struct orma_sql *sql, struct orma_str text)
{
    struct orma_sql_older *older = &sql->planner.older;
    const unsigned has = find_words(text);
    unsigned off = older->always_off;

    sql->planner.distinct = (has & DISTINCT) && is_distinct(text);
    if ((has & JOIN) && (has & (RIGHT | FULL)) && orma_sql_trial(ORMA_TRIAL_MIXES_JOINS))
        off |= QUERY_FLATTENER;
    if ((has & COLLATE) && orma_sql_trial(ORMA_TRIAL_DROPS_COLLATIONS))
        off |= TRANSITIVE;
    if (has & (VIEW | FUNCTION))
        older->always_off = off;
    if (older->off == off)
        return;
    older->off = off;
    sqlite3_test_control(SQLITE_TESTCTRL_OPTIMIZATIONS, sql->db, off);
}
