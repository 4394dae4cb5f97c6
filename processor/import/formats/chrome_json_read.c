/* Chrome's JSON events: one object as members, times of any unit as nanoseconds, ids and numbers of
 * processes, and what is left of an event that cannot be read. */
#include "processor/import/formats/chrome_json.h"

#include "protos/reflect/json_inline.h"

/* So much of a broken event is kept. */
#define RAW_EVENT_MAX ((size_t)4096)
/* Processes and threads that are known by name alone have ids from here on. */
#define NAMED_ID 0x80000000u
/* Times of so few bytes cannot overflow. */
#define TIME_SHORT 15

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
#endif
    for (size_t i = 0; i < key.len; i++)
        name |= (uint64_t)(uint8_t)key.data[i] << 8 * i;
    return name;
}

#define PLACE(member)                                                                              \
    ((offsetof(struct orma_json_event, member) - offsetof(struct orma_json_event, values)) /       \
     sizeof(struct orma_json_value))
#define PLACE_PHASE ORMA_JSON_EVENT_VALUES
#define PLACE_NONE (ORMA_JSON_EVENT_VALUES + 1)

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

static inline void clear(struct orma_json_event *e)
{
    for (uint32_t left = e->present; left; left &= left - 1)
        e->values[__builtin_ctz(left)] = (struct orma_json_value){0};
    e->phase = 0;
    e->present = e->times = e->members = 0;
}

/* ---- any event ---- */

static void set_phase(struct orma_json_event *e, const struct orma_json_value *v)
{
    if (v->type == ORMA_JSON_STRING && v->raw.len)
        e->phase = v->raw.data[0];
}

/* The value behind the name. A null does not take the place of a value, but for times. */
static bool take_value(struct orma_json *j, struct orma_json_event *e, struct orma_str key)
{
    const unsigned place = place_of(name_of(key, j->end));
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

    clear(ret);
    if (!orma_json_enter(&j, '{'))
        return NULL;
    while (!orma_json_leave(&j, '}')) {
        if (!orma_json_name(&j, &key) || !take_value(&j, ret, key))
            return NULL;
    }
    return j.pos;
}

/* ---- events of the usual form ---- */

static inline void note_time(struct orma_json_event *e, unsigned place,
                             const struct orma_json_digits *d, size_t len)
{
    static const uint16_t units[] = {1000, 100, 10, 1};

    if (place >= ORMA_JSON_EVENT_TIMES || d->negative || d->decimals > 3 || len > TIME_SHORT)
        return;
    e->ns[place] = (int64_t)(d->digits * units[d->decimals]);
    e->times |= 1u << place;
}

/* The value at `pos`, which is that of `place`. Returns its end; NULL: it is left to others. */
static inline const char *quick_value(const char *pos, const char *end, struct orma_json_event *e,
                                      unsigned place)
{
    struct orma_json_value *v = &e->values[place];
    struct orma_json_digits digits;
    const char *to;

    e->present |= 1u << place;
    if (*pos == '"') {
        to = orma_json_plain_text(++pos, end);
        if (ORMA_UNLIKELY(!to))
            return NULL;
        v->type = ORMA_JSON_STRING;
        v->raw = (struct orma_str){pos, (size_t)(to - pos)};
        return to + 1;
    }
    to = orma_json_plain_number(pos, end, v, &digits);
    if (ORMA_LIKELY(to != NULL)) {
        note_time(e, place, &digits, v->raw.len);
        return to;
    }
    struct orma_json j = orma_json((struct orma_str){pos, (size_t)(end - pos)});
    return orma_json_read(&j, v) && v->type != ORMA_JSON_NULL ? j.pos : NULL;
}

/* The same for a member that is none of the known ones, or the phase. */
static const char *other_value(const char *pos, const char *end, struct orma_json_event *e,
                               unsigned place)
{
    struct orma_json j = orma_json((struct orma_str){pos, (size_t)(end - pos)});
    struct orma_json_value v;

    if (place == PLACE_PHASE && end - pos > 2 && pos[0] == '"' && pos[1] != '\\' && pos[1] != '"' &&
        pos[2] == '"') {
        e->phase = pos[1];
        return pos + 3;
    }
    if (!orma_json_read(&j, &v))
        return NULL;
    if (place == PLACE_PHASE)
        set_phase(e, &v);
    return j.pos;
}

