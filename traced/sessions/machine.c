#include "traced/sessions/machine.h"

#include <stdlib.h>
#include <string.h>

#include "sdk/base/clock.h"

/* A round that takes longer says nothing: readers take exchanges apart that are. */
#define ROUND_MAX_NS 10000000000
/* No two clocks are further apart, so that drift may be added. */
#define APART_MAX_NS (INT64_C(1) << 62)
/* Whoever claims that its clock jumps to and fro is not told of more often. */
#define TIES_APART_NS 20000000
/* Two clocks go apart by no more than so many millionths, or older rounds are forgotten. */
#define DRIFT_PPM 200

static void machine_free(struct traced_machine *m)
{
    orma_list_remove(&m->link);
    orma_buf_fini(&m->info);
    ORMA_VEC_FINI(&m->ties);
    free(m);
}

/* True: one is gone, so that there is room. Relays choose their ids, and may choose another one
 * each time that they come. */
static bool make_room(struct orma_list *machines, bool (*is_here)(const void *ctx, uint32_t id),
                      const void *ctx)
{
    ORMA_LIST_EACH (struct traced_machine, m, machines, link) {
        if (is_here(ctx, m->id))
            continue;
        machine_free(m);
        return true;
    }
    return false;
}

struct traced_machine *traced_machine_get(struct orma_list *machines, uint32_t id,
                                          bool (*is_here)(const void *ctx, uint32_t id),
                                          const void *ctx)
{
    size_t num = 0;

    if (!id)
        return NULL; /* it has not said who it is */
    ORMA_LIST_EACH (struct traced_machine, m, machines, link) {
        if (m->id == id)
            return m;
        num++;
    }
    if (num >= TRACED_MACHINES_MAX && !make_room(machines, is_here, ctx))
        return NULL;
    struct traced_machine *m = calloc(1, sizeof(*m));
    if (!m)
        return NULL;
    m->id = id;
    orma_list_insert(machines, &m->link);
    return m;
}

/* ---- clocks ---- */

static bool read_boottime(const struct traced_exchange *x, uint64_t *ret)
{
    for (uint32_t i = 0; i < x->client_num; i++) {
        if (x->client[i].id == ORMA_CLOCK_BOOTTIME) {
            *ret = x->client[i].ts;
            return true;
        }
    }
    return false;
}

static uint64_t host_boottime(const struct traced_exchange *x)
{
    return x->host.now[0];
}

/* False: the relay did not read this clock, or what it says cannot be. */
static bool measure(struct traced_round *r)
{
    const uint64_t h1 = host_boottime(&r->ping), h2 = host_boottime(&r->update);
    uint64_t c1, c2;

    if (!read_boottime(&r->ping, &c1) || !read_boottime(&r->update, &c2))
        return false;
    if (c2 - c1 > ROUND_MAX_NS || h2 - h1 > ROUND_MAX_NS)
        return false; /* also those that go back */
    r->ns = h1;
    r->at_least = ORMA_MAX((int64_t)(c1 - h1), (int64_t)(c2 - h2));
    r->at_most = (int64_t)(c2 - h1);
    return r->at_least <= r->at_most && r->at_least > -APART_MAX_NS && r->at_most < APART_MAX_NS;
}

/* Bounds that all rounds agree on, at the time of the last one. Those that do not are older, and
 * are forgotten. */
static void find_bounds(struct traced_machine *self, int64_t *ret_least, int64_t *ret_most)
{
    const struct traced_round *last = &self->rounds[self->rounds_num - 1];
    int64_t least = last->at_least, most = last->at_most;
    uint32_t i = self->rounds_num - 1;

    while (i > 0) {
        const struct traced_round *r = &self->rounds[i - 1];
        const uint64_t age = last->ns - r->ns;
        const int64_t drift = (int64_t)(age / 1000000 * DRIFT_PPM);
        int64_t now_least = ORMA_MAX(least, r->at_least - drift);
        int64_t now_most = ORMA_MIN(most, r->at_most + drift);

        if (now_least > now_most || age > INT64_MAX / DRIFT_PPM)
            break;
        least = now_least;
        most = now_most;
        i--;
    }
    memmove(self->rounds, self->rounds + i, (self->rounds_num - i) * sizeof(*self->rounds));
    self->rounds_num -= i;
    *ret_least = least;
    *ret_most = most;
}

