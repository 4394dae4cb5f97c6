/*
 * What a program or library on disk says about unwinding its code: segments,
 * .eh_frame with its table (of Go, .gopclntab), and the rules of the addresses that were met.
 *
 * Rules are made when an address is first asked for, and kept. The file is read
 * where it is mapped, and may shrink. Bytes are hostile.
 * Threads: none; a file belongs to one thread.
 */
#ifndef ORMA_UNWIND_FILE_H
#define ORMA_UNWIND_FILE_H
#include <stddef.h>
#include <sys/types.h>

#include "probes/unwind/cfi.h"

struct orma_unwind_file;
struct orma_unwind_go;

/* Reads from `fd`, which stays the caller's. 0, -ENOEXEC: no program of this machine, -EFBIG,
 * -ENOMEM. */
int orma_unwind_file_read(int fd, struct orma_unwind_file **ret);

/* NULL is fine. */
void orma_unwind_file_free(struct orma_unwind_file *self);

/* The address that the file's code at `offset` is meant for. */
uint64_t orma_unwind_file_address(const struct orma_unwind_file *self, uint64_t offset);

/* Code at an address: how many bytes of it there are, up to `len`. */
size_t orma_unwind_file_bytes(const struct orma_unwind_file *self, uint64_t address, void *ret,
                              size_t len);

/* What a caller remembers of an address: zero at first. */
struct orma_unwind_note {
    uint32_t owner, value;
};

/* NULL: no memory, or so many addresses were asked for that some were forgotten. Valid until the
 * next call. */
struct orma_unwind_note *orma_unwind_file_note(struct orma_unwind_file *self, uint64_t pc);

/* NULL: the file has none for this address. Valid until the next call. */
const struct orma_unwind_rule *orma_unwind_file_rule(struct orma_unwind_file *self, uint64_t pc);

/* Where the function around `pc` begins, as its rules tell. False: it has none. */
bool orma_unwind_file_start(struct orma_unwind_file *self, uint64_t pc, uint64_t *ret);

/* Does its rule say that nobody called it? */
bool orma_unwind_file_is_first(struct orma_unwind_file *self, uint64_t pc);

/* Is it what runs first of a program, or of its loader? Nobody called that, and often it has no
 * rule. */
bool orma_unwind_file_is_entry(const struct orma_unwind_file *self, uint64_t pc);

/* Its table of Go functions; NULL: it has none, or `self` is NULL. */
const struct orma_unwind_go *orma_unwind_file_go(const struct orma_unwind_file *self);

/* What expressions of rules are offsets of. */
const struct orma_unwind_section *orma_unwind_file_section(const struct orma_unwind_file *self);

/* Of the functions that are worth a look, how many keep a frame pointer: 0 to 100; -1: it has none.
 */
int orma_unwind_file_frame_pointers(struct orma_unwind_file *self);
#endif
