/*
 * Config -> perf_event_attr per event: timebase (counter, tracepoint or raw), followers in
 * its group, clock, call stacks, and the defaults packet that readers need once. The first
 * part that cannot be served ends it with a reason.
 */
#include "probes/perf/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "probes/kernel/tracefs.h"
#include "protos/fields/common.h"
#include "protos/fields/orma_ext.h"
#include "protos/fields/profiling.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/str.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

#define COUNTER(name) PERFETTO__PROTOS__PERF_EVENTS__COUNTER__##name
#define CLOCK(name) PERFETTO__PROTOS__PERF_EVENTS__PERF_CLOCK__PERF_CLOCK_##name
#define MODE(name) PERFETTO__PROTOS__PERF_EVENT_CONFIG__UNWIND_MODE__UNWIND_##name
#define MODIFIER(name) PERFETTO__PROTOS__PERF_EVENTS__EVENT_MODIFIER__EVENT_MODIFIER_##name
#define RING_PAGES_MAX 16384u
#define RING_MAX (UINT64_C(16) << 20)
#define LATE_MS UINT64_C(50)
#define HZ_MAX 100000u

/* By enum PerfEvents.Counter. */
static const struct {
    uint32_t type;
    uint64_t config;
} counters[] = {
    [COUNTER(SW_CPU_CLOCK)] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
    [COUNTER(SW_PAGE_FAULTS)] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    [COUNTER(SW_TASK_CLOCK)] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    [COUNTER(SW_CONTEXT_SWITCHES)] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    [COUNTER(SW_CPU_MIGRATIONS)] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    [COUNTER(SW_PAGE_FAULTS_MIN)] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    [COUNTER(SW_PAGE_FAULTS_MAJ)] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    [COUNTER(SW_ALIGNMENT_FAULTS)] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
    [COUNTER(SW_EMULATION_FAULTS)] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
    [COUNTER(SW_DUMMY)] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY},
    [COUNTER(HW_CPU_CYCLES)] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    [COUNTER(HW_INSTRUCTIONS)] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    [COUNTER(HW_CACHE_REFERENCES)] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    [COUNTER(HW_CACHE_MISSES)] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    [COUNTER(HW_BRANCH_INSTRUCTIONS)] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    [COUNTER(HW_BRANCH_MISSES)] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    [COUNTER(HW_BUS_CYCLES)] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
    [COUNTER(HW_STALLED_CYCLES_FRONTEND)] = {PERF_TYPE_HARDWARE,
                                             PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    [COUNTER(HW_STALLED_CYCLES_BACKEND)] = {PERF_TYPE_HARDWARE,
                                            PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    [COUNTER(HW_REF_CPU_CYCLES)] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
};

static int set_counter(struct perf_event_attr *attr, unsigned counter, char *why, size_t why_size)
{
    if (!counter || counter >= ORMA_ARRAY_LEN(counters)) {
        snprintf(why, why_size, "unknown counter %u", counter);
        return -EINVAL;
    }
    attr->type = counters[counter].type;
    attr->config = counters[counter].config;
    return 0;
}

static bool names_event(const char *name)
{
    const char *slash = name ? strchr(name, '/') : NULL;

    return slash && slash != name && slash[1] && !strchr(slash + 1, '/') && !strstr(name, "..");
}

/* The tracing folder; a message, if there is none. */
static int open_tracefs(struct orma_tracefs *ret, const char *tracefs_root, char *why,
                        size_t why_size)
{
    char *root = NULL;
    int r = orma_tracefs_find(tracefs_root, &root);

    if (r == 0)
        r = orma_tracefs_open(ret, root, NULL);
    free(root);
    if (r < 0)
        snprintf(why, why_size, "tracepoints need tracefs: %s", strerror(-r));
    return r;
}

static int set_tracepoint(struct orma_perf_event *event,
                          const Perfetto__Protos__PerfEvents__Tracepoint *tracepoint,
                          const char *tracefs_root, char *why, size_t why_size)
{
    struct orma_tracefs fs;
    char file[300];
    uint64_t id = 0;

    if (!names_event(tracepoint->name)) {
        snprintf(why, why_size, "bad tracepoint '%s': expected GROUP/EVENT",
                 tracepoint->name ? tracepoint->name : "");
        return -EINVAL;
    }
    int r = open_tracefs(&fs, tracefs_root, why, why_size);
    if (r < 0)
        return r;
    if ((size_t)snprintf(file, sizeof(file), "events/%s/id", tracepoint->name) >= sizeof(file) ||
        !orma_tracefs_number(&fs, file, &id)) {
        snprintf(why, why_size, "this kernel has no tracepoint '%s'", tracepoint->name);
        r = -ENOENT;
    }
    orma_tracefs_close(&fs);
    if (r < 0)
        return r;
    event->attr.type = PERF_TYPE_TRACEPOINT;
    event->attr.config = id;
    if (tracepoint->filter && *tracepoint->filter) {
        event->filter = strdup(tracepoint->filter);
        if (!event->filter)
            return -ENOMEM;
    }
    return 0;
}

static int set_raw(struct perf_event_attr *attr, const Perfetto__Protos__PerfEvents__RawEvent *raw,
                   char *why, size_t why_size)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    char path[128];
    uint64_t type = raw->type;

    if (raw->pmu_name && *raw->pmu_name) {
        if (strchr(raw->pmu_name, '/') ||
            (size_t)snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type",
                             raw->pmu_name) >= sizeof(path) ||
            orma_fd_read_file(AT_FDCWD, path, 64, &text) < 0 ||
            !orma_str_to_u64(orma_str_trim(orma_buf_str(&text)), &type)) {
            snprintf(why, why_size, "this machine has no PMU '%s'", raw->pmu_name);
            return -ENOENT;
        }
    }
    attr->type = (uint32_t)type;
    if (type == PERF_TYPE_BREAKPOINT)
        attr->bp_type = (uint32_t)raw->config; /* it has no config; address and length follow */
    else
        attr->config = raw->config;
    attr->config1 = raw->config1;
    attr->config2 = raw->config2;
    return 0;
}

