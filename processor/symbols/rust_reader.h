/*
 * A mangled name of Rust while it is read, and the text that is written meanwhile.
 */
#ifndef ORMA_PROCESSOR_SYMBOLS_RUST_READER_H
#define ORMA_PROCESSOR_SYMBOLS_RUST_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/buf.h"

/* Longer names are not demangled. */
#define ORMA_RUST_TEXT_MAX 65536

struct orma_rust_reader {
    struct orma_str in; /* without "_R" */
    size_t pos;
    struct orma_buf out;
    uint64_t bound; /* lifetimes that binders around here gave names to */
    int depth;
    bool silent; /* read, do not write */
    bool bad;
};

struct orma_rust_ident {
    struct orma_str text;
    bool punycode;
};

/* The next letter; 0 at the end. */
char orma_rust_look(const struct orma_rust_reader *r);

char orma_rust_consume(struct orma_rust_reader *r);

bool orma_rust_accept(struct orma_rust_reader *r, char c);

void orma_rust_put_bytes(struct orma_rust_reader *r, const char *data, size_t len);

void orma_rust_put(struct orma_rust_reader *r, const char *text);

void orma_rust_put_number(struct orma_rust_reader *r, uint64_t number);

bool orma_rust_is_digit(char c);

uint64_t orma_rust_read_decimal(struct orma_rust_reader *r);

/* "_" is 0, "0_" is 1, ... */
uint64_t orma_rust_read_base62(struct orma_rust_reader *r);

/* 0 where there is none: so "s_" is 1. */
uint64_t orma_rust_read_tagged(struct orma_rust_reader *r, char tag);

struct orma_rust_ident orma_rust_read_ident(struct orma_rust_reader *r);

void orma_rust_put_ident(struct orma_rust_reader *r, struct orma_rust_ident id);

#endif
