/*
 * The registry is a map from numbers to tables. DROP only marks a table: SQLite
 * destroys the virtual table at once, but a rollback connects it again under the
 * same number. What stays dropped when no transaction is open is freed by the
 * next sweep.
 */
#include "processor/sql/tables/dataframe_tables.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "processor/sql/tables/index.h"
#include "processor/sql/tables/vtab.h"

static void table_free(struct orma_sql *sql, struct orma_dataframe_table *self)
{
    sql->tables_generation++;
    orma_indexes_drop(sql, &self->frame->table);
    orma_dataframe_unref(self->frame);
    for (unsigned i = 0; i < self->indexes_num; i++)
        free(self->indexes[i]);
    free(self->name);
    free(self);
}

void orma_dataframe_tables_fini(struct orma_sql *sql)
{
    ORMA_MAP_EACH (slot, &sql->dataframes.tables)
        table_free(sql, (struct orma_dataframe_table *)(uintptr_t)slot->val);
    orma_map_fini(&sql->dataframes.tables);
}

struct orma_dataframe_table *orma_dataframe_tables_find(struct orma_sql *sql, const char *name)
{
    struct orma_dataframe_table *found = NULL;
    uint64_t newest = 0;

    ORMA_MAP_EACH (slot, &sql->dataframes.tables) {
        struct orma_dataframe_table *t = (struct orma_dataframe_table *)(uintptr_t)slot->val;

        if (!t->dropped && slot->key > newest && !sqlite3_stricmp(t->name, name)) {
            newest = slot->key;
            found = t;
        }
    }
    return found;
}

static void mark_dropped(struct orma_sql *sql, struct orma_dataframe_table *t)
{
    if (t->dropped)
        return;
    t->dropped = true;
    sql->dataframes.dropped++;
}

int orma_dataframe_tables_add(struct orma_sql *sql, const char *name, struct orma_dataframe *frame,
                              uint64_t *ret_id)
{
    struct orma_dataframe_table *t = calloc(1, sizeof(*t));

    if (t)
        t->name = strdup(name);
    if (!t || !t->name ||
        orma_map_put_ptr(&sql->dataframes.tables, ++sql->dataframes.last_id, t) < 0) {
        if (t)
            free(t->name);
        free(t);
        return -ENOMEM;
    }
    sql->tables_generation++;
    t->frame = orma_dataframe_ref(frame);
    *ret_id = sql->dataframes.last_id;
    return 0;
}

void orma_dataframe_tables_drop(struct orma_sql *sql, uint64_t id)
{
    struct orma_dataframe_table *t = orma_map_get_ptr(&sql->dataframes.tables, id);

    if (t)
        mark_dropped(sql, t);
}

/* Whether a rollback brought the table of this frame back. */
static bool is_back(struct orma_sql *sql, uint64_t id)
{
    sqlite3_stmt *stmt = NULL;
    char mark[64];
    bool found = true; /* in doubt the frame stays */

    snprintf(mark, sizeof(mark), ORMA_DATAFRAME_TABLES_MODULE "(%" PRIu64 ")", id);
    if (!sqlite3_prepare_v2(sql->db, "SELECT 1 FROM sqlite_master WHERE instr(sql, ?)", -1, &stmt,
                            NULL)) {
        sqlite3_bind_text(stmt, 1, mark, -1, SQLITE_STATIC);
        found = sqlite3_step(stmt) == SQLITE_ROW;
    }
    sqlite3_finalize(stmt);
    return found;
}

void orma_dataframe_tables_sweep(struct orma_sql *sql)
{
    while (sql->dataframes.dropped && sqlite3_get_autocommit(sql->db)) {
        struct orma_dataframe_table *t = NULL;
        uint64_t id = 0;

        ORMA_MAP_EACH (slot, &sql->dataframes.tables) {
            struct orma_dataframe_table *each = (struct orma_dataframe_table *)(uintptr_t)slot->val;

            if (each->dropped) {
                t = each;
                id = slot->key;
            }
        }
        sql->dataframes.dropped--;
        if (!t)
            continue;
        t->dropped = false;
        if (is_back(sql, id))
            continue;
        orma_map_take(&sql->dataframes.tables, id);
        table_free(sql, t);
    }
}

/* ---- the virtual table ---- */

static uint64_t id_of(int argc, const char *const *argv)
{
    return argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
}

static struct orma_dataframe_table *table_of(struct orma_sql *sql, const struct orma_table *table)
{
    ORMA_MAP_EACH (slot, &sql->dataframes.tables) {
        struct orma_dataframe_table *t = (struct orma_dataframe_table *)(uintptr_t)slot->val;

        if (&t->frame->table == table)
            return t;
    }
    return NULL;
}

static int connect_frame(sqlite3 *db, void *aux, int argc, const char *const *argv,
                         sqlite3_vtab **ret, char **ret_error)
{
    struct orma_sql *sql = aux;
    struct orma_dataframe_table *t = orma_map_get_ptr(&sql->dataframes.tables, id_of(argc, argv));

    if (!t) {
        *ret_error = sqlite3_mprintf("tables of this module are made by CREATE PERFETTO TABLE");
        return SQLITE_ERROR;
    }
    if (t->dropped) { /* the DROP was rolled back */
        t->dropped = false;
        sql->dataframes.dropped--;
    }
    return orma_vtab_new(db, sql, &t->frame->table, ret);
}

/* The frame is freed by the next sweep: a rollback may bring the table back. */
static int destroy_frame(sqlite3_vtab *base)
{
    struct orma_sql *sql = orma_vtab_sql(base);
    struct orma_dataframe_table *t = table_of(sql, orma_vtab_get_table(base));

    sql->tables_generation++;
    if (t)
        mark_dropped(sql, t);
    return orma_vtab_table.xDisconnect(base);
}

static sqlite3_module frame_module(void)
{
    sqlite3_module m = orma_vtab_table;

    m.xCreate = m.xConnect = connect_frame;
    m.xDestroy = destroy_frame;
    return m;
}

int orma_dataframe_tables_register(struct orma_sql *sql)
{
    sql->dataframes.module = frame_module();
    return sqlite3_create_module_v2(sql->db, ORMA_DATAFRAME_TABLES_MODULE, &sql->dataframes.module,
                                    sql, NULL);
}
