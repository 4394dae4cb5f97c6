/*
 * The code of a process that is alive is kept by address, in pieces of a sorted list: a piece is
 * full after PIECE_MAX entries and then becomes two, so an insertion moves few bytes however many
 * there are. Code that is alive never overlaps: a new one ends all those it lies on.
 */
#include "processor/import/profile/jit.h"

#include "sdk/base/base64.h"
#include "sdk/base/search.h"

#define PIECE_MAX 512

struct alive {
    uint64_t start, end;
    uint32_t row;
};

struct piece {
    uint32_t num; /* never 0 */
    struct alive codes[PIECE_MAX];
};

/* The live code of a process. */
struct orma_profile_jit {
    struct piece **pieces;
    uint32_t num, cap;
};

struct place {
    uint32_t piece, at;
};

static struct orma_profile_jit *jit_of(struct orma_import_ctx *imp, uint32_t upid)
{
    struct orma_map *all = &orma_profile(imp)->jit;
    struct orma_profile_jit *ret = orma_map_get_ptr(all, upid);

    if (ret)
        return ret;
    ret = calloc(1, sizeof(*ret));
    if (!ret || orma_map_put_ptr(all, upid, ret)) {
        free(ret);
        imp->model->storage->failed = true;
        return NULL;
    }
    return ret;
}

/* The first code that ends behind `addr`; piece == num: there is none. */
static struct place find(const struct orma_profile_jit *self, uint64_t addr)
{
    struct place p = {0};

    p.piece = ORMA_PARTITION_POINT(i, 0, self->num,
                                   self->pieces[i]->codes[self->pieces[i]->num - 1].end <= addr);
    if (p.piece < self->num)
        p.at =
            ORMA_UPPER_BOUND(self->pieces[p.piece]->codes, self->pieces[p.piece]->num, .end, addr);
    return p;
}

static void remove_at(struct orma_profile_jit *self, struct place p)
{
    struct piece *piece = self->pieces[p.piece];

    piece->num--;
    memmove(piece->codes + p.at, piece->codes + p.at + 1,
            (piece->num - p.at) * sizeof(*piece->codes));
    if (piece->num)
        return;
    free(piece);
    self->num--;
    memmove(self->pieces + p.piece, self->pieces + p.piece + 1,
            (self->num - p.piece) * sizeof(*self->pieces));
}

/* Room for one more in that piece: half of a full one moves into a new one. */
static bool split(struct orma_profile_jit *self, struct place *p)
{
    struct piece *piece = p->piece < self->num ? self->pieces[p->piece] : NULL, *next;

    if (piece && piece->num < PIECE_MAX)
        return true;
    if (ORMA_GROW(&self->pieces, &self->cap, self->num + (size_t)1) ||
        !(next = calloc(1, sizeof(*next))))
        return false;
    uint32_t at = piece ? p->piece + 1 : self->num;
    memmove(self->pieces + at + 1, self->pieces + at, (self->num - at) * sizeof(*self->pieces));
    self->pieces[at] = next;
    self->num++;
    if (!piece)
        return true;
    piece->num = PIECE_MAX / 2;
    next->num = PIECE_MAX - piece->num;
    memcpy(next->codes, piece->codes + piece->num, next->num * sizeof(*next->codes));
    if (p->at > piece->num)
        *p = (struct place){p->piece + 1, p->at - piece->num};
    return true;
}

static void insert(struct orma_import_ctx *imp, struct orma_profile_jit *self, struct alive code)
{
    struct place p = find(self, code.start);

    if (p.piece == self->num && self->num) { /* behind all others */
        p.piece--;
        p.at = self->pieces[p.piece]->num;
    }
    if (!split(self, &p)) {
        imp->model->storage->failed = true;
        return;
    }
    struct piece *piece = self->pieces[p.piece];
    memmove(piece->codes + p.at + 1, piece->codes + p.at,
            (piece->num - p.at) * sizeof(*piece->codes));
    piece->codes[p.at] = code;
    piece->num++;
}

static void end_at(struct orma_import_ctx *imp, struct orma_profile_jit *self, struct place p,
                   int64_t ts)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_JIT_CODE);

    orma_table_set(t, ORMA_JIT_CODE_ESTIMATED_DELETE_TS, self->pieces[p.piece]->codes[p.at].row,
                   ts);
    remove_at(self, p);
}

uint32_t orma_profile_jit_base64(struct orma_import_ctx *imp, struct orma_str bytes)
{
    struct orma_buf text = {0};

    if (!bytes.len)
        return 0;
    orma_base64_put(&text, bytes);
    uint32_t ret = orma_model_str(imp->model, orma_buf_str(&text));
    imp->model->storage->failed |= text.failed;
    orma_buf_fini(&text);
    return ret;
}

static uint32_t add_row(struct orma_import_ctx *imp, const struct orma_profile_jit_code *code)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_JIT_CODE);
    uint32_t row = orma_table_add(t);

    orma_table_set_time(t, ORMA_JIT_CODE_CREATE_TS, row, code->ts);
    orma_table_set(t, ORMA_JIT_CODE_UTID, row, code->utid);
    orma_table_set(t, ORMA_JIT_CODE_START_ADDRESS, row, (int64_t)code->start);
    orma_table_set(t, ORMA_JIT_CODE_SIZE, row, (int64_t)code->size);
    orma_table_set(t, ORMA_JIT_CODE_FUNCTION_NAME, row, code->name);
    if (code->bytes.len)
        orma_table_set(t, ORMA_JIT_CODE_NATIVE_CODE_BASE64, row,
                       orma_profile_jit_base64(imp, code->bytes));
    return row;
}

uint32_t orma_profile_jit_load(struct orma_import_ctx *imp,
                               const struct orma_profile_jit_code *code)
{
    struct orma_profile_jit *self = jit_of(imp, code->upid);
    uint32_t row = add_row(imp, code);
    uint64_t end = code->start + code->size;
    struct place p;

    if (!self || row == ORMA_ROW_NONE || end <= code->start)
        return row;
    while ((p = find(self, code->start)).piece < self->num &&
           self->pieces[p.piece]->codes[p.at].start < end)
        end_at(imp, self, p, code->ts);
    insert(imp, self, (struct alive){code->start, end, row});
    return row;
}

uint32_t orma_profile_jit_move(struct orma_import_ctx *imp, const struct orma_profile_jit_code *to,
                               uint64_t from)
{
    const struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_JIT_CODE);
    struct orma_profile_jit *self = jit_of(imp, to->upid);
    struct place p = {0};

    if (self)
        p = find(self, from);
    if (!self || p.piece == self->num || self->pieces[p.piece]->codes[p.at].start != from)
        return ORMA_ROW_NONE;
    uint32_t row = self->pieces[p.piece]->codes[p.at].row;
    struct orma_profile_jit_code moved = *to;
    moved.size = (uint64_t)orma_table_int(t, ORMA_JIT_CODE_SIZE, row);
    moved.name = (uint32_t)orma_table_int(t, ORMA_JIT_CODE_FUNCTION_NAME, row);
    end_at(imp, self, p, to->ts);
    return orma_profile_jit_load(imp, &moved);
}

void orma_profile_jit_fini(struct orma_import_ctx *imp)
{
    ORMA_MAP_EACH (slot, &orma_profile(imp)->jit) {
        struct orma_profile_jit *self = (struct orma_profile_jit *)(uintptr_t)slot->val;

        for (uint32_t i = 0; i < self->num; i++)
            free(self->pieces[i]);
        free(self->pieces);
        free(self);
    }
    orma_map_fini(&orma_profile(imp)->jit);
}
