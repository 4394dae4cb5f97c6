/*
 * Instruments' time profile as XML. Elements have ids; where the same thing comes again there is
 * only a reference to the first. Rows are samples:
 *
 *     <row> <sample-time>ns</> <thread> <tid/> <process> <pid/> </> </> <core/> <backtrace>
 *       <frame name addr> <binary path UUID load-addr/> </> ... </> </row>      innermost first
 *
 * expat tells what begins and ends, and the text between. An element waits on a stack until it is
 * closed: then what is inside has made its value, which goes to the element around it and is kept
 * under the id. What expat refuses ends the rows; those before it stay.
 */
#include "processor/import/formats/formats.h"

#include <errno.h>
#include <expat.h>

#include "processor/model/callstacks.h"
#include "sdk/base/vec.h"

#define OPEN_MAX 64
#define PIECE (1 << 20) /* expat counts in ints */

enum kind {
    KIND_OTHER,
    KIND_ROW,
    KIND_TIME,
    KIND_THREAD,
    KIND_PROCESS,
    KIND_TID,
    KIND_PID,
    KIND_CORE,
    KIND_BACKTRACE,
    KIND_TAGGED, /* holds a backtrace, and stands for it */
    KIND_FRAME,
    KIND_BINARY,
    KINDS_NUM,
};

static const char *const kind_names[KINDS_NUM] = {
    [KIND_OTHER] = "",
    [KIND_ROW] = "row",
    [KIND_TIME] = "sample-time",
    [KIND_THREAD] = "thread",
    [KIND_PROCESS] = "process",
    [KIND_TID] = "tid",
    [KIND_PID] = "pid",
    [KIND_CORE] = "core",
    [KIND_BACKTRACE] = "backtrace",
    [KIND_TAGGED] = "tagged-backtrace",
    [KIND_FRAME] = "frame",
    [KIND_BINARY] = "binary",
};

/* A frame, as its element tells it. */
struct known_frame {
    uint32_t mapping, name;
    uint64_t rel_pc;
};

/* An element that is not closed yet. */
struct element {
    enum kind kind;
    struct orma_buf attrs, text; /* attributes: name, 0, value, 0, ... */
    uint64_t value;              /* by kind: a number, a row, or tid << 32 | pid */
    bool has_value;              /* a reference, or what came from inside */
};

struct row {
    int64_t ts;
    uint64_t thread;
    uint32_t pid, core, callsite;
    bool has_ts, has_thread, has_core, has_stack;
};

struct instruments {
    XML_Parser xml;
    struct orma_map values; /* kind and id → value */
    struct element open[OPEN_MAX];
    unsigned depth;
    struct row row;
    ORMA_VEC(struct known_frame) known;
    ORMA_VEC(uint32_t) frames; /* of the stack at hand: indices of `known`, innermost first */
    bool refused, in_row;
    struct orma_arena arena;
    struct orma_buf scratch;
};

/* A sample at rest. */
struct event {
    uint32_t tid, pid, core, callsite;
    bool has_core;
};

/* None is 0; a text that is no number is told. */
static uint64_t number(struct orma_file *file, struct orma_str s)
{
    uint64_t val = 0;

    s = orma_str_trim(s);
    if (s.len && !orma_str_to_u64(s, &val))
        orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "malformed numbers", NULL);
    return val;
}

/* What an element is known by: a number, or any other text. */
static uint64_t key_of(struct orma_file *file, struct orma_str id, enum kind kind)
{
    uint64_t val;
    bool text = !orma_str_to_u64(id, &val) || val >> 59;

    return (text ? orma_model_str(file->imp->model, id) : val) << 5 | (uint64_t)text << 4 | kind;
}

/* An attribute of an open element; of length 0 if it has none of that name. */
static struct orma_str attr(const struct element *e, const char *wanted)
{
    struct orma_str rest = orma_buf_str(&e->attrs), name, value;

    while (orma_str_cut(&rest, '\0', &name) && orma_str_cut(&rest, '\0', &value))
        if (orma_str_eq_c(name, wanted))
            return value;
    return (struct orma_str){0};
}

static uint32_t text_id(struct orma_file *file, struct orma_str s)
{
    return orma_model_str(file->imp->model, s);
}

/* ---- what elements are ---- */

static uint64_t make_binary(struct orma_file *file, const struct element *e)
{
    struct instruments *in = file->state;
    struct orma_str uuid = attr(e, "UUID");
    struct orma_mapping m = {.start = number(file, attr(e, "load-addr"))};

    orma_buf_clear(&in->scratch);
    for (size_t i = 0; i < uuid.len; i++)
        if (uuid.data[i] != '-')
            orma_buf_put_byte(&in->scratch, uuid.data[i] >= 'A' && uuid.data[i] <= 'F'
                                                ? (uint8_t)(uuid.data[i] | 32)
                                                : (uint8_t)uuid.data[i]);
    m.build_id = orma_model_str(file->imp->model, orma_buf_str(&in->scratch));
    m.name = text_id(file, attr(e, "path"));
    m.end = UINT64_MAX;
    return orma_callstacks_mapping(file->imp->model, &m);
}

