/*
 * Interned data is a table per field. Ids that follow each other closely index an array
 * (dense); others go through a map (sparse), so that a large id costs no memory for those
 * before it. Generations, interned data and sums are counted by reference and shared: a new
 * generation copies the pointers, and only a clear makes new tables.
 */
#include "processor/read/seq.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "sdk/base/assert.h"
#include "sdk/base/defs.h"
#include "sdk/base/vec.h"
#include "sdk/wire/pb_reader.h"

/* Ids below this may always lie in the dense part. */
#define DENSE_FREE 64

static void interned_unref(struct orma_interned_data *self)
{
    if (!self || --self->refs)
        return;
    for (unsigned i = 0; i < ORMA_INTERNED_KINDS; i++) {
        if (!self->tables[i])
            continue;
        free(self->tables[i]->dense);
        free(self->tables[i]->sparse);
        orma_map_fini(&self->tables[i]->sparse_by_id);
        free(self->tables[i]);
    }
    free(self);
}

static void sums_unref(struct orma_seq_sums *self)
{
    if (!self || --self->refs)
        return;
    orma_map_fini(&self->slots);
    free(self->values);
    free(self);
}

void orma_seq_gen_unref(struct orma_seq_gen *self)
{
    ORMA_ASSERT_HOT(!self || self->refs);
    if (!self || --self->refs)
        return;
    interned_unref(self->interned);
    sums_unref(self->sums);
    free(self);
}

/* A generation that shares the parts given, or has its own where they are NULL. */
static struct orma_seq_gen *gen_new(struct orma_seq *seq, struct orma_interned_data *interned,
                                    struct orma_seq_sums *sums)
{
    struct orma_seq_gen *gen = calloc(1, sizeof(*gen));

    if (!gen)
        return NULL;
    gen->refs = 1;
    gen->seq = seq;
    gen->number = ++seq->gens;
    gen->interned = interned ? interned : calloc(1, sizeof(*interned));
    gen->sums = sums ? sums : calloc(1, sizeof(*sums));
    if (gen->interned)
        gen->interned->refs++;
    if (gen->sums)
        gen->sums->refs++;
    if (!gen->interned || !gen->sums) {
        orma_seq_gen_unref(gen);
        return NULL;
    }
    return gen;
}

struct orma_seq *orma_seqs_get(struct orma_seqs *self, uint32_t machine, uint32_t id)
{
    uint64_t key = orma_seqs_key(self, machine, id);
    struct orma_seq *seq = orma_map_get_ptr(&self->by_id, key);

    if (ORMA_LIKELY(seq))
        return seq;
    seq = calloc(1, sizeof(*seq));
    if (seq) {
        *seq = (struct orma_seq){
            .id = id, .machine = machine, .file = self->file, .trace = self->trace};
        seq->gen = gen_new(seq, NULL, NULL);
    }
    if (!seq || !seq->gen || orma_map_put_ptr(&self->by_id, key, seq)) {
        if (seq)
            orma_seq_gen_unref(seq->gen);
        free(seq);
        self->failed = true;
        return NULL;
    }
    return seq;
}

void orma_seqs_fini(struct orma_seqs *self)
{
    ORMA_MAP_EACH (slot, &self->by_id) {
        struct orma_seq *seq = (struct orma_seq *)(uintptr_t)slot->val;

        orma_seq_gen_unref(seq->gen);
        free(seq->read_ahead.items);
        free(seq);
    }
    orma_map_fini(&self->by_id);
}

int orma_seq_clear(struct orma_seq *self)
{
    struct orma_seq_gen *gen = gen_new(self, NULL, NULL);

    self->valid = gen != NULL;
    self->times.known = false;
    if (!gen)
        return -ENOMEM;
    gen->has_pid = self->gen->has_pid; /* a sequence stays with its thread */
    gen->pid = self->gen->pid;
    gen->tid = self->gen->tid;
    orma_seq_gen_unref(self->gen);
    self->gen = gen;
    return 0;
}

