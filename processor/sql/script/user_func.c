/*
 * CREATE PERFETTO FUNCTION with a scalar result, and functions that delegate.
 *
 * SQLite knows a cell per name and number of arguments; the cell points at the
 * definition, so that OR REPLACE works while statements run. The body is a
 * prepared query whose $names are the arguments. A call that happens while the
 * body is running (recursion) takes another statement from the pool.
 *
 * Memoized functions have one integer argument. Their recursion is unrolled: a
 * call that is nested too deeply leaves a note of the argument it needs and
 * fails; the outermost call computes that first and then starts again.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "processor/sql/base/builtins.h"
#include "processor/sql/dialect/token.h"
#include "processor/sql/exec/exec.h"
#include "processor/sql/script/packages.h"
#include "processor/sql/script/runner.h"

#define ARGS_MAX 100
#define RECURSION_MAX 400
/* Nested calls of a memoized function that run on the C stack. */
#define MEMO_NEST 16
/* Arguments that wait for others, at most. */
#define MEMO_STACK_MAX ((size_t)10 << 20)

struct statement {
    struct statement *next;
    sqlite3_stmt *stmt;
    uint8_t *arg_of; /* argument index by parameter number - 1 */
};

struct memo {
    struct orma_map results; /* argument -> index of `values` */
    struct orma_buf values;  /* sqlite3_value *[] */
    struct orma_buf stack;   /* int64_t[]: arguments that wait */
    int nest;
    bool pending; /* a nested call left the argument that it needs in `need` */
    int64_t need;
};

struct definition {
    char *name;
    struct orma_sql_source *body; /* with the name of its frame */
    char **arg_names;
    enum orma_sql_class *arg_classes;
    struct statement *pool; /* not running */
    struct memo *memo;      /* NULL: not memoized */
    int running;
};

struct orma_sql_user_func {
    struct orma_sql_user_func *next;
    struct orma_sql *sql;
    char *name;
    int argc;               /* ALIAS: another name of `native`, and no cell of SQLite's */
    struct definition *def; /* NULL: creation failed */
    bool covered;           /* SQLite calls what the name delegates to since then */
    const struct orma_sql_func *native;
};

#define ALIAS (-2)

/* ---- definitions ---- */

static void statement_free(struct statement *self)
{
    if (!self)
        return;
    sqlite3_finalize(self->stmt);
    free(self->arg_of);
    free(self);
}

static void memo_free(struct memo *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->values.len / sizeof(sqlite3_value *); i++)
        sqlite3_value_free(((sqlite3_value **)(void *)self->values.data)[i]);
    orma_map_fini(&self->results);
    orma_buf_fini(&self->values);
    orma_buf_fini(&self->stack);
    free(self);
}

static void definition_free(struct definition *self, int argc)
{
    if (!self)
        return;
    while (self->pool) {
        struct statement *s = self->pool;

        self->pool = s->next;
        statement_free(s);
    }
    for (int i = 0; self->arg_names && i < argc; i++)
        free(self->arg_names[i]);
    free(self->arg_names);
    free(self->arg_classes);
    memo_free(self->memo);
    orma_sql_source_unref(self->body);
    free(self->name);
    free(self);
}

static struct definition *definition_new(const struct orma_statement *s)
{
    struct definition *self = calloc(1, sizeof(*self));
    size_t argc = s->args.len;
    struct orma_buf frame = {0};
    struct orma_sql_origin origin = orma_sql_text_origin(s->text, s->body_at);

