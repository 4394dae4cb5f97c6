/*
 * A service in a thread of the test, and clients made by hand: each does
 * exactly what the test says, wrong things included.
 */
#ifndef ORMA_TESTS_INTEGRATION_TRACED_RIG_H
#define ORMA_TESTS_INTEGRATION_TRACED_RIG_H
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "sdk/ipc/client.h"
#include "sdk/shm/layout.h"
#include "sdk/wire/pb_writer.h"
#include "traced/service.h"

#define RIG_TIMEOUT_MS 20000

struct rig {
    struct traced_service *service;
    pthread_t thread;
    bool rests;
    char producer_addr[64], consumer_addr[64];
};

/* Sockets are abstract, with names of their own. */
void rig_init(struct rig *rig);
/* The same with one more producer socket, on which relays may connect. NULL: without. */
void rig_init_with(struct rig *rig, const char *relay_addr);
/*
 * The loop rests until rig_resume(): what clients send meanwhile it finds all at once, as a busy
 * service would. Connections are made before.
 */
void rig_pause(struct rig *rig);
void rig_resume(struct rig *rig);
/* While it rests: one turn, here. */
void rig_turn(struct rig *rig);
/* Stops the service and frees it. */
void rig_fini(struct rig *rig);

/* ---- calls ---- */

/* The last reply to a call. */
struct rig_reply {
    bool done, success, has_more;
    unsigned count;
    struct orma_buf payload; /* of all replies, one behind the other */
};
void rig_reply_fini(struct rig_reply *reply);

struct orma_ipc_client *rig_connect(const char *addr, const char *port);
/* Sends and does not wait; args NULL: none. */
void rig_send(struct orma_ipc_client *client, const char *method, const struct orma_buf *args,
              int fd, struct rig_reply *reply);
/* Waits for the last reply (has_more false). */
void rig_wait(struct orma_ipc_client *client, struct rig_reply *reply);
/* Both. */
void rig_call(struct orma_ipc_client *client, const char *method, const struct orma_buf *args,
              struct rig_reply *reply);
/* The same where only success matters. */
bool rig_ok(struct orma_ipc_client *client, const char *method, const struct orma_buf *args);

/* ---- a producer ---- */

struct rig_producer {
    struct orma_ipc_client *client;
    struct rig_reply stream;
    struct orma_shm shm;
    size_t seen; /* bytes of the stream that were looked at */
    unsigned setups, starts, stops, clears;
    uint64_t instance_id;   /* of the last setup */
    uint32_t target_buffer; /* of the last setup */
    uint64_t flush_id;      /* of the last flush command, 0: none */
    bool emulated;          /* no shared memory: it was told so */
    uint32_t page_size;
};

/* Connects, introduces itself and listens for commands. */
void rig_producer_init(struct rig_producer *p, const struct rig *rig, const char *name,
                       bool scraping);
/* The same on a connection that is bound. */
void rig_producer_init_on(struct rig_producer *p, struct orma_ipc_client *client, const char *name,
                          bool scraping);
void rig_producer_fini(struct rig_producer *p);
/* flags: descriptor fields by number, e.g. {2, 1} for will_notify_on_stop; ends with 0. */
void rig_producer_register(struct rig_producer *p, const char *source, const uint32_t *flags);
/* Handles commands until *what is at least `count`. */
void rig_producer_wait(struct rig_producer *p, const unsigned *what, unsigned count);
void rig_producer_wait_flush(struct rig_producer *p);
/* Everything sent so far was handled by the service. */
void rig_producer_sync(struct rig_producer *p);

/* Packets of text in a chunk of page `page`; returns it in state WRITING. */
struct orma_shm_chunk rig_producer_write(struct rig_producer *p, uint32_t page, uint16_t writer,
                                         uint32_t chunk_id, uint16_t flags,
                                         const char *const *packets);
void rig_producer_commit(struct rig_producer *p, const struct orma_shm_chunk *chunk,
                         uint32_t buffer);
void rig_producer_ack_flush(struct rig_producer *p, uint64_t id);

/* ---- a consumer ---- */

/* A config: `buffers` and `sources` and whatever the caller appends to *config. */
void rig_config_buffer(struct orma_buf *config, uint32_t size_kb, unsigned fill_policy);
void rig_config_source(struct orma_buf *config, const char *name, uint32_t target_buffer);
/* EnableTracingRequest of it. */
void rig_enable(struct orma_ipc_client *client, const struct orma_buf *config, int fd,
                struct rig_reply *reply);
/* ReadBuffers to the end; appends the packets as a Trace. */
void rig_read(struct orma_ipc_client *client, struct orma_buf *trace);

/* ---- a trace ---- */

/* Number of packets that have this field. */
unsigned rig_count(const struct orma_buf *trace, uint32_t field);
/* The first packet with this field: true, and the field. */
bool rig_find(const struct orma_buf *trace, uint32_t field, struct orma_pb_field *ret);
/* Texts (field RIG_TEXT) of all packets in order, separated by blanks. */
const char *rig_texts(const struct orma_buf *trace, struct orma_buf *out);
#define RIG_TEXT 900
#endif
