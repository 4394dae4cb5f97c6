/*
 * Each track has a stack of slices. An entry leaves it lazily: an end only sets the duration, and
 * the next event that comes later than the end trims it. So an outer slice may end first, and
 * nested ones still find it as their parent.
 *
 *   begin A, begin B, end A at 50, event at 60:   [A 0-50][B 10-...]  ->  trim  ->  [] (B ends with
 * A)
 *
 * Depth is the height of the stack. Unnestable tracks hold at most one open slice; further begins
 * are counted and matched by as many ends.
 */
#include "processor/model/slices.h"
#include "processor/model/translate.h"

#include <stdlib.h>

void orma_slices_init(struct orma_slices *self, struct orma_storage *storage)
{
    *self = (struct orma_slices){.storage = storage};
}

static uint16_t machine_of(const struct orma_slices *self, uint32_t track)
{
    return (uint16_t)orma_table_int(&self->storage->tables[ORMA_TABLE_TRACK], ORMA_TRACK_MACHINE_ID,
                                    track);
}

/* What the slice is called, which a translation may say. */
static inline uint32_t name_of(const struct orma_slices *self, uint32_t track, uint32_t name)
{
    uint32_t other = 0;

    if (ORMA_UNLIKELY(self->translations != NULL) && name)
        other = orma_translate_find(self->translations, machine_of(self, track),
                                    ORMA_TRANSLATE_SLICE, name);
    return other ? other : name;
}

static void commit_args(struct orma_slices *self, struct orma_slice_entry *e)
{
    if (!e->pending)
        return;
    e->pending = false;
    if (ORMA_UNLIKELY(self->translations != NULL)) {
        orma_args_decode_places(&self->storage->args, &e->args);
        orma_translate_args(
            self->translations,
            machine_of(self, (uint32_t)orma_table_int(&self->storage->tables[ORMA_TABLE_SLICE],
                                                      ORMA_SLICE_TRACK_ID, e->row)),
            &e->args);
    }
    orma_storage_set_args(&self->storage->tables[ORMA_TABLE_SLICE], ORMA_SLICE_ARG_SET_ID, e->row,
                          orma_args_commit(&self->storage->args, &e->args));
    orma_args_list_clear(&e->args);
}

void orma_slices_finish(struct orma_slices *self)
{
    for (uint32_t i = 0; i < self->stacks_num; i++)
        for (uint32_t j = 0; self->stacks[i] && j < self->stacks[i]->num; j++)
            commit_args(self, &self->stacks[i]->entries[j]);
}

void orma_slices_fini(struct orma_slices *self)
{
    for (uint32_t i = 0; i < self->stacks_num; i++) {
        struct orma_slice_stack *s = self->stacks[i];

        for (uint32_t j = 0; s && j < s->cap; j++)
            orma_args_list_fini(&s->entries[j].args);
        if (s)
            free(s->entries);
        free(s);
    }
    free(self->stacks);
    *self = (struct orma_slices){0};
}

ORMA_COLD static struct orma_slice_stack *stack_new(struct orma_slices *self, uint32_t track)
{
    if (track >= ORMA_ROWS_MAX)
        return NULL;
    if (track >= self->stacks_num) {
        uint32_t num = ORMA_MAX(track + 1, self->stacks_num * 2);
        struct orma_slice_stack **stacks = realloc(self->stacks, num * sizeof(*stacks));

        if (!stacks) {
            self->storage->failed = true;
            return NULL;
        }
        memset(stacks + self->stacks_num, 0, (num - self->stacks_num) * sizeof(*stacks));
        self->stacks = stacks;
        self->stacks_num = num;
    }
    self->stacks[track] = calloc(1, sizeof(*self->stacks[track]));
    if (!self->stacks[track])
        self->storage->failed = true;
    return self->stacks[track];
}

static inline struct orma_slice_stack *stack_of(struct orma_slices *self, uint32_t track)
{
    if (ORMA_LIKELY(track < self->stacks_num && self->stacks[track]))
        return self->stacks[track];
    return stack_new(self, track);
}

ORMA_COLD static bool stack_grow(struct orma_slices *self, struct orma_slice_stack *s)
{
    uint32_t cap = s->cap ? s->cap * 2 : 4;
    struct orma_slice_entry *entries = realloc(s->entries, cap * sizeof(*entries));

    if (!entries) {
        self->storage->failed = true;
        return false;
    }
    memset(entries + s->cap, 0, (cap - s->cap) * sizeof(*entries));
    s->entries = entries;
    s->cap = cap;
    return true;
}

