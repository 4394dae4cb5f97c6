/*
 * A file gathers bytes until its format is clear (set_up()), and then passes them on:
 *
 *   packets            to the reader, which cuts them itself
 *   whole formats      kept until all bytes are there, then read once
 *   other formats      read as they come; what read() left comes again with what follows it
 *
 * Bytes that are fed and must stay lie in blocks that do not move; a value that crosses the end of
 * a block is copied to the next one. Events of formats are noted with their time; those from the
 * first one that came too late on are sorted when the file ends, and the sorter of the import
 * merges files with each other.
 */
#include "processor/import/core/file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "processor/import/core/manifest.h"
#include "processor/read/inflate.h"
#include "sdk/base/clock.h"
#include "sdk/base/hash.h"
#include "sdk/base/huge.h"
#include "sdk/base/vec.h"

/* Bytes that are gathered before the format is told. */
#define DETECT_BYTES 4096
/* Fed bytes lie in blocks of at least this size. */
#define PIECE_SIZE ((size_t)1 << 20)
/* A trace that brings no uuid gets one from so many of its first bytes. */
#define UUID_BYTES 4096
/* A container in a container, and so on. */
#define DEPTH_MAX 8

struct orma_piece {
    struct orma_piece *next;
    uint8_t data[];
};

uint32_t orma_file_list(struct orma_file *parent, uint32_t name, uint64_t size)
{
    struct orma_model *model = parent->imp->model;
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_TRACE_FILE);
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_TRACE_FILE_PARENT_ID, row, parent->row);
    if (name)
        orma_table_set(t, ORMA_TRACE_FILE_NAME, row, name);
    orma_table_set(t, ORMA_TRACE_FILE_SIZE, row, (int64_t)size);
    orma_table_set(t, ORMA_TRACE_FILE_TRACE_TYPE, row, orma_model_lit(model, "unknown"));
    return row;
}

struct orma_file *orma_file_new(struct orma_import *import, struct orma_file *parent, uint32_t row)
{
    struct orma_file *self = calloc(1, sizeof(*self)), *up = parent;
    unsigned depth = 0;

    if (!self) {
        import->model.storage->failed = true;
        return NULL;
    }
    self->import = import;
    self->imp = import->formats;
    self->parent = parent;
    self->row = parent ? row : import->model.trace_row;
    if (import->files_last)
        import->files_last->next = self;
    else
        import->files = self;
    import->files_last = self;
    for (; up; up = up->parent)
        depth++;
    if (depth >= DEPTH_MAX)
        orma_file_error(self, -EBADMSG, "archives are nested more than %d deep", DEPTH_MAX);
    return self;
}

static void file_free(struct orma_file *self)
{
    if (self->ops && self->ops->fini && self->state)
        self->ops->fini(self);
    for (struct orma_piece *p = self->pieces.blocks, *next; p; p = next) {
        next = p->next;
        free(p);
    }
    free(self->state);
    free(self->events.list);
    orma_buf_fini(&self->head);
    orma_buf_fini(&self->all);
    orma_buf_fini(&self->taken);
    free(self);
}

void orma_files_fini(struct orma_import *import)
{
    for (struct orma_file *f = import->files, *next; f; f = next) {
        next = f->next;
        file_free(f);
    }
    import->files = import->files_last = NULL;
}

/* ---- what it is ---- */

static bool is_container(enum orma_format format)
{
    return orma_detect_is_packed(format) || format == ORMA_FORMAT_ZIP ||
           format == ORMA_FORMAT_TAR || format == ORMA_FORMAT_CTRACE;
}

/* The size of the trace; last of all facts. */
static void set_size(struct orma_import *self, uint64_t size)
{
    struct orma_model *model = &self->model;
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_TRACE_FILE);

    orma_table_set(t, ORMA_TRACE_FILE_SIZE, model->trace_row, (int64_t)size);
    orma_metadata_int(model, "trace_size_bytes", false, ORMA_METADATA_TRACE, 0, (int64_t)size);
}

/* The format by name. */
static void name_trace(struct orma_import *self, const char *format)
{
    struct orma_model *model = &self->model;
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_TRACE_FILE);
    uint32_t name = orma_model_cstr(model, format);

    orma_metadata_str(model, "trace_type", false, ORMA_METADATA_TRACE, 0, name);
    orma_table_set(t, ORMA_TRACE_FILE_TRACE_TYPE, model->trace_row, name);
}

