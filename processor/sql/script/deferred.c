/*
 * Statements are in one array, in the order in which a run of all modules would come to them; a map
 * finds them by the hash of the name in lower case. An index belongs to the name of its table.
 * Macros stay in the array: what their texts name is needed by whoever calls them.
 */
#include "processor/sql/script/deferred.h"

#include <errno.h>
#include <stdlib.h>

#include "processor/sql/dialect/token.h"
#include "processor/sql/script/runner.h"
#include "sdk/base/hash.h"

#define NONE UINT32_MAX    /* no entry */
#define NAME_MAX_BYTES 128 /* of objects of the library */

/* What one statement needs. */
struct need {
    struct orma_deferred *self;
    ORMA_VEC(uint32_t) found; /* entries; those from `read` on are still to be read */
    uint32_t read;
    bool all, failed;
};

/* ---- names ---- */

/* False: too long for a name of the library. */
static bool hash_name(struct orma_str name, uint64_t *ret)
{
    char lower[NAME_MAX_BYTES];

    if (name.len > sizeof(lower))
        return false;
    for (size_t i = 0; i < name.len; i++)
        lower[i] =
            name.data[i] >= 'A' && name.data[i] <= 'Z' ? (char)(name.data[i] | 0x20) : name.data[i];
    *ret = orma_hash_bytes(lower, name.len);
    return true;
}

static int add_entry(struct orma_deferred *self, struct orma_deferred_entry e)
{
    uint64_t hash, last;

    if (!hash_name(e.name, &hash) || self->entries.len == NONE)
        return -ENOMEM;
    last = orma_map_get(&self->by_name, hash);
    e.next = last == ORMA_MAP_NONE ? NONE : (uint32_t)last;
    if (ORMA_VEC_PUSH(&self->entries, e))
        return -ENOMEM;
    if (orma_map_put(&self->by_name, hash, self->entries.len - 1)) {
        self->entries.len--;
        return -ENOMEM;
    }
    orma_sql_source_ref(e.source);
    self->left += !e.made;
    return 0;
}

static void need_name(struct need *n, struct orma_str name)
{
    uint64_t hash, at;

    if (!hash_name(name, &hash))
        return;
    at = orma_map_get(&n->self->by_name, hash);
    for (uint32_t i = at == ORMA_MAP_NONE ? NONE : (uint32_t)at; i != NONE;) {
        struct orma_deferred_entry *e = &n->self->entries.data[i];

        if (e->seen != n->self->search && (e->kind == ORMA_DEFERRED_MACRO || !e->made) &&
            orma_word_eq(e->name, name)) {
            e->seen = n->self->search;
            n->failed |= ORMA_VEC_PUSH(&n->found, i) != 0;
        }
        i = e->next;
    }
}

/* Reading it tells which objects there are. */
static bool is_catalog(struct orma_str word)
{
    static const char *const names[] = {
        "sqlite_master",      "sqlite_schema", "sqlite_temp_master",
        "sqlite_temp_schema", "dbstat",        "perfetto_table_info"};

    if (word.len >= 6 && orma_word_eq((struct orma_str){word.data, 6}, ORMA_STR("pragma")))
        return true;
    for (size_t i = 0; i < ORMA_ARRAY_LEN(names); i++) {
        if (orma_word_eq(word, orma_str_from(names[i])))
            return true;
    }
    return false;
}

static void need_words(struct need *n, struct orma_str text, unsigned depth)
{
    struct orma_token tok = orma_token_next_solid(text, 0);

    for (; tok.kind != ORMA_TOK_END; tok = orma_token_next_solid(text, tok.at + tok.len)) {
        struct orma_str word = orma_token_text(text, tok);
        struct orma_str inner = {word.data + 1, word.len - 2};

        if (tok.kind == ORMA_TOK_WORD) {
            n->all |= is_catalog(word);
            need_name(n, word);
        } else if ((tok.kind == ORMA_TOK_QUOTED || tok.kind == ORMA_TOK_STRING) && word.len > 2) {
            n->all |= is_catalog(inner);
            need_name(n, inner);
            if (depth == 0) /* SQL, or a list of names */
                need_words(n, inner, depth + 1);
        }
    }
}

/* ---- reading modules ---- */

static struct orma_token next_word(struct orma_str text, struct orma_token *tok)
{
    *tok = orma_token_next_solid(text, tok->at + tok->len);
    return *tok;
}

/*
 * The head of a statement that creates something: a copy of *e with name and kind. False: it is
 * another one, which runs at once.
 */
