/*
 * One turn, in this order: chunks, then patches, then the counts of all writers.
 * What goes into CommitData is gathered in `request` and sent when it is large, so
 * the order on the wire is that of the calls:
 *
 *   RegisterTraceWriter*   new writers, before the last part of the data
 *   CommitData+            chunks, patches, counts that changed
 *   UnregisterTraceWriter* writers that are gone, after their last counts
 *
 * Slots are looked at with the pool locked, where nothing may wait for malloc(): the
 * callbacks only note down, in memory of mem.h, and the requests are made afterwards.
 */
#include "sdk/transport/commit.h"

#include <errno.h>
#include <stdlib.h>

#include "protos/fields/common.h"
#include "protos/fields/ipc.h"
#include "protos/fields/orma_ext.h"
#include "sdk/wire/pb_writer.h"

/* A request is sent when it has grown so far. Frames end at 128 KiB, and one chunk may be 32 KiB.
 */
#define REQUEST_SOFT_MAX (64u << 10)
#define BATCH 256u

void orma_committer_fini(struct orma_committer *self)
{
    orma_buf_fini(&self->request);
    orma_buf_fini(&self->scratch);
}

/* What is noted with the pool locked: so not with malloc(), see guard.h. */
static void clear_scratch(struct orma_committer *self)
{
    self->scratch.own_mem = true; /* nothing is in it yet the first time */
    orma_buf_clear(&self->scratch);
}

static int send_request(struct orma_committer *self)
{
    struct orma_buf *b = &self->request;
    int r = 0;

    if (b->failed)
        r = -ENOMEM;
    else if (b->len)
        r = orma_ipc_client_invoke(self->ipc, "CommitData", b->data, b->len, -1, NULL, NULL);
    self->requests_sent += b->len != 0;
    orma_buf_clear(b);
    return r;
}

static int send_if_large(struct orma_committer *self)
{
    return self->request.len >= REQUEST_SOFT_MAX ? send_request(self) : 0;
}

/* ---- writers: announcements and counts ---- */

struct slot_report {
    uint16_t id;
    uint32_t target_buffer;
    bool announce, withdraw, changed;
    struct orma_writer_counts counts;
};

/* With the pool locked: only notes down. */
static void note_slot(void *ctx, struct orma_pool_slot *slot,
                      const struct orma_writer_counts *counts)
{
    struct orma_committer *self = ctx;
    struct slot_report rep = {.id = slot->id, .target_buffer = slot->target_buffer};

    if (!slot->target_buffer)
        return;
    rep.announce = !slot->announced;
    rep.withdraw = slot->reaped;
    rep.counts = *counts;
    rep.changed = counts->emitted != slot->reported.emitted ||
                  counts->dropped_no_chunk != slot->reported.dropped_no_chunk ||
                  counts->dropped_too_large != slot->reported.dropped_too_large;
    slot->announced = true;
    slot->reported = *counts;
    if (rep.announce || rep.withdraw || rep.changed)
        orma_buf_put(&self->scratch, &rep, sizeof(rep));
}

static int send_writer_id(struct orma_committer *self, const char *method,
                          const struct slot_report *rep)
{
    struct orma_buf b = {0};

    orma_pb_put_u64(&b, ORMA_PB_REGISTER_TRACE_WRITER_REQUEST_TRACE_WRITER_ID, rep->id);
    if (rep->announce)
        orma_pb_put_u64(&b, ORMA_PB_REGISTER_TRACE_WRITER_REQUEST_TARGET_BUFFER,
                        rep->target_buffer);
    int r = b.failed ? -ENOMEM
                     : orma_ipc_client_invoke(self->ipc, method, b.data, b.len, -1, NULL, NULL);
    orma_buf_fini(&b);
    return r;
}

