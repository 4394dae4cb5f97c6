/*
 * The reader's hooks and the sorter's items, each handed to the importer of its field or kind. A
 * field has one importer, a module one context; both are looked up once, when the import begins.
 */
#include "processor/import/core/import.h"

#include <errno.h>
#include <stdlib.h>

#include "processor/import/core/clock_rows.h"
#include "processor/import/core/file.h"
#include "processor/import/core/manifest.h"
#include "protos/reflect/schema.h"
#include "sdk/base/assert.h"

static bool hook_early(void *data, const struct orma_read_packet *p, struct orma_seq *seq,
                       uint16_t machine, uint64_t order)
{
    struct orma_import *self = data;
    const struct orma_importer *m =
        p->field < ORMA_PACKET_FIELDS_MAX ? self->by_field[p->field] : NULL;
    struct orma_packet_ctx ctx = {p, seq, machine, 0, order};

    return m && m->early && m->early(self->ctx_by_field[p->field], &ctx);
}

static bool hook_tokenize(void *data, const struct orma_read_packet *p, struct orma_seq *seq,
                          uint16_t machine, int64_t ts, uint64_t order)
{
    struct orma_import *self = data;
    const struct orma_importer *m = self->by_field[p->field];

    if (ORMA_LIKELY(!m->tokenize))
        return false;
    struct orma_packet_ctx ctx = {p, seq, machine, ts, order};
    return m->tokenize(self->ctx_by_field[p->field], &ctx);
}

static void hook_skipped(void *data, enum orma_stat stat, const struct orma_seq *seq,
                         uint16_t machine, const uint8_t *at)
{
    struct orma_import *self = data;
    struct orma_model *model = &self->model;

    ORMA_MODEL_ARGS(args, model);
    if (seq)
        orma_args_put_uint(args, orma_model_cstr(model, "packet_sequence_id"), seq->id);
    orma_model_log(model, machine, stat, INT64_MIN, orma_reader_offset(&self->reader, at), args);
}

static struct orma_account *packets_of(struct orma_import *self, uint32_t file)
{
    return orma_accounts_get(&self->accounts, &self->model, file, ORMA_ACCOUNT_PACKET);
}

static void hook_damaged(void *data, int64_t offset, uint64_t bytes, const char *why)
{
    struct orma_import *self = data;
    struct orma_account *account = packets_of(self, self->reader.at.row);

    orma_account_begin(account, 1);
    (void)orma_account_damaged(account, &self->model,
                               orma_model_cstr(&self->model, "damaged places"), 1, offset);
    orma_model_damage(&self->model, offset, bytes, why);
}

/* "packets of v8_code_event". */
static uint32_t name_unread(struct orma_import *self, uint32_t field)
{
    const struct orma_schema *schema = orma_schema_default();
    uint32_t msg = orma_schema_find_msg(schema, ORMA_STR("perfetto.protos.TracePacket"));
    const struct orma_field *f = orma_schema_field(schema, msg, field);
    struct orma_strpool *pool = &self->model.storage->pool;

    return f ? orma_strpool_addf(pool, "packets of %.100s", orma_field_name(schema, f))
             : orma_strpool_addf(pool, "packets of field %u", (unsigned)field);
}

static void hook_dropped(void *data, uint32_t file, enum orma_packet_drop why, uint32_t field,
                         int64_t offset)
{
    static const struct {
        enum orma_account_reason reason;
        const char *kind;
    } kinds[] = {
        [ORMA_PACKET_UNWANTED] = {ORMA_ACCOUNT_NOT_READ, NULL},
        [ORMA_PACKET_NO_CLOCK] = {ORMA_ACCOUNT_CLOCK, "packets"},
        [ORMA_PACKET_BAD_TIME] = {ORMA_ACCOUNT_CLOCK, "packets with an impossible time"},
        [ORMA_PACKET_LOST_STATE] = {ORMA_ACCOUNT_LOST_STATE, "packets"},
    };
    struct orma_import *self = data;
    uint32_t *known = &self->unread_kinds[ORMA_MIN(field, ORMA_PACKET_FIELDS_MAX - 1)], kind;

    if (kinds[why].kind && !self->drop_kinds[why])
        self->drop_kinds[why] = orma_model_cstr(&self->model, kinds[why].kind);
    if (kinds[why].kind)
        kind = self->drop_kinds[why];
    else if (*known && field < ORMA_PACKET_FIELDS_MAX - 1)
        kind = *known;
    else
        kind = *known = name_unread(self, field);
    (void)orma_account_skipped(packets_of(self, file), &self->model, kinds[why].reason, kind, 1,
                               offset);
}

