/*
 * One event in the packet, whatever its plan:
 *
 *   12 len [ 08 timestamp  10 pid  <tag of the message> len [ fields ... ] ]
 *
 * Both lengths get one byte; an event that turns out larger is moved up, which
 * is rare. Capacity is checked once per event: a plan knows the most it writes.
 */
#include "sdk/ftrace/translate_parts.h"

#include "sdk/ftrace/field.h"
#include "sdk/ftrace/symbols.h"
#include "sdk/ftrace/translate.h"

/* What one event is about, for those who look after inodes. */
struct seen {
    uint64_t dev, inode;
};

/* ---- fields, as the steps of a plan say ---- */

static uint8_t *put_printk(struct orma_ftrace_translate *self, uint8_t *p,
                           const struct orma_ftrace_step *step, uint64_t address)
{
    const char *text = self->printk ? orma_map_get_ptr(self->printk, address) : NULL;

    return orma_ftrace_put_blob(p, step, (const uint8_t *)(text ? text : ""),
                                text ? strlen(text) : 0);
}

static uint32_t symbol_of(struct orma_ftrace_translate *self, uint64_t address)
{
    return self->symbols ? orma_ftrace_symbols_index(self->symbols, address) : 0;
}

/* Steps that write no single number. */
static uint8_t *run_long_step(struct orma_ftrace_translate *self,
                              const struct orma_ftrace_step *step,
                              const struct orma_tracefs_page_event *ev, uint8_t *p)
{
    const uint8_t *at = ev->data + step->offset;
    size_t len = ev->len - step->offset;

    switch ((enum orma_ftrace_step_op)step->op) {
    case ORMA_FTRACE_STEP_CHARS:
    case ORMA_FTRACE_STEP_COMM:
        return orma_ftrace_put_blob(p, step, at, strnlen((const char *)at, step->size));
    case ORMA_FTRACE_STEP_CHARS_TO_END:
        return orma_ftrace_put_blob(p, step, at, strnlen((const char *)at, len));
    case ORMA_FTRACE_STEP_BYTES:
        return orma_ftrace_put_blob(p, step, at, step->size);
    case ORMA_FTRACE_STEP_BYTES_TO_END:
        return orma_ftrace_put_blob(p, step, at, len);
    case ORMA_FTRACE_STEP_NUMBERS:
        return orma_ftrace_put_numbers(p, step, at, step->size);
    case ORMA_FTRACE_STEP_NUMBERS_TO_END:
        return orma_ftrace_put_numbers(p, step, at, len);
    case ORMA_FTRACE_STEP_LOC_CHARS:
        at = orma_ftrace_locate(self, step, ev, &len);
        return at ? orma_ftrace_put_blob(p, step, at, strnlen((const char *)at, len)) : p;
    case ORMA_FTRACE_STEP_LOC_BYTES:
        at = orma_ftrace_locate(self, step, ev, &len);
        return at ? orma_ftrace_put_blob(p, step, at, len) : p;
    case ORMA_FTRACE_STEP_LOC_NUMBERS:
        at = orma_ftrace_locate(self, step, ev, &len);
        return at ? orma_ftrace_put_numbers(p, step, at, len) : p;
    case ORMA_FTRACE_STEP_PRINTK32:
        return put_printk(self, p, step, orma_tracefs_load32(at));
    default: /* PRINTK64 */
        return put_printk(self, p, step, orma_tracefs_load64(at));
    }
}