static uint64_t make_frame(struct orma_file *file, const struct element *e)
{
    const struct orma_table *t =
        orma_model_table(file->imp->model, ORMA_TABLE_STACK_PROFILE_MAPPING);
    struct instruments *in = file->state;
    struct known_frame f = {.rel_pc = number(file, attr(e, "addr"))};

    f.mapping =
        e->has_value ? (uint32_t)e->value : orma_callstacks_dummy_mapping(file->imp->model, "");
    uint64_t start = (uint64_t)orma_table_int(t, ORMA_STACK_PROFILE_MAPPING_START, f.mapping);
    f.rel_pc -= f.rel_pc >= start ? start : 0;
    f.name = text_id(file, attr(e, "name"));
    if (ORMA_VEC_PUSH(&in->known, f))
        file->imp->model->storage->failed = true;
    return in->known.len - 1;
}

/* A caller goes on at its address, so the call is before it. */
static uint64_t make_stack(struct orma_file *file)
{
    struct instruments *in = file->state;
    uint32_t callsite = ORMA_CALLSITE_NONE;

    for (uint32_t i = in->frames.len; i-- > 0;) {
        if (in->frames.data[i] >= in->known.len)
            continue; /* memory is out */
        const struct known_frame *k = &in->known.data[in->frames.data[i]];
        const struct orma_stack_frame f = {
            .mapping = k->mapping, .name = k->name, .rel_pc = k->rel_pc - (i && k->rel_pc)};

        callsite = orma_callstacks_callsite(file->imp->model, callsite,
                                            orma_callstacks_frame(file->imp->model, &f));
    }
    return callsite;
}

/* "name (123)" */
static void name_process(struct orma_file *file, const struct element *e)
{
    struct orma_processes *p = orma_model_processes(file->imp->model, file->imp->model->base);
    struct orma_str name = attr(e, "fmt");

    for (size_t i = name.len; i-- > 1;) {
        if (name.data[i] == '(') {
            name.len = i - 1;
            break;
        }
    }
    if (name.len && e->value)
        orma_processes_name_process(p, orma_processes_process(p, (uint32_t)e->value),
                                    text_id(file, name), ORMA_PROCESS_NAME_OTHER);
}

/* "name  0x12 (process, pid: 123)" */
static void name_thread(struct orma_file *file, const struct element *e)
{
    struct orma_processes *p = orma_model_processes(file->imp->model, file->imp->model->base);
    struct orma_str name = attr(e, "fmt");
    const char *at = orma_str_find(name, ORMA_STR("  0x"));

    if (at && at > name.data && e->value)
        orma_processes_name_thread(
            p, orma_processes_thread_of(p, (uint32_t)(e->value >> 32), (uint32_t)e->value),
            text_id(file, (struct orma_str){name.data, (size_t)(at - name.data)}),
            ORMA_THREAD_NAME_OTHER);
}

/* The value of an element that was closed. */
static uint64_t value_of(struct orma_file *file, const struct element *e)
{
    switch (e->kind) {
    case KIND_TIME:
    case KIND_TID:
    case KIND_PID:
    case KIND_CORE:
        return number(file, orma_buf_str(&e->text));
    case KIND_BINARY:
        return make_binary(file, e);
    case KIND_FRAME:
        return make_frame(file, e);
    case KIND_BACKTRACE:
        return make_stack(file);
    case KIND_TAGGED:
        return e->has_value ? e->value : ORMA_CALLSITE_NONE;
    case KIND_PROCESS:
        name_process(file, e);
        return e->value;
    case KIND_THREAD:
        name_thread(file, e);
        return e->value;
    default:
        return 0;
    }
}

/* ---- rows ---- */

static struct orma_unit_end end_row(struct orma_file *file)
{
    struct instruments *in = file->state;
    struct orma_stats *stats = orma_model_stats(file->imp->model, file->imp->model->base);
    const struct row *r = &in->row;
    struct event *e;

    orma_file_unit(file, NULL);
    if (!r->has_ts)
        return orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ, "rows of other tables");
    if (!r->has_thread) {
        orma_stats_inc(stats, ORMA_STAT_INSTRUMENTS_ROW_MISSING_THREAD);
        return orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ, "rows without a thread");
    }
    if (!r->has_stack) {
        orma_stats_inc(stats, ORMA_STAT_INSTRUMENTS_ROW_MISSING_BACKTRACE);
        return orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ, "rows without a backtrace");
    }
    e = orma_arena_alloc(&in->arena, sizeof(*e));
    if (!e) {
        file->imp->model->storage->failed = true;
        return orma_file_skipped(file, ORMA_ACCOUNT_NO_WORD, "rows"); /* memory is out */
    }
    *e = (struct event){.tid = (uint32_t)(r->thread >> 32),
                        .pid = r->pid ? r->pid : (uint32_t)r->thread,
                        .core = r->core,
                        .callsite = r->callsite,
                        .has_core = r->has_core};
    return orma_file_add(file, r->ts, 0, (const uint8_t *)e, sizeof(*e));
}

