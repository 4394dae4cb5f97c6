/*
 * Types of CTF to trees: each place where a type is used has nodes of its own, so that references
 * can be told apart. A reference becomes a slot, in which the number that it means is kept while a
 * packet or an event is read.
 */
#include "processor/import/formats/ctf.h"

/* Of `role` while trees are made: the field is in what all events of a stream have. */
#define SHARED 0x80
#define ROLE 0x7f
#define SLOTS_MAX 4096
#define RUN_BITS_MAX (1u << 24)
#define PATH_MAX_BYTES 500
/* Nodes of trees: few bytes of metadata can ask for many. */
#define NODES_MIN 65536
#define NODES_OF_BYTE 4
/* Names that are compared to find what references mean. */
#define COMPARES_MIN (1u << 26)
#define COMPARES_OF_BYTE 256

/* A struct that is open, and the place in it. */
struct level {
    struct orma_ctf_type *type;
    uint32_t at;
};

struct layout {
    struct orma_ctf *self;
    struct orma_ctf_type *roots[ORMA_CTF_SCOPES_NUM];
    enum orma_ctf_scope scope; /* at hand */
    struct level open[2 * ORMA_CTF_DEPTH_MAX];
    unsigned depth;
    unsigned nested; /* trees that hold the one that is made */
    uint32_t packet_slots, event_slots;
    uint32_t leaves;       /* of the contexts and fields of an event, so far */
    struct orma_str clock; /* the first that was met */
    bool in_array;
};

void *orma_ctf_alloc(struct orma_ctf *self, size_t size)
{
    void *ret = orma_arena_alloc(&self->arena, size ? size : 1);

    if (ret)
        memset(ret, 0, size);
    else
        orma_ctf_no_memory(self);
    return ret;
}

const struct orma_ctf_env *orma_ctf_env(const struct orma_ctf *self, const char *name)
{
    for (uint32_t i = 0; i < self->env.len; i++)
        if (orma_str_eq_c(self->env.data[i].name, name))
            return &self->env.data[i];
    return NULL;
}

struct orma_str orma_ctf_env_text(const struct orma_ctf *self, const char *name)
{
    const struct orma_ctf_env *env = orma_ctf_env(self, name);

    return env ? env->text : (struct orma_str){NULL, 0};
}

/* ---- references ---- */

/* False: so many names more would be too many. */
static bool may_compare(struct orma_ctf *self, uint64_t names)
{
    if (names > self->compares)
        orma_ctf_fail(self, 0, "references that take too long to find");
    self->compares -= ORMA_MIN(self->compares, names);
    return !self->failed;
}

/* As it is written, or without one underscore on each side. */
static uint32_t find_member(struct layout *l, const struct orma_ctf_type *type,
                            struct orma_str name, uint32_t before)
{
    if (!may_compare(l->self, 2 * (uint64_t)before))
        return ORMA_CTF_NOTHING;
    for (uint32_t i = before; i-- > 0;)
        if (orma_str_eq(type->members[i].name, name))
            return i;
    for (uint32_t i = before; i-- > 0;)
        if (orma_str_eq(orma_ctf_bare(type->members[i].name), orma_ctf_bare(name)))
            return i;
    return ORMA_CTF_NOTHING;
}

/* Into what lies in a type that a reference has come to. */
static struct orma_ctf_type *descend(struct layout *l, struct orma_ctf_type *type,
                                     const struct orma_ctf_ref *ref, uint32_t at)
{
    for (; type && at < ref->num; at++) {
        while (type->kind == ORMA_CTF_OPTIONAL || type->kind == ORMA_CTF_ARRAY)
            type = type->elem;
        if (type->kind != ORMA_CTF_STRUCT && type->kind != ORMA_CTF_VARIANT)
            return NULL;
        const uint32_t i = find_member(l, type, ref->names[at], type->members_num);
        if (i == ORMA_CTF_NOTHING)
            return NULL;
        type = type->members[i].type;
    }
    return type;
}

/* From the root at hand on, which is open up to the place of the reference. */
static struct orma_ctf_type *find_open(struct layout *l, const struct orma_ctf_ref *ref)
{
    uint32_t at = 0;