static bool read_head(struct orma_str text, struct orma_deferred_entry *e)
{
    struct orma_token tok = orma_token_next_solid(text, e->at);
    bool is_index;

    if (!orma_token_is(text, tok, "create"))
        return false;
    next_word(text, &tok);
    if (orma_token_is(text, tok, "virtual")) {
        next_word(text, &tok);
        e->kind = ORMA_DEFERRED_OBJECT;
        e->name = orma_token_text(text, next_word(text, &tok));
        return tok.kind == ORMA_TOK_WORD;
    }
    if (!orma_token_is(text, tok, "perfetto"))
        return false;
    next_word(text, &tok);
    e->kind = orma_token_is(text, tok, "macro") ? ORMA_DEFERRED_MACRO : ORMA_DEFERRED_OBJECT;
    e->made = e->kind == ORMA_DEFERRED_MACRO;
    is_index = orma_token_is(text, tok, "index");
    next_word(text, &tok);
    if (is_index) { /* its name, ON, the table */
        next_word(text, &tok);
        next_word(text, &tok);
    }
    e->name = orma_token_text(text, tok);
    return tok.kind == ORMA_TOK_WORD;
}

/* Runs the statement at `at`. Those of modules give no rows. */
static int run_at(struct orma_sql *sql, struct orma_sql_source *source, uint32_t at)
{
    struct orma_runner exec = {.sql = sql, .deferred = true};
    struct orma_sql_stmt *stmt;
    int r = orma_script_init(&exec.script, source, &sql->macros);

    if (r < 0)
        return orma_sql_error_oom(&sql->error);
    exec.script.pos = at;
    r = orma_runner_next(&exec, &stmt);
    if (r > 0) {
        while ((r = orma_sql_stmt_step(stmt)) > 0)
            ;
        orma_sql_stmt_free(stmt);
    }
    orma_script_fini(&exec.script);
    return r;
}

static int add_statements(struct orma_sql *sql, struct orma_sql_source *source)
{
    struct orma_script script;
    struct orma_str text = orma_sql_source_str(source);
    uint32_t at, end;
    int r = orma_script_init(&script, source, &sql->macros);

    while (r == 0 && orma_script_skip(&script, &at, &end)) {
        struct orma_deferred_entry e = {.source = source, .at = at, .end = end};
        bool later = read_head(text, &e);

        if (!later || e.kind == ORMA_DEFERRED_MACRO)
            r = run_at(sql, source, at);
        if (r == 0 && later && add_entry(sql->deferred, e))
            r = orma_sql_error_oom(&sql->error);
    }
    orma_script_fini(&script);
    return r;
}

int orma_deferred_add(struct orma_sql *sql, const char *frame, struct orma_str text)
{
    ORMA_AUTO(orma_sql_source_unref_p)
    struct orma_sql_source *source = orma_sql_source_new(frame, text);

    if (!sql->deferred)
        sql->deferred = calloc(1, sizeof(*sql->deferred));
    if (!source || !sql->deferred)
        return orma_sql_error_oom(&sql->error);
    return add_statements(sql, source);
}

/* ---- making ---- */

static int by_order(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Entries stay where they are: nothing that runs here includes a module. */
static int make(struct orma_sql *sql, uint32_t i)
{
    struct orma_deferred *self = sql->deferred;
    int r = 0;

    if (self->entries.data[i].made)
        return 0;
    r = run_at(sql, self->entries.data[i].source, self->entries.data[i].at);
    if (r < 0)
        return r;
    self->entries.data[i].made = true;
    self->left--;
    return 0;
}

static void find(struct need *n, struct orma_str statement)
{
    need_words(n, statement, 0);
    while (n->read < n->found.len && !n->all && !n->failed) {
        const struct orma_deferred_entry *e = &n->self->entries.data[n->found.data[n->read++]];
        struct orma_str text = orma_sql_source_str(e->source);

        need_words(n, (struct orma_str){text.data + e->at, e->end - e->at}, 0);
    }
}

static bool begins_transaction(struct orma_str statement)
{
    struct orma_token tok = orma_token_next_solid(statement, 0);

    return orma_token_is(statement, tok, "begin") || orma_token_is(statement, tok, "savepoint");
}

int orma_deferred_need(struct orma_sql *sql, struct orma_str statement)
{
    struct orma_deferred *self = sql->deferred;
    struct need n = {.self = self, .all = begins_transaction(statement)};
    int r = 0;

    if (!self || !self->left)
        return 0;
    self->search++;
    if (!n.all)
        find(&n, statement);
    if (n.failed)
        r = orma_sql_error_oom(&sql->error);
    if (n.found.len)
        qsort(n.found.data, n.found.len, sizeof(*n.found.data), by_order);
    for (uint32_t i = 0; i < (n.all ? self->entries.len : n.found.len) && r == 0; i++)
        r = make(sql, n.all ? i : n.found.data[i]);
    ORMA_VEC_FINI(&n.found);
    return r;
}

void orma_deferred_forget(struct orma_sql *sql)
{
    struct orma_deferred *self = sql->deferred;

    if (!self)
        return;
    for (uint32_t i = 0; i < self->entries.len; i++)
        orma_sql_source_unref(self->entries.data[i].source);
    ORMA_VEC_FINI(&self->entries);
    orma_map_fini(&self->by_name);
    free(self);
    sql->deferred = NULL;
}
