/*
 * zip: the list of members at the end, and each one with a header of its own; of a file that was
 * cut off, the headers.
 */
#include "processor/import/formats/container.h"

#include <errno.h>
#include <stdlib.h>

#include "processor/import/formats/formats.h"
#include "sdk/base/vec.h"

/* The list of members: where it is, and how many there are; and the records behind it. */
struct zip_list {
    uint64_t pos, num;
    size_t end_from, end_to; /* the record that ends the archive, with its comment */
    size_t long_from;        /* the one with long numbers; end_from: there is none */
};

#define ZIP_END_LEN 22
#define ZIP64_LOCATOR_LEN 20
#define ZIP64_END_LEN 56
#define ZIP_ENTRY_LEN 46
/* What stands in a field of 32 bits whose value is in an extra field of 64. */
#define ZIP_LONG 0xffffffffu

/* The record at `from`, which may be none: how much speaks for it. 0: it leads to no list. */
static unsigned zip_read_end(const uint8_t *data, size_t len, size_t from, struct zip_list *ret)
{
    const uint8_t *end = data + from;
    uint64_t size = orma_format_le(end + 12, 4);
    size_t to = from + ZIP_END_LEN + (size_t)orma_format_le(end + 20, 2);

    *ret = (struct zip_list){orma_format_le(end + 16, 4), orma_format_le(end + 10, 2), from,
                             ORMA_MIN(to, len), from};
    if (from >= ZIP64_LOCATOR_LEN && !memcmp(end - ZIP64_LOCATOR_LEN, "PK\6\7", 4)) {
        uint64_t at = orma_format_le(end - ZIP64_LOCATOR_LEN + 8, 8);

        if (at > from || from - at < ZIP64_END_LEN || memcmp(data + at, "PK\6\6", 4) != 0)
            return 0;
        ret->pos = orma_format_le(data + at + 48, 8);
        ret->num = orma_format_le(data + at + 32, 8);
        size = orma_format_le(data + at + 40, 8);
        ret->long_from = (size_t)at;
    }
    bool adjoins = ret->pos <= ret->long_from && ret->long_from - ret->pos == size;
    return 1u + (to == len) + 2u * adjoins;
}

/* The record that ends the archive is searched from the end. A comment behind it, and what was
 * put behind the archive, may look like one: the list lies in front of the true one, whose comment
 * reaches to the end. False: there is none. */
static bool zip_find_list(const uint8_t *data, size_t len, struct zip_list *ret)
{
    unsigned best = 0;

    for (size_t back = ZIP_END_LEN; back <= len && back <= 2 * (ZIP_END_LEN + 65535) && best < 4;
         back++) {
        struct zip_list list;

        if (memcmp(data + len - back, "PK\5\6", 4) != 0)
            continue;
        unsigned good = zip_read_end(data, len, len - back, &list);
        if (good > best)
            *ret = list;
        best = ORMA_MAX(best, good);
    }
    return best;
}

/* Behind the local header of a member; false: it lies elsewhere. */
static bool zip_body(const uint8_t *data, size_t len, uint64_t at, uint64_t size,
                     struct orma_format_member *m)
{
    if (at > len || len - at < 30 || memcmp(data + at, "PK\3\4", 4) != 0)
        return false;
    size_t skip =
        30 + (size_t)orma_format_le(data + at + 26, 2) + (size_t)orma_format_le(data + at + 28, 2);
    if (skip > len - at || size > len - at - skip)
        return false;
    m->data = data + at + skip;
    m->len = (size_t)size;
    return true;
}

/* Takes what does not fit into 32 bits from the extra fields: plain size, packed size, place, as
 * far as they are needed. */
static void zip_long_fields(struct orma_str extra, bool plain_is_long, uint64_t *size,
                            uint64_t *place)
{
    const uint8_t *at = (const uint8_t *)extra.data;

    for (size_t left = extra.len; left >= 4;) {
        size_t len = (size_t)orma_format_le(at + 2, 2), pos = 0;

        if (len > left - 4)
            return;
        if (orma_format_le(at, 2) != 1) {
            at += 4 + len;
            left -= 4 + len;
            continue;
        }
        if (plain_is_long)
            pos += 8;
        if (*size == ZIP_LONG && pos + 8 <= len) {
            *size = orma_format_le(at + 4 + pos, 8);
            pos += 8;
        }
        if (*place == ZIP_LONG && pos + 8 <= len)
            *place = orma_format_le(at + 4 + pos, 8);
        return;
    }
}