    for (unsigned d = 0; d < l->depth && at < ref->num; d++) {
        const struct level *open = &l->open[d];
        const uint32_t i = find_member(l, open->type, ref->names[at++], open->at + 1);

        if (i == ORMA_CTF_NOTHING)
            return NULL;
        if (i != open->at)
            return descend(l, open->type->members[i].type, ref, at);
        if (open->type->members[i].type->kind == ORMA_CTF_VARIANT)
            at++; /* the name of the option */
    }
    return NULL;
}

static struct orma_ctf_type *find(struct layout *l, const struct orma_ctf_ref *ref)
{
    unsigned up = 0;
    uint32_t at = 0;

    if (ref->scope == ORMA_CTF_ENV || !ref->num)
        return NULL;
    if (ref->scope != ORMA_CTF_RELATIVE)
        return ref->scope == l->scope ? find_open(l, ref)
               : l->roots[ref->scope] ? descend(l, l->roots[ref->scope], ref, 0)
                                      : NULL;
    for (; at < ref->num && !ref->names[at].data; at++)
        up++;
    if (at == ref->num)
        return NULL;
    for (unsigned d = l->depth; d-- > 0;) {
        if (up) {
            up--;
            continue;
        }
        const uint32_t i = find_member(l, l->open[d].type, ref->names[at], l->open[d].at);
        if (i != ORMA_CTF_NOTHING)
            return descend(l, l->open[d].type->members[i].type, ref, at + 1);
    }
    return NULL;
}

/* What all events of a stream have in common is kept apart from what this one has. */
static uint32_t slot_of(struct layout *l, struct orma_ctf_type *to)
{
    const bool of_packet = to->role & SHARED;

    if (!to->stores) {
        uint32_t *num = of_packet ? &l->packet_slots : &l->event_slots;

        if (*num == SLOTS_MAX) {
            orma_ctf_fail(l->self, 0, "more than %d fields that others refer to", SLOTS_MAX);
            return 0;
        }
        to->stores = ++*num | (of_packet ? ORMA_CTF_PACKET_SLOT : 0);
    }
    return to->stores;
}

static bool is_number(const struct orma_ctf_type *t)
{
    return t->kind == ORMA_CTF_INTEGER || t->kind == ORMA_CTF_VARINT;
}

/* A number of the environment is one for all. */
static bool is_length(struct orma_ctf *self, const struct orma_ctf_ref *ref,
                      struct orma_ctf_type *t)
{
    if (!may_compare(self, self->env.len))
        return false;
    for (uint32_t i = 0; ref->num == 1 && i < self->env.len; i++) {
        const struct orma_ctf_env *env = &self->env.data[i];

        if (!orma_str_eq(env->name, ref->names[0]) || env->text.data || env->number < 0 ||
            env->number > UINT32_MAX)
            continue;
        t->length = (uint32_t)env->number;
        t->ref = NULL;
        return true;
    }
    return false;
}

static uint32_t labels_named(const struct orma_ctf_type *to, struct orma_str name, bool bare,
                             struct orma_ctf_range *ret)
{
    uint32_t num = 0;

    for (uint32_t i = 0; i < to->labels_num; i++) {
        const struct orma_str label = to->labels[i].name;

        if (!orma_str_eq(bare ? orma_ctf_bare(label) : label, bare ? orma_ctf_bare(name) : name))
            continue;
        if (ret)
            ret[num] = to->labels[i].range;
        num++;
    }
    return num;
}

/* Of 1.8: the labels of the enum are the names of the options. */
static void select_by_labels(struct layout *l, struct orma_ctf_member *m,
                             const struct orma_ctf_type *to)
{
    struct orma_ctf *self = l->self;
    bool bare = false;

    if (!to->labels || !may_compare(self, 3 * (uint64_t)to->labels_num))
        return;
    uint32_t num = labels_named(to, m->name, false, NULL);
    if (!num)
        num = labels_named(to, m->name, (bare = true), NULL);
    if (num > self->nodes)
        orma_ctf_fail(self, 0, "more labels than its length could describe");
    if (!num || self->failed || !(m->ranges = orma_ctf_alloc(self, num * sizeof(*m->ranges))))
        return;
    self->nodes -= num;
    m->ranges_num = labels_named(to, m->name, bare, m->ranges);
}

