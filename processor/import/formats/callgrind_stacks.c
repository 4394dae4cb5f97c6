/*
 * Stacks out of a graph of calls. The graph says what each function cost by itself, and what its
 * calls cost all together, but not which callers of a caller that was for. So costs of a function
 * are shared out among the stacks that lead to it, in proportion to what the calls cost:
 *
 *      main ──300──► a ──100──► c        c under a: 1/4 of it
 *      main ──500──► b ──300──► c        c under b: 3/4
 *
 * Sums by function are those of the file, to the last digit, and so are sums with all that was
 * called, where calls make no cycle. Calls that would close a cycle are left out. Paths may be too
 * many: those of the smallest share go below a root of their own. Functions are walked through in
 * an order in which callers come before what they call.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "processor/import/formats/callgrind.h"
#include "processor/model/callstacks.h"

#define SOURCE "callgrind"
#define STACKS_MAX 256                 /* of a function */
#define STACKS_FOUND (16 * STACKS_MAX) /* before those of small shares are merged */
#define EXACT_MAX 9e15                 /* of whole numbers that doubles hold */
#define STACKS_ALL (UINT32_C(1) << 18) /* of all; then each further function has one */
/* The same in files other than the function's; then each further one of these has one. */
#define PLACES_ALL (UINT32_C(1) << 20)

/* One stack that leads to a function. */
struct stack {
    uint32_t parent, callsite; /* parent: of the caller, or what is below all */
    uint32_t shares;           /* index of the first of its shares, one for each event */
    double rank;
};

struct stacks {
    struct orma_file *file;
    struct orma_model *m;
    struct orma_callgrind_graph *g;
    uint32_t *order, *in_begin, *in, *out_begin, *out; /* in, out: calls of each function */
    ORMA_VEC(struct stack) all;
    ORMA_VEC(double) shares;
    uint32_t *begin, *num; /* of the stacks of each function */
    double *totals;        /* of the events */
    bool *in_cycle;        /* by function */
    uint64_t cut, merged;
    uint32_t placed;          /* stacks in other files than the function's */
    uint32_t *roots, *others; /* callsites by thread, + 1; 0: not made yet */
    uint32_t *profiles;
};

void orma_callgrind_graph_fini(struct orma_callgrind_graph *self)
{
    ORMA_VEC_FINI(&self->threads);
    ORMA_VEC_FINI(&self->functions);
    ORMA_VEC_FINI(&self->calls);
    ORMA_VEC_FINI(&self->places);
    ORMA_VEC_FINI(&self->call_costs);
    ORMA_VEC_FINI(&self->place_costs);
}

static void out_of_memory(struct stacks *s)
{
    s->m->storage->failed = true;
}

/* ---- the order ---- */

/* Lists of calls by function, at one of their ends. */
static void list_calls(const struct orma_callgrind_graph *g, bool out, uint32_t *begin,
                       uint32_t *list)
{
    const uint32_t num = g->functions.len;

    for (uint32_t i = 0; i < g->calls.len; i++)
        begin[(out ? g->calls.data[i].from : g->calls.data[i].to) + 1]++;
    for (uint32_t i = 0; i < num; i++)
        begin[i + 1] += begin[i];
    for (uint32_t i = g->calls.len; i-- > 0;)
        list[--begin[(out ? g->calls.data[i].from : g->calls.data[i].to) + 1]] = i;
    /* Each begin is now where that of its function was, one place too far. */
    for (uint32_t i = 0; i < num; i++)
        begin[i] = begin[i + 1];
    begin[num] = g->calls.len;
}

enum color { WHITE, GRAY, BLACK };

struct step {
    uint32_t function, next;
    uint32_t back; /* the first place of the path that calls from here on lead back to */
};

/* From one function on; what is done is put in front of what is there. `places`: in the path. */
static void walk(struct stacks *s, uint32_t from, uint8_t *colors, uint32_t *places,
                 struct step *path, uint32_t *left)
{
    uint32_t depth = 1;

