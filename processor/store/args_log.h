/*
 * Sets of args in the order in which an import made them, before anybody asked for one.
 *
 * Most queries never look at args, and what finding equal sets costs is worth paying only for those
 * that do. So sets are written down one after the other, and numbered; which of them are equal is
 * settled later (args.h).
 *
 *   bytes   shape, values ...   one set; numbers as varints, doubles as they are
 *   shape   (flat key, key, type) of each arg: the same for all sets of one kind of event. Places
 *           have no keys there: how far they are from the place before is their value.
 *
 * A set that is equal to one of the last few thousand gets the number of that one, so what repeats
 * is written once; equal sets that lie far apart may have several numbers. orma_args_log_intern()
 * always finds the equal one, among those that came the same way.
 *
 * Threads: none.
 */
#ifndef ORMA_PROCESSOR_STORE_ARGS_LOG_H
#define ORMA_PROCESSOR_STORE_ARGS_LOG_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct orma_args_list;

/* Numbers of sets are below this. */
#define ORMA_ARGS_LOG_MAX 0x40000000u
#define ORMA_ARGS_LOG_NONE UINT32_MAX

struct orma_args_log_key {
    uint32_t flat_key, key; /* pool ids */
    uint32_t type;          /* enum orma_arg_type; may have ORMA_ARGS_LOG_YIELDS beside places */
};
#define ORMA_ARGS_LOG_YIELDS 0x100u

struct orma_args_log_shape {
    uint32_t first, len; /* of the keys */
    uint64_t hash;
};

/* A set that was written, by hash. */
struct orma_args_log_place {
    uint64_t at; /* its first byte */
    uint32_t hash;
    uint32_t set; /* + 1; 0: free */
};

/* Where a set begins, and what the place before it was. */
struct orma_args_log_pos {
    uint64_t at, place;
};

/* Zero-initialised is empty. */
struct orma_args_log {
    uint8_t *bytes;
    size_t len, cap;
    struct orma_args_log_pos *index; /* of each 64th set */
    uint32_t index_cap;
    uint32_t sets_num;
    uint32_t places_num; /* sets with places */
    uint64_t places_bytes;
    uint64_t place, next_place;     /* the last one, and that of the set under way */
    uint32_t place_shape;           /* of sets that are one place, + 1; 0: there is none yet */
    uint32_t last_shape;            /* of the set that was written last, if there is one */
    struct orma_args_log_key *keys; /* of all shapes */
    uint32_t keys_num, keys_cap;
    struct orma_args_log_shape *shapes;
    uint32_t shapes_num, shapes_cap;
    uint32_t *shape_slots; /* shapes by hash, + 1; 0: free */
    uint32_t shape_slots_mask;
    uint64_t seed;                        /* of hashes: files may be hostile */
    struct orma_args_log_place *recent;   /* pairs: the last two sets of each hash */
    struct orma_args_log_place *interned; /* open addressing */
    uint32_t interned_mask, interned_num;
};

void orma_args_log_fini(struct orma_args_log *self);

/* The number of the set, which is not empty. ORMA_ARGS_LOG_NONE: memory is out. */
uint32_t orma_args_log_add(struct orma_args_log *self, const struct orma_args_list *list);
uint32_t orma_args_log_intern(struct orma_args_log *self, const struct orma_args_list *list);

/* Appends the args of the set at `*pos`, and goes on to the next. False: memory is out, or the log
 * ends here. */
bool orma_args_log_read(const struct orma_args_log *self, struct orma_args_log_pos *pos,
                        struct orma_args_list *ret);

/* Where the last set ended that was read, which is near to where the next one begins.
 * Zero-initialised is the begin. */
struct orma_args_log_cursor {
    struct orma_args_log_pos pos;
    uint32_t next; /* the set there */
};

/* Appends the args of a set. False: memory is out, or there is none of that number. */
bool orma_args_log_load(const struct orma_args_log *self, struct orma_args_log_cursor *at,
                        uint32_t set, struct orma_args_list *ret);
#endif
