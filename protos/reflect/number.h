/*
 * Numbers as text, the same in every locale.
 */
#ifndef ORMA_PROTOS_REFLECT_NUMBER_H
#define ORMA_PROTOS_REFLECT_NUMBER_H
#include "sdk/base/buf.h"
#include "sdk/base/str.h"

/* The shortest text that reads back as the same number: "0.1", "1e+100", "inf", "-inf", "nan". */
void orma_number_put_double(struct orma_buf *out, double val);
void orma_number_put_float(struct orma_buf *out, float val);

/* Decimal digits; snprintf is the slow part of printing a trace. */
void orma_number_put_u64(struct orma_buf *out, uint64_t val);
void orma_number_put_i64(struct orma_buf *out, int64_t val);

/*
 * All of `text`: decimal digits with point and exponent (no sign, no inf). False: not a number.
 * Too large is infinity.
 */
bool orma_number_to_double(const char *text, double *ret);
bool orma_number_to_float(const char *text, float *ret);

/* All of `text`: decimal, 0x hexadecimal or 0 octal. False: not a number, or above 2^64. */
bool orma_number_to_u64(const char *text, uint64_t *ret);
#endif
