/*
 * Kernel events of CTF: a row of ftrace_event each, with its fields and contexts as args, and what
 * the same event of ftrace means.
 *
 *   event ─► payload, of fields as the metadata describes them ─► bundle of its CPU ─► row
 *        └─► payload of the message that ftrace's event has ─► the handlers of kernel/
 *
 * LTTng calls threads tid where the kernel calls them pid, and its priorities begin at -100. Whose
 * an event is, is told by a context, or by what runs on the CPU.
 */
#include "processor/import/formats/ctf.h"

#include <stdlib.h>

#include "processor/import/core/ports.h"
#include "processor/model/sched.h"
#include "protos/fields/common.h"
#include "protos/fields/ftrace.h"
#include "protos/fields/trace.h"
#include "protos/tables/ftrace_events.h"
#include "sdk/wire/pb_writer.h"

#define BLOCK_BYTES 32768
/* Events have numbers of their own: of each file, by index. */
#define NUMBERS_FROM 65536u
#define NUMBERS_FILES 4000u
#define NUMBERS_OF_FILE 65536u
#define LEAVES_MAX 120 /* that a description holds, each with its label */
#define SEQUENCE 1

/* google.protobuf.DescriptorProto and FieldDescriptorProto */
enum { DESCRIPTOR_NAME = 1, DESCRIPTOR_FIELD = 2 };
enum { FIELD_NAME = 1, FIELD_NUMBER = 3, FIELD_LABEL = 4, FIELD_TYPE = 5 };
enum { TYPE_DOUBLE = 1, TYPE_INT64 = 3, TYPE_UINT64 = 4, TYPE_BOOL = 8, TYPE_STRING = 9 };
enum { LABEL_OPTIONAL = 1, LABEL_REPEATED = 3 };

enum rule { PLAIN, FORK, EXIT, EXEC, STATE, CALL, RETURN };

/* A bundle that grows. */
struct block {
    char *bytes;
    size_t len, cap;
    uint32_t bundle, num;
};

struct kernel {
    struct orma_map by_cpu; /* → place in blocks */
    ORMA_VEC(struct block) blocks;
    struct orma_buf payload, known, event, name;
    bool is_modern;  /* the kernel is 4.14 or later */
    bool has_waking; /* wakings tell what wake-ups tell again */
    bool wants_args;
    uint64_t left_out; /* values of the event at hand */
};

void orma_ctf_kernel_fini(struct orma_ctf *self)
{
    struct kernel *k = self->kernel;

    if (!k)
        return;
    orma_map_fini(&k->by_cpu);
    ORMA_VEC_FINI(&k->blocks);
    orma_buf_fini(&k->payload);
    orma_buf_fini(&k->known);
    orma_buf_fini(&k->event);
    orma_buf_fini(&k->name);
    free(k);
}

/* ---- kinds of events ---- */

/* Names of LTTng's, and of perf's with their system, as those of the kernel. */
static struct orma_str kernel_name(const struct orma_ctf *self, struct orma_str name)
{
    static const struct {
        const char *name, *of_kernel;
    } names[] = {
        {"power_cpu_idle", "cpu_idle"},         {"power_cpu_frequency", "cpu_frequency"},
        {"irq_softirq_entry", "softirq_entry"}, {"irq_softirq_exit", "softirq_exit"},
        {"irq_softirq_raise", "softirq_raise"},
    };
    const char *colon = self->is_perf && name.len ? memchr(name.data, ':', name.len) : NULL;

    if (colon)
        return (struct orma_str){colon + 1, (size_t)(name.data + name.len - colon) - 1};
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(names); i++)
        if (orma_str_eq_c(name, names[i].name))
            return orma_str_from(names[i].of_kernel);
    return name;
}

/* Events of LTTng that have all that the handlers of ftrace's need. */
static bool is_handled(const struct orma_ctf *self, struct orma_str name)
{
    static const char *const names[] = {
        "sched_switch",     "sched_waking",  "sched_process_free", "irq_handler_entry",
        "irq_handler_exit", "softirq_entry", "softirq_exit",       "softirq_raise",
        "cpu_idle",         "cpu_frequency",
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(names); i++)
        if (orma_str_eq_c(name, names[i]))
            return true;
    return self->is_perf;
}

