/*
 * The accounts are a list, of which the last one is mostly the one that is asked for. What is
 * written of each: a row of what was taken, and a row a kind. Sentences are made here and nowhere
 * else: all commands, clients and servers show the column `message`.
 */
#include "processor/import/core/account.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "processor/model/model.h"
#include "protos/loss.h"
#include "sdk/base/assert.h"
#include "sdk/base/buf.h"

/* Kinds of one account that are told apart; what comes later goes to the last one. */
#define KINDS_MAX 200

/* Fields that nobody knows are told apart up to so many. */
#define STRAY_KINDS_MAX 32

const char *const orma_account_reason_names[ORMA_ACCOUNT_REASONS_NUM] = {
    [ORMA_ACCOUNT_DAMAGED] = "damaged",       [ORMA_ACCOUNT_NOT_READ] = "not read",
    [ORMA_ACCOUNT_NOT_ASKED] = "not asked",   [ORMA_ACCOUNT_CLOCK] = "clock",
    [ORMA_ACCOUNT_LOST_STATE] = "lost state", [ORMA_ACCOUNT_NO_BEGIN] = "no begin",
    [ORMA_ACCOUNT_MISSING] = "missing",       [ORMA_ACCOUNT_UNKNOWN] = "unknown",
    [ORMA_ACCOUNT_NO_WORD] = "no word",       [ORMA_ACCOUNT_MERGED] = "merged",
};

struct orma_account *orma_accounts_get(struct orma_accounts *self, struct orma_model *model,
                                       uint32_t file, const char *unit)
{
    struct orma_account *a = self->last;

    if (a && a->file == file && (a->unit == unit || !strcmp(a->unit, unit)))
        return a;
    struct orma_account *others = orma_map_get_ptr(&self->by_file, file);
    for (a = others; a; a = a->before)
        if (!strcmp(a->unit, unit))
            return a;
    a = calloc(1, sizeof(*a));
    if (!a || orma_map_put_ptr(&self->by_file, file, a) < 0) {
        free(a);
        model->storage->failed = true;
        return &self->scrap;
    }
    a->file = file;
    a->unit = unit;
    a->before = others;
    if (self->last)
        self->last->next = a;
    else
        self->first = a;
    self->last = a;
    return a;
}

void orma_accounts_fini(struct orma_accounts *self)
{
    for (struct orma_account *a = self->first, *next; a; a = next) {
        next = a->next;
        ORMA_VEC_FINI(&a->kinds);
        free(a);
    }
    ORMA_VEC_FINI(&self->scrap.kinds);
    orma_map_fini(&self->by_file);
    self->first = self->last = NULL;
}

static struct orma_account_kind *find_kind(struct orma_account *self, struct orma_model *model,
                                           enum orma_account_reason reason, uint32_t name,
                                           int64_t at)
{
    struct orma_account_kind *k;

    for (uint32_t i = self->kinds.len; i-- > 0;) {
        k = &self->kinds.data[i];
        if (k->name == name && k->reason == reason)
            return k;
    }
    if (self->kinds.len >= KINDS_MAX) {
        name = orma_model_cstr(model, "of further kinds");
        k = &self->kinds.data[self->kinds.len - 1];
        if (k->name == name)
            return k;
    }
    k = ORMA_VEC_ADD(&self->kinds);
    if (k)
        *k = (struct orma_account_kind){.name = name, .reason = reason, .first = at};
    else
        model->storage->failed = true;
    return k;
}

struct orma_unit_end orma_account_skipped(struct orma_account *self, struct orma_model *model,
                                          enum orma_account_reason reason, uint32_t kind,
                                          uint64_t units, int64_t at)
{
    struct orma_account_kind *k = units ? find_kind(self, model, reason, kind, at) : NULL;

    if (k)
        k->count += units;
    return (struct orma_unit_end){false};
}

