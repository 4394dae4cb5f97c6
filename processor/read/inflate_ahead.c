#include "processor/read/inflate_ahead.h"

#include <stdlib.h>

#include "processor/threads/crew.h"
#include "sdk/base/vec.h"

/* What is unpacked ahead lies in memory until it is read: what comes of one, and how many of them
 * there are for each thread. */
#define BYTES_MAX ((uint64_t)64 << 20)
#define PER_THREAD 2
/* So many at a time; with other packets in between. */
#define NUM_MAX 4096
#define OTHERS_MAX 64

struct made {
    struct orma_str bytes; /* compressed */
    enum orma_inflate_form form;
    const uint8_t *end;  /* of the packet */
    struct orma_buf out; /* empty: it must be done again */
};

struct orma_inflate_ahead {
    ORMA_VEC(struct made) list;
    size_t next; /* the first that was not asked for yet */
    bool (*read_to)(void *data, const uint8_t **pos, const uint8_t *end);
    void *data;
    const uint8_t **pos;
};

/* Of a packet that holds nothing but compressed ones. */
static bool is_compressed(const uint8_t *at, size_t len, struct made *ret)
{
    struct orma_pb_reader r = orma_pb_reader(at, len);
    struct orma_pb_field f;

    if (!orma_pb_next(&r, &f) || f.wire != ORMA_PB_LEN || r.pos != r.end ||
        (f.id != ORMA_PB_TRACE_PACKET_COMPRESSED_PACKETS &&
         f.id != ORMA_PB_TRACE_PACKET_ZSTD_COMPRESSED_PACKETS))
        return false;
    *ret = (struct made){.bytes = orma_pb_str(&f), .form = orma_inflate_ahead_form(f.id)};
    return true;
}

static void find(struct orma_inflate_ahead *self, const uint8_t *at, const uint8_t *end)
{
    unsigned others = 0;
    struct made m;

    while (at < end && *at == ORMA_INFLATE_PACKET_TAG && others < OTHERS_MAX &&
           self->list.len < NUM_MAX) {
        uint64_t len;

        at++;
        if (!orma_pb_varint_at(&at, end, &len) || len > (uint64_t)(end - at))
            return;
        others = is_compressed(at, (size_t)len, &m) ? 0 : others + 1;
        at += len;
        m.end = at;
        if (!others && ORMA_VEC_PUSH(&self->list, m))
            return; /* those that are there will do */
    }
}

struct orma_inflate_ahead *orma_inflate_ahead_find(const uint8_t *at, const uint8_t *end)
{
    struct orma_inflate_ahead *self = calloc(1, sizeof(*self));

    if (self)
        find(self, at, end);
    if (self && self->list.len > 1)
        return self;
    orma_inflate_ahead_free(self);
    return NULL;
}

void orma_inflate_ahead_free(struct orma_inflate_ahead *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->list.len; i++)
        orma_buf_fini(&self->list.data[i].out);
    ORMA_VEC_FINI(&self->list);
    free(self);
}

static bool unpack(void *data, size_t piece, unsigned thread)
{
    struct orma_inflate_ahead *self = data;
    struct made *m = &self->list.data[piece];

    (void)thread;
    if (!orma_buf_extend(&m->out, sizeof(struct orma_blob)) ||
        orma_inflate(m->form, m->bytes, BYTES_MAX, &m->out))
        orma_buf_fini(&m->out); /* again, where it is said why */
    return true;
}

static bool read_next(void *data, size_t piece)
{
    struct orma_inflate_ahead *self = data;
    struct made *m = &self->list.data[piece];
    bool more = self->read_to(self->data, self->pos, m->end);

    orma_buf_fini(&m->out); /* if nobody wanted it */
    return more;
}

void orma_inflate_ahead_run(struct orma_inflate_ahead *self, struct orma_crew *crew,
                            bool (*read_to)(void *data, const uint8_t **pos, const uint8_t *end),
                            void *data, const uint8_t **pos)
{
    self->read_to = read_to;
    self->data = data;
    self->pos = pos;
    (void)orma_crew_run(crew, &(struct orma_crew_job){
                                  .work = unpack,
                                  .take = read_next,
                                  .data = self,
                                  .pieces = self->list.len,
                                  .ahead = (size_t)orma_crew_threads(crew) * PER_THREAD,
                              }); /* read_to() knows what failed */
}

bool orma_inflate_ahead_take(struct orma_inflate_ahead *self, struct orma_str bytes, uint64_t max,
                             struct orma_buf *ret)
{
    for (; self && self->next < self->list.len; self->next++) {
        struct made *m = &self->list.data[self->next];

        if (m->bytes.data > bytes.data)
            return false;
        if (m->bytes.data == bytes.data && m->bytes.len == bytes.len && m->out.len &&
            m->out.len - sizeof(struct orma_blob) <= max) {
            *ret = m->out;
            m->out = (struct orma_buf){0};
            return true;
        }
    }
    return false;
}