/* What LTTng calls otherwise than the kernel. */
static struct orma_str field_name(struct orma_str name)
{
    static const char *const names[][2] = {
        {"prev_tid", "prev_pid"}, {"next_tid", "next_pid"}, {"tid", "pid"}};

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(names); i++)
        if (orma_str_eq_c(name, names[i][0]))
            return orma_str_from(names[i][1]);
    return name;
}

static void know_field(struct orma_ctf *self, const struct orma_ftrace_message *m,
                       struct orma_ctf_type *t, bool of_sched)
{
    struct orma_strpool *pool = &self->file->imp->model->storage->pool;
    const struct orma_str own = orma_strpool_get(pool, t->name),
                          name = self->is_lttng ? field_name(own) : own;

    if (of_sched && self->is_lttng && t->kind == ORMA_CTF_INTEGER &&
        (orma_str_eq_c(own, "prio") || orma_str_eq_c(own, "prev_prio") ||
         orma_str_eq_c(own, "next_prio") || orma_str_eq_c(own, "oldprio") ||
         orma_str_eq_c(own, "newprio")))
        t->added = 100;
    for (unsigned i = 0; m && i < m->fields_num; i++) {
        const struct orma_ftrace_field *f = orma_ftrace_message_field(m, i);
        const bool text = f->type == ORMA_PB_TYPE_STRING;

        if (f->repeated || !orma_str_eq_c(name, orma_ftrace_name(f->name)) ||
            text != (t->kind == ORMA_CTF_TEXT || t->kind == ORMA_CTF_STRING))
            continue;
        t->field = f->number;
        t->is_state = self->has_old_states && orma_str_eq_c(name, "prev_state");
        t->key = orma_model_str(self->file->imp->model, name);
    }
}

static bool starts(struct orma_str *name, const char *with)
{
    const struct orma_str prefix = orma_str_from(with);

    if (!orma_str_starts(*name, prefix))
        return false;
    *name = (struct orma_str){name->data + prefix.len, name->len - prefix.len};
    return true;
}

static void know_rule(struct orma_ctf *self, struct orma_ctf_event *e, struct orma_str name)
{
    static const struct {
        const char *name;
        enum rule rule;
    } rules[] = {
        {"sched_process_fork", FORK}, {"sched_process_exit", EXIT},
        {"sched_process_exec", EXEC}, {"lttng_statedump_process_state", STATE},
        {"exit_syscall", RETURN},
    };
    struct orma_str call = name;

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(rules); i++)
        if (orma_str_eq_c(name, rules[i].name))
            e->rule = (uint8_t)rules[i].rule;
    if (!self->is_lttng)
        return;
    if (starts(&call, "syscall_entry_") || starts(&call, "compat_syscall_entry_") ||
        starts(&call, "sys_") || starts(&call, "compat_sys_"))
        e->rule = CALL;
    else if (starts(&call, "syscall_exit_") || starts(&call, "compat_syscall_exit_"))
        e->rule = RETURN;
    else
        return;
    e->category = orma_strpool_addf(&self->file->imp->model->storage->pool, "sys_%.*s",
                                    (int)ORMA_MIN(call.len, (size_t)100), call.data);
}

/* Where perf recorded some tasks only, their switches would tell wrong things about the CPUs. */
static bool is_of_cpus(struct orma_str name)
{
    return orma_str_eq_c(name, "sched_switch") || orma_str_starts(name, ORMA_STR("sched_wak"));
}