/* With any modifier, only the named modes count. */
static void set_modes(struct perf_event_attr *attr,
                      const Perfetto__Protos__PerfEvents__EventModifier *modifiers, size_t num)
{
    if (!num)
        return;
    attr->exclude_user = attr->exclude_kernel = attr->exclude_hv = 1;
    for (size_t i = 0; i < num; i++) {
        switch (modifiers[i]) {
        case MODIFIER(COUNT_USERSPACE):
            attr->exclude_user = 0;
            break;
        case MODIFIER(COUNT_KERNEL):
            attr->exclude_kernel = 0;
            break;
        case MODIFIER(COUNT_HYPERVISOR):
            attr->exclude_hv = 0;
            break;
        default:
            break;
        }
    }
}

static int plan_timebase(struct orma_perf_plan *self,
                         const Perfetto__Protos__PerfEventConfig *config, const char *tracefs_root,
                         char *why, size_t why_size)
{
    const Perfetto__Protos__PerfEvents__Timebase *tb = config->timebase;
    struct orma_perf_event *event = &self->events[0];
    struct perf_event_attr *attr = &event->attr;
    int r = 0;

    *attr = (struct perf_event_attr){.size = sizeof(*attr), .disabled = 1};
    attr->type = PERF_TYPE_SOFTWARE;
    attr->config = PERF_COUNT_SW_CPU_CLOCK;
    attr->freq = 1;
    attr->sample_freq =
        config->sampling_frequency ? config->sampling_frequency : ORMA_PERF_DEFAULT_HZ;
    if (!tb)
        return 0;
    switch (tb->interval_case) {
    case PERFETTO__PROTOS__PERF_EVENTS__TIMEBASE__INTERVAL_FREQUENCY:
        attr->sample_freq = tb->frequency;
        break;
    case PERFETTO__PROTOS__PERF_EVENTS__TIMEBASE__INTERVAL_PERIOD:
        attr->freq = 0;
        attr->sample_period = tb->period;
        break;
    case PERFETTO__PROTOS__PERF_EVENTS__TIMEBASE__INTERVAL_POLL_PERIOD_MS:
        self->poll = true;
        attr->freq = 0;
        attr->sample_period = 0;
        self->read_period_ms = tb->poll_period_ms;
        break;
    default:
        break;
    }
    if (!self->poll && (!attr->sample_freq || (attr->freq && attr->sample_freq > HZ_MAX))) {
        snprintf(why, why_size, "a frequency or period must be above 0, a frequency at most %u Hz",
                 HZ_MAX);
        return -EINVAL;
    }
    set_modes(attr, tb->modifiers, tb->n_modifiers);
    switch (tb->event_case) {
    case PERFETTO__PROTOS__PERF_EVENTS__TIMEBASE__EVENT_COUNTER:
        return set_counter(attr, (unsigned)tb->counter, why, why_size);
    case PERFETTO__PROTOS__PERF_EVENTS__TIMEBASE__EVENT_TRACEPOINT:
        return set_tracepoint(event, tb->tracepoint, tracefs_root, why, why_size);
    case PERFETTO__PROTOS__PERF_EVENTS__TIMEBASE__EVENT_RAW_EVENT:
        return set_raw(attr, tb->raw_event, why, why_size);
    default:
        return r;
    }
}

