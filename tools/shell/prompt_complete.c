/*
 * What can follow: asked of the engine for each Tab, in SQL, by the place of the word.
 *
 *   .re|, \x|   commands, and then what they take: sections, modes, files, slices, tables
 *   'do_wo|      names of slices, processes, threads
 *   t.na|        columns of the table that is called t
 *   na|          columns of the tables that the statement names, or of the usual ones; also
 *                tables, functions, words
 *   INCLUDE PERFETTO MODULE or|    modules
 */
#include <ctype.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tools/report/sections.h"
#include "tools/shell/prompt_impl.h"

#define CANDIDATES_MAX 2000

/* Whose columns follow where no table is named yet, as in "SELECT na|". */
#define USUAL_TABLES "slice thread process thread_state sched counter args"

const char *const orma_shell_keywords[] = {
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP BY",
    "ORDER BY",
    "LIMIT",
    "JOIN",
    "LEFT JOIN",
    "USING",
    "ON",
    "AND",
    "OR",
    "NOT",
    "AS",
    "DESC",
    "DISTINCT",
    "HAVING",
    "GLOB",
    "LIKE",
    "BETWEEN",
    "IS NULL",
    "UNION ALL",
    "WITH",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "OVER",
    "PARTITION BY",
    "EXPLAIN QUERY PLAN",
    "CREATE PERFETTO TABLE",
    "CREATE PERFETTO VIEW",
    "CREATE PERFETTO FUNCTION",
    "INCLUDE PERFETTO MODULE",
    NULL,
};

struct search {
    struct orma_shell_prompt_state *p;
    struct orma_str word;
    struct orma_buf *ret;
    unsigned num;
    unsigned tables; /* those whose columns were offered */
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* ---- candidates ---- */

/* True if it is one, and new. */
static void offer(struct search *s, const char *name)
{
    const char *first = (const char *)s->ret->data, *end = first + s->ret->len;

    if (strncasecmp(name, s->word.data, s->word.len) != 0 || s->num >= CANDIDATES_MAX)
        return;
    for (const char *w = first; w < end; w += strlen(w) + 1) {
        if (!strcasecmp(w, name))
            return;
    }
    orma_buf_put(s->ret, name, strlen(name) + 1);
    s->num++;
}

static void offer_rows(struct search *s, const char *sql)
{
    struct orma_query *q;

    if (orma_query_prepare(s->p->tp, sql, SIZE_MAX, &q, NULL) != 0)
        return;
    while (s->num < CANDIDATES_MAX && orma_query_step(q) == 1)
        offer(s, orma_query_text(q, 0));
    orma_query_free(q);
}

/* The same with the word as a prefix in place of '?'. */
static void offer_names(struct search *s, const char *table)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};

    orma_buf_printf(&sql, "SELECT DISTINCT name FROM %s WHERE name GLOB '", table);
    for (size_t i = 0; i < s->word.len; i++) {
        char c = s->word.data[i];

        if (c == '\'')
            orma_buf_put_byte(&sql, '\'');
        if (strchr("*?[", c))
            orma_buf_printf(&sql, "[%c]", c);
        else
            orma_buf_put_byte(&sql, (uint8_t)c);
    }
    orma_buf_put_str(&sql, "*' ORDER BY 1 LIMIT 500");
    if (!sql.failed)
        offer_rows(s, orma_buf_cstr(&sql));
}

/* The columns of what the statement names, if it is a table. */
static void offer_columns(struct search *s, struct orma_str name)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    struct orma_query *q;

    orma_buf_printf(&sql, "SELECT * FROM %.*s LIMIT 0", ORMA_STR_ARG(name));
    if (sql.failed || orma_query_prepare(s->p->tp, orma_buf_cstr(&sql), SIZE_MAX, &q, NULL) != 0)
        return;
    for (unsigned i = 0; i < orma_query_columns(q); i++)
        offer(s, orma_query_column_name(q, i));
    s->tables++;
    orma_query_free(q);
}

/* The word at `*at` or after it, and where it ends; empty: there is none. */
static struct orma_str next_word(struct orma_str text, size_t *at)
{
    size_t from = *at;

    while (from < text.len && !is_word(text.data[from]))
        from++;
    for (*at = from; *at < text.len && is_word(text.data[*at]);)
        (*at)++;
    return (struct orma_str){text.data + from, *at - from};
}

static bool same(struct orma_str a, struct orma_str b)
{
    return a.len == b.len && !strncasecmp(a.data, b.data, a.len);
}

/* The columns of what `alias` stands for: the table before it, "thread t" or "thread AS t". */
static void offer_columns_of_alias(struct search *s, struct orma_str statement,
                                   struct orma_str alias)
{
    struct orma_str word, before = {0};

    for (size_t at = 0; !s->tables && (word = next_word(statement, &at)).len;) {
        if (before.len && same(word, alias) && !same(before, alias))
            offer_columns(s, before);
        if (!same(word, ORMA_STR("AS")))
            before = word;
    }
    if (!s->tables)
        offer_columns(s, alias);
}

static void offer_all_columns(struct search *s, struct orma_str statement)
{
    struct orma_str word;

    for (size_t at = 0; (word = next_word(statement, &at)).len;) {
        if (word.len > 1 && word.len < 128 && !isdigit((unsigned char)*word.data))
            offer_columns(s, word);
    }
}

