/*
 * Turns of the loop: work in slices, so that no client waits for the backlog of another.
 *
 * Whatever may take long is a piece of work with a function that does one slice
 * of it. Waiting work stands in two queues, consumers' requests in the first:
 *
 *   urgent:  [consumer] [consumer]            one slice of each queue in turn,
 *   other:   [producer] [scrape] [file] ...   until TRACED_TURN_NS are over
 *
 * What has more to do goes to the end of its queue. Between two turns the loop
 * looks at sockets and timers. A slice ends by its cost (struct traced_budget),
 * or by the clock where single steps are not ours to cut (rules 100 to 102 of
 * docs/service.md).
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_LOOP_TURN_H
#define ORMA_TRACED_LOOP_TURN_H
#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/defs.h"
#include "sdk/base/list.h"

/* What one turn of the loop may take, and one slice of it. */
#define TRACED_TURN_NS 2000000u
#define TRACED_SLICE_NS 500000u
/* The cost of a slice, in units of about one copied byte; see traced_budget_spend(). */
#define TRACED_SLICE_COST ((int64_t)1 << 20)

struct traced_work {
    struct orma_list link; /* traced_turns.urgent or .other, or in none */
    /* One slice. True: there is more. When it returns false, the work may be freed already. */
    bool (*slice)(struct traced_work *self);
    bool urgent;
};

struct traced_turns {
    struct orma_list urgent, other; /* traced_work.link */
    struct event *event;
    uint64_t spent_ns, last_ns; /* of work done at once, see traced_turns_do() */
    bool urgent_next;
};

/* What is left of a slice. */
struct traced_budget {
    int64_t left;
};

static inline struct traced_budget traced_budget(void)
{
    return (struct traced_budget){TRACED_SLICE_COST};
}

static inline void traced_budget_spend(struct traced_budget *self, uint64_t cost)
{
    self->left -= (int64_t)cost;
}

static inline bool traced_budget_over(const struct traced_budget *self)
{
    return self->left <= 0;
}

/* -ENOMEM. */
int traced_turns_init(struct traced_turns *self, struct event_base *base);
void traced_turns_fini(struct traced_turns *self);

/* A slice of it at one of the next turns. Nothing happens if it waits already. */
void traced_turns_add(struct traced_turns *self, struct traced_work *work);

/* A slice of it at once if this turn has time and nobody waits, else as with traced_turns_add(). */
void traced_turns_do(struct traced_turns *self, struct traced_work *work);

/* To be called before the work is freed. Fine if it does not wait. */
static inline void traced_work_cancel(struct traced_work *work)
{
    orma_list_remove(&work->link);
}

static inline bool traced_work_waits(const struct traced_work *work)
{
    return !orma_list_empty(&work->link);
}
#endif
