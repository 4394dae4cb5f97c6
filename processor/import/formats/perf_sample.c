/*
 * Samples of perf.data, and the mappings in which their addresses lie.
 *
 * The ranges of a process are sorted and do not overlap: a new one cuts the old ones that it
 * covers. What stands in many samples is looked up once: the track of a counter by its attr and
 * cpu; a stack by its bytes, which are compared with those of an earlier sample that lie where they
 * lay. A mapping makes all earlier stacks mean something else.
 */
#include "processor/import/formats/perf_data.h"

#include <stdlib.h>

#include "processor/model/callstacks.h"
#include "sdk/base/hash.h"
#include "sdk/base/search.h"

#define STACK_MAX (UINT16_MAX / 8) /* as many as a record has room for */
/* In a call chain: from here on it is a mark of whose addresses follow, not an address. */
#define CONTEXT_FIRST ((uint64_t)-4095)
#define MISC_BUILD_ID (1 << 14)
#define KERNEL "[kernel.kallsyms]"

/* Of the record header's misc, and as marks in call chains. */
enum cpu_mode { MODE_UNKNOWN, MODE_KERNEL, MODE_USER, MODE_HV, MODE_GUEST_KERNEL, MODE_GUEST_USER };

struct range {
    uint64_t start, end;
    uint32_t mapping;
    uint64_t offset; /* what is added to an address, less start */
};

/* By start, not overlapping. */
struct ranges {
    struct range *data;
    uint32_t len, cap;
    uint32_t dummy; /* the mapping of code that lies in none, 0: not needed yet */
};

/* ---- where code lies ---- */

static struct ranges *ranges_of(struct orma_import_ctx *imp, struct orma_perf_data *p,
                                uint32_t upid)
{
    struct ranges *r = orma_map_get_ptr(&p->ranges, upid);

    if (r)
        return r;
    r = calloc(1, sizeof(*r));
    if (!r || orma_map_put_ptr(&p->ranges, upid, r)) {
        free(r);
        imp->model->storage->failed = true;
        return NULL;
    }
    return r;
}

/* The first range that ends behind the address. */
static uint32_t range_find(const struct ranges *r, uint64_t address)
{
    return ORMA_UPPER_BOUND(r->data, r->len, .end, address);
}

/* The new range replaces what it covers of the others. */
static bool range_add(struct ranges *r, struct range new)
{
    ORMA_ASSERT(new.start < new.end);
    uint32_t i = range_find(r, new.start), to;
    if (i < r->len && r->data[i].start < new.start) {
        struct range rest = r->data[i];

        r->data[i].end = new.start;
        if (rest.end > new.end) {
            rest.start = new.end;
            if (ORMA_VEC_INSERT(r, i + 1, rest))
                return false;
        }
        i++;
    }
    for (to = i; to < r->len && r->data[to].end <= new.end;)
        to++;
    if (to > i)
        memmove(r->data + i, r->data + to, (r->len - to) * sizeof(*r->data));
    r->len -= to - i;
    if (i < r->len && r->data[i].start < new.end)
        r->data[i].start = new.end;
    return !ORMA_VEC_INSERT(r, i, new);
}

bool orma_format_perf_mapping(struct orma_import_ctx *imp, struct orma_perf_data *p,
                              struct orma_perf_cursor c, const struct orma_perf_record_head *h)
{
    uint32_t pid = (uint32_t)orma_format_perf_number(&c, 4);
    struct orma_mapping m = {0};
    bool kernel = (h->misc & 7) == MODE_KERNEL || pid == UINT32_MAX;

    (void)orma_format_perf_number(&c, 4); /* tid */
    m.start = orma_format_perf_number(&c, 8);
    uint64_t len = orma_format_perf_number(&c, 8);
    m.exact_offset = orma_format_perf_number(&c, 8);
    if (h->type == ORMA_PERF_RECORD_MMAP2) {
        size_t id_len = c.end - c.pos > 24 ? ORMA_MIN(c.pos[0], 20) : 0;

        if (h->misc & MISC_BUILD_ID)
            m.build_id = orma_callstacks_build_id(
                imp->model, (struct orma_str){(const char *)c.pos + 4, id_len});
        for (unsigned i = 0; i < 4; i++)
            (void)orma_format_perf_number(&c, 8); /* device, inode and protection */
    }
    if (c.failed || !len || m.start > UINT64_MAX - len)
        return false;
    m.end = m.start + len;
    const struct orma_str name = {(const char *)c.pos,
                                  strnlen((const char *)c.pos, (size_t)(c.end - c.pos))};
    m.name = orma_model_str(imp->model, name);
    if (!m.build_id) {
        /* "[kernel.kallsyms]_text": the mapping names its first symbol, the build id does not. */
        uint32_t of = orma_str_starts(name, ORMA_STR(KERNEL))
                          ? orma_model_str(imp->model, ORMA_STR(KERNEL))
                          : m.name;
        uint64_t id = orma_map_get(&p->build_ids, of);

        m.build_id = id == ORMA_MAP_NONE ? 0 : (uint32_t)id;
    }
    uint32_t upid =
        kernel ? ORMA_ID_NONE
               : orma_processes_process(orma_model_processes(imp->model, imp->model->base), pid);
    struct ranges *r = ranges_of(imp, p, upid);
    p->mappings++;
    const struct range new = {m.start, m.end, orma_callstacks_add_mapping(imp->model, &m),
                              m.exact_offset - m.start};
    if (r && !range_add(r, new))
        imp->model->storage->failed = true;
    return true;
}

