/*
 * Traces of Fuchsia: records of 64-bit words.
 *
 * The first word of a record has its type and its size in words. Texts and threads are
 * mostly numbers of entries that earlier records of the same provider made, so references are
 * resolved while the file is read, and what has a timestamp waits in the sorter as a
 * `struct orma_format_fuchsia_event`. After damage the next record is where several plausible ones
 * follow each other.
 */
#include <errno.h>

#include "processor/import/formats/formats.h"
#include "processor/import/formats/fuchsia.h"
#include "processor/model/async.h"
#include "processor/model/sched.h"
#include "sdk/base/endian.h"

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

/* A record while it is read. */
struct record {
    const uint8_t *pos, *end;
    uint64_t head;
    bool bad;
};

static uint64_t next_word(struct record *r)
{
    if (r->end - r->pos < WORD) {
        r->bad = true;
        return 0;
    }
    r->pos += WORD;
    return orma_le64_at(r->pos - WORD);
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
    struct orma_format_fuchsia *s = file->state;

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

static void thread_of(struct orma_file *file, struct record *r, uint32_t ref,
                      struct orma_format_fuchsia_event *e)
{
    struct orma_format_fuchsia *s = file->state;
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
    const struct orma_format_fuchsia *s = file->state;
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

static struct orma_unit_end keep(struct orma_file *file, int64_t ts,
                                 const struct orma_format_fuchsia_event *e,
                                 const struct orma_args_item *args)
{
    struct orma_format_fuchsia *s = file->state;
    size_t size = sizeof(*e) + e->args_num * sizeof(*args);
    struct orma_format_fuchsia_event *kept = orma_arena_alloc(&s->arena, size);

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
    struct orma_format_fuchsia_event e = {.kind = (uint8_t)bits(r->head, 16, 4)};
    struct orma_args_item args[ARGS_MAX];
    uint64_t ticks = next_word(r);
    int64_t ts, end;

    thread_of(file, r, bits(r->head, 24, 8), &e);
    e.category = text_of(file, r, bits(r->head, 32, 16));
    e.name = text_of(file, r, bits(r->head, 48, 16));
    e.args_num = read_args(file, r, bits(r->head, 20, 4), args);
    if (e.kind >= ORMA_FUCHSIA_EVENTS_NUM) {
        count(file, ORMA_STAT_FUCHSIA_INVALID_EVENT);
        return orma_file_skippedf(file, ORMA_ACCOUNT_NOT_READ, "events of type %u", e.kind);
    }
    if (e.kind != ORMA_FUCHSIA_INSTANT && e.kind != ORMA_FUCHSIA_BEGIN &&
        e.kind != ORMA_FUCHSIA_END)
        e.data = next_word(r);
    if (r->bad || !to_ns(file, ticks, &ts))
        return broken(file);
    if (e.kind == ORMA_FUCHSIA_COMPLETE) {
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
    struct orma_format_fuchsia_event e = {.kind = ORMA_FUCHSIA_SWITCH,
                                          .cpu = bits(r->head, 16, 8),
                                          .state = (uint8_t)bits(r->head, 24, 4),
                                          .weight = (int32_t)bits(r->head, 52, 8),
                                          .from_idle = !bits(r->head, 44, 8),
                                          .to_idle = !bits(r->head, 52, 8)};
    struct orma_format_fuchsia_event in = e;
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
    struct orma_format_fuchsia_event e = {.kind =
                                              type == 1 ? ORMA_FUCHSIA_SWITCH : ORMA_FUCHSIA_WAKEUP,
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
    if (e.kind == ORMA_FUCHSIA_SWITCH && e.cpu >= ORMA_CPUS_MAX)
        return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED,
                                 "records of switches on impossible CPUs");
    return !r->bad && to_ns(file, ticks, &ts) ? keep(file, ts, &e, NULL) : broken(file);
}

static struct orma_unit_end read_object(struct orma_file *file, struct record *r)
{
    struct orma_processes *procs = orma_model_processes(file->imp->model, file->imp->model->base);
    struct orma_format_fuchsia *s = file->state;
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
    struct orma_format_fuchsia *s = file->state;
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
        return words >= 2 + bits(head, 20, 4) && bits(head, 16, 4) < ORMA_FUCHSIA_EVENTS_NUM;
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
        if (end - pos < WORD || !is_likely(orma_le64_at(pos)) ||
            size_of(orma_le64_at(pos)) > (size_t)(end - pos))
            return false;
        pos += size_of(orma_le64_at(pos));
    }
    return true;
}

/* The record at `pos` is broken and none follows it: goes to the next one, or to the end. */
static const uint8_t *skip_damage(struct orma_file *file, const uint8_t *pos, const uint8_t *end)
{
    const uint8_t *at = pos + 1;
    size_t size = size_of(orma_le64_at(pos));

    count(file, ORMA_STAT_FUCHSIA_RECORD_READ_ERROR);
    while (end - at >= WORD && !is_chain(at, end))
        at++;
    if (end - at >= WORD) {
        orma_file_damage(file, pos, (size_t)(at - pos), "a Fuchsia record is malformed");
        return at;
    }
    if (size > (size_t)(end - pos) && is_likely(orma_le64_at(pos)))
        orma_file_truncated(file, (uint64_t)(end - pos));
    else
        orma_file_damage(file, pos, (size_t)(end - pos), "a Fuchsia record is malformed");
    return end;
}

static size_t fuchsia_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct orma_format_fuchsia *s = file->state;
    const uint8_t *pos = data, *end = data + len;
    bool any = false;

    (void)at_end; /* it is read once, whole */
    s->ticks_per_s = NS_PER_S;
    while (end - pos >= WORD && !orma_file_failed(file)) {
        struct record r = {.pos = pos + WORD, .head = orma_le64_at(pos)};
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

static void fuchsia_fini(struct orma_file *file)
{
    struct orma_format_fuchsia *s = file->state;

    orma_map_fini(&s->strings);
    orma_map_fini(&s->processes);
    orma_map_fini(&s->threads);
    orma_map_fini(&s->process_of);
    orma_arena_fini(&s->arena);
}

const struct orma_format_ops orma_format_fuchsia = {
    .state_bytes = sizeof(struct orma_format_fuchsia),
    .clock = ORMA_CLOCK_BOOTTIME,
    .unit = "record",
    .whole = true,
    .read = fuchsia_read,
    .parse = orma_format_fuchsia_parse,
    .fini = fuchsia_fini,
};
