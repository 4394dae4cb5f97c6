/*
 * Rows go into the parts of a batch (cells, numbers, doubles, texts, blobs), each a buffer of its
 * own, because the message wants them apart. A batch is written out when it is large enough; column
 * names and the count of statements go with the first one, the error with the last one.
 */
#include "processor/api/result.h"

#include <string.h>

#include "processor/api/query_impl.h"
#include "protos/fields/trace_processor.h"
#include "sdk/base/clock.h"
#include "sdk/wire/pb_writer.h"

#define CELLS_MAX 50000u
#define BATCH_BYTES ((size_t)128 << 10)
#define CELL_PREAMBLE 4 /* what a text or number takes besides itself, roughly */
#define BATCH_PREAMBLE 16
#define PADDING_FIELD 7 /* of a batch: known to nobody, skipped by all */

struct batch {
    struct orma_buf cells, varints, doubles, blobs, texts;
    size_t approx; /* bytes, roughly */
    bool last;
};

struct run {
    struct orma_processor *tp;
    struct orma_result_out *out;
    struct orma_query *query; /* the last statement's, NULL: none */
    uint64_t start_ns;
    unsigned statements, with_rows;
    bool row; /* the query stands on a row that is not sent yet */
    bool head_sent;
    const char *error;
    struct batch batch;
};

size_t orma_result_open(struct orma_buf *out, uint32_t id)
{
    orma_pb_put_tag(out, id, ORMA_PB_LEN);
    orma_buf_extend(out, ORMA_VARINT_REDUNDANT);
    return out->len;
}

void orma_result_close(struct orma_buf *out, size_t opened)
{
    if (out->failed)
        return;
    size_t len = out->len - opened;
    uint8_t *size = out->data + opened - ORMA_VARINT_REDUNDANT;

    if (len < 0x80) {
        *size = (uint8_t)len;
        memmove(size + 1, out->data + opened, len);
        out->len -= ORMA_VARINT_REDUNDANT - 1;
    } else {
        orma_varint_write_redundant(size, (uint32_t)len);
    }
}

/* ---- batches ---- */

static void batch_clear(struct batch *b)
{
    orma_buf_clear(&b->cells);
    orma_buf_clear(&b->varints);
    orma_buf_clear(&b->doubles);
    orma_buf_clear(&b->blobs);
    orma_buf_clear(&b->texts);
    b->approx = BATCH_PREAMBLE;
    b->last = false;
}

static void batch_fini(struct batch *b)
{
    orma_buf_fini(&b->cells);
    orma_buf_fini(&b->varints);
    orma_buf_fini(&b->doubles);
    orma_buf_fini(&b->blobs);
    orma_buf_fini(&b->texts);
}

static bool batch_failed(const struct batch *b)
{
    return b->cells.failed || b->varints.failed || b->doubles.failed || b->blobs.failed ||
           b->texts.failed;
}

/* Each puts one value, for which there is room, and returns the kind of its cell. */

static uint8_t put_number(struct batch *b, int64_t number)
{
    uint8_t *to = b->varints.data + b->varints.len;

    b->varints.len = (size_t)(orma_varint_write(to, (uint64_t)number) - b->varints.data);
    b->approx += CELL_PREAMBLE;
    return ORMA_PB_QUERY_RESULT_CELLS_BATCH_CELL_VARINT;
}

static uint8_t put_double(struct batch *b, int64_t bits)
{
    memcpy(b->doubles.data + b->doubles.len, &bits, sizeof(bits));
    b->doubles.len += sizeof(bits);
    b->approx += sizeof(bits);
    return ORMA_PB_QUERY_RESULT_CELLS_BATCH_CELL_FLOAT64;
}

static uint8_t put_text(struct batch *b, const char *text)
{
    size_t len = text ? strlen(text) + 1 : 1; /* a zero inside would end it anyway */

    orma_buf_put(&b->texts, text ? text : "", len);
    b->approx += len + CELL_PREAMBLE;
    return ORMA_PB_QUERY_RESULT_CELLS_BATCH_CELL_STRING;
}