static uint32_t find_frame(struct orma_import_ctx *imp, struct orma_perf_data *p, uint32_t upid,
                           uint32_t mode, uint64_t ip)
{
    bool kernel = mode == MODE_KERNEL || mode == MODE_GUEST_KERNEL || mode == MODE_HV;
    struct ranges *r = ranges_of(imp, p, kernel ? ORMA_ID_NONE : upid);
    uint32_t i = r ? range_find(r, ip) : 0;
    struct orma_stack_frame f = {.name = ORMA_STR_EMPTY, .rel_pc = ip};

    if (r && i < r->len && r->data[i].start <= ip) {
        f.mapping = r->data[i].mapping;
        f.rel_pc = ip + r->data[i].offset;
    } else {
        r = ranges_of(imp, p, upid);
        if (r && !r->dummy) {
            const struct orma_mapping none = {0};

            r->dummy = orma_callstacks_add_mapping(imp->model, &none) + 1;
        }
        f.mapping = r && r->dummy ? r->dummy - 1 : ORMA_ROW_NONE;
        p->unmapped++;
        orma_stats_inc(orma_model_stats(imp->model, imp->model->base),
                       ORMA_STAT_PERF_DUMMY_MAPPING_USED);
    }
    return orma_callstacks_frame(imp->model, &f);
}

/* ---- samples ---- */

struct sample {
    uint64_t ip, time, id, period;
    uint32_t pid, tid, cpu;
    bool has_cpu, has_period, has_id;
    struct orma_perf_cursor chain;
    uint64_t chain_num;
    struct orma_str raw;
};

static void skip_read(struct orma_perf_cursor *c, uint64_t format)
{
    uint64_t per_value = 1 + (format >> 2 & 1) + (format >> 4 & 1);
    uint64_t times = (format & 1) + (format >> 1 & 1), num = 1;

    if (format & 8)
        num = orma_format_perf_number(c, 8);
    if (num > (size_t)(c->end - c->pos) / 8)
        c->failed = true;
    for (num = c->failed ? 0 : num * per_value + times; num > 0 && !c->failed; num--)
        (void)orma_format_perf_number(c, 8);
}

static bool read_sample(const struct orma_perf_attr *a, struct orma_perf_cursor c,
                        struct sample *ret)
{
    uint64_t type = a->sample_type;

    *ret = (struct sample){.period = a->period};
    if (type & ORMA_PERF_IDENTIFIER)
        ret->id = orma_format_perf_number(&c, 8);
    if (type & ORMA_PERF_IP)
        ret->ip = orma_format_perf_number(&c, 8);
    if (type & ORMA_PERF_TID) {
        ret->pid = (uint32_t)orma_format_perf_number(&c, 4);
        ret->tid = (uint32_t)orma_format_perf_number(&c, 4);
    }
    if (type & ORMA_PERF_TIME)
        ret->time = orma_format_perf_number(&c, 8);
    if (type & ORMA_PERF_ADDR)
        (void)orma_format_perf_number(&c, 8);
    if (type & ORMA_PERF_ID)
        ret->id = orma_format_perf_number(&c, 8);
    if (type & ORMA_PERF_STREAM_ID)
        (void)orma_format_perf_number(&c, 8);
    if (type & ORMA_PERF_CPU) {
        ret->cpu = (uint32_t)orma_format_perf_number(&c, 4);
        (void)orma_format_perf_number(&c, 4);
        ret->has_cpu = true;
    }
    if (type & ORMA_PERF_PERIOD)
        ret->period = orma_format_perf_number(&c, 8);
    if (type & ORMA_PERF_READ)
        skip_read(&c, a->read_format);
    if (type & ORMA_PERF_CALLCHAIN) {
        ret->chain_num = orma_format_perf_number(&c, 8);
        ret->chain = c;
        if (ret->chain_num > (size_t)(c.end - c.pos) / 8)
            c.failed = true;
        c.pos += c.failed ? 0 : ret->chain_num * 8;
    }
    if (type & ORMA_PERF_RAW && !c.failed) {
        const uint64_t len = orma_format_perf_number(&c, 4);

        c.failed |= len > (size_t)(c.end - c.pos);
        ret->raw = (struct orma_str){(const char *)c.pos, c.failed ? 0 : (size_t)len};
    }
    return !c.failed;
}

