/*
 * Profiles of Firefox, in both of their forms:
 *
 *   raw         tables are {"schema": {column: index}, "data": [[...], ...]},
 *               texts in stringTable
 *   processed   tables are {column: [...], ...},
 *               texts in stringArray of the thread or of "shared"
 *
 * column() hides the difference: it reads one column of a table as a list of values, and rows are
 * indices into these lists. Per thread the frames are named first, then the stacks become call
 * sites (a stack refers to an earlier one as its caller), then samples and markers become events
 * with a time. Samples are rows with their stack, markers slices on tracks of their own. Times are
 * in ms.
 */
#include "processor/import/formats/chrome_json.h"

#include <errno.h>
#include <stdlib.h>

#include "processor/model/async.h"
#include "processor/model/callstacks.h"
#include "sdk/base/vec.h"

/* ---- lists of values ---- */

struct list {
    struct orma_json_value *values;
    uint32_t num, cap;
};

struct gecko {
    struct orma_arena arena;
    struct orma_json_paths paths;
    struct orma_buf scratch;
    struct orma_map reported; /* places of damage: tables are read once per column */
};

/* What follows a malformed value in its container is not known: entries are known by number. */
static void report_broken(struct orma_file *file, const struct orma_json *j)
{
    struct gecko *g = file->state;
    uint64_t place = (uintptr_t)j->pos;

    if (!j->failed || orma_map_get(&g->reported, place) != ORMA_MAP_NONE)
        return;
    file->imp->model->storage->failed |= orma_map_put(&g->reported, place, 0) < 0;
    orma_file_damage(file, j->pos, ORMA_MAX((size_t)(j->end - j->pos), 1u),
                     "a malformed list in a profile");
}

static void list_read(struct orma_file *file, const struct orma_json_value *array, struct list *ret)
{
    struct orma_json inside = orma_json_inside(array);
    struct orma_json_value v;

    *ret = (struct list){0};
    while (array->type == ORMA_JSON_ARRAY && orma_json_element(&inside, &v)) {
        if (ORMA_GROW(&ret->values, &ret->cap, ret->num + (size_t)1)) {
            file->imp->model->storage->failed = true;
            return;
        }
        ret->values[ret->num++] = v;
    }
    report_broken(file, &inside);
}

/* What a profile refers to, and does not have. */
static void lacks(struct orma_file *file, const char *kind, const struct orma_json_value *v)
{
    orma_file_part(file, ORMA_ACCOUNT_DAMAGED, kind, v->raw.data);
}

static struct orma_json_value list_get(const struct list *l, int64_t idx)
{
    return idx >= 0 && idx < l->num ? l->values[idx] : (struct orma_json_value){0};
}

/* One column of a table of either form. */
static void column(struct orma_file *file, const struct orma_json_value *table, const char *name,
                   struct list *ret)
{
    struct orma_json_value schema = orma_json_find(table, "schema");
    struct orma_json_value data = orma_json_find(table, "data");
    struct orma_json_value plain = orma_json_find(table, name);
    struct list rows;

    if (schema.type != ORMA_JSON_OBJECT || data.type != ORMA_JSON_ARRAY) {
        list_read(file, &plain, ret);
        return;
    }
    struct orma_json_value at = orma_json_find(&schema, name);
    list_read(file, &data, &rows);
    for (uint32_t i = 0; i < rows.num; i++) {
        struct orma_json row = orma_json_inside(&rows.values[i]);
        struct orma_json_value v, cell = {0};

        for (int64_t n = 0; at.type == ORMA_JSON_INT && orma_json_element(&row, &v); n++)
            if (n == at.integer)
                cell = v;
        report_broken(file, &row);
        rows.values[i] = cell; /* the row is read: its place is free */
    }
    *ret = rows;
}

/* ---- a thread ---- */

struct thread {
    struct orma_import_ctx *imp;
    struct orma_file *file;
    struct list strings, categories;
    uint32_t *callsites; /* by stack */
    uint32_t stacks_num;
    uint32_t pid, tid;
};

/* What waits for its time. */
struct gecko_event {
    uint32_t pid, tid;
    uint32_t callsite; /* of a sample */
    uint32_t name, category;
    int phase;            /* < 0: a sample; else of the marker */
    int64_t end;          /* of an interval, ns */
    struct orma_str data; /* of the marker */
};

