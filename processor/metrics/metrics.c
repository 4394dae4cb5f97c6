/*
 * Each message that a metric can reach becomes an SQL function, named as its path below the
 * root; adding messages adds the new functions. Computing a metric runs its file, which may
 * run others with RUN_METRIC(), and takes the one value of NAME_output. The results are put
 * together as one TraceMetrics. After orma_sql_reset() the connection has lost the functions:
 * attach() registers them again.
 *
 * Most programs compute none. So functions of the shipped messages are registered by their names
 * (embedded.h), and only when one is called, or somebody asks for a metric, load() reads the
 * messages and they get numbers.
 */
#include "processor/metrics/metrics.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "processor/metrics/builder.h"
#include "processor/metrics/embedded.h"
#include "processor/metrics/metrics_impl.h"
#include "processor/sql/script/runner.h"
#include "sdk/base/hash.h"
#include "sdk/base/map.h"
#include "sdk/base/path.h"
#include "sdk/base/vec.h"
#include "sdk/wire/pb_writer.h"

#define ROOT "perfetto.protos.TraceMetrics"

/* A metric that runs itself ends at the engine's depth of scripts. */

/* What a function of a message is registered with. */
struct message_fn {
    struct orma_metrics *metrics;
    uint32_t msg;     /* ORMA_SCHEMA_NONE: to be found by its name */
    const char *name; /* then: a literal */
};

int orma_metrics_fail(struct orma_metrics *self, const char *fmt, ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    orma_buf_clear(&self->error);
    orma_buf_put_str(&self->error, text);
    return -EINVAL;
}

const char *orma_metrics_error(struct orma_metrics *self)
{
    return orma_buf_cstr(&self->error);
}

/* ---- functions of messages ---- */

static uint32_t find_function(const struct orma_metrics *self, const char *name);

/* Before messages are read, those of the default schema have the numbers that they will have. */
static const struct orma_schema *schema_of(const struct orma_metrics *self)
{
    return self->schema ? self->schema : orma_schema_default();
}

uint32_t orma_metrics_root(const struct orma_metrics *self)
{
    return orma_schema_find_msg(schema_of(self), ORMA_STR(ROOT));
}

static void build_message(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct message_fn *fn = sqlite3_user_data(ctx);
    struct orma_metrics *self = fn->metrics;

    if (fn->msg == ORMA_SCHEMA_NONE && orma_metrics_load(self) < 0) {
        sqlite3_result_error(ctx, orma_metrics_error(self), -1);
        return;
    }
    if (fn->msg == ORMA_SCHEMA_NONE)
        fn->msg = find_function(self, fn->name);
    orma_builder_build(schema_of(self), fn->msg, ctx, argc, argv);
}

/* perfetto.protos.A.B is A_B: the package (parts in small letters) goes, dots become '_'. */
static void function_name(const char *full, struct orma_buf *out)
{
    const char *dot;

    while (islower((unsigned char)*full) && (dot = strchr(full, '.')))
        full = dot + 1;
    for (; *full; full++)
        orma_buf_put_byte(out, *full == '.' ? '_' : (uint8_t)*full);
}

/* SQLite tells functions apart without regard to case. */
static uint64_t hash_of(const char *name)
{
    uint64_t ret = ORMA_FNV1A_BASIS;

    for (; *name; name++) {
        const uint8_t low = (uint8_t)tolower((unsigned char)*name);

        ret = orma_fnv1a(ret, &low, 1);
    }
    return ret >> 1; /* there is room behind it */
}

static bool is_function(const struct orma_metrics *self, uint32_t msg, const char *name)
{
    struct orma_buf other = {0};

    function_name(orma_schema_msg_name(schema_of(self), msg), &other);
    bool ret = !sqlite3_stricmp(name, orma_buf_cstr(&other));
    orma_buf_fini(&other);
    return ret;
}

/* The message whose function has the name; ORMA_SCHEMA_NONE: there is none, and *ret_key is free.
 * Who added messages said how many they are, so they are not looked through. */
static uint32_t find_function_at(const struct orma_metrics *self, const char *name,
                                 uint64_t *ret_key)
{
    for (uint64_t key = hash_of(name);; key++) {
        const uint64_t msg = orma_map_get(&self->fn_by_name, key);

        *ret_key = key;
        if (msg == ORMA_MAP_NONE)
            return ORMA_SCHEMA_NONE;
        if (is_function(self, (uint32_t)msg, name))
            return (uint32_t)msg;
    }
}

