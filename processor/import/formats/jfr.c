/*
 * JFR: chunks and their events. A chunk that its JVM did not finish has no word on where its
 * classes are: they are found on the way, as are pools, by the sizes of events.
 */
#include "processor/import/formats/jfr.h"

#include <errno.h>
#include <stdlib.h>

#include "processor/import/formats/formats.h"
#include "sdk/base/search.h"

#define HEADER_BYTES 68
#define SIZE_AT 8
#define POOLS_AT 16
#define METADATA_AT 24
#define START_NS_AT 32
#define START_TICKS_AT 48
#define TICKS_PER_SECOND_AT 56
#define FLAGS_AT 66
/* Values that are passed for a chunk, of which a byte of a real one takes fewer than ten. */
#define WORK_MIN UINT64_C(10000000)
#define WORK_OF_BYTE 300
#define FLAG_COMPRESSED 1
#define MAJOR 2
#define CHUNK_BEGIN "FLR\0\0\2"
#define CHUNK_BEGIN_BYTES (sizeof(CHUNK_BEGIN) - 1)

static uint64_t big_endian(const uint8_t *at, unsigned bytes)
{
    uint64_t val = 0;

    while (bytes--)
        val = val << 8 | *at++;
    return val;
}

/* An event at the cursor, which passes it: its type and what follows that. False: damaged. */
static bool next_event(struct orma_jfr_cursor *c, uint64_t *ret_type, struct orma_jfr_cursor *ret)
{
    const uint8_t *at = c->at;
    const uint64_t size = orma_jfr_varint(c);

    if (c->failed || size < (uint64_t)(c->at - at) + 1 || size > (uint64_t)(c->end - at))
        return false;
    *ret = (struct orma_jfr_cursor){c->at, at + size, false};
    *ret_type = orma_jfr_varint(ret);
    c->at = at + size;
    return !ret->failed;
}

static struct orma_jfr_cursor events_of(const struct orma_jfr_chunk *chunk)
{
    return (struct orma_jfr_cursor){chunk->begin + HEADER_BYTES, chunk->end, false};
}

/* ---- classes and pools ---- */

static bool find_metadata(struct orma_file *file, struct orma_jfr_chunk *chunk)
{
    const uint64_t told = big_endian(chunk->begin + METADATA_AT, 8);
    struct orma_jfr_cursor c = events_of(chunk), event = {0}, found = {0};
    uint64_t type;

    if (told >= HEADER_BYTES && told < (uint64_t)(chunk->end - chunk->begin)) {
        struct orma_jfr_cursor there = {chunk->begin + told, chunk->end, false};

        if (next_event(&there, &type, &event) && type == ORMA_JFR_METADATA)
            return orma_jfr_read_metadata(file, chunk, event);
    }
    while (c.at < c.end && next_event(&c, &type, &event))
        if (type == ORMA_JFR_METADATA)
            found = event; /* the last one knows most */
    return found.at && orma_jfr_read_metadata(file, chunk, found);
}

/* All that events refer to, and the pid, which they need, too. */
static void find_pools(struct orma_file *file, struct orma_jfr_chunk *chunk)
{
    struct orma_jfr_cursor c = events_of(chunk), event;
    struct orma_jfr_value v;
    uint64_t type;

    while (c.at < c.end && next_event(&c, &type, &event)) {
        const struct orma_jfr_class *class = orma_jfr_class(chunk, type);

        if (type == ORMA_JFR_POOLS && !orma_jfr_read_pools(file, chunk, event))
            orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "pools of values", event.at);
        if (class && class->rule && class->rule->use == ORMA_JFR_JVM &&
            orma_jfr_member(file, chunk, class, event, "pid", &v) && v.kind == ORMA_JFR_INTEGER &&
            v.integer > 0 && v.integer <= INT32_MAX)
            chunk->pid = (uint32_t)v.integer;
    }
}

/* ---- events ---- */

static struct orma_unit_end add_event(struct orma_file *file, struct orma_jfr_chunk *chunk,
                                      uint64_t type, const uint8_t *at, size_t len,
                                      struct orma_jfr_cursor fields)
{
    const struct orma_jfr_class *class = orma_jfr_class(chunk, type);
    int64_t ts, dur;

    if (!class || !class->is_event)
        return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED,
                                 "events of types that the chunk does not describe");
    if (!orma_jfr_when(file, chunk, class, fields, &ts, &dur))
        return orma_file_skipped(file, ORMA_ACCOUNT_CLOCK, "events without a time");
    return orma_file_add(file, ts, -dur, at, len); /* of those that begin together, the longest */
}

static void add_events(struct orma_file *file, struct orma_jfr_chunk *chunk)
{
    struct orma_jfr_cursor c = events_of(chunk), event;
    uint64_t type;

    while (c.at < c.end && !orma_file_failed(file)) {
        const uint8_t *at = c.at;

        if (!next_event(&c, &type, &event)) {
            orma_file_unit(file, at);
            (void)orma_file_damaged(file, "events", at, (size_t)(chunk->end - at),
                                    "an event of an impossible size");
            return;
        }
        if (type == ORMA_JFR_METADATA || type == ORMA_JFR_POOLS)
            continue;
        orma_file_unit(file, at);
        (void)add_event(file, chunk, type, at, (size_t)(c.at - at), event);
    }
}

/* ---- chunks ---- */

static bool is_chunk(const uint8_t *at, size_t len)
{
    return len >= CHUNK_BEGIN_BYTES && !memcmp(at, CHUNK_BEGIN, CHUNK_BEGIN_BYTES);
}

/*
 * Where the chunk ends. One that its JVM did not finish is walked event by event, up to where the
 * next one begins; one of its pools has the header of the chunk in it.
 */