static void put_counts(struct orma_buf *b, const struct slot_report *rep)
{
    size_t at = orma_pb_begin(b, ORMA_PB_COMMIT_DATA_REQUEST_ORMA_WRITER_COUNTS);

    orma_pb_put_u64(b, ORMA_PB_ORMA_WRITER_COUNTS_WRITER_ID, rep->id);
    orma_pb_put_u64(b, ORMA_PB_ORMA_WRITER_COUNTS_TARGET_BUFFER, rep->target_buffer);
    orma_pb_put_u64(b, ORMA_PB_ORMA_WRITER_COUNTS_EMITTED, rep->counts.emitted);
    if (rep->counts.dropped_no_chunk)
        orma_pb_put_u64(b, ORMA_PB_ORMA_WRITER_COUNTS_DROPPED_NO_CHUNK,
                        rep->counts.dropped_no_chunk);
    if (rep->counts.dropped_too_large)
        orma_pb_put_u64(b, ORMA_PB_ORMA_WRITER_COUNTS_DROPPED_TOO_LARGE,
                        rep->counts.dropped_too_large);
    orma_pb_end(b, at);
}

/* Announcements go out before the chunks, so that the service can check these. */
static int announce(struct orma_committer *self, const struct slot_report *reps, size_t num)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < num; i++) {
        if (reps[i].announce)
            r = send_writer_id(self, "RegisterTraceWriter", &reps[i]);
    }
    return r;
}

static int report(struct orma_committer *self, const struct slot_report *reps, size_t num)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < num; i++) {
        if (reps[i].changed)
            put_counts(&self->request, &reps[i]);
        r = send_if_large(self);
    }
    if (r == 0)
        r = send_request(self);
    for (size_t i = 0; r == 0 && i < num; i++) {
        if (reps[i].withdraw)
            r = send_writer_id(self, "UnregisterTraceWriter",
                               &(struct slot_report){.id = reps[i].id});
    }
    return r;
}

/* ---- chunks ---- */

/* Header and payload as the service would copy them; `packets` instead of the header's own word. */
static void put_chunk_bytes(struct orma_buf *b, const struct orma_shm_chunk *chunk,
                            uint16_t packets)
{
    orma_pb_put_bytes(b, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_DATA, chunk->header,
                      ORMA_SHM_CHUNK_HEADER + chunk->payload_size);
    if (!b->failed) {
        size_t header = b->len - chunk->payload_size - ORMA_SHM_CHUNK_HEADER;

        memcpy(b->data + header + offsetof(struct orma_shm_chunk_header, packets), &packets,
               sizeof(packets));
    }
}

static void put_chunk(struct orma_committer *self, const struct orma_shm_chunk *chunk,
                      uint32_t target_buffer, bool incomplete)
{
    struct orma_buf *b = &self->request;
    size_t at = orma_pb_begin(b, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE);

    orma_pb_put_u64(b, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_PAGE, chunk->page);
    orma_pb_put_u64(b, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_CHUNK, chunk->idx);
    orma_pb_put_u64(b, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_TARGET_BUFFER, target_buffer);
    if (self->inline_data) {
        /* acquire: as a scraper, see sdk/shm/layout.h. */
        uint16_t packets = atomic_load_explicit(&chunk->header->packets, memory_order_acquire);

        put_chunk_bytes(b, chunk, packets);
    }
    if (incomplete)
        orma_pb_put_u64(b, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_MOVE_CHUNK_INCOMPLETE, 1);
    orma_pb_end(b, at);
}

static int commit_chunks(struct orma_committer *self)
{
    struct orma_pool_chunk batch[BATCH];
    size_t num;
    int r = 0;

    do {
        num = orma_pool_take(self->pool, batch, BATCH);
        for (size_t i = 0; i < num; i++) {
            bool wanted = batch[i].target_buffer != 0;

            if (wanted && r == 0)
                put_chunk(self, &batch[i].chunk, batch[i].target_buffer, false);
            self->chunks_sent += wanted;
            if (!wanted || self->inline_data)
                orma_shm_release(&self->pool->shm, &batch[i].chunk);
            if (r == 0)
                r = send_if_large(self);
        }
    } while (r == 0 && num == BATCH);
    return r;
}

