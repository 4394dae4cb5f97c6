/*
 * Dates and times as SQLite 3.50 reads and changes them: a time value ("2024-01-31 10:00",
 * "now", 2460341.5) and modifiers ("+1 month", "floor", "unixepoch", "subsec").
 *
 * A date is known as a number of milliseconds (Julian day * 86400000), or by its fields, or
 * both; each is computed when it is asked for.
 */
#ifndef ORMA_PROCESSOR_SQL_FUNCTIONS_DATES_H
#define ORMA_PROCESSOR_SQL_FUNCTIONS_DATES_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/str.h"

#define ORMA_DATE_DAY_MS INT64_C(86400000)
#define ORMA_DATE_EPOCH_MS INT64_C(210866760000000) /* 1970-01-01 */

struct orma_date {
    int64_t jd_ms;
    int year, month, day, hour, minute;
    int zone;      /* minutes */
    int overflow;  /* days that the last step by months went into the next month */
    double second; /* a bare number until it is known what it counts */
    bool has_jd, has_ymd, has_hms;
    bool raw; /* `second` is a bare number */
    bool subsec;
    bool is_utc, is_local; /* known to be: "utc" and "localtime" change nothing then */
    bool wrong;            /* out of range, or asked for what a bare number does not have */
};

/* False: it is none. */
bool orma_date_parse(struct orma_date *self, struct orma_str text);
void orma_date_set_number(struct orma_date *self, double number);
void orma_date_set_now(struct orma_date *self);

/* `first`: no other modifier came before. False: unknown, or it does not fit. */
bool orma_date_modify(struct orma_date *self, struct orma_str modifier, bool first);

void orma_date_compute_jd(struct orma_date *self);
void orma_date_compute_fields(struct orma_date *self);

/* Whether jd_ms is between -4713-11-24 and 9999-12-31. */
bool orma_date_is_valid(const struct orma_date *self);

/* Forgets the fields, so that they are computed anew from jd_ms. */
void orma_date_drop_fields(struct orma_date *self);
#endif
