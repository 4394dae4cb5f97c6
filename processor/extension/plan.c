/*
 * xBestIndex writes the query that gives the rows of a table: columns that are used, WHERE,
 * ORDER BY, LIMIT.
 */
#include "processor/extension/parts.h"

#include <stdbool.h>
#include <string.h>

#include "processor/include/orma/processor.h"
#include "processor/sql/base/aux_terms.h"

/* The cost of starting a scan, and of a row, in units of the planner. */
#define COST_SCAN 20.0

/* The number that a query of the table gives; -1: none. If one fails, so will the scan. */
static int64_t ask(const struct orma_extension_table *t, const char *form)
{
    struct orma_query *q = NULL;
    char *sql = sqlite3_mprintf(form, t->name);
    int64_t val = -1;

    if (sql && !orma_query_prepare(t->trace->tp, sql, ORMA_WHOLE, &q, NULL) &&
        orma_query_step(q) == 1)
        val = orma_query_int64(q, 0);
    orma_query_free(q);
    sqlite3_free(sql);
    return val;
}

/* How many rows there are, and whether ids are as they should be: asked once, when it matters. */
static void look(struct orma_extension_table *t)
{
    if (t->looked)
        return;
    t->looked = true;
    int64_t rows = ask(t, "SELECT count(*) FROM \"%w\"");
    if (rows >= 0)
        t->rows = (double)rows;
    t->id_unique = t->id >= 0 &&
                   ask(t, "SELECT count(*) FROM (SELECT id FROM \"%w\" GROUP BY id)") == rows &&
                   ask(t, "SELECT count(*) FROM \"%w\" WHERE typeof(id) != 'integer'") == 0;
}

/* With the name of the table: alone, the name of a column that is gone would be a text. */
static void put_column(sqlite3_str *plan, const char *before, const struct orma_extension_table *t,
                       int column)
{
    sqlite3_str_appendf(plan, "%s\"%w\".\"%w\"", before, t->name, t->names[column]);
}

/* What follows the name of the column; %d is the parameter. NULL: not pushed down. */
static const char *operator_of(int op)
{
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
        return "=";
    case SQLITE_INDEX_CONSTRAINT_GT:
        return ">";
    case SQLITE_INDEX_CONSTRAINT_LE:
        return "<=";
    case SQLITE_INDEX_CONSTRAINT_LT:
        return "<";
    case SQLITE_INDEX_CONSTRAINT_GE:
        return ">=";
    case SQLITE_INDEX_CONSTRAINT_NE:
        return "!=";
    case SQLITE_INDEX_CONSTRAINT_IS:
        return "IS";
    case SQLITE_INDEX_CONSTRAINT_ISNOT:
        return "IS NOT";
    case SQLITE_INDEX_CONSTRAINT_GLOB:
        return "GLOB";
    case SQLITE_INDEX_CONSTRAINT_LIKE:
        return "LIKE";
    case SQLITE_INDEX_CONSTRAINT_ISNULL:
        return "IS NULL";
    case SQLITE_INDEX_CONSTRAINT_ISNOTNULL:
        return "IS NOT NULL";
    }
    return NULL;
}

static bool takes_value(int op)
{
    return op != SQLITE_INDEX_CONSTRAINT_ISNULL && op != SQLITE_INDEX_CONSTRAINT_ISNOTNULL;
}

static bool is_limit(int op)
{
    return op == SQLITE_INDEX_CONSTRAINT_LIMIT || op == SQLITE_INDEX_CONSTRAINT_OFFSET;
}

/* The share of rows that is left. */
static double share_of(const struct orma_extension_table *t,
                       const struct sqlite3_index_constraint *c)
{
    switch (c->op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
    case SQLITE_INDEX_CONSTRAINT_IS:
        return c->iColumn == t->id && t->id_unique ? 1 / (t->rows + 1) : 0.02;
    case SQLITE_INDEX_CONSTRAINT_NE:
    case SQLITE_INDEX_CONSTRAINT_ISNOT:
    case SQLITE_INDEX_CONSTRAINT_ISNOTNULL:
        return 0.9;
    }
    return 0.25;
}

/* Where in the query each column stands: those that are used, and the id where it is the rowid. */
static bool is_used(const struct orma_extension_table *t, const sqlite3_index_info *info, int col)
{
    const sqlite3_uint64 bit = (sqlite3_uint64)1 << (col < 63 ? col : 63);

    return info->colUsed & bit || (t->id_unique && col == t->id);
}

static void put_columns(const struct orma_extension_table *t, const sqlite3_index_info *info,
                        sqlite3_str *plan)
{
    const char *between = "";

    for (int i = 0; i < t->columns; i++) {
        if (is_used(t, info, i)) {
            sqlite3_str_appendf(plan, "%s%d", between, i);
            between = ",";
        }
    }
    sqlite3_str_appendall(plan, ";SELECT ");
    if (!*between)
        sqlite3_str_appendall(plan, "1");
    between = "";
    for (int i = 0; i < t->columns; i++) {
        if (is_used(t, info, i)) {
            put_column(plan, between, t, i);
            between = ", ";
        }
    }
    sqlite3_str_appendf(plan, " FROM \"%w\"", t->name);
}

/*
 * Whether a comparison means the same there and in the host: numbers are compared as such, texts
 * with what is known to be a text, patterns as a whole. Of equality with anything else the value
 * decides, in write_query(): *ret_loose.
 */
