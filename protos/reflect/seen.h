/*
 * Which fields of the messages being parsed were seen, and what their oneofs
 * hold: a bit and a few words per field and oneof of each open message, in two
 * stacks. Private to protos/reflect.
 */
#ifndef ORMA_PROTOS_REFLECT_SEEN_H
#define ORMA_PROTOS_REFLECT_SEEN_H
#include "protos/reflect/schema.h"

struct orma_seen {
    const struct orma_schema *schema;
    struct orma_buf fields; /* uint64_t: bits */
    struct orma_buf oneofs; /* struct orma_seen_oneof */
};

/* An open message: its place in the stacks. */
struct orma_seen_msg {
    uint32_t msg;
    size_t fields, oneofs;
};

/* The field that a oneof holds, and where it is in the output. */
struct orma_seen_oneof {
    const struct orma_field *field; /* NULL: none yet */
    size_t start, end;
};

void orma_seen_fini(struct orma_seen *self);

/* 0, -ENOMEM. Closed in reverse order. */
int orma_seen_open(struct orma_seen *self, uint32_t msg, struct orma_seen_msg *ret);
void orma_seen_close(struct orma_seen *self, const struct orma_seen_msg *m);

/* Marks a field of the message; true if it was marked before. */
bool orma_seen_mark(struct orma_seen *self, const struct orma_seen_msg *m,
                    const struct orma_field *field);

/* As if it had not been seen. */
void orma_seen_unmark(struct orma_seen *self, const struct orma_seen_msg *m,
                      const struct orma_field *field);

/* The state of the oneof that the field is in (field->oneof is not 0). Valid until the next open.
 */
struct orma_seen_oneof *orma_seen_oneof(struct orma_seen *self, const struct orma_seen_msg *m,
                                        const struct orma_field *field);

/* Takes what that oneof holds out of `out`; the places of the message's other oneofs move. */
void orma_seen_drop_oneof(struct orma_seen *self, const struct orma_seen_msg *m,
                          const struct orma_field *field, struct orma_buf *out);

/* A required field that was not seen; NULL if there is none. */
const struct orma_field *orma_seen_missing(const struct orma_seen *self,
                                           const struct orma_seen_msg *m);
#endif
