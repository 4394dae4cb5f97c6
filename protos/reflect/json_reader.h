/*
 * The reader of JSON: of text that lies whole in memory, nothing is copied. Two ways through it:
 *
 * Spans, for files that may be damaged. A container is skipped as a span of text and read with a
 * reader of its own; nothing recurses.
 *
 *     struct orma_json j = orma_json(text);
 *     struct orma_json_value v;
 *     struct orma_str key;
 *
 *     if (orma_json_read(&j, &v) && v.type == ORMA_JSON_OBJECT)
 *         for (struct orma_json o = orma_json_inside(&v); orma_json_member(&o, &key, &v);)
 *             ...
 *
 * Failure is sticky: after the first malformed byte `failed` is set and reads give false.
 * Lenient where writers are sloppy: commas may trail, numbers may begin with zeros or be NaN or
 * infinite, strings hold what they will, halves of surrogate pairs stay.
 *
 * A cursor, for text that must be JSON to the letter (RFC 8259). It goes in and out of containers
 * in place, so all of the text is read once, whatever its depth.
 *
 *     struct orma_json_cursor c = orma_json_cursor(text, rules, &error);
 *     struct orma_json_value key, v;
 *
 *     if (orma_json_cursor_read(&c, &v) && v.type == ORMA_JSON_OBJECT)
 *         while (orma_json_cursor_key(&c, &key) && orma_json_cursor_value(&c, &v))
 *             ...
 *     if (!orma_json_cursor_end(&c, "the end"))
 *         ... c.failed_at, and why in `error`
 */
#ifndef ORMA_PROTOS_REFLECT_JSON_READER_H
#define ORMA_PROTOS_REFLECT_JSON_READER_H
#include "sdk/base/buf.h"
#include "sdk/base/str.h"

enum orma_json_type {
    ORMA_JSON_NONE, /* zero-initialised: no value */
    ORMA_JSON_NULL,
    ORMA_JSON_BOOL,
    ORMA_JSON_INT,
    ORMA_JSON_REAL, /* also integers that int64 cannot hold */
    ORMA_JSON_STRING,
    ORMA_JSON_ARRAY,
    ORMA_JSON_OBJECT,
};

struct orma_json_value {
    enum orma_json_type type;
    bool escaped; /* strings: there are backslashes in it */
    bool boolean;
    /* Strings without quotes; containers with their brackets, or the opening one from a cursor. */
    struct orma_str raw;
    int64_t integer;
};

/* ---- spans ---- */

struct orma_json {
    const char *pos, *end;
    bool failed;
};

static inline struct orma_json orma_json(struct orma_str text)
{
    return (struct orma_json){text.data, text.data ? text.data + text.len : text.data, false};
}

/* Where the value that begins at `pos` ends, or NULL if that lies behind `end`. Containers are
 * only matched bracket by bracket. */
const char *orma_json_skip(const char *pos, const char *end);

/* The next value. False: malformed, or nothing but blanks left (then not failed). */
bool orma_json_read(struct orma_json *self, struct orma_json_value *ret);

/* After a failure: goes on behind the value that began at or behind `before`. False: it has no end.
 */
bool orma_json_resume(struct orma_json *self, const char *before);

/* A reader of what is between the brackets of a container. */
struct orma_json orma_json_inside(const struct orma_json_value *container);

/* Goes into a container in place: behind its bracket. False: it does not begin here. */
bool orma_json_enter(struct orma_json *self, char bracket);

/* True: no entry follows, and it goes behind the closing bracket. Else an entry must be read. */
bool orma_json_leave(struct orma_json *self, char bracket);

/* The next member of an object, or element of an array. False at the end, or when malformed. */
bool orma_json_member(struct orma_json *self, struct orma_str *ret_key,
                      struct orma_json_value *ret);
bool orma_json_element(struct orma_json *self, struct orma_json_value *ret);
/* The name of the next member only; its value must be read. */
bool orma_json_name(struct orma_json *self, struct orma_str *ret);

/* Whether a member's name, as it is written, means that: it may have escapes. */
bool orma_json_name_is(struct orma_str name, const char *wanted);

/* The member of that name; .type is ORMA_JSON_NONE if there is none. */
struct orma_json_value orma_json_find(const struct orma_json_value *object, const char *key);

/* The text of a string with escapes resolved; `scratch` is cleared and holds it if need be. */
struct orma_str orma_json_text(const struct orma_json_value *string, struct orma_buf *scratch);

/* INT and REAL; 0 for others. */
double orma_json_number(const struct orma_json_value *value);

/* Whole text as a number as people write it (".5", "1.", "+2", "1e3"). False: it is none. */
bool orma_json_text_number(struct orma_str text, double *ret);

/* ---- to the letter ---- */

struct orma_json_rules {
    bool replace_halves; /* halves of surrogate pairs become U+FFFD; else they are refused */
    unsigned word_max;   /* bytes of a number or a word */
    unsigned depth_max;  /* containers inside one another */
};

struct orma_json_cursor {
    const char *pos, *end;
    struct orma_json_rules rules;
    bool opened; /* the last thing that was read is an opening bracket */
    bool failed; /* sticky */
    struct orma_str failed_at;
    struct orma_buf *error; /* receives what is wrong at failed_at; may be NULL */
};

struct orma_json_cursor orma_json_cursor(struct orma_str text, struct orma_json_rules rules,
                                         struct orma_buf *error);

/*
 * The next value. Of a container only the bracket: its entries must be read next, up to the end.
 * What begins no value has the type NONE, stays where it is and is in `raw` (nothing at the end):
 * whoever asked refuses it. False: malformed.
 */
bool orma_json_cursor_read(struct orma_json_cursor *self, struct orma_json_value *ret);

/* The next element, or the name of the next member, which orma_json_cursor_value() must follow.
 * False: the container has ended, or failed. */
bool orma_json_cursor_element(struct orma_json_cursor *self, struct orma_json_value *ret);
bool orma_json_cursor_key(struct orma_json_cursor *self, struct orma_json_value *ret);
bool orma_json_cursor_value(struct orma_json_cursor *self, struct orma_json_value *ret);

/* Goes behind a value that was read, `depth` containers deep. False: something in it is wrong. */
bool orma_json_cursor_skip(struct orma_json_cursor *self, const struct orma_json_value *value,
                           unsigned depth);

/* False, and failed: the container lies too deep. */
bool orma_json_cursor_may_enter(struct orma_json_cursor *self,
                                const struct orma_json_value *container, unsigned depth);

/* True: nothing but blanks is left, and nothing failed. */
bool orma_json_cursor_end(struct orma_json_cursor *self, const char *expected);

/* Like orma_json_text(), by the cursor's rule for halves. */
struct orma_str orma_json_cursor_text(const struct orma_json_cursor *self,
                                      const struct orma_json_value *string,
                                      struct orma_buf *scratch);

/* Where to show an error about it: a string's quote; all of another. */
struct orma_str orma_json_place(const struct orma_json_value *value);

/* Fails with a text, or with "expected X, found Y". Always false; only the first failure counts. */
bool orma_json_cursor_fail(struct orma_json_cursor *self, struct orma_str at, const char *fmt, ...)
    ORMA_PRINTF(3, 4);
bool orma_json_cursor_refuse(struct orma_json_cursor *self, const struct orma_json_value *found,
                             const char *expected);

/* Whole text as a number by the grammar of JSON. */
bool orma_json_is_number(struct orma_str text);
#endif
