/*
 * CREATE PERFETTO TABLE, VIEW and INDEX.
 *
 * A table: the query runs into a new dataframe, whose columns are compared with
 * the declared ones; then DROP of the old and CREATE VIRTUAL TABLE of the new run
 * inside one savepoint, so that a failure leaves everything as it was. A view is
 * stored as its text, after its query was prepared once to check it.
 */
#include <errno.h>
#include <stdlib.h>

#include "processor/sql/dialect/token.h"
#include "processor/sql/exec/exec.h"
#include "processor/sql/script/packages.h"
#include "processor/sql/script/runner.h"
#include "processor/sql/tables/dataframe_tables.h"
#include "processor/sql/tables/index.h"
#include "processor/sql/tables/proj.h"

/* ---- creation ---- */

static bool is_stored(const char *name)
{
    for (unsigned i = 0; i < ORMA_TABLES_NUM; i++) {
        if (!sqlite3_stricmp(orma_table_defs[i].name, name))
            return true;
    }
    return false;
}

static bool is_projection(const char *name)
{
    for (const struct orma_proj *p = orma_vtab_projs; p->name; p++) {
        if (!sqlite3_stricmp(p->name, name))
            return true;
    }
    return !sqlite3_stricmp(name, "args");
}

/* "table" or "view", as a script made it; NULL: there is none of that name. */
static const char *made_as(struct orma_sql *sql, const char *name)
{
    sqlite3_stmt *stmt = NULL;
    const char *type = NULL;

    if (!sqlite3_prepare_v2(sql->db,
                            "SELECT type = 'view' FROM sqlite_master WHERE "
                            "type IN ('table', 'view') AND name = ? COLLATE NOCASE",
                            -1, &stmt, NULL)) {
        sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
        if (sqlite3_step(stmt) == SQLITE_ROW)
            type = sqlite3_column_int(stmt, 0) ? "view" : "table";
    }
    sqlite3_finalize(stmt);
    return type;
}

/* The same for names that are there from the start, too; a prelude of others makes these itself. */
static const char *exists_as(struct orma_sql *sql, const char *name)
{
    bool ours = !orma_packages_overridden(sql);

    if (ours && is_stored(name))
        return "table";
    return ours && is_projection(name) ? "view" : made_as(sql, name);
}

/* The error of a name that is taken; 0: it is free. */
static int check_is_free(struct orma_sql *sql, const struct orma_statement *s, const char *name)
{
    const char *type = exists_as(sql, name);

    return type ? orma_sql_error_set(&sql->error, s->text, s->name_at, "%s %s already exists", type,
                                     name)
                : 0;
}

/* The same without reading the schema through, as SQLite says so itself when it makes the object:
 * tables, and what is there from the start. */
static int check_early(struct orma_sql *sql, const struct orma_statement *s, const char *name)
{
    bool taken =
        !sqlite3_table_column_metadata(sql->db, "main", name, NULL, NULL, NULL, NULL, NULL, NULL) ||
        (!orma_packages_overridden(sql) && (is_stored(name) || is_projection(name)));

    return taken ? check_is_free(sql, s, name) : 0;
}

/* An error in what is made under a name that is taken by a view: the name counts. */
static int check_late(struct orma_sql *sql, const struct orma_statement *s, const char *name, int r)
{
    int taken =
        r < 0 && !s->replace && r != -ENOMEM && r != -ECANCELED ? check_is_free(sql, s, name) : 0;

    return taken < 0 ? taken : r;
}

/* How messages about the columns begin. */
static const char *statement_name(const struct orma_statement *s)
{
    return s->kind == ORMA_STMT_CREATE_VIEW ? "CREATE PERFETTO VIEW" : "CREATE PERFETTO TABLE";
}

static struct orma_str column_name(sqlite3_stmt *query, int col)
{
    return orma_str_from(sqlite3_column_name(query, col));
}

