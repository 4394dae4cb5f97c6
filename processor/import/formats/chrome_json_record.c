/*
 * Records: what was read of an event, in few bytes, until its time comes.
 *
 * Blocks are as large as they are aligned, so a record says in which one it lies, and a block goes
 * when its last record was taken. Records are taken in order of time, which is mostly near that of
 * the file: so they make room for the rows that come of them.
 *
 *   head | ns of each time that fits | pid, tid | ids of name, category | value ... (by places)
 *
 * Process and thread share a word if they are numbers of usual size; else they are values as all
 * others: a word with the kind and where the text lies in the event, and another for a whole number
 * or a short text.
 */
#include "processor/import/formats/chrome_json.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "sdk/base/vec.h"

#define BLOCK_SIZE ((size_t)2 << 20)

struct orma_json_block {
    uint32_t index; /* in orma_json_records.blocks */
    uint32_t left;  /* records that were not taken */
    bool full;      /* nothing is added */
    _Alignas(8) char data[];
};

struct record {
    uint8_t kind; /* enum orma_json_record_kind */
    char phase;
    uint8_t flags; /* the low bits: times that are words */
    uint16_t present;
    const char *text; /* of the event */
    uint64_t words[];
};

struct sample_record {
    uint8_t kind;
    struct orma_json_sample sample;
};

#define PLACE(member) (1u << ORMA_JSON_PLACE(member))
#define NUMBERS_MASK (PLACE(pid) | PLACE(tid))
#define OTHERS_MASK (UINT16_MAX & ~(ORMA_JSON_TIMES_MASK | PLACE(name) | PLACE(cat)))

#define FLAG_NUMBERS 0x10u
#define FLAG_IDS 0x20u

/* A value: type, flags, where its text begins in the event (24 bits), and how long that is. */
#define VALUE_TYPE 7u
#define VALUE_ESCAPED 8u
#define VALUE_TRUE 16u
#define VALUE_AT 8
#define VALUE_AT_MAX 0xffffffu
#define VALUE_LEN 32

/* No event needs more: two words for each value. */
#define RECORD_MAX (sizeof(struct record) + 2 * ORMA_JSON_EVENT_VALUES * sizeof(uint64_t))

static struct orma_json_block *block_of(const void *record)
{
    return (struct orma_json_block *)((uintptr_t)record & ~(uintptr_t)(BLOCK_SIZE - 1));
}

static void free_block(struct orma_json_records *self, struct orma_json_block *b)
{
    self->blocks[b->index] = NULL;
    free(b);
}

ORMA_COLD static bool add_block(struct orma_json_records *self)
{
    struct orma_json_block *b;

    if (ORMA_GROW(&self->blocks, &self->cap, self->num + (size_t)1) ||
        !(b = aligned_alloc(BLOCK_SIZE, BLOCK_SIZE)))
        return false;
    if (self->num) /* touching them one by one would take longer than filling them */
        (void)madvise(b, BLOCK_SIZE, MADV_HUGEPAGE); /* where there are none, small ones do */
    *b = (struct orma_json_block){.index = self->num};
    if (self->num && self->blocks[self->num - 1]) {
        struct orma_json_block *before = self->blocks[self->num - 1];

        before->full = true;
        if (!before->left)
            free_block(self, before);
    }
    self->blocks[self->num++] = b;
    self->pos = b->data;
    self->end = (char *)b + BLOCK_SIZE;
    return true;
}

/* So many bytes that are not taken yet; NULL: memory is out. */
static inline void *space_for(struct orma_json_records *self, size_t len)
{
    if (ORMA_UNLIKELY((size_t)(self->end - self->pos) < len) && !add_block(self))
        return NULL;
    return self->pos;
}

static inline void keep(struct orma_json_records *self, void *end)
{
    block_of(self->pos)->left++;
    self->pos = end;
}

void orma_json_records_taken(struct orma_json_records *self, const void *record)
{
    struct orma_json_block *b = block_of(record);

    if (!--b->left && b->full)
        free_block(self, b);
}

void orma_json_records_fini(struct orma_json_records *self)
{
    for (uint32_t i = 0; i < self->num; i++)
        free(self->blocks[i]);
    free(self->blocks);
    *self = (struct orma_json_records){0};
}

/* ---- events ---- */

/* Either is not there, or a number of 32 bits. */
static inline bool are_numbers(const struct orma_json_value *a, const struct orma_json_value *b)
{
    return (!a->type || a->type == ORMA_JSON_INT) && (!b->type || b->type == ORMA_JSON_INT) &&
           (uint64_t)a->integer <= UINT32_MAX && (uint64_t)b->integer <= UINT32_MAX;
}

/* Such a text is kept, so that nobody fetches the bytes of the file for it. */
static inline bool is_short(enum orma_json_type type, size_t len)
{
    return type == ORMA_JSON_STRING && len <= sizeof(uint64_t);
}

