/*
 *   callsites, frames, mappings, symbols ──► tables (all of the trace, once)
 *   weights by process and callsite ──► one Profile per process: what its stacks use
 */
#include "processor/export/profile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "processor/export/export_impl.h"
#include "protos/fields/pprof.h"
#include "sdk/base/hash.h"
#include "sdk/base/map.h"
#include "sdk/wire/pb_writer.h"

#define DEPTH_MAX 4096 /* a cycle of parents in a hostile trace ends here */
#define VALUES_MAX 4

#define CALLSITES "SELECT id, parent_id, frame_id FROM stack_profile_callsite ORDER BY id"
#define FRAMES                                                                                     \
    "SELECT f.id, coalesce(f.deobfuscated_name, f.name), f.mapping, f.rel_pc, f.symbol_set_id, "   \
    "f.name FROM stack_profile_frame f ORDER BY f.id"
#define MAPPINGS                                                                                   \
    "SELECT id, start, end, exact_offset, name, build_id FROM stack_profile_mapping ORDER BY id"
#define SYMBOLS                                                                                    \
    "SELECT symbol_set_id, name, source_file, line_number FROM stack_profile_symbol ORDER BY "     \
    "symbol_set_id, id"

struct callsite {
    int64_t parent, frame; /* -1: none */
};

struct symbol {
    int64_t set, line;
    uint64_t name, file; /* offsets in `texts` */
};

struct frame {
    int64_t mapping, rel_pc, symbols; /* symbols -1: none */
    uint64_t name, system_name;       /* offsets in `texts` */
};

struct mapping {
    int64_t start, end, offset;
    uint64_t name, build_id;
};

struct tables {
    struct orma_buf callsites, frames, mappings, symbols; /* by id, the symbols by set */
    struct orma_buf texts;                                /* ended by 0; offset 0 is "" */
};

/* One Profile in the making. */
struct builder {
    const struct tables *t;
    struct orma_buf out;                            /* the message, but for its strings */
    struct orma_buf strings;                        /* the string table, encoded */
    struct orma_map string_ids;                     /* hash → index */
    struct orma_map functions, locations, mappings; /* → id */
    uint64_t strings_num, weight;
};

/* ---- tables ---- */

static uint64_t keep_text(struct tables *t, struct orma_str s)
{
    uint64_t at = t->texts.len;

    if (!s.len)
        return 0;
    orma_buf_put(&t->texts, s.data, s.len);
    orma_buf_put_byte(&t->texts, 0);
    return at;
}

static int64_t int_or(const struct orma_export_rows *rows, unsigned col, int64_t none)
{
    return orma_export_is_null(rows, col) ? none : orma_export_int(rows, col);
}

/* Ids count up from 0 without gaps: a row's place is its id. */
static void load(struct tables *t, struct orma_export_writer *w)
{
    struct orma_export_rows rows = orma_export_rows(w, CALLSITES);

    orma_buf_put_byte(&t->texts, 0);
    while (orma_export_next(&rows)) {
        const struct callsite c = {int_or(&rows, 1, -1), int_or(&rows, 2, -1)};

        orma_buf_put(&t->callsites, &c, sizeof(c));
    }
    rows = orma_export_rows(w, FRAMES);
    while (orma_export_next(&rows)) {
        const struct frame f = {int_or(&rows, 2, -1), int_or(&rows, 3, 0), int_or(&rows, 4, -1),
                                keep_text(t, orma_export_text(&rows, 1)),
                                keep_text(t, orma_export_text(&rows, 5))};

        orma_buf_put(&t->frames, &f, sizeof(f));
    }
    rows = orma_export_rows(w, MAPPINGS);
    while (orma_export_next(&rows)) {
        const struct mapping m = {
            orma_export_int(&rows, 1), orma_export_int(&rows, 2), orma_export_int(&rows, 3),
            keep_text(t, orma_export_text(&rows, 4)), keep_text(t, orma_export_text(&rows, 5))};

        orma_buf_put(&t->mappings, &m, sizeof(m));
    }
    rows = orma_export_rows(w, SYMBOLS);
    while (orma_export_next(&rows)) {
        const struct symbol s = {orma_export_int(&rows, 0), int_or(&rows, 3, 0),
                                 keep_text(t, orma_export_text(&rows, 1)),
                                 keep_text(t, orma_export_text(&rows, 2))};

        orma_buf_put(&t->symbols, &s, sizeof(s));
    }
    if (t->callsites.failed || t->frames.failed || t->mappings.failed || t->symbols.failed ||
        t->texts.failed)
        w->err = -ENOMEM;
}

