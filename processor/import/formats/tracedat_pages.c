/*
 * Pages that this machine does not read as they are: of big-endian ones, and those whose times have
 * to be computed. The events are written anew, one by one, in the form of page.h; what follows
 * something malformed is left out, with a header that says so.
 *
 * On big-endian machines the type of an event is in the high bits of its header. Its fields are
 * turned as its format has them; events without one keep theirs, but for their number.
 */
#include "processor/import/formats/tracedat.h"

#define PAGE_HEAD 16
#define DELTA_BITS 27
#define DELTA_MAX ((UINT64_C(1) << DELTA_BITS) - 1)
#define SHORT_MAX 112 /* longer events have their length behind the header */

struct walk {
    const struct orma_tracedat *t;
    const uint8_t *at, *end;
    uint64_t ts;
    bool broken;
};

struct event {
    const uint8_t *data;
    size_t len;
};

static uint32_t take_word(struct walk *w)
{
    if (w->end - w->at < 4) {
        w->broken = true;
        w->at = w->end;
        return 0;
    }
    w->at += 4;
    return (uint32_t)orma_tracedat_number(w->t, w->at - 4, 4);
}

/* The low 59 bits of a time. */
static uint64_t stamped(uint64_t before, uint64_t stamp)
{
    return orma_tracefs_page_absolute(stamp & ((UINT64_C(1) << 59) - 1), before);
}

/* True: an event. */
static bool take_special(struct walk *w, unsigned type, uint32_t delta, struct event *ret)
{
    uint32_t word;

    if (type == ORMA_TRACEFS_PAGE_PADDING && !delta) {
        w->at = w->end;
        return false;
    }
    word = take_word(w);
    if (w->broken)
        return false;
    if (type == ORMA_TRACEFS_PAGE_TIME_EXTEND) {
        w->ts += (uint64_t)word << DELTA_BITS;
    } else if (type == ORMA_TRACEFS_PAGE_TIME_ABSOLUTE) {
        w->ts = stamped(w->ts - delta, delta + ((uint64_t)word << DELTA_BITS));
    } else if (word < 4 || word - 4 > (size_t)(w->end - w->at)) {
        w->broken = true;
    } else {
        *ret = (struct event){w->at, word - 4};
        w->at += word - 4;
        return type == ORMA_TRACEFS_PAGE_DATA_LONG && ret->len >= 2;
    }
    return false;
}

static bool next(struct walk *w, struct event *ret)
{
    while (!w->broken && w->end - w->at >= 4) {
        uint32_t head = take_word(w);
        unsigned type = w->t->big ? head >> DELTA_BITS : head & 31;
        uint32_t delta = w->t->big ? head & DELTA_MAX : head >> 5;

        w->ts += delta;
        if (type - 1u > 27u) {
            if (take_special(w, type, delta, ret))
                return true;
            continue;
        }
        *ret = (struct event){w->at, (size_t)type * 4};
        if (ret->len > (size_t)(w->end - w->at)) {
            w->broken = true;
            return false;
        }
        w->at += ret->len;
        return true;
    }
    return false;
}

/* ---- byte order ---- */

static void turn(uint8_t *at, unsigned size)
{
    for (unsigned i = 0; i < size / 2; i++) {
        uint8_t byte = at[i];

        at[i] = at[size - 1 - i];
        at[size - 1 - i] = byte;
    }
}

static void turn_list(uint8_t *at, size_t len, unsigned elem)
{
    for (size_t i = 0; elem > 1 && i + elem <= len; i += elem)
        turn(at + i, elem);
}

static void turn_located(const struct orma_ftrace_format_field *f, uint8_t *data, size_t len)
{
    uint32_t word = orma_tracefs_load32(data + f->offset);
    size_t at = (word & 0xffff) + (f->is_relative ? f->offset + (size_t)f->size : 0);

    if (at <= len && word >> 16 <= len - at)
        turn_list(data + at, word >> 16, f->elem_size);
}

static void turn_field(const struct orma_ftrace_format_field *f, uint8_t *data, size_t len)
{
    if (f->offset > len || f->size > len - f->offset)
        return;
    switch ((enum orma_ftrace_kind)f->kind) {
    case ORMA_FTRACE_KIND_ARRAY:
        turn_list(data + f->offset, f->size, f->elem_size);
        break;
    case ORMA_FTRACE_KIND_ARRAY_TO_END:
        turn_list(data + f->offset, len - f->offset, f->elem_size);
        break;
    case ORMA_FTRACE_KIND_LOC_CHARS:
        turn(data + f->offset, 4);
        break;
    case ORMA_FTRACE_KIND_LOC_ARRAY:
        turn(data + f->offset, 4);
        turn_located(f, data, len);
        break;
    case ORMA_FTRACE_KIND_CHARS:
    case ORMA_FTRACE_KIND_CHARS_TO_END:
    case ORMA_FTRACE_KIND_BOOL:
    case ORMA_FTRACE_KIND_OPAQUE:
        break;
    default:
        turn(data + f->offset, f->size);
        break;
    }
}

static void turn_event(const struct orma_ftrace_format *const *formats, unsigned formats_num,
                       uint8_t *data, size_t len)
{
    turn(data, 2);
    uint16_t id = orma_tracefs_load16(data);
    const struct orma_ftrace_format *format = id < formats_num ? formats[id] : NULL;

    if (!format)
        return;
    if (format->common_pid_offset && format->common_pid_offset + 4u <= len)
        turn(data + format->common_pid_offset, 4);
    for (unsigned i = 0; i < format->fields_num; i++)
        turn_field(&format->fields[i], data, len);
}

/* ---- writing ---- */

static void put_word(struct orma_buf *out, uint32_t word)
{
    orma_buf_put(out, &word, sizeof(word));
}

