/*
 * Rows come from the executor as columns of up to a thousand, or from SQLite one by one. Either way
 * a column is filled by one loop over values of one kind; a value of another kind first changes the
 * column (widen()).
 *
 * A dictionary finds its texts by an open table of entries + 1: by the number in the string pool
 * where the executor gives that, by their bytes otherwise. A column that becomes text finds by
 * bytes from then on.
 */
#include "processor/columns/columns.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "processor/api/query_impl.h"
#include "sdk/base/hash.h"
#include "sdk/base/utf8.h"
#include "sdk/base/vec.h"

#define ROWS 65536
#define SLOTS_MIN 256
#define EXACT (INT64_C(1) << 53) /* whole numbers up to this are doubles, too */

/* What finds the entry of a text in the batch at hand. */
struct finder {
    uint32_t *slots; /* entry + 1, 0: free */
    uint32_t num, used;
    struct orma_buf keys; /* of each entry: uint64_t, its number in the pool or its hash */
    bool by_bytes;
};

struct orma_columns {
    struct orma_query *query;
    unsigned num;
    uint64_t rows_max, rows_before; /* of a batch; in those before the one at hand */
    bool exact, settled, ended;
    const char *json;                 /* NULL: no column is */
    int failed;                       /* 0, or what every further call gives */
    struct orma_columns_batch *batch; /* that is being filled, or was read to settle types */
    bool ahead;                       /* the latter */
    struct finder *finders;
    enum orma_value_type *types;
    size_t bytes; /* of texts and blobs in the batch */
    bool no_memory;
    char error[400];
};

static ORMA_PRINTF(3, 4) int fail(struct orma_columns *self, int error, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(self->error, sizeof(self->error), fmt, args); /* a long one is cut */
    va_end(args);
    self->failed = error;
    return error;
}

/* ---- batches ---- */

static void column_fini(struct orma_columns_column *c)
{
    orma_buf_fini(&c->valid);
    orma_buf_fini(&c->vals);
    orma_buf_fini(&c->bytes);
    orma_buf_fini(&c->offsets);
}

struct orma_columns_batch *orma_columns_batch_ref(struct orma_columns_batch *self)
{
    atomic_fetch_add_explicit(&self->refs, 1, memory_order_relaxed); /* the caller has one */
    return self;
}

void orma_columns_batch_unref(struct orma_columns_batch *self)
{
    /* Whoever frees it comes after all that the others did. */
    if (!self || atomic_fetch_sub_explicit(&self->refs, 1, memory_order_acq_rel) > 1)
        return;
    for (unsigned i = 0; i < self->num; i++)
        column_fini(&self->columns[i]);
    free(self);
}

static struct orma_columns_batch *batch_new(const struct orma_columns *self)
{
    struct orma_columns_batch *b =
        calloc(1, sizeof(*b) + self->num * sizeof(struct orma_columns_column));

    if (!b)
        return NULL;
    b->refs = 1;
    b->num = self->num;
    for (unsigned i = 0; i < self->num; i++) {
        b->columns[i].type = self->types[i];
        self->finders[i].used = 0;
        self->finders[i].by_bytes = false;
        orma_buf_clear(&self->finders[i].keys);
        if (self->finders[i].slots)
            memset(self->finders[i].slots, 0, self->finders[i].num * sizeof(uint32_t));
    }
    return b;
}

/* ---- values ---- */

static inline void put_i64(struct orma_columns_column *c, int64_t val)
{
    uint8_t *to = orma_buf_extend(&c->vals, sizeof(val));

    if (ORMA_LIKELY(to))
        memcpy(to, &val, sizeof(val));
}

static inline void put_i32(struct orma_buf *buf, size_t val)
{
    int32_t v = (int32_t)val;
    uint8_t *to = orma_buf_extend(buf, sizeof(v));

    if (ORMA_LIKELY(to))
        memcpy(to, &v, sizeof(v));
}

