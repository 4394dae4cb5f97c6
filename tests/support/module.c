#include "tests/support/module.h"

#include <stdlib.h>

#include "processor/read/packet.h"
#include "protos/reflect/schema.h"

/* ---- ports that note who was called ---- */

static struct module *module_of(struct orma_import_ctx *ctx)
{
    return ctx->state;
}

#define NOTE(ctx, ...) orma_buf_printf(&module_of(ctx)->calls, __VA_ARGS__)

static void set_tracing_start(struct orma_import_ctx *ctx, uint16_t machine, int64_t ts)
{
    NOTE(ctx, "set_tracing_start %u %lld\n", machine, (long long)ts);
}

static void preserve(struct orma_import_ctx *ctx, uint16_t machine)
{
    NOTE(ctx, "preserve %u\n", machine);
}

static bool marker(struct orma_import_ctx *ctx, const struct orma_kernel_event *e,
                   struct orma_str text)
{
    NOTE(ctx, "marker %lld pid=%u cpu=%u %.*s\n", (long long)e->ts, e->pid, e->cpu,
         ORMA_STR_ARG(text));
    return true;
}

static bool handle(struct orma_import_ctx *ctx, const struct orma_kernel_event *e)
{
    NOTE(ctx, "handle %lld field=%u cpu=%u\n", (long long)e->ts, e->field, e->cpu);
    return true;
}

static uint32_t add_row(struct orma_import_ctx *ctx, const struct orma_item *item, uint32_t name,
                        uint32_t utid, uint32_t common_flags, uint32_t cpu)
{
    (void)item;
    (void)common_flags;
    NOTE(ctx, "add_row %s utid=%u cpu=%u\n", orma_strpool_cstr(&module_of(ctx)->storage.pool, name),
         utid, cpu);
    return ORMA_ROW_NONE;
}

static uint32_t inline_callsite(struct orma_import_ctx *ctx, struct orma_str bytes)
{
    NOTE(ctx, "inline_callsite of %zu bytes\n", bytes.len);
    return 7;
}

static uint32_t interned_callsite(struct orma_import_ctx *ctx, uint16_t machine, uint32_t upid,
                                  const struct orma_seq_gen *gen, uint64_t iid)
{
    (void)gen;
    (void)upid;
    NOTE(ctx, "interned_callsite %u %llu\n", machine, (unsigned long long)iid);
    return 7;
}

static void screen_state(struct orma_import_ctx *ctx, uint16_t machine, int64_t ts, double value)
{
    NOTE(ctx, "screen_state %u %lld %g\n", machine, (long long)ts, value);
}

static void battery_stats(struct orma_import_ctx *ctx, uint16_t machine, int64_t ts,
                          struct orma_str key, double value)
{
    NOTE(ctx, "battery_stats %u %lld %.*s %g\n", machine, (long long)ts, ORMA_STR_ARG(key), value);
}

static void gpu_memory(struct orma_import_ctx *ctx, uint16_t machine, int64_t ts, uint32_t gpu,
                       uint32_t pid, double size)
{
    NOTE(ctx, "gpu_memory %u %lld gpu=%u pid=%u %g\n", machine, (long long)ts, gpu, pid, size);
}

static void service_version(struct orma_import_ctx *ctx, struct orma_str version)
{
    NOTE(ctx, "service_version %.*s\n", ORMA_STR_ARG(version));
}

void module_record_calls(struct module *self)
{
    static struct orma_import_ctx other;

    other = (struct orma_import_ctx){.model = &self->model, .state = self};
    if (!self->ports.kernel.module)
        self->ports.kernel =
            (struct orma_kernel_port){&other, set_tracing_start, preserve, marker, handle, add_row};
    if (!self->ports.profile.module)
        self->ports.profile = (struct orma_profile_port){
            .module = &other,
            .inline_callsite = inline_callsite,
            .interned_callsite = interned_callsite,
        };
    if (!self->ports.android.module)
        self->ports.android =
            (struct orma_android_port){&other, screen_state, battery_stats, gpu_memory};
    if (!self->ports.trace.module)
        self->ports.trace =
            (struct orma_trace_port){.module = &other, .service_version = service_version};
}

/* ---- the module ---- */

struct module *module_new(const struct orma_import_module *what,
                          const struct orma_importer *const *importers)
{
    struct module *self = calloc(1, sizeof(*self));

    cr_assert_eq(orma_storage_init(&self->storage), 0);
    orma_model_init(&self->model, &self->storage);
    orma_processes_set_idle(orma_model_processes(&self->model, 0));
    self->importers = importers;
    self->ctx = (struct orma_import_ctx){
        .model = &self->model,
        .state = what->state_size ? calloc(1, what->state_size) : NULL,
        .ports = &self->ports,
        .options = &self->options,
    };
    self->seq = orma_seqs_get(&self->seqs, 0, 2);
    cr_assert_eq(orma_seq_clear(self->seq), 0);
    self->seq->valid = true;
    if (what->offer)
        what->offer(&self->ports, &self->ctx);
    if (what->start)
        cr_assert_eq(what->start(&self->ctx), 0);
    return self;
}

static void clock_failed(void *data, uint16_t machine, enum orma_stat stat, uint64_t source,
                         int64_t ns, uint64_t target, int64_t offset)
{
    (void)ns;
    (void)source;
    (void)target;
    (void)offset;
    orma_stats_inc(orma_model_stats(&((struct module *)data)->model, machine), stat);
}

static void settled(void *data, uint32_t clock)
{
    orma_buf_printf(&((struct module *)data)->calls, "settled %u\n", (unsigned)clock);
}

