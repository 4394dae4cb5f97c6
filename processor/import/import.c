#include "processor/import/import.h"

#include <errno.h>
#include <stdlib.h>

#include "processor/import/formats/file.h"
#include "processor/import/ftrace/ftrace.h"
#include "processor/import/proto_content.h"
#include "processor/import/track_event/event.h"
#include "protos/reflect/schema.h"
#include "sdk/base/hash.h"

/* Places of damage that are told one by one; those that follow are only counted. */
#define DAMAGE_ROWS_MAX 10000

static bool hook_early(void *data, const struct orma_packet *p, struct orma_seq *seq,
                       uint16_t machine, uint64_t order)
{
    struct orma_import *self = data;
    const struct orma_module *m =
        p->field < ORMA_PACKET_FIELDS_MAX ? self->by_field[p->field] : NULL;
    struct orma_packet_ctx ctx = {p, seq, machine, 0, order};

    return m && m->early && m->early(self, &ctx);
}

static bool hook_tokenize(void *data, const struct orma_packet *p, struct orma_seq *seq,
                          uint16_t machine, int64_t ts, uint64_t order)
{
    struct orma_import *self = data;
    const struct orma_module *m = self->by_field[p->field];

    if (ORMA_LIKELY(!m->tokenize))
        return false;
    struct orma_packet_ctx ctx = {p, seq, machine, ts, order};
    return m->tokenize(self, &ctx);
}

static void hook_skipped(void *data, const struct orma_seq *seq, uint16_t machine,
                         const uint8_t *at)
{
    struct orma_import *self = data;

    orma_args_list_clear(&self->args);
    orma_args_put_uint(&self->args, orma_import_cstr(self, "packet_sequence_id"), seq->id);
    orma_import_log(self, machine, ORMA_STAT_PACKET_SKIPPED_SEQ_NEEDS_INCREMENTAL_STATE_INVALID,
                    INT64_MIN, orma_reader_offset(&self->reader, at), &self->args);
}

void orma_import_damage(struct orma_import *self, int64_t offset, uint64_t bytes, const char *why)
{
    orma_stats_add(orma_import_stats(self, 0), ORMA_STAT_DAMAGED_BYTES, (int64_t)bytes);
    self->damage.bytes += bytes;
    if (!self->damage.places)
        self->damage.first = offset;
    if (self->damage.places++ >= DAMAGE_ROWS_MAX) {
        orma_stats_inc(orma_import_stats(self, 0), ORMA_STAT_DAMAGED_PLACES);
        return;
    }
    orma_args_list_clear(&self->args);
    orma_args_put_uint(&self->args, orma_import_cstr(self, "bytes"), bytes);
    orma_args_put_str(&self->args, orma_import_cstr(self, "reason"), orma_import_cstr(self, why));
    orma_import_log(self, 0, ORMA_STAT_DAMAGED_PLACES, INT64_MIN, offset, &self->args);
}

void orma_import_cut_off(struct orma_import *self, uint64_t bytes)
{
    self->damage.cut_off += bytes;
}

static void hook_damaged(void *data, int64_t offset, uint64_t bytes, const char *why)
{
    orma_import_damage(data, offset, bytes, why);
}

static void hook_cut_off(void *data, uint64_t bytes)
{
    orma_import_cut_off(data, bytes);
}

static void add_machine(struct orma_import *self, uint16_t machine, uint32_t raw)
{
    struct orma_table *t = orma_import_table(self, ORMA_TABLE_MACHINE);
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_MACHINE_RAW_ID, row, raw);
    orma_processes_init(&self->machines[machine].processes, self->storage, &self->words, machine);
    if (machine) /* others are known from packets only; the host's format is not known yet */
        orma_processes_set_idle(&self->machines[machine].processes);
    self->machines_num = (uint16_t)(machine + 1);
}

static void hook_new_machine(void *data, uint16_t machine, uint32_t raw)
{
    if (!machine)
        orma_table_set(orma_import_table(data, ORMA_TABLE_MACHINE), ORMA_MACHINE_RAW_ID, 0, raw);
    else
        add_machine(data, machine, raw);
}

