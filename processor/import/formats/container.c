/*
 * Files with several files in them: tar and zip. Members are detected by their first bytes
 * and imported by kind: packets first, then containers, then the rest, symbols last; within a kind
 * by name. Hidden members (a part of the path begins with a dot) are left out.
 *
 * Reading has three steps: the list of members is collected, then each member's first bytes are
 * unpacked to detect its kind, then the sorted members are imported one by one. A zip archive is
 * read from its list at the end; one whose end is missing, by the headers of its members.
 */
#include "processor/import/formats/formats.h"

#include <errno.h>
#include <stdlib.h>

#include "processor/read/inflate.h"
#include "sdk/base/vec.h"

/* Bytes of a member that suffice to detect its format. */
#define HEAD 4096
/* More members than any honest archive of traces has. */
#define MEMBERS_MAX 65536

struct member {
    struct orma_str name; /* of the archive, or of its arena */
    const uint8_t *data;  /* as it lies there */
    size_t len;
    bool packed;        /* deflated */
    bool is_trace;      /* or holds such */
    bool repeats;       /* another one has the same bytes */
    const uint8_t *sum; /* in the list of a zip archive; NULL: none */
    unsigned idx, kind;
    uint32_t row; /* in trace_file */
};

/* Where an entry of a zip archive lies, from its own header on; members that are left out, too. */
struct span {
    size_t from, to;
};

struct archive {
    struct orma_file *file;
    struct span *spans;
    unsigned spans_num, spans_cap;
    struct member *list;
    unsigned num, cap;
    unsigned hidden;
    struct orma_arena names;
};

static void bad(struct archive *a, const char *what)
{
    orma_file_error(a->file, -EBADMSG, "the %s archive is corrupt: %s (ERR:decomp)",
                    orma_detect_format_names[a->file->format], what);
}

static bool is_hidden(struct orma_str path)
{
    struct orma_str part;

    while (orma_str_cut(&path, '/', &part))
        if (part.len > 1 && part.data[0] == '.' && !orma_str_eq(part, ORMA_STR("..")))
            return true;
    return false;
}

static void skip_members(struct archive *a, uint32_t kind, unsigned num)
{
    orma_account_begin(a->file->account, num);
    (void)orma_account_skipped(a->file->account, a->file->imp->model, ORMA_ACCOUNT_NOT_READ, kind,
                               num, -1);
}

/* A deflated stream of nothing has two bytes. */
static bool is_empty(const struct member *m)
{
    return m->len <= (m->packed ? 2u : 0u);
}

static void add_member(struct archive *a, const struct member *m)
{
    struct orma_model *model = a->file->imp->model;

    if (is_hidden(m->name)) {
        a->hidden += !is_empty(m);
        return;
    }
    if (!m->name.len || m->name.data[m->name.len - 1] == '/') {
        if (!is_empty(m))
            skip_members(a, orma_model_cstr(model, "members with the name of a folder"), 1);
        return;
    }
    if (!m->len)
        return;
    if (a->num == MEMBERS_MAX) {
        bad(a, "more than 65536 members");
        return;
    }
    if (ORMA_GROW(&a->list, &a->cap, a->num + (size_t)1)) {
        a->file->imp->model->storage->failed = true;
        return;
    }
    a->list[a->num] = *m;
    a->list[a->num].idx = a->num;
    a->num++;
}

/* ---- tar ---- */

#define BLOCK 512

static bool octal(const uint8_t *at, size_t len, uint64_t *ret)
{
    size_t i = 0;

    *ret = 0;
    if (at[0] & 0x80) { /* large ones are binary */
        for (i = len - 8; i < len; i++)
            *ret = *ret << 8 | at[i];
        return true;
    }
    while (i < len && at[i] == ' ')
        i++;
    for (; i < len && at[i] >= '0' && at[i] <= '7'; i++)
        *ret = *ret << 3 | (uint64_t)(at[i] - '0');
    return i == len || !at[i] || at[i] == ' ';
}

static struct orma_str text_of(const uint8_t *at, size_t len)
{
    return (struct orma_str){(const char *)at, strnlen((const char *)at, len)};
}

