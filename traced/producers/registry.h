/*
 * All producers of a service, what they offer, and the buffers that they may
 * write into.
 *
 * Those above hand in a table of the events that they handle (struct
 * traced_producer_events); nothing in this module depends on sessions.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_PRODUCERS_REGISTRY_H
#define ORMA_TRACED_PRODUCERS_REGISTRY_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/list.h"
#include "sdk/base/map.h"

struct traced_buffer;
struct traced_data_source;
struct traced_loop;
struct traced_producer;
struct traced_producers;
struct traced_rescue_folder;
struct traced_seq;

/* Of ids that are in use: bit id % 64 of word id / 64. */
#define TRACED_PRODUCER_ID_WORDS ((UINT16_MAX + 1) / 64)

/* What producers report to those above. All functions are set. */
struct traced_producer_events {
    /* Chunks and patches of a request are in the buffers; `flush_id`: it answers all flushes up
     * to this one, 0: none. */
    void (*committed)(struct traced_producer *producer, uint64_t flush_id);
    /* The producer goes away: whatever refers to it, but for its sequences, is to be forgotten. */
    void (*gone)(struct traced_producer *producer);
    /* The same for what it offers. */
    void (*data_source_gone)(const struct traced_data_source *ds);
    /* Marks ids of producers that data in any buffer still has. */
    void (*mark_ids)(const struct traced_producers *producers,
                     uint64_t used[TRACED_PRODUCER_ID_WORDS]);
};

/* Targets of one session: a writer has the same sequence id in all of them. */
struct traced_target_group {
    struct orma_map sequence_ids; /* producer << 16 | writer -> sequence id */
    uint32_t last_sequence_id;    /* 1 is the service's own */
};

/* A central buffer that producers may write into; the buffer's `owner`. */
struct traced_target {
    struct traced_buffer *buf;
    struct traced_target_group *group;
    uint16_t id; /* what producers know it by; 0: nobody writes into it (any more) */
};

struct traced_producers {
    struct traced_loop *loop;
    struct traced_rescue_folder *rescue; /* set by the owner; NULL: none */
    const struct traced_producer_events *events;
    void *context;         /* of the events; opaque here */
    struct orma_list list; /* traced_producer.link */
    struct orma_map by_id;
    size_t num;
    uint64_t seen; /* so far */
    uint16_t last_id;
    struct orma_list data_sources; /* traced_data_source.registry_link, by time of registering */
    size_t data_sources_num;
    uint64_t last_serial;    /* of a data source */
    struct orma_map targets; /* id -> struct traced_target */
    uint16_t last_target_id;
    uint64_t chunks_discarded, patches_discarded; /* that had no place in any buffer */
};

void traced_producers_init(struct traced_producers *self, struct traced_loop *loop,
                           const struct traced_producer_events *events, void *context);
/* After all producers and targets have gone. */
void traced_producers_fini(struct traced_producers *self);

/* Gives the target, whose buffer and group are set, an id. -ENOSPC, -ENOMEM. */
int traced_target_add(struct traced_producers *self, struct traced_target *target);
/* No producer may write into these any more; those without an id are fine. */
void traced_targets_remove(struct traced_producers *self, const struct traced_target *targets,
                           size_t num);

/* Gives a sequence of the group its id and the fields that only the service writes. */
void traced_target_name_seq(struct traced_target_group *group, struct traced_producer *producer,
                            struct traced_seq *seq);
#endif