static void note_span(struct orma_format_archive *a, size_t from, size_t to)
{
    if (ORMA_GROW(&a->spans, &a->spans_cap, a->spans_num + (size_t)1))
        a->file->imp->model->storage->failed = true;
    else
        a->spans[a->spans_num++] = (struct orma_format_span){from, to};
}

static int by_begin(const void *a, const void *b)
{
    const struct orma_format_span *x = a, *y = b;

    return x->from < y->from ? -1 : x->from > y->from;
}

/* Headers of members, or entries of a list, that the list does not name, and whatever else the
 * list does not lead to; padding is none. */
static void tell_gap(struct orma_format_archive *a, const uint8_t *data, size_t from, size_t to)
{
    while (from < to && !data[from])
        from++;
    if (from == to)
        return;
    const struct orma_str gap = {(const char *)data + from, to - from};
    bool members = orma_str_find(gap, ORMA_STR("PK\3\4")) || orma_str_find(gap, ORMA_STR("PK\1\2"));

    orma_file_damage(a->file, data + from, to - from,
                     members ? "members missing from its central directory"
                             : "bytes that its central directory does not lead to");
}

static void tell_gaps(struct orma_format_archive *a, const uint8_t *data, size_t len)
{
    size_t end = 0;

    if (a->spans_num)
        qsort(a->spans, a->spans_num, sizeof(*a->spans), by_begin);
    for (unsigned i = 0; i < a->spans_num; i++) {
        if (a->spans[i].from > end)
            tell_gap(a, data, end, a->spans[i].from);
        end = ORMA_MAX(end, a->spans[i].to);
    }
    tell_gap(a, data, end, len);
}

/* The bytes behind a member that tell its sum and sizes once more, of 32 or 64 bits; 0: none. */
static size_t zip_descriptor(const uint8_t *at, size_t left, const uint8_t *entry, size_t size)
{
    size_t mark = left >= 4 && !memcmp(at, "PK\7\10", 4) ? 4 : 0;

    if (left < mark + 12 || memcmp(at + mark, entry + 16, 4) != 0)
        return 0;
    if (left >= mark + 20 && orma_format_le(at + mark + 4, 8) == size &&
        (orma_format_le(entry + 24, 4) == ZIP_LONG ||
         orma_format_le(at + mark + 12, 8) == orma_format_le(entry + 24, 4)))
        return mark + 20;
    return mark + 12;
}

/* One entry of the list; returns its size in bytes, 0 if it is invalid, which is reported. */
static size_t zip_entry(struct orma_format_archive *a, const uint8_t *data, size_t len, size_t pos)
{
    const uint8_t *entry = data + pos;
    size_t left = len - pos;

    if (left < ZIP_ENTRY_LEN || memcmp(entry, "PK\1\2", 4) != 0) {
        orma_format_archive_bad(a, "its central directory is truncated");
        return 0;
    }
    uint64_t method = orma_format_le(entry + 10, 2), size = orma_format_le(entry + 20, 4),
             place = orma_format_le(entry + 42, 4);
    size_t name_len = (size_t)orma_format_le(entry + 28, 2),
           extra_len = (size_t)orma_format_le(entry + 30, 2);
    struct orma_format_member m = {.packed = method == 8};
    if (name_len + extra_len > left - ZIP_ENTRY_LEN) {
        orma_format_archive_bad(a, "its central directory is truncated");
        return 0;
    }
    m.name = (struct orma_str){(const char *)entry + ZIP_ENTRY_LEN, name_len};
    if (orma_format_le(entry + 8, 2) & 1 || (method != 0 && method != 8)) {
        orma_file_error(a->file, -ENOTSUP,
                        "a member of the zip archive (%.*s) is encrypted, or its compression "
                        "method is not supported: use deflate",
                        ORMA_STR_ARG(m.name));
        return 0;
    }
    const struct orma_str extra = {m.name.data + name_len, extra_len};
    zip_long_fields(extra, orma_format_le(entry + 24, 4) == ZIP_LONG, &size, &place);
    if (!zip_body(data, len, place, size, &m)) {
        orma_format_archive_bad(a, "a member is past its end");
        return 0;
    }
    m.sum = entry + 16;
    m.size = orma_format_le(entry + 24, 4);
    size_t end = (size_t)(m.data - data) + m.len;
    /* The list and the member itself may differ; zip_body() has looked at the latter. */
    if ((orma_format_le(entry + 8, 2) | orma_format_le(data + place + 6, 2)) & 8)
        end += zip_descriptor(data + end, len - end, entry, m.len);
    note_span(a, (size_t)place, end);
    orma_format_archive_add(a, &m);
    return ZIP_ENTRY_LEN + name_len + extra_len + (size_t)orma_format_le(entry + 32, 2);
}

