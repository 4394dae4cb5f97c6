/* Chrome's JSON events: one object as members, times of any unit as nanoseconds, ids and numbers of
 * processes, and what is left of an event that cannot be read. */
#include "processor/import/formats/chrome_json.h"

#include <inttypes.h>

#include "protos/reflect/json_inline.h"

/* So much of a broken event is kept. */
#define RAW_EVENT_MAX ((size_t)65536)
/* Times of so few bytes cannot overflow. */
#define TIME_SHORT 15
/* So many digits are a number below 2^64. */
#define TIME_DIGITS 19u

/* Names of up to eight bytes as numbers, so that one comparison is enough for each. */
#define NAME_1(a) ((uint64_t)(a))
#define NAME_2(a, b) (NAME_1(a) | (uint64_t)(b) << 8)
#define NAME_3(a, b, c) (NAME_2(a, b) | (uint64_t)(c) << 16)
#define NAME_4(a, b, c, d) (NAME_3(a, b, c) | (uint64_t)(d) << 24)
#define NAME_7(a, b, c, d, e, f, g) (NAME_4(a, b, c, d) | NAME_3(e, f, g) << 32)
#define NAME_8(a, b, c, d, e, f, g, h) (NAME_4(a, b, c, d) | NAME_4(e, f, g, h) << 32)

/* 0: it is none of those. `end`: so far may be read. */
static inline uint64_t name_of(struct orma_str key, const char *end)
{
    uint64_t name = 0;

    if (key.len > sizeof(name) || !key.len || !key.data[0])
        return 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (ORMA_LIKELY(end - key.data >= (ptrdiff_t)sizeof(name))) {
        memcpy(&name, key.data, sizeof(name));
        return name << (64 - 8 * key.len) >> (64 - 8 * key.len);
    }
#else
    (void)end;
#endif
    for (size_t i = 0; i < key.len; i++)
        name |= (uint64_t)(uint8_t)key.data[i] << 8 * i;
    return name;
}

#define PLACE(member) ORMA_JSON_PLACE(member)
#define PLACE_PHASE ORMA_JSON_EVENT_VALUES
#define PLACE_NONE (ORMA_JSON_EVENT_VALUES + 1)
#define PLACE_BEGIN (ORMA_JSON_EVENT_VALUES + 2)

/* Where the names lie: no two at the same place, which the compiler would complain about. */
#define SLOT(name) ((name)*0xa648a7dd06839eb9u >> 59)

static const struct member {
    uint64_t name;
    uint8_t place;
} members[32] = {
#define MEMBER(name, member) [SLOT(name)] = {(name), PLACE(member)}
    [SLOT(NAME_2('p', 'h'))] = {NAME_2('p', 'h'), PLACE_PHASE},
    MEMBER(NAME_2('t', 's'), ts),
    MEMBER(NAME_3('d', 'u', 'r'), dur),
    MEMBER(NAME_3('t', 't', 's'), tts),
    MEMBER(NAME_4('t', 'd', 'u', 'r'), tdur),
    MEMBER(NAME_3('p', 'i', 'd'), pid),
    MEMBER(NAME_3('t', 'i', 'd'), tid),
    MEMBER(NAME_2('i', 'd'), id),
    MEMBER(NAME_3('i', 'd', '2'), id2),
    MEMBER(NAME_7('b', 'i', 'n', 'd', '_', 'i', 'd'), bind_id),
    MEMBER(NAME_4('n', 'a', 'm', 'e'), name),
    MEMBER(NAME_3('c', 'a', 't'), cat),
    MEMBER(NAME_1('s'), scope),
    MEMBER(NAME_2('b', 'p'), bp),
    MEMBER(NAME_4('a', 'r', 'g', 's'), args),
    MEMBER(NAME_7('f', 'l', 'o', 'w', '_', 'i', 'n'), flow_in),
    MEMBER(NAME_8('f', 'l', 'o', 'w', '_', 'o', 'u', 't'), flow_out),
#undef MEMBER
};

/* Where the value of that name goes; PLACE_NONE: it means nothing. */
static inline unsigned place_of(uint64_t name)
{
    const struct member *m = &members[SLOT(name)];

    return name && m->name == name ? m->place : PLACE_NONE;
}

static void clear_all(struct orma_json_event *e)
{
    orma_json_event_clear(e, e->present);
    e->phase = 0;
    e->present = e->times = e->members = 0;
}

/* ---- any event ---- */

