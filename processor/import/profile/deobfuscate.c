/*
 * Names that a build made short (R8, ProGuard), for frames.
 *
 * A packet says of classes what their methods were called, each with the lines of the short code
 * that it became. A short name may stand for several methods: for overloads that share it, and,
 * where code was inlined, for all methods of a chain, of which one entry each covers the same
 * lines. So with a line a frame becomes the chain of entries that contain it, innermost first, as
 * symbols of its own; without one it has all the names that it may have.
 *
 *   entries of a.b   [1, 4] Inner.run   [1, 4] Outer.run   [5, 9] Outer.stop
 *   frame a.b:3      Inner.run (inlined) in Outer.run
 *   frame a.b        "Inner.run | Outer.run | Outer.stop"
 */
#include "processor/import/profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "protos/fields/profiling.h"
#include "sdk/base/buf.h"

#define SEPARATOR " | "

/* One entry of a method. */
struct entry {
    uint32_t frame_name, name;  /* pool ids: as frames have it, and as it was */
    uint32_t nr;                /* in the packet */
    uint32_t first, last, line; /* lines of the short code; where the method begins */
    bool has_first, has_last, has_line;
};

ORMA_VEC_STRUCT(entries, struct entry);

/* What a packet needs to find frames. */
struct names {
    struct orma_import_ctx *imp;
    uint32_t package; /* pool id, 0: any */
    uint32_t app;     /* its app id, + 1; 0: not known */
    struct entries entries;
    struct orma_map by_name; /* name of a frame → first + 1 of a chain in `next` */
    uint32_t *next;          /* by frame */
    uint32_t *apps; /* by frame: app id of the first process that has it, + 1; NULL: not read */
};

/* ---- packages ---- */

/* Gives the frames of a stack to an app, from the innermost on to where another stack went before.
 */
static void add_stack(const struct names *self, uint8_t *seen, uint32_t callsite, uint32_t app)
{
    const struct orma_table *t =
        orma_model_table(self->imp->model, ORMA_TABLE_STACK_PROFILE_CALLSITE);

    while (callsite < t->rows && !seen[callsite]) {
        uint32_t frame =
            (uint32_t)orma_table_int(t, ORMA_STACK_PROFILE_CALLSITE_FRAME_ID, callsite);

        seen[callsite] = 1;
        if (!self->apps[frame])
            self->apps[frame] = app + 1;
        if (orma_table_is_null(t, ORMA_STACK_PROFILE_CALLSITE_PARENT_ID, callsite))
            return;
        callsite = (uint32_t)orma_table_int(t, ORMA_STACK_PROFILE_CALLSITE_PARENT_ID, callsite);
    }
}

/* The same for a row of samples or allocations, if it has a stack, and a process that is an app. */
static void add_row(const struct names *self, uint8_t *seen, const struct orma_table *t,
                    uint32_t row, unsigned callsite_col, const struct orma_table *owner,
                    unsigned upid_col, uint32_t owner_row)
{
    const struct orma_table *p = orma_model_table(self->imp->model, ORMA_TABLE_PROCESS);

    if (orma_table_is_null(t, callsite_col, row) || orma_table_is_null(owner, upid_col, owner_row))
        return;
    uint32_t upid = (uint32_t)orma_table_int(owner, upid_col, owner_row);
    if (!orma_table_is_null(p, ORMA_PROCESS_ANDROID_APPID, upid))
        add_stack(self, seen, (uint32_t)orma_table_int(t, callsite_col, row),
                  (uint32_t)orma_table_int(p, ORMA_PROCESS_ANDROID_APPID, upid));
}

