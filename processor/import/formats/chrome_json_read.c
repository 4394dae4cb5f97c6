/* Chrome's JSON events: one object as members, times of any unit as nanoseconds, ids and numbers of
 * processes, and what is left of an event that cannot be read. */
#include "processor/import/formats/chrome_json.h"

/* So much of a broken event is kept. */
#define RAW_EVENT_MAX ((size_t)4096)
/* Processes and threads that are known by name alone have ids from here on. */
#define NAMED_ID 0x80000000u

/* Names of up to eight bytes as numbers, so that one comparison is enough for each. */
#define NAME_1(a) ((uint64_t)(a))
#define NAME_2(a, b) (NAME_1(a) << 8 | (b))
#define NAME_3(a, b, c) (NAME_2(a, b) << 8 | (c))
#define NAME_4(a, b, c, d) (NAME_3(a, b, c) << 8 | (d))
#define NAME_7(a, b, c, d, e, f, g) (NAME_4(a, b, c, d) << 24 | NAME_3(e, f, g))
#define NAME_8(a, b, c, d, e, f, g, h) (NAME_4(a, b, c, d) << 32 | NAME_4(e, f, g, h))

/* `end`: so far may be read. */
static uint64_t name_of(struct orma_str key, const char *end)
{
    uint64_t name = 0;

    if (key.len > sizeof(name) || !key.len || !key.data[0])
        return 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (ORMA_LIKELY(end - key.data >= (ptrdiff_t)sizeof(name))) {
        memcpy(&name, key.data, sizeof(name));
        return __builtin_bswap64(name) >> (64 - 8 * key.len);
    }
#endif
    for (size_t i = 0; i < key.len; i++)
        name = name << 8 | (uint8_t)key.data[i];
    return name;
}

static struct orma_json_value *member_of(struct orma_json_event *e, uint64_t name)
{
    switch (name) {
    case NAME_2('t', 's'):
        return &e->ts;
    case NAME_3('d', 'u', 'r'):
        return &e->dur;
    case NAME_3('t', 't', 's'):
        return &e->tts;
    case NAME_4('t', 'd', 'u', 'r'):
        return &e->tdur;
    case NAME_3('p', 'i', 'd'):
        return &e->pid;
    case NAME_3('t', 'i', 'd'):
        return &e->tid;
    case NAME_2('i', 'd'):
        return &e->id;
    case NAME_3('i', 'd', '2'):
        return &e->id2;
    case NAME_7('b', 'i', 'n', 'd', '_', 'i', 'd'):
        return &e->bind_id;
    case NAME_4('n', 'a', 'm', 'e'):
        return &e->name;
    case NAME_3('c', 'a', 't'):
        return &e->cat;
    case NAME_1('s'):
        return &e->scope;
    case NAME_2('b', 'p'):
        return &e->bp;
    case NAME_4('a', 'r', 'g', 's'):
        return &e->args;
    case NAME_7('f', 'l', 'o', 'w', '_', 'i', 'n'):
        return &e->flow_in;
    case NAME_8('f', 'l', 'o', 'w', '_', 'o', 'u', 't'):
        return &e->flow_out;
    }
    return NULL;
}

/* The value behind the name, read where it belongs. A null does not take the place of a value,
 * but for times. */
static inline bool take_value(struct orma_json *j, struct orma_json_event *e, struct orma_str key)
{
    const uint64_t name = name_of(key, j->end);
    struct orma_json_value *to = member_of(e, name), v;

    if (ORMA_LIKELY(to && !to->type)) {
        const bool good = orma_json_read(j, to);

        if (ORMA_UNLIKELY(!good || (to->type == ORMA_JSON_NULL && to != &e->ts)))
            *to = (struct orma_json_value){0};
        e->members += good;
        return good;
    }
    if (!orma_json_read(j, &v))
        return false;
    e->members++;
    if (to && (v.type != ORMA_JSON_NULL || to == &e->ts))
        *to = v;
    else if (name == NAME_2('p', 'h') && v.type == ORMA_JSON_STRING && v.raw.len)
        e->phase = v.raw.data[0];
    return true;
}

const char *orma_json_event_take(const char *pos, const char *end, struct orma_json_event *ret)
{
    struct orma_json j = orma_json((struct orma_str){pos, (size_t)(end - pos)});
    struct orma_str key;

    *ret = (struct orma_json_event){0};
    if (!orma_json_enter(&j, '{'))
        return NULL;
    while (!orma_json_leave(&j, '}')) {
        if (!orma_json_name(&j, &key) || !take_value(&j, ret, key))
            return NULL;
    }
    return j.pos;
}

bool orma_json_event_read(struct orma_str text, struct orma_json_event *ret)
{
    struct orma_json j = orma_json(text);
    struct orma_json_value event;
    struct orma_str key;

    if (orma_json_event_take(text.data, text.data + text.len, ret))
        return true;
    *ret = (struct orma_json_event){0};
    if (!orma_json_read(&j, &event) || event.type != ORMA_JSON_OBJECT)
        return false;
    for (j = orma_json_inside(&event); orma_json_name(&j, &key);)
        if (!take_value(&j, ret, key))
            return false;
    return !j.failed;
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

    if (text.len > 15)
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
