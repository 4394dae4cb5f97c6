#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "processor/sql/dialect/compat.h"
#include "processor/sql/dialect/script.h"
#include "processor/sql/dialect/token.h"
#include "tests/support/leaks.h"

/* A script with its macros and its error, over one text. */
struct fixture {
    struct orma_macros macros;
    struct orma_script script;
    struct orma_sql_error error;
    struct orma_buf shown;
};

static void start(struct fixture *f, const char *sql)
{
    struct orma_sql_source *source = orma_sql_source_new("File \"stdin\"", orma_str_from(sql));

    cr_assert_eq(orma_script_init(&f->script, source, &f->macros), 0);
    orma_sql_source_unref(source);
}

/* The next statement that is not CREATE MACRO; those are put into the store. */
static int next(struct fixture *f)
{
    for (;;) {
        int r = orma_script_next(&f->script, &f->error);
        struct orma_statement *s = &f->script.statement;
        struct orma_str params[8];
        char name[64];

        if (r <= 0 || s->kind != ORMA_STMT_CREATE_MACRO)
            return r;
        snprintf(name, sizeof(name), "Macro \"%.*s\"", ORMA_STR_ARG(s->name));
        struct orma_sql_source *body = orma_sql_source_new(name, s->body);
        for (size_t i = 0; i < s->args.len; i++)
            params[i] = s->args.fields[i].name;
        cr_assert_eq(orma_macros_put(&f->macros, s->name, params, s->args.len, body), 0);
        orma_sql_source_unref(body);
    }
}

static const char *error_text(struct fixture *f)
{
    orma_buf_clear(&f->shown);
    orma_sql_error_put(&f->error, &f->shown);
    return orma_buf_cstr(&f->shown);
}

static void finish(struct fixture *f)
{
    orma_script_fini(&f->script);
    orma_macros_fini(&f->macros);
    orma_sql_error_fini(&f->error);
    orma_buf_fini(&f->shown);
}

/* What reaches SQLite of the one statement of `sql` that is no macro. */
static void expect_sql(const char *what, const char *sql, const char *want)
{
    struct fixture f = {0};

    start(&f, sql);
    cr_assert_eq(next(&f), 1, "%s: %s", what, error_text(&f));
    struct orma_str got = f.script.statement.body;
    cr_assert(orma_str_eq_c(got, want), "%s: got <%.*s>, want <%s>", what, ORMA_STR_ARG(got), want);
    cr_assert_eq(next(&f), 0, "%s: more than one statement", what);
    finish(&f);
}

static void expect_error(const char *what, const char *sql, const char *want)
{
    struct fixture f = {0};
    int r;

    start(&f, sql);
    while ((r = next(&f)) > 0)
        ;
    cr_assert(r < 0, "%s: no error", what);
    cr_assert(strstr(error_text(&f), want), "%s: got <%s>, want <%s>", what, error_text(&f), want);
    cr_assert_eq(next(&f), 0, "the script is over after an error");
    finish(&f);
}