/* Of packets that were taken: "fields 9 of ProcessStats". */
static void hook_stray(void *data, const char *msg, uint32_t number, int64_t offset)
{
    struct orma_import *self = data;

    orma_account_strays(&self->accounts, &self->model, self->reader.file, msg, number, 1, offset);
}

static void hook_took_late(void *data, uint32_t file)
{
    (void)orma_account_took(packets_of(data, file), 1);
}

static void hook_truncated(void *data, uint64_t bytes)
{
    struct orma_import *self = data;

    orma_model_truncated(&self->model, bytes);
}

static void hook_new_machine(void *data, uint16_t machine, uint64_t raw)
{
    struct orma_import *self = data;

    if (machine < self->model.machines_num)
        orma_table_set(orma_model_table(&self->model, ORMA_TABLE_MACHINE), ORMA_MACHINE_RAW_ID,
                       machine, (int64_t)raw);
    else
        orma_model_add_machine(&self->model, machine, raw);
}

static void hook_settled(void *data, uint32_t clock)
{
    struct orma_import *self = data;

    orma_metadata_int(&self->model, "trace_time_clock_id", false, ORMA_METADATA_GLOBAL, 0, clock);
}

static void emit(void *data, const struct orma_item *item)
{
    struct orma_import *self = data;

    if (ORMA_UNLIKELY(self->model.files_read > 1 && item->gen)) {
        orma_model_use_trace(&self->model, item->gen->seq->trace);
        self->reader.file = item->gen->seq->trace;
    }
    if (ORMA_LIKELY(item->kind == ORMA_ITEM_PACKET)) {
        if (item->field >= ORMA_PACKET_FIELDS_MAX)
            return;
        const struct orma_importer *m = self->by_field[item->field];
        struct orma_import_ctx *ctx = self->ctx_by_field[item->field];

        if (item->field == self->plain_field && !self->options.no_plain_events &&
            m->parse_plain(ctx, item))
            return;
        if (m && m->glance)
            orma_import_late_item(self, ctx, m, item);
        else if (m && m->parse)
            m->parse(ctx, item);
    } else if (item->kind == ORMA_ITEM_OTHER) {
        struct orma_file *file = (struct orma_file *)(uintptr_t)item->aux;

        orma_model_use_trace(&self->model, file->row);
        self->reader.file = file->row;
        file->unit_at = item->len ? item->data : NULL;
        (void)file->ops->parse(file, item);
    } else if (self->kinds[item->kind].parse) {
        self->kinds[item->kind].parse(self->kinds[item->kind].ctx, item);
    }
}

/* The context of a module; NULL: there is none. */
static struct orma_import_ctx *find_module(struct orma_import *self,
                                           const struct orma_import_module *module)
{
    for (unsigned i = 0; i < self->modules_num; i++)
        if (self->modules[i].module == module)
            return &self->modules[i].ctx;
    return NULL;
}

/* The same, made if it is not there yet. NULL: no memory. */
static struct orma_import_ctx *add_module(struct orma_import *self,
                                          const struct orma_import_module *module)
{
    struct orma_import_ctx *ctx = find_module(self, module);

    if (ctx)
        return ctx;
    ORMA_ASSERT(self->modules_num < ORMA_IMPORT_MODULES_MAX);
    void *state = module->state_size ? calloc(1, module->state_size) : NULL;
    if (module->state_size && !state)
        return NULL;
    self->modules[self->modules_num].module = module;
    ctx = &self->modules[self->modules_num++].ctx;
    *ctx = (struct orma_import_ctx){.model = &self->model,
                                    .reader = &self->reader,
                                    .state = state,
                                    .ports = &self->ports,
                                    .options = &self->options,
                                    .late = &self->late,
                                    .accounts = &self->accounts};
    if (module->offer)
        module->offer(&self->ports, ctx);
    return ctx;
}

