/* Where the records of uftrace are: of threads, of perf, and messages of others. */
#include "processor/import/formats/uftrace.h"

#include "processor/model/sched.h"

#define MAGIC 5

bool orma_uftrace_read_time(struct orma_str text, int64_t *ret)
{
    struct orma_str whole = {NULL, 0};
    uint64_t seconds, ns = 0;

    (void)orma_str_cut(&text, '.', &whole);
    if (!orma_str_to_u64(whole, &seconds) || seconds > INT64_MAX / 1000000000 - 1 || text.len > 9 ||
        (text.len && !orma_str_to_u64(text, &ns)))
        return false;
    for (size_t i = text.len; i < 9; i++)
        ns *= 10;
    *ret = (int64_t)(seconds * 1000000000 + ns);
    return true;
}

bool orma_uftrace_read_record(const struct orma_uftrace *self, const uint8_t *at, size_t len,
                              struct orma_uftrace_record *ret)
{
    if (len < ORMA_UFTRACE_RECORD_BYTES)
        return false;
    const uint64_t ts = orma_uftrace_number(self, at, 8), w = orma_uftrace_number(self, at + 8, 8);
    const uint64_t address = UINT64_C(0xffffffffffff);
    unsigned magic;

    if (self->big) {
        ret->type = (enum orma_uftrace_record_type)(w >> 62);
        ret->more = w >> 61 & 1;
        magic = w >> 58 & 7;
        ret->depth = w >> 48 & 0x3ff;
        ret->addr = w & address;
    } else {
        ret->type = (enum orma_uftrace_record_type)(w & 3);
        ret->more = w >> 2 & 1;
        magic = w >> 3 & 7;
        ret->depth = w >> 6 & 0x3ff;
        ret->addr = w >> 16;
    }
    if (ret->type != ORMA_UFTRACE_LOST && ret->type != ORMA_UFTRACE_EVENT && ret->addr >> 47)
        ret->addr |= ~address; /* of the kernel */
    ret->ts = (int64_t)ts;
    return magic == MAGIC && ts && ts <= INT64_MAX;
}

/* Builtin events have as many bytes; 0: not known. */
static size_t event_bytes(uint64_t id)
{
    static const struct {
        uint32_t id;
        uint8_t bytes;
    } events[] = {
        {100001, 24}, {100003, 24}, {100002, 16}, {100004, 16}, {100005, 16}, {100006, 16},
        {100007, 16}, {100008, 16}, {100009, 16}, {100010, 16}, {100011, 8},  {100013, 8},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(events); i++)
        if (events[i].id == id)
            return events[i].bytes;
    return 0;
}

/* How many bytes follow a record. Where nothing tells it, up to what looks like the next one. */
static size_t more_bytes(struct orma_file *file, const struct orma_uftrace_task *t,
                         const struct orma_uftrace_record *r, struct orma_str rest)
{
    struct orma_uftrace *self = file->state;
    struct orma_uftrace_record next;
    size_t len = 0;

    if (r->type == ORMA_UFTRACE_ENTRY || r->type == ORMA_UFTRACE_EXIT) {
        struct orma_uftrace_symbol *symbol = orma_uftrace_find(file, t->pid, r->ts, r->addr);

        len = orma_uftrace_values_len(
            self, orma_uftrace_spec(file, symbol, r->type == ORMA_UFTRACE_EXIT), rest);
    } else if (r->type == ORMA_UFTRACE_EVENT) {
        len = event_bytes(r->addr);
    }
    if (len && len <= rest.len &&
        (len == rest.len ||
         orma_uftrace_read_record(self, (const uint8_t *)rest.data + len, rest.len - len, &next)))
        return len;
    for (len = 0; len < rest.len; len += 8)
        if (orma_uftrace_read_record(self, (const uint8_t *)rest.data + len, rest.len - len,
                                     &next) &&
            next.ts >= r->ts)
            return len;
    return rest.len;
}

