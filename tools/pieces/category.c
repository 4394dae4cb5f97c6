#include "tools/pieces/category.h"

#include <stdlib.h>

#include "protos/fields/interned_data.h"
#include "protos/fields/track_event.h"
#include "sdk/base/hash.h"
#include "sdk/base/vec.h"

/* Whether the open slices of a track are wanted, from the outermost one on. */
struct orma_pieces_nest {
    ORMA_VEC(bool) wanted;
};

struct orma_pieces_open {
    uint64_t track, number;
    int64_t ts;
    bool is_end, wanted;
};

void orma_pieces_categories_fini(struct orma_pieces_categories *self)
{
    for (uint32_t i = 0; i < self->stacks_num; i++)
        ORMA_VEC_FINI(&self->stacks[i].wanted);
    free(self->stacks);
    free(self->shared);
    orma_map_fini(&self->names);
    orma_map_fini(&self->tracks);
    orma_map_fini(&self->ends);
    orma_map_fini(&self->nests);
}

void orma_pieces_categories_begin(struct orma_pieces_categories *self)
{
    orma_map_clear(&self->names);
}

/* ---- names ---- */

static uint64_t name_key(const struct orma_pieces_seq *seq, uint64_t iid)
{
    return orma_mix64((uint64_t)seq->index << 32 ^ orma_mix64(iid));
}

static void intern(struct orma_pieces_categories *self, const struct orma_pieces_seq *seq,
                   const struct orma_pb_field *entry)
{
    struct orma_pb_reader r = orma_pb_sub(entry);
    struct orma_pb_field f;
    struct orma_str name = {"", 0};
    uint64_t iid = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_EVENT_CATEGORY_IID)
            iid = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_EVENT_CATEGORY_NAME && f.wire == ORMA_PB_LEN)
            name = orma_pb_str(&f);
    }
    const uint64_t known = orma_map_get(&self->names, name_key(seq, iid));
    if (known != ORMA_MAP_NONE && known >> 1 == seq->gen)
        return; /* the first definition stays */
    const uint64_t val = (uint64_t)seq->gen << 1 | self->wants(self->ctx, name);
    self->failed |= orma_map_put(&self->names, name_key(seq, iid), val) < 0;
}

void orma_pieces_categories_intern(struct orma_pieces_categories *self,
                                   const struct orma_pieces_seq *seq,
                                   const struct orma_read_packet *p)
{
    struct orma_pb_reader r = orma_pb_reader(p->interned.data, p->interned.len);
    struct orma_pb_field f;

    if (!p->interned.data || !seq->seq->valid)
        return;
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_INTERNED_DATA_EVENT_CATEGORIES && f.wire == ORMA_PB_LEN)
            intern(self, seq, &f);
}

/* That the event names itself. */
static bool names_wanted(struct orma_pieces_categories *self, const struct orma_pieces_seq *seq,
                         struct orma_str payload)
{
    struct orma_pb_reader r = orma_pb_reader(payload.data, payload.len);
    struct orma_pb_field f;
    uint64_t iid;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACK_EVENT_CATEGORIES && f.wire == ORMA_PB_LEN &&
            self->wants(self->ctx, orma_pb_str(&f)))
            return true;
        if (f.id != ORMA_PB_TRACK_EVENT_CATEGORY_IIDS)
            continue;
        struct orma_pb_reader packed = {0};

        for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &iid);) {
            const uint64_t known = orma_map_get(&self->names, name_key(seq, iid));

            if (known != ORMA_MAP_NONE && known >> 1 == seq->gen && known & 1)
                return true;
        }
    }
    return false;
}

/* ---- slices ---- */

static bool is_shared(const struct orma_pieces_categories *self, const struct orma_pieces_event *e)
{
    return orma_map_get(&self->tracks, e->key) == 0;
}