static void know(struct orma_ctf *self, struct orma_ctf_event *e)
{
    struct kernel *k = self->kernel;
    struct orma_model *m = self->file->imp->model;
    struct orma_str name = kernel_name(self, e->name);
    const bool of_sched = orma_str_starts(name, ORMA_STR("sched_"));
    const struct orma_ftrace_tracepoint *known = NULL;

    e->is_known = true;
    e->text = name.len
                  ? orma_model_str(m, name)
                  : orma_strpool_addf(&m->storage->pool, "event %llu", (unsigned long long)e->id);
    know_rule(self, e, name);
    if (!k->has_waking && orma_str_eq_c(name, "sched_wakeup"))
        name = ORMA_STR("sched_waking");
    if (is_handled(self, name) &&
        !(self->is_perf && self->breaks * 20 > self->switches && is_of_cpus(name)))
        known = orma_ftrace_tracepoint_find(
            NULL, orma_strpool_cstr(&m->storage->pool, orma_model_str(m, name)));
    e->message = known ? known->message_idx + 1 : 0;
    for (uint32_t i = 0; e->fields && i < e->fields->members_num; i++)
        know_field(self, known ? &orma_ftrace_messages[known->message_idx] : NULL,
                   e->fields->members[i].type, of_sched);
}

/* ---- descriptions ---- */

static void put_field(struct orma_buf *out, struct orma_strpool *pool,
                      const struct orma_ctf_type *t, unsigned number, unsigned type)
{
    const size_t field = orma_pb_begin(out, DESCRIPTOR_FIELD);

    orma_pb_put_str(out, FIELD_NAME, orma_strpool_get(pool, t->key));
    orma_pb_put_u64(out, FIELD_NUMBER, number);
    orma_pb_put_u64(out, FIELD_LABEL, t->is_element ? LABEL_REPEATED : LABEL_OPTIONAL);
    orma_pb_put_u64(out, FIELD_TYPE, type);
    orma_pb_end(out, field);
}

static unsigned type_of(const struct orma_ctf_type *t)
{
    switch ((enum orma_ctf_kind)t->kind) {
    case ORMA_CTF_INTEGER:
    case ORMA_CTF_VARINT:
        return t->is_bool ? TYPE_BOOL : t->is_signed ? TYPE_INT64 : TYPE_UINT64;
    case ORMA_CTF_FLOAT:
        return TYPE_DOUBLE;
    case ORMA_CTF_STRING:
    case ORMA_CTF_TEXT:
    case ORMA_CTF_BLOB:
    case ORMA_CTF_STRUCT:
    case ORMA_CTF_ARRAY:
    case ORMA_CTF_VARIANT:
    case ORMA_CTF_OPTIONAL:
        break;
    }
    return TYPE_STRING;
}

/* Leaf n has the number 2n - 1, its label 2n. False: there is no room for more; numbers ascend. */
static bool put_fields(struct orma_buf *out, struct orma_strpool *pool,
                       const struct orma_ctf_type *t)
{
    if (!t)
        return true;
    if (t->number > LEAVES_MAX)
        return false;
    if (t->number) {
        put_field(out, pool, t, 2 * t->number - 1, type_of(t));
        if (t->labels)
            put_field(out, pool, t, 2 * t->number, TYPE_STRING);
    }
    for (uint32_t i = 0; i < t->members_num; i++)
        if (!put_fields(out, pool, t->members[i].type))
            return false;
    return (t->kind != ORMA_CTF_ARRAY && t->kind != ORMA_CTF_OPTIONAL) ||
           put_fields(out, pool, t->elem);
}

static uint32_t number_of(const struct orma_ctf *self, uint32_t idx)
{
    return NUMBERS_FROM + self->file->row % NUMBERS_FILES * NUMBERS_OF_FILE + idx;
}

static const struct orma_ctf_stream_class *class_of(const struct orma_ctf *self,
                                                    const struct orma_ctf_event *e)
{
    for (uint32_t i = 0; e->has_stream && i < self->classes.len; i++)
        if (self->classes.data[i].id == e->stream_id)
            return &self->classes.data[i];
    return &self->classes.data[0];
}

