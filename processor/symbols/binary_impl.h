/* What the parts of a binary share: binary.c (ELF), dwarf.c (debug information). */
#ifndef ORMA_PROCESSOR_SYMBOLS_BINARY_IMPL_H
#define ORMA_PROCESSOR_SYMBOLS_BINARY_IMPL_H
#include <elfutils/libdw.h>
#include <gelf.h>

#include "processor/symbols/binary.h"
#include "sdk/base/buf.h"

/* Longer names are cut. */
#define ORMA_BINARY_NAME_MAX 16384u

struct orma_binary_symbol {
    uint64_t start, size; /* size 0: not told */
    uint64_t end;         /* of its section, if no size is told: up to there or the next symbol */
    size_t name, file;    /* offsets in `names`; file 0: unknown */
};

/* Addresses of a compilation unit. */
struct orma_dwarf_range {
    uint64_t start, end;
    uint64_t reach; /* the largest `end` up to here */
    Dwarf_Off die;  /* of the unit; among functions: of the function */
};

/* Functions of a unit, made when an address of it is asked for. */
struct orma_dwarf_unit {
    Dwarf_Off die;
    struct orma_dwarf_range *functions;
    size_t num;
};

struct orma_binary {
    int fd;
    Elf *elf;
    uint64_t unpack_left; /* bytes that may still come out of what is packed in it */
    bool thumb;           /* the lowest bit of function addresses is a flag */
    struct orma_binary_symbol *symbols;
    size_t symbols_num;
    char *names;
    /* Debug information; dwarf NULL: none, or not to be trusted. */
    Dwarf *dwarf;
    struct orma_dwarf_range *ranges; /* by start */
    size_t ranges_num;
    struct orma_buf units; /* struct orma_dwarf_unit */
    uint64_t budget;       /* entries that may still be looked at */
    struct orma_buf texts; /* of the last answer */
};

/* Prepares self->dwarf. What cannot be read is left out. */
void orma_dwarf_open(struct orma_binary *self, const char *path);
void orma_dwarf_close(struct orma_binary *self);

/* A frame in the making: offsets in self->texts, 0 for an empty one. */
struct orma_frame_texts {
    size_t function, file;
    uint32_t line;
};

/* What debug information knows, as orma_binary_frames(). A function may lack its name. */
size_t orma_dwarf_frames(struct orma_binary *self, uint64_t pc,
                         struct orma_frame_texts ret[ORMA_SOURCE_FRAMES_MAX]);

/* ---- texts of the answer: binary_texts.c ---- */

/* The text in self->texts; 0 for NULL and "". */
size_t orma_binary_keep(struct orma_binary *self, const char *text);

/* The same, as C++ writes it. */
size_t orma_binary_keep_name(struct orma_binary *self, const char *name);
#endif