/* A file of no bytes is of no machine. */
static void forget_all(struct orma_model *model)
{
    static const enum orma_table_id tables[] = {ORMA_TABLE_THREAD, ORMA_TABLE_PROCESS,
                                                ORMA_TABLE_MACHINE, ORMA_TABLE_TRACE_FILE};

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(tables); i++)
        orma_table_truncate(orma_model_table(model, tables[i]), 0);
}

void orma_files_finish(struct orma_import *import)
{
    struct orma_table *t = orma_model_table(&import->model, ORMA_TABLE_TRACE_FILE);

    for (struct orma_file *f = import->files; f; f = f->next) {
        if (!is_container(f->format) && f->format != ORMA_FORMAT_MANIFEST)
            orma_model_use_trace(&import->model, f->row);
        if (f->ops && f->ops->finish && f->state)
            f->ops->finish(f);
    }
    for (struct orma_file *f = import->files; f; f = f->next) {
        import->model.trace_row = f->row;
        if (is_container(f->format))
            orma_table_set(t, ORMA_TRACE_FILE_SIZE, f->row, (int64_t)f->size);
        else
            set_size(import, f->size);
    }
    if (!import->files || (!import->files->size && !import->files->detected))
        forget_all(&import->model);
}

/* Packets are settled by their snapshots; other formats bring their clock along. */
void orma_file_set_clock(struct orma_file *self, uint32_t clock)
{
    struct orma_reader *r = self->imp->reader;
    struct orma_clock_view *view = orma_reader_view(r, self->machine);

    self->clock = clock;
    if (!view)
        return;
    view->source = clock;
    if (self->ops && clock)
        (void)orma_timeline_claim(&r->timeline, self->row, orma_timeline_key(view, clock));
}

void orma_file_expect_clock(struct orma_file *self, uint32_t clock)
{
    struct orma_reader *r = self->imp->reader;
    struct orma_clock_view *view = orma_reader_view(r, self->machine);

    if (!view)
        return;
    view->source = clock;
    orma_timeline_use(&r->timeline, view);
}

static bool is_packets(enum orma_format format)
{
    return format == ORMA_FORMAT_PROTO || format == ORMA_FORMAT_SYMBOLS;
}

/* Says which member of an archive it is, and what it looks like. */
static void unknown(struct orma_file *self, const uint8_t *data, size_t len)
{
    const struct orma_table *t = orma_model_table(self->imp->model, ORMA_TABLE_TRACE_FILE);
    const char *name =
        orma_strpool_cstr(&self->imp->model->storage->pool,
                          (uint32_t)orma_table_int(t, ORMA_TRACE_FILE_NAME, self->row));
    const char *like = orma_detect_foreign(data, len);

    if (!like)
        like = orma_detect_guess(data, len);
    orma_file_error(self, -EBADMSG, "Unknown trace type provided (ERR:fmt)%s%.100s%s%s",
                    *name ? " in member " : "", name, like ? ": this is " : "", like ? like : "");
}

/* What a manifest says of the file; NULL: nothing. Of some files it must not say anything. */
static const struct orma_manifest_file *what_is_said(struct orma_file *self)
{
    struct orma_import *import = self->import;
    const struct orma_table *t = orma_model_table(&import->model, ORMA_TABLE_TRACE_FILE);
    uint32_t name = (uint32_t)orma_table_int(t, ORMA_TRACE_FILE_NAME, self->row);
    const struct orma_manifest_file *said = orma_manifest_find(import->manifest, name);
    bool manifest = self->format == ORMA_FORMAT_MANIFEST;

    if (said && (manifest || is_container(self->format)) && orma_manifest_overrides(said))
        orma_file_error(self, -EBADMSG,
                        "perfetto_manifest: overrides are not supported for trace files which are "
                        "themselves archives or perfetto_manifest files: %.*s",
                        ORMA_STR_ARG(said->path));
    else if (manifest && import->model.files_read)
        orma_file_error(self, -EBADMSG,
                        "perfetto_manifest file must be the first trace file in the input");
    else if (manifest && import->manifest)
        orma_file_error(self, -EBADMSG, "multiple perfetto_manifest files in archive");
    return said;
}

/* Bytes of other kinds may be taken for it. */
static bool is_lenient(enum orma_format format)
{
    return format == ORMA_FORMAT_PROTO || format == ORMA_FORMAT_JSON ||
           format == ORMA_FORMAT_SYSTRACE;
}