static void refer(struct layout *l, struct orma_ctf_type *t, const struct orma_ctf_ref *ref)
{
    struct orma_ctf_type *to = find(l, ref);

    if (ref->scope == ORMA_CTF_ENV && t->kind != ORMA_CTF_VARIANT && is_length(l->self, ref, t))
        return;
    if (!to || !is_number(to)) {
        const struct orma_str name =
            ref->num ? ref->names[ref->num - 1] : (struct orma_str){NULL, 0};

        orma_ctf_fail(l->self, 0, "a field refers to '%.*s', which is no number before it",
                      (int)ORMA_MIN(name.len, (size_t)60), name.data ? name.data : "");
        return;
    }
    t->by_signed = to->is_signed;
    t->loads = slot_of(l, to);
    for (uint32_t i = 0; t->kind == ORMA_CTF_VARIANT && i < t->members_num && !l->self->failed; i++)
        if (!t->members[i].ranges_num)
            select_by_labels(l, &t->members[i], to);
}

/* ---- trees ---- */

static struct orma_ctf_type *copy_tree(struct layout *l, const struct orma_ctf_type *from,
                                       uint32_t name, uint32_t key);

static uint32_t joined(struct layout *l, uint32_t key, struct orma_str name)
{
    struct orma_strpool *pool = &l->self->file->imp->model->storage->pool;
    const struct orma_str before = orma_strpool_get(pool, key);

    /* Of paths that are too long the end must do. */
    return key && before.len < PATH_MAX_BYTES
               ? orma_strpool_addf(pool, "%s.%.*s", orma_strpool_cstr(pool, key),
                                   (int)ORMA_MIN(name.len, (size_t)300), name.data)
               : orma_model_str(l->self->file->imp->model, name);
}

/* The list that the tree may change. */
static bool own_members(struct layout *l, struct orma_ctf_type *t)
{
    struct orma_ctf_member *copy =
        t->members_num <= l->self->nodes
            ? orma_ctf_alloc(l->self, t->members_num * sizeof(*t->members))
            : NULL;

    if (!copy || l->depth == ORMA_ARRAY_LEN(l->open)) {
        orma_ctf_fail(l->self, 0, "more fields than its length could describe");
        t->members_num = 0;
        return false;
    }
    memcpy(copy, t->members, t->members_num * sizeof(*copy));
    t->members = copy;
    return true;
}

static void copy_members(struct layout *l, struct orma_ctf_type *t, uint32_t key)
{
    const bool counts = t->kind == ORMA_CTF_STRUCT;

    if (counts)
        l->open[l->depth++] = (struct level){t, 0};
    for (uint32_t i = 0; i < t->members_num && !l->self->failed; i++) {
        struct orma_ctf_member *m = &t->members[i];
        const struct orma_str shown = l->self->is_2 ? m->name : orma_ctf_bare(m->name);

        m->shown = shown;
        if (counts)
            l->open[l->depth - 1].at = i;
        m->type = copy_tree(l, m->type, orma_model_str(l->self->file->imp->model, shown),
                            joined(l, key, shown));
    }
    if (counts)
        l->depth--;
}