Test(token, cuts_text_as_sqlite_does)
{
    static const struct {
        const char *text;
        const char *kinds; /* W word, Q quoted, S string, B blob, N number, V variable, ... */
    } cases[] = {
        {"a", "W"},
        {"a.b", "W.W"},
        {"\"a\"\"b\"", "Q"},
        {"'it''s'", "S"},
        {"x'00ff'", "B"},
        {"x'0'", "!"},
        {"x'0g'", "!"},
        {"X'", "!"},
        {"1_000", "N"},
        {"1__0", "!"},
        {"1_", "!"},
        {"0x_1", "!"},
        {"0xfF_1", "N"},
        {"1.5e-3", "N"},
        {".5", "N"},
        {"1.", "N"},
        {"1e", "!"},
        {"12ab", "!"},
        {"$a", "V"},
        {"$", "!"},
        {"?12", "V"},
        {"a!b", "W#W"},
        {"a!=b", "WOW"},
        {"a!(b)", "W#(W)"},
        {"->>", "O"},
        {"->", "O"},
        {"--x\n1", "N"},
        {"/*x*/1", "N"},
        {"/*x", ""},
        {"'x", "!"},
        {"[a b]", "Q"},
        {"[a", "!"},
        {"`a`", "Q"},
        {"a\xc2\xa0"
         "b",
         "WW"},
        {"\xc3\xa4", "W"},
        {"a||b", "WOW"},
        {"<>", "O"},
        {"<<", "O"},
        {"\x01", "!"},
        {"{", "!"},
        {"(),;", "(),;"},
        {"xyz", "W"},
        {"x", "W"},
    };
    static const char letters[] = {
        [ORMA_TOK_WORD] = 'W',      [ORMA_TOK_QUOTED] = 'Q', [ORMA_TOK_STRING] = 'S',
        [ORMA_TOK_BLOB] = 'B',      [ORMA_TOK_NUMBER] = 'N', [ORMA_TOK_VARIABLE] = 'V',
        [ORMA_TOK_OPERATOR] = 'O',  [ORMA_TOK_DOT] = '.',    [ORMA_TOK_BANG] = '#',
        [ORMA_TOK_COMMA] = ',',     [ORMA_TOK_OPEN] = '(',   [ORMA_TOK_CLOSE] = ')',
        [ORMA_TOK_SEMICOLON] = ';', [ORMA_TOK_BAD] = '!',
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct orma_str text = orma_str_from(cases[i].text);
        char got[32] = "";
        size_t len = 0;
        struct orma_token tok = orma_token_next_solid(text, 0);

        for (; tok.kind != ORMA_TOK_END; tok = orma_token_next_solid(text, tok.at + tok.len)) {
            cr_assert(tok.len > 0 && len + 1 < sizeof(got));
            got[len++] = letters[tok.kind];
        }
        cr_assert_eq(strcmp(got, cases[i].kinds), 0, "<%s>: got %s, want %s", cases[i].text, got,
                     cases[i].kinds);
    }
}

Test(script, cuts_statements_at_semicolons)
{
    struct fixture f = {0};

    start(&f, ";; select 1 ; -- c;\n select ';' /*;*/ , \"a;\"; "
              "create temp trigger x after insert on t begin select 1; select 2; end; ;select 3");
    cr_assert_eq(next(&f), 1);
    cr_assert(orma_str_eq_c(f.script.statement.body, "select 1"));
    cr_assert_eq(next(&f), 1);
    cr_assert(orma_str_eq_c(f.script.statement.body, "select ';' /*;*/ , \"a;\""));
    cr_assert_eq(next(&f), 1);
    cr_assert(strstr(orma_buf_cstr(&f.script.expanded.buf), "select 2; end"));
    cr_assert_eq(next(&f), 1);
    cr_assert(orma_str_eq_c(f.script.statement.body, "select 3"));
    cr_assert_eq(next(&f), 0);
    finish(&f);
    orma_assert_no_leaks();
}

Test(script, nothing_is_no_statement)
{
    static const char *const texts[] = {
        "", ";", " \n;;\t", "-- only a comment", "/* open", "\xc2\xa0;\xc2\xa0"};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(texts); i++) {
        struct fixture f = {0};

        start(&f, texts[i]);
        cr_assert_eq(next(&f), 0, "<%s>", texts[i]);
        finish(&f);
    }
    orma_assert_no_leaks();
}

#define MACRO "create perfetto macro "