static int plan_followers(struct orma_perf_plan *self,
                          const Perfetto__Protos__PerfEventConfig *config, const char *tracefs_root,
                          char *why, size_t why_size)
{
    if (config->n_followers > ORMA_PERF_EVENTS_MAX - 1) {
        snprintf(why, why_size, "at most %d followers", ORMA_PERF_EVENTS_MAX - 1);
        return -E2BIG;
    }
    for (size_t i = 0; i < config->n_followers; i++) {
        const Perfetto__Protos__FollowerEvent *f = config->followers[i];
        struct orma_perf_event *event = &self->events[self->events_num++];
        int r = -EINVAL;

        event->attr =
            (struct perf_event_attr){.size = sizeof(event->attr), .read_format = PERF_FORMAT_GROUP};
        set_modes(&event->attr, f->modifiers, f->n_modifiers);
        if (f->event_case == PERFETTO__PROTOS__FOLLOWER_EVENT__EVENT_COUNTER)
            r = set_counter(&event->attr, (unsigned)f->counter, why, why_size);
        else if (f->event_case == PERFETTO__PROTOS__FOLLOWER_EVENT__EVENT_TRACEPOINT)
            r = set_tracepoint(event, f->tracepoint, tracefs_root, why, why_size);
        else if (f->event_case == PERFETTO__PROTOS__FOLLOWER_EVENT__EVENT_RAW_EVENT)
            r = set_raw(&event->attr, f->raw_event, why, why_size);
        else
            snprintf(why, why_size, "follower %zu: no event given", i + 1);
        if (r < 0)
            return r;
    }
    return 0;
}

static void plan_clock(struct orma_perf_plan *self,
                       const Perfetto__Protos__PerfEvents__Timebase *tb)
{
    struct perf_event_attr *attr = &self->events[0].attr;

    attr->use_clockid = 1;
    /* What we read ourselves carries our own clock. */
    switch (tb && tb->has_timestamp_clock && !self->poll ? tb->timestamp_clock : CLOCK(BOOTTIME)) {
    case CLOCK(REALTIME):
        attr->clockid = CLOCK_REALTIME;
        self->clock_id = ORMA_PB_BUILTIN_CLOCK_REALTIME;
        break;
    case CLOCK(MONOTONIC):
        attr->clockid = CLOCK_MONOTONIC;
        self->clock_id = ORMA_PB_BUILTIN_CLOCK_MONOTONIC;
        break;
    case CLOCK(MONOTONIC_RAW):
        attr->clockid = CLOCK_MONOTONIC_RAW;
        self->clock_id = ORMA_PB_BUILTIN_CLOCK_MONOTONIC_RAW;
        break;
    default:
        attr->clockid = CLOCK_BOOTTIME;
        self->clock_id = ORMA_PB_BUILTIN_CLOCK_BOOTTIME;
        break;
    }
    for (unsigned i = 1; i < self->events_num; i++) { /* those of a group have one clock */
        self->events[i].attr.use_clockid = 1;
        self->events[i].attr.clockid = attr->clockid;
    }
}

