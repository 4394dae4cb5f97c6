/*
 * Keys of a sort as numbers. They are made block by block, once to see how large they are and once
 * more to sort by them, so that rows need not be held twice. Several threads look at pieces, which
 * are put together in order.
 */
#include <stdlib.h>

#include "processor/sql/exec/run/sort.h"
#include "processor/store/spill.h"

/* Arrays in files may be so many times the memory; SQLite merges what is larger. */
#define SPILLED_MAX 8

bool orma_exec_run_sort_has_room(struct orma_exec_plan *plan, uint32_t rows)
{
    struct orma_sql_memory *memory = &plan->sql->limits.memory;
    const uint64_t bytes = (uint64_t)rows * EXEC_SORT_BYTES_PER_ROW;

    return orma_sql_memory_holds(memory, rows, EXEC_SORT_BYTES_PER_ROW) ||
           (bytes / SPILLED_MAX < memory->limit_bytes && orma_spill_has_room(bytes)) ||
           orma_exec_give_up(plan, "more rows than memory holds");
}

/* ---- values of all rows ---- */

/* By several threads. */
struct filling {
    struct orma_exec_query *q;
    const struct orma_exec_expr *e;
    struct orma_exec_slot *to; /* with room for values and types of all rows */
    uint8_t *types;            /* by piece, if all of its values have one; 0: they have their own */
};

static bool fill_piece(const struct orma_exec_piece *p, void *data)
{
    const struct filling *f = data;
    struct orma_exec_place *place = malloc(sizeof(*place));
    struct orma_exec_vec *v = orma_exec_take_vec(p->view);
    uint8_t *type = &f->types[p->piece];
    bool ok = place && v;

    for (uint32_t at = p->from, num; ok && at < p->to; at += num) {
        struct orma_exec_rows r;

        num = ORMA_MIN(p->to - at, (uint32_t)EXEC_BLOCK);
        orma_exec_run_frame_rows(f->q, at, num, place, &r);
        ok = !orma_exec_should_stop(p->view) && orma_exec_run_eval(p->view, f->e, &r, v);
        if (!ok)
            break;
        memcpy(f->to->vals + at, v->vals, num * sizeof(*v->vals));
        if (at == p->from)
            *type = v->tagged ? 0 : v->tag;
        else if (*type && (v->tagged || v->tag != *type)) {
            memset(f->to->tags + p->from, *type, at - p->from);
            *type = 0;
        }
        for (uint32_t i = 0; !*type && i < num; i++)
            f->to->tags[at + i] = orma_exec_tag_at(v, i);
    }
    orma_exec_give_vec(p->view, v);
    free(place);
    return ok;
}

/* All of one type need no list of types. */
static void take_types(const struct orma_exec_team *team, const uint8_t *types,
                       struct orma_exec_slot *to, uint32_t rows)
{
    bool same = types[0];

    for (uint32_t i = 1; same && i < team->pieces; i++)
        same = types[i] == types[0];
    for (uint32_t i = 0; !same && i < team->pieces; i++) {
        const uint32_t from = i * team->piece_rows;

        if (types[i])
            memset(to->tags + from, types[i], ORMA_MIN(rows - from, team->piece_rows));
    }
    if (!same)
        return;
    orma_large_free(to->tags);
    to->tags = NULL;
    to->tag = types[0];
}

/* False: one thread does it, unless the plan was given up. */
static bool fill_shared(struct orma_exec_plan *plan, struct orma_exec_query *q,
                        const struct orma_exec_expr *e, struct orma_exec_slot *to)
{
    struct orma_exec_share share = {.plan = plan};
    struct filling f = {.q = q, .e = e, .to = to};
    struct orma_exec_team team;
    bool ok = orma_exec_run_team_init(&team, plan, q->frame.rows);

    if (ok) {
        orma_exec_run_share_expr(&share, e);
        f.types = calloc(team.pieces, 1);
        to->tags = orma_large_alloc((size_t)q->frame.rows + 1);
        ok = f.types && to->tags && orma_exec_run_share_ready(&share, &team) &&
             orma_exec_run_team_run(&team, 0, q->frame.rows, fill_piece, NULL, &f);
        if (ok)
            take_types(&team, f.types, to, q->frame.rows);
    }
    if (!ok) {
        orma_large_free(to->tags);
        to->tags = NULL;
    }
    free(f.types);
    orma_exec_run_share_fini(&share);
    orma_exec_run_team_fini(&team);
    return ok;
}