struct orma_unit_end orma_account_damaged(struct orma_account *self, struct orma_model *model,
                                          uint32_t kind, uint64_t units, int64_t at)
{
    struct orma_account_kind *k =
        units ? find_kind(self, model, ORMA_ACCOUNT_DAMAGED, kind, at) : NULL;

    if (k) {
        k->count += units;
        k->told = true;
    }
    return (struct orma_unit_end){false};
}

void orma_account_end_alone(struct orma_accounts *self, struct orma_model *model, uint32_t file)
{
    struct orma_account *a = orma_accounts_get(self, model, file, "end of a slice");

    orma_account_begin(a, 1);
    (void)orma_account_skipped(a, model, ORMA_ACCOUNT_NO_BEGIN,
                               orma_model_cstr(model, "ends of slices"), 1, -1);
}

void orma_account_untimed(struct orma_accounts *self, struct orma_model *model, uint32_t file,
                          const char *kind)
{
    struct orma_account *a = orma_accounts_get(self, model, file, ORMA_ACCOUNT_PART);

    orma_account_begin(a, 1);
    (void)orma_account_skipped(a, model, ORMA_ACCOUNT_CLOCK, orma_model_cstr(model, kind), 1, -1);
}

void orma_account_strays(struct orma_accounts *self, struct orma_model *model, uint32_t file,
                         const char *msg, uint32_t number, uint64_t count, int64_t at)
{
    struct orma_account *a = orma_accounts_get(self, model, file, "field");
    struct orma_strpool *pool = &model->storage->pool;
    const struct orma_str ours = ORMA_STR("perfetto.protos.");
    char text[160];

    if (orma_str_starts(orma_str_from(msg), ours))
        msg += ours.len;
    (void)snprintf(text, sizeof(text), "fields numbered %u in %.100s", (unsigned)number, msg);
    uint32_t kind = orma_strpool_find(pool, orma_str_from(text));
    if (!kind) /* not for each number that a hostile file makes up */
        kind = orma_model_cstr(model, a->kinds.len < STRAY_KINDS_MAX ? text : "other fields");

    orma_account_begin(a, count);
    (void)orma_account_skipped(a, model, ORMA_ACCOUNT_UNKNOWN, kind, count, at);
}

uint64_t orma_account_counted(const struct orma_account *self)
{
    uint64_t counted = 0;

    for (uint32_t i = 0; i < self->kinds.len; i++)
        counted += self->kinds.data[i].count;
    return counted;
}

bool orma_accounts_nothing(const struct orma_accounts *self, const struct orma_model *model)
{
    uint64_t units = 0, took = 0;

    for (const struct orma_account *a = self->first; a; a = a->next) {
        if (!strcmp(a->unit, ORMA_ACCOUNT_MEMBER))
            continue;
        units += a->units;
        took += a->took - a->aside + a->of_use;
    }
    return (units || model->damage.places || model->damage.truncated) && !took;
}

/* ---- sentences ---- */

/* Why, and what can be done about it; of one and of several. */
static const char *const words[ORMA_ACCOUNT_REASONS_NUM][2] = {
    [ORMA_ACCOUNT_DAMAGED] = {"could not be read: it is malformed",
                              "could not be read: they are malformed"},
    [ORMA_ACCOUNT_NOT_READ] = {"is of a kind that is not read", "are of a kind that is not read"},
    [ORMA_ACCOUNT_NOT_ASKED] = {"is outside the requested range",
                                "are outside the requested range"},
    [ORMA_ACCOUNT_CLOCK] = {"was dropped: its clock cannot be aligned with the trace's",
                            "were dropped: their clocks cannot be aligned with the trace's"},
    [ORMA_ACCOUNT_LOST_STATE] = {"was dropped: the data it refers to is not in the trace; for a "
                                 "ring buffer, use a larger one",
                                 "were dropped: the data they refer to is not in the trace; for a "
                                 "ring buffer, use a larger one"},
    [ORMA_ACCOUNT_NO_BEGIN] = {"was dropped: the trace has no matching begin",
                               "were dropped: the trace has no matching begins"},
    [ORMA_ACCOUNT_UNKNOWN] = {"was skipped: newer than this version of Orma, or damaged",
                              "were skipped: newer than this version of Orma, or damaged"},
    [ORMA_ACCOUNT_MERGED] = {"is merged with others", "are merged with others"},
    [ORMA_ACCOUNT_MISSING] = {"is missing: it was never written, or was removed",
                              "are missing: they were never written, or were removed"},
    [ORMA_ACCOUNT_NO_WORD] = {"was neither read nor counted: please report this",
                              "were neither read nor counted: please report this"},
};

