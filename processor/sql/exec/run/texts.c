/*
 * group_concat(): the values of all groups in the order of rows, those of a group linked,
 *
 *   values   a  x  b  y  c           group 0: first 0, last 4
 *   next     2  3  4                 group 1: first 1, last 3
 *
 * and put together when they are asked for. What it makes stays in the pool of strings, so there is
 * a limit to it.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "processor/sql/exec/run/aggregate.h"
#include "sdk/base/buf.h"
#include "sdk/base/vec.h"

#define BYTES_MAX (16u << 20)
#define GROUPS_MAX 65536
#define INT_DIGITS_MAX 20

void orma_exec_run_texts_fini(struct orma_exec_texts *self)
{
    orma_large_free(self->vals);
    orma_large_free(self->next);
    *self = (struct orma_exec_texts){0};
}

/* A double would be written as this version of SQLite does. */
static bool check_value(struct orma_exec_groups *g, struct orma_exec_grouped *a, uint32_t group,
                        uint8_t tag, int64_t bits)
{
    const struct orma_strpool *pool = &g->plan->sql->storage->pool;
    struct orma_exec_texts *t = &a->texts;

    if (tag == EXEC_REAL || (t->tag && t->tag != tag))
        return orma_exec_give_up(g->plan, "group_concat() of a double, or of several types");
    t->tag = tag;
    t->bytes += 1 + orma_strpool_get(pool, (uint32_t)a->def->separator).len +
                (tag == EXEC_TEXT ? orma_strpool_get(pool, (uint32_t)bits).len : INT_DIGITS_MAX);
    return (t->bytes <= BYTES_MAX && group < GROUPS_MAX) ||
           orma_exec_give_up(g->plan, "long texts of group_concat()");
}

bool orma_exec_run_fold_texts(struct orma_exec_groups *g, struct orma_exec_grouped *a,
                              const struct orma_exec_vec *v, const uint32_t *codes, uint32_t num)
{
    struct orma_exec_texts *t = &a->texts;

    if (ORMA_GROW(&t->vals, &t->vals_cap, t->num + num) ||
        ORMA_GROW(&t->next, &t->next_cap, t->num + num))
        return orma_exec_give_up(g->plan, "out of memory");
    for (uint32_t i = 0; i < num; i++) {
        const uint32_t group = codes ? codes[i] : 0;
        const uint8_t tag = orma_exec_tag_at(v, i);
        struct orma_exec_sum *ends = &a->accs[group];

        if (tag == EXEC_NULL)
            continue;
        if (!check_value(g, a, group, tag, v->vals[i]))
            return false;
        t->vals[t->num] = v->vals[i];
        if (ends->count++)
            t->next[ends->whole & UINT32_MAX] = (uint32_t)t->num;
        else
            ends->whole = (int64_t)((uint64_t)t->num << 32);
        ends->whole = (ends->whole & ~(int64_t)UINT32_MAX) | (int64_t)t->num++;
    }
    return true;
}

struct orma_exec_value orma_exec_run_group_texts(struct orma_exec_plan *plan,
                                                 struct orma_exec_grouped *a,
                                                 const struct orma_exec_agg *def, uint32_t group)
{
    struct orma_strpool *pool = &plan->sql->storage->pool;
    const struct orma_str sep = orma_strpool_get(pool, (uint32_t)def->separator);
    const struct orma_exec_sum *ends = &a->accs[group];
    struct orma_exec_value ret = {EXEC_NULL, 0};
    struct orma_buf text = {0};

    if (!ends->count)
        return ret;
    uint32_t at = (uint32_t)(ends->whole >> 32);
    for (int64_t i = 0; i < ends->count; i++, at = a->texts.next[at]) {
        if (i)
            orma_buf_put(&text, sep.data, sep.len);
        if (a->texts.tag == EXEC_INT) {
            orma_buf_printf(&text, "%" PRId64, a->texts.vals[at]);
        } else {
            const struct orma_str s = orma_strpool_get(pool, (uint32_t)a->texts.vals[at]);

            orma_buf_put(&text, s.data, s.len);
        }
    }
    ret.tag = EXEC_TEXT;
    ret.bits = text.failed ? 0 : orma_strpool_add(pool, orma_buf_str(&text));
    if (!ret.bits)
        orma_exec_give_up(plan, "out of memory");
    orma_buf_fini(&text);
    return ret;
}
