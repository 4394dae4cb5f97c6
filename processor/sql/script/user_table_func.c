/*
 * CREATE PERFETTO FUNCTION ... RETURNS TABLE: table functions whose body is a query.
 *
 * SQLite knows a module per name; its visible columns are those declared, its
 * hidden ones the arguments. A cursor runs the body as a prepared query. The
 * definition is counted: tables that SQLite still has open keep the one they
 * were made with when OR REPLACE brings a new one.
 */
#include <errno.h>
#include <stdlib.h>

#include "processor/sql/base/builtins.h"
#include "processor/sql/base/values.h"
#include "processor/sql/dialect/token.h"
#include "processor/sql/script/runner.h"

#define ARGS_MAX 100
#define POOL_MAX 4
/* Bodies that read table functions, whose bodies do: each takes stack of the thread. */
#define DEPTH_MAX 100

struct table_func {
    unsigned refs;
    struct orma_sql *sql;
    char *name;
    struct orma_sql_source *body;
    struct orma_buf declaration; /* CREATE TABLE x(...) for SQLite */
    int columns_num, args_num;
    char **arg_names;
    sqlite3_stmt *pool[POOL_MAX]; /* not running */
    int pool_num;
};

/* The newest definition of each name. */
struct orma_sql_user_table_func {
    struct orma_sql_user_table_func *next;
    struct table_func *def;
};

struct func_vtab {
    sqlite3_vtab base;
    struct table_func *def;
};

struct func_cursor {
    sqlite3_vtab_cursor base;
    sqlite3_stmt *stmt;
    sqlite3_value *args[ARGS_MAX];
    bool eof;
    sqlite3_int64 row;
};

static void empty_pool(struct table_func *def)
{
    while (def->pool_num > 0)
        sqlite3_finalize(def->pool[--def->pool_num]);
}

static void table_func_unref(void *data)
{
    struct table_func *self = data;

    if (!self || --self->refs)
        return;
    empty_pool(self);
    for (int i = 0; self->arg_names && i < self->args_num; i++)
        free(self->arg_names[i]);
    free(self->arg_names);
    orma_buf_fini(&self->declaration);
    orma_sql_source_unref(self->body);
    free(self->name);
    free(self);
}
ORMA_DEFINE_AUTO(struct table_func *, table_func_unref)

/* ---- the module ---- */

static int func_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                        sqlite3_vtab **ret, char **ret_error)
{
    struct table_func *def = aux;
    struct func_vtab *v;
    int r = sqlite3_declare_vtab(db, orma_buf_cstr(&def->declaration));

    (void)argc;
    (void)argv;
    (void)ret_error;
    if (r)
        return r;
    v = calloc(1, sizeof(*v));
    if (!v)
        return SQLITE_NOMEM;
    def->refs++;
    v->def = def;
    *ret = &v->base;
    return SQLITE_OK;
}

static int func_disconnect(sqlite3_vtab *base)
{
    table_func_unref(((struct func_vtab *)base)->def);
    free(base);
    return SQLITE_OK;
}

static int func_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct table_func *def = ((struct func_vtab *)base)->def;
    uint8_t given[ARGS_MAX] = {0};
    const int found =
        orma_tvf_take_args(info, (unsigned)def->columns_num, (unsigned)def->args_num, given);

    if (found < 0)
        return SQLITE_CONSTRAINT;
    if (found < def->args_num)
        return orma_tvf_lacks(def->sql, "%s: invalid number of args; expected %d, received %d",
                              def->name, def->args_num, found);
    info->estimatedCost = 1000;
    info->estimatedRows = 500;
    return SQLITE_OK;
}

static int func_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
    struct func_cursor *c = calloc(1, sizeof(*c));

    (void)base;
    if (!c)
        return SQLITE_NOMEM;
    *ret = &c->base;
    return SQLITE_OK;
}

