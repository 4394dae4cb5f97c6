/*
 * Frames are cut from the stream and dispatched by method (one switch). An answer is one or more
 * frames, begun with its head and closed when its length is known: lengths have a fixed, redundant
 * form, so bodies are written in place and sent without a copy. Sequence numbers of requests are
 * checked per stream; those of responses count for all.
 */
#include "processor/serve/rpc.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "processor/api/processor_impl.h"
#include "processor/api/result.h"
#include "processor/metrics/metrics.h"
#include "processor/serve/metatrace.h"
#include "processor/serve/rpc_calls.h"
#include "protos/fields/trace_processor.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

#define VERSION_NAME "v58.2-orma-" ORMA_VERSION

/* Of a message in several HTTP requests; longer ones come whole. */
#define HALF_MAX ((size_t)1 << 20)

struct orma_rpc {
    struct orma_processor_config config;
    orma_rpc_prepare_fn *prepare; /* may be NULL */
    void *prepare_ctx;
    struct orma_processor *tp;
    bool finished; /* the trace is complete: more data begin a new one */
    bool got_data;
    char *broken; /* why the trace could not be read; NULL: it could */
    char *trace_name;
    pthread_mutex_t tp_lock;     /* whoever interrupts reads `tp` from another thread */
    struct orma_rpc_stream half; /* of a message whose begin an HTTP request brought */
    uint64_t last_request, responses;
    struct orma_metatrace metatrace;
    struct orma_summarizers *summarizers; /* of `tp`; NULL: none was made yet */
};

static void forget_summarizers(struct orma_rpc *self)
{
    orma_summarizers_free(self->summarizers);
    self->summarizers = NULL;
}

int orma_rpc_new(const struct orma_processor_config *config, struct orma_rpc **ret)
{
    struct orma_rpc *self = calloc(1, sizeof(*self));
    int r = self ? 0 : -ENOMEM;

    if (r == 0) {
        pthread_mutex_init(&self->tp_lock, NULL);
        self->config.size = sizeof(self->config);
        if (config)
            self->config = *config;
        r = orma_processor_new(&self->config, &self->tp);
    }
    if (r < 0)
        orma_rpc_free(self);
    else
        *ret = self;
    return r;
}

void orma_rpc_free(struct orma_rpc *self)
{
    if (!self)
        return;
    forget_summarizers(self);
    orma_processor_free(self->tp);
    orma_rpc_stream_fini(&self->half);
    orma_metatrace_fini(&self->metatrace);
    pthread_mutex_destroy(&self->tp_lock);
    free(self->trace_name);
    free(self->broken);
    free(self);
}

void orma_rpc_stream_fini(struct orma_rpc_stream *self)
{
    orma_buf_fini(&self->in);
}

void orma_rpc_interrupt(struct orma_rpc *self)
{
    pthread_mutex_lock(&self->tp_lock);
    orma_sql_interrupt(orma_processor_sql(self->tp));
    pthread_mutex_unlock(&self->tp_lock);
}

void orma_rpc_set_prepare(struct orma_rpc *self, orma_rpc_prepare_fn *prepare, void *ctx)
{
    self->prepare = prepare;
    self->prepare_ctx = ctx;
}

struct orma_processor *orma_rpc_processor(struct orma_rpc *self)
{
    return self->tp;
}

static void set_name(struct orma_rpc *self, const char *name)
{
    struct orma_buf text = {0};

    orma_buf_printf(&text, "%s (%" PRIu64 " MB)", name, orma_processor_size(self->tp) >> 20);
    free(self->trace_name);
    self->trace_name = orma_str_dup(orma_buf_str(&text)); /* NULL: nameless */
    orma_buf_fini(&text);
}

/* The last two parts of a path. */
static const char *short_path(const char *path)
{
    const char *at = path + strlen(path);

    for (int slashes = 0; at > path; at--) {
        if (at[-1] == '/' && ++slashes == 2)
            break;
    }
    return at;
}

int orma_rpc_set_loaded(struct orma_rpc *self, const char *path)
{
    self->finished = self->got_data = true;
    set_name(self, short_path(path));
    return self->trace_name ? 0 : -ENOMEM;
}

/* ---- what the methods do ---- */

