/*
 * A trace is a sequence of packets, each `0a SIZE TracePacket`. All of ours are
 * of one packet sequence. A packet with an event is put together in three
 * buffers, because what it defines stands in front of what uses it:
 *
 *   timestamp, sequence id, flags | interned_data { ... } | track_event { ... }
 *        file->out                     file->interned          file->event
 *
 * Texts are known by a 64-bit hash: two that collide would be taken for one,
 * which happens by chance once in four billion files of a hundred thousand.
 */
#if defined(__unix__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* mkstemp() and others, whatever the standard is */
#endif
#include "orma_tracefile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __unix__
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#define SEQUENCE_ID 1
#define OUT_SOFT_MAX (64u << 10)
#define OWN_CLOCKS 64
#define NESTING_MAX 16
/* Texts beyond so many are written out each time. */
#define TEXTS_MAX (1u << 20)

/* Field numbers of the format. */
enum {
    TRACE_PACKET = 1,
    PACKET_CLOCK_SNAPSHOT = 6,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE_ID = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED_DATA = 12,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_DEFAULTS = 59,
    PACKET_TRACK_DESCRIPTOR = 60,
    PACKET_FIRST_ON_SEQUENCE = 87,
    DEFAULTS_CLOCK = 58,
    SNAPSHOT_CLOCKS = 1,
    SNAPSHOT_PRIMARY = 2,
    CLOCK_ID = 1,
    CLOCK_TIMESTAMP = 2,
    INTERNED_CATEGORIES = 1,
    INTERNED_NAMES = 2,
    INTERNED_KEYS = 3,
    ENTRY_IID = 1,
    ENTRY_NAME = 2,
    DESC_UUID = 1,
    DESC_NAME = 2,
    DESC_PROCESS = 3,
    DESC_THREAD = 4,
    DESC_PARENT = 5,
    DESC_COUNTER = 8,
    DESC_CHILD_ORDERING = 11,
    DESC_SIBLING_RANK = 12,
    DESC_SIBLING_MERGE = 15,
    PROCESS_PID = 1,
    PROCESS_NAME = 6,
    THREAD_PID = 1,
    THREAD_TID = 2,
    THREAD_NAME = 5,
    COUNTER_MULTIPLIER = 4,
    COUNTER_INCREMENTAL = 5,
    COUNTER_UNIT_NAME = 6,
    EVENT_CATEGORY_IIDS = 3,
    EVENT_ANNOTATIONS = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_CATEGORIES = 22,
    EVENT_NAME = 23,
    EVENT_COUNTER_VALUE = 30,
    EVENT_COUNTER_DOUBLE = 44,
    EVENT_FLOWS = 47,
    EVENT_FLOW_ENDS = 48,
    EVENT_CORRELATION = 52,
    ARG_NAME_IID = 1,
    ARG_BOOL = 2,
    ARG_UINT = 3,
    ARG_INT = 4,
    ARG_DOUBLE = 5,
    ARG_STRING = 6,
    ARG_POINTER = 7,
    ARG_NAME = 10,
    ARG_DICT = 11,
    ARG_ARRAY = 12
};
/* The other types are those of the header. */
enum { TYPE_VALUE = 4 };
enum { VARINT = 0, FIXED64 = 1, BYTES = 2 };
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };

struct buf {
    uint8_t *data;
    size_t len, cap;
};

/* Kinds of text, each numbered for itself. */
enum { CATEGORY, NAME, KEY, KINDS };

struct orma_tracefile {
    int error; /* the first */
    FILE *stream;
    orma_tracefile_write_fn write;
    void *ctx;
    struct buf out, packet, interned, event;
    int begun; /* an event stands in `event`, with these: */
    uint64_t ts;
    int nested_in_array[NESTING_MAX + 1];
    size_t nested_at[NESTING_MAX + 1];
    unsigned depth, too_deep;
    int introduced; /* the sequence has begun */
    uint32_t clock; /* of the times, to be said with the next event; 0: nothing to say */
    uint64_t tracks_num;
    /* Hash of kind and text -> number, open addressing; 0 is free. */
    uint64_t *hashes;
    uint32_t *iids;
    size_t texts_cap, texts_num;
    uint32_t last_iid[KINDS];
};

