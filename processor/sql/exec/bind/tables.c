/* Tables, projections and dataframes by their names, the texts of views, and literals. */
#include <stdlib.h>

#include "processor/sql/exec/bind/scope.h"
#include "processor/sql/tables/dataframe_tables.h"

static bool same(struct orma_str name, const char *known)
{
    return strlen(known) == name.len && !sqlite3_strnicmp(name.data, known, (int)name.len);
}

/* The types of a stored column. */
static uint8_t types_of(const struct orma_column_def *def)
{
    uint8_t null = def->kind == ORMA_COL_COMPUTED || def->flags & ORMA_COL_NULLABLE ? EXEC_NULL : 0;

    switch ((enum orma_column_kind)def->kind) {
    case ORMA_COL_STRING:
        return EXEC_TEXT | EXEC_NULL;
    case ORMA_COL_DOUBLE:
        return EXEC_REAL | EXEC_NULL;
    case ORMA_COL_ID:
    case ORMA_COL_ALIAS:
    case ORMA_COL_COMPUTED:
    case ORMA_COL_INT:
        break;
    }
    return EXEC_INT | null;
}

static bool is_hidden(const struct orma_exec_source *src, const struct orma_column_def *def)
{
    bool stored =
        src->table->def >= orma_table_defs && src->table->def < orma_table_defs + ORMA_TABLES_NUM;

    return stored ? def->name[0] == '_' : !strcmp(def->name, "_auto_id");
}

struct orma_exec_result orma_exec_bind_table_column(struct orma_exec_plan *plan,
                                                    struct orma_exec_source *src, unsigned col)
{
    struct orma_vcolumn v = orma_exec_table_vcolumn(plan, src, col);
    const struct orma_column_def *def = &src->table->def->columns[v.col];
    struct orma_exec_expr *e = orma_arena_alloc(&plan->arena, sizeof(*e));

    if (!e)
        return (struct orma_exec_result){0};
    *e = (struct orma_exec_expr){.op = ORMA_EXEC_COLUMN, .column = {src, col}};
    e->types = v.op == ORMA_PROJ_COL ? types_of(def) : EXEC_INT | EXEC_NULL;
    e->affinity = e->types & EXEC_TEXT ? EXEC_AFF_TEXT : EXEC_AFF_NUMBER;
    if (v.op == ORMA_PROJ_ARG) { /* left to SQLite */
        e->types = EXEC_NULL | EXEC_INT | EXEC_REAL | EXEC_TEXT;
        e->affinity = EXEC_AFF_NONE;
    }
    return (struct orma_exec_result){
        .name = orma_str_from(src->proj ? src->proj->columns[col].name : def->name),
        .expr = e,
        .hidden = !src->proj && is_hidden(src, def),
    };
}

/* What stands in the schema under a name: 'v' and the text of a view, 't', or 0. */
static char in_schema(struct orma_exec_plan *plan, struct orma_str name, struct orma_str *ret)
{
    static const char query[] = "SELECT type, sql FROM sqlite_temp_master WHERE name = ?1 COLLATE "
                                "NOCASE AND type IN ('table', 'view') UNION ALL "
                                "SELECT type, sql FROM sqlite_master WHERE name = ?1 COLLATE "
                                "NOCASE AND type IN ('table', 'view')";
    sqlite3_stmt *stmt = NULL;
    char type = 'x';

    if (!sqlite3_prepare_v2(plan->sql->db, query, -1, &stmt, NULL) &&
        !sqlite3_bind_text(stmt, 1, name.data, (int)name.len, SQLITE_STATIC)) {
        int r = sqlite3_step(stmt);

        type = r == SQLITE_ROW ? (char)sqlite3_column_text(stmt, 0)[0] : r == SQLITE_DONE ? 0 : 'x';
        if (r == SQLITE_ROW) {
            const char *sql = (const char *)sqlite3_column_text(stmt, 1);
            const char *copy = sql ? orma_arena_strdup(&plan->arena, orma_str_from(sql)) : NULL;

            *ret = orma_str_from(copy ? copy : "");
        }
    }
    sqlite3_finalize(stmt);
    return type;
}

static bool find_stored(struct orma_exec_plan *plan, struct orma_str name,
                        struct orma_exec_source *src)
{
    for (unsigned i = 0; i < ORMA_TABLES_NUM; i++) {
        /* args has rows that no column holds */
        if (i != ORMA_TABLE_ARGS && same(name, orma_table_defs[i].name)) {
            src->table = &plan->sql->storage->tables[i];
            return true;
        }
    }
    for (const struct orma_proj *p = orma_vtab_projs; p->name; p++) {
        if (p->table != ORMA_TABLE_ARGS && same(name, p->name)) {
            src->proj = p;
            src->table = &plan->sql->storage->tables[p->table];
            return true;
        }
    }
    return false;
}

/* Made by CREATE PERFETTO TABLE: its number stands in the statement. */
static bool find_frame(struct orma_exec_plan *plan, const char *sql, struct orma_exec_source *src)
{
    static const char mark[] = "USING " ORMA_DATAFRAME_TABLES_MODULE "(";
    const char *at = strstr(sql, mark);
    struct orma_dataframe_table *t =
        at ? orma_map_get_ptr(&plan->sql->dataframes.tables, strtoull(at + strlen(mark), NULL, 10))
           : NULL;

    if (!t || t->dropped)
        return false;
    if (ORMA_VEC_PUSH(&plan->frames, t->frame) < 0)
        return false;
    orma_dataframe_ref(t->frame);
    src->table = &t->frame->table;
    return true;
}

bool orma_exec_bind_table(struct orma_exec_plan *plan, struct orma_str name,
                          struct orma_exec_source *src, struct orma_str *ret_view)
{
    struct orma_str sql = {0};
    char type = in_schema(plan, name, &sql);

    *ret_view = (struct orma_str){0};
    if (type == 'v') {
        *ret_view = sql;
        return false;
    }
    if (type == 't')
        return find_frame(plan, sql.data, src);
    return !type && find_stored(plan, name, src);
}

bool orma_exec_bind_literal(struct orma_exec_plan *plan, struct orma_str text,
                            struct orma_exec_value *ret)
{
    char *sql = sqlite3_mprintf("SELECT %.*s", (int)text.len, text.data);
    sqlite3_stmt *stmt = NULL;
    bool ok = false;

    if (sql && text.len < 64 && !sqlite3_prepare_v2(plan->sql->db, sql, -1, &stmt, NULL) &&
        sqlite3_step(stmt) == SQLITE_ROW) {
        int type = sqlite3_column_type(stmt, 0);

        ok = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
        if (type == SQLITE_INTEGER)
            *ret = (struct orma_exec_value){EXEC_INT, sqlite3_column_int64(stmt, 0)};
        else if (type == SQLITE_FLOAT)
            *ret =
                (struct orma_exec_value){EXEC_REAL, orma_exec_bits(sqlite3_column_double(stmt, 0))};
    }
    sqlite3_finalize(stmt);
    sqlite3_free(sql);
    return ok;
}