    if (!self)
        return NULL;
    /* Errors at run time are shown under the name of the place that defined the function. */
    orma_buf_printf(&frame, "Function \"%.*s\" of %s", ORMA_STR_ARG(s->name),
                    origin.source ? origin.source->name : "");
    self->name = orma_str_dup(s->name);
    self->body = orma_sql_source_new(orma_buf_cstr(&frame), s->body);
    orma_buf_fini(&frame);
    self->arg_names = calloc(argc + 1, sizeof(*self->arg_names));
    self->arg_classes = calloc(argc + 1, sizeof(*self->arg_classes));
    if (!self->name || !self->body || !self->arg_names || !self->arg_classes)
        goto oom;
    for (size_t i = 0; i < argc; i++) {
        self->arg_names[i] = orma_str_dup(s->args.fields[i].name);
        self->arg_classes[i] = s->args.fields[i].class;
        if (!self->arg_names[i])
            goto oom;
    }
    return self;
oom:
    definition_free(self, (int)argc);
    return NULL;
}

static bool bind_arguments(struct definition *def, int argc, struct statement *s)
{
    int params = sqlite3_bind_parameter_count(s->stmt);

    s->arg_of = calloc((size_t)params + 1, 1);
    if (!s->arg_of)
        return false;
    for (int p = 0; p < params; p++) {
        const char *name = sqlite3_bind_parameter_name(s->stmt, p + 1);

        s->arg_of[p] = UINT8_MAX;
        for (int i = 0; name && i < argc; i++) {
            if (!sqlite3_stricmp(name + 1, def->arg_names[i]))
                s->arg_of[p] = (uint8_t)i;
        }
    }
    return true;
}

/* A statement of the body that nobody runs. NULL: the engine has the error, or memory is out. */
static struct statement *take_statement(struct orma_sql *sql, struct definition *def, int argc)
{
    struct statement *s = def->pool;

    if (s) {
        def->pool = s->next;
        return s;
    }
    s = calloc(1, sizeof(*s));
    if (!s)
        return NULL;
    if (sqlite3_prepare_v3(sql->db, def->body->text, (int)def->body->len, SQLITE_PREPARE_PERSISTENT,
                           &s->stmt, NULL) ||
        !bind_arguments(def, argc, s)) {
        statement_free(s);
        return NULL;
    }
    return s;
}

static void give_back(struct definition *def, struct statement *s)
{
    sqlite3_reset(s->stmt);
    sqlite3_clear_bindings(s->stmt);
    s->next = def->pool;
    def->pool = s;
}

/* ---- calls ---- */

static enum orma_sql_class class_of(sqlite3_value *val)
{
    switch (sqlite3_value_type(val)) {
    case SQLITE_INTEGER:
        return ORMA_CLASS_INTEGER;
    case SQLITE_FLOAT:
        return ORMA_CLASS_REAL;
    case SQLITE_TEXT:
        return ORMA_CLASS_TEXT;
    case SQLITE_BLOB:
        return ORMA_CLASS_BLOB;
    }
    return ORMA_CLASS_NONE;
}

/* All names of types that the value would fit. */
static const char *actual_name(enum orma_sql_class got)
{
    switch (got) {
    case ORMA_CLASS_INTEGER:
        return "BOOL/INT/UINT/LONG";
    case ORMA_CLASS_REAL:
        return "FLOAT/DOUBLE";
    case ORMA_CLASS_BLOB:
        return "BYTES/PROTO";
    case ORMA_CLASS_TEXT:
    case ORMA_CLASS_ANY:
    case ORMA_CLASS_NONE:
        break;
    }
    return orma_sql_class_name(got);
}

static bool check_argument(sqlite3_context *ctx, const struct definition *def, int i,
                           sqlite3_value *val)
{
    enum orma_sql_class want = def->arg_classes[i], got = class_of(val);
    const char *text;
    char *error;

    if (want == ORMA_CLASS_ANY || got == ORMA_CLASS_NONE || got == want)
        return true;
    text = got == ORMA_CLASS_BLOB ? "<blob>" : (const char *)sqlite3_value_text(val);
    error = sqlite3_mprintf("%s[arg=%s]: argument %d does not have expected type: expected %s, "
                            "actual %s",
                            def->name, text ? text : "", i, orma_sql_class_name(want),
                            actual_name(got));
    if (error)
        sqlite3_result_error(ctx, error, -1);
    else
        sqlite3_result_error_nomem(ctx);
    sqlite3_free(error);
    return false;
}

