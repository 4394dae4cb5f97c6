/*
 * Doubly linked list through a link inside the element. A list is a ring with
 * a head that is no element; an unlinked link points to itself or is zero.
 */
#ifndef ORMA_SDK_BASE_LIST_H
#define ORMA_SDK_BASE_LIST_H
#include <stdbool.h>
#include <stddef.h>

#include "sdk/base/defs.h"

struct orma_list {
    struct orma_list *next, *prev;
};

static inline void orma_list_init(struct orma_list *self)
{
    self->next = self->prev = self;
}

static inline bool orma_list_empty(const struct orma_list *self)
{
    return !self->next || self->next == self;
}

/* Before `at`: with the head as `at`, at the end of the list. */
static inline void orma_list_insert(struct orma_list *at, struct orma_list *link)
{
    link->next = at;
    link->prev = at->prev;
    at->prev->next = link;
    at->prev = link;
}

/* Fine on a link that is in no list. */
static inline void orma_list_remove(struct orma_list *link)
{
    if (!link->next)
        return;
    link->prev->next = link->next;
    link->next->prev = link->prev;
    orma_list_init(link);
}

/* The element may be removed or freed inside the body. */
#define ORMA_LIST_EACH(type, var, head, member)                                                    \
    for (type *var = ORMA_CONTAINER_OF((head)->next, type, member),                                \
              *var##_next_ = ORMA_CONTAINER_OF(var->member.next, type, member);                    \
         &var->member != (head);                                                                   \
         var = var##_next_, var##_next_ = ORMA_CONTAINER_OF(var->member.next, type, member))
#endif
