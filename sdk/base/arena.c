#include "sdk/base/arena.h"

#include <stdlib.h>

#include "sdk/base/defs.h"
#include "sdk/base/huge.h"

#define BLOCK_MIN ((size_t)4096)
#define BLOCK_MAX ((size_t)1 << 20)
/* Once there is much, a block is a huge page. */
#define MUCH (16 * BLOCK_MAX)
#define ALIGN 16

struct orma_arena_block {
    struct orma_arena_block *next;
    _Alignas(ALIGN) char data[];
};

void orma_arena_fini(struct orma_arena *self)
{
    for (struct orma_arena_block *b = self->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    *self = (struct orma_arena){0};
}

static bool add_block(struct orma_arena *self, size_t size, bool huge)
{
    struct orma_arena_block *b =
        huge ? aligned_alloc(ORMA_HUGE_PAGE, ORMA_HUGE_PAGE) : malloc(sizeof(*b) + size);

    if (!b)
        return false;
    if (huge)
        orma_huge_ask(b, ORMA_HUGE_PAGE);
    b->next = self->blocks;
    self->blocks = b;
    self->pos = b->data;
    self->end = b->data + size;
    return true;
}

void *orma_arena_alloc(struct orma_arena *self, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size = orma_align_up(size, ALIGN);
    if (!self->blocks || size > (size_t)(self->end - self->pos)) {
        /* It doubles on above the largest size, as the count of such blocks. */
        self->next_size = ORMA_MIN(ORMA_MAX(self->next_size * 2, BLOCK_MIN), MUCH);
        if (size <= BLOCK_MAX && self->next_size == MUCH) {
            if (!add_block(self, ORMA_HUGE_PAGE - sizeof(*self->blocks), true))
                return NULL;
        } else if (!add_block(self, ORMA_MAX(size, ORMA_MIN(self->next_size, BLOCK_MAX)), false))
            return NULL;
    }
    void *at = self->pos;
    self->pos += size;
    return at;
}

const char *orma_arena_strdup(struct orma_arena *self, struct orma_str s)
{
    char *copy = s.len < SIZE_MAX ? orma_arena_alloc(self, s.len + 1) : NULL;

    if (!copy)
        return NULL;
    if (s.len)
        memcpy(copy, s.data, s.len);
    copy[s.len] = '\0';
    return copy;
}
