/*
 * A record is a header and 8-byte words. A sample has the fields of sample_type, in the
 * kernel's order; every other record ends with three words (sample_id_all): who, when, where.
 */
#include "probes/perf/record.h"

#include <string.h>

#include "sdk/base/defs.h"

#define TRAILER_WORDS 3
#define RAW_FLAGS 2           /* where tracepoints have common_flags */
#define RAW_IN_INTERRUPT 0x58 /* hard, soft, or one that cannot be masked */

struct words {
    const uint64_t *at, *end;
    bool ok;
};

static uint64_t word(struct words *w)
{
    if (w->at == w->end) {
        w->ok = false;
        return 0;
    }
    return *w->at++;
}

/* Two u32 that lie beside each other in memory. */
static void halves(struct words *w, uint32_t *first, uint32_t *second)
{
    uint64_t both = word(w);
    uint32_t half[2];

    memcpy(half, &both, sizeof(half));
    *first = half[0];
    if (second)
        *second = half[1];
}

static const void *bytes(struct words *w, uint64_t len)
{
    const void *ret = w->at;

    if (len % 8 || len / 8 > (uint64_t)(w->end - w->at)) {
        w->ok = false;
        return NULL;
    }
    w->at += len / 8;
    return ret;
}

static void take_counts(struct words *w, struct orma_perf_record *ret)
{
    uint64_t num = word(w);

    if (num > (uint64_t)(w->end - w->at)) {
        w->ok = false;
        return;
    }
    for (uint64_t i = 0; i < num; i++) {
        uint64_t count = word(w);

        if (i < ORMA_PERF_EVENTS_MAX)
            ret->counts[ret->counts_num++] = count;
    }
}

bool orma_perf_record_counts(const uint64_t *words, size_t num, struct orma_perf_record *ret)
{
    struct words w = {words, words + num, true};

    take_counts(&w, ret);
    return w.ok;
}

static void take_chain(struct words *w, struct orma_perf_record *ret)
{
    uint64_t num = word(w);

    if (!w->ok || num > (uint64_t)(w->end - w->at)) {
        w->ok = false;
        return;
    }
    ret->chain = w->at;
    ret->chain_num = num;
    w->at += num;
}

static void take_calls(struct words *w, struct orma_perf_record *ret)
{
    uint64_t num = word(w);

    if (!w->ok || num > (uint64_t)(w->end - w->at) / ORMA_PERF_CALL_WORDS) {
        w->ok = false;
        return;
    }
    ret->calls = w->at;
    ret->calls_num = num;
    w->at += num * ORMA_PERF_CALL_WORDS;
}

/* {u32 size, bytes}, for events that are no tracepoints 4 bytes of nothing. */
static void take_raw(const struct orma_perf_plan *plan, struct words *w,
                     struct orma_perf_record *ret)
{
    const uint8_t *at = (const uint8_t *)w->at + sizeof(uint32_t);
    uint32_t size = 0;

    if (w->at == w->end) {
        w->ok = false;
        return;
    }
    memcpy(&size, w->at, sizeof(size));
    (void)bytes(w, (uint64_t)size + sizeof(size));
    if (!w->ok || size < plan->woken_at + sizeof(ret->woken) || size <= RAW_FLAGS)
        return;
    memcpy(&ret->woken, at + plan->woken_at, sizeof(ret->woken));
    ret->interrupt = at[RAW_FLAGS] & RAW_IN_INTERRUPT;
}

static void take_user(struct words *w, struct orma_perf_record *ret)
{
    ret->abi = word(w);
    for (unsigned i = 0; ret->abi != PERF_SAMPLE_REGS_ABI_NONE && i < ORMA_PERF_REGS_NUM; i++)
        ret->regs[i] = word(w);
    uint64_t size = word(w);
    if (!size)
        return;
    ret->stack = bytes(w, size);
    uint64_t used = word(w);
    w->ok &= used <= size;
    ret->stack_len = w->ok ? used : 0;
}

/* The order of the fields is that of PERF_RECORD_SAMPLE in perf_event_open(2). */
static bool decode_sample(const struct orma_perf_plan *plan, struct words *w,
                          struct orma_perf_record *ret)
{
    uint64_t type = plan->events[0].attr.sample_type;

    ret->kind = ORMA_PERF_SAMPLE;
    halves(w, &ret->pid, &ret->tid);
    ret->time = word(w);
    halves(w, &ret->cpu, NULL);
    if (type & PERF_SAMPLE_PERIOD)
        ret->counts[ret->counts_num++] = word(w);
    else if (type & PERF_SAMPLE_READ)
        take_counts(w, ret);
    else
        ret->counts[ret->counts_num++] = plan->events[0].attr.sample_period;
    if (type & PERF_SAMPLE_CALLCHAIN)
        take_chain(w, ret);
    if (type & PERF_SAMPLE_RAW)
        take_raw(plan, w, ret);
    if (type & PERF_SAMPLE_BRANCH_STACK)
        take_calls(w, ret);
    if (type & PERF_SAMPLE_REGS_USER)
        take_user(w, ret);
    return w->ok;
}