static void describe(struct orma_ctf *self, uint32_t idx, struct orma_buf *out)
{
    struct orma_strpool *pool = &self->file->imp->model->storage->pool;
    const struct orma_ctf_event *e = &self->events.data[idx];
    const size_t one = orma_pb_begin(out, ORMA_PB_FTRACE_EVENT_BUNDLE_GENERIC_EVENT_DESCRIPTORS);

    orma_pb_put_u64(out, ORMA_PB_FTRACE_EVENT_BUNDLE_GENERIC_EVENT_DESCRIPTOR_FIELD_ID,
                    number_of(self, idx));
    const size_t message =
        orma_pb_begin(out, ORMA_PB_FTRACE_EVENT_BUNDLE_GENERIC_EVENT_DESCRIPTOR_EVENT_DESCRIPTOR);
    orma_pb_put_str(out, DESCRIPTOR_NAME, orma_strpool_get(pool, e->text));
    (void)(put_fields(out, pool, class_of(self, e)->context) && put_fields(out, pool, e->context) &&
           put_fields(out, pool, e->fields));
    orma_pb_end(out, message);
    orma_pb_end(out, one);
}

/* The reader keeps it. */
static void put_packet(struct orma_ctf *self, struct orma_buf *packet)
{
    struct orma_reader *reader = self->file->imp->reader;
    uint8_t head[1 + ORMA_VARINT_MAX] = {ORMA_PB_TRACE_PACKET << 3 | ORMA_PB_LEN};

    orma_pb_put_u64(packet, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, SEQUENCE);
    const size_t head_len = (size_t)(orma_varint_write(head + 1, packet->len) - head);
    uint8_t *blob = packet->failed ? NULL : orma_reader_blob(reader, head_len + packet->len);
    if (blob) {
        memcpy(blob, head, head_len);
        memcpy(blob + head_len, packet->data, packet->len);
        (void)orma_reader_map(reader, blob, head_len + packet->len);
    } else {
        orma_ctf_no_memory(self);
    }
    orma_buf_fini(packet);
}

/* States of threads and numbers of system calls are told by it. */
static bool is_modern(struct orma_str release)
{
    struct orma_str major = {NULL, 0}, minor = {NULL, 0};
    uint64_t x, y;

    (void)orma_str_cut(&release, '.', &major);
    (void)orma_str_cut(&release, '.', &minor);
    return orma_str_to_u64(major, &x) && orma_str_to_u64(minor, &y) &&
           (x > 4 || (x == 4 && y >= 14));
}

static void put_system(struct orma_ctf *self)
{
    struct orma_str release = orma_ctf_env_text(self, "kernel_release"),
                    machine = orma_ctf_env_text(self, "machine");
    struct orma_buf packet = {0};

    if (!release.len)
        release = orma_ctf_env_text(self, "release");
    if (!release.len)
        return;
    ((struct kernel *)self->kernel)->is_modern = is_modern(release);
    const size_t info = orma_pb_begin(&packet, ORMA_PB_TRACE_PACKET_SYSTEM_INFO);
    const size_t uts = orma_pb_begin(&packet, ORMA_PB_SYSTEM_INFO_UTSNAME);
    orma_pb_put_cstr(&packet, ORMA_PB_UTSNAME_SYSNAME, "Linux");
    orma_pb_put_str(&packet, ORMA_PB_UTSNAME_RELEASE, release);
    if (machine.len)
        orma_pb_put_str(&packet, ORMA_PB_UTSNAME_MACHINE, machine);
    orma_pb_end(&packet, uts);
    orma_pb_end(&packet, info);
    put_packet(self, &packet);
}

void orma_ctf_kernel_begin(struct orma_ctf *self)
{
    struct kernel *k = calloc(1, sizeof(*k));
    struct orma_buf packet = {0};

    if (!(self->kernel = k)) {
        orma_ctf_no_memory(self);
        return;
    }
    orma_processes_set_idle(orma_model_processes(self->file->imp->model, self->file->machine));
    for (uint32_t i = 0; i < self->events.len; i++)
        k->has_waking |=
            self->events.data[i].is_used &&
            orma_str_eq_c(kernel_name(self, self->events.data[i].name), "sched_waking");
    put_system(self);
    const size_t bundle = orma_pb_begin(&packet, ORMA_PB_TRACE_PACKET_FTRACE_EVENTS);
    orma_pb_put_u64(&packet, ORMA_PB_FTRACE_EVENT_BUNDLE_CPU, 0);
    for (uint32_t i = 0; i < self->events.len && i < NUMBERS_OF_FILE; i++)
        if (self->events.data[i].is_used) {
            know(self, &self->events.data[i]);
            describe(self, i, &packet);
        }
    orma_pb_end(&packet, bundle);
    put_packet(self, &packet);
}

