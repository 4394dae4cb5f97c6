#include "tests/unit/sql/grammar_ask.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "processor/api/query_impl.h"
#include "processor/api/result.h"
#include "processor/columns/columns.h"
#include "processor/sql/script/runner.h"
#include "protos/fields/trace_processor.h"
#include "sdk/base/defs.h"
#include "sdk/wire/pb_reader.h"

const char *const grammar_way_names[GRAMMAR_WAYS] = {
    [GRAMMAR_PLAIN] = "plain tables",
    [GRAMMAR_OFF] = "executor off",
    [GRAMMAR_ON] = "executor on",
    [GRAMMAR_DEFAULT] = "default",
    [GRAMMAR_RPC] = "RPC",
    [GRAMMAR_ARROW] = "Arrow",
    [GRAMMAR_TABLE] = "CREATE PERFETTO TABLE",
    [GRAMMAR_VIEW] = "CREATE PERFETTO VIEW",
};

void grammar_answer_fini(struct grammar_answer *self)
{
    for (uint32_t i = 0; i < self->rows.len; i++)
        free(self->rows.data[i]);
    ORMA_VEC_FINI(&self->rows);
    orma_buf_fini(&self->names);
    orma_buf_fini(&self->keys);
    free(self->error);
    *self = (struct grammar_answer){0};
}

/* ---- rows ---- */

/* One cell, wherever it comes from. */
struct cell {
    int type; /* as SQLite numbers them */
    int64_t whole;
    double real;
    struct orma_str text; /* or the blob */
};

static void put_cell(struct orma_buf *out, const struct cell *c, bool loose, bool nocase)
{
    if (loose && (c->type == SQLITE_INTEGER || c->type == SQLITE_FLOAT)) {
        const double val = c->type == SQLITE_INTEGER ? (double)c->whole : c->real;

        orma_buf_printf(out, "n%.15g|", val + 0.0);
    } else if (c->type == SQLITE_INTEGER) {
        orma_buf_printf(out, "i%lld|", (long long)c->whole);
    } else if (c->type == SQLITE_FLOAT) {
        orma_buf_printf(out, "d%a|", c->real);
    } else if (c->type == SQLITE_NULL) {
        orma_buf_put_str(out, "null|");
    } else if (c->type == SQLITE_BLOB) {
        orma_buf_printf(out, "b%zu|", c->text.len);
    } else {
        orma_buf_put_str(out, "t");
        for (size_t i = 0; i < c->text.len; i++) {
            const uint8_t byte = (uint8_t)c->text.data[i];

            orma_buf_put_byte(out, nocase ? (uint8_t)tolower(byte) : byte);
        }
        orma_buf_put_str(out, "|");
    }
}

static void add_row(struct grammar_answer *a, const struct cell *cells, unsigned num,
                    const struct grammar_rule *rule)
{
    struct orma_buf row = {0};

    for (unsigned i = 0; i < num; i++) {
        if (i < GRAMMAR_COLUMNS_MAX && cells[i].type != SQLITE_NULL)
            a->types[i] |= (uint8_t)(1 << cells[i].type);
        put_cell(&row, &cells[i], rule->loose, false);
    }
    cr_assert_eq(ORMA_VEC_PUSH(&a->rows, strdup(orma_buf_cstr(&row))), 0);
    orma_buf_fini(&row);
    for (unsigned i = 0; i < rule->keys_num; i++) {
        if (rule->keys[i] < num) /* 0.0 is -0.0 to it */
            put_cell(&a->keys, &cells[rule->keys[i]], true, rule->nocase[i]);
    }
}

#define CELLS_MAX 64

static void add_row_of(struct grammar_answer *a, sqlite3_stmt *stmt,
                       const struct grammar_rule *rule)
{
    struct cell cells[CELLS_MAX];
    const unsigned num = ORMA_MIN((unsigned)sqlite3_column_count(stmt), CELLS_MAX);

    for (unsigned i = 0; i < num; i++) {
        struct cell *c = &cells[i];

        *c = (struct cell){.type = sqlite3_column_type(stmt, (int)i)};
        c->whole = sqlite3_column_int64(stmt, (int)i);
        c->real = sqlite3_column_double(stmt, (int)i);
        if (c->type == SQLITE_TEXT || c->type == SQLITE_BLOB)
            c->text = (struct orma_str){sqlite3_column_blob(stmt, (int)i),
                                        (size_t)sqlite3_column_bytes(stmt, (int)i)};
    }
    add_row(a, cells, num, rule);
}