/* Which attr the sample is of: by its id, which lies where all attrs agree that it does. */
static const struct orma_perf_attr *attr_of(const struct orma_perf_data *p,
                                            struct orma_perf_cursor c)
{
    struct sample s;

    if (p->attrs_num == 1 || !read_sample(&p->attrs[0], c, &s))
        return &p->attrs[0];
    uint64_t found = orma_map_get(&p->ids, s.id);
    return &p->attrs[found == ORMA_MAP_NONE ? 0 : found];
}

#define TYPE_TRACEPOINT 2

bool orma_format_perf_sample_raw(const struct orma_perf_data *p, struct orma_perf_cursor c,
                                 struct orma_perf_raw *ret)
{
    const struct orma_perf_attr *a = attr_of(p, c);
    struct sample s;

    if (a->type != TYPE_TRACEPOINT || !read_sample(a, c, &s) || s.raw.len < 2)
        return false;
    *ret = (struct orma_perf_raw){s.cpu, s.has_cpu, s.raw};
    return true;
}

bool orma_format_perf_sample_time(const struct orma_perf_data *p, struct orma_perf_cursor c,
                                  uint64_t *ret_ns)
{
    struct sample s;

    if (!read_sample(attr_of(p, c), c, &s))
        return false;
    *ret_ns = s.time;
    return true;
}

static uint32_t make_callsite(struct orma_import_ctx *imp, struct orma_perf_data *p, uint32_t upid,
                              uint32_t mode, struct sample *s)
{
    uint64_t ips[STACK_MAX];
    uint8_t modes[STACK_MAX];
    uint32_t num = 0, callsite = ORMA_CALLSITE_NONE;

    for (; s->chain_num > 0 && num < STACK_MAX; s->chain_num--) {
        uint64_t ip = orma_format_perf_number(&s->chain, 8);

        if (ip < CONTEXT_FIRST) {
            ips[num] = ip;
            modes[num++] = (uint8_t)mode;
            continue;
        }
        switch ((int64_t)ip) {
        case -32:
            mode = MODE_HV;
            break;
        case -128:
            mode = MODE_KERNEL;
            break;
        case -512:
            mode = MODE_USER;
            break;
        case -2176:
            mode = MODE_GUEST_KERNEL;
            break;
        case -2048:
        case -2560:
            mode = MODE_GUEST_USER;
            break;
        }
    }
    if (!num) {
        ips[0] = s->ip;
        modes[0] = (uint8_t)mode;
        num = 1;
    }
    while (num-- > 0)
        callsite = orma_callstacks_callsite(imp->model, callsite,
                                            find_frame(imp, p, upid, modes[num], ips[num]));
    return callsite;
}

/* The stack of a sample, made or found. Those with addresses in no mapping count each time. */
static uint32_t callsite_of(struct orma_import_ctx *imp, struct orma_perf_data *p, uint32_t upid,
                            uint32_t mode, struct sample *s)
{
    const struct orma_perf_stack now = {
        .bytes = {(const char *)s->chain.pos, (size_t)s->chain_num * 8},
        .ip = s->ip,
        .upid = upid,
        .mode = mode,
        .mappings = p->mappings,
    };
    const uint64_t hash = orma_hash_bytes_from(s->ip ^ upid, now.bytes.data, now.bytes.len);
    struct orma_perf_stack *known = &p->stacks[hash % ORMA_PERF_STACKS];

    if (known->is_set && known->ip == now.ip && known->upid == upid && known->mode == mode &&
        known->mappings == now.mappings && orma_str_eq(known->bytes, now.bytes))
        return known->callsite;
    const uint64_t unmapped = p->unmapped;
    const uint32_t callsite = make_callsite(imp, p, upid, mode, s);
    if (p->unmapped == unmapped) {
        *known = now;
        known->callsite = callsite;
        known->is_set = true;
    }
    return callsite;
}