static bool set_up(struct orma_file *self, const uint8_t *data, size_t len)
{
    struct orma_import_ctx *imp = self->imp;
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_TRACE_FILE);
    const char *name = orma_detect_format_names[self->format];

    if (self->format == ORMA_FORMAT_UNKNOWN) {
        unknown(self, data, len);
        return false;
    }
    if (!self->parent)
        self->import->uuid = orma_fnv1a(ORMA_FNV1A_BASIS, data, ORMA_MIN(len, (size_t)UUID_BYTES));
    self->ops = self->import->table->formats[self->format];
    if (self->format == ORMA_FORMAT_ARCHIVE) { /* alone, it does not come here */
        orma_file_error(self, -ENOTSUP,
                        "an exported archive cannot be read together with other traces, or from "
                        "inside an archive: it must be the only input");
        return false;
    }
    if (!self->ops && self->format == ORMA_FORMAT_INSTRUMENTS) {
        orma_file_error(self, -ENOTSUP, "this build cannot read %s: it was built without expat",
                        name);
        return false;
    }
    if (!self->ops && !is_packets(self->format)) {
        const char *like = orma_detect_foreign(data, len);

        orma_file_error(self, -ENOTSUP, "a trace of format %s can't be read%s%s", name,
                        like ? ": this is " : "", like ? like : "");
        return false;
    }
    if (is_lenient(self->format))
        self->like = orma_detect_guess(data, ORMA_MIN(len, (size_t)DETECT_BYTES));
    if (self->ops && self->ops->state_bytes && !(self->state = calloc(1, self->ops->state_bytes))) {
        imp->model->storage->failed = true;
        return false;
    }
    self->account = orma_accounts_get(&self->import->accounts, imp->model, self->row,
                                      self->ops ? self->ops->unit : ORMA_ACCOUNT_PACKET);
    self->units_before = imp->reader->counts.packets - imp->reader->counts.broken;
    self->took_before = imp->reader->counts.took;
    orma_table_set(t, ORMA_TRACE_FILE_TRACE_TYPE, self->row, orma_model_cstr(imp->model, name));
    orma_table_set(t, ORMA_TRACE_FILE_IS_CONTAINER, self->row, is_container(self->format));
    orma_table_set(t, ORMA_TRACE_FILE_PROCESSING_ORDER, self->row, self->import->files_begun++);
    const struct orma_manifest_file *said = what_is_said(self);
    if (is_container(self->format) || orma_file_failed(self))
        return !orma_file_failed(self);
    if (self->format == ORMA_FORMAT_MANIFEST) {
        imp->model->trace_row = self->row;
        name_trace(self->import, name);
        return true;
    }
    self->machine =
        said && said->row != ORMA_MANIFEST_HOST ? said->row : orma_manifest_host(self->import);
    orma_model_begin_trace(imp->model, self->row, self->machine);
    if (imp->model->files_read > 1)
        imp->reader->sorter.read_plain = NULL; /* each item must say which file it is of */
    if (!self->ops || self->ops->idle_zero)
        orma_processes_set_idle(&imp->model->machines[self->machine].processes);
    if (self->ops)
        imp->reader->full_sort = true;
    struct orma_reader_file at = {.row = self->row, .machine = self->machine};
    if (said)
        orma_manifest_describe(said, &at);
    orma_reader_next_file(imp->reader, &at);
    orma_file_set_clock(self, self->ops ? self->ops->clock : ORMA_CLOCK_BOOTTIME);
    if (imp->model->files_read == 1)
        orma_metadata_make_uuid(imp->model, self->import->uuid);
    name_trace(self->import, name);
    return true;
}

/* True when the format is known and can be read. */
static bool detect(struct orma_file *self, const uint8_t *data, size_t len, bool at_end)
{
    int64_t begun = (int64_t)orma_clock_monotonic();

    if (self->detected)
        return !orma_file_failed(self);
    self->format = orma_detect_format(data, len, at_end);
    self->detected = self->format != ORMA_FORMAT_MORE;
    orma_stats_add(&self->imp->model->storage->stats[0], ORMA_STAT_GUESS_TRACE_TYPE_DURATION_NS,
                   (int64_t)orma_clock_monotonic() - begun);
    return self->detected && set_up(self, data, len);
}

/* ---- damage ---- */

/* What lies between damaged lines or values. */
#define DAMAGE_GAP 2