/* ---- bytes ---- */

static void fail(struct orma_tracefile *f, int error)
{
    if (!f->error)
        f->error = error;
}

/* NULL: there is no room, now or ever again. */
static uint8_t *grow(struct orma_tracefile *f, struct buf *b, size_t more)
{
    if (f->error)
        return NULL;
    if (more > b->cap - b->len) {
        size_t cap = b->cap ? b->cap : 256;

        while (cap - b->len < more && cap <= SIZE_MAX / 2)
            cap *= 2;
        uint8_t *data = cap - b->len < more ? NULL : (uint8_t *)realloc(b->data, cap);
        if (!data) {
            fail(f, -ENOMEM);
            return NULL;
        }
        b->data = data;
        b->cap = cap;
    }
    return b->data + b->len;
}

static void put_raw(struct orma_tracefile *f, struct buf *b, const void *data, size_t len)
{
    uint8_t *to = len ? grow(f, b, len) : NULL;

    if (!to)
        return;
    memcpy(to, data, len);
    b->len += len;
}

static void put_varint(struct orma_tracefile *f, struct buf *b, uint64_t val)
{
    uint8_t bytes[10];
    size_t len = 0;

    for (; val >= 0x80; val >>= 7)
        bytes[len++] = (uint8_t)(val | 0x80);
    bytes[len++] = (uint8_t)val;
    put_raw(f, b, bytes, len);
}

static void put_u64(struct orma_tracefile *f, struct buf *b, uint32_t field, uint64_t val)
{
    put_varint(f, b, (uint64_t)field << 3 | VARINT);
    put_varint(f, b, val);
}

static void put_fixed64(struct orma_tracefile *f, struct buf *b, uint32_t field, uint64_t val)
{
    uint8_t bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(val >> 8 * i);
    put_varint(f, b, (uint64_t)field << 3 | FIXED64);
    put_raw(f, b, bytes, sizeof(bytes));
}

static void put_double(struct orma_tracefile *f, struct buf *b, uint32_t field, double val)
{
    uint64_t bits;

    memcpy(&bits, &val, sizeof(bits));
    put_fixed64(f, b, field, bits);
}

static void put_bytes(struct orma_tracefile *f, struct buf *b, uint32_t field, const void *data,
                      size_t len)
{
    put_varint(f, b, (uint64_t)field << 3 | BYTES);
    put_varint(f, b, len);
    put_raw(f, b, data, len);
}

static void put_str(struct orma_tracefile *f, struct buf *b, uint32_t field, const char *text)
{
    put_bytes(f, b, field, text, strlen(text));
}

/* A nested message begins; its size gets one byte, and more when it ends if it needs more. */
static size_t begin(struct orma_tracefile *f, struct buf *b, uint32_t field)
{
    static const uint8_t none = 0;

    put_varint(f, b, (uint64_t)field << 3 | BYTES);
    put_raw(f, b, &none, 1);
    return b->len;
}

static void end(struct orma_tracefile *f, struct buf *b, size_t at)
{
    size_t len = b->len - at, extra = 0;

    for (size_t rest = len >> 7; rest; rest >>= 7)
        extra++;
    if (f->error || (extra && !grow(f, b, extra)))
        return;
    uint8_t *to = b->data + at - 1;
    memmove(to + 1 + extra, to + 1, len);
    b->len += extra;
    for (; len >= 0x80; len >>= 7)
        *to++ = (uint8_t)(len | 0x80);
    *to = (uint8_t)len;
}

/* ---- the file ---- */

static int write_stream(void *ctx, const void *data, size_t len)
{
    errno = 0;
    if (fwrite(data, 1, len, (FILE *)ctx) == len)
        return 0;
    return errno ? -errno : -EIO;
}

static void write_out(struct orma_tracefile *f)
{
    int r = 0;

    if (!f->error && f->out.len)
        r = f->write(f->ctx, f->out.data, f->out.len);
    if (r < 0)
        fail(f, r);
    f->out.len = 0;
}

/* The packet in f->packet is whole. */
static void put_packet(struct orma_tracefile *f)
{
    put_bytes(f, &f->out, TRACE_PACKET, f->packet.data, f->packet.len);
    f->packet.len = 0;
    if (f->out.len >= OUT_SOFT_MAX)
        write_out(f);
}

