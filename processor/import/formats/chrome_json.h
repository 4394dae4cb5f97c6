/* Events of Chrome's JSON format: read from their text, see docs/formats.md. */
#ifndef ORMA_PROCESSOR_IMPORT_FORMATS_CHROME_JSON_H
#define ORMA_PROCESSOR_IMPORT_FORMATS_CHROME_JSON_H
#include "processor/import/core/file.h"
#include "processor/import/core/places.h"
#include "protos/reflect/json_reader.h"
#include "sdk/base/arena.h"

#define ORMA_JSON_EVENT_TIMES 4
#define ORMA_JSON_EVENT_VALUES 16
#define ORMA_JSON_EVENT_PHASES 16

/* What stood between two values before, from the comma or brace to where the second one begins, or
 * behind its quote. Zero-initialised: there is no guess. */
struct orma_json_guess {
    char bytes[16];
    uint32_t others; /* bit i: byte i is none of it */
    uint16_t before; /* bytes before the value, which begins with the quote if there is one */
    uint8_t place;   /* in `values` */
    uint8_t kind;    /* of the value */
};

/* What is known of an object before it is read (chrome_json_ahead.c). */
struct orma_json_hint {
    const char *begin, *end;
    bool sound; /* orma_json_event_args_are_sound() */
};

/* The members of an event that mean something. Zeroed before the first use; reading another event
 * clears what the last one had, and only that. */
struct orma_json_event {
    char phase;       /* 0: none */
    uint32_t present; /* bit i: values[i] may be something */
    uint32_t times;   /* bit i: ns[i] is values[i] in ns */
    unsigned members; /* how many there are in all */
    union {
        struct orma_json_value values[ORMA_JSON_EVENT_VALUES];
        struct {
            struct orma_json_value ts, dur, tts, tdur; /* the times come first */
            struct orma_json_value pid, tid, id, id2, bind_id, name, cat, scope, bp, args, flow_in,
                flow_out;
        };
    };
    int64_t ns[ORMA_JSON_EVENT_TIMES];
    uint32_t name_id, cat_id; /* of orma_json_event_intern(), or of the event before */
    const struct orma_json_hint *hints,
        *hints_end;  /* of objects behind it, in order; may be NULL */
    bool no_hints;   /* they were too few to be worth it */
    bool long_args;  /* those of the event before were such as are left (quick_args() of
                        chrome_json_read.c) */
    uint8_t unsound; /* so many more objects are not looked at as such */
    /* by low bits of the phase, as far as it is known, and what the member before is */
    struct orma_json_guess guesses[ORMA_JSON_EVENT_PHASES][ORMA_JSON_EVENT_VALUES + 3];
};

#define ORMA_JSON_TIMES_MASK ((1u << ORMA_JSON_EVENT_TIMES) - 1)

/* The place of a member in `values`. */
#define ORMA_JSON_PLACE(member)                                                                    \
    ((offsetof(struct orma_json_event, member) - offsetof(struct orma_json_event, values)) /       \
     sizeof(struct orma_json_value))

/* Values of these places become none. */
static inline void orma_json_event_clear(struct orma_json_event *e, uint32_t places)
{
    for (uint32_t left = places; left; left &= left - 1)
        e->values[__builtin_ctz(left)] = (struct orma_json_value){0};
}

/* False: no object, or malformed. */
bool orma_json_event_read(struct orma_str text, struct orma_json_event *ret);

/* Events are read in large steps where so many bytes behind them may be read, too. */
#define ORMA_JSON_EVENT_AHEAD 64

/* The event that begins at `pos`, wherever it ends. Returns that place; NULL: it is no whole object
 * up to `end`, or malformed. */
const char *orma_json_event_take(const char *pos, const char *end, struct orma_json_event *ret);

/* The same without the shortcut for events of the usual form, which gives nothing else. */
const char *orma_json_event_take_slow(const char *pos, const char *end,
                                      struct orma_json_event *ret);

/* ---- chrome_json_ahead.c ---- */

struct orma_crew;

/*
 * Reads [pos, end), all of it or up to where `read` stops, with hints in `event` that the crew
 * makes. `read` reads what begins before `to`, and gives the place behind it. Returns the last one;
 * `pos` if the crew can be of no use.
 */
