#include "tests/bench/bench_import_bare.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "protos/fields/interned_data.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "sdk/base/hash.h"
#include "sdk/wire/pb_reader.h"
#include "tests/bench/bench.h"

#define SEQUENCES 16
#define TRACKS 64 /* a power of two */
#define IIDS 256
#define DEPTH_MAX 512
#define KINDS 3 /* of interned data: names, categories, names of annotations */

struct sequence {
    int64_t ts;
    uint64_t track_uuid; /* by default */
    uint32_t pid, uid, flags;
    uint32_t ids[KINDS][IIDS]; /* by iid: number of the text */
};

struct track {
    uint64_t uuid;
    uint32_t id, depth;
    uint32_t stack[DEPTH_MAX];
};

struct args {
    uint32_t *slice, *key;
    uint64_t *value;
    uint32_t num, cap;
};

struct bare {
    int64_t *ts, *dur;
    uint32_t *track, *category, *name, *parent;
    uint8_t *depth;
    uint32_t rows, cap;
    struct args args;
    struct sequence sequences[SEQUENCES];
    struct track tracks[TRACKS];
    uint32_t tracks_num, texts;
};

struct event {
    uint64_t track_uuid, name_iid, category_iid;
    uint32_t type;
    bool annotated;
};

static void give_up(const char *what)
{
    perror(what);
    exit(1);
}

static void *grow(void *mem, size_t size)
{
    mem = realloc(mem, size);
    if (!mem)
        give_up("realloc");
    return mem;
}

static void grow_rows(struct bare *b)
{
    b->cap = b->cap ? b->cap * 2 : 64;
    b->ts = grow(b->ts, b->cap * sizeof(*b->ts));
    b->dur = grow(b->dur, b->cap * sizeof(*b->dur));
    b->track = grow(b->track, b->cap * sizeof(*b->track));
    b->category = grow(b->category, b->cap * sizeof(*b->category));
    b->name = grow(b->name, b->cap * sizeof(*b->name));
    b->parent = grow(b->parent, b->cap * sizeof(*b->parent));
    b->depth = grow(b->depth, b->cap * sizeof(*b->depth));
}

static void grow_args(struct args *a)
{
    a->cap = a->cap ? a->cap * 2 : 64;
    a->slice = grow(a->slice, a->cap * sizeof(*a->slice));
    a->key = grow(a->key, a->cap * sizeof(*a->key));
    a->value = grow(a->value, a->cap * sizeof(*a->value));
}

static struct track *track_of(struct bare *b, uint64_t uuid)
{
    size_t at = orma_mix64(uuid) & (TRACKS - 1);

    for (; b->tracks[at].id && b->tracks[at].uuid != uuid; at = (at + 1) & (TRACKS - 1))
        if (b->tracks_num == TRACKS)
            give_up("tracks");
    if (!b->tracks[at].id) {
        b->tracks[at].id = ++b->tracks_num;
        b->tracks[at].uuid = uuid;
    }
    return &b->tracks[at];
}

static void read_interned(struct bare *b, struct sequence *s, struct orma_pb_reader r)
{
    struct orma_pb_field entry, f;

    while (orma_pb_next(&r, &entry)) {
        unsigned kind = entry.id == ORMA_PB_INTERNED_DATA_EVENT_NAMES        ? 0
                        : entry.id == ORMA_PB_INTERNED_DATA_EVENT_CATEGORIES ? 1
                                                                             : 2;
        struct orma_pb_reader e = orma_pb_sub(&entry);
        uint64_t iid = 0;

        while (orma_pb_next(&e, &f))
            if (f.id == ORMA_PB_EVENT_NAME_IID)
                iid = orma_pb_u64(&f);
        s->ids[kind][iid % IIDS] = ++b->texts;
    }
}

static void read_defaults(struct sequence *s, struct orma_pb_reader r)
{
    struct orma_pb_field f, g;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader e = orma_pb_sub(&f);

        while (f.id == ORMA_PB_TRACE_PACKET_DEFAULTS_TRACK_EVENT_DEFAULTS && orma_pb_next(&e, &g))
            if (g.id == ORMA_PB_TRACK_EVENT_DEFAULTS_TRACK_UUID)
                s->track_uuid = orma_pb_u64(&g);
    }
}

static void read_annotation(struct bare *b, const struct sequence *s, struct orma_pb_reader r)
{
    struct args *a = &b->args;
    struct orma_pb_field f;

    if (a->num == a->cap)
        grow_args(a);
    a->slice[a->num] = b->rows - 1;
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_DEBUG_ANNOTATION_NAME_IID)
            a->key[a->num] = s->ids[2][orma_pb_u64(&f) % IIDS];
        else
            a->value[a->num] = orma_pb_u64(&f);
    }
    a->num++;
}

static void read_args(struct bare *b, const struct sequence *s, struct orma_pb_reader r)
{
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS)
            read_annotation(b, s, orma_pb_sub(&f));
}

