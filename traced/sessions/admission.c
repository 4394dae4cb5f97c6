/*
 * The checks run in an order that clients know; the first that fails decides the
 * text. Semaphores are counted by name in one walk over the other sessions.
 */
#include "traced/sessions/admission.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/clock.h"
#include "traced/config/names.h"
#include "traced/sessions/session.h"

#define GUARDED_PAUSE_NS ((uint64_t)300 * 1000000000)

/* What the checks work on. */
struct admission {
    const struct traced_sessions *sessions;
    const Perfetto__Protos__TraceConfig *config;
    int32_t uid;
    struct orma_buf *error;
};

#define REFUSE(c, ...) (orma_buf_printf((c)->error, __VA_ARGS__), -EINVAL)

static bool is_active(const struct traced_session *s)
{
    return s->state != TRACED_CLONED && s->state != TRACED_DISABLED;
}

static int check_exclusive(const struct admission *c)
{
    uint32_t max = 0;

    ORMA_LIST_EACH (struct traced_session, s, &c->sessions->list, link)
        if (s->state != TRACED_CLONED)
            max = ORMA_MAX(max, s->config->exclusive_prio);
    if (max && max >= c->config->exclusive_prio)
        return REFUSE(c,
                      "An exclusive session with priority %u >= requested priority %u is already "
                      "active.",
                      max, c->config->exclusive_prio);
    return 0;
}

static int check_unique_name(const struct admission *c)
{
    const char *name = c->config->unique_session_name;

    if (!name || !*name)
        return 0;
    ORMA_LIST_EACH (struct traced_session, s, &c->sessions->list, link)
        if (s->state != TRACED_CLONED && s->config->unique_session_name &&
            !strcmp(s->config->unique_session_name, name))
            return REFUSE(c, "A trace with this unique session name (%s) already exists", name);
    return 0;
}

typedef Perfetto__Protos__TraceConfig__SessionSemaphore semaphore_t;

static struct orma_str semaphore_name(const semaphore_t *sem)
{
    return orma_str_from(sem->name ? sem->name : "");
}

/* How other sessions hold the semaphores of this config, by name. */
struct semaphore_uses {
    struct traced_names names;
    struct semaphore_use {
        uint64_t sessions, min;
    } * held;
};

static int list_own(const struct admission *c, struct semaphore_uses *h)
{
    int r = 0;

    h->held = calloc(c->config->n_session_semaphores + 1, sizeof(*h->held));
    if (!h->held)
        return -ENOMEM;
    for (size_t i = 0; i < c->config->n_session_semaphores && r >= 0; i++) {
        r = traced_names_add(&h->names, semaphore_name(c->config->session_semaphores[i]), NULL);
        h->held[i].min = UINT64_MAX;
    }
    return r;
}

static void count_others(const struct admission *c, struct semaphore_uses *h)
{
    ORMA_LIST_EACH (struct traced_session, s, &c->sessions->list, link)
        for (size_t i = 0; is_active(s) && i < s->config->n_session_semaphores; i++) {
            const semaphore_t *theirs = s->config->session_semaphores[i];
            uint32_t idx = traced_names_find(&h->names, semaphore_name(theirs));

            if (idx == TRACED_NAMES_NONE)
                continue;
            h->held[idx].sessions++;
            h->held[idx].min = ORMA_MIN(h->held[idx].min, theirs->max_other_session_count);
        }
}

static int check_semaphore(const struct admission *c, const struct semaphore_uses *h,
                           const semaphore_t *sem)
{
    const struct semaphore_use *held = &h->held[traced_names_find(&h->names, semaphore_name(sem))];

    if (held->sessions > ORMA_MIN(held->min, sem->max_other_session_count))
        return REFUSE(c,
                      "Semaphore \"%s\" exceeds maximum allowed other session count (%" PRIu64
                      " > min(%" PRIu64 ", %" PRIu64 "))",
                      sem->name ? sem->name : "", held->sessions, sem->max_other_session_count,
                      held->min);
    return 0;
}

static int check_semaphores(const struct admission *c)
{
    struct semaphore_uses h = {0};
    int r = list_own(c, &h);

    if (r >= 0)
        count_others(c, &h);
    for (size_t i = 0; i < c->config->n_session_semaphores && r >= 0; i++)
        r = check_semaphore(c, &h, c->config->session_semaphores[i]);
    traced_names_fini(&h.names);
    free(h.held);
    return r < 0 ? r : 0;
}

static int check_pause(const struct admission *c)
{
    if (!c->config->enable_extra_guardrails)
        return 0;
    const char *name = c->config->unique_session_name ? c->config->unique_session_name : "";
    const struct traced_recent_sessions *recent = &c->sessions->recent;
    uint64_t now = orma_clock_boottime();

    for (size_t i = 0; i < recent->num; i++)
        if (!strcmp(recent->items[i].name, name) && now - recent->items[i].ts < GUARDED_PAUSE_NS)
            return REFUSE(c,
                          "A trace with unique session name \"%s\" began less than 300s ago (%us)",
                          name, (unsigned)((now - recent->items[i].ts) / 1000000000));
    return 0;
}

static int check_limits(const struct admission *c)
{
    size_t mine = 0, all = 0, orphans = 0;
    size_t max =
        c->uid == TRACED_STATSD_UID ? TRACED_SESSIONS_STATSD_MAX : TRACED_SESSIONS_PER_UID_MAX;

    ORMA_LIST_EACH (struct traced_session, s, &c->sessions->list, link) {
        orphans += s->output.orphan;
        all += !s->output.orphan;
        mine += !s->output.orphan && s->uid == c->uid;
    }
    if (mine >= max)
        return REFUSE(c, "Too many concurrent tracing sesions (%zu) for uid %d limit is %zu", mine,
                      c->uid, max);
    if (all >= TRACED_SESSIONS_MAX)
        return REFUSE(c, "Too many concurrent tracing sesions (%zu)", all);
    if (orphans >= TRACED_ORPHANS_MAX)
        return REFUSE(c,
                      "Too many trace files are still being written although their consumers are "
                      "gone (%zu): wait for the disk",
                      orphans);
    return 0;
}

int traced_admission_check(const struct traced_sessions *sessions,
                           const Perfetto__Protos__TraceConfig *config, int32_t uid,
                           struct orma_buf *error)
{
    static int (*const checks[])(const struct admission *) = {
        check_exclusive, check_unique_name, check_semaphores, check_pause, check_limits,
    };
    struct admission c = {sessions, config, uid, error};
    int r = 0;

    for (size_t i = 0; i < ORMA_ARRAY_LEN(checks) && r == 0; i++)
        r = checks[i](&c);
    return r;
}

void traced_admission_note(struct traced_recent_sessions *recent,
                           const Perfetto__Protos__TraceConfig *config)
{
    if (!config->enable_extra_guardrails)
        return;
    struct traced_recent_session *slot = &recent->items[recent->at++ % TRACED_RECENT_MAX];
    recent->num = ORMA_MIN(recent->num + 1, TRACED_RECENT_MAX);
    *slot = (struct traced_recent_session){.ts = orma_clock_boottime()};
    if (config->unique_session_name)
        strncpy(slot->name, config->unique_session_name, sizeof(slot->name) - 1);
}
