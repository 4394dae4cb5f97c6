/*
 * How slices of a track nest: what begins, ends, or is over does to the stack of slices.h. What
 * comes of it goes to who asks: to tables at once (slices.c), or to lists of a batch
 * (slices_batch.c). So both nest alike.
 *
 * The functions are inlined into either, with what they call.
 */
#ifndef ORMA_PROCESSOR_MODEL_NESTING_H
#define ORMA_PROCESSOR_MODEL_NESTING_H
#include "processor/model/slices.h"

struct orma_nesting {
    /* A slice that is in the stack has another end than before: e->dur says which. */
    void (*ended)(void *data, const struct orma_slice_entry *e);
    /* The entry has left the stack, or has ended: nothing more comes to its args, if any are
     * pending, and none are afterwards. */
    void (*done)(void *data, struct orma_slice_stack *s, uint32_t at);
    /* An outer slice was over before an inner one had ended. */
    void (*misplaced)(void *data);
};

/* The end of the entry has changed, or what lies below it. */
static inline void orma_nesting_note_end(struct orma_slice_stack *s, uint32_t at)
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

static inline void orma_nesting_pop(const struct orma_nesting *to, void *data,
                                    struct orma_slice_stack *s)
{
    const uint32_t at = --s->num;

    s->closed -= s->entries[at].dur >= 0;
    if (s->entries[at].pending)
        to->done(data, s, at);
}

/* The slice is over, but an open one lies above it: all that lies above ends with it. */
static inline void orma_nesting_end_above(const struct orma_nesting *to, void *data,
                                          struct orma_slice_stack *s, uint32_t at)
{
    int64_t end = s->entries[at].ts + s->entries[at].dur;

    while (s->num - 1 > at) {
        struct orma_slice_entry *above = &s->entries[s->num - 1];

        s->closed -= above->dur >= 0;
        above->dur = end - above->ts;
        to->ended(data, above);
        s->closed += above->dur >= 0;
        orma_nesting_pop(to, data, s);
    }
    orma_nesting_pop(to, data, s);
    to->misplaced(data);
}

/*
 * Drops from the stack what is over at `ts`. `instant`: the event that comes
 * has no length, and nests in another instant of the same time.
 */
static inline void orma_nesting_trim_all(const struct orma_nesting *to, void *data,
                                         struct orma_slice_stack *s, int64_t ts, bool instant)
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
                orma_nesting_end_above(to, data, s, i);
            if (s->num == i)
                open_above = false;
            continue;
        }
        if (end < ts || (end == ts && !(e->dur == 0 && instant)))
            orma_nesting_pop(to, data, s);
    }
}

/* The same by a function of the caller's that is not inlined (orma_nesting_trim_all()); mostly
 * nothing is over, or only the slice on top. */
typedef void orma_nesting_trim_fn(void *data, struct orma_slice_stack *s, int64_t ts, bool instant);
static inline void orma_nesting_trim(const struct orma_nesting *to, void *data,
                                     struct orma_slice_stack *s, int64_t ts, bool instant,
                                     orma_nesting_trim_fn *all)
{
    const struct orma_slice_entry *e = s->num ? &s->entries[s->num - 1] : NULL;

    if (!s->closed)
        return;
    if (e->dur >= 0 && e->ts + e->dur < ts)
        orma_nesting_pop(to, data, s);
    if (!s->closed)
        return;
    e = &s->entries[s->num - 1];
    if (e->first_end < ts || (instant ? e->first_end_long : e->first_end) == ts)
        all(data, s, ts, instant);
}

/* A new entry, for which there is room. Its args are the caller's business. */
static inline struct orma_slice_entry *orma_nesting_push(struct orma_slice_stack *s, uint32_t row,
                                                         int64_t ts, int64_t dur, uint32_t category,
                                                         uint32_t name)
{
    struct orma_slice_entry *e = &s->entries[s->num];

    e->row = row;
    e->category = category;
    e->name = name;
    e->ts = ts;
    e->dur = dur;
    s->closed += dur >= 0;
    orma_nesting_note_end(s, s->num++);
    return e;
}

static inline bool orma_nesting_is_open_as(const struct orma_slice_entry *e, uint32_t category,
                                           uint32_t name)
{
    return e->dur < 0 && (!category || e->category == category) &&
           (!name || !e->name || e->name == name);
}

/* The innermost open slice that fits ends at `ts`, in a stack that was trimmed: its place there, or
 * ORMA_SLICE_NONE. It may then get more args, before orma_nesting_leave(). */
static inline uint32_t orma_nesting_end(const struct orma_nesting *to, void *data,
                                        struct orma_slice_stack *s, int64_t ts, uint32_t category,
                                        uint32_t name)
{
    for (uint32_t i = s->num; i-- > 0;) {
        struct orma_slice_entry *e = &s->entries[i];

        if (!orma_nesting_is_open_as(e, category, name))
            continue;
        e->dur = ts - e->ts;
        to->ended(data, e);
        s->closed += e->dur >= 0;
        for (uint32_t at = i; at < s->num; at++)
            orma_nesting_note_end(s, at);
        return i;
    }
    return ORMA_SLICE_NONE;
}

static inline void orma_nesting_leave(const struct orma_nesting *to, void *data,
                                      struct orma_slice_stack *s, uint32_t at)
{
    if (s->entries[at].pending)
        to->done(data, s, at);
    if (at + 1 == s->num)
        orma_nesting_pop(to, data, s);
}
#endif
