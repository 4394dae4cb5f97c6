/* Profiles in JSON: spans that a file may end in, frames, samples with weights. */
#include "processor/import/formats/json_profile.h"

#include <errno.h>
#include <math.h>

#include "processor/import/formats/chrome_json.h"
#include "processor/model/callstacks.h"
#include "protos/reflect/json_inline.h"

/* Lines of files, in columns of 32 bits. */
#define LINE_MAX INT32_MAX

void orma_formats_profile_fini(struct orma_formats_profile *self)
{
    orma_arena_fini(&self->arena);
    orma_buf_fini(&self->scratch);
}

/* ---- spans ---- */

struct orma_json orma_formats_span_inside(const struct orma_formats_span *span)
{
    if (!span->cut)
        return orma_json_inside(&span->v);
    return orma_json((struct orma_str){span->v.raw.data + 1, span->v.raw.len - 1});
}

/* Does it go up to the end of the file? The bracket of what is whole comes behind it. */
static bool is_cut(const struct orma_file *file, const struct orma_json *j)
{
    return j->end == (const char *)file->given.data + file->given.len;
}

void orma_formats_span_broken(struct orma_file *file, const struct orma_json *j)
{
    struct orma_formats_profile *p = file->state;
    const char *end = (const char *)file->given.data + file->given.len;

    if (p->cut) /* what is around it is broken by the same */
        return;
    p->cut = is_cut(file, j);
    const char *at = orma_json_skip_blanks(j->pos, end), *to;

    while (at < end && *at == ',')
        at = orma_json_skip_blanks(at + 1, end);
    to = at < end && *at != '"' ? orma_json_skip(at, end) : NULL;
    if (p->cut && (!to || to == end)) /* nothing follows that would show that it is malformed */
        orma_file_truncated(file, (uint64_t)ORMA_MAX(end - j->pos, 1));
    else
        orma_file_damage(file, j->pos, ORMA_MAX((size_t)(j->end - j->pos), 1u), "malformed JSON");
}

/* A number or a word at the very end of the file may be the begin of a longer one. */
static bool may_go_on(const struct orma_file *file, struct orma_json *j, const char *before,
                      const struct orma_json_value *v)
{
    if (j->pos != (const char *)file->given.data + file->given.len || v->type == ORMA_JSON_STRING ||
        v->type == ORMA_JSON_ARRAY || v->type == ORMA_JSON_OBJECT)
        return false;
    j->pos = before;
    j->failed = true;
    return true;
}

/* After a failure: the container that begins at `pos` and has no end. */
static bool cut_container(const struct orma_json *j, const char *pos, struct orma_formats_span *ret)
{
    while ((pos = orma_json_skip_blanks(pos, j->end)) < j->end && (*pos == ',' || *pos == ':'))
        pos++;
    if (pos >= j->end || (*pos != '{' && *pos != '[') || orma_json_skip(pos, j->end))
        return false;
    *ret = (struct orma_formats_span){
        .v = {.type = *pos == '{' ? ORMA_JSON_OBJECT : ORMA_JSON_ARRAY,
              .raw = {pos, (size_t)(j->end - pos)}},
        .cut = true,
    };
    return true;
}

bool orma_formats_span_member(struct orma_file *file, struct orma_json *j, struct orma_str *ret_key,
                              struct orma_formats_span *ret)
{
    if (!orma_json_name(j, ret_key)) {
        if (j->failed || is_cut(file, j))
            orma_formats_span_broken(file, j);
        return false;
    }
    const struct orma_json before = *j;
    *ret = (struct orma_formats_span){0};
    if (orma_json_read(j, &ret->v) && !may_go_on(file, j, before.pos, &ret->v))
        return true;
    j->failed = true;
    if (cut_container(&before, before.pos, ret))
        return true;
    orma_formats_span_broken(file, j);
    return false;
}

bool orma_formats_span_element(struct orma_file *file, struct orma_json *j,
                               struct orma_formats_span *ret)
{
    const struct orma_json before = *j;
    bool again = j->failed;

    *ret = (struct orma_formats_span){0};
    if (orma_json_element(j, &ret->v) && !may_go_on(file, j, before.pos, &ret->v))
        return true;
    if ((!j->failed && !is_cut(file, j)) || again)
        return false;
    if (cut_container(&before, before.pos, ret))
        return true;
    orma_formats_span_broken(file, j);
    return false;
}

bool orma_formats_profile_enter(struct orma_file *file, const uint8_t *data, size_t len,
                                struct orma_json *ret)
{
    *ret = orma_json((struct orma_str){(const char *)data, len});
    if (orma_json_enter(ret, '{'))
        return true;
    orma_file_error(file, -EBADMSG, "Failure parsing the profile's JSON (ERR:tp-corrupt)");
    return false;
}

bool orma_formats_profile_member(struct orma_file *file, struct orma_json *j,
                                 struct orma_str *ret_key, struct orma_formats_span *ret)
{
    if (j->failed || orma_json_leave(j, '}'))
        return false;
    return orma_formats_span_member(file, j, ret_key, ret);
}

