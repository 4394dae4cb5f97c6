#include "processor/sql/ops.h"

#include <stdlib.h>

void orma_op_result_frame(sqlite3_context *ctx, struct orma_frame *frame)
{
    if (orma_frame_finish(frame) == 0) {
        orma_frame_result_pointer(ctx, frame);
        return;
    }
    if (frame->error)
        orma_result_error(ctx, "%s", frame->error);
    else
        sqlite3_result_error_nomem(ctx);
    orma_frame_unref(frame);
}

void orma_ints_fini(struct orma_ints *self)
{
    free(self->data);
    *self = (struct orma_ints){0};
}

bool orma_ints_grow(struct orma_ints *self)
{
    size_t cap = self->cap ? 2 * self->cap : 64;
    int64_t *grown = self->failed ? NULL : realloc(self->data, cap * sizeof(*grown));

    if (!grown) {
        self->failed = true;
        return false;
    }
    self->data = grown;
    self->cap = cap;
    return true;
}