/* The end of a member whose header has no size: where another header follows. */
static size_t zip_next(const uint8_t *data, size_t len, size_t pos)
{
    for (size_t at = pos; len - at >= 4; at++) {
        const uint8_t *next = memchr(data + at, 'P', len - at - 3);

        if (!next)
            break;
        at = (size_t)(next - data);
        if (next[1] == 'K' && ((next[2] == 3 && next[3] == 4) || (next[2] == 1 && next[3] == 2) ||
                               (next[2] == 7 && next[3] == 8)))
            return at - pos;
    }
    return len - pos;
}

/* An archive whose end is missing, and the list of members with it: they have headers, too. */
static void read_cut_zip(struct orma_format_archive *a, const uint8_t *data, size_t len)
{
    size_t pos = 0;

    while (len - pos > 30 && !memcmp(data + pos, "PK\3\4", 4) && !orma_file_failed(a->file)) {
        const uint8_t *header = data + pos;
        uint64_t flags = orma_format_le(header + 6, 2), method = orma_format_le(header + 8, 2),
                 size = orma_format_le(header + 18, 4);
        size_t name_len = (size_t)orma_format_le(header + 26, 2),
               extra_len = (size_t)orma_format_le(header + 28, 2);

        pos += 30;
        if (name_len + extra_len > len - pos)
            break;
        struct orma_format_member m = {.packed = method == 8};
        m.name = (struct orma_str){(const char *)data + pos, name_len};
        pos += name_len + extra_len;
        m.data = data + pos;
        if (size == ZIP_LONG || size > len - pos || flags & 8)
            size = zip_next(data, len, pos);
        m.len = (size_t)size;
        if (!(flags & 1) && (method == 0 || method == 8))
            orma_format_archive_add(a, &m);
        else
            orma_format_archive_skip(
                a, orma_model_cstr(a->file->imp->model, "encrypted or otherwise packed members"),
                1);
        pos += m.len;
        if (len - pos > 16 && !memcmp(data + pos, "PK\7\10", 4))
            pos += 16; /* the data descriptor: sizes that the header lacks */
    }
    if (a->num)
        orma_file_truncated(a->file, 1);
    else
        orma_format_archive_bad(a, "it has no central directory; it may be truncated");
}

void orma_format_archive_read_zip(struct orma_format_archive *a, const uint8_t *data, size_t len)
{
    struct zip_list list = {0};

    if (!zip_find_list(data, len, &list)) {
        read_cut_zip(a, data, len);
        return;
    }
    const size_t begin = (size_t)ORMA_MIN(list.pos, len);
    for (uint64_t i = 0; i < list.num && !orma_file_failed(a->file); i++) {
        size_t used = list.pos <= len ? zip_entry(a, data, len, (size_t)list.pos) : 0;

        if (!used) {
            if (list.pos > len)
                orma_format_archive_bad(a, "its central directory is truncated");
            return;
        }
        list.pos += used;
    }
    note_span(a, begin, (size_t)ORMA_MIN(list.pos, len));
    note_span(a, list.long_from, list.end_to);
    if (!orma_file_failed(a->file))
        tell_gaps(a, data, len);
}