const char *orma_json_event_read_ahead(
    struct orma_crew *crew, struct orma_json_event *event, const char *pos, const char *end,
    const char *(*read)(void *data, const char *pos, const char *to), void *data);

/* ---- chrome_json_event.c ---- */

/* Sets name_id and cat_id, pool ids; 0: none, or empty. */
void orma_json_event_intern(struct orma_import_ctx *imp, struct orma_json_event *event,
                            struct orma_buf *scratch);

/* ---- chrome_json_record.c ---- */

/* A sample of V8's profiler. */
struct orma_json_sample {
    uint32_t pid, tid, callsite;
};

/*
 * What was read of events, until their time comes: texts are read once. An item of the file of
 * length 0 is such a record; those of bytes have a length, so nothing in a file can look like one.
 * Zero-initialised is empty.
 */
struct orma_json_records {
    struct orma_json_block **blocks; /* by index; NULL: all its records were taken */
    uint32_t num, cap;
    char *pos, *end; /* of the last block */
};

enum orma_json_record_kind { ORMA_JSON_RECORD_EVENT, ORMA_JSON_RECORD_SAMPLE };

/* Of an event with ids; what they are of is not kept, nor the time `ts`. `text`: where the event
 * begins; it stays. NULL: it does not fit, and must be read again, or memory is out. */
const void *orma_json_record_event(struct orma_json_records *self, const struct orma_json_event *e,
                                   const char *text);
/* NULL: memory is out. */
const void *orma_json_record_sample(struct orma_json_records *self,
                                    const struct orma_json_sample *sample);

/* Sets one of the two. Short texts lie in the record. */
enum orma_json_record_kind orma_json_record_get(const void *record, struct orma_json_event *ret,
                                                struct orma_json_sample *ret_sample);

/* It is not needed any more. */
void orma_json_records_taken(struct orma_json_records *self, const void *record);
void orma_json_records_fini(struct orma_json_records *self);

/* ---- times and ids ---- */

/* Microseconds, as a number or as the text of one, to ns. False: it is none. */
bool orma_json_time(const struct orma_json_value *value, int64_t *ret_ns);

/* The duration of a slice that begins at `ts_ns`: its end is rounded, so that slices that end
 * together do so here. Only for times with more decimals than ns have. */
bool orma_json_event_rounded(const struct orma_json_event *event, int64_t ts_ns, int64_t *ret_ns);

/* The same of one of the event's times. */
static inline bool orma_json_event_time(const struct orma_json_event *event,
                                        const struct orma_json_value *value, int64_t *ret_ns)
{
    const size_t place = (size_t)(value - event->values);

    if (ORMA_LIKELY(event->times >> place & 1)) {
        *ret_ns = event->ns[place];
        return true;
    }
    return value->type && orma_json_time(value, ret_ns);
}

/* An id as a number, or as the text of a hexadecimal one. False: it is neither. */
bool orma_json_event_id(const struct orma_json_value *value, uint64_t *ret);

/* How a pid or tid was written. */
struct orma_json_id {
    uint32_t number; /* 0: none */
    uint32_t
        name; /* pool id of the text that stands for it, 0: it is a number like those of systems */
    bool digits; /* the text is a number, which names only what has no other name */
};

/*
 * A pid or tid: a text, or a number that no system gives (of 64 bits, or negative), stands for a
 * number of its own, far from those of systems. The same text and number are the same.
 */
struct orma_json_id orma_json_event_number(struct orma_import_ctx *imp,
                                           const struct orma_json_value *value,
                                           struct orma_buf *scratch);

/* Whether that is a number as systems give them, or nothing at all: what most are. */
static inline bool orma_json_event_is_plain(const struct orma_json_value *value)
{
    return value->type == ORMA_JSON_INT ? (uint64_t)value->integer <= UINT32_MAX : !value->type;
}

/* Whether events of the phase, which is none of V8's profiler, are read. */
static inline bool orma_json_event_is_read(char phase)
{
#define BIT(c) (UINT64_C(1) << ((c) - '@'))
    const uint64_t read = BIT('B') | BIT('E') | BIT('X') | BIT('i') | BIT('I') | BIT('R') |
                          BIT('b') | BIT('e') | BIT('n') | BIT('s') | BIT('t') | BIT('f') |
                          BIT('C') | BIT('T') | BIT('M');
#undef BIT

    const unsigned bit = (unsigned char)phase - (unsigned)'@';

    return bit < 64 && read >> bit & 1; /* any byte may stand in a file */
}

