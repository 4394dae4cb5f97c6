/*
 * The account of an import: what became of each unit of each file.
 *
 *   unit ─► took                    became rows, or says something about others
 *        ├► skipped(kind, reason)   is counted under that name
 *        └► damaged(kind)           the same, since its bytes mean nothing
 *
 * A unit is what the format counts: a packet, an event, a line. It begins with
 * orma_account_begin() and ends by exactly one of the three calls, each of which gives a struct
 * orma_unit_end; functions that handle a unit return it, so that the compiler finds the way out
 * that says nothing. A unit that waits for its place in time (orma_file_add()) ends when it is
 * parsed. At the end of the import `units = took + counted` is checked, and becomes the table
 * import_account, with a sentence for whatever was not read.
 *
 * Hot paths count runs of units, and take back the few that were not read after all
 * (orma_account_turn()). Kinds are few; looking one up may be slow. Threads: none.
 */
#ifndef ORMA_PROCESSOR_IMPORT_CORE_ACCOUNT_H
#define ORMA_PROCESSOR_IMPORT_CORE_ACCOUNT_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/map.h"
#include "sdk/base/vec.h"

struct orma_model;

/* Why a unit is in no table. */
enum orma_account_reason {
    ORMA_ACCOUNT_DAMAGED,   /* its bytes mean nothing */
    ORMA_ACCOUNT_NOT_READ,  /* of a kind that no importer reads */
    ORMA_ACCOUNT_NOT_ASKED, /* outside of what was asked for; no sentence says it */
    ORMA_ACCOUNT_CLOCK, /* its time is none, or of a clock that nothing relates to the trace's */
    ORMA_ACCOUNT_LOST_STATE, /* what it refers to is not in the trace */
    ORMA_ACCOUNT_NO_BEGIN,   /* it ends what the trace does not begin */
    ORMA_ACCOUNT_UNKNOWN,    /* the format has no such field, or the field no such bytes */
    ORMA_ACCOUNT_MERGED,     /* it is in the sums of others, which stand for it */
    ORMA_ACCOUNT_MISSING,    /* the file itself says that it should be there */
    ORMA_ACCOUNT_NO_WORD,    /* its importer did not say: a bug, which tests look for */
    ORMA_ACCOUNT_REASONS_NUM,
};

/* As in the table. */
extern const char *const orma_account_reason_names[ORMA_ACCOUNT_REASONS_NUM];

/* The unit of archives, whose members have accounts of their own. */
#define ORMA_ACCOUNT_MEMBER "member"

/* What a unit that was read lacks: a frame of a stack, a name. */
#define ORMA_ACCOUNT_PART "part"

/* Those of packets: a packet, and an event in one. */
#define ORMA_ACCOUNT_PACKET "packet"
#define ORMA_ACCOUNT_KERNEL_EVENT "kernel event"

/* Units of one kind that were not read for one reason. */
struct orma_account_kind {
    uint32_t name; /* pool id: "events of phase D" */
    enum orma_account_reason reason;
    bool told; /* in another sentence: as a damaged place */
    uint64_t count;
    int64_t first; /* byte of the file at which the first one lies; -1: not in the file as such */
};

struct orma_account {
    struct orma_account *next, *before; /* before: of the same file */
    uint32_t file;                      /* row in trace_file */
    const char *unit;                   /* "line"; a literal */
    uint64_t units, took;
    uint64_t aside; /* of those that were taken: they hold nothing */
    bool of_use;    /* units that are not read still name threads: the file is a trace */
    ORMA_VEC(struct orma_account_kind) kinds;
};

/* All of an import, in the order in which they were made. */
struct orma_accounts {
    struct orma_account *first, *last;
    struct orma_map by_file;   /* file → the last one of it: an archive may have 65,536 */
    struct orma_account scrap; /* stands in when memory is out */
};

/* How a unit ended; made by the calls below only. */
struct orma_unit_end {
    bool took;
};

/* The account of a file and unit; made when it is first asked for. */
struct orma_account *orma_accounts_get(struct orma_accounts *self, struct orma_model *model,
                                       uint32_t file, const char *unit);
void orma_accounts_fini(struct orma_accounts *self);

static inline void orma_account_begin(struct orma_account *self, uint64_t units)
{
    self->units += units;
}

static inline struct orma_unit_end orma_account_took(struct orma_account *self, uint64_t units)
{
    self->took += units;
    return (struct orma_unit_end){true};
}

/* `kind`: pool id of a noun in the plural, "events of phase D". `at`: byte of the file, or -1. */
struct orma_unit_end orma_account_skipped(struct orma_account *self, struct orma_model *model,
                                          enum orma_account_reason reason, uint32_t kind,
                                          uint64_t units, int64_t at);

/* Damaged ones that orma_model_damage() tells, with their bytes. */
struct orma_unit_end orma_account_damaged(struct orma_account *self, struct orma_model *model,
                                          uint32_t kind, uint64_t units, int64_t at);

/* Units that were counted as taken were not read after all. */
static inline void orma_account_turn(struct orma_account *self, struct orma_model *model,
                                     enum orma_account_reason reason, uint32_t kind, uint64_t units,
                                     int64_t at)
{
    self->took -= units;
    (void)orma_account_skipped(self, model, reason, kind, units, at);
}

/* Something in a packet that was taken is of a clock that nothing relates to the trace's, and has
 * no row. `kind`: a noun in the plural. */
void orma_account_untimed(struct orma_accounts *self, struct orma_model *model, uint32_t file,
                          const char *kind);

/* An end of a slice that nothing began, in a packet or event that was taken. */
void orma_account_end_alone(struct orma_accounts *self, struct orma_model *model, uint32_t file);

/* Fields that are in no table, of packets that were taken: their number in the message of this full
 * name. `at`: where the first of these packets lies, or -1. */
void orma_account_strays(struct orma_accounts *self, struct orma_model *model, uint32_t file,
                         const char *msg, uint32_t number, uint64_t count, int64_t at);

/* What was counted, without those that were taken. */
uint64_t orma_account_counted(const struct orma_account *self);

/* The end of the import: the table, with its sentences. */
void orma_accounts_write(struct orma_accounts *self, struct orma_model *model);

/* True if there were units, damage or a cut end, and no unit of any file was taken. */
bool orma_accounts_nothing(const struct orma_accounts *self, const struct orma_model *model);

/* The first sentence of the table; NULL: there is none. After orma_accounts_write(). */
const char *orma_accounts_sentence(const struct orma_model *model);
#endif