static int commit_patches(struct orma_committer *self, const struct orma_pool_patch *batch,
                          size_t num)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < num; i++) {
        struct orma_buf *b = &self->request;
        size_t at = orma_pb_begin(b, ORMA_PB_COMMIT_DATA_REQUEST_CHUNKS_TO_PATCH);
        uint8_t size[4];

        orma_pb_put_u64(b, ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_TARGET_BUFFER,
                        batch[i].target_buffer);
        orma_pb_put_u64(b, ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_WRITER_ID,
                        batch[i].writer_id);
        orma_pb_put_u64(b, ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_CHUNK_ID, batch[i].chunk_id);
        size_t patch = orma_pb_begin(b, ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_PATCHES);
        orma_varint_write_redundant(size, batch[i].size);
        orma_pb_put_u64(b, ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_PATCH_OFFSET,
                        batch[i].offset);
        orma_pb_put_bytes(b, ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_PATCH_DATA, size,
                          sizeof(size));
        orma_pb_end(b, patch);
        orma_pb_put_u64(b, ORMA_PB_COMMIT_DATA_REQUEST_CHUNK_TO_PATCH_HAS_MORE_PATCHES,
                        !batch[i].last);
        orma_pb_end(b, at);
        r = send_if_large(self);
    }
    return r;
}

/*
 * The patches that there are, then the chunks, which those of the patches are among: a patch that
 * came later may be for a chunk that was not listed yet, and the service must know the chunk first.
 */
static int commit_data(struct orma_committer *self)
{
    struct orma_pool_patch patches[BATCH];
    size_t num;
    int r;

    do {
        num = orma_pool_take_patches(self->pool, patches, BATCH);
        r = commit_chunks(self);
        if (r == 0)
            r = commit_patches(self, patches, num);
    } while (r == 0 && num == BATCH);
    return r;
}

int orma_commit_all(struct orma_committer *self)
{
    orma_buf_clear(&self->request);
    clear_scratch(self);
    int r = commit_data(self);
    if (r < 0)
        return r;

    orma_pool_each_slot(self->pool, true, note_slot, self);
    if (self->scratch.failed)
        return -ENOMEM;
    const struct slot_report *reps = (const struct slot_report *)self->scratch.data;
    size_t num = self->scratch.len / sizeof(*reps);
    r = announce(self, reps, num);
    return r < 0 ? r : report(self, reps, num);
}

/* ---- flush ---- */

static void scrape_slot(void *ctx, struct orma_pool_slot *slot,
                        const struct orma_writer_counts *counts)
{
    struct orma_committer *self = ctx;
    uint16_t id = slot->id;

    (void)counts;
    if (slot->target_buffer) {
        orma_buf_put(&self->scratch, &id, sizeof(id));
        orma_buf_put(&self->scratch, &slot->target_buffer, sizeof(slot->target_buffer));
    }
}

static uint32_t target_of(const struct orma_buf *b, uint16_t id)
{
    for (size_t i = 0; i + 6 <= b->len; i += 6) {
        uint16_t seen;
        uint32_t target;

        memcpy(&seen, b->data + i, sizeof(seen));
        memcpy(&target, b->data + i + 2, sizeof(target));
        if (seen == id)
            return target;
    }
    return 0;
}

int orma_commit_scrape(struct orma_committer *self)
{
    const struct orma_shm *shm = &self->pool->shm;
    int r = 0;

    orma_buf_clear(&self->request);
    clear_scratch(self);
    orma_pool_each_slot(self->pool, false, scrape_slot, self);
    for (uint32_t page = 0; r == 0 && page < shm->pages_num; page++) {
        enum orma_shm_state state;
        struct orma_shm_chunk chunk;

        for (uint32_t idx = 0; orma_shm_peek(shm, page, idx, &chunk, &state); idx++) {
            if (state != ORMA_SHM_WRITING)
                continue;
            uint16_t id = atomic_load_explicit(&chunk.header->writer_id, memory_order_relaxed);
            uint32_t target = target_of(&self->scratch, id);
            if (target)
                put_chunk(self, &chunk, target, true);
            if ((r = send_if_large(self)) < 0)
                return r;
        }
    }
    return send_request(self);
}

int orma_commit_flush_ack(struct orma_committer *self, uint64_t flush_id)
{
    orma_buf_clear(&self->request);
    orma_pb_put_u64(&self->request, ORMA_PB_COMMIT_DATA_REQUEST_FLUSH_REQUEST_ID, flush_id);
    return send_request(self);
}