static void tables_fini(struct tables *t)
{
    orma_buf_fini(&t->callsites);
    orma_buf_fini(&t->frames);
    orma_buf_fini(&t->mappings);
    orma_buf_fini(&t->symbols);
    orma_buf_fini(&t->texts);
}

static const void *row_of(const struct orma_buf *table, int64_t id, size_t size)
{
    return id >= 0 && (uint64_t)id < table->len / size ? table->data + (size_t)id * size : NULL;
}

#define ROW(table, id, type) ((const type *)row_of(table, id, sizeof(type)))

/* The first symbol of a set: binary search. */
static const struct symbol *symbols_of(const struct tables *t, int64_t set,
                                       const struct symbol **ret_end)
{
    const struct symbol *all = (const struct symbol *)(const void *)t->symbols.data;
    size_t num = t->symbols.len / sizeof(*all), lo = 0, hi = num;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (all[mid].set < set)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (hi = lo; hi < num && all[hi].set == set; hi++)
        ;
    *ret_end = all ? all + hi : NULL;
    return all ? all + lo : NULL;
}

/* ---- one profile ---- */

static uint64_t string_id(struct builder *b, const char *text)
{
    size_t len = strlen(text);
    uint64_t hash = orma_mix64(orma_fnv1a(ORMA_FNV1A_BASIS, text, len) ^ len);
    uint64_t id = orma_map_get(&b->string_ids, hash);

    if (id != ORMA_MAP_NONE)
        return id;
    id = b->strings_num++;
    if (orma_map_put(&b->string_ids, hash, id) < 0)
        b->out.failed = true;
    orma_pb_put_bytes(&b->strings, ORMA_PB_PPROF_PROFILE_STRING_TABLE, text, len);
    return id;
}

static uint64_t text_id(struct builder *b, uint64_t text)
{
    return string_id(b, (const char *)b->t->texts.data + text);
}

/* True: it is there. False: it is new, and the caller says what it is. Ids begin at 1. */
static bool seen(struct builder *b, struct orma_map *map, uint64_t key, uint64_t *ret_id)
{
    *ret_id = orma_map_get(map, key);
    if (*ret_id != ORMA_MAP_NONE)
        return true;
    *ret_id = map->len + 1;
    if (orma_map_put(map, key, *ret_id) < 0)
        b->out.failed = true;
    return false;
}

static uint64_t mapping_id(struct builder *b, int64_t row)
{
    const struct mapping *m = ROW(&b->t->mappings, row, struct mapping);
    uint64_t id;

    if (!m)
        return 0;
    if (seen(b, &b->mappings, (uint64_t)row, &id))
        return id;
    uint64_t name = text_id(b, m->name), build_id = text_id(b, m->build_id);
    size_t begun = orma_pb_begin(&b->out, ORMA_PB_PPROF_PROFILE_MAPPING);
    orma_pb_put_u64(&b->out, ORMA_PB_PPROF_MAPPING_ID, id);
    orma_pb_put_u64(&b->out, ORMA_PB_PPROF_MAPPING_MEMORY_START, (uint64_t)m->start);
    orma_pb_put_u64(&b->out, ORMA_PB_PPROF_MAPPING_MEMORY_LIMIT, (uint64_t)m->end);
    orma_pb_put_u64(&b->out, ORMA_PB_PPROF_MAPPING_FILE_OFFSET, (uint64_t)m->offset);
    orma_pb_put_u64(&b->out, ORMA_PB_PPROF_MAPPING_FILENAME, name);
    orma_pb_put_u64(&b->out, ORMA_PB_PPROF_MAPPING_BUILD_ID, build_id);
    orma_pb_put_u64(&b->out, ORMA_PB_PPROF_MAPPING_HAS_FUNCTIONS, 1);
    orma_pb_end(&b->out, begun);
    return id;
}