/* A processor without a trace. The old one stays if there is none to be had. */
static int start_anew(struct orma_rpc *self)
{
    struct orma_processor *tp;
    int r = orma_processor_new(&self->config, &tp);

    if (r < 0)
        return r;
    if (self->prepare && self->prepare(self->prepare_ctx, tp)) {
        orma_processor_free(tp);
        return -EIO;
    }
    forget_summarizers(self);
    pthread_mutex_lock(&self->tp_lock);
    struct orma_processor *old = self->tp;
    self->tp = tp;
    pthread_mutex_unlock(&self->tp_lock);
    orma_processor_free(old);
    self->finished = self->got_data = false;
    free(self->trace_name);
    free(self->broken);
    self->trace_name = self->broken = NULL;
    return 0;
}

void orma_rpc_status(struct orma_rpc *self, struct orma_buf *out)
{
    orma_pb_put_cstr(out, ORMA_PB_STATUS_RESULT_LOADED_TRACE_NAME,
                     self->trace_name ? self->trace_name : "");
    orma_pb_put_cstr(out, ORMA_PB_STATUS_RESULT_HUMAN_READABLE_VERSION,
                     "Perfetto " VERSION_NAME " (orma " ORMA_VERSION ")");
    orma_pb_put_u64(out, ORMA_PB_STATUS_RESULT_API_VERSION, ORMA_RPC_API_VERSION);
    /* No version_code: whoever reads one looks for a viewer of exactly that version. */
}

void orma_rpc_parse(struct orma_rpc *self, struct orma_str data, struct orma_buf *out)
{
    int r = self->finished ? start_anew(self) : 0;

    if (r == 0 && data.len) {
        self->got_data = true;
        r = orma_processor_feed(self->tp, data.data, data.len);
    }
    if (r < 0) {
        const char *error = orma_processor_error(self->tp);

        orma_pb_put_cstr(out, ORMA_PB_APPEND_TRACE_DATA_RESULT_ERROR,
                         *error ? error : strerror(-r));
    }
}

/* NULL, or what went wrong. */
static const char *finalize(struct orma_rpc *self)
{
    if (!self->finished) {
        self->finished = true;
        if (orma_processor_finish(self->tp) < 0)
            self->broken = strdup(orma_processor_error(self->tp));
        set_name(self, "Unnamed trace");
    }
    return self->broken;
}

void orma_rpc_restore(struct orma_rpc *self)
{
    forget_summarizers(self);
    (void)orma_processor_restore(
        self->tp); /* HTTP has no place for an error; queries will show it */
}

static void reset(struct orma_rpc *self, struct orma_str args)
{
    struct orma_pb_reader r = orma_pb_reader(args.data, args.len);
    struct orma_pb_field f;

    self->config = (struct orma_processor_config){
        .size = sizeof(self->config),
        .query_timeout_ms = self->config.query_timeout_ms, /* the server's, not the client's */
        .memory_limit_bytes = self->config.memory_limit_bytes,
        .threads = self->config.threads,
        .one_thread = self->config.one_thread,
        .sql_file_access = self->config.sql_file_access};
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_RESET_TRACE_PROCESSOR_ARGS_DROP_TRACK_EVENT_DATA_BEFORE:
            self->config.crop_track_events =
                orma_pb_u64(&f) == ORMA_PB_RESET_TRACE_PROCESSOR_ARGS_TRACK_EVENT_RANGE_OF_INTEREST;
            break;
        case ORMA_PB_RESET_TRACE_PROCESSOR_ARGS_INGEST_FTRACE_IN_RAW_TABLE:
            self->config.no_ftrace_raw = !orma_pb_bool(&f);
            break;
        case ORMA_PB_RESET_TRACE_PROCESSOR_ARGS_ANALYZE_TRACE_PROTO_CONTENT:
            self->config.analyze_content = orma_pb_bool(&f);
            break;
        case ORMA_PB_RESET_TRACE_PROCESSOR_ARGS_SORTING_MODE:
            self->config.full_sort =
                orma_pb_u64(&f) == ORMA_PB_RESET_TRACE_PROCESSOR_ARGS_FORCE_FULL_SORT;
            break;
        }
    }
    (void)start_anew(self); /* if it fails, the old trace stays */
}

/* ---- methods with one result ---- */

