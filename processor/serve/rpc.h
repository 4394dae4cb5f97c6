/*
 * The processor behind the RPC that browsers and Python clients speak: a stream
 * of requests in, a stream of responses out, whatever carries them (a socket, a
 * pipe, HTTP). No transport and no loop here.
 *
 * The trace and the counters belong to this object, not to a connection: one client at
 * a time makes sense. The bytes of a half received request are the stream's: whoever
 * leaves in the middle of one takes them along.
 *
 * Stream: field 1, length, TraceProcessorRpc; again and again. Requests carry a
 * sequence number; a gap is fatal for the connection. One thread at a time, but for
 * orma_rpc_interrupt().
 */
#ifndef ORMA_PROCESSOR_SERVE_RPC_H
#define ORMA_PROCESSOR_SERVE_RPC_H
#include "processor/export/archive.h"
#include "processor/export/arrow_tar.h"
#include "processor/export/sqlite.h"
#include "processor/processor.h"
#include "sdk/base/buf.h"
#include "sdk/base/str.h"

#define ORMA_RPC_REQUEST_MAX ((size_t)64 << 20)
#define ORMA_RPC_API_VERSION 14

struct orma_rpc;

/* `config` (may be NULL) is that of every processor made here. 0 or -errno. */
int orma_rpc_new(const struct orma_processor_config *config, struct orma_rpc **ret);
void orma_rpc_free(struct orma_rpc *self);

/*
 * What every processor for a further trace is given before it (packages of SQL). Other than 0: it
 * failed, and the old trace stays. The first processor is left to the caller.
 */
typedef int orma_rpc_prepare_fn(void *ctx, struct orma_processor *tp);
void orma_rpc_set_prepare(struct orma_rpc *self, orma_rpc_prepare_fn *prepare, void *ctx);

/* The processor of the moment: another one after the next trace. */
struct orma_processor *orma_rpc_processor(struct orma_rpc *self);

/* The caller has loaded a trace into orma_rpc_processor(), of this path. -ENOMEM. */
int orma_rpc_set_loaded(struct orma_rpc *self, const char *path);

/* Takes bytes that are to be sent; false: nobody reads them any more. */
typedef bool orma_rpc_send_fn(void *ctx, const void *data, size_t len);

/* Requests that one client sends one after the other. Zero-initialised is a new one. */
struct orma_rpc_stream {
    struct orma_buf in; /* an unfinished request */
    bool failed;        /* it made no sense: nothing after that does */
};

void orma_rpc_stream_fini(struct orma_rpc_stream *self);

/*
 * Bytes of a request stream, cut anywhere. Each response is one call of `send`. False: the
 * connection is to be closed after what was sent.
 */
bool orma_rpc_feed(struct orma_rpc *self, struct orma_rpc_stream *stream, const void *data,
                   size_t len, orma_rpc_send_fn *send, void *ctx);

/*
 * The same for the body of an HTTP request. A body may end in the middle of a message, and another
 * one go on, by whatever connection, as in the reference; a body of whole messages is never taken
 * for the end of another, so that no client spoils what others ask.
 */
bool orma_rpc_feed_body(struct orma_rpc *self, const void *data, size_t len, orma_rpc_send_fn *send,
                        void *ctx);

/* Stops the query that runs in another thread; loading goes on. Without effect if none runs. */
void orma_rpc_interrupt(struct orma_rpc *self);

/* ---- single calls, for HTTP; results are appended to `out` ---- */

void orma_rpc_status(struct orma_rpc *self, struct orma_buf *out);
void orma_rpc_parse(struct orma_rpc *self, struct orma_str data, struct orma_buf *out);
void orma_rpc_restore(struct orma_rpc *self);
/* QueryArgs; each QueryResult is one call of `send`. */
void orma_rpc_query(struct orma_rpc *self, struct orma_str args, orma_rpc_send_fn *send, void *ctx);

/* ExportArgs; the file in pieces. Negative: nothing was handed over yet, or it is truncated. */
int orma_rpc_export(struct orma_rpc *self, struct orma_str args, orma_export_piece_fn *fn,
                    void *ctx, struct orma_buf *error);

/* One of the calls that give one result: its method's number, its arguments. False: unknown. */
bool orma_rpc_call(struct orma_rpc *self, uint32_t method, struct orma_str args,
                   struct orma_buf *out);
#endif
