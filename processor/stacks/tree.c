/*
 * Functions and the tree of calls:
 *
 *   frames ─► the functions of each (several, where calls were compiled in)
 *   callsites, by id: a parent comes first ─► node: the parent's node, and below it each function
 *
 * Ids of these tables count up from 0 without gaps: a row's place is its id. A trace may be
 * hostile all the same, so parents that come later are roots.
 */
#include "processor/stacks/loader.h"

#include <errno.h>
#include <string.h>

#include "processor/stacks/stacks.h"
#include "sdk/base/hash.h"
#include "sdk/base/map.h"

#define FRAMES                                                                                     \
    "SELECT frame_id, name, coalesce(nullif(module, '[collapsed_stack]'), ''), inlined FROM "      \
    "orma_frame_function "                                                                         \
    "ORDER BY frame_id, nr"
#define CALLSITES "SELECT parent_id, frame_id FROM stack_profile_callsite ORDER BY id"
#define NODES_PER_SITE 16u
#define NODES_MAX (16u << 20)

/* ---- rows ---- */

struct orma_stacks_rows orma_stacks_rows_of(struct orma_stacks_loader *l, const char *sql)
{
    struct orma_stacks_rows ret = {.l = l};

    if (l->err == 0) {
        int r = orma_query_prepare(l->tp, sql, SIZE_MAX, &ret.q, NULL);

        l->err = r < 0 ? r : 0;
    }
    return ret;
}

bool orma_stacks_rows_next(struct orma_stacks_rows *rows)
{
    int r = rows->q && rows->l->err == 0 ? orma_query_step(rows->q) : 0;

    if (r == 1)
        return true;
    if (r < 0)
        rows->l->err = r;
    orma_query_free(rows->q);
    rows->q = NULL;
    return false;
}

bool orma_stacks_rows_is_null(const struct orma_stacks_rows *rows, unsigned col)
{
    return orma_query_type(rows->q, col) == ORMA_VALUE_NULL;
}

const char *orma_stacks_rows_text(const struct orma_stacks_rows *rows, unsigned col)
{
    const char *ret = orma_stacks_rows_is_null(rows, col) ? NULL : orma_query_text(rows->q, col);

    return ret ? ret : "";
}

/* ---- functions ---- */

uint32_t orma_stacks_keep_text(struct orma_stacks_loader *l, const char *s)
{
    struct orma_buf *texts = &l->self->texts;
    size_t len = strlen(s);
    uint64_t hash = orma_mix64(orma_fnv1a(ORMA_FNV1A_BASIS, s, len) ^ len);
    uint64_t known = len ? orma_map_get(&l->names, hash) : 0;

    if (known != ORMA_MAP_NONE)
        return (uint32_t)known;
    uint32_t at = (uint32_t)texts->len;
    orma_buf_put(texts, s, len + 1);
    if (texts->failed || texts->len > UINT32_MAX || orma_map_put(&l->names, hash, at) < 0) {
        l->err = -ENOMEM;
        return 0;
    }
    return at;
}

static uint32_t function_of(struct orma_stacks_loader *l, uint32_t name, uint32_t module,
                            bool inlined)
{
    uint64_t key = (uint64_t)module << 32 | name, known = orma_map_get(&l->by_key, key);
    struct orma_stacks_function f = {.name = name, .module = module};

    if (known == ORMA_MAP_NONE) {
        known = orma_stacks_functions_num(l->self);
        orma_buf_put(&l->self->functions, &f, sizeof(f));
        if (l->self->functions.failed || orma_map_put(&l->by_key, key, known) < 0) {
            l->err = -ENOMEM;
            return 0;
        }
    }
    orma_stacks_functions(l->self)[known].inlined |= inlined;
    return (uint32_t)known;
}

static void put_function(struct orma_stacks_loader *l, uint32_t name, uint32_t module, bool inlined)
{
    uint32_t function = function_of(l, name, module, inlined);

    orma_buf_put(&l->frame_functions, &function, sizeof(function));
    ((struct orma_stacks_frame *)(void *)(l->frames.data + l->frames.len))[-1].num++;
}

void orma_stacks_include(struct orma_stacks_loader *l, const char *module)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};

    orma_buf_printf(&sql, "INCLUDE PERFETTO MODULE %s", module);
    struct orma_stacks_rows rows = orma_stacks_rows_of(l, orma_buf_cstr(&sql));
    while (orma_stacks_rows_next(&rows))
        ;
}