static void tied(void *data, const struct orma_clock_value *values, uint32_t num)
{
    (void)values;
    orma_buf_printf(&((struct module *)data)->calls, "tied %u\n", (unsigned)num);
}

static void unrelatable(void *data, uint16_t machine, uint32_t source, uint32_t target)
{
    orma_buf_printf(&((struct module *)data)->calls, "unrelatable %u %u %u\n", machine,
                    (unsigned)source, (unsigned)target);
}

static void stray(void *data, const char *msg, uint32_t number, int64_t offset)
{
    (void)offset;
    orma_buf_printf(&((struct module *)data)->calls, "stray %s %u\n", msg, (unsigned)number);
}

static void mixed(void *data, uint16_t machine, int64_t num)
{
    orma_buf_printf(&((struct module *)data)->calls, "mixed %u %lld\n", machine, (long long)num);
}

void module_add_reader(struct module *self)
{
    const struct orma_reader_hooks hooks = {
        .data = self,
        .clock_failed = clock_failed,
        .stray = stray,
        .timeline = {.data = self,
                     .settled = settled,
                     .tied = tied,
                     .unrelatable = unrelatable,
                     .mixed = mixed},
    };

    orma_reader_init(&self->reader, &self->storage, &hooks, NULL);
    self->ctx.reader = &self->reader;
}

void module_free(struct module *self)
{
    cr_assert(!self->storage.failed);
    for (const struct orma_importer *const *i = self->importers; i && *i; i++)
        if ((*i)->fini)
            (*i)->fini(&self->ctx);
    free(self->ctx.state);
    if (self->ctx.reader)
        orma_reader_fini(&self->reader);
    orma_seqs_fini(&self->seqs);
    orma_model_fini(&self->model);
    orma_schema_free(self->ports.schema);
    orma_storage_fini(&self->storage);
    orma_arena_fini(&self->bytes);
    orma_buf_fini(&self->calls);
    free(self);
}

void module_finish(struct module *self)
{
    for (const struct orma_importer *const *i = self->importers; i && *i; i++)
        if ((*i)->finish)
            (*i)->finish(&self->ctx);
    for (const struct orma_importer *const *i = self->importers; i && *i; i++)
        if ((*i)->finish_late)
            (void)(*i)->finish_late(&self->ctx);
    orma_model_finish(&self->model);
}

/* ---- messages and packets ---- */

static void write_fields(struct orma_buf *out, const struct module_field *f)
{
    for (; f->kind != ROOM_END; f++) {
        switch (f->kind) {
        case ROOM_NUM:
            orma_pb_put_u64(out, f->id, f->num);
            break;
        case ROOM_REAL:
            orma_pb_put_double(out, f->id, f->real);
            break;
        case ROOM_FLOAT:
            orma_pb_put_float(out, f->id, (float)f->real);
            break;
        case ROOM_FIXED64:
            orma_pb_put_fixed64(out, f->id, f->num);
            break;
        case ROOM_STR:
            orma_pb_put_cstr(out, f->id, f->text);
            break;
        case ROOM_MSG: {
            size_t begun = orma_pb_begin(out, f->id);

            write_fields(out, f->fields);
            orma_pb_end(out, begun);
            break;
        }
        case ROOM_END:
            break;
        }
    }
}

struct orma_str module_bytes(struct module *self, const struct module_field *fields)
{
    struct orma_buf out = {0};

    write_fields(&out, fields);
    cr_assert(!out.failed);
    char *copy = orma_arena_alloc(&self->bytes, out.len + 1);
    if (out.len)
        memcpy(copy, out.data, out.len);
    struct orma_str bytes = {copy, out.len};
    orma_buf_fini(&out);
    return bytes;
}

struct orma_item module_item(struct module *self, uint32_t field, int64_t ts, struct orma_str bytes)
{
    return (struct orma_item){
        .ts = ts,
        .data = (const uint8_t *)bytes.data,
        .len = (uint32_t)bytes.len,
        .field = field,
        .kind = ORMA_ITEM_PACKET,
        .gen = self->seq->gen,
    };
}

void module_packet(struct module *self, const struct orma_importer *importer, uint32_t field,
                   int64_t ts, const struct module_field *payload)
{
    struct orma_item item = module_item(self, field, ts, module_bytes(self, payload));

    if (!importer->glance)
        importer->parse(&self->ctx, &item);
    else if (importer->glance(&self->ctx, &item))
        (void)importer->parse_late(&self->ctx, &item);
}

static bool as_read(struct module *self,
                    bool (*fn)(struct orma_import_ctx *, const struct orma_packet_ctx *),
                    uint32_t field, int64_t ts, const struct module_field *payload)
{
    const struct orma_read_packet p = {
        .field = field,
        .payload = module_bytes(self, payload),
        .has_timestamp = true,
        .timestamp = (uint64_t)ts,
    };
    const struct orma_packet_ctx ctx = {.p = &p, .seq = self->seq, .ts = ts};

    return fn(&self->ctx, &ctx);
}

bool module_early(struct module *self, const struct orma_importer *importer, uint32_t field,
                  int64_t ts, const struct module_field *payload)
{
    return as_read(self, importer->early, field, ts, payload);
}

bool module_tokenize(struct module *self, const struct orma_importer *importer, uint32_t field,
                     int64_t ts, const struct module_field *payload)
{
    return as_read(self, importer->tokenize, field, ts, payload);
}

void module_intern(struct module *self, const struct module_field *data)
{
    cr_assert_eq(orma_seq_intern(self->seq, module_bytes(self, data)), 0);
}