/* The failure of the body becomes that of the call, with the body as a frame of its traceback. */
static void fail_in_body(sqlite3_context *ctx, struct orma_sql *sql, struct definition *def)
{
    struct orma_sql_text where = {0};
    int r;

    orma_sql_text_put(&where, (struct orma_sql_origin){def->body, 0, ORMA_SQL_NO_CALL}, 1);
    r = orma_sql_take_error(sql, &where, 0);
    orma_sql_text_fini(&where);
    orma_sql_result_error(ctx, sql, r);
}

static void fail_with_sql(sqlite3_context *ctx, struct definition *def, const char *what)
{
    char *error = sqlite3_mprintf("%s: %s Executed SQL was %s", def->name, what, def->body->text);

    if (error)
        sqlite3_result_error(ctx, error, -1);
    else
        sqlite3_result_error_nomem(ctx);
    sqlite3_free(error);
}

static void run_body(sqlite3_context *ctx, struct orma_sql *sql, struct definition *def, int argc,
                     sqlite3_value **argv)
{
    struct statement *s;
    int r;

    if (def->running >= RECURSION_MAX) {
        fail_with_sql(ctx, def, "calls itself too deeply.");
        return;
    }
    s = take_statement(sql, def, argc);
    if (!s) {
        fail_in_body(ctx, sql, def);
        return;
    }
    for (int p = 0; p < sqlite3_bind_parameter_count(s->stmt); p++) {
        if (s->arg_of[p] < argc)
            sqlite3_bind_value(s->stmt, p + 1, argv[s->arg_of[p]]);
    }
    def->running++;
    r = sqlite3_step(s->stmt);
    if (r == SQLITE_ROW) {
        orma_result_value(ctx, sqlite3_column_value(s->stmt, 0));
        r = sqlite3_step(s->stmt);
        if (r == SQLITE_ROW)
            fail_with_sql(ctx, def, "multiple values were returned when executing function body.");
    }
    if (r != SQLITE_DONE && r != SQLITE_ROW)
        fail_in_body(ctx, sql, def);
    def->running--;
    give_back(def, s);
}

/* ---- memoization ---- */

static sqlite3_value *memo_find(const struct memo *m, int64_t arg)
{
    uint64_t at = orma_map_get(&m->results, (uint64_t)arg);

    return at == ORMA_MAP_NONE ? NULL : ((sqlite3_value **)(void *)m->values.data)[at];
}

static int memo_keep(struct memo *m, int64_t arg, sqlite3_value *val)
{
    sqlite3_value *copy = sqlite3_value_dup(val);
    size_t at = m->values.len / sizeof(copy);

    orma_buf_put(&m->values, &copy, sizeof(copy));
    if (!copy || m->values.failed || orma_map_put(&m->results, (uint64_t)arg, at) < 0)
        return -ENOMEM;
    return 0;
}

/* Runs the body for one argument. 1: it is known now; 0: another one is needed first; -errno. */
static int memo_run(struct orma_sql *sql, struct definition *def, int64_t arg)
{
    struct memo *m = def->memo;
    struct statement *s = take_statement(sql, def, 1);
    sqlite3_value *null_value = NULL;
    int r, ret = -EINVAL;

    if (!s)
        return -EINVAL;
    for (int p = 0; p < sqlite3_bind_parameter_count(s->stmt); p++) {
        if (s->arg_of[p] == 0)
            sqlite3_bind_int64(s->stmt, p + 1, arg);
    }
    m->pending = false;
    m->nest++;
    def->running++;
    r = sqlite3_step(s->stmt);
    if (r == SQLITE_ROW)
        ret = memo_keep(m, arg, sqlite3_column_value(s->stmt, 0));
    def->running--;
    m->nest--;
    if (r == SQLITE_ROW && ret == 0) {
        r = sqlite3_step(s->stmt);
        ret = r == SQLITE_DONE ? 1 : -EINVAL;
    } else if (r == SQLITE_DONE) { /* no row: NULL, which is a value too */
        null_value = sqlite3_value_dup(sqlite3_column_value(s->stmt, 0));
        ret = null_value ? memo_keep(m, arg, null_value) : -ENOMEM;
        ret = ret < 0 ? ret : 1;
        sqlite3_value_free(null_value);
    } else if (r != SQLITE_ROW && m->pending) {
        orma_sql_error_clear(&sql->error); /* it was only the note */
        ret = 0;
    }
    give_back(def, s);
    return ret;
}