/* Row number `row` has a value. The bits of rows before the first NULL are made when it comes. */
static inline void set_valid(struct orma_columns_column *c, uint64_t row)
{
    if (!c->valid.len)
        return;
    if (row / 8 >= c->valid.len)
        orma_buf_put_byte(&c->valid, 0);
    if (!c->valid.failed)
        c->valid.data[row / 8] |= (uint8_t)(1 << row % 8);
}

static void set_null(struct orma_columns_column *c, uint64_t row)
{
    if (!c->valid.len) {
        uint8_t *to = orma_buf_extend(&c->valid, row / 8 + 1);

        if (to) {
            memset(to, 0xff, row / 8 + 1);
            to[row / 8] = (uint8_t)((1 << row % 8) - 1);
        }
    } else if (row / 8 >= c->valid.len) {
        orma_buf_put_byte(&c->valid, 0);
    }
    c->nulls++;
}

static void put_null(struct orma_columns_column *c, uint64_t row)
{
    set_null(c, row);
    if (c->type == ORMA_VALUE_TEXT)
        put_i32(&c->vals, 0);
    else if (c->type == ORMA_VALUE_BLOB)
        put_i32(&c->vals, c->bytes.len);
    else
        put_i64(c, 0);
}

/* ---- dictionaries ---- */

static void finder_put(struct finder *f, uint64_t key, uint32_t entry)
{
    uint32_t at = (uint32_t)orma_mix64(key) & (f->num - 1);

    while (f->slots[at])
        at = (at + 1) & (f->num - 1);
    f->slots[at] = entry + 1;
}

/* Room for one more. */
static bool finder_grow(struct finder *f)
{
    if (f->slots && f->used < f->num / 2)
        return true;
    uint32_t num = f->slots ? f->num * 2 : SLOTS_MIN;
    uint32_t *slots = num ? calloc(num, sizeof(*slots)) : NULL;
    const uint64_t *keys = (const void *)f->keys.data;

    if (!slots)
        return false;
    free(f->slots);
    f->slots = slots;
    f->num = num;
    for (uint32_t i = 0; i < f->used; i++)
        finder_put(f, keys[i], i);
    return true;
}

static uint32_t entry_of(struct orma_columns *self, struct orma_columns_column *c, struct finder *f,
                         uint64_t key, struct orma_str text);

/* Columns of text are UTF-8 and nothing else: other bytes become U+FFFD. */
ORMA_COLD static uint32_t entry_of_repaired(struct orma_columns *self,
                                            struct orma_columns_column *c, struct finder *f,
                                            uint64_t key, struct orma_str text)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf whole = {0};

    while (text.len)
        (void)orma_utf8_put(&whole, orma_utf8_next(&text));
    if (whole.failed)
        return UINT32_MAX;
    if (f->by_bytes)
        key = orma_hash_bytes_from(orma_hash_seed(), whole.data, whole.len);
    return entry_of(self, c, f, key, orma_buf_str(&whole));
}

/* The entry of a text, which is added if it is new. UINT32_MAX: no memory. */
static uint32_t entry_of(struct orma_columns *self, struct orma_columns_column *c, struct finder *f,
                         uint64_t key, struct orma_str text)
{
    if (!finder_grow(f))
        return UINT32_MAX;
    const uint64_t *keys = (const void *)f->keys.data;
    uint32_t at = (uint32_t)orma_mix64(key) & (f->num - 1), entry;

    for (; f->slots[at]; at = (at + 1) & (f->num - 1)) {
        entry = f->slots[at] - 1;
        if (keys[entry] == key && (!f->by_bytes || orma_str_eq(orma_columns_entry(c, entry), text)))
            return entry;
    }
    if (!orma_utf8_is_valid(text))
        return entry_of_repaired(self, c, f, key, text);
    if (!c->offsets.len)
        put_i32(&c->offsets, 0);
    orma_buf_put(&c->bytes, text.data, text.len);
    put_i32(&c->offsets, c->bytes.len);
    orma_buf_put(&f->keys, &key, sizeof(key));
    if (c->bytes.failed || c->offsets.failed || f->keys.failed)
        return UINT32_MAX;
    self->bytes += text.len;
    f->slots[at] = f->used + 1;
    return f->used++;
}

