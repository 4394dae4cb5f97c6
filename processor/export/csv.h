/*
 * Results as text: CSV and JSON for programs, a table for people.
 *
 * CSV has the form that the field's tools print: names and texts in double
 * quotes without escapes, NULL as "[NULL]", doubles with six decimals. Texts are whole, zeros
 * inside included.
 *
 * On a terminal each form is shown by sdk/base/shown.h: no text can give it orders.
 */
#ifndef ORMA_PROCESSOR_EXPORT_CSV_H
#define ORMA_PROCESSOR_EXPORT_CSV_H
#include <stdbool.h>
#include <stdio.h>

#include "processor/processor.h"
#include "sdk/base/str.h"

enum orma_print_form {
    ORMA_PRINT_CSV,
    ORMA_PRINT_TABLE,
    ORMA_PRINT_RFC4180,    /* quoted where needed, quotes doubled, NULL empty, doubles in full */
    ORMA_PRINT_JSON,       /* one array of objects per result; bytes in base 16 */
    ORMA_PRINT_JSON_LINES, /* an object a row */
    ORMA_PRINT_TSV, /* as ClickHouse reads it: no heading, escapes, NULL as \N, bytes as they are */
};

/*
 * Runs all statements of `sql` and prints the rows of each that has columns, with
 * an empty line between two results. *ret_statements, if not NULL, is how many
 * statements there were. 0 or -errno, with what was printed until then printed;
 * the text of the error is the processor's. -EIO: `out` refused.
 */
int orma_print_query(struct orma_processor *tp, const char *sql, size_t len,
                     enum orma_print_form form, FILE *out, unsigned *ret_statements);

/* The rows of one query, with their heading. 0 or -errno as above. */
int orma_print_rows(struct orma_query *q, enum orma_print_form form, FILE *out);

/* A text as JSON has it, with quotes; bytes that are no UTF-8 become U+FFFD. */
void orma_print_json_text(const char *text, FILE *out);
void orma_print_json_str(struct orma_str text, FILE *out);

/* A text as a cell of RFC 4180: quoted if it has to be. */
void orma_print_rfc4180_text(const char *text, FILE *out);
void orma_print_rfc4180_str(struct orma_str text, FILE *out);
#endif
