/*
 * Text of others on a terminal. A name in a trace or a message of a peer must not give orders to
 * the terminal, nor turn the direction of writing: such characters, and bytes that are no UTF-8,
 * are shown as escapes: \x1b, \u202e.
 */
#ifndef ORMA_SDK_BASE_SHOWN_H
#define ORMA_SDK_BASE_SHOWN_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* No control character (C0, DEL, C1), none of direction, no separator of lines, no tag. */
bool orma_shown_is_plain(uint32_t code);

/* How many columns of a terminal a character takes: one, two if it is wide, none if it is put on
 * the one before it. */
unsigned orma_shown_width(uint32_t code);

/*
 * A stream that writes to `to` what may be shown; newlines and tabs pass. `ours`: so do carriage
 * returns, colours and the order to clear the rest of the line, as our own progress lines use them.
 * Closing it leaves `to` open. NULL and errno.
 */
FILE *orma_shown_open(FILE *to, bool ours);
#endif
