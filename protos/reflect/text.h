/*
 * The protobuf text format, between text and wire bytes, for any message of a schema.
 *
 *     buffers { size_kb: 4096 }          # a comment
 *     data_sources: <
 *       config { name: "linux.ftrace"; ftrace_config { ftrace_events: ["sched/sched_switch",
 * 'print'] } }
 *     >
 *
 * Parsing takes all forms that protobuf has, but for Any: see docs/text-format.md.
 * Both directions go straight between text and bytes: no message is built in
 * memory. The stream calls hold one field of the outermost message at a time (of
 * a Trace: one packet), so a file of any size passes through little memory.
 *
 * A number in place of a field's name stands for the wire form, whatever the schema
 * says: `90001: 5` is a varint, `7: 0x00000005` (8 digits) 32 bits, 16 digits 64
 * bits, `7: "..."` and `7 { }` have a length. So what the printer does not know
 * survives the way to text and back.
 */
#ifndef ORMA_PROTOS_REFLECT_TEXT_H
#define ORMA_PROTOS_REFLECT_TEXT_H
#include "protos/reflect/io.h"
#include "protos/reflect/schema.h"

/* Messages inside messages: more than that is an error in text, and shown as bytes from the wire.
 */
#define ORMA_TEXT_DEPTH_MAX 100

enum orma_text_parse_flags {
    /* Fields and enum values that are not known are dropped and counted. */
    ORMA_TEXT_LOSSY = 1,
    /* A singular field given twice, or a second field of a oneof, is not an error: the last wins.
     */
    ORMA_TEXT_LAST_WINS = 2,
    /* Required fields may be missing. */
    ORMA_TEXT_PARTIAL = 4,
    /* The same two cases are no error, and all values are kept in their order: real traces have
     * such packets, and their text shall become the same bytes again. */
    ORMA_TEXT_KEEP_ALL = 8,
};

struct orma_text_parse {
    uint32_t flags;         /* enum orma_text_parse_flags */
    const char *file;       /* for messages; NULL: "-" */
    struct orma_buf *error; /* receives "file:line:col error: ...", the line and a caret; or NULL */
    uint64_t dropped;       /* out: fields and values dropped by ORMA_TEXT_LOSSY */
    uint64_t kept;          /* out: values that are errors without ORMA_TEXT_KEEP_ALL */
};

/*
 * Appends the message that `text` describes to `out`. 0; -EBADMSG: the text is wrong, `error`
 * reports where, and `out` is as it was; -ENOMEM. `opts` may be NULL.
 */
int orma_text_parse(const struct orma_schema *schema, uint32_t msg, struct orma_str text,
                    struct orma_text_parse *opts, struct orma_buf *out);

/*
 * The same from a source to a sink. On failure the sink has got whole fields only: what was before
 * the error, or less. Returns also what source and sink return.
 */
int orma_text_parse_stream(const struct orma_schema *schema, uint32_t msg,
                           struct orma_reflect_source source, struct orma_text_parse *opts,
                           struct orma_reflect_sink sink);

enum orma_text_print_flags {
    /* All on one line. */
    ORMA_TEXT_ONE_LINE = 1,
    /* Bytes above 127 of string fields as octal escapes, even if they are good UTF-8. */
    ORMA_TEXT_ASCII = 2,
    /* Without the fields that the schema does not know. */
    ORMA_TEXT_KNOWN_ONLY = 4,
};

struct orma_text_print {
    uint32_t flags;  /* enum orma_text_print_flags */
    unsigned indent; /* levels of two blanks to begin with */
};

/*
 * Appends the fields in the order of the bytes, each line terminated by a newline (with ONE_LINE:
 * separated by blanks, no newline at all). `opts` may be NULL.
 *
 * 0; -EBADMSG: the bytes are malformed, the fields before that point are printed; -ENOMEM.
 */
int orma_text_print(const struct orma_schema *schema, uint32_t msg, const void *data, size_t len,
                    const struct orma_text_print *opts, struct orma_buf *out);

/* One field, as orma_pb_next() gave it. */
int orma_text_print_field(const struct orma_schema *schema, uint32_t msg,
                          const struct orma_pb_field *field, const struct orma_text_print *opts,
                          struct orma_buf *out);

/*
 * The bytes of one message from a source, as text to a sink. One field of the message is held at a
 * time. A last field that is cut short ends the stream with -EBADMSG, after all before it.
 */
int orma_text_print_stream(const struct orma_schema *schema, uint32_t msg,
                           struct orma_reflect_source source, const struct orma_text_print *opts,
                           struct orma_reflect_sink sink);

/* Text in double quotes with C escapes; bytes above 127 as octal if `ascii`. */
void orma_text_quote(struct orma_buf *out, struct orma_str text, bool ascii);
#endif