int orma_tracefile_open_with(orma_tracefile_write_fn write, void *ctx, struct orma_tracefile **ret)
{
    struct orma_tracefile *f = (struct orma_tracefile *)calloc(1, sizeof(*f));

    if (!f)
        return -ENOMEM;
    f->write = write;
    f->ctx = ctx;
    *ret = f;
    return 0;
}

#ifdef __unix__
/* A file beside `path` with the rights of the one that is there; its name is `temp` with the Xs
 * filled in. */
static FILE *make_beside(char *temp, const struct stat *like)
{
    FILE *stream = NULL;
    int fd = mkstemp(temp);

    if (fd < 0)
        return NULL;
    if (fchown(fd, like->st_uid, like->st_gid) < 0)
        errno = 0; /* only root may give files away */
    if (fchmod(fd, like->st_mode & 07777) == 0)
        stream = fdopen(fd, "wb");
    if (!stream) {
        (void)close(fd); /* nothing is in it */
        (void)unlink(temp);
    }
    return stream;
}

/* An empty file that takes the name of `path` at once; NULL: it can't be, or there is no need. */
static FILE *replace_file(const char *path)
{
    struct stat st;

    if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) || !st.st_size || access(path, W_OK) < 0)
        return NULL;
    char *real = realpath(path, NULL); /* links are followed */
    size_t len = real ? strlen(real) : 0;
    char *temp = real ? (char *)malloc(len + sizeof(".XXXXXX")) : NULL;
    FILE *stream = NULL;
    if (temp) {
        memcpy(temp, real, len);
        memcpy(temp + len, ".XXXXXX", sizeof(".XXXXXX"));
        stream = make_beside(temp, &st);
    }
    if (stream && rename(temp, real) < 0) {
        (void)fclose(stream); /* nothing is in it */
        (void)unlink(temp);
        stream = NULL;
    }
    free(temp);
    free(real);
    return stream;
}
#endif

/* Where a standard stream is closed, its number is given to the next file: not to ours, which gets
 * another one, or whoever prints would write into it. */
static FILE *off_standard(FILE *stream)
{
#ifdef __unix__
    if (!stream || fileno(stream) > 2)
        return stream;
    int other = fcntl(fileno(stream), F_DUPFD_CLOEXEC, 3);
    FILE *ret = other < 0 ? NULL : fdopen(other, "wb");
    if (!ret && other >= 0)
        (void)close(other);
    int saved = errno;
    (void)fclose(stream); /* nothing is in it */
    errno = saved;
    return ret;
#else
    return stream;
#endif
}

/* Who reads the file that was there keeps it: it is replaced, not emptied, where that can be. */
static FILE *open_new(const char *path)
{
#ifdef __unix__
    FILE *stream = replace_file(path);

    if (stream)
        return off_standard(stream);
#endif
    return off_standard(fopen(path, "wb"));
}

int orma_tracefile_open(const char *path, struct orma_tracefile **ret)
{
    FILE *stream = open_new(path);

    if (!stream)
        return errno ? -errno : -EIO;
    int r = orma_tracefile_open_with(write_stream, stream, ret);
    if (r < 0)
        (void)fclose(stream); /* nothing was written */
    else
        (*ret)->stream = stream;
    return r;
}

int orma_tracefile_flush(struct orma_tracefile *file)
{
    write_out(file);
    if (file->stream && fflush(file->stream))
        fail(file, errno ? -errno : -EIO);
    return file->error;
}

int orma_tracefile_close(struct orma_tracefile *file)
{
    if (!file)
        return 0;
    int r = orma_tracefile_flush(file);
    if (file->stream && fclose(file->stream) && !r)
        r = errno ? -errno : -EIO;
    free(file->out.data);
    free(file->packet.data);
    free(file->interned.data);
    free(file->event.data);
    free(file->hashes);
    free(file->iids);
    free(file);
    return r;
}

/* ---- texts by number ---- */

static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    hash ^= UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    hash = mix(hash);
    return hash ? hash : 1;
}

