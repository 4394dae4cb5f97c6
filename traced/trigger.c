#include "traced/trigger.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "sdk/base/clock.h"
#include "sdk/base/hash.h"
#include "traced/config.h"
#include "traced/consumer.h"
#include "traced/internal.h"
#include "traced/producer.h"
#include "traced/regex.h"
#include "traced/session_internal.h"

#define DAY_NS ((uint64_t)24 * 3600 * 1000000000)
/* Rule 43: of each session so many are remembered, the rest is ignored. */
#define TRIGGERS_MAX 1024

typedef Perfetto__Protos__TraceConfig__TriggerConfig__Trigger wanted_t;

/* ---- how often a name came within a day ---- */

static uint32_t count_of_today(struct traced_trigger_history *h, uint64_t hash, uint64_t now)
{
    uint32_t num = 0;

    while (h->len && now - h->items[h->head % TRACED_TRIGGER_HISTORY_MAX].ts >= DAY_NS) {
        h->head++;
        h->len--;
    }
    for (uint32_t i = 0; i < h->len; i++)
        num += h->items[(h->head + i) % TRACED_TRIGGER_HISTORY_MAX].hash == hash;
    return num;
}

static void note_in_history(struct traced_trigger_history *h, uint64_t hash, uint64_t now)
{
    if (h->len == TRACED_TRIGGER_HISTORY_MAX) { /* the oldest is forgotten */
        h->head++;
        h->len--;
    }
    uint32_t at = (h->head + h->len++) % TRACED_TRIGGER_HISTORY_MAX;
    h->items[at].ts = now;
    h->items[at].hash = hash;
}

/* ---- what was received ---- */

static void trigger_free(struct traced_trigger *t)
{
    orma_list_remove(&t->link);
    t->session->triggers_num--;
    if (t->timer)
        event_free(t->timer);
    free(t->name);
    free(t->producer_name);
    free(t);
}

static struct traced_trigger *trigger_new(struct traced_session *s,
                                          const struct traced_producer *producer,
                                          const wanted_t *wanted, uint64_t now)
{
    struct traced_trigger *t = s->triggers_num < TRIGGERS_MAX ? calloc(1, sizeof(*t)) : NULL;

    if (!t)
        return NULL;
    *t = (struct traced_trigger){
        .session = s,
        .ts = now,
        .name = strdup(wanted->name),
        .producer_name = strdup(producer->name),
        .producer_uid = producer->uid,
        .stop_delay_ms = wanted->stop_delay_ms,
    };
    orma_list_insert(&s->triggers, &t->link);
    s->triggers_num++;
    if (t->name && t->producer_name)
        return t;
    trigger_free(t);
    return NULL;
}

void traced_triggers_fini(struct traced_session *session)
{
    ORMA_LIST_EACH (struct traced_trigger, t, &session->triggers, link)
        trigger_free(t);
}

void traced_triggers_move(struct traced_session *from, struct traced_session *to)
{
    ORMA_LIST_EACH (struct traced_trigger, t, &from->triggers, link) {
        if (t->timer && evtimer_pending(t->timer, NULL))
            continue; /* the consumer is still to be told about it, for another snapshot */
        if (t->timer)
            event_free(t->timer);
        t->timer = NULL;
        orma_list_remove(&t->link);
        from->triggers_num--;
        t->session = to;
        t->emitted = false;
        orma_list_insert(&to->triggers, &t->link);
        to->triggers_num++;
    }
}

bool traced_trigger_lets_read(const struct traced_session *session)
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
    return session->state == TRACED_CLONED || session->triggers_num > 0;
}

/* ---- what a session does ---- */

static void on_clone_due(evutil_socket_t fd, short what, void *arg)
{
    const struct traced_trigger *t = arg;

    (void)fd;
    (void)what;
    traced_consumer_clone_trigger(t->session, t);
}

static void ask_for_clone(struct traced_trigger *t)
{
    t->timer = evtimer_new(t->session->service->base, on_clone_due, t);
    if (t->timer)
        traced_arm(t->timer, t->stop_delay_ms);
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

static const wanted_t *find_wanted(const struct traced_session *s, struct orma_str name)
{
    const Perfetto__Protos__TraceConfig__TriggerConfig *config = s->config->trigger_config;

    for (size_t i = 0; config && i < config->n_triggers; i++)
        if (config->triggers[i]->name && orma_str_eq_c(name, config->triggers[i]->name))
            return config->triggers[i];
    return NULL;
}

/* In [0, 1). */
static double draw(void)
{
    uint64_t bits = 0;

    (void)!getrandom(&bits, sizeof(bits), 0); /* 8 bytes are never cut short */
    return (double)(bits >> 11) / (double)(UINT64_C(1) << 53);
}

static void offer(struct traced_session *s, const struct traced_producer *producer,
                  struct orma_str name, uint64_t now)
{
    struct traced_trigger_history *history = &s->service->trigger_history;
    uint64_t hash = orma_hash_bytes(name.data, name.len);
    const wanted_t *wanted = find_wanted(s, name);

    if (!wanted || s->mode == TRACED_TRIGGER_NONE ||
        (s->state != TRACED_CONFIGURED && s->state != TRACED_STARTED))
        return;
    if (wanted->producer_name_regex && *wanted->producer_name_regex &&
        !traced_regex_match(wanted->producer_name_regex, producer->name))
        return;
    if (wanted->skip_probability > 0 && draw() < wanted->skip_probability)
        return;
    if (wanted->max_per_24_h && count_of_today(history, hash, now) >= wanted->max_per_24_h)
        return;
    bool first = s->triggers_num == 0;
    struct traced_trigger *t = trigger_new(s, producer, wanted, now);
    if (!t)
        return;
    note_in_history(history, hash, now);
    act(s, t, first);
}

void traced_trigger_activate(struct traced_producer *producer, struct orma_str name)
{
    uint64_t now = orma_clock_boottime();

    ORMA_LIST_EACH (struct traced_session, s, &producer->service->sessions, link)
        offer(s, producer, name, now);
}