/* ---- by statements ---- */

/* Without what differs by the kind of tables. */
static char *error_of(struct orma_sql *sql)
{
    const char *text = orma_sql_error_text(sql), *last = strrchr(text, '\n');
    char *copy = strdup(last ? last + 1 : text);

    for (char *at = copy; *at; at++) {
        bool first = at == copy || strchr(" .\"('", at[-1]);

        if (first && (*at == 'p' || *at == 't') && (at[1] == 'w' || (at[1] >= '0' && at[1] <= '9')))
            *at = '@';
    }
    return copy;
}

/* The value of a literal, as clients bind it. */
static int bind_value(struct orma_query *to, unsigned at, sqlite3_value *val)
{
    switch (sqlite3_value_type(val)) {
    case SQLITE_INTEGER:
        return orma_query_bind_int64(to, at, sqlite3_value_int64(val));
    case SQLITE_FLOAT:
        return orma_query_bind_double(to, at, sqlite3_value_double(val));
    case SQLITE_TEXT:
        return orma_query_bind_text(to, at, (const char *)sqlite3_value_text(val),
                                    (size_t)sqlite3_value_bytes(val));
    case SQLITE_BLOB:
        return orma_query_bind_blob(to, at, sqlite3_value_blob(val),
                                    (size_t)sqlite3_value_bytes(val));
    }
    return orma_query_bind_null(to, at);
}

static void bind(struct orma_sql *sql, struct orma_query *to, unsigned at, const char *literal)
{
    char *text = sqlite3_mprintf("SELECT %s", literal);
    sqlite3_stmt *stmt = NULL;

    /* What is left of one when a statement is made smaller is NULL. */
    if (text && !sqlite3_prepare_v2(sql->db, text, -1, &stmt, NULL) &&
        sqlite3_step(stmt) == SQLITE_ROW)
        cr_assert_eq(bind_value(to, at, sqlite3_column_value(stmt, 0)), 0);
    sqlite3_finalize(stmt);
    sqlite3_free(text);
}

static void step_all(struct orma_sql *sql, struct orma_sql_stmt *stmt,
                     const struct grammar_rule *rule, struct grammar_answer *ret)
{
    int r;

    while ((r = orma_sql_stmt_step(stmt)) > 0 && ret->rows.len < GRAMMAR_ROWS_MAX)
        add_row_of(ret, stmt->stmt, rule);
    ret->many = r > 0;
    for (int i = 0; i < sqlite3_column_count(stmt->stmt); i++)
        orma_buf_printf(&ret->names, "%s|", sqlite3_column_name(stmt->stmt, i));
    if (r < 0)
        ret->error = error_of(sql);
}

