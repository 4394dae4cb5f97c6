/* A table of open addresses that is thinned out when it is full. */
#include "processor/read/twice.h"

#include <errno.h>
#include <stdlib.h>

#include "sdk/base/defs.h"
#include "sdk/base/hash.h"

#define SLOTS 65536u
#define FULL (SLOTS / 4 * 3)
/* So much of either end of a payload is looked at. */
#define ENDS 64
/* A bundle of kernel events that is shorter has none. */
#define BUNDLE_MIN 24
/* Of 2^40 packets one is kept. */
#define ZEROES_MAX 40

struct orma_twice_slot {
    uint64_t key; /* of what is cheap to look at: decides what is kept */
    uint32_t sum; /* of the bytes */
    uint32_t part; /* and one; 0: the slot is free */
};

void orma_twice_fini(struct orma_twice *self)
{
    free(self->slots);
    self->slots = NULL;
}

/* Fields whose packets are what happened, or was measured, at a time. Descriptions are in every
 * piece of a trace, and do no harm there. */
static bool is_counted(const struct orma_read_packet *p)
{
    switch (p->field) {
    case ORMA_PB_TRACE_PACKET_FTRACE_EVENTS:
        return p->payload.len >= BUNDLE_MIN;
    case ORMA_PB_TRACE_PACKET_SYS_STATS:
    case ORMA_PB_TRACE_PACKET_PROCESS_STATS:
    case ORMA_PB_TRACE_PACKET_TRACK_EVENT:
    case ORMA_PB_TRACE_PACKET_PROFILE_PACKET:
    case ORMA_PB_TRACE_PACKET_STREAMING_PROFILE_PACKET:
    case ORMA_PB_TRACE_PACKET_PERF_SAMPLE:
    case ORMA_PB_TRACE_PACKET_BATTERY:
    case ORMA_PB_TRACE_PACKET_POWER_RAILS:
    case ORMA_PB_TRACE_PACKET_ANDROID_LOG:
    case ORMA_PB_TRACE_PACKET_GPU_COUNTER_EVENT:
    case ORMA_PB_TRACE_PACKET_ETW_EVENTS:
        return p->has_timestamp;
    }
    return false;
}

/* Bundles have no time of their own, but begin with one. */
static uint64_t key_of(const struct orma_read_packet *p, uint16_t machine, int64_t ts)
{
    const struct orma_str s = p->payload;
    const uint64_t kind = (uint64_t)p->field << 48 | (uint64_t)machine << 32 | (uint32_t)s.len;
    const uint64_t at = p->has_timestamp ? (uint64_t)ts : orma_hash_bytes(s.data, BUNDLE_MIN);

    return orma_mix64(at ^ orma_mix64(kind));
}

static uint32_t sum_of(const struct orma_read_packet *p)
{
    const struct orma_str s = p->payload;
    const size_t head = ORMA_MIN(s.len, (size_t)ENDS), tail = ORMA_MIN(s.len - head, (size_t)ENDS);
    const uint64_t hash = orma_hash_bytes_from(s.len, s.data, head);

    return (uint32_t)orma_hash_bytes_from(hash, s.data + s.len - tail, tail);
}

static bool is_kept(const struct orma_twice *self, uint64_t key)
{
    return !(key & ((UINT64_C(1) << self->zeroes) - 1));
}

/* Where the two are, or would be. */
static struct orma_twice_slot *find(struct orma_twice_slot *slots, uint64_t key, uint32_t sum)
{
    uint32_t at = (uint32_t)(orma_mix64(key ^ sum) >> 48) % SLOTS;

    while (slots[at].part && (slots[at].key != key || slots[at].sum != sum))
        at = (at + 1) % SLOTS;
    return &slots[at];
}

/* Half of what is there, until it fits; nothing, where all keys are alike. */
static bool thin_out(struct orma_twice *self)
{
    struct orma_twice_slot *slots = calloc(SLOTS, sizeof(*slots)), *old = self->slots;

    if (!slots)
        return false;
    while (self->num >= FULL && self->zeroes < ZEROES_MAX) {
        self->zeroes++;
        self->num = 0;
        for (uint32_t i = 0; i < SLOTS; i++)
            self->num += old[i].part && is_kept(self, old[i].key);
    }
    if (self->num >= FULL)
        self->num = 0;
    for (uint32_t i = 0; i < SLOTS && self->num; i++)
        if (old[i].part && is_kept(self, old[i].key))
            *find(slots, old[i].key, old[i].sum) = old[i];
    free(old);
    self->slots = slots;
    return true;
}

int64_t orma_twice_look(struct orma_twice *self, const struct orma_read_packet *p, uint16_t machine,
                        int64_t ts)
{
    if (!is_counted(p))
        return 0;
    const uint64_t key = key_of(p, machine, ts);
    if (ORMA_LIKELY(!is_kept(self, key)))
        return 0;
    if (!self->slots && !(self->slots = calloc(SLOTS, sizeof(*self->slots))))
        return -ENOMEM;
    const uint32_t sum = sum_of(p);
    struct orma_twice_slot *slot = find(self->slots, key, sum);
    if (slot->part)
        return slot->part == self->part + 1 ? 0 : INT64_C(1) << self->zeroes;
    *slot = (struct orma_twice_slot){key, sum, self->part + 1};
    if (++self->num >= FULL && !thin_out(self))
        return -ENOMEM;
    return 0;
}
