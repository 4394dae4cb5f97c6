/*
 * Kernel events as text. Most are put back into the form that packets have and given to the
 * handlers of those (plain_events); events whose text has less than the packet, or another meaning,
 * have a function of their own here.
 */
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

/*
 * Takes the name off the arguments that begin with `key`, up to `next` ("comm=", " pid="): names
 * may have blanks. What is left begins with the key behind it. False: there is none.
 */
static bool cut_name(struct orma_str *args, struct orma_str key, struct orma_str next,
                     struct orma_str *ret)
{
    const char *at = orma_str_starts(*args, key) ? args->data : NULL, *end;

    if (!at)
        return false;
    struct orma_str rest = {at + key.len, args->len - key.len};
    if (!(end = orma_str_find(rest, next)))
        return false;
    *ret = (struct orma_str){rest.data, (size_t)(end - rest.data)};
    *args = (struct orma_str){end + 1, (size_t)(rest.data + rest.len - end) - 1};
    return true;
}

/* The rest of a value of text: all words up to the next with a key. */
static struct orma_str whole_text(struct orma_str args, struct orma_str first)
{
    const char *end = args.data + args.len;
    struct orma_str rest = {first.data + first.len, (size_t)(end - first.data) - first.len}, word;
    size_t len = first.len;

    while (piece(&rest, ' ', &word) && !memchr(word.data, '=', word.len))
        len = (size_t)(word.data + word.len - first.data);
    return (struct orma_str){first.data, len};
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
        orma_pb_put_str(out, f->number, whole_text(args, text));
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

/* "suspend_enter[3] begin": a form of its own. `copy` holds what comes of it. */
static struct orma_str in_keys(struct orma_str name, struct orma_str args, struct orma_buf *copy)
{
    struct orma_str rest = args, action, val;

    if (!orma_str_eq_c(name, "suspend_resume") || !piece(&rest, ' ', &val) ||
        !orma_str_cut(&val, '[', &action) || !val.len || val.data[val.len - 1] != ']')
        return args;
    rest = orma_str_trim(rest);
    orma_buf_put_str(copy, "action=");
    orma_buf_put(copy, action.data, action.len);
    orma_buf_put_str(copy, " val=");
    orma_buf_put(copy, val.data, val.len - 1);
    orma_buf_put_str(copy, " start=");
    orma_buf_put(copy, rest.data, rest.len);
    return orma_buf_str(copy);
}

/* False: something is missing. */
static bool plain_event(struct orma_import_ctx *imp, struct orma_kernel_event *e,
                        const struct plain *p, struct orma_str name, struct orma_str text,
                        struct orma_buf *scratch)
{
    const struct orma_ftrace_tracepoint *t = orma_ftrace_tracepoint_find(NULL, p->event);
    struct orma_buf copy = {0};
    struct orma_str args = in_keys(name, text, &copy);

