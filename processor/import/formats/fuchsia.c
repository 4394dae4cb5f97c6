/*
 * Traces of Fuchsia: records of 64-bit words.
 *
 * The first word of a record has its type and its size in words. Texts and threads are
 * mostly numbers of entries that earlier records of the same provider made, so references are
 * resolved while the file is read, and what has a timestamp waits in the sorter as a
 * `struct event`. After damage the next record is where several plausible ones follow each other.
 */
#include <errno.h>

#include "processor/import/core/ports.h"
#include "processor/import/formats/formats.h"
#include "processor/model/async.h"
#include "processor/model/flows.h"
#include "processor/model/sched.h"

#define NS_PER_S 1000000000u
#define WORD 8
#define INLINE_TEXT 0x8000u
#define ARGS_MAX 15
/* Priority of the thread that runs when nothing else does. */
#define IDLE_WEIGHT INT32_MIN

enum {
    META,
    INIT,
    STRING,
    THREAD,
    EVENT,
    BLOB,
    USER_OBJECT,
    KERNEL_OBJECT,
    SCHEDULING,
    LOG,
    LARGE = 15
};
enum { META_PROVIDER_INFO = 1, META_PROVIDER_SECTION = 2, META_PROVIDER_EVENT = 3, META_LAST = 4 };
/* Behind damage, so many records must follow each other to be believed. */
#define CHAIN 4
enum {
    INSTANT,
    COUNTER,
    BEGIN,
    END,
    COMPLETE,
    ASYNC_BEGIN,
    ASYNC_INSTANT,
    ASYNC_END,
    FLOW_BEGIN,
    FLOW_STEP,
    FLOW_END,
    EVENTS_NUM,
    /* ours */
    SWITCH = EVENTS_NUM,
    WAKEUP,
};
enum {
    ARG_NULL,
    ARG_I32,
    ARG_U32,
    ARG_I64,
    ARG_U64,
    ARG_DOUBLE,
    ARG_STRING,
    ARG_POINTER,
    ARG_KOID,
    ARG_BOOL
};
enum { OBJECT_PROCESS = 1, OBJECT_THREAD = 2 };

struct fuchsia {
    uint64_t ticks_per_s;
    uint32_t provider;
    struct orma_map strings;            /* provider << 16 | number → pool id */
    struct orma_map processes, threads; /* provider << 8 | number → koid */
    struct orma_map process_of;         /* koid of a thread → that of its process */
    struct orma_arena arena;
    uint32_t running[ORMA_CPUS_MAX]; /* row of sched_slice + 1 */
};

struct event {
    uint8_t kind;
    uint8_t state; /* SWITCH: how the thread went off */
    bool from_idle, to_idle;
    uint32_t process, thread; /* koids; SWITCH: `other` comes after `thread` */
    uint32_t other, cpu;
    int32_t weight;
    uint32_t category, name;
    uint64_t data; /* end, counter id, correlation id */
    uint32_t args_num;
    struct orma_args_item args[];
};

/* A record while it is read. */
struct record {
    const uint8_t *pos, *end;
    uint64_t head;
    bool bad;
};

static uint64_t word_at(const uint8_t *at)
{
    uint64_t val;

    memcpy(&val, at, sizeof(val));
    return val;
}

static uint64_t next_word(struct record *r)
{
    if (r->end - r->pos < WORD) {
        r->bad = true;
        return 0;
    }
    r->pos += WORD;
    return word_at(r->pos - WORD);
}

static uint32_t bits(uint64_t word, unsigned from, unsigned num)
{
    return (uint32_t)(word >> from & ((1ull << num) - 1));
}

static struct orma_str next_text(struct record *r, size_t len)
{
    size_t padded = (len + WORD - 1) / WORD * WORD;
    struct orma_str ret = {(const char *)r->pos, len};

    if ((size_t)(r->end - r->pos) < padded) {
        r->bad = true;
        return (struct orma_str){"", 0};
    }
    r->pos += padded;
    return ret;
}

static void count(struct orma_file *file, enum orma_stat stat)
{
    orma_stats_inc(orma_model_stats(file->imp->model, file->imp->model->base), stat);
}

static void put(struct orma_file *file, struct orma_map *map, uint64_t key, uint64_t val)
{
    file->imp->model->storage->failed |= orma_map_put(map, key, val) < 0;
}