static uint32_t find_function(const struct orma_metrics *self, const char *name)
{
    uint64_t key;

    return find_function_at(self, name, &key);
}

static int register_function(struct orma_metrics *self, const char *name, struct message_fn of)
{
    struct message_fn *fn = malloc(sizeof(*fn));

    if (!fn)
        return -ENOMEM;
    *fn = of;
    return sqlite3_create_function_v2(self->sql->db, name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                      fn, build_message, NULL, NULL,
                                      free) /* frees fn on failure, too */
               ? -ENOMEM
               : 0;
}

/* Functions of shipped messages are there before those are read. */
static bool is_registered(const struct orma_metrics *self, const char *name)
{
    if (self->shipped == ORMA_METRICS_READING)
        for (const char *const *known = orma_metrics_functions; *known; known++)
            if (!strcmp(name, *known))
                return true;
    return false;
}

static int add_function(struct orma_metrics *self, uint32_t msg)
{
    struct orma_buf name = {0};
    uint64_t key;
    int r = 0;

    function_name(orma_schema_msg_name(schema_of(self), msg), &name);
    const uint32_t other = find_function_at(self, orma_buf_cstr(&name), &key);
    if (other != ORMA_SCHEMA_NONE)
        r = orma_metrics_fail(self, "the messages %s and %s would have the same function",
                              orma_schema_msg_name(schema_of(self), other),
                              orma_schema_msg_name(schema_of(self), msg));
    else if (name.failed)
        r = -ENOMEM;
    else if (!is_registered(self, orma_buf_cstr(&name)))
        r = register_function(self, orma_buf_cstr(&name), (struct message_fn){self, msg, NULL});
    orma_buf_fini(&name);
    if (r != -EINVAL) {
        self->has_fn[msg] = 1;
        if (orma_map_put(&self->fn_by_name, key, msg) < 0)
            r = -ENOMEM;
    }
    return r;
}

/* Functions for the message and for those in its fields. Who added messages said how deep they are
 * in each other, so this is no recursion. */
static int add_reachable(struct orma_metrics *self, uint32_t first)
{
    ORMA_VEC(uint32_t) todo = {0};
    int r = ORMA_VEC_PUSH(&todo, first);

    while (r == 0 && todo.len) {
        const uint32_t msg = todo.data[--todo.len];
        uint32_t count;
        const struct orma_field *fields = orma_schema_fields(schema_of(self), msg, &count);

        if (self->has_fn[msg])
            continue;
        r = add_function(self, msg);
        for (uint32_t i = 0; i < count && r == 0; i++) {
            if (fields[i].type == ORMA_TYPE_MESSAGE && !self->has_fn[fields[i].type_idx])
                r = ORMA_VEC_PUSH(&todo, fields[i].type_idx);
        }
    }
    ORMA_VEC_FINI(&todo);
    return r;
}

/* Those of shipped messages, by name: most programs compute no metric and need no schema. */
static int add_shipped_functions(struct orma_metrics *self)
{
    int r = 0;

    for (const char *const *name = orma_metrics_functions; *name && r == 0; name++)
        r = register_function(self, *name, (struct message_fn){self, ORMA_SCHEMA_NONE, *name});
    return r;
}

static int add_functions(struct orma_metrics *self)
{
    if (self->shipped == ORMA_METRICS_UNREAD)
        return add_shipped_functions(self);

    uint32_t num = orma_schema_msg_count(schema_of(self));
    uint8_t *grown = realloc(self->has_fn, num + 1);

    if (!grown)
        return -ENOMEM;
    memset(grown + self->fns_num, 0, num - self->fns_num);
    self->has_fn = grown;
    self->fns_num = num;
    int r = add_reachable(self, orma_metrics_root(self));
    /* Those behind the default schema are added ones. */
    for (uint32_t msg = orma_schema_msg_count(orma_schema_default()); msg < num && r == 0; msg++)
        r = add_reachable(self, msg);
    return r;
}

/* ---- the other functions ---- */

static void null_if_empty(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    int type = sqlite3_value_type(argv[0]);

    (void)argc;
    if (type != SQLITE_NULL && type != SQLITE_BLOB)
        sqlite3_result_error(ctx, "NULL_IF_EMPTY: the argument must be a blob or NULL", -1);
    else if (type == SQLITE_BLOB && sqlite3_value_bytes(argv[0]))
        orma_result_value(ctx, argv[0]);
}