static bool means_the_same(const struct orma_extension_table *t, sqlite3_index_info *info, int i,
                           int args, bool *ret_loose)
{
    const struct sqlite3_index_constraint *c = &info->aConstraint[i];
    sqlite3_value *val = NULL;

    *ret_loose = false;
    if (orma_aux_is_auxiliary(c->op) && !t->aux_safe)
        return false;
    if (t->numeric[c->iColumn] || !takes_value(c->op) || c->op == SQLITE_INDEX_CONSTRAINT_LIKE ||
        c->op == SQLITE_INDEX_CONSTRAINT_GLOB)
        return true;
    if (!sqlite3_vtab_rhs_value(info, i, &val) && val && sqlite3_value_type(val) == SQLITE_TEXT)
        return true;
    *ret_loose = true;
    return (c->op == SQLITE_INDEX_CONSTRAINT_EQ || c->op == SQLITE_INDEX_CONSTRAINT_IS) &&
           args < ORMA_EXTENSION_LOOSE_MAX;
}

/* False: not all constraints are in the query, so a limit must not be. */
static bool put_where(const struct orma_extension_table *t, sqlite3_index_info *info,
                      sqlite3_str *plan, int *args, double *share)
{
    const char *before = " WHERE ";
    bool all = true;

    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];
        const char *op = operator_of(c->op);

        if (is_limit(c->op))
            continue;
        bool loose;

        if (!c->usable || !op || c->iColumn < 0 ||
            strcmp(sqlite3_vtab_collation(info, i), "BINARY") ||
            !means_the_same(t, info, i, *args, &loose)) {
            all = false;
            continue;
        }
        /* These can mean something else in the host, which checks them again: it may need more
         * rows. */
        all = all && !loose && c->op != SQLITE_INDEX_CONSTRAINT_LIKE &&
              c->op != SQLITE_INDEX_CONSTRAINT_GLOB;
        sqlite3_str_appendall(plan, before);
        if (loose)
            sqlite3_str_appendf(plan, "%c%d ", ORMA_EXTENSION_LOOSE, *args + 1);
        put_column(plan, "", t, c->iColumn);
        sqlite3_str_appendf(plan, " %s", op);
        before = " AND ";
        /* Each has its argument, needed or not: only then SQLite keeps to what the term depends on.
         */
        sqlite3_str_appendf(plan, takes_value(c->op) ? " %c%d" : " AND (1 OR %c%d)",
                            ORMA_EXTENSION_PLACE, ++*args);
        info->aConstraintUsage[i].argvIndex = *args;
        info->aConstraintUsage[i].omit = c->op == SQLITE_INDEX_CONSTRAINT_EQ && !loose;
        if (loose)
            sqlite3_str_appendchar(plan, 1, ORMA_EXTENSION_LOOSE_END);
        *share *= share_of(t, c);
    }
    return all;
}

static void put_order(const struct orma_extension_table *t, sqlite3_index_info *info,
                      sqlite3_str *plan)
{
    for (int i = 0; i < info->nOrderBy; i++) {
        if (info->aOrderBy[i].iColumn < 0)
            return;
    }
    for (int i = 0; i < info->nOrderBy; i++) {
        put_column(plan, i ? ", " : " ORDER BY ", t, info->aOrderBy[i].iColumn);
        sqlite3_str_appendall(plan, info->aOrderBy[i].desc ? " DESC" : "");
    }
    info->orderByConsumed = info->nOrderBy > 0;
}

/* The host skips OFFSET rows itself unless it is told not to: so the limit is pushed with the
 * offset, or not at all. Without an order the host stops early enough. */
static void put_limit(sqlite3_index_info *info, sqlite3_str *plan, int *args)
{
    int limit = -1, offset = -1;

    for (int i = 0; i < info->nConstraint; i++) {
        if (!is_limit(info->aConstraint[i].op))
            continue;
        if (!info->aConstraint[i].usable)
            return;
        *(info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_LIMIT ? &limit : &offset) = i;
    }
    if (limit < 0 || (!info->nOrderBy && offset < 0))
        return;
    sqlite3_str_appendf(plan, " LIMIT %c%d", ORMA_EXTENSION_PLACE, ++*args);
    info->aConstraintUsage[limit].argvIndex = *args;
    info->aConstraintUsage[limit].omit = 1;
    if (offset < 0)
        return;
    sqlite3_str_appendf(plan, " OFFSET %c%d", ORMA_EXTENSION_PLACE, ++*args);
    info->aConstraintUsage[offset].argvIndex = *args;
    info->aConstraintUsage[offset].omit = 1;
}

int orma_extension_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    struct orma_extension_table *t = (struct orma_extension_table *)base;
    double share = 1;
    int args = 0;

    for (int i = 0; i < info->nConstraint; i++) {
        if (!is_limit(info->aConstraint[i].op))
            look(t);
    }
    sqlite3_str *plan = sqlite3_str_new(NULL);
    put_columns(t, info, plan);
    bool all = put_where(t, info, plan, &args, &share);
    put_order(t, info, plan);
    if (all && (!info->nOrderBy || info->orderByConsumed))
        put_limit(info, plan, &args);
    for (int i = 0; i < info->nConstraint; i++) {
        const int op = info->aConstraint[i].op;

        if (!info->aConstraint[i].usable || is_limit(op))
            continue;
        if (op == SQLITE_INDEX_CONSTRAINT_EQ && info->aConstraintUsage[i].argvIndex) {
            if (t->id_unique && info->aConstraint[i].iColumn == t->id)
                info->idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
        }
    }
    info->estimatedRows = (sqlite3_int64)(t->rows * share) + 1;
    info->estimatedCost = COST_SCAN + (t->id_unique ? t->rows * share : t->rows);
    info->idxStr = sqlite3_str_finish(plan);
    info->needToFreeIdxStr = 1;
    return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}