/* The field of the response that the result of a method goes to; 0: none, or unknown. */
static uint32_t result_field(uint32_t method)
{
    switch (method) {
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_APPEND_TRACE_DATA:
        return ORMA_PB_TRACE_PROCESSOR_RPC_APPEND_RESULT;
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_FINALIZE_TRACE_DATA:
        return ORMA_PB_TRACE_PROCESSOR_RPC_FINALIZE_DATA_RESULT;
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_SUMMARIZE_TRACE:
        return ORMA_PB_TRACE_PROCESSOR_RPC_TRACE_SUMMARY_RESULT;
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_COMPUTE_METRIC:
        return ORMA_PB_TRACE_PROCESSOR_RPC_METRIC_RESULT;
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_GET_METRIC_DESCRIPTORS:
        return ORMA_PB_TRACE_PROCESSOR_RPC_METRIC_DESCRIPTORS;
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_GET_STATUS:
        return ORMA_PB_TRACE_PROCESSOR_RPC_STATUS;
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_REGISTER_SQL_PACKAGE:
        return ORMA_PB_TRACE_PROCESSOR_RPC_REGISTER_SQL_PACKAGE_RESULT;
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_DISABLE_AND_READ_METATRACE:
        return ORMA_PB_TRACE_PROCESSOR_RPC_METATRACE;
    }
    return orma_rpc_summarizer_result(method);
}

/* What a metatrace calls it; NULL: it takes no time. */
static const char *name_of(uint32_t method)
{
    switch (method) {
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_APPEND_TRACE_DATA:
        return "PARSE";
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_FINALIZE_TRACE_DATA:
        return "NOTIFY_END_OF_FILE";
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_SUMMARIZE_TRACE:
        return "SUMMARIZE";
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_COMPUTE_METRIC:
        return "COMPUTE_METRIC";
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_RESTORE_INITIAL_TABLES:
        return "RESTORE_INITIAL_TABLES";
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_UPDATE_SUMMARIZER_SPEC:
        return "UPDATE_SUMMARIZER_SPEC";
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_QUERY_SUMMARIZER:
        return "QUERY_SUMMARIZER";
    }
    return NULL;
}

static bool carry_out(struct orma_rpc *self, uint32_t method, struct orma_str args,
                      struct orma_buf *out)
{
    const char *error;

    switch (method) {
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_APPEND_TRACE_DATA:
        orma_rpc_parse(self, args, out);
        return true;
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_FINALIZE_TRACE_DATA:
        error = finalize(self);
        if (error)
            orma_pb_put_cstr(out, ORMA_PB_FINALIZE_DATA_RESULT_ERROR, error);
        return true;
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_SUMMARIZE_TRACE:
        orma_rpc_summarize(self->tp, args, out);
        return true;
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_COMPUTE_METRIC:
        orma_rpc_compute_metrics(self->tp, args, out);
        return true;
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_GET_METRIC_DESCRIPTORS:
        orma_metrics_descriptors(orma_processor_metrics(self->tp), out);
        return true;
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_ENABLE_METATRACE:
        orma_metatrace_enable(&self->metatrace);
        return true;
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_DISABLE_AND_READ_METATRACE:
        orma_metatrace_read(&self->metatrace, out);
        return true;
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_RESTORE_INITIAL_TABLES:
        orma_rpc_restore(self);
        return true;
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_GET_STATUS:
        orma_rpc_status(self, out);
        return true;
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_RESET_TRACE_PROCESSOR:
        reset(self, args);
        return true;
    case ORMA_PB_TRACE_PROCESSOR_RPC_TPM_REGISTER_SQL_PACKAGE:
        orma_rpc_register_package(self->tp, args, out);
        return true;
    }
    return orma_rpc_summarizer(self->tp, &self->summarizers, method, args, out);
}

bool orma_rpc_call(struct orma_rpc *self, uint32_t method, struct orma_str args,
                   struct orma_buf *out)
{
    const uint64_t begin_ns = orma_metatrace_now();
    const bool known = carry_out(self, method, args, out);
    const char *name = name_of(method);

    if (name)
        orma_metatrace_put(&self->metatrace, name, begin_ns, (struct orma_str){0});
    return known;
}

int orma_rpc_export(struct orma_rpc *self, struct orma_str args, orma_export_piece_fn *fn,
                    void *ctx, struct orma_buf *error)
{
    struct orma_pb_reader r = orma_pb_reader(args.data, args.len);
    struct orma_pb_field f;
    uint64_t format = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_EXPORT_ARGS_FORMAT)
            format = orma_pb_u64(&f);
    }
    if (!format) {
        orma_buf_put_str(error, "Export format is required");
        return -EINVAL;
    }
    if (format == ORMA_PB_EXPORT_ARGS_ARROW_TAR)
        return orma_export_arrow_tar_pieces(self->tp, fn, ctx, error);
    if (format == ORMA_PB_EXPORT_ARGS_PERFETTO)
        return orma_export_archive_pieces(self->tp, fn, ctx, error);
    if (format != ORMA_PB_EXPORT_ARGS_SQLITE) {
        orma_buf_put_str(error, "unknown export format");
        return -ENOTSUP;
    }
    return orma_export_sqlite_pieces(self->tp, fn, ctx, error);
}