static void move_client(struct traced_exchange *x, uint64_t boottime_wanted)
{
    uint64_t now = 0;

    (void)read_boottime(x, &now); /* it has one: it was measured */
    for (uint32_t i = 0; i < x->client_num; i++)
        x->client[i].ts += boottime_wanted - now;
}

static void move_host(struct traced_exchange *x, uint64_t boottime_wanted)
{
    const uint64_t by = boottime_wanted - host_boottime(x);

    for (size_t i = 0; i < TRACED_CLOCKS_NS; i++)
        x->host.now[i] += by;
}

/*
 * The same at a later time: a round as it would be if each way were the fastest that was ever seen.
 * Readers use it for times from there on: so none of these may be in what was read before.
 */
static struct traced_round known_at(struct traced_round known, uint64_t now)
{
    const uint64_t not_known = (uint64_t)(known.at_most - known.at_least),
                   at = now + not_known; /* later than any time that was handed over until now */
    const int64_t drift = (int64_t)((at - known.ns) / 1000000 * DRIFT_PPM);

    known.ns = at;
    known.at_least -= drift;
    known.at_most += drift;
    move_host(&known.ping, at);
    move_client(&known.ping, at + (uint64_t)known.at_least);
    move_client(&known.update, at + (uint64_t)known.at_most);
    move_host(&known.update, at + (uint64_t)(known.at_most - known.at_least));
    return known;
}

struct traced_round traced_machine_known_now(const struct traced_machine *self)
{
    return known_at(self->known, orma_clock_boottime());
}

static int64_t middle(const struct traced_round *r)
{
    return r->at_least + (r->at_most - r->at_least) / 2;
}

static bool agrees(const struct traced_round *tie, const struct traced_round *known)
{
    const int64_t apart = (int64_t)((uint64_t)middle(tie) - (uint64_t)middle(known)),
                  may_be = (known->at_most - known->at_least) / 32;

    return apart <= may_be && apart >= -may_be &&
           (tie->at_most - tie->at_least) / 4 * 3 <= known->at_most - known->at_least;
}

static void add_tie(struct traced_machine *self, const struct traced_round *tie)
{
    if (self->ties.len == TRACED_TIES_MAX) {
        memmove(&self->ties.data[0], &self->ties.data[1],
                sizeof(self->ties.data[0]) * --self->ties.len);
        self->ties_gone++;
    }
    (void)ORMA_VEC_PUSH(&self->ties, *tie); /* no memory: the next round will be one */
}

static void add_round(struct traced_machine *self, const struct traced_round *now)
{
    if (self->rounds_num && now->ns < self->rounds[self->rounds_num - 1].ns)
        return; /* cannot be: it is our own clock */
    if (self->rounds_num == TRACED_ROUNDS_MAX)
        memmove(&self->rounds[0], &self->rounds[1], sizeof(*now) * --self->rounds_num);
    self->rounds[self->rounds_num++] = *now;
    self->known = *now;
    find_bounds(self, &self->known.at_least, &self->known.at_most);
    self->has_known = true;
    if (self->ties.len && now->ns < self->ties.data[self->ties.len - 1].ns + TIES_APART_NS)
        return; /* or the last one is not over yet */
    if (!self->ties.len || !agrees(&self->ties.data[self->ties.len - 1], &self->known)) {
        const struct traced_round tie = known_at(self->known, host_boottime(&now->update));

        add_tie(self, &tie);
    }
}

uint64_t traced_machine_tie_at(const struct traced_machine *self, uint64_t ns)
{
    size_t i = self->ties.len;

    while (i > 1 && self->ties.data[i - 1].ns > ns)
        i--;
    return self->ties_gone + (i ? i - 1 : 0);
}

void traced_machine_add_exchange(struct traced_machine *self, const void *by, bool is_ping,
                                 const struct traced_exchange *now)
{
    struct traced_round round = {.ping = self->ping, .update = *now};

    /* What two relays of a machine send is in no order: an update may have been on its way. */
    if (is_ping)
        self->ping = *now;
    else if (self->ping_by == by && measure(&round))
        add_round(self, &round);
    self->ping_by = is_ping ? by : self->ping_by == by ? NULL : self->ping_by;
    if (self->exchanges_num == TRACED_EXCHANGES_MAX)
        memmove(&self->exchanges[0], &self->exchanges[1],
                sizeof(self->exchanges[0]) * --self->exchanges_num);
    self->exchanges[self->exchanges_num++] = *now;
}

void traced_machines_free(struct orma_list *machines)
{
    ORMA_LIST_EACH (struct traced_machine, m, machines, link)
        machine_free(m);
}