    path[0] = (struct step){from, s->out_begin[from], UINT32_MAX};
    places[from] = 0;
    colors[from] = GRAY;
    while (depth) {
        struct step *at = &path[depth - 1];

        if (at->next == s->out_begin[at->function + 1]) {
            colors[at->function] = BLACK;
            s->order[--*left] = at->function;
            depth--;
            s->in_cycle[at->function] = at->back <= depth; /* its own place is `depth` now */
            if (depth)
                path[depth - 1].back = ORMA_MIN(path[depth - 1].back, at->back);
            continue;
        }
        struct orma_callgrind_call *call = &s->g->calls.data[s->out[at->next++]];
        if (colors[call->to] == WHITE) {
            colors[call->to] = GRAY;
            places[call->to] = depth;
            path[depth++] = (struct step){call->to, s->out_begin[call->to], UINT32_MAX};
        } else if (colors[call->to] == GRAY) {
            call->cut = true;
            s->cut++;
            at->back = ORMA_MIN(at->back, places[call->to]); /* the rest of the path is a cycle */
        }
    }
}

/* What nothing calls comes first; of the others, whatever is met. */
static bool find_order(struct stacks *s)
{
    const uint32_t num = s->g->functions.len;
    uint8_t *colors = calloc(num + 1u, 1);
    uint32_t *places = calloc(num + 1u, sizeof(*places));
    struct step *path = calloc(num + 1u, sizeof(*path));
    uint32_t left = num;

    list_calls(s->g, true, s->out_begin, s->out);
    list_calls(s->g, false, s->in_begin, s->in);
    for (unsigned round = 0; round < 2 && colors && places && path; round++)
        for (uint32_t i = 0; i < num; i++)
            if (!colors[i] && (round || s->in_begin[i] == s->in_begin[i + 1]))
                walk(s, i, colors, places, path, &left);
    const bool well = colors && places && path;
    free(colors);
    free(places);
    free(path);
    return well;
}

/* ---- frames ---- */

static uint32_t add_frame(struct stacks *s, uint32_t parent, uint32_t name, uint32_t object,
                          uint32_t source, uint32_t line)
{
    const uint32_t unknown = orma_model_lit(s->m, "???");
    const struct orma_mapping mapping = {
        .name = object && object != unknown ? object : ORMA_STR_EMPTY, .end = UINT64_MAX};
    const bool has_source = source && source != unknown;
    const struct orma_stack_frame frame = {
        .mapping = orma_callstacks_mapping(s->m, &mapping),
        .name = name,
        .source = has_source ? source : 0,
        .line = has_source ? line : 0,
    };

    return orma_callstacks_callsite(s->m, parent, orma_callstacks_symbolized_frame(s->m, &frame));
}

/* What is below the stacks of a thread. */
static uint32_t root_of(struct stacks *s, uint32_t thread)
{
    char text[32];

    if (s->g->threads.len < 3) /* one, and the one before any was told */
        return ORMA_CALLSITE_NONE;
    if (!s->roots[thread]) {
        (void)snprintf(text, sizeof(text), "[thread %u]", s->g->threads.data[thread]);
        s->roots[thread] =
            1 + add_frame(s, ORMA_CALLSITE_NONE, orma_model_cstr(s->m, text), 0, 0, 0);
    }
    return s->roots[thread] - 1;
}

static uint32_t others_of(struct stacks *s, uint32_t thread)
{
    if (!s->others[thread])
        s->others[thread] =
            1 + add_frame(s, root_of(s, thread), orma_model_lit(s->m, "[other callers]"), 0, 0, 0);
    return s->others[thread] - 1;
}

/* ---- shares ---- */