static void unwrap(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const char *name = (const char *)sqlite3_value_text(argv[1]);
    struct orma_str bytes;

    (void)argc;
    if (sqlite3_value_type(argv[0]) != SQLITE_BLOB || !name) {
        sqlite3_result_error(ctx, "UNWRAP_METRIC_PROTO: expected a blob and the name of a type",
                             -1);
        return;
    }
    switch (orma_builder_unwrap(argv[0], name, &bytes)) {
    case 0:
        sqlite3_result_blob64(ctx, bytes.data ? bytes.data : "", bytes.len, SQLITE_TRANSIENT);
        break;
    case -EPROTOTYPE:
        sqlite3_result_error(ctx, "UNWRAP_METRIC_PROTO: the message is of another type", -1);
        break;
    default:
        sqlite3_result_error(ctx, "UNWRAP_METRIC_PROTO: the blob is not a message", -1);
    }
}

static struct orma_metrics_metric *find_path(const struct orma_metrics *self, const char *path)
{
    for (struct orma_metrics_metric *m = self->metrics; m; m = m->next) {
        if (!strcmp(m->path, path))
            return m;
    }
    return NULL;
}

/* The value of {{key}} among the arguments behind the path; NULL: there is none. */
static const char *find_value(struct orma_str key, int argc, sqlite3_value **argv)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        if (orma_str_eq_c(key, (const char *)sqlite3_value_text(argv[i])))
            return (const char *)sqlite3_value_text(argv[i + 1]);
    }
    return NULL;
}

static struct orma_str trim(struct orma_str s)
{
    while (s.len && isspace((unsigned char)s.data[0])) {
        s.data++;
        s.len--;
    }
    while (s.len && isspace((unsigned char)s.data[s.len - 1]))
        s.len--;
    return s;
}

/* Replaces {{key}}. False: *ret_key has no value. */
static bool substitute(struct orma_str sql, int argc, sqlite3_value **argv, struct orma_buf *out,
                       struct orma_str *ret_key)
{
    const char *pos = sql.data, *end = sql.data + sql.len;

    while (pos < end) {
        const char *open = memmem(pos, (size_t)(end - pos), "{{", 2);
        const char *close = open ? memmem(open, (size_t)(end - open), "}}", 2) : NULL;

        if (!close) {
            orma_buf_put(out, pos, (size_t)(end - pos));
            return true;
        }
        orma_buf_put(out, pos, (size_t)(open - pos));
        *ret_key = trim((struct orma_str){open + 2, (size_t)(close - open - 2)});
        const char *val = find_value(*ret_key, argc, argv);
        if (!val)
            return false;
        orma_buf_put_str(out, val);
        pos = close + 2;
    }
    return true;
}

static char *check_run_args(int argc, sqlite3_value **argv)
{
    if (argc < 1 || sqlite3_value_type(argv[0]) != SQLITE_TEXT)
        return sqlite3_mprintf("RUN_METRIC: expected the path of a metric");
    if (argc % 2 == 0)
        return sqlite3_mprintf("RUN_METRIC: a key has no value");
    for (int i = 1; i < argc; i += 2) {
        int type = sqlite3_value_type(argv[i + 1]);

        if (sqlite3_value_type(argv[i]) != SQLITE_TEXT)
            return sqlite3_mprintf("RUN_METRIC: keys must be strings");
        if (type == SQLITE_NULL || type == SQLITE_BLOB)
            return sqlite3_mprintf("RUN_METRIC: the value of '%s' is neither a string nor a number",
                                   sqlite3_value_text(argv[i]));
    }
    return NULL;
}