/* Leaves an event that could not be read, or not all of it; `stat` counts it. `error`: a pool id.
 */
void orma_json_event_log(struct orma_file *file, enum orma_stat stat, struct orma_str text,
                         uint32_t error);

#define ORMA_JSON_KEYS 64

/* For args of one object after another. Zero-initialised is empty. */
struct orma_json_paths {
    struct orma_buf key, flat; /* the path so far: with the indexes of arrays, and without */
    bool odd;                  /* a name has brackets of its own, so `flat` means nothing */
    bool dropped;              /* of the last args: not all could be read */
    struct orma_json_key {
        const char *text; /* of the pool */
        uint32_t len, key, flat;
    } keys[ORMA_JSON_KEYS]; /* of the last args, by number: mostly the next ones have the same */
    unsigned num;
};

void orma_json_event_paths_fini(struct orma_json_paths *self);

/* Adds a value and all below it as args. `begin`: what their keys begin with. */
void orma_json_args(struct orma_import_ctx *imp, struct orma_json_paths *paths,
                    struct orma_str begin, const struct orma_json_value *v,
                    struct orma_args_list *ret);

/* ---- chrome_json_places.c ---- */

/* Args that are left where they are. Zero-initialised is empty. */
struct orma_json_left {
    struct orma_import_ctx *imp;      /* NULL: it decodes none */
    struct orma_import_shorts shorts; /* of those that came */
    struct orma_json_paths paths;     /* of those that are decoded */
    const uint8_t *behind;            /* where decoding let go of the file */
};

/* Behind the object at `pos`, if it can be read to its end, and gives at least one arg; else NULL.
 * Any thread may ask. Of args of an event that are known to be so, `boolean` is set. */
const char *orma_json_event_args_end(const char *pos, const char *end);

/* The same, where that is `end`. */
bool orma_json_event_args_are_sound(const char *pos, const char *end);

/* Adds a place instead of the args of an event, if nothing but args can come of them. */
bool orma_json_event_leave_args(struct orma_import_ctx *imp, struct orma_json_left *self,
                                const struct orma_json_value *args, struct orma_args_list *ret);
void orma_json_event_left_fini(struct orma_json_left *self);

#define ORMA_JSON_COUNTERS 256

/* What is used again for each event. Zero-initialised is empty. */
struct orma_json_scratch {
    struct orma_json_event event;
    struct orma_json_counter {
        uint32_t name, shown; /* of events, and with a key behind it; 0: there is none */
        size_t key_len;
    } counters[ORMA_JSON_COUNTERS];
    struct orma_json_paths paths;
    struct orma_json_left left;
    struct orma_buf text, name;
    struct orma_map spilled; /* by track of a thread: its last slice on another one */
    struct {
        bool *flows; /* by number of a flow: it had an end, so its number may be used again */
        uint32_t cap;
    } ended;
    struct orma_map noted; /* processes and threads of 64-bit ids, which are told of them */
};

void orma_json_event_scratch_fini(struct orma_json_scratch *self);

/* What was read into scratch->event, in its place in time. */
struct orma_unit_end orma_json_event_parse(struct orma_file *file, int64_t ts,
                                           struct orma_json_scratch *scratch);

/* ---- chrome_json_profile.c ---- */

/* What is known of V8's profiles in the file. */
struct orma_json_profiles {
    struct orma_map times;    /* by profile: ns of its last sample */
    struct orma_map mappings; /* by profile: the row in which its frames lie */
    struct orma_map nodes;    /* by profile and node: call site */
    struct orma_map parents;  /* by profile and node: call site of whom names it as a child */
};

/* Notes the samples of an event of phase P, which is `text`. */
struct orma_unit_end orma_json_profile_event(struct orma_file *file,
                                             struct orma_json_profiles *profiles,
                                             struct orma_json_records *records,
                                             const struct orma_json_event *event,
                                             struct orma_str text, struct orma_buf *scratch);

void orma_json_profile_sample(struct orma_file *file, int64_t ts,
                              const struct orma_json_sample *sample);
void orma_json_profiles_fini(struct orma_json_profiles *profiles);

/* A value of the trace's "metadata" object. */
void orma_json_metadata(struct orma_file *file, const struct orma_json_value *object);
#endif