    if (!t || !has_numbers(p, name, args)) {
        orma_buf_fini(&copy);
        return false;
    }
    const struct orma_ftrace_message *m = &orma_ftrace_messages[t->message_idx];
    orma_buf_clear(scratch);
    for (unsigned i = 0; i < m->fields_num; i++)
        put_field(name, orma_ftrace_message_field(m, i), args, scratch);
    e->field = m->number;
    e->payload = orma_buf_str(scratch);
    (void)orma_systrace_arg(args, "code", &e->code);
    scratch->failed |= copy.failed;
    if (!scratch->failed)
        (void)orma_port_handle(imp, e);
    orma_buf_fini(&copy);
    return true;
}

/* ---- scheduling ---- */

#define STATE_UNKNOWN 0xffff /* no state, orma_sched_state_text() */

/* Bits that all kernels have: S, D, T, t, X, Z. */
#define STATES_ALWAYS 0x3f
#define STATE_K 0x80
#define STATE_P 0x200
#define STATE_N 0x400
#define STATE_I (STATE_N | 0x2)
#define STATE_PREEMPTED 0x800

/*
 * The number of a state (trace-cmd report -R) as the bits that an old kernel has for it. The text
 * does not say of which kernel it is: where kernels differ, the meaning counts that sched_switch
 * can have. Since 4.14 there are 0x40 P, 0x80 I, 0x100 for a thread that may go on; before, 0x800
 * or 0x1000 for that, 0x80 K, 0x200 P and 0x400 N.
 */
static int64_t state_of_number(uint64_t num)
{
    int64_t val = num & STATES_ALWAYS;

    if (num & ~(uint64_t)0x1fff)
        return STATE_UNKNOWN;
    if (num & 0x40)
        val |= STATE_P;
    if (num & 0x80)
        val |= val ? STATE_K : STATE_I;
    val |= num & (STATE_P | STATE_N);
    return num & 0x1900 && !val ? STATE_PREEMPTED : val;
}

/* Letters of a state as the bits that an old kernel has for them. */
static int64_t state_bits(struct orma_str text)
{
    static const char letters[] = "SDTtXZxKWPNI|";
    static const uint16_t bits[] = {0x1,  0x2,   0x4,   0x8,   0x10,  0x20, 0x40,
                                    0x80, 0x100, 0x200, 0x400, 0x402, 0};
    int64_t val = 0;
    uint64_t num;

    if (orma_str_eq_c(text, "R"))
        return 0;
    if (orma_str_eq_c(text, "R+"))
        return STATE_PREEMPTED;
    if (text.len && text.data[0] >= '0' && text.data[0] <= '9')
        return orma_str_to_u64(text, &num) ? state_of_number(num) : STATE_UNKNOWN;
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

/* What a switch says, whatever its form. */
struct switched {
    struct orma_str prev_comm, next_comm, state;
    uint32_t prev_pid, next_pid;
    int64_t prev_prio, next_prio;
};

/* "prev_comm=a b prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=c next_pid=2 next_prio=120" */
static bool read_switch(struct orma_str args, struct switched *ret)
{
    struct orma_str prev = args, next;
    const char *at;

    if (!cut_name(&prev, ORMA_STR("prev_comm="), ORMA_STR(" prev_pid="), &ret->prev_comm))
        (void)orma_systrace_arg(args, "prev_comm", &ret->prev_comm);
    at = orma_str_find(prev, ORMA_STR("next_comm="));
    next =
        (struct orma_str){at ? at : prev.data, at ? (size_t)(prev.data + prev.len - at) : prev.len};
    if (!cut_name(&next, ORMA_STR("next_comm="), ORMA_STR(" next_pid="), &ret->next_comm))
        (void)orma_systrace_arg(next, "next_comm", &ret->next_comm);
    (void)orma_systrace_arg(prev, "prev_state", &ret->state);
    return pid_arg(prev, "prev_pid", &ret->prev_pid) && pid_arg(next, "next_pid", &ret->next_pid) &&
           number_arg(prev, "prev_prio", &ret->prev_prio) &&
           number_arg(next, "next_prio", &ret->next_prio);
}

/* "comm:88 [120]", and what stands behind it. */
static bool read_thread(struct orma_str text, struct orma_str *comm, uint32_t *pid, int64_t *prio,
                        struct orma_str *rest)
{
    const char *open = NULL, *colon;
    struct orma_str num;
    int64_t val;

    for (size_t i = text.len; i-- > 1 && !open;)
        if (text.data[i] == '[' && text.data[i - 1] == ' ')
            open = text.data + i;
    colon = open ? memrchr(text.data, ':', (size_t)(open - text.data)) : NULL;
    if (!colon)
        return false;
    *rest = (struct orma_str){open + 1, (size_t)(text.data + text.len - open) - 1};
    if (!orma_str_cut(rest, ']', &num) || !orma_str_to_i64(num, prio) ||
        !orma_str_to_i64((struct orma_str){colon + 1, (size_t)(open - colon) - 2}, &val) ||
        val < INT32_MIN || val > UINT32_MAX)
        return false;
    *comm = (struct orma_str){text.data, (size_t)(colon - text.data)};
    *pid = (uint32_t)val;
    *rest = orma_str_trim(*rest);
    return true;
}

/* What trace-cmd makes of it: "a b:1 [120] S ==> c:2 [120]" */
static bool read_short_switch(struct orma_str args, struct switched *ret)
{
    const struct orma_str arrow = ORMA_STR(" ==> ");
    const char *at = orma_str_find(args, arrow);
    struct orma_str nothing;

    if (!at || orma_str_starts(args, ORMA_STR("prev_comm=")))
        return false;
    const struct orma_str prev = {args.data, (size_t)(at - args.data)},
                          next = {at + arrow.len, args.len - prev.len - arrow.len};
    return read_thread(prev, &ret->prev_comm, &ret->prev_pid, &ret->prev_prio, &ret->state) &&
           read_thread(next, &ret->next_comm, &ret->next_pid, &ret->next_prio, &nothing);
}

static bool on_switch(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                      struct orma_str args, struct orma_buf *out)
{
    struct switched s = {.prev_comm = {"", 0}, .next_comm = {"", 0}, .state = {"", 0}};

    if (!read_short_switch(args, &s) && !read_switch(args, &s))
        return false;
    int64_t bits = state_bits(s.state);
    orma_buf_clear(out);
    orma_pb_put_str(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_COMM, s.prev_comm);
    orma_pb_put_i64(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_PID, s.prev_pid);
    orma_pb_put_i64(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_PRIO, s.prev_prio);
    orma_pb_put_i64(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_STATE, bits);
    orma_pb_put_str(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_COMM, s.next_comm);
    orma_pb_put_i64(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PID, s.next_pid);
    orma_pb_put_i64(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PRIO, s.next_prio);
    orma_sched_switch(imp->model, imp->model->base, e->ts, e->cpu, s.prev_pid,
                      orma_model_str(imp->model, s.prev_comm), bits, s.next_pid,
                      orma_model_str(imp->model, s.next_comm), (int32_t)s.next_prio);
    add_switch_row(
        imp, e,
        orma_processes_thread(orma_model_processes(imp->model, imp->model->base), s.prev_pid),
        orma_buf_str(out));
    return true;
}

/* "comm=a b pid=1 ...", "a b:1 [120] CPU:000" */
static bool on_waking(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                      uint32_t waker, struct orma_str args)
{
    struct orma_processes *p = orma_model_processes(imp->model, imp->model->base);
    struct orma_str comm = {"", 0}, rest;
    uint32_t pid;
    int64_t prio;

    if (!cut_name(&args, ORMA_STR("comm="), ORMA_STR(" pid="), &comm))
        (void)orma_systrace_arg(args, "comm", &comm);
    if (!pid_arg(args, "pid", &pid) && !read_thread(args, &comm, &pid, &prio, &rest))
        return false;
    uint32_t utid = orma_processes_thread(p, pid);
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

/* ---- markers ---- */

/* What was written, without who wrote it: trace-cmd says "tracing_mark_write: B|1|draw", with -R
 * "ip=0xffffffff81 buf=B|1|draw". */
static struct orma_str marker(struct orma_str args)
{
    const struct orma_str ip = ORMA_STR("ip="), buf = ORMA_STR(" buf="),
                          function = ORMA_STR("tracing_mark_write: ");
    const char *at = orma_str_starts(args, ip) ? orma_str_find(args, buf) : NULL;

    if (orma_str_starts(args, function))
        return (struct orma_str){args.data + function.len, args.len - function.len};
    return at ? (struct orma_str){at + buf.len, (size_t)(args.data + args.len - at) - buf.len}
              : args;
}

/* ---- all ---- */

static enum orma_systrace_end end_of(bool good)
{
    return good ? ORMA_SYSTRACE_READ : ORMA_SYSTRACE_BROKEN;
}

static enum orma_systrace_end event(struct orma_import_ctx *imp, struct orma_kernel_event *e,
                                    uint32_t named, struct orma_str name, struct orma_str args,
                                    struct orma_buf *scratch)
{
    const struct plain *p;

    if (orma_str_eq_c(name, "tracing_mark_write") || orma_str_eq_c(name, "0") ||
        orma_str_eq_c(name, "print"))
        return orma_port_marker(imp, e, marker(args)) ? ORMA_SYSTRACE_READ : ORMA_SYSTRACE_UNREAD;
    else if (orma_str_eq_c(name, "sched_switch"))
        return end_of(on_switch(imp, e, args, scratch));
    else if (orma_str_eq_c(name, "sched_waking"))
        return end_of(on_waking(imp, e, named, args));
    else if (orma_str_eq_c(name, "sched_blocked_reason"))
        return end_of(on_blocked(imp, args));
    else if (orma_str_eq_c(name, "workqueue_execute_start"))
        return end_of(on_work(imp, e, named, args));
    else if (orma_str_eq_c(name, "workqueue_execute_end"))
        orma_slices_end(&imp->model->slices, e->ts,
                        orma_model_thread_track(imp->model, imp->model->base, named),
                        orma_model_lit(imp->model, "workqueue"), 0, NULL);
    else if ((p = find_plain(name)))
        return end_of(plain_event(imp, e, p, name, args, scratch));
    else
        return ORMA_SYSTRACE_UNREAD;
    return ORMA_SYSTRACE_READ;
}

enum orma_systrace_end orma_systrace_event(struct orma_import_ctx *imp,
                                           const struct orma_kernel_event *of, uint32_t named,
                                           struct orma_str name, struct orma_str args,
                                           struct orma_buf *scratch)
{
    struct orma_kernel_event e = *of;
    enum orma_systrace_end end = event(imp, &e, named, name, args, scratch);

    if (end == ORMA_SYSTRACE_BROKEN)
        orma_stats_inc(orma_model_stats(imp->model, imp->model->base),
                       ORMA_STAT_SYSTRACE_PARSE_FAILURE);
    return end;
}