bool orma_exec_run_fill_slot(struct orma_exec_plan *plan, struct orma_exec_query *q,
                             const struct orma_exec_expr *e, struct orma_exec_slot *ret)
{
    uint32_t rows = q->frame.rows;
    struct orma_exec_place *place = malloc(sizeof(*place));
    struct orma_exec_vec *v = orma_exec_take_vec(plan);
    bool ok = place && v && orma_exec_run_sort_has_room(plan, rows);

    ret->vals = orma_large_alloc(((size_t)rows + 1) * sizeof(*ret->vals));
    ok = (ok && ret->vals) || orma_exec_give_up(plan, "out of memory");
    if (ok && fill_shared(plan, q, e, ret))
        rows = 0; /* nothing is left */
    ok = ok && !plan->why;
    for (uint32_t at = 0; ok && at < rows; at += EXEC_BLOCK) {
        struct orma_exec_rows r;
        uint32_t num = ORMA_MIN(rows - at, (uint32_t)EXEC_BLOCK);

        orma_exec_run_frame_rows(q, at, num, place, &r);
        ok = !orma_exec_should_stop(plan) && orma_exec_run_eval(plan, e, &r, v);
        if (!ok)
            break;
        memcpy(ret->vals + at, v->vals, num * sizeof(*v->vals));
        if (!at && !v->tagged)
            ret->tag = v->tag;
        if (!ret->tags && (v->tagged || v->tag != ret->tag)) {
            ret->tags = orma_large_alloc((size_t)rows + 1);
            ok = ret->tags || orma_exec_give_up(plan, "out of memory");
            if (ok)
                memset(ret->tags, ret->tag, at);
        }
        for (uint32_t i = 0; ok && ret->tags && i < num; i++)
            ret->tags[at + i] = orma_exec_tag_at(v, i);
    }
    orma_exec_give_vec(plan, v);
    free(place);
    return ok;
}

/* ---- numbers that sort as values do ---- */

static inline uint64_t code_of_real(int64_t bits)
{
    uint64_t u = (uint64_t)bits;

    if (u == UINT64_C(1) << 63) /* -0.0 is 0.0 */
        u = 0;
    return u >> 63 ? ~u : u | UINT64_C(1) << 63;
}

struct rank_text {
    struct orma_str text;
    uint32_t id;
};

static int by_text(const void *a, const void *b)
{
    const struct rank_text *x = a, *y = b;

    return orma_str_order(x->text, y->text);
}

/* Texts that were met become their places among each other. */
static bool rank_texts(struct orma_exec_plan *plan, struct orma_exec_codes *c)
{
    const struct orma_strpool *pool = &plan->sql->storage->pool;
    struct rank_text *list = orma_large_alloc(((size_t)c->texts + 1) * sizeof(*list));
    uint32_t num = 0;

    if (!list)
        return orma_exec_give_up(plan, "out of memory");
    for (uint32_t id = 0; id < pool->len && num < c->texts; id++) {
        if (c->ranks[id])
            list[num++] = (struct rank_text){orma_strpool_get(pool, id), id};
    }
    qsort(list, num, sizeof(*list), by_text);
    for (uint32_t k = 0; k < num; k++)
        c->ranks[list[k].id] = k;
    orma_large_free(list);
    c->min = 0;
    c->max = num ? num - 1 : 0;
    return true;
}

/* ---- looking at keys ---- */

/* Whether values cost no more than reading what is stored. */
static bool is_cheap(const struct orma_exec_expr *e)
{
    if (e->op == ORMA_EXEC_COLUMN && e->column.source->query)
        return !e->column.source->query->parts.len &&
               is_cheap(e->column.source->query->results.data[e->column.at].expr);
    return e->op == ORMA_EXEC_COLUMN || e->op == ORMA_EXEC_SLOT || e->op == ORMA_EXEC_ROW;
}

/* Values of rows from `at` on, in `vec`. */
static bool load_block(struct orma_exec_sorter *s, const struct orma_exec_codes *c, uint32_t at,
                       uint32_t num)
{
    struct orma_exec_rows r;

    if (orma_exec_should_stop(s->plan))
        return false;
    if (!c->kept.vals) {
        orma_exec_run_frame_rows(s->q, at, num, &s->place, &r);
        return orma_exec_run_eval(s->plan, c->key->expr, &r, &s->vec);
    }
    memcpy(s->vec.vals, c->kept.vals + at, num * sizeof(*s->vec.vals));
    s->vec.tag = c->kept.tag;
    s->vec.tagged = c->kept.tags;
    if (c->kept.tags)
        memcpy(s->vec.tags, c->kept.tags + at, num);
    return true;
}

