#include "processor/import/core/places.h"

#include "sdk/base/hash.h"
#include "sdk/base/mapped.h"

/* Below the first, decoding is cheaper than to remember where they are; from the second on, the
 * args are always left. */
#define BYTES_MIN 16u
#define BYTES_LONG 64u
/* Of so many between the two the first are looked at and decoded, and the others left unless a
 * quarter of those had come before, byte by byte. */
#define WINDOW 8192u
#define SAMPLE 512u
#define REPEATED (SAMPLE / 4)
#define LET_GO_BYTES ((ptrdiff_t)32 << 20)

/* Whether short args differ so much that they are not worth being compared. */
static bool leaves_short(struct orma_import_shorts *self, struct orma_str args)
{
    const uint32_t at = self->seen++ % WINDOW;

    if (at >= SAMPLE)
        return self->leave;
    const uint32_t hash = (uint32_t)orma_hash_bytes_from(orma_hash_seed(), args.data, args.len);
    uint32_t *place = &self->hashes[hash % ORMA_IMPORT_SHORTS_NUM];
    self->repeated = (at ? self->repeated : 0) + (*place == hash);
    self->leave = self->repeated < REPEATED;
    *place = hash;
    return false;
}

bool orma_import_leaves_args(struct orma_import_shorts *self, struct orma_str args)
{
    return args.len >= BYTES_MIN && args.len <= UINT32_MAX &&
           (args.len >= BYTES_LONG || leaves_short(self, args));
}

bool orma_import_may_leave_args(const struct orma_import_shorts *self, struct orma_str args)
{
    return args.len >= BYTES_LONG || (args.len >= BYTES_MIN && self->leave);
}

bool orma_import_still_there(struct orma_import_ctx *imp)
{
    if (!imp->reader)
        return true;
    imp->reader->source.unchecked = 0;
    if (orma_reader_still_there(imp->reader))
        return true;
    imp->model->storage->stale = true;
    return false;
}

void orma_import_let_go(struct orma_import_ctx *imp, const uint8_t **behind, const uint8_t *at)
{
    if (at < *behind || !*behind)
        *behind = at;
    if (at - *behind < LET_GO_BYTES)
        return;
    if (imp->reader && imp->reader->source.mapped)
        orma_mapped_let_go(imp->reader->source.mapped, *behind, at);
    *behind = at;
}