static int check_names(struct orma_sql *sql, const struct orma_statement *s, sqlite3_stmt *query)
{
    for (int i = 0; i < sqlite3_column_count(query); i++) {
        struct orma_str name = column_name(query, i);

        if (!orma_word_is_plain(name))
            return orma_sql_error_set(&sql->error, s->text, s->body_at,
                                      "%s: column name '%.*s' must begin with a letter or '_' and "
                                      "contain only letters, digits and '_'",
                                      statement_name(s), ORMA_STR_ARG(name));
        for (int k = 0; k < i; k++) {
            if (orma_word_eq(name, column_name(query, k)))
                return orma_sql_error_set(&sql->error, s->text, s->body_at,
                                          "%s: multiple columns are named %.*s", statement_name(s),
                                          ORMA_STR_ARG(name));
        }
    }
    return 0;
}

static bool in_query(sqlite3_stmt *query, struct orma_str name)
{
    for (int i = 0; i < sqlite3_column_count(query); i++) {
        if (orma_word_eq(name, column_name(query, i)))
            return true;
    }
    return false;
}

static const struct orma_sql_field *in_schema(const struct orma_sql_fields *schema,
                                              struct orma_str name)
{
    for (size_t i = 0; i < schema->len; i++) {
        if (orma_word_eq(name, schema->fields[i].name))
            return &schema->fields[i];
    }
    return NULL;
}

static void add_name(struct orma_buf *list, struct orma_str name)
{
    orma_buf_printf(list, "%s%.*s", list->len ? ", " : "", ORMA_STR_ARG(name));
}

static int check_schema(struct orma_sql *sql, const struct orma_statement *s, sqlite3_stmt *query)
{
    struct orma_buf missing = {0}, extra = {0};
    int r = 0;

    for (size_t i = 0; i < s->columns.len; i++) {
        if (!in_query(query, s->columns.fields[i].name))
            add_name(&missing, s->columns.fields[i].name);
    }
    for (int i = 0; i < sqlite3_column_count(query); i++) {
        if (!in_schema(&s->columns, column_name(query, i)))
            add_name(&extra, column_name(query, i));
    }
    if (missing.len)
        r = orma_sql_error_set(
            &sql->error, s->text, s->name_at,
            "%s: the following columns are declared in the schema, but do not exist: %s%s%s",
            statement_name(s), orma_buf_cstr(&missing),
            extra.len ? "; and the following columns exist, but are not declared: " : "",
            extra.len ? orma_buf_cstr(&extra) : "");
    else if (extra.len)
        r = orma_sql_error_set(&sql->error, s->text, s->name_at,
                               "%s: the following columns are missing from the schema: %s",
                               statement_name(s), orma_buf_cstr(&extra));
    orma_buf_fini(&missing);
    orma_buf_fini(&extra);
    return r;
}

int orma_sql_check_columns(struct orma_sql *sql, const struct orma_statement *s,
                           sqlite3_stmt *query)
{
    int r = check_names(sql, s, query);

    return r < 0 || !s->columns.given ? r : check_schema(sql, s, query);
}

static int check_types(struct orma_sql *sql, const struct orma_statement *s,
                       const struct orma_dataframe *frame)
{
    for (unsigned i = 0; i < frame->columns_num && s->columns.given; i++) {
        const struct orma_dataframe_column *col = &frame->columns[i];
        const struct orma_sql_field *f = in_schema(&s->columns, orma_str_from(col->name));
        enum orma_sql_class got = col->type == ORMA_DATAFRAME_INT      ? ORMA_CLASS_INTEGER
                                  : col->type == ORMA_DATAFRAME_DOUBLE ? ORMA_CLASS_REAL
                                                                       : ORMA_CLASS_TEXT;

        if (col->type == ORMA_DATAFRAME_UNKNOWN || f->class == ORMA_CLASS_ANY || f->class == got ||
            (f->class == ORMA_CLASS_REAL && got == ORMA_CLASS_INTEGER) ||
            (f->class == ORMA_CLASS_INTEGER && got == ORMA_CLASS_REAL))
            continue; /* numbers of either kind: the column has those that came */
        return orma_sql_error_set(&sql->error, s->text, s->name_at,
                                  "CREATE PERFETTO TABLE(%.*s): column '%s' declared as %s in the "
                                  "schema, but %s found",
                                  ORMA_STR_ARG(s->name), col->name, orma_sql_class_name(f->class),
                                  orma_sql_class_name(got));
    }
    return 0;
}