Test(macro, replaces_tokens_by_tokens)
{
    static const struct {
        const char *what, *sql, *want;
    } cases[] = {
        {"no macro", "select a!=b, $x", "select a!=b, $x"},
        {"none to expand", "select a ! b", "select a ! b"},
        {"no argument", MACRO "m() returns Expr as 1 + 2; select m!()", "select 1 + 2"},
        {"two arguments", MACRO "f(a Expr, b Expr) returns Expr as $a - $b; select f!(1, (2, 3))",
         "select 1 - (2, 3)"},
        {"case of words", MACRO "Foo(a Expr) returns expr as $a; select Foo!(x)", "select x"},
        {"case of parameters", MACRO "m(A Expr, B Expr) returns Expr as $a $A $B; select m!(1, 2)",
         "select $a 1 2"},
        {"in its own argument", MACRO "m(a Expr) returns Expr as <$a>; select m!(m!(1))",
         "select < < 1 > >"},
        {"a parameter that names a macro",
         MACRO "one(x Expr) returns Expr as <$x>;" MACRO
               "all(f Expr, x Expr) returns Expr as $f!($x); select all!(one, 2)",
         "select < 2 >"},
        {"unknown variables stay", MACRO "m(a Expr) returns Expr as $a + $b; select m!($c)",
         "select $c + $b"},
        {"blanks and comments around arguments",
         MACRO "m(a Expr, b Expr) returns Expr as [$a] '$a' \"$b\" $a/*c*/$b; "
               "select m!( -- first\n x , /* y */ y -- z\n)",
         "select [$a] '$a' \"$b\" x y"},
        {"tokens do not grow together",
         MACRO "m(a Expr, b Expr) returns Expr as $a/**/$b -$a; select m!(-1, 2)m!(x,y)",
         "select -1 2 - -1 x y - x"},
        {"nested in an argument", MACRO "m(a Expr) returns Expr as ($a); select m!(m!(m!(1)))",
         "select (((1)))"},
        {"nested in a body",
         MACRO "in(a Expr) returns Expr as <$a>;" MACRO
               "out(a Expr) returns Expr as in!($a + 1) , in!($a); select out!(2)",
         "select < 2 + 1 > , < 2 >"},
        {"arguments are not scanned again",
         MACRO "in(b Expr) returns Expr as $b;" MACRO
               "out(a Expr, b Expr) returns Expr as in!($a); select out!($b, 7)",
         "select $b"},
        {"a quoted comma", MACRO "m(a Expr) returns Expr as $a; select m!(','), m!((a,b))",
         "select ',', (a,b)"},
        {"blanks before the mark", MACRO "m(a Expr) returns Expr as $a; select m \n !(1)",
         "select 1"},
        {"a blank behind the mark", "select m! (1)", "select m! (1)"},
        {"a comment before the mark", "select m/**/!(1)", "select m/**/!(1)"},
        {"a call in a view",
         MACRO "m(a Expr) returns TableOrSubquery as (select $a); select * from m!(1) join m!(2)",
         "select * from (select 1) join (select 2)"},
        {"macro that is only a comment", MACRO "m() returns Expr as 1 /* x */; select m!()",
         "select 1"},
        {"blank U+00A0",
         "select\xc2\xa0"
         "1,'\xc2\xa0'",
         "select 1,'\xc2\xa0'"},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++)
        expect_sql(cases[i].what, cases[i].sql, cases[i].want);
    orma_assert_no_leaks();
}

Test(macro, has_built_in_ones_for_lists_and_literals)
{
    static const struct {
        const char *what, *sql, *want;
    } cases[] = {
        {"stringify", "select __intrinsic_stringify!( a ''b'' )", "select 'a ''b'''"},
        {"stringify leaves calls and comments",
         MACRO "m(x Expr) returns Expr as __intrinsic_stringify!($x.$y /*1*/  n!());" MACRO
               "n() returns Expr as 1; select m!( t  (n!()) )",
         "select 't  (n!()).$y /*1*/  n!()'"},
        {"stringify under its other name",
         MACRO "m(x Expr) returns Expr as "
               "__intrinsic_stringify_ignore_table!(select $x from $table); select m!(c)",
         "select 'select c from $table'"},
        {"stringify of elements",
         MACRO "m(x Expr) returns Expr as __intrinsic_stringify!($x);" MACRO
               "n() returns Expr as 1; select __intrinsic_token_apply!(m, (a, n!(), b))",
         "select 'a', 'n!()', 'b'"},
        {"a comma at the end",
         MACRO "m(a Expr) returns Expr as f($a); "
               "select __intrinsic_token_apply!(m, (a, b,))",
         "select f(a), f(b)"},
        {"apply",
         MACRO "m(a Expr) returns Expr as f($a); "
               "select __intrinsic_token_apply!(m, (a, (b, c), d))",
         "select f(a), f((b, c)), f(d)"},
        {"apply to nothing",
         MACRO "m(a Expr) returns Expr as f($a); "
               "select 1 __intrinsic_token_apply_prefix!(m, ()) from t",
         "select 1  from t"},
        {"apply with a leading comma",
         MACRO "m(a Expr) returns Expr as f($a); "
               "select 1 __intrinsic_token_apply_prefix!(m, (x,y))",
         "select 1 , f(x), f(y)"},
        {"apply to two lists",
         MACRO "m(a Expr, b Expr) returns Expr as $a = $b; "
               "select __intrinsic_token_apply_and!(m, (a, b), (c, d))",
         "select a = c AND b = d"},
        {"apply to lists of two lengths",
         MACRO "m(a Expr, b Expr) returns Expr as $a = $b; "
               "select 1 __intrinsic_token_apply_and_prefix!(m, (x, y, z), (1, 2))",
         "select 1  AND x = 1 AND y = 2"},
        {"a list from outside",
         MACRO "one(x Expr) returns Expr as t.$x;" MACRO
               "all(l ColumnNameList) returns Expr as __intrinsic_token_apply!(one, $l); "
               "select all!((a, b))",
         "select t.a, t.b"},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++)
        expect_sql(cases[i].what, cases[i].sql, cases[i].want);
    orma_assert_no_leaks();
}