/* ---- values ---- */

/* The bits of a task of kernels since 4.14 as what their tracer says; older ones have both alike.
 */
static uint64_t modern_state(const struct kernel *k, uint64_t state)
{
    if (!k->is_modern)
        return state;
    if (state & 0x1000) /* it was preempted */
        return 0x100;
    if ((state & 0x402) == 0x402) /* idle */
        return 0x80;
    if (state & 0x90) /* dead */
        return 0x10;
    for (uint64_t bit = 0x40; bit; bit >>= 1)
        if (state & bit)
            return bit;
    return 0;
}

static void put_value(struct orma_ctf_decoder *d, const struct orma_ctf_type *t,
                      struct orma_str path, const struct orma_ctf_value *value)
{
    struct orma_ctf *self = d->data_of_put;
    struct kernel *k = self->kernel;
    struct orma_ctf_value v = *value;
    const struct orma_ctf_label *label;

    if (!t->number)
        return;
    v.u += v.is <= ORMA_CTF_SIGNED ? (uint64_t)t->added : 0;
    if (k->wants_args)
        orma_ctf_put_arg(d, t, path, &v);
    if (t->field && v.is == ORMA_CTF_LETTERS)
        orma_pb_put_str(&k->known, t->field, v.text);
    else if (t->field && v.is != ORMA_CTF_REAL)
        orma_pb_put_u64(&k->known, t->field, t->is_state ? modern_state(k, v.u) : v.u);
    if (t->role == ORMA_CTF_TID || t->role == ORMA_CTF_PID || t->role == ORMA_CTF_COMM)
        return;
    if (t->number > LEAVES_MAX) {
        k->left_out++;
        return;
    }
    if (t->labels && (label = orma_ctf_label(d, t, value, &k->name)) &&
        label->range.from == label->range.to) {
        orma_pb_put_str(&k->payload, 2 * t->number, label->name);
        return;
    }
    switch (v.is) {
    case ORMA_CTF_UNSIGNED:
    case ORMA_CTF_SIGNED:
        orma_pb_put_u64(&k->payload, 2 * t->number - 1, v.u);
        break;
    case ORMA_CTF_REAL:
        orma_pb_put_double(&k->payload, 2 * t->number - 1, v.real);
        break;
    case ORMA_CTF_LETTERS:
        orma_pb_put_str(&k->payload, 2 * t->number - 1, v.text);
        break;
    }
}

/* ---- rows ---- */

/* The bundle of a CPU that has room for so many bytes. */
static struct block *block_of(struct orma_ctf *self, uint32_t cpu, size_t len)
{
    struct kernel *k = self->kernel;
    struct orma_sorter *sorter = &self->file->imp->reader->sorter;
    uint64_t at = orma_map_get(&k->by_cpu, cpu);

    if (at == ORMA_MAP_NONE) {
        at = k->blocks.len;
        if (ORMA_VEC_PUSH(&k->blocks, (struct block){0}) || orma_map_put(&k->by_cpu, cpu, at))
            return NULL;
    }
    struct block *b = &k->blocks.data[at];
    if (b->bytes && len <= b->cap - b->len)
        return b;
    *b = (struct block){.cap = ORMA_MAX(len, (size_t)BLOCK_BYTES)};
    b->bytes = orma_arena_alloc(&sorter->arena, b->cap);
    const struct orma_kernel_bundle bundle = {
        .event_bytes = {b->bytes, 0}, .cpu = cpu, .machine = self->file->machine};
    b->bundle = b->bytes ? orma_sorter_add_bundle(sorter, &bundle) : UINT32_MAX;
    return b->bundle == UINT32_MAX ? NULL : b;
}