/* What a function costs: all that it does, as far as calls say it. */
static void sum_up(const struct stacks *s, uint32_t function, double *ret_in, double *ret_all,
                   const double *own, bool *ret_odd)
{
    const struct orma_callgrind_graph *g = s->g;
    const uint32_t num = g->events_num;

    for (uint32_t e = 0; e < num; e++) {
        ret_in[e] = 0;
        ret_all[e] = own[e];
        ret_odd[e] = own[e] < 0;
    }
    for (uint32_t i = s->in_begin[function]; i < s->in_begin[function + 1]; i++)
        for (uint32_t e = 0; e < num && !g->calls.data[s->in[i]].cut; e++) {
            const int64_t cost = g->call_costs.data[(size_t)s->in[i] * num + e];

            ret_in[e] += (double)cost;
            ret_odd[e] |= cost < 0;
        }
    for (uint32_t i = s->out_begin[function]; i < s->out_begin[function + 1]; i++)
        for (uint32_t e = 0; e < num; e++)
            ret_all[e] += (double)g->call_costs.data[(size_t)s->out[i] * num + e];
}

static int by_rank(const void *a, const void *b)
{
    const struct stack *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? 1 : -1;
    return (x->callsite > y->callsite) - (x->callsite < y->callsite);
}

/* A stack of the function at hand: `of` shares of its caller's, each times its factor. */
static void push(struct stacks *s, uint32_t parent, const double *factors, uint32_t of,
                 const double *all)
{
    struct stack stack = {.parent = parent, .shares = s->shares.len};

    for (uint32_t e = 0; e < s->g->events_num; e++) {
        const double share = factors[e] * (of == UINT32_MAX ? 1 : s->shares.data[of + e]);

        if (s->totals[e] > 0)
            stack.rank = ORMA_MAX(stack.rank, share * fabs(all[e]) / s->totals[e]);
        if (ORMA_VEC_PUSH(&s->shares, share))
            out_of_memory(s);
    }
    if (ORMA_VEC_PUSH(&s->all, stack))
        out_of_memory(s);
}

/* What is new, while it is found. */
struct found {
    uint32_t begin, shares_begin; /* in the lists of all */
    bool has_rest;
    double rest[ORMA_CALLGRIND_EVENTS_MAX];
};

/* Keeps so many, those of the largest shares; the others become one. */
static void keep_largest(struct stacks *s, struct found *f, uint32_t keep)
{
    const uint32_t num = s->all.len - f->begin, events = s->g->events_num;
    double *shares = calloc((size_t)keep * events + 1, sizeof(*shares));

    if (!shares) {
        out_of_memory(s);
        return;
    }
    qsort(s->all.data + f->begin, num, sizeof(*s->all.data), by_rank);
    for (uint32_t i = 0; i < num; i++) {
        struct stack *stack = &s->all.data[f->begin + i];

        for (uint32_t e = 0; e < events && i >= keep; e++)
            f->rest[e] += s->shares.data[stack->shares + e];
        if (i >= keep)
            continue;
        memcpy(shares + (size_t)i * events, s->shares.data + stack->shares,
               events * sizeof(*shares));
        stack->shares = f->shares_begin + i * events;
    }
    if (num > keep) {
        f->has_rest = true;
        s->merged += num - keep;
        s->all.len = f->begin + keep;
        s->shares.len = f->shares_begin + keep * events;
    }
    memcpy(s->shares.data + f->shares_begin, shares,
           (s->shares.len - f->shares_begin) * sizeof(*shares));
    free(shares);
}

/* The factors of one call: its part of all that leads to the function. */
static void factors_of(const struct stacks *s, uint32_t call, const double *in, const double *root,
                       const bool *odd, double times, uint32_t calls, double *ret)
{
    const uint32_t num = s->g->events_num;

    for (uint32_t e = 0; e < num; e++) {
        const double sum = in[e] + root[e];

        if (sum > 0 && !odd[e])
            ret[e] = (double)s->g->call_costs.data[(size_t)call * num + e] / sum;
        else if (times > 0)
            ret[e] = (double)s->g->calls.data[call].times / times;
        else
            ret[e] = 1.0 / calls;
    }
}