static void set_phase(struct orma_json_event *e, const struct orma_json_value *v)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf plain = {0};

    if (v->type == ORMA_JSON_STRING && v->raw.len)
        e->phase = v->escaped ? *orma_json_text(v, &plain).data : v->raw.data[0];
}

/* So long is a name of eight characters if each is an escape. */
#define ESCAPED_MAX 48

/* Of a name with escapes. */
ORMA_COLD static unsigned escaped_place(struct orma_str key)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf plain = {0};
    const struct orma_json_value v = {.type = ORMA_JSON_STRING, .escaped = true, .raw = key};
    const struct orma_str name = orma_json_text(&v, &plain);

    return place_of(name_of(name, name.data + name.len));
}

/* The value behind the name. A null does not take the place of a value, but for times. */
static bool take_value(struct orma_json *j, struct orma_json_event *e, struct orma_str key)
{
    const bool escaped = key.len <= ESCAPED_MAX && memchr(key.data, '\\', key.len);
    const unsigned place = escaped ? escaped_place(key) : place_of(name_of(key, j->end));
    struct orma_json_value v;

    if (!orma_json_read(j, &v))
        return false;
    e->members++;
    if (place == PLACE_PHASE) {
        set_phase(e, &v);
    } else if (place != PLACE_NONE && (v.type != ORMA_JSON_NULL || place == PLACE(ts))) {
        e->values[place] = v;
        e->present |= 1u << place;
    }
    return true;
}

const char *orma_json_event_take_slow(const char *pos, const char *end, struct orma_json_event *ret)
{
    struct orma_json j = orma_json((struct orma_str){pos, (size_t)(end - pos)});
    struct orma_str key;

    clear_all(ret);
    if (!orma_json_enter(&j, '{'))
        return NULL;
    while (!orma_json_leave(&j, '}')) {
        if (!orma_json_name(&j, &key) || !take_value(&j, ret, key))
            return NULL;
    }
    return j.pos;
}

/* ---- events of the usual form ---- */

/* A number of `len` bytes that is that of a time: ns, if they fit. */
static inline void note_time(struct orma_json_event *e, unsigned place, uint64_t digits,
                             unsigned decimals, size_t len)
{
    static const struct {
        uint64_t max, unit;
    } units[] = {
        {INT64_MAX / 1000, 1000}, {INT64_MAX / 100, 100}, {INT64_MAX / 10, 10}, {INT64_MAX, 1}};

    if (place >= ORMA_JSON_EVENT_TIMES || decimals > 3 ||
        len > TIME_DIGITS + (decimals > 0) || /* a point among them */
        digits > units[decimals].max)
        return;
    e->ns[place] = (int64_t)(digits * units[decimals].unit);
    e->times |= 1u << place;
}

/* The digits at `pos`, up to 16, and up to 7 behind a point; 32 bytes may be read. Returns its
 * end; NULL: it is left to others. */
static inline const char *quick_number(const char *pos, struct orma_json_event *e, unsigned place)
{
    struct orma_json_value *v = &e->values[place];
    struct orma_json_value ret = {.type = ORMA_JSON_INT, .raw.data = pos};
    uint64_t val = 0, part = 0;
    unsigned num = orma_json_digits8(pos, &val), decimals = 0;
    const char *at = pos + num;

    if (num == 8) {
        num = orma_json_digits8(at, &part);
        val = num ? val * orma_json_tens[num] + part : val;
        at += num;
    }
    if (*at == '.') {
        decimals = orma_json_digits8(++at, &part);
        at += decimals;
        val = decimals ? val * orma_json_tens[decimals] + part : val;
        ret.type = ORMA_JSON_REAL;
    } else {
        ret.integer = (int64_t)val;
    }
    if (ORMA_UNLIKELY(!num || (uint8_t)(*at - '0') < 10))
        return NULL;
    ret.raw.len = (size_t)(at - pos);
    *v = ret;
    note_time(e, place, val, decimals, ret.raw.len);
    return at;
}

/* The value of a known member. Returns its end; NULL: malformed, or null. */
static const char *known_value(const char *pos, const char *end, struct orma_json_event *e,
                               unsigned place)
{
    struct orma_json j = orma_json((struct orma_str){pos, (size_t)(end - pos)});
    struct orma_json_value *v = &e->values[place];
    struct orma_json_digits d;
    const char *to = orma_json_plain_number(pos, end, v, &d);

    if (!to)
        return orma_json_read(&j, v) && v->type != ORMA_JSON_NULL ? j.pos : NULL;
    if (!d.negative)
        note_time(e, place, d.digits, d.decimals, v->raw.len);
    return to;
}

