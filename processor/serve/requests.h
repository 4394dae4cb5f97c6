/*
 * What can be asked of a server, as jobs: the paths of HTTP, and streams of the RPC.
 */
#ifndef ORMA_PROCESSOR_SERVE_REQUESTS_H
#define ORMA_PROCESSOR_SERVE_REQUESTS_H
#include "processor/serve/http_request.h"
#include "processor/serve/jobs.h"

/* A job for the request of this path; its input is not set yet. NULL: no such path, or memory. */
struct orma_job *orma_request_job(struct orma_str path);

/* Jobs whose body is a piece of the stream of the RPC: the answers are frames of WebSocket... */
void orma_request_run_websocket(struct orma_job *job, struct orma_rpc *rpc);
/* ...or the stream as it is. */
void orma_request_run_raw(struct orma_job *job, struct orma_rpc *rpc);
#endif