static struct orma_ctf_type *copy_node(struct layout *l, const struct orma_ctf_type *from,
                                       uint32_t name, uint32_t key)
{
    const bool shared = l->scope <= ORMA_CTF_COMMON_CONTEXT, in_array = l->in_array;
    struct orma_ctf_type *t = orma_ctf_alloc(l->self, sizeof(*t));

    if (!t || l->self->failed || !l->self->nodes) {
        orma_ctf_fail(l->self, 0, "more fields than its length could describe");
        return t;
    }
    l->self->nodes--;
    *t = *from;
    t->name = name;
    t->key = key;
    t->is_element = in_array;
    if (t->order == ORMA_CTF_NATIVE)
        t->order = l->self->big ? ORMA_CTF_BIG : ORMA_CTF_LITTLE;
    t->role |= shared ? SHARED : 0;
    if (t->clock.data && (t->role & ROLE) != ORMA_CTF_END_TIME) {
        t->updates = true;
        if (!l->clock.data)
            l->clock = t->clock;
    }
    if (l->self->is_2 && t->role == (ORMA_CTF_TIME | (shared ? SHARED : 0)))
        t->updates = true;
    if (l->scope >= ORMA_CTF_COMMON_CONTEXT && t->kind < ORMA_CTF_STRUCT)
        t->number = ++l->leaves;
    if (t->members_num && !own_members(l, t))
        return t;
    if (t->ref && t->kind != ORMA_CTF_STRUCT)
        refer(l, t, t->ref);
    else if (t->kind == ORMA_CTF_VARIANT)
        orma_ctf_fail(l->self, 0, "a variant without what selects an option");
    if (t->members_num)
        copy_members(l, t, key);
    if (t->elem && t->kind != ORMA_CTF_TEXT) {
        l->in_array |= t->kind == ORMA_CTF_ARRAY;
        t->elem = copy_tree(l, t->elem, name, key);
        l->in_array = in_array;
    }
    return t;
}

static struct orma_ctf_type *copy_tree(struct layout *l, const struct orma_ctf_type *from,
                                       uint32_t name, uint32_t key)
{
    if (l->nested == 2 * ORMA_CTF_DEPTH_MAX)
        orma_ctf_fail(l->self, 0, "types that are nested too deep");
    l->nested++;
    struct orma_ctf_type *t = copy_node(l, from, name, key);
    l->nested--;
    return t;
}

/* ---- roles of 1.8, by name ---- */

struct name_role {
    const char *name;
    enum orma_ctf_role role;
};

static const struct name_role header_roles[] = {
    {"magic", ORMA_CTF_MAGIC},
    {"stream_id", ORMA_CTF_STREAM_CLASS},
    {"stream_instance_id", ORMA_CTF_STREAM_INSTANCE},
    {NULL, 0},
};
static const struct name_role packet_roles[] = {
    {"packet_size", ORMA_CTF_PACKET_BITS},
    {"content_size", ORMA_CTF_CONTENT_BITS},
    {"timestamp_begin", ORMA_CTF_TIME},
    {"timestamp_end", ORMA_CTF_END_TIME},
    {"events_discarded", ORMA_CTF_DISCARDED},
    {"packet_seq_num", ORMA_CTF_PACKET_NUMBER},
    {"cpu_id", ORMA_CTF_CPU},
    {NULL, 0},
};
static const struct name_role event_roles[] = {
    {"id", ORMA_CTF_EVENT_CLASS}, {"timestamp", ORMA_CTF_TIME}, {NULL, 0}};
static const struct name_role cpu_roles[] = {{"cpu_id", ORMA_CTF_CPU}, {NULL, 0}};
static const struct name_role context_roles[] = {
    {"vtid", ORMA_CTF_TID},
    {"vpid", ORMA_CTF_PID},
    {"tid", ORMA_CTF_TID},
    {"pid", ORMA_CTF_PID},
    {"procname", ORMA_CTF_COMM},
    {"cpu_id", ORMA_CTF_CPU},
    {NULL, 0},
};
static const struct name_role perf_roles[] = {
    {"perf_tid", ORMA_CTF_TID}, {"perf_pid", ORMA_CTF_PID}, {NULL, 0}};

/* `deep`: also in options of variants. */
static void set_roles(struct orma_ctf_type *t, const struct name_role *list, bool deep)
{
    for (uint32_t i = 0; t && i < t->members_num; i++) {
        struct orma_ctf_member *m = &t->members[i];
        const bool text = m->type->kind == ORMA_CTF_TEXT || m->type->kind == ORMA_CTF_STRING;

        for (unsigned j = 0; list[j].name; j++)
            if (orma_str_eq_c(orma_ctf_bare(m->name), list[j].name) && !(m->type->role & ROLE) &&
                (list[j].role == ORMA_CTF_COMM ? text : is_number(m->type))) {
                m->type->role |= (uint8_t)list[j].role;
                if (list[j].role == ORMA_CTF_END_TIME || list[j].role == ORMA_CTF_TIME)
                    m->type->updates = list[j].role == ORMA_CTF_TIME;
            }
        if (deep && (m->type->kind == ORMA_CTF_STRUCT || m->type->kind == ORMA_CTF_VARIANT))
            set_roles(m->type, list, true);
    }
}

