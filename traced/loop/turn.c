#include "traced/loop/turn.h"

#include <errno.h>

#include "sdk/base/assert.h"
#include "sdk/base/clock.h"

/* Between slices that are further apart than this the loop has rested. */
#define REST_NS 200000u

static bool idle(const struct traced_turns *self)
{
    return orma_list_empty(&self->urgent) && orma_list_empty(&self->other);
}

/* A timer, not event_active(): that would be served before any socket. */
static void call_again(struct traced_turns *self)
{
    struct timeval now = {0, 0};

    if (!evtimer_pending(self->event, NULL))
        event_add(self->event, &now);
}

static void enqueue(struct traced_turns *self, struct traced_work *work)
{
    orma_list_insert(work->urgent ? &self->urgent : &self->other, &work->link);
}

/* Takes from the queues in turn. */
static struct traced_work *take(struct traced_turns *self)
{
    struct orma_list *from = self->urgent_next ? &self->urgent : &self->other;

    if (orma_list_empty(from))
        from = self->urgent_next ? &self->other : &self->urgent;
    self->urgent_next = from == &self->other;
    struct traced_work *work = ORMA_CONTAINER_OF(from->next, struct traced_work, link);
    orma_list_remove(&work->link);
    return work;
}

static void run(struct traced_turns *self, struct traced_work *work)
{
    if (work->slice(work) && !traced_work_waits(work))
        enqueue(self, work);
}

static void on_turn(evutil_socket_t fd, short what, void *arg)
{
    struct traced_turns *self = arg;
    uint64_t end = orma_clock_monotonic() + TRACED_TURN_NS;

    (void)fd;
    (void)what;
    while (!idle(self)) {
        run(self, take(self));
        if (orma_clock_monotonic() >= end)
            break;
    }
    self->spent_ns = 0;
    if (!idle(self))
        call_again(self);
}

int traced_turns_init(struct traced_turns *self, struct event_base *base)
{
    *self = (struct traced_turns){.urgent_next = true};
    orma_list_init(&self->urgent);
    orma_list_init(&self->other);
    self->event = evtimer_new(base, on_turn, self);
    return self->event ? 0 : -ENOMEM;
}

void traced_turns_fini(struct traced_turns *self)
{
    if (self->event)
        event_free(self->event);
    self->event = NULL;
}

void traced_turns_add(struct traced_turns *self, struct traced_work *work)
{
    ORMA_ASSERT_HOT(work->slice);
    if (traced_work_waits(work))
        return;
    enqueue(self, work);
    call_again(self);
}

/*
 * Most of the time nothing waits, and a detour over the queue would cost each
 * commit a second round of the loop. What is done at once is added up until the
 * loop rests.
 */
void traced_turns_do(struct traced_turns *self, struct traced_work *work)
{
    uint64_t now;

    if (traced_work_waits(work))
        return;
    if (!idle(self) || ((now = orma_clock_monotonic()) - self->last_ns < REST_NS &&
                        self->spent_ns >= TRACED_TURN_NS)) {
        traced_turns_add(self, work);
        return;
    }
    if (now - self->last_ns >= REST_NS)
        self->spent_ns = 0;
    if (work->slice(work) && !traced_work_waits(work))
        traced_turns_add(self, work);
    self->last_ns = orma_clock_monotonic();
    self->spent_ns += self->last_ns - now;
}