/* ---- stacks ---- */

/* As perf has them behind an event. */
static void take_modifiers(struct perf_event_attr *attr, struct orma_str letters)
{
    bool machine = false;

    for (size_t i = 0; i < letters.len; i++) {
        switch (letters.data[i]) {
        case 'p':
            attr->precise_ip = ORMA_MIN(attr->precise_ip + 1, 3) & 3;
            break;
        case 'P':
            attr->precise_ip = 3;
            break;
        case 'G':
            attr->exclude_host = machine = true;
            break;
        case 'H':
            attr->exclude_guest = machine = true;
            break;
        case 'I':
            attr->exclude_idle = 1;
            break;
        case 'D':
            attr->pinned = 1;
            break;
        case 'e':
            attr->exclusive = 1;
            break;
        }
    }
    if (attr->precise_ip && !machine)
        attr->exclude_guest = 1;
}

/* What the user asked for beyond the standard: OrmaPerfConfig, which protobuf-c knows not. */
static void take_extension(struct orma_perf_plan *self, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_ORMA_PERF_CONFIG_FOLLOW_CHILDREN:
            self->follow_children = orma_pb_bool(&f);
            break;
        case ORMA_PB_ORMA_PERF_CONFIG_ENABLE_ON_EXEC:
            self->on_exec = orma_pb_bool(&f);
            break;
        case ORMA_PB_ORMA_PERF_CONFIG_STACK_BYTES:
            self->stack_bytes = orma_pb_u32(&f);
            break;
        case ORMA_PB_ORMA_PERF_CONFIG_KERNEL_OPTIONAL:
            self->kernel_optional = orma_pb_bool(&f);
            break;
        case ORMA_PB_ORMA_PERF_CONFIG_NAMES:
            self->names = orma_pb_bool(&f);
            break;
        case ORMA_PB_ORMA_PERF_CONFIG_LBR:
            self->lbr = orma_pb_bool(&f);
            break;
        case ORMA_PB_ORMA_PERF_CONFIG_MODIFIERS:
            take_modifiers(&self->events[0].attr, orma_pb_str(&f));
            break;
        case ORMA_PB_ORMA_PERF_CONFIG_OFF_CPU:
            self->off_cpu = orma_pb_bool(&f) && !self->poll;
            break;
        case ORMA_PB_ORMA_PERF_CONFIG_OFF_CPU_MIN_US:
            self->off_cpu_min_ns = orma_pb_u32(&f) * UINT64_C(1000);
            break;
        }
    }
}

static void plan_extension(struct orma_perf_plan *self,
                           const Perfetto__Protos__PerfEventConfig *config)
{
    for (unsigned i = 0; i < config->base.n_unknown_fields; i++) {
        const ProtobufCMessageUnknownField *f = &config->base.unknown_fields[i];
        struct orma_pb_reader r = orma_pb_reader(f->data, f->len);

        if (f->tag != ORMA_PB_PERF_EVENT_CONFIG_ORMA_PERF ||
            f->wire_type != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED)
            continue;
        (void)orma_pb_varint(&r); /* protobuf-c keeps the length in front */
        take_extension(self, (struct orma_str){(const char *)r.pos, (size_t)(r.end - r.pos)});
    }
}

/* Nothing but pids: then the kernel need not be asked about everybody. */
static int plan_scope(struct orma_perf_plan *self, const Perfetto__Protos__PerfEventConfig *config)
{
    const Perfetto__Protos__PerfEventConfig__CallstackSampling *cs = config->callstack_sampling;
    const Perfetto__Protos__PerfEventConfig__Scope *s = cs ? cs->scope : NULL;

    if (!s || !s->n_target_pid || s->n_target_cmdline || s->n_exclude_pid || s->n_exclude_cmdline ||
        self->poll)
        return 0;
    self->pids = calloc(s->n_target_pid, sizeof(*self->pids));
    if (!self->pids)
        return -ENOMEM;
    memcpy(self->pids, s->target_pid, s->n_target_pid * sizeof(*self->pids));
    self->pids_num = s->n_target_pid;
    return 0;
}