static uint32_t text(struct thread *t, const struct orma_json_value *v)
{
    struct gecko *g = t->file->state;

    return v->type == ORMA_JSON_STRING
               ? orma_model_str(t->imp->model, orma_json_text(v, &g->scratch))
               : 0;
}

static uint32_t string(struct thread *t, const struct orma_json_value *idx)
{
    struct orma_json_value v = {0};

    if (idx->type == ORMA_JSON_STRING)
        return text(t, idx);
    if (idx->type == ORMA_JSON_INT)
        v = list_get(&t->strings, idx->integer);
    if (v.type != ORMA_JSON_STRING)
        lacks(t->file, "names missing from the profile", idx);
    return text(t, &v);
}

static bool ms(const struct orma_json_value *v, int64_t *ret)
{
    double val = orma_json_number(v);

    if ((v->type != ORMA_JSON_INT && v->type != ORMA_JSON_REAL) || !(val >= 0 && val < 9e12))
        return false;
    *ret = (int64_t)(val * 1e6);
    return true;
}

/* The name of each frame. */
static uint32_t *frame_names(struct thread *t, const struct orma_json_value *thread,
                             const struct orma_json_value *shared, uint32_t *ret_num)
{
    struct orma_json_value frames = orma_json_find(thread, "frameTable");
    struct orma_json_value funcs = orma_json_find(thread, "funcTable");
    struct list locations = {0}, func = {0}, names = {0};
    bool processed;

    if (!frames.type)
        frames = orma_json_find(shared, "frameTable");
    if (!funcs.type)
        funcs = orma_json_find(shared, "funcTable");
    processed = funcs.type == ORMA_JSON_OBJECT;
    if (processed) {
        column(t->file, &frames, "func", &func);
        column(t->file, &funcs, "name", &names);
    } else {
        column(t->file, &frames, "location", &locations);
    }
    uint32_t num = processed ? func.num : locations.num;
    uint32_t *ret = calloc(num + 1, sizeof(*ret));
    for (uint32_t i = 0; ret && i < num; i++) {
        struct orma_json_value v = processed && func.values[i].type == ORMA_JSON_INT
                                       ? list_get(&names, func.values[i].integer)
                                       : list_get(&locations, i);
        ret[i] = string(t, &v);
    }
    t->imp->model->storage->failed |= !ret;
    *ret_num = ret ? num : 0;
    free(locations.values);
    free(func.values);
    free(names.values);
    return ret;
}

static void read_stacks(struct thread *t, const struct orma_json_value *thread,
                        const struct orma_json_value *shared)
{
    struct orma_json_value table = orma_json_find(thread, "stackTable");
    struct list prefixes, frames;
    uint32_t names_num;
    uint32_t *names = frame_names(t, thread, shared, &names_num);

    if (!table.type)
        table = orma_json_find(shared, "stackTable");
    column(t->file, &table, "prefix", &prefixes);
    column(t->file, &table, "frame", &frames);
    t->callsites = calloc(frames.num + 1, sizeof(*t->callsites));
    t->imp->model->storage->failed |= !t->callsites;
    for (uint32_t i = 0; t->callsites && i < frames.num; i++) {
        struct orma_json_value prefix = list_get(&prefixes, i), frame = frames.values[i];
        int64_t at = frame.type == ORMA_JSON_INT ? frame.integer : -1;
        uint32_t parent = ORMA_CALLSITE_NONE;
        struct orma_stack_frame f = {.mapping = orma_callstacks_dummy_mapping(t->imp->model, "")};

        /* Callers come before those they call. */
        if (prefix.type == ORMA_JSON_INT && prefix.integer >= 0 && prefix.integer < i)
            parent = t->callsites[prefix.integer];
        else if (prefix.type != ORMA_JSON_NULL)
            lacks(t->file, "stacks with a later caller", &prefix);
        if (at < 0 || at >= names_num)
            lacks(t->file, "stacks whose frame is not in the profile", &frame);
        f.name = at >= 0 && at < names_num ? names[at] : 0;
        t->callsites[i] = orma_callstacks_callsite(
            t->imp->model, parent, orma_callstacks_symbolized_frame(t->imp->model, &f));
    }
    t->stacks_num = t->callsites ? frames.num : 0;
    free(names);
    free(prefixes.values);
    free(frames.values);
}