static size_t place_of(const struct orma_tracefile *f, uint64_t hash)
{
    size_t at = (size_t)hash & (f->texts_cap - 1);

    while (f->hashes[at] && f->hashes[at] != hash)
        at = (at + 1) & (f->texts_cap - 1);
    return at;
}

/* The table is at most half full. False: it cannot grow. */
static int grow_texts(struct orma_tracefile *f)
{
    struct orma_tracefile bigger;

    if (f->texts_num * 2 < f->texts_cap)
        return 1;
    if (f->texts_num >= TEXTS_MAX)
        return 0;
    memset(&bigger, 0, sizeof(bigger));
    bigger.texts_cap = f->texts_cap ? f->texts_cap * 2 : 256;
    bigger.hashes = (uint64_t *)calloc(bigger.texts_cap, sizeof(*bigger.hashes));
    bigger.iids = (uint32_t *)calloc(bigger.texts_cap, sizeof(*bigger.iids));
    if (!bigger.hashes || !bigger.iids) {
        free(bigger.hashes);
        free(bigger.iids);
        return 0;
    }
    for (size_t i = 0; i < f->texts_cap; i++) {
        if (!f->hashes[i])
            continue;
        size_t at = place_of(&bigger, f->hashes[i]);
        bigger.hashes[at] = f->hashes[i];
        bigger.iids[at] = f->iids[i];
    }
    free(f->hashes);
    free(f->iids);
    f->hashes = bigger.hashes;
    f->iids = bigger.iids;
    f->texts_cap = bigger.texts_cap;
    return 1;
}

/* Its number, defined in this packet if it is new. 0: write it out. */
static uint32_t number(struct orma_tracefile *f, int kind, const char *text)
{
    static const uint32_t fields[KINDS] = {INTERNED_CATEGORIES, INTERNED_NAMES, INTERNED_KEYS};
    uint64_t hash = hash_text((uint64_t)kind + 1, text);

    if (!f->texts_cap && !grow_texts(f))
        return 0;
    size_t at = place_of(f, hash);
    if (f->hashes[at])
        return f->iids[at];
    if (!grow_texts(f))
        return 0;
    at = place_of(f, hash);
    f->hashes[at] = hash;
    f->iids[at] = ++f->last_iid[kind];
    f->texts_num++;
    size_t entry = begin(f, &f->interned, fields[kind]);
    put_u64(f, &f->interned, ENTRY_IID, f->iids[at]);
    put_str(f, &f->interned, ENTRY_NAME, text);
    end(f, &f->interned, entry);
    return f->iids[at];
}

static void put_text(struct orma_tracefile *f, int kind, uint32_t iid_field, uint32_t text_field,
                     const char *text)
{
    uint32_t iid = number(f, kind, text);

    if (iid)
        put_u64(f, &f->event, iid_field, iid);
    else
        put_str(f, &f->event, text_field, text);
}

/* ---- tracks ---- */

/* Processes and threads are what they are; each other description is of a new track. */
static uint64_t make_uuid(struct orma_tracefile *f, const struct orma_tracefile_desc *d)
{
    uint64_t seed = mix((uint64_t)(uint32_t)d->pid << 32 | (uint32_t)d->tid) ^ mix(d->kind + 1);

    if (d->kind != ORMA_TRACEFILE_PROCESS && d->kind != ORMA_TRACEFILE_THREAD)
        seed ^= mix(++f->tracks_num) ^ mix(d->parent);
    return hash_text(seed, d->name ? d->name : "");
}

static void put_process(struct orma_tracefile *f, const struct orma_tracefile_desc *d)
{
    size_t at = begin(f, &f->packet, DESC_PROCESS);

    put_u64(f, &f->packet, PROCESS_PID, (uint64_t)(int64_t)d->pid);
    if (d->process_name)
        put_str(f, &f->packet, PROCESS_NAME, d->process_name);
    end(f, &f->packet, at);
}

static void put_thread(struct orma_tracefile *f, const struct orma_tracefile_desc *d)
{
    size_t at = begin(f, &f->packet, DESC_THREAD);

    put_u64(f, &f->packet, THREAD_PID, (uint64_t)(int64_t)d->pid);
    put_u64(f, &f->packet, THREAD_TID, (uint64_t)(int64_t)d->tid);
    if (d->thread_name)
        put_str(f, &f->packet, THREAD_NAME, d->thread_name);
    end(f, &f->packet, at);
}