/* The text that a reference of 16 bits means, as pool id; 0 is none. */
static uint32_t text_of(struct orma_file *file, struct record *r, uint32_t ref)
{
    struct fuchsia *s = file->state;

    if (!ref)
        return ORMA_STR_EMPTY;
    if (ref & INLINE_TEXT)
        return orma_model_str(file->imp->model, next_text(r, ref & ~INLINE_TEXT));
    uint64_t id = orma_map_get(&s->strings, (uint64_t)s->provider << 16 | ref);
    if (id != ORMA_MAP_NONE)
        return (uint32_t)id;
    count(file, ORMA_STAT_FUCHSIA_INVALID_STRING_REF);
    return ORMA_STR_EMPTY;
}

/* The id of a process or thread. */
static uint32_t next_koid(struct orma_file *file, struct record *r)
{
    uint64_t koid = next_word(r);

    if (koid > UINT32_MAX)
        orma_file_part(file, ORMA_ACCOUNT_NOT_READ, "ids of more than 32 bits", r->pos - WORD);
    return (uint32_t)koid;
}

static void thread_of(struct orma_file *file, struct record *r, uint32_t ref, struct event *e)
{
    struct fuchsia *s = file->state;
    uint64_t key = (uint64_t)s->provider << 8 | ref;

    if (!ref) {
        e->process = next_koid(file, r);
        e->thread = next_koid(file, r);
        return;
    }
    uint64_t process = orma_map_get(&s->processes, key), thread = orma_map_get(&s->threads, key);
    if (thread == ORMA_MAP_NONE)
        orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "threads of events that no record defines",
                       r->pos);
    e->process = process == ORMA_MAP_NONE ? 0 : (uint32_t)process;
    e->thread = thread == ORMA_MAP_NONE ? 0 : (uint32_t)thread;
}

/* Ticks as nanoseconds. False: too many, which is counted. */
static bool to_ns(struct orma_file *file, uint64_t ticks, int64_t *ret)
{
    const struct fuchsia *s = file->state;
    uint64_t seconds = ticks / s->ticks_per_s, rest = ticks % s->ticks_per_s, ns;

    if (s->ticks_per_s <= UINT64_MAX / NS_PER_S &&
        !__builtin_mul_overflow(seconds, (uint64_t)NS_PER_S, &ns) &&
        !__builtin_add_overflow(ns, rest * NS_PER_S / s->ticks_per_s, &ns) && ns <= INT64_MAX) {
        *ret = (int64_t)ns;
        return true;
    }
    count(file, ORMA_STAT_FUCHSIA_TIMESTAMP_OVERFLOW);
    return false;
}

/* ---- args ---- */

static bool read_arg(struct orma_file *file, struct record *r, struct orma_args_item *ret)
{
    const uint8_t *begun = r->pos;
    uint64_t head = next_word(r), size = bits(head, 4, 12);

    if (r->bad || !size || size > (uint64_t)(r->end - begun) / WORD) {
        r->bad = true;
        return false;
    }
    struct record in = {r->pos, begun + size * WORD, head, false};
    r->pos = in.end;
    uint32_t name = text_of(file, &in, bits(head, 16, 16));
    *ret = (struct orma_args_item){name, name, ORMA_ARG_INT, false, {.i = 0}};
    switch (bits(head, 0, 4)) {
    case ARG_NULL:
        ret->type = ORMA_ARG_NULL;
        break;
    case ARG_I32:
        ret->i = (int32_t)(head >> 32);
        break;
    case ARG_U32:
        ret->type = ORMA_ARG_UINT;
        ret->i = (int64_t)(head >> 32);
        break;
    case ARG_I64:
        ret->i = (int64_t)next_word(&in);
        break;
    case ARG_U64:
    case ARG_KOID:
        ret->type = ORMA_ARG_UINT;
        ret->i = (int64_t)next_word(&in);
        break;
    case ARG_DOUBLE: {
        uint64_t raw = next_word(&in);

        ret->type = ORMA_ARG_REAL;
        memcpy(&ret->d, &raw, sizeof(raw));
        break;
    }
    case ARG_STRING:
        ret->type = ORMA_ARG_STRING;
        ret->str = text_of(file, &in, bits(head, 32, 16));
        break;
    case ARG_POINTER:
        ret->type = ORMA_ARG_POINTER;
        ret->i = (int64_t)next_word(&in);
        break;
    case ARG_BOOL:
        ret->type = ORMA_ARG_BOOL;
        ret->i = head >> 32 & 1;
        break;
    default:
        count(file, ORMA_STAT_FUCHSIA_INVALID_EVENT_ARG_TYPE);
        return false;
    }
    r->bad |= in.bad;
    return !in.bad;
}