static void hook_trace_clock(void *data, uint64_t key)
{
    orma_metadata_int(data, "trace_time_clock_id", false, ORMA_METADATA_GLOBAL, 0, (int64_t)key);
}

void orma_import_use_trace(struct orma_import *self, uint32_t row)
{
    if (self->trace_row == row)
        return;
    self->trace_row = row;
    orma_storage_use_trace(self->storage, row, false);
}

static void emit(void *data, const struct orma_item *item)
{
    struct orma_import *self = data;

    if (ORMA_UNLIKELY(self->files_read > 1 && item->gen))
        orma_import_use_trace(self, item->gen->seq->trace);
    switch ((enum orma_item_kind)item->kind) {
    case ORMA_ITEM_PACKET: {
        if (item->field == ORMA_PB_TRACE_PACKET_TRACK_EVENT && !self->no_plain_events &&
            orma_te_parse_plain(self, item))
            break;
        const struct orma_module *m =
            item->field < ORMA_PACKET_FIELDS_MAX ? self->by_field[item->field] : NULL;

        if (m && m->parse)
            m->parse(self, item);
        break;
    }
    case ORMA_ITEM_FTRACE_EVENT:
        orma_ftrace_parse_event(self, item);
        break;
    case ORMA_ITEM_SCHED_SWITCH:
        orma_ftrace_parse_compact_switch(self, item);
        break;
    case ORMA_ITEM_SCHED_WAKING:
        orma_ftrace_parse_compact_waking(self, item);
        break;
    case ORMA_ITEM_OTHER: {
        struct orma_file *file = (struct orma_file *)(uintptr_t)item->aux;

        orma_import_use_trace(self, file->row);
        file->ops->parse(file, item);
        break;
    }
    }
}

static void write_row_args(struct orma_import *self);
static void free_row_args(struct orma_import *self);
static void slice_dropped(void *data, const struct orma_slice_overlap *overlap);

int orma_import_init(struct orma_import *self, struct orma_storage *storage)
{
    struct orma_reader_hooks hooks = {
        .data = self,
        .early = hook_early,
        .tokenize = hook_tokenize,
        .skipped = hook_skipped,
        .damaged = hook_damaged,
        .cut_off = hook_cut_off,
        .new_machine = hook_new_machine,
        .trace_clock = hook_trace_clock,
    };

    *self = (struct orma_import){.storage = storage, .damage.first = -1};
    for (unsigned i = 0; orma_modules[i]; i++) {
        const struct orma_module *m = orma_modules[i];

        for (const uint16_t *f = m->fields; *f; f++) {
            self->by_field[*f] = m;
            hooks.uses[*f] = (uint8_t)(ORMA_FIELD_WANTED | (m->early ? ORMA_FIELD_EARLY : 0) |
                                       (m->tokenize ? ORMA_FIELD_TOKENIZE : 0));
        }
    }
    hooks.uses[ORMA_PB_TRACE_PACKET_TRACK_EVENT] = ORMA_FIELD_WANTED | ORMA_FIELD_TOKENIZE_ODD;
    orma_words_init(&self->words, &storage->pool);
    orma_reader_init(&self->reader, storage, &hooks, emit);
    self->reader.sorter.read_plain = orma_te_read_plain;
    self->reader.sorter.use_plain = orma_te_use_plain;
    orma_tracks_init(&self->tracks, storage, &self->words);
    orma_slices_init(&self->slices, storage);
    self->slices.dropped = slice_dropped;
    self->slices.dropped_data = self;
    add_machine(self, 0, 0);
    self->trace_row = orma_table_add(orma_import_table(self, ORMA_TABLE_TRACE_FILE));
    return storage->failed ? -ENOMEM : 0;
}