static void add_event(struct thread *t, int64_t ts, const struct gecko_event *e)
{
    struct gecko *g = t->file->state;
    struct gecko_event *copy = orma_arena_alloc(&g->arena, sizeof(*copy));

    if (!copy) {
        t->imp->model->storage->failed = true;
        return;
    }
    *copy = *e;
    copy->pid = t->pid;
    copy->tid = t->tid;
    (void)orma_file_add(t->file, ts, 0, (const uint8_t *)copy, sizeof(*copy));
}

static void read_samples(struct thread *t, const struct orma_json_value *thread)
{
    struct orma_json_value table = orma_json_find(thread, "samples");
    struct list stacks, times, deltas, weights;
    int64_t ts = 0, delta;

    column(t->file, &table, "stack", &stacks);
    column(t->file, &table, "time", &times);
    column(t->file, &table, "timeDeltas", &deltas);
    column(t->file, &table, "weight", &weights);
    const uint32_t num = ORMA_MAX(stacks.num, ORMA_MAX(times.num, deltas.num));
    for (uint32_t i = 0; i < num; i++) {
        struct orma_json_value time = list_get(&times, i), stack = list_get(&stacks, i);
        struct orma_json_value weight = list_get(&weights, i);
        int64_t at = stack.type == ORMA_JSON_INT ? stack.integer : -1;

        orma_file_unit(t->file, stack.raw.data);
        if (i < deltas.num && ms(&deltas.values[i], &delta)) {
            ts += delta;
        } else if (!ms(&time, &ts)) {
            (void)orma_file_skipped(t->file, ORMA_ACCOUNT_DAMAGED, "samples without a time");
            continue;
        }
        if (stack.type == ORMA_JSON_NULL) {
            (void)orma_file_skipped(t->file, ORMA_ACCOUNT_NOT_READ, "samples without a stack");
            continue;
        }
        if (at < 0 || at >= t->stacks_num) {
            (void)orma_file_skipped(t->file, ORMA_ACCOUNT_DAMAGED,
                                    "samples whose stack is not in the profile");
            continue;
        }
        if ((weight.type == ORMA_JSON_INT || weight.type == ORMA_JSON_REAL) &&
            orma_json_number(&weight) != 1) /* a row counts as one */
            orma_file_part(t->file, ORMA_ACCOUNT_NOT_READ, "weights of samples", weight.raw.data);
        const struct gecko_event e = {.callsite = t->callsites[at], .phase = -1};
        add_event(t, ts, &e);
    }
    free(stacks.values);
    free(times.values);
    free(deltas.values);
    free(weights.values);
}

enum phase { PHASE_INSTANT, PHASE_INTERVAL, PHASE_START, PHASE_END };

static void read_markers(struct thread *t, const struct orma_json_value *thread)
{
    struct orma_json_value table = orma_json_find(thread, "markers");
    struct list names, starts, ends, phases, categories, data;

    column(t->file, &table, "name", &names);
    column(t->file, &table, "startTime", &starts);
    column(t->file, &table, "endTime", &ends);
    column(t->file, &table, "phase", &phases);
    column(t->file, &table, "category", &categories);
    column(t->file, &table, "data", &data);
    const uint32_t num = ORMA_MAX(phases.num, ORMA_MAX(names.num, starts.num));
    for (uint32_t i = 0; i < num; i++) {
        struct orma_json_value start = list_get(&starts, i), end = list_get(&ends, i);
        struct orma_json_value phase = list_get(&phases, i);
        struct orma_json_value category = list_get(&categories, i), d = list_get(&data, i);
        struct orma_json_value name = list_get(&names, i);
        struct gecko_event e = {.data = d.raw};
        int64_t ts;

        orma_file_unit(t->file, phase.raw.data);
        if (phase.type != ORMA_JSON_INT || phase.integer < 0 || phase.integer > PHASE_END) {
            (void)orma_file_skipped(t->file, ORMA_ACCOUNT_NOT_READ, "markers of an unknown phase");
            continue;
        }
        e.name = string(t, &name);
        e.phase = (int)phase.integer;
        if (d.type != ORMA_JSON_OBJECT)
            e.data = (struct orma_str){0};
        if (category.type == ORMA_JSON_INT) {
            struct orma_json_value c = list_get(&t->categories, category.integer);

            c = orma_json_find(&c, "name");
            e.category = text(t, &c);
        }
        if (!ms(e.phase == PHASE_END ? &end : &start, &ts) ||
            (e.phase == PHASE_INTERVAL && !ms(&end, &e.end))) {
            (void)orma_file_skipped(t->file, ORMA_ACCOUNT_DAMAGED, "markers without a time");
            continue;
        }
        if (e.phase == PHASE_INTERVAL) {
            e.end = orma_slice_end(
                ts, orma_model_whole((orma_json_number(&end) - orma_json_number(&start)) * 1e6));
        }
        add_event(t, ts, &e);
    }
    free(names.values);
    free(starts.values);
    free(ends.values);
    free(phases.values);
    free(categories.values);
    free(data.values);
}

