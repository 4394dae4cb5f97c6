/*
 * Method traces of ART, in their newer form: "SLOW", a header, then blocks.
 *
 *   thread    id and name                method    id, and its words
 *   entries   of one thread: each is what differs from the one before, as LEB128
 *   summary   key=value lines up to "*end"; the last block
 *
 * An exit does not say of what: slices of a thread end in the order in which they began. Reading
 * stops at what is truncated.
 */
#include "processor/import/formats/art_method.h"

#include <errno.h>

#define HEADER 32
#define FREQUENCY_MAX ((uint64_t)18 * 1000 * 1000 * 1000)
#define OPTIONS_MAX 64

enum block { BLOCK_THREAD, BLOCK_METHOD, BLOCK_ENTRIES, BLOCK_SUMMARY };

struct art_v2 {
    struct orma_art common;
    bool dual; /* entries have the time of the thread, too */
    int64_t start_ns;
    uint64_t frequency; /* of ticks; 0: times are ns */
};

static int64_t leb(struct orma_art_cursor *c)
{
    uint64_t val = 0;
    unsigned shift = 0;
    uint8_t byte;

    do {
        byte = (uint8_t)orma_format_art_number(c, 1);
        if (shift < 64)
            val |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        if (shift > 70)
            c->failed = true;
    } while (byte & 0x80 && !c->failed);
    if (byte & 0x40 && shift < 64)
        val |= UINT64_MAX << shift;
    return (int64_t)val;
}

/* Ticks, or ns, since the start as a time. */
static int64_t time_of(const struct art_v2 *art, int64_t since)
{
    uint64_t val = since > 0 ? (uint64_t)since : 0;
    int64_t ts;

    if (art->frequency) {
        uint64_t rest = val % art->frequency * 1000000000 / art->frequency;

        if (__builtin_mul_overflow(val / art->frequency, 1000000000, &val) ||
            __builtin_add_overflow(val, rest, &val))
            return INT64_MAX; /* nothing sorts it */
    }
    return val > INT64_MAX || __builtin_add_overflow(art->start_ns, (int64_t)val, &ts) ? INT64_MAX
                                                                                       : ts;
}

static void read_entries(struct orma_file *file, struct orma_art_cursor *c)
{
    const struct art_v2 *art = file->state;
    uint32_t tid = (uint32_t)orma_format_art_number(c, 4);
    uint32_t num = (uint32_t)orma_format_art_number(c, 3);
    struct orma_str bytes = orma_format_art_bytes(c, (size_t)orma_format_art_number(c, 4));
    struct orma_art_cursor r = {(const uint8_t *)bytes.data,
                                (const uint8_t *)bytes.data + bytes.len, c->failed};
    uint64_t time = 0, method = 0;

    if (!c->failed && !orma_format_art_has_thread(file, tid)) {
        orma_file_damage(file, bytes.data, bytes.len, "entries of an unknown thread");
        return;
    }
    while (num-- > 0 && !r.failed && !orma_file_failed(file)) {
        time += (uint64_t)leb(&r);
        if (art->dual)
            (void)leb(&r);
        if ((time & 3) == ORMA_ART_ENTER)
            method += (uint64_t)leb(&r);
        if (r.failed)
            break;
        if ((time & 3) < 3) {
            orma_format_art_add_event(file, time_of(art, (int64_t)time >> 2), tid, method,
                                      (enum orma_art_action)(time & 3));
            continue;
        }
        orma_file_unit(file, r.pos);
        (void)orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "records of an unknown action");
    }
    if (r.failed && !c->failed)
        orma_file_damage(file, bytes.data, bytes.len,
                         "fewer entries than the header of the block says");
    else if (r.pos < r.end && !c->failed)
        orma_file_damage(file, r.pos, (size_t)(r.end - r.pos),
                         "more entries than the header of the block says");
}

/* "key=value": a fact about the trace. */
static void option_line(struct orma_file *file, struct orma_str line)
{
    struct orma_str value = line, key;
    struct orma_buf name = {0};
    int64_t num;

    if (!orma_str_cut(&value, '=', &key) || value.data == key.data || !key.len)
        return;
    orma_buf_put(&name, key.data, key.len);
    if (orma_str_to_i64(value, &num))
        orma_metadata_int(file->imp->model, orma_buf_cstr(&name), false, ORMA_METADATA_TRACE, 0,
                          num);
    else
        orma_metadata_str(file->imp->model, orma_buf_cstr(&name), false, ORMA_METADATA_TRACE, 0,
                          orma_model_str(file->imp->model, value));
    file->imp->model->storage->failed |= name.failed;
    orma_buf_fini(&name);
}

static void read_summary(struct orma_file *file, struct orma_art_cursor *c)
{
    struct orma_str text = {(const char *)c->pos, (size_t)(c->end - c->pos)}, line;

    for (unsigned i = 0; i < OPTIONS_MAX && orma_str_cut(&text, '\n', &line); i++) {
        if (orma_str_eq_c(line, "*end"))
            break;
        option_line(file, line);
    }
    c->pos = c->end - text.len;
}

/* False: it can't be read, or was the last. */
static bool read_block(struct orma_file *file, struct orma_art_cursor *c)
{
    uint64_t id;

    switch (orma_format_art_number(c, 1)) {
    case BLOCK_THREAD:
        id = orma_format_art_number(c, 4);
        struct orma_str name = orma_format_art_bytes(c, (size_t)orma_format_art_number(c, 2));
        if (!c->failed)
            orma_format_art_add_thread(file, (uint32_t)id, name);
        return !c->failed;
    case BLOCK_METHOD:
        id = orma_format_art_number(c, 8);
        struct orma_str words = orma_format_art_bytes(c, (size_t)orma_format_art_number(c, 2));
        if (!c->failed)
            orma_format_art_add_method(file, id, orma_str_trim(words));
        return !c->failed;
    case BLOCK_ENTRIES:
        read_entries(file, c);
        return !c->failed;
    case BLOCK_SUMMARY:
        if (!c->failed)
            read_summary(file, c);
        return false;
    default:
        c->failed = true;
        return false;
    }
}

static size_t art_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct art_v2 *art = file->state;
    struct orma_art_cursor c = {data, data + len, false};
    const uint8_t *good;

    (void)at_end; /* it is read once, whole */
    (void)orma_format_art_bytes(&c, 4);
    unsigned version = (unsigned)orma_format_art_number(&c, 2) & 0xf;
    art->dual = version == 5;
    art->start_ns = (int64_t)orma_format_art_number(&c, 8);
    (void)orma_format_art_number(&c, 8); /* the ticks then: entries count from there */
    art->frequency = orma_format_art_number(&c, 8);
    if (len < HEADER || art->frequency > FREQUENCY_MAX) {
        orma_file_error(file, -EBADMSG,
                        "ART Method trace: trace is incomplete (ERR:tp-corrupt): no valid header");
        return len;
    }
    c.pos = data + HEADER;
    do
        good = c.pos;
    while (!orma_file_failed(file) && c.pos < c.end && read_block(file, &c));
    if (c.failed)
        orma_file_truncated(file, (uint64_t)(data + len - good));
    else if (c.pos < c.end && !orma_file_failed(file))
        orma_file_damage(file, c.pos, (size_t)(c.end - c.pos), "bytes after the summary");
    return len;
}

const struct orma_format_ops orma_format_art_method_v2 = {
    .state_bytes = sizeof(struct art_v2),
    .clock = ORMA_CLOCK_MONOTONIC,
    .unit = "record",
    .whole = true,
    .read = art_read,
    .parse = orma_format_art_parse,
    .fini = orma_format_art_fini,
};