static uint64_t function_id(struct builder *b, uint64_t name, uint64_t system_name, uint64_t file)
{
    uint64_t n = text_id(b, name), s = text_id(b, system_name), f = text_id(b, file), id;

    if (seen(b, &b->functions, orma_mix64(n ^ orma_mix64(s ^ orma_mix64(f))), &id))
        return id;
    size_t begun = orma_pb_begin(&b->out, ORMA_PB_PPROF_PROFILE_FUNCTION);
    orma_pb_put_u64(&b->out, ORMA_PB_PPROF_FUNCTION_ID, id);
    orma_pb_put_u64(&b->out, ORMA_PB_PPROF_FUNCTION_NAME, n);
    orma_pb_put_u64(&b->out, ORMA_PB_PPROF_FUNCTION_SYSTEM_NAME, s);
    orma_pb_put_u64(&b->out, ORMA_PB_PPROF_FUNCTION_FILENAME, f);
    orma_pb_end(&b->out, begun);
    return id;
}

static void put_line(struct builder *b, uint64_t function, int64_t line)
{
    size_t begun = orma_pb_begin(&b->out, ORMA_PB_PPROF_LOCATION_LINE);

    orma_pb_put_u64(&b->out, ORMA_PB_PPROF_LINE_FUNCTION_ID, function);
    if (line > 0)
        orma_pb_put_u64(&b->out, ORMA_PB_PPROF_LINE_LINE, (uint64_t)line);
    orma_pb_end(&b->out, begun);
}

/* Functions come before the location that names them, since messages do not interleave. */
static uint64_t location_id(struct builder *b, int64_t row)
{
    const struct frame *f = ROW(&b->t->frames, row, struct frame);
    const struct symbol *s, *end;
    uint64_t id;

    if (!f)
        return 0;
    if (seen(b, &b->locations, (uint64_t)row, &id))
        return id;
    uint64_t mapping = mapping_id(b, f->mapping);
    s = symbols_of(b->t, f->symbols, &end);
    bool symbolized = f->symbols >= 0 && s != end;
    for (const struct symbol *i = s; symbolized && i < end; i++)
        (void)function_id(b, i->name, i->name, i->file);
    uint64_t function = !symbolized && f->name ? function_id(b, f->name, f->system_name, 0) : 0;

    size_t begun = orma_pb_begin(&b->out, ORMA_PB_PPROF_PROFILE_LOCATION);
    orma_pb_put_u64(&b->out, ORMA_PB_PPROF_LOCATION_ID, id);
    if (mapping)
        orma_pb_put_u64(&b->out, ORMA_PB_PPROF_LOCATION_MAPPING_ID, mapping);
    orma_pb_put_u64(&b->out, ORMA_PB_PPROF_LOCATION_ADDRESS, (uint64_t)f->rel_pc);
    for (; symbolized && s < end; s++) /* inlined ones first, as they are stored */
        put_line(b, function_id(b, s->name, s->name, s->file), s->line);
    if (function)
        put_line(b, function, 0);
    orma_pb_end(&b->out, begun);
    return id;
}

/* Whose a sample is, and what its thread worked on: ids of texts (0: none), and numbers. */
struct labels {
    bool owner; /* the next two lines are given */
    uint64_t process, thread;
    int64_t pid, tid;
    uint64_t trace, span;
};

static void put_label(struct builder *b, uint64_t key, uint64_t text, int64_t number)
{
    size_t begun = orma_pb_begin(&b->out, ORMA_PB_PPROF_SAMPLE_LABEL);

    orma_pb_put_u64(&b->out, ORMA_PB_PPROF_LABEL_KEY, key);
    if (text)
        orma_pb_put_u64(&b->out, ORMA_PB_PPROF_LABEL_STR, text);
    else
        orma_pb_put_u64(&b->out, ORMA_PB_PPROF_LABEL_NUM, (uint64_t)number);
    orma_pb_end(&b->out, begun);
}