static void put_counter(struct orma_tracefile *f, const struct orma_tracefile_desc *d)
{
    size_t at = begin(f, &f->packet, DESC_COUNTER);

    if (d->multiplier)
        put_u64(f, &f->packet, COUNTER_MULTIPLIER, (uint64_t)d->multiplier);
    if (d->incremental)
        put_u64(f, &f->packet, COUNTER_INCREMENTAL, 1);
    if (d->unit)
        put_str(f, &f->packet, COUNTER_UNIT_NAME, d->unit);
    end(f, &f->packet, at);
}

uint64_t orma_tracefile_describe(struct orma_tracefile *file,
                                 const struct orma_tracefile_desc *desc)
{
    struct buf *b = &file->packet;
    uint64_t uuid = desc->uuid ? desc->uuid : make_uuid(file, desc);

    b->len = 0;
    put_u64(file, b, PACKET_SEQUENCE_ID, SEQUENCE_ID);
    size_t at = begin(file, b, PACKET_TRACK_DESCRIPTOR);
    put_u64(file, b, DESC_UUID, uuid);
    if (desc->parent)
        put_u64(file, b, DESC_PARENT, desc->parent);
    if (desc->name)
        put_str(file, b, DESC_NAME, desc->name);
    if (desc->children)
        put_u64(file, b, DESC_CHILD_ORDERING, desc->children);
    if (desc->rank)
        put_u64(file, b, DESC_SIBLING_RANK, (uint64_t)(int64_t)desc->rank);
    if (desc->never_merge)
        put_u64(file, b, DESC_SIBLING_MERGE, 2);
    if (desc->kind == ORMA_TRACEFILE_PROCESS)
        put_process(file, desc);
    else if (desc->kind == ORMA_TRACEFILE_THREAD)
        put_thread(file, desc);
    else if (desc->kind == ORMA_TRACEFILE_COUNTER)
        put_counter(file, desc);
    end(file, b, at);
    put_packet(file);
    return uuid;
}

uint64_t orma_tracefile_process(struct orma_tracefile *file, int32_t pid, const char *name)
{
    struct orma_tracefile_desc d;

    memset(&d, 0, sizeof(d));
    d.kind = ORMA_TRACEFILE_PROCESS;
    d.pid = pid;
    d.process_name = name;
    return orma_tracefile_describe(file, &d);
}

uint64_t orma_tracefile_thread(struct orma_tracefile *file, int32_t pid, int32_t tid,
                               const char *name)
{
    struct orma_tracefile_desc d;

    memset(&d, 0, sizeof(d));
    d.kind = ORMA_TRACEFILE_THREAD;
    d.pid = pid;
    d.tid = tid;
    d.thread_name = name;
    return orma_tracefile_describe(file, &d);
}

uint64_t orma_tracefile_track(struct orma_tracefile *file, uint64_t parent, const char *name)
{
    struct orma_tracefile_desc d;

    memset(&d, 0, sizeof(d));
    d.parent = parent;
    d.name = name;
    return orma_tracefile_describe(file, &d);
}

uint64_t orma_tracefile_counter(struct orma_tracefile *file, uint64_t parent, const char *name,
                                const char *unit)
{
    struct orma_tracefile_desc d;

    memset(&d, 0, sizeof(d));
    d.kind = ORMA_TRACEFILE_COUNTER;
    d.parent = parent;
    d.name = name;
    d.unit = unit;
    return orma_tracefile_describe(file, &d);
}

/* ---- events ---- */

static void event(struct orma_tracefile *f, uint32_t type, uint64_t track, uint64_t ts,
                  const char *name)
{
    if (f->begun)
        orma_tracefile_event_end(f);
    f->begun = 1;
    f->ts = ts;
    f->interned.len = f->event.len = 0;
    put_u64(f, &f->event, EVENT_TYPE, type);
    put_u64(f, &f->event, EVENT_TRACK, track);
    if (name)
        put_text(f, NAME, EVENT_NAME_IID, EVENT_NAME, name);
}

