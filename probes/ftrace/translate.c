/*
 * One event in the packet:
 *
 *   12 len [ 08 timestamp  10 pid  <tag of the message> len [ fields ... ] ]
 *
 * Both lengths get one byte; an event that turns out larger is moved up, which
 * is rare. Capacity is checked once per event: a plan knows the most it writes.
 */
#include "probes/ftrace/translate.h"

#include <stdlib.h>

#include "probes/ftrace/field.h"
#include "probes/ftrace/print_filter.h"
#include "probes/ftrace/symbols.h"

#define TAG_EVENT (ORMA_PB_FTRACE_EVENT_BUNDLE_EVENT << 3 | ORMA_PB_LEN)
#define TAG_TIMESTAMP (ORMA_PB_FTRACE_EVENT_TIMESTAMP << 3 | ORMA_PB_VARINT)
#define TAG_PID (ORMA_PB_FTRACE_EVENT_PID << 3 | ORMA_PB_VARINT)

/* As every 64-bit kernel since 3.13 has them. */
static const struct orma_ftrace_compact_layout usual_layout = {
    .prev_pid = 24,
    .prev_state = 32,
    .prev_state_size = 8,
    .next_comm = 40,
    .next_pid = 56,
    .next_prio = 60,
    .waking_comm = 8,
    .waking_pid = 24,
    .waking_prio = 28,
    .waking_cpu = 32,
    .waking_flags = 2,
    .waking_common_pid = 4,
};

int orma_ftrace_translate_init(struct orma_ftrace_translate *self)
{
    int r;

    *self = (struct orma_ftrace_translate){
        .compact = usual_layout, /* what is not compact differs in nothing */
        .compact_ids = {.switch_id = ORMA_FTRACE_NO_EVENT, .waking_id = ORMA_FTRACE_NO_EVENT},
        .can_deposit = orma_ftrace_can_deposit()};
    r = orma_source_idset_init(&self->pids);
    if (!r)
        r = orma_source_idset_init(&self->renamed);
    if (r < 0)
        orma_ftrace_translate_fini(self);
    return r;
}

void orma_ftrace_translate_fini(struct orma_ftrace_translate *self)
{
    orma_source_idset_fini(&self->pids);
    orma_source_idset_fini(&self->renamed);
}

/* What one event is about, for those who look after inodes. */
struct seen {
    uint64_t dev, inode;
};

/* A field whose bytes are elsewhere in the event. NULL: nothing there, or a lie. */
static const uint8_t *locate(struct orma_ftrace_translate *self,
                             const struct orma_ftrace_step *step,
                             const struct orma_tracefs_page_event *ev, size_t *ret_len)
{
    uint32_t word = orma_tracefs_load32(ev->data + step->offset);
    size_t offset = (word & 0xffff) + (size_t)step->loc_base, len = word >> 16;

    if (!len)
        return NULL;
    if (offset > ev->len || len > ev->len - offset) {
        self->counts.errors[ORMA_PB_FTRACE_STATUS_INVALID_EVENT]++;
        return NULL;
    }
    *ret_len = len;
    return ev->data + offset;
}

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
        at = locate(self, step, ev, &len);
        return at ? orma_ftrace_put_blob(p, step, at, strnlen((const char *)at, len)) : p;
    case ORMA_FTRACE_STEP_LOC_BYTES:
        at = locate(self, step, ev, &len);
        return at ? orma_ftrace_put_blob(p, step, at, len) : p;
    case ORMA_FTRACE_STEP_LOC_NUMBERS:
        at = locate(self, step, ev, &len);
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
        return locate(self, step, ev, ret_len);
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

    if (plan->kind == ORMA_FTRACE_PLAN_PRINT && self->print_filter) {
        size_t len = strnlen((const char *)at, ev->len - plan->buf_offset);

        ret = orma_ftrace_print_filter_allows(self->print_filter,
                                              (struct orma_str){(const char *)at, len});
    } else if (plan->kind != ORMA_FTRACE_PLAN_PRINT && self->syscalls) {
        ret = orma_ftrace_syscall_set_has(self->syscalls,
                                          orma_ftrace_load_sized(at, plan->word_size, true));
    }
    self->counts.filtered += !ret;
    return ret;
}