/* Tables of which no row is made; one that is empty is no loss. */
static void pass_tables(struct orma_file *file, const struct orma_json_value *object,
                        const char *const *names, const char *const *kinds)
{
    for (; *names; names++, kinds++) {
        struct orma_json_value table = orma_json_find(object, *names), v;
        struct orma_json inside = orma_json_inside(&table);
        struct orma_str key;
        bool any = false;

        while (table.type == ORMA_JSON_ARRAY && orma_json_element(&inside, &v)) {
            orma_file_unit(file, v.raw.data);
            (void)orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ, *kinds);
        }
        while (table.type == ORMA_JSON_OBJECT && !any && orma_json_member(&inside, &key, &v)) {
            struct orma_json list = orma_json_inside(&v);
            struct orma_json_value first;

            any = v.type == ORMA_JSON_ARRAY && orma_json_element(&list, &first);
        }
        if (any) {
            orma_file_unit(file, table.raw.data);
            (void)orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ, *kinds);
        }
    }
}

static void pass_thread_tables(struct orma_file *file, const struct orma_json_value *thread)
{
    static const char *const names[] = {"nativeAllocations", "jsAllocations", NULL};
    static const char *const kinds[] = {"tables of native allocations", "tables of JS allocations"};

    pass_tables(file, thread, names, kinds);
}

/* Only the process that wrote it: others are left out as elsewhere, and counted. */
static void pass_profile_tables(struct orma_file *file, const struct orma_json_value *profile)
{
    static const char *const names[] = {"processes", "counters", "profilerOverhead", NULL};
    static const char *const kinds[] = {"profiles of further processes", "tables of counters",
                                        "tables of the profiler's own overhead"};

    pass_tables(file, profile, names, kinds);
}

/* A number, or a text that is one; other texts and numbers stand for one that no system gives. */
static struct orma_json_id id_of(struct thread *t, const struct orma_json_value *v)
{
    struct gecko *g = t->file->state;
    int64_t val = v->integer;

    if (v->type == ORMA_JSON_STRING && orma_str_to_i64(v->raw, &val) && val > 0 &&
        val <= UINT32_MAX)
        return (struct orma_json_id){.number = (uint32_t)val};
    return orma_json_event_number(t->imp, v, &g->scratch);
}

static void read_thread(struct orma_file *file, const struct orma_json_value *thread,
                        const struct orma_json_value *shared, const struct list *categories)
{
    struct orma_processes *p = orma_model_processes(file->imp->model, file->imp->model->base);
    struct orma_json_value strings = orma_json_find(thread, "stringTable");
    struct orma_json_value pid = orma_json_find(thread, "pid");
    struct orma_json_value tid = orma_json_find(thread, "tid");
    struct orma_json_value name = orma_json_find(thread, "name");
    struct thread t = {.imp = file->imp, .file = file, .categories = *categories};

    if (!strings.type)
        strings = orma_json_find(thread, "stringArray");
    if (!strings.type)
        strings = orma_json_find(shared, "stringArray");
    list_read(file, &strings, &t.strings);
    struct orma_json_id process = id_of(&t, &pid);
    t.pid = process.number;
    t.tid = id_of(&t, &tid).number;
    if (process.name && !process.digits) {
        t.tid = t.tid ? t.tid : t.pid; /* the only one that is known */
        orma_processes_name_process(p, orma_processes_process(p, t.pid), process.name,
                                    ORMA_PROCESS_NAME_OTHER);
    }
    uint32_t utid = orma_processes_thread_of(p, t.tid, t.pid);
    orma_processes_name_thread(p, utid, text(&t, &name), ORMA_THREAD_NAME_OTHER);
    read_stacks(&t, thread, shared);
    read_samples(&t, thread);
    read_markers(&t, thread);
    pass_thread_tables(file, thread);
    free(t.callsites);
    free(t.strings.values);
}

