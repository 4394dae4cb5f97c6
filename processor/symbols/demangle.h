/*
 * Names of C++ and Rust symbols as the source writes them. For C++ the C++ runtime has the
 * demangler; it is loaded with the first name: few ask, and it is large.
 */
#ifndef ORMA_PROCESSOR_SYMBOLS_DEMANGLE_H
#define ORMA_PROCESSOR_SYMBOLS_DEMANGLE_H
#include <stdbool.h>

/* False: neither libstdc++ nor libc++abi is there, or the build left it out. */
bool orma_demangle_available(void);

/* For free(). NULL: no such name, or there is no demangler for it. */
char *orma_demangle(const char *name);
#endif