/* The value of a member that is none of the known ones, or the phase. NULL: malformed. */
static const char *other_value(const char *pos, const char *end, struct orma_json_event *e,
                               unsigned place)
{
    struct orma_json j = orma_json((struct orma_str){pos, (size_t)(end - pos)});
    struct orma_json_value v;

    if (!orma_json_read(&j, &v))
        return NULL;
    if (place == PLACE_PHASE)
        set_phase(e, &v);
    return j.pos;
}

/* What a value is expected to be. */
enum kind { KIND_TEXT, KIND_NUMBER, KIND_PHASE, KIND_OBJECT, KIND_OTHER };

/* `pos` is where it begins, of which 16 bytes may be read. */
static inline bool is_guess(const char *pos, const struct orma_json_guess *guess)
{
    return (orma_json_same(pos, guess->bytes) | guess->others) == 0xffff;
}

static enum kind kind_of(unsigned place, char begin)
{
    if (place == PLACE_PHASE)
        return KIND_PHASE;
    if (place >= ORMA_JSON_EVENT_VALUES)
        return KIND_OTHER;
    return begin == '"' ? KIND_TEXT : begin == '{' ? KIND_OBJECT : KIND_NUMBER;
}

/* From `pos`, a brace or comma, up to the value of the member behind it, whose name becomes the
 * next guess. NULL: it is left to others. */
static const char *learn_name(const char *pos, const char *end, struct orma_json_guess *guess,
                              unsigned *ret_place)
{
    const char *begin = pos;

    pos = orma_json_skip_blanks(pos + 1, end);
    const char *key = pos + 1, *to;
    if (pos == end || *pos != '"' || !(to = orma_json_plain_text(key, end)))
        return NULL;
    *ret_place = place_of(name_of((struct orma_str){key, (size_t)(to - key)}, end));
    pos = orma_json_skip_blanks(to + 1, end);
    if (pos == end || *pos != ':')
        return NULL;
    pos = orma_json_skip_blanks(pos + 1, end);
    if (pos == end)
        return NULL;
    const size_t len = (size_t)(pos - begin) + (*pos == '"');
    if (len <= sizeof(guess->bytes)) {
        memcpy(guess->bytes, begin, len);
        guess->others = 0xffffu << len & 0xffff;
        guess->before = (uint16_t)(pos - begin);
        guess->place = (uint8_t)*ret_place;
        guess->kind = (uint8_t)kind_of(*ret_place, *pos);
    }
    return pos;
}

/* The text behind the quote before `pos`. NULL: it has escapes, or no end. */
static inline const char *quick_text(const char *pos, const char *end, struct orma_json_value *v)
{
    const char *to = orma_json_plain_text(pos, end);

    if (ORMA_UNLIKELY(!to))
        return NULL;
    *v = (struct orma_json_value){.type = ORMA_JSON_STRING, .raw = {pos, (size_t)(to - pos)}};
    return to + 1;
}

static inline const char *quick_object(const char *pos, const char *end, struct orma_json_value *v)
{
    const char *to = *pos == '{' ? orma_json_skip(pos, end) : NULL;

    if (ORMA_UNLIKELY(!to || to[-1] != '}'))
        return NULL;
    *v = (struct orma_json_value){.type = ORMA_JSON_OBJECT, .raw = {pos, (size_t)(to - pos)}};
    return to;
}

/* After one that was not sound. */
#define UNSOUND_SKIPPED 32
/* Shorter ones are not worth it: their args may be read at once. */
#define WALKED_MIN 64

/*
 * Args that will most probably be left where they are (chrome_json_places.c) are looked at while
 * their end is looked for, which is one walk over their bytes instead of two.
 */
static inline const char *quick_args(const char *pos, const char *end, struct orma_json_event *e,
                                     struct orma_json_value *v)
{
    const char *to =
        e->long_args && *pos == '{' && !e->unsound ? orma_json_event_args_end(pos, end) : NULL;

    if (to) {
        *v = (struct orma_json_value){
            .type = ORMA_JSON_OBJECT, .boolean = true, .raw = {pos, (size_t)(to - pos)}};
    } else {
        e->unsound = e->unsound ? e->unsound - 1 : e->long_args ? UNSOUND_SKIPPED : 0;
        to = quick_object(pos, end, v);
    }
    e->long_args = to && to - pos >= WALKED_MIN;
    return to;
}