static void find_stacks(struct stacks *s, uint32_t function, const double *own)
{
    struct orma_callgrind_graph *g = s->g;
    struct found f = {.begin = s->all.len, .shares_begin = s->shares.len};
    const uint32_t thread = g->functions.data[function].thread;
    double in[ORMA_CALLGRIND_EVENTS_MAX], all[ORMA_CALLGRIND_EVENTS_MAX];
    double root[ORMA_CALLGRIND_EVENTS_MAX], factors[ORMA_CALLGRIND_EVENTS_MAX];
    bool odd[ORMA_CALLGRIND_EVENTS_MAX], any_root = false;
    double times = 0;
    uint32_t calls = 0;

    sum_up(s, function, in, all, own, odd);
    for (uint32_t i = s->in_begin[function]; i < s->in_begin[function + 1]; i++) {
        calls += !g->calls.data[s->in[i]].cut;
        times += g->calls.data[s->in[i]].cut ? 0 : (double)g->calls.data[s->in[i]].times;
    }
    /* What no call is charged for was begun by nothing that the file knows. */
    for (uint32_t e = 0; e < g->events_num; e++) {
        root[e] = calls && (s->in_cycle[function] || odd[e]) ? 0 : ORMA_MAX(0.0, all[e] - in[e]);
        any_root |= root[e] > 0;
    }
    for (uint32_t i = s->in_begin[function]; i < s->in_begin[function + 1]; i++) {
        const struct orma_callgrind_call *call = &g->calls.data[s->in[i]];

        if (call->cut)
            continue;
        factors_of(s, s->in[i], in, root, odd, times, calls, factors);
        for (uint32_t k = 0; k < s->num[call->from]; k++)
            push(s, s->all.data[s->begin[call->from] + k].callsite, factors,
                 s->all.data[s->begin[call->from] + k].shares, all);
        if (s->all.len - f.begin > STACKS_FOUND)
            keep_largest(s, &f, STACKS_MAX);
    }
    for (uint32_t e = 0; e < g->events_num; e++)
        factors[e] = !calls ? 1 : in[e] + root[e] > 0 && !odd[e] ? root[e] / (in[e] + root[e]) : 0;
    if (!calls || any_root)
        push(s, root_of(s, thread), factors, UINT32_MAX, all);
    if (s->m->storage->failed)
        return;
    const uint32_t max = f.begin < STACKS_ALL ? STACKS_MAX : 1;
    if (s->all.len - f.begin > max || f.has_rest || max > 1)
        keep_largest(s, &f, s->all.len - f.begin > max || f.has_rest ? max - 1 : max);
    if (f.has_rest)
        push(s, others_of(s, thread), f.rest, UINT32_MAX, all);
    s->begin[function] = f.begin;
    s->num[function] = s->all.len - f.begin;
    const struct orma_callgrind_function *fn = &g->functions.data[function];
    for (uint32_t i = f.begin; i < s->all.len; i++)
        s->all.data[i].callsite =
            add_frame(s, s->all.data[i].parent, fn->name, fn->object, fn->source, fn->line);
}

/* ---- values ---- */

/* All that a function cost in a file, below one stack. */
static void put_merged(struct stacks *s, const struct orma_callgrind_place *p, const int64_t *cost)
{
    const struct orma_callgrind_function *fn = &s->g->functions.data[p->function];
    const uint32_t callsite =
        add_frame(s, others_of(s, fn->thread), fn->name, fn->object, p->source, p->line);

    for (uint32_t e = 0; e < s->g->events_num; e++)
        if (cost[e])
            orma_callstacks_aggregate_add(s->m, s->profiles[e], callsite, (double)cost[e]);
    s->merged += s->num[p->function];
}