/* Writes what one step reads. */
static inline uint8_t *run_step(struct orma_ftrace_translate *self,
                                const struct orma_ftrace_step *step,
                                const struct orma_tracefs_page_event *ev, struct seen *seen,
                                uint8_t *p)
{
    const uint8_t *at = ev->data + step->offset;
    uint64_t val;

    switch ((enum orma_ftrace_step_op)step->op) {
    case ORMA_FTRACE_STEP_U8:
        val = *at;
        break;
    case ORMA_FTRACE_STEP_U16:
        val = orma_tracefs_load16(at);
        break;
    case ORMA_FTRACE_STEP_U32:
        val = orma_tracefs_load32(at);
        break;
    case ORMA_FTRACE_STEP_U64:
    case ORMA_FTRACE_STEP_S64:
        val = orma_tracefs_load64(at);
        break;
    case ORMA_FTRACE_STEP_S8:
        val = (uint64_t)(int64_t)(int8_t)*at;
        break;
    case ORMA_FTRACE_STEP_S16:
        val = (uint64_t)(int64_t)(int16_t)orma_tracefs_load16(at);
        break;
    case ORMA_FTRACE_STEP_S32:
        val = (uint64_t)(int64_t)(int32_t)orma_tracefs_load32(at);
        break;
    case ORMA_FTRACE_STEP_PID:
        val = (uint64_t)(int64_t)(int32_t)orma_tracefs_load32(at);
        orma_source_idset_add(&self->pids, (uint32_t)val);
        break;
    case ORMA_FTRACE_STEP_DEV32:
        val = seen->dev = orma_ftrace_user_dev(orma_tracefs_load32(at));
        break;
    case ORMA_FTRACE_STEP_DEV64:
        val = seen->dev = orma_ftrace_user_dev(orma_tracefs_load64(at));
        break;
    case ORMA_FTRACE_STEP_INODE32:
        val = seen->inode = orma_tracefs_load32(at);
        break;
    case ORMA_FTRACE_STEP_INODE64:
        val = seen->inode = orma_tracefs_load64(at);
        break;
    case ORMA_FTRACE_STEP_SYMBOL32:
        val = symbol_of(self, orma_tracefs_load32(at));
        break;
    case ORMA_FTRACE_STEP_SYMBOL64:
        val = symbol_of(self, orma_tracefs_load64(at));
        break;
    default:
        return run_long_step(self, step, ev, p);
    }
    memcpy(p, &step->tag, sizeof(step->tag));
    return orma_ftrace_put_varint(p + step->tag_len, val);
}

/* The bytes of an array, wherever they are. NULL: none. */
static const uint8_t *array_of(struct orma_ftrace_translate *self,
                               const struct orma_ftrace_step *step,
                               const struct orma_tracefs_page_event *ev, size_t *ret_len)
{
    if (step->op == ORMA_FTRACE_STEP_LOC_NUMBERS)
        return orma_ftrace_locate(self, step, ev, ret_len);
    *ret_len = step->op == ORMA_FTRACE_STEP_NUMBERS ? step->size : ev->len - step->offset;
    return ev->data + step->offset;
}

static uint8_t *open_old_field(const char *name, uint8_t *p, uint8_t **ret_body)
{
    size_t len = strlen(name);

    *p++ = ORMA_PB_GENERIC_FTRACE_EVENT_FIELD << 3 | ORMA_PB_LEN;
    *ret_body = ++p;
    *p++ = ORMA_PB_GENERIC_FTRACE_EVENT_FIELD_NAME << 3 | ORMA_PB_LEN;
    p = orma_ftrace_put_varint(p, len);
    memcpy(p, name, len);
    return p + len;
}

/* FtraceEvent.generic{event_name, field{name, value}}: one nested field per value. */
ORMA_COLD static uint8_t *run_generic_old(struct orma_ftrace_translate *self,
                                          const struct orma_ftrace_plan *plan,
                                          const struct orma_tracefs_page_event *ev, uint8_t *p)
{
    struct seen seen = {0};
    uint8_t *body;
    size_t len = strlen(plan->name);

    *p++ = ORMA_PB_GENERIC_FTRACE_EVENT_EVENT_NAME << 3 | ORMA_PB_LEN;
    p = orma_ftrace_put_varint(p, len);
    memcpy(p, plan->name, len);
    p += len;
    for (unsigned i = 0; i < plan->steps_num; i++) {
        const struct orma_ftrace_step *step = &plan->steps[i];
        const char *name = plan->field_names[i];

        if (step->op != ORMA_FTRACE_STEP_NUMBERS && step->op != ORMA_FTRACE_STEP_NUMBERS_TO_END &&
            step->op != ORMA_FTRACE_STEP_LOC_NUMBERS) {
            uint8_t *before = p, *value = open_old_field(name, p, &body);

            p = run_step(self, step, ev, &seen, value);
            p = p == value ? before : orma_ftrace_close_len(body, p); /* nothing there: no field */
            continue;
        }
        const uint8_t *at = array_of(self, step, ev, &len);
        for (size_t j = 0; at && j + step->elem <= len; j += step->elem) {
            p = open_old_field(name, p, &body);
            p = orma_ftrace_close_len(body, orma_ftrace_put_numbers(p, step, at + j, step->elem));
        }
    }
    return p;
}

