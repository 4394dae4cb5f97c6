/*
 * Kernel events as text. Most are put back into the form that packets have and given to the
 * handlers of those (plain_events); events whose text has less than the packet, or another meaning,
 * have a function of their own here.
 */
#include <stdio.h>

#include "processor/import/core/ports.h"
#include "processor/import/formats/systrace.h"
#include "processor/model/sched.h"
#include "protos/fields/ftrace.h"
#include "protos/tables/ftrace_events.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

/* ---- arguments ---- */

/* Cuts off the next piece that is not empty; false: there is none. */
static bool piece(struct orma_str *rest, char separator, struct orma_str *ret)
{
    while (rest->len && *rest->data == separator)
        *rest = (struct orma_str){rest->data + 1, rest->len - 1};
    return rest->len && (orma_str_cut(rest, separator, ret), true);
}

/*
 * Arguments stand between blanks: "key=value", or a name without a key. The first of a key counts,
 * and what has several '=' has the value behind the last of them.
 */
bool orma_systrace_arg(struct orma_str args, const char *key, struct orma_str *ret)
{
    struct orma_str word, have, next;

    while (piece(&args, ' ', &word)) {
        if (!memchr(word.data, '=', word.len)) {
            *ret = word;
            if (!strcmp(key, "name"))
                return true;
            continue;
        }
        if (!piece(&word, '=', &have) || !orma_str_eq_c(have, key))
            continue;
        *ret = (struct orma_str){have.data + have.len, 0};
        while (piece(&word, '=', &next))
            *ret = next;
        return true;
    }
    return false;
}

static bool number_arg(struct orma_str args, const char *key, int64_t *ret)
{
    struct orma_str s;

    return orma_systrace_arg(args, key, &s) && orma_str_to_i64(s, ret);
}

static bool pid_arg(struct orma_str args, const char *key, uint32_t *ret)
{
    int64_t val;

    if (!number_arg(args, key, &val) || val < INT32_MIN || val > UINT32_MAX)
        return false;
    *ret = (uint32_t)val;
    return true;
}

/* ---- the form that packets have ---- */

/*
 * Events whose text has all that their handlers need; `numbers` must be there, by the names of the
 * fields. Others than these only name their thread: nobody writes programs by them.
 */
static const struct plain {
    const char *event;
    const char *numbers[5];
} plain_events[] = {
    {"cpu_frequency", {"cpu_id", "state"}},
    {"cpu_frequency_limits", {"cpu_id", "min_freq", "max_freq"}},
    {"cpu_idle", {"cpu_id", "state"}},
    {"clock_set_rate", {"state"}},
    {"clock_enable", {"state"}},
    {"clock_disable", {"state"}},
    {"thermal_temperature", {"temp"}},
    {"cdev_update", {"target"}},
    {"rss_stat", {"member", "size"}},
    {"binder_transaction", {"debug_id", "target_node", "to_proc", "to_thread", "reply"}},
    {"binder_transaction_received", {"debug_id"}},
    {"binder_transaction_alloc_buf", {"debug_id", "data_size", "offsets_size"}},
    {"binder_command", {"cmd"}},
    {"binder_return", {"cmd"}},
    {"binder_lock", {NULL}},
    {"binder_locked", {NULL}},
    {"binder_unlock", {NULL}},
    {"irq_handler_entry", {NULL}},
    {"irq_handler_exit", {NULL}},
    {"softirq_entry", {NULL}},
    {"softirq_exit", {NULL}},
    {"suspend_resume", {NULL}},
};

/* Where the text's key is not the name of the field. */
static const struct {
    const char *event, *field, *key;
} other_keys[] = {
    {"cpu_frequency_limits", "min_freq", "min"},
    {"cpu_frequency_limits", "max_freq", "max"},
    {"binder_transaction", "debug_id", "transaction"},
    {"binder_transaction", "target_node", "dest_node"},
    {"binder_transaction", "to_proc", "dest_proc"},
    {"binder_transaction", "to_thread", "dest_thread"},
    {"binder_transaction_received", "debug_id", "transaction"},
    {"binder_transaction_alloc_buf", "debug_id", "transaction"},
};

