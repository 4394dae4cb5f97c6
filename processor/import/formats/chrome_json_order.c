/*
 * The order of events with equal times, once there is a slice of known length (X):
 *
 *   1. ends (E), which make room
 *   2. slices that have errors to tell: of negative length, of none
 *   3. slices (X) that have a length, longer ones before shorter
 *   4. the rest, in the order of the file
 *
 * But a thread that begins a slice (B) and ends it at the same time would else end the one around
 * it, and a slice (X) that the file has after a begin which is still open lies in it. So both stay
 * behind that begin. What is open is known by the order of the file.
 */
#include "processor/import/formats/chrome_json.h"

#include <stdlib.h>

#include "sdk/base/hash.h"

/* Keys of the last group: the place of an event in the file, and, in it, the length of slices. */
#define IN_FILE ((int64_t)1 << 62)
#define LENGTH_BITS 30
#define LENGTH_MAX (((int64_t)1 << LENGTH_BITS) - 1)
/* Begins that are looked at for one slice: those later than it, which there should be none of. */
#define LOOK_MAX 16

static uint64_t hash_value(uint64_t hash, const struct orma_json_value *v)
{
    return orma_fnv1a(orma_fnv1a(hash, v->raw.data, v->raw.len), "", 1);
}

/* NULL: memory is out. */
static struct orma_formats_json_begun *begun_of(struct orma_formats_json_order *self,
                                                const struct orma_json_event *e)
{
    const uint64_t key = hash_value(hash_value(ORMA_FNV1A_BASIS, &e->pid), &e->tid);
    const uint64_t known = orma_map_get(&self->by_thread, key);

    if (known != ORMA_MAP_NONE)
        return &self->threads.data[known];
    if (ORMA_VEC_PUSH(&self->threads, (struct orma_formats_json_begun){.num = 0}) ||
        orma_map_put(&self->by_thread, key, self->threads.len - 1) < 0) {
        self->failed = true;
        return NULL;
    }
    return &self->threads.data[self->threads.len - 1];
}

static int64_t in_file(const struct orma_formats_json_order *self)
{
    return IN_FILE + ((int64_t)self->num << LENGTH_BITS);
}

static int64_t begin(struct orma_formats_json_order *self, const struct orma_json_event *e,
                     int64_t ts)
{
    struct orma_formats_json_begun *b = begun_of(self, e);

    if (b && ORMA_GROW(&b->open, &b->cap, b->num + (size_t)1))
        self->failed = true;
    else if (b)
        b->open[b->num++] = (struct orma_formats_json_open){ts, e->name_id, self->num};
    return in_file(self);
}

static int64_t end(struct orma_formats_json_order *self, const struct orma_json_event *e,
                   int64_t ts)
{
    struct orma_formats_json_begun *b = begun_of(self, e);

    if (!b || !b->num)
        return INT64_MIN;
    const struct orma_formats_json_open last = b->open[b->num - 1];
    if (e->name_id && last.name && e->name_id != last.name)
        return INT64_MIN; /* it is of another one */
    b->num--;
    return last.ts == ts ? in_file(self) : INT64_MIN;
}

static int64_t complete(struct orma_formats_json_order *self, const struct orma_json_event *e,
                        int64_t ts, int64_t dur)
{
    struct orma_formats_json_begun *b = self->threads.len ? begun_of(self, e) : NULL;
    uint32_t at = b ? b->num : 0;

    for (unsigned i = 0; at && i < LOOK_MAX && b->open[at - 1].ts > ts; i++)
        at--;
    if (!at || b->open[at - 1].ts != ts)
        return dur ? ORMA_MAX(IN_FILE - dur, 1) : in_file(self);
    return IN_FILE + ((int64_t)b->open[at - 1].place << LENGTH_BITS) + LENGTH_MAX -
           ORMA_MIN(dur, LENGTH_MAX - 1);
}

int64_t orma_formats_json_order_key(struct orma_formats_json_order *self,
                                    const struct orma_json_event *e, int64_t ts, int64_t dur)
{
    self->num += self->num < INT32_MAX;
    if (e->phase == 'B')
        return begin(self, e, ts);
    if (e->phase == 'E')
        return end(self, e, ts);
    if (e->phase != 'X')
        return in_file(self) + LENGTH_MAX;
    if (!e->dur.type)
        return 0;
    if (dur < 0)
        return INT64_MIN - ORMA_MAX(dur, -INT64_MAX);
    return complete(self, e, ts, dur);
}

void orma_formats_json_order_fini(struct orma_formats_json_order *self)
{
    for (size_t i = 0; i < self->threads.len; i++)
        free(self->threads.data[i].open);
    ORMA_VEC_FINI(&self->threads);
    orma_map_fini(&self->by_thread);
}