/* Kinds are nouns in the plural, perhaps with a word in front: of one, the first word that ends
 * with an s loses it. */
static void put_kind(struct orma_buf *out, struct orma_str kind, bool one)
{
    for (size_t i = 0; one && i < kind.len; i++) {
        if (kind.data[i] != 's' || (i + 1 < kind.len && kind.data[i + 1] != ' '))
            continue;
        const bool ies = i > 2 && !memcmp(kind.data + i - 2, "ies", 3);

        orma_buf_put(out, kind.data, ies ? i - 2 : i);
        orma_buf_put(out, "y", ies);
        kind = (struct orma_str){kind.data + i + 1, kind.len - i - 1};
        break;
    }
    orma_buf_put(out, kind.data, kind.len);
}

static void put_name(struct orma_buf *out, const struct orma_model *model, uint32_t file)
{
    const struct orma_table *t =
        orma_model_table((struct orma_model *)(uintptr_t)model, ORMA_TABLE_TRACE_FILE);
    uint32_t name = (uint32_t)orma_table_int(t, ORMA_TRACE_FILE_NAME, file);

    if (name)
        orma_buf_printf(out, "%.200s: ", orma_strpool_cstr(&model->storage->pool, name));
}

/* "t.json: 5 events of phase D are of a kind that is not read; the first is at byte 9" */
static void put_sentence(struct orma_buf *out, const struct orma_model *model, uint32_t file,
                         const struct orma_account_kind *k)
{
    put_name(out, model, file);
    orma_buf_printf(out, "%" PRIu64 " ", k->count);
    put_kind(out, orma_strpool_get(&model->storage->pool, k->name), k->count == 1);
    orma_buf_printf(out, " %s", words[k->reason][k->count != 1]);
    if (k->first >= 0)
        orma_buf_printf(out, "; %s at byte %" PRId64, k->count == 1 ? "it is" : "the first is",
                        k->first);
}

static void put_damage(struct orma_buf *out, const struct orma_model *model)
{
    uint64_t places = model->damage.places, bytes = model->damage.bytes;

    orma_buf_printf(out, "%" PRIu64 " damaged place%s skipped, %" PRIu64 " byte%s in all", places,
                    places == 1 ? " was" : "s were", bytes, bytes == 1 ? "" : "s");
    if (model->damage.first >= 0)
        orma_buf_printf(out, ", the first at byte %" PRId64, model->damage.first);
    orma_buf_printf(out, "; the rest was read");
}

static void put_truncated(struct orma_buf *out, const struct orma_model *model)
{
    uint64_t bytes = model->damage.truncated;

    orma_buf_printf(out,
                    "truncated: the last %" PRIu64 " byte%s could not be read, or more is missing",
                    bytes, bytes == 1 ? "" : "s");
}

/* ---- rows ---- */

static uint32_t add_row(struct orma_model *model, uint32_t file, const char *unit,
                        const char *reason, uint64_t count)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_IMPORT_ACCOUNT);
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_IMPORT_ACCOUNT_TRACE_ID, row, file);
    orma_table_set(t, ORMA_IMPORT_ACCOUNT_UNIT, row, orma_model_cstr(model, unit));
    orma_table_set(t, ORMA_IMPORT_ACCOUNT_REASON, row, orma_model_cstr(model, reason));
    orma_table_set(t, ORMA_IMPORT_ACCOUNT_COUNT, row, (int64_t)count);
    return row;
}

