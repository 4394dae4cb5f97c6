#include "traced/sessions/clear.h"

#include <string.h>

#include "protos/fields/ipc.h"
#include "sdk/wire/pb_writer.h"
#include "traced/producers/producer.h"
#include "traced/sessions/session.h"

static void put_clear(struct orma_buf *body, const struct traced_instance *inst)
{
    orma_pb_put_u64(
        body, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_CLEAR_INCREMENTAL_STATE_DATA_SOURCE_IDS, inst->id);
}

/* Tells a producer to forget its incremental state, so that a ring stays readable. Takes the body.
 */
static void send_clear(struct traced_producer *p, struct orma_buf *body)
{
    if (body->len)
        (void)traced_producer_command_field(
            p, ORMA_PB_GET_ASYNC_COMMAND_RESPONSE_CLEAR_INCREMENTAL_STATE,
            body); /* too many for one message: they just go on as they were */
    orma_buf_fini(body);
}

static void clear_producer(const struct traced_session *self, struct traced_producer *p)
{
    struct orma_buf body = {0};

    ORMA_LIST_EACH (struct traced_instance, inst, &p->instances, producer_link)
        if (inst->session == self && inst->handles_incremental_state_clear)
            put_clear(&body, inst);
    send_clear(p, &body);
}

void traced_session_clear_all(struct traced_session *self)
{
    ORMA_LIST_EACH (struct traced_producer, p, &self->registry->producers->list, link)
        clear_producer(self, p);
}

static bool says_all_at_once(const struct traced_instance *inst)
{
    return !strcmp(inst->name, "linux.process_stats");
}

void traced_session_clear_writers(struct traced_session *self, uint32_t target, bool of_trees)
{
    ORMA_LIST_EACH (struct traced_instance, inst, &self->instances.list, session_link) {
        struct orma_buf body = {0};

        if (inst->target != target || !inst->handles_incremental_state_clear ||
            says_all_at_once(inst) != of_trees)
            continue;
        put_clear(&body, inst);
        send_clear(inst->producer, &body);
    }
}