static void put_entry(struct orma_columns *self, struct orma_columns_column *c, uint64_t row,
                      uint32_t entry)
{
    if (entry == UINT32_MAX)
        self->no_memory = true;
    set_valid(c, row);
    put_i32(&c->vals, entry);
}

static void put_text(struct orma_columns *self, unsigned col, uint64_t row, struct orma_str text)
{
    struct orma_columns_column *c = &self->batch->columns[col];
    struct finder *f = &self->finders[col];

    f->by_bytes = true;
    put_entry(
        self, c, row,
        entry_of(self, c, f, orma_hash_bytes_from(orma_hash_seed(), text.data, text.len), text));
}

static void put_blob(struct orma_columns *self, struct orma_columns_column *c, uint64_t row,
                     struct orma_str bytes)
{
    set_valid(c, row);
    put_i32(&c->vals, c->bytes.len);
    orma_buf_put(&c->bytes, bytes.data, bytes.len);
    self->bytes += bytes.len;
}

/* ---- columns that become another type ---- */

static struct orma_str text_of(enum orma_value_type type, int64_t val, char *scratch)
{
    double d;

    memcpy(&d, &val, sizeof(d));
    if (type == ORMA_VALUE_INT64)
        return orma_str_from(sqlite3_snprintf(ORMA_QUERY_SCRATCH, scratch, "%lld", (long long)val));
    return orma_str_from(sqlite3_snprintf(ORMA_QUERY_SCRATCH, scratch, "%!.15g", d));
}

static bool is_exact(int64_t val)
{
    return val >= -EXACT && val <= EXACT;
}

/* False: a number is not a double. */
static bool to_doubles(struct orma_columns_column *c)
{
    size_t num = c->vals.len / sizeof(int64_t);
    int64_t *vals = (void *)c->vals.data;

    for (size_t i = 0; i < num; i++) {
        if (!is_exact(vals[i]))
            return false;
    }
    for (size_t i = 0; i < num; i++) {
        double d = (double)vals[i];

        memcpy(&vals[i], &d, sizeof(d));
    }
    c->type = ORMA_VALUE_DOUBLE;
    return true;
}

/* The values of `old` again, as those of the column, which is empty and of another type. */
static void put_again(struct orma_columns *self, unsigned col,
                      const struct orma_columns_column *old, uint64_t rows)
{
    struct orma_columns_column *c = &self->batch->columns[col];
    const int64_t *numbers = (const void *)old->vals.data;
    const int32_t *entries = (const void *)old->vals.data;
    char scratch[ORMA_QUERY_SCRATCH];

    for (uint64_t row = 0; row < rows; row++) {
        if (orma_columns_is_null(old, row)) {
            put_null(c, row);
            continue;
        }
        struct orma_str text = old->type == ORMA_VALUE_TEXT
                                   ? orma_columns_entry(old, (uint32_t)entries[row])
                                   : text_of(old->type, numbers[row], scratch);
        if (c->type == ORMA_VALUE_TEXT)
            put_text(self, col, row, text);
        else
            put_blob(self, c, row, text);
    }
}

static void become(struct orma_columns *self, unsigned col, enum orma_value_type type,
                   uint64_t rows)
{
    struct orma_columns_column *c = &self->batch->columns[col], old = *c;
    struct finder *f = &self->finders[col];

    *c = (struct orma_columns_column){.type = type};
    f->used = 0;
    orma_buf_clear(&f->keys);
    if (f->slots)
        memset(f->slots, 0, f->num * sizeof(*f->slots));
    f->by_bytes = true;
    put_again(self, col, &old, rows);
    if (old.vals.failed || old.valid.failed || old.bytes.failed)
        self->no_memory = true;
    column_fini(&old);
}