static uint8_t put_blob(struct batch *b, const void *data, size_t len)
{
    orma_pb_put_bytes(&b->blobs, ORMA_PB_QUERY_RESULT_CELLS_BATCH_BLOB_CELLS, data, len);
    b->approx += len + CELL_PREAMBLE;
    return ORMA_PB_QUERY_RESULT_CELLS_BATCH_CELL_BLOB;
}

/* A cell of SQLite's: one call for its value, since each getter of a column takes SQLite's lock
 * anew. Our connection is used by one thread, so the value may be read as it is. */
static uint8_t put_value(struct batch *b, sqlite3_value *value)
{
    const void *data;
    double number;
    int64_t bits;

    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
        return put_number(b, sqlite3_value_int64(value));
    case SQLITE_FLOAT:
        number = sqlite3_value_double(value);
        memcpy(&bits, &number, sizeof(bits));
        return put_double(b, bits);
    case SQLITE_TEXT:
        return put_text(b, (const char *)sqlite3_value_text(value));
    case SQLITE_BLOB:
        data = sqlite3_value_blob(value);
        return put_blob(b, data, (size_t)sqlite3_value_bytes(value));
    }
    return ORMA_PB_QUERY_RESULT_CELLS_BATCH_CELL_NULL;
}

static inline bool has_room(struct orma_buf *buf, size_t n)
{
    return ORMA_LIKELY(buf->cap - buf->len >= n && !buf->failed) || orma_buf_reserve(buf, n);
}

/* One look at memory for all of them, but for texts. False: there is none. */
static bool has_room_for(struct batch *b, size_t cells)
{
    return has_room(&b->cells, cells) && has_room(&b->varints, cells * ORMA_VARINT_MAX) &&
           has_room(&b->doubles, cells * sizeof(double));
}

static inline bool is_full(size_t approx, size_t cells, unsigned columns)
{
    return approx > BATCH_BYTES || cells + columns > CELLS_MAX;
}

/* So many rows at once: room is made for all of them. */
#define ROWS_AT_ONCE 64u

/* A text of the pool; how many bytes it takes. */
static inline size_t put_pooled(struct batch *b, const struct orma_strpool *pool, uint32_t id)
{
    struct orma_str s = orma_strpool_get(pool, id);

    if (ORMA_UNLIKELY(!s.data))
        s = ORMA_STR("");
    else if (ORMA_UNLIKELY(!orma_strpool_is_plain(pool, id)))
        s.len = strlen(s.data); /* a zero inside would end it anyway */
    if (has_room(&b->texts, s.len + 1)) {
        memcpy(b->texts.data + b->texts.len, s.data, s.len + 1);
        b->texts.len += s.len + 1;
    }
    return s.len + 1;
}