ORMA_COLD static uint8_t *run_kprobe(const struct orma_ftrace_plan *plan, uint8_t *p)
{
    size_t len = strlen(plan->name);

    *p++ = ORMA_PB_KPROBE_EVENT_NAME << 3 | ORMA_PB_LEN;
    p = orma_ftrace_put_varint(p, len);
    memcpy(p, plan->name, len);
    p += len;
    *p++ = ORMA_PB_KPROBE_EVENT_TYPE << 3 | ORMA_PB_VARINT;
    *p++ = plan->kprobe_type;
    return p;
}

/*
 * Most steps are plain numbers. They are read and cut to size without asking how large they are: no
 * branch predictor knows that of a mix of events. `ev` is followed by eight readable bytes.
 */
static inline uint8_t *run_steps(struct orma_ftrace_translate *self,
                                 const struct orma_ftrace_plan *plan,
                                 const struct orma_tracefs_page_event *ev, struct seen *seen,
                                 uint8_t *p)
{
    const struct orma_ftrace_step *step = plan->steps, *end = step + plan->steps_num;
    const uint8_t *data = ev->data;

    for (; step != end; step++) {
        if (ORMA_UNLIKELY(!step->mask)) {
            p = step->op == ORMA_FTRACE_STEP_COMM
                    ? orma_ftrace_put_short_text(p, step, data + step->offset, ORMA_FTRACE_COMM_LEN)
                    : run_step(self, step, ev, seen, p);
            continue;
        }
        uint64_t val = orma_tracefs_load64(data + step->offset) & step->mask;

        val = (val ^ step->sign) - step->sign;
        memcpy(p, &step->tag, sizeof(step->tag));
        p = orma_ftrace_put_varint(p + step->tag_len, val);
    }
    return p;
}

/* ---- what others want to know of an event ---- */

/* Remembers what other sources want to know of this event. */
ORMA_COLD static void note_inode(struct orma_ftrace_translate *self, const struct seen *seen)
{
    (void)orma_map_put(self->inodes, seen->inode, seen->dev); /* no memory: no name for this one */
}

static void note_fd(struct orma_ftrace_translate *self, const struct orma_tracefs_page_event *ev,
                    uint32_t pid, const struct orma_ftrace_plan *plan)
{
    const uint8_t *id_at = ev->data + plan->buf_offset, *ret_at = id_at + plan->word_size;
    uint64_t id = orma_ftrace_load_sized(id_at, plan->word_size, true);
    int64_t ret = (int64_t)orma_ftrace_load_sized(ret_at, plan->word_size, true);

    if (self->fd_syscalls.is_limited && orma_ftrace_syscall_set_has(&self->fd_syscalls, id) &&
        ret >= 0 && ret <= INT32_MAX)
        (void)orma_map_put(self->fd_pairs, (uint64_t)pid << 32 | (uint64_t)ret, 1);
}