static void run_metric(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_metrics *self = sqlite3_user_data(ctx);
    char *wrong = check_run_args(argc, argv);
    const struct orma_metrics_metric *m = NULL;
    struct orma_buf sql = {0}, frame = {0};
    struct orma_str key;

    if (!wrong) {
        m = find_path(self, (const char *)sqlite3_value_text(argv[0]));
        if (!m)
            wrong = sqlite3_mprintf("RUN_METRIC: unknown metric path '%s'",
                                    sqlite3_value_text(argv[0]));
        else if (orma_metrics_load(self) < 0)
            wrong = sqlite3_mprintf("RUN_METRIC: %s", orma_metrics_error(self));
    }
    if (m && !substitute(orma_buf_str(&m->sql), argc, argv, &sql, &key))
        wrong = sqlite3_mprintf("RUN_METRIC: {{%.*s}} in %s has no value",
                                (int)ORMA_MIN(key.len, 100u), key.data, m->path);
    if (wrong) {
        sqlite3_result_error(ctx, wrong, -1);
    } else if (m) {
        orma_buf_printf(&frame, "Metric \"%s\"", m->path);
        int r = orma_sql_run_script(self->sql, orma_buf_cstr(&frame), orma_buf_str(&sql));
        if (r < 0)
            orma_sql_result_error(ctx, self->sql, r);
        else
            orma_result_void(ctx);
    }
    sqlite3_free(wrong);
    orma_buf_fini(&frame);
    orma_buf_fini(&sql);
}

/* ---- the connection ---- */

/* The names of all metrics as the view trace_metrics; libraries of others make that view from a
 * table, which is filled. */
static int make_view(struct orma_metrics *self)
{
    struct orma_buf sql = {0};
    unsigned num = 0;

    orma_buf_put_str(
        &sql, orma_sql_has_table(self->sql, "_trace_metrics")
                  ? "DELETE FROM _trace_metrics; INSERT INTO _trace_metrics(name) "
                  : "DROP VIEW IF EXISTS trace_metrics; CREATE VIEW trace_metrics(name) AS ");
    for (const struct orma_metrics_metric *m = self->metrics; m; m = m->next) {
        if (m->field)
            orma_buf_printf(&sql, "%s('%s')", num++ ? ", " : "VALUES ", m->field);
    }
    if (!num)
        orma_buf_put_str(&sql, "SELECT NULL WHERE 0");
    int r = sql.failed ? SQLITE_NOMEM : orma_sql_run_plain(self->sql, orma_buf_cstr(&sql));
    orma_buf_fini(&sql);
    return r ? -EIO : 0;
}

static int attach(struct orma_metrics *self)
{
    sqlite3 *db = self->sql->db;
    int flags = SQLITE_UTF8, r;

    if (self->attached == db)
        return 0;
    self->attached = db;
    if (self->has_fn)
        memset(self->has_fn, 0, self->fns_num);
    orma_map_clear(&self->fn_by_name);
    if (sqlite3_create_function_v2(db, "NULL_IF_EMPTY", 1, flags | SQLITE_DETERMINISTIC, self,
                                   null_if_empty, NULL, NULL, NULL) ||
        sqlite3_create_function_v2(db, "UNWRAP_METRIC_PROTO", 2, flags | SQLITE_DETERMINISTIC, self,
                                   unwrap, NULL, NULL, NULL) ||
        sqlite3_create_function_v2(db, "RUN_METRIC", -1, flags | SQLITE_DIRECTONLY, self,
                                   run_metric, NULL, NULL, NULL) ||
        sqlite3_create_function_v2(db, "RepeatedField", 1, flags, self, NULL,
                                   orma_builder_repeated_step, orma_builder_repeated_final, NULL))
        return -EIO;
    r = add_functions(self);
    return r < 0 ? r : make_view(self);
}

/* The engine opened a connection anew. */
static int reattach(void *data)
{
    struct orma_metrics *self = data;

    self->attached = NULL;
    return attach(self);
}

/* ---- descriptors ---- */

/* google/protobuf/descriptor.proto */
enum { SET_DESCRIPTOR = 1, MSG_NAME = 1, MSG_FIELD = 2 };

enum { FIELD_NAME = 1, FIELD_NUMBER = 3, FIELD_LABEL = 4, FIELD_TYPE = 5, FIELD_TYPE_NAME = 6 };

enum { LABEL_OPTIONAL = 1, LABEL_REQUIRED = 2, LABEL_REPEATED = 3 };

static void put_field_descriptor(const struct orma_schema *schema, const struct orma_field *f,
                                 struct orma_buf *out)
{
    size_t at = orma_pb_begin(out, MSG_FIELD);
    char type[ORMA_SCHEMA_NAME_MAX + 2] = "";