static const char *type_name(enum orma_value_type type)
{
    switch (type) {
    case ORMA_VALUE_NULL:
        return "NULL";
    case ORMA_VALUE_INT64:
        return "a whole number";
    case ORMA_VALUE_DOUBLE:
        return "a number with a fraction";
    case ORMA_VALUE_TEXT:
        return "text";
    case ORMA_VALUE_BLOB:
        return "a blob";
    }
    return "";
}

static void refuse(struct orma_columns *self, unsigned col, uint64_t row, enum orma_value_type type)
{
    (void)fail(self, -EDOM,
               "column '%s' has %s in row %llu but %s in earlier rows: CAST it to one type",
               orma_columns_name(self, col), type_name(type),
               (unsigned long long)(self->rows_before + row + 1),
               type_name(self->batch->columns[col].type));
}

/*
 * Makes the column of a type that can hold a value of `type`, while types are not settled. False:
 * it stays as it is, and the value must be converted, or refused.
 */
static bool widen(struct orma_columns *self, unsigned col, enum orma_value_type type, uint64_t rows)
{
    struct orma_columns_column *c = &self->batch->columns[col];

    if (self->settled || (self->exact && c->type != ORMA_VALUE_NULL))
        return false;
    if (c->type == ORMA_VALUE_NULL && (type == ORMA_VALUE_INT64 || type == ORMA_VALUE_DOUBLE)) {
        c->type = type; /* NULLs are as long */
        return true;
    }
    if (c->type == ORMA_VALUE_INT64 && type == ORMA_VALUE_DOUBLE && to_doubles(c))
        return true;
    if (type == ORMA_VALUE_BLOB && c->type != ORMA_VALUE_BLOB)
        become(self, col, ORMA_VALUE_BLOB, rows);
    else if (c->type != ORMA_VALUE_TEXT && c->type != ORMA_VALUE_BLOB && type != ORMA_VALUE_INT64)
        become(self, col, ORMA_VALUE_TEXT, rows);
    return c->type == type;
}

/* A number of another type than its column. */
static void put_other_number(struct orma_columns *self, unsigned col, uint64_t row,
                             enum orma_value_type type, int64_t val)
{
    struct orma_columns_column *c = &self->batch->columns[col];
    char scratch[ORMA_QUERY_SCRATCH];

    if (widen(self, col, type, row)) {
        set_valid(c, row);
        put_i64(c, val);
        return;
    }
    if (self->exact) {
        refuse(self, col, row, type);
        return;
    }
    if (type == ORMA_VALUE_INT64 && c->type == ORMA_VALUE_DOUBLE && is_exact(val)) {
        double d = (double)val;

        memcpy(&val, &d, sizeof(d));
        set_valid(c, row);
        put_i64(c, val);
        return;
    }
    if (!self->settled && c->type == ORMA_VALUE_DOUBLE)
        become(self, col, ORMA_VALUE_TEXT, row); /* a whole number that is no double */
    if (c->type == ORMA_VALUE_TEXT)
        put_text(self, col, row, text_of(type, val, scratch));
    else if (c->type == ORMA_VALUE_BLOB)
        put_blob(self, c, row, text_of(type, val, scratch));
    else
        refuse(self, col, row, type);
}

static void put_bytes(struct orma_columns *self, unsigned col, uint64_t row,
                      enum orma_value_type type, struct orma_str bytes)
{
    struct orma_columns_column *c = &self->batch->columns[col];

    if (c->type != type)
        (void)widen(self, col, type, row);
    if (self->exact && c->type != type)
        refuse(self, col, row, type);
    else if (c->type == ORMA_VALUE_BLOB)
        put_blob(self, c, row, bytes);
    else if (c->type == ORMA_VALUE_TEXT && type == ORMA_VALUE_TEXT)
        put_text(self, col, row, bytes);
    else
        refuse(self, col, row, type);
}

/* ---- rows ---- */

static inline void put_number(struct orma_columns *self, unsigned col, uint64_t row,
                              enum orma_value_type type, int64_t val)
{
    struct orma_columns_column *c = &self->batch->columns[col];