static void tell_damage(struct orma_file *self)
{
    if (self->damage.to > self->damage.from)
        orma_model_damage(self->imp->model, (int64_t)self->damage.from,
                          self->damage.to - self->damage.from, self->damage.why);
    self->damage.from = self->damage.to = 0;
}

void orma_file_damage(struct orma_file *self, const void *at, size_t len, const char *why)
{
    uintptr_t into = (uintptr_t)at - (uintptr_t)self->given.data;
    uint64_t from = self->given.at + (into < self->given.len ? into : 0);

    if (self->damage.to == self->damage.from || from < self->damage.to ||
        from > self->damage.to + DAMAGE_GAP || self->damage.why != why) {
        tell_damage(self);
        self->damage.from = from;
        self->damage.why = why;
    }
    self->damage.to = from + len;
}

/* ---- the account ---- */

/* Where a byte of the file is; -1: not in the file as such. */
static int64_t place_of(const struct orma_file *self, const uint8_t *at)
{
    uintptr_t into = (uintptr_t)at - (uintptr_t)self->given.data;

    if (!at)
        return -1;
    if (self->given.data && into <= self->given.len)
        return (int64_t)(self->given.at + into);
    return self->parent || !self->imp->reader ? -1 : orma_reader_offset(self->imp->reader, at);
}

struct orma_unit_end orma_file_skipped(struct orma_file *self, enum orma_account_reason reason,
                                       const char *kind)
{
    struct orma_model *model = self->imp->model;

    return orma_account_skipped(self->account, model, reason, orma_model_cstr(model, kind), 1,
                                place_of(self, self->unit_at));
}

struct orma_unit_end orma_file_skippedf(struct orma_file *self, enum orma_account_reason reason,
                                        const char *fmt, ...)
{
    char kind[200];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(kind, sizeof(kind), fmt, args);
    va_end(args);
    return orma_file_skipped(self, reason, kind);
}

struct orma_unit_end orma_file_damaged(struct orma_file *self, const char *kind, const void *at,
                                       size_t len, const char *why)
{
    struct orma_model *model = self->imp->model;

    orma_file_damage(self, at, len, why);
    return orma_account_damaged(self->account, model, orma_model_cstr(model, kind), 1,
                                place_of(self, at));
}

static void count_parts(struct orma_file *self, enum orma_account_reason reason, const char *kind,
                        uint64_t num, int64_t place)
{
    struct orma_model *model = self->imp->model;
    struct orma_account *a =
        orma_accounts_get(&self->import->accounts, model, self->row, ORMA_ACCOUNT_PART);

    orma_account_begin(a, num);
    (void)orma_account_skipped(a, model, reason, orma_model_cstr(model, kind), num, place);
}

void orma_file_part(struct orma_file *self, enum orma_account_reason reason, const char *kind,
                    const void *at)
{
    count_parts(self, reason, kind, 1, place_of(self, at));
}

void orma_file_parts(struct orma_file *self, enum orma_account_reason reason, const char *kind,
                     uint64_t num)
{
    count_parts(self, reason, kind, num, -1);
}

void orma_file_truncated(struct orma_file *self, uint64_t bytes)
{
    orma_model_truncated(self->imp->model, bytes);
}

static size_t read_bytes(struct orma_file *self, const uint8_t *data, size_t len, bool at_end)
{
    size_t mark = self->given.at ? 0 : orma_detect_mark(data, len); /* no binary format has one */

    self->given.at += mark;
    self->given.data = data + mark;
    self->given.len = len - mark;
    size_t used = self->ops->read(self, data + mark, len - mark, at_end);

    self->given.at += used;
    self->given.data += used;
    self->given.len -= used;
    return mark + used;
}

/* Packets are counted by the reader: those of this file go to its account. After each piece, for a
 * file that fails has no end. */
static void count_packets(struct orma_file *self)
{
    const struct orma_reader *r = self->imp->reader;

    orma_account_begin(self->account, r->counts.packets - r->counts.broken - self->units_before);
    (void)orma_account_took(self->account, r->counts.took - self->took_before);
    self->units_before = r->counts.packets - r->counts.broken;
    self->took_before = r->counts.took;
}

static void end_packets(struct orma_file *self, struct orma_str rest)
{
    orma_reader_end_file(self->imp->reader, rest);
    count_packets(self);
}

