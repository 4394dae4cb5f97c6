/* Span joins: arguments and columns. */
#include <stdlib.h>

#include "processor/sql/dialect/token.h"
#include "processor/sql/operators/span_join.h"
#include "sdk/base/buf.h"

const char *const orma_span_names[3] = {"SPAN_JOIN", "SPAN_LEFT_JOIN", "SPAN_OUTER_JOIN"};

/* ---- arguments ---- */

/* A name as it stands in SQL, without its quotes. NULL: none, or no memory. */
static char *take_name(struct orma_str text, uint32_t *at)
{
    struct orma_token tok = orma_token_next_solid(text, *at);
    struct orma_str s = orma_token_text(text, tok);
    char *name;
    size_t n = 0;

    if (tok.kind != ORMA_TOK_WORD && tok.kind != ORMA_TOK_QUOTED && tok.kind != ORMA_TOK_STRING)
        return NULL;
    *at = tok.at + tok.len;
    if (tok.kind == ORMA_TOK_WORD)
        return orma_str_dup(s);
    name = malloc(s.len + 1);
    if (!name || s.len < 2) {
        free(name);
        return NULL;
    }
    for (size_t i = 1; i + 1 < s.len; i++) {
        name[n++] = s.data[i];
        i += s.data[i] == s.data[0] && i + 2 < s.len; /* doubled quotes */
    }
    name[n] = 0;
    return name;
}

static int parse_source(const struct orma_span *v, struct orma_span_source *src, const char *arg,
                        char **ret_error)
{
    struct orma_str text = orma_str_from(arg);
    uint32_t at = 0;
    struct orma_token tok;

    src->ts = src->dur = src->part_idx = ORMA_SPAN_NONE;
    src->table = take_name(text, &at);
    tok = orma_token_next_solid(text, at);
    if (src->table && orma_token_is(text, tok, "PARTITIONED")) {
        at = tok.at + tok.len;
        src->part = take_name(text, &at);
        if (!src->part)
            return orma_result_vtab_error(ret_error, "%s: PARTITIONED needs the name of a column",
                                          orma_span_names[v->kind]);
        tok = orma_token_next_solid(text, at);
    }
    if (!src->table || tok.kind != ORMA_TOK_END)
        return orma_result_vtab_error(
            ret_error, "%s: expected 'table' or 'table PARTITIONED column', got '%s'",
            orma_span_names[v->kind], arg);
    if (src->part && (!sqlite3_stricmp(src->part, "ts") || !sqlite3_stricmp(src->part, "dur")))
        return orma_result_vtab_error(ret_error, "%s: the partition column of '%s' cannot be '%s'",
                                      orma_span_names[v->kind], src->table, src->part);
    return SQLITE_OK;
}

/* ---- columns ---- */

static int add_source_column(struct orma_span_source *src, sqlite3_stmt *stmt)
{
    struct orma_span_column *grown =
        realloc(src->columns, (size_t)(src->columns_num + 1) * sizeof(*grown));
    struct orma_span_column *c;
    const char *name = (const char *)sqlite3_column_text(stmt, 1);
    const char *type = (const char *)sqlite3_column_text(stmt, 2);

    if (!grown)
        return SQLITE_NOMEM;
    src->columns = grown;
    c = &grown[src->columns_num++];
    *c = (struct orma_span_column){strdup(name ? name : ""), strdup(type ? type : "")};
    if (!c->name || !c->type)
        return SQLITE_NOMEM;
    if (!sqlite3_stricmp(c->name, "ts"))
        src->ts = src->columns_num - 1;
    else if (!sqlite3_stricmp(c->name, "dur"))
        src->dur = src->columns_num - 1;
    else if (src->part && !sqlite3_stricmp(c->name, src->part))
        src->part_idx = src->columns_num - 1;
    return SQLITE_OK;
}

static int read_columns(struct orma_span *v, struct orma_span_source *src, char **ret_error)
{
    char *sql = sqlite3_mprintf("PRAGMA table_info(\"%w\")", src->table);
    sqlite3_stmt *stmt = NULL;
    int r = sql ? sqlite3_prepare_v2(v->sql->db, sql, -1, &stmt, NULL) : SQLITE_NOMEM;

    sqlite3_free(sql);
    while (!r && sqlite3_step(stmt) == SQLITE_ROW)
        r = add_source_column(src, stmt);
    if (r == SQLITE_NOMEM) {
        (void)sqlite3_finalize(stmt); /* the error is known */
        return r;
    }
    if (sqlite3_finalize(stmt) || r)
        return orma_result_vtab_error(ret_error, "%s: table '%s': %s", orma_span_names[v->kind],
                                      src->table, sqlite3_errmsg(v->sql->db));
    if (!src->columns_num)
        return orma_result_vtab_error(ret_error, "%s: no such table: %s", orma_span_names[v->kind],
                                      src->table);
    if (src->ts == ORMA_SPAN_NONE)
        return orma_result_vtab_error(ret_error, "%s: table '%s' has no column 'ts'",
                                      orma_span_names[v->kind], src->table);
    if (src->part && src->part_idx == ORMA_SPAN_NONE)
        return orma_result_vtab_error(ret_error,
                                      "%s: table '%s' has no column '%s' to be partitioned by",
                                      orma_span_names[v->kind], src->table, src->part);
    return SQLITE_OK;
}