Test(macro, refuses_what_can_not_be_expanded)
{
    static const struct {
        const char *what, *sql, *want;
    } cases[] = {
        {"unknown", "select nope!(1)", "unknown macro 'nope'"},
        {"too few", MACRO "m(a Expr, b Expr) returns Expr as 1; select m!(1)",
         "syntax error near '!': macro 'm' has 2 arguments, but 1 are given"},
        {"too many", MACRO "m() returns Expr as 1; select m!(1,2)", "has 0 arguments, but 2 are given"},
        {"not closed", MACRO "m(a Expr) returns Expr as 1; select m!(m!(1)", "missing ')'"},
        {"calls itself", MACRO "m(a Expr) returns Expr as m!($a); select m!(1)",
         "recursive macro expansion: 'm'"},
        {"case of names", MACRO "Foo(a Expr) returns Expr as $a; select fOO!(x)",
         "unknown macro 'fOO'"},
        {"an element that is empty",
         MACRO "m(a Expr) returns Expr as $a; select __intrinsic_token_apply!(m, (,a))",
         "an element of the list is empty"},
        {"texts to stringify", "select __intrinsic_stringify!(a, b)", "takes one argument"},
        {"calls itself through another",
         MACRO "a() returns Expr as b!();" MACRO "b() returns Expr as a!(); select a!()",
         "recursive macro expansion"},
        {"argument list of token_apply", "select __intrinsic_token_apply!(m)",
         "has 2 or 3 arguments"},
        {"type", MACRO "m(a Foo) returns Expr as 1",
         "Macro 'm' argument 'a' is unknown type 'Foo'. Allowed types: ColumnNameList, "},
        {"return type", MACRO "m() returns LONG as 1",
         "Macro m return type LONG is unknown. Allowed types: ColumnNameList, "},
        {"no body", MACRO "m() returns Expr as ", "incomplete input"},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++)
        expect_error(cases[i].what, cases[i].sql, cases[i].want);
    orma_assert_no_leaks();
}

