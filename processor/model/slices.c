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
#include "processor/model/nesting.h"
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

static void commit_args(struct orma_slices *self, const struct orma_slice_entry *e,
                        struct orma_args_list *args)
{
    if (ORMA_UNLIKELY(self->translations != NULL)) {
        orma_args_decode_places(&self->storage->args, args);
        orma_translate_args(
            self->translations,
            machine_of(self, (uint32_t)orma_table_int(&self->storage->tables[ORMA_TABLE_SLICE],
                                                      ORMA_SLICE_TRACK_ID, e->row)),
            args);
    }
    orma_storage_set_args(&self->storage->tables[ORMA_TABLE_SLICE], ORMA_SLICE_ARG_SET_ID, e->row,
                          orma_args_commit(&self->storage->args, args));
    orma_args_list_clear(args);
}

/* ---- what comes of nesting goes to the table ---- */

static void done(void *data, struct orma_slice_stack *s, uint32_t at)
{
    s->entries[at].pending = false;
    commit_args(data, &s->entries[at], &s->args[at]);
}

static inline void ended(void *data, const struct orma_slice_entry *e)
{
    struct orma_slices *self = data;

    orma_table_set(&self->storage->tables[ORMA_TABLE_SLICE], ORMA_SLICE_DUR, e->row, e->dur);
}

static void misplaced(void *data)
{
    struct orma_slices *self = data;

    orma_stats_inc(&self->storage->stats[0], ORMA_STAT_MISPLACED_END_EVENT);
}

static const struct orma_nesting to_table = {ended, done, misplaced};

static void trim_all(void *data, struct orma_slice_stack *s, int64_t ts, bool instant)
{
    orma_nesting_trim_all(&to_table, data, s, ts, instant);
}

static inline void trim(struct orma_slices *self, struct orma_slice_stack *s, int64_t ts,
                        bool instant)
{
    orma_nesting_trim(&to_table, self, s, ts, instant, trim_all);
}

/* ---- stacks ---- */

void orma_slices_finish(struct orma_slices *self)
{
    for (uint32_t i = 0; i < self->stacks_num; i++)
        for (uint32_t j = 0; self->stacks[i] && j < self->stacks[i]->num; j++)
            if (self->stacks[i]->entries[j].pending)
                done(self, self->stacks[i], j);
}

void orma_slices_fini(struct orma_slices *self)
{
    for (uint32_t i = 0; i < self->stacks_num; i++) {
        struct orma_slice_stack *s = self->stacks[i];

        for (uint32_t j = 0; s && j < s->cap; j++)
            orma_args_list_fini(&s->args[j]);
        if (s) {
            free(s->entries);
            free(s->args);
        }
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
    struct orma_args_list *args = entries ? realloc(s->args, cap * sizeof(*args)) : NULL;

    s->entries = entries ? entries : s->entries;
    s->args = args ? args : s->args;
    if (!args) {
        self->storage->failed = true;
        return false;
    }
    memset(entries + s->cap, 0, (cap - s->cap) * sizeof(*entries));
    memset(args + s->cap, 0, (cap - s->cap) * sizeof(*args));
    s->cap = cap;
    return true;
}

struct orma_slice_stack *orma_slices_stack(struct orma_slices *self, uint32_t track)
{
    return stack_of(self, track);
}

bool orma_slices_reserve(struct orma_slices *self, struct orma_slice_stack *s, uint32_t num)
{
    while (s->cap < num) {
        if (!stack_grow(self, s))
            return false;
    }
    return true;
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
    const uint32_t at = s->num;

    orma_table_set(t, ORMA_SLICE_DEPTH, row, at);
    if (at)
        orma_table_set(t, ORMA_SLICE_PARENT_ID, row, s->entries[at - 1].row);
    struct orma_slice_entry *e = orma_nesting_push(s, row, ts, dur, category, name);
    e->pending = args && args->len;
    if (e->pending)
        orma_args_list_copy(&s->args[at], args);
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

static void put_unnestable(struct orma_slices *self, struct orma_slice_stack *s, uint32_t at)
{
    struct orma_args_list *args = &s->args[at];

    if (!s->begins)
        return;
    s->entries[at].pending = true;
    orma_args_put_int(args, orma_storage_cstr(self->storage, "legacy_unnestable_begin_count"),
                      s->begins);
    orma_args_put_int(args, orma_storage_cstr(self->storage, "legacy_unnestable_last_begin_ts"),
                      s->last_begin);
}

static void add_args(struct orma_slice_stack *s, uint32_t at, const struct orma_args_list *args)
{
    struct orma_slice_entry *e = &s->entries[at];

    if (!args || !args->len)
        return;
    if (!e->pending) {
        orma_args_list_copy(&s->args[at], args);
        e->pending = true;
        return;
    }
    for (uint32_t a = 0; a < args->len; a++)
        orma_args_put(&s->args[at], args->args[a]);
}

void orma_slices_add_args(struct orma_slices *self, uint32_t track, uint32_t category,
                          uint32_t name, const struct orma_args_list *args)
{
    struct orma_slice_stack *s = stack_of(self, track);

    for (uint32_t i = s ? s->num : 0; i-- > 0;) {
        if (!orma_nesting_is_open_as(&s->entries[i], category, name))
            continue;
        add_args(s, i, args);
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
    const uint32_t at = orma_nesting_end(&to_table, self, s, ts, category, name);
    if (at == ORMA_SLICE_NONE)
        return at;
    add_args(s, at, args);
    put_unnestable(self, s, at);
    const uint32_t row = s->entries[at].row;
    orma_nesting_leave(&to_table, self, s, at);
    return row;
}

bool orma_slices_would_end(struct orma_slices *self, int64_t ts, uint32_t track, uint32_t category,
                           uint32_t name)
{
    struct orma_slice_stack *s = stack_of(self, track);

    if (!s)
        return false;
    trim(self, s, ts, false);
    for (uint32_t i = s->num; i-- > 0;)
        if (orma_nesting_is_open_as(&s->entries[i], category, name))
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
        if (s->entries[i].dur >= 0)
            continue;
        if (!s->entries[i].pending)
            return NULL;
        orma_args_decode_places(&self->storage->args, &s->args[i]);
        return &s->args[i];
    }
    return NULL;
}

void orma_slices_set_unnestable(struct orma_slices *self, uint32_t track)
{
    struct orma_slice_stack *s = stack_of(self, track);

    if (s)
        s->unnestable = true;
}