void orma_stacks_load_frames(struct orma_stacks_loader *l)
{
    int64_t last = -1;

    orma_stacks_include(l, "orma.frames");
    struct orma_stacks_rows rows = orma_stacks_rows_of(l, FRAMES);
    while (orma_stacks_rows_next(&rows)) {
        int64_t id = orma_query_int64(rows.q, 0);

        for (; last < id && !l->frames.failed; last++) {
            const struct orma_stacks_frame frame = {
                .first = (uint32_t)(l->frame_functions.len / sizeof(uint32_t))};

            orma_buf_put(&l->frames, &frame, sizeof(frame));
        }
        if (l->frames.failed)
            break;
        uint32_t name = orma_stacks_keep_text(l, orma_stacks_rows_text(&rows, 1)),
                 module = orma_stacks_keep_text(l, orma_stacks_rows_text(&rows, 2));
        put_function(l, name, module, orma_query_int64(rows.q, 3));
    }
    if (l->frames.failed || l->frame_functions.failed)
        l->err = -ENOMEM;
    orma_query_free(rows.q);
}

/* ---- the tree ---- */

static const char *too_many(const struct orma_stacks_loader *l, uint32_t calls)
{
    if (calls < NODES_MAX)
        return "the stacks have more than 16 calls for each of their frames, and 1048576 in all, "
               "which is the limit: the functions that the file says were compiled into others "
               "make no sense";
    return l->in_tree
               ? "the stacks have more than 16777216 different calls, which is the limit"
               : "the stacks have more than 16777216 different calls, which is the limit; choose "
                 "threads, processes or a time";
}

uint32_t orma_stacks_child_of(struct orma_stacks_loader *l, uint32_t parent, uint32_t function)
{
    uint64_t key = (uint64_t)parent << 32 | function, known = orma_map_get(&l->by_child, key);
    struct orma_buf *nodes = &l->self->nodes;

    if (known != ORMA_MAP_NONE)
        return (uint32_t)known;
    uint32_t at = (uint32_t)orma_stacks_nodes_num(l->self);
    const struct orma_stacks_node node = {
        .parent = parent,
        .function = function,
        .first_child = ORMA_STACKS_NONE,
        .next = parent == ORMA_STACKS_NONE ? ORMA_STACKS_NONE
                                           : orma_stacks_nodes(l->self)[parent].first_child};
    orma_buf_put(nodes, &node, sizeof(node));
    if (at >= l->nodes_max) {
        l->self->why = too_many(l, at);
        l->err = -E2BIG;
        return 0;
    }
    if (nodes->failed || orma_map_put(&l->by_child, key, at) < 0) {
        l->err = -ENOMEM;
        return 0;
    }
    if (parent != ORMA_STACKS_NONE)
        orma_stacks_nodes(l->self)[parent].first_child = at;
    return at;
}

uint32_t orma_stacks_site_node(const struct orma_stacks_loader *l, int64_t site)
{
    uint32_t ret = 0;

    if (site >= 0 && (uint64_t)site < l->site_nodes.len / sizeof(ret))
        memcpy(&ret, l->site_nodes.data + (size_t)site * sizeof(ret), sizeof(ret));
    return ret;
}

void orma_stacks_load_tree(struct orma_stacks_loader *l)
{
    struct orma_stacks_rows sites =
        orma_stacks_rows_of(l, "SELECT count(*) FROM stack_profile_callsite");

    while (orma_stacks_rows_next(&sites))
        l->nodes_max = ORMA_MIN(ORMA_MAX((uint64_t)orma_query_int64(sites.q, 0) * NODES_PER_SITE,
                                         ORMA_STACKS_NODES_FREE),
                                NODES_MAX);
    struct orma_stacks_rows rows = orma_stacks_rows_of(l, CALLSITES);
    l->in_tree = true;
    (void)orma_stacks_child_of(l, ORMA_STACKS_NONE, ORMA_STACKS_NONE); /* the root */
    while (orma_stacks_rows_next(&rows)) {
        const struct orma_stacks_frame *frames = (const void *)l->frames.data;
        const uint32_t *functions = (const void *)l->frame_functions.data;
        int64_t parent = orma_stacks_rows_is_null(&rows, 0) ? -1 : orma_query_int64(rows.q, 0);
        int64_t frame = orma_stacks_rows_is_null(&rows, 1) ? -1 : orma_query_int64(rows.q, 1);
        uint32_t node = orma_stacks_site_node(l, parent);

        if (frame >= 0 && (uint64_t)frame < l->frames.len / sizeof(*frames)) {
            for (uint32_t i = frames[frame].num; i-- > 0 && l->err == 0;)
                node = orma_stacks_child_of(l, node, functions[frames[frame].first + i]);
        }
        orma_buf_put(&l->site_nodes, &node, sizeof(node));
    }
    if (l->site_nodes.failed)
        l->err = -ENOMEM;
    l->in_tree = false;
    l->nodes_max = NODES_MAX; /* of stacks behind stacks */
}

uint32_t orma_stacks_child_named(struct orma_stacks_loader *l, uint32_t node, const char *name)
{
    uint32_t at = orma_stacks_keep_text(l, name);

    return l->err ? 0 : orma_stacks_child_of(l, node, function_of(l, at, 0, false));
}