static void read_process(struct orma_file *file, const struct orma_json_value *profile)
{
    struct orma_json_value meta = orma_json_find(profile, "meta");
    struct orma_json_value shared = orma_json_find(profile, "shared");
    struct orma_json_value threads = orma_json_find(profile, "threads");
    struct orma_json_value names = orma_json_find(&meta, "categories"), v;
    struct list categories;

    list_read(file, &names, &categories);
    for (struct orma_json list = orma_json_inside(&threads);
         threads.type == ORMA_JSON_ARRAY && orma_json_element(&list, &v);) {
        if (v.type == ORMA_JSON_OBJECT) {
            read_thread(file, &v, &shared, &categories);
            continue;
        }
        orma_file_unit(file, v.raw.data);
        (void)orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "threads");
    }
    free(categories.values);
    pass_profile_tables(file, profile);
}

static bool is_thread(const struct orma_json_value *v)
{
    return orma_json_find(v, "samples").type == ORMA_JSON_OBJECT &&
           orma_json_find(v, "tid").type != ORMA_JSON_NONE;
}

/* Work of the search for threads, per byte of the file. */
#define SEARCH_RATIO 16
/* As much as lies between and behind threads where nothing is broken. */
#define BRACKETS 4

/* Threads that are whole somewhere in `text`. What lies between them is damage. */
static unsigned find_threads(struct orma_file *file, struct orma_str text,
                             const struct orma_json_value *shared, const struct list *categories)
{
    const char *pos = text.data, *end = pos + text.len, *from = pos, *to;
    size_t left = text.len > SIZE_MAX / SEARCH_RATIO ? SIZE_MAX : text.len * SEARCH_RATIO;
    unsigned num = 0;

    for (; (pos = memchr(pos, '{', (size_t)(end - pos))); pos = to ? to : pos + 1) {
        struct orma_json_value v;

        to = orma_json_skip(pos, end);
        if ((size_t)((to ? to : end) - pos) > left)
            break;
        left -= (size_t)((to ? to : end) - pos);
        struct orma_json j = orma_json((struct orma_str){pos, to ? (size_t)(to - pos) : 0});
        if (!to || !orma_json_read(&j, &v) || !is_thread(&v)) {
            to = NULL;
            continue;
        }
        if (pos - from > BRACKETS)
            orma_file_damage(file, from, (size_t)(pos - from), "malformed JSON");
        read_thread(file, &v, shared, categories);
        from = to;
        num++;
    }
    if (num && end - from > BRACKETS)
        orma_file_damage(file, from, (size_t)(end - from), "malformed JSON");
    return num;
}

/* A profile whose brackets don't match: gives the threads that are whole. False: there is none. */
static bool read_broken(struct orma_file *file, struct orma_str text)
{
    const char *begin = memchr(text.data, '{', text.len), *others;
    struct orma_json_value meta = {0}, shared = {0}, v;
    struct orma_str key;
    struct list categories;

    if (!begin)
        return false;
    struct orma_json j =
        orma_json((struct orma_str){begin + 1, (size_t)(text.data + text.len - begin) - 1});
    const char *done = j.pos;
    for (; orma_json_member(&j, &key, &v) && !orma_json_name_is(key, "threads"); done = j.pos) {
        if (orma_json_name_is(key, "meta"))
            meta = v;
        else if (orma_json_name_is(key, "shared"))
            shared = v;
    }
    text = (struct orma_str){done, (size_t)(text.data + text.len - done)};
    if ((others = orma_str_find(text, ORMA_STR("\"processes\":")))) {
        text.len = (size_t)(others - text.data);
        orma_file_unit(file, others);
        (void)orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ, "lists of further processes");
    }
    v = orma_json_find(&meta, "categories");
    list_read(file, &v, &categories);
    unsigned num = find_threads(file, text, &shared, &categories);
    free(categories.values);
    return num > 0;
}