static void give_back(struct func_cursor *c)
{
    struct table_func *def = ((struct func_vtab *)c->base.pVtab)->def;

    for (int i = 0; i < def->args_num; i++) {
        sqlite3_value_free(c->args[i]);
        c->args[i] = NULL;
    }
    if (!c->stmt)
        return;
    sqlite3_reset(c->stmt);
    sqlite3_clear_bindings(c->stmt);
    if (def->pool_num < POOL_MAX)
        def->pool[def->pool_num++] = c->stmt;
    else
        sqlite3_finalize(c->stmt);
    c->stmt = NULL;
}

static int func_close(sqlite3_vtab_cursor *base)
{
    give_back((struct func_cursor *)base);
    free(base);
    return SQLITE_OK;
}

/* The failure of the body is that of the cursor, with the body as a frame of the traceback. */
static int fail_in_body(sqlite3_vtab_cursor *base)
{
    struct func_vtab *v = (struct func_vtab *)base->pVtab;
    struct orma_sql_text where = {0};
    int r;

    orma_sql_text_put(&where, (struct orma_sql_origin){v->def->body, 0, ORMA_SQL_NO_CALL}, 1);
    r = orma_sql_take_error(v->def->sql, &where, 0);
    orma_sql_text_fini(&where);
    if (r == -ENOMEM || r == -ECANCELED)
        return r == -ENOMEM ? SQLITE_NOMEM : SQLITE_INTERRUPT;
    return orma_result_vtab_error(&v->base.zErrMsg, "%s",
                                  orma_buf_cstr(&v->def->sql->error.message));
}

static int step(sqlite3_vtab_cursor *base)
{
    struct func_cursor *c = (struct func_cursor *)base;
    struct orma_sql *sql = ((struct func_vtab *)base->pVtab)->def->sql;
    int r;

    orma_sql_resume(sql);
    r = sqlite3_step(c->stmt);
    c->eof = r != SQLITE_ROW;
    r = r == SQLITE_ROW || r == SQLITE_DONE ? SQLITE_OK : fail_in_body(base);
    orma_sql_leave(sql);
    return r;
}

static void bind(struct func_cursor *c, const struct table_func *def, int argc,
                 sqlite3_value **argv)
{
    for (int p = 1; p <= sqlite3_bind_parameter_count(c->stmt); p++) {
        const char *name = sqlite3_bind_parameter_name(c->stmt, p);

        for (int i = 0; name && i < argc && i < def->args_num; i++) {
            if (!sqlite3_stricmp(name + 1, def->arg_names[i]))
                sqlite3_bind_value(c->stmt, p, argv[i]);
        }
    }
}

static int func_filter(sqlite3_vtab_cursor *base, int num, const char *plan, int argc,
                       sqlite3_value **argv)
{
    struct func_cursor *c = (struct func_cursor *)base;
    struct table_func *def = ((struct func_vtab *)base->pVtab)->def;

    (void)num;
    (void)plan;
    give_back(c);
    c->row = 0;
    if (def->sql->run.depth > DEPTH_MAX)
        return orma_result_vtab_error(&base->pVtab->zErrMsg, "%s: calls itself too deeply",
                                      def->name);
    if (def->pool_num > 0)
        c->stmt = def->pool[--def->pool_num];
    else if (sqlite3_prepare_v3(def->sql->db, def->body->text, (int)def->body->len,
                                SQLITE_PREPARE_PERSISTENT, &c->stmt, NULL))
        return fail_in_body(base);
    for (int i = 0; i < argc && i < def->args_num; i++)
        c->args[i] = sqlite3_value_dup(argv[i]);
    bind(c, def, argc, argv);
    return step(base);
}

static int func_next(sqlite3_vtab_cursor *base)
{
    ((struct func_cursor *)base)->row++;
    return step(base);
}

static int func_eof(sqlite3_vtab_cursor *base)
{
    return ((struct func_cursor *)base)->eof;
}

static int func_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int idx)
{
    const struct func_cursor *c = (const struct func_cursor *)base;
    const struct table_func *def = ((const struct func_vtab *)base->pVtab)->def;

    if (idx < def->columns_num)
        orma_result_value(ctx, sqlite3_column_value(c->stmt, idx));
    else if (idx == def->columns_num + def->args_num)
        sqlite3_result_int64(ctx, c->row);
    else if (c->args[idx - def->columns_num])
        orma_result_value(ctx, c->args[idx - def->columns_num]);
    return SQLITE_OK;
}

