/*
 * Symbols: gives each kernel address that a session meets a small number, so
 * that no address is ever written into a trace; and the names of those that
 * kallsyms knows.
 *
 * A number, once given, stays that address's for the session (until a million
 * addresses are met; then numbering begins anew). Names are repeated in every
 * tick that uses them, since older packets may be overwritten:
 *
 *   orma_ftrace_symbols_tick -> orma_ftrace_symbols_index* -> orma_ftrace_symbols_take -> ...
 *
 * Threads: none.
 */
#ifndef ORMA_SDK_FTRACE_SYMBOLS_H
#define ORMA_SDK_FTRACE_SYMBOLS_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "sdk/base/map.h"
#include "sdk/base/str.h"

struct orma_kallsyms;

struct orma_ftrace_symbols {
    struct orma_kallsyms *table; /* NULL: numbers only */
    struct orma_map slots;       /* by address, see symbols.c */
    uint64_t tick;
    uint32_t next;
    bool restart;          /* the next packet with symbols is the first of this tick */
    bool used;             /* the packet that is being built has symbols */
    struct orma_buf names; /* for the packet that is being built */
    struct orma_buf extra; /* what was taken last */
};

void orma_ftrace_symbols_init(struct orma_ftrace_symbols *self, struct orma_kallsyms *table);
void orma_ftrace_symbols_fini(struct orma_ftrace_symbols *self);

/* A new tick: names are written again. */
void orma_ftrace_symbols_tick(struct orma_ftrace_symbols *self);

/* The address's number, > 0; 0 for address 0 and when out of memory. */
uint32_t orma_ftrace_symbols_index(struct orma_ftrace_symbols *self, uint64_t address);

/*
 * Fields of TracePacket (sequence_flags, interned_data) that go with the packet
 * whose symbols were asked for since the last call. Empty if there were none. Valid until the next
 * call.
 */
struct orma_str orma_ftrace_symbols_take(struct orma_ftrace_symbols *self);
#endif