/* Computes `arg` and all that it needs, without going deep. */
static int memo_unroll(struct orma_sql *sql, struct definition *def, int64_t arg)
{
    struct memo *m = def->memo;
    size_t base = m->stack.len;
    int r = 0;

    orma_buf_put(&m->stack, &arg, sizeof(arg));
    while (r >= 0 && m->stack.len > base) {
        int64_t top;

        if (m->stack.failed || m->stack.len > MEMO_STACK_MAX)
            return orma_sql_error_set(&sql->error, NULL, 0, "%s: calls itself too deeply",
                                      def->name);
        memcpy(&top, m->stack.data + m->stack.len - sizeof(top), sizeof(top));
        r = memo_find(m, top) ? 1 : memo_run(sql, def, top);
        if (r == 0)
            orma_buf_put(&m->stack, &m->need, sizeof(m->need));
        else if (r > 0)
            m->stack.len -= sizeof(top);
    }
    m->stack.len = base;
    return r < 0 ? r : 0;
}

static void call_memoized(sqlite3_context *ctx, struct orma_sql *sql, struct definition *def,
                          sqlite3_value *val)
{
    struct memo *m = def->memo;
    int64_t arg = sqlite3_value_int64(val);
    int r = 0;

    if (!memo_find(m, arg)) {
        if (m->nest >= MEMO_NEST) { /* the outermost call will see to it */
            m->pending = true;
            m->need = arg;
            sqlite3_result_error(ctx, "nested too deeply", -1);
            return;
        }
        if (m->nest > 0)
            r = memo_run(sql, def, arg);
        else
            r = memo_unroll(sql, def, arg);
        if (r == 0 && m->nest > 0) { /* still needs something deeper: pass the note on */
            m->pending = true;
            sqlite3_result_error(ctx, "nested too deeply", -1);
            return;
        }
    }
    if (r >= 0)
        orma_result_value(ctx, memo_find(m, arg));
    else if (r == -ENOMEM)
        sqlite3_result_error_nomem(ctx);
    else
        fail_in_body(ctx, sql, def);
}

int orma_sql_user_memoize(struct orma_sql *sql, struct orma_str name)
{
    struct orma_sql_user_func *f = sql->user_funcs;

    while (f && !(f->argc == 1 && f->def && orma_word_eq(name, orma_str_from(f->name))))
        f = f->next;
    if (!f)
        return -ENOENT;
    if (f->def->arg_classes[0] != ORMA_CLASS_INTEGER)
        return -EINVAL;
    if (!f->def->memo)
        f->def->memo = calloc(1, sizeof(*f->def->memo));
    return f->def->memo ? 0 : -ENOMEM;
}

static void call(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_sql_user_func *f = sqlite3_user_data(ctx);
    struct definition *def = f->def;

    if (!def) {
        sqlite3_result_error(ctx, "the creation of this function failed", -1);
        return;
    }
    for (int i = 0; i < argc; i++) {
        if (!check_argument(ctx, def, i, argv[i]))
            return;
    }
    /* SQLite looks every so many steps of one statement; a body may have fewer. */
    if (orma_sql_is_told_to_stop(f->sql)) {
        sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
        return;
    }
    orma_sql_resume(f->sql);
    if (def->memo && class_of(argv[0]) == ORMA_CLASS_INTEGER)
        call_memoized(ctx, f->sql, def, argv[0]);
    else
        run_body(ctx, f->sql, def, argc, argv);
    orma_sql_leave(f->sql);
}