/* The same where the object was looked at before. */
static inline const char *hinted_object(const char *pos, const char *end, struct orma_json_event *e,
                                        struct orma_json_value *v)
{
    while (e->hints < e->hints_end && e->hints->begin < pos)
        e->hints++;
    if (e->hints == e->hints_end || e->hints->begin != pos)
        return quick_object(pos, end, v);
    *v = (struct orma_json_value){.type = ORMA_JSON_OBJECT,
                                  .boolean = e->hints->sound,
                                  .raw = {pos, (size_t)(e->hints->end - pos)}};
    return e->hints->end;
}

/* The phase of one byte in quotes. */
static inline const char *quick_phase(const char *pos, struct orma_json_event *e)
{
    if (pos[0] != '"' || pos[1] == '\\' || pos[1] == '"' || pos[2] != '"')
        return NULL;
    e->phase = pos[1];
    return pos + 3;
}

/* A member that is not as expected, or so near to the end that it is read byte by byte. */
ORMA_COLD static const char *any_member(const char *pos, const char *end, struct orma_json_event *e,
                                        struct orma_json_guess *guess, unsigned *ret_place)
{
    pos = learn_name(pos, end, guess, ret_place);
    if (!pos)
        return NULL;
    return *ret_place < ORMA_JSON_EVENT_VALUES ? known_value(pos, end, e, *ret_place)
                                               : other_value(pos, end, e, *ret_place);
}

/*
 * An object without escapes in names, with one comma between members, and none of them twice or
 * null. NULL: it is another one, or not whole; what came of it means nothing then.
 *
 * The names mostly follow each other as they did in the event of that phase before, with the same
 * blanks around them: so all that stands before a value is compared with what is expected there,
 * before anybody looks where it ends.
 */
static const char *take_quick(const char *pos, const char *end, struct orma_json_event *e)
{
    /* Where members begin of which all that is looked at in steps of a fixed size may be read. */
    const char *const near = end - pos > ORMA_JSON_EVENT_AHEAD ? end - ORMA_JSON_EVENT_AHEAD : pos;
    struct orma_json_guess *guesses = e->guesses[0];
    uint32_t before = e->present, present = 0, bit;
    unsigned place = PLACE_BEGIN, num = 0;

    e->phase = 0;
    e->times = 0;
    e->present = UINT16_MAX; /* until all went well */
    if (pos == end || *pos != '{')
        return NULL;
    do {
        struct orma_json_guess *guess = &guesses[place];
        const char *at = pos;

        num++;
        pos = NULL;
        if (ORMA_LIKELY(at < near && is_guess(at, guess))) {
            const char *value = at + guess->before;

            place = guess->place;
            switch ((enum kind)guess->kind) {
            case KIND_TEXT:
                pos = quick_text(value + 1, end, &e->values[place]);
                break;
            case KIND_NUMBER:
                pos = quick_number(value, e, place);
                break;
            case KIND_PHASE:
                pos = quick_phase(value, e);
                guesses = e->guesses[(uint8_t)e->phase % ORMA_JSON_EVENT_PHASES];
                break;
            case KIND_OBJECT:
                pos = ORMA_UNLIKELY(e->hints != NULL)
                          ? hinted_object(value, end, e, &e->values[place])
                      : place == PLACE(args) ? quick_args(value, end, e, &e->values[place])
                                             : quick_object(value, end, &e->values[place]);
                break;
            case KIND_OTHER:
                break;
            }
        }
        if (ORMA_UNLIKELY(!pos)) {
            pos = any_member(at, end, e, guess, &place);
            if (!pos)
                return NULL;
            guesses = e->guesses[(uint8_t)e->phase % ORMA_JSON_EVENT_PHASES];
        }
        bit = 1u << place & UINT16_MAX;
        if (ORMA_UNLIKELY(present & bit))
            return NULL;
        present |= bit;
        pos = orma_json_skip_blanks(pos, end);
        if (ORMA_UNLIKELY(pos == end))
            return NULL;
    } while (*pos == ',');
    if (*pos != '}')
        return NULL;
    orma_json_event_clear(e, before & ~present);
    e->present = present;
    e->members = num;
    return pos + 1;
}

const char *orma_json_event_take(const char *pos, const char *end, struct orma_json_event *ret)
{
    const char *to = take_quick(pos, end, ret);

    return ORMA_LIKELY(to != NULL) ? to : orma_json_event_take_slow(pos, end, ret);
}

