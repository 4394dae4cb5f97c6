/* Frames: the rows of a query that ran, as blocks for what is evaluated over them. */
#include <stdlib.h>

#include "processor/sql/exec/run/run.h"

void orma_exec_run_frame_pick(const struct orma_exec_query *q, const uint32_t *list, uint32_t num,
                              struct orma_exec_place *buf, struct orma_exec_rows *ret)
{
    const struct orma_exec_frame *f = &q->frame;
    uint32_t *at = buf->rows[EXEC_SOURCES_MAX];

    *ret = (struct orma_exec_rows){.num = num, .frame = f, .slot = at};
    for (uint32_t i = 0; i < num; i++) {
        at[i] = ORMA_LIKELY(list[i] < f->rows) ? list[i] : 0;
        if (f->order && f->rows)
            at[i] = f->order[at[i]];
    }
    for (unsigned s = 0; s < q->sources_num; s++) {
        for (uint32_t i = 0; f->source[s] && f->rows && i < num; i++)
            buf->rows[s][i] = f->source[s][at[i]];
        ret->source[s] = f->source[s] ? buf->rows[s] : f->identity ? at : NULL;
    }
}

void orma_exec_run_frame_rows(const struct orma_exec_query *q, uint32_t first, uint32_t num,
                              struct orma_exec_place *buf, struct orma_exec_rows *ret)
{
    const struct orma_exec_frame *f = &q->frame;
    uint32_t *at = buf->rows[EXEC_SOURCES_MAX];

    *ret = (struct orma_exec_rows){.num = num, .first = first, .frame = f, .slot = at};
    for (uint32_t i = 0; i < num; i++)
        at[i] = f->order ? f->order[first + i] : first + i;
    for (unsigned s = 0; s < q->sources_num; s++) {
        if (f->identity)
            ret->source[s] = f->order ? at : NULL;
        else if (!f->source[s])
            ret->source[s] = NULL;
        else if (!f->order)
            ret->source[s] = f->source[s] + first;
        else {
            for (uint32_t i = 0; i < num; i++)
                buf->rows[s][i] = f->source[s][at[i]];
            ret->source[s] = buf->rows[s];
        }
    }
}

/* ---- the frame in another order ---- */

void orma_exec_run_permute(struct orma_exec_query *q, uint32_t *perm, uint32_t num)
{
    struct orma_exec_frame *f = &q->frame;

    for (uint32_t i = 0; f->order && i < num; i++)
        perm[i] = f->order[perm[i]];
    orma_large_free(f->order);
    uint32_t *less =
        num < f->rows / 2 ? orma_large_resize(perm, ((size_t)num + 1) * sizeof(*perm)) : NULL;
    f->order = less ? less : perm;
    f->rows = num;
}