static void add_records(struct orma_file *file, const struct orma_uftrace_task *t)
{
    const uint8_t *at = t->begin;
    struct orma_uftrace_record r;

    while (at < t->end && !orma_file_failed(file)) {
        const size_t rest = (size_t)(t->end - at);

        if (rest < ORMA_UFTRACE_RECORD_BYTES) {
            orma_file_truncated(file, rest);
            return;
        }
        if (!orma_uftrace_read_record(file->state, at, rest, &r)) {
            const uint8_t *from = at;

            for (at += 8; at < t->end &&
                          !orma_uftrace_read_record(file->state, at, (size_t)(t->end - at), &r);)
                at += ORMA_MIN((size_t)8, (size_t)(t->end - at));
            orma_file_damage(file, from, (size_t)(at - from), "bytes that are no record");
            continue;
        }
        size_t len = ORMA_UFTRACE_RECORD_BYTES;
        if (r.more)
            len += more_bytes(
                file, t, &r,
                (struct orma_str){(const char *)at + len, rest - ORMA_UFTRACE_RECORD_BYTES});
        orma_file_unit(file, at);
        (void)orma_file_add(file, r.ts, 0, at, len);
        at += len;
    }
}

/* ---- parts that are no threads ---- */

bool orma_uftrace_is_perf(struct orma_str name, uint32_t *ret_cpu)
{
    const struct orma_str head = ORMA_STR("perf-cpu");
    uint64_t cpu;

    if (!orma_str_starts(name, head) || name.len < head.len + 5 ||
        memcmp(name.data + name.len - 4, ".dat", 4) != 0 ||
        !orma_str_to_u64((struct orma_str){name.data + head.len, name.len - head.len - 4}, &cpu) ||
        cpu >= ORMA_CPUS_MAX)
        return false;
    *ret_cpu = (uint32_t)cpu;
    return true;
}

static void add_perf(struct orma_file *file, struct orma_str bytes)
{
    const struct orma_uftrace *self = file->state;
    const uint8_t *at = (const uint8_t *)bytes.data, *end = at + bytes.len;

    while (at < end && !orma_file_failed(file)) {
        const size_t len =
            end - at < ORMA_UFTRACE_PERF_HEAD ? 0 : (size_t)orma_uftrace_number(self, at + 6, 2);

        if (len < ORMA_UFTRACE_PERF_HEAD + ORMA_UFTRACE_PERF_ID_BYTES || len > (size_t)(end - at)) {
            orma_file_truncated(file, (uint64_t)(end - at));
            return;
        }
        const uint64_t ts = orma_uftrace_number(self, at + len - 8, 8);
        orma_file_unit(file, at);
        if (ts && ts <= INT64_MAX)
            (void)orma_file_add(file, (int64_t)ts, 0, at, len);
        else
            (void)orma_file_skipped(file, ORMA_ACCOUNT_CLOCK, "perf records without a time");
        at += len;
    }
}

/* "7589.631391270 a message" */
static void add_extern_line(struct orma_file *file, struct orma_str line)
{
    struct orma_str rest = line, time = {NULL, 0};
    int64_t ts;

    (void)orma_str_cut(&rest, ' ', &time);
    orma_file_unit(file, line.data);
    if (orma_uftrace_read_time(time, &ts))
        (void)orma_file_add(file, ts, 0, (const uint8_t *)line.data, line.len);
    else
        (void)orma_file_skipped(file, ORMA_ACCOUNT_CLOCK, "lines of extern.dat without a time");
}

static bool is_kernel(struct orma_str name)
{
    return orma_str_starts(name, ORMA_STR("kernel-cpu")) && name.len > 4 &&
           !memcmp(name.data + name.len - 4, ".dat", 4);
}

void orma_uftrace_add_records(struct orma_file *file)
{
    const struct orma_uftrace *self = file->state;
    struct orma_str rest = orma_uftrace_part(file, "extern.dat"), line;
    uint32_t cpu;

    for (uint32_t i = 0; i < self->tasks.len; i++)
        add_records(file, &self->tasks.data[i]);
    for (uint32_t i = 0; i < file->parts_num; i++) {
        const struct orma_file_part *p = &file->parts[i];

        if (orma_uftrace_is_perf(p->name, &cpu)) {
            add_perf(file, p->bytes);
        } else if (is_kernel(p->name) && p->bytes.len) {
            orma_file_unit(file, p->bytes.data);
            (void)orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ,
                                    "buffers of the kernel's functions");
        }
    }
    while (rest.len && orma_str_cut(&rest, '\n', &line) && !orma_file_failed(file))
        if (orma_str_trim(line).len)
            add_extern_line(file, line);
}
