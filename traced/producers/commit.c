/*
 * A request is walked over twice: first the chunks, then patches and counts,
 * which may be about chunks of the same request. Chunks of one page that follow
 * each other are collected (struct chunk_group), taken by one atomic operation, copied,
 * and freed by another:
 *
 *   request:  [p3 c0][p3 c1][p3 c2] [p4 c0] ...
 *              └──── one group ───┘ └─ the next
 *
 * Where a chunk goes is looked up once for each pair of a writer and a buffer, and
 * then remembered (known_seqs). Scraping reads chunks without taking them, and
 * remembers complete ones (scraped), so that the commit that names them later only
 * frees them.
 */
#include "traced/producers/commit.h"

#include <errno.h>
#include <string.h>

#include "protos/fields/common.h"
#include "protos/fields/orma_ext.h"
#include "sdk/base/assert.h"
#include "sdk/base/log.h"
#include "sdk/wire/pb_reader.h"
#include "traced/buffers/buffer.h"
#include "traced/loop/loop.h"
#include "traced/producers/producer.h"

#define PATCHES_MAX 1024

/* What steps cost besides the bytes that they copy, in units of traced_budget. */
enum { COST_ENTRY = 256, COST_PATCH = 32, COST_PAGE = 64, COST_CHUNK = 256 };

/* A chunk's header words, read once; in the layout of shared memory. */
struct chunk_header {
    uint32_t chunk_id;
    uint16_t writer_id;
    uint16_t packets;
};
_Static_assert(sizeof(struct chunk_header) == ORMA_SHM_CHUNK_HEADER, "move_inline() copies it");

/*
 * The sequence for a chunk of this writer in this buffer; NULL if the producer
 * may not write there: the buffer is no target of it, or the writer was
 * announced for another buffer.
 */
static struct traced_seq *look_up_seq(struct traced_producer *p, uint32_t writer_id,
                                      uint32_t buffer_id)
{
    if (!writer_id || writer_id > ORMA_SHM_WRITER_ID_MAX || buffer_id > UINT16_MAX ||
        orma_map_get(&p->targets, buffer_id) == ORMA_MAP_NONE)
        return NULL;
    uint64_t announced = orma_map_get(&p->writers, writer_id);
    if (announced != ORMA_MAP_NONE && announced != buffer_id)
        return NULL;
    struct traced_target *target = orma_map_get_ptr(&p->registry->targets, buffer_id);
    if (!target)
        return NULL;
    struct traced_seq *seq = traced_buffer_seq(target->buf, p->id, (uint16_t)writer_id);
    if (seq && !seq->sequence_id)
        traced_target_name_seq(target->group, p, seq);
    return seq;
}

static struct traced_seq *find_seq(struct traced_producer *p, uint32_t writer_id,
                                   uint32_t buffer_id)
{
    uint64_t key = (uint64_t)buffer_id << 32 | writer_id;
    struct traced_seq *seq = orma_map_get_ptr(&p->known_seqs, key);

    if (ORMA_LIKELY(seq))
        return seq;
    seq = look_up_seq(p, writer_id, buffer_id);
    if (seq)
        (void)orma_map_put_ptr(&p->known_seqs, key, seq); /* no memory: it is looked up again */
    return seq;
}

/* False: it has no place there. */
static bool put_chunk(struct traced_producer *p, uint32_t buffer_id, const struct chunk_header *h,
                      const uint8_t *payload, uint32_t payload_size, bool complete)
{
    struct traced_seq *seq = find_seq(p, h->writer_id, buffer_id);

    if (!seq) {
        p->registry->chunks_discarded++;
        return false;
    }
    struct traced_chunk chunk = {
        .chunk_id = h->chunk_id,
        .packets = h->packets,
        .complete = complete,
        .payload = payload,
        .payload_size = payload_size,
    };
    traced_buffer_write(seq->buf, seq, &chunk);
    return true;
}

/*
 * Complete chunks that were scraped and not yet named by a commit. They are not
 * copied again, by neither: the first copy may have been read, overwritten or
 * refused meanwhile, and its packets would be counted or delivered twice.
 */
static uint64_t place_of(uint32_t page, uint32_t idx)
{
    return (uint64_t)page << 4 | idx;
}

