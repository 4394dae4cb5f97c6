#include "traced/sessions/trigger.h"

#include <stdlib.h>
#include <string.h>

#include "traced/producers/producer.h"
#include "traced/sessions/session.h"

static void trigger_free(struct traced_trigger *t)
{
    orma_list_remove(&t->link);
    t->session->triggers.num--;
    if (t->timer)
        event_free(t->timer);
    free(t->name);
    free(t->producer_name);
    free(t);
}

struct traced_trigger *traced_trigger_new(struct traced_session *s,
                                          const struct traced_producer *producer, const char *name,
                                          uint32_t stop_delay_ms, uint64_t now)
{
    struct traced_trigger *t = calloc(1, sizeof(*t));

    if (!t)
        return NULL;
    *t = (struct traced_trigger){
        .session = s,
        .ts = now,
        .name = strdup(name),
        .producer_name = strdup(producer->name),
        .producer_uid = producer->uid,
        .stop_delay_ms = stop_delay_ms,
    };
    orma_list_insert(&s->triggers.list, &t->link);
    s->triggers.num++;
    s->incidents.triggered = true;
    if (t->name && t->producer_name)
        return t;
    trigger_free(t);
    return NULL;
}

void traced_triggers_init(struct traced_triggers *self)
{
    *self = (struct traced_triggers){0};
    orma_list_init(&self->list);
}

void traced_triggers_fini(struct traced_session *session)
{
    ORMA_LIST_EACH (struct traced_trigger, t, &session->triggers.list, link)
        trigger_free(t);
}

void traced_triggers_move(struct traced_session *from, struct traced_session *to)
{
    ORMA_LIST_EACH (struct traced_trigger, t, &from->triggers.list, link) {
        if (t->timer && evtimer_pending(t->timer, NULL))
            continue; /* its own snapshot is still to come */
        if (t->timer)
            event_free(t->timer);
        t->timer = NULL;
        orma_list_remove(&t->link);
        from->triggers.num--;
        t->session = to;
        t->emitted = false;
        orma_list_insert(&to->triggers.list, &t->link);
        to->triggers.num++;
    }
}

bool traced_triggers_let_read(const struct traced_session *session)
{
    switch (session->mode) {
    case TRACED_TRIGGER_NONE:
        return true;
    case TRACED_TRIGGER_CLONE:
        return session->state == TRACED_CLONED;
    case TRACED_TRIGGER_START:
    case TRACED_TRIGGER_STOP:
        break;
    }
    return session->state == TRACED_CLONED || session->triggers.num > 0;
}