bool orma_json_event_read(struct orma_str text, struct orma_json_event *ret)
{
    struct orma_json j = orma_json(text);
    struct orma_json_value event;
    struct orma_str key;

    if (orma_json_event_take(text.data, j.end, ret))
        return true;
    clear_all(ret);
    if (!orma_json_read(&j, &event) || event.type != ORMA_JSON_OBJECT)
        return false;
    for (j = orma_json_inside(&event); orma_json_name(&j, &key);)
        if (!take_value(&j, ret, key))
            return false;
    return !j.failed;
}

/* ---- times ---- */

/* A time in ns and billionths of one, cut. */
struct fine_time {
    uint64_t ns;
    uint32_t part;
};

#define PART_DIGITS 9u
#define PART_UNIT 1000000000u

static const uint32_t powers[] = {1,      10,      100,      1000,      10000,
                                  100000, 1000000, 10000000, 100000000, 1000000000};

static inline bool is_digit(const char *at, const char *end)
{
    return at < end && (unsigned char)(*at - '0') < 10;
}

/* Up to `max` digits, as if there were so many. */
static inline uint32_t read_decimals(const char **at, const char *end, unsigned max)
{
    unsigned num = 0;
    uint32_t val = 0;

    for (; num < max && is_digit(*at, end); num++)
        val = val * 10 + (uint32_t)(*(*at)++ - '0');
    return val * powers[max - num];
}

/* False: negative, of another form, or too large. */
static bool fine_time(struct orma_str text, struct fine_time *ret)
{
    const char *at = text.data, *end = at + text.len;
    uint64_t us = 0;

    for (; is_digit(at, end); at++) {
        if (us > INT64_MAX / 10000)
            return false;
        us = us * 10 + (uint64_t)(*at - '0');
    }
    if (us >= INT64_MAX / 1000)
        return false;
    *ret = (struct fine_time){.ns = us * 1000};
    if (at < end && *at == '.' && end - text.data > 1) {
        at++;
        ret->ns += read_decimals(&at, end, 3);
        ret->part = read_decimals(&at, end, PART_DIGITS);
        while (is_digit(at, end))
            at++;
    }
    return at == end && text.len;
}

/* Decimal text without exponent: exact, with the fraction of a ns rounded. */
static bool exact_time(struct orma_str text, int64_t *ret_ns)
{
    bool negative = text.len && text.data[0] == '-', up = false;
    uint64_t ns = 0;
    int decimals = -1;

    for (size_t i = negative; i < text.len; i++) {
        char c = text.data[i];

        if (c == '.' && decimals < 0) {
            decimals = 0;
            continue;
        }
        if (c < '0' || c > '9')
            return false;
        if (decimals >= 3) {
            up = decimals++ == 3 ? c >= '5' : up;
            continue;
        }
        if (__builtin_mul_overflow(ns, 10, &ns) || __builtin_add_overflow(ns, c - '0', &ns))
            return false;
        decimals += decimals >= 0;
    }
    for (int i = ORMA_MAX(decimals, 0); i < 3; i++)
        if (__builtin_mul_overflow(ns, 10, &ns))
            return false;
    ns += up;
    if (ns > INT64_MAX || text.len == (size_t)negative)
        return false;
    *ret_ns = negative ? -(int64_t)ns : (int64_t)ns;
    return true;
}

/* The same for so few bytes that nothing can overflow, without sign, and with up to three decimals.
 * False: it is another one. */
static inline bool short_time(struct orma_str text, int64_t *ret_ns)
{
    static const uint16_t units[] = {1000, 100, 10, 1};
    const char *at = text.data, *end = at + text.len;
    unsigned decimals = 0;
    uint64_t val = 0;

    if (text.len > TIME_SHORT)
        return false;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        val = val * 10 + (uint64_t)(*at - '0');
    if (at == text.data)
        return false;
    if (at < end && *at++ != '.')
        return false;
    for (; at < end && decimals < 3 && *at >= '0' && *at <= '9'; at++, decimals++)
        val = val * 10 + (uint64_t)(*at - '0');
    *ret_ns = (int64_t)(val * units[decimals]);
    return at == end;
}

bool orma_json_time(const struct orma_json_value *v, int64_t *ret_ns)
{
    struct fine_time fine;
    double us;

    if (v->type != ORMA_JSON_INT && v->type != ORMA_JSON_REAL && v->type != ORMA_JSON_STRING)
        return false;
    if (ORMA_LIKELY(short_time(v->raw, ret_ns)))
        return true;
    if (fine_time(v->raw, &fine)) {
        *ret_ns = (int64_t)(fine.ns + (fine.part >= PART_UNIT / 2));
        return true;
    }
    if (exact_time(v->raw, ret_ns))
        return true;
    if (!orma_json_text_number(v->raw, &us) || !(us > -9.2e15 && us < 9.2e15))
        return false;
    *ret_ns = (int64_t)(us * 1000 + (us < 0 ? -0.5 : 0.5));
    return true;
}