    if (ORMA_UNLIKELY(c->type != type)) {
        put_other_number(self, col, row, type, val);
        return;
    }
    set_valid(c, row);
    put_i64(c, val);
}

static void put_value(struct orma_columns *self, unsigned col, uint64_t row, sqlite3_value *value)
{
    int kind = sqlite3_value_type(value);
    double d;
    int64_t bits;

    switch (kind) {
    case SQLITE_INTEGER:
        put_number(self, col, row, ORMA_VALUE_INT64, sqlite3_value_int64(value));
        return;
    case SQLITE_FLOAT:
        d = sqlite3_value_double(value);
        memcpy(&bits, &d, sizeof(bits));
        put_number(self, col, row, ORMA_VALUE_DOUBLE, bits);
        return;
    case SQLITE_TEXT:
    case SQLITE_BLOB: {
        enum orma_value_type type = kind == SQLITE_TEXT ? ORMA_VALUE_TEXT : ORMA_VALUE_BLOB;
        const void *data = type == ORMA_VALUE_TEXT ? (const void *)sqlite3_value_text(value)
                                                   : sqlite3_value_blob(value);
        size_t len = (size_t)sqlite3_value_bytes(value);

        if (!data && len)
            self->no_memory = true;
        else
            put_bytes(self, col, row, type, (struct orma_str){data ? data : "", len});
        return;
    }
    }
    put_null(&self->batch->columns[col], row);
}

/* Text number `id` of the pool. */
static inline void put_pooled(struct orma_columns *self, unsigned col, uint64_t row, uint32_t id,
                              const struct orma_strpool *pool)
{
    struct orma_columns_column *c = &self->batch->columns[col];
    struct finder *f = &self->finders[col];

    if (c->type == ORMA_VALUE_NULL && !self->settled) {
        become(self, col, ORMA_VALUE_TEXT, row);
        f->by_bytes = false; /* there were only NULLs */
    }
    if (c->type == ORMA_VALUE_TEXT && !f->by_bytes)
        put_entry(self, c, row, entry_of(self, c, f, id, orma_strpool_get(pool, id)));
    else
        put_bytes(self, col, row, ORMA_VALUE_TEXT, orma_strpool_get(pool, id));
}

/* Rows `from` to `to` of a batch of the executor. */
static void put_block(struct orma_columns *self, unsigned col, const struct orma_exec_column *from,
                      uint32_t at, uint32_t num, const struct orma_strpool *pool)
{
    uint64_t row = self->batch->rows;
    struct orma_columns_column *c = &self->batch->columns[col];

    if (!from->types && !c->valid.len &&
        ((from->type == ORMA_EXEC_TYPE_INT && c->type == ORMA_VALUE_INT64) ||
         (from->type == ORMA_EXEC_TYPE_REAL && c->type == ORMA_VALUE_DOUBLE))) {
        orma_buf_put(&c->vals, from->vals + at, num * sizeof(*from->vals));
        return;
    }
    for (uint32_t i = at; i < at + num && !self->failed; i++, row++) {
        switch (from->types ? from->types[i] : from->type) {
        case ORMA_EXEC_TYPE_INT:
            put_number(self, col, row, ORMA_VALUE_INT64, from->vals[i]);
            break;
        case ORMA_EXEC_TYPE_REAL:
            put_number(self, col, row, ORMA_VALUE_DOUBLE, from->vals[i]);
            break;
        case ORMA_EXEC_TYPE_TEXT:
            put_pooled(self, col, row, (uint32_t)from->vals[i], pool);
            break;
        default:
            put_null(c, row);
        }
    }
}

/* The row that the query is at, and those behind it that are there already, up to `most`. */
static void put_rows(struct orma_columns *self, uint64_t most)
{
    const struct orma_query_row row = orma_query_row(self->query);
    struct orma_sql_stmt *stmt = self->query->stmt;
    uint32_t num = 1;

    if (row.stmt) {
        for (unsigned col = 0; col < self->num; col++)
            put_value(self, col, self->batch->rows, sqlite3_column_value(row.stmt, (int)col));
    } else {
        num = (uint32_t)ORMA_MIN(stmt->batch.rows - row.at, most);
        for (unsigned col = 0; col < self->num; col++)
            put_block(self, col, &row.columns[col], row.at, num, row.pool);
        stmt->batch_at += num - 1;
    }
    self->batch->rows += num;
}