/* NULL: it does not fit. */
static inline uint64_t *put_value(uint64_t *to, const struct orma_json_value *v, const char *text)
{
    const size_t at = (size_t)(v->raw.data - text);

    if (ORMA_UNLIKELY(at > VALUE_AT_MAX || v->raw.len > UINT32_MAX))
        return NULL;
    *to++ = v->type | (v->escaped ? VALUE_ESCAPED : 0) | (v->boolean ? VALUE_TRUE : 0) |
            at << VALUE_AT | (uint64_t)v->raw.len << VALUE_LEN;
    if (v->type == ORMA_JSON_INT)
        *to++ = (uint64_t)v->integer;
    else if (is_short(v->type, v->raw.len))
        memcpy(to++, v->raw.data, v->raw.len);
    return to;
}

static inline const uint64_t *get_value(const uint64_t *from, const char *text,
                                        struct orma_json_value *ret)
{
    const uint64_t word = *from++;

    *ret = (struct orma_json_value){
        .type = (enum orma_json_type)(word & VALUE_TYPE),
        .escaped = word & VALUE_ESCAPED,
        .boolean = word & VALUE_TRUE,
        .raw = {text + (word >> VALUE_AT & VALUE_AT_MAX), word >> VALUE_LEN},
    };
    if (ret->type == ORMA_JSON_INT)
        ret->integer = (int64_t)*from++;
    else if (is_short(ret->type, ret->raw.len))
        ret->raw.data = (const char *)from++;
    return from;
}

const void *orma_json_record_event(struct orma_json_records *self, const struct orma_json_event *e,
                                   const char *text)
{
    struct record *r = space_for(self, RECORD_MAX);
    uint64_t *to;
    uint32_t left = e->present & ~PLACE(ts);

    if (ORMA_UNLIKELY(!r))
        return NULL;
    *r = (struct record){.kind = ORMA_JSON_RECORD_EVENT,
                         .phase = e->phase,
                         .flags = e->times & ORMA_JSON_TIMES_MASK & ~PLACE(ts),
                         .text = text};
    to = r->words;
    for (uint32_t times = r->flags; times; times &= times - 1)
        *to++ = (uint64_t)e->ns[__builtin_ctz(times)];
    left &= OTHERS_MASK | (ORMA_JSON_TIMES_MASK & ~(uint32_t)r->flags);
    r->present = (uint16_t)left;
    if (left & NUMBERS_MASK && are_numbers(&e->pid, &e->tid)) {
        *to++ = (uint64_t)e->pid.integer << 32 | (uint64_t)e->tid.integer;
        r->flags |= FLAG_NUMBERS;
        left &= ~NUMBERS_MASK;
    }
    if (e->name_id || e->cat_id) {
        *to++ = e->name_id | (uint64_t)e->cat_id << 32;
        r->flags |= FLAG_IDS;
    }
    for (; left; left &= left - 1)
        if (!(to = put_value(to, &e->values[__builtin_ctz(left)], text)))
            return NULL;
    keep(self, to);
    return r;
}

static void get_event(const struct record *r, struct orma_json_event *ret)
{
    const uint64_t *from = r->words;
    uint32_t left = r->present;

    orma_json_event_clear(ret, ret->present & ~r->present);
    ret->phase = r->phase;
    ret->present = r->present;
    ret->times = r->flags & ORMA_JSON_TIMES_MASK;
    for (uint32_t times = ret->times; times; times &= times - 1)
        ret->ns[__builtin_ctz(times)] = (int64_t)*from++;
    if (r->flags & FLAG_NUMBERS) {
        const uint64_t both = *from++;

        if (left & PLACE(pid))
            ret->pid =
                (struct orma_json_value){.type = ORMA_JSON_INT, .integer = (int64_t)(both >> 32)};
        if (left & PLACE(tid))
            ret->tid =
                (struct orma_json_value){.type = ORMA_JSON_INT, .integer = (int64_t)(uint32_t)both};
        left &= ~NUMBERS_MASK;
    }
    const uint64_t ids = r->flags & FLAG_IDS ? *from++ : 0;
    ret->name_id = (uint32_t)ids;
    ret->cat_id = (uint32_t)(ids >> 32);
    for (; left; left &= left - 1)
        from = get_value(from, r->text, &ret->values[__builtin_ctz(left)]);
}

/* ---- samples ---- */

const void *orma_json_record_sample(struct orma_json_records *self,
                                    const struct orma_json_sample *sample)
{
    struct sample_record *r = space_for(self, RECORD_MAX);

    if (!r)
        return NULL;
    *r = (struct sample_record){ORMA_JSON_RECORD_SAMPLE, *sample};
    keep(self, (char *)r + orma_align_up(sizeof(*r), sizeof(uint64_t)));
    return r;
}

enum orma_json_record_kind orma_json_record_get(const void *record, struct orma_json_event *ret,
                                                struct orma_json_sample *ret_sample)
{
    const uint8_t *kind = record;

    if (*kind == ORMA_JSON_RECORD_EVENT)
        get_event(record, ret);
    else
        *ret_sample = ((const struct sample_record *)record)->sample;
    return (enum orma_json_record_kind) * kind;
}