static size_t gecko_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    const struct orma_str text = {(const char *)data, len};
    struct orma_json j = orma_json(text);
    struct orma_json_value profile;

    (void)at_end; /* it is read once, whole */
    if (orma_json_read(&j, &profile) && profile.type == ORMA_JSON_OBJECT)
        read_process(file, &profile);
    else if (!read_broken(file, text))
        orma_file_error(file, -EBADMSG,
                        "Failure parsing the profile's JSON: it is truncated (ERR:tp-corrupt)");
    return len;
}

/* ---- in time ---- */

/* Markers of one name have a track; those that overlap there, such as loads, have further ones. */
static uint32_t track_of(struct orma_model *m, int64_t ts, const struct gecko_event *e,
                         uint32_t utid)
{
    struct orma_track_spec spec = {
        .type = "firefox_marker",
        .event = ORMA_TRACK_SLICES,
        .machine = m->base,
        .name = e->name,
        .parent = ORMA_TRACK_NONE,
        .dims_num = 3,
        .dims = {orma_dim(m->known.utid, utid),
                 orma_dim_str(orma_model_cstr(m, "firefox_marker_category"), e->category),
                 orma_dim_str(orma_model_cstr(m, "firefox_marker_name"), e->name)},
    };
    const uint32_t track = orma_tracks_get(&m->tracks, &spec);

    if (e->phase != PHASE_INTERVAL ||
        orma_slices_overlapped(&m->slices, ts, e->end - ts, track) == ORMA_SLICE_NONE)
        return track;
    spec.type = "firefox_marker_overlapping";
    return orma_async_nest(m, &spec, ts, e->end - ts);
}

static struct orma_unit_end parse_marker(struct orma_file *file, int64_t ts,
                                         const struct gecko_event *e, uint32_t utid)
{
    struct orma_import_ctx *imp = file->imp;
    struct gecko *g = file->state;
    const uint32_t track = track_of(imp->model, ts, e, utid);
    struct orma_json j = orma_json(e->data);
    struct orma_json_value data;

    ORMA_MODEL_ARGS(args, imp->model);
    if (e->data.len && orma_json_read(&j, &data))
        orma_json_args(imp, &g->paths, ORMA_STR("data"), &data, args);
    switch (e->phase) {
    case PHASE_INSTANT:
        orma_slices_complete(&imp->model->slices, ts, 0, track, e->category, e->name, args);
        break;
    case PHASE_INTERVAL:
        orma_slices_complete(&imp->model->slices, ts, e->end - ts, track, e->category, e->name,
                             args);
        break;
    case PHASE_START:
        orma_slices_begin(&imp->model->slices, ts, track, e->category, e->name, args);
        break;
    case PHASE_END:
        if (orma_slices_end(&imp->model->slices, ts, track, e->category, e->name, args) ==
            ORMA_SLICE_NONE)
            return orma_file_skipped(file, ORMA_ACCOUNT_NO_BEGIN, "ends of slices");
        break;
    }
    return orma_file_took(file);
}

static struct orma_unit_end gecko_parse(struct orma_file *file, const struct orma_item *item)
{
    struct gecko_event e;

    memcpy(&e, item->data, sizeof(e));
    uint32_t utid = orma_processes_thread_of(
        orma_model_processes(file->imp->model, file->imp->model->base), e.tid, e.pid);
    if (e.phase >= 0)
        return parse_marker(file, item->ts, &e, utid);
    orma_callstacks_stack(file->imp->model, item->ts, "gecko", utid, e.callsite);
    return orma_file_took(file);
}

static void gecko_fini(struct orma_file *file)
{
    struct gecko *g = file->state;

    orma_arena_fini(&g->arena);
    orma_buf_fini(&g->scratch);
    orma_json_event_paths_fini(&g->paths);
    orma_map_fini(&g->reported);
}

const struct orma_format_ops orma_format_gecko = {
    .state_bytes = sizeof(struct gecko),
    .clock = ORMA_CLOCK_TRACE_FILE,
    .unit = "event",
    .whole = true,
    .read = gecko_read,
    .parse = gecko_parse,
    .fini = gecko_fini,
};