int orma_seq_restart_sums(struct orma_seq *self)
{
    struct orma_seq_gen *gen = gen_new(self, self->gen->interned, NULL);

    if (!gen)
        return -ENOMEM;
    struct orma_seq_sums *sums = gen->sums;
    *gen = *self->gen;
    gen->refs = 1;
    gen->kept = 0;
    gen->sums = sums;
    orma_seq_gen_unref(self->gen);
    self->gen = gen;
    return 0;
}

static void put_uuid(uint64_t *uuids, uint8_t *num, uint64_t uuid)
{
    if (*num < ORMA_SEQ_EXTRA_COUNTERS)
        uuids[(*num)++] = uuid;
}

static void read_event_defaults(struct orma_seq_gen *gen, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader packed = {0};
        uint64_t val;

        switch (f.id) {
        case ORMA_PB_TRACK_EVENT_DEFAULTS_TRACK_UUID:
            gen->track_uuid = orma_pb_u64(&f);
            gen->has_track = true;
            break;
        case ORMA_PB_TRACK_EVENT_DEFAULTS_EXTRA_COUNTER_TRACK_UUIDS:
            for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &val);)
                put_uuid(gen->extra_uuids, &gen->extra_num, val);
            break;
        case ORMA_PB_TRACK_EVENT_DEFAULTS_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS:
            for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &val);)
                put_uuid(gen->extra_double_uuids, &gen->extra_double_num, val);
            break;
        }
    }
}

int orma_seq_set_defaults(struct orma_seq *self, struct orma_str defaults)
{
    struct orma_seq_gen *gen = gen_new(self, self->gen->interned, self->gen->sums);
    struct orma_pb_reader r = orma_pb_reader(defaults.data, defaults.len);
    struct orma_pb_field f;

    if (!gen)
        return -ENOMEM;
    gen->defaults = defaults;
    gen->has_pid = self->gen->has_pid;
    gen->pid = self->gen->pid;
    gen->tid = self->gen->tid;
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_PACKET_DEFAULTS_TIMESTAMP_CLOCK_ID) {
            gen->clock_id = orma_pb_u32(&f);
            gen->has_clock = orma_pb_u32(&f) != 0;
        } else if (f.id == ORMA_PB_TRACE_PACKET_DEFAULTS_TRACK_EVENT_DEFAULTS) {
            read_event_defaults(gen, orma_pb_str(&f));
        }
    }
    orma_seq_gen_unref(self->gen);
    self->gen = gen;
    return 0;
}

static struct orma_intern_table *table_of(struct orma_interned_data *self, uint32_t kind)
{
    if (!self->tables[kind])
        self->tables[kind] = calloc(1, sizeof(*self->tables[kind]));
    return self->tables[kind];
}

/* A place for a new id: dense while ids come about one by one, so that a hostile id costs little.
 */
static struct orma_interned *dense_slot(struct orma_intern_table *t, uint64_t iid)
{
    if (iid >= t->dense_len) {
        uint32_t len = (uint32_t)ORMA_MAX(iid + 1, (uint64_t)t->dense_len * 2);
        struct orma_interned *dense = realloc(t->dense, len * sizeof(*dense));

        if (!dense)
            return NULL;
        memset(dense + t->dense_len, 0, (len - t->dense_len) * sizeof(*dense));
        t->dense = dense;
        t->dense_len = len;
    }
    return &t->dense[iid];
}

static struct orma_interned *sparse_slot(struct orma_intern_table *t, uint64_t iid)
{
    uint64_t idx = orma_map_get(&t->sparse_by_id, iid);

    if (idx != ORMA_MAP_NONE)
        return &t->sparse[idx];
    if (ORMA_GROW(&t->sparse, &t->sparse_cap, t->sparse_len + (size_t)1))
        return NULL;
    if (orma_map_put(&t->sparse_by_id, iid, t->sparse_len))
        return NULL;
    t->sparse[t->sparse_len] = (struct orma_interned){0};
    return &t->sparse[t->sparse_len++];
}

