/*
 * Snapshots of the window manager: a tree of containers, from the root over displays, areas and
 * tasks to windows, a row each in the order of a walk.
 *
 * A container is a message of its kind, and somewhere inside is the WindowContainerProto that names
 * it and holds its children. Messages are kept without the children: those have rows themselves.
 * What lies where is a table for each kind of message (`kinds`).
 */
#include "processor/import/winscope/winscope.h"

/* Messages on the way from a snapshot to its containers. */
enum kind {
    NOTHING,
    ENTRY,
    SERVICE,
    ROOT,
    CHILD,
    CONTAINER,
    DISPLAY,
    AREA,
    TASK,
    FRAGMENT,
    ACTIVITY,
    TOKEN,
    STATE,
    DROPPED /* children: not kept */
};

/* The fields of a message that lead on, up to one of NOTHING. */
struct step {
    uint8_t field, kind;
};

static const struct step steps[][9] = {
    [ENTRY] = {{3, SERVICE}},
    [SERVICE] = {{2, ROOT}, {14, DROPPED}},
    [ROOT] = {{1, CONTAINER}, {2, DROPPED}, {4, DROPPED}},
    [CHILD] = {{2, CONTAINER},
               {3, DISPLAY},
               {4, AREA},
               {5, TASK},
               {6, ACTIVITY},
               {7, TOKEN},
               {8, STATE},
               {9, FRAGMENT}},
    [CONTAINER] = {{5, DROPPED}},
    [DISPLAY] = {{21, AREA}, {1, CONTAINER}, {25, DROPPED}},
    [AREA] = {{1, CONTAINER}, {3, DROPPED}},
    [TASK] = {{31, FRAGMENT}, {1, CONTAINER}, {10, DROPPED}, {11, DROPPED}},
    [FRAGMENT] = {{1, CONTAINER}},
    [ACTIVITY] = {{2, TOKEN}},
    [TOKEN] = {{1, CONTAINER}, {3, DROPPED}},
    [STATE] = {{1, CONTAINER}, {15, DROPPED}},
    [DROPPED] = {{0}},
};

enum { ENTRY_ELAPSED = 1, ENTRY_SERVICE = 3 };
enum { SERVICE_ROOT = 2, SERVICE_FOCUSED = 9 };
enum { CONTAINER_VISIBLE = 3, CONTAINER_CHILDREN = 5, CONTAINER_IDENTIFIER };
enum { IDENTIFIER_HASH = 1, IDENTIFIER_TITLE = 3 };
enum { DISPLAY_ID = 2, DISPLAY_INFO = 10 };
enum { INFO_W = 1, INFO_H };
enum { TASK_ID = 2, TASK_NAME = 32 };
enum { ACTIVITY_VISIBLE = 24 };
enum {
    STATE_IDENTIFIER = 2,
    STATE_DISPLAY,
    STATE_ATTRIBUTES = 5,
    STATE_FRAME = 7,
    STATE_IS_VISIBLE = 38,
    STATE_FRAMES = 41
};
enum { ATTRIBUTES_ALPHA = 12 };
enum { FRAMES_FRAME = 5 };
#define FIELDS 48

static const struct orma_winscope_columns columns = {
    ORMA_TABLE_WINDOWMANAGER_WINDOWCONTAINER, ORMA_WINDOWMANAGER_WINDOWCONTAINER_ARG_SET_ID,
    ORMA_WINDOWMANAGER_WINDOWCONTAINER_BASE64_PROTO_ID};

/* A container that is looked at. */
struct container {
    struct orma_str bytes;     /* of its kind */
    struct orma_str container; /* the WindowContainerProto inside */
    enum kind kind;
    uint32_t row;
    int32_t token;
};

struct walk {
    struct orma_import_ctx *imp;
    const struct orma_item *item;
    uint32_t snapshot, depth;
};

static enum kind step_of(enum kind kind, uint32_t field)
{
    for (const struct step *s = steps[kind]; s->field; s++)
        if (s->field == field)
            return s->kind;
    return NOTHING;
}

/* ---- messages without their children ---- */

static void put_varint(struct orma_buf *out, uint64_t val)
{
    for (; val >= 0x80; val >>= 7)
        orma_buf_put_byte(out, (uint8_t)(val | 0x80));
    orma_buf_put_byte(out, (uint8_t)val);
}

