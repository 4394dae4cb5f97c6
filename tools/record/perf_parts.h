/*
 * The parts of perf_events.h: perf_events.c reads lists, groups, tracepoints and addresses;
 * perf_units.c what performance units know, and terms; perf_names.c names.
 */
#ifndef ORMA_TOOLS_RECORD_PERF_PARTS_H
#define ORMA_TOOLS_RECORD_PERF_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/record/perf_events.h"

#define ORMA_RECORD_PERF_WORD_MAX 192u

struct orma_record_perf_parse {
    const char *text, *at; /* the whole, and where we are */
    struct orma_record_perf_events *ret;
    struct orma_buf *error;
};

/* What stands between slashes. */
struct orma_record_perf_terms {
    int unit;           /* its folder; -1: a plain name has them */
    uint64_t config[3]; /* config, config1, config2 */
    uint64_t period, frequency;
    char name[ORMA_RECORD_PERF_WORD_MAX];
};

void orma_record_perf_put_name(struct orma_buf *out, const char *name);

/* `type`: of perf_event_attr. */
void orma_record_perf_put_raw(struct orma_record_perf_event *e, unsigned type, uint64_t config);

/* "r1a2": a number of the cpu's own, in hex. */
bool orma_record_perf_hex_of(const char *name, uint64_t *ret);

/* Names without a unit. `named`: the event is called otherwise, by the terms that follow. */
bool orma_record_perf_put_symbol(struct orma_record_perf_event *e, const char *name,
                                 const char *named);

bool orma_record_perf_is_symbol(const char *name);

/* What may have been meant; or NULL. */
const char *orma_record_perf_near_symbol(const char *name);

/* -EINVAL, and the message with a caret below `where`. */
int orma_record_perf_fail(struct orma_record_perf_parse *p, const char *where, const char *fmt, ...)
    ORMA_PRINTF(3, 4);

/* At the end of the list. NULL: it is full, and that was said. */
struct orma_record_perf_event *orma_record_perf_event_new(struct orma_record_perf_parse *p,
                                                          const char *where);

/* All of the text, in the notation of C. */
bool orma_record_perf_number_of(const char *text, uint64_t *ret);

bool orma_record_perf_is_one_of(const char *word, const char *const *list);

/* "/.../", from its first slash on. */
int orma_record_perf_parse_terms(struct orma_record_perf_parse *p,
                                 struct orma_record_perf_terms *t);

void orma_record_perf_take_terms(struct orma_record_perf_event *e,
                                 const struct orma_record_perf_terms *t);

/* "UNIT/terms/" */
int orma_record_perf_parse_unit(struct orma_record_perf_parse *p, const char *begin,
                                const char *name);

/* A name that one of the units has among its events. False: none has. */
bool orma_record_perf_find_alias(struct orma_record_perf_parse *p, const char *begin,
                                 const char *name, int *ret);

#endif