/* Puts rows that lie in columns, until the batch is full. Returns how many; 0: memory is out. */
static uint32_t put_rows(struct batch *b, const struct orma_query_row *row, unsigned columns)
{
    const uint32_t num = ORMA_MIN(row->left, ROWS_AT_ONCE);
    const unsigned known = ORMA_MIN(columns, row->columns_num);
    uint32_t done = 0;

    if (!has_room_for(b, (size_t)num * columns))
        return 0;
    /* Whatever is written might be a length, if these were not here. */
    uint8_t *cells = b->cells.data + b->cells.len, *varints = b->varints.data + b->varints.len,
            *doubles = b->doubles.data + b->doubles.len;
    size_t approx = b->approx;
    for (; done < num && !is_full(approx, (size_t)(cells - b->cells.data), columns); done++) {
        const uint32_t at = row->at + done;

        memset(cells, ORMA_PB_QUERY_RESULT_CELLS_BATCH_CELL_NULL, columns);
        for (unsigned col = 0; col < known; col++) {
            const struct orma_exec_column *c = &row->columns[col];
            const int64_t val = c->vals[at];

            switch (c->types ? c->types[at] : c->type) {
            case ORMA_EXEC_TYPE_INT:
                cells[col] = ORMA_PB_QUERY_RESULT_CELLS_BATCH_CELL_VARINT;
                varints = orma_varint_write(varints, (uint64_t)val);
                approx += CELL_PREAMBLE;
                break;
            case ORMA_EXEC_TYPE_REAL:
                cells[col] = ORMA_PB_QUERY_RESULT_CELLS_BATCH_CELL_FLOAT64;
                memcpy(doubles, &val, sizeof(val));
                doubles += sizeof(val);
                approx += sizeof(val);
                break;
            case ORMA_EXEC_TYPE_TEXT:
                cells[col] = ORMA_PB_QUERY_RESULT_CELLS_BATCH_CELL_STRING;
                approx += put_pooled(b, row->pool, (uint32_t)val) + CELL_PREAMBLE;
                break;
            }
        }
        cells += columns;
    }
    b->cells.len = (size_t)(cells - b->cells.data);
    b->varints.len = (size_t)(varints - b->varints.data);
    b->doubles.len = (size_t)(doubles - b->doubles.data);
    b->approx = approx;
    return done;
}

/* The row that SQLite has. False: memory is out. */
static bool put_row(struct batch *b, sqlite3_stmt *stmt, unsigned columns)
{
    if (!has_room_for(b, columns))
        return false;
    uint8_t *kind = b->cells.data + b->cells.len;
    b->cells.len += columns;
    for (unsigned col = 0; col < columns; col++)
        kind[col] = put_value(b, sqlite3_column_value(stmt, (int)col));
    return true;
}

/* Takes rows until the batch is full or there are none. False: the query failed. */
static bool batch_fill(struct run *run)
{
    struct batch *b = &run->batch;
    unsigned columns = orma_query_columns(run->query);

    batch_clear(b);
    while (run->row && !is_full(b->approx, b->cells.len, columns)) {
        const struct orma_query_row row = orma_query_row(run->query);
        const uint32_t put = row.stmt ? put_row(b, row.stmt, columns) : put_rows(b, &row, columns);

        if (!put)
            break; /* out of memory: the batch says so */
        orma_query_skip(run->query, put - 1);
        int r = orma_query_step(run->query);
        run->row = r == 1;
        if (r < 0)
            return false;
    }
    if (run->row && columns > CELLS_MAX)
        run->row = false; /* no row fits: SQLite has a lower limit of columns */
    b->last = !run->row;
    return true;
}

/* Doubles begin at a multiple of eight bytes of the whole output. */
static void put_padding(struct orma_result_out *o, size_t len)
{
    struct orma_buf *out = &o->buf;
    size_t at = o->base + out->len + 1 + orma_varint_size(len); /* of the payload */
    size_t pad = (8 - at % 8) % 8;

    if (pad == 1)
        pad = 9;
    if (pad < 2)
        return;
    orma_buf_put_byte(out, PADDING_FIELD << 3);
    for (size_t i = 0; i < pad - 2; i++)
        orma_buf_put_byte(out, 0x80);
    orma_buf_put_byte(out, 0);
}

static void put_doubles(struct orma_result_out *out, const struct orma_buf *doubles)
{
    put_padding(out, doubles->len);
    orma_pb_put_bytes(&out->buf, ORMA_PB_QUERY_RESULT_CELLS_BATCH_FLOAT64_CELLS, doubles->data,
                      doubles->len);
}