/* ---- responses ---- */

/* One call of a method on its way. */
struct call {
    struct orma_rpc *rpc;
    uint32_t method, args_field;
    bool has_args;
    struct orma_str args;
    orma_rpc_send_fn *send;
    void *ctx;
    size_t message, outer, inner; /* messages that are open */
    uint64_t tail;
    bool executed, tail_sent;
};

static void begin_response(struct call *call, struct orma_buf *out)
{
    call->message = orma_result_open(out, ORMA_PB_TRACE_PROCESSOR_RPC_STREAM_MSG);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PROCESSOR_RPC_SEQ, call->rpc->responses++);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PROCESSOR_RPC_RESPONSE, call->method);
}

static bool end_response(struct call *call, struct orma_buf *out)
{
    orma_result_close(out, call->message);
    return !out->failed && call->send(call->ctx, out->data, out->len);
}

static void begin_query(struct orma_result_out *out)
{
    struct call *call = out->ctx;

    begin_response(call, &out->buf);
    call->outer = orma_result_open(&out->buf, ORMA_PB_TRACE_PROCESSOR_RPC_QUERY_RESULT);
}

static bool end_query(struct orma_result_out *out)
{
    struct call *call = out->ctx;

    orma_result_close(&out->buf, call->outer);
    return end_response(call, &out->buf);
}

static void begin_statement(struct orma_result_out *out)
{
    struct call *call = out->ctx;

    begin_response(call, &out->buf);
    call->outer = orma_result_open(&out->buf, ORMA_PB_TRACE_PROCESSOR_RPC_STATEMENT_RESULT);
    if (!call->tail_sent && call->tail) {
        orma_pb_put_u64(&out->buf, ORMA_PB_STATEMENT_RESULT_TAIL_OFFSET, call->tail);
        orma_pb_put_u64(&out->buf, ORMA_PB_STATEMENT_RESULT_STATEMENT_EXECUTED, call->executed);
    }
    call->tail_sent = true;
    call->inner = orma_result_open(&out->buf, ORMA_PB_STATEMENT_RESULT_RESULT);
}

static bool end_statement(struct orma_result_out *out)
{
    struct call *call = out->ctx;

    orma_result_close(&out->buf, call->inner);
    orma_result_close(&out->buf, call->outer);
    return end_response(call, &out->buf);
}

static struct orma_str read_sql(struct orma_str args, uint64_t *ret_start)
{
    struct orma_pb_reader r = orma_pb_reader(args.data, args.len);
    struct orma_str sql = {0};
    struct orma_pb_field f;

    *ret_start = 0;
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_STATEMENT_ARGS_SQL) /* the same number in QueryArgs */
            sql = orma_pb_str(&f);
        else if (f.id == ORMA_PB_STATEMENT_ARGS_START_OFFSET)
            *ret_start = orma_pb_u64(&f);
    }
    return sql;
}

static void note_query(struct orma_rpc *self, uint64_t begin_ns, struct orma_str sql)
{
    orma_metatrace_put(&self->metatrace, "EXECUTE_QUERY", begin_ns, sql);
}

static void run_query(struct call *call)
{
    const uint64_t begin_ns = orma_metatrace_now();
    struct orma_result_out out = {.begin = begin_query, .end = end_query, .ctx = call};
    uint64_t unused;

    if (call->has_args) {
        const struct orma_str sql = read_sql(call->args, &unused);

        orma_result_query(call->rpc->tp, sql, &out);
        note_query(call->rpc, begin_ns, sql);
    } else {
        orma_result_refuse(&out, "RPC error: request field not set");
    }
    orma_buf_fini(&out.buf);
}

static void run_statement(struct call *call)
{
    const uint64_t begin_ns = orma_metatrace_now();
    struct orma_result_out out = {.begin = begin_statement, .end = end_statement, .ctx = call};
    uint64_t start;

    if (call->has_args) {
        struct orma_str sql = read_sql(call->args, &start);

        orma_result_statement(call->rpc->tp, sql, start, &out, &call->tail, &call->executed);
        note_query(call->rpc, begin_ns, sql);
    } else {
        orma_result_refuse(&out, "RPC error: request field not set");
    }
    orma_buf_fini(&out.buf);
}

