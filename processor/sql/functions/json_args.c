/*
 * A key is cut into segments: names between dots, and indices in brackets. Each
 * segment is a node below the node of what stands before it:
 *
 *     a.b[0] = 1, a.b[1] = 2, a.c = "x"     root ── a ─┬─ b ─┬─ [0] 1
 *                                                      │     └─ [1] 2
 *                                                      └─ c "x"
 */
#include "processor/sql/functions/json_args.h"

#include <string.h>

#include "protos/reflect/json.h"
#include "sdk/base/hash.h"

/* Segments of one key; what is deeper stays one name. */
#define DEPTH_MAX 32
/* Arrays with more holes than that, or with more members in disorder, are printed as objects. */
#define HOLES_MAX 64
#define DISORDER_MAX 256

struct orma_json_node {
    struct orma_str name; /* without brackets */
    bool is_index;
    uint64_t idx;         /* of an index */
    struct orma_str json; /* data NULL: no value of its own */
    struct orma_json_node *parent, *first, *last, *next;
    struct orma_json_node *chain; /* others of the same hash */
    size_t children, indices;     /* how many of them are indices */
    uint64_t idx_max;
    bool disorder; /* indices did not grow */
};

static uint64_t hash_of(const struct orma_json_node *parent, struct orma_str name, bool is_index)
{
    return orma_mix64(orma_hash_bytes(name.data, name.len) ^ (uintptr_t)parent) ^ is_index;
}

static struct orma_json_node *find(const struct orma_json_args *self, uint64_t hash,
                                   const struct orma_json_node *parent, struct orma_str name,
                                   bool is_index)
{
    struct orma_json_node *n = orma_map_get_ptr(&self->index, hash);

    while (n && (n->parent != parent || n->is_index != is_index || !orma_str_eq(n->name, name)))
        n = n->chain;
    return n;
}

static struct orma_json_node *new_node(struct orma_json_args *self)
{
    struct orma_json_node *n = orma_arena_alloc(&self->arena, sizeof(*n));

    if (n)
        *n = (struct orma_json_node){0};
    else
        self->failed = true;
    return n;
}

static struct orma_json_node *child(struct orma_json_args *self, struct orma_json_node *parent,
                                    struct orma_str name, bool is_index)
{
    uint64_t hash = hash_of(parent, name, is_index);
    struct orma_json_node *n = find(self, hash, parent, name, is_index);

    if (n || !(n = new_node(self)))
        return n;
    const char *copy = orma_arena_strdup(&self->arena, name);
    n->chain = orma_map_get_ptr(&self->index, hash);
    if (!copy || orma_map_put_ptr(&self->index, hash, n) < 0) {
        self->failed = true;
        return NULL;
    }
    n->name = (struct orma_str){copy, name.len};
    n->parent = parent;
    n->is_index = is_index && orma_str_to_u64(name, &n->idx);
    parent->disorder |= n->is_index && parent->last && parent->last->idx > n->idx;
    *(parent->last ? &parent->last->next : &parent->first) = n;
    parent->last = n;
    parent->children++;
    parent->indices += n->is_index;
    parent->idx_max = n->is_index ? ORMA_MAX(parent->idx_max, n->idx) : parent->idx_max;
    return n;
}

/* Cuts the next segment off; a bracket that is not closed, or not a number, is part of a name. */
static struct orma_str cut(struct orma_str *rest, bool *ret_is_index)
{
    size_t len = 0;

    *ret_is_index = false;
    if (rest->len && rest->data[0] == '[') {
        const char *close = memchr(rest->data, ']', rest->len);
        struct orma_str inside = {rest->data + 1, close ? (size_t)(close - rest->data) - 1 : 0};
        uint64_t idx;

        if (close && orma_str_to_u64(inside, &idx)) {
            *ret_is_index = true;
            len = inside.len + 2;
            *rest = (struct orma_str){rest->data + len, rest->len - len};
            if (rest->len && rest->data[0] == '.')
                *rest = (struct orma_str){rest->data + 1, rest->len - 1};
            return inside;
        }
        len = 1;
    }
    while (len < rest->len && rest->data[len] != '.' && rest->data[len] != '[')
        len++;
    struct orma_str name = {rest->data, len};
    len += len < rest->len && rest->data[len] == '.';
    *rest = (struct orma_str){rest->data + len, rest->len - len};
    return name;
}

void orma_json_args_add(struct orma_json_args *self, struct orma_str key, struct orma_str json)
{
    struct orma_json_node *n = self->root ? self->root : (self->root = new_node(self));
    bool is_index;

    for (int depth = 0; n && (key.len || depth == 0); depth++) {
        struct orma_str rest = key, name = depth < DEPTH_MAX ? cut(&key, &is_index) : key;

        if (depth >= DEPTH_MAX) {
            key = (struct orma_str){0};
            is_index = false;
        }
        n = child(self, n, rest.len ? name : rest, is_index);
    }
    if (!n)
        return;
    n->json = (struct orma_str){orma_arena_strdup(&self->arena, json), json.len};
    if (!n->json.data)
        self->failed = true;
}

static bool is_array(const struct orma_json_node *n)
{
    return n->children && n->indices == n->children && !n->json.data &&
           n->idx_max < n->children + HOLES_MAX && !(n->disorder && n->children > DISORDER_MAX);
}

static void print(const struct orma_json_node *n, struct orma_buf *out);

/* Indices mostly come in their order; if not, each place is looked for. */
static void print_array(const struct orma_json_node *n, struct orma_buf *out)
{
    const struct orma_json_node *c = n->first;

    orma_buf_put_byte(out, '[');
    for (uint64_t i = 0; i <= n->idx_max; i++) {
        const struct orma_json_node *hit = c && c->idx == i ? c : n->first;

        while (hit && hit->idx != i)
            hit = hit->next;
        if (i)
            orma_buf_put_byte(out, ',');
        if (hit)
            print(hit, out);
        else
            orma_buf_put_str(out, "null");
        c = hit ? hit->next : c;
    }
    orma_buf_put_byte(out, ']');
}

static void print_object(const struct orma_json_node *n, struct orma_buf *out)
{
    const char *sep = "";

    orma_buf_put_byte(out, '{');
    if (n->json.data) { /* a value, and members as well: it is the one without a name */
        orma_buf_put_str(out, "\"\":");
        orma_buf_put(out, n->json.data, n->json.len);
        sep = ",";
    }
    for (const struct orma_json_node *c = n->first; c; c = c->next) {
        orma_buf_put_str(out, sep);
        orma_json_quote(out, c->name);
        orma_buf_put_byte(out, ':');
        print(c, out);
        sep = ",";
    }
    orma_buf_put_byte(out, '}');
}

/* No deeper than DEPTH_MAX + 1. */
static void print(const struct orma_json_node *n, struct orma_buf *out)
{
    if (!n->first && n->json.data)
        orma_buf_put(out, n->json.data, n->json.len);
    else if (is_array(n))
        print_array(n, out);
    else
        print_object(n, out);
}

void orma_json_args_print(const struct orma_json_args *self, struct orma_buf *out)
{
    if (self->root)
        print_object(self->root, out);
    else
        orma_buf_put_str(out, "{}");
}

void orma_json_args_clear(struct orma_json_args *self)
{
    orma_arena_fini(&self->arena);
    orma_map_clear(&self->index);
    self->arena = (struct orma_arena){0};
    self->root = NULL;
    self->failed = false;
}

void orma_json_args_fini(struct orma_json_args *self)
{
    orma_arena_fini(&self->arena);
    orma_map_fini(&self->index);
    *self = (struct orma_json_args){0};
}
