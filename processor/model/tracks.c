#include "processor/model/tracks.h"

#include "processor/model/translate.h"

void orma_tracks_init(struct orma_tracks *self, struct orma_storage *storage,
                      const struct orma_known_strings *known)
{
    *self = (struct orma_tracks){.storage = storage, .known = known};
}

void orma_tracks_fini(struct orma_tracks *self)
{
    orma_map_fini(&self->by_identity);
    orma_args_list_fini(&self->dims);
}

static uint32_t commit_dims(struct orma_tracks *self, const struct orma_track_spec *spec)
{
    orma_args_list_clear(&self->dims);
    for (unsigned i = 0; i < spec->dims_num; i++) {
        const struct orma_track_dim *d = &spec->dims[i];

        if (d->is_text)
            orma_args_put_str(&self->dims, d->key, (uint32_t)d->value);
        else
            orma_args_put_int(&self->dims, d->key, d->value);
    }
    return orma_args_intern(&self->storage->args, &self->dims);
}

static uint32_t event_word(const struct orma_tracks *self, enum orma_track_event event)
{
    switch (event) {
    case ORMA_TRACK_SLICES:
        return self->known->slice;
    case ORMA_TRACK_COUNTER:
        return self->known->counter;
    case ORMA_TRACK_STATES:
        return self->known->state;
    }
    return 0;
}

static uint32_t add(struct orma_tracks *self, const struct orma_track_spec *spec, uint32_t type,
                    uint32_t dims)
{
    struct orma_table *t = &self->storage->tables[ORMA_TABLE_TRACK];
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_TRACK_NAME, row,
                   self->translations
                       ? orma_translate_track(self->translations, (uint16_t)spec->machine,
                                              spec->type, spec->name)
                       : spec->name);
    orma_table_set(t, ORMA_TRACK_TYPE, row, type);
    orma_table_set(t, ORMA_TRACK_EVENT_TYPE, row, event_word(self, spec->event));
    orma_table_set(t, ORMA_TRACK_COUNTER_UNIT, row, spec->unit);
    orma_table_set(t, ORMA_TRACK_MACHINE_ID, row, spec->machine);
    if (spec->parent != ORMA_TRACK_NONE)
        orma_table_set(t, ORMA_TRACK_PARENT_ID, row, spec->parent);
    orma_storage_set_args(t, ORMA_TRACK_DIMENSION_ARG_SET_ID, row, dims);
    if (spec->source_args)
        orma_storage_set_args(t, ORMA_TRACK_SOURCE_ARG_SET_ID, row,
                              orma_args_commit(&self->storage->args, spec->source_args));
    for (unsigned i = 0; i < spec->dims_num; i++) {
        if (spec->dims[i].key == self->known->utid)
            orma_table_set(t, ORMA_TRACK_UTID, row, spec->dims[i].value);
        else if (spec->dims[i].key == self->known->upid)
            orma_table_set(t, ORMA_TRACK_UPID, row, spec->dims[i].value);
    }
    return row;
}

uint32_t orma_tracks_add(struct orma_tracks *self, const struct orma_track_spec *spec)
{
    uint32_t type = orma_storage_cstr(self->storage, spec->type);

    return add(self, spec, type, commit_dims(self, spec));
}

static uint32_t lately_slot(const struct orma_track_spec *spec)
{
    uint64_t h = (uintptr_t)spec->type * 0x9e3779b97f4a7c15u ^ spec->machine;

    for (unsigned i = 0; i < spec->dims_num; i++)
        h = (h ^ (uint64_t)spec->dims[i].value ^ (uint64_t)spec->dims[i].key << 48) *
            0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 40) % ORMA_TRACKS_LATELY;
}

static bool is_same(const struct orma_track_lately *l, const struct orma_track_spec *spec)
{
    if (l->type != spec->type || l->machine != spec->machine || l->dims_num != spec->dims_num)
        return false;
    for (unsigned i = 0; i < spec->dims_num; i++)
        if (l->dims[i].key != spec->dims[i].key || l->dims[i].value != spec->dims[i].value ||
            l->dims[i].is_text != spec->dims[i].is_text)
            return false;
    return true;
}

uint32_t orma_tracks_find_lately(const struct orma_tracks *self, const struct orma_track_spec *spec)
{
    const struct orma_track_lately *l;

    if (spec->dims_num > ORMA_ARRAY_LEN(l->dims))
        return ORMA_TRACK_NONE;
    l = &self->lately[lately_slot(spec)];
    return is_same(l, spec) ? l->track : ORMA_TRACK_NONE;
}

static void remember(struct orma_tracks *self, const struct orma_track_spec *spec, uint32_t track)
{
    struct orma_track_lately *l;

    if (spec->dims_num > ORMA_ARRAY_LEN(l->dims) || track == ORMA_ROW_NONE)
        return;
    l = &self->lately[lately_slot(spec)];
    *l = (struct orma_track_lately){
        .type = spec->type, .machine = spec->machine, .track = track, .dims_num = spec->dims_num};
    for (unsigned i = 0; i < spec->dims_num; i++)
        l->dims[i] = spec->dims[i];
}

/* 32 bits of set, 26 of type, 6 of machine: exact while there are fewer types than that. */
static uint64_t identity(uint32_t dims, uint32_t type, uint32_t machine)
{
    return (uint64_t)dims << 32 | (uint64_t)type << 6 | machine;
}

/* The sets got other numbers: somebody looked at args while the import goes on. */
ORMA_COLD static void identify_anew(struct orma_tracks *self)
{
    const struct orma_table *t = &self->storage->tables[ORMA_TABLE_TRACK];
    struct orma_map made = {0};

    ORMA_MAP_EACH (slot, &self->by_identity) {
        uint32_t row = (uint32_t)slot->val;
        uint32_t dims = orma_table_is_null(t, ORMA_TRACK_DIMENSION_ARG_SET_ID, row)
                            ? ORMA_ARG_SET_NONE
                            : (uint32_t)orma_table_int(t, ORMA_TRACK_DIMENSION_ARG_SET_ID, row);

        if (orma_map_put(&made,
                         identity(dims, (uint32_t)orma_table_int(t, ORMA_TRACK_TYPE, row),
                                  (uint32_t)orma_table_int(t, ORMA_TRACK_MACHINE_ID, row)),
                         row))
            self->storage->failed = true;
    }
    orma_map_fini(&self->by_identity);
    self->by_identity = made;
    self->settled = self->storage->args.settled;
}

static uint32_t get_slow(struct orma_tracks *self, const struct orma_track_spec *spec)
{
    uint32_t type = orma_storage_cstr(self->storage, spec->type);
    uint32_t dims = commit_dims(self, spec);

    if (ORMA_UNLIKELY(self->settled != self->storage->args.settled))
        identify_anew(self);
    uint64_t key = identity(dims, type, spec->machine);
    uint64_t have = orma_map_get(&self->by_identity, key);

    if (have != ORMA_MAP_NONE)
        return (uint32_t)have;
    uint32_t track = add(self, spec, type, dims);
    if (orma_map_put(&self->by_identity, key, track))
        self->storage->failed = true;
    return track;
}

uint32_t orma_tracks_get(struct orma_tracks *self, const struct orma_track_spec *spec)
{
    uint32_t track = orma_tracks_find_lately(self, spec);

    if (ORMA_LIKELY(track != ORMA_TRACK_NONE))
        return track;
    track = get_slow(self, spec);
    remember(self, spec, track);
    return track;
}