/* Whose the frames are, by the processes that have them in samples and heaps. */
static void read_apps(struct names *self)
{
    struct orma_model *model = self->imp->model;
    const struct orma_table *samples = orma_model_table(model, ORMA_TABLE_PROFILER_SAMPLE);
    const struct orma_table *tasks = orma_model_table(model, ORMA_TABLE_PROFILER_TASK_CONTEXT);
    const struct orma_table *heaps = orma_model_table(model, ORMA_TABLE_HEAP_PROFILE_ALLOCATION);
    uint32_t callsites = orma_model_table(model, ORMA_TABLE_STACK_PROFILE_CALLSITE)->rows;
    uint32_t frames = orma_model_table(model, ORMA_TABLE_STACK_PROFILE_FRAME)->rows;
    uint8_t *seen = calloc((size_t)callsites + 1, 1);

    self->apps = calloc((size_t)frames + 1, sizeof(*self->apps));
    if (!seen || !self->apps) {
        self->imp->model->storage->failed = true;
        free(seen);
        return;
    }
    for (uint32_t i = 0; i < samples->rows; i++)
        if (!orma_table_is_null(samples, ORMA_PROFILER_SAMPLE_TASK_CONTEXT_ID, i))
            add_row(self, seen, samples, i, ORMA_PROFILER_SAMPLE_CALLSITE_ID, tasks,
                    ORMA_PROFILER_TASK_CONTEXT_UPID,
                    (uint32_t)orma_table_int(samples, ORMA_PROFILER_SAMPLE_TASK_CONTEXT_ID, i));
    for (uint32_t i = 0; i < heaps->rows; i++)
        add_row(self, seen, heaps, i, ORMA_HEAP_PROFILE_ALLOCATION_CALLSITE_ID, heaps,
                ORMA_HEAP_PROFILE_ALLOCATION_UPID, i);
    free(seen);
}

/* The app id of the package, + 1; 0: the trace does not list it. */
static uint32_t app_of_package(const struct names *self)
{
    const struct orma_table *t = orma_model_table(self->imp->model, ORMA_TABLE_PACKAGE_LIST);

    for (uint32_t i = 0; i < t->rows; i++)
        if ((uint32_t)orma_table_int(t, ORMA_PACKAGE_LIST_PACKAGE_NAME, i) == self->package)
            return (uint32_t)orma_table_int(t, ORMA_PACKAGE_LIST_UID, i) + 1;
    return 0;
}

/* The path of the mapping says whose a frame is; where it does not, the process that has the frame
 * does: code of an app also lies in files of the system and in memory. */
static bool in_package(struct names *self, uint32_t frame)
{
    const struct orma_table *f = orma_model_table(self->imp->model, ORMA_TABLE_STACK_PROFILE_FRAME);
    const struct orma_table *t =
        orma_model_table(self->imp->model, ORMA_TABLE_STACK_PROFILE_MAPPING);
    struct orma_strpool *pool = &self->imp->model->storage->pool;
    uint32_t mapping = (uint32_t)orma_table_int(f, ORMA_STACK_PROFILE_FRAME_MAPPING, frame);
    struct orma_str path = orma_strpool_get(
        pool, (uint32_t)orma_table_int(t, ORMA_STACK_PROFILE_MAPPING_NAME, mapping));

    if (!self->package || orma_str_find(path, orma_strpool_get(pool, self->package)))
        return true;
    if (orma_str_starts(path, ORMA_STR("/data/app/")) || orma_str_starts(path, ORMA_STR("/memfd:")))
        return false;
    if (!self->app)
        return false;
    if (!self->apps)
        read_apps(self);
    return self->apps && self->apps[frame] == self->app;
}

/* ---- reading ---- */

static void read_entry(struct names *self, struct orma_str class_from, struct orma_str class_to,
                       struct orma_pb_reader r)
{
    struct orma_strpool *pool = &self->imp->model->storage->pool;
    struct entry e = {.nr = self->entries.len};
    struct orma_str from = {0}, to = {0};
    struct orma_buf text = {0};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_OBFUSCATED_MEMBER_OBFUSCATED_NAME:
            from = orma_pb_str(&f);
            break;
        case ORMA_PB_OBFUSCATED_MEMBER_DEOBFUSCATED_NAME:
            to = orma_pb_str(&f);
            break;
        case ORMA_PB_OBFUSCATED_MEMBER_OBFUSCATED_LINE_START:
            e.first = orma_pb_u32(&f);
            e.has_first = true;
            break;
        case ORMA_PB_OBFUSCATED_MEMBER_OBFUSCATED_LINE_END:
            e.last = orma_pb_u32(&f);
            e.has_last = true;
            break;
        case ORMA_PB_OBFUSCATED_MEMBER_SOURCE_LINE_START:
            e.line = orma_pb_u32(&f);
            e.has_line = true;
            break;
        }
    }
    orma_buf_printf(&text, "%.*s.%.*s", ORMA_STR_ARG(class_from), ORMA_STR_ARG(from));
    e.frame_name = orma_strpool_find(pool, orma_buf_str(&text));
    if (e.frame_name && orma_map_get(&self->by_name, e.frame_name) != ORMA_MAP_NONE) {
        orma_buf_clear(&text);
        if (to.len && !memchr(to.data, '.', to.len))
            orma_buf_printf(&text, "%.*s.", ORMA_STR_ARG(class_to));
        orma_buf_put(&text, to.data, to.len);
        e.name = orma_model_str(self->imp->model, orma_buf_str(&text));
        self->imp->model->storage->failed |= ORMA_VEC_PUSH(&self->entries, e) < 0;
    }
    self->imp->model->storage->failed |= text.failed;
    orma_buf_fini(&text);
}