enum { LABEL_PROCESS, LABEL_PID, LABEL_THREAD, LABEL_TID, LABEL_TRACE, LABEL_SPAN, LABELS_NUM };

/* Before the sample begins: texts do not interleave with it. */
static void label_keys(struct builder *b, const struct labels *l, uint64_t keys[LABELS_NUM])
{
    static const char *const names[] = {"process", "pid", "thread", "tid", "trace_id", "span_id"};
    const unsigned first = l->owner ? LABEL_PROCESS : LABEL_TRACE;

    for (unsigned i = first; i < (l->trace ? (unsigned)LABELS_NUM : LABEL_TRACE); i++)
        keys[i] = string_id(b, names[i]);
}

static void put_labels(struct builder *b, const struct labels *l, const uint64_t *keys)
{
    if (l->process)
        put_label(b, keys[LABEL_PROCESS], l->process, 0);
    if (l->owner)
        put_label(b, keys[LABEL_PID], 0, l->pid);
    if (l->thread)
        put_label(b, keys[LABEL_THREAD], l->thread, 0);
    if (l->owner)
        put_label(b, keys[LABEL_TID], 0, l->tid);
    if (l->trace)
        put_label(b, keys[LABEL_TRACE], l->trace, 0);
    if (l->trace && l->span)
        put_label(b, keys[LABEL_SPAN], l->span, 0);
}

static void put_sample(struct builder *b, int64_t callsite, const int64_t *values, unsigned num,
                       const struct labels *labels)
{
    uint64_t ids[DEPTH_MAX], keys[LABELS_NUM] = {0};
    size_t depth = 0;
    const struct callsite *c;

    label_keys(b, labels, keys);
    for (; depth < DEPTH_MAX && (c = ROW(&b->t->callsites, callsite, struct callsite));
         callsite = c->parent)
        ids[depth++] = location_id(b, c->frame);
    size_t begun = orma_pb_begin(&b->out, ORMA_PB_PPROF_PROFILE_SAMPLE);
    for (size_t i = 0; i < depth; i++)
        orma_pb_put_u64(&b->out, ORMA_PB_PPROF_SAMPLE_LOCATION_ID, ids[i]);
    for (unsigned i = 0; i < num; i++)
        orma_pb_put_u64(&b->out, ORMA_PB_PPROF_SAMPLE_VALUE, (uint64_t)values[i]);
    put_labels(b, labels, keys);
    orma_pb_end(&b->out, begun);
}

struct value_type {
    const char *type, *unit;
};

static void put_value_type(struct builder *b, uint32_t field, const struct value_type *v)
{
    uint64_t type = string_id(b, v->type), unit = string_id(b, v->unit);
    size_t begun = orma_pb_begin(&b->out, field);

    orma_pb_put_u64(&b->out, ORMA_PB_PPROF_VALUE_TYPE_TYPE, type);
    orma_pb_put_u64(&b->out, ORMA_PB_PPROF_VALUE_TYPE_UNIT, unit);
    orma_pb_end(&b->out, begun);
}

static void begin(struct builder *b, const struct tables *t, const struct value_type *types,
                  unsigned num, unsigned by_default)
{
    *b = (struct builder){.t = t};
    (void)string_id(b, ""); /* the format wants it first */
    for (unsigned i = 0; i < num; i++)
        put_value_type(b, ORMA_PB_PPROF_PROFILE_SAMPLE_TYPE, &types[i]);
    orma_pb_put_u64(&b->out, ORMA_PB_PPROF_PROFILE_DEFAULT_SAMPLE_TYPE,
                    string_id(b, types[by_default].type));
}

static void builder_fini(struct builder *b)
{
    orma_buf_fini(&b->out);
    orma_buf_fini(&b->strings);
    orma_map_fini(&b->string_ids);
    orma_map_fini(&b->functions);
    orma_map_fini(&b->locations);
    orma_map_fini(&b->mappings);
}