static void ask_script(struct orma_sql *sql, const char *text, const struct grammar_values *values,
                       const struct grammar_rule *rule, struct grammar_answer *ret)
{
    struct orma_runner *runner;
    struct orma_sql_stmt *stmt;

    cr_assert_eq(orma_runner_new(sql, "test", orma_str_from(text), &runner), 0);
    while ((ret->begun = orma_runner_next(runner, &stmt) == 1) && stmt->no_output)
        orma_sql_stmt_free(stmt); /* what makes the table */
    if (ret->begun) {
        struct orma_query query = {.stmt = stmt};
        ret->mended = sql->planner.exec == ORMA_EXEC_MODE_OFF && orma_exec_plan_of(sql, stmt->stmt);
        for (unsigned i = 0; i < ORMA_MIN(values->num, stmt->params); i++)
            bind(sql, &query, i + 1, values->texts[i]);
        step_all(sql, stmt, rule, ret);
        orma_sql_stmt_free(stmt);
    } else {
        ret->error = error_of(sql);
    }
    orma_runner_free(runner);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* ---- as clients of the RPC ---- */

struct reply {
    struct orma_result_out out;
    const struct grammar_rule *rule;
    struct grammar_answer *answer;
    unsigned columns;
    bool failed;
};

/* The parts of a batch: rows are read from the front of each. */
struct parts {
    struct orma_pb_reader numbers;
    struct orma_str doubles, texts, cells;
    ORMA_VEC(struct orma_str) blobs;
    uint32_t blob_at;
};

static struct orma_str bytes_of(const struct orma_pb_field *f)
{
    return (struct orma_str){(const char *)f->data, f->len};
}

static struct cell next_cell(struct parts *p, uint8_t kind)
{
    struct cell c = {.type = SQLITE_NULL};

    switch (kind) {
    case ORMA_PB_QUERY_RESULT_CELLS_BATCH_CELL_VARINT:
        c.type = SQLITE_INTEGER;
        c.whole = (int64_t)orma_pb_varint(&p->numbers);
        break;
    case ORMA_PB_QUERY_RESULT_CELLS_BATCH_CELL_FLOAT64:
        c.type = SQLITE_FLOAT;
        cr_assert_geq(p->doubles.len, sizeof(c.real));
        memcpy(&c.real, p->doubles.data, sizeof(c.real));
        p->doubles = (struct orma_str){p->doubles.data + 8, p->doubles.len - 8};
        break;
    case ORMA_PB_QUERY_RESULT_CELLS_BATCH_CELL_STRING:
        c.type = SQLITE_TEXT;
        c.text = (struct orma_str){p->texts.data, strnlen(p->texts.data, p->texts.len)};
        cr_assert_lt(c.text.len, p->texts.len);
        p->texts.data += c.text.len + 1;
        p->texts.len -= c.text.len + 1;
        break;
    case ORMA_PB_QUERY_RESULT_CELLS_BATCH_CELL_BLOB:
        c.type = SQLITE_BLOB;
        cr_assert_lt(p->blob_at, p->blobs.len);
        c.text = p->blobs.data[p->blob_at++];
        break;
    default:
        cr_assert_eq(kind, ORMA_PB_QUERY_RESULT_CELLS_BATCH_CELL_NULL);
    }
    return c;
}

static void read_batch(struct reply *reply, struct orma_str data)
{
    struct orma_pb_reader r = orma_pb_reader(data.data, data.len);
    struct parts p = {.numbers = orma_pb_reader("", 0)};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_QUERY_RESULT_CELLS_BATCH_CELLS)
            p.cells = bytes_of(&f);
        else if (f.id == ORMA_PB_QUERY_RESULT_CELLS_BATCH_VARINT_CELLS)
            p.numbers = orma_pb_reader(f.data, f.len);
        else if (f.id == ORMA_PB_QUERY_RESULT_CELLS_BATCH_FLOAT64_CELLS)
            p.doubles = bytes_of(&f);
        else if (f.id == ORMA_PB_QUERY_RESULT_CELLS_BATCH_STRING_CELLS)
            p.texts = bytes_of(&f);
        else if (f.id == ORMA_PB_QUERY_RESULT_CELLS_BATCH_BLOB_CELLS)
            cr_assert_eq(ORMA_VEC_PUSH(&p.blobs, bytes_of(&f)), 0);
    }
    cr_assert(!p.cells.len || (reply->columns && p.cells.len % reply->columns == 0));
    for (size_t at = 0; at < p.cells.len; at += reply->columns) {
        struct cell cells[CELLS_MAX];

        for (unsigned i = 0; i < reply->columns; i++)
            cells[i] = next_cell(&p, (uint8_t)p.cells.data[at + i]);
        if (reply->answer->rows.len < GRAMMAR_ROWS_MAX)
            add_row(reply->answer, cells, reply->columns, reply->rule);
        else
            reply->answer->many = true;
    }
    cr_assert(!p.numbers.failed && p.numbers.pos == p.numbers.end && !p.doubles.len &&
              !p.texts.len && p.blob_at == p.blobs.len);
    ORMA_VEC_FINI(&p.blobs);
}

static void begin_reply(struct orma_result_out *out)
{
    orma_buf_clear(&out->buf);
}