static uint32_t read_args(struct orma_file *file, struct record *r, uint32_t num,
                          struct orma_args_item *ret)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < num && !r->bad; i++)
        n += read_arg(file, r, &ret[n]);
    return n;
}

/* ---- records ---- */

static struct orma_unit_end keep(struct orma_file *file, int64_t ts, const struct event *e,
                                 const struct orma_args_item *args)
{
    struct fuchsia *s = file->state;
    size_t size = sizeof(*e) + e->args_num * sizeof(*args);
    struct event *kept = orma_arena_alloc(&s->arena, size);

    if (!kept) {
        file->imp->model->storage->failed = true;
        return orma_file_skipped(file, ORMA_ACCOUNT_NO_WORD, "records"); /* memory is out */
    }
    *kept = *e;
    if (args && e->args_num)
        memcpy(kept->args, args, e->args_num * sizeof(*args));
    return orma_file_add(file, ts, 0, (const uint8_t *)kept, size);
}

/* Of a record that is whole, and says what can't be. */
static struct orma_unit_end broken(struct orma_file *file)
{
    return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "records");
}

static struct orma_unit_end read_event(struct orma_file *file, struct record *r)
{
    struct event e = {.kind = (uint8_t)bits(r->head, 16, 4)};
    struct orma_args_item args[ARGS_MAX];
    uint64_t ticks = next_word(r);
    int64_t ts, end;

    thread_of(file, r, bits(r->head, 24, 8), &e);
    e.category = text_of(file, r, bits(r->head, 32, 16));
    e.name = text_of(file, r, bits(r->head, 48, 16));
    e.args_num = read_args(file, r, bits(r->head, 20, 4), args);
    if (e.kind >= EVENTS_NUM) {
        count(file, ORMA_STAT_FUCHSIA_INVALID_EVENT);
        return orma_file_skippedf(file, ORMA_ACCOUNT_NOT_READ, "events of type %u", e.kind);
    }
    if (e.kind != INSTANT && e.kind != BEGIN && e.kind != END)
        e.data = next_word(r);
    if (r->bad || !to_ns(file, ticks, &ts))
        return broken(file);
    if (e.kind == COMPLETE) {
        if (!to_ns(file, e.data, &end))
            return broken(file);
        if (end < ts) {
            count(file, ORMA_STAT_FUCHSIA_TIMESTAMP_OVERFLOW);
            return broken(file);
        }
        e.data = (uint64_t)end;
    }
    return keep(file, ts, &e, args);
}

/* The outgoing and incoming thread of a cpu: all in the first word, or in the words behind it. */
static struct orma_unit_end read_old_switch(struct orma_file *file, struct record *r)
{
    struct event e = {.kind = SWITCH,
                      .cpu = bits(r->head, 16, 8),
                      .state = (uint8_t)bits(r->head, 24, 4),
                      .weight = (int32_t)bits(r->head, 52, 8),
                      .from_idle = !bits(r->head, 44, 8),
                      .to_idle = !bits(r->head, 52, 8)};
    struct event in = e;
    uint64_t ticks = next_word(r);
    int64_t ts;

    thread_of(file, r, bits(r->head, 28, 8), &e);
    thread_of(file, r, bits(r->head, 36, 8), &in);
    e.other = in.thread;
    return !r->bad && to_ns(file, ticks, &ts) ? keep(file, ts, &e, NULL) : broken(file);
}

static const struct orma_args_item *
find_arg(struct orma_file *file, const struct orma_args_item *args, uint32_t num, const char *name)
{
    uint32_t key = orma_model_cstr(file->imp->model, name);

    for (uint32_t i = 0; i < num; i++)
        if (args[i].key == key)
            return &args[i];
    return NULL;
}

static struct orma_unit_end read_scheduling(struct orma_file *file, struct record *r)
{
    uint32_t type = bits(r->head, 60, 4), num;
    struct event e = {.kind = type == 1 ? SWITCH : WAKEUP,
                      .cpu = bits(r->head, 20, 16),
                      .state = (uint8_t)bits(r->head, 36, 4)};
    struct orma_args_item args[ARGS_MAX];
    const struct orma_args_item *weight;
    int64_t ts;