void orma_import_fini(struct orma_import *self)
{
    orma_reader_fini(&self->reader);
    orma_files_fini(self);
    for (unsigned i = 0; orma_modules[i]; i++)
        if (orma_modules[i]->fini)
            orma_modules[i]->fini(self);
    orma_proto_content_fini(self);
    for (unsigned i = 0; i < ORMA_STATES_NUM; i++)
        free(self->state[i]);
    for (unsigned i = 0; i < self->machines_num; i++)
        orma_processes_fini(&self->machines[i].processes);
    orma_tracks_fini(&self->tracks);
    orma_slices_fini(&self->slices);
    orma_args_list_fini(&self->args);
    orma_schema_free(self->schema);
    orma_map_fini(&self->unknown_event_fields);
    orma_map_fini(&self->gpus);
    free_row_args(self);
}

void orma_import_begin(struct orma_import *self, const char *format)
{
    struct orma_table *t = orma_import_table(self, ORMA_TABLE_TRACE_FILE);
    uint32_t name = orma_import_cstr(self, format);

    orma_metadata_uuid(self, 0, self->uuid);
    orma_metadata_str(self, "trace_type", false, ORMA_METADATA_TRACE, 0, name);
    orma_table_set(t, ORMA_TRACE_FILE_TRACE_TYPE, self->trace_row, name);
}

void orma_import_set_size(struct orma_import *self, uint64_t size)
{
    struct orma_table *t = orma_import_table(self, ORMA_TABLE_TRACE_FILE);

    orma_table_set(t, ORMA_TRACE_FILE_SIZE, self->trace_row, (int64_t)size);
    orma_metadata_int(self, "trace_size_bytes", false, ORMA_METADATA_TRACE, 0, (int64_t)size);
}

/* Rows that say which packets nobody took: those of other platforms, and what is newer. */
static void write_skipped(struct orma_import *self)
{
    struct orma_table *t = orma_import_table(self, ORMA_TABLE_SKIPPED_PACKET);
    const struct orma_schema *schema = orma_schema_default();
    uint32_t msg = orma_schema_find_msg(schema, ORMA_STR("perfetto.protos.TracePacket"));

    for (uint32_t i = 1; i < ORMA_READER_FIELDS; i++) {
        const struct orma_field *f = orma_schema_field(schema, msg, i);

        if (!self->reader.unwanted[i])
            continue;
        uint32_t row = orma_table_add(t);
        orma_table_set(t, ORMA_SKIPPED_PACKET_FIELD, row, i);
        if (f)
            orma_table_set(t, ORMA_SKIPPED_PACKET_NAME, row,
                           orma_import_cstr(self, orma_field_name(schema, f)));
        orma_table_set(t, ORMA_SKIPPED_PACKET_PACKETS, row, self->reader.unwanted[i]);
    }
}

static int by_number(const void *a, const void *b)
{
    const struct orma_map_slot *x = a, *y = b;

    return x->key < y->key ? -1 : x->key > y->key;
}

/* The same for fields of track events that no descriptor names: of those only the event was taken.
 */
static void write_unknown_fields(struct orma_import *self)
{
    struct orma_table *t = orma_import_table(self, ORMA_TABLE_SKIPPED_PACKET);
    struct orma_map *map = &self->unknown_event_fields;
    struct orma_map_slot *sorted = map->len ? calloc(map->len, sizeof(*sorted)) : NULL;
    size_t num = 0;

    self->storage->failed |= map->len && !sorted;
    ORMA_MAP_EACH (slot, map) {
        if (sorted)
            sorted[num++] = *slot;
    }
    if (num)
        qsort(sorted, num, sizeof(*sorted), by_number);
    for (size_t i = 0; i < num; i++) {
        uint32_t row = orma_table_add(t);

        orma_table_set(t, ORMA_SKIPPED_PACKET_FIELD, row, ORMA_PB_TRACE_PACKET_TRACK_EVENT);
        orma_table_set(t, ORMA_SKIPPED_PACKET_NAME, row,
                       orma_strpool_addf(&self->storage->pool, "track_event.%llu",
                                         (unsigned long long)sorted[i].key));
        orma_table_set(t, ORMA_SKIPPED_PACKET_PACKETS, row, (int64_t)sorted[i].val);
    }
    free(sorted);
}

