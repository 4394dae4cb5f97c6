/*
 * Walk: visits the fields of a message in the order of its bytes, going down into
 * the messages inside.
 *
 * What the schema does not know, and what does not fit its type (another wire
 * type, packed numbers or a message that are malformed, nesting deeper than the
 * limit), is visited too: with field NULL and the type of its wire form, so no
 * byte is lost. Repeated numbers, packed or not, are visited one by one.
 * Threads: none; the bytes must not change meanwhile.
 */
#ifndef ORMA_PROTOS_REFLECT_WALK_H
#define ORMA_PROTOS_REFLECT_WALK_H
#include "protos/reflect/schema.h"

#define ORMA_WALK_DEPTH_MAX 100

/* One value, or one message that holds others. */
struct orma_walk_item {
    const struct orma_walk_item *up; /* the message that it is in; NULL: the outermost */
    const struct orma_field *field;  /* NULL: unknown */
    uint32_t number;
    uint32_t msg;   /* index of the message that it is a field of */
    uint32_t index; /* among the values of a repeated field; 0 without ORMA_WALK_INDICES */
    uint8_t type;   /* enum orma_field_type; unknown: UINT64, FIXED32, FIXED64 or BYTES */
    union {
        uint64_t u64; /* UINT32, UINT64, FIXED32, FIXED64, BOOL */
        int64_t i64;  /* INT32, INT64, SINT32, SINT64, SFIXED32, SFIXED64, ENUM */
        double real;  /* DOUBLE, FLOAT */
    };
    struct orma_str bytes; /* STRING, BYTES, MESSAGE */
};

struct orma_walk {
    /* A value that is no known message. Negative ends the walk and is returned. */
    int (*value)(void *ctx, const struct orma_walk_item *item);
    /* A known, well-formed message: 0 goes into it, positive passes by (without leave). May be
     * NULL. */
    int (*enter)(void *ctx, const struct orma_walk_item *item);
    /* Behind the last field of a message that was entered. May be NULL. */
    int (*leave)(void *ctx, const struct orma_walk_item *item);
    /* False: `value` would do nothing with a number of the outermost message. May be NULL. */
    bool (*wants)(void *ctx, const struct orma_field *field);
    void *ctx;
    unsigned depth_max; /* 0: ORMA_WALK_DEPTH_MAX, which is also the most */
    bool indices; /* count the values of repeated fields (costs memory per open message that has
                     such) */
};

/*
 * 0; what a callback returned; -ENOMEM; -EBADMSG: the outermost message is malformed, what is
 * before that point has been visited.
 */
int orma_walk(const struct orma_schema *schema, uint32_t msg, const void *data, size_t len,
              const struct orma_walk *walk);

/* One field of a message, as orma_pb_next() gave it. Indices start at 0. */
int orma_walk_field(const struct orma_schema *schema, uint32_t msg,
                    const struct orma_pb_field *field, const struct orma_walk *walk);

/*
 * Writes the path of an item: "a.b.c", or with indices "a.b[2].c". Unknown fields by number,
 * extensions by the last part of their name.
 */
void orma_walk_path(const struct orma_schema *schema, const struct orma_walk_item *item,
                    bool indices, struct orma_buf *out);

/* True if the bytes are a sequence of whole fields (what they hold is not looked at). */
bool orma_walk_is_wellformed(const void *data, size_t len);
#endif