static void run_plain(struct call *call)
{
    uint32_t field = result_field(call->method);
    struct orma_buf result = {0}, out = {0};
    bool known = orma_rpc_call(call->rpc, call->method, call->args, &result);

    begin_response(call, &out);
    if (!known)
        orma_pb_put_u64(&out, ORMA_PB_TRACE_PROCESSOR_RPC_INVALID_REQUEST, call->method);
    else if (field)
        orma_pb_put_bytes(&out, field, result.data, result.len);
    (void)end_response(call, &out); /* the next request finds out who has gone */
    orma_buf_fini(&result);
    orma_buf_fini(&out);
}

/* ExportResult, one of several. */
static bool send_piece(void *ctx, const void *data, size_t len, bool more)
{
    struct call *call = ctx;
    struct orma_buf out = {0};

    begin_response(call, &out);
    size_t result = orma_result_open(&out, ORMA_PB_TRACE_PROCESSOR_RPC_EXPORT_RESULT);
    orma_pb_put_bytes(&out, ORMA_PB_EXPORT_RESULT_DATA, data, len);
    if (more)
        orma_pb_put_u64(&out, ORMA_PB_EXPORT_RESULT_HAS_MORE, 1);
    orma_result_close(&out, result);
    bool good = end_response(call, &out);
    orma_buf_fini(&out);
    return good;
}

static void send_export_error(struct call *call, const char *error)
{
    struct orma_buf out = {0};

    begin_response(call, &out);
    size_t result = orma_result_open(&out, ORMA_PB_TRACE_PROCESSOR_RPC_EXPORT_RESULT);
    orma_pb_put_cstr(&out, ORMA_PB_EXPORT_RESULT_ERROR, error);
    orma_result_close(&out, result);
    (void)end_response(call, &out); /* the next request finds out who has gone */
    orma_buf_fini(&out);
}

static void run_export(struct call *call)
{
    struct orma_buf error = {0};

    if (orma_rpc_export(call->rpc, call->args, send_piece, call, &error) < 0)
        send_export_error(call, orma_buf_cstr(&error));
    orma_buf_fini(&error);
}

static void run_call(struct call *call)
{
    if (call->method == ORMA_PB_TRACE_PROCESSOR_RPC_TPM_QUERY_STREAMING)
        run_query(call);
    else if (call->method == ORMA_PB_TRACE_PROCESSOR_RPC_TPM_STATEMENT_STREAMING)
        run_statement(call);
    else if (call->method == ORMA_PB_TRACE_PROCESSOR_RPC_TPM_EXPORT)
        run_export(call);
    else
        run_plain(call);
}

/* HTTP's form of a query: messages without anything around them. */
static void begin_bare(struct orma_result_out *out)
{
    (void)out; /* nothing stands in front */
}

static bool end_bare(struct orma_result_out *out)
{
    struct call *call = out->ctx;

    out->base += out->buf.len;
    return !out->buf.failed && call->send(call->ctx, out->buf.data, out->buf.len);
}

void orma_rpc_query(struct orma_rpc *self, struct orma_str args, orma_rpc_send_fn *send, void *ctx)
{
    struct call call = {.rpc = self, .send = send, .ctx = ctx};
    struct orma_result_out out = {.begin = begin_bare, .end = end_bare, .ctx = &call};
    const uint64_t begin_ns = orma_metatrace_now();
    uint64_t unused;
    const struct orma_str sql = read_sql(args, &unused);

    /* Clients do not look at the answer to /notify_eof. */
    if (self->broken)
        orma_result_refuse(&out, self->broken);
    else
        orma_result_query(self->tp, sql, &out);
    note_query(self, begin_ns, sql);
    orma_buf_fini(&out.buf);
}

/* ---- requests ---- */

static bool fatal(const char *error, orma_rpc_send_fn *send, void *ctx)
{
    struct orma_buf out = {0};
    size_t open = orma_result_open(&out, ORMA_PB_TRACE_PROCESSOR_RPC_STREAM_MSG);

    orma_pb_put_cstr(&out, ORMA_PB_TRACE_PROCESSOR_RPC_FATAL_ERROR, error);
    orma_result_close(&out, open);
    if (!out.failed)
        (void)send(ctx, out.data, out.len); /* the connection ends in any case */
    orma_buf_fini(&out);
    return false;
}

static bool in_order(struct orma_rpc *self, uint64_t seq)
{
    bool good = seq == 0 || self->last_request == 0 || seq == self->last_request + 1;

    if (good)
        self->last_request = seq;
    return good;
}