/* Bits of what is whole bytes, wherever it begins at one, and says nothing; 0: it is not so. What
 * names threads is asked for with the values. */
static uint64_t plain_bits(const struct orma_ctf_type *t)
{
    uint64_t bits = 0;

    if (t->align > 8 || t->stores || t->loads || t->updates)
        return 0;
    switch ((enum orma_ctf_kind)t->kind) {
    case ORMA_CTF_INTEGER:
    case ORMA_CTF_FLOAT:
        if (!t->role || t->role == ORMA_CTF_TID || t->role == ORMA_CTF_PID)
            bits = t->bits;
        break;
    case ORMA_CTF_TEXT:
    case ORMA_CTF_BLOB:
        bits = (uint64_t)t->length * 8;
        break;
    case ORMA_CTF_ARRAY:
        bits = plain_bits(t->elem) * t->length;
        break;
    case ORMA_CTF_VARINT:
    case ORMA_CTF_STRING:
    case ORMA_CTF_STRUCT:
    case ORMA_CTF_VARIANT:
    case ORMA_CTF_OPTIONAL:
        break;
    }
    return bits % 8 || bits > RUN_BITS_MAX ? 0 : bits;
}

static void find_runs(struct orma_ctf_type *t)
{
    for (uint32_t i = t->kind == ORMA_CTF_STRUCT ? t->members_num : 0; i-- > 0;) {
        struct orma_ctf_member *m = &t->members[i], *next = i + 1 < t->members_num ? m + 1 : NULL;
        const uint64_t bits = plain_bits(m->type);

        m->run = m->run_bits = 0;
        if (!bits)
            continue;
        m->run = 1;
        m->run_bits = (uint32_t)bits;
        if (next && next->run && next->run_bits + bits <= RUN_BITS_MAX) {
            m->run += next->run;
            m->run_bits += next->run_bits;
        }
    }
}

/* When all references are found. */
static void finish_tree(struct orma_ctf_type *t)
{
    if (!t)
        return;
    t->role &= ROLE;
    for (uint32_t i = 0; i < t->members_num; i++)
        if (t->members[i].type)
            finish_tree(t->members[i].type);
    if (t->elem && t->kind != ORMA_CTF_TEXT)
        finish_tree(t->elem);
    find_runs(t);
}

/* Names of contexts are told apart from those of fields. */
static struct orma_ctf_type *lay_out_root(struct layout *l, enum orma_ctf_scope scope,
                                          const struct orma_ctf_type *from)
{
    const bool of_context = scope == ORMA_CTF_COMMON_CONTEXT || scope == ORMA_CTF_OWN_CONTEXT;

    if (!from || l->self->failed)
        return NULL;
    l->scope = scope;
    l->depth = 0;
    l->in_array = false;
    l->roots[scope] = NULL;
    l->roots[scope] = copy_tree(
        l, from, 0, of_context ? orma_model_lit(l->self->file->imp->model, "context") : 0);
    /* What is not copied may hold the same again and again. */
    return l->self->failed ? NULL : l->roots[scope];
}

static void lay_out_class(struct layout *l, struct orma_ctf_stream_class *c)
{
    const bool by_name = !l->self->is_2;

    c->packet_header = lay_out_root(l, ORMA_CTF_PACKET_HEADER, l->self->packet_header);
    c->packet_context = lay_out_root(l, ORMA_CTF_PACKET_CONTEXT, c->packet_context);
    c->header = lay_out_root(l, ORMA_CTF_EVENT_HEADER, c->header);
    c->context = lay_out_root(l, ORMA_CTF_COMMON_CONTEXT, c->context);
    if (by_name) {
        set_roles(c->packet_header, header_roles, false);
        set_roles(c->packet_context, packet_roles, false);
        set_roles(c->header, event_roles, true);
    } else {
        set_roles(c->packet_context, cpu_roles, false);
    }
    set_roles(c->context, context_roles, false);
}