Test(macro, stays_bounded_when_it_doubles)
{
    struct orma_buf sql = {0};

    orma_buf_put_str(&sql, MACRO "m(a Expr) returns Expr as $a, $a; select ");
    for (int i = 0; i < 40; i++)
        orma_buf_put_str(&sql, "m!(");
    orma_buf_put_str(&sql, "12345678");
    for (int i = 0; i < 40; i++)
        orma_buf_put_str(&sql, ")");
    expect_error("pieces", orma_buf_cstr(&sql), "macro expansion copies more than 256 MiB");

    orma_buf_clear(&sql);
    orma_buf_put_str(&sql, MACRO "m(a Expr) returns Expr as $a, $a; select ");
    for (int i = 0; i < 7; i++)
        orma_buf_put_str(&sql, "m!(");
    orma_buf_put_str(&sql, "'");
    for (int i = 0; i < 1 << 20; i++)
        orma_buf_put_str(&sql, "x");
    orma_buf_put_str(&sql, "')))))))");
    expect_error("size", orma_buf_cstr(&sql), "exceeds 64 MiB");

    /* Comments are read again with each call, and make nothing. */
    orma_buf_clear(&sql);
    orma_buf_put_str(&sql, MACRO "m0() returns Expr as 1 /*");
    for (int i = 0; i < 1 << 20; i++)
        orma_buf_put_str(&sql, "x");
    orma_buf_put_str(&sql, "*/ + 1;");
    for (int i = 1; i < 20; i++)
        orma_buf_printf(&sql, MACRO "m%d() returns Expr as m%d!() m%d!();", i, i - 1, i - 1);
    orma_buf_put_str(&sql, "select m19!()");
    expect_error("comments", orma_buf_cstr(&sql), "macro expansion copies more than 256 MiB");

    /* Each level copies those below: the result would be small enough. */
    orma_buf_clear(&sql);
    orma_buf_put_str(&sql, MACRO "m0(x Expr) returns Expr as $x+$x;");
    for (int i = 1; i < 6; i++)
        orma_buf_printf(&sql, MACRO "m%d(x Expr) returns Expr as m%d!(m%d!($x));", i, i - 1, i - 1);
    orma_buf_put_str(&sql, "select m5!(1)");
    expect_error("levels", orma_buf_cstr(&sql), "macro expansion copies more than 256 MiB");

    orma_buf_clear(&sql);
    orma_buf_put_str(&sql, MACRO "m0() returns Expr as /**/ 1;");
    for (int i = 1; i < 40; i++)
        orma_buf_printf(&sql, MACRO "m%d() returns Expr as m%d!() m%d!();", i, i - 1, i - 1);
    orma_buf_put_str(&sql, "select m39!()");
    expect_error("calls", orma_buf_cstr(&sql), "more than 200000 macro calls");

    orma_buf_clear(&sql);
    orma_buf_put_str(&sql, MACRO "m(a Expr) returns Expr as $a; select ");
    for (int i = 0; i < 5000; i++)
        orma_buf_put_str(&sql, "m!(");
    orma_buf_put_str(&sql, "1");
    for (int i = 0; i < 5000; i++)
        orma_buf_put_str(&sql, ")");
    expect_error("depth", orma_buf_cstr(&sql), "nested too deeply");
    orma_buf_fini(&sql);
    orma_assert_no_leaks();
}

Test(statement, keeps_what_the_dialect_adds)
{
    struct fixture f = {0};
    struct orma_statement *s = &f.script.statement;

    start(&f,
          "create or replace perfetto table t using dataframe (a long, b JOINID(x.y)) as select 1;"
          "CREATE PERFETTO VIEW v(c string) AS select 'x' as c -- end\n;"
          "create perfetto function f(a int, b timestamp) returns double as select $a + $b;"
          "create perfetto function g(a any) returns table(x long, y string) as select $a x, '';"
          "create perfetto function h(a any...) returns bool delegates to hash;"
          "create or replace perfetto index i on t(a, b); drop perfetto index i on t;"
          "include perfetto module a.b.*; include perfetto module *; drop table t;"
          "create or replace view q as select 1; select include, module, perfetto from macro");
    cr_assert_eq(next(&f), 1, "%s", error_text(&f));
    cr_assert(s->kind == ORMA_STMT_CREATE_TABLE && s->replace && s->columns.len == 2);
    cr_assert(s->columns.fields[1].class == ORMA_CLASS_INTEGER);
    cr_assert(orma_str_eq_c(s->columns.fields[1].type, "JOINID(x.y)"));
    cr_assert(orma_str_eq_c(s->body, "select 1"));
    cr_assert_eq(next(&f), 1);
    cr_assert(s->kind == ORMA_STMT_CREATE_VIEW && !s->replace);
    cr_assert(orma_str_eq_c(s->name, "v") && orma_str_eq_c(s->body, "select 'x' as c"));
    cr_assert_eq(next(&f), 1);
    cr_assert(s->kind == ORMA_STMT_CREATE_FUNCTION && s->args.len == 2 && !s->columns.given);
    cr_assert_eq(s->returns.class, ORMA_CLASS_REAL);
    cr_assert_eq(next(&f), 1);
    cr_assert(s->kind == ORMA_STMT_CREATE_FUNCTION && s->columns.given && s->columns.len == 2);
    cr_assert_eq(next(&f), 1);
    cr_assert(orma_str_eq_c(s->delegate, "hash") && s->args.fields[0].variadic);
    cr_assert_eq(next(&f), 1);
    cr_assert(s->kind == ORMA_STMT_CREATE_INDEX && s->replace && s->args.len == 2);
    cr_assert(orma_str_eq_c(s->table, "t") && orma_str_eq_c(s->name, "i"));
    cr_assert_eq(next(&f), 1);
    cr_assert(s->kind == ORMA_STMT_DROP_INDEX && orma_str_eq_c(s->table, "t"));
    cr_assert_eq(next(&f), 1);
    cr_assert(s->kind == ORMA_STMT_INCLUDE && orma_str_eq_c(s->name, "a.b.*"));
    cr_assert_eq(next(&f), 1);
    cr_assert(s->kind == ORMA_STMT_INCLUDE && orma_str_eq_c(s->name, "*"));
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(next(&f), 1, "%s", error_text(&f));
        cr_assert_eq(s->kind, ORMA_STMT_SQLITE);
    }
    cr_assert_eq(next(&f), 0);
    finish(&f);
    orma_assert_no_leaks();
}