bool orma_json_event_rounded(const struct orma_json_event *e, int64_t ts_ns, int64_t *ret_ns)
{
    struct fine_time ts, dur;

    if (!fine_time(e->ts.raw, &ts) || !fine_time(e->dur.raw, &dur))
        return false;
    const uint64_t end = ts.ns + dur.ns + (ts.part + dur.part + PART_UNIT / 2) / PART_UNIT;
    if (end > INT64_MAX || (int64_t)end < ts_ns)
        return false;
    *ret_ns = (int64_t)end - ts_ns;
    return true;
}

bool orma_json_event_id(const struct orma_json_value *v, uint64_t *ret)
{
    const char *digits = "0123456789abcdefABCDEF";
    struct orma_str s = v->raw;

    *ret = (uint64_t)v->integer;
    if (v->type == ORMA_JSON_INT)
        return true;
    if (v->type != ORMA_JSON_STRING)
        return false;
    if (orma_str_starts(s, ORMA_STR("0x")) || orma_str_starts(s, ORMA_STR("0X")))
        s = (struct orma_str){s.data + 2, s.len - 2};
    *ret = 0;
    for (size_t i = 0; i < s.len; i++) {
        const char *at = memchr(digits, s.data[i], 22);

        if (!at)
            return false;
        *ret = *ret << 4 | (uint64_t)(at - digits < 16 ? at - digits : at - digits - 6);
    }
    return s.len && s.len <= 16;
}

/* The text of a number that needs more than 32 bits, or a sign. */
static bool is_large(struct orma_str s)
{
    const size_t sign = s.len && s.data[0] == '-';
    uint64_t val;

    for (size_t i = sign; i < s.len; i++)
        if (s.data[i] < '0' || s.data[i] > '9')
            return false;
    return s.len > sign && (sign || !orma_str_to_u64(s, &val) || val > UINT32_MAX);
}

struct orma_json_id orma_json_event_number(struct orma_import_ctx *imp,
                                           const struct orma_json_value *v,
                                           struct orma_buf *scratch)
{
    struct orma_str text = v->raw;
    int64_t number = v->integer;
    bool written = v->type == ORMA_JSON_STRING || v->type == ORMA_JSON_REAL;

    if (v->type == ORMA_JSON_INT && (uint64_t)number <= UINT32_MAX)
        return (struct orma_json_id){.number = (uint32_t)number};
    if (v->type == ORMA_JSON_STRING) {
        text = orma_json_text(v, scratch);
    } else if (v->type == ORMA_JSON_REAL) {
        const double real = orma_json_number(v);

        if (real != real)
            return (struct orma_json_id){0};
        written = !(real > -9e18 && real < 9e18);
        number = orma_model_whole(real);
        if (!written && (uint64_t)number <= UINT32_MAX)
            return (struct orma_json_id){.number = (uint32_t)number};
    } else if (v->type != ORMA_JSON_INT) {
        return (struct orma_json_id){0};
    }
    const uint32_t name = written
                              ? orma_model_str(imp->model, text)
                              : orma_strpool_addf(&imp->model->storage->pool, "%" PRId64, number);
    const bool digits = v->type != ORMA_JSON_STRING || is_large(text);
    return (struct orma_json_id){orma_model_made_up(imp->model, name), name, digits};
}

/* The text, up to a length that holds all but the largest events. */
void orma_json_event_log(struct orma_file *file, enum orma_stat stat, struct orma_str text,
                         uint32_t error)
{
    struct orma_import_ctx *imp = file->imp;
    const uint8_t *end = (const uint8_t *)text.data + text.len;
    int64_t offset = (int64_t)(file->given.at + (uint64_t)(end - file->given.data));

    text.len = ORMA_MIN(text.len, RAW_EVENT_MAX);
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_str(args, orma_model_cstr(imp->model, "raw_event"),
                      orma_model_str(imp->model, text));
    if (error)
        orma_args_put_str(args, orma_model_cstr(imp->model, "error"), error);
    orma_model_log(imp->model, imp->model->base, stat, INT64_MIN, offset, args);
}