static bool is_dense(const struct orma_intern_table *t, uint64_t iid)
{
    return iid < t->dense_len || iid < DENSE_FREE || iid < (uint64_t)t->dense_len * 2;
}

struct orma_interned *orma_seq_gen_find_slow(const struct orma_seq_gen *self, uint32_t kind,
                                             uint64_t iid)
{
    struct orma_intern_table *t = kind < ORMA_INTERNED_KINDS ? self->interned->tables[kind] : NULL;
    uint64_t idx = t ? orma_map_get(&t->sparse_by_id, iid) : ORMA_MAP_NONE;

    return idx == ORMA_MAP_NONE ? NULL : &t->sparse[idx];
}

/* Every interned message has its id in field 1. */
static int intern_one(struct orma_interned_data *self, const struct orma_pb_field *entry)
{
    struct orma_pb_reader r = orma_pb_sub(entry);
    struct orma_pb_field f;
    uint64_t iid = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == 1) {
            iid = orma_pb_u64(&f);
            break;
        }
    }
    if (!iid || iid == ORMA_MAP_NONE || r.failed)
        return -EBADMSG;
    struct orma_intern_table *t = table_of(self, entry->id);
    if (!t)
        return -ENOMEM;
    if (orma_map_get(&t->sparse_by_id, iid) != ORMA_MAP_NONE)
        return 0;
    struct orma_interned *slot = is_dense(t, iid) ? dense_slot(t, iid) : sparse_slot(t, iid);
    if (!slot)
        return -ENOMEM;
    if (!slot->data)
        *slot = (struct orma_interned){entry->data, (uint32_t)entry->len, 0};
    return 0;
}

int orma_seq_intern(struct orma_seq *self, struct orma_str data)
{
    struct orma_pb_reader r = orma_pb_reader(data.data, data.len);
    struct orma_pb_field f;
    int bad = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id >= ORMA_INTERNED_EXTENSIONS)
            f.id = f.id - ORMA_INTERNED_EXTENSIONS + ORMA_INTERNED_COMPUTE_KERNELS;
        int one = f.id < ORMA_INTERNED_KINDS && f.wire == ORMA_PB_LEN
                      ? intern_one(self->gen->interned, &f)
                      : 0;

        if (one == -ENOMEM)
            return one;
        bad += one != 0 && bad < INT_MAX;
    }
    return r.failed && !bad ? 1 : bad;
}

double orma_seq_gen_sum(struct orma_seq_gen *self, uint64_t track_uuid, double delta)
{
    struct orma_seq_sums *s = self->sums;
    uint64_t slot = orma_map_get(&s->slots, track_uuid);

    if (slot == ORMA_MAP_NONE) {
        if (ORMA_GROW(&s->values, &s->cap, s->num + (size_t)1) ||
            orma_map_put(&s->slots, track_uuid, s->num))
            return delta;
        s->values[s->num] = 0;
        slot = s->num++;
    }
    return s->values[slot] += delta;
}

union orma_seq_ahead *orma_seq_keep_ahead(struct orma_seq *self, uint32_t num)
{
    const uint32_t left = self->read_ahead.num - self->read_ahead.at;

    /* Where at least half of it is done, what is left moves instead of growing. */
    if ((size_t)self->read_ahead.num + num > self->read_ahead.cap && self->read_ahead.at >= left) {
        if (left)
            memmove(self->read_ahead.items, self->read_ahead.items + self->read_ahead.at,
                    left * sizeof(*self->read_ahead.items));
        self->read_ahead.at = 0;
        self->read_ahead.num = left;
    }
    if (ORMA_GROW(&self->read_ahead.items, &self->read_ahead.cap,
                  (size_t)self->read_ahead.num + num))
        return NULL;
    self->read_ahead.num += num;
    return &self->read_ahead.items[self->read_ahead.num - num];
}