static int end(struct builder *b, struct orma_profile_export *self, struct orma_profile *profile)
{
    int r;

    orma_buf_put(&b->out, b->strings.data, b->strings.len);
    if (b->out.failed || b->strings.failed) {
        r = -ENOMEM;
    } else {
        profile->bytes = orma_buf_str(&b->out);
        profile->weight = b->weight;
        r = self->emit(self->ctx, profile);
        self->written += r >= 0;
    }
    builder_fini(b);
    return r;
}

/* ---- kinds ---- */

struct kind {
    enum orma_profile_kind kind;
    struct value_type types[VALUES_MAX];
    unsigned types_num, by_default;
    const char *unit; /* of the value by default, in words */
    /* Rows: process, pid, heap, callsite, values; a profile's rows are neighbours. */
    const char *sql, *group;
    /* The same for one profile of all: process, pid, thread, tid at the end. NULL: none. */
    const char *one_sql, *one_group;
    unsigned columns; /* of values, used or not; those of samples have trace id and span id behind */
};

#define FROM_SAMPLES                                                                               \
    "FROM stack_sample s LEFT JOIN _orma_sample_time o ON o.id = s.id "                            \
    "LEFT JOIN _orma_sample_weight w ON w.id = s.id "                                              \
    "LEFT JOIN _orma_sample_context x ON x.id = s.id "                                             \
    "JOIN __intrinsic_profiler_task_context c ON c.id = s.task_context_id "                        \
    "JOIN thread t ON t.utid = c.utid LEFT JOIN process p ON p.upid = t.upid "                     \
    "WHERE s.callsite_id IS NOT NULL"

static const struct kind kinds[] = {
    {ORMA_PROFILE_PERF,
     {{"samples", "count"}},
     1,
     0,
     "samples",
     "SELECT coalesce(t.upid, -t.utid), coalesce(p.pid, t.tid), '', s.callsite_id, count(*), "
     "sum(coalesce(o.ns, w.weight, 1)), x.trace_id, x.span_id " FROM_SAMPLES,
     " GROUP BY 1, 4, 7, 8 ORDER BY 1, 4, 7, 8",
     "SELECT 0, 0, '', s.callsite_id, count(*), sum(coalesce(o.ns, w.weight, 1)), x.trace_id, "
     "x.span_id, p.name, coalesce(p.pid, t.tid), t.name, t.tid " FROM_SAMPLES,
     " GROUP BY 4, t.utid, 7, 8 ORDER BY t.utid, 4, 7, 8",
     2},
    {ORMA_PROFILE_ALLOC,
     {{"Total malloc count", "count"},
      {"Total malloc size", "bytes"},
      {"Unreleased malloc count", "count"},
      {"Unreleased malloc size", "bytes"}},
     4,
     3,
     "bytes not freed",
     "SELECT s.upid, p.pid, s.heap_name, s.callsite_id, sum(max(s.count, 0)), "
     "sum(max(s.size, 0)), sum(s.count), sum(s.size) "
     "FROM heap_profile_allocation s JOIN process p USING (upid) "
     "WHERE s.callsite_id IS NOT NULL",
     " GROUP BY 1, 3, 4 ORDER BY 1, 3, 4",
     NULL,
     NULL,
     4},
    /* Their types are in the rows, the unit behind the value. */
    {ORMA_PROFILE_SUMS,
     {{"", ""}},
     1,
     0,
     "",
     "SELECT p.id, 0, p.sample_type_type, s.callsite_id, sum(s.value), p.sample_type_unit "
     "FROM __intrinsic_aggregate_sample s "
     "JOIN __intrinsic_aggregate_profile p ON p.id = s.aggregate_profile_id "
     "WHERE s.callsite_id IS NOT NULL",
     " GROUP BY 1, 4 ORDER BY 1, 4",
     NULL,
     NULL,
     1},
};

/* How many samples there are, and how many that say which time they stand for, or have events that
 * went by; of which kinds these are. */