/* Integers in a column that was declared DOUBLE. */
static void make_doubles(const struct orma_statement *s, struct orma_dataframe *frame)
{
    for (unsigned i = 0; i < frame->columns_num && s->columns.given; i++) {
        const struct orma_sql_field *f =
            in_schema(&s->columns, orma_str_from(frame->columns[i].name));

        if (f->class == ORMA_CLASS_REAL)
            orma_dataframe_make_double(frame, i);
    }
}

static enum orma_dataframe_type type_of(enum orma_sql_class class)
{
    switch (class) {
    case ORMA_CLASS_INTEGER:
        return ORMA_DATAFRAME_INT;
    case ORMA_CLASS_REAL:
        return ORMA_DATAFRAME_DOUBLE;
    case ORMA_CLASS_TEXT:
        return ORMA_DATAFRAME_TEXT;
    case ORMA_CLASS_BLOB:
    case ORMA_CLASS_ANY:
    case ORMA_CLASS_NONE:
        break;
    }
    return ORMA_DATAFRAME_UNKNOWN;
}

static struct orma_dataframe *new_frame(struct orma_sql *sql, const struct orma_statement *s,
                                        sqlite3_stmt *query)
{
    int num = sqlite3_column_count(query);
    const char **names = calloc((size_t)num, sizeof(*names));
    struct orma_dataframe *frame = NULL;

    for (int i = 0; names && i < num; i++)
        names[i] = sqlite3_column_name(query, i);
    if (names)
        frame = orma_dataframe_new(sql->storage, names, (unsigned)num, true);
    free(names);
    for (int i = 0; frame && s->columns.given && i < num; i++)
        frame->columns[i].declared =
            type_of(in_schema(&s->columns, orma_str_from(frame->columns[i].name))->class);
    return frame;
}

/* Each column has values, or a type that was declared; those of the latter get it. */
static bool is_typed(struct orma_dataframe *frame)
{
    bool typed = true;

    for (unsigned i = 0; i < frame->columns_num; i++) {
        const struct orma_dataframe_column *col = &frame->columns[i];

        if (col->type != ORMA_DATAFRAME_UNKNOWN)
            continue;
        if (col->declared != ORMA_DATAFRAME_UNKNOWN)
            orma_dataframe_set_type(frame, i, col->declared);
        else
            typed = false;
    }
    return typed;
}

/* Columns without values have the types of those that they come from. */
static void type_empty(struct orma_sql *sql, const struct orma_statement *s, sqlite3_stmt *query,
                       struct orma_dataframe *frame)
{
    sqlite3_stmt *plain = NULL; /* the executor's own statement does not know the types */

    if (is_typed(frame))
        return;
    if (orma_exec_plan_of(sql, query)) {
        if (sqlite3_prepare_v2(sql->db, s->body.data, (int)s->body.len, &plain, NULL))
            return;
        query = plain;
    }
    for (unsigned i = 0; i < frame->columns_num; i++) {
        const struct orma_dataframe_column *col = &frame->columns[i];
        const char *type = sqlite3_column_decltype(query, (int)i);

        if (col->type != ORMA_DATAFRAME_UNKNOWN)
            continue;
        if (type && !sqlite3_stricmp(type, "TEXT"))
            orma_dataframe_set_type(frame, i, ORMA_DATAFRAME_TEXT);
        else if (type && (!sqlite3_stricmp(type, "DOUBLE") || !sqlite3_stricmp(type, "REAL")))
            orma_dataframe_set_type(frame, i, ORMA_DATAFRAME_DOUBLE);
    }
    sqlite3_finalize(plain);
}

static int bad_value(struct orma_sql *sql, const struct orma_statement *s,
                     const struct orma_dataframe *frame)
{
    return orma_sql_error_set(&sql->error, s->text, s->body_at, "CREATE PERFETTO TABLE(%.*s): %s",
                              ORMA_STR_ARG(s->name), frame->error);
}

static void put_cell(struct orma_dataframe *frame, unsigned col, uint32_t row,
                     const struct orma_exec_column *from, uint32_t at)
{
    double d;

    switch ((enum orma_exec_type)(from->types ? from->types[at] : from->type)) {
    case ORMA_EXEC_TYPE_INT:
        orma_dataframe_put_int(frame, col, row, from->vals[at]);
        break;
    case ORMA_EXEC_TYPE_REAL:
        memcpy(&d, &from->vals[at], sizeof(d));
        orma_dataframe_put_double(frame, col, row, d);
        break;
    case ORMA_EXEC_TYPE_TEXT:
        orma_dataframe_put_str(frame, col, row, (uint32_t)from->vals[at]);
        break;
    case ORMA_EXEC_TYPE_NULL:
        break;
    }
}