    if (!type)
        return read_old_switch(file, r);
    if (type > 2)
        return orma_file_skippedf(file, ORMA_ACCOUNT_NOT_READ, "scheduling records of type %u",
                                  type);
    uint64_t ticks = next_word(r);
    e.thread = next_koid(file, r);
    if (type == 1)
        e.other = next_koid(file, r);
    num = read_args(file, r, bits(r->head, 16, 4), args);
    if ((weight = find_arg(file, args, num, "incoming_weight"))) {
        e.weight = (int32_t)weight->i;
        e.to_idle = weight->i == IDLE_WEIGHT;
    }
    if ((weight = find_arg(file, args, num, "outgoing_weight")))
        e.from_idle = weight->i == IDLE_WEIGHT;
    if (e.kind == SWITCH && e.cpu >= ORMA_CPUS_MAX)
        return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED,
                                 "records of switches on impossible CPUs");
    return !r->bad && to_ns(file, ticks, &ts) ? keep(file, ts, &e, NULL) : broken(file);
}

static struct orma_unit_end read_object(struct orma_file *file, struct record *r)
{
    struct orma_processes *procs = orma_model_processes(file->imp->model, file->imp->model->base);
    struct fuchsia *s = file->state;
    uint32_t koid = next_koid(file, r), type = bits(r->head, 16, 8);
    uint32_t name = text_of(file, r, bits(r->head, 24, 16));
    struct orma_args_item args[ARGS_MAX];
    uint32_t num = read_args(file, r, bits(r->head, 40, 4), args);
    const struct orma_args_item *process = find_arg(file, args, num, "process");

    if (r->bad)
        return broken(file);
    if (type == OBJECT_PROCESS) {
        orma_processes_name_process(procs, orma_processes_bare_process(procs, koid), name,
                                    ORMA_PROCESS_NAME_SYSTEM);
    } else if (type == OBJECT_THREAD) {
        uint32_t utid = orma_processes_thread(procs, koid);

        if (process) {
            put(file, &s->process_of, koid, (uint32_t)process->i);
            orma_processes_attach(procs, utid,
                                  orma_processes_bare_process(procs, (uint32_t)process->i), false);
        }
        orma_processes_name_thread(procs, utid, name, ORMA_THREAD_NAME_TREE);
    } else {
        return orma_file_skippedf(file, ORMA_ACCOUNT_NOT_READ, "kernel objects of type %u", type);
    }
    return orma_file_took(file);
}

/* Of records that nothing shows. */
static struct orma_unit_end unread(struct orma_file *file, unsigned type)
{
    static const char *const names[] = {[BLOB] = "records of blobs",
                                        [USER_OBJECT] = "records of user objects",
                                        [LOG] = "records of logs",
                                        [LARGE] = "large records"};

    return type < ORMA_ARRAY_LEN(names) && names[type]
               ? orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ, names[type])
               : orma_file_skippedf(file, ORMA_ACCOUNT_NOT_READ, "records of type %u", type);
}

static struct orma_unit_end read_record(struct orma_file *file, struct record *r)
{
    struct fuchsia *s = file->state;
    uint64_t key;

    switch (bits(r->head, 0, 4)) {
    case META:
        if (bits(r->head, 16, 4) == META_PROVIDER_INFO ||
            bits(r->head, 16, 4) == META_PROVIDER_SECTION)
            s->provider = (uint32_t)(r->head >> 20);
        if (bits(r->head, 16, 4) == META_PROVIDER_EVENT && !bits(r->head, 52, 4))
            return orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ,
                                     "records of full buffers, which lost other records,");
        break;
    case INIT:
        s->ticks_per_s = next_word(r);
        r->bad |= !s->ticks_per_s;
        s->ticks_per_s = s->ticks_per_s ? s->ticks_per_s : NS_PER_S;
        break;
    case STRING:
        key = (uint64_t)s->provider << 16 | bits(r->head, 16, 15);
        put(file, &s->strings, key,
            orma_model_str(file->imp->model, next_text(r, bits(r->head, 32, 15))));
        break;
    case THREAD:
        key = (uint64_t)s->provider << 8 | bits(r->head, 16, 8);
        put(file, &s->processes, key, next_koid(file, r));
        put(file, &s->threads, key, next_koid(file, r));
        break;
    case EVENT:
        return read_event(file, r);
    case KERNEL_OBJECT:
        return read_object(file, r);
    case SCHEDULING:
        return read_scheduling(file, r);
    default:
        return unread(file, bits(r->head, 0, 4));
    }
    return r->bad ? broken(file) : orma_file_took(file);
}

