/*
 * SQLite's message says what kind of name is missing; a table of such messages says where
 * names of that kind are listed. All candidates are compared by edit distance
 * (sdk/base/nearest.h), and the nearest one is added to the message. Names of modules that
 * were not included give the INCLUDE that is missing.
 */
#include "processor/sql/script/hint.h"

#include "processor/sql/dialect/token.h"
#include "processor/sql/script/deferred.h"
#include "processor/sql/script/packages.h"
#include "processor/sql/sqlite/guard.h"
#include "sdk/base/nearest.h"

#define NAME_MAX_BYTES ORMA_NEAREST_COMPARED_MAX
/* Of a statement, in search of its tables. */
#define TOKENS_MAX 4096
#define WORDS_MAX 128
#define NAMES_MAX 20000 /* that are compared */

struct search {
    struct orma_sql *sql;
    struct orma_str statement;
    struct orma_nearest nearest;
    unsigned names;
    char wanted[NAME_MAX_BYTES + 1];
    char name[NAME_MAX_BYTES + 1], module[NAME_MAX_BYTES + 1]; /* the best; "": it is there */
};

/* What a message says before the name, and where such names are. */
struct kind {
    const char *before;
    bool quoted; /* the name ends with a quote, not with the message */
    void (*look)(struct search *s);
};

static void consider(struct search *s, const char *name, const char *module)
{
    /* What begins with '_' is for the inside. */
    if (!name || s->names++ >= NAMES_MAX || (name[0] == '_' && s->wanted[0] != '_') ||
        strlen(name) > NAME_MAX_BYTES || (module && strlen(module) > NAME_MAX_BYTES) ||
        !orma_nearest_consider(&s->nearest, name))
        return;
    strcpy(s->name, name);
    strcpy(s->module, module ? module : "");
    s->nearest.best = s->name;
}

/* Rows of name and module, of a statement that may have ?1. */
static void look_in(struct search *s, const char *sql, struct orma_str arg)
{
    sqlite3_stmt *stmt;

    if (sqlite3_prepare_v2(s->sql->db, sql, -1, &stmt, NULL))
        return;
    sqlite3_bind_text(stmt, 1, arg.data, (int)arg.len, SQLITE_STATIC);
    while (sqlite3_step(stmt) == SQLITE_ROW)
        consider(s, (const char *)sqlite3_column_text(stmt, 0),
                 (const char *)sqlite3_column_text(stmt, 1));
    sqlite3_finalize(stmt);
}

/* Modules that ran are left out: what they define is there, or was dropped. */
static void look_in_library(struct search *s, const char *type)
{
    sqlite3_stmt *stmt;

    if (sqlite3_prepare_v2(s->sql->db,
                           "SELECT name, module FROM __intrinsic_stdlib_objects WHERE object_type "
                           "= upper(?1) OR (?1 = 'table' AND object_type IN ('VIEW', "
                           "'TABLE_FUNCTION'))",
                           -1, &stmt, NULL))
        return;
    sqlite3_bind_text(stmt, 1, type, -1, SQLITE_STATIC);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const char *module = (const char *)sqlite3_column_text(stmt, 1);

        if (module && orma_packages_can_include(s->sql, orma_str_from(module)))
            consider(s, (const char *)sqlite3_column_text(stmt, 0), module);
    }
    sqlite3_finalize(stmt);
}

static void consider_deferred(void *data, struct orma_str name)
{
    struct search *s = data;
    char text[NAME_MAX_BYTES + 1];

    if (name.len > NAME_MAX_BYTES)
        return;
    memcpy(text, name.data, name.len);
    text[name.len] = '\0';
    consider(s, text, NULL);
}

static void look_for_table(struct search *s)
{
    orma_deferred_each(s->sql, consider_deferred, s);
    look_in(s,
            "SELECT name, NULL FROM sqlite_master WHERE type IN ('table', 'view') UNION ALL "
            "SELECT name, NULL FROM sqlite_temp_master WHERE type IN ('table', 'view') UNION ALL "
            "SELECT name, NULL FROM pragma_module_list",
            (struct orma_str){0});
    look_in_library(s, "table");
}

static void look_for_table_info(struct search *s)
{
    look_in(s, "SELECT name, NULL FROM perfetto_tables", (struct orma_str){0});
}

