/*
 * Domains are nodes, kinds of snapshots their edges. search() is a breadth-first search that
 * stops after four edges; of several ways of one length it takes the one with the lowest numbers;
 * its result is a span: within it the conversion is one addition, and the caller keeps it until the
 * time leaves the span or `epoch` says that a snapshot was added. Within an edge the snapshot is
 * found by bisection. A kind keeps one array of times per clock, all of one length.
 */
#include "processor/read/clock.h"

#include <stdlib.h>
#include <string.h>

#include "sdk/base/defs.h"
#include "sdk/base/endian.h"
#include "sdk/base/hash.h"
#include "sdk/base/search.h"
#include "sdk/base/vec.h"

#define HOPS_MAX 4
#define SNAPSHOT_CLOCKS_MAX 256

struct hop {
    uint32_t kind, from, to; /* columns of the kind */
};

struct orma_clock_domain {
    uint64_t key;
    int64_t unit_ns;
    int64_t last_raw; /* incremental clocks */
    bool incremental;
    bool backwards;      /* was seen going back: leads nowhere any more, in no kind */
    struct hop *members; /* kinds this clock is in: .from is its column */
    uint32_t members_num;
    /* the way found last */
    uint64_t path_to;
    uint32_t path_epoch;
    uint32_t path_len;
    struct hop path[HOPS_MAX];
    /* where the last search found no way to */
    uint64_t lost_to;
    uint32_t lost_epoch; /* + 1; 0: never */
    /* of one search */
    uint64_t search_id;
    uint32_t search_from; /* domain */
    struct hop search_hop;
};

struct column {
    uint32_t domain;
    int64_t *ns; /* by snapshot */
};

struct orma_clock_kind {
    struct column *columns;
    uint32_t columns_num;
    uint32_t len, cap; /* snapshots */
    uint32_t *even;    /* those from which the difference changes evenly to the next; ascending */
    uint32_t even_num, even_cap;
    uint64_t rank;
};

void orma_clocks_fini(struct orma_clocks *self)
{
    for (uint32_t i = 0; i < self->kinds_num; i++) {
        for (uint32_t c = 0; c < self->kinds[i].columns_num; c++)
            free(self->kinds[i].columns[c].ns);
        free(self->kinds[i].columns);
        free(self->kinds[i].even);
    }
    for (uint32_t i = 0; i < self->domains_num; i++)
        free(self->domains[i].members);
    free(self->kinds);
    free(self->domains);
    orma_map_fini(&self->by_key);
    orma_map_fini(&self->by_list);
    *self = (struct orma_clocks){0};
}

static struct orma_clock_domain *find(const struct orma_clocks *self, uint64_t key)
{
    uint64_t idx = orma_map_get(&self->by_key, key);

    return idx == ORMA_MAP_NONE ? NULL : &self->domains[idx];
}

static bool add_domain(struct orma_clocks *self, const struct orma_clock_value *v)
{
    if (ORMA_GROW(&self->domains, &self->domains_cap, self->domains_num + (size_t)1) ||
        orma_map_put(&self->by_key, v->key, self->domains_num))
        return false;
    self->domains[self->domains_num++] = (struct orma_clock_domain){
        .key = v->key, .unit_ns = v->unit_ns, .incremental = v->incremental};
    return true;
}

/* Which kind a snapshot is of: the same clocks in the same order. */
static uint64_t hash_list(const struct orma_clock_value *v, uint32_t num)
{
    uint64_t hash = num;

    for (uint32_t i = 0; i < num; i++)
        hash = orma_mix64(hash * 31 + v[i].key);
    return hash;
}

/* Of several kinds that join two clocks, the one of the lowest rank is used. Any order would do;
 * with this one the usual kinds of snapshots come as in the reference reader. */
static uint64_t rank_of(const struct orma_clock_value *v, uint32_t num)
{
    uint64_t hash = ORMA_FNV1A_BASIS;

    for (uint32_t i = 0; i < num; i++) {
        const uint32_t id = ORMA_LE32(orma_clock_id(v[i].key));

        hash = orma_fnv1a(hash, &id, sizeof(id));
    }
    return hash;
}

static bool add_member(struct orma_clock_domain *d, uint32_t kind, uint32_t column)
{
    struct hop *members = realloc(d->members, (d->members_num + 1) * sizeof(*members));

    if (!members)
        return false;
    d->members = members;
    d->members[d->members_num++] = (struct hop){kind, column, 0};
    return true;
}

