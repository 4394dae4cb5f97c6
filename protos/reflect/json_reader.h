/*
 * Pull reader of JSON text that lies whole in memory. Nothing is copied, nothing recurses: a
 * container is skipped as a span of text and read with a reader of its own.
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
 * Lenient where writers are sloppy: commas may trail.
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
    struct orma_str raw; /* strings without quotes; containers with their brackets */
    int64_t integer;
};

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

/* A reader of what is between the brackets of a container. */
struct orma_json orma_json_inside(const struct orma_json_value *container);

/* The next member of an object, or element of an array. False at the end, or when malformed. */
bool orma_json_member(struct orma_json *self, struct orma_str *ret_key,
                      struct orma_json_value *ret);
bool orma_json_element(struct orma_json *self, struct orma_json_value *ret);

/* The member of that name; .type is ORMA_JSON_NONE if there is none. */
struct orma_json_value orma_json_find(const struct orma_json_value *object, const char *key);

/* The text of a string with escapes resolved; `scratch` is cleared and holds it if need be. */
struct orma_str orma_json_text(const struct orma_json_value *string, struct orma_buf *scratch);

/* INT and REAL; 0 for others. */
double orma_json_number(const struct orma_json_value *value);

/* Whole text as a number as people write it (".5", "1.", "+2", "1e3"). False: it is none. */
bool orma_json_text_number(struct orma_str text, double *ret);
#endif
