/*
 * A small service for tests of the SDK: one producer connection, shared
 * memory, commands on demand, and every packet put together again by writer.
 * No thread of its own: the test calls orma_test_service_step(), or runs it in
 * a thread with orma_test_service_run().
 */
#ifndef ORMA_TESTS_SUPPORT_SERVICE_H
#define ORMA_TESTS_SUPPORT_SERVICE_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "sdk/ipc/stream.h"
#include "sdk/shm/layout.h"

/* One sequence as received. */
struct orma_test_writer {
    uint16_t id;
    uint32_t target_buffer; /* of its chunks */
    bool registered, unregistered;
    uint32_t next_chunk_id;
    unsigned chunks_num, gaps; /* chunk ids that did not follow */
    unsigned markers;          /* drop markers */
    unsigned missing;          /* packets whose continuation did not come: the service's to count */
    uint64_t emitted, dropped_no_chunk, dropped_too_large; /* as reported last */

    struct orma_buf bytes; /* whole packets, one after the other */
    struct orma_buf ends;  /* of size_t: where each ends in `bytes` */
    struct orma_buf part;  /* beginning of a packet that goes on */
    bool in_part;
    struct orma_buf held; /* of struct held: chunks that wait for patches, and those behind them */
};

struct orma_test_service {
    char addr[64];
    int listener, sock; /* -1 */
    struct orma_ipc_stream in;
    uint64_t command_request; /* of GetAsyncCommand */
    struct orma_shm shm;
    int shm_fd;
    bool unsealed;        /* the memory could be made smaller */
    bool emulate;         /* as for TCP: no shared memory, chunks come inline */
    bool stalled;         /* commits are kept and not looked at */
    struct orma_buf kept; /* of whole CommitData requests, length first */

    struct orma_test_writer *writers[256];
    unsigned writers_num;

    /* What the producer said. */
    char producer_name[64];
    bool scraping;
    unsigned connections, commits, chunks, registered_num, syncs;
    struct orma_buf
        descriptors; /* of the registered data sources, as RegisterDataSource requests */
    char registered[16][64];
    uint64_t started_id, stopped_id, flush_acked; /* latest */
    char trigger[64];

    _Atomic bool quit;
};

struct orma_test_service *orma_test_service_new(void);
void orma_test_service_free(struct orma_test_service *self);

/* Everything that has arrived. False: the producer hung up (then a new one may come). */
bool orma_test_service_step(struct orma_test_service *self);
/* Waits up to timeout_ms for something to arrive, then steps. */
bool orma_test_service_wait(struct orma_test_service *self, int timeout_ms);
/* For pthread_create(): steps until `quit`. The test must not touch the service meanwhile. */
void *orma_test_service_run(void *self);

/* Commands. Page size and size in bytes. */
void orma_test_service_setup_tracing(struct orma_test_service *self, size_t size, size_t page_size);
/* `extra`: further fields of the DataSourceConfig, encoded. Setup and start. */
void orma_test_service_start(struct orma_test_service *self, uint64_t id, const char *name,
                             uint32_t target_buffer, struct orma_str extra);
void orma_test_service_stop(struct orma_test_service *self, uint64_t id);
void orma_test_service_flush(struct orma_test_service *self, uint64_t flush_id, const uint64_t *ids,
                             size_t num);
void orma_test_service_clear(struct orma_test_service *self, uint64_t id);
/* Closes the connection. */
void orma_test_service_hang_up(struct orma_test_service *self);
/* Handles what was kept while stalled. */
void orma_test_service_resume(struct orma_test_service *self);
/* Copies what is in chunks still being written or complete, as at the end of a flush. */
void orma_test_service_scrape(struct orma_test_service *self);

/* NULL if it never wrote. */
struct orma_test_writer *orma_test_service_writer(struct orma_test_service *self, uint16_t id);
size_t orma_test_writer_num(const struct orma_test_writer *self);
struct orma_str orma_test_writer_packet(const struct orma_test_writer *self, size_t idx);
#endif