/* The event as those of bundles are; false: no memory. */
static bool put_event(struct orma_ctf *self, uint32_t idx, uint32_t cpu, uint32_t pid, int64_t ts,
                      struct orma_item *ret)
{
    struct kernel *k = self->kernel;
    uint8_t head[1 + ORMA_VARINT_MAX] = {ORMA_PB_FTRACE_EVENT_BUNDLE_EVENT << 3 | ORMA_PB_LEN};

    orma_buf_clear(&k->event);
    orma_pb_put_u64(&k->event, ORMA_PB_FTRACE_EVENT_TIMESTAMP, (uint64_t)ts);
    orma_pb_put_u64(&k->event, ORMA_PB_FTRACE_EVENT_PID, pid);
    orma_pb_put_str(&k->event, number_of(self, idx), orma_buf_str(&k->payload));
    const size_t head_len = (size_t)(orma_varint_write(head + 1, k->event.len) - head);
    struct block *b =
        k->event.failed || k->payload.failed ? NULL : block_of(self, cpu, head_len + k->event.len);
    if (!b) {
        orma_ctf_no_memory(self);
        return false;
    }
    memcpy(b->bytes + b->len, head, head_len);
    memcpy(b->bytes + b->len + head_len, k->event.data, k->event.len);
    ret->data = (const uint8_t *)b->bytes + b->len + head_len;
    ret->len = (uint32_t)k->event.len;
    b->len += head_len + k->event.len;
    struct orma_kernel_bundle *bundle = &self->file->imp->reader->sorter.bundles[b->bundle];
    bundle->event_bytes.len = b->len;
    bundle->to = b->num + 1;
    ret->bundle = b->bundle;
    ret->index = b->num++;
    ret->kind = ORMA_ITEM_FTRACE_EVENT;
    ret->machine = self->file->machine;
    return true;
}

/* ---- what they mean ---- */

static bool id_arg(struct orma_ctf *self, const struct orma_args_list *args, const char *key,
                   uint32_t *ret)
{
    uint64_t val;

    if (!orma_ctf_arg(self, args, key, &val) || val > INT32_MAX)
        return false;
    *ret = (uint32_t)val;
    return true;
}

static void on_fork(struct orma_ctf *self, int64_t ts, const struct orma_args_list *args)
{
    struct orma_model *m = self->file->imp->model;
    struct orma_processes *p = orma_model_processes(m, self->file->machine);
    const uint32_t comm = orma_ctf_text_arg(self, args, "child_comm");
    uint32_t parent, child, pid, parent_pid, utid;

    if (self->is_perf || !id_arg(self, args, "child_tid", &child) ||
        !id_arg(self, args, "parent_tid", &parent))
        return;
    if (!id_arg(self, args, "child_pid", &pid))
        pid = child;
    if (!id_arg(self, args, "parent_pid", &parent_pid))
        parent_pid = parent;
    const uint32_t by = orma_processes_thread_of(p, parent, parent_pid);
    if (pid == child) {
        (void)orma_processes_start(p, ts, parent, child, comm, ORMA_THREAD_NAME_FTRACE);
        utid = orma_processes_thread(p, child);
    } else {
        utid = orma_processes_start_thread(p, ts, child);
        orma_processes_name_thread(p, utid, comm, ORMA_THREAD_NAME_FTRACE);
        orma_processes_attach(p, utid, orma_processes_process(p, pid), false);
    }
    orma_sched_new_task(m, self->file->machine, ts, utid, by);
}