static const char weights_sql[] =
    "SELECT count(*), count(o.id), count(w.id), total(o.ns) > 0, "
    "(SELECT iif(min(k.name) = max(k.name), min(k.name), NULL) FROM stack_sample_counter_track k "
    "WHERE k.is_timebase) " FROM_SAMPLES;

static void put_choice(struct orma_buf *sql, const struct orma_profile_export *self)
{
    if (self->pid)
        orma_buf_printf(sql, " AND p.pid = %lld", (long long)self->pid);
    if (self->from_ns || self->to_ns)
        orma_buf_printf(sql, " AND s.ts >= %lld AND s.ts < %lld", (long long)self->from_ns,
                        (long long)self->to_ns);
}

static void put_sql(struct orma_buf *sql, const struct orma_profile_export *self,
                    const struct kind *kind)
{
    bool in_one = self->in_one && kind->one_sql;

    orma_buf_put_str(sql, in_one ? kind->one_sql : kind->sql);
    put_choice(sql, self);
    orma_buf_put_str(sql, in_one ? kind->one_group : kind->group);
}

/*
 * The second value of samples: their weights, as flame graphs and collapsed lines show them. Those
 * of several kinds cannot be added up, so that samples are counted there. `name` keeps theirs.
 */
static void weigh(const struct orma_profile_export *self, struct orma_export_writer *w,
                  struct kind *kind, struct orma_buf *name)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    struct orma_export_rows rows = orma_export_rows(w, "INCLUDE PERFETTO MODULE orma.frames");

    while (orma_export_next(&rows))
        ;
    orma_buf_put_str(&sql, weights_sql);
    put_choice(&sql, self);
    for (rows = orma_export_rows(w, orma_buf_cstr(&sql)); orma_export_next(&rows);) {
        const int64_t all = orma_export_int(&rows, 0), timed = orma_export_int(&rows, 1);
        struct orma_str event = orma_export_text(&rows, 4);

        if (timed == all && orma_export_int(&rows, 3)) {
            kind->types[1] = (struct value_type){"time", "nanoseconds"};
            kind->unit = "ns";
        } else if (!timed && orma_export_int(&rows, 2) && event.len) {
            orma_buf_put(name, event.data, event.len);
            kind->types[1] = (struct value_type){orma_buf_cstr(name), "count"};
            kind->unit = kind->types[1].type;
        } else {
            continue;
        }
        kind->types_num = 2;
        kind->by_default = 1;
    }
}

/* 0 for an empty text, and for none. */
static uint64_t label_text(struct builder *b, const struct orma_export_rows *rows, unsigned col)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    struct orma_str given = orma_export_text(rows, col);

    orma_buf_put(&text, given.data, given.len);
    return text.len ? string_id(b, orma_buf_cstr(&text)) : 0;
}

static struct labels labels_of(struct builder *b, const struct orma_export_rows *rows,
                               unsigned from, bool owner)
{
    struct labels l = {.owner = owner};

    l.trace = label_text(b, rows, from);
    l.span = label_text(b, rows, from + 1);
    if (owner) {
        l.process = label_text(b, rows, from + 2);
        l.pid = orma_export_int(rows, from + 3);
        l.thread = label_text(b, rows, from + 4);
        l.tid = orma_export_int(rows, from + 5);
    }
    return l;
}

/* The row's values. False: one is no integer of 64 bits. */
static bool read_values(const struct kind *kind, const struct orma_export_rows *rows,
                        int64_t *values)
{
    if (kind->kind == ORMA_PROFILE_SUMS) {
        const double sum = orma_query_double(rows->query, 4);

        values[0] = fabs(sum) < 9e18 ? llround(sum) : 0;
        return fabs(sum) < 9e18;
    }
    for (unsigned i = 0; i < kind->types_num; i++)
        values[i] = orma_export_int(rows, 4 + i);
    return true;
}

/* A Profile begins with the row. Texts of the row stay in the buffers. */
static void open_profile(const struct orma_profile_export *self, const struct tables *t,
                         const struct kind *kind, const struct orma_export_rows *rows,
                         struct orma_buf texts[2], struct builder *b, struct orma_profile *ret)
{
    struct value_type type = kind->types[0];