/* The name at `pos`, up to behind its colon; it is the next guess. NULL: it is left to others. */
static const char *quick_name(const char *pos, const char *end, struct orma_json_guess *guess,
                              unsigned *ret_place)
{
    const char *key = pos + 1;
    const char *to = pos < end && *pos == '"' ? orma_json_plain_text(key, end) : NULL;

    if (!to)
        return NULL;
    *ret_place = place_of(name_of((struct orma_str){key, (size_t)(to - key)}, end));
    const char *colon = orma_json_skip_blanks(to + 1, end);
    if (colon == end || *colon != ':')
        return NULL;
    const size_t len = (size_t)(colon + 1 - pos);
    if (len <= 8 && end - pos >= 8) {
        memcpy(&guess->bytes, pos, 8);
        memset(&guess->mask, 0, 8);
        memset(&guess->mask, 0xff, len);
        guess->bytes &= guess->mask;
        guess->len = (uint8_t)len;
        guess->place = (uint8_t)*ret_place;
    }
    return colon + 1;
}

/* True: the name is that of the guess. */
static inline bool is_guess(const char *pos, const char *end, const struct orma_json_guess *guess)
{
    uint64_t bytes;

    if (end - pos < 8 || !guess->mask)
        return false;
    memcpy(&bytes, pos, 8);
    return (bytes & guess->mask) == guess->bytes;
}

/*
 * An object without escapes in names, with one comma between members, and none of them twice or
 * null. NULL: it is another one, or not whole; what came of it means nothing then.
 *
 * The names mostly follow each other as they did in the event of that phase before: so each is
 * compared with the one that is expected there before its end is looked for.
 */
static const char *take_quick(const char *pos, const char *end, struct orma_json_event *e)
{
    unsigned place = PLACE_NONE;

    clear(e);
    if (pos == end || *pos != '{')
        return NULL;
    do {
        struct orma_json_guess *guess =
            &e->guesses[(uint8_t)e->phase % ORMA_JSON_EVENT_PHASES][place];

        pos = orma_json_skip_blanks(pos + 1, end);
        if (ORMA_LIKELY(is_guess(pos, end, guess))) {
            pos += guess->len;
            place = guess->place;
        } else {
            pos = quick_name(pos, end, guess, &place);
            if (!pos)
                return NULL;
        }
        pos = orma_json_skip_blanks(pos, end);
        if (pos == end)
            return NULL;
        if (place >= ORMA_JSON_EVENT_VALUES)
            pos = other_value(pos, end, e, place);
        else
            pos = e->present >> place & 1 ? NULL : quick_value(pos, end, e, place);
        if (!pos)
            return NULL;
        e->members++;
        pos = orma_json_skip_blanks(pos, end);
    } while (pos < end && *pos == ',');
    return pos < end && *pos == '}' ? pos + 1 : NULL;
}

const char *orma_json_event_take(const char *pos, const char *end, struct orma_json_event *ret)
{
    const char *to = take_quick(pos, end, ret);

    return ORMA_LIKELY(to != NULL) ? to : orma_json_event_take_slow(pos, end, ret);
}

bool orma_json_event_read(struct orma_str text, const char *limit, struct orma_json_event *ret)
{
    struct orma_json j = orma_json(text);
    struct orma_json_value event;
    struct orma_str key;

    if (take_quick(text.data, limit, ret) == j.end || orma_json_event_take(text.data, j.end, ret))
        return true;
    clear(ret);
    if (!orma_json_read(&j, &event) || event.type != ORMA_JSON_OBJECT)
        return false;
    for (j = orma_json_inside(&event); orma_json_name(&j, &key);)
        if (!take_value(&j, ret, key))
            return false;
    return !j.failed;
}

/* ---- times ---- */

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
    double us;

    if (v->type != ORMA_JSON_INT && v->type != ORMA_JSON_REAL && v->type != ORMA_JSON_STRING)
        return false;
    if (ORMA_LIKELY(short_time(v->raw, ret_ns)) || exact_time(v->raw, ret_ns))
        return true;
    if (!orma_json_text_number(v->raw, &us) || !(us > -9.2e15 && us < 9.2e15))
        return false;
    *ret_ns = (int64_t)(us * 1000 + (us < 0 ? -0.5 : 0.5));
    return true;
}

bool orma_json_event_time(const struct orma_json_event *e, const struct orma_json_value *v,
                          int64_t *ret_ns)
{
    const size_t place = (size_t)(v - e->values);

    if (ORMA_LIKELY(e->times >> place & 1)) {
        *ret_ns = e->ns[place];
        return true;
    }
    return orma_json_time(v, ret_ns);
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

uint32_t orma_json_event_number(struct orma_import_ctx *imp, const struct orma_json_value *v,
                                struct orma_buf *scratch, uint32_t *ret_name)
{
    int64_t number = v->type == ORMA_JSON_REAL
                         ? (int64_t)ORMA_MAX(-1, ORMA_MIN(orma_json_number(v), 1e10))
                         : v->integer;

    *ret_name = 0;
    if (v->type == ORMA_JSON_STRING) {
        *ret_name = orma_model_str(imp->model, orma_json_text(v, scratch));
        return *ret_name | NAMED_ID;
    }
    return number < 0 || number > UINT32_MAX ? 0 : (uint32_t)number;
}

/* The text up to a length that fits on a page. */
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
