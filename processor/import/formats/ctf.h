/*
 * The Common Trace Format, 1.8 and 2: folders of LTTng, barectf, babeltrace, perf.
 *
 *   metadata     what events there are, and how their fields lie in bits
 *   other files  streams of packets of events
 *
 * The folder is one file here: `metadata` stands for it, and has the others as its parts.
 *
 *   ctf_lex.c, ctf_types.c, ctf_tsdl.c   metadata of 1.8, a language like C's declarations
 *   ctf_json.c                           metadata of 2
 *   ctf_layout.c     types ─► a tree for each place where one is used, with its references found
 *   ctf_decode.c     a tree and bits ─► values
 *   ctf_packets.c    files ─► packets ─► events with their times
 *   ctf_args.c       values ─► args
 *   ctf_rows.c       events of programs ─► rows;  ctf_kernel.c: those of the kernel
 *
 * Depth of trees is bounded when they are made (types have names, so parsing bounds only what is
 * written in one place), so that what walks over them may recurse.
 */
#ifndef ORMA_PROCESSOR_IMPORT_FORMATS_CTF_H
#define ORMA_PROCESSOR_IMPORT_FORMATS_CTF_H
#include "processor/import/core/file.h"
#include "sdk/base/arena.h"
#include "sdk/base/vec.h"

#define ORMA_CTF_DEPTH_MAX 48
#define ORMA_CTF_CLASSES_MAX 1024
#define ORMA_CTF_NOTHING UINT32_MAX

enum orma_ctf_kind {
    ORMA_CTF_INTEGER, /* also enums, booleans, sets of bits */
    ORMA_CTF_VARINT,  /* LEB128 */
    ORMA_CTF_FLOAT,
    ORMA_CTF_STRING, /* up to a zero */
    ORMA_CTF_TEXT,   /* of a length in bytes, cut at a zero */
    ORMA_CTF_BLOB,
    ORMA_CTF_STRUCT,
    ORMA_CTF_ARRAY,
    ORMA_CTF_VARIANT,
    ORMA_CTF_OPTIONAL,
};

/* What a field means beside its value. */
enum orma_ctf_role {
    ORMA_CTF_NO_ROLE,
    ORMA_CTF_MAGIC,
    ORMA_CTF_STREAM_CLASS,
    ORMA_CTF_STREAM_INSTANCE,
    ORMA_CTF_PACKET_BITS,
    ORMA_CTF_CONTENT_BITS,
    ORMA_CTF_TIME,
    ORMA_CTF_END_TIME,
    ORMA_CTF_DISCARDED,
    ORMA_CTF_PACKET_NUMBER,
    ORMA_CTF_EVENT_CLASS,
    ORMA_CTF_CPU,
    ORMA_CTF_TID,
    ORMA_CTF_PID,
    ORMA_CTF_COMM,
    ORMA_CTF_ROLES_NUM,
};

/* The roots of types; a reference says in which one it begins. */
enum orma_ctf_scope {
    ORMA_CTF_PACKET_HEADER,
    ORMA_CTF_PACKET_CONTEXT,
    ORMA_CTF_EVENT_HEADER,
    ORMA_CTF_COMMON_CONTEXT,
    ORMA_CTF_OWN_CONTEXT,
    ORMA_CTF_FIELDS,
    ORMA_CTF_SCOPES_NUM,
    ORMA_CTF_RELATIVE = ORMA_CTF_SCOPES_NUM,
    ORMA_CTF_ENV, /* a number of the environment */
};

struct orma_ctf_ref {
    enum orma_ctf_scope scope;
    struct orma_str *names; /* data NULL: one up */
    uint32_t num;
};

/* Of signed types the numbers are those of int64_t. */
struct orma_ctf_range {
    uint64_t from, to;
};

struct orma_ctf_label {
    struct orma_str name;
    struct orma_ctf_range range;
    uint32_t text; /* pool id; 0: not made yet */
};

