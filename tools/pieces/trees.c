#include "tools/pieces/trees.h"

#include "protos/fields/process.h"
#include "sdk/base/hash.h"
#include "sdk/wire/pb_reader.h"

static bool is_entry(const struct orma_pb_field *f)
{
    return (f->id == ORMA_PB_PROCESS_TREE_PROCESSES || f->id == ORMA_PB_PROCESS_TREE_THREADS) &&
           f->wire == ORMA_PB_LEN;
}

/* Begins with a number that only this process knows: nobody can make two that are taken for one. */
static uint64_t key_of(const struct orma_pieces_seq *seq, const struct orma_pb_field *f,
                       enum orma_pieces_side side)
{
    const uint64_t kind = (uint64_t)seq->seq->machine << 32 | f->id << 2 | (uint64_t)side;

    return orma_hash_bytes_from(orma_hash_seed() ^ orma_mix64(kind), f->data, f->len);
}

void orma_pieces_trees_note(struct orma_pieces_trees *self, const struct orma_pieces_seq *seq,
                            const struct orma_pieces_packet *packet, enum orma_pieces_side side)
{
    struct orma_pb_reader r = orma_pb_reader(packet->p.payload.data, packet->p.payload.len);
    struct orma_pb_field f;

    if (side == ORMA_PIECES_WITHIN)
        return;
    while (orma_pb_next(&r, &f)) {
        if (is_entry(&f))
            self->failed |= orma_map_put(&self->last, key_of(seq, &f, side), packet->number) < 0;
    }
}

bool orma_pieces_trees_write(const struct orma_pieces_trees *self,
                             const struct orma_pieces_seq *seq,
                             const struct orma_pieces_packet *packet, enum orma_pieces_side side,
                             struct orma_buf *out)
{
    const struct orma_str payload = packet->p.payload;
    struct orma_pb_reader r = orma_pb_reader(payload.data, payload.len);
    const uint8_t *at = r.pos;
    struct orma_pb_field f;
    bool any = false, fewer = false;

    while (orma_pb_next(&r, &f)) {
        const uint64_t last = side != ORMA_PIECES_WITHIN && is_entry(&f)
                                  ? orma_map_get(&self->last, key_of(seq, &f, side))
                                  : ORMA_MAP_NONE;
        const bool repeated = last != ORMA_MAP_NONE && last > packet->number;

        fewer |= repeated;
        any |= !repeated && f.id != ORMA_PB_PROCESS_TREE_COLLECTION_END_TIMESTAMP;
        if (!repeated)
            orma_buf_put(out, at, (size_t)(r.pos - at));
        at = r.pos;
    }
    if (r.failed) { /* damaged: readers find out */
        orma_buf_clear(out);
        orma_buf_put(out, payload.data, payload.len);
        return true;
    }
    return any || !fewer;
}

void orma_pieces_trees_fini(struct orma_pieces_trees *self)
{
    orma_map_fini(&self->last);
}
