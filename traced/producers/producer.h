/*
 * A producer as the service sees it: its data sources, its shared memory, its
 * writers, and the commands that it is sent. Made by InitializeConnection, freed
 * with the connection. The methods that it calls are in endpoints/producer_port.c.
 *
 * Everything here came from the other process. Names and descriptors are
 * copied and bounded (rule 5 of docs/service.md); chunks are in commit.h.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_PRODUCERS_PRODUCER_H
#define ORMA_TRACED_PRODUCERS_PRODUCER_H
#include <stdbool.h>
#include <stdint.h>

#include "protos/perfetto/common.pb-c.h"
#include "sdk/base/buf.h"
#include "sdk/base/list.h"
#include "sdk/base/map.h"
#include "sdk/shm/layout.h"
#include "traced/network/conn.h"
#include "traced/producers/commit.h"
#include "traced/producers/registry.h"
#include "traced/producers/standstill.h"
#include "traced/rescue/memory.h"

/* What a producer offers. Flags as in DataSourceDescriptor. */
struct traced_data_source {
    struct orma_list link;          /* traced_producer.data_sources */
    struct orma_list registry_link; /* traced_producers.data_sources */
    uint64_t serial;                /* never used again */
    struct traced_producer *producer;
    char *name;
    struct orma_buf descriptor; /* as it came */
    uint64_t id;                /* 0: can't be updated */
    bool will_notify_on_start, will_notify_on_stop;
    bool handles_incremental_state_clear, no_flush;
};

struct traced_producer {
    struct orma_list link; /* traced_producers.list */
    struct traced_producers *registry;
    struct traced_conn *conn;
    uint16_t id;
    char *name;
    char *sdk_version;
    int32_t uid, pid;
    bool scraping;      /* it allows reading chunks that are being written */
    bool only_complete; /* scraping leaves chunks that are being written, as it did not allow it */
    bool emulated;      /* chunks come inside the commits */
    uint32_t size_hint, page_hint;
    struct orma_shm shm; /* base NULL: not yet, or emulated */
    bool takes_files;    /* its SDK accepts shared memory that is a file in the rescue folder */
    struct traced_rescue_memory who; /* in the rescue folder, with its memory; or not mapped */
    struct orma_mapped *guard; /* of memory that the producer can make smaller; NULL: it can't */
    int shm_fd;                /* until the setup command is sent; -1: none */
    /* page << 4 | index -> chunk id << 16 | writer id: complete chunks that were scraped */
    struct orma_map scraped;
    uint32_t gone_page; /* its connection is over: scraped so far */
    bool has_orphans;   /* when it was scraped last: chunks of writers that it had not registered */
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
    size_t names_bytes;         /* its own, and of its data sources */
    struct orma_list instances; /* traced_instance.producer_link */
    size_t instances_num;
    uint64_t flush_acked;      /* the highest flush id that it has answered */
    uint64_t heard_when_asked; /* bytes that it had sent when it was asked for the last flush */
    struct traced_standstill still;
    struct orma_map writers; /* writer id -> buffer id, as registered */
    struct orma_map targets; /* ids of buffers that it may write into -> 1 */
    struct orma_list seqs;   /* traced_seq.producer_link */
    /* buffer id << 32 | writer id -> sequence that it may write; forgotten when that may change. */
    struct orma_map known_seqs;
};

/* The client of `conn` from now on. NULL: no memory, or no id is free. */
struct traced_producer *traced_producer_new(struct traced_conn *conn,
                                            struct traced_producers *registry);
/* Reports it first (struct traced_producer_events). Packets that were not read yet stay. */
void traced_producer_free(struct traced_producer *self);

/* Once, as it begins. False: no memory. */
bool traced_producer_name(struct traced_producer *self, struct orma_str name,
                          struct orma_str version);

/* Bytes that are kept for it, all that it has made us keep. */
size_t traced_producer_held(const struct traced_producer *self);

/*
 * What it offers under a descriptor whose bytes these are. NULL: no name, too
 * many, too large, an id that it has used, or no memory.
 */
struct traced_data_source *
traced_producer_add_source(struct traced_producer *self,
                           const Perfetto__Protos__DataSourceDescriptor *desc,
                           struct orma_str bytes);
/* Flags and descriptor are new; the name stays. Ignored if they are too large. */
void traced_producer_update_source(struct traced_data_source *ds,
                                   const Perfetto__Protos__DataSourceDescriptor *desc,
                                   struct orma_str bytes);
void traced_producer_remove_source(struct traced_data_source *ds);
/* By name (data NULL: any) and id (0: any). NULL: there is none. */
struct traced_data_source *traced_producer_find_source(struct traced_producer *self,
                                                       struct orma_str name, uint64_t id);

/* The producer's own memory, if it can't shrink under us and its sizes are valid; fd stays the
 * caller's. */
bool traced_producer_adopt_shm(struct traced_producer *self, int fd);
/* Sends the setup command once there is memory to announce and the producer listens. */
void traced_producer_announce_shm(struct traced_producer *self);
/* Makes its shared memory, if there is none, and announces it. */
void traced_producer_setup_shm(struct traced_producer *self, uint32_t size_bytes,
                               uint32_t page_bytes);

/* One GetAsyncCommandResponse. Lost if the producer does not listen. -EMSGSIZE. */
int traced_producer_command(struct traced_producer *self, const struct orma_buf *command, int fd);
/* With the content of one command message: field `cmd` of the response. */
int traced_producer_command_field(struct traced_producer *self, uint32_t cmd,
                                  const struct orma_buf *body);

/* Writer `writer` was announced for buffer `buffer_id`; ORMA_MAP_NONE: is unregistered. In the
 * rescue folder. */
void traced_producer_note_writer(struct traced_producer *self, uint32_t writer, uint64_t buffer_id);

/* Has it made its shared memory smaller than it was? Then what is there means nothing. */
bool traced_producer_is_torn(const struct traced_producer *self);

/* To be called before a sequence is freed, and when a writer's buffer changes. */
void traced_producer_forget_seqs(struct traced_producer *self);

/* The same machine, and not behind a relay. */
bool traced_producer_is_local(const struct traced_producer *self);
#endif