static int func_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
    *ret = ((struct func_cursor *)base)->row;
    return SQLITE_OK;
}

static const sqlite3_module func_module = {
    .xConnect = func_connect,
    .xBestIndex = func_best_index,
    .xDisconnect = func_disconnect,
    .xOpen = func_open,
    .xClose = func_close,
    .xFilter = func_filter,
    .xNext = func_next,
    .xEof = func_eof,
    .xColumn = func_column,
    .xRowid = func_rowid,
};

/* ---- creation ---- */

static bool is_column(const struct orma_statement *s, struct orma_str name)
{
    for (size_t i = 0; i < s->columns.len; i++) {
        if (orma_word_eq(name, s->columns.fields[i].name))
            return true;
    }
    return false;
}

/* Hidden: in_ and the name of each argument (with the sigil if a column is called so), and the
 * number of the row. */
static void put_declaration(struct orma_buf *out, const struct orma_statement *s)
{
    orma_buf_put_str(out, "CREATE TABLE x(");
    for (size_t i = 0; i < s->columns.len; i++) {
        const struct orma_sql_field *f = &s->columns.fields[i];

        orma_buf_put_str(out, i ? ", " : "");
        orma_sql_put_quoted(out, f->name);
        orma_buf_printf(out, " %s", orma_sql_class_declared(f->class));
    }
    for (size_t i = 0; i < s->args.len; i++) {
        struct orma_buf name = {0};

        orma_buf_printf(&name, "in_%.*s", ORMA_STR_ARG(s->args.fields[i].name));
        if (is_column(s, orma_buf_str(&name))) {
            orma_buf_clear(&name);
            orma_buf_printf(&name, "$%.*s", ORMA_STR_ARG(s->args.fields[i].name));
        }
        orma_buf_put_str(out, ", ");
        orma_sql_put_quoted(out, orma_buf_str(&name));
        orma_buf_put_str(out, " HIDDEN");
        out->failed |= name.failed;
        orma_buf_fini(&name);
    }
    orma_buf_put_str(
        out, is_column(s, ORMA_STR("_primary_key")) ? ")" : ", _primary_key INTEGER HIDDEN)");
}

static struct table_func *new_def(struct orma_sql *sql, const struct orma_statement *s)
{
    ORMA_AUTO(table_func_unref_p) struct table_func *def = calloc(1, sizeof(*def));
    struct orma_sql_origin origin = orma_sql_text_origin(s->text, s->body_at);
    struct orma_buf frame = {0};

    if (!def)
        return NULL;
    def->refs = 1;
    def->sql = sql;
    def->columns_num = (int)s->columns.len;
    def->args_num = (int)s->args.len;
    orma_buf_printf(&frame, "Function \"%.*s\" of %s", ORMA_STR_ARG(s->name),
                    origin.source ? origin.source->name : "");
    def->name = orma_str_dup(s->name);
    def->body = orma_sql_source_new(orma_buf_cstr(&frame), s->body);
    orma_buf_fini(&frame);
    put_declaration(&def->declaration, s);
    def->arg_names = calloc(s->args.len + 1, sizeof(*def->arg_names));
    if (!def->name || !def->body || !def->arg_names || def->declaration.failed)
        return NULL;
    for (size_t i = 0; i < s->args.len; i++) {
        def->arg_names[i] = orma_str_dup(s->args.fields[i].name);
        if (!def->arg_names[i])
            return NULL;
    }
    return ORMA_STEAL(def);
}