static uint64_t identity_of(const struct chunk_header *h)
{
    return (uint64_t)h->chunk_id << 16 | h->writer_id;
}

static bool was_scraped(const struct traced_producer *p, uint32_t page, uint32_t idx,
                        const struct chunk_header *h)
{
    return orma_map_get(&p->scraped, place_of(page, idx)) == identity_of(h);
}

static struct chunk_header read_header(const struct orma_shm_chunk *chunk)
{
    /* acquire: pairs with the writer's release of `packets`, so both ids are there, and all
     * fragments counted but the last are whole. */
    uint16_t packets = atomic_load_explicit(&chunk->header->packets, memory_order_acquire);

    return (struct chunk_header){
        .chunk_id = atomic_load_explicit(&chunk->header->chunk_id, memory_order_relaxed),
        .writer_id = atomic_load_explicit(&chunk->header->writer_id, memory_order_relaxed),
        .packets = packets,
    };
}

/* ---- chunks_to_move ---- */

struct chunk_move {
    uint32_t page, chunk, target_buffer;
    bool has_data, incomplete;
    struct orma_str data;
};

/* A varint of at most 28 bits; false: it is longer, or runs over the end. */
static inline bool short_varint(const uint8_t **at, const uint8_t *end, uint32_t *ret)
{
    uint32_t val = 0;

    for (unsigned shift = 0; shift < 28; shift += 7) {
        if (*at == end)
            return false;
        uint8_t byte = *(*at)++;
        val |= (uint32_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *ret = val;
            return true;
        }
    }
    return false;
}

/* What nearly every producer sends: page, chunk and buffer, in this order, and nothing else. */
static bool parse_usual_move(const struct orma_pb_field *field, struct chunk_move *ret)
{
    enum {
        PAGE = ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_PAGE << 3,
        CHUNK = ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_CHUNK << 3,
        BUFFER = ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_TARGET_BUFFER << 3,
    };
    const uint8_t *at = field->data, *end = at + field->len;

    ret->has_data = ret->incomplete = false;
    return field->len >= 6 && *at++ == PAGE && short_varint(&at, end, &ret->page) && at < end &&
           *at++ == CHUNK && short_varint(&at, end, &ret->chunk) && at < end && *at++ == BUFFER &&
           short_varint(&at, end, &ret->target_buffer) && at == end;
}

static bool parse_move(const struct orma_pb_field *field, struct chunk_move *ret)
{
    if (ORMA_LIKELY(field->data && parse_usual_move(field, ret)))
        return true;
    struct orma_pb_reader r = orma_pb_sub(field);
    struct orma_pb_field f;

    *ret = (struct chunk_move){0};
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_PAGE:
            ret->page = orma_pb_u32(&f);
            break;
        case ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_CHUNK:
            ret->chunk = orma_pb_u32(&f);
            break;
        case ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_TARGET_BUFFER:
            ret->target_buffer = orma_pb_u32(&f);
            break;
        case ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_DATA:
            ret->has_data = true;
            ret->data = orma_pb_str(&f);
            break;
        case ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_CHUNK_INCOMPLETE:
            ret->incomplete = orma_pb_bool(&f);
            break;
        }
    }
    return !r.failed;
}

/* The chunk came inside the message: no shared memory between us. */
static void move_inline(struct traced_producer *p, const struct chunk_move *m)
{
    struct chunk_header h;

    if (m->data.len < ORMA_SHM_CHUNK_HEADER || m->data.len > UINT16_MAX)
        return;
    memcpy(&h, m->data.data, sizeof(h)); /* the same layout as in shared memory */
    put_chunk(p, m->target_buffer, &h, (const uint8_t *)m->data.data + ORMA_SHM_CHUNK_HEADER,
              (uint32_t)(m->data.len - ORMA_SHM_CHUNK_HEADER), !m->incomplete);
}

/* Chunks of one page that a request names one after the other: taken and freed together. */
struct chunk_group {
    uint32_t page, mask; /* mask 0: empty */
    unsigned num;
    uint8_t idx[ORMA_SHM_CHUNKS_MAX];
    uint32_t target[ORMA_SHM_CHUNKS_MAX];
};