/* As deep as `steps` goes. */
static void prune(struct orma_str bytes, enum kind kind, struct orma_buf *out)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    const uint8_t *from = r.pos;
    struct orma_pb_field f;

    for (; orma_pb_next(&r, &f); from = r.pos) {
        enum kind next = f.wire == ORMA_PB_LEN ? step_of(kind, f.id) : NOTHING;
        struct orma_buf inner = {0};

        if (next == DROPPED)
            continue;
        if (next == NOTHING) {
            orma_buf_put(out, from, (size_t)(r.pos - from));
            continue;
        }
        prune(orma_pb_str(&f), next, &inner);
        put_varint(out, (uint64_t)f.id << 3 | ORMA_PB_LEN);
        put_varint(out, inner.len);
        orma_buf_put(out, inner.data, inner.len);
        out->failed |= inner.failed;
        orma_buf_fini(&inner);
    }
}

/* ---- containers ---- */

/* The WindowContainerProto of a container. */
static struct orma_str inner_container(struct orma_str bytes, enum kind kind)
{
    while (kind != CONTAINER) {
        struct orma_pb_field f[FIELDS];
        const struct step *s = steps[kind];

        orma_msg_read(bytes, f, FIELDS);
        while (s->field && (s->kind == DROPPED || !f[s->field].id))
            s++;
        if (!s->field)
            return (struct orma_str){0};
        bytes = orma_pb_str(&f[s->field]);
        kind = s->kind;
    }
    return bytes;
}

static const char *kind_name(enum kind kind)
{
    static const char *const names[] = {
        [ROOT] = "RootWindowContainer",
        [CONTAINER] = "WindowContainer",
        [DISPLAY] = "DisplayContent",
        [AREA] = "DisplayArea",
        [TASK] = "Task",
        [FRAGMENT] = "TaskFragment",
        [ACTIVITY] = "Activity",
        [TOKEN] = "WindowToken",
        [STATE] = "WindowState",
    };

    return names[kind];
}

static void read_identifier(struct container *c, const struct orma_pb_field *f,
                            struct orma_str *title)
{
    struct orma_pb_field container[CONTAINER_IDENTIFIER + 1], id[IDENTIFIER_TITLE + 1];

    orma_msg_read(c->container, container, CONTAINER_IDENTIFIER + 1);
    bool own = c->kind == STATE && f[STATE_IDENTIFIER].id;
    orma_msg_read(orma_pb_str(own ? &f[STATE_IDENTIFIER] : &container[CONTAINER_IDENTIFIER]), id,
                  IDENTIFIER_TITLE + 1);
    c->token = orma_pb_i32(&id[IDENTIFIER_HASH]);
    *title = orma_pb_str(&id[IDENTIFIER_TITLE]);
}

/* What a task or a window is called instead; 0: nothing. */
static uint32_t name_override(struct orma_import_ctx *imp, const struct container *c,
                              const struct orma_pb_field *f, struct orma_str title)
{
    static const struct orma_str prefixes[] = {{"Starting ", 9}, {"Waiting For Debugger: ", 22}};
    struct orma_strpool *pool = &imp->model->storage->pool;
    struct orma_str name = orma_pb_str(&f[TASK_NAME]);

    if (c->kind == TASK)
        return name.len ? orma_strpool_addf(pool, "%d(%.*s)", (int)orma_pb_i32(&f[TASK_ID]),
                                            ORMA_STR_ARG(name))
                        : orma_strpool_addf(pool, "%d", (int)orma_pb_i32(&f[TASK_ID]));
    for (unsigned i = 0; c->kind == STATE && i < ORMA_ARRAY_LEN(prefixes); i++)
        if (title.len > prefixes[i].len && !memcmp(title.data, prefixes[i].data, prefixes[i].len))
            return orma_model_str(imp->model, (struct orma_str){title.data + prefixes[i].len,
                                                                title.len - prefixes[i].len});
    return 0;
}

static bool display_rect(const struct orma_pb_field *f, struct orma_winscope_drawn *drawn)
{
    struct orma_pb_field info[INFO_H + 1];

    orma_msg_read(orma_pb_str(&f[DISPLAY_INFO]), info, INFO_H + 1);
    drawn->rect.w = orma_pb_i32(&info[INFO_W]);
    drawn->rect.h = orma_pb_i32(&info[INFO_H]);
    drawn->group = orma_pb_u32(&f[DISPLAY_ID]);
    return f[DISPLAY_INFO].id;
}

