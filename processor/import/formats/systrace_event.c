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

/* Behind the value at `pos`: before a blank that is followed by another key, or by an arrow. */
static const char *value_end(const char *pos, const char *end)
{
    for (const char *blank = pos; (blank = memchr(blank, ' ', (size_t)(end - blank))); blank++) {
        const char *at = blank + 1;

        if (end - at >= 3 && !memcmp(at, "==>", 3))
            return blank;
        while (at < end && *at != ' ' && *at != '=')
            at++;
        if (at == end || *at == '=')
            return at < end && at > blank + 1 ? blank : end;
    }
    return end;
}

bool orma_systrace_arg(struct orma_str args, const char *key, struct orma_str *ret)
{
    size_t len = strlen(key);

    if (!args.len)
        return false;
    const char *end = args.data + args.len;
    for (size_t i = 0; i + len < args.len; i++) {
        if ((i && args.data[i - 1] != ' ') || memcmp(args.data + i, key, len) != 0 ||
            args.data[i + len] != '=')
            continue;
        const char *from = args.data + i + len + 1;

        *ret = orma_str_trim((struct orma_str){from, (size_t)(value_end(from, end) - from)});
        return true;
    }
    return false;
}

static bool number_arg(struct orma_str args, const char *key, int64_t *ret)
{
    struct orma_str s, word;
    uint64_t hex;

    if (!orma_systrace_arg(args, key, &s) || !orma_str_cut(&s, ' ', &word))
        return false;
    if (orma_str_to_i64(word, ret))
        return true;
    if (!orma_str_to_u64(word, &hex))
        return false;
    *ret = (int64_t)hex;
    return true;
}

/* ---- the form that packets have ---- */

/* Events whose text has all that their handlers need. */
static const char *const plain_events[] = {
    "cpu_frequency",
    "cpu_frequency_limits",
    "cpu_idle",
    "clock_set_rate",
    "clock_enable",
    "clock_disable",
    "irq_handler_entry",
    "irq_handler_exit",
    "softirq_entry",
    "softirq_exit",
    "thermal_temperature",
    "cdev_update",
    "suspend_resume",
    "task_rename",
    "task_newtask",
    "oom_score_adj_update",
    "rss_stat",
    "sched_process_exit",
    "sched_process_free",
    "gpu_frequency",
    "binder_transaction",
    "binder_transaction_received",
    "binder_transaction_alloc_buf",
    "binder_command",
    "binder_return",
    "binder_lock",
    "binder_locked",
    "binder_unlock",
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

/* Text that stands for a number. */
static const struct {
    const char *text;
    int64_t value;
} number_words[] = {{"handled", 1}, {"unhandled", 0}, {"begin", 1}, {"end", 0}};

static bool find_value(struct orma_str event, const char *field, struct orma_str args,
                       struct orma_str *ret)
{
    struct orma_str first;

    if (orma_systrace_arg(args, field, ret))
        return true;
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(other_keys); i++)
        if (orma_str_eq_c(event, other_keys[i].event) && !strcmp(field, other_keys[i].field))
            return orma_systrace_arg(args, other_keys[i].key, ret);
    /* "clk_name state=1": what has no key is the name. */
    if (strcmp(field, "name") != 0 || !orma_str_cut(&args, ' ', &first) ||
        (first.len && memchr(first.data, '=', first.len)))
        return false;
    *ret = first;
    return true;
}

static bool to_number(struct orma_str text, bool hex, int64_t *ret)
{
    char copy[24];
    struct orma_str word;
    uint64_t val;

    if (!orma_str_cut(&text, ' ', &word))
        return false;
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(number_words); i++) {
        if (orma_str_eq_c(word, number_words[i].text)) {
            *ret = number_words[i].value;
            return true;
        }
    }
    if (hex && word.len && word.len < 18) {
        copy[0] = '0';
        copy[1] = 'x';
        memcpy(copy + 2, word.data, word.len);
        word = (struct orma_str){copy, word.len + 2};
    }
    if (!hex && orma_str_to_i64(word, ret))
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

    if (f->repeated || !find_value(event, f->name, args, &text))
        return;
    if (f->type == ORMA_PB_TYPE_STRING)
        orma_pb_put_str(out, f->number, text);
    else if (to_number(text, !strcmp(f->name, "clone_flags"), &val))
        orma_pb_put_i64(out, f->number, val);
}

static bool plain_event(struct orma_import_ctx *imp, struct orma_kernel_event *e,
                        struct orma_str name, struct orma_str args, struct orma_buf *scratch)
{
    const struct orma_ftrace_tracepoint *t = NULL;

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(plain_events) && !t; i++)
        if (orma_str_eq_c(name, plain_events[i]))
            t = orma_ftrace_tracepoint_find(NULL, plain_events[i]);
    if (!t)
        return false;
    const struct orma_ftrace_message *m = &orma_ftrace_messages[t->message_idx];
    orma_buf_clear(scratch);
    for (unsigned i = 0; i < m->fields_num; i++)
        put_field(name, &m->fields[i], args, scratch);
    e->field = m->number;
    e->payload = orma_buf_str(scratch);
    if (!scratch->failed)
        (void)orma_port_handle(imp, e); /* an event that no one handles has a row only */
    return true;
}

/* ---- scheduling ---- */

