#include "traced/producers/registry.h"

#include <errno.h>
#include <string.h>

#include "protos/fields/trace.h"
#include "sdk/base/assert.h"
#include "sdk/wire/pb_writer.h"
#include "traced/buffers/buffer.h"
#include "traced/producers/producer.h"

void traced_producers_init(struct traced_producers *self, struct traced_loop *loop,
                           const struct traced_producer_events *events, void *context)
{
    *self = (struct traced_producers){.loop = loop, .events = events, .context = context};
    orma_list_init(&self->list);
    orma_list_init(&self->data_sources);
}

void traced_producers_fini(struct traced_producers *self)
{
    ORMA_ASSERT(!self->num && !self->data_sources_num && !self->targets.len);
    orma_map_fini(&self->by_id);
    orma_map_fini(&self->targets);
}

/* ---- targets ---- */

static uint16_t new_target_id(struct traced_producers *self)
{
    for (int tries = 0; tries < UINT16_MAX; tries++) {
        uint16_t id = ++self->last_target_id;

        if (id && orma_map_get(&self->targets, id) == ORMA_MAP_NONE)
            return id;
    }
    return 0;
}

int traced_target_add(struct traced_producers *self, struct traced_target *target)
{
    ORMA_ASSERT(target->buf && target->group && !target->id);
    target->id = new_target_id(self);
    return target->id ? orma_map_put_ptr(&self->targets, target->id, target) : -ENOSPC;
}

/* The producer may not write into them any more. */
static void take_targets(struct traced_producer *p, const struct traced_target *targets, size_t num)
{
    for (size_t i = 0; i < num && p->targets.len; i++)
        orma_map_take(&p->targets, targets[i].id);
    if (p->known_seqs.len) /* they may be of these buffers, also if they were no target of it */
        traced_producer_forget_seqs(p);
}

void traced_targets_remove(struct traced_producers *self, const struct traced_target *targets,
                           size_t num)
{
    ORMA_LIST_EACH (struct traced_producer, p, &self->list, link)
        take_targets(p, targets, num);
    for (size_t i = 0; i < num; i++)
        if (orma_map_get_ptr(&self->targets, targets[i].id) == &targets[i])
            orma_map_take(&self->targets, targets[i].id);
}

void traced_target_name_seq(struct traced_target_group *group, struct traced_producer *producer,
                            struct traced_seq *seq)
{
    uint64_t key = (uint64_t)producer->id << 16 | seq->writer_id;
    uint64_t id = orma_map_get(&group->sequence_ids, key);
    struct orma_buf trailer = {0};

    if (id == ORMA_MAP_NONE) {
        id = ++group->last_sequence_id;
        (void)orma_map_put(&group->sequence_ids, key, id); /* no memory: it gets another later */
    }
    seq->sequence_id = (uint32_t)id;
    orma_pb_put_u64(&trailer, ORMA_PB_TRACE_PACKET_TRUSTED_UID, (uint64_t)(int64_t)producer->uid);
    orma_pb_put_u64(&trailer, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, id);
    if (producer->pid)
        orma_pb_put_u64(&trailer, ORMA_PB_TRACE_PACKET_TRUSTED_PID,
                        (uint64_t)(int64_t)producer->pid);
    if (!traced_producer_is_local(producer))
        orma_pb_put_u64(&trailer, ORMA_PB_TRACE_PACKET_MACHINE_ID, producer->conn->machine_id);
    if (!trailer.failed && trailer.len <= sizeof(seq->trailer)) {
        memcpy(seq->trailer, trailer.data, trailer.len);
        seq->trailer_len = (uint8_t)trailer.len;
    }
    orma_buf_fini(&trailer);
    orma_list_insert(&producer->seqs, &seq->producer_link);
}