/* Only a hint: nothing is judged by what is read here. */
static void prefetch_seq(const struct traced_producer *p, const struct chunk_group *g, unsigned i,
                         uint32_t word)
{
    struct orma_shm_chunk chunk = orma_shm_chunk_of(&p->shm, g->page, g->idx[i], word);
    uint32_t writer = atomic_load_explicit(&chunk.header->writer_id, memory_order_relaxed);
    const struct traced_seq *seq =
        orma_map_get_ptr(&p->known_seqs, (uint64_t)g->target[i] << 32 | writer);

    if (seq)
        traced_seq_prefetch(seq);
}

static void move_group(struct traced_producer *p, struct chunk_group *g,
                       struct traced_budget *budget)
{
    uint32_t word, taken;

    if (!g->num)
        return;
    taken = p->shm.base ? orma_shm_take_group(&p->shm, g->page, g->mask, &word) : 0;
    for (unsigned i = 0; i < g->num; i++) {
        if (!(taken & 1u << g->idx[i]))
            continue;
        struct orma_shm_chunk chunk = orma_shm_chunk_of(&p->shm, g->page, g->idx[i], word);
        struct chunk_header h = read_header(&chunk);
        if (i + 1 < g->num && taken & 1u << g->idx[i + 1]) /* others may lie outside of the page */
            prefetch_seq(p, g, i + 1, word);
        if (ORMA_UNLIKELY(p->scraped.len) && was_scraped(p, g->page, g->idx[i], &h))
            (void)orma_map_take(&p->scraped, place_of(g->page, g->idx[i])); /* it is there */
        else
            put_chunk(p, g->target[i], &h, chunk.payload, chunk.payload_size, true);
        traced_budget_spend(budget, chunk.payload_size);
    }
    if (taken)
        orma_shm_release_group(&p->shm, g->page, taken, word);
    g->num = g->mask = 0;
}

static void move_chunk(struct traced_producer *p, struct chunk_group *g, const struct chunk_move *m,
                       struct traced_budget *budget)
{
    if (m->has_data) {
        move_group(p, g, budget);
        move_inline(p, m);
        traced_budget_spend(budget, m->data.len);
        return;
    }
    if (m->chunk >= ORMA_SHM_CHUNKS_MAX)
        return;
    if (g->num && (g->page != m->page || g->mask & 1u << m->chunk))
        move_group(p, g, budget);
    ORMA_ASSERT_HOT(g->num < ORMA_ARRAY_LEN(g->idx)); /* each index once */
    g->page = m->page;
    g->mask |= 1u << m->chunk;
    g->idx[g->num] = (uint8_t)m->chunk;
    g->target[g->num++] = m->target_buffer;
}

/* ---- chunks_to_patch ---- */

struct patch_list {
    uint32_t target_buffer, writer_id, chunk_id;
    bool more;
    size_t num;
    bool too_many;
    struct traced_patch patches[PATCHES_MAX];
};

/* Patches of a wrong length are dropped one by one. */
static bool parse_patch(const struct orma_pb_field *field, struct patch_list *ret)
{
    struct orma_pb_reader r = orma_pb_sub(field);
    struct orma_pb_field f;
    struct traced_patch patch = {0};
    bool right = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_PATCH_OFFSET) {
            patch.offset = orma_pb_u32(&f);
        } else if (f.id == ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_PATCH_DATA) {
            right = f.len == sizeof(patch.data);
            if (right)
                memcpy(patch.data, f.data, sizeof(patch.data));
        }
    }
    if (r.failed)
        return false;
    if (ret->num == PATCHES_MAX)
        ret->too_many = true;
    else if (right)
        ret->patches[ret->num++] = patch;
    return true;
}

static bool parse_patches(const struct orma_pb_field *field, struct patch_list *ret)
{
    struct orma_pb_reader r = orma_pb_sub(field);
    struct orma_pb_field f;

    ret->target_buffer = ret->writer_id = ret->chunk_id = 0;
    ret->num = 0;
    ret->more = ret->too_many = false;
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_TARGET_BUFFER:
            ret->target_buffer = orma_pb_u32(&f);
            break;
        case ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_WRITER_ID:
            ret->writer_id = orma_pb_u32(&f);
            break;
        case ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_CHUNK_ID:
            ret->chunk_id = orma_pb_u32(&f);
            break;
        case ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_PATCHES:
            if (!parse_patch(&f, ret))
                return false;
            break;
        case ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_HAS_MORE_PATCHES:
            ret->more = orma_pb_bool(&f);
            break;
        }
    }
    return !r.failed;
}