enum orma_ctf_order { ORMA_CTF_NATIVE, ORMA_CTF_LITTLE, ORMA_CTF_BIG };
enum orma_ctf_encoding {
    ORMA_CTF_NO_TEXT,
    ORMA_CTF_UTF8,
    ORMA_CTF_UTF16LE,
    ORMA_CTF_UTF16BE,
    ORMA_CTF_UTF32LE,
    ORMA_CTF_UTF32BE,
};

struct orma_ctf_type;

/* Of a struct, or an option of a variant. */
struct orma_ctf_member {
    struct orma_str name, shown;
    struct orma_ctf_type *type;
    struct orma_ctf_range *ranges; /* of the selector; of 1.8 the labels of its enum say it */
    uint32_t ranges_num;
    /* Of a struct: so many members from here on are whole bytes that nothing refers to. Where
     * nobody wants their values they are passed at once. */
    uint32_t run, run_bits;
};

struct orma_ctf_type {
    uint8_t kind;     /* enum orma_ctf_kind */
    uint8_t order;    /* enum orma_ctf_order; not native once it is laid out */
    uint8_t encoding; /* enum orma_ctf_encoding */
    uint8_t role;     /* enum orma_ctf_role */
    bool is_signed, is_bool, is_flags;
    bool is_address;          /* shown as hex */
    bool is_element;          /* lies in an array */
    bool is_state;            /* prev_state of a switch */
    uint32_t bits;            /* of numbers */
    uint32_t align;           /* in bits, a power of two */
    uint32_t length;          /* elements, or bytes of texts; if there is no `ref` */
    struct orma_ctf_ref *ref; /* of the length, or the selector */
    struct orma_str clock;    /* name; empty: none */
    struct orma_ctf_type *elem;
    struct orma_ctf_member *members;
    uint32_t members_num;
    struct orma_ctf_label *labels; /* NULL: no enum */
    uint32_t labels_num;
    struct orma_ctf_range *ranges; /* of the selector of an optional one; none: any but 0 */
    uint32_t ranges_num;

    /* Once it is laid out. */
    uint32_t stores; /* slot + 1: others refer to it */
    uint32_t loads;  /* slot + 1: of what it refers to */
    bool updates;    /* the clock of its stream */
    bool by_signed;  /* what it refers to is signed */
    uint32_t name;   /* pool id of its name */
    uint32_t key;    /* pool id of the names up to it: "a.b"; 0: of its root */
    uint32_t number; /* of leaves of contexts and fields, from 1 on, in the event */
    uint16_t field;  /* in the message that the kernel's event has; 0: none */
    int16_t added;   /* to its value: priorities of LTTng begin at -100 */
};

struct orma_ctf_clock {
    struct orma_str name, description, uuid;
    uint64_t freq;
    int64_t offset_s, offset;
    bool absolute;
};

struct orma_ctf_event {
    uint64_t id;
    struct orma_str name;
    uint64_t stream_id;
    bool has_id, has_stream;
    struct orma_ctf_type *context, *fields;
    int64_t loglevel; /* -1: none */
    struct orma_str emf_uri;

    /* Of rows; ctf_rows.c, ctf_kernel.c. */
    uint32_t leaves;                   /* of its contexts and fields */
    bool is_used, is_switch, is_known; /* known: what follows is set */
    uint8_t rule;
    uint32_t text, category; /* pool ids */
    uint16_t message;        /* of ftrace, + 1 */
};

struct orma_ctf_stream_class {
    uint64_t id;
    bool has_id;
    struct orma_str clock;
    struct orma_ctf_type *packet_header, *packet_context, *header, *context;
    uint32_t clock_idx;     /* ORMA_CTF_NOTHING: none */
    uint32_t packet_slots;  /* also of the headers and common contexts of events */
    struct orma_map events; /* id → index in events */
    uint32_t events_num, first_event;
};

struct orma_ctf_env {
    struct orma_str name, text; /* text.data NULL: a number */
    int64_t number;
};

/* A packet of which events are read. */
struct orma_ctf_packet {
    const uint8_t *begin, *end; /* bytes of its content */
    uint64_t bits;              /* of them */
    uint32_t class;
    int32_t cpu; /* -1: not told */
    uint64_t *slots;
};