static void note_special(struct orma_ftrace_translate *self, const struct orma_ftrace_plan *plan,
                         const struct orma_tracefs_page_event *ev, uint32_t pid)
{
    switch ((enum orma_ftrace_plan_kind)plan->kind) {
    case ORMA_FTRACE_PLAN_TASK_RENAME:
    case ORMA_FTRACE_PLAN_PROCESS_FREE:
        pid = orma_tracefs_load32(ev->data + plan->buf_offset);
        orma_source_idset_remove(&self->pids, pid);
        self->pid_slots[pid % ORMA_FTRACE_PID_SLOTS].len = 0;
        orma_ftrace_bundle_task_forget(self->bundle, pid);
        orma_source_idset_add(&self->renamed, pid);
        if (plan->kind == ORMA_FTRACE_PLAN_TASK_RENAME)
            orma_source_idset_add(&self->pids, pid);
        break;
    case ORMA_FTRACE_PLAN_SYS_EXIT:
        if (self->fd_pairs)
            note_fd(self, ev, pid, plan);
        break;
    case ORMA_FTRACE_PLAN_SCHED_SWITCH:
        self->counts.unchained++;
        break;
    case ORMA_FTRACE_PLAN_PLAIN:
    case ORMA_FTRACE_PLAN_SYS_ENTER:
    case ORMA_FTRACE_PLAN_PRINT:
    case ORMA_FTRACE_PLAN_KPROBE:
    case ORMA_FTRACE_PLAN_GENERIC_OLD:
    case ORMA_FTRACE_PLAN_SCHED_WAKING:
        break;
    }
}

/* Those kinds that another session may have wanted more of. */
static bool is_wanted(struct orma_ftrace_translate *self, const struct orma_ftrace_plan *plan,
                      const struct orma_tracefs_page_event *ev)
{
    const uint8_t *at = ev->data + plan->buf_offset;
    bool ret = true;

    if (plan->kind == ORMA_FTRACE_PLAN_PRINT && self->print_allows) {
        size_t len = strnlen((const char *)at, ev->len - plan->buf_offset);

        ret = self->print_allows(self->print_filter, (struct orma_str){(const char *)at, len});
    } else if (plan->kind != ORMA_FTRACE_PLAN_PRINT && self->syscalls) {
        ret = orma_ftrace_syscall_set_has(self->syscalls,
                                          orma_ftrace_load_sized(at, plan->word_size, true));
    }
    self->counts.filtered += !ret;
    return ret;
}

bool orma_ftrace_translate_is_limited(const struct orma_ftrace_translate *self,
                                      const struct orma_ftrace_plan *plan)
{
    if (plan->kind == ORMA_FTRACE_PLAN_PRINT)
        return self->print_allows;
    return self->syscalls && self->syscalls->is_limited;
}

/* Is there anything else to be done with the event? */
static inline bool is_special(const struct orma_ftrace_translate *self,
                              const struct orma_ftrace_plan *plan)
{
    enum {
        ALWAYS = 1u << ORMA_FTRACE_PLAN_TASK_RENAME | 1u << ORMA_FTRACE_PLAN_PROCESS_FREE |
                 1u << ORMA_FTRACE_PLAN_SCHED_SWITCH
    };

    return ALWAYS >> plan->kind & 1 || (self->fd_pairs && plan->kind == ORMA_FTRACE_PLAN_SYS_EXIT);
}

/* The tasks that the event is about. */
static inline void note_pids(struct orma_ftrace_translate *self,
                             const struct orma_ftrace_plan *plan,
                             const struct orma_tracefs_page_event *ev, uint32_t pid)
{
    for (unsigned i = 0; i < plan->pids_num; i++)
        orma_source_idset_add(&self->pids, orma_tracefs_load32(ev->data + plan->pids[i]));
    orma_source_idset_add(&self->pids, pid);
}

/* ---- bundles ---- */

void orma_ftrace_translate_open_bundle(struct orma_ftrace_translate *self, bool lost)
{
    const struct orma_ftrace_bundle_head head = {
        .cpu = self->cpu,
        .lost = lost || self->state->lost,
        .previous_end_ts = self->state->last_ts,
        .clock = self->clock,
        .ftrace_ts = self->clock_ftrace_ts,
        .boot_ts = self->clock_boot_ts,
    };

    orma_ftrace_bundle_open(self->bundle, &head);
    self->bundle_open = true;
    self->bundle_reported = head.lost; /* even if no event follows */
    self->bundle_first_event = self->counts.events;
    self->bundle_last_ts = 0;
}

