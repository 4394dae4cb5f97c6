#include "sdk/ftrace/translate.h"

#include <stdlib.h>

#include "sdk/ftrace/field.h"
#include "sdk/ftrace/translate_parts.h"

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

/* Not noted in this batch, or another one was in its place. */
ORMA_COLD static const struct orma_ftrace_pid_slot *meet_pid(struct orma_ftrace_translate *self,
                                                             uint32_t pid)
{
    struct orma_ftrace_pid_slot *slot = &self->pid_slots[pid % ORMA_FTRACE_PID_SLOTS];
    uint8_t bytes[2 * ORMA_VARINT_MAX] = {ORMA_FTRACE_TAG_PID};

    orma_source_idset_add(&self->pids, pid);
    slot->pid = pid;
    slot->len = (uint32_t)(orma_varint_write(bytes + 1, pid) - bytes);
    memcpy(&slot->bytes, bytes, sizeof(slot->bytes));
    return slot;
}

/* What put_simple() may read behind an event. */
#define READ_AHEAD 8

/* A text that is elsewhere in the event: as run_long_step() does it. */
static uint8_t *put_located_text(struct orma_ftrace_translate *self, uint8_t *p,
                                 const struct orma_ftrace_step *step, const uint8_t *data,
                                 size_t ev_len)
{
    const struct orma_tracefs_page_event ev = {.data = data, .len = ev_len};
    size_t len;
    const uint8_t *at = orma_ftrace_locate(self, step, &ev, &len);

    if (!at)
        return p;
    if (len <= 16 && (size_t)(at - data) + 16 <= ev_len + READ_AHEAD)
        return orma_ftrace_put_short_text(p, step, at, (unsigned)len);
    return orma_ftrace_put_blob(p, step, at, strnlen((const char *)at, len));
}

/*
 * The same as orma_ftrace_translate_put_event() for simple plans and short events, when the bundle
 * has room: see orma_ftrace_bundle.limit. `deposit` is a constant: how varints are written.
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
    const uint32_t begin = ORMA_FTRACE_TAG_EVENT | ORMA_FTRACE_TAG_TIMESTAMP
                                                       << 16; /* the length is between them */
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
        orma_ftrace_translate_close_bundle(self);
        orma_ftrace_translate_open_bundle(self, false);
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
        orma_ftrace_translate_open_bundle(self, false);
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
    orma_ftrace_translate_put_event(self, plan,
                                    &(struct orma_tracefs_page_event){copy, ev->len, ev->id}, ts);
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
            orma_ftrace_translate_close_bundle(self);
            orma_ftrace_translate_open_bundle(self, false);
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
                orma_ftrace_translate_put_event(self, plan, &copy, page.ts);
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
        orma_ftrace_translate_close_bundle(self);
        orma_ftrace_translate_open_bundle(self, false);
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
        orma_ftrace_translate_close_bundle(self);
    if (!self->bundle_open)
        orma_ftrace_translate_open_bundle(self, ok && page.lost);
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
    orma_ftrace_translate_close_bundle(self);
}