static void set_message(struct orma_model *model, uint32_t row, struct orma_buf *text)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_IMPORT_ACCOUNT);

    orma_table_set(t, ORMA_IMPORT_ACCOUNT_MESSAGE, row,
                   orma_model_cstr(model, orma_buf_cstr(text)));
    model->storage->failed |= text->failed;
    orma_buf_clear(text);
}

static void write_kinds(struct orma_account *a, struct orma_model *model, struct orma_buf *text)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_IMPORT_ACCOUNT);

    for (uint32_t i = 0; i < a->kinds.len; i++) {
        const struct orma_account_kind *k = &a->kinds.data[i];
        uint32_t row =
            add_row(model, a->file, a->unit, orma_account_reason_names[k->reason], k->count);

        orma_table_set(t, ORMA_IMPORT_ACCOUNT_UNITS, row, (int64_t)a->units);
        orma_table_set(t, ORMA_IMPORT_ACCOUNT_KIND, row, k->name);
        if (k->first >= 0)
            orma_table_set(t, ORMA_IMPORT_ACCOUNT_FIRST_OFFSET, row, k->first);
        if (k->told || k->reason == ORMA_ACCOUNT_NOT_ASKED)
            continue;
        put_sentence(text, model, a->file, k);
        set_message(model, row, text);
    }
}

static void write_account(struct orma_account *a, struct orma_model *model, struct orma_buf *text)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_IMPORT_ACCOUNT);
    uint64_t ended = a->took + orma_account_counted(a);

    ORMA_ASSERT_HOT(ended == a->units || model->storage->failed);
    if (ended != a->units) /* whichever is more: it is shown, and no test lets it pass */
        (void)orma_account_skipped(a, model, ORMA_ACCOUNT_NO_WORD, orma_model_cstr(model, a->unit),
                                   ended < a->units ? a->units - ended : ended - a->units, -1);
    uint32_t row = add_row(model, a->file, a->unit, "read", a->took);

    orma_table_set(t, ORMA_IMPORT_ACCOUNT_UNITS, row, (int64_t)a->units);
    write_kinds(a, model, text);
}

/* ---- statistics ---- */

/* Each of them stands for units that have rows, for a damaged place, or loses nothing; those of
 * switches are told where they matter, with the state of threads. */
static const uint16_t told_stats[] = {
    ORMA_STAT_CLOCK_SYNC_FAILURE,
    ORMA_STAT_CLOCK_SYNC_FAILURE_NO_PATH,
    ORMA_STAT_CLOCK_SYNC_FAILURE_UNDEFERRABLE_PACKET_LOSS,
    ORMA_STAT_CLOCK_SYNC_FAILURE_UNKNOWN_SOURCE_CLOCK,
    ORMA_STAT_CLOCK_SYNC_FAILURE_UNKNOWN_TARGET_CLOCK,
    ORMA_STAT_CLOCK_SYNC_UNRELATABLE_CLOCK_DOMAINS,
    ORMA_STAT_DAMAGED_BYTES,
    ORMA_STAT_DAMAGED_PLACES,
    ORMA_STAT_FTRACE_BUNDLE_TOKENIZER_ERRORS,
    ORMA_STAT_FUCHSIA_INVALID_EVENT,
    ORMA_STAT_FUCHSIA_RECORD_READ_ERROR,
    ORMA_STAT_INSTRUMENTS_ROW_MISSING_BACKTRACE,
    ORMA_STAT_INSTRUMENTS_ROW_MISSING_THREAD,
    ORMA_STAT_MISMATCHED_SCHED_SWITCH_TIDS,
    ORMA_STAT_SLICE_SPILL_OVERLAPPING_COMPLETE_EVENT,
    ORMA_STAT_SYSTRACE_PARSE_FAILURE,
};

/* Of no weight by their names, or found by who recorded as it seems; but what they count has no
 * row. */