static void read_class(struct names *self, struct orma_pb_reader r)
{
    struct orma_pb_reader again = r;
    struct orma_str from = {0}, to = {0};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_OBFUSCATED_CLASS_OBFUSCATED_NAME)
            from = orma_pb_str(&f);
        else if (f.id == ORMA_PB_OBFUSCATED_CLASS_DEOBFUSCATED_NAME)
            to = orma_pb_str(&f);
    }
    while (orma_pb_next(&again, &f))
        if (f.id == ORMA_PB_OBFUSCATED_CLASS_OBFUSCATED_METHODS)
            read_entry(self, from, to, orma_pb_sub(&f));
}

static void index_frames(struct names *self)
{
    const struct orma_table *t = orma_model_table(self->imp->model, ORMA_TABLE_STACK_PROFILE_FRAME);

    self->next = t->rows ? calloc(t->rows, sizeof(*self->next)) : NULL;
    if (!self->next) {
        self->imp->model->storage->failed |= t->rows > 0;
        return;
    }
    for (uint32_t i = 0; i < t->rows; i++) {
        uint32_t name = (uint32_t)orma_table_int(t, ORMA_STACK_PROFILE_FRAME_NAME, i);
        uint64_t first = orma_map_get(&self->by_name, name);

        self->next[i] = first == ORMA_MAP_NONE ? 0 : (uint32_t)first;
        self->imp->model->storage->failed |= orma_map_put(&self->by_name, name, i + 1) < 0;
    }
}

/* The first line that the symbols of a frame have. */
static bool line_of(const struct names *self, uint32_t frame, uint32_t *ret)
{
    const struct orma_table *frames =
        orma_model_table(self->imp->model, ORMA_TABLE_STACK_PROFILE_FRAME);
    const struct orma_table *t =
        orma_model_table(self->imp->model, ORMA_TABLE_STACK_PROFILE_SYMBOL);

    if (orma_table_is_null(frames, ORMA_STACK_PROFILE_FRAME_SYMBOL_SET_ID, frame))
        return false;
    int64_t set = orma_table_int(frames, ORMA_STACK_PROFILE_FRAME_SYMBOL_SET_ID, frame);
    for (uint32_t i = (uint32_t)set;
         i < t->rows && orma_table_int(t, ORMA_STACK_PROFILE_SYMBOL_SYMBOL_SET_ID, i) == set; i++)
        if (!orma_table_is_null(t, ORMA_STACK_PROFILE_SYMBOL_LINE_NUMBER, i)) {
            *ret = (uint32_t)orma_table_int(t, ORMA_STACK_PROFILE_SYMBOL_LINE_NUMBER, i);
            return true;
        }
    return false;
}