/* Letters of a state as the bits that an old kernel has for them. */
static int64_t state_bits(struct orma_str text)
{
    static const char letters[] = "SDTtXZxKWPN";
    static const uint16_t bits[] = {0x1,  0x2,  0x4,   0x8,   0x10, 0x20,
                                    0x40, 0x80, 0x100, 0x200, 0x400};
    int64_t val = 0;

    for (size_t i = 0; i < text.len; i++) {
        const char *at = memchr(letters, text.data[i], sizeof(letters) - 1);

        if (at)
            val |= bits[at - letters];
        else if (text.data[i] == '+')
            val |= 0x800;
        else if (text.data[i] == 'I')
            val |= 0x402;
    }
    return val;
}

/* A bundle of this one event, for its row and the args of that. */
static void add_switch_row(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                           struct orma_str payload)
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
            orma_port_add_row(imp, &item, orma_model_cstr(imp->model, "sched_switch"), e->utid,
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
    struct orma_str prev_comm = {0}, next_comm = {0}, state = {0};
    int64_t prev_pid, next_pid, prev_prio, next_prio;

    if (!number_arg(args, "prev_pid", &prev_pid) || !number_arg(args, "next_pid", &next_pid) ||
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
    add_switch_row(imp, e, orma_buf_str(out));
    orma_sched_switch(imp->model, imp->model->base, e->ts, e->cpu, (uint32_t)prev_pid,
                      orma_model_str(imp->model, prev_comm), bits, (uint32_t)next_pid,
                      orma_model_str(imp->model, next_comm), (int32_t)next_prio);
    return true;
}

static bool on_waking(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                      struct orma_str args, bool waking)
{
    struct orma_processes *p = orma_model_processes(imp->model, imp->model->base);
    struct orma_str comm = {0};
    int64_t pid;

    if (!number_arg(args, "pid", &pid))
        return false;
    uint32_t utid = orma_processes_thread(p, (uint32_t)pid);
    if (orma_systrace_arg(args, "comm", &comm) && comm.len)
        orma_processes_name_thread(p, utid, orma_model_str(imp->model, comm),
                                   ORMA_THREAD_NAME_FTRACE);
    if (waking)
        orma_sched_waking(imp->model, imp->model->base, e->ts, utid, e->utid,
                          e->has_flags ? (int64_t)e->common_flags : -1);
    return true;
}

static bool on_blocked(struct orma_import_ctx *imp, struct orma_str args)
{
    struct orma_str caller = {0};
    int64_t pid, io_wait = -1;

    if (!number_arg(args, "pid", &pid))
        return false;
    if (!number_arg(args, "iowait", &io_wait))
        (void)number_arg(args, "io_wait", &io_wait);
    (void)orma_systrace_arg(args, "caller", &caller);
    orma_sched_blocked(
        imp->model,
        orma_processes_thread(orma_model_processes(imp->model, imp->model->base), (uint32_t)pid),
        io_wait < 0 ? -1 : io_wait != 0, caller.len ? orma_model_str(imp->model, caller) : 0);
    return true;
}

/* ---- all ---- */

static void on_work(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                    struct orma_str args, bool begin)
{
    uint32_t track = orma_model_thread_track(imp->model, imp->model->base, e->utid);
    const char *at = orma_str_find(args, ORMA_STR("function "));

    if (!begin) {
        orma_slices_end(&imp->model->slices, e->ts, track, 0, 0, NULL);
        return;
    }
    struct orma_str name = {0};
    if (at)
        name = orma_str_trim((struct orma_str){at + 9, (size_t)(args.data + args.len - at) - 9});
    orma_slices_begin(&imp->model->slices, e->ts, track, orma_model_cstr(imp->model, "workqueue"),
                      orma_model_str(imp->model, name), NULL);
}

bool orma_systrace_event(struct orma_import_ctx *imp, const struct orma_kernel_event *event,
                         struct orma_str name, struct orma_str args, struct orma_buf *scratch)
{
    struct orma_kernel_event e = *event;
    bool ok = true;

    if (orma_str_eq(name, ORMA_STR("tracing_mark_write")) || orma_str_eq(name, ORMA_STR("0")) ||
        orma_str_eq(name, ORMA_STR("print")))
        orma_port_marker(imp, &e, args);
    else if (orma_str_eq(name, ORMA_STR("sched_switch")))
        ok = on_switch(imp, &e, args, scratch);
    else if (orma_str_eq(name, ORMA_STR("sched_waking")))
        ok = on_waking(imp, &e, args, true);
    else if (orma_str_eq(name, ORMA_STR("sched_wakeup")) ||
             orma_str_eq(name, ORMA_STR("sched_wakeup_new")))
        ok = on_waking(imp, &e, args, false);
    else if (orma_str_eq(name, ORMA_STR("sched_blocked_reason")))
        ok = on_blocked(imp, args);
    else if (orma_str_eq(name, ORMA_STR("workqueue_execute_start")))
        on_work(imp, &e, args, true);
    else if (orma_str_eq(name, ORMA_STR("workqueue_execute_end")))
        on_work(imp, &e, args, false);
    else
        return plain_event(imp, &e, name, args, scratch);
    if (!ok)
        orma_stats_inc(orma_model_stats(imp->model, imp->model->base),
                       ORMA_STAT_SYSTRACE_PARSE_FAILURE);
    return true;
}