static bool window_rect(const struct orma_pb_field *f, struct orma_winscope_drawn *drawn)
{
    struct orma_pb_field frames[FRAMES_FRAME + 1], attributes[ATTRIBUTES_ALPHA + 1];

    orma_msg_read(orma_pb_str(&f[STATE_FRAMES]), frames, FRAMES_FRAME + 1);
    orma_msg_read(orma_pb_str(&f[STATE_ATTRIBUTES]), attributes, ATTRIBUTES_ALPHA + 1);
    const struct orma_pb_field *frame =
        frames[FRAMES_FRAME].id ? &frames[FRAMES_FRAME] : &f[STATE_FRAME];
    drawn->group = orma_pb_u32(&f[STATE_DISPLAY]);
    drawn->visible = orma_pb_bool(&f[STATE_IS_VISIBLE]);
    drawn->has_opacity = attributes[ATTRIBUTES_ALPHA].id;
    drawn->opacity = (double)orma_pb_float(&attributes[ATTRIBUTES_ALPHA]);
    (void)orma_winscope_read_rect(orma_pb_str(frame), &drawn->rect);
    return frame->id;
}

/* ORMA_ROW_NONE: it has none. */
static uint32_t rect_of(struct walk *w, const struct container *c, const struct orma_pb_field *f)
{
    struct orma_winscope_drawn drawn = {.transform = ORMA_WINSCOPE_IDENTITY, .own_rows = true};

    if (c->kind == DISPLAY ? !display_rect(f, &drawn) : c->kind != STATE || !window_rect(f, &drawn))
        return ORMA_ROW_NONE;
    drawn.depth = c->kind == DISPLAY ? 0 : ++w->depth;
    return orma_winscope_drawn_row(w->imp, &drawn);
}

/* Whether it is seen: of some kinds a field of their own. */
static struct orma_pb_field visible_of(const struct container *c, const struct orma_pb_field *f)
{
    struct orma_pb_field container[CONTAINER_VISIBLE + 1];

    if (c->kind == ACTIVITY && f[ACTIVITY_VISIBLE].id)
        return f[ACTIVITY_VISIBLE];
    if (c->kind == STATE && f[STATE_IS_VISIBLE].id)
        return f[STATE_IS_VISIBLE];
    orma_msg_read(c->container, container, CONTAINER_VISIBLE + 1);
    return container[CONTAINER_VISIBLE];
}

static void set_texts(struct walk *w, struct container *c, const struct orma_pb_field *f)
{
    struct orma_table *t = orma_model_table(w->imp->model, columns.table);
    struct orma_str title;

    read_identifier(c, f, &title);
    uint32_t text = c->kind == TOKEN
                        ? orma_strpool_addf(&w->imp->model->storage->pool, "%x", (unsigned)c->token)
                        : orma_model_str(w->imp->model, title);
    uint32_t other = name_override(w->imp, c, f, title);
    orma_table_set(t, ORMA_WINDOWMANAGER_WINDOWCONTAINER_TITLE, c->row, text);
    orma_table_set(t, ORMA_WINDOWMANAGER_WINDOWCONTAINER_TOKEN, c->row, c->token);
    orma_table_set(t, ORMA_WINDOWMANAGER_WINDOWCONTAINER_CONTAINER_TYPE, c->row,
                   orma_model_cstr(w->imp->model, kind_name(c->kind)));
    if (other)
        orma_table_set(t, ORMA_WINDOWMANAGER_WINDOWCONTAINER_NAME_OVERRIDE, c->row, other);
}

/* The message of a child as it came, or of the root, without children. */
static void set_message(struct walk *w, const struct container *c, struct orma_str child)
{
    struct orma_buf pruned = {0};
    const char *type = c->kind == ROOT ? "com.android.internal.RootWindowContainerProto"
                                       : "com.android.internal.WindowContainerChildProto";

    prune(child, c->kind == ROOT ? ROOT : CHILD, &pruned);
    w->imp->model->storage->failed |= pruned.failed;
    const struct orma_winscope_msg msg = {
        .type = type, .bytes = orma_buf_str(&pruned), .machine = w->item->machine};
    orma_winscope_set_message(w->imp, &columns, c->row, &msg, NULL);
    orma_buf_fini(&pruned);
}

static void add_container(struct walk *w, struct container *c, struct orma_str child)
{
    struct orma_table *t = orma_model_table(w->imp->model, columns.table);
    struct orma_pb_field f[FIELDS];

    c->container = inner_container(c->bytes, c->kind);
    orma_msg_read(c->bytes, f, FIELDS);
    uint32_t rect = rect_of(w, c, f);
    c->row = orma_table_add(t);
    orma_table_set(t, ORMA_WINDOWMANAGER_WINDOWCONTAINER_SNAPSHOT_ID, c->row, w->snapshot);
    const struct orma_pb_field visible = visible_of(c, f);
    if (visible.id)
        orma_table_set(t, ORMA_WINDOWMANAGER_WINDOWCONTAINER_IS_VISIBLE, c->row,
                       orma_pb_bool(&visible));
    if (rect != ORMA_ROW_NONE)
        orma_table_set(t, ORMA_WINDOWMANAGER_WINDOWCONTAINER_WINDOW_RECT_ID, c->row, rect);
    set_texts(w, c, f);
    set_message(w, c, child);
}