static bool end_reply(struct orma_result_out *out)
{
    struct reply *reply = out->ctx;
    struct orma_pb_reader r = orma_pb_reader(out->buf.data, out->buf.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_QUERY_RESULT_COLUMN_NAMES) {
            orma_buf_printf(&reply->answer->names, "%.*s|", (int)f.len, (const char *)f.data);
            cr_assert_lt(reply->columns++, CELLS_MAX);
        } else if (f.id == ORMA_PB_QUERY_RESULT_BATCH) {
            read_batch(reply, bytes_of(&f));
        } else if (f.id == ORMA_PB_QUERY_RESULT_ERROR && f.len) {
            reply->failed = true;
        }
    }
    cr_assert(!r.failed);
    orma_buf_clear(&out->buf);
    return true;
}

static void ask_rpc(struct orma_processor *tp, const char *text, const struct grammar_rule *rule,
                    struct grammar_answer *ret)
{
    struct reply reply = {.rule = rule, .answer = ret};

    reply.out.begin = begin_reply;
    reply.out.end = end_reply;
    reply.out.ctx = &reply;
    orma_result_query(tp, orma_str_from(text), &reply.out);
    ret->begun = !reply.failed || reply.columns;
    if (reply.failed)
        ret->error = error_of(orma_processor_sql(tp));
    orma_buf_fini(&reply.out.buf);
}

/* ---- as columns ---- */

static struct cell cell_of(const struct orma_columns_column *c, uint64_t row)
{
    struct cell cell = {.type = SQLITE_NULL};
    int32_t at;

    if (orma_columns_is_null(c, row))
        return cell;
    switch (c->type) {
    case ORMA_VALUE_INT64:
        cell.type = SQLITE_INTEGER;
        memcpy(&cell.whole, c->vals.data + 8 * row, sizeof(cell.whole));
        break;
    case ORMA_VALUE_DOUBLE:
        cell.type = SQLITE_FLOAT;
        memcpy(&cell.real, c->vals.data + 8 * row, sizeof(cell.real));
        break;
    case ORMA_VALUE_TEXT:
        cell.type = SQLITE_TEXT;
        memcpy(&at, c->vals.data + 4 * row, sizeof(at));
        cell.text = orma_columns_entry(c, (uint32_t)at);
        break;
    case ORMA_VALUE_BLOB:
        cell.type = SQLITE_BLOB;
        memcpy(&at, c->vals.data + 4 * (row + 1), sizeof(at));
        cell.text.len = (size_t)at;
        memcpy(&at, c->vals.data + 4 * row, sizeof(at));
        cell.text.len -= (size_t)at;
        break;
    case ORMA_VALUE_NULL:
        break;
    }
    return cell;
}

static void add_batch(struct grammar_answer *a, const struct orma_columns_batch *b,
                      const struct grammar_rule *rule)
{
    for (uint64_t row = 0; row < b->rows; row++) {
        struct cell cells[CELLS_MAX];

        for (unsigned i = 0; i < b->num && i < CELLS_MAX; i++)
            cells[i] = cell_of(&b->columns[i], row);
        add_row(a, cells, b->num, rule);
    }
}

static void ask_arrow(struct orma_processor *tp, const char *text, const struct grammar_rule *rule,
                      struct grammar_answer *ret)
{
    struct orma_query *query = NULL;
    struct orma_columns *columns = NULL;
    struct orma_columns_batch *batch;
    int r = orma_query_prepare(tp, text, strlen(text), &query, NULL);

    ret->begun = r == 0;
    for (unsigned i = 0; !r && i < orma_query_columns(query); i++)
        orma_buf_printf(&ret->names, "%s|", orma_query_column_name(query, i));
    if (!r)
        r = orma_columns_new(query, 300, true, &columns);
    while (columns && ret->rows.len < GRAMMAR_ROWS_MAX &&
           (r = orma_columns_next(columns, &batch)) == 1) {
        add_batch(ret, batch, rule);
        orma_columns_batch_unref(batch);
    }
    ret->many = r == 1;
    if (r < 0)
        ret->error = error_of(orma_processor_sql(tp));
    if (columns)
        orma_columns_free(columns);
    else
        orma_query_free(query);
}

/* ---- */