void orma_import_finish(struct orma_import *self)
{
    orma_reader_finish(&self->reader);
    for (unsigned i = 0; orma_modules[i]; i++)
        if (orma_modules[i]->finish)
            orma_modules[i]->finish(self);
    orma_files_finish(self);
    write_row_args(self);
    orma_proto_content_finish(self);
    write_skipped(self);
    write_unknown_fields(self);
    orma_slices_finish(&self->slices);
    for (uint16_t i = 0; i < self->machines_num; i++)
        orma_stats_add(&self->storage->stats[0], ORMA_STAT_CLOCK_SYNC_CACHE_MISS,
                       self->reader.clocks[i].cache_misses);
}

uint32_t orma_import_counter_track(struct orma_import *self, uint16_t machine, const char *type,
                                   uint32_t name, const char *unit, unsigned dims_num,
                                   const struct orma_track_dim *dims)
{
    struct orma_track_spec spec = {
        .type = type,
        .event = ORMA_TRACK_COUNTER,
        .machine = machine,
        .dims_num = dims_num,
        .name = name,
        .unit = unit ? orma_import_cstr(self, unit) : 0,
        .parent = ORMA_TRACK_NONE,
    };

    if (dims_num)
        memcpy(spec.dims, dims, dims_num * sizeof(*dims));
    return orma_tracks_get(&self->tracks, &spec);
}

uint32_t orma_import_slice_track(struct orma_import *self, uint16_t machine, const char *type,
                                 uint32_t name, unsigned dims_num,
                                 const struct orma_track_dim *dims)
{
    struct orma_track_spec spec = {
        .type = type,
        .event = ORMA_TRACK_SLICES,
        .machine = machine,
        .dims_num = dims_num,
        .name = name,
        .parent = ORMA_TRACK_NONE,
    };

    if (dims_num)
        memcpy(spec.dims, dims, dims_num * sizeof(*dims));
    return orma_tracks_get(&self->tracks, &spec);
}

uint32_t orma_import_thread_track(struct orma_import *self, uint16_t machine, uint32_t utid)
{
    const struct orma_track_dim dim = orma_dim(self->words.utid, utid);

    return orma_import_slice_track(self, machine, "thread_execution", 0, 1, &dim);
}

void orma_import_log(struct orma_import *self, uint16_t machine, enum orma_stat stat, int64_t ts,
                     int64_t byte_offset, const struct orma_args_list *args)
{
    struct orma_table *t = orma_import_table(self, ORMA_TABLE_TRACE_IMPORT_LOGS);
    uint32_t row = orma_table_add(t);

    orma_stats_inc(orma_import_stats(self, machine), stat);
    orma_table_set(t, ORMA_TRACE_IMPORT_LOGS_TRACE_ID, row, self->trace_row);
    if (ts != INT64_MIN)
        orma_table_set(t, ORMA_TRACE_IMPORT_LOGS_TS, row, ts);
    if (byte_offset >= 0)
        orma_table_set(t, ORMA_TRACE_IMPORT_LOGS_BYTE_OFFSET, row, byte_offset);
    orma_table_set(t, ORMA_TRACE_IMPORT_LOGS_STAT_KEY, row, stat);
    if (args)
        orma_storage_set_args(t, ORMA_TRACE_IMPORT_LOGS_ARG_SET_ID, row,
                              orma_args_commit(&self->storage->args, args));
}

void orma_import_log_overlap(struct orma_import *self, enum orma_stat stat,
                             const struct orma_slice_overlap *overlap)
{
    struct orma_table *t = orma_import_table(self, ORMA_TABLE_SLICE);
    struct orma_args_list args = {0};

    orma_args_put_uint(&args, orma_import_lit(self, "track_id"), overlap->track);
    orma_args_put_str(&args, orma_import_lit(self, "new_slice_name"), overlap->name);
    orma_args_put_int(&args, orma_import_lit(self, "new_slice_ts"), overlap->ts);
    orma_args_put_int(&args, orma_import_lit(self, "new_slice_dur"), overlap->dur);
    orma_args_put_str(&args, orma_import_lit(self, "existing_slice_name"),
                      (uint32_t)orma_table_int(t, ORMA_SLICE_NAME, overlap->existing));
    orma_args_put_int(&args, orma_import_lit(self, "existing_slice_ts"),
                      orma_table_int(t, ORMA_SLICE_TS, overlap->existing));
    orma_args_put_int(&args, orma_import_lit(self, "existing_slice_dur"),
                      orma_table_int(t, ORMA_SLICE_DUR, overlap->existing));
    orma_import_log(self, 0, stat, overlap->ts, -1, &args);
    self->storage->failed |= args.failed;
    orma_args_list_fini(&args);
}