void orma_tracefile_event(struct orma_tracefile *file, enum orma_tracefile_type type,
                          uint64_t track, uint64_t ts, const char *name)
{
    event(file, (uint32_t)type, track, ts, name);
}

void orma_tracefile_event_end(struct orma_tracefile *file)
{
    struct buf *b = &file->packet;

    if (!file->begun)
        return;
    while (file->depth || file->too_deep)
        orma_tracefile_arg_close(file);
    b->len = 0;
    put_u64(file, b, PACKET_TIMESTAMP, file->ts);
    put_u64(file, b, PACKET_SEQUENCE_ID, SEQUENCE_ID);
    put_u64(file, b, PACKET_SEQUENCE_FLAGS,
            file->introduced ? NEEDS_STATE : STATE_CLEARED | NEEDS_STATE);
    if (!file->introduced)
        put_u64(file, b, PACKET_FIRST_ON_SEQUENCE, 1);
    if (file->clock) {
        size_t at = begin(file, b, PACKET_DEFAULTS);

        put_u64(file, b, DEFAULTS_CLOCK, file->clock);
        end(file, b, at);
        file->clock = 0;
    }
    if (file->interned.len)
        put_bytes(file, b, PACKET_INTERNED_DATA, file->interned.data, file->interned.len);
    put_bytes(file, b, PACKET_TRACK_EVENT, file->event.data, file->event.len);
    put_packet(file);
    file->introduced = 1;
    file->begun = 0;
}

void orma_tracefile_begin(struct orma_tracefile *file, uint64_t track, uint64_t ts,
                          const char *name)
{
    orma_tracefile_event(file, ORMA_TRACEFILE_BEGIN, track, ts, name);
    orma_tracefile_event_end(file);
}

void orma_tracefile_end(struct orma_tracefile *file, uint64_t track, uint64_t ts)
{
    orma_tracefile_event(file, ORMA_TRACEFILE_END, track, ts, NULL);
    orma_tracefile_event_end(file);
}

void orma_tracefile_slice(struct orma_tracefile *file, uint64_t track, uint64_t ts, uint64_t dur,
                          const char *name)
{
    orma_tracefile_begin(file, track, ts, name);
    orma_tracefile_end(file, track, ts + dur);
}

void orma_tracefile_instant(struct orma_tracefile *file, uint64_t track, uint64_t ts,
                            const char *name)
{
    orma_tracefile_event(file, ORMA_TRACEFILE_INSTANT, track, ts, name);
    orma_tracefile_event_end(file);
}

void orma_tracefile_value(struct orma_tracefile *file, uint64_t track, uint64_t ts, int64_t val)
{
    event(file, TYPE_VALUE, track, ts, NULL);
    put_u64(file, &file->event, EVENT_COUNTER_VALUE, (uint64_t)val);
    orma_tracefile_event_end(file);
}

void orma_tracefile_value_double(struct orma_tracefile *file, uint64_t track, uint64_t ts,
                                 double val)
{
    event(file, TYPE_VALUE, track, ts, NULL);
    put_double(file, &file->event, EVENT_COUNTER_DOUBLE, val);
    orma_tracefile_event_end(file);
}

/* ---- what an event may carry ---- */

/* In the event itself: not between its arguments. */
static struct buf *top_level(struct orma_tracefile *f)
{
    while (f->depth || f->too_deep)
        orma_tracefile_arg_close(f);
    return f->begun ? &f->event : NULL;
}

void orma_tracefile_category(struct orma_tracefile *file, const char *name)
{
    if (top_level(file) && name)
        put_text(file, CATEGORY, EVENT_CATEGORY_IIDS, EVENT_CATEGORIES, name);
}

void orma_tracefile_flow(struct orma_tracefile *file, uint64_t id)
{
    if (top_level(file))
        put_fixed64(file, &file->event, EVENT_FLOWS, id);
}

void orma_tracefile_flow_end(struct orma_tracefile *file, uint64_t id)
{
    if (top_level(file))
        put_fixed64(file, &file->event, EVENT_FLOW_ENDS, id);
}

void orma_tracefile_correlation(struct orma_tracefile *file, uint64_t id)
{
    if (top_level(file))
        put_u64(file, &file->event, EVENT_CORRELATION, id);
}