static bool lacks_types(const struct orma_columns *self)
{
    if (self->settled)
        return false;
    for (unsigned i = 0; i < self->num; i++) {
        if (self->batch->columns[i].type == ORMA_VALUE_NULL)
            return true;
    }
    return false;
}

static bool batch_is_broken(const struct orma_columns *self)
{
    for (unsigned i = 0; i < self->num; i++) {
        const struct orma_columns_column *c = &self->batch->columns[i];

        if (c->vals.failed || c->valid.failed || c->bytes.failed || c->offsets.failed)
            return true;
    }
    return self->no_memory;
}

/* Blobs end where the next would begin. */
static void close_blobs(struct orma_columns *self)
{
    for (unsigned i = 0; i < self->num; i++) {
        if (self->batch->columns[i].type == ORMA_VALUE_BLOB)
            put_i32(&self->batch->columns[i].vals, self->batch->columns[i].bytes.len);
    }
}

static int fill(struct orma_columns *self)
{
    int r = 1;

    self->bytes = 0;
    self->batch = batch_new(self);
    if (!self->batch)
        return fail(self, -ENOMEM, "out of memory");
    for (uint64_t most = self->rows_max; self->batch->rows < most;) {
        r = orma_query_step(self->query);
        if (r < 0)
            return fail(self, r, "%s", orma_processor_error(self->query->tp));
        if (r == 0)
            break;
        put_rows(self, most - self->batch->rows);
        if (self->failed)
            return self->failed;
        if (batch_is_broken(self))
            return fail(self, -ENOMEM, "out of memory");
        if (self->bytes > ORMA_COLUMNS_BYTES_MAX)
            break;
        if (self->batch->rows == most && lacks_types(self))
            most = ORMA_MAX(most, ORMA_MIN(most * 2, ORMA_COLUMNS_LOOK_MAX));
    }
    self->ended = r == 0;
    return 0;
}

/* What was declared, where no value says it. */
static enum orma_value_type declared(sqlite3_stmt *stmt, unsigned col)
{
    const char *type = stmt ? sqlite3_column_decltype(stmt, (int)col) : NULL;

    if (!type)
        return ORMA_VALUE_TEXT;
    if (strcasestr(type, "INT") || strcasestr(type, "LONG"))
        return ORMA_VALUE_INT64;
    if (strcasestr(type, "REAL") || strcasestr(type, "DOUB") || strcasestr(type, "FLOA"))
        return ORMA_VALUE_DOUBLE;
    return strcasestr(type, "BLOB") || strcasestr(type, "BYTES") ? ORMA_VALUE_BLOB
                                                                 : ORMA_VALUE_TEXT;
}

/* The statement as SQLite has it, whoever runs it. NULL if it is none without its macros. */
static sqlite3_stmt *plain_statement(const struct orma_columns *self)
{
    const struct orma_str text = orma_query_sql(self->query);
    sqlite3_stmt *stmt = NULL;

    (void)sqlite3_prepare_v2(self->query->stmt->sql->db, text.data, (int)text.len, &stmt, NULL);
    return stmt;
}

static void settle_empty(struct orma_columns *self)
{
    sqlite3_stmt *stmt = plain_statement(self);

    for (unsigned i = 0; i < self->num; i++) {
        struct orma_columns_column *c = &self->batch->columns[i];

        if (c->type != ORMA_VALUE_NULL)
            continue;
        enum orma_value_type type = declared(stmt, i);
        if (type == ORMA_VALUE_TEXT || type == ORMA_VALUE_BLOB)
            become(self, i, type, self->batch->rows);
        c->type = type;
    }
    (void)sqlite3_finalize(stmt); /* it was not run */
}