static void slice_dropped(void *data, const struct orma_slice_overlap *overlap)
{
    orma_import_log_overlap(data, ORMA_STAT_SLICE_DROP_OVERLAPPING_COMPLETE_EVENT, overlap);
}

void orma_import_counter(struct orma_import *self, int64_t ts, uint32_t track, double value)
{
    struct orma_table *t = orma_import_table(self, ORMA_TABLE_COUNTER);
    uint32_t row = orma_table_add(t);

    orma_table_set_time(t, ORMA_COUNTER_TS, row, ts);
    orma_table_set(t, ORMA_COUNTER_TRACK_ID, row, track);
    orma_table_set_double(t, ORMA_COUNTER_VALUE, row, value);
}

/* What packets have said of a row so far. Only what holds at the end becomes a set. */
struct orma_row_args {
    struct orma_row_args *next; /* in the order of the first thing said */
    enum orma_table_id table;
    unsigned col;
    uint32_t row;
    struct orma_args_list list;
};

static struct orma_row_args *row_args(struct orma_import *self, enum orma_table_id table,
                                      unsigned col, uint32_t row)
{
    uint64_t key = (uint64_t)table << 40 | (uint64_t)col << 32 | row;
    struct orma_row_args *a = orma_map_get_ptr(&self->row_args, key);

    if (a)
        return a;
    a = calloc(1, sizeof(*a));
    if (!a || orma_map_put_ptr(&self->row_args, key, a)) {
        self->storage->failed = true;
        free(a);
        return NULL;
    }
    a->table = table;
    a->col = col;
    a->row = row;
    if (self->row_args_last)
        self->row_args_last->next = a;
    else
        self->row_args_first = a;
    self->row_args_last = a;
    return a;
}

void orma_import_add_args(struct orma_import *self, enum orma_table_id table, unsigned col,
                          uint32_t row, const struct orma_args_list *args)
{
    struct orma_row_args *a = args->len ? row_args(self, table, col, row) : NULL;

    for (uint32_t i = 0; a && i < args->len; i++)
        orma_args_put(&a->list, args->args[i]);
}

static void write_row_args(struct orma_import *self)
{
    for (struct orma_row_args *a = self->row_args_first; a; a = a->next) {
        orma_storage_set_args(orma_import_table(self, a->table), a->col, a->row,
                              orma_args_commit(&self->storage->args, &a->list));
        self->storage->failed |= a->list.failed;
    }
}

static void free_row_args(struct orma_import *self)
{
    struct orma_row_args *next;

    for (struct orma_row_args *a = self->row_args_first; a; a = next) {
        next = a->next;
        orma_args_list_fini(&a->list);
        free(a);
    }
    orma_map_fini(&self->row_args);
}

uint32_t orma_import_lit_slow(struct orma_import *self, const char *literal)
{
    uint32_t slot = (uint32_t)((uintptr_t)literal * 0x9e3779b97f4a7c15u >> 40) % ORMA_LITERALS_NUM;

    self->literals[slot].id = orma_import_cstr(self, literal);
    self->literals[slot].text = literal;
    return self->literals[slot].id;
}

void *orma_import_state(struct orma_import *self, enum orma_module_state slot, size_t size)
{
    if (!self->state[slot]) {
        self->state[slot] = calloc(1, size);
        if (!self->state[slot])
            self->storage->failed = true;
    }
    return self->state[slot];
}
