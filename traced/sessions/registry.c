#include "traced/sessions/registry.h"

#include "sdk/base/assert.h"
#include "traced/config/wanted.h"
#include "traced/producers/producer.h"
#include "traced/sessions/machine.h"
#include "traced/sessions/session.h"

void traced_sessions_producer_gone(struct traced_producer *producer)
{
    struct traced_sessions *self = producer->registry->context;

    traced_flush_producer_gone(self, producer);
    while (!orma_list_empty(&producer->instances))
        traced_instance_free(
            ORMA_CONTAINER_OF(producer->instances.next, struct traced_instance, producer_link));
    ORMA_LIST_EACH (struct traced_session, s, &self->list, link)
        if (s->wanted)
            traced_wanted_forget(s->wanted, producer->id);
}

void traced_sessions_source_gone(const struct traced_data_source *ds)
{
    struct traced_sessions *self = ds->producer->registry->context;

    ORMA_LIST_EACH (struct traced_session, s, &self->list, link)
        traced_instances_source_gone(s, ds);
}

void traced_sessions_mark_ids(const struct traced_producers *producers,
                              uint64_t used[TRACED_PRODUCER_ID_WORDS])
{
    const struct traced_sessions *self = producers->context;

    ORMA_LIST_EACH (struct traced_session, s, &self->list, link)
        for (size_t i = 0; i < s->buffers_num; i++)
            ORMA_MAP_EACH (slot, &s->buffers[i].buf->producers)
                used[slot->key / 64] |= UINT64_C(1) << slot->key % 64;
}

void traced_sessions_init(struct traced_sessions *self)
{
    orma_list_init(&self->list);
    orma_list_init(&self->machines);
}

void traced_sessions_fini(struct traced_sessions *self)
{
    ORMA_ASSERT(!self->num);
    traced_machines_free(&self->machines);
    traced_trigger_history_fini(&self->trigger_history);
}
