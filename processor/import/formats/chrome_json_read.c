/* Chrome's JSON events: one object as members, times of any unit as nanoseconds, ids and numbers of
 * processes, and what is left of an event that cannot be read. */
#include "processor/import/formats/chrome_json.h"

/* So much of a broken event is kept. */
#define RAW_EVENT_MAX ((size_t)4096)
/* Processes and threads that are known by name alone have ids from here on. */
#define NAMED_ID 0x80000000u

static struct orma_json_value *member_of(struct orma_json_event *e, struct orma_str key)
{
    static const struct {
        const char *name;
        size_t at;
    } members[] = {
#define MEMBER(field, text) {text, offsetof(struct orma_json_event, field)}
        MEMBER(ts, "ts"),           MEMBER(dur, "dur"),
        MEMBER(tts, "tts"),         MEMBER(tdur, "tdur"),
        MEMBER(pid, "pid"),         MEMBER(tid, "tid"),
        MEMBER(id, "id"),           MEMBER(id2, "id2"),
        MEMBER(bind_id, "bind_id"), MEMBER(name, "name"),
        MEMBER(cat, "cat"),         MEMBER(scope, "s"),
        MEMBER(bp, "bp"),           MEMBER(args, "args"),
        MEMBER(flow_in, "flow_in"), MEMBER(flow_out, "flow_out"),
#undef MEMBER
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(members); i++)
        if (orma_str_eq_c(key, members[i].name))
            return (struct orma_json_value *)((char *)e + members[i].at);
    return NULL;
}

bool orma_json_event_read(struct orma_str text, struct orma_json_event *ret)
{
    struct orma_json j = orma_json(text);
    struct orma_json_value event, v;
    struct orma_str key;

    *ret = (struct orma_json_event){0};
    if (!orma_json_read(&j, &event) || event.type != ORMA_JSON_OBJECT)
        return false;
    for (j = orma_json_inside(&event); orma_json_member(&j, &key, &v); ret->members++) {
        struct orma_json_value *to = member_of(ret, key);

        if (to && (v.type != ORMA_JSON_NULL || to == &ret->ts))
            *to = v;
        else if (orma_str_eq(key, ORMA_STR("ph")) && v.type == ORMA_JSON_STRING && v.raw.len)
            ret->phase = v.raw.data[0];
    }
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

bool orma_json_time(const struct orma_json_value *v, int64_t *ret_ns)
{
    double us;

    if (v->type != ORMA_JSON_INT && v->type != ORMA_JSON_REAL && v->type != ORMA_JSON_STRING)
        return false;
    if (exact_time(v->raw, ret_ns))
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