Test(statement, expands_macros_everywhere_but_in_macros)
{
    struct fixture f = {0};
    struct orma_statement *s = &f.script.statement;

    start(&f, MACRO "m(a Expr) returns Expr as ($a);" MACRO "n() returns Expr as m!(5);"
                    "create perfetto function f(x int) returns int as select m!($x);"
                    "create perfetto table t as select n!();");
    cr_assert_eq(next(&f), 1, "%s", error_text(&f));
    cr_assert(orma_str_eq_c(s->body, "select ($x)"));
    cr_assert_eq(next(&f), 1);
    cr_assert(orma_str_eq_c(s->body, "select (5)"));
    finish(&f);
    orma_assert_no_leaks();
}

Test(statement, refuses_bad_forms)
{
    static const struct {
        const char *what, *sql, *want;
    } cases[] = {
        {"nothing behind", "create perfetto", "incomplete input"},
        {"no such object", "create perfetto sequence x", "syntax error near 'sequence'"},
        {"type", "create perfetto table t(a boolean) as select 1", "Unknown column type: boolean"},
        {"no type", "create perfetto table t(a) as select 1", "syntax error near ')'"},
        {"column twice", "create perfetto table t(a int, A int) as select 1",
         "multiple columns are named A"},
        {"no body", "create perfetto table t as", "incomplete input"},
        {"unknown variable",
         "create perfetto function f(a int) returns table(x int) as select $a + $b as x",
         "$b is not an argument of function 'f'"},
        {"variadic with a body", "create perfetto function f(a any...) returns int as select 1",
         "only allowed in functions that delegate"},
        {"variadic in the middle",
         "create perfetto function f(a any..., b any) returns int delegates to x",
         "only the last argument"},
        {"two dots", "create perfetto function f(a any..) returns int delegates to x",
         "syntax error near ')'"},
        {"star in the middle", "include perfetto module a.*.b", "syntax error near '.'"},
        {"no module", "include perfetto module", "incomplete input"},
        {"index without columns", "create perfetto index i on t()", "incomplete input"},
        {"drop table", "drop perfetto table t", "syntax error near 'table'"},
        {"more behind", "drop perfetto index i on t where 1", "syntax error near 'where'"},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++)
        expect_error(cases[i].what, cases[i].sql, cases[i].want);
    orma_assert_no_leaks();
}

Test(error, shows_line_column_and_caret)
{
    expect_error("place", "select 1;\n\n  create perfetto nope x;",
                 "Traceback (most recent call last):\n"
                 "  File \"stdin\" line 3 col 19\n"
                 "      create perfetto nope x;\n"
                 "                      ^\n"
                 "syntax error near 'nope'");
}