/* ---- the interface ---- */

int orma_columns_new(struct orma_query *query, uint64_t rows, bool exact, struct orma_columns **ret)
{
    struct orma_columns *self = calloc(1, sizeof(*self));

    if (!self)
        return -ENOMEM;
    self->num = orma_query_has_columns(query) ? orma_query_columns(query) : 0;
    self->rows_max = rows ? rows : ROWS;
    self->exact = exact;
    self->finders = calloc(self->num + 1, sizeof(*self->finders));
    self->types = calloc(self->num + 1, sizeof(*self->types));
    int r = !self->finders || !self->types ? -ENOMEM : self->num ? 0 : -EINVAL;
    if (r) {
        orma_columns_free(self);
        return r;
    }
    self->query = query;
    *ret = self;
    return 0;
}

void orma_columns_free(struct orma_columns *self)
{
    if (!self)
        return;
    orma_columns_batch_unref(self->batch);
    for (unsigned i = 0; self->finders && i < self->num; i++) {
        free(self->finders[i].slots);
        orma_buf_fini(&self->finders[i].keys);
    }
    free(self->finders);
    free(self->types);
    orma_query_free(self->query);
    free(self);
}

/* Readers of the formats refuse files with other names; two that are mended could be one. */
static int check_names(struct orma_columns *self)
{
    for (unsigned i = 0; i < self->num; i++)
        if (!orma_utf8_is_valid(orma_str_from(orma_columns_name(self, i))))
            return fail(self, -EINVAL, "the name of column %u is not valid UTF-8", i + 1);
    return 0;
}

static int read_batch(struct orma_columns *self)
{
    int r = self->failed ? self->failed : self->settled ? 0 : check_names(self);

    r = r ? r : fill(self);
    if (r)
        return r;
    if (lacks_types(self))
        settle_empty(self);
    self->settled = true;
    close_blobs(self);
    for (unsigned i = 0; i < self->num; i++)
        self->types[i] = self->batch->columns[i].type;
    return batch_is_broken(self) ? fail(self, -ENOMEM, "out of memory") : 0;
}

int orma_columns_settle(struct orma_columns *self)
{
    if (self->settled || self->failed)
        return self->failed;
    int r = read_batch(self);
    self->ahead = r == 0;
    return r;
}

bool orma_columns_is_empty(const struct orma_columns *self)
{
    return !self->batch || !self->batch->rows;
}

int orma_columns_next(struct orma_columns *self, struct orma_columns_batch **ret)
{
    int r = 0;

    if (!self->ahead) {
        orma_columns_batch_unref(ORMA_STEAL(self->batch));
        if (self->ended && !self->failed)
            return 0;
        r = read_batch(self);
    }
    self->ahead = false;
    if (r)
        return r;
    struct orma_columns_batch *batch = ORMA_STEAL(self->batch);
    if (!batch->rows) {
        orma_columns_batch_unref(batch);
        return 0;
    }
    self->rows_before += batch->rows;
    *ret = batch;
    return 1;
}

unsigned orma_columns_num(const struct orma_columns *self)
{
    return self->num;
}

const char *orma_columns_name(const struct orma_columns *self, unsigned col)
{
    return orma_query_column_name(self->query, col);
}

enum orma_value_type orma_columns_type(const struct orma_columns *self, unsigned col)
{
    return self->types[col];
}

void orma_columns_set_json(struct orma_columns *self, const char *name)
{
    self->json = name;
}

bool orma_columns_is_json(const struct orma_columns *self, unsigned col)
{
    return self->json && self->types[col] == ORMA_VALUE_TEXT &&
           !strcmp(orma_columns_name(self, col), self->json);
}

bool orma_columns_has_json(const struct orma_columns *self)
{
    unsigned col = 0;

    while (col < self->num && !orma_columns_is_json(self, col))
        col++;
    return col < self->num;
}

const char *orma_columns_error(const struct orma_columns *self)
{
    return self->error;
}
