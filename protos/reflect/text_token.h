/*
 * Tokens of the text format. Private to protos/reflect. The text of a token is in
 * the scanner, but that of strings, which are decoded straight to where they go.
 */
#ifndef ORMA_PROTOS_REFLECT_TEXT_TOKEN_H
#define ORMA_PROTOS_REFLECT_TEXT_TOKEN_H
#include "protos/reflect/scan.h"

enum orma_text_token {
    ORMA_TOKEN_END,    /* of the text; also after failure */
    ORMA_TOKEN_NAME,   /* letters, digits, underscores */
    ORMA_TOKEN_NUMBER, /* begins with a digit, or a point and a digit */
    ORMA_TOKEN_STRING, /* its opening quote; orma_text_string() reads on */
    ORMA_TOKEN_CHAR,   /* any other: { } [ ] < > : , ; - */
};

/* The next token, behind blanks and comments. */
enum orma_text_token orma_text_next(struct orma_scan *scan);

/* Behind '[': the name up to and with ']' becomes the current token, a NAME with dots. */
enum orma_text_token orma_text_extension(struct orma_scan *scan);

/* Behind an opening quote: appends the decoded bytes, up to and with the closing quote. 0, or the
 * scanner's failure. */
int orma_text_string(struct orma_scan *scan, struct orma_buf *out);
#endif
