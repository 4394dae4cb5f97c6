/*
 * Each path of HTTP is a row with the function that runs as a job on the worker's thread. A job
 * writes the head of its answer, then either one body of known length or chunks, one per message
 * of the RPC, so that a client sees the first rows while the query still runs. When the client has
 * left, sending fails, and the query is interrupted by whoever cancelled the job.
 */
#include "processor/serve/requests.h"

#include <errno.h>
#include <stdio.h>

#include "processor/serve/http_reply.h"
#include "processor/serve/websocket.h"
#include "protos/fields/trace_processor.h"

/* ---- sending ---- */

static bool send_buf(struct orma_job *job, struct orma_buf *out)
{
    bool good = !out->failed && orma_job_send(job, out->data, out->len);

    orma_buf_fini(out);
    return good;
}

static void reply(struct orma_job *job, const char *status, struct orma_str body)
{
    struct orma_buf out = {0};

    orma_http_reply(&out, status, ORMA_HTTP_PROTO_HEADERS, body, orma_buf_str(&job->origin),
                    job->close_after);
    if (!send_buf(job, &out))
        job->cut = true;
}

static void begin_chunks(struct orma_job *job)
{
    struct orma_buf out = {0};

    orma_http_reply_chunks(&out, orma_buf_str(&job->origin), job->close_after);
    (void)send_buf(job, &out); /* the next one fails, too */
}

static bool send_chunk(void *ctx, const void *data, size_t len)
{
    struct orma_job *job = ctx;
    char head[24];
    int n = snprintf(head, sizeof(head), "%zx\r\n", len);

    if (!len) /* that would be the end */
        return true;
    return orma_job_send_parts(
        job, (const struct orma_str[]){{head, (size_t)n}, {data, len}, {"\r\n", 2}}, 3);
}

static void end_chunks(struct orma_job *job)
{
    if (!orma_job_send(job, "0\r\n\r\n", 5))
        job->cut = true;
}

/* In one: the answer to a ping may stand between frames only. */
static bool send_frame(void *ctx, const void *data, size_t len)
{
    uint8_t head[10];
    size_t n = orma_ws_head(ORMA_WS_DATA, len, head);

    return orma_job_send_parts(ctx, (const struct orma_str[]){{(const char *)head, n}, {data, len}},
                               2);
}

static bool send_raw(void *ctx, const void *data, size_t len)
{
    return orma_job_send(ctx, data, len);
}

/* ---- what the jobs do ---- */

void orma_request_run_websocket(struct orma_job *job, struct orma_rpc *rpc)
{
    job->close_after |=
        !orma_rpc_feed(rpc, &job->stream, job->body.data, job->body.len, send_frame, job);
}

void orma_request_run_raw(struct orma_job *job, struct orma_rpc *rpc)
{
    job->close_after |=
        !orma_rpc_feed(rpc, &job->stream, job->body.data, job->body.len, send_raw, job);
}

/* The head says already that the connection goes on; that it ends then is seen by the client. */
static void run_rpc(struct orma_job *job, struct orma_rpc *rpc)
{
    begin_chunks(job);
    job->close_after |=
        !orma_rpc_feed_body(rpc, job->body.data, job->body.len, send_chunk, job);
    end_chunks(job);
}

static void run_query(struct orma_job *job, struct orma_rpc *rpc)
{
    begin_chunks(job);
    orma_rpc_query(rpc, job->body, send_chunk, job);
    end_chunks(job);
}

/* An export on its way: the head is sent with the first piece. */
struct export
{
    struct orma_job *job;
    bool begun;
};

static bool send_export(void *ctx, const void *data, size_t len, bool more)
{
    struct export *export = ctx;

    (void)more; /* the chunks tell */
    if (!export->begun)
        begin_chunks(export->job);
    export->begun = true;
    return send_chunk(export->job, data, len);
}

static void run_export(struct orma_job *job, struct orma_rpc *rpc)
{
    struct export export = {.job = job};
    struct orma_buf error = {0};
    int r = orma_rpc_export(rpc, job->body, send_export, &export, &error);

    if (r == 0) {
        end_chunks(job);
    } else if (export.begun) {
        job->cut = true; /* a body that is truncated says it */
    } else {
        job->close_after = true;
        reply(job, r == -ENOTSUP ? "501 Not Implemented" : "400 Bad Request", orma_buf_str(&error));
    }
    orma_buf_fini(&error);
}

/* Calls that give one message... */
static void run_call(struct orma_job *job, struct orma_rpc *rpc)
{
    struct orma_buf out = {0};

    (void)orma_rpc_call(rpc, job->method, job->body, &out); /* all are known */
    reply(job, "200 OK", orma_buf_str(&out));
    orma_buf_fini(&out);
}

/* ...or an answer without a body. */
static void run_silent_call(struct orma_job *job, struct orma_rpc *rpc)
{
    struct orma_buf out = {0};

    (void)orma_rpc_call(rpc, job->method, job->body, &out); /* likewise */
    reply(job, "200 OK", ORMA_STR(""));
    orma_buf_fini(&out);
}

static const struct {
    const char *path;
    void (*run)(struct orma_job *job, struct orma_rpc *rpc);
    uint32_t method;
} requests[] = {
    {"/rpc", run_rpc, 0},
    {"/query", run_query, 0},
    {"/export", run_export, 0},
    {"/parse", run_call, ORMA_PB_TRACE_PROCESSOR_RPC_TPM_APPEND_TRACE_DATA},
    {"/notify_eof", run_call, ORMA_PB_TRACE_PROCESSOR_RPC_TPM_FINALIZE_TRACE_DATA},
    {"/restore_initial_tables", run_silent_call,
     ORMA_PB_TRACE_PROCESSOR_RPC_TPM_RESTORE_INITIAL_TABLES},
    {"/compute_metric", run_call, ORMA_PB_TRACE_PROCESSOR_RPC_TPM_COMPUTE_METRIC},
    {"/trace_summary", run_call, ORMA_PB_TRACE_PROCESSOR_RPC_TPM_SUMMARIZE_TRACE},
    {"/enable_metatrace", run_silent_call, ORMA_PB_TRACE_PROCESSOR_RPC_TPM_ENABLE_METATRACE},
    {"/disable_and_read_metatrace", run_call,
     ORMA_PB_TRACE_PROCESSOR_RPC_TPM_DISABLE_AND_READ_METATRACE},
};

struct orma_job *orma_request_job(struct orma_str path)
{
    for (size_t i = 0; i < ORMA_ARRAY_LEN(requests); i++) {
        if (!orma_str_eq_c(path, requests[i].path))
            continue;
        struct orma_job *job = orma_job_new(requests[i].run);
        if (job)
            job->method = requests[i].method;
        return job;
    }
    return NULL;
}
