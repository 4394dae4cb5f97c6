/*
 * Bits of CTF to values, by a tree of types.
 *
 * Little-endian numbers take bits from the low end of bytes upwards, big-endian ones from the high
 * end downwards; places are counted from the begin of the packet. Nothing is read behind the end,
 * and each loop takes bits, or ends.
 */
#include "processor/import/formats/ctf.h"

/* Ranges that are compared, per node. */
#define RANGES_OF_NODE 8
/* Of long lists so many elements are shown. */
#define ELEMENTS_MAX 1024

#define IS_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static void fail(struct orma_ctf_decoder *d)
{
    d->failed = true;
    d->pos = d->end;
}

static inline bool align(struct orma_ctf_decoder *d, uint32_t to)
{
    const uint64_t pos = (d->pos + to - 1) & ~(uint64_t)(to - 1);

    if (pos > d->end) {
        fail(d);
        return false;
    }
    d->pos = pos;
    return true;
}

static inline uint64_t mask_of(uint32_t bits)
{
    return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

/* Bits that begin or end inside of a byte. */
static uint64_t odd_bits(struct orma_ctf_decoder *d, uint32_t bits, bool big)
{
    const uint8_t *at = d->data + d->pos / 8;
    const unsigned skip = d->pos % 8, bytes = (skip + bits + 7) / 8;
    const unsigned first = ORMA_MIN(bytes, 8u); /* the ninth only adds some bits */
    uint64_t val = 0;

    for (unsigned i = 0; i < first; i++)
        val = val << 8 | at[big ? i : first - 1 - i];
    const unsigned after = bytes * 8 - skip - bits;
    if (bytes > first)
        val = big ? val << (8 - after) | at[8] >> after : val >> skip | (uint64_t)at[8] << (64 - skip);
    else
        val >>= big ? after : skip;
    return val & mask_of(bits);
}

/* Whole bytes. */
static inline uint64_t whole_bytes(const uint8_t *at, uint32_t bits, bool big)
{
    uint64_t val = 0;

    if (bits == 32) {
        uint32_t word;

        memcpy(&word, at, sizeof(word));
        return big == IS_BIG ? word : __builtin_bswap32(word);
    }
    if (bits == 64) {
        memcpy(&val, at, sizeof(val));
        return big == IS_BIG ? val : __builtin_bswap64(val);
    }
    for (unsigned i = 0, bytes = bits / 8; i < bytes; i++)
        val = val << 8 | at[big ? i : bytes - 1 - i];
    return val;
}

static inline uint64_t take_bits(struct orma_ctf_decoder *d, uint32_t bits, bool big)
{
    uint64_t val;

    if (bits > d->end - d->pos) {
        fail(d);
        return 0;
    }
    /* Two orders meet in a byte. */
    if (d->pos % 8 && d->last_order && d->last_order != 1 + big) {
        fail(d);
        return 0;
    }
    d->last_order = 1 + big;
    val = !(d->pos % 8) && !(bits % 8) ? whole_bytes(d->data + d->pos / 8, bits, big)
                                       : odd_bits(d, bits, big);
    d->pos += bits;
    return val;
}

static uint64_t sign_extended(uint64_t val, uint32_t bits)
{
    return bits < 64 && val >> (bits - 1) & 1 ? val | ~mask_of(bits) : val;
}

/* ---- leaves ---- */

static void put(struct orma_ctf_decoder *d, const struct orma_ctf_type *t,
                const struct orma_ctf_value *v)
{
    if (d->put)
        d->put(d, t, d->elements ? orma_buf_str(&d->path) : (struct orma_str){NULL, 0}, v);
}

static void update_clock(struct orma_ctf_decoder *d, uint64_t val, uint32_t bits)
{
    const uint64_t mask = mask_of(bits);

    val &= mask;
    if (bits < 64 && val < (d->clock & mask))
        d->clock += mask + 1;
    d->clock = (d->clock & ~mask) | val;
}

static void number(struct orma_ctf_decoder *d, const struct orma_ctf_type *t, uint64_t val,
                   uint32_t bits)
{
    if (d->failed)
        return;
    if (ORMA_UNLIKELY(t->updates))
        update_clock(d, val, bits);
    if (t->is_signed)
        val = sign_extended(val, bits);
    if (t->role) {
        d->roles[t->role] = val;
        d->seen |= 1u << t->role;
    }
    if (t->stores & ORMA_CTF_PACKET_SLOT)
        d->packet_slots[(t->stores & ~ORMA_CTF_PACKET_SLOT) - 1] = val;
    else if (t->stores)
        d->event_slots[t->stores - 1] = val;
    if (d->put)
        put(d, t,
            &(struct orma_ctf_value){.is = t->is_signed ? ORMA_CTF_SIGNED : ORMA_CTF_UNSIGNED,
                                     .u = val});
}

static void varint(struct orma_ctf_decoder *d, const struct orma_ctf_type *t)
{
    uint64_t val = 0;
    uint32_t bits = 0;
    uint8_t byte = 0x80;

    if (!align(d, ORMA_MAX(t->align, 8u)))
        return;
    while (byte & 0x80 && !d->failed) {
        byte = (uint8_t)take_bits(d, 8, false);
        if (bits < 64)
            val |= (uint64_t)(byte & 0x7f) << bits;
        else if (byte & 0x7f && (byte & 0x7f) != 0x7f)
            fail(d);
        bits += 7;
        if (bits > 140)
            fail(d);
    }
    number(d, t, val, ORMA_MIN(bits, 64u));
}

static double half(uint64_t bits)
{
    const unsigned exp = bits >> 10 & 31;
    const double fraction = (double)(bits & 1023) / 1024, sign = bits >> 15 & 1 ? -1 : 1;

    if (exp == 31)
        return bits & 1023 ? __builtin_nan("") : sign * __builtin_inf();
    return exp ? sign * __builtin_ldexp(1 + fraction, (int)exp - 15)
               : sign * __builtin_ldexp(fraction, -14);
}

static void real(struct orma_ctf_decoder *d, const struct orma_ctf_type *t)
{
    struct orma_ctf_value v = {.is = ORMA_CTF_REAL};

    if (!align(d, t->align))
        return;
    v.u = take_bits(d, t->bits, t->order == ORMA_CTF_BIG);
    if (t->bits == 64) {
        memcpy(&v.real, &v.u, sizeof(v.real));
    } else if (t->bits == 32) {
        const uint32_t low = (uint32_t)v.u;
        float f;

        memcpy(&f, &low, sizeof(f));
        v.real = (double)f;
    } else {
        v.real = half(v.u);
    }
    if (!d->failed)
        put(d, t, &v);
}

/* ---- texts ---- */

static unsigned unit_of(const struct orma_ctf_type *t)
{
    return t->encoding <= ORMA_CTF_UTF8 ? 1 : t->encoding <= ORMA_CTF_UTF16BE ? 2 : 4;
}

static uint32_t unit_at(const uint8_t *at, unsigned unit, bool big)
{
    uint32_t val = 0;

    for (unsigned i = 0; i < unit; i++)
        val = val << 8 | at[big ? i : unit - 1 - i];
    return val;
}

static void put_rune(struct orma_buf *out, uint32_t rune)
{
    if (rune > 0x10ffff || (rune >= 0xd800 && rune < 0xe000))
        rune = 0xfffd;
    if (rune < 0x80) {
        orma_buf_put_byte(out, (uint8_t)rune);
    } else if (rune < 0x800) {
        orma_buf_put_byte(out, (uint8_t)(0xc0 | rune >> 6));
        orma_buf_put_byte(out, (uint8_t)(0x80 | (rune & 63)));
    } else {
        if (rune < 0x10000) {
            orma_buf_put_byte(out, (uint8_t)(0xe0 | rune >> 12));
        } else {
            orma_buf_put_byte(out, (uint8_t)(0xf0 | rune >> 18));
            orma_buf_put_byte(out, (uint8_t)(0x80 | (rune >> 12 & 63)));
        }
        orma_buf_put_byte(out, (uint8_t)(0x80 | (rune >> 6 & 63)));
        orma_buf_put_byte(out, (uint8_t)(0x80 | (rune & 63)));
    }
}

/* As UTF-8, up to the first zero. */
static struct orma_str to_text(struct orma_ctf_decoder *d, const struct orma_ctf_type *t,
                               const uint8_t *at, size_t len)
{
    const unsigned unit = unit_of(t);
    const bool big = t->encoding == ORMA_CTF_UTF16BE || t->encoding == ORMA_CTF_UTF32BE;

    if (unit == 1)
        return (struct orma_str){(const char *)at, strnlen((const char *)at, len)};
    orma_buf_clear(&d->scratch);
    for (size_t i = 0; i + unit <= len; i += unit) {
        uint32_t rune = unit_at(at + i, unit, big);

        if (!rune)
            break;
        if (unit == 2 && rune >> 10 == 0x36 && i + 4 <= len) {
            const uint32_t low = unit_at(at + i + 2, unit, big);

            if (low >> 10 == 0x37) {
                rune = 0x10000 + ((rune & 0x3ff) << 10) + (low & 0x3ff);
                i += 2;
            }
        }
        put_rune(&d->scratch, rune);
    }
    return orma_buf_str(&d->scratch);
}

static void text_at(struct orma_ctf_decoder *d, const struct orma_ctf_type *t, const uint8_t *at,
                    size_t len)
{
    struct orma_ctf_value v = {.is = ORMA_CTF_LETTERS};

    if (!d->put && t->role != ORMA_CTF_COMM)
        return;
    v.text = to_text(d, t, at, len);
    if (!v.text.data)
        v.text = ORMA_STR("");
    if (t->role == ORMA_CTF_COMM && unit_of(t) == 1) {
        d->comm = v.text;
        d->seen |= 1u << ORMA_CTF_COMM;
    }
    put(d, t, &v);
}

static void string(struct orma_ctf_decoder *d, const struct orma_ctf_type *t)
{
    const unsigned unit = unit_of(t);

    if (!align(d, ORMA_MAX(t->align, 8u)))
        return;
    const uint8_t *at = d->data + d->pos / 8;
    const size_t left = (size_t)((d->end - d->pos) / 8);
    size_t len = 0;

    if (unit == 1) {
        const uint8_t *zero = left ? memchr(at, 0, left) : NULL;

        len = zero ? (size_t)(zero - at) : left;
    } else {
        while (len + unit <= left && unit_at(at + len, unit, true))
            len += unit;
    }
    if (len + unit > left) {
        fail(d);
        return;
    }
    d->pos += 8 * (len + unit);
    text_at(d, t, at, len);
}

static uint64_t slot(const struct orma_ctf_decoder *d, uint32_t loads)
{
    return loads & ORMA_CTF_PACKET_SLOT ? d->packet_slots[(loads & ~ORMA_CTF_PACKET_SLOT) - 1]
                                        : d->event_slots[loads - 1];
}

static uint64_t length_of(const struct orma_ctf_decoder *d, const struct orma_ctf_type *t)
{
    return t->loads ? slot(d, t->loads) : t->length;
}

/* Of a length in bytes. */
static void bytes(struct orma_ctf_decoder *d, const struct orma_ctf_type *t)
{
    const uint64_t len = length_of(d, t);

    if (!align(d, ORMA_MAX(t->align, 8u)))
        return;
    if (len > (d->end - d->pos) / 8) {
        fail(d);
        return;
    }
    const uint8_t *at = d->data + d->pos / 8;
    d->pos += 8 * len;
    if (t->kind == ORMA_CTF_TEXT) {
        text_at(d, t, at, (size_t)len);
        return;
    }
    if (!d->put)
        return;
    struct orma_ctf_value v = {.is = ORMA_CTF_LETTERS};
    orma_buf_clear(&d->scratch);
    for (size_t i = 0; i < len && i < ELEMENTS_MAX; i++)
        orma_buf_printf(&d->scratch, "%02x", at[i]);
    v.text = len ? orma_buf_str(&d->scratch) : ORMA_STR("");
    put(d, t, &v);
}

/* ---- what holds others ---- */

static void any(struct orma_ctf_decoder *d, const struct orma_ctf_type *t);

static void member(struct orma_ctf_decoder *d, const struct orma_ctf_member *m)
{
    const size_t len = d->path.len;

    if (d->elements && d->put) {
        orma_buf_put_byte(&d->path, '.');
        orma_buf_put(&d->path, m->shown.data, m->shown.len);
    }
    any(d, m->type);
    if (d->elements)
        d->path.len = len;
}

static void structure(struct orma_ctf_decoder *d, const struct orma_ctf_type *t)
{
    if (t->align > 1 && !align(d, t->align))
        return;
    for (uint32_t i = 0; i < t->members_num && !d->failed; i++) {
        const struct orma_ctf_member *m = &t->members[i];

        if (m->run && !d->put && !(d->pos % 8) && m->run_bits <= d->end - d->pos) {
            d->pos += m->run_bits;
            i += m->run - 1;
            continue;
        }
        member(d, m);
    }
}

static bool selects(struct orma_ctf_decoder *d, const struct orma_ctf_range *ranges, uint32_t num,
                    uint64_t val, bool is_signed)
{
    orma_ctf_spend(d, num / RANGES_OF_NODE);
    for (uint32_t i = 0; i < num; i++)
        if (orma_ctf_in(ranges[i], val, is_signed))
            return true;
    return false;
}

static void variant(struct orma_ctf_decoder *d, const struct orma_ctf_type *t)
{
    const uint64_t val = slot(d, t->loads);

    for (uint32_t i = 0; i < t->members_num; i++) {
        const struct orma_ctf_member *m = &t->members[i];

        if (selects(d, m->ranges, m->ranges_num, val, t->by_signed)) {
            orma_ctf_spend(d, i / RANGES_OF_NODE);
            member(d, m);
            return;
        }
    }
    fail(d);
}

static void optional(struct orma_ctf_decoder *d, const struct orma_ctf_type *t)
{
    const uint64_t val = slot(d, t->loads);

    if (t->ranges_num ? selects(d, t->ranges, t->ranges_num, val, t->by_signed) : val != 0)
        any(d, t->elem);
}

/* Elements that nobody wants and that all have the same size are passed at once. */
static bool passed(struct orma_ctf_decoder *d, const struct orma_ctf_type *elem, uint64_t num)
{
    if (d->put || elem->stores || elem->role || elem->updates || elem->bits % 8 ||
        (elem->kind != ORMA_CTF_INTEGER && elem->kind != ORMA_CTF_FLOAT) ||
        elem->align > elem->bits || elem->bits % elem->align)
        return false;
    if (num > (d->end - d->pos) / elem->bits)
        fail(d);
    else
        d->pos += num * elem->bits;
    d->last_order = num ? 1 + (elem->order == ORMA_CTF_BIG) : d->last_order;
    return true;
}

static void put_index(struct orma_buf *out, uint64_t i)
{
    char text[24], *at = text + sizeof(text);

    *--at = ']';
    do
        *--at = (char)('0' + i % 10);
    while (i /= 10);
    *--at = '[';
    orma_buf_put(out, at, (size_t)(text + sizeof(text) - at));
}

static void array(struct orma_ctf_decoder *d, const struct orma_ctf_type *t)
{
    const uint64_t num = length_of(d, t);
    const size_t begin = d->path.len;

    if (!align(d, t->align) || (!(d->pos % 8) && passed(d, t->elem, num)))
        return;
    if (!d->elements++) {
        d->path.len = 0;
        d->array = t;
    }
    const size_t len = d->path.len;
    void (*const put_before)(struct orma_ctf_decoder *, const struct orma_ctf_type *,
                             struct orma_str, const struct orma_ctf_value *) = d->put;
    for (uint64_t i = 0; i < num && !d->failed; i++) {
        const uint64_t pos = d->pos;

        d->path.len = len;
        if (d->put)
            put_index(&d->path, i);
        any(d, t->elem);
        if (d->pos == pos)
            break; /* elements of no size: so are all that follow */
        if (i + 1 == ELEMENTS_MAX)
            d->put = NULL;
    }
    d->put = put_before;
    d->elements--;
    d->path.len = begin;
}

static void any(struct orma_ctf_decoder *d, const struct orma_ctf_type *t)
{
    if (ORMA_UNLIKELY(!d->work)) { /* many fields of no size, again and again */
        fail(d);
        return;
    }
    d->work--;
    switch ((enum orma_ctf_kind)t->kind) {
    case ORMA_CTF_INTEGER:
        if (align(d, t->align))
            number(d, t, take_bits(d, t->bits, t->order == ORMA_CTF_BIG), t->bits);
        break;
    case ORMA_CTF_VARINT:
        varint(d, t);
        break;
    case ORMA_CTF_FLOAT:
        real(d, t);
        break;
    case ORMA_CTF_STRING:
        string(d, t);
        break;
    case ORMA_CTF_TEXT:
    case ORMA_CTF_BLOB:
        bytes(d, t);
        break;
    case ORMA_CTF_STRUCT:
        structure(d, t);
        break;
    case ORMA_CTF_ARRAY:
        array(d, t);
        break;
    case ORMA_CTF_VARIANT:
        variant(d, t);
        break;
    case ORMA_CTF_OPTIONAL:
        optional(d, t);
        break;
    }
}

void orma_ctf_decode(struct orma_ctf_decoder *self, const struct orma_ctf_type *type)
{
    if (type && !self->failed)
        any(self, type);
}

/* ---- labels ---- */

const struct orma_ctf_label *orma_ctf_label(struct orma_ctf_decoder *self,
                                            const struct orma_ctf_type *type,
                                            const struct orma_ctf_value *value,
                                            struct orma_buf *several)
{
    const struct orma_ctf_label *found = NULL;
    unsigned num = 0;

    orma_buf_clear(several);
    orma_ctf_spend(self, type->labels_num / (type->is_flags ? 1 : RANGES_OF_NODE));
    for (uint32_t i = 0; i < type->labels_num && num < 64; i++) {
        const struct orma_ctf_label *l = &type->labels[i];
        bool fits = false;

        if (type->is_flags)
            for (uint64_t bit = l->range.from; bit <= l->range.to && bit < 64 && !fits; bit++)
                fits = value->u >> bit & 1;
        else
            fits = orma_ctf_in(l->range, value->u, type->is_signed);
        if (!fits)
            continue;
        if (num++)
            orma_buf_put_byte(several, '|');
        orma_buf_put(several, l->name.data, l->name.len);
        found = l;
    }
    return num == 1 ? found : NULL;
}