/* "27 path=some/where\n" records: the value of the last one with this name, e.g. " path=". */
static struct orma_str pax_value(struct orma_str text, struct orma_str name)
{
    struct orma_str line, ret = {0};
    const char *at;

    while (orma_str_cut(&text, '\n', &line))
        if ((at = orma_str_find(line, name)))
            ret = (struct orma_str){at + name.len, (size_t)(line.data + line.len - at) - name.len};
    return ret;
}

static struct orma_str tar_name(struct archive *a, const uint8_t *header)
{
    struct orma_str name = text_of(header, 100), prefix = text_of(header + 345, 155);
    struct orma_buf path = {0};

    if (!prefix.len || memcmp(header + 257, "ustar\0", 6) != 0)
        return name;
    orma_buf_printf(&path, "%.*s/%.*s", ORMA_STR_ARG(prefix), ORMA_STR_ARG(name));
    struct orma_str ret = orma_buf_str(&path);
    ret.data = orma_arena_strdup(&a->names, ret);
    a->file->imp->model->storage->failed |= !ret.data || path.failed;
    orma_buf_fini(&path);
    return ret.data ? ret : name;
}

/* The sum of its bytes, with blanks in the place of the sum itself. Old ones took bytes as signed.
 */
static bool is_tar_header(const uint8_t *header)
{
    uint64_t said;
    int64_t sum = 0, sum_signed = 0;

    for (unsigned i = 0; i < BLOCK; i++) {
        uint8_t c = i >= 148 && i < 156 ? ' ' : header[i];

        sum += c;
        sum_signed += (int8_t)c;
    }
    return octal(header + 148, 8, &said) && ((int64_t)said == sum || (int64_t)said == sum_signed);
}

static bool is_zero(const uint8_t *data, size_t len)
{
    return !len || (!data[0] && !memcmp(data, data + 1, len - 1));
}

/* A member whose bytes are not those of a file. */
static void skip_tar_member(struct archive *a, char type)
{
    skip_members(
        a, orma_strpool_addf(&a->file->imp->model->storage->pool, "members of tar's type %c", type),
        1);
}

/* The next header behind what is none; 0: there is nothing in this archive. */
static size_t skip_damaged_tar(struct archive *a, const uint8_t *data, size_t len, size_t pos)
{
    size_t to = pos + BLOCK;

    while (len - to >= BLOCK && memcmp(data + to + 257, "ustar", 5) != 0)
        to += BLOCK;
    if (len - to < BLOCK)
        to = len;
    if (to == len && !a->num) {
        bad(a, "the header of a member is invalid");
        return 0;
    }
    orma_file_damage(a->file, data + pos, to - pos, "the header of a member is missing");
    return to;
}

static void read_tar(struct archive *a, const uint8_t *data, size_t len)
{
    struct orma_str long_name = {0}, long_size = {0};
    size_t pos = 0;

    while (len - pos >= BLOCK && !orma_file_failed(a->file)) {
        const uint8_t *header = data + pos;
        uint64_t size;

        if (is_zero(header, BLOCK)) { /* the end, behind which another archive may lie */
            pos += BLOCK;
            continue;
        }

        pos += BLOCK;
        bool good = octal(header + 124, 12, &size) &&
                    (!long_size.len || orma_str_to_u64(long_size, &size)) && header[0] &&
                    (!memcmp(header + 257, "ustar", 5) || is_tar_header(header));
        if (!good || (size > len - pos && memcmp(header + 257, "ustar", 5) != 0)) {
            if (!(pos = skip_damaged_tar(a, data, len, pos - BLOCK)))
                return;
            continue;
        }
        if (size > len - pos && (!a->num && pos == len)) {
            bad(a, "a member extends past the end of the archive");
            return;
        }
        if (size > len - pos) { /* what is there of it is read */
            orma_file_truncated(a->file, 1);
            size = len - pos;
        }
        struct orma_str body = {(const char *)data + pos, (size_t)size};
        long_size = (struct orma_str){0};
        switch (header[156]) {
        case 'x':
            long_name = pax_value(body, ORMA_STR(" path="));
            long_size = pax_value(body, ORMA_STR(" size="));
            break;
        case 'L':
            long_name = text_of(data + pos, (size_t)size);
            break;
        case '0':
        case '\0':
        case '7': {
            struct member m = {.data = data + pos, .len = (size_t)size};

            m.name = long_name.len ? long_name : tar_name(a, header);
            add_member(a, &m);
            long_name = (struct orma_str){0};
            break;
        }
        default: /* folders, links, devices: nothing but names, if they are what they say */
            if ((header[156] >= 'A' && header[156] <= 'Z' && !strchr("DKNV", header[156])) ||
                (header[156] >= '1' && header[156] <= '6' && size))
                skip_tar_member(a, (char)header[156]);
            long_name = (struct orma_str){0};
        }
        size = (size + BLOCK - 1) / BLOCK * BLOCK;
        pos += ORMA_MIN((size_t)size, len - pos);
    }
    if (!is_zero(data + pos, len - pos) && !orma_file_failed(a->file))
        orma_file_truncated(a->file, len - pos); /* in a header */
}