/* A field from 101 on of length-delimited type holds the arguments; there is one. */
static bool take_request(struct orma_rpc *self, const uint8_t *data, size_t len,
                         orma_rpc_send_fn *send, void *ctx)
{
    struct call call = {.rpc = self, .send = send, .ctx = ctx};
    struct orma_pb_reader r = orma_pb_reader(data, len);
    struct orma_pb_field f;
    uint64_t seq = 0;
    char text[128];

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_PROCESSOR_RPC_SEQ) {
            seq = orma_pb_u64(&f);
        } else if (f.id == ORMA_PB_TRACE_PROCESSOR_RPC_REQUEST) {
            call.method = orma_pb_u32(&f);
        } else if (f.id > 100 && f.id < 200 && f.wire == ORMA_PB_LEN) {
            call.has_args = true;
            call.args = orma_pb_str(&f);
        }
    }
    if (!in_order(self, seq)) {
        snprintf(text, sizeof(text),
                 "RPC request out of order. Expected %" PRIu64 ", got %" PRIu64 " (ERR:rpc_seq)",
                 self->last_request + 1, seq);
        return fatal(text, send, ctx);
    }
    run_call(&call);
    return true;
}

enum frame { FRAME_WHOLE, FRAME_PART, FRAME_BAD };

/* A request at the begin of `data`, of which there is some: where its bytes are, and where the next
 * one begins. */
static enum frame next_frame(const uint8_t *data, size_t len, size_t *ret_at, size_t *ret_len)
{
    const uint8_t *at = data, *end = data + len;
    uint64_t tag = 0, size = 0;

    if (!orma_pb_varint_at(&at, end, &tag))
        return len < ORMA_VARINT_MAX ? FRAME_PART : FRAME_BAD;
    if ((tag & 7) != ORMA_PB_LEN || tag >> 3 == 0)
        return FRAME_BAD;
    size_t tag_len = (size_t)(at - data);
    if (!orma_pb_varint_at(&at, end, &size))
        return len - tag_len < ORMA_VARINT_MAX ? FRAME_PART : FRAME_BAD;
    if (size > ORMA_RPC_REQUEST_MAX)
        return FRAME_BAD;
    *ret_at = (size_t)(at - data);
    *ret_len = size;
    return size > (size_t)(end - at) ? FRAME_PART : FRAME_WHOLE;
}

bool orma_rpc_feed(struct orma_rpc *self, struct orma_rpc_stream *s, const void *data, size_t len,
                   orma_rpc_send_fn *send, void *ctx)
{
    enum frame frame = FRAME_PART;
    size_t done = 0, at = 0, size = 0;
    bool good = true;

    if (s->failed)
        return fatal("RPC framing error", send, ctx);
    orma_buf_put(&s->in, data, len);
    if (s->in.failed) {
        orma_buf_fini(&s->in);
        return fatal("out of memory", send, ctx);
    }
    while (good && done < s->in.len &&
           (frame = next_frame(s->in.data + done, s->in.len - done, &at, &size)) == FRAME_WHOLE) {
        good = take_request(self, s->in.data + done + at, size, send, ctx);
        done += at + size;
    }
    if (done == s->in.len)
        orma_buf_fini(&s->in); /* some requests are large, most are whole */
    else
        orma_buf_consume(&s->in, done);
    if (!good || frame != FRAME_BAD)
        return good;
    s->failed = true;
    return fatal("RPC framing error", send, ctx);
}

static bool is_whole(const uint8_t *data, size_t len)
{
    size_t at, size;

    for (; len; data += at + size, len -= at + size) {
        if (next_frame(data, len, &at, &size) != FRAME_WHOLE)
            return false;
    }
    return true;
}

bool orma_rpc_feed_body(struct orma_rpc *self, const void *data, size_t len, orma_rpc_send_fn *send,
                        void *ctx)
{
    struct orma_rpc_stream own = {0};

    if (self->half.in.len && !is_whole(data, len)) {
        own = self->half;
        self->half = (struct orma_rpc_stream){0};
    }
    bool good = orma_rpc_feed(self, &own, data, len, send, ctx);
    if (good && own.in.len && own.in.len <= HALF_MAX) {
        orma_rpc_stream_fini(&self->half);
        self->half = own;
        return true;
    }
    if (good && own.in.len)
        good = fatal("a request is cut: send it whole, in one body", send, ctx);
    orma_rpc_stream_fini(&own);
    return good;
}