/* Whole numbers, whose sum is the cost. */
static void put_place(struct stacks *s, uint32_t at)
{
    const struct orma_callgrind_place *p = &s->g->places.data[at];
    const struct orma_callgrind_function *fn = &s->g->functions.data[p->function];
    const int64_t *cost = &s->g->place_costs.data[(size_t)at * s->g->events_num];
    const uint32_t num = s->num[p->function];
    int64_t done[ORMA_CALLGRIND_EVENTS_MAX] = {0};
    double sum[ORMA_CALLGRIND_EVENTS_MAX] = {0};

    if (p->source != fn->source && num > 1) {
        if (num > PLACES_ALL - s->placed) {
            put_merged(s, p, cost);
            return;
        }
        s->placed += num;
    }
    for (uint32_t i = 0; i < num && !s->m->storage->failed; i++) {
        const struct stack *stack = &s->all.data[s->begin[p->function] + i];
        uint32_t callsite = stack->callsite;

        if (p->source != fn->source)
            callsite = add_frame(s, stack->parent, fn->name, fn->object, p->source, p->line);
        for (uint32_t e = 0; e < s->g->events_num; e++) {
            sum[e] += s->shares.data[stack->shares + e];
            const double upto = ORMA_MIN(sum[e], 1.0) * (double)cost[e];
            const int64_t to = i + 1 == num             ? cost[e]
                               : fabs(upto) < EXACT_MAX ? (int64_t)(upto + (upto < 0 ? -0.5 : 0.5))
                                                        : 0;

            if (to != done[e])
                orma_callstacks_aggregate_add(s->m, s->profiles[e], callsite,
                                              (double)(to - done[e]));
            done[e] = to;
        }
    }
}

static void put_all(struct stacks *s)
{
    struct orma_callgrind_graph *g = s->g;
    double *own = calloc((size_t)g->functions.len * g->events_num + 1, sizeof(*own));

    if (!own || !find_order(s)) {
        out_of_memory(s);
        free(own);
        return;
    }
    for (uint32_t i = 0; i < g->places.len; i++)
        for (uint32_t e = 0; e < g->events_num; e++) {
            const double cost = (double)g->place_costs.data[(size_t)i * g->events_num + e];

            own[(size_t)g->places.data[i].function * g->events_num + e] += cost;
            s->totals[e] += fabs(cost);
        }
    for (uint32_t e = 0; e < g->events_num; e++) {
        const uint32_t name =
            orma_strpool_addf(&s->m->storage->pool, SOURCE " %s",
                              orma_strpool_cstr(&s->m->storage->pool, g->events[e]));

        s->profiles[e] = orma_callstacks_aggregate(s->m, SOURCE, name, g->events[e],
                                                   orma_model_lit(s->m, "count"));
    }
    for (uint32_t i = 0; i < g->functions.len && !s->m->storage->failed; i++)
        find_stacks(s, s->order[i], own + (size_t)s->order[i] * g->events_num);
    for (uint32_t i = 0; i < g->places.len && !s->m->storage->failed; i++)
        put_place(s, i);
    free(own);
}

void orma_callgrind_put_stacks(struct orma_file *file, struct orma_callgrind_graph *graph)
{
    const size_t functions = graph->functions.len + (size_t)1, calls = graph->calls.len + (size_t)1;
    uint32_t *words =
        calloc(5 * functions + 2 + 2 * calls + 2 * (size_t)graph->threads.len + graph->events_num,
               sizeof(*words));
    struct stacks s = {
        .file = file,
        .m = file->imp->model,
        .g = graph,
        .totals = calloc(graph->events_num + (size_t)1, sizeof(double)),
        .in_cycle = calloc(functions, sizeof(bool)),
    };

    if (!words || !s.totals || !s.in_cycle) {
        out_of_memory(&s);
    } else {
        s.order = words;
        s.begin = s.order + functions;
        s.num = s.begin + functions;
        s.in_begin = s.num + functions;
        s.out_begin = s.in_begin + functions + 1;
        s.in = s.out_begin + functions + 1;
        s.out = s.in + calls;
        s.roots = s.out + calls;
        s.others = s.roots + graph->threads.len;
        s.profiles = s.others + graph->threads.len;
        put_all(&s);
    }
    if (s.cut)
        orma_file_parts(file, ORMA_ACCOUNT_MERGED, "calls that close a cycle", s.cut);
    if (s.merged)
        orma_file_parts(file, ORMA_ACCOUNT_MERGED, "rare stacks", s.merged);
    ORMA_VEC_FINI(&s.all);
    ORMA_VEC_FINI(&s.shares);
    free(s.totals);
    free(s.in_cycle);
    free(words);
}