/* ---- zip ---- */

static uint64_t le(const uint8_t *at, unsigned bytes)
{
    uint64_t val = 0;

    for (unsigned i = bytes; i-- > 0;)
        val = val << 8 | at[i];
    return val;
}

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
    uint64_t size = le(end + 12, 4);
    size_t to = from + ZIP_END_LEN + (size_t)le(end + 20, 2);

    *ret = (struct zip_list){le(end + 16, 4), le(end + 10, 2), from, ORMA_MIN(to, len), from};
    if (from >= ZIP64_LOCATOR_LEN && !memcmp(end - ZIP64_LOCATOR_LEN, "PK\6\7", 4)) {
        uint64_t at = le(end - ZIP64_LOCATOR_LEN + 8, 8);

        if (at > from || from - at < ZIP64_END_LEN || memcmp(data + at, "PK\6\6", 4) != 0)
            return 0;
        ret->pos = le(data + at + 48, 8);
        ret->num = le(data + at + 32, 8);
        size = le(data + at + 40, 8);
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
static bool zip_body(const uint8_t *data, size_t len, uint64_t at, uint64_t size, struct member *m)
{
    if (at > len || len - at < 30 || memcmp(data + at, "PK\3\4", 4) != 0)
        return false;
    size_t skip = 30 + (size_t)le(data + at + 26, 2) + (size_t)le(data + at + 28, 2);
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
        size_t len = (size_t)le(at + 2, 2), pos = 0;

        if (len > left - 4)
            return;
        if (le(at, 2) != 1) {
            at += 4 + len;
            left -= 4 + len;
            continue;
        }
        if (plain_is_long)
            pos += 8;
        if (*size == ZIP_LONG && pos + 8 <= len) {
            *size = le(at + 4 + pos, 8);
            pos += 8;
        }
        if (*place == ZIP_LONG && pos + 8 <= len)
            *place = le(at + 4 + pos, 8);
        return;
    }
}

static void note_span(struct archive *a, size_t from, size_t to)
{
    if (ORMA_GROW(&a->spans, &a->spans_cap, a->spans_num + (size_t)1))
        a->file->imp->model->storage->failed = true;
    else
        a->spans[a->spans_num++] = (struct span){from, to};
}

static int by_begin(const void *a, const void *b)
{
    const struct span *x = a, *y = b;

    return x->from < y->from ? -1 : x->from > y->from;
}

/* Headers of members, or entries of a list, that the list does not name, and whatever else the
 * list does not lead to; padding is none. */
static void tell_gap(struct archive *a, const uint8_t *data, size_t from, size_t to)
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

static void tell_gaps(struct archive *a, const uint8_t *data, size_t len)
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
    if (left >= mark + 20 && le(at + mark + 4, 8) == size &&
        (le(entry + 24, 4) == ZIP_LONG || le(at + mark + 12, 8) == le(entry + 24, 4)))
        return mark + 20;
    return mark + 12;
}