/* Notes what the importer takes. */
static void add_importer(struct orma_import *self, const struct orma_importer *m,
                         struct orma_import_ctx *ctx, struct orma_reader_hooks *hooks)
{
    for (const uint16_t *f = m->fields; f && *f; f++) {
        ORMA_ASSERT(*f < ORMA_PACKET_FIELDS_MAX && !self->by_field[*f]);
        self->by_field[*f] = m;
        self->ctx_by_field[*f] = ctx;
        hooks->uses[*f] = (uint8_t)(ORMA_FIELD_WANTED | (m->early ? ORMA_FIELD_EARLY : 0) |
                                    (m->tokenize ? ORMA_FIELD_TOKENIZE : 0));
    }
    for (unsigned i = 0; i < ORMA_ITEM_KINDS_NUM; i++) {
        if (!m->parse_kind[i])
            continue;
        ORMA_ASSERT(!self->kinds[i].parse);
        self->kinds[i].parse = m->parse_kind[i];
        self->kinds[i].ctx = ctx;
    }
    if (m->plain_field) {
        self->plain = m;
        self->plain_field = m->plain_field;
        hooks->uses[m->plain_field] = ORMA_FIELD_WANTED | ORMA_FIELD_TOKENIZE_ODD;
    }
}

static int add_modules(struct orma_import *self, struct orma_reader_hooks *hooks)
{
    self->formats = add_module(self, self->table->formats_module);
    if (!self->formats)
        return -ENOMEM;
    for (const struct orma_importer_row *r = self->table->importers; r->importer; r++) {
        struct orma_import_ctx *ctx = add_module(self, r->module);

        if (!ctx)
            return -ENOMEM;
        add_importer(self, r->importer, ctx, hooks);
    }
    return 0;
}

static void hook_lost(void *data, const struct orma_seq *seq, uint16_t machine, int64_t ts)
{
    struct orma_import *self = data;
    struct orma_model_gap gap = {.ts = ts,
                                 .sequence = seq->id,
                                 .pid = seq->has_pid ? seq->pid : 0,
                                 .tid = seq->gen->has_pid ? seq->gen->tid : 0};

    orma_model_add_gap(&self->model, machine, &gap);
}

int orma_import_init(struct orma_import *self, struct orma_storage *storage,
                     const struct orma_importers *table, const struct orma_import_options *options)
{
    struct orma_reader_hooks hooks = {
        .data = self,
        .early = hook_early,
        .tokenize = hook_tokenize,
        .skipped = hook_skipped,
        .dropped = hook_dropped,
        .took_late = hook_took_late,
        .lost = hook_lost,
        .damaged = hook_damaged,
        .stray = hook_stray,
        .truncated = hook_truncated,
        .new_machine = hook_new_machine,
        .clock_failed = orma_import_clocks_failed,
        .undeferrable = orma_import_clocks_undeferrable,
        .timeline = {.data = self,
                     .settled = hook_settled,
                     .tied = orma_import_clocks_tied,
                     .unrelatable = orma_import_clocks_unrelatable,
                     .mixed = orma_import_clocks_mixed,
                     .restarted = orma_import_clocks_restarted,
                     .assumed = orma_import_clocks_assumed},
    };

    *self = (struct orma_import){.table = table};
    if (options)
        self->options = *options;
    self->options.no_plain_events |= self->options.analyze_content;
    orma_model_init(&self->model, storage);
    orma_import_late_init(self);
    int r = add_modules(self, &hooks);
    orma_reader_init(&self->reader, storage, &hooks, emit);
    self->model.log.read = &self->reader.order;
    if (self->plain && !self->options.no_plain_events) {
        self->reader.sorter.read_plain = self->plain->read_plain;
        self->reader.sorter.use_plain = self->plain->use_plain;
        self->reader.sorter.use_batch = self->plain->use_batch;
        self->reader.sorter.use_aside = self->plain->use_aside;
        self->reader.sorter.plain_data = self->ctx_by_field[self->plain_field];
    }
    for (unsigned i = 0; !r && i < self->modules_num; i++)
        if (self->modules[i].module->start)
            r = self->modules[i].module->start(&self->modules[i].ctx);
    return r ? r : storage->failed ? -ENOMEM : 0;
}