Test(error, goes_through_the_macros)
{
    struct fixture f = {0};
    struct orma_buf out = {0};

    start(&f, MACRO "in(a Expr) returns Expr as\n nope($a);\n" MACRO
                    "out(a Expr) returns Expr as (in!($a));\nselect out!(x), 1");
    cr_assert_eq(next(&f), 1);
    struct orma_str got = orma_sql_text_str(f.script.statement.text);
    cr_assert(orma_str_eq_c(got, "select (nope(x)), 1"));
    orma_sql_error_set(&f.error, f.script.statement.text, 8, "no such function: %s", "nope");
    orma_sql_error_put(&f.error, &out);
    cr_assert_str_eq(orma_buf_cstr(&out), "Fully expanded statement\n"
                                          "  select (nope(x)), 1\n"
                                          "          ^\n"
                                          "Traceback (most recent call last):\n"
                                          "  File \"stdin\" line 4 col 8\n"
                                          "    select out!(x), 1\n"
                                          "           ^\n"
                                          "  Macro \"out\" line 1 col 2\n"
                                          "    (in!($a))\n"
                                          "     ^\n"
                                          "  Macro \"in\" line 1 col 1\n"
                                          "    nope($a)\n"
                                          "    ^\n"
                                          "no such function: nope");
    orma_buf_fini(&out);
    finish(&f);
    orma_assert_no_leaks();
}

Test(error, cuts_long_lines_around_the_caret)
{
    struct fixture f = {0};
    char sql[1000];

    memset(sql, 'x', sizeof(sql));
    memcpy(sql, "select ", 7);
    memcpy(sql + 990, "a!(b) y", 8);
    sql[500] = ' ';
    memcpy(sql + 501, "nope!()", 7);
    start(&f, sql);
    cr_assert(next(&f) < 0);
    const char *shown = error_text(&f);
    const char *line = strstr(shown, "\n    ") + 5;
    size_t before = strcspn(line, "n");
    cr_assert_eq(strcspn(line, "\n"), 256u);
    cr_assert_eq(before, 128u);
    finish(&f);
    orma_assert_no_leaks();
}

Test(modern, rewrites_what_old_sqlite_lacks)
{
    static const struct {
        const char *what, *sql, *want;
    } cases[] = {
        {"digit groups", "select 1_000, a_1, 0xff_ff, '1_0'",
         "select 1000 AS \"1_000\", a_1, 0xffff AS \"0xff_ff\", '1_0'"},
        {"order inside an aggregate", "select group_concat(a, ',' order by b desc, c) from t",
         "select __orma_ordered('SELECT group_concat(__orma_cell(?1,r,0),__orma_cell(?1,r,1)) FROM "
         "(SELECT r FROM __orma_rows(?1) ORDER BY c2 desc, c3 )', a, ',' ,  b ,  c) "
         "AS \"group_concat(a, ',' order by b desc, c)\" from t"},
        {"distinct", "select count(distinct a order by b collate nocase) from t",
         "select __orma_ordered('SELECT count(DISTINCT __orma_cell(?1,r,0)) FROM "
         "(SELECT r FROM __orma_rows(?1) ORDER BY c1 collate nocase)',  a ,  b ) "
         "AS \"count(distinct a order by b collate nocase)\" from t"},
        {"if", "drop table if exists t", "drop table if exists t"},
        {"if as a function", "select if(a, if (b, 1, 2), 3)",
         "select iif(a, iif (b, 1, 2), 3) AS \"if(a, if (b, 1, 2), 3)\""},
        {"names stay", "select if(a, b, 1) as c, if(a, b, 1) d, x from t where if(a, b, 1)",
         "select iif(a, b, 1) as c, iif(a, b, 1) d, x from t where iif(a, b, 1)"},
        {"names of queries inside", "select a in (select all 1_0), (select if(b, 1, 2) from t)",
         "select a in (select all 10 AS \"1_0\") AS \"a in (select all 1_0)\", "
         "(select iif(b, 1, 2) AS \"if(b, 1, 2)\" from t) AS \"(select if(b, 1, 2) from t)\""},
        {"windows stay",
         "select sum(a) over (partition by b order by c), rank() over w from t "
         "window w as (order by c)",
         "select sum(a) over (partition by b order by c), rank() over w from t "
         "window w as (order by c)"},
        {"queries stay", "select * from t where a in (select b from c order by d) order by max(e)",
         "select * from t where a in (select b from c order by d) order by max(e)"},
        {"order in a query in a call", "select f((select x from t order by y)) order by z",
         "select f((select x from t order by y)) order by z"},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++)
        expect_sql(cases[i].what, cases[i].sql, cases[i].want);
    orma_assert_no_leaks();
}

