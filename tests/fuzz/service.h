/* A service for fuzzers: no loop of its own, clients on socket pairs. */
#ifndef ORMA_TESTS_FUZZ_SERVICE_H
#define ORMA_TESTS_FUZZ_SERVICE_H
#include "protos/fields/common.h"
#include "protos/fields/config.h"
#include "protos/fields/ipc.h"
#include "sdk/base/buf.h"
#include "traced/endpoints/consumer.h"
#include "traced/endpoints/consumer_port.h"
#include "traced/endpoints/producer_port.h"
#include "traced/internal.h"
#include "traced/producers/producer.h"
#include "traced/sessions/session.h"
#include "traced/sessions/session_make.h"

struct traced_service *fuzz_service_new(void);
/* After all clients have gone nothing of them may be left. */
void fuzz_service_free(struct traced_service *svc);

/* The other end of a connection that the service has accepted. */
int fuzz_connect(struct traced_service *svc, const struct traced_endpoint *endpoint);
/* Everything that can be done now is done; what the client is sent is thrown away. */
void fuzz_turn(struct traced_service *svc, int client);
/* Sends as far as the socket takes it. */
void fuzz_send(int client, const void *data, size_t len);
/* One request. */
void fuzz_call(int client, uint32_t method, uint64_t request, const void *args, size_t len,
               bool drop_reply);
void fuzz_bind(int client, const char *port);

/* A session of a consumer that is not connected: one ring of 64 KiB, the data source "a". */
struct traced_session *fuzz_session(struct traced_service *svc, struct traced_consumer *consumer);

/*
 * The input as requests: [method][flags][u16 length][arguments]... Flags: bit 0
 * drop_reply, bit 1 a turn of the loop behind it, bit 2 the bytes go out raw.
 */
void fuzz_requests(struct traced_service *svc, int client, const uint8_t *data, size_t size);

/* Reads everything; aborts if the buffers contradict themselves. */
void fuzz_read_all(struct traced_session *session);
#endif