/* The right name with a number of arguments that no definition has. */
static void call_wrong_count(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_sql_user_func *f = sqlite3_user_data(ctx);
    char *error = sqlite3_mprintf("%s: invalid number of args; expected %d, received %d", f->name,
                                  f->argc, argc);

    (void)argv;
    if (error)
        sqlite3_result_error(ctx, error, -1);
    else
        sqlite3_result_error_nomem(ctx);
    sqlite3_free(error);
}

/* ---- creation ---- */

static struct orma_sql_user_func *find_cell(struct orma_sql *sql, struct orma_str name, int argc)
{
    for (struct orma_sql_user_func *f = sql->user_funcs; f; f = f->next) {
        if (f->argc == argc && orma_word_eq(name, orma_str_from(f->name)))
            return f;
    }
    return NULL;
}

/* SQLite prefers a function of ours with any number of arguments to one of its own. */
static bool is_builtin(struct orma_sql *sql, const char *name)
{
    sqlite3_stmt *stmt = NULL;
    bool found = true;

    if (!sqlite3_prepare_v2(sql->db,
                            "SELECT 1 FROM pragma_function_list WHERE builtin AND name = lower(?1)",
                            -1, &stmt, NULL)) {
        sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
        found = sqlite3_step(stmt) == SQLITE_ROW;
    }
    sqlite3_finalize(stmt);
    return found;
}

static bool is_steady(struct orma_sql *sql, struct orma_str name, int args, unsigned depth);

/* What the body calls; tables and words before a parenthesis are no functions. */
static bool is_steady_call(struct orma_sql *sql, struct orma_str name, unsigned depth)
{
    static const char *const others[] = {
        "changes", "date",       "datetime", "julianday", "last_insert_rowid", "load_extension",
        "random",  "randomblob", "strftime", "time",      "total_changes",     "unixepoch",
    };
    const struct orma_sql_func *f = orma_builtins_find(sql, name, -2);

    for (size_t i = 0; i < ORMA_ARRAY_LEN(others); i++) {
        if (orma_word_eq(name, orma_str_from(others[i])))
            return false;
    }
    return f ? f->step || f->flags & SQLITE_DETERMINISTIC : is_steady(sql, name, -1, depth + 1);
}

/* `args` -1: all of that name. */
static bool is_steady(struct orma_sql *sql, struct orma_str name, int args, unsigned depth)
{
    for (const struct orma_sql_user_func *f = sql->user_funcs; f; f = f->next) {
        if (!orma_word_eq(name, orma_str_from(f->name)) || (args >= 0 && f->argc != args))
            continue;
        if (!f->def || f->covered || depth > 8)
            return false;
        const struct orma_str text = {f->def->body->text, f->def->body->len};
        struct orma_token tok = orma_token_next_solid(text, 0);
        while (tok.kind != ORMA_TOK_END) {
            struct orma_token next = orma_token_next_solid(text, tok.at + tok.len);

            if (tok.kind == ORMA_TOK_WORD && next.kind == ORMA_TOK_OPEN &&
                !is_steady_call(sql, orma_token_text(text, tok), depth))
                return false;
            tok = next;
        }
        if (args >= 0)
            return true;
    }
    return args < 0;
}

bool orma_sql_user_is_steady(struct orma_sql *sql, struct orma_str name, int args)
{
    return is_steady(sql, name, args, 0);
}

static int register_cell(struct orma_sql_user_func *f)
{
    return sqlite3_create_function_v2(f->sql->db, f->name, f->argc, SQLITE_UTF8, f, call, NULL,
                                      NULL, NULL);
}

static struct orma_sql_user_func *new_cell(struct orma_sql *sql, struct orma_str name, int argc)
{
    struct orma_sql_user_func *f = calloc(1, sizeof(*f));