/* One entry of the list; returns its size in bytes, 0 if it is invalid, which is reported. */
static size_t zip_entry(struct archive *a, const uint8_t *data, size_t len, size_t pos)
{
    const uint8_t *entry = data + pos;
    size_t left = len - pos;

    if (left < ZIP_ENTRY_LEN || memcmp(entry, "PK\1\2", 4) != 0) {
        bad(a, "its central directory is truncated");
        return 0;
    }
    uint64_t method = le(entry + 10, 2), size = le(entry + 20, 4), place = le(entry + 42, 4);
    size_t name_len = (size_t)le(entry + 28, 2), extra_len = (size_t)le(entry + 30, 2);
    struct member m = {.packed = method == 8};
    if (name_len + extra_len > left - ZIP_ENTRY_LEN) {
        bad(a, "its central directory is truncated");
        return 0;
    }
    m.name = (struct orma_str){(const char *)entry + ZIP_ENTRY_LEN, name_len};
    if (le(entry + 8, 2) & 1 || (method != 0 && method != 8)) {
        orma_file_error(a->file, -ENOTSUP,
                        "a member of the zip archive (%.*s) is encrypted, or its compression "
                        "method is not supported: use deflate",
                        ORMA_STR_ARG(m.name));
        return 0;
    }
    const struct orma_str extra = {m.name.data + name_len, extra_len};
    zip_long_fields(extra, le(entry + 24, 4) == ZIP_LONG, &size, &place);
    if (!zip_body(data, len, place, size, &m)) {
        bad(a, "a member is past its end");
        return 0;
    }
    m.sum = entry + 16;
    size_t end = (size_t)(m.data - data) + m.len;
    if (le(entry + 8, 2) & 8)
        end += zip_descriptor(data + end, len - end, entry, m.len);
    note_span(a, (size_t)place, end);
    add_member(a, &m);
    return ZIP_ENTRY_LEN + name_len + extra_len + (size_t)le(entry + 32, 2);
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
static void read_cut_zip(struct archive *a, const uint8_t *data, size_t len)
{
    size_t pos = 0;

    while (len - pos > 30 && !memcmp(data + pos, "PK\3\4", 4) && !orma_file_failed(a->file)) {
        const uint8_t *header = data + pos;
        uint64_t flags = le(header + 6, 2), method = le(header + 8, 2), size = le(header + 18, 4);
        size_t name_len = (size_t)le(header + 26, 2), extra_len = (size_t)le(header + 28, 2);

        pos += 30;
        if (name_len + extra_len > len - pos)
            break;
        struct member m = {.packed = method == 8};
        m.name = (struct orma_str){(const char *)data + pos, name_len};
        pos += name_len + extra_len;
        m.data = data + pos;
        if (size == ZIP_LONG || size > len - pos || flags & 8)
            size = zip_next(data, len, pos);
        m.len = (size_t)size;
        if (!(flags & 1) && (method == 0 || method == 8))
            add_member(a, &m);
        else
            skip_members(a,
                         orma_model_cstr(a->file->imp->model,
                                         "encrypted or otherwise packed members"),
                         1);
        pos += m.len;
        if (len - pos > 16 && !memcmp(data + pos, "PK\7\10", 4))
            pos += 16; /* the data descriptor: sizes that the header lacks */
    }
    if (a->num)
        orma_file_truncated(a->file, 1);
    else
        bad(a, "it has no central directory; it may be truncated");
}

static void read_zip(struct archive *a, const uint8_t *data, size_t len)
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
                bad(a, "its central directory is truncated");
            return;
        }
        list.pos += used;
    }
    note_span(a, begin, (size_t)ORMA_MIN(list.pos, len));
    note_span(a, list.long_from, list.end_to);
    if (!orma_file_failed(a->file))
        tell_gaps(a, data, len);
}

/* ---- members ---- */

struct head {
    uint8_t data[HEAD];
    size_t len;
};

static void head_sink(void *data, const uint8_t *bytes, size_t len)
{
    struct head *h = data;
    size_t n = ORMA_MIN(len, HEAD - h->len);

    memcpy(h->data + h->len, bytes, n);
    h->len += n;
}