/* What the text of an event tells that its handler would take for something else. */
static const struct {
    const char *event, *field;
} left_out[] = {{"rss_stat", "curr"}, {"rss_stat", "mm_id"}};

/* Text that stands for a number. */
static const struct {
    const char *text;
    int64_t value;
} number_words[] = {{"handled", 1}, {"unhandled", 0}, {"begin", 1}, {"end", 0}};

static bool find_value(struct orma_str event, const char *field, struct orma_str args,
                       struct orma_str *ret)
{
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(left_out); i++)
        if (orma_str_eq_c(event, left_out[i].event) && !strcmp(field, left_out[i].field))
            return false;
    if (orma_systrace_arg(args, field, ret))
        return true;
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(other_keys); i++)
        if (orma_str_eq_c(event, other_keys[i].event) && !strcmp(field, other_keys[i].field))
            return orma_systrace_arg(args, other_keys[i].key, ret);
    return false;
}

static bool to_number(struct orma_str word, int64_t *ret)
{
    uint64_t val;

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(number_words); i++) {
        if (orma_str_eq_c(word, number_words[i].text)) {
            *ret = number_words[i].value;
            return true;
        }
    }
    if (orma_str_to_i64(word, ret))
        return true;
    if (!orma_str_to_u64(word, &val))
        return false;
    *ret = (int64_t)val;
    return true;
}

static void put_field(struct orma_str event, const struct orma_ftrace_field *f,
                      struct orma_str args, struct orma_buf *out)
{
    struct orma_str text;
    int64_t val;

    if (f->repeated || !find_value(event, orma_ftrace_name(f->name), args, &text))
        return;
    if (f->type == ORMA_PB_TYPE_STRING)
        orma_pb_put_str(out, f->number, text);
    else if (to_number(text, &val))
        orma_pb_put_i64(out, f->number, val);
}

static const struct plain *find_plain(struct orma_str name)
{
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(plain_events); i++)
        if (orma_str_eq_c(name, plain_events[i].event))
            return &plain_events[i];
    return NULL;
}

static bool has_numbers(const struct plain *p, struct orma_str name, struct orma_str args)
{
    struct orma_str text;
    int64_t val;

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(p->numbers) && p->numbers[i]; i++)
        if (!find_value(name, p->numbers[i], args, &text) || !to_number(text, &val))
            return false;
    return true;
}

/* "suspend_enter[3] begin", "irq=7 ret=handled": forms of their own. */
static struct orma_str in_keys(struct orma_str name, struct orma_str args, char *copy, size_t cap)
{
    struct orma_str rest = args, action, val;

    if (!orma_str_eq_c(name, "suspend_resume") || !piece(&rest, ' ', &val) ||
        !orma_str_cut(&val, '[', &action) || !val.len || val.data[val.len - 1] != ']')
        return args;
    int len = snprintf(copy, cap, "action=%.*s val=%.*s start=%.*s", ORMA_STR_ARG(action),
                       (int)val.len - 1, val.data, ORMA_STR_ARG(orma_str_trim(rest)));
    return len < 0 || (size_t)len >= cap ? args : (struct orma_str){copy, (size_t)len};
}

/* False: something is missing. */
static bool plain_event(struct orma_import_ctx *imp, struct orma_kernel_event *e,
                        const struct plain *p, struct orma_str name, struct orma_str text,
                        struct orma_buf *scratch)
{
    const struct orma_ftrace_tracepoint *t = orma_ftrace_tracepoint_find(NULL, p->event);
    char copy[128];
    struct orma_str args = in_keys(name, text, copy, sizeof(copy));

    if (!t || !has_numbers(p, name, args))
        return false;
    const struct orma_ftrace_message *m = &orma_ftrace_messages[t->message_idx];
    orma_buf_clear(scratch);
    for (unsigned i = 0; i < m->fields_num; i++)
        put_field(name, orma_ftrace_message_field(m, i), args, scratch);
    e->field = m->number;
    e->payload = orma_buf_str(scratch);
    (void)orma_systrace_arg(args, "code", &e->code);
    if (!scratch->failed)
        (void)orma_port_handle(imp, e);
    return true;
}

