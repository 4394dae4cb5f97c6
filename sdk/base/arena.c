#include "sdk/base/arena.h"

#include <stdlib.h>

#include "sdk/base/defs.h"

#define BLOCK_MIN ((size_t)4096)
#define BLOCK_MAX ((size_t)1 << 20)
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

static bool add_block(struct orma_arena *self, size_t size)
{
    struct orma_arena_block *b = malloc(sizeof(*b) + size);

    if (!b)
        return false;
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
        self->next_size = ORMA_MIN(ORMA_MAX(self->next_size * 2, BLOCK_MIN), BLOCK_MAX);
        if (!add_block(self, ORMA_MAX(size, self->next_size)))
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
