/*
 * A round marks how much each producer has sent (marks), then goes through the
 * marks twice: until each socket has been read as far, and until each memory has
 * been scraped. `at` is the place in the marks; a slice ends by its cost.
 */
#include "traced/sessions/gather.h"

#include <stdlib.h>

#include "sdk/base/assert.h"
#include "traced/network/conn.h"
#include "traced/producers/commit.h"
#include "traced/producers/producer.h"
#include "traced/sessions/registry.h"
#include "traced/sessions/session.h"

enum { COST_LOOK = 64 };

/* May it have written for this session? */
static bool is_involved(const struct traced_session *s, const struct traced_producer *p)
{
    for (size_t i = 0; i < s->buffers_num && p->targets.len; i++)
        if (orma_map_get(&p->targets, s->buffers[i].id) != ORMA_MAP_NONE)
            return true;
    return false;
}

static void move_all(struct orma_list *from, struct orma_list *to)
{
    while (!orma_list_empty(from)) {
        struct orma_list *link = from->next;

        orma_list_remove(link);
        orma_list_insert(to, link);
    }
}

/* Without memory for the marks nobody is waited for. */
static void begin_round(struct traced_gather *self)
{
    struct traced_session *s = self->session;

    move_all(&self->next, &self->now);
    self->marks = calloc(s->registry->producers->num + 1, sizeof(*self->marks));
    self->marks_num = self->at = 0;
    self->rounds++;
    self->running = true;
    self->scraping = false;
    self->page = 0;
    ORMA_LIST_EACH (struct traced_producer, p, &s->registry->producers->list, link)
        if (self->marks && is_involved(s, p))
            self->marks[self->marks_num++] =
                (struct traced_gather_mark){traced_conn_mark(p->conn), p->id};
}

static struct traced_producer *producer_at(const struct traced_gather *self)
{
    return orma_map_get_ptr(&self->session->registry->producers->by_id,
                            self->marks[self->at].producer_id);
}

/* True: all have handed over what they had. */
static bool hear(struct traced_gather *self, struct traced_budget *budget)
{
    for (; self->at < self->marks_num; self->at++) {
        struct traced_producer *p = producer_at(self);

        traced_budget_spend(budget, COST_LOOK);
        if (traced_budget_over(budget))
            return false;
        if (p && !traced_conn_passed(p->conn, self->marks[self->at].mark)) {
            traced_turns_add(&p->registry->loop->turns,
                             &p->conn->work); /* its turn comes before ours */
            return false;
        }
    }
    return true;
}

/* Who stands still can't hand over what is complete, so that is taken even where the producer wants
 * to do so itself; a chunk that is copied is not copied again by its commit. */
static bool may_scrape(struct traced_producer *p)
{
    p->only_complete = !p->scraping;
    return p->scraping || p->still.sure;
}

static bool scrape(struct traced_gather *self, struct traced_budget *budget)
{
    for (; self->at < self->marks_num; self->at++, self->page = 0) {
        struct traced_producer *p = producer_at(self);

        traced_budget_spend(budget, COST_LOOK);
        if (traced_budget_over(budget) ||
            (p && may_scrape(p) &&
             traced_scrape_some(p, &self->session->targets, &self->page, budget)))
            return false;
    }
    return true;
}

/* Those who wait are called from a list of ours: any of them may free the session. */
static void end_round(struct traced_gather *self)
{
    struct orma_list done;

    orma_list_init(&done);
    move_all(&self->now, &done);
    free(self->marks);
    self->marks = NULL;
    self->running = false;
    if (!orma_list_empty(&self->next))
        traced_turns_add(&self->session->registry->loop->turns, &self->work);
    while (!orma_list_empty(&done)) {
        struct traced_gather_wait *wait =
            ORMA_CONTAINER_OF(done.next, struct traced_gather_wait, link);

        orma_list_remove(&wait->link);
        wait->fn(wait);
    }
}

static bool slice(struct traced_work *work)
{
    struct traced_gather *self = ORMA_CONTAINER_OF(work, struct traced_gather, work);
    struct traced_budget budget = traced_budget();

    if (!self->running)
        begin_round(self);
    if (!self->scraping && !hear(self, &budget))
        return true;
    if (!self->scraping)
        self->at = 0;
    self->scraping = true;
    if (!scrape(self, &budget))
        return true;
    end_round(self);
    return false;
}

void traced_gather_init(struct traced_gather *self, struct traced_session *session)
{
    *self = (struct traced_gather){.session = session, .work.slice = slice};
    orma_list_init(&self->now);
    orma_list_init(&self->next);
}

void traced_gather_fini(struct traced_gather *self)
{
    struct orma_list gone;

    traced_work_cancel(&self->work);
    orma_list_init(&gone);
    move_all(&self->now, &gone);
    move_all(&self->next, &gone);
    while (!orma_list_empty(&gone))
        orma_list_remove(gone.next);
    free(self->marks);
    self->marks = NULL;
}

void traced_gather_begin(struct traced_gather *self, struct traced_gather_wait *wait)
{
    ORMA_ASSERT(wait->fn && !traced_gather_waits(wait));
    orma_list_insert(&self->next, &wait->link);
    traced_turns_add(&self->session->registry->loop->turns, &self->work);
}
