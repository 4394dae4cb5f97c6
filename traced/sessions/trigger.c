#include "traced/sessions/trigger.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "sdk/base/clock.h"
#include "sdk/base/hash.h"
#include "traced/config/config.h"
#include "traced/config/names.h"
#include "traced/config/wanted.h"
#include "traced/endpoints/consumer.h"
#include "traced/internal.h"
#include "traced/producers/producer.h"
#include "traced/sessions/session_internal.h"

#define DAY_NS ((uint64_t)24 * 3600 * 1000000000)
/* Rule 43: of each session so many are remembered, the rest is ignored. */
#define TRIGGERS_MAX 1024

typedef Perfetto__Protos__TraceConfig__TriggerConfig__Trigger wanted_t;

/* ---- how often a name came within a day ---- */

/* Of one name in the history. */
struct traced_trigger_count {
    struct traced_trigger_count *same_hash;
    uint64_t hash;
    uint32_t num;
    size_t len;
    char name[];
};

static struct traced_trigger_count *find_count(const struct traced_trigger_history *h,
                                               struct orma_str name, uint64_t hash)
{
    struct traced_trigger_count *c = orma_map_get_ptr(&h->counts, hash);

    while (c && (c->len != name.len || memcmp(c->name, name.data, name.len)))
        c = c->same_hash;
    return c;
}

static void free_count(struct traced_trigger_history *h, struct traced_trigger_count *c)
{
    struct traced_trigger_count *at = orma_map_get_ptr(&h->counts, c->hash);

    if (at != c) {
        while (at->same_hash != c)
            at = at->same_hash;
        at->same_hash = c->same_hash;
    } else if (c->same_hash) {
        (void)orma_map_put_ptr(&h->counts, c->hash, c->same_hash); /* replaces: needs no memory */
    } else {
        orma_map_take(&h->counts, c->hash);
    }
    free(c);
}

static void forget_oldest(struct traced_trigger_history *h)
{
    struct traced_trigger_count *c = h->items[h->head++ % TRACED_TRIGGER_HISTORY_MAX].count;

    h->len--;
    if (--c->num == 0)
        free_count(h, c);
}

static uint32_t count_of_today(struct traced_trigger_history *h, struct orma_str name, uint64_t now)
{
    while (h->len && now - h->items[h->head % TRACED_TRIGGER_HISTORY_MAX].ts >= DAY_NS)
        forget_oldest(h);
    const struct traced_trigger_count *c = find_count(h, name, traced_names_hash(&h->secret, name));
    return c ? c->num : 0;
}

static struct traced_trigger_count *new_count(struct traced_trigger_history *h,
                                              struct orma_str name, uint64_t hash)
{
    struct traced_trigger_count *c = malloc(sizeof(*c) + name.len);

    if (!c)
        return NULL;
    *c = (struct traced_trigger_count){orma_map_get_ptr(&h->counts, hash), hash, 0, name.len};
    memcpy(c->name, name.data, name.len);
    if (orma_map_put_ptr(&h->counts, hash, c) == 0)
        return c;
    free(c);
    return NULL;
}

static void note_in_history(struct traced_trigger_history *h, struct orma_str name, uint64_t now)
{
    uint64_t hash = traced_names_hash(&h->secret, name);

    if (h->len == TRACED_TRIGGER_HISTORY_MAX)
        forget_oldest(h);
    struct traced_trigger_count *c = find_count(h, name, hash);
    if (!c)
        c = new_count(h, name, hash);
    if (!c)
        return; /* no memory: not counted */
    c->num++;
    uint32_t at = (h->head + h->len++) % TRACED_TRIGGER_HISTORY_MAX;
    h->items[at].ts = now;
    h->items[at].count = c;
}

void traced_trigger_history_fini(struct traced_trigger_history *self)
{
    while (self->len)
        forget_oldest(self);
    orma_map_fini(&self->counts);
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
    struct traced_trigger *t = calloc(1, sizeof(*t));

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

/* In [0, 1). */
static double draw(struct traced_service *svc)
{
    while (!svc->random)
        (void)!getrandom(&svc->random, sizeof(svc->random), 0); /* 8 bytes are never cut short */
    svc->random = orma_mix64(svc->random + 0x9e3779b97f4a7c15u);
    return (double)(svc->random >> 11) / (double)(UINT64_C(1) << 53);
}

static bool listens(const struct traced_session *s)
{
    return s->mode != TRACED_TRIGGER_NONE && s->triggers_num < TRIGGERS_MAX &&
           (s->state == TRACED_CONFIGURED || s->state == TRACED_STARTED);
}

static void offer(struct traced_session *s, const struct traced_producer *producer,
                  struct orma_str name, uint64_t now)
{
    struct traced_trigger_history *history = &s->service->trigger_history;
    uint32_t idx = listens(s) ? traced_wanted_trigger(s->wanted, name) : TRACED_WANTED_NONE;

    if (idx == TRACED_WANTED_NONE)
        return;
    const wanted_t *wanted = s->config->trigger_config->triggers[idx];
    if (!wanted->name || !traced_wanted_may_trigger(s->wanted, idx, producer))
        return;
    if (wanted->skip_probability > 0 && draw(s->service) < wanted->skip_probability)
        return;
    if (wanted->max_per_24_h && count_of_today(history, name, now) >= wanted->max_per_24_h)
        return;
    bool first = s->triggers_num == 0;
    struct traced_trigger *t = trigger_new(s, producer, wanted, now);
    if (!t)
        return;
    note_in_history(history, name, now);
    act(s, t, first);
}

void traced_trigger_activate(struct traced_producer *producer, struct orma_str name)
{
    uint64_t now = orma_clock_boottime();

    ORMA_LIST_EACH (struct traced_session, s, &producer->service->sessions, link)
        offer(s, producer, name, now);
}
