/*
 * CREATE PERFETTO TABLE, VIEW and INDEX, and the table function that describes
 * such tables.
 *
 * The rows of a table are a frame; SQLite knows it as a virtual table whose
 * argument is the number of the frame. The registry keeps the frame from the
 * CREATE to the DROP: SQLite may disconnect and connect meanwhile.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "processor/sql/base/dataframe.h"
#include "processor/sql/base/tvf.h"
#include "processor/sql/dialect/token.h"
#include "processor/sql/script/exec.h"
#include "processor/sql/tables/index.h"

#define MODULE "__orma_frame"
#define INDEX_NAMES_MAX 64

struct orma_frame_table {
    char *name;
    struct orma_frame *frame;
    bool dropped; /* by a transaction that may still be rolled back */
    char *indexes[INDEX_NAMES_MAX];
    unsigned indexes_num;
};

static void table_free(struct orma_sql *sql, struct orma_frame_table *self)
{
    sql->tables_generation++;
    orma_sql_indexes_drop(sql, &self->frame->table);
    orma_frame_unref(self->frame);
    for (unsigned i = 0; i < self->indexes_num; i++)
        free(self->indexes[i]);
    free(self->name);
    free(self);
}

void orma_frame_tables_fini(struct orma_sql *sql)
{
    ORMA_MAP_EACH (slot, &sql->frames)
        table_free(sql, (struct orma_frame_table *)(uintptr_t)slot->val);
    orma_map_fini(&sql->frames);
}

/* The newest: one whose creation was rolled back may still be there. */
static struct orma_frame_table *find_table(struct orma_sql *sql, const char *name)
{
    struct orma_frame_table *found = NULL;
    uint64_t newest = 0;

    ORMA_MAP_EACH (slot, &sql->frames) {
        struct orma_frame_table *t = (struct orma_frame_table *)(uintptr_t)slot->val;

        if (!t->dropped && slot->key > newest && !sqlite3_stricmp(t->name, name)) {
            newest = slot->key;
            found = t;
        }
    }
    return found;
}

/* Whether a rollback brought the table of this frame back. */
static bool is_back(struct orma_sql *sql, uint64_t id)
{
    sqlite3_stmt *stmt = NULL;
    char mark[64];
    bool found = true; /* in doubt the frame stays */

    snprintf(mark, sizeof(mark), MODULE "(%" PRIu64 ")", id);
    if (!sqlite3_prepare_v2(sql->db, "SELECT 1 FROM sqlite_master WHERE instr(sql, ?)", -1, &stmt,
                            NULL)) {
        sqlite3_bind_text(stmt, 1, mark, -1, SQLITE_STATIC);
        found = sqlite3_step(stmt) == SQLITE_ROW;
    }
    sqlite3_finalize(stmt);
    return found;
}

void orma_frame_tables_sweep(struct orma_sql *sql)
{
    while (sql->frames_dropped && sqlite3_get_autocommit(sql->db)) {
        struct orma_frame_table *t = NULL;
        uint64_t id = 0;

        ORMA_MAP_EACH (slot, &sql->frames) {
            struct orma_frame_table *each = (struct orma_frame_table *)(uintptr_t)slot->val;

            if (each->dropped) {
                t = each;
                id = slot->key;
            }
        }
        sql->frames_dropped--;
        if (!t)
            continue;
        t->dropped = false;
        if (is_back(sql, id))
            continue;
        orma_map_take(&sql->frames, id);
        table_free(sql, t);
    }
}

struct orma_frame *orma_sql_find_frame(struct orma_sql *sql, const char *name)
{
    struct orma_frame_table *t = find_table(sql, name);

    return t ? t->frame : NULL;
}

/* ---- the virtual table ---- */

static uint64_t id_of(int argc, const char *const *argv)
{
    return argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
}

static struct orma_frame_table *table_of(struct orma_sql *sql, const struct orma_table *table)
{
    ORMA_MAP_EACH (slot, &sql->frames) {
        struct orma_frame_table *t = (struct orma_frame_table *)(uintptr_t)slot->val;

        if (&t->frame->table == table)
            return t;
    }
    return NULL;
}