void orma_formats_span_set(struct orma_file *file, struct orma_formats_span *member,
                           const struct orma_formats_span *value)
{
    if (member->v.type)
        orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "members with the name of another one",
                       value->v.raw.data);
    *member = *value;
}

/* ---- values ---- */

bool orma_formats_profile_number(const struct orma_json_value *v, double *ret)
{
    const double number = orma_json_number(v);

    if ((v->type != ORMA_JSON_INT && v->type != ORMA_JSON_REAL) || !isfinite(number))
        return false;
    *ret = number;
    return true;
}

bool orma_formats_profile_round(double ns, int64_t *ret)
{
    if (!(ns > -9.2e18 && ns < 9.2e18))
        return false;
    const int64_t whole = (int64_t)ns;
    const double rest = ns - (double)whole;
    *ret = whole + (rest >= 0.5) - (rest <= -0.5);
    return true;
}

bool orma_formats_profile_ns(const struct orma_json_value *v, double unit_ns, int64_t *ret)
{
    double number;

    if (v->type == ORMA_JSON_INT)
        return !__builtin_mul_overflow(v->integer, (int64_t)unit_ns, ret);
    return orma_formats_profile_number(v, &number) &&
           orma_formats_profile_round(number * unit_ns, ret);
}

uint32_t orma_formats_profile_text(struct orma_file *file, const struct orma_json_value *v)
{
    struct orma_formats_profile *p = file->state;

    if (v->type != ORMA_JSON_STRING || !v->raw.len)
        return 0;
    return orma_model_str(file->imp->model, orma_json_text(v, &p->scratch));
}

uint32_t orma_formats_profile_frame(struct orma_file *file, uint32_t name, uint32_t source,
                                    int64_t line)
{
    struct orma_model *m = file->imp->model;
    const struct orma_mapping mapping = {.name = source ? source : ORMA_STR_EMPTY,
                                         .end = UINT64_MAX};
    const struct orma_stack_frame frame = {
        .mapping = orma_callstacks_mapping(m, &mapping), /* a script is what its code lies in */
        .name = name,
        .source = source,
        .line = line > 0 && line <= LINE_MAX ? (uint32_t)line : 0,
    };

    return orma_callstacks_symbolized_frame(m, &frame);
}

struct orma_str orma_formats_profile_file_name(const struct orma_file *file)
{
    const struct orma_model *m = file->imp->model;
    const struct orma_table *t = &m->storage->tables[ORMA_TABLE_TRACE_FILE];

    if (!file->import) /* it is in no table */
        return (struct orma_str){0};
    return orma_strpool_get(&m->storage->pool,
                            (uint32_t)orma_table_int(t, ORMA_TRACE_FILE_NAME, file->row));
}

uint32_t orma_formats_profile_made_up(struct orma_file *file, struct orma_str text)
{
    struct orma_formats_profile *p = file->state;
    const struct orma_json_value v = {.type = ORMA_JSON_STRING, .raw = text};

    return orma_json_event_number(file->imp, &v, &p->scratch).number;
}

/* ---- rows ---- */

#define WEIGHT_MAX (INT64_C(1) << 53) /* ns that a double holds, of which a thousand can be added  \
                                       */

static uint32_t weights_track(struct orma_file *file, struct orma_formats_profile *p)
{
    struct orma_model *m = file->imp->model;
    struct orma_track_spec spec = {
        .type = "stack_sample_time",
        .event = ORMA_TRACK_COUNTER,
        .machine = m->base,
        .name = orma_model_lit(m, "time of samples"),
        .unit = orma_model_lit(m, "ns"),
        .parent = ORMA_TRACK_NONE,
    };

    p->session = 1 + orma_callstacks_session(m, p->source, spec.unit);
    spec.dims[spec.dims_num++] = orma_dim(orma_model_lit(m, "session_id"), p->session - 1);
    return orma_tracks_get(&m->tracks, &spec);
}

void orma_formats_profile_sample(struct orma_file *file, int64_t ts, uint32_t utid,
                                 uint32_t callsite, int64_t ns)
{
    struct orma_formats_profile *p = file->state;
    struct orma_model *m = file->imp->model;

    if (!p->session)
        p->track = 1 + weights_track(file, p);
    if (ns > WEIGHT_MAX) {
        orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "weights of more than a hundred days", NULL);
        ns = WEIGHT_MAX;
    }
    const struct orma_sample s = {
        .ts = ts,
        .source = orma_model_cstr(m, p->source),
        .task = orma_callstacks_task(m, orma_processes_upid(orma_model_processes(m, m->base), utid),
                                     utid, ORMA_ROW_NONE),
        .exec = ORMA_ROW_NONE,
        .callsite = callsite,
        .session = p->session - 1,
        .counter_set = orma_callstacks_counter_set(m),
    };
    orma_callstacks_add_counter(m, s.counter_set, ts, p->track - 1, (double)ns);
    (void)orma_callstacks_sample(m, &s);
}
