/*
 * The orders in which a tree of calls is read: functions by weight, the tree from above, and
 * from below. Bottom-up, a list of nodes goes up one step at a time, so that only what is
 * looked at costs memory.
 */
#include <stdlib.h>
#include <string.h>

#include "processor/stacks/stacks.h"
#include "sdk/base/hash.h"
#include "sdk/base/map.h"

struct weighed {
    uint64_t weight;
    uint32_t number;
};

/* The heaviest first; of equals the first. */
static int by_weight(const void *a, const void *b)
{
    const struct weighed *x = a, *y = b;

    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void put_numbers(struct orma_buf *list, struct orma_buf *ret)
{
    const struct weighed *w = (const void *)list->data;
    size_t num = list->len / sizeof(*w);

    if (num)
        qsort(list->data, num, sizeof(*w), by_weight);
    for (size_t i = 0; i < num; i++)
        orma_buf_put(ret, &w[i].number, sizeof(w[i].number));
    ret->failed |= list->failed;
    orma_buf_fini(list);
}

void orma_stacks_top(const struct orma_stacks *self, bool by_total, struct orma_buf *ret)
{
    const struct orma_stacks_function *f = orma_stacks_functions(self);
    struct orma_buf list = {0};

    for (size_t i = 0; i < orma_stacks_functions_num(self); i++) {
        const struct weighed w = {by_total ? f[i].total : f[i].self, (uint32_t)i};

        if (w.weight)
            orma_buf_put(&list, &w, sizeof(w));
    }
    put_numbers(&list, ret);
}

void orma_stacks_children(const struct orma_stacks *self, uint32_t node, struct orma_buf *ret)
{
    const struct orma_stacks_node *n = orma_stacks_nodes(self);
    struct orma_buf list = {0};

    for (uint32_t i = n[node].first_child; i != ORMA_STACKS_NONE; i = n[i].next) {
        const struct weighed w = {n[i].total, i};

        if (w.weight)
            orma_buf_put(&list, &w, sizeof(w));
    }
    put_numbers(&list, ret);
}

/* ---- from below ---- */

static bool is_outermost(const struct orma_stacks_node *n, uint32_t node)
{
    for (uint32_t up = n[node].parent; up; up = n[up].parent) {
        if (n[up].function == n[node].function)
            return false;
    }
    return true;
}

void orma_stacks_leaves(const struct orma_stacks *self, uint32_t function, struct orma_buf *ret)
{
    const struct orma_stacks_node *n = orma_stacks_nodes(self);

    for (size_t i = 1; i < orma_stacks_nodes_num(self); i++) {
        struct orma_stacks_at at = {(uint32_t)i, n[i].self};

        if (function != ORMA_STACKS_NONE) {
            if (n[i].function != function || !n[i].total || !is_outermost(n, (uint32_t)i))
                continue;
            at.weight = n[i].total;
        }
        if (at.weight)
            orma_buf_put(ret, &at, sizeof(at));
    }
}

void orma_stacks_up(const struct orma_stacks *self, const struct orma_stacks_at *list, size_t num,
                    struct orma_buf *ret)
{
    const struct orma_stacks_node *n = orma_stacks_nodes(self);

    for (size_t i = 0; i < num; i++) {
        const struct orma_stacks_at at = {list[i].node ? n[list[i].node].parent : 0,
                                          list[i].weight};

        orma_buf_put(ret, &at, sizeof(at));
    }
}

/* qsort() has no argument for it; a processor belongs to one thread. */
struct keyed {
    uint32_t function;
    struct orma_stacks_at at;
};

static int by_function(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;

    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return x->at.node < y->at.node ? -1 : x->at.node > y->at.node;
}

static int by_group_weight(const void *a, const void *b)
{
    const struct orma_stacks_group *x = a, *y = b;

    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->function < y->function ? -1 : x->function > y->function;
}

static void sort_by_function(const struct orma_stacks *self, struct orma_stacks_at *list,
                             size_t num)
{
    const struct orma_stacks_node *n = orma_stacks_nodes(self);
    struct keyed *keyed = malloc(num * sizeof(*keyed) + 1);

    if (!keyed)
        return; /* more groups than functions, and no worse */
    for (size_t i = 0; i < num; i++)
        keyed[i] = (struct keyed){n[list[i].node].function, list[i]};
    qsort(keyed, num, sizeof(*keyed), by_function);
    for (size_t i = 0; i < num; i++)
        list[i] = keyed[i].at;
    free(keyed);
}

void orma_stacks_group(const struct orma_stacks *self, struct orma_buf *list, struct orma_buf *ret)
{
    const struct orma_stacks_node *n = orma_stacks_nodes(self);
    struct orma_stacks_at *at = (struct orma_stacks_at *)(void *)list->data;
    size_t num = list->len / sizeof(*at);

    sort_by_function(self, at, num);
    for (size_t i = 0; i < num;) {
        struct orma_stacks_group g = {.function = n[at[i].node].function, .from = i};

        for (; i < num && n[at[i].node].function == g.function; i++)
            g.weight += at[i].weight;
        g.num = i - g.from;
        orma_buf_put(ret, &g, sizeof(g));
    }
    if (ret->len)
        qsort(ret->data, ret->len / sizeof(struct orma_stacks_group),
              sizeof(struct orma_stacks_group), by_group_weight);
}

uint32_t orma_stacks_find(const struct orma_stacks *self, const char *name)
{
    const struct orma_stacks_function *f = orma_stacks_functions(self);
    uint32_t part = ORMA_STACKS_NONE, heaviest = ORMA_STACKS_NONE;
    unsigned parts = 0;

    for (size_t i = 0; i < orma_stacks_functions_num(self); i++) {
        const char *is = orma_stacks_text(self, f[i].name);

        if (!f[i].total || !strstr(is, name))
            continue;
        if (!strcmp(is, name) && (heaviest == ORMA_STACKS_NONE || f[heaviest].total < f[i].total))
            heaviest = (uint32_t)i; /* in several modules: the one that matters */
        part = (uint32_t)i;
        parts++;
    }
    return heaviest != ORMA_STACKS_NONE ? heaviest : parts == 1 ? part : ORMA_STACKS_NONE;
}

/* ---- sums ---- */

static uint64_t key_of(const struct orma_stacks *self, enum orma_stacks_by by, size_t row)
{
    const struct orma_stacks_thread *t = orma_stacks_threads(self);
    const struct orma_stacks_function *f = orma_stacks_functions(self);

    switch (by) {
    case ORMA_STACKS_BY_FUNCTION:
        return row;
    case ORMA_STACKS_BY_MODULE:
        return f[row].module;
    case ORMA_STACKS_BY_THREAD:
    case ORMA_STACKS_BY_REASON:
    case ORMA_STACKS_BY_WAKER:
        return row;
    case ORMA_STACKS_BY_PROCESS:
        return orma_mix64((uint64_t)t[row].pid ^ (uint64_t)t[row].process << 32);
    }
    return 0;
}

static int by_sum(const void *a, const void *b)
{
    const struct orma_stacks_sum *x = a, *y = b;

    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* What a thread waits for, by the functions of the kernel that it waits in; the first that fits. */
static const struct {
    const char *function, *reason;
} reasons[] = {
    {"[preempted]", "preempted: others ran"},
    {"futex", "locks (futex)"},
    {"io_schedule", "storage"},
    {"rwsem", "kernel locks"},
    {"mutex_lock", "kernel locks"},
    {"nanosleep", "sleep"},
    {"do_wait_intr", "events (poll, epoll)"}, /* an eventfd, where only this function is known */
    {"do_wait", "other processes (wait)"},
    {"pipe_", "pipes"},
    {"unix_stream", "sockets"},
    {"tcp_", "network"},
    {"udp_", "network"},
    {"skb_", "network"},
    {"inet_", "network"},
    {"ep_poll", "events (poll, epoll)"},
    {"epoll_wait", "events (poll, epoll)"},
    {"poll_schedule", "events (poll, epoll)"},
    {"do_poll", "events (poll, epoll)"},
    {"do_select", "events (poll, epoll)"},
    {"do_sigtimedwait", "signals"},
    {"sys_pause", "signals"},
    {"locks_lock_inode", "file locks"},
    {"eventfd", "events (poll, epoll)"},
    {"tty_", "terminals"},
    {"n_tty", "terminals"},
    {"folio_wait", "storage"},
    {"jbd2", "storage"},
    {"blk_", "storage"},
    {"do_exit", "its end"},
    {"[no stack]", "not seen"},
};

static const char *reason_of(const struct orma_stacks *self, uint32_t node)
{
    const struct orma_stacks_node *n = orma_stacks_nodes(self);
    const struct orma_stacks_function *f = orma_stacks_functions(self);

    for (uint32_t at = node; at; at = n[at].parent) { /* what is behind it is of the waker */
        if (orma_stacks_is_waker(orma_stacks_text(self, f[n[at].function].name)))
            node = n[at].parent;
    }
    for (size_t i = 0; i < ORMA_ARRAY_LEN(reasons); i++) {
        for (uint32_t at = node; at; at = n[at].parent) {
            const char *module = orma_stacks_text(self, f[n[at].function].module);

            if ((!*module || !strcmp(module, "kernel")) &&
                strstr(orma_stacks_text(self, f[n[at].function].name), reasons[i].function))
                return reasons[i].reason;
        }
    }
    return "something else";
}

static void sum_reasons(const struct orma_stacks *self, struct orma_buf *ret)
{
    const struct orma_stacks_node *n = orma_stacks_nodes(self);
    struct orma_stacks_sum *rows;

    for (size_t i = 1; i < orma_stacks_nodes_num(self); i++) {
        const struct orma_stacks_sum sum = {.name = n[i].self ? reason_of(self, (uint32_t)i) : "",
                                            .weight = n[i].self};
        size_t num = ret->len / sizeof(sum), at = 0;

        if (!sum.weight)
            continue;
        rows = (struct orma_stacks_sum *)(void *)ret->data;
        while (at < num && strcmp(rows[at].name, sum.name) != 0)
            at++;
        if (at < num)
            rows[at].weight += sum.weight;
        else
            orma_buf_put(ret, &sum, sizeof(sum));
    }
    if (ret->len && !ret->failed)
        qsort(ret->data, ret->len / sizeof(struct orma_stacks_sum), sizeof(struct orma_stacks_sum),
              by_sum);
}

static void sum_wakers(const struct orma_stacks *self, struct orma_buf *ret)
{
    const struct orma_stacks_pair *pairs = (const void *)self->pairs.data;

    for (size_t i = 0; i < self->pairs.len / sizeof(*pairs); i++) {
        const struct orma_stacks_sum sum = {.name = orma_stacks_text(self, pairs[i].text),
                                            .weight = pairs[i].weight};

        orma_buf_put(ret, &sum, sizeof(sum));
    }
    if (ret->len && !ret->failed)
        qsort(ret->data, ret->len / sizeof(struct orma_stacks_sum), sizeof(struct orma_stacks_sum),
              by_sum);
}

void orma_stacks_sums(const struct orma_stacks *self, enum orma_stacks_by by, struct orma_buf *ret)
{
    if (by == ORMA_STACKS_BY_REASON) {
        sum_reasons(self, ret);
        return;
    }
    if (by == ORMA_STACKS_BY_WAKER) {
        sum_wakers(self, ret);
        return;
    }
    bool functions = by == ORMA_STACKS_BY_FUNCTION || by == ORMA_STACKS_BY_MODULE;
    size_t num = functions ? orma_stacks_functions_num(self) : orma_stacks_threads_num(self);
    const struct orma_stacks_function *f = orma_stacks_functions(self);
    const struct orma_stacks_thread *t = orma_stacks_threads(self);
    struct orma_map rows = {0};

    for (size_t i = 0; i < num; i++) {
        struct orma_stacks_sum sum = {.weight = functions ? f[i].self : t[i].weight,
                                      .id = by == ORMA_STACKS_BY_THREAD    ? t[i].tid
                                            : by == ORMA_STACKS_BY_PROCESS ? t[i].pid
                                                                           : 0};
        uint64_t key = key_of(self, by, i), at = orma_map_get(&rows, key);

        if (!sum.weight)
            continue;
        sum.name = orma_stacks_text(self, by == ORMA_STACKS_BY_FUNCTION ? f[i].name
                                          : by == ORMA_STACKS_BY_MODULE ? f[i].module
                                          : by == ORMA_STACKS_BY_THREAD ? t[i].name
                                                                        : t[i].process);
        if (by == ORMA_STACKS_BY_THREAD || by == ORMA_STACKS_BY_PROCESS)
            sum.counted_ns = t[i].counted_ns;
        if (at != ORMA_MAP_NONE) {
            struct orma_stacks_sum *known = &((struct orma_stacks_sum *)(void *)ret->data)[at];

            known->weight += sum.weight;
            known->counted_ns =
                known->counted_ns && sum.counted_ns ? known->counted_ns + sum.counted_ns : 0;
            continue;
        }
        if (orma_map_put(&rows, key, ret->len / sizeof(sum)) < 0)
            ret->failed = true;
        orma_buf_put(ret, &sum, sizeof(sum));
    }
    orma_map_fini(&rows);
    if (ret->len && !ret->failed)
        qsort(ret->data, ret->len / sizeof(struct orma_stacks_sum), sizeof(struct orma_stacks_sum),
              by_sum);
}