static inline uint64_t code_of(uint8_t tag, int64_t bits)
{
    return tag == EXEC_REAL ? code_of_real(bits) : (uint64_t)bits ^ UINT64_C(1) << 63;
}

static bool look_at_text(struct orma_exec_sorter *s, struct orma_exec_codes *c, uint32_t id)
{
    const struct orma_strpool *pool = &s->plan->sql->storage->pool;

    if (s->plan->shared)
        return orma_exec_give_up(s->plan, "texts that are put in order");
    if (!c->ranks && !(c->ranks = orma_large_zeroed(pool->len, sizeof(*c->ranks))))
        return orma_exec_give_up(s->plan, "out of memory");
    c->texts += !c->ranks[id];
    c->ranks[id] = 1;
    if (c->rises && c->any && id != c->last) { /* compared only as long as they seem to rise */
        int cmp = orma_sort_compare_text(pool, (uint32_t)c->last, id);

        c->rises = c->key->desc ? cmp >= 0 : cmp <= 0;
    }
    c->last = id;
    return true;
}

static void look_at_number(struct orma_exec_codes *c, uint64_t code)
{
    c->min = code < c->min ? code : c->min;
    c->max = code > c->max ? code : c->max;
    if (c->any)
        c->rises &= c->key->desc ? code <= c->last : code >= c->last;
    else
        c->first = code;
    c->last = code;
}

static bool look_at_values(struct orma_exec_sorter *s, struct orma_exec_codes *c, uint32_t num)
{
    const struct orma_exec_vec *v = &s->vec;

    for (uint32_t i = 0; i < num; i++) {
        uint8_t tag = orma_exec_tag_at(v, i);

        c->tags |= tag;
        if (tag == EXEC_NULL) {
            c->rises &= c->key->nulls_last || !c->any;
            c->null_seen = true;
            continue;
        }
        if (tag != EXEC_TEXT)
            look_at_number(c, code_of(tag, v->vals[i]));
        else if (!look_at_text(s, c, (uint32_t)v->vals[i]))
            return false;
        c->rises &= !c->null_seen || !c->key->nulls_last;
        c->any = true;
    }
    return true;
}

/* The same for integers without NULL, which is the usual case. */
static void look_at_ints(struct orma_exec_sorter *s, struct orma_exec_codes *c, uint32_t num)
{
    const int64_t *vals = s->vec.vals;
    int64_t min = vals[0], max = vals[0];
    bool rises = true, falls = true;

    for (uint32_t i = 1; i < num; i++) {
        min = vals[i] < min ? vals[i] : min;
        max = vals[i] > max ? vals[i] : max;
        rises &= vals[i] >= vals[i - 1];
        falls &= vals[i] <= vals[i - 1];
    }
    look_at_number(c, code_of(EXEC_INT, vals[0]));
    uint64_t lo = code_of(EXEC_INT, min), hi = code_of(EXEC_INT, max);
    c->min = lo < c->min ? lo : c->min;
    c->max = hi > c->max ? hi : c->max;
    c->last = code_of(EXEC_INT, vals[num - 1]);
    c->rises &= (c->key->desc ? falls : rises) && (!c->null_seen || !c->key->nulls_last);
    c->any = true;
    c->tags |= EXEC_INT;
}

static bool look_at_block(struct orma_exec_sorter *s, struct orma_exec_codes *c, uint32_t at,
                          uint32_t num)
{
    if (!load_block(s, c, at, num))
        return false;
    if (s->vec.tagged || s->vec.tag != EXEC_INT)
        return look_at_values(s, c, num);
    look_at_ints(s, c, num);
    return true;
}

/* ---- several threads look ---- */

struct looking {
    struct orma_exec_sorter *s;
    const struct orma_exec_codes *like;
    struct orma_exec_codes *parts; /* by piece */
};

static bool look_at_piece(const struct orma_exec_piece *p, void *data)
{
    const struct looking *l = data;
    struct orma_exec_codes *c = &l->parts[p->piece];

    *c = *l->like;
    for (uint32_t at = p->from, num; at < p->to; at += num) {
        num = ORMA_MIN(p->to - at, (uint32_t)EXEC_BLOCK);
        if (!look_at_block(&l->s->others[p->thread], c, at, num))
            return false;
    }
    return true;
}