    for (unsigned i = 0; i < 2; i++) {
        const struct orma_str text = orma_export_text(rows, i ? 5 : 2);

        orma_buf_clear(&texts[i]);
        if (i == 0 || kind->kind == ORMA_PROFILE_SUMS)
            orma_buf_put(&texts[i], text.data, text.len);
    }
    *ret = (struct orma_profile){.kind = kind->kind,
                                 .pid = orma_export_int(rows, 1),
                                 .heap = orma_buf_cstr(&texts[0]),
                                 .unit = kind->unit,
                                 .in_one = self->in_one && kind->one_sql};
    if (kind->kind == ORMA_PROFILE_SUMS) {
        type = (struct value_type){ret->heap, orma_buf_cstr(&texts[1])};
        ret->unit = *type.unit ? type.unit : "count";
    }
    begin(b, t, kind->kind == ORMA_PROFILE_SUMS ? &type : kind->types, kind->types_num,
          kind->by_default);
}

static int export_kind(struct orma_profile_export *self, struct orma_export_writer *w,
                       const struct tables *t, const struct kind *kind)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    struct orma_buf texts[2] = {{0}};
    struct builder b = {0};
    struct orma_profile profile = {0};
    int64_t values[VALUES_MAX], process = 0;
    bool open = false;
    int r = 0;

    put_sql(&sql, self, kind);
    struct orma_export_rows rows = orma_export_rows(w, orma_buf_cstr(&sql));
    while (r >= 0 && orma_export_next(&rows)) {
        if (open && (orma_export_int(&rows, 0) != process ||
                     !orma_str_eq(orma_export_text(&rows, 2), orma_buf_str(&texts[0])))) {
            r = end(&b, self, &profile);
            open = false;
        }
        if (r < 0)
            break;
        if (!open) {
            process = orma_export_int(&rows, 0);
            open_profile(self, t, kind, &rows, texts, &b, &profile);
            open = true;
        }
        if (!read_values(kind, &rows, values)) {
            self->left_out++;
            continue;
        }
        b.weight += (uint64_t)values[kind->by_default];
        struct labels labels = {0};
        if (kind->kind == ORMA_PROFILE_PERF)
            labels = labels_of(&b, &rows, 4 + kind->columns, self->in_one);
        put_sample(&b, orma_export_int(&rows, 3), values, kind->types_num, &labels);
    }
    if (open && r >= 0 && !w->err)
        r = end(&b, self, &profile);
    else if (open)
        builder_fini(&b);
    orma_query_free(rows.query);
    orma_buf_fini(&texts[0]);
    orma_buf_fini(&texts[1]);
    return r < 0 ? r : w->err;
}

/* Sums have neither processes nor times. */
static bool is_wanted(const struct orma_profile_export *self, const struct kind *kind)
{
    if (kind->kind == ORMA_PROFILE_SUMS)
        return self->kind == ORMA_PROFILE_ANY && !self->in_one && !self->pid && !self->from_ns &&
               !self->to_ns;
    return self->kind == ORMA_PROFILE_ANY || self->kind == kind->kind;
}

int orma_export_profiles(struct orma_profile_export *self)
{
    struct orma_export rows = {.tp = self->tp};
    struct orma_export_writer w = {.self = &rows};
    struct tables t = {0};
    int r;

    self->written = 0;
    self->left_out = 0;
    load(&t, &w);
    r = w.err;
    for (size_t i = 0; r >= 0 && i < ORMA_ARRAY_LEN(kinds); i++) {
        ORMA_AUTO(orma_buf_fini) struct orma_buf name = {0};
        struct kind kind = kinds[i];

        if (!is_wanted(self, &kind))
            continue;
        if (kind.kind == ORMA_PROFILE_PERF)
            weigh(self, &w, &kind, &name);
        r = w.err ? w.err : export_kind(self, &w, &t, &kind);
    }
    tables_fini(&t);
    int failed = orma_export_fini(&w);
    return r < 0 ? r : failed;
}