/* The entries that contain the line as symbols of the frame. False: none does. */
static bool add_chain(const struct names *self, const struct entry *entries, uint32_t num,
                      uint32_t frame, uint32_t line)
{
    struct orma_table *frames = orma_model_table(self->imp->model, ORMA_TABLE_STACK_PROFILE_FRAME);
    struct orma_table *t = orma_model_table(self->imp->model, ORMA_TABLE_STACK_PROFILE_SYMBOL);
    uint32_t set = t->rows;

    for (uint32_t i = 0; i < num; i++) {
        const struct entry *e = &entries[i];

        if ((e->has_first && line < e->first) || (e->has_last && line > e->last))
            continue;
        if (t->rows > set)
            orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_INLINED, t->rows - 1, 1);
        uint32_t row = orma_table_add(t);
        orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_SYMBOL_SET_ID, row, set);
        orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_NAME, row, e->name);
        orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_INLINED, row, 0);
        if (e->has_line)
            orma_table_set(t, ORMA_STACK_PROFILE_SYMBOL_LINE_NUMBER, row, e->line);
        orma_table_set(frames, ORMA_STACK_PROFILE_FRAME_DEOBFUSCATED_NAME, frame, e->name);
    }
    if (t->rows == set)
        return false;
    orma_table_set(frames, ORMA_STACK_PROFILE_FRAME_SYMBOL_SET_ID, frame, set);
    return true;
}

static int by_text(const void *a, const void *b)
{
    const struct orma_str *x = a, *y = b;

    return orma_str_order(*x, *y);
}

/* All names that the entries have, each once, in the order of their texts. */
static uint32_t all_names(const struct names *self, const struct entry *entries, uint32_t num)
{
    struct orma_str *texts = calloc(num, sizeof(*texts));
    struct orma_buf text = {0};

    if (!texts) {
        self->imp->model->storage->failed = true;
        return entries[0].name;
    }
    for (uint32_t i = 0; i < num; i++)
        texts[i] = orma_strpool_get(&self->imp->model->storage->pool, entries[i].name);
    qsort(texts, num, sizeof(*texts), by_text);
    for (uint32_t i = 0; i < num; i++)
        if (!i || !orma_str_eq(texts[i], texts[i - 1]))
            orma_buf_printf(&text, "%s%.*s", i ? SEPARATOR : "", ORMA_STR_ARG(texts[i]));
    free(texts);
    uint32_t id = orma_model_str(self->imp->model, orma_buf_str(&text));
    self->imp->model->storage->failed |= text.failed;
    orma_buf_fini(&text);
    return id;
}

/* The entries of one name. */
static void name_frames(struct names *self, const struct entry *entries, uint32_t num)
{
    struct orma_table *t = orma_model_table(self->imp->model, ORMA_TABLE_STACK_PROFILE_FRAME);
    uint32_t line, all = num > 1 ? all_names(self, entries, num) : entries[0].name;
    uint64_t at = orma_map_get(&self->by_name, entries[0].frame_name);

    for (; at && at != ORMA_MAP_NONE; at = self->next[at - 1]) {
        uint32_t frame = (uint32_t)at - 1;

        if (!in_package(self, frame))
            continue;
        if (num == 1 || !line_of(self, frame, &line) || !add_chain(self, entries, num, frame, line))
            orma_table_set(t, ORMA_STACK_PROFILE_FRAME_DEOBFUSCATED_NAME, frame, all);
    }
}

static int by_frame_name(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->frame_name != y->frame_name)
        return x->frame_name < y->frame_name ? -1 : 1;
    return x->nr < y->nr ? -1 : x->nr > y->nr;
}

void orma_profile_deobfuscate(struct orma_import_ctx *imp, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct names self = {.imp = imp};
    struct orma_pb_field f;

    index_frames(&self);
    while (self.next && orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_DEOBFUSCATION_MAPPING_PACKAGE_NAME && f.len)
            self.package = orma_model_str(imp->model, orma_pb_str(&f));
        else if (f.id == ORMA_PB_DEOBFUSCATION_MAPPING_OBFUSCATED_CLASSES)
            read_class(&self, orma_pb_sub(&f));
    }
    self.app = app_of_package(&self);
    if (self.entries.len)
        qsort(self.entries.data, self.entries.len, sizeof(*self.entries.data), by_frame_name);
    for (uint32_t i = 0, end; i < self.entries.len; i = end) {
        for (end = i + 1; end < self.entries.len &&
                          self.entries.data[end].frame_name == self.entries.data[i].frame_name;
             end++)
            ;
        name_frames(&self, &self.entries.data[i], end - i);
    }
    ORMA_VEC_FINI(&self.entries);
    orma_map_fini(&self.by_name);
    free(self.next);
    free(self.apps);
}
