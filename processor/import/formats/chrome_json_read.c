/* Chrome's JSON events: one object as members, and times of any unit as nanoseconds. */
#include "processor/import/formats/chrome_json.h"

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

        if (to)
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