static const uint8_t *end_of(const uint8_t *at, size_t len)
{
    const uint64_t size = big_endian(at + SIZE_AT, 8);
    struct orma_jfr_cursor c = {at + HEADER_BYTES, at + len, false}, event;
    uint64_t type;

    if (size >= HEADER_BYTES && size <= len)
        return at + size;
    while (c.at < c.end) {
        const uint8_t *here = c.at;

        if (is_chunk(here, (size_t)(c.end - here)))
            return here;
        if (next_event(&c, &type, &event))
            continue;
        const uint8_t *next = memmem(here, (size_t)(c.end - here), CHUNK_BEGIN, CHUNK_BEGIN_BYTES);
        return next ? next : c.end;
    }
    return c.end;
}

static void fini_chunk(struct orma_jfr_chunk *chunk)
{
    for (uint32_t i = 0; i < chunk->classes.len; i++) {
        orma_map_fini(&chunk->classes.data[i].pool);
        orma_map_fini(&chunk->classes.data[i].texts);
        orma_map_fini(&chunk->classes.data[i].known);
    }
    ORMA_VEC_FINI(&chunk->classes);
    ORMA_VEC_FINI(&chunk->fields);
    orma_map_fini(&chunk->by_id);
}

static void read_chunk(struct orma_file *file, const uint8_t *at, size_t len)
{
    struct orma_jfr *self = file->state;
    struct orma_jfr_chunk chunk = {
        .begin = at,
        .end = at + len,
        .start_ns = (int64_t)big_endian(at + START_NS_AT, 8),
        .start_ticks = (int64_t)big_endian(at + START_TICKS_AT, 8),
        .ticks_per_second = (int64_t)big_endian(at + TICKS_PER_SECOND_AT, 8),
        .work = &self->work,
    };

    self->work += WORK_MIN + WORK_OF_BYTE * len;

    if (chunk.ticks_per_second <= 0 || !(big_endian(at + FLAGS_AT, 2) & FLAG_COMPRESSED)) {
        orma_file_damage(file, at, len,
                         chunk.ticks_per_second <= 0
                             ? "a chunk without a clock"
                             : "a chunk whose numbers are not compressed, which nobody writes");
        return;
    }
    if (ORMA_VEC_PUSH(&self->chunks, chunk)) {
        file->imp->model->storage->failed = true;
        return;
    }
    struct orma_jfr_chunk *made = &self->chunks.data[self->chunks.len - 1];
    if (!find_metadata(file, made)) {
        orma_file_damage(file, at, len, "a chunk whose classes can't be read");
        fini_chunk(made);
        self->chunks.len--;
        return;
    }
    find_pools(file, made);
    add_events(file, made);
}

static size_t jfr_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    const uint8_t *at = data, *end = data + len;

    (void)at_end; /* it is read once, whole */
    file->events.strict = true;
    while (at < end && !orma_file_failed(file)) {
        const size_t rest = (size_t)(end - at);

        if (!is_chunk(at, rest) && at != data) {
            const uint8_t *next = memmem(at, rest, CHUNK_BEGIN, CHUNK_BEGIN_BYTES);

            orma_file_damage(file, at, next ? (size_t)(next - at) : rest,
                             "bytes between two chunks");
            at = next ? next : end;
            continue;
        }
        if (rest < HEADER_BYTES) {
            orma_file_truncated(file, rest);
            break;
        }
        if (big_endian(at + 4, 2) != MAJOR) {
            orma_file_error(file, -EBADMSG,
                            "a recording of the JDK Flight Recorder in version %u, which JDKs "
                            "before 9 wrote; JDK Mission Control reads it",
                            (unsigned)big_endian(at + 4, 2));
            break;
        }
        if (big_endian(at + SIZE_AT, 8) > rest)
            orma_file_truncated(file, rest);
        const uint8_t *next = end_of(at, rest);
        read_chunk(file, at, (size_t)(next - at));
        at = next;
    }
    return len;
}

/* Chunks lie in the order of the file. */
static struct orma_jfr_chunk *chunk_of(struct orma_jfr *self, const uint8_t *at)
{
    const struct orma_jfr_chunk *last = &self->chunks.data[self->last_chunk];

    if (at < last->begin || at >= last->end)
        self->last_chunk = ORMA_OFFSET_FIND(self->chunks.data, self->chunks.len, .begin, at);
    return &self->chunks.data[self->last_chunk];
}

static struct orma_unit_end jfr_parse(struct orma_file *file, const struct orma_item *item)
{
    struct orma_jfr_chunk *chunk = chunk_of(file->state, item->data);
    struct orma_jfr_cursor c = {item->data, chunk->end, false}, fields;
    uint64_t type;

    if (!next_event(&c, &type, &fields))
        return orma_file_skipped(file, ORMA_ACCOUNT_NO_WORD, "events");
    return orma_jfr_event(file, chunk, item->ts, orma_jfr_class(chunk, type), fields);
}

static void jfr_fini(struct orma_file *file)
{
    struct orma_jfr *self = file->state;

    for (uint32_t i = 0; i < self->chunks.len; i++)
        fini_chunk(&self->chunks.data[i]);
    ORMA_VEC_FINI(&self->chunks);
    ORMA_VEC_FINI(&self->strings);
    ORMA_VEC_FINI(&self->frames);
    orma_buf_fini(&self->text);
    orma_map_fini(&self->profiles);
}

const struct orma_format_ops orma_format_jfr = {
    .state_bytes = sizeof(struct orma_jfr),
    .clock = ORMA_CLOCK_REALTIME,
    .unit = "event",
    .whole = true,
    .read = jfr_read,
    .parse = jfr_parse,
    .fini = jfr_fini,
};
