/*
 * Names of Rust symbols in the "v0" mangling (_R...), as the source writes them, without hashes.
 * Older Rust symbols look like those of C++ and are read as such.
 *
 * Names come from binaries of strangers: depth, and what references to earlier parts may multiply,
 * are limited.
 */
#ifndef ORMA_PROCESSOR_SYMBOLS_RUST_DEMANGLE_H
#define ORMA_PROCESSOR_SYMBOLS_RUST_DEMANGLE_H

/* For free(). NULL: not such a name, or memory is out. */
char *orma_rust_demangle(const char *name);
#endif