void orma_import_fini(struct orma_import *self)
{
    orma_import_late_fini(self);
    orma_reader_fini(&self->reader);
    orma_files_fini(self);
    orma_accounts_fini(&self->accounts);
    orma_manifest_free(self->manifest);
    for (const struct orma_importer_row *r = self->table->importers; r->importer; r++) {
        struct orma_import_ctx *ctx = find_module(self, r->module);

        if (ctx && r->importer->fini)
            r->importer->fini(ctx);
    }
    for (unsigned i = 0; i < self->modules_num; i++)
        free(self->modules[i].ctx.state);
    orma_model_fini(&self->model);
    orma_schema_free(self->ports.schema);
}

/* Rows that say which packets no importer took: those of other platforms, and what is newer. */
static void write_skipped(struct orma_import *self)
{
    struct orma_table *t = orma_model_table(&self->model, ORMA_TABLE_SKIPPED_PACKET);

    for (uint32_t i = 1; i < ORMA_PACKET_FIELDS_MAX; i++) {
        if (!self->reader.unwanted[i])
            continue;
        const struct orma_schema *schema =
            orma_schema_default(); /* unpacked for whom it is of use */
        uint32_t msg = orma_schema_find_msg(schema, ORMA_STR("perfetto.protos.TracePacket"));
        const struct orma_field *f = orma_schema_field(schema, msg, i);
        uint32_t row = orma_table_add(t);
        orma_table_set(t, ORMA_SKIPPED_PACKET_FIELD, row, i);
        if (f)
            orma_table_set(t, ORMA_SKIPPED_PACKET_NAME, row,
                           orma_model_cstr(&self->model, orma_field_name(schema, f)));
        orma_table_set(t, ORMA_SKIPPED_PACKET_PACKETS, row, self->reader.unwanted[i]);
    }
}

/* Nothing of any file was read: what the first one of them seems to be. */
static void refuse(struct orma_import *self)
{
    const char *why = orma_accounts_sentence(&self->model), *like = NULL;

    for (const struct orma_file *f = self->files; f && !like; f = f->next)
        like = f->like;
    orma_file_error(self->files, -EBADMSG, "nothing in this file could be read: %s%s%s",
                    why ? why : "the file has no events", like ? "; this is " : "",
                    like ? like : "");
}

/* The accounts become a table. Files of which nothing was read are no trace. */
static void write_accounts(struct orma_import *self)
{
    if (self->reader.error) /* nobody will see the tables, and what was read has no end */
        return;
    orma_accounts_write(&self->accounts, &self->model);
    if (orma_accounts_nothing(&self->accounts, &self->model))
        refuse(self);
}

void orma_import_finish(struct orma_import *self)
{
    orma_reader_finish(&self->reader);
    write_skipped(self);
    self->late.finished = true;
    for (const struct orma_importer_row *r = self->table->importers; r->importer; r++) {
        if (r->importer->finish)
            r->importer->finish(find_module(self, r->module));
        if (r->importer->finish_late && !orma_import_late_waits(self, r->importer))
            (void)r->importer->finish_late(find_module(self, r->module)); /* nobody stops it */
    }
    orma_files_finish(self);
    orma_model_finish(&self->model);
    write_accounts(self);
    orma_stats_add(&self->model.storage->stats[0], ORMA_STAT_CLOCK_SYNC_CACHE_MISS,
                   self->reader.timeline.clocks.cache_misses);
}