static int connect_frame(sqlite3 *db, void *aux, int argc, const char *const *argv,
                         sqlite3_vtab **ret, char **ret_error)
{
    struct orma_sql *sql = aux;
    struct orma_frame_table *t = orma_map_get_ptr(&sql->frames, id_of(argc, argv));

    if (!t) {
        *ret_error = sqlite3_mprintf("tables of this module are made by CREATE PERFETTO TABLE");
        return SQLITE_ERROR;
    }
    if (t->dropped) { /* the DROP was rolled back */
        t->dropped = false;
        sql->frames_dropped--;
    }
    return orma_vtab_new(db, sql, &t->frame->table, ret);
}

/* The frame is freed by the next sweep: a rollback may bring the table back. */
static int destroy_frame(sqlite3_vtab *base)
{
    struct orma_sql *sql = orma_vtab_sql(base);
    struct orma_frame_table *t = table_of(sql, orma_vtab_get_table(base));

    sql->tables_generation++;
    if (t && !t->dropped) {
        t->dropped = true;
        sql->frames_dropped++;
    }
    return orma_vtab_table.xDisconnect(base);
}

static sqlite3_module frame_module(void)
{
    sqlite3_module m = orma_vtab_table;

    m.xCreate = m.xConnect = connect_frame;
    m.xDestroy = destroy_frame;
    return m;
}

/* ---- creation ---- */

static bool exists(struct orma_sql *sql, const char *name)
{
    sqlite3_stmt *stmt = NULL;
    bool found = false;

    if (!sqlite3_prepare_v2(sql->db,
                            "SELECT 1 FROM sqlite_master WHERE type IN ('table', 'view') AND "
                            "name = ? COLLATE NOCASE",
                            -1, &stmt, NULL)) {
        sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
        found = sqlite3_step(stmt) == SQLITE_ROW;
    }
    sqlite3_finalize(stmt);
    return found;
}

static struct orma_str column_name(sqlite3_stmt *query, int col)
{
    return orma_str_from(sqlite3_column_name(query, col));
}