size_t orma_file_map(struct orma_file *self, const uint8_t *data, size_t len, bool at_end)
{
    if (!self->parent)
        self->imp->reader->unpacked.in = ORMA_MAX(self->imp->reader->unpacked.in, self->size);
    if (orma_file_failed(self) || !detect(self, data, len, at_end))
        return 0;
    if (!self->ops) {
        size_t used = orma_reader_map(self->imp->reader, data, len);

        count_packets(self);
        if (at_end && !orma_file_failed(self))
            end_packets(self, (struct orma_str){(const char *)data + used, len - used});
        return used;
    }
    if (self->ops->whole && !at_end)
        return 0;
    return read_bytes(self, data, len, at_end);
}

void orma_file_map_all(struct orma_file *self, const uint8_t *data, size_t len)
{
    self->size = len;
    (void)orma_file_map(self, data, len, true); /* what is left over is truncated */
}

/* Makes room for `len` more bytes without moving what was read. */
static bool pieces_reserve(struct orma_pieces *self, size_t len)
{
    if (len <= self->cap - self->len)
        return true;
    if (len > SIZE_MAX / 4 - self->len)
        return false;
    size_t cap = ORMA_MAX(PIECE_SIZE, (self->len + len) * 2);
    struct orma_piece *p = malloc(sizeof(*p) + cap);
    if (!p)
        return false;
    p->next = self->blocks;
    self->blocks = p;
    if (self->len)
        memcpy(p->data, self->pending, self->len);
    self->pending = p->data;
    self->cap = cap;
    return true;
}

static void feed_pieces(struct orma_file *self, const uint8_t *data, size_t len)
{
    struct orma_pieces *p = &self->pieces;

    while (len && !orma_file_failed(self)) {
        size_t step = ORMA_MIN(len, PIECE_SIZE / 2);

        if (!pieces_reserve(p, step)) {
            self->imp->model->storage->failed = true;
            return;
        }
        memcpy(p->pending + p->len, data, step);
        p->len += step;
        size_t used = read_bytes(self, p->pending, p->len, false);
        p->pending += used;
        p->len -= used;
        p->cap -= used;
        data += step;
        len -= step;
    }
}

static void feed_known(struct orma_file *self, const uint8_t *data, size_t len)
{
    if (!self->ops) {
        (void)orma_reader_feed(self->imp->reader, data, len); /* its failure is sticky */
        count_packets(self);
    } else if (self->ops->whole) {
        orma_buf_put(&self->all, data, len);
        self->imp->model->storage->failed |= self->all.failed;
    } else {
        feed_pieces(self, data, len);
    }
}

bool orma_file_is_bomb(struct orma_file *self, size_t len)
{
    struct orma_import_ctx *imp = self->imp;

    if (!self->parent)
        return false;
    if (orma_unpacked_add(&imp->reader->unpacked, len))
        return false;
    orma_file_error(self, -EFBIG, "packed content " ORMA_UNPACKED_BOMB);
    return true;
}

void orma_file_take(struct orma_file *self, struct orma_buf *from)
{
    uint32_t own = 0; /* it is one of its parts */

    while (own < self->parts_num && (const uint8_t *)self->parts[own].bytes.data != from->data)
        own++;
    uint8_t *shrunk = from->len ? realloc(from->data, from->len) : NULL;

    self->taken = *from;
    *from = (struct orma_buf){0};
    if (shrunk) {
        self->taken.data = shrunk;
        self->taken.cap = self->taken.len;
    }
    if (own < self->parts_num)
        self->parts[own].bytes = orma_buf_str(&self->taken);
    if (self->taken.len && !orma_file_is_bomb(self, self->taken.len))
        orma_file_map_all(self, self->taken.data, self->taken.len);
}

void orma_file_feed(struct orma_file *self, const uint8_t *data, size_t len)
{
    self->size += len;
    if (!self->parent)
        self->imp->reader->unpacked.in = self->size;
    if (orma_file_failed(self) || !len || orma_file_is_bomb(self, len))
        return;
    if (self->detected) {
        feed_known(self, data, len);
        return;
    }
    orma_buf_put(&self->head, data, len);
    self->imp->model->storage->failed |= self->head.failed;
    if (orma_file_failed(self) || self->head.len < DETECT_BYTES)
        return;
    if (detect(self, self->head.data, self->head.len, self->head.len >= ORMA_DETECT_MAX))
        feed_known(self, self->head.data, self->head.len);
    if (self->detected)
        orma_buf_fini(&self->head);
}