static void open_bundle(struct orma_ftrace_translate *self, bool lost);
static void close_bundle(struct orma_ftrace_translate *self);

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

/* May some events of this plan not be wanted? */
static inline bool is_limited(const struct orma_ftrace_translate *self,
                              const struct orma_ftrace_plan *plan)
{
    if (plan->kind == ORMA_FTRACE_PLAN_PRINT)
        return self->print_filter;
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

/* The most bytes that the event takes. */
static inline size_t room_for(const struct orma_ftrace_plan *plan,
                              const struct orma_tracefs_page_event *ev)
{
    if (ORMA_LIKELY(!plan->copies))
        return plan->fixed_max;
    return plan->fixed_max + plan->copies * ORMA_FTRACE_PLAN_COPY_MAX(ev->len);
}

/* The whole FtraceEvent. */
/* Not inlined: the loop around it is to keep its registers. */
__attribute__((noinline)) static void put_event(struct orma_ftrace_translate *self,
                                                struct orma_ftrace_plan *plan,
                                                const struct orma_tracefs_page_event *ev,
                                                uint64_t ts)
{
    struct orma_ftrace_bundle *bundle = self->bundle;
    uint32_t pid = orma_tracefs_load32(ev->data + plan->common_pid_offset);
    struct seen seen = {0};

    if (plan->is_filtered && is_limited(self, plan) && !is_wanted(self, plan, ev))
        return;
    if (ORMA_UNLIKELY(orma_ftrace_bundle_is_large(bundle))) {
        close_bundle(self);
        open_bundle(self, false);
    }
    if (ORMA_UNLIKELY(plan->is_generic && plan->kind != ORMA_FTRACE_PLAN_GENERIC_OLD &&
                      plan->bundle_seen != bundle->serial)) {
        plan->bundle_seen = bundle->serial;
        orma_ftrace_bundle_raw(bundle, plan->descriptor.data, plan->descriptor.len);
    }
    if (!orma_ftrace_bundle_room(bundle, room_for(plan, ev)))
        return;
    uint8_t *p = bundle->pos, *outer, *inner;
    *p++ = TAG_EVENT;
    outer = ++p;
    *p++ = TAG_TIMESTAMP;
    p = orma_ftrace_put_time(p, &bundle->time, ts, false);
    *p++ = TAG_PID;
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

/* Not noted in this batch, or another one was in its place. */
ORMA_COLD static const struct orma_ftrace_pid_slot *meet_pid(struct orma_ftrace_translate *self,
                                                             uint32_t pid)
{
    struct orma_ftrace_pid_slot *slot = &self->pid_slots[pid % ORMA_FTRACE_PID_SLOTS];
    uint8_t bytes[2 * ORMA_VARINT_MAX] = {TAG_PID};

    orma_source_idset_add(&self->pids, pid);
    slot->pid = pid;
    slot->len = (uint32_t)(orma_varint_write(bytes + 1, pid) - bytes);
    memcpy(&slot->bytes, bytes, sizeof(slot->bytes));
    return slot;
}

/* What run_steps() and put_simple() may read behind an event. */
#define READ_AHEAD 8

/* A text that is elsewhere in the event: as run_long_step() does it. */
static uint8_t *put_located_text(struct orma_ftrace_translate *self, uint8_t *p,
                                 const struct orma_ftrace_step *step, const uint8_t *data,
                                 size_t ev_len)
{
    const struct orma_tracefs_page_event ev = {.data = data, .len = ev_len};
    size_t len;
    const uint8_t *at = locate(self, step, &ev, &len);

    if (!at)
        return p;
    if (len <= 16 && (size_t)(at - data) + 16 <= ev_len + READ_AHEAD)
        return orma_ftrace_put_short_text(p, step, at, (unsigned)len);
    return orma_ftrace_put_blob(p, step, at, strnlen((const char *)at, len));
}

/*
 * The same as put_event() for simple plans and short events, when the bundle has room: see
 * orma_ftrace_bundle.limit. `deposit` is a constant: how varints are written.
 */
ORMA_TRACEFS_PAGE_INLINE void put_simple(struct orma_ftrace_translate *self,
                                         struct orma_ftrace_bundle *bundle,
                                         const struct orma_ftrace_plan *plan, const uint8_t *data,
                                         size_t len, uint64_t ts, const bool deposit)
{
    const struct orma_ftrace_step *step = plan->steps;
    const struct orma_ftrace_step *const end = step + plan->steps_num - plan->tail_num;
    const uint8_t *tail = data + plan->tail_offset;
    uint32_t pid = orma_tracefs_load32(data + plan->common_pid_offset);
    const struct orma_ftrace_pid_slot *slot = &self->pid_slots[pid % ORMA_FTRACE_PID_SLOTS];
    const uint32_t begin = TAG_EVENT | TAG_TIMESTAMP << 16; /* the length is between them */
    uint8_t *const start = bundle->pos, *inner, *p;

    if (ORMA_UNLIKELY(slot->pid != pid || !slot->len))
        slot = meet_pid(self, pid);
    memcpy(start, &begin, sizeof(begin));
    p = orma_ftrace_put_time(start + 3, &bundle->time, ts, deposit);
    memcpy(p, &slot->bytes, sizeof(slot->bytes));
    p += slot->len;
    memcpy(p, &plan->tag, sizeof(plan->tag));
    inner = p += plan->tag_len + 1;
    for (; step != end; step++) {
        const uint8_t *at = data + step->offset;

        if (ORMA_UNLIKELY(!step->mask)) {
            p = step->op == ORMA_FTRACE_STEP_COMM
                    ? orma_ftrace_put_short_text(p, step, at, ORMA_FTRACE_COMM_LEN)
                    : put_located_text(self, p, step, data, len);
            continue;
        }
        uint64_t val = ((orma_tracefs_load64(at) & step->mask) ^ step->sign) - step->sign;

        memcpy(p, &step->tag, sizeof(step->tag));
        p += step->tag_len;
        p = deposit ? orma_ftrace_put_varint_deposit(p, val) : orma_ftrace_put_varint(p, val);
    }
    for (unsigned rest = plan->tail_num; rest; rest--, tail += 8) {
        uint64_t val = orma_tracefs_load64(tail);

        *p++ = plan->tail_tag;
        p = deposit ? orma_ftrace_put_varint_deposit(p, val) : orma_ftrace_put_varint(p, val);
    }
    bundle->pos = orma_ftrace_close_len(start + 2, orma_ftrace_close_len(inner, p));
    for (unsigned i = 0; i < plan->pids_num; i++)
        orma_source_idset_add(&self->pids, orma_tracefs_load32(data + plan->pids[i]));
    self->bundle_last_ts = ts;
    self->counts.events++;
}

/* Numbers above 2^28 are none of Linux's: what a damaged page holds is not worth a table. */
#define PID_PLAIN_MAX (1u << 28)

/* A task that is new in this bundle, or has a new name. Before anything of the event is written. */
ORMA_COLD static const struct orma_ftrace_task_slot *meet_task(struct orma_ftrace_translate *self,
                                                               uint32_t pid, const uint8_t *comm)
{
    if (orma_ftrace_bundle_is_large(self->bundle)) {
        close_bundle(self);
        open_bundle(self, false);
    }
    orma_source_idset_add(&self->pids, pid);
    if (pid < PID_PLAIN_MAX)
        return orma_ftrace_bundle_task_add(self->bundle, pid, comm);
    self->counts.errors[ORMA_PB_FTRACE_STATUS_INVALID_EVENT]++;
    return orma_ftrace_bundle_task_add(self->bundle, 0, comm);
}

ORMA_TRACEFS_PAGE_INLINE const struct orma_ftrace_task_slot *
task_of(struct orma_ftrace_translate *self, struct orma_ftrace_bundle *bundle, uint32_t pid,
        const uint8_t *comm)
{
    const struct orma_ftrace_task_slot *ret = orma_ftrace_bundle_task(bundle, pid, comm);

    return ORMA_LIKELY(ret) ? ret : meet_task(self, pid, comm);
}

/*
 * Is the switch's previous task the one that readers take for it? From here on they take the next
 * one, whichever way the event is written.
 */
ORMA_TRACEFS_PAGE_INLINE bool
goes_on(uint32_t *running, const struct orma_ftrace_compact_layout *at, const uint8_t *ev)
{
    bool ret = orma_tracefs_load32(ev + at->prev_pid) == *running;

    *running = orma_tracefs_load32(ev + at->next_pid);
    return ret;
}

/* `ev` is the event's data, at least as long as its format. */
ORMA_TRACEFS_PAGE_INLINE void put_switch(struct orma_ftrace_translate *self,
                                         struct orma_ftrace_bundle *bundle,
                                         const struct orma_ftrace_compact_layout *at,
                                         const uint8_t *ev, uint64_t ts)
{
    const struct orma_ftrace_task_slot *task =
        task_of(self, bundle, orma_tracefs_load32(ev + at->next_pid), ev + at->next_comm);
    uint64_t state = at->prev_state_size == 8
                         ? orma_tracefs_load64(ev + at->prev_state)
                         : (uint64_t)(int64_t)(int32_t)orma_tracefs_load32(ev + at->prev_state);

    orma_ftrace_bundle_column(bundle, ORMA_FTRACE_COLUMN_SWITCH_TIME, ts - bundle->switch_time);
    bundle->switch_time = ts;
    orma_ftrace_bundle_column_small(bundle, ORMA_FTRACE_COLUMN_SWITCH_PREV_STATE, bundle->switches,
                                    state);
    orma_ftrace_bundle_column_small(
        bundle, ORMA_FTRACE_COLUMN_SWITCH_NEXT_PRIO, bundle->switches,
        (uint64_t)(int64_t)(int32_t)orma_tracefs_load32(ev + at->next_prio));
    orma_ftrace_bundle_column_task(bundle, ORMA_FTRACE_COLUMN_SWITCH_NEXT_PID,
                                   ORMA_FTRACE_COLUMN_SWITCH_NEXT_COMM, bundle->switches, task);
    bundle->switches++;
}

ORMA_TRACEFS_PAGE_INLINE void put_waking(struct orma_ftrace_translate *self,
                                         struct orma_ftrace_bundle *bundle,
                                         const struct orma_ftrace_compact_layout *at,
                                         const uint8_t *ev, uint64_t ts)
{
    const struct orma_ftrace_task_slot *task =
        task_of(self, bundle, orma_tracefs_load32(ev + at->waking_pid), ev + at->waking_comm);

    orma_ftrace_bundle_column(bundle, ORMA_FTRACE_COLUMN_WAKING_TIME, ts - bundle->waking_time);
    bundle->waking_time = ts;
    orma_ftrace_bundle_column_task(bundle, ORMA_FTRACE_COLUMN_WAKING_PID,
                                   ORMA_FTRACE_COLUMN_WAKING_COMM, bundle->wakings, task);
    orma_ftrace_bundle_column_small(
        bundle, ORMA_FTRACE_COLUMN_WAKING_CPU, bundle->wakings,
        (uint64_t)(int64_t)(int32_t)orma_tracefs_load32(ev + at->waking_cpu));
    orma_ftrace_bundle_column_small(
        bundle, ORMA_FTRACE_COLUMN_WAKING_PRIO, bundle->wakings,
        (uint64_t)(int64_t)(int32_t)orma_tracefs_load32(ev + at->waking_prio));
    orma_ftrace_bundle_column_small(bundle, ORMA_FTRACE_COLUMN_WAKING_FLAGS, bundle->wakings,
                                    ev[at->waking_flags]);
    bundle->wakings++;
}

static void open_bundle(struct orma_ftrace_translate *self, bool lost)
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

static void close_bundle(struct orma_ftrace_translate *self)
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

void orma_ftrace_translate_begin(struct orma_ftrace_translate *self, uint32_t cpu,
                                 struct orma_ftrace_translate_cpu *state)
{
    self->cpu = cpu;
    self->state = state;
    if (!state->last_ts)
        state->running = ORMA_FTRACE_NO_PID; /* nothing was written so far */
    self->bundle_open = false;
    self->simple_kinds = ORMA_FTRACE_PLAN_SIMPLE;
    if (!self->syscalls || !self->syscalls->is_limited)
        self->simple_kinds |= ORMA_FTRACE_PLAN_SIMPLE_SYS_ENTER |
                              (self->fd_pairs ? 0 : ORMA_FTRACE_PLAN_SIMPLE_SYS_EXIT);
    memset(self->pid_slots, 0, sizeof(self->pid_slots));
}

void orma_ftrace_translate_error(struct orma_ftrace_translate *self, uint64_t ts, int status)
{
    if ((unsigned)status < ORMA_FTRACE_PARSE_STATUS_NUM)
        self->counts.errors[status]++;
    self->state->broken = true;
    if (!self->bundle_open)
        open_bundle(self, false);
    orma_ftrace_bundle_error(self->bundle, ts, status);
    self->bundle_reported = true;
}

/* The event is shorter than its format. Told once per page, the event is skipped. */
ORMA_COLD static void short_event(struct orma_ftrace_translate *self,
                                  const struct orma_ftrace_plan *plan, uint64_t page_ts, bool *told)
{
    int status =
        plan->kind == ORMA_FTRACE_PLAN_SCHED_SWITCH || plan->kind == ORMA_FTRACE_PLAN_SCHED_WAKING
            ? ORMA_PB_FTRACE_STATUS_SHORT_COMPACT_EVENT
            : ORMA_PB_FTRACE_STATUS_INVALID_EVENT;

    if (*told)
        self->counts.errors[status]++;
    else
        orma_ftrace_translate_error(self, page_ts, status);
    *told = true;
}

ORMA_COLD static void broken_page(struct orma_ftrace_translate *self,
                                  const struct orma_tracefs_page *page, const uint8_t *data,
                                  size_t size)
{
    orma_ftrace_translate_error(self, page->base_ts, page->status);
    if (!self->keep_broken_pages || !orma_ftrace_bundle_room(self->bundle, size + 16))
        return;
    uint8_t *p = self->bundle->pos;
    p = orma_varint_write(p, ORMA_PB_FTRACE_EVENT_BUNDLE_BROKEN_ABI_TRACE_PAGE << 3 | ORMA_PB_LEN);
    p = orma_varint_write(p, size);
    memcpy(p, data, size);
    self->bundle->pos = p + size;
}

/* Nothing may be read behind the page: this event gets other bytes to stand before. */
ORMA_COLD static void put_last_event(struct orma_ftrace_translate *self,
                                     struct orma_ftrace_plan *plan,
                                     const struct orma_tracefs_page_event *ev, uint64_t ts)
{
    uint8_t small[256], *copy = small;

    if (ev->len > sizeof(small) - READ_AHEAD)
        copy = malloc(ev->len + READ_AHEAD);
    if (!copy) {
        self->counts.lost_bundles++; /* as if its bundle could not be built */
        return;
    }
    memcpy(copy, ev->data, ev->len);
    memset(copy + ev->len, 0, READ_AHEAD);
    put_event(self, plan, &(struct orma_tracefs_page_event){copy, ev->len, ev->id}, ts);
    if (copy != small)
        free(copy);
}

/*
 * The loop over one page's events, which ends before `limit`. What it uses of `self` comes as
 * arguments, since the compiler must think that each byte written may change `self`; `at` may be a
 * constant.
 */
ORMA_TRACEFS_PAGE_INLINE void put_events(struct orma_ftrace_translate *self,
                                         struct orma_tracefs_page *state, const uint8_t *limit,
                                         const struct orma_ftrace_compact_layout *at,
                                         const bool check, const bool deposit)
{
    struct orma_ftrace_bundle *const bundle = self->bundle;
    uint32_t running = self->state->running;
    struct orma_ftrace_plan *const *const plans = self->plans;
    const unsigned plans_num = self->plans_num;
    const uint32_t switch_id = self->compact_ids.switch_id, waking_id = self->compact_ids.waking_id;
    const size_t switch_size = self->compact_ids.switch_size;
    const size_t waking_size = self->compact_ids.waking_size;
    struct orma_tracefs_page page = *state;
    struct orma_tracefs_page_event ev;
    /* What needs the check is rare: it takes the slow path. */
    const unsigned simple = check ? 0 : self->simple_kinds;
    const uint8_t *const safe = limit - READ_AHEAD;
    uint64_t foreign = 0, walked = 0;
    bool told = false;

    for (; orma_tracefs_page_next(&page, &ev); walked++) {
        if (check && ORMA_UNLIKELY(orma_ftrace_bundle_is_full(bundle))) {
            close_bundle(self);
            open_bundle(self, false);
        }
        if (ev.id == switch_id && ORMA_LIKELY(ev.len >= switch_size) &&
            ORMA_LIKELY(goes_on(&running, at, ev.data))) {
            put_switch(self, bundle, at, ev.data, page.ts);
        } else if (ev.id == waking_id && ORMA_LIKELY(ev.len >= waking_size) &&
                   ORMA_LIKELY(orma_tracefs_load32(ev.data + at->waking_common_pid) == running)) {
            put_waking(self, bundle, at, ev.data, page.ts);
        } else {
            struct orma_ftrace_plan *plan = ev.id < plans_num ? plans[ev.id] : NULL;

            if (!plan) {
                foreign++;
                continue;
            }
            if (ORMA_UNLIKELY(ev.len < plan->size)) {
                short_event(self, plan, page.base_ts, &told);
                running = ORMA_FTRACE_NO_PID; /* it may have been a switch */
                continue;
            }
            bool is_last = page.pos > safe; /* behind the event */

            if (ORMA_LIKELY(plan->simple & simple && !is_last && bundle->pos < bundle->limit &&
                            ev.len <= ORMA_FTRACE_PLAN_SHORT_MAX &&
                            (!plan->is_generic || plan->bundle_seen == bundle->serial))) {
                put_simple(self, bundle, plan, ev.data, ev.len, page.ts, deposit);
                continue;
            }
            const struct orma_tracefs_page_event copy = ev; /* `ev` itself stays in registers */

            if (!is_last)
                put_event(self, plan, &copy, page.ts);
            else
                put_last_event(self, plan, &copy, page.ts);
        }
    }
    /* Of a bundle that was lost, readers did not see the last switch. */
    self->state->running = self->state->lost ? ORMA_FTRACE_NO_PID : running;
    self->state->walked += walked;
    self->counts.foreign += foreign;
    *state = page;
}

static void put_usual(struct orma_ftrace_translate *self, struct orma_tracefs_page *page,
                      const uint8_t *limit)
{
    put_events(self, page, limit, &usual_layout, false, false);
}

/* On processors that can. */
static void put_usual_deposit(struct orma_ftrace_translate *self, struct orma_tracefs_page *page,
                              const uint8_t *limit)
{
    put_events(self, page, limit, &usual_layout, false, true);
}

static void put_any(struct orma_ftrace_translate *self, struct orma_tracefs_page *page,
                    const uint8_t *limit)
{
    const struct orma_ftrace_compact_layout layout = self->compact;

    put_events(self, page, limit, &layout, true, false);
}

/* For the compact events of a whole page: a sched_waking, the smaller one, has 40 bytes at least.
 * A bundle that has too much in it already is ended. */
static bool bundle_has_room(struct orma_ftrace_translate *self, size_t page_len)
{
    const size_t max = page_len / 40 + 1;
    const struct orma_ftrace_bundle *bundle = self->bundle;

    if (max > ORMA_FTRACE_BUNDLE_COMPACT_MAX)
        return false;
    if (bundle->switches + bundle->wakings + max > ORMA_FTRACE_BUNDLE_COMPACT_MAX) {
        close_bundle(self);
        open_bundle(self, false);
    }
    return true;
}

void orma_ftrace_translate_page(struct orma_ftrace_translate *self, const uint8_t *data,
                                size_t size)
{
    struct orma_tracefs_page page;

    ORMA_ASSERT_HOT(self->state); /* between begin and end */
    bool ok = orma_tracefs_page_open(&page, &self->page_layout, data, size);
    if (self->bundle_open && ok && page.lost)
        close_bundle(self);
    if (!self->bundle_open)
        open_bundle(self, ok && page.lost);
    if (!bundle_has_room(self, page.length) ||
        memcmp(&self->compact, &usual_layout, sizeof(usual_layout)) != 0)
        put_any(self, &page, data + size);
    else if (self->can_deposit)
        put_usual_deposit(self, &page, data + size);
    else
        put_usual(self, &page, data + size);
    self->counts.backwards += page.backwards;
    if (ORMA_UNLIKELY(page.status != ORMA_PB_FTRACE_STATUS_OK))
        broken_page(self, &page, data, size);
}

void orma_ftrace_translate_end(struct orma_ftrace_translate *self)
{
    ORMA_ASSERT_HOT(self->state);
    close_bundle(self);
}
