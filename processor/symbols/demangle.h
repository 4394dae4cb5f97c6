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

/* The same where nothing but us limits memory and time (binaries are read in processes that have
 * limits): names of C++ that name parts of themselves so often that they could fill the memory give
 * NULL. */
char *orma_demangle_careful(const char *name);
#endif