static const uint16_t rowless_stats[] = {
    ORMA_STAT_ANDROID_INPUT_EVENT_PARSE_ERRORS,
    ORMA_STAT_FLOW_DUPLICATE_ID,
    ORMA_STAT_FLOW_END_WITHOUT_START,
    ORMA_STAT_FLOW_INVALID_ID,
    ORMA_STAT_FLOW_NO_ENCLOSING_SLICE,
    ORMA_STAT_FLOW_STEP_WITHOUT_START,
    ORMA_STAT_FLOW_WITHOUT_DIRECTION,
    ORMA_STAT_FRAME_TIMELINE_EVENT_PARSER_ERRORS,
    ORMA_STAT_GRAPHICS_FRAME_EVENT_PARSER_ERRORS,
    ORMA_STAT_INTERNED_DATA_TOKENIZER_ERRORS,
    ORMA_STAT_NETWORK_TRACE_INTERN_ERRORS,
    ORMA_STAT_NETWORK_TRACE_PARSE_ERRORS,
    ORMA_STAT_TRACK_EVENT_PARSER_ERRORS,
    ORMA_STAT_TRACK_EVENT_TOKENIZER_ERRORS,
    ORMA_STAT_WINSCOPE_PROTOLOG_MESSAGE_DECODING_FAILED,
};

static bool is_among(const uint16_t *stats, size_t num, uint16_t stat)
{
    for (size_t i = 0; i < num; i++)
        if (stats[i] == stat)
            return true;
    return false;
}

/* What the import found wrong, and no unit says. */
static bool is_trouble(uint16_t stat)
{
    const struct orma_stat_def *def = &orma_stat_defs[stat];

    if (is_among(told_stats, ORMA_ARRAY_LEN(told_stats), stat))
        return false;
    if (is_among(rowless_stats, ORMA_ARRAY_LEN(rowless_stats), stat))
        return true;
    return def->source == ORMA_SOURCE_ANALYSIS && def->kind != ORMA_STAT_INDEXED &&
           (def->severity == ORMA_SEVERITY_ERROR || def->severity == ORMA_SEVERITY_DATA_LOSS);
}

/* Of one file. */
static void write_stats(struct orma_model *model, const struct orma_trace_stats *trace,
                        struct orma_buf *text)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_IMPORT_ACCOUNT);

    for (uint16_t stat = 0; stat < ORMA_STATS_NUM; stat++) {
        const char *name = orma_stat_defs[stat].name;
        int64_t sum = 0;

        for (unsigned m = 0; m < model->machines_num; m++)
            sum = orma_stats_sum(sum, trace->by_machine[m].single[stat]);
        if (sum <= 0 || !is_trouble(stat))
            continue;
        uint32_t row = add_row(model, trace->trace, "statistic", "error", (uint64_t)sum);

        orma_table_set(t, ORMA_IMPORT_ACCOUNT_KIND, row, orma_model_cstr(model, name));
        if (trace->trace)
            put_name(text, model, trace->trace);
        orma_loss_put_stat(text, name, NULL, sum);
        set_message(model, row, text);
    }
}

void orma_accounts_write(struct orma_accounts *self, struct orma_model *model)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};

    for (struct orma_account *a = self->first; a; a = a->next)
        write_account(a, model, &text);
    if (model->damage.places) {
        put_damage(&text, model);
        set_message(model, add_row(model, 0, "place", "damaged", model->damage.places), &text);
    }
    if (model->damage.truncated) {
        put_truncated(&text, model);
        set_message(model, add_row(model, 0, "end", "truncated", 1), &text);
    }
    for (unsigned i = 0; i < model->storage->traces_num; i++)
        write_stats(model, model->storage->traces[i], &text);
}

const char *orma_accounts_sentence(const struct orma_model *model)
{
    const struct orma_table *t =
        orma_model_table((struct orma_model *)(uintptr_t)model, ORMA_TABLE_IMPORT_ACCOUNT);

    for (uint32_t row = 0; row < t->rows; row++) {
        if (!orma_table_is_null(t, ORMA_IMPORT_ACCOUNT_MESSAGE, row))
            return orma_strpool_cstr(&model->storage->pool,
                                     (uint32_t)orma_table_int(t, ORMA_IMPORT_ACCOUNT_MESSAGE, row));
    }
    return NULL;
}