static void put_batch(struct orma_result_out *o, const struct batch *b)
{
    struct orma_buf *out = &o->buf;
    size_t open = orma_result_open(out, ORMA_PB_QUERY_RESULT_BATCH);

    size_t texts = orma_result_open(out, ORMA_PB_QUERY_RESULT_CELLS_BATCH_STRING_CELLS);
    orma_buf_put(out, b->texts.data, b->texts.len);
    orma_result_close(out, texts);
    if (b->cells.len)
        orma_pb_put_bytes(out, ORMA_PB_QUERY_RESULT_CELLS_BATCH_CELLS, b->cells.data, b->cells.len);
    if (b->varints.len)
        orma_pb_put_bytes(out, ORMA_PB_QUERY_RESULT_CELLS_BATCH_VARINT_CELLS, b->varints.data,
                          b->varints.len);
    if (b->doubles.len)
        put_doubles(o, &b->doubles);
    if (b->blobs.len)
        orma_buf_put(out, b->blobs.data, b->blobs.len);
    if (b->last)
        orma_pb_put_u64(out, ORMA_PB_QUERY_RESULT_CELLS_BATCH_IS_LAST_BATCH, 1);
    orma_result_close(out, open);
}

/* ---- messages ---- */

static void put_head(struct run *run)
{
    struct orma_buf *out = &run->out->buf;
    unsigned columns = run->query ? orma_query_columns(run->query) : 0;

    for (unsigned i = 0; i < columns && orma_query_has_columns(run->query); i++)
        orma_pb_put_cstr(out, ORMA_PB_QUERY_RESULT_COLUMN_NAMES,
                         orma_query_column_name(run->query, i));
    orma_pb_put_u64(out, ORMA_PB_QUERY_RESULT_STATEMENT_COUNT, run->statements);
    orma_pb_put_u64(out, ORMA_PB_QUERY_RESULT_STATEMENT_WITH_OUTPUT_COUNT, run->with_rows);
    orma_pb_put_str(out, ORMA_PB_QUERY_RESULT_LAST_STATEMENT_SQL,
                    run->query ? orma_query_sql(run->query) : ORMA_STR(""));
    run->head_sent = true;
}

/* One message with the batch; false: nobody listens, or it cannot be told. */
static bool send_batch(struct run *run)
{
    struct orma_result_out *out = run->out;
    uint64_t ns = orma_clock_monotonic() - run->start_ns;
    bool with_head = !run->head_sent;

    orma_buf_clear(&out->buf);
    out->begin(out);
    if (with_head)
        put_head(run);
    put_batch(out, &run->batch);
    if (run->error)
        orma_pb_put_cstr(&out->buf, ORMA_PB_QUERY_RESULT_ERROR, run->error);
    orma_pb_put_double(&out->buf, ORMA_PB_QUERY_RESULT_ELAPSED_TIME_MS, (double)ns / 1e6);
    if (!out->buf.failed && out->buf.len <= ORMA_RESULT_MAX && !batch_failed(&run->batch))
        return out->end(out);
    if (run->error) /* not even that */
        return false;
    run->error = "a row is larger than the largest message";
    run->head_sent = !with_head;
    batch_fini(&run->batch);
    orma_buf_fini(&out->buf);
    batch_clear(&run->batch);
    run->batch.last = true;
    (void)send_batch(run); /* the last message in any case */
    return false;
}

static void send_error(struct run *run, const char *error)
{
    run->error = error;
    batch_clear(&run->batch);
    run->batch.last = true;
    (void)send_batch(run); /* the last message in any case */
}

static void send_rows(struct run *run)
{
    bool go_on = true;

    while (go_on) {
        if (!batch_fill(run)) {
            run->batch.last = true;
            run->error = orma_processor_error(run->tp);
            (void)send_batch(run); /* the last message in any case */
            return;
        }
        go_on = send_batch(run) && !run->batch.last;
    }
}

/* ---- statements ---- */

/* The next statement is run up to its first row. 1, 0 at the end, negative. */
static int next_statement(struct run *run, struct orma_script_run *script)
{
    int r;

    orma_query_free(run->query);
    run->query = NULL;
    run->row = false;
    r = orma_script_step(script, &run->query);
    if (r <= 0)
        return r;
    r = orma_query_step(run->query);
    if (r < 0)
        return r;
    run->row = r == 1;
    run->statements++;
    run->with_rows += run->row;
    return 1;
}