/* What was closed is part of what it lies in. */
static void give(struct orma_file *file, enum kind kind, uint64_t value)
{
    struct instruments *in = file->state;
    struct element *up = in->depth ? &in->open[in->depth - 1] : NULL;
    struct row *r = &in->row;

    if (!up)
        return;
    switch (up->kind) {
    case KIND_THREAD:
        if (kind == KIND_TID)
            up->value |= value << 32;
        else if (kind == KIND_PROCESS)
            up->value |= (uint32_t)value;
        break;
    case KIND_PROCESS:
        if (kind == KIND_PID)
            up->value = (uint32_t)value;
        break;
    case KIND_TAGGED:
        if (kind == KIND_BACKTRACE) {
            up->value = value;
            up->has_value = true;
        }
        break;
    case KIND_FRAME:
        if (kind == KIND_BINARY) {
            up->value = value;
            up->has_value = true;
        }
        break;
    case KIND_BACKTRACE:
        if (kind == KIND_FRAME)
            file->imp->model->storage->failed |= ORMA_VEC_PUSH(&in->frames, (uint32_t)value);
        break;
    case KIND_ROW:
        if (kind == KIND_TIME) {
            r->ts = (int64_t)(value & INT64_MAX);
            r->has_ts = true;
        } else if (kind == KIND_THREAD) {
            r->thread = value;
            r->has_thread = true;
        } else if (kind == KIND_PROCESS) {
            r->pid = (uint32_t)value;
        } else if (kind == KIND_CORE) {
            r->core = (uint32_t)value;
            r->has_core = value < ORMA_UCPUS_PER_MACHINE;
        } else if (kind == KIND_BACKTRACE || kind == KIND_TAGGED) {
            r->callsite = (uint32_t)value;
            r->has_stack = r->callsite != ORMA_CALLSITE_NONE;
        }
        break;
    default:
        break;
    }
}

/* A reference, or a number that is a time. */
static bool is_time(const struct element *e)
{
    uint64_t val;

    return attr(e, "ref").len ||
           (orma_str_to_u64(orma_str_trim(orma_buf_str(&e->text)), &val) && val <= INT64_MAX);
}

static void close_element(struct orma_file *file)
{
    struct instruments *in = file->state;
    struct element *e = &in->open[--in->depth];
    struct orma_str id = attr(e, "id"), ref = attr(e, "ref");
    uint64_t value;

    if (e->kind == KIND_ROW) {
        in->in_row = false;
        (void)end_row(file);
        return;
    }
    if (e->kind == KIND_TIME && !is_time(e)) {
        orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "times of rows", NULL);
        return;
    }
    if (e->kind == KIND_OTHER)
        return;
    if (ref.len) {
        value = orma_map_get(&in->values, key_of(file, ref, e->kind));
        if (value == ORMA_MAP_NONE) {
            orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "references to later elements", NULL);
            return;
        }
    } else {
        value = value_of(file, e);
        if (id.len)
            file->imp->model->storage->failed |=
                orma_map_put(&in->values, key_of(file, id, e->kind), value & (UINT64_MAX >> 1)) < 0;
    }
    give(file, e->kind, value);
}

/* ---- what expat says ---- */

static void give_up(struct orma_file *file)
{
    struct instruments *in = file->state;

    (void)XML_StopParser(in->xml, XML_FALSE); /* fails where it has stopped already */
}

static enum kind kind_of(const char *name)
{
    if (!strcmp(name, "event-time"))
        return KIND_TIME; /* as tables of events call it */
    for (unsigned i = 1; i < KINDS_NUM; i++)
        if (!strcmp(name, kind_names[i]))
            return (enum kind)i;
    return KIND_OTHER;
}

static void XMLCALL on_start(void *user, const char *name, const char **attrs)
{
    struct orma_file *file = user;
    struct instruments *in = file->state;

    if (in->depth == OPEN_MAX) {
        orma_file_error(file, -EBADMSG,
                        "XML with elements nested more than %d deep (ERR:tp-corrupt)", OPEN_MAX);
        give_up(file);
        return;
    }
    struct element *e = &in->open[in->depth++];
    e->kind = kind_of(name);
    e->value = 0;
    e->has_value = false;
    orma_buf_clear(&e->attrs);
    orma_buf_clear(&e->text);
    for (; e->kind != KIND_OTHER && *attrs; attrs++)
        orma_buf_put(&e->attrs, *attrs, strlen(*attrs) + 1);
    file->imp->model->storage->failed |= e->attrs.failed;
    if (e->kind == KIND_ROW) {
        if (in->in_row)
            orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "rows with other rows inside", NULL);
        in->in_row = true;
        in->row = (struct row){0};
    }
    if (e->kind == KIND_BACKTRACE)
        in->frames.len = 0;
}