/* ---- what becomes of processes ---- */

static void take_trailer(struct words *w, struct orma_perf_record *ret)
{
    if (w->end - w->at < TRAILER_WORDS) {
        w->ok = false;
        return;
    }
    struct words t = {w->end - TRAILER_WORDS, w->end, true};
    w->end -= TRAILER_WORDS;
    halves(&t, &ret->pid, &ret->tid);
    ret->time = word(&t);
    halves(&t, &ret->cpu, NULL);
}

/* What is left, up to its zero. */
static void take_text(struct words *w, struct orma_perf_record *ret)
{
    const char *text = (const char *)w->at;
    size_t room = (size_t)(w->end - w->at) * 8;

    ret->text = (struct orma_str){text, strnlen(text, room)};
    w->ok &= ret->text.len < room;
}

static void take_map(struct words *w, struct orma_perf_record *ret)
{
    struct orma_perf_map_event *m = &ret->map;
    uint8_t id[24];

    m->start = word(w);
    m->len = word(w);
    m->offset = word(w);
    const void *at = bytes(w, sizeof(id));
    (void)word(w); /* protection and flags */
    if (!w->ok)
        return;
    memcpy(id, at, sizeof(id));
    if (ret->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
        m->build_id_len = (uint8_t)ORMA_MIN(id[0], sizeof(m->build_id));
        memcpy(m->build_id, id + 4, m->build_id_len);
    } else {
        uint32_t device[2];

        memcpy(device, id, sizeof(device));
        memcpy(&m->inode, id + sizeof(device), sizeof(m->inode));
        m->device = (uint64_t)device[0] << 32 | device[1];
    }
    w->ok &= m->len && m->start + m->len > m->start;
    take_text(w, ret);
}

static bool decode_event(const struct perf_event_header *head, struct words *w,
                         struct orma_perf_record *ret, bool *ret_skip)
{
    take_trailer(w, ret);
    switch (head->type) {
    case PERF_RECORD_COMM:
        ret->kind = ORMA_PERF_COMM;
        ret->exec = head->misc & PERF_RECORD_MISC_COMM_EXEC;
        halves(w, &ret->pid, &ret->tid);
        take_text(w, ret);
        return w->ok;
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        ret->kind = head->type == PERF_RECORD_FORK ? ORMA_PERF_FORK : ORMA_PERF_EXIT;
        halves(w, &ret->pid, &ret->parent_pid);
        halves(w, &ret->tid, &ret->parent_tid);
        return w->ok;
    case PERF_RECORD_READ: /* of the cpu clock: its events alone have inherit_stat */
        ret->kind = ORMA_PERF_CPU_TIME;
        halves(w, &ret->pid, &ret->tid);
        ret->counts[ret->counts_num++] = word(w);
        return w->ok;
    case PERF_RECORD_MMAP2:
        ret->kind = ORMA_PERF_MAP;
        halves(w, &ret->pid, &ret->tid);
        take_map(w, ret);
        return w->ok;
    case PERF_RECORD_SWITCH:
    case PERF_RECORD_SWITCH_CPU_WIDE: /* whose it is says the trailer */
        ret->kind = ORMA_PERF_SWITCH;
        ret->out = head->misc & PERF_RECORD_MISC_SWITCH_OUT;
        ret->preempted = head->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
        return w->ok;
    default: /* throttling and the like */
        *ret_skip = true;
        return true;
    }
}

bool orma_perf_record_decode(const struct orma_perf_plan *plan, const uint64_t *record, size_t len,
                             struct orma_perf_record *ret, bool *ret_skip)
{
    struct perf_event_header head;
    struct words w = {record + 1, record + len / 8, true};

    *ret_skip = false;
    *ret = (struct orma_perf_record){0};
    if (len < sizeof(head))
        return false;
    memcpy(&head, record, sizeof(head));
    ret->misc = head.misc;
    switch (head.type) {
    case PERF_RECORD_SAMPLE:
        return decode_sample(plan, &w, ret);
    case PERF_RECORD_LOST: /* {u64 id, lost} */
        ret->kind = ORMA_PERF_LOST;
        (void)word(&w);
        ret->lost = word(&w);
        return w.ok;
    case PERF_RECORD_LOST_SAMPLES: /* {u64 lost} */
        ret->kind = ORMA_PERF_LOST;
        ret->lost = word(&w);
        return w.ok;
    default:
        return decode_event(&head, &w, ret, ret_skip);
    }
}