void grammar_ask(struct orma_processor *tp, const char *query, enum grammar_way way,
                 const struct grammar_rule *rule, struct grammar_answer *ret)
{
    struct orma_sql *sql = orma_processor_sql(tp);
    struct grammar_values values = {.num = 0};
    char *text = grammar_over(query, way == GRAMMAR_PLAIN ? 'p' : 't',
                              rule->params && way < GRAMMAR_RPC ? &values : NULL);
    struct orma_buf made = {0};

    *ret = (struct grammar_answer){0};
    sql->planner.exec = way == GRAMMAR_PLAIN || way == GRAMMAR_OFF ? ORMA_EXEC_MODE_OFF
                        : way == GRAMMAR_ON                        ? ORMA_EXEC_MODE_ON
                                                                   : ORMA_EXEC_MODE_AUTO;
    sql->planner.rows_min = rule->rows_min;
    if (rule->piece_rows) {
        sql->crew = rule->crew;
        sql->planner.piece_rows = rule->piece_rows;
        sql->planner.shared_rows_min = 2;
    }
    if (way == GRAMMAR_TABLE || way == GRAMMAR_VIEW)
        orma_buf_printf(&made, "CREATE OR REPLACE PERFETTO %s made_%s AS %s; SELECT * FROM made_%s",
                        way == GRAMMAR_TABLE ? "TABLE" : "VIEW",
                        way == GRAMMAR_TABLE ? "table" : "view", text,
                        way == GRAMMAR_TABLE ? "table" : "view");
    if (way == GRAMMAR_RPC)
        ask_rpc(tp, text, rule, ret);
    else if (way == GRAMMAR_ARROW)
        ask_arrow(tp, text, rule, ret);
    else
        ask_script(sql, made.len ? orma_buf_cstr(&made) : text, &values, rule, ret);
    ret->many |= sql->limits.out_of_time;
    if (ret->rows.len)
        qsort(ret->rows.data, ret->rows.len, sizeof(*ret->rows.data), by_text);
    orma_buf_fini(&made);
    grammar_values_fini(&values);
    free(text);
}

/* ---- comparing ---- */

bool grammar_is_to_compare(enum grammar_way way, const struct grammar_answer *off)
{
    for (unsigned i = 0; i < GRAMMAR_COLUMNS_MAX; i++) {
        const bool one_type = !(off->types[i] & (off->types[i] - 1));

        if ((way == GRAMMAR_ARROW || way == GRAMMAR_TABLE) &&
            (!one_type || off->types[i] == 1 << SQLITE_BLOB))
            return false;
    }
    return true;
}

/* An aggregate of columns of the query around it: whether SQLite takes it depends on its plan. */
static bool is_misused(const struct grammar_answer *a)
{
    return a->error && strstr(a->error, "misuse of aggregate");
}

const char *grammar_difference(struct grammar_answer *a, enum grammar_way one,
                               struct grammar_answer *b, enum grammar_way other)
{
    const bool same_tables = (one == GRAMMAR_PLAIN) == (other == GRAMMAR_PLAIN);
    const bool same_text = same_tables && other < GRAMMAR_RPC;

    if (a->many || b->many)
        return NULL;
    if (same_text && a->begun != b->begun)
        return is_misused(a) || is_misused(b) ? NULL : "validity";
    if (!a->error != !b->error) { /* what is looked at in vain depends on the order of tables */
        if (same_tables)
            return is_misused(a) || is_misused(b) ? NULL : "errors";
        return a->begun == b->begun || is_misused(a) || is_misused(b) ? NULL : "validity";
    }
    if (a->error) /* which is found first, and what is suggested, depends on the tables */
        return same_text && strcmp(a->error, b->error) ? "errors" : NULL;
    if (strcmp(orma_buf_cstr(&a->names), orma_buf_cstr(&b->names)))
        return "names";
    if (a->rows.len != b->rows.len)
        return "number of rows";
    for (uint32_t i = 0; i < a->rows.len; i++) {
        if (strcmp(a->rows.data[i], b->rows.data[i]))
            return "rows";
    }
    if (other == GRAMMAR_VIEW) /* the order of what it has is not promised */
        return NULL;
    return strcmp(orma_buf_cstr(&a->keys), orma_buf_cstr(&b->keys)) ? "order" : NULL;
}