struct orma_ctf_value {
    enum { ORMA_CTF_UNSIGNED, ORMA_CTF_SIGNED, ORMA_CTF_REAL, ORMA_CTF_LETTERS } is;
    uint64_t u;
    double real;
    struct orma_str text; /* holds until the next value */
};

struct orma_ctf_decoder {
    const uint8_t *data;
    uint64_t pos, end; /* in bits */
    bool failed;
    uint8_t last_order; /* of the number before, which ended in a byte */
    uint64_t *packet_slots, *event_slots;
    uint64_t clock;
    uint64_t roles[ORMA_CTF_ROLES_NUM];
    uint32_t seen; /* bits by role */
    struct orma_str comm;
    /* Gets the values of leaves; NULL: nobody wants them. `path`: of an element below `array`, as
     * "[2].a". */
    void (*put)(struct orma_ctf_decoder *self, const struct orma_ctf_type *type,
                struct orma_str path, const struct orma_ctf_value *value);
    void *data_of_put;
    struct orma_buf path;              /* of elements */
    struct orma_buf scratch;           /* texts */
    unsigned elements;                 /* arrays that it is in */
    const struct orma_ctf_type *array; /* the outermost of them */
    uint64_t time;                     /* the clock behind the header of the event */
    uint64_t work;                     /* nodes that may still be visited */
};

/* Few bytes can have very many fields, of no size. */
#define ORMA_CTF_TOO_LONG "events that take too long to read"

#define ORMA_CTF_PACKET_SLOT 0x80000000u

/* What the switches of a CPU say. */
struct orma_ctf_cpu {
    int64_t ts;   /* of the first; INT64_MAX: there is none */
    uint32_t tid; /* who ran up to it */
    uint32_t next;
    int64_t last_ts;
};

struct orma_ctf {
    struct orma_file *file;
    struct orma_arena arena;
    struct orma_str text; /* of the metadata */
    struct orma_buf joined;
    bool is_2, big, failed;
    unsigned major, minor;
    struct orma_str uuid;
    struct orma_str error; /* why it can't be read, with its line */
    struct orma_ctf_type *packet_header;
    ORMA_VEC(struct orma_ctf_clock) clocks;
    ORMA_VEC(struct orma_ctf_stream_class) classes;
    ORMA_VEC(struct orma_ctf_event) events;
    ORMA_VEC(struct orma_ctf_env) env;
    ORMA_VEC(struct orma_ctf_packet) packets;
    uint64_t nodes;    /* of trees, that may still be made */
    uint64_t compares; /* of names, that may still be made for references */
    uint32_t last_packet;
    struct orma_ctf_decoder decoder;
    bool is_kernel, is_lttng, is_perf;
    ORMA_VEC(struct orma_ctf_cpu) cpus;
    uint32_t switch_keys[3];     /* what a switch says: pool ids of names */
    bool has_old_states;         /* of threads: bits of the kernel's own */
    uint64_t switches, breaks;   /* breaks: who is switched away is not who was switched to */
    uint32_t clock_kind;         /* number of the clock of its times */
    int64_t base_ns;             /* what is taken off times since 1970 to be those of that clock */
    uint64_t untimed;            /* events without a time, so far */
    uint64_t slots_num;          /* the most that an event has */
    struct orma_args_list *args; /* orma_ctf_want_args() */
    void *kernel;                /* of ctf_kernel.c */
    void *rows;                  /* of ctf_rows.c */
};

static inline void orma_ctf_no_memory(struct orma_ctf *self)
{
    self->file->imp->model->storage->failed = true;
}

/* Zeroed; NULL: no memory, which is noted. */
void *orma_ctf_alloc(struct orma_ctf *self, size_t size);

/* A name without the underscore that LTTng writes in front of each. */
static inline struct orma_str orma_ctf_bare(struct orma_str name)
{
    return name.len > 1 && name.data[0] == '_' ? (struct orma_str){name.data + 1, name.len - 1}
                                               : name;
}

/* ---- ctf_tsdl.c, ctf_json.c ---- */