void orma_ftrace_translate_close_bundle(struct orma_ftrace_translate *self)
{
    if (!self->bundle_open)
        return;
    struct orma_ftrace_bundle *bundle = self->bundle;
    self->bundle_open = false;
    self->counts.events += bundle->switches + bundle->wakings;
    bool has_events = self->counts.events != self->bundle_first_event;
    /* Within a cpu time goes on: the last event is the latest. */
    self->bundle_last_ts =
        ORMA_MAX(self->bundle_last_ts, ORMA_MAX(bundle->switch_time, bundle->waking_time));
    if (!has_events && !self->bundle_reported)
        return;

    struct orma_str extra = {NULL, 0};
    if (self->symbols)
        extra = orma_ftrace_symbols_take(self->symbols);
    self->state->lost = orma_ftrace_bundle_close(self->bundle, extra, self->sink) < 0;
    self->counts.lost_bundles += self->state->lost;
    if (self->state->lost)
        self->state->running = ORMA_FTRACE_NO_PID;
    if (has_events)
        self->state->last_ts = self->bundle_last_ts;
}

/* ---- the event ---- */

/* The most bytes that the event takes. */
static inline size_t room_for(const struct orma_ftrace_plan *plan,
                              const struct orma_tracefs_page_event *ev)
{
    if (ORMA_LIKELY(!plan->copies))
        return plan->fixed_max;
    return plan->fixed_max + plan->copies * ORMA_FTRACE_PLAN_COPY_MAX(ev->len);
}

void orma_ftrace_translate_put_event(struct orma_ftrace_translate *self,
                                     struct orma_ftrace_plan *plan,
                                     const struct orma_tracefs_page_event *ev, uint64_t ts)
{
    struct orma_ftrace_bundle *bundle = self->bundle;
    uint32_t pid = orma_tracefs_load32(ev->data + plan->common_pid_offset);
    struct seen seen = {0};

    if (plan->is_filtered && orma_ftrace_translate_is_limited(self, plan) &&
        !is_wanted(self, plan, ev))
        return;
    if (ORMA_UNLIKELY(orma_ftrace_bundle_is_large(bundle))) {
        orma_ftrace_translate_close_bundle(self);
        orma_ftrace_translate_open_bundle(self, false);
    }
    if (ORMA_UNLIKELY(plan->is_generic && plan->kind != ORMA_FTRACE_PLAN_GENERIC_OLD &&
                      plan->bundle_seen != bundle->serial)) {
        plan->bundle_seen = bundle->serial;
        orma_ftrace_bundle_raw(bundle, plan->descriptor.data, plan->descriptor.len);
    }
    if (!orma_ftrace_bundle_room(bundle, room_for(plan, ev)))
        return;
    uint8_t *p = bundle->pos, *outer, *inner;
    *p++ = ORMA_FTRACE_TAG_EVENT;
    outer = ++p;
    *p++ = ORMA_FTRACE_TAG_TIMESTAMP;
    p = orma_ftrace_put_time(p, &bundle->time, ts, false);
    *p++ = ORMA_FTRACE_TAG_PID;
    p = orma_ftrace_put_varint(p, pid);
    memcpy(p, &plan->tag, sizeof(plan->tag));
    p += plan->tag_len;
    inner = ++p;
    if (ORMA_UNLIKELY(plan->kind >= ORMA_FTRACE_PLAN_KPROBE)) {
        p = plan->kind == ORMA_FTRACE_PLAN_KPROBE ? run_kprobe(plan, p)
                                                  : run_generic_old(self, plan, ev, p);
    } else {
        p = run_steps(self, plan, ev, &seen, p);
    }
    bundle->pos = orma_ftrace_close_len(outer, orma_ftrace_close_len(inner, p));
    note_pids(self, plan, ev, pid);
    if (ORMA_UNLIKELY(is_special(self, plan)))
        note_special(self, plan, ev, pid);
    if (ORMA_UNLIKELY(self->inodes && seen.inode))
        note_inode(self, &seen);
    self->bundle_last_ts = ts;
    self->counts.events++;
}