/* The first bytes of a member, unpacked as far as need be. */
static void read_head(const struct member *m, struct head *ret)
{
    ret->len = 0;
    if (!m->packed) {
        head_sink(ret, m->data, m->len);
        return;
    }
    struct orma_inflater *z = orma_inflater_new(ORMA_INFLATE_RAW);
    for (size_t pos = 0; z && pos < m->len && ret->len < HEAD; pos += HEAD) {
        const struct orma_str piece = {(const char *)m->data + pos, ORMA_MIN(HEAD, m->len - pos)};

        if (orma_inflater_feed(z, piece, head_sink, ret) < 0)
            break; /* reported when all of it is read */
    }
    orma_inflater_free(z);
}

static unsigned kind_of(enum orma_format format)
{
    switch (format) {
    case ORMA_FORMAT_MANIFEST:
        return 0;
    case ORMA_FORMAT_PROTO:
        return 1;
    case ORMA_FORMAT_GZIP:
    case ORMA_FORMAT_ZSTD:
    case ORMA_FORMAT_ZIP:
    case ORMA_FORMAT_TAR:
    case ORMA_FORMAT_CTRACE:
        return 2;
    case ORMA_FORMAT_SYMBOLS:
        return 4;
    default:
        return 3;
    }
}

static int by_kind(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    size_t len = ORMA_MIN(x->name.len, y->name.len);
    int r = memcmp(x->name.data, y->name.data, len);

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (!r && x->name.len != y->name.len)
        r = x->name.len < y->name.len ? -1 : 1;
    if (!r)
        r = x->idx < y->idx ? -1 : x->idx > y->idx;
    return r;
}

static void look_into(struct member *m)
{
    struct head h;

    read_head(m, &h);
    enum orma_format format = orma_detect_format(h.data, h.len, true);
    m->kind = kind_of(format);
    m->is_trace = format != ORMA_FORMAT_UNKNOWN && format != ORMA_FORMAT_MANIFEST &&
                  format != ORMA_FORMAT_SYMBOLS;
}

static int by_bytes(const void *a, const void *b)
{
    const struct member *x = a, *y = b;

    if (x->is_trace != y->is_trace)
        return x->is_trace ? -1 : 1;
    if (x->len != y->len)
        return x->len < y->len ? -1 : 1;
    return memcmp(x->data, y->data, x->len);
}

/* Of equals, the first to be read comes first. */
static int by_bytes_then_place(const void *a, const void *b)
{
    int r = by_bytes(a, b);

    return r ? r : by_kind(a, b);
}

/* The same trace under two names has all its rows more than once: nobody wants that without a word. */
static void find_repeated(struct archive *a)
{
    if (a->num)
        qsort(a->list, a->num, sizeof(*a->list), by_bytes_then_place);
    for (unsigned i = 1; i < a->num && a->list[i].is_trace; i++)
        a->list[i].repeats = !by_bytes(&a->list[i - 1], &a->list[i]);
}

struct unpacking {
    struct orma_file *inside;
    uint32_t crc;
};

static void sink(void *data, const uint8_t *bytes, size_t len)
{
    struct unpacking *self = data;

    (void)orma_inflate_sum(&self->crc, bytes, len);
    orma_file_feed(self->inside, bytes, len);
}

static void check_sum(struct archive *a, const struct member *m, uint32_t crc)
{
    if (m->sum && le(m->sum, 4) != crc && !orma_file_failed(a->file))
        orma_file_damage(a->file, m->sum, 4, "the checksum of a member is wrong");
}

static int by_idx(const void *a, const void *b)
{
    const struct member *x = a, *y = b;

    return x->idx < y->idx ? -1 : x->idx > y->idx;
}

/* All members are known before the first is read, in the order of the archive. */
static void list_members(struct archive *a)
{
    struct orma_model *model = a->file->imp->model;

    if (a->num)
        qsort(a->list, a->num, sizeof(*a->list), by_idx);
    for (unsigned i = 0; i < a->num && !orma_file_failed(a->file); i++)
        a->list[i].row =
            orma_file_list(a->file, orma_model_str(model, a->list[i].name), a->list[i].len);
}