/* What a WindowContainerChildProto is; NOTHING: of a kind that is not known. */
static struct container container_in(struct orma_str child)
{
    struct orma_pb_reader r = orma_pb_reader(child.data, child.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        enum kind kind = f.wire == ORMA_PB_LEN ? step_of(CHILD, f.id) : NOTHING;

        if (kind != NOTHING)
            return (struct container){.kind = kind, .bytes = orma_pb_str(&f)};
    }
    return (struct container){.kind = NOTHING};
}

static void add_children(struct walk *w, const struct container *up, unsigned level)
{
    struct orma_table *t = orma_model_table(w->imp->model, columns.table);
    struct orma_pb_reader r = orma_pb_reader(up->container.data, up->container.len);
    struct orma_pb_field f;
    uint32_t index = 0;

    while (level < ORMA_WINSCOPE_DEPTH_MAX && orma_pb_next(&r, &f)) {
        if (f.id != CONTAINER_CHILDREN)
            continue;
        struct container c = container_in(orma_pb_str(&f));
        if (c.kind == NOTHING)
            continue;
        add_container(w, &c, orma_pb_str(&f));
        orma_table_set(t, ORMA_WINDOWMANAGER_WINDOWCONTAINER_PARENT_TOKEN, c.row, up->token);
        orma_table_set(t, ORMA_WINDOWMANAGER_WINDOWCONTAINER_CHILD_INDEX, c.row, index++);
        add_children(w, &c, level + 1);
    }
}

static void add_snapshot(struct walk *w, const struct orma_pb_field *entry,
                         const struct orma_pb_field *service, struct orma_str bytes)
{
    static const struct orma_winscope_columns whole = {ORMA_TABLE_WINDOWMANAGER,
                                                       ORMA_WINDOWMANAGER_ARG_SET_ID,
                                                       ORMA_WINDOWMANAGER_BASE64_PROTO_ID};
    struct orma_table *t = orma_model_table(w->imp->model, whole.table);
    struct orma_buf pruned = {0};

    w->snapshot = orma_table_add(t);
    orma_table_set_time(t, ORMA_WINDOWMANAGER_TS, w->snapshot, w->item->ts);
    orma_table_set(t, ORMA_WINDOWMANAGER_FOCUSED_DISPLAY_ID, w->snapshot,
                   orma_pb_u32(&service[SERVICE_FOCUSED]));
    orma_table_set(t, ORMA_WINDOWMANAGER_HAS_INVALID_ELAPSED_TS, w->snapshot,
                   !orma_pb_u64(&entry[ENTRY_ELAPSED]));
    prune(bytes, ENTRY, &pruned);
    w->imp->model->storage->failed |= pruned.failed;
    const struct orma_winscope_msg msg = {.type = "com.android.internal.WindowManagerTraceEntry",
                                          .bytes = orma_buf_str(&pruned),
                                          .machine = w->item->machine};
    orma_winscope_set_message(w->imp, &whole, w->snapshot, &msg, NULL);
    orma_buf_fini(&pruned);
}

void orma_winscope_windows(struct orma_import_ctx *imp, const struct orma_item *item,
                           struct orma_str bytes)
{
    struct orma_pb_field entry[ENTRY_SERVICE + 1], service[SERVICE_FOCUSED + 1];
    struct walk w = {.imp = imp, .item = item};

    if (!orma_msg_read(bytes, entry, ENTRY_SERVICE + 1))
        orma_stats_inc(orma_model_stats(imp->model, item->machine),
                       ORMA_STAT_WINSCOPE_WINDOWMANAGER_PARSE_ERRORS);
    orma_msg_read(orma_pb_str(&entry[ENTRY_SERVICE]), service, SERVICE_FOCUSED + 1);
    add_snapshot(&w, entry, service, bytes);
    if (!service[SERVICE_ROOT].id)
        return;
    struct container root = {.kind = ROOT, .bytes = orma_pb_str(&service[SERVICE_ROOT])};
    add_container(&w, &root, root.bytes);
    add_children(&w, &root, 0);
}