    if (!f)
        return NULL;
    f->sql = sql;
    f->argc = argc;
    f->name = orma_str_dup(name);
    if (!f->name || register_cell(f)) {
        free(f->name);
        free(f);
        return NULL;
    }
    orma_exec_note_function(sql, f->name);
    /* Best effort: without it SQLite gives its own message. */
    if (!orma_builtins_find(sql, name, -2) && !is_builtin(sql, f->name))
        (void)sqlite3_create_function_v2(sql->db, f->name, -1, SQLITE_UTF8, f, call_wrong_count,
                                         NULL, NULL, NULL);
    f->next = sql->user_funcs;
    sql->user_funcs = f;
    return f;
}

static int validate(struct orma_sql *sql, const struct orma_statement *s)
{
    sqlite3_stmt *query;
    int r = orma_sql_prepare_body(sql, s, &query);

    if (r < 0)
        return r;
    if (sqlite3_column_count(query) != 1)
        r = orma_sql_error_set(&sql->error, s->text, s->body_at,
                               "%.*s: SQL definition should only return one column: returned %d "
                               "columns",
                               ORMA_STR_ARG(s->name), sqlite3_column_count(query));
    sqlite3_finalize(query);
    return r;
}

/* The function of that name that a script made last; with so many arguments, if there is one. */
static struct orma_sql_user_func *find_made(struct orma_sql *sql, struct orma_str name, int argc)
{
    struct orma_sql_user_func *f = find_cell(sql, name, argc);

    for (f = f && f->def && !f->covered ? f : sql->user_funcs;
         f && !(f->def && !f->covered && orma_word_eq(name, orma_str_from(f->name)));)
        f = f->next;
    return f;
}

/* What stands behind a name that delegates to a native function; NULL: it is none. */
static const struct orma_sql_func *find_alias(struct orma_sql *sql, struct orma_str name)
{
    struct orma_sql_user_func *f = find_cell(sql, name, ALIAS);

    return f ? f->native : NULL;
}

/* The newest one is found first. */
static int note_alias(struct orma_sql *sql, struct orma_str name, const struct orma_sql_func *func)
{
    struct orma_sql_user_func *f = calloc(1, sizeof(*f));

    if (f)
        f->name = orma_str_dup(name);
    if (!f || !f->name) {
        free(f);
        return orma_sql_error_oom(&sql->error);
    }
    f->argc = ALIAS;
    f->native = func;
    f->next = sql->user_funcs;
    sql->user_funcs = f;
    return 0;
}

/* Fails, with the prototype. */
static int refuse(struct orma_sql *sql, const struct orma_statement *s, const char *why)
{
    struct orma_buf args = {0};
    int r;

    for (size_t i = 0; i < s->args.len; i++)
        orma_buf_printf(&args, "%s%.*s %.*s", i ? ", " : "", ORMA_STR_ARG(s->args.fields[i].name),
                        ORMA_STR_ARG(s->args.fields[i].type));
    r = orma_sql_error_set(&sql->error, s->text, s->name_at,
                           "CREATE PERFETTO FUNCTION[prototype=%.*s(%s)]: %s",
                           ORMA_STR_ARG(s->name), orma_buf_cstr(&args), why);
    orma_buf_fini(&args);
    return r;
}

static bool is_running(const struct orma_sql_user_func *f)
{
    return f && f->def && f->def->running;
}

/* 0 if the statement may define the function of `cell`, which may be NULL. */
static int check_is_free(struct orma_sql *sql, const struct orma_statement *s,
                         const struct orma_sql_user_func *cell)
{
    if (cell && cell->def && !cell->covered && !s->replace)
        return refuse(sql, s, "function already exists. Use CREATE OR REPLACE to overwrite.");
    return is_running(cell) ? refuse(sql, s, "the function is running") : 0;
}