static struct orma_clock_kind *add_kind(struct orma_clocks *self, const struct orma_clock_value *v,
                                        uint32_t num, uint64_t hash)
{
    if (ORMA_GROW(&self->kinds, &self->kinds_cap, self->kinds_num + (size_t)1))
        return NULL;
    struct orma_clock_kind *kind = &self->kinds[self->kinds_num];
    bool ok = true;

    *kind = (struct orma_clock_kind){.columns = calloc(num, sizeof(*kind->columns)),
                                     .columns_num = num,
                                     .rank = rank_of(v, num)};
    if (!kind->columns)
        return NULL;
    for (uint32_t i = 0; i < num; i++) {
        uint64_t domain = orma_map_get(&self->by_key, v[i].key);

        kind->columns[i].domain = (uint32_t)domain;
        if (!add_member(&self->domains[domain], self->kinds_num, i))
            ok = false;
    }
    self->kinds_num++; /* from here on the destructor knows it */
    self->epoch++;
    if (!ok || orma_map_put(&self->by_list, hash, self->kinds_num - 1))
        return NULL;
    return kind;
}

static struct orma_clock_kind *kind_of(struct orma_clocks *self, const struct orma_clock_value *v,
                                       uint32_t num)
{
    uint64_t hash = hash_list(v, num);
    uint64_t idx = orma_map_get(&self->by_list, hash);
    return idx == ORMA_MAP_NONE ? add_kind(self, v, num, hash) : &self->kinds[idx];
}

static bool push_snapshot(struct orma_clock_kind *kind, const struct orma_clock_value *v)
{
    uint32_t cap = kind->cap;

    for (uint32_t i = 0; i < kind->columns_num; i++) {
        cap = kind->cap;
        if (ORMA_GROW(&kind->columns[i].ns, &cap, kind->len + (size_t)1))
            return false;
    }
    kind->cap = cap;
    for (uint32_t i = 0; i < kind->columns_num; i++)
        kind->columns[i].ns[kind->len] = (int64_t)((uint64_t)v[i].raw * (uint64_t)v[i].unit_ns);
    kind->len++;
    return true;
}

/* A clock is there twice, or changed its unit. */
static bool contradicts(const struct orma_clocks *self, const struct orma_clock_value *v,
                        uint32_t at)
{
    const struct orma_clock_domain *d = find(self, v[at].key);

    for (uint32_t i = 0; i < at; i++)
        if (v[i].key == v[at].key)
            return true;
    return d && (d->unit_ns != v[at].unit_ns || d->incremental != v[at].incremental);
}

static bool is_unit_good(const struct orma_clock_value *v, uint64_t trace_clock)
{
    return v->key != trace_clock || v->unit_ns == 1;
}

/* What a snapshot must not do. */
static bool acceptable(const struct orma_clocks *self, const struct orma_clock_value *v,
                       uint32_t num, uint64_t trace_clock)
{
    for (uint32_t i = 0; i < num; i++) {
        if (contradicts(self, v, i) || !is_unit_good(&v[i], trace_clock))
            return false;
        if (v[i].key != trace_clock)
            continue;
        uint64_t kind = orma_map_get(&self->by_list, hash_list(v, num));
        if (kind != ORMA_MAP_NONE && self->kinds[kind].len &&
            v[i].raw < self->kinds[kind].columns[i].ns[self->kinds[kind].len - 1])
            return false;
    }
    return true;
}

/* The clocks of a snapshot are known from here on, also if it is refused: those before the one that
 * is wrong. */
static void know(struct orma_clocks *self, const struct orma_clock_value *v, uint32_t num,
                 uint64_t trace_clock)
{
    for (uint32_t i = 0; i < num && !contradicts(self, v, i) && is_unit_good(&v[i], trace_clock);
         i++)
        if (!find(self, v[i].key) && !add_domain(self, &v[i]))
            self->failed = true;
}

bool orma_clocks_add(struct orma_clocks *self, const struct orma_clock_value *v, uint32_t num,
                     uint64_t trace_clock)
{
    if (!num || num > SNAPSHOT_CLOCKS_MAX)
        return false;
    const bool good = acceptable(self, v, num, trace_clock);
    know(self, v, num, trace_clock);
    if (!good)
        return false;
    struct orma_clock_kind *kind = self->failed ? NULL : kind_of(self, v, num);
    if (!kind || !push_snapshot(kind, v)) {
        self->failed = true;
        return false;
    }
    for (uint32_t i = 0; i < num; i++) {
        const struct column *col = &kind->columns[i];
        struct orma_clock_domain *d = &self->domains[col->domain];

        d->last_raw = v[i].raw;
        if (kind->len > 1 && col->ns[kind->len - 1] < col->ns[kind->len - 2] && !d->backwards) {
            d->backwards = true;
            self->epoch++;
        }
    }
    self->snapshots_num++;
    memset(self->cache, 0, sizeof(self->cache));
    return true;
}