static void set_dur(struct orma_slices *self, struct orma_slice_entry *e, int64_t dur)
{
    e->dur = dur;
    orma_table_set(&self->storage->tables[ORMA_TABLE_SLICE], ORMA_SLICE_DUR, e->row, dur);
}

/* The end of the entry has changed, or what lies below it. */
static inline void note_end(struct orma_slice_stack *s, uint32_t at)
{
    struct orma_slice_entry *e = &s->entries[at];
    const struct orma_slice_entry *below = at ? e - 1 : NULL;

    e->first_end = below ? below->first_end : INT64_MAX;
    e->first_end_long = below ? below->first_end_long : INT64_MAX;
    if (e->dur < 0)
        return;
    e->first_end = ORMA_MIN(e->first_end, e->ts + e->dur);
    if (e->dur)
        e->first_end_long = ORMA_MIN(e->first_end_long, e->ts + e->dur);
}

static void pop(struct orma_slices *self, struct orma_slice_stack *s)
{
    struct orma_slice_entry *e = &s->entries[--s->num];

    s->closed -= e->dur >= 0;
    commit_args(self, e);
}

/* The slice is over, but an open one lies above it: all that lies above ends with it. */
static void end_above(struct orma_slices *self, struct orma_slice_stack *s, uint32_t at)
{
    int64_t end = s->entries[at].ts + s->entries[at].dur;

    while (s->num - 1 > at) {
        struct orma_slice_entry *above = &s->entries[s->num - 1];

        s->closed -= above->dur >= 0;
        set_dur(self, above, end - above->ts);
        s->closed += above->dur >= 0;
        pop(self, s);
    }
    pop(self, s);
    orma_stats_inc(&self->storage->stats[0], ORMA_STAT_MISPLACED_END_EVENT);
}

/*
 * Drops from the stack what is over at `ts`. `instant`: the event that comes
 * has no length, and nests in another instant of the same time.
 */
static void trim_slow(struct orma_slices *self, struct orma_slice_stack *s, int64_t ts,
                      bool instant)
{
    bool open_above = false;
    uint32_t left = s->closed; /* below the last of these there is nothing to do */

    for (uint32_t i = s->num; left && i-- > 0;) {
        struct orma_slice_entry *e = &s->entries[i];

        if (e->dur < 0) {
            open_above = true;
            continue;
        }
        int64_t end = e->ts + e->dur;
        left--;
        if (open_above) {
            if (ts > end)
                end_above(self, s, i);
            if (s->num == i)
                open_above = false;
            continue;
        }
        if (end < ts || (end == ts && !(e->dur == 0 && instant)))
            pop(self, s);
    }
}

/* The same; mostly nothing is over, or only the slice on top. */
static inline void trim(struct orma_slices *self, struct orma_slice_stack *s, int64_t ts,
                        bool instant)
{
    const struct orma_slice_entry *e = s->num ? &s->entries[s->num - 1] : NULL;

    if (!s->closed)
        return;
    if (e->dur >= 0 && e->ts + e->dur < ts)
        pop(self, s);
    if (!s->closed)
        return;
    e = &s->entries[s->num - 1];
    if (e->first_end < ts || (instant ? e->first_end_long : e->first_end) == ts)
        trim_slow(self, s, ts, instant);
}

static inline uint32_t add_row(struct orma_slices *self, int64_t ts, int64_t dur, uint32_t track,
                               uint32_t category, uint32_t name)
{
    struct orma_table *t = &self->storage->tables[ORMA_TABLE_SLICE];
    uint32_t row = orma_table_add(t);

    if (ORMA_UNLIKELY(row == ORMA_ROW_NONE))
        return row;
    orma_table_set_time(t, ORMA_SLICE_TS, row, ts);
    orma_table_put(t, ORMA_SLICE_DUR, row, dur);
    orma_table_put(t, ORMA_SLICE_TRACK_ID, row, track);
    orma_table_put(t, ORMA_SLICE_CATEGORY, row, category);
    orma_table_put(t, ORMA_SLICE_NAME, row, name);
    return row;
}

