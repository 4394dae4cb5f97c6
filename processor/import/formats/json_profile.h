/*
 * Profiles in JSON (V8's, speedscope's): what they have in common.
 *
 *   text ─► spans (a value, or the begin of one that the file ends in) ─► lists
 *   name, file, line ─► frame
 *   stack, time, duration ─► a sample with a weight
 *
 * A sample stands for the time until the next one. That is the value of a counter of type
 * `stack_sample_time`, in ns, to which the sample refers (_orma_sample_time in SQL).
 * Threads: none; everything belongs to one file.
 */
#ifndef ORMA_PROCESSOR_IMPORT_FORMATS_JSON_PROFILE_H
#define ORMA_PROCESSOR_IMPORT_FORMATS_JSON_PROFILE_H
#include "processor/import/core/file.h"
#include "protos/reflect/json_reader.h"
#include "sdk/base/arena.h"

/* The first member of the state of a format. Zero-initialised is empty. */
struct orma_formats_profile {
    const char *source; /* of its samples */
    struct orma_arena arena;
    struct orma_buf scratch;
    uint32_t session; /* row + 1; 0: not made yet */
    uint32_t track;   /* of the weights, + 1 */
    bool cut;         /* the end of the file was told */
};

void orma_formats_profile_fini(struct orma_formats_profile *self);

/* ---- spans ---- */

/* `cut`: a container that goes on up to the end of the text, without its bracket. */
struct orma_formats_span {
    struct orma_json_value v;
    bool cut;
};

/* A reader of what is in it; of what is no container, an empty one. */
struct orma_json orma_formats_span_inside(const struct orma_formats_span *span);

/* The next member or element of a span. False at the end, or when malformed, which is told. */
bool orma_formats_span_member(struct orma_file *file, struct orma_json *j, struct orma_str *ret_key,
                              struct orma_formats_span *ret);
bool orma_formats_span_element(struct orma_file *file, struct orma_json *j,
                               struct orma_formats_span *ret);

/* Goes into the object that the file is. False: it is none, which is an error. */
bool orma_formats_profile_enter(struct orma_file *file, const uint8_t *data, size_t len,
                                struct orma_json *ret);
/* The next member there. False at its end, or when malformed; tells an end that is missing. */
bool orma_formats_profile_member(struct orma_file *file, struct orma_json *j,
                                 struct orma_str *ret_key, struct orma_formats_span *ret);

/* Tells that the text is malformed from where the reader is on, or that it ends too early. */
void orma_formats_span_broken(struct orma_file *file, const struct orma_json *j);

/* Members of an object of which the last of each name counts: notes one more, and that there was
 * another one before it. */
void orma_formats_span_set(struct orma_file *file, struct orma_formats_span *member,
                           const struct orma_formats_span *value);

/* ---- values ---- */

/* A finite number. */
bool orma_formats_profile_number(const struct orma_json_value *v, double *ret);

/* The same in ns, rounded; of integers exactly. False also if it does not fit. */
bool orma_formats_profile_ns(const struct orma_json_value *v, double unit_ns, int64_t *ret);

/* A time in ns; false: it has none. */
bool orma_formats_profile_round(double ns, int64_t *ret);

/* Pool id of a text; 0: it is none, or empty. */
uint32_t orma_formats_profile_text(struct orma_file *file, const struct orma_json_value *v);

/* The frame of a function; source 0 and line 0: not told. */
uint32_t orma_formats_profile_frame(struct orma_file *file, uint32_t name, uint32_t source,
                                    int64_t line);

/* The name of the file in its archive; empty: it has none. */
struct orma_str orma_formats_profile_file_name(const struct orma_file *file);

/* The number that stands for a text, far from those of systems: a pid or a tid. */
uint32_t orma_formats_profile_made_up(struct orma_file *file, struct orma_str text);

/* ---- rows ---- */

/* The row of a sample at its time. `ns`: what it stands for. */
void orma_formats_profile_sample(struct orma_file *file, int64_t ts, uint32_t utid,
                                 uint32_t callsite, int64_t ns);
#endif