    if (f->type == ORMA_TYPE_MESSAGE)
        snprintf(type, sizeof(type), ".%s", orma_schema_msg_name(schema, f->type_idx));
    else if (f->type == ORMA_TYPE_ENUM)
        snprintf(type, sizeof(type), ".%s", orma_schema_enum_name(schema, f->type_idx));
    orma_pb_put_cstr(out, FIELD_NAME, orma_field_name(schema, f));
    orma_pb_put_u64(out, FIELD_NUMBER, f->number);
    orma_pb_put_u64(out, FIELD_LABEL,
                    f->flags & ORMA_FIELD_REPEATED   ? LABEL_REPEATED
                    : f->flags & ORMA_FIELD_REQUIRED ? LABEL_REQUIRED
                                                     : LABEL_OPTIONAL);
    orma_pb_put_u64(out, FIELD_TYPE, f->type);
    orma_pb_put_cstr(out, FIELD_TYPE_NAME, type);
    orma_pb_end(out, at);
}

void orma_metrics_descriptors(struct orma_metrics *self, struct orma_buf *out)
{
    if (orma_metrics_load(self) < 0)
        return; /* those that are known would not be all */
    for (uint32_t msg = 0; msg < self->fns_num; msg++) {
        uint32_t count;
        const struct orma_field *fields = orma_schema_fields(self->schema, msg, &count);
        char name[ORMA_SCHEMA_NAME_MAX + 2];

        if (!self->has_fn[msg])
            continue;
        size_t at = orma_pb_begin(out, SET_DESCRIPTOR);
        snprintf(name, sizeof(name), ".%s", orma_schema_msg_name(self->schema, msg));
        orma_pb_put_cstr(out, MSG_NAME, name);
        for (uint32_t i = 0; i < count; i++)
            put_field_descriptor(self->schema, &fields[i], out);
        orma_pb_end(out, at);
    }
}

/* ---- registration ---- */

static int add_descriptors(struct orma_metrics *self, const void *set, size_t len)
{
    struct orma_buf notes = {0};
    int r = orma_schema_add(self->schema, set, len, &notes);

    orma_buf_clear(&self->error);
    if (r == -ENOMEM)
        orma_metrics_fail(self, "out of memory");
    else if (r)
        r = orma_metrics_fail(self, "cannot use the descriptors: %s", orma_buf_cstr(&notes));
    orma_buf_fini(&notes);
    return r < 0 ? r : add_functions(self);
}

static int add_protos(struct orma_metrics *self, const struct orma_proto_source *files, size_t num)
{
    struct orma_buf set = {0}, error = {0};
    int r = orma_proto_sources_parse(self->schema, files, num, &set, &error);

    if (r < 0)
        orma_metrics_fail(self, "%s", r == -ENOMEM ? "out of memory" : orma_buf_cstr(&error));
    else
        r = add_descriptors(self, set.data, set.len);
    orma_buf_fini(&set);
    orma_buf_fini(&error);
    return r;
}

static bool is_proto(const struct orma_embedded_file *f)
{
    const char *dot = strrchr(f->key, '.');

    return dot && !strcmp(dot, ".proto");
}

static int read_shipped(struct orma_metrics *self, const char *texts)
{
    int r = 0;

    for (const struct orma_embedded_file *f = orma_metrics_files.files; f->key && r == 0; f++) {
        const struct orma_proto_source source = {f->key, ORMA_EMBEDDED_TEXT(f, texts)};
        struct orma_metrics_metric *m = is_proto(f) ? NULL : find_path(self, f->key);

        if (is_proto(f))
            r = add_protos(self, &source, 1);
        else if (m)
            orma_buf_put(&m->sql, source.text.data, source.text.len);
        if (m && m->sql.failed)
            r = -ENOMEM;
    }
    return r;
}

int orma_metrics_load(struct orma_metrics *self)
{
    char *texts = NULL;

    if (self->shipped != ORMA_METRICS_UNREAD)
        return 0;
    self->shipped = ORMA_METRICS_READING;
    int r = orma_embedded_unpack(&orma_metrics_files, &texts);
    if (r == 0 && orma_schema_new(orma_schema_default(), &self->schema))
        r = -ENOMEM;
    if (r == 0)
        r = read_shipped(self, texts);
    free(texts);
    if (r == -ENOMEM)
        (void)orma_metrics_fail(self, "out of memory");
    self->shipped = ORMA_METRICS_READ;
    return r;
}

int orma_metrics_add_protos(struct orma_metrics *self, const struct orma_proto_source *files,
                            size_t num)
{
    int r = orma_metrics_load(self);

    return r < 0 ? r : add_protos(self, files, num);
}