Test(modern, knows_where_rewritten_text_came_from)
{
    struct fixture f = {0};

    start(&f, "select 1_000_000 + nope");
    cr_assert_eq(next(&f), 1);
    struct orma_str got = orma_sql_text_str(f.script.statement.text);
    const char *at = strstr(got.data, "nope");
    struct orma_sql_origin origin =
        orma_sql_text_origin(f.script.statement.text, (uint32_t)(at - got.data));
    cr_assert_eq(origin.at, strlen("select 1_000_000 + "));
    finish(&f);
    orma_assert_no_leaks();
}

/* Text that goes through unchanged means the same to SQLite: same rows with and without us. */
Test(script, leaves_plain_sql_to_sqlite)
{
    static const char *const queries[] = {
        "select 1, 'a''b', x'41', \"q\" from (select 2 as \"q\")",
        "with recursive n(i) as (select 1 union all select i+1 from n where i<5) select * from n",
        "select '{\"a\":1}' ->> 'a', 3 != 4, 3 <> 4, 1 << 3, ~5 from (values(1)) where 1=1",
        "select case when 1 then 'x;y' else null end -- trailing",
        "select row_number() over (order by column1 desc) from (values (1),(2))",
    };
    sqlite3 *db;

    cr_assert_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(queries); i++) {
        struct fixture f = {0};
        sqlite3_stmt *a, *b;

        start(&f, queries[i]);
        cr_assert_eq(next(&f), 1);
        struct orma_str body = f.script.statement.body;
        cr_assert_eq(sqlite3_prepare_v2(db, queries[i], -1, &a, NULL), SQLITE_OK);
        cr_assert_eq(sqlite3_prepare_v2(db, body.data, (int)body.len, &b, NULL), SQLITE_OK);
        for (int more = 1; more;) {
            more = sqlite3_step(a) == SQLITE_ROW;
            cr_assert_eq(sqlite3_step(b) == SQLITE_ROW, more);
            for (int c = 0; more && c < sqlite3_column_count(a); c++) {
                const char *x = (const char *)sqlite3_column_text(a, c);
                const char *y = (const char *)sqlite3_column_text(b, c);

                cr_assert(x == y || (x && y && !strcmp(x, y)), "%s", queries[i]);
            }
        }
        sqlite3_finalize(a);
        sqlite3_finalize(b);
        finish(&f);
    }
    sqlite3_close(db);
    orma_assert_no_leaks();
}

Test(names, are_quoted_and_unquoted_whatever_is_in_them)
{
    static const char *const pairs[][2] = {
        {"abc", "abc"}, {"\"a b\"", "a b"}, {"\"a\"\"b\"", "a\"b"}, {"[x]", "x"}, {"`y``z`", "y`z"},
    };
    struct orma_buf out = {0};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(pairs); i++) {
        char *got = orma_sql_unquote(orma_str_from(pairs[i][0]));

        cr_assert_str_eq(got, pairs[i][1]);
        free(got);
    }
    orma_sql_put_quoted(&out, ORMA_STR("a\"; drop table x; --"));
    orma_sql_put_literal(&out, ORMA_STR("it's"));
    cr_assert_str_eq(orma_buf_cstr(&out), "\"a\"\"; drop table x; --\"'it''s'");
    orma_buf_fini(&out);
    orma_assert_no_leaks();
}

Test(names, prototypes_of_legacy_functions_are_parsed)
{
    struct orma_sql_source *source = orma_sql_source_new("x", ORMA_STR("foo(a INT, b STRING)"));
    struct orma_sql_text text = {0};
    struct orma_sql_error error = {0};
    struct orma_sql_fields args = {0};
    struct orma_str name;

    orma_sql_text_put(&text, (struct orma_sql_origin){source, 0, ORMA_SQL_NO_CALL},
                      (uint32_t)source->len);
    cr_assert_eq(orma_sql_parse_prototype(&text, &name, &args, &error), 0);
    cr_assert(orma_str_eq_c(name, "foo") && args.len == 2 &&
              args.fields[1].class == ORMA_CLASS_TEXT);
    orma_sql_fields_fini(&args);
    cr_assert(orma_sql_parse_columns(&text, &args, &error) < 0);
    orma_sql_fields_fini(&args);
    orma_sql_error_fini(&error);
    orma_sql_text_fini(&text);
    orma_sql_source_unref(source);
    orma_assert_no_leaks();
}