static void on_state(struct orma_ctf *self, const struct orma_args_list *args)
{
    struct orma_model *m = self->file->imp->model;
    struct orma_processes *p = orma_model_processes(m, self->file->machine);
    const uint32_t name = orma_ctf_text_arg(self, args, "name");
    uint32_t tid, pid, ppid;

    if (!id_arg(self, args, "tid", &tid) || !id_arg(self, args, "pid", &pid) || !tid || !pid)
        return;
    const uint32_t utid = orma_processes_thread_of(p, tid, pid),
                   upid = orma_processes_upid(p, utid);
    if (name)
        orma_processes_name_thread(p, utid, name, ORMA_THREAD_NAME_FTRACE);
    if (name && tid == pid && upid != ORMA_ID_NONE)
        orma_processes_name_process(p, upid, name, ORMA_PROCESS_NAME_OTHER);
    if (tid == pid && id_arg(self, args, "ppid", &ppid) && ppid && ppid != pid &&
        upid != ORMA_ID_NONE)
        (void)orma_processes_set_parent(p, upid, orma_processes_process(p, ppid));
}

static void on_exec(struct orma_ctf *self, uint32_t utid, const struct orma_args_list *args)
{
    struct orma_model *m = self->file->imp->model;
    struct orma_processes *p = orma_model_processes(m, self->file->machine);
    const uint32_t path = orma_ctf_text_arg(self, args, "filename"),
                   upid = orma_processes_upid(p, utid);
    const struct orma_str text = orma_strpool_get(&m->storage->pool, path);
    const char *slash = path && text.len ? memrchr(text.data, '/', text.len) : NULL;

    if (path && upid != ORMA_ID_NONE)
        orma_processes_name_process(
            p, upid,
            slash ? orma_model_str(
                        m, (struct orma_str){slash + 1, (size_t)(text.data + text.len - slash) - 1})
                  : path,
            ORMA_PROCESS_NAME_SYSTEM);
}

/* A call of which the thread is not known is a row only. */
static void on_call(struct orma_ctf *self, int64_t ts, const struct orma_ctf_event *e,
                    uint32_t utid, const struct orma_args_list *args)
{
    struct orma_model *m = self->file->imp->model;

    if (utid == ORMA_ID_NONE) {
        orma_file_part(self->file, ORMA_ACCOUNT_LOST_STATE,
                       "system calls of threads that are not known", NULL);
        return;
    }
    const uint32_t track = orma_model_thread_track(m, self->file->machine, utid);
    if (e->rule == CALL)
        (void)orma_slices_begin(&m->slices, ts, track, 0, e->category, args);
    else if (orma_slices_end(&m->slices, ts, track, 0, e->category, args) == ORMA_SLICE_NONE)
        orma_file_part(self->file, ORMA_ACCOUNT_NO_BEGIN, "ends of system calls", NULL);
}

static void apply_rule(struct orma_ctf *self, int64_t ts, const struct orma_ctf_event *e,
                       uint32_t utid, const struct orma_args_list *args)
{
    struct orma_processes *p = orma_model_processes(self->file->imp->model, self->file->machine);
    uint32_t tid;

    switch ((enum rule)e->rule) {
    case PLAIN:
        break;
    case FORK:
        on_fork(self, ts, args);
        break;
    case EXIT:
        if (!self->is_perf && id_arg(self, args, "tid", &tid) && tid &&
            orma_processes_find_thread(p, tid) == ORMA_ID_NONE)
            (void)orma_processes_thread(p, tid); /* it goes on until it is freed */
        break;
    case EXEC:
        if (utid != ORMA_ID_NONE)
            on_exec(self, utid, args);
        break;
    case STATE:
        on_state(self, args);
        break;
    case CALL:
    case RETURN:
        on_call(self, ts, e, utid, args);
        break;
    }
}

