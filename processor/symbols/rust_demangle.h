/*
 * Names of Rust symbols, as the source writes them, without hashes: of the "v0" mangling (_R...), and
 * of the legacy one, which looks like that of C++ (_ZN...17h0123456789abcdefE).
 *
 * Names come from binaries of strangers: depth, and what references to earlier parts may multiply,
 * are limited.
 */
#ifndef ORMA_PROCESSOR_SYMBOLS_RUST_DEMANGLE_H
#define ORMA_PROCESSOR_SYMBOLS_RUST_DEMANGLE_H

/* For free(). NULL: not such a name, or memory is out. */
char *orma_rust_demangle(const char *name);
#endif
