/*
 * What can follow: asked of the engine for each Tab, in SQL, by the place of the word.
 *
 *   .re|               commands            INCLUDE PERFETTO MODULE or|   modules
 *   .report la|        sections            'do_wo|                       names of slices,
 * processes, threads t.na|, na|         columns of the tables that the statement names; also
 * tables, functions, words
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tools/report/sections.h"
#include "tools/shell/prompt_impl.h"

#define CANDIDATES_MAX 2000

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
    orma_query_free(q);
}

static void offer_all_columns(struct search *s, struct orma_str statement)
{
    for (size_t i = 0, from; i < statement.len; i++) {
        for (from = i; i < statement.len && is_word(statement.data[i]); i++)
            ;
        if (i - from > 1 && i - from < 128 && !isdigit((unsigned char)statement.data[from]))
            offer_columns(s, (struct orma_str){statement.data + from, i - from});
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

static void complete_dot(struct search *s, struct orma_str before, size_t *ret_from)
{
    const char *blank = memchr(before.data, ' ', before.len);
    size_t from = before.len;

    while (from && before.data[from - 1] != ' ')
        from--;
    *ret_from = from;
    s->word = (struct orma_str){before.data + from, before.len - from};
    if (!blank) {
        for (unsigned i = 0; orma_shell_dot_name(i); i++)
            offer(s, orma_shell_dot_name(i));
    } else if (orma_str_starts(before, ORMA_STR(".mode "))) {
        for (unsigned i = 0; orma_shell_mode_name(i); i++)
            offer(s, orma_shell_mode_name(i));
    } else if (orma_str_starts(before, ORMA_STR(".report "))) {
        for (const struct orma_report_section *r = orma_report_sections; r->name; r++)
            offer(s, r->name);
    } else if (orma_str_starts(before, ORMA_STR(".modules "))) {
        offer_rows(s, "SELECT DISTINCT module FROM __intrinsic_stdlib_objects ORDER BY 1");
    } else {
        offer_sql(s);
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

void orma_shell_complete(void *prompt, struct orma_str before, struct orma_str after,
                         size_t *ret_from, struct orma_buf *ret)
{
    struct search s = {.p = prompt, .ret = ret};
    size_t text = open_text(before), from = before.len;
    bool module = is_module(before);

    if (before.len && *before.data == '.') {
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
        offer_rows(&s, "SELECT DISTINCT module FROM __intrinsic_stdlib_objects WHERE module NOT "
                       "GLOB 'prelude.*' ORDER BY 1");
    } else {
        offer_all_columns(&s, orma_buf_str(&s.p->sql));
        offer_all_columns(&s, (struct orma_str){before.data, from});
        offer_all_columns(&s, after);
        if (!from || before.data[from - 1] != '.')
            offer_sql(&s);
    }
}