static void import_member(struct archive *a, const struct member *m)
{
    struct orma_import_ctx *imp = a->file->imp;
    struct orma_file *inside = orma_file_new(a->file->import, a->file, m->row);

    orma_file_unit(a->file, m->data);
    (void)orma_file_took(a->file); /* it has an account of its own */
    if (!inside || orma_file_failed(a->file))
        return;
    if (!m->packed) {
        if (!orma_file_is_bomb(inside, m->len)) {
            uint32_t crc = 0;

            if (m->sum && orma_inflate_sum(&crc, m->data, m->len))
                check_sum(a, m, crc);
            orma_file_map_all(inside, m->data, m->len);
        }
    } else {
        struct orma_inflater *z = orma_inflater_new(ORMA_INFLATE_RAW);
        struct orma_str bytes = {(const char *)m->data, m->len};
        struct unpacking unpacking = {.inside = inside};

        if (z)
            orma_inflater_bound(z, orma_unpacked_left(&imp->reader->unpacked));
        int r = z ? orma_inflater_feed(z, bytes, sink, &unpacking) : -ENOMEM;

        if (orma_formats_unpacked(inside, z, r, bytes, true) && orma_inflater_done(z))
            check_sum(a, m, unpacking.crc);
        orma_inflater_free(z);
    }
    if (m->repeats)
        orma_stats_inc(orma_model_stats(imp->model, imp->model->base), ORMA_STAT_MEMBERS_REPEATED);
    orma_file_finish(inside);
}

static int by_place(const void *a, const void *b)
{
    const struct member *x = a, *y = b;

    return x->data < y->data ? -1 : x->data > y->data;
}

/* An archive that dumpstate made has its text under that name, and hundreds of files that are no
 * traces. */
static void keep_bug_report(struct archive *a)
{
    for (unsigned i = 0; i < a->num; i++) {
        struct orma_str name = a->list[i].name;

        if (orma_str_starts(name, ORMA_STR("bugreport-")) && name.len > 4 &&
            !memcmp(name.data + name.len - 4, ".txt", 4)) {
            a->list[0] = a->list[i];
            orma_account_begin(a->file->account, a->num - 1);
            (void)orma_account_skipped(
                a->file->account, a->file->imp->model, ORMA_ACCOUNT_NOT_READ,
                orma_model_cstr(a->file->imp->model, "other files of the bug report"), a->num - 1,
                -1);
            a->num = 1;
            return;
        }
    }
}

/* Members that share bytes make much out of little: no archiver writes such. */
static void refuse_overlaps(struct archive *a)
{
    qsort(a->list, a->num, sizeof(*a->list), by_place);
    for (unsigned i = 1; i < a->num; i++) {
        const struct member *m = &a->list[i - 1];

        if ((size_t)(a->list[i].data - m->data) < m->len) {
            bad(a, "its members overlap: refused as a zip bomb");
            return;
        }
    }
}

static size_t archive_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct archive *a = file->state;

    (void)at_end; /* it is read once, whole */
    a->file = file;
    file->imp->reader->full_sort = true;
    if (file->format == ORMA_FORMAT_TAR)
        read_tar(a, data, len);
    else
        read_zip(a, data, len);
    keep_bug_report(a);
    if (!a->num && a->hidden) /* else nobody misses them */
        skip_members(a, orma_model_cstr(file->imp->model, "hidden members"), a->hidden);
    if (a->num)
        refuse_overlaps(a);
    for (unsigned i = 0; i < a->num && !orma_file_failed(file); i++)
        look_into(&a->list[i]);
    find_repeated(a);
    list_members(a);
    if (a->num)
        qsort(a->list, a->num, sizeof(*a->list), by_kind);
    for (unsigned i = 0; i < a->num && !orma_file_failed(file); i++)
        import_member(a, &a->list[i]);
    return len;
}

static void archive_fini(struct orma_file *file)
{
    struct archive *a = file->state;

    free(a->list);
    free(a->spans);
    orma_arena_fini(&a->names);
}

const struct orma_format_ops orma_format_archive = {
    .state_bytes = sizeof(struct archive),
    .unit = ORMA_ACCOUNT_MEMBER,
    .whole = true,
    .read = archive_read,
    .fini = archive_fini,
};