static uint32_t make_track(struct orma_import_ctx *imp, struct orma_perf_data *p,
                           const struct orma_perf_attr *a, const struct sample *s)
{
    struct orma_args_list source = {0};
    uint32_t name = a->name ? a->name
                            : orma_strpool_addf(&imp->model->storage->pool, "type %u config 0x%llx",
                                                (unsigned)a->type, (unsigned long long)a->config);
    struct orma_track_spec spec = {
        .type = s->has_cpu ? "perf_cpu_counter" : "perf_global_counter",
        .event = ORMA_TRACK_COUNTER,
        .machine = imp->model->base,
        .name = name,
        .parent = ORMA_TRACK_NONE,
        .source_args = &source,
    };

    if (s->has_cpu)
        spec.dims[spec.dims_num++] = orma_dim(imp->model->known.cpu, s->cpu);
    spec.dims[spec.dims_num++] =
        orma_dim(orma_model_cstr(imp->model, "perf_session_id"), p->session);
    spec.dims[spec.dims_num++] = orma_dim_str(imp->model->known.name, name);
    orma_args_put_bool(&source, orma_model_cstr(imp->model, "is_timebase"), true);
    imp->model->storage->failed |= source.failed;
    uint32_t track = orma_tracks_get(&imp->model->tracks, &spec);
    orma_args_list_fini(&source);
    return track;
}

/* The counter of an attr and a cpu; NULL when memory is out. Attrs of one name share the track, and
 * the sum. */
static struct orma_perf_counter *counter_of(struct orma_import_ctx *imp, struct orma_perf_data *p,
                                            const struct orma_perf_attr *a, const struct sample *s)
{
    const uint64_t key = ((uint64_t)(a - p->attrs) << 1 | s->has_cpu) << 32 | s->cpu;
    uint64_t at = orma_map_get(&p->counters_of, key);

    if (ORMA_LIKELY(at != ORMA_MAP_NONE))
        return &p->counters.data[at];
    const uint32_t track = make_track(imp, p, a, s);
    at = orma_map_get(&p->counters_by_track, track);
    if (at == ORMA_MAP_NONE)
        at = p->counters.len;
    if ((at == p->counters.len &&
         (ORMA_VEC_PUSH(&p->counters, ((struct orma_perf_counter){.track = track})) ||
          orma_map_put(&p->counters_by_track, track, at))) ||
        orma_map_put(&p->counters_of, key, at)) {
        imp->model->storage->failed = true;
        return NULL;
    }
    return &p->counters.data[at];
}

static uint32_t mode_text(struct orma_import_ctx *imp, uint32_t mode)
{
    static const char *const modes[] = {"unknown",    "kernel",       "user",
                                        "hypervisor", "guest_kernel", "guest_user"};

    return orma_model_lit(imp->model, modes[mode < ORMA_ARRAY_LEN(modes) ? mode : 0]);
}

void orma_format_perf_sample(struct orma_import_ctx *imp, struct orma_perf_data *p, int64_t ts,
                             struct orma_perf_cursor c, const struct orma_perf_record_head *h)
{
    struct orma_processes *processes = orma_model_processes(imp->model, imp->model->base);
    const struct orma_perf_attr *a = attr_of(p, c);
    uint32_t mode = h->misc & 7;
    struct sample s;

    if (!read_sample(a, c, &s)) {
        orma_stats_add_at(orma_model_stats(imp->model, imp->model->base),
                          ORMA_STAT_PERF_RECORD_SKIPPED, ORMA_PERF_RECORD_SAMPLE, 1);
        return;
    }
    uint32_t utid = orma_processes_thread_of(processes, s.tid, s.pid);
    uint32_t upid = orma_processes_upid(processes, utid);
    struct orma_perf_counter *counter = counter_of(imp, p, a, &s);
    uint32_t set = orma_callstacks_counter_set(imp->model);
    if (!counter)
        return;
    counter->sum += (double)s.period; /* what was counted since the last sample */
    orma_callstacks_add_counter(imp->model, set, ts, counter->track, counter->sum);
    const struct orma_sample row = {
        .ts = ts,
        .source = orma_model_lit(imp->model, "linux.perf"),
        .task = orma_callstacks_task(imp->model, upid, utid, ORMA_ROW_NONE),
        .exec = orma_callstacks_execution(imp->model,
                                          s.has_cpu && s.cpu < ORMA_UCPUS_PER_MACHINE
                                              ? orma_model_ucpu(imp->model, imp->model->base, s.cpu)
                                              : ORMA_ID_NONE,
                                          mode_text(imp, mode)),
        .callsite = callsite_of(imp, p, upid, mode, &s),
        .session = p->session,
        .counter_set = set,
    };
    orma_callstacks_sample(imp->model, &row);
}

void orma_format_perf_samples_fini(struct orma_perf_data *p)
{
    ORMA_MAP_EACH (slot, &p->ranges) {
        struct ranges *r = (struct ranges *)(uintptr_t)slot->val;

        free(r->data);
        free(r);
    }
    orma_map_fini(&p->ranges);
    orma_map_fini(&p->counters_of);
    orma_map_fini(&p->counters_by_track);
    ORMA_VEC_FINI(&p->counters);
}