/* Large blobs have more bits for their size. */
static size_t size_of(uint64_t head)
{
    return WORD * (size_t)(bits(head, 0, 4) == LARGE ? bits(head, 4, 32) : bits(head, 4, 12));
}

/* Whether a writer would begin a record so. */
static bool is_likely(uint64_t head)
{
    size_t words = size_of(head) / WORD;

    switch (bits(head, 0, 4)) {
    case META:
        return words > 0 && bits(head, 16, 4) > 0 && bits(head, 16, 4) <= META_LAST;
    case INIT:
        return words == 2;
    case STRING:
        return words == 1 + (bits(head, 32, 15) + WORD - 1) / WORD && bits(head, 16, 15) &&
               !bits(head, 47, 17);
    case THREAD:
        return words == 3 && bits(head, 16, 8);
    case EVENT:
        return words >= 2 + bits(head, 20, 4) && bits(head, 16, 4) < EVENTS_NUM;
    case SCHEDULING:
        return words >= 3 && bits(head, 60, 4) <= 2;
    case BLOB:
    case USER_OBJECT:
    case KERNEL_OBJECT:
    case LOG:
    case LARGE:
        return words >= 2;
    }
    return false;
}

/* Whether records lie here: CHAIN of them, one behind the other, or up to the end. */
static bool is_chain(const uint8_t *pos, const uint8_t *end)
{
    for (unsigned i = 0; i < CHAIN; i++) {
        if (pos == end)
            return i > 0;
        if (end - pos < WORD || !is_likely(word_at(pos)) ||
            size_of(word_at(pos)) > (size_t)(end - pos))
            return false;
        pos += size_of(word_at(pos));
    }
    return true;
}

/* The record at `pos` is broken and none follows it: goes to the next one, or to the end. */
static const uint8_t *skip_damage(struct orma_file *file, const uint8_t *pos, const uint8_t *end)
{
    const uint8_t *at = pos + 1;
    size_t size = size_of(word_at(pos));

    count(file, ORMA_STAT_FUCHSIA_RECORD_READ_ERROR);
    while (end - at >= WORD && !is_chain(at, end))
        at++;
    if (end - at >= WORD) {
        orma_file_damage(file, pos, (size_t)(at - pos), "a Fuchsia record is malformed");
        return at;
    }
    if (size > (size_t)(end - pos) && is_likely(word_at(pos)))
        orma_file_truncated(file, (uint64_t)(end - pos));
    else
        orma_file_damage(file, pos, (size_t)(end - pos), "a Fuchsia record is malformed");
    return end;
}

static size_t fuchsia_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct fuchsia *s = file->state;
    const uint8_t *pos = data, *end = data + len;
    bool any = false;

    (void)at_end; /* it is read once, whole */
    s->ticks_per_s = NS_PER_S;
    while (end - pos >= WORD && !orma_file_failed(file)) {
        struct record r = {.pos = pos + WORD, .head = word_at(pos)};
        size_t size = size_of(r.head);

        if (!size || size > (size_t)(end - pos)) {
            pos = skip_damage(file, pos, end);
            if (pos == end && !size && !any)
                orma_file_error(
                    file, -EBADMSG,
                    "the Fuchsia trace is corrupt: a record has size 0 (ERR:tp-corrupt)");
            continue;
        }
        r.end = pos + size;
        orma_file_unit(file, pos);
        (void)read_record(file, &r);
        any |= !r.bad;
        if (r.bad && r.end < end && !is_chain(r.end, end)) {
            pos = skip_damage(file, pos, end);
            continue;
        }
        if (r.bad) {
            count(file, ORMA_STAT_FUCHSIA_RECORD_READ_ERROR);
            orma_file_damage(file, pos, size, "a Fuchsia record is malformed");
        }
        pos += size;
    }
    if (pos < end) {
        count(file, ORMA_STAT_FUCHSIA_RECORD_READ_ERROR);
        orma_file_truncated(file, (uint64_t)(end - pos));
    }
    return len;
}