static void offer_sql(struct search *s)
{
    for (const char *const *k = orma_shell_keywords; *k && s->word.len; k++)
        offer(s, *k);
    offer_rows(s, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND "
                  "substr(name, 1, 1) != '_' ORDER BY 1");
    if (!s->word.len)
        return;
    offer_rows(s, "SELECT name FROM __intrinsic_stdlib_objects WHERE exposed AND object_type NOT "
                  "IN ('MODULE') ORDER BY 1");
    offer_rows(s, "SELECT DISTINCT lower(name) FROM pragma_function_list WHERE substr(name, 1, 1) "
                  "BETWEEN 'A' AND 'z' AND substr(name, 1, 1) != '_' ORDER BY 1");
}

/* ---- places ---- */

static void offer_names_of_sections(struct search *s)
{
    for (const struct orma_report_section *r = orma_report_sections; r->name; r++)
        offer(s, r->name);
}

static void offer_modes(struct search *s)
{
    for (unsigned i = 0; orma_shell_mode_name(i); i++)
        offer(s, orma_shell_mode_name(i));
}

static void offer_modules(struct search *s)
{
    offer_rows(s, "SELECT DISTINCT module FROM __intrinsic_stdlib_objects WHERE module NOT GLOB "
                  "'prelude.*' ORDER BY 1");
}

static void offer_slices(struct search *s)
{
    offer_names(s, "slice");
}

static void offer_switch(struct search *s)
{
    offer(s, "on");
    offer(s, "off");
}

static void offer_files(struct search *s)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf pattern = {0};
    glob_t found;

    for (size_t i = 0; i < s->word.len; i++)
        orma_buf_printf(&pattern, strchr("*?[\\", s->word.data[i]) ? "\\%c" : "%c",
                        s->word.data[i]);
    orma_buf_put_byte(&pattern, '*');
    if (glob(orma_buf_cstr(&pattern), GLOB_MARK, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        offer(s, found.gl_pathv[i]);
    globfree(&found);
}

/* What follows a command; others take names of tables. */
static const struct {
    const char *command;
    void (*offer)(struct search *s);
    bool whole; /* blanks are part of it */
} args[] = {
    {".mode ", offer_modes, false},   {".report ", offer_names_of_sections, false},
    {".why ", offer_slices, true},    {".modules ", offer_modules, false},
    {".timer ", offer_switch, false}, {".read ", offer_files, true},
    {".open ", offer_files, true},    {".export ", offer_files, true},
    {".schema ", offer_sql, false},   {".tables ", offer_sql, false},
};

static void complete_dot(struct search *s, struct orma_str before, size_t *ret_from)
{
    size_t from = before.len;

    while (from && before.data[from - 1] != ' ')
        from--;
    *ret_from = from;
    s->word = (struct orma_str){before.data + from, before.len - from};
    for (unsigned i = 0; !from && orma_shell_dot_name(i); i++)
        offer(s, orma_shell_dot_name(i));
    for (size_t i = 0; from && i < ORMA_ARRAY_LEN(args); i++) {
        struct orma_str command = orma_str_from(args[i].command);

        if (!orma_str_starts(before, command))
            continue;
        if (args[i].whole) {
            *ret_from = command.len;
            s->word = (struct orma_str){before.data + command.len, before.len - command.len};
        }
        args[i].offer(s);
    }
}

/* Where a text that is still open begins; `len`: there is none. */
static size_t open_text(struct orma_str before)
{
    size_t at = before.len;

    for (size_t i = 0; i < before.len; i++) {
        if (before.data[i] == '\'')
            at = at == before.len ? i : before.len;
    }
    return at;
}

static bool is_module(struct orma_str before)
{
    char text[64];
    size_t len = ORMA_MIN(before.len, sizeof(text) - 1);

    snprintf(text, sizeof(text), "%.*s", (int)len, before.data + before.len - len);
    return strcasestr(text, "PERFETTO MODULE ") != NULL;
}

/* Before the word, and after the cursor. */
static void complete_sql(struct search *s, struct orma_str before, struct orma_str after)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf whole = {0};
    size_t from = before.len - (before.len > 0), end = from;
    bool qualified = before.len && before.data[end] == '.';

    orma_buf_put(&whole, s->p->sql.data, s->p->sql.len);
    orma_buf_put(&whole, before.data, before.len);
    orma_buf_put_byte(&whole, ' ');
    orma_buf_put(&whole, after.data, after.len);
    if (whole.failed)
        return;
    if (qualified) {
        while (from && is_word(before.data[from - 1]))
            from--;
        offer_columns_of_alias(s, orma_buf_str(&whole),
                               (struct orma_str){before.data + from, end - from});
    }
    if (!s->tables)
        offer_all_columns(s, orma_buf_str(&whole));
    if (!s->tables && s->word.len)
        offer_all_columns(s, ORMA_STR(USUAL_TABLES));
    if (!qualified)
        offer_sql(s);
}

void orma_shell_complete(void *prompt, struct orma_str before, struct orma_str after,
                         size_t *ret_from, struct orma_buf *ret)
{
    struct search s = {.p = prompt, .ret = ret};
    size_t text = open_text(before), from = before.len;
    bool module = is_module(before);

    if (before.len && !s.p->sql.len && strchr(".\\", *before.data)) {
        complete_dot(&s, before, ret_from);
        return;
    }
    while (from && (is_word(before.data[from - 1]) || (module && before.data[from - 1] == '.')))
        from--;
    from = text < before.len ? text + 1 : from;
    *ret_from = from;
    s.word = (struct orma_str){before.data + from, before.len - from};
    if (text < before.len) {
        offer_names(&s, "slice");
        offer_names(&s, "process");
        offer_names(&s, "thread");
    } else if (module) {
        offer_modules(&s);
    } else {
        complete_sql(&s, (struct orma_str){before.data, from}, after);
    }
}
