/*
 * What took SQLite long in one step is ours: the same results as those of SQLite, for arguments of
 * all kinds, and an end in time.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/defs.h"
#include "tests/unit/sql/engine_fixture.h"

static uint64_t state = 32;

static unsigned random_below(size_t end)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((state >> 33) % end);
}

static const char *pick(const char *const *list, size_t num)
{
    return list[random_below(num)];
}

#define PICK(list) pick(list, ORMA_ARRAY_LEN(list))

/* An argument of any kind, as SQL. */
static const char *value(void)
{
    static const char *const values[] = {"NULL",
                                         "0",
                                         "-1",
                                         "5",
                                         "12345678",
                                         "-9223372036854775808",
                                         "9223372036854775807",
                                         "0.5",
                                         "-1.25e20",
                                         "1e999",
                                         "-1e999",
                                         "''",
                                         "' '",
                                         "'a'",
                                         "'aXbXc'",
                                         "'  x '",
                                         "'it''s'",
                                         "'\u00e4\u00f6\u00fc'",
                                         "'\u20ac'",
                                         "'\U0001f600y'",
                                         "x''",
                                         "x'00ff80'",
                                         "x'e4'",
                                         "x'80'",
                                         "x'c3'",
                                         "'a'||char(0)||'b'",
                                         "char(0)",
                                         "'%'",
                                         "'_'",
                                         "'%a%'",
                                         "'a_'",
                                         "'\\%'",
                                         "'A'",
                                         "'*[a-c]?'",
                                         "'[^x]*'",
                                         "'a\u00e4b\u00e4'",
                                         "'aaaa'",
                                         "'aa'",
                                         "char(1)",
                                         "'{\"a\":1,\"b\":{\"c\":2}}'",
                                         "'{\"a\":null,\"b\":{\"d\":[1]}}'",
                                         "'[1,2]'"};

    return PICK(values);
}

static void put_format(struct orma_buf *out)
{
    static const char *const pieces[] = {
        "%", "%%", "d", "i",  "u", "x", "X",  "o",  "f",  "e", "E",  "g",      "G", "s", "z",
        "q", "Q",  "w", "c",  "r", "p", "n",  "T",  "S",  "-", "+",  " ",      "#", "!", "0",
        ",", "*",  ".", ".*", "1", "5", "12", ".3", ".0", "l", "ll", "\u00e4", "ab"};
    unsigned num = random_below(12);

    orma_buf_put_byte(out, '\'');
    for (unsigned i = 0; i < num; i++) {
        if (random_below(3) == 0)
            orma_buf_put_byte(out, '%');
        orma_buf_put_str(out, PICK(pieces));
    }
    orma_buf_put_byte(out, '\'');
}

static void put_call(struct orma_buf *out)
{
    static const struct {
        const char *name;
        unsigned args;
    } calls[] = {{"replace", 3}, {"instr", 2}, {"trim", 1},  {"trim", 2},      {"ltrim", 2},
                 {"rtrim", 2},   {"ltrim", 1}, {"rtrim", 1}, {"json_patch", 2}};
    unsigned which = random_below(2 * ORMA_ARRAY_LEN(calls));
    bool formats = which >= ORMA_ARRAY_LEN(calls);
    unsigned args = formats ? random_below(5) : calls[which].args;

    orma_buf_put_str(out, formats ? "printf(" : calls[which].name);
    if (formats)
        put_format(out);
    else
        orma_buf_put_byte(out, '(');
    for (unsigned i = 0; i < args; i++) {
        if (i || formats)
            orma_buf_put_byte(out, ',');
        /* A number stays one in SQLite 3.40 where nothing is replaced. */
        bool is_kept = !formats && !i && args == 3;
        orma_buf_printf(out, is_kept ? "CAST(%s AS TEXT)" : "%s", value());
    }
    orma_buf_put_byte(out, ')');
}

/* Kind, bytes, or the error. */
static void ask(sqlite3 *db, const char *sql, struct orma_buf *out)
{
    sqlite3_stmt *stmt = NULL;

    orma_buf_clear(out);
    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW)
        for (int i = 0; i < 2; i++)
            orma_buf_printf(out, "%s ", (const char *)sqlite3_column_text(stmt, i));
    else
        orma_buf_printf(out, "error: %s", sqlite3_errmsg(db));
    sqlite3_finalize(stmt);
}

Test(heavy, gives_what_sqlite_gives)
{
    struct orma_buf sql = {0}, ours = {0}, theirs = {0};
    struct engine e;
    sqlite3 *plain;

    engine_init(&e);
    cr_assert_eq(sqlite3_open(":memory:", &plain), SQLITE_OK);
    for (unsigned i = 0; i < 20000; i++) {
        orma_buf_clear(&sql);
        orma_buf_put_str(&sql, "SELECT typeof(x), hex(x) FROM (SELECT ");
        put_call(&sql);
        orma_buf_put_str(&sql, " AS x)");
        ask(plain, orma_buf_cstr(&sql), &theirs);
        ask(e.sql->db, orma_buf_cstr(&sql), &ours);
        cr_assert_str_eq(orma_buf_cstr(&ours), orma_buf_cstr(&theirs), "%s\n%s\n%s",
                         orma_buf_cstr(&sql), orma_buf_cstr(&ours), orma_buf_cstr(&theirs));
    }
    sqlite3_close(plain);
    engine_fini(&e);
    orma_buf_fini(&sql);
    orma_buf_fini(&ours);
    orma_buf_fini(&theirs);
}

/* Each would be one step of minutes. */
Test(heavy, refuses_what_takes_too_long)
{
    static const struct engine_check checks[] = {
        {"a character", "SELECT printf('%.*c', 2147483647, 'x')", "error: string or blob too big"},
        {"characters", "SELECT format('%.2147483647c', 'xyz')", "error: string or blob too big"},
        {"a width", "SELECT printf('%*d', 2147483647, 1)", "error: string or blob too big"},
        {"many", "SELECT printf('%.50000000e%.50000000e', 1.0, 1.0)",
         "error: string or blob too big"},
        {"a text is not made longer", "SELECT printf('%.*s', 2147483647, 'x')", "x"},
        {"a pattern", "SELECT hex(zeroblob(1000000)) LIKE '%' || hex(zeroblob(2400)) || '1'",
         "error: LIKE or GLOB pattern too complex"},
        {"a patch", "SELECT json_patch(x, x) FROM (SELECT json_array(hex(zeroblob(200000))) AS x)",
         "error: json_patch: a patch of 400004 bytes for JSON of 400004 would take too long"},
        {"texts", "SELECT length(concat(x, x, x)) FROM (SELECT hex(zeroblob(20000000)) AS x)",
         "error: too big"},
    };

    engine_checks(NULL, checks, ORMA_ARRAY_LEN(checks));
}

Test(heavy, looks_at_the_time)
{
    static const char *const calls[] = {"replace(x, '0', '1')",
                                        "printf(replace(substr(x, 1, 20000000), '00', '%s'), 1)",
                                        "trim(x, hex(zeroblob(20000)))", "instr(x, 'b')"};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(calls); i++) {
        struct orma_buf sql = {0};
        struct engine e;

        engine_init(&e);
        e.sql->given.time_limit_ns = 1;
        orma_buf_printf(&sql, "SELECT length(%s) FROM (SELECT hex(zeroblob(20000000)) AS x)",
                        calls[i]);
        engine_expect(&e, calls[i], orma_buf_cstr(&sql), "error: takes longer than");
        engine_fini(&e);
        orma_buf_fini(&sql);
    }
}