/* ---- scheduling ---- */

#define STATE_UNKNOWN 0xffff

/* Letters of a state as the bits that an old kernel has for them. */
static int64_t state_bits(struct orma_str text)
{
    static const char letters[] = "SDTtXZxKWPNI|";
    static const uint16_t bits[] = {0x1,  0x2,   0x4,   0x8,   0x10,  0x20, 0x40,
                                    0x80, 0x100, 0x200, 0x400, 0x402, 0};
    int64_t val = 0;

    if (orma_str_eq_c(text, "R"))
        return 0;
    if (orma_str_eq_c(text, "R+"))
        return 0x800;
    for (size_t i = 0; i < text.len; i++) {
        const char *at = memchr(letters, text.data[i], sizeof(letters) - 1);

        if (!at)
            return STATE_UNKNOWN;
        val |= bits[at - letters];
    }
    return val;
}

/* A bundle of this one event, for its row and the args of that. */
static void add_switch_row(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                           uint32_t prev, struct orma_str payload)
{
    struct orma_item item = {.ts = e->ts, .kind = ORMA_ITEM_FTRACE_EVENT};
    struct orma_kernel_bundle bundle = {.to = 1, .cpu = e->cpu, .order = e->item->order};
    struct orma_buf event = {0}, all = {0};

    orma_pb_put_u64(&event, ORMA_PB_FTRACE_EVENT_TIMESTAMP, (uint64_t)e->ts);
    orma_pb_put_u64(&event, ORMA_PB_FTRACE_EVENT_PID, e->pid);
    orma_pb_put_str(&event, ORMA_PB_FTRACE_EVENT_SCHED_SWITCH, payload);
    orma_pb_put_str(&all, ORMA_PB_FTRACE_EVENT_BUNDLE_EVENT, orma_buf_str(&event));
    char *copy =
        !all.failed && !event.failed ? orma_arena_alloc(&imp->reader->sorter.arena, all.len) : NULL;
    if (copy) {
        memcpy(copy, all.data, all.len);
        bundle.event_bytes = (struct orma_str){copy, all.len};
        item.bundle = orma_sorter_add_bundle(&imp->reader->sorter, &bundle);
        if (item.bundle != UINT32_MAX)
            orma_port_add_row(imp, &item, orma_model_cstr(imp->model, "sched_switch"), prev,
                              e->common_flags, e->cpu);
    } else {
        imp->model->storage->failed = true;
    }
    orma_buf_fini(&event);
    orma_buf_fini(&all);
}

static bool on_switch(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                      struct orma_str args, struct orma_buf *out)
{
    struct orma_str prev_comm = {"", 0}, next_comm = {"", 0}, state = {"", 0};
    uint32_t prev_pid, next_pid;
    int64_t prev_prio, next_prio;

    if (!pid_arg(args, "prev_pid", &prev_pid) || !pid_arg(args, "next_pid", &next_pid) ||
        !number_arg(args, "prev_prio", &prev_prio) || !number_arg(args, "next_prio", &next_prio))
        return false;
    (void)orma_systrace_arg(args, "prev_comm", &prev_comm);
    (void)orma_systrace_arg(args, "next_comm", &next_comm);
    (void)orma_systrace_arg(args, "prev_state", &state);
    int64_t bits = state_bits(state);
    orma_buf_clear(out);
    orma_pb_put_str(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_COMM, prev_comm);
    orma_pb_put_i64(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_PID, prev_pid);
    orma_pb_put_i64(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_PRIO, prev_prio);
    orma_pb_put_i64(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_STATE, bits);
    orma_pb_put_str(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_COMM, next_comm);
    orma_pb_put_i64(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PID, next_pid);
    orma_pb_put_i64(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PRIO, next_prio);
    orma_sched_switch(imp->model, imp->model->base, e->ts, e->cpu, prev_pid,
                      orma_model_str(imp->model, prev_comm), bits, next_pid,
                      orma_model_str(imp->model, next_comm), (int32_t)next_prio);
    add_switch_row(
        imp, e, orma_processes_thread(orma_model_processes(imp->model, imp->model->base), prev_pid),
        orma_buf_str(out));
    return true;
}