static int check_body(struct orma_sql *sql, const struct orma_statement *s)
{
    sqlite3_stmt *query;
    int r = orma_sql_prepare_body(sql, s, &query);
    int have, want = (int)s->columns.len;

    if (r < 0)
        return r;
    have = sqlite3_column_count(query);
    if (have != want)
        r = orma_sql_error_set(&sql->error, s->text, s->body_at,
                               "%.*s: number of return values %d does not match SQL statement "
                               "column count %d.",
                               ORMA_STR_ARG(s->name), want, have);
    for (int i = 0; i < want && r == 0; i++) {
        struct orma_str name = orma_str_from(sqlite3_column_name(query, i));

        if (!orma_word_eq(name, s->columns.fields[i].name))
            r = orma_sql_error_set(&sql->error, s->text, s->body_at,
                                   "%.*s: column %.*s at index %d does not match return value name "
                                   "%.*s.",
                                   ORMA_STR_ARG(s->name), ORMA_STR_ARG(name), i,
                                   ORMA_STR_ARG(s->columns.fields[i].name));
    }
    sqlite3_finalize(query);
    return r;
}

static struct orma_sql_user_table_func *find_slot(struct orma_sql *sql, struct orma_str name)
{
    struct orma_sql_user_table_func *f = sql->user_table_funcs;

    while (f && !orma_word_eq(name, orma_str_from(f->def->name)))
        f = f->next;
    return f;
}

/*
 * Prepared statements may hold the old module: a collation that is defined anew
 * makes SQLite prepare all of them again. Refused while statements run; those
 * then finish with the old one.
 */
static int compare_nothing(void *data, int a_len, const void *a, int b_len, const void *b)
{
    (void)data;
    (void)a;
    (void)b;
    return a_len - b_len;
}

static void expire_statements(struct orma_sql *sql)
{
    for (int i = 0; i < 2; i++) /* anew: the first time there was none */
        (void)sqlite3_create_collation_v2(sql->db, "__orma_epoch", SQLITE_UTF8, NULL,
                                          compare_nothing, NULL);
}

static int install(struct orma_sql *sql, const struct orma_statement *s,
                   struct orma_sql_user_table_func *slot, struct table_func *def)
{
    def->refs++; /* of the module */
    if (sqlite3_create_module_v2(sql->db, def->name, &func_module, def, table_func_unref))
        return orma_sql_take_error(sql, s->text, s->name_at);
    if (slot->def) {
        empty_pool(slot->def);
        table_func_unref(slot->def);
        expire_statements(sql);
    }
    slot->def = def;
    return 0;
}

static int create(struct orma_sql *sql, const struct orma_statement *s,
                  struct orma_sql_user_table_func *slot)
{
    struct table_func *def = new_def(sql, s);
    int r = def ? install(sql, s, slot, def) : orma_sql_error_oom(&sql->error);

    if (r < 0)
        table_func_unref(def);
    return r;
}

int orma_sql_user_create_table_func(struct orma_sql *sql, const struct orma_statement *s)
{
    struct orma_sql_user_table_func *slot = find_slot(sql, s->name);
    int r;

    if (s->args.len > ARGS_MAX)
        return orma_sql_error_set(&sql->error, s->text, s->name_at, "more than %d arguments",
                                  ARGS_MAX);
    if (orma_builtins_has_module(sql, s->name))
        return orma_sql_error_set(&sql->error, s->text, s->name_at,
                                  "table %.*s already exists: it is a native table function",
                                  ORMA_STR_ARG(s->name));
    if (slot && !s->replace)
        return orma_sql_error_set(&sql->error, s->text, s->name_at,
                                  "table %.*s already exists: it is a table function",
                                  ORMA_STR_ARG(s->name));
    r = check_body(sql, s);
    if (r < 0 || slot)
        return r < 0 ? r : create(sql, s, slot);
    slot = calloc(1, sizeof(*slot));
    r = slot ? create(sql, s, slot) : orma_sql_error_oom(&sql->error);
    if (r < 0) {
        free(slot);
        return r;
    }
    slot->next = sql->user_table_funcs;
    sql->user_table_funcs = slot;
    return 0;
}

void orma_sql_user_table_funcs_fini(struct orma_sql *sql)
{
    for (struct orma_sql_user_table_func *f = sql->user_table_funcs, *next; f; f = next) {
        next = f->next;
        empty_pool(f->def);
        table_func_unref(f->def);
        free(f);
    }
    sql->user_table_funcs = NULL;
}