static int check_names(struct orma_sql *sql, const struct orma_statement *s, sqlite3_stmt *query)
{
    for (int i = 0; i < sqlite3_column_count(query); i++) {
        struct orma_str name = column_name(query, i);

        if (!orma_is_plain_name(name))
            return orma_sql_error_set(
                &sql->error, s->text, s->body_at,
                "column name '%.*s' must begin with a letter or '_' and have letters, digits and "
                "'_' only",
                ORMA_STR_ARG(name));
        for (int k = 0; k < i; k++) {
            if (orma_word_eq(name, column_name(query, k)))
                return orma_sql_error_set(&sql->error, s->text, s->body_at,
                                          "multiple columns are named %.*s", ORMA_STR_ARG(name));
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
            "the following columns are declared in the schema, but do not exist: %s",
            orma_buf_cstr(&missing));
    else if (extra.len)
        r = orma_sql_error_set(&sql->error, s->text, s->name_at,
                               "the following columns exist, but are missing from the schema: %s",
                               orma_buf_cstr(&extra));
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
                       const struct orma_frame *frame)
{
    for (unsigned i = 0; i < frame->columns_num && s->columns.given; i++) {
        const struct orma_frame_column *col = &frame->columns[i];
        const struct orma_sql_field *f = in_schema(&s->columns, orma_str_from(col->name));
        enum orma_sql_class got = col->type == ORMA_FRAME_INT      ? ORMA_CLASS_INTEGER
                                  : col->type == ORMA_FRAME_DOUBLE ? ORMA_CLASS_REAL
                                                                   : ORMA_CLASS_TEXT;

        if (col->type == ORMA_FRAME_UNKNOWN || f->class == ORMA_CLASS_ANY || f->class == got ||
            (f->class == ORMA_CLASS_REAL && got == ORMA_CLASS_INTEGER))
            continue;
        return orma_sql_error_set(&sql->error, s->text, s->name_at,
                                  "column '%s' declared as %s in the schema, but %s found",
                                  col->name, orma_sql_class_name(f->class),
                                  orma_sql_class_name(got));
    }
    return 0;
}

/* Integers in a column that was declared DOUBLE. */
static void make_doubles(const struct orma_statement *s, struct orma_frame *frame)
{
    for (unsigned i = 0; i < frame->columns_num && s->columns.given; i++) {
        const struct orma_sql_field *f =
            in_schema(&s->columns, orma_str_from(frame->columns[i].name));

        if (f->class == ORMA_CLASS_REAL)
            orma_frame_make_double(frame, i);
    }
}

static struct orma_frame *new_frame(struct orma_sql *sql, sqlite3_stmt *query)
{
    int num = sqlite3_column_count(query);
    const char **names = calloc((size_t)num, sizeof(*names));
    struct orma_frame *frame = NULL;

    for (int i = 0; names && i < num; i++)
        names[i] = sqlite3_column_name(query, i);
    if (names)
        frame = orma_frame_new(sql->storage, names, (unsigned)num, true);
    free(names);
    return frame;
}

/* All rows of the query. */
static int fill_frame(struct orma_sql *sql, const struct orma_statement *s, sqlite3_stmt *query,
                      struct orma_frame *frame)
{
    int r;

    while ((r = sqlite3_step(query)) == SQLITE_ROW) {
        uint32_t row = orma_frame_add(frame);

        for (unsigned i = 0; i < frame->columns_num; i++) {
            if (!orma_frame_put_value(frame, i, row, sqlite3_column_value(query, (int)i)))
                break;
        }
        if (frame->error)
            return orma_sql_error_set(&sql->error, s->text, s->body_at, "%s", frame->error);
        if (frame->failed)
            return orma_sql_error_oom(&sql->error);
    }
    return r == SQLITE_DONE ? 0 : orma_sql_take_error(sql, s->text, s->body_at);
}

static int build_frame(struct orma_sql *sql, const struct orma_statement *s,
                       struct orma_frame **ret)
{
    sqlite3_stmt *query;
    struct orma_frame *frame = NULL;
    int r = orma_sql_prepare_body(sql, s, &query);

    if (r == 0)
        r = orma_sql_check_columns(sql, s, query);
    if (r == 0 && !(frame = new_frame(sql, query)))
        r = orma_sql_error_oom(&sql->error);
    if (r == 0)
        r = fill_frame(sql, s, query, frame);
    sqlite3_finalize(query);
    if (r == 0)
        r = check_types(sql, s, frame);
    if (r == 0)
        make_doubles(s, frame);
    if (r == 0 && orma_frame_finish(frame) < 0)
        r = frame->error ? orma_sql_error_set(&sql->error, s->text, s->body_at, "%s", frame->error)
                         : orma_sql_error_oom(&sql->error);
    if (r < 0)
        orma_frame_unref(frame);
    else
        *ret = frame;
    return r;
}

/* DROP and CREATE together, or neither. */
static int replace(struct orma_sql *sql, const struct orma_statement *s, const char *drop,
                   const char *create)
{
    int r = orma_sql_run_plain(sql, "SAVEPOINT orma_create"), r2 = 0;

    if (!r && drop)
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

static int already_exists(struct orma_sql *sql, const struct orma_statement *s, const char *name)
{
    return orma_sql_error_set(&sql->error, s->text, s->name_at, "table or view '%s' already exists",
                              name);
}

static int register_table(struct orma_sql *sql, char *name, struct orma_frame *frame,
                          uint64_t *ret_id)
{
    struct orma_frame_table *t = calloc(1, sizeof(*t));

    if (t)
        t->name = strdup(name);
    if (!t || !t->name || orma_map_put_ptr(&sql->frames, ++sql->next_frame, t) < 0) {
        if (t)
            free(t->name);
        free(t);
        return orma_sql_error_oom(&sql->error);
    }
    sql->tables_generation++;
    t->frame = orma_frame_ref(frame);
    *ret_id = sql->next_frame;
    return 0;
}

static int install_table(struct orma_sql *sql, const struct orma_statement *s, char *name,
                         struct orma_frame *frame)
{
    char *drop = NULL, *create;
    uint64_t id = 0;
    int r = register_table(sql, name, frame, &id);

    if (r < 0)
        return r;
    if (s->replace)
        drop = sqlite3_mprintf("DROP TABLE IF EXISTS \"%w\"", name);
    create = sqlite3_mprintf("CREATE VIRTUAL TABLE \"%w\" USING " MODULE "(%llu)", name,
                             (unsigned long long)id);
    if (!create || (s->replace && !drop))
        r = orma_sql_error_oom(&sql->error);
    else
        r = replace(sql, s, drop, create);
    sqlite3_free(drop);
    sqlite3_free(create);
    if (r < 0) {
        struct orma_frame_table *t = orma_map_get_ptr(&sql->frames, id);

        if (t && !t->dropped) {
            t->dropped = true;
            sql->frames_dropped++;
        }
    }
    return r;
}

int orma_sql_create_table(struct orma_sql *sql, const struct orma_statement *s)
{
    char *name = orma_sql_unquote(s->name);
    struct orma_frame *frame = NULL;
    int r = 0;

    if (!name)
        return orma_sql_error_oom(&sql->error);
    for (size_t i = 0; i < s->columns.len && r == 0; i++) {
        if (s->columns.fields[i].class == ORMA_CLASS_BLOB)
            r = orma_sql_error_set(&sql->error, s->text, s->name_at,
                                   "Bytes type is not supported: column '%.*s'",
                                   ORMA_STR_ARG(s->columns.fields[i].name));
    }
    if (r == 0 && !s->replace && exists(sql, name))
        r = already_exists(sql, s, name);
    if (r == 0)
        r = build_frame(sql, s, &frame);
    if (r == 0)
        r = install_table(sql, s, name, frame);
    orma_frame_unref(frame);
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
    r = !s->replace && exists(sql, name) ? already_exists(sql, s, name)
                                         : orma_sql_prepare_body(sql, s, &query);
    if (r == 0 && s->columns.given)
        r = orma_sql_check_columns(sql, s, query);
    sqlite3_finalize(query);
    if (r == 0) {
        orma_buf_put_str(&create, "CREATE VIEW ");
        orma_sql_put_quoted(&create, orma_str_from(name));
        orma_buf_printf(&create, " AS %.*s", ORMA_STR_ARG(s->body));
        if (s->replace)
            drop = sqlite3_mprintf("DROP VIEW IF EXISTS \"%w\"", name);
        if (create.failed || (s->replace && !drop))
            r = orma_sql_error_oom(&sql->error);
    }
    if (r == 0)
        r = replace(sql, s, drop, orma_buf_cstr(&create));
    sqlite3_free(drop);
    orma_buf_fini(&create);
    free(name);
    return r;
}

/* ---- indexes ---- */

static int find_indexed(struct orma_sql *sql, const struct orma_statement *s,
                        struct orma_frame_table **ret)
{
    char *name = orma_sql_unquote(s->table);
    int r = 0;

    if (!name)
        return orma_sql_error_oom(&sql->error);
    *ret = find_table(sql, name);
    if (!*ret)
        r = orma_sql_error_set(&sql->error, s->text, s->name_at,
                               "'%s' is no table made by CREATE PERFETTO TABLE", name);
    free(name);
    return r;
}

static unsigned find_index(const struct orma_frame_table *t, struct orma_str name)
{
    for (unsigned i = 0; i < t->indexes_num; i++) {
        if (orma_word_eq(name, orma_str_from(t->indexes[i])))
            return i;
    }
    return t->indexes_num;
}

static int find_column(struct orma_sql *sql, const struct orma_statement *s,
                       const struct orma_frame_table *t, struct orma_str name)
{
    for (unsigned i = 0; i < t->frame->columns_num; i++) {
        if (orma_word_eq(name, orma_str_from(t->frame->columns[i].name)))
            return (int)i;
    }
    return orma_sql_error_set(&sql->error, s->text, s->name_at, "table '%s' has no column '%.*s'",
                              t->name, ORMA_STR_ARG(name));
}

/* Indexes are made when equality is asked for; creating one says that it will be. */
int orma_sql_create_index(struct orma_sql *sql, const struct orma_statement *s)
{
    struct orma_frame_table *t = NULL;
    int first = -1, r = find_indexed(sql, s, &t);

    for (size_t i = 0; i < s->args.len && r == 0; i++) {
        int col = find_column(sql, s, t, s->args.fields[i].name);

        r = col < 0 ? col : 0;
        first = i ? first : col;
    }
    if (r < 0)
        return r;
    unsigned at = find_index(t, s->name);
    if (at < t->indexes_num && !s->replace)
        return orma_sql_error_set(&sql->error, s->text, s->name_at, "index '%.*s' already exists",
                                  ORMA_STR_ARG(s->name));
    if (at == INDEX_NAMES_MAX)
        return orma_sql_error_set(&sql->error, s->text, s->name_at, "more than %d indexes",
                                  INDEX_NAMES_MAX);
    if (at == t->indexes_num) {
        t->indexes[at] = orma_str_dup(s->name);
        if (!t->indexes[at])
            return orma_sql_error_oom(&sql->error);
        t->indexes_num++;
    }
    orma_sql_index_expect(sql, &t->frame->table, (unsigned)first);
    return 0;
}

int orma_sql_drop_index(struct orma_sql *sql, const struct orma_statement *s)
{
    struct orma_frame_table *t;
    int r = find_indexed(sql, s, &t);

    if (r < 0)
        return r;
    unsigned at = find_index(t, s->name);
    if (at == t->indexes_num)
        return orma_sql_error_set(&sql->error, s->text, s->name_at,
                                  "index '%.*s' not found on table '%s'", ORMA_STR_ARG(s->name),
                                  t->name);
    free(t->indexes[at]);
    t->indexes[at] = t->indexes[--t->indexes_num];
    return 0;
}

/* ---- perfetto_table_info ---- */

enum { SORTED_ID = 0, SORTED = 2, UNSORTED = 3 };

/* What the interface declares of a stored table's integers. */
static const char *declared_width(uint8_t flags)
{
    return flags & ORMA_COL_U32 ? "uint32" : flags & ORMA_COL_I32 ? "int32" : "int64";
}

static const char *column_type(const struct orma_frame *frame, const struct orma_table *t,
                               unsigned i)
{
    const struct orma_column *col = &t->columns[i];

    switch ((enum orma_column_kind)col->kind) {
    case ORMA_COL_ID:
    case ORMA_COL_ALIAS:
        return "id";
    case ORMA_COL_STRING:
        return "string";
    case ORMA_COL_DOUBLE:
        return "double";
    case ORMA_COL_COMPUTED:
        return "uint32";
    case ORMA_COL_INT:
        break;
    }
    if (!frame)
        return declared_width(t->def->columns[i].flags);
    int64_t min = 0, max = 0;
    for (uint32_t row = 0; row < t->rows && col->width; row++) {
        int64_t val = orma_column_int(col, row);

        min = ORMA_MIN(min, val);
        max = ORMA_MAX(max, val);
    }
    if (min >= 0 && max <= UINT32_MAX)
        return "uint32";
    return min >= INT32_MIN && max <= INT32_MAX ? "int32" : "int64";
}

static int sortedness(const struct orma_frame *frame, const struct orma_table *t, unsigned i)
{
    if (t->columns[i].kind <= ORMA_COL_ALIAS)
        return SORTED_ID;
    if (frame)
        return frame->columns[i].sorted ? SORTED : UNSORTED;
    return t->def->columns[i].flags & ORMA_COL_TIME && !t->columns[i].unsorted ? SORTED : UNSORTED;
}

static int table_info(struct orma_tvf_call *call)
{
    const char *name = (const char *)sqlite3_value_text(call->argv[0]);
    const struct orma_frame *frame = name ? orma_sql_find_frame(call->sql, name) : NULL;
    const struct orma_table *t = frame ? &frame->table : NULL;
    struct orma_frame *out = call->frame;

    for (unsigned i = 0; i < ORMA_TABLES_NUM && !t && name; i++) {
        if (!sqlite3_stricmp(orma_table_defs[i].name, name))
            t = &call->sql->storage->tables[i];
    }
    if (!t)
        return orma_tvf_fail(call, "perfetto_table_info: table '%s' not found", name ? name : "");
    for (unsigned i = 0; i < t->def->columns_num; i++) {
        uint32_t row = orma_frame_add(out);

        orma_frame_put_text(out, 0, row, orma_str_from(t->def->columns[i].name));
        orma_frame_put_text(out, 1, row, orma_str_from(column_type(frame, t, i)));
        orma_frame_put_int(out, 2, row, (t->columns[i].flags & ORMA_COL_NULLABLE) != 0);
        orma_frame_put_int(out, 3, row, sortedness(frame, t, i));
        orma_frame_put_int(out, 4, row, i);
    }
    return 0;
}

const struct orma_tvf orma_tvf_table_info = {
    .name = "perfetto_table_info",
    .columns = {"name", "col_type", "nullable", "sorted", "-id"},
    .types = "TTIII",
    .args = {"table_name"},
    .run = table_info,
    .usage = "(table_name STRING)",
    .doc = "The columns of a table made by CREATE PERFETTO TABLE, or of a native one.",
};

int orma_frame_tables_register(struct orma_sql *sql)
{
    sql->frame_module = frame_module();
    return sqlite3_create_module_v2(sql->db, MODULE, &sql->frame_module, sql, NULL);
}