static void XMLCALL on_end(void *user, const char *name)
{
    struct orma_file *file = user;

    (void)name; /* expat has compared it */
    close_element(file);
    if (orma_file_failed(file))
        give_up(file);
}

static void XMLCALL on_text(void *user, const char *text, int len)
{
    struct orma_file *file = user;
    struct instruments *in = file->state;
    struct element *e = in->depth ? &in->open[in->depth - 1] : NULL;

    if (!e || e->kind == KIND_OTHER || e->kind == KIND_ROW)
        return;
    orma_buf_put(&e->text, text, (size_t)len);
    file->imp->model->storage->failed |= e->text.failed;
}

static bool set_up(struct orma_file *file)
{
    struct instruments *in = file->state;

    if (in->xml)
        return true;
    in->xml = XML_ParserCreate(NULL);
    if (!in->xml) {
        file->imp->model->storage->failed = true;
        return false;
    }
    XML_SetUserData(in->xml, file);
    XML_SetElementHandler(in->xml, on_start, on_end);
    XML_SetCharacterDataHandler(in->xml, on_text);
    return true;
}

/* What expat refused, from there to the end. */
static void refuse(struct orma_file *file, const uint8_t *data, size_t len)
{
    struct instruments *in = file->state;
    enum XML_Error error = XML_GetErrorCode(in->xml);
    XML_Index from = XML_GetCurrentByteIndex(in->xml);
    size_t at = from >= 0 && (size_t)from < len ? (size_t)from : len;

    in->refused = true;
    if (orma_file_failed(file))
        return;
    if (error == XML_ERROR_NO_MEMORY)
        file->imp->model->storage->failed = true;
    else if (error == XML_ERROR_NO_ELEMENTS || error == XML_ERROR_UNCLOSED_TOKEN)
        orma_file_truncated(file, ORMA_MAX(len - at, (size_t)1));
    else
        orma_file_damage(file, data + at, len - at, "XML that is not well-formed");
}

static size_t instruments_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct instruments *in = file->state;

    if (!set_up(file))
        return len;
    for (size_t at = 0; at < len && !in->refused; at += PIECE) {
        size_t n = ORMA_MIN(len - at, (size_t)PIECE);

        if (XML_Parse(in->xml, (const char *)data + at, (int)n, at_end && at + n == len) !=
            XML_STATUS_OK)
            refuse(file, data, len);
    }
    return len;
}

static struct orma_unit_end instruments_parse(struct orma_file *file, const struct orma_item *item)
{
    struct orma_import_ctx *imp = file->imp;
    struct orma_processes *p = orma_model_processes(imp->model, imp->model->base);
    struct event e;

    memcpy(&e, item->data, sizeof(e));
    uint32_t utid = orma_processes_thread_of(p, e.tid, e.pid);
    const struct orma_sample row = {
        .ts = item->ts,
        .source = orma_model_cstr(imp->model, "instruments"),
        .task = orma_callstacks_task(imp->model, orma_processes_upid(p, utid), utid, ORMA_ROW_NONE),
        .exec = orma_callstacks_execution(
            imp->model,
            e.has_core ? orma_model_ucpu(imp->model, imp->model->base, e.core) : ORMA_ID_NONE, 0),
        .callsite = e.callsite,
        .session = ORMA_ROW_NONE,
        .counter_set = ORMA_COUNTER_SET_NONE,
    };
    orma_callstacks_sample(imp->model, &row);
    return orma_file_took(file);
}

static void instruments_fini(struct orma_file *file)
{
    struct instruments *in = file->state;

    if (in->xml)
        XML_ParserFree(in->xml);
    for (unsigned i = 0; i < OPEN_MAX; i++) {
        orma_buf_fini(&in->open[i].attrs);
        orma_buf_fini(&in->open[i].text);
    }
    orma_map_fini(&in->values);
    ORMA_VEC_FINI(&in->known);
    ORMA_VEC_FINI(&in->frames);
    orma_arena_fini(&in->arena);
    orma_buf_fini(&in->scratch);
}

const struct orma_format_ops orma_format_instruments = {
    .state_bytes = sizeof(struct instruments),
    .clock = ORMA_CLOCK_TRACE_FILE,
    .unit = "row",
    .whole = true,
    .read = instruments_read,
    .parse = instruments_parse,
    .fini = instruments_fini,
};
