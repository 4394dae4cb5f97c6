#include "traced/sessions/trigger.h"

#include <stdlib.h>
#include <string.h>

#include "sdk/base/log.h"
#include "traced/producers/producer.h"
#include "traced/sessions/registry.h"
#include "traced/sessions/session.h"

/* All who come by the network together are one. */
static uint64_t user_of(const struct traced_producer *producer)
{
    return producer->emulated ? (uint64_t)1 << 32 : (uint32_t)producer->uid;
}

static size_t count_of(const struct traced_triggers *self, uint64_t user)
{
    uint64_t num = orma_map_get(&self->users, user);

    return num == ORMA_MAP_NONE ? 0 : (size_t)num;
}

/* False: no memory. */
static bool insert(struct traced_triggers *self, struct traced_trigger *t)
{
    if (orma_map_put(&self->users, t->user, count_of(self, t->user) + 1) < 0)
        return false;
    orma_list_insert(&self->list, &t->link);
    self->num++;
    return true;
}

static void remove_from(struct traced_triggers *self, struct traced_trigger *t)
{
    size_t num = count_of(self, t->user);

    (void)orma_map_take(&self->users, t->user);
    if (num > 1)
        (void)orma_map_put(&self->users, t->user, num - 1); /* its slot is free */
    orma_list_remove(&t->link);
    self->num--;
}

bool traced_triggers_have_room(struct traced_session *s, const struct traced_producer *producer)
{
    struct traced_triggers *self = &s->triggers;
    uint64_t user = user_of(producer);
    size_t own = count_of(self, user), others = self->num - own;

    if (user == 0 || user == s->registry->uid
            ? self->num < TRACED_TRIGGERS_MAX
            : others < TRACED_TRIGGERS_MAX && own + 1 <= (TRACED_TRIGGERS_MAX - others) / 2)
        return true;
    if (!self->told && traced_loop_may_log(s->registry->loop))
        orma_log_warn("session %llu ignores further triggers of producer %u (user %d, pid %d): %zu "
                      "of %d are remembered",
                      (unsigned long long)s->id, producer->id, producer->uid, producer->pid, own,
                      TRACED_TRIGGERS_MAX);
    self->told = true;
    return false;
}

/* It is in no list. */
static void trigger_free(struct traced_trigger *t)
{
    if (t->timer)
        event_free(t->timer);
    free(t->name);
    free(t->producer_name);
    free(t);
}

static void trigger_drop(struct traced_trigger *t)
{
    remove_from(&t->session->triggers, t);
    trigger_free(t);
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
        .user = user_of(producer),
        .stop_delay_ms = stop_delay_ms,
    };
    s->rescue.due = true;
    s->incidents.triggered = true;
    if (t->name && t->producer_name && insert(&s->triggers, t))
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
        trigger_drop(t);
    orma_map_fini(&session->triggers.users);
}

void traced_triggers_move(struct traced_session *from, struct traced_session *to)
{
    ORMA_LIST_EACH (struct traced_trigger, t, &from->triggers.list, link) {
        if (t->timer && evtimer_pending(t->timer, NULL))
            continue; /* its own snapshot is still to come */
        if (t->timer)
            event_free(t->timer);
        t->timer = NULL;
        remove_from(&from->triggers, t);
        t->session = to;
        t->emitted = false;
        if (!insert(&to->triggers, t))
            trigger_free(t);
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