/* ---- when their time has come ---- */

static uint32_t thread_row(struct orma_import_ctx *imp, const struct event *e)
{
    struct orma_processes *procs = orma_model_processes(imp->model, imp->model->base);
    uint32_t utid = orma_processes_thread(procs, e->thread);

    if (orma_processes_upid(procs, utid) == ORMA_ID_NONE)
        orma_processes_attach(procs, utid, orma_processes_bare_process(procs, e->process), false);
    return utid;
}

/* False: the arg is not a number. */
static bool counter_value(const struct orma_args_item *arg, double *ret)
{
    if (arg->type == ORMA_ARG_REAL)
        *ret = arg->d;
    else if (arg->type == ORMA_ARG_UINT)
        *ret = (double)(uint64_t)arg->i;
    else
        *ret = (double)arg->i;
    return arg->type == ORMA_ARG_REAL || arg->type == ORMA_ARG_UINT || arg->type == ORMA_ARG_INT;
}

static void on_counter(struct orma_import_ctx *imp, int64_t ts, const struct event *e)
{
    struct orma_strpool *pool = &imp->model->storage->pool;
    uint32_t upid =
        orma_processes_bare_process(orma_model_processes(imp->model, imp->model->base), e->process);

    for (uint32_t i = 0; i < e->args_num; i++) {
        const struct orma_args_item *a = &e->args[i];
        double value;

        if (!counter_value(a, &value)) {
            orma_stats_inc(orma_model_stats(imp->model, imp->model->base),
                           ORMA_STAT_FUCHSIA_NON_NUMERIC_COUNTERS);
            continue;
        }
        uint32_t name =
            orma_strpool_addf(pool, "%s:%s:%llu", orma_strpool_cstr(pool, e->name),
                              orma_strpool_cstr(pool, a->key), (unsigned long long)e->data);
        const struct orma_track_dim dims[] = {orma_dim(imp->model->known.upid, upid),
                                              orma_dim_str(imp->model->known.name, name)};
        orma_model_counter(imp->model, ts,
                           orma_model_counter_track(imp->model, imp->model->base, "fuchsia_counter",
                                                    name, NULL, 2, dims),
                           value);
    }
}

/* False: it ends what the trace does not begin. */
static bool on_async(struct orma_import_ctx *imp, struct orma_args_list *args, int64_t ts,
                     const struct event *e)
{
    struct orma_legacy_async a = {
        .machine = imp->model->base,
        .upid = orma_processes_bare_process(orma_model_processes(imp->model, imp->model->base),
                                            e->process),
        .scope = 0,
        .name = e->name,
        .id = (int64_t)e->data,
    };
    enum orma_async_phase phase = ORMA_ASYNC_INSTANT;

    if (e->kind == ASYNC_BEGIN)
        phase = ORMA_ASYNC_BEGIN;
    else if (e->kind == ASYNC_END)
        phase = ORMA_ASYNC_END;
    uint32_t track = orma_legacy_async_track(imp->model, &a, phase, ts);

    if (e->kind == ASYNC_BEGIN)
        orma_slices_begin(&imp->model->slices, ts, track, e->category, e->name, args);
    else if (e->kind == ASYNC_END)
        return orma_slices_end(&imp->model->slices, ts, track, e->category, e->name, args) !=
               ORMA_SLICE_NONE;
    else
        orma_slices_complete(&imp->model->slices, ts, 0, track, e->category, e->name, args);
    return true;
}

static uint32_t state_text(struct orma_import_ctx *imp, unsigned state)
{
    static const char *const states[] = {"R", "R", "T", "S", "Z", "X"};

    return orma_model_cstr(imp->model, states[state < ORMA_ARRAY_LEN(states) ? state : 0]);
}

static uint32_t scheduled(struct orma_file *file, uint32_t koid)
{
    struct fuchsia *s = file->state;
    struct event e = {.thread = koid};
    uint64_t process = orma_map_get(&s->process_of, koid);

    if (process == ORMA_MAP_NONE)
        return orma_processes_thread(orma_model_processes(file->imp->model, file->imp->model->base),
                                     koid);
    e.process = (uint32_t)process;
    return thread_row(file->imp, &e);
}