/* All rows of a query of the executor. -EAGAIN: it gave up, and SQLite is to run it. */
static int fill_by_columns(struct orma_sql *sql, const struct orma_statement *s,
                           struct orma_exec_plan *plan, struct orma_dataframe *frame)
{
    struct orma_exec_batch batch;
    int r;

    while ((r = orma_exec_next_batch(plan, &batch)) > 0) {
        for (uint32_t i = 0; i < batch.rows; i++) {
            uint32_t row = orma_dataframe_add(frame);

            for (unsigned k = 0; k < batch.columns_num && !frame->error; k++)
                put_cell(frame, k, row, &batch.columns[k], i);
            if (frame->error)
                return bad_value(sql, s, frame);
            if (frame->failed)
                return orma_sql_error_oom(&sql->error);
        }
        if (orma_sql_is_interrupted(sql))
            return -EAGAIN; /* SQLite says why */
    }
    if (r == -EAGAIN && frame->table.rows) /* rows are out */
        return orma_sql_error_oom(&sql->error);
    return r == -ECANCELED ? -EAGAIN : r;
}

/* All rows of the query. */
static int fill_frame(struct orma_sql *sql, const struct orma_statement *s, sqlite3_stmt *query,
                      struct orma_dataframe *frame)
{
    struct orma_exec_plan *plan = orma_exec_plan_of(sql, query);
    int r = plan ? fill_by_columns(sql, s, plan, frame) : -EAGAIN;

    if (r != -EAGAIN)
        return r;
    while ((r = sqlite3_step(query)) == SQLITE_ROW) {
        uint32_t row = orma_dataframe_add(frame);

        for (unsigned i = 0; i < frame->columns_num; i++) {
            if (!orma_dataframe_put_value(frame, i, row, sqlite3_column_value(query, (int)i)))
                break;
        }
        if (frame->error)
            return bad_value(sql, s, frame);
        if (frame->failed)
            return orma_sql_error_oom(&sql->error);
    }
    return r == SQLITE_DONE ? 0 : orma_sql_take_error(sql, s->text, s->body_at);
}

static int build_frame(struct orma_sql *sql, const struct orma_statement *s,
                       struct orma_dataframe **ret)
{
    sqlite3_stmt *query;
    struct orma_dataframe *frame = NULL;
    int r = orma_sql_prepare_body(sql, s, &query);

    if (r == 0)
        r = orma_sql_check_columns(sql, s, query);
    if (r == 0 && in_query(query, ORMA_STR("_auto_id")))
        r = orma_sql_error_set(&sql->error, s->text, s->body_at,
                               "the column name _auto_id is reserved for the row number");
    if (r == 0 && !(frame = new_frame(sql, s, query)))
        r = orma_sql_error_oom(&sql->error);
    if (r == 0)
        r = fill_frame(sql, s, query, frame);
    if (r == 0)
        r = check_types(sql, s, frame);
    if (r == 0)
        make_doubles(s, frame);
    if (r == 0)
        type_empty(sql, s, query, frame);
    sqlite3_finalize(query);
    if (r == 0 && orma_dataframe_finish(frame) < 0)
        r = frame->error ? bad_value(sql, s, frame) : orma_sql_error_oom(&sql->error);
    if (r < 0)
        orma_dataframe_unref(frame);
    else
        *ret = frame;
    return r;
}

/* DROP and CREATE together, or neither. */
static int replace(struct orma_sql *sql, const struct orma_statement *s, const char *drop,
                   const char *create)
{
    int r, r2 = 0;

    if (!drop)
        return orma_sql_run_plain(sql, create) ? orma_sql_take_error(sql, s->text, s->name_at) : 0;
    r = orma_sql_run_plain(sql, "SAVEPOINT orma_create");
    if (!r)
        r = orma_sql_run_plain(sql, drop);
    if (!r)
        r = orma_sql_run_plain(sql, create);
    if (r) {
        r2 = orma_sql_take_error(sql, s->text, s->name_at);
        (void)orma_sql_run_plain(sql, "ROLLBACK TO orma_create"); /* the first error counts */
    }
    if (orma_sql_run_plain(sql, "RELEASE orma_create") && !r)
        r2 = orma_sql_take_error(sql, s->text, s->name_at);
    return r2;
}

