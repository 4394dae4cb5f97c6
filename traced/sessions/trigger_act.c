#include "traced/sessions/trigger_act.h"

#include "sdk/base/clock.h"
#include "traced/config/wanted.h"
#include "traced/producers/producer.h"
#include "traced/sessions/registry.h"
#include "traced/sessions/session.h"

typedef Perfetto__Protos__TraceConfig__TriggerConfig__Trigger wanted_t;

static void on_clone_due(evutil_socket_t fd, short what, void *arg)
{
    const struct traced_trigger *t = arg;

    (void)fd;
    (void)what;
    t->session->registry->events->clone_due(t->session, t);
}

static void ask_for_clone(struct traced_trigger *t)
{
    t->timer = evtimer_new(t->session->registry->loop->base, on_clone_due, t);
    if (t->timer)
        traced_loop_arm(t->timer, t->stop_delay_ms);
}

static void act(struct traced_session *s, struct traced_trigger *t, bool first)
{
    switch (s->mode) {
    case TRACED_TRIGGER_NONE:
        return;
    case TRACED_TRIGGER_START:
        if (s->state != TRACED_CONFIGURED)
            return;
        traced_session_cancel_duration(s);
        traced_session_set_duration(s, t->stop_delay_ms);
        traced_session_start(s);
        return;
    case TRACED_TRIGGER_STOP:
        if (first)
            traced_session_arm_duration(s, t->stop_delay_ms);
        return;
    case TRACED_TRIGGER_CLONE:
        ask_for_clone(t);
        return;
    }
}

static bool listens(const struct traced_session *s)
{
    return s->mode != TRACED_TRIGGER_NONE &&
           (s->state == TRACED_CONFIGURED || s->state == TRACED_STARTED);
}

static void offer(struct traced_session *s, const struct traced_producer *producer,
                  struct orma_str name, uint64_t now)
{
    struct traced_trigger_history *history = &s->registry->trigger_history;
    uint32_t idx = listens(s) ? traced_wanted_trigger(s->wanted, name) : TRACED_WANTED_NONE;

    if (idx == TRACED_WANTED_NONE)
        return;
    const wanted_t *wanted = s->config->trigger_config->triggers[idx];
    if (!wanted->name || !traced_wanted_may_trigger(s->wanted, idx, producer->id, producer->name))
        return;
    if (wanted->skip_probability > 0 &&
        traced_trigger_history_draw(history) < wanted->skip_probability)
        return;
    if (wanted->max_per_24_h &&
        traced_trigger_history_count(history, name, now) >= wanted->max_per_24_h)
        return;
    if (!traced_triggers_have_room(s, producer))
        return;
    bool first = s->triggers.num == 0;
    struct traced_trigger *t =
        traced_trigger_new(s, producer, wanted->name, wanted->stop_delay_ms, now);
    if (!t)
        return;
    /* What no limit is for does not push out what one is for. */
    if (wanted->max_per_24_h || !traced_trigger_history_is_full(history))
        traced_trigger_history_add(history, name, now);
    act(s, t, first);
}

void traced_trigger_activate(struct traced_sessions *sessions,
                             const struct traced_producer *producer, struct orma_str name)
{
    uint64_t now = orma_clock_boottime();

    ORMA_LIST_EACH (struct traced_session, s, &sessions->list, link)
        offer(s, producer, name, now);
}