static void plan_unwinding(struct orma_perf_plan *self, struct perf_event_attr *attr)
{
    self->stack_fixed = self->stack_bytes > 0;
    if (!self->stack_bytes)
        self->stack_bytes =
            self->off_cpu ? ORMA_PERF_OFF_CPU_STACK_BYTES : ORMA_PERF_STACK_BYTES_MAX;
    self->stack_bytes =
        ORMA_MIN(ORMA_MAX(self->stack_bytes, 1024u), ORMA_PERF_STACK_BYTES_MAX) & ~7u;
    attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    attr->sample_regs_user = ORMA_PERF_REGS_MASK;
    attr->sample_stack_user = self->stack_bytes;
    attr->exclude_callchain_user = 1;
    if (!self->off_cpu)
        attr->wakeup_events = 1; /* who reads interpreters (prompt.h) is in a hurry */
}

/* A function that has no frame, or has not made it yet, hides its caller from the kernel. */
static void plan_leaf(struct orma_perf_plan *self, struct perf_event_attr *attr)
{
    self->leaf = true;
    attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    attr->sample_regs_user = ORMA_PERF_REGS_MASK;
    attr->sample_stack_user = ORMA_PERF_LEAF_BYTES;
}

/* What becomes of processes: their names, ends, and what they map. */
static void plan_records(struct perf_event_attr *attr)
{
    attr->sample_id_all = 1;
    attr->comm = attr->comm_exec = attr->task = 1;
    attr->mmap = attr->mmap2 = attr->build_id = 1;
}