void orma_clocks_go_evenly(struct orma_clocks *self, const struct orma_clock_value *v, uint32_t num)
{
    uint64_t idx = orma_map_get(&self->by_list, hash_list(v, num));
    struct orma_clock_kind *kind = idx == ORMA_MAP_NONE ? NULL : &self->kinds[idx];

    if (!kind || !kind->len)
        return;
    if (ORMA_GROW(&kind->even, &kind->even_cap, kind->even_num + (size_t)1)) {
        self->failed = true;
        return;
    }
    kind->even[kind->even_num++] = kind->len - 1;
}

bool orma_clocks_describe(const struct orma_clocks *self, uint64_t key, int64_t *ret_unit,
                          bool *ret_incremental)
{
    const struct orma_clock_domain *d = find(self, key);

    if (!d)
        return false;
    *ret_unit = d->unit_ns;
    *ret_incremental = d->incremental;
    return true;
}

int64_t orma_clocks_get_raw(const struct orma_clocks *self, uint64_t key)
{
    const struct orma_clock_domain *d = find(self, key);

    return d ? d->last_raw : 0;
}

void orma_clocks_set_raw(struct orma_clocks *self, uint64_t key, int64_t raw)
{
    struct orma_clock_domain *d = find(self, key);

    if (d)
        d->last_raw = raw;
}

static void take_path(struct orma_clocks *self, struct orma_clock_domain *from,
                      struct orma_clock_domain *to)
{
    struct hop way[HOPS_MAX];
    uint32_t len = 0;

    for (struct orma_clock_domain *at = to; at != from && len < HOPS_MAX;
         at = &self->domains[at->search_from])
        way[len++] = at->search_hop;
    from->path_len = len;
    from->path_to = to->key;
    from->path_epoch = self->epoch;
    for (uint32_t i = 0; i < len; i++)
        from->path[i] = way[len - 1 - i];
}

static int by_key(const void *a, const void *b, void *clocks)
{
    const struct orma_clock_domain *domains = ((const struct orma_clocks *)clocks)->domains;
    const uint64_t x = domains[*(const uint32_t *)a].key, y = domains[*(const uint32_t *)b].key;

    return x < y ? -1 : x > y;
}

/* The clocks next to one that no shorter way leads to, in order of their keys, each by the kind of
 * the lowest rank. How many there are. */
static uint32_t neighbours(struct orma_clocks *self, uint32_t at, uint32_t *ret)
{
    const struct orma_clock_domain *from = &self->domains[at];
    uint32_t num = 0;

    for (uint32_t m = 0; m < from->members_num && !from->backwards; m++) {
        const struct hop member = from->members[m];
        const struct orma_clock_kind *kind = &self->kinds[member.kind];

        for (uint32_t c = 0; c < kind->columns_num; c++) {
            struct orma_clock_domain *d = &self->domains[kind->columns[c].domain];

            if (d->search_id != self->searches) {
                d->search_id = self->searches;
                d->search_from = at;
                ret[num++] = kind->columns[c].domain;
            } else if (d->search_from != at || self->kinds[d->search_hop.kind].rank <= kind->rank) {
                continue;
            }
            d->search_hop = (struct hop){member.kind, member.from, c};
        }
    }
    qsort_r(ret, num, sizeof(*ret), by_key, self);
    return num;
}

/* Breadth first from one clock. False: no way of at most HOPS_MAX edges. */
static bool search(struct orma_clocks *self, uint32_t from, uint32_t to)
{
    uint32_t *queue = malloc(self->domains_num * sizeof(*queue));
    uint32_t head = 0, tail = 0, level_end = 1, hops = 0;
    bool found = false;

    if (!queue)
        return false;
    self->searches++;
    queue[tail++] = from;
    self->domains[from].search_id = self->searches;
    self->domains[from].search_from = UINT32_MAX;
    while (head < tail && !found && hops < HOPS_MAX) {
        const uint32_t num = neighbours(self, queue[head++], queue + tail);

        for (uint32_t i = 0; i < num; i++)
            found = found || queue[tail + i] == to;
        tail += num;
        if (head == level_end) {
            level_end = tail;
            hops++;
        }
    }
    free(queue);
    if (found)
        take_path(self, &self->domains[from], &self->domains[to]);
    return found;
}

static int64_t add_clamped(int64_t a, int64_t b)
{
    int64_t sum;

    if (__builtin_add_overflow(a, b, &sum))
        return b < 0 ? INT64_MIN : INT64_MAX;
    return sum;
}

static bool goes_evenly(const struct orma_clock_kind *kind, uint32_t at)
{
    uint32_t i = kind->even_num ? ORMA_LOWER_BOUND(kind->even, kind->even_num, , at) : 0;

    return i < kind->even_num && kind->even[i] == at && at + 1 < kind->len;
}