/* False: `error` says why. */
bool orma_ctf_read_tsdl(struct orma_ctf *self);
bool orma_ctf_read_json(struct orma_ctf *self);

/* Notes why the metadata can't be read; the first one counts. */
void orma_ctf_fail(struct orma_ctf *self, unsigned line, const char *fmt, ...) ORMA_PRINTF(3, 4);

/* ---- ctf_layout.c ---- */

/* Makes the trees; false: `error` says why. */
bool orma_ctf_lay_out(struct orma_ctf *self);

const struct orma_ctf_env *orma_ctf_env(const struct orma_ctf *self, const char *name);
struct orma_str orma_ctf_env_text(const struct orma_ctf *self, const char *name);

/* ---- ctf_decode.c ---- */

/* Reads the values of a type, which may be NULL. */
void orma_ctf_decode(struct orma_ctf_decoder *self, const struct orma_ctf_type *type);

/* The label of a value of an enum or a set of bits; NULL: it has none, or several, whose names
 * are in `several` then. */
const struct orma_ctf_label *orma_ctf_label(struct orma_ctf_decoder *self,
                                            const struct orma_ctf_type *type,
                                            const struct orma_ctf_value *value,
                                            struct orma_buf *several);

/* So much is done beside visiting nodes: it counts as visits, and may be the last of them. */
static inline void orma_ctf_spend(struct orma_ctf_decoder *self, uint64_t nodes)
{
    self->work -= ORMA_MIN(self->work, nodes);
}

static inline bool orma_ctf_in(struct orma_ctf_range range, uint64_t val, bool is_signed)
{
    return is_signed ? (int64_t)val >= (int64_t)range.from && (int64_t)val <= (int64_t)range.to
                     : val >= range.from && val <= range.to;
}

static inline bool orma_ctf_has_role(const struct orma_ctf_decoder *d, enum orma_ctf_role role)
{
    return d->seen >> role & 1;
}

/* ---- ctf_packets.c ---- */

/* The decoder at a bit of a packet. */
void orma_ctf_decoder_begin(struct orma_ctf *self, const struct orma_ctf_packet *packet,
                            uint64_t pos);

/* Notes the events of all streams. */
void orma_ctf_read_streams(struct orma_ctf *self);

/* The event at the decoder's place: header and contexts are passed. NULL: it can't be read. */
struct orma_ctf_event *orma_ctf_next_event(struct orma_ctf *self, struct orma_ctf_stream_class *c,
                                           struct orma_ctf_decoder *d);

/* A value of a clock, in ns of the file's times. False: it is out of range. */
bool orma_ctf_time(const struct orma_ctf *self, const struct orma_ctf_stream_class *c,
                   uint64_t value, int64_t *ret);

/* ---- ctf_args.c ---- */

/* Puts the values that are decoded from then on as args. */
void orma_ctf_want_args(struct orma_ctf_decoder *d, struct orma_ctf *self,
                        struct orma_args_list *ret);

void orma_ctf_put_arg(struct orma_ctf_decoder *d, const struct orma_ctf_type *type,
                      struct orma_str path, const struct orma_ctf_value *value);

/* A number among the args; false: there is none. */
bool orma_ctf_arg(struct orma_ctf *self, const struct orma_args_list *args, const char *key,
                  uint64_t *ret);

/* A text among them, as pool id; 0: there is none. */
uint32_t orma_ctf_text_arg(struct orma_ctf *self, const struct orma_args_list *args,
                           const char *key);

/* ---- ctf_rows.c ---- */

struct orma_unit_end orma_ctf_parse(struct orma_file *file, const struct orma_item *item);
void orma_ctf_rows_fini(struct orma_ctf *self);

/* ---- ctf_kernel.c ---- */

void orma_ctf_kernel_begin(struct orma_ctf *self);
struct orma_unit_end orma_ctf_kernel_event(struct orma_ctf *self, const struct orma_item *item,
                                           const struct orma_ctf_packet *packet,
                                           struct orma_ctf_stream_class *c,
                                           struct orma_ctf_decoder *d);
void orma_ctf_kernel_fini(struct orma_ctf *self);
#endif