static bool is_cpu_clock(const struct perf_event_attr *attr)
{
    return attr->type == PERF_TYPE_SOFTWARE &&
           (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* A thread begins with a whole period of its own: one that ends within it has no sample. */
static void plan_cpu_time(struct orma_perf_plan *self, struct perf_event_attr *attr)
{
    self->cpu_time = self->pids && self->names && !self->off_cpu &&
                     !(attr->sample_type & PERF_SAMPLE_READ) && is_cpu_clock(attr);
    attr->inherit_stat = self->cpu_time;
}

static void plan_stacks(struct orma_perf_plan *self,
                        const Perfetto__Protos__PerfEventConfig *config)
{
    const Perfetto__Protos__PerfEventConfig__CallstackSampling *cs = config->callstack_sampling;
    struct perf_event_attr *attr = &self->events[0].attr;
    bool old_form = config->all_cpus || config->n_target_pid || config->n_target_cmdline ||
                    config->n_exclude_pid || config->n_exclude_cmdline;
    unsigned mode = cs ? cs->user_frames : MODE(UNKNOWN);

    self->stacks = cs || old_form;
    self->kernel_frames = (cs && cs->kernel_frames) || config->kernel_frames;
    self->user_frames = mode != MODE(SKIP);
    self->unwind = self->stacks && (mode == MODE(DWARF) || (cs && mode == MODE(UNKNOWN))) &&
                   ORMA_PERF_REGS_MASK != 0 && !self->lbr;
    attr->sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
    if ((!self->pids && !self->names) || self->events_num > 1 || self->poll) {
        attr->sample_type |= PERF_SAMPLE_READ;
        attr->read_format = PERF_FORMAT_GROUP;
    } else if (attr->freq) {
        attr->sample_type |= PERF_SAMPLE_PERIOD;
    } /* else each has the period that was asked for. Asked to say so, the kernel takes 1 instead.
       */
    if (self->pids)
        attr->inherit = 1;
    attr->inherit_thread = self->pids && !self->follow_children;
    attr->enable_on_exec = self->pids && self->on_exec;
    attr->exclude_idle |= self->names; /* nobody's work */
    for (unsigned i = 1; self->pids && i < self->events_num; i++) {
        self->events[i].attr.inherit = 1;
        self->events[i].attr.inherit_thread = attr->inherit_thread;
    }
    if (!self->stacks)
        return;
    plan_records(attr);
    plan_cpu_time(self, attr);
    attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
    attr->exclude_callchain_kernel = !self->kernel_frames;
    attr->exclude_callchain_user = !self->user_frames;
    if (self->lbr) {
        attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
        attr->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK;
    }
    if (self->unwind)
        plan_unwinding(self, attr);
    else if (self->user_frames && !self->lbr && ORMA_PERF_REGS_MASK != 0)
        plan_leaf(self, attr);
}

/* A sample for each time that a thread leaves its cpu, and a record when it is back. */
static void plan_off_cpu(struct orma_perf_plan *self)
{
    struct perf_event_attr *attr = &self->events[0].attr;

    attr->type = PERF_TYPE_SOFTWARE;
    attr->config = PERF_COUNT_SW_CONTEXT_SWITCHES;
    attr->freq = 0;
    attr->sample_period = 1;
    self->split = true;
    attr->exclude_idle = 1;
}

/* Where a tracepoint has `field`: "field:pid_t pid;	offset:24;	size:4;". */
static bool find_offset(struct orma_str format, struct orma_str field, uint32_t *ret)
{
    struct orma_str line;
    unsigned at;

    while (format.len && orma_str_cut(&format, '\n', &line)) {
        const char *found = orma_str_find(line, field);
        char rest[64];

        if (!found)
            continue;
        snprintf(rest, sizeof(rest), "%.*s", (int)(line.data + line.len - found), found);
        const char *offset = strstr(rest, "offset:");
        if (!offset || sscanf(offset, "offset:%u;", &at) != 1 || at > ORMA_PERF_RAW_MAX)
            return false;
        *ret = at;
        return true;
    }
    return false;
}

/*
 * A sample, too, for each time that a watched thread wakes another up. The kernel tells such events
 * only to those who wake: who is woken from outside is not told by whom. Without tracefs there are
 * none.
 */
static void plan_wakers(struct orma_perf_plan *self, const char *tracefs_root)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf format = {0};
    struct perf_event_attr *attr = &self->waker.attr;
    struct orma_tracefs fs;
    uint64_t id = 0;
    char why[128];

    if (!self->stacks || open_tracefs(&fs, tracefs_root, why, sizeof(why)) < 0)
        return;
    self->wakers = orma_tracefs_number(&fs, "events/sched/sched_waking/id", &id) &&
                   orma_tracefs_read(&fs, "events/sched/sched_waking/format", &format) == 0 &&
                   find_offset(orma_buf_str(&format), ORMA_STR(" pid;"), &self->woken_at);
    orma_tracefs_close(&fs);
    if (!self->wakers)
        return;
    self->events[0].attr.sample_type |= PERF_SAMPLE_RAW; /* one form for both */
    *attr = self->events[0].attr;
    attr->type = PERF_TYPE_TRACEPOINT;
    attr->config = id;
    attr->comm = attr->comm_exec = attr->task = attr->mmap = attr->mmap2 = attr->build_id = 0;
}

void orma_perf_plan_switches(const struct orma_perf_plan *self, struct orma_perf_plan *ret)
{
    const struct perf_event_attr *main = &self->events[0].attr;

    *ret = *self;
    ret->events_num = 1;
    ret->wakers = false;
    ret->ring_pages = ORMA_MIN(self->ring_pages, ORMA_PERF_SWITCH_PAGES);
    ret->events[0].attr = (struct perf_event_attr){
        .size = sizeof(*main),
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_DUMMY,
        .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
        .disabled = 1,
        .inherit = main->inherit,
        .inherit_thread = main->inherit_thread,
        .enable_on_exec = main->enable_on_exec,
        .sample_id_all = 1,
        .context_switch = 1,
        .use_clockid = 1,
        .clockid = main->clockid,
    };
}

static void halve_stack(struct orma_perf_plan *self)
{
    self->stack_bytes = self->stack_bytes / 2 & ~7u;
    self->events[0].attr.sample_stack_user = self->stack_bytes;
    self->waker.attr.sample_stack_user = self->stack_bytes;
}

/* Room for a tenth of a second: a reader who is late by half of it is in time. To look less often,
 * where there is more room, saves a tenth of what a profile costs. Where samples come so fast that
 * there is half of that room, their stacks are shorter. */
static void plan_ring(struct orma_perf_plan *self)
{
    const struct perf_event_attr *attr = &self->events[0].attr;
    uint64_t hz = attr->freq ? ORMA_MIN(ORMA_MAX(attr->sample_freq, 1u), 1000000u) : 1000;
    uint64_t record, page = (uint64_t)sysconf(_SC_PAGESIZE), want, room_ms, period_ms;

    if ((!self->unwind && !self->leaf) || self->ring_fixed)
        return;
    while (self->unwind && !self->stack_fixed && hz * (self->stack_bytes + 1024u) / 20 > RING_MAX &&
           self->stack_bytes / 2 + 8 > ORMA_PERF_STACK_BYTES)
        halve_stack(self);
    record = (self->unwind ? self->stack_bytes : ORMA_PERF_LEAF_BYTES) + 1024u;
    want = ORMA_MIN(ORMA_MAX(hz * record / 10, ORMA_PERF_RECORDS_MIN * record), RING_MAX);
    while (self->ring_pages * page < want)
        self->ring_pages *= 2;
    room_ms = self->ring_pages * page * 1000 / (hz * record);
    period_ms = ORMA_MAX(room_ms - ORMA_MIN(room_ms, LATE_MS), room_ms / 2);
    period_ms = ORMA_MIN(ORMA_MAX(period_ms, UINT64_C(1)), UINT64_C(75));
    self->read_period_ms = ORMA_MIN(self->read_period_ms, (uint32_t)period_ms);
}

bool orma_perf_plan_without_wakers(struct orma_perf_plan *self)
{
    bool ret = self->wakers;

    self->wakers = false;
    self->events[0].attr.sample_type &= ~(uint64_t)PERF_SAMPLE_RAW;
    return ret;
}

/* Of waits, no more is left than when they were: what they are, we have to look ourselves. */
static void look_ourselves(struct orma_perf_plan *self)
{
    self->events[0].attr.context_switch = self->off_cpu; /* there are no stacks */
    self->split = false;
    self->looks = self->off_cpu && self->unwind;
    if (self->looks)
        self->read_period_ms = ORMA_MIN(self->read_period_ms, ORMA_PERF_LOOK_PERIOD_MS);
}

bool orma_perf_plan_without_kernel(struct orma_perf_plan *self)
{
    if (!self->kernel_optional || self->events[0].attr.exclude_kernel)
        return false;
    for (unsigned i = 0; i < self->events_num; i++)
        self->events[i].attr.exclude_kernel = self->events[i].attr.exclude_hv = 1;
    self->events[0].attr.exclude_callchain_kernel = 1;
    self->kernel_frames = false;
    look_ourselves(self);
    return true;
}

/* As long as stacks are deep enough it is they that shrink, not how many fit in. */
bool orma_perf_plan_with_less_memory(struct orma_perf_plan *self)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t least = self->unwind ? ORMA_PERF_RECORDS_MIN * self->stack_bytes : page;

    if (self->ring_fixed || self->ring_pages <= 1)
        return false;
    if (self->unwind && !self->stack_fixed && self->stack_bytes / 2 + 8 > ORMA_PERF_STACK_BYTES) {
        halve_stack(self);
        self->ring_pages /= 2;
        return true;
    }
    if (self->ring_pages * page / 2 < least) {
        if (self->stack_bytes < 8192)
            return false;
        halve_stack(self);
    }
    self->ring_pages /= 2;
    self->read_period_ms = ORMA_MAX(self->read_period_ms / 2, 5u);
    return true;
}