/* To the end, of a statement whose rows nobody asked for. */
static int drain(struct run *run)
{
    int r = run->row;

    while (r == 1)
        r = orma_query_step(run->query);
    return r;
}

static int run_all(struct run *run, struct orma_script_run *script)
{
    int r;

    while ((r = next_statement(run, script)) == 1) {
        if (orma_script_at_end(script))
            return 1;
        r = drain(run);
        if (r < 0)
            return r;
    }
    return r;
}

/* A failure takes back what was counted: nothing of it is to be seen. */
static void send_failure(struct run *run, const char *error)
{
    orma_query_free(run->query);
    run->query = NULL;
    run->statements = run->with_rows = 0;
    send_error(run, error);
}

static void init(struct run *run, struct orma_processor *tp, struct orma_result_out *out)
{
    *run = (struct run){.tp = tp, .out = out, .start_ns = orma_clock_monotonic()};
    batch_clear(&run->batch);
}

static void fini(struct run *run)
{
    orma_query_free(run->query);
    batch_fini(&run->batch);
}

void orma_result_query(struct orma_processor *tp, struct orma_str sql, struct orma_result_out *out)
{
    struct orma_script_run *script;
    struct run run;
    int r;

    init(&run, tp, out);
    r = orma_script_open(tp, sql.data ? sql.data : "", sql.len, NULL, &script);
    if (r == 0) {
        r = run_all(&run, script);
        if (r > 0)
            send_rows(&run);
        else
            send_failure(&run, r < 0 ? orma_processor_error(tp) : "No valid SQL to run");
        orma_query_free(run.query);
        run.query = NULL;
        orma_script_close(script);
    } else {
        send_failure(&run, orma_processor_error(tp));
    }
    fini(&run);
}

/* The batch that says "nothing": not even an empty list of texts. */
static void send_nothing(struct orma_result_out *out, const char *error)
{
    orma_buf_clear(&out->buf);
    out->begin(out);
    if (error)
        orma_pb_put_cstr(&out->buf, ORMA_PB_QUERY_RESULT_ERROR, error);
    size_t open = orma_result_open(&out->buf, ORMA_PB_QUERY_RESULT_BATCH);
    orma_pb_put_u64(&out->buf, ORMA_PB_QUERY_RESULT_CELLS_BATCH_IS_LAST_BATCH, 1);
    orma_result_close(&out->buf, open);
    (void)out->end(out); /* the last message in any case */
}

void orma_result_refuse(struct orma_result_out *out, const char *error)
{
    orma_buf_clear(&out->buf);
    out->begin(out);
    orma_pb_put_cstr(&out->buf, ORMA_PB_QUERY_RESULT_ERROR, error);
    (void)out->end(out); /* the last message in any case */
}

void orma_result_statement(struct orma_processor *tp, struct orma_str sql, uint64_t start,
                           struct orma_result_out *out, uint64_t *ret_tail, bool *ret_executed)
{
    struct orma_script_run *script;
    struct run run;
    int r;

    *ret_tail = 0;
    *ret_executed = false;
    if (start > sql.len) {
        send_nothing(out, "StatementArgs.start_offset out of range");
        return;
    }
    *ret_tail = sql.len;
    struct orma_str rest = {sql.data + start, sql.len - start};
    init(&run, tp, out);
    r = orma_script_open(tp, rest.data, rest.len, NULL, &script);
    if (r == 0 && orma_script_at_end(script)) {
        send_nothing(out, NULL);
        orma_script_close(script);
    } else if (r == 0) {
        r = next_statement(&run, script);
        *ret_tail = start + orma_script_offset(script);
        *ret_executed = r > 0;
        if (r > 0)
            send_rows(&run);
        else
            send_failure(&run, r < 0 ? orma_processor_error(tp) : NULL);
        orma_query_free(run.query);
        run.query = NULL;
        orma_script_close(script);
    } else {
        send_failure(&run, orma_processor_error(tp));
    }
    fini(&run);
}