static int install_table(struct orma_sql *sql, const struct orma_statement *s, char *name,
                         struct orma_dataframe *frame)
{
    char *drop = NULL, *create;
    uint64_t id = 0;
    int r = orma_dataframe_tables_add(sql, name, frame, &id);

    if (r < 0)
        return orma_sql_error_oom(&sql->error);
    if (s->replace)
        drop = sqlite3_mprintf("DROP TABLE IF EXISTS \"%w\"", name);
    create =
        sqlite3_mprintf("CREATE VIRTUAL TABLE \"%w\" USING " ORMA_DATAFRAME_TABLES_MODULE "(%llu)",
                        name, (unsigned long long)id);
    if (!create || (s->replace && !drop))
        r = orma_sql_error_oom(&sql->error);
    else
        r = replace(sql, s, drop, create);
    sqlite3_free(drop);
    sqlite3_free(create);
    if (r < 0)
        orma_dataframe_tables_drop(sql, id);
    return r;
}

int orma_sql_create_table(struct orma_sql *sql, const struct orma_statement *s)
{
    char *name = orma_sql_unquote(s->name);
    struct orma_dataframe *frame = NULL;
    int r = 0;

    if (!name)
        return orma_sql_error_oom(&sql->error);
    for (size_t i = 0; i < s->columns.len && r == 0; i++) {
        if (s->columns.fields[i].class == ORMA_CLASS_BLOB)
            r = orma_sql_error_set(&sql->error, s->text, s->name_at,
                                   "CREATE PERFETTO TABLE(%s): Bytes type is not supported", name);
        else if (s->columns.fields[i].class == ORMA_CLASS_ANY)
            r = orma_sql_error_set(&sql->error, s->text, s->name_at,
                                   "CREATE PERFETTO TABLE(%s): ANY type cannot be used in table "
                                   "columns",
                                   name);
    }
    if (r == 0 && !s->replace)
        r = check_early(sql, s, name);
    if (r == 0 && (r = build_frame(sql, s, &frame)) == 0)
        r = install_table(sql, s, name, frame);
    r = check_late(sql, s, name, r);
    orma_dataframe_unref(frame);
    free(name);
    return r;
}

int orma_sql_create_view(struct orma_sql *sql, const struct orma_statement *s)
{
    char *name = orma_sql_unquote(s->name);
    sqlite3_stmt *query = NULL;
    struct orma_buf create = {0};
    char *drop = NULL;
    int r;

    if (!name)
        return orma_sql_error_oom(&sql->error);
    r = s->replace ? 0 : check_early(sql, s, name);
    if (r == 0)
        r = orma_sql_prepare_body(sql, s, &query);
    if (r == 0 && s->columns.given)
        r = orma_sql_check_columns(sql, s, query);
    sqlite3_finalize(query);
    if (r == 0) {
        orma_buf_put_str(&create, "CREATE VIEW ");
        orma_sql_put_quoted(&create, orma_str_from(name));
        orma_buf_printf(&create, " AS %.*s", ORMA_STR_ARG(s->body));
        bool old = s->replace && made_as(sql, name); /* what is built in is covered, not dropped */
        if (old)
            drop = sqlite3_mprintf("DROP VIEW \"%w\"", name);
        if (create.failed || (old && !drop))
            r = orma_sql_error_oom(&sql->error);
    }
    if (r == 0)
        r = replace(sql, s, drop, orma_buf_cstr(&create));
    r = check_late(sql, s, name, r);
    sqlite3_free(drop);
    orma_buf_fini(&create);
    free(name);
    return r;
}

/* ---- indexes ---- */