/* The part of a change that is over at a time between the snapshots `at` and at + 1. */
static int64_t part_of_change(const int64_t *from, const int64_t *to, uint32_t at, int64_t ns)
{
    const uint64_t whole = (uint64_t)from[at + 1] - (uint64_t)from[at],
                   gone = (uint64_t)ns - (uint64_t)from[at];
    const int64_t change = (int64_t)((uint64_t)to[at + 1] - (uint64_t)to[at] - whole);

    return whole && gone < whole ? (int64_t)((double)change * ((double)gone / (double)whole)) : 0;
}

/* One edge: the snapshot to use and the difference of the two clocks in it. */
static int64_t follow(const struct orma_clocks *self, struct hop hop, int64_t ns,
                      struct orma_clock_span *span)
{
    const struct orma_clock_kind *kind = &self->kinds[hop.kind];
    const int64_t *from = kind->columns[hop.from].ns, *to = kind->columns[hop.to].ns;
    uint32_t after = ORMA_UPPER_BOUND(from, kind->len, , ns), at = after ? after - 1 : 0;
    int64_t offset = (int64_t)((uint64_t)to[at] - (uint64_t)from[at]);
    /* The limits in terms of the first clock of the way. */
    int64_t first_lo = at ? add_clamped(from[at], -span->offset) : INT64_MIN;
    int64_t first_hi = at + 1 < kind->len ? add_clamped(from[at + 1], -span->offset) : INT64_MAX;

    if (goes_evenly(kind, at)) { /* each time has a difference of its own */
        offset = (int64_t)((uint64_t)offset + (uint64_t)part_of_change(from, to, at, ns));
        first_lo = add_clamped(ns, -span->offset);
        first_hi = add_clamped(first_lo, 1);
    }
    span->lo = ORMA_MAX(span->lo, first_lo);
    span->hi = ORMA_MIN(span->hi, first_hi);
    span->offset = (int64_t)((uint64_t)span->offset + (uint64_t)offset);
    return (int64_t)((uint64_t)ns + (uint64_t)offset);
}

/* Counts what a cache of ways would not have had. */
static void count_miss(struct orma_clocks *self, uint64_t from, uint64_t to, int64_t ns,
                       const struct orma_clock_span *span)
{
    for (unsigned i = 0; i < ORMA_CLOCK_CACHE; i++) {
        if (self->cache[i].from == from && self->cache[i].to == to && ns >= self->cache[i].lo &&
            ns < self->cache[i].hi)
            return;
    }
    self->cache_misses++;
    /* The reference reader throws entries out at random, by this very generator. */
    self->cache_random =
        (uint32_t)((uint64_t)(self->cache_random ? self->cache_random : 1) * 48271 % 2147483647);
    unsigned slot = self->cache_random % ORMA_CLOCK_CACHE;
    self->cache_stamp++;
    self->cache[slot].from = from;
    self->cache[slot].to = to;
    self->cache[slot].lo = span->lo;
    self->cache[slot].hi = span->hi;
}

bool orma_clocks_related(struct orma_clocks *self, uint64_t from, uint64_t to)
{
    struct orma_clock_domain *a = find(self, from), *b = find(self, to);

    return a && b &&
           (a == b || search(self, (uint32_t)(a - self->domains), (uint32_t)(b - self->domains)));
}

enum orma_clock_result orma_clocks_convert(struct orma_clocks *self, uint64_t from, int64_t ns,
                                           uint64_t to, int64_t *ret,
                                           struct orma_clock_span *ret_span)
{
    struct orma_clock_span span = {INT64_MIN, INT64_MAX, 0};
    struct orma_clock_domain *d = find(self, from), *target = find(self, to);

    if (from != to) {
        if (!d || !target) {
            self->cache_misses++;
            return d ? ORMA_CLOCK_UNKNOWN_TARGET : ORMA_CLOCK_UNKNOWN_SOURCE;
        }
        if (!d->path_len || d->path_epoch != self->epoch || d->path_to != to) {
            bool lost = d->lost_epoch == self->epoch + 1 && d->lost_to == to;

            if (lost ||
                !search(self, (uint32_t)(d - self->domains), (uint32_t)(target - self->domains))) {
                self->cache_misses++;
                d->lost_epoch = self->epoch + 1;
                d->lost_to = to;
                return ORMA_CLOCK_NO_PATH;
            }
        }
        int64_t at = ns;
        for (uint32_t i = 0; i < d->path_len; i++)
            at = follow(self, d->path[i], at, &span);
        count_miss(self, from, to, ns, &span);
    }
    *ret = (int64_t)((uint64_t)ns + (uint64_t)span.offset);
    if (ret_span)
        *ret_span = span;
    return ORMA_CLOCK_OK;
}