static bool on_waking(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                      uint32_t waker, struct orma_str args)
{
    struct orma_processes *p = orma_model_processes(imp->model, imp->model->base);
    struct orma_str comm = {"", 0};
    uint32_t pid;

    if (!pid_arg(args, "pid", &pid))
        return false;
    uint32_t utid = orma_processes_thread(p, pid);
    (void)orma_systrace_arg(args, "comm", &comm);
    orma_processes_name_thread(p, utid, orma_model_str(imp->model, comm), ORMA_THREAD_NAME_FTRACE);
    orma_sched_waking(imp->model, imp->model->base, e->ts, utid, waker,
                      e->has_flags ? (int64_t)e->common_flags : -1);
    return true;
}

static bool on_blocked(struct orma_import_ctx *imp, struct orma_str args)
{
    struct orma_str caller = {0};
    int64_t io_wait;
    uint32_t pid;

    if (!pid_arg(args, "pid", &pid) || !number_arg(args, "iowait", &io_wait))
        return false;
    (void)orma_systrace_arg(args, "caller", &caller);
    orma_sched_blocked(
        imp->model, orma_processes_thread(orma_model_processes(imp->model, imp->model->base), pid),
        io_wait != 0, caller.len ? orma_model_str(imp->model, caller) : 0);
    return true;
}

/* "work struct 0x1: function name" */
static bool on_work(struct orma_import_ctx *imp, const struct orma_kernel_event *e, uint32_t utid,
                    struct orma_str args)
{
    const char *at = orma_str_find(args, ORMA_STR("function ")), *next;

    if (!at)
        return false;
    struct orma_str name = {at + 9, (size_t)(args.data + args.len - at) - 9};
    if ((next = orma_str_find(name, ORMA_STR("function "))))
        name.len = (size_t)(next - name.data);
    orma_slices_begin(
        &imp->model->slices, e->ts, orma_model_thread_track(imp->model, imp->model->base, utid),
        orma_model_lit(imp->model, "workqueue"), orma_model_str(imp->model, name), NULL);
    return true;
}

/* ---- all ---- */

/* False: something is missing. */
static bool event(struct orma_import_ctx *imp, struct orma_kernel_event *e, uint32_t named,
                  struct orma_str name, struct orma_str args, struct orma_buf *scratch)
{
    const struct plain *p;

    if (orma_str_eq_c(name, "tracing_mark_write") || orma_str_eq_c(name, "0") ||
        orma_str_eq_c(name, "print"))
        orma_port_marker(imp, e, args);
    else if (orma_str_eq_c(name, "sched_switch"))
        return on_switch(imp, e, args, scratch);
    else if (orma_str_eq_c(name, "sched_waking"))
        return on_waking(imp, e, named, args);
    else if (orma_str_eq_c(name, "sched_blocked_reason"))
        return on_blocked(imp, args);
    else if (orma_str_eq_c(name, "workqueue_execute_start"))
        return on_work(imp, e, named, args);
    else if (orma_str_eq_c(name, "workqueue_execute_end"))
        orma_slices_end(&imp->model->slices, e->ts,
                        orma_model_thread_track(imp->model, imp->model->base, named),
                        orma_model_lit(imp->model, "workqueue"), 0, NULL);
    else if ((p = find_plain(name)))
        return plain_event(imp, e, p, name, args, scratch);
    return true;
}

void orma_systrace_event(struct orma_import_ctx *imp, const struct orma_kernel_event *of,
                         uint32_t named, struct orma_str name, struct orma_str args,
                         struct orma_buf *scratch)
{
    struct orma_kernel_event e = *of;

    if (!event(imp, &e, named, name, args, scratch))
        orma_stats_inc(orma_model_stats(imp->model, imp->model->base),
                       ORMA_STAT_SYSTRACE_PARSE_FAILURE);
}