static struct event read_event(struct orma_pb_reader r, const struct sequence *s)
{
    struct event e = {.track_uuid = s->track_uuid};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_TRACK_EVENT_TYPE:
            e.type = orma_pb_u32(&f);
            break;
        case ORMA_PB_TRACK_EVENT_TRACK_UUID:
            e.track_uuid = orma_pb_u64(&f);
            break;
        case ORMA_PB_TRACK_EVENT_NAME_IID:
            e.name_iid = orma_pb_u64(&f);
            break;
        case ORMA_PB_TRACK_EVENT_CATEGORY_IIDS:
            e.category_iid = orma_pb_u64(&f);
            break;
        case ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS:
            e.annotated = true;
            break;
        }
    }
    return e;
}

static void begin_slice(struct bare *b, const struct sequence *s, struct track *t,
                        const struct event *e)
{
    uint32_t row = b->rows;

    if (t->depth == DEPTH_MAX)
        return;
    if (b->rows == b->cap)
        grow_rows(b);
    b->ts[row] = s->ts;
    b->dur[row] = -1;
    b->track[row] = t->id;
    b->category[row] = s->ids[1][e->category_iid % IIDS];
    b->name[row] = s->ids[0][e->name_iid % IIDS];
    b->depth[row] = (uint8_t)t->depth;
    b->parent[row] = t->depth ? t->stack[t->depth - 1] : UINT32_MAX;
    t->stack[t->depth++] = row;
    b->rows++;
}

static void load_event(struct bare *b, const struct sequence *s, struct orma_pb_reader r)
{
    struct event e = read_event(r, s);
    struct track *t = track_of(b, e.track_uuid);

    if (e.type == ORMA_PB_TRACK_EVENT_TYPE_SLICE_BEGIN) {
        begin_slice(b, s, t, &e);
        if (e.annotated)
            read_args(b, s, r);
    } else if (e.type == ORMA_PB_TRACK_EVENT_TYPE_SLICE_END && t->depth) {
        uint32_t row = t->stack[--t->depth];

        b->dur[row] = s->ts - b->ts[row];
    }
}

static void load_packet(struct bare *b, struct orma_pb_reader p)
{
    struct orma_pb_reader event = {0}, interned = {0}, defaults = {0};
    uint64_t delta = 0;
    uint32_t seq = 0, uid = 0, pid = 0, flags = 0;
    struct orma_pb_field f;

    while (orma_pb_next(&p, &f)) {
        switch (f.id) {
        case ORMA_PB_TRACE_PACKET_TIMESTAMP:
            delta = f.num;
            break;
        case ORMA_PB_TRACE_PACKET_TRACK_EVENT:
            event = orma_pb_sub(&f);
            break;
        case ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID:
            seq = orma_pb_u32(&f);
            break;
        case ORMA_PB_TRACE_PACKET_TRUSTED_UID:
            uid = orma_pb_u32(&f);
            break;
        case ORMA_PB_TRACE_PACKET_TRUSTED_PID:
            pid = orma_pb_u32(&f);
            break;
        case ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS:
            flags = orma_pb_u32(&f);
            break;
        case ORMA_PB_TRACE_PACKET_INTERNED_DATA:
            interned = orma_pb_sub(&f);
            break;
        case ORMA_PB_TRACE_PACKET_TRACE_PACKET_DEFAULTS:
            defaults = orma_pb_sub(&f);
            break;
        }
    }
    struct sequence *s = &b->sequences[seq % SEQUENCES];
    s->uid = uid;
    s->pid = pid;
    s->flags = flags;
    if (defaults.pos)
        read_defaults(s, defaults);
    if (interned.pos)
        read_interned(b, s, interned);
    s->ts += (int64_t)delta;
    if (event.pos)
        load_event(b, s, event);
}

static void free_all(struct bare *b)
{
    free(b->ts), free(b->dur), free(b->track), free(b->category), free(b->name), free(b->parent);
    free(b->depth), free(b->args.slice), free(b->args.key), free(b->args.value);
    free(b);
}

static double cpu_s(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

double bench_bare_load(const char *path, uint64_t *ret_rows)
{
    struct bare *b = calloc(1, sizeof(*b));
    double begun = cpu_s();
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct orma_pb_field packet;
    struct stat st;

    if (!b || fd < 0 || fstat(fd, &st) < 0)
        give_up(path);
    void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        give_up("mmap");
    struct orma_pb_reader r = orma_pb_reader(map, (size_t)st.st_size);
    while (orma_pb_next(&r, &packet))
        load_packet(b, orma_pb_sub(&packet));
    double took = cpu_s() - begun;
    BENCH_USE(b->ts);
    *ret_rows = b->rows;
    (void)munmap(map, (size_t)st.st_size);
    (void)close(fd);
    free_all(b);
    return took;
}
