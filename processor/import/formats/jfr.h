/*
 * Recordings of the JDK Flight Recorder: a file is one or more chunks, each complete in itself.
 *
 *   chunk:  header, events ...
 *           one of the events says which classes there are (metadata), others hold values that
 *           events refer to by number (constant pools)
 *
 * An event is a list of fields in the order of its class; nothing about it is fixed but its name.
 * So each chunk is read in two steps: where its classes, its pool values and its events are; then
 * events become rows in order of time. All lives as long as the file.
 */
#ifndef ORMA_PROCESSOR_IMPORT_FORMATS_JFR_H
#define ORMA_PROCESSOR_IMPORT_FORMATS_JFR_H
#include "processor/import/core/arg_key.h"
#include "processor/import/core/file.h"
#include "sdk/base/arena.h"
#include "sdk/base/vec.h"

#define ORMA_JFR_NO_CLASS UINT32_MAX
/* Types of events that every chunk has. */
#define ORMA_JFR_METADATA 0
#define ORMA_JFR_POOLS 1

enum orma_jfr_kind {
    ORMA_JFR_STRUCT, /* and what a pool holds */
    ORMA_JFR_BOOLEAN,
    ORMA_JFR_BYTE,
    ORMA_JFR_CHAR,    /* read as a text of one letter */
    ORMA_JFR_INTEGER, /* short, int, long */
    ORMA_JFR_FLOAT,
    ORMA_JFR_DOUBLE,
    ORMA_JFR_STRING,
};

/* What an annotation says of a number. */
enum orma_jfr_unit {
    ORMA_JFR_PLAIN,
    ORMA_JFR_SPAN_TICKS,
    ORMA_JFR_SPAN_NS,
    ORMA_JFR_SPAN_US,
    ORMA_JFR_SPAN_MS,
    ORMA_JFR_SPAN_SECONDS,
    ORMA_JFR_TIME_TICKS,
    ORMA_JFR_TIME_MS, /* since 1970, as the next one */
    ORMA_JFR_TIME_NS,
    ORMA_JFR_BYTES,
    ORMA_JFR_ADDRESS,
};

struct orma_jfr_field {
    uint32_t name;     /* pool id, as all names here */
    uint64_t class_id; /* and its place in the list; ORMA_JFR_NO_CLASS: it is not there */
    uint32_t class;
    enum orma_jfr_unit unit;
    bool in_pool, is_array, is_unsigned;
};

struct orma_jfr_class {
    uint64_t id;
    uint32_t name, label, category; /* label, category 0: none */
    enum orma_jfr_kind kind;
    bool is_event;
    uint8_t bits;                     /* of integers; 0: all 64 */
    uint32_t fields, fields_num;      /* in the chunk's list */
    const struct orma_jfr_rule *rule; /* of events; NULL: none of its own */
    uint32_t short_name;              /* "ThreadPark" */
    struct orma_map pool;             /* key → offset of the value in the chunk */
    struct orma_map texts;            /* key → what it is called */
    struct orma_map known;            /* of threads and stacks: key → what it became */
};

struct orma_jfr_chunk {
    const uint8_t *begin, *end;
    int64_t start_ns, start_ticks, ticks_per_second;
    struct orma_map by_id; /* → place in `classes` */
    ORMA_VEC(struct orma_jfr_class) classes;
    ORMA_VEC(struct orma_jfr_field) fields;
    uint32_t pid;     /* of the JVM; 0: not told */
    uint32_t strings; /* place of the class of texts, and one; 0: not looked for yet */
    uint64_t *work;   /* orma_jfr.work */
};

/* Bytes of a chunk that are read; once it has failed, all that comes is 0. */
struct orma_jfr_cursor {
    const uint8_t *at, *end;
    bool failed;
};

struct orma_jfr_value {
    const struct orma_jfr_field *field;
    enum orma_jfr_kind kind;
    bool is_null;        /* a text that is not there */
    bool in_pool;        /* `integer` is its key */
    int64_t integer;     /* also of a boolean */
    double real;         /* of both kinds */
    uint32_t text;       /* of a string */
    uint32_t num;        /* of an array */
    const uint8_t *data; /* of an array and a struct: the first element, the first field */
};

struct orma_jfr {
    ORMA_VEC(struct orma_jfr_chunk) chunks;
    ORMA_VEC(uint32_t) strings; /* of the metadata that is read */
    ORMA_VEC(uint32_t) frames;  /* of the stack at hand */
    struct orma_buf text;
    struct orma_map profiles; /* of allocations: names of class and value → row */
    uint32_t pid;             /* of the last JVM that told it; 0: none */
    uint32_t made_up_pid;     /* in its place; 0: not needed yet */
    uint32_t last_chunk;      /* of the last event */
    uint32_t looked_at;       /* values, for the name that is looked for */
    uint64_t work; /* values that may still be passed: what events refer to is passed each time */
    uint64_t repeated; /* samples that events stand for, beside the first of each */
};