static bool is_taken(const struct orma_span *v, const char *name)
{
    if (v->part && !sqlite3_stricmp(v->part, name))
        return true;
    for (int i = 0; i < v->columns_num; i++) {
        const struct orma_span_out *o = &v->columns[i];

        if (!sqlite3_stricmp(v->sides[o->side].columns[o->col].name, name))
            return true;
    }
    return false;
}

static int add_out_columns(struct orma_span *v, int side, char **ret_error)
{
    const struct orma_span_source *src = &v->sides[side];
    const char *what = orma_span_names[v->kind];

    for (int i = 0; i < src->columns_num; i++) {
        const char *name = src->columns[i].name;

        if (orma_span_is_required(src, i))
            continue;
        if (strpbrk(name, ",:"))
            return orma_result_vtab_error(ret_error,
                                          "%s: column '%s' of '%s' has a ',' or ':' in its name",
                                          what, name, src->table);
        if (is_taken(v, name))
            return orma_result_vtab_error(
                ret_error, "%s: both tables have a column '%s': rename one in a view", what, name);
        v->columns[v->columns_num++] = (struct orma_span_out){side, i};
    }
    return SQLITE_OK;
}

static int declare(struct orma_span *v, sqlite3 *db)
{
    struct orma_buf text = {0};
    int r;

    orma_buf_put_str(&text, "CREATE TABLE x(ts INTEGER, dur INTEGER");
    if (v->part) {
        char *part = sqlite3_mprintf(", \"%w\" INTEGER", v->part);

        orma_buf_put_str(&text, part ? part : "");
        sqlite3_free(part);
    }
    for (int i = 0; i < v->columns_num; i++) {
        const struct orma_span_column *c = &v->sides[v->columns[i].side].columns[v->columns[i].col];
        char *column = sqlite3_mprintf(", \"%w\" %s", c->name, c->type);

        orma_buf_put_str(&text, column ? column : "");
        sqlite3_free(column);
    }
    orma_buf_put_str(&text, ")");
    r = text.failed ? SQLITE_NOMEM : sqlite3_declare_vtab(db, orma_buf_cstr(&text));
    orma_buf_fini(&text);
    return r;
}

static int settle_partitions(struct orma_span *v, char **ret_error)
{
    const struct orma_span_source *a = &v->sides[0], *b = &v->sides[1];

    if (a->part && b->part && sqlite3_stricmp(a->part, b->part))
        return orma_result_vtab_error(
            ret_error, "%s: the tables are partitioned by columns of different names: '%s', '%s'",
            orma_span_names[v->kind], a->part, b->part);
    v->part = a->part ? a->part : b->part;
    v->mixed = !a->part != !b->part;
    for (int i = 0; i < ORMA_SPAN_SIDES; i++) {
        struct orma_span_source *src = &v->sides[i];

        /* A row of an outer join may lack either side, one of a left join the second. */
        src->gaps = v->kind == ORMA_SPAN_OUTER || (v->kind == ORMA_SPAN_LEFT && i == 1);
        src->absents = src->gaps && !(v->mixed && src->part);
    }
    return SQLITE_OK;
}

int orma_span_describe(struct orma_span *v, sqlite3 *db, const char *const *args, char **ret_error)
{
    int r = SQLITE_OK;

    for (int i = 0; i < ORMA_SPAN_SIDES && !r; i++)
        r = parse_source(v, &v->sides[i], args[i], ret_error);
    if (!r)
        r = settle_partitions(v, ret_error);
    for (int i = 0; i < ORMA_SPAN_SIDES && !r; i++)
        r = read_columns(v, &v->sides[i], ret_error);
    if (r)
        return r;
    if (v->sides[0].dur == ORMA_SPAN_NONE && v->sides[1].dur == ORMA_SPAN_NONE)
        return orma_result_vtab_error(
            ret_error, "%s: at least one of '%s' and '%s' needs a column 'dur'",
            orma_span_names[v->kind], v->sides[0].table, v->sides[1].table);
    v->columns =
        calloc((size_t)(v->sides[0].columns_num + v->sides[1].columns_num), sizeof(*v->columns));
    if (!v->columns)
        return SQLITE_NOMEM;
    v->first_column = v->part ? 3 : 2;
    for (int i = 0; i < ORMA_SPAN_SIDES && !r; i++)
        r = add_out_columns(v, i, ret_error);
    return r ? r : declare(v, db);
}

static void free_source(struct orma_span_source *src)
{
    for (int i = 0; i < src->columns_num; i++) {
        free(src->columns[i].name);
        free(src->columns[i].type);
    }
    free(src->columns);
    free(src->table);
    free(src->part);
}

void orma_span_fini(struct orma_span *v)
{
    free_source(&v->sides[0]);
    free_source(&v->sides[1]);
    free(v->columns);
}