/* Whose the event is; ORMA_ID_NONE: nothing tells. */
static uint32_t thread_of(struct orma_ctf *self, const struct orma_ctf_decoder *d, uint32_t cpu,
                          uint32_t *ret_tid)
{
    struct orma_model *m = self->file->imp->model;
    struct orma_processes *p = orma_model_processes(m, self->file->machine);
    const struct orma_sched_cpu_state *c = orma_sched_cpu(m, self->file->machine, cpu);
    const uint64_t tid = d->roles[ORMA_CTF_TID], pid = d->roles[ORMA_CTF_PID];
    uint32_t utid = ORMA_ID_NONE;

    *ret_tid = 0;
    if (orma_ctf_has_role(d, ORMA_CTF_TID) && tid <= INT32_MAX) {
        *ret_tid = (uint32_t)tid;
        utid = tid && pid && orma_ctf_has_role(d, ORMA_CTF_PID) && pid <= INT32_MAX
                   ? orma_processes_thread_of(p, (uint32_t)tid, (uint32_t)pid)
                   : orma_processes_thread(p, (uint32_t)tid);
        if (tid && orma_ctf_has_role(d, ORMA_CTF_COMM) && d->comm.len)
            orma_processes_name_thread(p, utid, orma_model_str(m, d->comm),
                                       ORMA_THREAD_NAME_FTRACE);
    } else if (c && c->known) {
        *ret_tid = c->pid;
        utid = c->utid;
    } else if (cpu < self->cpus.len && self->cpus.data[cpu].ts != INT64_MAX) {
        *ret_tid = self->cpus.data[cpu].tid; /* that ran up to the first switch */
        utid = orma_processes_thread(p, *ret_tid);
    }
    return utid;
}

struct orma_unit_end orma_ctf_kernel_event(struct orma_ctf *self, const struct orma_item *item,
                                           const struct orma_ctf_packet *packet,
                                           struct orma_ctf_stream_class *c,
                                           struct orma_ctf_decoder *d)
{
    struct kernel *k = self->kernel;
    struct orma_file *file = self->file;
    struct orma_item copy = *item;
    uint32_t cpu = packet->cpu >= 0 ? (uint32_t)packet->cpu : 0, tid;

    ORMA_MODEL_ARGS(args, file->imp->model);
    orma_buf_clear(&k->payload);
    orma_buf_clear(&k->known);
    k->wants_args = false;
    k->left_out = 0;
    d->put = put_value;
    d->data_of_put = self;
    self->args = args;
    struct orma_ctf_event *e = orma_ctf_next_event(self, c, d);
    if (e) {
        k->wants_args = e->rule != PLAIN;
        orma_ctf_decode(d, e->fields);
    }
    if (!e || d->failed || !e->is_known)
        return orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ, ORMA_CTF_TOO_LONG);
    if (orma_ctf_has_role(d, ORMA_CTF_CPU) && d->roles[ORMA_CTF_CPU] < ORMA_CPUS_MAX)
        cpu = (uint32_t)d->roles[ORMA_CTF_CPU];
    if (cpu >= ORMA_CPUS_MAX)
        return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "events of impossibly large CPUs");
    if (k->left_out)
        orma_file_parts(file, ORMA_ACCOUNT_NOT_READ, "fields of events that have too many",
                        k->left_out);
    const uint32_t utid = thread_of(self, d, cpu, &tid),
                   row_utid = utid != ORMA_ID_NONE
                                  ? utid
                                  : orma_processes_unknown_thread(
                                        orma_model_processes(file->imp->model, file->machine), 0);
    if (!put_event(self, (uint32_t)(e - self->events.data), cpu, tid, item->ts, &copy))
        return orma_file_skipped(file, ORMA_ACCOUNT_NO_WORD, "events");
    struct orma_kernel_event event = {
        .ts = item->ts,
        .machine = file->machine,
        .cpu = cpu,
        .pid = tid,
        .utid = utid,
        .field = e->message ? orma_ftrace_messages[e->message - 1].number : 0,
        .payload = orma_buf_str(&k->known),
        .item = &copy,
    };
    if (event.field != ORMA_PB_FTRACE_EVENT_SCHED_SWITCH)
        (void)orma_port_add_row(file->imp, &copy, e->text, row_utid, 0, cpu);
    if (event.field && (utid != ORMA_ID_NONE || event.field == ORMA_PB_FTRACE_EVENT_SCHED_SWITCH ||
                        event.field == ORMA_PB_FTRACE_EVENT_SCHED_WAKING))
        (void)orma_port_handle(file->imp, &event);
    apply_rule(self, item->ts, e, utid, args);
    return orma_file_took(file);
}
