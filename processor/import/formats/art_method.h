/*
 * Method traces of ART: what its forms have in common (art_method.c, art_method_v2.c).
 *
 * A trace names methods and threads and says when a thread entered and left a method. A form notes
 * what it finds by the calls below; slices are made when the events' times have come. Memory
 * belongs to the file's state, which begins with struct orma_art. Threads: none.
 */
#ifndef ORMA_PROCESSOR_IMPORT_FORMATS_ART_METHOD_H
#define ORMA_PROCESSOR_IMPORT_FORMATS_ART_METHOD_H
#include "processor/import/formats/formats.h"
#include "sdk/base/vec.h"

enum orma_art_action { ORMA_ART_ENTER, ORMA_ART_EXIT, ORMA_ART_UNWIND };

struct orma_art_method {
    uint32_t name, path; /* pool ids, 0: not told */
    int64_t line;        /* ORMA_ART_LINE_NONE */
};
#define ORMA_ART_LINE_NONE INT64_MIN

struct orma_art_thread {
    uint32_t tid, name; /* pool id, 0: not told */
    uint32_t track;     /* ORMA_TRACK_NONE: nothing of it has happened yet */
};

struct orma_art {
    struct orma_map methods_by, threads_by; /* id → index */
    ORMA_VEC(struct orma_art_method) methods;
    ORMA_VEC(struct orma_art_thread) threads;
    struct orma_arena arena; /* events */
    struct orma_buf scratch;
};

/* A place in the file; reads past the end give 0 and set `failed`. */
struct orma_art_cursor {
    const uint8_t *pos, *end;
    bool failed;
};

uint64_t orma_format_art_number(struct orma_art_cursor *c, unsigned bytes);
struct orma_str orma_format_art_bytes(struct orma_art_cursor *c, size_t len);

/* The words of a method: class, then name and signature, then file and line. A line that has
 * another form is damage. */
void orma_format_art_add_method(struct orma_file *file, uint64_t id, struct orma_str words);
void orma_format_art_add_thread(struct orma_file *file, uint32_t tid, struct orma_str name);

/* False: the thread was never named. */
bool orma_format_art_has_thread(const struct orma_file *file, uint32_t tid);

/* ts in ns of the clock of such traces. */
void orma_format_art_add_event(struct orma_file *file, int64_t ts, uint32_t tid, uint64_t method,
                               enum orma_art_action action);

/* `parse` and `fini` of the formats. */
struct orma_unit_end orma_format_art_parse(struct orma_file *file, const struct orma_item *item);
void orma_format_art_fini(struct orma_file *file);
#endif