static void apply_patches(struct traced_producer *p, const struct patch_list *list)
{
    struct traced_target *target = NULL;

    if (list->target_buffer <= UINT16_MAX &&
        orma_map_get(&p->targets, list->target_buffer) != ORMA_MAP_NONE)
        target = orma_map_get_ptr(&p->registry->targets, list->target_buffer);
    if (!target || !list->writer_id || list->writer_id > ORMA_SHM_WRITER_ID_MAX || list->too_many) {
        p->registry->patches_discarded++;
        return;
    }
    traced_buffer_patch(target->buf,
                        traced_buffer_find(target->buf, p->id, (uint16_t)list->writer_id),
                        list->chunk_id, list->patches, list->num, list->more);
}

/* ---- what the writers report about their packets ---- */

static bool take_counts(struct traced_producer *p, const struct orma_pb_field *field)
{
    struct orma_pb_reader r = orma_pb_sub(field);
    struct orma_pb_field f;
    uint64_t emitted = 0, no_chunk = 0, too_large = 0;
    uint32_t writer = 0, buffer = 0;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_ORMA_WRITER_COUNTS_WRITER_ID:
            writer = orma_pb_u32(&f);
            break;
        case ORMA_PB_ORMA_WRITER_COUNTS_TARGET_BUFFER:
            buffer = orma_pb_u32(&f);
            break;
        case ORMA_PB_ORMA_WRITER_COUNTS_EMITTED:
            emitted = orma_pb_u64(&f);
            break;
        case ORMA_PB_ORMA_WRITER_COUNTS_DROPPED_NO_CHUNK:
            no_chunk = orma_pb_u64(&f);
            break;
        case ORMA_PB_ORMA_WRITER_COUNTS_DROPPED_TOO_LARGE:
            too_large = orma_pb_u64(&f);
            break;
        }
    }
    struct traced_seq *seq = r.failed ? NULL : find_seq(p, writer, buffer);
    if (seq)
        traced_seq_report(seq, emitted,
                          ORMA_MIN(no_chunk, TRACED_SEQ_COUNT_MAX) +
                              ORMA_MIN(too_large, TRACED_SEQ_COUNT_MAX));
    return !r.failed;
}

/* ---- the whole request ---- */

/* Chunks, until the budget is spent. 1: there is more, 0, -EBADMSG. */
static int do_moves(struct traced_producer *p, struct traced_commit *c,
                    struct traced_budget *budget)
{
    struct orma_pb_field f;
    struct chunk_move m;
    struct chunk_group g = {0};
    bool bad = false;

    while (!bad && !traced_budget_over(budget) && orma_pb_next(&c->at, &f)) {
        traced_budget_spend(budget, COST_ENTRY);
        if (f.id == ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE) {
            bad = !parse_move(&f, &m);
            if (!bad && p->shm_ready)
                move_chunk(p, &g, &m, budget);
        } else if (f.id == ORMA_PB_COMMIT_DATA_REQUEST_FLUSH_REQUEST_ID) {
            c->flush_id = orma_pb_u64(&f);
        }
    }
    move_group(p, &g, budget);
    if (bad || c->at.failed)
        return -EBADMSG;
    return c->at.pos < c->at.end;
}

/* Patches and counts, in the same way. */
static int do_rest(struct traced_producer *p, struct traced_commit *c, struct traced_budget *budget)
{
    struct orma_pb_field f;
    struct patch_list list;

    while (!traced_budget_over(budget) && orma_pb_next(&c->at, &f)) {
        traced_budget_spend(budget, COST_ENTRY);
        if (f.id == ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_PATCH) {
            if (!parse_patches(&f, &list))
                return -EBADMSG;
            traced_budget_spend(budget, f.len + COST_PATCH * list.num);
            if (p->shm_ready)
                apply_patches(p, &list);
        } else if (f.id == ORMA_PB_COMMIT_DATA_REQUEST_ORMA_WRITER_COUNTS && !take_counts(p, &f)) {
            return -EBADMSG;
        }
    }
    if (c->at.failed)
        return -EBADMSG;
    return c->at.pos < c->at.end;
}