static int cannot_index(struct orma_sql *sql, const struct orma_statement *s, const char *name)
{
    if (is_stored(name))
        return orma_sql_error_set(&sql->error, s->text, s->name_at,
                                  "CREATE PERFETTO INDEX: indexes on intrinsic table '%s' must be "
                                  "declared at compile time, not via SQL",
                                  name);
    bool other = exists_as(sql, name); /* a view, or a table of SQLite's */
    return orma_sql_error_set(&sql->error, s->text, s->name_at,
                              "CREATE PERFETTO INDEX: table '%s' does not exist%s", name,
                              other ? ", or was not made by CREATE PERFETTO TABLE" : "");
}

static int find_indexed(struct orma_sql *sql, const struct orma_statement *s,
                        struct orma_dataframe_table **ret)
{
    char *name = orma_sql_unquote(s->table);
    int r = 0;

    if (!name)
        return orma_sql_error_oom(&sql->error);
    *ret = orma_dataframe_tables_find(sql, name);
    if (!*ret)
        r = cannot_index(sql, s, name);
    free(name);
    return r;
}

/* The place of the index among those of its table; *ret is NULL: there is none of that name. Names
 * of indexes are unique over all tables. */
static unsigned find_index(struct orma_sql *sql, struct orma_str name,
                           struct orma_dataframe_table **ret)
{
    ORMA_MAP_EACH (slot, &sql->dataframes.tables) {
        struct orma_dataframe_table *t = (struct orma_dataframe_table *)(uintptr_t)slot->val;

        for (unsigned i = 0; i < t->indexes_num && !t->dropped; i++) {
            if (orma_word_eq(name, orma_str_from(t->indexes[i]))) {
                *ret = t;
                return i;
            }
        }
    }
    *ret = NULL;
    return 0;
}

static void remove_index(struct orma_dataframe_table *t, unsigned at)
{
    free(t->indexes[at]);
    t->indexes[at] = t->indexes[--t->indexes_num];
}

static int find_column(struct orma_sql *sql, const struct orma_statement *s,
                       const struct orma_dataframe_table *t, struct orma_str name)
{
    for (unsigned i = 0; i < t->frame->columns_num; i++) {
        if (orma_word_eq(name, orma_str_from(t->frame->columns[i].name)))
            return (int)i;
    }
    return orma_sql_error_set(&sql->error, s->text, s->name_at,
                              "CREATE PERFETTO INDEX: Column '%.*s' not found in table '%s'",
                              ORMA_STR_ARG(name), t->name);
}

/* Indexes are made when equality is asked for; creating one says that it will be. */
int orma_sql_create_index(struct orma_sql *sql, const struct orma_statement *s)
{
    struct orma_dataframe_table *t = NULL;
    int first = -1, r = find_indexed(sql, s, &t);

    for (size_t i = 0; i < s->args.len && r == 0; i++) {
        int col = find_column(sql, s, t, s->args.fields[i].name);

        r = col < 0 ? col : 0;
        first = i ? first : col;
    }
    if (r < 0)
        return r;
    struct orma_dataframe_table *old = NULL;
    unsigned at = find_index(sql, s->name, &old);
    if (old && !s->replace)
        return orma_sql_error_set(&sql->error, s->text, s->name_at,
                                  "CREATE PERFETTO INDEX: Index '%.*s' already exists",
                                  ORMA_STR_ARG(s->name));
    if (old)
        remove_index(old, at);
    if (t->indexes_num == ORMA_DATAFRAME_INDEXES_MAX)
        return orma_sql_error_set(&sql->error, s->text, s->name_at, "more than %d indexes",
                                  ORMA_DATAFRAME_INDEXES_MAX);
    t->indexes[t->indexes_num] = orma_str_dup(s->name);
    if (!t->indexes[t->indexes_num])
        return orma_sql_error_oom(&sql->error);
    t->indexes_num++;
    orma_index_expect(sql, &t->frame->table, (unsigned)first);
    return 0;
}

/* The table that the statement names does not count: the name of the index says enough. */
int orma_sql_drop_index(struct orma_sql *sql, const struct orma_statement *s)
{
    struct orma_dataframe_table *t;
    unsigned at = find_index(sql, s->name, &t);

    if (!t)
        return orma_sql_error_set(&sql->error, s->text, s->name_at,
                                  "DROP PERFETTO INDEX: Index '%.*s' not found",
                                  ORMA_STR_ARG(s->name));
    remove_index(t, at);
    return 0;
}