/* Where the argument's message begins. */
static size_t arg_begin(struct orma_tracefile *f, const char *key)
{
    int in_array = f->nested_in_array[f->depth];
    size_t at = begin(f, &f->event,
                      !f->depth  ? EVENT_ANNOTATIONS
                      : in_array ? ARG_ARRAY
                                 : ARG_DICT);

    if (!in_array)
        put_text(f, KEY, ARG_NAME_IID, ARG_NAME, key ? key : "");
    return at;
}

static int takes_args(const struct orma_tracefile *f)
{
    return f->begun && !f->too_deep;
}

static void arg_u64(struct orma_tracefile *f, const char *key, uint32_t field, uint64_t val)
{
    if (!takes_args(f))
        return;
    size_t at = arg_begin(f, key);
    put_u64(f, &f->event, field, val);
    end(f, &f->event, at);
}

void orma_tracefile_arg_bool(struct orma_tracefile *file, const char *key, int val)
{
    arg_u64(file, key, ARG_BOOL, val != 0);
}

void orma_tracefile_arg_int(struct orma_tracefile *file, const char *key, int64_t val)
{
    arg_u64(file, key, ARG_INT, (uint64_t)val);
}

void orma_tracefile_arg_uint(struct orma_tracefile *file, const char *key, uint64_t val)
{
    arg_u64(file, key, ARG_UINT, val);
}

void orma_tracefile_arg_pointer(struct orma_tracefile *file, const char *key, uint64_t val)
{
    arg_u64(file, key, ARG_POINTER, val);
}

void orma_tracefile_arg_double(struct orma_tracefile *file, const char *key, double val)
{
    if (!takes_args(file))
        return;
    size_t at = arg_begin(file, key);
    put_double(file, &file->event, ARG_DOUBLE, val);
    end(file, &file->event, at);
}

void orma_tracefile_arg_str(struct orma_tracefile *file, const char *key, const char *val)
{
    if (!takes_args(file))
        return;
    size_t at = arg_begin(file, key);
    put_str(file, &file->event, ARG_STRING, val ? val : "");
    end(file, &file->event, at);
}

static void nest(struct orma_tracefile *f, const char *key, int is_array)
{
    if (!f->begun)
        return;
    if (f->too_deep || f->depth == NESTING_MAX) {
        f->too_deep++;
        return;
    }
    f->nested_at[f->depth] = arg_begin(f, key);
    f->nested_in_array[++f->depth] = is_array;
}

void orma_tracefile_arg_dict(struct orma_tracefile *file, const char *key)
{
    nest(file, key, 0);
}

void orma_tracefile_arg_array(struct orma_tracefile *file, const char *key)
{
    nest(file, key, 1);
}

void orma_tracefile_arg_close(struct orma_tracefile *file)
{
    if (file->too_deep)
        file->too_deep--;
    else if (file->depth)
        end(file, &file->event, file->nested_at[--file->depth]);
}

/* ---- the rest ---- */

void orma_tracefile_clocks(struct orma_tracefile *file, const uint32_t *ids,
                           const uint64_t *readings, size_t num)
{
    struct buf *b = &file->packet;

    b->len = 0;
    size_t at = begin(file, b, PACKET_CLOCK_SNAPSHOT);
    for (size_t i = 0; i < num; i++) {
        size_t clock = begin(file, b, SNAPSHOT_CLOCKS);

        put_u64(file, b, CLOCK_ID, ids[i]);
        put_u64(file, b, CLOCK_TIMESTAMP, readings[i]);
        end(file, b, clock);
    }
    /* Others than the kernel's cannot be the whole trace's. */
    if (num && ids[0] < OWN_CLOCKS)
        put_u64(file, b, SNAPSHOT_PRIMARY, ids[0]);
    file->clock = num ? ids[0] : 0;
    end(file, b, at);
    put_u64(file, b, PACKET_SEQUENCE_ID, SEQUENCE_ID);
    put_packet(file);
}

void orma_tracefile_packet(struct orma_tracefile *file, const void *packet, size_t len)
{
    put_bytes(file, &file->out, TRACE_PACKET, packet, len);
    if (file->out.len >= OUT_SOFT_MAX)
        write_out(file);
}