void orma_pieces_categories_note(struct orma_pieces_categories *self, struct orma_pieces_seq *seq,
                                 const struct orma_pieces_event *e, int64_t ts)
{
    if (e->edge == ORMA_PIECES_NEITHER)
        return;
    const bool late = orma_pieces_known_edge(seq, ts);
    const uint64_t of = orma_map_get(&self->tracks, e->key), here = seq->index + (uint64_t)1;

    if (of && (late || of != here))
        self->failed |=
            orma_map_put(&self->tracks, e->key, of == ORMA_MAP_NONE && !late ? here : 0) < 0;
}

void orma_pieces_categories_collect(struct orma_pieces_categories *self,
                                    const struct orma_pieces_seq *seq,
                                    const struct orma_pieces_event *e, struct orma_str payload,
                                    int64_t ts, uint64_t number)
{
    const bool is_end = e->edge == ORMA_PIECES_END;

    if (e->edge == ORMA_PIECES_NEITHER || !is_shared(self, e))
        return;
    if (ORMA_GROW(&self->shared, &self->shared_cap, self->shared_num + (size_t)1)) {
        self->failed = true;
        return;
    }
    self->shared[self->shared_num++] =
        (struct orma_pieces_open){.track = e->key,
                                  .number = number,
                                  .ts = ts,
                                  .is_end = is_end,
                                  .wanted = !is_end && names_wanted(self, seq, payload)};
}

static int by_track(const void *a, const void *b)
{
    const struct orma_pieces_open *x = a, *y = b;

    if (x->track != y->track)
        return x->track < y->track ? -1 : 1;
    if (x->ts != y->ts)
        return x->ts < y->ts ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

void orma_pieces_categories_match(struct orma_pieces_categories *self)
{
    ORMA_VEC(bool) open = {0};

    if (self->shared_num)
        qsort(self->shared, self->shared_num, sizeof(*self->shared), by_track);
    for (uint32_t i = 0; i < self->shared_num; i++) {
        const struct orma_pieces_open *o = &self->shared[i];

        if (i && o->track != o[-1].track)
            open.len = 0;
        if (!o->is_end)
            self->failed |= ORMA_VEC_PUSH(&open, o->wanted) < 0;
        else if (open.len && open.data[--open.len])
            self->failed |= orma_map_put(&self->ends, o->number, 1) < 0;
    }
    ORMA_VEC_FINI(&open);
    free(self->shared);
    self->shared = NULL;
    self->shared_num = self->shared_cap = 0;
}

static struct orma_pieces_nest *nest_of(struct orma_pieces_categories *self, uint64_t key)
{
    const uint64_t found = orma_map_get(&self->nests, key);

    if (found != ORMA_MAP_NONE)
        return &self->stacks[found];
    if (ORMA_GROW(&self->stacks, &self->stacks_cap, self->stacks_num + (size_t)1) ||
        orma_map_put(&self->nests, key, self->stacks_num)) {
        self->failed = true;
        return NULL;
    }
    self->stacks[self->stacks_num] = (struct orma_pieces_nest){0};
    return &self->stacks[self->stacks_num++];
}

bool orma_pieces_categories_wants(struct orma_pieces_categories *self,
                                  const struct orma_pieces_seq *seq,
                                  const struct orma_pieces_event *e, struct orma_str payload,
                                  uint64_t number)
{
    const bool shared = e->edge != ORMA_PIECES_NEITHER && is_shared(self, e);

    if (e->edge == ORMA_PIECES_END && shared)
        return orma_map_get(&self->ends, number) != ORMA_MAP_NONE;
    if (e->edge == ORMA_PIECES_END) {
        struct orma_pieces_nest *nest = nest_of(self, e->key);

        return nest && nest->wanted.len && nest->wanted.data[--nest->wanted.len];
    }
    const bool wanted = names_wanted(self, seq, payload);
    if (e->edge == ORMA_PIECES_BEGIN && !shared) {
        struct orma_pieces_nest *nest = nest_of(self, e->key);

        self->failed |= !nest || ORMA_VEC_PUSH(&nest->wanted, wanted) < 0;
    }
    return wanted;
}