/* ---- events ---- */

ORMA_COLD static int grow_events(struct orma_file_events *e)
{
    const int r = ORMA_GROW(&e->list, &e->cap, e->num + (size_t)1);

    if (!r)
        orma_huge_ask(e->list + e->num, (e->cap - e->num) * sizeof(*e->list));
    return r;
}

struct orma_unit_end orma_file_add(struct orma_file *self, int64_t ts, int64_t key,
                                   const uint8_t *data, size_t len)
{
    const struct orma_unit_end waits = {false};
    struct orma_file_events *e = &self->events;

    if (ts < 0) {
        orma_stats_inc(orma_model_stats(self->imp->model, self->imp->model->base),
                       ORMA_STAT_TRACE_SORTER_NEGATIVE_TIMESTAMP_DROPPED);
        return orma_file_skippedf(self, ORMA_ACCOUNT_CLOCK, "%ss with a time before zero",
                                  self->account->unit);
    }
    if (ORMA_UNLIKELY(e->num == e->cap) && grow_events(e)) {
        self->imp->model->storage->failed = true;
        return waits;
    }
    if (e->num && (ts < e->last_ts || (ts == e->last_ts && e->strict))) {
        if (!e->unsorted)
            e->ordered = e->num;
        e->back_to = e->unsorted ? ORMA_MIN(e->back_to, ts) : ts;
        e->unsorted = true;
    } else {
        e->last_ts = ts;
    }
    e->list[e->num] = (struct orma_file_event){ts, key, data, (uint32_t)len, e->num};
    e->num++;
    return waits;
}

static bool next_event(void *data, struct orma_item *ret)
{
    struct orma_file *self = data;
    struct orma_file_events *e = &self->events;

    if (e->at == e->num)
        return false;
    const struct orma_file_event *from = &e->list[e->at];
    *ret = (struct orma_item){
        .ts = from->ts,
        .order = e->order + e->at * ORMA_ORDER_STEP,
        .data = from->data,
        .len = from->len,
        .kind = ORMA_ITEM_OTHER,
        .aux = (uintptr_t)self,
    };
    e->at++;
    return true;
}

bool orma_file_relate(struct orma_file *self, uint32_t clock, int64_t ns, int64_t *ret_ts)
{
    return orma_reader_to_trace_time(self->imp->reader, self->machine, clock, ns, ret_ts, NULL);
}

/* To the clock of the trace, which another file brought along. What can't be related is dropped. */
static void convert_events(struct orma_file *self)
{
    struct orma_file_events *e = &self->events;
    uint32_t kept = 0;
    int64_t ts;

    for (uint32_t i = 0; i < e->num; i++) {
        if (!orma_file_relate(self, self->clock, e->list[i].ts, &ts)) {
            self->unit_at = e->list[i].len ? e->list[i].data : NULL;
            (void)orma_file_skippedf(self, ORMA_ACCOUNT_CLOCK, "%ss", self->account->unit);
            continue;
        }
        e->list[kept] = e->list[i];
        e->list[kept++].ts = ts;
    }
    e->num = kept;
}

void orma_file_finish(struct orma_file *self)
{
    struct orma_import_ctx *imp = self->imp;

    if (self->finished)
        return;
    self->finished = true;
    if (!self->detected && self->head.len) {
        if (detect(self, self->head.data, self->head.len, true))
            feed_known(self, self->head.data, self->head.len);
    }
    if (self->detected && !self->ops && !orma_file_failed(self))
        end_packets(self, (struct orma_str){NULL, 0});
    if (self->ops && !orma_file_failed(self)) {
        if (self->ops->whole && self->all.len)
            (void)read_bytes(self, self->all.data, self->all.len, true);
        else if (!self->ops->whole && self->pieces.blocks)
            (void)read_bytes(self, self->pieces.pending, self->pieces.len, true);
    }
    tell_damage(self);
    imp->reader->file = self->row;
    if (self->events.num && self->clock &&
        !orma_reader_is_trace_clock(imp->reader, self->machine, self->clock))
        convert_events(self);
    if (self->events.num) {
        if (self->events.unsorted)
            orma_file_sort(&self->events);
        self->events.order = imp->reader->order;
        imp->reader->order += self->events.num * ORMA_ORDER_STEP;
        orma_sorter_push_source(&imp->reader->sorter, next_event, self);
    }
}