static void on_switch(struct orma_file *file, int64_t ts, const struct event *e)
{
    struct orma_import_ctx *imp = file->imp;
    struct fuchsia *s = file->state;

    ORMA_ASSERT_HOT(e->cpu < ORMA_CPUS_MAX); /* of 8 bits, or looked at when it was read */
    if (e->thread && !e->from_idle) {
        uint32_t utid = scheduled(file, e->thread), state = state_text(imp, e->state);

        if (s->running[e->cpu])
            orma_sched_end_slice(imp->model, s->running[e->cpu] - 1, ts, state);
        orma_sched_close_state(imp->model, ts, utid);
        orma_sched_open_state(imp->model, imp->model->base, ts, utid, state, ORMA_ID_NONE);
    }
    s->running[e->cpu] = 0;
    if (!e->other || e->to_idle)
        return;
    uint32_t utid = scheduled(file, e->other);
    uint32_t row =
        orma_sched_start_slice(imp->model, imp->model->base, ts, e->cpu, utid, e->weight);
    s->running[e->cpu] = row == ORMA_ROW_NONE ? 0 : row + 1;
    orma_sched_close_state(imp->model, ts, utid);
    orma_sched_open_state(imp->model, imp->model->base, ts, utid, imp->model->known.Running,
                          e->cpu);
}

/* False: the same. */
static bool on_event(struct orma_import_ctx *imp, struct orma_args_list *args, int64_t ts,
                     const struct event *e)
{
    uint32_t track = orma_model_thread_track(imp->model, imp->model->base, thread_row(imp, e));

    switch (e->kind) {
    case INSTANT:
        orma_slices_complete(&imp->model->slices, ts, 0, track, e->category, e->name, args);
        break;
    case BEGIN:
        orma_slices_begin(&imp->model->slices, ts, track, e->category, e->name, args);
        break;
    case END:
        return orma_slices_end(&imp->model->slices, ts, track, e->category, e->name, args) !=
               ORMA_SLICE_NONE;
    case COMPLETE:
        orma_slices_complete(&imp->model->slices, ts, (int64_t)(e->data - (uint64_t)ts), track,
                             e->category, e->name, args);
        break;
    case FLOW_BEGIN:
        orma_flows_begin_on(imp->model, track, ts, e->data);
        break;
    case FLOW_STEP:
        orma_flows_step_on(imp->model, track, ts, e->data);
        break;
    case FLOW_END:
        orma_flows_end_on(imp->model, track, ts, e->data, true);
        break;
    }
    return true;
}

static struct orma_unit_end fuchsia_parse(struct orma_file *file, const struct orma_item *item)
{
    struct orma_import_ctx *imp = file->imp;
    const struct event *e = (const struct event *)(const void *)item->data;
    bool begun = true;

    ORMA_MODEL_ARGS(args, imp->model);
    for (uint32_t i = 0; i < e->args_num && e->kind != COUNTER; i++)
        orma_args_put(args, e->args[i]);
    switch (e->kind) {
    case COUNTER:
        if (!e->args_num)
            return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "counters without a value");
        on_counter(imp, item->ts, e);
        break;
    case ASYNC_BEGIN:
    case ASYNC_INSTANT:
    case ASYNC_END:
        begun = on_async(imp, args, item->ts, e);
        break;
    case SWITCH:
        on_switch(file, item->ts, e);
        break;
    case WAKEUP:
        orma_sched_waking(imp->model, imp->model->base, item->ts, scheduled(file, e->thread),
                          ORMA_ID_NONE, -1);
        break;
    default:
        begun = on_event(imp, args, item->ts, e);
    }
    return begun ? orma_file_took(file)
                 : orma_file_skipped(file, ORMA_ACCOUNT_NO_BEGIN, "ends of slices");
}

static void fuchsia_fini(struct orma_file *file)
{
    struct fuchsia *s = file->state;

    orma_map_fini(&s->strings);
    orma_map_fini(&s->processes);
    orma_map_fini(&s->threads);
    orma_map_fini(&s->process_of);
    orma_arena_fini(&s->arena);
}

const struct orma_format_ops orma_format_fuchsia = {
    .state_bytes = sizeof(struct fuchsia),
    .clock = ORMA_CLOCK_BOOTTIME,
    .unit = "record",
    .whole = true,
    .read = fuchsia_read,
    .parse = fuchsia_parse,
    .fini = fuchsia_fini,
};