static void lay_out_event(struct layout *l, struct orma_ctf_event *e, uint32_t leaves)
{
    l->leaves = leaves;
    l->roots[ORMA_CTF_OWN_CONTEXT] = l->roots[ORMA_CTF_FIELDS] = NULL;
    l->event_slots = 0;
    e->context = lay_out_root(l, ORMA_CTF_OWN_CONTEXT, e->context);
    e->fields = lay_out_root(l, ORMA_CTF_FIELDS, e->fields);
    set_roles(e->context, context_roles, false);
    if (l->self->is_perf)
        set_roles(e->fields, perf_roles, false);
}

static void find_clock(struct orma_ctf *self, struct orma_ctf_stream_class *c, struct orma_str name)
{
    for (uint32_t i = 0; i < self->clocks.len; i++)
        if (name.data && orma_str_eq(self->clocks.data[i].name, name))
            c->clock_idx = i;
    if (c->clock_idx == ORMA_CTF_NOTHING && name.data)
        orma_ctf_fail(self, 0, "a field is of a clock '%.*s', which is not described",
                      (int)ORMA_MIN(name.len, (size_t)60), name.data);
}

static void lay_out_events(struct layout *l, uint32_t idx)
{
    struct orma_ctf *self = l->self;
    struct orma_ctf_stream_class *c = &self->classes.data[idx];
    const uint32_t leaves = l->leaves;

    for (uint32_t i = 0; i < self->events.len && !self->failed; i++) {
        struct orma_ctf_event *e = &self->events.data[i];

        if (!e->has_stream && self->classes.len > 1) {
            orma_ctf_fail(self, 0, "an event that does not say of which stream it is");
            return;
        }
        if (e->has_stream ? e->stream_id != c->id : idx != 0)
            continue;
        if (orma_map_get(&c->events, e->id) != ORMA_MAP_NONE) {
            orma_ctf_fail(self, 0, "two events of one id (%llu)", (unsigned long long)e->id);
            return;
        }
        if (orma_map_put(&c->events, e->id, i))
            orma_ctf_no_memory(self);
        if (!c->events_num++)
            c->first_event = i;
        lay_out_event(l, e, leaves);
        if (self->failed)
            return;
        finish_tree(e->context);
        finish_tree(e->fields);
        e->leaves = l->leaves;
        self->slots_num = ORMA_MAX(self->slots_num, (uint64_t)l->event_slots);
    }
}

bool orma_ctf_lay_out(struct orma_ctf *self)
{
    self->nodes = NODES_MIN + NODES_OF_BYTE * self->text.len;
    self->compares = COMPARES_MIN + COMPARES_OF_BYTE * (uint64_t)self->text.len;
    if (!self->classes.len) /* one that nothing says anything of */
        if (ORMA_VEC_PUSH(&self->classes,
                          (struct orma_ctf_stream_class){.clock_idx = ORMA_CTF_NOTHING}))
            orma_ctf_no_memory(self);
    if (self->classes.len > ORMA_CTF_CLASSES_MAX)
        orma_ctf_fail(self, 0, "more than %d classes of streams", ORMA_CTF_CLASSES_MAX);
    for (uint32_t i = 0; i < self->classes.len && !self->failed; i++) {
        struct orma_ctf_stream_class *c = &self->classes.data[i];
        struct layout l = {.self = self};

        lay_out_class(&l, c);
        lay_out_events(&l, i);
        if (self->failed)
            break;
        find_clock(self, c, c->clock.data ? c->clock : l.clock);
        c->packet_slots = l.packet_slots;
        finish_tree(c->packet_header);
        finish_tree(c->packet_context);
        finish_tree(c->header);
        finish_tree(c->context);
    }
    return !self->failed && !orma_file_failed(self->file);
}