uint32_t orma_slices_add_row(struct orma_slices *self, int64_t ts, int64_t dur, uint32_t track,
                             uint32_t category, uint32_t name)
{
    return add_row(self, ts, dur, track, category, name);
}

static inline uint32_t push(struct orma_slices *self, struct orma_slice_stack *s, int64_t ts,
                            int64_t dur, uint32_t track, uint32_t category, uint32_t name,
                            const struct orma_args_list *args)
{
    struct orma_table *t = &self->storage->tables[ORMA_TABLE_SLICE];

    if (ORMA_UNLIKELY(s->num >= ORMA_SLICE_DEPTH_MAX)) {
        if (self->too_deep)
            self->too_deep(self->refused_data, ts, s->entries[s->num - 1].row, name);
        else
            orma_stats_inc(&self->storage->stats[0], ORMA_STAT_SLICE_MAX_DEPTH_EXCEEDED);
        return ORMA_SLICE_NONE;
    }
    if (ORMA_UNLIKELY(s->num == s->cap) && !stack_grow(self, s))
        return ORMA_SLICE_NONE;
    name = name_of(self, track, name);
    uint32_t row = add_row(self, ts, dur, track, category, name);
    struct orma_slice_entry *e = &s->entries[s->num];

    orma_table_set(t, ORMA_SLICE_DEPTH, row, s->num);
    if (s->num)
        orma_table_set(t, ORMA_SLICE_PARENT_ID, row, s->entries[s->num - 1].row);
    e->row = row;
    e->category = category;
    e->name = name;
    e->ts = ts;
    e->dur = dur;
    s->closed += dur >= 0;
    note_end(s, s->num++);
    e->pending = args && args->len;
    if (e->pending)
        orma_args_list_copy(&e->args, args);
    if (self->begun)
        self->begun(self->begun_data, track, row);
    return row;
}

uint32_t orma_slices_begin(struct orma_slices *self, int64_t ts, uint32_t track, uint32_t category,
                           uint32_t name, const struct orma_args_list *args)
{
    struct orma_slice_stack *s = stack_of(self, track);

    if (!s)
        return ORMA_SLICE_NONE;
    if (s->num)
        trim(self, s, ts, false);
    if (s->unnestable) {
        s->begins++;
        s->last_begin = ts;
        for (uint32_t i = 0; i < s->num; i++)
            if (s->entries[i].dur < 0)
                return ORMA_SLICE_NONE;
    }
    return push(self, s, ts, -1, track, category, name, args);
}

uint32_t orma_slices_overlapped(struct orma_slices *self, int64_t ts, int64_t dur, uint32_t track)
{
    struct orma_slice_stack *s = stack_of(self, track);
    int64_t end;

    if (!s || dur < 0 || __builtin_add_overflow(ts, dur, &end))
        return ORMA_SLICE_NONE;
    trim(self, s, ts, dur == 0);
    for (uint32_t i = s->num; i-- > 0 && s->entries[i].first_end < end;) {
        const struct orma_slice_entry *e = &s->entries[i];
        int64_t e_end = e->ts + e->dur;

        if (e->dur >= 0 && ts < e_end && e_end < end)
            return e->row;
    }
    return ORMA_SLICE_NONE;
}

int64_t orma_slices_innermost_end(struct orma_slices *self, uint32_t track, int64_t ts)
{
    struct orma_slice_stack *s = stack_of(self, track);

    if (!s)
        return INT64_MAX;
    trim(self, s, ts, false);
    const struct orma_slice_entry *e = s->num ? &s->entries[s->num - 1] : NULL;
    return e && e->dur >= 0 ? e->ts + e->dur : INT64_MAX;
}

uint32_t orma_slices_complete(struct orma_slices *self, int64_t ts, int64_t dur, uint32_t track,
                              uint32_t category, uint32_t name, const struct orma_args_list *args)
{
    struct orma_slice_stack *s = stack_of(self, track);
    int64_t end;

    if (!s)
        return ORMA_SLICE_NONE;
    bool negative = dur < 0 || __builtin_add_overflow(ts, dur, &end);
    uint32_t existing = negative ? ORMA_SLICE_NONE : orma_slices_overlapped(self, ts, dur, track);
    if (negative || existing != ORMA_SLICE_NONE) {
        if (self->dropped)
            self->dropped(self->refused_data, ts, existing);
        else
            orma_stats_inc(&self->storage->stats[0],
                           negative ? ORMA_STAT_SLICE_NEGATIVE_DURATION
                                    : ORMA_STAT_SLICE_DROP_OVERLAPPING_COMPLETE_EVENT);
        return ORMA_SLICE_NONE;
    }
    return push(self, s, ts, dur, track, category, name, args);
}