bool orma_perf_plan_for_older_kernel(struct orma_perf_plan *self)
{
    if (!self->events[0].attr.build_id)
        return false;
    self->events[0].attr.build_id = 0;
    return true;
}

/* What a reader needs to know of each sample, once. */
static void plan_defaults(struct orma_perf_plan *self,
                          const Perfetto__Protos__PerfEventConfig *config)
{
    const struct perf_event_attr *attr = &self->events[0].attr;
    struct orma_buf *out = &self->defaults;

    size_t tb = orma_pb_begin(out, ORMA_PB_PERF_SAMPLE_DEFAULTS_TIMEBASE);
    if (config->timebase) {
        size_t len = protobuf_c_message_get_packed_size(&config->timebase->base);
        uint8_t *to = orma_buf_extend(out, len);

        if (to)
            protobuf_c_message_pack(&config->timebase->base, to);
    } else {
        orma_pb_put_u64(out, ORMA_PB_PERF_EVENTS_TIMEBASE_FREQUENCY, attr->sample_freq);
        orma_pb_put_u64(out, ORMA_PB_PERF_EVENTS_TIMEBASE_COUNTER, COUNTER(SW_CPU_CLOCK));
    }
    orma_pb_end(out, tb);
    for (size_t i = 0; i < config->n_followers; i++) {
        size_t len = protobuf_c_message_get_packed_size(&config->followers[i]->base);
        size_t f = orma_pb_begin(out, ORMA_PB_PERF_SAMPLE_DEFAULTS_FOLLOWERS);
        uint8_t *to = orma_buf_extend(out, len);

        if (to)
            protobuf_c_message_pack(&config->followers[i]->base, to);
        orma_pb_end(out, f);
    }
}