/* Another name of a function that a script made. */
static int delegate_to_made(struct orma_sql *sql, const struct orma_statement *s,
                            struct orma_sql_user_func *f)
{
    char *name = orma_str_dup(s->name);
    int r;

    if (!name)
        return orma_sql_error_oom(&sql->error);
    orma_exec_note_function(sql, name);
    r = sqlite3_create_function_v2(sql->db, name, f->argc, SQLITE_UTF8, f, call, NULL, NULL, NULL);
    free(name);
    return r ? orma_sql_take_error(sql, s->text, s->name_at) : 0;
}

static int delegate_to(struct orma_sql *sql, const struct orma_statement *s, int args)
{
    const struct orma_sql_func *func = orma_builtins_find(sql, s->delegate, args);
    struct orma_sql_user_func *made = func ? NULL : find_made(sql, s->delegate, args);
    char *name;
    int r;

    if (made)
        return delegate_to_made(sql, s, made);
    if (!func)
        func = orma_builtins_find(sql, s->delegate, -2);
    if (!func)
        func = find_alias(sql, s->delegate);
    if (!func)
        return orma_sql_error_set(&sql->error, s->text, s->name_at,
                                  "%.*s: Target function '%.*s' not found in registry.",
                                  ORMA_STR_ARG(s->name), ORMA_STR_ARG(s->delegate));
    name = orma_str_dup(s->name);
    if (name)
        orma_exec_note_function(sql, name);
    r = name ? orma_builtins_register_as(sql, name, func) : SQLITE_NOMEM;
    free(name);
    if (r)
        return orma_sql_take_error(sql, s->text, s->name_at);
    return note_alias(sql, s->name, func);
}

static int delegate(struct orma_sql *sql, const struct orma_statement *s)
{
    const struct orma_sql_field *last = s->args.len ? &s->args.fields[s->args.len - 1] : NULL;
    int args = last && last->variadic ? -1 : (int)s->args.len;
    struct orma_sql_user_func *cell = find_cell(sql, s->name, args);
    int r = check_is_free(sql, s, cell);

    if (r == 0)
        r = delegate_to(sql, s, args);
    if (r == 0 && cell)
        cell->covered = true;
    return r;
}

int orma_sql_user_create_func(struct orma_sql *sql, const struct orma_statement *s)
{
    int argc = (int)s->args.len, r;
    struct orma_sql_user_func *cell = find_cell(sql, s->name, argc);
    struct definition *before;

    if (s->delegate.len)
        return delegate(sql, s);
    if (argc > ARGS_MAX)
        return orma_sql_error_set(&sql->error, s->text, s->name_at, "more than %d arguments",
                                  ARGS_MAX);
    const struct orma_sql_func *native = orma_builtins_find(sql, s->name, argc);
    if (native && native->of_libraries && orma_packages_overridden(sql))
        return 0; /* ours gives the same */
    if (native)
        return refuse(sql, s,
                      "cannot redefine built-in function with the same name and argument count");
    r = check_is_free(sql, s, cell);
    if (r < 0)
        return r;
    if (!cell)
        cell = new_cell(sql, s->name, argc);
    if (!cell || (cell->covered && register_cell(cell)))
        return orma_sql_take_error(sql, s->text, s->name_at);
    cell->covered = false;
    before = cell->def;
    cell->def = definition_new(s);
    if (!cell->def) {
        cell->def = before;
        return orma_sql_error_oom(&sql->error);
    }
    r = validate(sql, s);
    if (r < 0) {
        definition_free(cell->def, argc);
        cell->def = before;
    } else {
        definition_free(before, argc);
    }
    return r;
}

void orma_sql_user_funcs_fini(struct orma_sql *sql)
{
    for (struct orma_sql_user_func *f = sql->user_funcs, *next; f; f = next) {
        next = f->next;
        definition_free(f->def, f->argc);
        free(f->name);
        free(f);
    }
    sql->user_funcs = NULL;
}