static void put_unnestable(struct orma_slices *self, struct orma_slice_stack *s,
                           struct orma_slice_entry *e)
{
    if (!s->begins)
        return;
    e->pending = true;
    orma_args_put_int(&e->args, orma_storage_cstr(self->storage, "legacy_unnestable_begin_count"),
                      s->begins);
    orma_args_put_int(&e->args, orma_storage_cstr(self->storage, "legacy_unnestable_last_begin_ts"),
                      s->last_begin);
}

static bool is_open_as(const struct orma_slice_entry *e, uint32_t category, uint32_t name)
{
    return e->dur < 0 && (!category || e->category == category) &&
           (!name || !e->name || e->name == name);
}

static void add_args(struct orma_slice_entry *e, const struct orma_args_list *args)
{
    if (!args || !args->len)
        return;
    if (!e->pending) {
        orma_args_list_copy(&e->args, args);
        e->pending = true;
        return;
    }
    for (uint32_t a = 0; a < args->len; a++)
        orma_args_put(&e->args, args->args[a]);
}

void orma_slices_add_args(struct orma_slices *self, uint32_t track, uint32_t category,
                          uint32_t name, const struct orma_args_list *args)
{
    struct orma_slice_stack *s = stack_of(self, track);

    for (uint32_t i = s ? s->num : 0; i-- > 0;) {
        if (!is_open_as(&s->entries[i], category, name))
            continue;
        add_args(&s->entries[i], args);
        return;
    }
}

uint32_t orma_slices_end(struct orma_slices *self, int64_t ts, uint32_t track, uint32_t category,
                         uint32_t name, const struct orma_args_list *args)
{
    struct orma_slice_stack *s = stack_of(self, track);

    if (!s)
        return ORMA_SLICE_NONE;
    trim(self, s, ts, false);
    name = name_of(self, track, name);
    for (uint32_t i = s->num; i-- > 0;) {
        struct orma_slice_entry *e = &s->entries[i];

        if (!is_open_as(e, category, name))
            continue;
        set_dur(self, e, ts - e->ts);
        s->closed += e->dur >= 0;
        for (uint32_t at = i; at < s->num; at++)
            note_end(s, at);
        add_args(e, args);
        put_unnestable(self, s, e);
        commit_args(self, e);
        const uint32_t row = e->row;
        if (i + 1 == s->num)
            pop(self, s);
        return row;
    }
    return ORMA_SLICE_NONE;
}

bool orma_slices_would_end(struct orma_slices *self, int64_t ts, uint32_t track, uint32_t category,
                           uint32_t name)
{
    struct orma_slice_stack *s = stack_of(self, track);

    if (!s)
        return false;
    trim(self, s, ts, false);
    for (uint32_t i = s->num; i-- > 0;)
        if (is_open_as(&s->entries[i], category, name))
            return true;
    return false;
}

uint32_t orma_slices_top(const struct orma_slices *self, uint32_t track, int64_t ts)
{
    const struct orma_slice_stack *s = track < self->stacks_num ? self->stacks[track] : NULL;

    for (uint32_t i = s ? s->num : 0; i-- > 0;) {
        const struct orma_slice_entry *e = &s->entries[i];

        if (e->dur < 0 || ts == ORMA_SLICES_LAST || e->ts + e->dur >= ts)
            return e->row;
    }
    return ORMA_SLICE_NONE;
}

const struct orma_args_list *orma_slices_open_args(struct orma_slices *self, uint32_t track)
{
    struct orma_slice_stack *s = track < self->stacks_num ? self->stacks[track] : NULL;

    for (uint32_t i = s ? s->num : 0; i-- > 0;) {
        struct orma_slice_entry *e = &s->entries[i];

        if (e->dur >= 0)
            continue;
        if (e->pending)
            orma_args_decode_places(&self->storage->args, &e->args);
        return e->pending ? &e->args : NULL;
    }
    return NULL;
}

void orma_slices_set_unnestable(struct orma_slices *self, uint32_t track)
{
    struct orma_slice_stack *s = stack_of(self, track);

    if (s)
        s->unnestable = true;
}