void traced_commit_begin(struct traced_commit *self, struct orma_str request)
{
    *self = (struct traced_commit){
        .request = request,
        .at = orma_pb_reader(request.data, request.len),
    };
}

/* It has done that to itself; its memory is zeroes now. */
static ORMA_COLD int refuse_torn(struct traced_producer *p)
{
    if (traced_loop_may_log(p->registry->loop))
        orma_log_warn("disconnected the producer with pid %d: it made its shared memory smaller",
                      p->pid);
    traced_conn_close(p->conn);
    return -EBADMSG;
}

int traced_commit_some(struct traced_producer *producer, struct traced_commit *self,
                       struct traced_budget *budget)
{
    int r;

    if (ORMA_UNLIKELY(traced_producer_is_torn(producer)))
        return refuse_torn(producer);
    if (!self->moved) {
        r = do_moves(producer, self, budget);
        if (r != 0)
            return r;
        self->moved = true;
        self->at = orma_pb_reader(self->request.data, self->request.len);
    }
    r = do_rest(producer, self, budget);
    if (r != 0)
        return r;
    producer->registry->events->committed(producer, producer->shm_ready ? self->flush_id : 0);
    return 0;
}

int traced_commit(struct traced_producer *producer, struct orma_str request)
{
    struct traced_commit commit;
    int r;

    traced_commit_begin(&commit, request);
    do {
        struct traced_budget budget = traced_budget();

        r = traced_commit_some(producer, &commit, &budget);
    } while (r > 0);
    return r;
}

/* ---- scraping ---- */

static void scrape_chunk(struct traced_producer *p, const struct orma_shm_chunk *chunk,
                         bool complete, const struct traced_target_group *group)
{
    struct chunk_header h = read_header(chunk);
    uint64_t buffer_id = h.writer_id ? orma_map_get(&p->writers, h.writer_id) : ORMA_MAP_NONE;

    if (buffer_id == ORMA_MAP_NONE || buffer_id > UINT16_MAX) {
        p->has_orphans |= h.writer_id && (h.packets & ORMA_SHM_PACKETS_MASK);
        return;
    }
    const struct traced_target *target = orma_map_get_ptr(&p->registry->targets, buffer_id);
    if (!target || (group && target->group != group))
        return;
    if (!complete && (h.packets & ORMA_SHM_PACKETS_MASK) < 2)
        return;
    if (complete && was_scraped(p, chunk->page, chunk->idx, &h))
        return;
    if (put_chunk(p, (uint32_t)buffer_id, &h, chunk->payload, chunk->payload_size, complete) &&
        complete)
        (void)orma_map_put(&p->scraped, place_of(chunk->page, chunk->idx),
                           identity_of(&h)); /* no memory: it is copied again */
}

static void scrape_page(struct traced_producer *p, uint32_t page,
                        const struct traced_target_group *group, struct traced_budget *budget)
{
    struct orma_shm_chunk chunk;
    enum orma_shm_state state;

    traced_budget_spend(budget, COST_PAGE);
    for (uint32_t idx = 0; idx < ORMA_SHM_CHUNKS_MAX; idx++) {
        if (!orma_shm_peek(&p->shm, page, idx, &chunk, &state))
            return;
        if (state != ORMA_SHM_COMPLETE && (state != ORMA_SHM_WRITING || p->only_complete))
            continue;
        scrape_chunk(p, &chunk, state == ORMA_SHM_COMPLETE, group);
        traced_budget_spend(budget, COST_CHUNK + chunk.payload_size);
    }
}

bool traced_scrape_some(struct traced_producer *producer, const struct traced_target_group *group,
                        uint32_t *page, struct traced_budget *budget)
{
    uint32_t end = producer->shm.base ? producer->shm.pages_num : 0;

    if (!*page)
        producer->has_orphans = false; /* those of the time before may be known by now */
    while (*page < end && !traced_budget_over(budget))
        scrape_page(producer, (*page)++, group, budget);
    return *page < end;
}

void traced_scrape(struct traced_producer *producer, const struct traced_target_group *group)
{
    uint32_t page = 0;
    bool more;

    do {
        struct traced_budget budget = traced_budget();

        more = traced_scrape_some(producer, group, &page, &budget);
    } while (more);
}