static int plan_rest(struct orma_perf_plan *self, const Perfetto__Protos__PerfEventConfig *config,
                     char *why, size_t why_size)
{
    self->ring_fixed = config->ring_buffer_pages > 0;
    self->ring_pages = config->ring_buffer_pages ? config->ring_buffer_pages : ORMA_PERF_RING_PAGES;
    if (self->ring_pages > RING_PAGES_MAX || self->ring_pages & (self->ring_pages - 1)) {
        snprintf(why, why_size, "ring_buffer_pages must be a power of two, at most %u",
                 RING_PAGES_MAX);
        return -EINVAL;
    }
    if (!self->poll)
        self->read_period_ms = config->ring_buffer_read_period_ms
                                   ? config->ring_buffer_read_period_ms
                                   : ORMA_PERF_READ_PERIOD_MS;
    self->read_period_ms = ORMA_MIN(ORMA_MAX(self->read_period_ms, 1u), 3600000u);
    self->clear_period_ms = config->unwind_state_clear_period_ms;
    self->ignore_open_failure = config->ignore_open_failure;
    if (!config->n_target_cpu)
        return 0;
    self->cpus = calloc(config->n_target_cpu, sizeof(*self->cpus));
    if (!self->cpus)
        return -ENOMEM;
    for (size_t i = 0; i < config->n_target_cpu; i++)
        self->cpus[self->cpus_num++] = config->target_cpu[i];
    return 0;
}

int orma_perf_plan_make(struct orma_perf_plan *self,
                        const Perfetto__Protos__PerfEventConfig *config, const char *tracefs_root,
                        char *why, size_t why_size)
{
    int r;

    *self = (struct orma_perf_plan){.events_num = 1, .off_cpu_min_ns = ORMA_PERF_OFF_CPU_MIN_NS};
    *why = '\0';
    r = plan_timebase(self, config, tracefs_root, why, why_size);
    if (r == 0)
        r = plan_followers(self, config, tracefs_root, why, why_size);
    if (r == 0)
        r = plan_rest(self, config, why, why_size);
    if (r == 0) {
        plan_clock(self, config->timebase);
        plan_extension(self, config);
        r = plan_scope(self, config);
    }
    if (r == 0) {
        plan_stacks(self, config);
        if (self->off_cpu)
            plan_off_cpu(self);
        if (self->off_cpu)
            plan_wakers(self, tracefs_root);
        plan_ring(self);
        plan_defaults(self, config);
        if (self->defaults.failed)
            r = -ENOMEM;
    }
    if (r < 0) {
        if (!*why)
            snprintf(why, why_size, "%s", strerror(-r));
        orma_perf_plan_fini(self);
    }
    return r;
}

void orma_perf_plan_fini(struct orma_perf_plan *self)
{
    for (unsigned i = 0; i < self->events_num; i++)
        free(self->events[i].filter);
    free(self->cpus);
    free(self->pids);
    orma_buf_fini(&self->defaults);
    *self = (struct orma_perf_plan){0};
}
