/*
 * Names are resolved twice: SQLite's authorizer notes each column of a table that it finds while it
 * prepares a statement, and binding writes down what it found. Where they differ the executor
 * stands back.
 */
#include <stdio.h>
#include <stdlib.h>

#include "processor/sql/exec/bind/bind.h"
#include "processor/sql/exec/statement.h"

/* Names of columns, and where they come from, as SQLite says. */
static bool same_columns(struct orma_exec_plan *plan, sqlite3_stmt *stmt)
{
    for (uint32_t i = 0; i < plan->root->results.len; i++) {
        const struct orma_exec_result *r = &plan->root->results.data[i];
        const char *name = sqlite3_column_name(stmt, (int)i);
        const char *origin = sqlite3_column_origin_name(stmt, (int)i);

        if (r->given && (!name || !orma_exec_same_name(r->name, orma_str_from(name))))
            return orma_exec_give_up(plan, "the name of a column");
        if (!origin || r->expr->op != ORMA_EXEC_COLUMN || !r->expr->column.source->table)
            continue;
        struct orma_exec_result col =
            orma_exec_bind_table_column(plan, r->expr->column.source, r->expr->column.at);
        if (!orma_exec_same_name(col.name, orma_str_from(origin)))
            return orma_exec_give_up(plan, "the origin of a column");
    }
    return true;
}

static int by_column(const void *a, const void *b)
{
    const struct orma_sql_read *x = a, *y = b;

    return x->column < y->column ? -1 : x->column > y->column;
}

static void sort_reads(struct orma_sql_reads *reads)
{
    if (reads->list.len)
        qsort(reads->list.data, reads->list.len, sizeof(*reads->list.data), by_column);
}

static bool has_column(const struct orma_sql_reads *reads, struct orma_sql_read r)
{
    return reads->list.len &&
           bsearch(&r, reads->list.data, reads->list.len, sizeof(*reads->list.data), by_column);
}

static bool has_table(const struct orma_sql_reads *reads, uint64_t table)
{
    for (uint32_t i = 0; i < reads->list.len; i++) {
        if (reads->list.data[i].table == table)
            return true;
    }
    return false;
}

/* Of the schema: tables look there while they are connected. */
static bool is_schema(uint64_t table)
{
    static const char *const names[] = {"sqlite_master", "sqlite_temp_master", "sqlite_schema",
                                        "sqlite_temp_schema"};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(names); i++) {
        if (orma_sql_reads_table(orma_str_from(names[i])) == table)
            return true;
    }
    return false;
}

/* What SQLite reads that is not read here. It names a table without a column if nobody reads one,
 * and also columns of views. */
static bool is_unknown(const struct orma_exec_plan *plan, struct orma_sql_read theirs)
{
    if (has_table(&plan->names.tables, theirs.table))
        return theirs.named && !has_column(&plan->names.reads, theirs);
    return !has_table(&plan->names.views, theirs.table) && !is_schema(theirs.table);
}

static bool find_others(const struct orma_exec_plan *plan, const struct orma_sql_reads *theirs)
{
    for (uint32_t i = 0; i < plan->names.reads.list.len; i++) {
        if (!has_column(theirs, plan->names.reads.list.data[i]))
            return true;
    }
    for (uint32_t i = 0; i < theirs->list.len; i++) {
        if (is_unknown(plan, theirs->list.data[i]))
            return true;
    }
    return false;
}

/* Tables that SQLite read nothing of: it may have left out a query that nobody needs. */
static bool has_unread(const struct orma_exec_plan *plan, const struct orma_sql_reads *theirs)
{
    for (uint32_t i = 0; i < plan->names.tables.list.len; i++) {
        const uint64_t table = plan->names.tables.list.data[i].table;

        if (!has_table(theirs, table) && !has_table(&plan->names.unsaid, table))
            return true;
    }
    return false;
}

/* Each table and column that names were found to be is what SQLite's authorizer saw, and the other
 * way round. */
static bool same_reads(struct orma_exec_plan *plan)
{
    struct orma_sql_reads *theirs = &plan->sql->planner.reads, *ours = &plan->names.reads;

    if (theirs->failed || ours->failed || plan->names.tables.failed || plan->names.views.failed ||
        plan->names.unsaid.failed)
        return orma_exec_give_up(plan, "out of memory");
    sort_reads(ours);
    sort_reads(theirs);
    if (has_unread(plan, theirs))
        return orma_exec_give_up(plan, "a table that SQLite does not read");
    if (!find_others(plan, theirs))
        return true;
    plan->sql->planner.unlike++;
    if (plan->sql->planner.exec == ORMA_EXEC_MODE_BOTH) {
        fprintf(stderr, "orma: the executor found other columns than SQLite in:\n%s\n",
                plan->statement.text);
        abort();
    }
    return orma_exec_give_up(plan, "other columns than SQLite found");
}

bool orma_exec_statement_agrees(struct orma_exec_plan *plan, sqlite3_stmt *stmt)
{
    return same_columns(plan, stmt) && same_reads(plan);
}
