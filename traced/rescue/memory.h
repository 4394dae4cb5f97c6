/*
 * Memory in a file of the rescue folder.
 *
 * It is mapped as a whole and has no pages at first; traced_rescue_back() gives them to it, in
 * order. Where the file system has no space for more, the rest becomes memory of the process alone:
 * nothing is lost but what that part would be worth after a crash. So nobody gets SIGBUS for a full
 * tmpfs.
 *
 * Threads: one.
 */
#ifndef ORMA_TRACED_RESCUE_MEMORY_H
#define ORMA_TRACED_RESCUE_MEMORY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traced/rescue/folder.h"

struct traced_rescue_memory {
    const struct traced_rescue_folder *folder; /* NULL: not mapped */
    char name[TRACED_RESCUE_NAME_MAX];
    uint8_t *head; /* the first page, backed; `data` begins behind it */
    uint8_t *data;
    size_t size;   /* of the data */
    size_t backed; /* so much of the data has pages */
    size_t limit;  /* so much is that of the file */
};

/* Data of `size` bytes, none backed. -errno: there is no file either. */
int traced_rescue_map(struct traced_rescue_folder *folder, const char *name, size_t size,
                      struct traced_rescue_memory *ret);
/* At least the first `upto` bytes of the data may be touched. */
void traced_rescue_back(struct traced_rescue_memory *self, size_t upto);
/* Unmaps it, the data only if it is still ours (data not NULL), and removes the file. */
void traced_rescue_unmap(struct traced_rescue_memory *self);

/* The file goes now, the memory stays. */
void traced_rescue_leave(struct traced_rescue_memory *self);

/* A page as the head is one, and what is in front of the data in the file. */
size_t traced_rescue_page(void);

/* A file of `size` bytes that has all its pages. Descriptor or -errno. */
int traced_rescue_shared_memory(struct traced_rescue_folder *folder, const char *name, size_t size);
#endif