/* What is done with events of a class. */
struct orma_jfr_rule {
    const char *name; /* the class */
    enum orma_jfr_use {
        ORMA_JFR_SLICE, /* or an instant, where it has no duration: any other event */
        ORMA_JFR_SAMPLE,
        ORMA_JFR_ALLOCATION,
        ORMA_JFR_COUNTERS,
        ORMA_JFR_NAMED,   /* a slice with the name that the event gives */
        ORMA_JFR_PROCESS, /* names one */
        ORMA_JFR_JVM,
        ORMA_JFR_THREAD_START,
        ORMA_JFR_THREAD_END,
        ORMA_JFR_LOSS,
    } use;
    const char *values[2]; /* of allocations: the first field that there is counts */
};

/* ---- jfr_read.c: bytes ---- */

uint64_t orma_jfr_varint(struct orma_jfr_cursor *c);

/* A text as pool id; 0: null. `chunk` for those that lie in a pool. */
uint32_t orma_jfr_string(struct orma_file *file, struct orma_jfr_chunk *chunk,
                         struct orma_jfr_cursor *c);

/* A value of the field; the cursor stands behind it. */
void orma_jfr_value(struct orma_file *file, struct orma_jfr_chunk *chunk,
                    const struct orma_jfr_field *field, struct orma_jfr_cursor *c,
                    struct orma_jfr_value *ret);

/* The same of one element, where the field is an array. */
void orma_jfr_element(struct orma_file *file, struct orma_jfr_chunk *chunk,
                      const struct orma_jfr_field *field, struct orma_jfr_cursor *c,
                      struct orma_jfr_value *ret);

/* Passes a value of a pool. */
void orma_jfr_skip(const struct orma_jfr_chunk *chunk, const struct orma_jfr_class *class,
                   struct orma_jfr_cursor *c);

/* The class of that type; NULL: there is none. */
struct orma_jfr_class *orma_jfr_class(struct orma_jfr_chunk *chunk, uint64_t id);

/* Where a value of a pool lies; failed: nowhere. */
struct orma_jfr_cursor orma_jfr_find(const struct orma_jfr_chunk *chunk,
                                     const struct orma_jfr_class *class, uint64_t key);

/* The member of what lies at the cursor. False: it has none of that name, or is damaged. */
bool orma_jfr_member(struct orma_file *file, struct orma_jfr_chunk *chunk,
                     const struct orma_jfr_class *class, struct orma_jfr_cursor c, const char *name,
                     struct orma_jfr_value *ret);

/* A span in ns. False: it is too long for that. */
bool orma_jfr_ticks(const struct orma_jfr_chunk *chunk, int64_t ticks, int64_t *ret);

/* In ns of CLOCK_REALTIME. False: no clock has such a time. */
bool orma_jfr_time(const struct orma_jfr_chunk *chunk, int64_t ticks, int64_t *ret);

static inline bool orma_jfr_is(const struct orma_file *file, uint32_t name, const char *text)
{
    return name && orma_str_eq_c(orma_strpool_get(&file->imp->model->storage->pool, name), text);
}

/* ---- jfr_metadata.c: classes and pools ---- */

/* Reads the classes. False: malformed. */
bool orma_jfr_read_metadata(struct orma_file *file, struct orma_jfr_chunk *chunk,
                            struct orma_jfr_cursor event);

/* Notes where the values of a pool event are. False: malformed from somewhere on. */
bool orma_jfr_read_pools(struct orma_file *file, struct orma_jfr_chunk *chunk,
                         struct orma_jfr_cursor event);

/* ---- jfr_names.c: what events refer to ---- */

/* What a value of a pool is called, as pool id: classes and methods as Java writes them. 0: it has
 * no name. */
uint32_t orma_jfr_text(struct orma_file *file, struct orma_jfr_chunk *chunk, uint32_t class,
                       uint64_t key);

/* The thread of a java.lang.Thread; ORMA_ID_NONE: none. */
uint32_t orma_jfr_thread(struct orma_file *file, struct orma_jfr_chunk *chunk, uint32_t class,
                         uint64_t key);

/* The call site of a stack; ORMA_CALLSITE_NONE: none. `leaf` is put on top of it; 0: nothing. */
uint32_t orma_jfr_stack(struct orma_file *file, struct orma_jfr_chunk *chunk, uint32_t class,
                        uint64_t key, uint32_t leaf);

/* The pid of the JVM of that chunk. */
uint32_t orma_jfr_pid(struct orma_file *file, const struct orma_jfr_chunk *chunk);

/* ---- jfr_rows.c: events ---- */

/* What is done with events of that name; NULL: what is done with any. */
const struct orma_jfr_rule *orma_jfr_find_rule(struct orma_str name);

struct orma_unit_end orma_jfr_event(struct orma_file *file, struct orma_jfr_chunk *chunk,
                                    int64_t ts, struct orma_jfr_class *class,
                                    struct orma_jfr_cursor fields);

/* startTime and duration of an event, whose fields begin at the cursor. False: damaged, or without
 * a time. */
bool orma_jfr_when(struct orma_file *file, struct orma_jfr_chunk *chunk,
                   const struct orma_jfr_class *class, struct orma_jfr_cursor fields, int64_t *ts,
                   int64_t *dur);
#endif