/* In whatever the statement names that has columns. */
static void look_for_column(struct search *s)
{
    struct orma_token tok = orma_token_next_solid(s->statement, 0);
    unsigned words = 0;

    for (unsigned i = 0; i < TOKENS_MAX && words < WORDS_MAX && tok.kind != ORMA_TOK_END; i++) {
        struct orma_str word = orma_token_text(s->statement, tok);
        bool quoted = tok.kind == ORMA_TOK_QUOTED;

        tok = orma_token_next_solid(s->statement, tok.at + tok.len);
        if (quoted)
            word = (struct orma_str){word.data + 1, word.len - 2};
        if (word.len > NAME_MAX_BYTES || (!quoted && !orma_word_is_plain(word)))
            continue;
        look_in(s, "SELECT name, NULL FROM pragma_table_xinfo(?1)", word);
        words++;
    }
}

static void look_for_function(struct search *s)
{
    sqlite3_stmt *stmt;

    if (sqlite3_prepare_v2(s->sql->db, "SELECT name FROM pragma_function_list", -1, &stmt, NULL))
        return;
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(stmt, 0);
        const struct orma_sqlite_guard_name *guard =
            name ? orma_sqlite_guard_find_function(name) : NULL;

        if (!guard || !guard->refused)
            consider(s, name, NULL);
    }
    sqlite3_finalize(stmt);
    orma_deferred_each(s->sql, consider_deferred, s);
    look_in_library(s, "function");
}

static void look_for_sqlite_module(struct search *s)
{
    look_in(s, "SELECT name, NULL FROM pragma_module_list", (struct orma_str){0});
}

static void look_for_macro(struct search *s)
{
    for (size_t i = 0; i < s->sql->macros.len; i++)
        consider(s, s->sql->macros.macros[i]->name, NULL);
    look_in_library(s, "macro");
}

static int consider_key(void *data, const char *package, const char *key, struct orma_str text)
{
    (void)package;
    (void)text;
    consider(data, key, NULL);
    return 0;
}

static void look_for_module(struct search *s)
{
    (void)orma_packages_each(s->sql, consider_key, s); /* which never fails */
}

static int consider_package(void *data, const char *package, const char *key, struct orma_str text)
{
    (void)key;
    (void)text;
    consider(data, package, NULL);
    return 0;
}

/* The message names the whole key. */
static void look_for_package(struct search *s)
{
    const char *dot = memchr(s->wanted, '.', s->nearest.wanted.len);

    if (dot)
        s->nearest.wanted.len = (size_t)(dot - s->wanted);
    (void)orma_packages_each(s->sql, consider_package, s); /* which never fails */
}

static const struct kind kinds[] = {
    {"no such table: ", false, look_for_table},
    {"no such column: ", false, look_for_column},
    {"no such function: ", false, look_for_function},
    {"no such module: ", false, look_for_sqlite_module},
    {"unknown macro '", true, look_for_macro},
    {"INCLUDE: unknown module '", true, look_for_module},
    {"INCLUDE: Package '", true, look_for_package},
    {"perfetto_table_info: table '", true, look_for_table_info},
};

/* The name in the message, without table or schema before it. */
static struct orma_str name_in(struct orma_str message, const struct kind *kind)
{
    const char *before = orma_str_find(message, orma_str_from(kind->before));
    struct orma_str name = {0};

    if (!before)
        return name;
    name.data = before + strlen(kind->before);
    name.len = (size_t)(message.data + message.len - name.data);
    if (kind->quoted)
        name.len = strcspn(name.data, "'");
    for (size_t i = name.len; i > 0 && !kind->quoted; i--) {
        if (name.data[i - 1] == '.')
            return (struct orma_str){name.data + i, name.len - i};
    }
    return name;
}

static void put_hint(struct search *s, struct orma_buf *out)
{
    const char *near = orma_nearest_get(&s->nearest);

    if (!near)
        return;
    if (!s->nearest.distance && s->module[0])
        orma_buf_printf(out, "; it is in the module %s: INCLUDE PERFETTO MODULE %s;", s->module,
                        s->module);
    else if (s->nearest.distance && s->module[0])
        orma_buf_printf(out, "; did you mean '%s' of the module %s?", near, s->module);
    else if (s->nearest.distance)
        orma_buf_printf(out, "; did you mean '%s'?", near);
}

void orma_sql_hint(struct orma_sql *sql, struct orma_str statement)
{
    struct search s = {.sql = sql, .statement = statement};
    struct orma_str message = {orma_buf_cstr(&sql->error.message), sql->error.message.len};
    struct orma_str name = {0};
    size_t i;

    for (i = 0; i < ORMA_ARRAY_LEN(kinds) && !name.len; i++)
        name = name_in(message, &kinds[i]);
    if (!name.len || name.len > NAME_MAX_BYTES)
        return;
    memcpy(s.wanted, name.data, name.len);
    s.nearest.wanted = (struct orma_str){s.wanted, name.len};
    kinds[i - 1].look(&s);
    put_hint(&s, &sql->error.message);
}
