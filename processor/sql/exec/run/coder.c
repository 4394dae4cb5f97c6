#include "processor/sql/exec/run/coder.h"

/* Each slot may lie in a page that nobody has touched. */
#define RESIZE_LOOK (1u << 15)

void orma_exec_run_coder_fini(struct orma_exec_coder *c)
{
    orma_large_free(c->slots);
    orma_large_free(c->direct);
}

static uint32_t place_of(const struct orma_exec_coder *c, uint32_t before, uint8_t tag,
                         int64_t bits)
{
    uint64_t h = ((uint64_t)bits + (uint64_t)before * UINT64_C(0x9e3779b97f4a7c15) + tag) *
                 UINT64_C(0xff51afd7ed558ccd);

    return (uint32_t)((h ^ h >> 32) & c->mask);
}

static bool resize(struct orma_exec_coder *c, uint32_t num)
{
    struct orma_exec_code_slot *old = c->slots;
    uint32_t old_num = old ? c->mask + 1 : 0;

    c->slots = orma_large_zeroed(num, sizeof(*c->slots));
    if (!c->slots) {
        c->slots = old;
        return false;
    }
    c->mask = num - 1;
    for (uint32_t i = 0; i < old_num; i++) {
        if (!(i % RESIZE_LOOK) && orma_exec_should_stop(c->plan))
            break; /* what is missing is not missed */
        if (!old[i].code)
            continue;
        uint32_t at = place_of(c, old[i].before, old[i].tag, old[i].bits);
        while (c->slots[at].code)
            at = (at + 1) & c->mask;
        c->slots[at] = old[i];
    }
    orma_large_free(old);
    return !c->plan->why;
}

static inline uint32_t find(struct orma_exec_coder *c, uint32_t before, uint8_t tag, int64_t bits)
{
    if (!c->slots && !resize(c, 256))
        return EXEC_NO_CODE;
    if (tag == EXEC_NULL)
        bits = 0;
    uint32_t at = place_of(c, before, tag, bits);
    for (; c->slots[at].code; at = (at + 1) & c->mask) {
        struct orma_exec_code_slot *s = &c->slots[at];

        if (s->bits == bits && s->before == before && s->tag == tag)
            return s->code - 1;
    }
    uint32_t code = c->next++;
    c->slots[at] = (struct orma_exec_code_slot){bits, before, code + 1, tag};
    if (c->next > c->mask / 2 && (c->mask > UINT32_MAX / 4 || !resize(c, 2 * (c->mask + 1))))
        return EXEC_NO_CODE;
    return code;
}

uint32_t orma_exec_run_coder_find(struct orma_exec_coder *c, uint32_t before, uint8_t tag,
                                  int64_t bits)
{
    return find(c, before, tag, bits);
}

static bool grow_direct(struct orma_exec_coder *c, uint32_t need)
{
    uint32_t num = ORMA_MAX(c->direct_num, 1024u);

    while (num < need)
        num *= 2;
    uint32_t *grown = orma_large_resize(c->direct, num * sizeof(*grown));
    if (!grown)
        return false;
    memset(grown + c->direct_num, 0xff, (num - c->direct_num) * sizeof(*grown));
    c->direct = grown;
    c->direct_num = num;
    return true;
}

/* The first key: a table for texts, or for integers, while they are small. */
static uint32_t find_first(struct orma_exec_coder *c, uint8_t tag, int64_t bits)
{
    if (ORMA_UNLIKELY(tag == EXEC_NULL || (uint64_t)bits >= c->direct_max || tag == EXEC_REAL))
        return find(c, 0, tag, bits);
    if (ORMA_UNLIKELY((uint64_t)bits >= c->direct_num) && !grow_direct(c, (uint32_t)bits + 1))
        return EXEC_NO_CODE;
    uint32_t *slot = &c->direct[bits];
    if (ORMA_UNLIKELY(*slot == EXEC_NO_CODE))
        *slot = c->next++;
    return *slot;
}

bool orma_exec_run_coder_check(struct orma_exec_coder *c, const struct orma_exec_vec *v,
                               uint32_t num)
{
    uint8_t seen = c->seen;

    for (uint32_t i = 0; i < num && (v->tagged || !i); i++)
        seen |= orma_exec_tag_at(v, i);
    c->seen = seen;
    if (seen & (EXEC_INT | EXEC_TEXT) && (seen & ~EXEC_NULL) & ((seen & ~EXEC_NULL) - 1))
        return orma_exec_give_up(c->plan, "values of several types in a group");
    for (uint32_t i = 0; seen & EXEC_REAL && i < num; i++) {
        if (v->vals[i] == INT64_MIN)
            return orma_exec_give_up(c->plan, "a value of -0.0");
    }
    return true;
}

bool orma_exec_run_coder_block(struct orma_exec_coder *c, bool first, const struct orma_exec_vec *v,
                               uint32_t num, uint32_t *codes)
{
    uint32_t bad = 0;

    if (!orma_exec_run_coder_check(c, v, num))
        return false;
    if (first && !v->tagged && v->tag & (EXEC_INT | EXEC_TEXT)) {
        for (uint32_t i = 0; i < num; i++) {
            const uint64_t val = (uint64_t)v->vals[i];

            codes[i] = ORMA_LIKELY(val < c->direct_num) ? c->direct[val] : EXEC_NO_CODE;
            if (ORMA_UNLIKELY(codes[i] == EXEC_NO_CODE))
                codes[i] = find_first(c, v->tag, v->vals[i]);
            bad |= codes[i] == EXEC_NO_CODE;
        }
    } else if (first) {
        for (uint32_t i = 0; i < num; i++) {
            codes[i] = find_first(c, orma_exec_tag_at(v, i), v->vals[i]);
            bad |= codes[i] == EXEC_NO_CODE;
        }
    } else {
        for (uint32_t i = 0; i < num; i++) {
            codes[i] = find(c, codes[i], orma_exec_tag_at(v, i), v->vals[i]);
            bad |= codes[i] == EXEC_NO_CODE;
        }
    }
    return !bad || orma_exec_give_up(c->plan, "out of memory");
}