static void metric_free(struct orma_metrics_metric *m)
{
    if (!m)
        return;
    free(m->path);
    free(m->field);
    orma_buf_fini(&m->sql);
    free(m);
}

const struct orma_field *orma_metrics_root_field(const struct orma_metrics *self,
                                                 struct orma_str name)
{
    uint32_t count;
    const struct orma_field *fields =
        orma_schema_fields(schema_of(self), orma_metrics_root(self), &count);

    for (uint32_t i = 0; i < count; i++) {
        const char *full = orma_field_name(schema_of(self), &fields[i]);

        if (fields[i].type == ORMA_TYPE_MESSAGE &&
            orma_str_eq_c(name, orma_schema_short_name(full)))
            return &fields[i];
    }
    return NULL;
}

/* Whether a metric fills the field of that name. Unread, all metrics are shipped ones. */
static bool is_field(const struct orma_metrics *self, struct orma_str name)
{
    if (self->shipped != ORMA_METRICS_UNREAD)
        return orma_metrics_root_field(self, name) != NULL;
    for (const char *const *known = orma_metrics_fields; *known; known++)
        if (orma_str_eq_c(name, *known))
            return true;
    return false;
}

static int add_sql(struct orma_metrics *self, const char *path, struct orma_str sql)
{
    size_t len = strlen(path);
    const char *base = orma_path_base(path);
    struct orma_metrics_metric *m = find_path(self, path);

    orma_buf_clear(&self->error);
    if (len < 4 || strcmp(path + len - 4, ".sql"))
        return orma_metrics_fail(self, "Unable to find .sql extension for metric %s", path);
    struct orma_str name = {base, strlen(base) - 4};
    const bool f = is_field(self, name);
    for (const struct orma_metrics_metric *o = self->metrics; o && f && !m; o = o->next) {
        if (o->field && orma_str_eq_c(name, o->field))
            return orma_metrics_fail(
                self,
                "RegisterMetric Error: Metric paths %s (which is already registered) and "
                "%s are both trying to output the proto field %s",
                o->path, path, o->field);
    }
    if (!m) {
        m = calloc(1, sizeof(*m));
        if (m) {
            m->path = strdup(path);
            m->field = f ? orma_str_dup(name) : NULL;
        }
        if (!m || !m->path || (f && !m->field)) {
            metric_free(m);
            orma_metrics_fail(self, "out of memory");
            return -ENOMEM;
        }
        m->next = self->metrics;
        self->metrics = m;
    }
    orma_buf_clear(&m->sql);
    orma_buf_put(&m->sql, sql.data, sql.len);
    return m->sql.failed ? -ENOMEM : 0;
}

int orma_metrics_add_sql(struct orma_metrics *self, const char *path, struct orma_str sql)
{
    int r = orma_metrics_load(self);

    if (r == 0)
        r = add_sql(self, path, sql);
    return r == 0 && make_view(self) < 0 ? -ENOMEM : r;
}

static int add_shipped(struct orma_metrics *self)
{
    int r = 0;

    for (const struct orma_embedded_file *f = orma_metrics_files.files; f->key && r == 0; f++)
        if (!is_proto(f))
            r = add_sql(self, f->key, ORMA_STR("")); /* orma_metrics_load() has the text */
    return r;
}

int orma_metrics_new(struct orma_sql *sql, struct orma_metrics **ret)
{
    struct orma_metrics *self = calloc(1, sizeof(*self));
    int r;

    if (!self)
        return -ENOMEM;
    self->sql = sql;
    r = add_shipped(self);
    if (r == 0)
        r = attach(self);
    if (r < 0) {
        orma_metrics_free(self);
        return r == -ENOMEM ? r : -EIO;
    }
    sql->given.on_open = reattach;
    sql->given.on_open_data = self;
    *ret = self;
    return 0;
}

void orma_metrics_free(struct orma_metrics *self)
{
    if (!self)
        return;
    self->sql->given.on_open = NULL;
    for (struct orma_metrics_metric *m = self->metrics, *next; m; m = next) {
        next = m->next;
        metric_free(m);
    }
    orma_schema_free(self->schema);
    free(self->has_fn);
    orma_map_fini(&self->fn_by_name);
    orma_buf_fini(&self->error);
    free(self);
}
