#include "protos/reflect/seen.h"

#include <errno.h>

#include "sdk/base/assert.h"

void orma_seen_fini(struct orma_seen *self)
{
    orma_buf_fini(&self->fields);
    orma_buf_fini(&self->oneofs);
}

static bool push_zeros(struct orma_buf *stack, size_t bytes)
{
    uint8_t *at = bytes ? orma_buf_extend(stack, bytes) : NULL;

    if (at)
        memset(at, 0, bytes);
    return !bytes || at;
}

int orma_seen_open(struct orma_seen *self, uint32_t msg, struct orma_seen_msg *ret)
{
    uint32_t nfields;

    orma_schema_fields(self->schema, msg, &nfields);
    *ret = (struct orma_seen_msg){msg, self->fields.len / sizeof(uint64_t),
                                  self->oneofs.len / sizeof(struct orma_seen_oneof)};
    if (!push_zeros(&self->fields, ((size_t)nfields + 63) / 64 * sizeof(uint64_t)) ||
        !push_zeros(&self->oneofs,
                    orma_schema_oneof_count(self->schema, msg) * sizeof(struct orma_seen_oneof)))
        return -ENOMEM;
    return 0;
}

void orma_seen_close(struct orma_seen *self, const struct orma_seen_msg *m)
{
    /* The innermost message first. */
    ORMA_ASSERT_HOT(m->fields * sizeof(uint64_t) <= self->fields.len &&
                    m->oneofs * sizeof(struct orma_seen_oneof) <= self->oneofs.len);
    self->fields.len = m->fields * sizeof(uint64_t);
    self->oneofs.len = m->oneofs * sizeof(struct orma_seen_oneof);
}

static uint64_t *word_of(const struct orma_seen *self, const struct orma_seen_msg *m, uint32_t idx)
{
    return (uint64_t *)(void *)self->fields.data + m->fields + idx / 64;
}

static struct orma_seen_oneof *oneof_at(const struct orma_seen *self, const struct orma_seen_msg *m,
                                        uint32_t idx)
{
    return (struct orma_seen_oneof *)(void *)self->oneofs.data + m->oneofs + idx;
}

/* Word and bit of a field. */
static uint64_t *bit_of(struct orma_seen *self, const struct orma_seen_msg *m,
                        const struct orma_field *field, uint64_t *ret_bit)
{
    uint32_t n, idx = (uint32_t)(field - orma_schema_fields(self->schema, m->msg, &n));

    *ret_bit = (uint64_t)1 << idx % 64;
    return word_of(self, m, idx);
}

bool orma_seen_mark(struct orma_seen *self, const struct orma_seen_msg *m,
                    const struct orma_field *field)
{
    uint64_t bit, *word = bit_of(self, m, field, &bit);
    bool before = *word & bit;

    *word |= bit;
    return before;
}

void orma_seen_unmark(struct orma_seen *self, const struct orma_seen_msg *m,
                      const struct orma_field *field)
{
    uint64_t bit, *word = bit_of(self, m, field, &bit);

    *word &= ~bit;
}

struct orma_seen_oneof *orma_seen_oneof(struct orma_seen *self, const struct orma_seen_msg *m,
                                        const struct orma_field *field)
{
    return oneof_at(self, m, field->oneof - 1u);
}

void orma_seen_drop_oneof(struct orma_seen *self, const struct orma_seen_msg *m,
                          const struct orma_field *field, struct orma_buf *out)
{
    struct orma_seen_oneof old = *orma_seen_oneof(self, m, field);
    size_t gone = old.end - old.start;

    memmove(out->data + old.start, out->data + old.end, out->len - old.end);
    out->len -= gone;
    for (uint32_t i = 0; i < orma_schema_oneof_count(self->schema, m->msg); i++) {
        struct orma_seen_oneof *s = oneof_at(self, m, i);

        if (s->field && s->start >= old.end) {
            s->start -= gone;
            s->end -= gone;
        }
    }
}

const struct orma_field *orma_seen_missing(const struct orma_seen *self,
                                           const struct orma_seen_msg *m)
{
    uint32_t n;
    const struct orma_field *fields = orma_schema_fields(self->schema, m->msg, &n);

    for (uint32_t i = 0; i < n; i++)
        if (fields[i].flags & ORMA_FIELD_REQUIRED &&
            !(*word_of(self, m, i) & (uint64_t)1 << i % 64))
            return &fields[i];
    return NULL;
}