/* What follows: as if its values had been looked at behind those before. */
static void add_part(struct orma_exec_codes *c, const struct orma_exec_codes *part)
{
    const bool desc = c->key->desc, last = c->key->nulls_last;

    c->rises &= part->rises && (!part->null_seen || last || !c->any);
    if (part->any && c->any)
        c->rises &= desc ? part->first <= c->last : part->first >= c->last;
    if (part->any) {
        c->rises &= !c->null_seen || !last;
        c->first = c->any ? c->first : part->first;
        c->last = part->last;
    }
    c->min = ORMA_MIN(c->min, part->min);
    c->max = ORMA_MAX(c->max, part->max);
    c->any |= part->any;
    c->null_seen |= part->null_seen;
    c->tags |= part->tags;
}

/* False: one thread does it, unless the plan was given up. */
static bool look_shared(struct orma_exec_sorter *s, struct orma_exec_codes *c)
{
    struct looking l = {.s = s, .like = c};

    if (!s->others || c->key->expr->types & EXEC_TEXT)
        return false;
    l.parts = calloc(s->team->pieces, sizeof(*l.parts));
    const bool ok = l.parts && orma_exec_run_team_run(s->team, 0, s->rows, look_at_piece, NULL, &l);
    for (uint32_t i = 0; ok && i < s->team->pieces; i++)
        add_part(c, &l.parts[i]);
    free(l.parts);
    return ok;
}

/* From the least and the largest number: what NULL becomes, and how many bits there are. */
static bool measure(struct orma_exec_plan *plan, struct orma_exec_codes *c)
{
    bool nulls = c->tags & EXEC_NULL;

    if (c->min > c->max)
        c->min = c->max = 0;
    uint64_t span = c->max - c->min;
    if (nulls && span == UINT64_MAX) /* no number is left for NULL */
        return orma_exec_give_up(plan, "a key of more than 64 bits");
    c->shift = nulls && !c->key->nulls_last;
    c->null = c->shift ? 0 : span + 1;
    uint64_t largest = nulls && (c->any || !c->shift) ? span + 1 : span;
    c->bits = largest ? 64 - (unsigned)__builtin_clzll(largest) : 0;
    return true;
}

bool orma_exec_run_look_at_key(struct orma_exec_sorter *s, struct orma_exec_codes *c,
                               const struct orma_exec_key *key)
{
    *c = (struct orma_exec_codes){.key = key, .min = UINT64_MAX, .rises = true};
    if (!is_cheap(key->expr) && !orma_exec_run_fill_slot(s->plan, s->q, key->expr, &c->kept))
        return false;
    if (!look_shared(s, c)) {
        for (uint32_t at = 0; at < s->rows; at += EXEC_BLOCK) {
            if (!look_at_block(s, c, at, ORMA_MIN(s->rows - at, (uint32_t)EXEC_BLOCK)))
                return false;
        }
    }
    uint8_t type = c->tags & (uint8_t)~EXEC_NULL;
    if (type & (type - 1))
        return orma_exec_give_up(s->plan, "values of several types to be ordered");
    return (type != EXEC_TEXT || rank_texts(s->plan, c)) && measure(s->plan, c);
}

/* The numbers of a key for rows from `at` on, in `block`. */
bool orma_exec_run_make_codes(struct orma_exec_sorter *s, const struct orma_exec_codes *c,
                              uint32_t at, uint32_t num)
{
    const struct orma_exec_vec *v = &s->vec;

    if (!load_block(s, c, at, num))
        return false;
    if (!v->tagged && v->tag == EXEC_INT) {
        uint64_t base = (c->key->desc ? c->max : c->min) ^ UINT64_C(1) << 63;

        for (uint32_t i = 0; i < num; i++) {
            uint64_t code = (uint64_t)v->vals[i] - base;

            s->block[i] = (c->key->desc ? 0 - code : code) + c->shift;
        }
        return true;
    }
    for (uint32_t i = 0; i < num; i++) {
        uint8_t tag = orma_exec_tag_at(v, i);

        if (tag == EXEC_NULL) {
            s->block[i] = c->null;
            continue;
        }
        uint64_t code = tag == EXEC_TEXT ? c->ranks[v->vals[i]] : code_of(tag, v->vals[i]);
        s->block[i] = (c->key->desc ? c->max - code : code - c->min) + c->shift;
    }
    return true;
}

/* Those of all keys in one number, in `all`. */
bool orma_exec_run_pack_codes(struct orma_exec_sorter *s, uint32_t at, uint32_t num)
{
    for (unsigned k = 0; k < s->num; k++) {
        if (!orma_exec_run_make_codes(s, &s->codes[k], at, num))
            return false;
        for (uint32_t i = 0; i < num; i++)
            s->all[i] = k ? s->all[i] << s->codes[k].bits | s->block[i] : s->block[i];
    }
    return true;
}
