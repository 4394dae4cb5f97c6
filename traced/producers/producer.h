/*
 * A producer as the service sees it: its data sources, its shared memory, its
 * writers. Made by InitializeConnection, gone with the connection.
 *
 * Everything here came from the other process. Names and descriptors are
 * copied and bounded (rule 5 of docs/service.md); chunks are in commit.h.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_PRODUCERS_PRODUCER_H
#define ORMA_TRACED_PRODUCERS_PRODUCER_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "sdk/base/list.h"
#include "sdk/base/map.h"
#include "sdk/shm/layout.h"
#include "traced/producers/commit.h"

struct traced_conn;
struct traced_instance;
struct traced_seq;
struct traced_service;

/* What a producer offers. Flags as in DataSourceDescriptor. */
struct traced_data_source {
    struct orma_list link;         /* traced_producer.data_sources */
    struct orma_list service_link; /* traced_service.data_sources */
    uint64_t serial;               /* never used again */
    struct traced_producer *producer;
    char *name;
    struct orma_buf descriptor; /* as it came */
    uint64_t id;                /* 0: can't be updated */
    bool will_notify_on_start, will_notify_on_stop;
    bool handles_incremental_state_clear, no_flush;
};

struct traced_producer {
    struct orma_list link; /* traced_service.producers */
    struct traced_service *service;
    struct traced_conn *conn;
    uint16_t id;
    char *name;
    char *sdk_version;
    int32_t uid, pid;
    bool scraping; /* it allows reading chunks that are being written */
    bool emulated; /* chunks come inside the commits */
    uint32_t size_hint, page_hint;
    struct orma_shm shm; /* base NULL: not yet, or emulated */
    int shm_fd;          /* until the setup command is sent; -1: none */
    /* page << 4 | index -> chunk id << 16 | writer id: complete chunks that were scraped */
    struct orma_map scraped;
    uint32_t gone_page;          /* its connection is over: scraped so far */
    struct traced_commit commit; /* the one that is being handled */
    bool shm_is_theirs;
    bool shm_announced; /* the setup command was sent */
    bool shm_ready;     /* may commit: real or emulated memory was set up */
    uint32_t page_size;
    bool warned;     /* about a refused data source */
    bool has_stream; /* GetAsyncCommand is waiting for commands */
    uint64_t stream_request_id;
    struct orma_list data_sources; /* traced_data_source.link */
    size_t data_sources_num, descriptor_bytes;
    struct orma_list instances; /* traced_instance.producer_link */
    size_t instances_num;
    uint64_t flush_acked;    /* the highest flush id that it has answered */
    struct orma_map writers; /* writer id -> buffer id, as registered */
    struct orma_map targets; /* buffer ids that it was told to write to -> 1 */
    struct orma_list seqs;   /* traced_seq.producer_link */
    /* buffer id << 32 | writer id -> sequence that it may write; forgotten when that may change. */
    struct orma_map known_seqs;
};

/* Its shared memory, made if there is none, and the command that tells of it. */
void traced_producer_setup_shm(struct traced_producer *self, uint32_t size_bytes,
                               uint32_t page_bytes);

/* One GetAsyncCommandResponse. Lost if the producer does not listen. -EMSGSIZE. */
int traced_producer_command(struct traced_producer *self, const struct orma_buf *command, int fd);
/* With the content of one command message: field `cmd` of the response. */
int traced_producer_command_field(struct traced_producer *self, uint32_t cmd,
                                  const struct orma_buf *body);

/* To be called before a sequence is freed, and when a writer's buffer changes. */
void traced_producer_forget_seqs(struct traced_producer *self);

/* The same machine, and not behind a relay. */
bool traced_producer_is_local(const struct traced_producer *self);
#endif