static void put_u64(struct orma_buf *out, uint64_t val)
{
    orma_buf_put(out, &val, sizeof(val));
}

static void put_event(struct orma_buf *out, uint64_t before, uint64_t ts, const struct event *ev)
{
    const size_t len = (ev->len + 3) & ~(size_t)3;
    static const uint8_t zeros[4];
    uint64_t delta = ts - before;

    if (ts < before) {
        put_word(out, ORMA_TRACEFS_PAGE_TIME_ABSOLUTE | (uint32_t)(ts & DELTA_MAX) << 5);
        put_word(out, (uint32_t)(ts >> DELTA_BITS));
        delta = 0;
    } else if (delta > DELTA_MAX) {
        put_word(out, ORMA_TRACEFS_PAGE_TIME_EXTEND | (uint32_t)(delta & DELTA_MAX) << 5);
        put_word(out, (uint32_t)(delta >> DELTA_BITS));
        delta = 0;
    }
    if (len > SHORT_MAX || !len) {
        put_word(out, (uint32_t)delta << 5);
        put_word(out, (uint32_t)len + 4);
    } else {
        put_word(out, (uint32_t)(len / 4) | (uint32_t)delta << 5);
    }
    orma_buf_put(out, ev->data, ev->len);
    orma_buf_put(out, zeros, len - ev->len);
}

void orma_tracedat_convert_page(const struct orma_tracedat *self, uint32_t cpu,
                                const struct orma_ftrace_format *const *formats,
                                unsigned formats_num, struct orma_str page, struct orma_buf *ret)
{
    const uint8_t *data = (const uint8_t *)page.data;
    const unsigned begin = self->layout.data_offset;
    struct walk w = {.t = self, .broken = page.len < begin};
    uint64_t head[2] = {0, 0}, before;
    struct event ev;

    orma_buf_clear(ret);
    if (!w.broken) {
        /* The flags are in the low half, which on a big-endian machine comes last. */
        uint64_t commit = orma_tracedat_number(self, data + 8, self->layout.commit_size);
        size_t len = commit & ORMA_TRACEFS_PAGE_LENGTH_MASK;

        w.ts = orma_tracedat_number(self, data, 8);
        w.at = data + begin;
        w.end = w.at + ORMA_MIN(len, page.len - begin);
        w.broken = len > page.len - begin;
        head[0] = orma_tracedat_time(self, cpu, w.ts);
        head[1] = commit & ORMA_TRACEFS_PAGE_LOST;
    }
    put_u64(ret, head[0]);
    put_u64(ret, 0);
    before = head[0];
    while (next(&w, &ev)) {
        uint64_t ts = orma_tracedat_time(self, cpu, w.ts);

        put_event(ret, before, ts, &ev);
        before = ts;
        if (self->big && !ret->failed)
            turn_event(formats, formats_num, ret->data + ret->len - ((ev.len + 3) & ~(size_t)3),
                       ev.len);
    }
    if (w.broken)
        put_word(ret, ORMA_TRACEFS_PAGE_PADDING); /* "the end", although more was said to follow */
    if (ret->failed)
        return;
    head[1] |= ret->len - PAGE_HEAD;
    memcpy(ret->data + 8, &head[1], sizeof(head[1]));
}

#define MADE_MAX (1u << 16)

size_t orma_tracedat_make_page(const struct orma_tracedat_event *list, size_t num,
                               struct orma_buf *ret)
{
    uint64_t head[2] = {num ? list[0].ts : 0, 0}, before = head[0];
    size_t n = 0;

    orma_buf_clear(ret);
    put_u64(ret, head[0]);
    put_u64(ret, 0);
    for (; n < num && list[n].cpu == list[0].cpu && ret->len < MADE_MAX && !ret->failed; n++) {
        const struct event ev = {(const uint8_t *)list[n].bytes.data, list[n].bytes.len};

        put_event(ret, before, list[n].ts, &ev);
        before = list[n].ts;
    }
    if (ret->failed)
        return 0;
    head[1] = ret->len - PAGE_HEAD;
    memcpy(ret->data + 8, &head[1], sizeof(head[1]));
    return n;
}

/* ---- sizes of pages ---- */

/* Pages that are looked at to tell their size. */
#define LOOK_PAGES 8

static bool fits(const struct orma_tracedat *t, struct orma_str data, uint32_t size)
{
    const unsigned begin = t->layout.data_offset;
    uint64_t before = 0;

    if (size <= begin || size > ORMA_TRACEFS_PAGE_LENGTH_MASK)
        return false;
    for (unsigned i = 0; i < LOOK_PAGES && data.len >= begin; i++) {
        const uint8_t *at = (const uint8_t *)data.data;
        uint64_t ts = orma_tracedat_number(t, at, 8);
        uint64_t commit = orma_tracedat_number(t, at + 8, t->layout.commit_size);

        if ((commit & ORMA_TRACEFS_PAGE_LENGTH_MASK) > size - begin || (commit && ts < before))
            return false;
        before = commit ? ts : before;
        size_t len = ORMA_MIN(data.len, (size_t)size);
        data = (struct orma_str){data.data + len, data.len - len};
    }
    return true;
}

uint32_t orma_tracedat_page_size(const struct orma_tracedat *self,
                                 const struct orma_tracedat_buffer *buffer, struct orma_str data)
{
    const uint32_t said[] = {buffer->page_size, self->real_page_size, self->page_size};

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(said); i++)
        if (said[i] && fits(self, data, said[i]))
            return said[i];
    for (uint32_t size = 4096; size <= 1u << 20; size *= 2)
        if (fits(self, data, size))
            return size;
    return said[0] ? said[0] : 4096;
}
